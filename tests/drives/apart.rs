//! Stories about several drives at once: each behind a storage daemon of its own, or an emulated NVMe drive.

use crate::{
    end::End,
    host::{Bench, Daemon, LoopDevice, Mounted},
    program::{Running, cliffmark, run},
    vm::Machine,
};
use model::{
    Reading, ResultDocument,
    document::{CellStatus, MemberLoad, Outcome, TargetKind},
    proof::{Unproven, VoidReason},
};

const MIB: u64 = 1 << 20;
const DAEMON: [&str; 4] = ["qemu-storage-daemon", "losetup", "mount", "mkfs.ext4"];
const SHORT: [&str; 12] = [
    "--suite",
    "array",
    "--set",
    "size=16MiB",
    "--set",
    "seconds=1",
    "--set",
    "loops=1",
    "--set",
    "discarded=0",
    "--set",
    "interval=0",
];

/// A file system on a drive that shares nothing with others, as far as the runner can see.
struct Alone {
    bench: Bench,
    mounted: Mounted,
    kill: Box<dyn FnOnce()>,
}

fn alone(story: &str) -> Option<Alone> {
    let bench = Bench::new(story, &DAEMON)?;
    let image = bench.ext4_image("image", 96 * MIB, &[]);
    let daemon = Daemon::start(&bench, &image, &[]);
    let kill = Box::new(daemon.killer());
    let file = daemon.file().to_owned();
    let mounted = LoopDevice::new(&file, 512).on(daemon).mount(&bench.path().join("mnt"));
    Some(Alone { bench, mounted, kill })
}

/// The arguments of a short run on two drives.
fn on<'a>(drives: [&'a Alone; 2], more: &[&'a str]) -> Vec<&'a str> {
    let [first, second] = drives.map(|drive| drive.mounted.text());
    [&["run", first, second][..], &SHORT, &["--yes", "--json", "--out", "one.cliffmark"], more].concat()
}

fn assert_nothing_left(drives: &[&Alone]) {
    for drive in drives {
        assert_eq!(std::fs::read_dir(drive.mounted.path()).unwrap().count(), 1, "only lost+found is left");
    }
}

/// What holds for every cell of drives apart that was measured whole.
fn assert_adds_up(document: &ResultDocument) {
    for cell in &document.cells {
        let drives = usize::from(cell.method.drives_apart().expect("each is a cell of drives apart"));
        assert_eq!(cell.members.len(), drives);
        for one in &cell.loops {
            assert_eq!(one.members.len(), drives);
            assert!(one.members.iter().all(|load| load.bytes() > 0), "{:?}", one.members);
            let all: u64 = one.members.iter().map(MemberLoad::bytes).sum();
            assert_eq!(Some(all), one.transfer(&cell.method).map(|transfer| transfer.bytes));
            for load in &one.members {
                let device = load.device.expect("a loop device counts");
                let counted = device.read_bytes + device.written_bytes;
                assert!(counted >= load.bytes(), "{load:?}: its own device saw every byte");
            }
        }
    }
}

#[test]
fn two_drives_are_measured_by_one_and_together() {
    let (Some(first), Some(second)) = (alone("two drives at once"), alone("two drives at once")) else {
        return;
    };
    let both = [&first, &second];
    let end = run(cliffmark(first.bench.path(), &on(both, &[])));
    let document = end.measured().document();
    assert_nothing_left(&both);
    let cells: Vec<String> = document.cells.iter().map(|cell| cell.method.cell()).collect();
    assert_eq!(
        cells,
        [
            "seq-read.1MiB.q8.t1.drives1.apart",
            "seq-read.1MiB.q8.t1.drives2.apart",
            "seq-write.1MiB.q8.t1.drives1.apart",
            "seq-write.1MiB.q8.t1.drives2.apart",
        ]
    );
    assert_adds_up(&document);
    assert_eq!((document.drive.members.len(), document.other_targets.len()), (2, 1));
    assert_eq!(document.target.kind, TargetKind::NewFile);
    let fill = document.preparation.as_ref().expect("the files were filled");
    assert_eq!(fill.bytes, 2 * 16 * MIB);
    assert!(document.cells.iter().all(|cell| cell.members[0].unproven.contains(&Unproven::LoopDevice)));
    run(cliffmark(first.bench.path(), &["verify", "one.cliffmark"])).expect(0);
    let shown = run(cliffmark(first.bench.path(), &["show", "one.cliffmark"]));
    let shown = shown.expect(0).text();
    for words in [
        "\nmembers   2 × ",
        "SEQ1M Q8T1 write, 2 drives apart",
        "drive by drive ",
        "size, threads and queue depth of each drive",
    ] {
        assert!(shown.contains(words), "`{words}` is missing in {shown}");
    }
    // Whether others used the disk below, which makes a cell void, is not in our hands.
    if document.cells[..2].iter().all(|cell| cell.status == CellStatus::Complete) {
        assert!(
            shown.contains("SEQ1M Q8T1 read by drives") && shown.contains("Load of each drive: "),
            "{shown}"
        );
    }
}

#[test]
fn what_is_no_array_is_refused_before_anything_is_written() {
    let Some(bench) = Bench::new("two file systems on one drive", &["losetup", "mount", "mkfs.ext4"]) else {
        return;
    };
    let mounted = ["a", "b"].map(|name| {
        let image = bench.ext4_image(&format!("image-{name}"), 96 * MIB, &[]);
        LoopDevice::new(&image, 512).mount(&bench.path().join(name))
    });
    let [first, second] = [mounted[0].text(), mounted[1].text()];
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let end: End = run(cliffmark(bench.path(), arguments));
        assert!(end.expect(code).stderr.contains(words), "{}", end.stderr);
        assert!(end.stdout.is_empty(), "{}", end.text());
    };
    let both = [&["run", first, second][..], &SHORT].concat();
    refused(&both, 3, "lie on one drive");
    refused(
        &["run", first, second, "--suite", "quick"],
        2,
        "the suite `quick` measures one target, and 2 are named",
    );
    refused(&[&["run", first, first][..], &SHORT].concat(), 3, "lie on one drive");
    refused(
        &[&["run", first, "sim:980-pro-2tb"][..], &SHORT].concat(),
        2,
        "`sim:NAME*4` is an array of four",
    );
    refused(&[&["run", first, "/nonexistent"][..], &SHORT].concat(), 1, "cannot measure in /nonexistent");
    assert!(mounted.iter().all(|one| std::fs::read_dir(one.path()).unwrap().count() == 1));
    assert!(!bench.path().join("state/cliffmark").exists(), "no journal was begun");
}

