//! Copies and loading: every byte is moved, files of ours go away, files of the user's stay as they are.

use crate::program::{Ended, Place, open};
use model::{
    ResultDocument,
    document::{CellStatus, Outcome, Transfer},
    files::{CopyStep, FILE_UNIT_BYTES},
    pass::{Pass, Workload},
    proof::Unproven,
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::MetadataExt as _,
    process::Stdio,
};
use workloads::Manifest;

/// The smallest set, 24 MB of it.
const TINY: [&str; 7] = ["--suite", "copies", "--set", "only=jpeg-2.37", "--set", "scale=1", "--yes"];

fn run(place: &Place, out: &str, arguments: &[&str]) -> Ended {
    let ended = place.run(&[&["run", "disk", "--out", out][..], arguments].concat());
    assert!(matches!(ended.code, 0 | 4), "{}\n{}", ended.out, ended.err);
    assert_eq!(place.names("disk"), [""; 0]);
    ended
}

fn step(pass: &Pass) -> Option<CopyStep> {
    match &pass.method.workload {
        Workload::Copying(copying) => Some(copying.step),
        _ => None,
    }
}

fn checked(document: &ResultDocument) {
    let findings = analysis::plausibility::check(document);
    assert!(findings.iter().all(|finding| !finding.fatal), "{findings:?}");
}

