//! Nodes and links.

use super::{LinkId, NodeId, TimedRoutes};
use crate::links::LinkProperties;
use crate::queue;
use options::words;
use std::collections::BTreeSet;
use std::sync::Arc;
use transport::xcp::RouterConfig;
use units::{BufferSize, ByteTime, Bytes, Duration, Rate};

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Nodes in the order of their ids.
    pub nodes: Vec<Node>,
    /// Directed links in the order of their ids.
    pub links: Vec<Link>,
    /// After a link goes down or comes up, routes are computed again after this time; `None`: never.
    pub reroute_after: Option<Duration>,
    /// Which of several equally short paths a flow takes.
    pub routing: Routing,
    /// The routes of flows, where they are known beforehand; else they are the shortest paths.
    pub timed: Option<Arc<TimedRoutes>>,
}

words! {
    /// Which of several equally short paths a flow takes.
    pub enum RoutingRule {
        /// The one with the smallest node numbers, for all flows.
        First = "first",
        /// Each packet by itself takes any of them, drawn for it; ACKs too.
        Spray = "spray",
        /// Packets that leave without a pause take one of them, drawn anew after each pause (LetFlow: Vanini et al.,
        /// NSDI 2017, decided at the host).
        Flowlet = "flowlet",
        /// Each switch hashes the flow and takes one of its next links that are equally near (RFC 2992).
        Ecmp = "ecmp",
    }
}

/// Which of several equally short paths a flow takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// The one with the smallest node numbers.
    #[default]
    First,
    /// Packets, or groups of them, any of them.
    Spray(Spread),
    /// By a hash of the flow at each node.
    Ecmp {
        /// Another one, another hash.
        hash_seed: u64,
        /// What a link's share of flows is in proportion to.
        weights: Weights,
    },
}

/// What is kept together where packets of a flow take several paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Nothing: each packet takes any path.
    Packets,
    /// What leaves without a pause that is longer than this.
    Flowlets(Duration),
}

words! {
    /// What the shares of equally near links are in proportion to.
    pub enum Weights {
        /// All are equal.
        Equal = "equal",
        /// The capacity of the link (Zhou et al., WCMP, EuroSys 2014, as far as the next hop goes).
        Capacity = "capacity",
    }
}

impl Weights {
    /// That of a link.
    pub fn of(self, network: &Network, link: LinkId) -> u64 {
        match self {
            Weights::Equal => 1,
            Weights::Capacity => network.links[link.index()].capacity.bps(),
        }
    }
}

impl Network {
    /// Per link: whether paths of flows are made of it. Nothing but requests and grants ends at a core node that
    /// switches slots, and other wavelengths than the first are the agents' choice.
    pub fn open_to_flows(&self) -> Vec<bool> {
        let cores = self.cores();
        let open = |link: &Link| !cores.contains(&link.from) && !cores.contains(&link.to) && link.lane == Lane::FIRST;
        self.links.iter().map(open).collect()
    }

    /// The core nodes that switch slots, in order.
    pub fn cores(&self) -> BTreeSet<NodeId> {
        self.links.iter().filter_map(|link| link.via).collect()
    }
}

/// A place where links meet and flows may start and end.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique.
    pub name: String,
    /// Core nodes, edge nodes and hosts are counted apart in summaries.
    pub role: Role,
    /// Where it is, for maps.
    pub position: Option<Position>,
}

/// A place on the globe, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// North of the equator; −90 to 90.
    pub latitude: f64,
    /// East of Greenwich; −360 to 360.
    pub longitude: f64,
}

words! {
    /// What a node is in the network, for statistics ("core outputs") and random choice of end points.
    pub enum Role {
        /// Switches or routes; flows do not start here unless the scenario names it.
        Core = "core",
        /// Where traffic enters the network; random pairs are drawn from hosts, and from edge nodes without any.
        Edge = "edge",
        /// An end system.
        Host = "host",
    }
}

/// One direction of a fibre with the output port that feeds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// `"a->b"`; parallel links get `"a->b#2"`.
    pub name: String,
    /// The node whose output port this is.
    pub from: NodeId,
    /// The far end.
    pub to: NodeId,
    /// Positive; that of all wavelengths.
    pub capacity: Rate,
    /// As many of equal capacity; with `via` only more than one.
    pub wavelengths: u32,
    /// Positive.
    pub delay: Duration,
    /// Waiting room, not counting the packet in transmission.
    pub buffer: Buffer,
    /// What becomes of a packet that would have room in it.
    pub queue: queue::Config,
    /// What its fibre does besides.
    pub properties: LinkProperties,
    /// XCP's controller at the port.
    pub controller: Option<PortController>,
    /// The core node through which its light passes: the link is a virtual output queue that sends in granted slots.
    pub via: Option<NodeId>,
    /// Weight for shortest paths (by default the delay in picoseconds).
    pub cost: u64,
    /// Which part of a fibre it is.
    pub lane: Lane,
    /// Whether the port writes what it measures into packets that ask for it.
    pub telemetry: bool,
}

impl Link {
    /// How long a packet of so many bytes lasts on it at its first capacity; nothing if it has none.
    pub fn lasts(&self, size: u32) -> Duration {
        ByteTime::at(self.capacity).map_or(Duration::ZERO, |byte| byte.of(size))
    }
}

/// A part of a fibre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A data wavelength, from 0. Paths of flows are made of the first ones.
    Wavelength(u32),
    /// The control wavelength.
    Control,
}

impl Lane {
    /// That of links that are not parts of anything.
    pub const FIRST: Lane = Lane::Wavelength(0);
}

/// XCP's controller at an output port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortController {
    /// Its parameters; the capacity is the one it believes at the start.
    pub config: RouterConfig,
    /// Whether it is told when the capacity of the port changes.
    pub follows: bool,
    /// So long before that, where the network knows it.
    pub ahead: Duration,
}

/// Waiting room of an output port. The packet in transmission does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Packets that may wait, whatever their size.
    Packets(u64),
    /// Bytes that may wait.
    Bytes(Bytes),
    /// Anything may wait.
    Unlimited,
}

impl Buffer {
    /// As it is written.
    pub fn size(self) -> BufferSize {
        match self {
            Buffer::Packets(packets) => BufferSize::Packets(packets),
            Buffer::Bytes(bytes) => BufferSize::Bytes(bytes),
            Buffer::Unlimited => BufferSize::Unlimited,
        }
    }
}
