//! Files of ours that would stay when the program is killed: noted before they are made, struck out when they are
//! gone, and removed by `cliffmark clean`.
//!
//! A file is removed only when device and inode are those that were noted. Knows nothing of what the files hold.

use crate::{
    hint::{Exit, Failure, note, print, printable},
    journal,
    records::{RecordWriter, Records},
    state::{StateDir, new_id},
};
use rustix::{
    fs::{AtFlags, CWD, FileType, FlockOperation, flock, fstat, lstat, unlinkat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
};

const PREFIX: &str = "cliffmark-";
const SUFFIX: &str = ".files";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Record {
    /// A file of this path is about to be made.
    Intended { path: PathBuf },
    /// It was made, by us.
    Made { device: u64, inode: u64 },
}

/// A file of ours with a name, noted until it is gone.
#[derive(Debug)]
pub(crate) struct Noted {
    writer: RecordWriter,
    record: PathBuf,
}

impl Noted {
    /// Notes that a file is about to be made; the note is on the drive when this returns.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub(crate) fn before(state: &StateDir, path: &Path) -> io::Result<Self> {
        state.make()?;
        let record = state.path().join(format!("{PREFIX}{}{SUFFIX}", new_id()?));
        let mut noted = Self { writer: RecordWriter::create(&record)?, record };
        // While the lock is held nobody takes the file for a leftover.
        flock(noted.writer.file(), FlockOperation::NonBlockingLockExclusive)?;
        noted.append(&Record::Intended { path: std::path::absolute(path)? })?;
        Ok(noted)
    }

    /// The file was made.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub(crate) fn made(&mut self, file: impl AsFd) -> io::Result<()> {
        let found = fstat(file)?;
        self.append(&Record::Made { device: found.st_dev, inode: found.st_ino })
    }

    /// The file is gone, or stays on purpose; `None` where none could be noted.
    pub(crate) fn strike_out(noted: Option<Self>) {
        if let Some(Self { record, .. }) = noted
            && let Err(error) = fs::remove_file(&record)
        {
            note(&format!("the note {} cannot be removed: {error}", record.display()));
        }
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        self.writer.append(&serde_json::to_vec(record)?)
    }
}

/// Leaves a new file and its note behind, as a program does that is killed right after it made the file.
///
/// # Errors
/// When they cannot be made.
#[doc(hidden)]
pub fn leave(state: &StateDir, path: &Path) -> io::Result<()> {
    let mut noted = Noted::before(state, path)?;
    noted.made(File::create_new(path)?)
}

/// A note whose program is gone.
#[derive(Debug)]
pub struct Leftover {
    path: PathBuf,
    /// Device and inode; `None` when the program died before it could note them.
    made: Option<(u64, u64)>,
    record: PathBuf,
    _lock: File,
}

/// What became of a leftover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was removed.
    Removed,
    /// There is no such file any more.
    Gone,
    /// Another file has the name now, which is left alone.
    Another,
    /// There is a file, but nothing shows that it is ours: it is left alone, and the note stays.
    Unknown,
}

/// A file in the state directory that cannot be used, and why.
type Unusable = (PathBuf, String);

/// The notes of programs that are gone, and those that cannot be read with the reason.
///
/// # Errors
/// When the state directory cannot be read.
pub fn find(state: &StateDir) -> Result<(Vec<Leftover>, Vec<Unusable>), Failure> {
    let (mut found, mut unusable) = (Vec::new(), Vec::new());
    let files = state.files(PREFIX, SUFFIX).map_err(|error| {
        Failure::failed(format!("cannot read the notes in {}", state.path().display())).because(error)
    })?;
    for (_, record) in files {
        match read(&record) {
            Ok(leftover) => found.extend(leftover),
            Err(error) => unusable.push((record, error.to_string())),
        }
    }
    Ok((found, unusable))
}

/// Reads a note; `None` while its program runs, or when nothing was intended yet.
fn read(record: &Path) -> io::Result<Option<Leftover>> {
    let mut file = OpenOptions::new().read(true).append(true).open(record)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    }
    let (mut path, mut made) = (None, None);
    for payload in Records::read(&mut file)?.payloads {
        match serde_json::from_slice(&payload)? {
            Record::Intended { path: intended } => path = Some(intended),
            Record::Made { device, inode } => made = Some((device, inode)),
        }
    }
    let Some(path) = path else {
        // The program died before it had noted anything, so it had made nothing.
        fs::remove_file(record)?;
        return Ok(None);
    };
    Ok(Some(Leftover { path, made, record: record.to_owned(), _lock: file }))
}

impl Leftover {
    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file when it is ours, and the note when it is of no more use.
    ///
    /// # Errors
    /// When the file cannot be looked at or removed; the note stays then.
    pub fn remove(self) -> io::Result<Fate> {
        let fate = match (lstat(&self.path), self.made) {
            (Err(Errno::NOENT | Errno::NOTDIR), _) => Fate::Gone,
            (Err(errno), _) => return Err(errno.into()),
            (Ok(_), None) => return Ok(Fate::Unknown),
            (Ok(found), Some(made)) => {
                let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
                if is_file && (found.st_dev, found.st_ino) == made {
                    unlinkat(CWD, &self.path, AtFlags::empty())?;
                    Fate::Removed
                } else {
                    Fate::Another
                }
            }
        };
        fs::remove_file(&self.record)?;
        Ok(fate)
    }
}

