//! Drives in virtual time, fitted to published figures: the same load gives the same answer every time.
//!
//! Pure: no clock, no randomness, no I/O. Knows how a drive behaves under load (fast writing and what follows it,
//! folding, heat, power); does not know suites, documents or what a figure means. Nothing it says is a measurement.
#![warn(missing_docs)]

mod apart;
mod drive;
mod fitted;
mod name;
mod parameters;

pub use drive::{Drive, Fault, Load, Moved, Op, Pace, Tick};
pub use fitted::{NAMES, fitted};
pub use name::{NameError, parse};
pub use parameters::{
    Apart, Behind, Cache, Cooling, Deep, DynamicCache, Erased, Heat, Limit, Map, Mixed, Parameters, Power,
    Sleep, Slot, Soak, Speed,
};

/// Length of a step, nanoseconds.
pub const TICK_NS: u64 = model::units::NS_PER_S / 10;
