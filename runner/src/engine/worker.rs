//! The measuring loops: keep the queue full, take two clock readings per batch, record every completion.
//!
//! Nothing here allocates, formats, locks or calls through a table per I/O. Knows neither methods nor documents.

use crate::{
    clock::monotonic_ns,
    engine::{buffers::Slots, data, offsets::Offsets, ring::Ring},
    recorder::{Live, Recorder},
    stop::StopFlag,
};
use model::{
    document::{CellError, CellErrorKind, Transfer},
    units::NS_PER_S,
};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Without a completion for this long, a drive counts as stalled. Shingled and dying drives pause for tens of
/// seconds and go on.
pub(super) const STALL_NS: u64 = 120 * NS_PER_S;
/// How long a user who wants to stop waits for I/Os in flight.
const STOPPED_DRAIN_NS: u64 = 5 * NS_PER_S;

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
    fn start(&self) -> u64 {
        let now = monotonic_ns();
        match self.start_ns.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => now,
            Err(start) => start,
        }
    }

    #[inline]
    fn stopped(&self) -> bool {
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
    pub(super) error: Option<CellError>,
    pub(super) stopped: bool,
}

/// What is written into the slots from I/O to I/O.
pub(super) struct Stamps {
    seed: u64,
    unit: usize,
    pass: u64,
}

impl Stamps {
    pub(super) fn new(seed: u64, block_bytes: u32) -> Self {
        Self { seed, unit: data::unit_bytes(block_bytes), pass: 0 }
    }

    #[inline]
    fn put(&mut self, block: &mut [u8], offset: u64) {
        data::stamp(block, self.unit, data::origin(self.seed, offset, self.pass));
        self.pass = self.pass.wrapping_add(1);
    }
}

/// A worker with I/Os of one block size over a ring.
pub(super) struct RingWorker {
    ring: Ring,
    offsets: Offsets,
    /// Present when the worker writes.
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
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut last_completion_ns = start_ns;
        let mut late_ios = 0;
        let (end_ns, stopped) = loop {
            self.fill_queue();
            if let Err(errno) = self.ring.submit_and_wait() {
                error = Some(CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None });
                break (monotonic_ns().min(deadline_ns), false);
            }
            let now_ns = monotonic_ns();
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
            order.halt.store(true, Ordering::Relaxed);
        }
        let drained_ios = late_ios + self.drain(&order.stop, &mut error);
        WorkerEnd {
            transfer: recorder.finish(),
            start_ns,
            end_ns,
            drained_ns: monotonic_ns().max(end_ns),
            drained_ios,
            error,
            stopped,
        }
    }

    /// Gives every free slot its next I/O, and the whole batch one time of submission.
    #[inline]
    fn fill_queue(&mut self) {
        let batch = &self.free[..self.free_count];
        for &slot in batch.iter().rev() {
            let offset = self.offsets.next();
            if let Some(stamps) = &mut self.stamps {
                stamps.put(self.ring.slot(slot), offset);
            }
            self.flights[slot as usize].offset = offset;
            self.ring.push(slot, offset);
        }
        let now_ns = monotonic_ns();
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

/// A worker with one I/O in flight, by pread or pwrite.
pub(super) struct CallWorker {
    file: Arc<File>,
    slots: Slots,
    offsets: Offsets,
    stamps: Option<Stamps>,
    block_bytes: u32,
}

impl CallWorker {
    pub(super) fn new(
        file: Arc<File>,
        slots: Slots,
        block_bytes: u32,
        offsets: Offsets,
        stamps: Option<Stamps>,
    ) -> Self {
        Self { file, slots, offsets, stamps, block_bytes }
    }

    /// Runs one loop.
    pub(super) fn run(&mut self, order: &Order) -> WorkerEnd {
        self.offsets.restart();
        let mut recorder = Recorder::new(&order.live, self.block_bytes, order.loop_ns);
        order.gate.wait();
        let start_ns = order.start();
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut drained_ios = 0;
        let (end_ns, drained_ns, stopped) = loop {
            let offset = self.offsets.next();
            if let Some(stamps) = &mut self.stamps {
                stamps.put(self.slots.slot(0), offset);
            }
            let submitted_ns = monotonic_ns();
            let result = self.transfer(offset);
            let now_ns = monotonic_ns();
            if i64::from(result) != i64::from(self.block_bytes) {
                error = Some(failure(result, offset));
                order.halt.store(true, Ordering::Relaxed);
                break (now_ns.min(deadline_ns), now_ns, false);
            }
            if now_ns >= deadline_ns {
                drained_ios = 1;
                break (deadline_ns, now_ns, false);
            }
            recorder.record(now_ns - submitted_ns);
            recorder.end_batch(now_ns - start_ns, 1);
            if order.stopped() {
                break (now_ns, now_ns, true);
            }
        };
        WorkerEnd { transfer: recorder.finish(), start_ns, end_ns, drained_ns, drained_ios, error, stopped }
    }

    /// One I/O: bytes moved, or the negative error number, as a ring reports it.
    #[inline]
    fn transfer(&mut self, offset: u64) -> i32 {
        let writes = self.stamps.is_some();
        let block = self.slots.slot(0);
        loop {
            let result =
                if writes { self.file.write_at(block, offset) } else { self.file.read_at(block, offset) };
            match result {
                Ok(bytes) => return i32::try_from(bytes).expect("a block is at most 64 MiB"),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return -error.raw_os_error().unwrap_or(libc::EIO),
            }
        }
    }
}

/// What a result other than a whole block means.
#[cold]
fn failure(result: i32, offset: u64) -> CellError {
    let (kind, errno) = match result {
        0.. => (CellErrorKind::Short, None),
        error if error == -libc::ENOSPC => (CellErrorKind::NoSpace, Some(libc::ENOSPC)),
        error => (CellErrorKind::Io, Some(-error)),
    };
    CellError { kind, errno, offset: Some(offset) }
}
