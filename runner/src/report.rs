//! A result for people: head, table of cells, and what to know about them.
//!
//! Every figure comes from `analysis::summary`, every unit from `model::units`.

use analysis::{
    host_limit::host_limit,
    summary::summarise,
    telemetry::{link_under_load, sensors, throttling},
};
use model::{
    KeyId, ResultDocument, ResultId,
    document::{CellErrorKind, CellStatus, Origin, Outcome, Visibility},
    drive::Transport,
    metric::MetricKind,
    proof::VoidReason,
    summary::{MetricSummary, ResultSummary},
    telemetry::Quantity,
    units::{
        Nanos, Unit, format_capacity, format_celsius, format_clock, format_size, format_utc, format_watts,
        grouped,
    },
};
use owo_colors::OwoColorize as _;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// The table of all cells, at most 80 columns wide.
#[must_use]
pub fn table(document: &ResultDocument) -> String {
    // Neither id nor key is shown in the table.
    let summary = summarise(document, ResultId([0; 32]), KeyId([0; 32]));
    if summary.metrics.is_empty() {
        return format!("No cell was measured.\n{}", remarks(document));
    }
    let mut out = format!(
        "{}\n",
        format!(
            "{:<20}{:>10}{:>18}{:>10}{:>11}{:>10}",
            "cell", "MB/s", "min – max", "IOPS", "latency", "best"
        )
        .bold()
    );
    for metric in summary.metrics.iter().filter(|metric| metric.kind() == MetricKind::BytesPerS) {
        let _ = writeln!(out, "{}", row(&summary, metric));
    }
    out.push_str("MB/s, IOPS, latency: median of the loops; a loop's latency is its median.\n");
    out.push_str("best: the fastest loop alone, in MB/s, as CrystalDiskMark shows it.\n");
    out.push_str(&remarks(document));
    out
}

fn row(summary: &ResultSummary, rate: &MetricSummary) -> String {
    let other = |kind| {
        let same = |m: &&MetricSummary| {
            m.kind() == kind
                && m.metric.cell == rate.metric.cell
                && m.method == rate.method
                && m.status == rate.status
        };
        summary.metrics.iter().find(same).and_then(|metric| metric.stats)
    };
    let Some(stats) = rate.stats else {
        return format!(
            "{:<20}{:>10}{:>49}",
            rate.label,
            "no figure",
            ending(rate.status).unwrap_or_default()
        );
    };
    let mb = |value: f64| {
        let value = Unit::BytesPerSecond.for_axis(value);
        let digits = match value {
            value if value < 100.0 => 2,
            value if value < 10_000.0 => 1,
            _ => 0,
        };
        grouped(value, digits)
    };
    // What does not count has no best: the column says why.
    let best = ending(rate.status).map_or_else(|| mb(stats.best(MetricKind::BytesPerS)), str::to_owned);
    let iops = other(MetricKind::Iops).map_or_else(String::new, |stats| grouped(stats.median, 0));
    let latency = other(MetricKind::LatencyP50Ns)
        .map_or_else(String::new, |stats| Unit::Nanoseconds.format(stats.median));
    format!(
        "{:<20}{:>10}{:>18}{iops:>10}{latency:>11}{best:>10}",
        rate.label,
        mb(stats.median),
        format!("{} – {}", mb(stats.min), mb(stats.max)),
    )
}

/// What a cell that is not complete is called in the table.
fn ending(status: CellStatus) -> Option<&'static str> {
    match status {
        CellStatus::Complete => None,
        CellStatus::Partial => Some("partial"),
        CellStatus::Void => Some("VOID"),
        CellStatus::Failed => Some("FAILED"),
    }
}

/// Why cells do not count, and what cannot be proven: each sentence once.
fn remarks(document: &ResultDocument) -> String {
    let mut out = String::new();
    let mut void: BTreeMap<VoidReason, BTreeSet<String>> = BTreeMap::new();
    let mut unproven = BTreeSet::new();
    for cell in &document.cells {
        // What failed says more about it than its reasons.
        for reason in cell.void.iter().filter(|_| cell.status == CellStatus::Void) {
            void.entry(*reason).or_default().insert(cell.method.label());
        }
        if let Some(error) = cell.error {
            let _ = writeln!(out, "{} {}: {}", "failed:".red(), cell.method.label(), error_text(error));
        }
        unproven.extend(cell.proof.unproven.iter().map(|what| what.text()));
    }
    for (reason, labels) in void {
        let labels: Vec<String> = labels.into_iter().collect();
        let _ = writeln!(out, "{} {} ({})", "void:".yellow(), reason.text(), labels.join(", "));
    }
    let mut limited: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for cell in &document.cells {
        if let Some(limit) = host_limit(cell, &document.engine, &document.host) {
            limited.entry(limit.text()).or_default().insert(cell.method.label());
        }
    }
    for (sentence, labels) in limited {
        let labels: Vec<String> = labels.into_iter().collect();
        let _ = writeln!(out, "{} {sentence} ({})", "host:".yellow(), labels.join(", "));
    }
    for sentence in unproven {
        let _ = writeln!(out, "not proven:\n  {sentence}");
    }
    out
}

