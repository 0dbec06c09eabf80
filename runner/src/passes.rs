//! Carries a pass out on a real target: operations of any sizes, each at its own time, by direct I/O.
//!
//! One thread and one queue: a trace is no hot loop. Deadlines are absolute, so an operation that is late does not shift
//! those behind it, and how late each was is recorded. Knows what was submitted and what came back; does not know what
//! the figures mean or whether the drive did the work.

mod files;
mod operations;
mod queue;
mod ready;
mod record;

pub(crate) use files::{Kept, manifest};
pub(crate) use operations::{check, found, play, unit_bytes};
pub(crate) use ready::Ready;
pub(crate) use record::{Recorder, Side};

use crate::{
    clock::{RunClock, SteadyClock, process_cpu},
    counters::{self, DeviceNumber},
    engine::{EngineError, Live, STALL_NS, Slots, failure, origin, unit_bytes as stamped_unit},
    plan::{self, Plan},
    report::error_text,
    stop::StopFlag,
    target::OpenTarget,
};
use model::{
    Histogram,
    document::{CellError, CellErrorKind, CellStatus, DeviceCounters, Engine, Preparation, Transfer},
    files::FilesMoved,
    method::DataKind,
    pass::{Idle, Pass, PassMethod, RandomWrites, SequentialWrites, Workload},
    proof::{Extents, Proof},
    reading::Reading,
    units::{NS_PER_S, Nanos, format_elapsed, format_nanos, format_rate, per_second},
};
use operations::Source;
use queue::{Completion, Queue};
use rustix::fs::fsync;
use std::{fs::File, sync::Arc, thread, time::Duration};
use workloads::{Due, Operation};

/// Time between two looks at the stop flag.
const LOOK_NS: u64 = NS_PER_S / 10;
/// Most bytes of buffers.
const BUFFER_BYTES: u64 = 256 << 20;
/// Most operations of a recording in flight, which does not say how many there may be.
const MOST_IN_FLIGHT: u32 = 256;

/// What a pass came to.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) started_ns: u64,
    pub(crate) elapsed_ns: u64,
    pub(crate) busy_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) clock_anomalies: u64,
    pub(crate) read: Option<Transfer>,
    pub(crate) write: Option<Transfer>,
    pub(crate) flushes: u64,
    pub(crate) lateness: Option<Histogram>,
    pub(crate) settled_ns: Option<u64>,
    pub(crate) device: Option<DeviceCounters>,
    pub(crate) files: Option<FilesMoved>,
    /// What was written before it began, unmeasured.
    pub(crate) preparation: Option<Preparation>,
    /// Where the bytes of its files lie; `None` when it has none of its own.
    pub(crate) extents: Option<Reading<Extents>>,
    /// Whether some of what it read went through the page cache.
    pub(crate) buffered: bool,
    pub(crate) error: Option<CellError>,
    /// Whether the user stopped it before its end.
    pub(crate) stopped: bool,
}

impl Played {
    /// Nothing yet, from this time of the run on.
    pub(crate) fn nothing(started_ns: u64) -> Self {
        Self {
            started_ns,
            elapsed_ns: 0,
            busy_ns: 0,
            cpu_ns: 0,
            clock_anomalies: 0,
            read: None,
            write: None,
            flushes: 0,
            lateness: None,
            settled_ns: None,
            device: None,
            files: None,
            preparation: None,
            extents: None,
            buffered: false,
            error: None,
            stopped: false,
        }
    }

    /// A pass that could not be begun.
    pub(crate) fn failed(kind: CellErrorKind, started_ns: u64) -> Self {
        let error = Some(CellError { kind, errno: None, offset: None });
        Self { error, ..Self::nothing(started_ns) }
    }

    /// The pass for the document; whether it counts is judged by the caller.
    pub(crate) fn into_pass(self, method: PassMethod, run: u32, proof: Proof) -> Pass {
        Pass {
            method,
            run,
            status: CellStatus::Complete,
            void: Vec::new(),
            error: None,
            proof,
            preparation: None,
            state: None,
            started_ns: self.started_ns,
            elapsed_ns: self.elapsed_ns,
            busy_ns: self.busy_ns,
            cpu_ns: self.cpu_ns,
            clock_anomalies: self.clock_anomalies,
            read: self.read,
            write: self.write,
            flushes: self.flushes,
            lateness: self.lateness,
            settled_ns: self.settled_ns,
            device: self.device,
            files: self.files,
        }
    }
}

/// A pass that is ready to be carried out.
pub(crate) struct Player {
    method: PassMethod,
    source: Source,
    queue: Queue,
    file: Arc<File>,
    device: Option<DeviceNumber>,
    estimated: Nanos,
    engine: Engine,
    /// Seed of what is written; `None` for data that is the same everywhere.
    stamps: Option<u64>,
}

