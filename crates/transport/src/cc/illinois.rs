//! Illinois: S. Liu, T. Başar and R. Srikant, "TCP-Illinois: a loss- and delay-based congestion control algorithm for
//! high-speed networks", Performance Evaluation 65(6–7), 2008.
//!
//! Losses say when the window falls, delay says how it moves: with d the mean queueing delay of a round trip and D the
//! greatest so far, alpha segments a window of ACKs fall from 10 where d ≤ D/100 to 0.3 where d = D, and the share that
//! a loss takes grows from 1/8 where d ≤ D/10 to 1/2 where d ≥ 8D/10. alpha comes back to 10 only after five round
//! trips of little delay. Small windows are Reno's.
//!
//! Linux differs: windows below 15 segments are small, the paper's below 10; alpha in 128ths, the share in 64ths,
//! delays in whole microseconds, round trips of 3.3 s at most.

use super::segments::{Arithmetic, Growth, Round, bytes, counted, micros, slow_start};
use super::{Asks, CongestionControl, Event, Loss, LossCause, Wants, Window};
use options::{Kind, Range, Words, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Round trips of little delay after which alpha is 10 again. The paper's and Linux's theta: 5.
        pub theta as "illinois_theta": u32 = 5, Kind::Whole(Range::closed(1.0, 1e6));
    }
}

const ALPHA_MAX: f64 = 10.0;
const BETA_MIN: f64 = 0.125;
const BETA_MAX: f64 = 0.5;
/// Linux's longest round trip, in microseconds.
const MOST_RTT: u64 = u32::MAX as u64 / 1280;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Illinois(Box<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    /// Linux: bytes that have arrived since the window grew.
    acked: u64,
    alpha: f64,
    beta: f64,
    round: Round,
    /// Round trips in microseconds: the shortest, the longest, and those of this round trip.
    base_rtt: u64,
    max_rtt: u64,
    sum: u64,
    count: u64,
    /// Since alpha was 10 the delay has been long.
    was_long: bool,
    /// Round trips of little delay since.
    short_rounds: u32,
}

