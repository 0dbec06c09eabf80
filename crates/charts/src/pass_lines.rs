//! The passes of a consistency test as lines: bandwidth, and the mean access times of reads and writes.
//!
//! Knows: the order of the passes, and which trace's access times are shown. The figures are those of the summary.

use crate::{
    Chart, Table, caption, figure,
    frame::{self, Frame},
    lines::{Facet, Lines, Part, Point, without_line},
    series::SeriesSet,
    style::Style,
};
use model::{
    chart_id::ChartId,
    document::CellStatus,
    finding::Found,
    pass::Phase,
    summary::{PassSummary, ResultSummary, TraceSummary},
    units::{Unit, format_share},
};

/// The trace whose access times reviews show.
const SHOWN_TRACE: &str = "photoshop-heavy";

/// How a figure is taken from a pass.
type Take = fn(&PassSummary) -> Option<f64>;

/// One line of each result.
struct Measure {
    title: String,
    unit: Unit,
    value: Take,
}

/// A pass of the test, in the order of the phases.
type Place = (Phase, u32);

/// Draws `consistency-bandwidth` or `consistency-access`.
pub(crate) fn draw(id: ChartId, set: &SeriesSet<'_>, style: &Style) -> Option<Chart> {
    let passes: Vec<Vec<&PassSummary>> = set.sources.iter().map(|source| tested(source.summary)).collect();
    let places = places(&passes);
    if places.len() < 2 {
        return None;
    }
    let (title, subtitle, measures) = if id == ChartId::ConsistencyBandwidth {
        let whole = Measure {
            title: "All traces of a pass".to_owned(),
            unit: Unit::BytesPerSecond,
            value: |pass| pass.bytes_per_s,
        };
        ("Bandwidth pass by pass", "MB/s while busy, more is better.", vec![whole])
    } else {
        let (of, read, write) = access(&passes);
        let measure =
            |what: &str, value| Measure { title: format!("{what}, {of}"), unit: Unit::Nanoseconds, value };
        let measures = vec![measure("Mean read access", read), measure("Mean write access", write)];
        ("Access times pass by pass", "µs from begin to end of an I/O, less is better.", measures)
    };
    let subtitle = format!("{subtitle} D: degradation, S: steady, R: recovery.");
    let frame = Frame::new(title, &subtitle, &set.names, style);
    let unit = measures[0].unit;
    let facets = measures.iter().map(|measure| facet(measure, &places, &passes, &frame.labels));
    let lines =
        Lines { facets: facets.collect(), unit, logarithmic: false, places: "pass", one_scale: false };
    let caption = sentences(id, set, &places, &passes, &measures);
    let description = format!("Line chart: {title}. {caption}");
    let (option, height) = lines.option(&frame, style, &description);
    Some(Chart {
        id,
        title: title.to_owned(),
        caption,
        description,
        option,
        table: table(set, &places, &passes, &measures, |measure, value| measure.unit.format(value)),
        figures: table(set, &places, &passes, &measures, |_, value| value.to_string()),
        height: frame::whole(height),
    })
}

/// The passes of a result's consistency test, of the first run.
fn tested(summary: &ResultSummary) -> Vec<&PassSummary> {
    let mut passes: Vec<&PassSummary> =
        summary.passes.iter().filter(|pass| pass.phase.is_some() && pass.run == 0).collect();
    let fill = passes.first().and_then(|pass| pass.fill);
    passes.retain(|pass| pass.fill == fill);
    passes
}

fn places(passes: &[Vec<&PassSummary>]) -> Vec<Place> {
    let mut places: Vec<Place> =
        passes.iter().flatten().filter_map(|pass| Some((pass.phase?, pass.number))).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Whose access times are shown, of reads and of writes: those of the one trace where every pass has it.
fn access(passes: &[Vec<&PassSummary>]) -> (&'static str, Take, Take) {
    fn shown(pass: &PassSummary) -> Option<&TraceSummary> {
        let is_it = |trace: &&TraceSummary| {
            trace.method.method().trace().is_some_and(|trace| trace.name == SHOWN_TRACE)
        };
        pass.traces.iter().find(is_it)
    }
    if passes.iter().flatten().all(|pass| shown(pass).is_some()) {
        let read: Take = |pass| shown(pass)?.read_access_ns;
        ("Photoshop heavy (model)", read, |pass| shown(pass)?.write_access_ns)
    } else {
        let read: Take = |pass| pass.read_access_ns;
        ("all traces", read, |pass| pass.write_access_ns)
    }
}

fn of_place<'a>(passes: &[&'a PassSummary], place: Place) -> Option<&'a PassSummary> {
    passes.iter().copied().find(|pass| (pass.phase, pass.number) == (Some(place.0), place.1))
}

