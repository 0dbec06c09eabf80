//! `cliffmark withdraw` and `cliffmark release`: what the holder of a key says of a published result later.
//!
//! Makes and signs the statement. Does not know how it is sent (`upload`).

use crate::{
    cli::{ReleaseArgs, WithdrawArgs},
    hint::{Exit, Failure, note, print},
    keys::{KeyFile, SecretKey},
    run::ask,
    upload::{Patience, Server, Stated, state},
};
use model::{
    ResultId,
    statement::{Action, Nonce, SCHEMA, Statement},
    units::format_utc,
};
use std::{
    io::{self, IsTerminal as _},
    time::{SystemTime, UNIX_EPOCH},
};

/// Takes a result back for good.
///
/// # Errors
/// When there is no key, the server refuses it or cannot be reached.
pub fn withdraw(args: &WithdrawArgs) -> Result<Exit, Failure> {
    let (server, key) = prepare(args.server.as_deref())?;
    let question = format!(
        "{server} will delete result {} for good; it cannot be published there again.\nWithdraw it? [y/N] ",
        args.id
    );
    if !args.yes {
        if !io::stdin().is_terminal() {
            return Err(Failure::refused("nobody confirmed that the result is to be deleted")
                .hint("withdraw without being asked with --yes"));
        }
        if !matches!(ask(&question, "withdraw without being asked with --yes")?.trim(), "y" | "Y" | "yes") {
            return Ok(Exit::Done);
        }
    }
    let statement = statement(&key, Action::Withdraw, args.id, None)?;
    send(&server, &statement, &key)?;
    print(&format!("withdrawn: {}\n", args.id))?;
    Ok(Exit::Done)
}

/// Makes an unlisted result public, at once or from a time on.
///
/// # Errors
/// When there is no key, the server refuses it or cannot be reached.
pub fn release(args: &ReleaseArgs) -> Result<Exit, Failure> {
    let (server, key) = prepare(args.server.as_deref())?;
    let statement = statement(&key, Action::Release, args.id, args.on)?;
    let stated = send(&server, &statement, &key)?;
    let page = server.page(args.id);
    match stated.public_from_unix_ms {
        Some(from) => note(&format!("it becomes public on {}, at the same address", format_utc(from))),
        None => note("it is public, at the same address"),
    }
    print(&format!("{page}\n"))?;
    Ok(Exit::Done)
}

fn prepare(server: Option<&str>) -> Result<(Server, SecretKey), Failure> {
    let server = Server::parse(server.ok_or_else(Server::missing)?)?;
    let file = KeyFile::of_user()?;
    let key = file.load()?.ok_or_else(|| {
        Failure::failed(format!("there is no secret key: {}", file.path().display()))
            .hint("only the key that signed a result can speak for it; `cliffmark key import` brings it here")
    })?;
    Ok((server, key))
}

fn statement(
    key: &SecretKey,
    action: Action,
    result: ResultId,
    from_unix_ms: Option<u64>,
) -> Result<Statement, Failure> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce)
        .map_err(|error| Failure::failed("the system gives no random numbers").because(error))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let made_unix_ms = u64::try_from(now.as_millis()).unwrap_or(0);
    let public_key = key.public();
    let nonce = Nonce(nonce);
    Ok(Statement { schema: SCHEMA, public_key, action, result, made_unix_ms, from_unix_ms, nonce })
}

fn send(server: &Server, statement: &Statement, key: &SecretKey) -> Result<Stated, Failure> {
    let envelope = bundle::seal_statement(statement, key.signing())
        .map_err(|error| Failure::failed("the statement could not be signed").because(error))?;
    state(server, &envelope, statement, Patience::default())
}
