//! Stories about whole drives behind safety rails, and about runs that outlive the machine's power.

use crate::{
    host::Bench,
    suites::suite,
    vm::{Machine, Told},
};
use model::{
    Reading,
    document::{CellStatus, Outcome, TargetKind},
};
use std::path::Path;

const MIB: u64 = 1 << 20;
/// As odd as serial numbers are, and typed like any other.
const SERIAL: &str = "AB-c_1.2 x/y%\"é";

/// Writes some bytes into an image.
fn put(image: &Path, offset: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt as _;
    std::fs::File::options().write(true).open(image).unwrap().write_all_at(bytes, offset).unwrap();
}

#[test]
fn a_whole_drive_is_overwritten_only_when_it_holds_nothing_and_its_serial_number_is_given() {
    let Some(machine) = Machine::new("a whole drive behind safety rails") else { return };
    // One drive with everything on it that must not be overwritten, each on a namespace of its own.
    let empty = machine.image("empty", 24 * MIB);
    let mounted = machine.ext4_image("mounted", 32 * MIB);
    let partitioned = machine.image("partitioned", 8 * MIB);
    // A partition of type 83h over 4 MiB from sector 2048 on. Source: IBM PC, master boot record.
    put(&partitioned, 446, &[0, 0, 2, 0, 0x83, 0xff, 0xff, 0xff, 0, 8, 0, 0, 0, 0x20, 0, 0]);
    put(&partitioned, 510, &[0x55, 0xaa]);
    let encrypted = machine.image("encrypted", 8 * MIB);
    put(&encrypted, 0, b"LUKS\xba\xbe\0\x02");
    let swap = machine.image("swap", 8 * MIB);
    let mut machine = machine.with("-device", format!("nvme,id=n0,serial={SERIAL}"));
    for (index, image) in [&empty, &mounted, &partitioned, &encrypted, &swap].into_iter().enumerate() {
        let number = index + 1;
        machine = machine
            .with("-drive", format!("file={},if=none,id=d{number},format=raw,cache=none", image.display()))
            .with("-device", format!("nvme-ns,drive=d{number},bus=n0,nsid={number}"));
    }
    let told = machine
        .file("/tiny.toml", suite("32MiB", &[("seq-write", "64KiB", 4), ("rand-read", "4KiB", 8)]))
        .file("/serial", SERIAL)
        .script(
            r#"await -b /dev/nvme0n5
             mount -t ext4 /dev/nvme0n2 /mnt
             mkswap /dev/nvme0n5 > /tmp/mkswap && swapon /dev/nvme0n5
             start() { name=$1; device=$2; shift 2
                 run $name cliffmark run /dev/$device --suite /tiny.toml --set size=4MiB --yes --json --out /tmp/$name.cliffmark "$@"; }
             all() { cat /dev/nvme0n1 /dev/nvme0n3 /dev/nvme0n4 | md5sum; }
             run before all
             run devices cliffmark devices --json
             start unconfirmed nvme0n1
             start wrong nvme0n1 --confirm-serial AB-c_1.2
             start mounted nvme0n2 --confirm-serial "$(cat /serial)"
             start partitioned nvme0n3 --confirm-serial "$(cat /serial)"
             start partition nvme0n3p1 --confirm-serial "$(cat /serial)"
             start encrypted nvme0n4 --confirm-serial "$(cat /serial)"
             start swap nvme0n5 --confirm-serial "$(cat /serial)"
             start dry nvme0n1 --confirm-serial "$(cat /serial)" --dry-run
             run after all
             start document nvme0n1 --confirm-serial "$(cat /serial)"
             run verify cliffmark verify /tmp/document.cliffmark
             run written sh -c 'head -c 4096 /dev/nvme0n1 | tr -d "\000" | wc -c'"#,
        )
        .run();
    for (name, says) in [
        ("unconfirmed", "serial"),
        ("wrong", "serial"),
        ("mounted", "mounted"),
        ("partitioned", "partition"),
        ("partition", "partition"),
        ("encrypted", "LUKS"),
        ("swap", "swap"),
    ] {
        let end = told.end(name).expect(3);
        assert!(end.stderr.contains(says) && end.stdout.is_empty(), "{name}: {}", end.stderr);
    }
    told.end("dry").expect(0);
    assert_eq!(told.end("before").text(), told.end("after").text(), "what is refused is not written to");

    let document = told.end("document").expect(0).document();
    assert_eq!((document.target.kind, &document.target.file_system), (TargetKind::Device, &None));
    assert_eq!(document.outcome, Outcome::Complete);
    assert!(document.cells.iter().all(|cell| cell.status == CellStatus::Complete));
    assert_eq!(document.drive.namespace, Reading::Known(1));
    assert!(
        !told.end("document").text().contains("AB-c_1.2"),
        "the serial number that was typed is not published"
    );
    told.end("verify").expect(0);
    let bytes: u32 = told.end("written").text().trim().parse().unwrap();
    assert!(
        bytes > 3_000,
        "random data was written into the drive's first block: {bytes} of 4096 are not zero"
    );
}

