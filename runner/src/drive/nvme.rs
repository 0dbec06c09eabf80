//! The controllers behind an NVMe namespace, with native multipath and without.
//!
//! Source: Linux `drivers/nvme/host`: a namespace lies below its controller, or, with multipath, below its
//! subsystem, which has a link to each of its controllers.

use crate::sysfs::{names_in, text};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// sysfs directories of the controllers of a namespace, those that answer first; none for other disks.
#[must_use]
pub fn controllers(disk: &Path) -> Vec<PathBuf> {
    let name = disk.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(parent) = disk.parent().filter(|_| name.starts_with("nvme")) else { return Vec::new() };
    let parent_name = parent.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !parent_name.starts_with("nvme-subsys") {
        return vec![parent.to_owned()];
    }
    let mut found: Vec<PathBuf> = names_in(parent)
        .into_iter()
        .filter(|entry| is_controller(entry))
        .filter_map(|entry| fs::canonicalize(parent.join(entry)).ok())
        .collect();
    // A stable sort: among equals the kernel's numbering decides.
    found.sort_by_key(|controller| {
        text(&controller.join("state")).known().is_none_or(|state| state != "live")
    });
    found
}

/// How the controller is reached, `pcie` or `tcp`; `None` when it is not told.
#[must_use]
pub fn transport(disk: &Path) -> Option<String> {
    controllers(disk).first().and_then(|controller| text(&controller.join("transport")).known().cloned())
}

/// `nvme0`, not `nvme0n1` or `nvme0c0n1`.
fn is_controller(name: &str) -> bool {
    name.strip_prefix("nvme")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_sys::FakeSys;

    #[test]
    fn a_namespace_of_a_subsystem_has_several_controllers() {
        let sys = FakeSys::new();
        let disk = sys.disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0", 1);
        for (controller, place, state) in [
            ("nvme0", "pci0000:00/0000:01:00.0/nvme/nvme0", "connecting"),
            ("nvme1", "pci0000:00/0000:01:00.1/nvme/nvme1", "live"),
        ] {
            sys.write(&format!("sys/devices/{place}/state"), &format!("{state}\n"));
            sys.write(&format!("sys/devices/{place}/transport"), "pcie\n");
            sys.symlink(
                &format!("sys/devices/{place}"),
                &format!("sys/devices/virtual/nvme-subsystem/nvme-subsys0/{controller}"),
            );
        }
        let disk = fs::canonicalize(sys.root().path(&disk)).unwrap();
        let names: Vec<_> =
            controllers(&disk).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["nvme1", "nvme0"]);
        assert_eq!(transport(&disk).as_deref(), Some("pcie"));
    }

    #[test]
    fn other_disks_have_none() {
        assert!(controllers(Path::new("/sys/devices/pci0000:00/ata1/block/sda")).is_empty());
    }
}
