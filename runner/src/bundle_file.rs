//! Bundles as files: read with a limit, written whole or not at all, never over another file.

use crate::{
    hint::{Failure, note, shown},
    leftovers::Noted,
    state::{StateDir, new_id},
};
use bundle::{FrameError, MAX_COMPRESSED_BYTES, OpenError, Verified};
use model::units::format_size;
use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

/// Reads a bundle's bytes.
///
/// # Errors
/// When the file cannot be read or is larger than a bundle may be.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let limit = MAX_COMPRESSED_BYTES as u64;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    match read {
        Ok(length) if length as u64 > limit => Err(Failure::failed(format!(
            "{} is larger than a bundle may be, which is {}",
            path.display(),
            format_size(limit)
        ))
        .hint(WHAT_BUNDLES_ARE)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::failed(format!("cannot read {}", path.display())).because(error)),
    }
}

/// Reads and opens a bundle: its signature is checked.
///
/// # Errors
/// When it cannot be read or is no valid bundle.
pub fn open(path: &Path) -> Result<Verified, Failure> {
    opened(path, &read(path)?)
}

/// Opens the bytes of a bundle that were read from `path`.
///
/// # Errors
/// When they are no valid bundle.
pub fn opened(path: &Path, bytes: &[u8]) -> Result<Verified, Failure> {
    bundle::open(bytes).map_err(|error| {
        let name = path.display();
        match error {
            OpenError::Frame(FrameError::Foreign) => {
                Failure::failed(format!("{name} is no bundle")).because(error).hint(WHAT_BUNDLES_ARE)
            }
            OpenError::Frame(FrameError::Truncated | FrameError::Damaged(_) | FrameError::Trailing(_)) => {
                Failure::failed(format!("{name} is no whole bundle"))
                    .because(error)
                    .hint("copy or download it again from where it was whole")
            }
            error => Failure::failed(format!("{name} is no valid bundle")).because(error),
        }
    })
}

const WHAT_BUNDLES_ARE: &str =
    "bundles are the files that `cliffmark run` writes; their names end in .cliffmark";

/// Whether a new file can be made at `path`: asked before hours of measuring, not after them.
///
/// # Errors
/// When there is a file already, or no directory that can be written to.
pub fn check_new(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path));
    }
    if path.file_name().is_none() {
        return Err(Failure::usage(format!("{name} is no file name")).hint("write --out FILE.cliffmark"));
    }
    let directory = parent(path);
    if !directory.is_dir() {
        return Err(Failure::failed(format!(
            "the bundle cannot be written: there is no directory {}",
            directory.display()
        ))
        .hint("make the directory, or choose another place with --out FILE"));
    }
    access(&directory, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        Failure::failed(format!("the bundle cannot be written into {}", directory.display()))
            .because(io::Error::from(error))
            .hint("choose another place with --out FILE")
    })
}

/// Writes a new file: complete under its name, or not there at all. Until it is complete it is noted in `state`, so
/// that `cliffmark clean` finds what a killed program leaves.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn write_new(path: &Path, bytes: &[u8], state: Option<&StateDir>) -> Result<(), Failure> {
    write(path, bytes, state).map_err(|error| cannot_write(path, error))
}

/// As [`write_new`], under the first name beside `path` that is free when the file is complete, and yields it.
///
/// # Errors
/// When the file cannot be written, or a hundred such names are taken.
pub fn write_beside(path: &Path, bytes: &[u8], state: Option<&StateDir>) -> Result<PathBuf, Failure> {
    for place in numbered(path, "") {
        match write(&place, bytes, state) {
            Ok(()) => return Ok(place),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_write(&place, error)),
        }
    }
    Err(exists(path))
}

/// The first of `NAME`, `NAME-2` … with `addition` behind the name that no file has now; `path` with the addition
/// when all are taken.
#[must_use]
pub fn first_free(path: &Path, addition: &str) -> PathBuf {
    let mut names = numbered(path, addition);
    let first = names.next().unwrap_or_else(|| path.to_owned());
    let free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    if free(&first) { first } else { names.find(free).unwrap_or(first) }
}

/// A hundred names of bundles beside a path: with `addition` behind its name, and then with a number.
fn numbered(path: &Path, addition: &str) -> impl Iterator<Item = PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_owned();
    (1..=100).map(move |number| {
        let mut name = stem.clone();
        name.push(addition);
        if number > 1 {
            name.push(format!("-{number}"));
        }
        name.push(format!(".{}", bundle::EXTENSION));
        path.with_file_name(name)
    })
}

