//! Stories about a program that is stopped, asked to end, or killed.

use crate::{
    host::{Bench, LoopDevice},
    program::{Running, cliffmark, run},
    suites::{suite, suite_of},
};
use model::document::Outcome;
use rustix::process::Signal;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
/// How long the program is stopped: a gap of fifteen bins.
const GAP: Duration = Duration::from_millis(1500);

#[test]
fn a_gap_in_time_is_shown_as_empty_bins_and_one_long_latency() {
    let Some(bench) = Bench::new("SIGSTOP and SIGCONT", &["losetup", "mount", "mkfs.ext4"]) else { return };
    let image = bench.ext4_image("image", 96 * MIB, &[]);
    let mounted = LoopDevice::new(&image, 512).mount(&bench.path().join("mnt"));
    let tiny = bench.write("tiny.toml", &suite_of("8MiB", 6, &[("rand-read", "4KiB", 1)]));
    let arguments = ["run", mounted.text(), "--suite", &tiny, "--yes", "--json", "--out", "gap.cliffmark"];
    let running = Running::start(&mut cliffmark(bench.path(), &arguments));
    running.says("measuring");
    running.reads(MIB);
    running.signal(Signal::STOP);
    // The gap is what is tested, not something to wait for.
    std::thread::sleep(GAP);
    running.signal(Signal::CONT);
    let document = running.finish().measured().document();
    let [cell] = document.cells.as_slice() else { panic!("{:?}", document.cells) };
    let read = cell.loops[0].read.as_ref().unwrap();
    let longest = read.bins.split(|bytes| *bytes > 0).map(<[u64]>::len).max().unwrap();
    assert!(longest >= 13, "a gap of 15 bins: {:?}", read.bins);
    assert!(read.latency.max().unwrap().0 >= 1_000_000_000, "one I/O took as long as the gap");
    assert!(read.latency.percentile(50_000).unwrap().0 < 500_000_000, "and only one");
    assert!(cell.loops[0].elapsed_ns >= 6_000_000_000, "the gap is part of the time that is divided by");
    let verified = run(cliffmark(bench.path(), &["verify", "gap.cliffmark"]));
    assert!(
        verified.expect(0).text().contains("\nremark: No I/O completed for a second or more"),
        "{}",
        verified.text()
    );
}

#[test]
fn a_killed_program_leaves_no_file_behind() {
    let Some(bench) = Bench::for_anyone("SIGKILL", &[]) else { return };
    let disk = bench.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let tiny = bench.write("tiny.toml", &suite_of("64MiB", 60, &[("rand-write", "4KiB", 8)]));
    for moment in ["filling", "measuring"] {
        let mut command =
            cliffmark(bench.path(), &["run", "disk", "--suite", &tiny, "--yes", "--allow-void"]);
        let running = Running::start(&mut command);
        running.says(moment);
        running.signal(Signal::KILL);
        assert_eq!(running.finish().code, None, "it ended by the signal");
        assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 0, "killed while {moment}");
    }
    let bundles = std::fs::read_dir(bench.path()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(
        bundles.filter(|path| path.extension().is_some_and(|ending| ending == "cliffmark")).count(),
        0
    );
}

#[test]
fn ctrl_c_leaves_a_valid_bundle_of_the_cells_before_it() {
    let Some(bench) = Bench::for_anyone("SIGINT", &[]) else { return };
    let tiny = bench.write("tiny.toml", &suite("8MiB", &[("rand-read", "4KiB", 8)]));
    let arguments =
        ["run", ".", "--suite", &tiny, "--runs", "60", "--yes", "--json", "--allow-void", "--out"];
    let arguments = [&arguments[..], &["part.cliffmark"]].concat();
    let running = Running::start(&mut cliffmark(bench.path(), &arguments));
    running.says("cell 1:");
    running.signal(Signal::INT);
    let end = running.finish();
    let document = end.expect(130).document();
    assert_eq!(document.outcome, Outcome::Interrupted);
    assert!((1..60).contains(&document.cells.len()), "{}", end.stderr);
    assert!(!document.cells[0].loops.is_empty());
    run(cliffmark(bench.path(), &["verify", "part.cliffmark"])).expect(0);
}

#[test]
fn ctrl_c_twice_ends_at_once() {
    let Some(bench) = Bench::for_anyone("SIGINT twice", &[]) else { return };
    // At 4,096 I/Os in flight on one file a drain can take its time; the second signal does not wait for it.
    let tiny = bench.write("tiny.toml", &suite_of("64MiB", 60, &[("rand-write", "64KiB", 256)]));
    let mut command = cliffmark(bench.path(), &["run", ".", "--suite", &tiny, "--yes", "--allow-void"]);
    let running = Running::start(&mut command);
    running.says("measuring");
    running.signal(Signal::INT);
    running.says("again to end at once");
    let asked = Instant::now();
    running.signal(Signal::INT);
    // It may also have drained in between, which ends with the same code.
    let end = running.finish();
    let told = ["ended at once; `cliffmark resume ", "interrupted: "];
    assert!(told.iter().any(|words| end.expect(130).stderr.contains(words)), "{}", end.stderr);
    assert!(asked.elapsed() < Duration::from_secs(60), "not the end of the loop");
}
