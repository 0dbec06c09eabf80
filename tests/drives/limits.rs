//! Stories about what the system does not grant: space, memory that may be locked, a ring, speed.

use crate::{
    host::{Bench, LoopDevice, Mounted},
    program::{Running, cliffmark, run, within},
    seccomp,
    skip::skip,
    suites::{suite, suite_of},
};
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;
const LOOPS: [&str; 3] = ["losetup", "mount", "mkfs.ext4"];

#[test]
fn a_plan_that_does_not_fit_is_refused_and_a_full_drive_is_no_crash() {
    let Some(bench) = Bench::new("a full small file system", &LOOPS) else { return };
    let image = bench.ext4_image("image", 64 * MIB, &[]);
    let mounted = LoopDevice::new(&image, 512).mount(&bench.path().join("mnt"));
    let tiny = bench.write("tiny.toml", &suite("48MiB", &[("rand-read", "4KiB", 8)]));
    let end = run(cliffmark(bench.path(), &["run", mounted.text(), "--suite", &tiny, "--yes"]));
    assert!(end.expect(3).stderr.contains("does not fit"), "{}", end.stderr);

    // A sparse file of somebody's, larger than its file system: every write allocates.
    let sparse = mounted.path().join("sparse");
    std::fs::File::create_new(&sparse).unwrap().set_len(1 << 30).unwrap();
    let arguments =
        ["cell", sparse.to_str().unwrap(), "--pattern", "seqwrite", "--block", "1MiB", "--qd", "4"];
    let rest = ["--seconds", "60", "--overwrite", "--allow-void", "--json"];
    let end = run(cliffmark(bench.path(), &[&arguments[..], &rest].concat()));
    end.expect(1);
    assert!(end.stdout.is_empty() && end.stderr.contains("no space was left"), "{}", end.stderr);
    assert_eq!(
        std::fs::metadata(&sparse).unwrap().len(),
        1 << 30,
        "a file of others is never resized or deleted"
    );
}

#[test]
fn a_drive_that_becomes_full_while_the_test_file_is_written_leaves_nothing() {
    let Some(bench) = Bench::new("a drive becomes full in mid-write", &LOOPS) else { return };
    let memory = Mounted::in_memory(&bench.path().join("memory"), 24 * MIB);
    let image = memory.path().join("image");
    std::fs::File::create_new(&image).unwrap().set_len(96 * MIB).unwrap();
    crate::host::make_ext4(&image, &[]);
    let mounted = LoopDevice::new(&image, 4096).on(memory).mount(&bench.path().join("mnt"));
    let tiny = bench.write("tiny.toml", &suite("40MiB", &[("rand-read", "4KiB", 8)]));
    let end = run(cliffmark(
        bench.path(),
        // The file behind the loop device lies in memory, which is refused unless void figures are asked for.
        &["run", mounted.text(), "--suite", &tiny, "--yes", "--allow-void", "--out", "x.cliffmark"],
    ));
    end.expect(1);
    let said = &end.stderr;
    assert!(said.contains("became full") || said.contains("could not be written"), "{said}");
    assert_eq!(std::fs::read_dir(mounted.path()).unwrap().count(), 1, "only lost+found is left");
    assert!(!bench.path().join("x.cliffmark").exists(), "no bundle of nothing");
}

