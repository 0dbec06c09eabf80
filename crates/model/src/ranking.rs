//! Drives in the order of one metric, as far as their figures may be compared.
//!
//! Made by `analysis::ranking`. Figures of different methods or engines stand in groups of their own.

use crate::{
    catalogue::Figures, document::EngineClass, drive::Transport, ids::ResultId, method::MethodId,
    metric::MetricId,
};
use serde::{Deserialize, Serialize};

/// The drives of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Ranking {
    /// The metric.
    pub metric: MetricId,
    /// Name of the cell for readers, `SEQ1M Q8T1 read`; empty when nothing was measured.
    pub label: String,
    /// Whether a greater figure is the better one.
    pub higher_is_better: bool,
    /// Figures that may be compared with each other, the group with most drives first.
    pub groups: Vec<RankingGroup>,
    /// Whether there were more results than are looked at: then the oldest are left out.
    pub cut: bool,
}

/// Drives measured alike, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RankingGroup {
    /// The method of all of them.
    pub method: MethodId,
    /// The class of engine of all of them.
    pub engine: EngineClass,
    /// One row for each drive in one configuration.
    pub rows: Vec<RankingRow>,
    /// The hosts they were measured on, each once: more than one is a caveat, for a host may limit a fast drive.
    pub hosts: Vec<String>,
}

/// A drive in one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RankingRow {
    /// Its rank from 1; rows whose figures are not further apart than their spread have the rank of the first of them.
    pub rank: u32,
    /// Whether another row has the same rank.
    pub shared: bool,
    /// The configuration.
    pub configuration: Configuration,
    /// Its figures.
    pub figures: Figures,
    /// The hosts it was measured on, each once.
    pub hosts: Vec<String>,
    /// The results behind it, newest first, at most 16.
    pub results: Vec<ResultId>,
}

/// A drive as it was measured: results that differ in any of this are rows of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Configuration {
    /// The drive's name.
    pub drive: String,
    /// The drive's name in addresses.
    pub drive_slug: String,
    /// Capacity in bytes; `None` when not reported.
    pub capacity_bytes: Option<u64>,
    /// Firmware; `None` when not reported.
    pub firmware: Option<String>,
    /// How the drive is attached.
    pub transport: Transport,
    /// File-system type; `None` for a whole device.
    pub file_system: Option<String>,
    /// Block of the file system in bytes; `None` for a whole device, and where it was not recorded.
    pub file_system_block_bytes: Option<u64>,
    /// The slot, in the reviewer's words; `None` when not stated, as with the next two.
    pub slot: Option<String>,
    /// The cooling, in the reviewer's words.
    pub cooling: Option<String>,
    /// How full the drive was, in the reviewer's words.
    pub fill: Option<String>,
}

/// A metric that drives can be ranked by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RankedMetric {
    /// The metric.
    pub metric: MetricId,
    /// One of the methods it was measured with.
    pub method: MethodId,
    /// Drives that have it.
    pub drives: u64,
    /// Results that have it.
    pub results: u64,
}
