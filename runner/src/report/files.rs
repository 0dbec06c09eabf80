//! Copies and loading for people: a row for each pass, and for loading one for each class of files.

use analysis::copied::{Row, explained, rows};
use model::{
    ResultDocument,
    document::CellStatus,
    files::FileClass,
    pass::Workload,
    units::{Nanos, Unit, format_capacity, format_count, format_nanos, grouped},
};
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;

/// Width of the column of names.
const NAME: usize = 30;

/// The table; nothing for a document without such passes. At most 80 columns wide.
pub(super) fn text(document: &ResultDocument) -> String {
    let mut out = String::new();
    let rows = rows(document);
    if rows.is_empty() {
        return out;
    }
    let head = format!(
        "{:<NAME$}{:>8}{:>10}{:>10}{:>10}{:>10}",
        "files", "count", "bytes", "time", "durable", "MB/s"
    );
    let _ = writeln!(out, "{}", head.bold());
    for row in &rows {
        let _ = writeln!(out, "{}", line(row));
        let classes = row.pass.files.as_ref().map_or(&[][..], |moved| &moved.classes);
        let loads = matches!(row.pass.method.workload, Workload::Loading(_));
        for class in classes.iter().filter(|_| loads) {
            let _ = writeln!(out, "  {}", class_line(class));
        }
        if let Some(fell) = row.fell() {
            let _ = writeln!(out, "  fast until it fell {fell}");
        }
    }
    for sentence in explained(document) {
        let _ = writeln!(out, "{sentence}");
    }
    out
}

fn line(row: &Row<'_>) -> String {
    let ending = match row.pass.status {
        CellStatus::Complete | CellStatus::Partial => "",
        CellStatus::Void => "\n  VOID: does not count",
        CellStatus::Failed => "\n  FAILED: does not count",
    };
    let rate =
        row.bytes_per_s.map_or_else(String::new, |rate| grouped(Unit::BytesPerSecond.for_axis(rate), 1));
    // A name that is longer has a line of its own.
    let name = if row.name.chars().count() < NAME {
        row.name.clone()
    } else {
        format!("{}\n{:NAME$}", row.name, "")
    };
    format!(
        "{name:<NAME$}{:>8}{:>10}{:>10}{:>10}{rate:>10}{ending}",
        row.pass.method.files().map_or_else(String::new, |files| files.to_string()),
        format_capacity(row.bytes()),
        row.time(),
        row.settled().unwrap_or_default()
    )
}

/// Files of a class and the mean time of one.
fn class_line(class: &FileClass) -> String {
    let mean = class.time_ns / u64::from(class.files.max(1));
    format!(
        "{:<20}{:>16}{:>10}, {} each",
        class.label(),
        format_count(class.files.into(), "file"),
        format_capacity(class.bytes),
        format_nanos(Nanos(mean))
    )
}
