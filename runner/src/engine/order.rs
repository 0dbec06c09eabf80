//! What a worker is asked for and what it comes back with.
//!
//! The workers of a session share one order per loop; the first to arrive sets the common start.

use super::{offsets::Offsets, ring::Direction};
use crate::{
    clock::monotonic_ns,
    recorder::{Live, Recorder, bin_width},
    stop::StopFlag,
};
use model::{
    document::{BIN_NS, CellError, CellErrorKind, LoopEnded, Streams},
    units::NS_PER_S,
};
use std::{
    ops::Range,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Without a completion for this long, a drive counts as stalled. Shingled and dying drives pause for tens of
/// seconds and go on.
pub(crate) const STALL_NS: u64 = 120 * NS_PER_S;

/// One loop, as all workers of a session share it.
pub(super) struct Order {
    /// Length of the loop, nanoseconds; of one that goes through a stretch the most it may take.
    pub(super) loop_ns: u64,
    /// The bytes of the span, whole blocks, that the loop goes through once; `None` when it ends by time.
    pub(super) stretch: Option<Range<u64>>,
    pub(super) live: Live,
    pub(super) stop: StopFlag,
    /// Where all workers wait for each other before the first I/O.
    pub(super) gate: Barrier,
    /// Monotonic time of the first worker's first submission; 0 before.
    start_ns: AtomicU64,
    /// Raised by the first worker with an error: the others need not go on.
    halt: AtomicBool,
    /// Raised by who looks on, when a stretch has nothing more to show.
    settled: AtomicBool,
}

impl Order {
    /// A loop for `workers` workers and the caller, who waits at the gate with them.
    pub(super) fn new(
        loop_ns: u64,
        stretch: Option<Range<u64>>,
        workers: usize,
        live: &Live,
        stop: &StopFlag,
    ) -> Self {
        Self {
            loop_ns,
            stretch,
            live: live.clone(),
            stop: stop.clone(),
            gate: Barrier::new(workers + 1),
            start_ns: AtomicU64::new(0),
            halt: AtomicBool::new(false),
            settled: AtomicBool::new(false),
        }
    }

    /// Width of the bins that the loop is recorded in, nanoseconds. How long a stretch takes is not known before, and
    /// a fast drive is through in seconds.
    pub(super) fn bin_ns(&self) -> u64 {
        if self.stretch.is_some() { BIN_NS } else { bin_width(self.loop_ns) }
    }

    /// The common start: the first to ask sets it.
    pub(super) fn start(&self) -> u64 {
        let now = monotonic_ns();
        match self.start_ns.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => now,
            Err(start) => start,
        }
    }

    /// When the loop started, monotonic nanoseconds; `None` while no worker has.
    pub(super) fn started(&self) -> Option<u64> {
        Some(self.start_ns.load(Ordering::Relaxed)).filter(|start| *start > 0)
    }

    /// Tells the workers that the stretch has nothing more to show.
    pub(super) fn settle(&self) {
        self.settled.store(true, Ordering::Relaxed);
    }

    /// Whether to submit no more and to wait for what is in flight, which counts.
    #[inline]
    pub(super) fn settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }

    /// Tells the other workers that one of them has met an error.
    pub(super) fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Whether to submit no more: the user wants to stop, or another worker has met an error.
    #[inline]
    pub(super) fn stopped(&self) -> bool {
        self.stop.requested() || self.halt.load(Ordering::Relaxed)
    }
}

/// What one worker did in one loop.
pub(super) struct WorkerEnd {
    pub(super) streams: Streams,
    /// The common start, monotonic nanoseconds.
    pub(super) start_ns: u64,
    /// Until when its completions count: the deadline, or when it stopped before; of a stretch that came to its end
    /// the last completion.
    pub(super) end_ns: u64,
    pub(super) ended: LoopEnded,
    /// When the last I/O in flight was back.
    pub(super) drained_ns: u64,
    pub(super) drained_ios: u64,
    /// Readings of the clock before the one they followed.
    pub(super) clock_anomalies: u64,
    pub(super) error: Option<CellError>,
    pub(super) stopped: bool,
}

/// What a worker recorded, by direction: `all` of its I/Os, or its reads, with its `writes` apart.
pub(super) fn streams(direction: Direction, all: Recorder<'_>, writes: Option<Recorder<'_>>) -> Streams {
    let (all, writes) = (Some(all.finish()), writes.map(Recorder::finish));
    match direction {
        Direction::Write => Streams { read: None, write: all },
        Direction::Read | Direction::Both | Direction::Nowhere => Streams { read: all, write: writes },
    }
}

/// What ended a stretch, of which nothing is in flight any more.
pub(super) fn stretch_ended(offsets: &Offsets) -> LoopEnded {
    if offsets.over() { LoopEnded::Bytes } else { LoopEnded::Settled }
}

/// What a result other than a whole block means.
#[cold]
pub(crate) fn failure(result: i32, offset: u64) -> CellError {
    let (kind, errno) = match result {
        0.. => (CellErrorKind::Short, None),
        error if error == -libc::ENOSPC => (CellErrorKind::NoSpace, Some(libc::ENOSPC)),
        error => (CellErrorKind::Io, Some(-error)),
    };
    CellError { kind, errno, offset: Some(offset) }
}
