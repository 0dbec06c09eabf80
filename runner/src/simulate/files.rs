//! Copies and loading in virtual time: files one after the other, each with its opening or making and then its requests,
//! at the speed that the drive has at each moment.
//!
//! What opening and making a file costs is our choice: what a file system would look up and write down. So small files
//! take longer for their bytes than large ones.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times and sizes need no more than 53 bits here, and are positive"
)]

use super::VirtualTime;
use crate::{
    passes::{Played, Side, manifest},
    plan::Plan,
};
use model::{
    document::{CellErrorKind, Preparation},
    files::{CopyStep, Copying, FILE_UNIT_BYTES, FileClass, FilesMoved, Loading},
    units::NS_PER_S,
};
use sim::{Load, Op, TICK_NS};
use std::collections::BTreeMap;

/// Reads of 4 KiB at random that opening a file takes: where its data lies. Its name had been looked up before.
const READS_TO_OPEN: f64 = 1.0;
/// Writes of 4 KiB at random that making a file takes: its entry, where its data lies, and the journal of both.
const WRITES_TO_MAKE: f64 = 3.0;
/// Bytes of each of them.
const ENTRY_BYTES: u32 = 4096;

/// How files are moved.
#[derive(Clone, Copy)]
struct Moving {
    op: Op,
    /// Largest request, bytes.
    block_bytes: u32,
    /// Requests of one file in flight at a time.
    depth: u32,
    /// Files at a time.
    files: u32,
}

impl Moving {
    /// The requests for a file of so many bytes, in whole units.
    fn load(self, bytes: u64) -> Load {
        let block_bytes = u32::try_from(bytes).unwrap_or(u32::MAX).clamp(ENTRY_BYTES, self.block_bytes);
        let requests = u32::try_from(bytes.div_ceil(block_bytes.into())).unwrap_or(u32::MAX);
        let in_flight = self.depth.min(requests).max(1).saturating_mul(self.files);
        Load { op: self.op, sequential: true, block_bytes, in_flight, beside: None }
    }

    /// Directions in which it moves data: reads and writes.
    fn sides(self) -> [bool; 2] {
        match self.op {
            Op::Read => [true, false],
            Op::Write => [false, true],
            Op::Mix(_) => [true, true],
        }
    }
}

/// What a stretch of moving came to.
#[derive(Default)]
struct Moved {
    elapsed_ns: u64,
    /// Time in which requests of data were in flight, nanoseconds.
    busy_ns: f64,
    /// Bytes in each of its directions.
    bytes: f64,
    sides: [Side; 2],
    classes: BTreeMap<usize, FileClass>,
}

/// A file that is moved: what is left of it.
struct Left {
    /// Its size.
    bytes: u64,
    /// Share of its opening, 0 to 1.
    opening: f64,
    /// Bytes, in whole units.
    moving: f64,
    /// How long it has taken, nanoseconds.
    time_ns: f64,
}

impl Left {
    fn of(bytes: u64) -> Self {
        Self { bytes, opening: 1.0, moving: bytes.next_multiple_of(FILE_UNIT_BYTES) as f64, time_ns: 0.0 }
    }

    /// Requests of so many bytes that are complete.
    fn complete(&self, block_bytes: u32) -> u64 {
        let whole = self.bytes.next_multiple_of(FILE_UNIT_BYTES) as f64;
        let requests = (whole - self.moving) / f64::from(block_bytes);
        (if self.moving > 0.0 { requests.floor() } else { requests.ceil() }) as u64
    }
}

