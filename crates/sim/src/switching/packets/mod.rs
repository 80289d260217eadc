//! Packets, each by itself: every node with links is a router, and ports do all there is to do.

use super::kind::{self, Checked, Kind, Site};
use crate::language::Fault;
use crate::language::keys::keys;

pub(super) const KIND: Kind = Kind { equal_paths: true, measures: true, ..Kind::new() };

keys! {
    /// Packets, each by itself: every node with links is a router.
    pub struct Packets {}
}

pub use Packets as Keys;

/// Store and forward.
#[derive(Debug)]
pub struct StoreAndForward;

impl kind::Plan for StoreAndForward {
    fn has_agents(&self) -> bool {
        false
    }
}

/// There is nothing to check.
pub(super) fn check(_: &Keys, _: Site) -> Result<Checked, Fault> {
    Ok(Checked::plan(StoreAndForward))
}
