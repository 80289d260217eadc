//! XCP's controller of one wavelength of an output for macroflows that probe it: Alparslan, Arakawa, Murata (paper
//! 002), §2.1 and §2.2.
//!
//! Once per control interval d it decides how much the traffic of its wavelength is to change, φ = α·S − β·Q/d, where S
//! = TU·C − u is what the input u of the last interval left of the target (§2.2, last paragraph) and Q the persistent
//! queue, and how much is to be shuffled, h = max(0, γ·u − |φ|). A probe of macroflow i is told p_i − n_i with
//!
//! ```text
//! p_i = (h + max(0, φ)) / N          n_i = u_i · (h + max(0, −φ)) / u
//! ```
//!
//! unless another controller on its path has told it less. The paper prints the bracket of p_i without h in it; then
//! the feedbacks would not add up to φ. N is the number of probes of the last interval (all of them, or those of
//! macroflows that sent something), or is given (the LSPs of a GMPLS network).
//!
//! Where the paper is silent: before the first decision nothing changes; a macroflow's share u_i/u counts at most as
//! one (the intervals of an edge node and of a controller are not the same); N counts at least as one.
//!
//! Unlike [`Router`](super::Router), which shares a pool among the packets of an interval, this controller looks at no
//! packet.

use crate::ConfigError;
use units::{Duration, Instant, Rate};

/// The fields of a macroflow's probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// u_i, the rate that the macroflow says it has, in bits per second.
    pub rate_bps: u64,
    /// By how much its rate is to change, in bits per second: the least of what the controllers said.
    pub feedback_bps: i64,
}

impl Probe {
    /// A probe that no controller has seen.
    pub const fn new(rate_bps: u64) -> Probe {
        Probe { rate_bps, feedback_bps: i64::MAX }
    }
}

/// How strongly a controller acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// α, the weight of spare capacity.
    pub alpha: f64,
    /// β, the weight of the persistent queue.
    pub beta: f64,
    /// γ, the part of the traffic that is shuffled.
    pub gamma: f64,
}

impl Gains {
    /// "For edge routers", against overshoots (paper 002, §3.1); β is α²√2, cut off.
    pub const EDGE_ROUTERS: Gains = Gains { alpha: 0.2, beta: 0.056, gamma: 0.1 };
    /// XCP's own: Katabi, Handley, Rohrs (SIGCOMM 2002), §4.1.
    pub const XCP: Gains = Gains { alpha: 0.4, beta: 0.226, gamma: 0.1 };
}

/// How a controller knows the number of its macroflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Macroflows {
    /// By the probes of the last interval.
    Probing,
    /// By those of macroflows that have sent something since the probe before.
    Active,
    /// They are label-switched paths; this many were set up.
    Given(u32),
}

/// The parameters of a [`Wavelength`]'s controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WavelengthConfig {
    /// C.
    pub capacity: Rate,
    /// TU, the target utilization, in (0, 1].
    pub target: f64,
    /// α, β and γ.
    pub gains: Gains,
    /// d: the greatest RTT of the domain.
    pub interval: Duration,
    /// N.
    pub macroflows: Macroflows,
}

impl WavelengthConfig {
    /// The paper's constants for edge routers (§3.1) at this capacity.
    pub const fn new(capacity: Rate) -> WavelengthConfig {
        WavelengthConfig {
            capacity,
            target: 1.0,
            gains: Gains::EDGE_ROUTERS,
            interval: Duration::from_millis(50),
            macroflows: Macroflows::Probing,
        }
    }

    /// An error that names the wrong parameter if no controller can run with these.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        if !(self.target > 0.0 && self.target <= 1.0) {
            return wrong("target", "must be above 0 and at most 1");
        }
        let Gains { alpha, beta, gamma } = self.gains;
        for (field, value) in [("alpha", alpha), ("beta", beta), ("gamma", gamma)] {
            if !(0.0..=1.0).contains(&value) {
                return wrong(field, "must be from 0 to 1");
            }
        }
        if self.interval == Duration::ZERO {
            return wrong("interval", "must be positive");
        }
        Ok(())
    }
}

/// The decision of a controller at the end of an interval, in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// u, the input of the interval.
    pub input: f64,
    /// φ.
    pub feedback: f64,
    /// h.
    pub shuffled: f64,
    /// N.
    pub macroflows: u32,
}

/// The controller of one wavelength of an output.
#[derive(Clone, Debug)]
pub struct Wavelength {
    config: WavelengthConfig,
    /// Bytes offered up to the last decision.
    offered: u64,
    /// Probes that count, since then.
    probes: u32,
    began: Instant,
    due: Instant,
    decision: Option<Decision>,
}

impl Wavelength {
    /// A controller whose first interval begins at `now`. The parameters must be valid
    /// ([`WavelengthConfig::validate`]).
    pub fn new(config: WavelengthConfig, now: Instant) -> Wavelength {
        assert!(config.validate().is_ok(), "a controller runs with valid parameters only");
        let due = now + config.interval;
        Wavelength { config, offered: 0, probes: 0, began: now, due, decision: None }
    }

