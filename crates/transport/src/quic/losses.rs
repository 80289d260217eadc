//! What an ACK says of packets: round trips, marks, losses, and what that does to the window (RFC 9002 appendices A.7,
//! A.10, B.7 and B.8).

use super::ack::Ack;
use super::config::{GrowthOrder, Threshold, Underuse};
use super::congestion::is_persistent;
use super::ecn::Verdict;
use super::sender::Sender;
use super::sent::{Episode, Newly, SentPacket};
use crate::cc::{Event, LossCause, Marks, PathChange};
use crate::tcp::{Record, Snapshot, State};
use units::{Duration, Instant};

/// A packet threshold that follows reordering is not above this (quiche).
const MOST_BEHIND: u32 = 20;
/// A time threshold that follows reordering.
const ADAPTED_TIME: f64 = 1.25;

impl Sender {
    /// The rest of A.7, once it is known that something is newly acknowledged.
    pub(super) fn take_acks(&mut self, now: Instant, ack: &Ack, raises: bool, was_full: bool, newly: &[Newly]) {
        let rtt_sample = self.take_sample(now, ack, newly);
        let lost = self.congestion.lost;
        let rate = self.congestion.deliveries().and_then(|deliveries| deliveries.sample(now, lost));
        let (echoes, marked) = self.take_ecn(now, ack, raises, newly);
        let mut event =
            Event { rtt_sample, rate_sample: rate, srtt: self.srtt(), marked, ecn_echo: echoes, ..Event::at(now) };
        let grows_first = self.config.growth_order == GrowthOrder::BeforeLosses;
        if grows_first {
            self.grow(newly, &mut event, was_full);
        }
        let lost = self.detect_losses(now);
        if !grows_first {
            event.lost = lost;
            self.grow(newly, &mut event, was_full);
        }
        self.pto_count = 0;
    }

    /// The window may grow for packets from before it was last full, or as `underuse` says.
    fn grow(&mut self, newly: &[Newly], event: &mut Event, was_full: bool) {
        let below = match self.config.underuse {
            Underuse::Ignored => u64::MAX,
            Underuse::AtAck => {
                if was_full {
                    u64::MAX
                } else {
                    0
                }
            }
            Underuse::SinceSent => self.congestion.full_below,
        };
        let counts = was_full || newly.last().is_some_and(|one| one.number < below);
        event.is_app_limited = !counts;
        self.congestion.acknowledge(newly, below, event, &self.config);
    }

    /// §5.1: a sample if the frame's largest is newly acknowledged, and something that asks for an ACK is.
    fn take_sample(&mut self, now: Instant, ack: &Ack, newly: &[Newly]) -> Option<Duration> {
        let largest = newly.last()?;
        if largest.number != ack.largest() || !newly.iter().any(|one| one.is_ack_eliciting) {
            return None;
        }
        let sample = now.saturating_since(largest.sent_at);
        self.rtt.sample(now, sample, ack.delay, &self.config);
        self.stats.rtt_sum = self.stats.rtt_sum.saturating_add(sample.ps());
        self.stats.rtt_samples += 1;
        Some(sample)
    }

    /// A packet has arrived. One that was taken for lost has left sent_packets; it is
    /// counted, its bytes are not sent again, and it shows how far reordering goes.
    pub(super) fn arrives(&mut self, now: Instant, one: &Newly, largest: u64) {
        let number = one.number;
        if let Some(packet) = self.sent.get(number) {
            if let Some(chunk) = packet.chunk {
                self.streams.acknowledge(chunk, one.was_lost);
            }
            if let Some(deliveries) = self.congestion.deliveries() {
                deliveries.deliver(now, &record(number, packet, self.sent.snapshot(number)));
            }
        }
        if !one.was_lost {
            self.news.acked.push(number);
            self.congestion.bytes_in_flight -= if one.is_in_flight { u64::from(one.size) } else { 0 };
            return;
        }
        self.news.spurious.push(number);
        self.episode.spurious += u64::from(number >= self.episode.first);
        if self.config.threshold_rule == Threshold::Adaptive {
            let behind = u32::try_from(largest.saturating_sub(number) + 1).unwrap_or(u32::MAX);
            self.packet_threshold = self.packet_threshold.max(behind.min(MOST_BEHIND));
            self.time_threshold = self.time_threshold.max(ADAPTED_TIME);
        }
    }

