//! HighSpeed TCP: RFC 3649.
//!
//! The response function p(w) is the RFC's rounded line 0.078/w^1.2, which reproduces the table of its appendix B; the
//! line through the two exact points is a named alternative. Left out: Limited Slow-Start (RFC 3742). Below Low_Window
//! and after timeouts the law is Reno's.

use super::gaimd::SHARE;
use super::{CongestionControl, Event, Loss, LossCause, Window};
use crate::ConfigError;
use options::{Kind, Range, Words, options, words};

words! {
    /// HighSpeed's response function, a line in the log-log plane.
    pub enum ResponseFunction {
        /// p(w) = 0.078/w^1.2, as RFC 3649 §5 prints it and appendix B uses it.
        Rounded = "rounded",
        /// The line through (low_window, low_p) and (high_window, high_p): a(w) is 1.4 to 2.6 % larger.
        Unrounded = "unrounded",
    }
}

options! {
    /// Parameters of RFC 3649 §5.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Up to this window, in segments, it is Reno.
        pub low_window: f64 = 38.0, Kind::Number(Range::below(1.0, 1e9));
        /// The loss rate at low_window.
        pub low_p: f64 = 1e-3, Kind::Number(SHARE);
        /// The window, in segments, at which the decrease is high_decrease.
        pub high_window: f64 = 83_000.0, Kind::Number(Range::below(1.0, 1e9));
        /// The loss rate at high_window.
        pub high_p: f64 = 1e-7, Kind::Number(SHARE);
        /// The part of the window that a loss takes away at high_window.
        pub high_decrease: f64 = 0.1, Kind::Number(Range::above(0.0, 0.5));
        /// The loss rate at a window.
        pub response: ResponseFunction = ResponseFunction::Rounded, Kind::Word(&ResponseFunction::LIST);
        /// Whether the first loss after slow start or a timeout halves the window, as in ns-2, instead of cutting it by
        /// b(w).
        pub halve_after_slow_start: bool = true, Kind::Flag;
    }
}

impl Config {
    /// An error if the two points of the response function make no falling line.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.low_window >= self.high_window {
            return Err(ConfigError::new("high_window", "must be above low_window"));
        }
        if self.high_p >= self.low_p {
            return Err(ConfigError::new("low_p", "must be above high_p"));
        }
        Ok(())
    }

    /// b(w), the part of the window that a loss takes away. Beyond High_Window the line goes on, as the last two rows
    /// of appendix B have it, down to half of High_Decrease.
    pub fn decrease(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 0.5;
        }
        let along = libm::log(w / self.low_window) / libm::log(self.high_window / self.low_window);
        (0.5 + (self.high_decrease - 0.5) * along).max(self.high_decrease / 2.0)
    }

    /// p(w), the loss rate at which the average window is w.
    pub fn loss_rate(&self, w: f64) -> f64 {
        match self.response {
            ResponseFunction::Rounded => 0.078 / libm::pow(w, 1.2),
            ResponseFunction::Unrounded => {
                let slope = libm::log(self.high_p / self.low_p) / libm::log(self.high_window / self.low_window);
                self.low_p * libm::pow(w / self.low_window, slope)
            }
        }
    }

    /// a(w), the segments the window grows by in a round trip: w²·p(w)·2·b(w)/(2 − b(w)), and 1 up to Low_Window.
    pub fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let b = self.decrease(w);
        (w * w * self.loss_rate(w) * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

/// Fractional bits of the cached a(w).
const FRACTION_BITS: u32 = 12;

/// The law of one flow. a(w) is kept until the window changes by a whole segment.
#[derive(Clone, Copy, Debug)]
pub struct HighSpeed {
    /// Acknowledged bytes weighted with a(w), with `FRACTION_BITS`; the window grows by a segment per cwnd of them.
    credit: u64,
    /// The window, in bytes, that `a` belongs to.
    a_of: u64,
    /// a(w) with `FRACTION_BITS`.
    a: u32,
    last_cut_by_timeout: bool,
}

impl CongestionControl for HighSpeed {
    type Config = Config;

    fn validate(config: &Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn new(_: &Config) -> HighSpeed {
        HighSpeed { credit: 0, a_of: 0, a: 1 << FRACTION_BITS, last_cut_by_timeout: false }
    }

    #[inline]
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if event.is_app_limited {
            return;
        }
        if window.in_slow_start() {
            window.slow_start_by(event.counts, event.acked);
            return;
        }
        let acked = window.counted(event.acked);
        if self.a_of != window.cwnd {
            self.look_up(config, window);
        }
        self.credit = self.credit.saturating_add(acked.saturating_mul(u64::from(self.a)));
        let price = window.cwnd.saturating_mul(1 << FRACTION_BITS);
        if self.credit >= price {
            self.grow(window, price);
        }
    }

    /// (1 − b(w)) of the FlightSize w.
    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let first = window.in_slow_start() || self.last_cut_by_timeout;
        self.last_cut_by_timeout = loss.cause == LossCause::Timeout;
        self.credit = 0;
        if loss.cause == LossCause::Timeout || (first && config.halve_after_slow_start) {
            return loss.flight / 2;
        }
        let w = loss.flight as f64 / window.mss as f64;
        ((1.0 - config.decrease(w)) * loss.flight as f64) as u64
    }
}