impl VirtualTime {
    /// A step of a copy. What an earlier step would have written is written first, unmeasured, when it is not there.
    pub(super) fn copy(&mut self, plan: &Plan, copying: &Copying, bin_ns: u64) -> Played {
        let Some(sizes) = manifest(plan, copying) else {
            return Played::failed(CellErrorKind::Setup, self.now_ns);
        };
        let sizes: Vec<u64> = sizes.entries.iter().map(|entry| entry.bytes).collect();
        let bytes: u64 = sizes.iter().map(|size| size.next_multiple_of(FILE_UNIT_BYTES)).sum();
        let moving =
            |op| Moving { op, block_bytes: copying.block_bytes, depth: copying.queue_depth, files: 1 };
        let set = format!("{}.{}.{}", copying.manifest, copying.version, copying.scale_percent);
        let is_there = self.copied.as_ref() == Some(&set);
        let mut preparation = None;
        if copying.step == CopyStep::Write || !is_there {
            // The files before go away, and there is room for these and their duplicates.
            self.drive.new_span(bytes.saturating_mul(2));
            self.copied = Some(set);
        }
        if copying.step != CopyStep::Write && !is_there {
            let written = self.move_files(moving(Op::Write), &sizes, bin_ns);
            preparation = Some(Preparation { bytes, elapsed_ns: written.elapsed_ns });
        }
        let op = match copying.step {
            CopyStep::Write => Op::Write,
            CopyStep::Duplicate => Op::Mix(50),
            CopyStep::ReadOut => Op::Read,
        };
        let started_ns = self.now_ns;
        let moved = self.move_files(moving(op), &sizes, bin_ns);
        let settled_ns = copying.step.writes().then_some(moved.elapsed_ns);
        Played { preparation, settled_ns, ..moved.played(started_ns, bin_ns) }
    }

    /// The files of a folder.
    pub(super) fn load_files(&mut self, plan: &Plan, loading: &Loading, bin_ns: u64) -> Played {
        let own = plan.suite.folders.iter().find(|own| own.name == loading.folder);
        let found = own.and_then(|own| crate::suite::Folder::read(&own.path).ok());
        let Some((.., files)) = found.filter(|(now, ..)| now.name == loading.folder) else {
            return Played::failed(CellErrorKind::Setup, self.now_ns);
        };
        let sizes: Vec<u64> = files.iter().map(|file| file.bytes).collect();
        let moving =
            Moving { op: Op::Read, block_bytes: loading.block_bytes, depth: 1, files: loading.parallel };
        let started_ns = self.now_ns;
        self.move_files(moving, &sizes, bin_ns).played(started_ns, bin_ns)
    }

    /// Moves files of these sizes; with both directions each of them in both.
    fn move_files(&mut self, moving: Moving, sizes: &[u64], bin_ns: u64) -> Moved {
        let most = u32::try_from(sizes.len()).unwrap_or(u32::MAX).max(1);
        let moving = Moving { files: moving.files.min(most), ..moving };
        let mut all = Moved::default();
        let mut files = sizes.iter().map(|size| Left::of(*size));
        let mut now = files.next();
        while now.is_some() {
            self.move_a_step(moving, &mut now, &mut files, bin_ns, &mut all);
        }
        all
    }

