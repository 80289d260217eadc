//! What an edge node asks for in the next frame, from the slots' worth of data that arrived in past ones.
//!
//! Paper 003 requests what arrived in the last frame. A schedule computed in frame f holds in f + 1, so a request is at least
//! a frame old when it is served; smoothing trades that age against less noise. What waits from before is added by the
//! caller, who knows the queues.

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
}

/// The demand between one pair of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    forecast: Forecast,
    /// Slots, with `FRACTION_BITS`.
    level: u64,
}

const FRACTION_BITS: u32 = 16;
const LARGEST_SHIFT: u8 = 16;

impl Demand {
    /// Nothing has arrived yet.
    pub fn new(forecast: Forecast) -> Demand {
        Demand { forecast, level: 0 }
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
        };
    }

    /// The request for the next frame, in slots.
    pub fn request(&self) -> u32 {
        let slots = self.level.div_ceil(1 << FRACTION_BITS);
        // A mean of 32-bit numbers, rounded up, is one.
        u32::try_from(slots).unwrap_or(u32::MAX)
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

    #[test]
    fn any_arrival_is_a_request_in_range() {
        for shift in [0, 1, 16, 255] {
            let asked = requests(Forecast::Smoothed { shift }, &[u32::MAX; 100]);
            assert!(asked.windows(2).all(|pair| pair[0] <= pair[1]));
        }
        assert_eq!(requests(Forecast::Smoothed { shift: 0 }, &[u32::MAX, 1]), [u32::MAX, 1]);
    }
}
