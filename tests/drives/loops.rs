//! Stories on loop devices: sector sizes, a write cliff, errors, and drives that are gone in the middle of a run.

use crate::{
    bucket::{BUCKET, BURSTS, CLIFF, DRIVE_BYTES, assert_bursts, assert_cliff},
    end::is_whole,
    host::{Bench, Daemon, LoopDevice, Mounted},
    program::{Running, cliffmark, run},
    suites::{suite, suite_of},
};
use model::{
    Reading,
    document::{CellErrorKind, CellStatus, Outcome},
    drive::Transport,
    proof::{Unproven, VoidReason},
};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
const LOOPS: [&str; 3] = ["losetup", "mount", "mkfs.ext4"];
const DAEMON: [&str; 4] = ["qemu-storage-daemon", "losetup", "mount", "mkfs.ext4"];

#[test]
fn blocks_of_512_bytes_are_refused_on_a_drive_with_sectors_of_4_kib_only() {
    let Some(bench) = Bench::new("sectors of 512 and 4096 bytes", &LOOPS) else { return };
    for sector in [512, 4096] {
        let image = bench.ext4_image(&format!("image{sector}"), 96 * MIB, &[]);
        let mounted = LoopDevice::new(&image, sector).mount(&bench.path().join(format!("on{sector}")));
        let cell = |block: &str| {
            let arguments = ["cell", mounted.text(), "--pattern", "randread", "--block", block, "--qd", "4"];
            run(cliffmark(
                bench.path(),
                &[&arguments[..], &["--size", "8MiB", "--seconds", "1", "--json"]].concat(),
            ))
        };
        let end = cell("512");
        if sector == 512 {
            assert_eq!(end.measured().json()["block_bytes"], 512);
        } else {
            assert!(end.expect(3).stdout.is_empty());
            assert!(end.stderr.contains("this target needs multiples of 4 KiB"), "{}", end.stderr);
        }
        assert_eq!(cell("4096").measured().json()["block_bytes"], 4096);

        let tiny = bench.write(&format!("tiny{sector}.toml"), &suite("8MiB", &[("seq-write", "64KiB", 2)]));
        let document =
            run(cliffmark(bench.path(), &["run", mounted.text(), "--suite", &tiny, "--yes", "--json"]))
                .measured()
                .document();
        assert_eq!(document.drive.stack.first().map(String::as_str), Some("loop"));
        let [cell] = document.cells.as_slice() else { panic!("{:?}", document.cells) };
        assert_eq!(cell.proof.dio_offset_align, Reading::Known(sector));
        assert_eq!(std::fs::read_dir(mounted.path()).unwrap().count(), 1, "only lost+found is left");
    }
}

/// A file system on a drive of the storage daemon.
fn on_daemon(bench: &Bench, daemon: Daemon) -> Mounted {
    let file = daemon.file().to_owned();
    LoopDevice::new(&file, 512).on(daemon).mount(&bench.path().join("mnt"))
}

#[test]
fn a_write_cliff_that_begins_during_the_run_is_in_the_bins() {
    let Some(bench) = Bench::new("a write cliff behind a loop device", &DAEMON) else { return };
    let image = bench.ext4_image("image", 256 * MIB, &[]);
    let daemon = Daemon::start(&bench, &image, &[]);
    // A bucket of 64 MiB, of which the test file takes 16 MiB before the first cell.
    daemon.limit_writes(2 * MIB, 32 * MIB, 2);
    let mounted = on_daemon(&bench, daemon);
    let tiny = bench.write("tiny.toml", &suite_of("16MiB", 8, &[("seq-write", "128KiB", 4)]));
    let end = run(cliffmark(bench.path(), &["run", mounted.text(), "--suite", &tiny, "--yes", "--json"]));
    let document = end.measured().document();
    assert_eq!(
        document.drive.transport,
        Transport::Software,
        "what lies behind a daemon's file is not looked at"
    );
    assert!(document.cells[0].proof.unproven.contains(&Unproven::LoopDevice));
    let write = document.cells[0].loops[0].write.as_ref().unwrap();
    let before: u64 = write.bins[..10].iter().sum();
    let after: u64 = write.bins[write.bins.len() - 20..].iter().sum::<u64>() / 2;
    assert!(
        before > 4 * after,
        "{before} B in the first second, {after} B in each of the last: {:?}",
        write.bins
    );
}

