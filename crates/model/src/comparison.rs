//! Results set side by side: what differs between them, and whether their figures may be divided.
//!
//! Made by `analysis::comparison`. One differing item besides the drive is the axis and is named; two
//! or more allow no percentage; what is not stated may differ; a difference inside the spread is a tie.

use crate::{
    document::CellStatus,
    method::MethodId,
    metric::MetricId,
    summary::{ResultHead, Stats},
};
use serde::{Deserialize, Serialize};

/// Up to eight results, aligned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Comparison {
    /// The results, in the order asked for; the first is the baseline.
    pub series: Vec<Series>,
    /// What may be concluded from differences.
    pub verdict: Verdict,
    /// One row per metric that any of them has.
    pub rows: Vec<Row>,
}

/// One result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Series {
    /// A short name that tells it from the others.
    pub name: String,
    /// The result.
    pub head: ResultHead,
}

/// Something that can differ between results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Item {
    /// How the cells that they share were measured: data, span, times, loops.
    Method,
    /// What part of the drive was measured on, where all else of the method is the same.
    Span,
    /// What the blocks held, where all else of the method is the same.
    Data,
    /// I/Os in flight per thread, where all else of the method is the same.
    QueueDepth,
    /// The state that the suite brought the drive into, where all else of the method is the same.
    StateBefore,
    /// Drives that worked together, where all else of the method is the same.
    Members,
    /// Drive and firmware.
    Drive,
    /// How the drive is attached, with the slot that the reviewer named.
    Attachment,
    /// The slot that the reviewer named, where the attachment is the same.
    Slot,
    /// Cooling as the reviewer named it.
    Cooling,
    /// Fill as the reviewer named it.
    Fill,
    /// File system.
    FileSystem,
    /// What the file system hands out at a time.
    AllocationUnit,
    /// Processor, kernel and kind of machine.
    Host,
    /// Class of the engine.
    Engine,
    /// Measured or simulated.
    Origin,
}

impl Item {
    /// Whether it is a parameter of the methods.
    #[must_use]
    pub fn is_parameter(self) -> bool {
        matches!(self, Self::Span | Self::Data | Self::QueueDepth | Self::StateBefore | Self::Members)
    }

    /// The item's name for readers.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Span => "span",
            Self::Data => "data",
            Self::QueueDepth => "queue depth",
            Self::StateBefore => "state before",
            Self::Members => "drives",
            Self::Drive => "drive",
            Self::Slot => "slot",
            Self::Attachment => "attachment",
            Self::Cooling => "cooling",
            Self::Fill => "fill",
            Self::FileSystem => "file system",
            Self::AllocationUnit => "allocation unit",
            Self::Host => "host",
            Self::Engine => "engine class",
            Self::Origin => "origin",
        }
    }
}

/// An item with the value it has in each series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Difference {
    /// The item.
    pub item: Item,
    /// Its value in each series, in their order; `None` where the reviewer did not state it.
    pub values: Vec<Option<String>>,
}

/// What may be concluded from the differences between the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing differs: repeated runs of one configuration.
    Repeats,
    /// At most the drive and one more item differ; percentages are given.
    Axis {
        /// The differing items: the drive, one more item, or both.
        axis: Vec<Difference>,
        /// Differences that do not forbid a percentage but must be read with it: the host, and the method
        /// where it differs in some cells, which are then not compared.
        caveats: Vec<Difference>,
        /// At most one item that a result does not state: whether it differs is not known, so no
        /// difference can be put down to the axis alone.
        unknown: Vec<Difference>,
    },
    /// Too much differs: side by side, no percentage.
    SideBySide {
        /// All that differs.
        differing: Vec<Difference>,
        /// Items that a result does not state, which may differ too.
        unknown: Vec<Difference>,
    },
}

impl Verdict {
    /// The one item besides the drive that differs, where percentages are given; `None` without one.
    #[must_use]
    pub fn axis_item(&self) -> Option<&Difference> {
        match self {
            Self::Axis { axis, .. } => axis.iter().find(|difference| difference.item != Item::Drive),
            Self::Repeats | Self::SideBySide { .. } => None,
        }
    }

    /// Whether a parameter of the methods is what differs: then figures of different methods are meant to be compared.
    #[must_use]
    pub fn varies_method(&self) -> bool {
        self.axis_item().is_some_and(|axis| axis.item.is_parameter())
    }

    /// Whether percentages may be given.
    #[must_use]
    pub fn allows_percentages(&self) -> bool {
        !matches!(self, Self::SideBySide { .. })
    }
}

/// One metric across the series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Row {
    /// The metric.
    pub metric: MetricId,
    /// The cell's name for readers, `SEQ1M Q8T1 read`.
    pub label: String,
    /// One entry per series, in their order.
    pub entries: Vec<Entry>,
}

impl Row {
    /// The metric of one series: that of the row, but where the series' methods differ in what the verdict names.
    /// `None` when the series has none.
    #[must_use]
    pub fn metric_of(&self, series: usize) -> Option<MetricId> {
        let method = self.entries.get(series)?.method.as_ref()?;
        Some(MetricId::new(method.method(), self.metric.kind))
    }
}

/// One metric of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Entry {
    /// How it was measured; `None` when the series has no such metric.
    pub method: Option<MethodId>,
    /// Whether the figures count; `None` when the series has no such metric.
    pub status: Option<CellStatus>,
    /// The statistics; `None` when there is no figure.
    pub stats: Option<Stats>,
    /// How it stands to the baseline.
    pub standing: Standing,
}

/// How a figure stands to the baseline's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Standing {
    /// It is the baseline.
    Baseline,
    /// The difference is larger than the spread between loops.
    Differs {
        /// Relative change of the median, 0.1 is 10 % more than the baseline.
        change: f64,
        /// Whether that is better, by the metric's direction.
        better: bool,
    },
    /// The difference is not larger than the spread between loops.
    Tie {
        /// Relative change of the median all the same.
        change: f64,
    },
    /// One of the two has fewer than two loops, so there is no spread to hold the difference against.
    SpreadUnknown {
        /// Relative change of the value.
        change: f64,
    },
    /// The methods differ, or too much else does: no percentage.
    NotComparable,
    /// One of the two has no figure that counts.
    Missing,
}