#[test]
fn a_user_who_may_lock_little_memory_measures_without_fixed_buffers() {
    let story = "a plain user with a small memlock";
    let Some(bench) = Bench::new(story, &["setpriv", "prlimit"]) else { return };
    let around =
        ["prlimit", "--memlock=65536", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    std::os::unix::fs::chown(bench.path(), Some(65534), Some(65534)).unwrap();
    if run(within(bench.path(), &around, &["--version"])).code != Some(0) {
        skip(story, "a plain user may not enter the build directory");
        return;
    }
    let arguments = ["cell", ".", "--pattern", "randread", "--block", "4KiB", "--qd", "64", "--size", "8MiB"];
    let end = run(within(
        bench.path(),
        &around,
        &[&arguments[..], &["--seconds", "1", "--json", "--allow-void"]].concat(),
    ));
    let report = end.expect(0).json();
    assert_eq!(report["engine"]["class"], "uring", "{report:#}");
    let features = report["engine"]["features"].as_array().unwrap();
    assert!(!features.iter().any(|feature| feature == "fixed-buffers"), "{report:#}");
    let reason = "fixed-buffers: ENOMEM, RLIMIT_MEMLOCK is 64 KiB";
    assert!(refused(&report).iter().any(|text| text.starts_with(reason)), "{report:#}");
    assert!(report["ios"].as_u64().unwrap() > 0);
}

#[test]
fn without_io_uring_threads_measure_and_the_reason_is_told() {
    let Some(bench) = Bench::for_anyone("seccomp denies io_uring", &[]) else { return };
    let tiny =
        bench.write("tiny.toml", &suite("8MiB", &[("rand-read", "4KiB", 4), ("seq-write", "64KiB", 2)]));
    for (errno, reason) in [
        (libc::EPERM, "io-uring: EPERM by a seccomp filter or security module"),
        (libc::ENOSYS, "io-uring: ENOSYS, a kernel without io_uring or a seccomp filter"),
    ] {
        let arguments =
            ["cell", ".", "--pattern", "randread", "--block", "4KiB", "--qd", "4", "--size", "8MiB"];
        let mut command = cliffmark(
            bench.path(),
            &[&arguments[..], &["--seconds", "1", "--json", "--allow-void"]].concat(),
        );
        seccomp::deny_rings(&mut command, errno);
        let report = run(command).expect(0).json();
        assert_eq!(report["engine"]["class"], "threads", "{report:#}");
        assert_eq!(refused(&report), [reason], "{report:#}");
        assert!(report["ios"].as_u64().unwrap() > 0);

        let out = format!("without{errno}.cliffmark");
        let mut command = cliffmark(
            bench.path(),
            &["run", ".", "--suite", &tiny, "--yes", "--json", "--out", &out, "--allow-void"],
        );
        seccomp::deny_rings(&mut command, errno);
        let document = run(command).document();
        assert_eq!(document.engine.class, model::document::EngineClass::Threads);
        assert!(document.engine.refused.iter().any(|text| text == reason), "{:?}", document.engine.refused);
        assert!(document.cells.iter().all(|cell| cell.error.is_none() && !cell.loops.is_empty()));
        run(cliffmark(bench.path(), &["verify", &out])).expect(0);
    }
    // 300 in flight would take as many threads.
    let arguments =
        ["cell", ".", "--pattern", "randread", "--block", "4KiB", "--qd", "300", "--size", "8MiB"];
    let mut command = cliffmark(bench.path(), &arguments);
    seccomp::deny_rings(&mut command, libc::EPERM);
    let end = run(command);
    assert!(end.code != Some(0) && end.stderr.contains("at most 256 in flight"), "{}", end.stderr);
}

fn refused(report: &serde_json::Value) -> Vec<String> {
    let list = report["engine"]["refused"].as_array().unwrap();
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// A group of the kernel's first kind of control groups, removed when dropped.
struct Group(PathBuf);

impl Group {
    const ROOT: &str = "/sys/fs/cgroup/blkio";

    fn new(bench: &Bench) -> Option<Self> {
        let name = bench.path().file_name()?.to_str()?.trim_start_matches('.').to_owned();
        let path = Path::new(Self::ROOT).join(format!("cliffmark-test-{name}"));
        std::fs::create_dir(&path).ok()?;
        let group = Self(path);
        group.0.join("blkio.throttle.read_bps_device").exists().then_some(group)
    }

    fn limit_reads(&self, device: &str, bytes_per_s: u64) {
        let limit = format!("{device} {bytes_per_s}");
        std::fs::write(self.0.join("blkio.throttle.read_bps_device"), limit).unwrap();
    }

    fn add(&self, running: &Running) {
        let pid = running.pid().as_raw_nonzero().to_string();
        std::fs::write(self.0.join("cgroup.procs"), pid).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir(&self.0) {
            println!("{}: {error}", self.0.display());
        }
    }
}

#[test]
fn a_throttle_that_comes_during_the_run_is_in_the_bins() {
    let story = "a control group throttles the device";
    let Some(bench) = Bench::new(story, &LOOPS) else { return };
    let Some(group) = Group::new(&bench) else {
        skip(story, "there is no control group of the kernel's first kind with blkio.throttle");
        return;
    };
    let image = bench.ext4_image("image", 96 * MIB, &[]);
    let mounted = LoopDevice::new(&image, 512).mount(&bench.path().join("mnt"));
    let tiny = bench.write("tiny.toml", &suite_of("16MiB", 3, &[("rand-read", "64KiB", 4)]));
    let arguments = ["run", mounted.text(), "--suite", &tiny, "--runs", "3", "--yes", "--json"];
    let running = Running::start(&mut cliffmark(bench.path(), &arguments));
    group.add(&running);
    running.says("cell 1:");
    group.limit_reads(&mounted.device().number(), MIB);
    let document = running.finish().measured().document();
    let bytes = |cell: usize| document.cells[cell].loops[0].read.as_ref().unwrap().bytes;
    assert!(bytes(0) > 4 * bytes(2), "{} B before, {} B after", bytes(0), bytes(2));
    assert!(bytes(2) < 3 * 2 * MIB, "{} B in 3 s with a limit of 1 MiB/s", bytes(2));
}