/// Says what interrupted runs left behind; changes nothing.
pub fn mention(state: &StateDir) {
    // What cannot be read now is told by `clean` and `resume`, which need it.
    let Ok(journals) = journal::find(state) else { return };
    for run in &journals.interrupted {
        note(&format!("interrupted run: {}; `cliffmark resume {}` goes on with it", run.line(), run.id));
    }
    let Ok((leftovers, _)) = find(state) else { return };
    if !leftovers.is_empty() {
        note(&format!(
            "files of killed runs are left behind ({}); `cliffmark clean` removes them",
            leftovers.len()
        ));
    }
}

/// `cliffmark clean`: removes leftover files, and with `journals` the journals of interrupted runs too; says what
/// it did.
///
/// # Errors
/// When something could not be removed.
pub fn clean(state: &StateDir, journals: bool) -> Result<Exit, Failure> {
    let (leftovers, unusable) = find(state)?;
    let mut failed = None;
    let mut nothing = true;
    for leftover in leftovers {
        nothing = false;
        let path = printable(&leftover.path().to_string_lossy(), 400);
        match leftover.remove() {
            Ok(Fate::Removed) => print(&format!("removed {path}\n"))?,
            Ok(Fate::Gone) => print(&format!("{path} is gone already\n"))?,
            Ok(Fate::Another) => print(&format!("{path} is another file now and was left alone\n"))?,
            Ok(Fate::Unknown) => print(&format!(
                "{path} may be a leftover, but the run died before it could note which file it had made: look at it and remove it yourself\n"
            ))?,
            Err(error) => {
                note(&format!("cannot remove {path}: {error}"));
                failed = Some(path);
            }
        }
    }
    let found = journal::find(state)?;
    for run in found.interrupted {
        nothing = false;
        let line = run.line();
        if journals {
            run.forget()?;
            print(&format!("forgot the interrupted run {line}\n"))?;
        } else {
            print(&format!(
                "kept the interrupted run {line}\n  `cliffmark resume {}` goes on with it, `cliffmark clean --journals` forgets it\n",
                run.id
            ))?;
        }
    }
    let others = found.unusable.into_iter().map(|journal| (journal.path, journal.why));
    for (path, why) in others.chain(unusable) {
        nothing = false;
        if journals {
            fs::remove_file(&path).map_err(|error| {
                Failure::failed(format!("cannot remove {}", path.display())).because(error)
            })?;
            print(&format!("removed {}, which holds nothing that can be used ({why})\n", path.display()))?;
        } else {
            print(&format!(
                "{} holds nothing that can be used ({why}); `cliffmark clean --journals` removes it\n",
                path.display()
            ))?;
        }
    }
    if nothing {
        print("nothing was left behind\n")?;
    }
    match failed {
        None => Ok(Exit::Done),
        Some(path) => Err(Failure::failed(format!("{path} could not be removed"))
            .hint("its directory may belong to another user: run `cliffmark clean` as the user of the run")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        _directory: tempfile::TempDir,
        state: StateDir,
        path: PathBuf,
    }

    impl Place {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let state = StateDir::at(directory.path().join("state"));
            let path = directory.path().join("file");
            Self { _directory: directory, state, path }
        }

        /// A file as a program leaves it that dies right after it was made.
        fn leave(&self) {
            leave(&self.state, &self.path).unwrap();
        }

        fn remove_all(&self) -> Vec<Fate> {
            let (found, unusable) = find(&self.state).unwrap();
            assert!(unusable.is_empty(), "{unusable:?}");
            found.into_iter().map(|leftover| leftover.remove().unwrap()).collect()
        }
    }

    #[test]
    fn a_leftover_is_removed_once() {
        let place = Place::new();
        place.leave();
        assert_eq!(place.remove_all(), [Fate::Removed]);
        assert!(!place.path.exists());
        assert_eq!(place.remove_all(), []);
    }

    #[test]
    fn a_file_of_someone_else_is_left_alone() {
        let place = Place::new();
        place.leave();
        // The old inode is kept in use, so that the new file cannot get its number.
        fs::rename(&place.path, place.path.with_extension("moved")).unwrap();
        fs::write(&place.path, "precious").unwrap();
        assert_eq!(place.remove_all(), [Fate::Another]);
        assert_eq!(fs::read(&place.path).unwrap(), b"precious");
        assert!(place.path.with_extension("moved").exists());
    }

    #[test]
    fn a_link_is_not_followed() {
        let place = Place::new();
        place.leave();
        let moved = place.path.with_extension("moved");
        fs::rename(&place.path, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &place.path).unwrap();
        assert_eq!(place.remove_all(), [Fate::Another]);
        assert!(moved.exists() && place.path.is_symlink());
    }

    #[test]
    fn what_was_never_noted_as_made_is_not_removed() {
        let place = Place::new();
        drop(Noted::before(&place.state, &place.path).unwrap());
        fs::write(&place.path, "whose?").unwrap();
        assert_eq!(place.remove_all(), [Fate::Unknown]);
        assert!(place.path.exists());
        fs::remove_file(&place.path).unwrap();
        assert_eq!(place.remove_all(), [Fate::Gone]);
        assert_eq!(place.remove_all(), []);
    }

    #[test]
    fn files_of_a_running_program_are_not_leftovers() {
        let place = Place::new();
        let mut noted = Noted::before(&place.state, &place.path).unwrap();
        noted.made(File::create_new(&place.path).unwrap()).unwrap();
        assert_eq!(place.remove_all(), []);
        assert!(place.path.exists());
        Noted::strike_out(Some(noted));
        assert_eq!(place.remove_all(), []);
        assert!(place.path.exists(), "what was struck out stays");
    }
}
