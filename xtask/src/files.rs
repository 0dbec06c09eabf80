//! Reading folders and writing files whole.
//!
//! Knows: walking in a fixed order, hashing, replacing a file only when it differs.
//! Does not know: what is in the files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

/// Every file below `folder`, sorted by path; none when the folder does not exist.
///
/// Hidden folders and folders named in `skip` are left out.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn walk(folder: &Path, skip: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind =
                entry.file_type().with_context(|| format!("cannot read {}", entry.path().display()))?;
            if kind.is_dir() {
                if !name.starts_with('.') && !skip.contains(&name.as_ref()) {
                    open.push(entry.path());
                }
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of a file, with its name in the error.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of a file, with its name in the error.
///
/// # Errors
/// The file cannot be read or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file, its name in the error.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a folder and those above it.
///
/// # Errors
/// The folder cannot be made.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Removes a folder with all that is in it; a missing one is fine.
///
/// # Errors
/// The folder exists and cannot be removed.
pub(crate) fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// SHA-256 as 64 lower-case hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc_is_the_published_one() {
        // Source: FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), expected);
    }

    #[test]
    fn a_walk_is_sorted_and_leaves_out_what_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/two", "a/one", "target/x", ".git/y"] {
            let path = folder.path().join(name);
            make_folder(path.parent().unwrap()).unwrap();
            write(&path, name).unwrap();
        }
        let names: Vec<_> = walk(folder.path(), &["target"])
            .unwrap()
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a/one", "b/two"]);
        assert!(walk(&folder.path().join("absent"), &[]).unwrap().is_empty());
    }
}
