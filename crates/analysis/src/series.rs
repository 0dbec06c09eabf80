//! Findings in one recorded series: stages, minutes, cycles, heat, throttling, power.
//!
//! Knows: steps of time and bytes, with what sensors said. Does not know: who recorded them or why.

pub mod cycles;
pub mod heat;
pub mod minutes;
mod segments;
pub mod stages;
#[cfg(test)]
mod tests;
pub mod words;

use model::{
    finding::{Findings, Heat, Place, Point, PointKind, Stages, Turn},
    units::{NS_PER_S, Nanos, per_second},
};

/// One step of a series: what was moved in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// How long it took, nanoseconds; above 0.
    pub elapsed_ns: u64,
    /// Bytes moved in it.
    pub bytes: u64,
    /// Temperature at its end, milli-degrees Celsius; `None` when it was not read.
    pub temperature: Option<i64>,
    /// Power at its end, milliwatts; `None` when it was not read.
    pub power: Option<i64>,
}

impl Step {
    /// Bytes per second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
    pub fn speed(&self) -> f64 {
        self.bytes as f64 * NS_PER_S as f64 / self.elapsed_ns.max(1) as f64
    }
}

/// Shortest stretch without a byte that is a pause and not a stall, nanoseconds.
pub const PAUSE_NS: u64 = 2 * NS_PER_S;

/// Fewest steps that a series is joined to.
const FEWEST: usize = 20;

/// A series of steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    steps: Vec<Step>,
    /// Where each step begins and ends.
    places: Vec<(Place, Place)>,
    /// Whether there was always something to do: what moved nothing then stalled, however long it took.
    asked: bool,
}

impl Steps {
    /// A series of `steps`, one after the other; those without time are left out. A last step that is far shorter
    /// than the one before was cut off by the end of the recording and is left out too.
    #[must_use]
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let mut steps: Vec<Step> = steps.into_iter().filter(|step| step.elapsed_ns > 0).collect();
        if let [.., before, last] = steps.as_slice()
            && last.elapsed_ns < before.elapsed_ns / 2
        {
            steps.pop();
        }
        let mut end = Place::default();
        let mut next = |step: &Step| {
            let begin = end;
            end.at_ns = end.at_ns.saturating_add(step.elapsed_ns);
            end.bytes = end.bytes.saturating_add(step.bytes);
            (begin, end)
        };
        let places = steps.iter().map(&mut next).collect();
        Self { steps, places, asked: false }
    }

    /// The same of a loop that always had I/Os in flight: it has no pauses.
    #[must_use]
    pub fn of_loop(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { asked: true, ..Self::new(steps) }
    }

    /// The same without its pauses: every step keeps its place.
    #[must_use]
    pub fn without_pauses(&self) -> Self {
        if self.asked {
            return self.clone();
        }
        let mut kept = Self::default();
        for run in self.runs() {
            if self.pause(&run).is_none() {
                kept.steps.extend_from_slice(&self.steps[run.clone()]);
                kept.places.extend_from_slice(&self.places[run]);
            }
        }
        kept
    }

    /// How long each of its pauses lasts, nanoseconds: stretches without a byte that are no stalls, or that nothing tells
    /// from one.
    #[must_use]
    pub fn pauses(&self) -> Vec<u64> {
        self.runs().iter().filter_map(|run| self.pause(run)).collect()
    }

    /// How long a run lasts that is a pause, nanoseconds; `None` for any other.
    fn pause(&self, run: &std::ops::Range<usize>) -> Option<u64> {
        let idle = !self.asked && self.steps[run.start].bytes == 0;
        Some(self.time(run.clone())).filter(|time| idle && *time >= PAUSE_NS)
    }

    /// How long some steps take together, nanoseconds.
    pub(crate) fn time(&self, steps: std::ops::Range<usize>) -> u64 {
        self.steps[steps].iter().map(|step| step.elapsed_ns).sum()
    }

    /// The same in steps so long that most of them moved something: several blocks that come back together, far apart
    /// because the drive is slow, leave steps empty without any stall. Not fewer than [`FEWEST`] steps.
    #[must_use]
    pub fn without_gaps(&self) -> Self {
        let mut joined = self.clone();
        let gaps = |of: &Self| of.steps.iter().filter(|step| step.bytes == 0).count();
        while joined.steps.len() >= 2 * FEWEST && gaps(&joined) * 4 > joined.steps.len() {
            joined.steps = joined.steps.chunks(2).map(joined_step).collect();
            let whole = |pair: &[(Place, Place)]| (pair[0].0, pair[pair.len() - 1].1);
            joined.places = joined.places.chunks(2).map(whole).collect();
        }
        joined
    }

    /// Runs of steps that all moved something, or all nothing.
    pub(crate) fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if (self.steps[run.start].bytes > 0) == (step.bytes > 0) => run.end = index + 1,
                _ => runs.push(index..index + 1),
            }
        }
        runs
    }

    /// The steps in order.
    #[must_use]
    pub fn all(&self) -> &[Step] {
        &self.steps
    }

    /// Where a step begins; the end of the series for one behind the last.
    #[must_use]
    pub fn begin(&self, step: usize) -> Place {
        self.places.get(step).map_or_else(|| self.end(), |(begin, _)| *begin)
    }

    /// Where a step ends; the end of the series for one behind the last.
    #[must_use]
    pub fn end_of(&self, step: usize) -> Place {
        self.places.get(step).map_or_else(|| self.end(), |(_, end)| *end)
    }

    /// Where the series ends.
    #[must_use]
    pub fn end(&self) -> Place {
        self.places.last().map(|(_, end)| *end).unwrap_or_default()
    }

    /// Bytes over time of some steps, bytes per second; `None` of none.
    #[must_use]
    pub fn mean_speed(&self, steps: std::ops::Range<usize>) -> Option<f64> {
        let sum = |of: fn(&Step) -> u64| self.steps[steps.clone()].iter().map(of).sum::<u64>();
        per_second(sum(|step| step.bytes), Nanos(sum(|step| step.elapsed_ns)))
    }

    /// Median speed of some steps, weighted by their time, bytes per second; 0 of none.
    #[must_use]
    pub fn median_speed(&self, steps: std::ops::Range<usize>) -> f64 {
        quantile(self.steps[steps].iter().map(|step| (step.speed(), step.elapsed_ns)).collect(), 0.5)
    }
}

