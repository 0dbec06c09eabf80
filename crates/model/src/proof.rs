//! The evidence that the drive did the work, and the reasons for which a cell is void.
//!
//! This module writes evidence down; `analysis::proof` judges it, in the runner and again in the server.

use crate::reading::Reading;
use serde::{Deserialize, Serialize};

/// What is known about the way between a cell's I/Os and the drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether the target was opened with `O_DIRECT` and a transfer with it succeeded.
    pub direct_io: bool,
    /// Memory alignment for direct I/O in bytes as `statx` tells; 0 means no direct I/O.
    pub dio_memory_align: Reading<u32>,
    /// Offset alignment for direct I/O in bytes as `statx` tells; 0 means no direct I/O.
    pub dio_offset_align: Reading<u32>,
    /// Type of the file system that holds the target, `ext4`; absent for a device. Where a loop device lies below
    /// whose file is in memory, the type of the file system that holds that: `tmpfs`.
    pub file_system: Reading<String>,
    /// Where the target's bytes lie.
    pub extents: Reading<Extents>,
    /// Time the machine slept during the cell (BOOTTIME minus MONOTONIC), nanoseconds.
    pub suspended_ns: u64,
    /// Most bytes per second that the narrowest link to the drive can carry in one direction, before protocol
    /// loss.
    pub link_bytes_per_s: Reading<u64>,
    /// What cannot be proven on this target.
    pub unproven: Vec<Unproven>,
}

/// The target's bytes by kind of extent. Source: Linux `FS_IOC_FIEMAP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Extents {
    /// Number of extents.
    pub count: u32,
    /// Bytes of the span without any extent.
    pub hole_bytes: u64,
    /// Bytes allocated and never written: read as zeros without touching the drive.
    pub unwritten_bytes: u64,
    /// Bytes kept inside metadata.
    pub inline_bytes: u64,
    /// Bytes shared with other files.
    pub shared_bytes: u64,
    /// Bytes compressed or encrypted by the file system.
    pub encoded_bytes: u64,
    /// Bytes whose place is not yet decided or not known.
    pub unknown_bytes: u64,
}

impl Extents {
    /// Those of two targets together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let add = u64::saturating_add;
        Self {
            count: self.count.saturating_add(other.count),
            hole_bytes: add(self.hole_bytes, other.hole_bytes),
            unwritten_bytes: add(self.unwritten_bytes, other.unwritten_bytes),
            inline_bytes: add(self.inline_bytes, other.inline_bytes),
            shared_bytes: add(self.shared_bytes, other.shared_bytes),
            encoded_bytes: add(self.encoded_bytes, other.encoded_bytes),
            unknown_bytes: add(self.unknown_bytes, other.unknown_bytes),
        }
    }
}

impl Proof {
    /// The evidence of several drives as that of one: what holds for all of them, what is unproven on any of them,
    /// and all that their links carry together; `None` without any.
    #[must_use]
    pub fn together(proofs: &[Self]) -> Option<Self> {
        let (first, others) = proofs.split_first()?;
        Some(others.iter().fold(first.clone(), |sum, one| sum.and(one)))
    }

    fn and(self, other: &Self) -> Self {
        let mut unproven = self.unproven;
        unproven.extend(
            other.unproven.iter().filter(|what| !unproven.contains(what)).copied().collect::<Vec<_>>(),
        );
        Self {
            direct_io: self.direct_io && other.direct_io,
            dio_memory_align: both(self.dio_memory_align, &other.dio_memory_align, wider),
            dio_offset_align: both(self.dio_offset_align, &other.dio_offset_align, wider),
            file_system: both(self.file_system, &other.file_system, names),
            extents: both(self.extents, &other.extents, |a, b| a.with(*b)),
            suspended_ns: self.suspended_ns.max(other.suspended_ns),
            link_bytes_per_s: both(self.link_bytes_per_s, &other.link_bytes_per_s, |a, b| {
                a.saturating_add(*b)
            }),
            unproven,
        }
    }
}

/// What two readings come to; absent when one of them is.
fn both<T>(a: Reading<T>, b: &Reading<T>, join: impl Fn(T, &T) -> T) -> Reading<T> {
    match (a, b) {
        (Reading::Known(a), Reading::Known(b)) => Reading::Known(join(a, b)),
        (Reading::Absent(why), _) => Reading::Absent(why),
        (_, Reading::Absent(why)) => Reading::Absent(*why),
    }
}

