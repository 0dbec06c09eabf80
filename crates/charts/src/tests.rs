//! Charts over fixtures: their whole text as snapshots, and what must hold for any of them.

use super::*;
use crate::fixtures::{document, simulated, summary, with_failed, with_loops, with_void};
use model::{
    Method,
    document::{CellStatus, Loop, LoopEnded},
    files::LOADING_PACK,
    method::{Ends, Fill, Pattern, Stretches},
    metric::MetricKind,
    pass::{DoneBefore, Pass, Workload},
    telemetry::{Quantity, SensorSource},
};
use model::{comparison::Standing, labels::LabelKey};
use serde_json::Value;

/// Small enough to be made quickly, large enough for every percentile.
const SCALE: f64 = 0.1;

fn style(width: u32) -> Style {
    Style {
        theme: Theme::Light,
        width,
        height: 0,
        font_family: "Test Sans".to_owned(),
        view: View::default(),
    }
}

fn summaries(documents: &[ResultDocument]) -> Vec<ResultSummary> {
    (1..).zip(documents).map(|(number, document)| summary(document, number)).collect()
}

fn drawn(id: ChartId, documents: &[ResultDocument], style: &Style) -> Option<Chart> {
    draw_with(id, documents, &summaries(documents), style)
}

fn draw_with(
    id: ChartId,
    documents: &[ResultDocument],
    summaries: &[ResultSummary],
    style: &Style,
) -> Option<Chart> {
    let sources: Vec<Source<'_>> =
        summaries.iter().zip(documents).map(|(summary, document)| Source { summary, document }).collect();
    draw(id, &sources, style)
}

fn chart(id: ChartId, documents: &[ResultDocument]) -> Chart {
    drawn(id, documents, &style(760)).expect("the documents have data for every chart")
}

/// Two results, of which the second is slower and falls from loop to loop in the first cell.
fn pair() -> [ResultDocument; 2] {
    let falling = document("Drive B", SCALE * 0.9);
    [document("Drive A", SCALE), with_loops(falling, 0, &[10_100, 9_900, 8_700, 7_200, 6_050, 6_010], SCALE)]
}

/// The value with sorted keys: whether JSON keeps their order depends on what else is built along.
fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

fn everything(chart: &Chart) -> Value {
    sorted(serde_json::json!({
        "title": chart.title, "caption": chart.caption, "description": chart.description,
        "height": chart.height, "columns": chart.table.columns,
        "rows": chart.table.rows.iter().map(|row| row.join(" | ")).collect::<Vec<_>>(),
        "option": chart.option,
    }))
}

/// The charts that standard cells fill.
const STANDARD: [ChartId; 5] = [
    ChartId::Sequential,
    ChartId::Random,
    ChartId::RepeatRuns,
    ChartId::Temperature,
    ChartId::LatencyPercentiles,
];

#[test]
fn one_result() {
    let documents = [document("Drive A", SCALE)];
    for id in STANDARD {
        insta::assert_json_snapshot!(format!("one-{id}"), everything(&chart(id, &documents)));
    }
    for id in ChartId::ALL.into_iter().filter(|id| !STANDARD.contains(id)) {
        assert!(drawn(id, &documents, &style(760)).is_none(), "{id} has nothing to show");
    }
}

#[test]
fn two_results() {
    for id in STANDARD {
        insta::assert_json_snapshot!(format!("two-{id}"), everything(&chart(id, &pair())));
    }
}

/// A result whose first write cell goes once through its span for 100 s, falling from 5,000 to 1,000 MB/s.
fn falling(name: &str) -> ResultDocument {
    once_through(model::fixtures::with_long_write(document(name, SCALE)), 1)
}

/// The first write cell in loops that each go through a part of the span once.
fn once_through(mut document: ResultDocument, loops: u32) -> ResultDocument {
    let cell = document.cells.iter_mut().find(|cell| cell.method.pattern.writes()).unwrap();
    let one = cell.loops[0].clone();
    let loop_bytes = one.write.as_ref().unwrap().bytes;
    cell.method.loops = loops;
    cell.method.span_bytes = loop_bytes * u64::from(loops);
    cell.method.ends =
        Ends::Bytes(Stretches { loop_bytes, rest_seconds: 10, settles: None, until_slow: false });
    cell.loops = (0..u64::from(loops))
        .map(|number| Loop {
            ended: LoopEnded::Bytes,
            started_ns: one.started_ns + number * (one.elapsed_ns + 10_000_000_000),
            ..one.clone()
        })
        .collect();
    document
}

