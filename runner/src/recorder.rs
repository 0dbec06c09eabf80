//! Turns completions into a histogram, throughput bins and live figures, without allocating.
//!
//! One recorder per worker and loop; they are merged after the loop. Knows neither rings nor files.

use model::{
    Histogram,
    document::{BIN_NS, Transfer},
    units::{NS_PER_S, Nanos},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Loops up to this long have bins of [`BIN_NS`], longer ones of a second.
const FINE_BINS_NS: u64 = 600 * NS_PER_S;

/// Figures of the loop that is running, for a terminal view; up to 100 ms late.
#[derive(Debug, Clone, Default)]
pub struct Live(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    ios: AtomicU64,
    bytes: AtomicU64,
}

impl Live {
    /// I/Os completed so far in this loop.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.0.ios.load(Ordering::Relaxed)
    }

    /// Bytes completed so far in this loop.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Counts completed I/Os.
    pub(crate) fn add(&self, ios: u64, bytes: u64) {
        self.0.ios.fetch_add(ios, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Starts the next loop at 0.
    pub(crate) fn reset(&self) {
        self.0.ios.store(0, Ordering::Relaxed);
        self.0.bytes.store(0, Ordering::Relaxed);
    }
}

/// Width of the bins of a loop of this length, nanoseconds.
#[must_use]
pub(crate) fn bin_width(loop_ns: u64) -> u64 {
    if loop_ns <= FINE_BINS_NS { BIN_NS } else { NS_PER_S }
}

/// Number of the bins of a loop of this length.
#[must_use]
pub(crate) fn bin_count(loop_ns: u64) -> u64 {
    loop_ns.div_ceil(bin_width(loop_ns))
}

/// What one worker saw in one loop.
pub(crate) struct Recorder<'a> {
    live: &'a Live,
    block_bytes: u64,
    latency: Histogram,
    bin_ns: u64,
    bins: Vec<u64>,
    /// The bin being filled: its index, its I/Os so far, and when it ends, in time since the loop's start.
    bin: usize,
    bin_ios: u64,
    bin_end_ns: u64,
}

impl<'a> Recorder<'a> {
    /// A recorder for a loop of at most `loop_ns` in bins of `bin_ns`, with all the memory that it will need.
    pub(crate) fn new(live: &'a Live, block_bytes: u32, loop_ns: u64, bin_ns: u64) -> Self {
        let bins = usize::try_from(loop_ns.div_ceil(bin_ns)).expect("a loop has at most 864,000 bins");
        Self {
            live,
            block_bytes: u64::from(block_bytes),
            latency: Histogram::default(),
            bin_ns,
            bins: vec![0; bins],
            bin: 0,
            bin_ios: 0,
            bin_end_ns: bin_ns,
        }
    }

    /// Counts one completed I/O.
    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64) {
        self.latency.record(Nanos(latency_ns));
    }

    /// Puts a batch of `ios` completed I/Os, already recorded one by one, into the bin of `now_ns` since
    /// the loop's start, which lies before the loop's end.
    #[inline]
    pub(crate) fn end_batch(&mut self, now_ns: u64, ios: u64) {
        if now_ns >= self.bin_end_ns {
            self.next_bin(now_ns);
        }
        self.bin_ios += ios;
    }

    #[cold]
    fn next_bin(&mut self, now_ns: u64) {
        self.close_bin();
        let bin = now_ns / self.bin_ns;
        self.bin_end_ns = (bin + 1) * self.bin_ns;
        self.bin = usize::try_from(bin).map_or(self.bins.len() - 1, |bin| bin.min(self.bins.len() - 1));
    }

    fn close_bin(&mut self) {
        let bytes = self.bin_ios * self.block_bytes;
        self.bins[self.bin] += bytes;
        self.live.0.ios.fetch_add(self.bin_ios, Ordering::Relaxed);
        self.live.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bin_ios = 0;
    }

    /// What was recorded.
    pub(crate) fn finish(mut self) -> Transfer {
        self.close_bin();
        let ios = self.latency.count();
        Transfer {
            ios,
            bytes: ios * self.block_bytes,
            latency: self.latency,
            bin_ns: self.bin_ns,
            bins: self.bins,
        }
    }
}

