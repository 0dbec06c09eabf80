//! One drive, or several together, in steps of 100 ms.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a model needs no more than 53 bits, and its figures are positive and small"
)]

use crate::{
    TICK_NS,
    apart::Worn,
    parameters::{Behind, Cooling, DynamicCache, Parameters, Slot, Speed},
};
use model::units::NS_PER_S;

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads with this share of 100, and writes otherwise.
    Mix(u8),
}

impl Op {
    /// Shares of reads and writes.
    fn shares(self) -> [f64; 2] {
        match self {
            Self::Read => [1.0, 0.0],
            Self::Write => [0.0, 1.0],
            Self::Mix(percent) => [f64::from(percent) / 100.0, 1.0 - f64::from(percent) / 100.0],
        }
    }
}

/// What goes wrong in a drive, when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Random I/Os fail when more than one is in flight.
    Multi,
    /// A block just behind the middle of the span cannot be read.
    Media,
    /// Under load it stands still for two seconds of each minute.
    Stall,
}

/// Where in a span a block cannot be read, in thousandths: not at the middle itself, so that 200 places with gaps
/// between them, as the suite `surface` has them, meet it.
const BAD_PLACE: u64 = 503;
/// Size of that block, bytes.
const BAD_BYTES: u64 = 4096;
/// Steps under load between two stalls, and steps that a stall lasts.
const STALL_STEPS: (u64, u64) = (600, 20);

/// What is asked of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Read, write, or both.
    pub op: Op,
    /// Whether offsets follow each other.
    pub sequential: bool,
    /// Bytes of an I/O.
    pub block_bytes: u32,
    /// I/Os in flight, of all threads together.
    pub in_flight: u32,
    /// A second stream of random I/Os that does the same: bytes of an I/O, and I/Os in flight.
    pub beside: Option<(u32, u32)>,
}

/// What one stream of I/Os came to in a step: reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// I/Os completed.
    pub ios: [u64; 2],
    /// Mean latency of them, nanoseconds; 0 without any.
    pub latency_ns: [u64; 2],
}

/// How fast a load goes at a moment: reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pace {
    /// I/Os per second; 0 in a direction that the load does not have, and while the drive stands still.
    pub ios_per_s: [f64; 2],
    /// Mean latency of them, nanoseconds; 0 without any.
    pub latency_ns: [u64; 2],
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// The I/Os of the load.
    pub main: Moved,
    /// Those of its second stream.
    pub beside: Moved,
    /// How long the I/Os in flight had to wait before this step, because the drive slept or stood still, nanoseconds.
    pub waited_ns: u64,
    /// Temperature at its end, milli-degrees Celsius.
    pub temperature: i64,
    /// Mean power in it, milliwatts.
    pub power: i64,
}

impl Tick {
    /// I/Os of the load, both directions together.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.main.ios.iter().sum()
    }
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
    /// What the dynamic part of its fast cache does.
    pub dynamic: DynamicCache,
    /// What is broken; `None` for a sound drive.
    pub fault: Option<Fault>,
    ticks: u64,
    temperature: f64,
    limited: bool,
    /// Temperature of what is around it.
    around: f64,
    /// Whether it has been warm for long.
    soaked: bool,
    /// Bytes in the fast cache.
    cached: f64,
    /// Bytes among them that are not of the present span.
    cached_elsewhere: f64,
    /// Size of the span that is written to: what is overwritten takes no room twice.
    span: f64,
    /// Bytes of the present continuous write.
    continuous: f64,
    /// Bytes that one member wrote at random into blocks that were erased in advance, less what was erased since.
    used_up: f64,
    /// Time without a write, nanoseconds.
    resting_ns: u64,
    /// Time without any load, nanoseconds.
    idle_ns: u64,
    /// Steps under load.
    loaded: u64,
    /// Parts of I/Os that are not complete yet, by stream and direction.
    rest: [[f64; 2]; 2],
    pub(crate) worn: Worn,
}

