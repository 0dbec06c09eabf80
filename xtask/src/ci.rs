//! `cargo xtask ci`: what has to hold before a change is merged, cheap things first.
//!
//! Knows: the steps and their order.
//! Does not know: what each of them looks at.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::generate;
use crate::licences;
use crate::process;
use crate::rules;
use crate::test;
use crate::tidy;
use crate::web;
use crate::workspace;

/// Everything.
///
/// # Errors
/// The first step that does not hold.
pub(crate) fn run() -> Result<()> {
    step("prepare", test::prepare)?;
    source_checks()?;
    // The server takes the site into itself, so it comes before anything that compiles the server.
    step("web", || web::build().map(drop))?;
    step("pure crates for wasm32", test::pure_crates_for_wasm)?;
    step("clippy", clippy)?;
    step("build", test::build)?;
    step("generated files", || generate::check_with(&workspace::program("debug", "cliffmark-server")))?;
    step("test", test::tests)
}

/// Everything that neither runs a test nor builds a program.
///
/// # Errors
/// The first step that does not hold.
pub(crate) fn lint() -> Result<()> {
    source_checks()?;
    step("clippy", clippy)
}

/// All of the cheap checks, even when one does not hold: they are mended in one go.
fn source_checks() -> Result<()> {
    let outcomes = [
        step("tidy", tidy::check),
        step("format", || process::run(workspace::cargo().args(["fmt", "--all", "--check"]))),
        step("licences", licences::check),
        step("dependency rules", rules::check),
    ];
    let broken: Vec<String> =
        outcomes.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    ensure!(broken.is_empty(), "{}", broken.join("\n"));
    Ok(())
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run(workspace::cargo().args(arguments))
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n== {name}");
    let begin = Instant::now();
    work().with_context(|| format!("{name} does not hold"))?;
    println!("== {name}: {:.1} s", begin.elapsed().as_secs_f64());
    Ok(())
}
