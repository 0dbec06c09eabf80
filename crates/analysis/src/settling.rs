//! Whether a write that is going on, or a list of rounds, has nothing more to show.
//!
//! Knows: what was moved so far. Does not know: who moves it, or what happens when it is over.

use crate::{
    passes::steady,
    series::{Step, Steps, stages, whole},
    summary::{counted_loops, counted_values},
};
use model::{Method, document::Loop, finding::Place, method::Settles, metric::MetricKind, units::NS_PER_S};

/// Shortest step of the series that is looked at, nanoseconds.
const STEP_NS: u64 = NS_PER_S;
/// Time between two looks for changes, which go through the whole series.
const LOOK_NS: u64 = 10 * NS_PER_S;

/// A loop that ends when its speed has not changed for good for so many bytes and so much time.
#[derive(Debug)]
pub struct Settling {
    rule: Settles,
    steps: Vec<Step>,
    /// What was moved up to the last step.
    last: Place,
    /// When it is looked next.
    look_ns: u64,
}

impl Settling {
    /// Nothing is moved yet.
    #[must_use]
    pub fn new(rule: Settles) -> Self {
        Self { rule, steps: Vec::new(), last: Place::default(), look_ns: 0 }
    }

    /// Takes down how long and how far the loop has gone; whether that is enough. To be called often: what lies
    /// between two calls is one step.
    pub fn enough(&mut self, at_ns: u64, bytes: u64) -> bool {
        let elapsed_ns = at_ns.saturating_sub(self.last.at_ns);
        if elapsed_ns < STEP_NS {
            return false;
        }
        let moved = bytes.saturating_sub(self.last.bytes);
        self.steps.push(Step { elapsed_ns, bytes: moved, temperature: None, power: None });
        self.last = Place { at_ns, bytes };
        let long = |since: Place| {
            at_ns - since.at_ns >= u64::from(self.rule.seconds) * NS_PER_S
                && bytes - since.bytes >= self.rule.bytes
        };
        if at_ns < self.look_ns || !long(Place::default()) {
            return false;
        }
        self.look_ns = at_ns + LOOK_NS;
        let Some(found) = stages::find(&Steps::of_loop(self.steps.iter().copied())) else { return false };
        // What begins just now is no change yet.
        let typical = found.stages.last().map_or(0, |stage| stage.typical_bytes_per_s);
        let now = whole(self.steps.last().map_or(0.0, Step::speed));
        let usual = now >= typical / 4 * 3 && now <= typical / 3 * 4;
        usual && long(found.changes.last().map(|change| change.latest).unwrap_or_default())
    }
}

/// After how many counted loops of a cell both steady-state rules held; `None` when they do not.
#[must_use]
pub fn steady_after(method: &Method, loops: &[Loop]) -> Option<usize> {
    let rates = counted_values(method, loops, MetricKind::Iops);
    // A round without a figure is a round all the same.
    let all = rates.len() == counted_loops(loops).count();
    usize::try_from(steady(&rates).filter(|_| all)?.reached?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1_000_000;

    /// When a write at these speeds, in MB/s by the second, is enough.
    fn ends(speeds: impl Iterator<Item = u64>) -> Option<u64> {
        let mut settling = Settling::new(Settles { bytes: 60_000 * MB, seconds: 300 });
        let mut bytes = 0;
        for (second, speed) in (1..).zip(speeds) {
            bytes += speed * MB;
            if settling.enough(second * NS_PER_S, bytes) {
                return Some(second);
            }
        }
        None
    }

    #[test]
    fn a_write_ends_when_nothing_changed_for_long_enough_and_far_enough() {
        assert_eq!(ends(std::iter::repeat_n(500, 1_000)), Some(300), "nothing changes at all");
        let falls = |at: usize| std::iter::repeat_n(500, at).chain(std::iter::repeat_n(160, 2_000));
        let ended = ends(falls(150)).unwrap();
        // 60 GB take 375 seconds at the lower speed.
        assert!((525..=540).contains(&ended), "{ended}");
        let late = ends(falls(299)).unwrap();
        assert!(late > 299 + 300, "a fall just before the end begins the wait anew: {late}");
        assert_eq!(ends(std::iter::repeat_n(50, 1_000)), None, "too little was written");
    }

    #[test]
    fn calls_that_come_too_often_are_one_step() {
        let mut settling = Settling::new(Settles { bytes: 1, seconds: 1 });
        assert!(!settling.enough(NS_PER_S / 10, 100));
        assert!(settling.enough(NS_PER_S, 1_000));
    }
}