#[test]
fn a_killed_run_on_two_drives_goes_on_on_both() {
    let story = "a killed run on two drives";
    let (Some(first), Some(second)) = (alone(story), alone(story)) else { return };
    let both = [&first, &second];
    let running = Running::start(&mut cliffmark(first.bench.path(), &on(both, &[])));
    running.says("cell 2:");
    running.signal(rustix::process::Signal::KILL);
    assert_eq!(running.finish().code, None, "it was killed");
    assert_nothing_left(&both);
    let end = run(cliffmark(first.bench.path(), &["resume", "--yes", "--json"]));
    let document = end.measured().document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 4));
    let [resumed] = document.resumptions.as_slice() else { panic!("{:?}", document.resumptions) };
    assert_eq!(resumed.cells_before, 2);
    assert_eq!(
        resumed.preparation.as_ref().map(|fill| fill.bytes),
        Some(2 * 16 * MIB),
        "both were filled anew"
    );
    assert_adds_up(&document);
    run(cliffmark(first.bench.path(), &["verify", "one.cliffmark"])).expect(0);
    assert_nothing_left(&both);
    assert_eq!(std::fs::read_dir(first.bench.path().join("state/cliffmark")).unwrap().count(), 0);
}

#[test]
fn a_drive_that_goes_away_fails_the_cell_and_is_named() {
    let story = "one of two drives goes away";
    let (Some(first), Some(second)) = (alone(story), alone(story)) else { return };
    let arguments = on([&first, &second], &["--runs", "40"]);
    let running = Running::start(&mut cliffmark(first.bench.path(), &arguments));
    running.says("cell 1:");
    (second.kill)();
    let end = running.finish();
    let document = end.expect(1).document();
    assert_eq!(document.outcome, Outcome::Failed);
    let last = document.cells.last().unwrap();
    assert_eq!(
        (last.status, last.method.members, last.failed_member),
        (CellStatus::Failed, Some(2), Some(1))
    );
    assert!(last.void.contains(&VoidReason::IoError), "{:?}", last.void);
    assert!(end.stderr.contains("FAILED: drive 2: "), "{}", end.stderr);
    run(cliffmark(first.bench.path(), &["verify", "one.cliffmark"])).expect(0);
    let shown = run(cliffmark(first.bench.path(), &["show", "one.cliffmark"]));
    assert!(shown.expect(0).text().contains("2 drives apart, on drive 2: "), "{}", shown.text());
}

#[test]
fn whole_drives_are_measured_at_once_when_each_of_them_was_confirmed() {
    let Some(machine) = Machine::new("two whole NVMe drives at once") else { return };
    let (first, second) = (machine.image("first", 64 * MIB), machine.image("second", 64 * MIB));
    let told = machine
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", first.display()))
        .with("-drive", format!("file={},if=none,id=d2,format=raw,cache=none", second.display()))
        .with("-device", "nvme,serial=FIRST,drive=d1")
        .with("-device", "nvme,serial=SECOND,drive=d2")
        .script(&format!(
            "await -b /dev/nvme0n1 -a -b /dev/nvme1n1
             both=\"/dev/nvme0n1 /dev/nvme1n1 {} --out /tmp/one.cliffmark\"
             run one cliffmark run $both --confirm-serial FIRST
             run stranger cliffmark run $both --confirm-serial FIRST --confirm-serial THIRD
             run both cliffmark run $both --confirm-serial SECOND --confirm-serial FIRST --json
             run verify cliffmark verify /tmp/one.cliffmark",
            SHORT.join(" ")
        ))
        .run();
    assert!(told.end("one").expect(3).stderr.contains("nobody confirmed"), "{}", told.end("one").stderr);
    let stranger = told.end("stranger");
    assert!(
        stranger.expect(3).stderr.contains("none of them has the serial number THIRD"),
        "{}",
        stranger.stderr
    );
    let end = told.end("both");
    let document = end.expect(0).document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 4));
    assert_eq!(
        (document.target.kind, document.other_targets[0].kind),
        (TargetKind::Device, TargetKind::Device)
    );
    assert_eq!(document.drive.model, Reading::Known("2 × QEMU NVMe Ctrl".to_owned()));
    assert_adds_up(&document);
    assert!(!end.text().contains("SECOND"), "no serial number is in the document");
    told.end("verify").expect(0);
}