    /// When it next wants `handle_timeout`.
    pub fn next_timeout(&self) -> Instant {
        self.due
    }

    /// An interval ends, if it is time. `offered_bytes` were offered to the wavelength since the start, whether they
    /// were dropped or not, and in the interval at least `queue_bytes` always waited.
    pub fn handle_timeout(&mut self, now: Instant, offered_bytes: u64, queue_bytes: u64) {
        if now < self.due {
            return;
        }
        let span = now.saturating_since(self.began).as_secs_f64();
        let input = 8.0 * offered_bytes.saturating_sub(self.offered) as f64 / span;
        self.decision = Some(self.decide(input, 8.0 * queue_bytes as f64));
        (self.offered, self.probes) = (offered_bytes, 0);
        (self.began, self.due) = (now, now + self.config.interval);
    }

    /// A probe passes: it is told what this controller wants, if that is less than what it has been told.
    pub fn handle_probe(&mut self, probe: &mut Probe) {
        let counts = self.config.macroflows != Macroflows::Active || probe.rate_bps > 0;
        self.probes = self.probes.saturating_add(u32::from(counts));
        let feedback = self.feedback(probe.rate_bps);
        // §2.2: a signed comparison.
        probe.feedback_bps = probe.feedback_bps.min(feedback);
    }

    /// The last decision.
    pub fn decision(&self) -> Option<&Decision> {
        self.decision.as_ref()
    }

    /// φ and h (§2.1.1, §2.1.2).
    fn decide(&self, input: f64, queue_bits: f64) -> Decision {
        let config = &self.config;
        let gains = &config.gains;
        let spare = config.target * config.capacity.bps() as f64 - input;
        let feedback = gains.alpha * spare - gains.beta * queue_bits / config.interval.as_secs_f64();
        let shuffled = (gains.gamma * input - feedback.abs()).max(0.0);
        let macroflows = match config.macroflows {
            Macroflows::Probing | Macroflows::Active => self.probes.max(1),
            Macroflows::Given(count) => count.max(1),
        };
        Decision { input, feedback, shuffled, macroflows }
    }

