//! The room that a rack gives back to its hosts, where their packets wait for it.

use super::Rack;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, Packet};
use crate::switching::rotor::{Notice, Rotor};

/// Bytes on the wire of what a rack tells a host.
const NOTICE: u16 = 64;

/// A rack has room again for packets of a host.
#[derive(Clone, Copy, Debug)]
pub(in crate::switching::rotor) struct Room {
    /// The rack that they go to.
    pub(in crate::switching::rotor) to: u32,
    pub(in crate::switching::rotor) bytes: u64,
}

/// What a rack owes its hosts.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    /// By host: the number of its agent, and the way there.
    hosts: Vec<(u32, AgentPath)>,
    /// By host and rack: bytes that have left, of which the host has not been told.
    owed: Vec<u64>,
    racks: usize,
    /// As much is told at once.
    part: u64,
    /// Messages sent.
    sent: u64,
}

impl Rooms {
    /// Before the first packet. The agents of the rack's hosts have the numbers from `first` on.
    pub fn new(plan: &Rotor, number: u32, first: u32, build: &mut BuildContext) -> Rooms {
        let (own, racks) = (&plan.racks[number as usize], plan.racks.len());
        let Some(room) = plan.rules.host_room else { return Rooms::default() };
        let ways = own.hosts.iter().zip(first..);
        let hosts: Vec<_> = ways.map(|(host, agent)| (agent, build.agent_path(own.node, &[host.control]))).collect();
        Rooms { owed: vec![0; hosts.len() * racks], hosts, racks, part: room / 2, sent: 0 }
    }
}

impl Rack {
    /// A packet of one of the rack's hosts has left, or is dropped: the host has its room again.
    pub(super) fn give_back(&mut self, now: u64, packet: &Packet, to: u32, context: &mut NodeContext) {
        let rooms = &mut self.rooms;
        if rooms.hosts.is_empty() || packet.class == Class::Control {
            return;
        }
        let Some(goal) = self.members.goal(packet, self.number) else { return };
        let host = usize::from(goal.hosts[0]);
        let owed = &mut rooms.owed[host * rooms.racks + to as usize];
        *owed += u64::from(packet.size);
        if *owed <= rooms.part {
            return;
        }
        let message = Message::new(Notice::Room(Room { to, bytes: std::mem::take(owed) }));
        rooms.sent += 1;
        let (agent, way) = rooms.hosts[host];
        context.send(now, ControlPacket { to: agent, way, size: NOTICE, number: rooms.sent, message });
    }
}