    /// ProcessECN() of B.7, after the validation of RFC 9000 §13.4.2: whether more marks are reported, and bytes that
    /// count as marked. Marks that are news of the path the law hears as such.
    fn take_ecn(&mut self, now: Instant, ack: &Ack, raises: bool, newly: &[Newly]) -> (bool, u64) {
        if !raises {
            return (false, 0);
        }
        let Verdict::Marks(more) = self.marking.judge(ack.ecn, newly) else { return (false, 0) };
        if self.config.path_marks {
            if self.marking.turns(more > 0) {
                self.tell_news(now, PathChange::marked(now, more > 0));
            }
            return (false, 0);
        }
        if more == 0 {
            return (false, 0);
        }
        if self.config.algorithm.asks().marks == Marks::AsLosses
            && let Some(largest) = newly.last().filter(|one| one.number == ack.largest())
        {
            let event = self.loss_event(now, 0);
            self.handle_congestion(LossCause::Mark, largest.sent_at, event);
        }
        let bytes: u64 = newly.iter().map(|one| u64::from(one.size)).sum();
        let packets = (newly.len() as u64).max(1);
        (true, bytes.saturating_mul(more.min(packets)) / packets)
    }

    fn loss_event(&self, now: Instant, lost: u64) -> Event {
        let is_app_limited = !self.congestion.is_full();
        Event { lost, srtt: self.srtt(), in_flight: self.congestion.bytes_in_flight, is_app_limited, ..Event::at(now) }
    }

    fn handle_congestion(&mut self, cause: LossCause, sent_at: Instant, event: Event) -> bool {
        let is_cut = self.congestion.handle_congestion(cause, sent_at, event, &self.config);
        if is_cut {
            self.stats.false_fast_retransmits += u64::from(self.episode.is_spurious());
            self.episode = Episode { first: u64::MAX, ..Episode::default() };
        }
        self.may_exceed |= is_cut && self.config.recovery_packet;
        is_cut
    }

    /// DetectAndRemoveLostPackets() of A.10 and OnPacketsLost() of B.8: bytes that were found lost.
    pub(super) fn detect_losses(&mut self, now: Instant) -> u64 {
        let Some(largest) = self.largest_acked else { return 0 };
        self.loss_time = None;
        if !self.sent.is_open_below(largest) {
            return 0;
        }
        let round = self.rtt.latest.max(self.rtt.smoothed).ps() as f64;
        // `as` saturates.
        let delay = Duration::from_ps((round * self.time_threshold) as u64).max(self.config.granularity);
        let mut losses = std::mem::take(&mut self.losses);
        losses.clear();
        for (number, packet) in self.sent.outstanding(largest.saturating_sub(1)) {
            let due = packet.sent_at + delay;
            if due <= now || largest >= number.saturating_add(self.packet_threshold.into()) {
                losses.push(number);
            } else {
                self.loss_time = Some(self.loss_time.map_or(due, |first| first.min(due)));
            }
        }
        let lost = if losses.is_empty() { 0 } else { self.lose(now, &losses) };
        self.losses = losses;
        lost
    }

    fn lose(&mut self, now: Instant, losses: &[u64]) -> u64 {
        let (mut last, mut bytes) = (None, 0);
        for number in losses {
            let Some(packet) = self.sent.lose(*number) else { continue };
            self.news.lost.push(*number);
            if let Some(chunk) = packet.chunk {
                self.streams.lose(chunk);
            }
            if packet.is_in_flight {
                self.congestion.bytes_in_flight -= u64::from(packet.size);
                bytes += u64::from(packet.size);
                last = last.max(Some(packet.sent_at));
                self.congestion.lose(*number, packet.size, self.sent.snapshot(*number), now, &self.config);
            }
        }
        self.sent.advance();
        let is_persistent = is_persistent(losses, &self.rtt, &self.sent, &self.config);
        let event = self.loss_event(now, bytes);
        let cause = if is_persistent { LossCause::Timeout } else { LossCause::FastRetransmit };
        let is_cut = last.is_some_and(|sent_at| self.handle_congestion(cause, sent_at, event));
        self.episode.first = self.episode.first.min(losses.first().copied().unwrap_or(u64::MAX));
        self.episode.lost += losses.len() as u64;
        if is_persistent {
            self.congestion.collapse(is_cut, event, &self.config);
            self.news.is_persistent = true;
            if self.config.reset_min_rtt {
                self.rtt.forget_min();
            }
        }
        bytes
    }
}

/// A packet in the words of TCP's delivery rates.
fn record(number: u64, packet: &SentPacket, snapshot: Snapshot) -> Record {
    // Rates count bytes; where they lie does not matter.
    let start = number << 20;
    Record {
        start,
        end: start + u64::from(packet.size),
        sent_at: packet.sent_at,
        snapshot,
        retransmitted: false,
        reported: false,
        state: State::InFlight,
    }
}
