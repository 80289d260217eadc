//! Delivery rates: draft-ietf-ccwg-bbr §4.1 (before, draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Every segment carries in its record how much had been delivered when it left, and when. The ACK that first reports
//! it gives a rate: what has been delivered since, over the longer of the time in which that was sent and the time in
//! which it was acknowledged.

use super::record::{InFlight, Record, Snapshot};
use crate::cc::{LostSegment, RateSample};
use units::{Duration, Instant};

/// Deliveries of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deliveries {
    /// C.delivered, in bytes.
    delivered: u64,
    /// C.delivered_time.
    delivered_at: Instant,
    /// C.first_send_time: when the newest segment left that has been delivered.
    first_sent_at: Instant,
    /// C.app_limited: until this number of bytes has been delivered, the flow is held back by its application; 0 if it
    /// is not.
    app_limited: u64,
    /// The shortest round trip so far.
    min_rtt: Option<Duration>,
    /// Segments that have been found lost and not told.
    lost: Vec<LostSegment>,
    /// Of what the present ACK is the first to report, the segment that left last.
    newest: Option<Newest>,
}

/// A segment that an ACK reports: when it left and where it ended, and what had been delivered then.
#[derive(Clone, Copy, Debug)]
struct Newest {
    sent: (Instant, u64),
    snapshot: Snapshot,
}

/// The state of a flow when a segment leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    /// True if nothing else is in flight.
    pub(crate) is_first: bool,
    /// Bytes in the network then, the segment included; for laws that ask for each loss.
    pub(crate) in_flight: u64,
}

impl Deliveries {
    /// OnPacketSent(): a segment leaves when `lost` bytes have been found lost in all.
    pub(crate) fn snapshot(&mut self, now: Instant, sending: Sending, lost: u64) -> Snapshot {
        if sending.is_first {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight: InFlight::new(sending.in_flight, self.app_limited > 0),
            lost: lost as u32,
        }
    }

    /// A segment has been found lost, with which these are all lost bytes.
    pub(crate) fn lose(&mut self, record: &Record, lost: u64) {
        let Record { start, end, snapshot, .. } = *record;
        let tx_in_flight = snapshot.in_flight.bytes();
        let is_app_limited = snapshot.in_flight.is_app_limited();
        self.lost.push(LostSegment { start, end, tx_in_flight, lost: snapshot.lost_since(lost), is_app_limited });
    }

    /// Segments that have been found lost and not told.
    pub(crate) fn lost_untold(&mut self) -> &mut Vec<LostSegment> {
        &mut self.lost
    }

    /// UpdateRateSample(): a segment that the present ACK is the first to report.
    #[inline]
    pub(crate) fn deliver(&mut self, now: Instant, record: &Record) {
        self.delivered = self.delivered.saturating_add(record.end - record.start);
        self.delivered_at = now;
        let sent = (record.sent_at, record.end);
        if self.newest.is_none_or(|newest| sent > newest.sent) {
            self.newest = Some(Newest { sent, snapshot: record.snapshot });
        }
        if !record.retransmitted {
            let rtt = now.saturating_since(record.sent_at);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// GenerateRateSample() of all that an ACK is the first to report.
    pub(crate) fn sample(&mut self, now: Instant, lost: u64) -> Option<RateSample> {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let Newest { sent: (sent_at, _), snapshot } = self.newest.take()?;
        self.first_sent_at = sent_at;
        let sending = sent_at.saturating_since(snapshot.first_sent_at);
        let acknowledging = now.saturating_since(snapshot.delivered_at);
        let sample = RateSample {
            delivered: self.delivered - snapshot.delivered,
            interval: sending.max(acknowledging),
            prior_delivered: snapshot.delivered,
            is_app_limited: snapshot.in_flight.is_app_limited(),
            tx_in_flight: snapshot.in_flight.bytes(),
            lost: snapshot.lost_since(lost),
        };
        // Something in the middle of the network or the receiver has pressed ACKs together.
        let is_too_short = self.min_rtt.is_some_and(|least| sample.interval < least);
        (!is_too_short).then_some(sample)
    }

    /// The application has nothing more to send while `in_flight` bytes are: until these are delivered, rates may be
    /// too low.
    pub(crate) fn note_app_limited(&mut self, in_flight: u64) {
        self.app_limited = self.delivered.saturating_add(in_flight).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::SackBlock;
    use crate::tcp::segments::{Rates, Segments};

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_segment_sent_again_just_before_its_ack_gives_no_rate() {
        let mut segments = Segments::new(Rates::Measured);
        let block = |at: u64| SackBlock { start: 1000 * at, end: 1000 * at + 1000 };
        let first = Sending { is_first: true, in_flight: 1000 };
        segments.send(ms(0), block(0), first);
        segments.advance(1000);
        let sample = segments.sample(ms(100)).unwrap();
        assert_eq!((sample.delivered, sample.interval), (1000, Duration::from_millis(100)));
        // It leaves with nothing in flight, and again at 199 ms: 1 ms is no round trip of this path, of which 100 ms
        // are known.
        segments.send(ms(199), block(1), first);
        segments.resend(ms(199), block(1), 1000);
        segments.advance(2000);
        assert_eq!(segments.sample(ms(200)), None);
    }
}
