//! Whether the next I/O of a mix reads or writes.
//!
//! Each is drawn on its own by the share of reads, so there is no order that a drive could follow. Knows no offsets.

use super::offsets::{Xoshiro, mix};

/// The draws of one worker.
pub(super) struct Draw {
    rng: Xoshiro,
    read_percent: u64,
}

impl Draw {
    /// Draws of which so many in a hundred read; the whole sequence follows from `seed`.
    pub(super) fn new(seed: u64, read_percent: u8) -> Self {
        // The worker's offsets are made from the same seed: directions must not follow from them.
        Self { rng: Xoshiro::new(mix(!seed)), read_percent: read_percent.into() }
    }

    /// Whether the next I/O writes.
    #[inline]
    pub(super) fn writes(&mut self) -> bool {
        self.rng.below(100) >= self.read_percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_the_one_that_was_asked_for() {
        for percent in [1, 50, 99] {
            let mut draw = Draw::new(7, percent);
            let reads = (0..100_000).filter(|_| !draw.writes()).count();
            // Eight standard deviations of the widest.
            assert!(reads.abs_diff(1_000 * usize::from(percent)) < 1_300, "{percent} %: {reads}");
        }
    }
}
