//! HyStart as Linux's CUBIC has it. Sources: Ha, Rhee, "Taming the elephants: New TCP slow start", Computer Networks 55
//! (2011); Linux, net/ipv4/tcp_cubic.c, `hystart_update` as of 6.14, since when rounds begin below 16 segments too.
//!
//! The first slow start ends at once, from 16 segments on, for one of two reasons. ACKs come less than 2 ms apart for
//! longer than half of the least round trip: a window then fills the path. Or eight ACKs of a round all have a round
//! trip longer than the least by an eighth, 4 to 16 ms. The half is of the least round trip and of what hosts may take
//! to put segments together, at most 1 ms. Slow start adds all that is acknowledged.
//!
//! Left out: for a flow that is paced the train may last the whole round trip; and after a timeout it watches again.

use super::{Event, SlowStartCounts, Window};
use units::{Duration, Instant};

/// hystart_low_window, in segments.
const LOW_WINDOW: u64 = 16;
/// hystart_ack_delta_us.
const ACK_DELTA: Duration = Duration::from_millis(2);
/// HYSTART_MIN_SAMPLES, HYSTART_DELAY_MIN and HYSTART_DELAY_MAX.
const SAMPLES: u32 = 8;
const MIN_THRESHOLD: Duration = Duration::from_millis(4);
const MAX_THRESHOLD: Duration = Duration::from_millis(16);
/// `hystart_ack_delay`: four buffers of sk_gso_max_size at the pacing rate, which is 2 cwnd/SRTT then, and its bound.
const BUFFERS: u64 = 4 * 65_536;
const MOST_ACK_DELAY: Duration = Duration::from_millis(1);

/// The first slow start of one flow.
#[derive(Clone, Debug, Default)]
pub struct LinuxHyStart {
    /// Bytes acknowledged so far, and the count at which the round is over.
    acked: u64,
    round_end: u64,
    /// round_start and last_ack.
    round_start: Instant,
    last_ack: Instant,
    /// delay_min.
    least: Option<Duration>,
    /// curr_rtt and sample_cnt.
    current: Option<Duration>,
    samples: u32,
}

impl LinuxHyStart {
    /// An ACK of new bytes in slow start. The end of slow start is that ssthresh comes down to cwnd.
    pub fn on_ack(&mut self, window: &mut Window, event: &Event) {
        self.acked = self.acked.saturating_add(event.acked);
        if let Some(delay) = event.rtt_sample {
            let least = self.least.map_or(delay, |least| least.min(delay));
            self.least = Some(least);
            if self.acked > self.round_end {
                self.begin_round(event);
            }
            if window.cwnd >= LOW_WINDOW * window.mss && self.has_found(least, delay, window, event) {
                return window.end_slow_start();
            }
        }
        if !event.is_app_limited {
            window.slow_start_by(SlowStartCounts::All, event.acked);
        }
    }

    /// `bictcp_hystart_reset`: the round is over when all is acknowledged that is outstanding now.
    fn begin_round(&mut self, event: &Event) {
        self.round_end = self.acked.saturating_add(event.in_flight);
        (self.round_start, self.last_ack) = (event.now, event.now);
        (self.current, self.samples) = (None, 0);
    }

    fn has_found(&mut self, least: Duration, delay: Duration, window: &Window, event: &Event) -> bool {
        let mut is_train = false;
        if event.now.saturating_since(self.last_ack) <= ACK_DELTA {
            self.last_ack = event.now;
            let threshold = least.ps() + ack_delay(window, event).ps();
            is_train = event.now.saturating_since(self.round_start).ps() > threshold / 2;
        }
        let current = self.current.map_or(delay, |current| current.min(delay));
        self.current = Some(current);
        if self.samples < SAMPLES {
            self.samples += 1;
            return is_train;
        }
        is_train || current > least + Duration::from_ps(least.ps() / 8).clamp(MIN_THRESHOLD, MAX_THRESHOLD)
    }
}

fn ack_delay(window: &Window, event: &Event) -> Duration {
    let srtt = u128::from(event.srtt.unwrap_or(MOST_ACK_DELAY).ps());
    let ps = srtt * u128::from(BUFFERS) / u128::from((2 * window.cwnd).max(1));
    Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX)).min(MOST_ACK_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// ACKs of a segment each, from a time on and so far apart, of a round trip, with a window of 20 outstanding; the
    /// number of those until slow start ends.
    fn until_the_end(
        start: &mut LinuxHyStart,
        cwnd: u64,
        gap_us: u64,
        rtts_ms: impl Iterator<Item = u64>,
    ) -> Option<usize> {
        let mut w = Window { cwnd: cwnd * MSS, ssthresh: u64::MAX, mss: MSS };
        (0..).zip(rtts_ms).position(|(ack, rtt)| {
            let (rtt, now) =
                (Duration::from_millis(rtt), Instant::ZERO + Duration::from_micros(1_000_000 + ack * gap_us));
            let event =
                Event { acked: MSS, in_flight: 1000 * MSS, rtt_sample: Some(rtt), srtt: Some(rtt), ..Event::at(now) };
            start.on_ack(&mut w, &event);
            !w.in_slow_start()
        })
    }

    /// (20 ms + 1 ms)/2 = 10.5 ms: the twelfth ACK, 11 ms after the first, is the first beyond. A gap of more than 2 ms
    /// ends the train for good, and so does a window below 16 segments when the round begins: nobody looks then.
    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        let of = |cwnd, gap_us| until_the_end(&mut LinuxHyStart::default(), cwnd, gap_us, std::iter::repeat_n(20, 40));
        assert_eq!(of(20, 1000), Some(11));
        assert_eq!(of(20, 2000), Some(6));
        assert_eq!(of(20, 2001), None);
        assert_eq!((of(1, 1000), of(16, 1000)), (None, Some(11)));
    }

    /// A window of 10 MB in 20 ms is paced at 1 GB/s, where 262 144 B take 0.26 ms: (20 + 0.26)/2 = 10.13 ms.
    #[test]
    fn hosts_may_take_less_to_put_segments_together_where_they_are_fast() {
        let w = Window { cwnd: 10_000_000, ssthresh: u64::MAX, mss: MSS };
        let event = Event { srtt: Some(Duration::from_millis(20)), ..Event::at(Instant::ZERO) };
        assert_eq!(ack_delay(&w, &event), Duration::from_ps(262_144_000));
        assert_eq!(ack_delay(&Window { cwnd: MSS, ..w }, &event), Duration::from_millis(1));
    }

    /// 24 ms are not more than 20 and 4; with 25 ms the ninth ACK of the round has eight before it.
    #[test]
    fn eight_longer_round_trips_end_slow_start() {
        let of = |later| {
            let mut start = LinuxHyStart { least: Some(Duration::from_millis(20)), ..LinuxHyStart::default() };
            until_the_end(&mut start, 20, 3000, std::iter::repeat_n(later, 40))
        };
        assert_eq!([of(24), of(25)], [None, Some(8)]);
    }

    #[test]
    fn slow_start_adds_all_that_is_acknowledged() {
        let mut w = Window { cwnd: 20 * MSS, ssthresh: u64::MAX, mss: MSS };
        LinuxHyStart::default().on_ack(&mut w, &Event { acked: 12 * MSS, ..Event::at(Instant::ZERO) });
        assert_eq!(w.cwnd, 32 * MSS);
        let limited = Event { acked: 12 * MSS, is_app_limited: true, ..Event::at(Instant::ZERO) };
        LinuxHyStart::default().on_ack(&mut w, &limited);
        assert_eq!(w.cwnd, 32 * MSS);
    }
}
