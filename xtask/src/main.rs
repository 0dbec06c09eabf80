//! `cargo xtask`: builds, prepares, generates, checks and measures; one module per task.
//!
//! Knows: the names of the tasks and which module does each.
//! Does not know: how any of them works. Everything a shell script would otherwise do lives here, so
//! that `justfile` and `.ci/run` stay lists of names.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task tells on the terminal what it does")]

mod arguments;
mod bench;
mod ci;
mod demo;
mod files;
mod gallery;
mod generate;
mod guest;
mod http;
mod install;
mod licences;
mod prepare;
mod process;
mod rules;
mod test;
mod tidy;
mod toolchain;
mod web;
mod workspace;

use std::process::ExitCode;

use arguments::Arguments;
use process::Exit;

const USAGE: &str = "\
cargo xtask TASK

  demo [--once] [--listen ADDR] [--target DIR]   measure this disk, publish it locally, show it
  test                                           every test, the browser's included
  ci                                             what has to hold before a change is merged
  lint                                           format, clippy, tidy, licences, dependency rules
  web                                            the browser's part into target/site/
  gen [--check]                                  docs/result.schema.json and docs/openapi.json
  gallery                                        every chart over simulated drives, as pictures on one page
  bench io [--target hole|file] [--pairs N] [--runtime S] [--dir DIR] [--cells a:b:c[:threads],..] [--poll] [--out FILE]
                                                 against fio, and t/io_uring where it is on the PATH
  bench web                                      weights of the pages of target/demo/
  prepare [--browser] [--fio] [--drives]         install what building and testing needs
  install                                        a static `cliffmark` into $PREFIX/bin (~/.local/bin)
";

fn main() -> ExitCode {
    process::catch_signals();
    match run(Arguments::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(error.downcast_ref::<Exit>().map_or(1, |exit| exit.code))
        }
    }
}

fn run(mut arguments: Arguments) -> anyhow::Result<()> {
    let task = arguments.word().unwrap_or_default();
    match task.as_str() {
        "demo" => demo::run(arguments),
        "test" => arguments.finish().and_then(|()| test::run()),
        "ci" => arguments.finish().and_then(|()| ci::run()),
        "lint" => arguments.finish().and_then(|()| ci::lint()),
        "web" => arguments.finish().and_then(|()| web::build().map(drop)),
        "gen" => generate::run(arguments),
        "gallery" => arguments.finish().and_then(|()| gallery::run()),
        "bench" => bench::run(arguments),
        "prepare" => prepare::run(arguments),
        "install" => arguments.finish().and_then(|()| install::run()),
        "" | "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Exit::usage(format!("there is no task `{other}`\n\n{USAGE}"))),
    }
}
