//! Runs a plan on a simulated drive: the same steps in virtual time, which passes as fast as it can be reckoned.
//!
//! Knows how a suite's cells become loads and its ticks loops. Does not know how a drive behaves (that is `sim`).
//! Everything it yields is marked as simulated.

mod files;
mod passes;

use crate::{
    measure::Measured,
    plan::{Plan, SimulatedDrive, SpanFor},
    recorder::bin_width,
    stop::StopFlag,
    suite::{Section, Step},
};
use analysis::{
    bursts,
    settling::{Settling, steady_after},
};
use model::{
    Histogram, Method, Reading,
    document::{
        Cell, CellError, CellErrorKind, CellStatus, Engine, EngineClass, Loop, LoopEnded, Outcome,
        Preparation, State, Streams, Target, TargetKind, Transfer, Wait,
    },
    drive::{Drive, Member},
    host::Host,
    labels::LabelKey,
    method::{Before, Ends},
    pass::Pass,
    proof::{Proof, Unproven},
    reading::Absent,
    telemetry::{Quantity, SensorSource, Series, Telemetry},
    units::{NS_PER_S, Nanos},
};
use sim::{Cooling, DynamicCache, Load, Op, Slot, TICK_NS, Tick};
use std::ops::Range;

/// Latencies around their mean: parts of 100,000 of the I/Os, and parts of 1,000 of the mean. The first takes the rest.
const SPREAD: [(u64, u64); 6] =
    [(40_000, 880), (45_000, 990), (13_000, 1_180), (1_800, 1_900), (180, 4_200), (20, 12_000)];
/// What the test file is filled with.
const FILL: Load = Load { op: Op::Write, sequential: true, block_bytes: 1 << 20, in_flight: 8, beside: None };

/// Runs the plan on a simulated drive.
pub(crate) fn measure(plan: &Plan, drive: &SimulatedDrive, stop: &StopFlag) -> Measured {
    let mut time = VirtualTime::new(drive.drive(), plan.sampling.period_ns);
    let mut preparation = None;
    let mut cells: Vec<Cell> = Vec::new();
    let mut passes: Vec<Pass> = Vec::new();
    let mut outcome = Outcome::Complete;
    for number in 0..plan.step_count() {
        if stop.requested() {
            outcome = Outcome::Interrupted;
            break;
        }
        let (run, index, step) = plan.step(number);
        let span = plan.span_for(number.checked_sub(1), number);
        let section = span.section().cloned();
        let mut fill = match span {
            SpanFor::AsItIs => None,
            SpanFor::Unwritten(section) => {
                time.begin(&section);
                None
            }
            SpanFor::Filled(section) => {
                time.begin(&section);
                Some(time.fill(section.span_bytes))
            }
        };
        time.rest(plan.suite.pause_before(index));
        // The first fill is the run's own.
        if number == 0 {
            preparation = fill.take();
        }
        let state = section.map(|section| time.state(section.before));
        match step {
            Step::Cell(method) => {
                let cell = time.cell(&bursts::adapted(method, &cells), run);
                cells.push(Cell { preparation: fill, state, ..cell });
            }
            Step::Pass(method) => {
                let mut played = time.pass(plan, method);
                let fill = played.preparation.take().or(fill);
                let error = played.error;
                let mut pass = played.into_pass(method.clone(), run, proof());
                if let Some(error) = error {
                    (pass.status, pass.void) = (CellStatus::Failed, vec![error.kind.void_reason()]);
                }
                passes.push(Pass { preparation: fill, state, error, ..pass });
            }
        }
    }
    Measured {
        outcome,
        elapsed: Nanos(time.now_ns),
        target: Target {
            kind: TargetKind::Simulated,
            file_system: None,
            mount_options: Vec::new(),
            file_system_bytes: None,
            file_system_used_bytes: None,
            file_system_block_bytes: None,
        },
        other_targets: Vec::new(),
        engine: Engine {
            class: EngineClass::Simulated,
            wait: Wait::Block,
            cpus: Vec::new(),
            features: Vec::new(),
            refused: Vec::new(),
            buffer_page_bytes: 4096,
        },
        preparation,
        telemetry: Telemetry {
            policy: plan.sampling,
            series: vec![time.temperature, time.power],
            health: Reading::Absent(Absent::NotMeasured),
            links: Vec::new(),
        },
        resumptions: Vec::new(),
        cells,
        passes,
    }
}