/// A result with something for every chart.
fn whole(name: &str, scale: f64) -> ResultDocument {
    let mut whole = document(name, scale);
    let (sequential, random) = (whole.cells[0].clone(), whole.cells[4].clone());
    let write = |document: ResultDocument| {
        document.cells.into_iter().find(|cell| cell.method.writes_fresh()).unwrap()
    };
    let bursts = write(once_through(model::fixtures::with_long_write(document(name, SCALE)), 2));
    whole.cells.push(write(falling(name)));
    whole.cells.push(bursts);
    for (depth, share) in [(2, 20), (4, 40), (8, 78), (16, 80)] {
        let mut cell = random.clone();
        cell.method.queue_depth = depth;
        for one in &mut cell.loops {
            let transfer = one.read.as_mut().unwrap();
            transfer.ios = transfer.ios * share / 100;
        }
        whole.cells.push(cell);
    }
    for members in [1, 2, 3, 4, 8] {
        let mut cell = sequential.clone();
        cell.method.members = Some(members);
        for one in &mut cell.loops {
            let transfer = one.read.as_mut().unwrap();
            transfer.bytes *= u64::from(members.min(4));
        }
        whole.cells.push(cell);
    }
    let matrix = model::fixtures::with_matrix(document(name, scale));
    whole.cells.extend(matrix.cells.into_iter().filter(|cell| cell.method.read_percent == Some(70)));
    let surface = model::fixtures::with_surface(document(name, scale), 60..71, 0.4);
    whole.cells.extend(surface.cells.into_iter().filter(|cell| cell.method.loops == 200));
    let mut mixed = random;
    mixed.method = Method { pattern: Pattern::RandMix, read_percent: Some(50), seconds: 120, ..mixed.method };
    for one in &mut mixed.loops {
        one.write.clone_from(&one.read);
    }
    let mut long = mixed.clone();
    long.method = Method { loops: 1, discarded_loops: 0, ..long.method };
    long.loops = write(falling(name)).loops;
    for one in &mut long.loops {
        one.elapsed_ns *= 2;
        let transfer = one.write.as_mut().unwrap();
        transfer.bins.extend_from_within(..);
        (transfer.bytes, transfer.ios) = (transfer.bytes * 2, transfer.ios * 2);
        one.read.clone_from(&one.write);
    }
    whole.cells.push(long);
    let mut steady = mixed;
    steady.method = Method { ends: Ends::Steady, seconds: 60, discarded_loops: 0, ..steady.method };
    let round = steady.loops.last().unwrap().clone();
    steady.loops = vec![round; 6];
    whole.cells.push(steady);
    for percent in [0, 90] {
        let mut filled = write(falling(name));
        filled.method.before.fill = Some(Fill::Percent(percent));
        whole.cells.push(filled);
    }
    let mut power =
        whole.telemetry.series.iter().find(|one| one.quantity == Quantity::Temperature).unwrap().clone();
    (power.quantity, power.source) = (Quantity::Power, SensorSource::Meter);
    power.values.iter_mut().flatten().for_each(|value| *value /= 10);
    whole.telemetry.series.push(power);
    whole.passes = passes(name, scale);
    whole
}

/// Passes of a consistency test, of applications, a copy, and a model of loading.
fn passes(name: &str, scale: f64) -> Vec<Pass> {
    let mut passes = model::fixtures::with_passes(document(name, scale)).passes;
    let traces: Vec<Pass> = passes.iter().filter(|pass| pass.method.trace().is_some()).cloned().collect();
    for mut pass in traces {
        (pass.method.phase, pass.method.before) = (None, DoneBefore::default());
        passes.push(pass);
    }
    let mut loading = passes.last().unwrap().clone();
    let Workload::Trace(trace) = &mut loading.method.workload else { unreachable!() };
    (trace.pack, trace.name) = (LOADING_PACK.to_owned(), "game-load".to_owned());
    passes.push(loading);
    passes.extend(model::fixtures::with_copy(document(name, scale), 108, 0).passes);
    passes
}

/// Two of them.
fn wholes() -> [ResultDocument; 2] {
    [whole("Drive A", SCALE), whole("Drive B", SCALE * 0.9)]
}

#[test]
fn a_continuous_write_is_a_curve_with_its_temperature_and_numbered_points() {
    let one = chart(ChartId::Cliff, &[falling("Drive A")]);
    let series = one.option["series"].as_array().unwrap();
    assert_eq!(series.len(), 2, "speed and temperature");
    let marks = series[0]["markPoint"]["data"].as_array().unwrap();
    assert_eq!((marks[0]["name"].as_str(), marks.len()), (Some("1"), 1));
    assert!(one.caption.starts_with("Fast writing ended after 199.1 to 199.6 GB"), "{}", one.caption);
    // At most two points for each px, and the fall is among them.
    let points = series[0]["data"].as_array().unwrap();
    assert!(points.len() <= 1_400 && points.len() > 100, "{}", points.len());
    let mut told = everything(&one);
    for index in 0..2 {
        told["option"]["series"][index]["data"] = Value::Null;
    }
    insta::assert_json_snapshot!("one-cliff", told);
    let two = chart(ChartId::Cliff, &[falling("Drive A"), document("Drive B", SCALE)]);
    assert!(two.caption.contains("Drive B has none."), "{}", two.caption);
    assert!(
        two.option["series"][0]["markPoint"].is_null(),
        "numbers of several curves would not be told apart"
    );
    assert_eq!(two.table.rows.last().unwrap()[1], "no result");
    assert_eq!(chart(ChartId::Throttling, &[falling("Drive A")]).option["xAxis"][1]["name"], "seconds");
}

