//! Passes in virtual time: every operation of a trace by itself, everything else in steps.
//!
//! Counts by the rules of the real ones: busy time is the union of what is outstanding, lateness is what a deadline is
//! missed by, for want of room in the queue.

use super::{FILL, VirtualTime, record};
use crate::{
    passes::{Played, Side, found, play},
    plan::{self, Plan},
    recorder::bin_width,
};
use model::{
    Histogram,
    document::{CellError, CellErrorKind},
    pass::{Idle, PassMethod, RandomWrites, SequentialWrites, TracePlay, Workload},
    units::{NS_PER_S, Nanos},
};
use sim::{Load, Op, TICK_NS};
use std::collections::VecDeque;
use workloads::Due;

/// Operations in flight where a recording does not say how many there may be.
const MOST_IN_FLIGHT: usize = 256;

impl VirtualTime {
    /// Carries a pass out.
    pub(super) fn pass(&mut self, plan: &Plan, method: &PassMethod) -> Played {
        let bin_ns = bin_width(plan::pass_time(&plan.suite, method).0);
        match &method.workload {
            Workload::Trace(trace) => self.trace(plan, trace, method.span_bytes, bin_ns),
            Workload::RandomWrites(writes) => self.random_writes(*writes, bin_ns),
            Workload::SequentialWrites(writes) => self.in_order(*writes, bin_ns),
            Workload::Copying(copying) => self.copy(plan, copying, bin_ns),
            Workload::Loading(loading) => self.load_files(plan, loading, bin_ns),
            Workload::Idle(Idle { seconds }) => {
                let started_ns = self.now_ns;
                self.rest((*seconds).into());
                Played { elapsed_ns: self.now_ns - started_ns, ..Played::nothing(started_ns) }
            }
        }
    }

    fn random_writes(&mut self, writes: RandomWrites, bin_ns: u64) -> Played {
        let RandomWrites { seconds, least_bytes, most_bytes, unit_bytes, queue_depth } = writes;
        let mut played = Played::nothing(self.now_ns);
        let elapsed_ns = u64::from(seconds) * NS_PER_S;
        // Every size is as likely as the other; what moves are whole units, half of them more than the mean.
        let mean = (u64::from(least_bytes) + u64::from(most_bytes)) / 2;
        let mean = (mean / u64::from(unit_bytes)).max(1) * u64::from(unit_bytes);
        let (mut side, mut rest) = (Side::default(), 0);
        for step in 0..elapsed_ns / TICK_NS {
            let (tick, bytes) = self.drive.scatter();
            self.over(tick);
            let ios = (rest + bytes) / mean;
            rest = (rest + bytes) % mean;
            // As many are in flight as the queue is deep, so a step lasts as long as they do.
            let latency = (u64::from(queue_depth) * TICK_NS).checked_div(ios).unwrap_or(elapsed_ns);
            side.add(step * TICK_NS / bin_ns, ios, latency, ios * mean, elapsed_ns);
        }
        (played.elapsed_ns, played.busy_ns) = (elapsed_ns, elapsed_ns);
        played.write = side.transfer(bin_ns);
        played
    }

    fn in_order(&mut self, writes: SequentialWrites, bin_ns: u64) -> Played {
        let SequentialWrites { bytes, block_bytes, queue_depth, .. } = writes;
        let mut played = Played::nothing(self.now_ns);
        let load = Load { block_bytes, in_flight: queue_depth, ..FILL };
        let (mut side, mut written, mut elapsed_ns) = (Side::default(), 0_u64, 0);
        while written < bytes {
            let tick = self.tick(Some(load));
            // A last write that is shorter counts as one.
            let left = (bytes - written).div_ceil(block_bytes.into());
            let ios = tick.ios().min(left);
            let moved = (ios * u64::from(block_bytes)).min(bytes - written);
            side.add(elapsed_ns / bin_ns, ios, tick.main.latency_ns[1], moved, TICK_NS);
            written += moved;
            elapsed_ns += TICK_NS;
        }
        self.drive.wrote_in_order(bytes);
        (played.elapsed_ns, played.busy_ns, played.settled_ns) = (elapsed_ns, elapsed_ns, Some(elapsed_ns));
        played.write = side.transfer(bin_ns);
        played
    }

