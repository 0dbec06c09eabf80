//! Everything that can be asked about a drive while it works, and one look at all of it.

use super::{
    health_log::{self, LOG_BYTES},
    hwmon::{self, Sensor},
    ioctl::{Limits, Node},
    store::Store,
};
use crate::{
    drive::{ground::Ground, links},
    sysfs::SysRoot,
};
use model::{
    reading::{Absent, Reading},
    telemetry::{Quantity, SensorSource, Series},
};
use std::path::PathBuf;

/// Reads the health log anew.
type ReadLog = Box<dyn FnMut() -> Result<[u8; LOG_BYTES], Absent> + Send>;

/// What is asked at each look.
pub(super) struct Sources {
    sensors: Vec<Sensor>,
    log: Result<ReadLog, Absent>,
    /// Composite and sensors of the health log, for drives that hardware monitoring says nothing of; empty for
    /// others: both read the same log.
    log_series: Vec<Series>,
    /// The disk whose links are watched; `None` when it has none, or is an array.
    linked: Option<PathBuf>,
}

impl Sources {
    /// Finds what can be asked about the drives at the bottom of all targets.
    pub(super) fn find(root: &SysRoot, grounds: &[&Ground]) -> Self {
        let disks: Vec<_> = grounds.iter().flat_map(|ground| ground.disks()).collect();
        let one = match (disks.as_slice(), grounds) {
            ([disk], [ground]) if ground.is_disk() => Some(*disk),
            _ => None,
        };
        let mut sensors = Vec::new();
        for (number, disk) in (1..).zip(&disks) {
            let found = hwmon::find(disk).into_iter().map(|mut sensor| {
                if one.is_none() {
                    let name = format!("drive {number} {}", sensor.series.name);
                    sensor.series.name = name.chars().take(40).collect();
                }
                sensor
            });
            sensors.extend(found);
        }
        let node = one.map_or(Err(Absent::NotSupported), |disk| Node::open(root, disk));
        let told = sensors.iter().any(|sensor| sensor.series.quantity == Quantity::Temperature);
        let log_series = match &node {
            Ok(node) if !told => log_series(&node.limits()),
            _ => Vec::new(),
        };
        Self {
            sensors,
            log: node.map(|node| Box::new(move || node.health_log()) as ReadLog),
            log_series,
            linked: one.map(ToOwned::to_owned).filter(|disk| !links::current_links(disk).is_empty()),
        }
    }

    /// The series that are there from the beginning.
    pub(super) fn series(&self) -> Vec<Series> {
        self.sensors.iter().map(|sensor| sensor.series.clone()).collect()
    }

    /// Looks at everything once; `last` for the look after the run.
    pub(super) fn look(&mut self, now_ns: impl Fn() -> u64, last: bool) -> impl FnOnce(&mut Store) {
        // All questions first: nobody waits for the store while a drive thinks about its answer.
        let values: Vec<_> = self.sensors.iter().map(|sensor| (now_ns(), sensor.read())).collect();
        let log = match &mut self.log {
            Ok(read) => read().map(|bytes| health_log::decode(&bytes, now_ns())),
            Err(reason) => Err(*reason),
        };
        let links = self.linked.as_ref().map(|disk| (now_ns(), links::current_links(disk)));
        let log_series = &self.log_series;
        move |store| {
            for (index, (at_ns, value)) in values.into_iter().enumerate() {
                store.sample(index, at_ns, value);
            }
            if let Ok(log) = &log {
                let temperatures = [log.composite].into_iter().chain(log.sensors);
                for (series, value) in log_series.iter().zip(temperatures) {
                    store.sample_named(series, log.health.at_ns, value);
                }
            }
            store.health(log.map(|log| log.health), last);
            if let Some((at_ns, links)) = links {
                store.links(at_ns, links);
            }
        }
    }
}

/// Composite and eight sensors; limits are the composite's.
fn log_series(limits: &Limits) -> Vec<Series> {
    let none = || Reading::Absent(Absent::NotReported);
    (0..9)
        .map(|index| Series {
            source: SensorSource::HealthLog,
            quantity: Quantity::Temperature,
            name: if index == 0 { "Composite".to_owned() } else { format!("Sensor {index}") },
            warning: if index == 0 { limits.warning.clone() } else { none() },
            critical: if index == 0 { limits.critical.clone() } else { none() },
            at_ns: Vec::new(),
            values: Vec::new(),
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    /// A drive that is a degree warmer and has throttled once more at each look; the counter counts looks.
    pub(in crate::telemetry) fn warming() -> (Sources, Arc<AtomicU64>) {
        let looks = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&looks);
        let read = move || {
            let look = count.fetch_add(1, Ordering::SeqCst);
            let mut log = [0; LOG_BYTES];
            log[1..3].copy_from_slice(&(300 + look as u16).to_le_bytes());
            log[216] = look as u8;
            Ok(log)
        };
        let none = Limits {
            warning: Reading::Absent(Absent::NotReported),
            critical: Reading::Absent(Absent::NotReported),
        };
        let sources = Sources {
            sensors: Vec::new(),
            log: Ok(Box::new(read)),
            log_series: log_series(&none),
            linked: None,
        };
        (sources, looks)
    }

    #[test]
    fn a_look_keeps_temperatures_and_counters() {
        let (mut sources, _) = warming();
        let mut store = Store::new(sources.series());
        for at_ns in [5, 6] {
            sources.look(|| at_ns, at_ns == 6)(&mut store);
        }
        assert_eq!(store.temperature(), Some(27_850));
        let policy =
            model::telemetry::SamplingPolicy { period_ns: 1, pauses: model::telemetry::PausePolicy::Sampled };
        let watched = store.telemetry(policy, None);
        assert_eq!(watched.series.len(), 1, "the other sensors are not there");
        assert_eq!(watched.health.known().unwrap()[1].light_throttle_count, 1);
    }
}
