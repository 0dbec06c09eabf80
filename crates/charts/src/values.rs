//! Figures of a result that are drawn as bars and are no metrics of a cell: of passes, of states before, of first and last
//! minutes. Knows where in a summary each is found, and what must be equal for a comparison.

use crate::{Source, series::SeriesSet};
use analysis::fill;
use model::{
    Method,
    document::CellStatus,
    finding::{Course, FillFindings, Found, PassSpread},
    method::{Ends, Fill, LONG_SECONDS},
    metric::MetricKind,
    pass::{DoneBefore, PassMethod, TracePlay},
    summary::{MovedSummary, ResultSummary},
    units::{Nanos, Unit, format_capacity, format_nanos, format_percent, format_rate, format_share},
};

/// A figure, or why there is none.
pub(crate) struct Value {
    /// What it is a figure of: those of one name are one bar.
    pub(crate) name: String,
    /// What must be equal for a comparison; `None` for what is computed from several measurements.
    pub(crate) method: Option<String>,
    pub(crate) status: CellStatus,
    pub(crate) value: Option<f64>,
    /// Text in place of the figure's own; `None` for that.
    pub(crate) text: Option<String>,
    pub(crate) note: String,
}

impl Value {
    /// One that counts.
    fn counted(name: String, value: f64) -> Self {
        let (status, note) = (CellStatus::Complete, String::new());
        Self { name, method: None, status, value: Some(value), text: None, note }
    }
}

fn with_fill(name: &str, fill: Option<Fill>) -> String {
    fill.map_or_else(|| name.to_owned(), |fill| format!("{name}, {fill} in use"))
}

/// Traces of passes that belong to no consistency test.
pub(crate) fn applications(summary: &ResultSummary) -> Vec<Value> {
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
            text: None,
            status: trace.status,
            value: trace.bytes_per_s,
            note: String::new(),
        })
        .collect()
}

/// The name of a method as that of the first pass.
fn first_pass(method: PassMethod) -> String {
    let before = DoneBefore { fill: method.before.fill, ..DoneBefore::default() };
    PassMethod { number: 1, before, ..method }.id().to_string()
}

/// Copies, or what loads.
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
pub(crate) fn moved(summary: &ResultSummary, loads: bool) -> Vec<Value> {
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
                text: None,
                status: moved.status,
                value: Some(moved.elapsed_ns as f64).filter(|ns| *ns > 0.0),
                note: note(moved),
            }
        })
        .collect()
}

/// The time scores of the best and the worst pass, as the story of the passes has them.
pub(crate) fn best_and_worst(summary: &ResultSummary) -> Vec<Value> {
    let spreads = summary.stories.iter().filter_map(|story| match &story.found {
        Found::Passes(found) => Some((found, found.time_score?)),
        _ => None,
    });
    spreads
        .flat_map(|(found, score)| {
            let what = what(found);
            [("Best pass", score.best), ("Worst pass", score.worst)].map(|(name, value)| Value {
                note: format!("a drop of {}", format_share(score.drop)),
                ..Value::counted(with_fill(&format!("{name}, {what}"), found.fill), value)
            })
        })
        .collect()
}

/// What the passes of a spread belong to.
fn what(found: &PassSpread) -> &'static str {
    if found.consistency { "consistency" } else { "applications" }
}

/// How far the worst pass of each result lies below its best.
pub(crate) fn drops(set: &SeriesSet<'_>, names: &[String]) -> Vec<String> {
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

/// The courses of a result's long loops, each with the method of its cell.
fn courses<'a>(source: &Source<'a>) -> impl Iterator<Item = (&'a Method, &'a Course)> {
    let document = source.document;
    source.summary.stories.iter().filter_map(|story| match &story.found {
        Found::Course(course) => {
            let cell = document.cells.get(course.cell)?;
            let counts = cell.status.counts();
            counts.then_some((&cell.method, &**course))
        }
        _ => None,
    })
}

fn is_mixed(method: &Method) -> bool {
    method.read_percent.is_some() && method.beside.is_none() && method.seconds >= LONG_SECONDS
}

/// First, last and slowest minute of long mixes, I/Os per second.
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
pub(crate) fn first_and_last(source: &Source<'_>) -> Vec<Value> {
    let mixes = courses(source).filter(|(method, _)| is_mixed(method));
    let minutes = mixes.filter_map(|(method, course)| Some((method, course.findings.minutes?)));
    minutes
        .flat_map(|(method, minutes)| {
            [
                ("first minute", minutes.first_bytes_per_s),
                ("last minute", minutes.last_bytes_per_s),
                ("slowest minute", minutes.worst_bytes_per_s),
            ]
            .map(|(name, rate)| Value {
                method: Some(method.compared().id().to_string()),
                ..Value::counted(
                    format!("{}, {name}", method.short_label()),
                    rate as f64 / f64::from(method.block_bytes.max(1)),
                )
            })
        })
        .collect()
}

