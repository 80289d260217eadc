//! What only some flows have. Every other flow carries a null pointer for it, so that its sender stays small.

use super::bursts::Bursts;
use super::pacing::Pacer;
use super::{Sender, SenderConfig};
use units::Instant;

/// What a flow has beside the sender's own state.
#[derive(Clone, Debug)]
pub(super) struct Extras {
    pub(super) pacer: Option<Pacer>,
    pub(super) bursts: Option<Bursts>,
}

impl Extras {
    /// `None` for a flow that needs none of it.
    pub(super) fn new(config: &SenderConfig) -> Option<Box<Extras>> {
        let pacer = (config.paced || config.algorithm.asks().pacing).then(Pacer::default);
        let bursts = Bursts::new(config.algorithm.burst_news(&config.laws));
        (pacer.is_some() || bursts.is_some()).then(|| Box::new(Extras { pacer, bursts }))
    }
}

impl Sender {
    #[inline]
    pub(super) fn bursts(&self) -> Option<&Bursts> {
        self.extras.as_ref()?.bursts.as_ref()
    }

    #[inline]
    pub(super) fn bursts_mut(&mut self) -> Option<&mut Bursts> {
        self.extras.as_mut()?.bursts.as_mut()
    }

    #[inline]
    pub(super) fn pacer(&self) -> Option<&Pacer> {
        self.extras.as_ref()?.pacer.as_ref()
    }

    #[inline]
    pub(super) fn pacer_mut(&mut self) -> Option<&mut Pacer> {
        self.extras.as_mut()?.pacer.as_mut()
    }

    #[inline]
    pub(super) fn pacer_wake(&self) -> Instant {
        self.pacer().map_or(Instant::NEVER, Pacer::wake)
    }
}