impl CongestionControl for Illinois {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Illinois {
        Illinois(Box::new(State {
            growth: Growth::default(),
            acked: 0,
            alpha: ALPHA_MAX,
            beta: BETA_MAX,
            round: Round::default(),
            base_rtt: u64::MAX,
            max_rtt: 0,
            sum: 0,
            count: 0,
            was_long: false,
            short_rounds: 0,
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        if let Some(rtt) = event.rtt_sample {
            let rtt = micros(rtt).min(MOST_RTT);
            (state.base_rtt, state.max_rtt) = (state.base_rtt.min(rtt), state.max_rtt.max(rtt));
            (state.sum, state.count) = (state.sum + rtt, state.count + 1);
        }
        let is_over = state.round.is_over_after(event.acked);
        if event.in_recovery || event.acked == 0 || event.ecn_echo {
            return;
        }
        if is_over {
            state.end_round(config, window, event.in_flight);
        }
        if event.is_app_limited {
            return;
        }
        if window.in_slow_start() {
            slow_start(window, counted(window, event));
            return;
        }
        let counted = counted(window, event);
        match config.arithmetic {
            Arithmetic::Paper => state.growth.by(window, state.alpha * counted as f64 / window.cwnd as f64),
            Arithmetic::Linux => state.grow_as_linux(window, counted),
        }
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        let state = &mut *self.0;
        let segments = config.arithmetic.segments(loss.flight, window.mss);
        let lost = config.arithmetic.whole(segments * state.beta);
        window.cut(loss.cause, bytes(segments - lost, window.mss));
        if loss.cause == LossCause::Timeout {
            (state.alpha, state.beta, state.short_rounds, state.was_long) = (1.0, BETA_MAX, 0, false);
            state.begin_round(loss.event.in_flight);
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("illinois_alpha", self.0.alpha), ("illinois_beta", self.0.beta)]
    }
}

impl State {
    fn begin_round(&mut self, in_flight: u64) {
        self.round.begin(in_flight);
        (self.sum, self.count) = (0, 0);
    }

    fn end_round(&mut self, config: &Config, window: &Window, in_flight: u64) {
        let small = if config.arithmetic == Arithmetic::Linux { 15 } else { 10 };
        if window.cwnd / window.mss < small {
            (self.alpha, self.beta) = (1.0, BETA_MAX);
        } else if self.count > 0 {
            let most = (self.max_rtt - self.base_rtt) as f64;
            let mean = config.arithmetic.whole(self.sum as f64 / self.count as f64) - self.base_rtt as f64;
            self.alpha = self.next_alpha(config, mean, most);
            self.beta = beta(config.arithmetic, mean, most);
        }
        self.begin_round(in_flight);
    }

    fn next_alpha(&mut self, config: &Config, mean: f64, most: f64) -> f64 {
        let short = config.arithmetic.whole(most / 100.0);
        if mean > short {
            self.was_long = true;
            return alpha(config.arithmetic, mean - short, most - short);
        }
        if self.was_long {
            self.short_rounds += 1;
            if self.short_rounds < config.theta {
                return self.alpha;
            }
            (self.short_rounds, self.was_long) = (0, false);
        }
        ALPHA_MAX
    }

    fn grow_as_linux(&mut self, window: &mut Window, acked: u64) {
        self.acked = self.acked.saturating_add(acked);
        let windows = (self.acked as f64 * self.alpha / window.cwnd as f64).floor();
        if windows >= 1.0 {
            self.acked = 0;
            window.cwnd = window.cwnd.saturating_add(bytes(windows, window.mss));
        }
    }
}

/// κ₁/(κ₂ + d) of mean and greatest delay beyond D/100: from 10 at none to 0.3 at the greatest.
fn alpha(arithmetic: Arithmetic, mean: f64, most: f64) -> f64 {
    match arithmetic {
        Arithmetic::Paper => ALPHA_MAX * most / (most + mean * (ALPHA_MAX - 0.3) / 0.3),
        // 10 and 0.3 are 1280 and 38 of 128ths.
        Arithmetic::Linux => (1280.0 * most / (most + (mean * 1242.0 / 38.0).floor())).floor() / 128.0,
    }
}

/// The share that a loss takes.
fn beta(arithmetic: Arithmetic, mean: f64, most: f64) -> f64 {
    let (short, long) = (arithmetic.whole(most / 10.0), arithmetic.whole(8.0 * most / 10.0));
    if mean <= short {
        return BETA_MIN;
    }
    if mean >= long || long <= short {
        return BETA_MAX;
    }
    let share = (BETA_MIN * long - BETA_MAX * short + (BETA_MAX - BETA_MIN) * mean) / (long - short);
    // Linux: in 64ths.
    arithmetic.whole(64.0 * share) / 64.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    const MSS: u64 = 1000;
    const LINUX: Config = Config { arithmetic: Arithmetic::Linux, theta: 5 };
    const PAPER: Config = Config { arithmetic: Arithmetic::Paper, theta: 5 };

    /// D = 100 ms: at its hundredth 10, at D 0.3; half way 10 · 99/(99 + 49 · 9.7/0.3) = 0.5881, in Linux 1280 · 99/(99
    /// + 49 · 1242/38) = 74 of 128.
    #[test]
    fn alpha_falls_from_10_to_03_as_the_delay_grows() {
        for (config, middle) in [(LINUX, 74.0 / 128.0), (PAPER, 0.588_118)] {
            let next = |mean| Illinois::new(&config).0.next_alpha(&config, mean, 100_000.0);
            assert_eq!(next(1000.0), 10.0);
            assert!((next(100_000.0) - 0.3).abs() < 1.0 / 128.0, "{}", next(100_000.0));
            assert!((next(50_000.0) - middle).abs() < 1e-5, "{}", next(50_000.0));
        }
    }

    /// D = 100 ms: an eighth up to 10 ms, a half from 80 ms on, 5/16 in the middle, at 45 ms.
    #[test]
    fn a_loss_takes_more_as_the_delay_grows() {
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let found = [0.0, 10_000.0, 45_000.0, 80_000.0, 100_000.0].map(|mean| beta(arithmetic, mean, 100_000.0));
            assert_eq!(found, [0.125, 0.125, 0.3125, 0.5, 0.5], "{arithmetic:?}");
        }
        assert_eq!(beta(Arithmetic::Linux, 40_000.0, 100_000.0), 18.0 / 64.0);
        assert_eq!(beta(Arithmetic::Linux, 1.0, 1.0), BETA_MAX, "no room between the thresholds");
    }

    #[test]
    fn alpha_comes_back_after_five_round_trips_of_little_delay() {
        let mut law = Illinois::new(&LINUX);
        law.0.alpha = law.0.next_alpha(&LINUX, 100_000.0, 100_000.0);
        let long = law.0.alpha;
        let found: Vec<f64> = (0..5).map(|_| law.0.next_alpha(&LINUX, 500.0, 100_000.0)).collect();
        assert_eq!(found, [long, long, long, long, 10.0]);
        assert_eq!(law.0.next_alpha(&LINUX, 500.0, 100_000.0), 10.0);
    }

    /// 100 segments, no delay: 10 segments a window of ACKs, each 10 ACKs one.
    #[test]
    fn the_window_grows_by_alpha_segments_a_window() {
        let grown = |config: &Config, acks| {
            let mut window = Window { cwnd: 100 * MSS, ssthresh: MSS, mss: MSS };
            let mut law = Illinois::new(config);
            let ack = Event { in_flight: 99 * MSS, rtt_sample: Some(Duration::from_millis(100)), ..Event::ack(MSS) };
            (0..acks).for_each(|_| law.on_ack(config, &mut window, &ack));
            window.cwnd
        };
        assert_eq!([9, 10, 20].map(|acks| grown(&LINUX, acks)), [100_000, 101_000, 101_000]);
        assert_eq!(grown(&LINUX, 21), 102_000);
        assert_eq!(grown(&PAPER, 1), 100_100);
    }

    #[test]
    fn after_a_timeout_and_with_a_small_window_the_law_is_reno() {
        let (mut law, mut window) = (Illinois::new(&LINUX), Window { cwnd: 100 * MSS, ssthresh: MSS, mss: MSS });
        law.0.beta = BETA_MIN;
        law.on_loss(&LINUX, &mut window, &Loss::of(LossCause::Timeout, 100 * MSS));
        assert_eq!((window.cwnd, window.ssthresh, law.0.alpha, law.0.beta), (MSS, 88 * MSS, 1.0, BETA_MAX));
        for (config, segments, alpha) in [(LINUX, 14, 1.0), (LINUX, 15, 10.0), (PAPER, 9, 1.0), (PAPER, 10, 10.0)] {
            let (mut law, mut window) =
                (Illinois::new(&config), Window { cwnd: segments * MSS, ssthresh: 1, mss: MSS });
            law.on_ack(&config, &mut window, &Event { rtt_sample: Some(Duration::from_millis(9)), ..Event::ack(MSS) });
            assert_eq!(law.0.alpha, alpha, "{segments}");
        }
    }
}
