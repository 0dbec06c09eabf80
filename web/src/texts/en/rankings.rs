//! Rankings in English.

use crate::texts::Rankings;

pub(super) const RANKINGS: Rankings = Rankings {
    title: "Rankings",
    description: "Drives ranked by one metric at a time: only measured figures that were measured alike, with their spread, and ties where a difference is not larger than it.",
    lead: "One metric at a time, and only figures that may be compared: measured alike, on a real drive, with evidence that holds. Simulated, void and failed ones are never ranked. Drives whose difference is inside the spread share a rank.",
    nothing_yet: "No measurement that could be ranked has been published here yet.",
    columns: ["Test", "Rank by", "Drives", "Results"],
    kicker: "Ranking",
    of: |test, metric| format!("{test}: {}", lower(metric)),
    about: |what, drives| {
        format!(
            "{what}, {drives} ranked by the median of their results. Ties where a difference is not larger than the spread."
        )
    },
    rule: "One row is one drive in one configuration; its figure is the median of its results. Neighbours whose difference is not larger than the larger spread of the two share a rank, so the first and the last of many that share one may differ by more.",
    filter: "Limit the ranking",
    interface: "Interface",
    any: "any",
    capacity_from: "Capacity from",
    capacity_to: "to",
    apply: "Show",
    other_metrics: "The same test by",
    row_columns: ["Rank", "Drive", "Median", "Least to greatest loop", "Results"],
    shared: "shared rank",
    spread_unknown: "one loop: spread unknown",
    measured_by: "Measured by",
    polled: "Completions were polled: not comparable with drives whose completions were awaited by blocking.",
    threads: "With a thread for each I/O in flight: not comparable with drives measured through a ring.",
    hosts: |count| {
        format!(
            "These drives were measured on {count} different hosts. A host can limit a fast drive: read small differences with that in mind."
        )
    },
    host: "Host",
    no_drive: "No measured drive has this metric.",
    other_filter: "No measured drive has this metric inside these limits.",
    groups_note: "Figures of different methods are not comparable, so each method has a ranking of its own.",
    cut: "There are more results than are ranked here; the oldest are left out.",
    all: "All rankings",
};

/// A metric's name inside a title; abbreviations keep their capitals.
fn lower(metric: &str) -> String {
    if metric.starts_with("I/O") {
        return metric.to_owned();
    }
    let mut chars = metric.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().collect::<String>() + chars.as_str())
}
