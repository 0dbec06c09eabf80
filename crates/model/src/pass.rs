//! A pass: a workload that is no uniform load, carried out once, and what was measured of it.
//!
//! Part of the result document ([`crate::document`]): WIRE FORMAT, unknown fields are refused. Knows what must be equal
//! before two passes may be compared, and what was recorded. Does not know how operations are made or carried out.

use crate::{
    Histogram,
    document::{CellError, CellStatus, DeviceCounters, MAX_BINS, Preparation, State, Transfer},
    files::{Copying, FilesMoved, LOADING_PACK, Loading},
    labels::is_plain_text,
    method::{DataKind, Fill, METHOD_VERSION},
    proof::{Proof, VoidReason},
    units::{Nanos, format_capacity, format_clock, format_count, format_size, parse_size, size_token},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// Most passes in a document. Read, the histograms of one take 90 KiB however few bytes they had in the document.
pub const MAX_PASSES: usize = 1_000;
/// The pack of recordings that are the user's own: their names are made of what is in them.
pub const OWN_PACK: &str = "own";
/// Most seconds that passes before one are added up to.
const MAX_SECONDS_BEFORE: u32 = 10_000_000;

/// Random writes of many sizes, without end: every size as likely as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomWrites {
    /// How long, seconds; 1 to 86,400 for a pass.
    pub seconds: u32,
    /// The smallest write, bytes.
    pub least_bytes: u32,
    /// The largest write, bytes, up to 64 MiB.
    pub most_bytes: u32,
    /// What sizes and offsets are multiples of, bytes: a power of two from 512 to 65,536.
    pub unit_bytes: u32,
    /// Writes in flight; 1 to 4096.
    pub queue_depth: u32,
}

impl RandomWrites {
    fn in_range(&self, most_seconds: u32) -> bool {
        (1..=most_seconds).contains(&self.seconds)
            && self.unit_bytes.is_power_of_two()
            && (512..=65_536).contains(&self.unit_bytes)
            && (512..=self.most_bytes).contains(&self.least_bytes)
            && self.most_bytes <= 64 << 20
            && self.most_bytes >= self.unit_bytes
            && (1..=4096).contains(&self.queue_depth)
    }

    /// Sizes, unit and depth in identifiers, `4KiB-1MiB-512B-q32`.
    fn token(&self) -> String {
        let [least, most, unit] =
            [self.least_bytes, self.most_bytes, self.unit_bytes].map(|bytes| size_token(bytes.into()));
        format!("{least}-{most}-{unit}-q{}", self.queue_depth)
    }

    fn parse(seconds: &str, token: &str) -> Option<Self> {
        let mut parts = token.split('-');
        let mut size = || parse_size(parts.next()?).ok()?.try_into().ok();
        let (least_bytes, most_bytes, unit_bytes) = (size()?, size()?, size()?);
        let queue_depth = parts.next()?.strip_prefix('q')?.parse().ok()?;
        let seconds = seconds.strip_suffix('s')?.parse().ok()?;
        Some(Self { seconds, least_bytes, most_bytes, unit_bytes, queue_depth })
    }
}

/// A trace, and how it is played.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TracePlay {
    /// The pack that it belongs to, 1 to 40 of a-z, 0-9 and `-`; [`OWN_PACK`] for a recording of the user's own, every
    /// other pack consists of models.
    pub pack: String,
    /// Version of the pack: another one has other operations.
    pub version: u32,
    /// Its name in the pack, of the same letters. That of an own recording is the fingerprint of its operations: what
    /// its file was called is nobody's business.
    pub name: String,
    /// Longest idle gap that is kept, milliseconds; `None` when all are kept as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_idle_ms: Option<u32>,
    /// Percent of the recorded speed, up to 1,000,000; 0 for as fast as possible, without deadlines.
    #[serde(default = "as_recorded", skip_serializing_if = "is_as_recorded")]
    pub speed_percent: u32,
    /// What offsets and sizes are widened to multiples of, bytes, for drives with larger blocks; 512 leaves them as they
    /// are.
    #[serde(default = "as_they_are", skip_serializing_if = "is_as_they_are")]
    pub unit_bytes: u32,
}

fn as_recorded() -> u32 {
    100
}

