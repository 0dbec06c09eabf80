//! Decompression of foreign bytes within limits: one zstd frame, nothing after it, bounded in size,
//! ratio and memory.

use crate::{MAX_COMPRESSED_BYTES, MAX_OPEN_BYTES, MAX_RATIO};
use model::units::format_size;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Why bytes are no bundle's compressed frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// More compressed bytes than allowed.
    #[error("the bundle has {}, at most {} are accepted", format_size(*.0 as u64), format_size(MAX_COMPRESSED_BYTES as u64))]
    TooLarge(usize),
    /// More bytes inside than allowed.
    #[error("the bundle opens to more than {}", format_size(MAX_OPEN_BYTES as u64))]
    OpensTooLarge,
    /// More bytes inside than its compressed size makes plausible.
    #[error("the bundle opens to more than {MAX_RATIO} times its size")]
    Ratio,
    /// Bytes that do not begin as a bundle does.
    #[error("these bytes are no bundle: a bundle begins with a zstd frame")]
    Foreign,
    /// A broken zstd frame, with what is wrong in plain words.
    #[error("the bundle is damaged: {0}")]
    Damaged(String),
    /// The frame ends before its end mark.
    #[error("the bundle is cut off: its zstd frame is not complete")]
    Truncated,
    /// Bytes after the frame.
    #[error("the bundle has {} after its zstd frame", format_size(*.0 as u64))]
    Trailing(usize),
}

/// How a zstd frame begins. Source: RFC 8878, section 3.1.1.
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// Decompresses one frame.
///
/// # Errors
/// When the bytes are too many, no frame, damaged, cut off, followed by others, or open to too much.
pub(crate) fn decompress(compressed: &[u8]) -> Result<Vec<u8>, FrameError> {
    if compressed.len() > MAX_COMPRESSED_BYTES {
        return Err(FrameError::TooLarge(compressed.len()));
    }
    if !MAGIC.iter().zip(compressed).all(|(wanted, found)| wanted == found) {
        return Err(FrameError::Foreign);
    }
    let mut rest = compressed;
    let mut decoder = FrameDecoder::new();
    decoder.reset(&mut rest).map_err(|error| damaged_or_cut(&error))?;
    let limit = MAX_OPEN_BYTES.min(compressed.len().saturating_mul(MAX_RATIO));
    // A declared size is only held against the absolute limit: of a bundle that was cut off, the ratio of
    // the declared size to what is left says nothing.
    if decoder.content_size() > MAX_OPEN_BYTES as u64 {
        return Err(FrameError::OpensTooLarge);
    }
    let mut open = Vec::new();
    while !decoder.is_finished() {
        // A block holds at most 128 KiB, so the limit is passed by no more than one step.
        decoder
            .decode_blocks(&mut rest, BlockDecodingStrategy::UptoBytes(1 << 20))
            .map_err(|error| damaged_or_cut(&error))?;
        if let Some(step) = decoder.collect() {
            open.extend_from_slice(&step);
        }
        if open.len() > limit {
            return Err(over_limit(open.len() as u64));
        }
    }
    if let Some(step) = decoder.collect() {
        open.extend_from_slice(&step);
    }
    if open.len() > limit {
        return Err(over_limit(open.len() as u64));
    }
    if let Some(expected) = decoder.get_checksum_from_data()
        && Some(expected) != decoder.get_calculated_checksum()
    {
        return Err(FrameError::Damaged("its checksum does not match".to_owned()));
    }
    if rest.is_empty() { Ok(open) } else { Err(FrameError::Trailing(rest.len())) }
}

fn over_limit(bytes: u64) -> FrameError {
    if bytes > MAX_OPEN_BYTES as u64 { FrameError::OpensTooLarge } else { FrameError::Ratio }
}

fn damaged_or_cut(error: &(dyn std::error::Error + 'static)) -> FrameError {
    let mut cause = Some(error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::UnexpectedEof
        {
            return FrameError::Truncated;
        }
        cause = inner.source();
    }
    FrameError::Damaged("its compressed content cannot be read".to_owned())
}
