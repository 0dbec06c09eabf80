//! What the first and last bytes of a device say about its content: partition tables, file systems, members of
//! arrays, volumes, pools, encryption, swap.
//!
//! Only published magic numbers and their places are compared; nothing is interpreted. A few have two bytes, which
//! random data shows on one device of some ten thousand: one device too many is refused rather than one too few.

/// Bytes from the start that are looked at; the second header of LUKS2 may lie at 4 MiB.
pub(super) const HEAD_BYTES: u64 = 5 << 20;
/// Bytes up to the end that are looked at.
pub(super) const TAIL_BYTES: u64 = 1 << 20;

/// Where a magic number lies.
#[derive(Clone, Copy)]
enum At {
    /// So many bytes after the start.
    Start(u64),
    /// So many bytes before the end.
    End(u64),
}
use At::{End, Start};

const LUKS_SECOND: &[u8] = b"SKUL\xba\xbe";
const MD: [u8; 4] = 0xa92b_4efc_u32.to_le_bytes();
const MD_SWAPPED: [u8; 4] = 0xa92b_4efc_u32.to_be_bytes();

/// Source: the structures and headers named beside each, in the Linux kernel's `include/uapi/linux/` and
/// `fs/*/`, or in the specification of the format.
const TABLE: &[(&str, At, &[u8])] = &[
    // UEFI specification, GPT header: at block 1 and in the last block, of 512 or 4,096 bytes.
    ("a GPT partition table", Start(512), b"EFI PART"),
    ("a GPT partition table", Start(4096), b"EFI PART"),
    ("a GPT partition table", End(512), b"EFI PART"),
    ("a GPT partition table", End(4096), b"EFI PART"),
    // The boot signature of the PC BIOS.
    ("an MBR partition table or boot sector", Start(510), &[0x55, 0xaa]),
    // Apple partition map: driver descriptor and first entry.
    ("an Apple partition map", Start(512), b"PM\0\0"),
    // `include/uapi/linux/raid/md_p.h`: versions 1.1 and 1.2; 1.0 and 0.90 are computed below.
    ("a member of an md array", Start(0), &MD),
    ("a member of an md array", Start(4096), &MD),
    // Intel Matrix RAID: the second last sector. DDF (SNIA): anchor header in the last sector.
    ("a member of an Intel RAID", End(1024), b"Intel Raid ISM Cfg Sig. "),
    ("a member of an Intel RAID", End(8192), b"Intel Raid ISM Cfg Sig. "),
    ("a member of a DDF RAID", End(512), &[0xde, 0x11, 0xde, 0x11]),
    // LVM2 label: in one of the first four sectors.
    ("an LVM physical volume", Start(0), b"LABELONE"),
    ("an LVM physical volume", Start(512), b"LABELONE"),
    ("an LVM physical volume", Start(1024), b"LABELONE"),
    ("an LVM physical volume", Start(1536), b"LABELONE"),
    ("a device-mapper snapshot store", Start(0), b"SnAp"),
    ("a device-mapper RAID member", Start(0), b"DmRd"),
    ("a Stratis pool member", Start(516), b"!Stra0tis\x86\xff\x02^Arh"),
    ("a Stratis pool member", Start(4612), b"!Stra0tis\x86\xff\x02^Arh"),
    ("a VDO volume", Start(0), b"dmvdo001"),
    ("a dm-integrity volume", Start(0), b"integrt\0"),
    ("a dm-verity hash device", Start(0), b"verity\0\0"),
    // LUKS1 and LUKS2 on-disk format; the second header of LUKS2 is looked for below.
    ("LUKS encryption", Start(0), b"LUKS\xba\xbe"),
    ("BitLocker encryption", Start(3), b"-FVE-FS-"),
    // `include/uapi/linux/bcache.h` and bcachefs' on-disk format: 24 bytes into the block at 4 KiB.
    (
        "a bcache device",
        Start(4120),
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81],
    ),
    (
        "a bcachefs file system",
        Start(4120),
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef],
    ),
    ("a Ceph BlueStore device", Start(0), b"bluestore block device"),
    // `drivers/block/drbd/`, `struct meta_data_on_disk`: 60 bytes into the block at 4 KiB before the end.
    ("a DRBD device", End(4096 - 60), &[0x83, 0x74, 0x02, 0x6b]),
    ("a DRBD device", End(4096 - 60), &[0x83, 0x74, 0x02, 0x6c]),
    ("a DRBD device", End(4096 - 60), &[0x83, 0x74, 0x02, 0x6d]),
    ("an Oracle ASM disk", Start(32), b"ORCLDISK"),
    ("a VMFS volume", Start(1 << 20), &[0x0d, 0xd0, 0x01, 0xc0]),
    ("a VMFS file system", Start(2 << 20), &[0x5e, 0xf1, 0xab, 0x2f]),
    // File systems.
    ("an ext2, ext3 or ext4 file system", Start(1080), &[0x53, 0xef]),
    ("an XFS file system", Start(0), b"XFSB"),
    ("an XFS log", Start(0), &[0xfe, 0xed, 0xba, 0xbe]),
    ("a Btrfs file system", Start(65_600), b"_BHRfS_M"),
    ("an F2FS file system", Start(1024), &[0x10, 0x20, 0xf5, 0xf2]),
    ("an NTFS file system", Start(3), b"NTFS    "),
    ("a ReFS file system", Start(3), b"ReFS\0"),
    ("an exFAT file system", Start(3), b"EXFAT   "),
    ("a FAT file system", Start(54), b"FAT12   "),
    ("a FAT file system", Start(54), b"FAT16   "),
    ("a FAT file system", Start(54), b"FAT     "),
    ("a FAT file system", Start(82), b"FAT32   "),
    ("an APFS container", Start(32), b"NXSB"),
    ("an HFS file system", Start(1024), b"BD"),
    ("an HFS+ file system", Start(1024), b"H+"),
    ("an HFSX file system", Start(1024), b"HX"),
    ("an ISO 9660 image", Start(32_769), b"CD001"),
    ("a UDF file system", Start(32_769), b"BEA01"),
    ("a UDF file system", Start(32_769), b"NSR0"),
    ("a SquashFS image", Start(0), b"hsqs"),
    ("an EROFS image", Start(1024), &[0xe2, 0xe1, 0xf5, 0xe0]),
    ("a JFS file system", Start(32_768), b"JFS1"),
    ("a ReiserFS file system", Start(65_588), b"ReIsEr"),
    ("a Reiser4 file system", Start(65_536), b"ReIsEr4"),
    ("a NILFS2 file system", Start(1030), &[0x34, 0x34]),
    ("a GFS2 file system", Start(65_536), &[0x01, 0x16, 0x19, 0x70]),
    ("an OCFS2 file system", Start(1024), b"OCFSV2"),
    ("an OCFS2 file system", Start(2048), b"OCFSV2"),
    ("an OCFS2 file system", Start(4096), b"OCFSV2"),
    ("a UFS file system", Start(8192 + 1372), &[0x54, 0x19, 0x01, 0x00]),
    ("a UFS file system", Start(65_536 + 1372), &[0x19, 0x01, 0x54, 0x19]),
];

