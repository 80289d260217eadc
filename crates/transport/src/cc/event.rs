//! The events of a window law, and its needs.

use super::SlowStartCounts;
use crate::telemetry::Telemetry;
use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// One piece of news about a flow, as every law gets it. A law that does not read a field costs nobody its value.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The reading of the node's clock.
    pub now: Instant,
    /// Bytes that the cumulative ACK newly covers.
    pub acked: u64,
    /// How they count in slow start, for laws that have no word on it.
    pub counts: SlowStartCounts,
    /// Bytes above the cumulative ACK of which this ACK is the first to say that they have arrived.
    pub sacked: u64,
    /// At a loss: the outstanding bytes that count as lost now.
    pub lost: u64,
    /// The round-trip time that this ACK has measured, if it has: one segment at a time is timed, and each where the
    /// law [wants](Wants::every_rtt) that.
    pub rtt_sample: Option<Duration>,
    /// The delivery rate that this ACK has measured, for laws that ask for [`Asks::rate_samples`].
    pub rate_sample: Option<RateSample>,
    /// The smoothed round-trip time, once there was a sample.
    pub srtt: Option<Duration>,
    /// Bytes in flight: after an ACK what it leaves outstanding; at a loss FlightSize without what Limited Transmit
    /// sent.
    pub in_flight: u64,
    /// Bytes in the network as the sender reckons, without what is SACKed or lost; only for laws that keep
    /// [divisions](Wants::division_rtt).
    pub pipe: Option<u64>,
    /// True if the ACK echoes a congestion mark.
    pub ecn_echo: bool,
    /// Bytes that it says were marked, for laws that ask for [`Marks::Counted`].
    pub marked: u64,
    /// True if something else than cwnd holds the flow back: the application, the peer's window or `max_cwnd`.
    pub is_app_limited: bool,
    /// True if losses that needed no timer are being repaired; only laws that ask for [`Asks::every_ack`] hear of such
    /// ACKs.
    pub in_recovery: bool,
}

impl Event {
    /// Nothing has happened at `now`.
    pub const fn at(now: Instant) -> Event {
        Event {
            now,
            acked: 0,
            counts: SlowStartCounts::Segment,
            sacked: 0,
            lost: 0,
            rtt_sample: None,
            rate_sample: None,
            srtt: None,
            in_flight: 0,
            pipe: None,
            ecn_echo: false,
            marked: 0,
            is_app_limited: false,
            in_recovery: false,
        }
    }
}

/// One ACK's sample of the rate at which the network delivers: draft-ietf-ccwg-bbr §4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered between the send time of the newest segment that the ACK covers and now.
    pub delivered: u64,
    /// The time that took: the longer of the sending and the acknowledging of those bytes.
    pub interval: Duration,
    /// Bytes that had been delivered when that segment left: a round trip ends when this passes what it was at its
    /// start.
    pub prior_delivered: u64,
    /// True if the segment left while the application had nothing more to send, so that the rate may be too low.
    pub is_app_limited: bool,
    /// Bytes in the network when it had left, for laws that ask for [`Asks::each_loss`].
    pub tx_in_flight: u64,
    /// Bytes found lost since.
    pub lost: u64,
}

/// A segment that has been found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Its first byte.
    pub start: u64,
    /// The byte after its last one.
    pub end: u64,
    /// Bytes in the network when it had left.
    pub tx_in_flight: u64,
    /// Bytes found lost since, it among them.
    pub lost: u64,
    /// True if it left while the application had nothing more to send.
    pub is_app_limited: bool,
}

impl RateSample {
    /// Bytes that have been delivered by now.
    pub fn total(&self) -> u64 {
        self.prior_delivered + self.delivered
    }

    /// The delivery rate; `None` for an interval without length.
    pub fn rate(&self) -> Option<Rate> {
        let ps = self.interval.ps();
        // Up to 2 MB need no wide division.
        if let Some(product) = self.delivered.checked_mul(8 * PS_PER_SECOND) {
            return product.checked_div(ps).map(Rate::from_bps);
        }
        let bps = (u128::from(self.delivered) * 8 * u128::from(PS_PER_SECOND)).checked_div(u128::from(ps))?;
        Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
    }
}

