//! `[[workload]]` tables of a suite: what they may say, and the passes that they become.
//!
//! Knows how a test is written down and in which order its passes come. Does not know how a pass is carried out.

use super::{
    MAX_RECORDING_BYTES, Recording, Room, SuiteError,
    files::{Copies, Folder, Loads},
    read_limited,
};
use model::{
    method::{DataKind, Fill},
    pass::{
        DoneBefore, Idle, OWN_PACK, PassMethod, Phase, RandomWrites, SequentialWrites, TracePlay, Workload,
    },
    units::{NS_PER_S, parse_size},
};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use workloads::{APPLICATIONS, Action, Consistency, Content, Trace, WriteSizes};

/// One table.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Written {
    /// Traces, one after the other, several times.
    Traces(Traces),
    /// The consistency test.
    Consistency(Steps),
    /// Copies of sets of files.
    Copies(Copies),
    /// Loading.
    Loading(Loads),
}

/// How traces are played; without anything, as they were recorded.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Traces {
    /// The pack, `applications`.
    pub(super) pack: Option<String>,
    /// A recording of the user's own instead of a pack.
    pub(super) trace: Option<PathBuf>,
    /// Names of the pack that are played; empty for all.
    pub(super) only: Vec<String>,
    /// How often; 1 unless said otherwise.
    pub(super) passes: Option<u32>,
    /// Seconds of rest between two passes.
    pub(super) pause: u32,
    /// Longest idle gap that is kept, milliseconds.
    pub(super) longest_idle: Option<u32>,
    /// Percent of the recorded speed, 0 for as fast as possible.
    pub(super) speed: Option<u32>,
    /// What offsets and sizes are widened to multiples of, bytes.
    pub(super) unit: Option<u32>,
    /// Size of the span; of an own recording its own unless said otherwise.
    pub(super) size: Option<String>,
}

/// The consistency test with all its parameters.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Steps {
    pub(super) pack: String,
    #[serde(default)]
    pub(super) only: Vec<String>,
    pub(super) longest_idle: Option<u32>,
    pub(super) speed: Option<u32>,
    /// How often everything is written first, and in blocks of how many bytes.
    pub(super) fills: u32,
    pub(super) block: String,
    pub(super) degradation: u32,
    /// Seconds of random writes before the first pass, and how many more before each next one.
    pub(super) first: u32,
    pub(super) more: u32,
    pub(super) steady: u32,
    pub(super) steady_seconds: u32,
    pub(super) recovery: u32,
    /// Seconds of rest before each pass of the recovery.
    pub(super) idle: u32,
    pub(super) least: String,
    pub(super) most: String,
    pub(super) unit: u32,
    /// Writes in flight outside of the traces: our choice, none was published.
    pub(super) depth: u32,
    /// Whether everything is written with zeros at the end.
    pub(super) clean: bool,
    pub(super) size: Option<String>,
}

impl Written {
    /// Leaves the size to what the suite has for all.
    pub(super) fn take_common_size(&mut self) {
        match self {
            Self::Traces(traces) => traces.size = None,
            Self::Consistency(steps) => steps.size = None,
            Self::Loading(loads) => loads.size = None,
            Self::Copies(_) => {}
        }
    }

    /// Changes a value that the workload has, and tells whether it has it.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, SuiteError> {
        let bad = || SuiteError::BadSetting { key: key.to_owned(), value: value.to_owned() };
        let number = || value.parse::<u32>().map_err(|_| bad());
        let names = || value.split(',').map(str::to_owned).collect::<Vec<String>>();
        match self {
            Self::Copies(copies) => return Ok(copies.set(key, value)?),
            Self::Loading(loads) => return Ok(loads.set(key, value)?),
            Self::Traces(traces) => match key {
                "passes" => traces.passes = Some(number()?),
                "pause" => traces.pause = number()?,
                "only" => traces.only = names(),
                "longest-idle" => traces.longest_idle = Some(number()?),
                "speed" => traces.speed = Some(number()?),
                "unit" => traces.unit = Some(number()?),
                _ => return Ok(false),
            },
            Self::Consistency(steps) => match key {
                "only" => steps.only = names(),
                "longest-idle" => steps.longest_idle = Some(number()?),
                "speed" => steps.speed = Some(number()?),
                "fills" => steps.fills = number()?,
                "degradation" => steps.degradation = number()?,
                "first" => steps.first = number()?,
                "more" => steps.more = number()?,
                "steady" => steps.steady = number()?,
                "steady-seconds" => steps.steady_seconds = number()?,
                "recovery" => steps.recovery = number()?,
                "idle" => steps.idle = number()?,
                "least" => value.clone_into(&mut steps.least),
                "most" => value.clone_into(&mut steps.most),
                "unit" => steps.unit = number()?,
                "depth" => steps.depth = number()?,
                _ => return Ok(false),
            },
        }
        Ok(true)
    }
}

