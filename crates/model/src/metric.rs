//! The figures that a cell yields: their names, units and which direction is better.

use crate::{method::Method, units::Unit};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A figure derived from a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// Bytes completed before the deadline per second of the loop.
    BytesPerS,
    /// I/Os completed before the deadline per second of the loop.
    Iops,
    /// Arithmetic mean of the latencies.
    LatencyMeanNs,
    /// Median latency.
    LatencyP50Ns,
    /// 99th percentile of the latencies.
    LatencyP99Ns,
    /// 99.9th percentile of the latencies.
    LatencyP999Ns,
    /// Greatest latency.
    LatencyMaxNs,
    /// Processor time of the measuring process per I/O: what the host paid, not the drive.
    CpuNsPerIo,
}

impl MetricKind {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::BytesPerS,
        Self::Iops,
        Self::LatencyMeanNs,
        Self::LatencyP50Ns,
        Self::LatencyP99Ns,
        Self::LatencyP999Ns,
        Self::LatencyMaxNs,
        Self::CpuNsPerIo,
    ];

    /// The word in metric ids, `bytes_per_s`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::BytesPerS => "bytes_per_s",
            Self::Iops => "iops",
            Self::LatencyMeanNs => "latency_mean_ns",
            Self::LatencyP50Ns => "latency_p50_ns",
            Self::LatencyP99Ns => "latency_p99_ns",
            Self::LatencyP999Ns => "latency_p999_ns",
            Self::LatencyMaxNs => "latency_max_ns",
            Self::CpuNsPerIo => "cpu_ns_per_io",
        }
    }

    /// The unit of its values.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::BytesPerS => Unit::BytesPerSecond,
            Self::Iops => Unit::Iops,
            _ => Unit::Nanoseconds,
        }
    }

    /// Whether a greater value is the better one.
    #[must_use]
    pub fn higher_is_better(self) -> bool {
        matches!(self, Self::BytesPerS | Self::Iops)
    }

    /// Whether drives can be ranked by it: what the host pays for an I/O is no property of the drive.
    #[must_use]
    pub fn ranks_drives(self) -> bool {
        self != Self::CpuNsPerIo
    }

    /// The name for readers.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::BytesPerS => "Throughput",
            Self::Iops => "I/Os per second",
            Self::LatencyMeanNs => "Mean latency",
            Self::LatencyP50Ns => "Median latency",
            Self::LatencyP99Ns => "99th percentile latency",
            Self::LatencyP999Ns => "99.9th percentile latency",
            Self::LatencyMaxNs => "Greatest latency",
            Self::CpuNsPerIo => "Processor time per I/O",
        }
    }
}

/// The name of a metric of a cell, `seq-read.1MiB.q8.t1/bytes_per_s`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricId {
    /// The cell, as [`Method::cell`] writes it.
    pub cell: String,
    /// The figure.
    pub kind: MetricKind,
}

impl MetricId {
    /// The metric `kind` of the cell measured by `method`.
    #[must_use]
    pub fn new(method: &Method, kind: MetricKind) -> Self {
        Self { cell: method.cell(), kind }
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.cell, self.kind.token())
    }
}

/// Why a text is no metric id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no metric id; they look like seq-read.1MiB.q8.t1/bytes_per_s")]
pub struct MetricIdError(pub String);

impl std::str::FromStr for MetricId {
    type Err = MetricIdError;

    fn from_str(text: &str) -> Result<Self, MetricIdError> {
        let fail = || MetricIdError(text.to_owned());
        let (cell, kind) = text.split_once('/').ok_or_else(fail)?;
        let kind = MetricKind::ALL.into_iter().find(|k| k.token() == kind).ok_or_else(fail)?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
        if cell.is_empty() || cell.len() > 64 || !cell.bytes().all(plain) {
            return Err(fail());
        }
        Ok(Self { cell: cell.to_owned(), kind })
    }
}

impl Serialize for MetricId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MetricId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for MetricId {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new().schema_type(utoipa::openapi::schema::Type::String).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for MetricId {}
