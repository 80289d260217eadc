//! HyStart++: RFC 9406. The first slow start ends before it loses anything, when round trips grow.
//!
//! A round whose shortest round trip is longer than that of the round before by an eighth (4 to 16 ms) begins
//! conservative slow start, in which the window grows at a quarter of the pace. Five rounds of it end in congestion
//! avoidance; a shorter round trip meanwhile shows that the growth was a passing one, and slow start goes on.
//!
//! The sender measures a round trip with every ACK for it.

use super::{Event, Window};
use units::Duration;

/// MIN_RTT_THRESH, MAX_RTT_THRESH and MIN_RTT_DIVISOR: §4.3.
const MIN_RTT_THRESHOLD: Duration = Duration::from_millis(4);
const MAX_RTT_THRESHOLD: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
/// N_RTT_SAMPLE.
const SAMPLES: u32 = 8;
/// CSS_GROWTH_DIVISOR and CSS_ROUNDS.
const CONSERVATIVE_DIVISOR: u64 = 4;
const CONSERVATIVE_ROUNDS: u32 = 5;

/// The first slow start of one flow.
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    /// Bytes acknowledged so far.
    acked: u64,
    /// windowEnd in the same count; `None` before the first ACK.
    round_end: Option<u64>,
    /// lastRoundMinRTT and currentRoundMinRTT.
    last: Option<Duration>,
    current: Option<Duration>,
    /// rttSampleCount.
    samples: u32,
    stage: Stage,
}

/// How fast the window grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// As in slow start.
    #[default]
    SlowStart,
    /// Conservatively: cssBaselineMinRtt, and the rounds of it that are over.
    Conservative { baseline: Duration, rounds: u32 },
}

impl HyStart {
    /// An ACK of new bytes in slow start, of which at most `limit` segments count (L of §4.2). The end of slow start is
    /// that ssthresh comes down to cwnd.
    pub fn on_ack(&mut self, limit: u32, window: &mut Window, event: &Event) {
        if !event.is_app_limited {
            let counted = event.acked.min(u64::from(limit).saturating_mul(window.mss));
            window.cwnd = window.cwnd.saturating_add(match self.stage {
                Stage::SlowStart => counted,
                Stage::Conservative { .. } => counted / CONSERVATIVE_DIVISOR,
            });
        }
        if let Some(rtt) = event.rtt_sample {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        self.judge();
        let outstanding = self.acked.saturating_add(event.acked).saturating_add(event.in_flight);
        let end = *self.round_end.get_or_insert(outstanding);
        self.acked = self.acked.saturating_add(event.acked);
        if self.acked >= end {
            self.round_end = Some(outstanding);
            self.begin_round(window);
        }
    }

    /// 1 if the window grows conservatively, else 0.
    pub(super) fn figure(&self) -> (&'static str, f64) {
        ("is_conservative", f64::from(u8::from(self.stage != Stage::SlowStart)))
    }

    /// The next phase, where round trips have grown, or have not after all.
    fn judge(&mut self) {
        let (Some(current), true) = (self.current, self.samples >= SAMPLES) else { return };
        match (self.stage, self.last) {
            (Stage::SlowStart, Some(last)) if current >= last + threshold(last) => {
                self.stage = Stage::Conservative { baseline: current, rounds: 0 };
            }
            (Stage::Conservative { baseline, .. }, _) if current < baseline => self.stage = Stage::SlowStart,
            _ => {}
        }
    }

    /// A round is over; the part of one in which the conservative stage began counts.
    fn begin_round(&mut self, window: &mut Window) {
        (self.last, self.current, self.samples) = (self.current, None, 0);
        if let Stage::Conservative { rounds, .. } = &mut self.stage {
            *rounds += 1;
            if *rounds >= CONSERVATIVE_ROUNDS {
                window.end_slow_start();
            }
        }
    }
}

/// RttThresh.
fn threshold(last: Duration) -> Duration {
    Duration::from_ps(last.ps() / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESHOLD, MAX_RTT_THRESHOLD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Instant;

    const MSS: u64 = 1000;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A round in which every segment is acknowledged and measured, its window before and after in segments.
    fn round(start: &mut HyStart, window: &mut Window, rtt: Duration) -> (u64, u64) {
        let segments = window.cwnd / MSS;
        for left in (0..segments).rev() {
            // What the window has grown by has been sent meanwhile.
            let in_flight = left * MSS + (window.cwnd - segments * MSS);
            let event = Event { acked: MSS, in_flight, rtt_sample: Some(rtt), ..Event::at(Instant::ZERO) };
            if window.in_slow_start() {
                start.on_ack(8, window, &event);
            }
        }
        (segments, window.cwnd / MSS)
    }

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: u64::MAX, mss: MSS }
    }

