//! Carries a pass out that works on many files: a step of a copy, or reading a folder cold.
//!
//! A copy goes as a copy tool goes: one file after the other, each with a queue of large requests. Its files never have a
//! name, so they go away however the program ends; that is why all of them stay open until the next step has used them.
//! The user's own files are opened for reading only. Knows files, requests and clocks; does not know what figures mean.

use super::{LOOK_NS, Played, Recorder, queue::Completion, queue::Queue};
use crate::{
    clock::{RunClock, SteadyClock, process_cpu},
    counters::{self, DeviceNumber},
    engine::{EngineError, Live, STALL_NS, Slots, failure, origin, unit_bytes as stamped_unit},
    plan::{self, Place, Plan},
    stop::StopFlag,
    suite::{Folder, files::Found},
    target::{self, OpenTarget},
};
use model::{
    document::{CellError, CellErrorKind, DeviceCounters, Engine, Preparation},
    files::{CopyStep, Copying, FILE_UNIT_BYTES, FileClass, FilesMoved, Loading},
    pass::{Pass, PassMethod, Workload},
    units::{Nanos, format_nanos, format_rate, per_second},
};
use rustix::{
    fs::{Advice, CWD, FallocateFlags, Mode, OFlags, fadvise, fallocate, fsync, openat, syncfs},
    io::Errno,
};
use std::{fs::File, os::fd::OwnedFd, path::Path, sync::Arc};
use workloads::{Due, Manifest, Op, Operation};

/// What a pass leaves behind for the next one.
#[derive(Debug, Default)]
pub(crate) struct Kept(Option<Originals>);

/// The files that the first step of a copy wrote.
#[derive(Debug)]
struct Originals {
    /// What they are.
    of: Copying,
    files: Vec<(Arc<File>, u64)>,
}

impl Originals {
    fn serve(&self, copying: &Copying) -> bool {
        let set = |one: &Copying| (one.manifest.clone(), one.version, one.scale_percent, one.files);
        set(&self.of) == set(copying)
    }
}

impl Kept {
    /// Lets go of files that a pass has no use for.
    pub(super) fn prepare_for(&mut self, method: &PassMethod) {
        let serves = |kept: &Originals| match &method.workload {
            Workload::Copying(copying) => copying.step.reads() && kept.serve(copying),
            _ => false,
        };
        self.0.take_if(|kept| !serves(kept));
    }
}

/// The list of sizes that a copy is made of; `None` when there is no such list any more.
pub(crate) fn manifest(plan: &Plan, copying: &Copying) -> Option<Manifest> {
    let whole = match plan.suite.folders.iter().find(|own| own.name == copying.manifest) {
        Some(own) => Folder::read(&own.path).ok().filter(|(now, ..)| now.name == own.name)?.1,
        None => Manifest::preset(&copying.manifest).filter(|found| found.version == copying.version)?,
    };
    let part = whole.part(copying.scale_percent);
    (part.entries.len() == copying.files as usize).then_some(part)
}

/// A size as direct I/O moves it, bytes.
fn rounded(bytes: u64) -> u64 {
    bytes.next_multiple_of(FILE_UNIT_BYTES)
}

/// What is done, and with what.
enum Work {
    Copy { copying: Copying, sizes: Vec<u64>, dir: OwnedFd },
    Load { loading: Loading, files: Vec<Found>, order: Vec<usize> },
}

/// A pass on files that is ready to be carried out.
pub(crate) struct FilesPass {
    work: Work,
    block: u32,
    queue: Queue,
    engine: Engine,
    device: Option<DeviceNumber>,
    estimated_ns: u64,
    seed: u64,
}

