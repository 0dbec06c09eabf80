//! The directory for what must outlive a run that died: journals of runs and of files.
//!
//! Knows the place and the form of names in it; not what the files hold.

use crate::hint::Failure;
use etcetera::BaseStrategy as _;
use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

/// `$XDG_STATE_HOME/cliffmark`, or a test's directory.
#[derive(Debug, Clone)]
pub struct StateDir(PathBuf);

impl StateDir {
    /// The user's directory; it need not exist.
    ///
    /// # Errors
    /// When there is no home directory.
    pub fn of_user() -> Result<Self, Failure> {
        let base = etcetera::choose_base_strategy().map_err(|error| {
            Failure::failed("cannot tell where journals of runs belong")
                .because(error)
                .hint("set HOME, or XDG_STATE_HOME to a directory of your own")
        })?;
        let place = base.state_dir().unwrap_or_else(|| base.data_dir());
        Ok(Self(place.join("cliffmark")))
    }

    /// A directory of choice, for tests.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the directory, for its owner only, when it is not there.
    pub(crate) fn make(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)
    }

    /// The files named `PREFIX<id>SUFFIX`, with their ids, sorted by id; none when there is no directory.
    pub(crate) fn files(&self, prefix: &str, suffix: &str) -> io::Result<Vec<(String, PathBuf)>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
            if let Some(id) = id.filter(|id| is_id(id)) {
                found.push((id.to_owned(), entry.path()));
            }
        }
        found.sort();
        Ok(found)
    }
}

/// A new id: 8 hexadecimal digits.
pub(crate) fn new_id() -> io::Result<String> {
    let number = getrandom::u32().map_err(|_| io::Error::other("the system gives no random numbers"))?;
    Ok(format!("{number:08x}"))
}

/// Whether a text can be an id.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_right_form_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::at(directory.path().join("deep/state"));
        assert!(state.files("a-", ".x").unwrap().is_empty());
        state.make().unwrap();
        state.make().unwrap();
        for name in ["a-00000002.x", "a-00000001.x", "a-0000001.x", "a-../../../x", "b-00000001.x"] {
            let _ = fs::write(state.path().join(name), "");
        }
        let ids: Vec<String> = state.files("a-", ".x").unwrap().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["00000001", "00000002"]);
        assert!(is_id(&new_id().unwrap()));
    }
}
