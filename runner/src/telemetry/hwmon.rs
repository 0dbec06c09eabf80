//! Temperatures and powers that the kernel's hardware monitoring reports of a drive, without root.
//!
//! Source: Linux `Documentation/hwmon/sysfs-interface.rst`, `drivetemp.rst`: milli-degrees, microwatts.

use crate::{
    drive::{links, nvme},
    sysfs::{names_in, number, text, words},
};
use analysis::telemetry::{POWER_RANGE, TEMPERATURE_RANGE};
use model::{
    reading::{Absent, Reading},
    telemetry::{Quantity, SensorSource, Series},
};
use std::path::{Path, PathBuf};

/// More sensors than this are not a drive's.
const MAX_CHANNELS: u32 = 32;

/// One sensor and where it is read.
#[derive(Debug, Clone)]
pub(super) struct Sensor {
    /// What is known of it, without any value.
    pub series: Series,
    input: PathBuf,
}

impl Sensor {
    /// Its value now, in the unit of its quantity; `None` when it reports none, or one that no sensor can mean.
    pub(super) fn read(&self) -> Option<i64> {
        let raw = *number::<i64>(&self.input).known()?;
        match self.series.quantity {
            Quantity::Temperature => Some(raw).filter(|value| TEMPERATURE_RANGE.contains(value)),
            Quantity::Power => Some(raw / 1_000).filter(|value| POWER_RANGE.contains(value)),
        }
    }
}

/// All sensors of a disk.
pub(super) fn find(disk: &Path) -> Vec<Sensor> {
    places(disk).iter().flat_map(|place| of_monitor(place)).collect()
}

/// The monitors of a disk: below its NVMe controller or, with older kernels, the controller's PCI device; below
/// the SCSI device for `drivetemp`.
fn places(disk: &Path) -> Vec<PathBuf> {
    let controller = nvme::controllers(disk).into_iter().next();
    let parents = match controller {
        Some(controller) => {
            let device = links::pci_path(disk).pop();
            [Some(controller), device].into_iter().flatten().collect()
        }
        None => vec![disk.join("device")],
    };
    let monitors = |place: PathBuf| {
        let list = names_in(&place).into_iter().filter(|name| is_monitor(name)).collect::<Vec<_>>();
        list.into_iter().map(move |name| place.join(name))
    };
    parents.into_iter().flat_map(|parent| [parent.join("hwmon"), parent]).flat_map(monitors).collect()
}

/// `hwmon3`
fn is_monitor(name: &str) -> bool {
    name.strip_prefix("hwmon").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn of_monitor(monitor: &Path) -> Vec<Sensor> {
    let source = match text(&monitor.join("name")).known().map(String::as_str) {
        Some("drivetemp") => SensorSource::Drivetemp,
        _ => SensorSource::Hwmon,
    };
    let channels = |quantity, kind: &'static str, inputs: &'static [&'static str]| {
        (1..=MAX_CHANNELS).filter_map(move |index| {
            let channel = format!("{kind}{index}");
            let file = |what: &str| monitor.join(format!("{channel}_{what}"));
            let input = inputs.iter().map(|what| file(what)).find(|path| path.exists())?;
            let limit = |what| match quantity {
                Quantity::Temperature => limit(&file(what)),
                Quantity::Power => Reading::Absent(Absent::NotReported),
            };
            let series = Series {
                source,
                quantity,
                name: words(&file("label"), 40).known().cloned().unwrap_or(channel.clone()),
                warning: limit("max"),
                critical: limit("crit"),
                at_ns: Vec::new(),
                values: Vec::new(),
            };
            Some(Sensor { series, input })
        })
    };
    let temperatures = channels(Quantity::Temperature, "temp", &["input"]);
    temperatures.chain(channels(Quantity::Power, "power", &["input", "average"])).collect()
}

/// A limit in milli-degrees; drives without one say 0 K or 65,535 K.
fn limit(path: &Path) -> Reading<i64> {
    match number::<i64>(path) {
        Reading::Known(value) if !TEMPERATURE_RANGE.contains(&value) => Reading::Absent(Absent::NotReported),
        reading => reading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;
    use std::fs;

    fn real(sys: &FakeSys, path: &str) -> PathBuf {
        fs::canonicalize(sys.root().path(path)).unwrap()
    }

    #[test]
    fn an_nvme_drive_has_several_sensors_with_names_and_limits() {
        let sys = FakeSys::new();
        let controller = "pci0000:00/0000:01:00.0/nvme/nvme0";
        let disk = sys.disk(&format!("{controller}/nvme0n1"), "259:0", 1);
        for (file, value) in [
            ("name", "nvme"),
            ("temp1_input", "36850"),
            ("temp1_label", "Composite"),
            ("temp1_max", "81850"),
            ("temp1_crit", "84850"),
            ("temp2_input", "-273150"),
            ("temp2_label", "Sensor 1"),
            ("temp2_max", "65261850"),
            ("power1_average", "3450000"),
        ] {
            sys.write(&format!("sys/devices/{controller}/hwmon4/{file}"), &format!("{value}\n"));
        }
        let found = find(&real(&sys, &disk));
        let names: Vec<_> = found.iter().map(|sensor| sensor.series.name.as_str()).collect();
        assert_eq!(names, ["Composite", "Sensor 1", "power1"]);
        assert_eq!(found.iter().map(Sensor::read).collect::<Vec<_>>(), [Some(36_850), None, Some(3_450)]);
        assert_eq!(found[0].series.warning, Reading::Known(81_850));
        assert_eq!(found[0].series.critical, Reading::Known(84_850));
        assert_eq!(found[1].series.warning, Reading::Absent(Absent::NotReported));
        assert_eq!(found[2].series.quantity, Quantity::Power);
    }

    #[test]
    fn older_kernels_and_sata_have_their_monitors_elsewhere() {
        let sys = FakeSys::new();
        let device = "pci0000:00/0000:01:00.0";
        let disk = sys.disk(&format!("{device}/nvme/nvme0/nvme0n1"), "259:0", 1);
        sys.write(&format!("sys/devices/{device}/hwmon/hwmon0/temp1_input"), "40000\n");
        assert_eq!(find(&real(&sys, &disk))[0].read(), Some(40_000));

        let disk = sys.disk("pci0000:00/0000:00:17.0/ata1/host0/0:0:0:0/block/sda", "8:0", 1);
        sys.write(&format!("{disk}/device/hwmon/hwmon1/name"), "drivetemp\n");
        sys.write(&format!("{disk}/device/hwmon/hwmon1/temp1_input"), "131000\n");
        let found = find(&real(&sys, &disk));
        assert_eq!((found[0].series.source, found[0].read()), (SensorSource::Drivetemp, None));
        assert_eq!(found[0].series.name, "temp1");
    }
}
