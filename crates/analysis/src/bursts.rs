//! What bursts of writes with rests between them show: which burst slowed, and whether the drive worked while it
//! rested.
//!
//! A continuous write cannot tell the size of a fast cache, because many drives cap how much of one write they take
//! fast; a pause lifts the cap. Power after a burst tells what the host cannot see: a drive that empties its cache
//! goes on drawing power. Source: method of a review of `PCIe` 4.0 drives, 100 GB, 10 s of rest, four times.

use crate::{
    findings::{sensor, steps},
    series::{
        heat::{EARLY, HOT},
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

/// Share of the power between rest and writing above which a drive at rest is at work.
const AT_WORK: f64 = 0.25;
/// Share of the first burst's speed below which a burst is slow from its beginning.
const SLOW: f64 = 0.7;

/// What a cell of bursts shows; `None` when it is none, or no burst was finished.
#[must_use]
pub fn of_cell(document: &ResultDocument, cell: &Cell) -> Option<Bursts> {
    let stretches = cell.method.stretches()?;
    if !cell.method.writes_fresh() || cell.method.loops < 2 || cell.loops.is_empty() {
        return None;
    }
    let power = sensor(document, Quantity::Power);
    let temperature = sensor(document, Quantity::Temperature);
    let rest_ns = u64::from(stretches.rest_seconds) * NS_PER_S;
    let mut usual = None;
    let mut bursts = Vec::new();
    for one in &cell.loops {
        let mut burst = burst(&cell.method, one, power, rest_ns, usual)?;
        burst.peak_temperature = temperature.and_then(|series| highest(series, one));
        usual.get_or_insert(burst.first_bytes_per_s);
        bursts.push(burst);
    }
    let slow = bursts.iter().position(|burst| burst.slowed_after.is_some());
    let held_bytes = slow.map(|slow| {
        let before: u64 = bursts[..slow].iter().map(|burst| burst.bytes).sum();
        before + bursts[slow].slowed_after.unwrap_or(0)
    });
    let folding = folding(&bursts, power);
    let warning = temperature.and_then(|series| series.warning.known().copied());
    let hot = warning.map_or(HOT, |warning| warning - EARLY);
    let heat_possible = slow.and_then(|slow| bursts[slow].peak_temperature).is_some_and(|peak| peak >= hot);
    Some(Bursts { bursts, rest_seconds: stretches.rest_seconds, held_bytes, folding, heat_possible })
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
            let burst = burst(method, one, None, 0, usual)?;
            usual.get_or_insert(burst.first_bytes_per_s);
            burst.slowed_after
        })
        .last()
        .flatten()
        .is_some()
}

fn burst(
    method: &Method,
    one: &Loop,
    power: Option<&Series>,
    rest_ns: u64,
    usual: Option<u64>,
) -> Option<Burst> {
    let series = steps(method, one, None, None);
    let found = stages::find(&series)?;
    let count = series.all().len();
    let mean = |steps: std::ops::Range<usize>| series.mean_speed(steps).map_or(0, whole);
    // Tenths by bytes: by time the slow end of a burst would be most of it.
    let tenth = series.end().bytes / 10;
    let until = (0..count).position(|step| series.end_of(step).bytes >= tenth).map_or(count, |step| step + 1);
    let from = (0..count).position(|step| series.end_of(step).bytes > 9 * tenth).unwrap_or(0);
    let first = mean(0..until);
    let fell = found.changes.iter().find(|change| change.turn == Turn::Fall);
    let slow_at_once = usual.is_some_and(|usual| is_slow(first, usual));
    let end_ns = one.started_ns.saturating_add(one.elapsed_ns);
    Some(Burst {
        bytes: one.transfer(method)?.bytes,
        mean_bytes_per_s: mean(0..count),
        first_bytes_per_s: first,
        last_bytes_per_s: mean(from..count),
        slowed_after: fell.map(|change| change.latest.bytes).or(slow_at_once.then_some(0)),
        peak_temperature: None,
        power: power.and_then(|series| median(series, one.started_ns, end_ns)),
        rest_power: power.and_then(|series| {
            median(series, end_ns.saturating_add(rest_ns / 2), end_ns.saturating_add(rest_ns))
        }),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn is_slow(speed: u64, usual: u64) -> bool {
    (speed as f64) < usual as f64 * SLOW
}

/// The median of what a series holds after one time and up to another.
fn median(series: &Series, after_ns: u64, until_ns: u64) -> Option<i64> {
    let from = series.at_ns.partition_point(|at_ns| *at_ns <= after_ns);
    let until = series.at_ns.partition_point(|at_ns| *at_ns <= until_ns);
    let mut values: Vec<i64> = series.values.get(from..until)?.iter().copied().flatten().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[expect(clippy::cast_precision_loss, reason = "a power needs no more than 53 bits")]
fn folding(bursts: &[Burst], power: Option<&Series>) -> Folding {
    let lowest = power.and_then(|series| series.values.iter().flatten().min());
    let at_work: Option<Vec<bool>> = bursts
        .iter()
        .map(|burst| {
            let (lowest, writing, rest) = (*lowest? as f64, burst.power? as f64, burst.rest_power? as f64);
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

    fn power() -> Series {
        let mut series = model::fixtures::document("Example", 1.0, model::ids::PublicKey([1; 32]))
            .telemetry
            .series
            .remove(0);
        series.quantity = Quantity::Power;
        series.values = vec![Some(300); series.values.len()];
        series
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
            folding(&bursts, Some(&power()))
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
