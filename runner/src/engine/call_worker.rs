//! The measuring loop of the class `threads`: one I/O at a time, by pread or pwrite.
//!
//! Runs where the kernel grants no ring; as many of these as the queue is deep make up one thread of a method.

use super::{
    buffers::Slots,
    data::Stamps,
    offsets::Offsets,
    order::{Order, WorkerEnd, failure},
    ring::Direction,
};
use crate::{clock::SteadyClock, recorder::Recorder};
use std::{fs::File, os::unix::fs::FileExt, sync::Arc};

/// A worker with one I/O in flight, by pread or pwrite.
pub(super) struct CallWorker {
    file: Arc<File>,
    slots: Slots,
    offsets: Offsets,
    /// Present when the worker writes data that differs from I/O to I/O.
    stamps: Option<Stamps>,
    direction: Direction,
    block_bytes: u32,
}

impl CallWorker {
    pub(super) fn new(
        file: Arc<File>,
        slots: Slots,
        block_bytes: u32,
        offsets: Offsets,
        direction: Direction,
        stamps: Option<Stamps>,
    ) -> Self {
        Self { file, slots, offsets, stamps, direction, block_bytes }
    }

    /// Runs one loop.
    pub(super) fn run(&mut self, order: &Order) -> WorkerEnd {
        self.offsets.restart();
        let mut recorder = Recorder::new(&order.live, self.block_bytes, order.loop_ns);
        order.gate.wait();
        let start_ns = order.start();
        let mut clock = SteadyClock::from(start_ns);
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut drained_ios = 0;
        let (end_ns, drained_ns, stopped) = loop {
            let offset = self.offsets.next();
            if let Some(stamps) = &mut self.stamps {
                stamps.put(self.slots.slot(0), offset);
            }
            let submitted_ns = clock.now();
            let result = self.transfer(offset);
            let now_ns = clock.now();
            if i64::from(result) != i64::from(self.block_bytes) {
                error = Some(failure(result, offset));
                order.halt();
                break (now_ns.min(deadline_ns), now_ns, false);
            }
            if now_ns >= deadline_ns {
                drained_ios = 1;
                break (deadline_ns, now_ns, false);
            }
            recorder.record(now_ns - submitted_ns);
            recorder.end_batch(now_ns - start_ns, 1);
            if order.stopped() {
                break (now_ns, now_ns, true);
            }
        };
        WorkerEnd {
            transfer: recorder.finish(),
            start_ns,
            end_ns,
            drained_ns,
            drained_ios,
            clock_anomalies: clock.anomalies(),
            error,
            stopped,
        }
    }

    /// One I/O: bytes moved, or the negative error number, as a ring reports it.
    #[inline]
    fn transfer(&mut self, offset: u64) -> i32 {
        let writes = self.direction == Direction::Write;
        let block = self.slots.slot(0);
        loop {
            let result =
                if writes { self.file.write_at(block, offset) } else { self.file.read_at(block, offset) };
            match result {
                Ok(bytes) => return i32::try_from(bytes).expect("a block is at most 64 MiB"),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return -error.raw_os_error().unwrap_or(libc::EIO),
            }
        }
    }
}
