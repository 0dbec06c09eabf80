//! What the program says about itself.

use crate::program::Place;

#[test]
fn help_texts() {
    let place = Place::new();
    let commands: [&[&str]; 16] = [
        &[],
        &["run"],
        &["cell"],
        &["suites"],
        &["devices"],
        &["resume"],
        &["clean"],
        &["host"],
        &["show"],
        &["verify"],
        &["upload"],
        &["withdraw"],
        &["release"],
        &["export"],
        &["key"],
        &["key", "new"],
    ];
    let mut all = String::new();
    for command in commands {
        let ended = place.run(&[command, &["--help"]].concat());
        assert_eq!(ended.code, 0);
        all.push_str(&format!("$ cliffmark {}\n{}\n", [command, &["--help"]].concat().join(" "), ended.out));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn suites_are_listed_and_printed_as_they_are_shipped() {
    let place = Place::new();
    let list = place.run(&["suites"]);
    assert_eq!(list.code, 0);
    insta::assert_snapshot!(list.out);
    let one = place.run(&["suites", "cdm"]);
    assert_eq!(one.out, include_str!("../../src/suites/cdm.toml"));
    assert_eq!(place.run(&["suites", "none"]).code, 2);
}

#[test]
fn usage_errors_end_with_2() {
    let place = Place::new();
    for arguments in [
        &["fly"][..],
        &["run"],
        &["run", "disk", "--runs", "0"],
        &["run", "disk", "--label", "colour=red"],
        &["run", "disk", "--suite", "none"],
        &["run", "disk", "--set", "colour=red"],
        &["run", "disk", "--upload"],
        &["run", "disk", "--upload", "--server", "ftp://x"],
        &["cell", "disk", "--pattern", "zigzag", "--block", "4k", "--qd", "1"],
        &["upload", "result.cliffmark"],
        &["withdraw", "abc", "--server", "http://127.0.0.1:1"],
        &["release", &"ab".repeat(32)],
        &["release", &"ab".repeat(32), "--on", "2026-12-24", "--server", "http://127.0.0.1:1"],
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.starts_with("error: "), "{}", ended.err);
    }
    assert_eq!(place.names("disk"), [""; 0]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = place.command(&["suites", "cdm"]).stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn devices_are_json_for_programs() {
    let ended = Place::new().run(&["devices", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let devices: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    for device in devices.as_array().unwrap() {
        assert!(device["name"].is_string() && device["measurable"].is_boolean() && device["how"].is_string());
    }
}