fn write(path: &Path, bytes: &[u8], state: Option<&StateDir>) -> io::Result<()> {
    let directory = parent(path);
    let mut hidden = OsString::from(".");
    hidden.push(path.file_name().unwrap_or_default());
    hidden.push(format!(".{}.part", new_id()?));
    let part = directory.join(hidden);
    let mut noted = state.and_then(|state| noted(state, &part));
    let written = match OpenOptions::new().write(true).create_new(true).open(&part) {
        Ok(file) => write_part(file, bytes, noted.as_mut())
            .and_then(|()| rename_new(&part, path))
            // The error that matters is that of the write.
            .inspect_err(|_| drop(fs::remove_file(&part))),
        Err(error) => Err(error),
    };
    // The name lasts only once its directory is on the drive; file systems that cannot do this are rare.
    let _ = File::open(&directory).and_then(|directory| directory.sync_all());
    Noted::strike_out(noted);
    written
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return exists(path);
    }
    Failure::failed(format!("cannot write {}", path.display())).because(error)
}

/// The note of a file that is about to be made; a bundle is not lost because it cannot be noted.
fn noted(state: &StateDir, part: &Path) -> Option<Noted> {
    Noted::before(state, part)
        .inspect_err(|error| note(&format!("{} cannot be noted as ours: {error}", shown(part))))
        .ok()
}

fn write_part(mut file: File, bytes: &[u8], noted: Option<&mut Noted>) -> io::Result<()> {
    if let Some(noted) = noted {
        noted.made(&file)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

fn rename_new(part: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, part, CWD, path, RenameFlags::NOREPLACE) {
        // File systems without the flag: look, then rename.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::rename(part, path)
        }
        other => Ok(other?),
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::failed(format!("{} is there already and is never overwritten", path.display()))
        .hint("choose another name with --out FILE, or move the old file away")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_once_and_leaves_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.cliffmark");
        let state = StateDir::at(directory.path().join("state"));
        check_new(&path).unwrap();
        write_new(&path, b"one", Some(&state)).unwrap();
        assert!(check_new(&path).is_err());
        assert!(write_new(&path, b"two", Some(&state)).unwrap_err().text().contains("never overwritten"));
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0, "no note is left");
    }

    #[test]
    fn a_name_of_ours_gives_way_and_one_that_was_chosen_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let planned = path("a.cliffmark");
        // Two runs that began in the same second planned the same name.
        assert_eq!(first_free(&planned, ""), planned);
        assert_eq!(write_beside(&planned, b"one", None).unwrap(), planned);
        assert_eq!(write_beside(&planned, b"two", None).unwrap(), path("a-2.cliffmark"));
        assert_eq!(first_free(&planned, ""), path("a-3.cliffmark"));
        assert_eq!(first_free(&planned, "-resumed"), path("a-resumed.cliffmark"));
        assert_eq!(fs::read(&planned).unwrap(), b"one");
        assert_eq!(fs::read(path("a-2.cliffmark")).unwrap(), b"two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "no part is left");
    }

    #[test]
    fn places_that_cannot_work_are_refused_before_anything_starts() {
        let directory = tempfile::tempdir().unwrap();
        assert!(check_new(&directory.path().join("none/a")).is_err());
        assert!(check_new(directory.path()).is_err());
        assert!(check_new(Path::new("..")).is_err());
    }

    #[test]
    fn what_is_no_bundle_is_told_from_what_is_damaged() {
        let place = Path::new("it");
        let text = opened(place, b"PK\x03\x04").unwrap_err().text();
        assert!(text.contains("it is no bundle") && text.contains("cliffmark run"), "{text}");
        let text = opened(place, &[0x28, 0xB5, 0x2F, 0xFD, 0x20]).unwrap_err().text();
        assert!(text.contains("it is no whole bundle") && text.contains("copy"), "{text}");
    }

    #[test]
    fn files_larger_than_a_bundle_are_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("big");
        File::create(&path).unwrap().set_len(MAX_COMPRESSED_BYTES as u64 + 1).unwrap();
        assert!(read(&path).unwrap_err().text().contains("larger than a bundle"));
    }
}
