//! How a figure was measured: everything that must be equal before two figures may be compared.
//!
//! A method's id is made of its parameters, never of a test's name: "Seq Q32T1" is 128 KiB in one
//! version of a tool and 1 MiB in another.

use crate::units::{format_count, format_size, parse_size, size_token};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// Order and direction of the I/Os of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Sequential reads.
    SeqRead,
    /// Sequential writes.
    SeqWrite,
    /// Reads at uniformly distributed block-aligned offsets.
    RandRead,
    /// Writes at uniformly distributed block-aligned offsets.
    RandWrite,
}

impl Pattern {
    /// All patterns in the order of a review's table.
    pub const ALL: [Self; 4] = [Self::SeqRead, Self::SeqWrite, Self::RandRead, Self::RandWrite];

    /// The word in identifiers, `seq-read`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::SeqRead => "seq-read",
            Self::SeqWrite => "seq-write",
            Self::RandRead => "rand-read",
            Self::RandWrite => "rand-write",
        }
    }

    /// Whether the pattern writes to the drive.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::SeqWrite | Self::RandWrite)
    }

    /// Whether the pattern goes through the span in order.
    #[must_use]
    pub fn sequential(self) -> bool {
        matches!(self, Self::SeqRead | Self::SeqWrite)
    }
}

/// What is written, and what the test file holds before a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataKind {
    /// Incompressible, every block different.
    Random,
    /// Only zeros: drives, arrays and file systems that compress or merge answer faster than they can.
    Zero,
    /// One random buffer again and again, as CrystalDiskMark writes.
    Repeat,
    /// The content of a file that was there before; nothing is known about it.
    Existing,
}

impl DataKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Random, Self::Zero, Self::Repeat, Self::Existing];

    /// The word in identifiers, `random`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Zero => "zero",
            Self::Repeat => "repeat",
            Self::Existing => "existing",
        }
    }

    /// What must be said beside a figure of such data; `None` for random data, which all figures have unless
    /// something else is said.
    #[must_use]
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Random => None,
            Self::Zero => Some("zero data"),
            Self::Repeat => Some("repeated data"),
            Self::Existing => Some("existing data"),
        }
    }
}

/// The parameters of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Order and direction.
    pub pattern: Pattern,
    /// Bytes per I/O; a multiple of 512 from 512 B to 64 MiB.
    pub block_bytes: u32,
    /// I/Os in flight per thread; 1 to 4096.
    pub queue_depth: u32,
    /// Threads, each with its own ring and `queue_depth`; 1 to 64.
    pub threads: u32,
    /// Bytes of the file or device that offsets are taken from.
    pub span_bytes: u64,
    /// What the blocks hold.
    pub data: DataKind,
    /// Length of a loop in seconds; 1 to 86,400.
    pub seconds: u32,
    /// Loops whose figures count; 1 to 1,000.
    pub loops: u32,
    /// Full loops run before them and kept, but not counted; 0 to 100.
    pub discarded_loops: u32,
    /// Pause before each cell in seconds; 0 to 3,600.
    pub interval_seconds: u32,
}

/// The major version of the method definitions: figures of different ones are not comparable.
pub const METHOD_VERSION: u32 = 1;

impl Method {
    /// Whether every parameter lies in its range and the span holds at least one block a thread.
    #[must_use]
    pub fn in_range(&self) -> bool {
        self.block_bytes.is_multiple_of(512)
            && (512..=64 << 20).contains(&self.block_bytes)
            && (1..=4096).contains(&self.queue_depth)
            && (1..=64).contains(&self.threads)
            && self.span_bytes / u64::from(self.threads.max(1)) >= u64::from(self.block_bytes)
            && (1..=86_400).contains(&self.seconds)
            && (1..=1_000).contains(&self.loops)
            && self.discarded_loops <= 100
            && self.interval_seconds <= 3_600
    }

    /// What does not stand in the label: data, span, times and pauses, `zero data, 64 MiB, 2 loops of 1 s and 1
    /// discarded, 5 s apart`.
    #[must_use]
    pub fn conditions(&self) -> String {
        let pause = match self.interval_seconds {
            0 => "no pauses".to_owned(),
            seconds => format!("{seconds} s apart"),
        };
        let (data, span) = (self.data.token(), format_size(self.span_bytes));
        format!("{data} data, {span}, {}, {pause}", self.times())
    }

    /// How often and how long the cell is measured: `5 loops of 5 s and 1 discarded`.
    #[must_use]
    pub fn times(&self) -> String {
        let discarded = match self.discarded_loops {
            0 => String::new(),
            count => format!(" and {count} discarded"),
        };
        format!("{} of {} s{discarded}", format_count(self.loops.into(), "loop"), self.seconds)
    }

    /// The id that two comparable figures share.
    #[must_use]
    pub fn id(&self) -> MethodId {
        MethodId(self.clone())
    }

    /// The part of the id that names the cell in metrics: `seq-read.1MiB.q8.t1`.
    #[must_use]
    pub fn cell(&self) -> String {
        let Self { pattern, block_bytes, queue_depth, threads, .. } = self;
        format!("{}.{}.q{queue_depth}.t{threads}", pattern.token(), size_token(u64::from(*block_bytes)))
    }

