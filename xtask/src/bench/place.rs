//! The files that are measured, made before and removed after.
//!
//! Knows: a file written in full, and a file that is one hole.
//! Does not know: who reads them.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result};

use super::statistics::Random;
use crate::process::{self, Exit};
use crate::workspace;

/// What kind of file is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Never written: the kernel answers direct reads with zeros, inline, so only software costs time.
    Hole,
    /// Written in full with incompressible data.
    File,
}

impl Kind {
    /// Bytes of such a file.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Hole => 64 << 30,
            Self::File => 1 << 30,
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "hole" => Ok(Self::Hole),
            "file" => Ok(Self::File),
            other => Err(format!("`{other}` is not a target: write hole or file")),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hole => "hole",
            Self::File => "file",
        })
    }
}

/// Such a file; it is removed in the end.
pub(super) struct Place {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What it is.
    pub(super) kind: Kind,
}

impl Place {
    /// Makes it in `folder`.
    ///
    /// # Errors
    /// It cannot be written, or the user ends it.
    pub(super) fn create(folder: &Path, kind: Kind) -> Result<Self> {
        let own = Self { path: folder.join(format!("{kind}.dat")), kind };
        eprintln!("making {} ({} GiB)", workspace::relative(&own.path), kind.bytes() >> 30);
        own.fill().with_context(|| format!("cannot write {}", own.path.display()))?;
        Ok(own)
    }

    fn fill(&self) -> Result<()> {
        let mut file = File::create(&self.path)?;
        if self.kind == Kind::Hole {
            return Ok(file.set_len(self.kind.bytes())?);
        }
        let mut random = Random(0x00c0_ffee);
        let mut chunk = vec![0; 1 << 20];
        for _ in 0..self.kind.bytes() / chunk.len() as u64 {
            if process::interrupted() {
                return Err(Exit::error(130, "interrupted"));
            }
            for word in chunk.chunks_exact_mut(8) {
                word.copy_from_slice(&random.next().to_le_bytes());
            }
            file.write_all(&chunk)?;
        }
        Ok(file.sync_all()?)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            eprintln!("warning: {} is left behind: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_has_a_size_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::create(folder.path(), "hole".parse().unwrap()).unwrap();
        let path = place.path.clone();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), Kind::Hole.bytes());
        drop(place);
        assert!(!path.exists());
        assert!("ram".parse::<Kind>().is_err());
    }
}
