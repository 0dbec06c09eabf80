//! Traces, copies and long tests as streams of operations, and the figures they are told in.
//!
//! Pure: no clock, no I/O; the same name gives the same operations every time. Knows what is to be read and written,
//! when, and how busy time and access times are counted; does not know drives, files, rings or documents.
#![warn(missing_docs)]

mod applications;
mod consistency;
mod game_load;
mod manifest;
mod meter;
mod operation;
mod random;
mod recorded;
mod trace;

pub use applications::{APPLICATIONS, PUBLISHED, Pack, Published};
pub use consistency::{
    Action, Consistency, Content, Phase, RandomWrites, RandomWritesError, Step, WriteSizes,
};
pub use game_load::GAME_LOAD;
pub use manifest::{Entry, MAX_FILES, Manifest, ManifestError};
pub use meter::{Measured, Meter, Score, Side, Started};
pub use operation::{Due, Op, Operation, Totals, UNIT_BYTES};
pub use recorded::{MAX_DEVICES, MAX_OPERATIONS, Notes, Recorded, TextError, read};
pub use trace::{MAX_IO_BYTES, Operations, Play, PlayError, Played, Skip, Trace, model};
