//! Statistics of a handful of repeats: every value counts, none is dropped.

use model::summary::Stats;

/// Statistics of `values`; `None` when there is none or one of them is not finite.
///
/// The deviation is the sample standard deviation (divisor n - 1), the median of an even number of
/// values the mean of the middle two.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a document has at most 1,000 loops")]
pub fn of(values: &[f64]) -> Option<Stats> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    };
    let count = sorted.len() as f64;
    let mean = (sorted.iter().sum::<f64>() / count).clamp(min, max);
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    Some(Stats {
        count: u32::try_from(sorted.len()).ok()?,
        median,
        mean,
        min,
        max,
        deviation: (sorted.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        let stats = of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((stats.median, stats.mean, stats.min, stats.max, stats.count), (4.5, 5.0, 2.0, 9.0, 8));
        assert!((stats.deviation.unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(of(&[3.0]).unwrap().deviation, None);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[1.0, f64::NAN]), None);
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_all_lie_between(mut values in prop::collection::vec(-1e12..1e12_f64, 1..40)) {
            let stats = of(&values).unwrap();
            prop_assert!(stats.min <= stats.median && stats.median <= stats.max);
            prop_assert!(stats.min <= stats.mean && stats.mean <= stats.max);
            values.reverse();
            prop_assert_eq!(stats.median, of(&values).unwrap().median);
        }
    }
}
