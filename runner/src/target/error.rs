//! Everything for which a target is refused or fails, each with what to do next.
//!
//! All wording is here; who exits with which code is decided elsewhere.

use model::units::format_size;
use rustix::io::Errno;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// What is written full before it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A new file.
    File,
    /// A whole device, or the first part of it.
    Device,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "the test file",
            Self::Device => "the device",
        })
    }
}

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
    /// A link where a file is to be written into.
    #[error("{0} is a symbolic link, and what it leads to would be overwritten; name the file itself")]
    Link(PathBuf),
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
    /// A limit of the shell is smaller than the file.
    #[error("a test file of {} is not allowed: files that this program writes are limited to {} (`ulimit -f`); raise the limit or choose a smaller size",
        format_size(*.size), format_size(*.limit))]
    FileLimit {
        /// Bytes of the test file.
        size: u64,
        /// Bytes that a file may have.
        limit: u64,
    },
    /// The file system, or a limit of the shell, knows no files as large as that.
    #[error(
        "the test file cannot be as large as that: the file system or a limit (`ulimit -f`) does not allow it; choose a smaller size or another file system, or raise the limit"
    )]
    FileTooLarge,
    /// The file system, or what a device takes its bytes from, became full.
    #[error("{}", no_space(*.0))]
    NoSpace(Written),
    /// A write failed.
    #[error("{0} could not be written; look at the kernel's log (`dmesg`) for errors of the drive")]
    Write(Written, #[source] io::Error),
    /// The system gave no random numbers for the content.
    #[error("the system gives no random numbers to fill {0} with; is getrandom(2) allowed here?")]
    NoRandom(Written),
    /// A read failed.
    #[error("{0} could not be read; look at the kernel's log (`dmesg`) for errors of the drive")]
    Read(PathBuf, #[source] io::Error),
    /// Another error of the kernel.
    #[error("{0} could not be opened")]
    Open(PathBuf, #[source] io::Error),
    /// The user stopped it.
    #[error("interrupted while the target was written full")]
    Stopped,
}

fn no_space(what: Written) -> &'static str {
    match what {
        Written::File => {
            "the file system became full while the test file was written; free some space or choose a smaller size (the file is gone already)"
        }
        Written::Device => {
            "the device had no space for all of its bytes while it was written: it is thin, or lies in a file on a file system that became full; free some space there or choose a smaller size"
        }
    }
}

impl TargetError {
    /// Whether this is a refusal for safety or proof (exit code 3) rather than a failure (1).
    #[must_use]
    pub fn refusal(&self) -> bool {
        match self {
            Self::NotAFile(_)
            | Self::Link(_)
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
            | Self::FileLimit { .. }
            | Self::FileTooLarge
            | Self::NoSpace(_)
            | Self::Write(..)
            | Self::NoRandom(_)
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
            // Only a new file needs space to be opened.
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace(Written::File),
            other => Self::Open(path, other.into()),
        }
    }

    pub(super) fn from_write(what: Written, error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => Self::NoSpace(what),
            Some(libc::EFBIG) if what == Written::File => Self::FileTooLarge,
            _ => Self::Write(what, error),
        }
    }
}