/// The charts of passes, states, sensors and rounds.
const OTHERS: [ChartId; 11] = [
    ChartId::MixedFirstLast,
    ChartId::SteadyState,
    ChartId::BurstEndurance,
    ChartId::Fill,
    ChartId::Power,
    ChartId::ConsistencyBandwidth,
    ChartId::ConsistencyAccess,
    ChartId::BestWorst,
    ChartId::Applications,
    ChartId::Copies,
    ChartId::Loading,
];

#[test]
fn passes_states_and_sensors_are_charts_too() {
    for id in OTHERS {
        insta::assert_json_snapshot!(format!("one-{id}"), everything(&chart(id, &[whole("Drive A", SCALE)])));
    }
}

#[test]
fn passes_of_two_results_are_set_against_each_other() {
    let mut slower = whole("Drive B", SCALE);
    for pass in slower.passes.iter_mut().filter(|pass| pass.method.phase.is_none()) {
        pass.elapsed_ns *= 2;
        pass.busy_ns *= 5;
    }
    let both = [whole("Drive A", SCALE), slower];
    let told = |id| chart(id, &both).caption;
    assert_eq!(
        told(ChartId::Copies),
        "game-96 to the drive: Drive A 108.0 s, Drive B 216.0 s (+100.0 %, one pass)."
    );
    let applications = told(ChartId::Applications);
    assert!(applications.contains("Drive B against Drive A: slower in 2 of 2."), "{applications}");
    let mut void = both;
    void[1].passes.last_mut().unwrap().status = CellStatus::Void;
    let copies = chart(ChartId::Copies, &void);
    assert!(
        copies.caption.contains("Without a figure: Drive B game-96 to the drive (void)."),
        "{}",
        copies.caption
    );
    assert_eq!(copies.table.rows[1][2], "void");
}

fn viewed(show: Show, axis: Option<AxisScale>) -> Style {
    Style { view: View { show, axis }, ..style(760) }
}

#[test]
fn shares_are_of_the_first_result_and_in_table_and_figures_too() {
    let both = [whole("Drive A", SCALE), whole("Drive B", SCALE / 2.0)];
    let relative = viewed(Show::Relative, None);
    let of = |id| drawn(id, &both, &relative).unwrap();
    let bars = of(ChartId::Sequential);
    let text = bars.option.to_string();
    assert!(text.contains("% of Drive A, more is better.") && text.contains("100.0 %"), "{text}");
    assert_eq!(bars.option["xAxis"]["name"], "%");
    assert_eq!(bars.option["series"][0]["data"][0], 100.0);
    assert_eq!(bars.option["series"][1]["data"][0], 50.0);
    assert_eq!(bars.table.columns[2], "Of Drive A");
    assert_eq!(bars.table.rows[1][2], "50.0 %");
    assert!(bars.table.rows[1][3].ends_with("MB/s"), "the figure itself stays in the table");
    assert_eq!(bars.figures.columns.last().unwrap(), "share_of_baseline");
    let share: f64 = bars.figures.rows[1].last().unwrap().parse().unwrap();
    assert!((share - 0.5).abs() < 0.01, "{share}");

    let depths = of(ChartId::QueueDepth);
    assert!(depths.option["yAxis"].to_string().contains("\"%\""), "{}", depths.option["yAxis"]);
    assert_eq!(depths.table.columns.last().unwrap(), "Drive B, of the baseline");
    let applications = of(ChartId::Applications);
    assert_eq!(applications.table.rows[0][2], "100.0 %");
    assert_eq!(
        of(ChartId::Cliff),
        drawn(ChartId::Cliff, &both, &style(760)).unwrap(),
        "courses keep their unit"
    );
}

#[test]
fn what_may_not_be_divided_is_no_share() {
    let mut other = document("Drive B", SCALE);
    for (key, text) in [(LabelKey::Cooling, "fan"), (LabelKey::Fill, "half")] {
        other.labels.insert(key, text.to_owned());
    }
    let mut one = document("Drive A", SCALE);
    for (key, text) in [(LabelKey::Cooling, "none"), (LabelKey::Fill, "empty")] {
        one.labels.insert(key, text.to_owned());
    }
    let both = [one, other];
    let relative = viewed(Show::Relative, None);
    assert_eq!(drawn(ChartId::Random, &both, &relative), drawn(ChartId::Random, &both, &style(760)));
    let alone = &both[..1];
    assert_eq!(drawn(ChartId::Random, alone, &relative), drawn(ChartId::Random, alone, &style(760)));

    // One cell by another method, the others by the same.
    let mut cell = [document("Drive A", SCALE), document("Drive B", SCALE)];
    cell[1].cells[0].method.data = model::method::DataKind::Zero;
    let bars = drawn(ChartId::Sequential, &cell, &relative).unwrap();
    assert_eq!(bars.table.rows[1][2], "not comparable");
    assert!(bars.option["series"][1]["data"][0].is_null(), "{}", bars.option["series"][1]["data"]);
    assert_eq!(bars.figures.rows[1].last().unwrap(), "");
}

