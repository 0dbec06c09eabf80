//! What a terminal shows while a drive is measured: a view that is drawn anew, or lines where that cannot be.

use crate::program::Place;
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use std::{
    fs::{File, OpenOptions},
    io::Read as _,
    process::Stdio,
};

/// What a run with its standard error on a terminal of this kind and width writes there.
fn shown(place: &Place, kind: &str, columns: u16) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut command = place.command(&["run", "disk", "--suite", "tiny.toml", "--yes"]);
    command.env("TERM", kind).env_remove("COLUMNS").stdout(Stdio::null()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // With the command goes our copy of the other end: when the program ends, reading does too.
    drop(command);
    let mut bytes = Vec::new();
    // The end of a terminal is an error: EIO.
    let _ = File::from(ours).read_to_end(&mut bytes);
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 4)));
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_dumb_terminal_gets_lines() {
    let Some(place) = Place::on_drive() else { return };
    let text = shown(&place, "dumb", 80);
    for words in ["filling a test file of 16 MiB", "cell 1: SEQ1M Q2T1 read", "cell 3: RND4K Q1T1 write"] {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
    assert!(!text.contains('\u{1b}'), "no control codes: {text:?}");
}

#[test]
fn a_narrow_terminal_gets_the_whole_view() {
    let Some(place) = Place::on_drive() else { return };
    let text = shown(&place, "xterm", 40);
    assert!(text.contains('\u{1b}'), "it is drawn anew: {text:?}");
    let plain = anstream::adapter::strip_str(&text).to_string();
    for words in ["cell 1 of 3, SEQ1M Q2T1 read", "loop 1 of 1", " written", " left"] {
        assert!(plain.contains(words), "{words} is missing in {plain:?}");
    }
    assert!(!plain.contains("cell 1: "), "the view says it: {plain:?}");
}
