//! Small I/Os beside large ones: what each load came to, and the best of them.

use crate::method::MethodId;
use serde::{Deserialize, Serialize};

/// So many small and large I/Os in flight at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct InFlight {
    /// Small I/Os in flight; 0 for none.
    pub small: u32,
    /// Large I/Os in flight; 0 for none.
    pub large: u32,
}

/// What one load came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MatrixLoad {
    /// The load.
    pub in_flight: InFlight,
    /// Small I/Os completed per second; 0 when none are in flight.
    pub small_iops: f64,
    /// Large I/Os completed per second; 0 when none are in flight.
    pub large_iops: f64,
    /// Mean latency of the I/Os that [`Matrix`] tells latencies of, nanoseconds; `None` when none of them are in flight.
    pub latency_ns: Option<f64>,
}

/// Which figure a load is best in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BestKind {
    /// Most I/Os per second, small and large together.
    MostIos,
    /// Most bytes per second, small and large together.
    MostBytes,
    /// Least mean latency.
    LeastLatency,
}

/// A numbered point of a matrix: the load that is best in one figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BestLoad {
    /// Its number, from 1.
    pub ordinal: u32,
    /// The figure.
    pub kind: BestKind,
    /// The load.
    pub in_flight: InFlight,
    /// The value: I/Os per second, bytes per second or nanoseconds, by kind.
    pub y: f64,
}

/// Loads of small and large random I/Os, every one measured alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Bytes of a small I/O; `None` when there are only large ones. Latencies are those of the small I/Os, or of the
    /// large ones where there are no small ones.
    pub small_bytes: Option<u32>,
    /// Bytes of a large I/O; `None` when there are only small ones.
    pub large_bytes: Option<u32>,
    /// What the loads have in common, written as the method of a plain cell: all but the sizes and the numbers in
    /// flight.
    pub method: MethodId,
    /// The loads, by large and then by small I/Os in flight.
    pub loads: Vec<MatrixLoad>,
    /// The best ones.
    pub points: Vec<BestLoad>,
}

impl Matrix {
    /// I/Os per second of a load, small and large together.
    #[must_use]
    pub fn iops(load: &MatrixLoad) -> f64 {
        load.small_iops + load.large_iops
    }

    /// Bytes per second of a load, small and large together.
    #[must_use]
    pub fn bytes_per_s(&self, load: &MatrixLoad) -> f64 {
        let bytes = |size: Option<u32>| f64::from(size.unwrap_or(0));
        load.small_iops * bytes(self.small_bytes) + load.large_iops * bytes(self.large_bytes)
    }

    /// The value of a load in a figure; `None` where it has none.
    #[must_use]
    pub fn value(&self, load: &MatrixLoad, kind: BestKind) -> Option<f64> {
        match kind {
            BestKind::MostIos => Some(Self::iops(load)),
            BestKind::MostBytes => Some(self.bytes_per_s(load)),
            BestKind::LeastLatency => load.latency_ns,
        }
    }

    /// The load with so many in flight; `None` when it was not measured.
    #[must_use]
    pub fn at(&self, in_flight: InFlight) -> Option<&MatrixLoad> {
        self.loads.iter().find(|load| load.in_flight == in_flight)
    }
}
