//! What a drive says of itself, as far as it identifies a product and not a person or machine.

use crate::{ids::SerialHmac, reading::Reading};
use serde::{Deserialize, Serialize};

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
    /// Keyed digest of the serial number: equal for runs of one drive under one key.
    pub serial_hmac: Reading<SerialHmac>,
    /// The serial number itself, only when its owner published it; at most 60 characters.
    pub serial: Reading<String>,
    /// Largest request in bytes that the queue passes on undivided (`max_sectors_kb`).
    pub max_request_bytes: Reading<u64>,
    /// Most memory segments a request may have (`max_segments`).
    pub max_segments: Reading<u32>,
    /// The I/O scheduler in use, at most 40 characters.
    pub scheduler: Reading<String>,
    /// Types of the devices between the file system and the drive, outermost first, drive excluded
    /// (`partition`, `dm-crypt`, `dm-linear`, `md-raid0`, `loop`): types only, no names.
    pub stack: Vec<String>,
}

impl Drive {
    /// The drive's name: its model, or what kind of drive it is when it has none.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.model {
            Reading::Known(model) => model.clone(),
            Reading::Absent(_) => match self.transport {
                Transport::Virtio => "Virtual disk".to_owned(),
                Transport::Software => "Software device".to_owned(),
                other => format!("Unnamed {} drive", other.text()),
            },
        }
    }
}
