//! What lies at the very bottom of a block device: through partitions, mapped devices, arrays, and loop
//! devices with the file systems that hold their files, down to disks, to memory or to another machine.
//!
//! Knows what can and cannot be proven there. Does not judge a figure (that is `analysis::proof`).

use super::{Topology, links, nvme, topology, transport};
use crate::{
    counters::DeviceNumber,
    host, mounts,
    sysfs::{SysRoot, flag, names_in, parse_device_number, text},
};
use model::{
    drive::{MAX_MEMBERS, Transport},
    proof::{Proof, Unproven},
    reading::{Absent, Reading},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// More loop devices and arrays inside each other than this are a loop in the description.
const MAX_DEPTH: usize = 8;

/// The lowest device that carries every byte of a target, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    /// sysfs directory of the lowest single device: a whole disk, an array, or a loop device whose file is not
    /// on a disk. Its counters see every byte, whoever asked for it.
    pub device: PathBuf,
    /// Number of that device; `None` when it is not told.
    pub number: Option<DeviceNumber>,
    /// Types of what lies above it, and of itself when software makes it, outermost first.
    pub stack: Vec<String>,
    /// What it is.
    pub bottom: Bottom,
}

/// What the lowest device of a target is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bottom {
    /// One disk: the device itself.
    Disk,
    /// An array: sysfs directories of the disks below it, each once.
    Array(Vec<PathBuf>),
    /// A file in memory: type of the file system that holds it.
    Memory(String),
    /// A file on another machine.
    Network,
    /// Not told.
    Unseen,
}

/// Where a loop device's file lies.
enum FilePlace {
    /// On a file system of this type on this device.
    Device(String, DeviceNumber),
    Memory(String),
    Network,
    Unseen,
}

impl Ground {
    /// Goes down from a device; `None` when the kernel knows no such device.
    #[must_use]
    pub fn of(root: &SysRoot, device: DeviceNumber) -> Option<Self> {
        descend(root, topology(root, device)?, 0)
    }

    /// The disks that hold the bytes; none when they lie in no disk that is known.
    #[must_use]
    pub fn disks(&self) -> Vec<&Path> {
        match &self.bottom {
            Bottom::Disk => vec![&self.device],
            Bottom::Array(disks) => disks.iter().map(PathBuf::as_path).collect(),
            Bottom::Memory(_) | Bottom::Network | Bottom::Unseen => Vec::new(),
        }
    }

    /// Whether it is one disk, which has a name of its own.
    #[must_use]
    pub fn is_disk(&self) -> bool {
        self.bottom == Bottom::Disk
    }

    /// Type of the file system in memory that holds the bytes; `None` when they are not known to be in memory.
    #[must_use]
    pub fn in_memory(&self) -> Option<&str> {
        match &self.bottom {
            Bottom::Memory(kind) => Some(kind),
            _ => None,
        }
    }

    /// Everything about it that no measurement can show, each once.
    #[must_use]
    pub fn unproven(&self) -> Vec<Unproven> {
        let mut found = match &self.bottom {
            Bottom::Disk | Bottom::Array(_) => Vec::new(),
            Bottom::Network => vec![Unproven::NetworkVolume],
            // The loop device is named below; of an array whose disks are not seen nothing is known.
            Bottom::Memory(_) | Bottom::Unseen if self.through_loop() => Vec::new(),
            Bottom::Memory(_) | Bottom::Unseen => vec![Unproven::SoftwareDevice],
        };
        if self.through_loop() {
            found.push(Unproven::LoopDevice);
        }
        for what in self.disks().into_iter().filter_map(disk_unproven) {
            if !found.contains(&what) {
                found.push(what);
            }
        }
        found
    }

    /// Whether a loop device lies on the way.
    fn through_loop(&self) -> bool {
        self.stack.iter().any(|kind| kind == "loop")
    }