    fn trace(&mut self, plan: &Plan, trace: &TracePlay, span_bytes: u64, bin_ns: u64) -> Played {
        let mut played = Played::nothing(self.now_ns);
        let found = found(plan, trace);
        let operations =
            found.as_ref().and_then(|found| Some((found, found.play(&play(trace, span_bytes)).ok()?)));
        let Some((found, operations)) = operations else {
            return Played::failed(CellErrorKind::Setup, self.now_ns);
        };
        let depth = found.most_in_flight.map_or(MOST_IN_FLIGHT, |depth| depth as usize);
        let bad = self.drive.bad_block(span_bytes);
        self.drive.begin_pass();
        let mut sides = [Side::default(), Side::default()];
        let mut lateness = Histogram::default();
        let mut ends: VecDeque<u64> = VecDeque::with_capacity(depth);
        let (mut step_end, mut busy_end, mut last, mut at) = (TICK_NS, 0, 0, 0_u64);
        for operation in operations {
            let ready = match operation.due {
                Due::At(due) => due,
                Due::After(think) => last + think,
                Due::Now => at,
            };
            at = at.max(ready);
            if ends.len() >= depth {
                at = at.max(ends.pop_front().unwrap_or(at));
            }
            while ends.front().is_some_and(|end| *end <= at) {
                ends.pop_front();
            }
            if operation.due != Due::Now {
                lateness.record(Nanos(at - ready));
            }
            while at >= step_end {
                let tick = self.drive.pass_step(step_end);
                self.over(tick);
                step_end += TICK_NS;
            }
            let (op, side) = match operation.op {
                workloads::Op::Read => (Op::Read, &mut sides[0]),
                workloads::Op::Write => (Op::Write, &mut sides[1]),
                workloads::Op::Flush => {
                    played.flushes += 1;
                    continue;
                }
            };
            let load =
                Load { op, sequential: false, block_bytes: operation.bytes, in_flight: 1, beside: None };
            let reaches = operation.offset..operation.offset.saturating_add(operation.bytes.into());
            let bad = bad.filter(|bad| op == Op::Read && reaches.contains(bad));
            if bad.is_some() || self.drive.fails(load) {
                let offset = Some(operation.offset);
                played.error = Some(CellError { kind: CellErrorKind::Io, errno: Some(libc::EIO), offset });
                break;
            }
            let end = self.drive.answer(op, operation.bytes, at);
            side.latency.record(Nanos(end - at));
            side.put(end / bin_ns, operation.bytes.into());
            played.busy_ns += end - busy_end.max(at);
            (busy_end, last) = (end, end);
            ends.push_back(end);
        }
        while last >= step_end {
            let tick = self.drive.pass_step(step_end);
            self.over(tick);
            step_end += TICK_NS;
        }
        // The pass ends with its last I/O, the clock goes on to the end of the step.
        let tick = self.drive.pass_step(step_end);
        self.over(tick);
        played.elapsed_ns = last;
        played.lateness = (lateness.count() > 0).then_some(lateness);
        let [read, write] = sides.map(|side| side.transfer(bin_ns));
        (played.read, played.write) = (read, write);
        played
    }
}

impl Side {
    /// I/Os of a step, spread around their mean latency.
    pub(super) fn add(&mut self, bin: u64, ios: u64, latency_ns: u64, bytes: u64, most_ns: u64) {
        record(&mut self.latency, ios, latency_ns, most_ns);
        self.put(bin, bytes);
    }

    fn put(&mut self, bin: u64, bytes: u64) {
        let bin = usize::try_from(bin).unwrap_or(usize::MAX);
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += bytes;
    }
}
