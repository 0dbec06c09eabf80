//! Turns files that other tools wrote into series that can be analysed.
//!
//! Pure: text in, values out. Knows how figures are written down; does not know what they mean (that is
//! `analysis`).
#![warn(missing_docs)]

pub mod header;
pub mod table;