/// What stopped a cell, in one sentence.
#[must_use]
pub fn error_text(error: model::document::CellError) -> String {
    let what = match error.kind {
        CellErrorKind::Io => "the kernel returned an error for an I/O",
        CellErrorKind::Short => {
            "an I/O moved fewer bytes than asked for: the device is gone or the file was cut"
        }
        CellErrorKind::NoSpace => "no space was left for what was written",
        CellErrorKind::Stalled => "no I/O completed for too long",
        CellErrorKind::Setup => "the measuring engine could not be set up",
    };
    let errno = error.errno.map(|code| format!(": {}", std::io::Error::from_raw_os_error(code)));
    let offset = error.offset.map(|offset| format!(", at byte {offset} of the target"));
    format!("{what}{}{}", errno.unwrap_or_default(), offset.unwrap_or_default())
}

/// Everything a reader wants to know first, and the table.
#[must_use]
pub fn whole(document: &ResultDocument, id: ResultId, key: KeyId) -> String {
    let head = summarise(document, id, key).head;
    let mut out = String::new();
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "{name:<10}{text}");
    };
    let drive = &document.drive;
    let mut about = vec![head.drive.clone()];
    about.extend(head.capacity_bytes.map(format_capacity));
    // A drive without a name is called by its transport already.
    if head.drive_reported || !matches!(drive.transport, Transport::Virtio | Transport::Software) {
        about.push(drive.transport.text().to_owned());
    }
    about.extend(head.firmware.as_ref().map(|firmware| format!("firmware {firmware}")));
    line("drive", &about.join(", "));
    if !drive.stack.is_empty() {
        line("through", &drive.stack.join(" on "));
    }
    let target = &document.target;
    let mut place = vec![target.file_system.clone().unwrap_or_else(|| "whole device".to_owned())];
    place.extend(target.mount_options.iter().cloned());
    line("target", &place.join(", "));
    line("host", &head.host);
    for (name, text) in watched(document) {
        line(name, &text);
    }
    let engine = &document.engine;
    line("engine", &format!("{} ({})", engine.class.token(), engine.features.join(", ")));
    let ending = match document.outcome {
        Outcome::Complete => "complete",
        Outcome::Interrupted => "interrupted by the user",
        Outcome::Failed => "stopped by an error",
    };
    let span = document.cells.first().map(|cell| format_size(cell.method.span_bytes)).unwrap_or_default();
    let took = format_clock(Nanos(document.elapsed_ns));
    let repeats = if document.runs > 1 { format!(" x {}", document.runs) } else { String::new() };
    line("suite", &format!("{}{repeats}, {span}, {ending}, took {took}", document.suite));
    if document.origin == Origin::Simulated {
        line("origin", "SIMULATED: no drive was measured");
    }
    line("date", &format_utc(document.started_unix_ms));
    for (key, text) in &document.labels {
        line(key.token(), &format!("{text} (as the reviewer says)"));
    }
    let seen = if document.visibility == Visibility::Unlisted { "unlisted" } else { "public" };
    line("publish", &format!("{seen}, licence {}", document.license));
    line("result", &id.to_string());
    line("key", &key.to_string());
    out.push('\n');
    out.push_str(&table(document));
    out
}

/// Links, temperatures, throttling and power, as far as they were reported.
fn watched(document: &ResultDocument) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let (link, best) = (link_under_load(&document.telemetry), document.drive.pcie_bytes_per_s());
    if let Some(link) = link {
        let slower = best.is_some_and(|best| link.bytes_per_s() < best);
        let note = if slower { ", slower than both ends can do" } else { "" };
        lines.push(("link", format!("{}{note}", link.text())));
    }
    for sensor in sensors(&document.telemetry) {
        let (label, show): (_, fn(i64) -> String) = match sensor.series.quantity {
            Quantity::Temperature => ("heat", format_celsius),
            Quantity::Power => ("power", format_watts),
        };
        let name = &sensor.series.name;
        let figures = match (sensor.distrust, sensor.series.quantity) {
            (Some(reason), _) => format!("not reported ({})", reason.text()),
            (None, Quantity::Temperature) => {
                let before = sensor.before.map(|value| format!("{} before, ", show(value)));
                let highest = sensor.highest.map(|value| format!("{} at most", show(value)));
                let warning = sensor.series.warning.known();
                let limit = warning.map(|value| format!(", warns from {}", show(*value)));
                [before, highest, limit].into_iter().flatten().collect()
            }
            (None, Quantity::Power) => {
                let mean = sensor.mean.map(|value| format!("{} on average, ", show(value)));
                let highest = sensor.highest.map(|value| format!("{} at most", show(value)));
                [mean, highest].into_iter().flatten().collect::<String>()
            }
        };
        lines.push((label, format!("{name} {figures}")));
    }
    let moved = throttling(&document.telemetry).filter(|moved| moved.any());
    lines.extend(moved.map(|moved| ("throttled", moved.text())));
    lines
}

#[cfg(test)]
mod tests;
