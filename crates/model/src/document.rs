//! The result document: what the runner writes, the signature covers and everyone reads.
//!
//! WIRE FORMAT. Its fields are the privacy allow-list: unknown ones are refused. An added field needs a
//! new minor [`SchemaVersion`], a changed or removed one a new major version. The JSON Schema of this
//! module is `docs/result.schema.json`.

use crate::{
    drive::{Drive, MAX_HOPS, MAX_MEMBERS},
    histogram::Histogram,
    host::Host,
    ids::PublicKey,
    labels::{LabelKey, check_label, is_plain_text},
    method::Method,
    pass::{MAX_PASSES, Pass},
    proof::{Proof, VoidReason},
    reading::Reading,
    telemetry::Telemetry,
    units::NS_PER_S,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::IgnoredAny};
use std::{borrow::Cow, collections::BTreeMap, fmt, str::FromStr};

/// The DSSE payload type of a result document.
pub const PAYLOAD_TYPE: &str = "application/vnd.cliffmark.result.v1+json";
/// The version this program writes and the newest it reads.
pub const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 1 };
/// The licence of published data unless another is chosen.
pub const DEFAULT_LICENSE: &str = "CC-BY-4.0";
/// Width of a throughput bin in the first ten minutes of a loop, nanoseconds.
pub const BIN_NS: u64 = NS_PER_S / 10;
/// Most cells in a document.
pub const MAX_CELLS: usize = 1_000;
/// Most loops of all cells together. Read, a loop's two histograms take 60 KiB however few bytes they had
/// in the document.
pub const MAX_LOOPS: usize = 5_000;
/// Most bins of a loop.
pub const MAX_BINS: usize = 100_000;

/// Version of the document's schema, `1.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersion {
    /// Changes when a field changes its meaning or goes.
    pub major: u32,
    /// Changes when a field is added.
    pub minor: u32,
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for SchemaVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let parse =
            |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        text.split_once('.')
            .and_then(|(major, minor)| Some(Self { major: parse(major)?, minor: parse(minor)? }))
            .filter(|version| version.to_string() == text)
            .ok_or("a schema version looks like `1.0`")
    }
}

impl Serialize for SchemaVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SchemaVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for SchemaVersion {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .pattern(Some(r"^[0-9]+\.[0-9]+$"))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for SchemaVersion {}

/// One run of a suite on one drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ResultDocument {
    /// Version of this schema.
    pub schema: SchemaVersion,
    /// Wall-clock label of the start, milliseconds since 1970 UTC; no duration is computed from it.
    pub started_unix_ms: u64,
    /// The key that signs this document.
    pub public_key: PublicKey,
    /// Licence of the data, an SPDX identifier.
    pub license: String,
    /// Whether a drive was measured or simulated.
    pub origin: Origin,
    /// Where its author wants it to be seen.
    pub visibility: Visibility,
    /// The program that measured.
    pub runner: Runner,
    /// The suite that was run, by name: `quick`, `cdm`.
    pub suite: String,
    /// Times the whole suite was to be run; 1 to 100.
    pub runs: u32,
    /// Whether the suite came to its end.
    pub outcome: Outcome,
    /// Time from the first preparation to the last completion, nanoseconds.
    pub elapsed_ns: u64,
    /// What the reviewer says about the run.
    pub labels: BTreeMap<LabelKey, String>,
    /// The drive under test.
    pub drive: Drive,
    /// The machine around it.
    pub host: Host,
    /// The file or device that was read and written.
    pub target: Target,
    /// Those on the second drive and further ones, where drives were measured apart, in the order of `drive.members`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_targets: Vec<Target>,
    /// How I/Os were submitted and awaited.
    pub engine: Engine,
    /// The fill of the test file before the first cell; `None` when it existed before, or the fill was
    /// interrupted and no cell was run.
    pub preparation: Option<Preparation>,
    /// What drive and machine reported of themselves during the run.
    pub telemetry: Telemetry,
    /// Each time the run went on after its program or machine had died; empty for a run in one go.
    pub resumptions: Vec<Resumption>,
    /// The cells in the order they were run.
    pub cells: Vec<Cell>,
    /// The passes of workloads that are no uniform load in the order they were run; those of a run come after its
    /// cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
}

