//! Names of file systems by the kernel's magic numbers, and what can be measured on them.
//!
//! Source: Linux `include/uapi/linux/magic.h` and the file systems' own headers; `statfs(2)`.

/// What files on a file system mean for a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// Its files lie on a block device, and direct I/O goes there.
    OnDrive,
    /// Its files lie in memory.
    InMemory,
    /// Its files lie on another machine.
    OnNetwork,
    /// A program in user space answers, or an own cache: nothing shows what reaches a drive.
    BehindCache,
}

const KNOWN: [(u32, &str, Keeps); 25] = [
    (0x0000_ef53, "ext4", Keeps::OnDrive),
    (0x5846_5342, "xfs", Keeps::OnDrive),
    (0x9123_683e, "btrfs", Keeps::OnDrive),
    (0xf2f5_2010, "f2fs", Keeps::OnDrive),
    (0x2011_bab0, "exfat", Keeps::OnDrive),
    (0x0000_4d44, "vfat", Keeps::OnDrive),
    (0x7366_746e, "ntfs3", Keeps::OnDrive),
    (0xca45_1a4e, "bcachefs", Keeps::OnDrive),
    (0x3153_464a, "jfs", Keeps::OnDrive),
    (0x0000_3434, "nilfs2", Keeps::OnDrive),
    (0x0102_1994, "tmpfs", Keeps::InMemory),
    (0x8584_58f6, "ramfs", Keeps::InMemory),
    (0x9584_58f6, "hugetlbfs", Keeps::InMemory),
    (0x0000_6969, "nfs", Keeps::OnNetwork),
    (0xff53_4d42, "cifs", Keeps::OnNetwork),
    (0xfe53_4d42, "smb2", Keeps::OnNetwork),
    (0x00c3_6400, "ceph", Keeps::OnNetwork),
    (0x0102_1997, "9p", Keeps::OnNetwork),
    (0x5346_414f, "afs", Keeps::OnNetwork),
    (0x0bd0_0bd0, "lustre", Keeps::OnNetwork),
    (0x4750_4653, "gpfs", Keeps::OnNetwork),
    (0x6573_5546, "fuse", Keeps::BehindCache),
    (0x794c_7630, "overlayfs", Keeps::BehindCache),
    (0x2fc1_2fc1, "zfs", Keeps::BehindCache),
    (0x0000_f15f, "ecryptfs", Keeps::BehindCache),
];

/// Name and nature of a file system; `None` when it is not known here.
#[must_use]
pub(crate) fn by_magic(magic: u32) -> Option<(&'static str, Keeps)> {
    KNOWN.iter().find(|(number, ..)| *number == magic).map(|&(_, name, keeps)| (name, keeps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::proof::file_system_on_drive;

    #[test]
    fn numbers_are_known_once() {
        let mut numbers = KNOWN.map(|(number, ..)| number);
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn what_is_made_here_is_never_void_for_its_file_system() {
        for (_, name, _) in KNOWN.iter().filter(|(.., keeps)| *keeps == Keeps::OnDrive) {
            assert!(file_system_on_drive(name), "{name}");
        }
        assert_eq!(by_magic(0x0102_1994), Some(("tmpfs", Keeps::InMemory)));
        assert_eq!(by_magic(1), None);
    }
}
