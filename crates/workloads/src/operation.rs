//! One operation of a workload, and what many of them add up to.
//!
//! Knows: kinds, places, sizes and times. Does not know: where operations come from or who carries them out.

/// Every offset and every size is a multiple of this, bytes.
pub const UNIT_BYTES: u32 = 512;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It makes what was written durable; without place and size.
    Flush,
}

/// When an operation is to be submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Due {
    /// So many nanoseconds after the trace's start, whatever became of the operations before. One that is late does
    /// not shift those behind it.
    At(u64),
    /// So many nanoseconds after every operation before it is complete: it depends on them.
    After(u64),
    /// As soon as there is room in the queue.
    Now,
}

/// One operation on a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    /// When it is due.
    pub due: Due,
    /// What it does.
    pub op: Op,
    /// Where in the span it begins, bytes, a multiple of [`UNIT_BYTES`]; 0 for a flush.
    pub offset: u64,
    /// Its size, bytes, a multiple of [`UNIT_BYTES`] above 0; 0 for a flush.
    pub bytes: u32,
}

impl Operation {
    /// The byte behind its last; saturates.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.bytes))
    }
}

/// What operations add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Reads that begin where the read before ended.
    pub sequential_reads: u64,
    /// All other reads.
    pub random_reads: u64,
    /// Writes that begin where the write before ended.
    pub sequential_writes: u64,
    /// All other writes.
    pub random_writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

impl Totals {
    /// Adds up operations in their order.
    #[must_use]
    pub fn of(operations: impl IntoIterator<Item = Operation>) -> Self {
        let mut totals = Self::default();
        let (mut read_end, mut write_end) = (None, None);
        for operation in operations {
            let (end, sequential, random, bytes) = match operation.op {
                Op::Read => (
                    &mut read_end,
                    &mut totals.sequential_reads,
                    &mut totals.random_reads,
                    &mut totals.read_bytes,
                ),
                Op::Write => (
                    &mut write_end,
                    &mut totals.sequential_writes,
                    &mut totals.random_writes,
                    &mut totals.written_bytes,
                ),
                Op::Flush => {
                    totals.flushes += 1;
                    continue;
                }
            };
            *if *end == Some(operation.offset) { sequential } else { random } += 1;
            *bytes = bytes.saturating_add(u64::from(operation.bytes));
            *end = Some(operation.end());
        }
        totals
    }

    /// Reads, writes and flushes together.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.reads() + self.writes() + self.flushes
    }

    /// Reads.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.sequential_reads + self.random_reads
    }

    /// Writes.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.sequential_writes + self.random_writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_told_by_kind() {
        let operation = |op, offset, bytes| Operation { due: Due::Now, op, offset, bytes };
        let totals = Totals::of([
            operation(Op::Read, 0, 4096),
            operation(Op::Write, 4096, 512),
            operation(Op::Flush, 0, 0),
            operation(Op::Read, 4096, 512),
            operation(Op::Write, 0, 512),
        ]);
        let expected = Totals {
            sequential_reads: 1,
            random_reads: 1,
            random_writes: 2,
            flushes: 1,
            read_bytes: 4608,
            written_bytes: 1024,
            ..Totals::default()
        };
        assert_eq!(totals, expected);
        assert_eq!((totals.operations(), totals.reads(), totals.writes()), (5, 2, 2));
    }
}
