//! The configuration of an edge node.

use super::network::{self, NetworkConfig};
use super::room::SlotRoom;
use super::sharing::SharingConfig;
use super::value::{self, Address};
use control::demand::Forecast;
use control::scheduler::{Algorithm, Requests};
use control::signalling::{Prediction, Sharing, SlotPart};
use serde::Deserialize;
use std::net::Ipv6Addr;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
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
    /// How it then shares what is too much: a queue of weight w gets w slots where one of weight 1, as are those not
    /// named, gets one.
    #[serde(default)]
    weight: Vec<WeightConfig>,
    /// What it then grants besides the letter of the requests.
    sharing: Option<SharingConfig>,
    /// What it asks for: `queue`, `last-frame`, `smoothed` or `predicted`.
    request: Option<Spanned<String>>,
    /// The last frame has the weight 1/2^smoothing.
    smoothing: Option<Spanned<u8>>,
    /// The cores, one or several: overlaid stars.
    pub(crate) star: Vec<StarConfig>,
    /// A star of several that gives no light or terms for so long is left; by default as long as a silent
    /// slave is borne, the leads of request and
    /// grant, and two frames.
    #[serde(default, deserialize_with = "value::maybe_duration")]
    pub(crate) star_timeout: Option<Duration>,
    /// A star that is back is used again after so long without a break; by default five time-outs.
    #[serde(default, deserialize_with = "value::maybe_duration")]
    pub(crate) star_hold_down: Option<Duration>,
    #[serde(default)]
    pub(crate) clock: ClockConfig,
    pub(crate) ip: Option<IpConfig>,
    /// Where files that come are written.
    pub(crate) receive: Option<PathBuf>,
    /// Files to send.
    #[serde(default)]
    pub(crate) file: Vec<FileToSend>,
    /// The processor on which slot threads stay. Without it the kernel chooses.
    pub(crate) processor: Option<u16>,
    /// Metrics in the text form of Prometheus, on a port of the loopback interface.
    pub(crate) metrics: Option<u16>,
    /// A capture of all slots that come and go.
    pub(crate) capture: Option<PathBuf>,
}

/// What `smoothing` is unless it is given, and the most that it may be, as in the simulator.
const SMOOTHING: u8 = 3;
const MOST_SMOOTHING: u8 = 16;

fn greedy() -> Algorithm {
    Algorithm::Greedy
}

/// The weight of the queue from one node to another.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightConfig {
    from: u16,
    to: u16,
    weight: u32,
}

impl NodeFile {
    /// What the master grants besides the letter of the requests.
    pub(crate) fn sharing(&self) -> Sharing {
        self.sharing.as_ref().map_or(Sharing::LITERAL, SharingConfig::sharing)
    }

    /// What it asks for besides what waits; or what is wrong, and where.
    pub(crate) fn prediction(&self) -> Result<Option<Prediction>, (Range<usize>, String)> {
        let rule = self.request.as_ref().map_or("queue", |request| request.get_ref().as_str());
        let shift = self.smoothing.as_ref().map_or(SMOOTHING, |smoothing| *smoothing.get_ref());
        if let Some(smoothing) = &self.smoothing {
            let wrong = |why: String| Err((smoothing.span(), why));
            if !matches!(rule, "smoothed" | "predicted") {
                return wrong("smoothing goes with request = \"smoothed\" or \"predicted\"".into());
            }
            if shift > MOST_SMOOTHING {
                return wrong(format!("smoothing is {shift}; allowed: 0 to {MOST_SMOOTHING}"));
            }
        }
        let forecast = match rule {
            "queue" => return Ok(None),
            "last-frame" => Forecast::LastFrame,
            "smoothed" => Forecast::Smoothed { shift },
            "predicted" => Forecast::Predicted { shift },
            other => {
                let span = self.request.as_ref().map_or(0..0, Spanned::span);
                let allowed = "'queue', 'last-frame', 'smoothed', 'predicted'";
                return Err((span, format!("request is '{other}'; allowed: {allowed}")));
            }
        };
        Ok(Some(Prediction { forecast, reading: self.sharing().reading }))
    }

