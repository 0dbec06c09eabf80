//! What was seen so far, in the form of the document and within its limits. Knows no sensor and no clock.

use super::health_log;
use model::{
    drive::PcieLink,
    reading::{Absent, Reading},
    telemetry::{
        Health, LinkSample, MAX_HEALTH, MAX_SAMPLES, MAX_SERIES, Quantity, SamplingPolicy, Series, Telemetry,
    },
};

/// Values of an external meter are kept apart and join at the end: both together stay within the document.
const MAX_OWN_SAMPLES: usize = MAX_SAMPLES / 2;

/// Series, health log and links of a run.
#[derive(Debug)]
pub(super) struct Store {
    series: Vec<Series>,
    health: Vec<Health>,
    /// The latest reading of the health log, kept or not.
    last_health: Option<Health>,
    /// Why there is no health log, as long as there is none.
    health_reason: Absent,
    links: Vec<LinkSample>,
}

impl Store {
    pub(super) fn new(series: Vec<Series>) -> Self {
        Self {
            series,
            health: Vec::new(),
            last_health: None,
            health_reason: Absent::NotSupported,
            links: Vec::new(),
        }
    }

    /// A value of the series with this number.
    pub(super) fn sample(&mut self, index: usize, at_ns: u64, value: Option<i64>) {
        let Some(series) = self.series.get_mut(index) else { return };
        // Two looks of one moment are one look.
        if series.at_ns.last().is_some_and(|last| *last >= at_ns) {
            return;
        }
        series.at_ns.push(at_ns);
        series.values.push(value);
        if self.series.iter().map(|one| one.at_ns.len()).sum::<usize>() >= MAX_OWN_SAMPLES
            && let Some(longest) = self.series.iter_mut().max_by_key(|one| one.at_ns.len())
        {
            halve(longest);
        }
    }

    /// A value of a sensor that is known by its name only; a sensor that never reports a value is not there.
    pub(super) fn sample_named(&mut self, like: &Series, at_ns: u64, value: Option<i64>) {
        let same = |one: &Series| one.source == like.source && one.name == like.name;
        let index = match self.series.iter().position(same) {
            Some(index) => index,
            None if value.is_some() && self.series.len() < MAX_SERIES => {
                self.series.push(like.clone());
                self.series.len() - 1
            }
            None => return,
        };
        self.sample(index, at_ns, value);
    }

    /// A reading of the health log: the first is kept, the last, and each that shows new trouble.
    pub(super) fn health(&mut self, read: Result<Health, Absent>, last: bool) {
        let now = match read {
            Ok(now) => now,
            Err(reason) => {
                self.health_reason = reason;
                return;
            }
        };
        let news = self.last_health.is_none_or(|before| health_log::moved(&before, &now));
        let later = self.health.last().is_none_or(|before| before.at_ns < now.at_ns);
        self.last_health = Some(now);
        // The place of the last reading stays free.
        if later && (last || (news && self.health.len() + 1 < MAX_HEALTH)) {
            self.health.push(now);
        }
    }

    /// The links of this moment: kept when they are the first or have changed.
    pub(super) fn links(&mut self, at_ns: u64, links: Vec<Reading<PcieLink>>) {
        let before = self.links.last();
        let news = before.is_none_or(|before| before.at_ns < at_ns && before.links != links);
        if !links.is_empty() && news && self.links.len() < MAX_HEALTH {
            self.links.push(LinkSample { at_ns, links });
        }
    }

    /// The latest temperature of the first sensor that has one, milli-degrees Celsius.
    pub(super) fn temperature(&self) -> Option<i64> {
        let own = |one: &&Series| one.quantity == Quantity::Temperature;
        self.series.iter().filter(own).find_map(|one| *one.values.last()?)
    }

    /// Everything, with the series of an external meter.
    pub(super) fn telemetry(&self, policy: SamplingPolicy, meter: Option<Series>) -> Telemetry {
        let mut series: Vec<Series> = self.series.iter().take(MAX_SERIES - 1).cloned().collect();
        series.extend(meter);
        let health = if self.health.is_empty() {
            Reading::Absent(self.health_reason)
        } else {
            Reading::Known(self.health.clone())
        };
        Telemetry { policy, series, health, links: self.links.clone() }
    }
}

