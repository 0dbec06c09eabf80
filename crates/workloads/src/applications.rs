//! The pack `applications`: models of ten recorded applications.
//!
//! Knows: how many operations of each kind were published of each recording and how much they moved; everything else
//! (sizes, order, offsets, queue depth, how think time is spread) is our own choice, so each is a model and is named
//! one. Does not know: the recordings, which were never published.
//!
//! Our choices: 4 KiB blocks within 4 GiB; a sequential operation moves four times as much as a random one on average;
//! the work comes in steps of 8 to 64 operations of one kind, drawn by how many of each are left, each step in bursts of 1, 2, 4 or 8 that are due at once;
//! a burst follows the one before by 50 to 450 µs, and what is left of the time lies between the steps, unevenly.
//!
//! Source: the numbers of operations and the MB are those of Tom's Hardware, "How We Test Storage" (4058-9), of the
//! traces of PCMark 8; the durations, where published, are of the same site's example run.

use crate::{
    operation::{Due, Op, Operation},
    random::{Portions, Seeded},
};
use model::units::NS_PER_S;

/// What was published of one recorded application, and how long its model lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The model's name without `model:`.
    pub name: &'static str,
    /// Reads that follow the one before.
    pub sequential_reads: u64,
    /// Other reads.
    pub random_reads: u64,
    /// Writes that follow the one before.
    pub sequential_writes: u64,
    /// Other writes.
    pub random_writes: u64,
    /// Data read, MB (10^6 bytes).
    pub read_mb: u64,
    /// Data written, MB (10^6 bytes).
    pub written_mb: u64,
    /// From the first operation's deadline to the last one's, milliseconds.
    pub duration_ms: u64,
    /// Whether [`Published::duration_ms`] is a published time; otherwise it is our choice.
    pub is_duration_published: bool,
}

/// Several traces that one score is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    /// Its name.
    pub name: &'static str,
    /// Its version: the same version is the same operations for ever.
    pub version: u32,
    /// What is in it, in the order of playing; [`crate::model`] has the traces by their names.
    pub traces: &'static [Published],
}

impl Pack {
    /// What a score on this pack is called: it follows a published formula, on operations that are ours.
    #[must_use]
    pub fn score_name(&self) -> String {
        format!("by the published formula on pack {} {}", self.name, self.version)
    }
}

/// The ten applications.
pub const APPLICATIONS: Pack = Pack { name: "applications", version: 1, traces: &PUBLISHED };

/// Recorded numbers of the ten applications.
pub const PUBLISHED: [Published; 10] = [
    published("photoshop-light", [1_508, 17_525, 18_342, 1_743], [313, 2_336]).lasting(113_700),
    published("photoshop-heavy", [4_277, 18_655, 44_742, 2_065], [468, 5_640]).lasting(359_900),
    published("illustrator", [1_036, 21_923, 682, 532], [373, 89]).chosen(70_000),
    published("indesign", [2_359, 22_207, 4_874, 927], [401, 624]).chosen(60_000),
    published("after-effects", [1_772, 17_793, 86, 500], [311, 16]).chosen(70_000),
    published("word", [152, 4_302, 748, 205], [107, 95]).chosen(30_000),
    published("excel", [72, 3_148, 119, 87], [73, 15]).chosen(10_000),
    published("powerpoint", [56, 3_441, 147, 107], [83, 21]).chosen(10_000),
    published("world-of-warcraft", [1_415, 14_927, 10, 659], [390, 5]).lasting(58_400),
    published("battlefield-3", [5_782, 43_487, 218, 431], [887, 28]).lasting(133_400),
];

const fn published(name: &'static str, operations: [u64; 4], mb: [u64; 2]) -> Published {
    let [sequential_reads, random_reads, sequential_writes, random_writes] = operations;
    let [read_mb, written_mb] = mb;
    Published {
        name,
        sequential_reads,
        random_reads,
        sequential_writes,
        random_writes,
        read_mb,
        written_mb,
        duration_ms: 0,
        is_duration_published: false,
    }
}

impl Published {
    /// With the published duration.
    const fn lasting(self, duration_ms: u64) -> Self {
        Self { duration_ms, is_duration_published: true, ..self }
    }

    /// With a duration that is our choice.
    const fn chosen(self, duration_ms: u64) -> Self {
        Self { duration_ms, ..self }
    }
}

/// Offsets and sizes are multiples of this, so that drives with blocks of 4 KiB can play the models too.
pub(crate) const BLOCK_BYTES: u32 = 4096;
/// What the models work in, bytes.
pub(crate) const SPAN_BYTES: u64 = 4 << 30;
/// Most operations of a burst.
pub(crate) const MOST_IN_FLIGHT: u32 = 8;
/// Largest operation, bytes.
pub(crate) const LARGEST_BYTES: u32 = 64 * BLOCK_BYTES;

