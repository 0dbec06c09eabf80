//! What a drive says of itself, found from the number of the device that holds the target: through
//! partitions, device mapper, md and loop devices down to the whole disk.
//!
//! Reads sysfs below a root path; decides nothing about safety (that is `devices`) and publishes a serial
//! number only when told to.

pub mod ground;
pub mod links;
pub mod nvme;

use crate::{
    counters::DeviceNumber,
    keys::SecretKey,
    sysfs::{SysRoot, flag, names_in, number, plain, text, words},
};
use ground::{Bottom, Ground};
use model::{
    drive::{Drive, Member, Transport},
    reading::{Absent, Reading},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Sectors in sysfs have 512 bytes, whatever the device's block size is.
const SECTOR_BYTES: u64 = 512;
/// More layers than this between a file system and its drive are a loop in the description.
const MAX_LAYERS: usize = 16;

/// The way from a block device down to what carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// sysfs directory of the lowest single device: a whole disk, or an array of several.
    pub disk: PathBuf,
    /// Types of what lies above it, outermost first.
    pub stack: Vec<String>,
    /// Whether `disk` is made of several devices, and so is no drive itself.
    pub several: bool,
}

/// Goes from a device (partition, mapped device, array, disk) to the disk below it; `None` when the
/// kernel knows no such device.
#[must_use]
pub fn topology(root: &SysRoot, device: DeviceNumber) -> Option<Topology> {
    let mut at = root.device(device)?;
    let mut stack = Vec::new();
    while stack.len() < MAX_LAYERS {
        if at.join("partition").exists() {
            stack.push("partition".to_owned());
            at = at.parent()?.to_owned();
            continue;
        }
        let Some(kind) = software_kind(&at) else { break };
        stack.push(kind);
        match names_in(&at.join("slaves")).as_slice() {
            [] => break,
            [below] => at = fs::canonicalize(at.join("slaves").join(below)).ok()?,
            _ => return Some(Topology { disk: at, stack, several: true }),
        }
    }
    Some(Topology { disk: at, stack, several: false })
}

/// The type of a device that software makes of others or of a file; `None` for a disk.
fn software_kind(device: &Path) -> Option<String> {
    if device.join("dm").is_dir() {
        // The UUID starts with the name of the subsystem that made it; the rest is nobody's business.
        let uuid = text(&device.join("dm/uuid"));
        let owner = uuid.known().and_then(|uuid| uuid.split('-').next()).unwrap_or_default();
        let kind = match owner {
            "CRYPT" => "dm-crypt",
            "LVM" => "dm-lvm",
            "mpath" => "dm-multipath",
            "DMRAID" => "dm-raid",
            _ => "dm",
        };
        return Some(kind.to_owned());
    }
    if device.join("md").is_dir() {
        let level = words(&device.join("md/level"), 20);
        return Some(level.known().map_or_else(|| "md".to_owned(), |level| format!("md-{level}")));
    }
    device.join("loop").is_dir().then(|| "loop".to_owned())
}

/// Who may see the serial number.
#[derive(Debug, Clone, Copy)]
pub struct SerialPolicy<'a> {
    /// The key for the digest.
    pub key: &'a SecretKey,
    /// Whether the number itself is published.
    pub publish: bool,
}

/// What the drive at the bottom of a stack says of itself; everything absent with its reason when there is none.
#[must_use]
pub fn identify(root: &SysRoot, ground: Option<&Ground>, serials: SerialPolicy<'_>) -> Drive {
    ground.map_or_else(unknown, |ground| describe(root, ground, serials))
}

fn unknown() -> Drive {
    let absent = Absent::NotReported;
    Drive {
        model: Reading::Absent(absent),
        firmware: Reading::Absent(absent),
        capacity_bytes: Reading::Absent(absent),
        transport: Transport::Unknown,
        rotational: Reading::Absent(absent),
        logical_block_bytes: Reading::Absent(absent),
        physical_block_bytes: Reading::Absent(absent),
        metadata_bytes: Reading::Absent(absent),
        namespace: Reading::Absent(absent),
        serial_hmac: Reading::Absent(absent),
        serial: Reading::Absent(absent),
        max_request_bytes: Reading::Absent(absent),
        max_segments: Reading::Absent(absent),
        queue_requests: Reading::Absent(absent),
        hardware_queues: Reading::Absent(absent),
        poll_queues: Reading::Absent(absent),
        scheduler: Reading::Absent(absent),
        write_cache: Reading::Absent(absent),
        zoned: Reading::Absent(absent),
        pcie: Vec::new(),
        slot: Reading::Absent(absent),
        numa_node: Reading::Absent(absent),
        members: Vec::new(),
        stack: Vec::new(),
    }
}