impl FilesPass {
    /// Sets everything up that the pass needs; makes no file yet.
    ///
    /// # Errors
    /// When its files cannot be had, or memory or a queue.
    pub(super) fn open(
        plan: &Plan,
        target: &OpenTarget,
        method: &PassMethod,
        seed: u64,
    ) -> Result<Self, EngineError> {
        let gone = |what: &str| EngineError::Files(what.to_owned());
        let align = target.offset_align();
        if u64::from(align) > FILE_UNIT_BYTES {
            return Err(EngineError::Alignment { block: 4096, align });
        }
        let (work, block, depth) = match &method.workload {
            Workload::Copying(copying) => {
                let Place::Directory(directory) = &plan.place else {
                    return Err(gone("copies need a file system"));
                };
                let manifest = manifest(plan, copying).ok_or_else(|| gone(CHANGED))?;
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let dir =
                    openat(CWD, directory, flags, Mode::empty()).map_err(|errno| gone(&errno.to_string()))?;
                let sizes = manifest.entries.iter().map(|entry| entry.bytes).collect();
                let work = Work::Copy { copying: copying.clone(), sizes, dir };
                (work, copying.block_bytes, copying.queue_depth)
            }
            Workload::Loading(loading) => {
                let own = plan.suite.folders.iter().find(|own| own.name == loading.folder);
                let own = own.ok_or_else(|| gone(CHANGED))?;
                let (now, manifest, files) =
                    Folder::read(&own.path).map_err(|error| gone(&error.to_string()))?;
                if now.name != own.name {
                    return Err(gone(CHANGED));
                }
                let order = manifest.order(loading.shuffle);
                let work = Work::Load { loading: loading.clone(), files, order };
                (work, loading.block_bytes, loading.parallel)
            }
            _ => return Err(EngineError::Method(method.label())),
        };
        let mut slots = Slots::new(depth, block).map_err(EngineError::Memory)?;
        slots.fill_random(seed);
        let (queue, engine) = Queue::open(target.file(), slots)?;
        Ok(Self {
            work,
            block,
            queue,
            engine,
            device: target.counted_device(),
            estimated_ns: plan::pass_time(&plan.suite, method).0,
            seed,
        })
    }

    /// How I/Os are submitted and awaited.
    pub(super) fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Carries the pass out: to its end, to the first error, or until a stop is asked for.
    pub(super) fn play(self, run: &RunClock, stop: &StopFlag, live: &Live, kept: &mut Kept) -> Played {
        let Self { work, block, mut queue, device, estimated_ns, seed, .. } = self;
        let mut mover = Mover { queue: &mut queue, block: u64::from(block), seed, made: 0, stop, live };
        match work {
            Work::Load { loading, files, order } => {
                load(&mut mover, run, device, estimated_ns, &loading, (&files, &order))
            }
            Work::Copy { copying, sizes, dir } => {
                let mut preparation = None;
                if copying.step.reads() && kept.0.is_none() {
                    // What an earlier step had left is gone with its program: it is written again, and not measured.
                    let written =
                        copy(&mut mover, run, None, estimated_ns, &dir, (&sizes, &[]), CopyStep::Write);
                    if written.played.error.is_some() || written.played.stopped {
                        return written.played;
                    }
                    let bytes = sizes.iter().map(|bytes| rounded(*bytes)).sum();
                    let elapsed_ns = written.played.settled_ns.unwrap_or(written.played.elapsed_ns);
                    preparation = Some(Preparation { bytes, elapsed_ns });
                    kept.0 = Some(Originals { of: copying.clone(), files: written.files });
                }
                let from = kept.0.as_ref().map_or(&[][..], |kept| &kept.files);
                let copied = copy(&mut mover, run, device, estimated_ns, &dir, (&sizes, from), copying.step);
                let Copied { mut played, files } = copied;
                played.preparation = preparation;
                if copying.step == CopyStep::Write && played.error.is_none() && !played.stopped {
                    kept.0 = Some(Originals { of: copying, files });
                }
                // Duplicates go here, after everything that is timed.
                played
            }
        }
    }
}

const CHANGED: &str = "the folder was changed since the run was planned";

/// What a step of a copy came to.
struct Copied {
    played: Played,
    /// The files that it wrote, with their sizes.
    files: Vec<(Arc<File>, u64)>,
}

