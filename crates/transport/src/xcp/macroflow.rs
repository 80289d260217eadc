//! A macroflow at its ingress: all packets of one edge node for another (perhaps ACKs apart) share a rate that XCP's
//! controllers on the path set. Source: Alparslan, Arakawa, Murata (paper 002), §2.2.
//!
//! Every control interval it sends a [`Probe`] with its rate u_i along its path; the probe comes back from the egress
//! with the change that is wanted of this rate: rate = max(u_i + feedback, floor). (The paper prints §2.1.2's rule for
//! a window, cwnd = max(cwnd + feedback, s).)
//!
//! Where the paper is silent: it begins at `start` and never exceeds `ceiling`, its wavelength's capacity; u_i is the
//! rate that was *sent* since the last probe ("estimated", and only so do the u_i add up to u), or the rate that is
//! *allowed*. With the second a macroflow that has less to send than it may is allowed ever more, up to the ceiling,
//! and then nothing paces its bursts; with the first it keeps the last interval's rate and what it was given since.
//! That feedback changes what was told is a choice too: it may change what is allowed whatever was told. And an
//! estimate of u_i may remember: what is told is then the last estimate by a part m of it and what was sent by 1 − m.
//!
//! How packets are spaced at this rate is up to a [`Smoother`](super::Smoother).

use super::wavelength::Probe;
use crate::ConfigError;
use options::words;
use units::{Duration, Instant, Rate};

words! {
    /// What a probe says about its macroflow.
    pub enum Tells {
        /// What was sent since the last probe.
        Sent = "sent",
        /// What may be sent.
        Allowed = "allowed",
    }
}

words! {
    /// Which rate feedback changes.
    pub enum Changes {
        /// The one that the probe told.
        Told = "told",
        /// The one that is allowed.
        Allowed = "allowed",
    }
}

/// The parameters of a [`Macroflow`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacroflowConfig {
    /// The rate at the beginning.
    pub start: Rate,
    /// No feedback takes it below this; at least 8 bit/s.
    pub floor: Rate,
    /// Nor above this.
    pub ceiling: Rate,
    /// Between two probes.
    pub interval: Duration,
    /// Which rate probes tell.
    pub tells: Tells,
    /// m, the part of the last estimate in the next, in [0, 1).
    pub memory: f64,
    /// Which rate feedback changes.
    pub changes: Changes,
}

impl MacroflowConfig {
    /// 1 % of a wavelength at the beginning, at least 0.1 Mb/s, a probe every 50 ms.
    pub const fn new(wavelength: Rate) -> MacroflowConfig {
        MacroflowConfig {
            start: Rate::from_bps(wavelength.bps() / 100),
            floor: Rate::from_bps(100_000),
            ceiling: wavelength,
            interval: Duration::from_millis(50),
            tells: Tells::Sent,
            memory: 0.0,
            changes: Changes::Told,
        }
    }

    /// An error that names the wrong parameter if no macroflow can run with these.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        if self.floor.bps() < 8 {
            return wrong("floor", "must be at least 8 bit/s");
        }
        if self.ceiling < self.floor {
            return wrong("floor", "must not exceed the ceiling");
        }
        if self.start < self.floor || self.start > self.ceiling {
            return wrong("start", "must be from the floor to the ceiling");
        }
        if self.interval == Duration::ZERO {
            return wrong("interval", "must be positive");
        }
        if !(0.0..1.0).contains(&self.memory) {
            return wrong("memory", "must be from 0 to below 1");
        }
        Ok(())
    }
}

/// A macroflow at its ingress.
#[derive(Clone, Debug)]
pub struct Macroflow {
    config: MacroflowConfig,
    rate: Rate,
    /// Bytes sent since the last probe.
    sent: u64,
    /// When that was, or when it began.
    probed: Instant,
    /// The rate of the last probe, in bits per second.
    told: f64,
}

impl Macroflow {
    /// A macroflow that begins at `now`: its first probe leaves at once. The parameters must be valid
    /// ([`MacroflowConfig::validate`]).
    pub fn new(config: MacroflowConfig, now: Instant) -> Macroflow {
        assert!(config.validate().is_ok(), "a macroflow runs with valid parameters only");
        Macroflow { config, rate: config.start, sent: 0, probed: now, told: 0.0 }
    }

    /// The rate at which it may send.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// When it next wants `handle_timeout`, the first probe apart.
    #[inline]
    pub fn next_timeout(&self) -> Instant {
        self.probed + self.config.interval
    }

    /// So many bytes leave, in one packet or in several since the last probe.
    #[inline]
    pub fn handle_sent(&mut self, bytes: u64) {
        self.sent += bytes;
    }

