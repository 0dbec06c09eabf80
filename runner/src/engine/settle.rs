//! Looks on while a stretch is gone through, for the moment when it has nothing more to show.
//!
//! Knows what was moved so far, from the live figures. Does not know when a stretch has settled: that is a rule of the
//! analysis.

use super::order::Order;
use analysis::settling::Settling;
use model::{method::Settles, units::NS_PER_S};

/// Who looks at one loop, once a second.
pub(super) struct Onlooker {
    settling: Settling,
    /// Width of the loop's bins: the live figures move when one is over.
    bin_ns: u64,
    /// The second at which it is looked next, since the loop's start.
    second: u64,
}

impl Onlooker {
    pub(super) fn new(rule: Settles, order: &Order) -> Self {
        Self { settling: Settling::new(rule), bin_ns: order.bin_ns(), second: 1 }
    }

    /// How long it is until the next look, nanoseconds. It comes in the middle between two moments at which the live
    /// figures move: at such a moment itself it would see a bin more or less by chance.
    pub(super) fn wait_ns(&self, order: &Order, now_ns: u64) -> u64 {
        let start_ns = order.started().unwrap_or(now_ns);
        (start_ns + self.second * NS_PER_S + self.bin_ns / 2).saturating_sub(now_ns)
    }

    /// Looks, and tells the workers when they have done enough.
    pub(super) fn look(&mut self, order: &Order, now_ns: u64) {
        let Some(elapsed_ns) = order.started().and_then(|start_ns| now_ns.checked_sub(start_ns)) else {
            return;
        };
        self.second = elapsed_ns / NS_PER_S + 1;
        // What is counted was moved up to the end of the last whole bin.
        if self.settling.enough(elapsed_ns / self.bin_ns * self.bin_ns, order.live.bytes()) {
            order.settle();
        }
    }
}
