//! What is copied: directories and sizes of files, without their names.
//!
//! Knows: presets of the shapes that were published (how many files, how many bytes), and how a folder is turned into
//! a list of sizes. Does not know: names and contents of files, or how they are copied.

use crate::random::{Seeded, mix};

/// Most files of a manifest.
pub const MAX_FILES: usize = 1_000_000;
/// Most bytes of a manifest: more than any drive holds.
const MAX_BYTES: u64 = 1 << 60;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// 10^9 bytes.
const GB: u64 = 1_000_000_000;
/// 10^6 bytes.
const MB: u64 = 1_000_000;

/// One file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Which directory it lies in, counted from 0; the files of one directory follow each other.
    pub directory: u32,
    /// Its size, bytes; may be 0.
    pub bytes: u64,
}

/// Files to be copied, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version: the same name and version is the same list. 1 for a folder of one's own.
    pub version: u32,
    /// Its files.
    pub entries: Vec<Entry>,
}

/// Why a folder is no manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// There is nothing to copy.
    #[error("the folder has no files with data: there is nothing to copy")]
    Empty,
    /// There is too much.
    #[error("the folder has more than {MAX_FILES} files or {MAX_BYTES} bytes: take a part of it")]
    TooLarge,
}

impl Manifest {
    /// Names of the presets.
    ///
    /// `game-54`, `game-96` and `game-150` are so many GB (10^9 bytes) of files as games have them: the volumes are
    /// those of a published copy test, the sizes are our own choice. `iso-20` is four files of 20 GB in all and
    /// `jpeg-2.37` 339 files of 2.37 GB in all: numbers and volumes are published, how they are divided is our choice.
    ///
    /// Source: ITmedia's review of the 860 QVO (game folders); UL's support articles on PCMark 10 storage (copies).
    pub const PRESETS: [&'static str; 5] = ["game-54", "game-96", "game-150", "iso-20", "jpeg-2.37"];

    /// The preset of a name; `None` when there is none of it.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let version = 1;
        let mut draw = Seeded::of(name, version);
        let entries = match name {
            "game-54" => game(&mut draw, 54 * GB),
            "game-96" => game(&mut draw, 96 * GB),
            "game-150" => game(&mut draw, 150 * GB),
            "iso-20" => vec![Entry { directory: 0, bytes: 5 * GB }; 4],
            "jpeg-2.37" => pictures(&mut draw, 339, 2_370 * MB),
            _ => return None,
        };
        Some(Self { name: name.to_owned(), version, entries })
    }

    /// A manifest of someone's folder from the depth and the size in bytes of each file, in the order of a walk through
    /// it: no name enters it. Files that follow each other at one depth are taken to share a directory.
    ///
    /// # Errors
    /// When there is nothing in it, or too much.
    pub fn of_folder(name: &str, files: impl IntoIterator<Item = (u32, u64)>) -> Result<Self, ManifestError> {
        let mut entries: Vec<Entry> = Vec::new();
        let (mut directory, mut before, mut sum) = (0, None, 0_u64);
        for (depth, bytes) in files {
            if before.is_some_and(|before| before != depth) {
                directory += 1;
            }
            before = Some(depth);
            sum = sum.saturating_add(bytes);
            if entries.len() == MAX_FILES || sum > MAX_BYTES {
                return Err(ManifestError::TooLarge);
            }
            entries.push(Entry { directory, bytes });
        }
        if sum == 0 {
            return Err(ManifestError::Empty);
        }
        Ok(Self { name: name.to_owned(), version: 1, entries })
    }

    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.bytes))
    }

    /// Its first files, until so many percent of its bytes are reached, 1 to 100; the last one is cut. Sizes stay those of
    /// the whole: a part has fewer files, not smaller ones.
    #[must_use]
    pub fn part(mut self, percent: u32) -> Self {
        let wanted = u128::from(self.bytes()) * u128::from(percent.clamp(1, 100)) / 100;
        let mut left = u64::try_from(wanted).unwrap_or(u64::MAX).max(1);
        self.entries.retain_mut(|entry| {
            let stays = left > 0;
            entry.bytes = entry.bytes.min(left);
            left -= entry.bytes;
            stays
        });
        self
    }

    /// A number that follows from every directory and size: what a folder without a name is called.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.entries.iter().fold(mix(self.entries.len() as u64), |print, entry| {
            let print = mix(print.rotate_left(5) ^ u64::from(entry.directory));
            mix(print.rotate_left(5) ^ entry.bytes)
        })
    }

    /// The places of its files in the order of a seed, or as they are without one: every order is as likely.
    #[must_use]
    pub fn order(&self, shuffle: Option<u32>) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.entries.len()).collect();
        let Some(seed) = shuffle else { return places };
        let mut draw = Seeded::of("order", seed);
        // Source: Durstenfeld, Algorithm 235, 1964.
        for last in (1..places.len()).rev() {
            let other = usize::try_from(draw.below(last as u64 + 1)).unwrap_or(last);
            places.swap(last, other);
        }
        places
    }

    /// Number of directories.
    #[must_use]
    pub fn directories(&self) -> u32 {
        self.entries.iter().map(|entry| entry.directory.saturating_add(1)).max().unwrap_or(0)
    }
}