#[test]
fn an_axis_is_logarithmic_only_where_that_makes_sense() {
    let one = [whole("Drive A", SCALE)];
    let kind = |id, axis| drawn(id, &one, &viewed(Show::Absolute, axis)).unwrap();
    let of = |id, axis| kind(id, axis).option["yAxis"].to_string().contains("\"log\"");
    assert!(!of(ChartId::QueueDepth, None) && of(ChartId::QueueDepth, Some(AxisScale::Log)));
    assert!(
        of(ChartId::LatencyPercentiles, None) && !of(ChartId::LatencyPercentiles, Some(AxisScale::Linear))
    );
    let plain = kind(ChartId::Sequential, None);
    assert_eq!(kind(ChartId::Sequential, Some(AxisScale::Log)), plain, "bars begin at zero");
    let both = [whole("Drive A", SCALE), whole("Drive B", SCALE / 2.0)];
    let shares = drawn(ChartId::QueueDepth, &both, &viewed(Show::Relative, Some(AxisScale::Log))).unwrap();
    assert!(!shares.option["yAxis"].to_string().contains("\"log\""), "shares lie near each other");
}

#[test]
fn applications_are_won_lost_or_neither_one_by_one() {
    let mut slower = whole("Drive B", SCALE);
    for pass in slower.passes.iter_mut().filter(|pass| pass.method.phase.is_none()) {
        pass.elapsed_ns *= 2;
        pass.busy_ns *= 5;
    }
    let both = [whole("Drive A", SCALE), slower];
    let summaries = summaries(&both);
    let sources: Vec<Source<'_>> =
        summaries.iter().zip(&both).map(|(summary, document)| Source { summary, document }).collect();
    let found = standings(ChartId::Applications, &sources).unwrap();
    assert_eq!(found.rows.len(), 2);
    assert_eq!(found.tallies, [Tally { worse: 2, ..Tally::default() }]);
    assert_eq!(found.rows[0].entries[0].standing, Standing::Baseline);
    assert!(found.rows[0].entries[1].figure.ends_with("MB/s"));
    assert_eq!(standings(ChartId::Applications, &sources[..1]), None, "one result stands to none");
    assert_eq!(standings(ChartId::Sequential, &sources), None);
}

#[test]
fn depths_are_lines_over_the_ios_in_flight() {
    let chart = chart(ChartId::QueueDepth, &[whole("Drive A", SCALE)]);
    assert_eq!(chart.option["xAxis"]["data"], serde_json::json!(["1", "2", "4", "8", "16", "32"]));
    assert_eq!(chart.table.rows.len(), 6);
    insta::assert_json_snapshot!("one-queue-depth", everything(&chart));
}

#[test]
fn a_surface_is_a_curve_for_each_direction_with_numbered_slow_places() {
    let one = chart(ChartId::Surface, &[whole("Drive A", SCALE)]);
    let series = one.option["series"].as_array().unwrap();
    assert_eq!(series.len(), 2, "read and write");
    let marks = series[0]["markPoint"]["data"].as_array().unwrap();
    // In the middle of the slow places, at their speed: the figures of the finding.
    assert_eq!(marks[0]["name"], "1");
    assert_eq!(marks[0]["coord"], serde_json::json!([11.126, 2_016.0]));
    assert!(series[1]["markPoint"].is_null(), "no slow place among the writes");
    assert!(one.caption.starts_with("SEQ1M Q8T1 read, 200 places: [1] Slow from "), "{}", one.caption);
    let mut told = everything(&one);
    for index in 0..2 {
        told["option"]["series"][index]["data"] = Value::Null;
    }
    insta::assert_json_snapshot!("one-surface", told);
    let two = chart(ChartId::Surface, &[whole("Drive A", SCALE), document("Drive B", SCALE)]);
    assert!(two.option["series"][0]["markPoint"].is_null(), "numbers of two curves are not told apart");
    assert!(!two.caption.contains("[1]"), "{}", two.caption);
    assert_eq!(two.table.rows.last().unwrap()[2], "no result");
}