/// Halves a series that became too long: of two neighbouring values the higher temperature stays, and of powers
/// their mean.
pub(super) fn halve(series: &mut Series) {
    let together = |a: Option<i64>, b: Option<i64>| match (series.quantity, a, b) {
        (Quantity::Temperature, a, b) => a.max(b),
        (Quantity::Power, Some(a), Some(b)) => Some(i64::midpoint(a, b)),
        (Quantity::Power, a, b) => a.or(b),
    };
    let values = series
        .values
        .chunks(2)
        .map(|pair| match pair {
            [a, b] => together(*a, *b),
            one => one.first().copied().flatten(),
        })
        .collect();
    series.at_ns = series.at_ns.iter().step_by(2).copied().collect();
    series.values = values;
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::telemetry::{PausePolicy, SensorSource};

    const POLICY: SamplingPolicy = SamplingPolicy { period_ns: 1, pauses: PausePolicy::Sampled };

    fn series(name: &str, quantity: Quantity) -> Series {
        Series {
            source: SensorSource::HealthLog,
            quantity,
            name: name.to_owned(),
            warning: Reading::Absent(Absent::NotReported),
            critical: Reading::Absent(Absent::NotReported),
            at_ns: Vec::new(),
            values: Vec::new(),
        }
    }

    fn health(at_ns: u64, light_throttle_count: u32, written_units: u64) -> Health {
        let log = health_log::decode(&[0; health_log::LOG_BYTES], at_ns);
        Health { light_throttle_count, written_units, ..log.health }
    }

    #[test]
    fn the_health_log_is_kept_before_after_and_when_trouble_moved() {
        let mut store = Store::new(Vec::new());
        for (at_ns, count) in [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1)] {
            store.health(Ok(health(at_ns, count, at_ns)), false);
        }
        store.health(Ok(health(6, 1, 6)), true);
        let watched = store.telemetry(POLICY, None);
        let at: Vec<u64> = watched.health.known().unwrap().iter().map(|one| one.at_ns).collect();
        assert_eq!(at, [1, 3, 6]);
    }

    #[test]
    fn a_log_that_cannot_be_read_has_a_reason_and_a_vanished_one_keeps_what_it_said() {
        let mut store = Store::new(Vec::new());
        store.health(Err(Absent::NotPermitted), false);
        assert_eq!(store.telemetry(POLICY, None).health, Reading::Absent(Absent::NotPermitted));
        store.health(Ok(health(1, 0, 0)), false);
        store.health(Err(Absent::NotReported), true);
        assert_eq!(store.telemetry(POLICY, None).health.known().unwrap().len(), 1);
    }

    #[test]
    fn sensors_that_are_not_there_make_no_series() {
        let mut store = Store::new(Vec::new());
        let like = series("Sensor 3", Quantity::Temperature);
        store.sample_named(&like, 1, None);
        assert!(store.telemetry(POLICY, None).series.is_empty());
        store.sample_named(&like, 2, Some(40_000));
        store.sample_named(&like, 3, None);
        assert_eq!(store.telemetry(POLICY, None).series[0].values, [Some(40_000), None]);
    }

    #[test]
    fn links_are_kept_when_they_change() {
        let mut store = Store::new(Vec::new());
        let at = |mt_per_s| vec![Reading::Known(PcieLink { mt_per_s, lanes: 4 })];
        for (at_ns, speed) in [(1, 2_500), (2, 16_000), (3, 16_000), (4, 2_500)] {
            store.links(at_ns, at(speed));
        }
        store.links(9, Vec::new());
        let times: Vec<u64> = store.telemetry(POLICY, None).links.iter().map(|one| one.at_ns).collect();
        assert_eq!(times, [1, 2, 4]);
    }

    #[test]
    fn long_series_keep_peaks_of_temperature_and_means_of_power() {
        let mut temperature = series("Composite", Quantity::Temperature);
        temperature.at_ns = vec![1, 2, 3, 4, 5];
        temperature.values = vec![Some(30), Some(70), None, Some(20), Some(10)];
        let mut power = Series { quantity: Quantity::Power, ..temperature.clone() };
        halve(&mut temperature);
        assert_eq!(temperature.at_ns, [1, 3, 5]);
        assert_eq!(temperature.values, [Some(70), Some(20), Some(10)]);
        halve(&mut power);
        assert_eq!(power.values, [Some(50), Some(20), Some(10)]);
    }

    #[test]
    fn a_run_of_weeks_stays_within_the_document() {
        let mut store = Store::new(vec![series("Composite", Quantity::Temperature)]);
        for at_ns in 0..MAX_SAMPLES as u64 {
            store.sample(0, at_ns, Some(30_000));
        }
        let watched = store.telemetry(POLICY, None);
        assert!(watched.series[0].at_ns.len() < MAX_OWN_SAMPLES);
        assert_eq!(watched.series[0].at_ns.len(), watched.series[0].values.len());
    }
}
