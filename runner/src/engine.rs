//! Measures one cell: threads that keep a queue of direct I/Os full for a given time and record every one.
//!
//! Knows what was submitted and what came back. Does not know what the figures mean, whether the drive did the
//! work (that is the target's proof), or who looks on.

mod buffers;
mod call_worker;
mod ceiling;
mod crew;
mod data;
mod draw;
mod enter;
mod error;
mod offsets;
mod order;
mod placement;
mod ring;
mod ring_setup;
mod ring_worker;
mod settle;

pub use crate::recorder::Live;
pub(crate) use buffers::Slots;
pub use ceiling::ceiling;
pub(crate) use data::{origin, stamp, unit_bytes};
pub use error::EngineError;
pub(crate) use order::{STALL_NS, failure};
pub(crate) use ring::{Direction, Ring};
pub(crate) use ring_setup::probe;

use crate::{
    clock::{RunClock, monotonic_ns, process_cpu},
    counters::{self, DeviceNumber},
    drive::ground::Ground,
    recorder,
    stop::StopFlag,
    sysfs::{SysRoot, flag},
    target::OpenTarget,
};
use crew::{Lane, Manner, Seeds, Share, Stream, Worker};
use model::{
    Method, Reading,
    document::{
        CellError, CellErrorKind, DeviceCounters, Engine, EngineClass, Loop, LoopEnded, MemberLoad, Streams,
        Transfer, Wait,
    },
    method::{Beside, DataKind},
    units::Nanos,
};
use offsets::{Offsets, mix};
use order::{Order, WorkerEnd};
use placement::Placement;
use ring_setup::{Grants, RingRefusal};
use settle::Onlooker;
use std::{
    io,
    ops::Range,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// Most I/Os in flight of the class `threads`, which takes a thread for each.
const MAX_CALL_THREADS: u32 = 256;

/// What a loop came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopEnd {
    /// The figures, as far as the loop got.
    pub record: Loop,
    /// The first error; the loop ended with it.
    pub error: Option<CellError>,
    /// On which of several drives apart the error happened, from 0; `None` for a single target.
    pub failed_member: Option<u8>,
    /// Whether the user stopped it before its time.
    pub stopped: bool,
}

/// Which of a cell's loops is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The most time it may take.
    pub longest: Nanos,
    /// Its place in the cell, from 0.
    pub number: u32,
    /// Whether the method discards it.
    pub discarded: bool,
    /// Bytes from the span's beginning on that hold data: a loop that reads to an end does not go beyond them.
    pub readable_bytes: u64,
}

impl Part {
    /// The first loop, for so long.
    #[must_use]
    pub fn first(longest: Nanos) -> Self {
        Self { longest, number: 0, discarded: false, readable_bytes: u64::MAX }
    }
}

/// Threads, rings and buffers of one cell on its target, or on each of its targets; they live as long as the session.
pub struct Session {
    method: Method,
    engine: Engine,
    /// Of each target the device whose counters see all of its bytes.
    devices: Vec<Option<DeviceNumber>>,
    workers: Vec<Worker>,
    ends: mpsc::Receiver<(Lane, WorkerEnd)>,
    /// A worker did not come back: nothing can be measured with this session any more.
    lost: bool,
}

impl Session {
    /// Sets everything up that a cell needs, so that a loop only has to start.
    ///
    /// # Errors
    /// When the method does not suit the target, or memory, threads or rings cannot be had.
    pub fn open(target: &OpenTarget, method: &Method, wait: Wait, seed: u64) -> Result<Self, EngineError> {
        Self::open_on(&[target], method, wait, seed)
    }

    /// The same on several targets, of which a method of drives apart uses as many as it has drives, and any other the
    /// first: on each of them its threads with their queue depth, all at once.
    ///
    /// # Errors
    /// As there, and when there are fewer targets than drives.
    pub fn open_on(
        targets: &[&OpenTarget],
        method: &Method,
        wait: Wait,
        seed: u64,
    ) -> Result<Self, EngineError> {
        Self::open_with(targets, method, wait, seed, probe().err())
    }