/// What a simulated drive says of itself.
pub(crate) fn described(drive: &sim::Drive) -> Drive {
    let own = &drive.parameters;
    let member = Member {
        model: Reading::Known(own.title.to_owned()),
        firmware: Reading::Absent(Absent::NotReported),
        capacity_bytes: Reading::Known(own.capacity_bytes),
        transport: own.transport,
    };
    let members = if drive.members > 1 { drive.members as usize } else { 0 };
    let title = if members > 1 { format!("{members} × {}", own.title) } else { own.title.to_owned() };
    let unknown = || Reading::Absent(Absent::NotMeasured);
    let unknown_size = || Reading::Absent(Absent::NotMeasured);
    Drive {
        model: Reading::Known(title),
        firmware: Reading::Absent(Absent::NotReported),
        capacity_bytes: Reading::Known(drive.capacity_bytes()),
        transport: own.transport,
        rotational: Reading::Known(false),
        logical_block_bytes: Reading::Known(512),
        physical_block_bytes: Reading::Known(512),
        metadata_bytes: Reading::Known(0),
        namespace: Reading::Absent(Absent::NotMeasured),
        serial_hmac: Reading::Absent(Absent::NotReported),
        serial: Reading::Absent(Absent::NotReported),
        max_request_bytes: Reading::Absent(Absent::NotMeasured),
        max_segments: unknown_size(),
        queue_requests: unknown_size(),
        hardware_queues: unknown_size(),
        poll_queues: Reading::Absent(Absent::NotMeasured),
        scheduler: unknown(),
        write_cache: unknown(),
        zoned: unknown(),
        pcie: Vec::new(),
        slot: unknown(),
        numa_node: unknown_size(),
        members: vec![member; members],
        stack: Vec::new(),
    }
}

/// The conditions that a simulated drive was asked for, as a reviewer would state them.
pub(crate) fn conditions(drive: &sim::Drive) -> Vec<(LabelKey, String)> {
    let cooling = match drive.cooling {
        Cooling::None => "none",
        Cooling::Heatsink => "heatsink",
    };
    let slot = match drive.slot {
        Slot::Cpu => "CPU",
        Slot::Chipset => "chipset",
    };
    let mut conditions = vec![(LabelKey::Cooling, cooling.to_owned()), (LabelKey::Slot, slot.to_owned())];
    if drive.fill > 0.0 {
        conditions.push((LabelKey::Fill, format!("{:.0} %", drive.fill * 100.0)));
    }
    let cache = match drive.dynamic {
        DynamicCache::Works => None,
        DynamicCache::Sticks => Some("dynamic cache that sticks once data is held"),
        DynamicCache::Stuck => Some("dynamic cache stuck"),
    };
    let odd: Vec<&str> = cache.into_iter().chain(drive.fault.map(|_| "with a fault")).collect();
    if !odd.is_empty() {
        conditions.push((LabelKey::Note, odd.join(", ")));
    }
    conditions
}

/// The machine around a simulated drive: there is none.
pub(crate) fn nowhere() -> Host {
    let unknown = || Reading::Absent(Absent::NotMeasured);
    Host {
        kernel: "0".to_owned(),
        architecture: "virtual".to_owned(),
        cpu_model: unknown(),
        logical_cpus: 1,
        memory_bytes: Reading::Absent(Absent::NotMeasured),
        cpu_governor: unknown(),
        energy_preference: unknown(),
        c_states: Vec::new(),
        power_source: Reading::Absent(Absent::NotMeasured),
        virtual_machine: Reading::Absent(Absent::NotMeasured),
        ceiling: Reading::Absent(Absent::NotMeasured),
    }
}

/// A simulated drive with its clock and what watches it.
struct VirtualTime {
    drive: sim::Drive,
    now_ns: u64,
    period_ns: u64,
    /// When the sensors are read next.
    look_ns: u64,
    temperature: Series,
    power: Series,
    /// Share of it that held data before the run.
    found_fill: f64,
    /// The set of files that the last copy wrote.
    copied: Option<String>,
}