/// Passes, and the recordings that they play.
#[derive(Default)]
pub(super) struct Made {
    pub(super) passes: Vec<PassMethod>,
    pub(super) recordings: Vec<Recording>,
    pub(super) folders: Vec<Folder>,
}

impl Made {
    /// Adds those of another suite after its own.
    pub(super) fn extend(&mut self, other: Self) {
        self.passes.extend(other.passes);
        self.recordings.extend(other.recordings);
        self.folders.extend(other.folders);
    }

    fn take(&mut self, (passes, folders): (Vec<PassMethod>, Vec<Folder>)) {
        self.passes.extend(passes);
        self.folders.extend(folders);
    }
}

/// The passes of all tables of a suite, at each of its levels of fill. Relative names of recordings are meant from
/// `folder` on.
pub(super) fn passes(suite: &super::Written, room: Room, folder: &Path) -> Result<Made, SuiteError> {
    let mut made = Made::default();
    for fill in super::levels(&suite.fill)? {
        passes_at(fill, suite, room, folder, &mut made)?;
    }
    Ok(made)
}

fn passes_at(
    fill: Option<Fill>,
    suite: &super::Written,
    room: Room,
    folder: &Path,
    made: &mut Made,
) -> Result<(), SuiteError> {
    let common_size = suite.size.as_deref();
    let before = DoneBefore { fill, ..DoneBefore::default() };
    for (number, table) in (1..).zip(&suite.workloads) {
        let first = made.passes.len();
        let size = |own: &Option<String>| {
            own.as_deref().or(common_size).map(|size| room.size(size, fill)).transpose()
        };
        match table {
            Written::Traces(traces) => {
                let span = size(&traces.size)?;
                traces.passes(span, number, folder, before, made)?;
            }
            Written::Consistency(steps) => {
                let missing = SuiteError::WorkloadMissing { number, what: "size" };
                steps.passes(size(&steps.size)?.ok_or(missing)?, number, before, made)?;
            }
            Written::Copies(copies) => made.take(copies.passes(folder, before)?),
            Written::Loading(loads) => made.take(loads.passes(common_size, room, folder, before)?),
        }
        if made.passes[first..].iter().any(|pass| !pass.in_range()) {
            return Err(SuiteError::WorkloadRange { number, problem: RANGES });
        }
        if made.passes.len() > model::pass::MAX_PASSES {
            return Err(SuiteError::CellCount);
        }
    }
    Ok(())
}

const RANGES: &str = "seconds of writing and of rest are 1 to 86,400, passes 1 to 1,000, sizes of writes 512 bytes to \
     64 MiB and no larger than the size, units powers of two from 512 to 65,536, queue depth is 1 to 4096";

/// Plays of the traces of a pack.
fn plays(
    pack: &str,
    only: &[String],
    longest_idle_ms: Option<u32>,
    speed_percent: Option<u32>,
    unit_bytes: u32,
    number: usize,
) -> Result<Vec<TracePlay>, SuiteError> {
    if pack != APPLICATIONS.name {
        return Err(SuiteError::Pack(pack.to_owned()));
    }
    let known = |name: &String| APPLICATIONS.traces.iter().any(|trace| trace.name == name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        return Err(SuiteError::TraceName { number, name: unknown.clone() });
    }
    let all = APPLICATIONS.traces.iter();
    Ok(all
        .filter(|trace| only.is_empty() || only.iter().any(|name| name == trace.name))
        .map(|trace| TracePlay {
            pack: pack.to_owned(),
            version: APPLICATIONS.version,
            name: trace.name.to_owned(),
            longest_idle_ms,
            speed_percent: speed_percent.unwrap_or(100),
            unit_bytes,
        })
        .collect())
}

impl Traces {
    fn passes(
        &self,
        span: Option<u64>,
        number: usize,
        folder: &Path,
        mut before: DoneBefore,
        made: &mut Made,
    ) -> Result<(), SuiteError> {
        let unit = self.unit.unwrap_or(workloads::UNIT_BYTES);
        let (plays, span_bytes) = match (&self.pack, &self.trace) {
            (Some(pack), None) => {
                let missing = SuiteError::WorkloadMissing { number, what: "size" };
                let plays = plays(pack, &self.only, self.longest_idle, self.speed, unit, number)?;
                (plays, span.ok_or(missing)?)
            }
            (None, Some(path)) => {
                let path = folder.join(path);
                let (recording, trace) = Recording::read(&path)?;
                let play = TracePlay {
                    pack: OWN_PACK.to_owned(),
                    version: 1,
                    name: recording.name.clone(),
                    longest_idle_ms: self.longest_idle,
                    speed_percent: self.speed.unwrap_or(100),
                    unit_bytes: unit,
                };
                made.recordings.push(recording);
                let own = trace.span_bytes.max(1).next_multiple_of(super::MIN_SIZE_BYTES);
                (vec![play], span.unwrap_or(own))
            }
            _ => return Err(SuiteError::WorkloadMissing { number, what: "pack or trace, and not both," }),
        };
        for pass in 1..=self.passes.unwrap_or(1) {
            let rest = (pass > 1 && self.pause > 0).then_some(Workload::Idle(Idle { seconds: self.pause }));
            let traces = plays.iter().cloned().map(Workload::Trace);
            for workload in rest.into_iter().chain(traces) {
                let after = before.and(&workload);
                made.passes.push(PassMethod { workload, phase: None, number: pass, span_bytes, before });
                before = after;
            }
            if made.passes.len() > model::pass::MAX_PASSES {
                return Err(SuiteError::CellCount);
            }
        }
        Ok(())
    }
}

