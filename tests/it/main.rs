//! Whole stories with the real programs: a drive is measured, signed, published, compared and looked at.
//!
//! The programs and the browser come from the environment that `cargo xtask test` sets:
//! `CLIFFMARK_BIN`, `CLIFFMARK_SERVER_BIN`, `CHROMEDRIVER`. Without them a test fails and says so: a story
//! that was not told is not a success.
#![expect(clippy::print_stderr, reason = "a failing story shows what the programs said")]

mod browser;
mod fixture;
mod open;
mod pages;
mod programs;
mod publishing;
