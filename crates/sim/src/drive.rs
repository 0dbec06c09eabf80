//! One drive, or several together, in steps of 100 ms.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a model needs no more than 53 bits, and its figures are positive and small"
)]

use crate::{
    TICK_NS,
    parameters::{Cooling, Parameters, Slot, Speed},
};
use model::units::NS_PER_S;

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// What goes wrong in a drive, when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Random I/Os fail when more than one is in flight.
    Multi,
}

/// What is asked of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Read or write.
    pub op: Op,
    /// Whether offsets follow each other.
    pub sequential: bool,
    /// Bytes of an I/O.
    pub block_bytes: u32,
    /// I/Os in flight, of all threads together.
    pub in_flight: u32,
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// I/Os completed.
    pub ios: u64,
    /// Mean latency of them, nanoseconds; 0 without any.
    pub latency_ns: u64,
    /// Temperature at its end, milli-degrees Celsius.
    pub temperature: i64,
    /// Mean power in it, milliwatts.
    pub power: i64,
}

/// A drive with its state.
#[derive(Debug, Clone)]
pub struct Drive {
    /// What it is.
    pub parameters: Parameters,
    /// How it is cooled.
    pub cooling: Cooling,
    /// Where it is plugged in.
    pub slot: Slot,
    /// Drives that work together as one.
    pub members: u32,
    /// Share of the capacity that holds data already, 0 to 0.95.
    pub fill: f64,
    /// Whether only the fixed part of the fast cache is left.
    pub stuck: bool,
    /// What is broken; `None` for a sound drive.
    pub fault: Option<Fault>,
    ticks: u64,
    temperature: f64,
    limited: bool,
    /// Bytes in the fast cache.
    cached: f64,
    /// Bytes of the present continuous write.
    continuous: f64,
    /// Time without a write, nanoseconds.
    resting_ns: u64,
    /// Parts of an I/O that are not complete yet.
    rest: f64,
}

/// Steps after which small irregularities repeat.
const RIPPLE: u64 = 997;
/// Steps that a slow irregularity lasts.
const SLOW_RIPPLE: u64 = 37;
/// Size of them, as a share.
const RIPPLE_SHARE: f64 = 0.008;
/// What one member of several gets before the next one has its turn, bytes.
const CHUNK: f64 = 131_072.0;

impl Drive {
    /// A drive that has rested: cool, its cache empty.
    #[must_use]
    pub fn new(parameters: Parameters) -> Self {
        let temperature =
            parameters.heat.ambient + parameters.power.idle * parameters.heat.degrees_per_watt[0];
        Self {
            parameters,
            cooling: Cooling::None,
            slot: Slot::Cpu,
            members: 1,
            fill: 0.0,
            stuck: false,
            fault: None,
            ticks: 0,
            temperature,
            limited: false,
            cached: 0.0,
            continuous: 0.0,
            resting_ns: 0,
            rest: 0.0,
        }
    }

    /// The same drive in other conditions, after it has rested in them.
    #[must_use]
    pub fn rested(mut self) -> Self {
        self.temperature = self.settled(self.parameters.power.idle);
        self
    }

