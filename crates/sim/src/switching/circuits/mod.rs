//! Circuits that come and go between racks, beside a packet network (a hybrid rack network; Mukerjee et al., "Adapting
//! TCP for reconfigurable datacenter networks", NSDI 2020, §2 and §5).
//!
//! | file | holds |
//! |---|---|
//! | `keys`, `check` | `[switching]` with `kind = "circuits"`, and the plan that comes of it |
//! | `schedule` | the week that the keys say: matchings in turn, a file, or by demand |
//! | `week` | nights, days, and which racks a circuit joins in each |
//! | `members` | from which rack to which a packet travels, and its way over a circuit |
//! | `rack` | the agent of a rack: a queue for each other rack, two ways out |
//! | `packet_switch` | the agent of the packet switch: little room, and credits for it |
//! | `turns` | whose turn it is |
//! | `days` | the days of pairs with data, for what their circuits could carry |
//! | `controller` | XCP's controllers, one at each queue, which know the week |
//! | `forecast` | what a pair will have, and what its queue measures |
//! | `latency` | how long packets took, by way |
//! | `output` | a way out of a rack |
//! | `overtaken` | packets that arrive behind one that left after them |
//!
//! A rack keeps packets for each other rack in a queue of its own. In the day of a pair its circuit drains that queue;
//! else the queues take turns on the rack's one link to the packet switch, which has room for a few packets for
//! each input and output. A rack sends there only what has room, which it knows by credits; so nothing is lost between
//! racks.
//!
//! What senders are told of circuits is `[[news]]`; a rack makes its marks, since packets leave there by either way.
//!
//! Left out: several circuits of a rack at once, a private packet path for each pair (links whose capacity changes say
//! that without a kind of switching).

mod check;
mod controller;
mod days;
mod forecast;
mod keys;
mod latency;
mod members;
mod output;
mod overtaken;
mod packet_switch;
mod rack;
mod schedule;
mod turns;
mod week;

pub(super) use check::check;
pub use keys::CircuitSwitching as Keys;

use super::kind::{self, Kind, Wording};
use crate::engine::link::meter::Asked;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::{KeyedSums, SumKey};
use crate::engine::packet::admission::{Cause, Interceptor};
use crate::model::{
    Buffer, Change, Lane, Light, LinkId, MidPacket, Network, NodeId, PathPart, PortRule, Step, Telling, Timeline,
};
use crate::results::Figure;
use control::scheduler::circuits::CircuitSchedule;
use keys::{DayEnd, InDay};
use latency::Way;
use members::Members;
use packet_switch::PacketSwitch;
use rack::Rack;
use std::sync::Arc;
use units::Duration;
use week::Week;

pub(super) const KIND: Kind = Kind { measures: true, ..Kind::new() };

/// The resolved keys.
#[derive(Clone, Debug)]
pub struct Circuits {
    packet_switch: NodeId,
    circuit_switch: NodeId,
    /// In the order of their nodes.
    racks: Vec<Links>,
    week: Week,
    rules: Rules,
}

/// The links of a rack.
#[derive(Clone, Copy, Debug)]
struct Links {
    node: NodeId,
    to_packet: LinkId,
    from_packet: LinkId,
    to_circuit: LinkId,
    from_circuit: LinkId,
    /// For credits, from the packet switch.
    credits: LinkId,
}

/// What racks and the packet switch go by.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// A queue outside of its pair's day.
    usual: Room,
    /// The same from `lead` picoseconds before the day until its end.
    resized: Option<(Room, u64)>,
    /// Room of the packet switch for each input and output, in bytes.
    room: u64,
    cut_through: bool,
    in_day: InDay,
    day_end: DayEnd,
    /// XCP's controllers are told so many picoseconds ahead.
    xcp_lead: u64,
}

/// What a queue takes.
#[derive(Clone, Copy, Debug)]
struct Room {
    buffer: Buffer,
    /// ECN marks from so many waiting packets on.
    mark_from: Option<u32>,
}

