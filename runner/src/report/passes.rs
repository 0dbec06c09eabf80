//! Passes for people: the table of those over traces, and one line for each of the others.

use analysis::played::{format_score, place, score_name};
use model::{
    ResultDocument,
    document::CellStatus,
    pass::{Pass, Workload},
    summary::PassSummary,
    units::{Nanos, Unit, format_elapsed, format_nanos, format_rate, format_seconds, grouped, per_second},
};
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;

/// Both; nothing for a document without passes. At most 80 columns wide.
pub(super) fn text(document: &ResultDocument, passes: &[PassSummary]) -> String {
    let mut out = String::new();
    if document.passes.is_empty() {
        return out;
    }
    if !passes.is_empty() {
        let head = format!(
            "{:<20}{:>10}{:>13}{:>13}{:>10}{:>12}",
            "pass", "MB/s", "read", "write", "score", "time score"
        );
        let _ = writeln!(out, "{}", head.bold());
        for pass in passes {
            let _ = writeln!(out, "{}", row(pass, document.runs).trim_end());
        }
        for line in explained(passes) {
            let _ = writeln!(out, "{line}");
        }
    }
    let mut others: Vec<(String, u64)> = Vec::new();
    for line in document.passes.iter().filter_map(other) {
        match others.iter_mut().find(|(told, _)| *told == line) {
            Some((_, times)) => *times += 1,
            None => others.push((line, 1)),
        }
    }
    if !others.is_empty() {
        let _ = writeln!(out, "\n{}", "between them".bold());
        for (line, times) in others {
            let times = if times == 1 { String::new() } else { format!(", {times} times") };
            let _ = writeln!(out, "  {line}{times}");
        }
    }
    out
}

fn row(pass: &PassSummary, runs: u32) -> String {
    let time = |value: Option<f64>| value.map_or_else(String::new, |ns| Unit::Nanoseconds.format(ns));
    let score = |value: Option<f64>| value.map_or_else(String::new, format_score);
    let rate =
        pass.bytes_per_s.map_or_else(String::new, |rate| grouped(Unit::BytesPerSecond.for_axis(rate), 1));
    let ending = match pass.status {
        CellStatus::Complete => "",
        CellStatus::Partial => "\n  partial: traces are missing",
        CellStatus::Void => "\n  VOID: does not count",
        CellStatus::Failed => "\n  FAILED: does not count",
    };
    format!(
        "{:<20}{rate:>10}{:>13}{:>13}{:>10}{:>12}{ending}",
        place(pass, runs),
        time(pass.read_access_ns),
        time(pass.write_access_ns),
        score(pass.score),
        score(pass.time_score)
    )
}

/// What the columns are.
fn explained(passes: &[PassSummary]) -> Vec<String> {
    let score = score_name(passes).unwrap_or_else(|| "score".to_owned());
    let late = passes.iter().flat_map(|pass| &pass.traces).filter_map(|trace| trace.late_p99_ns).max();
    let late = late.map(|late| {
        format!(
            "deadlines: 99 % of the operations of every trace began within {} of theirs.",
            format_nanos(Nanos(late))
        )
    });
    [
        "MB/s: bytes over the time in which an I/O was outstanding; read, write: mean".to_owned(),
        "time from begin to end.".to_owned(),
        format!("{score}:"),
        "  the geometric mean of MB/s and 1 / seconds of access.".to_owned(),
        "time score: ours; 1,000 for a drive that takes no time beside the recorded one.".to_owned(),
    ]
    .into_iter()
    .chain(late)
    .collect()
}

/// What lies between passes over traces.
fn other(pass: &Pass) -> Option<String> {
    let label = pass.method.label();
    let rate = || per_second(pass.bytes(), Nanos(pass.busy_ns)).map_or_else(String::new, format_rate);
    match pass.method.workload {
        Workload::Trace(_) | Workload::Copying(_) | Workload::Loading(_) => None,
        Workload::Idle(one) => Some(format!("rest of {}", format_seconds(one.seconds))),
        Workload::RandomWrites(_) => Some(format!("{label}: {}", rate())),
        Workload::SequentialWrites(_) => {
            Some(format!("{label}: {} in {}", rate(), format_elapsed(Nanos(pass.elapsed_ns))))
        }
    }
}
