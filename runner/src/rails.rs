//! The rails before a whole block device: which device a path names, by what it is known, and everything for
//! which it is not touched.
//!
//! A device is written only when it is opened exclusively, nothing uses it, nothing is in sight on it, and its serial
//! number was typed. Nothing overrides this. Knows nothing of suites and cells.

mod signatures;

use crate::{
    counters::DeviceNumber,
    devices::{self, Device},
    drive,
    engine::Slots,
    hint::{Failure, printable},
    sysfs::{SysRoot, names_in, number, text, words},
};
use model::units::format_size;
use rustix::{
    fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, accessat, fstat, major, minor, open, stat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use signatures::{Ends, HEAD_BYTES, TAIL_BYTES};
use std::{
    fmt,
    fs::{self, File},
    io::{self, Seek as _, SeekFrom},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

/// What to do about a device that is held although nothing in the kernel's books uses it.
const HELD: &str = "end the program that has it open; when a run on it was just killed, try again in some seconds: the kernel still waits for its I/O";

/// By what a device is known, whatever its name in `/dev` is today. Worked out from sysfs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StableId {
    /// Model as reported; `None` when it has none.
    pub model: Option<String>,
    /// What is typed to confirm: the serial number, or for a loop device the inode number of the file behind it.
    /// `None` when it has neither.
    pub serial: Option<String>,
    /// Whether `serial` is the inode number of the file behind a loop device.
    pub inode: bool,
    /// World-wide name as the kernel writes it, `eui.…`; `None` when it has none.
    pub wwid: Option<String>,
    /// Number of the NVMe namespace; `None` for other devices.
    pub namespace: Option<u32>,
}

impl fmt::Display for StableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(model) = &self.model {
            write!(f, "{model}, ")?;
        }
        match &self.serial {
            Some(serial) => write!(f, "{} {serial}", self.what_is_typed())?,
            None => f.write_str("no serial number")?,
        }
        if let Some(namespace) = self.namespace {
            write!(f, ", namespace {namespace}")?;
        }
        self.wwid.as_ref().map_or(Ok(()), |wwid| write!(f, ", {wwid}"))
    }
}

impl StableId {
    /// What is typed to confirm, in words.
    #[must_use]
    pub fn what_is_typed(&self) -> &'static str {
        if self.inode { "inode number of its file" } else { "serial number" }
    }
}

/// A whole block device that was named as a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeDevice {
    /// The path, without links.
    #[serde(with = "crate::path_bytes")]
    pub path: PathBuf,
    /// Its number, until the next boot.
    pub number: DeviceNumber,
    /// The kernel's name, `nvme0n1`.
    pub name: String,
    /// By what it is known.
    pub id: StableId,
    /// Capacity in bytes.
    pub capacity_bytes: u64,
    /// Logical block size in bytes.
    pub block_bytes: u32,
}

impl WholeDevice {
    /// The device that a path names.
    ///
    /// # Errors
    /// When it names none, a part of one, or one that cannot be measured at all.
    pub fn find(root: &SysRoot, path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let cannot = |error: io::Error| Failure::failed(format!("cannot look at {shown}")).because(error);
        let path = fs::canonicalize(path).map_err(cannot)?;
        let found = stat(&path).map_err(|errno| cannot(errno.into()))?;
        if FileType::from_raw_mode(found.st_mode) != FileType::BlockDevice {
            return Err(Failure::usage(format!("{shown} is no block device")));
        }
        Self::of_number(root, path, number_of(found.st_rdev))
    }

    fn of_number(root: &SysRoot, path: PathBuf, device: DeviceNumber) -> Result<Self, Failure> {
        let shown = path.display();
        let directory = root.device(device).ok_or_else(|| {
            Failure::failed(format!("the kernel tells nothing of {shown}"))
                .hint("is /sys mounted here? without it nothing shows whether the device is in use")
        })?;
        let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if directory.join("partition").exists() {
            let whole = directory.parent().and_then(Path::file_name).unwrap_or_default();
            return Err(Failure::refused(format!(
                "{shown} is a partition, and only whole devices are measured"
            ))
            .hint(format!(
                "name a directory of a file system on it, or the whole device {}",
                whole.to_string_lossy()
            )));
        }
        let capacity_bytes = drive::capacity(&directory).known().copied().unwrap_or(0);
        if capacity_bytes == 0 {
            return Err(Failure::refused(format!("{shown} has no medium")));
        }
        let block_bytes = number(&directory.join("queue/logical_block_size")).known().copied().unwrap_or(0);
        if !u32::is_power_of_two(block_bytes) || block_bytes > 65_536 {
            return Err(Failure::refused(format!(
                "{shown} has blocks of {}, which cannot be measured",
                format_size(block_bytes.into())
            ))
            .hint("format its namespace with blocks of 512 or 4096 bytes"));
        }
        if text(&directory.join("queue/zoned")).known().is_some_and(|zoned| zoned == "host-managed") {
            return Err(Failure::refused(format!(
                "{shown} is a zoned device that only takes writes in order, which is not in this version"
            )));
        }
        Ok(Self { id: stable_id(&directory), path, number: device, name, capacity_bytes, block_bytes })
    }

