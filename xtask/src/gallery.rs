//! `cargo xtask gallery`: every chart over simulated drives, as PNGs and on one page, for people to look at.
//!
//! Knows: which drives and suites give every chart something to draw. Does not know how a chart is drawn; it calls the
//! runner and an example of the server.

use crate::files;
use crate::process;
use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Drives and suites, the first for the pictures of one result.
const RUNS: [(&str, &str); 23] = [
    ("960-pro-512gb", "review"),
    ("960-pro-512gb?slot=chipset", "review"),
    ("950-pro-512gb?slot=chipset", "review"),
    ("pg4vnz-1tb?cooling=heatsink", "review"),
    ("860-qvo-4tb", "copies"),
    ("860-qvo-4tb?fill=47", "copies"),
    ("860-evo-4tb", "copies"),
    ("860-qvo-4tb", "loading"),
    ("860-evo-4tb", "loading"),
    ("pg4vnz-2tb", "applications"),
    ("pg3vnf-2tb", "applications"),
    ("840-pro-256gb", "matrix"),
    ("840-pro-256gb", "steady"),
    ("960-pro-512gb", "steady"),
    ("860-qvo-4tb", "fill"),
    ("860-qvo-4tb?dynamic-cache=sticks", "fill"),
    ("980-pro-2tb*8", "array"),
    ("pg4vnz-2tb*4", "array"),
    ("860-qvo-4tb", "surface"),
    ("860-evo-4tb?fault=stall", "surface"),
    ("pg4vnz-2tb", "thermal"),
    ("pg3vnf-2tb", "thermal"),
    ("950-pro-512gb?slot=chipset", "mixed"),
];

/// # Errors
/// A drive cannot be simulated, or a chart not drawn.
pub(crate) fn run() -> Result<()> {
    let folder = workspace::target().join("gallery");
    files::remove_folder(&folder)?;
    files::make_folder(&folder.join("bundles"))?;
    process::run(workspace::cargo().args(["build", "--locked", "--package", "cliffmark-runner"]))?;
    let mut bundles: Vec<PathBuf> = Vec::new();
    for (number, (drive, suite)) in (1..).zip(RUNS) {
        let bundle = folder.join(format!("bundles/{number:02}-{suite}.cliffmark"));
        let mut runner = Command::new(workspace::program("debug", "cliffmark"));
        runner
            .args(["run", &format!("sim:{drive}"), "--suite", suite, "--yes", "--out"])
            .arg(&bundle)
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdout(Stdio::null());
        process::run(&mut runner)?;
        bundles.push(bundle);
    }
    let mut draw = workspace::cargo();
    draw.args(["run", "--locked", "--package", "cliffmark-server", "--example", "gallery", "--"])
        .arg(folder.join("pictures"))
        .args(&bundles);
    process::run(&mut draw)?;
    println!("{}", workspace::relative(&folder.join("pictures/index.html")));
    Ok(())
}