/// A run that went on: cells before and after it were measured in different sessions, on a test file that was
/// written anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Resumption {
    /// Number of cells and passes, both together, that were measured before it.
    pub cells_before: u32,
    /// Time on the run's clock at which it went on, nanoseconds; the time between is not counted.
    pub at_ns: u64,
    /// Wall-clock label, milliseconds since 1970 UTC.
    pub resumed_unix_ms: u64,
    /// The fill of the new test file; `None` when it existed before.
    pub preparation: Option<Preparation>,
}

/// What every simulated figure must be read with.
pub const FITTED: &str = "fitted to published figures, not a measurement";

/// Where the figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A drive did the work.
    Measured,
    /// A model of a drive in virtual time; never ranked with measured results.
    Simulated,
}

/// Where a result is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Listed for everyone.
    Public,
    /// Not listed; answers only to its full id.
    Unlisted,
}

/// The measuring program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Runner {
    /// Its name, `cliffmark`.
    pub name: String,
    /// Its version, `0.1.0`.
    pub version: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every cell was run.
    Complete,
    /// Stopped by the user; the cells there are valid.
    Interrupted,
    /// Stopped by an error; the last cell says which.
    Failed,
}

/// What kind of target was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// A file made for the run.
    NewFile,
    /// A file that was there before.
    ExistingFile,
    /// A whole block device.
    Device,
    /// None: a model of a drive answered.
    Simulated,
}

/// The file or device that was read and written; no path, no name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its kind.
    pub kind: TargetKind,
    /// Type of the file system, `ext4`; `None` for a device.
    pub file_system: Option<String>,
    /// Mount options from the allow-list (`discard`, `noatime`, `compress=…`), sorted.
    pub mount_options: Vec<String>,
    /// Size of the file system in bytes; `None` for a device.
    pub file_system_bytes: Option<u64>,
    /// Bytes in use on the file system before the run; `None` for a device.
    pub file_system_used_bytes: Option<u64>,
    /// What the file system hands out at a time, its block, cluster or allocation unit, bytes; `None` for a device, and
    /// where it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system_block_bytes: Option<u64>,
}

/// The class of an engine: only figures of one class are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EngineClass {
    /// `io_uring`, completions awaited by blocking.
    Uring,
    /// A thread per I/O in flight with pread and pwrite.
    Threads,
    /// `io_uring` with polled completions or submission.
    Polled,
    /// No I/O at all: a simulated drive.
    Simulated,
}

impl EngineClass {
    /// The word in documents and on pages.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Uring => "uring",
            Self::Threads => "threads",
            Self::Polled => "polled",
            Self::Simulated => "simulated",
        }
    }
}

/// How completions are awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// The thread sleeps until one comes.
    Block,
    /// The thread asks the kernel again and again: lower latency for a whole processor.
    Poll,
    /// The kernel asks the drive again and again, without interrupts (`IOPOLL`).
    DevicePoll,
    /// A thread of the kernel takes I/Os from the ring without a call, and the thread looks at the ring again and
    /// again (`SQPOLL`): a second processor for each thread.
    SubmitPoll,
}

impl Wait {
    /// How it waits, in words that follow a verb: `waits by asking the kernel again and again`.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Block => "by sleeping until a completion comes",
            Self::Poll => "by asking the kernel again and again (poll)",
            Self::DevicePoll => "by the kernel asking the drive again and again (iopoll)",
            Self::SubmitPoll => "by looking at a ring that a thread of the kernel serves (sqpoll)",
        }
    }
}

/// How I/Os were submitted and awaited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The class.
    pub class: EngineClass,
    /// How completions are awaited.
    pub wait: Wait,
    /// The processor that each thread was kept on, by thread; empty when they were not.
    pub cpus: Vec<u32>,
    /// What the kernel granted, sorted: `single-issuer`, `defer-taskrun`, `fixed-buffers`, …
    pub features: Vec<String>,
    /// What was asked for and refused, with the kernel's reason: `no-sqarray: EINVAL`.
    pub refused: Vec<String>,
    /// Page size behind the buffers in bytes: 2 MiB pages keep large requests undivided.
    pub buffer_page_bytes: u64,
}

