//! Lines over a parameter that is varied: I/Os in flight, or drives that work together.
//!
//! Knows: which cells differ in that parameter only. The knee is the summary's.

use crate::{
    Chart, Table, caption, figure,
    frame::{self, Frame},
    lines::{Facet, Guide, GuideDash, Lines, Point},
    series::SeriesSet,
    style::Style,
    view,
};
use analysis::stories::{ideal_rate, member_rates};
use model::{
    Method,
    chart_id::ChartId,
    comparison::{Entry, Row},
    document::CellStatus,
    finding::Found,
    metric::MetricKind,
    units::{Unit, format_percent},
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
    let relative = view::is_relative(style.view, set);
    let logarithmic = view::is_logarithmic(style.view, id, relative);
    let shown = if relative { caption::share_unit(set) } else { unit.axis_name().to_owned() };
    let scale = if logarithmic { " on a logarithmic scale" } else { "" };
    let subtitle = format!("{shown}{scale}, more is better. Median of the loops.");
    let frame = Frame::new(kind.title, &subtitle, &set.names, style);
    let lines = Lines {
        facets: drawn.iter().map(|group| kind.facet(group, set, &frame.labels, relative)).collect(),
        unit: if relative { Unit::Share } else { unit },
        logarithmic,
        places: kind.places,
        one_scale: false,
    };
    let mut caption = kind.caption(set, &groups, relative);
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
        table: kind.table(set, &groups, relative),
        figures: kind.figures(set, &groups, relative),
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

    fn facet(&self, group: &Group<'_>, set: &SeriesSet<'_>, labels: &[String], relative: bool) -> Facet {
        let unit = if relative { Unit::Share } else { group.unit };
        let line = |series: usize| -> Vec<Point> {
            group
                .rows
                .iter()
                .map(|(_, row)| match drawn(&row.entries[series], row, relative) {
                    Some(value) => {
                        Point { value: Some(value), text: figure::without_unit(unit, value), hollow: false }
                    }
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
            guides: if self.id == ChartId::ArrayScaling && !relative {
                guides(group, set, labels)
            } else {
                Vec::new()
            },
            ..Facet::default()
        }
    }

    /// What the summaries found about this parameter.
    fn caption(&self, set: &SeriesSet<'_>, groups: &[Group<'_>], relative: bool) -> String {
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
        if self.id == ChartId::ArrayScaling && !relative {
            sentences.push("Dashed: drives that are each as fast as with the fewest.".to_owned());
            sentences.extend(link_words(groups, set, &short));
        }
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    fn table(&self, set: &SeriesSet<'_>, groups: &[Group<'_>], relative: bool) -> Table {
        let of_drives = self.id == ChartId::ArrayScaling;
        let mut columns = vec!["Cell".to_owned(), self.places.to_owned()];
        columns.extend(set.names.iter().cloned());
        if relative {
            columns.extend(set.names.iter().skip(1).map(|name| format!("{name}, of the baseline")));
        }
        if of_drives {
            let more = ["of the ideal", "load of each drive"];
            let more = more.into_iter().flat_map(|what| {
                set.names.iter().map(move |name| match &set.names[..] {
                    [_] => what.to_owned(),
                    _ => format!("{name}, {what}"),
                })
            });
            columns.extend(more);
        }
        let rows = groups.iter().flat_map(|group| {
            group.rows.iter().enumerate().map(move |(index, (place, row))| {
                let mut line = vec![group.title.clone(), place.to_string()];
                line.extend(row.entries.iter().map(|entry| figure::text(entry, row.metric.kind)));
                if relative {
                    let share = |entry| drawn(entry, row, relative).map(|share| Unit::Share.format(share));
                    line.extend(row.entries.iter().skip(1).map(|entry| share(entry).unwrap_or_default()));
                }
                if of_drives {
                    line.extend((0..row.entries.len()).map(|series| share_of_ideal(group, series, index)));
                    line.extend((0..row.entries.len()).map(|series| load_text(group, set, series, index)));
                }
                line
            })
        });
        Table { columns, rows: rows.collect() }
    }

    fn figures(&self, set: &SeriesSet<'_>, groups: &[Group<'_>], relative: bool) -> Table {
        let mut columns = ["cell", "result", "place", "unit", "value", "status"].map(str::to_owned).to_vec();
        let of_drives = self.id == ChartId::ArrayScaling;
        if of_drives {
            // Empty for all of them together.
            columns.push("drive".to_owned());
        }
        columns.extend(relative.then(|| "share_of_baseline".to_owned()));
        let mut rows = Vec::new();
        for group in groups {
            for (place, row) in &group.rows {
                for (series, (name, entry)) in set.names.iter().zip(&row.entries).enumerate() {
                    let share = drawn(entry, row, true).map(|share| share.to_string()).unwrap_or_default();
                    let line = |value: Option<f64>, drive: Option<String>| {
                        let of_one = drive.as_ref().is_some_and(|drive| !drive.is_empty());
                        let mut line = vec![
                            group.title.clone(),
                            name.clone(),
                            place.to_string(),
                            row.metric.kind.token().to_owned(),
                            value.map(|value| value.to_string()).unwrap_or_default(),
                            figure::status(entry).to_owned(),
                        ];
                        line.extend(drive);
                        line.extend(relative.then(|| if of_one { String::new() } else { share.clone() }));
                        line
                    };
                    rows.push(line(value(entry, row), of_drives.then(String::new)));
                    if of_drives {
                        let loads = loads(set, series, row).into_iter();
                        rows.extend(
                            (1..)
                                .zip(loads)
                                .map(|(drive, load)| line(Some(load), Some(i32::to_string(&drive)))),
                        );
                    }
                }
            }
        }
        Table { columns, rows }
    }
}

