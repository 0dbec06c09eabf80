//! Well-formed, plausible documents for tests: made from a few numbers, the same every time.
//!
//! Behind the feature `fixtures`; no program ships it. The figures are invented and belong to no drive.

use crate::{
    Histogram, Method, Reading, ResultDocument,
    document::{
        BIN_NS, Cell, CellStatus, DEFAULT_LICENSE, Engine, EngineClass, Loop, Origin, Outcome, Preparation,
        Runner, SCHEMA, Target, TargetKind, Transfer, Visibility,
    },
    drive::{Drive, Transport},
    host::Host,
    ids::PublicKey,
    method::{DataKind, Pattern},
    proof::{Extents, Proof},
    reading::Absent,
    units::{NS_PER_S, Nanos},
};
use std::collections::BTreeMap;

/// Latency of one I/O in the fixtures' cells for a factor of 1, microseconds: reads then writes of
/// SEQ1M Q8T1, SEQ1M Q1T1, RND4K Q32T1, RND4K Q1T1.
const LATENCY_US: [(Pattern, u32, u32, u64); 8] = [
    (Pattern::SeqRead, 1 << 20, 8, 2_400),
    (Pattern::SeqRead, 1 << 20, 1, 350),
    (Pattern::RandRead, 4096, 32, 55),
    (Pattern::RandRead, 4096, 1, 48),
    (Pattern::SeqWrite, 1 << 20, 8, 2_900),
    (Pattern::SeqWrite, 1 << 20, 1, 410),
    (Pattern::RandWrite, 4096, 32, 70),
    (Pattern::RandWrite, 4096, 1, 15),
];

/// The eight cells of the suite `cdm` on a drive called `name`, each I/O taking `slowness` times as long as
/// on the drive with a `slowness` of 1; `public_key` is the key that would sign it.
#[must_use]
pub fn document(name: &str, slowness: f64, public_key: PublicKey) -> ResultDocument {
    let mut started_ns = NS_PER_S;
    let cells: Vec<Cell> = LATENCY_US
        .iter()
        .map(|&(pattern, block_bytes, queue_depth, latency_us)| {
            let method = method(pattern, block_bytes, queue_depth);
            started_ns += u64::from(method.interval_seconds) * NS_PER_S;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "small positive figures"
            )]
            let latency_ns = (latency_us as f64 * 1e3 * slowness) as u64;
            cell(method, latency_ns, &mut started_ns)
        })
        .collect();
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
        elapsed_ns: started_ns + NS_PER_S,
        labels: BTreeMap::new(),
        drive: drive(name),
        host: Host {
            kernel: "6.18.44".to_owned(),
            architecture: "x86_64".to_owned(),
            cpu_model: Reading::Known("Example CPU".to_owned()),
            logical_cpus: 8,
            memory_bytes: Reading::Known(32 << 30),
            cpu_governor: Reading::Absent(Absent::NotReported),
            virtual_machine: Reading::Known(false),
        },
        target: Target {
            kind: TargetKind::NewFile,
            file_system: Some("ext4".to_owned()),
            mount_options: vec!["relatime".to_owned()],
            file_system_bytes: Some(990_000_000_000),
            file_system_used_bytes: Some(120_000_000_000),
        },
        engine: Engine {
            class: EngineClass::Uring,
            features: vec!["defer-taskrun".to_owned(), "single-issuer".to_owned()],
            refused: Vec::new(),
            buffer_page_bytes: 2 << 20,
        },
        preparation: Some(Preparation { bytes: 1 << 30, elapsed_ns: NS_PER_S }),
        cells,
    }
}

fn drive(name: &str) -> Drive {
    Drive {
        model: Reading::Known(name.to_owned()),
        firmware: Reading::Known("1.0".to_owned()),
        capacity_bytes: Reading::Known(1_000_204_886_016),
        transport: Transport::Nvme,
        rotational: Reading::Known(false),
        logical_block_bytes: Reading::Known(512),
        physical_block_bytes: Reading::Known(4096),
        serial_hmac: Reading::Absent(Absent::NotReported),
        serial: Reading::Absent(Absent::Withheld),
        max_request_bytes: Reading::Known(1 << 20),
        max_segments: Reading::Known(127),
        scheduler: Reading::Known("none".to_owned()),
        stack: vec!["partition".to_owned()],
    }
}

fn method(pattern: Pattern, block_bytes: u32, queue_depth: u32) -> Method {
    Method {
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
    }
}

fn cell(method: Method, latency_ns: u64, started_ns: &mut u64) -> Cell {
    // Loops differ by up to 2 %: the first, discarded one is the slowest.
    let loops = [1_050, 1_010, 1_000, 1_005, 995, 990]
        .into_iter()
        .enumerate()
        .map(|(index, permille)| {
            let one = one_loop(&method, index == 0, *started_ns, latency_ns * permille / 1_000);
            *started_ns += one.elapsed_ns + one.drain_ns;
            one
        })
        .collect();
    Cell {
        method,
        run: 0,
        status: CellStatus::Complete,
        void: Vec::new(),
        error: None,
        proof: Proof {
            direct_io: true,
            dio_memory_align: Reading::Known(512),
            dio_offset_align: Reading::Known(512),
            file_system: Reading::Known("ext4".to_owned()),
            extents: Reading::Known(Extents { count: 8, ..Extents::default() }),
            suspended_ns: 0,
            unproven: Vec::new(),
        },
        loops,
    }
}

fn one_loop(method: &Method, discarded: bool, started_ns: u64, latency_ns: u64) -> Loop {
    let elapsed_ns = u64::from(method.seconds) * NS_PER_S;
    // A saturated queue: I/Os = time x depth / latency; one in a hundred takes twice as long.
    let ios = elapsed_ns * u64::from(method.queue_depth) / (latency_ns + latency_ns / 100);
    let mut latency = Histogram::default();
    latency.record_many(Nanos(latency_ns), ios - ios / 100);
    latency.record_many(Nanos(2 * latency_ns), ios / 100);
    let bins = elapsed_ns / BIN_NS;
    let share = |bin: u64| (ios * (bin + 1) / bins - ios * bin / bins) * u64::from(method.block_bytes);
    let transfer = Transfer {
        ios,
        bytes: ios * u64::from(method.block_bytes),
        latency,
        bin_ns: BIN_NS,
        bins: (0..bins).map(share).collect(),
    };
    let (read, write) = if method.pattern.writes() { (None, Some(transfer)) } else { (Some(transfer), None) };
    Loop {
        discarded,
        started_ns,
        elapsed_ns,
        drain_ns: 2 * latency_ns,
        drained_ios: u64::from(method.queue_depth),
        cpu_ns: ios * 3_000,
        read,
        write,
        device: None,
    }
}