/// The fill of the test file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Preparation {
    /// Bytes written, of the kind of data that the methods name.
    pub bytes: u64,
    /// Time it took, nanoseconds, the final flush included.
    pub elapsed_ns: u64,
}

/// Whether a cell's figures count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CellStatus {
    /// All loops were run and the proof holds.
    Complete,
    /// Stopped before its last loop; the loops there are valid.
    Partial,
    /// Measured, but the proof does not hold: kept, never ranked.
    Void,
    /// An I/O failed; the loops there were run before it.
    Failed,
}

impl CellStatus {
    /// Whether figures of this status count.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Self::Complete | Self::Partial)
    }

    /// The word for programs, `complete`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Void => "void",
            Self::Failed => "failed",
        }
    }
}

/// The first error of a failed cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CellError {
    /// What happened.
    pub kind: CellErrorKind,
    /// The kernel's error number, when it gave one.
    pub errno: Option<i32>,
    /// Offset in the span of the I/O concerned, bytes, when it is one I/O.
    pub offset: Option<u64>,
}

impl CellErrorKind {
    /// The reason for which the cell's figures do not count.
    #[must_use]
    pub fn void_reason(self) -> VoidReason {
        match self {
            Self::Io => VoidReason::IoError,
            Self::Short => VoidReason::ShortCompletion,
            Self::NoSpace => VoidReason::NoSpace,
            Self::Stalled => VoidReason::Stalled,
            Self::Setup => VoidReason::NoEngine,
        }
    }

    /// Whether nothing more can be measured after it: the device is gone, full or silent.
    #[must_use]
    pub fn ends_run(self) -> bool {
        !matches!(self, Self::Io | Self::Setup)
    }
}

/// What stopped a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CellErrorKind {
    /// The kernel returned an error for an I/O.
    Io,
    /// An I/O completed with fewer bytes than asked: the device is gone or the file was cut.
    Short,
    /// No space was left.
    NoSpace,
    /// No I/O completed for too long.
    Stalled,
    /// The engine could not be set up.
    Setup,
}

/// One combination of pattern, block size, queue depth and threads, measured in loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// How it was measured.
    pub method: Method,
    /// Which run of the whole suite it belongs to, from 0.
    pub run: u32,
    /// Whether its figures count.
    pub status: CellStatus,
    /// Why its figures do not count, for a void or failed cell; empty otherwise.
    pub void: Vec<VoidReason>,
    /// The first error of a failed cell.
    pub error: Option<CellError>,
    /// On which of several drives apart it happened, from 0; `None` for a single target, and for an error of none of
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_member: Option<u8>,
    /// The evidence that the drive did the work; of drives apart what holds for all of them.
    pub proof: Proof,
    /// The evidence of each drive of drives apart, in the order of `drive.members`; empty for a single target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Proof>,
    /// The fill of the span right before the cell; `None` when the span was as the cells before had left it, when it
    /// is the run's own preparation, or when the cell writes it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
    /// The state of the drive right before the cell; `None` for one that followed another on the same span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Every loop, discarded ones included, in order.
    pub loops: Vec<Loop>,
}

/// The state of the drive before cells, and what it is known from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Bytes in use on the file system, those of the run not counted; `None` for a device.
    pub used_bytes: Option<u64>,
    /// Size of the file system in bytes; `None` for a device.
    pub total_bytes: Option<u64>,
    /// Bytes that were written only to take room.
    pub filler_bytes: u64,
    /// Bytes of unused blocks that the kernel says it handed back to the drive right before.
    pub trimmed_bytes: Reading<u64>,
    /// How long the drive was left alone right before, nanoseconds.
    pub rested_ns: u64,
}

