//! Plausible results made from fixed numbers, for tests and pictures: the eight cells of the suite
//! `cdm`, a warm-up and five loops each. Nothing here was measured.

use model::{
    Histogram, KeyId, Reading, ResultDocument, ResultId,
    document::{
        Cell, CellError, CellErrorKind, CellStatus, DEFAULT_LICENSE, DeviceCounters, Engine, EngineClass,
        Loop, Origin, Outcome, Preparation, Runner, SCHEMA, Target, TargetKind, Transfer, Visibility,
    },
    drive::{Drive, Transport},
    host::Host,
    ids::PublicKey,
    method::{DataKind, Method, Pattern},
    proof::{Extents, Proof, VoidReason},
    reading::Absent,
    summary::ResultSummary,
    units::{NS_PER_S, Nanos},
};
use std::collections::BTreeMap;

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

/// The loops of a cell in parts of 10,000 of its rate, the warm-up first.
const LOOPS: [u64; 6] = [10_240, 10_000, 9_965, 10_021, 9_988, 10_006];

/// Latencies as (parts of 100,000 of the I/Os, parts of 1,000 of the mean).
const LATENCIES: [(u64, u64); 7] =
    [(40_000, 880), (45_000, 990), (13_000, 1_180), (1_800, 1_900), (180, 4_200), (15, 13_000), (5, 38_000)];

const SECONDS: u64 = 5;

/// A complete run of `cdm` on a drive of this name; `scale` multiplies every rate.
#[must_use]
pub fn document(name: &str, scale: f64) -> ResultDocument {
    ResultDocument {
        schema: SCHEMA,
        started_unix_ms: 1_796_074_800_000,
        public_key: PublicKey([7; 32]),
        license: DEFAULT_LICENSE.to_owned(),
        origin: Origin::Measured,
        visibility: Visibility::Public,
        runner: Runner { name: "cliffmark".to_owned(), version: "0.1.0".to_owned() },
        suite: "cdm".to_owned(),
        runs: 1,
        outcome: Outcome::Complete,
        elapsed_ns: 290 * NS_PER_S,
        labels: BTreeMap::new(),
        drive: drive(name),
        host: host(),
        target: Target {
            kind: TargetKind::NewFile,
            file_system: Some("ext4".to_owned()),
            mount_options: vec!["noatime".to_owned()],
            file_system_bytes: Some(1_967_000_000_000),
            file_system_used_bytes: Some(61_000_000_000),
        },
        engine: Engine {
            class: EngineClass::Uring,
            features: vec![
                "defer-taskrun".to_owned(),
                "fixed-buffers".to_owned(),
                "single-issuer".to_owned(),
            ],
            refused: Vec::new(),
            buffer_page_bytes: 2 << 20,
        },
        preparation: Some(Preparation { bytes: 1 << 30, elapsed_ns: NS_PER_S }),
        cells: CELLS.iter().enumerate().map(|(index, cell)| self::cell(index as u64, *cell, scale)).collect(),
    }
}

/// The summary of a document under ids made from `number`.
#[must_use]
pub fn summary(document: &ResultDocument, number: u8) -> ResultSummary {
    analysis::summary::summarise(document, ResultId([number; 32]), KeyId([7; 32]))
}

/// The document with the cell at `index` failed in its third loop.
#[must_use]
pub fn with_failed(mut document: ResultDocument, index: usize) -> ResultDocument {
    let cell = &mut document.cells[index];
    cell.status = CellStatus::Failed;
    cell.error = Some(CellError { kind: CellErrorKind::Io, errno: Some(5), offset: Some(1 << 20) });
    cell.loops.truncate(2);
    document
}

/// The document with the cell at `index` void.
#[must_use]
pub fn with_void(mut document: ResultDocument, index: usize) -> ResultDocument {
    let cell = &mut document.cells[index];
    cell.status = CellStatus::Void;
    cell.void = vec![VoidReason::Unwritten];
    document
}

/// The document as a simulated drive would have given it.
#[must_use]
pub fn simulated(mut document: ResultDocument) -> ResultDocument {
    document.origin = Origin::Simulated;
    document.engine.class = EngineClass::Simulated;
    document
}

/// The document with the loops of the cell at `index` in these parts of 10,000 of its rate, the warm-up
/// first.
#[must_use]
pub fn with_loops(mut document: ResultDocument, index: usize, parts: &[u64], scale: f64) -> ResultDocument {
    let (_, block, depth, rate) = CELLS[index];
    document.cells[index].loops = parts
        .iter()
        .enumerate()
        .map(|(i, part)| one_loop(i, *part, CELLS[index].0, block, depth, scaled(rate, scale)))
        .collect();
    document
}

