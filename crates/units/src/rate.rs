//! Bit rates, and the time a packet lasts at one.

use crate::{Bytes, Duration, PS_PER_SECOND};
use std::fmt;

/// A bit rate in whole bits per second. Zero is a value (a link that is down); a [`ByteTime`] needs a positive one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps)
    }

    /// `gbps` gigabits per second.
    pub const fn from_gbps(gbps: u64) -> Rate {
        Rate(gbps * 1_000_000_000)
    }

    /// `mbps` megabits per second.
    pub const fn from_mbps(mbps: u64) -> Rate {
        Rate(mbps * 1_000_000)
    }

    /// Bits per second.
    #[inline]
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// The bytes that pass in `span`, rounded down (the buffer of `"0.25 s"` at this rate, a bandwidth-delay product).
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let bytes = u128::from(self.0) * u128::from(span.ps()) / (8 * u128::from(PS_PER_SECOND));
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gbps"), (1_000_000, "Mbps"), (1_000, "kbps")];
        match units.into_iter().find(|(size, _)| self.0 != 0 && self.0.is_multiple_of(*size)) {
            Some((size, name)) => write!(f, "{} {name}", self.0 / size),
            None => write!(f, "{} bps", self.0),
        }
    }
}

/// How long one byte lasts at a rate, as a fixed-point number with 24 fractional bits of a picosecond, so that the
/// transmission time of a packet is one multiplication and is right to the nearest picosecond for every rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteTime(u64);

const FRACTION_BITS: u32 = 24;
const HALF: u64 = 1 << (FRACTION_BITS - 1);

impl ByteTime {
    /// The duration of a byte at `rate`; `None` below 8 bit/s, where a byte lasts longer than a second.
    pub fn at(rate: Rate) -> Option<ByteTime> {
        if rate.bps() < 8 {
            return None;
        }
        let numerator = (8 * u128::from(PS_PER_SECOND)) << FRACTION_BITS;
        let rounded = (numerator + u128::from(rate.bps()) / 2) / u128::from(rate.bps());
        u64::try_from(rounded).ok().map(ByteTime)
    }

    /// The duration of a byte in units of 2^-24 ps.
    pub const fn fixed_point(self) -> u64 {
        self.0
    }

    /// The time `size` bytes last, to the nearest picosecond.
    #[inline]
    pub fn of(self, size: u32) -> Duration {
        // In 64 bits where it fits them, which is nearly always: shifting 128 of them is slow on some processors.
        match self.0.checked_mul(u64::from(size)).and_then(|product| product.checked_add(HALF)) {
            Some(rounded) => Duration::from_ps(rounded >> FRACTION_BITS),
            None => self.of_wide(size),
        }
    }

    /// Whether [`ByteTime::of_packet`] is right: 65 535 times a longer one needs more than 64 bits. (The bound is the
    /// byte time of 477 kb/s.)
    #[inline]
    pub const fn is_short(self) -> bool {
        self.0 < 1 << 48
    }

    /// [`ByteTime::of`] without a look at whether 64 bits are enough: of a byte time that is not
    /// [short](ByteTime::is_short) it may be wrong.
    #[inline]
    pub const fn of_packet(self, size: u16) -> Duration {
        Duration::from_ps(self.0.wrapping_mul(size as u64).wrapping_add(HALF) >> FRACTION_BITS)
    }

    /// The least time that packets of `bytes` together last, however many they are and however their times are rounded:
    /// each has a byte at least, and loses half a picosecond at most.
    pub fn least(self, bytes: Bytes) -> Duration {
        let scaled = u128::from(self.0.saturating_sub(HALF)) * u128::from(bytes.count());
        Duration::from_ps(u64::try_from(scaled >> FRACTION_BITS).unwrap_or(u64::MAX))
    }

    #[cold]
    fn of_wide(self, size: u32) -> Duration {
        let product = u128::from(self.0) * u128::from(size) + u128::from(HALF);
        Duration::from_ps((product >> FRACTION_BITS) as u64)
    }

