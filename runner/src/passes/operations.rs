//! The operations that a pass consists of.
//!
//! Knows where they come from: a pack, a recording, or an endless stream. Does not know when they are submitted.

use crate::{
    engine::EngineError,
    hint::{Failure, shown},
    plan::Plan,
    suite::Recording,
};
use model::{
    pass::{Idle, PassMethod, RandomWrites, SequentialWrites, TracePlay, Workload},
    units::format_size,
};
use workloads::{Due, Op, Operation, Play, Trace, WriteSizes};

/// Where the operations of a pass come from.
pub(super) enum Source {
    Trace(Box<Trace>, Play),
    RandomWrites(workloads::RandomWrites, RandomWrites),
    SequentialWrites(SequentialWrites),
    Nothing,
}

impl Source {
    pub(super) fn of(plan: &Plan, method: &PassMethod, seed: u64) -> Result<Self, EngineError> {
        let unfit = || EngineError::Method(method.label());
        Ok(match &method.workload {
            Workload::Trace(trace) => {
                let found = found(plan, trace).ok_or_else(unfit)?;
                let play = play(trace, method.span_bytes);
                found.play(&play).map_err(|_| unfit())?;
                Self::Trace(Box::new(found), play)
            }
            Workload::RandomWrites(writes) => {
                let RandomWrites { least_bytes, most_bytes, unit_bytes, .. } = *writes;
                let sizes = WriteSizes { least_bytes, most_bytes, unit_bytes };
                let stream = workloads::RandomWrites::new(sizes, method.span_bytes, seed);
                Self::RandomWrites(stream.map_err(|_| unfit())?, *writes)
            }
            Workload::SequentialWrites(writes) => Self::SequentialWrites(*writes),
            Workload::Idle(Idle { .. }) => Self::Nothing,
            Workload::Copying(_) | Workload::Loading(_) => return Err(unfit()),
        })
    }

    /// No operation is larger, bytes.
    pub(super) fn largest_bytes(&self) -> u32 {
        match self {
            Self::Trace(trace, play) => trace.play(play).map_or(0, |played| played.largest_bytes()),
            Self::RandomWrites(_, writes) => writes.most_bytes,
            Self::SequentialWrites(writes) => writes.block_bytes,
            Self::Nothing => 0,
        }
    }

    /// Most operations in flight; `None` where nothing says how many.
    pub(super) fn most_in_flight(&self) -> Option<u32> {
        match self {
            Self::Trace(trace, _) => trace.most_in_flight,
            Self::RandomWrites(_, writes) => Some(writes.queue_depth),
            Self::SequentialWrites(writes) => Some(writes.queue_depth),
            Self::Nothing => Some(1),
        }
    }

    /// Hands the operations over, in their order.
    pub(super) fn with_operations(&mut self, take: &mut dyn FnMut(&mut dyn Iterator<Item = Operation>)) {
        match self {
            Self::Trace(trace, play) => {
                if let Ok(mut played) = trace.play(play) {
                    take(&mut played);
                }
            }
            Self::RandomWrites(stream, _) => take(stream),
            Self::SequentialWrites(writes) => take(&mut in_order(*writes)),
            Self::Nothing => take(&mut std::iter::empty()),
        }
    }
}

/// Writes from the begin of the span on.
pub(crate) fn in_order(writes: SequentialWrites) -> impl Iterator<Item = Operation> {
    let SequentialWrites { bytes, block_bytes, .. } = writes;
    let block = u64::from(block_bytes);
    (0..bytes.div_ceil(block)).map(move |index| {
        let offset = index * block;
        let bytes = u32::try_from((bytes - offset).min(block)).unwrap_or(block_bytes);
        Operation { due: Due::Now, op: Op::Write, offset, bytes }
    })
}

/// How a trace is played on a span.
pub(crate) fn play(trace: &TracePlay, span_bytes: u64) -> Play {
    Play {
        speed_percent: trace.speed_percent.max(1),
        longest_idle_ns: trace.longest_idle_ms.map(|ms| u64::from(ms) * 1_000_000),
        no_stall: trace.speed_percent == 0,
        span_bytes: Some(span_bytes),
        unit_bytes: trace.unit_bytes,
        ..Play::default()
    }
}

/// The model that is meant, in the version that is meant.
pub(crate) fn model_trace(trace: &TracePlay) -> Option<Trace> {
    workloads::model(&trace.name).filter(|found| !trace.is_own() && found.version == trace.version)
}

/// The trace that is meant.
pub(crate) fn found(plan: &Plan, trace: &TracePlay) -> Option<Trace> {
    if !trace.is_own() {
        return model_trace(trace);
    }
    let own = plan.suite.recordings.iter().find(|own| own.name == trace.name)?;
    let (now, found) = Recording::read(&own.path).ok()?;
    (now.name == own.name).then_some(found)
}

/// What offsets and sizes of a pass are multiples of, bytes.
pub(crate) fn unit_bytes(plan: &Plan, method: &PassMethod) -> u32 {
    match &method.workload {
        Workload::Trace(trace) => {
            let own = found(plan, trace).map_or(trace.unit_bytes, |found| found.unit_bytes);
            own.max(trace.unit_bytes)
        }
        Workload::RandomWrites(writes) => writes.unit_bytes,
        Workload::SequentialWrites(writes) => {
            let bits = u64::from(writes.block_bytes) | writes.bytes;
            1 << bits.trailing_zeros().min(30)
        }
        Workload::Idle(_) => 1 << 30,
        // Their requests are rounded up to it.
        Workload::Copying(_) | Workload::Loading(_) => 4096,
    }
}

/// Whether every trace of the plan is there, as it was when the plan was made, and can be played on its span.
///
/// # Errors
/// When one is not.
pub(crate) fn check(plan: &Plan) -> Result<(), Failure> {
    for own in &plan.suite.recordings {
        let (now, _) = Recording::read(&own.path)
            .map_err(|error| Failure::failed("the recording cannot be played").because(error))?;
        if now.name != own.name {
            return Err(Failure::refused(format!("{} was changed since the run began", shown(&own.path)))
                .hint("bring its former content back, or begin a new run"));
        }
    }
    let mut seen = Vec::new();
    for method in &plan.suite.passes {
        let Workload::Trace(trace) = &method.workload else { continue };
        if seen.contains(&(trace, method.span_bytes)) {
            continue;
        }
        seen.push((trace, method.span_bytes));
        let unplayed = || Failure::refused(format!("{} cannot be played", trace.title()));
        let Some(found) = found(plan, trace) else {
            return Err(unplayed().because("there is no such trace in this version of Cliffmark"));
        };
        found.play(&play(trace, method.span_bytes)).map_err(|error| {
            unplayed()
                .because(error)
                .hint(format!("--set size={} is enough", format_size(found.span_bytes).replace(' ', "")))
        })?;
    }
    Ok(())
}
