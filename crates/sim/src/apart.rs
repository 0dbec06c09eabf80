//! I/Os that come one by one at their own times, and what random writes over everything do to a drive.
//!
//! Knows how long each takes and how the drive wears and recovers. Does not know where they come from. An I/O after a
//! pause waits until the way to the drive is awake: at a depth that never falls to nothing there is no such wait, which
//! is why a slot can cost nothing in one test and half of the bandwidth in another.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a model needs no more than 53 bits, and its figures are positive and small"
)]

use crate::{
    TICK_NS,
    drive::{Drive, Op, Tick},
};
use model::units::NS_PER_S;

/// Pause after which the way to the drive sleeps, nanoseconds.
const SLEEPS_AFTER_NS: f64 = 20_000.0;
/// Time after an I/O during which the drive is not yet at rest, nanoseconds.
const AWAKE_NS: u64 = 3 * NS_PER_S;

/// What random writes have done to a drive, and what I/Os with pauses between find.
#[derive(Debug, Clone, Default)]
pub(crate) struct Worn {
    /// How far it is worn down, 0 to 1.
    share: f64,
    /// Random writes so far, bytes.
    bytes: f64,
    /// What is left of the speed of writes in this pass, where the drive is unsteady.
    steadiness: f64,
    /// When its bus is free, nanoseconds since the pass began.
    free_ns: f64,
    /// Energy since the last step, joules.
    joules: f64,
    /// When the last I/O ended, nanoseconds since the pass began; `None` before there was one.
    last_ns: Option<u64>,
}

impl Drive {
    fn at(&self, pair: [f64; 2]) -> f64 {
        pair[self.slot as usize]
    }

    /// How far it is worn down by random writes, 0 to 1.
    #[must_use]
    pub fn wear(&self) -> f64 {
        self.worn.share
    }

    /// A step of random writes over everything, with so many of them in flight. Returns what it came to and the bytes.
    pub fn scatter(&mut self) -> (Tick, u64) {
        let seconds = TICK_NS as f64 / NS_PER_S as f64;
        let apart = self.parameters.apart;
        let [fresh, worn] = apart.scatter;
        let speed =
            (fresh + (worn - fresh) * self.worn.share) * (1.0 + self.ripple()) * f64::from(self.members);
        let bytes = speed * seconds;
        let end = apart.wears_in * self.capacity_bytes() as f64;
        self.worn.share += (1.0 - self.worn.share) * (1.0 - (-bytes / end).exp());
        self.worn.bytes += bytes;
        let each = bytes / f64::from(self.members);
        let watts = self.parameters.power.awake + each * self.parameters.power.native / seconds;
        (self.step(watts, seconds), bytes as u64)
    }

    /// Everything was written in order: so much of the wear is gone.
    pub fn wrote_in_order(&mut self, bytes: u64) {
        self.worn.share *= (-(bytes as f64) / self.capacity_bytes() as f64).exp();
    }

    /// Begins a pass of I/Os with pauses between.
    pub fn begin_pass(&mut self) {
        let apart = self.parameters.apart;
        // Which part it loses follows from what was written: no two passes are alike, and every run is.
        let draw = (self.worn.bytes / 1e6) as u64 % 1_000;
        let loss = if self.worn.bytes >= apart.unsteady_after * self.capacity_bytes() as f64 {
            self.at(apart.unsteady) * (draw * 617 % 1_000) as f64 / 1_000.0
        } else {
            0.0
        };
        self.worn.steadiness = 1.0 - loss * self.worn.share;
        (self.worn.free_ns, self.worn.last_ns, self.worn.joules) = (0.0, None, 0.0);
    }

    /// When an I/O ends that begins at `at_ns`, nanoseconds since the pass began. They come in the order of their times.
    pub fn answer(&mut self, op: Op, bytes: u32, at_ns: u64) -> u64 {
        let apart = self.parameters.apart;
        let (at, size) = (at_ns as f64, f64::from(bytes));
        let pause = at - self.worn.free_ns;
        let wake =
            if self.worn.last_ns.is_none() || pause > SLEEPS_AFTER_NS { self.at(apart.wake_ns) } else { 0.0 };
        let writes = matches!(op, Op::Write);
        let (fixed, speed, joules) = if writes {
            let lost = (1.0 - self.at(apart.worn)) * self.worn.share;
            let speed = self.at(apart.write) * (1.0 - lost) * self.worn.steadiness;
            (self.at(apart.write_ns), speed, self.parameters.power.native)
        } else {
            let read = self.parameters.read;
            (read.random_ns, read.transfer.min(read.most), self.parameters.power.read)
        };
        let speed = speed * f64::from(self.members);
        // The fixed times of I/Os in flight overlap; what they move goes through one after the other.
        let moved = size / speed * NS_PER_S as f64;
        let ready = if pause > SLEEPS_AFTER_NS { at + wake } else { at };
        let end = (ready + fixed).max(self.worn.free_ns) + moved;
        self.worn.free_ns = end;
        self.worn.joules += size * joules / f64::from(self.members);
        self.worn.last_ns = Some(end as u64);
        end as u64
    }

    /// The step in which the I/Os up to `until_ns` since the pass began were answered.
    pub fn pass_step(&mut self, until_ns: u64) -> Tick {
        let seconds = TICK_NS as f64 / NS_PER_S as f64;
        let awake = self.worn.last_ns.is_some_and(|last| until_ns.saturating_sub(last) < AWAKE_NS);
        let watts = if awake { self.at(self.parameters.apart.watts) } else { self.parameters.power.idle };
        let watts = watts + std::mem::take(&mut self.worn.joules) / seconds;
        self.recover(seconds);
        self.step(watts, seconds)
    }

    pub(crate) fn recover(&mut self, seconds: f64) {
        self.worn.share *= (-seconds / self.parameters.apart.recovers_in).exp();
        self.use_up(0.0, seconds);
    }
}