/// The value of a pass that counts.
fn counted(measure: &Measure, pass: &PassSummary) -> Option<f64> {
    (measure.value)(pass).filter(|_| pass.status.counts())
}

fn facet(measure: &Measure, places: &[Place], passes: &[Vec<&PassSummary>], labels: &[String]) -> Facet {
    let point = |own: &[&PassSummary], place: Place| {
        let pass = of_place(own, place)?;
        let value = counted(measure, pass)?;
        let text = figure::number_on_axis(measure.unit, value);
        Some(Point { value: Some(value), text, hollow: pass.status == CellStatus::Partial })
    };
    let line = |own: &Vec<&PassSummary>| -> Vec<Point> {
        let found: Vec<Option<Point>> = places.iter().map(|place| point(own, *place)).collect();
        if found.iter().all(Option::is_none) {
            return Vec::new();
        }
        found.into_iter().map(|point| point.unwrap_or_else(Point::gap)).collect()
    };
    let lines: Vec<Vec<Point>> = passes.iter().map(line).collect();
    Facet {
        title: measure.title.clone(),
        note: without_line(labels, lines.iter().map(Vec::is_empty)),
        places: places.iter().map(|(phase, number)| format!("{}{number}", letter(*phase))).collect(),
        lines,
        parts: parts(places),
        ..Facet::default()
    }
}

fn letter(phase: Phase) -> &'static str {
    match phase {
        Phase::Precondition => "P",
        Phase::Degradation => "D",
        Phase::Steady => "S",
        Phase::Recovery => "R",
        Phase::CleanUp => "C",
    }
}

fn parts(places: &[Place]) -> Vec<Part> {
    let mut parts: Vec<(Phase, Part)> = Vec::new();
    for (index, (phase, _)) in places.iter().enumerate() {
        match parts.last_mut() {
            Some((last, part)) if last == phase => part.until = index,
            _ => parts.push((*phase, Part { name: phase.text(), from: index, until: index })),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Best, worst and what lies between, of each result.
fn sentences(
    id: ChartId,
    set: &SeriesSet<'_>,
    places: &[Place],
    passes: &[Vec<&PassSummary>],
    measures: &[Measure],
) -> String {
    let names = set.short_names();
    let mut told = Vec::new();
    for ((name, source), own) in names.iter().zip(set.sources).zip(passes) {
        let whose = if names.len() > 1 { format!("{name}: ") } else { String::new() };
        if own.is_empty() {
            told.push(format!("{name} has none."));
            continue;
        }
        if id == ChartId::ConsistencyBandwidth {
            let spread = source.summary.stories.iter().find_map(|story| match &story.found {
                Found::Passes(found) if found.consistency => Some(found.bandwidth),
                _ => None,
            });
            told.extend(spread.map(|found| {
                format!(
                    "{whose}{} at best, {} at worst, a drop of {}.",
                    Unit::BytesPerSecond.format(found.best),
                    Unit::BytesPerSecond.format(found.worst),
                    format_share(found.drop)
                )
            }));
            continue;
        }
        for measure in measures {
            let values: Vec<(Place, f64)> = places
                .iter()
                .filter_map(|place| Some((*place, counted(measure, of_place(own, *place)?)?)))
                .collect();
            let by = |a: &&(Place, f64), b: &&(Place, f64)| a.1.total_cmp(&b.1);
            let (Some(least), Some(most)) = (values.iter().min_by(by), values.iter().max_by(by)) else {
                continue;
            };
            let at = |((phase, number), value): &(Place, f64)| {
                format!("{} ({} {number})", measure.unit.format(*value), phase.text())
            };
            told.push(format!("{whose}{}: {} at least, {} at most.", measure.title, at(least), at(most)));
        }
    }
    told.extend(caption::remarks(set));
    told.join(" ")
}

/// Every pass of every result; the value as `show` writes it.
fn table(
    set: &SeriesSet<'_>,
    places: &[Place],
    passes: &[Vec<&PassSummary>],
    measures: &[Measure],
    show: fn(&Measure, f64) -> String,
) -> Table {
    let mut columns = vec!["Of what".to_owned(), "Pass".to_owned()];
    columns.extend(set.names.iter().cloned());
    let mut rows = Vec::new();
    for measure in measures {
        for place in places {
            let mut row = vec![measure.title.clone(), format!("{} {}", place.0.text(), place.1)];
            row.extend(passes.iter().map(|own| match of_place(own, *place) {
                None => "no result".to_owned(),
                Some(pass) => match (counted(measure, pass), pass.status) {
                    (Some(value), _) => show(measure, value),
                    (None, CellStatus::Failed) => "failed".to_owned(),
                    (None, CellStatus::Void) => "void".to_owned(),
                    (None, _) => "no result".to_owned(),
                },
            }));
            rows.push(row);
        }
    }
    Table { columns, rows }
}
