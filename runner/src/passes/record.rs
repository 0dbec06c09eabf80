//! Counts what begins and ends in a pass: busy time, access times, bytes over time, lateness.
//!
//! Knows no clock and no file; simulated passes are counted by the same rules elsewhere.

use super::Played;
use crate::{engine::Live, recorder::bin_width};
use model::{
    Histogram,
    document::{MAX_BINS, Transfer},
    units::Nanos,
};
use workloads::{Meter, Op, Operation, Started};

/// Bins after which they are made ten times as wide.
const MANY_BINS: usize = MAX_BINS / 2;
/// How much wider.
const WIDER: usize = 10;

/// What was recorded of a pass so far.
pub(crate) struct Recorder<'a> {
    live: &'a Live,
    meter: Meter,
    in_flight: Vec<Option<(Operation, Started, u64)>>,
    sides: [Side; 2],
    bin_ns: u64,
    flushes: u64,
    lateness: Histogram,
}

/// One direction.
#[derive(Default)]
pub(crate) struct Side {
    pub(crate) latency: Histogram,
    pub(crate) bins: Vec<u64>,
}

impl<'a> Recorder<'a> {
    /// A recorder for a pass that is estimated to take so long.
    pub(crate) fn new(estimated_ns: u64, live: &'a Live) -> Self {
        Self {
            live,
            meter: Meter::new(),
            in_flight: Vec::new(),
            sides: [Side::default(), Side::default()],
            bin_ns: bin_width(estimated_ns),
            flushes: 0,
            lateness: Histogram::default(),
        }
    }

    /// An operation begins in a slot, so long after its deadline; `None` when it has none.
    pub(crate) fn start(&mut self, slot: u32, operation: Operation, at_ns: u64, late_ns: Option<u64>) {
        let slot = slot as usize;
        if self.in_flight.len() <= slot {
            self.in_flight.resize(slot + 1, None);
        }
        self.in_flight[slot] = Some((operation, self.meter.start(at_ns, operation.op), at_ns));
        if let Some(late) = late_ns {
            self.lateness.record(Nanos(late));
        }
    }

    /// The operation in a slot was never submitted.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.in_flight[slot as usize] = None;
    }

    /// The operation in a slot ends, so long after the pass began; yields it.
    pub(crate) fn end(&mut self, slot: u32, at_ns: u64, since_begin_ns: u64) -> Operation {
        let (operation, started, began_ns) =
            self.in_flight[slot as usize].take().expect("what ends has begun");
        self.meter.end(started, at_ns, operation.bytes);
        let side = match operation.op {
            Op::Read => &mut self.sides[0],
            Op::Write => &mut self.sides[1],
            Op::Flush => {
                self.flushes += 1;
                return operation;
            }
        };
        side.latency.record(Nanos(at_ns.saturating_sub(began_ns)));
        let bin = usize::try_from(since_begin_ns / self.bin_ns).unwrap_or(usize::MAX);
        if bin >= MANY_BINS {
            self.widen();
            let bin = usize::try_from(since_begin_ns / self.bin_ns).unwrap_or(usize::MAX);
            self.add(operation, bin.min(MAX_BINS - 1));
        } else {
            self.add(operation, bin);
        }
        self.live.add(1, operation.bytes.into());
        operation
    }

    fn add(&mut self, operation: Operation, bin: usize) {
        let bins = &mut self.sides[usize::from(operation.op == Op::Write)].bins;
        if bins.len() <= bin {
            bins.resize(bin + 1, 0);
        }
        bins[bin] += u64::from(operation.bytes);
    }

    fn widen(&mut self) {
        self.bin_ns *= WIDER as u64;
        for side in &mut self.sides {
            side.bins = side.bins.chunks(WIDER).map(|bins| bins.iter().sum()).collect();
        }
    }

    /// Puts what was recorded into a pass.
    pub(crate) fn finish(self, played: &mut Played) {
        played.busy_ns = self.meter.measured().busy_ns.min(played.elapsed_ns);
        played.flushes = self.flushes;
        played.lateness = (self.lateness.count() > 0).then_some(self.lateness);
        let bin_ns = self.bin_ns;
        let [read, write] = self.sides.map(|side| side.transfer(bin_ns));
        (played.read, played.write) = (read, write);
    }
}

impl Side {
    /// What it came to; `None` without an I/O.
    pub(crate) fn transfer(self, bin_ns: u64) -> Option<Transfer> {
        let ios = self.latency.count();
        (ios > 0).then(|| Transfer {
            ios,
            bytes: self.bins.iter().sum(),
            latency: self.latency,
            bin_ns,
            bins: self.bins,
        })
    }
}