/// One loop of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Whether the method discards it: a warm-up that is kept and shown, but not counted.
    pub discarded: bool,
    /// Start since the run's start, nanoseconds.
    pub started_ns: u64,
    /// From the first submission to the deadline, nanoseconds: what rates are computed over.
    pub elapsed_ns: u64,
    /// From the deadline to the last completion, nanoseconds; not part of any rate.
    pub drain_ns: u64,
    /// I/Os that completed after the deadline; in no rate, bin or histogram.
    pub drained_ios: u64,
    /// Readings of the measuring clock that lay before the one they followed.
    pub clock_anomalies: u64,
    /// Processor time of the measuring process, user and system, nanoseconds.
    pub cpu_ns: u64,
    /// Reads that completed before the deadline; `None` when the cell does not read.
    pub read: Option<Transfer>,
    /// Writes that completed before the deadline; `None` when the cell does not write.
    pub write: Option<Transfer>,
    /// The I/Os of the second stream; `None` when the method has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Streams>,
    /// What ended it.
    #[serde(default, skip_serializing_if = "LoopEnded::is_time")]
    pub ended: LoopEnded,
    /// What the kernel counted for the device from the first submission to the last completion, of drives apart for
    /// all of them together; `None` when it could not be read.
    pub device: Option<DeviceCounters>,
    /// What each drive of drives apart did, in the order of `drive.members`; empty for a single target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberLoad>,
}

/// What one of several drives apart did in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MemberLoad {
    /// Bytes of its reads that completed before the deadline.
    pub read_bytes: u64,
    /// Bytes of its writes that completed before the deadline.
    pub written_bytes: u64,
    /// Its I/Os that completed after the deadline.
    pub drained_ios: u64,
    /// What the kernel counted for its device meanwhile; `None` when it could not be read.
    pub device: Option<DeviceCounters>,
}

impl MemberLoad {
    /// Bytes that completed before the deadline, both directions together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }
}

/// What ended a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoopEnded {
    /// Its time was over.
    #[default]
    Time,
    /// Its bytes were moved.
    Bytes,
    /// Nothing had changed for as long as the method says.
    Settled,
}

impl LoopEnded {
    fn is_time(&self) -> bool {
        *self == Self::Time
    }
}

/// The two directions of a stream of I/Os.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Streams {
    /// Reads; `None` when the stream does not read.
    pub read: Option<Transfer>,
    /// Writes; `None` when the stream does not write.
    pub write: Option<Transfer>,
}

/// The completed I/Os of one direction in a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Submission-to-completion latency of every one of them.
    pub latency: Histogram,
    /// Width of a bin in nanoseconds.
    pub bin_ns: u64,
    /// Bytes completed in each bin since the loop's start; the last bin may be shorter.
    pub bins: Vec<u64>,
}

/// Differences of the device's counters. Source: Linux `Documentation/block/stat.rst`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceCounters {
    /// Read requests completed.
    pub read_requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Write requests completed.
    pub write_requests: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

impl DeviceCounters {
    /// Those of several devices together; `None` without any, or when one of them is missing.
    #[must_use]
    pub fn sum(of: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        of.into_iter().reduce(|sum, one| {
            let (sum, one) = (sum?, one?);
            Some(Self {
                read_requests: sum.read_requests.saturating_add(one.read_requests),
                read_bytes: sum.read_bytes.saturating_add(one.read_bytes),
                write_requests: sum.write_requests.saturating_add(one.write_requests),
                written_bytes: sum.written_bytes.saturating_add(one.written_bytes),
            })
        })?
    }
}

impl Loop {
    /// The I/Os of the method's pattern: of one that mixes both directions, both together.
    #[must_use]
    pub fn transfer(&self, method: &Method) -> Option<Cow<'_, Transfer>> {
        let (read, write) = (self.read.as_ref(), self.write.as_ref());
        match (method.pattern.reads(), method.pattern.writes()) {
            (true, true) => both(read, write),
            (true, false) => read.map(Cow::Borrowed),
            (false, _) => write.map(Cow::Borrowed),
        }
    }

    /// The I/Os of the second stream, both directions together; `None` when there is none.
    #[must_use]
    pub fn transfer_beside(&self) -> Option<Cow<'_, Transfer>> {
        let Streams { read, write } = self.beside.as_ref()?;
        both(read.as_ref(), write.as_ref())
    }

    /// Every transfer of every stream.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        let beside = self.beside.iter().flat_map(|one| one.read.iter().chain(&one.write));
        self.read.iter().chain(&self.write).chain(beside)
    }
}

