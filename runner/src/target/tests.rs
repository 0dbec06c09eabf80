//! Real files on the disk that holds the checkout, and small file systems where root may mount them.

use super::*;
use model::proof::Extents;
use std::{
    collections::HashSet,
    fs, io,
    os::unix::fs::MetadataExt,
    process::{Command, Stdio},
};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// A directory on the disk that holds the checkout; `None`, said aloud, where that cannot be measured.
pub(crate) fn disk_dir() -> Option<TempDir> {
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    fs::create_dir_all(target).expect("the build directory can be written");
    let dir = tempfile::tempdir_in(target).expect("the build directory can be written");
    match check_directory(dir.path(), 8 * MIB, Reserve::Usual) {
        Ok(()) => Some(dir),
        Err(error) => {
            skipped(&error.to_string());
            None
        }
    }
}

pub(crate) fn skipped(why: &str) {
    use std::io::Write as _;
    // Past the test harness, which would keep it back: `cargo xtask test` counts and repeats these lines.
    writeln!(std::io::stdout().lock(), "SKIPPED: {why}").expect("standard output is open");
}

/// A new file of `size` bytes in `dir`, written full.
fn filled(dir: &Path, size: u64) -> Result<OpenTarget, TargetError> {
    let mut target = OpenTarget::create_in(dir, size)?;
    target.fill(DataKind::Random, &mut |_| (), &StopFlag::default())?;
    Ok(target)
}

/// A new target of `size` bytes in `dir`.
pub(crate) fn new_target(dir: &Path, size: u64) -> OpenTarget {
    filled(dir, size).expect("the disk has room")
}

/// Everything that a target holds, read directly.
pub(crate) fn content(target: &OpenTarget) -> Vec<u8> {
    let mut slots = Slots::new(1, 1 << 20).unwrap();
    let mut all = Vec::new();
    while (all.len() as u64) < target.span_bytes() {
        let block = slots.slot(0);
        let bytes = target.file.read_at(block, all.len() as u64).unwrap();
        assert!(bytes > 0, "the file is as long as it says");
        all.extend_from_slice(&block[..bytes]);
    }
    all
}

/// Asserts that no two units of 4 KiB are equal and that nothing in them can be compressed.
pub(crate) fn assert_unique_and_incompressible(data: &[u8]) {
    let units: HashSet<&[u8]> = data.chunks_exact(4096).collect();
    assert_eq!(units.len(), data.len() / 4096, "every 4 KiB differs");
    for unit in units {
        let words: HashSet<&[u8]> = unit.chunks_exact(4).collect();
        assert!(words.len() > 1000, "hardly a word of four bytes comes twice: {}", words.len());
    }
}

#[test]
fn a_new_file_is_full_unique_and_nameless() {
    let Some(dir) = disk_dir() else { return };
    let size = 10 * MIB + 12_288;
    let mut seen = Vec::new();
    let (target, preparation) = {
        let mut target = OpenTarget::create_in(dir.path(), size).unwrap();
        let preparation =
            target.fill(DataKind::Random, &mut |bytes| seen.push(bytes), &StopFlag::default()).unwrap();
        (target, preparation)
    };
    assert_eq!(preparation.bytes, size);
    assert!(preparation.elapsed_ns > 0);
    assert_eq!(seen.last(), Some(&size));
    assert!(seen.is_sorted());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "the file has no name");
    assert_eq!(target.file.metadata().unwrap().nlink(), 0);
    let data = content(&target);
    assert_eq!(data.len() as u64, size);
    assert_unique_and_incompressible(&data);

    let proof = target.proof().unwrap();
    assert!(proof.direct_io);
    if let Some(extents) = proof.extents.known() {
        assert!(extents.count > 0);
        let Extents { hole_bytes, unwritten_bytes, inline_bytes, unknown_bytes, .. } = extents;
        assert_eq!((*hole_bytes, *unwritten_bytes, *inline_bytes, *unknown_bytes), (0, 0, 0, 0));
    }
    assert_eq!(target.describe().kind, TargetKind::NewFile);
    assert_eq!(target.span_bytes(), size);
}