const MB: u64 = 1_000_000;
const NS_PER_MS: u64 = NS_PER_S / 1_000;
const NS_PER_US: u64 = NS_PER_S / 1_000_000;
/// Blocks of a random operation.
const RANDOM: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Blocks of a sequential operation.
const SEQUENTIAL: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// How much more a sequential operation moves on average.
const SEQUENTIAL_WEIGHT: u64 = 4;
/// Random operations begin in this part of the span, so that a run of sequential ones never meets its end.
const RANDOM_BLOCKS: u64 = 3 * (SPAN_BYTES / BLOCK_BYTES as u64) / 4;
/// How many operations a burst has, each as likely as the other.
const BURSTS: [u64; 8] = [1, 1, 1, 1, 2, 2, 4, MOST_IN_FLIGHT as u64];

/// One model, ready to be streamed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Application {
    published: Published,
    version: u32,
    /// Time that lies between steps, nanoseconds.
    think_ns: u64,
    /// What all pauses between steps weigh together.
    weights: u64,
}

impl Application {
    /// Walks through the model once to learn how much of its time its bursts take.
    pub(crate) fn new(published: &Published, version: u32) -> Self {
        let (mut work_ns, mut weights) = (0, 0);
        for (pause, _) in Walk::new(published, version) {
            work_ns += pause.work_ns;
            weights += pause.weight;
        }
        let think_ns = (published.duration_ms * NS_PER_MS).saturating_sub(work_ns);
        Self { published: *published, version, think_ns, weights }
    }

    pub(crate) fn operations(self) -> Timed {
        Timed {
            walk: Walk::new(&self.published, self.version),
            think_ns: self.think_ns,
            weights: self.weights,
            work_ns: 0,
            weight: 0,
        }
    }
}

/// The operations with their deadlines.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    walk: Walk,
    think_ns: u64,
    weights: u64,
    work_ns: u64,
    weight: u64,
}

impl Iterator for Timed {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        let (pause, operation) = self.walk.next()?;
        self.work_ns += pause.work_ns;
        self.weight += pause.weight;
        let thought = u128::from(self.think_ns) * u128::from(self.weight) / u128::from(self.weights.max(1));
        let at = self.work_ns.saturating_add(u64::try_from(thought).unwrap_or(u64::MAX));
        Some(Operation { due: Due::At(at), ..operation })
    }
}

/// What lies before an operation: nothing within a burst.
#[derive(Debug, Clone, Copy, Default)]
struct Pause {
    /// Between two bursts of a step.
    work_ns: u64,
    /// Between two steps: the share of the think time.
    weight: u64,
}

/// Reads or writes.
#[derive(Debug, Clone)]
struct Stream {
    sequential: Portions,
    random: Portions,
    /// The block behind the last operation; `None` before the first.
    end: Option<u64>,
}

impl Stream {
    fn new(sequential: u64, random: u64, mb: u64) -> Self {
        let blocks = mb * MB / u64::from(BLOCK_BYTES);
        let weights = random + SEQUENTIAL_WEIGHT * sequential;
        let random_blocks = blocks * random / weights.max(1);
        Self {
            sequential: Portions::new(&SEQUENTIAL, sequential, blocks - random_blocks),
            random: Portions::new(&RANDOM, random, random_blocks),
            end: None,
        }
    }

    fn left(&self) -> u64 {
        self.sequential.count() + self.random.count()
    }

    /// First block and number of blocks of the next operation.
    fn next(&mut self, draw: &mut Seeded) -> (u64, u64) {
        let follows = draw.below(self.left()) < self.sequential.count();
        let (first, blocks) = match self.end {
            Some(end) if follows => (end, self.sequential.next(draw)),
            end => {
                let first = draw.below(RANDOM_BLOCKS);
                // What happens to follow would count as sequential.
                (if end == Some(first) { first + 1 } else { first }, self.random.next(draw))
            }
        };
        self.end = Some(first + blocks);
        (first, blocks)
    }
}

/// The operations in order, without times.
#[derive(Debug, Clone)]
struct Walk {
    draw: Seeded,
    reads: Stream,
    writes: Stream,
    op: Op,
    /// Operations left of the step and of the burst.
    step: u64,
    burst: u64,
    is_begun: bool,
}

impl Walk {
    fn new(published: &Published, version: u32) -> Self {
        let Published { sequential_reads, random_reads, sequential_writes, random_writes, .. } = *published;
        Self {
            draw: Seeded::of(published.name, version),
            reads: Stream::new(sequential_reads, random_reads, published.read_mb),
            writes: Stream::new(sequential_writes, random_writes, published.written_mb),
            op: Op::Read,
            step: 0,
            burst: 0,
            is_begun: false,
        }
    }

