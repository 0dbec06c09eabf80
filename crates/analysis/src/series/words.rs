//! Findings of a series as sentences: the one home of these texts.
//!
//! A sentence says no more than the data show: where fast writing ended is not how large a cache is.

use model::{
    finding::{
        Change, Confidence, Cycle, Findings, Heat, Minutes, Place, Point, PointKind, Power, Stage, Stages,
        ThrottleStyle, Throttled, Throttling, Turn,
    },
    units::{NS_PER_S, format_capacity, format_celsius, format_percent, format_rate, format_watts, grouped},
};

/// What a series is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moved {
    /// Reads.
    Read,
    /// Writes.
    Written,
    /// One of both, or both.
    Unknown,
}

impl Moved {
    fn doing(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Written => "writing",
            Self::Unknown => "transfer",
        }
    }
}

/// Everything that was found, a sentence each.
#[must_use]
pub fn of(found: &Findings, moved: Moved) -> Vec<String> {
    let points = found.points.as_slice();
    let mut sentences =
        found.stages.as_ref().map(|stages| of_stages(stages, moved, points)).unwrap_or_default();
    sentences.extend(found.minutes.as_ref().map(|minutes| of_minutes(minutes, points)));
    sentences.extend(found.heat.as_ref().map(|heat| of_heat(heat, points)));
    sentences.extend(found.throttling.as_ref().map(of_throttling));
    sentences.extend(found.power.as_ref().map(of_power));
    sentences
}

/// The points of a kind as they stand behind the sentence that is about them: ` [1] 104.6 GB, 1,094.7 MB/s.`
fn marks<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let texts: Vec<String> = points.map(point).collect();
    if texts.is_empty() { String::new() } else { format!(" {}.", texts.join("; ")) }
}

/// A numbered point with its place and its value: `[1] 104.6 GB, 1,094.7 MB/s`.
#[must_use]
pub fn point(Point { ordinal, kind, x, y, .. }: &Point) -> String {
    // Where nothing was moved yet, or nothing is moved at all, time tells the place.
    let place = if x.bytes > 0 { amount(x.bytes) } else { seconds(x.at_ns) };
    let value = match kind {
        PointKind::PeakTemperature => format_celsius(*y),
        _ => rate(y.unsigned_abs()),
    };
    format!("[{ordinal}] {place}, {value}")
}

fn of_kind(points: &[Point], kind: PointKind) -> impl Iterator<Item = &Point> {
    points.iter().filter(move |point| point.kind == kind)
}

/// The stages in sentences, one for each change, and one when nothing changed; behind each the points that mark it,
/// as far as they are among `points`.
#[must_use]
pub fn of_stages(found: &Stages, moved: Moved, points: &[Point]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, (change, pair)) in found.changes.iter().zip(found.stages.windows(2)).enumerate() {
        let what = match (change.turn, index) {
            (Turn::Fall, 0) => format!("Fast {} ended", moved.doing()),
            (Turn::Fall, _) => "It slowed down again".to_owned(),
            (Turn::Rise, _) => "It became faster".to_owned(),
        };
        let until = if index + 1 == found.changes.len() {
            "from the change to the end"
        } else {
            "until the next change"
        };
        let recovered = pair[1].trough.map(|trough| trough.until);
        let here = points.iter().filter(|point| match point.kind {
            PointKind::Fall | PointKind::Rise => point.x == change.latest,
            PointKind::Recovery => Some(point.x) == recovered,
            PointKind::PeakTemperature | PointKind::WorstMinute => false,
        });
        sentences.push(format!(
            "{what} after {}{}",
            of_change(change, &pair[0], &pair[1], until),
            marks(here)
        ));
    }
    if let ([only], []) = (found.stages.as_slice(), found.changes.as_slice()) {
        let what = match &found.drift {
            Some(drift) if drift.last_bytes_per_s < drift.first_bytes_per_s => {
                format!(
                    "It declined slowly from {} to {}",
                    rate(drift.first_bytes_per_s),
                    rate(drift.last_bytes_per_s)
                )
            }
            Some(drift) => {
                format!(
                    "It rose slowly from {} to {}",
                    rate(drift.first_bytes_per_s),
                    rate(drift.last_bytes_per_s)
                )
            }
            None => "No change for good".to_owned(),
        };
        sentences.push(format!(
            "{what} within {} and {}: {} as a median, {} as a mean.",
            amount(only.until.bytes),
            seconds(only.until.at_ns),
            rate(only.typical_bytes_per_s),
            rate(only.mean_bytes_per_s),
        ));
    }
    sentences.extend(found.stages.iter().filter_map(|stage| Some(of_cycle(stage.cycle.as_ref()?, stage))));
    sentences
}

