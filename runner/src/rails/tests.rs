//! Made-up trees of sysfs, and loop devices where root may make them.

use super::*;
use crate::fake_sys::FakeSys;
use std::{
    os::unix::fs::MetadataExt as _,
    process::{Command, Stdio},
};

const MIB: u64 = 1 << 20;

fn device(sys: &FakeSys, major: u32, minor: u32) -> Result<WholeDevice, Failure> {
    WholeDevice::of_number(&sys.root(), PathBuf::from("/dev/x"), DeviceNumber { major, minor })
}

fn nvme(sys: &FakeSys) -> String {
    let disk = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n2", "259:0", 1 << 21);
    sys.write(&format!("{disk}/queue/logical_block_size"), "4096\n");
    sys.write(&format!("{disk}/device/model"), "Example NVMe 1TB\n");
    sys.write(&format!("{disk}/device/serial"), "  S1  23\n");
    sys.write(&format!("{disk}/wwid"), "eui.0025388500000000\n");
    sys.write(&format!("{disk}/nsid"), "7\n");
    sys.write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    disk
}

#[test]
fn a_device_is_known_by_what_the_kernel_says_of_it() {
    let sys = FakeSys::new();
    nvme(&sys);
    let found = device(&sys, 259, 0).unwrap();
    assert_eq!((found.name.as_str(), found.capacity_bytes, found.block_bytes), ("nvme0n2", 1 << 30, 4096));
    assert_eq!(
        found.id.to_string(),
        "Example NVMe 1TB, serial number S1 23, namespace 7, eui.0025388500000000"
    );
    assert!(found.confirmed_by("S1 23\n") && found.confirmed_by(" S1 23"));
    for wrong in ["", "S1", "s1 23", "S1 234"] {
        assert!(!found.confirmed_by(wrong), "{wrong}");
    }
    assert!(found.in_use(&sys.root()).unwrap().is_empty());
}

#[test]
fn what_is_no_whole_device_or_cannot_be_confirmed_is_refused() {
    let sys = FakeSys::new();
    let disk = nvme(&sys);
    sys.partition(&disk, "nvme0n2p1", "259:1", 1000);
    sys.disk("pci0000:00/0000:00:17.0/ata2/block/sdb", "8:16", 0);
    let zoned = sys.disk("pci0000:00/0000:00:17.0/ata3/block/sdc", "8:32", 1000);
    sys.write(&format!("{zoned}/queue/logical_block_size"), "512\n");
    sys.write(&format!("{zoned}/queue/zoned"), "host-managed\n");
    let odd = sys.disk("pci0000:00/0000:00:17.0/ata4/block/sdd", "8:48", 1000);
    sys.write(&format!("{odd}/queue/logical_block_size"), "520\n");
    for (major, minor, words) in [
        (259, 1, "is a partition"),
        (8, 16, "has no medium"),
        (8, 32, "zoned"),
        (8, 48, "blocks of 520 B"),
        (1, 1, "the kernel tells nothing"),
    ] {
        let failure = device(&sys, major, minor).unwrap_err();
        assert!(failure.text().contains(words), "{}", failure.text());
    }
    let nameless = sys.disk("virtual/block/zram0", "252:0", 1000);
    sys.write(&format!("{nameless}/queue/logical_block_size"), "4096\n");
    let failure = device(&sys, 252, 0).unwrap().confirmation().unwrap_err();
    assert_eq!(failure.exit().code(), 3);
    assert!(failure.text().contains("reports no serial number"), "{}", failure.text());
    assert!(!device(&sys, 252, 0).unwrap().confirmed_by("none"));
}

#[test]
fn every_use_is_one_sentence() {
    let sys = FakeSys::new();
    let disk = nvme(&sys);
    let part = sys.partition(&disk, "nvme0n2p1", "259:1", 1000);
    sys.mapped("dm-3", "253:3", "LVM-x", &[&part]);
    sys.write(&format!("{disk}/ro"), "1\n");
    sys.write("proc/swaps", "Filename Type Size Used Priority\n/dev/nvme0n2p1 partition 1 0 -2\n");
    sys.write("proc/self/mountinfo", "22 1 253:3 / /home/my\\040data rw - ext4 /dev/mapper/x rw\n");
    let findings = device(&sys, 259, 0).unwrap().in_use(&sys.root()).unwrap();
    assert_eq!(
        findings,
        [
            "nvme0n2, or something on it, is mounted at /home/my data.",
            "nvme0n2, or a partition of it, is in use as swap space.",
            "nvme0n2 is part of dm-3.",
            "nvme0n2 is read-only.",
            "nvme0n2 has partitions: nvme0n2p1.",
        ]
    );
}

