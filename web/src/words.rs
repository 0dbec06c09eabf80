//! What pages say about a result: its name, its marks, its key figures, in words.
//!
//! Numbers become text in `model::units` only.

use model::{
    Method,
    document::{CellStatus, FITTED, Origin, Outcome, Visibility},
    labels::LabelKey,
    method::DataKind,
    metric::MetricKind,
    summary::{MetricSummary, ResultHead, ResultSummary, Stats},
    units::format_capacity,
};

/// A mark beside a result's name, with the sentence behind it.
pub(crate) struct Mark {
    /// One or two words.
    pub(crate) word: String,
    /// What it means.
    pub(crate) meaning: String,
    /// Whether it asks for care.
    pub(crate) care: bool,
}

/// Everything that must be said beside a result's name.
pub(crate) fn marks(summary: &ResultSummary) -> Vec<Mark> {
    let mark =
        |word: &str, meaning: &str, care| Mark { word: word.to_owned(), meaning: meaning.to_owned(), care };
    let head = &summary.head;
    let mut marks = vec![match head.origin {
        Origin::Measured => mark("measured", "Figures of a real run, not of a model.", false),
        Origin::Simulated => mark(
            "simulated",
            &format!("A model of a drive in virtual time, {FITTED}; never ranked with measured results."),
            true,
        ),
    }];
    match head.outcome {
        Outcome::Complete => {}
        Outcome::Interrupted => {
            marks.push(mark("partial", "Stopped by the user; the cells that are there are valid.", true));
        }
        Outcome::Failed => marks.push(mark("failed run", "An error stopped the run.", true)),
    }
    for kind in DataKind::ALL {
        if let Some(meaning) = data_warning(kind)
            && summary.metrics.iter().any(|metric| metric.method.method().data == kind)
        {
            marks.push(mark(&format!("{} data", kind.token()), meaning, true));
        }
    }
    for (status, word) in [(CellStatus::Void, "void"), (CellStatus::Failed, "failed")] {
        let cells = cells_with(summary, status);
        if cells > 0 {
            let plural = if cells == 1 { "cell" } else { "cells" };
            marks.push(mark(&format!("{cells} {word} {plural}"), &why_not_counted(summary, status), true));
        }
    }
    if head.visibility == Visibility::Unlisted {
        marks.push(mark("unlisted", "Only those who know its full address find it.", false));
    }
    marks
}

/// What data of a kind does to a figure; `None` for random data, which no drive can shorten.
pub(crate) fn data_warning(kind: DataKind) -> Option<&'static str> {
    match kind {
        DataKind::Random => None,
        DataKind::Zero => Some(
            "Zeros were written and read, not random data: a drive or array that compresses or merges them looks faster than it is.",
        ),
        DataKind::Repeat => Some(
            "One random buffer was written again and again: a drive or array that merges equal blocks looks faster than it is.",
        ),
        DataKind::Existing => Some("What the file held before was read: nothing is known about that data."),
    }
}

/// Why cells of a status do not count: each reason once, or the number of reasons where they are many.
fn why_not_counted(summary: &ResultSummary, status: CellStatus) -> String {
    const FEW: usize = 2;
    let mut reasons: Vec<&str> = Vec::new();
    for reason in summary.metrics.iter().filter(|m| m.status == status).flat_map(|m| &m.void) {
        if !reasons.contains(&reason.text()) {
            reasons.push(reason.text());
        }
    }
    let kept = match status {
        CellStatus::Failed => "Stopped by an error and not counted.",
        _ => "Measured, not counted.",
    };
    match reasons.len() {
        0 => kept.to_owned(),
        count if count > FEW => format!("{kept} There are {count} reasons, each beside its cells below."),
        _ => format!("{kept} {}", reasons.join(" ")),
    }
}

fn cells_with(summary: &ResultSummary, status: CellStatus) -> usize {
    summary.metrics.iter().filter(|m| m.kind() == MetricKind::BytesPerS && m.status == status).count()
}

/// Capacity, attachment and file system.
pub(crate) fn details(head: &ResultHead) -> String {
    let capacity = head.capacity_bytes.map(format_capacity);
    let place = place(head);
    [capacity.as_deref(), Some(head.transport.text()), Some(place.as_str())]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The file system in which a result was measured, or what stands in for one.
pub(crate) fn place(head: &ResultHead) -> String {
    let without = match head.origin {
        Origin::Measured => "whole device",
        Origin::Simulated => "virtual time",
    };
    head.file_system.clone().unwrap_or_else(|| without.to_owned())
}

/// What the reviewer says of cooling and slot, which tell runs of one drive apart: `cooling fan, slot M2_1`;
/// empty without either.
pub(crate) fn conditions(head: &ResultHead) -> String {
    let told = |key, name: &str| head.labels.get(&key).map(|text| format!("{name} {text}"));
    let told = [told(LabelKey::Cooling, "cooling"), told(LabelKey::Slot, "slot")];
    told.into_iter().flatten().collect::<Vec<_>>().join(", ")
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

/// A text as a sentence: with a capital letter in front and a stop at its end.
pub(crate) fn full_sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let capital: String = chars.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let stop = if text.is_empty() || text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{capital}{}{stop}", chars.as_str())
}

/// `1 loop`, `5 loops`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_sentences() {
        assert_eq!(full_sentence("no such thing; look elsewhere"), "No such thing; look elsewhere.");
        assert_eq!(full_sentence("Done."), "Done.");
        assert_eq!(full_sentence(""), "");
    }

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
