//! What this host can do without any drive: empty requests through a ring, random data, clock readings.
//!
//! The empty requests take the very loop that measures drives, records included. Knows no targets.

use super::{
    buffers::Slots,
    offsets::Offsets,
    order::Order,
    placement::{Placement, pin},
    ring::{Direction, Ring},
    ring_worker::RingWorker,
};
use crate::{clock::monotonic_ns, drive::ground::Ground, recorder::Live, stop::StopFlag, sysfs::SysRoot};
use model::{document::Wait, host::Ceiling, units::NS_PER_S};
use std::{fs::File, hint::black_box, os::fd::AsFd, sync::Arc, thread};

/// Times that each thing is measured; the best counts, because other programs only ever take from a ceiling.
const TRIALS: u32 = 5;
/// Length of each trial, nanoseconds.
const TRIAL_NS: u64 = NS_PER_S / 50;
/// Readings of the clock that are timed together.
const CLOCK_READINGS: u64 = 20_000;

/// Measures the ceiling in about a quarter of a second, on the processor where a thread that uses a drive would
/// be kept.
///
/// # Errors
/// With the reason when this process gets no ring, or an empty request fails.
pub fn ceiling(root: &SysRoot, ground: Option<&Ground>) -> Result<Ceiling, String> {
    let cpu = Placement::near(root, &[ground.cloned()], 1).cpus.first().copied();
    let body = move || {
        // Where it cannot be pinned, a measuring thread cannot either: the ceiling is that of the same thread.
        let _ = cpu.map(pin);
        Ok(Ceiling {
            nop_qd1_iops: nop_iops(1)?,
            nop_qd128_iops: nop_iops(128)?,
            data_bytes_per_s: data_rate().map_err(|error| error.to_string())?,
            clock_ns: clock_cost(),
        })
    };
    let thread = thread::Builder::new().name("ceiling".to_owned()).spawn(body).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| "the measuring thread panicked".to_owned())?
}

/// Empty requests per second with `depth` of them in flight.
fn nop_iops(depth: u32) -> Result<u64, String> {
    const BLOCK: u32 = 4096;
    let file = Arc::new(File::open("/dev/null").map_err(|error| error.to_string())?);
    let slots = Slots::new(depth, BLOCK).map_err(|error| error.to_string())?;
    let (ring, _) =
        Ring::new(file.as_fd(), slots, Direction::Nowhere, Wait::Block, None).map_err(|refusal| refusal.0)?;
    let offsets = Offsets::random(1, 1 << 30, BLOCK);
    // An empty request moves 0 bytes, and that is a whole one.
    let mut worker = RingWorker::new(ring, 0, offsets, None, None, file);
    best(|| {
        let end = worker.run(&Order::new(TRIAL_NS, None, 0, &Live::default(), &StopFlag::default()));
        match end.error {
            None => {
                let ios = end.streams.read.map_or(0, |transfer| transfer.ios);
                Ok(rate(ios, end.end_ns - end.start_ns))
            }
            Some(error) => Err(format!("an empty request failed ({:?}, {:?})", error.kind, error.errno)),
        }
    })
}

/// The highest result of all trials.
fn best<E>(mut trial: impl FnMut() -> Result<u64, E>) -> Result<u64, E> {
    (0..TRIALS).try_fold(0, |best, _| Ok(trial()?.max(best)))
}

/// Bytes per second of random data.
fn data_rate() -> std::io::Result<u64> {
    const BLOCK: u32 = 1 << 20;
    let mut slots = Slots::new(1, BLOCK)?;
    best(|| {
        let started_ns = monotonic_ns();
        let (mut bytes, mut elapsed_ns) = (0, 0);
        while elapsed_ns < TRIAL_NS {
            slots.fill_random(black_box(bytes));
            black_box(slots.slot(0));
            bytes += u64::from(BLOCK);
            elapsed_ns = monotonic_ns() - started_ns;
        }
        Ok(rate(bytes, elapsed_ns))
    })
}

/// Nanoseconds that one reading of the clock takes, rounded up.
fn clock_cost() -> u64 {
    let trial = || {
        let started_ns = monotonic_ns();
        let last_ns = (0..CLOCK_READINGS).fold(started_ns, |_, _| black_box(monotonic_ns()));
        (last_ns - started_ns).div_ceil(CLOCK_READINGS)
    };
    (0..TRIALS).map(|_| trial()).min().unwrap_or(0)
}

fn rate(count: u64, elapsed_ns: u64) -> u64 {
    let rate = u128::from(count) * u128::from(NS_PER_S) / u128::from(elapsed_ns.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::probe, target::tests::skipped};

    #[test]
    fn a_host_has_a_ceiling() {
        if let Err(refusal) = probe() {
            assert_eq!(ceiling(&SysRoot::default(), None), Err(refusal.0));
            skipped("this process gets no ring");
            return;
        }
        let ceiling = ceiling(&SysRoot::default(), None).unwrap();
        assert!(ceiling.nop_qd1_iops > 0 && ceiling.nop_qd128_iops > 0, "{ceiling:?}");
        assert!(ceiling.data_bytes_per_s > 0 && ceiling.clock_ns > 0, "{ceiling:?}");
    }
}
