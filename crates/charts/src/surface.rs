//! Speed by place, from the beginning to the end of the span: a grid for reads and one for writes, with the numbered slow
//! places of the findings.
//!
//! Knows: which cells were measured at many places. Which places are slow is the summary's.

use crate::{
    Chart, Table, caption,
    frame::{self, Frame},
    plot::{Grid, Plot},
    series::SeriesSet,
    style::Style,
};
use analysis::surface;
use model::{
    chart_id::ChartId,
    document::Cell,
    finding::{Found, Story, Surface},
    units::{format_capacity, format_percent, format_rate},
};

const TITLE: &str = "Speed by place";
const SUBTITLE: &str = "MB/s at places from the beginning to the end of the span; numbers: slow places.";

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
    let (option, height) = plot(set, &directions).option(&frame, style, &description);
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
            cell.status.counts()
                && cell.method.is_surface()
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

fn plot(set: &SeriesSet<'_>, directions: &[Direction<'_>]) -> Plot {
    let grid = |direction: &Direction<'_>| {
        let lines = direction.curves.iter().map(|curve| curve.as_ref().map(|curve| curve.points.clone()));
        // Numbers of several curves would not be told apart.
        let only = if let [Some(only)] = &direction.curves[..] { Some(only) } else { None };
        Grid {
            title: direction.title.clone(),
            unit: "MB/s",
            share: 1.0,
            lines: lines.map(Option::unwrap_or_default).collect(),
            marks: only.map(|only| marks(set, only)).unwrap_or_default(),
        }
    };
    Plot { along: "GB", grids: directions.iter().map(grid).collect(), one_scale: true }
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
