//! Readings of a clock and the spans between them, in integer picoseconds (`u64`: 213 days).

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Picoseconds in one second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// Up to here a number of picoseconds in floating point can be told from its neighbours by their halves, as a signed
/// integer.
const EXACT: f64 = (1u64 << 62) as f64;

/// A reading of *some node's* clock, in picoseconds since that clock's zero. True time exists only in the simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A span of time in picoseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Instant {
    /// The zero of the clock.
    pub const ZERO: Instant = Instant(0);
    /// Later than any reading.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// The reading `ps` picoseconds after the clock's zero.
    #[inline]
    pub const fn from_ps(ps: u64) -> Instant {
        Instant(ps)
    }

    /// Picoseconds since the clock's zero.
    #[inline]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds since the clock's zero; for reports, never for the state of a run.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// The nearest reading to `seconds`; `None` if that is negative, not finite or beyond the range.
    pub fn from_secs_f64(seconds: f64) -> Option<Instant> {
        Duration::from_secs_f64(seconds).map(|span| Instant(span.ps()))
    }

    /// The span since `earlier`; zero if `earlier` is in fact later.
    #[inline]
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest span.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `ps` picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }

    /// A span of `us` microseconds.
    pub const fn from_micros(us: u64) -> Duration {
        Duration(us * 1_000_000)
    }

    /// A span of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Duration {
        Duration(ms * 1_000_000_000)
    }

    /// A span of `s` seconds.
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s * PS_PER_SECOND)
    }

    /// The nearest span to `seconds`; `None` if that is negative, not finite or beyond the range.
    #[inline]
    pub fn from_secs_f64(seconds: f64) -> Option<Duration> {
        let ps = seconds * PS_PER_SECOND as f64;
        if (0.0..EXACT).contains(&ps) {
            // `round` is a call where the processor need not have an instruction for it.
            let whole = ps as i64;
            return Some(Duration((whole + i64::from(ps - whole as f64 >= 0.5)) as u64));
        }
        let ps = ps.round();
        (ps >= 0.0 && ps < u64::MAX as f64).then_some(Duration(ps as u64))
    }

    /// Picoseconds.
    #[inline]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds, for reports.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// Twice, four times, … without overflow: the longest span where the product does not fit.
    #[inline]
    pub const fn saturating_mul(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }

    /// The difference, zero if `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The distance between two spans.
    #[inline]
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    /// Saturates at [`Instant::NEVER`].
    #[inline]
    fn add(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Instant) -> Duration {
        debug_assert!(earlier.0 <= self.0, "a span runs from the earlier reading to the later");
        Duration(self.0.wrapping_sub(earlier.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, factor: u64) -> Duration {
        self.saturating_mul(factor)
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl fmt::Display for Duration {
    /// In the largest unit that leaves an integer: `1500 us`, `2 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(PS_PER_SECOND, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")];
        let (size, name) = units.into_iter().find(|(size, _)| self.0.is_multiple_of(*size)).unwrap_or((1, "ps"));
        write!(f, "{} {name}", self.0 / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_10_to_the_12_picoseconds() {
        assert_eq!(Duration::from_secs(1).ps(), 1_000_000_000_000);
        assert_eq!(Duration::from_secs_f64(1e-12), Some(Duration::from_ps(1)));
    }

    #[test]
    fn halves_of_a_picosecond_are_rounded_up() {
        // Around every power of two, half a picosecond and the numbers next to it: as `round` does it.
        for power in 0..62 {
            let whole = (1u64 << power) as f64;
            for ps in [whole - 0.5, whole, whole + 0.5, whole * 1.37] {
                for ps in [ps.next_down(), ps, ps.next_up()] {
                    let seconds = ps / PS_PER_SECOND as f64;
                    let rounded = (seconds * PS_PER_SECOND as f64).round() as u64;
                    assert_eq!(Duration::from_secs_f64(seconds), Some(Duration(rounded)), "{ps}");
                }
            }
        }
        assert_eq!(Duration::from_secs_f64(-0.0), Some(Duration::ZERO));
    }

    #[test]
    fn spans_that_are_not_numbers_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1e-9, 3e7] {
            assert_eq!(Duration::from_secs_f64(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_span_is_written_in_its_largest_whole_unit() {
        assert_eq!(Duration::from_micros(1500).to_string(), "1500 us");
        assert_eq!(Duration::from_secs(2).to_string(), "2 s");
        assert_eq!(Duration::ZERO.to_string(), "0 s");
    }
}