impl VirtualTime {
    fn new(drive: sim::Drive, period_ns: u64) -> Self {
        let series = |quantity, name: &str| Series {
            source: SensorSource::Simulated,
            quantity,
            name: name.to_owned(),
            warning: Reading::Absent(Absent::NotReported),
            critical: Reading::Absent(Absent::NotReported),
            at_ns: Vec::new(),
            values: Vec::new(),
        };
        Self {
            found_fill: drive.fill,
            drive,
            now_ns: 0,
            period_ns,
            look_ns: 0,
            temperature: series(Quantity::Temperature, "Composite"),
            power: series(Quantity::Power, "meter"),
            copied: None,
        }
    }

    fn tick(&mut self, load: Option<Load>) -> Tick {
        let tick = self.drive.tick(load);
        self.over(tick)
    }

    /// A step for at most so many I/Os, and one more: the drive does no more of it than they need. With the time that
    /// the load had of it, nanoseconds.
    #[expect(clippy::cast_precision_loss, reason = "a part of a step needs no more than 53 bits")]
    fn tick_for(&mut self, load: Load, most: u64) -> (Tick, u64) {
        let in_a_step =
            self.drive.pace(load).ios_per_s.iter().sum::<f64>() * TICK_NS as f64 / NS_PER_S as f64;
        let part = most.saturating_add(1) as f64 / in_a_step;
        if in_a_step <= 0.0 || part >= 1.0 {
            return (self.tick(Some(load)), TICK_NS);
        }
        let tick = self.drive.tick_part(load, part);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a step")]
        let given_ns = ((TICK_NS as f64 * part) as u64).max(1);
        (self.over(tick), given_ns)
    }

    /// A step is over: the sensors are read when it is time.
    fn over(&mut self, tick: Tick) -> Tick {
        self.now_ns += TICK_NS;
        if self.now_ns >= self.look_ns {
            self.look_ns = self.now_ns + self.period_ns;
            for (series, value) in [(&mut self.temperature, tick.temperature), (&mut self.power, tick.power)]
            {
                series.at_ns.push(self.now_ns);
                series.values.push(Some(value));
            }
        }
        tick
    }

    fn rest(&mut self, seconds: u64) {
        for _ in 0..seconds * NS_PER_S / TICK_NS {
            self.tick(None);
        }
    }

