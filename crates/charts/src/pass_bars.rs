//! Passes as bars: applications trace by trace, copies and loading by their time, the best and the worst pass.
//!
//! Knows: which passes of a result belong to one bar, and what their difference to the first result's may be called.
//! The figures are those of the summary.

use crate::{
    Chart, Table,
    bars::{self, Bars, Group},
    caption,
    figure::Figure,
    frame::{self, Frame},
    series::SeriesSet,
    style::Style,
};
use analysis::{comparison::standing_of_medians, stats};
use model::{
    chart_id::ChartId,
    comparison::Standing,
    document::CellStatus,
    finding::{Found, PassSpread},
    method::Fill,
    pass::{DoneBefore, PassMethod, TracePlay},
    summary::{MovedSummary, ResultSummary, Stats},
    units::{Nanos, Unit, format_capacity, format_change, format_nanos, format_share},
};

/// More rows than this are in the table only.
const MOST_ROWS: usize = 24;

/// What one chart shows.
struct Kind {
    id: ChartId,
    title: &'static str,
    subtitle: &'static str,
    unit: Unit,
    higher_is_better: bool,
    /// What a result has for it, in its order.
    of: fn(&ResultSummary) -> Vec<Value>,
}

const APPLICATIONS: Kind = Kind {
    id: ChartId::Applications,
    title: "Applications",
    subtitle: "MB/s while busy, more is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::BytesPerSecond,
    higher_is_better: true,
    of: |summary| applications(summary),
};
const COPIES: Kind = Kind {
    id: ChartId::Copies,
    title: "Copies",
    subtitle: "Seconds until the last request returned, less is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::Seconds,
    higher_is_better: false,
    of: |summary| moved(summary, false),
};
const LOADING: Kind = Kind {
    id: ChartId::Loading,
    title: "Loading",
    subtitle: "Seconds until everything was read, less is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::Seconds,
    higher_is_better: false,
    of: |summary| moved(summary, true),
};
const BEST_WORST: Kind = Kind {
    id: ChartId::BestWorst,
    title: "Best and worst pass",
    subtitle: "Time score, more is better: 1,000 for a drive that takes no time. The nearer both, the steadier the drive.",
    unit: Unit::Points,
    higher_is_better: true,
    of: |summary| best_and_worst(summary),
};

/// A figure of one pass, or why there is none.
struct Value {
    /// What it is a figure of: passes of one name and method are one bar.
    name: String,
    /// How it was measured; `None` for what is computed from several passes.
    method: Option<PassMethod>,
    status: CellStatus,
    value: Option<f64>,
    note: String,
}

/// One thing in every result.
struct Row {
    name: String,
    entries: Vec<Entry>,
}

struct Entry {
    figure: Figure,
    /// What must be equal for a comparison.
    method: Option<PassMethod>,
    notes: Vec<String>,
    standing: Standing,
}

/// Draws a chart of passes as bars.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = match id {
        ChartId::Applications => APPLICATIONS,
        ChartId::Copies => COPIES,
        ChartId::Loading => LOADING,
        ChartId::BestWorst => BEST_WORST,
        _ => return None,
    };
    let rows = kind.rows(set);
    if !rows.iter().flat_map(|row| &row.entries).any(|entry| entry.figure.counted().is_some()) {
        return None;
    }
    let drawn = &rows[..rows.len().min(MOST_ROWS)];
    let frame = Frame::new(kind.title, kind.subtitle, &set.names, style);
    let groups = drawn.iter().map(|row| Group {
        label: bars::broken(&row.name, &frame),
        figures: row.entries.iter().map(|entry| entry.figure).collect(),
        texts: row.entries.iter().map(|entry| kind.text(entry)).collect(),
    });
    let bars = Bars::new(kind.unit, groups.collect(), &frame);
    let mut caption = kind.caption(set, &rows);
    if drawn.len() < rows.len() {
        caption += &format!(" The first {} of {} are drawn; the table has all.", drawn.len(), rows.len());
    }
    let description = kind.description(set, drawn, &caption);
    let (option, height) = bars.option(&frame, style, &description);
    Some(Chart {
        id,
        title: kind.title.to_owned(),
        option,
        table: kind.table(set, &rows),
        figures: kind.figures(set, &rows),
        caption,
        description,
        height: frame::whole(height),
    })
}

