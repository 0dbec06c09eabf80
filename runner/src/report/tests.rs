//! Tables of made-up results: complete, partial, void and failed cells.

use super::*;
use model::{
    Histogram, Reading,
    document::{Cell, CellError, Engine, EngineClass, Loop, Runner, SCHEMA, Target, TargetKind, Transfer},
    drive::Drive,
    host::Host,
    ids::PublicKey,
    method::{DataKind, Method, Pattern},
    proof::{Proof, Unproven},
    reading::Absent,
};

const ABSENT: Absent = Absent::NotReported;

fn one_loop(pattern: Pattern, block_bytes: u32, ios: u64) -> Loop {
    let mut latency = Histogram::default();
    (0..ios).for_each(|_| latency.record(Nanos(84_000)));
    let bytes = ios * u64::from(block_bytes);
    let transfer = Transfer { ios, bytes, latency, bin_ns: 100_000_000, bins: vec![bytes] };
    let (read, write) = if pattern.writes() { (None, Some(transfer)) } else { (Some(transfer), None) };
    Loop {
        discarded: false,
        started_ns: 0,
        elapsed_ns: 1_000_000_000,
        drain_ns: 0,
        drained_ios: 0,
        cpu_ns: 1,
        read,
        write,
        device: None,
    }
}

fn cell(pattern: Pattern, block_bytes: u32, ios: &[u64], status: CellStatus) -> Cell {
    let method = Method {
        pattern,
        block_bytes,
        queue_depth: 32,
        threads: 16,
        span_bytes: 1 << 30,
        data: DataKind::Random,
        seconds: 1,
        loops: 3,
        discarded_loops: 0,
        interval_seconds: 0,
    };
    Cell {
        method,
        run: 0,
        status,
        void: if status == CellStatus::Void { vec![VoidReason::Hole] } else { Vec::new() },
        error: (status == CellStatus::Failed).then_some(CellError {
            kind: CellErrorKind::Io,
            errno: Some(5),
            offset: Some(4096),
        }),
        proof: Proof {
            direct_io: true,
            dio_memory_align: Reading::Absent(ABSENT),
            dio_offset_align: Reading::Absent(ABSENT),
            file_system: Reading::Absent(ABSENT),
            extents: Reading::Absent(ABSENT),
            suspended_ns: 0,
            unproven: vec![Unproven::VirtualDisk],
        },
        loops: ios.iter().map(|&ios| one_loop(pattern, block_bytes, ios)).collect(),
    }
}

fn document(cells: Vec<Cell>) -> ResultDocument {
    ResultDocument {
        schema: SCHEMA,
        started_unix_ms: 1_796_074_800_000,
        public_key: PublicKey([0; 32]),
        license: "CC-BY-4.0".to_owned(),
        origin: Origin::Measured,
        visibility: Visibility::Public,
        runner: Runner { name: "cliffmark".to_owned(), version: "0.1.0".to_owned() },
        suite: "quick".to_owned(),
        runs: 1,
        outcome: Outcome::Failed,
        elapsed_ns: 40_000_000_000,
        labels: [(model::labels::LabelKey::Cooling, "heatsink".to_owned())].into(),
        drive: Drive {
            model: Reading::Known("Samsung SSD 990 PRO 2TB".to_owned()),
            firmware: Reading::Known("4B2QJXD7".to_owned()),
            capacity_bytes: Reading::Known(2_000_398_934_016),
            transport: Transport::Nvme,
            rotational: Reading::Absent(ABSENT),
            logical_block_bytes: Reading::Absent(ABSENT),
            physical_block_bytes: Reading::Absent(ABSENT),
            serial_hmac: Reading::Absent(ABSENT),
            serial: Reading::Absent(ABSENT),
            max_request_bytes: Reading::Absent(ABSENT),
            max_segments: Reading::Absent(ABSENT),
            scheduler: Reading::Absent(ABSENT),
            stack: vec!["dm-crypt".to_owned(), "partition".to_owned()],
        },
        host: Host {
            kernel: "6.18.44".to_owned(),
            architecture: "x86_64".to_owned(),
            cpu_model: Reading::Known("AMD EPYC".to_owned()),
            logical_cpus: 2,
            memory_bytes: Reading::Absent(ABSENT),
            cpu_governor: Reading::Absent(ABSENT),
            virtual_machine: Reading::Absent(ABSENT),
        },
        target: Target {
            kind: TargetKind::NewFile,
            file_system: Some("ext4".to_owned()),
            mount_options: vec!["discard".to_owned()],
            file_system_bytes: None,
            file_system_used_bytes: None,
        },
        engine: Engine {
            class: EngineClass::Uring,
            features: vec!["single-issuer".to_owned()],
            refused: Vec::new(),
            buffer_page_bytes: 4096,
        },
        preparation: None,
        cells,
    }
}

#[test]
fn a_result_with_every_kind_of_cell() {
    let document = document(vec![
        cell(Pattern::SeqRead, 128 << 10, &[200_000, 202_000, 201_000], CellStatus::Complete),
        cell(Pattern::RandRead, 4096, &[900, 1000], CellStatus::Partial),
        cell(Pattern::SeqWrite, 128 << 10, &[50_000, 20_000, 10_000], CellStatus::Void),
        cell(Pattern::RandWrite, 4096, &[], CellStatus::Failed),
    ]);
    let text = anstream::adapter::strip_str(&whole(&document, ResultId([1; 32]), KeyId([2; 32]))).to_string();
    let table = text.split_once("\n\n").unwrap().1;
    assert!(table.lines().take(5).all(|line| line.chars().count() <= 80), "{table}");
    insta::assert_snapshot!(text);
}