fn as_they_are() -> u32 {
    512
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_as_they_are(bytes: &u32) -> bool {
    *bytes == as_they_are()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_as_recorded(percent: &u32) -> bool {
    *percent == as_recorded()
}

/// Names that are not written as their identifiers are.
const TITLES: [(&str, &str); 4] = [
    ("indesign", "InDesign"),
    ("after-effects", "After Effects"),
    ("powerpoint", "PowerPoint"),
    ("world-of-warcraft", "World of Warcraft"),
];

impl TracePlay {
    /// Whether it is a recording of the user's own.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.pack == OWN_PACK
    }

    /// Whether it is a model of loading, which is told by its time.
    #[must_use]
    pub fn loads(&self) -> bool {
        self.pack == LOADING_PACK
    }

    /// Its name for people, `Photoshop heavy (model)`, `recording 1a2b3c4d`.
    #[must_use]
    pub fn title(&self) -> String {
        if self.is_own() {
            return format!("recording {}", self.name.get(..8).unwrap_or(&self.name));
        }
        let title = TITLES.iter().find(|(name, _)| *name == self.name).map_or_else(
            || {
                let words = self.name.replace('-', " ");
                let mut letters = words.chars();
                letters
                    .next()
                    .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
            },
            |(_, title)| (*title).to_owned(),
        );
        format!("{title} (model)")
    }
}

/// What is done in a pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// A trace is played.
    Trace(TracePlay),
    /// Random writes for some time.
    RandomWrites(RandomWrites),
    /// Writes in order from the begin of the span.
    SequentialWrites(SequentialWrites),
    /// Nothing for some time.
    Idle(Idle),
    /// A step of a copy.
    Copying(Copying),
    /// The files of a folder are read.
    Loading(Loading),
}

/// Writes in order from the begin of the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SequentialWrites {
    /// How many bytes, at most the span; the last write may be shorter than the others.
    pub bytes: u64,
    /// Bytes of a write, a multiple of 512 up to 64 MiB.
    pub block_bytes: u32,
    /// Writes in flight; 1 to 4096.
    pub queue_depth: u32,
    /// What is written.
    pub data: DataKind,
}

/// Nothing for some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// How long, seconds; 1 to 86,400.
    pub seconds: u32,
}

/// Part of a consistency test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Everything is written, so that nothing is free.
    Precondition,
    /// The drive is worn down, a little longer each pass.
    Degradation,
    /// It is kept down.
    Steady,
    /// It is left alone before each pass.
    Recovery,
    /// Everything is written with zeros.
    CleanUp,
}

impl Phase {
    /// All phases in their order.
    pub const ALL: [Self; 5] =
        [Self::Precondition, Self::Degradation, Self::Steady, Self::Recovery, Self::CleanUp];

    /// The word in identifiers, `degradation`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Precondition => "precondition",
            Self::Degradation => "degradation",
            Self::Steady => "steady",
            Self::Recovery => "recovery",
            Self::CleanUp => "clean-up",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::CleanUp => "clean up",
            other => other.token(),
        }
    }
}

/// What the test had done to the drive before a pass, for what it does to the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DoneBefore {
    /// How much of the file system or device had been made to hold data; `None` when it was left as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// How often the span had been written in order by passes, at most 100.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fills: u32,
    /// Random writes with the seconds of all of them together; `None` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worn: Option<RandomWrites>,
    /// Seconds in which the drive was left alone by passes, together.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rested_seconds: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl DoneBefore {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The same after one more pass.
    #[must_use]
    pub fn and(mut self, workload: &Workload) -> Self {
        match workload {
            Workload::SequentialWrites(_) => self.fills += 1,
            Workload::RandomWrites(writes) => {
                let seconds = self.worn.map_or(0, |worn| worn.seconds).saturating_add(writes.seconds);
                self.worn = Some(RandomWrites { seconds, ..*writes });
            }
            Workload::Idle(Idle { seconds }) => {
                self.rested_seconds = self.rested_seconds.saturating_add(*seconds);
            }
            Workload::Trace(_) | Workload::Copying(_) | Workload::Loading(_) => {}
        }
        self
    }

    fn in_range(&self) -> bool {
        self.fill.is_none_or(Fill::in_range)
            && self.fills <= 100
            && self.worn.is_none_or(|worn| worn.in_range(MAX_SECONDS_BEFORE))
            && self.rested_seconds <= MAX_SECONDS_BEFORE
    }
}