fn describe(root: &SysRoot, ground: &Ground, serials: SerialPolicy<'_>) -> Drive {
    let disk = &ground.device;
    let queue = disk.join("queue");
    let names = if ground.is_disk() { names(disk) } else { Names::none(Absent::NotSupported) };
    let kind = transport(disk);
    let path = if ground.is_disk() { links::pci_path(disk) } else { Vec::new() };
    let of_nvme = |reading: Reading<u32>| match kind {
        Transport::Nvme => reading,
        _ => Reading::Absent(Absent::NotSupported),
    };
    let (serial_hmac, serial) = match names.serial {
        Reading::Known(serial) => {
            let digest = Reading::Known(serials.key.serial_hmac(&serial));
            (digest, if serials.publish { Reading::Known(serial) } else { Reading::Absent(Absent::Withheld) })
        }
        Reading::Absent(reason) => (Reading::Absent(reason), Reading::Absent(reason)),
    };
    Drive {
        model: names.model,
        firmware: names.firmware,
        capacity_bytes: capacity(disk),
        transport: kind,
        rotational: flag(&queue.join("rotational")),
        logical_block_bytes: number(&queue.join("logical_block_size")),
        physical_block_bytes: number(&queue.join("physical_block_size")),
        serial_hmac,
        serial,
        max_request_bytes: times(number(&queue.join("max_sectors_kb")), 1024),
        max_segments: number(&queue.join("max_segments")),
        metadata_bytes: of_nvme(number(&disk.join("metadata_bytes"))),
        namespace: of_nvme(number(&disk.join("nsid"))),
        queue_requests: number(&queue.join("nr_requests")),
        hardware_queues: hardware_queues(disk),
        poll_queues: flag(&queue.join("io_poll")),
        scheduler: scheduler(&queue),
        write_cache: words(&queue.join("write_cache"), 40),
        zoned: words(&queue.join("zoned"), 40),
        pcie: if ground.is_disk() { links::pcie_hops(disk) } else { Vec::new() },
        slot: slot(root, &path),
        numa_node: numa_node(disk),
        members: match &ground.bottom {
            Bottom::Array(disks) => disks.iter().map(|disk| member(disk)).collect(),
            _ => Vec::new(),
        },
        stack: ground.stack.clone(),
    }
}

/// Several drives apart as the one that a result is about: what they share, and each of them as a member; `None` without
/// any.
#[must_use]
pub fn together(drives: &[Drive]) -> Option<Drive> {
    let first = drives.first()?;
    fn same<T: Clone + PartialEq>(drives: &[Drive], of: impl Fn(&Drive) -> &Reading<T>) -> Reading<T> {
        let first = of(&drives[0]);
        let all = drives.iter().all(|drive| of(drive) == first);
        if all { first.clone() } else { Reading::Absent(Absent::NotSupported) }
    }
    let model = match same(drives, |drive| &drive.model) {
        Reading::Known(model) => {
            Reading::Known(format!("{} × {model}", drives.len()).chars().take(120).collect())
        }
        absent => absent,
    };
    let capacity: Option<u64> = drives.iter().map(|drive| drive.capacity_bytes.known().copied()).sum();
    let none = Absent::NotSupported;
    let member = |drive: &Drive| Member {
        model: drive.model.clone(),
        firmware: drive.firmware.clone(),
        capacity_bytes: drive.capacity_bytes.clone(),
        transport: drive.transport,
    };
    let alike = |of: fn(&Drive) -> Transport| drives.iter().all(|drive| of(drive) == of(first));
    let stack = drives.iter().all(|drive| drive.stack == first.stack);
    Some(Drive {
        model,
        firmware: same(drives, |drive| &drive.firmware),
        capacity_bytes: Reading::from_option(capacity, Absent::NotReported),
        transport: if alike(|drive| drive.transport) { first.transport } else { Transport::Unknown },
        rotational: same(drives, |drive| &drive.rotational),
        logical_block_bytes: same(drives, |drive| &drive.logical_block_bytes),
        physical_block_bytes: same(drives, |drive| &drive.physical_block_bytes),
        metadata_bytes: same(drives, |drive| &drive.metadata_bytes),
        namespace: Reading::Absent(none),
        serial_hmac: Reading::Absent(none),
        serial: Reading::Absent(none),
        max_request_bytes: same(drives, |drive| &drive.max_request_bytes),
        max_segments: same(drives, |drive| &drive.max_segments),
        queue_requests: same(drives, |drive| &drive.queue_requests),
        hardware_queues: same(drives, |drive| &drive.hardware_queues),
        poll_queues: same(drives, |drive| &drive.poll_queues),
        scheduler: same(drives, |drive| &drive.scheduler),
        write_cache: same(drives, |drive| &drive.write_cache),
        zoned: same(drives, |drive| &drive.zoned),
        pcie: Vec::new(),
        slot: Reading::Absent(none),
        numa_node: same(drives, |drive| &drive.numa_node),
        members: drives.iter().map(member).collect(),
        stack: if stack { first.stack.clone() } else { Vec::new() },
    })
}