fn both<'a>(read: Option<&'a Transfer>, write: Option<&'a Transfer>) -> Option<Cow<'a, Transfer>> {
    match (read, write) {
        (Some(read), Some(write)) => Some(Cow::Owned(read.with(write))),
        (one, other) => one.or(other).map(Cow::Borrowed),
    }
}

impl Transfer {
    /// Both together. Bins of different widths do not add up; those of `self` stand then.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.ios = sum.ios.saturating_add(other.ios);
        sum.bytes = sum.bytes.saturating_add(other.bytes);
        sum.latency.merge(&other.latency);
        if sum.bin_ns == other.bin_ns {
            sum.bins.resize(sum.bins.len().max(other.bins.len()), 0);
            sum.bins
                .iter_mut()
                .zip(&other.bins)
                .for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
        }
        sum
    }
}

/// Why bytes are no result document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is no JSON of this shape; `path` names the field.
    #[error("the result document is malformed at `{path}`: {message}")]
    Malformed {
        /// The field, `cells[0].method.block_bytes`.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// A version this program does not know.
    #[error(
        "the result document has schema {found}, this program reads up to {SCHEMA}; version {found} or newer is needed"
    )]
    NewerSchema {
        /// The version it has.
        found: SchemaVersion,
    },
    /// A value out of its range; `path` names the field.
    #[error("the result document is out of range at `{path}`: {message}")]
    OutOfRange {
        /// The field.
        path: String,
        /// The range.
        message: &'static str,
    },
}

fn malformed(path: String, error: &serde_json::Error) -> DocumentError {
    DocumentError::Malformed { path, message: json_words(error) }
}

/// Whether signed bytes are of a version that is known here; nothing else of them is read.
pub(crate) fn check_version(bytes: &[u8], known: SchemaVersion) -> Result<(), DocumentError> {
    #[derive(Deserialize)]
    struct Version {
        schema: SchemaVersion,
    }
    let Version { schema } =
        serde_json::from_slice(bytes).map_err(|error| malformed("schema".to_owned(), &error))?;
    if schema.major != known.major || schema.minor > known.minor {
        return Err(DocumentError::NewerSchema { found: schema });
    }
    Ok(())
}

/// Reads signed bytes to their end; the error names the first field that is wrong.
pub(crate) fn from_signed<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, DocumentError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| malformed(error.path().to_string(), error.inner()))?;
    reader.end().map_err(|error| malformed(".".to_owned(), &error))?;
    Ok(value)
}

impl ResultDocument {
    /// Reads a document and checks every range.
    ///
    /// # Errors
    /// When the version is newer, a field is unknown, missing or of the wrong type, or a value is out
    /// of its range.
    pub fn from_json(bytes: &[u8]) -> Result<Self, DocumentError> {
        check_version(bytes, SCHEMA)?;
        check_loop_count(bytes)?;
        let document: Self = from_signed(bytes)?;
        document.check()?;
        Ok(document)
    }

