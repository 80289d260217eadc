//! Delivery rates: draft-ietf-ccwg-bbr §4.1 (before, draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Every segment carries in its record how much had been delivered when it left, and when. The ACK that first reports it gives
//! a rate: what has been delivered since, over the longer of the time in which that was sent and the time in which it was
//! acknowledged. Left out: the counts of lost and of marked bytes that BBRv3 takes from the same records.

use super::Sender;
use super::segments::{Record, Segments};
use crate::cc::RateSample;
use units::{Duration, Instant};

/// What had been delivered when a segment left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Snapshot {
    /// P.delivered.
    delivered: u64,
    /// P.delivered_time.
    delivered_at: Instant,
    /// P.first_send_time.
    first_sent_at: Instant,
    /// P.is_app_limited.
    is_app_limited: bool,
}

/// What has been delivered of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Deliveries {
    /// C.delivered, in bytes.
    delivered: u64,
    /// C.delivered_time.
    delivered_at: Instant,
    /// C.first_send_time: when the newest segment left that has been delivered.
    first_sent_at: Instant,
    /// C.app_limited: until this number of bytes has been delivered, the flow is held back by its application; 0 if it is not.
    app_limited: u64,
    /// The shortest round trip so far.
    min_rtt: Option<Duration>,
}

impl Deliveries {
    /// SendPacket(): a segment leaves, with nothing else in flight if `is_first`.
    pub(super) fn snapshot(&mut self, now: Instant, is_first: bool) -> Snapshot {
        if is_first {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            is_app_limited: self.app_limited > 0,
        }
    }

    /// UpdateRateSample() of everything that an ACK is the first to report, and GenerateRateSample().
    pub(super) fn sample(&mut self, now: Instant, reported: &[Record]) -> Option<RateSample> {
        let mut newest: Option<&Record> = None;
        for record in reported {
            self.delivered = self.delivered.saturating_add(record.end - record.start);
            self.delivered_at = now;
            if newest.is_none_or(|newest| (record.sent_at, record.end) > (newest.sent_at, newest.end)) {
                newest = Some(record);
            }
            if !record.retransmitted {
                let rtt = now.saturating_since(record.sent_at);
                self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
            }
        }
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let Record { sent_at, snapshot, .. } = *newest?;
        self.first_sent_at = sent_at;
        let sending = sent_at.saturating_since(snapshot.first_sent_at);
        let acknowledging = now.saturating_since(snapshot.delivered_at);
        let sample = RateSample {
            delivered: self.delivered - snapshot.delivered,
            interval: sending.max(acknowledging),
            prior_delivered: snapshot.delivered,
            is_app_limited: snapshot.is_app_limited,
        };
        // Something in the middle of the network or the receiver has pressed ACKs together.
        let is_too_short = self.min_rtt.is_some_and(|least| sample.interval < least);
        (!is_too_short).then_some(sample)
    }

    /// The application has nothing more to send while `in_flight` bytes are: until these are delivered, rates may be too low.
    pub(super) fn note_app_limited(&mut self, in_flight: u64) {
        self.app_limited = self.delivered.saturating_add(in_flight).max(1);
    }
}

impl Sender {
    /// CheckIfApplicationLimited(): less than a segment waits, nothing lost waits to be sent again, and cwnd has room.
    pub(super) fn watch_application(&mut self) {
        if !self.segments().is_some_and(Segments::measures_rates) {
            return;
        }
        let pipe = self.pipe();
        let nothing_waits = self.written - self.nxt < self.window.mss && pipe < self.window.cwnd;
        if let Some(segments) = self.segments_mut().filter(|_| nothing_waits) {
            segments.note_app_limited(pipe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::SackBlock;
    use crate::tcp::segments::Rates;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_segment_sent_again_just_before_its_ack_gives_no_rate() {
        let mut segments = Segments::new(Rates::Measured);
        let block = |at: u64| SackBlock { start: 1000 * at, end: 1000 * at + 1000 };
        segments.send(ms(0), block(0), true);
        segments.advance(1000);
        let sample = segments.sample(ms(100)).unwrap();
        assert_eq!((sample.delivered, sample.interval), (1000, Duration::from_millis(100)));
        // It leaves with nothing in flight, and again at 199 ms: 1 ms is no round trip of this path, of which 100 ms are known.
        segments.send(ms(199), block(1), true);
        segments.resend(ms(199), block(1));
        segments.advance(2000);
        assert_eq!(segments.sample(ms(200)), None);
    }
}
