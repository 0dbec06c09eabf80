//! The file or device that is measured: opened or made safely, and the evidence of where its bytes lie.
//!
//! A file made here has no name from its first moment on, so it goes away however the program ends. A file that was
//! there before is never resized, refilled or deleted. Knows nothing of cells and drives.

mod error;
mod extents;
mod file_system;
mod fill;

use crate::{
    clock::monotonic_ns, counters::DeviceNumber, drive::ground::Ground, engine::Slots, hint::note,
    leftovers::Noted, mounts, rails::WholeDevice, state::StateDir, stop::StopFlag, suite::Room,
    sysfs::SysRoot, trim,
};
pub use error::{TargetError, Written};
use file_system::{Keeps, by_magic};
use fill::Unfilled;
use model::{
    document::{Preparation, Target, TargetKind},
    method::DataKind,
    proof::{Extents, Proof, Unproven},
    reading::{Absent, Reading},
};
use rustix::{
    fs::{
        Access, AtFlags, FallocateFlags, FileType, Mode, OFlags, Statx, StatxFlags, accessat, fallocate,
        fstatfs, fstatvfs, open, openat, statx, unlinkat,
    },
    io::Errno,
    process::{Resource, getrlimit},
};
use std::{
    fs::File,
    ops::Range,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::FileExt,
    },
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file or a whole device, open for direct I/O.
#[derive(Debug)]
pub struct OpenTarget {
    file: Arc<File>,
    path: PathBuf,
    kind: TargetKind,
    span_bytes: u64,
    /// Bytes from the span's beginning on that are known to hold data.
    written_bytes: u64,
    writable: bool,
    without_atime: bool,
    mount_options: Vec<String>,
    /// The file system as it was before the test file; `None` for a device.
    before: Option<Space>,
    /// The device itself, when the target is a whole one.
    device: Option<WholeDevice>,
}

/// Space of a file system, bytes.
#[derive(Debug, Clone, Copy)]
struct Space {
    total: u64,
    used: u64,
    /// What this user may still allocate.
    free: u64,
    /// What is handed out at a time.
    block: u64,
}

impl Space {
    fn of(file: BorrowedFd<'_>) -> Result<Self, Errno> {
        let found = fstatvfs(file)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Self {
            total: bytes(found.f_blocks),
            used: bytes(found.f_blocks.saturating_sub(found.f_bfree)),
            free: bytes(found.f_bavail),
            block: found.f_bsize,
        })
    }

    /// What stays free, bytes.
    fn reserve(self, reserve: Reserve) -> u64 {
        match reserve {
            Reserve::Usual => (self.total / 20).max((2 << 30).min(self.total / 4)),
            Reserve::Least => self.total / LEAST_PART,
        }
    }
}

/// The part of a file system that stays free in any case, as a divisor.
pub(crate) const LEAST_PART: u64 = 100;

/// How much stays free for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserve {
    /// 5 %, at least 2 GiB, but no more than a quarter of a small file system.
    Usual,
    /// 1 %: whoever wants the drive nearly full says so.
    Least,
}

/// Refuses a directory in which no test file of this size can be made or measured, before anything is.
///
/// # Errors
/// With the reason and what to do.
pub fn check_directory(dir: &Path, size_bytes: u64, reserve: Reserve) -> Result<(), TargetError> {
    open_directory(dir, size_bytes, reserve).map(drop)
}

/// How much can be written in a directory, and how large its file system is; `None` when it cannot be asked.
#[must_use]
pub fn room(dir: &Path) -> Option<Room> {
    let handle = open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let space = Space::of(handle.as_fd()).ok()?;
    Some(Room {
        total: space.used.saturating_add(space.free),
        free: space.free.saturating_sub(space.reserve(Reserve::Usual)),
        device: false,
        in_virtual_time: false,
    })
}