/// The parameters of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PassMethod {
    /// What is done.
    pub workload: Workload,
    /// Which part of a consistency test it belongs to; `None` when it belongs to none.
    pub phase: Option<Phase>,
    /// Which pass of the phase, or of the suite without phases, from 1 to 1,000.
    pub number: u32,
    /// Bytes of the file or device that are worked on; of many files their sizes together, not rounded up.
    pub span_bytes: u64,
    /// What passes before it did.
    #[serde(default, skip_serializing_if = "DoneBefore::is_nothing")]
    pub before: DoneBefore,
}

impl PassMethod {
    /// Whether every parameter lies in its range.
    #[must_use]
    pub fn in_range(&self) -> bool {
        let is_name = |text: &str| {
            (1..=40).contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        let workload = match &self.workload {
            Workload::Trace(TracePlay {
                pack,
                version,
                name,
                longest_idle_ms,
                speed_percent,
                unit_bytes,
            }) => {
                is_name(pack)
                    && is_name(name)
                    && (1..=1_000_000).contains(version)
                    && longest_idle_ms.is_none_or(|ms| ms <= 86_400_000)
                    && *speed_percent <= 1_000_000
                    && unit_bytes.is_power_of_two()
                    && (512..=65_536).contains(unit_bytes)
            }
            Workload::RandomWrites(writes) => {
                writes.in_range(86_400) && self.span_bytes >= writes.most_bytes.into()
            }
            Workload::SequentialWrites(SequentialWrites { bytes, block_bytes, queue_depth, data }) => {
                (512..=64 << 20).contains(block_bytes)
                    && block_bytes.is_multiple_of(512)
                    && bytes.is_multiple_of(512)
                    && (1..=self.span_bytes).contains(bytes)
                    && (1..=4096).contains(queue_depth)
                    && *data != DataKind::Existing
            }
            Workload::Idle(Idle { seconds }) => (1..=86_400).contains(seconds),
            Workload::Copying(copying) => copying.in_range(),
            Workload::Loading(loading) => loading.in_range(),
        };
        workload && (1..=1_000).contains(&self.number) && self.span_bytes > 0 && self.before.in_range()
    }

    /// Whether it writes to the drive.
    #[must_use]
    pub fn writes(&self) -> bool {
        match &self.workload {
            Workload::Idle(_) | Workload::Loading(_) => false,
            Workload::Copying(copying) => copying.step.writes(),
            _ => true,
        }
    }

    /// How many files it works on, which are its own or the user's; `None` when it works on one span.
    #[must_use]
    pub fn files(&self) -> Option<u32> {
        match &self.workload {
            Workload::Copying(copying) => Some(copying.files),
            Workload::Loading(loading) => Some(loading.files),
            _ => None,
        }
    }

    /// The trace, when it plays one.
    #[must_use]
    pub fn trace(&self) -> Option<&TracePlay> {
        match &self.workload {
            Workload::Trace(trace) => Some(trace),
            _ => None,
        }
    }

    /// What must be equal for two figures to be comparable. Of a test that goes over a whole device of `device_bytes`
    /// the size is no part of it; `None` when it goes over a file.
    #[must_use]
    pub fn compared(&self, device_bytes: Option<u64>) -> Self {
        let whole = device_bytes.is_some_and(|bytes| bytes.saturating_sub(self.span_bytes) < 1 << 20);
        if self.files().is_some() || !whole {
            return self.clone();
        }
        let mut compared = Self { span_bytes: 0, ..self.clone() };
        if let Workload::SequentialWrites(writes) = &mut compared.workload
            && writes.bytes == self.span_bytes
        {
            writes.bytes = 0;
        }
        compared
    }

    /// Every parameter: equal ids are comparable.
    #[must_use]
    pub fn id(&self) -> PassId {
        PassId(self.clone())
    }

    /// Which pass it is, for people: `degradation 3`, `pass 2`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.phase {
            Some(Phase::CleanUp) => Phase::CleanUp.text().to_owned(),
            Some(phase) => format!("{} {}", phase.text(), self.number),
            None => format!("pass {}", self.number),
        }
    }

    /// Its name for people: `Photoshop heavy (model), degradation 3`.
    #[must_use]
    pub fn label(&self) -> String {
        let fill = self.before.fill.map_or_else(String::new, |fill| format!(", {fill} in use"));
        format!("{}, {}{fill}", self.what(), self.place())
    }

    /// What is done in it, for people: `Photoshop heavy (model)`, `game-54 on the drive`.
    #[must_use]
    pub fn what(&self) -> String {
        match &self.workload {
            Workload::Trace(trace) => trace.title(),
            Workload::RandomWrites(RandomWrites { seconds, .. }) => {
                format!("random writes for {}", format_clock(Nanos::from_secs((*seconds).into())))
            }
            Workload::SequentialWrites(SequentialWrites { bytes, data, .. }) => {
                format!("{} of {} data in order", format_capacity(*bytes), data.token())
            }
            Workload::Idle(Idle { seconds }) => {
                format!("rest of {}", format_clock(Nanos::from_secs((*seconds).into())))
            }
            Workload::Copying(copying) => format!("{} {}", copying.title(), copying.step.text()),
            Workload::Loading(loading) => format!("{} loaded", loading.title()),
        }
    }

    /// What does not stand in the label, for a list of conditions.
    #[must_use]
    pub fn conditions(&self) -> String {
        let span = format_size(self.span_bytes);
        match &self.workload {
            Workload::Trace(TracePlay { pack, version, longest_idle_ms, speed_percent, .. }) => {
                let idle = longest_idle_ms
                    .map_or_else(String::new, |ms| format!(", idle gaps cut to {ms} ms: another method"));
                let speed = match speed_percent {
                    100 => String::new(),
                    0 => ", as fast as possible: another method".to_owned(),
                    percent => format!(", at {percent} % of the recorded speed: another method"),
                };
                let pack = if pack == OWN_PACK {
                    "recording of one's own".to_owned()
                } else {
                    format!("pack {pack} {version}")
                };
                format!("{pack}, random data, {span}{idle}{speed}")
            }
            Workload::RandomWrites(RandomWrites {
                least_bytes, most_bytes, unit_bytes, queue_depth, ..
            }) => {
                format!(
                    "{} to {} in units of {unit_bytes} B, queue depth {queue_depth}, random data, {span}",
                    format_size((*least_bytes).into()),
                    format_size((*most_bytes).into())
                )
            }
            Workload::SequentialWrites(SequentialWrites { block_bytes, queue_depth, .. }) => {
                format!("blocks of {}, queue depth {queue_depth}, {span}", format_size((*block_bytes).into()))
            }
            Workload::Idle(_) => span,
            Workload::Copying(copying) => {
                format!("{}, {}", files_of(copying.files, self.span_bytes), copying.conditions())
            }
            Workload::Loading(loading) => {
                format!("{}, {}", files_of(loading.files, self.span_bytes), loading.conditions())
            }
        }
    }
}

