//! Busy time, bandwidth, access times and a score, while I/Os begin and end.
//!
//! Knows: the published definitions. Busy is the time in which at least one read or write is outstanding, bandwidth
//! is bytes over busy time, access time is the mean of the times from begin to end of reads and writes; opening,
//! closing and flushing count for nothing. Does not know: a clock, or which I/O is which.
//!
//! Source: UL's support articles on the storage benchmarks of PCMark 10 (44002171465 and those beside it).

use crate::operation::Op;
use model::units::{NS_PER_S, Nanos, Unit, per_second};

/// Counts I/Os as they begin and end, in memory that does not grow.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    in_flight: u64,
    /// When the present busy time began, nanoseconds; of no meaning without an I/O in flight.
    busy_since_ns: u64,
    /// The last event, nanoseconds.
    now_ns: u64,
    measured: Measured,
}

/// An I/O that has begun: to be given back when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "an I/O that never ends is busy for ever"]
pub struct Started {
    at_ns: u64,
    op: Op,
}

impl Meter {
    /// A meter that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An I/O begins at `at_ns`, nanoseconds of any monotonic clock. Events come in the order of their times: one that
    /// is told too late counts as if it were at the time of the last.
    pub fn start(&mut self, at_ns: u64, op: Op) -> Started {
        let at_ns = self.advance(at_ns);
        if op != Op::Flush {
            if self.in_flight == 0 {
                self.busy_since_ns = at_ns;
            }
            self.in_flight += 1;
        }
        Started { at_ns, op }
    }

    /// The I/O ends at `at_ns` and moved so many bytes; 0 when it failed.
    pub fn end(&mut self, started: Started, at_ns: u64, bytes: u32) {
        let at_ns = self.advance(at_ns);
        let side = match started.op {
            Op::Read => &mut self.measured.reads,
            Op::Write => &mut self.measured.writes,
            Op::Flush => return,
        };
        side.ios += 1;
        side.bytes = side.bytes.saturating_add(u64::from(bytes));
        side.access_ns += u128::from(at_ns.saturating_sub(started.at_ns));
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.in_flight == 0 {
            self.measured.busy_ns += at_ns.saturating_sub(self.busy_since_ns);
        }
    }

    /// I/Os that have begun and not ended.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// What was measured until the last event. I/Os that are in flight count in the busy time, and nowhere else yet.
    #[must_use]
    pub fn measured(&self) -> Measured {
        let open = if self.in_flight > 0 { self.now_ns.saturating_sub(self.busy_since_ns) } else { 0 };
        Measured { busy_ns: self.measured.busy_ns + open, ..self.measured }
    }

    fn advance(&mut self, at_ns: u64) -> u64 {
        self.now_ns = self.now_ns.max(at_ns);
        self.now_ns
    }
}

/// Reads or writes that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Side {
    /// How many.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// All their times from begin to end together, nanoseconds.
    pub access_ns: u128,
}

impl Side {
    /// Mean time from begin to end, nanoseconds; `None` without any.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    pub fn mean_access_ns(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.access_ns as f64 / self.ios as f64)
    }

    fn and(self, other: Self) -> Self {
        Self {
            ios: self.ios.saturating_add(other.ios),
            bytes: self.bytes.saturating_add(other.bytes),
            access_ns: self.access_ns.saturating_add(other.access_ns),
        }
    }
}

/// What I/Os came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    /// Time with at least one read or write outstanding, nanoseconds.
    pub busy_ns: u64,
    /// Reads.
    pub reads: Side,
    /// Writes.
    pub writes: Side,
}

impl Measured {
    /// This and another one that was played before or after it, never at the same time.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            busy_ns: self.busy_ns.saturating_add(other.busy_ns),
            reads: self.reads.and(other.reads),
            writes: self.writes.and(other.writes),
        }
    }

    /// Bytes over busy time, bytes per second; `None` when it was never busy.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        per_second(self.reads.and(self.writes).bytes, Nanos(self.busy_ns))
    }

    /// Mean time from begin to end of reads and writes together, nanoseconds; `None` without any.
    #[must_use]
    pub fn mean_access_ns(&self) -> Option<f64> {
        self.reads.and(self.writes).mean_access_ns()
    }

    /// The score; `None` when it was never busy or nothing was moved.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        Score::of(self.bandwidth()?, self.mean_access_ns()?)
    }
}

/// One figure of bandwidth and access time, by the formula published for PCMark 10, whose factor was not published:
/// it is told with the pack it was measured on ([`crate::Pack::score_name`]) and is no score of that program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The geometric mean of MB/s and 1 / seconds.
    pub value: f64,
    /// Bytes over busy time, bytes per second.
    pub bandwidth: f64,
    /// Mean access time, nanoseconds.
    pub access_ns: f64,
}

