//! Traces that were played in passes: bandwidth, access times and scores of each pass, and how far passes lie apart.
//!
//! Definitions: bandwidth is bytes over the time in which at least one read or write was outstanding; access time is
//! the mean time from begin to end. The *score* is the geometric mean of MB/s and 1 / seconds of access, by the formula
//! published for PCMark 10, without the factor that was not published. The *time score* is ours: the geometric mean over
//! the traces of `recorded time / (recorded time + busy time)`, times 1,000, so that a drive that takes no time has
//! 1,000. It tells what a user would notice of a drive, think time included, and that is little.
//!
//! Source: UL's support articles on the storage benchmarks of PCMark 10 (44002171465 and those beside it).

use crate::{
    findings::sensor,
    passes::best_worst,
    series::heat::{EARLY, HOT, LOST},
    telemetry::throttling as counters,
};
use model::{
    Histogram, ResultDocument,
    document::{CellStatus, Transfer},
    finding::{BestWorst, Found, PassSpread, Story, Throttled, Throttling},
    method::Fill,
    pass::{OWN_PACK, Pass, PassMethod, Phase, TracePlay},
    summary::{PassSummary, TraceSummary},
    telemetry::Quantity,
    units::{
        NS_PER_S, Nanos, Unit, format_celsius, format_percent, format_rate, format_share, grouped, per_second,
    },
};
use std::collections::BTreeSet;

/// Time score of a drive that takes no time.
const NO_TIME: f64 = 1_000.0;

/// Bytes, busy time and access times of some passes together.
#[derive(Debug, Clone, Default)]
struct Sum {
    bytes: u64,
    busy_ns: u64,
    /// Number and nanoseconds of reads and of writes.
    access: [(u64, u128); 2],
}

impl Sum {
    fn of<'a>(passes: impl IntoIterator<Item = &'a Pass>) -> Self {
        let mut sum = Self::default();
        for pass in passes {
            sum.bytes = sum.bytes.saturating_add(pass.bytes());
            sum.busy_ns = sum.busy_ns.saturating_add(pass.busy_ns);
            for (side, transfer) in sum.access.iter_mut().zip([&pass.read, &pass.write]) {
                let Some(Transfer { ios, latency, .. }) = transfer else { continue };
                let mean = latency.mean().map_or(0, |mean| mean.0);
                *side = (side.0.saturating_add(*ios), side.1 + u128::from(mean) * u128::from(*ios));
            }
        }
        sum
    }

    fn bandwidth(&self) -> Option<f64> {
        per_second(self.bytes, Nanos(self.busy_ns)).filter(|rate| *rate > 0.0)
    }

    /// Mean access time of reads (0), writes (1), nanoseconds.
    fn access(&self, side: usize) -> Option<f64> {
        mean(self.access[side])
    }

    /// The score by the published formula.
    fn score(&self) -> Option<f64> {
        let [(reads, read_ns), (writes, write_ns)] = self.access;
        let access = mean((reads.saturating_add(writes), read_ns + write_ns)).filter(|ns| *ns > 0.0)?;
        #[expect(clippy::cast_precision_loss, reason = "a billion is exact")]
        let per_second = NS_PER_S as f64 / access;
        Some((Unit::BytesPerSecond.for_axis(self.bandwidth()?) * per_second).sqrt())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
fn mean((count, ns): (u64, u128)) -> Option<f64> {
    (count > 0).then(|| ns as f64 / count as f64)
}

/// The part of a trace's time, with its think time, that is left when the drive's is taken out; `None` where deadlines
/// did not count.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn own_share(pass: &Pass) -> Option<f64> {
    let (all, busy) = (pass.elapsed_ns as f64, pass.busy_ns as f64);
    let trace = pass.method.trace()?;
    (trace.speed_percent > 0 && all > 0.0).then(|| all / (all + busy))
}

/// What tells a pass over traces from others.
fn place_of(pass: &Pass) -> (u32, Option<Phase>, u32, Option<Fill>) {
    let PassMethod { phase, number, before, .. } = pass.method;
    (pass.run, phase, number, before.fill)
}

