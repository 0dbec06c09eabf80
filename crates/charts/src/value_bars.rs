//! Charts of bars whose figures are no metrics of a cell: applications trace by trace, copies and loading by their time,
//! the best and the worst pass, first and last minutes, fast writing by state before, bursts against endurance.
//!
//! Knows: which figures of a result are one bar, and what their difference to the first result's may be called.

use crate::{
    Chart, Source, Table,
    bars::{self, Bars, Group},
    caption,
    figure::Figure,
    frame::{self, Frame},
    series::SeriesSet,
    standings::{StandingRow, StandingText, Standings, Tally},
    style::Style,
    values::{self, Value},
    view::{self, NO_SHARE},
};
use analysis::{comparison::standing_of_medians, stats};
use model::{
    chart_id::ChartId,
    comparison::Standing,
    document::CellStatus,
    summary::Stats,
    units::{Unit, format_change},
};

/// More rows than this are in the table only.
const MOST_ROWS: usize = 24;

/// Sentences about all results, which have these short names.
type Told = fn(&SeriesSet<'_>, &[String]) -> Vec<String>;

/// What one chart shows.
struct Kind {
    title: &'static str,
    subtitle: &'static str,
    unit: Unit,
    higher_is_better: bool,
    /// What a bar's median is taken over.
    over: &'static str,
    /// What a result has for it, in its order.
    of: fn(&Source<'_>) -> Vec<Value>,
    /// What the bars are drawn for, in sentences; `None` where the bars say it.
    told: Option<Told>,
}

const APPLICATIONS: Kind = Kind {
    title: "Applications",
    subtitle: "MB/s while busy, more is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::BytesPerSecond,
    higher_is_better: true,
    over: "passes",
    of: |source| values::applications(source.summary),
    told: None,
};
const COPIES: Kind = Kind {
    title: "Copies",
    subtitle: "Seconds until the last request returned, less is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::Seconds,
    higher_is_better: false,
    over: "passes",
    of: |source| values::moved(source.summary, false),
    told: None,
};
const LOADING: Kind = Kind {
    title: "Loading",
    subtitle: "Seconds until everything was read, less is better. Bar: median of the passes; line: least to greatest.",
    unit: Unit::Seconds,
    higher_is_better: false,
    over: "passes",
    of: |source| values::moved(source.summary, true),
    told: None,
};
const BEST_WORST: Kind = Kind {
    title: "Best and worst pass",
    subtitle: "Time score, more is better: 1,000 for a drive that takes no time. The nearer both, the steadier the drive.",
    unit: Unit::Points,
    higher_is_better: true,
    over: "passes",
    of: |source| values::best_and_worst(source.summary),
    told: Some(values::drops),
};
const FIRST_LAST: Kind = Kind {
    title: "First minute against last",
    subtitle: "IOPS of both directions together, more is better.",
    unit: Unit::Iops,
    higher_is_better: true,
    over: "runs",
    of: values::first_and_last,
    told: Some(values::minutes_told),
};
const FILL: Kind = Kind {
    title: "Fast writing by state before",
    subtitle: "GB written before the speed fell for good, more is better.",
    unit: Unit::Bytes,
    higher_is_better: true,
    over: "runs",
    of: values::by_state,
    told: Some(values::states_told),
};
const BURST_ENDURANCE: Kind = Kind {
    title: "Burst against endurance",
    subtitle: "MB/s, more is better: what a short load shows, and what is left under a long one.",
    unit: Unit::BytesPerSecond,
    higher_is_better: true,
    over: "runs",
    of: values::bursts_and_endurance,
    told: Some(values::endurance_told),
};

/// One thing in every result.
struct Row {
    name: String,
    entries: Vec<Entry>,
}

struct Entry {
    figure: Figure,
    /// What must be equal for a comparison.
    method: Option<String>,
    /// Text in place of the figure's own.
    text: Option<String>,
    notes: Vec<String>,
    standing: Standing,
}

/// Applications, copies or loading one by one: what each result needed or gave, how that stands to the first one's, and
/// how often it is better, no different or worse. `None` for another chart, one result, or nothing to set against each
/// other.
pub(crate) fn versus(id: ChartId, set: &SeriesSet<'_>) -> Option<Standings> {
    let kind = match id {
        ChartId::Applications => APPLICATIONS,
        ChartId::Copies => COPIES,
        ChartId::Loading => LOADING,
        _ => return None,
    };
    let rows = kind.rows(set);
    let stands =
        |entry: &Entry| entry.standing != Standing::Baseline && view::share(entry.standing).is_some();
    if set.names.len() < 2 || !rows.iter().flat_map(|row| &row.entries).any(stands) {
        return None;
    }
    let words = |row: &Row| {
        let words = |entry: &Entry| StandingText { figure: kind.text(entry), standing: entry.standing };
        StandingRow { name: row.name.clone(), entries: row.entries.iter().map(words).collect() }
    };
    let tallies =
        (1..set.names.len()).map(|index| Tally::of(rows.iter().map(|row| row.entries[index].standing)));
    Some(Standings {
        names: set.names.clone(),
        rows: rows.iter().map(words).collect(),
        tallies: tallies.collect(),
    })
}

/// Draws a chart of passes as bars.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let kind = match id {
        ChartId::Applications => APPLICATIONS,
        ChartId::Copies => COPIES,
        ChartId::Loading => LOADING,
        ChartId::BestWorst => BEST_WORST,
        ChartId::MixedFirstLast => FIRST_LAST,
        ChartId::Fill => FILL,
        ChartId::BurstEndurance => BURST_ENDURANCE,
        _ => return None,
    };
    let rows = kind.rows(set);
    if !rows.iter().flat_map(|row| &row.entries).any(|entry| entry.figure.counted().is_some()) {
        return None;
    }
    let drawn = &rows[..rows.len().min(MOST_ROWS)];
    let relative = view::is_relative(style.view, set);
    let subtitle = if relative { kind.share_subtitle(set) } else { kind.subtitle.to_owned() };
    let frame = Frame::new(kind.title, &subtitle, &set.names, style);
    let groups = drawn.iter().map(|row| Group {
        label: bars::broken(&row.name, &frame),
        figures: row.entries.iter().map(|entry| row.drawn(entry, relative)).collect(),
        texts: row.entries.iter().map(|entry| kind.shown(entry, relative)).collect(),
    });
    let unit = if relative { Unit::Share } else { kind.unit };
    let bars = Bars::new(unit, groups.collect(), &frame);
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
        table: kind.table(set, &rows, relative),
        figures: kind.figures(set, &rows, relative),
        caption,
        description,
        height: frame::whole(height),
    })
}

