//! What an agent can reach: the ports of its own node, paths that it registered, and ways to send. Packets that it
//! makes here count themselves.

use super::fabric::Fabric;
use crate::engine::link::port::Port;
use crate::engine::packet::admission::{Cause, Count};
use crate::engine::packet::event::{Event, Spot, What};
use crate::engine::packet::message::{ControlMessage, Message, Notification};
use crate::engine::packet::{Class, DropPlace, HostPayload, Packet};
use std::sync::Arc;
use transport::telemetry::Telemetry;
use transport::xcp::Header;

/// The context of an agent, while it is called.
#[derive(Debug)]
pub struct NodeContext<'a> {
    fabric: &'a mut Fabric,
    /// The agent's node.
    node: u32,
    /// Packets given to the network.
    emitted: &'a mut u64,
}

/// A port of an agent's own node. [`BuildContext::port`](super::agent_setup::BuildContext::port) makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Default))]
pub struct LocalPort(pub(super) u32);

/// A path that begins at an agent's node. [`BuildContext::agent_path`](super::agent_setup::BuildContext::agent_path)
/// makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPath(pub(super) u32);

impl AgentPath {
    /// Where it begins. A way without links begins nowhere: who sends on it has arrived.
    pub fn first(self) -> LocalPort {
        LocalPort(self.0)
    }

    /// For a packet that is to take it.
    pub fn hop(self) -> u32 {
        self.0
    }
}

/// A link of the network, for counting what was lost there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNumber(u32);

/// A message to another agent.
#[derive(Debug)]
pub struct ControlPacket {
    /// The agent.
    pub to: u32,
    /// The way there.
    pub way: AgentPath,
    /// Bytes on the wire.
    pub size: u16,
    /// Its number, for the fingerprint.
    pub number: u64,
    /// What it says.
    pub message: Message,
}

/// A notification for the sender of a flow.
#[derive(Debug)]
pub struct NotificationPacket {
    /// The flow.
    pub flow: u32,
    /// The way to its sender's node.
    pub way: AgentPath,
    /// Bytes on the wire.
    pub size: u16,
    /// What it says.
    pub news: Arc<dyn Notification>,
}

