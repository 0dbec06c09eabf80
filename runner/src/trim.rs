//! Hands unused blocks back to the drive, where the kernel lets us.
//!
//! Knows the two calls, for a file system and for a whole device. Does not know when it is wanted.
//! Source: Linux `include/uapi/linux/fs.h` (`FITRIM`, `BLKDISCARD`).
#![expect(unsafe_code, reason = "both are reached by ioctl only")]

use crate::{drive::ground::Ground, plan::Place, sysfs::number};
use rustix::fs::syncfs;
use std::{
    fs::File,
    io,
    os::fd::{AsRawFd as _, BorrowedFd},
    path::Path,
};

/// `_IOWR('X', 121, struct fstrim_range)`.
const FITRIM: libc::Ioctl = 0xc018_5879_u32 as libc::Ioctl;
/// `_IO(0x12, 119)`.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// `struct fstrim_range`.
#[repr(C)]
struct Range {
    start: u64,
    length: u64,
    least: u64,
}

/// Whether unused blocks of a place can be handed back, as far as that can be told without trying.
///
/// # Errors
/// Why not, in words that follow "not possible here:".
pub(crate) fn possible(place: &Place, ground: Option<&Ground>) -> Result<(), String> {
    if place.simulated().is_some() {
        return Ok(());
    }
    let Some(ground) = ground else { return Err("the drive below is not known".to_owned()) };
    match number::<u64>(&ground.device.join("queue/discard_max_bytes")).known() {
        Some(0) => return Err("the drive takes no discards".to_owned()),
        Some(_) => {}
        None => return Err("the kernel does not say whether the drive takes discards".to_owned()),
    }
    if place.device().is_none() && !rustix::process::geteuid().is_root() {
        return Err("only root may trim a file system".to_owned());
    }
    Ok(())
}

/// Hands back what no file of the file system that holds `directory` uses. Yields the bytes that the file system
/// says it handed back.
///
/// # Errors
/// When the file system or the drive cannot do that, or this user may not.
pub(crate) fn file_system(directory: &Path) -> io::Result<u64> {
    let handle = File::open(directory)?;
    // The blocks of a file that was just deleted are free only then.
    syncfs(&handle)?;
    let mut range = Range { start: 0, length: u64::MAX, least: 0 };
    // SAFETY: the range lives until the call returns, which writes the handed back bytes into it.
    let result = unsafe { libc::ioctl(handle.as_raw_fd(), FITRIM, &raw mut range) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(range.length) }
}

/// Hands back the first `bytes` of a device that is open for writing. What was there is lost.
///
/// # Errors
/// When the device cannot do that.
pub(crate) fn device(file: BorrowedFd<'_>, bytes: u64) -> io::Result<u64> {
    let range = [0, bytes];
    // SAFETY: the two words live until the call returns.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), BLKDISCARD, range.as_ptr()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(bytes) }
}
