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
        ..Method::PLAIN
    };
    ResultSummary {
        head: ResultHead {
            id: ResultId([1; 32]),
            joined: Vec::new(),
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
            file_system_block_bytes: Some(4096),
            host: "CPU, Linux 6.18".to_owned(),
            labels: std::collections::BTreeMap::new(),
        },
        passes: Vec::new(),
        moved: Vec::new(),
        stories: Vec::new(),
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
    let method = Method { span_bytes: 2 << 30, seconds: 9, ..other.metrics[0].method.method().clone() };
    other.metrics[0].method = method.id();
    assert_eq!(second_standing(&[result("A", &[1.0, 1.0]), other]), Standing::NotComparable);
}

#[test]
fn the_verdict_names_one_axis_and_refuses_two() {
    let stated =
        |text| labelled(labelled(result("A", &[1.0, 1.0]), LabelKey::Slot, text), LabelKey::Cooling, "none");
    let a = stated("cpu");
    assert_eq!(compare(&[a.clone(), a.clone()]).verdict, Verdict::Repeats);

    let mut chipset = stated("chipset");
    chipset.head.drive = "B".to_owned();
    let Verdict::Axis { axis, caveats, unknown } = compare(&[a.clone(), chipset.clone()]).verdict else {
        panic!()
    };
    assert_eq!(axis.iter().map(|d| d.item).collect::<Vec<_>>(), [Item::Drive, Item::Slot]);
    assert!(caveats.is_empty() && unknown.is_empty());

    let both = labelled(chipset, LabelKey::Cooling, "heatsink");
    let comparison = compare(&[a.clone(), both]);
    let Verdict::SideBySide { differing, .. } = &comparison.verdict else { panic!() };
    assert_eq!(
        differing.iter().map(|d| d.item).collect::<Vec<_>>(),
        [Item::Drive, Item::Slot, Item::Cooling]
    );
    assert_eq!(comparison.rows[0].entries[1].standing, Standing::NotComparable);
}

fn items(differences: &[Difference]) -> Vec<Item> {
    differences.iter().map(|difference| difference.item).collect()
}

#[test]
fn what_is_not_stated_is_no_axis() {
    let a = || result("A", &[1.0, 1.0]);
    let cooled = |text| labelled(a(), LabelKey::Cooling, text);
    let Verdict::Axis { axis, caveats, unknown } = compare(&[cooled("none"), a()]).verdict else { panic!() };
    assert!(axis.is_empty() && caveats.is_empty());
    assert_eq!(unknown, [Difference { item: Item::Cooling, values: vec![Some("none".to_owned()), None] }]);

    // Two that state different things differ, whatever the third does not say.
    let Verdict::Axis { axis, unknown, .. } = compare(&[cooled("none"), a(), cooled("fan")]).verdict else {
        panic!()
    };
    assert_eq!((items(&axis), items(&unknown)), (vec![Item::Cooling], vec![]));

    // One that differs and one that may: two, so no percentage.
    let fan_and_fill = labelled(cooled("fan"), LabelKey::Fill, "50 %");
    let Verdict::SideBySide { differing, unknown } = compare(&[cooled("none"), fan_and_fill]).verdict else {
        panic!()
    };
    assert_eq!((items(&differing), items(&unknown)), (vec![Item::Cooling], vec![Item::Fill]));
}

#[test]
fn the_slot_is_no_second_item_where_the_attachment_differs() {
    let first = labelled(result("A", &[1.0, 1.0]), LabelKey::Slot, "M2_1");
    let slot = |name, transport| {
        let mut result = labelled(result("A", &[1.0, 1.0]), LabelKey::Slot, name);
        result.head.transport = transport;
        compare(&[first.clone(), result]).verdict
    };
    let Verdict::Axis { axis, .. } = slot("front", Transport::Sata) else { panic!() };
    assert_eq!(items(&axis), [Item::Attachment]);
    let Verdict::Axis { axis, .. } = slot("M2_2", Transport::Nvme) else { panic!() };
    assert_eq!(items(&axis), [Item::Slot]);
}

/// The same result with its metric measured otherwise.
fn with_method(mut result: ResultSummary, change: impl FnOnce(&mut Method)) -> ResultSummary {
    let mut method = result.metrics[0].method.method().clone();
    change(&mut method);
    result.metrics[0].metric = MetricId::new(&method, MetricKind::BytesPerS);
    result.metrics[0].method = method.id();
    result
}

