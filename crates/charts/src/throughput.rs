//! The bars of a review's first page: sequential throughput in MB/s and random I/Os per second, a group
//! per cell, a bar per result from zero to its median, a whisker from the least to the greatest loop.

use crate::{
    Chart, Table, caption,
    extra::{BarLabel, Extra, bar_marks},
    figure::{self, Figure, axis_end, on_axis},
    frame::{self, EDGE, Frame, TEXT, px},
    names,
    series::SeriesSet,
    style::Style,
};
use charming::{
    element::{AxisPointer, AxisPointerType, AxisType, ItemStyle, Tooltip, Trigger},
    series::Bar,
};
use model::{chart_id::ChartId, comparison::Row, document::CellStatus, metric::MetricKind};
use serde_json::json;

/// More cells than this are in the table only.
const MOST_CELLS: usize = 16;
/// Room below the bars for the axis and its unit, px.
const AXIS_BELOW: f64 = 46.0;
/// Room between groups of bars, px.
const GROUP_GAP: f64 = 12.0;

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
    let drawn = &rows[..rows.len().min(MOST_CELLS)];
    let unit = kind.unit().axis_name();
    let subtitle = format!("{unit}, more is better. Bar: median of the loops; line: least to greatest loop.");
    let frame = Frame::new(title, &subtitle, &set.names, style);

    let bars = Bars::new(drawn, kind, &frame);
    let height = (frame.body_top + bars.least_height + AXIS_BELOW).max(f64::from(style.height));
    let mut caption = caption::throughput(set, &rows, kind);
    if drawn.len() < rows.len() {
        caption +=
            &format!(" The first {} of {} cells are drawn; the table has all.", drawn.len(), rows.len());
    }
    let description = caption::bar_description(title, set, drawn, kind, &caption);
    Some(Chart {
        id,
        title: title.to_owned(),
        option: bars.option(&frame, height, style, &description),
        caption,
        description,
        table: table(set, &rows, kind),
        figures: figures(set, &rows, kind),
        height: frame::whole(height),
    })
}

fn is_sequential(row: &Row) -> Option<bool> {
    row.entries.iter().find_map(|entry| entry.method.as_ref()).map(|id| id.method().pattern.sequential())
}

/// The bars of all series, measured.
struct Bars {
    kind: MetricKind,
    cells: Vec<String>,
    /// Figures by series, then by cell.
    figures: Vec<Vec<Figure>>,
    /// The same as text.
    texts: Vec<Vec<String>>,
    /// End of the axis in base units of the metric.
    end: f64,
    step: f64,
    left: f64,
    right: f64,
    group: f64,
    least_height: f64,
}

