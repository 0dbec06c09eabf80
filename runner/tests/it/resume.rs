//! Killed runs: what is measured stays, `resume` measures the rest, `clean` removes what is left.

use crate::program::{Ended, Place, open};
use model::document::{CellStatus, Outcome};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{BufRead as _, BufReader},
    os::unix::ffi::OsStrExt as _,
    process::Stdio,
};

const RUN: [&str; 6] = ["run", "disk", "--suite", "tiny.toml", "--out", "a.cliffmark"];

/// Starts a run and kills it without a warning after the line that begins with `after`.
fn killed(place: &Place, after: &str) {
    let arguments = [&RUN[..], &["--yes", "--label", "note=kept"]].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with(after)).expect("the run comes that far");
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "the run was killed");
    assert!(!place.path("a.cliffmark").exists());
    assert_eq!(place.names("disk"), [""; 0]);
    assert_eq!(place.names("state/cliffmark").len(), 1, "the journal stays");
}

fn id(place: &Place) -> String {
    let name = place.names("state/cliffmark").pop().unwrap();
    name.strip_prefix("cliffmark-").unwrap().strip_suffix(".journal").unwrap().to_owned()
}

fn done(ended: &Ended) {
    assert!(matches!(ended.code, 0 | 4), "{}\n{}", ended.out, ended.err);
}

#[test]
fn a_killed_run_goes_on_at_the_next_cell() {
    let Some(place) = Place::on_drive() else { return };
    killed(&place, "cell 1:");
    let mention = place.run(&["run", "disk", "--suite", "tiny.toml", "--dry-run"]);
    assert!(mention.err.contains(&format!("cliffmark resume {}", id(&place))), "{}", mention.err);

    let ended = place.run(&["resume", "--yes"]);
    done(&ended);
    assert!(ended.out.contains("2 cells are left"), "{}", ended.out);
    // A fill and two loops of a second each are left of three.
    assert!(ended.out.contains("\nTime    about 3 s\n"), "{}", ended.out);
    let table = ended.out.rsplit_once("\ncell ").expect("a table of the cells").1;
    assert!(table.contains("\nresumed: ") && table.contains(", after 1 of 3 cells: "), "{table}");
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 3));
    let [one] = &document.resumptions[..] else { panic!("{:?}", document.resumptions) };
    assert_eq!(one.cells_before, 1);
    assert!(one.resumed_unix_ms >= document.started_unix_ms);
    assert!(one.preparation.is_some() && document.preparation.is_some());
    // One clock runs through both programs.
    let starts: Vec<u64> = document.cells.iter().map(|cell| cell.loops[0].started_ns).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert!(starts[0] < one.at_ns && one.at_ns < starts[1], "{starts:?} {one:?}");
    assert!(document.elapsed_ns > starts[2]);
    assert_eq!(document.labels.len(), 1);
    assert!(analysis::plausibility::check(document).iter().all(|finding| !finding.fatal));
    assert_eq!(place.run(&["verify", "a.cliffmark"]).code, 0);
    let shown = place.run(&["show", "a.cliffmark"]).out;
    assert!(shown.contains("; complete, resumed 1 time, took ") && shown.contains("\nresumed: "), "{shown}");
    assert_eq!(place.names("state/cliffmark"), [""; 0], "nothing is left");
    assert_eq!(place.names("disk"), [""; 0]);
    let again = place.run(&["resume"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("there is no interrupted run"), "{}", again.err);
}

#[test]
fn a_run_killed_while_it_fills_begins_again() {
    let Some(place) = Place::on_drive() else { return };
    killed(&place, "filling");
    done(&place.run(&["resume", "--yes", "--json", "--out", "b.cliffmark"]));
    let verified = open(&place.path("b.cliffmark"));
    let document = verified.document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 3));
    assert_eq!(document.resumptions.len(), 1);
    assert!(document.preparation.is_some());
}

