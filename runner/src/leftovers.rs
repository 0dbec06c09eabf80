//! Files of ours that would stay when the program is killed: noted before they are made, struck out when they are
//! gone, and removed by `cliffmark clean`.
//!
//! A file is removed only when device and inode are those that were noted. Knows nothing of what the files hold.

use crate::{
    hint::{Exit, Failure, note, print, shown},
    journal,
    records::{self, RecordWriter, Records, Unusable},
    state::{StateDir, new_id},
};
use rustix::{
    fs::{AtFlags, CWD, FileType, FlockOperation, flock, fstat, lstat, unlinkat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
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
    Intended {
        #[serde(with = "crate::path_bytes")]
        path: PathBuf,
    },
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
            note(&format!("the note {} cannot be removed: {error}", shown(&record)));
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

/// Device and inode of a file that was made.
type Made = (u64, u64);

/// A note whose program is gone.
#[derive(Debug)]
pub struct Leftover {
    path: PathBuf,
    /// `None` when the program died before it could note it.
    made: Option<Made>,
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

/// The notes of programs that are gone, and those that cannot be read.
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
            Err(one) => unusable.push(one),
        }
    }
    Ok((found, unusable))
}

/// Reads a note; `None` while its program runs, or when nothing was intended yet.
fn read(record: &Path) -> Result<Option<Leftover>, Unusable> {
    let Some(mut file) = records::take(record).map_err(|error| Unusable::unopened(record, &error))? else {
        return Ok(None);
    };
    let (path, made) = match parse(&mut file) {
        Ok(noted) => noted,
        Err(error) => return Err(Unusable::taken(record, file, &error)),
    };
    let Some(path) = path else {
        // The program died before it had noted anything, so it had made nothing.
        fs::remove_file(record).map_err(|error| Unusable::taken(record, file, &error))?;
        return Ok(None);
    };
    Ok(Some(Leftover { path, made, record: record.to_owned(), _lock: file }))
}

/// The path that was intended, and device and inode that were made.
fn parse(file: &mut File) -> io::Result<(Option<PathBuf>, Option<Made>)> {
    let (mut path, mut made) = (None, None);
    for payload in Records::read(file)?.payloads {
        match serde_json::from_slice(&payload)? {
            Record::Intended { path: intended } => path = Some(intended),
            Record::Made { device, inode } => made = Some((device, inode)),
        }
    }
    Ok((path, made))
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
    match journals.interrupted.as_slice() {
        [] => {}
        [run] => {
            note(&format!("interrupted run: {}; `{}` goes on with it", run.line(), run.resume_command()))
        }
        runs => note(&format!("{} interrupted runs can go on; `cliffmark resume` lists them", runs.len())),
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
/// it did. What cannot be removed does not keep the rest.
///
/// # Errors
/// When something could not be removed, after everything else was.
pub fn clean(state: &StateDir, journals: bool) -> Result<Exit, Failure> {
    let (leftovers, mut unusable) = find(state)?;
    let found = journal::find(state)?;
    unusable.extend(found.unusable);
    if leftovers.is_empty() && found.interrupted.is_empty() && unusable.is_empty() {
        print("nothing was left behind\n")?;
    }
    let mut kept = Vec::new();
    for leftover in leftovers {
        let path = shown(leftover.path());
        match leftover.remove() {
            Ok(Fate::Removed) => print(&format!("removed {path}\n"))?,
            Ok(Fate::Gone) => print(&format!("{path} is gone already\n"))?,
            Ok(Fate::Another) => print(&format!("{path} is another file now and was left alone\n"))?,
            Ok(Fate::Unknown) => print(&format!(
                "{path} may be a leftover, but the run died before it could note which file it had made: look at it and remove it yourself\n"
            ))?,
            Err(error) => kept.push((path, error)),
        }
    }
    for run in found.interrupted {
        let (line, path) = (run.line(), shown(run.path()));
        if !journals {
            print(&format!(
                "kept the interrupted run {line}\n  `{}` goes on with it, `cliffmark clean --journals` forgets it\n",
                run.resume_command()
            ))?;
            continue;
        }
        match run.forget() {
            Ok(()) => print(&format!("forgot the interrupted run {line}\n"))?,
            Err(error) => kept.push((path, error)),
        }
    }
    for one in unusable {
        let (path, why) = (shown(&one.path), one.why.clone());
        let text = match (one.is_ours(), journals) {
            (false, _) => format!(
                "{path} has the name of a record of ours, but nothing shows that it is one ({why}): it was left alone; look at it and remove it yourself\n"
            ),
            (true, false) => format!(
                "{path} holds nothing that can be used ({why}); `cliffmark clean --journals` removes it\n"
            ),
            (true, true) => match one.remove() {
                Ok(()) => format!("removed {path}, which holds nothing that can be used ({why})\n"),
                Err(error) => {
                    kept.push((path, error));
                    continue;
                }
            },
        };
        print(&text)?;
    }
    for (path, error) in &kept {
        note(&format!("cannot remove {path}: {error}"));
    }
    let what = match &kept[..] {
        [] => return Ok(Exit::Done),
        [(path, _)] => format!("{path} could not be removed"),
        all => format!("{} files could not be removed", all.len()),
    };
    Err(Failure::failed(what)
        .hint("its directory may belong to another user: run `cliffmark clean` as the user of the run"))
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
    fn what_cannot_be_removed_does_not_keep_the_rest() {
        let place = Place::new();
        // A name that is too long for any directory: to look at it is an error, whoever asks.
        let long = place.path.with_file_name("x".repeat(300));
        let mut stuck = Noted::before(&place.state, &long).unwrap();
        stuck.append(&Record::Made { device: 1, inode: 1 }).unwrap();
        drop(stuck);
        for number in 0..8 {
            leave(&place.state, &place.path.with_extension(number.to_string())).unwrap();
        }
        let failure = clean(&place.state, true).unwrap_err();
        assert!(failure.text().contains("could not be removed"), "{}", failure.text());
        assert_eq!(fs::read_dir(place.path.parent().unwrap()).unwrap().count(), 1, "only the state is left");
        assert_eq!(fs::read_dir(place.state.path()).unwrap().count(), 1, "and its note of the stuck one");
    }

    #[test]
    fn only_what_is_surely_ours_is_removed_with_the_journals() {
        let place = Place::new();
        place.state.make().unwrap();
        let named = |id: &str| place.state.path().join(format!("cliffmark-{id}.journal"));
        fs::write(named("00000000"), "").unwrap();
        RecordWriter::create(&named("00000001")).unwrap().append(b"of another version").unwrap();
        fs::write(named("00000002"), "precious, with a name like ours").unwrap();
        fs::write(&place.path, "precious").unwrap();
        std::os::unix::fs::symlink(&place.path, named("00000003")).unwrap();
        fs::create_dir(named("00000004")).unwrap();
        assert_eq!(clean(&place.state, false).unwrap(), Exit::Done);
        assert_eq!(fs::read_dir(place.state.path()).unwrap().count(), 5);
        assert_eq!(clean(&place.state, true).unwrap(), Exit::Done);
        let there = ["00000000", "00000001", "00000002", "00000003", "00000004"]
            .map(|id| named(id).symlink_metadata().is_ok());
        assert_eq!(there, [false, false, true, true, true]);
        assert_eq!(fs::read(&place.path).unwrap(), b"precious");
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
