//! Values of configurations: quantities as text, addresses.

use serde::{Deserialize, Deserializer, de::Error};
use std::net::SocketAddr;
use units::Duration;

/// A duration as `"250 us"`.
pub(crate) fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    units::parse_duration(&text).map_err(|error| D::Error::custom(format!("'{text}': {error}")))
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
