//! What drive and machine reported of themselves during a run, on the measuring clock.
//!
//! Values are kept as they were reported; only those that no sensor of a drive can mean (0 K, 65,535 K, less than
//! -40 or more than 130 degrees) are missing. What they prove is judged elsewhere (`analysis::telemetry`).

use crate::{
    drive::{MAX_HOPS, PcieLink},
    labels::is_plain_text,
    reading::Reading,
};
use serde::{Deserialize, Serialize};

/// Most series in a document.
pub const MAX_SERIES: usize = 64;
/// Most samples of all series together.
pub const MAX_SAMPLES: usize = 500_000;
/// Most readings of the health log, and most samples of the link.
pub const MAX_HEALTH: usize = 20_000;
/// Bytes of one unit in the counters of the health log. Source: NVM Express base specification, SMART / Health
/// Information: thousands of 512 bytes.
pub const DATA_UNIT_BYTES: u64 = 512_000;

/// Everything that was watched during a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// When was looked.
    pub policy: SamplingPolicy,
    /// Temperatures and powers, one series per sensor; empty when nothing reports any.
    pub series: Vec<Series>,
    /// The drive's health log: before the first cell, whenever a counter of warnings or throttling had moved,
    /// and after the last cell. The reason when it could not be read.
    pub health: Reading<Vec<Health>>,
    /// The links of `drive.pcie` under load: at the first look and whenever one had changed.
    pub links: Vec<LinkSample>,
}

/// When sensors are read. Reading alone can keep a drive awake and warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SamplingPolicy {
    /// Time between two looks, nanoseconds.
    pub period_ns: u64,
    /// What happens in pauses; an external meter always runs.
    pub pauses: PausePolicy,
}

/// Whether sensors are read while the drive is idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PausePolicy {
    /// As under load.
    Sampled,
    /// Not at all.
    Silent,
}

/// Where a series comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SensorSource {
    /// The kernel's hardware monitoring.
    Hwmon,
    /// The kernel's driver for temperatures of SATA drives.
    Drivetemp,
    /// The drive's health log.
    HealthLog,
    /// A power meter outside the machine.
    Meter,
    /// A model of a drive.
    Simulated,
}

/// What a series measures, and its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Milli-degrees Celsius.
    Temperature,
    /// Milliwatts.
    Power,
}

/// The readings of one sensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Where it comes from.
    pub source: SensorSource,
    /// What it measures.
    pub quantity: Quantity,
    /// Its name as reported, `Composite`; at most 40 characters.
    pub name: String,
    /// From which value on the drive warns, in the unit of the quantity.
    pub warning: Reading<i64>,
    /// From which value on the drive calls it critical, in the unit of the quantity.
    pub critical: Reading<i64>,
    /// Times since the run's start, nanoseconds, rising.
    pub at_ns: Vec<u64>,
    /// The value at each time, in the unit of the quantity; `None` when the sensor reported none.
    pub values: Vec<Option<i64>>,
}

/// One reading of the drive's health log. Source: NVM Express base specification, log page 02h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// Time since the run's start, nanoseconds.
    pub at_ns: u64,
    /// Warnings as bits: 0 spare below its threshold, 1 temperature, 2 reliability, 3 read-only, 4 backup.
    pub critical_warning: u8,
    /// Spare blocks left, percent.
    pub spare_percent: u8,
    /// Below this much spare the drive warns, percent.
    pub spare_threshold_percent: u8,
    /// The maker's estimate of the life used, percent; may exceed 100.
    pub wear_percent: u8,
    /// Data read since the drive was made, in units of [`DATA_UNIT_BYTES`].
    pub read_units: u64,
    /// Data written since the drive was made, in units of [`DATA_UNIT_BYTES`].
    pub written_units: u64,
    /// Time the controller was busy, minutes.
    pub busy_minutes: u64,
    /// Errors of the medium and of data integrity.
    pub media_errors: u64,
    /// Time above the warning temperature, minutes.
    pub warning_minutes: u32,
    /// Time above the critical temperature, minutes.
    pub critical_minutes: u32,
    /// How often light throttling (thermal management temperature 1) began.
    pub light_throttle_count: u32,
    /// How often heavy throttling (thermal management temperature 2) began.
    pub heavy_throttle_count: u32,
    /// Time of light throttling, seconds.
    pub light_throttle_s: u32,
    /// Time of heavy throttling, seconds.
    pub heavy_throttle_s: u32,
}

/// The links to the drive at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkSample {
    /// Time since the run's start, nanoseconds.
    pub at_ns: u64,
    /// One per hop of `drive.pcie`, in its order.
    pub links: Vec<Reading<PcieLink>>,
}

impl Telemetry {
    /// The same on a clock that began so much earlier.
    #[must_use]
    pub fn later(mut self, ns: u64) -> Self {
        let move_on = |at_ns: &mut u64| *at_ns = at_ns.saturating_add(ns);
        self.series.iter_mut().flat_map(|series| &mut series.at_ns).for_each(move_on);
        if let Reading::Known(health) = &mut self.health {
            health.iter_mut().for_each(|one| one.at_ns = one.at_ns.saturating_add(ns));
        }
        self.links.iter_mut().for_each(|one| one.at_ns = one.at_ns.saturating_add(ns));
        self
    }