#[test]
fn other_methods_are_no_repeats_and_are_named() {
    let a = || result("A", &[1.0, 1.0]);
    let zero = || with_method(a(), |method| (method.data, method.seconds) = (DataKind::Zero, 6));
    let values = |texts: [&str; 2]| texts.map(|text| Some(text.to_owned())).to_vec();
    let Verdict::SideBySide { differing, .. } = compare(&[a(), zero()]).verdict else { panic!() };
    let told =
        values(["data random, 5 loops of 5 s and 1 discarded", "data zero, 5 loops of 6 s and 1 discarded"]);
    assert_eq!(differing, [Difference { item: Item::Method, values: told }]);
    let longer = with_method(a(), |method| (method.loops, method.seconds) = (3, 60));
    let Verdict::SideBySide { differing, .. } = compare(&[a(), longer]).verdict else { panic!() };
    assert_eq!(
        differing[0].values,
        values(["5 loops of 5 s and 1 discarded", "3 loops of 60 s and 1 discarded"])
    );

    // Where another cell agrees, that one is compared.
    let both = |mut result: ResultSummary| {
        result.metrics.extend(with_method(a(), |method| method.queue_depth = 1).metrics);
        result
    };
    let comparison = compare(&[both(a()), both(zero())]);
    let Verdict::Axis { axis, caveats, .. } = &comparison.verdict else { panic!() };
    assert_eq!((items(axis), items(caveats)), (vec![], vec![Item::Method]));
    let standings: Vec<_> = comparison.rows.iter().map(|row| row.entries[1].standing).collect();
    assert_eq!(standings, [Standing::NotComparable, Standing::Tie { change: 0.0 }]);
}

#[test]
fn results_without_a_common_cell_are_no_repeats() {
    let other = with_method(result("A", &[1.0, 1.0]), |method| {
        (method.queue_depth, method.pattern) = (1, Pattern::RandRead);
    });
    let Verdict::SideBySide { differing, .. } = compare(&[result("A", &[1.0, 1.0]), other]).verdict else {
        panic!()
    };
    assert_eq!(items(&differing), [Item::Method]);
}

#[test]
fn one_parameter_of_the_method_is_an_axis_like_any_other() {
    use model::method::{Before, Fill};
    type Change = fn(&mut Method);
    let half = Before { fill: Some(Fill::Percent(50)), ..Before::default() };
    let changes: [(Change, Item, [&str; 2], &str, &str); 5] = [
        (|m| m.span_bytes = 32 << 30, Item::Span, ["1 GiB", "32 GiB"], "A (span 1 GiB)", "SEQ1M Q8T1 read"),
        (|m| m.data = DataKind::Zero, Item::Data, ["random", "zero"], "A (data random)", "SEQ1M Q8T1 read"),
        (|m| m.queue_depth = 1, Item::QueueDepth, ["8", "1"], "A (queue depth 8)", "SEQ1M read"),
        (
            |_| {},
            Item::StateBefore,
            ["as it was", "50 % in use"],
            "A (state before as it was)",
            "SEQ1M Q8T1 read",
        ),
        (|m| m.members = Some(4), Item::Members, ["1", "4"], "A (drives 1)", "SEQ1M Q8T1 read"),
    ];
    for (change, item, values, name, label) in changes {
        let other = with_method(result("A", &[2.0, 2.0]), |method| {
            change(method);
            if item == Item::StateBefore {
                method.before = half;
            }
        });
        let comparison = compare(&[result("A", &[1.0, 1.0]), other]);
        let axis = comparison.verdict.axis_item().unwrap_or_else(|| panic!("{:?}", comparison.verdict));
        assert_eq!((axis.item, comparison.verdict.varies_method()), (item, true));
        assert_eq!(axis.values, values.map(|value| Some(value.to_owned())));
        let [row] = comparison.rows.as_slice() else { panic!("one row: {:?}", comparison.rows) };
        assert_eq!((comparison.series[0].name.as_str(), row.label.as_str()), (name, label));
        assert_eq!(row.entries[1].standing, Standing::Differs { change: 1.0, better: true }, "{item:?}");
        // Another item on top is one too many.
        let other = with_method(result("A", &[2.0, 2.0]), |method| {
            change(method);
            if item == Item::StateBefore {
                method.before = half;
            }
        });
        let cooled = labelled(other, LabelKey::Cooling, "fan");
        let plain = labelled(result("A", &[1.0, 1.0]), LabelKey::Cooling, "none");
        assert!(!compare(&[plain, cooled]).verdict.allows_percentages());
    }
}

#[test]
fn a_parameter_that_differs_in_some_cells_only_is_no_axis() {
    let with_deep = |mut result: ResultSummary, span_bytes: u64| {
        let deep =
            with_method(result.clone(), |method| (method.queue_depth, method.span_bytes) = (32, span_bytes));
        result.metrics.extend(deep.metrics);
        result
    };
    let a = || result("A", &[1.0, 1.0]);
    let Verdict::Axis { axis, caveats, .. } =
        compare(&[with_deep(a(), 1 << 30), with_deep(a(), 2 << 30)]).verdict
    else {
        panic!()
    };
    assert_eq!((items(&axis), items(&caveats)), (vec![], vec![Item::Method]));
    // Two depths in one result are a curve of its own.
    let shallow = with_method(a(), |method| method.queue_depth = 1);
    assert!(compare(&[with_deep(a(), 1 << 30), shallow]).verdict.axis_item().is_none());
}

