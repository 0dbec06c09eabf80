//! The threads of a session: each makes its own ring and waits for loops to run.

use super::{
    EngineError,
    buffers::Slots,
    call_worker::CallWorker,
    data::Stamps,
    offsets::Offsets,
    order::{Order, WorkerEnd},
    ring::{Direction, Ring},
    ring_setup::Grants,
    ring_worker::RingWorker,
};
use crate::target::OpenTarget;
use model::{Method, document::EngineClass};
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

/// One worker's share of a cell.
pub(super) struct Part {
    file: Arc<File>,
    slots: Slots,
    offsets: Offsets,
    stamps: Option<Stamps>,
    block_bytes: u32,
}

impl Part {
    pub(super) fn new(
        target: &OpenTarget,
        method: &Method,
        seed: u64,
        offsets: Offsets,
        mut slots: Slots,
    ) -> Self {
        let stamps = method.pattern.writes().then(|| Stamps::new(seed, method.block_bytes));
        if stamps.is_some() {
            slots.fill_random(seed);
        }
        Self { file: target.file(), slots, offsets, stamps, block_bytes: method.block_bytes }
    }

    /// Starts the worker's thread, which makes its own ring: a ring belongs to the thread that made it.
    pub(super) fn start(
        self,
        class: EngineClass,
        ends: mpsc::Sender<WorkerEnd>,
    ) -> Result<(Worker, Grants), EngineError> {
        let (orders, inbox) = mpsc::channel::<Arc<Order>>();
        let (ready, granted) = mpsc::sync_channel(1);
        let body = move || {
            let mut runner = match self.runner(class) {
                Ok((runner, grants)) => {
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
                if ends.send(end).is_err() {
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

    fn runner(self, class: EngineClass) -> Result<(Runner, Grants), EngineError> {
        let Self { file, slots, offsets, stamps, block_bytes } = self;
        if class == EngineClass::Threads {
            let worker = CallWorker::new(file, slots, block_bytes, offsets, stamps);
            return Ok((Runner::Call(worker), Grants::default()));
        }
        let direction = if stamps.is_some() { Direction::Write } else { Direction::Read };
        let depth = slots.count();
        let (ring, grants) =
            Ring::new(file.as_fd(), slots, direction).map_err(|refusal| EngineError::Ring(refusal.0))?;
        let worker = RingWorker::new(ring, depth, block_bytes, offsets, stamps, file);
        Ok((Runner::Ring(Box::new(worker)), grants))
    }
}

enum Runner {
    Ring(Box<RingWorker>),
    Call(CallWorker),
}
