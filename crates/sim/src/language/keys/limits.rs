//! Where a value may lie, and who may use a key.

use super::{Field, Form};
use crate::language::{Fault, Place, Speed, Time, quoted, rate_in_range};
use options::{Kind, Options};
use std::fmt;
use units::Duration;

/// Where a value may lie.
pub(crate) struct Within<T> {
    /// What is allowed, in words.
    pub words: String,
    holds: Box<dyn Fn(&T) -> bool + Send + Sync>,
}

impl<T: Form> Within<T> {
    /// What is allowed, in words, and whether a value is.
    pub fn new(words: impl Into<String>, holds: impl Fn(&T) -> bool + Send + Sync + 'static) -> Within<T> {
        Within { words: words.into(), holds: Box::new(holds) }
    }

    /// The fault of a given value.
    pub fn check(&self, field: &impl Field<Value = T>) -> Result<(), Fault> {
        match (field.value(), field.place()) {
            (Some(value), Some(place)) if !(self.holds)(value) => {
                let message = format!("found {}; allowed: {}", value.form().inline(), self.words);
                Err(Fault::new(place, message))
            }
            _ => Ok(()),
        }
    }
}

/// Gives the fault of a table.
pub(crate) type Check<T> = Box<dyn Fn(&T) -> Result<(), Fault> + Send + Sync>;

/// Where the value of a key of the table `T` may lie.
pub(crate) struct Limits<T> {
    /// What is allowed, in words.
    pub words: Box<dyn Fn() -> String + Send + Sync>,
    /// The fault of a given value.
    pub check: Check<T>,
}

/// A time that is not zero.
pub(crate) fn more_than_zero() -> Within<Time> {
    Within::new("more than zero", |time: &Time| time.0 > Duration::ZERO)
}

/// A time up to another.
pub(crate) fn at_most(most: Duration) -> Within<Time> {
    Within::new(format!("at most \"{most}\""), move |time: &Time| time.0 <= most)
}

/// A probability.
pub(crate) fn a_probability() -> Within<f64> {
    Within::new("a probability from 0 to 1", |value| (0.0..=1.0).contains(value))
}

/// A rate at which a byte lasts a second at most.
pub(crate) fn a_rate() -> Within<Speed> {
    Within::new("8 bps to 1000 Tbps", |speed: &Speed| rate_in_range(speed.0, || Place::Unknown).is_ok())
}

/// A whole number.
pub(crate) fn whole<N: Copy + PartialOrd + fmt::Display + Form + Send + Sync + 'static>(low: N, high: N) -> Within<N> {
    Within::new(format!("{low} to {high}"), move |number| *number >= low && *number <= high)
}

/// A number as a machine declares it.
pub(crate) fn as_declared(options: &dyn Options, name: &str) -> Within<f64> {
    let key = options.find(name).map(|place| options.keys()[place]).expect("the machine declares the key");
    match key.kind {
        Kind::Number(range) => Within::new(range.to_string(), move |number| range.contains(*number)),
        kind => unreachable!("{name} is a number, not {kind:?}"),
    }
}

/// When a key may be used; else it is refused.
pub(crate) struct When<K> {
    /// Whether it may.
    pub holds: fn(&K) -> bool,
    /// Why it may not: "goes with …".
    pub because: &'static str,
}

impl<K> When<K> {
    pub const fn new(holds: fn(&K) -> bool, because: &'static str) -> When<K> {
        When { holds, because }
    }

    /// The fault of a given key.
    pub fn check(&self, keys: &K, name: &str, place: Option<Place>) -> Result<(), Fault> {
        match place {
            Some(place) if !(self.holds)(keys) => {
                Err(Fault::new(place, format!("the key {} {}", quoted(name), self.because)))
            }
            _ => Ok(()),
        }
    }
}

/// A key that only some users have; who they are is for the code that knows another table.
pub(crate) struct Reserved {
    /// The key.
    pub key: &'static str,
    /// Who has it.
    pub user: &'static str,
    /// Where it was given.
    pub given: Option<Place>,
}
