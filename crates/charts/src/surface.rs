//! Speed by place, from the beginning to the end of the span: a grid for reads and one for writes, with the numbered slow
//! places of the findings.
//!
//! Knows: which cells were measured at many places. Which places are slow is the summary's.

use crate::{
    Chart, Table, caption,
    curves::{mark_points, rounded, thinned},
    extra::Extra,
    figure::axis_end,
    frame::{self, EDGE, Frame, TEXT, px},
    names,
    series::SeriesSet,
    style::{Style, dash},
};
use analysis::surface;
use charming::{element::AxisType, series::Line};
use model::{
    chart_id::ChartId,
    document::{Cell, CellStatus},
    finding::{Found, Story, Surface},
    units::{format_capacity, format_percent, format_rate, grouped},
};
use serde_json::{Value, json};

const TITLE: &str = "Speed by place";
const SUBTITLE: &str = "MB/s at places from the beginning to the end of the span; numbers: slow places.";
/// A grid is never lower than this, px.
const LEAST_GRID: f64 = 150.0;
/// Room above a grid for its title, px.
const FACET_TITLE: f64 = 28.0;
/// Room below a grid for its axis, px.
const AXIS_BELOW: f64 = 46.0;
/// Room right of a grid for half of the last label, px.
const RIGHT: f64 = 26.0;

/// One direction in one result.
struct Curve<'a> {
    index: usize,
    cell: &'a Cell,
    /// Gigabytes from the beginning of the span to the middle of a place, and MB/s there.
    points: Vec<(f64, f64)>,
}

/// One grid: the curves of all results in one direction.
struct Direction<'a> {
    title: String,
    curves: Vec<Option<Curve<'a>>>,
}

/// Draws `surface`.
pub(crate) fn draw(set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let directions: Vec<Direction<'_>> =
        [false, true].into_iter().filter_map(|writes| direction(set, writes)).collect();
    if directions.is_empty() {
        return None;
    }
    let frame = Frame::new(TITLE, SUBTITLE, &set.names, style);
    let caption = caption(set, &directions);
    let description = format!("Line chart: {TITLE}. {caption}");
    let (option, height) = option(&frame, set, &directions, style, &description);
    Some(Chart {
        id: ChartId::Surface,
        title: TITLE.to_owned(),
        caption,
        description,
        option,
        table: table(set, &directions),
        figures: figures(set, &directions),
        height: frame::whole(height),
    })
}

/// The first cell of each result that was measured at places in this direction; `None` when no result has one.
fn direction<'a>(set: &SeriesSet<'a>, writes: bool) -> Option<Direction<'a>> {
    let curve = |source: &crate::Source<'a>| {
        let (index, cell) = source.document.cells.iter().enumerate().find(|(_, cell)| {
            matches!(cell.status, CellStatus::Complete | CellStatus::Partial)
                && surface::is_surface(&cell.method)
                && cell.method.pattern.writes() == writes
                && cell.loops.len() > 1
        })?;
        #[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
        let place = |(range, speed): (std::ops::Range<u64>, f64)| {
            ((range.start as f64 + range.end as f64) / 2e9, speed / 1e6)
        };
        Some(Curve { index, cell, points: surface::speeds(cell).into_iter().map(place).collect() })
    };
    let curves: Vec<Option<Curve<'a>>> = set.sources.iter().map(curve).collect();
    let title = curves.iter().flatten().next()?.cell.method.label();
    Some(Direction { title, curves })
}

/// The story of a curve; `None` when it has too few places for one.
fn story<'a>(set: &SeriesSet<'a>, result: usize, curve: &Curve<'_>) -> Option<(&'a Story, &'a Surface)> {
    set.sources[result].summary.stories.iter().find_map(|story| match &story.found {
        Found::Surface(found) if found.cell == curve.index => Some((story, found)),
        _ => None,
    })
}

fn option(
    frame: &Frame,
    set: &SeriesSet<'_>,
    directions: &[Direction<'_>],
    style: &Style,
    description: &str,
) -> (Value, f64) {
    let points = |direction: &Direction<'_>| -> Vec<(f64, f64)> {
        direction.curves.iter().flatten().flat_map(|curve| curve.points.iter().copied()).collect()
    };
    let greatest =
        |of: fn((f64, f64)) -> f64| directions.iter().flat_map(&points).map(of).fold(0.0, f64::max);
    let (end, step) = axis_end(greatest(|(_, speed)| speed), 4);
    let along_end = greatest(|(at, _)| at);
    let left = EDGE + TEXT + 12.0 + names::em(&grouped(end, usize::from(end < 10.0))) * TEXT;
    let around = FACET_TITLE + AXIS_BELOW;
    let count = px(directions.len());
    let height = (frame.body_top + count * (LEAST_GRID + around)).max(f64::from(style.height));
    let row = (height - frame.body_top) / count;
    let gap = left - EDGE - TEXT / 2.0;
    let mut chart = frame.chart(style);
    let mut lines = Vec::new();
    for (grid, direction) in directions.iter().enumerate() {
        let top = frame.body_top + px(grid) * row;
        chart = chart
            .title(frame::facet_title(&direction.title, left, top, style))
            .grid(frame::grid(left, top + FACET_TITLE, RIGHT, row - around))
            .x_axis(
                frame::number_axis(AxisType::Value, "GB", 28.0, style)
                    .min(0)
                    .max(along_end)
                    .grid_index(px(grid)),
            )
            .y_axis(
                frame::number_axis(AxisType::Value, "MB/s", gap, style)
                    .min(0)
                    .max(end)
                    .interval(step)
                    .grid_index(px(grid)),
            );
        for (series, curve) in direction.curves.iter().enumerate() {
            chart = chart.series(
                Line::new()
                    .name(frame.labels[series].clone())
                    .x_axis_index(px(grid))
                    .y_axis_index(px(grid))
                    .show_symbol(false),
            );
            lines.push((series, curve.as_ref()));
        }
    }
    let plot_px = (frame.width - left - RIGHT).max(50.0);
    let mut extra = Extra::new(&chart, style, description);
    for grid in 0..directions.len() {
        // What is measured ends at no round number.
        extra.axis("xAxis", grid, json!({"axisLabel": {"showMaxLabel": false}}));
    }
    for (index, (series, curve)) in lines.into_iter().enumerate() {
        let colour = style.palette().series(series);
        let line = curve.map(|curve| thinned(&curve.points, plot_px)).unwrap_or_default();
        let data: Vec<Value> = line.into_iter().map(|(x, y)| json!([rounded(x), rounded(y)])).collect();
        extra.series(
            index,
            json!({
                "data": data, "showSymbol": false,
                "lineStyle": {"color": colour, "width": 1.5, "type": dash(series)},
                "itemStyle": {"color": colour},
            }),
        );
        // Numbers of several curves would not be told apart.
        if let (1, Some(curve)) = (set.names.len(), curve) {
            extra.series(index, json!({"markPoint": mark_points(&marks(set, curve), style)}));
        }
    }
    (extra.finish(), height)
}

