//! Values of configurations: quantities as text, addresses.

use serde::{Deserialize, Deserializer, de::Error};
use std::net::SocketAddr;
use units::Duration;

/// A duration as `"250 us"`.
pub(crate) fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    units::parse_duration(&text).map_err(|error| D::Error::custom(format!("'{text}': {error}")))
}

/// The same where there may be none.
pub(crate) fn maybe_duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    duration(from).map(Some)
}

/// The largest drift of a modelled clock, in ppm: far beyond any oscillator's.
const MOST_DRIFT: f64 = 1000.0;

/// A drift in ppm.
pub(crate) fn drift<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let found = f64::deserialize(from)?;
    match found.abs() <= MOST_DRIFT {
        true => Ok(found),
        false => Err(D::Error::custom(format!("drift_ppm is {found:?}; allowed: -{MOST_DRIFT} to {MOST_DRIFT}"))),
    }
}

/// An address and port, as `"127.0.0.1:7000"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(pub(crate) SocketAddr);

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let parsed = text.parse().map_err(|_| {
            D::Error::custom(format!(
                "'{text}' is no address; allowed: an IP address and a port, as \"127.0.0.1:7000\""
            ))
        });
        parsed.map(Address)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::node::ClockConfig;

    /// At -1e6 ppm a clock stands, and what it shows has no time.
    #[test]
    fn a_drift_that_no_clock_has_is_refused() {
        let parsed = |drift: &str| toml::from_str::<ClockConfig>(&format!("drift_ppm = {drift}"));
        assert!(["-1000.0", "37.5"].iter().all(|drift| parsed(drift).is_ok()));
        for drift in ["nan", "inf", "-1e6", "1e300", "1000.5"] {
            assert!(parsed(drift).unwrap_err().to_string().contains("allowed: -1000 to 1000"), "{drift}");
        }
    }
}
