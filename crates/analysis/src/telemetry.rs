//! Judges what sensors reported: which of them can be believed, and what the health log says of throttling.
//!
//! Source of the rules: sensors that were frozen while the drive throttled, counters that fell, and values that
//! no drive can have, as users of other tools have reported them.

use model::{
    drive::PcieLink,
    telemetry::{Health, Quantity, Series, Telemetry},
};

/// Lowest and highest temperature that a drive's sensor can mean, milli-degrees Celsius.
pub const TEMPERATURE_RANGE: std::ops::RangeInclusive<i64> = -40_000..=130_000;
/// Lowest and highest power that a drive's sensor or meter can mean, milliwatts: up to 1 kW.
pub const POWER_RANGE: std::ops::RangeInclusive<i64> = 0..=1_000_000;

/// Why a sensor is not believed: its values are shown as "not reported".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// It reported no value at all.
    Silent,
    /// It reported values that no drive can have.
    Absurd,
    /// Its value stood still while the drive began to throttle for heat.
    Stuck,
}

impl Distrust {
    /// The reason in words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Silent => "reported no value",
            Self::Absurd => "reported values that no drive can have",
            Self::Stuck => "stood still while the drive throttled for heat",
        }
    }
}

/// Why a series is not believed; `None` when nothing speaks against it.
#[must_use]
pub fn distrust(series: &Series, telemetry: &Telemetry) -> Option<Distrust> {
    let values: Vec<i64> = series.values.iter().flatten().copied().collect();
    let range = match series.quantity {
        Quantity::Temperature => TEMPERATURE_RANGE,
        Quantity::Power => POWER_RANGE,
    };
    let Some(first) = values.first() else { return Some(Distrust::Silent) };
    if values.iter().any(|value| !range.contains(value)) {
        return Some(Distrust::Absurd);
    }
    let throttled = throttling(telemetry).is_some_and(|moved| moved.any());
    let still = values.len() > 2 && values.iter().all(|value| value == first);
    (still && throttled && series.quantity == Quantity::Temperature).then_some(Distrust::Stuck)
}

/// One sensor in a few figures, in the unit of its quantity; a figure is `None` when there is no value for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensorSummary<'a> {
    /// The series it sums up.
    pub series: &'a Series,
    /// Why it is not believed: then its figures are not to be shown.
    pub distrust: Option<Distrust>,
    /// The first value, from before the first cell.
    pub before: Option<i64>,
    /// The highest value.
    pub highest: Option<i64>,
    /// The mean of all values.
    pub mean: Option<i64>,
    /// The last value, from after the last cell.
    pub after: Option<i64>,
}

/// Every sensor in a few figures, in the document's order.
#[must_use]
pub fn sensors(telemetry: &Telemetry) -> Vec<SensorSummary<'_>> {
    telemetry.series.iter().map(|series| sum_up(series, telemetry)).collect()
}

fn sum_up<'a>(series: &'a Series, telemetry: &Telemetry) -> SensorSummary<'a> {
    let Series { values, .. } = series;
    let known = || values.iter().flatten().copied();
    let count = i128::try_from(known().count()).unwrap_or(i128::MAX);
    let mean = known().map(i128::from).sum::<i128>().checked_div(count);
    SensorSummary {
        series,
        distrust: distrust(series, telemetry),
        before: values.first().copied().flatten(),
        highest: known().max(),
        mean: mean.and_then(|mean| i64::try_from(mean).ok()),
        after: values.last().copied().flatten(),
    }
}

/// The narrowest link to the drive as it was at its fastest during the run; `None` when no link was seen. Links
/// slow down when idle, so that only their best speed says how they worked under load.
#[must_use]
pub fn link_under_load(telemetry: &Telemetry) -> Option<PcieLink> {
    let hops = telemetry.links.iter().map(|sample| sample.links.len()).max()?;
    let best_of = |hop: usize| {
        let seen = telemetry.links.iter().filter_map(|sample| sample.links.get(hop)?.known().copied());
        seen.max_by_key(|link| link.bytes_per_s())
    };
    (0..hops).filter_map(best_of).min_by_key(|link| link.bytes_per_s())
}

/// What the health log counted between its first and its last reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    /// Beginnings of light throttling.
    pub light_count: u32,
    /// Seconds of it.
    pub light_s: u32,
    /// Beginnings of heavy throttling.
    pub heavy_count: u32,
    /// Seconds of it.
    pub heavy_s: u32,
    /// Minutes above the warning temperature.
    pub warning_minutes: u32,
    /// Minutes above the critical temperature.
    pub critical_minutes: u32,
}

