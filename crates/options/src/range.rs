//! Where a number may lie.

use std::fmt;

/// An interval of numbers; an end may belong to it or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    with_low: bool,
    with_high: bool,
}

impl Range {
    /// From `low` on.
    pub const fn from(low: f64) -> Range {
        Range { low, high: f64::INFINITY, with_low: true, with_high: false }
    }

    /// From `low` to `high`, both allowed.
    pub const fn closed(low: f64, high: f64) -> Range {
        Range { low, high, with_low: true, with_high: true }
    }

    /// Between `low` and `high`, neither allowed.
    pub const fn between(low: f64, high: f64) -> Range {
        Range { low, high, with_low: false, with_high: false }
    }

    /// Above `low`, at most `high`.
    pub const fn above(low: f64, high: f64) -> Range {
        Range { low, high, with_low: false, with_high: true }
    }

    /// From `low` on, below `high`.
    pub const fn below(low: f64, high: f64) -> Range {
        Range { low, high, with_low: true, with_high: false }
    }

    /// The lower end, and whether it belongs to the range.
    pub const fn low(&self) -> (f64, bool) {
        (self.low, self.with_low)
    }

    /// The upper end, and whether it belongs to the range.
    pub const fn high(&self) -> (f64, bool) {
        (self.high, self.with_high)
    }

    /// Whether the number lies here; NaN never does.
    pub fn contains(&self, number: f64) -> bool {
        let above = number > self.low || self.with_low && number == self.low;
        above && (number < self.high || self.with_high && number == self.high)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { low, high, with_low, with_high } = self;
        match (with_low, with_high) {
            (true, true) => return write!(f, "from {low} to {high}"),
            (true, false) => write!(f, "at least {low}")?,
            (false, _) => write!(f, "above {low}")?,
        }
        match with_high {
            _ if *high == f64::INFINITY => Ok(()),
            true => write!(f, " and at most {high}"),
            false => write!(f, " and below {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_says_which_of_its_ends_belong_to_it() {
        let cases = [
            (Range::from(1.0), "at least 1", true, true),
            (Range::closed(0.0, 1.0), "from 0 to 1", true, true),
            (Range::between(0.0, 1.0), "above 0 and below 1", false, false),
            (Range::above(0.0, 1.0), "above 0 and at most 1", false, true),
            (Range::below(0.0, 1.0), "at least 0 and below 1", true, false),
        ];
        for (range, words, low, high) in cases {
            assert_eq!(range.to_string(), words);
            assert_eq!((range.contains(range.low), range.contains(1.0)), (low, high), "{words}");
            assert!(!range.contains(f64::NAN) && !range.contains(-1.0));
        }
    }
}
