//! Inputs that the models of laws at rest share, and how their tests compare with a hand computation.

use crate::{Kind, Range, Unit};

pub(crate) const fn capacity(default: f64) -> Kind {
    Kind::Number { unit: Unit::BitsPerSecond, default, range: Range::closed(1.0, 1e15) }
}

pub(crate) const fn rtt(default: f64) -> Kind {
    Kind::Number { unit: Unit::Seconds, default, range: Range::closed(1e-9, 1e3) }
}

pub(crate) const fn flows(default: f64) -> Kind {
    Kind::Number { unit: Unit::Named("flows"), default, range: Range::whole(1.0, 1e9) }
}

pub(crate) const fn packet() -> Kind {
    Kind::Number { unit: Unit::Bytes, default: 1500.0, range: Range::closed(1.0, 1e6) }
}

/// Each number found is that of the hand computation beside it.
#[cfg(test)]
pub(crate) fn assert_by_hand(numbers: &[(f64, f64)]) {
    numbers.iter().for_each(|(found, hand)| assert!((found / hand - 1.0).abs() < 1e-12, "{found} {hand}"));
}
