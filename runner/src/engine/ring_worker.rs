//! The measuring loop over a ring: keep the queue full, take two clock readings per batch, record every completion.
//!
//! Nothing here allocates, formats, locks or calls through a table per I/O. Knows neither methods nor documents.

use super::{
    data::Stamps,
    offsets::Offsets,
    order::{Order, STALL_NS, WorkerEnd, failure},
    ring::Ring,
};
use crate::{
    clock::{SteadyClock, monotonic_ns},
    recorder::Recorder,
    stop::StopFlag,
};
use model::{
    document::{CellError, CellErrorKind},
    units::NS_PER_S,
};
use std::{fs::File, sync::Arc};

/// How long a user who wants to stop waits for I/Os in flight.
const STOPPED_DRAIN_NS: u64 = 5 * NS_PER_S;

/// A worker with I/Os of one block size over a ring.
pub(super) struct RingWorker {
    ring: Ring,
    offsets: Offsets,
    /// Present when the worker writes data that differs from I/O to I/O.
    stamps: Option<Stamps>,
    block_bytes: u32,
    /// Slots without an I/O in flight: the first `free_count` entries, the last freed at their end, whose
    /// memory is the most likely to be in the processor's cache.
    free: Box<[u32]>,
    free_count: usize,
    /// By slot: when its I/O was submitted and where it goes.
    flights: Box<[Flight]>,
    /// Keeps the descriptor open that the ring's I/Os go to.
    _file: Arc<File>,
}

#[derive(Clone, Copy, Default)]
struct Flight {
    submitted_ns: u64,
    offset: u64,
}

impl RingWorker {
    pub(super) fn new(
        ring: Ring,
        depth: u32,
        block_bytes: u32,
        offsets: Offsets,
        stamps: Option<Stamps>,
        file: Arc<File>,
    ) -> Self {
        Self {
            ring,
            offsets,
            stamps,
            block_bytes,
            free: (0..depth).collect(),
            free_count: depth as usize,
            flights: vec![Flight::default(); depth as usize].into(),
            _file: file,
        }
    }

    /// Runs one loop.
    pub(super) fn run(&mut self, order: &Order) -> WorkerEnd {
        self.offsets.restart();
        let mut recorder = Recorder::new(&order.live, self.block_bytes, order.loop_ns);
        order.gate.wait();
        let start_ns = order.start();
        let mut clock = SteadyClock::from(start_ns);
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut last_completion_ns = start_ns;
        let mut late_ios = 0;
        let (end_ns, stopped) = loop {
            self.fill_queue(&mut clock);
            if let Err(errno) = self.ring.submit_and_wait() {
                error = Some(CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None });
                break (clock.now().min(deadline_ns), false);
            }
            let now_ns = clock.now();
            if now_ns >= deadline_ns {
                late_ios += self.reap(|_| (), &mut error);
                break (deadline_ns, false);
            }
            let completed = self.reap(|submitted_ns| recorder.record(now_ns - submitted_ns), &mut error);
            recorder.end_batch(now_ns - start_ns, completed);
            if error.is_some() {
                break (now_ns, false);
            }
            if completed > 0 {
                last_completion_ns = now_ns;
            } else if now_ns - last_completion_ns > STALL_NS {
                error = Some(CellError { kind: CellErrorKind::Stalled, errno: None, offset: None });
                break (now_ns, false);
            }
            if order.stopped() {
                break (now_ns, true);
            }
        };
        if error.is_some() {
            order.halt();
        }
        let drained_ios = late_ios + self.drain(&order.stop, &mut error);
        WorkerEnd {
            transfer: recorder.finish(),
            start_ns,
            end_ns,
            drained_ns: clock.now().max(end_ns),
            drained_ios,
            clock_anomalies: clock.anomalies(),
            error,
            stopped,
        }
    }

    /// Gives every free slot its next I/O, and the whole batch one time of submission.
    #[inline]
    fn fill_queue(&mut self, clock: &mut SteadyClock) {
        let batch = &self.free[..self.free_count];
        for &slot in batch.iter().rev() {
            let offset = self.offsets.next();
            if let Some(stamps) = &mut self.stamps {
                stamps.put(self.ring.slot(slot), offset);
            }
            self.flights[slot as usize].offset = offset;
            self.ring.push(slot, offset);
        }
        // One read is prepared within nanoseconds of the reading that followed its predecessor's completion, which
        // then serves for both: a clock costs more than that. Data takes time to stamp, and batches to prepare.
        let now_ns = if batch.len() > 1 || self.stamps.is_some() { clock.now() } else { clock.last() };
        for &slot in batch {
            self.flights[slot as usize].submitted_ns = now_ns;
        }
        self.free_count = 0;
    }

    /// Takes every completion there is, frees its slot and hands the submission time of each whole transfer to
    /// `count`. Returns how many were whole; the first other one becomes the error.
    #[inline]
    fn reap(&mut self, mut count: impl FnMut(u64), error: &mut Option<CellError>) -> u64 {
        let Self { ring, free, free_count, flights, block_bytes, .. } = self;
        let whole = i64::from(*block_bytes);
        let mut completed = 0;
        ring.reap(|slot, result| {
            let flight = flights[slot as usize];
            free[*free_count] = slot;
            *free_count += 1;
            if i64::from(result) == whole {
                completed += 1;
                count(flight.submitted_ns);
            } else {
                error.get_or_insert_with(|| failure(result, flight.offset));
            }
        });
        completed
    }

    /// Waits for what is in flight without submitting more; returns how many whole transfers came.
    fn drain(&mut self, stop: &StopFlag, error: &mut Option<CellError>) -> u64 {
        let started_ns = monotonic_ns();
        let mut completed = 0;
        while self.ring.in_flight() > 0 {
            let limit_ns = if stop.requested() { STOPPED_DRAIN_NS } else { STALL_NS };
            if monotonic_ns() - started_ns > limit_ns {
                error.get_or_insert(CellError { kind: CellErrorKind::Stalled, errno: None, offset: None });
                break;
            }
            if let Err(errno) = self.ring.submit_and_wait() {
                error.get_or_insert(CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None });
                break;
            }
            completed += self.reap(|_| (), error);
        }
        completed
    }
}
