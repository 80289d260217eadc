//! Amounts of data.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0);

    /// The number of bytes as a plain integer.
    #[inline]
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The number of bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl Add for Bytes {
    type Output = Bytes;
    #[inline]
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline]
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}

impl fmt::Display for Bytes {
    /// In the largest decimal unit that leaves an integer: `9 kB`, `1500 B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
        match units.into_iter().find(|(size, _)| self.0 != 0 && self.0.is_multiple_of(*size)) {
            Some((size, name)) => write!(f, "{} {name}", self.0 / size),
            None => write!(f, "{} B", self.0),
        }
    }
}
