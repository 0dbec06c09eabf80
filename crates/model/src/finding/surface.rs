//! Speed by place: where a drive is clearly slower than around it.

use serde::{Deserialize, Serialize};

/// A numbered point of a surface: places in a row that are clearly slower than those around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SlowPlace {
    /// Its number, from 1.
    pub ordinal: u32,
    /// Where the first of them begins, bytes from the beginning of the span.
    pub from: u64,
    /// Where the last of them ends, bytes from the beginning of the span.
    pub until: u64,
    /// Places that were measured in it, at least 1.
    pub places: u32,
    /// Their median speed, bytes per second.
    pub bytes_per_s: u64,
    /// Median speed of the nearest places that are not slow, bytes per second.
    pub around_bytes_per_s: u64,
    /// Whether it reaches to the last place that was measured.
    pub to_the_end: bool,
}

impl SlowPlace {
    /// What it lacks of the speed around it, as a share; 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    pub fn below(&self) -> f64 {
        1.0 - self.bytes_per_s as f64 / self.around_bytes_per_s.max(1) as f64
    }
}

/// Times of single random reads over the whole span, which are kept without their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AccessTimes {
    /// Reads that were timed.
    pub ios: u64,
    /// Half of them took at most so long, nanoseconds.
    pub median_ns: u64,
    /// 99 % of them took at most so long, nanoseconds.
    pub p99_ns: u64,
    /// The longest, nanoseconds.
    pub longest_ns: u64,
}

/// Speed at places from the beginning to the end of a span, in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// Place of its cell in the document, from 0.
    pub cell: usize,
    /// Places that were measured.
    pub places: u32,
    /// Where the last of them ends, bytes from the beginning of the span.
    pub span_bytes: u64,
    /// Bytes of a logical block where the span is a whole device, so that places have block addresses; `None` elsewhere.
    pub logical_block_bytes: Option<u32>,
    /// Median speed of all places, bytes per second.
    pub median_bytes_per_s: u64,
    /// Speed of the slowest place, bytes per second.
    pub slowest_bytes_per_s: u64,
    /// Median speed of the first tenth of the places, bytes per second.
    pub first_bytes_per_s: u64,
    /// Median speed of the last tenth of the places, bytes per second.
    pub last_bytes_per_s: u64,
    /// Times of single reads over the same span; `None` when they were not measured, and with writes.
    pub access: Option<AccessTimes>,
    /// The slow places; none where speed is even, or changes evenly.
    pub points: Vec<SlowPlace>,
}
