//! The sentences beside the charts, from the same values as the bars and lines, and no more than these
//! show.

use crate::{
    figure::{self, Figure},
    latency::{CellLatency, MEDIAN, NINETY_NINE},
    series::SeriesSet,
};
use model::{
    comparison::{Difference, Item, Row, Standing, Verdict},
    document::{FITTED, Origin},
    metric::MetricKind,
    summary::Stats,
    units::{Unit, format_change, format_percent},
};

/// What bars show: for one result its extremes, for more how they stand to the first.
pub(crate) fn throughput(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind) -> String {
    let mut sentences = if set.names.len() == 1 {
        vec![extremes(rows, kind)]
    } else {
        let mut sentences = vec![headline(set, rows, kind)];
        sentences.extend(tally(rows));
        sentences
    };
    sentences.extend(without_figure(set, rows));
    sentences.extend(remarks(set));
    sentences.join(" ")
}

/// What an axis of shares is in: percent of the first result.
pub(crate) fn share_unit(set: &SeriesSet<'_>) -> String {
    format!("% of {}", set.short_names().first().map_or("", String::as_str))
}

/// The heading of a column of shares.
pub(crate) fn share_column(set: &SeriesSet<'_>) -> String {
    format!("Of {}", set.names.first().map_or("", String::as_str))
}

/// What must be read with any figure of these results: what differs, and what is simulated.
pub(crate) fn remarks(set: &SeriesSet<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    match &set.comparison.verdict {
        Verdict::Repeats => {}
        Verdict::Axis { axis, caveats, unknown } => {
            let items: Vec<&Difference> = axis.iter().filter(|d| d.item != Item::Drive).collect();
            if !items.is_empty() {
                let others = if axis.len() > items.len() { "Besides the drive, the" } else { "The" };
                sentences.push(format!("{others} results differ in: {}.", items_text(&items)));
            }
            if caveats.iter().any(|caveat| caveat.item == Item::Host) {
                sentences.push("They were measured on different hosts.".to_owned());
            }
            sentences.extend(not_stated(unknown));
        }
        Verdict::SideBySide { differing, unknown } => {
            let differing: Vec<&Difference> = differing.iter().collect();
            if !differing.is_empty() {
                sentences
                    .push(format!("No percentages, for the results differ in: {}.", items_text(&differing)));
            }
            sentences.extend(not_stated(unknown));
        }
    }
    let simulated =
        set.comparison.series.iter().filter(|series| series.head.origin == Origin::Simulated).count();
    match (simulated, set.names.len()) {
        (0, _) => {}
        (all, count) if all == count => sentences.push(format!("Simulated: {FITTED}.")),
        _ => sentences.push(format!("“Simulated” means: {FITTED}.")),
    }
    sentences
}

/// What a result does not state; `None` when every one states it or none does.
fn not_stated(unknown: &[Difference]) -> Option<String> {
    let items: Vec<&Difference> = unknown.iter().collect();
    (!items.is_empty()).then(|| format!("Not stated for every result: {}.", items_text(&items)))
}

