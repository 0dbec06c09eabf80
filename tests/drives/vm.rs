//! A virtual machine with emulated drives: started with a script, fed with the emulator's commands when the script
//! marks a moment, read to its end.
//!
//! Knows how a guest is made, started, listened to and stopped. Does not know any story.

mod archive;
mod guest;

use crate::{end::End, host::make_ext4, qmp::Qmp, skip::skip};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// No story takes longer, even on a machine that is busy with other tests; after it the emulator is killed.
const KILL_AFTER: Duration = Duration::from_secs(300);

/// A machine that is being put together.
pub(crate) struct Machine {
    parts: PathBuf,
    folder: TempDir,
    arguments: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
    script: String,
    on_mark: BTreeMap<String, Vec<Value>>,
    power_fails_at: Option<String>,
}

/// What a story came to: each command's end by the name the script gave it.
#[derive(Debug)]
pub(crate) struct Told {
    ends: BTreeMap<String, End>,
    /// What emulator and kernel said.
    console: String,
}

impl Machine {
    /// A machine without drives; `None`, after saying so, where there can be none.
    pub(crate) fn new(story: &str) -> Option<Self> {
        let Some(parts) = std::env::var_os("CLIFFMARK_VM") else {
            let reason = std::env::var("CLIFFMARK_VM_MISSING").expect(
                "neither CLIFFMARK_VM nor CLIFFMARK_VM_MISSING is set; run these tests with `cargo xtask test`",
            );
            skip(story, &reason);
            return None;
        };
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::create_dir_all(target).unwrap();
        Some(Self {
            parts: parts.into(),
            folder: tempfile::tempdir_in(target).unwrap(),
            arguments: Vec::new(),
            files: Vec::new(),
            script: String::new(),
            on_mark: BTreeMap::new(),
            power_fails_at: None,
        })
    }

    /// A sparse image file of the host, for a drive of the guest.
    pub(crate) fn image(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.folder.path().join(name);
        File::create_new(&path).unwrap().set_len(bytes).unwrap();
        path
    }

    /// The same with an empty ext4 file system, fully initialised.
    pub(crate) fn ext4_image(&self, name: &str, bytes: u64) -> PathBuf {
        self.ext4_image_with(name, bytes, &[])
    }

    /// The same with more arguments of `mkfs.ext4`.
    pub(crate) fn ext4_image_with(&self, name: &str, bytes: u64, arguments: &[&str]) -> PathBuf {
        let path = self.image(name, bytes);
        make_ext4(&path, arguments);
        path
    }

    /// Adds an option and its value to the emulator's command line.
    pub(crate) fn with(mut self, option: &str, value: impl Into<String>) -> Self {
        self.arguments.extend([option.to_owned(), value.into()]);
        self
    }

