//! The receiver's part of XCP: what the network granted to arriving packets goes back on the next ACK.
//!
//! With delayed ACKs several packets share an ACK, so their grants are added up and the sum starts again once it has
//! been sent (ns-2.35); an ACK that carried the last grant only would lose half of the feedback. What an ACK carries is
//! lost with it. Which segments get an ACK, and when, is decided by [`tcp::Receiver`](crate::tcp::Receiver).

use super::{Format, Header};

/// The feedback of one flow that waits for its next ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct Receiver {
    /// In bytes per second.
    waiting: i64,
}

impl Receiver {
    /// A data segment arrives with `header`.
    #[inline]
    pub fn handle_header(&mut self, header: &Header) {
        if header.format == Format::Standard {
            self.waiting = self.waiting.saturating_add(i64::from(header.delta_throughput));
        }
    }

    /// The header of the ACK that leaves now. A sum that the field cannot hold is sent in parts.
    #[inline]
    pub fn acknowledge(&mut self) -> Header {
        let feedback = self.waiting.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        self.waiting -= feedback;
        Header::ack(feedback as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xcp::Interval;

    fn data(delta: i32) -> Header {
        Header::data(Interval::from_ticks(1000), Interval::from_ticks(100), delta)
    }

    #[test]
    fn a_delayed_ack_carries_the_sum_and_the_next_one_starts_anew() {
        let mut receiver = Receiver::default();
        receiver.handle_header(&data(300));
        receiver.handle_header(&data(-100));
        assert_eq!(receiver.acknowledge(), Header::ack(200));
        assert_eq!(receiver.acknowledge(), Header::ack(0));
    }

    #[test]
    fn acks_of_the_other_direction_bring_nothing_to_send_back() {
        let mut receiver = Receiver::default();
        receiver.handle_header(&Header { delta_throughput: 5, ..Header::ack(7) });
        assert_eq!(receiver.acknowledge(), Header::ack(0));
    }

    #[test]
    fn a_sum_beyond_the_field_is_sent_in_parts() {
        let mut receiver = Receiver::default();
        receiver.handle_header(&data(i32::MAX));
        receiver.handle_header(&data(10));
        assert_eq!(receiver.acknowledge().reverse_feedback, i32::MAX);
        assert_eq!(receiver.acknowledge().reverse_feedback, 10);
    }
}
