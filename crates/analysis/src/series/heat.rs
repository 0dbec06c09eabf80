//! What temperature did, what power was drawn, and whether heat cost speed.

use super::Steps;
use crate::telemetry::TEMPERATURE_RANGE;
use model::finding::{Cycle, Heat, Place, Power, Stages, ThrottleStyle, Throttled, Throttling, Turn};

/// Below this a drive does not limit itself for heat as a rule, milli-degrees Celsius; used where the drive's own
/// warning temperature is not known.
///
/// Source: a reviewer found 57 °C too low to explain a loss, and could exclude it neither at 66 °C nor at 76 °C.
pub const HOT: i64 = 60_000;
/// How far below its warning temperature a drive may begin to limit itself, milli-degrees.
const EARLY: i64 = 10_000;
/// What is the same temperature, milli-degrees: many sensors tell whole degrees.
const SAME: i64 = 1_000;
/// A lost speed is at least this share.
const LOST: f64 = 0.15;

/// What the temperature of a series did; `None` when it was not read.
#[must_use]
pub fn find(series: &Steps) -> Option<Heat> {
    let read = readings(series);
    let (_, start) = *read.first()?;
    let peak = read.iter().map(|(_, value)| *value).max()?;
    let (peak_at, _) = *read.iter().find(|(_, value)| *value >= peak - SAME)?;
    // The last fifth, in two halves that agree and vary little.
    let end = &read[read.len() - read.len() / 5..];
    let (early, late) = end.split_at(end.len() / 2);
    let settled = |of: &[(Place, i64)]| median(of.iter().map(|(_, value)| *value).collect());
    let plateau = match (settled(early), settled(late)) {
        (Some(early), Some(late)) if end.len() >= 6 && (early - late).abs() <= SAME => {
            let values = end.iter().map(|(_, value)| *value);
            let spread = values.clone().max().unwrap_or(0) - values.clone().min().unwrap_or(0);
            (spread <= 3 * SAME).then(|| median(values.collect())).flatten()
        }
        _ => None,
    };
    Some(Heat { start, peak, peak_at, plateau })
}

/// What power was drawn; `None` when it was not read.
#[must_use]
pub fn power(series: &Steps) -> Option<Power> {
    let values: Vec<(i64, u64)> =
        series.all().iter().filter_map(|step| Some((step.power?, step.elapsed_ns))).collect();
    let time: i128 = values.iter().map(|(_, time)| i128::from(*time)).sum();
    let energy: i128 = values.iter().map(|(value, time)| i128::from(*value) * i128::from(*time)).sum();
    Some(Power {
        lowest: values.iter().map(|(value, _)| *value).min()?,
        mean: i64::try_from(energy.checked_div(time)?).ok()?,
        highest: values.iter().map(|(value, _)| *value).max()?,
    })
}

/// What is known besides the series.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// The drive's warning temperature, milli-degrees Celsius; `None` when it does not tell.
    pub warning: Option<i64>,
    /// Whether the drive's counters of throttling moved; `None` when they were not read.
    pub counted: Option<bool>,
}

/// Whether heat cost speed, from speed, temperature and counters; `None` when no temperature was read.
///
/// A fall for good may be the end of a cache as well: then heat is "possible" only. It is proven by counters alone.
#[must_use]
pub fn throttling(series: &Steps, stages: &Stages, known: Known) -> Option<Throttling> {
    let heat = find(series)?;
    let lost = losses(stages);
    let hot = known.warning.map_or(HOT, |warning| warning - EARLY);
    // Where it is hottest speaks for heat, whatever else slowed the drive elsewhere.
    let hottest = lost
        .iter()
        .filter_map(|(style, from, until)| Some((*style, hottest_between(series, *from, *until)?)))
        .max_by_key(|(style, temperature)| {
            (*temperature >= hot, *style == ThrottleStyle::StopAndGo, *temperature)
        });
    let (style, at) = hottest.unzip();
    let verdict = match (known.counted, at) {
        (Some(true), _) => Throttled::Proven,
        (_, None) => Throttled::NothingLost,
        (Some(false), Some(_)) => Throttled::NotShown,
        (None, Some(at)) if at < hot => Throttled::NotShown,
        (None, Some(_)) => Throttled::Possible,
    };
    Some(Throttling { verdict, style, at, peak: heat.peak })
}

/// How speed was lost, and between which times, nanoseconds, it must have been hot for that.
fn losses(stages: &Stages) -> Vec<(ThrottleStyle, u64, u64)> {
    // A sensor may be slow, and read every few seconds only.
    const SOON: u64 = 10 * model::units::NS_PER_S;
    let fell = stages.changes.iter().filter(|change| change.turn == Turn::Fall);
    let falls = fell.map(|change| {
        let at_ns = change.earliest.at_ns;
        (ThrottleStyle::SustainedLimit, at_ns, at_ns.saturating_add(SOON))
    });
    let deep = |cycle: &Cycle| cycle.depth() >= LOST;
    let cycled = stages.stages.iter().filter(|stage| stage.cycle.as_ref().is_some_and(deep));
    let cycles = cycled.map(|stage| (ThrottleStyle::StopAndGo, stage.from.at_ns, stage.until.at_ns));
    falls.chain(cycles).collect()
}

/// The highest temperature between two times, or of the last reading before them.
fn hottest_between(series: &Steps, from: u64, until: u64) -> Option<i64> {
    let read = readings(series);
    let before = read.iter().rev().find(|(at, _)| at.at_ns < from).map(|(_, value)| *value);
    let within = read.iter().filter(|(at, _)| (from..=until).contains(&at.at_ns)).map(|(_, value)| *value);
    within.chain(before).max()
}

/// Temperatures that a drive can have, with their places.
fn readings(series: &Steps) -> Vec<(Place, i64)> {
    let known = series.all().iter().enumerate().filter_map(|(index, step)| Some((index, step.temperature?)));
    known
        .filter(|(_, value)| TEMPERATURE_RANGE.contains(value) && *value != 0)
        .map(|(index, value)| (series.end_of(index), value))
        .collect()
}

fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}
