//! Rotor switches: each goes through a fixed list of matchings of racks, whatever the traffic (RotorNet: Mellette et
//! al., SIGCOMM 2017; Opera: Mellette et al., NSDI 2020).
//!
//! | file | holds |
//! |---|---|
//! | `keys`, `check` | `[switching]` with `kind = "rotor"`, and the plan that comes of it |
//! | `ways` | ways for messages beside links |
//! | `schedule` | the matchings that the keys say: in turn, or of a file |
//! | `slices` | when which matching is there |
//! | `expander` | shortest paths within a slice |
//! | `members` | between which racks a packet travels, and the paths on which racks put it |
//! | `rack` | the agent of a rack: a queue for each other rack, an uplink to each rotor switch; in `detours`, which
//! detours packets take, in `offers`, RotorLB's offers and answers, in `rooms`, the room that its hosts have |
//! | `uplink` | the circuit that an uplink has, and what it sends next |
//! | `queue` | what waits for one rack |
//! | `host` | the agent of a host, if packets wait there until their rack has room |
//! | `figures` | bytes by hop, and waits |
//!
//! A rack has one uplink for each rotor switch, whatever the number of racks. Light passes a rotor switch without a
//! stop: a packet is given the path over the circuit that is there, up to the next rack. Hosts know nothing of it, so
//! every transport works. A rack without packets is called by nobody, so a circuit that is idle costs no event.
//!
//! Left out: clocks that differ, several links between a rack and a switch.

mod check;
mod expander;
mod figures;
mod host;
mod keys;
mod members;
mod queue;
mod rack;
mod schedule;
mod slices;
mod uplink;
mod ways;

pub(super) use check::check;
pub use keys::RotorSwitching as Keys;

use super::kind::{self, Kind, Wording};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::engine::packet::admission::Interceptor;
use crate::model::{
    Buffer, Change, Lane, Light, LinkId, MidPacket, Network, NodeId, PathPart, PortRule, Step, Timeline,
};
use crate::results::Figure;
use control::scheduler::circuits::CircuitSchedule;
use expander::Expander;
use host::Host;
use keys::{Answers, FirstHop};
use members::{BySlice, Members};
use rack::offers::{Answer, Offer};
use rack::rooms::Room;
use rack::{Rack, Shared};
use slices::Slices;
use std::sync::Arc;
use units::{Duration, Rate};

pub(super) const KIND: Kind = Kind { own_ways: true, ..Kind::new() };

/// The resolved keys.
#[derive(Clone, Debug)]
pub struct Rotor {
    switches: Vec<NodeId>,
    /// In the order of their nodes.
    racks: Vec<Uplinks>,
    slices: Slices,
    rules: Rules,
    by_slice: BySlice,
    /// Where anything is sent by slice.
    expander: Option<Arc<Expander>>,
}

/// A rack and its links to and from each rotor switch.
#[derive(Clone, Debug)]
struct Uplinks {
    node: NodeId,
    up: Vec<LinkId>,
    down: Vec<LinkId>,
    /// Beside them, for offers and answers; empty where there are none.
    control_up: Vec<LinkId>,
    control_down: Vec<LinkId>,
    /// Those whose packets wait with them, by their numbers.
    hosts: Vec<HostLinks>,
}

/// A host and its links with its rack.
#[derive(Clone, Copy, Debug)]
struct HostLinks {
    node: NodeId,
    up: LinkId,
    /// For what the rack tells it.
    control: LinkId,
}

/// What racks go by.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Room for packets to each other rack.
    buffer: Buffer,
    /// ECN marks from so many waiting packets on.
    mark_from: Option<u32>,
    /// What a host may have at its rack for each other one; `None` where hosts do not wait.
    host_room: Option<u64>,
    bulk: Bulk,
}

/// The way of packets that do not take the shortest path within a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bulk {
    /// They wait for their circuit.
    Direct,
    /// By one other rack.
    Vlb(FirstHop),
    /// RotorLB.
    RotorLb {
        /// Bytes that a rack takes from others for one rack.
        room: u64,
        /// Hosts of a rack, if they are counted; else 1.
        parts: usize,
        /// Who answers offers.
        answers: Answers,
    },
}

