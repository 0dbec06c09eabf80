//! The measuring loop of the class `threads`: one I/O at a time, by pread or pwrite.
//!
//! Runs where the kernel grants no ring; as many of these as the queue is deep make up one thread of a method.

use super::{
    buffers::Slots,
    data::Stamps,
    draw::Draw,
    offsets::Offsets,
    order::{Order, WorkerEnd, failure, streams, stretch_ended},
    ring::Direction,
};
use crate::{clock::SteadyClock, recorder::Recorder};
use model::document::LoopEnded;
use rustix::io::{Errno, pread, pwrite};
use std::{fs::File, sync::Arc};

/// A worker with one I/O in flight, by pread or pwrite.
pub(super) struct CallWorker {
    file: Arc<File>,
    /// One, in a mix two: what is read into and what is written from.
    slots: Slots,
    offsets: Offsets,
    /// Present when the worker both reads and writes.
    draw: Option<Draw>,
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
        draw: Option<Draw>,
        stamps: Option<Stamps>,
    ) -> Self {
        Self { file, slots, offsets, draw, stamps, direction, block_bytes }
    }

    /// Runs one loop.
    pub(super) fn run(&mut self, order: &Order) -> WorkerEnd {
        match &order.stretch {
            Some(stretch) => self.offsets.begin(stretch),
            None => self.offsets.restart(),
        }
        let recorder = || Recorder::new(&order.live, self.block_bytes, order.loop_ns, order.bin_ns());
        let mut all = recorder();
        let mut writes = self.draw.is_some().then(recorder);
        order.gate.wait();
        let start_ns = order.start();
        let mut clock = SteadyClock::from(start_ns);
        let deadline_ns = start_ns + order.loop_ns;
        let mut error = None;
        let mut last_completion_ns = start_ns;
        let mut drained_ios = 0;
        let mut ended = LoopEnded::Time;
        let (end_ns, drained_ns, stopped) = loop {
            let offset = match &order.stretch {
                None => Some(self.offsets.next()),
                Some(_) if order.settled() => None,
                Some(_) => self.offsets.next_once(),
            };
            let Some(offset) = offset else {
                ended = stretch_ended(&self.offsets);
                break (last_completion_ns, last_completion_ns, false);
            };
            let drawn = self.draw.as_mut().map(Draw::writes);
            let wrote = drawn.unwrap_or(self.direction == Direction::Write);
            let slot = u32::from(drawn == Some(true));
            if let Some(stamps) = self.stamps.as_mut().filter(|_| wrote) {
                stamps.put(self.slots.slot(slot), offset);
            }
            let submitted_ns = clock.now();
            let result = self.transfer(slot, offset, wrote);
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
            let recorder = match &mut writes {
                Some(writes) if wrote => writes,
                _ => &mut all,
            };
            recorder.record(now_ns - submitted_ns);
            recorder.end_batch(now_ns - start_ns, 1);
            last_completion_ns = now_ns;
            if order.stopped() {
                break (now_ns, now_ns, true);
            }
        };
        WorkerEnd {
            streams: streams(self.direction, all, writes),
            start_ns,
            end_ns,
            ended,
            drained_ns,
            drained_ios,
            clock_anomalies: clock.anomalies(),
            error,
            stopped,
        }
    }

    /// One I/O: bytes moved, or the negative error number, as a ring reports it. The calls of rustix are compiled into
    /// the loop; those of the C library return into it, which may cost half a call more: see `enter`.
    #[inline]
    fn transfer(&mut self, slot: u32, offset: u64, writes: bool) -> i32 {
        let block = self.slots.slot(slot);
        loop {
            let result = if writes {
                pwrite(&self.file, &*block, offset)
            } else {
                pread(&self.file, &mut *block, offset)
            };
            match result {
                Ok(bytes) => return i32::try_from(bytes).expect("a block is at most 64 MiB"),
                Err(Errno::INTR) => {}
                Err(error) => return -error.raw_os_error(),
            }
        }
    }
}
