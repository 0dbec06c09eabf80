//! Why a suite cannot be run, in words for who asked for it.

use super::{files::FilesError, malformed::Malformed};
use model::units::{SizeError, format_capacity};
use std::path::PathBuf;

/// Why a suite cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Neither a shipped suite nor a file.
    #[error(
        "there is no suite `{0}`; `cliffmark suites` lists the shipped ones, anything else is a file NAME.toml"
    )]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read the suite file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is no suite.
    #[error("the suite is malformed: {0}")]
    Malformed(Malformed),
    /// The name is empty, too long or has other characters.
    #[error("the suite's name must be 1 to 40 of a-z, 0-9, `-` and `.`")]
    Name,
    /// The name belongs to a shipped suite.
    #[error("`{0}` is the name of a shipped suite; give yours another name")]
    NameTaken(String),
    /// The summary is blank, too long or unprintable.
    #[error("the suite's summary must be 1 to 200 printable characters")]
    Summary,
    /// A size that cannot be read.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The test file is too small.
    #[error("a size must be a multiple of 1 MiB or 1 MB, at least 1 MiB, or `max`, `all` or `device`")]
    SizeRange,
    /// No cells, or too many.
    #[error("a suite needs 1 to 1,000 cells or passes")]
    CellCount,
    /// A cell twice.
    #[error("cell {number} ({cell}) is there twice; use --runs to repeat a suite")]
    CellTwice {
        /// Its place, from 1.
        number: usize,
        /// Its name.
        cell: String,
    },
    /// A value that neither the suite nor the cell has.
    #[error("cell {number} has no {what}, and the suite has none for all cells")]
    CellMissing {
        /// Its place, from 1.
        number: usize,
        /// What is missing.
        what: &'static str,
    },
    /// A parameter outside its range.
    #[error("cell {number} is out of range: {problem}")]
    CellRange {
        /// Its place, from 1.
        number: usize,
        /// Which parameter, and its range.
        problem: &'static str,
    },
    /// A value that a workload needs.
    #[error("workload {number} needs {what}")]
    WorkloadMissing {
        /// Its place, from 1.
        number: usize,
        /// What is missing.
        what: &'static str,
    },
    /// A parameter of a workload outside its range.
    #[error("workload {number} is out of range: {problem}")]
    WorkloadRange {
        /// Its place, from 1.
        number: usize,
        /// The ranges.
        problem: &'static str,
    },
    /// A pack that does not exist.
    #[error("there is no pack of traces `{0}`; there is `applications`")]
    Pack(String),
    /// A trace that the pack has not.
    #[error("workload {number}: the pack has no trace `{name}`")]
    TraceName {
        /// Its place, from 1.
        number: usize,
        /// The name.
        name: String,
    },
    /// A recording cannot be read.
    #[error("cannot read the recording {}", path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A recording is none.
    #[error("{} is no recording that can be played", path.display())]
    NoTrace {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ::workloads::TextError,
    },
    /// Copies or loading cannot be run.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The number of runs is out of range.
    #[error("runs are 1 to 100")]
    Runs,
    /// A setting that does not exist.
    #[error(
        "there is no setting `{0}`; there are {names}, and in a suite of parts PART.SETTING",
        names = super::SETTINGS.join(", ")
    )]
    UnknownSetting(String),
    /// A part that is no shipped suite of cells.
    #[error("there is no part `{0}`; a part is a shipped suite that has no parts itself")]
    Part(String),
    /// A setting for a part that the suite has not.
    #[error("the suite has no part `{part}`; there are {there}")]
    NoPart {
        /// What was named.
        part: String,
        /// The parts there are.
        there: String,
    },
    /// A setting that changes nothing.
    #[error("nothing in this suite has `{0}`, so the setting would have no effect; leave it out")]
    NoEffect(String),
    /// No room for a size that depends on it.
    #[error("there is no room: {free} can be written here, less what stays free for others", free = format_capacity(*.0))]
    NoRoom(u64),
    /// Loops by bytes that do not fit into the size together.
    #[error(
        "cell {number}: {loops} times {} are more than the size of {}; give a smaller `amount`, or leave `size` out",
        format_capacity(*loop_bytes), format_capacity(*size)
    )]
    AmountTooLarge {
        /// Its place, from 1.
        number: usize,
        /// Its loops.
        loops: u32,
        /// Bytes of each.
        loop_bytes: u64,
        /// Bytes of the span.
        size: u64,
    },
    /// An amount that a cell before was to tell.
    #[error(
        "cell {0} takes its amount from a continuous write before it (`auto`), and there is none; the suite `bursts-auto` has one"
    )]
    NothingBefore(usize),
    /// Two ways for a loop to end.
    #[error("cell {0} ends by an amount of data or when steady, not both")]
    TwoEnds(usize),
    /// A fill that is neither a share nor bytes.
    #[error("`{0}` is no fill; write a share of the drive from 0 to 95 (percent), or bytes, `200GB`")]
    Fill(String),
    /// A kind of data that cannot be written.
    #[error("the suite cannot write `{0}` data; data is random, zero or repeat")]
    Data(String),
    /// A setting that is no number.
    #[error("`{value}` is no value for {key}; write a whole number")]
    BadSetting {
        /// The setting.
        key: String,
        /// What was given.
        value: String,
    },
}

impl SuiteError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Recording { .. } | Self::NoTrace { .. } => {
                "a recording is what fio writes with --write_iolog (version 2 or 3), or what blkparse prints"
            }
            _ => {
                "`cliffmark suites` lists the shipped ones; `cliffmark suites NAME` prints one to start from"
            }
        }
    }
}