impl Steps {
    fn passes(
        &self,
        span_bytes: u64,
        number: usize,
        mut before: DoneBefore,
        made: &mut Made,
    ) -> Result<(), SuiteError> {
        let plays =
            plays(&self.pack, &self.only, self.longest_idle, self.speed, workloads::UNIT_BYTES, number)?;
        let range = SuiteError::WorkloadRange { number, problem: RANGES };
        let size = |text: &str| -> Result<u32, SuiteError> {
            parse_size(text)?.try_into().map_err(|_| SuiteError::WorkloadRange { number, problem: RANGES })
        };
        let ns = |seconds: u32| u64::from(seconds) * NS_PER_S;
        let block_bytes = size(&self.block)?;
        let test = Consistency {
            method: "consistency",
            fill_block_bytes: block_bytes,
            precondition_passes: self.fills,
            degradation_passes: self.degradation,
            first_ns: ns(self.first),
            more_ns: ns(self.more),
            steady_passes: self.steady,
            steady_ns: ns(self.steady_seconds),
            recovery_passes: self.recovery,
            idle_ns: ns(self.idle),
            writes: WriteSizes {
                least_bytes: size(&self.least)?,
                most_bytes: size(&self.most)?,
                unit_bytes: self.unit,
            },
        };
        // Before anything is listed: every pass has a trace at least.
        if self.fills > 100 || test.passes() > model::pass::MAX_PASSES as u64 {
            return Err(range);
        }
        for step in test.steps() {
            let phase = match step.phase {
                workloads::Phase::Precondition => Phase::Precondition,
                workloads::Phase::Degradation => Phase::Degradation,
                workloads::Phase::Steady => Phase::Steady,
                workloads::Phase::Recovery => Phase::Recovery,
                workloads::Phase::CleanUp if !self.clean => continue,
                workloads::Phase::CleanUp => Phase::CleanUp,
            };
            // A time that is no whole number of seconds was never given.
            let seconds = |ns: u64| u32::try_from(ns / NS_PER_S).unwrap_or(u32::MAX);
            let workloads = match step.action {
                Action::Fill { content, block_bytes } => {
                    let data = match content {
                        Content::Random => DataKind::Random,
                        Content::Zeros => DataKind::Zero,
                    };
                    let queue_depth = self.depth;
                    let writes = SequentialWrites { bytes: span_bytes, block_bytes, queue_depth, data };
                    vec![Workload::SequentialWrites(writes)]
                }
                Action::RandomWrites { ns } => vec![Workload::RandomWrites(RandomWrites {
                    seconds: seconds(ns),
                    least_bytes: test.writes.least_bytes,
                    most_bytes: test.writes.most_bytes,
                    unit_bytes: test.writes.unit_bytes,
                    queue_depth: self.depth,
                })],
                Action::Idle { ns } => vec![Workload::Idle(Idle { seconds: seconds(ns) })],
                Action::Traces => plays.iter().cloned().map(Workload::Trace).collect(),
            };
            for workload in workloads {
                let after = before.and(&workload);
                let (phase, number) = (Some(phase), step.pass);
                made.passes.push(PassMethod { workload, phase, number, span_bytes, before });
                before = after;
            }
        }
        Ok(())
    }
}

impl Recording {
    /// Reads a recording and what it comes to.
    ///
    /// # Errors
    /// When it cannot be read, or is of no format that is known.
    pub fn read(path: &Path) -> Result<(Self, Trace), SuiteError> {
        let unread = |source| SuiteError::Recording { path: path.to_owned(), source };
        let path = std::path::absolute(path).map_err(unread)?;
        let text = read_limited(&path, MAX_RECORDING_BYTES).map_err(unread)?;
        let recorded = workloads::read("recording", &text)
            .map_err(|source| SuiteError::NoTrace { path: path.clone(), source })?;
        let trace = recorded.trace;
        let recording = Self {
            path,
            name: format!("{:016x}", trace.fingerprint()),
            read_bytes: trace.totals.read_bytes,
            written_bytes: trace.totals.written_bytes,
            duration_ns: trace.duration_ns,
        };
        Ok((recording, trace))
    }
}
