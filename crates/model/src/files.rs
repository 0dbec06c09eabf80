//! Workloads on many files: copies of a set of files, and reading a folder cold.
//!
//! Part of the result document ([`crate::document`]): WIRE FORMAT, unknown fields are refused. Knows what must be equal
//! before two such passes may be compared, and what was counted by sizes of files. No name of a file has a place here.

use crate::units::{format_size, parse_size, size_token};
use serde::{Deserialize, Serialize};

/// What files are rounded up to a multiple of, bytes: direct I/O moves whole blocks. The same on every drive, so that
/// every drive moves the same bytes.
pub const FILE_UNIT_BYTES: u64 = 4096;
/// What manifests of someone's own folder begin with; the fingerprint of its sizes follows.
pub const OWN_FOLDER: &str = "own-";
/// The pack of the models of loading.
pub const LOADING_PACK: &str = "loading";
/// Most files of a pass.
pub const MAX_FILES: u32 = 1_000_000;
/// Classes of files: each holds those that are smaller than this, bytes, and no smaller than the one before; the last
/// class holds all others.
pub const CLASS_BOUNDS: [u64; 3] = [64 << 10, 1 << 20, 16 << 20];

/// What is done with the files of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CopyStep {
    /// They are written from memory to the drive.
    Write,
    /// They are read from the drive and written to it again.
    Duplicate,
    /// They are read from the drive and go nowhere.
    ReadOut,
}

impl CopyStep {
    /// All steps in their order.
    pub const ALL: [Self; 3] = [Self::Write, Self::Duplicate, Self::ReadOut];

    /// The word in identifiers and settings, `read-out`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Duplicate => "duplicate",
            Self::ReadOut => "read-out",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Write => "to the drive",
            Self::Duplicate => "on the drive",
            Self::ReadOut => "from the drive",
        }
    }

    /// Whether it reads from the drive.
    #[must_use]
    pub fn reads(self) -> bool {
        self != Self::Write
    }

    /// Whether it writes to the drive.
    #[must_use]
    pub fn writes(self) -> bool {
        self != Self::ReadOut
    }
}

/// A step of a copy: files one after the other, large requests in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Copying {
    /// The list of sizes, 1 to 40 of a-z, 0-9, `-` and `.`; of someone's own folder [`OWN_FOLDER`] and the fingerprint
    /// of its sizes, because what it is called is nobody's business.
    pub manifest: String,
    /// Version of the list: another one has other sizes.
    pub version: u32,
    /// Percent of the list's bytes that are copied, its first files: 1 to 100.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub scale_percent: u32,
    /// Number of files; 1 to 1,000,000.
    pub files: u32,
    /// What is done with them.
    pub step: CopyStep,
    /// Bytes of a request, a multiple of 4 KiB up to 64 MiB; the last one of a file may be smaller.
    pub block_bytes: u32,
    /// Requests of a file in flight; 1 to 256. The next file begins when they are complete.
    pub queue_depth: u32,
}

