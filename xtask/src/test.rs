//! `cargo xtask test`: every test, doc tests and browser tests included.
//!
//! Knows: what has to be built before, in which order, and how to sum what cargo prints.
//! Does not know: the tests.
//!
//! Programs and tests are built by one selection of packages and features, so nothing is compiled twice.
//! The web crate's `hydrate` is never part of it: it belongs to wasm32 alone.

mod summary;

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use anyhow::{Context as _, Result};

use crate::guest;
use crate::prepare;
use crate::process::{self, Running};
use crate::toolchain;
use crate::web;
use crate::workspace::{self, PURE};
use summary::Summary;

/// Prepares, builds and runs everything.
///
/// # Errors
/// Something is missing, does not compile, or a test fails.
pub(crate) fn run() -> Result<()> {
    prepare()?;
    web::build()?;
    pure_crates_for_wasm()?;
    build()?;
    tests()
}

/// Installs what the tests need beyond the toolchain. Without the parts for tests on drives the others still run.
///
/// # Errors
/// Something cannot be installed.
pub(crate) fn prepare() -> Result<()> {
    prepare::ensure(&[prepare::C_COMPILER, prepare::BROWSER])?;
    guest::prepare();
    Ok(())
}

/// Compiles the crates without I/O for wasm32.
///
/// Built and not only checked: the standard library that was made for the browser's part serves again.
///
/// # Errors
/// One of them does not compile there.
pub(crate) fn pure_crates_for_wasm() -> Result<()> {
    process::run(toolchain::wasm()?.build().args(PURE.iter().flat_map(|package| ["-p", package])))
}

/// Builds both programs and all test programs.
///
/// # Errors
/// Something does not compile.
pub(crate) fn build() -> Result<()> {
    process::run(workspace::cargo().args(["build", "--locked", "--workspace", "--bins", "--tests"]))
}

/// Runs what [`build`] has built, and the doc tests; the last line is the sum of all.
///
/// # Errors
/// A test fails.
pub(crate) fn tests() -> Result<()> {
    let (machine, value) = guest::environment();
    let mut command = workspace::cargo();
    command
        .args(["test", "--locked", "--workspace", "--no-fail-fast"])
        .env("CLIFFMARK_BIN", workspace::program("debug", "cliffmark"))
        .env("CLIFFMARK_SERVER_BIN", workspace::program("debug", "cliffmark-server"))
        .env("CHROMEDRIVER", "/usr/bin/chromedriver")
        .env(machine, value)
        .stdout(Stdio::piped());
    eprintln!("+ cargo test --locked --workspace --no-fail-fast");
    let mut cargo = Running::start(&mut command)?;
    let output = cargo.child().stdout.take().context("cargo's output is piped")?;
    let mut summary = Summary::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read what cargo prints")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        summary.read(&line);
    }
    let status = cargo.wait()?;
    println!("{summary}");
    process::succeeded(status, "cargo test")?;
    summary.must_hold_tests()
}