/// The alignment that suits both, for powers of two; 0, which is none at all, when one of them has none.
fn wider(a: u32, b: &u32) -> u32 {
    if a == 0 || *b == 0 { 0 } else { a.max(*b) }
}

/// Types of file systems, each once: `ext4, xfs`.
fn names(a: String, b: &String) -> String {
    if a.split(", ").any(|known| known == b) { a } else { format!("{a}, {b}").chars().take(40).collect() }
}

/// Something that no measurement on this target can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unproven {
    /// A virtual disk: the machine below may answer from its memory.
    VirtualDisk,
    /// A device made by software (zram and the like): what lies behind it is not looked at.
    SoftwareDevice,
    /// A loop device: a file answers, and memory may hold that.
    LoopDevice,
    /// The kernel's counters of this device could not be read.
    DeviceCounters,
    /// The kernel does not tell the target's direct I/O alignment.
    DirectIoAlignment,
    /// The file system does not tell where the bytes lie.
    Extents,
    /// A volume on another machine: its cache may answer.
    NetworkVolume,
    /// The speed of the link to the drive is not known.
    LinkSpeed,
    /// No drive did it: a model answered.
    Simulated,
    /// Nothing tells which parts of a device were ever written.
    Content,
    /// Files were read through the page cache, which was asked to forget them first.
    Cold,
}

impl Unproven {
    /// One sentence for readers.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::VirtualDisk => "This is a virtual disk: the machine below may answer from its own memory.",
            Self::SoftwareDevice => {
                "This is a device made by software: what lies behind it may be a file or memory."
            }
            Self::LoopDevice => {
                "This is a loop device: a file answers in place of a drive, and the machine's memory may hold that file."
            }
            Self::DeviceCounters => {
                "The kernel's counters of this device could not be read, so the bytes that reached it were not counted."
            }
            Self::DirectIoAlignment => "The kernel does not tell the direct I/O alignment of this target.",
            Self::Extents => "The file system does not tell where the file's bytes lie.",
            Self::NetworkVolume => "This volume lies on another machine, whose memory may answer.",
            Self::LinkSpeed => {
                "The speed of the link to the drive is not known, so no figure was checked against it."
            }
            Self::Content => {
                "Nothing tells which parts of the device were ever written: a drive answers reads of the others without touching its memory."
            }
            Self::Cold => {
                "Files were read through the page cache, which was asked to forget them first: nothing shows that it did."
            }
            Self::Simulated => {
                "No drive did this: a model of one did, fitted to published figures; it is not a measurement."
            }
        }
    }
}

/// Why a cell's figures do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoidReason {
    /// Direct I/O was refused, or the file system says that it has none.
    NoDirectIo,
    /// The file system keeps its data in memory or on another machine.
    FileSystem,
    /// Part of the span has no extent: reads of it never reach the drive.
    Hole,
    /// Part of the span was never written: reads of it never reach the drive.
    Unwritten,
    /// Part of the span lies inside metadata.
    Inline,
    /// Part of the span is shared with other files.
    Shared,
    /// Part of the span is compressed or encrypted by the file system.
    Encoded,
    /// The device counted at least 5 % fewer bytes than were completed: something else answered.
    DeviceBytes,
    /// The machine slept for more than 0.5 s.
    Suspended,
    /// A loop ended before a single I/O had completed.
    NoCompletions,
    /// A loop was faster than the narrowest link to the drive can be.
    LinkCeiling,
    /// Others moved more than a quarter as many bytes on the drive as the cell did.
    ForeignIo,
    /// The measuring clock ran backwards.
    Clock,
    /// The drive or the kernel returned an error for an I/O.
    IoError,
    /// An I/O moved fewer bytes than asked: the device is gone or the file was cut.
    ShortCompletion,
    /// No space was left.
    NoSpace,
    /// No I/O completed for two minutes.
    Stalled,
    /// The engine could not be set up.
    NoEngine,
    /// The recorded figures contradict each other.
    Inconsistent,
}