#[test]
fn a_file_that_had_a_name_for_a_moment_leaves_neither_file_nor_note() {
    let Some(dir) = disk_dir() else { return };
    let state = StateDir::at(dir.path().join("state"));
    let handle = File::open(dir.path()).unwrap();
    let noted = Noted::before(&state, &dir.path().join("name")).unwrap();
    let file = File::from(make_and_unlink(handle.as_fd(), "name", Some(noted)).unwrap());
    assert_eq!(file.metadata().unwrap().nlink(), 0);
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
    // What is there already is neither opened nor removed, and no note of it stays.
    fs::write(dir.path().join("name"), "precious").unwrap();
    let noted = Noted::before(&state, &dir.path().join("name")).unwrap();
    assert_eq!(make_and_unlink(handle.as_fd(), "name", Some(noted)).unwrap_err(), Errno::EXIST);
    assert_eq!(fs::read(dir.path().join("name")).unwrap(), b"precious");
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn a_stop_ends_the_fill_and_leaves_nothing() {
    let Some(dir) = disk_dir() else { return };
    let stop = StopFlag::default();
    let request = stop.clone();
    let error = OpenTarget::create_in(dir.path(), 64 * MIB)
        .unwrap()
        .fill(DataKind::Random, &mut |_| request.request(), &stop)
        .unwrap_err();
    assert!(matches!(error, TargetError::Stopped), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn memory_and_unknown_file_systems_are_refused() {
    let error = check_directory(Path::new("/proc"), MIB, Reserve::Usual).unwrap_err();
    assert!(matches!(error, TargetError::UnknownFileSystem(..)), "{error}");
    assert!(error.refusal());
    let shm = Path::new("/dev/shm");
    if !shm.is_dir() {
        return skipped("there is no /dev/shm here");
    }
    let error = filled(shm, MIB).unwrap_err();
    assert!(matches!(error, TargetError::InMemory(_, "tmpfs")), "{error}");
    assert!(error.refusal());
}

#[test]
fn impossible_sizes_are_refused() {
    let Some(dir) = disk_dir() else { return };
    for size in [0, 4096, MIB + 1] {
        let error = check_directory(dir.path(), size, Reserve::Usual).unwrap_err();
        assert!(matches!(error, TargetError::Size(_)), "{size}: {error}");
    }
    let error = check_directory(dir.path(), 1 << 60, Reserve::Usual).unwrap_err();
    assert!(matches!(error, TargetError::TooLittleSpace { .. }), "{error}");
    assert!(error.refusal());
}

#[test]
fn other_things_than_files_are_not_opened() {
    let Some(dir) = disk_dir() else { return };
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
        let error = OpenTarget::open_existing(path, false).unwrap_err();
        assert!(matches!(error, TargetError::NotAFile(_)), "{error}");
    }
    let error = OpenTarget::open_existing(&dir.path().join("none"), false).unwrap_err();
    assert!(matches!(error, TargetError::Missing(_)) && !error.refusal(), "{error}");
    let empty = dir.path().join("empty");
    fs::write(&empty, b"").unwrap();
    let error = OpenTarget::open_existing(&empty, false).unwrap_err();
    assert!(matches!(error, TargetError::Empty(_)), "{error}");
    let error = check_directory(&empty, MIB, Reserve::Usual).unwrap_err();
    assert!(matches!(error, TargetError::NotADirectory(_)), "{error}");
}

#[test]
fn a_link_is_followed_for_reading_only() {
    let Some(dir) = disk_dir() else { return };
    let (path, link) = (dir.path().join("file"), dir.path().join("link"));
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(OpenTarget::open_existing(&link, false).is_ok());
    let error = OpenTarget::open_existing(&link, true).unwrap_err();
    assert!(matches!(error, TargetError::Link(_)) && error.refusal(), "{error}");
    assert!(OpenTarget::open_existing(&path, true).is_ok());
}

#[test]
fn a_target_that_is_gone_is_told_from_one_with_bad_places() {
    let Some(dir) = disk_dir() else { return };
    let path = dir.path().join("file");
    fs::write(&path, vec![1; 4 << 20]).unwrap();
    let target = OpenTarget::open_existing(&path, false).unwrap();
    assert!(!target.answers_nowhere());
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 20).unwrap();
    assert!(!target.answers_nowhere(), "its start is still there");
    file.set_len(0).unwrap();
    assert!(target.answers_nowhere());
}

#[test]
fn holes_and_unwritten_extents_are_seen() {
    let Some(dir) = disk_dir() else { return };
    let extents = |name: &str, make: &dyn Fn(&File)| {
        let path = dir.path().join(name);
        make(&File::create_new(&path).unwrap());
        let target = OpenTarget::open_existing(&path, false).unwrap();
        target.proof().unwrap().extents.known().copied()
    };
    let Some(sparse) = extents("sparse", &|file| file.set_len(8 * MIB).unwrap()) else {
        return skipped("this file system does not tell where bytes lie");
    };
    assert_eq!((sparse.hole_bytes, sparse.count), (8 * MIB, 0));
    let allocated = extents("allocated", &|file| {
        fallocate(file, FallocateFlags::empty(), 0, 8 * MIB).unwrap();
        file.write_all_at(&vec![7; 1 << 20], 2 * MIB).unwrap();
    });
    assert_eq!(allocated.unwrap().unwritten_bytes, 7 * MIB);
}

#[test]
fn the_kernel_s_errors_become_sentences() {
    for (what, errno, words) in [
        (Written::File, libc::ENOSPC, "the file system became full while the test file was written"),
        (Written::File, libc::EDQUOT, "the file system became full while the test file was written"),
        (Written::File, libc::EFBIG, "`ulimit -f`"),
        (Written::File, libc::EIO, "the test file could not be written; look at the kernel's log"),
        (Written::Device, libc::ENOSPC, "the device had no space for all of its bytes"),
        (Written::Device, libc::EIO, "the device could not be written; look at the kernel's log"),
    ] {
        let error = TargetError::from_write(what, io::Error::from_raw_os_error(errno));
        assert!(error.to_string().contains(words) && !error.refusal(), "{error}");
        assert!(what == Written::File || !error.to_string().contains("test file"), "{error}");
    }
    let open = |errno| TargetError::from_open(Path::new("x"), errno);
    assert!(matches!(open(Errno::ROFS), TargetError::ReadOnly(_)));
    assert!(matches!(open(Errno::ACCESS), TargetError::Permission(_)));
    assert!(matches!(open(Errno::INVAL), TargetError::NoDirectIo(_)));
}

#[test]
fn small_file_systems_keep_their_reserve() {
    let space = |total| Space { total, used: 0, free: total, block: 4096 };
    assert_eq!(space(100 << 30).reserve(Reserve::Usual), 5 << 30);
    assert_eq!(space(16 << 30).reserve(Reserve::Usual), 2 << 30);
    assert_eq!(space(64 * MIB).reserve(Reserve::Usual), 16 * MIB);
}

/// A mounted file system that goes away with the value.
struct Mounted(TempDir);

impl Mounted {
    /// Runs `mount` with these arguments and a fresh mount point; `None`, said aloud, when it may not.
    fn new(arguments: &[&str]) -> Option<Self> {
        let point = tempfile::tempdir().unwrap();
        let run = Command::new("mount").args(arguments).arg(point.path()).stderr(Stdio::null()).status();
        if run.is_ok_and(|status| status.success()) {
            Some(Self(point))
        } else {
            skipped("no file systems can be mounted here (root is needed)");
            None
        }
    }

    /// An ext4 of `bytes` on a loop device over a sparse file in `dir`, mounted with `options`.
    fn ext4(dir: &Path, bytes: u64, options: &str) -> Option<Self> {
        let image = dir.join("image");
        File::create_new(&image).unwrap().set_len(bytes).unwrap();
        let made = Command::new("mkfs.ext4").arg("-q").arg(&image).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            skipped("there is no mkfs.ext4 here");
            return None;
        }
        Self::new(&["-o", options, image.to_str()?])
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let done = Command::new("umount").arg("--lazy").arg(self.path()).status();
        assert!(done.is_ok_and(|status| status.success()), "what was mounted can be unmounted");
    }
}

