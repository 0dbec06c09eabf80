//! What bursts of writes with rests between them show: which burst slowed, and whether the drive worked while it
//! rested.
//!
//! A continuous write cannot tell the size of a fast cache, because many drives cap how much of one write they take
//! fast; a pause lifts the cap. Power after a burst tells what the host cannot see: a drive that empties its cache
//! goes on drawing power. Source: method of a review of `PCIe` 4.0 drives, 100 GB, 10 s of rest, four times.

use crate::{
    findings::{sensor, steps},
    series::{
        Step, Steps,
        heat::{EARLY, HOT, median},
        stages, whole,
    },
};
use model::{
    Method, ResultDocument,
    document::{Cell, Loop},
    finding::{Burst, Bursts, Folding, Turn},
    method::{Ends, Stretches},
    telemetry::{Quantity, Series},
    units::{NS_PER_S, format_capacity, format_celsius, format_rate, format_seconds, format_watts},
};
use std::ops::Range;

/// Share of the power between rest and writing above which a drive at rest is at work.
const AT_WORK: f64 = 0.25;
/// Share of the first burst's speed below which a burst is slow from its beginning.
const SLOW: f64 = 0.7;

/// What a cell of bursts shows; `None` when it is none, or no burst was finished.
#[must_use]
pub fn of_cell(document: &ResultDocument, cell: &Cell) -> Option<Bursts> {
    let stretches = cell.method.stretches()?;
    if !cell.method.is_bursts() || cell.loops.is_empty() {
        return None;
    }
    let power = sensor(document, Quantity::Power);
    let temperature = sensor(document, Quantity::Temperature);
    let rest_ns = u64::from(stretches.rest_seconds) * NS_PER_S;
    let mut usual = None;
    let mut bursts = Vec::new();
    for one in &cell.loops {
        let end_ns = one.started_ns.saturating_add(one.elapsed_ns);
        let between = |after, until| power.and_then(|series| median(held(series, after, until)));
        let burst = Burst {
            bytes: one.transfer(&cell.method)?.bytes,
            peak_temperature: temperature.and_then(|series| highest(series, one)),
            power: between(one.started_ns, end_ns),
            rest_power: between(end_ns.saturating_add(rest_ns / 2), end_ns.saturating_add(rest_ns)),
            ..burst(&steps(&cell.method, one, None, None), usual)?
        };
        usual.get_or_insert(burst.first_bytes_per_s);
        bursts.push(burst);
    }
    let lowest = power.and_then(|series| series.values.iter().flatten().min().copied());
    let warning = temperature.and_then(|series| series.warning.known().copied());
    Some(told(bursts, stretches.rest_seconds, lowest, warning))
}

/// Shortest pause between bursts of a series, nanoseconds: a shorter one may be a stall.
const SHORTEST_REST_NS: u64 = 5 * NS_PER_S;

/// What a series that stops and goes on shows; `None` when it has no pauses of about one length between bursts.
#[must_use]
pub fn of_series(series: &Steps) -> Option<Bursts> {
    let all = series.all();
    let time = |steps: &Range<usize>| series.time(steps.clone());
    let moves = |steps: &Range<usize>| all[steps.start].bytes > 0;
    let runs = series.runs();
    let rests: Vec<&Range<usize>> =
        runs.iter().filter(|run| !moves(run) && time(run) >= SHORTEST_REST_NS).collect();
    // A pause before the first burst is none between two.
    let rests: Vec<&Range<usize>> = rests.into_iter().skip_while(|rest| rest.start == 0).collect();
    let between = rests.iter().filter(|rest| rest.end < all.len());
    let mut lengths: Vec<u64> = between.map(|rest| time(rest)).collect();
    lengths.sort_unstable();
    let (shortest, longest) = (*lengths.first()?, *lengths.last()?);
    if longest > shortest.saturating_mul(2) {
        return None;
    }
    let values = |steps: Range<usize>, of: fn(&Step) -> Option<i64>| {
        all[steps].iter().filter_map(of).collect::<Vec<i64>>()
    };
    let begins = rests.iter().map(|rest| rest.end);
    let ends = rests.iter().map(|rest| rest.start).chain([all.len()]);
    let first = runs.iter().find(|run| moves(run))?.start;
    let mut usual = None;
    let mut bursts = Vec::new();
    for (index, steps) in [first].into_iter().chain(begins).zip(ends).map(|(a, b)| a..b).enumerate() {
        if steps.is_empty() {
            continue;
        }
        let rest = rests.get(index).map(|rest| rest.start + rest.len() / 2..rest.end);
        let burst = Burst {
            peak_temperature: values(steps.clone(), |step| step.temperature).into_iter().max(),
            power: median(values(steps.clone(), |step| step.power)),
            rest_power: rest.and_then(|rest| median(values(rest, |step| step.power))),
            ..burst(&Steps::new(all[steps].iter().copied()), usual)?
        };
        usual.get_or_insert(burst.first_bytes_per_s);
        bursts.push(burst);
    }
    let rest_seconds = u32::try_from(lengths[lengths.len() / 2] / NS_PER_S).ok()?;
    Some(told(bursts, rest_seconds, all.iter().filter_map(|step| step.power).min(), None))
}