#[test]
fn a_run_goes_on_after_the_power_has_failed() {
    let story = "a power loss and resume";
    let Some(bench) = Bench::for_anyone(story, &["mkfs.ext4"]) else { return };
    let disk = bench.ext4_image("disk", 128 * MIB, &[]);
    let state = bench.ext4_image("state", 64 * MIB, &[]);
    let boot = |script: &str| {
        let drive = |image: &Path, id: &str| {
            format!("file={},if=none,id={id},format=raw,cache=none", image.display())
        };
        let machine = Machine::new(story)?
            .with("-device", "nvme,id=n0,serial=POWER")
            .with("-drive", drive(&disk, "d1"))
            .with("-device", "nvme-ns,drive=d1,bus=n0,nsid=1")
            .with("-drive", drive(&state, "d2"))
            .with("-device", "nvme-ns,drive=d2,bus=n0,nsid=2")
            .file("/tiny.toml", suite("16MiB", &[("rand-read", "4KiB", 4), ("rand-write", "4KiB", 4)]));
        let prepare = "await -b /dev/nvme0n2
             mount -t ext4 /dev/nvme0n1 /mnt
             mount -t ext4 /dev/nvme0n2 /mnt2
             export XDG_STATE_HOME=/mnt2/state XDG_CONFIG_HOME=/mnt2/config
             cd /mnt2
             ";
        Some(machine.script(&format!("{prepare}{script}")))
    };
    let Some(first) = boot(
        "when document 'cell 2:' lost
         run document cliffmark run /mnt --suite /tiny.toml --runs 3 --yes --json --out /mnt2/one.cliffmark",
    ) else {
        return;
    };
    let _: Told = first.power_fails_at("lost").run();
    let second = boot(
        "run left ls -A /mnt
         run resume cliffmark resume --yes --json
         run verify cliffmark verify /mnt2/one.cliffmark
         run again cliffmark resume --yes --json",
    );
    let told = second.expect("there was a machine before").run();

    assert_eq!(told.end("left").text(), "lost+found\n", "the test file had no name");
    let end = told.end("resume");
    let document = end.expect(0).document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 6), "{}", end.stderr);
    assert!(document.cells.iter().all(|cell| cell.status == CellStatus::Complete), "{}", end.stderr);
    let [resumption] = document.resumptions.as_slice() else { panic!("{:?}", document.resumptions) };
    assert!((2..6).contains(&resumption.cells_before), "{resumption:?}");
    assert_eq!(resumption.preparation.as_ref().unwrap().bytes, 16 * MIB, "a new test file was written");
    let starts: Vec<u64> = document.cells.iter().map(|cell| cell.loops[0].started_ns).collect();
    assert!(starts.is_sorted(), "one clock for the whole run: {starts:?}");
    told.end("verify").expect(0);
    assert_ne!(told.end("again").code, Some(0), "there is nothing left to go on with");
}
