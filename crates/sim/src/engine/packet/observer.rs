//! What a run tells those who watch it.

use super::admission::Cause;
use super::fields::Packet;
use super::payload::Stamp;
use super::said::Said;
use std::any::Any;
use std::fmt::Debug;
use transport::tcp::Sender;

/// Somebody who watches the packets of a partition, and changes nothing. What is of no interest need not be written.
pub trait Observer: Any + Debug + Send {
    /// A packet leaves or reaches the sending host of its flow, if that host's packets are watched.
    fn passed_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        let _ = (now, packet, said);
    }

    /// A packet that says when it left has reached its receiving host.
    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        let _ = (now, packet, stamp);
    }

    /// The sender of a flow that is watched has been called, and sends something or not.
    fn sender_called(&mut self, now: u64, flow: u32, sender: &Sender, sends: bool) {
        let _ = (now, flow, sender, sends);
    }

    /// A packet is dropped.
    fn dropped(&mut self, now: u64, packet: &Packet, cause: Cause) {
        let _ = (now, packet, cause);
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