/// Carries a step of a copy out.
fn copy(
    mover: &mut Mover<'_>,
    run: &RunClock,
    device: Option<DeviceNumber>,
    estimated_ns: u64,
    dir: &OwnedFd,
    (sizes, from): (&[u64], &[(Arc<File>, u64)]),
    step: CopyStep,
) -> Copied {
    // What was deleted or written before is over when the clock starts.
    let settled = syncfs(dir);
    let measured = Measured::begin(run, device, mover.live);
    let mut recorder = Recorder::new(estimated_ns, mover.live);
    let mut state = State::at(measured.begin);
    state.check(settled);
    let mut classes = Classes::default();
    let mut made = Vec::new();
    for (index, bytes) in sizes.iter().copied().enumerate() {
        if state.over(mover.stop) {
            break;
        }
        let opened = state.clock.now();
        let to = if step.writes() {
            match new_file(dir, rounded(bytes)) {
                Ok(file) => Some(Arc::new(file)),
                Err(errno) => {
                    state.check(Err(errno));
                    break;
                }
            }
        } else {
            None
        };
        let source = if step.reads() { from.get(index).map(|(file, _)| file) } else { None };
        mover.one_file((source, to.as_ref()), rounded(bytes), &mut state, &mut recorder);
        if state.error.is_none() && !state.stopped {
            classes.add(bytes, state.clock.now() - opened);
        }
        made.extend(to.map(|file| (file, bytes)));
    }
    let mut played = measured.played;
    played.elapsed_ns = state.clock.now() - measured.begin;
    if step.writes() && state.error.is_none() && !state.stopped {
        // The second clock: what was written counts as durable when the drive has it. The last file's own flush makes
        // sure that the drive was told to empty its cache.
        let last = made.last().map_or(Ok(()), |(file, _)| fsync(file));
        state.check(syncfs(dir).and(last));
        played.settled_ns = Some(state.clock.now() - measured.begin);
    }
    let read = if step.reads() { from } else { &[] };
    finish(&mut played, measured.cpu, measured.counters, device, &state, recorder, classes.finish(0));
    if played.error.is_none() && !played.stopped {
        let all = read.iter().chain(&made).map(|(file, bytes)| (&**file, rounded(*bytes)));
        match target::extents_of(all) {
            Ok(extents) => played.extents = Some(extents),
            Err(errno) => played.error = Some(error_of(errno)),
        }
    }
    Copied { played, files: made }
}

/// A new file without a name and with room for so many bytes.
fn new_file(dir: &OwnedFd, bytes: u64) -> Result<File, Errno> {
    use std::os::fd::AsFd as _;
    let file = target::nameless(dir.as_fd())?;
    if bytes > 0 {
        match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
            // Without it the writes lengthen the file one by one.
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(file)
}

/// Reads the files of a folder, several at a time.
fn load(
    mover: &mut Mover<'_>,
    run: &RunClock,
    device: Option<DeviceNumber>,
    estimated_ns: u64,
    loading: &Loading,
    (files, order): (&[Found], &[usize]),
) -> Played {
    let measured = Measured::begin(run, device, mover.live);
    let mut recorder = Recorder::new(estimated_ns, mover.live);
    let mut state = State::at(measured.begin);
    let mut classes = Classes::default();
    let buffered = mover.many_files(loading.parallel, files, order, &mut state, &mut recorder, &mut classes);
    let mut played = measured.played;
    played.elapsed_ns = state.clock.now() - measured.begin;
    played.buffered = buffered > 0;
    finish(&mut played, measured.cpu, measured.counters, device, &state, recorder, classes.finish(buffered));
    if played.error.is_none() && !played.stopped {
        played.extents = extents_of_folder(files);
    }
    played
}

/// Where the bytes of the user's files lie; `None` when one cannot be asked any more.
fn extents_of_folder(files: &[Found]) -> Option<model::Reading<model::proof::Extents>> {
    let mut all = Vec::new();
    // A few at a time: there may be more of them than a program can hold open.
    for part in files.chunks(256) {
        let opened: Vec<(File, u64)> = part
            .iter()
            .map(|found| own_file(&found.path).map(|(file, _)| (file, found.bytes)))
            .collect::<Result<_, _>>()
            .ok()?;
        all.push(target::extents_of(opened.iter().map(|(file, bytes)| (file, *bytes))).ok()?);
    }
    all.into_iter().reduce(target::joined_extents)
}

/// Opens a file of the user's for reading and nothing else; whether direct I/O was refused.
fn own_file(path: &Path) -> Result<(File, bool), Errno> {
    let open = |flags: OFlags| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | flags;
        match openat(CWD, path, flags | OFlags::NOATIME, Mode::empty()) {
            // Only a file's owner may leave its access time alone.
            Err(Errno::PERM) => openat(CWD, path, flags, Mode::empty()),
            other => other,
        }
    };
    match open(OFlags::DIRECT) {
        Err(Errno::INVAL) => {
            let file = open(OFlags::empty())?;
            // The cache is asked to forget the file; that it did is not proven.
            let _ = fadvise(&file, 0, None, Advice::DontNeed);
            Ok((File::from(file), true))
        }
        other => Ok((File::from(other?), false)),
    }
}

/// What is the same for everything that is timed.
struct Measured {
    played: Played,
    begin: u64,
    cpu: u64,
    counters: Option<DeviceCounters>,
}