#[test]
fn without_the_kernel_s_lists_nothing_is_taken_for_unused() {
    let sys = FakeSys::new();
    nvme(&sys);
    std::fs::remove_file(sys.root().path("proc/self/mountinfo")).unwrap();
    assert!(device(&sys, 259, 0).unwrap().in_use(&sys.root()).is_err());
}

/// A loop device over a file of its own; both go away with the value.
pub(crate) struct Loop {
    pub(crate) path: PathBuf,
    pub(crate) image: PathBuf,
    _directory: tempfile::TempDir,
}

impl Loop {
    /// `None`, said aloud, where loop devices cannot be made.
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let image = directory.path().join("image");
        File::create_new(&image).unwrap().set_len(bytes).unwrap();
        let made =
            Command::new("losetup").args(["--find", "--show"]).arg(&image).stderr(Stdio::null()).output();
        match made {
            Ok(output) if output.status.success() => {
                let path = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
                Some(Self { path, image, _directory: directory })
            }
            _ => {
                eprintln!("SKIPPED: no loop device can be made here (root is needed)");
                None
            }
        }
    }

    fn find(&self) -> WholeDevice {
        WholeDevice::find(&SysRoot::default(), &self.path).unwrap()
    }

    fn open(&self) -> Result<Empty, Failure> {
        self.find().open_empty(&SysRoot::default(), true)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let done = Command::new("losetup").arg("--detach").arg(&self.path).status();
        assert!(done.is_ok_and(|status| status.success()), "the loop device goes away");
    }
}

#[test]
fn an_empty_loop_device_is_held_exclusively_and_confirmed_by_its_inode() {
    let Some(one) = Loop::new(16 * MIB) else { return };
    let device = one.find();
    let inode = std::fs::metadata(&one.image).unwrap().ino().to_string();
    assert_eq!(device.confirmation().unwrap(), inode);
    assert_eq!(device.capacity_bytes, 16 * MIB);
    let empty = one.open().unwrap();
    assert!(empty.blank);
    let failure = one.open().unwrap_err();
    assert_eq!(failure.exit().code(), 3);
    assert!(failure.text().contains("is in use"), "{}", failure.text());
    // By another path it is the same device.
    let link = one.image.with_file_name("link");
    std::os::unix::fs::symlink(&one.path, &link).unwrap();
    assert_eq!(WholeDevice::find(&SysRoot::default(), &link).unwrap(), device);
}

#[test]
fn content_on_a_loop_device_is_seen_and_never_written_over() {
    let Some(one) = Loop::new(64 * MIB) else { return };
    for (program, arguments, what) in
        [("mkfs.ext4", &["-q", "-F"][..], "an ext2, ext3 or ext4 file system"), ("mkswap", &[], "swap space")]
    {
        let mut make = Command::new(program);
        make.args(arguments).arg(&one.path).stdout(Stdio::null()).stderr(Stdio::null());
        let made = make.status().is_ok_and(|status| status.success());
        assert!(made, "{program} belongs to every Debian system and is missing here");
        let failure = one.open().unwrap_err();
        assert_eq!(failure.exit().code(), 3);
        assert!(failure.text().contains(what) && failure.text().contains("wipefs -a"), "{}", failure.text());
        let wiped = Command::new("wipefs").arg("--all").arg(&one.path).stdout(Stdio::null()).status();
        assert!(wiped.is_ok_and(|status| status.success()));
        assert!(!one.open().unwrap().blank, "what wipefs leaves is no signature, and not nothing");
    }
}

#[test]
fn a_mounted_loop_device_is_refused() {
    let Some(one) = Loop::new(64 * MIB) else { return };
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&one.path).status();
    assert!(made.is_ok_and(|status| status.success()));
    let point = one.image.with_file_name("mount");
    std::fs::create_dir(&point).unwrap();
    let mounted = Command::new("mount").arg(&one.path).arg(&point).status();
    assert!(mounted.is_ok_and(|status| status.success()), "who makes loop devices may mount them");
    let failure = one.open();
    let unmounted = Command::new("umount").arg(&point).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    let text = failure.unwrap_err().text();
    assert!(text.contains("is mounted at") && !text.contains("wipefs"), "{text}");
}

#[test]
fn a_device_that_became_another_one_is_refused() {
    let Some(one) = Loop::new(16 * MIB) else { return };
    let mut device = one.find();
    device.id.serial = Some("1".to_owned());
    let failure = device.open_empty(&SysRoot::default(), true).unwrap_err();
    assert!(failure.text().contains("is another device now"), "{}", failure.text());
}
