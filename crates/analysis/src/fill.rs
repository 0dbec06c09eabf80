//! How much of fast writing is left in which state of the drive, and whether rest or a trim brings it back.
//!
//! Says what was seen, not why: that a drive is slow when it is full may have other reasons than that it is full.
//! Source: method of a review of QLC drives, the same write empty, with data, after a trim and after rests.

use crate::{findings::steps, series::stages};
use model::{
    ResultDocument,
    document::Cell,
    finding::{FillFindings, Recovery, StateFinding, Turn},
    method::Before,
    units::{Nanos, format_capacity, format_clock, format_rate},
};

/// Share of the fastest state's speed below which a write is slow from its beginning.
const SLOW: f64 = 0.7;
/// Share of the fast volume that must be there again.
const RECOVERED: f64 = 0.9;

/// What the writes of a result in several states show; `None` when there are fewer than two.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
pub fn of_document(document: &ResultDocument) -> Option<FillFindings> {
    let cells = document.cells.iter().filter(|cell| {
        cell.method.writes_fresh()
            && cell.method.loops == 1
            && cell.method.before.fill.is_some()
            && cell.status.counts()
    });
    let mut states: Vec<StateFinding> = cells.filter_map(state).collect();
    if states.len() < 2 {
        return None;
    }
    let fastest = states.iter().map(|one| one.fast_bytes_per_s).max().unwrap_or(0);
    for one in &mut states {
        if (one.fast_bytes_per_s as f64) < fastest as f64 * SLOW {
            one.fast_bytes = Some(0);
        }
    }
    let recovery = recovery(&states);
    Some(FillFindings { states, recovery })
}

fn state(cell: &Cell) -> Option<StateFinding> {
    let one = cell.loops.first()?;
    let series = steps(&cell.method, one, None, None);
    let found = stages::find(&series)?;
    let fell = found.changes.iter().position(|change| change.turn == Turn::Fall);
    let last = found.stages.last()?;
    let fast = match fell {
        Some(index) => &found.stages[index],
        None => last,
    };
    Some(StateFinding {
        before: cell.method.before,
        fast_bytes: fell.map(|index| found.changes[index].latest.bytes),
        written_bytes: series.end().bytes,
        fast_bytes_per_s: fast.typical_bytes_per_s,
        end_bytes_per_s: last.typical_bytes_per_s,
    })
}

/// Whether a rest or a trim came before it.
fn tried(one: &StateFinding) -> bool {
    one.before.trimmed || one.before.rested_seconds > 0
}

/// The emptiest state before which nothing was tried. Of levels in percent and in bytes those in percent come first:
/// how much a drive holds is not known here.
fn emptiest(states: &[StateFinding]) -> Option<&StateFinding> {
    states.iter().filter(|one| !tried(one)).min_by_key(|one| one.before.fill)
}

/// The first state at the level of another before which nothing was tried.
fn first_at_level<'a>(states: &'a [StateFinding], one: &StateFinding) -> Option<&'a StateFinding> {
    states.iter().find(|other| other.before.fill == one.before.fill && !tried(other))
}

/// Bytes that were written fast: all of them where the speed did not fall.
fn fast(one: &StateFinding) -> u64 {
    one.fast_bytes.unwrap_or(one.written_bytes)
}

/// Whether as much was fast as in another state. Where the speed did not fall, nothing is missing.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn as_much(one: &StateFinding, other: &StateFinding) -> bool {
    one.fast_bytes.is_none() || (fast(other) > 0 && fast(one) as f64 >= fast(other) as f64 * RECOVERED)
}

/// Whether what a level has less than the emptiest state follows how full the drive is: a level between the two lies
/// between them. Then it is no loss that a rest or a trim could bring back.
fn follows_fill(states: &[StateFinding], level: &StateFinding, emptiest: &StateFinding) -> bool {
    states.iter().filter(|one| !tried(one)).any(|one| {
        let fill = one.before.fill;
        let between = fill > emptiest.before.fill && fill < level.before.fill;
        between && !as_much(level, one) && !as_much(one, emptiest)
    })
}

