//! Every block device of this machine: what it is, who uses it, and how it can be measured, or why not.
//!
//! Only looks: opens no device.

use crate::{
    counters::DeviceNumber,
    drive::{capacity, topology, transport},
    hint::{Failure, print},
    mounts::{self, Mount},
    rails::stable_id,
    sysfs::{SysRoot, flag, names_in, parse_device_number, text, words},
};
use model::{drive::Transport, reading::Reading, units::format_capacity};
use serde::Serialize;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A whole block device and its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Device {
    /// The kernel's name, `nvme0n1`.
    pub name: String,
    /// Capacity in bytes; `None` when it is not told.
    pub capacity_bytes: Option<u64>,
    /// Model; `None` when the device has none.
    pub model: Option<String>,
    /// How it is attached.
    pub transport: Transport,
    /// Types of the devices below, when it is made of others.
    pub stack: Vec<String>,
    /// Where it, a partition of it or a device on top of it is mounted.
    pub mounted: Vec<PathBuf>,
    /// Names of the devices on top of it or its partitions.
    pub holders: Vec<String>,
    /// Whether it, or a partition of it, is swap space.
    pub swap: bool,
    /// Whether the kernel refuses to write to it.
    pub read_only: bool,
    /// Whether it can be measured now, through a directory.
    pub measurable: bool,
    /// How it can be measured through a directory, or why not.
    pub how: String,
    /// Whether it can be measured as a whole, which overwrites it, if nothing is on it.
    pub measurable_whole: bool,
    /// How it can be measured as a whole, or why not.
    pub whole: String,
}

/// Lists all whole block devices.
///
/// # Errors
/// When `/sys/block` or the list of mounts cannot be read.
pub fn list(root: &SysRoot) -> Result<Vec<Device>, Failure> {
    let names = root.block_devices().map_err(|error| cannot_list("the block devices", error))?;
    let (mounts, swaps) = uses(root)?;
    Ok(names.into_iter().filter_map(|name| describe(root, name, &mounts, &swaps)).collect())
}

/// One whole block device by the kernel's name.
///
/// # Errors
/// When there is none of that name, or its uses cannot be told.
pub fn one(root: &SysRoot, name: &str) -> Result<Device, Failure> {
    let (mounts, swaps) = uses(root)?;
    describe(root, name.to_owned(), &mounts, &swaps)
        .ok_or_else(|| Failure::failed(format!("the kernel knows no block device {name}")))
}

/// The mounts and the list of swap spaces.
fn uses(root: &SysRoot) -> Result<(Vec<Mount>, String), Failure> {
    let mounts = mounts::all(root).map_err(|error| cannot_list("the mounts", error))?;
    // A kernel without swap has no such file.
    let swaps = match fs::read_to_string(root.path("proc/swaps")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| cannot_list("the swap spaces", error))?,
    };
    Ok((mounts, swaps))
}

fn cannot_list(what: &str, error: io::Error) -> Failure {
    Failure::failed(format!("cannot list {what}")).because(error).hint("is /sys and /proc mounted here?")
}

fn describe(root: &SysRoot, name: String, mounts: &[Mount], swaps: &str) -> Option<Device> {
    let directory = fs::canonicalize(root.path("sys/block").join(&name)).ok()?;
    let uses = users(&directory);
    let on_it = |mount: &&Mount| {
        uses.iter().any(|(used, number)| {
            number.is_some_and(|number| number == mount.device) || mounts::is_device_path(&mount.source, used)
        })
    };
    let mounted: Vec<&Mount> = mounts.iter().filter(on_it).collect();
    let swap = swaps.lines().any(|line| {
        let path = Path::new(line.split_ascii_whitespace().next().unwrap_or_default());
        uses.iter().any(|(used, _)| mounts::is_device_path(path, used))
    });
    let number = text(&directory.join("dev")).known().and_then(|text| parse_device_number(text));
    let stack =
        number.and_then(|number| topology(root, number)).map(|topology| topology.stack).unwrap_or_default();
    let mut device = Device {
        capacity_bytes: capacity(&directory).known().copied(),
        model: words(&directory.join("device/model"), 120).known().cloned(),
        transport: transport(&directory),
        stack,
        holders: uses.iter().map(|(used, _)| used.clone()).filter(|used| !belongs_to(used, &name)).collect(),
        swap,
        read_only: flag(&directory.join("ro")) == Reading::Known(true),
        measurable: false,
        how: String::new(),
        measurable_whole: false,
        whole: String::new(),
        mounted: mounted.iter().map(|mount| mount.point.clone()).collect(),
        name,
    };
    device.mounted.dedup();
    (device.measurable, device.how) = judge(&device, &mounted);
    (device.measurable_whole, device.whole) = judge_whole(&device, &directory);
    Some(device)
}

