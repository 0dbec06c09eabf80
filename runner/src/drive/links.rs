//! The links between a drive and the processor: PCI Express hops, SATA, USB, and what each can carry.
//!
//! Reads sysfs only. A link's current speed needs no privilege; idle links may be slower than under load.

use super::nvme;
use crate::sysfs::{names_in, number, text};
use model::{
    drive::{MAX_HOPS, PcieHop, PcieLink},
    reading::{Absent, Reading},
};
use std::path::{Path, PathBuf};

/// The PCI devices on the way to a disk, the root's port first; empty when there is none.
#[must_use]
pub fn pci_path(disk: &Path) -> Vec<PathBuf> {
    let controller = nvme::controllers(disk).into_iter().next();
    let place = controller.as_deref().unwrap_or(disk);
    let mut found = Vec::new();
    let mut at = PathBuf::new();
    for part in place.components() {
        at.push(part);
        let name = part.as_os_str().to_str().unwrap_or_default();
        if name.starts_with("pci") {
            // A host bridge inside the path (VMD): what comes before it belongs to the bridge, not to the link.
            found.clear();
        } else if is_pci_address(name) {
            found.push(at.clone());
        }
    }
    found
}

/// `0000:01:00.0`; domains of some bridges have five digits.
fn is_pci_address(name: &str) -> bool {
    let hex = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let parts: Vec<&str> = name.split([':', '.']).collect();
    matches!(parts.as_slice(), [domain, bus, device, function]
        if hex(domain, 4..=8) && hex(bus, 2..=2) && hex(device, 2..=2) && hex(function, 1..=1))
}

/// The links of the way, the root's first. A device built into the processor's complex has none.
#[must_use]
pub fn pcie_hops(disk: &Path) -> Vec<PcieHop> {
    pairs(disk).iter().take(MAX_HOPS).map(hop).collect()
}

/// The links of the way as they are now, in the order of [`pcie_hops`].
#[must_use]
pub fn current_links(disk: &Path) -> Vec<Reading<PcieLink>> {
    pairs(disk).iter().take(MAX_HOPS).map(|(_, lower)| link(lower, "current")).collect()
}