impl Kind {
    /// The rows of all results, aligned by name.
    fn rows(&self, set: &SeriesSet<'_>) -> Vec<Row> {
        let values: Vec<Vec<Value>> = set.sources.iter().map(|source| (self.of)(source.summary)).collect();
        let mut names: Vec<&str> = Vec::new();
        for value in values.iter().flatten() {
            if !names.contains(&value.name.as_str()) {
                names.push(&value.name);
            }
        }
        let allowed = set.comparison.verdict.allows_percentages();
        names
            .into_iter()
            .map(|name| {
                let own = |values: &Vec<Value>| entry(values.iter().filter(|value| value.name == name));
                let mut entries: Vec<Entry> = values.iter().map(own).collect();
                let base =
                    entries.first().and_then(|first| Some((*first.figure.counted()?, first.method.clone())));
                for (index, entry) in entries.iter_mut().enumerate() {
                    entry.standing = match (&base, entry.figure.counted()) {
                        (None, _) | (_, None) => Standing::Missing,
                        (Some(_), Some(_)) if index == 0 => Standing::Baseline,
                        (Some((base, method)), Some(stats)) => {
                            let allowed = allowed && *method == entry.method;
                            standing_of_medians(base, stats, self.higher_is_better, allowed)
                        }
                    };
                }
                Row { name: name.to_owned(), entries }
            })
            .collect()
    }

    fn text(&self, entry: &Entry) -> String {
        match entry.figure {
            Figure::Counted(stats) => self.unit.format(stats.median),
            other => other.absence().to_owned(),
        }
    }

    /// What the bars show: of one result its extremes, of more how they stand to the first.
    fn caption(&self, set: &SeriesSet<'_>, rows: &[Row]) -> String {
        let names = set.short_names();
        let mut sentences = if self.id == ChartId::BestWorst {
            drops(set, &names)
        } else if names.len() == 1 {
            self.extremes(rows).into_iter().collect()
        } else {
            let mut sentences: Vec<String> = self.headline(rows, &names).into_iter().collect();
            sentences.extend(self.tally(rows, &names));
            sentences
        };
        sentences.extend(without_figure(rows, &names));
        sentences.extend(caption::remarks(set));
        sentences.join(" ")
    }

    fn extremes(&self, rows: &[Row]) -> Option<String> {
        let counted =
            rows.iter().filter_map(|row| Some((row, row.entries.first()?.figure.counted()?.median)));
        let mut counted: Vec<(&Row, f64)> = counted.collect();
        counted.sort_by(|a, b| b.1.total_cmp(&a.1));
        let text = |(row, value): &(&Row, f64)| format!("{} with {}", row.name, self.unit.format(*value));
        match counted.as_slice() {
            [] => None,
            [only] => Some(format!("{}.", text(only))),
            [first, .., last] => {
                let [most, least] =
                    if self.higher_is_better { ["Fastest", "slowest"] } else { ["Longest", "shortest"] };
                Some(format!("{most}: {}; {least}: {}.", text(first), text(last)))
            }
        }
    }

    /// The first thing that the first result and another one have.
    fn headline(&self, rows: &[Row], names: &[String]) -> Option<String> {
        let there =
            |row: &&Row| row.entries.iter().filter(|entry| entry.figure.counted().is_some()).count() > 1;
        let row = rows.iter().find(there)?;
        let shown = row.entries.iter().zip(names).filter_map(|(entry, name)| {
            let value = self.unit.format(entry.figure.counted()?.median);
            let aside = match entry.standing {
                Standing::Differs { change, .. } => format!(" ({})", format_change(change)),
                Standing::Tie { .. } => " (within the spread between passes)".to_owned(),
                Standing::SpreadUnknown { change } => format!(" ({}, one pass)", format_change(change)),
                _ => String::new(),
            };
            Some(format!("{name} {value}{aside}"))
        });
        Some(format!("{}: {}.", row.name, shown.collect::<Vec<_>>().join(", ")))
    }