impl<'a> NodeContext<'a> {
    pub(super) fn new(node: u32, fabric: &'a mut Fabric, emitted: &'a mut u64) -> NodeContext<'a> {
        NodeContext { fabric, node, emitted }
    }

    /// A port of the node.
    #[inline]
    pub fn port(&self, port: LocalPort) -> &Port {
        &self.fabric.ports[self.fabric.paths[port.0 as usize] as usize]
    }

    /// The same, to be told something.
    #[inline]
    pub fn port_mut(&mut self, port: LocalPort) -> &mut Port {
        &mut self.fabric.ports[self.fabric.paths[port.0 as usize] as usize]
    }

    /// The port to which a packet at this node goes next.
    pub fn next_port(&self, packet: &Packet) -> LocalPort {
        LocalPort(packet.hop)
    }

    /// The link behind a port.
    pub fn link(&self, port: LocalPort) -> LinkNumber {
        LinkNumber(self.fabric.links[self.fabric.paths[port.0 as usize] as usize])
    }

    /// A port that sends in windows sends what has its time.
    pub fn release(&mut self, now: u64, port: LocalPort) {
        self.fabric.release(now, self.fabric.paths[port.0 as usize]);
    }

    /// Sends a packet through the port before which the agent took it.
    #[inline]
    pub fn send_past(&mut self, now: u64, packet: &Packet) {
        self.fabric.send_past(now, packet);
    }

    /// Gives a packet back to the node: it goes to the next port of its path, or to its host.
    pub fn hand(&mut self, now: u64, packet: &Packet) {
        self.fabric.forward_from(now, self.node, packet);
    }

    /// Drops a packet that the agent took before a port.
    pub fn refuse(&mut self, now: u64, cause: Cause, packet: &Packet) {
        self.fabric.refuse(now, cause, packet);
    }

    /// Sends a message; it enters its first port as any packet does.
    pub fn send(&mut self, now: u64, control: ControlPacket) {
        let packet = self.control(control);
        self.fabric.forward(now, self.fabric.next_link(&packet), &packet);
    }

    /// Sends a message through a port before which the agent stands itself.
    pub fn send_own(&mut self, now: u64, control: ControlPacket) {
        let packet = self.control(control);
        self.fabric.send_past(now, &packet);
    }

    fn control(&mut self, control: ControlPacket) -> Packet {
        let ControlPacket { to, way, size, number, message } = control;
        *self.emitted += 1;
        Packet { seq: number, ..self.fabric.message(ControlMessage::Agent(message), to, way.0, size) }
    }

    /// An agent makes a packet that hosts take for one of a host. It goes through the port where its path begins, past
    /// an agent that stands before it.
    pub fn emit_past(&mut self, now: u64, packet: &Packet) {
        *self.emitted += 1;
        if let Some(observer) = &mut self.fabric.observer {
            observer.drop_feigned(now, packet);
        }
        self.fabric.send_past(now, packet);
    }

    /// Tells the sender of a flow something.
    pub fn tell(&mut self, now: u64, packet: NotificationPacket) {
        let NotificationPacket { flow, way, size, news } = packet;
        *self.emitted += 1;
        let packet = self.fabric.message(ControlMessage::Sender(news), flow, way.0, size);
        self.hand(now, &packet);
    }

    /// The message to an agent in a packet of control that passes, to be changed in its place.
    #[inline]
    pub fn message_mut(&mut self, packet: &Packet) -> Option<&mut Message> {
        self.fabric.payloads.message_mut(packet)
    }

    /// Takes the message to an agent out of a packet of control that goes no further, or not as it came.
    pub fn take_message(&mut self, packet: &Packet) -> Option<Message> {
        match self.fabric.payloads.take_control(packet) {
            Some(ControlMessage::Agent(message)) => Some(message),
            _ => None,
        }
    }

    /// Puts it into the packet again.
    pub fn with_message(&mut self, packet: &Packet, message: Message) -> Packet {
        Packet { payload: self.fabric.payloads.put_control(ControlMessage::Agent(message)), ..*packet }
    }

    /// The congestion header of a packet that has one, to be changed in its place.
    pub fn header_mut(&mut self, packet: &Packet) -> Option<&mut Header> {
        self.fabric.payloads.header_mut(packet)
    }

    /// What hops have measured of a packet, if it asks for that.
    pub fn telemetry_mut(&mut self, packet: &Packet) -> Option<&mut Telemetry> {
        self.fabric.payloads.telemetry_mut(packet)
    }

    /// A packet as it waits where it is measured: longer, if its record grows.
    pub fn with_room(&mut self, packet: &Packet) -> Packet {
        self.fabric.payloads.with_room(packet)
    }

    /// Takes what a packet between hosts carries besides itself.
    pub fn unload(&mut self, packet: &Packet) -> HostPayload {
        self.fabric.payloads.take_host_payload(packet)
    }

    /// Gives a packet what it carried.
    pub fn load(&mut self, packet: &Packet, carried: &HostPayload) -> Packet {
        Packet { payload: self.fabric.payloads.put_host_payload(carried), ..*packet }
    }

    /// Drops a packet at a port that it was for and has not entered.
    pub fn drop_at(&mut self, now: u64, port: LocalPort, cause: Cause, packet: &Packet) {
        self.port_mut(port).refuse_before(cause, packet.size);
        self.drop(now, self.link(port), cause, packet);
    }

    /// Counts a packet of a unit as lost at a link, and forgets it: the link's port knows units only.
    pub fn drop(&mut self, now: u64, link: LinkNumber, cause: Cause, packet: &Packet) {
        self.fabric.note_on(now, link.0, What::Vanish, Some(cause), packet);
        self.fabric.drop(now, DropPlace::Link(link.0), cause, packet);
    }

    /// A unit that agents switch ends at a link, with its `bytes` and the message that announced it.
    pub fn drop_unit(&mut self, link: LinkNumber, cause: Cause, bytes: u64) {
        let count = self.fabric.totals.drops.entry((DropPlace::Link(link.0), Class::Unit, cause)).or_default();
        *count = count.plus(Count { packets: 1, bytes });
    }

    /// So many bytes of a unit end at a link; the rest of it goes on.
    pub fn drop_part(&mut self, link: LinkNumber, cause: Cause, bytes: u64) {
        let count = self.fabric.totals.drops.entry((DropPlace::Link(link.0), Class::Unit, cause)).or_default();
        count.bytes += bytes;
    }

    /// Whether anybody watches.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.fabric.is_observed()
    }

    /// What an agent does with a packet before a port of its node, for those who watch.
    #[inline]
    pub fn note(&mut self, now: u64, what: What, packet: &Packet) {
        if self.is_observed() {
            self.fabric.note_at(now, self.fabric.next_link(packet), what, None, packet);
        }
    }

    /// An agent marks a packet that it keeps for the port to which the packet goes next.
    pub fn mark(&mut self, now: u64, port: LocalPort, packet: &Packet) -> Packet {
        self.port_mut(port).note_mark();
        if self.is_observed() {
            self.fabric.note_at(now, self.fabric.paths[port.0 as usize], What::Mark, None, packet);
        }
        packet.marked()
    }

    /// The same at a link about no packet; `flows` are those that it concerns.
    pub fn note_unit(&mut self, link: LinkNumber, event: Event, flows: impl Iterator<Item = u32>) {
        self.note_event(Event { place: Spot::link(link.0), ..event }, flows);
    }

    /// The same at the agent's node.
    pub fn note_here(&mut self, event: Event, flows: impl Iterator<Item = u32>) {
        self.note_event(Event { place: Spot::node(self.node), ..event }, flows);
    }

    fn note_event(&mut self, event: Event, mut flows: impl Iterator<Item = u32>) {
        if let Some(observer) = &mut self.fabric.observer {
            observer.at_agent(event, &mut flows);
        }
    }

    /// A unit ends before a message has announced it: it counts as one that was made.
    pub fn make_unannounced(&mut self) {
        *self.emitted += 1;
    }
}
