//! Moving a network's state to another partitioning, between two instants of a run.
//!
//! Every port, fibre, machine and timer moves to the partition of its node, and nothing else changes: results do not
//! know how nodes are assigned. The state of all partitions is merged and then split by the rules that stand at its
//! [declaration](crate::engine::packet::state), and those who watch by theirs. Two things follow from elsewhere: what
//! packets carry moves with them, and the layout says how ports and paths are numbered.

use crate::engine::execute::layout::PartitionLayout;
use crate::engine::execute::partition::{Partition, PartitionParts};
use crate::engine::link::port::Port;
use crate::engine::node::fabric::{Boundary, Fabric, FabricPlace, TimerOrder};
use crate::engine::node::hosts::Hosts;
use crate::engine::observe::observers::Observers;
use crate::engine::packet::containers::{PerNode, merge_nodes, split_nodes};
use crate::engine::packet::state::{Owners, State};
use crate::engine::packet::{NO_PAYLOAD, Packet, PayloadTable};

/// Moves everything from the partitions of `before` to those of `after`; `now` is the time that all have reached.
pub fn migrate(now: u64, old: Vec<Partition>, before: &PartitionLayout, after: &PartitionLayout) -> Vec<Partition> {
    let [before, after] = [before, after].map(|layout| Moment { now, layout });
    Whole::merge(old, &before).split(&before, &after)
}

/// The state of a whole network, in no partition.
struct Whole {
    fabric: Fabric,
    hosts: Hosts,
    /// What all packets carry.
    payloads: PayloadTable,
    /// The hash chain of each node.
    chains: PerNode<u64>,
    /// Those of the partitions that it was in.
    observers: Vec<Observers>,
    events: u64,
    order: TimerOrder,
}

impl Whole {
    /// The state of all partitions. They are in the order of their numbers.
    fn merge(old: Vec<Partition>, before: &Moment) -> Whole {
        let order = old[0].fabric.timer_order();
        let (mut payloads, mut observers, mut events) = (PayloadTable::default(), Vec::new(), 0);
        let (mut fabrics, mut hosts, mut chains) = (Vec::new(), Vec::new(), Vec::new());
        for part in old {
            let mut part = part.into_parts();
            part.fabric = part.fabric.displaced();
            observers.extend(part.fabric.observer.take().and_then(Observers::unboxed));
            // What the packets of the first partition carry stays where it is.
            match fabrics.is_empty() {
                true => payloads = std::mem::take(&mut part.fabric.payloads),
                false => move_payloads(&mut part.fabric, &mut part.hosts, &mut payloads),
            }
            events += part.events;
            fabrics.push(part.fabric);
            hosts.push(part.hosts);
            chains.push(part.chains);
        }
        Whole {
            fabric: Fabric::merge(fabrics, before),
            hosts: Hosts::merge(hosts, before),
            payloads,
            chains: merge_nodes(chains, |node| before.layout.of_node[node as usize]),
            observers,
            events,
            order,
        }
    }

    /// The partitions of a layout, which were those of `before`. The first one goes on counting events.
    fn split(self, before: &Moment, after: &Moment) -> Vec<Partition> {
        let Whole { mut fabric, hosts, mut payloads, chains, observers, mut events, order } = self;
        let Moment { now, layout } = *after;
        let mut boundaries = connect(&mut fabric.ports, layout).into_iter();
        (fabric.paths, fabric.timed) = layout.paths_of_ports();
        fabric.last_links = layout.last_ports();
        let mut chains = split_nodes(chains, layout.parts, |node| layout.of_node[node as usize]).into_iter();
        let mut observers = Observers::split(observers, before, after).into_iter().map(Observers::boxed);
        let parts = fabric.split(after).into_iter().zip(hosts.split(after)).zip(0..);
        let part = |((mut fabric, mut hosts), part): ((Fabric, Hosts), u32)| {
            // A single partition has it all.
            fabric.payloads = match layout.parts {
                1 => std::mem::take(&mut payloads),
                _ => payloads_of(&mut fabric, &mut hosts, &mut payloads),
            };
            let (boundaries, agents) = (boundaries.next().unwrap_or_default(), hosts.agents.len() as u32);
            fabric.observer = observers.next().flatten();
            let fabric = fabric.placed(FabricPlace { order, agents, boundaries, partitions: layout.parts });
            let chains = chains.next().unwrap_or_default();
            let parts = PartitionParts { fabric, hosts, chains, events: std::mem::take(&mut events) };
            Partition::new(parts, layout.site(part), now)
        };
        parts.map(part).collect()
    }
}