    /// Brings the drive into the state that a section asks for, and gives it a new span.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    fn begin(&mut self, section: &Section) {
        let Section { span_bytes, before, .. } = *section;
        self.drive.new_span(span_bytes);
        let total = self.drive.capacity_bytes();
        self.drive.hold(before.fill.map_or(self.found_fill, |fill| fill.of(total) as f64 / total as f64));
        if before.trimmed {
            self.drive.trim();
        }
        self.rest(before.rested_seconds.into());
    }

    /// What is known of the state that the drive was brought into.
    fn state(&self, before: Before) -> State {
        let total = self.drive.capacity_bytes();
        let free = self.drive.free_bytes();
        State {
            used_bytes: Some(total - free),
            total_bytes: Some(total),
            filler_bytes: if before.fill.is_some() { total - free } else { 0 },
            trimmed_bytes: if before.trimmed {
                Reading::Known(free)
            } else {
                Reading::Absent(Absent::NotMeasured)
            },
            rested_ns: u64::from(before.rested_seconds) * NS_PER_S,
        }
    }

    fn fill(&mut self, bytes: u64) -> Preparation {
        let begin = self.now_ns;
        let mut written = 0;
        while written < bytes {
            written += self.tick(Some(FILL)).ios() * u64::from(FILL.block_bytes);
        }
        Preparation { bytes, elapsed_ns: self.now_ns - begin }
    }

    fn cell(&mut self, method: &Method, run: u32) -> Cell {
        let load = load(method);
        let all = self.drive.members;
        self.drive.members = method.members.map_or(all, u32::from).min(all);
        let cell = self.cell_of_members(method, load, run);
        self.drive.members = all;
        cell
    }

    fn cell_of_members(&mut self, method: &Method, load: Load, run: u32) -> Cell {
        let cell = Cell {
            method: method.clone(),
            run,
            status: CellStatus::Complete,
            void: Vec::new(),
            error: None,
            failed_member: None,
            proof: proof(),
            members: Vec::new(),
            preparation: None,
            state: None,
            loops: Vec::new(),
        };
        if self.drive.fails(load) {
            return failed(cell, None);
        }
        let mut loops = Vec::new();
        let mut read = 0;
        for index in 0..method.discarded_loops + method.loops {
            let one = self.one_loop(method, load, index < method.discarded_loops);
            let before = read;
            read += read_bytes(&one);
            // As on a real drive, the whole loops before stay.
            if let Some(offset) = self.meets_bad_block(method, index, before..read) {
                return failed(Cell { loops, ..cell }, Some(offset));
            }
            loops.push(one);
            if let Some(one) = method.stretches() {
                self.rest(one.rest_seconds.into());
            }
            let steady = method.ends == Ends::Steady && steady_after(method, &loops).is_some();
            if steady || bursts::enough(method, &loops) {
                break;
            }
        }
        Cell { loops, ..cell }
    }

    /// Where the I/O begins with which a loop meets a block that cannot be read; `None` when it does not. `read` is
    /// what the cell had read before the loop and after it.
    fn meets_bad_block(&self, method: &Method, index: u32, read: Range<u64>) -> Option<u64> {
        let bad = self.drive.bad_block(method.span_bytes)?;
        let meets = if method.pattern.sequential() {
            let begin = method.stretches().map_or(0, |_| method.stretch_begin(index));
            (begin..begin.saturating_add(read.end - read.start)).contains(&bad)
        } else {
            // At random, a block is met once in as many bytes as the span has.
            read.end >= method.span_bytes
        };
        meets.then(|| bad / u64::from(method.block_bytes) * u64::from(method.block_bytes))
    }

    fn one_loop(&mut self, method: &Method, load: Load, discarded: bool) -> Loop {
        let started_ns = self.now_ns;
        let longest_ns = method.longest_loop().0;
        let bin_ns = bin_width(longest_ns);
        let limit = method.stretches().map_or(u64::MAX, |one| one.loop_bytes);
        let mut settling = method.stretches().and_then(|one| one.settles).map(Settling::new);
        let mut streams = [Stream::default(), Stream::default()];
        let (mut elapsed_ns, mut bytes, mut ended) = (0, 0_u64, LoopEnded::Time);
        while elapsed_ns < longest_ns {
            let block = u64::from(method.block_bytes);
            // Of the last tick only as much as is left, and the time that it takes.
            let left = (limit - bytes) / block;
            let (tick, given_ns) = self.tick_for(load, left);
            let ios = tick.ios().min(left);
            let step_ns = if ios < tick.ios() { (given_ns * ios / tick.ios()).max(1) } else { given_ns };
            bytes += ios * block;
            let second = method.beside.map_or(0, |beside| beside.block_bytes);
            for (stream, (moved, block_bytes)) in
                streams.iter_mut().zip([(&tick.main, method.block_bytes), (&tick.beside, second)])
            {
                let waited = Waited { ns: tick.waited_ns, ios: u64::from(load.in_flight) };
                stream.add(elapsed_ns / bin_ns, moved, block_bytes, (ios, tick.ios()), (longest_ns, waited));
            }
            elapsed_ns += step_ns;
            if bytes >= limit {
                ended = LoopEnded::Bytes;
                break;
            }
            if settling.as_mut().is_some_and(|settling| settling.enough(elapsed_ns, bytes)) {
                ended = LoopEnded::Settled;
                break;
            }
        }
        let [main, second] = streams.map(|stream| stream.finish(method, bin_ns));
        let beside = method.beside.map(|_| second);
        let Streams { read, write } = main;
        Loop {
            discarded,
            started_ns,
            elapsed_ns,
            drain_ns: 0,
            drained_ios: 0,
            clock_anomalies: 0,
            cpu_ns: 0,
            read,
            write,
            beside,
            ended,
            device: None,
            members: Vec::new(),
        }
    }
}