impl Bars {
    fn new(rows: &[&Row], kind: MetricKind, frame: &Frame) -> Self {
        let count = frame.labels.len();
        let figures: Vec<Vec<Figure>> = (0..count)
            .map(|series| rows.iter().map(|row| Figure::of(&row.entries[series])).collect())
            .collect();
        let texts: Vec<Vec<String>> = (0..count)
            .map(|series| rows.iter().map(|row| figure::text(&row.entries[series], kind)).collect())
            .collect();
        let all = || figures.iter().flatten();
        let greatest = all().filter_map(|f| f.counted()).map(|stats| stats.max).fold(0.0, f64::max);
        let narrow = frame.width < 560.0;
        let (end, step) = axis_end(kind.unit().for_axis(greatest), if narrow { 3 } else { 5 });
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| names::em(&text) * TEXT).fold(0.0, f64::max)
        };
        // On a phone a cell's name takes two lines, so that the bars keep half of the width.
        let cells: Vec<String> = rows
            .iter()
            .map(|row| match row.label.rsplit_once(' ') {
                Some((cell, direction)) if narrow => format!("{cell}\n{direction}"),
                _ => row.label.clone(),
            })
            .collect();
        let left = EDGE + 8.0 + widest(&mut cells.iter().flat_map(|c| c.lines()).map(str::to_owned));
        let right = EDGE + 6.0 + widest(&mut texts.iter().flatten().cloned());
        let pitch = match count {
            0 | 1 => 26.0,
            2 => 20.0,
            3 | 4 => 17.0,
            _ => 16.0,
        };
        let group = px(count) * pitch + GROUP_GAP;
        let group = if narrow { group.max(38.0) } else { group };
        let least_height = px(rows.len()) * group;
        Self { kind, cells, figures, texts, end, step, left, right, group, least_height }
    }

    fn option(&self, frame: &Frame, height: f64, style: &Style, description: &str) -> serde_json::Value {
        let body = height - frame.body_top - AXIS_BELOW;
        let unit = self.kind.unit();
        let mut chart = frame
            .chart(style)
            .tooltip(
                Tooltip::new()
                    .trigger(Trigger::Axis)
                    .axis_pointer(AxisPointer::new().type_(AxisPointerType::Shadow)),
            )
            .grid(frame::grid(self.left, frame.body_top, self.right, body))
            .x_axis(
                frame::number_axis(AxisType::Value, unit.axis_name(), 28.0, style)
                    .min(0)
                    .max(self.end)
                    .interval(self.step),
            )
            .y_axis(frame::name_axis(self.cells.clone(), style).inverse(true));
        for (index, (name, figures)) in frame.labels.iter().zip(&self.figures).enumerate() {
            let values = figures
                .iter()
                .map(|figure| frame::value(figure.counted().and_then(|stats| on_axis(unit, stats.median))));
            chart = chart.series(
                Bar::new()
                    .name(name.clone())
                    .bar_gap("8%")
                    .item_style(ItemStyle::new().color(style.palette().series(index)))
                    .data(values.collect()),
            );
        }
        let mut extra = Extra::new(&chart, style, description);
        let gap = format!("{:.1}%", GROUP_GAP / self.group * 100.0);
        for (index, (figures, texts)) in self.figures.iter().zip(&self.texts).enumerate() {
            extra.series(
                index,
                json!({"barCategoryGap": gap, "barMaxWidth": 28, "itemStyle": {"decal": style.palette().decal(index)}}),
            );
            extra.series(index, bar_marks(&labels(figures, texts), unit, style));
        }
        extra.finish()
    }
}

fn labels(figures: &[Figure], texts: &[String]) -> Vec<BarLabel> {
    figures
        .iter()
        .zip(texts)
        .enumerate()
        .map(|(row, (figure, text))| BarLabel {
            row,
            spread: figure
                .counted()
                .filter(|stats| stats.max > stats.min)
                .map(|stats| (stats.min, stats.max)),
            at: figure.counted().map_or(0.0, |stats| stats.max),
            text: text.clone(),
            figure: figure.counted().is_some(),
        })
        .collect()
}

fn table(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind) -> Table {
    let columns = ["Cell", "Result", "Median", "Least", "Best loop", "Loops", "Note"];
    let text = |value: f64| kind.unit().format(value);
    let mut lines = Vec::new();
    for row in rows {
        for (index, (entry, name)) in row.entries.iter().zip(&set.names).enumerate() {
            let figure = Figure::of(entry);
            let (least, best, loops) = figure.counted().map_or_else(Default::default, |stats| {
                (text(stats.min), text(stats.best(kind)), stats.count.to_string())
            });
            let note = note(set, index, row);
            lines.push(vec![row.label.clone(), name.clone(), figure.text(kind), least, best, loops, note]);
        }
    }
    Table { columns: columns.map(str::to_owned).to_vec(), rows: lines }
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

fn figures(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind) -> Table {
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
            lines.push(vec![row.label.clone(), name.clone(), unit, status, median, min, max, loops, note]);
        }
    }
    Table { columns: columns.map(str::to_owned).to_vec(), rows: lines }
}

fn void_reasons(set: &SeriesSet<'_>, index: usize, row: &Row) -> String {
    let metric = set.sources[index].summary.metrics.iter().find(|metric| metric.metric == row.metric);
    let reasons = metric.map(|metric| metric.void.iter().map(|reason| reason.text()).collect::<Vec<_>>());
    reasons.unwrap_or_default().join(" ")
}
