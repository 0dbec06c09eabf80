//! The rounds of cells that wait for steady state as lines, with the window in which both rules held.
//!
//! Knows: which cells have rounds. Whether they are steady is the summary's to say.

use crate::{
    Chart, Table, caption, figure,
    frame::{self, Frame},
    lines::{Facet, Lines, Part, Point, without_line},
    series::SeriesSet,
    style::Style,
};
use analysis::{passes::WINDOW, summary::loop_value};
use model::{
    chart_id::ChartId,
    document::Cell,
    finding::{Found, Steady},
    method::Ends,
    metric::MetricKind,
    units::Unit,
};

const TITLE: &str = "Round by round";
/// At most so many cells are drawn.
const MOST_FACETS: usize = 4;
const UNIT: Unit = Unit::Iops;

/// One cell in every result.
struct Row<'a> {
    label: String,
    cells: Vec<Option<&'a Cell>>,
}

/// Draws `steady-state`.
pub(crate) fn draw(set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let rows = rows(set);
    if rows.is_empty() {
        return None;
    }
    let drawn = &rows[..rows.len().min(MOST_FACETS)];
    let subtitle = format!(
        "{}, more is better. Steady: over five rounds the range is at most 20 % and the trend at most 10 % of the mean.",
        UNIT.axis_name()
    );
    let frame = Frame::new(TITLE, &subtitle, &set.names, style);
    let lines = Lines {
        facets: drawn.iter().map(|row| facet(set, row, &frame.labels)).collect(),
        unit: UNIT,
        logarithmic: false,
        places: "round",
        one_scale: false,
    };
    let mut caption = sentences(set, &rows);
    if drawn.len() < rows.len() {
        caption += &format!(" The first {MOST_FACETS} of {} cells are drawn; the table has all.", rows.len());
    }
    let description = format!("Line chart: {TITLE}. {caption}");
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id: ChartId::SteadyState,
        title: TITLE.to_owned(),
        caption,
        description,
        option,
        table: table(set, &rows, |value| UNIT.format(value)),
        figures: table(set, &rows, |value| value.to_string()),
        height: frame::whole(height),
    })
}

fn rows<'a>(set: &SeriesSet<'a>) -> Vec<Row<'a>> {
    let counts = |cell: &Cell| cell.status.counts();
    let waits = |cell: &&Cell| cell.method.ends == Ends::Steady && counts(cell) && cell.run == 0;
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (index, source) in set.sources.iter().enumerate() {
        for cell in source.document.cells.iter().filter(waits) {
            let label = cell.method.label();
            let at = rows.iter().position(|row| row.label == label).unwrap_or_else(|| {
                rows.push(Row { label, cells: vec![None; set.sources.len()] });
                rows.len() - 1
            });
            rows[at].cells[index].get_or_insert(cell);
        }
    }
    rows
}

/// The rounds of a cell that count.
fn values(cell: &Cell) -> Vec<f64> {
    let rounds = cell.loops.iter().filter(|one| !one.discarded);
    rounds.filter_map(|one| loop_value(&cell.method, one, MetricKind::Iops)).collect()
}

/// What was found of a cell's rounds.
fn steady<'a>(set: &SeriesSet<'a>, index: usize, label: &str) -> Option<(&'a Steady, &'a [String])> {
    set.sources[index].summary.stories.iter().find_map(|story| match &story.found {
        Found::Steady(found) if story.title == label => Some((found, &story.sentences[..])),
        _ => None,
    })
}

fn facet(set: &SeriesSet<'_>, row: &Row<'_>, labels: &[String]) -> Facet {
    let values: Vec<Vec<f64>> = row.cells.iter().map(|cell| cell.map(values).unwrap_or_default()).collect();
    let most = values.iter().map(Vec::len).max().unwrap_or(0);
    let line = |values: &Vec<f64>| -> Vec<Point> {
        let point = |value: &f64| {
            let text = figure::number_on_axis(UNIT, *value);
            Point { value: Some(*value), text, hollow: false }
        };
        values.iter().map(point).collect()
    };
    // Windows of several results would not be told apart.
    let reached = if let [_] = row.cells[..] {
        steady(set, 0, &row.label).and_then(|(found, _)| found.reached)
    } else {
        None
    };
    let window = reached.map(|end| Part {
        name: "steady",
        from: (end as usize).saturating_sub(WINDOW),
        until: (end as usize).saturating_sub(1),
    });
    Facet {
        title: row.label.clone(),
        note: without_line(labels, values.iter().map(Vec::is_empty)),
        places: (1..=most).map(|round| round.to_string()).collect(),
        lines: values.iter().map(line).collect(),
        parts: window.into_iter().collect(),
        ..Facet::default()
    }
}

fn sentences(set: &SeriesSet<'_>, rows: &[Row<'_>]) -> String {
    let names = set.short_names();
    let mut told = Vec::new();
    for row in rows {
        for (index, name) in names.iter().enumerate() {
            let whose = if names.len() > 1 { format!("{name}, ") } else { String::new() };
            let what = if rows.len() > 1 || names.len() > 1 {
                format!("{whose}{}: ", row.label)
            } else {
                String::new()
            };
            let Some((_, sentences)) = steady(set, index, &row.label) else { continue };
            told.extend(sentences.first().map(|sentence| format!("{what}{sentence}")));
        }
    }
    told.extend(caption::remarks(set));
    told.join(" ")
}

/// Every round of every result; the value as `show` writes it.
fn table(set: &SeriesSet<'_>, rows: &[Row<'_>], show: fn(f64) -> String) -> Table {
    let mut columns = vec!["Cell".to_owned(), "Round".to_owned()];
    columns.extend(set.names.iter().cloned());
    let mut lines = Vec::new();
    for row in rows {
        let values: Vec<Vec<f64>> =
            row.cells.iter().map(|cell| cell.map(values).unwrap_or_default()).collect();
        for round in 0..values.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = vec![row.label.clone(), (round + 1).to_string()];
            line.extend(
                values.iter().map(|values| values.get(round).map_or_else(String::new, |value| show(*value))),
            );
            lines.push(line);
        }
    }
    Table { columns, rows: lines }
}