    /// As [`Session::open_on`], over rings unless they are refused.
    fn open_with(
        targets: &[&OpenTarget],
        method: &Method,
        wait: Wait,
        seed: u64,
        refusal: Option<RingRefusal>,
    ) -> Result<Self, EngineError> {
        let needed = usize::from(method.drives_apart().unwrap_or(1));
        let targets =
            targets.get(..needed).ok_or(EngineError::TooFewDrives { needed, have: targets.len() })?;
        let root = SysRoot::default();
        let threads = threads(method);
        for target in targets {
            check(target, method)?;
            check_wait(&root, target.block_device(), wait, all_threads(method))?;
        }
        let refusal = refusal.map(|refusal| refusal.0);
        let class = match (&refusal, wait) {
            (None, Wait::Block) => EngineClass::Uring,
            (None, Wait::Poll | Wait::DevicePoll | Wait::SubmitPoll) => EngineClass::Polled,
            (Some(_), Wait::Block) => EngineClass::Threads,
            (Some(reason), _) => return Err(EngineError::PollingNeedsRing(reason.clone())),
        };
        if let Some(reason) = &refusal {
            check_callers(method, reason)?;
        }
        // Threads that make up a queue together are the scheduler's business.
        let placement = match class {
            EngineClass::Threads => Placement::default(),
            _ => {
                let grounds: Vec<_> = targets.iter().map(|target| target.ground(&root)).collect();
                Placement::near(&root, &grounds, threads * processors_each(wait))
            }
        };
        let mut cpus = placement.cpus;
        // A thread of the kernel does what the drive interrupts it for, so it gets the place near the drive. Left
        // alone it would share the processor of the thread that made it.
        let mut kernel_cpus = Vec::new();
        if wait == Wait::SubmitPoll {
            let (kernel, own): (Vec<_>, Vec<_>) =
                cpus.chunks(threads as usize).enumerate().partition(|(index, _)| index % 2 == 0);
            let flat =
                |parts: Vec<(usize, &[u32])>| parts.into_iter().flat_map(|(_, cpus)| cpus).copied().collect();
            (kernel_cpus, cpus) = (flat(kernel), flat(own));
        }
        let mut buffer_page_bytes = u64::MAX;
        let mut shares = Vec::new();
        for (member, target) in (0_u8..).zip(targets) {
            for (stream, method) in &streams(method) {
                // Threads of the system for each thread of the method, and I/Os in flight of each of them.
                let (callers, depth) = match class {
                    EngineClass::Threads => (method.queue_depth, 1),
                    _ => (1, method.queue_depth),
                };
                let first =
                    u32::from(member) * threads + if *stream == Stream::Beside { threads - 1 } else { 0 };
                let near = cpus.get(first as usize).copied();
                let all_slots = slots_near(
                    near,
                    method.threads * callers,
                    depth * slots_each(method),
                    method.block_bytes,
                )
                .map_err(EngineError::Memory)?;
                buffer_page_bytes = all_slots.first().map_or(0, Slots::page_bytes).min(buffer_page_bytes);
                let all_offsets =
                    (0..method.threads).flat_map(|index| offsets(method, seed, first, index).share(callers));
                let lane = Lane { stream: *stream, member };
                for (slots, offsets) in all_slots.into_iter().zip(all_offsets) {
                    let index = u32::try_from(shares.len()).expect("there are a few hundred at most");
                    let seeds = Seeds { own: worker_seed(seed, index), common: seed };
                    shares.push(Share::new(target, (lane, method), seeds, offsets, slots));
                }
            }
        }
        let (send_end, ends) = mpsc::channel();
        let mut workers = Vec::new();
        let refused = refusal.into_iter().chain(placement.refused).collect();
        let mut grants = Grants { features: Vec::new(), refused };
        for (index, share) in shares.into_iter().enumerate() {
            let cpu_of = |cpus: &[u32]| cpus.get(index).copied();
            let manner = Manner { class, wait, cpu: cpu_of(&cpus), kernel_cpu: cpu_of(&kernel_cpus) };
            let (worker, granted) = share.start(manner, send_end.clone())?;
            workers.push(worker);
            grants.features.extend(granted.features);
            grants.refused.extend(granted.refused);
        }
        if targets.iter().all(|target| target.without_atime()) {
            grants.features.push("noatime".to_owned());
        }
        for list in [&mut grants.features, &mut grants.refused] {
            list.sort_unstable();
            list.dedup();
        }
        // One thread that could not be kept where it belongs, and none counts as kept.
        let pinned = !grants.refused.iter().any(|refused| refused.starts_with("pinning"));
        let engine = Engine {
            class,
            wait,
            cpus: if pinned { cpus } else { Vec::new() },
            features: grants.features,
            refused: grants.refused,
            buffer_page_bytes,
        };
        let devices = targets.iter().map(|target| target.counted_device()).collect();
        Ok(Self { method: method.clone(), engine, devices, workers, ends, lost: false })
    }

