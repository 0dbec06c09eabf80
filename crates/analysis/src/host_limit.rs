//! Whether a cell shows the drive or the host: a figure that the processor limits says little about a drive.

use crate::summary::counted_loops;
use model::{
    document::{Cell, Engine, Loop, Wait},
    host::Host,
    units::NS_PER_S,
};

/// Share of a thread's time from which on a blocking loop is limited by its processor.
const BUSY_SHARE: f64 = 0.95;
/// Share of the host's own ceiling from which on the ring limits as much as the drive.
const CEILING_SHARE: f64 = 0.8;

/// Why the host limited a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostLimit {
    /// The measuring threads had no time to spare.
    Processor,
    /// The rate came near to that of empty requests.
    Ring,
}

impl HostLimit {
    /// The code, `processor`.
    #[must_use]
    pub fn token(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Ring => "ring",
        }
    }

    /// One sentence for readers.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Processor => {
                "The measuring threads were busy all the time: the processor limited this figure, not the drive."
            }
            Self::Ring => {
                "This host completes empty requests hardly faster: the figure shows the host as much as the drive."
            }
        }
    }
}

/// Why the host limited a cell; `None` when it had time to spare, or nothing was measured.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "shares need no more than 53 bits")]
pub fn host_limit(cell: &Cell, engine: &Engine, host: &Host) -> Option<HostLimit> {
    let counted: Vec<&Loop> = counted_loops(&cell.loops).collect();
    let time_ns: u64 = counted.iter().map(|one| one.elapsed_ns.saturating_add(one.drain_ns)).sum();
    let ios: u64 = counted.iter().flat_map(|one| one.transfers()).map(|transfer| transfer.ios).sum();
    if time_ns == 0 || ios == 0 {
        return None;
    }
    let drives = cell.method.drives_apart().map_or(1, u32::from);
    let threads = f64::from(cell.method.threads * drives + u32::from(cell.method.beside.is_some()));
    let busy = counted.iter().map(|one| one.cpu_ns).sum::<u64>() as f64 / (time_ns as f64 * threads);
    if engine.wait == Wait::Block && busy >= BUSY_SHARE {
        return Some(HostLimit::Processor);
    }
    let ceiling = host.ceiling.known()?;
    let most = if cell.method.queue_depth == 1 { ceiling.nop_qd1_iops } else { ceiling.nop_qd128_iops };
    let iops = ios as f64 * NS_PER_S as f64 / time_ns as f64;
    (iops > most as f64 * threads * CEILING_SHARE).then_some(HostLimit::Ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{fixtures, ids::PublicKey};

    #[test]
    fn a_thread_without_rest_is_the_limit() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let limit = |d: &model::ResultDocument| host_limit(&d.cells[4], &d.engine, &d.host);
        assert_eq!(limit(&document), None);
        for one in &mut document.cells[4].loops {
            one.cpu_ns = one.elapsed_ns;
        }
        assert_eq!(limit(&document), Some(HostLimit::Processor));
        document.engine.wait = Wait::Poll;
        assert_eq!(limit(&document), None, "who polls is always busy");
    }

    #[test]
    fn what_is_nearly_as_fast_as_nothing_is_the_ring() {
        let mut document = fixtures::document("Example", 1.0, PublicKey([1; 32]));
        let model::Reading::Known(ceiling) = &mut document.host.ceiling else {
            panic!("the fixture has one")
        };
        ceiling.nop_qd128_iops = 250_000;
        let limit = host_limit(&document.cells[4], &document.engine, &document.host);
        assert_eq!(limit, Some(HostLimit::Ring));
        document.host.ceiling = model::Reading::Absent(model::reading::Absent::NotMeasured);
        assert_eq!(host_limit(&document.cells[4], &document.engine, &document.host), None);
    }
}
