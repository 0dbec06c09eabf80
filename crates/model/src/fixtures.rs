//! Well-formed, plausible documents for tests: made from a few numbers, the same every time.
//!
//! Behind the feature `fixtures`; no program ships it. The figures are invented and belong to no drive.

use crate::{
    Histogram, Method, Reading, ResultDocument,
    document::{
        BIN_NS, Cell, CellStatus, DEFAULT_LICENSE, DeviceCounters, Engine, EngineClass, Loop, LoopEnded,
        MemberLoad, Origin, Outcome, Preparation, Runner, SCHEMA, Streams, Target, TargetKind, Transfer,
        Visibility, Wait,
    },
    drive::{Drive, Member, PcieHop, PcieLink, Transport},
    files::{CopyStep, Copying, FileClass, FilesMoved},
    host::{Ceiling, Host, PowerSource},
    ids::PublicKey,
    method::{Beside, DataKind, Ends, Pattern, Stretches},
    pass::{DoneBefore, Pass, PassMethod, Phase, RandomWrites, TracePlay, Workload},
    proof::{Extents, Proof},
    reading::Absent,
    telemetry::{Health, LinkSample, PausePolicy, Quantity, SamplingPolicy, SensorSource, Series, Telemetry},
    units::{NS_PER_S, Nanos},
};
use std::{collections::BTreeMap, ops::Range};

/// Pattern, block in bytes, queue depth, I/Os per second at scale 1.
const CELLS: [(Pattern, u32, u32, u64); 8] = [
    (Pattern::SeqRead, 1 << 20, 8, 6_720),
    (Pattern::SeqWrite, 1 << 20, 8, 6_110),
    (Pattern::SeqRead, 1 << 20, 1, 3_480),
    (Pattern::SeqWrite, 1 << 20, 1, 4_260),
    (Pattern::RandRead, 4 << 10, 32, 214_000),
    (Pattern::RandWrite, 4 << 10, 32, 187_000),
    (Pattern::RandRead, 4 << 10, 1, 19_400),
    (Pattern::RandWrite, 4 << 10, 1, 63_500),
];

/// The loops of a cell in parts of 10,000 of its rate, the discarded one first.
const LOOPS: [u64; 6] = [10_240, 10_000, 9_965, 10_021, 9_988, 10_006];

/// Latencies as (parts of 100,000 of the I/Os, parts of 1,000 of the mean); the first takes the rest.
const LATENCIES: [(u64, u64); 7] =
    [(40_000, 880), (45_000, 990), (13_000, 1_180), (1_800, 1_900), (180, 4_200), (15, 13_000), (5, 38_000)];

const SECONDS: u32 = 5;
/// Time from the start of one loop to that of the next, drain included, nanoseconds.
const LOOP_STEP_NS: u64 = (SECONDS as u64 + 1) * NS_PER_S;
/// Time from the start of one cell to that of the next, nanoseconds.
const CELL_STEP_NS: u64 = 60 * NS_PER_S;

