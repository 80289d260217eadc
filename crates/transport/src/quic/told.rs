//! What the network writes into packets and a law reads: XCP's congestion headers, what hops measure (HPCC, PowerTCP),
//! the rate that they offer (RCP). It travels beside the packet and is no part of its datagram: a sender says what is
//! in a packet that leaves, and is told what came back with an ACK before the ACK.

use super::sender::Sender;
use crate::cc::{Event, Feedback, Measured};
use crate::tcp::header;
use crate::telemetry::{Offer, Telemetry};
use crate::xcp::Header;
use units::{Duration, Instant};

impl Sender {
    /// An ACK whose largest number is this brought `feedback`, in bytes a second.
    pub fn handle_feedback(&mut self, largest: u64, feedback: i32) {
        let Some(srtt) = self.srtt().filter(|_| self.config.algorithm.needs_header()) else { return };
        let acks_new_data = self.largest_acked.is_none_or(|before| largest > before);
        let is_app_limited = self.is_underused();
        self.congestion
            .handle_feedback(&Feedback { change: feedback, srtt, acks_new_data, is_app_limited }, &self.config);
    }

    /// An ACK whose largest number is this brought what the newest packet that it names has met.
    pub fn handle_telemetry(&mut self, now: Instant, largest: u64, telemetry: &Telemetry) {
        if !self.config.algorithm.reads_telemetry() || largest >= self.sent.next() {
            return;
        }
        let (in_flight, is_app_limited) = (self.congestion.bytes_in_flight, self.is_underused());
        let event = Event { srtt: self.srtt(), in_flight, is_app_limited, ..Event::at(now) };
        // Laws count round trips by them, and packets have numbers.
        let measured = Measured { telemetry, ack: largest + 1, next: self.sent.next(), event };
        self.congestion.handle_telemetry(&measured, &self.config);
    }

    /// What packets that leave now carry for hops, before any has written; `None` unless the law reads it.
    pub fn telemetry(&self) -> Option<Telemetry> {
        let offer = Offer { rtt: self.srtt().unwrap_or(Duration::ZERO), ..Offer::NONE };
        self.config.algorithm.reads_telemetry().then(|| Telemetry::EMPTY.with_offer(offer))
    }

    /// The congestion header of packets that leave now; `None` unless the law needs one.
    pub fn congestion_header(&self) -> Option<Header> {
        let window = &self.congestion.window;
        self.config.algorithm.needs_header().then(|| header(window, self.config.max_window, self.srtt()))
    }

    /// Whether neither window nor pacing holds the flow back.
    fn is_underused(&self) -> bool {
        !self.congestion.is_full() && self.paced.is_none()
    }
}
