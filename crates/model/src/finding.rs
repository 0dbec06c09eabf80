//! What the analysis finds in a recorded series, and the numbered points that charts, tables and sentences share.
//!
//! Knows: the things that can be found and their numbers. Does not know: how they are found (that is
//! `analysis::series`) or how they are drawn.

mod matrix;
mod surface;

pub use matrix::{BestKind, BestLoad, InFlight, Matrix, MatrixLoad};
pub use surface::{AccessTimes, SlowPlace, Surface};

use crate::method::{Before, Fill};
use serde::{Deserialize, Serialize};

/// A place in a series: how long and how far it had gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Time since the series began, nanoseconds.
    pub at_ns: u64,
    /// Bytes moved since it began.
    pub bytes: u64,
}

/// How sure a finding is, by the size of the change against the noise and by how long it lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// It may be chance.
    Low,
    /// It is more than the noise.
    Medium,
    /// It is far more than the noise, and lasted.
    High,
}

/// Which way a speed changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// It fell.
    Fall,
    /// It rose.
    Rise,
}

/// Where a speed changed for good: it never came back to what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Whether it fell or rose.
    pub turn: Turn,
    /// It had not changed yet here.
    pub earliest: Place,
    /// It had changed here. The change lies within one sample or between two.
    pub latest: Place,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A low stretch at the beginning of a stage, from which the speed recovered in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Trough {
    /// Where the speed had recovered.
    pub until: Place,
    /// Its median speed, bytes per second.
    pub bytes_per_s: u64,
}

/// A speed that goes up and down again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Times it fell.
    pub count: u32,
    /// Median time from fall to fall, nanoseconds.
    pub period_ns: u64,
    /// Median of its high part, bytes per second.
    pub high_bytes_per_s: u64,
    /// Median of its low part, bytes per second.
    pub low_bytes_per_s: u64,
}

impl Cycle {
    /// What is lost in the low part, as a share of the high one; 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    pub fn depth(&self) -> f64 {
        1.0 - self.low_bytes_per_s as f64 / self.high_bytes_per_s.max(1) as f64
    }
}

/// A stretch between two changes for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Where it began.
    pub from: Place,
    /// Where it ended.
    pub until: Place,
    /// Median speed of its plateau, bytes per second; a trough is left out.
    pub typical_bytes_per_s: u64,
    /// Its bytes over its time, bytes per second; everything counts.
    pub mean_bytes_per_s: u64,
    /// The low stretch at its beginning; `None` when it begins at its plateau.
    pub trough: Option<Trough>,
    /// How its speed goes up and down; `None` when it does not, or without a rhythm.
    pub cycle: Option<Cycle>,
}

/// A series in stages. One stage says that nothing changed for good within it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stages {
    /// The stages in order, at least one.
    pub stages: Vec<Stage>,
    /// The changes between them, one fewer.
    pub changes: Vec<Change>,
    /// A change that has no place; `None` when the series ends about as it began, or changed at places.
    pub drift: Option<Drift>,
}

/// A speed that becomes another one slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Median speed of the first tenth, bytes per second.
    pub first_bytes_per_s: u64,
    /// Median speed of the last tenth, bytes per second.
    pub last_bytes_per_s: u64,
}

/// Everything that was found in a series; what is `None` could not be told from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Its stages; `None` when nothing was moved.
    pub stages: Option<Stages>,
    /// First, last and slowest minute; `None` below two minutes.
    pub minutes: Option<Minutes>,
    /// The temperature; `None` when it was not read.
    pub heat: Option<Heat>,
    /// Whether heat cost speed; `None` without speed or temperature.
    pub throttling: Option<Throttling>,
    /// The power; `None` when it was not read.
    pub power: Option<Power>,
    /// The numbered points, in order of place.
    pub points: Vec<Point>,
}

/// The beginning of a series against its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Minutes {
    /// Mean of the first minute, bytes per second.
    pub first_bytes_per_s: u64,
    /// Mean of the last minute, bytes per second.
    pub last_bytes_per_s: u64,
    /// Mean of the slowest minute, bytes per second.
    pub worst_bytes_per_s: u64,
    /// Where the slowest minute began.
    pub worst: Place,
}

