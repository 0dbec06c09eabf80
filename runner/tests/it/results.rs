//! A whole run on the drive that holds the build, and what can be done with its bundle.

use crate::program::{PROGRAM, Place, open};
use model::{
    document::{Outcome, Visibility},
    telemetry::SensorSource,
};
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::Stdio,
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
    let bad = "line 301 of the power meter was not understood, `not a reading`: it is no object of JSON";
    assert!(ended.err.contains(bad), "{}", ended.err);
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
fn a_reader_that_went_away_changes_nothing() {
    let Some(place) = Place::on_drive() else { return };
    for (out, json) in [("a.cliffmark", &[][..]), ("b.cliffmark", &["--json"])] {
        let run = ["run", "disk", "--suite", "tiny.toml", "--yes", "--out", out];
        let mut command = place.command(&[&run[..], json].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(matches!(child.wait().unwrap().code(), Some(0 | 4)), "{said}");
        assert_eq!(open(&place.path(out)).document().outcome, Outcome::Complete);
        assert_eq!(place.names("state/cliffmark"), [""; 0], "a finished run leaves no journal");
    }
}

#[test]
fn a_name_of_ours_that_was_taken_meanwhile_is_not_written_over() {
    let Some(place) = Place::on_drive() else { return };
    let mut command = place.command(&["run", "disk", "--suite", "tiny.toml", "--yes"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.starts_with("Bundle  ")).expect("the plan says where the bundle goes");
    let planned = line.strip_prefix("Bundle  ").unwrap();
    // Another run that began in the same second is done first.
    fs::write(place.path(planned), "of another run").unwrap();
    let rest: Vec<String> = lines.collect();
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 4)), "{rest:?}");
    let second = planned.replace(".cliffmark", "-2.cliffmark");
    assert!(rest.iter().any(|line| line == &format!("signed bundle: {second}")), "{rest:?}");
    assert_eq!(open(&place.path(&second)).document().cells.len(), 3);
    assert_eq!(fs::read(place.path(planned)).unwrap(), b"of another run");
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn who_sits_at_a_terminal_is_asked_wherever_standard_error_goes() {
    let Some(place) = Place::on_drive() else { return };
    for (answer, codes) in [("n\n", &[1][..]), ("y\n", &[0, 4])] {
        let run = format!("'{PROGRAM}' run disk --suite tiny.toml --out a.cliffmark >out 2>err");
        // `script` runs it on a terminal of its own, whose output is ours.
        let mut command = place.other("script");
        command.args(["--quiet", "--return", "--command", &run, "/dev/null"]);
        let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
            eprintln!("SKIPPED: there is no program `script`");
            return;
        };
        let mut terminal = child.stdout.take().unwrap();
        let mut typed = child.stdin.take().unwrap();
        let mut shown = Vec::new();
        // Typed once it was asked for, as people do.
        while !shown.ends_with(b"[y/N] ") {
            let mut byte = [0];
            assert_eq!(terminal.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&shown));
            shown.push(byte[0]);
        }
        typed.write_all(answer.as_bytes()).unwrap();
        terminal.read_to_end(&mut shown).unwrap();
        drop(typed);
        let code = child.wait().unwrap().code().unwrap();
        let err = fs::read_to_string(place.path("err")).unwrap();
        assert!(codes.contains(&code), "{code}: {err}");
        assert_eq!(place.path("a.cliffmark").exists(), code != 1);
    }
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
