//! `[[workload]]` tables of copies and of loading: what they may say, and the passes that they become.
//!
//! Knows lists of sizes and folders of the user's own, of which nothing but sizes is kept beside their place. Does not
//! know how files are copied or read.

use super::{MIN_SIZE_BYTES, Room, WITNESS_BYTES};
use model::{
    files::{CopyStep, Copying, LOADING_PACK, Loading, OWN_FOLDER},
    pass::{DoneBefore, Idle, PassMethod, TracePlay, Workload},
    units::{SizeError, parse_size},
};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, StatxFlags, openat, statx};
use serde::{Deserialize, Serialize};
use std::{
    ffi::CString,
    io,
    os::{
        fd::OwnedFd,
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Path, PathBuf},
};
use workloads::{GAME_LOAD, Manifest, ManifestError};

/// Most directories in each other.
const MOST_DEEP: u32 = 200;

/// A folder of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folder {
    /// Where it lies.
    #[serde(with = "crate::path_bytes")]
    pub path: PathBuf,
    /// What its sizes are called: their fingerprint.
    pub name: String,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// How many directories it lies in below the folder.
    depth: u32,
    /// Its size, bytes.
    pub(crate) bytes: u64,
}

/// Why copies or loading cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// No manifest of this name.
    #[error("there is no manifest `{0}`; there are {list}, and --set folder=PATH for a folder of your own", list = Manifest::PRESETS.join(", "))]
    Manifest(String),
    /// No step of this name.
    #[error("there is no step `{0}` of a copy; there are write, duplicate and read-out")]
    Step(String),
    /// No order of this name.
    #[error("there is no order `{0}`; there are sorted, shuffled and shuffled:SEED")]
    Order(String),
    /// No model of this name.
    #[error(
        "there is no model of loading `{0}`; there is game-load, and --set folder=PATH for a folder of your own"
    )]
    Model(String),
    /// A folder cannot be read.
    #[error("cannot read all of {}: {source}", path.display())]
    Read {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Directories in each other without end.
    #[error("{} lies in more than {MOST_DEEP} directories below the folder; take a part of it", .0.display())]
    Deep(PathBuf),
    /// A folder is nothing to be copied or loaded.
    #[error("{} cannot be taken: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: ManifestError,
    },
    /// A size that cannot be read.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A value that is none.
    #[error("`{value}` is no value for {key}; write a whole number")]
    Number {
        /// The setting.
        key: String,
        /// What was given.
        value: String,
    },
    /// A value that lies outside its range.
    #[error(
        "scale is 1 to 100 percent, block a multiple of 4 KiB up to 64 MiB, depth 1 to 256, parallel 1 to 16, the pause 0 \
         to 86,400 seconds, passes 1 to 1,000"
    )]
    Range,
    /// A size is needed.
    #[error("the model of loading needs a size to read from")]
    NoSize,
}

/// Copies of sets of files.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Copies {
    /// Names of manifests, each with all steps.
    manifests: Vec<String>,
    /// A folder of the user's own instead of them.
    folder: Option<PathBuf>,
    /// What is done with each, in this order.
    steps: Vec<String>,
    /// Percent of the bytes that are copied.
    #[serde(default = "whole")]
    scale: u32,
    /// Requests: their size, and how many of a file are in flight.
    block: String,
    depth: u32,
    /// How often all of it; 1 unless said otherwise.
    #[serde(default = "once")]
    passes: u32,
    /// Seconds of rest between two manifests.
    #[serde(default)]
    pause: u32,
}

/// Loading: a model, or a folder of the user's own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Loads {
    /// The model, `game-load`.
    model: String,
    /// What it reads from.
    pub(super) size: Option<String>,
    /// A folder of the user's own instead of it.
    folder: Option<PathBuf>,
    /// In which order its files are read: `sorted`, `shuffled` or `shuffled:SEED`.
    order: String,
    /// How many of them at a time.
    parallel: u32,
    /// Bytes of a request.
    block: String,
    /// How often.
    #[serde(default = "once")]
    passes: u32,
    /// Seconds of rest between two passes.
    #[serde(default)]
    pause: u32,
}

fn whole() -> u32 {
    100
}

fn once() -> u32 {
    1
}

fn number(key: &str, value: &str) -> Result<u32, FilesError> {
    value.parse().map_err(|_| FilesError::Number { key: key.to_owned(), value: value.to_owned() })
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(str::to_owned).collect()
}