/// What each line over drives is held against: the same drives if each were as fast as with the fewest of them, and what
/// their links carry where that is not far beyond.
fn guides(group: &Group<'_>, set: &SeriesSet<'_>, labels: &[String]) -> Vec<Guide> {
    let whose = |series: usize, what: &str| match labels {
        [_] => what.to_owned(),
        _ => format!("{}, {what}", labels[series]),
    };
    (0..set.names.len())
        .flat_map(|series| {
            let ideal = Guide {
                name: whose(series, "ideal"),
                series,
                dash: GuideDash::Dashed,
                values: ideals(group, series),
            };
            let links = Guide {
                name: whose(series, "links"),
                series,
                dash: GuideDash::Dotted,
                values: links(group, set, series),
            };
            let near = is_near(&links.values, &ideal.values);
            [Some(ideal), Some(links).filter(|_| near)].into_iter().flatten()
        })
        .filter(|guide| guide.values.iter().flatten().count() > 1)
        .collect()
}

/// Whether what the links carry is drawn: further above the ideal it would press everything else to the ground.
fn is_near(links: &[Option<f64>], ideals: &[Option<f64>]) -> bool {
    let greatest = |values: &[Option<f64>]| values.iter().flatten().copied().fold(0.0, f64::max);
    greatest(links) <= 1.25 * greatest(ideals)
}

/// What the drives at each place would come to, each as fast as with the fewest; `None` everywhere without a figure.
fn ideals(group: &Group<'_>, series: usize) -> Vec<Option<f64>> {
    let found = group.rows.iter().find_map(|(place, row)| Some((*place, value(&row.entries[series], row)?)));
    let ideal = |place: u64| found.map(|(first, rate)| ideal_rate(first, rate, place));
    group.rows.iter().map(|(place, _)| ideal(*place)).collect()
}

/// What the links to the drives at each place carry; `None` where that is not known.
#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 53 bits")]
fn links(group: &Group<'_>, set: &SeriesSet<'_>, series: usize) -> Vec<Option<f64>> {
    let link = |row: &Row| {
        let cells = set.counted_cells(series, row);
        cells.first().and_then(|cell| cell.proof.link_bytes_per_s.known().map(|link| *link as f64))
    };
    group.rows.iter().map(|(_, row)| link(row)).collect()
}

/// What is said of the links of each result, once for each: where its line is, or why there is none.
fn link_words(groups: &[Group<'_>], set: &SeriesSet<'_>, short: &[String]) -> Vec<String> {
    let Some(group) = groups.first() else { return Vec::new() };
    let word = |series: usize| {
        let links = links(group, set, series);
        let most = links.iter().flatten().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            return None;
        }
        let whose = if short.len() > 1 { format!("{}: ", short[series]) } else { String::new() };
        let drawn =
            if is_near(&links, &ideals(group, series)) { " (dotted)" } else { ", beyond the picture" };
        Some(format!("{whose}The links carry at most {}{drawn}.", group.unit.format(most)))
    };
    (0..short.len()).filter_map(word).collect()
}

/// Rates of each drive of drives apart in the cell of a row; empty where nothing tells them apart.
fn loads(set: &SeriesSet<'_>, series: usize, row: &Row) -> Vec<f64> {
    set.counted_cells(series, row).first().map(|cell| member_rates(cell)).unwrap_or_default()
}

/// A figure as a share of the ideal one at its place; empty without one.
fn share_of_ideal(group: &Group<'_>, series: usize, index: usize) -> String {
    let (_, row) = &group.rows[index];
    let found = value(&row.entries[series], row).zip(ideals(group, series)[index]);
    found.map(|(value, ideal)| format_percent(value / ideal)).unwrap_or_default()
}

/// The load of each drive at a place, from that of the least to that of the most loaded; empty without a figure.
#[expect(clippy::cast_precision_loss, reason = "there are few drives")]
fn load_text(group: &Group<'_>, set: &SeriesSet<'_>, series: usize, index: usize) -> String {
    let (place, row) = &group.rows[index];
    let Some(all) = value(&row.entries[series], row) else { return String::new() };
    let loads = loads(set, series, row);
    let format = |rate: f64| group.unit.format(rate);
    if loads.is_empty() {
        return format(all / (*place).max(1) as f64);
    }
    let least = format(loads.iter().copied().fold(f64::INFINITY, f64::min));
    let most = format(loads.iter().copied().fold(0.0, f64::max));
    if least == most { most } else { format!("{least} to {most}") }
}

/// What is drawn of an entry: its value, or its share of the baseline's.
fn drawn(entry: &Entry, row: &Row, relative: bool) -> Option<f64> {
    let value = value(entry, row)?;
    if relative { view::entry_share(entry) } else { Some(value) }
}

/// The median of an entry that counts.
fn value(entry: &Entry, row: &Row) -> Option<f64> {
    let counts = entry.status.is_some_and(CellStatus::counts);
    entry.stats.filter(|_| counts).map(|stats| stats.figure(row.metric.kind))
}