#[test]
fn a_matrix_is_lines_over_one_size_with_a_grid_for_each_number_of_the_other() {
    let chart = chart(ChartId::MatrixIops, &[whole("Drive A", SCALE)]);
    let grids: Vec<&Value> =
        chart.option["xAxis"].as_array().unwrap().iter().map(|axis| &axis["data"]).collect();
    // Nothing in flight is no place; with large ones in flight, no small one is one.
    assert_eq!(
        grids,
        [
            &serde_json::json!(["1", "8"]),
            &serde_json::json!(["0", "1", "8"]),
            &serde_json::json!(["0", "1", "8"])
        ]
    );
    let label = chart.option["series"][0]["data"][1]["name"].as_str().unwrap();
    assert_eq!(label, "[1] 128,000", "the point of the finding has its number");
    insta::assert_json_snapshot!("one-matrix-iops", everything(&chart));
}

#[test]
fn matrices_of_other_methods_are_not_drawn_over_each_other() {
    let mut other = whole("Drive B", SCALE);
    let mixed = other.cells.iter_mut().filter(|cell| cell.method.read_percent == Some(70));
    mixed.for_each(|cell| cell.method.span_bytes = 32 << 30);
    let chart = chart(ChartId::MatrixLatency, &[whole("Drive A", SCALE), other]);
    assert_eq!(chart.option["title"][1]["subtext"], "Drive B: no result");
    assert_eq!(chart.table.rows.len(), 16);
}

#[test]
fn drives_are_held_against_the_ideal_and_against_their_links() {
    let mut apart = model::fixtures::with_drives_apart(document("Drive A", 1.0));
    let alone = chart(ChartId::ArrayScaling, &[apart.clone()]);
    let names = |chart: &Chart| {
        let series = chart.option["series"].as_array().unwrap();
        series.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&alone)[1..], ["ideal"], "the links carry far more");
    assert!(
        alone.caption.contains("The links carry at most 63,015.4 MB/s, beyond the picture."),
        "{}",
        alone.caption
    );
    insta::assert_json_snapshot!("one-array-scaling", everything(&alone));
    for cell in &mut apart.cells {
        cell.proof.link_bytes_per_s = model::Reading::Known(22_000_000_000);
    }
    let narrow = chart(ChartId::ArrayScaling, &[apart.clone()]);
    assert_eq!(names(&narrow)[1..], ["ideal", "links"]);
    assert!(narrow.caption.contains("at most 22,000.0 MB/s (dotted)."), "{}", narrow.caption);
    let two = chart(
        ChartId::ArrayScaling,
        &[apart.clone(), model::fixtures::with_drives_apart(document("Drive B", 0.9))],
    );
    assert_eq!(two.table.columns.len(), 8);
    assert_eq!(two.option["series"].as_array().unwrap().len(), 5);
    assert_eq!(two.figures.rows.len(), 2 * (4 + 1 + 2 + 3 + 4), "all together, and each drive");
}

#[test]
fn eight_long_names_stay_distinct_in_the_legend() {
    let maker = "A Maker With a Remarkably Long Name Solid State Drive Professional Edition";
    let documents: Vec<ResultDocument> = (1..=8)
        .map(|number| document(&format!("{maker} {number} TB, with heatsink and all"), 0.01))
        .collect();
    let narrow = drawn(ChartId::Sequential, &documents, &style(380)).unwrap();
    insta::assert_json_snapshot!("eight-names", sorted(narrow.option["legend"].clone()));
    let names: std::collections::HashSet<_> =
        narrow.option["series"].as_array().unwrap().iter().map(|series| series["name"].to_string()).collect();
    assert_eq!(names.len(), 8);
}

#[test]
fn failed_void_and_missing_cells_have_no_bar_and_a_word() {
    let mut missing = document("C", SCALE);
    missing.cells.remove(0);
    let documents = [
        with_failed(document("A", SCALE), 0),
        with_void(document("B", SCALE), 0),
        missing,
        document("D", SCALE),
    ];
    let chart = chart(ChartId::Sequential, &documents);
    for (index, word) in ["failed", "void", "no result"].into_iter().enumerate() {
        let series = &chart.option["series"][index];
        assert_eq!(series["data"][0], Value::Null, "{word}");
        assert_eq!(series["markPoint"]["data"][0]["name"], word);
        assert_eq!(series["markLine"]["data"].as_array().unwrap().len(), 3, "{word}");
        assert_eq!(chart.table.rows[index][2], word);
    }
    assert!(chart.option["series"][3]["data"][0].as_f64().unwrap() > 0.0);
    assert_eq!(
        chart.table.rows[1][6],
        "Part of the span was never written: reads of it never reach the drive."
    );
    assert!(
        chart.caption.contains("Without a figure: A SEQ1M Q8T1 read (failed) and B SEQ1M Q8T1 read (void).")
    );
}

#[test]
fn lines_leave_out_what_does_not_count_and_say_so() {
    let documents =
        [with_failed(document("A", SCALE), 0), with_void(document("B", SCALE), 6), document("C", SCALE)];
    let loops = chart(ChartId::RepeatRuns, &documents);
    assert_eq!(loops.option["series"][0]["data"], Value::Null);
    assert_eq!(loops.option["title"][1]["subtext"], "A: failed");
    let latency = chart(ChartId::LatencyPercentiles, &documents);
    assert_eq!(latency.option["series"][1]["data"], Value::Null);
    assert_eq!(latency.option["title"][1]["subtext"], "B: void");
}

