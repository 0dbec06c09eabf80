//! Drives as a catalogue lists them, and how their figures spread over results, reviewers and firmware.
//!
//! Made by `analysis::catalogue` and the store; shown by pages and the API.

use crate::{
    document::{EngineClass, Origin},
    ids::KeyId,
    method::MethodId,
    metric::MetricId,
};
use serde::{Deserialize, Serialize};

/// A drive with public results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DriveEntry {
    /// Its name in addresses.
    pub slug: String,
    /// Its name, as one of its results spells it.
    pub name: String,
    /// Its make, as far as the name tells it; `None` when it does not.
    pub make: Option<String>,
    /// Capacity in bytes; `None` when it reports none.
    pub capacity_bytes: Option<u64>,
    /// Measured or simulated: the two never share an entry.
    pub origin: Origin,
    /// Public results of it, at least 1.
    pub results: u64,
    /// Keys that signed them, at least 1.
    pub keys: u64,
    /// When the last of them was received, milliseconds since 1970 UTC.
    pub newest_unix_ms: u64,
}

/// A make with drives in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MakeEntry {
    /// Its name; `None` stands for drives whose name tells no make.
    pub make: Option<String>,
    /// Drives of it.
    pub drives: u64,
}

/// The figures of some results of one metric: one for each result, and the loops behind them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Figures {
    /// Number of results, at least 1.
    pub results: u32,
    /// Number of keys that signed them, at least 1.
    pub keys: u32,
    /// Median of the results' figures.
    pub median: f64,
    /// Least figure of a result.
    pub min: f64,
    /// Greatest figure of a result.
    pub max: f64,
    /// Least loop of any result.
    pub least_loop: f64,
    /// Greatest loop of any result.
    pub greatest_loop: f64,
    /// Loops of all results, at least 1.
    pub loops: u32,
}

impl Figures {
    /// The distance between the least and the greatest loop of all results; `None` where a single loop leaves it unknown.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        (self.loops > 1).then_some(self.greatest_loop - self.least_loop)
    }
}

/// A metric of a drive over all its results that were measured alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DriveMetric {
    /// The metric.
    pub metric: MetricId,
    /// How it was measured.
    pub method: MethodId,
    /// Name of the cell for readers, `SEQ1M Q8T1 read`.
    pub label: String,
    /// Class of the engine.
    pub engine: EngineClass,
    /// Over all results.
    pub figures: Figures,
    /// By the key that signed, the one with most results first.
    pub by_key: Vec<OfKey>,
    /// By firmware, in the order of their names.
    pub by_firmware: Vec<OfFirmware>,
}

/// Figures of the results of one key.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OfKey {
    /// The key.
    pub key: KeyId,
    /// Its figures.
    pub figures: Figures,
}

/// Figures of the results with one firmware.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OfFirmware {
    /// The firmware; `None` where it was not reported.
    pub firmware: Option<String>,
    /// Its figures.
    pub figures: Figures,
}

/// A key by its public results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyEntry {
    /// The key's id.
    pub key: KeyId,
    /// When the first of its public results was received, milliseconds since 1970 UTC.
    pub first_unix_ms: u64,
    /// When the last of them was received, milliseconds since 1970 UTC.
    pub last_unix_ms: u64,
    /// Public results that it signed, at least 1.
    pub results: u64,
    /// Drives in them.
    pub drives: u64,
    /// What reviewers call themselves in these results, each name once with the number of results that have it.
    pub reviewers: Vec<(String, u64)>,
    /// Whether the operator withdrew confidence in it.
    pub revoked: bool,
}