fn member(disk: &Path) -> Member {
    let Names { model, firmware, serial: _ } = names(disk);
    Member { model, firmware, capacity_bytes: capacity(disk), transport: transport(disk) }
}

/// The kernel has a directory for each hardware queue of a disk. The namespace above several NVMe controllers has
/// none: its controller tells how many it has, one of them for commands of administration.
fn hardware_queues(disk: &Path) -> Reading<u32> {
    let own = u32::try_from(names_in(&disk.join("mq")).len()).ok().filter(|count| *count > 0);
    let of_controller = || {
        let controller = nvme::controllers(disk).into_iter().next()?;
        number::<u32>(&controller.join("queue_count")).known()?.checked_sub(1)
    };
    Reading::from_option(own.or_else(of_controller), Absent::NotReported)
}

/// The slot of the PCI device that is nearest to the drive and lies in one.
/// Source: Linux `Documentation/ABI/testing/sysfs-bus-pci-slots`: an address without the function.
fn slot(root: &SysRoot, path: &[PathBuf]) -> Reading<String> {
    let slots = root.path("sys/bus/pci/slots");
    let address_of = |device: &PathBuf| {
        let name = device.file_name()?.to_str()?;
        name.rsplit_once('.').map(|(address, _)| address.to_owned())
    };
    let in_slot = |address: String| {
        let holds = |slot: &String| {
            text(&slots.join(slot).join("address")).known().is_some_and(|found| *found == address)
        };
        names_in(&slots).into_iter().find(holds)
    };
    let name = path.iter().rev().filter_map(address_of).find_map(in_slot).and_then(|name| plain(&name, 40));
    Reading::from_option(name, Absent::NotReported)
}

/// The processor node of the nearest device above the disk that tells one; -1 is a machine without nodes.
fn numa_node(disk: &Path) -> Reading<u32> {
    let place = nvme::controllers(disk).into_iter().next().unwrap_or_else(|| disk.to_owned());
    let node = place.ancestors().find_map(|at| number::<i64>(&at.join("numa_node")).known().copied());
    Reading::from_option(node.and_then(|node| u32::try_from(node).ok()), Absent::NotReported)
}

/// Capacity of a device in bytes.
#[must_use]
pub fn capacity(device: &Path) -> Reading<u64> {
    times(number(&device.join("size")), SECTOR_BYTES)
}

fn times(reading: Reading<u64>, factor: u64) -> Reading<u64> {
    match reading {
        Reading::Known(value) => Reading::from_option(value.checked_mul(factor), Absent::NotReported),
        absent => absent,
    }
}

/// The scheduler in use stands in brackets among the others: `none [mq-deadline] kyber`.
fn scheduler(queue: &Path) -> Reading<String> {
    match words(&queue.join("scheduler"), 200) {
        Reading::Known(list) => {
            let chosen = list.split(' ').find_map(|name| name.strip_prefix('[')?.strip_suffix(']'));
            Reading::Known(chosen.unwrap_or(&list).chars().take(40).collect())
        }
        absent => absent,
    }
}