impl VoidReason {
    /// The reason in one sentence.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::NoDirectIo => "Direct I/O was not possible, so the page cache may have answered.",
            Self::FileSystem => {
                "The file system keeps its data in memory or on another machine, not on a drive."
            }
            Self::Hole => "Part of the span has no extent: reads of it never reach the drive.",
            Self::Unwritten => "Part of the span was never written: reads of it never reach the drive.",
            Self::Inline => "Part of the span lies inside the file system's metadata.",
            Self::Shared => "Part of the span is shared with other files.",
            Self::Encoded => "Part of the span is compressed or encrypted by the file system.",
            Self::DeviceBytes => {
                "The device counted at least 5 % fewer bytes than were completed: something else answered."
            }
            Self::Suspended => "The machine slept during the cell.",
            Self::NoCompletions => {
                "A loop ended before a single I/O had completed: it was too short for this queue depth."
            }
            Self::LinkCeiling => {
                "A loop was faster than the narrowest link to the drive can be: something else answered."
            }
            Self::ForeignIo => {
                "Something else moved more than a quarter as many bytes on the drive as the cell did."
            }
            Self::Clock => "The measuring clock ran backwards.",
            Self::IoError => "The drive returned an error for an I/O.",
            Self::ShortCompletion => {
                "An I/O moved fewer bytes than asked: the device is gone or the file was cut."
            }
            Self::NoSpace => "No space was left.",
            Self::Stalled => "No I/O completed for two minutes.",
            Self::NoEngine => "The engine could not be set up.",
            Self::Inconsistent => "The recorded figures contradict each other.",
        }
    }

    /// The code, `unwritten`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::NoDirectIo => "no-direct-io",
            Self::FileSystem => "file-system",
            Self::Hole => "hole",
            Self::Unwritten => "unwritten",
            Self::Inline => "inline",
            Self::Shared => "shared",
            Self::Encoded => "encoded",
            Self::DeviceBytes => "device-bytes",
            Self::Suspended => "suspended",
            Self::NoCompletions => "no-completions",
            Self::LinkCeiling => "link-ceiling",
            Self::ForeignIo => "foreign-io",
            Self::Clock => "clock",
            Self::IoError => "io-error",
            Self::ShortCompletion => "short-completion",
            Self::NoSpace => "no-space",
            Self::Stalled => "stalled",
            Self::NoEngine => "no-engine",
            Self::Inconsistent => "inconsistent",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Absent;

    fn proof() -> Proof {
        Proof {
            direct_io: true,
            dio_memory_align: Reading::Known(4),
            dio_offset_align: Reading::Known(512),
            file_system: Reading::Known("ext4".to_owned()),
            extents: Reading::Known(Extents { count: 2, ..Extents::default() }),
            suspended_ns: 0,
            link_bytes_per_s: Reading::Known(1_000),
            unproven: vec![Unproven::LinkSpeed],
        }
    }

    #[test]
    fn evidence_of_several_drives_is_what_holds_for_all() {
        assert_eq!(Proof::together(&[]), None);
        assert_eq!(Proof::together(&[proof()]), Some(proof()));
        let worse = Proof {
            direct_io: false,
            dio_memory_align: Reading::Known(0),
            dio_offset_align: Reading::Known(4096),
            file_system: Reading::Known("xfs".to_owned()),
            extents: Reading::Known(Extents { count: 1, hole_bytes: 7, ..Extents::default() }),
            suspended_ns: 9,
            link_bytes_per_s: Reading::Absent(Absent::NotReported),
            unproven: vec![Unproven::VirtualDisk, Unproven::LinkSpeed],
        };
        let all = Proof::together(&[proof(), worse, proof()]).unwrap();
        assert_eq!(
            all,
            Proof {
                direct_io: false,
                dio_memory_align: Reading::Known(0),
                dio_offset_align: Reading::Known(4096),
                file_system: Reading::Known("ext4, xfs".to_owned()),
                extents: Reading::Known(Extents { count: 5, hole_bytes: 7, ..Extents::default() }),
                suspended_ns: 9,
                link_bytes_per_s: Reading::Absent(Absent::NotReported),
                unproven: vec![Unproven::LinkSpeed, Unproven::VirtualDisk],
            }
        );
        let links = Proof::together(&[proof(), proof()]).unwrap().link_bytes_per_s;
        assert_eq!(links, Reading::Known(2_000));
    }
}
