//! The threads of a session: each makes its own ring and waits for loops to run.

use super::{
    EngineError,
    buffers::Slots,
    call_worker::CallWorker,
    data::Stamps,
    draw::Draw,
    offsets::Offsets,
    order::{Order, WorkerEnd},
    placement::pin,
    ring::{Direction, Ring},
    ring_setup::Grants,
    ring_worker::RingWorker,
};
use crate::target::OpenTarget;
use model::{
    Method,
    document::{EngineClass, Wait},
    method::DataKind,
};
use std::{
    fs::File,
    io,
    os::fd::AsFd,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

/// A thread that runs loops as they are ordered, until nobody can order any more.
pub(super) struct Worker {
    pub(super) orders: mpsc::Sender<Arc<Order>>,
    pub(super) thread: JoinHandle<()>,
}

/// What a worker's data is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeds {
    /// Different for each worker.
    pub(super) own: u64,
    /// The same for all workers of a session.
    pub(super) common: u64,
}

/// Which I/Os of a method a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// Those of its pattern.
    Main,
    /// Those of the second stream.
    Beside,
}

/// Whose I/Os a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lane {
    /// Which of them.
    pub(super) stream: Stream,
    /// On which of the session's targets, from 0.
    pub(super) member: u8,
}

/// One worker's share of a cell.
pub(super) struct Share {
    lane: Lane,
    file: Arc<File>,
    slots: Slots,
    offsets: Offsets,
    draw: Option<Draw>,
    stamps: Option<Stamps>,
    direction: Direction,
    block_bytes: u32,
}

/// How a worker goes about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) class: EngineClass,
    pub(super) wait: Wait,
    /// The processor that the thread is kept on; `None` leaves it to the scheduler.
    pub(super) cpu: Option<u32>,
    /// The processor for the kernel's thread that serves the ring; `None` leaves it to the scheduler.
    pub(super) kernel_cpu: Option<u32>,
}

impl Share {
    /// The share of a worker of a lane, whose method has that stream's blocks. Slots are twice as many as I/Os in
    /// flight when it mixes reads and writes, so that what is read never becomes what is written.
    pub(super) fn new(
        target: &OpenTarget,
        (lane, method): (Lane, &Method),
        seeds: Seeds,
        offsets: Offsets,
        mut slots: Slots,
    ) -> Self {
        let direction = match (method.pattern.reads(), method.pattern.writes()) {
            (true, true) => Direction::Both,
            (_, true) => Direction::Write,
            (_, false) => Direction::Read,
        };
        let draw = method.read_percent.map(|percent| Draw::new(seeds.own, percent));
        let mut stamps = None;
        if method.pattern.writes() {
            match method.data {
                // A session refuses to keep what was there.
                DataKind::Random | DataKind::Existing => {
                    slots.fill_random(seeds.own);
                    stamps = Some(Stamps::new(seeds.own, method.block_bytes));
                }
                DataKind::Repeat => slots.fill_alike(seeds.common),
                // New slots hold zeros.
                DataKind::Zero => {}
            }
        }
        let (file, block_bytes) = (target.file(), method.block_bytes);
        Self { lane, file, slots, offsets, draw, stamps, direction, block_bytes }
    }

    /// Starts the worker's thread, which makes its own ring: a ring belongs to the thread that made it.
    pub(super) fn start(
        self,
        manner: Manner,
        ends: mpsc::Sender<(Lane, WorkerEnd)>,
    ) -> Result<(Worker, Grants), EngineError> {
        let (orders, inbox) = mpsc::channel::<Arc<Order>>();
        let (ready, granted) = mpsc::sync_channel(1);
        let lane = self.lane;
        let body = move || {
            // Before the ring, whose memory then lies near the processor that uses it.
            let pinned = manner.cpu.map_or(Ok(()), pin);
            let mut runner = match self.runner(manner) {
                Ok((runner, mut grants)) => {
                    grants.refused.extend(pinned.err());
                    // The session waits for this message, so it is there to receive it.
                    let _ = ready.send(Ok(grants));
                    runner
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            for order in inbox {
                let end = match &mut runner {
                    Runner::Ring(worker) => worker.run(&order),
                    Runner::Call(worker) => worker.run(&order),
                };
                if ends.send((lane, end)).is_err() {
                    break;
                }
            }
        };
        let thread =
            thread::Builder::new().name("measure".to_owned()).spawn(body).map_err(EngineError::Thread)?;
        let grants = granted
            .recv()
            .map_err(|_| EngineError::Thread(io::Error::other("it ended before it was ready")))??;
        Ok((Worker { orders, thread }, grants))
    }

    fn runner(self, manner: Manner) -> Result<(Runner, Grants), EngineError> {
        let Self { lane: _, file, slots, offsets, draw, stamps, direction, block_bytes } = self;
        if manner.class == EngineClass::Threads {
            let worker = CallWorker::new(file, slots, block_bytes, offsets, direction, draw, stamps);
            return Ok((Runner::Call(worker), Grants::default()));
        }
        let (ring, grants) = Ring::new(file.as_fd(), slots, direction, manner.wait, manner.kernel_cpu)
            .map_err(|refusal| EngineError::Ring(refusal.0))?;
        let worker = RingWorker::new(ring, block_bytes, offsets, draw, stamps, file);
        Ok((Runner::Ring(Box::new(worker)), grants))
    }
}

enum Runner {
    Ring(Box<RingWorker>),
    Call(CallWorker),
}
