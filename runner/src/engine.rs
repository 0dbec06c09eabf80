//! Measures one cell: threads that keep a queue of direct I/Os full for a given time and record every one.
//!
//! Knows what was submitted and what came back. Does not know what the figures mean, whether the drive did the
//! work (that is the target's proof), or who looks on.

mod buffers;
mod call_worker;
mod ceiling;
mod crew;
mod data;
mod enter;
mod error;
mod offsets;
mod order;
mod placement;
mod ring;
mod ring_setup;
mod ring_worker;

pub use crate::recorder::Live;
pub(crate) use buffers::Slots;
pub use ceiling::ceiling;
pub(crate) use data::{origin, stamp, unit_bytes};
pub use error::EngineError;
pub(crate) use order::STALL_NS;
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
use crew::{Manner, Seeds, Share, Worker};
use model::{
    Method, Reading,
    document::{CellError, CellErrorKind, Engine, EngineClass, Loop, LoopEnded, Wait},
    method::DataKind,
    units::Nanos,
};
use offsets::{Offsets, mix};
use order::{Order, WorkerEnd};
use placement::Placement;
use ring_setup::{Grants, RingRefusal};
use std::{
    io,
    sync::{Arc, mpsc},
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

/// Threads, rings and buffers of one cell on one target; they live as long as the session.
pub struct Session {
    method: Method,
    engine: Engine,
    device: Option<DeviceNumber>,
    workers: Vec<Worker>,
    ends: mpsc::Receiver<WorkerEnd>,
    /// A worker did not come back: nothing can be measured with this session any more.
    lost: bool,
}

impl Session {
    /// Sets everything up that a cell needs, so that a loop only has to start.
    ///
    /// # Errors
    /// When the method does not suit the target, or memory, threads or rings cannot be had.
    pub fn open(target: &OpenTarget, method: &Method, wait: Wait, seed: u64) -> Result<Self, EngineError> {
        Self::open_with(target, method, wait, seed, probe().err())
    }

    /// As [`Session::open`], over rings unless they are refused.
    fn open_with(
        target: &OpenTarget,
        method: &Method,
        wait: Wait,
        seed: u64,
        refusal: Option<RingRefusal>,
    ) -> Result<Self, EngineError> {
        check(target, method)?;
        let root = SysRoot::default();
        check_wait(&root, target.block_device(), wait, method.threads)?;
        let refusal = refusal.map(|refusal| refusal.0);
        let class = match (&refusal, wait) {
            (None, Wait::Block) => EngineClass::Uring,
            (None, Wait::Poll | Wait::DevicePoll | Wait::SubmitPoll) => EngineClass::Polled,
            (Some(_), Wait::Block) => EngineClass::Threads,
            (Some(reason), _) => return Err(EngineError::PollingNeedsRing(reason.clone())),
        };
        // Threads of the system for each thread of the method, and I/Os in flight of each of them.
        let (callers, depth) = match &refusal {
            Some(reason) => (callers(method, reason)?, 1),
            None => (1, method.queue_depth),
        };
        // Threads that make up a queue together are the scheduler's business.
        let placement = match class {
            EngineClass::Threads => Placement::default(),
            _ => {
                Placement::near(&root, target.ground(&root).as_ref(), method.threads * processors_each(wait))
            }
        };
        let mut cpus = placement.cpus;
        // A thread of the kernel does what the drive interrupts it for, so it gets the place near the drive. Left
        // alone it would share the processor of the thread that made it.
        let kernel_cpus = match wait {
            Wait::SubmitPoll if !cpus.is_empty() => cpus.drain(..method.threads as usize).collect(),
            _ => Vec::new(),
        };
        let all_slots =
            slots_near(cpus.first().copied(), method.threads * callers, depth, method.block_bytes)
                .map_err(EngineError::Memory)?;
        let buffer_page_bytes = all_slots.first().map_or(0, Slots::page_bytes);
        let all_offsets = (0..method.threads).flat_map(|index| offsets(method, seed, index).share(callers));
        let (send_end, ends) = mpsc::channel();
        let mut workers = Vec::new();
        let refused = refusal.into_iter().chain(placement.refused).collect();
        let mut grants = Grants { features: Vec::new(), refused };
        for (index, (slots, offsets)) in (0..).zip(all_slots.into_iter().zip(all_offsets)) {
            let seeds = Seeds { own: worker_seed(seed, index), common: seed };
            let share = Share::new(target, method, seeds, offsets, slots);
            let cpu_of = |cpus: &[u32]| cpus.get(index as usize).copied();
            let manner = Manner { class, wait, cpu: cpu_of(&cpus), kernel_cpu: cpu_of(&kernel_cpus) };
            let (worker, granted) = share.start(manner, send_end.clone())?;
            workers.push(worker);
            grants.features.extend(granted.features);
            grants.refused.extend(granted.refused);
        }
        if target.without_atime() {
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
        let device = target.counted_device();
        Ok(Self { method: method.clone(), engine, device, workers, ends, lost: false })
    }

    /// How I/Os are submitted and awaited, and what the kernel granted.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Runs one loop: to its end, to the first error, or until a stop is asked for.
    pub fn run_loop(&mut self, part: Part, clock: &RunClock, stop: &StopFlag, live: &Live) -> LoopEnd {
        let Part { longest: duration, number, discarded, readable_bytes } = part;
        let _ = (number, readable_bytes);
        live.reset();
        let order = Arc::new(Order::new(duration.0, self.workers.len(), live, stop));
        let device_before = self.device.and_then(counters::read);
        let cpu_before = process_cpu();
        let called_ns = monotonic_ns();
        for worker in &self.workers {
            self.lost |= worker.orders.send(Arc::clone(&order)).is_err();
        }
        let ends = if self.lost {
            Vec::new()
        } else {
            order.gate.wait();
            self.collect(duration)
        };
        let cpu = process_cpu().0 - cpu_before.0;
        let device_after = self.device.and_then(counters::read);
        let device =
            device_before.zip(device_after).and_then(|(before, after)| counters::between(before, after));

        let stalled = CellError { kind: CellErrorKind::Stalled, errno: None, offset: None };
        let error = ends.iter().find_map(|end| end.error).or(self.lost.then_some(stalled));
        let stopped = error.is_none() && ends.iter().any(|end| end.stopped);
        let start_ns = ends.iter().map(|end| end.start_ns).min().unwrap_or(called_ns);
        let end_ns = ends.iter().map(|end| end.end_ns).max().unwrap_or(start_ns);
        let drained_ns = ends.iter().map(|end| end.drained_ns).max().unwrap_or(end_ns);
        let drained_ios = ends.iter().map(|end| end.drained_ios).sum();
        let clock_anomalies = ends.iter().map(|end| end.clock_anomalies).sum();
        let elapsed_ns = end_ns - start_ns;
        let transfer = recorder::merge(ends.into_iter().map(|end| end.transfer), elapsed_ns);
        let (read, write) = if self.method.pattern.writes() { (None, transfer) } else { (transfer, None) };
        let record = Loop {
            discarded,
            started_ns: clock.at(start_ns).0,
            elapsed_ns,
            drain_ns: drained_ns - end_ns,
            drained_ios,
            clock_anomalies,
            cpu_ns: cpu,
            read,
            write,
            beside: None,
            ended: LoopEnded::Time,
            device,
        };
        LoopEnd { record, error, stopped }
    }

    /// Waits for every worker's end of the loop. A worker whose system call never returns is given up.
    fn collect(&mut self, duration: Nanos) -> Vec<WorkerEnd> {
        let limit = Duration::from_nanos(duration.0.saturating_add(2 * STALL_NS));
        let mut ends = Vec::with_capacity(self.workers.len());
        while ends.len() < self.workers.len() {
            match self.ends.recv_timeout(limit) {
                Ok(end) => ends.push(end),
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
    check_alignment(method.block_bytes, target.offset_align())?;
    if method.pattern.writes() && !target.writable() {
        return Err(EngineError::ReadOnly);
    }
    if method.pattern.writes() && method.data == DataKind::Existing {
        return Err(EngineError::WritesExisting);
    }
    let buffers = u64::from(method.block_bytes) * u64::from(method.queue_depth) * u64::from(method.threads);
    let info = rustix::system::sysinfo();
    let memory = u128::from(info.totalram) * u128::from(info.mem_unit.max(1));
    if u128::from(buffers) > memory / 4 {
        return Err(EngineError::TooMuchMemory(buffers));
    }
    Ok(())
}

/// Whether blocks of so many bytes can be moved directly where offsets and sizes must be multiples of `align` bytes.
///
/// # Errors
/// When they cannot.
pub(crate) fn check_alignment(block: u32, align: u32) -> Result<(), EngineError> {
    if block.is_multiple_of(align) { Ok(()) } else { Err(EngineError::Alignment { block, align }) }
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

/// Threads with one I/O in flight each that make up one thread of the method.
fn callers(method: &Method, reason: &str) -> Result<u32, EngineError> {
    let in_flight = method.threads * method.queue_depth;
    if in_flight > MAX_CALL_THREADS {
        return Err(EngineError::TooManyThreads { in_flight, reason: reason.to_owned() });
    }
    Ok(method.queue_depth)
}

/// Offsets of one thread of the method.
fn offsets(method: &Method, seed: u64, index: u32) -> Offsets {
    let Method { pattern, threads, span_bytes, block_bytes, .. } = *method;
    if pattern.sequential() {
        Offsets::sequential(index, threads, span_bytes, block_bytes)
    } else {
        Offsets::random(worker_seed(seed, index), span_bytes, block_bytes)
    }
}

fn worker_seed(seed: u64, index: u32) -> u64 {
    mix(seed.wrapping_add(u64::from(index)))
}

#[cfg(test)]
mod tests;
