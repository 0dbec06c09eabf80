//! The runner as a user starts it on this machine: with a home of its own, inside of other programs, watched while it
//! runs, stopped by signals.

use crate::end::End;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::Read as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Nothing here takes longer, even on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(120);

/// A command line of `cliffmark` with a home in `home`.
pub(crate) fn cliffmark(home: &Path, arguments: &[&str]) -> Command {
    within(home, &[], arguments)
}

/// The same inside of another program that runs the command line it is given: `["setpriv", "--reuid=1"]`.
pub(crate) fn within(home: &Path, around: &[&str], arguments: &[&str]) -> Command {
    let program = std::env::var("CLIFFMARK_BIN")
        .expect("CLIFFMARK_BIN is not set; run these tests with `cargo xtask test`");
    let mut words = around.iter().copied().chain([program.as_str()]).chain(arguments.iter().copied());
    let mut command = Command::new(words.next().expect("there is at least the program"));
    command
        .args(words)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env_remove("CLIFFMARK_SERVER")
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

/// Runs a command line to its end.
pub(crate) fn run(mut command: Command) -> End {
    Running::start(&mut command).finish()
}

/// A program that runs; killed when dropped.
pub(crate) struct Running {
    child: Child,
    said: Arc<(Mutex<Said>, Condvar)>,
    out: Option<JoinHandle<Vec<u8>>>,
}

#[derive(Default)]
struct Said {
    text: String,
    over: bool,
}

impl Running {
    /// Starts a program and listens to it.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().expect("it is piped");
        let mut stderr = child.stderr.take().expect("it is piped");
        let out = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stdout.read_to_end(&mut bytes).map(|_| bytes).unwrap()
        });
        let said = Arc::<(Mutex<Said>, Condvar)>::default();
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            loop {
                let length = stderr.read(&mut piece).unwrap_or(0);
                let mut said = heard.0.lock().unwrap();
                said.text.push_str(&String::from_utf8_lossy(&piece[..length]));
                said.over = length == 0;
                heard.1.notify_all();
                if said.over {
                    break;
                }
            }
        });
        Self { child, said, out: Some(out) }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until it has written a text on standard error.
    ///
    /// # Panics
    /// When it ended without, or takes too long.
    pub(crate) fn says(&self, text: &str) {
        let (lock, more) = &*self.said;
        let waiting = |said: &mut Said| !said.text.contains(text) && !said.over;
        let (said, _) = more.wait_timeout_while(lock.lock().unwrap(), PATIENCE, waiting).unwrap();
        assert!(said.text.contains(text), "it did not say `{text}` but:\n{}", said.text);
    }

    /// Waits until it has read so many bytes from a device: then it measures, for a fill only writes.
    ///
    /// # Panics
    /// When it ended without, or takes too long.
    pub(crate) fn reads(&self, bytes: u64) {
        let path = format!("/proc/{}/io", self.child.id());
        let deadline = Instant::now() + PATIENCE;
        let read = || {
            let told = std::fs::read_to_string(&path).unwrap_or_default();
            let field = told.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.parse::<u64>().ok());
            field.unwrap_or_default()
        };
        let before = read();
        while read() < before + bytes {
            assert!(
                Instant::now() < deadline,
                "it reads nothing; it said:\n{}",
                self.said.0.lock().unwrap().text
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// When it takes too long.
    pub(crate) fn finish(mut self) -> End {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < deadline,
                "it does not end; it said:\n{}",
                self.said.0.lock().unwrap().text
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        let stdout = self.out.take().expect("it is taken once").join().unwrap();
        let (lock, more) = &*self.said;
        let said = more.wait_while(lock.lock().unwrap(), |said| !said.over).unwrap();
        End { code: status.code(), stdout, stderr: said.text.clone() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `finish` it has ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
