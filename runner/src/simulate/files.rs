//! Copies and loading in virtual time: the bytes of all files at the speed that the drive has at each moment.
//!
//! What a file costs beside its bytes is not modelled: a set of small files takes as long as one large file of their size.

use super::VirtualTime;
use crate::{
    passes::{Played, Side, manifest},
    plan::Plan,
};
use model::{
    document::{CellErrorKind, Preparation},
    files::{CopyStep, Copying, FILE_UNIT_BYTES, FileClass, FilesMoved, Loading},
};
use sim::{Load, Op, TICK_NS};
use std::collections::BTreeMap;

/// What a stretch of moving came to.
#[derive(Default)]
struct Moved {
    elapsed_ns: u64,
    sides: [Side; 2],
}

impl VirtualTime {
    /// A step of a copy. What an earlier step would have written is written first, unmeasured, when it is not there.
    pub(super) fn copy(&mut self, plan: &Plan, copying: &Copying, bin_ns: u64) -> Played {
        let Some(sizes) = manifest(plan, copying) else {
            return Played::failed(CellErrorKind::Setup, self.now_ns);
        };
        let sizes: Vec<u64> = sizes.entries.iter().map(|entry| entry.bytes).collect();
        let bytes: u64 = sizes.iter().map(|size| size.next_multiple_of(FILE_UNIT_BYTES)).sum();
        let load = |op| Load {
            op,
            sequential: true,
            block_bytes: copying.block_bytes,
            in_flight: copying.queue_depth,
            beside: None,
        };
        let set = format!("{}.{}.{}", copying.manifest, copying.version, copying.scale_percent);
        let is_there = self.copied.as_ref() == Some(&set);
        let mut preparation = None;
        if copying.step == CopyStep::Write || !is_there {
            // The files before go away, and there is room for these and their duplicates.
            self.drive.new_span(bytes.saturating_mul(2));
            self.copied = Some(set);
        }
        if copying.step != CopyStep::Write && !is_there {
            let written = self.move_bytes(load(Op::Write), bytes, bin_ns);
            preparation = Some(Preparation { bytes, elapsed_ns: written.elapsed_ns });
        }
        let op = match copying.step {
            CopyStep::Write => Op::Write,
            CopyStep::Duplicate => Op::Mix(50),
            CopyStep::ReadOut => Op::Read,
        };
        let started_ns = self.now_ns;
        let moved = self.move_bytes(load(op), bytes, bin_ns);
        let settled_ns = copying.step.writes().then_some(moved.elapsed_ns);
        Played { preparation, settled_ns, ..moved.played(started_ns, bin_ns, &sizes) }
    }

    /// The files of a folder.
    pub(super) fn load_files(&mut self, plan: &Plan, loading: &Loading, bin_ns: u64) -> Played {
        let own = plan.suite.folders.iter().find(|own| own.name == loading.folder);
        let found = own.and_then(|own| crate::suite::Folder::read(&own.path).ok());
        let Some((.., files)) = found.filter(|(now, ..)| now.name == loading.folder) else {
            return Played::failed(CellErrorKind::Setup, self.now_ns);
        };
        let sizes: Vec<u64> = files.iter().map(|file| file.bytes).collect();
        let bytes = sizes.iter().map(|size| size.next_multiple_of(FILE_UNIT_BYTES)).sum();
        let load = Load {
            op: Op::Read,
            sequential: true,
            block_bytes: loading.block_bytes,
            in_flight: loading.parallel,
            beside: None,
        };
        let started_ns = self.now_ns;
        self.move_bytes(load, bytes, bin_ns).played(started_ns, bin_ns, &sizes)
    }

    /// Moves so many bytes; with both directions so many in each.
    fn move_bytes(&mut self, load: Load, bytes: u64, bin_ns: u64) -> Moved {
        let block = u64::from(load.block_bytes);
        let sides = match load.op {
            Op::Read => [true, false],
            Op::Write => [false, true],
            Op::Mix(_) => [true, true],
        };
        let mut all = Moved::default();
        let mut left = bytes;
        while left > 0 {
            let main = self.tick(Some(load)).main;
            let done = (0..2).filter(|side| sides[*side]).map(|side| main.ios[side] * block).min();
            let done = done.unwrap_or(0);
            let moved = done.min(left);
            // Of the last step only as much time as its bytes take.
            let part = u128::from(TICK_NS) * u128::from(moved) / u128::from(done.max(1));
            let step_ns = if moved < done { u64::try_from(part).unwrap_or(TICK_NS).max(1) } else { TICK_NS };
            for (side, _) in sides.iter().enumerate().filter(|(_, moves)| **moves) {
                let (ios, latency) = (moved.div_ceil(block), main.latency_ns[side]);
                all.sides[side].add(all.elapsed_ns / bin_ns, ios, latency, moved, step_ns);
            }
            left -= moved;
            all.elapsed_ns += step_ns;
        }
        all
    }
}

impl Moved {
    /// The pass, with files that took as long as their share of the bytes.
    fn played(self, started_ns: u64, bin_ns: u64, sizes: &[u64]) -> Played {
        let Self { elapsed_ns, sides } = self;
        let all = u128::from(sizes.iter().sum::<u64>().max(1));
        let mut classes: BTreeMap<usize, FileClass> = BTreeMap::new();
        for bytes in sizes.iter().copied() {
            let place = FileClass::place(bytes);
            let class = classes.entry(place).or_insert_with(|| FileClass::empty(place));
            class.files += 1;
            class.bytes += bytes;
        }
        for class in classes.values_mut() {
            let share = u128::from(elapsed_ns) * u128::from(class.bytes) / all;
            class.time_ns = u64::try_from(share).unwrap_or(u64::MAX);
        }
        let [read, write] = sides.map(|side| side.transfer(bin_ns));
        let files = Some(FilesMoved { buffered: 0, classes: classes.into_values().collect() });
        Played { elapsed_ns, busy_ns: elapsed_ns, read, write, files, ..Played::nothing(started_ns) }
    }
}
