//! Targets and files that are refused: one sentence, a next step, nothing left behind.

use crate::program::{Ended, PROGRAM, Place};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

#[test]
fn targets_in_memory_or_of_the_wrong_kind() {
    let place = Place::new();
    fs::write(place.path("file"), "content").unwrap();
    for (target, code, words) in [
        ("sim:qlc?gb=1", 2, "there is no simulated drive `qlc`"),
        ("file", 2, "cliffmark cell"),
        ("missing", 1, "cannot measure in missing"),
    ] {
        let ended = place.run(&["run", target, "--suite", "tiny.toml", "--yes"]);
        assert_eq!((ended.code, ended.err.contains(words)), (code, true), "{target}: {}", ended.err);
        assert!(ended.out.is_empty(), "{}", ended.out);
    }
    if Path::new("/dev/shm").is_dir() {
        let memory = tempfile::tempdir_in("/dev/shm").unwrap();
        let target = memory.path().to_str().unwrap();
        let ended = place.run(&["run", target, "--suite", "tiny.toml", "--yes"]);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains("keeps files in memory"), "{}", ended.err);
        assert_eq!(fs::read_dir(memory.path()).unwrap().count(), 0);
    } else {
        panic!("this machine has no /dev/shm: the refusal of file systems in memory cannot be tried");
    }
    assert_eq!(fs::read(place.path("file")).unwrap(), b"content");
    assert!(!place.path("config").exists(), "no key is made for a run that does not start");
}

#[test]
fn a_file_that_does_not_fit_is_refused_before_it_is_made() {
    let Some(place) = Place::on_drive() else { return };
    let ended = place.run(&["run", "disk", "--suite", "tiny.toml", "--set", "size=1000TiB", "--yes"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("does not fit"), "{}", ended.err);
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn an_existing_bundle_is_never_overwritten() {
    let place = Place::new();
    fs::write(place.path("old.cliffmark"), "precious").unwrap();
    for out in ["old.cliffmark", "none/new.cliffmark"] {
        let ended = place.run(&["run", "disk", "--suite", "tiny.toml", "--yes", "--out", out]);
        assert_eq!(ended.code, 1);
        assert!(ended.err.contains("hint: "), "{}", ended.err);
    }
    assert_eq!(fs::read(place.path("old.cliffmark")).unwrap(), b"precious");
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn a_dry_run_does_nothing() {
    let Some(place) = Place::on_drive() else { return };
    let ended = place.run(&["run", "disk", "--suite", "tiny.toml", "--dry-run"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("tiny: 3 cells"), "{}", ended.out);
    assert!(!place.path("config").exists());
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn a_dry_run_is_refused_for_what_the_run_would_be() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = ["run", "disk", "--suite", "tiny.toml", "--yes"];
    place.run(&["key", "new"]);
    let key = place.path("config/cliffmark/key");
    for dry in [&["--dry-run"][..], &[]] {
        let run = |more: &[&str]| place.run(&[&arguments[..], dry, more].concat());
        let serial = run(&["--confirm-serial", "S1"]);
        assert_eq!(serial.code, 2, "{}", serial.err);
        assert!(serial.err.contains("this is a directory") && serial.out.is_empty(), "{}", serial.err);

        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        let open_key = run(&[]);
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(open_key.code, 1);
        assert!(open_key.err.contains("chmod 600"), "{}", open_key.err);

        // The shell's limit in blocks of 512 bytes: 1 MiB, and the suite's file has 16.
        let mut shell = place.other("sh");
        shell.args(["-c", "ulimit -f 2048; exec \"$0\" \"$@\"", PROGRAM]).args(arguments).args(dry);
        let limited = Ended::from(shell.output().unwrap());
        assert_eq!(limited.code, 1, "{}", limited.err);
        let words = ["limited to 1 MiB (`ulimit -f`)", "choose a smaller size"];
        assert!(words.iter().all(|words| limited.err.contains(words)), "{}", limited.err);
        assert_eq!(place.names("disk"), [""; 0]);
    }
}

#[test]
fn damaged_bundles_are_named_as_such() {
    let Some(place) = Place::with_result() else { return };
    let good = fs::read(place.path("result.cliffmark")).unwrap();
    fs::write(place.path("cut"), &good[..good.len() / 2]).unwrap();
    fs::write(place.path("text"), "no bundle").unwrap();
    for file in ["cut", "text", "missing"] {
        for command in [&["verify", file][..], &["show", file], &["export", file, "--format", "csv"]] {
            let ended = place.run(command);
            assert_eq!(ended.code, 1, "{command:?}");
            assert!(ended.err.starts_with("error: ") && ended.out.is_empty(), "{}", ended.err);
        }
    }
    let ended = place.run(&["show", "text"]);
    assert!(ended.err.contains("text is no bundle") && ended.err.contains("\nhint: "), "{}", ended.err);
}
