//! A whole run on the drive that holds the build, and what can be done with its bundle.

use crate::program::{Place, open};
use model::{
    document::{Outcome, Visibility},
    telemetry::SensorSource,
};

#[test]
fn a_run_writes_a_bundle_that_verifies() {
    let Some(place) = Place::on_drive() else { return };
    let ended = place.run(&[
        "run",
        "disk",
        "--suite",
        "tiny.toml",
        "--runs",
        "2",
        "--unlisted",
        "--label",
        "cooling=none",
        "--out",
        "a.cliffmark",
    ]);
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    assert!(ended.err.contains("no terminal to ask on"), "{}", ended.err);
    assert!(ended.out.contains("RND4K Q4T2 read"), "{}", ended.out);

    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!(document.outcome, Outcome::Complete);
    assert_eq!(document.visibility, Visibility::Unlisted);
    assert_eq!((document.suite.as_str(), document.runs), ("tiny", 2));
    assert_eq!(document.cells.iter().map(|cell| cell.run).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
    assert!(document.cells.iter().all(|cell| cell.loops.len() == 1));
    assert!(analysis::plausibility::check(document).iter().all(|finding| !finding.fatal));
    let text = String::from_utf8(verified.payload().to_vec()).unwrap();
    for private in [place.path("").to_str().unwrap(), "vda", "/dev/", "resuid"] {
        assert!(!text.contains(private), "{private} is in the document");
    }

    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
    assert_eq!(place.run(&["show", "a.cliffmark", "--document"]).out, text);
    assert_eq!(place.names("disk"), [""; 0]);
    let mut left = place.names("");
    left.sort();
    assert_eq!(left, ["a.cliffmark", "config", "disk", "state", "tiny.toml"]);
    assert_eq!(place.names("state/cliffmark"), [""; 0], "a finished run leaves no journal");
}

#[test]
fn a_power_meter_is_read_on_the_measuring_clock() {
    let Some(place) = Place::on_drive() else { return };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    // A meter that knows the time of day, and has written down the next five minutes already.
    let lines = (0..300).map(|second| format!("{{\"t\": {}, \"mw\": {}}}\n", now + second, 3_000 + second));
    std::fs::write(place.path("power.jsonl"), lines.collect::<String>() + "not a reading\n").unwrap();
    let ended = place.run(&[
        "run",
        "disk",
        "--suite",
        "tiny.toml",
        "--json",
        "--yes",
        "--sample-every",
        "500ms",
        "--power",
        "power.jsonl",
        "--out",
        "a.cliffmark",
    ]);
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    assert!(ended.err.contains("the first: not a reading"), "{}", ended.err);
    let document = model::ResultDocument::from_json(ended.out.trim_end().as_bytes()).unwrap();
    assert_eq!(document.telemetry.policy.period_ns, 500_000_000);
    let meter = document.telemetry.series.iter().find(|one| one.source == SensorSource::Meter).unwrap();
    // Three loops of a second: at least two whole seconds of the clock lie in the run, and none after it.
    assert!(meter.values.len() >= 2, "{meter:?}");
    assert!(*meter.at_ns.last().unwrap() <= document.elapsed_ns, "{meter:?}");
    let steps: Vec<u64> = meter.at_ns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Each line was placed by how long ago, or how far ahead, it was when it was read: within the reading's time.
    assert!(steps.iter().all(|step| (500_000_000..1_500_000_000).contains(step)), "{steps:?}");
}

#[test]
fn json_is_the_document_and_nothing_else() {
    let Some(place) = Place::on_drive() else { return };
    let ended =
        place.run(&["run", "disk", "--suite", "tiny.toml", "--json", "--yes", "--out", "a.cliffmark"]);
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    let document = model::ResultDocument::from_json(ended.out.trim_end().as_bytes()).unwrap();
    assert_eq!(&document, open(&place.path("a.cliffmark")).document());
    assert_eq!(ended.out.lines().count(), 1);
}

#[test]
fn results_are_exported() {
    let Some(place) = Place::with_result() else { return };
    let fio = place.run(&["export", "result.cliffmark", "--format", "fio"]);
    assert_eq!(fio.code, 0);
    insta::assert_snapshot!(fio.out);

    let csv = place.run(&["export", "result.cliffmark", "result.cliffmark", "--format", "csv"]).out;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 3);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == columns), "{csv}");
    insta::assert_snapshot!(lines[0]);

    let json = place.run(&["export", "result.cliffmark", "--format", "json"]).out;
    assert_eq!(json.trim_end().as_bytes(), open(&place.path("result.cliffmark")).payload());
}

#[test]
fn a_result_is_shown_to_people() {
    let Some(place) = Place::with_result() else { return };
    let shown = place.run(&["show", "result.cliffmark"]);
    assert_eq!(shown.code, 0);
    for words in [
        "drive     ",
        "suite     tiny; complete, took ",
        "method    random data, 16 MiB, 1 loop of 1 s, no pauses",
        "SEQ1M Q2T1 read",
        "licence CC-BY-4.0",
    ] {
        assert!(shown.out.contains(words), "{words} is missing in\n{}", shown.out);
    }
    assert!(!shown.out.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn a_cell_is_one_flat_object() {
    let Some(place) = Place::on_drive() else { return };
    let ended = place.run(&[
        "cell",
        "disk",
        "--pattern",
        "randread",
        "--block",
        "4KiB",
        "--qd",
        "4",
        "--threads",
        "1",
        "--seconds",
        "1",
        "--size",
        "16MiB",
        "--json",
    ]);
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    let cell: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    for figure in ["iops", "bytes_per_s", "cpu_ns_per_io"] {
        assert!(cell[figure].as_f64().unwrap() > 0.0, "{figure}");
    }
    assert!(cell["void"].is_array() && cell["latency_ns"]["p50"].is_u64());
    assert_eq!(place.names("disk"), [""; 0]);
}
