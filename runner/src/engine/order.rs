//! What a worker is asked for and what it comes back with.
//!
//! The workers of a session share one order per loop; the first to arrive sets the common start.

use crate::{clock::monotonic_ns, recorder::Live, stop::StopFlag};
use model::{
    document::{CellError, CellErrorKind, Transfer},
    units::NS_PER_S,
};
use std::sync::{
    Barrier,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Without a completion for this long, a drive counts as stalled. Shingled and dying drives pause for tens of
/// seconds and go on.
pub(crate) const STALL_NS: u64 = 120 * NS_PER_S;
/// One loop, as all workers of a session share it.
pub(super) struct Order {
    /// Length of the loop, nanoseconds.
    pub(super) loop_ns: u64,
    pub(super) live: Live,
    pub(super) stop: StopFlag,
    /// Where all workers wait for each other before the first I/O.
    pub(super) gate: Barrier,
    /// Monotonic time of the first worker's first submission; 0 before.
    start_ns: AtomicU64,
    /// Raised by the first worker with an error: the others need not go on.
    halt: AtomicBool,
}

impl Order {
    /// A loop for `workers` workers and the caller, who waits at the gate with them.
    pub(super) fn new(loop_ns: u64, workers: usize, live: &Live, stop: &StopFlag) -> Self {
        Self {
            loop_ns,
            live: live.clone(),
            stop: stop.clone(),
            gate: Barrier::new(workers + 1),
            start_ns: AtomicU64::new(0),
            halt: AtomicBool::new(false),
        }
    }

    /// The common start: the first to ask sets it.
    pub(super) fn start(&self) -> u64 {
        let now = monotonic_ns();
        match self.start_ns.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => now,
            Err(start) => start,
        }
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
    pub(super) transfer: Transfer,
    /// The common start, monotonic nanoseconds.
    pub(super) start_ns: u64,
    /// Until when its completions count: the deadline, or when it stopped before.
    pub(super) end_ns: u64,
    /// When the last I/O in flight was back.
    pub(super) drained_ns: u64,
    pub(super) drained_ios: u64,
    /// Readings of the clock before the one they followed.
    pub(super) clock_anomalies: u64,
    pub(super) error: Option<CellError>,
    pub(super) stopped: bool,
}

/// What a result other than a whole block means.
#[cold]
pub(super) fn failure(result: i32, offset: u64) -> CellError {
    let (kind, errno) = match result {
        0.. => (CellErrorKind::Short, None),
        error if error == -libc::ENOSPC => (CellErrorKind::NoSpace, Some(libc::ENOSPC)),
        error => (CellErrorKind::Io, Some(-error)),
    };
    CellError { kind, errno, offset: Some(offset) }
}
