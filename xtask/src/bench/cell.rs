//! What is compared: one pattern, block size and queue depth.
//!
//! Knows: the names of patterns on both sides' command lines.
//! Does not know: how either tool is started.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail, ensure};

/// One access pattern in the words of the runner's `--pattern`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    RandRead,
    RandWrite,
    SeqRead,
    SeqWrite,
}

impl Pattern {
    const ALL: [Self; 4] = [Self::RandRead, Self::RandWrite, Self::SeqRead, Self::SeqWrite];

    /// The runner's word.
    pub(super) fn ours(self) -> &'static str {
        match self {
            Self::RandRead => "randread",
            Self::RandWrite => "randwrite",
            Self::SeqRead => "seqread",
            Self::SeqWrite => "seqwrite",
        }
    }

    /// fio's word.
    pub(super) fn fio(self) -> &'static str {
        match self {
            Self::RandRead => "randread",
            Self::RandWrite => "randwrite",
            Self::SeqRead => "read",
            Self::SeqWrite => "write",
        }
    }

    /// Whether the file's content changes.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::RandWrite | Self::SeqWrite)
    }
}

/// One comparison, written `randread:4k:32`, or `randread:4k:32:2` for two threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// Order and direction.
    pub(super) pattern: Pattern,
    /// Bytes of one I/O.
    pub(super) block_bytes: u64,
    /// I/Os under way at once, by one thread.
    pub(super) queue_depth: u32,
    /// Threads, each with its own queue.
    pub(super) threads: u32,
}

impl FromStr for Cell {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts = text.split(':').collect::<Vec<_>>();
        let (pattern, block, queue_depth, threads) = match parts[..] {
            [pattern, block, queue_depth] => (pattern, block, queue_depth, "1"),
            [pattern, block, queue_depth, threads] => (pattern, block, queue_depth, threads),
            _ => bail!(
                "`{text}` is not a cell: write PATTERN:BLOCK:QD or PATTERN:BLOCK:QD:THREADS, for example randread:4k:32"
            ),
        };
        let known = Pattern::ALL.into_iter().find(|own| own.ours() == pattern);
        let (digits, unit) = match block.strip_suffix(['k', 'm']) {
            Some(digits) if block.ends_with('k') => (digits, 1 << 10),
            Some(digits) => (digits, 1 << 20),
            None => (block, 1),
        };
        let cell = Self {
            pattern: known.with_context(|| format!("`{pattern}` is not a pattern"))?,
            block_bytes: digits
                .parse::<u64>()
                .ok()
                .and_then(|count| count.checked_mul(unit))
                .with_context(|| format!("`{block}` is not a block size"))?,
            queue_depth: queue_depth
                .parse()
                .with_context(|| format!("`{queue_depth}` is not a queue depth"))?,
            threads: threads.parse().with_context(|| format!("`{threads}` is not a number of threads"))?,
        };
        ensure!(
            cell.block_bytes >= 512
                && cell.block_bytes.is_power_of_two()
                && cell.queue_depth > 0
                && cell.threads > 0,
            "`{text}`: blocks are a power of two from 512 bytes on, and queue depth and threads are at least 1"
        );
        Ok(cell)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = match self.block_bytes {
            bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
            bytes => format!("{bytes} B"),
        };
        write!(f, "{} {block} QD {}", self.pattern.ours(), self.queue_depth)?;
        if self.threads > 1 { write!(f, ", {} threads", self.threads) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_and_shown() {
        let cell: Cell = "seqread:1m:8".parse().unwrap();
        assert_eq!((cell.pattern, cell.block_bytes, cell.queue_depth), (Pattern::SeqRead, 1 << 20, 8));
        assert_eq!(cell.to_string(), "seqread 1 MiB QD 8");
        assert_eq!(
            "randread:4k:32:2".parse::<Cell>().unwrap().to_string(),
            "randread 4 KiB QD 32, 2 threads"
        );
        assert_eq!("randwrite:4096:32".parse::<Cell>().unwrap().to_string(), "randwrite 4 KiB QD 32");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "randread:4k",
            "randread:4k:1:0",
            "randread:4k:1:1:1",
            "read:4k:1",
            "randread:5k:1",
            "randread:4k:0",
            "randread:256:1",
            "randread:k:1",
        ] {
            assert!(text.parse::<Cell>().is_err(), "{text}");
        }
    }
}
