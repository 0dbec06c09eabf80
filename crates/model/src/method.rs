//! How a figure was measured: everything that must be equal before two figures may be compared.
//!
//! A method's id is made of its parameters, never of a test's name: "Seq Q32T1" is 128 KiB in one
//! version of a tool and 1 MiB in another.

use crate::units::{
    Nanos, format_capacity, format_clock, format_count, format_seconds, format_size, parse_size, size_token,
};
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
    /// Reads and writes at uniformly distributed block-aligned offsets, chosen one by one by a share.
    RandMix,
}

impl Pattern {
    /// All patterns in the order of a review's table.
    pub const ALL: [Self; 5] =
        [Self::SeqRead, Self::SeqWrite, Self::RandRead, Self::RandWrite, Self::RandMix];

    /// The word in identifiers, `seq-read`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::SeqRead => "seq-read",
            Self::SeqWrite => "seq-write",
            Self::RandRead => "rand-read",
            Self::RandWrite => "rand-write",
            Self::RandMix => "rand-mix",
        }
    }

    /// Whether the pattern writes to the drive.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::SeqWrite | Self::RandWrite | Self::RandMix)
    }

    /// Whether the pattern reads from the drive.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::SeqRead | Self::RandRead | Self::RandMix)
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

/// When a loop is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// After its seconds.
    #[default]
    Time,
    /// After an amount of data, at most after its seconds.
    Bytes(Stretches),
    /// After its seconds; no more loops are run as soon as both steady-state rules hold over the last of them.
    Steady,
}

/// Loops that go through parts of the span once, in order: loop number k, from 0, begins at k/loops of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stretches {
    /// Bytes of a loop, whole blocks.
    pub loop_bytes: u64,
    /// Pause between two loops in seconds, during which the drive is left alone; 0 to 3,600.
    pub rest_seconds: u32,
    /// When a loop is over although bytes are left; `None` for never.
    pub settles: Option<Settles>,
    /// Whether the cell is over as soon as a loop has slowed down; the number of loops is then the most there may be.
    /// The bytes of its loops are those that a continuous write before it took fast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_slow: bool,
}

/// A loop has nothing more to show when its speed has not changed for good over so many bytes and so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Settles {
    /// Bytes without a change.
    pub bytes: u64,
    /// Seconds without a change; 1 to 86,400.
    pub seconds: u32,
}

/// A second stream of random I/Os of another size, from a thread of its own, that reads and writes by the same share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// Bytes per I/O; a multiple of 512 from 512 B to 64 MiB.
    pub block_bytes: u32,
    /// I/Os in flight; 1 to 4096.
    pub queue_depth: u32,
}

/// How much of a drive was made to hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// A share of the file system or device, percent, 0 to 95.
    Percent(u8),
    /// Bytes, at least 1 MiB.
    Bytes(u64),
}

impl Fill {
    /// Whether it lies in its range.
    #[must_use]
    pub fn in_range(self) -> bool {
        match self {
            Self::Percent(percent) => percent <= 95,
            Self::Bytes(bytes) => bytes >= 1 << 20,
        }
    }

    /// Bytes that hold data then on a drive that holds so many.
    #[must_use]
    pub fn of(self, total_bytes: u64) -> u64 {
        match self {
            Self::Percent(percent) => total_bytes / 100 * u64::from(percent),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The word in identifiers, `fill50` or `fill200GiB`.
    #[must_use]
    pub fn token(self) -> String {
        match self {
            Self::Percent(percent) => format!("fill{percent}"),
            Self::Bytes(bytes) => format!("fill{}", size_token(bytes)),
        }
    }

    /// Reads what follows `fill` in [`Fill::token`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(percent) => Some(Self::Percent(percent)),
            Err(_) => parse_size(text).ok().map(Self::Bytes),
        }
    }
}

impl fmt::Display for Fill {
    /// How much it is: `50 %`, `200 GB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent} %"),
            Self::Bytes(bytes) => f.write_str(&format_capacity(*bytes)),
        }
    }
}