fn recovery(states: &[StateFinding]) -> Recovery {
    let tries: Vec<&StateFinding> = states.iter().filter(|one| tried(one)).collect();
    let Some(emptiest) = emptiest(states).filter(|_| !tries.is_empty()) else { return Recovery::NotTried };
    let wholly: Vec<&StateFinding> = tries.iter().copied().filter(|one| as_much(one, emptiest)).collect();
    let to_level: Vec<&StateFinding> = tries
        .iter()
        .copied()
        .filter(|one| first_at_level(states, one).is_some_and(|first| as_much(one, first)))
        .collect();
    let level_lost = tries
        .iter()
        .filter_map(|one| first_at_level(states, one))
        .any(|first| !as_much(first, emptiest) && !follows_fill(states, first, emptiest));
    // At a level that had lost some already, as much as before is no recovery where no try had less.
    let back = if !wholly.is_empty() {
        wholly
    } else if to_level.len() < tries.len() || !level_lost {
        to_level
    } else {
        Vec::new()
    };
    if back.len() == tries.len() && !level_lost {
        return Recovery::NothingLost;
    }
    let rests = back.iter().map(|one| one.before.rested_seconds).filter(|seconds| *seconds > 0);
    match (rests.min(), back.is_empty()) {
        (Some(seconds), _) => Recovery::AfterRest(seconds),
        (None, false) => Recovery::AfterTrim,
        (None, true) => Recovery::DidNotRecover,
    }
}

