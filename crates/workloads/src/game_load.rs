//! `model:game-load`: how a game loads, read by read.
//!
//! Knows: that loading reads much in pieces of some tens of KiB from all over its files, few at a time, and that what
//! is read next depends on what was read before. Does not know: any game; every number in it is our own choice.

use crate::{
    operation::{Due, Op, Operation},
    random::Seeded,
};

/// The model's name without `model:`.
pub const GAME_LOAD: &str = "game-load";
/// Its version.
pub(crate) const VERSION: u32 = 1;
/// What it reads from, bytes.
pub(crate) const SPAN_BYTES: u64 = 16 << 30;
/// Offsets and sizes are multiples of this.
pub(crate) const BLOCK_BYTES: u32 = 4096;
/// Most reads at a time.
pub(crate) const MOST_IN_FLIGHT: u32 = 3;
/// Largest read, bytes.
pub(crate) const LARGEST_BYTES: u32 = 128 << 10;
/// Smallest read, bytes.
const LEAST_BYTES: u32 = 16 << 10;
/// Reads in all: with a mean of 72 KiB about 1.5 GB.
const READS: u32 = 20_000;
/// One read in so many goes on where the one before ended.
const FOLLOWS_ONE_IN: u64 = 10;
/// What is done with the data before the next reads are known, nanoseconds.
const THINK_NS: (u64, u64) = (100_000, 1_100_000);

/// Reads in groups of one to three, each group after the one before is complete and thought about.
#[derive(Debug, Clone)]
pub(crate) struct GameLoad {
    draw: Seeded,
    left: u32,
    group: u64,
    end: u64,
}

impl GameLoad {
    pub(crate) fn new() -> Self {
        Self { draw: Seeded::of(GAME_LOAD, VERSION), left: READS, group: 0, end: 0 }
    }
}

impl Iterator for GameLoad {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        self.left = self.left.checked_sub(1)?;
        let due = if self.group == 0 {
            self.group = self.draw.between(1, u64::from(MOST_IN_FLIGHT));
            Due::After(self.draw.between(THINK_NS.0, THINK_NS.1))
        } else {
            Due::Now
        };
        self.group -= 1;
        let block = u64::from(BLOCK_BYTES);
        let bytes =
            block * self.draw.between(u64::from(LEAST_BYTES) / block, u64::from(LARGEST_BYTES) / block);
        let last = SPAN_BYTES - bytes;
        let offset = if self.draw.below(FOLLOWS_ONE_IN) == 0 && (1..=last).contains(&self.end) {
            self.end
        } else {
            block * self.draw.between(0, last / block)
        };
        self.end = offset + bytes;
        #[expect(clippy::cast_possible_truncation, reason = "at most 128 KiB")]
        let bytes = bytes as u32;
        Some(Operation { due, op: Op::Read, offset, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Totals, model};

    #[test]
    fn it_reads_only_mostly_at_random_and_waits_for_what_it_read() {
        let trace = model("model:game-load").unwrap();
        let mut in_group = 0;
        for operation in trace.operations() {
            match operation.due {
                Due::After(think) => {
                    assert!((THINK_NS.0..=THINK_NS.1).contains(&think));
                    in_group = 1;
                }
                Due::Now => in_group += 1,
                Due::At(_) => panic!("{operation:?}"),
            }
            assert!((1..=MOST_IN_FLIGHT).contains(&in_group));
            assert!((LEAST_BYTES..=LARGEST_BYTES).contains(&operation.bytes));
            assert!(operation.bytes.is_multiple_of(BLOCK_BYTES) && operation.end() <= SPAN_BYTES);
        }
        let totals = Totals::of(trace.operations());
        assert_eq!((totals.reads(), totals.writes(), totals.flushes), (u64::from(READS), 0, 0));
        assert!((1_700..2_300).contains(&totals.sequential_reads), "{totals:?}");
        assert!((1_450_000_000..1_500_000_000).contains(&totals.read_bytes), "{totals:?}");
    }
}