    /// What has to be typed before it is written.
    ///
    /// # Errors
    /// When the device has nothing by which it can be confirmed.
    pub fn confirmation(&self) -> Result<&str, Failure> {
        self.id.serial.as_deref().ok_or_else(|| {
            Failure::refused(format!(
                "{} reports no serial number, so nothing shows that it is the device you mean",
                self.path.display()
            ))
            .hint("measure a directory of a file system on it instead")
        })
    }

    /// Whether this is the text to be typed.
    #[must_use]
    pub fn confirmed_by(&self, typed: &str) -> bool {
        self.id.serial.as_deref().is_some_and(|serial| serial == typed.trim())
    }

    /// Opens it for nobody else, when nothing uses it and nothing is in sight on it.
    ///
    /// # Errors
    /// When it is refused, with one sentence for everything that speaks against it, or cannot be opened.
    pub fn open_empty(&self, root: &SysRoot, write: bool) -> Result<Empty, Failure> {
        let again = Self::find(root, &self.path)?;
        if again.number != self.number || again.id != self.id {
            return Err(Failure::refused(format!(
                "{} is another device now: {} (was {})",
                self.path.display(),
                again.id,
                self.id
            )));
        }
        let in_use = self.in_use(root)?;
        if !in_use.is_empty() {
            return Err(self.refused(&in_use));
        }
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        // Without O_EXCL a mounted device opens silently.
        let flags = access | OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
        let file = match open(&self.path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::BUSY) => {
                let finding = format!("The kernel says that {} is in use.", self.name);
                return Err(self.refused(&[finding]).hint(HELD));
            }
            Err(errno) => return Err(self.cannot_open(errno)),
        };
        self.check_handle(&file)?;
        let (findings, blank) = self.look(root, &file)?;
        if !findings.is_empty() {
            return Err(self.refused(&findings).hint(format!(
                "is nothing on it needed any more? then `wipefs -a {}` erases these signatures, and all that is on it is lost",
                self.path.display()
            )));
        }
        Ok(Empty { file, blank })
    }

    /// Whether the kernel says that somebody holds it although nothing in its books uses it: another program, or the
    /// I/O of one that was just killed and is still waited for.
    #[must_use]
    pub fn is_held(&self, root: &SysRoot) -> bool {
        let exclusive = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
        self.in_use(root).is_ok_and(|uses| uses.is_empty())
            && open(&self.path, exclusive, Mode::empty()).is_err_and(|errno| errno == Errno::BUSY)
    }

    /// Whether this user may write to it.
    ///
    /// # Errors
    /// When not.
    pub fn may_be_written(&self) -> Result<(), Failure> {
        accessat(CWD, &self.path, Access::READ_OK | Access::WRITE_OK, AtFlags::empty())
            .map_err(|errno| self.cannot_open(errno))
    }

    /// Opens it for reading only, whatever is on it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_as_it_is(&self) -> Result<File, Failure> {
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        let file =
            File::from(open(&self.path, flags, Mode::empty()).map_err(|errno| self.cannot_open(errno))?);
        self.check_handle(&file)?;
        Ok(file)
    }

    fn cannot_open(&self, errno: Errno) -> Failure {
        let failure =
            Failure::failed(format!("cannot open {}", self.path.display())).because(io::Error::from(errno));
        match errno {
            Errno::ACCESS | Errno::PERM => {
                failure.hint("whole devices are opened by root; a directory on the drive needs no root")
            }
            _ => failure,
        }
    }

    fn refused(&self, findings: &[String]) -> Failure {
        Failure::refused(format!("{} is not touched", self.path.display())).because(findings.join(" "))
    }

    /// Whether a handle is what was looked at: a block device of this number.
    fn check_handle(&self, file: &File) -> Result<(), Failure> {
        let found = fstat(file).map_err(|errno| self.cannot_open(errno))?;
        let is_block = FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice;
        if is_block && number_of(found.st_rdev) == self.number {
            return Ok(());
        }
        Err(Failure::refused(format!("{} became something else while it was opened", self.path.display())))
    }

    /// One sentence for everything in the kernel's books that speaks against writing to it.
    fn in_use(&self, root: &SysRoot) -> Result<Vec<String>, Failure> {
        let Device { name, mounted, holders, swap, read_only, .. } = devices::one(root, &self.name)?;
        let mut findings = Vec::new();
        for point in &mounted {
            let point = printable(&point.to_string_lossy(), 200);
            findings.push(format!("{name}, or something on it, is mounted at {point}."));
        }
        if swap {
            findings.push(format!("{name}, or a partition of it, is in use as swap space."));
        }
        if !holders.is_empty() {
            findings.push(format!("{name} is part of {}.", holders.join(", ")));
        }
        if read_only {
            findings.push(format!("{name} is read-only."));
        }
        let directory = root.path("sys/block").join(&self.name);
        let partitions: Vec<String> = names_in(&directory)
            .into_iter()
            .filter(|entry| directory.join(entry).join("partition").exists())
            .collect();
        if !partitions.is_empty() {
            findings.push(format!("{name} has partitions: {}.", partitions.join(", ")));
        }
        let behind = text(&directory.join("loop/backing_file"));
        if let Some(behind) = behind.known()
            && fs::metadata(behind).is_ok_and(|meta| !meta.is_file())
        {
            findings.push(format!("{name} stands for another device, which is not looked at."));
        }
        Ok(findings)
    }

    /// Reads the ends of the device and of its partitions: one sentence for everything in sight, and whether all
    /// that was read is zero.
    fn look(&self, root: &SysRoot, file: &File) -> Result<(Vec<String>, bool), Failure> {
        let cannot = |error: io::Error| {
            Failure::failed(format!("cannot read {}", self.path.display()))
                .because(error)
                .hint("look at the kernel's log (`dmesg`) for errors of the drive")
        };
        let size = (&*file).seek(SeekFrom::End(0)).map_err(cannot)?;
        if size != self.capacity_bytes {
            return Err(Failure::refused(format!(
                "{} has another size now: {}, and {} a moment ago",
                self.path.display(),
                format_size(size),
                format_size(self.capacity_bytes)
            )));
        }
        let mut parts = vec![(self.name.clone(), 0, size)];
        let directory = root.path("sys/block").join(&self.name);
        for entry in names_in(&directory) {
            let sectors = |name: &str| number::<u64>(&directory.join(&entry).join(name)).known().copied();
            if directory.join(&entry).join("partition").exists()
                && let (Some(start), Some(length)) = (sectors("start"), sectors("size"))
            {
                parts.push((entry, start.saturating_mul(512), length.saturating_mul(512)));
            }
        }
        let (mut findings, mut blank) = (Vec::new(), true);
        for (name, start, length) in parts {
            let length = length.min(size.saturating_sub(start));
            let head = read(file, start, length.min(HEAD_BYTES)).map_err(cannot)?;
            let tail_bytes = length.min(TAIL_BYTES);
            let tail = read(file, start + (length - tail_bytes), tail_bytes).map_err(cannot)?;
            let ends = Ends { head: &head, tail: &tail, size: length };
            findings.extend(signatures::find(&ends).into_iter().map(|what| format!("{name} holds {what}.")));
            blank &= ends.blank();
        }
        Ok((findings, blank))
    }
}

