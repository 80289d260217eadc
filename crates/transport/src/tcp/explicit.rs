//! Messages between a sender and a network that tells it its throughput ([`xcp`](crate::xcp)).
//!
//! The headers' SRTT is TCP's, one sample per round trip; ns-2 takes one per ACK.

use super::{Sender, pacing};
use crate::cc::{Event, Feedback, Measured, Window};
use crate::telemetry::Offer;
use crate::telemetry::Telemetry;
use crate::xcp::{Header, Interval};
use units::{Duration, Instant};

impl Sender {
    /// The ACK of every byte below `ack` brought `feedback`, the change of throughput in bytes per second. To be called
    /// before [`handle_ack`](Sender::handle_ack) with that ACK, so that what the wider window admits leaves with it.
    /// Window laws that are not told by the network ignore it.
    #[inline]
    pub fn handle_feedback(&mut self, ack: u64, feedback: i32) {
        let Some(srtt) = self.rtt.srtt() else { return };
        let (acks_new_data, is_app_limited) = (ack > self.una, !self.is_cwnd_limited());
        let feedback = Feedback { change: feedback, srtt, acks_new_data, is_app_limited };
        self.law.on_feedback(&self.config.laws, &mut self.window, &feedback);
        self.set_cwnd(self.window.cwnd);
    }

    /// The ACK of every byte below `ack` brought what the hops of the path measured. To be called before
    /// [`handle_ack`](Sender::handle_ack) with that ACK, as [`Sender::handle_feedback`] is.
    pub fn handle_telemetry(&mut self, now: Instant, ack: u64, telemetry: &Telemetry) {
        if !self.config.algorithm.reads_telemetry() || ack > self.nxt {
            return;
        }
        let (srtt, in_flight) = (self.rtt.srtt(), self.flight_size());
        let event = Event { srtt, in_flight, is_app_limited: !self.is_cwnd_limited(), ..Event::at(now) };
        let measured = Measured { telemetry, ack, next: self.nxt, event };
        self.law.on_telemetry(&self.config.laws, &mut self.window, &measured);
        self.set_cwnd(self.window.cwnd);
    }

    /// What the network writes into the segments that the last call wants sent, before any port has; `None` unless the
    /// algorithm [`reads_telemetry`](crate::cc::Algorithm::reads_telemetry).
    pub fn telemetry(&self) -> Option<Telemetry> {
        let rtt = self.rtt.srtt().unwrap_or(Duration::ZERO);
        let asks = self.config.algorithm.reads_telemetry();
        asks.then_some(Telemetry::EMPTY.with_offer(Offer { rtt, ..Offer::NONE }))
    }

    /// The congestion header of the segments that the last call wants sent; `None` unless the algorithm
    /// [`needs_header`](crate::cc::Algorithm::needs_header).
    #[inline]
    pub fn congestion_header(&self) -> Option<Header> {
        let admitted = self.config.max_cwnd.min(self.edge.saturating_sub(self.una));
        let header = || header(&self.window, admitted, self.rtt.srtt());
        self.config.algorithm.needs_header().then(header)
    }
}

/// The header of the segments that leave now. `admitted` bytes are what the window could grow to at most (the peer's
/// window, `max_cwnd`); the sender asks for that, in equal parts on the packets of a round trip (draft-03). Before the
/// first RTT sample it says and asks for nothing (ns-2.35).
pub(crate) fn header(window: &Window, admitted: u64, srtt: Option<Duration>) -> Header {
    let Some(srtt) = srtt.filter(|srtt| *srtt > Duration::ZERO) else {
        return Header::data(Interval::ZERO, Interval::ZERO, 0);
    };
    let rtt = Interval::from_duration(srtt);
    let x = Interval::from_duration(pacing::interval(srtt, window.mss as u32, window.cwnd));
    Header::data(rtt, x.min(rtt), wish(window, admitted, srtt))
}

/// (admitted − cwnd)/SRTT over the cwnd/MSS packets of a round trip, in bytes per second.
#[inline]
fn wish(window: &Window, admitted: u64, srtt: Duration) -> i32 {
    let change = admitted as f64 - window.cwnd as f64;
    let per_packet = change * window.mss as f64 / window.cwnd as f64;
    // `as` saturates.
    (per_packet / srtt.as_secs_f64()).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64) -> Window {
        Window { cwnd, ssthresh: u64::MAX, mss: 1000 }
    }

    const RTT: Duration = Duration::from_millis(100);

    #[test]
    fn the_header_says_rtt_and_packet_spacing() {
        // cwnd of 10 segments in 100 ms: a packet every 10 ms.
        let header = header(&window(10_000), u64::MAX, Some(RTT));
        assert_eq!(header.rtt, Interval::from_duration(RTT));
        assert_eq!(header.x, Interval::from_duration(Duration::from_millis(10)));
        assert_eq!(header.delta_throughput, i32::MAX, "a greedy sender asks for what the field holds");
    }

    #[test]
    fn a_bounded_sender_asks_for_its_bound() {
        // From 10 to 15 segments in 100 ms are 50 000 B/s, on 10 packets a round trip.
        assert_eq!(header(&window(10_000), 15_000, Some(RTT)).delta_throughput, 5_000);
        assert_eq!(header(&window(10_000), 5_000, Some(RTT)).delta_throughput, -5_000);
    }

    #[test]
    fn before_the_first_sample_a_sender_asks_for_nothing() {
        assert_eq!(header(&window(10_000), u64::MAX, None), Header::data(Interval::ZERO, Interval::ZERO, 0));
    }
}
