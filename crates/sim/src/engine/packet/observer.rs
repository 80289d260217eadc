//! The hooks of a run: what those who watch it are told.
//!
//! Each partition has one [`Observer`] or none. A port tells it of packets only where the port is watched, and a host
//! only of flows that are, so who does not watch costs nothing.

use super::admission::Cause;
use super::drops::DropPlace;
use super::event::{Event, Leaving, What};
use super::fields::Packet;
use super::payload::{PayloadTable, Stamp};
use super::said::Said;
use std::any::Any;
use std::fmt::Debug;
use transport::tcp::Sender;

/// Somebody who watches the packets of a partition, and changes nothing. What is of no interest need not be written.
pub trait Observer: Any + Debug + Send {
    /// Something happens to a packet at a port or on its fibre; `payloads` has what it carries.
    fn at_link(&mut self, event: Event, packet: &Packet, payloads: &PayloadTable) {
        let _ = (event, packet, payloads);
    }

    /// The sending host of a watched flow does something with a packet. `value` is the congestion window at an ACK, and
    /// the end of a SACK block.
    fn at_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        let _ = (now, what, packet, value);
    }

    /// A packet leaves or reaches the sending host of a watched flow, with what it says beside its header.
    fn passed_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        let _ = (now, packet, said);
    }

    /// An agent does something that is about no packet but concerns these flows.
    fn at_agent(&mut self, event: Event, flows: &mut dyn Iterator<Item = u32>) {
        let _ = (event, flows);
    }

    /// What is inside a link's port leaves otherwise than was expected; both lists have the oldest packet first.
    fn retimed(&mut self, now: u64, link: u32, expected: &[Leaving], planned: &[Leaving]) {
        let _ = (now, link, expected, planned);
    }

    /// A link is down: what has not begun to leave over it never does.
    fn went_down(&mut self, now: u64, link: u32) {
        let _ = (now, link);
    }

    /// A packet that says when it left has reached its receiving host.
    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        let _ = (now, packet, stamp);
    }

    /// The sender of a flow that is watched has been called, and sends something or not.
    fn sender_called(&mut self, now: u64, flow: u32, sender: &Sender, sends: bool) {
        let _ = (now, flow, sender, sends);
    }

    /// The sending machine of a kind of host has been called, of a flow that is watched, and what it sends has been
    /// told: what it shows of itself.
    fn machine_called(&mut self, now: u64, flow: u32, shown: &dyn Any) {
        let _ = (now, flow, shown);
    }

    /// A packet is dropped.
    fn dropped(&mut self, now: u64, place: DropPlace, cause: Cause, packet: &Packet) {
        let _ = (now, place, cause, packet);
    }

    /// An agent tells a sender of a drop that has not happened.
    fn drop_feigned(&mut self, now: u64, ack: &Packet) {
        let _ = (now, ack);
    }

    /// Whether it must be told of all nodes in the order of time.
    fn needs_order(&self) -> bool {
        false
    }
}
