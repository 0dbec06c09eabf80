//! Where a file's bytes lie, as the file system tells it. Source: Linux `FS_IOC_FIEMAP`.
//!
//! Counts kinds of extents; does not judge them (that is `analysis::proof`).
#![expect(unsafe_code, reason = "an ioctl takes an address")]

use model::proof::Extents;
use rustix::io::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `FS_IOC_FIEMAP`: read and write, type `f`, number 11, 32 bytes.
const FIEMAP: u32 = 0xc020_660b;
/// Write dirty pages first, so that no extent is still undecided.
const FLAG_SYNC: u32 = 1;
/// Extents asked for at a time.
const BATCH: usize = 256;

const LAST: u32 = 0x1;
const UNKNOWN: u32 = 0x2;
const DELAYED: u32 = 0x4;
const ENCODED: u32 = 0x8;
const ENCRYPTED: u32 = 0x80;
const INLINE: u32 = 0x200;
const TAIL: u32 = 0x400;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000;

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    more: [u32; 3],
}

/// `struct fiemap` with its array.
#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
    extents: [Extent; BATCH],
}

/// The extents of the first `span` bytes of a file.
///
/// # Errors
/// With the kernel's error, `EOPNOTSUPP` when the file system does not tell.
pub(crate) fn of_file(file: BorrowedFd<'_>, span: u64) -> Result<Extents, Errno> {
    let mut count = Count::new(span);
    let mut start = 0;
    while start < span {
        let batch = query(file, start, span - start)?;
        let Some(last) = batch.last() else { break };
        let end = last.logical.saturating_add(last.length);
        batch.iter().for_each(|extent| count.add(extent));
        if last.flags & LAST != 0 || end <= start {
            break;
        }
        start = end;
    }
    Ok(count.finish())
}

fn query(file: BorrowedFd<'_>, start: u64, length: u64) -> Result<Vec<Extent>, Errno> {
    let mut request = Request {
        start,
        length,
        flags: FLAG_SYNC,
        mapped: 0,
        room: u32::try_from(BATCH).expect("a few hundred"),
        reserved: 0,
        extents: [Extent::default(); BATCH],
    };
    // SAFETY: the structure has room for as many extents as it says.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::Ioctl::from(FIEMAP), &raw mut request) };
    if result < 0 {
        return Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO));
    }
    Ok(request.extents[..(request.mapped as usize).min(BATCH)].to_vec())
}

/// Adds extents up in rising order.
struct Count {
    span: u64,
    /// End of what was seen.
    seen: u64,
    extents: Extents,
}

impl Count {
    fn new(span: u64) -> Self {
        Self { span, seen: 0, extents: Extents::default() }
    }

    fn add(&mut self, extent: &Extent) {
        let start = extent.logical.max(self.seen);
        let end = extent.logical.saturating_add(extent.length).min(self.span);
        if start >= end {
            return;
        }
        let bytes = end - start;
        let sum = &mut self.extents;
        sum.count = sum.count.saturating_add(1);
        sum.hole_bytes += start - self.seen;
        for (flags, kind) in [
            (UNWRITTEN, &mut sum.unwritten_bytes),
            (INLINE | TAIL, &mut sum.inline_bytes),
            (SHARED, &mut sum.shared_bytes),
            (ENCODED | ENCRYPTED, &mut sum.encoded_bytes),
            (UNKNOWN | DELAYED, &mut sum.unknown_bytes),
        ] {
            if extent.flags & flags != 0 {
                *kind += bytes;
            }
        }
        self.seen = end;
    }

    fn finish(mut self) -> Extents {
        self.extents.hole_bytes += self.span - self.seen;
        self.extents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(logical: u64, length: u64, flags: u32) -> Extent {
        Extent { logical, length, flags, ..Extent::default() }
    }

    #[test]
    fn gaps_are_holes_and_flags_are_kinds() {
        let mut count = Count::new(100);
        for one in [
            extent(0, 10, 0),
            extent(20, 10, UNWRITTEN),
            extent(30, 10, SHARED | ENCODED),
            extent(50, 5, INLINE),
            extent(90, 40, DELAYED | LAST),
        ] {
            count.add(&one);
        }
        let found = count.finish();
        assert_eq!(
            found,
            Extents {
                count: 5,
                hole_bytes: 10 + 10 + 35,
                unwritten_bytes: 10,
                inline_bytes: 5,
                shared_bytes: 10,
                encoded_bytes: 10,
                unknown_bytes: 10,
            }
        );
    }

    #[test]
    fn nothing_is_one_hole() {
        assert_eq!(Count::new(77).finish().hole_bytes, 77);
    }

    #[test]
    fn an_extent_that_is_told_twice_counts_once() {
        let mut count = Count::new(100);
        count.add(&extent(0, 60, UNWRITTEN));
        count.add(&extent(40, 60, UNWRITTEN));
        assert_eq!(count.finish().unwritten_bytes, 100);
    }
}
