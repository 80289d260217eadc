//! A frame of equal slots, and what slots of it are worth: paper 003 (4.1).

use units::{Duration, Rate};

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Slots in a frame; at least one.
    pub slots: u32,
    /// How long a slot lasts.
    pub slot: Duration,
}

impl Frame {
    /// How long the frame lasts.
    pub fn duration(&self) -> Duration {
        self.slot.saturating_mul(u64::from(self.slots))
    }

    /// The rate of `granted` slots of every frame on a fibre of this capacity, rounded down: N_s·C·T_s/T_f, (4.1). More
    /// slots than the frame has are all of them.
    pub fn rate(&self, capacity: Rate, granted: u32) -> Rate {
        let bps = u128::from(capacity.bps()) * u128::from(granted.min(self.slots)) / u128::from(self.slots.max(1));
        // At most the capacity, which has 64 bits.
        Rate::from_bps(bps as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_of_eighteen_slots_of_45_mbps_are_30_mbps() {
        // Paper 003, §4.2: slots of 200 µs, frames of 3.6 ms.
        let frame = Frame { slots: 18, slot: Duration::from_micros(200) };
        assert_eq!(frame.duration(), Duration::from_micros(3600));
        assert_eq!(frame.rate(Rate::from_mbps(45), 12), Rate::from_mbps(30));
        assert_eq!(frame.rate(Rate::from_mbps(45), 99), Rate::from_mbps(45));
        assert_eq!(frame.rate(Rate::from_mbps(45), 0), Rate::from_bps(0));
    }
}