/// The same document with passes after its cells: random writes and two traces, in two degradation passes.
#[must_use]
pub fn with_passes(mut document: ResultDocument) -> ResultDocument {
    let proof = document.cells[0].proof.clone();
    let mut before = DoneBefore { fills: 2, ..DoneBefore::default() };
    for number in 1..=2 {
        let writes = RandomWrites {
            seconds: 600,
            least_bytes: 4096,
            most_bytes: 1 << 20,
            unit_bytes: 512,
            queue_depth: 32,
        };
        let trace = |name: &str| {
            Workload::Trace(TracePlay {
                pack: "applications".to_owned(),
                version: 1,
                name: name.to_owned(),
                longest_idle_ms: None,
                speed_percent: 100,
                unit_bytes: 512,
            })
        };
        for (workload, seconds, reads, writes, mean_ns) in [
            (Workload::RandomWrites(writes), 600, 0, 600_000, 32_000_000),
            (trace("photoshop-heavy"), 360, 22_932, 46_807, 400_000 * u64::from(number)),
            (trace("word"), 30, 4_454, 953, 200_000),
        ] {
            let started_ns = document.elapsed_ns;
            let elapsed_ns = seconds * NS_PER_S;
            let bytes = if reads == 0 { 512 << 10 } else { 64 << 10 };
            let depth = if reads == 0 { 32 } else { 2 };
            let side = |ios: u64| {
                let mut latency = Histogram::default();
                latency.record_many(Nanos(mean_ns), ios);
                (ios > 0).then(|| Transfer {
                    ios,
                    bytes: ios * bytes,
                    latency,
                    bin_ns: NS_PER_S,
                    bins: vec![ios * bytes],
                })
            };
            let device = DeviceCounters {
                read_requests: reads,
                read_bytes: reads * bytes,
                write_requests: writes,
                written_bytes: writes * bytes,
            };
            document.passes.push(Pass {
                method: PassMethod {
                    workload: workload.clone(),
                    phase: Some(Phase::Degradation),
                    number,
                    span_bytes: 32 << 30,
                    before,
                },
                run: 0,
                status: CellStatus::Complete,
                void: Vec::new(),
                error: None,
                proof: proof.clone(),
                preparation: None,
                state: None,
                started_ns,
                elapsed_ns,
                busy_ns: ((reads + writes) * mean_ns / depth).min(elapsed_ns),
                cpu_ns: NS_PER_S,
                clock_anomalies: 0,
                read: side(reads),
                write: side(writes),
                flushes: 0,
                lateness: None,
                settled_ns: None,
                device: Some(device),
                files: None,
            });
            document.elapsed_ns += elapsed_ns;
            before = before.and(&workload);
        }
    }
    document
}

/// The same document with a copy of 96 GB to the drive instead of its cells: 500 MB/s for so many seconds, then
/// 160 MB/s, durable a second later.
#[must_use]
pub fn with_copy(document: ResultDocument, fast_seconds: u64, slow_seconds: u64) -> ResultDocument {
    let mut document = with_passes(document);
    let mut pass = document.passes.remove(0);
    (document.passes, document.cells) = (Vec::new(), Vec::new());
    document.suite = "copies".to_owned();
    let bins: Vec<u64> =
        (0..fast_seconds).map(|_| 500_000_000).chain((0..slow_seconds).map(|_| 160_000_000)).collect();
    let bytes: u64 = bins.iter().sum();
    pass.method.workload = Workload::Copying(Copying {
        manifest: "game-96".to_owned(),
        version: 1,
        scale_percent: 100,
        files: 4_746,
        step: CopyStep::Write,
        block_bytes: 1 << 20,
        queue_depth: 8,
    });
    (pass.method.phase, pass.method.span_bytes, pass.method.before) = (None, bytes, DoneBefore::default());
    pass.elapsed_ns = (fast_seconds + slow_seconds) * NS_PER_S;
    pass.busy_ns = pass.elapsed_ns;
    pass.settled_ns = Some(pass.elapsed_ns + NS_PER_S);
    let ios = bytes >> 20;
    let mut latency = Histogram::default();
    latency.record_many(Nanos(pass.elapsed_ns * 8 / ios), ios);
    pass.write = Some(Transfer { ios, bytes, latency, bin_ns: NS_PER_S, bins });
    let device = pass.device.as_mut().expect("passes of fixtures have counters");
    (device.write_requests, device.written_bytes) = (ios, bytes);
    let class =
        |place: usize, files, bytes, time_ns| FileClass { files, bytes, time_ns, ..FileClass::empty(place) };
    let small = 300_000_000;
    let classes =
        vec![class(0, 2_000, small, NS_PER_S), class(3, 2_746, bytes - small, pass.elapsed_ns - NS_PER_S)];
    pass.files = Some(FilesMoved { buffered: 0, classes });
    document.elapsed_ns = pass.end_ns().expect("a fixture has an end");
    document.passes.push(pass);
    document
}