    /// The bytes that pass in `span`, to the nearest one.
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let scaled = u128::from(span.ps()) << FRACTION_BITS;
        let bytes = (scaled + u128::from(self.0) / 2) / u128::from(self.0);
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_in_the_time_of_some_bytes_are_these() {
        for (rate, bytes) in
            [(Rate::from_gbps(1), 1500), (Rate::from_bps(999_999_937), 12_345), (Rate::from_gbps(400), 3)]
        {
            let byte = ByteTime::at(rate).unwrap();
            assert_eq!(byte.bytes_in(byte.of(bytes)), Bytes(u64::from(bytes)));
        }
    }

    #[test]
    fn a_byte_at_10_gbps_lasts_800_ps() {
        let byte = ByteTime::at(Rate::from_gbps(10)).unwrap();
        assert_eq!(byte.of(1), Duration::from_ps(800));
        assert_eq!(byte.of(1500), Duration::from_ps(1_200_000));
    }

    #[test]
    fn a_rate_without_a_whole_byte_time_is_right_to_the_picosecond() {
        // 576 B at 55 Mb/s: 576 * 8 / 55e6 s = 83.781818… us.
        let byte = ByteTime::at(Rate::from_mbps(55)).unwrap();
        assert_eq!(byte.of(576), Duration::from_ps(83_781_818));
        // 65535 B at 45 Mb/s: 11 650 666 666.67 ps.
        assert_eq!(ByteTime::at(Rate::from_mbps(45)).unwrap().of(65535), Duration::from_ps(11_650_666_667));
    }

    #[test]
    fn a_packet_at_a_rate_that_is_not_too_slow_lasts_as_long_as_its_bytes() {
        for bps in [476_838, 1_000_003, 55_000_000, 999_999_937, 10_000_000_000, 400_000_000_000] {
            let byte = ByteTime::at(Rate::from_bps(bps)).unwrap();
            assert!(byte.is_short());
            for size in [0, 1, 39, 40, 576, 1500, 9000, 40_000, u16::MAX] {
                assert_eq!(byte.of_packet(size), byte.of(u32::from(size)), "{size} bytes at {bps} bit/s");
            }
        }
        // There a packet of 65 535 bytes lasts 1.1 s, and one of 2^40 ps is the longest.
        assert!(!ByteTime::at(Rate::from_bps(476_837)).unwrap().is_short());
    }

    #[test]
    fn packets_last_no_less_than_their_bytes_at_least() {
        // At 14 Tb/s a byte lasts 0.571 ps, and packets of one byte 1 ps each: 100 of them 100 ps. Ten of ten bytes
        // last 6 ps each.
        let byte = ByteTime::at(Rate::from_bps(14_000_000_000_000)).unwrap();
        assert_eq!((byte.of(1).ps(), byte.of(10).ps(), byte.least(Bytes(100)).ps()), (1, 6, 7));
        for bps in [1_000_003, 999_999_937, 400_000_000_000, 7_000_000_000_000, 14_000_000_000_000] {
            let byte = ByteTime::at(Rate::from_bps(bps)).unwrap();
            for size in 1..3000 {
                assert!(byte.least(Bytes(size)).ps() <= byte.of(size as u32).ps(), "{size} bytes at {bps} bit/s");
            }
        }
        assert_eq!(ByteTime::at(Rate::from_bps(9)).unwrap().least(Bytes(u64::MAX)), Duration::from_ps(u64::MAX));
    }

    #[test]
    fn a_dead_rate_has_no_byte_time() {
        assert_eq!(ByteTime::at(Rate::from_bps(0)), None);
        assert!(ByteTime::at(Rate::from_bps(8)).is_some());
    }

    #[test]
    fn the_bandwidth_delay_product_of_1_gbps_and_100_ms_is_12_5_mb() {
        assert_eq!(Rate::from_gbps(1).bytes_in(Duration::from_millis(100)), Bytes(12_500_000));
    }
}
