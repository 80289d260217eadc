//! The configuration of a core.

use super::network::NetworkConfig;
use super::node::ClockConfig;
use super::value::Address;
use serde::Deserialize;
use std::path::PathBuf;

/// `photocol-node core`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoreConfig {
    /// Which core it is, where there are several: its reports are of `core 1`.
    pub(crate) number: Option<u16>,
    /// The file with the network's key.
    pub(crate) key_file: PathBuf,
    pub(crate) network: NetworkConfig,
    /// Fibres. Several at one port are a combiner and a splitter.
    pub(crate) port: Vec<PortConfig>,
    #[serde(default)]
    pub(crate) clock: ClockConfig,
    /// Metrics in the text form of Prometheus, on a port of the loopback interface.
    pub(crate) metrics: Option<u16>,
    /// A capture of all slots that reach the switch.
    pub(crate) capture: Option<PathBuf>,
}

/// A fibre's end at the core.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortConfig {
    /// The port of the switch.
    pub(crate) number: u16,
    /// Where the core listens.
    pub(crate) bind: Address,
    /// Who is at the other end.
    pub(crate) peer: Address,
}