impl Score {
    /// From bytes per second and nanoseconds; `None` unless both are finite and above 0.
    #[must_use]
    pub fn of(bandwidth: f64, access_ns: f64) -> Option<Self> {
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        if !is_positive(bandwidth) || !is_positive(access_ns) {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a billion is exact")]
        let per_second = NS_PER_S as f64 / access_ns;
        let value = (Unit::BytesPerSecond.for_axis(bandwidth) * per_second).sqrt();
        Some(Self { value, bandwidth, access_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn overlaps_count_once_and_gaps_not_at_all() {
        let mut meter = Meter::new();
        let first = meter.start(100, Op::Read);
        let second = meter.start(150, Op::Write);
        meter.end(first, 200, 4_096);
        assert_eq!(meter.measured().busy_ns, 100, "the second is still outstanding");
        meter.end(second, 250, 8_192);
        let flush = meter.start(300, Op::Flush);
        meter.end(flush, 900, 0);
        let third = meter.start(1_000, Op::Read);
        meter.end(third, 1_050, 4_096);
        let measured = meter.measured();
        assert_eq!((meter.in_flight(), measured.busy_ns), (0, 200));
        assert_eq!(measured.reads, Side { ios: 2, bytes: 8_192, access_ns: 150 });
        assert_eq!(measured.writes, Side { ios: 1, bytes: 8_192, access_ns: 100 });
        assert_eq!(measured.reads.mean_access_ns(), Some(75.0));
        assert_eq!(measured.bandwidth(), Some(16_384.0 * 1e9 / 200.0));
    }

    #[test]
    fn times_that_go_back_do_no_harm() {
        let mut meter = Meter::new();
        let late = meter.start(1_000, Op::Read);
        let early = meter.start(10, Op::Read);
        meter.end(early, 500, 512);
        meter.end(late, 1_100, 512);
        assert_eq!(meter.measured().busy_ns, 100);
        assert_eq!(meter.measured().reads.access_ns, 100);
    }

    #[test]
    fn nothing_has_no_figures() {
        let nothing = Measured::default();
        assert_eq!((nothing.bandwidth(), nothing.mean_access_ns(), nothing.score()), (None, None, None));
        for (bandwidth, access_ns) in
            [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, 1.0)]
        {
            assert_eq!(Score::of(bandwidth, access_ns), None);
        }
    }

    #[test]
    fn a_score_has_both_its_components() {
        let score = Score::of(400e6, 63_000.0).unwrap();
        assert!((score.value - 2_519.76).abs() < 0.01, "{score:?}");
        assert_eq!((score.bandwidth, score.access_ns), (400e6, 63_000.0));
        assert_eq!(crate::APPLICATIONS.score_name(), "by the published formula on pack applications 1");
    }

    /// Nanoseconds of which at least one interval holds.
    fn union(intervals: &[(u64, u64, bool)]) -> u64 {
        let is_in =
            |at: u64| intervals.iter().any(|(begin, length, _)| (*begin..begin + length).contains(&at));
        (0..400).filter(|at| is_in(*at)).count() as u64
    }

    proptest! {
        #[test]
        fn busy_time_is_the_union(
            intervals in proptest::collection::vec((0_u64..300, 0_u64..60, any::<bool>()), 0..40),
        ) {
            let mut events = Vec::new();
            for (index, (begin, length, _)) in intervals.iter().enumerate() {
                events.push((*begin, 0, index));
                events.push((begin + length, 1, index));
            }
            events.sort_unstable();
            let mut meter = Meter::new();
            let mut started = vec![None; intervals.len()];
            for (at, is_end, index) in events {
                let op = if intervals[index].2 { Op::Read } else { Op::Write };
                if is_end == 0 {
                    started[index] = Some(meter.start(at, op));
                } else {
                    meter.end(started[index].take().unwrap(), at, 512);
                }
            }
            let measured = meter.measured();
            prop_assert_eq!(measured.busy_ns, union(&intervals));
            prop_assert_eq!(meter.in_flight(), 0);
            for (side, is_read) in [(measured.reads, true), (measured.writes, false)] {
                let own = intervals.iter().filter(|interval| interval.2 == is_read);
                prop_assert_eq!(side.ios, own.clone().count() as u64);
                prop_assert_eq!(side.bytes, side.ios * 512);
                prop_assert_eq!(side.access_ns, own.map(|(_, length, _)| u128::from(*length)).sum::<u128>());
            }
        }

        #[test]
        fn what_is_played_in_parts_adds_up(parts in proptest::collection::vec((1_u64..50, 1_u64..50), 1..20)) {
            let (mut at, mut whole, mut sum) = (0, Meter::new(), Measured::default());
            for (gap, length) in parts {
                let mut part = Meter::new();
                at += gap;
                let started = (whole.start(at, Op::Read), part.start(at, Op::Read));
                at += length;
                whole.end(started.0, at, 512);
                part.end(started.1, at, 512);
                sum = sum.and(part.measured());
            }
            prop_assert_eq!(whole.measured(), sum);
        }
    }
}
