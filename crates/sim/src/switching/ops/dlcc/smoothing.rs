//! The rate at which an edge node asks to send to another one (DLCC, Lu and Hunter 2009, §II, eq. (1)).
//!
//! Time is cut into units. U_i is the rate at which slots came into the buffer in unit i, B what the buffer holds at
//! its end, and R_{i+1} = ν·R_i + (1 − ν)·(U_i + B/τ). What is asked for is the mean of the R_i since it was last
//! asked.
//!
//! ν "is determined by considering the arrival rate, the current service rate, and the available network capacity
//! \[5\]": the rule is in the reference. [`NuRule`] has readings of this sentence.

use super::rate::{Part, SlotRate};
use options::words;

words! {
    /// What determines ν: U is the arrival rate of the unit, S the service rate (the scheduled one), A the available
    /// capacity. A is what the core has granted where it lowered or refused the last request for more, and otherwise
    /// the line.
    pub enum NuRule {
        /// ν = `nu`.
        Constant = "constant",
        /// ν = `nu` · min(U, S)/max(U, S): the further arrivals and service lie apart, the less the past counts.
        Service = "service",
        /// The same where U is at most S. Above it 1 − ν is that part of it that the network can grant: min(1, (A −
        /// S)/(U − S)).
        Available = "available",
    }
}

/// The parameters of eq. (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateConfig {
    /// A unit, in picoseconds.
    pub unit: u64,
    /// What determines ν.
    pub rule: NuRule,
    /// `nu`: ν, or what it is at most where arrivals and service determine it.
    pub memory: Part,
    /// τ, in picoseconds.
    pub drain: u64,
}

/// The moving average of what comes.
#[derive(Clone, Debug)]
pub struct Estimate {
    config: EstimateConfig,
    smoothed: SlotRate,
    service: SlotRate,
    available: SlotRate,
    arrived: u64,
    sum: u128,
    units: u64,
    next: u64,
}

impl Estimate {
    /// An average that begins with a rate.
    pub fn new(config: EstimateConfig, first: SlotRate) -> Estimate {
        let available = SlotRate::from_count(u64::MAX);
        Estimate { config, smoothed: first, service: first, available, arrived: 0, sum: 0, units: 0, next: config.unit }
    }

    /// What comes is served at this rate, and the network has this capacity for it.
    pub fn set_service(&mut self, service: SlotRate, available: SlotRate) {
        (self.service, self.available) = (service, available);
    }

    /// Slots come into the buffer.
    pub fn handle_arrival(&mut self, slots: u64) {
        self.arrived += slots;
    }

    /// When the unit ends.
    pub fn next_timeout(&self) -> u64 {
        self.next
    }

    /// Units end up to `now`; the buffer holds `backlog` slots.
    pub fn handle_timeout(&mut self, now: u64, backlog: u64) {
        while self.next <= now {
            let EstimateConfig { unit, drain, .. } = self.config;
            let arrivals = SlotRate::of(self.arrived, unit);
            let memory = self.memory(arrivals);
            let measured = arrivals.plus(SlotRate::of(backlog, drain));
            self.smoothed = self.smoothed.part(memory).plus(measured.part(memory.rest()));
            self.arrived = 0;
            self.sum += u128::from(self.smoothed.count());
            self.units += 1;
            self.next += unit;
        }
    }

    /// ν.
    fn memory(&self, arrivals: SlotRate) -> Part {
        let EstimateConfig { rule, memory, .. } = self.config;
        let service = self.service;
        let alike = || memory.times(Part::of(arrivals.min(service), arrivals.max(service)));
        match rule {
            NuRule::Constant => memory,
            NuRule::Available if arrivals > service => {
                let grantable = Part::of(self.available.less(service), arrivals.less(service));
                alike().rest().times(grantable).rest()
            }
            NuRule::Service | NuRule::Available => alike(),
        }
    }

    /// R_i of the last unit that has ended.
    pub fn smoothed(&self) -> SlotRate {
        self.smoothed
    }

