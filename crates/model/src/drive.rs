//! What a drive says of itself, as far as it identifies a product and not a person or machine.

use crate::{ids::SerialHmac, reading::Reading};
use serde::{Deserialize, Serialize};

/// Most hops of a PCI Express path.
pub const MAX_HOPS: usize = 16;
/// Most members of an array.
pub const MAX_MEMBERS: usize = 64;

/// How the drive is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// NVM Express over PCI Express.
    Nvme,
    /// Serial ATA.
    Sata,
    /// Serial-attached SCSI, or SCSI of another kind.
    Scsi,
    /// USB mass storage.
    Usb,
    /// Secure Digital or eMMC.
    Mmc,
    /// A virtual machine's disk: what lies behind it cannot be known.
    Virtio,
    /// A device made by software: loop, dm, md, zram.
    Software,
    /// Not told.
    Unknown,
}

impl Transport {
    /// All kinds, as lists of them stand in forms.
    pub const ALL: [Self; 8] = [
        Self::Nvme,
        Self::Sata,
        Self::Scsi,
        Self::Usb,
        Self::Mmc,
        Self::Virtio,
        Self::Software,
        Self::Unknown,
    ];

    /// The word in documents and addresses, `nvme`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Nvme => "nvme",
            Self::Sata => "sata",
            Self::Scsi => "scsi",
            Self::Usb => "usb",
            Self::Mmc => "mmc",
            Self::Virtio => "virtio",
            Self::Software => "software",
            Self::Unknown => "unknown",
        }
    }

    /// The name as readers know it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Nvme => "NVMe",
            Self::Sata => "SATA",
            Self::Scsi => "SCSI",
            Self::Usb => "USB",
            Self::Mmc => "SD/eMMC",
            Self::Virtio => "virtual disk (virtio)",
            Self::Software => "software device",
            Self::Unknown => "unknown attachment",
        }
    }
}

/// The text names no attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a drive is attached by nvme, sata, scsi, usb, mmc, virtio, software or unknown")]
pub struct UnknownTransport;

impl std::str::FromStr for Transport {
    type Err = UnknownTransport;

    fn from_str(text: &str) -> Result<Self, UnknownTransport> {
        Self::ALL.into_iter().find(|transport| transport.token() == text).ok_or(UnknownTransport)
    }
}

/// The drive under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Model name as reported, at most 120 characters.
    pub model: Reading<String>,
    /// Firmware revision as reported, at most 40 characters.
    pub firmware: Reading<String>,
    /// Capacity in bytes.
    pub capacity_bytes: Reading<u64>,
    /// How it is attached.
    pub transport: Transport,
    /// Whether it has spinning platters.
    pub rotational: Reading<bool>,
    /// Logical block size in bytes.
    pub logical_block_bytes: Reading<u32>,
    /// Physical block size in bytes.
    pub physical_block_bytes: Reading<u32>,
    /// Bytes of metadata that the LBA format has with each block.
    pub metadata_bytes: Reading<u32>,
    /// Number of the NVMe namespace.
    pub namespace: Reading<u32>,
    /// Keyed digest of the serial number: equal for runs of one drive under one key.
    pub serial_hmac: Reading<SerialHmac>,
    /// The serial number itself, only when its owner published it; at most 60 characters.
    pub serial: Reading<String>,
    /// Largest request in bytes that the queue passes on undivided (`max_sectors_kb`).
    pub max_request_bytes: Reading<u64>,
    /// Most memory segments a request may have (`max_segments`).
    pub max_segments: Reading<u32>,
    /// Requests that the kernel keeps in each of the drive's queues (`nr_requests`): what exceeds them waits
    /// in the host.
    pub queue_requests: Reading<u32>,
    /// Queues through which the kernel reaches the drive.
    pub hardware_queues: Reading<u32>,
    /// Whether the driver has queues for polled completions (`io_poll`).
    pub poll_queues: Reading<bool>,
    /// The I/O scheduler in use, at most 40 characters.
    pub scheduler: Reading<String>,
    /// What the kernel believes of the drive's write cache: `write back`, `write through`.
    pub write_cache: Reading<String>,
    /// Kind of zones: `none`, `host-aware`, `host-managed`, `drive-managed`.
    pub zoned: Reading<String>,
    /// The PCI Express links from the root port to the drive or its host adapter, the root's first; empty when
    /// there are none, and for arrays.
    pub pcie: Vec<PcieHop>,
    /// Number or name of the slot, at most 40 characters.
    pub slot: Reading<String>,
    /// Processor node that the drive is attached to.
    pub numa_node: Reading<u32>,
    /// The drives of an array; empty for a single drive.
    pub members: Vec<Member>,
    /// Types of the devices between the file system and the drive, outermost first, drive excluded
    /// (`partition`, `dm-crypt`, `dm-lvm`, `md-raid0`, `loop`), below a loop device the file system that holds its
    /// file (`ext4-file`): types only, no names.
    pub stack: Vec<String>,
}

