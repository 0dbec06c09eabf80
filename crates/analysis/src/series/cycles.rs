//! A speed that goes up and down again and again: stop-and-go, periodic stalls, a saw-tooth.

use super::{Steps, whole};
use crate::stats;
use model::finding::Cycle;
use std::ops::Range;

/// The low part is below this share of the high one.
const DEEP: f64 = 0.75;
/// Fewest falls that make a rhythm.
const FEWEST: usize = 3;
/// Largest deviation of the periods, as a share of their median, that is still a rhythm.
const REGULAR: f64 = 0.35;
/// Share of the variance that two levels must explain; an even saw-tooth reaches three quarters.
const EXPLAINS: f64 = 0.6;

/// The rhythm of some steps; `None` when they have none.
#[must_use]
pub fn find(series: &Steps, steps: Range<usize>) -> Option<Cycle> {
    let speeds: Vec<f64> = series.all()[steps.clone()].iter().map(super::Step::speed).collect();
    let border = two_levels(&speeds)?;
    let level = |high: bool| {
        let values = steps.clone().zip(&speeds).filter(|(_, speed)| (**speed >= border) == high);
        super::quantile(values.map(|(step, speed)| (*speed, series.all()[step].elapsed_ns)).collect(), 0.5)
    };
    let (high, low) = (level(true), level(false));
    if low > DEEP * high {
        return None;
    }
    // A fall counts only after a climb: noise around the border is no rhythm.
    let (up, down) = (low + 0.75 * (high - low), low + 0.25 * (high - low));
    let mut falls = Vec::new();
    let mut is_up = false;
    for (step, speed) in steps.zip(&speeds) {
        if *speed >= up {
            is_up = true;
        } else if is_up && *speed <= down {
            is_up = false;
            falls.push(series.begin(step).at_ns);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a period needs no more than 53 bits")]
    let periods: Vec<f64> = falls.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let of_periods = stats::of(&periods)?;
    let regular = of_periods.deviation.is_none_or(|deviation| deviation <= REGULAR * of_periods.median);
    if falls.len() < FEWEST || !regular {
        return None;
    }
    Some(Cycle {
        count: u32::try_from(falls.len()).unwrap_or(u32::MAX),
        // The mean over all of them is finer than a sample.
        period_ns: whole(of_periods.mean),
        high_bytes_per_s: whole(high),
        low_bytes_per_s: whole(low),
    })
}

/// The speed between two levels that tells them apart best; `None` when two levels explain little.
///
/// Source: Otsu's threshold, doi:10.1109/TSMC.1979.4310076.
#[expect(clippy::cast_precision_loss, reason = "a series has far fewer steps than 2^53")]
fn two_levels(speeds: &[f64]) -> Option<f64> {
    let mut sorted = speeds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let sum: f64 = sorted.iter().sum();
    let mean = sum / count;
    let all: f64 = sorted.iter().map(|speed| (speed - mean).powi(2)).sum();
    let mut below = 0.0;
    let mut best: Option<(f64, f64)> = None;
    for index in 1..sorted.len() {
        below += sorted[index - 1];
        let (left, right) = (index as f64, count - index as f64);
        let apart = below / left - (sum - below) / right;
        let between = left * right / count * apart * apart;
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, f64::midpoint(sorted[index - 1], sorted[index])));
        }
    }
    best.filter(|(between, _)| all > 0.0 && between / all >= EXPLAINS).map(|(_, border)| border)
}
