//! A small `/sys` and `/proc` in a temporary directory, for tests.

use crate::sysfs::SysRoot;
use std::{fs, os::unix::fs::symlink, path::Path};

pub(crate) struct FakeSys(tempfile::TempDir);

impl FakeSys {
    pub(crate) fn new() -> Self {
        let sys = Self(tempfile::tempdir().unwrap());
        for directory in ["sys/block", "sys/dev/block", "sys/devices", "proc/self"] {
            fs::create_dir_all(sys.0.path().join(directory)).unwrap();
        }
        sys
    }

    pub(crate) fn root(&self) -> SysRoot {
        SysRoot::at(self.0.path().to_owned())
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A whole disk at a place below `sys/devices`; yields its directory.
    pub(crate) fn disk(&self, place: &str, number: &str, sectors: u64) -> String {
        let directory = format!("sys/devices/{place}");
        let name = Path::new(place).file_name().unwrap().to_str().unwrap();
        self.block(&directory, number, sectors);
        symlink(self.0.path().join(&directory), self.0.path().join("sys/block").join(name)).unwrap();
        directory
    }

    pub(crate) fn partition(&self, disk: &str, name: &str, number: &str, sectors: u64) -> String {
        let directory = format!("{disk}/{name}");
        self.block(&directory, number, sectors);
        self.write(&format!("{directory}/partition"), "1\n");
        directory
    }

    /// Speed and width of a PCI device's link, at most and now; `place` lies below `sys/devices`.
    pub(crate) fn link(&self, place: &str, max_speed: &str, max_lanes: u8, speed: &str, lanes: u8) {
        for (which, speed, lanes) in [("max", max_speed, max_lanes), ("current", speed, lanes)] {
            self.write(&format!("sys/devices/{place}/{which}_link_speed"), &format!("{speed}\n"));
            self.write(&format!("sys/devices/{place}/{which}_link_width"), &format!("{lanes}\n"));
        }
    }

    /// A link at `at` to `to`, both in the tree.
    pub(crate) fn symlink(&self, to: &str, at: &str) {
        let at = self.0.path().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(self.0.path().join(to), at).unwrap();
    }

    /// A device that software makes of others.
    pub(crate) fn virtual_disk(&self, name: &str, number: &str, below: &[&str]) -> String {
        let directory = self.disk(&format!("virtual/block/{name}"), number, 800);
        for lower in below {
            let lower_name = Path::new(lower).file_name().unwrap();
            let slaves = self.0.path().join(&directory).join("slaves");
            let holders = self.0.path().join(lower).join("holders");
            fs::create_dir_all(&slaves).unwrap();
            fs::create_dir_all(&holders).unwrap();
            symlink(self.0.path().join(lower), slaves.join(lower_name)).unwrap();
            symlink(self.0.path().join(&directory), holders.join(name)).unwrap();
        }
        directory
    }

    pub(crate) fn mapped(&self, name: &str, number: &str, uuid: &str, below: &[&str]) -> String {
        let directory = self.virtual_disk(name, number, below);
        self.write(&format!("{directory}/dm/uuid"), &format!("{uuid}\n"));
        directory
    }

    fn block(&self, directory: &str, number: &str, sectors: u64) {
        self.write(&format!("{directory}/dev"), &format!("{number}\n"));
        self.write(&format!("{directory}/size"), &format!("{sectors}\n"));
        symlink(self.0.path().join(directory), self.0.path().join("sys/dev/block").join(number)).unwrap();
    }
}
