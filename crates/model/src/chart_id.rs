//! The names of the charts, as they stand in addresses and as ids of page sections.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A chart that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChartId {
    /// Sequential throughput, read and write, by block and queue depth.
    Sequential,
    /// Random I/Os per second, read and write, by block and queue depth.
    Random,
    /// Every loop of a cell as a line: what a mean hides.
    RepeatRuns,
    /// I/Os per second or throughput by queue depth.
    QueueDepth,
    /// Mixed reads and writes over time.
    Mixed,
    /// First, last and slowest minute of mixed reads and writes.
    MixedFirstLast,
    /// A continuous write: speed and temperature against what was written.
    Cliff,
    /// Writes with rests: speed and power over time.
    Bursts,
    /// Speed by place, from the beginning to the end of a span.
    Surface,
    /// I/Os per second by small and large I/Os in flight.
    MatrixIops,
    /// Latency by small and large I/Os in flight.
    MatrixLatency,
    /// Throughput by small and large I/Os in flight.
    MatrixThroughput,
    /// Speed and temperature of a sustained write over time.
    Throttling,
    /// Bandwidth of the passes of a consistency test.
    ConsistencyBandwidth,
    /// Access times of the passes of a consistency test.
    ConsistencyAccess,
    /// Scores of the best and the worst pass.
    BestWorst,
    /// Bandwidth of applications' traces.
    Applications,
    /// Times of copies.
    Copies,
    /// Times of loading.
    Loading,
    /// Fast writing by state before.
    Fill,
    /// A short load against a long one.
    BurstEndurance,
    /// Rounds until the drive is steady.
    SteadyState,
    /// Temperature over the whole run.
    Temperature,
    /// Power over the whole run.
    Power,
    /// Throughput by number of drives.
    ArrayScaling,
    /// Latency by percentile.
    LatencyPercentiles,
}

impl ChartId {
    /// All charts in the order of a review's page.
    pub const ALL: [Self; 26] = [
        Self::Sequential,
        Self::Random,
        Self::QueueDepth,
        Self::RepeatRuns,
        Self::Mixed,
        Self::MixedFirstLast,
        Self::SteadyState,
        Self::Cliff,
        Self::BurstEndurance,
        Self::Bursts,
        Self::Fill,
        Self::Surface,
        Self::MatrixIops,
        Self::MatrixLatency,
        Self::MatrixThroughput,
        Self::ConsistencyBandwidth,
        Self::ConsistencyAccess,
        Self::BestWorst,
        Self::Applications,
        Self::Copies,
        Self::Loading,
        Self::Throttling,
        Self::Temperature,
        Self::Power,
        Self::ArrayScaling,
        Self::LatencyPercentiles,
    ];

    /// The name in addresses, `repeat-runs`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::RepeatRuns => "repeat-runs",
            Self::QueueDepth => "queue-depth",
            Self::Mixed => "mixed",
            Self::MixedFirstLast => "mixed-first-last",
            Self::Fill => "fill",
            Self::BurstEndurance => "burst-endurance",
            Self::SteadyState => "steady-state",
            Self::Temperature => "temperature",
            Self::Power => "power",
            Self::Cliff => "cliff",
            Self::Bursts => "bursts",
            Self::Surface => "surface",
            Self::MatrixIops => "matrix-iops",
            Self::MatrixLatency => "matrix-latency",
            Self::MatrixThroughput => "matrix-throughput",
            Self::Throttling => "throttling",
            Self::ConsistencyBandwidth => "consistency-bandwidth",
            Self::ConsistencyAccess => "consistency-access",
            Self::BestWorst => "best-worst",
            Self::Applications => "applications",
            Self::Copies => "copies",
            Self::Loading => "loading",
            Self::ArrayScaling => "array-scaling",
            Self::LatencyPercentiles => "latency-percentiles",
        }
    }
}

impl fmt::Display for ChartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// Why a text names no chart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no chart `{0}`; charts are {all}", all = Self::names())]
pub struct UnknownChart(pub String);

impl UnknownChart {
    fn names() -> String {
        ChartId::ALL.map(ChartId::token).join(", ")
    }
}

impl FromStr for ChartId {
    type Err = UnknownChart;

    fn from_str(text: &str) -> Result<Self, UnknownChart> {
        Self::ALL.into_iter().find(|chart| chart.token() == text).ok_or_else(|| UnknownChart(text.to_owned()))
    }
}
