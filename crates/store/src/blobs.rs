//! The bundles as files, by result id: written whole or not at all. Knows nothing of what is in them.

use model::ResultId;
use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

/// The directory of bundles.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    root: PathBuf,
}

impl Blobs {
    /// Uses `root`, and removes what a killed server left half-written.
    pub(crate) fn open(root: PathBuf) -> io::Result<Self> {
        let unfinished = root.join("unfinished");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        fs::create_dir_all(&unfinished)?;
        Ok(Self { root })
    }

    /// Where the bundle of `id` lies, whether or not it is there.
    pub(crate) fn path(&self, id: ResultId) -> PathBuf {
        let digits = id.to_string();
        self.root.join(&digits[..2]).join(format!("{digits}.{}", bundle::EXTENSION))
    }

    /// Writes a bundle so that after a power failure it is there whole or not at all.
    pub(crate) fn write(&self, id: ResultId, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(id);
        let folder = path.parent().unwrap_or(&self.root);
        if !folder.exists() {
            fs::create_dir(folder)?;
            sync_directory(&self.root)?;
        }
        let unfinished = self.root.join("unfinished").join(id.to_string());
        let mut file = fs::File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&unfinished, &path)?;
        sync_directory(folder)
    }

    pub(crate) fn read(&self, id: ResultId) -> io::Result<Vec<u8>> {
        fs::read(self.path(id))
    }

    pub(crate) fn remove(&self, id: ResultId) -> io::Result<()> {
        fs::remove_file(self.path(id))
    }

    /// Every file that lies where bundles lie.
    pub(crate) fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in fs::read_dir(&self.root)? {
            let folder = folder?.path();
            if folder.is_dir() && !folder.ends_with("unfinished") {
                for file in fs::read_dir(folder)? {
                    files.push(file?.path());
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// A rename is lasting only once its directory is.
fn sync_directory(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}
