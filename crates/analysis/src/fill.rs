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

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn recovery(states: &[StateFinding]) -> Recovery {
    let tried = |one: &&StateFinding| one.before.trimmed || one.before.rested_seconds > 0;
    // How much was fast at the same level before anything was tried.
    let reference = |one: &StateFinding| {
        let level = one.before.fill;
        let first = states.iter().find(|other| other.before.fill == level && !tried(other))?;
        Some(first.fast_bytes.unwrap_or(first.written_bytes))
    };
    let is_back = |one: &&StateFinding| {
        let fast = one.fast_bytes.unwrap_or(one.written_bytes);
        reference(one).is_some_and(|before| before > 0 && fast as f64 >= before as f64 * RECOVERED)
    };
    let mut tries = states.iter().filter(tried).peekable();
    if tries.peek().is_none() {
        return Recovery::NotTried;
    }
    let back: Vec<&StateFinding> = tries.filter(is_back).collect();
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
    let longest = found.states.iter().map(|one| one.before.rested_seconds).max().unwrap_or(0);
    let rest = |seconds: u32| format_clock(Nanos::from_secs(seconds.into()));
    let trimmed = found.states.iter().any(|one| one.before.trimmed);
    match found.recovery {
        Recovery::NotTried => {}
        Recovery::AfterRest(seconds) => {
            words.push(format!(
                "After {} of rest as much was written fast as the first time at that level.",
                rest(seconds)
            ));
        }
        Recovery::AfterTrim => words.push(format!(
            "After a trim as much was written fast as the first time at that level{}.",
            if longest > 0 { format!(", {} of rest did not", rest(longest)) } else { String::new() }
        )),
        Recovery::DidNotRecover => words.push(match (longest > 0, trimmed) {
            (true, true) => {
                format!("It did not recover: neither after {} of rest nor after a trim.", rest(longest))
            }
            (true, false) => format!("It did not recover within {} of rest.", rest(longest)),
            _ => "It did not recover after a trim.".to_owned(),
        }),
    }
    words
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
        assert_eq!(told(&[short.clone(), long]), Recovery::AfterRest(1_800));
        assert_eq!(told(&[short.clone(), state(90, 0, true, 10)]), Recovery::AfterTrim);
        assert_eq!(told(&[short, state(90, 0, true, 1)]), Recovery::DidNotRecover);
    }

    #[test]
    fn states_are_told_one_by_one() {
        let states = vec![
            state(0, 0, false, 78),
            state(90, 0, false, 6),
            state(90, 1_800, false, 0),
            StateFinding { fast_bytes: None, ..state(90, 0, true, 0) },
        ];
        let found = FillFindings { states, recovery: Recovery::DidNotRecover };
        insta::assert_snapshot!(words(&found).join("\n"));
    }
}
