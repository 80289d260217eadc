//! TCP-LP: A. Kuzmanovic and E. W. Knightly, "TCP-LP: low-priority service via end-point congestion control", IEEE/ACM
//! Transactions on Networking 14(4), 2006.
//!
//! Reno that takes only what others leave. Delay that exceeds its least by 15 % of its range is an early sign of
//! congestion: the window halves, and for three round trips it does not grow (inference). A second sign in that time
//! leaves one segment. Then the window grows by a segment in a round trip.
//!
//! Readings: the paper's delay is one-way, from timestamps; a law here has round trips, which differ from it by what
//! the way back takes. Signs are read off a mean with weight 1/8. The paper keeps the least and the greatest delay for
//! good. What was in flight at a sign still tells of the queue before it, and a lone flow would always find a second
//! sign there: the mean begins anew with what leaves after it (`lp_settling`).
//!
//! Linux (`net/ipv4/tcp_lp.c`) differs: a sign leaves ssthresh as it is, so that before any loss slow start goes on
//! after it, and the ACK that brings it still lets the window grow; a mean at the threshold is a sign too, such as the
//! first delay of a flow; least and greatest delay are then the mean and twice the mean. Its delays are whole
//! milliseconds, and none of less than one counts; its greatest delay is the second greatest that it has seen.
//!
//! Linux's delay is the receiver's time stamp less the sender's, in words of 32 bits. Since 4.10 each connection's
//! stamps begin at a number of their own, which nothing takes out (`lp_clock_ahead`). A range of twice the mean is then
//! one of days, so that no second sign comes; and eight times the mean loses its upper bits where the clocks are more
//! than 2²⁹ ms apart, so that there is no sign at all: this law is Reno then. Left out is its estimate of the
//! receiver's ticks: one is a millisecond here.

use super::segments::{Arithmetic, Growth, counted, half, reno};
use super::{Asks, CongestionControl, Event, Loss, Wants, Window};
use options::{Kind, Range, Words, options};
use units::Duration;

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Per cent of the range of delays beyond the least that are a sign of congestion. The paper's and Linux's: 15.
        pub threshold as "lp_threshold": f64 = 15.0, Kind::Number(Range::between(0.0, 100.0));
        /// With the paper's arithmetic: round trips after a sign in which delays are of data that left before it. Then
        /// their mean begins anew. The paper leaves it open; with 0 a second sign follows the first at once.
        pub settling as "lp_settling": f64 = 1.0, Kind::Number(Range::closed(0.0, 3.0));
        /// With Linux's arithmetic: how far the receiver's clock of time stamps is ahead of the sender's. Linux draws
        /// it for each connection, from 0 to 2³² ms, and takes it for delay. At 0 both are one clock.
        pub clock_ahead as "lp_clock_ahead": Duration = Duration::ZERO, Kind::SPAN;
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Lp(Box<State>);

/// Times in milliseconds.
#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    /// The mean, times eight; 0 before the first sample.
    mean: f64,
    least: f64,
    greatest: f64,
    /// Linux: the greatest seen, which waits to become `greatest`.
    reserve: f64,
    last_sign: Option<f64>,
    inference: f64,
}