    /// p_i − n_i (§2.2), to the nearest bit per second.
    fn feedback(&self, rate_bps: u64) -> i64 {
        let Some(Decision { input, feedback, shuffled, macroflows }) = self.decision else { return 0 };
        let positive = (shuffled + feedback.max(0.0)) / f64::from(macroflows);
        let share = if input > 0.0 { (rate_bps as f64 / input).min(1.0) } else { 0.0 };
        let negative = share * (shuffled + (-feedback).max(0.0));
        (positive - negative).round() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 50;

    /// Decided once, at an input of `input_mbps` and with `probes` probes in the interval.
    fn decided(config: WavelengthConfig, input_mbps: u64, queue_bytes: u64, probes: u32) -> Wavelength {
        let mut controller = Wavelength::new(config, Instant::ZERO);
        (0..probes).for_each(|_| controller.handle_probe(&mut Probe::new(0)));
        let bytes = input_mbps * 1_000_000 / 8 * INTERVAL / 1000;
        controller.handle_timeout(Instant::ZERO + Duration::from_millis(INTERVAL), bytes, queue_bytes);
        controller
    }

    fn told(controller: &mut Wavelength, rate_mbps: u64) -> i64 {
        let mut probe = Probe::new(rate_mbps * 1_000_000);
        controller.handle_probe(&mut probe);
        probe.feedback_bps
    }

    fn one_gigabit() -> WavelengthConfig {
        WavelengthConfig::new(Rate::from_gbps(1))
    }

    /// u = 0.9 Gb/s, N = 4: φ = 0.2 · 0.1 = 20 Mb/s; h = 0.1 · 0.9 − 0.02 = 70 Mb/s; p = 90/4 = 22.5 Mb/s;
    /// u_i = 450 Mb/s: n = 0.5 · 70 = 35 Mb/s.
    #[test]
    fn the_feedback_is_what_the_formulas_give_by_hand() {
        let mut controller = decided(one_gigabit(), 900, 0, 4);
        let decision = *controller.decision().unwrap();
        assert!((decision.feedback - 20e6).abs() < 1e-3 && (decision.shuffled - 70e6).abs() < 1e-3, "{decision:?}");
        assert_eq!(told(&mut controller, 450), -12_500_000);
        assert_eq!(told(&mut controller, 0), 22_500_000);
    }

    /// u = 1.1 Gb/s and a queue of 9 kB: φ = −0.2 · 0.1 Gb/s − 0.056 · 72 kb/50 ms = −20.08064 Mb/s.
    #[test]
    fn overload_and_a_standing_queue_take_away() {
        let controller = decided(one_gigabit(), 1100, 9000, 1);
        assert!((controller.decision().unwrap().feedback + 20_080_640.0).abs() < 1e-3);
    }

    /// 0.3 of 1 Gb/s: an input of 300 Mb/s leaves nothing to give.
    #[test]
    fn the_target_stands_in_for_the_capacity() {
        let config = WavelengthConfig { target: 0.3, ..one_gigabit() };
        assert!(decided(config, 300, 0, 1).decision().unwrap().feedback.abs() < 1e-3);
    }

    /// Errata 2.5: whatever the rates, if they add up to u.
    #[test]
    fn the_feedbacks_add_up_to_phi() {
        for (input, queue) in [(900, 0), (1200, 0), (500, 3_000_000), (1000, 9000)] {
            let mut controller = decided(one_gigabit(), input, queue, 4);
            let sum: i64 = [50, 30, 15, 5].iter().map(|share| told(&mut controller, input * share / 100)).sum();
            let phi = controller.decision().unwrap().feedback;
            assert!((sum as f64 - phi).abs() <= 4.0, "{sum} {phi}");
        }
    }

    #[test]
    fn a_probe_keeps_the_least_that_it_was_told() {
        let mut spare = decided(one_gigabit(), 100, 0, 1);
        let mut full = decided(one_gigabit(), 1100, 0, 1);
        for order in [true, false] {
            let mut probe = Probe::new(1_100_000_000);
            let (first, second) = if order { (&mut spare, &mut full) } else { (&mut full, &mut spare) };
            first.handle_probe(&mut probe);
            second.handle_probe(&mut probe);
            // φ = −20 Mb/s, h = 110 − 20 = 90 Mb/s: p = 90, n = 110 Mb/s.
            assert_eq!(probe.feedback_bps, -20_000_000);
        }
    }

    #[test]
    fn probes_are_counted_interval_by_interval_unless_the_number_is_given() {
        let mut counted = decided(one_gigabit(), 100, 0, 7);
        assert_eq!(counted.decision().unwrap().macroflows, 7);
        counted.handle_timeout(Instant::ZERO + Duration::from_millis(2 * INTERVAL), 0, 0);
        assert_eq!(counted.decision().unwrap().macroflows, 1, "no probe came, and nothing is divided by zero");
        let given = WavelengthConfig { macroflows: Macroflows::Given(30), ..one_gigabit() };
        assert_eq!(decided(given, 100, 0, 7).decision().unwrap().macroflows, 30);
    }

    /// Two probes that sent nothing and one that did, in one interval.
    #[test]
    fn a_macroflow_that_sent_nothing_is_counted_only_where_all_that_probe_are() {
        for (macroflows, expected) in [(Macroflows::Probing, 3), (Macroflows::Active, 1)] {
            let mut controller = Wavelength::new(WavelengthConfig { macroflows, ..one_gigabit() }, Instant::ZERO);
            [0, 1, 0].iter().for_each(|rate| controller.handle_probe(&mut Probe::new(*rate)));
            controller.handle_timeout(Instant::ZERO + Duration::from_millis(INTERVAL), 0, 0);
            assert_eq!(controller.decision().unwrap().macroflows, expected, "{macroflows:?}");
        }
    }

    /// u = 0.9 Gb/s: φ = 0.4 · 0.1 = 40 Mb/s, so h = 90 − 40 = 50 Mb/s. With 9 kB always waiting, 0.226 · 72 kb/50 ms
    /// less.
    #[test]
    fn the_gains_of_xcp_itself_give_and_take_more() {
        let config = WavelengthConfig { gains: Gains::XCP, ..one_gigabit() };
        let decision = *decided(config, 900, 0, 1).decision().unwrap();
        assert!((decision.feedback - 40e6).abs() < 1e-3 && (decision.shuffled - 50e6).abs() < 1e-3, "{decision:?}");
        let queue = decided(config, 900, 9000, 1).decision().unwrap().feedback;
        assert!((queue - (40e6 - 0.226 * 72e3 / 0.05)).abs() < 1e-3, "{queue}");
    }

    #[test]
    fn before_the_first_decision_nothing_changes() {
        let mut controller = Wavelength::new(one_gigabit(), Instant::ZERO);
        assert_eq!(told(&mut controller, 500), 0);
    }

    #[test]
    fn a_rate_that_cannot_be_takes_no_more_than_all() {
        let mut controller = decided(one_gigabit(), 1100, 0, 1);
        assert_eq!(told(&mut controller, u64::MAX / 2_000_000), told(&mut controller, 1100));
    }

    #[test]
    fn parameters_that_cannot_be_are_named() {
        let of = |config: WavelengthConfig| config.validate().unwrap_err().field;
        assert_eq!(of(WavelengthConfig { target: 0.0, ..one_gigabit() }), "target");
        assert_eq!(of(WavelengthConfig { target: 1.01, ..one_gigabit() }), "target");
        assert_eq!(of(WavelengthConfig { target: f64::NAN, ..one_gigabit() }), "target");
        assert_eq!(of(WavelengthConfig { gains: Gains { gamma: -0.1, ..Gains::XCP }, ..one_gigabit() }), "gamma");
        assert_eq!(of(WavelengthConfig { interval: Duration::ZERO, ..one_gigabit() }), "interval");
    }
}
