//! Quantities with units, as texts in quotes.

use super::{nearest_unit, quoted};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;
use units::{BufferSize, Bytes, Duration, Kilometres, PortBuffer, QuantityError, Rate};

/// Reads a text with `parse` and says what was found when it is not what it should be.
struct Quantity<T> {
    parse: fn(&str) -> Result<T, QuantityError>,
    allowed: &'static str,
}

impl<T> Visitor<'_> for Quantity<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.allowed)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).map_err(|why| {
            let hint = match &why {
                QuantityError::UnknownUnit(unit, allowed) => match nearest_unit(unit, allowed.iter().copied()) {
                    Some(near) => format!("; did you mean \"{near}\"?"),
                    None => String::new(),
                },
                QuantityError::MissingUnit(_) | QuantityError::MissingRoundTrip | QuantityError::NoProducts => {
                    String::new()
                }
                _ => format!("; allowed: {}", self.allowed),
            };
            E::custom(format!("found {}: {why}{hint}", quoted(text)))
        })
    }
}

/// A number with one of these units, or one of these words, as a regular expression: what an editor can check.
fn pattern(units: &str, words: &str) -> String {
    let number = r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?";
    let or = if words.is_empty() { "" } else { "|" };
    format!(r"^\s*(?:{number}\s*(?:{units}){or}{words})\s*$")
}

macro_rules! quantity {
    ($(
        #[$doc:meta] $name:ident($inner:ty) = $parse:path,
        $example:literal, $description:literal, $units:literal, $words:literal;
    )*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let allowed = concat!($description, " in quotes, such as \"", $example, "\"");
                deserializer.deserialize_any(Quantity { parse: $parse, allowed }).map($name)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                false
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "description": $description,
                    "examples": [$example],
                    "pattern": pattern($units, $words),
                })
            }
        }
    )*};
}

quantity! {
    /// A span of time.
    Time(Duration) = units::parse_duration, "0.1 ms", "a time with a unit (ps, ns, us, ms, s, min, h)",
        "ps|ns|us|µs|μs|ms|s|min|h", "";
    /// A bit rate.
    Speed(Rate) = units::parse_rate, "10 Gbps", "a bit rate with a unit (bps, kbps, Mbps, Gbps, Tbps, or Mb/s …)",
        "[kMGT]?(?:bps|b/s|bit/s)", "";
    /// An amount of data.
    Size(Bytes) = units::parse_bytes, "1500 B", "a size with a unit (B, kB, MB, GB, KiB, MiB, GiB)",
        "B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB", "";
    /// A length of fibre.
    Length(Kilometres) = units::parse_length, "1100 km", "a length with a unit (km, m)", "km|m", "";
    /// Waiting room of an output port.
    Room(BufferSize) = units::parse_packets_or_bytes, "20 packets",
        "a buffer: packets, bytes, time at the link's capacity, products such as \"1 BDP of 40 ms\", or \"unlimited\"",
        "packets|packet|B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB|ps|ns|us|µs|ms|s|min|BDP\\s*of\\s.*", "unlimited";
    /// Waiting room of a link's port, where the traffic may say the round trip.
    PortRoom(PortBuffer) = units::parse_port_buffer, "20 packets",
        "a buffer: packets, bytes, time at the link's capacity, products such as \"1 BDP\" or \"1 BDP of 40 ms\", or \
         \"unlimited\"",
        "packets|packet|B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB|ps|ns|us|µs|ms|s|min|BDP(?:\\s*of\\s.*)?", "unlimited";
    /// A window.
    Window(BufferSize) = parse_window, "20 packets", "a window: packets of one segment each, bytes, or \"unlimited\"",
        "packets|packet|B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB", "unlimited";
}

fn parse_window(text: &str) -> Result<BufferSize, QuantityError> {
    const UNITS: &[&str] = &["packets", "B", "kB", "MB", "GB", "KiB", "MiB", "GiB"];
    match units::parse_packets_or_bytes(text) {
        Err(QuantityError::MissingRoundTrip | QuantityError::NoProducts) | Ok(BufferSize::Time(_)) => {
            let unit = text.trim().trim_start_matches(|letter: char| !letter.is_alphabetic() && letter != 'µ');
            Err(QuantityError::UnknownUnit(unit.to_owned(), UNITS))
        }
        window => window,
    }
}