#[test]
fn the_size_of_a_leaky_bucket_is_found_by_a_cliff_and_by_bursts() {
    if Bench::new("a leaky bucket behind a loop device", &DAEMON).is_none() {
        return;
    }
    let told = |suite: &str, values: &[&str]| {
        // Each begins with an empty bucket.
        let bench = Bench::new(suite, &DAEMON).expect("there was one before");
        let image = bench.ext4_image("image", DRIVE_BYTES, &[]);
        let daemon = Daemon::start(&bench, &image, &[]);
        daemon.limit_writes(BUCKET.leak, BUCKET.fill, BUCKET.seconds);
        let mounted = on_daemon(&bench, daemon);
        let mut arguments = vec!["run", mounted.text(), "--suite", suite, "--yes", "--json"];
        arguments.extend(["--out", "one.cliffmark"]);
        arguments.extend(values.iter().flat_map(|value| ["--set", value]));
        let end = run(cliffmark(bench.path(), &arguments));
        let document = end.measured().document();
        run(cliffmark(bench.path(), &["verify", "one.cliffmark"])).expect(0);
        (document, run(cliffmark(bench.path(), &["show", "one.cliffmark"])).expect(0).text())
    };
    let (document, words) = told("cliff", CLIFF);
    assert_cliff(&document, &words);
    let (document, words) = told("bursts", BURSTS);
    assert_bursts(&document, &words);
}

/// As on the emulated drive: some of the bad sectors lie in the test file, wherever it lies.
#[test]
fn read_errors_fail_the_cell_and_say_where() {
    let Some(bench) = Bench::new("read errors behind a loop device", &DAEMON) else { return };
    let image = bench.ext4_image("image", 96 * MIB, &["-O", "^has_journal"]);
    let faults: Vec<Value> = (1..12)
        .map(|place| {
            let sector = place * 8 * MIB / 512;
            json!({ "event": "none", "iotype": "read", "errno": 5, "once": false, "sector": sector })
        })
        .collect();
    let mounted = on_daemon(&bench, Daemon::start(&bench, &image, &faults));
    let arguments = ["cell", mounted.text(), "--pattern", "seqread", "--block", "1MiB", "--qd", "1"];
    let arguments = [&arguments[..], &["--size", "56MiB", "--seconds", "20", "--json"]].concat();
    let end = run(cliffmark(bench.path(), &arguments));
    end.expect(1);
    assert!(end.stdout.is_empty(), "no figures: {}", end.text());
    assert!(end.stderr.contains("Input/output error") && end.stderr.contains("at byte "), "{}", end.stderr);
    assert_eq!(std::fs::read_dir(mounted.path()).unwrap().count(), 1, "only lost+found is left");
}

#[test]
fn a_drive_whose_daemon_is_killed_ends_the_run_with_what_was_measured_before() {
    let Some(bench) = Bench::new("a drive is gone behind a loop device", &DAEMON) else { return };
    let image = bench.ext4_image("image", 96 * MIB, &[]);
    let daemon = Daemon::start(&bench, &image, &[]);
    let kill = daemon.killer();
    let mounted = on_daemon(&bench, daemon);
    let tiny = bench.write("tiny.toml", &suite("8MiB", &[("rand-read", "4KiB", 8)]));
    let arguments = ["run", mounted.text(), "--suite", &tiny, "--runs", "60", "--yes", "--json", "--out"];
    let arguments = [&arguments[..], &["gone.cliffmark"]].concat();
    let running = Running::start(&mut cliffmark(bench.path(), &arguments));
    running.says("cell 1:");
    kill();
    let end = running.finish();
    let document = end.expect(1).document();
    assert_eq!(document.outcome, Outcome::Failed);
    let (last, before) = document.cells.split_last().unwrap();
    assert!(!before.is_empty() && before.len() < 59, "gone in the middle: {}", end.stderr);
    assert!(before.iter().all(is_whole), "{}", end.stderr);
    assert_eq!((last.status, &last.void[..]), (CellStatus::Failed, &[VoidReason::IoError][..]));
    assert_eq!(last.error.unwrap().kind, CellErrorKind::Io);
    assert!(last.loops.is_empty(), "no figure of nothing");
    run(cliffmark(bench.path(), &["verify", "gone.cliffmark"])).expect(0);
}

#[test]
fn a_file_that_is_cut_while_it_is_read_gives_no_figures_of_nothing() {
    let Some(bench) = Bench::for_anyone("a file is cut while it is read", &[]) else { return };
    let path = bench.write("file", "");
    std::fs::write(&path, vec![7; 8 << 20]).unwrap();
    std::fs::File::open(&path).unwrap().sync_all().unwrap();
    let arguments =
        ["cell", &path, "--pattern", "randread", "--block", "4KiB", "--qd", "4", "--seconds", "60"];
    let running = Running::start(&mut cliffmark(bench.path(), &[&arguments[..], &["--json"]].concat()));
    running.reads(MIB);
    std::fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    let end = running.finish();
    end.expect(1);
    assert!(end.stdout.is_empty(), "{}", end.text());
    assert!(end.stderr.contains("fewer bytes than asked for"), "{}", end.stderr);
}