/// The cell with the error of an I/O, which has a place when it is the place's.
fn failed(cell: Cell, offset: Option<u64>) -> Cell {
    let error = CellError { kind: CellErrorKind::Io, errno: Some(libc::EIO), offset };
    let void = vec![error.kind.void_reason()];
    Cell { status: CellStatus::Failed, void, error: Some(error), ..cell }
}

/// Bytes that a loop read, by both streams.
fn read_bytes(one: &Loop) -> u64 {
    let beside = one.beside.as_ref().and_then(|stream| stream.read.as_ref());
    one.read.iter().chain(beside).map(|transfer| transfer.bytes).sum()
}

/// What a method asks of a drive.
fn load(method: &Method) -> Load {
    let op = match (method.read_percent, method.pattern.writes()) {
        (Some(percent), _) => Op::Mix(percent),
        (None, true) => Op::Write,
        (None, false) => Op::Read,
    };
    Load {
        op,
        sequential: method.pattern.sequential(),
        block_bytes: method.block_bytes,
        in_flight: method.queue_depth.saturating_mul(method.threads),
        beside: method.beside.map(|beside| (beside.block_bytes, beside.queue_depth)),
    }
}

/// What a stream of I/Os came to so far, reads and writes.
#[derive(Default)]
struct Stream([Side; 2]);

/// How long the I/Os in flight had to wait before a step, nanoseconds, and how many they are.
#[derive(Clone, Copy)]
struct Waited {
    ns: u64,
    ios: u64,
}

/// One direction of it.
#[derive(Default)]
struct Side {
    ios: u64,
    latency: Histogram,
    bins: Vec<u64>,
}

impl Stream {
    /// Adds what was moved in a step, or the share of it that still belongs to the loop.
    fn add(
        &mut self,
        bin: u64,
        moved: &sim::Moved,
        block_bytes: u32,
        part: (u64, u64),
        (most_ns, waited): (u64, Waited),
    ) {
        for (side, (ios, latency_ns)) in self.0.iter_mut().zip(moved.ios.into_iter().zip(moved.latency_ns)) {
            let ios = ios * part.0 / part.1.max(1);
            side.ios += ios;
            // The first that come back are those that had to wait.
            let late = if waited.ns > 0 { ios.min(waited.ios) } else { 0 };
            side.latency.record_many(Nanos(waited.ns.saturating_add(latency_ns).min(most_ns)), late);
            record(&mut side.latency, ios - late, latency_ns, most_ns);
            side.bins.resize(usize::try_from(bin + 1).unwrap_or(usize::MAX), 0);
            *side.bins.last_mut().expect("it has the bin's place") += ios * u64::from(block_bytes);
        }
    }

    /// The transfers of the directions that the method has.
    fn finish(self, method: &Method, bin_ns: u64) -> Streams {
        let [read, write] = self.0.map(|Side { ios, latency, bins }| Transfer {
            ios,
            bytes: bins.iter().sum(),
            latency,
            bin_ns,
            bins,
        });
        Streams {
            read: method.pattern.reads().then_some(read),
            write: method.pattern.writes().then_some(write),
        }
    }
}

/// Records the I/Os of a tick, spread around their mean latency.
fn record(latency: &mut Histogram, ios: u64, mean_ns: u64, most_ns: u64) {
    let mut left = ios;
    for (share, size) in &SPREAD[1..] {
        let count = ios * share / 100_000;
        left -= count;
        latency.record_many(Nanos((mean_ns * size / 1_000).min(most_ns)), count);
    }
    latency.record_many(Nanos((mean_ns * SPREAD[0].1 / 1_000).min(most_ns)), left);
}

/// There is no page cache in virtual time, and nothing else that could be proven.
fn proof() -> Proof {
    Proof {
        direct_io: true,
        dio_memory_align: Reading::Absent(Absent::NotMeasured),
        dio_offset_align: Reading::Absent(Absent::NotMeasured),
        file_system: Reading::Absent(Absent::NotMeasured),
        extents: Reading::Absent(Absent::NotMeasured),
        suspended_ns: 0,
        link_bytes_per_s: Reading::Absent(Absent::NotMeasured),
        unproven: vec![Unproven::Simulated],
    }
}
