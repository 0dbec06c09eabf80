//! Stories on emulated NVMe drives behind a real kernel's driver.

use crate::{
    bucket::{BUCKET, BURSTS, Bucket, CLIFF, DRIVE_BYTES, assert_bursts, assert_cliff},
    suites::{suite, suite_of},
    vm::Machine,
};
use model::{
    Reading,
    document::{CellErrorKind, CellStatus, EngineClass, Outcome, TargetKind},
    drive::Transport,
    proof::{Unproven, VoidReason},
    reading::Absent,
};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

#[test]
fn a_drive_with_an_odd_serial_number_two_namespaces_and_4_kib_blocks_is_described() {
    let Some(machine) = Machine::new("an NVMe drive is described") else { return };
    let first = machine.image("first", 64 * MIB);
    let second = machine.ext4_image("second", 256 * MIB);
    let told = machine
        .with("-device", "pcie-root-port,id=rp1,chassis=1,slot=5,x-speed=16,x-width=4")
        .with("-device", "nvme,id=n0,serial=AB-c_1.2 x/y%\"é,bus=rp1")
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", first.display()))
        .with("-drive", format!("file={},if=none,id=d2,format=raw,cache=none", second.display()))
        .with("-device", "nvme-ns,drive=d1,bus=n0,nsid=1")
        .with("-device", "nvme-ns,drive=d2,bus=n0,nsid=7,logical_block_size=4096,physical_block_size=4096")
        .file("/tiny.toml", suite("16MiB", &[("rand-read", "4KiB", 8), ("seq-write", "4KiB", 4)]))
        .script(
            "await -b /dev/nvme0n2
             mount -t ext4 /dev/nvme0n2 /mnt
             run devices cliffmark devices --json
             run document cliffmark run /mnt --suite /tiny.toml --yes --json --out /tmp/one.cliffmark
             run verify cliffmark verify /tmp/one.cliffmark
             run serial cliffmark run /mnt --suite /tiny.toml --yes --json --publish-serial --out /tmp/two.cliffmark
             run left ls -A /mnt
             run block512 cliffmark cell /mnt --pattern randread --block 512 --qd 1 --seconds 1 --size 16MiB",
        )
        .run();

    let devices = told.end("devices").json();
    let of = |name: &str| {
        let all = devices.as_array().unwrap();
        all.iter().find(|device| device["name"] == name).unwrap_or_else(|| panic!("{devices:#}")).clone()
    };
    assert_eq!(of("nvme0n1")["capacity_bytes"], 64 * MIB);
    assert_eq!(of("nvme0n2")["transport"], "nvme");
    assert_eq!(of("nvme0n2")["how"], "cliffmark run /mnt");

    let end = told.end("document");
    let document = end.document();
    assert_eq!(end.expect(0).document().outcome, Outcome::Complete);
    assert_eq!(document.cells.len(), 2);
    assert!(document.cells.iter().all(|cell| cell.status == CellStatus::Complete), "{}", end.stderr);
    assert!(document.cells.iter().all(|cell| cell.loops[0].device.is_some()), "the device counted");
    assert_eq!(document.engine.class, EngineClass::Uring);
    assert_eq!(document.target.kind, TargetKind::NewFile);
    assert_eq!(document.target.file_system.as_deref(), Some("ext4"));

    let drive = &document.drive;
    assert_eq!(drive.model, Reading::Known("QEMU NVMe Ctrl".to_owned()));
    assert_eq!(drive.transport, Transport::Nvme);
    assert_eq!(drive.capacity_bytes, Reading::Known(256 * MIB));
    assert_eq!(drive.namespace, Reading::Known(7), "the number in nvme0n2 is not the namespace's");
    assert_eq!(drive.logical_block_bytes, Reading::Known(4096));
    assert_eq!(drive.max_segments, Reading::Known(127));
    assert_eq!(drive.scheduler, Reading::Known("none".to_owned()));
    assert_eq!(drive.stack, Vec::<String>::new());
    let [link] = drive.pcie.as_slice() else { panic!("one link behind a root port: {:?}", drive.pcie) };
    assert!(link.maximum.known().is_some() && link.current.known().is_some(), "{link:?}");
    // What an emulated drive does need not reach one, and its link need not tell the truth.
    assert_eq!(document.host.virtual_machine, Reading::Known(true));
    assert!(document.cells[0].proof.unproven.contains(&Unproven::VirtualDisk));

    // Withheld means that it is nowhere in the document; published it is as odd as the drive tells it.
    assert_eq!(drive.serial, Reading::Absent(Absent::Withheld));
    assert!(!end.text().contains("AB-c_1.2"));
    let published = told.end("serial").document().drive;
    assert!(published.serial.known().unwrap().starts_with("AB-c_1.2 x/y%\""), "{:?}", published.serial);
    assert_eq!(published.serial_hmac, drive.serial_hmac, "one drive under one key");

    told.end("verify").expect(0);
    assert_eq!(told.end("left").text(), "lost+found\n", "nothing is left behind");
    let refused = told.end("block512");
    refused.expect(3);
    assert!(refused.stderr.contains("this target needs multiples of 4 KiB"), "{}", refused.stderr);
}

