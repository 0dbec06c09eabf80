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
pub(crate) const EARLY: i64 = 10_000;
/// What is the same temperature, milli-degrees: many sensors tell whole degrees.
const SAME: i64 = 1_000;
/// A lost speed is at least this share.
pub(crate) const LOST: f64 = 0.15;

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
    Some(Heat { start, peak, peak_at, plateau, time_constant_ns: None })
}

/// Least change of temperature that a time constant is told from, milli-degrees.
const LEAST_CHANGE: f64 = 5_000.0;
/// Greatest mean deviation from the law, milli-degrees.
const LARGEST_DEVIATION: f64 = 500.0;

/// The time constant of warming or cooling in the longest stage without a rhythm, nanoseconds: the load is the same
/// there. `None` when the temperature changed too little, did not follow the law, or the stage is shorter than it.
///
/// Source: Newton's law of cooling, `T(t) = T_end + (T_begin - T_end) · e^(-t/τ)`, fitted by least squares.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "times and temperatures need no more than 53 bits")]
pub fn time_constant(series: &Steps, stages: &Stages) -> Option<u64> {
    let steady = stages.stages.iter().filter(|stage| stage.cycle.is_none());
    let longest = steady.max_by_key(|stage| stage.until.at_ns - stage.from.at_ns)?;
    let range = longest.from.at_ns..=longest.until.at_ns;
    let points: Vec<(f64, f64)> = readings(series)
        .into_iter()
        .filter(|(place, _)| range.contains(&place.at_ns))
        .map(|(place, value)| ((place.at_ns - longest.from.at_ns) as f64, value as f64))
        .collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    let length = last - first;
    if points.len() < 10 || length <= 0.0 {
        return None;
    }
    // The deviation has one minimum over the time constant: between a hundredth of the stage and its length.
    let (mut low, mut high) = ((length / 100.0).ln(), length.ln());
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if law(&points, a.exp()).deviation < law(&points, b.exp()).deviation {
            high = b;
        } else {
            low = a;
        }
    }
    let constant = f64::midpoint(low, high).exp();
    let Law { change, deviation } = law(&points, constant);
    let seen = change.abs() * ((-first / constant).exp() - (-last / constant).exp());
    let follows = seen >= LEAST_CHANGE && deviation <= LARGEST_DEVIATION && constant < length * 0.9;
    follows.then(|| super::whole(constant))
}

/// How well temperatures follow the law with one time constant.
struct Law {
    /// What is still to come at time 0, milli-degrees.
    change: f64,
    /// Root of the mean square of what is left, milli-degrees.
    deviation: f64,
}

/// The best line of temperature over e^(-t/τ).
#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 points")]
fn law(points: &[(f64, f64)], constant: f64) -> Law {
    let along = |time: f64| (-time / constant).exp();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(time, _)| along(*time)).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, value)| value).sum::<f64>() / count;
    let both = points.iter().map(|(time, value)| (along(*time) - mean_x) * (value - mean_y)).sum::<f64>();
    let own = points.iter().map(|(time, _)| (along(*time) - mean_x).powi(2)).sum::<f64>();
    let change = if own > 0.0 { both / own } else { 0.0 };
    let squares =
        points.iter().map(|(time, value)| (value - mean_y - change * (along(*time) - mean_x)).powi(2));
    Law { change, deviation: (squares.sum::<f64>() / count).sqrt() }
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
    /// The temperature at which the load just before lost speed, milli-degrees Celsius, when that may have been for
    /// heat; `None` when no such load went before.
    pub lost_before: Option<i64>,
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
    let began_hot = heat.start >= hot;
    Some(Throttling { verdict, style, at, peak: heat.peak, began_hot, lost_before: known.lost_before })
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

/// The middle of what a sensor read, of an even count the later one; `None` of none.
pub(crate) fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}
