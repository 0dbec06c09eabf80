//! Devices that are made on this machine out of files below `target/`: loop devices, and drives of a storage daemon
//! that are slow, broken or gone on command. Each is taken away again when its value is dropped, by a panic too.
//!
//! Knows how they are made and unmade. Does not know any story.

use crate::{qmp::Qmp, skip::skip};
use serde_json::{Value, json};
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How long a device may stay busy: a killed program's I/Os are taken back a moment after its end.
const BUSY: Duration = Duration::from_secs(20);

/// A folder on the disk in which one story makes its devices.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A folder; `None`, after saying so, where this user cannot make devices or a program is missing.
    pub(crate) fn new(story: &str, programs: &[&str]) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip(story, "root is needed to make and mount devices and to become another user");
            return None;
        }
        Self::for_anyone(story, programs)
    }

    /// The same for stories that need no root.
    pub(crate) fn for_anyone(story: &str, programs: &[&str]) -> Option<Self> {
        if let Some(missing) = programs.iter().find(|name| !is_on_path(name)) {
            skip(story, &format!("there is no program `{missing}`"));
            return None;
        }
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::create_dir_all(target).unwrap();
        Some(Self { folder: tempfile::tempdir_in(target).unwrap() })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A new sparse file in the folder.
    pub(crate) fn image(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.path().join(name);
        File::create_new(&path).unwrap().set_len(bytes).unwrap();
        path
    }

    /// A new sparse file with an empty ext4 in it.
    pub(crate) fn ext4_image(&self, name: &str, bytes: u64, arguments: &[&str]) -> PathBuf {
        let path = self.image(name, bytes);
        make_ext4(&path, arguments);
        path
    }

    /// A new file with some text, and its path as text.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().expect("a path below target is text").to_owned()
    }
}

/// Makes an empty ext4, fully initialised so that the kernel writes nothing by itself later.
pub(crate) fn make_ext4(path: &Path, arguments: &[&str]) {
    let mut command = tool("mkfs.ext4");
    command.args(["-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"]);
    done(command.args(arguments).arg(path));
}

/// A loop device over a file.
pub(crate) struct LoopDevice {
    path: PathBuf,
    /// What its file lies on; taken away after it.
    _below: Option<Box<dyn Send>>,
}

impl LoopDevice {
    /// A loop device with direct I/O and logical blocks of so many bytes.
    pub(crate) fn new(file: &Path, block_bytes: u32) -> Self {
        let block = block_bytes.to_string();
        let mut command = tool("losetup");
        command.args(["--find", "--show", "--direct-io=on", "--sector-size", &block]).arg(file);
        let output = command.stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "losetup: {}", output.status);
        let path = String::from_utf8(output.stdout).unwrap().trim().into();
        Self { path, _below: None }
    }

    /// The same, which keeps what its file lies on.
    pub(crate) fn on(mut self, below: impl Send + 'static) -> Self {
        self._below = Some(Box::new(below));
        self
    }

    /// Mounts the file system in it.
    pub(crate) fn mount(self, point: &Path) -> Mounted {
        std::fs::create_dir(point).unwrap();
        done(tool("mount").args(["-t", "ext4"]).arg(&self.path).arg(point));
        Mounted { point: point.to_owned(), below: Some(self) }
    }

    /// Its number as the kernel's files write it, `7:0`.
    pub(crate) fn number(&self) -> String {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        // While something still uses it the kernel takes it away afterwards.
        report(tool("losetup").arg("--detach").arg(&self.path));
    }
}

/// A mounted file system.
pub(crate) struct Mounted {
    point: PathBuf,
    below: Option<LoopDevice>,
}

impl Mounted {
    /// A file system in memory of so many bytes.
    pub(crate) fn in_memory(point: &Path, bytes: u64) -> Self {
        std::fs::create_dir(point).unwrap();
        let options = format!("size={bytes}");
        done(tool("mount").args(["-t", "tmpfs", "-o", &options, "cliffmark-test"]).arg(point));
        Self { point: point.to_owned(), below: None }
    }