/// One group of blocks without a journal: all metadata lies in the first 8 MiB, so 56 of the other 88 MiB are the test
/// file, whichever these are. A sector in every 8 MiB cannot be read, so some of them are in the file.
#[test]
fn media_errors_fail_their_cell_with_the_offset_and_the_run_goes_on() {
    let Some(machine) = Machine::new("media errors fail their cell") else { return };
    let image = machine.ext4_image_with("bad", 96 * MIB, &["-O", "^has_journal"]);
    let faults: Vec<Value> = (1..12)
        .map(|place| json!({ "event": "none", "iotype": "read", "errno": 5, "once": false, "sector": place * 8 * MIB / 512 }))
        .collect();
    let node = json!({
        "driver": "blkdebug", "node-name": "bad", "inject-error": faults,
        "image": { "driver": "file", "filename": image, "cache": { "direct": true } },
    });
    let told = machine
        .with("-blockdev", node.to_string())
        .with("-device", "nvme,id=n0,serial=BAD")
        .with("-device", "nvme-ns,drive=bad,bus=n0,nsid=1")
        .file(
            "/tiny.toml",
            suite_of(
                "56MiB",
                4,
                &[("seq-write", "1MiB", 2), ("seq-read", "1MiB", 1), ("seq-write", "1MiB", 1)],
            ),
        )
        .script(
            "await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             run document cliffmark run /mnt --suite /tiny.toml --yes --json --out /tmp/one.cliffmark
             run verify cliffmark verify /tmp/one.cliffmark
             run show cliffmark show /tmp/one.cliffmark",
        )
        .run();
    let end = told.end("document");
    let document = end.document();
    assert_eq!(document.outcome, Outcome::Complete, "{}", end.stderr);
    let [written, read, after] = document.cells.as_slice() else { panic!("{}", end.stderr) };
    assert_eq!(
        (written.status, after.status),
        (CellStatus::Complete, CellStatus::Complete),
        "{}",
        end.stderr
    );
    assert_eq!(read.status, CellStatus::Failed);
    assert_eq!(read.void, [VoidReason::IoError]);
    assert!(read.loops.is_empty(), "a loop with an error is no loop");
    let error = read.error.unwrap();
    assert_eq!(error.kind, CellErrorKind::Io);
    // The kernel calls an error of the medium ENODATA.
    assert_eq!(error.errno, Some(61));
    // The read that failed is one of the file's, and the first bad sector comes early in it.
    assert!(error.offset.is_some_and(|offset| offset % MIB == 0 && offset <= 32 * MIB), "{error:?}");
    end.expect(4);
    told.end("verify").expect(0);
    told.end("show").expect(0);
}

