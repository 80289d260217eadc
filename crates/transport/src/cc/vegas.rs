//! Vegas: L. S. Brakmo and L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995.
//!
//! Once in a round trip the flow compares what it would get through an empty path, cwnd/BaseRTT, with what it gets,
//! cwnd/RTT. The difference times BaseRTT is what it keeps in queues: below `alpha` segments the window grows by a
//! segment, above `beta` it shrinks by one. Slow start doubles the window in every other round trip only, so that the
//! comparison is with a window that stood still, and ends when more than `gamma` segments are queued.
//!
//! RTT is that of one segment a round trip, the paper's distinguished segment, which is the one that the sender times.
//! A loss halves the flight, as in Linux. Left out: the retransmission at the first duplicate ACK by a fine-grained
//! timeout, which SACK and RACK have overtaken, with its reduction by a quarter; and BaseRTT that grows with a longer
//! route.
//!
//! Linux differs: alpha = 2, beta = 4; the difference is cwnd (RTT − BaseRTT)/BaseRTT with the shortest of all round
//! trips of a window; slow start doubles in every round trip; a window with fewer than three samples is Reno's.

use super::{CongestionControl, Event, Loss, Window};
use crate::ConfigError;
use options::{Kind, Range, options};
use units::Duration;

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Segments queued below which the window grows. The paper's Vegas-1,3; Linux: 2.
        pub alpha as "vegas_alpha": f64 = 1.0, Kind::Number(Range::closed(0.0, 1e6));
        /// Segments queued above which the window shrinks. The paper: 3; Linux: 4.
        pub beta as "vegas_beta": f64 = 3.0, Kind::Number(Range::closed(0.0, 1e6));
        /// Segments queued above which slow start ends.
        pub gamma as "vegas_gamma": f64 = 1.0, Kind::Number(Range::closed(0.0, 1e6));
    }
}

/// The law of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    /// The shortest round trip so far.
    base_rtt: Duration,
    slow_start: SlowStart,
}

/// The step of slow start in this round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlowStart {
    Grows,
    StandsStill,
}

impl CongestionControl for Vegas {
    type Config = Config;

    fn new(_: &Config) -> Vegas {
        Vegas { base_rtt: Duration::MAX, slow_start: SlowStart::Grows }
    }

    fn validate(config: &Config) -> Result<(), ConfigError> {
        match config.alpha <= config.beta {
            true => Ok(()),
            false => Err(ConfigError::new("vegas_alpha", "must not be above vegas_beta")),
        }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if window.in_slow_start() && self.slow_start == SlowStart::Grows && !event.is_app_limited {
            window.slow_start(event.acked);
        }
        if let Some(rtt) = event.rtt_sample {
            self.end_round(config, window, event, rtt);
        }
    }

    fn ssthresh_after(&mut self, _: &Config, _: &Window, loss: &Loss) -> u64 {
        self.slow_start = SlowStart::Grows;
        loss.event.in_flight / 2
    }
}

