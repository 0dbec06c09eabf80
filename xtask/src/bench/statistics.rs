//! Medians and how far they can be trusted.
//!
//! Knows: the median, and the percentile bootstrap of a median.
//! Does not know: what was measured.

use std::ops::RangeInclusive;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 4000;

/// The median; `None` for no values.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The 90 % interval of the median by the percentile bootstrap; `None` for no values.
///
/// The same values always give the same interval: the resampling has a fixed seed.
///
/// Source: Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13.
pub(super) fn interval_of_median(values: &[f64]) -> Option<RangeInclusive<f64>> {
    if values.is_empty() {
        return None;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let resample: Vec<f64> = values.iter().map(|_| values[random.below(values.len())]).collect();
            median(&resample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let cut = RESAMPLES / 20;
    Some(medians[cut]..=medians[RESAMPLES - 1 - cut])
}

/// A small generator for resampling, shuffling and filling; not for secrets.
///
/// Source: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), with Vigna's multiplier.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is more than 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let product = u128::from(self.next()) * end as u128;
        usize::try_from(product >> 64).expect("it is below `end`")
    }

    /// Puts the items into another order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn the_interval_holds_the_median_and_lies_within_the_values() {
        let values = [0.9, 1.0, 1.1, 1.05, 0.95, 1.2, 1.01];
        let interval = interval_of_median(&values).unwrap();
        assert!(interval.contains(&median(&values).unwrap()));
        assert!(*interval.start() >= 0.9 && *interval.end() <= 1.2 && interval.start() < interval.end());
        assert_eq!(interval_of_median(&values).unwrap(), interval, "it is reproducible");
        assert_eq!(interval_of_median(&[2.0]), Some(2.0..=2.0));
        assert_eq!(interval_of_median(&[]), None);
    }

    #[test]
    fn a_wider_sample_has_a_wider_interval() {
        let width = |values: &[f64]| {
            let interval = interval_of_median(values).unwrap();
            interval.end() - interval.start()
        };
        assert!(width(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]) > width(&[3.8, 3.9, 4.0, 4.0, 4.0, 4.1, 4.2]));
    }

    #[test]
    fn shuffling_keeps_all_items_and_reaches_every_place() {
        let mut random = Random(7);
        let mut seen = [[false; 3]; 3];
        for _ in 0..100 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            for (place, item) in items.into_iter().enumerate() {
                seen[place][item] = true;
            }
        }
        assert_eq!(seen, [[true; 3]; 3]);
    }
}