fn whole() -> u32 {
    100
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_whole(percent: &u32) -> bool {
    *percent == whole()
}

impl Copying {
    pub(crate) fn in_range(&self) -> bool {
        (1..=40).contains(&self.manifest.len())
            && self
                .manifest
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
            && (1..=1_000_000).contains(&self.version)
            && (1..=100).contains(&self.scale_percent)
            && (1..=MAX_FILES).contains(&self.files)
            && is_block(self.block_bytes)
            && (1..=256).contains(&self.queue_depth)
    }

    /// The list's name for people: `game-54`, `jpeg-2.37 at 1 %`, `folder 1a2b3c4d`.
    #[must_use]
    pub fn title(&self) -> String {
        let name = match self.manifest.strip_prefix(OWN_FOLDER) {
            Some(fingerprint) => format!("folder {}", fingerprint.get(..8).unwrap_or(fingerprint)),
            None => self.manifest.clone(),
        };
        if self.scale_percent == 100 { name } else { format!("{name} at {} %", self.scale_percent) }
    }

    /// How it is done, for a list of conditions.
    #[must_use]
    pub fn conditions(&self) -> String {
        format!(
            "one file after the other, direct I/O in blocks of {}, queue depth {}, random data, sizes rounded up to {}",
            format_size(self.block_bytes.into()),
            self.queue_depth,
            format_size(FILE_UNIT_BYTES)
        )
    }

    /// Everything but what all passes have, `jpeg-2_37-1.scale1.3files.write.1MiB-q8`. A point separates.
    pub(crate) fn token(&self) -> String {
        let scale =
            if self.scale_percent == 100 { String::new() } else { format!(".scale{}", self.scale_percent) };
        format!(
            "{}-{}{scale}.{}files.{}.{}-q{}",
            self.manifest.replace('.', "_"),
            self.version,
            self.files,
            self.step.token(),
            size_token(self.block_bytes.into()),
            self.queue_depth
        )
    }

    pub(crate) fn parse<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let (manifest, version) = parts.next()?.rsplit_once('-')?;
        let mut part = parts.next()?;
        let mut scale_percent = whole();
        if let Some(percent) = part.strip_prefix("scale") {
            scale_percent = percent.parse().ok()?;
            part = parts.next()?;
        }
        let files = part.strip_suffix("files")?.parse().ok()?;
        let step = parts.next()?;
        let (block, depth) = parts.next()?.split_once("-q")?;
        Some(Self {
            manifest: manifest.replace('_', "."),
            version: version.parse().ok()?,
            scale_percent,
            files,
            step: CopyStep::ALL.into_iter().find(|one| one.token() == step)?,
            block_bytes: parse_size(block).ok()?.try_into().ok()?,
            queue_depth: depth.parse().ok()?,
        })
    }
}

/// The files of someone's own folder, read cold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Loading {
    /// The fingerprint of its sizes in the order of their paths, after [`OWN_FOLDER`].
    pub folder: String,
    /// Number of files; 1 to 1,000,000.
    pub files: u32,
    /// Seed of the order in which they are read; `None` for the order of their paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u32>,
    /// Files that are read at a time, each with one request in flight; 1 to 16.
    pub parallel: u32,
    /// Bytes of a request, a multiple of 4 KiB up to 64 MiB; the last one of a file may be smaller.
    pub block_bytes: u32,
}

impl Loading {
    pub(crate) fn in_range(&self) -> bool {
        let fingerprint = self.folder.strip_prefix(OWN_FOLDER).unwrap_or_default();
        fingerprint.len() == 16
            && fingerprint.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && (1..=MAX_FILES).contains(&self.files)
            && (1..=16).contains(&self.parallel)
            && is_block(self.block_bytes)
    }

    /// Its name for people, `folder 1a2b3c4d`.
    #[must_use]
    pub fn title(&self) -> String {
        let fingerprint = self.folder.strip_prefix(OWN_FOLDER).unwrap_or(&self.folder);
        format!("folder {}", fingerprint.get(..8).unwrap_or(fingerprint))
    }

    /// How it is done, for a list of conditions.
    #[must_use]
    pub fn conditions(&self) -> String {
        let order = match self.shuffle {
            None => "in the order of their paths".to_owned(),
            Some(seed) => format!("shuffled by seed {seed}"),
        };
        format!(
            "{order}, {} at a time, direct I/O in blocks of {}",
            self.parallel,
            format_size(self.block_bytes.into())
        )
    }

    /// Everything but what all passes have, `own-1a2b3c4d5e6f7081.120files.sorted.p4.1MiB`.
    pub(crate) fn token(&self) -> String {
        let order = self.shuffle.map_or_else(|| "sorted".to_owned(), |seed| format!("shuffled{seed}"));
        format!(
            "{}.{}files.{order}.p{}.{}",
            self.folder,
            self.files,
            self.parallel,
            size_token(self.block_bytes.into())
        )
    }

    pub(crate) fn parse<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let folder = parts.next()?.to_owned();
        let files = parts.next()?.strip_suffix("files")?.parse().ok()?;
        let shuffle = match parts.next()? {
            "sorted" => None,
            other => Some(other.strip_prefix("shuffled")?.parse().ok()?),
        };
        let parallel = parts.next()?.strip_prefix('p')?.parse().ok()?;
        let block_bytes = parse_size(parts.next()?).ok()?.try_into().ok()?;
        Some(Self { folder, files, shuffle, parallel, block_bytes })
    }
}

fn is_block(bytes: u32) -> bool {
    (4096..=64 << 20).contains(&bytes) && u64::from(bytes).is_multiple_of(FILE_UNIT_BYTES)
}