/// How a loss was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// By duplicate ACKs or SACK.
    FastRetransmit,
    /// By the retransmission timer.
    Timeout,
    /// By the echo of a congestion mark (RFC 3168); nothing is lost.
    Mark,
    /// By a report of an edge node that contention, not congestion, dropped a burst.
    Contention,
    /// By such a report, of all that was outstanding: without it only the timer would have shown the loss.
    ContentionOfAll,
}

/// A loss as a window law sees it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// How it was noticed.
    pub cause: LossCause,
    /// The bytes that the law cuts: FlightSize, of which what exceeds cwnd does not count. SACK lets more leave while a
    /// hole waits for its repair, and RFC 5681 §3.1 eq. (4) says "no more than". With `ssthresh_from` "cwnd" it is
    /// cwnd.
    pub flight: u64,
    /// The rest.
    pub event: Event,
}

/// The network says by how much to change the throughput.
#[derive(Clone, Copy, Debug)]
pub struct Feedback {
    /// The change in bytes per second.
    pub change: i32,
    /// The smoothed round-trip time.
    pub srtt: Duration,
    /// True if the ACK that brought it covers new bytes.
    pub acks_new_data: bool,
    /// True if something else than cwnd holds the flow back.
    pub is_app_limited: bool,
}

/// What a host knows of a flow's way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    /// The bit rate of the link by which the flow leaves, if it is known.
    pub line_rate: Option<Rate>,
    /// Bytes that a segment has on the wire besides its payload. What ports measure and say counts them.
    pub header: u32,
    /// The round trip of a full segment over the empty way, if it is known.
    pub base_rtt: Option<Duration>,
}

impl Host {
    /// The payload in so many bytes on the wire of full segments, which hops have made `grown` bytes longer.
    pub fn payload(&self, wire: f64, mss: u64, grown: u32) -> f64 {
        wire * mss as f64 / (mss + u64::from(self.header) + u64::from(grown)) as f64
    }
}

/// What the hops of the path measured, as an ACK brings it.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'t> {
    /// What the newest data packet that the ACK is for met.
    pub telemetry: &'t Telemetry,
    /// The cumulative acknowledgement number.
    pub ack: u64,
    /// The byte after the highest one sent.
    pub next: u64,
    /// Nothing of the ACK itself but its time; `is_app_limited` is as before it.
    pub event: Event,
}

/// The needs of a law that others do not pay for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asks {
    /// Data packets carry what each hop measures, and ACKs bring it back:
    /// [`on_telemetry`](super::CongestionControl::on_telemetry).
    pub telemetry: bool,
    /// Segments and ACKs carry a congestion header that routers on the path write.
    pub congestion_header: bool,
    /// Segments are paced, whatever the configuration says.
    pub pacing: bool,
    /// Its rate says when segments leave: one does while less than cwnd is in flight, so that a window counts up to
    /// whole segments and not down to them (PowerTCP's program: `IsWinBound`).
    pub by_rate: bool,
    /// Delivery rates, for which the sender keeps a record of every segment in flight.
    pub rate_samples: bool,
    /// [`on_ack`](super::CongestionControl::on_ack) for every ACK, also in fast recovery and when it acknowledges
    /// nothing new. What the law leaves in cwnd then counts, besides what the loss recovery does to it.
    pub every_ack: bool,
    /// It sets cwnd by a model of the path, also while losses are repaired: the recovery must read SACK blocks and
    /// leave cwnd alone, `in_flight` is what is in the network, and a spurious loss is told instead of forgotten.
    pub model: bool,
    /// [`on_lost`](super::CongestionControl::on_lost) for every segment that is found lost, which only RACK can tell.
    pub each_loss: bool,
    /// Its answer to congestion marks.
    pub marks: Marks,
}

