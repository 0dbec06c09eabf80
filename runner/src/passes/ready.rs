//! A pass that is set up, whether it works on one span or on many files.

use super::{
    Played, Player,
    files::{FilesPass, Kept},
};
use crate::{
    clock::RunClock,
    engine::{EngineError, Live},
    plan::Plan,
    stop::StopFlag,
    target::OpenTarget,
};
use model::{document::Engine, pass::PassMethod};

/// A pass that is ready to be carried out.
pub(crate) enum Ready {
    /// On one span.
    Span(Box<Player>),
    /// On many files.
    Files(Box<FilesPass>),
}

impl Ready {
    /// Sets everything up that the pass needs.
    ///
    /// # Errors
    /// When the pass does not suit the target, or files, memory or a queue cannot be had.
    pub(crate) fn open(
        plan: &Plan,
        target: &OpenTarget,
        method: &PassMethod,
        seed: u64,
    ) -> Result<Self, EngineError> {
        Ok(if method.files().is_some() {
            Self::Files(Box::new(FilesPass::open(plan, target, method, seed)?))
        } else {
            Self::Span(Box::new(Player::open(plan, target, method, seed)?))
        })
    }

    /// How I/Os are submitted and awaited.
    pub(crate) fn engine(&self) -> Engine {
        match self {
            Self::Span(player) => player.engine(),
            Self::Files(files) => files.engine(),
        }
    }

    /// Carries the pass out: to its end, to the first error, or until a stop is asked for. `kept` holds files from one
    /// step of a copy to the next.
    pub(crate) fn play(
        self,
        method: &PassMethod,
        run: &RunClock,
        stop: &StopFlag,
        live: &Live,
        kept: &mut Kept,
    ) -> Played {
        kept.prepare_for(method);
        match self {
            Self::Span(player) => player.play(run, stop, live),
            Self::Files(files) => files.play(run, stop, live, kept),
        }
    }
}