#[test]
fn a_copy_moves_every_byte_and_leaves_nothing() {
    let Some(place) = Place::on_drive() else { return };
    let ended = run(&place, "a.cliffmark", &TINY);
    assert!(ended.out.contains("Target  new files of up to 47.4"), "{}", ended.out);
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    checked(document);
    assert_eq!(document.passes.len(), 3);
    let sizes = Manifest::preset("jpeg-2.37").unwrap().part(1).entries;
    let moved: u64 = sizes.iter().map(|entry| entry.bytes.next_multiple_of(FILE_UNIT_BYTES)).sum();
    for (pass, wanted) in document.passes.iter().zip(CopyStep::ALL) {
        assert_eq!(step(pass), Some(wanted));
        assert!(matches!(pass.status, CellStatus::Complete | CellStatus::Void), "{:?}", pass.error);
        assert_eq!(pass.method.span_bytes, 23_700_000);
        let bytes = |side: &Option<model::document::Transfer>| side.as_ref().map(|side| side.bytes);
        assert_eq!(bytes(&pass.read), wanted.reads().then_some(moved));
        assert_eq!(bytes(&pass.write), wanted.writes().then_some(moved));
        assert_eq!(pass.settled_ns.is_some(), wanted.writes());
        assert!(pass.settled_ns.is_none_or(|settled| settled >= pass.elapsed_ns));
        assert_eq!(pass.preparation, None, "each step finds what the one before left");
        let files: u32 = pass.files.as_ref().unwrap().classes.iter().map(|class| class.files).sum();
        assert_eq!(files as usize, sizes.len());
        if let Some(extents) = pass.proof.extents.known() {
            assert_eq!((extents.hole_bytes, extents.unwritten_bytes, extents.shared_bytes), (0, 0, 0));
        }
    }
    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
    let shown = place.run(&["show", "a.cliffmark"]).out;
    assert!(shown.contains("jpeg-2.37 at 1 % on the drive") && shown.contains("durable"), "{shown}");
    let table = shown.lines().filter(|line| line.starts_with("jpeg-2.37") || line.starts_with("files"));
    assert!(table.clone().count() == 4 && table.clone().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn a_step_alone_writes_its_files_first_and_says_so() {
    let Some(place) = Place::on_drive() else { return };
    run(&place, "a.cliffmark", &[&TINY[..], &["--set", "steps=read-out"]].concat());
    let verified = open(&place.path("a.cliffmark"));
    let [pass] = &verified.document().passes[..] else { panic!("one pass") };
    let written = pass.preparation.as_ref().unwrap().bytes;
    assert_eq!((Some(written), &pass.write), (pass.read.as_ref().map(|side| side.bytes), &None));
}

#[test]
fn copies_that_were_killed_go_on_and_leave_nothing() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = [&["run", "disk", "--out", "a.cliffmark", "--set", "passes=20"][..], &TINY].concat();
    let arguments = [&arguments[..], &["--set", "pause=0"]].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("4: ")).expect("the run comes that far");
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "the run was killed");
    assert_eq!(place.names("disk"), [""; 0]);
    assert_eq!(place.names("state/cliffmark").len(), 1, "the journal stays, and no note of a file");

    let ended = place.run(&["resume", "--yes"]);
    assert!(matches!(ended.code, 0 | 4), "{}\n{}", ended.out, ended.err);
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    checked(document);
    assert_eq!((document.outcome, document.passes.len()), (Outcome::Complete, 60));
    let [one] = &document.resumptions[..] else { panic!("{:?}", document.resumptions) };
    assert!(one.cells_before >= 4);
    for (index, pass) in document.passes.iter().enumerate() {
        let first = index == one.cells_before as usize;
        let needs_files = step(pass).unwrap().reads();
        assert!(!(first && needs_files) || pass.preparation.is_some(), "{index}");
    }
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn copies_that_are_interrupted_keep_whole_steps() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = [&["run", "disk", "--out", "a.cliffmark", "--set", "passes=50"][..], &TINY].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("1: ")).expect("the run comes that far");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    checked(document);
    assert_eq!(document.outcome, Outcome::Interrupted);
    assert!((1..150).contains(&document.passes.len()));
    assert!(document.passes.iter().all(|pass| pass.status != CellStatus::Partial));
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_is_written() {
    let Some(place) = Place::on_drive() else { return };
    // Only its size is taken.
    fs::create_dir(place.path("large")).unwrap();
    fs::File::create(place.path("large/image")).unwrap().set_len(8 << 40).unwrap();
    let ended = place.run(&["run", "disk", "--suite", "copies", "--set", "folder=large", "--yes"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("do not fit") && ended.err.contains("--set"), "{}", ended.err);

    let limited = |limit: &str, arguments: &str| {
        let script =
            format!("ulimit {limit} && exec \"$0\" run disk --suite copies --set only=jpeg-2.37 {arguments}");
        let mut command = place.other("sh");
        Ended::from(command.args(["-c", &script, crate::program::PROGRAM]).output().unwrap())
    };
    let ended = limited("-n 500", "--yes");
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("files open at a time") && ended.err.contains("ulimit -Hn"), "{}", ended.err);
    let ended = limited("-S -n 300", "--set steps=write --set block=4MiB --yes --out soft.cliffmark");
    assert!(matches!(ended.code, 0 | 4), "the soft limit is raised: {}", ended.err);
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn a_folder_that_is_loaded_stays_as_it_is_and_is_not_named() {
    let Some(place) = Place::on_drive() else { return };
    let folder = place.path("disk/private");
    fs::create_dir_all(folder.join("below")).unwrap();
    let contents = [("a", 5_000), ("below/large", 3 << 20), ("below/none", 0), ("z", 70_000)];
    for (name, bytes) in contents {
        let content: Vec<u8> =
            (0..bytes).map(|index: u32| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let file = fs::File::create(folder.join(name)).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
        // Long ago, so that a read would change the time of access on any mount.
        let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        file.set_times(fs::FileTimes::new().set_accessed(long_ago).set_modified(long_ago)).unwrap();
        file.sync_all().unwrap();
    }
    let seen = || {
        contents.map(|(name, _)| {
            let found = fs::metadata(folder.join(name)).unwrap();
            (found.atime(), found.atime_nsec(), found.mtime(), found.ctime(), found.ctime_nsec(), found.len())
        })
    };
    let before = seen();
    for (out, order) in [("a.cliffmark", "sorted"), ("b.cliffmark", "shuffled:7")] {
        let order = format!("order={order}");
        let arguments =
            ["run", "disk", "--suite", "loading", "--set", "folder=disk/private", "--set", &order, "--yes"];
        let ended = place.run(&[&arguments[..], &["--set", "parallel=2", "--out", out]].concat());
        assert!(matches!(ended.code, 0 | 4), "{}\n{}", ended.out, ended.err);
        assert_eq!(seen(), before, "only read");
        assert_eq!(place.names("disk"), ["private"]);
        let verified = open(&place.path(out));
        let document = verified.document();
        checked(document);
        let told = serde_json::to_string(document).unwrap();
        assert!(!told.contains("private") && !told.contains("below/"), "{told}");
        assert_eq!(document.passes.len(), 3);
        for pass in &document.passes {
            assert_eq!(pass.write, None);
            assert_eq!(pass.method.span_bytes, 5_000 + (3 << 20) + 70_000);
            assert_eq!(pass.read.as_ref().unwrap().bytes, 8_192 + (3 << 20) + 73_728);
            let moved = pass.files.as_ref().unwrap();
            let classes: Vec<(u32, u64)> =
                moved.classes.iter().map(|class| (class.files, class.bytes)).collect();
            assert_eq!(classes, [(2, 5_000), (1, 70_000), (1, 3 << 20)]);
            let cached = pass.proof.unproven.contains(&Unproven::Cold);
            assert_eq!(cached, moved.buffered > 0);
        }
        let shown = place.run(&["show", out]).out;
        assert!(shown.contains("64 KiB to 1 MiB") && shown.contains(" each"), "{shown}");
    }
    fs::write(folder.join("a"), "changed").unwrap();
}

#[test]
fn a_folder_on_another_file_system_is_refused() {
    let Some(place) = Place::on_drive() else { return };
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    fs::write(elsewhere.path().join("file"), [1; 5_000]).unwrap();
    let folder = format!("folder={}", elsewhere.path().display());
    let ended = place.run(&["run", "disk", "--suite", "loading", "--set", &folder, "--yes"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("another file system"), "{}", ended.err);
}

/// Seconds of each copy to a simulated drive.
fn seconds(place: &Place, drive: &str) -> Vec<f64> {
    let out = format!("{drive}.cliffmark");
    let arguments = ["--set", "only=game-54,game-96,game-150", "--set", "steps=write"];
    let target = format!("sim:{drive}");
    let all = [&["run", &target, "--suite", "copies", "--out", &out][..], &arguments].concat();
    let ended = place.run(&all);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let verified = open(&place.path(&out));
    checked(verified.document());
    assert_eq!(place.run(&["verify", &out]).code, 0);
    let copies = verified.document().passes.iter().filter(|pass| step(pass).is_some());
    copies.map(|pass| model::units::Nanos(pass.elapsed_ns).as_secs_f64()).collect()
}

/// Source: ITmedia's review of the 860 QVO 4 TB against the 860 EVO 4 TB: folders of games were copied to both.
#[test]
fn copies_tell_the_story_of_a_cache_as_its_review_did() {
    let place = Place::new();
    let (qvo, evo) = (seconds(&place, "860-qvo-4tb"), seconds(&place, "860-evo-4tb"));
    let [at_54, at_96, at_150] = [0, 1, 2].map(|index| qvo[index] / evo[index]);
    assert!((0.97..1.03).contains(&at_54), "54 GB fit the cache: {at_54}");
    assert!((1.2..2.0).contains(&at_96), "96 GB do not: {at_96}");
    assert!((2.0..2.5).contains(&at_150), "150 GB take more than twice as long: {at_150}");
    let stuck = seconds(&place, "860-qvo-4tb?dynamic-cache=stuck");
    let against_empty = stuck[0] / qvo[0];
    assert!((2.7..3.3).contains(&against_empty), "nearly three times as long: {against_empty}");
    let shown = place.run(&["show", "860-qvo-4tb.cliffmark"]).out;
    assert!(shown.contains("game-96 to the drive\n  Fast writing ended after 7"), "{shown}");
}

#[test]
fn small_files_take_longer_for_their_bytes_than_a_large_one() {
    let place = Place::new();
    fs::create_dir_all(place.path("small")).unwrap();
    fs::create_dir_all(place.path("large")).unwrap();
    for number in 0..1_000 {
        fs::write(place.path(&format!("small/{number}")), [0; 16_384]).unwrap();
    }
    fs::write(place.path("large/one"), vec![0; 16_384_000]).unwrap();
    let passes = |suite: &str, folder: &str| -> Vec<(u64, u64)> {
        let (of, out) = (format!("folder={folder}"), format!("{suite}-{folder}.cliffmark"));
        let run = ["run", "sim:860-evo-4tb", "--suite", suite, "--set", &of, "--yes", "--out", &out];
        let ended = place.run(&run);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let verified = open(&place.path(&out));
        checked(verified.document());
        let bytes = |side: &Option<Transfer>| side.as_ref().map_or(0, |side| side.bytes);
        let passes = verified.document().passes.iter().filter(|pass| pass.files.is_some());
        passes.map(|pass| (pass.elapsed_ns, bytes(&pass.read).max(bytes(&pass.write)))).collect()
    };
    for suite in ["loading", "copies"] {
        let (small, large) = (passes(suite, "small"), passes(suite, "large"));
        assert!(!small.is_empty() && small.len() == large.len());
        for ((small, small_bytes), (large, large_bytes)) in small.into_iter().zip(large) {
            assert_eq!((small_bytes, large_bytes), (16_384_000, 16_384_000));
            assert!(small > large * 5 / 4, "{suite}: {small} against {large} ns");
        }
    }
}

#[test]
fn a_simulated_copy_has_all_its_steps() {
    let place = Place::new();
    let ended = place.run(&["run", "sim:980-pro-2tb", "--suite", "copies", "--out", "a.cliffmark"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let verified = open(&place.path("a.cliffmark"));
    checked(verified.document());
    assert_eq!(verified.document().passes.iter().filter(|pass| step(pass).is_some()).count(), 15);
}