/// A complete run of the suite `cdm` on a drive called `name`; `scale` multiplies every rate, and
/// `public_key` is the key that would sign it.
#[must_use]
pub fn document(name: &str, scale: f64, public_key: PublicKey) -> ResultDocument {
    let cells: Vec<Cell> = (0..CELLS.len()).map(|index| cell(index, scale)).collect();
    ResultDocument {
        schema: SCHEMA,
        started_unix_ms: 1_796_074_800_000,
        public_key,
        license: DEFAULT_LICENSE.to_owned(),
        origin: Origin::Measured,
        visibility: Visibility::Public,
        runner: Runner { name: "cliffmark".to_owned(), version: "0.1.0".to_owned() },
        suite: "cdm".to_owned(),
        runs: 1,
        outcome: Outcome::Complete,
        elapsed_ns: (CELLS.len() as u64 + 1) * CELL_STEP_NS,
        labels: BTreeMap::new(),
        drive: drive(name),
        host: Host {
            kernel: "6.18.44".to_owned(),
            architecture: "x86_64".to_owned(),
            cpu_model: Reading::Known("AMD Ryzen 9 7950X 16-Core Processor".to_owned()),
            logical_cpus: 32,
            memory_bytes: Reading::Known(64 << 30),
            cpu_governor: Reading::Known("performance".to_owned()),
            energy_preference: Reading::Known("performance".to_owned()),
            c_states: ["POLL", "C1", "C2"].map(str::to_owned).to_vec(),
            power_source: Reading::Known(PowerSource::Mains),
            virtual_machine: Reading::Known(false),
            ceiling: Reading::Known(Ceiling {
                nop_qd1_iops: 4_100_000,
                nop_qd128_iops: 21_000_000,
                data_bytes_per_s: 14_000_000_000,
                clock_ns: 19,
            }),
        },
        target: Target {
            kind: TargetKind::NewFile,
            file_system: Some("ext4".to_owned()),
            mount_options: vec!["noatime".to_owned()],
            file_system_bytes: Some(1_967_000_000_000),
            file_system_used_bytes: Some(61_000_000_000),
            file_system_block_bytes: Some(4096),
        },
        other_targets: Vec::new(),
        engine: Engine {
            class: EngineClass::Uring,
            wait: Wait::Block,
            cpus: vec![2],
            features: ["defer-taskrun", "fixed-buffers", "single-issuer"].map(str::to_owned).to_vec(),
            refused: Vec::new(),
            buffer_page_bytes: 2 << 20,
        },
        preparation: Some(Preparation { bytes: 1 << 30, elapsed_ns: NS_PER_S }),
        telemetry: telemetry(),
        resumptions: Vec::new(),
        cells,
        passes: Vec::new(),
    }
}

/// The document with one loop of 100 s in its first write cell, which falls from 5,000 to 1,000 MB/s after 40 s.
///
/// # Panics
/// When it has no write cell.
#[must_use]
pub fn with_long_write(mut document: ResultDocument) -> ResultDocument {
    let cell = document.cells.iter_mut().find(|cell| cell.method.pattern.writes()).expect("it writes");
    cell.method = Method { seconds: 100, loops: 1, discarded_loops: 0, ..cell.method.clone() };
    cell.loops.truncate(1);
    let one = &mut cell.loops[0];
    (one.discarded, one.elapsed_ns) = (false, 100 * NS_PER_S);
    let transfer = one.write.as_mut().expect("it writes");
    // Whole blocks of 1 MiB, about as many bytes.
    let (fast, slow) = (476_u64 << 20, 95_u64 << 20);
    transfer.bins = (0..1_000).map(|bin| if bin < 400 { fast } else { slow }).collect();
    transfer.bytes = transfer.bins.iter().sum();
    transfer.ios = transfer.bytes >> 20;
    transfer.latency = Histogram::default();
    transfer.latency.record_many(Nanos(1_000_000), transfer.ios);
    let (write_requests, written_bytes) = (transfer.ios, transfer.bytes);
    one.device = Some(DeviceCounters { read_requests: 0, read_bytes: 0, write_requests, written_bytes });
    document
}

