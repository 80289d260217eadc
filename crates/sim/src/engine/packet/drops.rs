//! Where packets were dropped, and why.

use super::admission::{Cause, Count};
use super::fields::Class;
use std::collections::BTreeMap;

/// Where a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropPlace {
    /// At the port of this link (the engine's numbering), or on its fibre.
    Link(u32),
    /// At the host that sent this flow's packet.
    Host(u32),
}

/// Packets dropped since the start, by place, class and cause.
pub type Drops = BTreeMap<(DropPlace, Class, Cause), Count>;

/// Adds what was dropped elsewhere.
pub fn add_drops(all: &mut Drops, more: &Drops) {
    for (key, count) in more {
        let sum = all.entry(*key).or_default();
        *sum = sum.plus(*count);
    }
}

/// What a partition has counted on its links. After a migration one partition has what all had counted, so that only
/// the sums over all of them mean something.
#[derive(Debug, Default)]
pub struct LinkTotals {
    /// Packets sent on links (not refused by the port).
    pub packet_hops: u64,
    /// The part of them that was taken back before it had left.
    pub taken_back: u64,
    /// Packets that ports have made: headers that go back, and copies.
    pub made: u64,
    /// What was dropped, where and why.
    pub drops: Drops,
}

impl LinkTotals {
    /// Adds those of another partition.
    pub fn add(&mut self, other: &LinkTotals) {
        let LinkTotals { packet_hops, taken_back, made, drops } = other;
        self.packet_hops += packet_hops;
        self.taken_back += taken_back;
        self.made += made;
        add_drops(&mut self.drops, drops);
    }
}
