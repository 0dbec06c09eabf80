//! One `io_uring` for one thread: reads or writes of one block size between slots and one file.
//!
//! The io-uring crate sets the ring up and registers what can be registered; submitting and reaping go over
//! an own mapping of the same ring, because the crate costs a fifth at queue depth 1. Every entry is prepared
//! once and only offset, address and slot change from I/O to I/O. Knows neither time nor patterns.
#![expect(unsafe_code, reason = "a ring is memory shared with the kernel")]

use crate::engine::{
    buffers::Slots,
    enter::{REGISTERED_RING, enter, enter_at_once, wake},
    ring_setup::{Grants, RingRefusal, Shared, set_up},
};
use io_uring::IoUring;
use model::document::Wait;
use std::{
    mem::ManuallyDrop,
    os::fd::{AsRawFd, BorrowedFd},
    sync::atomic::{AtomicU32, Ordering, fence},
};

const OP_NOP: u8 = 0;
const OP_READ_FIXED: u8 = 4;
const OP_WRITE_FIXED: u8 = 5;
const OP_READ: u8 = 22;
const OP_WRITE: u8 = 23;
const FIXED_FILE: u8 = 1;
/// The kernel's thread sleeps and has to be woken.
const SQ_NEED_WAKEUP: u32 = 1;

/// `struct io_uring_sqe` as far as plain reads and writes use it.
#[repr(C)]
struct Submission {
    opcode: u8,
    flags: u8,
    priority: u16,
    file: i32,
    offset: u64,
    address: u64,
    length: u32,
    rw_flags: u32,
    user_data: u64,
    buffer: u16,
    personality: u16,
    rest: [u32; 5],
}
const _: () = assert!(size_of::<Submission>() == 64);

/// `struct io_uring_cqe`.
#[repr(C)]
struct Completion {
    user_data: u64,
    result: i32,
    flags: u32,
}
const _: () = assert!(size_of::<Completion>() == 16);

/// Direction of a ring's I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the file into the slots.
    Read,
    /// From the slots into the file.
    Write,
    /// Either way: the first half of the slots is read into, the second half is written from.
    Both,
    /// Nowhere: the kernel completes the request as soon as it sees it, with 0 bytes.
    Nowhere,
}

/// How a call finds its completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// By looking, again and again.
    Never,
    /// The same, and a thread of the kernel takes what is submitted: a call is made only to wake it.
    Served,
    /// They were there as soon as the last I/Os were submitted, so waiting is not even prepared: that costs more
    /// than the rest of a call that completes its I/O itself.
    ThereAtOnce,
    /// By sleeping until there are enough; after so many more calls it is tried without.
    Sleeping(u16),
}

/// Calls that sleep between two attempts to do without.
const SLEEPS: u16 = 1_000;

/// Slots for each completion that a sleep waits for. To be woken for every completion costs the processor more than
/// the I/O itself, and a virtual disk a fifth of its rate; to wait for many leaves the drive idle places in its
/// queue. An eighth keeps more than nine tenths of the queue depth at the drive, and every mean latency stays what
/// Little's law makes of queue depth and rate.
const SLOTS_PER_WAKE: u32 = 8;

/// A ring with its slots. Must be used by the thread that made it.
pub(crate) struct Ring {
    /// What `enter` is called with: the registered index, or the descriptor.
    handle: i32,
    enter_flags: u32,
    waiting: Waiting,
    /// Most I/Os in flight.
    depth: u32,
    /// Completions that end a sleep: an eighth of the depth, at least one.
    wanted: u32,
    direction: Direction,
    /// Codes of a read and of a write.
    opcodes: [u8; 2],
    /// Slot `s` lies in the registered buffer `s >> slots_shift`.
    slots_shift: u32,
    tail: u32,
    in_flight: u32,
    shared: Shared,
    slots: ManuallyDrop<Slots>,
    /// Keeps descriptor and registrations alive.
    ring: IoUring,
}