impl Measured {
    fn begin(run: &RunClock, device: Option<DeviceNumber>, live: &Live) -> Self {
        live.reset();
        let counters = device.and_then(counters::read);
        let cpu = process_cpu().0;
        let begin = SteadyClock::from(0).now();
        Self { played: Played::nothing(run.at(begin).0), begin, cpu, counters }
    }
}

fn finish(
    played: &mut Played,
    cpu: u64,
    before: Option<DeviceCounters>,
    device: Option<DeviceNumber>,
    state: &State,
    recorder: Recorder<'_>,
    files: FilesMoved,
) {
    played.cpu_ns = process_cpu().0 - cpu;
    let after = device.and_then(counters::read);
    played.device = before.zip(after).and_then(|(before, after)| counters::between(before, after));
    played.clock_anomalies = state.clock.anomalies();
    (played.error, played.stopped) = (state.error, state.stopped);
    played.files = Some(files);
    recorder.finish(played);
}

/// Files by the class of their size.
#[derive(Debug, Default)]
struct Classes(Vec<FileClass>);

impl Classes {
    fn add(&mut self, bytes: u64, time_ns: u64) {
        let place = FileClass::place(bytes);
        while self.0.len() <= place {
            self.0.push(FileClass::empty(self.0.len()));
        }
        let class = &mut self.0[place];
        class.files += 1;
        class.bytes += bytes;
        class.time_ns += time_ns;
    }

    fn finish(self, buffered: u32) -> FilesMoved {
        let classes = self.0.into_iter().filter(|class| class.files > 0).collect();
        FilesMoved { buffered, classes }
    }
}

/// Where a pass is.
struct State {
    clock: SteadyClock,
    begin: u64,
    error: Option<CellError>,
    stopped: bool,
}

impl State {
    fn at(begin: u64) -> Self {
        Self { clock: SteadyClock::from(begin), begin, error: None, stopped: false }
    }

    fn check(&mut self, result: Result<(), Errno>) {
        if let Err(errno) = result {
            self.error.get_or_insert(error_of(errno));
        }
    }

    /// Whether nothing more is begun.
    fn over(&mut self, stop: &StopFlag) -> bool {
        self.stopped |= stop.requested();
        self.stopped || self.error.is_some()
    }
}

/// An error without a place: a byte of one of many files says nothing.
fn error_of(errno: Errno) -> CellError {
    CellError { offset: None, ..failure(-errno.raw_os_error(), 0) }
}

/// A file that is being read.
struct Lane {
    file: Arc<File>,
    bytes: u64,
    next: u64,
    opened: u64,
}

/// Moves bytes of files through a queue.
struct Mover<'a> {
    queue: &'a mut Queue,
    block: u64,
    seed: u64,
    /// Bytes that were made to be written so far, so that no two blocks are alike.
    made: u64,
    stop: &'a StopFlag,
    live: &'a Live,
}

