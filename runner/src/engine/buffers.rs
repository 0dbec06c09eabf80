//! Memory for the I/Os: one region of large pages, divided into slots of one block each.
//!
//! Large pages keep a request in few segments: on 4 KiB pages a 1 MiB request has 256 of them, more than
//! many queues take, and is split. Knows nothing of rings.
#![expect(unsafe_code, reason = "the kernel reads and writes this memory by address")]

use crate::engine::offsets::Xoshiro;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::{ffi::c_void, fs, io, ptr::NonNull, sync::Arc};

/// Bytes of a large page.
const LARGE_PAGE: usize = 2 << 20;

/// A mapping with at least `len` usable bytes from `base` on, aligned to a large page.
struct Region {
    base: NonNull<u8>,
    mapping: *mut c_void,
    mapped: usize,
    page_bytes: u64,
}

// SAFETY: the region is plain memory; `Slots` hands out disjoint parts of it.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    fn new(bytes: usize) -> io::Result<Self> {
        let len = bytes.next_multiple_of(LARGE_PAGE);
        let reserved = MapFlags::HUGETLB | MapFlags::HUGE_2MB;
        if let Ok(region) = Self::map(len, reserved, LARGE_PAGE) {
            region.touch(len);
            return Ok(region);
        }
        // No pages of that size are reserved: ask for ordinary memory to be joined.
        let mut region = Self::map(len + LARGE_PAGE, MapFlags::empty(), rustix::param::page_size())?;
        let shift = region.base.as_ptr().align_offset(LARGE_PAGE);
        // SAFETY: the shift is below one large page, which the mapping is longer than `len`.
        region.base = unsafe { region.base.add(shift) };
        // SAFETY: the advice changes no content, and the range lies inside the mapping. A kernel without
        // large pages refuses it; what came of it is read back below.
        let _ = unsafe { madvise(region.base.as_ptr().cast(), len, Advice::LinuxHugepage) };
        region.touch(len);
        if large_page_bytes(region.base.as_ptr().addr()) >= len as u64 {
            region.page_bytes = LARGE_PAGE as u64;
        }
        Ok(region)
    }

    fn map(mapped: usize, flags: MapFlags, page_bytes: usize) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh private mapping at an address of the kernel's choice concerns no other memory.
        let mapping =
            unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, protection, MapFlags::PRIVATE | flags)? };
        let base = NonNull::new(mapping.cast()).expect("a mapping is never at address 0");
        Ok(Self { base, mapping, mapped, page_bytes: page_bytes as u64 })
    }

    /// Makes the pages exist before anything is timed.
    fn touch(&self, len: usize) {
        // SAFETY: `len` bytes from `base` on belong to this mapping, which nobody else uses yet.
        unsafe { self.base.as_ptr().write_bytes(0, len) };
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `new` made, and nobody holds a slot of it any more.
        let unmapped = unsafe { munmap(self.mapping, self.mapped) };
        debug_assert!(unmapped.is_ok(), "a mapping of our own can be unmapped");
    }
}

/// Bytes of large pages in the mapping that holds `address`; 0 when the kernel does not tell.
fn large_page_bytes(address: usize) -> u64 {
    let maps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    large_page_bytes_in(&maps, address)
}

fn large_page_bytes_in(smaps: &str, address: usize) -> u64 {
    let mut inside = false;
    for line in smaps.lines() {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        if let Some((start, end)) = first.split_once('-') {
            let hex = |text| usize::from_str_radix(text, 16);
            inside =
                matches!((hex(start), hex(end)), (Ok(start), Ok(end)) if (start..end).contains(&address));
        } else if inside && first == "AnonHugePages:" {
            let kib = line.split_ascii_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok());
            return kib.unwrap_or(0) * 1024;
        }
    }
    0
}

/// Some slots of a region, each of one block. Their memory is read and written by the kernel while an I/O
/// on them is in flight.
pub(crate) struct Slots {
    region: Arc<Region>,
    first: usize,
    count: u32,
    block: usize,
    stride: usize,
}

