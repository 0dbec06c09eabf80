//! The program `cliffmark`: parses, executes, and turns the outcome into an exit code.

use clap::Parser as _;
use cliffmark_runner::{cli::Cli, commands::execute};
use std::process::ExitCode;

fn main() -> ExitCode {
    match execute(Cli::parse()) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report().into(),
    }
}
