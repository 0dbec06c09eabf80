//! Seals a result into signed bytes and opens bytes into a verified result; the same for statements about results.
//!
//! Bytes in, bytes out: no files, no network, no keys kept. Opening compiles for wasm32; sealing needs
//! the feature `seal`.
#![warn(missing_docs)]

pub mod dsse;
mod frame;
mod open;
#[cfg(feature = "seal")]
mod seal;
mod statement;

pub use frame::FrameError;
pub use open::{OpenError, Verified, key_id, open};
#[cfg(feature = "seal")]
pub use seal::{SealError, public_key, seal, seal_payload};
#[cfg(feature = "seal")]
pub use statement::seal_statement;
pub use statement::{
    ENVELOPE_MEDIA_TYPE, MAX_STATEMENT_BYTES, StatementError, VerifiedStatement, open_statement,
};

/// Largest bundle in compressed bytes.
pub const MAX_COMPRESSED_BYTES: usize = 8 << 20;
/// Largest envelope in bytes once opened.
pub const MAX_OPEN_BYTES: usize = 64 << 20;
/// Largest ratio of opened to compressed bytes.
pub const MAX_RATIO: usize = 200;
/// File extension of a bundle.
pub const EXTENSION: &str = "cliffmark";
/// Media type of a bundle on the wire.
pub const MEDIA_TYPE: &str = "application/vnd.cliffmark.bundle+zstd";

#[cfg(all(test, feature = "seal"))]
mod tests;
