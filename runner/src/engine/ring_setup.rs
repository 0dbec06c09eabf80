//! Sets a ring up with as much as the kernel grants, and names what it refuses.
#![expect(unsafe_code, reason = "maps memory shared with the kernel and registers buffers by address")]

use crate::engine::buffers::Slots;
use io_uring::{Builder, IoUring};
use model::{document::Wait, units::format_size};
use rustix::{
    mm::{MapFlags, ProtFlags, mmap, munmap},
    process::{Resource, getrlimit},
};
use std::{
    ffi::c_void,
    fs, io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd},
    ptr,
    sync::atomic::AtomicU32,
};

const OFFSET_RINGS: u64 = 0;
const OFFSET_ENTRIES: u64 = 0x1000_0000;
const REGISTER_RING_FDS: u32 = 20;
/// How long the kernel's thread looks for submissions before it sleeps, milliseconds: longer than a drive takes for an
/// I/O, so that it never sleeps in a loop.
const SQ_IDLE_MS: u32 = 1_000;
/// Most bytes of one registered buffer. Source: Linux `io_uring/rsrc.c`, which answers EFAULT above it.
const MAX_REGISTERED: usize = 1 << 30;

/// What the kernel granted and what it refused with which error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grants {
    /// Names of what is in use.
    pub(crate) features: Vec<String>,
    /// Names of what was asked for in vain, each with the kernel's reason.
    pub(crate) refused: Vec<String>,
}

impl Grants {
    pub(crate) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|have| have == feature)
    }

    fn note(&mut self, feature: &str, result: Result<(), io::Error>) {
        match result {
            Ok(()) => self.features.push(feature.to_owned()),
            Err(error) => self.refused.push(format!("{feature}: {}", errno_name(&error))),
        }
    }
}

/// Why there can be no ring at all, in words short enough for the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RingRefusal(pub(crate) String);

/// The parts of a ring that are shared with the kernel.
pub(crate) struct Shared {
    rings: (*mut c_void, usize),
    entries: (*mut c_void, usize),
    pub(crate) submission_head: *const AtomicU32,
    pub(crate) submission_tail: *const AtomicU32,
    pub(crate) submission_mask: u32,
    pub(crate) submission_flags: *const AtomicU32,
    pub(crate) submissions: *mut c_void,
    pub(crate) completion_head: *const AtomicU32,
    pub(crate) completion_tail: *const AtomicU32,
    pub(crate) completion_mask: u32,
    pub(crate) completions: *const c_void,
}

impl Drop for Shared {
    fn drop(&mut self) {
        for (address, len) in [self.rings, self.entries] {
            // SAFETY: these are the mappings that `map` made; the ring that used them is gone.
            let unmapped = unsafe { munmap(address, len) };
            debug_assert!(unmapped.is_ok(), "a mapping of our own can be unmapped");
        }
    }
}

/// A ring that is set up.
pub(crate) struct SetUp {
    pub(crate) ring: IoUring,
    pub(crate) shared: Shared,
    pub(crate) grants: Grants,
    /// Index under which this thread registered the ring's descriptor.
    pub(crate) registered_index: Option<i32>,
    /// Slot `s` lies in the registered buffer `s >> slots_shift`.
    pub(crate) slots_shift: u32,
}

/// Makes a ring with an entry for every slot, and registers file, buffers and ring.
///
/// # Errors
/// When the kernel makes no ring, or one without what the engine needs.
pub(crate) fn set_up(
    file: BorrowedFd<'_>,
    slots: &Slots,
    wait: Wait,
    kernel_cpu: Option<u32>,
) -> Result<SetUp, RingRefusal> {
    let mut grants = Grants::default();
    let ring = build(slots.count(), wait, kernel_cpu, &mut grants)?;
    // What cannot be mapped a second time was mapped by the crate just before: memory is short.
    let shared = map(&ring).map_err(|error| RingRefusal(format!("io-uring: {}", errno_name(&error))))?;
    let submitter = ring.submitter();
    grants.note("fixed-file", submitter.register_files(&[file.as_raw_fd()]));
    let (buffers, slots_shift) = registered_buffers(slots, MAX_REGISTERED);
    // SAFETY: the slots outlive the ring: it owns them, and keeps them when I/Os are in flight at its end.
    match unsafe { submitter.register_buffers(&buffers) } {
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => {
            grants.refused.push(no_locked_memory(slots.span() as u64));
        }
        result => grants.note("fixed-buffers", result),
    }
    let registered = register_ring(ring.as_raw_fd());
    let registered_index = registered.as_ref().ok().copied();
    grants.note("registered-ring", registered.map(drop));
    // Without registered buffers there is only number 0.
    let slots_shift = if grants.has("fixed-buffers") { slots_shift } else { u32::BITS - 1 };
    Ok(SetUp { ring, shared, grants, registered_index, slots_shift })
}

