//! How the figures of results that were measured alike spread: over results, reviewers and firmware.
//!
//! Knows which figures may be put together. Does not know where they are kept.

use crate::stats;
use model::{
    MethodId,
    catalogue::{DriveMetric, Figures, OfFirmware, OfKey},
    document::EngineClass,
    metric::MetricId,
    summary::{ResultHead, Stats},
};
use std::{collections::BTreeSet, sync::Arc};

/// A metric of one result whose figures count.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The result.
    pub head: Arc<ResultHead>,
    /// The metric.
    pub metric: MetricId,
    /// How it was measured.
    pub method: MethodId,
    /// Its loops.
    pub stats: Stats,
}

impl Sample {
    /// The figure that stands for the result.
    #[must_use]
    pub fn figure(&self) -> f64 {
        self.stats.figure(self.metric.kind)
    }

    /// Whether figures of the two may be put together.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.metric == other.metric && self.method == other.method && self.head.engine == other.head.engine
    }

    /// Whether the mean of such a cell says anything beside another one's: that of a write which goes as far as the drive
    /// makes it does not.
    #[must_use]
    pub fn means_something(&self) -> bool {
        let method = self.method.method();
        method.means_alike(method)
    }
}

/// Puts samples together; `None` for none, or when a figure is not finite.
#[must_use]
pub fn figures(samples: &[&Sample]) -> Option<Figures> {
    let values: Vec<f64> = samples.iter().map(|sample| sample.figure()).collect();
    let all = stats::of(&values)?;
    let keys: BTreeSet<_> = samples.iter().map(|sample| sample.head.key).collect();
    let fold = |pick: fn(&Stats) -> f64, of: fn(f64, f64) -> f64| {
        samples.iter().map(|sample| pick(&sample.stats)).reduce(of)
    };
    Some(Figures {
        results: all.count,
        keys: u32::try_from(keys.len()).unwrap_or(u32::MAX),
        median: all.median,
        min: all.min,
        max: all.max,
        least_loop: fold(|stats| stats.min, f64::min)?,
        greatest_loop: fold(|stats| stats.max, f64::max)?,
        loops: samples.iter().fold(0_u32, |sum, sample| sum.saturating_add(sample.stats.count)),
    })
}

/// The metrics of a drive over all its results, in the order in which they first appear.
#[must_use]
pub fn metrics(samples: &[Sample]) -> Vec<DriveMetric> {
    groups(samples.iter(), |a, b| a.is_like(b))
        .into_iter()
        .filter(|group| group[0].means_something())
        .filter_map(|group| {
            let first = group[0];
            let mut by_key: Vec<OfKey> = groups(group.iter().copied(), |a, b| a.head.key == b.head.key)
                .into_iter()
                .filter_map(|of| Some(OfKey { key: of[0].head.key, figures: figures(&of)? }))
                .collect();
            by_key.sort_by_key(|of| (std::cmp::Reverse(of.figures.results), of.key));
            let mut by_firmware: Vec<OfFirmware> =
                groups(group.iter().copied(), |a, b| a.head.firmware == b.head.firmware)
                    .into_iter()
                    .filter_map(|of| {
                        Some(OfFirmware { firmware: of[0].head.firmware.clone(), figures: figures(&of)? })
                    })
                    .collect();
            by_firmware.sort_by(|a, b| a.firmware.cmp(&b.firmware));
            Some(DriveMetric {
                metric: first.metric.clone(),
                method: first.method.clone(),
                label: first.method.method().label(),
                engine: engine(first),
                figures: figures(&group)?,
                by_key,
                by_firmware,
            })
        })
        .collect()
}

fn engine(sample: &Sample) -> EngineClass {
    sample.head.engine
}

/// Samples that are alike together, groups and samples in the order of first appearance.
pub(crate) fn groups<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    alike: impl Fn(&Sample, &Sample) -> bool,
) -> Vec<Vec<&'a Sample>> {
    let mut groups: Vec<Vec<&Sample>> = Vec::new();
    for sample in samples {
        match groups.iter_mut().find(|group| alike(group[0], sample)) {
            Some(group) => group.push(sample),
            None => groups.push(vec![sample]),
        }
    }
    groups
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::summary::summarise;
    use model::{KeyId, ResultId, fixtures, ids::PublicKey, metric::MetricKind};

    /// A result's throughput of its first cell: `median` MB/s, its loops `off` to either side.
    pub(crate) fn sample(number: u8, median: f64, off: f64, change: impl FnOnce(&mut ResultHead)) -> Sample {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        document.cells.truncate(1);
        let summary = summarise(&document, ResultId([number; 32]), KeyId([1; 32]));
        let mut head = summary.head;
        change(&mut head);
        let metric = &summary.metrics[0];
        assert_eq!(metric.kind(), MetricKind::BytesPerS);
        let stats = Stats {
            count: 5,
            median: median * 1e6,
            mean: median * 1e6,
            min: (median - off) * 1e6,
            max: (median + off) * 1e6,
            deviation: None,
        };
        Sample { head: Arc::new(head), metric: metric.metric.clone(), method: metric.method.clone(), stats }
    }

    #[test]
    fn reviewers_and_firmware_are_told_apart() {
        let samples = [
            sample(1, 3_000.0, 10.0, |head| head.firmware = Some("2".to_owned())),
            sample(2, 3_100.0, 20.0, |head| head.firmware = Some("1".to_owned())),
            sample(3, 3_300.0, 5.0, |head| {
                head.firmware = Some("1".to_owned());
                head.key = KeyId([2; 32]);
            }),
        ];
        let [metric] = &metrics(&samples)[..] else { panic!("one metric") };
        let Figures { results, keys, median, min, max, least_loop, greatest_loop, loops } = metric.figures;
        assert_eq!((results, keys, loops), (3, 2, 15));
        assert_eq!((median, min, max), (3.1e9, 3e9, 3.3e9));
        assert_eq!((least_loop, greatest_loop), (2.99e9, 3.305e9));
        assert_eq!(metric.by_key.iter().map(|of| of.figures.median).collect::<Vec<_>>(), [3.05e9, 3.3e9]);
        let firmware: Vec<_> =
            metric.by_firmware.iter().map(|of| (of.firmware.as_deref(), of.figures.median)).collect();
        assert_eq!(firmware, [(Some("1"), 3.2e9), (Some("2"), 3e9)]);
    }

    #[test]
    fn what_was_measured_otherwise_is_no_part_of_a_spread() {
        let mut other = sample(2, 9_000.0, 1.0, |_| ());
        let mut method = other.method.method().clone();
        method.span_bytes *= 2;
        other.method = method.id();
        let polled = sample(3, 9_000.0, 1.0, |head| head.engine = EngineClass::Polled);
        let metrics = metrics(&[sample(1, 3_000.0, 1.0, |_| ()), other, polled]);
        assert_eq!(metrics.iter().map(|metric| metric.figures.results).collect::<Vec<_>>(), [1, 1, 1]);
    }

    #[test]
    fn one_loop_has_no_spread() {
        let mut single = sample(1, 3_000.0, 0.0, |_| ());
        single.stats.count = 1;
        assert_eq!(figures(&[&single]).unwrap().spread(), None);
        let two = sample(2, 3_000.0, 7.0, |_| ());
        assert_eq!(figures(&[&single, &two]).unwrap().spread(), Some(14e6));
    }
}