    /// Begins a burst, and a step before it where the last one is done; `None` when nothing is left.
    fn begin(&mut self) -> Option<Pause> {
        let mut pause = Pause::default();
        if self.step == 0 {
            let (reads, writes) = (self.reads.left(), self.writes.left());
            if reads + writes == 0 {
                return None;
            }
            let is_read = self.draw.below(reads + writes) < reads;
            self.op = if is_read { Op::Read } else { Op::Write };
            self.step = self.draw.between(8, 64).min(if is_read { reads } else { writes });
            // The square makes many short pauses and few long ones.
            let length = self.draw.between(1, 100);
            pause.weight = if self.is_begun { length * length } else { 0 };
            self.is_begun = true;
        } else {
            pause.work_ns = self.draw.between(50 * NS_PER_US, 450 * NS_PER_US);
        }
        #[expect(clippy::cast_possible_truncation, reason = "an index of eight")]
        let index = self.draw.below(BURSTS.len() as u64) as usize;
        self.burst = BURSTS[index].min(self.step);
        Some(pause)
    }
}

impl Iterator for Walk {
    type Item = (Pause, Operation);

    fn next(&mut self) -> Option<Self::Item> {
        let pause = if self.burst == 0 { self.begin()? } else { Pause::default() };
        self.burst -= 1;
        self.step -= 1;
        let stream = if self.op == Op::Read { &mut self.reads } else { &mut self.writes };
        let (first, blocks) = stream.next(&mut self.draw);
        #[expect(clippy::cast_possible_truncation, reason = "at most 64 blocks")]
        let bytes = blocks as u32 * BLOCK_BYTES;
        let offset = first * u64::from(BLOCK_BYTES);
        Some((pause, Operation { due: Due::Now, op: self.op, offset, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Totals, Trace, model};

    fn all() -> impl Iterator<Item = (Published, Trace)> {
        PUBLISHED.into_iter().map(|published| (published, model(published.name).unwrap()))
    }

    #[test]
    fn counts_and_volumes_are_the_published_ones() {
        for (published, trace) in all() {
            let totals = Totals::of(trace.operations());
            assert_eq!(
                [
                    totals.sequential_reads,
                    totals.random_reads,
                    totals.sequential_writes,
                    totals.random_writes,
                    totals.flushes,
                ],
                [
                    published.sequential_reads,
                    published.random_reads,
                    published.sequential_writes,
                    published.random_writes,
                    0,
                ],
                "{}",
                trace.name
            );
            for (bytes, mb) in
                [(totals.read_bytes, published.read_mb), (totals.written_bytes, published.written_mb)]
            {
                assert!((mb * MB).abs_diff(bytes) < u64::from(BLOCK_BYTES), "{}: {bytes}", trace.name);
            }
            assert_eq!(trace.totals, totals);
        }
    }

    #[test]
    fn the_sums_are_those_of_the_table() {
        assert_eq!(PUBLISHED.iter().map(|published| published.read_mb).sum::<u64>(), 3_406);
        assert_eq!(PUBLISHED.iter().map(|published| published.written_mb).sum::<u64>(), 8_869);
        assert_eq!(PUBLISHED.iter().filter(|published| published.is_duration_published).count(), 4);
    }

    #[test]
    fn deadlines_rise_to_the_duration_and_everything_lies_in_the_span() {
        for (published, trace) in all() {
            let (mut last, mut at_once, mut most_at_once) = (0, 0, 0);
            for (index, operation) in trace.operations().enumerate() {
                let Due::At(at) = operation.due else { panic!("{operation:?}") };
                assert!(at >= last, "{}: {at} after {last}", trace.name);
                assert!(index > 0 || at == 0);
                at_once = if at == last { at_once + 1 } else { 1 };
                most_at_once = most_at_once.max(at_once);
                last = at;
                assert!(operation.end() <= trace.span_bytes, "{}: {operation:?}", trace.name);
                assert!((1..=trace.largest_bytes).contains(&operation.bytes));
                assert_eq!(operation.offset % u64::from(BLOCK_BYTES), 0);
                assert_eq!(operation.bytes % BLOCK_BYTES, 0);
            }
            assert_eq!(last, published.duration_ms * NS_PER_MS, "{}", trace.name);
            assert_eq!(trace.duration_ns, last);
            assert!(most_at_once <= MOST_IN_FLIGHT, "{}: {most_at_once}", trace.name);
        }
    }

    #[test]
    fn most_of_the_time_is_thought() {
        for (published, _) in all() {
            let application = Application::new(&published, 1);
            assert!(application.think_ns > published.duration_ms * NS_PER_MS / 2, "{}", published.name);
        }
    }
}
