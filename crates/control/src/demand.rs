//! What an edge node asks for in the next frame, from the slots' worth of data that arrived in past ones.
//!
//! Paper 003 requests what arrived in the last frame. A schedule computed in frame f holds in f + 1, so a request is at
//! least a frame old when it is served; smoothing trades that age against less noise. What waits from before is added
//! by the caller, who knows the queues.

use options::words;

/// How a request follows from what arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// What arrived in the last frame.
    LastFrame,
    /// The exponentially weighted mean, in which the last frame has the weight 1/2^shift; rounded up to whole slots.
    Smoothed {
        /// At most 16.
        shift: u8,
    },
    /// What a rising or falling mean will have become in the next frame: level and trend, each with the weight
    /// 1/2^shift for the last frame (Holt 1957); rounded up, never below zero.
    Predicted {
        /// At most 16.
        shift: u8,
    },
}

/// The demand between one pair of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    forecast: Forecast,
    /// Slots, with `FRACTION_BITS`.
    level: u64,
    /// Its rise in a frame.
    trend: i64,
}

const FRACTION_BITS: u32 = 16;
const LARGEST_SHIFT: u8 = 16;
const LARGEST_LEVEL: i64 = (u32::MAX as i64) << FRACTION_BITS;

impl Demand {
    /// Nothing has arrived yet.
    pub fn new(forecast: Forecast) -> Demand {
        Demand { forecast, level: 0, trend: 0 }
    }

    /// In the frame that ends, data for `slots` slots arrived.
    pub fn observe(&mut self, slots: u32) {
        let arrived = u64::from(slots) << FRACTION_BITS;
        self.level = match self.forecast {
            Forecast::LastFrame => arrived,
            Forecast::Smoothed { shift } => {
                let shift = shift.min(LARGEST_SHIFT);
                self.level - (self.level >> shift) + (arrived >> shift)
            }
            Forecast::Predicted { shift } => self.corrected(arrived, shift.min(LARGEST_SHIFT)),
        };
    }

    /// The level after a frame; the trend follows it. All numbers have at most 50 bits.
    fn corrected(&mut self, arrived: u64, shift: u8) -> u64 {
        let expected = self.level as i64 + self.trend;
        let level = (expected + ((arrived as i64 - expected) >> shift)).clamp(0, LARGEST_LEVEL);
        self.trend += (level - self.level as i64 - self.trend) >> shift;
        level as u64
    }

    /// The request for the next frame, in slots.
    pub fn request(&self) -> u32 {
        let slots = (self.level as i64 + self.trend).clamp(0, LARGEST_LEVEL) as u64;
        let slots = slots.div_ceil(1 << FRACTION_BITS);
        // A mean of 32-bit numbers, rounded up, is one.
        u32::try_from(slots).unwrap_or(u32::MAX)
    }
}

words! {
    /// How a master reads a request.
    pub enum Reading {
        /// As slots that wait: they are granted once.
        Backlog = "backlog",
        /// As a rate: so many slots of every frame, until the next request.
        Rate = "rate",
    }
}

/// Slots that are wanted in a request, those that were granted and have not begun among them: what waits, and at least
/// what comes in the `frames` until its grants have left, `coming` in each. Where the master reads a rate, it is that,
/// and at least what waits in as many parts.
pub fn wanted(waiting: u32, coming: u32, frames: u32, reading: Reading) -> u32 {
    match reading {
        Reading::Backlog => waiting.max(coming.saturating_mul(frames)),
        Reading::Rate => coming.max(waiting.div_ceil(frames.max(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(forecast: Forecast, arrivals: &[u32]) -> Vec<u32> {
        let mut demand = Demand::new(forecast);
        let request = |slots: &u32| {
            demand.observe(*slots);
            demand.request()
        };
        arrivals.iter().map(request).collect()
    }

    #[test]
    fn the_last_frames_demand_is_requested() {
        assert_eq!(requests(Forecast::LastFrame, &[3, 0, 7]), [3, 0, 7]);
    }

    #[test]
    fn a_mean_of_weight_one_half_halves_the_distance() {
        // 4, 6, 7, 7.5 after 8, 8, 8, 8; then 3.75, 1.875.
        assert_eq!(requests(Forecast::Smoothed { shift: 1 }, &[8, 8, 8, 8, 0, 0]), [4, 6, 7, 8, 4, 2]);
    }

    /// By hand, weights of one half. Level and trend after 8: 0 + 8/2 = 4, (4 − 0)/2 = 2; expected 6, 8 comes: 7, 2 +
    /// (3 − 2)/2 = 2.5; expected 9.5, 8 comes: 8.75, 2.5 + (1.75 − 2.5)/2 = 2.125: 10.875 is asked for.
    #[test]
    fn a_trend_is_continued_and_levels_off() {
        assert_eq!(requests(Forecast::Predicted { shift: 1 }, &[8, 8, 8]), [6, 10, 11]);
        let steady = requests(Forecast::Predicted { shift: 2 }, &[8; 200]);
        assert_eq!(steady[199], 8);
        // 3 more in every frame: the next frame's demand is asked for, where a mean lags behind.
        let rising: Vec<u32> = (0..200).map(|frame| 3 * frame).collect();
        let asked = requests(Forecast::Predicted { shift: 2 }, &rising);
        assert!(asked[199].abs_diff(3 * 200) <= 1, "{}", asked[199]);
        assert!(requests(Forecast::Smoothed { shift: 2 }, &rising)[199] < 3 * 199);
    }

    #[test]
    fn any_arrival_is_a_request_in_range() {
        for shift in [0, 1, 16, 255] {
            let asked = requests(Forecast::Smoothed { shift }, &[u32::MAX; 100]);
            assert!(asked.windows(2).all(|pair| pair[0] <= pair[1]));
        }
        assert_eq!(requests(Forecast::Smoothed { shift: 0 }, &[u32::MAX, 1]), [u32::MAX, 1]);
        for shift in [0, 1, 16, 255] {
            requests(Forecast::Predicted { shift }, &[u32::MAX, 0, u32::MAX, u32::MAX, 0, 0, 0, 1]);
        }
    }
}
