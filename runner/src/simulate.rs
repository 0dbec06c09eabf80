//! Runs a plan on a simulated drive: the same steps in virtual time, which passes as fast as it can be reckoned.
//!
//! Knows how a suite's cells become loads and its ticks loops. Does not know how a drive behaves (that is `sim`).
//! Everything it yields is marked as simulated.

use crate::{
    measure::Measured,
    plan::{Plan, SimulatedDrive},
    recorder::bin_width,
    stop::StopFlag,
};
use model::{
    Histogram, Method, Reading,
    document::{
        Cell, CellError, CellErrorKind, CellStatus, Engine, EngineClass, Loop, Outcome, Preparation, Target,
        TargetKind, Transfer, Wait,
    },
    drive::{Drive, Member},
    host::Host,
    proof::{Proof, Unproven},
    reading::Absent,
    telemetry::{Quantity, SensorSource, Series, Telemetry},
    units::{NS_PER_S, Nanos},
};
use sim::{Load, Op, TICK_NS};

/// Latencies around their mean: parts of 100,000 of the I/Os, and parts of 1,000 of the mean. The first takes the rest.
const SPREAD: [(u64, u64); 6] =
    [(40_000, 880), (45_000, 990), (13_000, 1_180), (1_800, 1_900), (180, 4_200), (20, 12_000)];
/// What the test file is filled with.
const FILL: Load = Load { op: Op::Write, sequential: true, block_bytes: 1 << 20, in_flight: 8 };

/// Runs the plan on a simulated drive.
pub(crate) fn measure(plan: &Plan, drive: &SimulatedDrive, stop: &StopFlag) -> Measured {
    let mut time = VirtualTime::new(drive.drive(), plan.sampling.period_ns);
    let preparation = time.fill(plan.suite.size_bytes);
    let mut cells = Vec::with_capacity(plan.cell_count());
    let mut outcome = Outcome::Complete;
    'runs: for run in 0..plan.runs {
        for (index, method) in plan.suite.methods.iter().enumerate() {
            if stop.requested() {
                outcome = Outcome::Interrupted;
                break 'runs;
            }
            if index > 0 {
                time.rest(u64::from(method.interval_seconds));
            }
            cells.push(time.cell(method, run));
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
        },
        engine: Engine {
            class: EngineClass::Simulated,
            wait: Wait::Block,
            cpus: Vec::new(),
            features: Vec::new(),
            refused: Vec::new(),
            buffer_page_bytes: 4096,
        },
        preparation: Some(preparation),
        telemetry: Telemetry {
            policy: plan.sampling,
            series: vec![time.temperature, time.power],
            health: Reading::Absent(Absent::NotMeasured),
            links: Vec::new(),
        },
        resumptions: Vec::new(),
        cells,
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
            drive,
            now_ns: 0,
            period_ns,
            look_ns: 0,
            temperature: series(Quantity::Temperature, "Composite"),
            power: series(Quantity::Power, "meter"),
        }
    }

    fn tick(&mut self, load: Option<Load>) -> sim::Tick {
        let tick = self.drive.tick(load);
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

    fn fill(&mut self, bytes: u64) -> Preparation {
        let begin = self.now_ns;
        let mut written = 0;
        while written < bytes {
            written += self.tick(Some(FILL)).ios * u64::from(FILL.block_bytes);
        }
        Preparation { bytes, elapsed_ns: self.now_ns - begin }
    }

    fn cell(&mut self, method: &Method, run: u32) -> Cell {
        let load = Load {
            op: if method.pattern.writes() { Op::Write } else { Op::Read },
            sequential: method.pattern.sequential(),
            block_bytes: method.block_bytes,
            in_flight: method.queue_depth.saturating_mul(method.threads),
        };
        let cell = Cell {
            method: method.clone(),
            run,
            status: CellStatus::Complete,
            void: Vec::new(),
            error: None,
            proof: proof(),
            loops: Vec::new(),
        };
        if self.drive.fails(load) {
            let error = CellError { kind: CellErrorKind::Io, errno: Some(libc::EIO), offset: None };
            let void = vec![error.kind.void_reason()];
            return Cell { status: CellStatus::Failed, void, error: Some(error), ..cell };
        }
        let total = method.discarded_loops + method.loops;
        let loops =
            (0..total).map(|index| self.one_loop(method, load, index < method.discarded_loops)).collect();
        Cell { loops, ..cell }
    }

    fn one_loop(&mut self, method: &Method, load: Load, discarded: bool) -> Loop {
        let started_ns = self.now_ns;
        let elapsed_ns = u64::from(method.seconds) * NS_PER_S;
        let bin_ns = bin_width(elapsed_ns);
        let (mut ios, mut latency) = (0, Histogram::default());
        let mut bins = Vec::new();
        for number in 0..elapsed_ns / TICK_NS {
            let tick = self.tick(Some(load));
            ios += tick.ios;
            record(&mut latency, tick.ios, tick.latency_ns, elapsed_ns);
            if (number * TICK_NS).is_multiple_of(bin_ns) {
                bins.push(0);
            }
            let bin = bins.last_mut().expect("the first tick begins a bin");
            *bin += tick.ios * u64::from(method.block_bytes);
        }
        let transfer = Transfer { ios, bytes: bins.iter().sum(), latency, bin_ns, bins };
        let (read, write) =
            if method.pattern.writes() { (None, Some(transfer)) } else { (Some(transfer), None) };
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
            device: None,
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