fn items_text(items: &[&Difference]) -> String {
    listed(&items.iter().map(|difference| difference.item.text().to_owned()).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn extremes(rows: &[&Row], kind: MetricKind) -> String {
    let counted: Vec<(&str, Stats)> = rows
        .iter()
        .filter_map(|row| Some((row.label.as_str(), *Figure::of(row.entries.first()?).counted()?)))
        .collect();
    let text = |(label, stats): &(&str, Stats)| format!("{label} at {}", kind.unit().format(stats.median));
    let by_median = |a: &&(&str, Stats), b: &&(&str, Stats)| a.1.median.total_cmp(&b.1.median);
    let (Some(highest), Some(lowest)) = (counted.iter().max_by(by_median), counted.iter().min_by(by_median))
    else {
        return "No cell has a figure that counts.".to_owned();
    };
    let mut sentence = if counted.len() == 1 {
        text(highest)
    } else {
        format!("Highest: {}; lowest: {}", text(highest), text(lowest))
    };
    let widest = counted
        .iter()
        .filter_map(|(label, stats)| Some((label, apart(stats)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((label, spread)) = widest {
        let place = if counted.len() == 1 { String::new() } else { format!(" ({label})") };
        sentence +=
            &format!("; loops lie apart by at most {} of their median{place}", format_percent(spread));
    }
    sentence + "."
}

/// The first cell that the first result and another one have, or any two.
fn headline(set: &SeriesSet<'_>, rows: &[&Row], kind: MetricKind) -> String {
    let shared = |row: &&&Row| counted(row).len() > 1;
    let with_baseline = |row: &&&Row| shared(row) && counted(row)[0].0 == 0;
    let Some(row) = rows.iter().find(with_baseline).or_else(|| rows.iter().find(shared)) else {
        return "No cell has a figure that counts in more than one result.".to_owned();
    };
    let names = set.short_names();
    let mut values = counted(row);
    let method = |index: usize| &row.entries[index].method;
    let varies = set.comparison.verdict.varies_method();
    if !varies && values.iter().any(|(index, _)| method(*index) != method(values[0].0)) {
        return format!("{}: measured by different methods, so no result is set against another.", row.label);
    }
    let show = |(index, value): &(usize, f64)| format!("{} {}", names[*index], kind.unit().format(*value));
    if values.len() > 3 {
        values.sort_by(|a, b| b.1.total_cmp(&a.1));
        return format!(
            "{}: highest {}, lowest {}.",
            row.label,
            show(&values[0]),
            show(&values[values.len() - 1])
        );
    }
    let standing = |index: usize| row.entries[index].standing;
    if let [first, second] = values.as_slice()
        && matches!(standing(second.0), Standing::Tie { .. })
    {
        return format!(
            "{}: {}, {}: no difference beyond the spread between loops.",
            row.label,
            show(first),
            show(second)
        );
    }
    let figures: Vec<String> =
        values.iter().map(|value| show(value) + &aside(standing(value.0), &set.comparison.verdict)).collect();
    format!("{}: {}.", row.label, figures.join(", "))
}

/// The medians that count, with the place of their series.
fn counted(row: &Row) -> Vec<(usize, f64)> {
    let figures = row.entries.iter().map(Figure::of).enumerate();
    figures.filter_map(|(index, figure)| Some((index, figure.counted()?.median))).collect()
}

/// The one thing that differs, when the drive does not, with its value in the first result.
fn alone(verdict: &Verdict) -> Option<(&'static str, &str)> {
    match verdict {
        Verdict::Axis { axis, .. } => match axis.as_slice() {
            [Difference { item, values }] if *item != Item::Drive => {
                Some((item.text(), values.first()?.as_deref()?))
            }
            _ => None,
        },
        Verdict::Repeats | Verdict::SideBySide { .. } => None,
    }
}

/// How a figure stands to the first result's, in brackets.
fn aside(standing: Standing, verdict: &Verdict) -> String {
    match standing {
        Standing::Differs { change, .. } => match alone(verdict) {
            Some((item, base)) => format!(" ({} of {item} {base})", format_percent(1.0 + change)),
            None => format!(" ({})", format_change(change)),
        },
        Standing::Tie { .. } => " (within the spread between loops)".to_owned(),
        Standing::SpreadUnknown { change } => {
            format!(" ({}, too few loops to know the spread)", format_change(change))
        }
        Standing::NotComparable if verdict.allows_percentages() => " (measured by another method)".to_owned(),
        Standing::NotComparable | Standing::Baseline | Standing::Missing => String::new(),
    }
}

/// How many of all comparisons with the first result are differences and how many are ties; `None`
/// when there is but one, which the headline has told.
fn tally(rows: &[&Row]) -> Option<String> {
    let standings = || rows.iter().flat_map(|row| &row.entries).map(|entry| entry.standing);
    let differ = standings().filter(|s| matches!(s, Standing::Differs { .. })).count();
    let ties = standings().filter(|s| matches!(s, Standing::Tie { .. })).count();
    let all = differ + ties;
    (all > 1).then(|| match (differ, ties) {
        (0, _) => format!("All {all} comparisons with the first result lie within the spread between loops."),
        (_, 0) => format!("All {all} comparisons with the first result differ by more than the spread between loops."),
        _ => format!(
            "Of {all} comparisons with the first result {differ} {} by more than the spread between loops, {ties} {} within it.",
            if differ == 1 { "differs" } else { "differ" },
            if ties == 1 { "lies" } else { "lie" }
        ),
    })
}

/// Failed and void cells, which a bar cannot show.
fn without_figure(set: &SeriesSet<'_>, rows: &[&Row]) -> Option<String> {
    const MOST: usize = 3;
    let names = set.short_names();
    let mut cells = Vec::new();
    for row in rows {
        for (entry, name) in row.entries.iter().zip(&names) {
            let word = match Figure::of(entry) {
                Figure::Failed => "failed",
                Figure::Void => "void",
                Figure::Counted(_) | Figure::Missing => continue,
            };
            let whose = if names.len() > 1 { format!("{name} ") } else { String::new() };
            cells.push(format!("{whose}{} ({word})", row.label));
        }
    }
    let more = cells.len().saturating_sub(MOST);
    cells.truncate(MOST);
    if more > 0 {
        cells.push(format!("{more} more"));
    }
    (!cells.is_empty()).then(|| format!("Without a figure: {}.", listed(&cells)))
}

/// Bars in words, cell by cell.
pub(crate) fn bar_description(
    title: &str,
    set: &SeriesSet<'_>,
    rows: &[&Row],
    kind: MetricKind,
    caption: &str,
) -> String {
    let names = set.short_names();
    let cells = rows.iter().map(|row| {
        let figures: Vec<String> = row
            .entries
            .iter()
            .zip(&names)
            .map(|(entry, name)| format!("{name} {}", figure::text(entry, kind)))
            .collect();
        format!("{}: {}.", row.label, figures.join(", "))
    });
    format!("Bar chart: {title}. {caption} {}", cells.collect::<Vec<_>>().join(" "))
}

/// How far a result's loops lie apart, in share of their median; `None` when that cannot be told.
fn apart(stats: &Stats) -> Option<f64> {
    (stats.count > 1 && stats.median > 0.0).then(|| (stats.max - stats.min) / stats.median)
}

/// What the lines of loops show: how steady each result is, and which fall from first to last.
///
/// `repeated` is the number of cells that could have been drawn.
pub(crate) fn loops(set: &SeriesSet<'_>, rows: &[&Row], repeated: usize, kind: MetricKind) -> String {
    let names = set.short_names();
    let mut sentences = Vec::new();
    if repeated > rows.len() {
        let drawn: Vec<String> = rows.iter().map(|row| row.label.clone()).collect();
        let verb = if rows.len() == 1 { "is" } else { "are" };
        sentences.push(format!("Of {repeated} cells only {} {verb} drawn.", listed(&drawn)));
    }
    sentences.extend(rows.iter().filter_map(|row| steadiness(row, &names, kind)));
    sentences.extend(rows.iter().flat_map(|row| falls(set, row, &names)));
    sentences.extend(remarks(set));
    sentences.join(" ")
}

fn steadiness(row: &Row, names: &[String], kind: MetricKind) -> Option<String> {
    let figures = row.entries.iter().map(Figure::of).zip(names);
    let mut spreads: Vec<(&String, Stats, f64)> = figures
        .filter_map(|(figure, name)| {
            let stats = *figure.counted()?;
            Some((name, stats, apart(&stats)?))
        })
        .collect();
    spreads.sort_by(|a, b| a.2.total_cmp(&b.2));
    let label = &row.label;
    match spreads.as_slice() {
        [] => None,
        [(name, stats, spread)] => Some(format!(
            "{label}: {}loops from {} to {}, {} of their median apart.",
            if names.len() > 1 { format!("{name}, ") } else { String::new() },
            kind.unit().format(stats.min),
            kind.unit().format(stats.max),
            format_percent(*spread)
        )),
        [(_, _, least), .., (_, _, most)] if format_percent(*least) == format_percent(*most) => Some(
            format!("{label}: loops lie {} of their median apart in every result.", format_percent(*most)),
        ),
        [(steady, _, least), .., (unsteady, _, most)] => Some(format!(
            "{label}: loops lie apart least in {steady} ({} of their median) and most in {unsteady} ({}).",
            format_percent(*least),
            format_percent(*most)
        )),
    }
}

/// Results whose last loop is more than a tenth below their first: the falls that a median hides.
fn falls(set: &SeriesSet<'_>, row: &Row, names: &[String]) -> Vec<String> {
    const FALL: f64 = 0.9;
    const FEWEST: usize = 3;
    let values = |index: usize| {
        let source = set.sources[index].summary;
        let metric = row.metric_of(index)?;
        source.metrics.iter().find(|m| m.metric == metric && m.counted().is_some()).map(|m| &m.values)
    };
    (0..names.len())
        .filter_map(|index| {
            let values = values(index).filter(|values| values.len() >= FEWEST)?;
            let share = values.last()? / values.first()?;
            let whose = if names.len() > 1 { format!("{}: ", names[index]) } else { String::new() };
            (share < FALL).then(|| {
                format!("{whose}{}, the last loop reaches {} of the first.", row.label, format_percent(share))
            })
        })
        .collect()
}

/// What the percentiles show, cell by cell.
pub(crate) fn latency(set: &SeriesSet<'_>, cells: &[CellLatency]) -> String {
    let names = set.short_names();
    let mut sentences: Vec<String> =
        cells.iter().filter_map(|cell| latency_sentence(set, cell, &names)).collect();
    sentences.extend(remarks(set));
    sentences.join(" ")
}

fn latency_sentence(set: &SeriesSet<'_>, cell: &CellLatency, names: &[String]) -> Option<String> {
    let label = &cell.label;
    if let [Ok(latencies)] = cell.results.as_slice() {
        let text = |ns: f64| Unit::Nanoseconds.format(ns);
        let median = latencies.percentiles[MEDIAN].map(text)?;
        let tail = latencies.percentiles[NINETY_NINE]
            .map(|ns| format!(", 99 % of them at most {}", text(ns)))
            .unwrap_or_default();
        let greatest = text(latencies.greatest);
        return Some(format!(
            "{label}: half of the I/Os took at most {median}{tail}, the slowest {greatest}."
        ));
    }
    if !set.comparison.verdict.varies_method() && cell.methods_differ() {
        return Some(format!("{label}: measured by different methods, so no result is set against another."));
    }
    let mut tails: Vec<(f64, &String)> = cell
        .results
        .iter()
        .zip(names)
        .filter_map(|(result, name)| Some((result.as_ref().ok()?.percentiles[NINETY_NINE]?, name)))
        .collect();
    tails.sort_by(|a, b| a.0.total_cmp(&b.0));
    let show = |(ns, name): &(f64, &String)| format!("{name} with {}", Unit::Nanoseconds.format(*ns));
    match tails.as_slice() {
        [] => None,
        [only] => Some(format!("{label}, 99th percentile: {}.", show(only))),
        [first, .., last] => {
            Some(format!("{label}, 99th percentile: lowest {}, highest {}.", show(first), show(last)))
        }
    }
}
