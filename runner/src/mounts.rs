//! What is mounted where, and with which of the options that may be published.
//!
//! Source: Linux `proc_pid_mountinfo(5)`. Knows nothing of devices beyond their numbers.

use crate::{
    counters::DeviceNumber,
    sysfs::{SysRoot, names_in, parse_device_number, text},
};
use std::{
    ffi::OsString,
    fs, io,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::MetadataExt as _,
    },
    path::{Path, PathBuf},
};

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The device of its files; anonymous (major 0) for btrfs and for file systems without a device.
    pub device: DeviceNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its type, `ext4`.
    pub kind: String,
    /// What was mounted, `/dev/nvme0n1p2`.
    pub source: PathBuf,
    /// Options of this mount and of the file system.
    pub options: Vec<String>,
}

impl Mount {
    /// Whether files can be written there.
    #[must_use]
    pub fn writable(&self) -> bool {
        !self.options.iter().any(|option| option == "ro")
    }
}

/// All mounts, in the kernel's order.
///
/// # Errors
/// When the kernel's list cannot be read.
pub fn all(root: &SysRoot) -> io::Result<Vec<Mount>> {
    let text = fs::read(root.path("proc/self/mountinfo"))?;
    Ok(text.split(|byte| *byte == b'\n').filter_map(parse).collect())
}

/// The block device that holds a mount's files; `None` when there is none, or when there are several. Btrfs gives
/// its files an anonymous device: what was mounted tells the real one, unless the file system lies on more.
#[must_use]
pub fn device_of(root: &SysRoot, mount: &Mount) -> Option<DeviceNumber> {
    if mount.device.major != 0 {
        return Some(mount.device);
    }
    let name = mount.source.file_name()?.to_str()?;
    is_device_path(&mount.source, name).then_some(())?;
    let several = names_in(&root.path("sys/fs/btrfs")).into_iter().any(|volume| {
        let devices = names_in(&root.path("sys/fs/btrfs").join(volume).join("devices"));
        devices.len() > 1 && devices.iter().any(|device| device == name)
    });
    let number = text(&root.path("sys/class/block").join(name).join("dev"));
    number.known().filter(|_| !several).and_then(|number| parse_device_number(number))
}

/// The block device that holds a file or directory without links in its path; `None` when there is none, or
/// several.
#[must_use]
pub fn device_below(root: &SysRoot, path: &Path) -> Option<DeviceNumber> {
    let found = fs::metadata(path).ok()?.dev();
    let own = DeviceNumber { major: rustix::fs::major(found), minor: rustix::fs::minor(found) };
    if own.major != 0 {
        return Some(own);
    }
    device_of(root, holding(&all(root).ok()?, path)?)
}

/// The mount that holds `path`, which must have no links in it: the last one on the longest prefix.
#[must_use]
pub fn holding<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    // `max_by_key` yields the last of equals: the mount that lies on top.
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.as_os_str().len())
}

fn parse(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let separator = fields.iter().position(|field| *field == b"-")?;
    let text = |index: usize| std::str::from_utf8(fields.get(index)?).ok();
    let path = |index: usize| Some(PathBuf::from(OsString::from_vec(unescape(fields.get(index)?))));
    let options = [text(5)?, text(separator + 3)?];
    Some(Mount {
        device: parse_device_number(text(2)?)?,
        point: path(4)?,
        kind: text(separator + 1)?.to_owned(),
        source: path(separator + 2)?,
        options: options.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect(),
    })
}

/// Spaces, tabs, line ends and backslashes stand there as three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let code =
            tail.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            out.push(byte);
            rest = &tail[3..];
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    out
}