    /// The weight of every pair of ports, if the master shares by weight.
    pub(crate) fn weights(&self) -> Result<Option<Requests>, String> {
        let Some(network) = self.network.as_ref().filter(|_| !self.weight.is_empty()) else { return Ok(None) };
        let (ports, size) =
            (&network.ports, usize::from(network.ports.iter().max().map_or(0, |port| port.saturating_add(1))));
        let mut slots = vec![1; size * size];
        for WeightConfig { from, to, weight } in &self.weight {
            let (Some(input), Some(output)) = (ports.get(usize::from(*from)), ports.get(usize::from(*to))) else {
                return Err(format!(
                    "a weight from node {from} to node {to}; allowed: nodes 0 to {}",
                    ports.len().saturating_sub(1)
                ));
            };
            slots[usize::from(*input) * size + usize::from(*output)] = *weight;
        }
        Requests::new(size, slots).map(Some).map_err(|error| format!("weights: {error}"))
    }
}

/// The fibre to a core.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StarConfig {
    /// Where the node listens.
    pub(crate) bind: Address,
    /// Who is at the other end: a fibre, or the core itself.
    pub(crate) peer: Address,
    /// Bytes of payload of a slot; the header of every datagram but the first is taken from them.
    #[serde(default = "eight_thousand")]
    pub(crate) slot_bytes: usize,
    /// Bytes of payload of a datagram: a slot that has more is several datagrams.
    #[serde(default = "sixty_thousand")]
    pub(crate) datagram_bytes: usize,
    /// Slots that may wait for one destination.
    #[serde(default = "two_hundred_and_fifty_six")]
    pub(crate) queue_slots: usize,
}

fn eight_thousand() -> usize {
    8000
}

fn sixty_thousand() -> usize {
    StarConfig::LARGEST_DATAGRAM
}

fn two_hundred_and_fifty_six() -> usize {
    256
}

impl StarConfig {
    /// UDP has no longer ones.
    pub(crate) const LARGEST_DATAGRAM: usize = 60_000;
    pub(crate) const LARGEST_SLOT: usize = 1 << 20;
    /// The words about a file fit one, and some of a packet.
    pub(crate) const SMALLEST: usize = 600;

    /// What its slots hold.
    pub(crate) fn room(&self) -> Result<SlotRoom, String> {
        let StarConfig { slot_bytes: slot, datagram_bytes: datagram, .. } = *self;
        let given = [
            ("slot_bytes", slot, StarConfig::LARGEST_SLOT),
            ("datagram_bytes", datagram, StarConfig::LARGEST_DATAGRAM),
        ];
        for (key, found, most) in given {
            if !(StarConfig::SMALLEST..=most).contains(&found) {
                return Err(format!("{key} is {found}; allowed: {} to {most}", StarConfig::SMALLEST));
            }
        }
        let room = SlotRoom { slot, datagram };
        match room.datagrams() {
            many if many > usize::from(SlotPart::MOST) => Err(format!(
                "a slot of {slot} bytes is {many} datagrams of {datagram}; allowed: up to {}",
                SlotPart::MOST
            )),
            _ => Ok(room),
        }
    }
}

/// The modelled clock: the machine's real one with an offset and a drift.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockConfig {
    #[serde(default, deserialize_with = "value::duration")]
    pub(crate) offset: Duration,
    #[serde(default, deserialize_with = "value::drift")]
    pub(crate) drift_ppm: f64,
    /// How far stamps are off when nothing has delayed them: 0.2 µs over an idle wire, several on a busy machine with
    /// switches and fibres in software. What is said too small makes noise look like drift.
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
    /// The same for IPv6: node n has the address that is n + 1 above this one, which ends with zeros.
    pub(crate) prefix6: Option<Ipv6Addr>,
    /// The longest packet.
    #[serde(default = "fifteen_hundred")]
    pub(crate) mtu: u16,
    /// Whether the kernel passes packets on between the networks at this node and the star. It is set for the
    /// whole network namespace.
    #[serde(default)]
    pub(crate) forward: bool,
    /// The networks behind other nodes.
    #[serde(default)]
    pub(crate) behind: Vec<BehindConfig>,
}

/// The networks behind a node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BehindConfig {
    pub(crate) node: Spanned<u16>,
    /// Their prefixes, of IPv4 and IPv6.
    pub(crate) routes: Vec<Spanned<String>>,
    /// The longest packet that they take; by default `mtu`.
    pub(crate) mtu: Option<u16>,
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
