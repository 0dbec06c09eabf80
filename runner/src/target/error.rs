//! Everything for which a target is refused or fails, each with what to do next.
//!
//! All wording is here; who exits with which code is decided elsewhere.

use model::units::format_size;
use rustix::io::Errno;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a target cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// There is nothing at this path.
    #[error("{0} does not exist; name an existing directory or file")]
    Missing(PathBuf),
    /// This user may not.
    #[error(
        "{0} may not be opened or written by this user; choose a directory of your own, or change its permissions"
    )]
    Permission(PathBuf),
    /// The file system is mounted read-only.
    #[error(
        "{0} lies on a file system that is mounted read-only; choose another directory, or mount it for writing"
    )]
    ReadOnly(PathBuf),
    /// A file where a directory is needed.
    #[error("{0} is no directory; name a directory on the drive")]
    NotADirectory(PathBuf),
    /// Something else than a regular file.
    #[error("{0} is no regular file; name a file, or a directory on the drive to measure")]
    NotAFile(PathBuf),
    /// Nothing to read.
    #[error("{0} is too small to be measured; choose a file of at least 4 KiB")]
    Empty(PathBuf),
    /// Files lie in memory.
    #[error(
        "{0} lies on {1}, which keeps files in memory, so no drive would be measured; choose a directory on the drive"
    )]
    InMemory(PathBuf, &'static str),
    /// Files lie on another machine.
    #[error(
        "{0} lies on {1}, a network file system, so no local drive would be measured; run Cliffmark on the machine that has the drive"
    )]
    OnNetwork(PathBuf, &'static str),
    /// Nothing shows what reaches the drive.
    #[error(
        "{0} lies on {1}, which answers from a layer of its own, so nothing shows that the drive did the work; choose a directory on a file system such as ext4, XFS or Btrfs"
    )]
    BehindCache(PathBuf, &'static str),
    /// Nothing is known of this file system.
    #[error(
        "{0} lies on a file system that is not known to reach a drive (type {1:#x}); choose a directory on a file system such as ext4, XFS or Btrfs"
    )]
    UnknownFileSystem(PathBuf, u32),
    /// No direct I/O.
    #[error(
        "{0} does not allow direct I/O, so the page cache would be measured; choose a directory on another file system, or mount it without data journalling and encryption"
    )]
    NoDirectIo(PathBuf),
    /// A size that no test file may have.
    #[error("a test file of {} is not possible; choose a multiple of 4 KiB, at least 1 MiB", format_size(*.0))]
    Size(u64),
    /// The device is smaller than what is to be measured of it.
    #[error("{} of a device of {} cannot be measured; choose a smaller size, or all of it with --set size=all",
        format_size(*.span), format_size(*.capacity))]
    Span {
        /// Bytes to be measured.
        span: u64,
        /// Bytes of the device.
        capacity: u64,
    },
    /// The file would leave too little space for others.
    #[error("a test file of {} does not fit: {} are free and {} must stay free for others; choose a smaller size or free some space",
        format_size(*.size), format_size(*.free), format_size(*.reserve))]
    TooLittleSpace {
        /// Bytes of the test file.
        size: u64,
        /// Bytes this user may still allocate.
        free: u64,
        /// Bytes that stay free.
        reserve: u64,
    },
    /// The file system became full.
    #[error(
        "the file system became full while the test file was written; free some space or choose a smaller size (the file is gone already)"
    )]
    NoSpace,
    /// A write failed.
    #[error("the test file could not be written; look at the kernel's log (`dmesg`) for errors of the drive")]
    Write(#[source] io::Error),
    /// A read failed.
    #[error("{0} could not be read; look at the kernel's log (`dmesg`) for errors of the drive")]
    Read(PathBuf, #[source] io::Error),
    /// Another error of the kernel.
    #[error("{0} could not be opened")]
    Open(PathBuf, #[source] io::Error),
    /// The user stopped it.
    #[error("interrupted while the test file was written; it is gone already")]
    Stopped,
}

impl TargetError {
    /// Whether this is a refusal for safety or proof (exit code 3) rather than a failure (1).
    #[must_use]
    pub fn refusal(&self) -> bool {
        match self {
            Self::NotAFile(_)
            | Self::Empty(_)
            | Self::InMemory(..)
            | Self::OnNetwork(..)
            | Self::BehindCache(..)
            | Self::UnknownFileSystem(..)
            | Self::NoDirectIo(_)
            | Self::Span { .. }
            | Self::TooLittleSpace { .. } => true,
            Self::Missing(_)
            | Self::Permission(_)
            | Self::ReadOnly(_)
            | Self::NotADirectory(_)
            | Self::Size(_)
            | Self::NoSpace
            | Self::Write(_)
            | Self::Read(..)
            | Self::Open(..)
            | Self::Stopped => false,
        }
    }

    pub(super) fn from_open(path: &Path, errno: Errno) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::NOENT => Self::Missing(path),
            Errno::ACCESS | Errno::PERM => Self::Permission(path),
            Errno::ROFS => Self::ReadOnly(path),
            Errno::NOTDIR => Self::NotADirectory(path),
            Errno::INVAL => Self::NoDirectIo(path),
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            other => Self::Open(path, other.into()),
        }
    }

    pub(super) fn from_write(error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => Self::NoSpace,
            Some(errno) => Self::Write(io::Error::from_raw_os_error(errno)),
            None => Self::Write(error.kind().into()),
        }
    }
}