/// The state that the drive was brought into for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// How much of the file system or device held data; `None` when it was left as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Whether unused blocks were handed back to the drive (trimmed) right before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trimmed: bool,
    /// Rest right before in seconds, that it might recover, 0 to 7,200.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rested_seconds: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Before {
    /// Whether nothing was done.
    #[must_use]
    pub fn is_as_found(&self) -> bool {
        *self == Self::default()
    }

    /// The state for readers: `50 % in use, trimmed`; `as it was` when nothing was done.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = [
            self.fill.map(|fill| format!("{fill} in use")),
            self.trimmed.then(|| "trimmed".to_owned()),
            (self.rested_seconds > 0).then(|| format!("after {} of rest", short_clock(self.rested_seconds))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "as it was".to_owned() } else { parts.join(", ") }
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
    /// Length of a loop in seconds, of one that ends by bytes the most it may take; 1 to 86,400.
    pub seconds: u32,
    /// Loops whose figures count, when the cell ends as soon as it is steady the most there may be; 1 to 1,000.
    pub loops: u32,
    /// Full loops run before them and kept, but not counted; 0 to 100.
    pub discarded_loops: u32,
    /// Pause before each cell in seconds; 0 to 3,600.
    pub interval_seconds: u32,
    /// Share of the I/Os that read, percent, 1 to 99; `None` unless the pattern mixes both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_percent: Option<u8>,
    /// I/Os of another size beside these; `None` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// When a loop is over.
    #[serde(default, skip_serializing_if = "is_time")]
    pub ends: Ends,
    /// The state that the drive was brought into.
    #[serde(default, skip_serializing_if = "Before::is_as_found")]
    pub before: Before,
    /// Drives that work together, 1 to 64, where their number is what is looked at; `None` elsewhere. As one array:
    /// span, threads and queue depth are the array's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<u8>,
    /// Whether these drives are no array, but each has a file or device of its own, on which span, threads and queue
    /// depth are its own: drives without a RAID between them (JBOD), the most that an array of them could reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
}

fn is_time(ends: &Ends) -> bool {
    *ends == Ends::Time
}

/// The major version of the method definitions: figures of different ones are not comparable.
pub const METHOD_VERSION: u32 = 1;

impl Method {
    /// A plain cell, from which others are written as far as they differ: a loop of five seconds of random reads of
    /// 4 KiB, one at a time, in 1 GiB of random data.
    pub const PLAIN: Self = Self {
        pattern: Pattern::RandRead,
        block_bytes: 4096,
        queue_depth: 1,
        threads: 1,
        span_bytes: 1 << 30,
        data: DataKind::Random,
        seconds: 5,
        loops: 1,
        discarded_loops: 0,
        interval_seconds: 0,
        read_percent: None,
        beside: None,
        ends: Ends::Time,
        before: Before { fill: None, trimmed: false, rested_seconds: 0 },
        members: None,
        apart: false,
    };

    /// Whether every parameter lies in its range and the span holds at least one block a thread.
    #[must_use]
    pub fn in_range(&self) -> bool {
        is_block(self.block_bytes)
            && (1..=4096).contains(&self.queue_depth)
            && (1..=64).contains(&self.threads)
            && self.span_bytes / u64::from(self.threads.max(1)) >= u64::from(self.block_bytes)
            && (1..=86_400).contains(&self.seconds)
            && (1..=1_000).contains(&self.loops)
            && self.discarded_loops <= 100
            && self.interval_seconds <= 3_600
            && self.ends_in_range()
            && self.before.fill.is_none_or(Fill::in_range)
            && self.before.rested_seconds <= 7_200
            && self.members.is_none_or(|members| (1..=64).contains(&members))
            && (!self.apart || self.can_be_apart())
            && match self.read_percent {
                Some(percent) => self.pattern == Pattern::RandMix && (1..=99).contains(&percent),
                None => self.pattern != Pattern::RandMix,
            }
            && self.beside.is_none_or(|beside| {
                !self.pattern.sequential()
                    && self.threads == 1
                    && is_block(beside.block_bytes)
                    && (1..=4096).contains(&beside.queue_depth)
                    && self.span_bytes >= u64::from(beside.block_bytes)
            })
    }

    /// Whether several drives can do it each on a target of its own: their number is what is looked at, and each loop
    /// is a load of one kind that ends by time on a drive in the state it was found in.
    #[must_use]
    pub fn can_be_apart(&self) -> bool {
        self.members.is_some()
            && self.beside.is_none()
            && matches!(self.ends, Ends::Time | Ends::Steady)
            && self.before.is_as_found()
    }

