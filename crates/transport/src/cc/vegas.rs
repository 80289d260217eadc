//! Vegas: L. S. Brakmo and L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995.
//!
//! Once in a round trip the flow compares what it would get through an empty path, cwnd/BaseRTT, with what it gets,
//! cwnd/RTT. The difference times BaseRTT is what it keeps in queues: below `alpha` segments the window grows by a
//! segment, above `beta` it shrinks by one. Slow start doubles the window in every other round trip only, so that the
//! comparison is with a window that stood still, and ends when more than `gamma` segments are queued.
//!
//! RTT is that of one segment a round trip, the paper's distinguished segment, which is the one that the sender times.
//! With timestamps every ACK has one, of which those that end a round trip count.
//! A loss halves the flight, as in Linux. Left out: the retransmission at the first duplicate ACK by a fine-grained
//! timeout, which SACK and RACK have overtaken, with its reduction by a quarter; and BaseRTT that grows with a longer
//! route.
//!
//! Linux differs (net/ipv4/tcp_vegas.c): the difference is cwnd (RTT − BaseRTT)/BaseRTT in whole segments, with the
//! shortest of all round trips of a window; slow start doubles in every round trip; a window with fewer than three
//! samples is Reno's, and that of its last ACK only. Its alpha is 2 and its beta 4.

use super::segments::{Arithmetic, Growth, Round, counted, micros, reno};
use super::{CongestionControl, Event, Loss, Wants, Window};
use crate::ConfigError;
use options::{Kind, Range, Words, options};
use units::Duration;

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law. Those of Linux leave `vegas_alpha` and `vegas_beta` as they are given.
        pub arithmetic as "vegas_arithmetic": Arithmetic = Arithmetic::Paper, Kind::Word(&Arithmetic::LIST);
        /// Segments queued below which the window grows. The paper's Vegas-1,3; Linux: 2.
        pub alpha as "vegas_alpha": f64 = 1.0, Kind::Number(Range::closed(0.0, 1e6));
        /// Segments queued above which the window shrinks. The paper: 3; Linux: 4.
        pub beta as "vegas_beta": f64 = 3.0, Kind::Number(Range::closed(0.0, 1e6));
        /// Segments queued above which slow start ends.
        pub gamma as "vegas_gamma": f64 = 1.0, Kind::Number(Range::closed(0.0, 1e6));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub enum Vegas {
    /// The paper's.
    Paper(Box<Paper>),
    /// Linux's.
    Linux(Box<Linux>),
}

/// The paper's law.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The shortest round trip so far.
    base_rtt: Duration,
    slow_start: SlowStart,
    round: Round,
}

/// Linux's law.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linux {
    growth: Growth,
    round: Round,
    samples: u32,
    /// In microseconds, 0 if there is none: the shortest so far, and the shortest of this round trip.
    base_rtt: u64,
    min_rtt: u64,
}

/// The step of slow start in this round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlowStart {
    Grows,
    StandsStill,
}

impl CongestionControl for Vegas {
    type Config = Config;

    fn new(config: &Config) -> Vegas {
        match config.arithmetic {
            Arithmetic::Paper => Vegas::Paper(Box::new(Paper::new(Duration::MAX))),
            Arithmetic::Linux => Vegas::Linux(Box::default()),
        }
    }

    fn wants(config: &Config) -> Wants {
        Wants { every_rtt: config.arithmetic == Arithmetic::Linux, ..Wants::default() }
    }

    fn validate(config: &Config) -> Result<(), ConfigError> {
        match config.alpha <= config.beta {
            true => Ok(()),
            false => Err(ConfigError::new("vegas_alpha", "must not be above vegas_beta")),
        }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        match self {
            Vegas::Paper(law) => law.on_ack(config, window, event),
            Vegas::Linux(law) => law.on_ack(config, window, event),
        }
    }