/// Whether it plays a model of loading, which is no application.
fn loads(pass: &Pass) -> bool {
    pass.method.trace().is_some_and(TracePlay::loads)
}

/// Every pass over traces, in the order they were played.
#[must_use]
pub fn of_document(document: &ResultDocument) -> Vec<PassSummary> {
    let played: Vec<&Pass> = document.passes.iter().filter(|pass| pass.method.trace().is_some()).collect();
    let passes = || played.chunk_by(|a, b| (place_of(a), loads(a)) == (place_of(b), loads(b)));
    // A pass is whole with as many traces as others of its kind have.
    let kind = |pass: &Pass| (pass.method.phase.is_some(), pass.method.before.fill, loads(pass));
    let most = |of: &Pass| {
        passes().filter(|passes| kind(passes[0]) == kind(of)).map(<[&Pass]>::len).max().unwrap_or(0)
    };
    passes().map(|passes| summary(passes, most(passes[0]))).collect()
}

fn summary(passes: &[&Pass], most: usize) -> PassSummary {
    let first = passes[0];
    let sum = Sum::of(passes.iter().copied());
    let whole = passes.len() == most;
    let status = if passes.iter().any(|pass| pass.status == CellStatus::Failed) {
        CellStatus::Failed
    } else if passes.iter().any(|pass| pass.status == CellStatus::Void) {
        CellStatus::Void
    } else if whole && passes.iter().all(|pass| pass.status == CellStatus::Complete) {
        CellStatus::Complete
    } else {
        CellStatus::Partial
    };
    let shares: Option<Vec<f64>> = passes.iter().map(|pass| own_share(pass)).collect();
    #[expect(clippy::cast_precision_loss, reason = "a pass has few traces")]
    let time_score = shares
        .filter(|_| status == CellStatus::Complete)
        .map(|shares| NO_TIME * (shares.iter().map(|s| s.ln()).sum::<f64>() / shares.len() as f64).exp());
    PassSummary {
        run: first.run,
        phase: first.method.phase,
        number: first.method.number,
        fill: first.method.before.fill,
        status,
        bytes_per_s: sum.bandwidth(),
        read_access_ns: sum.access(0),
        write_access_ns: sum.access(1),
        score: sum.score(),
        time_score,
        traces: passes.iter().map(|pass| trace(pass)).collect(),
    }
}

fn trace(pass: &Pass) -> TraceSummary {
    let sum = Sum::of([pass]);
    let method = &pass.method;
    TraceSummary {
        method: method.id(),
        title: method.trace().map_or_else(|| method.label(), |trace| trace.title()),
        status: pass.status,
        void: pass.void.clone(),
        bytes_per_s: sum.bandwidth(),
        read_access_ns: sum.access(0),
        write_access_ns: sum.access(1),
        busy_ns: pass.busy_ns,
        elapsed_ns: pass.elapsed_ns,
        late_p99_ns: pass
            .lateness
            .as_ref()
            .and_then(|late: &Histogram| late.percentile(99_000))
            .map(|ns| ns.0),
    }
}

/// What the score is called: it follows a published formula, on operations that are not those of that program.
#[must_use]
pub fn score_name<'a>(passes: impl IntoIterator<Item = &'a PassSummary>) -> Option<String> {
    let trace = passes.into_iter().next()?.traces.first()?.method.method().trace()?;
    Some(if trace.pack == OWN_PACK {
        "score by the published formula on a recording of one's own".to_owned()
    } else {
        format!("score by the published formula on pack {} {} (models)", trace.pack, trace.version)
    })
}

/// Which pass it is, for people: `degradation 3`, `run 2, pass 1`, `pass 1 (50 % in use)`.
#[must_use]
pub fn place(pass: &PassSummary, runs: u32) -> String {
    let fill = pass.fill.map_or_else(String::new, |fill| format!(" ({fill} in use)"));
    let place = match pass.phase {
        Some(Phase::CleanUp) => Phase::CleanUp.text().to_owned(),
        Some(phase) => format!("{} {}", phase.text(), pass.number),
        None => format!("pass {}", pass.number),
    };
    if runs > 1 { format!("run {}, {place}{fill}", pass.run + 1) } else { place + &fill }
}

