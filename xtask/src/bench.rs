//! `cargo xtask bench`: figures that are printed, never gates of a test.
//!
//! Knows: which benchmarks there are.
//! Does not know: how they measure.

mod cell;
mod goals;
mod huge_pages;
mod io;
mod machine;
mod place;
mod statistics;
mod tools;
mod web;

use anyhow::Result;

use crate::arguments::Arguments;
use crate::process::Exit;

/// `bench io|web`.
///
/// # Errors
/// The benchmark is unknown or cannot be made.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    match arguments.word().as_deref() {
        Some("io") => io::run(arguments),
        Some("web") => arguments.finish().and_then(|()| web::run()),
        _ => Err(Exit::usage("`cargo xtask bench` needs one of: io, web")),
    }
}
