//! Swift: G. Kumar, N. Dukkipati, K. Jang, H. M. G. Wassel, X. Wu, B. Montazeri, Y. Wang, K. Springborn, C. Alfeld, M.
//! Ryan, D. Wetherall, A. Vahdat, "Swift: delay is simple and effective for congestion control in the datacenter",
//! SIGCOMM 2020, algorithm 1 and §3.2–3.3.
//!
//! The window follows a target of the delay. Below it the window grows by `swift_ai` segments in a round trip; above it
//! shrinks once in a round trip, by a factor of 1 − β (delay − target)/delay, but by `max_mdf` at most. The target is
//! `base_target`, more for each hop of the path (`swift_hops` times `hop_delay`: topology scaling), and more for small
//! windows (`fs_range`, from `fs_max_cwnd` down to `fs_min_cwnd`: flow scaling), since with N flows a queue varies by
//! √N. The window may be below one segment: then one leaves after so much more than a round trip, by a timer.
//!
//! Readings. The constants are recalled: the paper names them and gives values for some. A sender here does not count
//! hops; their number is a parameter. A round trip is the one that this ACK has measured. Where the window is one
//! segment or more, segments leave as ACKs come, without a timer.
//!
//! Left out: the window for the delay in end hosts, since hosts here take no time; a receiver that waits with its ACKs
//! counts as delay of the path. Packets of the NIC's timestamps, the priority of ACKs.

use super::segments::Arrivals;
use super::{Asks, CongestionControl, Event, Fit, Loss, LossCause, Marks, Wants, Window};
use crate::ConfigError;
use options::{Kind, Range, options};
use units::{Duration, Instant, Rate};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The delay that is aimed at on a path without hops with a large window.
        pub base_target: Duration = Duration::from_micros(25), Kind::POSITIVE;
        /// What a hop adds to the target (h of the paper).
        pub hop_delay: Duration = Duration::from_micros(1), Kind::SPAN;
        /// Hops of the path there.
        pub hops as "swift_hops": u32 = 3, Kind::Whole(Range::closed(0.0, 255.0));
        /// What a window of `fs_min_cwnd` adds to the target.
        pub fs_range: Duration = Duration::from_micros(100), Kind::SPAN;
        /// Segments of a window up to which the target is the greatest.
        pub fs_min_cwnd: f64 = 0.1, Kind::Number(Range::closed(0.001, 1e6));
        /// Segments of a window from which on the target is the least.
        pub fs_max_cwnd: f64 = 100.0, Kind::Number(Range::closed(0.001, 1e6));
        /// Segments by which the window grows in a round trip.
        pub ai as "swift_ai": f64 = 1.0, Kind::Number(Range::above(0.0, 1000.0));
        /// How strongly it shrinks with the delay (β of the paper).
        pub beta as "swift_beta": f64 = 0.8, Kind::Number(Range::above(0.0, 1.0));
        /// The part by which it shrinks at most.
        pub max_mdf: f64 = 0.5, Kind::Number(Range::above(0.0, 0.99));
        /// The least window in segments.
        pub min_window as "swift_min_cwnd": f64 = 0.01, Kind::Number(Range::closed(0.0001, 1.0));
        /// Timeouts in a row after which the window is the least.
        pub resets as "swift_resets": u32 = 5, Kind::Whole(Range::closed(1.0, 255.0));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Swift(Box<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    /// In segments; 0 before the first ACK.
    cwnd: f64,
    last_decrease: Instant,
    /// The round trip that the last ACK has measured, in nanoseconds.
    rtt_ns: u32,
    timeouts: u8,
    arrivals: Arrivals,
}

impl CongestionControl for Swift {
    type Config = Config;

    const ASKS: Asks = Asks { pacing: true, every_ack: true, marks: Marks::Unheard, ..Asks::NOTHING };

    fn new(_: &Config) -> Swift {
        Swift(Box::new(State {
            cwnd: 0.0,
            last_decrease: Instant::ZERO,
            rtt_ns: 0,
            timeouts: 0,
            arrivals: Arrivals::default(),
        }))
    }

    fn validate(config: &Config) -> Result<(), ConfigError> {
        match config.fs_min_cwnd < config.fs_max_cwnd {
            true => Ok(()),
            false => Err(ConfigError::new("fs_min_cwnd", "must be below fs_max_cwnd")),
        }
    }

