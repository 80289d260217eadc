//! Where everything is: which partition has a node, a port, a fibre, a flow's machines.

use super::partition::{Partition, fold};
use super::site::{Endpoints, FibreEnd, PartitionSite};
use crate::engine::link::port::{LinkDownLosses, Port, Reading};
use crate::engine::link::ring::Ring;
use crate::engine::node::counters::Counters;
use crate::engine::node::fabric::TimedPaths;
use crate::engine::node::hosts::{Lifecycle, ReceivingHost, SendingHost};
use crate::engine::node::spray::{Spray, spread_set};
use crate::engine::node::timetable::Timetable;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::{DELIVER, DropPlace, Drops, IN_TIME, NO_PATH, Packet, SPREAD, add_drops};
use crate::model::{Flow, MidPacket};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The place of a port or a fibre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The partition.
    pub part: u32,
    /// The number within it.
    pub number: u32,
}

/// What does not change during a run, and which node belongs to which partition.
#[derive(Clone, Debug)]
pub struct PartitionLayout {
    /// All links.
    pub links: Arc<[Endpoints]>,
    /// All flows.
    pub flows: Arc<[Flow]>,
    /// All paths as lists of links, see [`Fabric::paths`](crate::engine::node::fabric::Fabric::paths).
    pub paths: Arc<[u32]>,
    /// See [`Fabric::returns`](crate::engine::node::fabric::Fabric::returns).
    pub returns: Arc<[u32]>,
    /// See [`Fabric::last_links`](crate::engine::node::fabric::Fabric::last_links).
    pub last_links: Arc<[[u32; 2]]>,
    /// Which of them packets take by turns, if any.
    pub spray: Option<Arc<Spray>>,
    /// When paths end and others begin, if they do.
    pub timetable: Option<Arc<Timetable>>,
    /// The far end of each link.
    pub ends: Arc<[FibreEnd]>,
    /// The node of each agent of the switches.
    pub agents: Arc<[u32]>,
    /// How many partitions there are.
    pub parts: u32,
    /// The partition of each node.
    pub of_node: Vec<u32>,
    /// The place of each link's port.
    pub ports: Vec<Location>,
    /// The place of each link's fibre.
    pub fibres: Vec<Location>,
}

impl PartitionLayout {
    /// A network in one partition; `agents` are the nodes of the agents of its switches.
    pub fn whole(
        links: Arc<[Endpoints]>,
        flows: Arc<[Flow]>,
        paths: Arc<[u32]>,
        agents: Arc<[u32]>,
        nodes: usize,
    ) -> PartitionLayout {
        let ends = far_ends(&links, &paths);
        let (ports, fibres) = (Vec::new(), Vec::new());
        let (returns, last_links) = (Arc::from([]), Arc::from([]));
        let (spray, timetable, of_node) = (None, None, Vec::new());
        PartitionLayout {
            links,
            flows,
            paths,
            returns,
            last_links,
            spray,
            timetable,
            ends,
            agents,
            parts: 1,
            of_node,
            ports,
            fibres,
        }
        .assigned(vec![0; nodes])
    }

    /// The same network with its nodes in the partitions that `of_node` names.
    pub fn assigned(&self, of_node: Vec<u32>) -> PartitionLayout {
        let parts = of_node.iter().max().map_or(1, |most| most + 1);
        let number_by = |node: fn(&Endpoints) -> u32| {
            let mut used = vec![0; parts as usize];
            let place = |link: &Endpoints| {
                let part = of_node[node(link) as usize];
                let number = used[part as usize];
                used[part as usize] += 1;
                Location { part, number }
            };
            self.links.iter().map(place).collect()
        };
        let (ports, fibres) = (number_by(|link| link.from), number_by(|link| link.to));
        PartitionLayout { parts, ports, fibres, of_node, ..self.clone() }
    }

    /// Paths as lists of ports, each in the numbering of the partition that has it: no other one reads that place. And
    /// those that depend on the time.
    pub fn paths_of_ports(&self) -> (Arc<[u32]>, Option<TimedPaths>) {
        let ports: Arc<[u32]> = self.paths.iter().map(|link| self.port_number(*link)).collect();
        let Some(table) = &self.timetable else { return (ports, None) };
        let is_shown = |place: u32, port: u32| !table.has(place) || matches!(port, DELIVER | NO_PATH);
        let shown = ports.iter().zip(0..).map(|(port, place)| if is_shown(place, *port) { *port } else { IN_TIME });
        (shown.collect(), Some(TimedPaths { table: Arc::clone(table), ports: Arc::clone(&ports) }))
    }