/// The slots as buffers of at most `max_bytes` each, and how far a slot's number is shifted to get its buffer's:
/// a power of two of slots goes into each.
fn registered_buffers(slots: &Slots, max_bytes: usize) -> (Vec<libc::iovec>, u32) {
    let shift = (max_bytes / slots.stride()).max(1).ilog2();
    let each = 1_u32 << shift;
    let buffers = (0..slots.count()).step_by(each as usize).map(|first| {
        let count = each.min(slots.count() - first) as usize;
        libc::iovec { iov_base: slots.address(first).cast(), iov_len: count * slots.stride() }
    });
    (buffers.collect(), shift)
}

/// Why the buffers are not registered. Registered memory counts against a limit of the user, over all rings.
fn no_locked_memory(bytes: u64) -> String {
    let limit = match getrlimit(Resource::Memlock).current {
        Some(limit) => format!("RLIMIT_MEMLOCK is {}", format_size(limit)),
        None => "memory is short".to_owned(),
    };
    format!("fixed-buffers: ENOMEM, {limit}, the buffers take {}", format_size(bytes))
}

/// Whether this process may have a ring at all.
///
/// # Errors
/// With the reason when it may not.
pub(crate) fn probe() -> Result<(), RingRefusal> {
    build(1, Wait::Block, None, &mut Grants::default()).map(drop)
}

type SetFlag = fn(&mut Builder) -> &mut Builder;

/// The optional flags, newest first: what an older kernel does not know is dropped in this order.
/// `defer-taskrun` needs `single-issuer`, so it goes before it.
const FLAGS: [(&str, SetFlag); 4] = [
    ("no-sqarray", Builder::setup_no_sqarray),
    ("defer-taskrun", Builder::setup_defer_taskrun),
    ("single-issuer", Builder::setup_single_issuer),
    ("coop-taskrun", Builder::setup_coop_taskrun),
];

/// The optional flags that can be asked for. Those about interrupting the thread that submits mean nothing where a
/// thread of the kernel does, which refuses them.
fn flags(wait: Wait) -> Vec<(&'static str, SetFlag)> {
    let fits = |name: &str| wait != Wait::SubmitPoll || !name.ends_with("-taskrun");
    FLAGS.into_iter().filter(|(name, _)| fits(name)).collect()
}