    /// Puts a file into the guest.
    pub(crate) fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.to_owned(), content.into()));
        self
    }

    /// What the guest does; see `guest::INIT` for the words a script has beside those of a shell.
    pub(crate) fn script(mut self, script: &str) -> Self {
        self.script = script.to_owned();
        self
    }

    /// A command for the emulator at the moment that the script marks with `mark NAME`.
    pub(crate) fn on(mut self, mark: &str, command: Value) -> Self {
        self.on_mark.entry(mark.to_owned()).or_default().push(command);
        self
    }

    /// The power fails at the moment that the script marks so: nothing is written any more, and the story is over.
    pub(crate) fn power_fails_at(mut self, mark: &str) -> Self {
        self.power_fails_at = Some(mark.to_owned());
        self
    }

    /// Runs the machine until its script is over, or its power fails.
    ///
    /// # Panics
    /// When the script does not come to its end in time; with the guest's console.
    pub(crate) fn run(self) -> Told {
        let place = |name: &str| self.folder.path().join(name);
        let initrd = guest::initrd(&self.parts, &self.script, &self.files);
        std::fs::write(place("initrd"), initrd).unwrap();
        let socket = place("qmp");
        let console = place("console");
        let mut emulator = Command::new("qemu-system-x86_64")
            .args(["-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "768"])
            .args(["-display", "none", "-no-reboot", "-nodefaults"])
            .args(["-serial", &format!("file:{}", console.display()), "-serial", "stdio"])
            .args(["-qmp", &format!("unix:{},server=on,wait=off", socket.display())])
            .arg("-kernel")
            .arg(guest::kernel(&self.parts))
            .arg("-initrd")
            .arg(place("initrd"))
            .args(["-append", "console=ttyS0 quiet panic=-1 mitigations=off"])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create_new(place("emulator")).unwrap())
            .spawn()
            .map(Emulator)
            .unwrap();
        let lines = emulator.lines();
        let mut story = Story { ends: BTreeMap::new(), open: None };
        let mut qmp: Option<Qmp> = None;
        let deadline = Instant::now() + KILL_AFTER;
        let over = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left).as_deref() {
                Ok("@over") if self.power_fails_at.is_none() => break Ok(()),
                Ok("@over") => break Err("the story was over before the power could fail"),
                Ok(line) => {
                    if let Some(mark) = line.strip_prefix("@mark ") {
                        if self.power_fails_at.as_deref() == Some(mark) {
                            break Ok(());
                        }
                        let qmp = qmp.get_or_insert_with(|| Qmp::connect(&socket));
                        let commands = self.on_mark.get(mark).map_or(&[][..], Vec::as_slice);
                        commands.iter().for_each(|command| qmp.execute(command));
                    } else {
                        story.read(line);
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => break Err("the story took too long"),
                Err(mpsc::RecvTimeoutError::Disconnected) => break Err("the machine ended before its story"),
            }
        };
        drop(emulator);
        let read =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let console = format!("emulator:\n{}\nconsole:\n{}", read(&place("emulator")), read(&console));
        if let Err(problem) = over {
            panic!("{problem}\n{console}\ntold:\n{:#?}", story.ends);
        }
        Told { ends: story.ends, console }
    }
}

/// A running emulator, killed when dropped.
struct Emulator(Child);

impl Emulator {
    /// What the guest writes on its second serial line, line by line as it comes.
    fn lines(&mut self) -> mpsc::Receiver<String> {
        let (send, lines) = mpsc::channel();
        let output = BufReader::new(self.0.stdout.take().expect("it is piped"));
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line.trim_end().to_owned()).is_err() {
                    break;
                }
            }
        });
        lines
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The guest's report as it grows.
struct Story {
    ends: BTreeMap<String, End>,
    /// Lines of Base64 that are being told, and where they belong.
    open: Option<(String, bool, String)>,
}

impl Story {
    fn read(&mut self, line: &str) {
        let Some(told) = line.strip_prefix('@') else {
            if let Some((.., text)) = &mut self.open {
                text.push_str(line);
            }
            return;
        };
        if let Some((name, is_stdout, text)) = self.open.take() {
            let bytes = decode(&text);
            let end = self.ends.entry(name).or_default();
            if is_stdout {
                end.stdout = bytes;
            } else {
                end.stderr = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        match told.split(' ').collect::<Vec<_>>().as_slice() {
            [stream @ ("stdout" | "stderr"), name] => {
                self.open = Some(((*name).to_owned(), *stream == "stdout", String::new()));
            }
            ["exit", name, code] => {
                let end = self.ends.get_mut(*name).expect("the streams come before the exit code");
                end.code = Some(code.parse().expect("an exit code is a number"));
            }
            _ => panic!("the guest told something that is not understood: {line}"),
        }
    }
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("the guest tells streams as Base64")
}

impl Told {
    /// The end of the command that the script named so.
    ///
    /// # Panics
    /// When there was none.
    pub(crate) fn end(&self, name: &str) -> &End {
        let told = || format!("`{name}` was not told\n{}", self.console);
        self.ends.get(name).unwrap_or_else(|| panic!("{}", told()))
    }
}