/// What bursts show together: `lowest` is the least power that was read at any time, milliwatts, `warning` the drive's
/// warning temperature, milli-degrees; `None` where it is not known.
fn told(bursts: Vec<Burst>, rest_seconds: u32, lowest: Option<i64>, warning: Option<i64>) -> Bursts {
    let slow = bursts.iter().position(|burst| burst.slowed_after.is_some());
    let held_bytes = slow.map(|slow| {
        let before: u64 = bursts[..slow].iter().map(|burst| burst.bytes).sum();
        before + bursts[slow].slowed_after.unwrap_or(0)
    });
    let folding = folding(&bursts, lowest);
    let hot = warning.map_or(HOT, |warning| warning - EARLY);
    let heat_possible = slow.and_then(|slow| bursts[slow].peak_temperature).is_some_and(|peak| peak >= hot);
    Bursts { bursts, rest_seconds, held_bytes, folding, heat_possible }
}

/// The highest value that a series holds during a loop.
fn highest(series: &Series, one: &Loop) -> Option<i64> {
    let end_ns = one.started_ns.saturating_add(one.elapsed_ns);
    let readings = series.at_ns.iter().zip(&series.values);
    readings.filter(|(at, _)| (one.started_ns..=end_ns).contains(*at)).filter_map(|(_, value)| *value).max()
}

/// Most bursts of a cell that goes on until one slows down.
const MOST: u64 = 8;

/// The method of a cell whose bursts are as large as what a write before it took fast: the last one among `before`, in
/// the same room. As it is for other cells, and where no write before has fallen.
#[must_use]
pub fn adapted(method: &Method, before: &[Cell]) -> Method {
    let Some(stretches) = method.stretches().filter(|one| one.until_slow) else { return method.clone() };
    let fast = before.iter().rev().filter(|cell| cell.method.writes_fresh() && cell.method.loops == 1);
    let fast = fast.clone().find_map(|cell| {
        let found = stages::find(&steps(&cell.method, cell.loops.first()?, None, None))?;
        found.changes.iter().find(|change| change.turn == Turn::Fall).map(|change| change.earliest.bytes)
    });
    let block = u64::from(method.block_bytes.max(1));
    let Some(loop_bytes) = fast.map(|bytes| bytes.div_ceil(block) * block) else { return method.clone() };
    let loops = (method.span_bytes / loop_bytes.max(1)).min(MOST);
    let Some(loops) = u32::try_from(loops).ok().filter(|loops| *loops >= 2) else { return method.clone() };
    let ends = Ends::Bytes(Stretches { loop_bytes, ..*stretches });
    Method { loops, span_bytes: loop_bytes * u64::from(loops), ends, ..method.clone() }
}

/// Whether the last of a cell's loops slowed down and no more are wanted.
#[must_use]
pub fn enough(method: &Method, loops: &[Loop]) -> bool {
    if !method.stretches().is_some_and(|one| one.until_slow) {
        return false;
    }
    let mut usual = None;
    loops
        .iter()
        .map(|one| {
            let burst = burst(&steps(method, one, None, None), usual)?;
            usual.get_or_insert(burst.first_bytes_per_s);
            burst.slowed_after
        })
        .last()
        .flatten()
        .is_some()
}

