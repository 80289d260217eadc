//! What a sender exchanges with a network that tells it its throughput ([`xcp`](crate::xcp)).

use super::Sender;
use crate::xcp::Header;
use crate::xcp::sender::{self, DuplicateAcks};

impl Sender {
    /// The ACK of every byte below `ack` brought `feedback`, the change of throughput in bytes per second. To be called
    /// before [`handle_ack`](Sender::handle_ack) with that ACK, so that what the wider window admits leaves with it. Window
    /// laws that are not told by the network ignore it.
    #[inline]
    pub fn handle_feedback(&mut self, ack: u64, feedback: i32) {
        let Some(srtt) = self.rtt.srtt() else { return };
        if ack <= self.una && self.config.laws.xcp.duplicate_acks == DuplicateAcks::Ignore {
            return;
        }
        if feedback < 0 || self.is_cwnd_limited() {
            self.law.apply_feedback(&mut self.window, feedback, srtt);
            self.set_cwnd(self.window.cwnd);
        }
    }

    /// The congestion header of the segments that the last call wants sent; `None` unless the algorithm
    /// [`needs_header`](crate::cc::Algorithm::needs_header).
    #[inline]
    pub fn congestion_header(&self) -> Option<Header> {
        let admitted = self.config.max_cwnd.min(self.edge.saturating_sub(self.una));
        let header = || sender::header(&self.window, admitted, self.rtt.srtt());
        self.config.algorithm.needs_header().then(header)
    }
}
