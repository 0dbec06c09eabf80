//! The measuring loop over a ring: keep the queue full, take two clock readings per batch, record every completion.
//!
//! Nothing here allocates, formats, locks or calls through a table per I/O, and what a loop does not need is not
//! compiled into it. Knows neither methods nor documents.

use super::{
    data::Stamps,
    draw::Draw,
    offsets::Offsets,
    order::{Order, STALL_NS, WorkerEnd, failure, streams, stretch_ended},
    ring::Ring,
};
use crate::{
    clock::{SteadyClock, monotonic_ns},
    recorder::Recorder,
    stop::StopFlag,
};
use model::{
    document::{CellError, CellErrorKind, LoopEnded},
    units::NS_PER_S,
};
use std::{fs::File, sync::Arc};

/// How long a user who wants to stop waits for I/Os in flight.
const STOPPED_DRAIN_NS: u64 = 5 * NS_PER_S;

/// A worker with I/Os of one block size over a ring.
pub(super) struct RingWorker {
    ring: Ring,
    offsets: Offsets,
    /// Present when the worker both reads and writes.
    draw: Option<Draw>,
    /// Present when the worker writes data that differs from I/O to I/O.
    stamps: Option<Stamps>,
    block_bytes: u32,
    /// Most I/Os in flight: the number of places. The slot of a place has its number; in a mix that is the slot that
    /// is read into, and the one that is written from comes as many slots later as there are places.
    depth: u32,
    /// Places without an I/O in flight: the first `free_count` entries, the last freed at their end, whose
    /// memory is the most likely to be in the processor's cache.
    free: Box<[u32]>,
    free_count: usize,
    /// By place: when its I/O was submitted and where it goes.
    flights: Box<[Flight]>,
    /// Keeps the descriptor open that the ring's I/Os go to.
    _file: Arc<File>,
}

#[derive(Clone, Copy, Default)]
struct Flight {
    submitted_ns: u64,
    offset: u64,
}

/// What a loop is compiled for.
trait Kind {
    /// Reads and writes are mixed.
    const MIXED: bool;
    /// A stretch is gone through once, and everything that was submitted counts.
    const ONCE: bool;
}

/// One direction, by time: what most figures are made of.
struct Plain;

impl Kind for Plain {
    const MIXED: bool = false;
    const ONCE: bool = false;
}

/// Both directions, by time.
struct Mixed;

impl Kind for Mixed {
    const MIXED: bool = true;
    const ONCE: bool = false;
}

/// One direction, by bytes.
struct Once;

impl Kind for Once {
    const MIXED: bool = false;
    const ONCE: bool = true;
}

impl RingWorker {
    /// A worker that has an I/O of `block_bytes` in flight for each place of the ring. A ring for both directions
    /// needs a `draw`.
    pub(super) fn new(
        ring: Ring,
        block_bytes: u32,
        offsets: Offsets,
        draw: Option<Draw>,
        stamps: Option<Stamps>,
        file: Arc<File>,
    ) -> Self {
        let depth = ring.depth();
        Self {
            ring,
            offsets,
            draw,
            stamps,
            block_bytes,
            depth,
            free: (0..depth).collect(),
            free_count: depth as usize,
            flights: vec![Flight::default(); depth as usize].into(),
            _file: file,
        }
    }

    /// Runs one loop.
    pub(super) fn run(&mut self, order: &Order) -> WorkerEnd {
        if let Some(stretch) = &order.stretch {
            self.offsets.begin(stretch);
            return self.run_as::<Once>(order);
        }
        self.offsets.restart();
        if self.draw.is_some() { self.run_as::<Mixed>(order) } else { self.run_as::<Plain>(order) }
    }