    /// Wins, ties and losses of each further result.
    fn tally(&self, rows: &[Row], names: &[String]) -> Vec<String> {
        let told = names.iter().enumerate().skip(1).filter_map(|(index, name)| {
            let standings = || rows.iter().map(|row| row.entries[index].standing);
            let count = |wanted: fn(Standing) -> bool| standings().filter(|one| wanted(*one)).count();
            let won = count(|one| matches!(one, Standing::Differs { better: true, .. }));
            let lost = count(|one| matches!(one, Standing::Differs { better: false, .. }));
            let tied = count(|one| matches!(one, Standing::Tie { .. }));
            let unknown = count(|one| matches!(one, Standing::SpreadUnknown { .. }));
            let all = won + lost + tied + unknown;
            if all < 2 {
                return None;
            }
            let parts: Vec<String> =
                [(won, "faster"), (tied, "no difference beyond the spread"), (lost, "slower")]
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, word)| format!("{word} in {count}"))
                    .chain((unknown > 0).then(|| format!("spread not known in {unknown}")))
                    .collect();
            Some(format!("{name} against {}: {} of {all}.", names[0], parts.join(", ")))
        });
        told.collect()
    }

    fn description(&self, set: &SeriesSet<'_>, rows: &[Row], caption: &str) -> String {
        let names = set.short_names();
        let told = rows.iter().map(|row| {
            let figures = row.entries.iter().zip(&names);
            let figures = figures.map(|(entry, name)| format!("{name} {}", self.text(entry)));
            format!("{}: {}.", row.name, figures.collect::<Vec<_>>().join(", "))
        });
        format!("Bar chart: {}. {caption} {}", self.title, told.collect::<Vec<_>>().join(" "))
    }

    fn table(&self, set: &SeriesSet<'_>, rows: &[Row]) -> Table {
        let columns = ["Of what", "Result", "Median", "Least", "Greatest", "Passes", "Note"];
        let lines = lines(set, rows).map(|(row, name, entry)| {
            let text = |value: f64| self.unit.format(value);
            let [least, greatest, count] =
                entry.figure.counted().map_or_else(Default::default, |stats: &Stats| {
                    [text(stats.min), text(stats.max), stats.count.to_string()]
                });
            let note = entry.notes.join("; ");
            vec![row.name.clone(), name.clone(), self.text(entry), least, greatest, count, note]
        });
        Table { columns: columns.map(str::to_owned).to_vec(), rows: lines.collect() }
    }

    fn figures(&self, set: &SeriesSet<'_>, rows: &[Row]) -> Table {
        let columns = ["name", "result", "unit", "status", "median", "min", "max", "passes"];
        let unit = match self.unit {
            Unit::BytesPerSecond => "bytes_per_s",
            Unit::Points => "points",
            _ => "ns",
        };
        let lines = lines(set, rows).map(|(row, name, entry)| {
            let [median, least, greatest, count] =
                entry.figure.counted().map_or_else(Default::default, |stats: &Stats| {
                    [stats.median, stats.min, stats.max, f64::from(stats.count)]
                        .map(|value| value.to_string())
                });
            let status = entry.figure.status().to_owned();
            vec![row.name.clone(), name.clone(), unit.to_owned(), status, median, least, greatest, count]
        });
        Table { columns: columns.map(str::to_owned).to_vec(), rows: lines.collect() }
    }
}

/// Every entry with its row and its result's name.
fn lines<'a>(
    set: &'a SeriesSet<'_>,
    rows: &'a [Row],
) -> impl Iterator<Item = (&'a Row, &'a String, &'a Entry)> {
    rows.iter()
        .flat_map(|row| set.names.iter().zip(&row.entries).map(move |(name, entry)| (row, name, entry)))
}

/// What a result has for one name.
fn entry<'a>(values: impl Iterator<Item = &'a Value>) -> Entry {
    let values: Vec<&Value> = values.collect();
    let counts = |value: &&&Value| matches!(value.status, CellStatus::Complete | CellStatus::Partial);
    let counted: Vec<f64> = values.iter().filter(counts).filter_map(|value| value.value).collect();
    let ended = |status: CellStatus| values.iter().any(|value| value.status == status);
    let figure = match stats::of(&counted) {
        Some(stats) => Figure::Counted(stats),
        None if ended(CellStatus::Failed) => Figure::Failed,
        None if ended(CellStatus::Void) => Figure::Void,
        None => Figure::Missing,
    };
    let mut notes: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| !value.note.is_empty()) {
        if !notes.contains(&value.note) {
            notes.push(value.note.clone());
        }
    }
    let method = values.first().and_then(|value| value.method.clone());
    Entry { figure, method, notes, standing: Standing::Missing }
}

fn with_fill(name: &str, fill: Option<Fill>) -> String {
    fill.map_or_else(|| name.to_owned(), |fill| format!("{name}, {fill} in use"))
}

