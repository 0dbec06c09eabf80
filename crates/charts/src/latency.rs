//! Latency by percentile on a logarithmic axis: how long most I/Os take, and how long the worst.

use crate::{
    Chart, Table, caption,
    figure::{Figure, text_on_axis},
    frame::{self, Frame},
    lines::{Facet, Lines, Point},
    series::SeriesSet,
    style::Style,
};
use analysis::summary::cell_latency;
use model::{
    Histogram,
    chart_id::ChartId,
    comparison::Row,
    method::{Method, Pattern},
    metric::MetricKind,
    units::{Nanos, Unit, format_nanos, grouped},
};

const TITLE: &str = "Latency by percentile";
/// The percentiles, in I/Os of 100,000, with their names.
pub(crate) const PERCENTILES: [(u32, &str); 5] =
    [(50_000, "50"), (90_000, "90"), (99_000, "99"), (99_900, "99.9"), (99_990, "99.99")];
const GREATEST: &str = "max";

/// Draws `latency-percentiles`: of random reads, or of what else there is, the cell with the fewest and
/// the one with the most I/Os in flight.
pub(crate) fn draw(set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let cells: Vec<CellLatency> = chosen(set).into_iter().map(|row| CellLatency::new(set, row)).collect();
    if cells.is_empty() {
        return None;
    }
    let subtitle = "µs on a logarithmic scale, less is better. The time that so many percent of the I/Os did not exceed.";
    let frame = Frame::new(TITLE, subtitle, &set.names, style);
    let lines = Lines {
        facets: cells.iter().map(|cell| cell.facet(&frame.labels)).collect(),
        unit: Unit::Nanoseconds,
        logarithmic: true,
        places: "percent of I/Os",
    };
    let caption = caption::latency(set, &cells);
    let description = format!("Line chart: {TITLE}. {caption}");
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id: ChartId::LatencyPercentiles,
        title: TITLE.to_owned(),
        caption,
        description,
        option,
        table: table(set, &cells),
        height: frame::whole(height),
    })
}

/// One or two rows of the first pattern that has latencies that count.
fn chosen<'a>(set: &'a SeriesSet<'_>) -> Vec<&'a Row> {
    const ORDER: [Pattern; 4] = [Pattern::RandRead, Pattern::RandWrite, Pattern::SeqRead, Pattern::SeqWrite];
    for pattern in ORDER {
        let mut rows: Vec<(u64, &Row)> = set
            .comparison
            .rows
            .iter()
            .filter(|row| row.metric.kind == MetricKind::LatencyP50Ns)
            .filter(|row| row.entries.iter().any(|entry| Figure::of(entry).counted().is_some()))
            .filter_map(|row| {
                let method = row.entries.iter().find_map(|entry| entry.method.as_ref())?.method();
                (method.pattern == pattern).then(|| (in_flight(method), row))
            })
            .collect();
        rows.sort_by_key(|(in_flight, _)| *in_flight);
        match rows.as_slice() {
            [] => {}
            [(_, only)] => return vec![only],
            [(_, first), .., (_, last)] => return vec![first, last],
        }
    }
    Vec::new()
}

fn in_flight(method: &Method) -> u64 {
    u64::from(method.queue_depth) * u64::from(method.threads)
}

/// The latencies of one cell in every result.
pub(crate) struct CellLatency {
    pub(crate) label: String,
    /// Per result all its counted loops; `None` where it has none, with the word for it.
    pub(crate) results: Vec<Result<Histogram, String>>,
}

impl CellLatency {
    fn new(set: &SeriesSet<'_>, row: &Row) -> Self {
        let results = row.entries.iter().enumerate().map(|(index, entry)| {
            let mut all = Histogram::default();
            for cell in set.counted_cells(index, &row.metric.cell) {
                all.merge(&cell_latency(cell));
            }
            let word = || Figure::of(entry).text(row.metric.kind);
            if all.count() > 0 { Ok(all) } else { Err(word()) }
        });
        Self { label: row.label.clone(), results: results.collect() }
    }

    fn facet(&self, labels: &[String]) -> Facet {
        let line = |latencies: &Histogram| -> Vec<Point> {
            let percentiles = PERCENTILES.iter().map(|(share, _)| percentile(latencies, *share));
            percentiles.chain([latencies.max()]).map(point).collect()
        };
        let notes: Vec<String> = self
            .results
            .iter()
            .zip(labels)
            .filter_map(|(result, label)| result.as_ref().err().map(|word| format!("{label}: {word}")))
            .collect();
        Facet {
            title: self.label.clone(),
            note: notes.join("; "),
            places: PERCENTILES.iter().map(|(_, name)| *name).chain([GREATEST]).map(str::to_owned).collect(),
            lines: self.results.iter().map(|r| r.as_ref().map(line).unwrap_or_default()).collect(),
        }
    }
}

/// The percentile, if so many I/Os were counted that at least one lies above it: of 1,000 I/Os the
/// 99.99th percentile would only repeat the greatest latency.
pub(crate) fn percentile(latencies: &Histogram, per_100_000: u32) -> Option<Nanos> {
    let above = u128::from(latencies.count()) * u128::from(100_000 - per_100_000) / 100_000;
    (above >= 1).then(|| latencies.percentile(per_100_000)).flatten()
}

#[expect(clippy::cast_precision_loss, reason = "an axis needs no more than 53 bits")]
fn point(latency: Option<Nanos>) -> Point {
    latency.map_or_else(Point::gap, |ns| Point {
        value: Some(ns.0 as f64),
        text: text_on_axis(Unit::Nanoseconds, ns.0 as f64),
        hollow: false,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn table(set: &SeriesSet<'_>, cells: &[CellLatency]) -> Table {
    let percents = PERCENTILES.iter().map(|(_, name)| format!("{name} %"));
    let columns = ["Cell", "Result"].map(str::to_owned).into_iter().chain(percents);
    let columns = columns.chain(["Greatest", "I/Os"].map(str::to_owned)).collect();
    let mut rows = Vec::new();
    for cell in cells {
        for (result, name) in cell.results.iter().zip(&set.names) {
            let figures: Vec<String> = match result {
                Ok(latencies) => PERCENTILES
                    .iter()
                    .map(|(share, _)| {
                        percentile(latencies, *share).map_or_else(|| "too few I/Os".to_owned(), format_nanos)
                    })
                    .chain(latencies.max().map(format_nanos))
                    .chain([grouped(latencies.count() as f64, 0)])
                    .collect(),
                Err(word) => {
                    vec![word.clone(); PERCENTILES.len() + 1].into_iter().chain([String::new()]).collect()
                }
            };
            rows.push([cell.label.clone(), name.clone()].into_iter().chain(figures).collect());
        }
    }
    Table { columns, rows }
}
