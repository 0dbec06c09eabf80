//! The first minute of a series against its last and its slowest.

use super::{Steps, whole};
use model::{
    finding::Minutes,
    units::{NS_PER_S, Nanos, per_second},
};

const MINUTE_NS: u64 = 60 * NS_PER_S;

/// First, last and slowest minute; `None` when the series is shorter than two minutes or has pauses, since a minute with
/// a pause in it tells nothing of the drive.
///
/// Minutes are cut at the ends of steps, so they may be longer than a minute by less than a step.
#[must_use]
pub fn find(series: &Steps) -> Option<Minutes> {
    if series.end().at_ns < 2 * MINUTE_NS || !series.pauses().is_empty() {
        return None;
    }
    let count = series.all().len();
    let mean = |from: usize, until: usize| {
        let (begin, end) = (series.begin(from), series.end_of(until - 1));
        per_second(end.bytes - begin.bytes, Nanos(end.at_ns - begin.at_ns)).unwrap_or(0.0)
    };
    let mut worst: Option<(f64, usize)> = None;
    let (mut first, mut last) = (0.0, 0.0);
    let mut until = 0;
    for from in 0..count {
        while until < count
            && (until == from || series.end_of(until - 1).at_ns - series.begin(from).at_ns < MINUTE_NS)
        {
            until += 1;
        }
        if series.end_of(until - 1).at_ns - series.begin(from).at_ns < MINUTE_NS {
            break;
        }
        last = mean(from, until);
        if from == 0 {
            first = last;
        }
        if worst.is_none_or(|(least, _)| last < least) {
            worst = Some((last, from));
        }
    }
    worst.map(|(least, from)| Minutes {
        first_bytes_per_s: whole(first),
        last_bytes_per_s: whole(last),
        worst_bytes_per_s: whole(least),
        worst: series.begin(from),
    })
}
