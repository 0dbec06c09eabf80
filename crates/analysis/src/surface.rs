//! Speed at many places of a span: which of them are clearly slower than those around them.
//!
//! A place is slow when the drive is clearly faster before it and behind it, and the speed falls and returns within few
//! places. The regular slope of a hard disk or of an array has only one faster side and no such step, so it is none.
//! At an end of the span, where there is one side only, a step that never returns counts.
//! Knows: speeds in the order of their places. Does not know: whether the place or the moment was slow: each place is
//! measured once.

use crate::{
    series::whole,
    stats,
    summary::{counted_loops, loop_value},
};
use model::{
    Method, ResultDocument,
    document::{Cell, CellStatus, TargetKind},
    finding::{AccessTimes, Found, SlowPlace, Story, Surface},
    method::Pattern,
    metric::MetricKind,
    units::{Nanos, format_capacity, format_count, format_nanos, format_percent, format_rate, grouped},
};
use std::ops::Range;

/// Fewer places show no slope that a step could be told from.
const LEAST_PLACES: usize = 50;
/// What a slow place lacks at least, as a share of the speed on both sides.
const CLEARLY: f64 = 0.15;
/// The same in sizes of the change that is usual from one place to the next.
const USUAL_CHANGES: f64 = 6.0;
/// What of the least lack must come about within few places.
const AT_ONCE: f64 = 0.75;
/// What must be lacking at an end of the span, where there is one side only, as a multiple of the least lack.
const ONE_SIDE: f64 = 1.5;
/// Places that are few.
const FEW: usize = 3;
/// Places on each side that the speed around a slow place is taken from.
const AROUND: usize = 5;
/// Change from the first to the last tenth of the places that is told as a slope, as a share.
const SLOPE: f64 = 0.1;
/// Slow places that are told one by one.
const MOST_TOLD: usize = 6;

/// The slow places among speeds in the order of their places, as ranges of them; none with fewer than 50 places.
#[must_use]
pub fn slow_places(speeds: &[f64]) -> Vec<Range<usize>> {
    let count = speeds.len();
    if count < LEAST_PLACES || speeds.iter().any(|speed| !speed.is_finite() || *speed < 0.0) {
        return Vec::new();
    }
    let lack = least_lack(speeds);
    let slow = widened(speeds, valleys(speeds, lack), lack);
    let reversed: Vec<f64> = speeds.iter().rev().copied().collect();
    let mut slow = widened(&reversed, slow.into_iter().rev().collect(), lack);
    slow.reverse();
    runs(&slow)
        .into_iter()
        // More than half of all is what the drive is.
        .filter(|run| run.len() <= count / 2 && is_sharp(speeds, &slow, run, lack))
        .collect()
}

/// What a slow place must lack at least, as a share: more where speed varies from place to place anyway.
fn least_lack(speeds: &[f64]) -> f64 {
    let change = |pair: &[f64]| (pair[0] - pair[1]).abs() / pair[0].max(pair[1]).max(f64::MIN_POSITIVE);
    let changes: Vec<f64> = speeds.windows(2).map(change).collect();
    let usual = stats::of(&changes).map_or(0.0, |stats| stats.median);
    CLEARLY.max(USUAL_CHANGES * usual)
}

/// Places with clearly faster ones on both sides.
fn valleys(speeds: &[f64], lack: f64) -> Vec<bool> {
    let count = speeds.len();
    // A single fast place is no side to fall from.
    let level = |index: usize| match index {
        0 => speeds[0],
        last if last + 1 == count => speeds[last],
        index => median(&speeds[index - 1..=index + 1]),
    };
    let levels: Vec<f64> = (0..count).map(level).collect();
    // Of those passed so far, without the present one.
    let highest = |levels: &mut dyn Iterator<Item = &f64>| -> Vec<f64> {
        let passed = levels.scan(0.0_f64, |most, level| {
            let so_far = *most;
            *most = most.max(*level);
            Some(so_far)
        });
        passed.collect()
    };
    let before = highest(&mut levels.iter());
    let mut behind = highest(&mut levels.iter().rev());
    behind.reverse();
    (0..count).map(|index| speeds[index] < (1.0 - lack) * before[index].min(behind[index])).collect()
}

