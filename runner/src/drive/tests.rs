//! Drives as small fake trees: every kind of attachment, and stacks of software devices.

use super::*;
use crate::fake_sys::FakeSys;

fn key() -> SecretKey {
    SecretKey::generate().unwrap()
}

fn identify_as(sys: &FakeSys, number: (u32, u32), publish: bool) -> Drive {
    let key = key();
    let device = DeviceNumber { major: number.0, minor: number.1 };
    let ground = Ground::of(&sys.root(), device);
    identify(&sys.root(), ground.as_ref(), SerialPolicy { key: &key, publish })
}

#[test]
fn an_nvme_partition_leads_to_its_drive() {
    let sys = FakeSys::new();
    let disk = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 3_907_029_168);
    sys.write(&format!("{disk}/device/model"), "Samsung SSD 990 PRO 2TB                 \n");
    sys.write(&format!("{disk}/device/firmware_rev"), "4B2QJXD7\n");
    sys.write(&format!("{disk}/device/serial"), "S7DNNJ0W123456\n");
    sys.write(&format!("{disk}/queue/rotational"), "0\n");
    sys.write(&format!("{disk}/queue/logical_block_size"), "512\n");
    sys.write(&format!("{disk}/queue/max_sectors_kb"), "1280\n");
    sys.write(&format!("{disk}/queue/scheduler"), "none [mq-deadline] kyber\n");
    sys.partition(&disk, "nvme0n1p2", "259:2", 2_000_000);

    let drive = identify_as(&sys, (259, 2), false);
    assert_eq!(drive.model, Reading::Known("Samsung SSD 990 PRO 2TB".to_owned()));
    assert_eq!(drive.firmware, Reading::Known("4B2QJXD7".to_owned()));
    assert_eq!(drive.capacity_bytes, Reading::Known(2_000_398_934_016));
    assert_eq!(drive.transport, Transport::Nvme);
    assert_eq!(drive.rotational, Reading::Known(false));
    assert_eq!(drive.logical_block_bytes, Reading::Known(512));
    assert_eq!(drive.physical_block_bytes, Reading::Absent(Absent::NotReported));
    assert_eq!(drive.max_request_bytes, Reading::Known(1_310_720));
    assert_eq!(drive.scheduler, Reading::Known("mq-deadline".to_owned()));
    assert_eq!(drive.stack, ["partition"]);
    assert_eq!(drive.serial, Reading::Absent(Absent::Withheld));
    assert!(drive.serial_hmac.known().is_some());

    let published = identify_as(&sys, (259, 2), true);
    assert_eq!(published.serial, Reading::Known("S7DNNJ0W123456".to_owned()));
}

#[test]
fn a_sata_drive_has_its_whole_name_in_the_ata_page() {
    let sys = FakeSys::new();
    let disk = sys.disk("pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda", "8:0", 1000);
    sys.write(&format!("{disk}/device/vendor"), "ATA     \n");
    sys.write(&format!("{disk}/device/model"), "Samsung SSD 860 \n");
    sys.write(&format!("{disk}/device/rev"), "2B6Q\n");
    assert_eq!(identify_as(&sys, (8, 0), false).model, Reading::Known("Samsung SSD 860".to_owned()));

    let mut page = vec![0_u8; 572];
    page[1] = 0x89;
    let mut put = |word: usize, text: &str, chars: usize| {
        let padded = format!("{text:chars$}");
        for (index, pair) in padded.as_bytes().chunks_exact(2).enumerate() {
            page[60 + 2 * (word + index)] = pair[1];
            page[60 + 2 * (word + index) + 1] = pair[0];
        }
    };
    put(10, "S3Z9NB0K123456", 20);
    put(23, "RVT02B6Q", 8);
    put(27, "Samsung SSD 860 QVO 4TB", 40);
    sys.write_bytes(&format!("{disk}/device/vpd_pg89"), &page);
    let drive = identify_as(&sys, (8, 0), true);
    assert_eq!(drive.transport, Transport::Sata);
    assert_eq!(drive.model, Reading::Known("Samsung SSD 860 QVO 4TB".to_owned()));
    assert_eq!(drive.firmware, Reading::Known("RVT02B6Q".to_owned()));
    assert_eq!(drive.serial, Reading::Known("S3Z9NB0K123456".to_owned()));
}