/// Many small files, some of megabytes, and few large ones that hold most of the data, until the sum is reached.
fn game(draw: &mut Seeded, bytes: u64) -> Vec<Entry> {
    let mut entries = Vec::new();
    let (mut left, mut directory, mut room) = (bytes, 0, draw.between(1, 200));
    while left > 0 {
        if room == 0 {
            directory += 1;
            room = draw.between(1, 200);
        }
        room -= 1;
        let size = match draw.below(100) {
            0..60 => of_any_magnitude(draw, KIB, 10),
            60..98 => of_any_magnitude(draw, MIB, 6),
            _ => of_any_magnitude(draw, 64 * MIB, 5),
        };
        // The last file takes what is left, so that the sum is exact.
        let bytes = size.min(left);
        left -= bytes;
        entries.push(Entry { directory, bytes });
    }
    entries
}

/// A size from `least` to below `least` times 2^`doublings`, each doubling as likely as the other.
fn of_any_magnitude(draw: &mut Seeded, least: u64, doublings: u64) -> u64 {
    let least = least << draw.below(doublings);
    least + draw.below(least)
}

/// Files of about one size, whose sum is exact.
fn pictures(draw: &mut Seeded, count: usize, bytes: u64) -> Vec<Entry> {
    let weights: Vec<u64> = (0..count).map(|_| draw.between(600, 1_400)).collect();
    let all: u64 = weights.iter().sum();
    let (mut weight, mut given) = (0, 0);
    let sizes = weights.into_iter().map(|own| {
        weight += own;
        let until = bytes * weight / all;
        let size = until - given;
        given = until;
        Entry { directory: 0, bytes: size }
    });
    sizes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn presets_have_the_published_volumes() {
        for (name, bytes, files) in [
            ("game-54", 54 * GB, 2_000..6_000),
            ("game-96", 96 * GB, 3_000..10_000),
            ("game-150", 150 * GB, 5_000..15_000),
            ("iso-20", 20 * GB, 4..5),
            ("jpeg-2.37", 2_370 * MB, 339..340),
        ] {
            let manifest = Manifest::preset(name).unwrap();
            assert_eq!((manifest.name.as_str(), manifest.bytes()), (name, bytes));
            assert!(files.contains(&manifest.entries.len()), "{name}: {} files", manifest.entries.len());
            assert!(manifest.entries.iter().all(|entry| entry.bytes > 0));
            assert!(manifest.entries.is_sorted_by_key(|entry| entry.directory));
            assert_eq!(Manifest::preset(name).unwrap(), manifest);
        }
        assert_eq!(Manifest::preset("game-55"), None);
    }

    #[test]
    fn a_game_is_mostly_small_files_and_its_data_mostly_in_large_ones() {
        let manifest = Manifest::preset("game-54").unwrap();
        let small = manifest.entries.iter().filter(|entry| entry.bytes < MIB).count();
        assert!(small * 2 > manifest.entries.len());
        let large = manifest.entries.iter().map(|entry| entry.bytes).filter(|bytes| *bytes >= 16 * MIB);
        assert!(large.sum::<u64>() * 2 > manifest.bytes());
        assert!(manifest.directories() > 10);
        let pictures = Manifest::preset("jpeg-2.37").unwrap();
        assert!(pictures.entries.iter().all(|entry| (3 * MB..11 * MB).contains(&entry.bytes)));
    }

    #[test]
    fn a_part_has_fewer_files_of_the_same_sizes() {
        let whole = Manifest::preset("jpeg-2.37").unwrap();
        assert_eq!(whole.clone().part(100), whole);
        let part = whole.clone().part(1);
        assert_eq!(part.bytes(), 23_700_000);
        let last = part.entries.len() - 1;
        assert_eq!(part.entries[..last], whole.entries[..last]);
        assert!(part.entries[last].bytes <= whole.entries[last].bytes);
        let one = Manifest::preset("iso-20").unwrap().part(1);
        assert_eq!((one.entries.len(), one.bytes()), (1, 200 * MB));
        assert_eq!(Manifest::of_folder("any", [(0, 1), (0, 1)]).unwrap().part(1).entries.len(), 1);
    }

    #[test]
    fn an_order_has_every_file_once_and_follows_from_its_seed() {
        let manifest = Manifest::preset("jpeg-2.37").unwrap();
        assert!(manifest.order(None).is_sorted());
        let shuffled = manifest.order(Some(7));
        assert_eq!(shuffled, manifest.order(Some(7)));
        assert_ne!(shuffled, manifest.order(Some(8)));
        let mut places = shuffled.clone();
        places.sort_unstable();
        assert_eq!(places, manifest.order(None));
        assert!(!shuffled.is_sorted());
    }

    #[test]
    fn a_fingerprint_follows_from_sizes_and_directories() {
        let print =
            |files: &[(u32, u64)]| Manifest::of_folder("any", files.iter().copied()).unwrap().fingerprint();
        let own = print(&[(0, 10), (0, 20)]);
        assert_eq!(own, print(&[(0, 10), (0, 20)]));
        for other in [&[(0, 20), (0, 10)][..], &[(0, 10), (1, 20)], &[(0, 10)], &[(0, 10), (0, 20), (0, 0)]] {
            assert_ne!(own, print(other), "{other:?}");
        }
    }

    #[test]
    fn a_folder_keeps_its_sizes_and_no_more() {
        let manifest = Manifest::of_folder("mine", [(0, 10), (0, 20), (1, 0), (1, 30), (0, 40)]).unwrap();
        let listed: Vec<(u32, u64)> =
            manifest.entries.iter().map(|entry| (entry.directory, entry.bytes)).collect();
        assert_eq!(listed, [(0, 10), (0, 20), (1, 0), (1, 30), (2, 40)]);
        assert_eq!((manifest.bytes(), manifest.directories(), manifest.version), (100, 3, 1));
    }

    #[test]
    fn a_folder_that_cannot_be_copied_is_refused() {
        assert_eq!(Manifest::of_folder("mine", []), Err(ManifestError::Empty));
        assert_eq!(Manifest::of_folder("mine", [(0, 0)]), Err(ManifestError::Empty));
        let endless = std::iter::repeat((0, 1));
        assert_eq!(Manifest::of_folder("mine", endless), Err(ManifestError::TooLarge));
        assert_eq!(Manifest::of_folder("mine", [(0, u64::MAX), (0, 1)]), Err(ManifestError::TooLarge));
    }

    proptest! {
        #[test]
        fn sizes_of_a_folder_are_never_invented(files in proptest::collection::vec((0_u32..4, 0_u64..9), 0..50)) {
            match Manifest::of_folder("any", files.iter().copied()) {
                Ok(manifest) => {
                    let sizes: Vec<u64> = manifest.entries.iter().map(|entry| entry.bytes).collect();
                    prop_assert_eq!(sizes, files.iter().map(|file| file.1).collect::<Vec<u64>>());
                }
                Err(error) => {
                    prop_assert_eq!(error, ManifestError::Empty);
                    prop_assert!(files.iter().all(|file| file.1 == 0));
                }
            }
        }
    }
}