/// Options that say how a file system works and nothing about its owner.
const WITHOUT_VALUE: [&str; 27] = [
    "autodefrag",
    "barrier",
    "dax",
    "delalloc",
    "dioread_lock",
    "dioread_nolock",
    "dirsync",
    "discard",
    "inode64",
    "journal_async_commit",
    "journal_checksum",
    "largeio",
    "lazytime",
    "noatime",
    "nobarrier",
    "nodatacow",
    "nodatasum",
    "nodelalloc",
    "nodiratime",
    "nodiscard",
    "norecovery",
    "relatime",
    "ro",
    "rw",
    "ssd",
    "strictatime",
    "sync",
];
const WITH_VALUE: [&str; 15] = [
    "active_logs",
    "alloc_mode",
    "barrier",
    "commit",
    "compress",
    "compress-force",
    "compress_algorithm",
    "data",
    "discard",
    "logbsize",
    "logbufs",
    "mode",
    "stripe",
    "sunit",
    "swidth",
];

/// The options that may be published, sorted, each once.
#[must_use]
pub fn publishable(options: &[String]) -> Vec<String> {
    let plain_value = |value: &str| {
        (1..=20).contains(&value.len())
            && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-' | b'_' | b'.'))
    };
    let mut kept: Vec<String> = options
        .iter()
        .filter(|option| match option.split_once('=') {
            None => WITHOUT_VALUE.contains(&option.as_str()) || *option == "compress",
            Some((name, value)) => WITH_VALUE.contains(&name) && plain_value(value),
        })
        .cloned()
        .collect();
    kept.sort();
    kept.dedup();
    kept
}

/// Whether a path names a device file directly below `/dev` with this name.
#[must_use]
pub fn is_device_path(path: &Path, name: &str) -> bool {
    path.as_os_str().as_bytes() == [b"/dev/", name.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,discard,resuid=65534
30 22 0:31 /@home /home rw,noatime - btrfs /dev/sda1 rw,compress=zstd:3,ssd,subvol=/@home
31 22 259:3 / /mnt/my\\040drive ro,nosuid shared:2 master:1 - xfs /dev/nvme0n1p3 rw,logbsize=32k
32 22 0:40 / /mnt/my\\040drive rw - tmpfs tmpfs rw,size=1g,uid=1000
";

    fn mounts() -> Vec<Mount> {
        LINES.lines().filter_map(|line| parse(line.as_bytes())).collect()
    }

    #[test]
    fn the_innermost_and_last_mount_holds_a_path() {
        let mounts = mounts();
        assert_eq!(mounts.len(), 4);
        let kind = |path: &str| holding(&mounts, Path::new(path)).unwrap().kind.as_str();
        assert_eq!(kind("/var/tmp"), "ext4");
        assert_eq!(kind("/home/x"), "btrfs");
        assert_eq!(kind("/mnt/my drive/x"), "tmpfs");
        assert_eq!(kind("/mnt/my drive2"), "ext4");
        assert!(!mounts[2].writable() && mounts[3].writable());
    }

    #[test]
    fn btrfs_is_found_by_what_was_mounted_unless_it_has_several_devices() {
        let sys = crate::fake_sys::FakeSys::new();
        sys.write("sys/class/block/sda1/dev", "8:1\n");
        sys.write("sys/fs/btrfs/0123/devices/sda1/size", "1\n");
        let mounts = mounts();
        let of = |index: usize| device_of(&sys.root(), &mounts[index]);
        assert_eq!(of(0), Some(DeviceNumber { major: 259, minor: 2 }));
        assert_eq!(of(1), Some(DeviceNumber { major: 8, minor: 1 }));
        assert_eq!(of(3), None);
        sys.write("sys/fs/btrfs/0123/devices/sdb/size", "1\n");
        assert_eq!(of(1), None);
    }

    #[test]
    fn only_harmless_options_are_published() {
        let options = |index: usize| publishable(&mounts()[index].options);
        assert_eq!(options(0), ["discard", "relatime", "rw"]);
        assert_eq!(options(1), ["compress=zstd:3", "noatime", "rw", "ssd"]);
        assert_eq!(options(3), ["rw"]);
        assert!(publishable(&["compress=/home/me".to_owned(), "data=".to_owned()]).is_empty());
    }
}