impl Mover<'_> {
    /// Moves one file: from memory or another file, to a file or nowhere.
    fn one_file(
        &mut self,
        (from, to): (Option<&Arc<File>>, Option<&Arc<File>>),
        bytes: u64,
        state: &mut State,
        recorder: &mut Recorder<'_>,
    ) {
        let mut free: Vec<u32> = (0..self.queue.depth()).rev().collect();
        let depth = free.len();
        let (first_op, first_file) = match (from, to) {
            (Some(from), _) => (Op::Read, from),
            (None, Some(to)) => (Op::Write, to),
            (None, None) => return,
        };
        let mut next = 0;
        let mut heard = state.clock.now();
        let mut done: Vec<Completion> = Vec::new();
        loop {
            while next < bytes && !state.over(self.stop) {
                let Some(slot) = free.pop() else { break };
                let operation = self.operation(first_op, next, bytes);
                if first_op == Op::Write {
                    let origin = origin(self.seed, self.made, 0);
                    self.queue.prepare(slot, operation, Some((origin, stamped_unit(operation.bytes))));
                    self.made += u64::from(operation.bytes);
                }
                next += u64::from(operation.bytes);
                if !self.submit(first_file, slot, operation, state, recorder) {
                    free.push(slot);
                }
            }
            if free.len() == depth {
                return;
            }
            done.clear();
            if !self.wait(depth - free.len(), &mut heard, state, &mut done) {
                return;
            }
            let now = state.clock.now();
            for Completion { slot, result } in done.drain(..) {
                let operation = recorder.end(slot, now, now - state.begin);
                if i64::from(result) != i64::from(operation.bytes) {
                    let error = CellError { offset: None, ..failure(result, 0) };
                    state.error.get_or_insert(error);
                }
                // What was read goes on to where it is duplicated, from the same memory.
                let onward = to.filter(|_| operation.op == Op::Read && state.error.is_none());
                let copied = onward.is_some_and(|to| {
                    let write = Operation { op: Op::Write, ..operation };
                    self.queue.prepare(slot, write, None);
                    self.submit(to, slot, write, state, recorder)
                });
                if !copied {
                    free.push(slot);
                }
            }
        }
    }

    /// Reads files in an order, so many at a time, each with one request in flight; yields how many of them went
    /// through the page cache.
    fn many_files(
        &mut self,
        parallel: u32,
        files: &[Found],
        order: &[usize],
        state: &mut State,
        recorder: &mut Recorder<'_>,
        classes: &mut Classes,
    ) -> u32 {
        let lanes = parallel.min(self.queue.depth());
        let mut open: Vec<Option<Lane>> = (0..lanes).map(|_| None).collect();
        let mut waiting = order.iter();
        let mut buffered = 0;
        let mut heard = state.clock.now();
        let mut done: Vec<Completion> = Vec::new();
        loop {
            for slot in 0..lanes {
                while open[slot as usize].is_none() && !state.over(self.stop) {
                    let Some(found) = waiting.next().map(|place| &files[*place]) else { break };
                    let opened = state.clock.now();
                    let (file, cached) = match own_file(&found.path) {
                        Ok(opened) => opened,
                        Err(errno) => {
                            state.check(Err(errno));
                            break;
                        }
                    };
                    buffered += u32::from(cached);
                    if found.bytes == 0 {
                        classes.add(0, state.clock.now() - opened);
                        continue;
                    }
                    let mut lane = Lane { file: Arc::new(file), bytes: found.bytes, next: 0, opened };
                    if self.read_on(slot, &mut lane, state, recorder) {
                        open[slot as usize] = Some(lane);
                    }
                }
            }
            let in_flight = open.iter().flatten().count();
            if in_flight == 0 {
                return buffered;
            }
            done.clear();
            if !self.wait(in_flight, &mut heard, state, &mut done) {
                return buffered;
            }
            let now = state.clock.now();
            for Completion { slot, result } in done.drain(..) {
                let operation = recorder.end(slot, now, now - state.begin);
                let Some(mut lane) = open[slot as usize].take() else { continue };
                // The last request of a file asks for a whole block and gets what there is.
                let there = u64::from(operation.bytes).min(lane.bytes - operation.offset);
                if u64::try_from(result).ok() != Some(there) {
                    let error = CellError { offset: None, ..failure(result, 0) };
                    state.error.get_or_insert(error);
                } else if lane.next >= lane.bytes {
                    classes.add(lane.bytes, now - lane.opened);
                } else if !state.over(self.stop) && self.read_on(slot, &mut lane, state, recorder) {
                    open[slot as usize] = Some(lane);
                }
            }
        }
    }

    /// Asks for what comes next of a file.
    fn read_on(
        &mut self,
        slot: u32,
        lane: &mut Lane,
        state: &mut State,
        recorder: &mut Recorder<'_>,
    ) -> bool {
        let operation = self.operation(Op::Read, lane.next, rounded(lane.bytes));
        lane.next += u64::from(operation.bytes);
        self.submit(&lane.file, slot, operation, state, recorder)
    }

    /// The request of a file of so many bytes that begins at an offset.
    fn operation(&self, op: Op, offset: u64, bytes: u64) -> Operation {
        let bytes = u32::try_from((bytes - offset).min(self.block)).unwrap_or(u32::MAX);
        Operation { due: Due::Now, op, offset, bytes }
    }

    fn submit(
        &mut self,
        file: &Arc<File>,
        slot: u32,
        operation: Operation,
        state: &mut State,
        recorder: &mut Recorder<'_>,
    ) -> bool {
        recorder.start(slot, operation, state.clock.now(), None);
        match self.queue.submit_to(file, slot, operation) {
            Ok(()) => true,
            Err(errno) => {
                recorder.forget(slot);
                let error = CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None };
                state.error.get_or_insert(error);
                false
            }
        }
    }

    /// Waits until something is complete. Whether it is still worth waiting.
    fn wait(
        &mut self,
        in_flight: usize,
        heard: &mut u64,
        state: &mut State,
        done: &mut Vec<Completion>,
    ) -> bool {
        let until = state.clock.now() + LOOK_NS;
        let error = match self.queue.wait(in_flight, until, done) {
            Err(errno) => CellError { kind: CellErrorKind::Io, errno: Some(errno), offset: None },
            Ok(()) if !done.is_empty() => {
                *heard = state.clock.now();
                return true;
            }
            Ok(()) if state.clock.now() - *heard > STALL_NS => {
                CellError { kind: CellErrorKind::Stalled, errno: None, offset: None }
            }
            Ok(()) => return true,
        };
        state.error.get_or_insert(error);
        self.queue.give_up();
        false
    }
}

