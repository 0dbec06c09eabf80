//! Keeps the machine awake during a run, where the login manager allows it.
//!
//! `systemd-inhibit` asks logind for the lock and holds it as long as the program that it starts runs: here `cat`,
//! which ends when our end of its pipe is closed, however this program ends. So nothing has to be cleaned up, and
//! no client of the system bus is needed. A machine that sleeps all the same is noticed by the clocks.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    io::{self, Read as _, Write as _},
    os::{fd::AsFd as _, unix::process::CommandExt as _},
    path::Path,
    process::{Child, Command, Stdio},
};

/// Longest wait for the login manager's answer, seconds.
const PATIENCE_S: i64 = 5;

/// A lock against sleep; it goes with the value, and with the program.
#[derive(Debug)]
pub(crate) struct AwakeLock {
    child: Child,
}

impl AwakeLock {
    /// Asks that the machine neither sleeps when idle nor when its lid is closed; `None` where no login manager runs,
    /// which alone would put it to sleep.
    ///
    /// # Errors
    /// With the reason why it cannot be had.
    pub(crate) fn take() -> Result<Option<Self>, String> {
        // How `sd_booted(3)` tells.
        if !Path::new("/run/systemd/system").is_dir() {
            return Ok(None);
        }
        Self::take_with("systemd-inhibit").map(Some)
    }

    fn take_with(program: &str) -> Result<Self, String> {
        let child = Command::new(program)
            .args(["--what=sleep:idle:handle-lid-switch", "--who=cliffmark", "--why=a drive is measured"])
            .args(["--mode=block", "cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to our process group; the lock is held until what is in flight has come back.
            .process_group(0)
            .spawn();
        let child = child.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("there is no {program} here"),
            _ => format!("{program} cannot be started: {error}"),
        })?;
        let mut lock = Self { child };
        // What comes back from `cat` shows that the lock is held: it is started only then.
        match lock.answers() {
            Ok(true) => Ok(lock),
            Ok(false) => Err(lock.complaint(program)),
            Err(error) => Err(format!("{program} does not answer: {error}")),
        }
    }

    fn answers(&mut self) -> io::Result<bool> {
        let (Some(stdin), Some(stdout)) = (&mut self.child.stdin, &mut self.child.stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        // It may have ended already; then nothing comes back, which is looked at below.
        if stdin.write_all(b"held\n").and_then(|()| stdin.flush()).is_err() {
            return Ok(false);
        }
        let patience = Timespec { tv_sec: PATIENCE_S, tv_nsec: 0 };
        let ready = loop {
            match poll(&mut [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN)], Some(&patience)) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other?,
            }
        };
        if ready == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut answer = [0; 5];
        Ok(stdout.read_exact(&mut answer).is_ok() && &answer == b"held\n")
    }

    /// What the program said before it ended.
    fn complaint(mut self, program: &str) -> String {
        let mut text = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            // What cannot be read is not known; the lock is missing either way.
            let _ = stderr.take(1000).read_to_string(&mut text);
        }
        let said = crate::sysfs::plain(&text, 200);
        said.unwrap_or_else(|| format!("{program} ended without a reason"))
    }
}

impl Drop for AwakeLock {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A program that does not end with its input is ended; it is ours and holds nothing but the lock.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    fn program(directory: &tempfile::TempDir, text: &str) -> String {
        let path = directory.path().join("inhibit");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_lock_is_held_as_long_as_the_value_lives() {
        let directory = tempfile::tempdir().unwrap();
        // Stands in for the real one: starts the program behind its options.
        let text = "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\n\"$1\"\n";
        let lock = AwakeLock::take_with(&program(&directory, text)).unwrap();
        let process = std::path::PathBuf::from(format!("/proc/{}", lock.child.id()));
        assert!(process.exists());
        drop(lock);
        assert!(!process.exists(), "nothing is left running");
    }

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_login_manager() {
        let directory = tempfile::tempdir().unwrap();
        let text = "#!/bin/sh\necho 'Failed to inhibit: Access denied' >&2\nexit 1\n";
        let why = AwakeLock::take_with(&program(&directory, text)).unwrap_err();
        assert_eq!(why, "Failed to inhibit: Access denied");
        let why = AwakeLock::take_with("/nonexistent/inhibit").unwrap_err();
        assert_eq!(why, "there is no /nonexistent/inhibit here");
    }
}
