//! Slots of several datagrams (paper 003 §2.3.4: a slot is segmented into packets, each with its index).
//!
//! The datagrams of a slot share its light evenly. Each begins when its turn comes, and the last hundredth of its turn
//! is dark, so that clocks that measure T_d a little wrong do not make two of them meet.

use std::num::NonZeroU16;
use units::Duration;

/// Which part of a slot's light a datagram is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPart {
    /// Its number, from 0: the field `piece` of the header.
    number: u16,
    /// How many datagrams share the light.
    of: NonZeroU16,
}

/// One in so many parts of a datagram's turn is dark.
const DARK: u64 = 100;

impl SlotPart {
    /// A slot that is one datagram.
    pub const WHOLE: SlotPart = SlotPart { number: 0, of: NonZeroU16::MIN };
    /// The most datagrams of a slot: with more, what is dark between them is shorter than what clocks may err by.
    pub const MOST: u16 = 64;

    /// Number `number` of `of`; nothing if there is no such part.
    pub fn new(number: u16, of: u16) -> Option<SlotPart> {
        let of = NonZeroU16::new(of)?;
        (number < of.get() && of.get() <= SlotPart::MOST).then_some(SlotPart { number, of })
    }

    /// Its number, from 0.
    pub fn number(self) -> u16 {
        self.number
    }

    /// How many datagrams share the light.
    pub fn of(self) -> u16 {
        self.of.get()
    }

    /// How long after the light of its slot it begins.
    pub fn begins(self, light: Duration) -> Duration {
        light * u64::from(self.number) / u64::from(self.of.get())
    }

    /// How long its own light lasts.
    pub fn lasts(self, light: Duration) -> Duration {
        match self.of.get() {
            1 => light,
            of => (light / u64::from(of)).saturating_sub(light / (u64::from(of) * DARK)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_one_another_and_end_before_the_light_does() {
        let light = Duration::from_micros(800);
        assert_eq!((SlotPart::WHOLE.begins(light), SlotPart::WHOLE.lasts(light)), (Duration::ZERO, light));
        // Four of 200 µs each, the last 2 µs of which are dark.
        let parts: Vec<_> = (0..4).map(|number| SlotPart::new(number, 4).unwrap()).collect();
        let begins: Vec<_> = parts.iter().map(|part| part.begins(light).ps() / 1_000_000).collect();
        assert_eq!(begins, [0, 200, 400, 600]);
        assert!(parts.iter().all(|part| part.lasts(light) == Duration::from_micros(198)));
    }

    #[test]
    fn there_is_no_part_beyond_the_last() {
        assert_eq!(SlotPart::new(4, 4), None);
        assert_eq!(SlotPart::new(0, 0), None);
        assert_eq!(SlotPart::new(0, SlotPart::MOST + 1), None);
        assert_eq!(SlotPart::new(0, 1), Some(SlotPart::WHOLE));
    }
}
