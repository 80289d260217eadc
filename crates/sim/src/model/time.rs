//! True time, which exists only in the simulator.

use std::ops::{Add, Sub};
use units::{Duration, Instant};

/// A point of true simulated time in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: SimTime = SimTime(0);
    /// Later than any event.
    pub const NEVER: SimTime = SimTime(u64::MAX);

    /// The point `ps` picoseconds after the start.
    #[inline]
    pub const fn from_ps(ps: u64) -> SimTime {
        SimTime(ps)
    }

    /// Picoseconds since the start.
    #[inline]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for reports.
    pub fn as_secs_f64(self) -> f64 {
        Duration::from_ps(self.0).as_secs_f64()
    }

    /// What a perfect clock that started with the run reads now. End hosts are given this.
    #[inline]
    pub const fn on_ideal_clock(self) -> Instant {
        Instant::from_ps(self.0)
    }

    /// The span since `earlier`, zero if that is in fact later.
    #[inline]
    pub const fn saturating_since(self, earlier: SimTime) -> Duration {
        Duration::from_ps(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for SimTime {
    type Output = SimTime;
    /// Saturates at [`SimTime::NEVER`].
    #[inline]
    fn add(self, span: Duration) -> SimTime {
        SimTime(self.0.saturating_add(span.ps()))
    }
}

impl Sub<SimTime> for SimTime {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: SimTime) -> Duration {
        debug_assert!(earlier.0 <= self.0, "a span runs from the earlier time to the later");
        Duration::from_ps(self.0.wrapping_sub(earlier.0))
    }
}