    fn ssthresh_after(&mut self, _: &Config, _: &Window, loss: &Loss) -> u64 {
        match self {
            Vegas::Paper(law) => (law.slow_start, law.round) = (SlowStart::Grows, Round::default()),
            Vegas::Linux(law) => law.begin(loss.event.in_flight),
        }
        loss.flight / 2
    }
}

impl Paper {
    fn new(base_rtt: Duration) -> Paper {
        Paper { base_rtt, slow_start: SlowStart::Grows, round: Round::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if window.in_slow_start() && self.slow_start == SlowStart::Grows && !event.is_app_limited {
            window.slow_start_by(event.counts, event.acked);
        }
        let is_over = self.round.is_over_after(event.acked);
        let Some(rtt) = event.rtt_sample else { return };
        self.base_rtt = self.base_rtt.min(rtt);
        if is_over {
            self.end_round(config, window, event, rtt);
            self.round.begin(event.in_flight);
        }
    }

    /// A round trip of `rtt` is over.
    fn end_round(&mut self, config: &Config, window: &mut Window, event: &Event, rtt: Duration) {
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

impl Linux {
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if let Some(rtt) = event.rtt_sample {
            // Never 0, as in Linux.
            let rtt = micros(rtt) + 1;
            self.base_rtt = if self.base_rtt == 0 { rtt } else { self.base_rtt.min(rtt) };
            self.min_rtt = if self.samples == 0 { rtt } else { self.min_rtt.min(rtt) };
            self.samples += 1;
        }
        let is_over = self.round.is_over_after(event.acked);
        if event.is_app_limited || event.acked == 0 {
            return;
        }
        match is_over {
            true if self.samples > 2 => self.end_round(config, window, event),
            true => reno(&mut self.growth, Arithmetic::Linux, window, counted(window, event)),
            false if window.in_slow_start() => {
                reno(&mut self.growth, Arithmetic::Linux, window, counted(window, event))
            }
            false => return,
        }
        if is_over {
            self.begin(event.in_flight);
        }
    }

    fn begin(&mut self, outstanding: u64) {
        self.round.begin(outstanding);
        self.samples = 0;
    }

    fn end_round(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let segments = window.cwnd / window.mss.max(1);
        let queued = (segments.saturating_mul(self.min_rtt - self.base_rtt) / self.base_rtt) as f64;
        if window.in_slow_start() && queued > config.gamma {
            let alone = segments.saturating_mul(self.base_rtt) / self.min_rtt;
            window.cwnd = window.cwnd.min((alone + 1).saturating_mul(window.mss));
            window.ssthresh = window.ssthresh.min(window.cwnd - window.mss);
        } else if window.in_slow_start() {
            reno(&mut self.growth, Arithmetic::Linux, window, counted(window, event));
        } else if queued > config.beta {
            window.cwnd = window.cwnd.saturating_sub(window.mss);
            window.ssthresh = window.ssthresh.min(window.cwnd.saturating_sub(window.mss));
        } else if queued < config.alpha {
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
        window.cwnd = window.cwnd.max(2 * window.mss);
        // Linux's tcp_current_ssthresh: three quarters of the window at least.
        window.ssthresh = window.ssthresh.max(window.cwnd - window.cwnd / 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use units::Instant;

    const MSS: u64 = 1000;

    fn base() -> Paper {
        Paper::new(Duration::from_millis(100))
    }

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
        let queued = base().queued(&window(20, 2), Duration::from_millis(125));
        assert!((queued - 4.0).abs() < 1e-12, "{queued}");
    }

    #[test]
    fn the_window_keeps_between_alpha_and_beta_segments_in_queues() {
        // 20 segments at a base of 100 ms: 105.3 ms are 1 segment queued, 117.6 ms are 3.
        let config = Config::default();
        for (rtt_ms, expected) in [(100, 21), (105, 21), (106, 20), (117, 20), (118, 19), (200, 19)] {
            let mut law = Vegas::Paper(Box::new(base()));
            assert_eq!(round(&mut law, &config, &mut window(20, 2), rtt_ms), expected, "{rtt_ms} ms");
        }
        // Linux's 2 and 4 of the same round trips.
        let linux = Config { alpha: 2.0, beta: 4.0, ..config };
        for (rtt_ms, expected) in [(111, 21), (112, 20), (125, 20), (126, 19)] {
            let mut law = Vegas::Paper(Box::new(base()));
            assert_eq!(round(&mut law, &linux, &mut window(20, 2), rtt_ms), expected, "{rtt_ms} ms");
        }
    }

    /// With timestamps each ACK has a round trip; the paper compares once in one. Ten rounds of 20 to 11 segments at
    /// 200 ms, where half of the window is queued, take a segment each.
    #[test]
    fn many_samples_in_a_round_trip_are_one_comparison() {
        let (config, mut w) = (Config::default(), window(20, 2));
        let mut law = Vegas::Paper(Box::new(base()));
        for _ in 0..10 {
            for _ in 0..w.cwnd / MSS {
                let rtt_sample = Some(Duration::from_millis(200));
                let in_flight = w.cwnd - MSS;
                let event = Event { acked: MSS, in_flight, rtt_sample, ..Event::at(Instant::ZERO) };
                law.on_ack(&config, &mut w, &event);
            }
        }
        assert!((10..=12).contains(&(w.cwnd / MSS)), "{}", w.cwnd / MSS);
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

    fn begin(law: &mut Vegas, outstanding: u64) {
        let Vegas::Linux(law) = law else { panic!("a law of Linux") };
        law.begin(outstanding);
    }

    /// A law of Linux in a round trip of so many ACKs of a segment each, all of `rtt_us`.
    fn linux_round(law: &mut Vegas, window: &mut Window, acks: u64, rtt_us: u64) -> u64 {
        // What is sent for an ACK is not out yet when the law hears of it.
        let rtt_sample = Some(Duration::from_micros(rtt_us));
        let event = Event { in_flight: (acks - 1) * MSS, rtt_sample, ..Event::ack(MSS) };
        (0..acks).for_each(|_| law.on_ack(&LINUX, window, &event));
        window.cwnd / MSS
    }

    const LINUX: Config = Config { arithmetic: Arithmetic::Linux, alpha: 2.0, beta: 4.0, gamma: 1.0 };

    /// tcp_vegas.c: diff = cwnd (minRTT − baseRTT)/baseRTT in whole segments. 20 segments over 100 µs (101 with Linux's
    /// one more): 116 are 15·20/101 = 2, 132 are 31·20/101 = 6.
    #[test]
    fn with_linuxs_numbers_the_difference_is_in_whole_segments_of_the_base() {
        for (rtt_us, expected) in [(100, 21), (110, 21), (115, 20), (124, 20), (131, 19)] {
            let (mut law, mut w) = (Vegas::new(&LINUX), window(20, 2));
            linux_round(&mut law, &mut w, 1, 100);
            w.cwnd = 20 * MSS;
            begin(&mut law, 19 * MSS);
            assert_eq!(linux_round(&mut law, &mut w, 20, rtt_us), expected, "{rtt_us} µs");
        }
    }

    /// Two samples in a round trip are too few: the ACK that ends it is Reno's. So one such ACK a round trip counts,
    /// with that of the first sample: two make a window of two grow, three more one of three.
    #[test]
    fn with_linuxs_numbers_a_window_of_two_samples_is_renos() {
        let (mut law, mut w) = (Vegas::new(&LINUX), window(2, 2));
        linux_round(&mut law, &mut w, 1, 100);
        begin(&mut law, MSS);
        // Though the queueing delay is nine base round trips.
        let found: Vec<u64> = (0..4).map(|_| linux_round(&mut law, &mut w, 2, 1000)).collect();
        assert_eq!(found, [3, 3, 3, 4]);
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