impl Player {
    /// Sets everything up that the pass needs.
    ///
    /// # Errors
    /// When the pass does not suit the target, or memory or a queue cannot be had.
    pub(crate) fn open(
        plan: &Plan,
        target: &OpenTarget,
        method: &PassMethod,
        seed: u64,
    ) -> Result<Self, EngineError> {
        let (span, own) = (method.span_bytes, target.span_bytes());
        if span > own {
            return Err(EngineError::Span { span, target: own });
        }
        if !target.writable() {
            return Err(EngineError::ReadOnly);
        }
        let source = Source::of(plan, method, seed)?;
        let largest = source.largest_bytes().max(4096);
        let room = u32::try_from(BUFFER_BYTES / u64::from(largest)).unwrap_or(u32::MAX);
        let depth = source.most_in_flight().unwrap_or(MOST_IN_FLIGHT).min(room.max(1));
        let mut slots = Slots::new(depth, largest).map_err(EngineError::Memory)?;
        let data = match &method.workload {
            Workload::SequentialWrites(SequentialWrites { data, .. }) => *data,
            _ => DataKind::Random,
        };
        match data {
            DataKind::Zero => {}
            DataKind::Repeat => slots.fill_alike(seed),
            DataKind::Random | DataKind::Existing => slots.fill_random(seed),
        }
        let (queue, mut engine) = Queue::open(target.file(), slots)?;
        if target.without_atime() {
            engine.features.push("noatime".to_owned());
            engine.features.sort_unstable();
        }
        Ok(Self {
            method: method.clone(),
            source,
            queue,
            file: target.file(),
            device: target.counted_device(),
            estimated: plan::pass_time(&plan.suite, method),
            engine,
            stamps: (data == DataKind::Random).then_some(seed),
        })
    }

    /// How I/Os are submitted and awaited.
    pub(crate) fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Carries the pass out: to its end, to the first error, or until a stop is asked for.
    pub(crate) fn play(mut self, run: &RunClock, stop: &StopFlag, live: &Live) -> Played {
        live.reset();
        let device_before = self.device.and_then(counters::read);
        let cpu_before = process_cpu();
        let begin = SteadyClock::from(0).now();
        let mut played = Played::nothing(run.at(begin).0);
        if let Workload::Idle(Idle { seconds }) = self.method.workload {
            played.stopped = rest(begin, seconds, stop);
            played.elapsed_ns = SteadyClock::from(begin).now() - begin;
        } else {
            self.carry_out(begin, stop, live, &mut played);
        }
        played.cpu_ns = process_cpu().0 - cpu_before.0;
        let device_after = self.device.and_then(counters::read);
        played.device =
            device_before.zip(device_after).and_then(|(before, after)| counters::between(before, after));
        played
    }

    fn carry_out(&mut self, begin: u64, stop: &StopFlag, live: &Live, played: &mut Played) {
        let until = match self.method.workload {
            Workload::RandomWrites(RandomWrites { seconds, .. }) => {
                Some(begin + Nanos::from_secs(seconds.into()).0)
            }
            _ => None,
        };
        let mut recorder = Recorder::new(self.estimated.0, live);
        let mut state = State {
            clock: SteadyClock::from(begin),
            begin,
            until,
            stop,
            last_end: begin,
            error: None,
            stopped: false,
        };
        let (queue, stamps) = (&mut self.queue, self.stamps);
        self.source.with_operations(&mut |operations| {
            state.play(operations, queue, stamps, &mut recorder);
        });
        let end = state.last_end;
        played.elapsed_ns = end - begin;
        if matches!(self.method.workload, Workload::SequentialWrites(_)) && state.error.is_none() {
            // What was written counts as written when the drive has it.
            match fsync(&self.file) {
                Ok(()) => played.settled_ns = Some(state.clock.now() - begin),
                Err(errno) => state.error = Some(failure(-errno.raw_os_error(), 0)),
            }
        }
        played.clock_anomalies = state.clock.anomalies();
        (played.error, played.stopped) = (state.error, state.stopped);
        recorder.finish(played);
    }
}

/// Rests; whether the user stopped it.
fn rest(begin: u64, seconds: u32, stop: &StopFlag) -> bool {
    let end = begin + Nanos::from_secs(seconds.into()).0;
    let mut clock = SteadyClock::from(begin);
    loop {
        let now = clock.now();
        if now >= end {
            return false;
        }
        if stop.requested() {
            return true;
        }
        thread::sleep(Duration::from_nanos((end - now).min(LOOK_NS)));
    }
}