/// A score with one digit.
#[must_use]
pub fn format_score(score: f64) -> String {
    grouped(score, 1)
}

/// What the passes of a document show together: those of a consistency test and others, at each level of fill that has
/// at least two that count.
#[must_use]
pub fn stories(document: &ResultDocument) -> Vec<Story> {
    let mut passes = of_document(document);
    // What loads is told by its time.
    passes.retain(|pass| {
        !pass.traces.iter().all(|trace| trace.method.method().trace().is_some_and(TracePlay::loads))
    });
    let kind = |pass: &PassSummary| (pass.phase.is_some(), pass.fill);
    let kinds: BTreeSet<(bool, Option<Fill>)> = passes.iter().map(kind).collect();
    let stories = kinds.into_iter().filter_map(|wanted| {
        let alike: Vec<&PassSummary> = passes.iter().filter(|pass| kind(pass) == wanted).collect();
        story(document, &alike, wanted)
    });
    stories.collect()
}

fn story(
    document: &ResultDocument,
    all: &[&PassSummary],
    (consistency, fill): (bool, Option<Fill>),
) -> Option<Story> {
    let complete = |pass: &&PassSummary| pass.status == CellStatus::Complete;
    let counted: Vec<&PassSummary> = all.iter().copied().filter(complete).collect();
    if counted.len() < 2 {
        return None;
    }
    let list = |of: fn(&PassSummary) -> Option<f64>| -> Option<Vec<f64>> {
        counted.iter().map(|pass| of(pass)).collect()
    };
    let bandwidth = list(|pass| pass.bytes_per_s)?;
    let time_score = list(|pass| pass.time_score);
    let name =
        |pass: u32| counted.get(pass as usize - 1).map_or_else(String::new, |one| place(one, document.runs));
    let mut sentences = Vec::new();
    let time_score = time_score.and_then(|scores| best_worst(&scores, true));
    if let Some(found) = time_score {
        sentences.push(format!(
            "Time score: {} at best ({}), {} at worst ({}): a drop of {}.",
            format_score(found.best),
            name(found.best_pass),
            format_score(found.worst),
            name(found.worst_pass),
            format_share(found.drop)
        ));
    }
    let rates = best_worst(&bandwidth, true)?;
    sentences.push(format!(
        "Bandwidth while busy: {} at best ({}), {} at worst ({}): a drop of {}.",
        format_rate(rates.best),
        name(rates.best_pass),
        format_rate(rates.worst),
        name(rates.worst_pass),
        format_percent(rates.drop)
    ));
    #[expect(clippy::cast_precision_loss, reason = "there are few passes")]
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let scores = list(|pass| pass.score)?;
    sentences.push(format!(
        "Mean of {} passes: {} while busy, {} {}.",
        counted.len(),
        format_rate(mean(&bandwidth)),
        score_name(all.iter().copied()).unwrap_or_default(),
        format_score(mean(&scores))
    ));
    if all.len() > counted.len() {
        sentences.push(format!("Passes that do not count: {}.", all.len() - counted.len()));
    }
    let throttling = heat(document, &counted, &rates);
    sentences.extend(throttling.as_ref().map(heat_words));
    let found = PassSpread {
        consistency,
        fill,
        passes: u32::try_from(counted.len()).unwrap_or(u32::MAX),
        time_score,
        bandwidth: rates,
        throttling,
    };
    let what = if consistency { "Consistency test" } else { "Traces" };
    let level = fill.map_or_else(String::new, |fill| format!(", {fill} in use"));
    Some(Story { title: format!("{what}, pass by pass{level}"), sentences, found: Found::Passes(found) })
}