/// The slow places of one result's curve, in their middle.
#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
fn marks(set: &SeriesSet<'_>, curve: &Curve<'_>) -> Vec<(u32, f64, f64)> {
    let points = story(set, 0, curve).map(|(_, found)| found.points.as_slice()).unwrap_or_default();
    points
        .iter()
        .map(|point| {
            let middle = (point.from as f64 + point.until as f64) / 2e9;
            (point.ordinal, middle, point.bytes_per_s as f64 / 1e6)
        })
        .collect()
}

/// Of one result all that was found, of more the first sentence of each.
fn caption(set: &SeriesSet<'_>, directions: &[Direction<'_>]) -> String {
    let short = set.short_names();
    let mut sentences = Vec::new();
    for direction in directions {
        for (result, curve) in direction.curves.iter().enumerate() {
            let whose = if short.len() > 1 { format!("{}, ", short[result]) } else { String::new() };
            let title = format!("{whose}{}", direction.title);
            let told = match curve.as_ref().map(|curve| story(set, result, curve)) {
                None => vec!["no result.".to_owned()],
                Some(None) => vec!["too few places to tell.".to_owned()],
                Some(Some((story, _))) if short.len() == 1 => story.sentences.clone(),
                // Their numbers are not drawn.
                Some(Some((_, found))) => {
                    surface::words(found, writes(direction), false).into_iter().take(1).collect()
                }
            };
            sentences.push(format!("{title}: {}", told.join(" ")));
        }
    }
    sentences.extend(caption::remarks(set));
    sentences.join(" ")
}

fn writes(direction: &Direction<'_>) -> bool {
    direction.curves.iter().flatten().any(|curve| curve.cell.method.pattern.writes())
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn table(set: &SeriesSet<'_>, directions: &[Direction<'_>]) -> Table {
    let columns = ["Cell", "Result", "From", "To", "Places", "Speed", "Around it", "Below"];
    let rate = |bytes_per_s: u64| format_rate(bytes_per_s as f64);
    let mut rows = Vec::new();
    for direction in directions {
        for ((result, name), curve) in set.names.iter().enumerate().zip(&direction.curves) {
            let mut row = vec![direction.title.clone(), name.clone()];
            let Some(curve) = curve else {
                row.push("no result".to_owned());
                row.resize(columns.len(), String::new());
                rows.push(row);
                continue;
            };
            let Some((_, found)) = story(set, result, curve) else {
                row.push("too few places to tell".to_owned());
                row.resize(columns.len(), String::new());
                rows.push(row);
                continue;
            };
            let mut whole = row.clone();
            whole.extend([
                format_capacity(0),
                format_capacity(found.span_bytes),
                found.places.to_string(),
                rate(found.median_bytes_per_s),
                String::new(),
                String::new(),
            ]);
            rows.push(whole);
            rows.extend(found.points.iter().map(|point| {
                let mut row = row.clone();
                row.extend([
                    format!("[{}] {}", point.ordinal, format_capacity(point.from)),
                    format_capacity(point.until),
                    point.places.to_string(),
                    rate(point.bytes_per_s),
                    rate(point.around_bytes_per_s),
                    format_percent(point.below()),
                ]);
                row
            }));
        }
    }
    Table { columns: columns.map(str::to_owned).to_vec(), rows }
}

fn figures(set: &SeriesSet<'_>, directions: &[Direction<'_>]) -> Table {
    let columns = ["cell", "result", "from_byte", "until_byte", "bytes_per_s"];
    let mut rows = Vec::new();
    for direction in directions {
        for (name, curve) in set.names.iter().zip(&direction.curves) {
            let Some(curve) = curve else { continue };
            rows.extend(surface::speeds(curve.cell).into_iter().map(|(range, speed)| {
                vec![
                    curve.cell.method.label(),
                    name.clone(),
                    range.start.to_string(),
                    range.end.to_string(),
                    speed.to_string(),
                ]
            }));
        }
    }
    Table { columns: columns.map(str::to_owned).to_vec(), rows }
}
