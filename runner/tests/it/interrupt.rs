//! Ctrl-C: a valid partial bundle, exit code 130, and no file left.

use crate::program::{Place, open};
use model::document::{CellStatus, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

fn start(place: &Place, arguments: &[&str]) -> (Child, impl Iterator<Item = String>) {
    let mut child = place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    (child, lines)
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

#[test]
fn an_interrupted_run_leaves_a_valid_partial_bundle() {
    let Some(place) = Place::on_drive() else { return };
    let suite = ["--suite", "tiny.toml", "--set", "loops=100", "--set", "seconds=1"];
    let arguments = [&["run", "disk", "--yes", "--out", "a.cliffmark"][..], &suite].concat();
    let (mut child, mut lines) = start(&place, &arguments);
    lines.find(|line| line.ends_with("measuring")).expect("the fill ends");
    interrupt(&child);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");

    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!(document.outcome, Outcome::Interrupted);
    assert_eq!(document.cells.len(), 1);
    assert_eq!(document.cells[0].status, CellStatus::Partial);
    assert!(analysis::plausibility::check(document).iter().all(|finding| !finding.fatal));
    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
    assert_eq!(place.run(&["show", "a.cliffmark"]).code, 0);
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn an_interrupted_run_ends_as_such_when_nobody_reads_its_output() {
    let Some(place) = Place::on_drive() else { return };
    let arguments =
        ["run", "disk", "--yes", "--out", "a.cliffmark", "--suite", "tiny.toml", "--set", "loops=100"];
    let (mut child, mut lines) = start(&place, &arguments);
    drop(child.stdout.take());
    lines.find(|line| line.ends_with("measuring")).expect("the fill ends");
    interrupt(&child);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert_eq!(open(&place.path("a.cliffmark")).document().outcome, Outcome::Interrupted);
}

#[test]
fn a_run_stopped_while_it_fills_leaves_a_bundle_without_cells() {
    let Some(place) = Place::on_drive() else { return };
    // Too large to be written in the time between the first line and the signal.
    let suite = ["--suite", "tiny.toml", "--set", "size=2GiB"];
    let arguments = [&["run", "disk", "--yes", "--out", "a.cliffmark"][..], &suite].concat();
    let (mut child, mut lines) = start(&place, &arguments);
    lines.find(|line| line.starts_with("made a new secret key")).expect("the key is made before the fill");
    lines.find(|line| line.starts_with("filling")).expect("the fill begins");
    interrupt(&child);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!(
        (document.outcome, document.cells.len(), &document.preparation),
        (Outcome::Interrupted, 0, &None)
    );
    let told =
        |line: &String| line.contains("before a cell was measured") && line.contains("cliffmark resume");
    assert!(rest.iter().any(told), "{rest:?}");
    let verified = place.run(&["verify", "a.cliffmark"]);
    assert_eq!(verified.code, 0);
    assert!(verified.out.contains("figures    none: no cell was measured"), "{}", verified.out);
    assert!(place.run(&["show", "a.cliffmark"]).out.contains("No cell was measured."));
    assert_eq!(place.names("disk"), [""; 0]);
}
