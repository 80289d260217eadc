//! Quantities as users write them: a number and a unit, `"10 Gbps"`, `"0.1 ms"`, `"9 kB"`, `"20 packets"`, `"1100 km"`.
//!
//! Prefixes are decimal (kB = 1000 B); `KiB`, `MiB`, `GiB` are binary. The number is read as decimal digits and scaled
//! in integers, so `"0.1 ms"` is exactly 100 000 000 ps; what lies between two steps of the resolution goes to the
//! nearer, and a positive number that would become zero is refused.

use crate::{Bytes, Duration, Rate};
use std::fmt;

/// Why a text is not the quantity it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The text has no number in front, or the number is not a plain finite decimal.
    NotANumber,
    /// The number has no unit behind it; the allowed ones are named.
    MissingUnit(&'static [&'static str]),
    /// The unit is not one of those allowed here.
    UnknownUnit(String, &'static [&'static str]),
    /// The number is negative.
    Negative,
    /// The number does not fit the range of the type.
    TooLarge,
    /// The number is positive but less than half of the resolution (a picosecond, a bit per second, a byte).
    TooFine,
    /// Bandwidth-delay products beyond their range.
    NoProducts,
    /// Bandwidth-delay products where the round trip has to be said.
    MissingRoundTrip,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuantityError::NotANumber => write!(f, "not a number with a unit"),
            QuantityError::MissingUnit(units) => write!(f, "the unit is missing; allowed: {}", units.join(", ")),
            QuantityError::UnknownUnit(unit, units) => {
                write!(f, "unknown unit '{unit}'; allowed: {}", units.join(", "))
            }
            QuantityError::Negative => write!(f, "must not be negative"),
            QuantityError::TooLarge => write!(f, "too large"),
            QuantityError::TooFine => write!(f, "finer than the resolution"),
            QuantityError::NoProducts => write!(f, "allowed: 0.000001 BDP to 1000000 BDP, or \"0 packets\""),
            QuantityError::MissingRoundTrip => {
                write!(f, "the round trip is missing; allowed here: products that say it, such as \"1 BDP of 40 ms\"")
            }
        }
    }
}

impl std::error::Error for QuantityError {}

/// A length of fibre in whole metres, written in km or m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kilometres {
    /// The length in metres.
    pub metres: u64,
}

/// A buffer as users give it: a number of packets, a number of bytes, or a time at the link's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSize {
    /// Waiting places for packets of any size.
    Packets(u64),
    /// Waiting room in bytes.
    Bytes(Bytes),
    /// Waiting room in transmission time at the link's capacity.
    Time(Duration),
    /// No limit.
    Unlimited,
}

/// A buffer of a link's port as users give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortBuffer {
    /// A size that needs no more than the link.
    Size(BufferSize),
    /// So many bandwidth-delay products; the round trip is that of the traffic.
    Products(Products),
}

/// A number of bandwidth-delay products, in whole millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Products {
    millionths: u64,
}

impl Products {
    /// This share of the time, to the nearest picosecond; `None` beyond the range of times.
    pub fn of(self, round_trip: Duration) -> Option<Duration> {
        let ps = u128::from(round_trip.ps()) * u128::from(self.millionths) + u128::from(MILLION / 2);
        u64::try_from(ps / u128::from(MILLION)).ok().map(Duration::from_ps)
    }
}

impl fmt::Display for Products {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Below 2^53 the shortest decimal number has the same millionths.
        write!(f, "{} BDP", self.millionths as f64 / MILLION as f64)
    }
}