/// The document with a matrix of loads after its cells: 1 and 8 small I/Os of 4 KiB, 1 and 2 large ones of 1 MiB, and
/// every combination of them, for a minute each.
#[must_use]
pub fn with_matrix(mut document: ResultDocument) -> ResultDocument {
    let like = document.cells[4].clone();
    for (small, large) in [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (8, 0), (8, 1), (8, 2)] {
        let mut cell = like.clone();
        cell.method = Method {
            pattern: Pattern::RandMix,
            read_percent: Some(70),
            block_bytes: if small == 0 { 1 << 20 } else { 4096 },
            queue_depth: if small == 0 { large } else { small },
            beside: (small > 0 && large > 0).then_some(Beside { block_bytes: 1 << 20, queue_depth: large }),
            span_bytes: 16 << 30,
            seconds: 60,
            loops: 1,
            discarded_loops: 0,
            ..cell.method
        };
        // Each large I/O in flight makes 1,500 a second and costs small ones a tenth.
        let (small, large) = (u64::from(small), u64::from(large));
        let ios = [small * 16_000 * (10 - large) / 10, large * 1_500 * (10 - small / 2) / 10];
        cell.loops.truncate(1);
        let one = &mut cell.loops[0];
        (one.discarded, one.elapsed_ns) = (false, 60 * NS_PER_S);
        let stream = |ios: u64, in_flight: u64, bytes: u64| {
            let side = |share: u64| {
                let mut latency = Histogram::default();
                let mean = Nanos(in_flight * NS_PER_S / ios.max(1));
                let ios = ios * 60 * share / 100;
                latency.record_many(mean, ios);
                let bytes = ios * bytes;
                Transfer { ios, bytes, latency, bin_ns: NS_PER_S, bins: vec![bytes / 60; 60] }
            };
            (Some(side(70)), Some(side(30)))
        };
        let (first, second) = (stream(ios[0], small, 4096), stream(ios[1], large, 1 << 20));
        (one.read, one.write) = if small == 0 { second.clone() } else { first };
        if small > 0 && large > 0 {
            one.beside = Some(Streams { read: second.0, write: second.1 });
        }
        document.cells.push(cell);
    }
    document
}

/// The document with a read and a write cell after its cells that each measure 200 places of 32 GiB; the places `slow`
/// of the read have this share of the speed.
#[must_use]
pub fn with_surface(mut document: ResultDocument, slow: Range<usize>, share: f64) -> ResultDocument {
    const PLACES: u32 = 200;
    let loop_bytes = 32 << 20;
    for index in [0, 1] {
        let mut cell = document.cells[index].clone();
        let (like, bytes_per_s) = (cell.loops[0].clone(), 5_000_000_000 / (index as u64 + 1));
        cell.method = Method {
            span_bytes: 32 << 30,
            seconds: 60,
            loops: PLACES,
            discarded_loops: 0,
            ends: Ends::Bytes(Stretches { loop_bytes, rest_seconds: 0, settles: None, until_slow: false }),
            ..cell.method
        };
        cell.loops = (0..PLACES as usize)
            .map(|place| {
                let share = if index == 0 && slow.contains(&place) { share } else { 1.0 };
                // Every place a little different.
                let rate = scaled(bytes_per_s + place as u64 % 7 * 10_000_000, share);
                let ios = loop_bytes >> 20;
                let mut latency = Histogram::default();
                latency.record_many(Nanos(8 * (1 << 20) * NS_PER_S / rate), ios);
                let transfer =
                    Transfer { ios, bytes: loop_bytes, latency, bin_ns: BIN_NS, bins: vec![loop_bytes] };
                let mut one = Loop {
                    discarded: false,
                    started_ns: document.elapsed_ns,
                    elapsed_ns: loop_bytes * NS_PER_S / rate,
                    ended: LoopEnded::Bytes,
                    device: None,
                    ..like.clone()
                };
                if index == 0 {
                    one.read = Some(transfer)
                } else {
                    one.write = Some(transfer)
                }
                document.elapsed_ns += one.elapsed_ns;
                one
            })
            .collect();
        document.cells.push(cell);
    }
    document
}

/// The loops of the cell at `index` in these parts of 10,000 of its rate, the discarded one first.
#[must_use]
pub fn loops(index: usize, parts: &[u64], scale: f64) -> Vec<Loop> {
    parts.iter().enumerate().map(|(number, part)| one_loop(index, number, *part, scale)).collect()
}

/// The link of the drive.
const LINK: PcieLink = PcieLink { mt_per_s: 32_000, lanes: 4 };

