//! What pages say about a result: its name, its marks, its key figures, in words.
//!
//! Numbers become text in `model::units` only.

use crate::islands::Figure;
use model::{
    Method,
    document::{CellStatus, Origin, Outcome, Visibility},
    metric::MetricKind,
    summary::{MetricSummary, ResultHead, ResultSummary, Stats},
    units::{format_capacity, format_utc},
};

/// A mark beside a result's name, with the sentence behind it.
pub(crate) struct Mark {
    /// One or two words.
    pub(crate) word: String,
    /// What it means.
    pub(crate) meaning: &'static str,
    /// Whether it asks for care.
    pub(crate) care: bool,
}

/// Everything that must be said beside a result's name.
pub(crate) fn marks(summary: &ResultSummary) -> Vec<Mark> {
    let mark = |word: &str, meaning, care| Mark { word: word.to_owned(), meaning, care };
    let head = &summary.head;
    let mut marks = vec![match head.origin {
        Origin::Measured => mark("measured", "Figures of a real run, not of a model.", false),
        Origin::Simulated => {
            mark("simulated", "A model of a drive in virtual time; never ranked with measured results.", true)
        }
    }];
    match head.outcome {
        Outcome::Complete => {}
        Outcome::Interrupted => {
            marks.push(mark("partial", "Stopped by the user; the cells that are there are valid.", true));
        }
        Outcome::Failed => marks.push(mark("failed run", "An error stopped the run.", true)),
    }
    for (status, word, meaning) in [
        (CellStatus::Void, "void", "Measured, but without proof that the drive did the work."),
        (CellStatus::Failed, "failed", "An I/O failed in these cells."),
    ] {
        let cells = cells_with(summary, status);
        if cells > 0 {
            let plural = if cells == 1 { "cell" } else { "cells" };
            marks.push(mark(&format!("{cells} {word} {plural}"), meaning, true));
        }
    }
    if head.visibility == Visibility::Unlisted {
        marks.push(mark("unlisted", "Only those who know its full address find it.", false));
    }
    marks
}

fn cells_with(summary: &ResultSummary, status: CellStatus) -> usize {
    summary.metrics.iter().filter(|m| m.kind() == MetricKind::BytesPerS && m.status == status).count()
}

/// Capacity, attachment and file system.
pub(crate) fn details(head: &ResultHead) -> String {
    let capacity = head.capacity_bytes.map(format_capacity);
    let file_system = head.file_system.as_deref().unwrap_or("whole device");
    [capacity.as_deref(), Some(head.transport.text()), Some(file_system)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The day of a wall-clock label, `2026-11-30`.
pub(crate) fn day(unix_ms: u64) -> String {
    let text = format_utc(unix_ms);
    text.split_once(' ').map_or(text.clone(), |(day, _)| day.to_owned())
}

/// Why a metric has no figure that counts, in one or two words.
pub(crate) fn absence(status: Option<CellStatus>) -> &'static str {
    match status {
        Some(CellStatus::Void) => "void",
        Some(CellStatus::Failed) => "failed",
        Some(CellStatus::Complete | CellStatus::Partial) | None => "no result",
    }
}

/// The metric `kind` of the cell with this label; the one that counts where there are several.
pub(crate) fn metric<'a>(
    summary: &'a ResultSummary,
    label: &str,
    kind: MetricKind,
) -> Option<&'a MetricSummary> {
    let all = || summary.metrics.iter().filter(|m| m.kind() == kind && m.label == label);
    all().find(|m| m.counted().is_some()).or_else(|| all().next())
}

/// The median of a metric as a figure of a list.
pub(crate) fn figure(summary: &ResultSummary, label: &str, kind: MetricKind) -> Figure {
    let metric = metric(summary, label, kind);
    match metric.and_then(MetricSummary::counted) {
        Some(stats) => {
            let value = stats.figure(kind);
            let remark = metric.and_then(|metric| metric.method.method().data.remark()).unwrap_or_default();
            Figure { text: kind.unit().format(value), value: Some(value), remark: remark.to_owned() }
        }
        None => {
            let text = absence(metric.map(|m| m.status)).to_owned();
            Figure { text, value: None, remark: String::new() }
        }
    }
}

/// Least to greatest, `3,480.1 to 3,530.2 MB/s`; empty with one value.
pub(crate) fn spread(stats: &Stats, kind: MetricKind) -> String {
    let unit = kind.unit();
    let (min, max) = (unit.format(stats.min), unit.format(stats.max));
    if stats.count < 2 || min == max {
        return String::new();
    }
    // The unit once, unless the two are written in different ones (µs and ms).
    match (min.rsplit_once(' '), max.rsplit_once(' ')) {
        (Some((least, unit)), Some((_, same))) if unit == same => format!("{least} to {max}"),
        _ => format!("{min} to {max}"),
    }
}

/// The figure that a reader looks for first in a cell of this kind: throughput of large blocks,
/// I/Os of small ones.
pub(crate) fn lead_kind(method: &Method) -> MetricKind {
    if method.pattern.sequential() { MetricKind::BytesPerS } else { MetricKind::Iops }
}

/// `1 loop`, `5 loops`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_names_its_unit_once_where_it_is_one() {
        let text = |min, max, kind| {
            spread(&Stats { count: 2, median: min, mean: min, min, max, deviation: None }, kind)
        };
        assert_eq!(text(1e8, 2e9, MetricKind::BytesPerS), "100.0 to 2,000.0 MB/s");
        assert_eq!(text(8e4, 2e6, MetricKind::LatencyP99Ns), "80.00 µs to 2.00 ms");
        assert_eq!(text(5.0, 5.0, MetricKind::Iops), "");
    }
}
