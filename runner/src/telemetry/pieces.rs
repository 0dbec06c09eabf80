//! Joins what several programs watched of one run that was resumed, within the document's limits.

use super::store::halve;
use model::reading::Reading;
use model::telemetry::{MAX_HEALTH, MAX_SAMPLES, MAX_SERIES, Telemetry};

/// The pieces of what was watched, in order, and the last one, as one. What does not fit the document is thinned out as
/// a long run's is: of two neighbouring values one stays.
#[must_use]
pub fn joined(pieces: Vec<Telemetry>, last: Telemetry) -> Telemetry {
    let mut whole = pieces.into_iter().rev().fold(last, |later, earlier| earlier.followed_by(later));
    whole.series.truncate(MAX_SERIES);
    while whole.series.iter().map(|one| one.at_ns.len()).sum::<usize>() > MAX_SAMPLES
        && let Some(longest) = whole.series.iter_mut().max_by_key(|one| one.at_ns.len())
    {
        halve(longest);
    }
    if let Reading::Known(health) = &mut whole.health {
        // The first and the latest ones say most.
        let surplus = health.len().saturating_sub(MAX_HEALTH);
        health.drain(1..1 + surplus.min(health.len().saturating_sub(1)));
    }
    whole.links.truncate(MAX_HEALTH);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        document::ResultDocument,
        ids::PublicKey,
        reading::Absent,
        telemetry::{PausePolicy, Quantity, SamplingPolicy, SensorSource, Series},
    };

    fn piece(from_ns: u64, samples: u64) -> Telemetry {
        Telemetry {
            policy: SamplingPolicy { period_ns: 1, pauses: PausePolicy::Sampled },
            series: vec![Series {
                source: SensorSource::Hwmon,
                quantity: Quantity::Temperature,
                name: "Composite".to_owned(),
                warning: Reading::Absent(Absent::NotReported),
                critical: Reading::Absent(Absent::NotReported),
                at_ns: (from_ns..from_ns + samples).collect(),
                values: (0..samples).map(|_| Some(40_000)).collect(),
            }],
            health: Reading::Absent(Absent::NotSupported),
            links: Vec::new(),
        }
    }

    #[test]
    fn pieces_join_in_order_and_within_the_document() {
        let whole = joined(vec![piece(1, 3), piece(10, 1)], piece(20, 2));
        assert_eq!(whole.series[0].at_ns, [1, 2, 3, 10, 20, 21]);
        let most = MAX_SAMPLES as u64;
        let whole = joined(vec![piece(1, most)], piece(2 * most, most));
        assert!(whole.series[0].at_ns.len() <= MAX_SAMPLES);
        let mut document = model::fixtures::document("Example", 1.0, PublicKey([0; 32]));
        document.telemetry = whole;
        assert!(ResultDocument::from_json(&document.to_json()).is_ok());
    }
}
