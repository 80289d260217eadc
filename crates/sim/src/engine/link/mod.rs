//! Output ports and the fibres behind them.

pub(crate) mod backlog;
pub(crate) mod disciplined_queue;
pub(crate) mod features;
pub(crate) mod gated;
pub(crate) mod meter;
pub(crate) mod optical;
pub(crate) mod port;
#[cfg(test)]
mod queueing_tests;
pub(crate) mod ring;
