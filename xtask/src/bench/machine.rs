//! What the figures were taken on.
//!
//! Knows: processor, kernel, file system, load and tool versions, as far as the system tells them.
//! Does not know: names of hosts or users; they are not looked at.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::tools::peak_program;
use crate::files;
use crate::process;
use crate::workspace;

/// Facts as (name, value), in the order in which they are shown.
///
/// # Errors
/// A tool that is measured does not tell its version.
pub(super) fn facts(folder: &Path, huge_pages: bool) -> Result<Vec<(&'static str, String)>> {
    let cores = std::thread::available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    let pages =
        if huge_pages { "reserved" } else { "none: fio on huge pages is left out (see vm.nr_hugepages)" };
    let peak = peak_program().map_or_else(|| "not on the PATH".to_owned(), |_| "on the PATH".to_owned());
    let runner = workspace::program("release", "cliffmark");
    Ok(vec![
        ("Processor", format!("{} ({cores} usable)", processor())),
        ("Kernel", first_line("/proc/sys/kernel/osrelease")),
        ("File system", file_system(folder)?),
        ("Load before", first_line("/proc/loadavg")),
        ("cliffmark", process::output_of(Command::new(runner).arg("--version"))?.trim().to_owned()),
        ("Pages of 2 MiB", pages.to_owned()),
        ("fio", process::output_of(Command::new("fio").arg("--version"))?.trim().to_owned()),
        ("t/io_uring", peak),
    ])
}

fn processor() -> String {
    let text = files::read_text(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name"));
    name.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |name| name.trim_start_matches([' ', '\t', ':']).to_owned(),
    )
}

/// Type and device of the file system under `folder`: the mount with the longest path above it.
fn file_system(folder: &Path) -> Result<String> {
    let folder = folder.canonicalize()?;
    let mounts = files::read_text(Path::new("/proc/self/mounts"))?;
    Ok(mount_above(&mounts, &folder).unwrap_or_else(|| "unknown".to_owned()))
}

fn mount_above(mounts: &str, folder: &Path) -> Option<String> {
    let fields = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        Some((fields.next()?, fields.next()?, fields.next()?))
    });
    let above = fields.filter(|(_, at, _)| folder.starts_with(at));
    let (device, _, kind) = above.max_by_key(|(_, at, _)| at.len())?;
    Some(format!("{kind} on {}", device.rsplit('/').next().unwrap_or(device)))
}

fn first_line(path: &str) -> String {
    let text = files::read_text(Path::new(path)).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_counts() {
        let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/sdb1 /tmp/disk xfs rw 0 0\n";
        assert_eq!(mount_above(mounts, Path::new("/work")).unwrap(), "ext4 on vda");
        assert_eq!(mount_above(mounts, Path::new("/tmp/disk/a")).unwrap(), "xfs on sdb1");
        assert_eq!(mount_above(mounts, Path::new("/tmp/disks")).unwrap(), "tmpfs on tmpfs");
        assert_eq!(mount_above("", Path::new("/")), None);
    }
}