    /// Moves what a step has time for.
    fn move_a_step(
        &mut self,
        moving: Moving,
        now: &mut Option<Left>,
        files: &mut dyn Iterator<Item = Left>,
        bin_ns: u64,
        all: &mut Moved,
    ) {
        let step = TICK_NS as f64;
        let opening_ns = self.opening_ns(moving);
        let (mut left_ns, mut moved, mut ios) = (step, 0.0, 0);
        let mut waited_ns = [0; 2];
        while let Some(file) = now.as_mut() {
            let opens_ns = (file.opening * opening_ns).min(left_ns);
            file.opening = if opens_ns < left_ns { 0.0 } else { file.opening - opens_ns / opening_ns };
            left_ns -= opens_ns;
            file.time_ns += opens_ns;
            let load = moving.load(file.bytes.next_multiple_of(FILE_UNIT_BYTES));
            let pace = self.drive.pace(load);
            let rates = (0..2).filter(|side| moving.sides()[*side]).map(|side| pace.ios_per_s[side]);
            let per_ns = rates.fold(f64::INFINITY, f64::min) * f64::from(load.block_bytes) / NS_PER_S as f64;
            // A drive that stands still takes the whole step.
            let needs_ns = if file.moving > 0.0 { file.moving / per_ns } else { 0.0 };
            let takes_ns = needs_ns.min(left_ns);
            let part = if needs_ns > left_ns { takes_ns * per_ns } else { file.moving };
            let before = file.complete(load.block_bytes);
            file.moving -= part;
            file.time_ns += takes_ns;
            left_ns -= takes_ns;
            all.busy_ns += takes_ns;
            moved += part;
            let complete = file.complete(load.block_bytes) - before;
            ios += complete;
            for (all, one) in waited_ns.iter_mut().zip(pace.latency_ns) {
                *all += one.saturating_mul(complete);
            }
            if needs_ns > takes_ns || file.opening > 0.0 {
                break;
            }
            all.done(file);
            *now = files.next();
        }
        // To the drive it is so much of its time with large requests.
        let load = moving.load(u64::MAX);
        let most = self.drive.pace(load);
        let most =
            most.ios_per_s.iter().fold(0.0_f64, |most, one| most.max(*one)) * f64::from(load.block_bytes);
        let part = if most > 0.0 { moved / (most * step / NS_PER_S as f64) } else { 0.0 };
        let tick = self.drive.tick_part(load, part.min(1.0));
        self.over(tick);
        // Of the last step only as much time as it took.
        let step_ns = ((step - left_ns).round() as u64).max(1);
        let (bin, whole) = (all.elapsed_ns / bin_ns, all.bytes.round() as u64);
        all.elapsed_ns += step_ns;
        all.bytes += moved;
        let bytes = all.bytes.round() as u64 - whole;
        for (side, _) in moving.sides().iter().enumerate().filter(|(_, moves)| **moves) {
            let latency = waited_ns[side].checked_div(ios).unwrap_or(0);
            all.sides[side].add(bin, ios, latency, bytes, all.elapsed_ns);
        }
    }

    /// What opening a file takes, and making another where data is written, nanoseconds.
    fn opening_ns(&self, moving: Moving) -> f64 {
        let [reads, writes] = moving.sides();
        let takes = |op, count: f64| {
            let load = Load {
                op,
                sequential: false,
                block_bytes: ENTRY_BYTES,
                in_flight: moving.files,
                beside: None,
            };
            let pace = self.drive.pace(load);
            let per_s = pace.ios_per_s.iter().fold(0.0_f64, |most, one| most.max(*one));
            count / per_s * NS_PER_S as f64
        };
        let opens = if reads { takes(Op::Read, READS_TO_OPEN) } else { 0.0 };
        let makes = if writes { takes(Op::Write, WRITES_TO_MAKE) } else { 0.0 };
        opens + makes
    }
}

impl Moved {
    /// A file is done.
    fn done(&mut self, file: &Left) {
        let place = FileClass::place(file.bytes);
        let class = self.classes.entry(place).or_insert_with(|| FileClass::empty(place));
        class.files += 1;
        class.bytes += file.bytes;
        class.time_ns = class.time_ns.saturating_add(file.time_ns.round() as u64);
    }

    /// The pass.
    fn played(self, started_ns: u64, bin_ns: u64) -> Played {
        let Self { elapsed_ns, busy_ns, sides, classes, .. } = self;
        let [read, write] = sides.map(|side| side.transfer(bin_ns));
        // Few latencies stand for all around a mean: they may make up a little less than the time that was busy.
        let told = [&read, &write].into_iter().flatten().map(|side| {
            let mean = side.latency.mean().map_or(0, |mean| mean.0);
            mean.saturating_mul(side.ios)
        });
        let busy_ns = (busy_ns.round() as u64).min(elapsed_ns).min(told.sum());
        let files = Some(FilesMoved { buffered: 0, classes: classes.into_values().collect() });
        Played { elapsed_ns, busy_ns, read, write, files, ..Played::nothing(started_ns) }
    }
}