    /// The mean over the units since this was last called; `None` if none has ended.
    pub fn take_mean(&mut self) -> Option<SlotRate> {
        let mean = self.sum.checked_div(u128::from(self.units))?;
        (self.sum, self.units) = (0, 0);
        Some(SlotRate::from_count(mean as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: u64 = 50_000_000_000;

    fn estimate(memory: f64) -> Estimate {
        by(NuRule::Constant, memory)
    }

    fn by(rule: NuRule, memory: f64) -> Estimate {
        let config = EstimateConfig { unit: UNIT, rule, memory: Part::nearest(memory), drain: UNIT };
        Estimate::new(config, SlotRate::of(1000, UNIT))
    }

    /// R after a unit, in slots a unit, from R = 1000 and nu = 1/2 with this service rate and available capacity;
    /// nothing waits.
    fn after(rule: NuRule, arrivals: u64, service: u64, available: u64) -> f64 {
        let mut estimate = by(rule, 0.5);
        estimate.set_service(SlotRate::of(service, UNIT), SlotRate::of(available, UNIT));
        estimate.handle_arrival(arrivals);
        estimate.handle_timeout(UNIT, 0);
        estimate.smoothed().count() as f64 / SlotRate::of(1, UNIT).count() as f64
    }

    /// ν = 1/2, R = 1000 slots a unit, U = 400, B = 200, τ = one unit: 500 + (400 + 200)/2 = 800; then U = B = 0: 400.
    #[test]
    fn a_unit_moves_the_average_as_equation_1_says() {
        let mut estimate = estimate(0.5);
        estimate.handle_arrival(400);
        estimate.handle_timeout(UNIT, 200);
        assert_eq!(estimate.take_mean(), Some(SlotRate::of(800, UNIT)));
        estimate.handle_timeout(2 * UNIT, 0);
        assert_eq!(estimate.take_mean(), Some(SlotRate::of(400, UNIT)));
        assert_eq!(estimate.take_mean(), None);
    }

    /// U = 400 and S = 800 (or 400 of 200): ν = 1/2 · 1/2, R = 250 + 300. U = S: ν = 1/2, R = 500 + 200. S = 0: ν = 0,
    /// R = U.
    #[test]
    fn the_past_counts_less_the_further_arrivals_and_service_lie_apart() {
        let rows = [(400, 800, 550.0), (400, 200, 550.0), (400, 400, 700.0), (400, 0, 400.0), (0, 800, 0.0)];
        for (arrivals, service, expected) in rows {
            for rule in [NuRule::Service, NuRule::Available] {
                let found = after(rule, arrivals, service, 100_000);
                assert!((found - expected).abs() < 0.01, "{rule:?}: {found} for {arrivals} and {service}");
            }
        }
        assert_eq!(after(NuRule::Constant, 400, 800, 0), 700.0);
    }

    /// U = 400 and S = 200: 1 − ν would be 3/4. Of 200 more the network has 100 with A = 300: 1 − ν = 3/8, R = 625 +
    /// 150. With A = S nothing moves. Less than S is always to be had: A = 200 does not matter to U = 100.
    #[test]
    fn what_the_network_cannot_grant_does_not_move_the_average() {
        let after = |arrivals, available| after(NuRule::Available, arrivals, 200, available);
        let rows = [(400, 300, 775.0), (400, 400, 550.0), (400, 200, 1000.0), (400, 100, 1000.0), (100, 200, 325.0)];
        for (arrivals, available, expected) in rows {
            let found = after(arrivals, available);
            assert!((found - expected).abs() < 0.01, "{found} for {arrivals} and {available}");
        }
    }

    proptest::proptest! {
        /// ν lies between 0 and 1 by every rule: R ends between R and U.
        #[test]
        fn the_average_never_passes_what_is_measured(
            rule in proptest::sample::select(vec![NuRule::Constant, NuRule::Service, NuRule::Available]),
            arrivals in 0u64..5000, service in 0u64..5000, available in 0u64..5000,
        ) {
            let found = after(rule, arrivals, service, available);
            let (low, high) = (arrivals.min(1000) as f64, arrivals.max(1000) as f64);
            proptest::prop_assert!(found > low - 0.01 && found < high + 0.01, "{}", found);
        }
    }

    /// Without memory the average is what came: the mean of 100, 0 and 200 slots a unit is 100.
    #[test]
    fn what_is_asked_for_is_the_mean_since_the_last_time() {
        let mut estimate = estimate(0.0);
        for (unit, slots) in [(1, 100), (2, 0), (3, 200)] {
            estimate.handle_arrival(slots);
            estimate.handle_timeout(unit * UNIT, 0);
        }
        assert_eq!(estimate.take_mean(), Some(SlotRate::of(100, UNIT)));
    }
}
