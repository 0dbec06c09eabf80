//! Measures a drive safely and reports what it saw.
#![warn(missing_docs)]

mod analyse;
pub mod bundle_file;
pub mod cell_command;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod counters;
pub mod devices;
pub mod drive;
pub mod engine;
pub mod export;
pub mod hint;
pub mod host;
pub mod host_command;
mod inhibit;
pub mod journal;
pub mod keys;
pub mod leftovers;
pub mod measure;
pub mod mounts;
mod passes;
mod path_bytes;
pub mod plan;
pub mod progress;
pub mod rails;
pub mod recorder;
mod records;
pub mod report;
pub mod resume;
pub mod run;
pub mod signals;
mod simulate;
mod span;
pub mod state;
pub mod statements;
pub mod stop;
pub mod suite;
pub mod sysfs;
pub mod target;
pub mod telemetry;
mod trim;
pub mod upload;
pub mod verify;
mod wrap;

#[cfg(test)]
mod fake_sys;