#[test]
fn a_drive_that_is_pulled_out_ends_the_run_with_what_was_measured_before() {
    let Some(machine) = Machine::new("a drive is pulled out") else { return };
    let (files, whole) = (machine.ext4_image("files", 128 * MIB), machine.image("whole", 64 * MIB));
    let pull = |id: &str| json!({ "execute": "device_del", "arguments": { "id": id } });
    let told = machine
        .with("-device", "pcie-root-port,id=rp1,chassis=1,slot=1")
        .with("-device", "pcie-root-port,id=rp2,chassis=2,slot=2")
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", files.display()))
        .with("-drive", format!("file={},if=none,id=d2,format=raw,cache=none", whole.display()))
        .with("-device", "nvme,id=n0,serial=FILES,bus=rp1,drive=d1")
        .with("-device", "nvme,id=n1,serial=WHOLE,bus=rp2,drive=d2")
        .file("/tiny.toml", suite("16MiB", &[("rand-read", "4KiB", 8)]))
        .on("pull-files", pull("n0"))
        .on("pull-whole", pull("n1"))
        .script(
            "await -b /dev/nvme0n1
             await -b /dev/nvme1n1
             # Which controller is found first is not settled.
             of() { basename $(dirname $(grep -l $1 /sys/class/nvme/*/serial)); }
             files=/dev/$(of FILES)n1 whole=/dev/$(of WHOLE)n1
             mount -t ext4 $files /mnt
             options='--suite /tiny.toml --runs 100 --yes --json'
             when files 'cell 1:' pull-files
             run files cliffmark run /mnt $options --out /tmp/files.cliffmark
             when whole 'cell 1:' pull-whole
             run whole cliffmark run $whole --confirm-serial WHOLE $options --out /tmp/whole.cliffmark
             run verify cliffmark verify /tmp/files.cliffmark
             run verify-whole cliffmark verify /tmp/whole.cliffmark",
        )
        .run();
    // Without a file system in between reads succeed and move nothing: a naive loop counts them by the hundred thousand.
    for (name, kind) in [("files", CellErrorKind::Io), ("whole", CellErrorKind::Short)] {
        let end = told.end(name);
        let document = end.expect(1).document();
        assert_eq!(document.outcome, Outcome::Failed, "{name}: {}", end.stderr);
        let (last, before) = document.cells.split_last().unwrap();
        assert!((1..99).contains(&before.len()), "{name} is pulled out in the middle: {}", end.stderr);
        assert!(before.iter().all(|cell| cell.status == CellStatus::Complete), "{name}: {}", end.stderr);
        assert_eq!(
            (last.status, last.error.unwrap().kind),
            (CellStatus::Failed, kind),
            "{name}: {}",
            end.stderr
        );
        assert_eq!(last.void, [kind.void_reason()]);
        assert!(last.loops.is_empty(), "no figure of nothing");
    }
    told.end("verify").expect(0);
    told.end("verify-whole").expect(0);
}

#[test]
fn the_latency_of_a_drive_is_what_is_recorded() {
    let Some(machine) = Machine::new("a drive of constant latency") else { return };
    let told = machine
        .with("-blockdev", "driver=null-co,node-name=slow,size=67108864,latency-ns=5000000,read-zeroes=on")
        .with("-device", "nvme,id=n0,serial=SLOW")
        .with("-device", "nvme-ns,drive=slow,bus=n0,nsid=3")
        .script(
            "await -b /dev/nvme0n1
             cell='cliffmark cell /dev/nvme0n1 --pattern randread --block 4KiB --seconds 2 --json'
             run one $cell --qd 1
             run four $cell --qd 4
             run threads $cell --qd 1 --threads 2",
        )
        .run();
    for (name, in_flight) in [("one", 1), ("four", 4), ("threads", 2)] {
        let end = told.end(name);
        let report = end.expect(0).json();
        let latency = |which: &str| report["latency_ns"][which].as_u64().unwrap();
        assert!(latency("min") >= 5_000_000 && latency("p50") >= latency("min"), "{report:#}");
        // In two seconds each of the I/Os in flight can come back 400 times at most, and comes back at all.
        let ios = report["ios"].as_u64().unwrap();
        assert!((1..=in_flight * 400).contains(&ios), "{report:#}");
    }
}

#[test]
fn a_write_cliff_is_in_the_bins() {
    let Some(machine) = Machine::new("a write cliff is in the bins") else { return };
    let image = machine.ext4_image("cliff", 256 * MIB);
    let bucket =
        "throttling.bps-write=4194304,throttling.bps-write-max=67108864,throttling.bps-write-max-length=2";
    let told = machine
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none,{bucket}", image.display()))
        .with("-device", "nvme,id=n0,serial=CLIFF,drive=d1")
        .file("/tiny.toml", suite_of("16MiB", 12, &[("seq-write", "128KiB", 4)]))
        .script(
            "await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             run document cliffmark run /mnt --suite /tiny.toml --yes --json --out /tmp/one.cliffmark",
        )
        .run();
    let end = told.end("document");
    let document = end.document();
    let write = document.cells[0].loops[0].write.as_ref().unwrap();
    assert_eq!(document.cells[0].status, CellStatus::Complete, "{}", end.stderr);
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
    let Some(mut machine) = Machine::new("a leaky bucket in an NVMe drive") else { return };
    let Bucket { leak, fill, seconds } = BUCKET;
    // A drive for each, that begins with an empty bucket.
    for drive in 1..=2 {
        let image = machine.ext4_image(&format!("bucket{drive}"), DRIVE_BYTES);
        let limits = format!(
            "throttling.bps-write={leak},throttling.bps-write-max={fill},throttling.bps-write-max-length={seconds}"
        );
        let node = format!("file={},if=none,id=d{drive},format=raw,cache=none,{limits}", image.display());
        machine = machine
            .with("-drive", node)
            .with("-device", format!("nvme,id=n{drive},serial=BUCKET{drive},drive=d{drive}"));
    }
    let values = |values: &[&str]| values.iter().map(|value| format!(" --set {value}")).collect::<String>();
    let told = machine
        .script(&format!(
            "await -b /dev/nvme0n1 -a -b /dev/nvme1n1
             mount -t ext4 /dev/nvme0n1 /mnt
             run cliff cliffmark run /mnt --suite cliff{} --yes --json --out /tmp/cliff.cliffmark
             umount /mnt
             mount -t ext4 /dev/nvme1n1 /mnt
             run bursts cliffmark run /mnt --suite bursts{} --yes --json --out /tmp/bursts.cliffmark
             run verify cliffmark verify /tmp/cliff.cliffmark
             run cliff_shown cliffmark show /tmp/cliff.cliffmark
             run bursts_shown cliffmark show /tmp/bursts.cliffmark",
            values(CLIFF),
            values(BURSTS)
        ))
        .run();
    assert_cliff(&told.end("cliff").measured().document(), &told.end("cliff_shown").expect(0).text());
    assert_bursts(&told.end("bursts").measured().document(), &told.end("bursts_shown").expect(0).text());
    told.end("verify").expect(0);
}

#[test]
fn the_kernel_polls_a_drive_with_poll_queues_and_is_not_asked_to_poll_one_without() {
    let Some(machine) = Machine::new("polled completions") else { return };
    let image = machine.ext4_image("polled", 128 * MIB);
    let told = machine
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", image.display()))
        .with("-device", "nvme,id=n0,serial=POLL,drive=d1")
        .file("/options/nvme.ko", "poll_queues=1")
        .script(
            "cell='cliffmark cell /mnt --pattern randread --block 4KiB --qd 4 --size 16MiB --seconds 1 --json'
             await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             run with $cell --wait iopoll
             run poll $cell --wait poll
             umount /mnt
             rmmod nvme
             insmod /drivers/nvme.ko poll_queues=0
             await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             run without $cell --wait iopoll",
        )
        .run();
    for (name, wait) in [("with", "device-poll"), ("poll", "poll")] {
        let report = told.end(name).expect(0).json();
        assert_eq!(report["engine"]["class"], "polled", "{report:#}");
        assert_eq!(report["engine"]["wait"], wait, "{report:#}");
        assert!(report["ios"].as_u64().unwrap() > 0, "{report:#}");
    }
    let refused = told.end("without");
    assert!(refused.code != Some(0) && refused.stdout.is_empty(), "{}", refused.stderr);
    assert!(refused.stderr.contains("io_poll"), "it says why: {}", refused.stderr);
}
