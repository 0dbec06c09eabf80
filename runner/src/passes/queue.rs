//! A queue of direct I/Os of any sizes: one ring, or a thread for each place where the kernel grants no ring.
//!
//! Knows slots, submissions and completions. Does not know times, orders or figures.
#![expect(
    unsafe_code,
    reason = "the kernel reads and writes the memory of a slot while its I/O is in flight"
)]

use crate::{
    clock::monotonic_ns,
    engine::{EngineError, Slots, probe, stamp},
};
use io_uring::{
    IoUring, opcode,
    types::{Fd, SubmitArgs, Timespec},
};
use model::{
    document::{Engine, EngineClass, Wait},
    units::NS_PER_S,
};
use std::{
    fs::File,
    io,
    mem::ManuallyDrop,
    os::{fd::AsRawFd as _, unix::fs::FileExt as _},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};
use workloads::{Op, Operation};

/// Time before a deadline that is spent looking: the kernel wakes a thread that late.
const SPIN_NS: u64 = 60_000;
/// Most threads without a ring.
const MOST_CALLERS: u32 = 64;

/// An I/O that is back: its slot, and bytes or a negative error number. A flush has moved 0 bytes.
pub(super) struct Completion {
    pub(super) slot: u32,
    pub(super) result: i32,
}

/// The queue.
pub(super) enum Queue {
    Ring(Box<RingQueue>),
    Calls(Calls),
}

impl Queue {
    /// A queue on a file, as deep as there are slots at most.
    pub(super) fn open(file: Arc<File>, slots: Slots) -> Result<(Self, Engine), EngineError> {
        let mut engine = Engine {
            class: EngineClass::Uring,
            wait: Wait::Block,
            cpus: Vec::new(),
            features: Vec::new(),
            refused: Vec::new(),
            buffer_page_bytes: slots.page_bytes(),
        };
        let refusal = match probe() {
            Err(refusal) => refusal.0,
            Ok(_) => match IoUring::builder().build(slots.count().next_power_of_two().max(8)) {
                Err(error) => return Err(EngineError::Ring(error.to_string())),
                Ok(ring) if ring.params().is_feature_ext_arg() => {
                    engine.features.push("ext-arg".to_owned());
                    let ring = ManuallyDrop::new(ring);
                    let slots = ManuallyDrop::new(slots);
                    let files = vec![None; slots.count() as usize];
                    let queue = RingQueue { file, files, ring, slots, in_flight: 0 };
                    return Ok((Self::Ring(Box::new(queue)), engine));
                }
                Ok(_) => "no ext-arg".to_owned(),
            },
        };
        engine.class = EngineClass::Threads;
        engine.refused.push(refusal);
        Calls::start(&file, &slots).map(|calls| (Self::Calls(calls), engine))
    }

    /// I/Os that can be in flight.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::Ring(ring) => ring.slots.count(),
            Self::Calls(calls) => u32::try_from(calls.callers.len()).unwrap_or(MOST_CALLERS),
        }
    }

    /// Makes the data of a slot for an operation that comes next: `origin` is where its stamps begin and what each
    /// makes unique, `None` for data that stays as it is.
    pub(super) fn prepare(&mut self, slot: u32, operation: Operation, origin: Option<(u64, usize)>) {
        if operation.op != Op::Write {
            return;
        }
        match self {
            Self::Ring(ring) => {
                if let Some((origin, unit)) = origin {
                    stamp(&mut ring.slots.slot(slot)[..operation.bytes as usize], unit, origin);
                }
            }
            Self::Calls(calls) => calls.callers[slot as usize].origin = origin,
        }
    }

    /// Submits an operation on the queue's own file in a slot that is free.
    ///
    /// # Errors
    /// The kernel's number.
    pub(super) fn submit(&mut self, slot: u32, operation: Operation) -> Result<(), i32> {
        match self {
            Self::Ring(ring) => {
                let file = Arc::clone(&ring.file);
                ring.submit(slot, operation, file)
            }
            Self::Calls(calls) => calls.submit(slot, operation, None),
        }
    }

    /// The same on another file, which stays open until the operation is complete.
    ///
    /// # Errors
    /// The kernel's number.
    pub(super) fn submit_to(&mut self, file: &Arc<File>, slot: u32, operation: Operation) -> Result<(), i32> {
        match self {
            Self::Ring(ring) => ring.submit(slot, operation, Arc::clone(file)),
            Self::Calls(calls) => calls.submit(slot, operation, Some(Arc::clone(file))),
        }
    }

    /// Waits for a completion, at most until `until` on the monotonic clock, and takes all that are there.
    ///
    /// # Errors
    /// The kernel's number.
    pub(super) fn wait(
        &mut self,
        in_flight: usize,
        until: u64,
        done: &mut Vec<Completion>,
    ) -> Result<(), i32> {
        match self {
            Self::Ring(ring) => ring.wait(in_flight, until, done),
            Self::Calls(calls) => {
                calls.wait(until, done);
                Ok(())
            }
        }
    }

    /// I/Os in flight will not come back: what belongs to them is kept for ever.
    pub(super) fn give_up(&mut self) {
        if let Self::Calls(calls) = self {
            calls.lost = true;
        }
    }
}

/// One ring.
pub(super) struct RingQueue {
    file: Arc<File>,
    /// The file of the operation in each slot, from its submission on.
    files: Vec<Option<Arc<File>>>,
    ring: ManuallyDrop<IoUring>,
    slots: ManuallyDrop<Slots>,
    in_flight: u32,
}