/// `339 files of 2.37 GB`.
fn files_of(files: u32, bytes: u64) -> String {
    format!("{} of {}", format_count(files.into(), "file"), format_capacity(bytes))
}

/// A [`PassMethod`] in one text that reads back:
/// `trace.applications-1.photoshop-heavy.degradation3.filled2.worn2700s-4KiB-1MiB-512B-q32.span32GiB.v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PassId(PassMethod);

impl PassId {
    /// The method that it names.
    #[must_use]
    pub fn method(&self) -> &PassMethod {
        &self.0
    }
}

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassMethod { workload, phase, number, span_bytes, before } = &self.0;
        match workload {
            Workload::Trace(TracePlay {
                pack,
                version,
                name,
                longest_idle_ms,
                speed_percent,
                unit_bytes,
            }) => {
                write!(f, "trace.{pack}-{version}.{name}")?;
                if let Some(ms) = longest_idle_ms {
                    write!(f, ".idle{ms}ms")?;
                }
                match speed_percent {
                    100 => {}
                    percent => write!(f, ".speed{percent}")?,
                }
                if !is_as_they_are(unit_bytes) {
                    write!(f, ".unit{}", size_token((*unit_bytes).into()))?;
                }
            }
            Workload::RandomWrites(writes) => {
                write!(f, "rand-writes.{}s.{}", writes.seconds, writes.token())?
            }
            Workload::SequentialWrites(SequentialWrites { bytes, block_bytes, queue_depth, data }) => write!(
                f,
                "seq-writes.{}.{}-q{queue_depth}.{}",
                size_token(*bytes),
                size_token((*block_bytes).into()),
                data.token()
            )?,
            Workload::Idle(Idle { seconds }) => write!(f, "idle.{seconds}s")?,
            Workload::Copying(copying) => write!(f, "copy.{}", copying.token())?,
            Workload::Loading(loading) => write!(f, "load.{}", loading.token())?,
        }
        write!(f, ".{}{number}", phase.map_or("pass", Phase::token))?;
        if let Some(fill) = before.fill {
            write!(f, ".{}", fill.token())?;
        }
        if before.fills > 0 {
            write!(f, ".filled{}", before.fills)?;
        }
        if let Some(worn) = before.worn {
            write!(f, ".worn{}s-{}", worn.seconds, worn.token())?;
        }
        if before.rested_seconds > 0 {
            write!(f, ".rested{}s", before.rested_seconds)?;
        }
        write!(f, ".span{}.v{METHOD_VERSION}", size_token(*span_bytes))
    }
}

