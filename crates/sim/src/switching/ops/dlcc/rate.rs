//! Rates in slots, and parts of a whole, as integers.

/// Picoseconds in which a rate counts its slots: 1000 s.
const SPAN: u128 = 1_000_000_000_000_000;

/// Slots in 1000 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotRate(u64);

impl SlotRate {
    /// None.
    pub const ZERO: SlotRate = SlotRate(0);

    /// A number of slots in a number of picoseconds.
    pub fn of(slots: u64, span: u64) -> SlotRate {
        let rate = u128::from(slots) * SPAN / u128::from(span.max(1));
        SlotRate(u64::try_from(rate).unwrap_or(u64::MAX))
    }

    /// The time from a slot to the next, in picoseconds; `u64::MAX` for none.
    pub fn interval(self) -> u64 {
        if self.0 == 0 { u64::MAX } else { (SPAN / u128::from(self.0)) as u64 }
    }

    /// Slots in 1000 s.
    pub fn count(self) -> u64 {
        self.0
    }

    /// From slots in 1000 s.
    pub fn from_count(count: u64) -> SlotRate {
        SlotRate(count)
    }

    /// The sum.
    pub fn plus(self, other: SlotRate) -> SlotRate {
        SlotRate(self.0.saturating_add(other.0))
    }

    /// The difference, at least nothing.
    pub fn less(self, other: SlotRate) -> SlotRate {
        SlotRate(self.0.saturating_sub(other.0))
    }

    /// A part of it.
    pub fn part(self, part: Part) -> SlotRate {
        SlotRate(((u128::from(self.0) * u128::from(part.0)) >> PART_BITS) as u64)
    }
}

const PART_BITS: u32 = 20;

/// A part of a whole, from nothing to all, in 2⁻²⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part(u32);

impl Part {
    /// The nearest to a number from 0 to 1.
    pub fn nearest(part: f64) -> Part {
        Part((part.clamp(0.0, 1.0) * f64::from(1 << PART_BITS)).round() as u32)
    }

    /// A rate as a part of another one; all of it where it is as high, or where that is nothing.
    pub fn of(rate: SlotRate, whole: SlotRate) -> Part {
        if rate >= whole {
            return Part(1 << PART_BITS);
        }
        Part(((u128::from(rate.0) << PART_BITS) / u128::from(whole.0)) as u32)
    }

    /// A part of a part.
    pub fn times(self, other: Part) -> Part {
        Part(((u64::from(self.0) * u64::from(other.0)) >> PART_BITS) as u32)
    }

    /// What is left of the whole.
    pub fn rest(self) -> Part {
        Part((1 << PART_BITS) - self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 576 B last 83.78 us at 55 Mb/s: 11 936 slots a second.
    #[test]
    fn a_rate_and_its_interval_are_inverse() {
        let slot = 83_781_818;
        let rate = SlotRate::of(1, slot);
        assert_eq!(rate.count() / 1000, 11_935);
        assert!(rate.interval().abs_diff(slot) <= 10, "{}", rate.interval());
        assert_eq!(SlotRate::ZERO.interval(), u64::MAX);
    }

    #[test]
    fn a_rate_is_a_part_of_another_one_and_never_more_than_the_whole() {
        let part = |rate, whole| Part::of(SlotRate(rate), SlotRate(whole));
        assert_eq!([part(1, 4), part(4, 4), part(5, 4), part(0, 0)], [0.25, 1.0, 1.0, 1.0].map(Part::nearest));
        assert_eq!(part(1, 4).times(part(1, 2)), Part::nearest(0.125));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let (rate, part) = (SlotRate(1_000_000), Part::nearest(0.3));
        assert_eq!(rate.part(part).count(), 300_000, "314573 of 2^20 are 0.3 to a millionth");
        assert!(rate.count() - rate.part(part).plus(rate.part(part.rest())).count() <= 1);
    }
}