impl Ring {
    /// A ring for `slots`, as capable as the kernel allows, and what it allowed. A thread of the kernel that serves it
    /// stays on `kernel_cpu`.
    ///
    /// # Errors
    /// When there can be no ring at all, with the reason.
    pub(crate) fn new(
        file: BorrowedFd<'_>,
        slots: Slots,
        direction: Direction,
        wait: Wait,
        kernel_cpu: Option<u32>,
    ) -> Result<(Self, Grants), RingRefusal> {
        let set = set_up(file, &slots, wait, kernel_cpu)?;
        let (fixed_file, fixed_buffers) = (set.grants.has("fixed-file"), set.grants.has("fixed-buffers"));
        let opcodes = if fixed_buffers { [OP_READ_FIXED, OP_WRITE_FIXED] } else { [OP_READ, OP_WRITE] };
        let opcode = match direction {
            Direction::Read | Direction::Both => opcodes[0],
            Direction::Write => opcodes[1],
            Direction::Nowhere => OP_NOP,
        };
        let depth = if direction == Direction::Both { slots.count() / 2 } else { slots.count() };
        let fixed_file = fixed_file && direction != Direction::Nowhere;
        let length = u32::try_from(slots.block()).expect("a block is at most 64 MiB");
        for index in 0..=set.shared.submission_mask {
            let entry = Submission {
                opcode,
                flags: if fixed_file { FIXED_FILE } else { 0 },
                priority: 0,
                file: if fixed_file { 0 } else { file.as_raw_fd() },
                offset: 0,
                address: 0,
                length,
                rw_flags: 0,
                user_data: 0,
                buffer: 0,
                personality: 0,
                rest: [0; 5],
            };
            // SAFETY: the array of entries has one more than the mask, and the kernel reads none of them before
            // the tail is moved.
            unsafe { set.shared.submissions.cast::<Submission>().add(index as usize).write(entry) };
        }
        let (handle, enter_flags) = match set.registered_index {
            Some(index) => (index, REGISTERED_RING),
            None => (set.ring.as_raw_fd(), 0),
        };
        let ring = Self {
            handle,
            enter_flags,
            waiting: match wait {
                Wait::Block => Waiting::ThereAtOnce,
                Wait::Poll | Wait::DevicePoll => Waiting::Never,
                Wait::SubmitPoll => Waiting::Served,
            },
            depth,
            wanted: (depth / SLOTS_PER_WAKE).max(1),
            direction,
            opcodes,
            slots_shift: set.slots_shift,
            tail: 0,
            in_flight: 0,
            shared: set.shared,
            slots: ManuallyDrop::new(slots),
            ring: set.ring,
        };
        Ok((ring, set.grants))
    }

    /// Most I/Os in flight: one for each slot, of a ring for both directions one for every two.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Where its I/Os go.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// I/Os that were pushed and not yet reaped.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The memory of a slot without an I/O in flight.
    #[inline]
    pub(crate) fn slot(&mut self, slot: u32) -> &mut [u8] {
        self.slots.slot(slot)
    }

    /// Prepares the transfer of one block at `offset`. The slot must have no I/O in flight; a ring has as
    /// many entries as slots, so there is always room.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 8192 slots, so fewer buffers")]
    pub(crate) fn push(&mut self, slot: u32, offset: u64) {
        debug_assert!(self.in_flight < self.slots.count());
        let entry = self.shared.submissions.cast::<Submission>();
        // SAFETY: the masked index lies in the array; the kernel has taken this entry already, because no
        // more entries than slots are ever in flight. The other fields were prepared by `new`.
        unsafe {
            let entry = entry.add((self.tail & self.shared.submission_mask) as usize);
            (*entry).offset = offset;
            (*entry).address = self.slots.address(slot) as u64;
            (*entry).user_data = u64::from(slot);
            (*entry).buffer = (slot >> self.slots_shift) as u16;
        }
        self.tail = self.tail.wrapping_add(1);
        self.in_flight += 1;
    }

    /// The same on a ring for both directions: a slot of the first half is read into, one of the second written from.
    #[inline]
    pub(crate) fn push_either(&mut self, slot: u32, offset: u64) {
        let opcode = self.opcodes[usize::from(slot >= self.depth)];
        let entry = self.shared.submissions.cast::<Submission>();
        // SAFETY: as in `push`, which prepares the rest of the same entry.
        unsafe { (*entry.add((self.tail & self.shared.submission_mask) as usize)).opcode = opcode };
        self.push(slot, offset);
    }