/// A device, its partitions, and everything that is made of them: names and numbers.
fn users(device: &Path) -> Vec<(String, Option<DeviceNumber>)> {
    let mut found: Vec<(String, Option<DeviceNumber>)> = Vec::new();
    let mut waiting = vec![device.to_owned()];
    while let Some(at) = waiting.pop() {
        let name = at.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let number = text(&at.join("dev")).known().and_then(|text| parse_device_number(text));
        found.push((name, number));
        let partitions =
            names_in(&at).into_iter().map(|entry| at.join(entry)).filter(|p| p.join("partition").exists());
        let holders = names_in(&at.join("holders")).into_iter();
        let holders = holders.filter_map(|holder| fs::canonicalize(at.join("holders").join(holder)).ok());
        waiting.extend(partitions.chain(holders));
    }
    found
}

/// Whether a name is the device itself or one of its partitions.
fn belongs_to(name: &str, device: &str) -> bool {
    name.strip_prefix(device)
        .is_some_and(|rest| rest.trim_start_matches('p').bytes().all(|b| b.is_ascii_digit()))
}

fn judge(device: &Device, mounted: &[&Mount]) -> (bool, String) {
    let point =
        mounted.iter().find(|mount| mount.writable() && analysis::proof::file_system_on_drive(&mount.kind));
    if let Some(mount) = point {
        let place = crate::hint::printable(&mount.point.to_string_lossy(), 200);
        let below = if place == "/" { "DIRECTORY, a directory of yours below /" } else { &place };
        return (true, format!("cliffmark run {below}"));
    }
    let why = if device.capacity_bytes == Some(0) {
        "no medium"
    } else if !mounted.is_empty() {
        "its file system is mounted read-only or is of a kind that cannot be measured"
    } else if device.swap {
        "in use as swap space"
    } else if !device.holders.is_empty() {
        "in use by other devices; nothing on them is mounted"
    } else if device.read_only {
        "read-only"
    } else {
        "not mounted, so there is no directory on it"
    };
    (false, why.to_owned())
}

/// How a device can be measured as a whole, as far as the kernel's books say; its content is looked at only when it
/// is opened.
fn judge_whole(device: &Device, directory: &Path) -> (bool, String) {
    let partitioned =
        names_in(directory).iter().any(|entry| directory.join(entry).join("partition").exists());
    let why = if device.capacity_bytes == Some(0) {
        "no medium"
    } else if !device.mounted.is_empty() {
        "mounted, or something on it is"
    } else if device.swap {
        "in use as swap space"
    } else if !device.holders.is_empty() {
        "in use by other devices"
    } else if device.read_only {
        "read-only"
    } else if partitioned {
        "it has partitions"
    } else {
        return match stable_id(directory).serial {
            Some(serial) => {
                (true, format!("cliffmark run /dev/{} --confirm-serial {}", device.name, quoted(&serial)))
            }
            None => (false, "it has no serial number by which it could be confirmed".to_owned()),
        };
    };
    (false, why.to_owned())
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b':');
    if text.bytes().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Prints the list.
///
/// # Errors
/// When it cannot be made or printed.
pub fn show(root: &SysRoot, json: bool) -> Result<(), Failure> {
    let devices = list(root)?;
    if json {
        let text = serde_json::to_string_pretty(&devices).expect("a device has only JSON-able fields");
        return print(&format!("{text}\n"));
    }
    print(&table(&devices))
}

