//! What passes on many files need and write: space, open files, bytes, words.
//!
//! Knows manifests and limits. Writes nothing; raises the limit of open files of this process.

use super::{ASSUMED_FILL_RATE, Place, Plan};
use crate::{
    hint::{Failure, shown},
    mounts,
    passes::manifest,
    span::fillers_beside,
    suite::{Step, Suite},
    target,
};
use model::{
    files::{CopyStep, Copying, FILE_UNIT_BYTES},
    pass::{PassMethod, Workload},
    units::{Nanos, format_capacity, format_count},
};
use rustix::{
    fs::{Mode, OFlags, open},
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{collections::BTreeSet, os::fd::AsFd as _, path::Path};

/// Files that the program holds open for other purposes, generously.
const OTHER_FILES: u64 = 256;

/// The copies among the passes of a suite.
fn copies(suite: &Suite) -> impl Iterator<Item = (&Copying, &PassMethod)> {
    suite.passes.iter().filter_map(|pass| match &pass.workload {
        Workload::Copying(copying) => Some((copying, pass)),
        _ => None,
    })
}

/// Most bytes that the files of a copy take up at a time; 0 without copies.
pub(crate) fn room_bytes(suite: &Suite) -> u64 {
    let needed = copies(suite).map(|(copying, pass)| {
        // Each file is rounded up by less than one unit.
        let once = pass.span_bytes.saturating_add(u64::from(copying.files) * FILE_UNIT_BYTES);
        once.saturating_mul(sets(suite, copying)).next_multiple_of(FILE_UNIT_BYTES)
    });
    needed.max().unwrap_or(0)
}

/// How often the files of a set are there at a time.
fn sets(suite: &Suite, set: &Copying) -> u64 {
    let same = |one: &Copying| (&one.manifest, one.version) == (&set.manifest, set.version);
    let duplicated = copies(suite).any(|(one, _)| same(one) && one.step == CopyStep::Duplicate);
    if duplicated { 2 } else { 1 }
}

/// Estimated time of a pass on files; `None` for another one.
pub(super) fn time(pass: &PassMethod) -> Option<Nanos> {
    let moved = match &pass.workload {
        Workload::Copying(copying) if copying.step == CopyStep::Duplicate => {
            pass.span_bytes.saturating_mul(2)
        }
        Workload::Copying(_) | Workload::Loading(_) => pass.span_bytes,
        _ => return None,
    };
    Some(Nanos::from_secs((moved / ASSUMED_FILL_RATE).max(1)))
}

/// Bytes that a pass on files writes.
pub(super) fn written_bytes(pass: &PassMethod) -> u64 {
    if pass.writes() { pass.span_bytes } else { 0 }
}

/// Bytes of files that are written before steps which find none, unmeasured: an earlier step of the copy is none of them.
pub(super) fn unmeasured_bytes<'a>(steps: impl Iterator<Item = Step<'a>>) -> u64 {
    let mut there: Option<(&str, u32, u32)> = None;
    let mut bytes = 0_u64;
    for step in steps {
        let Step::Pass(PassMethod { workload: Workload::Copying(copying), span_bytes, .. }) = step else {
            continue;
        };
        let set = Some((copying.manifest.as_str(), copying.version, copying.scale_percent));
        if copying.step != CopyStep::Write && there != set {
            bytes = bytes.saturating_add(*span_bytes);
        }
        there = set;
    }
    bytes
}

/// Where the files of the suite come to lie; `None` when it makes none.
pub(super) fn target_text(suite: &Suite, directory: &Path) -> Option<String> {
    match room_bytes(suite) {
        0 => None,
        bytes => Some(format!(
            "Target  new files of up to {} together in {}\n        they have no names and go away at the end; nothing else is touched\n",
            format_capacity(bytes),
            shown(directory)
        )),
    }
}

/// The copies in words; `None` when there are none.
pub(super) fn shape(suite: &Suite) -> Option<String> {
    let sets: BTreeSet<String> = copies(suite).map(|(copying, _)| copying.title()).collect();
    let steps: BTreeSet<CopyStep> = copies(suite).map(|(copying, _)| copying.step).collect();
    if sets.is_empty() {
        let loads = suite.passes.iter().find_map(|pass| match &pass.workload {
            Workload::Loading(loading) => Some((loading, pass.span_bytes)),
            _ => None,
        });
        let count = suite.passes.iter().filter(|pass| pass.files().is_some()).count();
        return loads.map(|(loading, bytes)| {
            format!(
                "{} of {} of {}, read cold",
                super::passes_count(count),
                format_count(loading.files.into(), "file"),
                format_capacity(bytes)
            )
        });
    }
    let steps: Vec<&str> = steps.into_iter().map(CopyStep::text).collect();
    Some(format!("{} of files, each {}", format_count(sets.len() as u64, "set"), steps.join(", ")))
}

