//! A rack's way out: its link to the packet switch, or to the circuits.

use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::node_context::LocalPort;
use crate::model::{LinkId, NodeId};
use units::ByteTime;

/// A way out. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Output {
    /// Its port.
    pub port: LocalPort,
    /// How long a byte lasts.
    pub byte_time: ByteTime,
    /// From its last bit here to its last bit at the other rack, unless it waits.
    pub delay: u64,
    /// When it has sent what it was given.
    pub free: u64,
}

impl Output {
    /// That of a rack's node, by the link from there and one like that to the other rack.
    pub fn new(node: NodeId, [id, back]: [LinkId; 2], build: &mut BuildContext) -> Output {
        let [there, onward] = [id, back].map(|id| &build.network.links[id.index()]);
        let byte_time = ByteTime::at(there.capacity).expect("a resolved link has a byte time");
        let delay = there.delay.ps() + onward.delay.ps();
        Output { port: build.port(node, id), byte_time, delay, free: 0 }
    }

    /// How long a packet lasts.
    pub fn lasts(&self, size: u16) -> u64 {
        self.byte_time.of_packet(size).ps()
    }
}