/// A folder as the user named it from where the program was started.
fn folder(value: &str) -> Option<PathBuf> {
    std::path::absolute(value).ok().or_else(|| Some(PathBuf::from(value)))
}

impl Copies {
    /// Changes a value that it has, and tells whether it has it.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, FilesError> {
        match key {
            "only" => self.manifests = list(value),
            "folder" => self.folder = folder(value),
            "steps" => self.steps = list(value),
            "scale" => self.scale = number(key, value)?,
            "block" => value.clone_into(&mut self.block),
            "depth" => self.depth = number(key, value)?,
            "passes" => self.passes = number(key, value)?,
            "pause" => self.pause = number(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Its passes, and the folders that they take sizes from. Relative folders are meant from `beside` on.
    pub(super) fn passes(
        &self,
        beside: &Path,
        mut before: DoneBefore,
    ) -> Result<(Vec<PassMethod>, Vec<Folder>), FilesError> {
        let block_bytes = u32::try_from(parse_size(&self.block)?).map_err(|_| FilesError::Range)?;
        if !(1..=100).contains(&self.scale) || self.passes > 1_000 || self.pause > 86_400 {
            return Err(FilesError::Range);
        }
        let steps = self.steps.iter().map(|name| {
            let step = CopyStep::ALL.into_iter().find(|step| step.token() == name);
            step.ok_or_else(|| FilesError::Step(name.clone()))
        });
        let steps = steps.collect::<Result<Vec<CopyStep>, _>>()?;
        let mut folders = Vec::new();
        let manifests = if let Some(folder) = &self.folder {
            let (folder, manifest, _) = Folder::read(&beside.join(folder))?;
            folders.push(folder);
            vec![manifest]
        } else {
            let preset =
                |name: &String| Manifest::preset(name).ok_or_else(|| FilesError::Manifest(name.clone()));
            self.manifests.iter().map(preset).collect::<Result<_, _>>()?
        };
        let mut passes = Vec::new();
        for pass in 1..=self.passes {
            for whole in &manifests {
                let part = whole.clone().part(self.scale);
                let rest = Workload::Idle(Idle { seconds: self.pause });
                let rests = (self.pause > 0 && !passes.is_empty()).then_some(rest);
                let copies = steps.iter().map(|step| {
                    Workload::Copying(Copying {
                        manifest: part.name.clone(),
                        version: part.version,
                        scale_percent: self.scale,
                        files: u32::try_from(part.entries.len()).unwrap_or(u32::MAX),
                        step: *step,
                        block_bytes,
                        queue_depth: self.depth,
                    })
                });
                for workload in rests.into_iter().chain(copies) {
                    let after = before.and(&workload);
                    let rests = matches!(workload, Workload::Idle(_));
                    let span_bytes = if rests { WITNESS_BYTES } else { part.bytes() };
                    passes.push(PassMethod { workload, phase: None, number: pass, span_bytes, before });
                    before = after;
                }
            }
        }
        in_range(passes).map(|passes| (passes, folders))
    }
}

impl Loads {
    /// Changes a value that it has, and tells whether it has it.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, FilesError> {
        match key {
            "folder" => self.folder = folder(value),
            "order" => value.clone_into(&mut self.order),
            "parallel" => self.parallel = number(key, value)?,
            "block" => value.clone_into(&mut self.block),
            "passes" => self.passes = number(key, value)?,
            "pause" => self.pause = number(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Its passes, and the folder that they read.
    pub(super) fn passes(
        &self,
        common_size: Option<&str>,
        room: Room,
        beside: &Path,
        mut before: DoneBefore,
    ) -> Result<(Vec<PassMethod>, Vec<Folder>), FilesError> {
        if self.passes > 1_000 || self.pause > 86_400 {
            return Err(FilesError::Range);
        }
        let mut folders = Vec::new();
        let (workload, span_bytes) = if let Some(folder) = &self.folder {
            let (folder, manifest, _) = Folder::read(&beside.join(folder))?;
            let loading = Loading {
                folder: folder.name.clone(),
                files: u32::try_from(manifest.entries.len()).unwrap_or(u32::MAX),
                shuffle: order(&self.order)?,
                parallel: self.parallel,
                block_bytes: u32::try_from(parse_size(&self.block)?).map_err(|_| FilesError::Range)?,
            };
            folders.push(folder);
            (Workload::Loading(loading), manifest.bytes())
        } else {
            if self.model != GAME_LOAD {
                return Err(FilesError::Model(self.model.clone()));
            }
            let size = self.size.as_deref().or(common_size).ok_or(FilesError::NoSize)?;
            let size = room.size(size, before.fill).map_err(|_| FilesError::NoSize)?;
            let play = TracePlay {
                pack: LOADING_PACK.to_owned(),
                version: 1,
                name: GAME_LOAD.to_owned(),
                longest_idle_ms: None,
                speed_percent: 100,
                unit_bytes: workloads::UNIT_BYTES,
            };
            (Workload::Trace(play), size / MIN_SIZE_BYTES * MIN_SIZE_BYTES)
        };
        let mut passes = Vec::new();
        for pass in 1..=self.passes {
            let rest = Workload::Idle(Idle { seconds: self.pause });
            let rests = (self.pause > 0 && pass > 1).then_some(rest);
            for workload in rests.into_iter().chain([workload.clone()]) {
                let after = before.and(&workload);
                let rests = matches!(workload, Workload::Idle(_)) && !folders.is_empty();
                let span_bytes = if rests { WITNESS_BYTES } else { span_bytes };
                passes.push(PassMethod { workload, phase: None, number: pass, span_bytes, before });
                before = after;
            }
        }
        in_range(passes).map(|passes| (passes, folders))
    }
}

fn in_range(passes: Vec<PassMethod>) -> Result<Vec<PassMethod>, FilesError> {
    let fits = !passes.is_empty() && passes.iter().all(PassMethod::in_range);
    if fits { Ok(passes) } else { Err(FilesError::Range) }
}

/// The seed of an order; `None` for that of the paths.
fn order(text: &str) -> Result<Option<u32>, FilesError> {
    match text.split_once(':') {
        None if text == "sorted" => Ok(None),
        None if text == "shuffled" => Ok(Some(1)),
        Some(("shuffled", seed)) => number("order", seed).map(Some),
        _ => Err(FilesError::Order(text.to_owned())),
    }
}

impl Folder {
    /// Takes the sizes of a folder; yields what it is called, the sizes, and the files in the order of their paths.
    ///
    /// # Errors
    /// When a part of it cannot be read, or it holds nothing, or too much.
    pub(crate) fn read(path: &Path) -> Result<(Self, Manifest, Vec<Found>), FilesError> {
        let unread = |source| FilesError::Read { path: path.to_owned(), source };
        let path = std::fs::canonicalize(path).map_err(unread)?;
        let mut files = Vec::new();
        let device = device_of(&path)?;
        walk(&path, 0, device, &mut files)?;
        let sizes = files.iter().map(|file| (file.depth, file.bytes));
        let mut manifest = Manifest::of_folder("", sizes)
            .map_err(|source| FilesError::Folder { path: path.clone(), source })?;
        let name = format!("{OWN_FOLDER}{:016x}", manifest.fingerprint());
        manifest.name.clone_from(&name);
        Ok((Self { path, name }, manifest, files))
    }
}

fn device_of(path: &Path) -> Result<(u32, u32), FilesError> {
    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE)
        .map_err(|errno| FilesError::Read { path: path.to_owned(), source: errno.into() })?;
    Ok((found.stx_dev_major, found.stx_dev_minor))
}

/// Collects the regular files of a directory and all below it, by their names. Links are not followed, and neither is
/// what another file system is mounted on.
fn walk(directory: &Path, depth: u32, device: (u32, u32), files: &mut Vec<Found>) -> Result<(), FilesError> {
    if depth > MOST_DEEP {
        return Err(FilesError::Deep(directory.to_owned()));
    }
    let unread =
        |errno: rustix::io::Errno| FilesError::Read { path: directory.to_owned(), source: errno.into() };
    let handle = open_directory(directory).map_err(unread)?;
    let mut names: Vec<CString> = Vec::new();
    for entry in Dir::read_from(&handle).map_err(unread)? {
        let name = entry.map_err(unread)?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    names.sort_unstable();
    for name in names {
        let found =
            statx(&handle, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE | StatxFlags::SIZE);
        let path = directory.join(std::ffi::OsString::from_vec(name.into_bytes()).as_os_str());
        let found = found.map_err(|errno| FilesError::Read { path: path.clone(), source: errno.into() })?;
        if (found.stx_dev_major, found.stx_dev_minor) != device {
            continue;
        }
        match FileType::from_raw_mode(found.stx_mode.into()) {
            FileType::Directory => walk(&path, depth + 1, device, files)?,
            FileType::RegularFile if files.len() > workloads::MAX_FILES => {
                let source = ManifestError::TooLarge;
                return Err(FilesError::Folder { path: directory.to_owned(), source });
            }
            FileType::RegularFile => files.push(Found { path, depth, bytes: found.stx_size }),
            _ => {}
        }
    }
    Ok(())
}

/// Opens a directory so that looking into it leaves no trace, where that is allowed.
fn open_directory(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let path = path.as_os_str().as_bytes();
    match openat(CWD, path, flags | OFlags::NOATIME, Mode::empty()) {
        Err(rustix::io::Errno::PERM) => openat(CWD, path, flags, Mode::empty()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite;
    use std::fs;

    fn found(name: &str, settings: &[(&str, &str)]) -> Result<suite::Suite, String> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        suite::find(name, &settings, Room::UNKNOWN).map_err(|error| error.to_string())
    }

    #[test]
    fn each_manifest_is_written_duplicated_and_read_out() {
        let suite = found("copies", &[]).unwrap();
        let labels: Vec<String> = suite.passes.iter().map(PassMethod::label).collect();
        assert_eq!(labels.len(), 5 * 3 + 4, "a rest lies between two manifests");
        assert_eq!(
            labels[..4],
            [
                "game-54 to the drive, pass 1",
                "game-54 on the drive, pass 1",
                "game-54 from the drive, pass 1",
                "rest of 5 min 00 s, pass 1"
            ]
        );
        let part = found("copies", &[("only", "jpeg-2.37"), ("scale", "1"), ("steps", "write")]).unwrap();
        let [only] = &part.passes[..] else { panic!("{part:?}") };
        assert_eq!(only.span_bytes, 23_700_000);
        assert!(only.id().to_string().starts_with("copy.jpeg-2_37-1.scale1."), "{}", only.id());
    }

    #[test]
    fn what_is_no_setting_of_copies_is_named() {
        for (key, value, words) in [
            ("only", "game-55", "no manifest `game-55`"),
            ("steps", "write,move", "no step `move`"),
            ("scale", "0", "scale is 1 to 100"),
            ("scale", "half", "no value for scale"),
            ("block", "1000", "block a multiple of 4 KiB"),
            ("depth", "300", "depth 1 to 256"),
            ("folder", "/nonexistent/folder", "cannot read all of"),
        ] {
            let error = found("copies", &[(key, value)]).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        for (key, value, words) in
            [("order", "reverse", "no order `reverse`"), ("parallel", "17", "parallel 1 to 16")]
        {
            let error =
                found("loading", &[("folder", env!("CARGO_MANIFEST_DIR")), (key, value)]).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn of_a_folder_only_sizes_are_taken() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("secret name");
        fs::create_dir_all(place.join("b")).unwrap();
        fs::write(place.join("c"), [1; 30]).unwrap();
        fs::write(place.join("b/x"), [1; 20]).unwrap();
        fs::write(place.join("a"), [1; 10]).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", place.join("link")).unwrap();
        let (folder, manifest, files) = Folder::read(&place).unwrap();
        let names: Vec<&str> =
            files.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a", "x", "c"]);
        assert_eq!(manifest.entries.iter().map(|entry| entry.bytes).collect::<Vec<_>>(), [10, 20, 30]);
        for name in ["copies", "loading"] {
            let suite = found(name, &[("folder", place.to_str().unwrap())]).unwrap();
            assert_eq!(suite.folders, std::slice::from_ref(&folder));
            let told = format!("{:?}", suite.passes);
            assert!(!told.contains("secret") && told.contains(&folder.name), "{told}");
        }
        fs::write(place.join("a"), [1; 11]).unwrap();
        assert_ne!(Folder::read(&place).unwrap().0.name, folder.name, "another size is another list");
    }

    #[test]
    fn loading_is_a_model_unless_a_folder_is_named() {
        let suite = found("loading", &[]).unwrap();
        let trace = suite.passes[0].trace().unwrap();
        assert_eq!((trace.pack.as_str(), trace.title().as_str()), (LOADING_PACK, "Game load (model)"));
        assert_eq!(suite.passes[0].span_bytes, 16 << 30);
        assert_eq!(suite.passes.iter().filter(|pass| pass.trace().is_some()).count(), 3);
    }
}
