//! Findings in lists of figures: best and worst, steady rounds, the knee of a scaling curve.

use model::finding::{BestWorst, Knee, Steady};

/// Rounds of the window in which a drive must be steady.
pub const WINDOW: usize = 5;
/// Most rounds until it must have become so.
pub const MOST_ROUNDS: usize = 25;
const RANGE: f64 = 0.2;
const SLOPE: f64 = 0.1;

/// Best and worst of passes and what lies between; `None` without a pass, or when one is no positive number.
#[must_use]
pub fn best_worst(passes: &[f64], higher_is_better: bool) -> Option<BestWorst> {
    if passes.iter().any(|value| !value.is_finite() || *value <= 0.0) {
        return None;
    }
    let pick = |highest: bool| {
        let better = |a: f64, b: f64| if highest { a > b } else { a < b };
        let mut picked: Option<(u32, f64)> = None;
        for (pass, value) in (1..).zip(passes) {
            if picked.is_none_or(|(_, best)| better(*value, best)) {
                picked = Some((pass, *value));
            }
        }
        picked
    };
    let (best_pass, best) = pick(higher_is_better)?;
    let (worst_pass, worst) = pick(!higher_is_better)?;
    Some(BestWorst { best, best_pass, worst, worst_pass, drop: (best - worst).abs() / best })
}

/// Whether rounds became steady; `None` when there are fewer than a window of them, or one is no number.
///
/// Steady means, over five rounds: highest less lowest is at most 20 % of their mean, and the least-squares line
/// rises or falls by at most 10 % of it over the window.
///
/// Source: SNIA Solid State Storage Performance Test Specification, as its public implementations agree.
#[must_use]
pub fn steady(rounds: &[f64]) -> Option<Steady> {
    if rounds.len() < WINDOW || rounds.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut last = None;
    for (end, window) in (WINDOW..).zip(rounds.windows(WINDOW)).take(MOST_ROUNDS - WINDOW + 1) {
        let (mean, range_share, slope_share) = rules(window);
        let holds = range_share <= RANGE && slope_share <= SLOPE;
        let reached = if holds { u32::try_from(end).ok() } else { None };
        last = Some(Steady { reached, mean, range_share, slope_share });
        if holds {
            break;
        }
    }
    last
}

#[expect(clippy::cast_precision_loss, reason = "a window has five rounds")]
fn rules(window: &[f64]) -> (f64, f64, f64) {
    let count = window.len() as f64;
    let mean = window.iter().sum::<f64>() / count;
    let high = window.iter().copied().fold(f64::MIN, f64::max);
    let low = window.iter().copied().fold(f64::MAX, f64::min);
    let middle = (count - 1.0) / 2.0;
    let along: f64 = window.iter().enumerate().map(|(x, y)| (x as f64 - middle) * (y - mean)).sum();
    let across: f64 = (0..window.len()).map(|x| (x as f64 - middle).powi(2)).sum();
    let size = mean.abs().max(f64::MIN_POSITIVE);
    (mean, (high - low) / size, (along / across).abs() * (count - 1.0) / size)
}

/// The knee of a curve that rises with depth, threads or drives; `None` with fewer than four points or where
/// nothing rises.
///
/// The knee is the point farthest above the line from the first to the highest point.
///
/// Source: Satopää et al. 2011, "Finding a Kneedle in a Haystack", doi:10.1109/ICDCSW.2011.20.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "depths and numbers of drives are small")]
pub fn knee(points: &[(u64, f64)]) -> Option<Knee> {
    let mut points = points.to_vec();
    points.retain(|(_, y)| y.is_finite());
    points.sort_by_key(|(x, _)| *x);
    let doubles = points.len() > 2 && points.windows(2).all(|pair| pair[1].0 == 2 * pair[0].0);
    let along = |x: u64| if doubles { (x as f64).ln() } else { x as f64 };
    let (first, last) = (*points.first()?, *points.last()?);
    let best = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (width, height) = (along(last.0) - along(first.0), best.1 - first.1);
    if points.len() < 4 || width <= 0.0 || height <= 0.05 * first.1.abs() {
        return None;
    }
    let above = |(x, y): (u64, f64)| (y - first.1) / height - (along(x) - along(first.0)) / width;
    let at = points.iter().copied().max_by(|a, b| above(*a).total_cmp(&above(*b)))?;
    // A straight line has no knee.
    (above(at) > 0.1).then_some(Knee { x: at.0, y: at.1, best: best.1, best_x: best.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn best_and_worst_of_passes() {
        let found = best_worst(&[4_990.0, 5_000.0, 4_965.0], true).unwrap();
        assert_eq!((found.best_pass, found.worst_pass), (2, 3));
        assert!((found.drop - 0.007).abs() < 1e-9);
        let times = best_worst(&[2.0, 1.0, 4.0], false).unwrap();
        assert_eq!((times.best, times.worst, times.drop), (1.0, 4.0, 3.0));
        assert_eq!(best_worst(&[], true), None);
        assert_eq!(best_worst(&[1.0, 0.0], true), None, "a failed pass is not the worst one");
    }

    #[test]
    fn both_rules_must_hold() {
        let falling: Vec<f64> = (0..9).map(|round| 1_000.0 - 60.0 * f64::from(round)).collect();
        let found = steady(&falling).unwrap();
        assert_eq!(found.reached, None, "it falls by more than a tenth in each window: {found:?}");
        let mut rounds = vec![2_000.0, 1_500.0, 1_200.0];
        rounds.extend([1_000.0, 1_010.0, 990.0, 1_005.0, 995.0]);
        assert_eq!(steady(&rounds).unwrap().reached, Some(8));
        // No slope, but too wide.
        assert_eq!(steady(&[1_000.0, 1_300.0, 1_000.0, 1_300.0, 1_000.0]).unwrap().reached, None);
        assert_eq!(steady(&[1.0; 4]), None);
    }

    #[test]
    fn the_knee_of_an_array() {
        let read = [6.9, 13.5, 19.6, 23.4, 24.0, 24.8, 25.7, 26.5];
        let points: Vec<(u64, f64)> = (1..).zip(read).collect();
        assert_eq!(knee(&points).unwrap().x, 4);
        let line: Vec<(u64, f64)> = (1..9).zip((1..9).map(f64::from)).collect();
        assert_eq!(knee(&line), None);
        let depths = [(1, 10.0), (2, 20.0), (4, 40.0), (8, 78.0), (16, 80.0), (32, 81.0)];
        assert_eq!(knee(&depths).unwrap().x, 8);
        assert_eq!(knee(&[(1, 5.0), (2, 5.0), (4, 5.0), (8, 5.0)]), None, "nothing rises");
    }

    proptest! {
        #[test]
        fn steady_rounds_are_steady_at_any_scale(scale in 1e-3..1e9_f64, noise in prop::collection::vec(-0.04..0.04_f64, 5)) {
            let rounds: Vec<f64> = noise.iter().map(|part| scale * (1.0 + part)).collect();
            prop_assert_eq!(steady(&rounds).unwrap().reached, Some(5));
        }

        #[test]
        fn the_drop_lies_between_nothing_and_all(passes in prop::collection::vec(0.1..1e6_f64, 1..30)) {
            let found = best_worst(&passes, true).unwrap();
            prop_assert!((0.0..=1.0).contains(&found.drop) && found.worst <= found.best);
        }
    }
}