const MILLION: u64 = 1_000_000;
/// The unit of bandwidth-delay products.
const PRODUCT: &str = "BDP";
const TIME: &[&str] = &["ps", "ns", "us", "ms", "s", "min", "h"];
const RATE: &[&str] = &["bps", "kbps", "Mbps", "Gbps", "Tbps", "bit/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"];
const SIZE: &[&str] = &["B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "bytes"];
const LENGTH: &[&str] = &["km", "m"];
const BUFFER: &[&str] =
    &["packets", "packet", "B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "ns", "us", "ms", "s", PRODUCT];

/// Reads a span of time: `"40 us"`, `"0.1 ms"`, `"2 s"`.
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    scaled(text, TIME, |unit| {
        Some(match unit {
            "ps" => 1,
            "ns" => 1_000,
            "us" | "µs" | "μs" => 1_000_000,
            "ms" => 1_000_000_000,
            "s" => 1_000_000_000_000,
            "min" => 60_000_000_000_000,
            "h" => 3_600_000_000_000_000,
            _ => return None,
        })
    })
    .map(Duration::from_ps)
}

/// Reads a bit rate: `"10 Gbps"`, `"155 Mb/s"`.
pub fn parse_rate(text: &str) -> Result<Rate, QuantityError> {
    scaled(text, RATE, |unit| {
        Some(match unit {
            "bps" | "bit/s" | "b/s" => 1,
            "kbps" | "kb/s" | "kbit/s" => 1_000,
            "Mbps" | "Mb/s" | "Mbit/s" => 1_000_000,
            "Gbps" | "Gb/s" | "Gbit/s" => 1_000_000_000,
            "Tbps" | "Tb/s" | "Tbit/s" => 1_000_000_000_000,
            _ => return None,
        })
    })
    .map(Rate::from_bps)
}

/// Reads a size in bytes: `"9 kB"`, `"1500 B"`.
pub fn parse_bytes(text: &str) -> Result<Bytes, QuantityError> {
    scaled(text, SIZE, byte_unit).map(Bytes)
}

/// Reads a length of fibre: `"1100 km"`.
pub fn parse_length(text: &str) -> Result<Kilometres, QuantityError> {
    let metres = scaled(text, LENGTH, |unit| match unit {
        "km" => Some(1_000),
        "m" => Some(1),
        _ => None,
    })?;
    Ok(Kilometres { metres })
}

/// Reads a buffer: `"6 packets"`, `"9 kB"`, `"0.25 s"`, `"1 BDP of 40 ms"` (the same as `"40 ms"`) or `"unlimited"`.
pub fn parse_packets_or_bytes(text: &str) -> Result<BufferSize, QuantityError> {
    match parse_port_buffer(text)? {
        PortBuffer::Size(size) => Ok(size),
        PortBuffer::Products(_) => Err(QuantityError::MissingRoundTrip),
    }
}

/// The same, or `"0.5 BDP"`, of which others know the round trip.
pub fn parse_port_buffer(text: &str) -> Result<PortBuffer, QuantityError> {
    if text.trim() == "unlimited" {
        return Ok(PortBuffer::Size(BufferSize::Unlimited));
    }
    let (number, unit) = split(text)?;
    let Some(rest) = unit.strip_prefix(PRODUCT) else { return sized(text, unit).map(PortBuffer::Size) };
    let products = products(number)?;
    match rest.trim_start().strip_prefix("of ") {
        Some(round_trip) => {
            let span = products.of(parse_duration(round_trip)?).ok_or(QuantityError::TooLarge)?;
            Ok(PortBuffer::Size(BufferSize::Time(span)))
        }
        None if rest.is_empty() => Ok(PortBuffer::Products(products)),
        None => Err(QuantityError::UnknownUnit(unit.to_owned(), BUFFER)),
    }
}

fn products(number: &str) -> Result<Products, QuantityError> {
    match Decimal::read(number)?.times(MILLION) {
        Ok(millionths) if (1..=MILLION * MILLION).contains(&millionths) => Ok(Products { millionths }),
        _ => Err(QuantityError::NoProducts),
    }
}

fn sized(text: &str, unit: &str) -> Result<BufferSize, QuantityError> {
    match unit {
        "packets" | "packet" => scaled(text, BUFFER, |_| Some(1)).map(BufferSize::Packets),
        "ps" | "ns" | "us" | "µs" | "ms" | "s" | "min" => parse_duration(text).map(BufferSize::Time),
        _ => scaled(text, BUFFER, byte_unit).map(|bytes| BufferSize::Bytes(Bytes(bytes))),
    }
}

fn byte_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "B" | "byte" | "bytes" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    })
}

/// `number × scale(unit)` in exact integer arithmetic.
fn scaled(
    text: &str,
    allowed: &'static [&'static str],
    scale: impl Fn(&str) -> Option<u64>,
) -> Result<u64, QuantityError> {
    let (number, unit) = split(text)?;
    let decimal = Decimal::read(number)?;
    if unit.is_empty() {
        return Err(QuantityError::MissingUnit(allowed));
    }
    let scale = scale(unit).ok_or_else(|| QuantityError::UnknownUnit(unit.to_owned(), allowed))?;
    decimal.times(scale)
}

/// Cuts `"10 Gbps"` into the number and the unit.
fn split(text: &str) -> Result<(&str, &str), QuantityError> {
    let text = text.trim();
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_');
    let mut end = text.find(|c: char| !numeric(c)).unwrap_or(text.len());
    // An exponent such as in 1e9 belongs to the number.
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let digits = rest.find(|c: char| !numeric(c)).unwrap_or(rest.len());
        if rest[..digits].ends_with(|c: char| c.is_ascii_digit()) {
            end += 1 + digits;
        }
    }
    if end == 0 {
        return Err(QuantityError::NotANumber);
    }
    Ok((&text[..end], text[end..].trim_start()))
}