fn table(devices: &[Device]) -> String {
    let mut out = String::new();
    let (present, empty): (Vec<_>, Vec<_>) =
        devices.iter().partition(|device| device.capacity_bytes != Some(0));
    for device in present {
        let size = device.capacity_bytes.map_or_else(|| "unknown size".to_owned(), format_capacity);
        let kind = if device.stack.is_empty() {
            device.transport.text().to_owned()
        } else {
            device.stack.join(" on ")
        };
        let about: Vec<&str> = device.model.as_deref().into_iter().chain([kind.as_str()]).collect();
        out.push_str(&format!("{:<10} {size:>9}  {}\n", device.name, about.join(", ")));
        if !device.mounted.is_empty() {
            let points: Vec<String> =
                device.mounted.iter().map(|p| crate::hint::printable(&p.to_string_lossy(), 200)).collect();
            out.push_str(&format!("{:22}mounted at {}\n", "", points.join(", ")));
        }
        if !device.holders.is_empty() {
            out.push_str(&format!("{:22}used by {}\n", "", device.holders.join(", ")));
        }
        if device.measurable {
            out.push_str(&format!("{:22}measure with: {}\n", "", device.how));
        }
        if device.measurable_whole {
            out.push_str(&format!("{:22}measure all of it, when nothing is on it: {}\n", "", device.whole));
        }
        if !device.measurable && !device.measurable_whole {
            out.push_str(&format!("{:22}cannot be measured: {}\n", "", device.how));
            if device.how != device.whole {
                out.push_str(&format!("{:22}nor as a whole: {}\n", "", device.whole));
            }
        }
    }
    if !empty.is_empty() {
        let names: Vec<&str> = empty.iter().map(|device| device.name.as_str()).collect();
        out.push_str(&format!("without a medium: {}\n", names.join(", ")));
    }
    if devices.is_empty() {
        out.push_str("this machine has no block devices\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;

    fn machine() -> FakeSys {
        let sys = FakeSys::new();
        let nvme = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 3_907_029_168);
        sys.write(&format!("{nvme}/device/model"), "Samsung SSD 990 PRO 2TB\n");
        sys.partition(&nvme, "nvme0n1p1", "259:1", 1000);
        let crypt = sys.partition(&nvme, "nvme0n1p2", "259:2", 1000);
        sys.mapped("dm-0", "253:0", "CRYPT-LUKS2-x", &[&crypt]);
        let sata = sys.disk("pci0000:00/0000:00:17.0/ata1/block/sda", "8:0", 1000);
        sys.partition(&sata, "sda1", "8:1", 900);
        let empty = sys.disk("pci0000:00/0000:00:17.0/ata2/block/sdb", "8:16", 1000);
        sys.write(&format!("{empty}/device/serial"), "AB-c_1.2 x/y%\"é\n");
        sys.disk("virtual/block/loop0", "7:0", 0);
        sys.write("proc/swaps", "Filename Type Size Used Priority\n/dev/sda1 partition 1 0 -2\n");
        sys.write("proc/self/mountinfo", "22 1 253:0 / /home rw - ext4 /dev/mapper/home rw\n");
        sys
    }

    #[test]
    fn every_device_says_how_it_can_be_measured_or_why_not() {
        let devices = list(&machine().root()).unwrap();
        let of = |name: &str| devices.iter().find(|device| device.name == name).unwrap();
        assert!(of("nvme0n1").measurable && of("dm-0").measurable);
        assert_eq!(of("nvme0n1").how, "cliffmark run /home");
        assert_eq!(of("nvme0n1").holders, ["dm-0"]);
        assert_eq!(of("dm-0").stack, ["dm-crypt", "partition"]);
        assert_eq!(of("sda").how, "in use as swap space");
        assert!(of("sdb").how.starts_with("not mounted"));
        assert_eq!(of("nvme0n1").whole, "mounted, or something on it is");
        assert_eq!(of("sda").whole, "in use as swap space");
        assert_eq!(of("sdb").whole, "cliffmark run /dev/sdb --confirm-serial 'AB-c_1.2 x/y%\"é'");
        assert_eq!(of("loop0").how, "no medium");
    }

    #[test]
    fn the_table_is_for_people() {
        insta::assert_snapshot!(table(&list(&machine().root()).unwrap()));
    }
}
