//! `cargo xtask gen`: files that are made from the code and kept in the repository.
//!
//! Knows: which files, and which of the server's commands prints each.
//! Does not know: their content.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::arguments::Arguments;
use crate::files;
use crate::process;
use crate::workspace;

/// File, and the command of `cliffmark-server` that prints it.
const GENERATED: [(&str, &str); 2] =
    [("docs/result.schema.json", "schema"), ("docs/openapi.json", "openapi")];

/// `gen [--check]`.
///
/// # Errors
/// The server does not compile, or with `--check` a file is stale.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let check = arguments.switch("--check");
    arguments.finish()?;
    process::run(workspace::cargo().args(["build", "--quiet", "--locked", "-p", "cliffmark-server"]))?;
    let server = workspace::program("debug", "cliffmark-server");
    if check { check_with(&server) } else { write_with(&server) }
}

/// Compares the files with what a built server prints.
///
/// # Errors
/// A file is missing or stale.
pub(crate) fn check_with(server: &Path) -> Result<()> {
    for (file, command) in GENERATED {
        let fresh = printed(server, command)?;
        let path = workspace::root().join(file);
        if !path.is_file() || files::read_text(&path)? != fresh {
            bail!("{file} is not what the code says: run `cargo xtask gen` and commit it");
        }
    }
    Ok(())
}

fn write_with(server: &Path) -> Result<()> {
    for (file, command) in GENERATED {
        let fresh = printed(server, command)?;
        let path = workspace::root().join(file);
        if path.is_file() && files::read_text(&path)? == fresh {
            println!("{file} is up to date");
        } else {
            files::make_folder(path.parent().context("a file lies in a folder")?)?;
            files::write(&path, fresh)?;
            println!("{file} written");
        }
    }
    Ok(())
}

fn printed(server: &Path, command: &str) -> Result<String> {
    let text = process::output_of(Command::new(server).arg(command))?;
    let name = format!("cliffmark-server {command}");
    serde_json::from_str::<serde_json::Value>(&text).with_context(|| format!("`{name}` printed no JSON"))?;
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}
