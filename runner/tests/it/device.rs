//! Whole devices: loop devices over files of their own, where root may make them.

use crate::program::{Place, TINY, open};
use model::document::{CellStatus, TargetKind};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::PathBuf,
    process::{Command, Stdio},
};

/// A loop device over a file in a place; it goes away with the value.
struct Loop {
    device: String,
    image: PathBuf,
}

impl Loop {
    fn new(place: &Place, bytes: u64) -> Option<Self> {
        Self::with_blocks(place, bytes, 512)
    }

    /// One with logical blocks of so many bytes.
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    fn with_blocks(place: &Place, bytes: u64, block_bytes: u32) -> Option<Self> {
        let image = place.path("image");
        File::create_new(&image).unwrap().set_len(bytes).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show", "--direct-io=on", "--sector-size", &block_bytes.to_string()])
            .arg(&image)
            .stderr(Stdio::null())
            .output();
        match made {
            Ok(output) if output.status.success() => {
                let device = String::from_utf8(output.stdout).unwrap().trim().to_owned();
                Some(Self { device, image })
            }
            _ => {
                eprintln!("SKIPPED: no loop device can be made here (root is needed)");
                None
            }
        }
    }

    fn inode(&self) -> String {
        fs::metadata(&self.image).unwrap().ino().to_string()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let done = Command::new("losetup").arg("--detach").arg(&self.device).status();
        assert!(done.is_ok_and(|status| status.success()), "the loop device goes away");
    }
}

#[test]
fn an_empty_device_is_measured_once_it_is_confirmed() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, 32 << 20) else { return };
    let run = ["run", &one.device, "--suite", "tiny.toml", "--out", "a.cliffmark", "--tbw", "600TB"];
    let planned = place.run(&[&run[..], &["--dry-run"]].concat());
    assert_eq!(planned.code, 0, "{}", planned.err);
    assert!(
        planned.out.contains("WHAT IS THERE IS LOST")
            && planned.out.contains(&one.inode())
            && planned.out.contains(", through loop"),
        "{}",
        planned.out
    );
    assert!(planned.out.contains("of 600 TB of rated endurance"), "{}", planned.out);

    for (more, words) in [
        (&["--yes"][..], "nobody confirmed"),
        (&["--yes", "--confirm-serial", "1"], "is not the inode number of its file"),
    ] {
        let refused = place.run(&[&run[..], more].concat());
        assert_eq!(refused.code, 3, "{}", refused.err);
        assert!(refused.err.contains(words), "{}", refused.err);
    }
    assert!(fs::read(&one.image).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
    assert!(!place.path("config").exists());

    let ended = place.run(&[&run[..], &["--confirm-serial", &one.inode()]].concat());
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    let verified = open(&place.path("a.cliffmark"));
    let document = verified.document();
    assert_eq!(document.target.kind, TargetKind::Device);
    assert_eq!((&document.target.file_system, document.target.file_system_bytes), (&None, None));
    assert_eq!(document.cells.len(), 3);
    assert!(document.cells.iter().all(|cell| cell.status != CellStatus::Failed));
    let text = String::from_utf8(verified.payload().to_vec()).unwrap();
    for private in [place.path("").to_str().unwrap(), &one.device, "/dev/"] {
        assert!(!text.contains(private), "{private} is in the document");
    }
    let written = fs::read(&one.image).unwrap();
    let (span, rest) = written.split_at(16 << 20);
    assert!(span.chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)), "the span is written full");
    assert!(rest.iter().all(|byte| *byte == 0), "nothing is written behind the span");
}

#[test]
fn a_whole_device_is_all_of_it_and_no_more() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, (24 << 20) + 4096) else { return };
    let inode = one.inode();
    let run =
        ["run", &one.device, "--suite", "tiny.toml", "--out", "a.cliffmark", "--confirm-serial", &inode];
    let ended = place.run(&[&run[..], &["--set", "size=all"]].concat());
    assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
    assert_eq!(open(&place.path("a.cliffmark")).document().cells[0].method.span_bytes, 24 << 20);
    let refused = place.run(&[&run[..5], &["b.cliffmark"], &run[6..], &["--set", "size=25MiB"]].concat());
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("size=all"), "{}", refused.err);
    // In a directory it is what is free, less what stays so.
    let free = place.run(&["run", "disk", "--suite", "tiny.toml", "--set", "size=all", "--dry-run"]);
    assert_eq!(free.code, 0, "{}", free.err);
    assert!(free.out.contains("a new file of ") && place.names("disk").is_empty(), "{}", free.out);
}