    /// Where it is mounted.
    pub(crate) fn path(&self) -> &Path {
        &self.point
    }

    /// The same as text.
    pub(crate) fn text(&self) -> &str {
        self.point.to_str().expect("a path below target is text")
    }

    /// The device below it.
    pub(crate) fn device(&self) -> &LoopDevice {
        self.below.as_ref().expect("this one lies on a device")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let deadline = Instant::now() + BUSY;
        while Instant::now() < deadline {
            let tried = tool("umount").arg(&self.point).stderr(Stdio::null()).status();
            if tried.is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        report(tool("umount").arg("--lazy").arg(&self.point));
    }
}

/// A storage daemon with one drive, seen here as a file through FUSE.
pub(crate) struct Daemon {
    child: Child,
    mount: PathBuf,
    socket: PathBuf,
}

impl Daemon {
    /// A drive over an image with these faults, without a limit on its speed.
    pub(crate) fn start(bench: &Bench, image: &Path, faults: &[Value]) -> Self {
        let mount = bench.image("export", 0);
        let socket = bench.path().join("daemon");
        let mut node = json!({ "driver": "file", "filename": image, "cache": { "direct": true } });
        if !faults.is_empty() {
            node = json!({ "driver": "blkdebug", "inject-error": faults, "image": node });
        }
        let node =
            json!({ "driver": "throttle", "node-name": "drive", "throttle-group": "limits", "file": node });
        let child = Command::new("qemu-storage-daemon")
            .args(["--object", "throttle-group,id=limits", "--blockdev", &node.to_string()])
            .arg("--export")
            .arg(format!("type=fuse,id=export,node-name=drive,mountpoint={},writable=on", mount.display()))
            .arg("--chardev")
            .arg(format!("socket,id=control,path={},server=on,wait=off", socket.display()))
            .args(["--monitor", "chardev=control"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut daemon = Self { child, mount, socket };
        let deadline = Instant::now() + BUSY;
        // The file becomes as large as the drive when the export is there.
        while std::fs::metadata(&daemon.mount).unwrap().len() == 0 || !daemon.socket.exists() {
            assert!(daemon.child.try_wait().unwrap().is_none(), "the storage daemon has ended");
            assert!(Instant::now() < deadline, "the storage daemon does not export its drive");
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }

    /// The drive as a file.
    pub(crate) fn file(&self) -> &Path {
        &self.mount
    }

    /// What ends the daemon at once, and its drive with it.
    pub(crate) fn killer(&self) -> impl FnOnce() + use<> {
        let pid = rustix::process::Pid::from_child(&self.child);
        // It is reaped when its value is dropped, after this: the id stays its own.
        move || rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap()
    }

    /// Sets the limits of the drive's speed: a bucket of writes that leaks.
    pub(crate) fn limit_writes(&self, per_s: u64, burst_per_s: u64, burst_s: u64) {
        Qmp::connect(&self.socket).execute(&json!({
            "execute": "qom-set",
            "arguments": { "path": "/objects/limits", "property": "limits", "value": {
                "bps-write": per_s, "bps-write-max": burst_per_s, "bps-write-max-length": burst_s,
            }},
        }));
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A killed daemon leaves its mount behind, without anyone who answers.
        report(tool("umount").arg("--lazy").arg(&self.mount));
    }
}

/// An administrator's program: these lie where a plain PATH does not always lead.
fn tool(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env("PATH", path_with_sbin()).stdin(Stdio::null());
    command
}

fn path_with_sbin() -> String {
    format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default())
}

fn is_on_path(name: &str) -> bool {
    std::env::split_paths(&path_with_sbin()).any(|folder| folder.join(name).is_file())
}

fn done(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// Runs what takes something away; a failure is told, for a panic in a drop would hide the first one.
fn report(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        other => println!("{command:?}: {other:?}"),
    }
}