    /// How I/Os are submitted and awaited, and what the kernel granted.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Runs one loop: to its end, to the first error, or until a stop is asked for.
    pub fn run_loop(&mut self, part: Part, clock: &RunClock, stop: &StopFlag, live: &Live) -> LoopEnd {
        live.reset();
        let order = Order::new(part.longest.0, self.stretch(&part), self.workers.len(), live, stop);
        let order = Arc::new(order);
        let before = self.counters();
        let cpu_before = process_cpu();
        let called_ns = monotonic_ns();
        for worker in &self.workers {
            self.lost |= worker.orders.send(Arc::clone(&order)).is_err();
        }
        let ends = if self.lost {
            Vec::new()
        } else {
            order.gate.wait();
            self.collect(&order)
        };
        let cpu = process_cpu().0 - cpu_before.0;
        let counted: Vec<Option<DeviceCounters>> =
            before.into_iter().zip(self.counters()).map(|(a, b)| counters::between(a?, b?)).collect();

        let stalled = CellError { kind: CellErrorKind::Stalled, errno: None, offset: None };
        let all = || ends.iter().map(|(_, end)| end);
        let failed = ends.iter().find_map(|(lane, end)| Some((end.error?, Some(lane.member))));
        let failed = failed.or(self.lost.then_some((stalled, None)));
        let error = failed.map(|(error, _)| error);
        let stopped = error.is_none() && all().any(|end| end.stopped);
        let start_ns = all().map(|end| end.start_ns).min().unwrap_or(called_ns);
        let end_ns = all().map(|end| end.end_ns).max().unwrap_or(start_ns);
        let drained_ns = all().map(|end| end.drained_ns).max().unwrap_or(end_ns).max(end_ns);
        let drained_ios = all().map(|end| end.drained_ios).sum();
        let clock_anomalies = all().map(|end| end.clock_anomalies).sum();
        let ended = ended(&all().map(|end| end.ended).collect::<Vec<_>>());
        let elapsed_ns = end_ns - start_ns;
        let apart = self.method.apart;
        let members = if apart { loads(&ends, &counted) } else { Vec::new() };
        let (mut main, mut beside) = (Vec::new(), Vec::new());
        for (lane, end) in ends {
            match lane.stream {
                Stream::Main => main.push(end.streams),
                Stream::Beside => beside.push(end.streams),
            }
        }
        let Streams { read, write } = merged(main, elapsed_ns);
        let record = Loop {
            discarded: part.discarded,
            started_ns: clock.at(start_ns).0,
            elapsed_ns,
            drain_ns: drained_ns - end_ns,
            drained_ios,
            clock_anomalies,
            cpu_ns: cpu,
            read,
            write,
            beside: self.method.beside.map(|_| merged(beside, elapsed_ns)),
            ended,
            device: DeviceCounters::sum(counted),
            members,
        };
        let failed_member = failed.and_then(|(_, member)| member).filter(|_| apart);
        LoopEnd { record, error, failed_member, stopped }
    }

    /// The counters of each target's device now.
    fn counters(&self) -> Vec<Option<DeviceCounters>> {
        self.devices.iter().map(|device| device.and_then(counters::read)).collect()
    }

    /// The bytes of the span that a loop goes through once; `None` when it ends by time.
    fn stretch(&self, part: &Part) -> Option<Range<u64>> {
        let one = self.method.stretches()?;
        let begin = self.method.stretch_begin(part.number);
        let readable = if self.method.pattern.reads() { part.readable_bytes } else { u64::MAX };
        let bytes = one.loop_bytes.min(readable.saturating_sub(begin));
        Some(begin..begin + bytes - bytes % u64::from(self.method.block_bytes))
    }

