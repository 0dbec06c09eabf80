//! Texts of what is measured and how, which several pages share.

use model::{
    Method, document::CellStatus, drive::Transport, method::DataKind, metric::MetricKind, summary::ResultHead,
};

/// Names of metrics and attachments, numbers of things, ranges, and what stands beside a result.
pub(crate) struct Measures {
    pub(crate) metric: fn(MetricKind) -> &'static str,
    pub(crate) transport: fn(Transport) -> &'static str,
    /// The file system in which a result was measured, or what stands in for one.
    pub(crate) place: fn(&ResultHead) -> String,
    /// The same of a configuration, of which only the file system is known.
    pub(crate) whole_device: &'static str,
    pub(crate) firmware: fn(&str) -> String,
    pub(crate) cooling: fn(&str) -> String,
    pub(crate) slot: fn(&str) -> String,
    pub(crate) fill: fn(&str) -> String,
    pub(crate) allocation_unit: fn(&str) -> String,
    /// Between such parts.
    pub(crate) comma: &'static str,
    /// Least and greatest, as text.
    pub(crate) range: fn(&str, &str) -> String,
    pub(crate) higher_is_better: &'static str,
    pub(crate) lower_is_better: &'static str,
    pub(crate) results: fn(u64) -> String,
    pub(crate) drives: fn(u64) -> String,
    /// Keys that signed results; each stands for a reviewer.
    pub(crate) keys: fn(u64) -> String,
    /// Why there is no figure, in one or two words.
    pub(crate) absence: fn(Option<CellStatus>) -> &'static str,
    /// What must be said beside a figure of such data; `None` for random data.
    pub(crate) data_remark: fn(DataKind) -> Option<&'static str>,
    /// The same in one sentence.
    pub(crate) data_warning: fn(DataKind) -> Option<&'static str>,
    pub(crate) simulated: &'static str,
    pub(crate) partial: &'static str,
    pub(crate) failed_run: &'static str,
    pub(crate) void_cells: fn(u64) -> String,
    pub(crate) failed_cells: fn(u64) -> String,
    /// A method's parameters as one sentence.
    pub(crate) describe: fn(&Method) -> String,
}
