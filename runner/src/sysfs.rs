//! Reads `/sys` and `/proc` below a root path, so that tests can hand in a tree of their own.
//!
//! Knows how values are written there and why they can be missing; does not know what they mean.

use crate::counters::DeviceNumber;
use model::{
    labels::is_plain_text,
    reading::{Absent, Reading},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The place below which `sys` and `proc` lie: `/`, or a test's directory.
#[derive(Debug, Clone)]
pub struct SysRoot(PathBuf);

impl Default for SysRoot {
    fn default() -> Self {
        Self(PathBuf::from("/"))
    }
}

impl SysRoot {
    /// A tree elsewhere.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// A path in the tree, given without the leading slash: `sys/block`.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.0.join(relative)
    }

    /// The directory of a block device or partition, with every link resolved; `None` when the kernel
    /// knows no such device.
    #[must_use]
    pub fn device(&self, number: DeviceNumber) -> Option<PathBuf> {
        fs::canonicalize(self.path(&format!("sys/dev/block/{number}"))).ok()
    }

    /// The names of all whole block devices, sorted.
    ///
    /// # Errors
    /// When `/sys/block` cannot be listed.
    pub fn block_devices(&self) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = fs::read_dir(self.path("sys/block"))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }
}

/// The names in a directory, sorted; none when it cannot be listed.
#[must_use]
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// A file's text without the surrounding space.
#[must_use]
pub fn text(path: &Path) -> Reading<String> {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).trim().to_owned();
            Reading::from_option(Some(text).filter(|text| !text.is_empty()), Absent::NotReported)
        }
        Err(error) => Reading::Absent(reason(&error)),
    }
}

/// A file's text as it may stand in a document: printable, spaces joined, at most `max_chars` long.
#[must_use]
pub fn words(path: &Path, max_chars: usize) -> Reading<String> {
    match text(path) {
        Reading::Known(text) => Reading::from_option(plain(&text, max_chars), Absent::NotReported),
        absent => absent,
    }
}

/// A text with joined spaces and nothing unprintable, cut to `max_chars`; `None` when nothing is left.
#[must_use]
pub fn plain(text: &str, max_chars: usize) -> Option<String> {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = crate::hint::printable(&joined, max_chars);
    let clean = clean.trim();
    is_plain_text(clean, max_chars).then(|| clean.to_owned())
}

/// A number in a file.
#[must_use]
pub fn number<T: FromStr>(path: &Path) -> Reading<T> {
    match text(path) {
        Reading::Known(text) => Reading::from_option(text.parse().ok(), Absent::NotReported),
        Reading::Absent(reason) => Reading::Absent(reason),
    }
}

/// A flag in a file, `0` or `1`.
#[must_use]
pub fn flag(path: &Path) -> Reading<bool> {
    match number::<u8>(path) {
        Reading::Known(value) => Reading::Known(value != 0),
        Reading::Absent(reason) => Reading::Absent(reason),
    }
}

/// The reason for which a value is missing.
fn reason(error: &io::Error) -> Absent {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Absent::NotPermitted,
        _ => Absent::NotReported,
    }
}

/// `major:minor` as sysfs writes it.
#[must_use]
pub fn parse_device_number(text: &str) -> Option<DeviceNumber> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_empty_values_have_a_reason() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("zero"), "0\n").unwrap();
        fs::write(path("blank"), "  \n").unwrap();
        fs::write(path("odd"), "WD\u{1b}[2J  Blue\u{0}\n").unwrap();
        assert_eq!(number::<u64>(&path("zero")), Reading::Known(0));
        assert_eq!(number::<u64>(&path("blank")), Reading::Absent(Absent::NotReported));
        assert_eq!(number::<u64>(&path("odd")), Reading::Absent(Absent::NotReported));
        assert_eq!(number::<u64>(&path("none")), Reading::Absent(Absent::NotReported));
        assert_eq!(words(&path("odd"), 40), Reading::Known("WD[2J Blue".to_owned()));
        assert_eq!(words(&path("odd"), 2), Reading::Known("WD".to_owned()));
    }
}