    /// The positions of all paths of which this is the first, if packets are spread among several.
    pub fn ways(&self, first: u32) -> &[u32] {
        let set = spread_set(&self.paths, first);
        self.spray.as_ref().zip(set).map_or(&[], |(spray, set)| spray.ways(set))
    }

    /// The last links of flows as ports, like those of paths.
    pub fn last_ports(&self) -> Arc<[[u32; 2]]> {
        self.last_links.iter().map(|links| links.map(|link| self.port_number(link))).collect()
    }

    /// A word of a path: a port in the numbering of its partition, or what is no link.
    fn port_number(&self, link: u32) -> u32 {
        match link {
            link if link >= SPREAD => link,
            link => self.ports[link as usize].number,
        }
    }

    /// Where a partition is.
    pub fn site(&self, part: u32) -> PartitionSite {
        let entering = self.fibres.iter().zip(&*self.ends).filter(|(at, _)| at.part == part);
        let ends = entering.map(|(_, end)| *end).collect();
        PartitionSite { ends, links: Arc::clone(&self.links), flows: Arc::clone(&self.flows) }
    }

    /// The partition of a flow's sending side.
    pub fn source_of(&self, flow: u32) -> u32 {
        self.of_node[self.flows[flow as usize].source.index()]
    }

    /// The partition of an agent.
    pub fn agent_of(&self, agent: u32) -> u32 {
        self.of_node[self.agents[agent as usize] as usize]
    }

    /// The partition of a flow's receiving side.
    pub fn sink_of(&self, flow: u32) -> u32 {
        self.of_node[self.flows[flow as usize].destination.index()]
    }
}

/// The far end of each link.
fn far_ends(links: &[Endpoints], paths: &[u32]) -> Arc<[FibreEnd]> {
    let mut leads_on = vec![false; links.len()];
    for step in paths.windows(2).filter(|step| step[1] != DELIVER) {
        if let Some(leads_on) = leads_on.get_mut(step[0] as usize) {
            *leads_on = true;
        }
    }
    links.iter().zip(leads_on).map(|(ends, leads_on)| FibreEnd::new(ends.to, leads_on)).collect()
}

/// All partitions between two windows, as if they were one.
pub struct Partitions<'a> {
    /// Who has what.
    pub layout: &'a PartitionLayout,
    /// The partitions.
    pub list: Vec<&'a mut Partition>,
}