/// A layout at an instant.
struct Moment<'a> {
    now: u64,
    layout: &'a PartitionLayout,
}

impl Owners for Moment<'_> {
    fn parts(&self) -> u32 {
        self.layout.parts
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn source_of(&self, flow: u32) -> u32 {
        self.layout.source_of(flow)
    }

    fn sink_of(&self, flow: u32) -> u32 {
        self.layout.sink_of(flow)
    }

    fn agent_of(&self, agent: u32) -> u32 {
        self.layout.agent_of(agent)
    }

    fn port_of(&self, link: u32) -> u32 {
        self.layout.ports[link as usize].part
    }

    fn fibre_of(&self, link: u32) -> u32 {
        self.layout.fibres[link as usize].part
    }

    fn path_of(&self, path: u32) -> u32 {
        self.port_of(self.layout.paths[path as usize])
    }
}

/// Every packet that a partition has, wherever it is.
pub fn for_each_packet(fabric: &mut Fabric, hosts: &mut Hosts, mut change: impl FnMut(&mut Packet)) {
    fabric.fibres.iter_mut().for_each(|fibre| fibre.for_each_mut(&mut change));
    fabric.ports.iter_mut().for_each(|port| port.for_each_held(&mut change));
    hosts.agents.items_mut().iter_mut().for_each(|hosted| hosted.agent.for_each_kept(&mut change));
    hosts.held.values_mut().for_each(change);
}

/// What the packets of a partition carry goes to another table.
fn move_payloads(fabric: &mut Fabric, hosts: &mut Hosts, to: &mut PayloadTable) {
    let mut theirs = std::mem::take(&mut fabric.payloads);
    for_each_packet(fabric, hosts, |packet| move_payload(packet, &mut theirs, to));
}

/// What they carry, out of a table that has more.
fn payloads_of(fabric: &mut Fabric, hosts: &mut Hosts, from: &mut PayloadTable) -> PayloadTable {
    let mut ours = PayloadTable::default();
    for_each_packet(fabric, hosts, |packet| move_payload(packet, from, &mut ours));
    ours
}

fn move_payload(packet: &mut Packet, from: &mut PayloadTable, to: &mut PayloadTable) {
    if packet.payload != NO_PAYLOAD {
        packet.payload = to.load(from.unload(packet));
    }
}

/// Connects every port with its fibre. Gives the fibres that lead out of each partition.
fn connect(ports: &mut [Port], layout: &PartitionLayout) -> Vec<Vec<Boundary>> {
    let mut entering = vec![0; layout.parts as usize];
    layout.fibres.iter().for_each(|at| entering[at.part as usize] += 1);
    let mut boundaries: Vec<Vec<_>> = (0..layout.parts).map(|_| Vec::new()).collect();
    for (port, (from, to)) in ports.iter_mut().zip(layout.ports.iter().zip(&layout.fibres)) {
        let leading_out = &mut boundaries[from.part as usize];
        port.connect(if from.part == to.part {
            to.number
        } else {
            leading_out.push(Boundary { to: to.part, fibre: to.number, port: from.number });
            entering[from.part as usize] + leading_out.len() as u32 - 1
        });
    }
    boundaries
}
