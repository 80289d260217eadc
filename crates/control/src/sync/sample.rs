//! One measurement of T_d.

use units::Instant;

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When, by the sender's clock.
    pub at: Instant,
    /// The other clock less this one, in picoseconds.
    pub difference: i64,
    /// The time there and back, in picoseconds, where both ways were stamped: what it has above the shortest one bounds
    /// the error.
    pub round_trip: Option<u64>,
}

impl Sample {
    /// T_d from one slot: (3.3). Delays only lengthen it.
    pub fn one_way(sent: Instant, received: Instant) -> Sample {
        Sample { at: sent, difference: difference(received, sent), round_trip: None }
    }

    /// The clock difference from an exchange that leaves here, arrives there, leaves there and arrives here: half of
    /// what the two ways differ by. Right where both ways take equally long.
    pub fn two_way(sent: Instant, there: Instant, back: Instant, received: Instant) -> Sample {
        let (forth, home) = (difference(there, sent), difference(back, received));
        let mean = (i128::from(forth) + i128::from(home)).div_euclid(2);
        let trip = i128::from(difference(received, sent)) - i128::from(difference(back, there));
        Sample {
            at: sent,
            difference: mean as i64, // the mean of two numbers of 64 bits has 64 bits
            round_trip: Some(trip.clamp(0, i128::from(u64::MAX)) as u64),
        }
    }
}

/// `later` less `earlier`, of two clocks; the extreme where 64 bits do not hold it.
pub(crate) fn difference(later: Instant, earlier: Instant) -> i64 {
    let wide = i128::from(later.ps()) - i128::from(earlier.ps());
    wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Instant {
        Instant::from_ps(ps)
    }

    #[test]
    fn one_way_is_clock_difference_plus_delay() {
        // The other clock is 1000 behind, the fibre has 300: sent at 5000 (there 4000), it arrives there at 4300.
        assert_eq!(Sample::one_way(at(5000), at(4300)).difference, -700);
        assert_eq!(Sample::one_way(at(u64::MAX), at(0)).difference, i64::MIN);
    }

    #[test]
    fn two_ways_give_the_clock_difference_alone() {
        // As above, and back after 50 there: sent at 4350 (here 5350), here at 5650.
        let sample = Sample::two_way(at(5000), at(4300), at(4350), at(5650));
        assert_eq!((sample.difference, sample.round_trip), (-1000, Some(600)));
    }
}
