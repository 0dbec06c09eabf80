//! Stretches of a loop in which nothing completed although work was in flight: a drive that hung, or a program or
//! machine that was stopped.
//!
//! The recorded series cannot tell which of them stood still, so nothing here says it.

use model::{
    Method,
    document::{Loop, Transfer},
    units::{NS_PER_S, Nanos},
};

/// Shortest stretch that counts, nanoseconds.
const LEAST_NS: u64 = NS_PER_S;
/// How many times longer than the usual time between two completions a stretch is.
const TIMES_USUAL: u128 = 20;

/// The longest stretch without a completion in a loop that otherwise went on; `None` when there is none of a second or
/// more. Its length is that of the empty bins, so up to two bins less than it took.
///
/// A slow drive is none: where I/Os of that length are usual, or come again and again, they are the drive's own speed.
#[must_use]
pub fn longest(method: &Method, one: &Loop) -> Option<Nanos> {
    let transfer = one.transfer(method)?;
    let Transfer { ios, latency, bin_ns, bins, .. } = &*transfer;
    let empty = bins.split(|bytes| *bytes > 0).map(<[u64]>::len).max()?;
    let stretch_ns = (empty as u64).saturating_mul(*bin_ns).min(one.elapsed_ns);
    // Without any I/O the cell is void for that.
    if stretch_ns < LEAST_NS || *ios == 0 {
        return None;
    }
    let moving_ns = u128::from(one.elapsed_ns - stretch_ns);
    if u128::from(stretch_ns) * u128::from(*ios) < moving_ns * TIMES_USUAL {
        return None;
    }
    // What was in flight took as long as the stretch, once; more I/Os of that length are a habit.
    let in_flight = u64::from(method.queue_depth) * u64::from(method.threads);
    let as_long = latency.buckets().filter(|(low, ..)| low.0 >= stretch_ns / 10 * 9);
    let as_long = as_long.fold(0_u64, |sum, (.., count)| sum.saturating_add(count));
    (as_long <= in_flight).then_some(Nanos(stretch_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Histogram, document::BIN_NS, fixtures, ids::PublicKey};

    /// A random read at `depth` whose bins hold so many I/Os each, of the latencies in (milliseconds, count).
    fn found(depth: u32, bins: &[u64], latencies: &[(u64, u64)]) -> Option<u64> {
        let document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let cell = &document.cells[4];
        let method = Method { queue_depth: depth, ..cell.method.clone() };
        let mut one = cell.loops[0].clone();
        let mut latency = Histogram::default();
        for (ms, count) in latencies {
            latency.record_many(Nanos(ms * 1_000_000), *count);
        }
        one.elapsed_ns = bins.len() as u64 * BIN_NS;
        one.read = Some(Transfer {
            ios: bins.iter().sum(),
            bytes: bins.iter().sum::<u64>() * 4096,
            latency,
            bin_ns: BIN_NS,
            bins: bins.iter().map(|ios| ios * 4096).collect(),
        });
        longest(&method, &one).map(|ns| ns.0 / 1_000_000)
    }

    #[test]
    fn a_stop_is_found_and_a_slow_drive_is_none() {
        let with_gap = |each: u64, gap: usize| [vec![each; 20], vec![0; gap], vec![each; 20]].concat();
        // A program that was stopped for two seconds: what was in flight took that long, or nothing was.
        assert_eq!(found(1, &with_gap(1_000, 19), &[(0, 39_999), (2_000, 1)]), Some(1_900));
        assert_eq!(found(32, &with_gap(1_000, 19), &[(3, 39_968), (2_000, 32)]), Some(1_900));
        assert_eq!(found(1, &with_gap(1_000, 19), &[(0, 40_000)]), Some(1_900));
        // A hard disk that hung once.
        assert_eq!(found(1, &with_gap(10, 15), &[(10, 399), (1_500, 1)]), Some(1_500));
        // Half a second is not much.
        assert_eq!(found(1, &with_gap(1_000, 5), &[(0, 39_999), (500, 1)]), None);
        // A slow drive: every I/O takes longer than a second.
        let slow: Vec<u64> = (0..50).map(|bin| u64::from(bin % 12 == 11)).collect();
        assert_eq!(found(1, &slow, &[(1_200, 4)]), None);
        // One that stalls again and again between quick I/Os.
        let stalls = [with_gap(50, 12), with_gap(50, 12)].concat();
        assert_eq!(found(1, &stalls, &[(2, 3_998), (1_250, 2)]), None);
        // Nothing at all is another finding.
        assert_eq!(found(1, &[0; 50], &[]), None);
    }
}
