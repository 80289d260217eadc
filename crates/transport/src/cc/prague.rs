//! TCP Prague: draft-briscoe-iccrg-prague-congestion-control-04, under the requirements of RFC 9331 §4.3 on laws for
//! low-latency queues; what the draft leaves to its reference is Linux's (L4STeam, tcp_prague.c 0.6).
//!
//! DCTCP's alpha, and a reduction by alpha/2 at the first mark of a round trip. What differs from DCTCP: segments say
//! ECT(1) and are paced, twice as fast in slow start; every byte that was not marked raises the window, also while it
//! comes down (§2.4.2.1 of the draft: unsaturated marking); alpha stays at 1 until the first mark; fractions of a byte
//! are kept; and with `prague_rtt_target` a flow with a shorter round trip grows, gives way and averages as one with
//! that round trip does (RFC 9331's RTT independence).
//!
//! Beside queues whose marks are RFC 3168's Prague takes more than its share unless it finds them out:
//! `prague_fallback` (RFC 9331 §4.3 asks for it) keeps alpha up where round trips look like such a queue's
//! (`classic_ecn`). As in Linux that is off by default.
//!
//! Readings: a loss halves the flight (draft §2.4.3, Reno's answer). RTT independence begins with the first round,
//! where Linux waits for 500.

use super::classic_ecn::Detector;
use super::{Asks, CongestionControl, Event, Loss, Marks, Wants, Window};
use options::{Kind, Range, Words, options, words};
use units::{Duration, Instant, PS_PER_SECOND, Rate};

words! {
    /// What a flow does about queues whose marks are RFC 3168's.
    pub enum Fallback {
        /// Nothing.
        Off = "off",
        /// By the variation of its round trips it finds out whether its queue is one, and gives way there nearly as
        /// Reno does.
        Delay = "delay",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// g, by which alpha moves to the share of marked bytes.
        pub g as "prague_g": f64 = 0.0625, Kind::Number(Range::between(0.0, 1.0));
        /// Round trips below this act as if they were so long (RTT independence). Linux: 25 ms. Default: none does.
        pub rtt_target as "prague_rtt_target": Option<Duration> = None, Kind::Delay;
        /// What the flow does about queues whose marks are RFC 3168's.
        pub fallback as "prague_fallback": Fallback = Fallback::Off, Kind::Word(&Fallback::LIST);
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Prague(Box<State>);

#[derive(Clone, Debug)]
struct State {
    alpha: f64,
    /// True if anything was ever marked.
    saw_mark: bool,
    /// Bytes acknowledged so far.
    una: u64,
    /// Where the running round trip ends in the same count, and what has been acknowledged and marked in it.
    round_end: u64,
    acked: u64,
    marked: u64,
    /// The end of what had been sent at the last reduction.
    reduced: u64,
    /// When alpha last moved, and the window last came down.
    averaged_at: Instant,
    reduced_at: Instant,
    /// Bytes of cwnd that no segment has room for yet.
    fraction: f64,
    /// Of flows that look out for queues whose marks are RFC 3168's.
    detector: Option<Detector>,
}

impl CongestionControl for Prague {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, pacing: true, marks: Marks::CountedFinely, ..Asks::NOTHING };

    fn new(config: &Config) -> Prague {
        Prague(Box::new(State {
            alpha: 1.0,
            saw_mark: false,
            una: 0,
            round_end: 0,
            acked: 0,
            marked: 0,
            reduced: 0,
            averaged_at: Instant::ZERO,
            reduced_at: Instant::ZERO,
            fraction: 0.0,
            detector: (config.fallback == Fallback::Delay).then(Detector::default),
        }))
    }

    /// The delay of the queue is seen by every round trip.
    fn wants(config: &Config) -> Wants {
        Wants { every_rtt: config.fallback == Fallback::Delay, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        let rtt = Rtts::of(config, event);
        state.una += event.acked;
        state.acked += event.acked;
        state.marked += event.marked;
        state.saw_mark |= event.marked > 0;
        if let (Some(detector), Some(round_trip)) = (&mut state.detector, event.rtt_sample) {
            detector.note(round_trip);
        }
        if event.marked > 0 && state.is_due(&rtt, event) {
            state.reduce(window, event);
        }
        if !event.in_recovery && !event.is_app_limited {
            state.grow(window, event, rtt.share());
        }
        state.end_round(config, &rtt, event, window);
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.0.alpha)]
    }

    fn ssthresh_after(&mut self, _: &Config, _: &Window, loss: &Loss) -> u64 {
        self.0.fraction = 0.0;
        loss.flight / 2
    }

    /// cwnd/SRTT; twice that below half of ssthresh.
    fn pacing_rate(&self, _: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        let twice = if window.cwnd < window.ssthresh / 2 { 2 } else { 1 };
        let bits = u128::from(window.cwnd) * 8 * twice * u128::from(PS_PER_SECOND);
        let bps = bits.checked_div(u128::from(srtt?.ps()))?;
        Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
    }
}