/// The slow places with those right before them, between them and before the end that lie beyond a step down from which
/// speed does not return: on a slope, what is slow at the fast side of a place may be as fast as the other side is anyway.
fn widened(speeds: &[f64], mut slow: Vec<bool>, lack: f64) -> Vec<bool> {
    let count = speeds.len();
    // Speed right before the present slow places.
    let mut outside = 0.0;
    let mut from = 0;
    while from < count {
        let until = (from..count).find(|index| slow[*index]).unwrap_or(count);
        let at_the_end = until == count;
        let lack = if at_the_end { ONE_SIDE * lack } else { lack };
        let beyond =
            |from: usize, usual: f64| speeds[from..until].iter().all(|speed| *speed < (1.0 - lack) * usual);
        if !at_the_end && beyond(from, outside) {
            slow[from..until].fill(true);
        } else {
            let usual = |step: usize| median(&speeds[from.max(step.saturating_sub(FEW))..step]);
            let step = (from + 1..until).find(|step| beyond(*step, usual(*step))).unwrap_or(until);
            slow[step..until].fill(true);
            outside = usual(step);
        }
        from = (until..count).find(|index| !slow[*index]).unwrap_or(count);
    }
    slow
}

/// Slow places in a row; a single one between that is not slow does not part them.
fn runs(slow: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for index in (0..slow.len()).filter(|index| slow[*index]) {
        match runs.last_mut() {
            Some(run) if index <= run.end + 1 => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// Whether speed falls at the beginning of a run within few places, and returns so at its end.
fn is_sharp(speeds: &[f64], slow: &[bool], run: &Range<usize>, lack: f64) -> bool {
    let usual = |places: &mut dyn Iterator<Item = usize>| -> Vec<f64> {
        places.filter(|index| !slow[*index]).take(FEW).map(|index| speeds[index]).collect()
    };
    let few = run.len().min(FEW);
    let falls = |inside: &[f64], outside: Vec<f64>| {
        outside.is_empty() || median(inside) < (1.0 - AT_ONCE * lack) * median(&outside)
    };
    falls(&speeds[run.start..run.start + few], usual(&mut (0..run.start).rev()))
        && falls(&speeds[run.end - few..run.end], usual(&mut (run.end..speeds.len())))
}

/// The median; 0 of none.
fn median(values: &[f64]) -> f64 {
    stats::of(values).map_or(0.0, |stats| stats.median)
}

/// What the cells of a document that were measured at many places show, in their order.
#[must_use]
pub fn stories(document: &ResultDocument) -> Vec<Story> {
    let found = document.cells.iter().enumerate().filter_map(|(index, cell)| of_cell(document, index, cell));
    found
        .map(|found| {
            let cell = &document.cells[found.cell];
            let run = if document.runs > 1 { format!(", run {}", cell.run + 1) } else { String::new() };
            Story {
                title: format!("{}{run}", cell.method.label()),
                sentences: words(&found, cell.method.pattern.writes(), true),
                found: Found::Surface(found),
            }
        })
        .collect()
}

/// Where each loop of a cell begins and ends in its span, and its speed; a loop that moved nothing has none.
#[must_use]
pub fn speeds(cell: &Cell) -> Vec<(Range<u64>, f64)> {
    let bytes = cell.method.stretches().map_or(0, |one| one.loop_bytes);
    (0..)
        .zip(&cell.loops)
        .map(|(number, one)| {
            let begin = cell.method.stretch_begin(number);
            (begin..begin + bytes, loop_value(&cell.method, one, MetricKind::BytesPerS).unwrap_or(0.0))
        })
        .collect()
}

fn of_cell(document: &ResultDocument, index: usize, cell: &Cell) -> Option<Surface> {
    let counts = cell.status.counts();
    if !counts || !cell.method.is_surface() || cell.loops.len() < LEAST_PLACES {
        return None;
    }
    let places = speeds(cell);
    let only: Vec<f64> = places.iter().map(|(_, speed)| *speed).collect();
    let all = stats::of(&only)?;
    let slow = slow_places(&only);
    let is_slow = |place: usize| slow.iter().any(|run| run.contains(&place));
    let points = (1..).zip(&slow).map(|(ordinal, run)| {
        let near = (0..run.start).rev().filter(|place| !is_slow(*place)).take(AROUND);
        let near = near.chain((run.end..only.len()).filter(|place| !is_slow(*place)).take(AROUND));
        let around: Vec<f64> = near.map(|place| only[place]).collect();
        SlowPlace {
            ordinal,
            from: places[run.start].0.start,
            until: places[run.end - 1].0.end,
            places: u32::try_from(run.len()).unwrap_or(u32::MAX),
            bytes_per_s: whole(median(&only[run.clone()])),
            around_bytes_per_s: whole(median(&around)),
            to_the_end: run.end == only.len(),
        }
    });
    let tenth = only.len().div_ceil(10);
    let block = document.drive.logical_block_bytes.known().copied();
    Some(Surface {
        cell: index,
        places: u32::try_from(only.len()).unwrap_or(u32::MAX),
        span_bytes: places.last()?.0.end,
        logical_block_bytes: block.filter(|_| document.target.kind == TargetKind::Device),
        median_bytes_per_s: whole(all.median),
        slowest_bytes_per_s: whole(all.min),
        first_bytes_per_s: whole(median(&only[..tenth])),
        last_bytes_per_s: whole(median(&only[only.len() - tenth..])),
        access: (!cell.method.pattern.writes()).then(|| access(document, cell)).flatten(),
        points: points.collect(),
    })
}

/// Times of single random reads over the same span in the same run.
fn access(document: &ResultDocument, beside: &Cell) -> Option<AccessTimes> {
    let cell = document.cells.iter().find(|cell| {
        let Method { pattern, span_bytes, .. } = cell.method;
        cell.run == beside.run
            && cell.status == CellStatus::Complete
            && (pattern, span_bytes) == (Pattern::RandRead, beside.method.span_bytes)
            && cell.method.place_by_depth() == Some(1)
    })?;
    let mut latency = model::Histogram::default();
    for one in counted_loops(&cell.loops) {
        latency.merge(&one.transfer(&cell.method)?.latency);
    }
    Some(AccessTimes {
        ios: latency.count(),
        median_ns: latency.percentile(50_000)?.0,
        p99_ns: latency.percentile(99_000)?.0,
        longest_ns: latency.max()?.0,
    })
}

/// The findings in sentences; those of slow places begin with their numbers where these are shown.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
pub fn words(found: &Surface, writes: bool, numbered: bool) -> Vec<String> {
    let rate = |bytes_per_s: u64| format_rate(bytes_per_s as f64);
    let places = format_count(found.places.into(), "place");
    let span = format_capacity(found.span_bytes);
    let (first, last) = (found.first_bytes_per_s, found.last_bytes_per_s);
    let mut words = Vec::new();
    let median = format!("{} as a median of {places}", rate(found.median_bytes_per_s));
    if found.points.is_empty() && first.abs_diff(last) as f64 >= SLOPE * first.max(last) as f64 {
        words.push(format!(
            "No slow place: speed changes from {} at the beginning to {} at the end of {span}; {median}.",
            rate(first),
            rate(last)
        ));
    } else if found.points.is_empty() {
        words.push(format!(
            "Even over the whole span of {span}: {median}, {} at the slowest.",
            rate(found.slowest_bytes_per_s)
        ));
    }
    // The worst are told, in the order of their places.
    let mut told: Vec<&SlowPlace> = found.points.iter().collect();
    told.sort_by(|a, b| b.below().total_cmp(&a.below()));
    told.truncate(MOST_TOLD);
    told.sort_by_key(|point| point.ordinal);
    for point in &told {
        words.push(format!(
            "{}Slow {}: {}, {} below the {} around {}.",
            if numbered { format!("[{}] ", point.ordinal) } else { String::new() },
            range_text(found, point),
            rate(point.bytes_per_s),
            format_percent(point.below()),
            rate(point.around_bytes_per_s),
            if point.places == 1 { "it" } else { "them" }
        ));
        if point.to_the_end && writes {
            words.push(
                "That reaches to the end: what was written before it may be the cause, such as a full cache, and not \
                 the place."
                    .to_owned(),
            );
        }
    }
    if !told.is_empty() {
        let more = found.points.len() - told.len();
        if more > 0 {
            words.push(format!("{more} more slow places are less far below."));
        }
        words.push(format!("All {places} together: {}.", median.split(" of ").next().unwrap_or_default()));
        words.push(
            "Each place was measured once: a second run tells a slow place from a slow moment.".to_owned(),
        );
    }
    words.extend(found.access.as_ref().map(|access| {
        format!(
            "Single random reads, {} of them: half took at most {}, 99 % at most {}, the longest {}; their places are \
             not kept.",
            grouped(access.ios as f64, 0),
            format_nanos(Nanos(access.median_ns)),
            format_nanos(Nanos(access.p99_ns)),
            format_nanos(Nanos(access.longest_ns))
        )
    }));
    words
}

/// `from 12.30 GB to 14.10 GB, 11 places`, on a whole device with the addresses of its blocks.
#[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
fn range_text(found: &Surface, point: &SlowPlace) -> String {
    let blocks = found.logical_block_bytes.map_or_else(String::new, |block| {
        let address = |bytes: u64| grouped((bytes / u64::from(block.max(1))) as f64, 0);
        // The last block is named, not the one behind it.
        format!(" (LBA {} to {})", address(point.from), address(point.until.saturating_sub(1)))
    });
    let places = match point.places {
        1 => String::new(),
        count => format!(", {}", format_count(count.into(), "place")),
    };
    format!("from {} to {}{blocks}{places}", format_capacity(point.from), format_capacity(point.until))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};
    use proptest::prelude::*;

    /// Speeds of so many places of a disk whose last one has this share of the first one's speed.
    fn disk(count: usize, last: f64) -> Vec<f64> {
        let fall = 1.0 - last * last;
        let place = |index: usize| index as f64 / (count - 1) as f64;
        (0..count).map(|index| 250e6 * (1.0 - fall * place(index)).sqrt()).collect()
    }

    fn planted(mut speeds: Vec<f64>, slow: Range<usize>, share: f64) -> Vec<f64> {
        speeds[slow].iter_mut().for_each(|speed| *speed *= share);
        speeds
    }

    #[test]
    fn slow_places_are_told_from_what_is_regular() {
        let flat = || vec![500e6; 200];
        let twice: Vec<f64> = disk(100, 0.5).into_iter().chain(disk(100, 0.5)).collect();
        let mut one_fast = flat();
        one_fast[80] = 900e6;
        let mut filling = flat();
        filling[70..].fill(160e6);
        let rough: Vec<f64> = (0..200).map(|index| if index % 2 == 0 { 500e6 } else { 300e6 }).collect();
        for (name, speeds, expected) in [
            ("even", flat(), vec![]),
            ("the slope of a disk", disk(200, 0.45), vec![]),
            ("few places of a disk", disk(50, 0.4), vec![]),
            ("a disk that begins at its slow end", disk(200, 0.5).into_iter().rev().collect(), vec![]),
            ("two disks one behind the other", twice, vec![]),
            ("one fast place", one_fast, vec![]),
            ("slow for more than half", filling, vec![]),
            ("rough all over", rough, vec![]),
            ("too few places", planted(vec![500e6; 49], 10..12, 0.1), vec![]),
            ("one slow place", planted(flat(), 60..61, 0.5), vec![(60, 61)]),
            ("a slow region on a slope", planted(disk(200, 0.5), 100..140, 0.6), vec![(100, 140)]),
            ("at the beginning", planted(disk(200, 0.5), 0..7, 0.6), vec![(0, 7)]),
            ("at the end", planted(disk(200, 0.5), 190..200, 0.6), vec![(190, 200)]),
            ("nothing at all came back", planted(flat(), 5..6, 0.0), vec![(5, 6)]),
            ("two", planted(planted(flat(), 10..20, 0.5), 150..151, 0.2), vec![(10, 20), (150, 151)]),
            ("a slope that is a little steeper", planted(flat(), 60..70, 0.9), vec![]),
        ] {
            let found: Vec<(usize, usize)> =
                slow_places(&speeds).into_iter().map(|run| (run.start, run.end)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    fn noisy(speeds: &[f64], noise: &[f64]) -> Vec<f64> {
        speeds.iter().zip(noise.iter().cycle()).map(|(speed, noise)| speed * (1.0 + noise)).collect()
    }

    proptest! {
        #[test]
        fn a_planted_region_is_found_within_one_place(
            count in 60..300_usize,
            at in 0.0..1.0_f64,
            width in 0.0..0.3_f64,
            share in 0.05..0.65_f64,
            last in 0.4..1.0_f64,
            noise in prop::collection::vec(-0.02..0.02_f64, 97),
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of places")]
            let (width, from) = {
                let width = ((count as f64 * width) as usize).max(1);
                (width, ((count - width) as f64 * at) as usize)
            };
            let speeds = planted(noisy(&disk(count, last), &noise), from..from + width, share);
            let found = slow_places(&speeds);
            prop_assert_eq!(found.len(), 1, "{:?} of {}..{}", found, from, from + width);
            prop_assert!(found[0].start.abs_diff(from) <= 1 && found[0].end.abs_diff(from + width) <= 1,
                "{:?} of {}..{}", found, from, from + width);
        }

        #[test]
        fn noise_is_no_place(
            count in 50..300_usize,
            last in 0.4..1.0_f64,
            noise in prop::collection::vec(-0.04..0.04_f64, 97),
        ) {
            prop_assert_eq!(slow_places(&noisy(&disk(count, last), &noise)), Vec::<Range<usize>>::new());
        }
    }

    fn document(share: f64) -> ResultDocument {
        fixtures::with_surface(fixtures::document("Example", 1.0, PublicKey([1; 32])), 60..71, share)
    }

    #[test]
    fn a_slow_region_is_told_with_its_addresses() {
        let mut document = document(0.4);
        document.target.kind = TargetKind::Device;
        let told = stories(&document);
        let [read, write] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(read.title, "SEQ1M Q8T1 read, 200 places");
        let Found::Surface(found) = &read.found else { unreachable!() };
        let [point] = found.points.as_slice() else { panic!("{found:?}") };
        assert_eq!((point.places, point.from), (11, document.cells[found.cell].method.stretch_begin(60)));
        assert!((point.below() - 0.6).abs() < 0.01, "{point:?}");
        let sentences = [read, write].map(|story| story.sentences.join("\n"));
        insta::assert_snapshot!(sentences.join("\n\n"));
    }

    #[test]
    fn what_is_even_is_said_to_be_and_what_is_void_is_not_told() {
        let mut document = document(1.0);
        let told = stories(&document);
        assert!(told[0].sentences[0].starts_with("Even over the whole span of "), "{told:?}");
        document.cells.iter_mut().for_each(|cell| cell.status = CellStatus::Void);
        assert_eq!(stories(&document), []);
    }
}