#[test]
fn a_full_file_system_ends_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mounted) = Mounted::ext4(dir.path(), 64 * MIB, "loop") else { return };
    let create = |size| filled(mounted.path(), size);
    let error = create(48 * MIB).unwrap_err();
    assert!(matches!(error, TargetError::TooLittleSpace { .. }) && error.refusal(), "{error}");
    assert!(create(8 * MIB).is_ok(), "a file that fits is made");
}

#[test]
fn a_read_only_file_system_ends_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mounted) = Mounted::ext4(dir.path(), 64 * MIB, "loop,ro") else { return };
    for error in [
        check_directory(mounted.path(), 8 * MIB, Reserve::Usual).unwrap_err(),
        filled(mounted.path(), 8 * MIB).unwrap_err(),
    ] {
        assert!(matches!(error, TargetError::ReadOnly(_)) && !error.refusal(), "{error}");
    }
}

#[test]
fn a_device_that_becomes_full_in_mid_write_leaves_no_file() {
    let Some(memory) = Mounted::new(&["-t", "tmpfs", "-o", "size=24m", "cliffmark-test"]) else { return };
    let Some(mounted) = Mounted::ext4(memory.path(), 64 * MIB, "loop") else { return };
    let names = || fs::read_dir(mounted.path()).unwrap().count();
    let before = names();
    let error = filled(mounted.path(), 32 * MIB).unwrap_err();
    assert!(matches!(error, TargetError::NoSpace(_) | TargetError::Write(..)) && !error.refusal(), "{error}");
    assert_eq!(names(), before);
}
