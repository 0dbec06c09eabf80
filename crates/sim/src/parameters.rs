//! What makes one drive differ from another.

use model::drive::Transport;

/// A drive's parameters. Speeds are bytes per second, times nanoseconds, temperatures degrees Celsius, powers watts.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Its name in `sim:NAME`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Capacity in bytes.
    pub capacity_bytes: u64,
    /// How it is attached.
    pub transport: Transport,
    /// Reads.
    pub read: Speed,
    /// Writes into the fast part.
    pub write: Speed,
    /// Where it looks up the places of blocks.
    pub map: Map,
    /// What happens to writes after that.
    pub cache: Cache,
    /// Heat.
    pub heat: Heat,
    /// Power.
    pub power: Power,
    /// What a slot behind the chipset leaves of what a slot at the processor gives: a fit.
    pub chipset: Behind,
    /// How it takes random reads and writes in turns; `None` where that is as good as its parts.
    pub mixed: Option<Mixed>,
    /// Blocks that are erased in advance; `None` where random writes never run out of them.
    pub erased: Option<Erased>,
    /// How it answers I/Os that come one by one with pauses between, and what random writes do to it: a fit.
    pub apart: Apart,
    /// How several of them saturate together, reads and writes: the highest speed of all, and how sharp the bend is.
    pub together: [(f64, f64); 2],
}

/// How fast one direction is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Time of a random I/O of 4 KiB at queue depth 1.
    pub random_ns: f64,
    /// Fixed time of a sequential I/O at queue depth 1, to which its transfer is added.
    pub sequential_ns: f64,
    /// Speed of the transfer of one I/O.
    pub transfer: f64,
    /// Highest speed at any depth.
    pub most: f64,
    /// Most I/Os per second at any depth.
    pub most_iops: f64,
    /// What sequential I/Os need to reach the highest speed; `None` where the times of single ones tell it.
    pub deep: Option<Deep>,
}

/// How the highest speed of sequential I/Os grows with what is in flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deep {
    /// Bytes in flight from which on it is reached.
    pub bytes: f64,
    /// Power with which it grows before.
    pub power: f64,
}

/// What a slot behind the chipset leaves of what a slot at the processor gives, as shares; pairs are reads and writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Behind {
    /// Of the highest speed.
    pub most: [f64; 2],
    /// Of the speed of the transfer of one I/O.
    pub transfer: [f64; 2],
    /// Of the most I/Os per second.
    pub most_iops: [f64; 2],
    /// Of random reads and writes in turns.
    pub mixed: f64,
}

/// Random reads and writes in turns, where a drive is worse at them than at its reads and its writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixed {
    /// Most I/Os of 4 KiB per second, of both directions together.
    pub most_iops: f64,
    /// Speed at which what I/Os have more than 4 KiB is added.
    pub transfer: f64,
    /// What each doubling of the I/Os in flight leaves of it, as a share.
    pub doubled: f64,
    /// I/Os in flight that are no crowd yet, by the least bytes that each has, ascending; smaller ones never are.
    pub crowds: &'static [(u32, u32)],
}

/// Blocks that are erased in advance. Random writes use them up, and pauses in them bring them back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Erased {
    /// Share of the free capacity that is erased at most.
    pub share: f64,
    /// Speed at which more is erased while nothing is written at random.
    pub at: f64,
    /// What is left of the most random writes per second when none is erased, as a share.
    pub left: f64,
}

/// Where a drive keeps the places of blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Map {
    /// Bytes of data whose places fit into its memory; infinite where all do.
    pub covers_bytes: f64,
    /// What looking up another one takes.
    pub miss_ns: f64,
}

/// What becomes of writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    /// Share of the free capacity that can serve as fast cache.
    pub pool_share: f64,
    /// Bytes of fast cache that are there at any fill.
    pub fixed_bytes: f64,
    /// Most bytes of one continuous write that go into the cache; infinite where there is no such limit.
    pub continuous_bytes: f64,
    /// Pause after which a write counts as a new one.
    pub pause_ns: u64,
    /// Filled cache above which the drive empties it in pauses.
    pub folds_above_bytes: f64,
    /// Speed at which it empties it in pauses.
    pub folds_at: f64,
    /// Speed of writes past the cache, straight to their place.
    pub native: f64,
    /// Speed of writes that have to wait for the cache to be emptied.
    pub folding: f64,
}

