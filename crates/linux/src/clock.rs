//! The clock of a node, as a model: processes of one machine share one real clock, so a node's is that with an offset
//! and a drift. The truth about any two nodes is therefore known.

use crate::sys::time::{self, Nanos};
use units::Instant;

/// A modelled clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeClock {
    /// What it shows at `base`, in picoseconds.
    offset: i128,
    /// How much faster than the real clock it runs, in 1e-9.
    ppb: i128,
    base: Nanos,
}

/// Readings have 64 bits of picoseconds: they count from the last multiple of this of the machine's up-time.
const ERA: Nanos = 100 * 86_400 * 1_000_000_000;

impl NodeClock {
    /// A clock that is `offset` ahead and gains `ppm`.
    pub(crate) fn new(offset: units::Duration, ppm: f64) -> NodeClock {
        let now = time::now();
        NodeClock { offset: i128::from(offset.ps()), ppb: (ppm * 1000.0).round() as i128, base: now - now % ERA }
    }

    /// What it shows at a monotonic time.
    pub(crate) fn shows(&self, at: Nanos) -> Instant {
        let since = i128::from(at - self.base) * 1000;
        let shown = self.offset + since + since * self.ppb / 1_000_000_000;
        Instant::from_ps(u64::try_from(shown).unwrap_or(0))
    }

    /// When it shows `local`.
    pub(crate) fn truth(&self, local: Instant) -> Nanos {
        let since = (i128::from(local.ps()) - self.offset) * 1_000_000_000 / (1_000_000_000 + self.ppb);
        self.base + (since / 1000) as Nanos
    }

    /// What it shows now.
    pub(crate) fn now(&self) -> Instant {
        self.shows(time::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    #[test]
    fn a_clock_is_ahead_by_its_offset_and_gains_its_drift() {
        let clock = NodeClock { offset: 3_000_000_000_000, ppb: 37_500, base: 1000 };
        // After 2 s: 3 s ahead and 75 µs.
        assert_eq!(clock.shows(2_000_001_000), Instant::from_ps(5_000_075_000_000));
        assert_eq!(clock.truth(Instant::from_ps(5_000_075_000_000)), 2_000_001_000);
        let other = NodeClock::new(Duration::from_secs(9), -50.0);
        let now = time::now();
        assert!((other.truth(other.shows(now)) - now).abs() <= 1);
    }
}