    /// Capacity of all members together, bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.parameters.capacity_bytes * u64::from(self.members)
    }

    /// Whether I/Os of this load fail.
    #[must_use]
    pub fn fails(&self, load: Load) -> bool {
        match self.fault {
            Some(Fault::Multi) => !load.sequential && load.in_flight > 1,
            None => false,
        }
    }

    /// A step under load that does not fail; `None` is a step of rest.
    pub fn tick(&mut self, load: Option<Load>) -> Tick {
        self.ticks += 1;
        let seconds = TICK_NS as f64 / NS_PER_S as f64;
        let moved = load.map(|load| (load, self.ios_per_s(load)));
        let (mut ios, mut latency_ns, mut watts) = (0, 0, self.parameters.power.idle);
        match moved {
            Some((load, rate)) => {
                let exact = rate * seconds + self.rest;
                self.rest = exact.fract();
                ios = exact as u64;
                latency_ns = (f64::from(load.in_flight) / rate * NS_PER_S as f64).round() as u64;
                watts = self.parameters.power.awake + self.joules(load, ios as f64) / seconds;
            }
            None => watts += self.rest_a_step(seconds),
        }
        self.warm(watts, seconds);
        Tick {
            ios,
            latency_ns,
            temperature: (self.temperature * 1_000.0).round() as i64,
            power: (watts * f64::from(self.members) * 1_000.0).round() as i64,
        }
    }

    /// I/Os per second at this moment.
    fn ios_per_s(&self, load: Load) -> f64 {
        let Parameters { read, write, chipset_share, together, .. } = &self.parameters;
        let slot = if self.slot == Slot::Chipset { *chipset_share } else { 1.0 };
        let (speed, bend) = match load.op {
            Op::Read => (read, together[0]),
            Op::Write => (write, together[1]),
        };
        let (block, members) = (f64::from(load.block_bytes), f64::from(self.members));
        let most = match load.op {
            Op::Read => speed.most,
            Op::Write => speed.most.min(self.write_limit()),
        };
        // An I/O that is larger than a chunk of the array is served by several members at once.
        let parts = (block / CHUNK).clamp(1.0, members);
        let all = f64::from(load.in_flight) / io_seconds(speed, load.sequential, block / parts);
        let most_ios = (speed.most_iops * members / parts).min(most * slot * members / block);
        let all = soft(all, most_ios, 8.0);
        // What the members could do together is bent where the way to them saturates.
        let all = if self.members > 1 { soft(all, bend.0 / block, bend.1) } else { all };
        let limited = match self.parameters.heat.limit {
            Some(limit) if self.limited => limit.share,
            _ => 1.0,
        };
        let ripple = |step: u64| (step * 7_919 % RIPPLE) as f64 / RIPPLE as f64 - 0.5;
        let ripples = ripple(self.ticks) + ripple(self.ticks / SLOW_RIPPLE);
        (all * limited * (1.0 + RIPPLE_SHARE * ripples)).max(1.0)
    }

    /// Highest speed of writes at this moment, by the state of the cache.
    fn write_limit(&self) -> f64 {
        let cache = &self.parameters.cache;
        if self.cached >= self.pool() {
            cache.folding
        } else if self.continuous >= cache.continuous_bytes {
            cache.native
        } else {
            f64::INFINITY
        }
    }

    /// Bytes that the fast cache of one member can hold.
    fn pool(&self) -> f64 {
        let cache = &self.parameters.cache;
        if self.stuck {
            return cache.fixed_bytes;
        }
        let free = self.parameters.capacity_bytes as f64 * (1.0 - self.fill);
        cache.fixed_bytes + cache.pool_share * free
    }

    /// Joules for what one member did in a step, and what it does to the cache.
    fn joules(&mut self, load: Load, ios: f64) -> f64 {
        let bytes = ios * f64::from(load.block_bytes) / f64::from(self.members);
        let power = self.parameters.power;
        if load.op == Op::Read {
            // Reads are no writes: to a write cache they are a pause.
            self.resting_ns = self.resting_ns.saturating_add(TICK_NS);
            return bytes * power.read;
        }
        if self.resting_ns >= self.parameters.cache.pause_ns {
            self.continuous = 0.0;
        }
        self.resting_ns = 0;
        let fast = self.write_limit().is_infinite();
        self.continuous += bytes;
        if fast && self.parameters.cache.native < self.parameters.write.most {
            self.cached = (self.cached + bytes).min(self.pool());
        }
        bytes * if fast { power.fast } else { power.native }
    }

    /// A step without load: the cache is emptied when it is full enough. Returns the watts that takes.
    fn rest_a_step(&mut self, seconds: f64) -> f64 {
        self.resting_ns = self.resting_ns.saturating_add(TICK_NS);
        let cache = &self.parameters.cache;
        if self.stuck || self.cached <= cache.folds_above_bytes {
            return 0.0;
        }
        self.cached = (self.cached - cache.folds_at * seconds).max(cache.folds_above_bytes);
        self.parameters.power.folding
    }

    /// The temperature at which so many watts leave the drive.
    fn settled(&self, watts: f64) -> f64 {
        let heat = &self.parameters.heat;
        heat.ambient + watts * heat.degrees_per_watt[self.cooling as usize]
    }

    fn warm(&mut self, watts: f64, seconds: f64) {
        let toward = self.settled(watts);
        let constant = self.parameters.heat.seconds[self.cooling as usize];
        self.temperature += (toward - self.temperature) * (1.0 - (-seconds / constant).exp());
        if let Some(limit) = self.parameters.heat.limit {
            self.limited =
                self.temperature >= limit.above || (self.limited && self.temperature > limit.until);
        }
    }
}

/// Time of one I/O of `block` bytes at queue depth 1, seconds.
fn io_seconds(speed: &Speed, sequential: bool, block: f64) -> f64 {
    let ns = if sequential {
        speed.sequential_ns + block / speed.transfer * NS_PER_S as f64
    } else {
        speed.random_ns + (block - 4096.0).max(0.0) / speed.transfer * NS_PER_S as f64
    };
    ns / NS_PER_S as f64
}

/// `x` bent so that it never passes `most`; the higher `sharp`, the later it bends.
fn soft(x: f64, most: f64, sharp: f64) -> f64 {
    x / (1.0 + (x / most).powf(sharp)).powf(1.0 / sharp)
}