#[test]
fn maker_and_model_of_a_usb_drive_are_joined() {
    let sys = FakeSys::new();
    let disk =
        sys.disk("pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb", "8:16", 8);
    sys.write(&format!("{disk}/device/vendor"), "SanDisk \n");
    sys.write(&format!("{disk}/device/model"), "Extreme Pro\n");
    sys.write_bytes(&format!("{disk}/device/vpd_pg80"), b"\x00\x80\x00\x04AB12");
    let drive = identify_as(&sys, (8, 16), true);
    assert_eq!(drive.transport, Transport::Usb);
    assert_eq!(drive.model, Reading::Known("SanDisk Extreme Pro".to_owned()));
    assert_eq!(drive.serial, Reading::Known("AB12".to_owned()));
}

#[test]
fn a_virtual_disk_says_that_it_is_one() {
    let sys = FakeSys::new();
    let disk = sys.disk("pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0", 8);
    sys.write(&format!("{disk}/device/vendor"), "0x1af4\n");
    sys.write(&format!("{disk}/serial"), "\n");
    let drive = identify_as(&sys, (254, 0), true);
    assert_eq!(drive.transport, Transport::Virtio);
    assert_eq!(drive.name(), "Virtual disk");
    assert_eq!(drive.serial, Reading::Absent(Absent::NotReported));
    assert!(drive.stack.is_empty());
}

#[test]
fn encryption_on_lvm_on_a_partition_is_seen_through() {
    let sys = FakeSys::new();
    let disk = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 1000);
    sys.write(&format!("{disk}/device/model"), "X\n");
    let partition = sys.partition(&disk, "nvme0n1p1", "259:1", 900);
    let lvm = sys.mapped("dm-0", "253:0", "LVM-abc", &[&partition]);
    sys.mapped("dm-1", "253:1", "CRYPT-LUKS2-0123-home", &[&lvm]);
    let drive = identify_as(&sys, (253, 1), false);
    assert_eq!(drive.stack, ["dm-crypt", "dm-lvm", "partition"]);
    assert_eq!(drive.model, Reading::Known("X".to_owned()));
    assert_eq!(drive.transport, Transport::Nvme);
}