/// A pass on files that is over, in a few words: `12.4 s, 13.0 s until durable, 1,882.3 MB/s`.
pub(super) fn figures(pass: &Pass) -> Vec<String> {
    let time = format_nanos(Nanos(pass.elapsed_ns));
    let settled = pass.settled_ns.map(|ns| format!("{} until durable", format_nanos(Nanos(ns))));
    let rate = per_second(pass.method.span_bytes, Nanos(pass.elapsed_ns));
    let rate = rate.filter(|_| pass.error.is_none()).map(format_rate);
    [Some(time), settled, rate].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashSet, os::fd::AsRawFd as _};

    /// The content of a file that has no name, through the page cache.
    fn content((file, bytes): &(Arc<File>, u64)) -> Vec<u8> {
        let all = std::fs::read(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
        assert_eq!(all.len() as u64, rounded(*bytes));
        all
    }

    #[test]
    fn duplicates_are_what_was_written_and_no_two_blocks_are_alike() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, directory.path(), flags, Mode::empty()).unwrap();
        let Ok(witness) = new_file(&dir, 4096) else { return };
        let mut slots = Slots::new(3, 64 << 10).unwrap();
        slots.fill_random(7);
        let (mut queue, _) = Queue::open(Arc::new(witness), slots).unwrap();
        let (stop, live, run) = (StopFlag::default(), Live::default(), RunClock::go_on(0));
        let mut mover =
            Mover { queue: &mut queue, block: 64 << 10, seed: 7, made: 0, stop: &stop, live: &live };
        let sizes = [1, 300_000, 0, 65_536, 70_000];
        let mut step = |from: &[(Arc<File>, u64)], step| {
            let copied = copy(&mut mover, &run, None, 1_000_000_000, &dir, (&sizes, from), step);
            let played = &copied.played;
            assert_eq!((played.error, played.stopped), (None, false));
            let moved: u64 = sizes.iter().map(|bytes| rounded(*bytes)).sum();
            for (side, is_moved) in [(&played.read, step.reads()), (&played.write, step.writes())] {
                assert_eq!(side.as_ref().map(|side| side.bytes), is_moved.then_some(moved), "{step:?}");
            }
            let files: u32 = played.files.as_ref().unwrap().classes.iter().map(|class| class.files).sum();
            assert_eq!(files as usize, sizes.len());
            copied
        };
        let originals = step(&[], CopyStep::Write).files;
        let duplicates = step(&originals, CopyStep::Duplicate).files;
        assert!(step(&originals, CopyStep::ReadOut).files.is_empty());
        let mut blocks = HashSet::new();
        for (original, duplicate) in originals.iter().zip(&duplicates) {
            let written = content(original);
            assert!(written == content(duplicate), "a file of {} bytes", original.1);
            assert!(written.chunks(4096).all(|block| blocks.insert(block.to_vec())), "two blocks are alike");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn files_are_let_go_when_another_set_or_a_rest_comes() {
        let copying = |manifest: &str, step| Copying {
            manifest: manifest.to_owned(),
            version: 1,
            scale_percent: 100,
            files: 1,
            step,
            block_bytes: 1 << 20,
            queue_depth: 8,
        };
        let method = |workload| PassMethod {
            workload,
            phase: None,
            number: 1,
            span_bytes: 1,
            before: model::pass::DoneBefore::default(),
        };
        for (next, stays) in [
            (Workload::Copying(copying("iso-20", CopyStep::Duplicate)), true),
            (Workload::Copying(copying("iso-20", CopyStep::ReadOut)), true),
            (Workload::Copying(copying("iso-20", CopyStep::Write)), false),
            (Workload::Copying(copying("game-54", CopyStep::Duplicate)), false),
            (Workload::Idle(model::pass::Idle { seconds: 1 }), false),
        ] {
            let of = copying("iso-20", CopyStep::Write);
            let mut kept = Kept(Some(Originals { of, files: Vec::new() }));
            kept.prepare_for(&method(next.clone()));
            assert_eq!(kept.0.is_some(), stays, "{next:?}");
        }
    }
}
