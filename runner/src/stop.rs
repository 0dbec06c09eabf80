//! The wish to stop, shared by everything that measures.
//!
//! Knows nothing of signals: who turns Ctrl-C into a request is not decided here.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// A flag that is raised once and never lowered: submit nothing more, wait for what is in flight.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicU8>);

impl StopFlag {
    /// Asks everything that measures to stop. Safe in a signal handler.
    pub fn request(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// Whether a stop was asked for. One plain load: the measuring loop looks at it once a batch.
    #[inline]
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }
}
