//! Hosts outside of the simulator: what they send enters the network, and what reaches them leaves it.

use super::{NodeId, SimTime};
use options::words;
use std::sync::Arc;

/// `[external]`.
#[derive(Clone, Debug)]
pub struct External {
    /// The nodes whose hosts are outside.
    pub hosts: Vec<NodeId>,
    /// The longest packet that they send, in bytes.
    pub mtu: u32,
    /// What they have sent in an earlier run, in the order of time; `None` if they are there, or send nothing.
    pub recording: Option<Arc<Vec<ExternalPacket>>>,
}

/// A packet of a host outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalPacket {
    /// When it enters.
    pub at: SimTime,
    /// Whose it is, as a place in [`External::hosts`].
    pub from: u16,
    /// For whom.
    pub to: u16,
    /// The whole packet, from its IP header on.
    pub bytes: u16,
    /// Its ECN field.
    pub ecn: Ecn,
}

words! {
    /// The ECN field of an IP header (RFC 3168, section 5), in the order of its two bits.
    pub enum Ecn {
        /// The transport knows no ECN.
        NotEct = "not-ect",
        /// ECT(1).
        Ect1 = "ect1",
        /// ECT(0).
        Ect0 = "ect0",
        /// It is marked.
        Ce = "ce",
    }
}

impl Ecn {
    /// That of these two bits; others are not looked at.
    pub fn of_bits(bits: u8) -> Ecn {
        [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(bits & 3)]
    }
}

/// The most hosts outside.
pub const MOST_EXTERNAL: usize = 64;

impl External {
    /// Each ordered pair of hosts, as places in [`External::hosts`].
    pub fn pairs(&self) -> impl Iterator<Item = (u16, u16)> + use<> {
        let hosts = self.hosts.len() as u16;
        (0..hosts).flat_map(move |from| (0..hosts).filter(move |to| *to != from).map(move |to| (from, to)))
    }

    /// The place of a pair among [`External::pairs`].
    pub fn pair(&self, from: u16, to: u16) -> usize {
        usize::from(from) * (self.hosts.len() - 1) + usize::from(to) - usize::from(to > from)
    }

    /// Whether the host of a node is outside.
    pub fn has(&self, node: NodeId) -> bool {
        self.hosts.contains(&node)
    }
}