/// The ends of a device or partition.
pub(super) struct Ends<'a> {
    /// The first [`HEAD_BYTES`], or all when there are fewer.
    pub(super) head: &'a [u8],
    /// The last [`TAIL_BYTES`], or all when there are fewer.
    pub(super) tail: &'a [u8],
    /// Bytes of the whole.
    pub(super) size: u64,
}

impl Ends<'_> {
    /// `length` bytes at `offset`, when they lie in one of the ends.
    fn bytes(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let within = |part: &'_ [u8], start: u64| {
            let from = usize::try_from(offset.checked_sub(start)?).ok()?;
            let to = from.checked_add(length)?;
            (to <= part.len()).then_some((from, to))
        };
        if let Some((from, to)) = within(self.head, 0) {
            return Some(&self.head[from..to]);
        }
        let (from, to) = within(self.tail, self.size - self.tail.len() as u64)?;
        Some(&self.tail[from..to])
    }

    fn holds(&self, at: At, magic: &[u8]) -> bool {
        let offset = match at {
            Start(offset) => Some(offset),
            End(before) => self.size.checked_sub(before),
        };
        offset.and_then(|offset| self.bytes(offset, magic.len())).is_some_and(|bytes| bytes == magic)
    }

    /// Whether every byte looked at is zero.
    pub(super) fn blank(&self) -> bool {
        self.head.iter().chain(self.tail).all(|byte| *byte == 0)
    }
}

