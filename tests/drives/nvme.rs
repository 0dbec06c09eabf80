//! Stories on emulated NVMe drives behind a real kernel's driver.

use crate::{
    suites::{suite, suite_of},
    vm::Machine,
};
use model::{
    Reading,
    document::{CellErrorKind, CellStatus, EngineClass, Outcome, TargetKind},
    drive::Transport,
    proof::{Unproven, VoidReason},
    reading::Absent,
    telemetry::SensorSource,
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
    assert!(
        refused.code != Some(0) && refused.stderr.contains("this target needs multiples of 4096 B"),
        "{}",
        refused.stderr
    );
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
    let image = machine.ext4_image("gone", 128 * MIB);
    let told = machine
        .with("-device", "pcie-root-port,id=rp1,chassis=1,slot=1")
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", image.display()))
        .with("-device", "nvme,id=n0,serial=GONE,bus=rp1,drive=d1")
        .file("/tiny.toml", suite("16MiB", &[("rand-read", "4KiB", 8)]))
        .on("pull", json!({ "execute": "device_del", "arguments": { "id": "n0" } }))
        .script(
            "await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             when document 'cell 1:' pull
             run document cliffmark run /mnt --suite /tiny.toml --runs 100 --yes --json --out /tmp/one.cliffmark
             run verify cliffmark verify /tmp/one.cliffmark",
        )
        .run();
    let end = told.end("document");
    let document = end.document();
    assert_eq!(document.outcome, Outcome::Failed, "{}", end.stderr);
    end.expect(1);
    let good = document.cells.iter().take_while(|cell| cell.status == CellStatus::Complete).count();
    let (before, after) = document.cells.split_at(good);
    assert!(!before.is_empty() && !after.is_empty(), "pulled out in the middle: {}", end.stderr);
    assert_eq!(after.len(), 1, "the run ends with the cell that failed: {}", end.stderr);
    for cell in after {
        assert_eq!((cell.status, &cell.void[..]), (CellStatus::Failed, &[VoidReason::IoError][..]));
        assert!(cell.loops.is_empty(), "no figure of nothing");
    }
    told.end("verify").expect(0);
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
fn warnings_that_change_at_run_time_are_on_the_measuring_clock() {
    let Some(machine) = Machine::new("SMART warnings change at run time") else { return };
    let image = machine.ext4_image("warm", 128 * MIB);
    let told = machine
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", image.display()))
        .with("-device", "pcie-root-port,id=rp1,chassis=1,slot=5")
        .with("-device", "nvme,id=n0,serial=WARM,bus=rp1,drive=d1")
        .file("/tiny.toml", suite_of("16MiB", 4, &[("rand-read", "4KiB", 4)]))
        .on(
            "warm",
            json!({ "execute": "qom-set", "arguments": {
                "path": "/machine/peripheral/n0", "property": "smart_critical_warning", "value": 2,
            }}),
        )
        .script(
            "await -b /dev/nvme0n1
             mount -t ext4 /dev/nvme0n1 /mnt
             when document 'cell 1:' warm
             run document cliffmark run /mnt --suite /tiny.toml --runs 2 --sample-every 200ms --yes --json --out /tmp/one.cliffmark
             run verify cliffmark verify /tmp/one.cliffmark
             run show cliffmark show /tmp/one.cliffmark",
        )
        .run();
    let document = told.end("document").expect(0).document();
    told.end("verify").expect(0);
    // Read at the start, when a warning had come, and at the end.
    let health = document.telemetry.health.known().unwrap();
    let warnings: Vec<u8> = health.iter().map(|log| log.critical_warning).collect();
    assert_eq!(warnings, [0, 2, 2], "{health:#?}");
    // It came when the first cell was told, which may be before the second begins.
    let told_ns = document.cells[0].loops[0].started_ns + document.cells[0].loops[0].elapsed_ns;
    assert!((told_ns..document.elapsed_ns).contains(&health[1].at_ns), "{told_ns}: {health:#?}");
    assert!(health[2].read_units > health[0].read_units, "the drive counted what was read: {health:#?}");
    // The emulator says 323 K and nothing else, in kelvin: 49.85 degrees.
    let [composite] = document.telemetry.series.as_slice() else { panic!("{:?}", document.telemetry.series) };
    assert_eq!((composite.source, composite.name.as_str()), (SensorSource::Hwmon, "Composite"));
    assert!(composite.values.len() >= 10, "looked at five times a second: {:?}", composite.at_ns);
    assert!(composite.values.iter().all(|value| *value == Some(49_850)), "{:?}", composite.values);
    assert!(composite.warning.known().is_some(), "{composite:?}");
    let shown = told.end("show").text();
    assert!(shown.contains("heat      Composite 49.9 °C before, 49.9 °C at most"), "{shown}");
    // From the root's port to the drive; an emulated link limits nothing.
    assert_eq!(document.drive.pcie.len(), 1);
    assert!(document.drive.pcie[0].current.known().is_some() && document.drive.slot.known().is_some());
    assert_eq!(document.telemetry.links.len(), 1, "the link did not change");
    assert_eq!(document.cells[0].proof.link_bytes_per_s, Reading::Absent(Absent::NotSupported));
    assert!(document.cells[0].proof.unproven.contains(&Unproven::VirtualDisk));
}

#[test]
fn the_kernel_polls_a_drive_with_poll_queues_and_is_not_asked_to_poll_one_without() {
    let story = "polled completions";
    for (queues, polls) in [(1, true), (0, false)] {
        let Some(machine) = Machine::new(story) else { return };
        let image = machine.ext4_image("polled", 128 * MIB);
        let told = machine
            .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", image.display()))
            .with("-device", "nvme,id=n0,serial=POLL,drive=d1")
            .file("/options/nvme.ko", format!("poll_queues={queues}"))
            .script(
                "await -b /dev/nvme0n1
                 mount -t ext4 /dev/nvme0n1 /mnt
                 cell='cliffmark cell /mnt --pattern randread --block 4KiB --qd 4 --size 16MiB --seconds 1 --json'
                 run iopoll $cell --wait iopoll
                 run poll $cell --wait poll",
            )
            .run();
        let end = told.end("iopoll");
        if polls {
            let report = end.expect(0).json();
            assert_eq!(report["engine"]["class"], "polled", "{report:#}");
            assert_eq!(report["engine"]["wait"], "device-poll", "{report:#}");
            assert!(report["ios"].as_u64().unwrap() > 0);
        } else {
            assert!(end.code != Some(0) && end.stdout.is_empty(), "{}", end.stderr);
            assert!(end.stderr.contains("io_poll"), "it says why: {}", end.stderr);
        }
        let report = told.end("poll").expect(0).json();
        assert_eq!(report["engine"]["class"], "polled", "{report:#}");
        assert_eq!(report["engine"]["wait"], "poll", "{report:#}");
    }
}
