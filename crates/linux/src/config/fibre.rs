//! The configuration of fibres.

use super::value::{self, Address};
use serde::Deserialize;
use units::Duration;

/// `photocol-node fibre`: any number of fibres in one process.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FibreConfig {
    /// What is random, jitter and loss, is so by this number.
    #[serde(default)]
    pub(crate) seed: u64,
    pub(crate) line: Vec<LineConfig>,
    /// Metrics in the text form of Prometheus, on a port of the loopback interface.
    pub(crate) metrics: Option<u16>,
}

/// A fibre between a node and a core.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LineConfig {
    pub(crate) node_bind: Address,
    pub(crate) node_peer: Address,
    pub(crate) core_bind: Address,
    pub(crate) core_peer: Address,
    /// How long light takes to the core.
    #[serde(deserialize_with = "value::duration")]
    pub(crate) up: Duration,
    /// How long it takes back.
    #[serde(deserialize_with = "value::duration")]
    pub(crate) down: Duration,
    /// Up to so much more, evenly, for each datagram of light.
    #[serde(default, deserialize_with = "value::duration")]
    pub(crate) jitter: Duration,
    /// The part of the light that is lost.
    #[serde(default)]
    pub(crate) loss: f64,
    /// The part of the slots of signalling that is lost besides; data pass.
    #[serde(default)]
    pub(crate) signalling_loss: f64,
}