impl Throttling {
    /// What was counted in words, `light throttling began 2 times, 31 s`; empty when nothing was.
    #[must_use]
    pub fn text(self) -> String {
        let times = |count: u32| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let throttled = |name: &str, count: u32, seconds: u32| {
            (count > 0 || seconds > 0)
                .then(|| format!("{name} throttling began {}, {seconds} s", times(count)))
        };
        let above = |name: &str, minutes: u32| {
            (minutes > 0).then(|| format!("{minutes} min above the {name} temperature"))
        };
        let parts = [
            throttled("light", self.light_count, self.light_s),
            throttled("heavy", self.heavy_count, self.heavy_s),
            above("warning", self.warning_minutes),
            above("critical", self.critical_minutes),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Whether anything was counted.
    #[must_use]
    pub fn any(self) -> bool {
        let Self { light_count, light_s, heavy_count, heavy_s, warning_minutes, critical_minutes } = self;
        [light_count, light_s, heavy_count, heavy_s, warning_minutes, critical_minutes].iter().any(|n| *n > 0)
    }
}

/// What was counted during the run; `None` when the log was not read twice or its counters fell, which no
/// counter of a sound drive does.
#[must_use]
pub fn throttling(telemetry: &Telemetry) -> Option<Throttling> {
    let log = telemetry.health.known()?;
    let [first, .., last] = log.as_slice() else { return None };
    if !log.windows(2).all(|pair| rises(&pair[0], &pair[1])) {
        return None;
    }
    Some(Throttling {
        light_count: last.light_throttle_count - first.light_throttle_count,
        light_s: last.light_throttle_s - first.light_throttle_s,
        heavy_count: last.heavy_throttle_count - first.heavy_throttle_count,
        heavy_s: last.heavy_throttle_s - first.heavy_throttle_s,
        warning_minutes: last.warning_minutes - first.warning_minutes,
        critical_minutes: last.critical_minutes - first.critical_minutes,
    })
}

/// Whether no counter fell from one reading of the health log to the next.
#[must_use]
pub fn rises(before: &Health, after: &Health) -> bool {
    let counters = |log: &Health| {
        [
            log.read_units,
            log.written_units,
            log.busy_minutes,
            log.media_errors,
            log.warning_minutes.into(),
            log.critical_minutes.into(),
            log.light_throttle_count.into(),
            log.heavy_throttle_count.into(),
            log.light_throttle_s.into(),
            log.heavy_throttle_s.into(),
        ]
    };
    counters(before).iter().zip(counters(after)).all(|(before, after)| *before <= after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    fn telemetry() -> Telemetry {
        fixtures::document("Example", 1.0, PublicKey([1; 32])).telemetry
    }

    fn throttled() -> Telemetry {
        let mut watched = telemetry();
        let model::Reading::Known(log) = &mut watched.health else { panic!("the fixture has a log") };
        log[1].light_throttle_count += 2;
        log[1].light_throttle_s += 31;
        watched
    }

    #[test]
    fn a_sensor_that_moves_is_believed() {
        assert_eq!(distrust(&telemetry().series[0], &throttled()), None);
    }

    #[test]
    fn what_no_drive_can_mean_is_not_believed() {
        let watched = throttled();
        let with = |values: Vec<Option<i64>>| Series { values, ..watched.series[0].clone() };
        assert_eq!(distrust(&with(vec![None, None]), &watched), Some(Distrust::Silent));
        assert_eq!(distrust(&with(vec![Some(30_000), Some(-273_150)]), &watched), Some(Distrust::Absurd));
        let still = with(vec![Some(40_000); 5]);
        assert_eq!(distrust(&still, &watched), Some(Distrust::Stuck));
        assert_eq!(distrust(&still, &telemetry()), None, "a cool drive may stay as it is");
    }

    #[test]
    fn throttling_is_what_the_counters_moved_by() {
        let moved = throttling(&throttled()).unwrap();
        assert_eq!((moved.light_count, moved.light_s, moved.heavy_count), (2, 31, 0));
        assert!(!throttling(&telemetry()).unwrap().any());
    }

    #[test]
    fn what_was_counted_is_told_in_words() {
        let moved = throttling(&throttled()).unwrap();
        assert_eq!(moved.text(), "light throttling began 2 times, 31 s");
        let worse = Throttling { light_count: 0, light_s: 0, heavy_count: 1, critical_minutes: 3, ..moved };
        assert_eq!(worse.text(), "heavy throttling began once, 0 s; 3 min above the critical temperature");
        assert_eq!(throttling(&telemetry()).unwrap().text(), "");
    }

    #[test]
    fn sensors_are_summed_up() {
        let mut watched = telemetry();
        watched.series[0].values = vec![Some(30_000), None, Some(50_000), Some(41_000)];
        let one = &sensors(&watched)[0];
        assert_eq!(
            (one.before, one.highest, one.mean, one.after),
            (Some(30_000), Some(50_000), Some(40_333), Some(41_000))
        );
        watched.series[0].values = vec![None];
        let one = &sensors(&watched)[0];
        assert_eq!((one.before, one.highest, one.mean), (None, None, None));
        assert_eq!(one.distrust, Some(Distrust::Silent));
    }

    #[test]
    fn the_narrowest_link_counts_at_its_fastest() {
        let mut watched = telemetry();
        let link = |mt_per_s, lanes| model::Reading::Known(PcieLink { mt_per_s, lanes });
        let sample = |at_ns, links| model::telemetry::LinkSample { at_ns, links };
        watched.links = vec![
            sample(1, vec![link(2_500, 8), link(2_500, 4)]),
            sample(2, vec![link(16_000, 8), link(8_000, 4)]),
            sample(3, vec![link(2_500, 8), link(2_500, 4)]),
        ];
        assert_eq!(link_under_load(&watched), Some(PcieLink { mt_per_s: 8_000, lanes: 4 }));
        watched.links.clear();
        assert_eq!(link_under_load(&watched), None);
    }

    #[test]
    fn counters_that_fall_say_nothing() {
        let mut watched = throttled();
        let model::Reading::Known(log) = &mut watched.health else { panic!("the fixture has a log") };
        log[1].written_units = 1;
        assert_eq!(throttling(&watched), None);
    }
}