impl Row {
    /// What the bar of an entry is as long as.
    fn drawn(&self, entry: &Entry, relative: bool) -> Figure {
        if !relative {
            return entry.figure;
        }
        let base = self.entries.first().and_then(|base| base.figure.counted());
        match entry
            .figure
            .counted()
            .zip(base)
            .and_then(|(own, base)| view::share_of(own, entry.standing, base))
        {
            Some(share) => Figure::Counted(share),
            None if entry.figure.counted().is_some() => Figure::Missing,
            None => entry.figure,
        }
    }
}

impl Kind {
    /// What shares of the first result are better, without the unit that is not shown.
    fn share_subtitle(&self, set: &SeriesSet<'_>) -> String {
        let better = if self.higher_is_better { "more" } else { "less" };
        let bar = format!("Bar: median of the {}; line: least to greatest.", self.over);
        format!("{}, {better} is better. {bar}", caption::share_unit(set))
    }

    /// What stands at a bar.
    fn shown(&self, entry: &Entry, relative: bool) -> String {
        let counts = entry.figure.counted().is_some();
        match view::share(entry.standing) {
            _ if !relative || !counts => self.text(entry),
            Some(share) => Unit::Share.format(share),
            None => NO_SHARE.to_owned(),
        }
    }

    /// The rows of all results, aligned by name.
    fn rows(&self, set: &SeriesSet<'_>) -> Vec<Row> {
        let values: Vec<Vec<Value>> = set.sources.iter().map(self.of).collect();
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
        match (&entry.text, entry.figure) {
            (Some(text), _) => text.clone(),
            (None, Figure::Counted(stats)) => self.unit.format(stats.median),
            (None, other) => other.absence().to_owned(),
        }
    }

    /// What the bars show: of one result its extremes, of more how they stand to the first.
    fn caption(&self, set: &SeriesSet<'_>, rows: &[Row]) -> String {
        let names = set.short_names();
        let mut sentences = if let Some(told) = self.told {
            told(set, &names)
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
            let Tally { better: won, worse: lost, ties: tied, unknown } =
                Tally::of(rows.iter().map(|row| row.entries[index].standing));
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

    fn table(&self, set: &SeriesSet<'_>, rows: &[Row], relative: bool) -> Table {
        let over = self.over[..1].to_uppercase() + &self.over[1..];
        let columns = ["Of what", "Result", "Median", "Least", "Greatest", &over, "Note"];
        let lines = lines(set, rows).map(|(row, name, entry)| {
            let text = |value: f64| self.unit.format(value);
            let [least, greatest, count] =
                entry.figure.counted().map_or_else(Default::default, |stats: &Stats| {
                    [text(stats.min), text(stats.max), stats.count.to_string()]
                });
            let note = entry.notes.join("; ");
            let mut line =
                vec![row.name.clone(), name.clone(), self.text(entry), least, greatest, count, note];
            if relative {
                line.insert(2, self.shown(entry, relative));
            }
            line
        });
        let mut columns = columns.map(str::to_owned).to_vec();
        if relative {
            columns.insert(2, caption::share_column(set));
        }
        Table { columns, rows: lines.collect() }
    }

    fn figures(&self, set: &SeriesSet<'_>, rows: &[Row], relative: bool) -> Table {
        let columns = ["name", "result", "unit", "status", "median", "min", "max", self.over];
        let unit = match self.unit {
            Unit::BytesPerSecond => "bytes_per_s",
            Unit::Iops => "iops",
            Unit::Bytes => "bytes",
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
            let share = relative.then(|| view::share(entry.standing).map(|share| share.to_string()));
            let line =
                [row.name.clone(), name.clone(), unit.to_owned(), status, median, least, greatest, count];
            line.into_iter().chain(share.map(Option::unwrap_or_default)).collect()
        });
        let mut columns = columns.map(str::to_owned).to_vec();
        columns.extend(relative.then(|| "share_of_baseline".to_owned()));
        Table { columns, rows: lines.collect() }
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
    let counts = |value: &&&Value| value.status.counts();
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
    let text = if let [only] = &values[..] { only.text.clone() } else { None };
    Entry { figure, method, text, notes, standing: Standing::Missing }
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
