//! From what was typed to what is done: one match, and the commands that are only a few lines.

use crate::{
    analyse, bundle_file,
    cell_command::{self, CellRequest},
    cli::{CellArgs, Cli, Command, ExportArgs, ExportFormat, KeyCommand, ShowArgs, UploadArgs},
    devices, export,
    hint::{Exit, Failure, note, print, print_bytes, shown},
    host_command,
    keys::{KeyFile, SecretKey, write_secret},
    leftovers,
    plan::{self, estimated_time, passes_shape, written_bytes},
    report, resume, run, signals,
    state::StateDir,
    statements,
    stop::StopFlag,
    suite::{self, Suite},
    sysfs::SysRoot,
    upload::{Patience, Server, publish},
    verify,
    wrap::wrapped,
};
use bundle::Verified;
use model::units::{format_capacity, format_clock, format_count, format_size};
use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

/// Does what was asked for.
///
/// # Errors
/// What happened, why, and what to do next.
pub fn execute(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Cell(args) => cell(args),
        Command::Suites(args) => suites(args.name.as_deref()),
        Command::Devices(args) => devices::show(&SysRoot::default(), args.json).map(|()| Exit::Done),
        Command::Resume(args) => resume::resume(&args),
        Command::Clean(args) => leftovers::clean(&StateDir::of_user()?, args.journals),
        Command::Host(args) => host_command::show(&SysRoot::default(), args.json).map(|()| Exit::Done),
        Command::Show(args) => show(&args),
        Command::Verify(args) => verify::verify(&args.file),
        Command::Analyse(args) => analyse::analyse(&args.file, args.json),
        Command::Upload(args) => upload(&args),
        Command::Withdraw(args) => statements::withdraw(&args),
        Command::Release(args) => statements::release(&args),
        Command::Export(args) => export(&args),
        Command::Key(command) => key(&command),
    }
}

fn cell(args: CellArgs) -> Result<Exit, Failure> {
    let request = CellRequest {
        target: args.target,
        pattern: args.pattern.into(),
        block_bytes: args.block,
        queue_depth: args.qd,
        threads: args.threads,
        seconds: args.seconds,
        size_bytes: args.size,
        overwrite: args.overwrite,
        confirm_serial: args.confirm_serial,
        allow_void: args.allow_void,
        wait: args.wait.into(),
        data: args.data.map(Into::into),
    };
    let stop = StopFlag::default();
    signals::watch(stop.clone(), None)?;
    let report = cell_command::measure(&request, &stop)?;
    print(&if args.json { report.json() } else { report.text() })?;
    // What could have been refused was allowed to be void; a proof that broke during the loop was not.
    Ok(if report.void.is_empty() || args.allow_void { Exit::Done } else { Exit::Void })
}