/// Both ends of each link. A port stands at each upper end; switches have an upstream port that ends one link and
/// a downstream port that begins the next, so that devices come in pairs.
fn pairs(disk: &Path) -> Vec<(PathBuf, PathBuf)> {
    pci_path(disk).chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

fn hop((upper, lower): &(PathBuf, PathBuf)) -> PcieHop {
    let current = link(lower, "current");
    let maximum = match (link(upper, "max"), link(lower, "max")) {
        (Reading::Known(upper), Reading::Known(lower)) => Reading::Known(PcieLink {
            mt_per_s: upper.mt_per_s.min(lower.mt_per_s),
            lanes: upper.lanes.min(lower.lanes),
        }),
        (Reading::Absent(reason), _) | (_, Reading::Absent(reason)) => Reading::Absent(reason),
    };
    let maximum = match (maximum, &current) {
        // A tunnel through Thunderbolt or USB4 calls itself a first-generation link and carries more.
        (Reading::Known(link), _) if link.mt_per_s <= 2_500 && is_removable(lower) => {
            Reading::Absent(Absent::NotReported)
        }
        // What runs is possible, whatever the ports say of themselves.
        (Reading::Known(link), Reading::Known(now)) if now.bytes_per_s() > link.bytes_per_s() => {
            Reading::Known(*now)
        }
        (maximum, _) => maximum,
    };
    PcieHop { current, maximum }
}

fn is_removable(device: &Path) -> bool {
    text(&device.join("removable")).known().is_some_and(|text| text == "removable")
}

fn link(device: &Path, which: &str) -> Reading<PcieLink> {
    let speed = text(&device.join(format!("{which}_link_speed")));
    let lanes = number::<u8>(&device.join(format!("{which}_link_width")));
    match (speed, lanes) {
        (Reading::Known(speed), Reading::Known(lanes)) => {
            let parsed = parse_speed(&speed).filter(|_| matches!(lanes, 1 | 2 | 4 | 8 | 12 | 16 | 32));
            let link = parsed.map(|mt_per_s| PcieLink { mt_per_s, lanes });
            Reading::from_option(link, Absent::NotReported)
        }
        (Reading::Absent(reason), _) | (_, Reading::Absent(reason)) => Reading::Absent(reason),
    }
}

/// Million transfers per second in `8.0 GT/s PCIe`; older kernels write `8 GT/s`.
fn parse_speed(text: &str) -> Option<u32> {
    decimal_thousands(text.split_once(" GT/s")?.0)
}

/// A decimal number of up to three places as thousandths: `2.5` is 2,500.
fn decimal_thousands(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 3 {
        return None;
    }
    whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(format!("{part:0<3}").parse().ok()?)
}

/// Bytes per second in one direction of the narrowest link to a disk, after line coding; `None` when no link is
/// known.
#[must_use]
pub fn bytes_per_s(disk: &Path) -> Option<u64> {
    let hops = pcie_hops(disk);
    let pcie = hops.iter().filter_map(|hop| hop.maximum.known()).map(|link| link.bytes_per_s());
    pcie.chain(sata_bytes_per_s(disk)).chain(usb_bytes_per_s(disk)).min()
}

/// Bytes per second in one direction that the links to several disks can carry together: disks behind one link share
/// what it carries; `None` when there are none, or no link to one of them is known.
#[must_use]
pub fn together(disks: &[&Path]) -> Option<u64> {
    let way = |disk: &&Path| {
        let pcie = pairs(disk).into_iter().map(|pair| (pair.1.clone(), hop(&pair).maximum.known().copied()));
        let links = pcie.map(|(at, link)| (at, link.map(PcieLink::bytes_per_s))).collect();
        (links, sata_bytes_per_s(disk).into_iter().chain(usb_bytes_per_s(disk)).min())
    };
    shared(&disks.iter().map(way).collect::<Vec<_>>())
}

/// A way's links from the root on, by their lower ends, each with what it carries, and what the disk's own cable does.
type Way = (Vec<(PathBuf, Option<u64>)>, Option<u64>);

/// What ways can carry together that have come so far: those that go on over the same link no more than that.
fn shared(ways: &[Way]) -> Option<u64> {
    let mut links: Vec<(&PathBuf, Option<u64>, Vec<Way>)> = Vec::new();
    let mut sum = None;
    let mut add = |rate: Option<u64>| {
        let rate = rate?;
        sum = Some(sum.unwrap_or(0_u64).saturating_add(rate));
        Some(())
    };
    for (links_left, cable) in ways {
        match links_left.split_first() {
            None => add(*cable)?,
            Some(((at, rate), rest)) => {
                let way = (rest.to_vec(), *cable);
                match links.iter_mut().find(|(known, ..)| *known == at) {
                    Some((_, _, behind)) => behind.push(way),
                    None => links.push((at, *rate, vec![way])),
                }
            }
        }
    }
    for (_, rate, behind) in links {
        // Behind the last link of a drive without a cable lies nothing that limits it.
        let beyond = shared(&behind);
        add(rate.into_iter().chain(beyond).min())?;
    }
    sum
}

/// The ancestors of a disk with the name of each, the nearest first.
fn ancestors(disk: &Path) -> impl Iterator<Item = (&Path, &str)> {
    disk.ancestors().skip(1).filter_map(|at| Some((at, at.file_name()?.to_str()?)))
}

/// Source: Serial ATA: 8b/10b line code, a tenth of the line rate in bytes.
fn sata_bytes_per_s(disk: &Path) -> Option<u64> {
    let is_port = |name: &str| {
        name.strip_prefix("ata").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let (port, _) = ancestors(disk).find(|(_, name)| is_port(name))?;
    // The port's own link; links with a dot lie behind a port multiplier.
    let own = names_in(port).into_iter().find(|name| name.starts_with("link") && !name.contains('.'))?;
    let speed = text(&port.join(&own).join("ata_link").join(&own).join("sata_spd"));
    let gbps = decimal_thousands(speed.known()?.split_once(" Gbps")?.0)?;
    Some(u64::from(gbps) * 1_000_000 / 10)
}

/// The slowest USB link from the root hub to the disk. Source: USB 2.0 (480 Mbit/s without a block code), USB 3.2
/// (8b/10b at 5 Gbit/s, 128b/132b above).
fn usb_bytes_per_s(disk: &Path) -> Option<u64> {
    ancestors(disk)
        .filter(|(at, _)| at.join("busnum").exists())
        .filter_map(|(at, _)| number::<u64>(&at.join("speed")).known().copied())
        .map(|mbps| match mbps {
            ..=4_999 => mbps * 1_000_000 / 8,
            5_000 => mbps * 1_000_000 / 10,
            5_001.. => mbps * 16_000_000 / 132,
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;
    use std::fs;

    fn real(sys: &FakeSys, path: &str) -> PathBuf {
        fs::canonicalize(sys.root().path(path)).unwrap()
    }

    #[test]
    fn a_switch_divides_the_way_into_two_links() {
        let sys = FakeSys::new();
        let bus = "pci0000:00/0000:00:01.1";
        let up = format!("{bus}/0000:01:00.0");
        let down = format!("{up}/0000:02:04.0");
        let end = format!("{down}/0000:03:00.0");
        let disk = sys.disk(&format!("{end}/nvme/nvme0/nvme0n1"), "259:0", 1);
        sys.link(bus, "16.0 GT/s PCIe", 16, "8.0 GT/s PCIe", 8);
        sys.link(&up, "8.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8);
        sys.link(&down, "8.0 GT/s PCIe", 4, "2.5 GT/s PCIe", 2);
        sys.link(&end, "16.0 GT/s PCIe", 4, "2.5 GT/s PCIe", 2);
        let disk = real(&sys, &disk);
        let link = |mt_per_s, lanes| Reading::Known(PcieLink { mt_per_s, lanes });
        assert_eq!(
            pcie_hops(&disk),
            [
                PcieHop { current: link(8_000, 8), maximum: link(8_000, 8) },
                // Two lanes of four: a bad slot or a dirty contact; the maximum says what it could be.
                PcieHop { current: link(2_500, 2), maximum: link(8_000, 4) },
            ]
        );
        assert_eq!(bytes_per_s(&disk), Some(3_938_461_538));
    }

    #[test]
    fn drives_behind_one_link_share_it() {
        let sys = FakeSys::new();
        let up = "pci0000:00/0000:00:01.1/0000:01:00.0";
        sys.link("pci0000:00/0000:00:01.1", "8.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8);
        sys.link(up, "8.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8);
        let behind = |number: u8| {
            let down = format!("{up}/0000:02:0{number}.0");
            let end = format!("{down}/0000:1{number}:00.0");
            sys.link(&down, "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
            sys.link(&end, "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 4);
            let disk =
                sys.disk(&format!("{end}/nvme/nvme{number}/nvme{number}n1"), &format!("259:{number}"), 1);
            real(&sys, &disk)
        };
        let disks: Vec<PathBuf> = (1..=3).map(behind).collect();
        let apart = "pci0000:00/0000:00:1d.0";
        let own = sys.disk(&format!("{apart}/0000:41:00.0/nvme/nvme9/nvme9n1"), "259:9", 1);
        sys.link(apart, "8.0 GT/s PCIe", 2, "8.0 GT/s PCIe", 2);
        sys.link(&format!("{apart}/0000:41:00.0"), "8.0 GT/s PCIe", 4, "8.0 GT/s PCIe", 2);
        let own = real(&sys, &own);
        let of = |disks: &[&PathBuf]| together(&disks.iter().map(|disk| disk.as_path()).collect::<Vec<_>>());
        let (x4, x8, x2) = (3_938_461_538, 7_876_923_076, 1_969_230_769);
        assert_eq!(of(&[&disks[0]]), Some(x4));
        assert_eq!(of(&[&disks[0], &disks[1]]), Some(x8), "as wide as both need");
        assert_eq!(of(&[&disks[0], &disks[1], &disks[2]]), Some(x8), "the third gets nothing more");
        assert_eq!(of(&[&disks[0], &own]), Some(x4 + x2));
        assert_eq!(of(&disks.iter().chain([&own]).collect::<Vec<_>>()), Some(x8 + x2));
        let loop_device = sys.disk("virtual/block/loop0", "7:0", 1);
        assert_eq!(of(&[&disks[0], &real(&sys, &loop_device)]), None, "of one nothing is known");
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_drive_behind_a_host_bridge_inside_the_path_has_its_own_links_only() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0";
        let disk = sys.disk(&format!("{port}/10000:e1:00.0/nvme/nvme0/nvme0n1"), "259:0", 1);
        sys.link(port, "16.0 GT/s PCIe", 4, "16.0 GT/s PCIe", 4);
        sys.link(&format!("{port}/10000:e1:00.0"), "16.0 GT/s PCIe", 4, "16.0 GT/s PCIe", 4);
        assert_eq!(pcie_hops(&real(&sys, &disk)).len(), 1);
    }

    #[test]
    fn links_that_say_nothing_are_absent_and_tunnels_no_limit() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:07.0";
        let disk = sys.disk(&format!("{port}/0000:01:00.0/nvme/nvme0/nvme0n1"), "259:0", 1);
        let lower = format!("{port}/0000:01:00.0");
        sys.link(port, "2.5 GT/s PCIe", 4, "Unknown", 0);
        sys.link(&lower, "2.5 GT/s PCIe", 4, "Unknown", 0);
        let disk = real(&sys, &disk);
        assert_eq!(current_links(&disk), [Reading::Absent(Absent::NotReported)]);
        assert_eq!(bytes_per_s(&disk), Some(1_000_000_000));
        sys.write(&format!("sys/devices/{lower}/removable"), "removable\n");
        assert_eq!(bytes_per_s(&disk), None);
    }

    #[test]
    fn a_link_that_runs_faster_than_it_says_it_can_is_believed() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:01.0";
        let disk = sys.disk(&format!("{port}/0000:01:00.0/nvme/nvme0/nvme0n1"), "259:0", 1);
        sys.link(port, "8.0 GT/s PCIe", 4, "16.0 GT/s PCIe", 4);
        sys.link(&format!("{port}/0000:01:00.0"), "8.0 GT/s PCIe", 4, "16.0 GT/s PCIe", 4);
        assert_eq!(bytes_per_s(&real(&sys, &disk)), Some(7_876_923_076));
    }

    #[test]
    fn sata_and_usb_have_speeds_of_their_own() {
        let sys = FakeSys::new();
        let port = "pci0000:00/0000:00:17.0/ata3";
        let disk = sys.disk(&format!("{port}/host2/target2:0:0/2:0:0:0/block/sda"), "8:0", 1);
        sys.write(&format!("sys/devices/{port}/link3/ata_link/link3/sata_spd"), "6.0 Gbps\n");
        assert_eq!(bytes_per_s(&real(&sys, &disk)), Some(600_000_000));
        sys.write(&format!("sys/devices/{port}/link3/ata_link/link3/sata_spd"), "<unknown>\n");
        assert_eq!(bytes_per_s(&real(&sys, &disk)), None);

        let hub = "pci0000:00/0000:00:14.0/usb2";
        let disk = sys.disk(&format!("{hub}/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"), "8:16", 1);
        for (at, speed) in [(hub.to_owned(), "20000"), (format!("{hub}/2-1"), "10000")] {
            sys.write(&format!("sys/devices/{at}/busnum"), "2\n");
            sys.write(&format!("sys/devices/{at}/speed"), &format!("{speed}\n"));
        }
        assert_eq!(bytes_per_s(&real(&sys, &disk)), Some(1_212_121_212));
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(decimal_thousands("2.5"), Some(2_500));
        assert_eq!(decimal_thousands("32"), Some(32_000));
        for bad in ["", ".", "1.", "-1", "1.2345", "9999999999"] {
            assert_eq!(decimal_thousands(bad), None, "{bad}");
        }
    }
}