    /// The bytes that are signed.
    ///
    /// # Panics
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a document has only JSON-able fields")
    }

    /// Checks every range that the types do not already keep.
    ///
    /// # Errors
    /// Names the first field out of its range.
    pub fn check(&self) -> Result<(), DocumentError> {
        let need = |holds: bool, path: &str, message: &'static str| {
            if holds { Ok(()) } else { Err(DocumentError::OutOfRange { path: path.to_owned(), message }) }
        };
        let words = |path: &str, text: &str, max: usize| {
            need(is_plain_text(text, max), path, "printable text of limited length")
        };
        let known = |path: &str, reading: &crate::Reading<String>, max: usize| {
            reading.known().map_or(Ok(()), |text| words(path, text, max))
        };
        need(is_license(&self.license), "license", "an SPDX identifier of at most 40 characters")?;
        need(self.drive.capacity_bytes != crate::Reading::Known(0), "drive.capacity_bytes", "above 0")?;
        words("runner.name", &self.runner.name, 40)?;
        words("runner.version", &self.runner.version, 40)?;
        need(is_suite_name(&self.suite), "suite", "1 to 40 of a-z, 0-9, `-` and `.`")?;
        need((1..=100).contains(&self.runs), "runs", "1 to 100")?;
        for (key, text) in &self.labels {
            need(
                check_label(*key, text).is_ok(),
                &format!("labels.{}", key.token()),
                "printable text of limited length",
            )?;
        }
        known("drive.model", &self.drive.model, 120)?;
        known("drive.firmware", &self.drive.firmware, 40)?;
        known("drive.serial", &self.drive.serial, 60)?;
        known("drive.scheduler", &self.drive.scheduler, 40)?;
        known("drive.write_cache", &self.drive.write_cache, 40)?;
        known("drive.zoned", &self.drive.zoned, 40)?;
        known("drive.slot", &self.drive.slot, 40)?;
        need(self.drive.pcie.len() <= MAX_HOPS, "drive.pcie", "at most 16 hops")?;
        need(self.drive.members.len() <= MAX_MEMBERS, "drive.members", "at most 64 drives")?;
        for member in &self.drive.members {
            known("drive.members.model", &member.model, 120)?;
            known("drive.members.firmware", &member.firmware, 40)?;
        }
        need(self.drive.stack.len() <= 32, "drive.stack", "at most 32 devices")?;
        for kind in &self.drive.stack {
            words("drive.stack", kind, 40)?;
        }
        need(
            self.host.kernel.bytes().all(|b| b.is_ascii_digit() || b == b'.')
                && !self.host.kernel.is_empty()
                && self.host.kernel.len() <= 20,
            "host.kernel",
            "digits and dots",
        )?;
        words("host.architecture", &self.host.architecture, 20)?;
        known("host.cpu_model", &self.host.cpu_model, 120)?;
        known("host.cpu_governor", &self.host.cpu_governor, 40)?;
        known("host.energy_preference", &self.host.energy_preference, 40)?;
        need(self.host.c_states.len() <= 16, "host.c_states", "at most 16 states")?;
        for state in &self.host.c_states {
            words("host.c_states", state, 40)?;
        }
        need(self.other_targets.len() < MAX_MEMBERS, "other_targets", "at most 63 targets")?;
        for target in self.targets() {
            if let Some(name) = &target.file_system {
                words("target.file_system", name, 40)?;
            }
            need(target.mount_options.len() <= 64, "target.mount_options", "at most 64 options")?;
            for option in &target.mount_options {
                words("target.mount_options", option, 60)?;
            }
        }
        need(
            self.engine.features.len() <= 64 && self.engine.refused.len() <= 64,
            "engine",
            "at most 64 features",
        )?;
        for text in self.engine.features.iter().chain(&self.engine.refused) {
            words("engine", text, 120)?;
        }
        need(self.engine.cpus.len() <= 4_096, "engine.cpus", "at most 4,096 threads")?;
        self.telemetry.check().map_err(|(field, message)| DocumentError::OutOfRange {
            path: format!("telemetry.{field}"),
            message,
        })?;
        need(self.resumptions.len() <= 1_000, "resumptions", "at most 1,000")?;
        need(
            self.resumptions.iter().all(|one| one.cells_before as usize <= self.step_count()),
            "resumptions",
            "no more cells before than there are",
        )?;
        need(self.cells.len() <= MAX_CELLS, "cells", "at most 1,000 cells")?;
        for (index, cell) in self.cells.iter().enumerate() {
            cell.check(self.runs).map_err(|(field, message)| DocumentError::OutOfRange {
                path: format!("cells[{index}].{field}"),
                message,
            })?;
        }
        need(self.passes.len() <= MAX_PASSES, "passes", "at most 1,000 passes")?;
        for (index, pass) in self.passes.iter().enumerate() {
            pass.check(self.runs).map_err(|(field, message)| DocumentError::OutOfRange {
                path: format!("passes[{index}].{field}"),
                message,
            })?;
        }
        Ok(())
    }

    /// The targets in the order of the drives: one, or one on each of drives apart.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        [&self.target].into_iter().chain(&self.other_targets)
    }

    /// Types of the file systems of all targets, each once: `ext4`, `ext4, xfs`; `None` for devices.
    #[must_use]
    pub fn file_systems(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.targets().filter_map(|target| target.file_system.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Cells and passes together.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.cells.len() + self.passes.len()
    }
}

