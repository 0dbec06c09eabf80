//! Comparisons of small summaries made by hand.

use super::*;
use model::{
    KeyId, Method, ResultId,
    document::{CellStatus, EngineClass, Origin, Outcome, Visibility},
    drive::Transport,
    method::{DataKind, Pattern},
};

fn result(drive: &str, values: &[f64]) -> ResultSummary {
    let method = Method {
        pattern: Pattern::SeqRead,
        block_bytes: 1 << 20,
        queue_depth: 8,
        threads: 1,
        span_bytes: 1 << 30,
        data: DataKind::Random,
        seconds: 5,
        loops: 5,
        discarded_loops: 1,
        interval_seconds: 5,
    };
    ResultSummary {
        head: ResultHead {
            id: ResultId([1; 32]),
            key: KeyId([2; 32]),
            drive: drive.to_owned(),
            drive_reported: true,
            drive_slug: drive.to_lowercase(),
            firmware: None,
            capacity_bytes: Some(1_000_000_000_000),
            transport: Transport::Nvme,
            suite: "cdm".to_owned(),
            started_unix_ms: 0,
            origin: Origin::Measured,
            visibility: Visibility::Public,
            outcome: Outcome::Complete,
            engine: EngineClass::Uring,
            file_system: Some("ext4".to_owned()),
            host: "CPU, Linux 6.18".to_owned(),
            labels: std::collections::BTreeMap::new(),
        },
        metrics: vec![MetricSummary {
            metric: MetricId::new(&method, MetricKind::BytesPerS),
            method: method.id(),
            label: method.label(),
            status: CellStatus::Complete,
            void: vec![],
            values: values.to_vec(),
            stats: crate::stats::of(values),
            mean_of_best: None,
        }],
    }
}

fn labelled(mut result: ResultSummary, key: LabelKey, text: &str) -> ResultSummary {
    result.head.labels.insert(key, text.to_owned());
    result
}

fn second_standing(results: &[ResultSummary]) -> Standing {
    compare(results).rows[0].entries[1].standing
}

#[test]
fn a_difference_inside_the_spread_is_a_tie() {
    let standing =
        second_standing(&[result("A", &[98.0, 100.0, 104.0]), result("B", &[103.0, 105.0, 106.0])]);
    assert!(matches!(standing, Standing::Tie { .. }), "{standing:?}");
}

#[test]
fn a_larger_one_is_a_difference_with_its_direction() {
    let standing =
        second_standing(&[result("A", &[98.0, 100.0, 104.0]), result("B", &[118.0, 120.0, 121.0])]);
    let Standing::Differs { change, better: true } = standing else { panic!("{standing:?}") };
    assert!((change - 0.2).abs() < 1e-12);
}

#[test]
fn one_loop_has_no_spread() {
    let standing = second_standing(&[result("A", &[100.0]), result("B", &[120.0])]);
    assert!(matches!(standing, Standing::SpreadUnknown { .. }), "{standing:?}");
}

#[test]
fn void_and_missing_figures_have_no_standing() {
    let mut void = result("B", &[1.0, 1.0]);
    void.metrics[0].status = CellStatus::Void;
    assert_eq!(second_standing(&[result("A", &[1.0, 1.0]), void.clone()]), Standing::Missing);
    assert_eq!(compare(&[void]).rows[0].entries[0].standing, Standing::Missing);
    let mut none = result("B", &[]);
    none.metrics.clear();
    assert_eq!(second_standing(&[result("A", &[1.0, 1.0]), none]), Standing::Missing);
}

#[test]
fn other_methods_are_not_comparable() {
    let mut other = result("B", &[1.0, 1.0]);
    let method = Method { span_bytes: 2 << 30, ..other.metrics[0].method.method().clone() };
    other.metrics[0].method = method.id();
    assert_eq!(second_standing(&[result("A", &[1.0, 1.0]), other]), Standing::NotComparable);
}

#[test]
fn the_verdict_names_one_axis_and_refuses_two() {
    let a = result("A", &[1.0, 1.0]);
    assert_eq!(compare(&[a.clone(), a.clone()]).verdict, Verdict::Repeats);

    let chipset = labelled(result("B", &[2.0, 2.0]), LabelKey::Slot, "chipset");
    let Verdict::Axis { axis, caveats } = compare(&[a.clone(), chipset.clone()]).verdict else { panic!() };
    assert_eq!(axis.iter().map(|d| d.item).collect::<Vec<_>>(), [Item::Drive, Item::Attachment]);
    assert!(caveats.is_empty());

    let both = labelled(chipset, LabelKey::Cooling, "heatsink");
    let comparison = compare(&[a.clone(), both]);
    let Verdict::SideBySide { differing } = &comparison.verdict else { panic!() };
    assert_eq!(
        differing.iter().map(|d| d.item).collect::<Vec<_>>(),
        [Item::Drive, Item::Attachment, Item::Cooling]
    );
    assert_eq!(comparison.rows[0].entries[1].standing, Standing::NotComparable);
}

#[test]
fn a_simulated_result_is_never_set_against_a_measured_one() {
    let mut simulated = result("A", &[2.0, 2.0]);
    simulated.head.origin = Origin::Simulated;
    assert!(!compare(&[result("A", &[1.0, 1.0]), simulated]).verdict.allows_percentages());
}

#[test]
fn another_host_is_a_caveat() {
    let mut other = result("A", &[2.0, 2.0]);
    other.head.host = "other".to_owned();
    let Verdict::Axis { axis, caveats } = compare(&[result("A", &[1.0, 1.0]), other]).verdict else {
        panic!()
    };
    assert!(axis.is_empty() && caveats.len() == 1);
}

#[test]
fn equal_names_are_told_apart_by_what_differs() {
    let a = || result("A", &[1.0]);
    let names =
        |results: &[ResultSummary]| compare(results).series.into_iter().map(|s| s.name).collect::<Vec<_>>();
    assert_eq!(names(&[a(), result("B", &[1.0])]), ["A", "B"]);
    assert_eq!(names(&[a(), a(), result("B", &[1.0])]), ["A #1", "A #2", "B"]);
    assert_eq!(
        names(&[labelled(a(), LabelKey::Slot, "chipset"), labelled(a(), LabelKey::Slot, "cpu")]),
        ["A (chipset)", "A (cpu)"]
    );
}