/// One sensor, read every two seconds, and the health log before and after.
fn telemetry() -> Telemetry {
    let end_ns = (CELLS.len() as u64 + 1) * CELL_STEP_NS;
    let period_ns = 2 * NS_PER_S;
    let times = || (0..).map(|index| index * period_ns + 1).take_while(|at_ns| *at_ns < end_ns);
    let health = |at_ns, written_units| Health {
        at_ns,
        critical_warning: 0,
        spare_percent: 100,
        spare_threshold_percent: 10,
        wear_percent: 1,
        read_units: 41_000_000,
        written_units,
        busy_minutes: 2_100,
        media_errors: 0,
        warning_minutes: 0,
        critical_minutes: 0,
        light_throttle_count: 0,
        heavy_throttle_count: 0,
        light_throttle_s: 0,
        heavy_throttle_s: 0,
    };
    Telemetry {
        policy: SamplingPolicy { period_ns, pauses: PausePolicy::Sampled },
        series: vec![Series {
            source: SensorSource::Hwmon,
            quantity: Quantity::Temperature,
            name: "Composite".to_owned(),
            warning: Reading::Known(81_850),
            critical: Reading::Known(84_850),
            at_ns: times().collect(),
            // From 36 degrees up to 61, a degree every 20 seconds.
            values: times()
                .map(|at_ns| Some(36_000 + (at_ns / (20 * NS_PER_S)).min(25) as i64 * 1_000))
                .collect(),
        }],
        health: Reading::Known(vec![health(0, 36_000_000), health(end_ns - 1, 36_180_000)]),
        links: vec![LinkSample { at_ns: CELL_STEP_NS, links: vec![Reading::Known(LINK)] }],
    }
}

fn drive(name: &str) -> Drive {
    Drive {
        model: Reading::Known(name.to_owned()),
        firmware: Reading::Known("4B2QJXD7".to_owned()),
        capacity_bytes: Reading::Known(2_000_398_934_016),
        transport: Transport::Nvme,
        rotational: Reading::Known(false),
        logical_block_bytes: Reading::Known(512),
        physical_block_bytes: Reading::Known(512),
        metadata_bytes: Reading::Known(0),
        namespace: Reading::Known(1),
        serial_hmac: Reading::Absent(Absent::NotReported),
        serial: Reading::Absent(Absent::Withheld),
        max_request_bytes: Reading::Known(2 << 20),
        max_segments: Reading::Known(512),
        queue_requests: Reading::Known(1_023),
        hardware_queues: Reading::Known(32),
        poll_queues: Reading::Known(false),
        scheduler: Reading::Known("none".to_owned()),
        write_cache: Reading::Known("write back".to_owned()),
        zoned: Reading::Known("none".to_owned()),
        pcie: vec![PcieHop { current: Reading::Known(LINK), maximum: Reading::Known(LINK) }],
        slot: Reading::Absent(Absent::NotReported),
        numa_node: Reading::Known(0),
        members: Vec::new(),
        stack: vec!["partition".to_owned()],
    }
}

fn cell(index: usize, scale: f64) -> Cell {
    let (pattern, block_bytes, queue_depth, _) = CELLS[index];
    // A different order of the same loops in each cell, so that no two lines look alike.
    let parts: [u64; 6] = std::array::from_fn(|number| match number {
        0 => LOOPS[0],
        number => LOOPS[1 + (number + index) % 5],
    });
    Cell {
        method: Method {
            pattern,
            block_bytes,
            queue_depth,
            threads: 1,
            span_bytes: 1 << 30,
            data: DataKind::Random,
            seconds: SECONDS,
            loops: 5,
            discarded_loops: 1,
            interval_seconds: 5,
            ..Method::PLAIN
        },
        run: 0,
        status: CellStatus::Complete,
        void: Vec::new(),
        error: None,
        failed_member: None,
        proof: Proof {
            direct_io: true,
            dio_memory_align: Reading::Known(4),
            dio_offset_align: Reading::Known(512),
            file_system: Reading::Known("ext4".to_owned()),
            extents: Reading::Known(Extents { count: 8, ..Extents::default() }),
            suspended_ns: 0,
            link_bytes_per_s: Reading::Known(LINK.bytes_per_s()),
            unproven: Vec::new(),
        },
        members: Vec::new(),
        preparation: None,
        state: None,
        loops: loops(index, &parts, scale),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "rates are small and positive"
)]
fn scaled(rate: u64, scale: f64) -> u64 {
    (rate as f64 * scale).round().max(1.0) as u64
}

