//! HighSpeed TCP: RFC 3649.
//!
//! The response function p(w) is the RFC's rounded line 0.078/w^1.2, which reproduces the table of its appendix B; the
//! line through the two exact points is a named alternative. Left out: Limited Slow-Start (RFC 3742). Below Low_Window
//! and after timeouts the law is Reno's.

use super::{CongestionControl, Loss, LossCause, Window};
use crate::tcp::ConfigError;

/// The line p(w) in the log-log plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseFunction {
    /// p(w) = 0.078/w^1.2, as RFC 3649 §5 prints it and appendix B uses it.
    #[default]
    Rounded,
    /// The line through (Low_Window, Low_P) and (High_Window, High_P): a(w) is 1.4 to 2.6 % larger.
    Unrounded,
}

/// Parameters of RFC 3649 §5.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Up to this window, in segments, the law is Reno's.
    pub low_window: f64,
    /// The loss rate at Low_Window.
    pub low_p: f64,
    /// The window, in segments, at which the decrease is High_Decrease.
    pub high_window: f64,
    /// The loss rate at High_Window.
    pub high_p: f64,
    /// b(High_Window).
    pub high_decrease: f64,
    /// The response function.
    pub response: ResponseFunction,
    /// Whether the first loss after slow start or a timeout halves the window (ns-2) instead of cutting it by b(w).
    pub halve_after_slow_start: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            low_window: 38.0,
            low_p: 1e-3,
            high_window: 83_000.0,
            high_p: 1e-7,
            high_decrease: 0.1,
            response: ResponseFunction::Rounded,
            halve_after_slow_start: true,
        }
    }
}

impl Config {
    /// Whether the two points of the response function make a falling line.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError { field, reason });
        if !(self.low_window >= 1.0 && self.low_window < self.high_window && self.high_window < 1e9) {
            return wrong("highspeed.high_window", "must be above low_window, which is at least 1, and below 1e9");
        }
        if !(self.high_p > 0.0 && self.high_p < self.low_p && self.low_p < 1.0) {
            return wrong("highspeed.low_p", "must be above high_p, which is positive, and below 1");
        }
        if !(self.high_decrease > 0.0 && self.high_decrease <= 0.5) {
            return wrong("highspeed.high_decrease", "must be above 0 and at most 0.5");
        }
        Ok(())
    }

    /// b(w), the part of the window that a loss takes away. Beyond High_Window the line goes on, as the last two rows of
    /// appendix B have it, down to half of High_Decrease.
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

    fn new(_: &Config) -> HighSpeed {
        HighSpeed { credit: 0, a_of: 0, a: 1 << FRACTION_BITS, last_cut_by_timeout: false }
    }

    #[inline]
    fn increase(&mut self, config: &Config, window: &mut Window, acked: u64) {
        if window.in_slow_start() {
            window.slow_start(acked);
            return;
        }
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
    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: Loss) -> u64 {
        let first = window.in_slow_start() || self.last_cut_by_timeout;
        self.last_cut_by_timeout = loss.cause == LossCause::Timeout;
        self.credit = 0;
        if loss.cause == LossCause::Timeout || (first && config.halve_after_slow_start) {
            return loss.flight_size / 2;
        }
        let w = loss.flight_size as f64 / window.mss as f64;
        ((1.0 - config.decrease(w)) * loss.flight_size as f64) as u64
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
