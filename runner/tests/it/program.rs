//! The vocabulary of these tests: a place on the drive under `target/` and the program started in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_cliffmark");

/// A tiny suite: three cells of 1 s on 16 MiB.
pub(crate) const TINY: &str = r#"
name = "tiny"
summary = "Three short cells"
size = "16MiB"
seconds = 1
loops = 1
discarded = 0
interval = 0

[[cell]]
pattern = "seq-read"
block = "1MiB"
queue_depth = 2
threads = 1

[[cell]]
pattern = "rand-read"
block = "4KiB"
queue_depth = 4
threads = 2

[[cell]]
pattern = "rand-write"
block = "4KiB"
queue_depth = 1
threads = 1
"#;

/// A directory on the drive that holds the build, with a disk directory, a suite and a key directory.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        fs::create_dir(place.path("disk")).unwrap();
        fs::write(place.path("tiny.toml"), TINY).unwrap();
        place
    }

    /// A place where a drive can be measured; `None`, said aloud, where the build lies on none.
    pub(crate) fn on_drive() -> Option<Self> {
        let place = Self::new();
        let planned = place.run(&["run", "disk", "--suite", "tiny.toml", "--dry-run"]);
        if planned.code == 3 {
            skipped(&planned.err);
            return None;
        }
        assert_eq!(planned.code, 0, "{}", planned.err);
        Some(place)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program, working in this place, without a terminal, with a key directory of its own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.other(PROGRAM);
        command.args(arguments);
        command
    }

    /// Another program in the same surroundings.
    pub(crate) fn other(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("HOME", self.0.path())
            .env_remove("CLIFFMARK_SERVER")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    /// A measured bundle, `result.cliffmark`.
    pub(crate) fn with_result() -> Option<Self> {
        let place = Self::on_drive()?;
        let ended = place.run(&["run", "disk", "--suite", "tiny.toml", "--out", "result.cliffmark", "--yes"]);
        assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
        Some(place)
    }

    /// The names in a directory of this place.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// How the program ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("the program ends by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A text without its line breaks, which are where 80 columns end.
pub(crate) fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Opens a bundle with the library, independently of the program.
pub(crate) fn open(path: &Path) -> bundle::Verified {
    bundle::open(&fs::read(path).unwrap()).unwrap()
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: nothing can be measured under target/: {why}");
}