    /// The part of it that was seen later than `after_ns` and not later than `until_ns` on the run's clock.
    #[must_use]
    pub fn between(mut self, after_ns: u64, until_ns: u64) -> Self {
        let within = |at_ns: u64| at_ns > after_ns && at_ns <= until_ns;
        for series in &mut self.series {
            let kept = series.at_ns.iter().zip(&series.values).filter(|(at_ns, _)| within(**at_ns));
            (series.at_ns, series.values) = kept.map(|(at_ns, value)| (*at_ns, *value)).unzip();
        }
        if let Reading::Known(health) = &mut self.health {
            health.retain(|one| within(one.at_ns));
        }
        self.links.retain(|one| within(one.at_ns));
        self
    }

    /// What was watched by this program and by one that went on with its run later, as one: readings of one sensor
    /// become one series, in which times rise.
    #[must_use]
    pub fn followed_by(mut self, later: Self) -> Self {
        for series in later.series {
            let same = |one: &&mut Series| {
                (one.source, one.quantity, &one.name) == (series.source, series.quantity, &series.name)
            };
            match self.series.iter_mut().find(same) {
                Some(one) => {
                    let last = one.at_ns.last().copied();
                    let later = series.at_ns.into_iter().zip(series.values);
                    for (at_ns, value) in later.filter(|(at_ns, _)| last.is_none_or(|last| *at_ns > last)) {
                        one.at_ns.push(at_ns);
                        one.values.push(value);
                    }
                }
                None => self.series.push(series),
            }
        }
        self.health = match (self.health, later.health) {
            (Reading::Known(mut before), Reading::Known(after)) => {
                let last = before.last().map(|one| one.at_ns);
                before.extend(after.into_iter().filter(|one| last.is_none_or(|last| one.at_ns > last)));
                Reading::Known(before)
            }
            (Reading::Known(one), Reading::Absent(_)) | (Reading::Absent(_), Reading::Known(one)) => {
                Reading::Known(one)
            }
            (Reading::Absent(_), Reading::Absent(reason)) => Reading::Absent(reason),
        };
        self.links.extend(later.links);
        self
    }

    /// Checks every range that the types do not already keep.
    ///
    /// # Errors
    /// The field and the rule.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let need = |holds: bool, field, message| if holds { Ok(()) } else { Err((field, message)) };
        let rising = |times: &[u64]| times.windows(2).all(|pair| pair[0] < pair[1]);
        need(self.series.len() <= MAX_SERIES, "series", "at most 64 series")?;
        let samples = self.series.iter().map(|one| one.at_ns.len()).sum::<usize>();
        need(samples <= MAX_SAMPLES, "series", "at most 500,000 samples in all series together")?;
        for one in &self.series {
            need(is_plain_text(&one.name, 40), "series.name", "printable text of limited length")?;
            need(one.at_ns.len() == one.values.len(), "series", "as many values as times")?;
            need(rising(&one.at_ns), "series.at_ns", "rising times")?;
        }
        let health = self.health.known().map_or(&[][..], Vec::as_slice);
        need(health.len() <= MAX_HEALTH, "health", "at most 20,000 readings")?;
        need(rising(&health.iter().map(|one| one.at_ns).collect::<Vec<_>>()), "health", "rising times")?;
        need(self.links.len() <= MAX_HEALTH, "links", "at most 20,000 samples")?;
        need(self.links.iter().all(|one| one.links.len() <= MAX_HOPS), "links", "at most 16 hops")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Absent;

    fn watched(name: &str, at_ns: u64, value: i64) -> Telemetry {
        Telemetry {
            policy: SamplingPolicy { period_ns: 1, pauses: PausePolicy::Sampled },
            series: vec![Series {
                source: SensorSource::Hwmon,
                quantity: Quantity::Temperature,
                name: name.to_owned(),
                warning: Reading::Absent(Absent::NotReported),
                critical: Reading::Absent(Absent::NotReported),
                at_ns: vec![at_ns],
                values: vec![Some(value)],
            }],
            health: Reading::Absent(Absent::NotPermitted),
            links: vec![LinkSample { at_ns, links: Vec::new() }],
        }
    }

    #[test]
    fn a_sensor_keeps_one_series_over_a_resumption() {
        let both = watched("Composite", 1, 40_000)
            .followed_by(watched("Composite", 2, 41_000))
            .followed_by(watched("Composite", 2, 49_000))
            .followed_by(watched("Sensor 1", 3, 50_000));
        assert_eq!(both.series.len(), 2);
        assert_eq!(both.series[0].at_ns, [1, 2]);
        assert_eq!(both.series[0].values, [Some(40_000), Some(41_000)]);
        assert_eq!(both.links.len(), 4);
        assert_eq!(both.health, Reading::Absent(Absent::NotPermitted));
        assert_eq!(both.check(), Ok(()));
    }

    #[test]
    fn what_is_cut_into_pieces_is_whole_again() {
        let whole = watched("Composite", 1, 40_000)
            .followed_by(watched("Composite", 2, 41_000))
            .followed_by(watched("Composite", 3, 42_000));
        let pieces = [(0, 1), (1, 2), (2, 9)].map(|(after, until)| whole.clone().between(after, until));
        assert_eq!(pieces[1].series[0].values, [Some(41_000)]);
        assert_eq!(pieces[1].links.len(), 1);
        let joined = pieces.into_iter().reduce(Telemetry::followed_by).unwrap();
        assert_eq!(joined, whole);
    }
}