impl Vegas {
    /// A round trip of `rtt` is over.
    fn end_round(&mut self, config: &Config, window: &mut Window, event: &Event, rtt: Duration) {
        self.base_rtt = self.base_rtt.min(rtt);
        let queued = self.queued(window, rtt);
        if window.in_slow_start() {
            if queued > config.gamma {
                window.end_slow_start();
            }
            self.slow_start = match self.slow_start {
                SlowStart::Grows => SlowStart::StandsStill,
                SlowStart::StandsStill => SlowStart::Grows,
            };
        } else if queued > config.beta {
            window.cwnd = window.cwnd.saturating_sub(window.mss).max(2 * window.mss);
            // Else it would be slow start.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if queued < config.alpha && !event.is_app_limited {
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
    }

    /// Diff · BaseRTT: the segments of the window that are in queues, by a round trip of `rtt`.
    fn queued(&self, window: &Window, rtt: Duration) -> f64 {
        let segments = window.cwnd as f64 / window.mss as f64;
        segments * (1.0 - self.base_rtt.ps() as f64 / rtt.ps().max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use units::Instant;

    const MSS: u64 = 1000;

    fn window(segments: u64, ssthresh: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: ssthresh * MSS, mss: MSS }
    }

    /// A round trip in which every segment is acknowledged and the last ACK has timed one.
    fn round(law: &mut Vegas, config: &Config, window: &mut Window, rtt_ms: u64) -> u64 {
        for left in (0..window.cwnd / MSS).rev() {
            let rtt_sample = (left == 0).then_some(Duration::from_millis(rtt_ms));
            law.on_ack(config, window, &Event { acked: MSS, rtt_sample, ..Event::at(Instant::ZERO) });
        }
        window.cwnd / MSS
    }

    #[test]
    fn what_is_queued_is_cwnd_times_one_minus_base_rtt_over_rtt() {
        // 20 segments, 100 ms when empty, 125 ms now: expected 200/s, actual 160/s, diff 40/s · 100 ms = 4 segments.
        let law = Vegas { base_rtt: Duration::from_millis(100), slow_start: SlowStart::Grows };
        let queued = law.queued(&window(20, 2), Duration::from_millis(125));
        assert!((queued - 4.0).abs() < 1e-12, "{queued}");
    }

    #[test]
    fn the_window_keeps_between_alpha_and_beta_segments_in_queues() {
        // 20 segments at a base of 100 ms: 105.3 ms are 1 segment queued, 117.6 ms are 3.
        let config = Config::default();
        for (rtt_ms, expected) in [(100, 21), (105, 21), (106, 20), (117, 20), (118, 19), (200, 19)] {
            let mut law = Vegas { base_rtt: Duration::from_millis(100), slow_start: SlowStart::Grows };
            assert_eq!(round(&mut law, &config, &mut window(20, 2), rtt_ms), expected, "{rtt_ms} ms");
        }
        // Linux's 2 and 4 of the same round trips.
        let linux = Config { alpha: 2.0, beta: 4.0, ..config };
        for (rtt_ms, expected) in [(111, 21), (112, 20), (125, 20), (126, 19)] {
            let mut law = Vegas { base_rtt: Duration::from_millis(100), slow_start: SlowStart::Grows };
            assert_eq!(round(&mut law, &linux, &mut window(20, 2), rtt_ms), expected, "{rtt_ms} ms");
        }
    }

    #[test]
    fn slow_start_doubles_in_every_other_round_trip_and_ends_above_gamma() {
        let (config, mut law, mut w) = (Config::default(), Vegas::new(&Config::default()), window(4, 1 << 30));
        let found: Vec<u64> = (0..5).map(|_| round(&mut law, &config, &mut w, 100)).collect();
        assert_eq!(found, [8, 8, 16, 16, 32]);
        // 32 · (1 − 100/104) = 1.23 segments.
        round(&mut law, &config, &mut w, 104);
        assert_eq!((w.cwnd, w.ssthresh), (32 * MSS, 32 * MSS));
        assert_eq!(round(&mut law, &config, &mut w, 104), 32, "between alpha and beta");
    }

    #[test]
    fn the_window_shrinks_to_two_segments_at_least_and_slow_start_does_not_follow() {
        let (config, mut law, mut w) = (Config::default(), Vegas::new(&Config::default()), window(5, 5));
        round(&mut law, &config, &mut w, 10);
        let found: Vec<u64> = (0..6).map(|_| round(&mut law, &config, &mut w, 1000)).collect();
        assert_eq!(found, [5, 4, 3, 3, 3, 3], "a window of 3 has less than 3 queued");
        assert!(!w.in_slow_start());
    }

    #[test]
    fn a_loss_halves_the_flight() {
        let (config, mut w) = (Config::default(), window(20, 10));
        Vegas::new(&config).on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 16 * MSS));
        assert_eq!((w.cwnd, w.ssthresh), (8 * MSS, 8 * MSS));
    }

    #[test]
    fn alpha_is_not_above_beta() {
        let wrong = Config { alpha: 4.0, ..Config::default() };
        assert_eq!(Vegas::validate(&wrong).unwrap_err().to_string(), "vegas_alpha must not be above vegas_beta");
    }
}