#[test]
fn the_summary_decides_what_counts_not_the_document() {
    let documents = [document("A", SCALE)];
    let mut judged = summaries(&documents);
    judged[0].metrics.iter_mut().for_each(|metric| metric.status = CellStatus::Void);
    // What a sensor said is no cell's.
    for id in ChartId::ALL.into_iter().filter(|id| *id != ChartId::Temperature) {
        assert_eq!(draw_with(id, &documents, &judged, &style(760)), None, "{id}");
    }
    // With one figure there is an axis, and the others stand beside it in words.
    let random = judged[0].metrics.iter_mut().rfind(|metric| metric.kind() == MetricKind::Iops).unwrap();
    random.status = CellStatus::Complete;
    let bars = draw_with(ChartId::Random, &documents, &judged, &style(760)).unwrap();
    let data = bars.option["series"][0]["data"].as_array().unwrap();
    assert_eq!(data[..3], [Value::Null, Value::Null, Value::Null]);
    assert!(data[3].is_number(), "{data:?}");
}

#[test]
fn nothing_is_drawn_of_nothing() {
    let mut empty = document("A", SCALE);
    empty.cells.clear();
    empty.telemetry.series.clear();
    for id in ChartId::ALL {
        assert_eq!(drawn(id, std::slice::from_ref(&empty), &style(760)), None, "{id}");
        assert_eq!(drawn(id, &[], &style(760)), None, "{id}");
        assert_eq!(natural_height(id, &[]), 0);
    }
}

#[test]
fn simulated_results_are_marked_in_picture_and_caption() {
    let documents = [whole("A", SCALE), simulated(whole("A", SCALE))];
    let summaries = summaries(&documents);
    for id in ChartId::ALL {
        let chart = draw_with(id, &documents, &summaries, &style(760)).unwrap();
        let name = chart.option["series"][1]["name"].as_str().unwrap();
        assert!(name.ends_with("(simulated)"), "{id}: {name}");
        assert!(chart.caption.contains("not a measurement"), "{id}: {}", chart.caption);
        // A share within one result compares nothing, and one of reads is a name.
        let within = [
            ChartId::RepeatRuns,
            ChartId::ArrayScaling,
            ChartId::Mixed,
            ChartId::Cliff,
            ChartId::Bursts,
            ChartId::ConsistencyBandwidth,
            ChartId::BestWorst,
            ChartId::MixedFirstLast,
            ChartId::SteadyState,
            ChartId::Fill,
            ChartId::BurstEndurance,
            ChartId::Surface,
            ChartId::MatrixIops,
            ChartId::MatrixLatency,
            ChartId::MatrixThroughput,
        ];
        assert!(!chart.caption.contains('%') || within.contains(&id), "{id}: {}", chart.caption);
    }
}

/// Names that are code somewhere.
const HOSTILE: [&str; 8] = [
    "<img src=x onerror=alert(1)>",
    "#*#*#*#alert(1)#*#*#*#",
    "{a}{b}{c}{@[0]}",
    "__proto__",
    "$& \\u0000 \" ' `",
    "{red|text}",
    "javascript:alert(1)",
    "path://M0,0L1,1",
];

#[test]
fn hostile_names_stay_names() {
    let documents: Vec<ResultDocument> = HOSTILE.iter().map(|name| whole(name, 0.01)).collect();
    let summaries = summaries(&documents);
    for id in ChartId::ALL {
        let chart = draw_with(id, &documents, &summaries, &style(760)).unwrap();
        let mut texts = Vec::new();
        strings(&chart.option, "", &mut texts);
        for name in HOSTILE {
            let places: Vec<&str> =
                texts.iter().filter(|(_, text)| text.contains(name)).map(|(path, _)| path.as_str()).collect();
            assert!(!places.is_empty(), "{id}: {name} is not drawn");
            for place in places {
                assert!(
                    ["/legend/*/data/*/name", "/series/*/name", "/aria/label/description"].contains(&place),
                    "{id}: {name} at {place}"
                );
            }
        }
        for (path, text) in &texts {
            assert!(!path.ends_with("formatter") || text == "{b}", "{id}: {path} is {text}");
        }
        assert_eq!(chart.option["tooltip"]["renderMode"], "richText", "{id}");
    }
}

/// Every string with its path, `*` for an index.
fn strings(value: &Value, path: &str, into: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => into.push((path.to_owned(), text.clone())),
        Value::Array(items) => items.iter().for_each(|item| strings(item, &format!("{path}/*"), into)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| strings(value, &format!("{path}/{key}"), into));
        }
        _ => {}
    }
}