/// Bytes in use on the file system that holds a directory, and those that can be in use by this user; `None` when it
/// cannot be asked.
pub(crate) fn space(dir: &Path) -> Option<(u64, u64)> {
    let handle = open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    Space::of(handle.as_fd()).ok().map(|space| (space.used, space.used.saturating_add(space.free)))
}

fn open_directory(dir: &Path, size_bytes: u64, reserve: Reserve) -> Result<(OwnedFd, Space), TargetError> {
    if size_bytes < 1 << 20 || !size_bytes.is_multiple_of(fill::GRAIN) {
        return Err(TargetError::Size(size_bytes));
    }
    let fail = |errno| TargetError::from_open(dir, errno);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let handle = open(dir, flags, Mode::empty()).map_err(fail)?;
    let magic = magic_of(handle.as_fd()).map_err(fail)?;
    let path = dir.to_owned();
    match by_magic(magic) {
        Some((_, Keeps::OnDrive)) => {}
        Some((name, Keeps::InMemory)) => return Err(TargetError::InMemory(path, name)),
        Some((name, Keeps::OnNetwork)) => return Err(TargetError::OnNetwork(path, name)),
        Some((name, Keeps::BehindCache)) => return Err(TargetError::BehindCache(path, name)),
        None => return Err(TargetError::UnknownFileSystem(path, magic)),
    }
    // A file without a name needs the same rights as one with a name.
    accessat(&handle, c".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty()).map_err(fail)?;
    if let Some(limit) = getrlimit(Resource::Fsize).current.filter(|limit| *limit < size_bytes) {
        return Err(TargetError::FileLimit { size: size_bytes, limit });
    }
    let space = Space::of(handle.as_fd()).map_err(fail)?;
    let (free, reserve) = (space.free, space.reserve(reserve));
    if free.saturating_sub(reserve) < size_bytes {
        return Err(TargetError::TooLittleSpace { size: size_bytes, free, reserve });
    }
    Ok((handle, space))
}

impl OpenTarget {
    /// Makes a new file without a name in `dir`, reserved and not yet written: [`OpenTarget::fill`] it before
    /// it is measured.
    ///
    /// # Errors
    /// When the directory is refused, cannot be written, or has no room. No file is left.
    pub fn create_in(dir: &Path, size_bytes: u64) -> Result<Self, TargetError> {
        Self::create_reserving(dir, size_bytes, Reserve::Usual)
    }

    /// As [`OpenTarget::create_in`], leaving so much free.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn create_reserving(
        dir: &Path,
        size_bytes: u64,
        reserve: Reserve,
    ) -> Result<Self, TargetError> {
        let (handle, before) = open_directory(dir, size_bytes, reserve)?;
        let file =
            File::from(make_nameless(handle.as_fd(), dir).map_err(|e| TargetError::from_open(dir, e))?);
        match fallocate(&file, FallocateFlags::empty(), 0, size_bytes) {
            // Without it a file that does not fit is noticed while it is written.
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(TargetError::from_write(Written::File, errno.into())),
        }
        let target = Self {
            file: Arc::new(file),
            path: dir.to_owned(),
            kind: TargetKind::NewFile,
            span_bytes: size_bytes,
            written_bytes: 0,
            writable: true,
            without_atime: true,
            mount_options: mount_options(dir),
            before: Some(before),
            device: None,
        };
        let (memory, offset) = target.alignment()?;
        if memory == Reading::Known(0) || offset == Reading::Known(0) {
            return Err(TargetError::NoDirectIo(dir.to_owned()));
        }
        Ok(target)
    }

    /// Writes a new file full of `data`; for what cannot be made, random data. `progress` hears the bytes written
    /// so far.
    ///
    /// # Errors
    /// When it is stopped, or the file cannot be written or becomes full.
    pub fn fill(
        &mut self,
        data: DataKind,
        progress: &mut dyn FnMut(u64),
        stop: &StopFlag,
    ) -> Result<Preparation, TargetError> {
        let elapsed_ns = self.write_range(0..self.span_bytes, data, progress, stop)?;
        self.probe()?;
        self.written_bytes = self.span_bytes;
        Ok(Preparation { bytes: self.span_bytes, elapsed_ns })
    }

    /// Writes random data to a part of a device that lies outside the span.
    ///
    /// # Errors
    /// When it is stopped, or the device cannot be written.
    pub(crate) fn fill_range(
        &self,
        range: Range<u64>,
        progress: &mut dyn FnMut(u64),
        stop: &StopFlag,
    ) -> Result<(), TargetError> {
        self.write_range(range, DataKind::Random, progress, stop).map(drop)
    }

    /// Writes a range full and flushes it; yields the time it took, nanoseconds.
    fn write_range(
        &self,
        range: Range<u64>,
        data: DataKind,
        progress: &mut dyn FnMut(u64),
        stop: &StopFlag,
    ) -> Result<u64, TargetError> {
        let what = if self.device.is_some() { Written::Device } else { Written::File };
        let seed = getrandom::u64().map_err(|_| TargetError::NoRandom(what))?;
        let content = fill::Content { data, seed };
        let started_ns = monotonic_ns();
        fill::fill(&self.file, range, content, progress, stop).map_err(|end| match end {
            Unfilled::Stopped => TargetError::Stopped,
            Unfilled::Failed(error) => TargetError::from_write(what, error),
        })?;
        self.file.sync_all().map_err(|error| TargetError::from_write(what, error))?;
        Ok(monotonic_ns() - started_ns)
    }

    /// Begins anew on the first `span_bytes` of the device: nothing is written yet.
    pub(crate) fn begin_anew(&mut self, span_bytes: u64) {
        self.span_bytes = span_bytes;
        self.written_bytes = 0;
    }

    /// Bytes from the span's beginning on that are known to hold data.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// A cell has written the span up to there.
    pub(crate) fn wrote_up_to(&mut self, bytes: u64) {
        self.written_bytes = self.written_bytes.max(bytes.min(self.span_bytes));
    }

    /// Hands the first `bytes` of the device back to it.
    ///
    /// # Errors
    /// When the device cannot do that.
    pub(crate) fn discard(&self, bytes: u64) -> std::io::Result<u64> {
        trim::device(self.file.as_fd(), bytes)
    }

    /// Opens a regular file that is there, for reading or for overwriting in place. A link is followed for reading
    /// only.
    ///
    /// # Errors
    /// When it is no regular file, holds too little, may not be opened, or allows no direct I/O.
    pub fn open_existing(path: &Path, write: bool) -> Result<Self, TargetError> {
        let fail = |errno| match errno {
            Errno::LOOP if write => TargetError::Link(path.to_owned()),
            errno => TargetError::from_open(path, errno),
        };
        let (access, follow) = if write {
            (OFlags::RDWR | OFlags::NOFOLLOW, AtFlags::SYMLINK_NOFOLLOW)
        } else {
            (OFlags::RDONLY, AtFlags::empty())
        };
        // Asked before opening: opening some devices does something to them.
        let kind = |found: &Statx| FileType::from_raw_mode(found.stx_mode.into());
        let is_file = |found: &Statx| kind(found) == FileType::RegularFile;
        let found = statx(rustix::fs::CWD, path, follow, StatxFlags::TYPE).map_err(fail)?;
        if kind(&found) == FileType::Symlink {
            return Err(TargetError::Link(path.to_owned()));
        }
        if !is_file(&found) {
            return Err(TargetError::NotAFile(path.to_owned()));
        }
        let flags = access | OFlags::DIRECT | OFlags::CLOEXEC;
        let (file, without_atime) = match open(path, flags | OFlags::NOATIME, Mode::empty()) {
            // Only a file's owner may leave its access time alone.
            Err(Errno::PERM) => (open(path, flags, Mode::empty()).map_err(fail)?, false),
            other => (other.map_err(fail)?, true),
        };
        let found =
            statx(&file, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE | StatxFlags::SIZE).map_err(fail)?;
        if !is_file(&found) {
            return Err(TargetError::NotAFile(path.to_owned()));
        }
        if found.stx_size < fill::GRAIN {
            return Err(TargetError::Empty(path.to_owned()));
        }
        let before = Space::of(file.as_fd()).map_err(fail)?;
        let target = Self {
            file: Arc::new(File::from(file)),
            path: path.to_owned(),
            kind: TargetKind::ExistingFile,
            span_bytes: found.stx_size,
            written_bytes: found.stx_size,
            writable: write,
            without_atime,
            mount_options: mount_options(path),
            before: Some(before),
            device: None,
        };
        target.probe()?;
        Ok(target)
    }

    /// The first `span_bytes` of a whole device, through a handle that was opened behind the rails. It is
    /// [`OpenTarget::fill`]ed before it is measured, or only read as it is.
    ///
    /// # Errors
    /// When the device is smaller, or allows no direct I/O.
    pub fn on_device(
        device: &WholeDevice,
        file: File,
        span_bytes: u64,
        write: bool,
    ) -> Result<Self, TargetError> {
        if span_bytes > device.capacity_bytes || span_bytes < fill::GRAIN {
            return Err(TargetError::Span { span: span_bytes, capacity: device.capacity_bytes });
        }
        let target = Self {
            file: Arc::new(file),
            path: device.path.clone(),
            kind: TargetKind::Device,
            span_bytes,
            // What is there may be read as it is.
            written_bytes: span_bytes,
            writable: write,
            without_atime: false,
            mount_options: Vec::new(),
            before: None,
            device: Some(device.clone()),
        };
        target.probe()?;
        Ok(target)
    }

    /// Whether neither the first block, nor one in the middle, nor the last can be read: not a bad block, but a drive
    /// that is gone.
    pub(crate) fn answers_nowhere(&self) -> bool {
        let block = self.offset_align().max(4096);
        let last = (self.span_bytes / u64::from(block)).saturating_sub(1);
        let Ok(mut slots) = Slots::new(1, block) else { return false };
        [0, last / 2, last]
            .into_iter()
            .all(|index| !matches!(self.file.read_at(slots.slot(0), index * u64::from(block)), Ok(1..)))
    }

    /// Reads the first block directly: opening alone proves nothing.
    fn probe(&self) -> Result<(), TargetError> {
        let read_error = |error| TargetError::Read(self.path.clone(), error);
        let mut slots = Slots::new(1, self.offset_align().max(4096)).map_err(read_error)?;
        match self.file.read_at(slots.slot(0), 0) {
            Ok(1..) => Ok(()),
            Ok(0) => Err(TargetError::Empty(self.path.clone())),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                Err(TargetError::NoDirectIo(self.path.clone()))
            }
            Err(error) => Err(read_error(error)),
        }
    }

    /// Bytes from which offsets are taken: the file's size, or the part of the device.
    #[must_use]
    pub fn span_bytes(&self) -> u64 {
        self.span_bytes
    }

    /// The target as the document describes it.
    #[must_use]
    pub fn describe(&self) -> Target {
        Target {
            kind: self.kind,
            file_system: self.file_system().known().cloned(),
            mount_options: self.mount_options.clone(),
            file_system_bytes: self.before.map(|space| space.total),
            file_system_used_bytes: self.before.map(|space| space.used),
            file_system_block_bytes: self.before.map(|space| space.block),
        }
    }

    /// The evidence of this moment; extents are read anew. Sleep and the nature of the drive are not
    /// known here.
    ///
    /// # Errors
    /// When the file cannot be asked any more.
    pub fn proof(&self) -> Result<Proof, TargetError> {
        let (dio_memory_align, dio_offset_align) = self.alignment()?;
        let extents = if self.device.is_some() {
            // A device has no extents: that its span was written is known from the fill alone.
            Reading::Absent(Absent::NotSupported)
        } else {
            match extents::of_file(self.file.as_fd(), self.written_bytes) {
                Ok(extents) => Reading::Known(extents),
                Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::INVAL) => Reading::Absent(Absent::NotSupported),
                Err(errno) => return Err(TargetError::Open(self.path.clone(), errno.into())),
            }
        };
        let mut unproven = Vec::new();
        for (missing, what) in [
            (self.counted_device().is_none(), Unproven::DeviceCounters),
            (dio_offset_align.known().is_none(), Unproven::DirectIoAlignment),
            (extents.known().is_none() && self.device.is_none(), Unproven::Extents),
        ] {
            if missing {
                unproven.push(what);
            }
        }
        Ok(Proof {
            // A target without it is never opened: `open` asks for it and `probe` has used it.
            direct_io: true,
            dio_memory_align,
            dio_offset_align,
            file_system: self.file_system(),
            extents,
            suspended_ns: 0,
            link_bytes_per_s: Reading::Absent(Absent::NotMeasured),
            unproven,
        })
    }

    /// The block device that the file system says its files are on, a partition or a whole one; `None` when
    /// it names none (btrfs, overlay).
    #[must_use]
    pub fn block_device(&self) -> Option<DeviceNumber> {
        if let Some(device) = &self.device {
            return Some(device.number);
        }
        let found = statx(&self.file, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE).ok()?;
        (found.stx_dev_major != 0)
            .then_some(DeviceNumber { major: found.stx_dev_major, minor: found.stx_dev_minor })
    }

    /// The device whose counters see every byte of the target and of all others on its drive.
    pub(crate) fn counted_device(&self) -> Option<DeviceNumber> {
        let root = SysRoot::default();
        self.ground(&root).and_then(|ground| ground.number).or_else(|| self.block_device())
    }

    /// What carries the target's bytes at the bottom; `None` when it cannot be told.
    #[must_use]
    pub fn ground(&self, root: &SysRoot) -> Option<Ground> {
        let device = self.block_device().or_else(|| {
            let path = std::fs::canonicalize(&self.path).ok()?;
            mounts::device_below(root, &path)
        })?;
        Ground::of(root, device)
    }

    pub(crate) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    pub(crate) fn writable(&self) -> bool {
        self.writable
    }

    /// Whether reads leave the file's access time alone.
    pub(crate) fn without_atime(&self) -> bool {
        self.without_atime
    }

    /// What offsets and block sizes must be a multiple of, bytes.
    pub(crate) fn offset_align(&self) -> u32 {
        match self.alignment() {
            Ok((_, Reading::Known(align))) if align > 0 => align,
            _ => 512,
        }
    }

    fn alignment(&self) -> Result<(Reading<u32>, Reading<u32>), TargetError> {
        let found = statx(&self.file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)
            .map_err(|errno| TargetError::Open(self.path.clone(), errno.into()))?;
        Ok(if found.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
            if let Some(device) = &self.device {
                // Older kernels answer for files only. A device's I/O is aligned to its blocks, that of memory to
                // no more than that.
                return Ok((Reading::Absent(Absent::NotReported), Reading::Known(device.block_bytes)));
            }
            (Reading::Absent(Absent::NotReported), Reading::Absent(Absent::NotReported))
        } else {
            (Reading::Known(found.stx_dio_mem_align), Reading::Known(found.stx_dio_offset_align))
        })
    }

    fn file_system(&self) -> Reading<String> {
        if self.device.is_some() {
            return Reading::Absent(Absent::NotSupported);
        }
        magic_of(self.file.as_fd())
            .ok()
            .and_then(by_magic)
            .map_or(Reading::Absent(Absent::NotReported), |(name, _)| Reading::Known(name.to_owned()))
    }
}