    /// The name readers know from reviews, with the direction: `SEQ1M Q8T1 read`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.short_label(), if self.pattern.writes() { "write" } else { "read" })
    }

    /// The name without the direction: `RND4K Q32T1`.
    #[must_use]
    pub fn short_label(&self) -> String {
        let order = if self.pattern.sequential() { "SEQ" } else { "RND" };
        let size = size_token(u64::from(self.block_bytes));
        let size = size.strip_suffix("iB").unwrap_or(&size);
        format!("{order}{size} Q{}T{}", self.queue_depth, self.threads)
    }
}

/// A method written as text, `seq-read.1MiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v1`:
/// pattern, block, queue depth, threads, span, data, loops x seconds, discarded loops, pause, version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodId(Method);

impl MethodId {
    /// The parameters it is made of.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.0
    }
}

impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Method { span_bytes, data, seconds, loops, discarded_loops, interval_seconds, .. } = &self.0;
        write!(
            f,
            "{}.span{}.{}.{loops}x{seconds}s.warm{discarded_loops}.gap{interval_seconds}s.v{METHOD_VERSION}",
            self.0.cell(),
            size_token(*span_bytes),
            data.token(),
        )
    }
}

/// Why a text is no method id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no method id; they look like seq-read.1MiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v{METHOD_VERSION}"
)]
pub struct MethodIdError(pub String);

impl FromStr for MethodId {
    type Err = MethodIdError;

    fn from_str(text: &str) -> Result<Self, MethodIdError> {
        parse_method(text)
            .filter(|method| method.id().to_string() == text)
            .map(Self)
            .ok_or_else(|| MethodIdError(text.to_owned()))
    }
}

fn parse_method(text: &str) -> Option<Method> {
    let parts: Vec<&str> = text.split('.').collect();
    let [pattern, block, depth, threads, span, data, times, warm, gap, version] = parts.as_slice() else {
        return None;
    };
    let (loops, seconds) = times.strip_suffix('s')?.split_once('x')?;
    let method = Method {
        pattern: Pattern::ALL.into_iter().find(|p| p.token() == *pattern)?,
        block_bytes: parse_size(block).ok()?.try_into().ok()?,
        queue_depth: depth.strip_prefix('q')?.parse().ok()?,
        threads: threads.strip_prefix('t')?.parse().ok()?,
        span_bytes: parse_size(span.strip_prefix("span")?).ok()?,
        data: DataKind::ALL.into_iter().find(|d| d.token() == *data)?,
        seconds: seconds.parse().ok()?,
        loops: loops.parse().ok()?,
        discarded_loops: warm.strip_prefix("warm")?.parse().ok()?,
        interval_seconds: gap.strip_prefix("gap")?.strip_suffix('s')?.parse().ok()?,
    };
    (*version == format!("v{METHOD_VERSION}") && method.in_range()).then_some(method)
}

impl Serialize for MethodId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MethodId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for MethodId {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new().schema_type(utoipa::openapi::schema::Type::String).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for MethodId {}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq1m() -> Method {
        Method {
            pattern: Pattern::SeqRead,
            block_bytes: 1 << 20,
            queue_depth: 8,
            threads: 1,
            span_bytes: 1 << 30,
            data: DataKind::Random,
            seconds: 5,
            loops: 5,
            discarded_loops: 1,
            interval_seconds: 5,
        }
    }

    #[test]
    fn ids_name_every_parameter_and_read_back() {
        let id = seq1m().id();
        assert_eq!(id.to_string(), "seq-read.1MiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v1");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(seq1m().cell(), "seq-read.1MiB.q8.t1");
        assert_eq!(seq1m().label(), "SEQ1M Q8T1 read");
        let small = Method { pattern: Pattern::RandWrite, block_bytes: 4096, queue_depth: 32, ..seq1m() };
        assert_eq!(small.label(), "RND4K Q32T1 write");
    }

    #[test]
    fn conditions_are_what_the_label_leaves_out() {
        assert_eq!(seq1m().conditions(), "random data, 1 GiB, 5 loops of 5 s and 1 discarded, 5 s apart");
        let short = Method {
            data: DataKind::Zero,
            span_bytes: 64 << 20,
            loops: 1,
            seconds: 1,
            discarded_loops: 0,
            interval_seconds: 0,
            ..seq1m()
        };
        assert_eq!(short.conditions(), "zero data, 64 MiB, 1 loop of 1 s, no pauses");
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in [
            "",
            "seq-read.1MiB.q8.t1",
            "seq-read.1024KiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v1",
            "seq-read.1MiB.q0.t1.span1GiB.random.5x5s.warm1.gap5s.v1",
            "seq-read.1MiB.q+8.t1.span1GiB.random.5x5s.warm1.gap5s.v1",
            "seq-read.1MiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v2",
        ] {
            assert!(bad.parse::<MethodId>().is_err(), "{bad}");
        }
    }
}