impl CongestionControl for Lp {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Lp {
        let (growth, least) = (Growth::default(), f64::INFINITY);
        Lp(Box::new(State { growth, mean: 0.0, least, greatest: 0.0, reserve: 0.0, last_sign: None, inference: 0.0 }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        let now = config.arithmetic.whole(event.now.ps() as f64 / 1e9);
        let mut infers = state.infers(now);
        if let Some(rtt) = event.rtt_sample {
            state.measure(config, rtt, now);
            infers = state.infers(now);
            state.look(config, window, now);
        }
        // tcp_lp.c: `tcp_lp_cong_avoid` reads the flag as it stood before the sign.
        infers |= config.arithmetic == Arithmetic::Paper && state.infers(now);
        let may_grow = !event.in_recovery && !event.is_app_limited && !event.ecn_echo;
        if event.acked > 0 && may_grow && !infers {
            reno(&mut state.growth, config.arithmetic, window, counted(window, event));
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        half(config.arithmetic, loss.flight, window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("mean_delay_s", self.0.mean / 8e3), ("least_delay_s", self.0.least / 1e3)]
    }
}

impl State {
    /// Three round trips since the last sign are not over.
    fn infers(&self, now: f64) -> bool {
        self.last_sign.is_some_and(|sign| now - sign < self.inference)
    }

    /// Delays are of data that left before the last sign.
    fn settles(&self, config: &Config, delay: f64, now: f64) -> bool {
        let is_old = |sign| now - sign < config.settling * delay;
        self.last_sign.is_some_and(is_old)
    }

    fn measure(&mut self, config: &Config, rtt: Duration, now: f64) {
        let delay = config.arithmetic.whole(rtt.ps() as f64 / 1e9);
        if delay <= 0.0 {
            return;
        }
        self.inference = 3.0 * delay;
        if config.arithmetic == Arithmetic::Linux {
            self.measure_stamps(word(delay + (config.clock_ahead.ps() / 1_000_000_000) as f64));
            return;
        }
        (self.least, self.greatest) = (self.least.min(delay), self.greatest.max(delay));
        if !self.settles(config, delay, now) {
            self.mean = if self.mean == 0.0 { 8.0 * delay } else { self.mean + delay - self.mean / 8.0 };
        }
    }

    /// tcp_lp.c, `tcp_lp_rtt_sample`.
    fn measure_stamps(&mut self, delay: f64) {
        self.least = self.least.min(delay);
        if delay > self.greatest {
            self.greatest = match self.reserve {
                0.0 => delay,
                reserve => delay.min(reserve),
            };
            self.reserve = self.reserve.max(delay);
        }
        self.mean = if self.mean == 0.0 { 8.0 * delay } else { self.mean + delay - (self.mean / 8.0).floor() };
        self.mean = word(self.mean);
    }

    /// Looks for a sign of congestion.
    fn look(&mut self, config: &Config, window: &mut Window, now: f64) {
        if self.mean == 0.0 || self.is_calm(config) {
            return;
        }
        let half = half(config.arithmetic, window.cwnd, window.mss);
        window.cwnd = if self.infers(now) { window.mss } else { half.max(window.mss) };
        self.last_sign = Some(now);
        if config.arithmetic == Arithmetic::Linux {
            let (mean, twice) = ((self.mean / 8.0).floor(), (self.mean / 4.0).floor());
            (self.least, self.greatest, self.reserve) = (mean, twice, twice);
            return;
        }
        window.end_slow_start();
        if config.settling > 0.0 {
            self.mean = 0.0;
        }
    }

    /// True if the mean shows no sign of congestion.
    fn is_calm(&self, config: &Config) -> bool {
        let range = config.threshold * (self.greatest - self.least).max(0.0);
        match config.arithmetic {
            // tcp_lp.c: within the threshold is what is below it.
            Arithmetic::Linux => (self.mean / 8.0).floor() < word(self.least + (word(range) / 100.0).floor()),
            Arithmetic::Paper => self.mean / 8.0 <= self.least + range / 100.0,
        }
    }
}

/// What 32 bits hold of a whole number.
fn word(number: f64) -> f64 {
    number.rem_euclid(4_294_967_296.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Instant;

    const MSS: u64 = 1000;

    /// The windows after ACKs: each (when, its round trip), in milliseconds.
    fn windows(arithmetic: Arithmetic, acks: &[(u64, u64)]) -> Vec<u64> {
        windows_with(Config { arithmetic, ..Config::default() }, acks)
    }

    fn windows_with(config: Config, acks: &[(u64, u64)]) -> Vec<u64> {
        let (mut law, mut window) = (Lp::new(&config), Window { cwnd: 100 * MSS, ssthresh: MSS, mss: MSS });
        let one = |&(now, rtt): &(u64, u64)| {
            let rtt_sample = Some(Duration::from_millis(rtt));
            let event = Event { acked: 1, rtt_sample, ..Event::at(Instant::ZERO + Duration::from_millis(now)) };
            law.on_ack(&config, &mut window, &event);
            window.cwnd / MSS
        };
        acks.iter().map(one).collect()
    }

    /// 100 ms, then 180: the mean is 110, the threshold 100 + 0.15 · 80 = 112; then 118.75, above it. What comes until
    /// 200 ms left before 20 ms; then the mean is 180 at once.
    #[test]
    fn a_mean_above_15_per_cent_of_the_range_halves_the_window_and_a_second_one_leaves_one_segment() {
        let acks = [(0, 100), (10, 180), (20, 180), (30, 180), (199, 180), (200, 180)];
        assert_eq!(windows(Arithmetic::Paper, &acks), [100, 100, 50, 50, 50, 1]);
    }

    /// Linux: the first delay is its own threshold, then 100 + 0.15 · 100 = 115 with means of 110 and 118. The next
    /// threshold is 118 + 0.15 · 118, 135: 126, 132 (131 in whole eighths), 137.
    #[test]
    fn a_mean_at_the_threshold_is_a_sign_to_linux() {
        let acks = [(0, 100), (10, 180), (20, 180), (30, 180), (40, 180), (50, 180)];
        assert_eq!(windows(Arithmetic::Linux, &acks), [50, 50, 1, 1, 1, 1]);
        // A second sign after three round trips, of 180 ms each, halves again.
        let acks = [(0, 100), (10, 100), (2000, 180), (2010, 180), (2020, 180)];
        assert_eq!(windows(Arithmetic::Linux, &acks), [50, 50, 50, 25, 25]);
    }

    /// tcp_lp.c with stamps that are 2²⁷ = 134 217 728 ms apart: the first delay is a sign, as ever. The bounds are
    /// then 134 217 828 and twice that, and the threshold is 20 132 674 ms beyond the mean. 2²⁹ ms apart: eight times
    /// 2²⁹ + 100 is 800 in 32 bits, a mean of 100, which is below the least of 2²⁹ + 100; later ones are below 2²⁹.
    #[test]
    fn linux_takes_the_distance_of_the_clocks_for_delay() {
        let acks = [(0, 100), (10, 180), (20, 180), (30, 900), (2000, 900), (2010, 900)];
        let apart = |ms| {
            let config = Config { clock_ahead: Duration::from_millis(ms), ..Config::default() };
            windows_with(config, &acks)
        };
        assert_eq!(apart(0), [50, 50, 1, 1, 1, 1]);
        assert_eq!(apart(1 << 27), [50; 6]);
        assert_eq!(apart(1 << 29), [100; 6]);
        // Stamps go round: 2³² − 100 ms ahead, and 180 ms of delay are 80.
        let (round, acks) = ((1 << 32) - 100, [(0, 180), (10, 260), (20, 260)]);
        let config = Config { clock_ahead: Duration::from_millis(round), ..Config::default() };
        assert_eq!(windows_with(config, &acks), windows(Arithmetic::Linux, &[(0, 80), (10, 160), (20, 160)]));
    }

    /// tcp_lp.c: `tcp_lp_pkts_acked` sets `LP_WITHIN_INF` before it looks for a sign, and `tcp_lp_cong_avoid` grows
    /// unless it is set. So the ACK of the first sign halves 100 segments and adds one in slow start; none of the next
    /// 3 · 100 ms adds any.
    #[test]
    fn the_ack_of_a_sign_lets_the_window_grow_in_linux() {
        let after = |arithmetic, when: &[u64]| {
            let config = Config { arithmetic, ..Config::default() };
            let (mut law, mut window) = (Lp::new(&config), Window { cwnd: 100 * MSS, ssthresh: u64::MAX, mss: MSS });
            let one = |&ms: &u64| {
                let rtt_sample = Some(Duration::from_millis(100));
                let event = Event { rtt_sample, ..Event::ack(MSS) };
                let event = Event { now: Instant::ZERO + Duration::from_millis(ms), ..event };
                law.on_ack(&config, &mut window, &event);
                window.cwnd / MSS
            };
            when.iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(after(Arithmetic::Linux, &[1000, 1299, 1300]), [51, 51, 52]);
        assert_eq!(after(Arithmetic::Paper, &[1000, 1001]), [101, 102]);
    }

    /// The paper's congestion avoidance follows inference; Linux has no ssthresh before a loss.
    #[test]
    fn a_sign_ends_slow_start_as_the_paper_has_it_and_not_in_linux() {
        let after = |arithmetic| {
            let config = Config { arithmetic, ..Config::default() };
            let (mut law, mut window) = (Lp::new(&config), Window { cwnd: 100 * MSS, ssthresh: u64::MAX, mss: MSS });
            for rtt in [100, 180, 180] {
                let rtt_sample = Some(Duration::from_millis(rtt));
                law.on_ack(&config, &mut window, &Event { rtt_sample, ..Event::at(Instant::ZERO) });
            }
            (window.cwnd / MSS, window.ssthresh)
        };
        assert_eq!(after(Arithmetic::Paper), (50, 50 * MSS));
        assert_eq!(after(Arithmetic::Linux), (1, u64::MAX));
    }

    /// Within 3 · 100 ms nothing is gained; then a segment in a window of ACKs.
    #[test]
    fn during_inference_the_window_stands_still() {
        let config = Config::default();
        let (mut law, mut window) = (Lp::new(&config), Window { cwnd: 2 * MSS, ssthresh: MSS, mss: MSS });
        (law.0.last_sign, law.0.inference) = (Some(1000.0), 300.0);
        for (ms, segments) in [(1299, 2), (1300, 3)] {
            let event = Event { acked: 2 * MSS, ..Event::at(Instant::ZERO + Duration::from_millis(ms)) };
            law.on_ack(&config, &mut window, &event);
            assert_eq!(window.cwnd, segments * MSS, "{ms}");
        }
    }
}
