//! How long a packet takes over a path on which nothing waits.

use crate::engine::observe::probe::ProbeSite;
use crate::model::{LinkId, Network};
use std::sync::Arc;

/// An empty path: the delays of its links in picoseconds, and the picoseconds that it takes to send a byte over all of
/// them.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmptyPath {
    propagation: f64,
    per_byte: f64,
}

impl EmptyPath {
    /// The path of each flow, by number; nothing where flows or links may change.
    pub fn all(site: &dyn ProbeSite) -> Arc<[EmptyPath]> {
        let flows = if site.has_fixed_paths() { site.flows().len() as u32 } else { 0 };
        (0..flows).map(|flow| EmptyPath::over(site.path(flow), &site.scenario().network)).collect()
    }

    /// The path over these links.
    fn over(links: impl Iterator<Item = LinkId>, network: &Network) -> EmptyPath {
        let mut empty = EmptyPath { propagation: 0.0, per_byte: 0.0 };
        for link in links.map(|link| &network.links[link.index()]) {
            empty.propagation += link.delay.ps() as f64;
            empty.per_byte += 8e12 / link.capacity.bps() as f64;
        }
        empty
    }

    /// No packet takes less, in picoseconds.
    pub fn least(&self) -> u64 {
        // `as` saturates.
        (self.propagation + self.per_byte) as u64
    }

    /// What a packet of `size` bytes has waited that took so many picoseconds.
    pub fn waited(&self, took: u64, size: u16) -> f64 {
        took as f64 - self.propagation - self.per_byte * f64::from(size)
    }
}
