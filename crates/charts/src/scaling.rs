//! Lines over a parameter that is varied: I/Os in flight, or drives that work together.
//!
//! Knows: which cells differ in that parameter only. The knee is the summary's.

use crate::{
    Chart, Table, caption, figure,
    frame::{self, Frame},
    lines::{Facet, Lines, Point},
    series::SeriesSet,
    style::Style,
};
use model::{
    Method,
    chart_id::ChartId,
    comparison::{Entry, Row},
    document::CellStatus,
    finding::Found,
    metric::MetricKind,
    units::Unit,
};

/// At most so many grids.
const MOST_FACETS: usize = 4;
/// Fewer places are no curve.
const LEAST_PLACES: usize = 4;

/// What is varied.
#[derive(Debug, Clone, Copy)]
struct Kind {
    id: ChartId,
    title: &'static str,
    places: &'static str,
    /// The parameter of a method that is a place on the line; `None` for one that is none.
    place: fn(&Method) -> Option<u64>,
    /// The method without it: cells of one line share it.
    rest: fn(&Method) -> Method,
}

const DEPTH: Kind = Kind {
    id: ChartId::QueueDepth,
    title: "By queue depth",
    places: "I/Os in flight",
    place: |method| method.place_by_depth().map(u64::from),
    // Lengths of loops may differ: a result has one cell for a depth, from whichever of its suites.
    rest: Method::without_depth,
};
const DRIVES: Kind = Kind {
    id: ChartId::ArrayScaling,
    title: "By number of drives",
    places: "drives",
    place: |method| method.members.map(u64::from),
    rest: Method::without_members,
};

/// One grid: the rows of one line in the order of their places.
struct Group<'a> {
    title: String,
    unit: Unit,
    rows: Vec<(u64, &'a Row)>,
}

/// Draws a chart over a varied parameter.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = if id == ChartId::ArrayScaling { DRIVES } else { DEPTH };
    let groups = kind.groups(set);
    // One unit for all grids: that of the first line.
    let unit = groups.first()?.unit;
    let drawn: Vec<&Group<'_>> = groups.iter().filter(|group| group.unit == unit).take(MOST_FACETS).collect();
    let subtitle = format!("{}, more is better. Median of the loops.", unit.axis_name());
    let frame = Frame::new(kind.title, &subtitle, &set.names, style);
    let lines = Lines {
        facets: drawn.iter().map(|group| kind.facet(group, set, &frame.labels)).collect(),
        unit,
        logarithmic: false,
        places: kind.places,
        one_scale: false,
    };
    let mut caption = kind.caption(set);
    let others: Vec<&str> = groups
        .iter()
        .filter(|group| !drawn.iter().any(|one| std::ptr::eq(*one, *group)))
        .map(|group| group.title.as_str())
        .collect();
    if !others.is_empty() {
        caption += &format!(" Not drawn, but in the table: {}.", others.join(", "));
    }
    let description = format!("Line chart: {}. {caption}", kind.title);
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id,
        title: kind.title.to_owned(),
        caption,
        description,
        option,
        table: kind.table(set, &groups),
        figures: kind.figures(set, &groups),
        height: frame::whole(height),
    })
}