/// What first and last minutes come to, in sentences.
pub(crate) fn minutes_told(set: &SeriesSet<'_>, names: &[String]) -> Vec<String> {
    told(set, names, |source| {
        let values = first_and_last(source);
        let sentence = |minutes: &[Value]| {
            let [Some(first), Some(last), Some(slowest)] = [0, 1, 2].map(|place| minutes.get(place)?.value)
            else {
                return None;
            };
            let cell = minutes[0].name.split(", ").next().unwrap_or_default();
            let text = |value| Unit::Iops.format(value);
            Some(format!(
                "{cell}: the last minute has {} of the first, {} against {}; the slowest has {}.",
                format_percent(last / first),
                text(last),
                text(first),
                text(slowest)
            ))
        };
        values.chunks(3).filter_map(sentence).collect()
    })
}

/// Sentences of each result under its name.
fn told(set: &SeriesSet<'_>, names: &[String], of: impl Fn(&Source<'_>) -> Vec<String>) -> Vec<String> {
    let each = set.sources.iter().zip(names).flat_map(|(source, name)| {
        let whose = if names.len() > 1 { format!("{name}, ") } else { String::new() };
        of(source).into_iter().map(move |sentence| format!("{whose}{sentence}"))
    });
    each.collect()
}

fn states(summary: &ResultSummary) -> Option<&FillFindings> {
    summary.stories.iter().find_map(|story| match &story.found {
        Found::Fill(found) => Some(found),
        _ => None,
    })
}

/// How much was written fast in each state before, bytes.
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
pub(crate) fn by_state(source: &Source<'_>) -> Vec<Value> {
    let states = states(source.summary).map_or(&[][..], |found| &found.states);
    states
        .iter()
        .map(|one| {
            let rate = |bytes_per_s: u64| format_rate(bytes_per_s as f64);
            let whole =
                one.fast_bytes.is_none().then(|| format!("all of {}", format_capacity(one.written_bytes)));
            Value {
                text: whole,
                note: format!(
                    "{} fast, {} at the end",
                    rate(one.fast_bytes_per_s),
                    rate(one.end_bytes_per_s)
                ),
                ..Value::counted(
                    fill::state_text(one.before),
                    one.fast_bytes.unwrap_or(one.written_bytes) as f64,
                )
            }
        })
        .collect()
}

/// What the states before come to, in sentences.
pub(crate) fn states_told(set: &SeriesSet<'_>, names: &[String]) -> Vec<String> {
    told(set, names, |source| {
        let mut words = states(source.summary).map(fill::words).unwrap_or_default();
        // Of several results only how it begins and what it comes to.
        if names.len() > 1 && words.len() > 2 {
            words.drain(1..words.len() - 1);
        }
        words
    })
}

/// What a short load shows and what is left under a long one, bytes per second; nothing unless both were measured.
#[expect(clippy::cast_precision_loss, reason = "a figure needs no more than 53 bits")]
pub(crate) fn bursts_and_endurance(source: &Source<'_>) -> Vec<Value> {
    let plain = |method: &Method| {
        method.pattern.sequential() && method.ends == Ends::Time && method.particulars().is_empty()
    };
    let short = |writes: bool| {
        let metrics = source.summary.metrics.iter().filter(|metric| metric.kind() == MetricKind::BytesPerS);
        let of_kind = metrics.filter(|metric| {
            let method = metric.method.method();
            plain(method) && method.pattern.writes() == writes
        });
        let counted = of_kind.filter_map(|metric| Some((metric, metric.counted()?.median)));
        counted.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(metric, median)| Value {
            note: metric.label.clone(),
            method: Some(metric.method.method().compared().id().to_string()),
            ..Value::counted(format!("Burst, {}", if writes { "write" } else { "read" }), median)
        })
    };
    let long = courses(source).filter_map(|(method, course)| {
        let (name, rate) = if is_mixed(method) {
            ("Endurance, mixed: last minute", course.findings.minutes?.last_bytes_per_s)
        } else if method.pattern.writes() && method.pattern.sequential() {
            ("Endurance, write: last stage", course.findings.stages.as_ref()?.stages.last()?.mean_bytes_per_s)
        } else {
            return None;
        };
        let value = Value {
            note: method.label(),
            method: Some(method.compared().id().to_string()),
            ..Value::counted(name.to_owned(), rate as f64)
        };
        Some((method.seconds, value))
    });
    // Of several long loads of a kind the longest.
    let mut long: Vec<(u32, Value)> = long.collect();
    long.sort_by_key(|(seconds, _)| std::cmp::Reverse(*seconds));
    let mut endurance: Vec<Value> = Vec::new();
    for (_, value) in long {
        if !endurance.iter().any(|known| known.name == value.name) {
            endurance.push(value);
        }
    }
    let bursts: Vec<Value> = [false, true].into_iter().filter_map(short).collect();
    if bursts.is_empty() || endurance.is_empty() {
        return Vec::new();
    }
    bursts.into_iter().chain(endurance).collect()
}

/// How much of the short load's write speed is left, in sentences.
pub(crate) fn endurance_told(set: &SeriesSet<'_>, names: &[String]) -> Vec<String> {
    told(set, names, |source| {
        let values = bursts_and_endurance(source);
        let of = |name: &str| values.iter().find(|value| value.name.starts_with(name))?.value;
        let both = of("Burst, write").zip(of("Endurance, write"));
        both.map(|(burst, left)| {
            format!(
                "{} in a burst, {} at the end of a long write: {}.",
                Unit::BytesPerSecond.format(burst),
                Unit::BytesPerSecond.format(left),
                format_share(left / burst)
            )
        })
        .into_iter()
        .collect()
    })
}
