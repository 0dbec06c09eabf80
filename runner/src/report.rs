//! A result for people: head, table of cells, and what to know about them.
//!
//! Every figure comes from `analysis::summary`, every unit from `model::units`.

mod files;
mod passes;

use crate::{plan::passes_count, suite, wrap::wrapped};
use analysis::{
    plausibility,
    proof::void_members,
    stats,
    summary::{cell_values, loop_details, summarise},
    telemetry::{link_under_load, sensors, throttling},
};
use model::{
    KeyId, Method, ResultDocument, ResultId,
    document::{Cell, CellErrorKind, CellStatus, EngineClass, Origin, Outcome, Resumption, Visibility},
    drive::{Drive, Transport},
    finding::Story,
    metric::MetricKind,
    pass::Workload,
    proof::VoidReason,
    summary::{MetricSummary, ResultSummary},
    telemetry::Quantity,
    units::{
        Nanos, Unit, format_capacity, format_celsius, format_clock, format_count, format_rate, format_utc,
        format_watts, grouped,
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
    if summary.metrics.is_empty() && document.passes.is_empty() {
        return format!("No cell was measured.\n{}", remarks(document));
    }
    let mut out = if summary.metrics.is_empty() { String::new() } else { cells(document, &summary) };
    if !out.is_empty() && !document.passes.is_empty() {
        out.push('\n');
    }
    let heat: Vec<String> =
        watched(document).into_iter().filter(|(name, _)| *name == "heat").map(|(_, text)| text).collect();
    if !heat.is_empty() {
        let _ = writeln!(out, "heat: {}", heat.join("; "));
    }
    out.push_str(&files::text(document));
    out.push_str(&passes::text(document, &summary.passes));
    out.push_str(&stories(&summary));
    out.push_str(&remarks(document));
    out
}

/// The table of cells.
fn cells(document: &ResultDocument, summary: &ResultSummary) -> String {
    let mut out = format!(
        "{}\n",
        format!(
            "{:<20}{:>10}{:>18}{:>10}{:>11}{:>10}",
            "cell", "MB/s", "min – max", "IOPS", "latency", "best"
        )
        .bold()
    );
    for metric in summary.metrics.iter().filter(|metric| metric.kind() == MetricKind::BytesPerS) {
        let _ = writeln!(out, "{}", row(summary, metric).trim_end());
        for line in details(document, metric) {
            let _ = writeln!(out, "  {line}");
        }
        if let Some(mean) = metric.mean_of_best.filter(|_| metric.counted().is_some()) {
            let _ = writeln!(out, "  mean of the runs' best loops: {}", Unit::BytesPerSecond.format(mean));
            out.push_str(&wrapped("  ", 4, &run_by_run(document, metric)));
        }
        if let Some(ending) = ending(metric) {
            let _ = writeln!(out, "  {}", ending.yellow());
        }
    }
    out.push_str("MB/s, IOPS, latency: median of the loops; a loop's latency is its median.\n");
    out.push_str("best: the fastest loop alone, in MB/s, as CrystalDiskMark shows it.\n");
    out
}

/// The medians of a metric's runs of the suite in their order, and how far all loops lie apart.
fn run_by_run(document: &ResultDocument, metric: &MetricSummary) -> String {
    let same = |cell: &&Cell| cell.method.id() == metric.method && cell.status == metric.status;
    let rates = document.cells.iter().filter(same).map(|cell| cell_values(cell, MetricKind::BytesPerS));
    let medians = rates.filter_map(|rates| Some(Unit::BytesPerSecond.for_axis(stats::of(&rates)?.median)));
    let medians: Vec<String> = medians.map(|rate| grouped(rate, 1)).collect();
    let deviation = metric.stats.and_then(|stats| stats.deviation);
    let deviation = deviation.map(|value| format!("; deviation of all loops {}", format_rate(value)));
    format!("run by run: {} MB/s{}", medians.join(", "), deviation.unwrap_or_default())
}

/// What the result shows besides its figures.
fn stories(summary: &ResultSummary) -> String {
    let mut out = String::new();
    for Story { title, sentences, .. } in &summary.stories {
        let _ = writeln!(out, "\n{}", title.bold());
        for sentence in sentences {
            out.push_str(&wrapped("  ", 4, sentence));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
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
    // A long name has a line of its own.
    let label = match rate.label.chars().count() {
        0..=20 => format!("{:<20}", rate.label),
        _ => format!("{}\n{:20}", rate.label, ""),
    };
    let Some(stats) = rate.stats else {
        return format!("{label}{:>10}", "no figure");
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
    // What does not count has no best.
    let best = rate.counted().map_or_else(String::new, |stats| mb(stats.best(MetricKind::BytesPerS)));
    let iops = other(MetricKind::Iops).map_or_else(String::new, |stats| grouped(stats.median, 0));
    let latency = other(MetricKind::LatencyP50Ns)
        .map_or_else(String::new, |stats| Unit::Nanoseconds.format(stats.median));
    // One loop has no range.
    let range = match stats.count {
        1 => String::new(),
        _ => format!("{} – {}", mb(stats.min), mb(stats.max)),
    };
    format!("{label}{:>10}{range:>18}{iops:>10}{latency:>11}{best:>10}", mb(stats.median))
}

/// What is said below the row of a cell with a single loop that was more than one direction, or ended early.
fn details(document: &ResultDocument, rate: &MetricSummary) -> Vec<String> {
    let cell = document.cells.iter().find(|cell| cell.method == *rate.method.method());
    match cell.map(|cell| (cell, cell.loops.as_slice())) {
        Some((cell, [only])) => loop_details(&cell.method, only),
        _ => Vec::new(),
    }
}

/// What is said below the row of a cell that is not complete.
fn ending(rate: &MetricSummary) -> Option<String> {
    match rate.status {
        CellStatus::Complete => None,
        CellStatus::Partial => {
            let Method { loops, .. } = rate.method.method();
            Some(format!("partial: {} of {}", rate.values.len(), format_count((*loops).into(), "loop")))
        }
        CellStatus::Void => Some("VOID: does not count".to_owned()),
        CellStatus::Failed => Some("FAILED: does not count".to_owned()),
    }
}

/// Why cells do not count, what to know about the others, and what cannot be proven: each sentence once.
fn remarks(document: &ResultDocument) -> String {
    let mut out = String::new();
    for resumption in &document.resumptions {
        out.push_str(&noted("resumed:", &resumed(resumption, document)));
    }
    for (kind, line) in not_counted(document) {
        out.push_str(&noted(&format!("{kind}:"), &line));
    }
    let mut findings = plausibility::check(document);
    // Resumptions stand above with their time, and the lines of sensors say when one is not reported.
    findings.retain(|finding| !finding.fatal && !matches!(finding.code, "resumed" | "sensor"));
    for remark in plausibility::by_cell(document, &findings) {
        out.push_str(&noted("remark:", &remark.line()));
    }
    for sentence in unproven(document) {
        out.push_str(&wrapped("not proven: ", 2, sentence));
    }
    out
}

/// A sentence behind a word that asks for attention. Colour takes no room, so it is put on after the lines are made.
fn noted(word: &str, sentence: &str) -> String {
    wrapped(&format!("{word} "), 2, sentence).replacen(word, &word.yellow().to_string(), 1)
}

/// When a run went on, what was measured before, and what that means.
fn resumed(resumption: &Resumption, document: &ResultDocument) -> String {
    let (cells, passes) = (document.cells.len(), document.passes.len());
    let steps = match (cells, passes) {
        (cells, 0) => format_count(cells as u64, "cell"),
        (0, passes) => passes_count(passes),
        _ => format!("{} cells and passes", cells + passes),
    };
    format!(
        "{}, after {} of {}: a new fill came first, and the drive had rested",
        format_utc(resumption.resumed_unix_ms),
        resumption.cells_before,
        steps,
    )
}

/// Cells and passes whose figures do not count, `failed` with their error and `void` with each reason once, with the cells by name.
#[must_use]
pub fn not_counted(document: &ResultDocument) -> Vec<(&'static str, String)> {
    let source = match (document.origin, document.drive.model.known()) {
        (Origin::Measured, _) => "the kernel".to_owned(),
        (Origin::Simulated, Some(model)) => format!("the simulated {model}"),
        (Origin::Simulated, None) => "the simulated drive".to_owned(),
    };
    let mut lines = Vec::new();
    let mut void: BTreeMap<VoidReason, Vec<String>> = BTreeMap::new();
    for cell in &document.cells {
        // What failed says more about it than its reasons.
        for reason in cell.void.iter().filter(|_| cell.status == CellStatus::Void) {
            let labels = void.entry(*reason).or_default();
            let label = format!("{}{}", cell.method.label(), of_drives(&void_members(cell, *reason)));
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        if let Some(error) = cell.error {
            let drive: Vec<usize> = cell.failed_member.map(usize::from).into_iter().collect();
            let label = format!("{}{}", cell.method.label(), of_drives(&drive));
            lines.push(("failed", format!("{label}: {}", error_text_from(error, &source))));
        }
    }
    for pass in &document.passes {
        for reason in pass.void.iter().filter(|_| pass.status == CellStatus::Void) {
            let labels = void.entry(*reason).or_default();
            let label = pass.method.label();
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        if let Some(error) = pass.error {
            lines.push(("failed", format!("{}: {}", pass.method.label(), error_text_from(error, &source))));
        }
    }
    lines.extend(
        void.into_iter().map(|(reason, labels)| {
            ("void", format!("{} ({})", reason.text(), plausibility::some_of(&labels)))
        }),
    );
    lines
}

/// Which of several drives apart, from 0, a word on a cell is about: `, on drive 2`; empty for none of them.
fn of_drives(drives: &[usize]) -> String {
    let numbers: Vec<String> = drives.iter().map(|drive| (drive + 1).to_string()).collect();
    match numbers.len() {
        0 => String::new(),
        1 => format!(", on drive {}", numbers[0]),
        _ => format!(", on drives {}", numbers.join(" and ")),
    }
}

/// What cannot be proven in any of the cells, each sentence once.
#[must_use]
pub fn unproven(document: &ResultDocument) -> BTreeSet<&'static str> {
    let passes = document.passes.iter().map(|pass| &pass.proof);
    let proofs = document.cells.iter().map(|cell| &cell.proof).chain(passes);
    proofs.flat_map(|proof| &proof.unproven).map(|what| what.text()).collect()
}

/// What stopped a cell, in one sentence.
#[must_use]
pub fn error_text(error: model::document::CellError) -> String {
    error_text_from(error, "the kernel")
}

/// The same, with who returned it: a drive that is simulated has no kernel.
fn error_text_from(error: model::document::CellError, source: &str) -> String {
    let returned = format!("{source} returned an error for an I/O");
    let what = match error.kind {
        CellErrorKind::Io => returned.as_str(),
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
    for (drives, text) in members(drive) {
        line(if drives == 1 { "member" } else { "members" }, &format!("{drives} × {text}"));
    }
    let mut places: Vec<String> = Vec::new();
    for target in document.targets() {
        let mut place = vec![target.file_system.clone().unwrap_or_else(|| "whole device".to_owned())];
        place.extend(target.mount_options.iter().cloned());
        let text = place.join(", ");
        if !places.contains(&text) {
            places.push(text);
        }
    }
    for text in places {
        line("target", &text);
    }
    for (_, text) in analysis::states::of_document(document) {
        line("state", &text);
    }
    line("host", &head.host);
    for (name, text) in watched(document) {
        line(name, &text);
    }
    let engine = &document.engine;
    let way = format!("{}; waits {}", engine.class.token(), engine.wait.text());
    // A simulated drive waits for nothing.
    line("engine", if engine.class == EngineClass::Simulated { engine.class.token() } else { way.as_str() });
    for (name, list) in [("granted", &engine.features), ("refused", &engine.refused)] {
        if !list.is_empty() {
            line(name, &list.join("; "));
        }
    }
    let ending = match document.outcome {
        Outcome::Complete => "complete",
        Outcome::Interrupted => "interrupted by the user",
        Outcome::Failed => "failed",
    };
    let resumed = match document.resumptions.len() {
        0 => String::new(),
        times => format!(", resumed {}", format_count(times as u64, "time")),
    };
    let took = format_clock(Nanos(document.elapsed_ns));
    let repeats = if document.runs > 1 { format!(" x {}", document.runs) } else { String::new() };
    let changed = suite::changed_document(document);
    line("suite", &format!("{}{repeats}{changed}; {ending}{resumed}, took {took}", document.suite));
    for text in methods(document) {
        line("method", &text);
    }
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

/// The drives of an array or apart in the order of the first of each kind, with how many there are of it.
fn members(drive: &Drive) -> Vec<(usize, String)> {
    let mut kinds: Vec<(usize, String)> = Vec::new();
    for member in &drive.members {
        let name = member.model.known().cloned().unwrap_or_else(|| "a drive without a name".to_owned());
        let capacity = member.capacity_bytes.known().map(|bytes| format_capacity(*bytes));
        let firmware = member.firmware.known().map(|firmware| format!("firmware {firmware}"));
        let kind = Some(member.transport.text().to_owned());
        let text: Vec<String> = [Some(name), capacity, kind, firmware].into_iter().flatten().collect();
        let text = text.join(", ");
        match kinds.iter_mut().find(|(_, known)| *known == text) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, text)),
        }
    }
    kinds
}

/// What is written, on how much, how often and how long, for the cells that share it: by name when not all do.
fn methods(document: &ResultDocument) -> Vec<String> {
    let mut shared: Vec<(String, Vec<String>)> = Vec::new();
    for Cell { method, .. } in &document.cells {
        let text = method.conditions();
        let label = method.label();
        match shared.iter_mut().find(|(known, _)| *known == text) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => shared.push((text, vec![label])),
        }
    }
    for pass in &document.passes {
        // What the label says already is not said again.
        let (text, label) = match &pass.method.workload {
            Workload::Trace(trace) => (pass.method.conditions(), trace.title()),
            Workload::Idle(_) => continue,
            Workload::RandomWrites(_) => (pass.method.conditions(), "random writes".to_owned()),
            Workload::SequentialWrites(_) => (pass.method.conditions(), "writes in order".to_owned()),
            Workload::Copying(copying) => (copying.conditions(), "copies".to_owned()),
            Workload::Loading(loading) => (loading.conditions(), loading.title()),
        };
        match shared.iter_mut().find(|(known, _)| *known == text) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => shared.push((text, vec![label])),
        }
    }
    match shared.as_slice() {
        [(text, _)] => vec![text.clone()],
        _ => shared
            .into_iter()
            .map(|(text, labels)| format!("{text} ({})", plausibility::some_of(&labels)))
            .collect(),
    }
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