/// What racks and the packet switch tell one another.
#[derive(Clone, Copy, Debug)]
enum Notice {
    /// Room for packets to rack `to` is free again.
    Credit {
        to: u32,
        /// So many bytes.
        size: u16,
        /// When the last bit of the packet that had it leaves the switch.
        leaves: u64,
    },
}

/// What agents sum up.
#[derive(Clone, Copy, Debug)]
enum Sum {
    /// Bytes sent over circuits.
    Circuit,
    /// Bytes sent by the packet switch.
    Packet,
    /// Bytes that the circuits of pairs with data could have carried in days that have begun.
    Capacity,
    /// Bytes that they carried.
    Carried,
    /// Packets with data for which a queue had no room, by what its rack had then.
    Lost(When),
    /// Packets with data that were overtaken by one of the other way.
    Overtaken(Way),
    /// Packets with data by way and by how long they took.
    Took(Way, usize),
}

/// What a rack has when a packet comes.
#[derive(Clone, Copy, Debug)]
enum When {
    /// The circuit that the packet wants.
    Day,
    /// The circuit to another rack.
    OtherDay,
    /// None.
    Night,
}

impl When {
    /// Why a packet is lost then for which there is no room.
    fn cause(self) -> Cause {
        match self {
            When::Day | When::OtherDay => Cause::Congestion,
            When::Night => Cause::Agent(0),
        }
    }
}

impl SumKey for Sum {
    fn place(self) -> usize {
        match self {
            Sum::Circuit => 0,
            Sum::Packet => 1,
            Sum::Capacity => 2,
            Sum::Carried => 3,
            Sum::Lost(when) => 4 + when as usize,
            Sum::Overtaken(way) => 7 + way as usize,
            Sum::Took(way, class) => 9 + 2 * class + way as usize,
        }
    }
}

impl Circuits {
    fn is_switch(&self, node: NodeId) -> bool {
        node == self.packet_switch || node == self.circuit_switch
    }

    /// To which downlinks a rack tells by marks that a circuit is there, and so long before it is.
    fn marked(&self, rack: u32, build: &BuildContext) -> impl Iterator<Item = (LinkId, u64)> {
        let uplink = self.racks[rack as usize].to_packet;
        let by_marks = build.news.iter().filter(|news| news.told == Telling::Mark);
        let parts = by_marks.flat_map(|news| news.parts.iter().map(move |part| (part, news.ahead.ps())));
        parts.filter_map(move |(part, ahead)| match part.links.as_slice() {
            [first, second] if *first == uplink => Some((*second, ahead)),
            _ => None,
        })
    }
}

