//! The congestion header: draft-falk-xcp-spec-03, 20 bytes between the network and the transport header.
//!
//! | bytes | field | meaning |
//! |---|---|---|
//! | 0 | Protocol | of the header behind this one, as in IP |
//! | 1 | Length | 20 |
//! | 2 | Version, Format | four bits each |
//! | 3 | – | zero, not read |
//! | 4–7 | RTT | the sender's smoothed round-trip time; 0: not known yet |
//! | 8–11 | X | the time between two packets of the flow, RTT/cwnd |
//! | 12–15 | Delta_Throughput | the change the sender wants, cut by routers; bytes per second, signed |
//! | 16–19 | Reverse_Feedback | the change that reached the receiver; bytes per second, signed |
//!
//! All are big-endian. The order of the fields is the draft's; paper 003 figure 4.1 draws X before RTT and
//! Reverse_Feedback before Delta_Throughput. The widths of version and format, their values and the 28 fractional bits
//! of the times are recalled, not read: the draft's text was not to be had.

use std::fmt;
use units::Duration;

/// A time in a header: seconds with 28 fractional bits, from 3.7 ns to 16 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval(u32);

impl Interval {
    pub(super) const FRACTION_BITS: u32 = 28;
    /// A tick in seconds.
    pub(super) const TICK_S: f64 = 1.0 / (1u64 << Interval::FRACTION_BITS) as f64;
    /// No time: in the field RTT "not known yet".
    pub const ZERO: Interval = Interval(0);

    /// `ticks` of 2^-28 s.
    #[inline]
    pub const fn from_ticks(ticks: u32) -> Interval {
        Interval(ticks)
    }

    /// 2^-28 s.
    #[inline]
    pub const fn ticks(self) -> u32 {
        self.0
    }

    /// The nearest that can be written; what is not zero stays so, what is too long becomes the longest.
    #[inline]
    pub fn from_duration(span: Duration) -> Interval {
        // 2^28/10^12 = 2^16/5^12; up to 16 s the product has fewer than 64 bits.
        const STEP: u64 = 244_140_625;
        if span >= Duration::from_secs(16) {
            return Interval(u32::MAX);
        }
        let ticks = ((span.ps() << 16) + STEP / 2) / STEP;
        // Just below 16 s it rounds up to 2^32.
        Interval(u32::try_from(ticks).unwrap_or(u32::MAX).max(u32::from(span > Duration::ZERO)))
    }

    /// In seconds, exactly.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        f64::from(self.0) * Interval::TICK_S
    }
}

/// Which fields of a header mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// All: a data packet.
    Standard,
    /// Only Reverse_Feedback: an ACK. Routers count its bytes and leave it alone.
    Minimal,
}

/// A congestion header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which fields mean something.
    pub format: Format,
    /// The number of the protocol behind the header (6 is TCP).
    pub protocol: u8,
    /// The sender's smoothed round-trip time; zero while it has none.
    pub rtt: Interval,
    /// The time between two packets of the flow.
    pub x: Interval,
    /// The change of throughput wanted by the sender, cut by the routers so far, in bytes per second.
    pub delta_throughput: i32,
    /// The change of throughput that reached the receiver, in bytes per second.
    pub reverse_feedback: i32,
}

impl Header {
    /// Bytes on the wire.
    pub const LEN: usize = 20;
    /// The version written and accepted.
    pub const VERSION: u8 = 2;
    const TCP: u8 = 6;

    /// The header of a data packet of TCP.
    pub const fn data(rtt: Interval, x: Interval, delta_throughput: i32) -> Header {
        Header { format: Format::Standard, protocol: Header::TCP, rtt, x, delta_throughput, reverse_feedback: 0 }
    }

    /// The header of an ACK of TCP.
    pub const fn ack(reverse_feedback: i32) -> Header {
        let (rtt, x) = (Interval::ZERO, Interval::ZERO);
        Header { format: Format::Minimal, protocol: Header::TCP, rtt, x, delta_throughput: 0, reverse_feedback }
    }

    /// The bytes on the wire.
    pub fn encode(&self) -> [u8; Header::LEN] {
        let format = match self.format {
            Format::Standard => 1,
            Format::Minimal => 2,
        };
        let mut bytes = [0; Header::LEN];
        bytes[..4].copy_from_slice(&[self.protocol, Header::LEN as u8, Header::VERSION << 4 | format, 0]);
        bytes[4..8].copy_from_slice(&self.rtt.0.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.x.0.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.delta_throughput.to_be_bytes());
        bytes[16..].copy_from_slice(&self.reverse_feedback.to_be_bytes());
        bytes
    }