/// What racks tell one another, and their hosts.
#[derive(Clone, Debug)]
enum Notice {
    Offer(Offer),
    Answer(Answer),
    Room(Room),
}

/// The number of the reason for a drop where no circuit to the packet's rack is there.
const WAITING: u8 = 0;

impl Rotor {
    fn is_switch(&self, node: NodeId) -> bool {
        self.switches.binary_search(&node).is_ok()
    }
}

impl kind::Plan for Rotor {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let light = match link.lane {
            Lane::Control => Light::None,
            _ if self.is_switch(link.to) => Light::FirstBit,
            _ if self.is_switch(link.from) => Light::LastBit,
            _ => Light::None,
        };
        PortRule { light, ..PortRule::of(link) }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let members = Arc::new(Members::new(&self.racks, &self.slices, &self.by_slice, build));
        let shared = Shared { members, expander: self.expander.clone() };
        let mut agent_setup = AgentSetup::default();
        let mut next_host = self.racks.len() as u32;
        for (links, number) in self.racks.iter().zip(0..) {
            for (up, place) in links.up.iter().zip(0..) {
                agent_setup.interceptors.insert(*up, Interceptor { agent: number, place });
            }
            agent_setup.unbounded.extend(links.up.iter().chain(&links.down));
            agent_setup.agents.push((links.node, Box::new(Rack::new(self, number, next_host, &shared, build))));
            next_host += links.hosts.len() as u32;
        }
        let hosts =
            self.racks.iter().zip(0..).flat_map(|(rack, number)| rack.hosts.iter().map(move |host| (number, *host)));
        for ((rack, host), agent) in hosts.zip(self.racks.len() as u32..) {
            agent_setup.interceptors.insert(host.up, Interceptor { agent, place: 0 });
            agent_setup.unbounded.insert(host.up);
            agent_setup.agents.push((host.node, Box::new(Host::new(self, rack, host, &shared.members, build))));
        }
        agent_setup
    }

    fn racks(&self) -> Vec<NodeId> {
        self.racks.iter().map(|rack| rack.node).collect()
    }

    /// Paths lead over the first switch, whatever circuits packets take.
    fn circuit(&self, network: &Network, ends: [NodeId; 2]) -> Option<PathPart> {
        let number = |node| self.racks.binary_search_by_key(&node, |rack| rack.node).ok();
        let (from, to) = (number(ends[0])?, number(ends[1])?);
        let (up, down) = (self.racks[from].up[0], self.racks[to].down[0]);
        let capacity = |circuits: u64| Rate::from_bps(network.links[up.index()].capacity.bps() * circuits);
        let counts = self.slices.circuits_over_time(from as u32, to as u32);
        let step = |(after, circuits): &(u64, u64)| Step {
            after: Duration::from_ps(*after),
            change: Change::Capacity(capacity(*circuits), MidPacket::Continue),
        };
        let (steps, period) = (counts.iter().map(step).collect(), Some(Duration::from_ps(self.slices.cycle())));
        let first = capacity(counts[0].1);
        Some(PathPart { links: vec![up, down], first, changes: vec![Timeline { link: up, steps, period }] })
    }

    fn schedule(&self) -> Option<(Vec<NodeId>, CircuitSchedule)> {
        Some((self.switches.clone(), self.slices.schedule().clone()))
    }

    fn echoes(&self) -> Option<&'static str> {
        self.rules.mark_from.map(|_| "switching.mark_from")
    }

    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let link = &network.links[id.index()];
        let is_planned = self.is_switch(link.from) || self.is_switch(link.to);
        is_planned.then(|| format!("the slices depend on {name}, which keeps its capacity and delay"))
    }

    fn wording(&self) -> Wording {
        Wording { unit: "unit", causes: &["waiting for a circuit"] }
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        figures::figures(before, after)
    }
}