    fn wants(config: &Config) -> Wants {
        // On a path that takes longer than the greatest target the window only shrinks.
        let hops = config.hop_delay.saturating_mul(config.hops.into());
        let most = config.base_target + hops + config.fs_range;
        let fit = Fit { key: "base_target", least: Duration::ZERO, most, above: config.base_target };
        Wants { every_rtt: true, fits: Some(fit), ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        self.begin(window);
        let arrived = self.0.arrivals.of(event);
        let acked = window.counted(arrived) as f64 / window.mss as f64;
        let Some(delay) = event.rtt_sample else {
            // After a timeout only copies are acknowledged, which measure nothing (RFC 6298 §3).
            if self.0.timeouts > 0 && !event.is_app_limited {
                self.0.cwnd += config.ai * acked / self.0.cwnd.max(1.0);
            }
            return self.show(window);
        };
        (self.0.rtt_ns, self.0.timeouts) = (u32::try_from(delay.ps() / 1000).unwrap_or(u32::MAX), 0);
        let (delay, target) = (delay.as_secs_f64(), self.target(config));
        if delay >= target {
            self.decrease(config, event.now, 1.0 - config.beta * (delay - target) / delay);
        } else if !event.is_app_limited {
            self.0.cwnd += config.ai * acked / self.0.cwnd.max(1.0);
        }
        self.show(window);
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        self.begin(window);
        self.0.timeouts = if loss.cause == LossCause::Timeout { self.0.timeouts.saturating_add(1) } else { 0 };
        self.lose(config, loss.event.now);
        self.show(window);
    }

    fn on_repeated_timeout(&mut self, config: &Config, window: &mut Window, event: &Event) {
        self.begin(window);
        self.0.timeouts = self.0.timeouts.saturating_add(1);
        self.lose(config, event.now);
        self.show(window);
    }

    fn pacing_rate(&self, _: &Config, window: &Window, _: Option<Duration>) -> Option<Rate> {
        if self.0.cwnd >= 1.0 || self.0.cwnd == 0.0 {
            return Some(Rate::from_bps(u64::MAX));
        }
        // A segment after rtt/cwnd; `as` saturates.
        let ns = f64::from(self.0.rtt_ns.max(1)) / self.0.cwnd;
        Some(Rate::from_bps((window.mss as f64 * 8e9 / ns).max(1.0) as u64))
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("swift_cwnd_segments", self.0.cwnd)]
    }
}

impl Swift {
    /// The window is what it was, unless somebody else has set it.
    fn begin(&mut self, window: &Window) {
        if self.0.cwnd == 0.0 || window.cwnd != self.shown(window.mss) {
            self.0.cwnd = window.cwnd as f64 / window.mss as f64;
        }
    }

    /// The whole window, of which the sender keeps at least a segment.
    fn shown(&self, mss: u64) -> u64 {
        ((self.0.cwnd * mss as f64).round() as u64).max(mss)
    }

    fn show(&self, window: &mut Window) {
        window.cwnd = self.shown(window.mss);
        window.end_slow_start();
    }

    /// §3.3: base, hops, and a window's own part.
    fn target(&self, config: &Config) -> f64 {
        let root = |segments: f64| 1.0 / libm::sqrt(segments);
        let (least, most) = (root(config.fs_max_cwnd), root(config.fs_min_cwnd));
        let own = config.fs_range.as_secs_f64() * (root(self.0.cwnd) - least) / (most - least);
        let hops = f64::from(config.hops) * config.hop_delay.as_secs_f64();
        config.base_target.as_secs_f64() + hops + own.clamp(0.0, config.fs_range.as_secs_f64())
    }

    /// Once in a round trip, by `max_mdf` at most.
    fn decrease(&mut self, config: &Config, now: Instant, factor: f64) {
        if now.saturating_since(self.0.last_decrease).ps() >= u64::from(self.0.rtt_ns) * 1000 {
            self.0.cwnd = (self.0.cwnd * factor.max(1.0 - config.max_mdf)).max(config.min_window);
            self.0.last_decrease = now;
        }
    }