#[test]
fn an_array_is_no_drive() {
    let sys = FakeSys::new();
    let a = sys.disk("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "259:0", 1000);
    let b = sys.disk("pci0000:00/0000:02:00.0/nvme/nvme1/nvme1n1", "259:1", 1000);
    let array = sys.virtual_disk("md0", "9:0", &[&a, &b]);
    sys.write(&format!("{array}/md/level"), "raid0\n");
    sys.write(&format!("{a}/device/model"), "A\n");
    sys.write(&format!("{b}/device/model"), "B\n");
    let drive = identify_as(&sys, (9, 0), false);
    assert_eq!(drive.stack, ["md-raid0"]);
    assert_eq!(drive.transport, Transport::Software);
    assert_eq!(drive.model, Reading::Absent(Absent::NotSupported));
    let members: Vec<_> = drive.members.iter().map(|one| one.model.known().unwrap().as_str()).collect();
    assert_eq!(members, ["A", "B"]);
    assert_eq!(drive.members[0].capacity_bytes, Reading::Known(512_000));
}

#[test]
fn where_a_drive_sits_and_how_it_is_reached_is_told() {
    let sys = FakeSys::new();
    let port = "pci0000:00/0000:00:1d.0";
    let disk = sys.disk(&format!("{port}/0000:01:00.0/nvme/nvme0/nvme0n2"), "259:0", 1000);
    sys.link(port, "16.0 GT/s PCIe", 4, "16.0 GT/s PCIe", 4);
    sys.link(&format!("{port}/0000:01:00.0"), "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
    for (what, value) in [
        ("nsid", "7"),
        ("metadata_bytes", "8"),
        ("queue/zoned", "none"),
        ("queue/write_cache", "write back"),
        ("queue/io_poll", "0"),
        ("queue/nr_requests", "1023"),
        ("queue/max_segments", "127"),
        ("mq/0/cpu_list", "0"),
        ("mq/1/cpu_list", "1"),
    ] {
        sys.write(&format!("{disk}/{what}"), &format!("{value}\n"));
    }
    sys.write(&format!("sys/devices/{port}/0000:01:00.0/numa_node"), "1\n");
    sys.write("sys/bus/pci/slots/0/address", "0000:00:1d\n");
    sys.write("sys/bus/pci/slots/M2_1/address", "0000:01:00\n");
    let drive = identify_as(&sys, (259, 0), false);
    assert_eq!((drive.namespace, drive.metadata_bytes), (Reading::Known(7), Reading::Known(8)));
    assert_eq!((drive.hardware_queues, drive.poll_queues), (Reading::Known(2), Reading::Known(false)));
    assert_eq!((drive.queue_requests, drive.max_segments), (Reading::Known(1023), Reading::Known(127)));
    assert_eq!(drive.zoned, Reading::Known("none".to_owned()));
    assert_eq!(drive.slot, Reading::Known("M2_1".to_owned()));
    assert_eq!(drive.numa_node, Reading::Known(1));
    assert_eq!(drive.pcie.len(), 1);
    assert_eq!(drive.pcie[0].maximum.known().unwrap().text(), "8.0 GT/s x4");

    sys.write(&format!("sys/devices/{port}/0000:01:00.0/numa_node"), "-1\n");
    assert_eq!(identify_as(&sys, (259, 0), false).numa_node, Reading::Absent(Absent::NotReported));
}

#[test]
fn nothing_is_known_of_an_unknown_device() {
    let sys = FakeSys::new();
    assert_eq!(identify_as(&sys, (1, 1), false), unknown());
}

#[test]
fn drives_apart_are_described_by_what_they_share() {
    let sys = FakeSys::new();
    for (number, model, block) in [(0, "A", 512), (1, "A", 4096), (2, "B", 512)] {
        let place = format!("pci0000:00/0000:0{number}:00.0/nvme/nvme{number}/nvme{number}n1");
        let disk = sys.disk(&place, &format!("259:{number}"), 1000);
        sys.write(&format!("{disk}/device/model"), &format!("{model}\n"));
        sys.write(&format!("{disk}/device/serial"), "S1\n");
        sys.write(&format!("{disk}/queue/logical_block_size"), &format!("{block}\n"));
        sys.write(&format!("{disk}/queue/rotational"), "0\n");
    }
    let drives: Vec<Drive> = (0..3).map(|number| identify_as(&sys, (259, number), false)).collect();
    let alike = together(&drives[..2]).unwrap();
    assert_eq!(alike.model, Reading::Known("2 × A".to_owned()));
    assert_eq!(alike.capacity_bytes, Reading::Known(2 * 512_000));
    assert_eq!((alike.transport, alike.rotational), (Transport::Nvme, Reading::Known(false)));
    assert_eq!(alike.logical_block_bytes, Reading::Absent(Absent::NotSupported));
    assert_eq!(alike.serial_hmac, Reading::Absent(Absent::NotSupported), "one number is not that of all");
    let different = together(&drives).unwrap();
    assert_eq!(different.model, Reading::Absent(Absent::NotSupported));
    let names: Vec<_> = different.members.iter().map(|one| one.model.known().unwrap().as_str()).collect();
    assert_eq!(names, ["A", "A", "B"]);
    assert!(together(&[]).is_none());
}