    /// Reads the header at the front of `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Header, DecodeError> {
        let Some(bytes) = bytes.first_chunk::<{ Header::LEN }>() else {
            return Err(DecodeError::TooShort { found: bytes.len() });
        };
        if usize::from(bytes[1]) != Header::LEN {
            return Err(DecodeError::Length { found: bytes[1] });
        }
        if bytes[2] >> 4 != Header::VERSION {
            return Err(DecodeError::Version { found: bytes[2] >> 4 });
        }
        let format = match bytes[2] & 15 {
            1 => Format::Standard,
            2 => Format::Minimal,
            found => return Err(DecodeError::Format { found }),
        };
        let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        Ok(Header {
            format,
            protocol: bytes[0],
            rtt: Interval(u32::from_be_bytes(word(4))),
            x: Interval(u32::from_be_bytes(word(8))),
            delta_throughput: i32::from_be_bytes(word(12)),
            reverse_feedback: i32::from_be_bytes(word(16)),
        })
    }
}

/// Why bytes are not a congestion header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer than 20 bytes.
    TooShort {
        /// How many there are.
        found: usize,
    },
    /// The field Length is not 20.
    Length {
        /// The type found.
        found: u8,
    },
    /// A version that this decoder does not know.
    Version {
        /// Which.
        found: u8,
    },
    /// A format that this decoder does not know.
    Format {
        /// Which.
        found: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::TooShort { found } => write!(f, "a congestion header has 20 bytes, here are {found}"),
            DecodeError::Length { found } => write!(f, "the field Length of a congestion header is 20, found {found}"),
            DecodeError::Version { found } => write!(f, "congestion headers of version {found} are unknown; known: 2"),
            DecodeError::Format { found } => {
                write!(f, "congestion headers of format {found} are unknown; known: 1 (standard), 2 (minimal)")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_data_header_has_these_bytes() {
        // 0.1 s · 2^28 = 26 843 545.6 -> 0x0199_999a; 10 ms · 2^28 = 2 684 354.56 -> 0x0028_f5c3; −1000 = 0xffff_fc18.
        let rtt = Interval::from_duration(Duration::from_millis(100));
        let header = Header::data(rtt, Interval::from_duration(Duration::from_millis(10)), -1000);
        let bytes = [
            [6, 20, 0x21, 0],
            [0x01, 0x99, 0x99, 0x9a],
            [0x00, 0x28, 0xf5, 0xc3],
            [0xff, 0xff, 0xfc, 0x18],
            [0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(header.encode().as_slice(), bytes);
        assert_eq!(Header::decode(&bytes), Ok(header));
    }

    #[test]
    fn an_ack_header_has_these_bytes() {
        // Paper 003 §4.2: 600 kb/s = 75 000 B/s = 0x0001_24f8.
        let bytes = [6, 20, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x01, 0x24, 0xf8];
        assert_eq!(Header::ack(75_000).encode(), bytes);
        assert_eq!(Header::decode(&bytes), Ok(Header::ack(75_000)));
    }

    #[test]
    fn what_is_not_a_header_is_refused_with_the_reason() {
        let good = Header::ack(0).encode();
        let with = |at: usize, byte: u8| {
            let mut bytes = good;
            bytes[at] = byte;
            Header::decode(&bytes)
        };
        assert_eq!(Header::decode(&good[..19]), Err(DecodeError::TooShort { found: 19 }));
        assert_eq!(Header::decode(&[]), Err(DecodeError::TooShort { found: 0 }));
        assert_eq!(with(1, 24), Err(DecodeError::Length { found: 24 }));
        assert_eq!(with(2, 0x31), Err(DecodeError::Version { found: 3 }));
        assert_eq!(with(2, 0x20), Err(DecodeError::Format { found: 0 }));
        assert_eq!(with(3, 0xff), Ok(Header::ack(0)), "the unused byte is not read");
    }

    #[test]
    fn times_saturate_and_never_vanish() {
        assert_eq!(Interval::from_duration(Duration::ZERO), Interval::ZERO);
        assert_eq!(Interval::from_duration(Duration::from_ps(1)), Interval(1));
        assert_eq!(Interval::from_duration(Duration::from_secs(1)), Interval(1 << 28));
        assert_eq!(Interval::from_duration(Duration::MAX), Interval(u32::MAX));
        assert_eq!(Interval::from_duration(Duration::from_ps(15_999_999_999_999)), Interval(u32::MAX));
        assert_eq!(Interval(1 << 28).as_secs_f64(), 1.0);
    }

    proptest! {
        #[test]
        fn times_are_rounded_to_the_nearest_tick(ps in 1u64..17_000_000_000_000) {
            let exact = ((u128::from(ps) << 28) + 500_000_000_000) / 1_000_000_000_000;
            let expected = exact.clamp(1, u128::from(u32::MAX)) as u32;
            prop_assert_eq!(Interval::from_duration(Duration::from_ps(ps)), Interval(expected));
        }

        #[test]
        fn any_bytes_are_a_header_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(header) = Header::decode(&bytes) {
                prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
            }
        }

        #[test]
        fn what_is_written_is_read(rtt: u32, x: u32, delta: i32, reverse: i32, protocol: u8, minimal: bool) {
            let format = if minimal { Format::Minimal } else { Format::Standard };
            let (rtt, x) = (Interval(rtt), Interval(x));
            let header = Header { format, protocol, rtt, x, delta_throughput: delta, reverse_feedback: reverse };
            prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
    }
}