impl RingQueue {
    fn submit(&mut self, slot: u32, operation: Operation, file: Arc<File>) -> Result<(), i32> {
        let fd = Fd(file.as_raw_fd());
        self.files[slot as usize] = Some(file);
        let (address, bytes) = (self.slots.address(slot), operation.bytes);
        debug_assert!(bytes as usize <= self.slots.block());
        let entry = match operation.op {
            Op::Read => opcode::Read::new(fd, address, bytes).offset(operation.offset).build(),
            Op::Write => opcode::Write::new(fd, address, bytes).offset(operation.offset).build(),
            Op::Flush => opcode::Fsync::new(fd).build(),
        };
        let entry = entry.user_data(slot.into());
        // SAFETY: the slot has `bytes` bytes, nothing else touches it until its completion was taken, and neither it nor
        // the file goes away while anything is in flight (see `drop`).
        unsafe { self.ring.submission().push(&entry) }.map_err(|_| libc::EBUSY)?;
        self.in_flight += 1;
        loop {
            match self.ring.submit() {
                Ok(_) => return Ok(()),
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
            }
        }
    }

    fn wait(&mut self, in_flight: usize, until: u64, done: &mut Vec<Completion>) -> Result<(), i32> {
        loop {
            for entry in self.ring.completion() {
                let slot = u32::try_from(entry.user_data()).unwrap_or(u32::MAX);
                done.push(Completion { slot, result: entry.result() });
                self.files[slot as usize] = None;
                self.in_flight -= 1;
            }
            let now = monotonic_ns();
            if !done.is_empty() || now >= until {
                return Ok(());
            }
            let sleep = (until - now).saturating_sub(SPIN_NS);
            if sleep == 0 {
                std::hint::spin_loop();
                continue;
            }
            if in_flight == 0 {
                thread::sleep(Duration::from_nanos(sleep));
                continue;
            }
            let time = Timespec::new().sec(sleep / NS_PER_S).nsec((sleep % NS_PER_S) as u32);
            match self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&time)) {
                Ok(_) => {}
                Err(error) if matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => {}
                Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
            }
        }
    }
}

impl Drop for RingQueue {
    fn drop(&mut self) {
        // The kernel may still write into the slots: they stay where they are, and the ring with them.
        if self.in_flight > 0 {
            self.files.drain(..).for_each(std::mem::forget);
            return;
        }
        // SAFETY: nothing is in flight, and neither is used after this.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.slots);
        }
    }
}

/// A thread for each place in the queue.
pub(super) struct Calls {
    callers: Vec<Caller>,
    done: mpsc::Receiver<Completion>,
    /// A thread does not come back: it is not waited for.
    lost: bool,
}

/// What a thread is to do: on which file, unless on the queue's own, and how its data is made.
type Order = (Operation, Option<Arc<File>>, Option<(u64, usize)>);

struct Caller {
    orders: mpsc::Sender<Order>,
    thread: JoinHandle<()>,
    origin: Option<(u64, usize)>,
}

impl Calls {
    fn start(file: &Arc<File>, slots: &Slots) -> Result<Self, EngineError> {
        let (send_done, done) = mpsc::channel();
        let block = u32::try_from(slots.block()).unwrap_or(u32::MAX);
        let callers = (0..slots.count().min(MOST_CALLERS)).map(|slot| {
            let mut own = Slots::new(1, block).map_err(EngineError::Memory)?;
            let len = slots.block();
            // SAFETY: the slot's memory has `len` bytes and nobody writes it here.
            let data = unsafe { std::slice::from_raw_parts(slots.address(slot), len) };
            own.slot(0)[..len].copy_from_slice(data);
            let (orders, jobs) = mpsc::channel::<Order>();
            let (file, send_done) = (Arc::clone(file), send_done.clone());
            let call = move || {
                for (operation, other, origin) in jobs {
                    let result = call(other.as_ref().unwrap_or(&file), &mut own, operation, origin);
                    if send_done.send(Completion { slot, result }).is_err() {
                        return;
                    }
                }
            };
            let thread = thread::Builder::new().spawn(call).map_err(EngineError::Thread)?;
            Ok(Caller { orders, thread, origin: None })
        });
        Ok(Self { callers: callers.collect::<Result<_, _>>()?, done, lost: false })
    }

    fn submit(&mut self, slot: u32, operation: Operation, file: Option<Arc<File>>) -> Result<(), i32> {
        let caller = &mut self.callers[slot as usize];
        caller.orders.send((operation, file, caller.origin.take())).map_err(|_| libc::EIO)
    }

    fn wait(&self, until: u64, done: &mut Vec<Completion>) {
        let left = Duration::from_nanos(until.saturating_sub(monotonic_ns()));
        // Their senders live as long as this, so it ends only by its time.
        done.extend(self.done.recv_timeout(left));
        done.extend(self.done.try_iter());
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        for Caller { orders, thread, .. } in self.callers.drain(..) {
            drop(orders);
            if !self.lost {
                // A panic was printed when it happened.
                let _ = thread.join();
            }
        }
    }
}

fn call(file: &File, slots: &mut Slots, operation: Operation, origin: Option<(u64, usize)>) -> i32 {
    let block = &mut slots.slot(0)[..operation.bytes as usize];
    if let (Some((origin, unit)), Op::Write) = (origin, operation.op) {
        stamp(block, unit, origin);
    }
    let result = match operation.op {
        Op::Read => file.read_at(block, operation.offset),
        Op::Write => file.write_at(block, operation.offset),
        Op::Flush => file.sync_all().map(|()| 0),
    };
    result.map_or_else(
        |error: io::Error| -error.raw_os_error().unwrap_or(libc::EIO),
        |moved| i32::try_from(moved).unwrap_or(i32::MAX),
    )
}
