//! The bars of a review's first page: sequential throughput in MB/s and random I/Os per second, a group
//! per cell, a bar per result from zero to its median, a whisker from the least to the greatest loop.

use crate::{
    Chart, Table,
    bars::{self, Bars, Group},
    caption,
    figure::{self, Figure},
    frame::{self, Frame},
    series::SeriesSet,
    style::Style,
    view::{self, NO_SHARE},
};
use model::{
    chart_id::ChartId,
    comparison::{Entry, Row},
    document::CellStatus,
    metric::MetricKind,
    units::Unit,
};

/// More cells than this are in the table only.
const MOST_CELLS: usize = 16;

/// Draws `sequential` or `random`.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let (title, kind, sequential) = match id {
        ChartId::Sequential => ("Sequential throughput", MetricKind::BytesPerS, true),
        _ => ("Random I/Os per second", MetricKind::Iops, false),
    };
    let rows: Vec<&Row> = set
        .comparison
        .rows
        .iter()
        .filter(|row| row.metric.kind == kind && is_sequential(row) == Some(sequential))
        .collect();
    // An axis without a single figure would say 0 where nothing is known; the table tells why there is none.
    let counts = |row: &&Row| row.entries.iter().any(|entry| Figure::of(entry).counted().is_some());
    if !rows.iter().any(counts) {
        return None;
    }
    let shown_rows = &rows[..rows.len().min(MOST_CELLS)];
    let relative = view::is_relative(style.view, set);
    let unit = if relative { Unit::Share } else { kind.unit() };
    let shown = if relative { caption::share_unit(set) } else { unit.axis_name().to_owned() };
    let subtitle =
        format!("{shown}, more is better. Bar: median of the loops; line: least to greatest loop.");
    let frame = Frame::new(title, &subtitle, &set.names, style);

    let bars = Bars::new(unit, groups(shown_rows, kind, relative, &frame), &frame);
    let mut caption = caption::throughput(set, &rows, kind);
    if shown_rows.len() < rows.len() {
        caption +=
            &format!(" The first {} of {} cells are drawn; the table has all.", shown_rows.len(), rows.len());
    }
    let description = caption::bar_description(title, set, shown_rows, kind, &caption);
    let (option, height) = bars.option(&frame, style, &description);
    Some(Chart {
        id,
        title: title.to_owned(),
        option,
        caption,
        description,
        table: table(set, &rows, kind, relative),
        figures: figures(set, &rows, kind, relative),
        height: frame::whole(height),
    })
}

fn is_sequential(row: &Row) -> Option<bool> {
    row.entries.iter().find_map(|entry| entry.method.as_ref()).map(|id| id.method().pattern.sequential())
}

/// The rows as groups of bars. On a phone a cell's name takes two lines, so that the bars keep half of the width.
fn groups(rows: &[&Row], kind: MetricKind, relative: bool, frame: &Frame) -> Vec<Group> {
    rows.iter()
        .map(|row| Group {
            label: match row.label.rsplit_once(' ') {
                Some((cell, direction)) if bars::is_narrow(frame) => format!("{cell}\n{direction}"),
                _ => row.label.clone(),
            },
            figures: row.entries.iter().map(|entry| drawn(row, entry, relative)).collect(),
            texts: row.entries.iter().map(|entry| text(entry, kind, relative)).collect(),
        })
        .collect()
}

/// What a bar is as long as.
fn drawn(row: &Row, entry: &Entry, relative: bool) -> Figure {
    let figure = Figure::of(entry);
    if !relative {
        return figure;
    }
    let base = row.entries.first().map(Figure::of);
    let both = figure.counted().zip(base.as_ref().and_then(Figure::counted));
    match both.and_then(|(stats, base)| view::share_of(stats, entry.standing, base)) {
        Some(share) => Figure::Counted(share),
        None if figure.counted().is_some() => Figure::Missing,
        None => figure,
    }
}

/// What stands at a bar.
fn text(entry: &Entry, kind: MetricKind, relative: bool) -> String {
    let counts = Figure::of(entry).counted().is_some();
    match view::entry_share(entry).filter(|_| counts) {
        _ if !relative || !counts => figure::text(entry, kind),
        Some(share) => Unit::Share.format(share),
        None => NO_SHARE.to_owned(),
    }
}

fn table(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind, relative: bool) -> Table {
    let columns = ["Cell", "Result", "Median", "Least", "Best loop", "Loops", "Note"];
    let show = |value: f64| kind.unit().format(value);
    let mut lines = Vec::new();
    for row in rows {
        for (index, (entry, name)) in row.entries.iter().zip(&set.names).enumerate() {
            let figure = Figure::of(entry);
            let (least, best, loops) = figure.counted().map_or_else(Default::default, |stats| {
                (show(stats.min), show(stats.best(kind)), stats.count.to_string())
            });
            let note = note(set, index, row);
            let mut line = vec![row.label.clone(), name.clone(), figure.text(kind), least, best, loops, note];
            if relative {
                line.insert(2, text(entry, kind, relative));
            }
            lines.push(line);
        }
    }
    let mut columns = columns.map(str::to_owned).to_vec();
    if relative {
        columns.insert(2, caption::share_column(set));
    }
    Table { columns, rows: lines }
}

/// Why a figure does not count, or what must be said beside it.
fn note(set: &SeriesSet<'_>, index: usize, row: &Row) -> String {
    let entry = &row.entries[index];
    match (Figure::of(entry), entry.status) {
        (Figure::Void, _) => void_reasons(set, index, row),
        (Figure::Counted(_), status) => {
            let partial = (status == Some(CellStatus::Partial)).then_some("stopped before its last loop");
            figure::remark(entry).into_iter().chain(partial).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

fn figures(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind, relative: bool) -> Table {
    let columns = ["cell", "result", "unit", "status", "median", "min", "max", "loops", "note"];
    let mut lines = Vec::new();
    for row in rows {
        for (index, (entry, name)) in row.entries.iter().zip(&set.names).enumerate() {
            let (median, min, max, loops) =
                Figure::of(entry).counted().map_or_else(Default::default, |stats| {
                    (
                        stats.median.to_string(),
                        stats.min.to_string(),
                        stats.max.to_string(),
                        stats.count.to_string(),
                    )
                });
            let (unit, status) = (kind.token().to_owned(), figure::status(entry).to_owned());
            let note = note(set, index, row);
            let mut line = vec![row.label.clone(), name.clone(), unit, status, median, min, max, loops, note];
            if relative {
                line.push(view::entry_share(entry).map(|share| share.to_string()).unwrap_or_default());
            }
            lines.push(line);
        }
    }
    let mut columns = columns.map(str::to_owned).to_vec();
    columns.extend(relative.then(|| "share_of_baseline".to_owned()));
    Table { columns, rows: lines }
}

fn void_reasons(set: &SeriesSet<'_>, index: usize, row: &Row) -> String {
    let named = row.metric_of(index);
    let metric =
        set.sources[index].summary.metrics.iter().find(|metric| Some(&metric.metric) == named.as_ref());
    let reasons = metric.map(|metric| metric.void.iter().map(|reason| reason.text()).collect::<Vec<_>>());
    reasons.unwrap_or_default().join(" ")
}
