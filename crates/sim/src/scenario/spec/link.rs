//! `[link_defaults]`, `[[node]]`, `[[link]]`.

use crate::language::{At, Length, Room, Speed, Time};
use schemars::JsonSchema;
use serde::Deserialize;

/// What links have unless they say otherwise. A link takes each property from the first of: its own `[[link]]`, the keys
/// of `[topology]`, the table here for the role of the node it leaves, this table.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkDefaults {
    /// Bit rate.
    pub capacity: Option<At<Speed>>,
    /// Propagation delay.
    pub delay: Option<At<Time>>,
    /// Length of fibre, instead of the delay.
    pub length: Option<At<Length>>,
    /// Delay of a kilometre of fibre. Default "5 us".
    pub delay_per_km: Option<At<Time>>,
    /// Waiting room of the output port, not counting the packet in transmission. Default "100 packets".
    pub buffer: Option<At<Room>>,
    /// Probability that a transmitted packet is lost, each for itself.
    pub loss: Option<At<f64>>,
    /// Every n-th packet is lost.
    pub loss_every: Option<At<u64>>,
    /// XCP's controller at the port. Default: none.
    pub xcp: Option<At<XcpPort>>,
    /// For links that leave a core node.
    pub core: Option<ClassDefaults>,
    /// For links that leave an edge node.
    pub edge: Option<ClassDefaults>,
    /// For links that leave a host.
    pub host: Option<ClassDefaults>,
}

/// What the links of a class have unless they say otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassDefaults {
    /// Bit rate.
    pub capacity: Option<At<Speed>>,
    /// Propagation delay.
    pub delay: Option<At<Time>>,
    /// Length of fibre, instead of the delay.
    pub length: Option<At<Length>>,
    /// Waiting room of the output port, not counting the packet in transmission.
    pub buffer: Option<At<Room>>,
    /// Probability that a transmitted packet is lost, each for itself.
    pub loss: Option<At<f64>>,
    /// Every n-th packet is lost.
    pub loss_every: Option<At<u64>>,
    /// XCP's controller at the port. Default: none.
    pub xcp: Option<At<XcpPort>>,
}

/// XCP's controller at an output port: Katabi, Handley, Rohrs 2002; the constants are ns-2's. `xcp = {}` is one with all
/// defaults.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XcpPort {
    /// Whether there is a controller. Default true.
    pub enabled: Option<bool>,
    /// Weight of the spare capacity. Default 0.4.
    pub alpha: Option<f64>,
    /// Weight of the persistent queue. Default 0.226.
    pub beta: Option<f64>,
    /// The part of the traffic that is shuffled. Default 0.1.
    pub gamma: Option<f64>,
    /// The capacity that it believes. Default: that of the link.
    pub capacity: Option<At<Speed>>,
    /// Whether it is told when the capacity of the link changes during the run (XCP-CL); if not, it goes on believing
    /// what it did (original XCP, which knows the rated capacity). Default true.
    pub follows: Option<bool>,
    /// An offer that a sender or another router had cut already "counts-as-negative" (default: draft-03, ns-2) or is
    /// "spent" (the fluid model).
    pub unclaimed: Option<UnclaimedOffer>,
}

/// What happens to offers that are not claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnclaimedOffer {
    /// The shortfall counts against what is to be taken from all.
    CountsAsNegative,
    /// It is spent as if it had been claimed.
    Spent,
}

/// A node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Unique; links, traffic and tables use it.
    pub name: At<String>,
    /// What it is for statistics and random pairs. Default "host".
    pub role: Option<NodeRole>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeRole {
    /// Switches or routes.
    Core,
    /// Traffic enters the network here.
    Edge,
    /// An end system.
    Host,
}

/// A link between two nodes, by default in both directions. One that the topology has already is changed by the keys
/// given here.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// One end.
    pub from: At<String>,
    /// The other end.
    pub to: At<String>,
    /// Bit rate.
    pub capacity: Option<At<Speed>>,
    /// Propagation delay.
    pub delay: Option<At<Time>>,
    /// Length of fibre, instead of the delay.
    pub length: Option<At<Length>>,
    /// Waiting room of the output port, not counting the packet in transmission.
    pub buffer: Option<At<Room>>,
    /// Probability that a transmitted packet is lost, each for itself.
    pub loss: Option<At<f64>>,
    /// Every n-th packet is lost.
    pub loss_every: Option<At<u64>>,
    /// XCP's controller at the port. Default: none.
    pub xcp: Option<At<XcpPort>>,
    /// The core node of an agile all-photonic network through which the link's light passes. The link is a queue that sends
    /// in granted slots, its delay that of the links from its ends to the core node.
    pub via: Option<At<String>>,
    /// Weight for shortest paths. Default: the delay in picoseconds.
    pub cost: Option<u64>,
    /// Both directions (default), or only from `from` to `to`.
    pub duplex: Option<bool>,
    /// Another link beside the one that is there already. Default false.
    pub parallel: Option<bool>,
}