impl Kind {
    fn groups<'a>(&self, set: &'a SeriesSet<'_>) -> Vec<Group<'a>> {
        let mut found: Vec<(Method, Group<'a>)> = Vec::new();
        for row in &set.comparison.rows {
            let Some(method) = row.entries.iter().find_map(|entry| entry.method.as_ref()) else { continue };
            let method = method.method();
            let wanted = match self.id {
                ChartId::ArrayScaling => MetricKind::BytesPerS,
                _ if method.pattern.sequential() => MetricKind::BytesPerS,
                _ => MetricKind::Iops,
            };
            let Some(place) = (self.place)(method).filter(|_| row.metric.kind == wanted) else { continue };
            let rest = (self.rest)(method);
            let at = found.iter().position(|(known, _)| *known == rest).unwrap_or_else(|| {
                let title = self.name(method);
                found.push((rest, Group { title, unit: wanted.unit(), rows: Vec::new() }));
                found.len() - 1
            });
            let rows = &mut found[at].1.rows;
            if !rows.iter().any(|(known, _)| *known == place) {
                rows.push((place, row));
            }
        }
        let mut groups: Vec<Group<'a>> = found.into_iter().map(|(_, group)| group).collect();
        for group in &mut groups {
            group.rows.sort_by_key(|(place, _)| *place);
        }
        let least = if self.id == ChartId::ArrayScaling { 2 } else { LEAST_PLACES };
        groups.retain(|group| group.rows.len() >= least);
        groups
    }

    /// The name of a line without the parameter: `RND4K read`.
    fn name(&self, method: &Method) -> String {
        match self.id {
            ChartId::ArrayScaling => method.without_members().label(),
            _ => method.label_without_depth(),
        }
    }

    fn facet(&self, group: &Group<'_>, set: &SeriesSet<'_>, labels: &[String]) -> Facet {
        let unit = group.unit;
        let line = |series: usize| -> Vec<Point> {
            group
                .rows
                .iter()
                .map(|(_, row)| match value(&row.entries[series], row) {
                    Some(value) => Point { value: Some(value), text: short(unit, value), hollow: false },
                    None => Point::gap(),
                })
                .collect()
        };
        let first = group.rows.first().map(|(_, row)| *row);
        Facet {
            title: group.title.clone(),
            note: first.map(|row| figure::notes(&row.entries, labels, row.metric.kind)).unwrap_or_default(),
            places: group.rows.iter().map(|(place, _)| place.to_string()).collect(),
            lines: (0..set.names.len()).map(line).collect(),
            parts: Vec::new(),
        }
    }

    /// What the summaries found about this parameter.
    fn caption(&self, set: &SeriesSet<'_>) -> String {
        let short = set.short_names();
        let ending = if self.id == ChartId::ArrayScaling { " by drives" } else { " by queue depth" };
        let mut sentences = Vec::new();
        for (name, source) in short.iter().zip(set.sources) {
            let knees = source
                .summary
                .stories
                .iter()
                .filter(|story| matches!(story.found, Found::Knee(_)) && story.title.ends_with(ending));
            for story in knees {
                let what = story.title.strip_suffix(ending).unwrap_or(&story.title);
                let whose = if short.len() > 1 { format!("{name}, ") } else { String::new() };
                sentences.extend(story.sentences.first().map(|told| format!("{whose}{what}: {told}")));
            }
        }
        if sentences.is_empty() {
            sentences.push("No knee was found.".to_owned());
        }
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    fn table(&self, set: &SeriesSet<'_>, groups: &[Group<'_>]) -> Table {
        let mut columns = vec!["Cell".to_owned(), self.places.to_owned()];
        columns.extend(set.names.iter().cloned());
        let rows = groups.iter().flat_map(|group| {
            group.rows.iter().map(|(place, row)| {
                let mut line = vec![group.title.clone(), place.to_string()];
                line.extend(row.entries.iter().map(|entry| figure::text(entry, row.metric.kind)));
                line
            })
        });
        Table { columns, rows: rows.collect() }
    }

    fn figures(&self, set: &SeriesSet<'_>, groups: &[Group<'_>]) -> Table {
        let columns = ["cell", "result", "place", "unit", "value", "status"];
        let mut rows = Vec::new();
        for group in groups {
            for (place, row) in &group.rows {
                for (name, entry) in set.names.iter().zip(&row.entries) {
                    rows.push(vec![
                        group.title.clone(),
                        name.clone(),
                        place.to_string(),
                        row.metric.kind.token().to_owned(),
                        value(entry, row).map(|value| value.to_string()).unwrap_or_default(),
                        figure::status(entry).to_owned(),
                    ]);
                }
            }
        }
        Table { columns: columns.map(str::to_owned).to_vec(), rows }
    }
}

/// The median of an entry that counts.
fn value(entry: &Entry, row: &Row) -> Option<f64> {
    let counts = matches!(entry.status, Some(CellStatus::Complete | CellStatus::Partial));
    entry.stats.filter(|_| counts).map(|stats| stats.figure(row.metric.kind))
}

/// A value beside a point, in thousands where it is large: the axis has the unit.
fn short(unit: Unit, value: f64) -> String {
    let text = unit.format(value);
    text.strip_suffix(unit.axis_name()).map_or(text.clone(), |number| number.trim_end().to_owned())
}