    #[test]
    fn round_trips_that_grow_by_less_than_an_eighth_change_nothing() {
        // RttThresh = max(4 ms, min(100/8 ms, 16 ms)) = 12.5 ms.
        let (mut start, mut w) = (HyStart::default(), window(10));
        assert_eq!(round(&mut start, &mut w, ms(100)), (10, 20));
        assert_eq!(round(&mut start, &mut w, ms(112)), (20, 40));
        assert_eq!(start.stage, Stage::SlowStart);
    }

    #[test]
    fn the_threshold_lies_between_4_and_16_ms() {
        for (last, threshold_us) in [(8, 4000), (32, 4000), (100, 12_500), (128, 16_000), (1000, 16_000)] {
            assert_eq!(threshold(ms(last)), Duration::from_micros(threshold_us), "{last} ms");
        }
    }

    #[test]
    fn a_longer_round_trip_slows_the_growth_to_a_quarter_and_five_rounds_end_it() {
        let (mut start, mut w) = (HyStart::default(), window(16));
        round(&mut start, &mut w, ms(100));
        // The eighth sample of 113 ms: 8 segments by slow start, the other 24 add a quarter: 32 + 8 + 6.
        assert_eq!(round(&mut start, &mut w, ms(113)), (32, 46));
        assert!(matches!(start.stage, Stage::Conservative { baseline, rounds: 1 } if baseline == ms(113)));
        // 46·1.25 = 57.5; the partial round was the first of five.
        assert_eq!(round(&mut start, &mut w, ms(130)), (46, 57));
        for _ in 0..2 {
            round(&mut start, &mut w, ms(130));
            assert_eq!(w.ssthresh, u64::MAX);
        }
        round(&mut start, &mut w, ms(130));
        assert_eq!(w.ssthresh, w.cwnd, "congestion avoidance");
    }

    #[test]
    fn a_shorter_round_trip_resumes_slow_start() {
        let (mut start, mut w) = (HyStart::default(), window(16));
        round(&mut start, &mut w, ms(100));
        round(&mut start, &mut w, ms(120));
        round(&mut start, &mut w, ms(119));
        assert_eq!(start.stage, Stage::SlowStart);
        let (before, after) = round(&mut start, &mut w, ms(119));
        assert_eq!(after, 2 * before);
    }

    #[test]
    fn rounds_of_fewer_than_eight_samples_show_nothing() {
        let (mut start, mut w) = (HyStart::default(), window(3));
        round(&mut start, &mut w, ms(100));
        round(&mut start, &mut w, ms(200));
        assert_eq!((start.stage, w.cwnd), (Stage::SlowStart, 12 * MSS));
    }

    #[test]
    fn an_ack_counts_for_so_many_segments() {
        let mut w = window(100);
        let event = Event { acked: 20 * MSS, in_flight: 80 * MSS, ..Event::at(Instant::ZERO) };
        HyStart::default().on_ack(8, &mut w, &event);
        assert_eq!(w.cwnd, 108 * MSS, "L = 8 segments: RFC 9406 §4.3");
    }
}
