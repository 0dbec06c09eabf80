//! Starting other programs, and what a signal to this one means for them.
//!
//! Knows: showing a command, passing on its exit code, stopping a child on every way out.
//! Does not know: what any program does.

use std::fmt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How long a child that has seen the terminal's Ctrl-C itself may take to end.
const GRACE_AFTER_CTRL_C: Duration = Duration::from_secs(15);
/// How long a child may take to end after SIGTERM before it is killed.
const GRACE_AFTER_TERM: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(50);

/// An error that fixes the exit code of this process.
#[derive(Debug)]
pub(crate) struct Exit {
    /// The exit code: 1 failed, 2 usage, 3 refused or something must be installed first, 130 interrupted.
    pub(crate) code: u8,
    message: String,
}

impl Exit {
    /// An error of `code` with a sentence for the user.
    pub(crate) fn error(code: u8, message: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self { code, message: message.into() })
    }

    /// The command line was wrong.
    pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
        Self::error(2, message)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Exit {}

struct Caught {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

static CAUGHT: OnceLock<Caught> = OnceLock::new();

/// Keeps this process alive on SIGINT, SIGTERM and SIGHUP so that it can stop its child first.
pub(crate) fn catch_signals() {
    let caught = CAUGHT.get_or_init(|| Caught { interrupt: Arc::default(), terminate: Arc::default() });
    for (signal, flag) in
        [(SIGINT, &caught.interrupt), (SIGTERM, &caught.terminate), (SIGHUP, &caught.terminate)]
    {
        signal_hook::flag::register(signal, Arc::clone(flag)).expect("these signals can be caught");
    }
}

/// Whether this process has been asked to end.
pub(crate) fn interrupted() -> bool {
    CAUGHT.get().is_some_and(|caught| {
        caught.interrupt.load(Ordering::Relaxed) || caught.terminate.load(Ordering::Relaxed)
    })
}

/// A running program that never outlives this value.
pub(crate) struct Running {
    child: Child,
    name: String,
}

impl Running {
    /// Starts `command`.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let name = shown(command);
        let child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
        Ok(Self { child, name })
    }

    /// The program's exit status when it has ended already.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().with_context(|| format!("cannot wait for `{}`", self.name))
    }

    /// The running child, to take its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the end; a signal to this process ends the child first.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        let mut asked_at: Option<Instant> = None;
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            let caught = CAUGHT.get();
            if caught.is_some_and(|caught| caught.terminate.load(Ordering::Relaxed)) {
                return self.stop();
            }
            if caught.is_some_and(|caught| caught.interrupt.load(Ordering::Relaxed)) {
                // The terminal sends Ctrl-C to the whole process group: the child knows it already.
                let since = *asked_at.get_or_insert_with(Instant::now);
                if since.elapsed() > GRACE_AFTER_CTRL_C {
                    return self.stop();
                }
            }
            sleep(POLL);
        }
    }

    /// Ends the program with SIGTERM, and with SIGKILL when it does not obey.
    pub(crate) fn stop(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.ended()? {
            return Ok(status);
        }
        let pid = i32::try_from(self.child.id()).expect("process ids fit into 32 bits");
        // The child is not reaped yet, so the id cannot belong to another process.
        kill(Pid::from_raw(pid), Signal::SIGTERM).with_context(|| format!("cannot stop `{}`", self.name))?;
        let asked_at = Instant::now();
        while asked_at.elapsed() < GRACE_AFTER_TERM {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            sleep(POLL);
        }
        self.child.kill().with_context(|| format!("cannot kill `{}`", self.name))?;
        self.child.wait().with_context(|| format!("cannot wait for `{}`", self.name))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            eprintln!("warning: {error:#}");
        }
    }
}

/// Shows and runs a command, its output going where ours goes.
///
/// # Errors
/// It cannot be started or does not succeed; its exit code becomes ours.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    eprintln!("+ {}", shown(command));
    run_quietly(command)
}

/// Like [`run`] without showing the command first.
pub(crate) fn run_quietly(command: &mut Command) -> Result<()> {
    let name = shown(command);
    let status = Running::start(command)?.wait()?;
    succeeded(status, &name)
}

/// Runs a command and hands back what it wrote on standard output.
///
/// # Errors
/// As for [`run`], or the output is not UTF-8.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let name = shown(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{name}`"))?;
    succeeded(output.status, &name)?;
    String::from_utf8(output.stdout).with_context(|| format!("`{name}` did not print UTF-8"))
}

/// Turns an exit status into our error, which carries the program's exit code on.
pub(crate) fn succeeded(status: ExitStatus, name: &str) -> Result<()> {
    if interrupted() {
        return Err(Exit::error(130, format!("interrupted during `{name}`")));
    }
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => {
            let ours = u8::try_from(code).unwrap_or(1);
            Err(Exit::error(ours, format!("`{name}` ended with exit code {code}")))
        }
        None => bail!("`{name}` was ended by a signal ({status})"),
    }
}

/// Whether a program of that name is on the PATH.
pub(crate) fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
    let words = command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
    });
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_passed_on() {
        let error = run_quietly(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.downcast_ref::<Exit>().unwrap().code, 3);
        assert!(error.to_string().contains("exit code 3"), "{error}");
    }

    #[test]
    fn a_dropped_program_has_ended() {
        let mut running = Running::start(Command::new("sleep").arg("600")).unwrap();
        assert!(running.ended().unwrap().is_none());
        assert!(running.stop().unwrap().code().is_none(), "it ended by our signal");
    }
}