/// Counts the loops without reading them, before any memory is taken for their histograms.
fn check_loop_count(bytes: &[u8]) -> Result<(), DocumentError> {
    #[derive(Deserialize)]
    struct Shape {
        #[serde(default)]
        cells: Vec<CellShape>,
        #[serde(default)]
        passes: Vec<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct CellShape {
        #[serde(default)]
        loops: Vec<IgnoredAny>,
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let shape: Shape = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        DocumentError::Malformed { path: error.path().to_string(), message: json_words(error.inner()) }
    })?;
    if shape.cells.iter().map(|cell| cell.loops.len()).sum::<usize>() > MAX_LOOPS {
        return Err(DocumentError::OutOfRange {
            path: "cells".to_owned(),
            message: "at most 5,000 loops in all cells together",
        });
    }
    if shape.passes.len() > MAX_PASSES {
        return Err(DocumentError::OutOfRange { path: "passes".to_owned(), message: "at most 1,000 passes" });
    }
    Ok(())
}

/// What is wrong with a JSON text, without line and column: these texts are made by programs, in one line.
#[must_use]
pub fn json_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or(text.clone(), str::to_owned)
}

impl Cell {
    fn check(&self, runs: u32) -> Result<(), (&'static str, &'static str)> {
        let need = |holds: bool, field, message| if holds { Ok(()) } else { Err((field, message)) };
        need(self.method.in_range(), "method", "a parameter lies outside its range")?;
        need(self.run < runs, "run", "below the number of runs")?;
        need(
            self.void.is_empty() != matches!(self.status, CellStatus::Void | CellStatus::Failed),
            "void",
            "reasons if and only if the cell is void or failed",
        )?;
        need(
            self.error.is_some() == (self.status == CellStatus::Failed),
            "error",
            "an error if and only if the cell failed",
        )?;
        need(self.void.len() <= 32 && self.proof.unproven.len() <= 32, "void", "at most 32 reasons")?;
        let apart = usize::from(self.method.drives_apart().unwrap_or(0));
        let one_each = "one for each of the drives apart";
        need(self.members.len() == apart, "members", one_each)?;
        need(self.loops.iter().all(|one| one.members.len() == apart), "loops", one_each)?;
        let failed = self.failed_member.filter(|_| self.error.is_some());
        need(failed == self.failed_member, "failed_member", "a drive only with an error")?;
        need(
            failed.is_none_or(|drive| usize::from(drive) < apart),
            "failed_member",
            "a drive that takes part",
        )?;
        for proof in [&self.proof].into_iter().chain(&self.members) {
            need(proof.unproven.len() <= 32, "proof.unproven", "at most 32")?;
            if let Some(name) = proof.file_system.known() {
                need(is_plain_text(name, 40), "proof.file_system", "printable text of limited length")?;
            }
        }
        need(self.loops.len() <= 1_100, "loops", "at most 1,100 loops")?;
        for transfer in self.loops.iter().flat_map(Loop::transfers) {
            need(transfer.bins.len() <= MAX_BINS, "loops", "at most 100,000 bins a loop")?;
            need(transfer.bin_ns > 0, "loops", "bins have a width")?;
        }
        Ok(())
    }
}

/// Whether a text has the form of an SPDX licence identifier: 1 to 40 letters, digits, `.`, `-` and `+`.
#[must_use]
pub fn is_license(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'))
}

