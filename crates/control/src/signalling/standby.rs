//! The standby: who would be master when there is none.
//!
//! Rule: a node that knows the network, has not resigned, and hears a beacon without a master claims the next term; the
//! n-th member, from 0, waits for n such beacons first. It repeats its claim at every beacon. The core takes the first
//! claim that comes. Ranks only keep claims apart: that a term has one master, and a frame one plan, depends on the
//! core alone.

use super::network::Network;
use crate::wire::{Beacon, NodeId};

/// What a standby remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standby {
    /// The frame of the first beacon without a master.
    vacant_since: Option<u64>,
    /// The latest beacon: term and frame.
    latest: Option<(u64, u64)>,
    /// The node has resigned.
    pub(super) abstains: bool,
}

impl Standby {
    /// Whether this beacon is newer than all before it.
    pub(super) fn is_news(&mut self, beacon: &Beacon) -> bool {
        let found = (beacon.term, beacon.frame);
        // A claim is granted within a frame: the same frame may have two beacons, the later of them with a higher term
        // or without a master.
        let news = self.latest.is_none_or(|latest| found >= latest);
        if news {
            self.latest = Some(found);
        }
        news
    }

    /// The frame of the latest beacon.
    pub(super) fn heard(&self) -> u64 {
        self.latest.map_or(0, |(_, frame)| frame)
    }

    /// The term of the latest beacon.
    pub(super) fn term(&self) -> u64 {
        self.latest.map_or(0, |(term, _)| term)
    }

    /// The term to claim after this beacon, if any.
    pub(super) fn claim(&mut self, me: NodeId, network: &Network, beacon: &Beacon) -> Option<u64> {
        if beacon.master != NodeId::ALL {
            self.vacant_since = None;
            return None;
        }
        let since = *self.vacant_since.get_or_insert(beacon.frame);
        let rank = network.members.iter().position(|member| member.node == me)? as u64;
        (!self.abstains && beacon.frame >= since.saturating_add(rank)).then(|| beacon.term.saturating_add(1))
    }
}
