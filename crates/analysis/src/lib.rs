//! Turns recorded loops and series into summaries, comparisons and verdicts.
//!
//! Pure: values in, values out. Knows nothing of files, clocks, databases or how a figure is drawn.
#![warn(missing_docs)]

pub mod bursts;
pub mod catalogue;
pub mod comparison;
pub mod copied;
pub mod drive_name;
pub mod fill;
pub mod findings;
pub mod host_limit;
pub mod joined;
pub mod matrix;
pub mod passes;
pub mod plausibility;
pub mod played;
pub mod proof;
pub mod ranking;
pub mod requests;
pub mod series;
pub mod settling;
pub mod standstill;
pub mod states;
pub mod stats;
pub mod stories;
pub mod summary;
pub mod surface;
pub mod telemetry;
