//! The system calls of a ring that the measuring loop makes, without the detour through the C library.
//!
//! All are compiled into the loop itself. A function that makes a system call returns after it, and on an AMD EPYC
//! (Zen 4) whose kernel guards its returns (`spec_rstack_overflow`: Safe RET) that one `ret` makes the next call slower
//! by half: a read of a hole took 1,070 ns instead of 710. A `pop` and a jump in its place cost nothing, so it is the
//! prediction of returns that suffers, the kernel's as well; which way is not known.
#![expect(unsafe_code, reason = "system calls take addresses")]
#![expect(clippy::inline_always, reason = "a function that returns after its system call slows the next one")]

/// Wake the kernel's thread that takes submissions.
const SQ_WAKEUP: u32 = 2;
/// Ask for completions, not only for submission.
const GETEVENTS: u32 = 1;
/// The last argument is a [`WaitArgument`].
const EXT_ARG: u32 = 8;
/// The descriptor is an index into the ring descriptors that this thread registered.
pub(crate) const REGISTERED_RING: u32 = 16;

/// `struct __kernel_timespec`.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// `struct io_uring_getevents_arg`.
#[repr(C)]
struct WaitArgument {
    sigmask: u64,
    sigmask_bytes: u32,
    min_wait_us: u32,
    timeout: *const Timespec,
}

/// Submits `count` prepared entries and waits until `wanted` completions are there, a second at most.
/// Returns the entries taken, or the negative error number.
#[inline(always)]
pub(crate) fn enter(ring: i32, count: u32, wanted: u32, flags: u32) -> isize {
    let timeout = Timespec { seconds: 1, nanoseconds: 0 };
    let argument = WaitArgument { sigmask: 0, sigmask_bytes: 0, min_wait_us: 0, timeout: &raw const timeout };
    // SAFETY: the argument and its timeout live until the call returns. What the entries themselves point to is
    // the business of the ring that prepared them.
    unsafe { syscall(ring, count, wanted, flags | GETEVENTS | EXT_ARG, &raw const argument) }
}

/// Submits `count` prepared entries and does not wait. Completions that need the caller's time, rather than being
/// there at once, are looked for only with `look`. Returns the entries taken, or the negative error number.
#[inline(always)]
pub(crate) fn enter_at_once(ring: i32, count: u32, look: bool, flags: u32) -> isize {
    let look = if look { GETEVENTS } else { 0 };
    // SAFETY: there is no argument. What the entries themselves point to is the business of the ring.
    unsafe { syscall(ring, count, 0, flags | look, std::ptr::null()) }
}

/// Wakes the thread of the kernel that takes this ring's submissions. Returns 0 or more, or the negative error number.
#[inline(always)]
pub(crate) fn wake(ring: i32, flags: u32) -> isize {
    // SAFETY: there is no argument, and no entry is submitted by this call itself.
    unsafe { syscall(ring, 0, 0, flags | SQ_WAKEUP, std::ptr::null()) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn syscall(ring: i32, count: u32, wanted: u32, flags: u32, argument: *const WaitArgument) -> isize {
    let result: isize;
    // SAFETY: `io_uring_enter` by the kernel's x86-64 convention, which clobbers rcx and r11; it reads the
    // argument and may write any memory that submitted I/Os point to, hence no `nomem`.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_io_uring_enter as isize => result,
            in("rdi") ring as isize,
            in("rsi") count as usize,
            in("rdx") wanted as usize,
            in("r10") flags as usize,
            in("r8") argument,
            in("r9") size_of::<WaitArgument>(),
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn syscall(ring: i32, count: u32, wanted: u32, flags: u32, argument: *const WaitArgument) -> isize {
    // SAFETY: the arguments of `io_uring_enter` in its order.
    let result = unsafe {
        libc::syscall(
            libc::SYS_io_uring_enter,
            ring,
            count,
            wanted,
            flags,
            argument,
            size_of::<WaitArgument>(),
        )
    };
    match result {
        -1 => -(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) as isize),
        taken => taken as isize,
    }
}