/// What came of the files of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FilesMoved {
    /// Files that were read through the page cache, because their file system allows no direct I/O: the cache was asked
    /// to forget them first, and nothing proves that it did.
    #[serde(default, skip_serializing_if = "is_none")]
    pub buffered: u32,
    /// Files by their size, in the order of [`CLASS_BOUNDS`]; classes without files are left out.
    pub classes: Vec<FileClass>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Files of one class of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FileClass {
    /// They are smaller than this, bytes; `None` for the class of the largest.
    pub below_bytes: Option<u64>,
    /// How many.
    pub files: u32,
    /// Their sizes together, not rounded up, bytes.
    pub bytes: u64,
    /// Their times together, each from its opening to its last byte, nanoseconds: with several at a time more than the
    /// pass lasted.
    pub time_ns: u64,
}

impl FileClass {
    /// Which of [`CLASS_BOUNDS`] a file of so many bytes belongs to; its length for the largest.
    #[must_use]
    pub fn place(bytes: u64) -> usize {
        CLASS_BOUNDS.iter().position(|bound| bytes < *bound).unwrap_or(CLASS_BOUNDS.len())
    }

    /// The class without files at a place.
    #[must_use]
    pub fn empty(place: usize) -> Self {
        Self { below_bytes: CLASS_BOUNDS.get(place).copied(), files: 0, bytes: 0, time_ns: 0 }
    }

    /// Its sizes for people: `below 64 KiB`, `64 KiB to 1 MiB`, `16 MiB and more`.
    #[must_use]
    pub fn label(&self) -> String {
        let place = CLASS_BOUNDS.iter().position(|bound| Some(*bound) == self.below_bytes);
        match (place, self.below_bytes) {
            (Some(0), Some(below)) => format!("below {}", format_size(below)),
            (Some(place), Some(below)) => {
                format!("{} to {}", format_size(CLASS_BOUNDS[place - 1]), format_size(below))
            }
            (_, Some(below)) => format!("below {}", format_size(below)),
            (_, None) => format!("{} and more", format_size(CLASS_BOUNDS[CLASS_BOUNDS.len() - 1])),
        }
    }
}

impl FilesMoved {
    /// What is wrong with it, as field and rule; `None` when nothing is.
    pub(crate) fn problem(&self, files: u32) -> Option<(&'static str, &'static str)> {
        let bounds: Vec<Option<u64>> = self.classes.iter().map(|class| class.below_bytes).collect();
        let all: Vec<Option<u64>> = CLASS_BOUNDS.iter().copied().map(Some).chain([None]).collect();
        let mut rest = all.iter();
        if !bounds.iter().all(|bound| rest.any(|known| known == bound)) {
            return Some(("files.classes", "the known classes, each once and in their order"));
        }
        let counted = self.classes.iter().fold(0_u32, |sum, class| sum.saturating_add(class.files));
        if self.classes.iter().any(|class| class.files == 0) || counted > files || self.buffered > files {
            return Some(("files.classes", "no more files than the method has, and no empty class"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_class_of_their_size() {
        for (bytes, label) in [
            (0, "below 64 KiB"),
            ((64 << 10) - 1, "below 64 KiB"),
            (64 << 10, "64 KiB to 1 MiB"),
            (1 << 20, "1 MiB to 16 MiB"),
            (16 << 20, "16 MiB and more"),
        ] {
            assert_eq!(FileClass::empty(FileClass::place(bytes)).label(), label, "{bytes}");
        }
    }

    #[test]
    fn classes_are_known_in_order_and_never_empty() {
        let class = |place: usize, files: u32| FileClass { files, ..FileClass::empty(place) };
        let of = |classes: Vec<FileClass>| FilesMoved { buffered: 0, classes }.problem(5);
        assert_eq!(of(vec![]), None);
        assert_eq!(of(vec![class(0, 2), class(3, 3)]), None);
        assert!(of(vec![class(3, 1), class(0, 1)]).is_some(), "another order");
        assert!(of(vec![class(1, 1), class(1, 1)]).is_some(), "twice");
        assert!(of(vec![class(1, 0)]).is_some(), "empty");
        assert!(of(vec![class(1, 6)]).is_some(), "more than there are");
        assert!(of(vec![FileClass { below_bytes: Some(5), ..class(0, 1) }]).is_some(), "an unknown bound");
    }
}
