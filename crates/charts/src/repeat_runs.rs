//! Every loop of a cell as a line, the discarded ones hollow: a fall from loop to loop that a mean hides.

use crate::{
    Chart, Table, caption, figure,
    frame::{self, Frame},
    lines::{Facet, Lines, Point},
    series::SeriesSet,
    style::Style,
};
use analysis::summary::loop_value;
use model::{
    chart_id::ChartId,
    comparison::{Entry, Row},
    document::{Cell, Loop},
    method::Pattern,
    metric::MetricKind,
};

const TITLE: &str = "Loop by loop";
/// More loops than this are in the table only.
const MOST_PLACES: usize = 200;
/// At most so many cells are drawn.
const MOST_FACETS: usize = 2;

/// Draws `repeat-runs`: the first sequential read and the first sequential write cell with at least two
/// loops, the random ones where there is none.
pub(crate) fn draw(set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let rows = chosen(set);
    if rows.is_empty() {
        return None;
    }
    let kind = rows[0].metric.kind;
    let cells: Vec<CellLoops<'_>> = rows.iter().map(|row| CellLoops::new(set, row)).collect();
    let unit = kind.unit().axis_name();
    let subtitle = format!(
        "{unit}, more is better. Every loop in the order it was run; hollow: warm-up, run and kept but not counted."
    );
    let frame = Frame::new(TITLE, &subtitle, &set.names, style);
    let lines = Lines {
        facets: cells.iter().map(|cell| cell.facet(set, &frame.labels, kind)).collect(),
        unit: kind.unit(),
        logarithmic: false,
        places: if cells.iter().any(|cell| cell.runs > 1) { "run/loop" } else { "loop" },
        one_scale: false,
    };
    let mut caption = caption::loops(set, &rows, repeated(set), kind);
    if let Some(all) = cells.iter().map(|cell| cell.places().len()).max().filter(|all| *all > MOST_PLACES) {
        caption += &format!(" The first {MOST_PLACES} of {all} loops are drawn; the table has all.");
    }
    let description = format!("Line chart: {TITLE}. {caption}");
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id: ChartId::RepeatRuns,
        title: TITLE.to_owned(),
        caption,
        description,
        option,
        table: table(set, &cells, kind),
        figures: figures(set, &cells, kind),
        height: frame::whole(height),
    })
}

/// Sequential rows first; random ones only when there is no sequential one.
fn chosen<'a>(set: &'a SeriesSet<'_>) -> Vec<&'a Row> {
    let first = |pattern: Pattern| {
        let kind = if pattern.sequential() { MetricKind::BytesPerS } else { MetricKind::Iops };
        set.comparison.rows.iter().find(|row| {
            let measured = row.entries.iter().filter_map(|entry| entry.method.as_ref());
            row.metric.kind == kind
                && measured.map(|id| id.method().pattern).next() == Some(pattern)
                && (0..set.names.len()).any(|index| has_repeats(set, index, row))
        })
    };
    let both = |patterns: [Pattern; 2]| patterns.into_iter().filter_map(first).collect::<Vec<_>>();
    let sequential = both([Pattern::SeqRead, Pattern::SeqWrite]);
    let rows = if sequential.is_empty() { both([Pattern::RandRead, Pattern::RandWrite]) } else { sequential };
    rows.into_iter().take(MOST_FACETS).collect()
}

/// How many cells have more than one loop in any result.
fn repeated(set: &SeriesSet<'_>) -> usize {
    let cells = set.comparison.rows.iter().filter(|row| row.metric.kind == MetricKind::BytesPerS);
    cells.filter(|row| (0..set.names.len()).any(|index| has_repeats(set, index, row))).count()
}

fn has_repeats(set: &SeriesSet<'_>, index: usize, row: &Row) -> bool {
    set.counted_cells(index, row).iter().map(|cell| cell.loops.len()).sum::<usize>() > 1
}

/// The loops of one cell in every result, aligned by run and loop.
struct CellLoops<'a> {
    label: String,
    /// Per result, its cells that count, one per run of the suite.
    cells: Vec<Vec<&'a Cell>>,
    /// What each result has for the cell.
    entries: Vec<Entry>,
    runs: usize,
    discarded: usize,
    counted: usize,
}

impl<'a> CellLoops<'a> {
    fn new(set: &SeriesSet<'a>, row: &Row) -> Self {
        let cells: Vec<Vec<&Cell>> =
            (0..set.names.len()).map(|index| set.counted_cells(index, row)).collect();
        let all = || cells.iter().flatten();
        let most = |discarded: bool| all().map(|cell| of_kind(cell, discarded).count()).max().unwrap_or(0);
        Self {
            label: row.label.clone(),
            runs: cells.iter().map(Vec::len).max().unwrap_or(0),
            discarded: most(true),
            counted: most(false),
            entries: row.entries.clone(),
            cells,
        }
    }

