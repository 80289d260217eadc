//! The rate at which an edge node asks to send to another one (DLCC, Lu and Hunter 2009, §II, eq. (1)).
//!
//! Time is cut into units. U_i is the rate at which slots came into the buffer in unit i, B what the buffer holds at its end, and
//! R_{i+1} = ν·R_i + (1 − ν)·(U_i + B/τ). What is asked for is the mean of the R_i since it was last asked.

use super::rate::{Part, SlotRate};

/// The parameters of eq. (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateConfig {
    /// A unit, in picoseconds.
    pub unit: u64,
    /// ν.
    pub memory: Part,
    /// τ, in picoseconds.
    pub drain: u64,
}

/// The moving average of what comes.
#[derive(Clone, Debug)]
pub struct Estimate {
    config: EstimateConfig,
    smoothed: SlotRate,
    arrived: u64,
    sum: u128,
    units: u64,
    next: u64,
}

impl Estimate {
    /// An average that begins with a rate.
    pub fn new(config: EstimateConfig, first: SlotRate) -> Estimate {
        Estimate { config, smoothed: first, arrived: 0, sum: 0, units: 0, next: config.unit }
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
            let EstimateConfig { unit, memory, drain } = self.config;
            let measured = SlotRate::of(self.arrived, unit).plus(SlotRate::of(backlog, drain));
            self.smoothed = self.smoothed.part(memory).plus(measured.part(memory.rest()));
            self.arrived = 0;
            self.sum += u128::from(self.smoothed.count());
            self.units += 1;
            self.next += unit;
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
        let config = EstimateConfig { unit: UNIT, memory: Part::nearest(memory), drain: UNIT };
        Estimate::new(config, SlotRate::of(1000, UNIT))
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