/// How a whole disk is attached, from its name and its place in the device tree.
#[must_use]
pub fn transport(disk: &Path) -> Transport {
    let name = disk.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let place = disk.to_str().unwrap_or_default();
    let vendor = text(&disk.join("device/vendor"));
    let vendor = vendor.known().map_or("", |vendor| vendor.as_str());
    // NVMe disks first: with native multipath they lie among the virtual devices.
    if name.starts_with("nvme") {
        Transport::Nvme
    } else if name.starts_with("mmcblk") {
        Transport::Mmc
    } else if place.contains("/devices/virtual/") {
        Transport::Software
    } else if name.starts_with("vd") || name.starts_with("xvd") || is_virtual_scsi(place, vendor) {
        Transport::Virtio
    } else if place.contains("/usb") {
        Transport::Usb
    } else if place.contains("/ata") || vendor == "ATA" {
        Transport::Sata
    } else if name.starts_with("sd") || name.starts_with("sr") {
        Transport::Scsi
    } else {
        Transport::Unknown
    }
}

fn is_virtual_scsi(place: &str, vendor: &str) -> bool {
    place.contains("/virtio")
        || place.contains("/vmbus")
        || matches!(vendor, "QEMU" | "VMware" | "Msft" | "Google" | "VBOX")
}

/// Texts by which a drive is recognised.
struct Names {
    model: Reading<String>,
    firmware: Reading<String>,
    serial: Reading<String>,
}

impl Names {
    fn none(reason: Absent) -> Self {
        Self {
            model: Reading::Absent(reason),
            firmware: Reading::Absent(reason),
            serial: Reading::Absent(reason),
        }
    }
}

/// Model and serial number of a whole disk, for telling it from others; never published from here.
pub(crate) fn model_and_serial(disk: &Path) -> (Option<String>, Option<String>) {
    let Names { model, serial, .. } = names(disk);
    (model.known().cloned(), serial.known().cloned())
}

fn names(disk: &Path) -> Names {
    let device = disk.join("device");
    if let Some(names) = fs::read(device.join("vpd_pg89")).ok().and_then(|page| ata_names(&page)) {
        return names;
    }
    let first = |paths: &[&str], max| {
        let readings: Vec<_> = paths.iter().map(|path| words(&disk.join(path), max)).collect();
        // A value that may not be read says more than one that is not there.
        let known = readings.iter().find(|reading| reading.known().is_some());
        let forbidden = || readings.iter().find(|reading| **reading == Reading::Absent(Absent::NotPermitted));
        known.or_else(forbidden).cloned().unwrap_or(Reading::Absent(Absent::NotReported))
    };
    let mut model = first(&["device/model", "device/name"], 120);
    let vendor = text(&device.join("vendor"));
    // SCSI and USB disks carry the maker apart; for ATA disks behind SCSI it is just "ATA", for PCI
    // devices a number.
    if let (Reading::Known(name), Some(maker)) = (&mut model, vendor.known())
        && maker != "ATA"
        && !maker.starts_with("0x")
        && let Some(whole) = plain(&format!("{maker} {name}"), 120)
    {
        *name = whole;
    }
    let mut serial = first(&["device/serial", "serial"], 60);
    if serial.known().is_none()
        && let Some(number) = fs::read(device.join("vpd_pg80")).ok().and_then(|page| unit_serial(&page))
    {
        serial = Reading::Known(number);
    }
    Names { model, firmware: first(&["device/firmware_rev", "device/rev", "device/fwrev"], 40), serial }
}

/// Names from the ATA Information page, where they are whole: the SCSI model has only 16 characters.
/// Source: SCSI/ATA Translation (SAT), ATA Information VPD page 89h; ATA IDENTIFY DEVICE words 10-19,
/// 23-26 and 27-46, two swapped characters each.
fn ata_names(page: &[u8]) -> Option<Names> {
    const IDENTIFY: usize = 60;
    if page.get(1) != Some(&0x89) {
        return None;
    }
    let words = |from: usize, to: usize, max| {
        let bytes = page.get(IDENTIFY + 2 * from..IDENTIFY + 2 * (to + 1))?;
        let swapped: Vec<u8> = bytes.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        plain(&String::from_utf8_lossy(&swapped), max)
    };
    let reading = |value| Reading::from_option(value, Absent::NotReported);
    Some(Names {
        model: Reading::Known(words(27, 46, 120)?),
        firmware: reading(words(23, 26, 40)),
        serial: reading(words(10, 19, 60)),
    })
}

/// The number in a Unit Serial Number page. Source: SCSI Primary Commands (SPC), VPD page 80h.
fn unit_serial(page: &[u8]) -> Option<String> {
    let [_, 0x80, high, low, number @ ..] = page else { return None };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    plain(&String::from_utf8_lossy(number.get(..length)?), 60)
}

#[cfg(test)]
mod tests;