    /// The probe that is to leave now.
    pub fn handle_timeout(&mut self, now: Instant) -> Probe {
        let span = now.saturating_since(self.probed).ps().max(1);
        let sent = u128::from(self.sent) * 8 * u128::from(units::PS_PER_SECOND) / u128::from(span);
        let rate = match self.config.tells {
            Tells::Sent => self.estimated(u64::try_from(sent).unwrap_or(u64::MAX)),
            Tells::Allowed => self.rate.bps(),
        };
        (self.sent, self.probed) = (0, now);
        Probe::new(rate)
    }

    /// The rate to tell after an interval in which so much was sent.
    fn estimated(&mut self, sent_bps: u64) -> u64 {
        if self.config.memory == 0.0 {
            return sent_bps;
        }
        self.told = self.config.memory * self.told + (1.0 - self.config.memory) * sent_bps as f64;
        self.told.round() as u64
    }

    /// A probe has come back. One that met no controller changes nothing.
    pub fn handle_feedback(&mut self, probe: Probe) {
        if probe.feedback_bps == i64::MAX {
            return;
        }
        let (floor, ceiling) = (self.config.floor.bps(), self.config.ceiling.bps());
        let before = match self.config.changes {
            Changes::Told => probe.rate_bps,
            Changes::Allowed => self.rate.bps(),
        };
        let rate = before.saturating_add_signed(probe.feedback_bps).clamp(floor, ceiling);
        self.rate = Rate::from_bps(rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xcp::{Wavelength, WavelengthConfig};

    const STEP: Duration = Duration::from_millis(50);

    fn fed_back(macroflow: &mut Macroflow, feedback_bps: i64) -> u64 {
        macroflow.handle_feedback(Probe { rate_bps: 10_000_000, feedback_bps });
        macroflow.rate().bps()
    }

    #[test]
    fn the_rate_is_what_the_probe_told_and_the_feedback_between_floor_and_ceiling() {
        let mut macroflow = Macroflow::new(MacroflowConfig::new(Rate::from_gbps(1)), Instant::ZERO);
        assert_eq!(macroflow.rate(), Rate::from_mbps(10));
        assert_eq!(fed_back(&mut macroflow, 2_500_000), 12_500_000);
        assert_eq!(fed_back(&mut macroflow, -20_000_000), 100_000);
        assert_eq!(fed_back(&mut macroflow, i64::MAX - 1), 1_000_000_000);
        assert_eq!(fed_back(&mut macroflow, i64::MIN), 100_000);
        assert_eq!(fed_back(&mut macroflow, i64::MAX), 100_000, "nobody said anything");
    }

    /// From 10 Mb/s: 2.5 Mb/s more each time, whatever the probe told.
    #[test]
    fn feedback_may_change_the_allowed_rate_instead_of_the_one_that_was_told() {
        let config = MacroflowConfig { changes: Changes::Allowed, ..MacroflowConfig::new(Rate::from_gbps(1)) };
        let mut macroflow = Macroflow::new(config, Instant::ZERO);
        for (rate_bps, expected) in [(0, 12_500_000), (900_000_000, 15_000_000)] {
            macroflow.handle_feedback(Probe { rate_bps, feedback_bps: 2_500_000 });
            assert_eq!(macroflow.rate().bps(), expected);
        }
    }

    /// 62 500 B in 50 ms are 10 Mb/s.
    #[test]
    fn a_probe_tells_what_was_sent_since_the_last_one() {
        let mut macroflow = Macroflow::new(MacroflowConfig::new(Rate::from_gbps(1)), Instant::ZERO);
        macroflow.handle_timeout(Instant::ZERO);
        macroflow.handle_sent(62_500);
        assert_eq!(macroflow.next_timeout(), Instant::ZERO + STEP);
        assert_eq!(macroflow.handle_timeout(Instant::ZERO + STEP), Probe::new(10_000_000));
        assert_eq!(macroflow.handle_timeout(Instant::ZERO + STEP * 2), Probe::new(0));
        let config = MacroflowConfig { tells: Tells::Allowed, ..MacroflowConfig::new(Rate::from_gbps(1)) };
        assert_eq!(Macroflow::new(config, Instant::ZERO).handle_timeout(Instant::ZERO), Probe::new(10_000_000));
    }

    /// 10, 10 and 0 Mb/s are sent: with m = 3/4, from nothing, 2.5, 4.375 and 3.28125 Mb/s are told.
    #[test]
    fn an_estimate_of_what_was_sent_may_remember() {
        let config = MacroflowConfig { memory: 0.75, ..MacroflowConfig::new(Rate::from_gbps(1)) };
        let mut macroflow = Macroflow::new(config, Instant::ZERO);
        for (step, (bytes, expected)) in
            [(62_500, 2_500_000), (62_500, 4_375_000), (0, 3_281_250)].into_iter().enumerate()
        {
            macroflow.handle_sent(bytes);
            assert_eq!(macroflow.handle_timeout(Instant::ZERO + STEP * (step as u64 + 1)), Probe::new(expected));
        }
    }

    #[test]
    fn parameters_that_cannot_be_are_named() {
        let good = MacroflowConfig::new(Rate::from_gbps(1));
        let of = |config: MacroflowConfig| config.validate().unwrap_err().field;
        assert_eq!(of(MacroflowConfig { floor: Rate::from_bps(7), ..good }), "floor");
        assert_eq!(of(MacroflowConfig { floor: Rate::from_gbps(2), ..good }), "floor");
        assert_eq!(of(MacroflowConfig { start: Rate::from_bps(10), ..good }), "start");
        assert_eq!(of(MacroflowConfig { interval: Duration::ZERO, ..good }), "interval");
        assert_eq!(of(MacroflowConfig { memory: 1.0, ..good }), "memory");
        assert_eq!(of(MacroflowConfig { memory: -0.1, ..good }), "memory");
    }

    /// Saturated macroflows over a network of controllers without delay: `routes[i]` lists the links of macroflow i.
    /// What they may send they send. Gives the rates after `intervals`, in Mb/s.
    fn settled(
        config: WavelengthConfig,
        links: usize,
        routes: &[&[usize]],
        starts: &[u64],
        intervals: u64,
    ) -> Vec<f64> {
        let mut controllers: Vec<_> = (0..links).map(|_| Wavelength::new(config, Instant::ZERO)).collect();
        let begin = |start: &u64| {
            let given = MacroflowConfig { start: Rate::from_mbps(*start), ..MacroflowConfig::new(config.capacity) };
            Macroflow::new(given, Instant::ZERO)
        };
        let mut macroflows: Vec<_> = starts.iter().map(begin).collect();
        let mut offered = vec![0; links];
        for step in 1..=intervals {
            let now = Instant::ZERO + STEP * step;
            for (macroflow, route) in macroflows.iter_mut().zip(routes) {
                let bytes = macroflow.rate().bytes_in(STEP).count();
                macroflow.handle_sent(bytes);
                route.iter().for_each(|link| offered[*link] += bytes);
            }
            let mut probes: Vec<_> = macroflows.iter_mut().map(|macroflow| macroflow.handle_timeout(now)).collect();
            for (link, controller) in controllers.iter_mut().enumerate() {
                controller.handle_timeout(now, offered[link], 0);
            }
            for (probe, route) in probes.iter_mut().zip(routes) {
                route.iter().for_each(|link| controllers[*link].handle_probe(probe));
            }
            macroflows.iter_mut().zip(probes).for_each(|(macroflow, probe)| macroflow.handle_feedback(probe));
        }
        macroflows.iter().map(|macroflow| macroflow.rate().bps() as f64 / 1e6).collect()
    }

    /// Errata 2.5: the fixed point is TU·C in equal shares, from however unequal a start: 300 Mb/s / 4.
    #[test]
    fn on_one_link_rates_settle_at_equal_shares_of_the_target() {
        let config = WavelengthConfig { target: 0.3, ..WavelengthConfig::new(Rate::from_gbps(1)) };
        let rates = settled(config, 1, &[&[0], &[0], &[0], &[0]], &[1, 5, 50, 200], 600);
        for rate in &rates {
            assert!((rate - 75.0).abs() < 0.01, "{rates:?}");
        }
    }

    /// Two links, one macroflow over both, and 3 and 1 that take one of them. Not max-min (250, 250, 250, 250, 750),
    /// but where each macroflow's least feedback is zero. The first link: all four are told the same, so they share it
    /// equally and fill it, or it is not the one that holds the long one back. Equal shares of 1000 are 250 each. On
    /// the second link, u = 250 + x and the long one must be told no less than zero, the short one zero: with N = 2,
    /// (h + φ)/2 = x·h/u. If φ ≥ 0 and h = γu − φ: γu/2 = x(γu − φ)/u with φ = α(1000 − u) and x = u − 250: 0.05u² = (u −
    /// 250)(0.3u − 200), that is 0.25u² − 275u + 50 000 = 0, u = 550 + √(550² − 200 000) = 870.156, so x = 620.156: the
    /// second link is 87 % full.
    #[test]
    fn on_a_parking_lot_they_settle_at_the_equilibrium_by_hand_and_not_at_max_min() {
        let routes: &[&[usize]] = &[&[0, 1], &[0], &[0], &[0], &[1]];
        let rates = settled(WavelengthConfig::new(Rate::from_gbps(1)), 2, routes, &[10; 5], 2000);
        for (found, expected) in rates.iter().zip([250.0, 250.0, 250.0, 250.0, 620.156]) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{rates:?}");
        }
    }
}
