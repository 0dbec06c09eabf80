//! A filter that denies `io_uring` to a program, as container runtimes do.
//!
//! Source: Linux `Documentation/userspace-api/seccomp_filter.rst`.
#![expect(unsafe_code, reason = "a filter is installed between fork and exec, by two system calls")]

use std::{io, os::unix::process::CommandExt as _, process::Command};

/// Makes `io_uring_setup` fail with an error number in the program that this command starts.
pub(crate) fn deny_rings(command: &mut Command, errno: i32) {
    let setup = u32::try_from(libc::SYS_io_uring_setup).expect("numbers of system calls are small");
    let errno = u32::try_from(errno).expect("error numbers are positive");
    let instruction = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    // The number of the call lies at the start of `struct seccomp_data`.
    let filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, setup),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | errno),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let install = move || {
        let program = libc::sock_fprog {
            len: u16::try_from(filter.len()).unwrap_or(0),
            filter: filter.as_ptr().cast_mut(),
        };
        // SAFETY: the kernel reads the four instructions behind `program`, which live until it has.
        let installed = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
        };
        if installed { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: between fork and exec it only makes two system calls; nothing is allocated or locked.
    unsafe { command.pre_exec(install) };
}
