//! What edge and core nodes tell one another.

use super::super::control::Onward;
use super::notification::Notification;
use super::rate::SlotRate;
use crate::engine::node::node_context::{ControlPacket, NodeContext};
use crate::engine::packet::message::Message;

/// Bytes of a signal in a packet of its own: an IP header and 20 bytes.
pub const SIGNAL_SIZE: u16 = 40;
/// Bytes of a signal on the back of another packet.
pub const RIDER_SIZE: u16 = 8;

/// A signal about an edge-to-edge flow.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    /// An edge node asks for a rate.
    Request {
        /// The flow.
        flow: u32,
        /// The rate.
        rate: SlotRate,
    },
    /// The answer.
    Answer {
        /// The flow.
        flow: u32,
        /// The rate that it may use: what it asked for, or less.
        rate: SlotRate,
    },
    /// A slot was lost.
    Loss(Notification),
    /// An output is busy: for ACK pacing.
    Busy {
        /// The flow.
        flow: u32,
        /// What comes to the output.
        arrivals: SlotRate,
        /// What leaves it at most.
        capacity: SlotRate,
    },
}

/// Sends a signal.
pub fn send(now: u64, Onward { way, agent: to }: Onward, signal: Signal, size: u16, context: &mut NodeContext) {
    context.send(now, ControlPacket { to, way, size, number: 0, message: Message::new(signal) });
}