/// Refuses copies and loading where they cannot be carried out, before anything is written.
///
/// # Errors
/// With the reason and what to do.
pub(crate) fn check(plan: &Plan) -> Result<(), Failure> {
    let suite = &plan.suite;
    if suite.passes.iter().all(|pass| pass.files().is_none()) {
        return Ok(());
    }
    for (copying, _) in copies(suite) {
        if manifest(plan, copying).is_none() {
            return Err(Failure::refused(format!("{} cannot be copied", copying.title()))
                .because("its list of sizes is another one than when the run was planned")
                .hint("begin a new run"));
        }
    }
    let directory = match &plan.place {
        // Nothing is opened in virtual time.
        Place::Simulated(_) => return Ok(()),
        Place::Apart(_) => unreachable!("drives apart carry no passes"),
        Place::Device(_) => {
            return Err(Failure::refused("copies and loading need a file system, and this is a device")
                .hint("make a file system on it, mount it, and name a directory there"));
        }
        Place::Directory(directory) => directory,
    };
    check_folders(plan, directory)?;
    if room_bytes(suite) == 0 {
        return Ok(());
    }
    check_room(suite, directory)?;
    check_nameless(directory)?;
    let most = copies(suite).map(|(copying, _)| u64::from(copying.files) * sets(suite, copying)).max();
    allow_open_files(most.unwrap_or(0))
}

/// A folder whose files are read lies on the drive that the result is about.
fn check_folders(plan: &Plan, directory: &Path) -> Result<(), Failure> {
    let loaded = |name: &str| {
        plan.suite
            .passes
            .iter()
            .any(|pass| matches!(&pass.workload, Workload::Loading(loading) if loading.folder == name))
    };
    let root = crate::sysfs::SysRoot::default();
    for folder in plan.suite.folders.iter().filter(|folder| loaded(&folder.name)) {
        if mounts::device_below(&root, &folder.path) != mounts::device_below(&root, directory) {
            return Err(Failure::refused(format!(
                "{} lies on another file system than {}",
                shown(&folder.path),
                shown(directory)
            ))
            .hint("name a directory on the folder's own file system as the target, or the folder itself"));
        }
    }
    Ok(())
}

fn check_room(suite: &Suite, directory: &Path) -> Result<(), Failure> {
    let Some(room) = target::room(directory) else { return Ok(()) };
    let levels = copies(suite).map(|(_, pass)| fillers_beside(directory, pass.before.fill));
    let needed = room_bytes(suite).saturating_add(levels.max().unwrap_or(0));
    if needed <= room.free {
        return Ok(());
    }
    let failure = Failure::refused("these copies do not fit").because(format!(
        "the largest of them takes {} at a time, and {} can be written here without taking what must stay free",
        format_capacity(needed),
        format_capacity(room.free)
    ));
    // What would fit is a smaller set, or a part of it.
    let percent = u128::from(room.free) * 99 / u128::from(needed.max(1));
    Err(if percent == 0 {
        failure.hint("free some space, or choose a smaller set with --set only=jpeg-2.37")
    } else {
        failure.hint(format!(
            "free some space, choose a smaller set with --set only=jpeg-2.37, or a part of each with --set scale={percent}, which is another method"
        ))
    })
}

fn check_nameless(directory: &Path) -> Result<(), Failure> {
    let refused = |errno: Errno| {
        Failure::refused("this file system cannot be copied on")
            .because(std::io::Error::from(errno))
            .hint("files of copies have no names, so that they go away however the program ends: choose a file system that has such files, as ext4, XFS, Btrfs and F2FS do")
    };
    let handle = open(directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    target::nameless(handle.map_err(refused)?.as_fd()).map(drop).map_err(refused)
}

/// Raises the number of files that this process may hold open as far as it needs.
fn allow_open_files(files: u64) -> Result<(), Failure> {
    let needed = files + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|now| now >= needed) {
        return Ok(());
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let allowed = limit.maximum.is_none_or(|most| most >= needed);
    if allowed && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    Err(Failure::refused(format!("these copies hold {needed} files open at a time"))
        .because(format!(
            "{} are allowed (`ulimit -Hn`)",
            limit.maximum.map_or_else(|| "fewer".to_owned(), |most| most.to_string())
        ))
        .hint("raise the limit, or choose a set of fewer files with --set only=jpeg-2.37 or a part of each with --set scale=10"))
}