/// The same run on up to four drives apart: sequential reads with one drive, two, three and four, of which each but the
/// first does a hundredth less than the one before, and beyond three nothing is gained.
#[must_use]
pub fn with_drives_apart(mut document: ResultDocument) -> ResultDocument {
    let plain = document.cells.remove(0);
    document.cells = (1..=4).map(|count| apart(&plain, count)).collect();
    document.suite = "array".to_owned();
    document.other_targets = vec![document.target.clone(); 3];
    let Drive { model, firmware, capacity_bytes, transport, .. } = document.drive.clone();
    let member = Member { model: model.clone(), firmware, capacity_bytes: capacity_bytes.clone(), transport };
    document.drive = Drive {
        model: Reading::Known(format!("4 × {}", model.known().expect("the fixture has a name"))),
        capacity_bytes: Reading::Known(4 * capacity_bytes.known().expect("the fixture has a size")),
        pcie: Vec::new(),
        members: vec![member; 4],
        ..document.drive
    };
    document
}

/// A cell of one drive as one of `count` drives apart.
fn apart(one: &Cell, count: u8) -> Cell {
    let mut cell = one.clone();
    cell.method = Method { members: Some(count), apart: true, ..cell.method };
    cell.members = vec![cell.proof.clone(); count.into()];
    cell.proof = Proof::together(&cell.members).expect("there is a drive");
    let block = u64::from(cell.method.block_bytes);
    for one in &mut cell.loops {
        one.started_ns += u64::from(count - 1) * CELL_STEP_NS;
        let alone = one.read.as_ref().expect("it reads").ios;
        let all = u64::from(count.min(3));
        let ios = |drive: u64| alone * all / u64::from(count) * (100 - drive) / 100;
        one.members = (0..u64::from(count))
            .map(|drive| MemberLoad {
                read_bytes: ios(drive) * block,
                device: Some(DeviceCounters {
                    read_requests: ios(drive),
                    read_bytes: ios(drive) * block,
                    ..DeviceCounters::default()
                }),
                ..MemberLoad::default()
            })
            .collect();
        one.device = DeviceCounters::sum(one.members.iter().map(|drive| drive.device));
        let transfer = one.read.as_mut().expect("it reads");
        transfer.bytes = one.members.iter().map(MemberLoad::bytes).sum();
        transfer.ios = transfer.bytes / block;
        let each_ns = cell.method.in_flight() * one.elapsed_ns / transfer.ios.max(1);
        transfer.latency = Histogram::default();
        transfer.latency.record_many(Nanos(each_ns), transfer.ios);
        let bins = transfer.bins.len() as u64;
        for (index, bin) in transfer.bins.iter_mut().enumerate() {
            *bin = transfer.bytes / bins + if index == 0 { transfer.bytes % bins } else { 0 };
        }
    }
    cell
}

fn one_loop(index: usize, number: usize, part: u64, scale: f64) -> Loop {
    let (pattern, block_bytes, queue_depth, rate) = CELLS[index];
    let elapsed_ns = u64::from(SECONDS) * NS_PER_S;
    let ios = (scaled(rate, scale) * u64::from(SECONDS) * part / 10_000).max(1);
    let bytes = ios * u64::from(block_bytes);
    let mean_ns = u64::from(queue_depth) * elapsed_ns / ios;
    let mut latency = Histogram::default();
    let mut left = ios;
    for (share, size) in &LATENCIES[1..] {
        let count = ios * share / 100_000;
        left -= count;
        latency.record_many(Nanos(mean_ns * size / 1_000), count);
    }
    latency.record_many(Nanos(mean_ns * LATENCIES[0].1 / 1_000), left);
    let bins = elapsed_ns / BIN_NS;
    let transfer = Transfer {
        ios,
        bytes,
        latency,
        bin_ns: BIN_NS,
        bins: (0..bins).map(|bin| bytes / bins + if bin == 0 { bytes % bins } else { 0 }).collect(),
    };
    let (reads, writes) = if pattern.writes() { (0, 1) } else { (1, 0) };
    Loop {
        discarded: number == 0,
        started_ns: (index as u64 + 1) * CELL_STEP_NS + number as u64 * LOOP_STEP_NS,
        elapsed_ns,
        drain_ns: NS_PER_S / 1_000,
        drained_ios: 0,
        clock_anomalies: 0,
        cpu_ns: ios * 2_400,
        read: (reads == 1).then(|| transfer.clone()),
        write: (writes == 1).then_some(transfer),
        beside: None,
        ended: LoopEnded::Time,
        device: Some(DeviceCounters {
            read_requests: reads * ios,
            read_bytes: reads * bytes,
            write_requests: writes * ios,
            written_bytes: writes * bytes,
        }),
        members: Vec::new(),
    }
}