    /// Whether a disk below has platters: it says so, and nothing says that it is no real one. Virtual disks and
    /// software devices often call themselves rotational although nothing turns.
    #[must_use]
    pub fn has_platters(&self) -> bool {
        let turns = |disk: &&Path| flag(&disk.join("queue/rotational")) == Reading::Known(true);
        let attached =
            |disk: &Path| matches!(transport(disk), Transport::Sata | Transport::Scsi | Transport::Usb);
        self.disks().into_iter().filter(turns).any(|disk| attached(disk) && disk_unproven(disk).is_none())
    }

    /// Bytes per second in one direction that the links to it can carry: of a disk its narrowest link, of an
    /// array those of its disks together, which no way to arrange them exceeds.
    fn link(&self, root: &SysRoot) -> Reading<u64> {
        // A loop device slows down or answers from memory; what reaches the drive goes over its link.
        if self.unproven().iter().any(|what| *what != Unproven::LoopDevice) || self.disks().is_empty() {
            return Reading::Absent(Absent::NotSupported);
        }
        // A virtual machine's bridges need not tell the truth about a drive that is passed through.
        if host::is_virtual_machine(root) {
            return Reading::Absent(Absent::NotReported);
        }
        let together = links::together(&self.disks());
        Reading::from_option(together.filter(|rate| *rate > 0), Absent::NotReported)
    }
}

/// Bytes per second in one direction that the links to all disks of several targets can carry together; `None` when no
/// link to one of them is known.
#[must_use]
pub fn link_of_all(grounds: &[&Ground]) -> Option<u64> {
    let disks: Vec<&Path> = grounds.iter().flat_map(|ground| ground.disks()).collect();
    links::together(&disks)
}

/// Adds to a target's evidence what its drive tells; `ground` is `None` when the drive cannot be told.
pub fn complete(proof: &mut Proof, ground: Option<&Ground>, root: &SysRoot) {
    let Some(ground) = ground else {
        proof.link_bytes_per_s = Reading::Absent(Absent::NotReported);
        return;
    };
    let mut unproven = ground.unproven();
    proof.link_bytes_per_s = ground.link(root);
    if proof.link_bytes_per_s == Reading::Absent(Absent::NotReported) {
        unproven.push(Unproven::LinkSpeed);
    }
    unproven.retain(|what| !proof.unproven.contains(what));
    proof.unproven.extend(unproven);
    if let Some(kind) = ground.in_memory() {
        proof.file_system = Reading::Known(kind.to_owned());
    }
}

fn descend(root: &SysRoot, found: Topology, depth: usize) -> Option<Ground> {
    let Topology { disk, mut stack, several } = found;
    let number = number_of(&disk);
    if several {
        let mut disks = Vec::new();
        collect_disks(root, &disk, depth, &mut disks);
        let bottom = if disks.is_empty() { Bottom::Unseen } else { Bottom::Array(disks) };
        return Some(Ground { device: disk, number, stack, bottom });
    }
    if !disk.join("loop").is_dir() {
        // What software makes of nothing that is known here (zram, null_blk) is a disk that proves nothing.
        return Some(Ground { device: disk, number, stack, bottom: Bottom::Disk });
    }
    let bottom = match backing_file(root, &disk) {
        FilePlace::Device(kind, below) if depth < MAX_DEPTH => {
            if let Some(ground) = topology(root, below).and_then(|found| descend(root, found, depth + 1)) {
                stack.push(format!("{kind}-file"));
                stack.extend(ground.stack);
                return Some(Ground { stack, ..ground });
            }
            Bottom::Unseen
        }
        FilePlace::Device(..) | FilePlace::Unseen => Bottom::Unseen,
        FilePlace::Network => Bottom::Network,
        FilePlace::Memory(kind) => {
            stack.push(format!("{kind}-file"));
            Bottom::Memory(kind)
        }
    };
    Some(Ground { device: disk, number, stack, bottom })
}