impl HighSpeed {
    #[cold]
    fn look_up(&mut self, config: &Config, window: &Window) {
        let a = config.increase(window.cwnd as f64 / window.mss as f64);
        self.a = (a * f64::from(1u32 << FRACTION_BITS)).min(f64::from(u32::MAX)) as u32;
        self.a_of = window.cwnd;
    }

    /// One ACK of several segments may pay for more than one.
    fn grow(&mut self, window: &mut Window, price: u64) {
        let segments = self.credit / price;
        self.credit %= price;
        window.cwnd = window.cwnd.saturating_add(segments.saturating_mul(window.mss));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649 appendix B: row n holds the window at which a(w) reaches n, and 100·b(w).
    const APPENDIX_B: [(u32, u32); 72] = [
        (38, 50),
        (118, 44),
        (221, 41),
        (347, 38),
        (495, 37),
        (663, 35),
        (851, 34),
        (1058, 33),
        (1284, 32),
        (1529, 31),
        (1793, 30),
        (2076, 29),
        (2378, 28),
        (2699, 28),
        (3039, 27),
        (3399, 27),
        (3778, 26),
        (4177, 26),
        (4596, 25),
        (5036, 25),
        (5497, 24),
        (5979, 24),
        (6483, 23),
        (7009, 23),
        (7558, 22),
        (8130, 22),
        (8726, 22),
        (9346, 21),
        (9991, 21),
        (10661, 21),
        (11358, 20),
        (12082, 20),
        (12834, 20),
        (13614, 19),
        (14424, 19),
        (15265, 19),
        (16137, 19),
        (17042, 18),
        (17981, 18),
        (18955, 18),
        (19965, 17),
        (21013, 17),
        (22101, 17),
        (23230, 17),
        (24402, 16),
        (25618, 16),
        (26881, 16),
        (28193, 16),
        (29557, 15),
        (30975, 15),
        (32450, 15),
        (33986, 15),
        (35586, 14),
        (37253, 14),
        (38992, 14),
        (40808, 14),
        (42707, 13),
        (44694, 13),
        (46776, 13),
        (48961, 13),
        (51258, 13),
        (53677, 12),
        (56230, 12),
        (58932, 12),
        (61799, 12),
        (64851, 11),
        (68113, 11),
        (71617, 11),
        (75401, 10),
        (79517, 10),
        (84035, 10),
        (89053, 10),
    ];

    #[test]
    fn the_table_of_appendix_b_follows_from_the_rounded_response_function() {
        let config = Config::default();
        for (row, (w, b)) in (1u32..).zip(APPENDIX_B) {
            let (increase, decrease) = (config.increase(f64::from(w)), config.decrease(f64::from(w)));
            assert!((increase - f64::from(row)).abs() < 0.05, "a({w}) = {increase}, printed {row}");
            // Printed with two digits, rounded to nearest.
            assert!((100.0 * decrease - f64::from(b)).abs() < 0.5, "b({w}) = {decrease}, printed {b} %");
        }
    }

    #[test]
    fn the_unrounded_line_grows_1_4_to_2_6_percent_faster() {
        let rounded = Config::default();
        let unrounded = Config { response: ResponseFunction::Unrounded, ..Config::default() };
        for w in [1000.0, 10_000.0, 83_000.0] {
            let ratio = unrounded.increase(w) / rounded.increase(w);
            assert!((1.014..1.026).contains(&ratio), "{w}: {ratio}");
        }
        // The line passes through the two points of RFC 3649 §5.
        assert!((unrounded.loss_rate(38.0) - 1e-3).abs() < 1e-12);
        assert!((unrounded.loss_rate(83_000.0) - 1e-7).abs() < 1e-15);
    }

    #[test]
    fn up_to_38_segments_the_law_is_reno() {
        let config = Config::default();
        assert_eq!((config.increase(38.0), config.decrease(38.0)), (1.0, 0.5));
        let mut window = Window { cwnd: 20_000, ssthresh: 20_000, mss: 1000 };
        let mut law = HighSpeed::new(&config);
        (0..20).for_each(|_| law.on_ack(&config, &mut window, &Event::ack(1000)));
        assert_eq!(window.cwnd, 21_000);
    }

    #[test]
    fn at_1058_segments_a_round_trip_adds_8() {
        let config = Config::default();
        let mut window = Window { cwnd: 1_058_000, ssthresh: 1_000_000, mss: 1000 };
        let mut law = HighSpeed::new(&config);
        // A step costs cwnd/8 ACKs, and cwnd grows from 1058 to 1065 meanwhile: (1058 + … + 1065)/8 = 1062 ACKs at a =
        // 8.
        (0..1066).for_each(|_| law.on_ack(&config, &mut window, &Event::ack(1000)));
        assert_eq!(window.cwnd, 1_066_000);
    }

    fn loss(flight_size: u64) -> Loss {
        Loss::of(LossCause::FastRetransmit, flight_size)
    }

    #[test]
    fn at_83000_segments_a_loss_takes_a_tenth() {
        let config = Config::default();
        let window = Window { cwnd: 83_000_000, ssthresh: 1000, mss: 1000 };
        let cut = HighSpeed::new(&config).ssthresh_after(&config, &window, &loss(83_000_000));
        assert!(cut.abs_diff(74_700_000) <= 1, "{cut}");
    }

    #[test]
    fn the_first_loss_after_slow_start_or_a_timeout_halves() {
        let config = Config::default();
        let slow_start = Window { cwnd: 1_000_000, ssthresh: u64::MAX, mss: 1000 };
        let avoidance = Window { ssthresh: 1000, ..slow_start };
        let mut law = HighSpeed::new(&config);
        assert_eq!(law.ssthresh_after(&config, &slow_start, &loss(1_000_000)), 500_000);
        // b(1000) = 0.5 - 0.4 * ln(1000/38)/ln(83000/38) = 0.32986.
        assert_eq!(law.ssthresh_after(&config, &avoidance, &loss(1_000_000)) / 1000, 670);
        let timeout = Loss::of(LossCause::Timeout, 1_000_000);
        assert_eq!(law.ssthresh_after(&config, &avoidance, &timeout), 500_000);
        assert_eq!(law.ssthresh_after(&config, &avoidance, &loss(1_000_000)), 500_000);
        let config = Config { halve_after_slow_start: false, ..config };
        assert_eq!(law.ssthresh_after(&config, &slow_start, &loss(1_000_000)) / 1000, 670);
    }
}
