//! Where everything is: which partition has a node, a port, a fibre, a flow's machines.

use super::hosts::{Lifecycle, ReceivingHost, SendingHost};
use super::net::{DELIVER, DropPlace, Drops};
use super::offer::Cause;
use super::packet::Packet;
use super::partition::{FibreEnd, Partition, Site, fold};
use super::port::{Port, Reading};
use super::reordering::FlowReordering;
use super::ring::Ring;
use super::shortfall::Shortfall;
use super::trace::What;
use crate::model::Flow;
use std::sync::Arc;

/// A directed link of the network, in the engine's numbering: by (receiving node, sending node, link).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
}

/// The place of a port or a fibre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The partition.
    pub part: u32,
    /// The number within it.
    pub number: u32,
}

/// What does not change during a run, and which node belongs to which partition.
#[derive(Clone, Debug)]
pub struct Layout {
    /// All links.
    pub links: Arc<[Ends]>,
    /// All flows.
    pub flows: Arc<[Flow]>,
    /// All paths as lists of links, see [`Net::paths`](super::net::Net::paths).
    pub paths: Arc<[u32]>,
    /// The far end of each link.
    pub ends: Arc<[FibreEnd]>,
    /// The node of each agent of the switches.
    pub agents: Arc<[u32]>,
    /// How many partitions there are.
    pub parts: u32,
    /// The partition of each node.
    pub of_node: Vec<u32>,
    /// The place of each link's port.
    pub ports: Vec<At>,
    /// The place of each link's fibre.
    pub fibres: Vec<At>,
}

impl Layout {
    /// A network in one partition; `agents` are the nodes of the agents of its switches.
    pub fn whole(
        links: Arc<[Ends]>,
        flows: Arc<[Flow]>,
        paths: Arc<[u32]>,
        agents: Arc<[u32]>,
        nodes: usize,
    ) -> Layout {
        let ends = far_ends(&links, &paths);
        let (ports, fibres) = (Vec::new(), Vec::new());
        Layout { links, flows, paths, ends, agents, parts: 1, of_node: Vec::new(), ports, fibres }.dealt(vec![0; nodes])
    }

    /// The same network with its nodes in the partitions that `of_node` names.
    pub fn dealt(&self, of_node: Vec<u32>) -> Layout {
        let parts = of_node.iter().max().map_or(1, |most| most + 1);
        let number_by = |node: fn(&Ends) -> u32| {
            let mut used = vec![0; parts as usize];
            let place = |link: &Ends| {
                let part = of_node[node(link) as usize];
                let number = used[part as usize];
                used[part as usize] += 1;
                At { part, number }
            };
            self.links.iter().map(place).collect()
        };
        let (ports, fibres) = (number_by(|link| link.from), number_by(|link| link.to));
        Layout { parts, ports, fibres, of_node, ..self.clone() }
    }

    /// Where a partition is.
    pub fn site(&self, part: u32) -> Site {
        let entering = self.fibres.iter().zip(&*self.ends).filter(|(at, _)| at.part == part);
        let ends = entering.map(|(_, end)| *end).collect();
        Site { ends, links: Arc::clone(&self.links), flows: Arc::clone(&self.flows) }
    }

    /// Whether a link's fibre leads to another partition.
    pub fn leads_out(&self, link: u32) -> bool {
        self.ports[link as usize].part != self.fibres[link as usize].part
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
fn far_ends(links: &[Ends], paths: &[u32]) -> Arc<[FibreEnd]> {
    let mut leads_on = vec![false; links.len()];
    for step in paths.windows(2).filter(|step| step[1] != DELIVER) {
        if let Some(leads_on) = leads_on.get_mut(step[0] as usize) {
            *leads_on = true;
        }
    }
    links.iter().zip(leads_on).map(|(ends, leads_on)| FibreEnd::new(ends.to, leads_on)).collect()
}

/// All partitions between two windows, as if they were one.
pub struct Parts<'a> {
    /// Who has what.
    pub layout: &'a Layout,
    /// The partitions.
    pub list: Vec<&'a mut Partition>,
}

impl<'a> Parts<'a> {
    /// The partitions of `layout`.
    pub fn new(layout: &'a Layout, list: &'a mut [Partition]) -> Parts<'a> {
        Parts { layout, list: list.iter_mut().collect() }
    }

    /// The port of a link.
    pub fn port(&self, link: u32) -> &Port {
        let At { part, number } = self.layout.ports[link as usize];
        &self.list[part as usize].net.ports[number as usize]
    }

    /// The port of a link.
    pub fn port_mut(&mut self, link: u32) -> &mut Port {
        let At { part, number } = self.layout.ports[link as usize];
        &mut self.list[part as usize].net.ports[number as usize]
    }

    /// The fibre of a link.
    pub fn fibre(&self, link: u32) -> &Ring<Packet> {
        let At { part, number } = self.layout.fibres[link as usize];
        &self.list[part as usize].net.fibres[number as usize]
    }

    /// What a link's port has counted up to `now`.
    pub fn reading(&mut self, now: u64, link: u32) -> Reading {
        self.look_at_link(link, |port, fibre| port.reading(now, fibre))
    }

    /// The same, and the most packets that waited there, which are counted anew.
    pub fn last_reading(&mut self, now: u64, link: u32) -> (Reading, u64) {
        self.look_at_link(link, |port, fibre| (port.reading(now, fibre), port.restart_maximum(now, fibre)))
    }