    /// Submits what was pushed and waits for a completion, a second at most; who polls does not wait.
    ///
    /// # Errors
    /// With the kernel's error number when the ring cannot be used any more. Nothing having come, signals and a
    /// momentary lack of memory are no errors: what was not taken is submitted by the next call.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "its return after a call would slow the next one, see `enter`")]
    pub(crate) fn submit_and_wait(&mut self) -> Result<(), i32> {
        // SAFETY: the counter lies in the mapped ring, which lives as long as `self`.
        unsafe { &*self.shared.submission_tail }.store(self.tail, Ordering::Release);
        match self.waiting {
            Waiting::Never => {
                return verdict(enter_at_once(self.handle, self.left(), true, self.enter_flags));
            }
            Waiting::Served => {
                // The kernel's thread says that it sleeps and then looks at the tail once more: so the tail is there
                // before the flags are read.
                fence(Ordering::SeqCst);
                if self.kernel_sleeps() {
                    return verdict(wake(self.handle, self.enter_flags));
                }
                std::hint::spin_loop();
                return Ok(());
            }
            Waiting::ThereAtOnce => {
                verdict(enter_at_once(self.handle, self.left(), false, self.enter_flags))?;
                if self.completed() {
                    return Ok(());
                }
                self.waiting = Waiting::Sleeping(SLEEPS);
            }
            Waiting::Sleeping(0) => self.waiting = Waiting::ThereAtOnce,
            Waiting::Sleeping(more) => self.waiting = Waiting::Sleeping(more - 1),
        }
        verdict(enter(self.handle, self.left(), self.wanted.min(self.in_flight), self.enter_flags))
    }

    /// Whether the kernel's thread that takes submissions has to be woken.
    #[inline]
    pub(crate) fn kernel_sleeps(&self) -> bool {
        // SAFETY: the word lies in the mapped ring, which lives as long as `self`.
        unsafe { &*self.shared.submission_flags }.load(Ordering::Relaxed) & SQ_NEED_WAKEUP != 0
    }

    /// Entries that the kernel has not taken yet.
    #[inline]
    fn left(&self) -> u32 {
        // SAFETY: as above.
        self.tail.wrapping_sub(unsafe { &*self.shared.submission_head }.load(Ordering::Acquire))
    }

    /// Whether there is a completion to reap.
    #[inline]
    fn completed(&self) -> bool {
        // SAFETY: both counters lie in the mapped ring, which lives as long as `self`.
        let (head, tail) = unsafe { (&*self.shared.completion_head, &*self.shared.completion_tail) };
        head.load(Ordering::Relaxed) != tail.load(Ordering::Acquire)
    }

    /// Hands every completion there is to `each`, as slot and result: bytes moved, or a negative error number.
    #[inline]
    pub(crate) fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        let Shared { completion_head, completion_tail, completion_mask, completions, .. } = self.shared;
        // SAFETY: both counters lie in the mapped ring; only this thread moves the head.
        let (head, tail): (&AtomicU32, &AtomicU32) = unsafe { (&*completion_head, &*completion_tail) };
        let (first, end) = (head.load(Ordering::Relaxed), tail.load(Ordering::Acquire));
        let mut at = first;
        while at != end {
            // SAFETY: the masked index lies in the array, and the kernel has published all entries below `end`.
            let entry = unsafe { &*completions.cast::<Completion>().add((at & completion_mask) as usize) };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is the slot's number that `push` put in"
            )]
            each(entry.user_data as u32, entry.result);
            at = at.wrapping_add(1);
        }
        head.store(end, Ordering::Release);
        self.in_flight -= end.wrapping_sub(first);
    }
}

/// Whether a ring can still be used after a call.
#[inline]
fn verdict(result: isize) -> Result<(), i32> {
    match result {
        0.. => Ok(()),
        error => match i32::try_from(-error).unwrap_or(libc::EIO) {
            libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY => Ok(()),
            errno => Err(errno),
        },
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // With I/Os in flight the kernel may still write into the slots: then they stay for good.
        if self.in_flight == 0 {
            // A ring is torn down some time after it was closed. Memory and file are given back now: the next
            // cell needs them. What was not registered cannot be given back, which is no harm.
            let submitter = self.ring.submitter();
            let _ = (submitter.unregister_buffers(), submitter.unregister_files());
            // SAFETY: the slots are used nowhere after this.
            unsafe { ManuallyDrop::drop(&mut self.slots) };
        }
    }
}