    /// Drives that each have a target of their own; `None` where one target is measured.
    #[must_use]
    pub fn drives_apart(&self) -> Option<u8> {
        self.members.filter(|_| self.apart)
    }

    /// I/Os in flight of the pattern: those of all threads, on all drives.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        u64::from(self.queue_depth) * u64::from(self.threads) * u64::from(self.drives_apart().unwrap_or(1))
    }

    fn ends_in_range(&self) -> bool {
        match self.ends {
            Ends::Time | Ends::Steady => true,
            Ends::Bytes(Stretches { loop_bytes, rest_seconds, settles, until_slow: _ }) => {
                // One thread keeps the bytes of a stretch in one piece.
                self.pattern.sequential()
                    && self.threads == 1
                    && self.discarded_loops == 0
                    && loop_bytes > 0
                    && loop_bytes.is_multiple_of(u64::from(self.block_bytes))
                    && loop_bytes <= self.span_bytes / u64::from(self.loops.max(1))
                    && rest_seconds <= 3_600
                    && settles.is_none_or(|one| one.bytes > 0 && (1..=86_400).contains(&one.seconds))
            }
        }
    }

    /// The stretches that its loops go through; `None` for loops that end by time.
    #[must_use]
    pub fn stretches(&self) -> Option<&Stretches> {
        match &self.ends {
            Ends::Bytes(stretches) => Some(stretches),
            Ends::Time | Ends::Steady => None,
        }
    }

    /// Where the loop at `number`, from 0, begins in the span, bytes; 0 for loops that end by time.
    #[must_use]
    pub fn stretch_begin(&self, number: u32) -> u64 {
        let block = u64::from(self.block_bytes.max(1));
        let step = self.span_bytes / u64::from(self.loops.max(1));
        self.stretches().map_or(0, |_| step / block * block * u64::from(number))
    }

    /// Whether it writes the span from its beginning without leaving anything out, so that no block need hold data
    /// before: the span is not filled for it.
    #[must_use]
    pub fn writes_fresh(&self) -> bool {
        self.pattern == Pattern::SeqWrite
            && self.stretches().is_some_and(|one| {
                self.span_bytes / u64::from(self.loops) - one.loop_bytes < u64::from(self.block_bytes)
            })
    }

    /// Whether it writes the span in parts with a rest after each.
    #[must_use]
    pub fn is_bursts(&self) -> bool {
        self.writes_fresh() && self.loops > 1 && self.stretches().is_some_and(|one| one.rest_seconds > 0)
    }

    /// Whether it measures speed at many places of the span, which may touch each other.
    #[must_use]
    pub fn is_surface(&self) -> bool {
        self.stretches().is_some() && self.loops > 1 && !self.is_bursts()
    }

    /// What does not stand in the label: data, span, times and pauses, `zero data, 64 MiB, 2 loops of 1 s and 1
    /// discarded, 5 s apart`.
    #[must_use]
    pub fn conditions(&self) -> String {
        let pause = match self.interval_seconds {
            0 => "no pauses".to_owned(),
            seconds => format!("{} apart", format_seconds(seconds)),
        };
        let (data, span) = (self.data.token(), format_size(self.span_bytes));
        let whose = self.whose_queue().map_or_else(String::new, |whose| format!(", {whose}"));
        format!("{data} data, {span}, {}, {pause}{whose}", self.times())
    }

    /// Whether size, threads and queue depth are those of an array or of each of its drives; `None` where no number of
    /// drives is looked at.
    #[must_use]
    pub fn whose_queue(&self) -> Option<&'static str> {
        self.members.map(|_| match self.apart {
            false => "size, threads and queue depth of the array as a whole",
            true => "size, threads and queue depth of each drive",
        })
    }

    /// How often and how long the cell is measured: `5 loops of 5 s and 1 discarded`.
    #[must_use]
    pub fn times(&self) -> String {
        let loops = format_count(self.loops.into(), "loop");
        match self.ends {
            Ends::Time => {
                let discarded = match self.discarded_loops {
                    0 => String::new(),
                    count => format!(" and {count} discarded"),
                };
                format!("{loops} of {}{discarded}", format_seconds(self.seconds))
            }
            Ends::Steady => format!("at most {loops} of {}, until steady", format_seconds(self.seconds)),
            Ends::Bytes(Stretches { loop_bytes, rest_seconds, settles, until_slow }) => {
                let (bytes, limit) = (format_capacity(loop_bytes), format_clock(self.longest_loop()));
                let rest = match rest_seconds {
                    0 => String::new(),
                    seconds => format!(", {} of rest between", format_seconds(seconds)),
                };
                let settles = settles.map_or_else(String::new, |one| {
                    format!(
                        ", or until nothing changes for {} and {}",
                        format_capacity(one.bytes),
                        format_clock(Nanos::from_secs(one.seconds.into()))
                    )
                });
                let slow = if until_slow { ", until one slows down" } else { "" };
                format!("{loops} of {bytes} or at most {limit}{rest}{settles}{slow}")
            }
        }
    }

    /// How long one loop is, `5 s` or `100 GB, at most 1 h 00 min`.
    #[must_use]
    pub fn each(&self) -> String {
        match self.stretches() {
            Some(one) => {
                format!("{}, at most {}", format_capacity(one.loop_bytes), format_clock(self.longest_loop()))
            }
            None => format_seconds(self.seconds),
        }
    }

    /// The time of a loop, of one that ends by bytes the most it may take.
    #[must_use]
    pub fn longest_loop(&self) -> Nanos {
        Nanos::from_secs(self.seconds.into())
    }

    /// Whether a figure of the whole cell may be divided by one of another method: the mean of a continuous write depends
    /// on how far it went, and one that ends when nothing changes any more goes as far as the drive makes it. What such
    /// a write shows are its stages.
    #[must_use]
    pub fn means_alike(&self, other: &Self) -> bool {
        let once = |method: &Self| method.stretches().is_some() && method.loops == 1;
        let settles = |method: &Self| method.stretches().is_some_and(|one| one.settles.is_some());
        if once(self) || once(other) {
            return self == other && !settles(self);
        }
        self.compared() == other.compared()
    }

    /// What must be equal for two figures to be comparable. How far a loop that goes through the span once may go is
    /// no part of it: that depends on the drive's size, and what it shows does not.
    #[must_use]
    pub fn compared(&self) -> Self {
        match self.ends {
            Ends::Bytes(one) if self.loops == 1 => {
                let ends = Ends::Bytes(Stretches { loop_bytes: 0, ..one });
                Self { span_bytes: 0, seconds: 0, ends, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// Every parameter, so that equal figures were measured alike.
    #[must_use]
    pub fn id(&self) -> MethodId {
        MethodId(self.clone())
    }

    /// The part of the id that names the cell in metrics: `seq-read.1MiB.q8.t1`. What makes it another test for
    /// readers is added: a share of reads, a second stream, loops of two minutes and more, loops that end by bytes or
    /// when steady, a state before.
    #[must_use]
    pub fn cell(&self) -> String {
        let Self { pattern, block_bytes, queue_depth, threads, .. } = self;
        let share = self.read_percent.map_or_else(String::new, |percent| percent.to_string());
        let size = size_token(u64::from(*block_bytes));
        let mut cell = format!("{}{share}.{size}.q{queue_depth}.t{threads}", pattern.token());
        if let Some(Beside { block_bytes, queue_depth }) = self.beside {
            cell.push_str(&format!(".with{}q{queue_depth}", size_token(block_bytes.into())));
        }
        match self.ends {
            Ends::Time if self.seconds < LONG_SECONDS => {}
            Ends::Time => cell.push_str(&format!(".{}s", self.seconds)),
            Ends::Steady => cell.push_str(".steady"),
            Ends::Bytes(_) if self.loops == 1 => cell.push_str(".once"),
            Ends::Bytes(_) => cell.push_str(&format!(".parts{}", self.loops)),
        }
        if let Some(fill) = self.before.fill {
            cell.push_str(&format!(".{}", fill.token()));
        }
        if self.before.trimmed {
            cell.push_str(".trimmed");
        }
        if self.before.rested_seconds > 0 {
            cell.push_str(&format!(".rested{}s", self.before.rested_seconds));
        }
        if let Some(members) = self.members {
            cell.push_str(&format!(".drives{members}"));
        }
        if self.apart {
            cell.push_str(".apart");
        }
        cell
    }

    /// The name readers know from reviews, with the direction: `SEQ1M Q8T1 read`, and what is not as usual:
    /// `RND4K Q32T1 50 % read, 30 min`.
    #[must_use]
    pub fn label(&self) -> String {
        let direction = match self.read_percent {
            Some(percent) => format!("{percent} % read"),
            None if self.pattern.writes() => "write".to_owned(),
            None => "read".to_owned(),
        };
        format!("{} {direction}{}", self.short_label(), self.particulars())
    }

    /// What the label adds to a plain cell's, `, 30 min`; empty for a plain cell.
    #[must_use]
    pub fn particulars(&self) -> String {
        let mut text = match self.ends {
            Ends::Time if self.seconds < LONG_SECONDS => String::new(),
            Ends::Time => format!(", {}", short_clock(self.seconds)),
            Ends::Steady => ", until steady".to_owned(),
            Ends::Bytes(_) if self.loops == 1 => ", once through".to_owned(),
            Ends::Bytes(one) if self.is_bursts() => {
                let most = if one.until_slow { "up to " } else { "" };
                format!(", {most}{} bursts of {}", self.loops, format_capacity(one.loop_bytes))
            }
            Ends::Bytes(_) => format!(", {} places", self.loops),
        };
        if !self.before.is_as_found() {
            text.push_str(&format!(", {}", self.before.text()));
        }
        if let Some(members) = self.members {
            text.push_str(&format!(", {}", format_count(members.into(), "drive")));
        }
        match (self.apart, self.members) {
            // A drive alone is neither apart nor together.
            (false, _) | (true, Some(1)) => {}
            (true, Some(_)) => text.push_str(" apart"),
            (true, None) => text.push_str(", drives apart"),
        }
        text
    }

    /// What cells over queue depths have in common: all but the depth, and the lengths of loops and pauses, since a
    /// result has one cell for a depth, from whichever of its suites.
    #[must_use]
    pub fn without_depth(&self) -> Self {
        Self { queue_depth: 1, loops: 1, seconds: 1, discarded_loops: 0, interval_seconds: 0, ..self.clone() }
    }

    /// The I/Os in flight, where it is a place on a curve over them: one thread, one stream, and nothing that its label
    /// would have to add; `None` elsewhere.
    #[must_use]
    pub fn place_by_depth(&self) -> Option<u32> {
        let plain = self.threads == 1 && self.beside.is_none() && self.particulars().is_empty();
        plain.then_some(self.queue_depth)
    }

    /// What the loads of a matrix of small and large I/Os have in common: all but the sizes and the numbers in flight.
    #[must_use]
    pub fn without_load(&self) -> Self {
        Self { block_bytes: Self::PLAIN.block_bytes, queue_depth: 1, beside: None, ..self.clone() }
    }

    /// What cells over numbers of drives have in common: all but the members. Of drives apart it still says so, and is
    /// no method that could be measured.
    #[must_use]
    pub fn without_members(&self) -> Self {
        Self { members: None, ..self.clone() }
    }

    /// How many drives work together, `4`, `4 apart`; `1` where nothing is said of them.
    #[must_use]
    pub fn members_text(&self) -> String {
        let apart = if self.apart { " apart" } else { "" };
        format!("{}{apart}", self.members.unwrap_or(1))
    }

    /// The name of what [`Self::without_members`] has in common, without a word on the drives: `SEQ1M Q8T1 read`.
    #[must_use]
    pub fn label_without_members(&self) -> String {
        Self { members: None, apart: false, ..self.clone() }.label()
    }

    /// The name of what [`Self::without_depth`] has in common, of one thread: `RND4K Read`.
    #[must_use]
    pub fn label_without_depth(&self) -> String {
        self.label().replacen(&format!(" Q{}T1", self.queue_depth), "", 1)
    }

    /// The name without the direction: `RND4K Q32T1`.
    #[must_use]
    pub fn short_label(&self) -> String {
        let order = if self.pattern.sequential() { "SEQ" } else { "RND" };
        let beside = self.beside.map_or_else(String::new, |beside| {
            format!(" + RND{} Q{}", short_size(beside.block_bytes), beside.queue_depth)
        });
        format!("{order}{} Q{}T{}{beside}", short_size(self.block_bytes), self.queue_depth, self.threads)
    }
}

/// Loops from this length on, in seconds, have a course, a first and a last minute, and are a test of their own.
pub const LONG_SECONDS: u32 = 120;

fn is_block(bytes: u32) -> bool {
    bytes.is_multiple_of(512) && (512..=64 << 20).contains(&bytes)
}

/// A block size without its last letters: `4K`.
fn short_size(bytes: u32) -> String {
    let size = size_token(bytes.into());
    size.strip_suffix("iB").unwrap_or(&size).to_owned()
}

/// A length in the greatest unit that it is a multiple of: `90 s`, `30 min`, `2 h`.
fn short_clock(seconds: u32) -> String {
    match seconds {
        whole if whole.is_multiple_of(3_600) => format!("{} h", whole / 3_600),
        whole if whole.is_multiple_of(60) => format!("{} min", whole / 60),
        other => format_seconds(other),
    }
}

/// A method written as text, `seq-read.1MiB.q8.t1.span1GiB.random.5x5s.warm1.gap5s.v1`:
/// cell, span, data, loops x seconds, discarded loops, pause, version. Loops that end by bytes name them, the most
/// seconds, the rest between them and when they settle:
/// `seq-write.1MiB.q8.t1.parts4.span4GiB.random.4x1GiB-60s.warm0.gap5s.rest10s.settles1GiB-30s.v1`.
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
        write!(f, "{}.span{}.{}.{loops}x", self.0.cell(), size_token(*span_bytes), data.token())?;
        if let Some(one) = self.0.stretches() {
            write!(f, "{}-", size_token(one.loop_bytes))?;
        }
        write!(f, "{seconds}s.warm{discarded_loops}.gap{interval_seconds}s")?;
        if let Some(Stretches { rest_seconds, settles, until_slow, .. }) = self.0.stretches() {
            if *rest_seconds > 0 {
                write!(f, ".rest{rest_seconds}s")?;
            }
            if let Some(Settles { bytes, seconds }) = settles {
                write!(f, ".settles{}-{seconds}s", size_token(*bytes))?;
            }
            if *until_slow {
                f.write_str(".untilslow")?;
            }
        }
        write!(f, ".v{METHOD_VERSION}")
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
            .filter(|method| method.in_range() && method.id().to_string() == text)
            .map(Self)
            .ok_or_else(|| MethodIdError(text.to_owned()))
    }
}

/// Reads what the text holds. That it holds nothing else, and in this order, is for the caller to see by writing it
/// again.
fn parse_method(text: &str) -> Option<Method> {
    let mut parts = text.split('.');
    let (pattern, read_percent) = parse_pattern(parts.next()?)?;
    let mut method = Method {
        pattern,
        block_bytes: parse_size(parts.next()?).ok()?.try_into().ok()?,
        queue_depth: parts.next()?.strip_prefix('q')?.parse().ok()?,
        threads: parts.next()?.strip_prefix('t')?.parse().ok()?,
        read_percent,
        ..Method::PLAIN
    };
    for part in parts.by_ref() {
        if let Some(span) = part.strip_prefix("span") {
            method.span_bytes = parse_size(span).ok()?;
            break;
        } else if let Some((block, depth)) = part.strip_prefix("with").and_then(|rest| rest.split_once('q')) {
            let block_bytes = parse_size(block).ok()?.try_into().ok()?;
            method.beside = Some(Beside { block_bytes, queue_depth: depth.parse().ok()? });
        } else if let Some(fill) = part.strip_prefix("fill") {
            method.before.fill = Some(Fill::parse(fill)?);
        } else if let Some(rested) = part.strip_prefix("rested") {
            method.before.rested_seconds = rested.strip_suffix('s')?.parse().ok()?;
        } else if let Some(members) = part.strip_prefix("drives") {
            method.members = Some(members.parse().ok()?);
        } else if part == "apart" {
            method.apart = true;
        } else if part == "trimmed" {
            method.before.trimmed = true;
        } else if part == "steady" {
            method.ends = Ends::Steady;
        }
        // `once`, `parts4` and `1800s` repeat what follows.
    }
    let data = parts.next()?;
    method.data = DataKind::ALL.into_iter().find(|d| d.token() == data)?;
    let (loops, length) = parts.next()?.strip_suffix('s')?.split_once('x')?;
    method.loops = loops.parse().ok()?;
    let mut stretches = None;
    method.seconds = match length.split_once('-') {
        Some((bytes, seconds)) => {
            stretches = Some(Stretches {
                loop_bytes: parse_size(bytes).ok()?,
                rest_seconds: 0,
                settles: None,
                until_slow: false,
            });
            seconds.parse().ok()?
        }
        None => length.parse().ok()?,
    };
    method.discarded_loops = parts.next()?.strip_prefix("warm")?.parse().ok()?;
    method.interval_seconds = parts.next()?.strip_prefix("gap")?.strip_suffix('s')?.parse().ok()?;
    for part in parts {
        if let Some(rest) = part.strip_prefix("rest") {
            stretches.as_mut()?.rest_seconds = rest.strip_suffix('s')?.parse().ok()?;
        } else if let Some(settles) = part.strip_prefix("settles") {
            let (bytes, seconds) = settles.strip_suffix('s')?.split_once('-')?;
            let settles = Settles { bytes: parse_size(bytes).ok()?, seconds: seconds.parse().ok()? };
            stretches.as_mut()?.settles = Some(settles);
        } else if part == "untilslow" {
            stretches.as_mut()?.until_slow = true;
        }
    }
    if let Some(stretches) = stretches {
        method.ends = Ends::Bytes(stretches);
    }
    Some(method)
}

/// A pattern with its share of reads, `rand-mix50`.
fn parse_pattern(text: &str) -> Option<(Pattern, Option<u8>)> {
    if let Some(percent) = text.strip_prefix(Pattern::RandMix.token()) {
        return Some((Pattern::RandMix, Some(percent.parse().ok()?)));
    }
    Some((Pattern::ALL.into_iter().find(|pattern| pattern.token() == text)?, None))
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
            ..Method::PLAIN
        }
    }

    fn stretches(loops: u32, rest_seconds: u32, settles: Option<Settles>) -> Method {
        let loop_bytes = (1 << 30) / u64::from(loops);
        Method {
            pattern: Pattern::SeqWrite,
            seconds: 60,
            loops,
            discarded_loops: 0,
            ends: Ends::Bytes(Stretches { loop_bytes, rest_seconds, settles, until_slow: false }),
            ..seq1m()
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
    fn what_is_not_plain_is_named_too() {
        let mix = Method {
            pattern: Pattern::RandMix,
            block_bytes: 4096,
            queue_depth: 32,
            seconds: 1_800,
            loops: 1,
            discarded_loops: 0,
            read_percent: Some(50),
            ..seq1m()
        };
        let matrix = Method {
            beside: Some(Beside { block_bytes: 1 << 20, queue_depth: 2 }),
            block_bytes: 8192,
            queue_depth: 5,
            ..mix.clone()
        };
        let settles = Some(Settles { bytes: 60 << 20, seconds: 30 });
        let full = Before { fill: Some(Fill::Percent(90)), trimmed: true, rested_seconds: 60 };
        for (method, id, label) in [
            (
                mix.clone(),
                "rand-mix50.4KiB.q32.t1.1800s.span1GiB.random.1x1800s.warm0.gap5s.v1",
                "RND4K Q32T1 50 % read, 30 min",
            ),
            (
                matrix,
                "rand-mix50.8KiB.q5.t1.with1MiBq2.1800s.span1GiB.random.1x1800s.warm0.gap5s.v1",
                "RND8K Q5T1 + RND1M Q2 50 % read, 30 min",
            ),
            (
                stretches(1, 0, settles),
                "seq-write.1MiB.q8.t1.once.span1GiB.random.1x1GiB-60s.warm0.gap5s.settles60MiB-30s.v1",
                "SEQ1M Q8T1 write, once through",
            ),
            (
                stretches(4, 10, None),
                "seq-write.1MiB.q8.t1.parts4.span1GiB.random.4x256MiB-60s.warm0.gap5s.rest10s.v1",
                "SEQ1M Q8T1 write, 4 bursts of 268 MB",
            ),
            (
                Method { ends: Ends::Steady, loops: 25, seconds: 60, before: full, ..mix.clone() },
                "rand-mix50.4KiB.q32.t1.steady.fill90.trimmed.rested60s.span1GiB.random.25x60s.warm0.gap5s.v1",
                "RND4K Q32T1 50 % read, until steady, 90 % in use, trimmed, after 1 min of rest",
            ),
            (
                Method { members: Some(8), ..seq1m() },
                "seq-read.1MiB.q8.t1.drives8.span1GiB.random.5x5s.warm1.gap5s.v1",
                "SEQ1M Q8T1 read, 8 drives",
            ),
            (
                Method { members: Some(2), apart: true, ..seq1m() },
                "seq-read.1MiB.q8.t1.drives2.apart.span1GiB.random.5x5s.warm1.gap5s.v1",
                "SEQ1M Q8T1 read, 2 drives apart",
            ),
        ] {
            assert!(method.in_range(), "{id}");
            assert_eq!(method.id().to_string(), id);
            assert_eq!(method.label(), label);
            assert_eq!(id.parse(), Ok(method.id()));
            let json = serde_json::to_string(&method).unwrap();
            assert_eq!(serde_json::from_str::<Method>(&json).unwrap(), method);
        }
        assert_eq!(
            stretches(4, 10, settles).times(),
            "4 loops of 268 MB or at most 1 min 00 s, 10 s of rest between, or until nothing changes for 62.91 MB and 30 s"
        );
        let mut auto = stretches(4, 10, None);
        let Ends::Bytes(one) = &mut auto.ends else { unreachable!() };
        one.until_slow = true;
        assert!(
            auto.id().to_string().ends_with(".rest10s.untilslow.v1")
                && auto.times().ends_with("until one slows down")
        );
        assert_eq!(auto.id().to_string().parse(), Ok(auto.id()));
        assert!(stretches(4, 0, None).writes_fresh() && !seq1m().writes_fresh());
        assert!(!Method { read_percent: None, ..mix }.in_range());
    }

    #[test]
    fn only_plain_cells_lie_on_a_curve_over_depths() {
        assert_eq!(seq1m().place_by_depth(), Some(8));
        let trimmed = Before { trimmed: true, ..Before::default() };
        for other in [
            Method { threads: 2, ..seq1m() },
            Method { seconds: LONG_SECONDS, ..seq1m() },
            Method { members: Some(2), ..seq1m() },
            Method { before: trimmed, ..seq1m() },
            Method { beside: Some(Beside { block_bytes: 4096, queue_depth: 1 }), ..seq1m() },
            stretches(4, 0, None),
        ] {
            assert_eq!(other.place_by_depth(), None, "{}", other.label());
        }
    }

    #[test]
    fn parts_of_the_span_lie_within_it() {
        let mut method = stretches(4, 0, None);
        let Ends::Bytes(one) = &mut method.ends else { unreachable!() };
        one.loop_bytes = 16 << 20;
        assert!(method.in_range() && !method.writes_fresh());
        assert!(method.label().ends_with(", 4 places"));
        let Ends::Bytes(one) = &mut method.ends else { unreachable!() };
        one.loop_bytes = 512 << 20;
        assert!(!method.in_range());
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
    fn whose_queue_it_is_is_said_and_only_plain_loads_have_one_on_each_drive() {
        let array = Method { members: Some(4), ..seq1m() };
        let apart = Method { apart: true, ..array.clone() };
        assert_eq!((array.in_flight(), apart.in_flight()), (8, 32));
        assert!(
            array.conditions().ends_with("queue depth of the array as a whole"),
            "{}",
            array.conditions()
        );
        assert!(apart.conditions().ends_with("queue depth of each drive"), "{}", apart.conditions());
        assert_ne!(array.without_members(), apart.without_members(), "they are no points of one line");
        assert_eq!(apart.without_members().label(), "SEQ1M Q8T1 read, drives apart");
        assert_eq!(Method { members: Some(1), ..apart.clone() }.label(), "SEQ1M Q8T1 read, 1 drive");
        for odd in [
            Method { members: None, ..apart.clone() },
            Method { before: Before { trimmed: true, ..Before::default() }, ..apart.clone() },
            Method { members: Some(2), apart: true, ..stretches(1, 0, None) },
        ] {
            assert!(!odd.in_range(), "{}", odd.cell());
        }
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