/// A law's answer to congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// The first in a window is a [`LossCause::Mark`] to it (RFC 3168), if its user asks for ECN.
    AsLosses,
    /// It counts the marked bytes of every ACK and lowers cwnd itself. Its connections always use ECN.
    Counted,
    /// The same, and its packets say so (ECT(1) of RFC 9331).
    CountedFinely,
    /// Nothing: its connections have no ECN.
    Unheard,
    /// They are no marks of congestion but news of the path ([`NewsWay::Mark`](super::NewsWay::Mark)).
    OfPath,
}

impl Marks {
    /// True if no mark is a loss: the law is told how many bytes were marked.
    #[inline]
    pub const fn are_counted(self) -> bool {
        matches!(self, Marks::Counted | Marks::CountedFinely | Marks::OfPath)
    }
}

impl Asks {
    /// The needs of most laws.
    pub const NOTHING: Asks = Asks {
        telemetry: false,
        congestion_header: false,
        pacing: false,
        by_rate: false,
        rate_samples: false,
        every_ack: false,
        model: false,
        each_loss: false,
        marks: Marks::AsLosses,
    };
}

/// The needs of a law that follow from its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// A round-trip time with every ACK that can measure one, for which the sender keeps a record of every segment in
    /// flight.
    pub every_rtt: bool,
    /// Congestion marks: without ECN it would have no effect.
    pub marks: bool,
    /// [`on_news`](super::CongestionControl::on_news), as far as anybody tells of its path.
    pub news: bool,
    /// The same where the news has the round trip of the empty path, and of no other news.
    pub base_rtts: bool,
    /// Round trips by division of time, of which the news tells.
    pub division_rtt: bool,
    /// With them: nothing that left in another division than the newest delivered segment is late to RACK.
    pub division_losses: bool,
    /// A path whose round trip its times fit, if it has any.
    pub fits: Option<Fit>,
}

/// The round trips of empty paths that a time of a law fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The time's key.
    pub key: &'static str,
    /// From this.
    pub least: Duration,
    /// Up to this.
    pub most: Duration,
    /// By so much a time that fits is longer than the round trip.
    pub above: Duration,
}

impl Fit {
    /// What a law with a round trip as a parameter can do with: within a factor of ten, if it has been said.
    pub(super) fn of_base_rtt(told: Option<Duration>) -> Option<Fit> {
        told.map(|told| Fit {
            key: "base_rtt",
            least: Duration::from_ps(told.ps() / 10),
            most: told.saturating_mul(10),
            above: Duration::ZERO,
        })
    }
}

#[cfg(test)]
impl Event {
    /// An ACK of this number of new bytes.
    pub(crate) fn ack(acked: u64) -> Event {
        Event { acked, ..Event::at(Instant::ZERO) }
    }
}

#[cfg(test)]
impl Loss {
    /// A loss with this number of bytes in flight.
    pub(crate) fn of(cause: LossCause, in_flight: u64) -> Loss {
        Loss { cause, flight: in_flight, event: Event { in_flight, ..Event::at(Instant::ZERO) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_needs_a_wide_division_is_rounded_like_one_that_does_not() {
        let sample = |delivered, ps| {
            let interval = Duration::from_ps(ps);
            RateSample { delivered, interval, prior_delivered: 0, is_app_limited: false, tx_in_flight: 0, lost: 0 }
        };
        // 8e12 times 2 305 843 bytes is just below 2^64.
        for delivered in [0, 1, 2_305_842, 2_305_843, 2_305_844, u64::MAX] {
            for ps in [1, 7, 100_000_000_001] {
                let bps = u128::from(delivered) * 8_000_000_000_000 / u128::from(ps);
                let expected = Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX));
                assert_eq!(sample(delivered, ps).rate(), Some(expected), "{delivered} B in {ps} ps");
            }
            assert_eq!(sample(delivered, 0).rate(), None);
        }
        assert_eq!(RateSample { prior_delivered: 7, ..sample(4, 1) }.total(), 11);
    }
}
