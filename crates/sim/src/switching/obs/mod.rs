//! Optical burst switching (paper 001): packets are assembled into bursts at the edge, and a header ahead of each burst
//! reserves wavelengths for it, hop by hop, without waiting for an answer.
//!
//! # What travels
//!
//! Every optical link has its wavelengths and a control channel. Headers and messages are packets on the control
//! channel, which is the link's port and fibre in the engine. A burst is no packet: its header carries it, and knows
//! when its first bit arrives, so that a burst costs one event a hop and one when it has landed. A header needs the
//! processing time at every node that it passes, the ingress node too, and travels as fast as its burst; so the burst,
//! which needs none, comes closer to its header by that and by the header's transmission time with every hop. The
//! offset is what it is behind it at the start.
//!
//! # Who knows what
//!
//! A node reserves when it has a header, by what it has reserved before, and knows nothing of other nodes. It drops a
//! burst where its header ends. If the ingress node is to know, it is sent a message on the shortest way.
//!
//! | file | holds |
//! |---|---|
//! | `burst` | bursts, headers, messages about losses |
//! | `build` | what the agents are made of |
//! | `node` | the agent of a node; `node::ingress`: assembly, waiting for a wavelength, sending again; `node::transit`:
//! reservations, and what follows where there is none; `node::order`: the end of a burst's way, and its order there;
//! `node::path_selection`: what a node does with two paths |
//! | `queues` | which packets travel in one burst |
//! | `route_index` | by which route a packet goes on in one |
//! | `source` | sources of bursts besides the flows |
//! | `meter` | the burst dropping rate of a path |
//! | `balance`, `load` | two paths: which a burst takes, loads of links |
//! | `task` | what a node is to do later |

mod balance;
mod build;
mod burst;
pub mod by_hand;
mod check;
mod figures;
mod flow_class;
mod keys;
mod load;
mod meter;
mod node;
pub mod plan;
mod queues;
mod route_index;
mod source;
mod task;

pub(super) use check::check;
pub use keys::ObsSwitching as Keys;
pub use plan::Obs;

use self::build::Builder;
use self::plan::Offset;
use super::kind::{self, Kind, Wording};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::model::{Buffer, LinkId, Network, PortRule, Scenario};
use crate::results::Figure;
use units::{ByteTime, Duration};

impl Obs {
    /// The least offset with which no header is late on a path of `links` links whose control channels are otherwise
    /// idle: every node but the ingress and the egress node processes the header, and it lasts on every link but the
    /// last.
    pub fn needed_offset(&self, links: u32) -> Duration {
        let lasts =
            ByteTime::at(self.control.rate).map_or(Duration::ZERO, |byte| byte.of(self.control.header_size.into()));
        let hop = lasts + self.control.processing;
        hop.saturating_mul(u64::from(links.saturating_sub(1))) + self.fibre.switching
    }

    /// The offset on a path of `links` links.
    pub fn offset(&self, links: u32) -> Duration {
        match self.offset {
            Offset::Fixed(offset) => offset,
            Offset::Needed { spare_hops } => self.needed_offset(links + spare_hops),
        }
    }
}

pub(super) const KIND: Kind = Kind { flow_columns: flow_class::columns, ..Kind::new() };

impl kind::Plan for Obs {
    /// Behind an agent that switches bursts is the control channel; what a node needs for a message comes before it,
    /// and the loss of the link is that of bursts.
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        match self.links.binary_search(&id) {
            Ok(_) => PortRule::plain(self.control.rate, link.delay + self.control.processing, Buffer::Unlimited),
            Err(_) => PortRule::of(link),
        }
    }

    /// One agent at each node with an optical link.
    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let mut builder = Builder::new(self, build.network);
        builder.find_sections(build);
        builder.find_pairs();
        builder.find_sources(build);
        builder.install_agents(build)
    }

    fn keeps(&self, _: &Network, id: LinkId, name: &str) -> Option<String> {
        let is_optical = self.links.binary_search(&id).is_ok();
        is_optical.then(|| format!("bursts on {name} keep their rate, and reservations know its delay; allowed: state"))
    }

    fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let shared = |balancing| check::shared_links(balancing, &scenario.network);
        self.balancing.as_ref().map(shared).unwrap_or_default()
    }

    fn wording(&self) -> Wording {
        Wording { unit: "burst", causes: burst::CAUSES }
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        figures::figures(before, after)
    }
}