/// Whether heat explains what the worst pass lost against the best; `None` when no temperature was read.
fn heat(document: &ResultDocument, counted: &[&PassSummary], rates: &BestWorst) -> Option<Throttling> {
    let series = sensor(document, Quantity::Temperature)?;
    let highest = |of: &dyn Fn(&Pass) -> bool| {
        let passes = document.passes.iter().filter(|pass| pass.method.trace().is_some() && of(pass));
        let spans: Vec<(u64, u64)> =
            passes.map(|pass| (pass.started_ns, pass.started_ns.saturating_add(pass.elapsed_ns))).collect();
        let within = |at: u64| spans.iter().any(|(from, until)| (*from..=*until).contains(&at));
        let readings = series.at_ns.iter().zip(&series.values);
        readings.filter(|(at, _)| within(**at)).filter_map(|(_, value)| *value).max()
    };
    let peak = highest(&|_| true)?;
    let worst = counted.get(rates.worst_pass as usize - 1)?;
    let in_worst = |pass: &Pass| place_of(pass) == (worst.run, worst.phase, worst.number, worst.fill);
    let at = (rates.drop >= LOST).then(|| highest(&in_worst)).flatten();
    let hot = series.warning.known().map_or(HOT, |warning| *warning - EARLY);
    let counted = counters(&document.telemetry).map(crate::telemetry::Throttling::any);
    let verdict = match (counted, at) {
        (Some(true), _) => Throttled::Proven,
        (_, None) => Throttled::NothingLost,
        (Some(false), Some(_)) => Throttled::NotShown,
        (None, Some(at)) if at < hot => Throttled::NotShown,
        (None, Some(_)) => Throttled::Possible,
    };
    Some(Throttling { verdict, style: None, at, peak, began_hot: false, lost_before: None })
}

fn heat_words(found: &Throttling) -> String {
    let peak = format!("{} at most during the traces", format_celsius(found.peak));
    let at = found.at.map(format_celsius).unwrap_or_default();
    match found.verdict {
        Throttled::Proven => format!("Throttled for heat, as the drive's own counters say: {peak}."),
        Throttled::Possible => {
            format!(
                "Throttling possible: the worst pass reached {at}; no counter tells heat from other causes."
            )
        }
        Throttled::NotShown => {
            format!("No throttling shown: passes differ, but {at} in the worst one does not explain it.")
        }
        Throttled::NothingLost => format!(
            "No throttling shown: the worst pass lost less than {} of the best one's bandwidth, {peak}.",
            format_share(LOST)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    fn document() -> ResultDocument {
        fixtures::with_passes(fixtures::document("Example", 1.0, PublicKey([1; 32])))
    }

    #[test]
    fn a_pass_is_all_its_traces_together() {
        let document = document();
        let passes = of_document(&document);
        assert_eq!(passes.len(), 2, "random writes are no pass over traces");
        let first = &passes[0];
        assert_eq!((first.traces.len(), first.status), (2, CellStatus::Complete));
        assert_eq!(place(first, 1), "degradation 1");
        let bytes = (22_932.0 + 46_807.0 + 4_454.0 + 953.0) * 65_536.0;
        let busy_s = (22_932.0 + 46_807.0) * 200e-6 + (4_454.0 + 953.0) * 100e-6;
        let rate = bytes / busy_s;
        let found = first.bytes_per_s.unwrap();
        assert!((found / rate - 1.0).abs() < 1e-9, "{found} {rate}");
        let read = first.read_access_ns.unwrap();
        assert!((360_000.0..400_000.0).contains(&read), "both traces count by their reads: {read}");
        assert!(first.score.unwrap() > passes[1].score.unwrap());
        assert!(first.time_score.unwrap() > passes[1].time_score.unwrap());
        assert!(first.time_score.unwrap() < NO_TIME);
    }

    #[test]
    fn a_pass_with_a_trace_missing_or_void_is_not_counted() {
        let mut document = document();
        document.passes.pop();
        let passes = of_document(&document);
        assert_eq!(passes[1].status, CellStatus::Partial);
        assert_eq!((passes[1].time_score, stories(&document)), (None, Vec::new()));
    }

    #[test]
    fn the_spread_is_told_in_sentences() {
        insta::assert_snapshot!(stories(&document())[0].sentences.join("\n"));
    }
}