/// Some steps as one, with the last readings.
fn joined_step(steps: &[Step]) -> Step {
    let last = steps[steps.len() - 1];
    Step {
        elapsed_ns: steps.iter().map(|step| step.elapsed_ns).sum(),
        bytes: steps.iter().map(|step| step.bytes).sum(),
        ..last
    }
}

/// The value below which `share` of the weight lies; 0 of none.
#[expect(clippy::cast_precision_loss, reason = "a weight needs no more than 53 bits")]
pub(crate) fn quantile(mut values: Vec<(f64, u64)>, share: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: u64 = values.iter().map(|(_, weight)| weight).sum();
    let wanted = total as f64 * share;
    let mut passed = 0_u64;
    for (value, weight) in &values {
        passed += weight;
        if passed as f64 >= wanted {
            return *value;
        }
    }
    values.last().map_or(0.0, |(value, _)| *value)
}

/// A speed as it is written down, bytes per second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "speeds are positive and below 2^63"
)]
pub(crate) fn whole(speed: f64) -> u64 {
    speed.max(0.0).round() as u64
}

/// Everything that can be told from a series.
#[must_use]
pub fn findings(series: &Steps, known: heat::Known) -> Findings {
    let stages = stages::find(series);
    let minutes = stages.as_ref().and_then(|_| minutes::find(series));
    let constant = stages.as_ref().and_then(|stages| heat::time_constant(series, stages));
    let heat = heat::find(series).map(|heat| Heat { time_constant_ns: constant, ..heat });
    let throttling = stages.as_ref().and_then(|stages| heat::throttling(series, stages, known));
    let mut marks: Vec<Mark> = stages.as_ref().map(marks).unwrap_or_default();
    if let Some(heat) = &heat {
        marks.push((PointKind::PeakTemperature, heat.peak_at, heat.peak, None));
    }
    if let Some(minutes) = &minutes {
        marks.push((PointKind::WorstMinute, minutes.worst, signed(minutes.worst_bytes_per_s), None));
    }
    marks.sort_by_key(|(_, x, ..)| *x);
    let points =
        (1..).zip(marks).map(|(ordinal, (kind, x, y, before))| Point { ordinal, kind, x, y, before });
    Findings { points: points.collect(), stages, minutes, heat, throttling, power: heat::power(series) }
}

/// A point without its number: what, where, its value, and the value before.
type Mark = (PointKind, Place, i64, Option<i64>);

fn marks(found: &Stages) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (change, pair) in found.changes.iter().zip(found.stages.windows(2)) {
        let (before, after) = (&pair[0], &pair[1]);
        let kind = match change.turn {
            Turn::Fall => PointKind::Fall,
            Turn::Rise => PointKind::Rise,
        };
        let level = signed(after.typical_bytes_per_s);
        let lands_at = after.trough.map_or(level, |trough| signed(trough.bytes_per_s));
        marks.push((kind, change.latest, lands_at, Some(signed(before.typical_bytes_per_s))));
        if let Some(trough) = after.trough {
            marks.push((PointKind::Recovery, trough.until, level, Some(lands_at)));
        }
    }
    marks
}

fn signed(speed: u64) -> i64 {
    i64::try_from(speed).unwrap_or(i64::MAX)
}
