//! Why a cell cannot be set up, each with what to do next.

use super::MAX_CALL_THREADS;
use model::units::format_size;
use std::io;

/// Why a cell cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A parameter is out of its range.
    #[error("a parameter of {0} lies outside its range")]
    Method(String),
    /// The method wants more than the target has.
    #[error("the cell spans {} but the target has {}; choose a smaller span", format_size(*.span), format_size(*.target))]
    Span {
        /// Bytes of the method's span.
        span: u64,
        /// Bytes of the target.
        target: u64,
    },
    /// The block size does not suit the device.
    #[error("blocks of {} cannot be moved directly: this target needs multiples of {}; choose such a block size", format_size(u64::from(*.block)), format_size(u64::from(*.align)))]
    Alignment {
        /// Bytes of a block.
        block: u32,
        /// What blocks must be a multiple of.
        align: u32,
    },
    /// A write into a target that was opened for reading.
    #[error("the cell writes, but the target was opened for reading only; open it for writing")]
    ReadOnly,
    /// Without `io_uring` every I/O in flight takes a thread.
    #[error(
        "{in_flight} I/Os in flight need io_uring, which is not available ({reason}); allow it, or choose at most {MAX_CALL_THREADS} in flight"
    )]
    TooManyThreads {
        /// Threads times queue depth.
        in_flight: u32,
        /// Why there is no ring.
        reason: String,
    },
    /// Completions are polled for through a ring only.
    #[error(
        "polling for completions needs io_uring, which is not available ({0}); allow it, or measure with --wait block"
    )]
    PollingNeedsRing(String),
    /// The drive has no queue that the kernel could poll.
    #[error(
        "the kernel cannot poll this drive ({0}); give its driver poll queues (for NVMe the kernel option nvme.poll_queues=2), or measure with --wait poll or block"
    )]
    NoDevicePolling(&'static str),
    /// Threads of the kernel that serve rings would share processors with the threads that wait for them.
    #[error(
        "--wait sqpoll takes two processors for each thread: {needed} are needed and there are {have}; choose fewer threads, or measure with --wait poll"
    )]
    TooFewProcessors {
        /// Processors that would be busy.
        needed: usize,
        /// Processors that this process may use.
        have: usize,
    },
    /// A method of drives apart has more drives than there are.
    #[error("the cell takes {needed} drives and there are {have}; name a directory on each of them")]
    TooFewDrives {
        /// Drives of the method.
        needed: usize,
        /// Targets that were given.
        have: usize,
    },
    /// The files that a pass works on cannot be had.
    #[error("its files cannot be had: {0}")]
    Files(String),
    /// Written data must be of a kind that can be made.
    #[error("a cell that writes cannot keep the data that was there; choose random, zero or repeat")]
    WritesExisting,
    /// The buffers would take too much memory.
    #[error(
        "the buffers of this cell take {}, more than a quarter of this machine's memory; choose a smaller block, queue depth or thread count",
        format_size(*.0)
    )]
    TooMuchMemory(u64),
    /// The kernel gave no memory.
    #[error("no memory for the buffers of this cell")]
    Memory(#[source] io::Error),
    /// A thread could not be started.
    #[error("a measuring thread could not be started")]
    Thread(#[source] io::Error),
    /// A ring was refused although a first one was granted.
    #[error(
        "a measuring thread got no ring ({0}); close other programs that use io_uring or raise RLIMIT_MEMLOCK"
    )]
    Ring(String),
}

impl EngineError {
    /// Whether this is a refusal, because the target cannot be measured in this way (exit code 3), rather than a
    /// failure (1).
    #[must_use]
    pub fn refusal(&self) -> bool {
        match self {
            Self::Span { .. }
            | Self::Alignment { .. }
            | Self::NoDevicePolling(_)
            | Self::TooFewProcessors { .. } => true,
            Self::Method(_)
            | Self::ReadOnly
            | Self::TooManyThreads { .. }
            | Self::PollingNeedsRing(_)
            | Self::TooFewDrives { .. }
            | Self::Files(_)
            | Self::WritesExisting
            | Self::TooMuchMemory(_)
            | Self::Memory(_)
            | Self::Thread(_)
            | Self::Ring(_) => false,
        }
    }
}