#[test]
fn a_path_that_is_no_text_is_resumed_like_any_other() {
    let Some(place) = Place::on_drive() else { return };
    let (disk, out) = (OsStr::from_bytes(b"disk\xff"), OsStr::from_bytes(b"a\xfe.cliffmark"));
    fs::create_dir(place.path("").join(disk)).unwrap();
    let mut command = place.command(&["run", "--suite", "tiny.toml", "--yes"]);
    command.arg(disk).arg("--out").arg(out).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("cell 1:")).expect("the run comes that far");
    child.kill().unwrap();
    child.wait().unwrap();
    done(&place.run(&["resume", "--yes"]));
    let verified = open(&place.path("").join(out));
    assert_eq!((verified.document().cells.len(), verified.document().resumptions.len()), (3, 1));
}

#[test]
fn a_torn_record_costs_its_cell_and_a_damaged_one_is_told() {
    let Some(place) = Place::on_drive() else { return };
    killed(&place, "cell 2:");
    let journal = place.path("state/cliffmark").join(place.names("state/cliffmark").pop().unwrap());
    let whole = fs::read(&journal).unwrap();

    // The power failed while the second cell was written down.
    fs::write(&journal, &whole[..whole.len() - 7]).unwrap();
    let listed = place.run(&["resume", "nonsense"]);
    assert_eq!(listed.code, 1);
    assert!(listed.err.contains("1 of 3 cells"), "{}", listed.err);

    // A byte of the second record is damaged: a line, then each record's length, checksum and content.
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let length = u32::from_le_bytes(whole[first..first + 4].try_into().unwrap()) as usize;
    let mut damaged = whole.clone();
    damaged[first + 36 + length + 36 + 5] ^= 1;
    fs::write(&journal, damaged).unwrap();
    let listed = place.run(&["clean"]);
    assert!(listed.out.contains(&format!("resume {} --drop-damaged", id(&place))), "{}", listed.out);
    let refused = place.run(&["resume", "--yes"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("damaged") && refused.err.contains("--drop-damaged"), "{}", refused.err);
    done(&place.run(&["resume", "--yes", "--drop-damaged"]));
    let verified = open(&place.path("a.cliffmark"));
    assert_eq!(verified.document().cells.len(), 3);
    assert!(analysis::plausibility::check(verified.document()).iter().all(|finding| !finding.fatal));
}

#[test]
fn what_is_no_longer_the_same_is_named() {
    let Some(place) = Place::on_drive() else { return };
    killed(&place, "cell 1:");
    let id = id(&place);
    // Another key signs now.
    assert_eq!(place.run(&["key", "new", "--replace"]).code, 0);
    let refused = place.run(&["resume", "--yes"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("another secret key"), "{}", refused.err);
    // The directory is gone.
    fs::rename(place.path("disk"), place.path("away")).unwrap();
    let gone = place.run(&["resume", "--yes"]);
    assert_eq!(gone.code, 1, "{}", gone.err);
    assert!(gone.err.contains("is not there") && !gone.err.contains("another"), "{}", gone.err);
    let kept = place.run(&["clean"]);
    assert!(kept.out.contains("kept the interrupted run") && kept.out.contains(&id), "{}", kept.out);
    assert_eq!(place.names("state/cliffmark").len(), 1);
    let forgotten = place.run(&["clean", "--journals"]);
    assert!(forgotten.out.contains("forgot the interrupted run"), "{}", forgotten.out);
    assert_eq!(place.names("state/cliffmark"), [""; 0]);
    assert_eq!(place.run(&["clean"]).out, "nothing was left behind\n");
}

#[test]
fn several_interrupted_runs_are_listed() {
    let Some(place) = Place::on_drive() else { return };
    killed(&place, "cell 1:");
    let first = id(&place);
    fs::rename(place.path("state"), place.path("aside")).unwrap();
    killed(&place, "filling");
    let second = id(&place);
    let name = format!("cliffmark/cliffmark-{first}.journal");
    fs::copy(place.path("aside").join(&name), place.path("state").join(&name)).unwrap();
    let listed = place.run(&["resume", "--yes"]);
    assert_eq!(listed.code, 2);
    assert!(listed.err.contains(&first) && listed.err.contains(&second), "{}", listed.err);
    done(&place.run(&["resume", &first, "--yes"]));
    assert_eq!(open(&place.path("a.cliffmark")).document().cells.len(), 3);
}

#[test]
fn an_interrupted_run_can_be_resumed_too_and_keeps_its_partial_bundle() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = [&RUN[..], &["--yes"]].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("cell 1:")).expect("the run comes that far");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let part = fs::read(place.path("a.cliffmark")).unwrap();
    assert!(rest.iter().any(|line| line.contains(&format!("cliffmark resume {}", id(&place)))), "{rest:?}");

    done(&place.run(&["resume", "--yes"]));
    assert_eq!(fs::read(place.path("a.cliffmark")).unwrap(), part);
    let verified = open(&place.path("a-resumed.cliffmark"));
    let document = verified.document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 3));
    assert!(document.cells.iter().all(|cell| cell.status != CellStatus::Partial));
}