/// The state in words that follow "with": `90 % in use, after 10 s of rest`.
#[must_use]
pub fn state_text(before: Before) -> String {
    let rest = format_clock(Nanos::from_secs(before.rested_seconds.into()));
    let parts = [
        before.fill.map(|fill| format!("{fill} in use")),
        before.trimmed.then(|| "trimmed".to_owned()),
        (before.rested_seconds > 0).then(|| format!("after {rest} of rest")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The findings in sentences.
#[must_use]
pub fn words(found: &FillFindings) -> Vec<String> {
    let mut words: Vec<String> = found.states.iter().map(state_words).collect();
    words.extend(recovery_words(found));
    words
}

fn recovery_words(found: &FillFindings) -> Option<String> {
    let states = &found.states;
    let longest = states.iter().map(|one| one.before.rested_seconds).max().unwrap_or(0);
    let rest = |seconds: u32| format_clock(Nanos::from_secs(seconds.into()));
    let trimmed = states.iter().any(|one| one.before.trimmed);
    let most = states.iter().filter(|one| tried(one)).max_by_key(|one| fast(one))?;
    let emptiest = emptiest(states)?;
    // Where the emptiest state is that of the level itself, there is one thing to tell it against.
    let first = first_at_level(states, most).filter(|first| first.before.fill == emptiest.before.fill);
    let with_emptiest = format!("with {}", state_text(emptiest.before));
    let as_before = match (first, as_much(most, emptiest)) {
        (None, true) => with_emptiest.as_str(),
        _ => "the first time at that level",
    };
    Some(match found.recovery {
        Recovery::NotTried => return None,
        Recovery::NothingLost => {
            let tries = match (longest > 0, trimmed) {
                (true, true) => format!("Neither {} of rest nor a trim", rest(longest)),
                (true, false) => format!("No rest up to {}", rest(longest)),
                _ => "No trim".to_owned(),
            };
            let also = match first {
                None if as_much(most, emptiest) => format!(", and as {with_emptiest}"),
                _ => String::new(),
            };
            format!("{tries} brought more: as much was written fast as the first time at that level{also}.")
        }
        Recovery::AfterRest(seconds) => {
            format!("After {} of rest as much was written fast as {as_before}.", rest(seconds))
        }
        Recovery::AfterTrim => format!(
            "After a trim as much was written fast as {as_before}{}.",
            if longest > 0 { format!(", {} of rest did not", rest(longest)) } else { String::new() }
        ),
        Recovery::DidNotRecover => {
            let tries = match (longest > 0, trimmed) {
                (true, true) => {
                    format!("It did not recover: neither after {} of rest nor after a trim", rest(longest))
                }
                (true, false) => format!("It did not recover within {} of rest", rest(longest)),
                _ => "It did not recover after a trim".to_owned(),
            };
            let [most, before] = [most, emptiest].map(|one| format_capacity(fast(one)));
            format!("{tries}. At most {most} was fast then, {before} {with_emptiest}.")
        }
    })
}

fn state_words(one: &StateFinding) -> String {
    let StateFinding { before, fast_bytes, written_bytes, fast_bytes_per_s, end_bytes_per_s } = one;
    #[expect(clippy::cast_precision_loss, reason = "a text needs no more than 53 bits")]
    let rate = |speed: u64| format_rate(speed as f64);
    let state = state_text(*before);
    match fast_bytes {
        None => format!(
            "With {state}: no change within {}, {}.",
            format_capacity(*written_bytes),
            rate(*end_bytes_per_s)
        ),
        Some(0) => format!("With {state}: slow from the beginning, {}.", rate(*end_bytes_per_s)),
        Some(bytes) => format!(
            "With {state}: {} at {}, then {}.",
            format_capacity(*bytes),
            rate(*fast_bytes_per_s),
            rate(*end_bytes_per_s)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::method::Fill;

    fn state(fill_percent: u8, rested_seconds: u32, trimmed: bool, fast_gb: u64) -> StateFinding {
        StateFinding {
            before: Before { fill: Some(Fill::Percent(fill_percent)), trimmed, rested_seconds },
            fast_bytes: Some(fast_gb * 1_000_000_000),
            written_bytes: 100_000_000_000,
            fast_bytes_per_s: 500_000_000,
            end_bytes_per_s: 160_000_000,
        }
    }

    #[test]
    fn what_brings_it_back_is_the_least_that_did() {
        let level = || vec![state(0, 0, false, 78), state(90, 0, false, 10)];
        let told = |more: &[StateFinding]| recovery(&[level(), more.to_vec()].concat());
        assert_eq!(told(&[]), Recovery::NotTried);
        let (short, long) = (state(90, 10, false, 2), state(90, 1_800, false, 10));
        assert_eq!(told(&[short.clone(), long.clone()]), Recovery::AfterRest(1_800));
        assert_eq!(told(&[short.clone(), state(90, 0, true, 10)]), Recovery::AfterTrim);
        assert_eq!(told(&[short.clone(), state(90, 0, true, 1)]), Recovery::DidNotRecover);
        assert_eq!(told(&[short, state(90, 300, false, 78)]), Recovery::AfterRest(300));
        // As little as before is no recovery.
        assert_eq!(told(&[long, state(90, 0, true, 10)]), Recovery::DidNotRecover);
    }

    #[test]
    fn what_was_never_lost_does_not_come_back() {
        let always = |gb| vec![state(0, 0, false, gb), state(90, 0, false, gb), state(90, 1_800, false, gb)];
        assert_eq!(recovery(&always(6)), Recovery::NothingLost);
        // A speed that does not fall is no loss, however little there was room for.
        let even = always(6).into_iter().enumerate().map(|(number, one)| StateFinding {
            fast_bytes: None,
            written_bytes: [300, 40, 40][number],
            ..one
        });
        assert_eq!(recovery(&even.collect::<Vec<_>>()), Recovery::NothingLost);
        // The fuller it is, the less there is.
        let levels = [(0, 78), (25, 60), (50, 42), (75, 24), (90, 13)];
        let fuller = levels.map(|(percent, gb)| state(percent, 0, false, gb));
        let told = |one: StateFinding| recovery(&[&fuller[..], &[one]].concat());
        assert_eq!(told(state(90, 1_800, false, 13)), Recovery::NothingLost);
        assert_eq!(told(state(90, 1_800, false, 5)), Recovery::DidNotRecover);
        // Here it has as little at every level but the emptiest.
        let stuck = levels.map(|(percent, gb)| state(percent, 0, false, if percent > 0 { 6 } else { gb }));
        assert_eq!(recovery(&[&stuck[..], &[state(90, 0, true, 6)]].concat()), Recovery::DidNotRecover);
        // There is nothing that it could be compared with.
        assert_eq!(recovery(&always(6)[2..]), Recovery::NotTried);
    }

    #[test]
    fn states_are_told_one_by_one() {
        let states = vec![
            state(0, 0, false, 78),
            state(90, 0, false, 6),
            state(90, 1_800, false, 0),
            state(90, 0, true, 6),
            StateFinding { fast_bytes: None, ..state(50, 0, false, 0) },
        ];
        let found = FillFindings { recovery: recovery(&states), states };
        insta::assert_snapshot!(words(&found).join("\n"));
    }

    #[test]
    fn a_recovery_is_told_against_what_it_was() {
        let told = |states: Vec<StateFinding>| {
            let found = FillFindings { recovery: recovery(&states), states };
            recovery_words(&found).unwrap_or_default()
        };
        let (empty, level) = (state(0, 0, false, 78), state(90, 0, false, 6));
        let all = [
            told(vec![empty.clone(), level.clone(), state(90, 60, false, 6), state(90, 0, true, 78)]),
            told(vec![empty.clone(), level.clone(), state(90, 60, false, 1), state(90, 0, true, 6)]),
            told(vec![empty.clone(), level.clone(), state(90, 60, false, 78)]),
            told(vec![empty.clone(), level.clone(), state(90, 60, false, 6)]),
            told(vec![empty.clone(), level, state(90, 0, true, 6)]),
            told(vec![
                empty.clone(),
                state(90, 0, false, 78),
                state(90, 60, false, 78),
                state(90, 0, true, 78),
            ]),
            told(vec![empty.clone(), state(0, 60, false, 78)]),
            told(vec![empty.clone(), state(0, 60, false, 6)]),
            told(vec![empty.clone(), state(90, 0, false, 78), state(90, 0, true, 78)]),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