/// What a temperature did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Heat {
    /// The first value, milli-degrees Celsius.
    pub start: i64,
    /// The highest value, milli-degrees Celsius.
    pub peak: i64,
    /// When it was first within one degree of the highest.
    pub peak_at: Place,
    /// The median of the end when it no longer rose, milli-degrees Celsius; `None` when it was still rising or falling.
    pub plateau: Option<i64>,
    /// Time in which it came 63 % nearer to where it settled under the longest steady load, nanoseconds; `None` when
    /// it changed too little or not in this way.
    #[serde(default)]
    pub time_constant_ns: Option<u64>,
}

/// How a drive limits its speed for heat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThrottleStyle {
    /// It holds a lower speed.
    SustainedLimit,
    /// Its speed collapses and returns again and again.
    StopAndGo,
}

/// What speaks for throttling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Throttled {
    /// No speed was lost.
    NothingLost,
    /// Speed was lost, but it was too cool for heat to be the cause.
    NotShown,
    /// Speed was lost while it was hot; no counter says why.
    Possible,
    /// The drive's own counters say so.
    Proven,
}

/// The verdict on throttling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Throttling {
    /// What speaks for it.
    pub verdict: Throttled,
    /// How the speed was lost; `None` when none was.
    pub style: Option<ThrottleStyle>,
    /// The temperature at which speed began to be lost, milli-degrees Celsius; `None` when none was lost.
    pub at: Option<i64>,
    /// The highest temperature, milli-degrees Celsius.
    pub peak: i64,
    /// Whether it was hot from the beginning, so that a limit that held all the time cannot be seen.
    #[serde(default)]
    pub began_hot: bool,
    /// The temperature at which the load just before lost speed, milli-degrees Celsius, where heat is a possible cause:
    /// a limit that still held from the beginning cannot be seen. `None` when there is no such load.
    #[serde(default)]
    pub lost_before: Option<i64>,
}

/// What a power meter showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// The lowest value, milliwatts.
    pub lowest: i64,
    /// The mean over time, milliwatts.
    pub mean: i64,
    /// The highest value, milliwatts.
    pub highest: i64,
}

/// Where more of something stops to bring more speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Knee {
    /// The depth, the threads or the drives at the knee.
    pub x: u64,
    /// The value there, in the unit of the series.
    pub y: f64,
    /// The highest value.
    pub best: f64,
    /// Where the highest value was.
    pub best_x: u64,
}

/// Best and worst of a list of passes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BestWorst {
    /// The best value.
    pub best: f64,
    /// Its pass, from 1.
    pub best_pass: u32,
    /// The worst value.
    pub worst: f64,
    /// Its pass, from 1.
    pub worst_pass: u32,
    /// What the worst lacks of the best, as a share of the best.
    pub drop: f64,
}

/// Whether rounds have become steady, by both rules.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Steady {
    /// The round, from 1, that ends the first window in which both rules hold; `None` when there is none.
    pub reached: Option<u32>,
    /// Mean of that window, or of the last one.
    pub mean: f64,
    /// Highest less lowest of the window, as a share of the mean; at most 0.2 when steady.
    pub range_share: f64,
    /// Rise or fall of the least-squares line over the window, as a share of the mean; at most 0.1 when steady.
    pub slope_share: f64,
}

/// One of several writes with rests between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Bytes of it.
    pub bytes: u64,
    /// Its bytes over its time, bytes per second.
    pub mean_bytes_per_s: u64,
    /// Mean of its first tenth, bytes per second.
    pub first_bytes_per_s: u64,
    /// Mean of its last tenth, bytes per second.
    pub last_bytes_per_s: u64,
    /// Bytes of it after which it was slower for good, 0 when it was slow from its beginning; `None` when it was not.
    pub slowed_after: Option<u64>,
    /// Highest temperature while it was written, milli-degrees Celsius; `None` when it was not read.
    #[serde(default)]
    pub peak_temperature: Option<i64>,
    /// Median power while it was written, milliwatts; `None` when it was not read.
    pub power: Option<i64>,
    /// Median power in the later half of the rest after it, milliwatts; `None` when it was not read.
    pub rest_power: Option<i64>,
}

/// Whether a drive moved data from its fast cache to its place while it rested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Folding {
    /// Without power after each burst nothing can be seen of it.
    NotObservable,
    /// Power fell to rest after every burst.
    NotSeen,
    /// Power stayed up after this burst, from 1, and after all that followed.
    From(u32),
    /// Power stayed up after some bursts and fell after later ones.
    Unclear,
}