fn drive(name: &str) -> Drive {
    let absent = || Absent::NotReported;
    Drive {
        model: Reading::Known(name.to_owned()),
        firmware: Reading::Known("4B2QJXD7".to_owned()),
        capacity_bytes: Reading::Known(2_000_398_934_016),
        transport: Transport::Nvme,
        rotational: Reading::Known(false),
        logical_block_bytes: Reading::Known(512),
        physical_block_bytes: Reading::Known(512),
        serial_hmac: Reading::Absent(absent()),
        serial: Reading::Absent(Absent::Withheld),
        max_request_bytes: Reading::Known(2 << 20),
        max_segments: Reading::Known(512),
        scheduler: Reading::Known("none".to_owned()),
        stack: vec!["partition".to_owned()],
    }
}

fn host() -> Host {
    Host {
        kernel: "6.18.44".to_owned(),
        architecture: "x86_64".to_owned(),
        cpu_model: Reading::Known("AMD Ryzen 9 7950X 16-Core Processor".to_owned()),
        logical_cpus: 32,
        memory_bytes: Reading::Known(64 << 30),
        cpu_governor: Reading::Known("performance".to_owned()),
        virtual_machine: Reading::Known(false),
    }
}

fn cell(index: u64, (pattern, block_bytes, queue_depth, rate): (Pattern, u32, u32, u64), scale: f64) -> Cell {
    let method = Method {
        pattern,
        block_bytes,
        queue_depth,
        threads: 1,
        span_bytes: 1 << 30,
        data: DataKind::Random,
        seconds: 5,
        loops: 5,
        discarded_loops: 1,
        interval_seconds: 5,
    };
    // A different order of the same loops in each cell, so that no two lines look alike.
    let turned = |i: usize| if i == 0 { LOOPS[0] } else { LOOPS[1 + (i + index as usize) % 5] };
    let rate = scaled(rate, scale);
    Cell {
        run: 0,
        status: CellStatus::Complete,
        void: Vec::new(),
        error: None,
        proof: proof(),
        loops: (0..LOOPS.len())
            .map(|i| one_loop(i, turned(i), pattern, block_bytes, queue_depth, rate))
            .collect(),
        method,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are small and positive")]
#[expect(clippy::cast_precision_loss, reason = "rates are small")]
fn scaled(rate: u64, scale: f64) -> u64 {
    (rate as f64 * scale).round().max(1.0) as u64
}

fn one_loop(index: usize, part: u64, pattern: Pattern, block: u32, depth: u32, rate: u64) -> Loop {
    let ios = (rate * SECONDS * part / 10_000).max(1);
    let bytes = ios * u64::from(block);
    let mean = u64::from(depth) * SECONDS * NS_PER_S / ios;
    let mut latency = Histogram::default();
    let mut left = ios;
    for (place, (share, size)) in LATENCIES.iter().enumerate() {
        let count = if place == 0 { 0 } else { ios * share / 100_000 };
        left -= count;
        (0..count).for_each(|_| latency.record(Nanos(mean * size / 1_000)));
    }
    (0..left).for_each(|_| latency.record(Nanos(mean * LATENCIES[0].1 / 1_000)));
    let bins = SECONDS * 10;
    let transfer = Transfer {
        ios,
        bytes,
        latency,
        bin_ns: NS_PER_S / 10,
        bins: (0..bins).map(|bin| bytes / bins + if bin == 0 { bytes % bins } else { 0 }).collect(),
    };
    let device = DeviceCounters {
        read_requests: if pattern.writes() { 0 } else { ios },
        read_bytes: if pattern.writes() { 0 } else { bytes },
        write_requests: if pattern.writes() { ios } else { 0 },
        written_bytes: if pattern.writes() { bytes } else { 0 },
    };
    let (read, write) = if pattern.writes() { (None, Some(transfer)) } else { (Some(transfer), None) };
    Loop {
        discarded: index == 0,
        started_ns: (10 + index as u64 * SECONDS) * NS_PER_S,
        elapsed_ns: SECONDS * NS_PER_S,
        drain_ns: 1_000_000,
        drained_ios: 0,
        cpu_ns: ios * 2_400,
        read,
        write,
        device: Some(device),
    }
}

fn proof() -> Proof {
    Proof {
        direct_io: true,
        dio_memory_align: Reading::Known(4),
        dio_offset_align: Reading::Known(512),
        file_system: Reading::Known("ext4".to_owned()),
        extents: Reading::Known(Extents { count: 8, ..Extents::default() }),
        suspended_ns: 0,
        unproven: Vec::new(),
    }
}
