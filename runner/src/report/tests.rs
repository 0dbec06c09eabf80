//! Tables of made-up results: complete, partial, void and failed cells.

use super::*;
use model::{
    Histogram, Reading,
    document::{CellError, Loop, Transfer, Wait},
    fixtures,
    ids::PublicKey,
    method::{DataKind, Pattern},
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
        members: Vec::new(),
        beside: None,
        ended: model::document::LoopEnded::Time,
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
        ..Method::PLAIN
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
        failed_member: None,
        preparation: None,
        state: None,
        members: Vec::new(),
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

#[test]
fn a_single_loop_has_no_range() {
    let rows = |loops: &[u64]| {
        let document = document(vec![cell(Pattern::RandRead, 4096, loops, CellStatus::Partial)]);
        anstream::adapter::strip_str(&table(&document)).to_string()
    };
    assert!(rows(&[900, 1000]).contains(" – "));
    assert!(!rows(&[900]).lines().nth(1).unwrap().contains(" – "), "{}", rows(&[900]));
}

#[test]
fn what_is_not_as_usual_is_told() {
    let mut document = fixtures::document("Samsung SSD 990 PRO 2TB", 1.0, PublicKey([0; 32]));
    document.engine.class = EngineClass::Polled;
    document.engine.wait = Wait::DevicePoll;
    document.engine.refused = vec!["no-sqarray: EINVAL".to_owned(), "pinning: EPERM".to_owned()];
    document.resumptions = vec![Resumption {
        cells_before: 3,
        at_ns: document.cells[3].loops[0].started_ns - 1,
        resumed_unix_ms: document.started_unix_ms + 3_600_000,
        preparation: document.preparation.clone(),
    }];
    for cell in &mut document.cells {
        cell.method.data = DataKind::Zero;
        cell.method.span_bytes = 16 << 20;
    }
    document.cells[7].method.seconds = 4;
    for cell in &mut document.cells[..2] {
        for one in &mut cell.loops[2..4] {
            let device = one.device.as_mut().unwrap();
            device.read_bytes += 5 << 30;
            device.read_requests += 5 << 10;
        }
    }
    let text = anstream::adapter::strip_str(&whole(&document, ResultId([1; 32]), KeyId([2; 32]))).to_string();
    insta::assert_snapshot!(text);
}

#[test]
fn what_was_watched_is_told_in_a_few_lines() {
    let mut document = document(Vec::new());
    document.drive.pcie[0].maximum = Reading::Known(model::drive::PcieLink { mt_per_s: 64_000, lanes: 4 });
    let Reading::Known(log) = &mut document.telemetry.health else { panic!("the fixture has a log") };
    log[1].light_throttle_count += 2;
    log[1].light_throttle_s += 31;
    let mut stuck = document.telemetry.series[0].clone();
    stuck.name = "Sensor 2".to_owned();
    stuck.values.fill(Some(40_000));
    let mut meter = stuck.clone();
    meter.name = "Power meter".to_owned();
    meter.quantity = Quantity::Power;
    meter.values = (0..meter.at_ns.len() as i64).map(|index| Some(3_000 + index % 2 * 1_000)).collect();
    document.telemetry.series.extend([stuck, meter]);
    let lines: Vec<String> =
        watched(&document).into_iter().map(|(name, text)| format!("{name}: {text}")).collect();
    assert_eq!(
        lines,
        [
            "link: 32.0 GT/s x4, slower than both ends can do",
            "heat: Composite 36.0 °C before, 61.0 °C at most, warns from 81.9 °C",
            "heat: Sensor 2 not reported (stood still while the drive throttled for heat)",
            "power: Power meter 3.50 W on average, 4.00 W at most",
            "throttled: light throttling began 2 times, 31 s",
        ]
    );
}

#[test]
fn passes_have_a_table_of_their_own() {
    let mut document = fixtures::with_passes(fixtures::document("Example", 1.0, PublicKey([0; 32])));
    document.cells.clear();
    let text = anstream::adapter::strip_str(&table(&document)).to_string();
    assert!(text.lines().take(8).all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}
