//! Cuts a list of levels into stretches of one level each.
//!
//! Source: optimal partitioning (Jackson et al. 2005, doi:10.1109/LSP.2001.838216) with absolute deviations from
//! the median as cost, so that a lone outlier costs little and moves no boundary.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Most levels that are cut: the time grows with the square of their number.
pub(super) const MOST: usize = 2_000;

/// The ends of the stretches of `levels`, the last one being its length. No stretch is shorter than `shortest`.
pub(super) fn cut(levels: &[f64], shortest: usize) -> Vec<usize> {
    let count = levels.len();
    let shortest = shortest.max(1);
    if count < 2 * shortest {
        return vec![count];
    }
    let noise = noise(levels);
    // A boundary must explain more than chance would: the usual penalty of three parameters.
    #[expect(clippy::cast_precision_loss, reason = "there are at most some thousand levels")]
    let penalty = 3.0 * (count as f64).ln() * noise;
    // best[e] is the least cost of the first e levels, cut[e] where its last stretch begins.
    let mut best = vec![f64::INFINITY; count + 1];
    let mut begins = vec![0; count + 1];
    best[0] = -penalty;
    for from in 0..=count - shortest {
        if best[from].is_infinite() {
            continue;
        }
        let mut stretch = Deviations::default();
        for until in from + 1..=count {
            stretch.add(levels[until - 1]);
            if until - from < shortest {
                continue;
            }
            let total = best[from] + stretch.sum() + penalty;
            if total < best[until] {
                best[until] = total;
                begins[until] = from;
            }
        }
    }
    let mut ends = Vec::new();
    let mut end = count;
    while end > 0 {
        ends.push(end);
        end = begins[end];
    }
    ends.reverse();
    ends
}

/// The sum of absolute deviations from the median of levels that come one by one.
#[derive(Default)]
struct Deviations {
    /// The lower half, its highest on top, and its sum.
    low: BinaryHeap<Level>,
    low_sum: f64,
    /// The upper half, its lowest on top, and its sum.
    high: BinaryHeap<Reverse<Level>>,
    high_sum: f64,
}

impl Deviations {
    fn add(&mut self, level: f64) {
        if self.low.peek().is_none_or(|top| level <= top.0) {
            self.low.push(Level(level));
            self.low_sum += level;
        } else {
            self.high.push(Reverse(Level(level)));
            self.high_sum += level;
        }
        // The lower half has as many as the upper one, or one more.
        if self.low.len() > self.high.len() + 1
            && let Some(level) = self.low.pop()
        {
            self.low_sum -= level.0;
            self.high_sum += level.0;
            self.high.push(Reverse(level));
        } else if self.high.len() > self.low.len()
            && let Some(Reverse(level)) = self.high.pop()
        {
            self.high_sum -= level.0;
            self.low_sum += level.0;
            self.low.push(level);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are at most some thousand levels")]
    fn sum(&self) -> f64 {
        let middle = self.low.peek().map_or(0.0, |top| top.0);
        let more_below = self.low.len() as f64 - self.high.len() as f64;
        self.high_sum - self.low_sum + middle * more_below
    }
}

/// A level in its order.
#[derive(PartialEq)]
struct Level(f64);

impl Eq for Level {}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// How far a level lies from the next as a rule, but not less than two hundredths: nothing is told apart finer.
pub(super) fn noise(levels: &[f64]) -> f64 {
    let mut steps: Vec<f64> = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0).max(0.02)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_cut_and_outliers_are_not() {
        let mut levels = vec![5.0; 30];
        levels.extend(vec![3.0; 30]);
        levels[10] = 1.0;
        levels[45] = 8.0;
        assert_eq!(cut(&levels, 3), [30, 60]);
        assert_eq!(cut(&levels[..30], 3), [30]);
        assert_eq!(cut(&[1.0, 2.0], 3), [2]);
        assert_eq!(cut(&[], 3), [0]);
    }

    proptest! {
        #[test]
        fn deviations_are_those_from_the_median(levels in prop::collection::vec(-9.0..9.0_f64, 1..60)) {
            let mut stretch = Deviations::default();
            levels.iter().for_each(|level| stretch.add(*level));
            let mut sorted = levels;
            sorted.sort_by(f64::total_cmp);
            let middle = sorted[(sorted.len() - 1) / 2];
            let sum: f64 = sorted.iter().map(|level| (level - middle).abs()).sum();
            prop_assert!((stretch.sum() - sum).abs() < 1e-9);
        }
    }
}