impl<'a> Partitions<'a> {
    /// The partitions of `layout`.
    pub fn new(layout: &'a PartitionLayout, list: &'a mut [Partition]) -> Partitions<'a> {
        Partitions { layout, list: list.iter_mut().collect() }
    }

    /// The port of a link.
    pub fn port(&self, link: u32) -> &Port {
        let Location { part, number } = self.layout.ports[link as usize];
        &self.list[part as usize].fabric.ports[number as usize]
    }

    /// The port of a link.
    pub fn port_mut(&mut self, link: u32) -> &mut Port {
        let Location { part, number } = self.layout.ports[link as usize];
        &mut self.list[part as usize].fabric.ports[number as usize]
    }

    /// The fibre of a link.
    pub fn fibre(&self, link: u32) -> &Ring<Packet> {
        let Location { part, number } = self.layout.fibres[link as usize];
        &self.list[part as usize].fabric.fibres[number as usize]
    }

    /// What a link's port has counted up to `now`.
    pub fn reading(&mut self, now: u64, link: u32) -> Reading {
        self.port_mut(link).reading(now)
    }

    /// The same, and the most packets that waited there.
    pub fn whole_reading(&mut self, now: u64, link: u32) -> (Reading, u64) {
        let port = self.port_mut(link);
        (port.reading(now), port.maximum(now))
    }

    /// The same, but the most packets are counted anew.
    pub fn last_reading(&mut self, now: u64, link: u32) -> Reading {
        let port = self.port_mut(link);
        port.restart_maximum(now);
        port.reading(now)
    }

    /// Takes `link` down; what waits is dropped, and what is in transmission unless it may finish.
    pub fn take_down(&mut self, now: u64, link: u32, rest: MidPacket) {
        self.lose(now, link, rest, |port, fibre| port.take_down(now, rest, fibre));
    }

    /// The packet in transmission on `link` is dropped.
    pub fn cut(&mut self, now: u64, link: u32) {
        self.lose(now, link, MidPacket::Cut, |port, fibre| port.cut(now, fibre));
    }

    /// What a link loses at its port.
    fn lose(
        &mut self,
        now: u64,
        link: u32,
        rest: MidPacket,
        take: impl FnOnce(&mut Port, &mut Ring<Packet>) -> LinkDownLosses,
    ) {
        let (port, fibre) = (self.layout.ports[link as usize].part, self.layout.fibres[link as usize].part);
        let taken = self.change_link(link, take);
        if let Some(observer) = &mut self.list[port as usize].fabric.observer
            && rest != MidPacket::Finish
        {
            observer.went_down(now, link);
        }
        for packet in taken.from_fibre {
            self.list[fibre as usize].fabric.payloads.forget(&packet);
            let fabric = &mut self.list[port as usize].fabric;
            fabric.note_on(now, link, What::Vanish, Some(Cause::Unreachable), &packet);
            fabric.cancel_in_flight(now, DropPlace::Link(link), &packet);
        }
        for packet in taken.held {
            let fabric = &mut self.list[port as usize].fabric;
            fabric.note_on(now, link, What::Vanish, Some(Cause::Unreachable), &packet);
            fabric.drop(now, DropPlace::Link(link), Cause::Unreachable, &packet);
        }
    }

    /// The same as [`Partitions::change_link`] for another capacity or delay: who watches is told when packets leave
    /// then.
    pub fn retime_link(&mut self, now: u64, link: u32, change: impl FnOnce(&mut Port, &mut Ring<Packet>)) {
        if !self.port(link).is_watched() {
            return self.change_link(link, change);
        }
        let (expected, planned) = self.change_link(link, |port, fibre| {
            port.sweep(now);
            let expected = port.leaving(fibre);
            change(port, fibre);
            (expected, port.leaving(fibre))
        });
        // What was noted before nodes were assigned the last time lies in the first.
        for part in BTreeSet::from([0, self.layout.ports[link as usize].part]) {
            if let Some(observer) = &mut self.list[part as usize].fabric.observer {
                observer.retimed(now, link, &expected, &planned);
            }
        }
    }

    /// Lets `change` see a link's port and fibre together, and puts the fibre's event in its new place.
    pub fn change_link<T>(&mut self, link: u32, change: impl FnOnce(&mut Port, &mut Ring<Packet>) -> T) -> T {
        let Location { part, number } = self.layout.fibres[link as usize];
        let ends = [part, self.layout.ports[link as usize].part];
        ends.into_iter().for_each(|part| self.list[part as usize].prepare_for_change());
        let mut fibre = std::mem::take(&mut self.list[part as usize].fabric.fibres[number as usize]);
        let result = change(self.port_mut(link), &mut fibre);
        let fabric = &mut self.list[part as usize].fabric;
        fabric.fibres[number as usize] = fibre;
        fabric.rekey(number);
        let Location { part, number } = self.layout.ports[link as usize];
        let fabric = &mut self.list[part as usize].fabric;
        fabric.rearm(number);
        result
    }

    /// The sending side of a flow.
    pub fn sender(&self, flow: u32) -> &SendingHost {
        &self.list[self.layout.source_of(flow) as usize].hosts.senders[flow]
    }

    /// The sending side of a flow.
    pub fn sender_mut(&mut self, flow: u32) -> &mut SendingHost {
        &mut self.list[self.layout.source_of(flow) as usize].hosts.senders[flow]
    }

    /// The beginning and the end of a flow.
    pub fn lifecycle(&self, flow: u32) -> &Lifecycle {
        &self.list[self.layout.source_of(flow) as usize].hosts.lifecycles[flow]
    }

    /// The receiving side of a flow.
    pub fn receiver(&self, flow: u32) -> &ReceivingHost {
        &self.list[self.layout.sink_of(flow) as usize].hosts.receivers[flow]
    }

    /// The receiving side of a flow.
    pub fn receiver_mut(&mut self, flow: u32) -> &mut ReceivingHost {
        &mut self.list[self.layout.sink_of(flow) as usize].hosts.receivers[flow]
    }

    /// What all agents have counted.
    pub fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        self.list.iter().for_each(|part| part.hosts.account(&mut counters));
        counters
    }

    /// The hash over everything that arrived anywhere.
    pub fn fingerprint(&self) -> u64 {
        let chain = |(node, part): (usize, &u32)| self.list[*part as usize].chains[node];
        self.layout.of_node.iter().enumerate().map(chain).fold(0, fold)
    }

    /// What was dropped, where and why.
    pub fn drops(&self) -> Drops {
        let mut all = Drops::new();
        self.list.iter().for_each(|part| add_drops(&mut all, &part.fabric.totals.drops));
        all
    }

    /// A number that is the sum of those of the partitions.
    pub fn sum(&self, of: impl Fn(&Partition) -> u64) -> u64 {
        self.list.iter().map(|part| of(part)).sum()
    }
}
