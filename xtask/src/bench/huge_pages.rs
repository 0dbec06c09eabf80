//! Pages of 2 MiB, reserved for as long as a benchmark runs.
//!
//! Knows: the kernel's count of reserved pages, and how it was before.
//! Does not know: who uses them.

use std::fs;
use std::path::{Path, PathBuf};

const COUNT: &str = "/proc/sys/vm/nr_hugepages";
/// Pages that fio's buffers take, with room for what ours take of them.
const WANTED: u64 = 64;

/// A reservation; what was changed is changed back in the end.
pub(super) struct HugePages {
    count: PathBuf,
    /// The count before; `None` when it was not changed.
    before: Option<u64>,
    enough: bool,
}

impl HugePages {
    /// Reserves pages where this user may, and where there are too few.
    pub(super) fn reserve() -> Self {
        Self::reserve_in(Path::new(COUNT))
    }

    fn reserve_in(count: &Path) -> Self {
        let mut own = Self { count: count.to_owned(), before: None, enough: false };
        let Some(before) = own.read() else { return own };
        if before < WANTED && fs::write(count, WANTED.to_string()).is_ok() {
            own.before = Some(before);
        }
        // The kernel reserves as many as it finds together, which may be fewer.
        own.enough = own.read().is_some_and(|pages| pages >= WANTED);
        own
    }

    /// Whether there are enough for fio's buffers.
    pub(super) fn enough(&self) -> bool {
        self.enough
    }

    fn read(&self) -> Option<u64> {
        fs::read_to_string(&self.count).ok()?.trim().parse().ok()
    }
}

impl Drop for HugePages {
    fn drop(&mut self) {
        if let Some(before) = self.before
            && let Err(error) = fs::write(&self.count, before.to_string())
        {
            eprintln!("warning: {} stays at {WANTED} instead of {before}: {error}", self.count.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_as_it_was_before() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("nr_hugepages");
        for (before, during) in [("3\n", "64"), ("100\n", "100\n")] {
            fs::write(&count, before).unwrap();
            let pages = HugePages::reserve_in(&count);
            assert!(pages.enough());
            assert_eq!(fs::read_to_string(&count).unwrap(), during);
            drop(pages);
            assert_eq!(fs::read_to_string(&count).unwrap().trim(), before.trim());
        }
        assert!(!HugePages::reserve_in(&folder.path().join("none")).enough());
    }
}
