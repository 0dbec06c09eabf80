//! A cpio archive in memory, as the kernel unpacks it at its start.
//!
//! Source: Linux `Documentation/driver-api/early-userspace/buffer-format.rst`, "newc".

use std::collections::BTreeSet;

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

/// An archive; folders are made as files need them.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    entries: u32,
}

impl Archive {
    /// Adds a file at a path without links, `/bin/sh`; everyone may run it.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) {
        let path = path.trim_start_matches('/');
        for (end, _) in path.match_indices('/') {
            self.folder(&path[..end]);
        }
        self.entry(path, PROGRAM, content);
    }

    /// Adds an empty folder.
    pub(super) fn folder(&mut self, path: &str) {
        let path = path.trim_start_matches('/');
        if self.folders.insert(path.to_owned()) {
            self.entry(path, FOLDER, &[]);
        }
    }

    /// The whole archive. Another one may follow it.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let size = u32::try_from(content.len()).expect("a file of a guest is small");
        let name_size = u32::try_from(name.len() + 1).expect("a name is short");
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