#[test]
fn copies_are_refused_on_a_device() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, 24 << 20) else { return };
    let inode = one.inode();
    for suite in [&["copies"][..], &["loading", "--set", "folder=disk"]] {
        fs::write(place.path("disk/file"), "content").unwrap();
        let run = [&["run", &one.device, "--confirm-serial", &inode, "--suite"], suite].concat();
        let ended = place.run(&run);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains("need a file system"), "{}", ended.err);
    }
}

#[test]
fn a_device_with_content_is_refused_whatever_is_said() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, 64 << 20) else { return };
    let made = Command::new("mkfs.ext4").args(["-q", "-F", &one.device]).status();
    assert!(made.is_ok_and(|status| status.success()));
    let before = fs::read(&one.image).unwrap();
    let inode = one.inode();
    let confirmed = ["--confirm-serial", &inode];
    let run = ["run", &one.device, "--suite", "tiny.toml", "--yes", "--allow-void"];
    let cell = [
        "cell",
        &one.device,
        "--pattern",
        "randwrite",
        "--block",
        "4k",
        "--qd",
        "1",
        "--seconds",
        "1",
        "--overwrite",
    ];
    for command in [&run[..], &cell] {
        let refused = place.run(&[command, &confirmed].concat());
        assert_eq!(refused.code, 3, "{}", refused.err);
        assert!(
            refused.err.contains("ext4 file system") && refused.err.contains("wipefs -a"),
            "{}",
            refused.err
        );
    }
    assert!(fs::read(&one.image).unwrap() == before, "not a byte has changed");

    // Reading it as it is needs neither.
    let read = place.run(&[
        "cell",
        &one.device,
        "--pattern",
        "randread",
        "--block",
        "4k",
        "--qd",
        "4",
        "--seconds",
        "1",
        "--json",
    ]);
    // A file system leaves most of the file behind the device a hole, which no drive is asked for.
    assert!(matches!(read.code, 0 | 4), "{}", read.err);
    let report: serde_json::Value = serde_json::from_str(&read.out).unwrap();
    assert!(report["iops"].as_f64().unwrap() > 0.0);
    assert!(report["unproven"].to_string().contains("content"), "{report}");
    assert!(fs::read(&one.image).unwrap() == before, "not a byte has changed");
}

#[test]
fn a_device_that_is_still_being_released_is_waited_for() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, 32 << 20) else { return };
    let inode = one.inode();
    let confirmed = ["--confirm-serial", &inode];
    let run = ["run", &one.device, "--suite", "tiny.toml", "--out", "a.cliffmark"];
    let start = |arguments: &[&str]| {
        let mut command = place.command(&[arguments, &confirmed].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        (child, lines)
    };
    let (mut child, mut lines) = start(&run);
    lines.find(|line| line.starts_with("cell 1:")).expect("the run comes that far");
    child.kill().unwrap();
    child.wait().unwrap();
    // What the kernel does for a moment after a kill is done here until it was noticed.
    let exclusive = || File::options().read(true).custom_flags(libc::O_EXCL).open(&one.device);
    let held = loop {
        match exclusive() {
            Ok(held) => break held,
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EBUSY), "{error}"),
        }
    };
    let (mut child, mut lines) = start(&["resume"]);
    lines.find(|line| line.starts_with("waiting until")).expect("it waits");
    drop(held);
    let rest: Vec<String> = lines.collect();
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 4)), "{rest:?}");
    assert_eq!(open(&place.path("a.cliffmark")).document().cells.len(), 3);
}

#[test]
fn blocks_smaller_than_those_of_the_device_are_refused_before_anything_is_written() {
    let place = Place::new();
    let Some(one) = Loop::with_blocks(&place, 32 << 20, 4096) else { return };
    fs::write(place.path("small.toml"), TINY.replace("block = \"4KiB\"", "block = \"512B\"")).unwrap();
    let inode = one.inode();
    let run = ["run", &one.device, "--suite", "small.toml", "--confirm-serial", &inode];
    let cell = ["cell", &one.device, "--pattern", "randread", "--block", "512B", "--qd", "1"];
    let dry = [&run[..], &["--dry-run"]].concat();
    for command in [&run[..], &dry, &cell] {
        let refused = place.run(command);
        assert_eq!(refused.code, 3, "{}", refused.err);
        assert!(refused.err.contains("multiples of 4 KiB"), "{}", refused.err);
    }
    let another =
        place.run(&["run", &one.device, "--suite", "tiny.toml", "--dry-run", "--confirm-serial", "1"]);
    assert_eq!(another.code, 3, "{}", another.err);
    assert!(fs::read(&one.image).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
}

#[test]
fn a_device_is_listed_with_what_to_type() {
    let place = Place::new();
    let Some(one) = Loop::new(&place, 16 << 20) else { return };
    let listed = place.run(&["devices"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    let words = format!("cliffmark run {} --confirm-serial {}", one.device, one.inode());
    assert!(listed.out.contains(&words), "{}", listed.out);
}