fn build(
    depth: u32,
    wait: Wait,
    kernel_cpu: Option<u32>,
    grants: &mut Grants,
) -> Result<IoUring, RingRefusal> {
    let entries = depth.next_power_of_two();
    let flags = flags(wait);
    for dropped in 0..=flags.len() {
        let mut builder = IoUring::builder();
        builder.setup_cqsize(entries * 2);
        if wait == Wait::DevicePoll {
            builder.setup_iopoll();
        }
        if wait == Wait::SubmitPoll {
            builder.setup_sqpoll(SQ_IDLE_MS);
            if let Some(cpu) = kernel_cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        }
        for (_, set) in &flags[dropped..] {
            set(&mut builder);
        }
        match builder.build(entries) {
            Ok(ring) if !ring.params().is_feature_ext_arg() || !ring.params().is_feature_single_mmap() => {
                return Err(RingRefusal("io-uring: the kernel is older than 5.11".to_owned()));
            }
            Ok(ring) => {
                grants.features.extend(flags[dropped..].iter().map(|(name, _)| (*name).to_owned()));
                return Ok(ring);
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && dropped < flags.len() => {
                grants.note(flags[dropped].0, Err(error));
            }
            Err(error) => return Err(refusal(&error)),
        }
    }
    unreachable!("the last attempt returns")
}

fn refusal(error: &io::Error) -> RingRefusal {
    let sysctl = fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    let why = match (error.raw_os_error(), sysctl.trim()) {
        (Some(libc::EPERM), "1" | "2") => format!(" by sysctl kernel.io_uring_disabled={}", sysctl.trim()),
        (Some(libc::EPERM), _) => " by a seccomp filter or security module".to_owned(),
        (Some(libc::ENOSYS), _) => ", a kernel without io_uring or a seccomp filter".to_owned(),
        (Some(libc::ENOMEM), _) => ", RLIMIT_MEMLOCK or memory is exhausted".to_owned(),
        _ => String::new(),
    };
    RingRefusal(format!("io-uring: {}{why}", errno_name(error)))
}

/// Registers the ring's descriptor for this thread.
fn register_ring(ring: RawFd) -> io::Result<i32> {
    /// `struct io_uring_rsrc_update`; an offset of all ones lets the kernel choose the index.
    #[repr(C)]
    struct Update {
        offset: u32,
        reserved: u32,
        data: u64,
    }
    let data = u64::try_from(ring).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut update = Update { offset: u32::MAX, reserved: 0, data };
    // SAFETY: `update` is the one element that the call reads and writes.
    let registered = unsafe {
        libc::syscall(libc::SYS_io_uring_register, ring, REGISTER_RING_FDS, &raw mut update, 1_u32)
    };
    if registered == 1 {
        i32::try_from(update.offset).map_err(|_| io::ErrorKind::InvalidData.into())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// `struct io_uring_params`.
#[repr(C)]
struct Parameters {
    submission_entries: u32,
    completion_entries: u32,
    flags: u32,
    others: [u32; 7],
    submission: SubmissionOffsets,
    completion: CompletionOffsets,
}
const _: () = assert!(size_of::<Parameters>() == size_of::<io_uring::Parameters>());

/// `struct io_sqring_offsets`.
#[repr(C)]
struct SubmissionOffsets {
    head: u32,
    tail: u32,
    mask: u32,
    entries: u32,
    flags: u32,
    dropped: u32,
    array: u32,
    reserved: u32,
    user_address: u64,
}

/// `struct io_cqring_offsets`.
#[repr(C)]
struct CompletionOffsets {
    head: u32,
    tail: u32,
    mask: u32,
    entries: u32,
    overflow: u32,
    completions: u32,
    flags: u32,
    reserved: u32,
    user_address: u64,
}

const NO_SQARRAY: u32 = 1 << 16;

/// Maps the ring's shared parts a second time, for the engine's own use.
fn map(ring: &IoUring) -> io::Result<Shared> {
    // SAFETY: the crate documents its type as a transparent wrapper of the kernel's structure.
    let parameters = unsafe { &*ptr::from_ref(ring.params()).cast::<Parameters>() };
    let (sq, cq) = (&parameters.submission, &parameters.completion);
    let rings_len = (sq.array as usize + parameters.submission_entries as usize * 4)
        .max(cq.completions as usize + parameters.completion_entries as usize * 16);
    let entries_len = parameters.submission_entries as usize * 64;
    // SAFETY: the descriptor is a ring's, as its type says.
    let descriptor = unsafe { BorrowedFd::borrow_raw(ring.as_raw_fd()) };
    let map = |len, offset| {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a new mapping at an address of the kernel's choice concerns no other memory.
        unsafe { mmap(ptr::null_mut(), len, protection, flags, descriptor.as_fd(), offset) }
    };
    let rings = map(rings_len, OFFSET_RINGS)?;
    let submissions = map(entries_len, OFFSET_ENTRIES).inspect_err(|_| {
        // SAFETY: the mapping made just before, which nobody uses.
        let _ = unsafe { munmap(rings, rings_len) };
    })?;
    // SAFETY: the kernel gave these offsets for this mapping; counters and masks are 32-bit words in it.
    unsafe {
        let word = |offset: u32| rings.byte_add(offset as usize).cast::<u32>();
        if parameters.flags & NO_SQARRAY == 0 {
            // Older kernels go through an array of indices: every entry stands for itself, once and for all.
            for index in 0..parameters.submission_entries {
                word(sq.array).add(index as usize).write(index);
            }
        }
        Ok(Shared {
            rings: (rings, rings_len),
            entries: (submissions, entries_len),
            submission_head: word(sq.head).cast(),
            submission_tail: word(sq.tail).cast(),
            submission_mask: word(sq.mask).read(),
            submission_flags: word(sq.flags).cast(),
            submissions,
            completion_head: word(cq.head).cast(),
            completion_tail: word(cq.tail).cast(),
            completion_mask: word(cq.mask).read(),
            completions: rings.byte_add(cq.completions as usize),
        })
    }
}

/// The kernel's name of an error: `EINVAL`.
pub(crate) fn errno_name(error: &io::Error) -> String {
    const NAMES: [(i32, &str); 11] = [
        (libc::EPERM, "EPERM"),
        (libc::EIO, "EIO"),
        (libc::EAGAIN, "EAGAIN"),
        (libc::ENOMEM, "ENOMEM"),
        (libc::EFAULT, "EFAULT"),
        (libc::EBUSY, "EBUSY"),
        (libc::EEXIST, "EEXIST"),
        (libc::EINVAL, "EINVAL"),
        (libc::EMFILE, "EMFILE"),
        (libc::ENOSYS, "ENOSYS"),
        (libc::EOPNOTSUPP, "EOPNOTSUPP"),
    ];
    let errno = error.raw_os_error().unwrap_or(0);
    NAMES
        .iter()
        .find(|(number, _)| *number == errno)
        .map_or_else(|| format!("error {errno}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_buffers_are_registered_in_parts() {
        let slots = Slots::new(7, 4096 * 3).unwrap();
        let (parts, shift) = registered_buffers(&slots, 4096 * 8);
        assert_eq!(shift, 1, "two of three pages each fit into eight pages");
        assert_eq!(
            parts.iter().map(|part| part.iov_len).collect::<Vec<_>>(),
            [24_576, 24_576, 24_576, 12_288]
        );
        for slot in 0..7 {
            let part = &parts[(slot >> shift) as usize];
            let (start, at) = (part.iov_base.addr(), slots.address(slot).addr());
            assert!((start..start + part.iov_len - 12_288 + 1).contains(&at), "slot {slot}");
        }
        let (parts, shift) = registered_buffers(&slots, MAX_REGISTERED);
        assert_eq!((parts.len(), 6_u32 >> shift), (1, 0));
    }
}
