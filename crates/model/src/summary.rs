//! A result as lists, tables and comparisons show it: its head, and each metric with every loop.
//!
//! Made by `analysis::summary` from a document; kept by the store; drawn by charts and pages.

use crate::{
    document::{CellStatus, EngineClass, Origin, Outcome, Visibility},
    drive::Transport,
    finding::{Place, Story},
    ids::{KeyId, ResultId},
    labels::LabelKey,
    method::{Fill, MethodId},
    metric::{MetricId, MetricKind},
    pass::{PassId, Phase, Workload},
    proof::VoidReason,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A result without its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ResultSummary {
    /// What it is and where it comes from.
    pub head: ResultHead,
    /// Its metrics in the order of its cells.
    pub metrics: Vec<MetricSummary>,
    /// What it shows besides them.
    #[serde(default)]
    pub stories: Vec<Story>,
    /// Its passes over traces in the order they were played.
    #[serde(default)]
    pub passes: Vec<PassSummary>,
    /// Its passes on files, and of models of loading, in the order they were run.
    #[serde(default)]
    pub moved: Vec<MovedSummary>,
}

/// What a result is and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ResultHead {
    /// Its id.
    pub id: ResultId,
    /// Other results of the same drive and configuration that are shown as one with it; empty for one alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<ResultId>,
    /// The key that signed it.
    pub key: KeyId,
    /// The drive's name: the model, or the reviewer's name for it when it reports none.
    pub drive: String,
    /// Whether the drive reported that name itself.
    pub drive_reported: bool,
    /// The drive's name in addresses, model and capacity: `samsung-ssd-990-pro-2tb`; of a simulated one it says so.
    pub drive_slug: String,
    /// Firmware, `None` when not reported.
    pub firmware: Option<String>,
    /// Capacity in bytes, `None` when not reported.
    pub capacity_bytes: Option<u64>,
    /// How the drive is attached.
    pub transport: Transport,
    /// The suite.
    pub suite: String,
    /// Wall-clock label of the run's start, milliseconds since 1970 UTC.
    pub started_unix_ms: u64,
    /// Measured or simulated.
    pub origin: Origin,
    /// Public or unlisted.
    pub visibility: Visibility,
    /// How the run ended.
    pub outcome: Outcome,
    /// The class of the engine.
    pub engine: EngineClass,
    /// File-system type, `None` for a device.
    pub file_system: Option<String>,
    /// Its block, cluster or allocation unit, bytes; `None` for a device, and where it was not recorded.
    #[serde(default)]
    pub file_system_block_bytes: Option<u64>,
    /// CPU model, kernel major.minor and kind of machine in one text: `AMD EPYC …, Linux 6.18, virtual machine`.
    pub host: String,
    /// What the reviewer says.
    pub labels: BTreeMap<LabelKey, String>,
}

impl ResultHead {
    /// Every result that it stands for.
    pub fn results(&self) -> impl Iterator<Item = ResultId> {
        std::iter::once(self.id).chain(self.joined.iter().copied())
    }

    /// How an address names it: `A`, and joined results `A~B`.
    #[must_use]
    pub fn address(&self) -> String {
        self.results().map(|id| id.to_string()).collect::<Vec<_>>().join("~")
    }

    /// Bytes of the whole device that was measured; `None` for files on one.
    #[must_use]
    pub fn device_bytes(&self) -> Option<u64> {
        self.capacity_bytes.filter(|_| self.file_system.is_none())
    }
}

/// One metric of one cell over all its measured loops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MetricSummary {
    /// Its name.
    pub metric: MetricId,
    /// How it was measured: equal ids are comparable.
    pub method: MethodId,
    /// The cell's name for readers, `SEQ1M Q8T1 read`.
    pub label: String,
    /// Whether the figures count.
    pub status: CellStatus,
    /// Why they do not.
    pub void: Vec<VoidReason>,
    /// The value of every measured loop, in order; empty when none was finished.
    pub values: Vec<f64>,
    /// Statistics of `values`; `None` when there is no value.
    pub stats: Option<Stats>,
    /// Mean over the runs of the whole suite of each run's best loop, which is the score of reviews that repeat
    /// `CrystalDiskMark`; `None` for fewer than two runs.
    pub mean_of_best: Option<f64>,
}

impl MetricSummary {
    /// The kind of figure.
    #[must_use]
    pub fn kind(&self) -> MetricKind {
        self.metric.kind
    }

