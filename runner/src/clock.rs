//! The monotonic clock that all durations come from, and what a suspended machine does to it.
//!
//! Knows no wall clock: dates are labels, made elsewhere.

use model::units::{NS_PER_S, Nanos};
use rustix::time::{ClockId, clock_gettime};

/// `CLOCK_MONOTONIC` in nanoseconds since an arbitrary point; stands still while the machine sleeps.
#[inline]
#[must_use]
pub fn monotonic_ns() -> u64 {
    read(ClockId::Monotonic)
}

/// Processor time of this process, user and system, kernel worker threads of its rings included.
#[must_use]
pub fn process_cpu() -> Nanos {
    Nanos(read(ClockId::ProcessCPUTime))
}

#[inline]
#[expect(clippy::cast_sign_loss, reason = "these clocks start at 0 and never run backwards")]
fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64
}

/// The monotonic clock of one thread, which never hands out a reading before the one it follows: it gives the
/// earlier one again and counts that it did.
#[derive(Debug)]
pub(crate) struct SteadyClock {
    last_ns: u64,
    anomalies: u64,
}

impl SteadyClock {
    /// A clock whose readings follow `start_ns`.
    pub(crate) fn from(start_ns: u64) -> Self {
        Self { last_ns: start_ns, anomalies: 0 }
    }

    /// Now, nanoseconds as [`monotonic_ns`].
    #[inline]
    pub(crate) fn now(&mut self) -> u64 {
        self.follow(monotonic_ns())
    }

    /// The reading made last.
    #[inline]
    pub(crate) fn last(&self) -> u64 {
        self.last_ns
    }

    #[inline]
    fn follow(&mut self, reading_ns: u64) -> u64 {
        self.anomalies += u64::from(reading_ns < self.last_ns);
        self.last_ns = self.last_ns.max(reading_ns);
        self.last_ns
    }

    /// Readings so far that lay before the one they followed.
    pub(crate) fn anomalies(&self) -> u64 {
        self.anomalies
    }
}

/// Time since the start of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunClock {
    origin_ns: u64,
    /// Time on the clock at its origin: above 0 when the run went on after its program had died.
    offset_ns: u64,
}

impl RunClock {
    /// A run that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self::go_on(0)
    }

    /// A run that goes on now; so much time, in nanoseconds, is on its clock already.
    #[must_use]
    pub fn go_on(offset_ns: u64) -> Self {
        Self { origin_ns: monotonic_ns(), offset_ns }
    }

    /// Time since the run's start.
    #[must_use]
    pub fn now(&self) -> Nanos {
        self.at(monotonic_ns())
    }

    /// A reading of [`monotonic_ns`] as time since the run's start; the least there is for one
    /// before this program's part of it.
    #[must_use]
    pub fn at(&self, monotonic_ns: u64) -> Nanos {
        Nanos(monotonic_ns.saturating_sub(self.origin_ns).saturating_add(self.offset_ns))
    }
}

/// How long the machine slept since it was booted: what `CLOCK_BOOTTIME` is ahead of
/// `CLOCK_MONOTONIC`, nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct SleepMark(u64);

impl SleepMark {
    /// The mark of this moment.
    #[must_use]
    pub fn now() -> Self {
        // Monotonic first: a pause between the two readings then looks like a sleep, and never hides one.
        let monotonic = monotonic_ns();
        Self(read(ClockId::Boottime).saturating_sub(monotonic))
    }

    /// How long the machine slept since this mark. Differences below a millisecond are the two readings
    /// themselves and count as 0.
    #[must_use]
    pub fn slept(self) -> Nanos {
        let slept = Self::now().0.saturating_sub(self.0);
        Nanos(if slept < NS_PER_S / 1000 { 0 } else { slept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_since_the_start_rises_and_never_wraps() {
        let clock = RunClock::start();
        let first = clock.now();
        assert!(clock.now() >= first);
        assert_eq!(clock.at(0), Nanos(0));
        let later = RunClock::go_on(7 * NS_PER_S);
        assert!(later.now().0 >= 7 * NS_PER_S && later.now().0 < 3600 * NS_PER_S);
        assert_eq!(later.at(0), Nanos(7 * NS_PER_S));
    }

    #[test]
    fn a_clock_that_runs_backwards_is_held_and_counted() {
        let mut clock = SteadyClock::from(100);
        let readings = [100, 150, 149, 150, 90, 160].map(|reading_ns| clock.follow(reading_ns));
        assert_eq!((readings, clock.anomalies()), ([100, 150, 150, 150, 150, 160], 2));
    }

    #[test]
    fn work_takes_processor_time() {
        let before = process_cpu();
        let sum = (0..2_000_000_u64).fold(0, |sum: u64, i| std::hint::black_box(sum ^ i));
        assert!(process_cpu() > before, "{sum}");
    }
}