    /// Waits for every worker's end of the loop, and ends a stretch that has settled. A worker whose system call never
    /// returns is given up.
    fn collect(&mut self, order: &Order) -> Vec<(Lane, WorkerEnd)> {
        let limit_ns = monotonic_ns().saturating_add(order.loop_ns).saturating_add(2 * STALL_NS);
        let settles = self.method.stretches().and_then(|one| one.settles);
        let mut onlooker = settles.map(|rule| Onlooker::new(rule, order));
        let mut ends = Vec::with_capacity(self.workers.len());
        while ends.len() < self.workers.len() {
            let now_ns = monotonic_ns();
            let left_ns = limit_ns.saturating_sub(now_ns);
            let wait_ns = onlooker.as_ref().map_or(left_ns, |one| one.wait_ns(order, now_ns).min(left_ns));
            match self.ends.recv_timeout(Duration::from_nanos(wait_ns)) {
                Ok(end) => ends.push(end),
                Err(RecvTimeoutError::Timeout) if wait_ns < left_ns => {
                    if let Some(onlooker) = &mut onlooker {
                        onlooker.look(order, monotonic_ns());
                    }
                }
                Err(_) => {
                    self.lost = true;
                    break;
                }
            }
        }
        ends
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for Worker { orders, thread } in self.workers.drain(..) {
            drop(orders);
            // A worker that is stuck in the kernel cannot be waited for; it keeps its own buffers.
            if !self.lost {
                // A worker's panic was printed when it happened; its buffers and ring are gone like the others'.
                let _ = thread.join();
            }
        }
    }
}

fn check(target: &OpenTarget, method: &Method) -> Result<(), EngineError> {
    if !method.in_range() {
        return Err(EngineError::Method(method.cell()));
    }
    if method.span_bytes > target.span_bytes() {
        return Err(EngineError::Span { span: method.span_bytes, target: target.span_bytes() });
    }
    check_alignment(method, target.offset_align())?;
    if method.pattern.writes() && !target.writable() {
        return Err(EngineError::ReadOnly);
    }
    if method.pattern.writes() && method.data == DataKind::Existing {
        return Err(EngineError::WritesExisting);
    }
    let buffers = |stream: &Method| {
        let slots = [stream.queue_depth, stream.threads, slots_each(stream)];
        slots.into_iter().map(u64::from).product::<u64>() * u64::from(stream.block_bytes)
    };
    let drives = method.drives_apart().map_or(1, u64::from);
    let buffers = drives * streams(method).iter().map(|(_, stream)| buffers(stream)).sum::<u64>();
    let info = rustix::system::sysinfo();
    let memory = u128::from(info.totalram) * u128::from(info.mem_unit.max(1));
    if u128::from(buffers) > memory / 4 {
        return Err(EngineError::TooMuchMemory(buffers));
    }
    Ok(())
}

/// The streams of a method, each with the method of its own I/Os.
fn streams(method: &Method) -> Vec<(Stream, Method)> {
    let main = Method { beside: None, ..method.clone() };
    let beside = method.beside.map(|Beside { block_bytes, queue_depth }| {
        (Stream::Beside, Method { block_bytes, queue_depth, threads: 1, ..main.clone() })
    });
    [(Stream::Main, main)].into_iter().chain(beside).collect()
}

/// Threads of a method on one target, that of a second stream included.
fn threads(method: &Method) -> u32 {
    method.threads + u32::from(method.beside.is_some())
}

/// The same on all of its targets.
pub(crate) fn all_threads(method: &Method) -> u32 {
    threads(method) * method.drives_apart().map_or(1, u32::from)
}

/// Slots for each I/O in flight: what is read and what is written is kept apart.
fn slots_each(method: &Method) -> u32 {
    if method.read_percent.is_some() { 2 } else { 1 }
}

/// Whether a method's blocks can be moved directly where offsets and sizes must be multiples of `align` bytes.
///
/// # Errors
/// When they cannot.
pub(crate) fn check_alignment(method: &Method, align: u32) -> Result<(), EngineError> {
    let mut blocks = [method.block_bytes].into_iter().chain(method.beside.map(|beside| beside.block_bytes));
    match blocks.find(|block| !block.is_multiple_of(align)) {
        Some(block) => Err(EngineError::Alignment { block, align }),
        None => Ok(()),
    }
}

/// Processors that are busy all the time for each measuring thread that waits in this way.
fn processors_each(wait: Wait) -> u32 {
    if wait == Wait::SubmitPoll { 2 } else { 1 }
}