/// What the speed of a burst tells, without what sensors said; `usual` is the speed at which the first one began.
fn burst(series: &Steps, usual: Option<u64>) -> Option<Burst> {
    let found = stages::find(series)?;
    let count = series.all().len();
    let mean = |steps: std::ops::Range<usize>| series.mean_speed(steps).map_or(0, whole);
    // Tenths by bytes: by time the slow end of a burst would be most of it.
    let tenth = series.end().bytes / 10;
    let until = (0..count).position(|step| series.end_of(step).bytes >= tenth).map_or(count, |step| step + 1);
    let from = (0..count).position(|step| series.end_of(step).bytes > 9 * tenth).unwrap_or(0);
    let first = mean(0..until);
    let fell = found.changes.iter().find(|change| change.turn == Turn::Fall);
    let slow_at_once = usual.is_some_and(|usual| is_slow(first, usual));
    Some(Burst {
        bytes: series.end().bytes,
        mean_bytes_per_s: mean(0..count),
        first_bytes_per_s: first,
        last_bytes_per_s: mean(from..count),
        slowed_after: fell.map(|change| change.latest.bytes).or(slow_at_once.then_some(0)),
        peak_temperature: None,
        power: None,
        rest_power: None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn is_slow(speed: u64, usual: u64) -> bool {
    (speed as f64) < usual as f64 * SLOW
}

/// What a series holds after one time and up to another.
fn held(series: &Series, after_ns: u64, until_ns: u64) -> Vec<i64> {
    let from = series.at_ns.partition_point(|at_ns| *at_ns <= after_ns);
    let until = series.at_ns.partition_point(|at_ns| *at_ns <= until_ns);
    series.values.get(from..until).unwrap_or_default().iter().copied().flatten().collect()
}

#[expect(clippy::cast_precision_loss, reason = "a power needs no more than 53 bits")]
fn folding(bursts: &[Burst], lowest: Option<i64>) -> Folding {
    let at_work: Option<Vec<bool>> = bursts
        .iter()
        .map(|burst| {
            let (lowest, writing, rest) = (lowest? as f64, burst.power? as f64, burst.rest_power? as f64);
            Some(rest > lowest + AT_WORK * (writing - lowest).max(0.0))
        })
        .collect();
    let Some(at_work) = at_work.filter(|_| !bursts.is_empty()) else { return Folding::NotObservable };
    let Some(first) = at_work.iter().position(|works| *works) else { return Folding::NotSeen };
    if at_work[first..].iter().all(|works| *works) {
        Folding::From(u32::try_from(first + 1).unwrap_or(u32::MAX))
    } else {
        Folding::Unclear
    }
}

/// The findings in sentences.
#[must_use]
pub fn words(found: &Bursts) -> Vec<String> {
    let Bursts { bursts, rest_seconds, held_bytes, folding, heat_possible } = found;
    let count = bursts.len();
    let rate = |bytes_per_s: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
        format_rate(bytes_per_s as f64)
    };
    let mut words = Vec::new();
    let slow = bursts.iter().position(|burst| burst.slowed_after.is_some());
    let fast = slow.unwrap_or(count);
    if fast > 0 {
        let means = bursts[..fast].iter().map(|burst| burst.mean_bytes_per_s);
        let (least, most) = (means.clone().min().unwrap_or(0), means.max().unwrap_or(0));
        let which = numbers(1, fast);
        let at =
            if rate(least) == rate(most) { rate(most) } else { format!("{} to {}", rate(least), rate(most)) };
        words.push(format!("{which} did not slow down: {at}."));
    }
    if let Some((slow, held)) = slow.zip(*held_bytes) {
        let burst = &bursts[slow];
        let when = match burst.slowed_after {
            Some(0) | None => "was slow from its beginning".to_owned(),
            Some(bytes) => format!("slowed down after {}", format_capacity(bytes)),
        };
        words.push(format!(
            "Burst {} {when}, when {} were written in all: {} at its beginning, {} at its end.",
            slow + 1,
            format_capacity(held),
            rate(burst.first_bytes_per_s),
            rate(burst.last_bytes_per_s)
        ));
        if let Some(peak) = burst.peak_temperature.filter(|_| *heat_possible) {
            words.push(format!(
                "Throttling possible: it reached {}, so this need not be the end of a cache.",
                format_celsius(peak)
            ));
        }
    } else {
        let all = bursts.iter().map(|burst| burst.bytes).sum();
        words.push(format!("No burst slowed down within {}.", format_capacity(all)));
    }
    let at_rest = |index: usize| bursts[index].rest_power.map(format_watts).unwrap_or_default();
    words.push(match folding {
        Folding::NotObservable => {
            "Folding is not observable: power was not measured in every burst and rest.".to_owned()
        }
        Folding::NotSeen => format!("Power fell at once in every rest of {}, to {}: nothing was folded then.", format_seconds(*rest_seconds), at_rest(count - 1)),
        Folding::From(first) => {
            let index = (*first as usize).saturating_sub(1);
            let before = match index {
                0 => String::new(),
                _ => format!("Power fell at once after {}, to {}; ", numbers(1, index).to_lowercase(), at_rest(index - 1)),
            };
            let stays = format!("from burst {first} on it stayed up in the rests, at {}: the drive went on working, as it does when it folds.", at_rest(index));
            if before.is_empty() { stays.replacen("it stayed", "power stayed", 1).replacen("from", "From", 1) } else { format!("{before}{stays}") }
        }
        Folding::Unclear => "Power stayed up after some bursts and fell after later ones.".to_owned(),
    });
    words
}

/// `Burst 1`, `Bursts 1 and 2`, `Bursts 1 to 3`.
fn numbers(first: usize, last: usize) -> String {
    match last.saturating_sub(first) {
        0 => format!("Burst {first}"),
        1 => format!("Bursts {first} and {last}"),
        _ => format!("Bursts {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(rest_power: Option<i64>, slowed_after: Option<u64>) -> Burst {
        Burst {
            bytes: 100_000_000_000,
            mean_bytes_per_s: 5_500_000_000,
            first_bytes_per_s: 5_500_000_000,
            last_bytes_per_s: 400_000_000,
            slowed_after,
            peak_temperature: None,
            power: rest_power.map(|_| 6_200),
            rest_power,
        }
    }

    /// Seconds of a rate in MB/s, at a power in milliwatts.
    fn seconds(parts: &[(u64, u64, i64)]) -> Steps {
        let step = |rate: u64, power| Step {
            elapsed_ns: NS_PER_S,
            bytes: rate * 1_000_000,
            temperature: None,
            power: Some(power),
        };
        let parts = parts.iter();
        Steps::new(parts.flat_map(|(rate, count, power)| (0..*count).map(|_| step(*rate, *power))))
    }

    #[test]
    fn a_series_with_pauses_is_a_series_of_bursts() {
        let burst = (5_000, 20, 6_200);
        let series = seconds(&[
            (0, 3, 300),
            burst,
            (0, 10, 310),
            burst,
            (0, 10, 2_700),
            (5_000, 10, 6_200),
            (400, 20, 4_000),
            (0, 10, 2_600),
        ]);
        let found = of_series(&series).unwrap();
        assert_eq!((found.bursts.len(), found.rest_seconds), (3, 10));
        assert_eq!(found.folding, Folding::From(2));
        assert_eq!(found.bursts[0].bytes, 100_000_000_000);
        let held = found.held_bytes.unwrap();
        assert!((250_000_000_000..=256_000_000_000).contains(&held), "{held}");
        assert_eq!(found.bursts[2].slowed_after.map(|bytes| bytes / 10_000_000_000), Some(5));
        // The rest after the last burst was not recorded: then nothing is said of folding.
        let cut = seconds(&[burst, (0, 10, 310), burst]);
        assert_eq!(of_series(&cut).map(|found| found.folding), Some(Folding::NotObservable));
    }

    #[test]
    fn stalls_and_odd_interruptions_are_no_rests() {
        let go = (5_000, 20, 6_200);
        assert_eq!(of_series(&seconds(&[go, (0, 3, 400), go, (0, 3, 400), go])), None, "stalls");
        assert_eq!(of_series(&seconds(&[go, (0, 60, 400), go, (0, 5, 400), go])), None, "odd");
        assert_eq!(of_series(&seconds(&[(0, 30, 400), go, (0, 30, 400)])), None, "one load");
        assert_eq!(of_series(&seconds(&[])), None);
    }

    #[test]
    fn a_hot_burst_that_slows_need_not_be_the_end_of_a_cache() {
        let mut hot = one(Some(300), Some(74_000_000_000));
        hot.peak_temperature = Some(66_800);
        let found = Bursts {
            bursts: vec![one(Some(300), None), hot],
            rest_seconds: 10,
            held_bytes: Some(174_000_000_000),
            folding: Folding::NotSeen,
            heat_possible: true,
        };
        let told = words(&found).join(" ");
        assert!(
            told.contains("Throttling possible: it reached 66.8 °C, so this need not be the end"),
            "{told}"
        );
        assert!(!words(&Bursts { heat_possible: false, ..found }).join(" ").contains("Throttling"));
    }

    #[test]
    fn power_at_rest_tells_folding() {
        let told = |rests: &[Option<i64>]| {
            let bursts: Vec<Burst> = rests.iter().map(|rest| one(*rest, None)).collect();
            folding(&bursts, Some(300))
        };
        assert_eq!(told(&[Some(300), Some(310), Some(2_700), Some(2_650)]), Folding::From(3));
        assert_eq!(told(&[Some(300), Some(300)]), Folding::NotSeen);
        assert_eq!(told(&[Some(2_700), Some(300)]), Folding::Unclear);
        assert_eq!(told(&[Some(300), None]), Folding::NotObservable);
        assert_eq!(folding(&[one(Some(300), None)], None), Folding::NotObservable);
    }

    #[test]
    fn the_story_reads_as_a_reviewer_would_tell_it() {
        let fast = one(Some(300), None);
        let folding = one(Some(2_700), None);
        let slowed = one(Some(2_700), Some(10_000_000_000));
        let story = Bursts {
            bursts: vec![fast, fast, folding, slowed],
            rest_seconds: 10,
            held_bytes: Some(310_000_000_000),
            folding: Folding::From(3),
            heat_possible: false,
        };
        insta::assert_snapshot!(words(&story).join("\n"));
        let unknown = Bursts { folding: Folding::NotObservable, ..story };
        assert!(words(&unknown)[2].starts_with("Folding is not observable"));
    }
}