/// Steps after which small irregularities repeat.
const RIPPLE: u64 = 997;
/// Steps that a slow irregularity lasts.
const SLOW_RIPPLE: u64 = 37;
/// Size of them, as a share.
const RIPPLE_SHARE: f64 = 0.008;
/// What one member of several gets before the next one has its turn, bytes.
const CHUNK: f64 = 131_072.0;
/// Power with which a crowd of random I/Os in turns slows itself: a fit.
const CROWDED: f64 = 0.5;

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
            dynamic: DynamicCache::Works,
            fault: None,
            ticks: 0,
            temperature,
            limited: false,
            around: temperature,
            soaked: false,
            cached: 0.0,
            cached_elsewhere: 0.0,
            span: f64::INFINITY,
            continuous: 0.0,
            used_up: 0.0,
            resting_ns: 0,
            idle_ns: 0,
            loaded: 0,
            rest: [[0.0; 2]; 2],
            worn: Worn::default(),
        }
    }

    /// The same drive in other conditions, after it has rested in them.
    #[must_use]
    pub fn rested(mut self) -> Self {
        self.temperature = self.settled(self.parameters.power.idle);
        self.around = self.temperature;
        self
    }

    /// Capacity of all members together, bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.parameters.capacity_bytes * u64::from(self.members)
    }

    /// Bytes that hold no data yet.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        (self.capacity_bytes() as f64 * (1.0 - self.fill)) as u64
    }

    /// Whether I/Os of this load fail, wherever they are.
    #[must_use]
    pub fn fails(&self, load: Load) -> bool {
        self.fault == Some(Fault::Multi) && !load.sequential && load.in_flight > 1
    }

    /// Where in a span of so many bytes a block begins that cannot be read; `None` when all can.
    #[must_use]
    pub fn bad_block(&self, span_bytes: u64) -> Option<u64> {
        let place = span_bytes / 1_000 * BAD_PLACE / BAD_BYTES * BAD_BYTES;
        (self.fault == Some(Fault::Media)).then_some(place)
    }

    /// Begins a new span of so many bytes. The one before goes away, and what it held in the cache with it.
    pub fn new_span(&mut self, bytes: u64) {
        self.cached = self.cached_elsewhere;
        self.span = bytes as f64;
    }

    /// Fills the drive, or frees it, until so much of it holds data, 0 to 0.95.
    pub fn hold(&mut self, share: f64) {
        self.fill = share.clamp(0.0, 0.95);
        if self.fill > 0.0 && self.dynamic == DynamicCache::Sticks {
            self.dynamic = DynamicCache::Stuck;
        }
    }

    /// Hands back what is not in use.
    pub fn trim(&mut self) {
        self.worn = Worn::default();
        self.used_up = 0.0;
        if self.dynamic != DynamicCache::Stuck {
            (self.cached, self.cached_elsewhere, self.continuous) = (0.0, 0.0, 0.0);
        }
    }

    /// A step under load that does not fail; `None` is a step of rest.
    pub fn tick(&mut self, load: Option<Load>) -> Tick {
        if let Some(load) = load {
            return self.tick_part(load, 1.0);
        }
        self.ticks += 1;
        let seconds = TICK_NS as f64 / NS_PER_S as f64;
        self.idle_ns = self.idle_ns.saturating_add(TICK_NS);
        let watts = self.idle_watts() + self.rest_a_step(seconds);
        self.recover(seconds);
        self.ended(Moved::default(), Moved::default(), watts, seconds)
    }

    /// How fast a load would go in the next step.
    #[must_use]
    pub fn pace(&self, load: Load) -> Pace {
        if self.stands_still(self.loaded + 1) { Pace::default() } else { self.pace_of(load, 1.0) }
    }

    /// A step in which a load that does not fail has a part of the time, 0 to 1.
    pub fn tick_part(&mut self, load: Load, part: f64) -> Tick {
        self.ticks += 1;
        let seconds = TICK_NS as f64 / NS_PER_S as f64;
        let waited_ns = self.wait();
        if self.stands_still(self.loaded) {
            return self.ended(Moved::default(), Moved::default(), self.parameters.power.awake, seconds);
        }
        let second = load.beside.map(|(block_bytes, in_flight)| Load {
            sequential: false,
            block_bytes,
            in_flight,
            beside: None,
            ..load
        });
        // Two streams together take no more than all there is.
        let taken = self.taken(load) + second.map_or(0.0, |second| self.taken(second));
        let share = if second.is_some() && taken > 1.0 { 1.0 / taken } else { 1.0 };
        let busy = seconds * part;
        let main = self.moved(load, 0, share, busy);
        let beside = second.map_or_else(Moved::default, |second| self.moved(second, 1, share, busy));
        let at_random = if load.sequential { 0.0 } else { bytes_of(&main, load)[1] };
        let beside_it = second.map_or(0.0, |second| bytes_of(&beside, second)[1]);
        self.use_up((at_random + beside_it) / f64::from(self.members), seconds);
        let mut joules = 0.0;
        for (op, side) in [(Op::Read, 0), (Op::Write, 1)] {
            let bytes =
                bytes_of(&main, load)[side] + second.map_or(0.0, |second| bytes_of(&beside, second)[side]);
            if bytes > 0.0 {
                joules += self.joules(op, bytes / f64::from(self.members));
            }
        }
        let watts = self.parameters.power.awake + joules / seconds;
        Tick { waited_ns, ..self.ended(main, beside, watts, seconds) }
    }

    /// What it draws without load: less when it sleeps.
    fn idle_watts(&self) -> f64 {
        match self.parameters.power.sleep {
            Some(sleep) if self.idle_ns >= sleep.after_ns => sleep.watts,
            _ => self.parameters.power.idle,
        }
    }

    /// A step under load begins: what its first I/Os have waited for, nanoseconds.
    fn wait(&mut self) -> u64 {
        let woken = match self.parameters.power.sleep {
            Some(sleep) if self.idle_ns >= sleep.after_ns => sleep.wake_ns,
            _ => 0,
        };
        self.idle_ns = 0;
        self.loaded += 1;
        let (every, lasts) = STALL_STEPS;
        let over = self.fault == Some(Fault::Stall) && self.loaded.is_multiple_of(every + lasts);
        if over { lasts * TICK_NS } else { woken }
    }

    /// Whether a step under load, by its number, is one of a stall.
    fn stands_still(&self, step: u64) -> bool {
        let (every, lasts) = STALL_STEPS;
        self.fault == Some(Fault::Stall) && step % (every + lasts) >= every
    }

    fn ended(&mut self, main: Moved, beside: Moved, watts: f64, seconds: f64) -> Tick {
        self.warm(watts, seconds);
        Tick {
            main,
            beside,
            waited_ns: 0,
            temperature: (self.temperature * 1_000.0).round() as i64,
            power: (watts * f64::from(self.members) * 1_000.0).round() as i64,
        }
    }

    /// What one stream completes in so many seconds of a step when it gets a share of its speed.
    fn moved(&mut self, load: Load, stream: usize, share: f64, seconds: f64) -> Moved {
        let Pace { ios_per_s, latency_ns } = self.pace_of(load, share);
        let mut moved = Moved { latency_ns, ..Moved::default() };
        for (side, rate) in ios_per_s.into_iter().enumerate() {
            if rate > 0.0 {
                let exact = rate * seconds + self.rest[stream][side];
                self.rest[stream][side] = exact.fract();
                moved.ios[side] = exact as u64;
            }
        }
        moved
    }

    /// How fast a stream goes when it gets a share of its speed.
    fn pace_of(&self, load: Load, share: f64) -> Pace {
        let shares = load.op.shares();
        let alone = [Op::Read, Op::Write].map(|op| self.ios_per_s(Load { op, ..load }).0);
        let left = self.mixed_most(load).map_or(1.0, |most| (most * time(shares, alone)).min(1.0));
        let alone = alone.map(|alone| alone * left * self.mixed_slot(load) * share);
        let time = time(shares, alone);
        let mut pace = Pace::default();
        for side in 0..2 {
            if shares[side] > 0.0 {
                pace.ios_per_s[side] = shares[side] / time;
                pace.latency_ns[side] =
                    (f64::from(load.in_flight) / alone[side] * NS_PER_S as f64).round() as u64;
            }
        }
        pace
    }

    /// How much of what the drive can do at most a load would take alone, 0 to 1.
    fn taken(&self, load: Load) -> f64 {
        let shares = load.op.shares();
        let [read, write] = [Op::Read, Op::Write].map(|op| self.ios_per_s(Load { op, ..load }));
        let parts = shares[0] * read.0 / read.1 + shares[1] * write.0 / write.1;
        let mixed = self.mixed_most(load).map(|most| 1.0 / time(shares, [read.0, write.0]) / most);
        parts.max(mixed.unwrap_or(0.0).min(1.0))
    }

    /// Most I/Os per second of a load that reads and writes at random in turns; `None` where its parts tell it.
    fn mixed_most(&self, load: Load) -> Option<f64> {
        let mixed = self.parameters.mixed.filter(|_| in_turns(load))?;
        let (block, depth) = (f64::from(load.block_bytes), f64::from(load.in_flight));
        let one = 1.0 / mixed.most_iops + (block - 4096.0).max(0.0) / mixed.transfer;
        let crowd = mixed.crowds.iter().rev().find(|(bytes, _)| load.block_bytes >= *bytes);
        let crowded = crowd.map_or(1.0, |(_, most)| (f64::from(*most) / depth).min(1.0).powf(CROWDED));
        let most = mixed.doubled.powf(depth.log2()) * crowded / one;
        Some(most * f64::from(self.members) * (1.0 + self.ripple()))
    }

    /// What the slot leaves of a load that reads and writes at random in turns, as a share.
    fn mixed_slot(&self, load: Load) -> f64 {
        if in_turns(load) { self.behind().mixed } else { 1.0 }
    }

    /// What the slot leaves.
    fn behind(&self) -> Behind {
        match self.slot {
            Slot::Cpu => Behind { most: [1.0; 2], transfer: [1.0; 2], most_iops: [1.0; 2], mixed: 1.0 },
            Slot::Chipset => self.parameters.chipset,
        }
    }

    /// I/Os per second at this moment of a load in one direction, and the most there could be at any depth.
    fn ios_per_s(&self, load: Load) -> (f64, f64) {
        let Parameters { read, write, together, .. } = &self.parameters;
        let writes = load.op == Op::Write;
        let side = usize::from(writes);
        let slot = self.behind();
        let (speed, bend) = if writes { (write, together[1]) } else { (read, together[0]) };
        let speed = Speed {
            transfer: speed.transfer * slot.transfer[side],
            most_iops: speed.most_iops * slot.most_iops[side] * self.erased(load),
            ..*speed
        };
        let (block, members) = (f64::from(load.block_bytes), f64::from(self.members));
        let most = if writes { speed.most.min(self.write_limit()) } else { speed.most };
        // The narrower of the slot and of what is in flight.
        let most = most * slot.most[side].min(deep(&speed, load, members)) * self.soak(load);
        // An I/O that is larger than a chunk of the array is served by several members at once.
        let parts = (block / CHUNK).clamp(1.0, members);
        let looked_up = if load.sequential { 0.0 } else { self.lookup_ns() };
        let one = io_seconds(&speed, load.sequential, block / parts) + looked_up / NS_PER_S as f64;
        let all = f64::from(load.in_flight) / one;
        let most_ios = (speed.most_iops * members / parts).min(most * members / block);
        let all = soft(all, most_ios, 8.0);
        // What the members could do together is bent where the way to them saturates.
        let all = if self.members > 1 { soft(all, bend.0 / block, bend.1) } else { all };
        let limited = match self.parameters.heat.limit {
            Some(limit) if self.limited => limit.share,
            _ => 1.0,
        };
        ((all * limited * (1.0 + self.ripple())).max(1.0), most_ios.max(1.0))
    }

    /// What is left of the most I/Os per second for want of erased blocks, as a share.
    fn erased(&self, load: Load) -> f64 {
        match self.parameters.erased {
            Some(erased)
                if load.op == Op::Write && !load.sequential && self.used_up >= self.erased_most() =>
            {
                erased.left
            }
            _ => 1.0,
        }
    }

    /// Bytes of one member that are erased in advance at most.
    fn erased_most(&self) -> f64 {
        let share = self.parameters.erased.map_or(1.0, |erased| erased.share);
        share * self.parameters.capacity_bytes as f64 * (1.0 - self.fill)
    }

    /// So many bytes were written at random in a step; without any, blocks are erased.
    pub(crate) fn use_up(&mut self, bytes: f64, seconds: f64) {
        let Some(erased) = self.parameters.erased else { return };
        let more = if bytes > 0.0 { bytes } else { -erased.at * seconds };
        self.used_up = (self.used_up + more).clamp(0.0, self.erased_most());
    }

    /// What is left of the speed of sequential reads when it has been warm for long, as a share.
    fn soak(&self, load: Load) -> f64 {
        match self.parameters.heat.soak {
            Some(soak) if self.soaked && load.sequential && load.op == Op::Read => {
                soak.reads[self.slot as usize]
            }
            _ => 1.0,
        }
    }

    /// The small irregularity of this step, as a share.
    pub(crate) fn ripple(&self) -> f64 {
        let ripple = |step: u64| (step * 7_919 % RIPPLE) as f64 / RIPPLE as f64 - 0.5;
        RIPPLE_SHARE * (ripple(self.ticks) + ripple(self.ticks / SLOW_RIPPLE))
    }

    /// A step whose I/Os are told elsewhere, with so many watts.
    pub(crate) fn step(&mut self, watts: f64, seconds: f64) -> Tick {
        self.ticks += 1;
        self.ended(Moved::default(), Moved::default(), watts, seconds)
    }

    /// What a random I/O takes longer on average because its place in the flash is not in the drive's memory,
    /// nanoseconds.
    fn lookup_ns(&self) -> f64 {
        let map = &self.parameters.map;
        let span = self.span / f64::from(self.members);
        if !span.is_finite() || span <= map.covers_bytes {
            return 0.0;
        }
        map.miss_ns * (1.0 - map.covers_bytes / span)
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
        if self.dynamic == DynamicCache::Stuck {
            return cache.fixed_bytes;
        }
        let free = self.parameters.capacity_bytes as f64 * (1.0 - self.fill);
        cache.fixed_bytes + cache.pool_share * free
    }

    /// Joules for what one member moved in one direction in a step, and what it does to the cache.
    fn joules(&mut self, op: Op, bytes: f64) -> f64 {
        let power = self.parameters.power;
        if op == Op::Read {
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
            let room = self.cached_elsewhere + self.span / f64::from(self.members);
            self.cached = (self.cached + bytes).min(self.pool()).min(room.max(self.cached));
        }
        bytes * if fast { power.fast } else { power.native }
    }

    /// A step without load: the cache is emptied when it is full enough. Returns the watts that takes.
    fn rest_a_step(&mut self, seconds: f64) -> f64 {
        self.resting_ns = self.resting_ns.saturating_add(TICK_NS);
        let cache = &self.parameters.cache;
        if self.dynamic == DynamicCache::Stuck || self.cached <= cache.folds_above_bytes {
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
        if let Some(soak) = self.parameters.heat.soak {
            self.around += (self.temperature - self.around) * (1.0 - (-seconds / soak.seconds).exp());
            self.soaked = self.around >= soak.above || (self.soaked && self.around > soak.until);
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

/// What is left of the highest speed because too little is in flight, as a share.
fn deep(speed: &Speed, load: Load, members: f64) -> f64 {
    let Some(deep) = speed.deep.filter(|_| load.sequential) else { return 1.0 };
    let bytes = f64::from(load.block_bytes) * f64::from(load.in_flight) / members;
    (bytes / deep.bytes).min(1.0).powf(deep.power)
}

/// Time of an I/O of a load, seconds, from its shares and the rates of its directions: they take turns in the same
/// places of the queue.
fn time(shares: [f64; 2], rates: [f64; 2]) -> f64 {
    shares.iter().zip(rates).map(|(share, rate)| share / rate).sum()
}

/// Whether a load reads and writes at random in turns.
fn in_turns(load: Load) -> bool {
    !load.sequential && matches!(load.op, Op::Mix(1..=99))
}

/// Bytes that a stream moved, reads and writes.
fn bytes_of(moved: &Moved, load: Load) -> [f64; 2] {
    moved.ios.map(|ios| ios as f64 * f64::from(load.block_bytes))
}

/// `x` bent so that it never passes `most`; the higher `sharp`, the later it bends.
fn soft(x: f64, most: f64, sharp: f64) -> f64 {
    x / (1.0 + (x / most).powf(sharp)).powf(1.0 / sharp)
}