/// The transfers of all workers of a loop that lasted `elapsed_ns` as one; `None` when there are none.
#[must_use]
pub(crate) fn merge(transfers: impl IntoIterator<Item = Transfer>, elapsed_ns: u64) -> Option<Transfer> {
    let mut merged = transfers.into_iter().reduce(|mut sum, one| {
        sum.ios += one.ios;
        sum.bytes += one.bytes;
        sum.latency.merge(&one.latency);
        sum.bins.iter_mut().zip(&one.bins).for_each(|(mine, theirs)| *mine += theirs);
        sum
    })?;
    // A loop that ended before its time has no bins for the time it did not run. The completion that ended it may lie
    // on the edge of the next one.
    let used = merged.bins.iter().rposition(|bytes| *bytes > 0).map_or(0, |last| last + 1);
    let time = usize::try_from(elapsed_ns.div_ceil(merged.bin_ns)).unwrap_or(usize::MAX);
    merged.bins.truncate(time.max(used));
    // One that could have taken longer has finer bins than it needs.
    let factor = bin_width(elapsed_ns) / merged.bin_ns;
    if factor > 1 {
        let whole = usize::try_from(factor).expect("there are ten bins of a tenth in a second");
        merged.bins = merged.bins.chunks(whole).map(|some| some.iter().sum()).collect();
        merged.bin_ns *= factor;
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_fall_into_the_bin_of_their_time() {
        let live = Live::default();
        let mut recorder = Recorder::new(&live, 4096, NS_PER_S, BIN_NS);
        for (now_ns, ios) in [(0, 2), (BIN_NS - 1, 1), (BIN_NS, 4), (7 * BIN_NS + 5, 1)] {
            (0..ios).for_each(|_| recorder.record(1_000));
            recorder.end_batch(now_ns, ios);
        }
        let transfer = recorder.finish();
        assert_eq!((transfer.ios, transfer.bytes), (8, 8 * 4096));
        assert_eq!(transfer.bins, [3, 4, 0, 0, 0, 0, 0, 1, 0, 0].map(|ios| ios * 4096));
        assert_eq!((live.ios(), live.bytes()), (8, 8 * 4096));
    }

    #[test]
    fn workers_add_up_and_unused_bins_go() {
        let live = Live::default();
        let one = |latency_ns, now_ns| {
            let mut recorder = Recorder::new(&live, 512, NS_PER_S, BIN_NS);
            recorder.record(latency_ns);
            recorder.end_batch(now_ns, 1);
            recorder.finish()
        };
        let merged = merge([one(10, 0), one(30, BIN_NS)], 2 * BIN_NS).unwrap();
        assert_eq!(merged.bins, [512, 512]);
        assert_eq!(merged.latency.count(), 2);
        assert_eq!(merged.latency.max(), Some(Nanos(30)));
        assert_eq!(merge([], 1), None);
        let edge = merge([one(10, BIN_NS)], BIN_NS).unwrap();
        assert_eq!(edge.bins, [0, 512], "what ended the loop is in a bin");
    }

    #[test]
    fn long_loops_have_bins_of_a_second() {
        assert_eq!(bin_width(FINE_BINS_NS), BIN_NS);
        assert_eq!(bin_width(FINE_BINS_NS + 1), NS_PER_S);
        let live = Live::default();
        let day = 86_400 * NS_PER_S;
        assert_eq!(Recorder::new(&live, 512, day, bin_width(day)).bins.len(), 86_400);
    }

    #[test]
    fn bins_are_as_wide_as_the_time_that_a_loop_took() {
        let live = Live::default();
        let moved = |elapsed_ns| {
            let mut recorder = Recorder::new(&live, 512, 86_400 * NS_PER_S, BIN_NS);
            for now_ns in (0..elapsed_ns).step_by(250_000_000) {
                recorder.record(1);
                recorder.end_batch(now_ns, 1);
            }
            let merged = merge([recorder.finish()], elapsed_ns).unwrap();
            assert_eq!(merged.bins.iter().sum::<u64>(), merged.bytes);
            (merged.bin_ns, merged.bins.len(), merged.bins[1])
        };
        assert_eq!(moved(FINE_BINS_NS), (BIN_NS, 6_000, 0));
        assert_eq!(moved(FINE_BINS_NS + 1), (NS_PER_S, 601, 4 * 512));
    }
}