/// What the ends show, each thing once, with its article.
pub(super) fn find(ends: &Ends<'_>) -> Vec<&'static str> {
    let mut found: Vec<&'static str> =
        TABLE.iter().filter(|(_, at, magic)| ends.holds(*at, magic)).map(|(name, ..)| *name).collect();
    for (name, holds) in [
        ("a member of an md array", md_near_the_end(ends)),
        ("LUKS encryption", luks_second(ends)),
        ("swap space", swap(ends)),
        ("a ZFS pool member", zfs(ends)),
    ] {
        if holds {
            found.push(name);
        }
    }
    let mut seen = Vec::new();
    found.retain(|name| {
        !seen.contains(name) && {
            seen.push(name);
            true
        }
    });
    found
}

/// Versions 1.0 (8 to 12 KiB before the end, at a multiple of 4 KiB) and 0.90 (in the last whole 64 KiB block but
/// one, in the byte order of its machine). Source: `include/uapi/linux/raid/md_p.h`, `md.rst`.
fn md_near_the_end(ends: &Ends<'_>) -> bool {
    let version_1_0 = (ends.size / 512).checked_sub(16).map(|sector| (sector & !7) * 512);
    let version_0_90 = (ends.size & !0xffff).checked_sub(0x1_0000);
    version_1_0.is_some_and(|at| ends.holds(Start(at), &MD))
        || version_0_90.is_some_and(|at| [MD, MD_SWAPPED].iter().any(|magic| ends.holds(Start(at), magic)))
}

/// Source: LUKS2 on-disk format specification, 2.1: the secondary header follows the primary one's area, whose size
/// is 16 KiB to 4 MiB in powers of two.
fn luks_second(ends: &Ends<'_>) -> bool {
    (14..=22).any(|shift| ends.holds(Start(1 << shift), LUKS_SECOND))
}

/// Source: `include/linux/swap.h`, `union swap_header`: the last ten bytes of the first page, whatever its size.
fn swap(ends: &Ends<'_>) -> bool {
    (12..=16).map(|shift| (1 << shift) - 10).any(|at| {
        [&b"SWAPSPACE2"[..], b"SWAP-SPACE", b"S1SUSPEND\0", b"S2SUSPEND\0"]
            .iter()
            .any(|magic| ends.holds(Start(at), magic))
    })
}

/// Uberblocks of the four labels. Source: ZFS on-disk specification, 1.2 and 1.3: labels of 256 KiB, two at the start
/// and two at the end of the size rounded down to whole labels; uberblocks of at least 1 KiB in their upper half.
fn zfs(ends: &Ends<'_>) -> bool {
    const LABEL: u64 = 256 << 10;
    const UBERBLOCK: u64 = 0x00ba_b10c;
    let end = ends.size / LABEL * LABEL;
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    labels.into_iter().flatten().any(|label| {
        (128..256).map(|kib| label + (kib << 10)).any(|at| {
            [UBERBLOCK.to_le_bytes(), UBERBLOCK.to_be_bytes()]
                .iter()
                .any(|magic| ends.holds(Start(at), magic))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 16 << 20;

    fn find_in(image: &[u8]) -> Vec<&'static str> {
        let head = &image[..image.len().min(HEAD_BYTES as usize)];
        let tail = &image[image.len().saturating_sub(TAIL_BYTES as usize)..];
        find(&Ends { head, tail, size: image.len() as u64 })
    }

    #[test]
    fn every_number_is_found_in_its_place_and_nowhere_else() {
        for &(name, at, magic) in TABLE {
            let mut image = vec![0; SIZE as usize];
            let offset = match at {
                Start(offset) => offset,
                End(before) => SIZE - before,
            } as usize;
            image[offset..offset + magic.len()].copy_from_slice(magic);
            assert!(find_in(&image).contains(&name), "{name} at {offset}");
            image[offset..offset + magic.len()].fill(0);
            let elsewhere = offset / 2 + 7_654_321;
            image[elsewhere..elsewhere + magic.len()].copy_from_slice(magic);
            assert!(find_in(&image).is_empty(), "{name} at {elsewhere}");
        }
    }

    #[test]
    fn computed_places_are_found_too() {
        let with = |offset: u64, magic: &[u8]| {
            let mut image = vec![0; SIZE as usize + 3 * 512];
            image[offset as usize..offset as usize + magic.len()].copy_from_slice(magic);
            find_in(&image)
        };
        // 16 MiB and three sectors: (32,771 - 16) rounded down to eight sectors.
        assert_eq!(with(32_752 * 512, &MD), ["a member of an md array"]);
        assert_eq!(with((SIZE & !0xffff) - 0x1_0000, &MD_SWAPPED), ["a member of an md array"]);
        assert_eq!(with(4 << 20, LUKS_SECOND), ["LUKS encryption"]);
        assert_eq!(with(4086, b"SWAPSPACE2"), ["swap space"]);
        assert_eq!(with(65_526, b"SWAPSPACE2"), ["swap space"]);
        let uberblock = 0x00ba_b10c_u64.to_le_bytes();
        for label in [0, 256 << 10, SIZE - (512 << 10), SIZE - (256 << 10)] {
            assert_eq!(with(label + (129 << 10), &uberblock), ["a ZFS pool member"], "{label}");
            assert!(with(label + (127 << 10), &uberblock).is_empty(), "{label}");
        }
    }

    #[test]
    fn tiny_and_blank_devices_hold_nothing() {
        for size in [0, 1, 511, 512, 4096, 1 << 20] {
            let image = vec![0; size];
            assert!(find_in(&image).is_empty(), "{size}");
            assert!(Ends { head: &image, tail: &image, size: size as u64 }.blank());
        }
    }
}