/// The disks below an array, each once however many paths lead to it.
fn collect_disks(root: &SysRoot, array: &Path, depth: usize, disks: &mut Vec<PathBuf>) {
    for name in names_in(&array.join("slaves")) {
        let below = fs::canonicalize(array.join("slaves").join(name)).ok();
        let found = below.and_then(|below| topology(root, number_of(&below)?));
        let Some(ground) = found.filter(|_| depth < MAX_DEPTH).and_then(|t| descend(root, t, depth + 1))
        else {
            continue;
        };
        let name_of = |disk: &Path| text(&disk.join("device/wwid"));
        for disk in ground.disks() {
            let same = |known: &PathBuf| {
                known == disk || (name_of(disk).known().is_some() && name_of(known) == name_of(disk))
            };
            if !disks.iter().any(same) && disks.len() < MAX_MEMBERS {
                disks.push(disk.to_owned());
            }
        }
    }
}

fn number_of(device: &Path) -> Option<DeviceNumber> {
    text(&device.join("dev")).known().and_then(|text| parse_device_number(text))
}

/// Where the file of a loop device lies, from its path and the mounts of this process.
fn backing_file(root: &SysRoot, disk: &Path) -> FilePlace {
    let Reading::Known(path) = text(&disk.join("loop/backing_file")) else { return FilePlace::Unseen };
    // A file that was deleted, that this user may not see, or that lies in another container's mounts.
    if !root.path(path.trim_start_matches('/')).is_file() {
        return FilePlace::Unseen;
    }
    let Ok(mounts) = mounts::all(root) else { return FilePlace::Unseen };
    let Some(mount) = mounts::holding(&mounts, Path::new(&path)) else { return FilePlace::Unseen };
    match mount.kind.as_str() {
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => FilePlace::Memory(mount.kind.clone()),
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "9p" | "afs" | "virtiofs" => FilePlace::Network,
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "vfat" | "exfat" | "ntfs3" | "jfs"
        | "bcachefs" | "nilfs2" => match mounts::device_of(root, mount) {
            Some(number) => FilePlace::Device(mount.kind.clone(), number),
            None => FilePlace::Unseen,
        },
        // A program or an own cache answers (FUSE, overlay, ZFS).
        _ => FilePlace::Unseen,
    }
}

/// What cannot be proven on one disk; `None` when nothing is known to stand between.
fn disk_unproven(disk: &Path) -> Option<Unproven> {
    let name = disk.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = transport(disk);
    let model = text(&disk.join("device/model"));
    let model = model.known().map_or("", String::as_str);
    if is_network(disk, name, model) {
        Some(Unproven::NetworkVolume)
    } else if kind == Transport::Virtio || is_virtual_model(model) {
        Some(Unproven::VirtualDisk)
    } else if kind == Transport::Software || nvme::transport(disk).is_some_and(|kind| kind == "loop") {
        Some(Unproven::SoftwareDevice)
    } else {
        None
    }
}