fn of_change(change: &Change, before: &Stage, after: &Stage, until: &str) -> String {
    let place = between(change.earliest, change.latest);
    let (from, to) = (rate(before.typical_bytes_per_s), rate(after.typical_bytes_per_s));
    let trough = after.trough.as_ref().map_or_else(String::new, |trough| {
        format!(", after a trough of {} until {}", rate(trough.bytes_per_s), amount(trough.until.bytes))
    });
    let doubt = match change.confidence {
        Confidence::High => "",
        Confidence::Medium => " (fairly sure)",
        Confidence::Low => " (not sure: it lasted only shortly)",
    };
    format!(
        "{place}: from {from} to {to}{trough}; the mean {until} is {}{doubt}.",
        rate(after.mean_bytes_per_s)
    )
}

fn of_cycle(cycle: &Cycle, stage: &Stage) -> String {
    let from = if stage.from.bytes == 0 {
        "The".to_owned()
    } else {
        format!("From {} on the", amount(stage.from.bytes))
    };
    format!(
        "{from} speed goes up and down every {}: {} and {}, {} times.",
        seconds(cycle.period_ns),
        rate(cycle.high_bytes_per_s),
        rate(cycle.low_bytes_per_s),
        cycle.count,
    )
}

/// First, last and slowest minute in a sentence, with the point that marks the slowest.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn of_minutes(found: &Minutes, points: &[Point]) -> String {
    let share = found.last_bytes_per_s as f64 / found.first_bytes_per_s.max(1) as f64;
    format!(
        "The last minute has {} of the first: {} against {}; the slowest minute, from {} on, has {}.{}",
        format_percent(share),
        rate(found.last_bytes_per_s),
        rate(found.first_bytes_per_s),
        seconds(found.worst.at_ns),
        rate(found.worst_bytes_per_s),
        marks(of_kind(points, PointKind::WorstMinute)),
    )
}

/// The temperature in sentences, with the point that marks the highest.
#[must_use]
pub fn of_heat(found: &Heat, points: &[Point]) -> String {
    let end = match found.plateau {
        Some(plateau) => format!("settled at {}", format_celsius(plateau)),
        None => "did not settle".to_owned(),
    };
    let constant = found.time_constant_ns.map_or_else(String::new, |constant| {
        format!(" Under the longest steady load its time constant was {}.", seconds(constant))
    });
    format!(
        "The temperature began at {}, was highest at {} (reached after {}) and {end}.{}{constant}",
        format_celsius(found.start),
        format_celsius(found.peak),
        seconds(found.peak_at.at_ns),
        marks(of_kind(points, PointKind::PeakTemperature)),
    )
}

/// The power in a sentence.
#[must_use]
pub fn of_power(found: &Power) -> String {
    format!(
        "Power was {} at least, {} as a mean and {} at most.",
        format_watts(found.lowest),
        format_watts(found.mean),
        format_watts(found.highest),
    )
}

/// The verdict on throttling in a sentence.
#[must_use]
pub fn of_throttling(found: &Throttling) -> String {
    let how = match found.style {
        Some(ThrottleStyle::SustainedLimit) => "a lower speed was held",
        Some(ThrottleStyle::StopAndGo) => "speed collapsed and returned again and again",
        None => "no loss of speed stands out",
    };
    let at = found.at.map(format_celsius).unwrap_or_default();
    let peak = format_celsius(found.peak);
    match found.verdict {
        Throttled::Proven => {
            format!("Throttled for heat, as the drive's own counters say: {how}; {peak} at most.")
        }
        Throttled::Possible => {
            format!("Throttling possible: {how} at {at}; no counter tells heat from other causes.")
        }
        Throttled::NotShown => {
            format!("No throttling shown: {how}, but {at} at that time does not explain it.")
        }
        Throttled::NothingLost => match (found.lost_before, found.began_hot) {
            (Some(before), _) => format!(
                "Throttling cannot be told: the speed held, but the load just before had lost speed at {}, and its limit may have held all along; {peak} at most.",
                format_celsius(before)
            ),
            (None, true) => format!(
                "Throttling cannot be told: the speed held, but it was hot from the beginning, and a limit may have held all along; {peak} at most."
            ),
            (None, false) => format!("No throttling shown: no speed was lost at {peak} and below."),
        },
    }
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn rate(bytes_per_s: u64) -> String {
    format_rate(bytes_per_s as f64)
}

#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn seconds(ns: u64) -> String {
    let seconds = ns as f64 / NS_PER_S as f64;
    format!("{} s", grouped(seconds, usize::from(seconds < 100.0)))
}

/// An amount on the way: one decimal, so that places of one series can be compared.
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn amount(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format_capacity(bytes)
    } else {
        format!("{} GB", grouped(bytes as f64 / 1e9, 1))
    }
}

/// `74.4 to 79.4 GB (14.0 s to 15.0 s)`; one place when both ends read the same.
fn between(earliest: Place, latest: Place) -> String {
    let (from, until) = (amount(earliest.bytes), amount(latest.bytes));
    let (begin, end) = (seconds(earliest.at_ns), seconds(latest.at_ns));
    let amount = match (from.split_once(' '), until.split_once(' ')) {
        _ if from == until => until,
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {until}"),
        _ => format!("{from} to {until}"),
    };
    if begin == end { format!("{amount} ({end})") } else { format!("{amount} ({begin} to {end})") }
}