    fn lose(&mut self, config: &Config, now: Instant) {
        if u32::from(self.0.timeouts) >= config.resets {
            (self.0.cwnd, self.0.last_decrease) = (config.min_window, now);
        } else {
            self.decrease(config, now, 1.0 - config.max_mdf);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn law(cwnd: f64) -> (Swift, Window) {
        let mut law = Swift::new(&Config::default());
        law.0.cwnd = cwnd;
        let window = Window { cwnd: law.shown(MSS), ssthresh: u64::MAX, mss: MSS };
        (law, window)
    }

    fn ack(us: u64, at_us: u64) -> Event {
        let rtt_sample = Some(Duration::from_micros(us));
        Event { acked: MSS, rtt_sample, ..Event::at(Instant::ZERO + Duration::from_micros(at_us)) }
    }

    /// §3.3: all of the range at the least window, nothing at the largest, and between them linear in 1/√cwnd: with 0.1
    /// and 100 segments 1/√1 lies at (1 − 0.1)/(√10 − 0.1) = 0.294 of it. Base 25 µs, three hops of 1 µs.
    #[test]
    fn small_windows_have_longer_targets() {
        let config = Config::default();
        let target = |cwnd| law(cwnd).0.target(&config) * 1e6;
        for (cwnd, us) in [(0.01, 128.0), (0.1, 128.0), (1.0, 57.390), (100.0, 28.0), (1000.0, 28.0)] {
            assert!((target(cwnd) - us).abs() < 1e-3, "{cwnd}: {} µs", target(cwnd));
        }
    }

    /// Algorithm 1: below the target + ai/cwnd for each segment, above it · (1 − β (delay − target)/delay) once in a
    /// round trip: at twice the target of 28 µs 1 − 0.8/2, and never below a half.
    #[test]
    fn a_window_grows_by_a_segment_in_a_round_trip_and_shrinks_once() {
        let config = Config::default();
        let (mut swift, mut window) = law(200.0);
        swift.on_ack(&config, &mut window, &ack(20, 1000));
        assert_eq!((window.cwnd, swift.0.cwnd), (200_005, 200.005));
        swift.on_ack(&config, &mut window, &ack(56, 1000));
        assert!((swift.0.cwnd - 0.6 * 200.005).abs() < 1e-9, "{}", swift.0.cwnd);
        swift.on_ack(&config, &mut window, &ack(56, 1055));
        assert_eq!(window.cwnd, 120_003, "not twice in 56 µs");
        swift.on_ack(&config, &mut window, &ack(1000, 2056));
        assert!((swift.0.cwnd - 0.3 * 200.005).abs() < 1e-9, "by half at most");
    }

    /// A window of a quarter of a segment: one leaves after four round trips. 1000 B in 400 µs are 20 Mb/s.
    #[test]
    fn below_one_segment_a_round_trip_segments_leave_by_a_timer() {
        let (mut swift, mut window) = law(0.25);
        swift.0.rtt_ns = 100_000;
        let rate = swift.pacing_rate(&Config::default(), &window, None).unwrap();
        assert_eq!((rate, window.cwnd), (Rate::from_mbps(20), MSS));
        // The target is 28 µs and (2 − 0.1)/3.062 of 100 µs: below that it grows by ai for a segment.
        swift.on_ack(&Config::default(), &mut window, &ack(80, 10));
        assert_eq!((swift.0.cwnd, window.cwnd), (1.25, 1250));
        assert_eq!(swift.pacing_rate(&Config::default(), &window, None), Some(Rate::from_bps(u64::MAX)));
    }

    #[test]
    fn a_loss_halves_and_five_timeouts_in_a_row_leave_the_least() {
        let (config, (mut swift, mut window)) = (Config::default(), law(64.0));
        let loss = |cause, ms| Loss { cause, flight: 0, event: Event::at(Instant::ZERO + Duration::from_millis(ms)) };
        swift.on_loss(&config, &mut window, &loss(LossCause::FastRetransmit, 1));
        assert_eq!(window.cwnd, 32 * MSS);
        swift.on_loss(&config, &mut window, &loss(LossCause::Timeout, 2));
        (3..6).for_each(|ms| swift.on_repeated_timeout(&config, &mut window, &loss(LossCause::Timeout, ms).event));
        assert_eq!((window.cwnd, swift.0.timeouts), (2 * MSS, 4));
        swift.on_repeated_timeout(&config, &mut window, &loss(LossCause::Timeout, 6).event);
        assert_eq!((window.cwnd, swift.0.cwnd), (MSS, config.min_window));
    }
}
