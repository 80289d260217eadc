//! The configuration of an edge node.

use super::network::{self, NetworkConfig};
use super::value::{self, Address};
use control::scheduler::Algorithm;
use serde::Deserialize;
use std::path::PathBuf;
use units::Duration;

/// `photocol-node master` and `photocol-node slave`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeFile {
    /// The number of the node.
    pub(crate) node: u16,
    /// The file with the network's key.
    pub(crate) key_file: PathBuf,
    /// The network; a master needs it, a slave is told it.
    pub(crate) network: Option<NetworkConfig>,
    /// How it schedules when it is master.
    #[serde(default = "greedy", deserialize_with = "network::algorithm")]
    pub(crate) scheduler: Algorithm,
    /// The cores, one or several: overlaid stars.
    pub(crate) star: Vec<StarConfig>,
    #[serde(default)]
    pub(crate) clock: ClockConfig,
    pub(crate) ip: Option<IpConfig>,
    /// Where files that come are written.
    pub(crate) receive: Option<PathBuf>,
    /// Files to send.
    #[serde(default)]
    pub(crate) file: Vec<FileToSend>,
    /// Metrics in the text form of Prometheus, on a port of the loopback interface.
    pub(crate) metrics: Option<u16>,
    /// A capture of all slots that come and go.
    pub(crate) capture: Option<PathBuf>,
}

fn greedy() -> Algorithm {
    Algorithm::Greedy
}

/// The fibre to a core.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StarConfig {
    /// Where the node listens.
    pub(crate) bind: Address,
    /// Who is at the other end: a fibre, or the core itself.
    pub(crate) peer: Address,
    /// Bytes of payload of a slot.
    #[serde(default = "eight_thousand")]
    pub(crate) slot_bytes: usize,
    /// Slots that may wait for one destination.
    #[serde(default = "two_hundred_and_fifty_six")]
    pub(crate) queue_slots: usize,
}

fn eight_thousand() -> usize {
    8000
}

fn two_hundred_and_fifty_six() -> usize {
    256
}

impl StarConfig {
    /// A slot is one datagram of UDP.
    pub(crate) const LARGEST_SLOT: usize = 60_000;
    /// A slot carries at least some of a packet.
    pub(crate) const SMALLEST_SLOT: usize = 200;
}

/// The modelled clock: the machine's real one with an offset and a drift.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockConfig {
    #[serde(default, deserialize_with = "value::duration")]
    pub(crate) offset: Duration,
    #[serde(default)]
    pub(crate) drift_ppm: f64,
    /// How far stamps are off when nothing has delayed them: 0.2 µs over an idle wire, several on a busy machine with switches and fibres in
    /// software. What is said too small makes noise look like drift.
    #[serde(default = "five_microseconds", deserialize_with = "value::duration")]
    pub(crate) stamp_error: Duration,
}

fn five_microseconds() -> Duration {
    Duration::from_micros(5)
}

impl Default for ClockConfig {
    fn default() -> ClockConfig {
        ClockConfig { offset: Duration::ZERO, drift_ppm: 0.0, stamp_error: five_microseconds() }
    }
}

/// IP over the network: a TUN interface.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IpConfig {
    /// The name of the interface.
    pub(crate) tun: String,
    /// The first three numbers of the addresses: node n has the address that ends with n + 1.
    pub(crate) prefix: [u8; 3],
    #[serde(default = "fifteen_hundred")]
    pub(crate) mtu: u16,
}

fn fifteen_hundred() -> u16 {
    1500
}

/// A file for another node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileToSend {
    pub(crate) path: PathBuf,
    pub(crate) to: u16,
}