/// Whether a text may name a suite: 1 to 40 of a-z, 0-9, `-` and `.`.
#[must_use]
pub fn is_suite_name(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::document;

    fn json() -> serde_json::Value {
        serde_json::from_slice(&document("Example", 1.0, PublicKey([7; 32])).to_json()).unwrap()
    }

    fn read(value: &serde_json::Value) -> Result<ResultDocument, DocumentError> {
        ResultDocument::from_json(value.to_string().as_bytes())
    }

    #[test]
    fn a_document_reads_back() {
        let before = document("Example", 1.0, PublicKey([7; 32]));
        assert_eq!(ResultDocument::from_json(&before.to_json()), Ok(before));
    }

    #[test]
    fn loops_are_counted_before_they_are_read() {
        let mut value = json();
        let pattern = serde_json::json!({ "not": "a loop" });
        value["cells"][0]["loops"] = vec![pattern; MAX_LOOPS].into();
        let Err(DocumentError::OutOfRange { path, .. }) = read(&value) else {
            panic!("the others count too")
        };
        assert_eq!(path, "cells");
    }

    #[test]
    fn unknown_fields_are_named_at_every_depth() {
        for (pointer, path) in [
            ("", "host_name"),
            ("/host", "host.host_name"),
            ("/cells/1/loops/0/read", "cells[1].loops[0].read.host_name"),
        ] {
            let mut value = json();
            value.pointer_mut(pointer).unwrap()["host_name"] = "secret".into();
            let Err(DocumentError::Malformed { path: found, message }) = read(&value) else {
                panic!("{pointer}")
            };
            assert_eq!(found, path);
            assert!(
                message.contains("unknown field `host_name`") && !message.contains("column"),
                "{message}"
            );
        }
    }

    #[test]
    fn newer_versions_say_what_is_needed() {
        for version in ["1.2", "2.0"] {
            let mut value = json();
            value["schema"] = version.into();
            value["new_field"] = 1.into();
            let error = read(&value).unwrap_err();
            assert!(matches!(error, DocumentError::NewerSchema { .. }));
            assert!(error.to_string().contains(version), "{error}");
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (pointer, bad, path) in [
            ("/cells/0/method/queue_depth", serde_json::json!(0), "cells[0].method"),
            ("/cells/0/method/block_bytes", serde_json::json!(1000), "cells[0].method"),
            ("/cells/3/status", serde_json::json!("void"), "cells[3].void"),
            ("/suite", serde_json::json!("../quick"), "suite"),
            ("/labels", serde_json::json!({"note": "a\u{202e}b"}), "labels.note"),
            ("/drive/model", serde_json::json!({"known": "x".repeat(121)}), "drive.model"),
            ("/host/kernel", serde_json::json!("6.1-myhost"), "host.kernel"),
        ] {
            let mut value = json();
            *value.pointer_mut(pointer).unwrap() = bad;
            let Err(DocumentError::OutOfRange { path: found, .. }) = read(&value) else {
                panic!("{pointer}")
            };
            assert_eq!(found, path);
        }
    }

    #[test]
    fn drives_apart_have_one_of_everything_each() {
        let apart = || crate::fixtures::with_drives_apart(document("Example", 1.0, PublicKey([7; 32])));
        assert_eq!(ResultDocument::from_json(&apart().to_json()), Ok(apart()));
        let refused = |change: fn(&mut ResultDocument)| {
            let mut document = apart();
            change(&mut document);
            match document.check() {
                Err(DocumentError::OutOfRange { path, .. }) => path,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(|d| drop(d.cells[2].members.pop())), "cells[2].members");
        assert_eq!(refused(|d| d.cells[1].loops[0].members.clear()), "cells[1].loops");
        assert_eq!(refused(|d| d.cells[1].failed_member = Some(0)), "cells[1].failed_member");
        assert_eq!(refused(|d| d.other_targets = vec![d.target.clone(); 64]), "other_targets");
        let mut mixed = apart();
        mixed.other_targets[1].file_system = Some("xfs".to_owned());
        assert_eq!(mixed.file_systems().as_deref(), Some("ext4, xfs"));
    }

    #[test]
    fn trailing_bytes_are_refused() {
        let mut bytes = document("Example", 1.0, PublicKey([7; 32])).to_json();
        bytes.extend(b"{}");
        assert!(ResultDocument::from_json(&bytes).is_err());
    }
}