/// Opens a new file that never has a name; its file system must know such files.
///
/// # Errors
/// `EOPNOTSUPP` and others of the kernel.
pub(crate) fn nameless(dir: BorrowedFd<'_>) -> Result<File, Errno> {
    openat(dir, c".", NEW_FILE | OFlags::TMPFILE, OWNER_ONLY).map(File::from)
}

/// Where the bytes of many files lie, each up to so many bytes.
///
/// # Errors
/// When one cannot be asked.
pub(crate) fn extents_of<'a>(
    files: impl IntoIterator<Item = (&'a File, u64)>,
) -> Result<Reading<Extents>, Errno> {
    let mut all = Extents::default();
    for (file, bytes) in files {
        match extents::of_file(file.as_fd(), bytes) {
            Ok(one) => all = all.with(one),
            Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::INVAL) => {
                return Ok(Reading::Absent(Absent::NotSupported));
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(Reading::Known(all))
}

/// The same of both together; unknown when one is.
pub(crate) fn joined_extents(a: Reading<Extents>, b: Reading<Extents>) -> Reading<Extents> {
    match (a, b) {
        (Reading::Known(a), Reading::Known(b)) => Reading::Known(a.with(b)),
        (Reading::Absent(why), _) | (_, Reading::Absent(why)) => Reading::Absent(why),
    }
}

/// Opens a new file that has no name, or loses it at once where the file system knows no nameless files.
fn make_nameless(dir: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    match openat(dir, c".", NEW_FILE | OFlags::TMPFILE, OWNER_ONLY) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => {}
        other => return other,
    }
    let number = getrandom::u64().map_err(|_| Errno::IO)?;
    let name = format!(".cliffmark-{number:016x}");
    let noted = StateDir::of_user()
        .map_err(|failure| failure.to_string())
        .and_then(|state| Noted::before(&state, &path.join(&name)).map_err(|error| error.to_string()));
    if let Err(why) = &noted {
        note(&format!("the test file {name} has a name for a moment and cannot be noted as ours: {why}"));
    }
    make_and_unlink(dir, &name, noted.ok())
}

const NEW_FILE: OFlags =
    OFlags::RDWR.union(OFlags::DIRECT).union(OFlags::NOATIME).union(OFlags::CLOEXEC).union(OFlags::EXCL);
const OWNER_ONLY: Mode = Mode::RUSR.union(Mode::WUSR);

/// Makes a new file under a name and takes the name away; the note is struck out when the name is gone.
fn make_and_unlink(dir: BorrowedFd<'_>, name: &str, mut noted: Option<Noted>) -> Result<OwnedFd, Errno> {
    let file = match openat(dir, name, NEW_FILE | OFlags::CREATE | OFlags::NOFOLLOW, OWNER_ONLY) {
        Ok(file) => file,
        Err(errno) => {
            Noted::strike_out(noted);
            return Err(errno);
        }
    };
    if let Some(noted) = &mut noted {
        // The name is taken away right below; only a kill in between would need this.
        let _ = noted.made(&file);
    }
    // A file that keeps its name keeps its note.
    unlinkat(dir, name, AtFlags::empty())?;
    Noted::strike_out(noted);
    Ok(file)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "magic numbers have 32 bits, whatever the width of the field"
)]
fn magic_of(file: BorrowedFd<'_>) -> Result<u32, Errno> {
    Ok(fstatfs(file)?.f_type as u32)
}

/// The publishable options of the mount that holds `path`; none when the kernel's list cannot be read.
fn mount_options(path: &Path) -> Vec<String> {
    let mounts = mounts::all(&SysRoot::default()).unwrap_or_default();
    std::fs::canonicalize(path)
        .ok()
        .and_then(|path| mounts::holding(&mounts, &path).map(|mount| mounts::publishable(&mount.options)))
        .unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