/// Names under which clouds offer volumes as NVMe drives. Source: the providers' guides for telling their
/// volumes apart (Amazon EBS, Google Persistent Disk, Azure remote disks).
fn is_network(disk: &Path, name: &str, model: &str) -> bool {
    let place = disk.to_str().unwrap_or_default();
    let numbered = |part: &str, prefix: &str| {
        part.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    ["nbd", "rbd", "drbd"].iter().any(|prefix| numbered(name, prefix))
        // iSCSI sessions and Fibre Channel remote ports.
        || place.split('/').any(|part| numbered(part, "session") || numbered(part, "rport-"))
        || nvme::transport(disk).is_some_and(|kind| matches!(kind.as_str(), "tcp" | "rdma" | "fc"))
        || ["Amazon Elastic Block Store", "nvme_card-pd", "MSFT NVMe Accelerator"]
            .iter()
            .any(|known| model.starts_with(known))
}

/// Drives that a virtual machine monitor makes.
fn is_virtual_model(model: &str) -> bool {
    ["QEMU ", "VMware ", "VBOX ", "ORCL-VBOX", "Virtual Disk"].iter().any(|known| model.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;
    use model::proof::Extents;

    fn of(sys: &FakeSys, major: u32, minor: u32) -> Ground {
        Ground::of(&sys.root(), DeviceNumber { major, minor }).unwrap()
    }

    fn proof() -> Proof {
        Proof {
            direct_io: true,
            dio_memory_align: Reading::Known(512),
            dio_offset_align: Reading::Known(512),
            file_system: Reading::Absent(Absent::NotSupported),
            extents: Reading::Known(Extents::default()),
            suspended_ns: 0,
            link_bytes_per_s: Reading::Absent(Absent::NotMeasured),
            unproven: Vec::new(),
        }
    }

    fn completed(sys: &FakeSys, ground: &Ground) -> Proof {
        let mut proof = proof();
        complete(&mut proof, Some(ground), &sys.root());
        proof
    }

    /// A loop device over a file, on a partition of an NVMe drive that is mounted at `/`.
    fn machine(kind: &str) -> FakeSys {
        let sys = FakeSys::new();
        let disk = sys.disk("pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 1000);
        sys.write(&format!("{disk}/device/model"), "X\n");
        sys.link("pci0000:00/0000:00:1d.0", "16.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 4);
        sys.link("pci0000:00/0000:00:1d.0/0000:01:00.0", "16.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
        sys.partition(&disk, "nvme0n1p2", "259:2", 900);
        let file = sys.disk("virtual/block/loop3", "7:3", 100);
        sys.write(&format!("{file}/loop/backing_file"), "/images/disk.img\n");
        sys.write("images/disk.img", "");
        sys.write("proc/cpuinfo", "flags : fpu\n");
        let mounts = format!(
            "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n23 22 0:40 / /images rw - {kind} /dev/x rw\n"
        );
        sys.write(
            "proc/self/mountinfo",
            if kind.is_empty() { mounts.lines().next().unwrap() } else { &mounts },
        );
        sys
    }

    #[test]
    fn a_loop_leads_to_the_drive_that_holds_its_file() {
        let sys = machine("");
        let ground = of(&sys, 7, 3);
        assert_eq!(ground.stack, ["loop", "ext4-file", "partition"]);
        assert_eq!(ground.number, Some(DeviceNumber { major: 259, minor: 0 }));
        assert!(ground.is_disk());
        let proof = completed(&sys, &ground);
        assert_eq!(proof.link_bytes_per_s, Reading::Known(7_876_923_076));
        assert_eq!(proof.unproven, [Unproven::LoopDevice], "a file answers, whatever carries it");

        std::fs::remove_file(sys.root().path("images/disk.img")).unwrap();
        let gone = of(&sys, 7, 3);
        assert_eq!(gone.bottom, Bottom::Unseen, "whose file it was is not guessed");
        let proof = completed(&sys, &gone);
        assert_eq!(proof.unproven, [Unproven::LoopDevice]);
        assert_eq!(proof.link_bytes_per_s, Reading::Absent(Absent::NotSupported));
    }

    #[test]
    fn a_loop_over_memory_is_void_and_one_over_another_machine_unproven() {
        let sys = machine("tmpfs");
        let ground = of(&sys, 7, 3);
        assert_eq!(ground.stack, ["loop", "tmpfs-file"]);
        let proof = completed(&sys, &ground);
        assert_eq!(proof.unproven, [Unproven::LoopDevice]);
        let suite = crate::suite::find("quick", &[], crate::suite::Room::UNKNOWN).unwrap();
        let void = analysis::proof::void_reasons(&suite.methods[0], &proof, &[]);
        assert_eq!(void, [model::proof::VoidReason::FileSystem]);

        let sys = machine("nfs4");
        let proof = completed(&sys, &of(&sys, 7, 3));
        assert_eq!(proof.unproven, [Unproven::NetworkVolume, Unproven::LoopDevice]);

        let sys = machine("fuse.storage");
        let ground = of(&sys, 7, 3);
        assert_eq!(
            (ground.number, ground.bottom),
            (Some(DeviceNumber { major: 7, minor: 3 }), Bottom::Unseen)
        );
    }

    #[test]
    fn an_array_has_the_links_of_all_its_drives() {
        let sys = machine("");
        let second = sys.disk("pci0000:00/0000:00:1e.0/0000:02:00.0/nvme/nvme1/nvme1n1", "259:5", 1000);
        sys.link("pci0000:00/0000:00:1e.0", "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
        sys.link("pci0000:00/0000:00:1e.0/0000:02:00.0", "16.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
        let first = "sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1";
        let crypt = sys.mapped("dm-0", "253:0", "CRYPT-LUKS2-x", &[&format!("{first}/nvme0n1p2")]);
        let array = sys.virtual_disk("md0", "9:0", &[&crypt, &second]);
        sys.write(&format!("{array}/md/level"), "raid0\n");
        let ground = of(&sys, 9, 0);
        assert_eq!(ground.number, Some(DeviceNumber { major: 9, minor: 0 }));
        assert_eq!(ground.disks().len(), 2);
        let proof = completed(&sys, &ground);
        assert_eq!(proof.link_bytes_per_s, Reading::Known(7_876_923_076 + 3_938_461_538));
        assert_eq!(proof.unproven, []);
    }

    #[test]
    fn volumes_of_other_machines_and_monitors_are_named() {
        let sys = FakeSys::new();
        sys.write("proc/cpuinfo", "flags : fpu\n");
        sys.disk("virtual/block/nbd0", "43:0", 100);
        sys.disk("platform/host2/session1/target2:0:0/2:0:0:0/block/sdc", "8:32", 100);
        let tcp = sys.disk("virtual/nvme-fabrics/ctl/nvme2/nvme2n1", "259:9", 100);
        sys.write("sys/devices/virtual/nvme-fabrics/ctl/nvme2/transport", "tcp\n");
        let cloud = sys.disk("pci0000:00/0000:00:1f.0/nvme/nvme3/nvme3n1", "259:10", 100);
        sys.write(&format!("{cloud}/device/model"), "Amazon Elastic Block Store\n");
        let emulated = sys.disk("pci0000:00/0000:00:04.0/nvme/nvme4/nvme4n1", "259:11", 100);
        sys.write(&format!("{emulated}/device/model"), "QEMU NVMe Ctrl\n");
        sys.disk("virtual/block/zram0", "251:0", 100);
        for (major, minor, what) in [
            (43, 0, Unproven::NetworkVolume),
            (8, 32, Unproven::NetworkVolume),
            (259, 9, Unproven::NetworkVolume),
            (259, 10, Unproven::NetworkVolume),
            (259, 11, Unproven::VirtualDisk),
            (251, 0, Unproven::SoftwareDevice),
        ] {
            let proof = completed(&sys, &of(&sys, major, minor));
            assert_eq!(proof.unproven, [what], "{major}:{minor}");
            assert_eq!(proof.link_bytes_per_s, Reading::Absent(Absent::NotSupported));
        }
        assert!(tcp.ends_with("nvme2n1"));
    }

    #[test]
    fn only_real_hard_disks_have_platters() {
        let sys = FakeSys::new();
        let sata = "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        for (place, number, model, turns, platters) in [
            (sata, "8:0", "WDC WD40EFRX-68N", "1", true),
            (&sata.replace("sda", "sdb"), "8:16", "Samsung SSD 870", "0", false),
            (&sata.replace("sda", "sdc"), "8:32", "QEMU HARDDISK", "1", false),
            ("pci0000:00/0000:00:05.0/virtio2/block/vda", "252:0", "", "1", false),
            ("virtual/block/zram0", "251:0", "", "1", false),
            ("pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host3/block/sdd", "8:48", "Expansion", "1", true),
        ] {
            let disk = sys.disk(place, number, 100);
            sys.write(&format!("{disk}/device/model"), &format!("{model}\n"));
            sys.write(&format!("{disk}/queue/rotational"), &format!("{turns}\n"));
            let (major, minor) = number.split_once(':').unwrap();
            let ground = of(&sys, major.parse().unwrap(), minor.parse().unwrap());
            assert_eq!(ground.has_platters(), platters, "{place}");
        }
    }

    #[test]
    fn links_inside_a_virtual_machine_are_not_believed() {
        let sys = machine("");
        sys.write("proc/cpuinfo", "flags : fpu hypervisor\n");
        let proof = completed(&sys, &of(&sys, 259, 2));
        assert_eq!(proof.link_bytes_per_s, Reading::Absent(Absent::NotReported));
        assert_eq!(proof.unproven, [Unproven::LinkSpeed]);
    }
}