    /// The statistics, if the cell's figures count.
    #[must_use]
    pub fn counted(&self) -> Option<&Stats> {
        self.status.counts().then_some(self.stats.as_ref()).flatten()
    }
}

/// One pass over traces: every trace of it once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PassSummary {
    /// Which run of the whole suite it belongs to, from 0.
    pub run: u32,
    /// Which part of a consistency test; `None` for none.
    pub phase: Option<Phase>,
    /// Which pass of it, from 1.
    pub number: u32,
    /// How much of the drive had been made to hold data; `None` when it was left as it was.
    #[serde(default)]
    pub fill: Option<Fill>,
    /// Whether its figures count: failed or void when a trace is, partial when traces are missing.
    pub status: CellStatus,
    /// Bytes of all traces over the time in which at least one I/O was outstanding, bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Mean time of a read, nanoseconds; `None` without any.
    pub read_access_ns: Option<f64>,
    /// Mean time of a write, nanoseconds; `None` without any.
    pub write_access_ns: Option<f64>,
    /// By the formula published for PCMark 10, without its unpublished factor: no score of that program.
    pub score: Option<f64>,
    /// The geometric mean over the traces of recorded time / (recorded time + busy time), times 1,000; `None` where
    /// deadlines did not count or a trace is missing.
    pub time_score: Option<f64>,
    /// Its traces.
    pub traces: Vec<TraceSummary>,
}

/// One trace of a pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TraceSummary {
    /// How it was measured: equal ids are comparable.
    pub method: PassId,
    /// Its name for people.
    pub title: String,
    /// Whether its figures count.
    pub status: CellStatus,
    /// Why they do not.
    pub void: Vec<VoidReason>,
    /// Bytes over busy time, bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Mean time of a read, nanoseconds.
    pub read_access_ns: Option<f64>,
    /// Mean time of a write, nanoseconds.
    pub write_access_ns: Option<f64>,
    /// Time in which at least one I/O was outstanding, nanoseconds.
    pub busy_ns: u64,
    /// From the begin to the last completion, nanoseconds.
    pub elapsed_ns: u64,
    /// How long after their deadlines 99 % of the operations were submitted at most, nanoseconds; `None` without deadlines.
    pub late_p99_ns: Option<u64>,
}

/// One pass on files: a step of a copy, or loading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MovedSummary {
    /// How it was measured: equal ids are comparable.
    pub method: PassId,
    /// Which run of the whole suite it belongs to, from 0.
    pub run: u32,
    /// Its name for people: `game-54 on the drive, pass 2`; what there is one of is not counted.
    pub title: String,
    /// Whether its figures count.
    pub status: CellStatus,
    /// Why they do not.
    pub void: Vec<VoidReason>,
    /// Bytes of its files, or those that a model read.
    pub bytes: u64,
    /// From the begin until its last request returned, nanoseconds.
    pub elapsed_ns: u64,
    /// From the begin until what was written was durable, nanoseconds; `None` where nothing is written.
    pub settled_ns: Option<u64>,
    /// Bytes of the files over the time until the last request returned, bytes per second; `None` without a time.
    pub bytes_per_s: Option<f64>,
    /// Where its speed fell first and for good; `None` when it did not, or the pass was too short to tell.
    pub fell_at: Option<Place>,
}

impl MovedSummary {
    /// Whether it loads files, or plays a model of that, and copies nothing.
    #[must_use]
    pub fn loads(&self) -> bool {
        !matches!(self.method.method().workload, Workload::Copying(_))
    }
}

/// Statistics of a metric's loops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Stats {
    /// Number of values, at least 1.
    pub count: u32,
    /// Median; the mean of the middle two when the count is even.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Sample standard deviation (n - 1); `None` with fewer than two values.
    pub deviation: Option<f64>,
}

impl Stats {
    /// The one figure that stands for all loops: their median; of greatest latencies the greatest, for that is
    /// what the name says.
    #[must_use]
    pub fn figure(&self, kind: MetricKind) -> f64 {
        if kind == MetricKind::LatencyMaxNs { self.max } else { self.median }
    }

    /// The best value: the greatest or the least, by direction. `CrystalDiskMark` shows only this one.
    #[must_use]
    pub fn best(&self, kind: MetricKind) -> f64 {
        if kind.higher_is_better() { self.max } else { self.min }
    }
}