/// Traces of passes that belong to no consistency test.
fn applications(summary: &ResultSummary) -> Vec<Value> {
    let device_bytes = summary.head.device_bytes();
    let passes = summary.passes.iter().filter(|pass| pass.phase.is_none());
    let traces = passes.flat_map(|pass| pass.traces.iter().map(|trace| (pass.fill, trace)));
    let loads = |method: &PassMethod| method.trace().is_some_and(TracePlay::loads);
    traces
        .filter(|(_, trace)| !loads(trace.method.method()))
        .map(|(fill, trace)| Value {
            name: with_fill(&trace.title, fill),
            // A later pass differs in its number and in what was before it.
            method: Some(first_pass(trace.method.method().compared(device_bytes))),
            status: trace.status,
            value: trace.bytes_per_s,
            note: String::new(),
        })
        .collect()
}

/// A method as that of the first pass.
fn first_pass(method: PassMethod) -> PassMethod {
    let before = DoneBefore { fill: method.before.fill, ..DoneBefore::default() };
    PassMethod { number: 1, before, ..method }
}

/// Copies, or what loads.
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
fn moved(summary: &ResultSummary, loads: bool) -> Vec<Value> {
    let device_bytes = summary.head.device_bytes();
    let note = |moved: &MovedSummary| {
        let settled = moved.settled_ns.map(|ns| format!("durable after {}", format_nanos(Nanos(ns))));
        let fell = moved.fell_at.map(|place| format!("fast until {}", format_capacity(place.bytes)));
        let bytes = Some(format_capacity(moved.bytes));
        bytes.into_iter().chain(settled).chain(fell).collect::<Vec<_>>().join(", ")
    };
    let wanted = summary.moved.iter().filter(|moved| moved.loads() == loads);
    wanted
        .map(|moved| {
            let method = moved.method.method();
            Value {
                name: with_fill(&method.what(), method.before.fill),
                method: Some(first_pass(method.compared(device_bytes))),
                status: moved.status,
                value: Some(moved.elapsed_ns as f64).filter(|ns| *ns > 0.0),
                note: note(moved),
            }
        })
        .collect()
}

/// The time scores of the best and the worst pass, as the story of the passes has them.
fn best_and_worst(summary: &ResultSummary) -> Vec<Value> {
    let spreads = summary.stories.iter().filter_map(|story| match &story.found {
        Found::Passes(found) => Some((found, found.time_score?)),
        _ => None,
    });
    spreads
        .flat_map(|(found, score)| {
            let what = what(found);
            [("Best pass", score.best), ("Worst pass", score.worst)].map(|(name, value)| Value {
                name: with_fill(&format!("{name}, {what}"), found.fill),
                method: None,
                status: CellStatus::Complete,
                value: Some(value),
                note: format!("a drop of {}", format_share(score.drop)),
            })
        })
        .collect()
}

/// What the passes of a spread belong to.
fn what(found: &PassSpread) -> &'static str {
    if found.consistency { "consistency" } else { "applications" }
}

/// How far the worst pass of each result lies below its best.
fn drops(set: &SeriesSet<'_>, names: &[String]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (source, name) in set.sources.iter().zip(names) {
        for story in &source.summary.stories {
            let Found::Passes(found) = &story.found else { continue };
            let Some(score) = found.time_score else { continue };
            let whose = if names.len() > 1 { format!("{name}, ") } else { String::new() };
            let what = what(found);
            sentences.push(format!(
                "{whose}{what}: {} at best, {} at worst, a drop of {}; bandwidth drops by {}.",
                Unit::Points.format(score.best),
                Unit::Points.format(score.worst),
                format_share(score.drop),
                format_share(found.bandwidth.drop)
            ));
        }
    }
    sentences
}

/// Failed and void passes, which a bar cannot show.
fn without_figure(rows: &[Row], names: &[String]) -> Option<String> {
    const MOST: usize = 3;
    let mut found = Vec::new();
    for row in rows {
        for (entry, name) in row.entries.iter().zip(names) {
            if matches!(entry.figure, Figure::Failed | Figure::Void) {
                let whose = if names.len() > 1 { format!("{name} ") } else { String::new() };
                found.push(format!("{whose}{} ({})", row.name, entry.figure.absence()));
            }
        }
    }
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    found.extend((more > 0).then(|| format!("{more} more")));
    (!found.is_empty()).then(|| format!("Without a figure: {}.", found.join(", ")))
}
