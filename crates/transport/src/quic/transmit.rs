//! What leaves: probes, and what window, peer and pacing permit.

use super::chunk::Chunk;
use super::sender::{ByHand, Packet, Sender};
use super::sent::{Fate, SentPacket};
use crate::tcp::Sending;
use units::Instant;

impl Sender {
    /// A PTO: one or two probes leave, of new data if there are any, else of the oldest (§6.2.4).
    pub(super) fn probe(&mut self, now: Instant, out: &mut Vec<Packet>) {
        self.stats.timeouts += 1;
        self.probed = (0, 0);
        for _ in 0..self.config.pto_packets {
            let payload = self.config.payload();
            let (chunk, is_again) = match self.streams.take(payload) {
                Some((chunk, is_again)) => (Some(chunk), is_again),
                None => {
                    let chunk = self.streams.oldest(self.probed, payload);
                    self.probed = chunk.map_or(self.probed, |chunk| (chunk.stream, chunk.end()));
                    (chunk, true)
                }
            };
            let from = out.len();
            let size = chunk.map_or(self.config.overhead, |chunk| chunk.length + self.config.overhead);
            self.emit(now, ByHand::Eliciting, size, chunk, is_again && chunk.is_some(), out);
            out[from..].iter_mut().for_each(|packet| packet.is_probe = true);
        }
        self.pto_count = self.pto_count.saturating_add(1);
        self.set_timer();
    }

    /// Sends what window, peer and pacing permit.
    pub(super) fn transmit(&mut self, now: Instant, out: &mut Vec<Packet>) {
        let (size, before) = (self.config.max_datagram_size, out.len());
        if self.congestion.bytes_in_flight == 0 && self.sent.next() > 0 && self.streams.has_more() {
            self.congestion.restart(now, self.srtt(), &self.config);
        }
        self.paced = None;
        while self.streams.has_more() {
            if !self.may_exceed && self.congestion.is_full() {
                break;
            }
            if self.config.paced || self.config.algorithm.asks().pacing {
                let due = self.pacer.ready(now, size.into(), || {
                    self.congestion.pacing_rate(self.rtt.smoothed, self.rtt.measured(), &self.config)
                });
                if due > now && !self.may_exceed {
                    self.paced = Some(due);
                    break;
                }
            }
            let Some((chunk, is_again)) = self.streams.take(self.config.payload()) else { break };
            self.may_exceed = false;
            self.emit(now, ByHand::Eliciting, chunk.length + self.config.overhead, Some(chunk), is_again, out);
        }
        self.may_exceed = false;
        if self.congestion.is_full() || self.paced.is_some() {
            self.congestion.full_below = self.sent.next();
        } else if !self.streams.has_more() {
            let in_flight = self.congestion.bytes_in_flight;
            self.congestion.deliveries().into_iter().for_each(|rates| rates.note_app_limited(in_flight));
        }
        if out.len() > before {
            self.set_timer();
        }
    }

    /// OnPacketSent() of A.5.
    pub(super) fn emit(
        &mut self,
        now: Instant,
        kind: ByHand,
        size: u32,
        chunk: Option<Chunk>,
        is_again: bool,
        out: &mut Vec<Packet>,
    ) {
        let (is_ack_eliciting, is_in_flight) = (kind == ByHand::Eliciting, kind != ByHand::AckOnly);
        let codepoint = self.marking.codepoint(|| self.config.marks());
        let is_first = self.congestion.bytes_in_flight == 0;
        let in_flight = self.congestion.bytes_in_flight + u64::from(size);
        let lost = self.congestion.lost;
        let rates = self.congestion.deliveries();
        let snapshot = rates.map(|rates| rates.snapshot(now, Sending { is_first, in_flight }, lost));
        let packet = SentPacket {
            sent_at: now,
            size,
            is_ack_eliciting,
            is_in_flight,
            codepoint,
            chunk,
            fate: Fate::Outstanding,
        };
        let number = self.sent.push(packet, snapshot);
        if is_in_flight {
            self.congestion.bytes_in_flight += u64::from(size);
            self.pacer.sent(now, size.into());
            if self.congestion.is_full() {
                self.congestion.full_below = self.sent.next();
            }
        }
        if is_ack_eliciting {
            self.last_eliciting = Some(now);
        }
        self.stats.segments_sent += 1;
        self.stats.retransmissions += u64::from(is_again);
        out.push(Packet { number, size, chunk, is_ack_eliciting, is_again, is_probe: false, codepoint });
    }
}
