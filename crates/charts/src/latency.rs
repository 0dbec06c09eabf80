//! Latency by percentile on a logarithmic axis: how long most I/Os take, and how long the worst.

use crate::{
    Chart, Table, caption,
    figure::{self, Figure, text_on_axis},
    frame::{self, Frame},
    lines::{Facet, Lines, Point},
    series::SeriesSet,
    style::Style,
    view,
};
use analysis::{stats, summary::counted_loops};
use model::{
    Histogram,
    chart_id::ChartId,
    comparison::{Entry, Row},
    method::{Method, Pattern},
    metric::MetricKind,
    units::{Nanos, Unit, grouped},
};

const TITLE: &str = "Latency by percentile";
/// The percentiles, in I/Os of 100,000, with their names.
const PERCENTILES: [(u32, &str); 5] =
    [(50_000, "50"), (90_000, "90"), (99_000, "99"), (99_900, "99.9"), (99_990, "99.99")];
/// Places in [`PERCENTILES`].
pub(crate) const MEDIAN: usize = 0;
pub(crate) const NINETY_NINE: usize = 2;
const GREATEST: &str = "max";

/// Draws `latency-percentiles`: of random reads, or of what else there is, the cell with the fewest and
/// the one with the most I/Os in flight.
pub(crate) fn draw(set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let cells: Vec<CellLatency> = chosen(set).into_iter().map(|row| CellLatency::new(set, row)).collect();
    if cells.is_empty() {
        return None;
    }
    let logarithmic = view::is_logarithmic(style.view, ChartId::LatencyPercentiles, false);
    let scale = if logarithmic { "µs on a logarithmic scale" } else { "µs" };
    let subtitle = format!(
        "{scale}, less is better. The time that so many percent of the I/Os did not exceed, median of the loops; max: the greatest of all loops."
    );
    let frame = Frame::new(TITLE, &subtitle, &set.names, style);
    let lines = Lines {
        facets: cells.iter().map(|cell| cell.facet(&frame.labels)).collect(),
        unit: Unit::Nanoseconds,
        logarithmic,
        places: "percent of I/Os",
        one_scale: false,
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
        figures: figures(set, &cells),
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
    /// Per result its latencies; the word for why there are none.
    pub(crate) results: Vec<Result<Latencies, String>>,
    /// What each result has for the cell.
    entries: Vec<Entry>,
}

/// Latencies of one cell of one result over all its counted loops, by the rule of the metrics of the same
/// names, so that chart and tables cannot disagree.
#[derive(Debug, Clone)]
pub(crate) struct Latencies {
    /// In the order of [`PERCENTILES`], ns: the median of the loops' percentiles; `None` when a loop has too
    /// few I/Os for it.
    pub(crate) percentiles: [Option<f64>; PERCENTILES.len()],
    /// The greatest latency of all loops, ns.
    pub(crate) greatest: f64,
    /// I/Os of all loops.
    ios: u64,
}

impl Latencies {
    /// `None` when no loop has a latency.
    fn of(loops: &[&Histogram]) -> Option<Self> {
        let each = |share: u32| -> Option<Vec<f64>> {
            loops.iter().map(|one| percentile(one, share).map(number)).collect()
        };
        let median = |share: u32| Some(stats::of(&each(share)?)?.median);
        let greatest = loops.iter().filter_map(|one| one.max()).max()?;
        let ios = loops.iter().map(|one| one.count()).fold(0, u64::saturating_add);
        let percentiles = PERCENTILES.map(|(share, _)| median(share));
        Some(Self { percentiles, greatest: number(greatest), ios })
    }
}

impl CellLatency {
    /// Whether results that have latencies were measured by different methods.
    pub(crate) fn methods_differ(&self) -> bool {
        let with = self.results.iter().zip(&self.entries).filter(|(result, _)| result.is_ok());
        let mut methods = with.map(|(_, entry)| &entry.method);
        let first = methods.next();
        methods.any(|other| Some(other) != first)
    }

    fn new(set: &SeriesSet<'_>, row: &Row) -> Self {
        let results = row.entries.iter().enumerate().map(|(index, entry)| {
            // The loops that the metric is made of, no others.
            let cells = set.counted_cells(index, row).into_iter();
            let cells = cells
                .filter(|cell| Some(cell.method.id()) == entry.method && Some(cell.status) == entry.status);
            let loops: Vec<_> = cells
                .flat_map(|cell| counted_loops(&cell.loops).map(move |one| (cell, one)))
                .filter_map(|(cell, one)| one.transfer(&cell.method))
                .filter(|transfer| transfer.ios > 0)
                .collect();
            let loops: Vec<&Histogram> = loops.iter().map(|transfer| &transfer.latency).collect();
            Latencies::of(&loops).ok_or_else(|| Figure::of(entry).text(row.metric.kind))
        });
        Self { label: row.label.clone(), results: results.collect(), entries: row.entries.clone() }
    }

    fn facet(&self, labels: &[String]) -> Facet {
        let line = |latencies: &Latencies| -> Vec<Point> {
            latencies.percentiles.into_iter().chain([Some(latencies.greatest)]).map(point).collect()
        };
        Facet {
            title: self.label.clone(),
            note: figure::notes(&self.entries, labels, MetricKind::LatencyP50Ns),
            places: PERCENTILES.iter().map(|(_, name)| *name).chain([GREATEST]).map(str::to_owned).collect(),
            lines: self.results.iter().map(|r| r.as_ref().map(line).unwrap_or_default()).collect(),
            ..Facet::default()
        }
    }
}

/// The percentile, if so many I/Os were counted that at least one lies above it: of 1,000 I/Os the
/// 99.99th percentile would only repeat the greatest latency.
fn percentile(latencies: &Histogram, per_100_000: u32) -> Option<Nanos> {
    let above = u128::from(latencies.count()) * u128::from(100_000 - per_100_000) / 100_000;
    (above >= 1).then(|| latencies.percentile(per_100_000)).flatten()
}

#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
fn number(latency: Nanos) -> f64 {
    latency.0 as f64
}

fn point(ns: Option<f64>) -> Point {
    ns.map_or_else(Point::gap, |ns| Point {
        value: Some(ns),
        text: text_on_axis(Unit::Nanoseconds, ns),
        hollow: false,
    })
}

fn text(ns: f64) -> String {
    Unit::Nanoseconds.format(ns)
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn table(set: &SeriesSet<'_>, cells: &[CellLatency]) -> Table {
    let percents = PERCENTILES.iter().map(|(_, name)| format!("{name} %"));
    let columns = ["Cell", "Result"].map(str::to_owned).into_iter().chain(percents);
    let columns = columns.chain(["Greatest", "I/Os", "Note"].map(str::to_owned)).collect();
    let mut rows = Vec::new();
    for cell in cells {
        for ((result, entry), name) in cell.results.iter().zip(&cell.entries).zip(&set.names) {
            let figures: Vec<String> = match result {
                Ok(latencies) => latencies
                    .percentiles
                    .iter()
                    .map(|ns| ns.map_or_else(|| "too few I/Os".to_owned(), text))
                    .chain([text(latencies.greatest), grouped(latencies.ios as f64, 0)])
                    .collect(),
                Err(word) => {
                    vec![word.clone(); PERCENTILES.len() + 1].into_iter().chain([String::new()]).collect()
                }
            };
            let note = figure::remark(entry).unwrap_or_default().to_owned();
            rows.push([cell.label.clone(), name.clone()].into_iter().chain(figures).chain([note]).collect());
        }
    }
    Table { columns, rows }
}

fn figures(set: &SeriesSet<'_>, cells: &[CellLatency]) -> Table {
    let percents = PERCENTILES.iter().map(|(_, name)| format!("p{name}"));
    let columns = ["cell", "result", "unit", "status"].map(str::to_owned).into_iter().chain(percents);
    let columns = columns.chain(["max", "ios", "note"].map(str::to_owned)).collect();
    let mut rows = Vec::new();
    for cell in cells {
        for ((result, entry), name) in cell.results.iter().zip(&cell.entries).zip(&set.names) {
            let numbers: Vec<String> = match result {
                Ok(latencies) => latencies
                    .percentiles
                    .into_iter()
                    .chain([Some(latencies.greatest)])
                    .map(|ns| ns.map(|ns| ns.to_string()).unwrap_or_default())
                    .chain([latencies.ios.to_string()])
                    .collect(),
                Err(_) => vec![String::new(); PERCENTILES.len() + 2],
            };
            let fixed = [cell.label.as_str(), name.as_str(), "ns", figure::status(entry)].map(str::to_owned);
            let note = figure::remark(entry).unwrap_or_default().to_owned();
            rows.push(fixed.into_iter().chain(numbers).chain([note]).collect());
        }
    }
    Table { columns, rows }
}