/// Why a text is no id of a pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no id of a pass; they look like trace.applications-1.word.pass1.span4GiB.v{METHOD_VERSION}"
)]
pub struct PassIdError(pub String);

impl FromStr for PassId {
    type Err = PassIdError;

    fn from_str(text: &str) -> Result<Self, PassIdError> {
        parse(text)
            .filter(|method| method.in_range() && method.id().to_string() == text)
            .map(Self)
            .ok_or_else(|| PassIdError(text.to_owned()))
    }
}

/// Reads what the text holds. That it holds nothing else is for the caller to see by writing it again.
fn parse(text: &str) -> Option<PassMethod> {
    let mut parts = text.split('.').peekable();
    let workload = match parts.next()? {
        "trace" => {
            let (pack, version) = parts.next()?.rsplit_once('-')?;
            let (pack, version) = (pack.to_owned(), version.parse().ok()?);
            let name = parts.next()?.to_owned();
            let mut trace = TracePlay {
                pack,
                version,
                name,
                longest_idle_ms: None,
                speed_percent: as_recorded(),
                unit_bytes: as_they_are(),
            };
            if let Some(ms) = parts.peek().and_then(|part| part.strip_prefix("idle")) {
                trace.longest_idle_ms = Some(ms.strip_suffix("ms")?.parse().ok()?);
                parts.next();
            }
            if let Some(percent) = parts.peek().and_then(|part| part.strip_prefix("speed")) {
                trace.speed_percent = percent.parse().ok()?;
                parts.next();
            }
            if let Some(unit) = parts.peek().and_then(|part| part.strip_prefix("unit")) {
                trace.unit_bytes = parse_size(unit).ok()?.try_into().ok()?;
                parts.next();
            }
            Workload::Trace(trace)
        }
        "rand-writes" => Workload::RandomWrites(RandomWrites::parse(parts.next()?, parts.next()?)?),
        "seq-writes" => {
            let bytes = parse_size(parts.next()?).ok()?;
            let (block, depth) = parts.next()?.split_once("-q")?;
            let block_bytes = parse_size(block).ok()?.try_into().ok()?;
            let data = parts.next()?;
            Workload::SequentialWrites(SequentialWrites {
                bytes,
                block_bytes,
                queue_depth: depth.parse().ok()?,
                data: DataKind::ALL.into_iter().find(|kind| kind.token() == data)?,
            })
        }
        "idle" => Workload::Idle(Idle { seconds: parts.next()?.strip_suffix('s')?.parse().ok()? }),
        "copy" => Workload::Copying(Copying::parse(&mut parts)?),
        "load" => Workload::Loading(Loading::parse(&mut parts)?),
        _ => return None,
    };
    let place = parts.next()?;
    let number = place.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let phase = match place.strip_suffix(number)? {
        "pass" => None,
        token => Some(Phase::ALL.into_iter().find(|phase| phase.token() == token)?),
    };
    let mut before = DoneBefore::default();
    loop {
        let part = parts.next()?;
        if let Some(span) = part.strip_prefix("span") {
            let span_bytes = parse_size(span).ok()?;
            return Some(PassMethod { workload, phase, number: number.parse().ok()?, span_bytes, before });
        } else if let Some(fills) = part.strip_prefix("filled") {
            before.fills = fills.parse().ok()?;
        } else if let Some(fill) = part.strip_prefix("fill") {
            before.fill = Some(Fill::parse(fill)?);
        } else if let Some(worn) = part.strip_prefix("worn") {
            let (seconds, token) = worn.split_once('-')?;
            before.worn = Some(RandomWrites::parse(seconds, token)?);
        } else if let Some(rested) = part.strip_prefix("rested") {
            before.rested_seconds = rested.strip_suffix('s')?.parse().ok()?;
        } else {
            return None;
        }
    }
}

