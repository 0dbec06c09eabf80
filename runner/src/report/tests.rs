//! Tables of made-up results: complete, partial, void and failed cells.

use super::*;
use model::{
    Histogram, Reading,
    document::{Cell, CellError, Loop, Transfer},
    fixtures,
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
        clock_anomalies: 0,
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
        void: match status {
            CellStatus::Void => vec![VoidReason::Hole],
            CellStatus::Failed => vec![VoidReason::IoError],
            _ => Vec::new(),
        },
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
            link_bytes_per_s: Reading::Absent(ABSENT),
            unproven: vec![Unproven::VirtualDisk],
        },
        loops: ios.iter().map(|&ios| one_loop(pattern, block_bytes, ios)).collect(),
    }
}

fn document(cells: Vec<Cell>) -> ResultDocument {
    let mut document = fixtures::document("Samsung SSD 990 PRO 2TB", 1.0, PublicKey([0; 32]));
    document.suite = "quick".to_owned();
    document.outcome = Outcome::Failed;
    document.elapsed_ns = 40_000_000_000;
    document.labels = [(model::labels::LabelKey::Cooling, "heatsink".to_owned())].into();
    document.drive.stack = vec!["dm-crypt".to_owned(), "partition".to_owned()];
    document.target.mount_options = vec!["discard".to_owned()];
    document.cells = cells;
    document
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
