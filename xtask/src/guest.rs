//! The parts that the tests on drives are made of: an emulator, a kernel with its drivers, a static shell, and
//! the programs that make faults on this machine.
//!
//! Knows: where they come from and where they are kept (`target/vm/`).
//! Does not know: what the tests do with them. Where something cannot be had the reason is handed to the tests,
//! which are then skipped and say so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::files;
use crate::prepare::{self, Need};
use crate::process;
use crate::workspace;

/// The package that depends on the newest kernel.
const NEWEST_KERNEL: &str = "linux-image-amd64";
/// What of a kernel's package is kept: the kernel, and the folders with the drivers of the tests and all that
/// those depend on.
const OF_KERNEL: [&str; 8] = [
    "./boot/vmlinuz-*",
    "./lib/modules/*/kernel/block/*",
    "./lib/modules/*/kernel/crypto/*",
    "./lib/modules/*/kernel/drivers/nvme/host/*",
    "./lib/modules/*/kernel/fs/ext4/*",
    "./lib/modules/*/kernel/fs/jbd2/*",
    "./lib/modules/*/kernel/fs/mbcache.ko*",
    "./lib/modules/*/kernel/lib/*",
];

const EMULATOR: Need = Need {
    present: || process::on_path("qemu-system-x86_64") && on_path_or_sbin("mkfs.ext4"),
    packages: &["qemu-system-x86", "seabios", "e2fsprogs"],
    why: "test on emulated NVMe drives",
};

/// File systems, loop devices and drives that fail on purpose.
const FAULTS: Need = Need {
    present: || {
        ["qemu-storage-daemon", "mkfs.ext4", "losetup", "mount", "setpriv", "prlimit"]
            .iter()
            .all(|name| on_path_or_sbin(name))
    },
    packages: &["qemu-system-common", "e2fsprogs", "util-linux", "mount"],
    why: "test on drives that fail",
};

/// Environment of the tests: a folder or the reason why there is none, under one of two names.
pub(crate) fn environment() -> (&'static str, String) {
    match machine() {
        Ok(folder) => ("CLIFFMARK_VM", folder.display().to_string()),
        Err(error) => {
            let reason = format!("{error:#}").replace('\n', " ");
            eprintln!("warning: the tests on emulated drives are skipped: {reason}");
            ("CLIFFMARK_VM_MISSING", reason)
        }
    }
}

/// Brings everything here that can be had, so that [`environment`] only has to look.
pub(crate) fn prepare() {
    if let Err(error) = prepare::ensure(&[FAULTS]) {
        // The tests look for each program themselves and tell which one they miss.
        eprintln!("warning: {error:#}");
    }
    let _ = environment();
}

/// The folder with `vmlinuz`, `modules/` and `busybox`.
///
/// # Errors
/// A part cannot be had on this system.
fn machine() -> Result<PathBuf> {
    ensure!(
        cfg!(target_arch = "x86_64"),
        "the guest is an x86-64 machine, and runs the program that is built here"
    );
    prepare::ensure(&[EMULATOR])?;
    let folder = workspace::target().join("vm");
    let (kernel, shell) = (folder.join("kernel"), folder.join("shell"));
    if !kernel.is_dir() || !shell.is_dir() {
        ensure!(
            process::on_path("apt-get"),
            "this system has no apt-get to download a kernel for the guest with"
        );
        prepare::renew_lists();
    }
    if !kernel.is_dir() {
        fetch(&kernel_package()?, &OF_KERNEL, &kernel)?;
    }
    if !shell.is_dir() {
        fetch("busybox-static", &["./bin/busybox"], &shell)?;
    }
    Ok(folder)
}

/// Name of the package of the newest kernel: the one above only depends on it.
fn kernel_package() -> Result<String> {
    let told = process::output_of(Command::new("apt-cache").args(["depends", NEWEST_KERNEL]))
        .context("which kernel Debian has cannot be told")?;
    told.lines().find_map(|line| line.trim().strip_prefix("Depends: ")).map(str::to_owned).with_context(
        || format!("{NEWEST_KERNEL} depends on no kernel; renew the lists with `apt-get update`"),
    )
}

/// Downloads a Debian package without installing it and keeps `wanted` of it below `place`, which appears whole
/// or not at all.
fn fetch(package: &str, wanted: &[&str], place: &Path) -> Result<()> {
    let parent = place.parent().context("a place in a folder")?;
    files::make_folder(parent)?;
    let scratch = tempfile::tempdir_in(parent).context("cannot make a folder for a download")?;
    let mut download = Command::new("apt-get");
    download.args(["download", package]).current_dir(scratch.path());
    process::run(&mut download).with_context(|| format!("{package} cannot be downloaded"))?;
    let archives = files::walk(scratch.path(), &[])?;
    let [archive] = archives.as_slice() else { bail!("apt-get left {} files of {package}", archives.len()) };
    let tree = scratch.path().join("tree");
    files::make_folder(&tree)?;
    extract(archive, wanted, &tree)?;
    std::fs::rename(&tree, place).with_context(|| format!("cannot put {package} into place"))
}

fn extract(archive: &Path, wanted: &[&str], into: &Path) -> Result<()> {
    let mut unpack = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(archive)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start dpkg-deb")?;
    let tape = unpack.stdout.take().context("dpkg-deb's output is piped")?;
    let kept = Command::new("tar")
        .args(["--extract", "--no-same-owner", "--wildcards", "--directory"])
        .arg(into)
        .args(wanted)
        .stdin(tape)
        .status()
        .context("cannot start tar")?;
    let unpacked = unpack.wait().context("cannot wait for dpkg-deb")?;
    // tar tells by its status when something wanted is not in the package.
    process::succeeded(kept, "tar --extract")?;
    process::succeeded(unpacked, "dpkg-deb --fsys-tarfile")
}

/// Programs for administrators lie where a plain user's PATH often does not lead.
fn on_path_or_sbin(name: &str) -> bool {
    process::on_path(name)
        || ["/usr/sbin", "/sbin"].iter().any(|folder| Path::new(folder).join(name).is_file())
}