impl Serialize for PassId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PassId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for PassId {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new().schema_type(utoipa::openapi::schema::Type::String).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for PassId {}

/// One pass and what was measured of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// How it was measured.
    pub method: PassMethod,
    /// Which run of the whole suite it belongs to, from 0.
    pub run: u32,
    /// Whether its figures count.
    pub status: CellStatus,
    /// Why its figures do not count, for a void or failed pass; empty otherwise.
    pub void: Vec<VoidReason>,
    /// The first error of a failed pass.
    pub error: Option<CellError>,
    /// The evidence that the drive did the work.
    pub proof: Proof,
    /// The fill of the span right before the pass; `None` when the span was as the passes before had left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
    /// The state of the drive right before the pass; `None` for one that followed another on the same span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Start since the run's start, nanoseconds.
    pub started_ns: u64,
    /// From the start to the last completion, nanoseconds.
    pub elapsed_ns: u64,
    /// Time in which at least one read or write was outstanding, nanoseconds: what bandwidth is computed over.
    pub busy_ns: u64,
    /// Processor time of the measuring process, user and system, nanoseconds; 0 for a simulated drive.
    pub cpu_ns: u64,
    /// Readings of the measuring clock that lay before the one they followed.
    pub clock_anomalies: u64,
    /// Reads, of any sizes; `None` when there were none.
    pub read: Option<Transfer>,
    /// Writes, of any sizes; `None` when there were none.
    pub write: Option<Transfer>,
    /// Flushes that were carried out; they are in no rate and no access time.
    #[serde(default, skip_serializing_if = "is_none_of")]
    pub flushes: u64,
    /// How long after its deadline each operation was submitted, flushes included; `None` for a workload without
    /// deadlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<Histogram>,
    /// From the start until what was written had been made durable by a final flush, nanoseconds; `None` when there
    /// was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_ns: Option<u64>,
    /// What the kernel counted for the device from the first submission to the last completion; `None` when it could
    /// not be read.
    pub device: Option<DeviceCounters>,
    /// What came of its files; `None` for a pass on one span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<FilesMoved>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none_of(count: &u64) -> bool {
    *count == 0
}