#[test]
fn results_of_passes_alone_are_compared_by_them() {
    let played = |drive: &str, capacity: u64| {
        let mut document = model::fixtures::with_passes(model::fixtures::document(
            drive,
            1.0,
            model::ids::PublicKey([1; 32]),
        ));
        document.cells.clear();
        document.passes.iter_mut().for_each(|pass| pass.method.span_bytes = capacity);
        let mut summary = crate::summary::summarise(&document, ResultId([1; 32]), KeyId([2; 32]));
        (summary.head.file_system, summary.head.capacity_bytes) = (None, Some(capacity));
        summary
    };
    let verdict = compare(&[played("A", 1 << 40), played("B", 1 << 41)]).verdict;
    assert!(verdict.allows_percentages(), "a whole drive is a whole drive: {verdict:?}");
    let mut other = played("B", 1 << 40);
    other.passes.clear();
    let Verdict::SideBySide { differing, .. } = compare(&[played("A", 1 << 40), other]).verdict else {
        panic!()
    };
    assert_eq!(differing.iter().map(|one| one.item).collect::<Vec<_>>()[..1], [Item::Method]);
}

#[test]
fn means_of_continuous_writes_that_went_differently_far_are_not_divided() {
    use model::method::{Ends, Settles, Stretches};
    let written = |loop_bytes: u64, settles: Option<Settles>| {
        with_method(result("A", &[1.0, 1.0]), |method| {
            (method.pattern, method.loops, method.discarded_loops) = (Pattern::SeqWrite, 1, 0);
            method.span_bytes = loop_bytes;
            method.ends = Ends::Bytes(Stretches { loop_bytes, rest_seconds: 0, settles, until_slow: false });
        })
    };
    let standing = |a: ResultSummary, b: ResultSummary| compare(&[a, b]).rows[0].entries[1].standing;
    let settles = Some(Settles { bytes: 1 << 30, seconds: 60 });
    assert_eq!(standing(written(1 << 30, None), written(1 << 30, None)), Standing::Tie { change: 0.0 });
    assert_eq!(standing(written(1 << 30, None), written(2 << 30, None)), Standing::NotComparable);
    assert_eq!(standing(written(1 << 30, settles), written(1 << 30, settles)), Standing::NotComparable);
}

#[test]
fn a_simulated_result_is_never_set_against_a_measured_one() {
    let mut simulated = result("A", &[2.0, 2.0]);
    simulated.head.origin = Origin::Simulated;
    assert!(!compare(&[result("A", &[1.0, 1.0]), simulated]).verdict.allows_percentages());
}

#[test]
fn an_allocation_unit_is_an_axis_where_there_are_file_systems() {
    let with = |bytes| {
        let mut result = result("A", &[2.0, 2.0]);
        result.head.file_system_block_bytes = bytes;
        result
    };
    let Verdict::Axis { axis, .. } = compare(&[with(Some(4096)), with(Some(65_536))]).verdict else {
        panic!()
    };
    assert_eq!(items(&axis), [Item::AllocationUnit]);
    assert_eq!(axis[0].values[1].as_deref(), Some("64 KiB"));
    let Verdict::Axis { axis, unknown, .. } = compare(&[with(Some(4096)), with(None)]).verdict else {
        panic!()
    };
    assert_eq!((items(&axis), items(&unknown)), (vec![], vec![Item::AllocationUnit]));
    let mut device = with(None);
    device.head.file_system = None;
    let Verdict::Axis { axis, .. } = compare(&[with(Some(4096)), device]).verdict else { panic!() };
    assert_eq!(items(&axis), [Item::FileSystem]);
}

#[test]
fn another_host_is_a_caveat() {
    let mut other = result("A", &[2.0, 2.0]);
    other.head.host = "other".to_owned();
    let Verdict::Axis { axis, caveats, .. } = compare(&[result("A", &[1.0, 1.0]), other]).verdict else {
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
        ["A (slot chipset)", "A (slot cpu)"]
    );
}

#[test]
fn long_labels_are_cut_between_words() {
    let a = || result("A", &[1.0]);
    let long = "in the second slot below the graphics card, without a fan";
    let names = compare(&[labelled(a(), LabelKey::Slot, long), labelled(a(), LabelKey::Slot, "1")]).series;
    assert_eq!(names[0].name, "A (slot in the second slot below the graphics…)");
    for (text, cut) in [("short", "short".to_owned()), (&"x".repeat(50), "x".repeat(40) + "…")] {
        assert_eq!(beginning(text), cut);
    }
}