    /// Names of all places: warm-ups, then the counted loops, run by run.
    fn places(&self) -> Vec<String> {
        let name = |run: usize, place: String| {
            if self.runs > 1 { format!("{}/{place}", run + 1) } else { place }
        };
        (0..self.runs)
            .flat_map(|run| {
                let warm = if self.runs > 1 { "w" } else { "warm-up" };
                let warm_ups = (0..self.discarded).map(move |_| name(run, warm.to_owned()));
                warm_ups.chain((1..=self.counted).map(move |number| name(run, number.to_string())))
            })
            .collect()
    }

    /// The loop at every place of a result's line.
    fn line(&self, series: usize) -> Vec<Option<(&'a Cell, &'a Loop)>> {
        let mut places = Vec::new();
        for run in 0..self.runs {
            let cell = self.cells[series].get(run).copied();
            let warm: Vec<&Loop> = cell.map(|c| of_kind(c, true).collect()).unwrap_or_default();
            let counted: Vec<&Loop> = cell.map(|c| of_kind(c, false).collect()).unwrap_or_default();
            // Warm-ups end where counting begins, however many a result has.
            let ahead = self.discarded - warm.len();
            places.extend(std::iter::repeat_n(None, ahead));
            places.extend(warm.into_iter().map(|one| cell.map(|cell| (cell, one))));
            let after = self.counted - counted.len();
            places.extend(counted.into_iter().map(|one| cell.map(|cell| (cell, one))));
            places.extend(std::iter::repeat_n(None, after));
        }
        places
    }

    fn facet(&self, set: &SeriesSet<'_>, labels: &[String], kind: MetricKind) -> Facet {
        let line = |series: usize| -> Vec<Point> {
            if self.cells[series].is_empty() {
                return Vec::new();
            }
            let point = |(cell, one): (&Cell, &Loop)| {
                loop_value(&cell.method, one, kind).map(|value| Point {
                    value: Some(value),
                    text: figure::without_unit(kind.unit(), value),
                    hollow: one.discarded,
                })
            };
            let places = self.line(series).into_iter().take(MOST_PLACES);
            places.map(|place| place.and_then(point).unwrap_or_else(Point::gap)).collect()
        };
        let mut places = self.places();
        places.truncate(MOST_PLACES);
        Facet {
            title: self.label.clone(),
            note: figure::notes(&self.entries, labels, kind),
            places,
            lines: (0..set.names.len()).map(line).collect(),
            ..Facet::default()
        }
    }
}

fn of_kind(cell: &Cell, discarded: bool) -> impl Iterator<Item = &Loop> {
    cell.loops.iter().filter(move |one| one.discarded == discarded)
}

fn table(set: &SeriesSet<'_>, cells: &[CellLoops<'_>], kind: MetricKind) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        let places = cell.places();
        for (series, name) in set.names.iter().enumerate() {
            if cell.cells[series].is_empty() {
                let word = figure::text(&cell.entries[series], kind);
                rows.push(vec![cell.label.clone(), name.clone(), String::new(), word, String::new()]);
            }
            for (place, found) in places.iter().zip(cell.line(series)) {
                let Some((measured, one)) = found else { continue };
                let value = loop_value(&measured.method, one, kind)
                    .map_or_else(|| "no result".to_owned(), |value| kind.unit().format(value));
                let note = note(one, &cell.entries[series]);
                rows.push(vec![cell.label.clone(), name.clone(), place.clone(), value, note]);
            }
        }
    }
    Table { columns: ["Cell", "Result", "Loop", "Value", "Note"].map(str::to_owned).to_vec(), rows }
}

/// What must be said beside a loop's value.
fn note(one: &Loop, entry: &Entry) -> String {
    let warm_up = one.discarded.then_some("not counted");
    warm_up.into_iter().chain(figure::remark(entry)).collect::<Vec<_>>().join(", ")
}

fn figures(set: &SeriesSet<'_>, cells: &[CellLoops<'_>], kind: MetricKind) -> Table {
    let columns = ["cell", "result", "loop", "unit", "value", "note"];
    let unit = kind.token().to_owned();
    let mut rows = Vec::new();
    for cell in cells {
        let places = cell.places();
        for (series, name) in set.names.iter().enumerate() {
            let entry = &cell.entries[series];
            let mut line = |place: &str, value: String, note: String| {
                rows.push(vec![
                    cell.label.clone(),
                    name.clone(),
                    place.to_owned(),
                    unit.clone(),
                    value,
                    note,
                ]);
            };
            if cell.cells[series].is_empty() {
                line("", String::new(), figure::status(entry).to_owned());
            }
            for (place, found) in places.iter().zip(cell.line(series)) {
                let Some((measured, one)) = found else { continue };
                let value = loop_value(&measured.method, one, kind);
                line(place, value.map(|value| value.to_string()).unwrap_or_default(), note(one, entry));
            }
        }
    }
    Table { columns: columns.map(str::to_owned).to_vec(), rows }
}