impl Pass {
    /// Reads and writes.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.read.iter().chain(&self.write)
    }

    /// Bytes read and written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.transfers().fold(0, |sum, transfer| sum.saturating_add(transfer.bytes))
    }

    /// The end, nanoseconds since the run's start; `None` when it is no time.
    #[must_use]
    pub fn end_ns(&self) -> Option<u64> {
        self.started_ns.checked_add(self.settled_ns.unwrap_or(0).max(self.elapsed_ns))
    }

    /// Whether its figures count.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.status.counts()
    }

    pub(crate) fn check(&self, runs: u32) -> Result<(), (&'static str, &'static str)> {
        let need = |holds: bool, field, message| if holds { Ok(()) } else { Err((field, message)) };
        need(self.method.in_range(), "method", "a parameter lies outside its range")?;
        need(self.run < runs, "run", "below the number of runs")?;
        need(
            self.void.is_empty() != matches!(self.status, CellStatus::Void | CellStatus::Failed),
            "void",
            "reasons if and only if the pass is void or failed",
        )?;
        need(
            self.error.is_some() == (self.status == CellStatus::Failed),
            "error",
            "an error if and only if the pass failed",
        )?;
        need(self.void.len() <= 32 && self.proof.unproven.len() <= 32, "void", "at most 32 reasons")?;
        if let Some(name) = self.proof.file_system.known() {
            need(is_plain_text(name, 40), "proof.file_system", "printable text of limited length")?;
        }
        if let Some(moved) = &self.files {
            let files = self.method.files();
            need(files.is_some(), "files", "only what works on files has some")?;
            if let Some((field, message)) = moved.problem(files.unwrap_or(0)) {
                return Err((field, message));
            }
        }
        for transfer in self.transfers() {
            need(transfer.bins.len() <= MAX_BINS, "read", "at most 100,000 bins")?;
            need(transfer.bin_ns > 0, "read", "bins have a width")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worn(seconds: u32) -> RandomWrites {
        RandomWrites { seconds, least_bytes: 4096, most_bytes: 1 << 20, unit_bytes: 512, queue_depth: 32 }
    }

    fn trace(name: &str) -> TracePlay {
        TracePlay {
            pack: "applications".to_owned(),
            version: 1,
            name: name.to_owned(),
            longest_idle_ms: None,
            speed_percent: 100,
            unit_bytes: 512,
        }
    }

    fn copying(manifest: &str, scale_percent: u32) -> Copying {
        Copying {
            manifest: manifest.to_owned(),
            version: 1,
            scale_percent,
            files: 339,
            step: crate::files::CopyStep::Duplicate,
            block_bytes: 1 << 20,
            queue_depth: 8,
        }
    }

    fn loading(shuffle: Option<u32>) -> Loading {
        Loading {
            folder: "own-1a2b3c4d5e6f7081".to_owned(),
            files: 12,
            shuffle,
            parallel: 4,
            block_bytes: 128 << 10,
        }
    }

    #[test]
    fn ids_name_every_parameter_and_read_back() {
        let before =
            DoneBefore { fills: 2, worn: Some(worn(2_700)), rested_seconds: 600, ..DoneBefore::default() };
        let plain = PassMethod {
            workload: Workload::Trace(trace("photoshop-heavy")),
            phase: Some(Phase::Degradation),
            number: 3,
            span_bytes: 32 << 30,
            before,
        };
        let other = |workload: Workload, phase: Option<Phase>| PassMethod {
            workload,
            phase,
            number: 1,
            before: DoneBefore::default(),
            ..plain.clone()
        };
        let own = TracePlay {
            pack: OWN_PACK.to_owned(),
            name: "1a2b3c4d5e6f7081".to_owned(),
            longest_idle_ms: Some(500),
            speed_percent: 0,
            unit_bytes: 4096,
            ..trace("")
        };
        let fill =
            SequentialWrites { bytes: 32 << 30, block_bytes: 131_072, queue_depth: 8, data: DataKind::Zero };
        for (method, id, label) in [
            (
                plain.clone(),
                "trace.applications-1.photoshop-heavy.degradation3.filled2.worn2700s-4KiB-1MiB-512B-q32.rested600s.span32GiB.v1",
                "Photoshop heavy (model), degradation 3",
            ),
            (
                other(Workload::Trace(own), None),
                "trace.own-1.1a2b3c4d5e6f7081.idle500ms.speed0.unit4KiB.pass1.span32GiB.v1",
                "recording 1a2b3c4d, pass 1",
            ),
            (
                other(Workload::RandomWrites(worn(600)), Some(Phase::Steady)),
                "rand-writes.600s.4KiB-1MiB-512B-q32.steady1.span32GiB.v1",
                "random writes for 10 min 00 s, steady 1",
            ),
            (
                other(Workload::SequentialWrites(fill), Some(Phase::CleanUp)),
                "seq-writes.32GiB.128KiB-q8.zero.clean-up1.span32GiB.v1",
                "34.36 GB of zero data in order, clean up",
            ),
            (
                PassMethod {
                    before: DoneBefore { fill: Some(Fill::Percent(50)), ..DoneBefore::default() },
                    ..other(Workload::Copying(copying("jpeg-2.37", 100)), None)
                },
                "copy.jpeg-2_37-1.339files.duplicate.1MiB-q8.pass1.fill50.span32GiB.v1",
                "jpeg-2.37 on the drive, pass 1, 50 % in use",
            ),
            (
                PassMethod {
                    before: DoneBefore { fill: Some(Fill::Bytes(200 << 30)), ..before },
                    ..plain.clone()
                },
                "trace.applications-1.photoshop-heavy.degradation3.fill200GiB.filled2.worn2700s-4KiB-1MiB-512B-q32.rested600s.span32GiB.v1",
                "Photoshop heavy (model), degradation 3, 215 GB in use",
            ),
            (
                other(Workload::Idle(Idle { seconds: 300 }), Some(Phase::Recovery)),
                "idle.300s.recovery1.span32GiB.v1",
                "rest of 5 min 00 s, recovery 1",
            ),
            (
                PassMethod {
                    span_bytes: 2_370_000_000,
                    ..other(Workload::Copying(copying("jpeg-2.37", 100)), None)
                },
                "copy.jpeg-2_37-1.339files.duplicate.1MiB-q8.pass1.span2370000000B.v1",
                "jpeg-2.37 on the drive, pass 1",
            ),
            (
                other(Workload::Copying(copying("own-1a2b3c4d5e6f7081", 5)), None),
                "copy.own-1a2b3c4d5e6f7081-1.scale5.339files.duplicate.1MiB-q8.pass1.span32GiB.v1",
                "folder 1a2b3c4d at 5 % on the drive, pass 1",
            ),
            (
                other(Workload::Loading(loading(Some(7))), None),
                "load.own-1a2b3c4d5e6f7081.12files.shuffled7.p4.128KiB.pass1.span32GiB.v1",
                "folder 1a2b3c4d loaded, pass 1",
            ),
            (
                other(Workload::Loading(loading(None)), None),
                "load.own-1a2b3c4d5e6f7081.12files.sorted.p4.128KiB.pass1.span32GiB.v1",
                "folder 1a2b3c4d loaded, pass 1",
            ),
        ] {
            assert!(method.in_range(), "{id}");
            assert_eq!(method.id().to_string(), id);
            assert_eq!(id.parse(), Ok(method.id()));
            assert_eq!(method.label(), label);
            let json = serde_json::to_string(&method).unwrap();
            assert_eq!(serde_json::from_str::<PassMethod>(&json).unwrap(), method);
        }
        assert_eq!(trace("world-of-warcraft").title(), "World of Warcraft (model)");
    }

    #[test]
    fn a_test_of_a_whole_device_is_comparable_on_one_of_another_size() {
        let on = |span_bytes| PassMethod {
            workload: Workload::SequentialWrites(SequentialWrites {
                bytes: span_bytes,
                block_bytes: 131_072,
                queue_depth: 8,
                data: DataKind::Random,
            }),
            phase: Some(Phase::Precondition),
            number: 1,
            span_bytes,
            before: DoneBefore::default(),
        };
        let (one, two) = (on(1_000_000_000_000), on(2_000_000_000_000));
        assert_eq!(one.compared(Some(1_000_000_500_000)), two.compared(Some(2_000_000_000_000)));
        assert_ne!(one.compared(Some(2_000_000_000_000)), two.compared(Some(2_000_000_000_000)));
        assert_ne!(one.compared(None), two.compared(None));
    }

    #[test]
    fn what_was_done_before_adds_up() {
        let fill = SequentialWrites { bytes: 1, block_bytes: 512, queue_depth: 1, data: DataKind::Random };
        let before = DoneBefore::default()
            .and(&Workload::SequentialWrites(fill))
            .and(&Workload::RandomWrites(worn(600)))
            .and(&Workload::Trace(trace("word")))
            .and(&Workload::RandomWrites(worn(900)))
            .and(&Workload::Idle(Idle { seconds: 300 }));
        let done = DoneBefore { fill: None, fills: 1, worn: Some(worn(1_500)), rested_seconds: 300 };
        assert_eq!(before, done);
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in [
            "",
            "trace.applications.word.pass1.span4GiB.v1",
            "trace.applications-1.Word.pass1.span4GiB.v1",
            "trace.applications-1.word.pass0.span4GiB.v1",
            "trace.applications-1.word.pass1.speed200.span4GiB.v1",
            "trace.applications-1.word.pass1.span4GiB.v2",
            "trace.applications-1.word.speed100.pass1.span4GiB.v1",
            "idle.0s.pass1.span4GiB.v1",
            "rand-writes.600s.1MiB-4KiB-512B-q32.pass1.span4GiB.v1",
            "copy.games.pass1.span4GiB.v1",
            "copy.jpeg-2_37-1.scale100.339files.write.1MiB-q8.pass1.span4GiB.v1",
            "copy.jpeg-2_37-1.339files.write.1000-q8.pass1.span4GiB.v1",
            "load.mine.12files.sorted.p4.128KiB.pass1.span4GiB.v1",
            "load.own-1a2b3c4d5e6f7081.12files.sorted.p17.128KiB.pass1.span4GiB.v1",
        ] {
            assert!(bad.parse::<PassId>().is_err(), "{bad}");
        }
    }
}