/// Whether `threads` threads can await completions on a device in this way. Asked before any I/O: a kernel that cannot
/// poll a device waits for interrupts without a word, or fails each I/O.
///
/// # Errors
/// When the kernel is to poll a device that has no queue for it, or its threads would take the processors from ours.
pub(crate) fn check_wait(
    root: &SysRoot,
    device: Option<DeviceNumber>,
    wait: Wait,
    threads: u32,
) -> Result<(), EngineError> {
    let needed = threads.saturating_mul(processors_each(wait)) as usize;
    if wait == Wait::SubmitPoll
        && let Some(have) = placement::processors().filter(|have| *have < needed)
    {
        return Err(EngineError::TooFewProcessors { needed, have });
    }
    if wait != Wait::DevicePoll {
        return Ok(());
    }
    let found = device.and_then(|device| Some((root.device(device)?, Ground::of(root, device)?)));
    let Some((top, ground)) = found else {
        return Err(EngineError::NoDevicePolling("the file system names no block device"));
    };
    // A layer in between has to pass the polling on.
    let whole = if top.join("partition").exists() { top.parent().unwrap_or(&top) } else { &top };
    for device in [whole, &ground.device] {
        match flag(&device.join("queue/io_poll")) {
            Reading::Known(true) => {}
            Reading::Known(false) => return Err(EngineError::NoDevicePolling("its queue/io_poll is 0")),
            Reading::Absent(_) => return Err(EngineError::NoDevicePolling("it has no queue/io_poll")),
        }
    }
    Ok(())
}

/// Slots for all workers, made by a thread on `cpu`, so that their memory lies near it.
fn slots_near(cpu: Option<u32>, workers: u32, depth: u32, block_bytes: u32) -> io::Result<Vec<Slots>> {
    let make = || Slots::for_workers(workers, depth, block_bytes);
    let Some(cpu) = cpu else { return make() };
    thread::scope(|scope| {
        let maker = scope.spawn(|| {
            // Memory elsewhere is slower and serves all the same; the workers name the refusal.
            let _ = placement::pin(cpu);
            make()
        });
        maker.join().unwrap_or_else(|_| Err(io::Error::other("the thread that made them panicked")))
    })
}

/// Whether there may be a thread for every I/O in flight.
fn check_callers(method: &Method, reason: &str) -> Result<(), EngineError> {
    let drives = method.drives_apart().map_or(1, u32::from);
    let each: u32 = streams(method).iter().map(|(_, stream)| stream.threads * stream.queue_depth).sum();
    let in_flight = each * drives;
    if in_flight > MAX_CALL_THREADS {
        return Err(EngineError::TooManyThreads { in_flight, reason: reason.to_owned() });
    }
    Ok(())
}

/// Offsets of one thread of a stream, before whose threads there are `before` others.
fn offsets(method: &Method, seed: u64, before: u32, index: u32) -> Offsets {
    let Method { pattern, threads, span_bytes, block_bytes, .. } = *method;
    if pattern.sequential() {
        Offsets::sequential(index, threads, span_bytes, block_bytes)
    } else {
        Offsets::random(worker_seed(seed, before + index), span_bytes, block_bytes)
    }
}

/// What the workers on each target did, and what its device counted meanwhile.
fn loads(ends: &[(Lane, WorkerEnd)], counted: &[Option<DeviceCounters>]) -> Vec<MemberLoad> {
    let load = |(member, device): (u8, &Option<DeviceCounters>)| {
        let own = || ends.iter().filter(move |(lane, _)| lane.member == member).map(|(_, end)| end);
        let sum = |of: fn(&Streams) -> &Option<Transfer>| {
            own().filter_map(|end| of(&end.streams).as_ref()).map(|transfer| transfer.bytes).sum()
        };
        MemberLoad {
            read_bytes: sum(|streams| &streams.read),
            written_bytes: sum(|streams| &streams.write),
            drained_ios: own().map(|end| end.drained_ios).sum(),
            device: *device,
        }
    };
    (0..).zip(counted).map(load).collect()
}

/// The records of a stream's workers as one.
fn merged(workers: Vec<Streams>, elapsed_ns: u64) -> Streams {
    let (reads, writes): (Vec<_>, Vec<_>) = workers.into_iter().map(|one| (one.read, one.write)).unzip();
    Streams {
        read: recorder::merge(reads.into_iter().flatten(), elapsed_ns),
        write: recorder::merge(writes.into_iter().flatten(), elapsed_ns),
    }
}

/// What ended a loop: its time when any worker met it, otherwise what left bytes undone.
fn ended(workers: &[LoopEnded]) -> LoopEnded {
    let by_weight = [LoopEnded::Time, LoopEnded::Settled, LoopEnded::Bytes];
    by_weight.into_iter().find(|what| workers.contains(what)).unwrap_or_default()
}

fn worker_seed(seed: u64, index: u32) -> u64 {
    mix(seed.wrapping_add(u64::from(index)))
}

#[cfg(test)]
mod tests;