impl kind::Plan for Circuits {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let is_passed =
            |node: NodeId| node == self.circuit_switch || node == self.packet_switch && self.rules.cut_through;
        let light = match (link.lane, is_passed(link.to), is_passed(link.from)) {
            (Lane::Control, ..) => Light::None,
            (_, true, _) => Light::FirstBit,
            (_, _, true) => Light::LastBit,
            _ => Light::None,
        };
        // A rack's controllers stand at its queues.
        let is_planned = [link.from, link.to].iter().any(|node| self.is_switch(*node));
        let controller = link.controller.filter(|_| !is_planned);
        PortRule { light, controller, ..PortRule::of(link) }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let members = Arc::new(Members::new(&self.racks, self.packet_switch, build));
        let asked = Asked::by(build.flows.iter().map(|flow| &build.transports[flow.transport.index()].kind));
        let mut agent_setup = AgentSetup::default();
        for (links, number) in self.racks.iter().zip(0..) {
            agent_setup.interceptors.insert(links.to_packet, Interceptor { agent: number, place: 0 });
            let switch = Interceptor { agent: self.racks.len() as u32, place: number };
            agent_setup.interceptors.insert(links.from_packet, switch);
            let minded = [links.to_packet, links.from_packet, links.to_circuit, links.from_circuit];
            agent_setup.unbounded.extend(minded);
            agent_setup.agents.push((links.node, Box::new(Rack::new(self, number, &members, asked, build))));
        }
        let switch = PacketSwitch::new(self, &members, build);
        agent_setup.agents.push((self.packet_switch, Box::new(switch)));
        agent_setup
    }

    fn wording(&self) -> Wording {
        Wording { unit: "unit", causes: &["night"] }
    }

    fn echoes(&self) -> Option<&'static str> {
        self.rules.usual.mark_from.map(|_| "switching.mark_from")
    }

    fn racks(&self) -> Vec<NodeId> {
        self.racks.iter().map(|rack| rack.node).collect()
    }

    fn circuit(&self, network: &Network, ends: [NodeId; 2]) -> Option<PathPart> {
        let number = |node| self.racks.binary_search_by_key(&node, |rack| rack.node).ok();
        let (from, to) = (number(ends[0])?, number(ends[1])?);
        let [circuit, packet] =
            [self.racks[from].to_circuit, self.racks[from].to_packet].map(|id| network.links[id.index()].capacity);
        let step = |after: u64, capacity| Step {
            after: Duration::from_ps(after),
            change: Change::Capacity(capacity, MidPacket::Continue),
        };
        let days = self.week.days(from as u32, to as u32);
        let steps = days.flat_map(|day| [step(day.begins, circuit), step(day.begins + day.lasts, packet)]);
        let (link, period) = (self.racks[from].to_circuit, Some(Duration::from_ps(self.week.length())));
        Some(PathPart {
            links: vec![self.racks[from].to_packet, self.racks[to].from_packet],
            first: packet,
            changes: vec![Timeline { link, steps: steps.collect(), period }],
        })
    }

    fn schedule(&self) -> Option<(Vec<NodeId>, CircuitSchedule)> {
        Some((vec![self.circuit_switch], self.week.schedule()?))
    }

    fn marks_circuits(&self) -> bool {
        true
    }

    fn resizes_ahead(&self) -> Option<Duration> {
        self.rules.resized.map(|(_, lead)| Duration::from_ps(lead))
    }

    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let link = &network.links[id.index()];
        let is_planned = self.is_switch(link.from) || self.is_switch(link.to);
        is_planned.then(|| format!("the week depends on {name}, which keeps its capacity and delay"))
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        let of = |sum: Sum| (after.of(sum) - before.of(sum)) as f64;
        let mut figures = Vec::new();
        if of(Sum::Capacity) > 0.0 {
            let value = of(Sum::Carried) / of(Sum::Capacity);
            figures.push(Figure { name: "circuit_utilization", value, unit: "1" });
        }
        figures.push(Figure { name: "circuit_bytes", value: of(Sum::Circuit), unit: "B" });
        figures.push(Figure { name: "packet_bytes", value: of(Sum::Packet), unit: "B" });
        let lost = [("day_drops", When::Day), ("other_day_drops", When::OtherDay), ("night_drops", When::Night)];
        figures.extend(lost.map(|(name, when)| Figure { name, value: of(Sum::Lost(when)), unit: "1" }));
        let overtaken = [("circuit_overtaken", Way::Circuit), ("packet_overtaken", Way::Packet)];
        figures.extend(overtaken.map(|(name, way)| Figure { name, value: of(Sum::Overtaken(way)), unit: "1" }));
        figures
            .extend(latency::figures(|way, class| after.of(Sum::Took(way, class)) - before.of(Sum::Took(way, class))));
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Nine sums of their own, and two ways for each class of times.
    #[test]
    fn no_two_sums_share_a_place() {
        let fixed = [Sum::Circuit, Sum::Packet, Sum::Capacity, Sum::Carried];
        let lost = [When::Day, When::OtherDay, When::Night].map(Sum::Lost);
        let overtaken = [Way::Circuit, Way::Packet].map(Sum::Overtaken);
        let took = (0..100).flat_map(|class| [Way::Circuit, Way::Packet].map(|way| Sum::Took(way, class)));
        let places: BTreeSet<usize> =
            fixed.into_iter().chain(lost).chain(overtaken).chain(took).map(Sum::place).collect();
        assert!(places.into_iter().eq(0..9 + 200));
    }

    #[test]
    fn what_finds_no_room_in_a_night_is_lost_to_the_night() {
        let causes = [When::Day, When::OtherDay, When::Night].map(When::cause);
        assert_eq!(causes, [Cause::Congestion, Cause::Congestion, Cause::Agent(0)]);
    }
}
