//! Stories about whole emulated NVMe drives as targets: what protects them, and a run on one that is killed and
//! resumed.

use crate::{
    suites::suite,
    vm::{Machine, Told},
};
use model::{
    Reading,
    document::{CellStatus, Outcome, TargetKind},
};

const MIB: u64 = 1 << 20;

#[test]
fn a_whole_drive_is_measured_behind_rails_and_resumed() {
    let Some(machine) = Machine::new("a whole NVMe drive is measured") else { return };
    let empty = machine.image("empty", 64 * MIB);
    let used = machine.ext4_image("used", 96 * MIB);
    let told = machine
        .with("-device", "nvme,id=n0,serial=AB-c_1.2 x/y%\"'é")
        .with("-drive", format!("file={},if=none,id=d1,format=raw,cache=none", empty.display()))
        .with("-drive", format!("file={},if=none,id=d2,format=raw,cache=none", used.display()))
        .with("-device", "nvme-ns,drive=d1,bus=n0,nsid=3,logical_block_size=4096,physical_block_size=4096")
        .with("-device", "nvme-ns,drive=d2,bus=n0,nsid=9")
        .file("/tiny.toml", suite("16MiB", &[("rand-read", "4KiB", 8), ("seq-write", "128KiB", 4)]))
        .script(
            "await -b /dev/nvme0n1 -a -b /dev/nvme0n2
             cliffmark devices > /tmp/devices
             # What is shown is pasted into the shell, as a user does it.
             shown=\"$(sed -n 's/.*nothing is on it: //p' /tmp/devices | grep nvme0n1)\"
             confirm=\"$(echo \"$shown\" | sed 's/.*--confirm-serial/--confirm-serial/')\"
             run unconfirmed cliffmark run /dev/nvme0n1 --suite /tiny.toml --yes
             mount -t ext4 /dev/nvme0n2 /mnt
             eval \"run mounted cliffmark run /dev/nvme0n2 --suite /tiny.toml --yes $confirm\"
             umount /mnt
             eval \"run content cliffmark run /dev/nvme0n2 --suite /tiny.toml --yes $confirm\"
             mount -t ext4 /dev/nvme0n2 /mnt
             run whole_again umount /mnt
             run read cliffmark cell /dev/nvme0n2 --pattern randread --block 4KiB --qd 4 --seconds 1 --json
             eval \"exec $shown --suite /tiny.toml --out /tmp/one.cliffmark\" > /tmp/killed.out 2> /tmp/killed.err &
             until grep -q '^cell 1:' /tmp/killed.err; do usleep 5000; done
             kill -9 $!
             wait
             run stranger cliffmark resume --json
             eval \"run resumed cliffmark resume $confirm --json --out /tmp/two.cliffmark\"
             run verify cliffmark verify /tmp/two.cliffmark
             run left ls /tmp/state/cliffmark",
        )
        .run();
    refused(&told, "unconfirmed", "nobody confirmed");
    refused(&told, "mounted", "is mounted at /mnt");
    refused(&told, "content", "nvme0n2 holds an ext2, ext3 or ext4 file system");
    refused(&told, "stranger", "nobody confirmed");
    told.end("whole_again").expect(0);
    assert!(told.end("read").expect(0).json()["iops"].as_f64().unwrap() > 0.0);

    let end = told.end("resumed");
    let document = end.expect(0).document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 2));
    assert!(document.cells.iter().all(|cell| cell.status == CellStatus::Complete), "{}", end.stderr);
    assert_eq!(document.target.kind, TargetKind::Device);
    assert_eq!(document.drive.namespace, Reading::Known(3));
    assert_eq!(document.drive.logical_block_bytes, Reading::Known(4096));
    let [one] = document.resumptions.as_slice() else { panic!("{:?}", document.resumptions) };
    assert_eq!(one.cells_before, 1);
    assert!(!end.text().contains("AB-c_1.2"), "the serial number is nowhere in the document");
    told.end("verify").expect(0);
    assert_eq!(told.end("left").text(), "", "no journal is left");
}

fn refused(told: &Told, name: &str, words: &str) {
    let end = told.end(name);
    assert!(end.expect(3).stderr.contains(words), "{name}: {}", end.stderr);
}