/// A non-negative decimal number as `digits × 10^exponent`.
struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    fn read(text: &str) -> Result<Decimal, QuantityError> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| QuantityError::NotANumber)?),
            None => (text, 0),
        };
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (mut digits, mut fraction, mut seen_point, mut seen_digit) = (0u128, 0i32, false, false);
        for c in mantissa.chars() {
            match c {
                '0'..='9' => {
                    digits = digits.checked_mul(10).ok_or(QuantityError::TooLarge)? + u128::from(c as u8 - b'0');
                    fraction += i32::from(seen_point);
                    seen_digit = true;
                }
                '.' if !seen_point => seen_point = true,
                '_' if seen_digit => {}
                _ => return Err(QuantityError::NotANumber),
            }
            if digits > u128::MAX / 1000 {
                return Err(QuantityError::TooLarge);
            }
        }
        if !seen_digit {
            return Err(QuantityError::NotANumber);
        }
        if negative && digits != 0 {
            return Err(QuantityError::Negative);
        }
        Ok(Decimal { digits, exponent: exponent.checked_sub(fraction).ok_or(QuantityError::TooLarge)? })
    }

    fn times(self, scale: u64) -> Result<u64, QuantityError> {
        let mut product = self.digits.checked_mul(u128::from(scale)).ok_or(QuantityError::TooLarge)?;
        if product == 0 {
            return Ok(0);
        }
        for _ in 0..self.exponent.min(40) {
            product = product.checked_mul(10).ok_or(QuantityError::TooLarge)?;
        }
        if self.exponent < 0 {
            let divisor = 10u128.checked_pow(self.exponent.unsigned_abs()).ok_or(QuantityError::TooFine)?;
            product = product / divisor + u128::from(product % divisor >= divisor.div_ceil(2));
        }
        if product == 0 {
            return Err(QuantityError::TooFine);
        }
        u64::try_from(product).map_err(|_| QuantityError::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(parse_duration("0.1 ms"), Ok(Duration::from_micros(100)));
        assert_eq!(parse_duration("40us"), Ok(Duration::from_micros(40)));
        assert_eq!(parse_rate("10 Gbps"), Ok(Rate::from_gbps(10)));
        assert_eq!(parse_rate("2.5 Gb/s"), Ok(Rate::from_mbps(2500)));
        assert_eq!(parse_rate("1e9 bps"), Ok(Rate::from_gbps(1)));
        assert_eq!(parse_bytes("9 kB"), Ok(Bytes(9000)));
        assert_eq!(parse_bytes("1.5 kB"), Ok(Bytes(1500)));
        assert_eq!(parse_length("1100 km"), Ok(Kilometres { metres: 1_100_000 }));
    }

    #[test]
    fn a_buffer_is_packets_bytes_or_time() {
        assert_eq!(parse_packets_or_bytes("20 packets"), Ok(BufferSize::Packets(20)));
        assert_eq!(parse_packets_or_bytes("9 kB"), Ok(BufferSize::Bytes(Bytes(9000))));
        assert_eq!(parse_packets_or_bytes("0.25 s"), Ok(BufferSize::Time(Duration::from_millis(250))));
        assert_eq!(parse_packets_or_bytes("unlimited"), Ok(BufferSize::Unlimited));
    }

    #[test]
    fn a_buffer_may_be_bandwidth_delay_products() {
        // 0.5 × 40 ms = 20 ms at the link's capacity.
        assert_eq!(parse_packets_or_bytes("0.5 BDP of 40 ms"), Ok(BufferSize::Time(Duration::from_millis(20))));
        assert_eq!(
            parse_port_buffer("2BDP of 100us"),
            Ok(PortBuffer::Size(BufferSize::Time(Duration::from_micros(200))))
        );
        let Ok(PortBuffer::Products(quarter)) = parse_port_buffer(" 0.25 BDP ") else {
            panic!("no round trip is said")
        };
        assert_eq!(quarter.of(Duration::from_millis(40)), Some(Duration::from_millis(10)));
        assert_eq!(quarter.to_string(), "0.25 BDP");
        assert_eq!(parse_packets_or_bytes("1 BDP"), Err(QuantityError::MissingRoundTrip));
        for beyond in ["0 BDP", "1e-7 BDP", "1000001 BDP", "0 BDP of 1 s", "1e99 BDP of 1 s"] {
            assert_eq!(parse_port_buffer(beyond), Err(QuantityError::NoProducts), "{beyond}");
        }
        assert_eq!(parse_port_buffer("1e6 BDP of 3600 s"), Err(QuantityError::TooLarge));
        assert_eq!(parse_port_buffer("-1 BDP"), Err(QuantityError::Negative));
        assert_eq!(parse_port_buffer("1 BDP of 40"), Err(QuantityError::MissingUnit(TIME)));
        assert_eq!(parse_port_buffer("1 BDP 40 ms"), Err(QuantityError::UnknownUnit("BDP 40 ms".into(), BUFFER)));
    }

    #[test]
    fn what_is_not_a_quantity_says_why() {
        assert_eq!(parse_rate("fast"), Err(QuantityError::NotANumber));
        assert_eq!(parse_rate("NaN Gbps"), Err(QuantityError::NotANumber));
        assert_eq!(parse_rate("10"), Err(QuantityError::MissingUnit(RATE)));
        assert_eq!(parse_rate("10 kB"), Err(QuantityError::UnknownUnit("kB".into(), RATE)));
        assert_eq!(parse_duration("-1 s"), Err(QuantityError::Negative));
        assert_eq!(parse_duration("1e30 s"), Err(QuantityError::TooLarge));
        assert_eq!(parse_rate("0.4 bps"), Err(QuantityError::TooFine));
        assert_eq!(parse_duration("1e2147483647 s"), Err(QuantityError::TooLarge));
        assert_eq!(parse_duration("1e-2147483648 s"), Err(QuantityError::TooFine));
    }
}