/// A device that nothing uses and that shows no content, held exclusively.
#[derive(Debug)]
pub struct Empty {
    /// The handle; nobody else can mount or claim the device while it is open.
    pub file: File,
    /// Whether the bytes at both ends are zero, rather than something without a known signature.
    pub blank: bool,
}

fn number_of(device: u64) -> DeviceNumber {
    DeviceNumber { major: major(device), minor: minor(device) }
}

/// By what the device of a sysfs directory is known.
pub(crate) fn stable_id(directory: &Path) -> StableId {
    let (model, serial) = drive::model_and_serial(directory);
    let behind = text(&directory.join("loop/backing_file"));
    let (serial, inode) = match behind.known() {
        Some(file) => (stat(file.as_str()).ok().map(|found| found.st_ino.to_string()), true),
        None => (serial, false),
    };
    let wwid = [directory.join("wwid"), directory.join("device/wwid")]
        .iter()
        .find_map(|path| words(path, 120).known().cloned());
    StableId { model, serial, inode, wwid, namespace: number(&directory.join("nsid")).known().copied() }
}

/// Reads `length` bytes at `offset`, both multiples of the block size, past the page cache.
fn read(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    const STEP: u32 = 1 << 20;
    let mut slots = Slots::new(1, STEP)?;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        let want = usize::try_from(length - bytes.len() as u64).unwrap_or(usize::MAX).min(STEP as usize);
        let slot = &mut slots.slot(0)[..want];
        match file.read_at(slot, offset + bytes.len() as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => bytes.extend_from_slice(&slot[..count]),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