fn suites(name: Option<&str>) -> Result<Exit, Failure> {
    if let Some(name) = name {
        let text = suite::shipped_text(name).ok_or_else(|| {
            Failure::usage(format!("there is no shipped suite `{name}`"))
                .hint("`cliffmark suites` lists them")
        })?;
        print(text)?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for suite in suite::shipped() {
        text.push_str(&suite_lines(&suite));
    }
    text.push('\n');
    text.push_str(&wrapped("", 0, SUITES_END));
    print(&text)?;
    Ok(Exit::Done)
}

fn suite_lines(suite: &Suite) -> String {
    // Files take room as long as they are copied; the test file beside them is not worth a word.
    let files = plan::files::room_bytes(suite);
    let bytes = files.max(suite.size_bytes());
    let fresh = suite
        .sections()
        .iter()
        .any(|one| one.fresh && one.cells.start < suite.methods.len() && one.span_bytes == bytes);
    let size = match fresh || files > 0 {
        true => format!("at most {}", format_capacity(bytes)),
        false => format_size(bytes),
    };
    let repeats = if suite.runs > 1 { format!(", {} times", suite.runs) } else { String::new() };
    let cells = suite.methods.len() as u64;
    let cells = (cells > 0).then(|| format_count(cells, "cell"));
    let shape: Vec<String> = cells.into_iter().chain(passes_shape(suite)).collect();
    let cost = format!(
        "{} on {size}{repeats}, about {}; writes {}",
        shape.join(" and "),
        format_clock(estimated_time(suite)),
        format_capacity(written_bytes(suite, 1_000_000_000)),
    );
    let summary = wrapped(&format!("{:<21} ", suite.name), INDENT, &suite.summary);
    summary + &wrapped(&" ".repeat(INDENT), INDENT, &cost)
}

/// Columns of a suite's name in the list.
const INDENT: usize = 22;
/// What stands below the list of suites.
const SUITES_END: &str = "Times are estimates, writes those of a drive that takes 1,000 MB/s, both with the fill. `cliffmark suites NAME` prints a suite as TOML; \
                          a changed copy under another name is run with --suite FILE.toml.";

fn show(args: &ShowArgs) -> Result<Exit, Failure> {
    let verified = bundle_file::open(&args.file)?;
    if args.document {
        print_bytes(verified.payload())?;
    } else {
        print(&report::whole(verified.document(), verified.id(), verified.key()))?;
    }
    Ok(Exit::Done)
}

fn upload(args: &UploadArgs) -> Result<Exit, Failure> {
    let server = Server::parse(args.server.as_deref().ok_or_else(Server::missing)?)?;
    let mut failed = Vec::new();
    for file in &args.files {
        match upload_one(&server, file) {
            Ok(page) => print(&format!("{page}\n"))?,
            // One bad file does not keep the others from being published.
            Err(failure) => failed.push((file, failure)),
        }
    }
    let Some((_, last)) = failed.pop() else { return Ok(Exit::Done) };
    for (_, failure) in &failed {
        note(failure.text().trim_end());
    }
    if args.files.len() > 1 {
        note(&format!("{} of {} files were not published", failed.len() + 1, args.files.len()));
    }
    Err(last)
}

fn upload_one(server: &Server, file: &Path) -> Result<String, Failure> {
    let bytes = bundle_file::read(file)?;
    // What would be refused is not sent at all.
    let verified = bundle_file::opened(file, &bytes)?;
    publish(server, &bytes, verified.id(), Patience::default())
}

fn export(args: &ExportArgs) -> Result<Exit, Failure> {
    let results: Vec<Verified> =
        args.files.iter().map(|file| bundle_file::open(file)).collect::<Result<_, _>>()?;
    match args.format {
        ExportFormat::Csv => print(&export::csv(&results))?,
        ExportFormat::Json => print_bytes(&export::json(&results))?,
        ExportFormat::Fio => print(&export::fio(&results))?,
    }
    Ok(Exit::Done)
}

fn key(command: &KeyCommand) -> Result<Exit, Failure> {
    let file = KeyFile::of_user()?;
    let present = || {
        file.load()?.ok_or_else(|| {
            Failure::failed(format!("there is no secret key yet: {}", file.path().display()))
                .hint("the first run makes one; `cliffmark key new` makes one now")
        })
    };
    match command {
        KeyCommand::Show => {
            let key = present()?;
            print(&format!(
                "key     {}\npublic  {}\nfile    {}\n",
                key.id(),
                key.public(),
                shown(file.path())
            ))?;
        }
        KeyCommand::New { replace } => put_key(&file, &SecretKey::generate()?, *replace)?,
        KeyCommand::Export { file: None } => print(&present()?.to_text())?,
        KeyCommand::Export { file: Some(path) } => {
            write_secret(path, &present()?).map_err(|error| {
                Failure::failed(format!("cannot write {}", path.display()))
                    .because(error)
                    .hint("name a file that does not exist yet")
            })?;
            note(&format!("{} holds your secret key: whoever has it can sign as you", shown(path)));
        }
        KeyCommand::Import { file: from, replace } => {
            let key = SecretKey::from_text(&read_key_text(from)?).ok_or_else(|| {
                Failure::failed(format!("{} holds no secret key", from.display()))
                    .hint("`cliffmark key export` on the other machine writes one")
            })?;
            put_key(&file, &key, *replace)?;
        }
    }
    Ok(Exit::Done)
}

fn put_key(file: &KeyFile, key: &SecretKey, replace: bool) -> Result<(), Failure> {
    if let Some(aside) = file.put(key, replace)? {
        note(&format!("the former key is now {}", shown(&aside)));
    }
    print(&format!("key     {}\nfile    {}\n", key.id(), shown(file.path())))
}

fn read_key_text(from: &Path) -> Result<String, Failure> {
    const MAX_BYTES: u64 = 1024;
    let mut text = String::new();
    let read = if from.as_os_str() == "-" {
        io::stdin().take(MAX_BYTES).read_to_string(&mut text)
    } else {
        fs::File::open(from).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::failed(format!("cannot read {}", from.display())).because(error))?;
    Ok(text)
}