#[test]
fn a_run_interrupted_in_its_first_cell_can_be_resumed() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = [&RUN[..], &["--yes"]].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.ends_with("measuring")).expect("the fill ends");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains(&format!("cliffmark resume {}", id(&place)))), "{rest:?}");
    done(&place.run(&["resume", "--yes"]));
    let verified = open(&place.path("a-resumed.cliffmark"));
    assert_eq!((verified.document().outcome, verified.document().cells.len()), (Outcome::Complete, 3));
}

#[test]
fn two_interrupts_end_at_once_and_leave_the_journal() {
    let Some(place) = Place::on_drive() else { return };
    let arguments = [&RUN[..], &["--yes"]].concat();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("cell 1:")).expect("the run comes that far");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    lines.find(|line| line.starts_with("stopping:")).expect("the first one is heard");
    // The run may be over before the second one arrives; then it has a partial bundle.
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(place.names("state/cliffmark").len(), 1, "the journal stays");
    done(&place.run(&["resume", "--yes", "--out", "b.cliffmark"]));
    assert_eq!(open(&place.path("b.cliffmark")).document().cells.len(), 3);
}

#[test]
fn a_run_whose_bundle_could_not_be_written_is_not_measured_again() {
    let Some(place) = Place::on_drive() else { return };
    fs::create_dir(place.path("place")).unwrap();
    let arguments = ["run", "disk", "--suite", "tiny.toml", "--out", "place/a.cliffmark", "--yes"];
    let mut command = place.command(&arguments);
    command.env("TMPDIR", place.path("nowhere")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("cell 1:")).expect("the run comes that far");
    fs::remove_dir(place.path("place")).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest:?}");
    assert_eq!(place.names("state/cliffmark").len(), 1, "{rest:?}");

    let ended = place.run(&["resume", "--out", "b.cliffmark"]);
    done(&ended);
    assert!(!ended.err.contains("filling"), "nothing is measured again: {}", ended.err);
    let verified = open(&place.path("b.cliffmark"));
    let document = verified.document();
    assert_eq!((document.outcome, document.cells.len()), (Outcome::Complete, 3));
    assert!(document.resumptions.is_empty(), "all cells are of one program");
    assert!(analysis::plausibility::check(document).iter().all(|finding| !finding.fatal));
}

#[test]
fn a_leftover_file_is_removed_and_nothing_else() {
    let place = Place::new();
    let state = cliffmark_runner::state::StateDir::at(place.path("state/cliffmark"));
    for name in ["ours", "theirs"] {
        cliffmark_runner::leftovers::leave(&state, &place.path(name)).unwrap();
    }
    fs::rename(place.path("theirs"), place.path("moved")).unwrap();
    File::create_new(place.path("theirs")).unwrap();
    let ended = place.run(&["clean"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("removed ") && ended.out.contains("left alone"), "{}", ended.out);
    assert!(!place.path("ours").exists() && place.path("theirs").exists() && place.path("moved").exists());
    assert_eq!(place.names("state/cliffmark"), [""; 0]);
}