#[test]
fn impossible_figures_are_no_result() {
    let documents = [document("A", SCALE)];
    let mut summaries = summaries(&documents);
    for metric in summaries[0].metrics.iter_mut().skip(MetricKind::ALL.len()) {
        let stats = metric.stats.as_mut().unwrap();
        (stats.median, stats.min, stats.max) = (f64::NAN, -1.0, f64::INFINITY);
    }
    let chart = draw_with(ChartId::Sequential, &documents, &summaries, &style(760)).unwrap();
    let data = chart.option["series"][0]["data"].as_array().unwrap();
    assert!(data[0].is_number() && data[1..].iter().all(Value::is_null), "{data:?}");
    assert!(chart.table.rows[1..].iter().all(|row| row[2] == "no result"));
}

#[test]
fn the_same_is_drawn_twice() {
    let (one, other) = (wholes(), wholes());
    let (summary, again) = (summaries(&one), summaries(&other));
    for id in ChartId::ALL {
        let style = style(760);
        let drawn = draw_with(id, &one, &summary, &style);
        assert!(drawn.is_some(), "{id}");
        assert_eq!(drawn, draw_with(id, &other, &again, &style), "{id}");
    }
}

#[test]
fn figures_agree_in_label_table_and_caption() {
    let chart = chart(ChartId::Sequential, &[document("Drive A", SCALE)]);
    let label = chart.option["series"][0]["markPoint"]["data"][0]["name"].as_str().unwrap();
    assert_eq!(chart.table.rows[0][2], label);
    assert!(chart.caption.contains(label) && chart.description.contains(label), "{}", chart.caption);
}

#[test]
fn a_picture_is_as_high_as_asked_or_as_it_needs() {
    let documents = wholes();
    let summaries = summaries(&documents);
    for id in ChartId::ALL {
        let drawn = |style: &Style| draw_with(id, &documents, &summaries, style);
        let natural = drawn(&style(760)).unwrap().height;
        let tall = drawn(&Style { height: 2_000, ..style(760) }).unwrap();
        assert_eq!(tall.height, 2_000);
        let narrow = drawn(&style(380)).unwrap();
        // One grid below another needs more; a single one does not.
        assert!(
            narrow.height > natural || narrow.height == natural && !STANDARD.contains(&id),
            "{id}: {} at 380 px, {natural} at 760",
            narrow.height
        );
    }
}

#[test]
fn repeats_of_the_suite_follow_one_another_and_very_many_are_cut() {
    let mut document = document("A", 0.01);
    document.runs = 60;
    let first = document.cells[0].clone();
    document.cells = (0..60).map(|run| model::document::Cell { run, ..first.clone() }).collect();
    let chart = chart(ChartId::RepeatRuns, &[document]);
    let places = chart.option["xAxis"]["data"].as_array().unwrap();
    assert_eq!((places.len(), places[0].as_str(), places[7].as_str()), (200, Some("1/w"), Some("2/1")));
    assert!(
        chart.caption.ends_with("The first 200 of 360 loops are drawn; the table has all."),
        "{}",
        chart.caption
    );
    assert_eq!(chart.table.rows.len(), 360);
}

/// The same run on other data.
fn with_data(mut document: ResultDocument, data: model::method::DataKind) -> ResultDocument {
    document.cells.iter_mut().for_each(|cell| cell.method.data = data);
    document
}

#[test]
fn figures_of_other_than_random_data_are_marked_wherever_they_stand() {
    let zero = with_data(document("B", SCALE), model::method::DataKind::Zero);
    let documents = [document("A", SCALE), zero];
    let bars = chart(ChartId::Sequential, &documents);
    let label = |series: usize| bars.option["series"][series]["markPoint"]["data"][0]["name"].to_string();
    assert!(!label(0).contains("zero data") && label(1).contains(", zero data"), "{}", label(1));
    assert_eq!((bars.table.rows[0][6].as_str(), bars.table.rows[1][6].as_str()), ("", "zero data"));
    assert!(bars.description.contains("zero data"), "{}", bars.description);
    for id in [ChartId::RepeatRuns, ChartId::LatencyPercentiles] {
        let chart = chart(id, &documents);
        assert_eq!(chart.option["title"][1]["subtext"], "B: zero data", "{id}");
        assert!(
            chart.table.rows.iter().any(|row| row.last().is_some_and(|note| note.ends_with("zero data")))
        );
    }
    // The data alone besides the drive: it is named, and figures may be divided.
    assert_eq!(bars.title, "Sequential throughput by data");
    assert!(bars.caption.contains("the results differ in: data"), "{}", bars.caption);
    // With other times on top nothing is set against another.
    let [first, mut other] = documents;
    other.cells.iter_mut().for_each(|cell| cell.method.interval_seconds += 1);
    let documents = [first, other];
    for id in [ChartId::Sequential, ChartId::LatencyPercentiles] {
        let caption = chart(id, &documents).caption;
        assert!(
            caption.contains("different methods, so no result is set against another"),
            "{id}: {caption}"
        );
    }
}