    /// One loop of a kind, with registers and a stack frame of its own.
    #[inline(never)]
    fn run_as<K: Kind>(&mut self, order: &Order) -> WorkerEnd {
        let recorder = || Recorder::new(&order.live, self.block_bytes, order.loop_ns, order.bin_ns());
        let mut all = recorder();
        let mut writes = K::MIXED.then(recorder);
        order.gate.wait();
        let start_ns = order.start();
        let mut clock = SteadyClock::from(start_ns);
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut last_completion_ns = start_ns;
        let mut late_ios = 0;
        let mut ended = LoopEnded::Time;
        let (end_ns, stopped) = loop {
            if !(K::ONCE && order.settled()) {
                self.fill_queue::<K>(&mut clock);
            }
            if K::ONCE && self.ring.in_flight() == 0 {
                ended = stretch_ended(&self.offsets);
                break (last_completion_ns, false);
            }
            if let Err(errno) = self.ring.submit_and_wait() {
                error = Some(CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None });
                break (clock.now().min(deadline_ns), false);
            }
            let now_ns = clock.now();
            if now_ns >= deadline_ns {
                late_ios += self.reap::<K>(|_, _| (), &mut error);
                break (deadline_ns, false);
            }
            let mut written = 0;
            let count = |wrote, submitted_ns| match &mut writes {
                Some(writes) if wrote => {
                    written += 1;
                    writes.record(now_ns - submitted_ns);
                }
                _ => all.record(now_ns - submitted_ns),
            };
            let completed = self.reap::<K>(count, &mut error);
            all.end_batch(now_ns - start_ns, completed - written);
            if let Some(writes) = &mut writes {
                writes.end_batch(now_ns - start_ns, written);
            }
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
        let drained_ios = late_ios + self.drain::<K>(&order.stop, &mut error);
        WorkerEnd {
            streams: streams(self.ring.direction(), all, writes),
            start_ns,
            end_ns,
            ended,
            drained_ns: if ended == LoopEnded::Time { clock.now().max(end_ns) } else { end_ns },
            drained_ios,
            clock_anomalies: clock.anomalies(),
            error,
            stopped,
        }
    }

    /// Gives every free place its next I/O, as long as there are any, and the whole batch one time of submission.
    #[inline]
    fn fill_queue<K: Kind>(&mut self, clock: &mut SteadyClock) {
        let free = &self.free[..self.free_count];
        let mut left = self.free_count;
        for &place in free.iter().rev() {
            let offset = if K::ONCE {
                let Some(offset) = self.offsets.next_once() else { break };
                offset
            } else {
                self.offsets.next()
            };
            let writes = K::MIXED && self.draw.as_mut().is_some_and(Draw::writes);
            let slot = if writes { place + self.depth } else { place };
            if let Some(stamps) = &mut self.stamps
                && (writes || !K::MIXED)
            {
                stamps.put(self.ring.slot(slot), offset);
            }
            self.flights[place as usize].offset = offset;
            if K::MIXED {
                self.ring.push_either(slot, offset);
            } else {
                self.ring.push(slot, offset);
            }
            left -= 1;
        }
        let batch = if K::ONCE { &free[left..] } else { free };
        // One read is prepared within nanoseconds of the reading that followed its predecessor's completion, which
        // then serves for both: a clock costs more than that. Data takes time to stamp, and batches to prepare.
        let now_ns = if batch.len() > 1 || self.stamps.is_some() { clock.now() } else { clock.last() };
        for &place in batch {
            self.flights[place as usize].submitted_ns = now_ns;
        }
        self.free_count = if K::ONCE { left } else { 0 };
    }

    /// Takes every completion there is, frees its place and hands `count` of each whole transfer whether it was a
    /// write of a mix, and when it was submitted. Returns how many were whole; the first other one becomes the error.
    #[inline]
    fn reap<K: Kind>(&mut self, mut count: impl FnMut(bool, u64), error: &mut Option<CellError>) -> u64 {
        let Self { ring, free, free_count, flights, block_bytes, depth, .. } = self;
        let whole = i64::from(*block_bytes);
        let mut completed = 0;
        ring.reap(|slot, result| {
            let wrote = K::MIXED && slot >= *depth;
            let place = if wrote { slot - *depth } else { slot };
            let flight = flights[place as usize];
            free[*free_count] = place;
            *free_count += 1;
            if i64::from(result) == whole {
                completed += 1;
                count(wrote, flight.submitted_ns);
            } else {
                error.get_or_insert_with(|| failure(result, flight.offset));
            }
        });
        completed
    }

    /// Waits for what is in flight without submitting more; returns how many whole transfers came.
    fn drain<K: Kind>(&mut self, stop: &StopFlag, error: &mut Option<CellError>) -> u64 {
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
            completed += self.reap::<K>(|_, _| (), error);
        }
        completed
    }
}
