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
    /// What a slot behind the chipset leaves of the speed of a slot at the processor, as a share: a fit.
    pub chipset_share: f64,
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
