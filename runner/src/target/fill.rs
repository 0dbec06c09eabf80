//! Writes a new file full through direct I/O: as a rule incompressible data, different in every 4 KiB.
//!
//! A file that is only allocated is read at many times a drive's speed without touching it. Knows nothing of
//! measuring.

use crate::{
    clock::monotonic_ns,
    engine::{Direction, Ring, STALL_NS, Slots, origin, probe, stamp, unit_bytes},
    stop::StopFlag,
};
use model::{document::Wait, method::DataKind};
use std::{fs::File, io, ops::Range, os::fd::AsFd, os::unix::fs::FileExt};

/// Bytes of a write.
const BLOCK: u32 = 1 << 20;
/// Writes in flight.
const DEPTH: u32 = 8;
/// Bytes of a file must be a multiple of this.
pub(super) const GRAIN: u64 = 4096;

/// Why a target is not full.
#[derive(Debug)]
pub(super) enum Unfilled {
    /// The user stopped it.
    Stopped,
    /// A write failed.
    Failed(io::Error),
}

impl From<io::Error> for Unfilled {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// What a file is filled with. The same seed gives the same content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content {
    pub(super) data: DataKind,
    pub(super) seed: u64,
}

impl Content {
    /// `count` blocks to write from.
    fn slots(self, count: u32) -> io::Result<Slots> {
        let mut slots = Slots::new(count, BLOCK)?;
        match self.data {
            DataKind::Random | DataKind::Existing => slots.fill_random(self.seed),
            DataKind::Repeat => slots.fill_alike(self.seed),
            // New slots hold zeros.
            DataKind::Zero => {}
        }
        Ok(slots)
    }

    /// Prepares a block that goes to `offset`.
    fn put(self, block: &mut [u8], offset: u64) {
        if self.data == DataKind::Random {
            stamp(block, unit_bytes(BLOCK), origin(self.seed, offset, 0));
        }
    }
}

/// Writes a range of `file` full, multiples of 4 KiB, and tells how many bytes are written after every write.
pub(super) fn fill(
    file: &File,
    range: Range<u64>,
    content: Content,
    progress: &mut dyn FnMut(u64),
    stop: &StopFlag,
) -> Result<(), Unfilled> {
    let whole = range.end - (range.end - range.start) % u64::from(BLOCK);
    if probe().is_ok()
        && let Ok((ring, _)) =
            Ring::new(file.as_fd(), content.slots(DEPTH)?, Direction::Write, Wait::Block, None)
    {
        let mut filler = Filler { ring, range: range.start..whole, content, progress, stop };
        filler.run()?;
        // What is less than a block goes by a plain call, out of the same memory.
        return by_calls(file, filler.ring.slot(0), (range.start, whole..range.end), content, progress, stop);
    }
    // Without a ring the fill is slower and the same.
    by_calls(file, content.slots(1)?.slot(0), (range.start, range), content, progress, stop)
}

fn by_calls(
    file: &File,
    block: &mut [u8],
    (start, range): (u64, Range<u64>),
    content: Content,
    progress: &mut dyn FnMut(u64),
    stop: &StopFlag,
) -> Result<(), Unfilled> {
    let mut offset = range.start;
    while offset < range.end {
        if stop.requested() {
            return Err(Unfilled::Stopped);
        }
        let left = usize::try_from(range.end - offset).unwrap_or(usize::MAX);
        let data = &mut block[..left.min(BLOCK as usize)];
        content.put(data, offset);
        match file.write_at(data, offset) {
            Ok(bytes) if bytes == data.len() => offset += bytes as u64,
            Ok(_) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        progress(offset - start);
    }
    Ok(())
}

struct Filler<'a> {
    ring: Ring,
    /// What to write, whole blocks.
    range: Range<u64>,
    content: Content,
    progress: &'a mut dyn FnMut(u64),
    stop: &'a StopFlag,
}

impl Filler<'_> {
    fn run(&mut self) -> Result<(), Unfilled> {
        let block = u64::from(BLOCK);
        let mut free: Vec<u32> = (0..DEPTH).collect();
        let (mut next, mut written) = (self.range.start, 0);
        let mut last_completion_ns = monotonic_ns();
        let mut failed = None;
        loop {
            while next < self.range.end && failed.is_none() && !self.stop.requested() {
                let Some(slot) = free.pop() else { break };
                self.content.put(self.ring.slot(slot), next);
                self.ring.push(slot, next);
                next += block;
            }
            if self.ring.in_flight() == 0 {
                break;
            }
            self.ring.submit_and_wait().map_err(from_errno)?;
            let before = free.len();
            self.ring.reap(|slot, result| {
                free.push(slot);
                if i64::from(result) == i64::from(BLOCK) {
                    written += block;
                } else {
                    // A short write means that the next byte has no room.
                    let errno = if result < 0 { -result } else { libc::ENOSPC };
                    failed.get_or_insert_with(|| from_errno(errno));
                }
            });
            if free.len() > before {
                last_completion_ns = monotonic_ns();
            } else if monotonic_ns() - last_completion_ns > STALL_NS {
                return Err(from_errno(libc::ETIMEDOUT));
            }
            (self.progress)(written);
        }
        match failed {
            Some(error) => Err(error),
            None if written < self.range.end - self.range.start => Err(Unfilled::Stopped),
            None => Ok(()),
        }
    }
}

fn from_errno(errno: i32) -> Unfilled {
    Unfilled::Failed(io::Error::from_raw_os_error(errno))
}