/// Where a pass is.
struct State<'a> {
    clock: SteadyClock,
    begin: u64,
    /// When nothing more is submitted.
    until: Option<u64>,
    stop: &'a StopFlag,
    /// The last completion, or the begin before there was one.
    last_end: u64,
    error: Option<CellError>,
    stopped: bool,
}

impl State<'_> {
    fn play(
        &mut self,
        operations: &mut dyn Iterator<Item = Operation>,
        queue: &mut Queue,
        stamps: Option<u64>,
        recorder: &mut Recorder<'_>,
    ) {
        let mut next = operations.next();
        let mut written = 0_u64;
        let mut free: Vec<u32> = (0..queue.depth()).rev().collect();
        let mut done: Vec<Completion> = Vec::with_capacity(free.len());
        let depth = free.len();
        let mut heard = self.clock.now();
        loop {
            if self.stop.requested() && !self.stopped {
                self.stopped = true;
            }
            let now = self.clock.now();
            if self.stopped || self.error.is_some() || self.until.is_some_and(|until| now >= until) {
                next = None;
            }
            // Everything whose time has come, as far as there is room.
            let mut wake = None;
            while let Some(operation) = next {
                let Some(ready) = self.ready(operation.due, depth - free.len()) else { break };
                if ready > self.clock.now() {
                    wake = Some(ready);
                    break;
                }
                let Some(slot) = free.pop() else { break };
                let origin = stamps.map(|seed| {
                    written += 1;
                    (origin(seed, operation.offset, written), stamped_unit(operation.bytes))
                });
                queue.prepare(slot, operation, origin);
                let at = self.clock.now();
                recorder.start(slot, operation, at, deadline(operation.due).map(|()| at - ready));
                if let Err(errno) = queue.submit(slot, operation) {
                    self.error =
                        Some(CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None });
                    recorder.forget(slot);
                    free.push(slot);
                    break;
                }
                heard = heard.max(at);
                next = operations.next();
            }
            let in_flight = depth - free.len();
            if in_flight == 0 && (next.is_none() || self.error.is_some()) {
                return;
            }
            let look = self.clock.last() + LOOK_NS;
            done.clear();
            if let Err(errno) = queue.wait(in_flight, wake.map_or(look, |wake| wake.min(look)), &mut done) {
                self.error.get_or_insert(CellError {
                    kind: CellErrorKind::Io,
                    errno: Some(errno),
                    offset: None,
                });
                queue.give_up();
                return;
            }
            let now = self.clock.now();
            for Completion { slot, result } in done.drain(..) {
                let operation = recorder.end(slot, now, now - self.begin);
                if i64::from(result) != i64::from(operation.bytes) {
                    self.error.get_or_insert(failure(result, operation.offset));
                }
                free.push(slot);
                (self.last_end, heard) = (now, now);
            }
            if free.len() < depth && now.saturating_sub(heard) > STALL_NS {
                self.error.get_or_insert(CellError {
                    kind: CellErrorKind::Stalled,
                    errno: None,
                    offset: None,
                });
                queue.give_up();
                return;
            }
        }
    }

    /// When an operation may be submitted; `None` while others have to end first.
    fn ready(&self, due: Due, in_flight: usize) -> Option<u64> {
        match due {
            Due::At(at) => Some(self.begin.saturating_add(at)),
            Due::After(think) if in_flight == 0 => Some(self.last_end.saturating_add(think)),
            Due::After(_) => None,
            Due::Now => Some(self.begin),
        }
    }
}

/// Whether an operation has a time of its own.
fn deadline(due: Due) -> Option<()> {
    (due != Due::Now).then_some(())
}

/// A pass that is over, in one line.
pub(crate) fn line(pass: &Pass, number: usize) -> String {
    let rate = per_second(pass.bytes(), Nanos(pass.busy_ns)).map(format_rate);
    let mut figures: Vec<String> = rate.into_iter().map(|rate| format!("{rate} while busy")).collect();
    for (name, transfer) in [("read", &pass.read), ("write", &pass.write)] {
        let mean = transfer.as_ref().and_then(|transfer| transfer.latency.mean());
        figures.extend(mean.map(|mean| format!("{name} access {}", format_nanos(mean))));
    }
    if pass.method.files().is_some() {
        figures = files::figures(pass);
    } else if figures.is_empty() {
        figures.push(format_elapsed(Nanos(pass.elapsed_ns)));
    }
    let ending = match (pass.status, pass.error) {
        (_, Some(error)) => format!(", FAILED: {}", error_text(error)),
        (CellStatus::Void, _) => ", VOID".to_owned(),
        _ => String::new(),
    };
    format!("{number}: {}: {}{ending}", pass.method.label(), figures.join(", "))
}

#[cfg(test)]
mod tests;