/// I/Os with pauses between, as applications make them. Pairs are a slot at the processor and one behind the chipset.
/// None of it was published for itself: it is fitted to what reviews read off their charts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// Time until the way to the drive and the drive are awake again after a pause, nanoseconds.
    pub wake_ns: [f64; 2],
    /// Fixed time of a write.
    pub write_ns: [f64; 2],
    /// Speed at which writes are taken when nothing has worn the drive down.
    pub write: [f64; 2],
    /// What is left of that speed when it is worn down wholly, as a share.
    pub worn: [f64; 2],
    /// What an unsteady drive loses of its speed in a pass at most once it has been worn for long, as a share; 0 for a
    /// steady one.
    pub unsteady: [f64; 2],
    /// Random writes after which it is unsteady, in capacities.
    pub unsteady_after: f64,
    /// Random writes in which the wear comes within a third of its end, in capacities.
    pub wears_in: f64,
    /// Time of rest in which all but a third of the wear goes away, seconds.
    pub recovers_in: f64,
    /// Speed of random writes over everything, fresh and worn.
    pub scatter: [f64; 2],
    /// Watts while I/Os come again and again, besides what is moved.
    pub watts: [f64; 2],
}

/// How a drive warms and what it does about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heat {
    /// Temperature around it.
    pub ambient: f64,
    /// Degrees for each watt without and with a heatsink.
    pub degrees_per_watt: [f64; 2],
    /// Time constants without and with a heatsink, in seconds.
    pub seconds: [f64; 2],
    /// What it does when it is hot; `None` when it does nothing.
    pub limit: Option<Limit>,
    /// What it does when it has been warm for long; `None` when it does nothing.
    pub soak: Option<Soak>,
}

/// What a drive does when it has been warm for so long that what is around it is warm too. It stays so through pauses
/// in which the drive itself cools.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Soak {
    /// Time constant with which what is around follows the drive, seconds.
    pub seconds: f64,
    /// Temperature around from which on sequential reads are slower.
    pub above: f64,
    /// Temperature around below which they are no longer.
    pub until: f64,
    /// What is left of their speed meanwhile, as a share: at the processor and behind the chipset.
    pub reads: [f64; 2],
}

/// What a drive does when it is hot: it holds a lower speed where it stays hot at that, and stops and goes where the
/// lower speed lets it cool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Temperature from which on it limits itself.
    pub above: f64,
    /// Temperature below which it stops doing so.
    pub until: f64,
    /// What it leaves of its speed meanwhile, as a share.
    pub share: f64,
}

/// What a drive draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// Doing nothing.
    pub idle: f64,
    /// Awake, besides what is moved.
    pub awake: f64,
    /// For each byte read, joules.
    pub read: f64,
    /// For each byte written into the fast cache, joules.
    pub fast: f64,
    /// For each byte written to its place, joules.
    pub native: f64,
    /// While it empties its cache in pauses.
    pub folding: f64,
    /// What it does when it has nothing to do for long; `None` when it stays as it is.
    pub sleep: Option<Sleep>,
}

/// A power state that a drive goes into by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sleep {
    /// Time without load after which it sleeps.
    pub after_ns: u64,
    /// What it draws then.
    pub watts: f64,
    /// What the first I/Os wait for when it wakes.
    pub wake_ns: u64,
}

/// What the part of the fast cache does that grows and shrinks with the free capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DynamicCache {
    /// It works.
    Works,
    /// It works until the drive holds data, and is stuck from then on.
    Sticks,
    /// There is none: only the fixed part is left, and neither rest nor a trim brings more.
    Stuck,
}

/// Whether there is a heatsink on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cooling {
    /// Bare.
    None,
    /// With a heatsink.
    Heatsink,
}

/// Where it is plugged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// At the processor.
    Cpu,
    /// Behind the chipset.
    Chipset,
}