/// Speed and width of a PCI Express link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PcieLink {
    /// Transfers per second and lane in millions: 8,000 for 8 GT/s.
    pub mt_per_s: u32,
    /// Lanes.
    pub lanes: u8,
}

impl PcieLink {
    /// Bytes per second in one direction after line coding, before protocol loss.
    /// Source: PCI Express base specification: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, flits of 242 data
    /// bytes in 256 at 64 GT/s.
    #[must_use]
    pub fn bytes_per_s(self) -> u64 {
        let bits = u64::from(self.mt_per_s) * 1_000_000 * u64::from(self.lanes);
        match self.mt_per_s {
            ..=5_000 => bits / 10,
            5_001..=32_000 => bits * 16 / 130,
            32_001.. => bits / 8 / 256 * 242,
        }
    }

    /// The link as readers know it, `8.0 GT/s x4`.
    #[must_use]
    pub fn text(self) -> String {
        format!("{}.{} GT/s x{}", self.mt_per_s / 1000, self.mt_per_s % 1000 / 100, self.lanes)
    }
}

/// One link on the way to the drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PcieHop {
    /// As negotiated when the run began; idle links may be slower than under load.
    pub current: Reading<PcieLink>,
    /// The most that both ends can do.
    pub maximum: Reading<PcieLink>,
}

/// A drive of an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Model name as reported, at most 120 characters.
    pub model: Reading<String>,
    /// Firmware revision as reported, at most 40 characters.
    pub firmware: Reading<String>,
    /// Capacity in bytes.
    pub capacity_bytes: Reading<u64>,
    /// How it is attached.
    pub transport: Transport,
}

impl Drive {
    /// Bytes per second of the narrowest link to the drive at its best, before protocol loss; `None` when no
    /// link is known.
    #[must_use]
    pub fn pcie_bytes_per_s(&self) -> Option<u64> {
        self.pcie.iter().filter_map(|hop| hop.maximum.known()).map(|link| link.bytes_per_s()).min()
    }

    /// The drive's name: its model, those of its members, or what kind of drive it is when it has none.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.model {
            Reading::Known(model) => model.clone(),
            Reading::Absent(_) if !self.members.is_empty() => self.names_of_members(),
            Reading::Absent(_) => match self.transport {
                Transport::Virtio => "Virtual disk".to_owned(),
                Transport::Software => "Software device".to_owned(),
                other => format!("Unnamed {} drive", other.text()),
            },
        }
    }

    /// The members by their models, equal ones once with their number: `2 × A + B`; at most 120 characters.
    fn names_of_members(&self) -> String {
        let mut kinds: Vec<(usize, &str)> = Vec::new();
        for member in &self.members {
            let name = member.model.known().map_or("unnamed drive", String::as_str);
            match kinds.iter_mut().find(|(_, known)| *known == name) {
                Some((count, _)) => *count += 1,
                None => kinds.push((1, name)),
            }
        }
        let names = kinds.into_iter().map(|(count, name)| match count {
            1 => name.to_owned(),
            count => format!("{count} × {name}"),
        });
        names.collect::<Vec<_>>().join(" + ").chars().take(120).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_without_a_common_name_are_called_by_those_of_each() {
        let mut drive = crate::fixtures::document("A", 1.0, crate::ids::PublicKey([1; 32])).drive;
        let member = |name: Reading<String>| Member {
            model: name,
            firmware: drive.firmware.clone(),
            capacity_bytes: drive.capacity_bytes.clone(),
            transport: drive.transport,
        };
        let known = |name: &str| Reading::Known(name.to_owned());
        let unknown = || Reading::Absent(crate::reading::Absent::NotReported);
        let members = [known("A"), known("B"), known("A"), unknown()].map(member).to_vec();
        drive.members = members;
        assert_eq!(drive.name(), "A", "its own name comes first");
        drive.model = unknown();
        assert_eq!(drive.name(), "2 × A + B + unnamed drive");
    }

    #[test]
    fn attachments_are_read_as_documents_write_them() {
        for transport in Transport::ALL {
            assert_eq!(transport.token().parse(), Ok(transport));
            assert_eq!(serde_json::to_value(transport).unwrap(), transport.token());
        }
        assert_eq!("NVMe".parse::<Transport>(), Err(UnknownTransport));
    }

    #[test]
    fn links_lose_what_their_line_code_takes() {
        let rate = |mt_per_s, lanes| PcieLink { mt_per_s, lanes }.bytes_per_s();
        assert_eq!(rate(2_500, 1), 250_000_000);
        assert_eq!(rate(8_000, 4), 3_938_461_538);
        assert_eq!(rate(16_000, 4), 7_876_923_076);
        assert_eq!(rate(32_000, 4), 15_753_846_153);
        assert_eq!(rate(64_000, 4), 30_250_000_000);
        assert_eq!(PcieLink { mt_per_s: 2_500, lanes: 2 }.text(), "2.5 GT/s x2");
    }
}