/// The round trip of a flow, and the one that it acts by.
struct Rtts {
    measured: f64,
    acted: f64,
}

impl Rtts {
    fn of(config: &Config, event: &Event) -> Rtts {
        let measured = event.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
        let target = config.rtt_target.unwrap_or(Duration::ZERO).as_secs_f64();
        Rtts { measured, acted: measured.max(target) }
    }

    /// The part of a segment by which the window grows in a round trip: a segment per round trip that it acts by, and
    /// so little of one that the rate rises as that of such a flow.
    fn share(&self) -> f64 {
        if self.acted > self.measured { (self.measured / self.acted) * (self.measured / self.acted) } else { 1.0 }
    }

    /// True if a flow that acts by a longer round trip than its own has waited for that.
    fn has_passed(&self, since: Instant, now: Instant) -> bool {
        self.acted <= self.measured || now.saturating_since(since).as_secs_f64() >= self.acted
    }
}

impl State {
    fn is_due(&self, rtt: &Rtts, event: &Event) -> bool {
        self.una > self.reduced && !event.in_recovery && rtt.has_passed(self.reduced_at, event.now)
    }

    /// cwnd (1 − alpha/2).
    fn reduce(&mut self, window: &mut Window, event: &Event) {
        (self.reduced, self.reduced_at) = (self.una + event.in_flight, event.now);
        let alpha = self.detector.map_or(self.alpha, |detector| self.alpha.max(detector.least_alpha()));
        let left = (window.cwnd as f64 + self.fraction) * (1.0 - alpha / 2.0);
        window.ssthresh = (left as u64).max(2 * window.mss);
        self.fraction = (left - left.floor()).max(0.0);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    /// Bytes without a mark: as in slow start, or `share` of a segment for a window of them.
    fn grow(&mut self, window: &mut Window, event: &Event, share: f64) {
        let bytes = event.acked.saturating_sub(event.marked);
        if bytes == 0 {
            return;
        }
        if window.in_slow_start() {
            return window.slow_start_by(event.counts, bytes);
        }
        self.fraction += window.counted(bytes) as f64 * window.mss as f64 / window.cwnd as f64 * share;
        let whole = self.fraction.floor();
        self.fraction -= whole;
        window.cwnd = window.cwnd.saturating_add(whole as u64);
    }

    /// alpha moves once in a round trip after the first mark.
    fn end_round(&mut self, config: &Config, rtt: &Rtts, event: &Event, window: &Window) {
        if self.una <= self.round_end || !rtt.has_passed(self.averaged_at, event.now) {
            return;
        }
        if self.saw_mark {
            let share = (self.marked as f64 / self.acked.max(1) as f64).min(1.0);
            self.alpha += config.g * (share - self.alpha);
            self.detector.iter_mut().for_each(|detector| detector.judge(window));
        }
        (self.round_end, self.averaged_at) = (self.una + event.in_flight, event.now);
        (self.acked, self.marked) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    fn ack(at_ms: u64, rtt_ms: u64, marked: u64) -> Event {
        let now = Instant::ZERO + Duration::from_millis(at_ms);
        Event { acked: MSS, marked, srtt: Some(Duration::from_millis(rtt_ms)), in_flight: 19 * MSS, ..Event::at(now) }
    }

    #[test]
    fn alpha_is_one_until_the_first_mark_which_halves_the_window() {
        let (config, mut law, mut w) = (Config::default(), Prague::new(&Config::default()), window(20));
        (0..100).for_each(|at| law.on_ack(&config, &mut w, &ack(at, 10, 0)));
        assert_eq!(law.0.alpha, 1.0);
        let before = w.cwnd;
        law.on_ack(&config, &mut w, &ack(100, 10, MSS));
        assert!(w.cwnd.abs_diff(before / 2) <= 1 && w.ssthresh == w.cwnd, "{before} {w:?}");
        let after = w.cwnd;
        law.on_ack(&config, &mut w, &ack(101, 10, MSS));
        assert_eq!(w.cwnd, after, "once in a window of data, and a marked segment raises nothing");
        law.on_ack(&config, &mut w, &ack(101, 10, 0));
        assert!(w.cwnd > after, "one without a mark raises it also then");
    }

    #[test]
    fn unmarked_bytes_raise_the_window_by_a_segment_in_a_round_trip() {
        let (config, mut law, mut w) = (Config::default(), Prague::new(&Config::default()), window(20));
        (0..20).for_each(|at| law.on_ack(&config, &mut w, &ack(at, 10, 0)));
        // Σ 1/(20 + k/20) = 20 ln(21/20) = 0.976 of a segment.
        assert!(w.cwnd.abs_diff(20_976) <= 2, "{}", w.cwnd);
    }

    #[test]
    fn with_rtt_independence_a_short_round_trip_grows_by_its_square_of_the_target() {
        // 5 ms of 25: 1/25 of a segment in a round trip; five of these in 25 ms make 1/5, which is a rate of 1
        // segment/25 ms per 25 ms.
        let config = Config { rtt_target: Some(Duration::from_millis(25)), ..Config::default() };
        let (mut law, mut w) = (Prague::new(&config), window(20));
        (0..20).for_each(|at| law.on_ack(&config, &mut w, &ack(at, 5, 0)));
        assert!(w.cwnd.abs_diff(20_040) <= 1, "{}", w.cwnd);
        let rtt = Rtts::of(&config, &ack(0, 50, 0));
        assert_eq!((rtt.share(), rtt.acted), (1.0, 0.05), "a longer round trip acts by itself");
    }

    #[test]
    fn segments_leave_at_cwnd_over_srtt_and_twice_as_fast_below_half_of_ssthresh() {
        let (config, law) = (Config::default(), Prague::new(&Config::default()));
        let rate = |ssthresh| {
            let w = Window { ssthresh, ..window(10) };
            law.pacing_rate(&config, &w, Some(Duration::from_millis(10))).unwrap()
        };
        // 10 · 1000 B · 8/10 ms = 8 Mb/s.
        assert_eq!([rate(2000), rate(u64::MAX)], [Rate::from_mbps(8), Rate::from_mbps(16)]);
        assert_eq!(law.pacing_rate(&config, &window(10), None), None);
    }

    #[test]
    fn fractions_of_a_byte_are_kept() {
        let (config, mut law, mut w) = (Config::default(), Prague::new(&Config::default()), window(3000));
        // A segment of 1 B in a window of 3 MB raises it by 1/3000 B.
        let tiny = Event { acked: 1, ..ack(0, 10, 0) };
        (0..3001).for_each(|_| law.on_ack(&config, &mut w, &tiny));
        assert_eq!(w.cwnd, 3_000_001);
    }
}