/// What bursts with rests between them show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// The bursts in order.
    pub bursts: Vec<Burst>,
    /// Rest after each, seconds.
    pub rest_seconds: u32,
    /// Bytes of all bursts until one slowed: what the fast cache held at least; `None` when none slowed.
    pub held_bytes: Option<u64>,
    /// Whether the drive emptied its cache while it rested.
    pub folding: Folding,
    /// Whether the burst that slowed down was so hot that heat may be why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heat_possible: bool,
}

/// How much was written fast in one state of the drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StateFinding {
    /// The state before.
    pub before: Before,
    /// Bytes until the speed fell for good, 0 when it was slow from the beginning; `None` when it did not fall.
    pub fast_bytes: Option<u64>,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Median speed before the fall, bytes per second.
    pub fast_bytes_per_s: u64,
    /// Median speed at the end, bytes per second.
    pub end_bytes_per_s: u64,
}

/// Whether rest or a trim brought the fast writing back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Nothing was tried, or no state before was measured.
    NotTried,
    /// Nothing was missing that could have come back, as far as can be seen.
    NothingLost,
    /// So many seconds of rest brought it back.
    AfterRest(u32),
    /// A trim brought it back, rest did not.
    AfterTrim,
    /// Neither did.
    DidNotRecover,
}

/// Fast writing against the state before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FillFindings {
    /// Each state in the order they were measured.
    pub states: Vec<StateFinding>,
    /// Whether it came back.
    pub recovery: Recovery,
}

/// Something that a result shows besides its figures: what was found, and the same in sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// What it is about, `SEQ1M Q8T1 write, loop 2`.
    pub title: String,
    /// The findings in sentences.
    pub sentences: Vec<String>,
    /// What was found.
    pub found: Found,
}

/// What a story tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// The course of one long loop.
    Course(Box<Course>),
    /// Bursts with rests.
    Bursts(Bursts),
    /// Fast writing against the state before.
    Fill(FillFindings),
    /// Whether rounds became steady.
    Steady(Steady),
    /// Where more I/Os in flight, or more drives, stop to bring more speed.
    Knee(Knee),
    /// How far passes over traces lie apart.
    Passes(PassSpread),
    /// Where a copy's speed changed for good.
    Copying(CopyStages),
    /// Small I/Os beside large ones.
    Matrix(Matrix),
    /// Speed by place.
    Surface(Surface),
}

/// Where a copy's speed changed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CopyStages {
    /// Place of its pass in the document, from 0.
    pub pass: usize,
    /// Its stages, by what it wrote, or read where it wrote nothing.
    pub stages: Stages,
}

/// How far passes over traces lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PassSpread {
    /// Whether they belong to a consistency test.
    #[serde(default)]
    pub consistency: bool,
    /// How much of the drive had been made to hold data before them; `None` when it was left as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Passes that count.
    pub passes: u32,
    /// Their time scores; `None` where deadlines did not count.
    pub time_score: Option<BestWorst>,
    /// Their bandwidth while busy, bytes per second.
    pub bandwidth: BestWorst,
    /// Whether heat cost speed; `None` when no temperature was read.
    pub throttling: Option<Throttling>,
}

/// What was found in one loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// Place of its cell in the document, from 0.
    pub cell: usize,
    /// Its place in the cell, from 0.
    pub number: usize,
    /// What was found.
    pub findings: Findings,
}

/// What a point marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PointKind {
    /// Speed fell for good.
    Fall,
    /// Speed rose for good.
    Rise,
    /// Speed recovered from a trough.
    Recovery,
    /// The highest temperature.
    PeakTemperature,
    /// The beginning of the slowest minute.
    WorstMinute,
}

/// A numbered point on a curve: the one object from which a chart, its table and its sentence take the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its number on the chart, from 1.
    pub ordinal: u32,
    /// What it marks.
    pub kind: PointKind,
    /// Where it lies.
    pub x: Place,
    /// Its value: bytes per second, or milli-degrees for a temperature.
    pub y: i64,
    /// What the value was before; `None` where nothing changed.
    pub before: Option<i64>,
}