    /// Lets `look` see a link's port and fibre together.
    fn look_at_link<T>(&mut self, link: u32, look: impl FnOnce(&mut Port, &Ring<Packet>) -> T) -> T {
        let At { part, number } = self.layout.fibres[link as usize];
        let fibre = std::mem::take(&mut self.list[part as usize].net.fibres[number as usize]);
        let seen = look(self.port_mut(link), &fibre);
        self.list[part as usize].net.fibres[number as usize] = fibre;
        seen
    }

    /// Takes `link` down; what had not left is dropped.
    pub fn take_down(&mut self, now: u64, link: u32) {
        let (port, fibre) = (self.layout.ports[link as usize].part, self.layout.fibres[link as usize].part);
        let taken = self.change_link(link, |port, fibre| port.take_down(now, fibre));
        self.list[port as usize].net.forget_captured(now, link);
        for packet in taken.from_fibre {
            self.list[fibre as usize].net.cargo.forget(&packet);
            let net = &mut self.list[port as usize].net;
            net.note_on(now, link, What::Vanish, Some(Cause::Unreachable), &packet);
            net.take_back(now, DropPlace::Link(link), &packet);
        }
        for packet in taken.held {
            let net = &mut self.list[port as usize].net;
            net.note_on(now, link, What::Vanish, Some(Cause::Unreachable), &packet);
            net.drop(now, DropPlace::Link(link), Cause::Unreachable, &packet);
        }
    }

    /// The same as [`Parts::change_link`] for another capacity or delay: traces and captures say when packets leave then.
    pub fn retime_link(&mut self, now: u64, link: u32, change: impl FnOnce(&mut Port, &mut Ring<Packet>)) {
        let part = self.layout.ports[link as usize].part as usize;
        if !self.list[part].net.sees(link) {
            return self.change_link(link, change);
        }
        let (foreseen, planned) = self.change_link(link, |port, fibre| {
            port.sweep_own(now);
            let foreseen = port.leaving(fibre);
            change(port, fibre);
            (foreseen, port.leaving(fibre))
        });
        self.list[part].net.amend(now, link, &foreseen, &planned);
        // What was noted before nodes were dealt the last time lies there.
        if part > 0 {
            self.list[0].net.amend(now, link, &foreseen, &planned);
        }
    }

    /// Lets `change` see a link's port and fibre together, and puts the fibre's event in its new place.
    pub fn change_link<T>(&mut self, link: u32, change: impl FnOnce(&mut Port, &mut Ring<Packet>) -> T) -> T {
        let At { part, number } = self.layout.fibres[link as usize];
        let ends = [part, self.layout.ports[link as usize].part];
        ends.into_iter().for_each(|part| self.list[part as usize].expect_change());
        let mut fibre = std::mem::take(&mut self.list[part as usize].net.fibres[number as usize]);
        let result = change(self.port_mut(link), &mut fibre);
        let inside = self.layout.leads_out(link).then(|| self.port(link).near_end(&fibre));
        let net = &mut self.list[part as usize].net;
        net.fibres[number as usize] = fibre;
        net.rekey(number);
        let At { part, number } = self.layout.ports[link as usize];
        let net = &mut self.list[part as usize].net;
        inside.into_iter().for_each(|inside| net.resume(number, inside));
        net.rearm(number);
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

    /// Takes the account of what a flow did not get, if there is one.
    pub fn take_shortfall(&mut self, flow: u32) -> Option<Shortfall> {
        let part = &mut self.list[self.layout.source_of(flow) as usize];
        part.hosts.shortfalls.remove(&flow).map(|account| *account)
    }

    /// The beginning and the end of a flow.
    pub fn lifecycle(&self, flow: u32) -> &Lifecycle {
        &self.list[self.layout.source_of(flow) as usize].hosts.lifecycles[flow]
    }

    /// The receiving side of a flow.
    pub fn receiver(&self, flow: u32) -> &ReceivingHost {
        &self.list[self.layout.sink_of(flow) as usize].hosts.receivers[flow]
    }

    /// Whether the order of packets is measured.
    pub fn asks_for_reordering(&self) -> bool {
        self.list.iter().any(|part| part.hosts.arrivals.reordering.is_some())
    }

    /// How far the packets of a flow arrived out of order, if that is measured and any have arrived.
    pub fn reordering(&self, flow: u32) -> Option<&FlowReordering> {
        self.list[self.layout.sink_of(flow) as usize].hosts.arrivals.reordering.as_ref()?.of(flow)
    }

    /// The receiving side of a flow.
    pub fn receiver_mut(&mut self, flow: u32) -> &mut ReceivingHost {
        &mut self.list[self.layout.sink_of(flow) as usize].hosts.receivers[flow]
    }

    /// The hash over everything that arrived anywhere.
    pub fn fingerprint(&self) -> u64 {
        let chain = |(node, part): (usize, &u32)| self.list[*part as usize].chains[node];
        self.layout.of_node.iter().enumerate().map(chain).fold(0, fold)
    }

    /// What was dropped, where and why.
    pub fn drops(&self) -> Drops {
        let mut all = Drops::new();
        for (key, count) in self.list.iter().flat_map(|part| &part.net.drops) {
            let sum = all.entry(*key).or_default();
            *sum = sum.plus(*count);
        }
        all
    }

    /// A number that is the sum of those of the partitions.
    pub fn sum(&self, of: impl Fn(&Partition) -> u64) -> u64 {
        self.list.iter().map(|part| of(part)).sum()
    }
}