impl Slots {
    /// `count` slots of one block each, zeroed.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub(crate) fn new(count: u32, block_bytes: u32) -> io::Result<Self> {
        let mut all = Self::for_workers(1, count, block_bytes)?;
        Ok(all.pop().expect("one worker has slots"))
    }

    /// Slots for `workers` workers of `count` blocks each, zeroed.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub(crate) fn for_workers(workers: u32, count: u32, block_bytes: u32) -> io::Result<Vec<Self>> {
        let block = block_bytes as usize;
        // Direct I/O wants page-aligned memory on some file systems, for blocks of 512 bytes too.
        let stride = block.next_multiple_of(rustix::param::page_size());
        let slots = workers as usize * count as usize;
        let bytes = slots.checked_mul(stride).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Arc::new(Region::new(bytes)?);
        Ok((0..workers as usize)
            .map(|index| Self {
                region: Arc::clone(&region),
                first: index * count as usize,
                count,
                block,
                stride,
            })
            .collect())
    }

    /// Number of slots.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of a slot.
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// Size of the pages behind the slots in bytes.
    pub(crate) fn page_bytes(&self) -> u64 {
        self.region.page_bytes
    }

    /// Address of a slot.
    #[inline]
    pub(crate) fn address(&self, slot: u32) -> *mut u8 {
        debug_assert!(slot < self.count);
        // SAFETY: slot `first + slot` lies inside the region, which was made for all slots of all workers.
        unsafe { self.region.base.as_ptr().add((self.first + slot as usize) * self.stride) }
    }

    /// Bytes from one slot's start to the next one's.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Bytes from the first slot's start to the last slot's end.
    pub(crate) fn span(&self) -> usize {
        self.count as usize * self.stride
    }

    /// A slot's memory. No I/O may be in flight on it.
    #[inline]
    pub(crate) fn slot(&mut self, slot: u32) -> &mut [u8] {
        assert!(slot < self.count, "slots are numbered below their count");
        // SAFETY: the slots of different `Slots` are disjoint, `&mut self` keeps this one from being lent
        // twice, and the caller keeps the kernel away from it.
        unsafe { std::slice::from_raw_parts_mut(self.address(slot), self.block) }
    }

    /// Fills every slot with the same random, incompressible data.
    pub(crate) fn fill_alike(&mut self, seed: u64) {
        for slot in 0..self.count {
            fill(self.slot(slot), &mut Xoshiro::new(seed));
        }
    }

    /// Fills every slot with its own random, incompressible data.
    pub(crate) fn fill_random(&mut self, seed: u64) {
        let mut rng = Xoshiro::new(seed);
        for slot in 0..self.count {
            fill(self.slot(slot), &mut rng);
        }
    }
}

fn fill(block: &mut [u8], rng: &mut Xoshiro) {
    for word in block.chunks_exact_mut(8) {
        word.copy_from_slice(&rng.next().to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_workers_do_not_overlap() {
        let mut all = Slots::for_workers(2, 3, 512).unwrap();
        for (index, slots) in all.iter_mut().enumerate() {
            slots.fill_random(index as u64);
        }
        let mut blocks: Vec<Vec<u8>> =
            all.iter_mut().flat_map(|s| (0..3).map(|i| s.slot(i).to_vec()).collect::<Vec<_>>()).collect();
        assert!(all.iter().all(|s| s.address(0).addr() % rustix::param::page_size() == 0));
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), 6, "every slot has its own data");
    }

    #[test]
    fn large_pages_are_read_from_the_right_mapping() {
        let smaps = "1000-2000 rw-p 0 0 0\nRss: 4 kB\nAnonHugePages:  6144 kB\n2000-3000 rw-p 0 0 0\nAnonHugePages:     0 kB\n";
        assert_eq!(large_page_bytes_in(smaps, 0x1800), 6144 * 1024);
        assert_eq!(large_page_bytes_in(smaps, 0x2000), 0);
        assert_eq!(large_page_bytes_in(smaps, 0x9000), 0);
    }
}