#[test]
fn what_differs_alone_is_named_in_the_title_with_its_share() {
    let slot = |name: &str, scale| {
        let mut document = document("A", scale);
        document.labels.insert(model::labels::LabelKey::Slot, name.to_owned());
        document
    };
    let chart = chart(ChartId::Sequential, &[slot("CPU", SCALE), slot("chipset", 0.47 * SCALE)]);
    assert_eq!(chart.title, "Sequential throughput by slot");
    assert!(chart.caption.contains(" % of slot CPU)"), "{}", chart.caption);
}

#[test]
fn percentiles_are_the_metrics_of_the_same_names() {
    use model::metric::MetricKind;
    // Loops that differ in their tails, an even number of them.
    let mut document = document("A", SCALE);
    for cell in &mut document.cells {
        cell.loops.pop();
        for (one, times) in cell.loops.iter_mut().zip([1, 1, 3, 2, 5]) {
            for transfer in one.read.iter_mut().chain(&mut one.write) {
                for _ in 0..transfer.ios / 40 {
                    transfer.latency.record(model::units::Nanos(times * 1_000_000));
                }
            }
        }
    }
    let documents = [document];
    let summaries = summaries(&documents);
    let chart = chart(ChartId::LatencyPercentiles, &documents);
    let unit = MetricKind::LatencyP99Ns.unit();
    for row in &chart.table.rows {
        let stats = |kind| {
            let metric = summaries[0].metrics.iter().find(|m| m.kind() == kind && m.label == row[0]);
            *metric.unwrap().counted().unwrap()
        };
        for (column, kind) in
            [(2, MetricKind::LatencyP50Ns), (4, MetricKind::LatencyP99Ns), (7, MetricKind::LatencyMaxNs)]
        {
            assert_eq!(row[column], unit.format(stats(kind).figure(kind)), "{kind:?}");
        }
        let greatest = stats(MetricKind::LatencyMaxNs);
        assert_eq!(row[7], unit.format(greatest.max));
        assert!(greatest.max > greatest.median, "the loops must differ for this test to say anything");
    }
}

#[test]
fn figures_for_programs_are_numbers_in_a_named_unit() {
    let documents = [document("Drive A", SCALE), with_void(document("B", SCALE), 0)];
    for (id, unit) in [
        (ChartId::Sequential, "bytes_per_s"),
        (ChartId::Random, "iops"),
        (ChartId::RepeatRuns, "bytes_per_s"),
        (ChartId::LatencyPercentiles, "ns"),
    ] {
        let figures = chart(id, &documents).figures;
        let column = |name: &str| figures.columns.iter().position(|column| column == name);
        let units = column("unit").unwrap();
        let numbers: Vec<usize> = ["median", "min", "max", "loops", "value", "p50", "p99.9", "ios"]
            .into_iter()
            .filter_map(column)
            .collect();
        assert!(!numbers.is_empty());
        for row in &figures.rows {
            assert_eq!((row.len(), row[units].as_str()), (figures.columns.len(), unit), "{id}");
            for &number in &numbers {
                assert!(row[number].is_empty() || row[number].parse::<f64>().is_ok(), "{id}: {row:?}");
            }
        }
        assert!(figures.rows.iter().any(|row| !row[numbers[0]].is_empty()), "{id}");
    }
    let bars = chart(ChartId::Sequential, &documents).figures;
    assert_eq!(bars.rows[1][3..8], ["void", "", "", "", ""]);
}

#[test]
fn a_title_of_the_asker_is_drawn_and_fits() {
    let long = "a very long title ".repeat(20);
    let documents = wholes();
    let summaries = summaries(&documents);
    for id in ChartId::ALL {
        let style = style(400);
        let chart = draw_with(id, &documents, &summaries, &style).unwrap().with_title("Mine <b>", &style);
        let drawn_title = |chart: &Chart| match &chart.option["title"] {
            Value::Array(titles) => titles[0]["text"].as_str().unwrap().to_owned(),
            title => title["text"].as_str().unwrap().to_owned(),
        };
        assert_eq!((drawn_title(&chart).as_str(), chart.title.as_str()), ("Mine <b>", "Mine <b>"), "{id}");
        let chart = chart.with_title(&long, &style);
        assert!(
            names::em(&drawn_title(&chart)) * 16.0 * 1.15 < 400.0 && drawn_title(&chart).contains('…'),
            "{id}"
        );
    }
}

#[test]
fn loops_of_one_result_among_several_say_whose_they_are_and_what_is_drawn() {
    let documents = [document("A", SCALE), with_void(document("B", SCALE), 0)];
    let caption = chart(ChartId::RepeatRuns, &documents).caption;
    assert!(
        caption.starts_with("Of 8 cells only SEQ1M Q8T1 read and SEQ1M Q8T1 write are drawn."),
        "{caption}"
    );
    assert!(caption.contains("SEQ1M Q8T1 read: A, loops from "), "{caption}");
}
