//! A drive that takes writes fast until a bucket is full, which leaks: what is found of it.
//!
//! Knows the bucket's size and the sentences that a result is told in. Does not know who emulates it.

use model::{ResultDocument, document::LoopEnded};

const MIB: u64 = 1 << 20;

/// A bucket of `fill` times `seconds` bytes.
pub(crate) struct Bucket {
    /// Bytes per second that leave it, and that are taken when it is full.
    pub(crate) leak: u64,
    /// Bytes per second that are taken until it is full.
    pub(crate) fill: u64,
    /// How long it would take until it is full if it did not leak.
    pub(crate) seconds: u64,
}

/// The one of all stories: 1 GiB.
pub(crate) const BUCKET: Bucket = Bucket { leak: 16 * MIB, fill: 128 * MIB, seconds: 8 };
/// Size of the file system on it: room for the cliff's file and what must stay free.
pub(crate) const DRIVE_BYTES: u64 = 4 * 1024 * MIB;
/// How the suite `cliff` is changed: enough for a minute, which is the shortest course.
pub(crate) const CLIFF: &[&str] = &["size=2GiB"];
/// Rest between bursts, seconds.
const REST: u64 = 2;
/// Bytes of a burst: the second one is slow in the end.
const BURST: u64 = 768 * MIB;
/// How the suite `bursts` is changed.
pub(crate) const BURSTS: &[&str] = &["amount=768MiB", "loops=2", "rest=2"];

impl Bucket {
    /// Bytes that it has taken fast until it is full, after writes without a rest and `rest` seconds of it.
    #[expect(clippy::cast_precision_loss, reason = "sizes of a test are far below 2^53")]
    fn takes(&self, rest: u64) -> f64 {
        let Self { leak, fill, seconds } = self;
        // It leaks while it is filled too.
        (fill * seconds + leak * rest) as f64 * *fill as f64 / (fill - leak) as f64
    }
}

/// What a continuous write shows: where it became slow, and that all of it is read back.
///
/// # Panics
/// When it is not found within a twentieth.
pub(crate) fn assert_cliff(document: &ResultDocument, words: &str) {
    let [write, read] = document.cells.as_slice() else { panic!("{words}") };
    let (write, read) = (&write.loops[0], &read.loops[0]);
    assert_eq!((write.ended, read.ended), (LoopEnded::Bytes, LoopEnded::Bytes));
    let bytes = |transfer: &Option<model::document::Transfer>| transfer.as_ref().map(|one| one.bytes);
    assert_eq!(bytes(&write.write), Some(2 << 30));
    assert_eq!(bytes(&read.read), Some(2 << 30));
    assert_near(words, "Fast writing ended after ", BUCKET.takes(0));
}

/// What bursts with a rest between them show: how much they moved until one slowed.
///
/// # Panics
/// When it is not found within a twentieth.
pub(crate) fn assert_bursts(document: &ResultDocument, words: &str) {
    let [cell] = document.cells.as_slice() else { panic!("{words}") };
    assert_eq!(cell.loops.len(), 2);
    for one in &cell.loops {
        assert_eq!(one.ended, LoopEnded::Bytes);
        assert_eq!(one.write.as_ref().unwrap().bytes, BURST);
    }
    assert_near(words, ", when ", BUCKET.takes(REST));
}

/// Finds a capacity behind some words, the last one of a range (`504 to 521 MB`), near so many bytes.
fn assert_near(words: &str, before: &str, bytes: f64) {
    let found = words.lines().find_map(|line| {
        let (_, behind) = line.split_once(before)?;
        let behind: Vec<&str> = behind.split(' ').collect();
        let unit = behind.iter().position(|word| matches!(*word, "MB" | "GB"))?;
        let figure: f64 = behind.get(unit.checked_sub(1)?)?.replace(',', "").parse().ok()?;
        Some(figure * if behind[unit] == "GB" { 1e9 } else { 1e6 })
    });
    let found = found.unwrap_or_else(|| panic!("nothing stands behind `{before}` in:\n{words}"));
    assert!((found / bytes - 1.0).abs() < 0.05, "{found} instead of {bytes} bytes in:\n{words}");
}
