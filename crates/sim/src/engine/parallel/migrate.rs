//! Moving a network's state to another partitioning, between two instants of a run.
//!
//! Every port, fibre, machine and timer moves to the partition of its node, and nothing else changes: results do not
//! know how nodes are assigned. What the old partitions have is merged and then split among the new ones, which the
//! [containers](crate::engine::packet::containers) of the state do themselves.
//!
//! Partitions, fabrics and hosts are taken apart and put together field by field, without `..`: a new field does not
//! compile before it is said here how it moves.

use crate::engine::execute::layout::PartitionLayout;
use crate::engine::execute::partition::{Partition, PartitionParts};
use crate::engine::link::port::Port;
use crate::engine::link::ring::Ring;
use crate::engine::node::fabric::{Boundary, Fabric, FabricParts};
use crate::engine::node::forced::ForcedFates;
use crate::engine::node::hosts::{HostedAgent, Hosts, Lifecycle, NewsFeed, Puller, ReceivingHost, SendingHost};
use crate::engine::node::spray::Flowlets;
use crate::engine::node::timers::{TimerId, TimerKind, TimingWheel};
use crate::engine::observe::observers::Observers;
use crate::engine::packet::containers::{
    PerAgent, PerFlow, PerLink, merge, merge_nodes, split, split_map, split_nodes,
};
use crate::engine::packet::{DELIVER, LinkTotals, NO_PATH, NO_PAYLOAD, Packet, PayloadTable};
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{Actions, ReceiverActions};

/// Moves everything from the partitions of `before` to those of `after`; `now` is the time that all have reached.
pub fn migrate(now: u64, old: Vec<Partition>, before: &PartitionLayout, after: &PartitionLayout) -> Vec<Partition> {
    let (order, mask) = (old[0].fabric.timer_order(), old[0].hosts.timers.mask());
    let (mut links, mut flows, mut chains) = (OfLinks::default(), OfFlows::default(), Vec::new());
    let (mut payloads, mut totals) = (PayloadTable::default(), Totals::default());
    for part in old {
        let PartitionParts { fabric, mut hosts, chains: of_part, events } = part.into_parts();
        let mut fabric = fabric.into_parts();
        let mut theirs = std::mem::take(&mut fabric.payloads);
        // What the packets of the first partition carry stays where it is.
        match chains.is_empty() {
            true => payloads = theirs,
            false => {
                for_each_packet(&mut fabric, &mut hosts, |packet| move_payload(packet, &mut theirs, &mut payloads))
            }
        }
        chains.push(of_part);
        totals.events += events;
        links.add(fabric, &mut totals);
        flows.add(hosts, &mut totals);
    }
    let chains = merge_nodes(chains, |node| before.of_node[node as usize]);
    let chains = split_nodes(chains, after.parts, |node| after.of_node[node as usize]);
    let (fabrics, hosts) = (links.split(before, after), flows.split(before, after, || TimingWheel::new(now, mask)));
    let parts = fabrics.into_iter().zip(hosts).zip(chains).zip(0..);
    let part = |(((mut fabric, mut hosts), chains), part): (((FabricParts, Hosts), _), u32)| {
        match after.parts {
            1 => fabric.payloads = std::mem::take(&mut payloads),
            _ => {
                let mut ours = PayloadTable::default();
                for_each_packet(&mut fabric, &mut hosts, |packet| move_payload(packet, &mut payloads, &mut ours));
                fabric.payloads = ours;
            }
        }
        fabric.agents = hosts.agents.len() as u32;
        let events = std::mem::take(&mut totals).give(&mut fabric, &mut hosts);
        let fabric = Fabric::new(fabric, order, after.parts as usize);
        Partition::new(PartitionParts { fabric, hosts, chains, events }, after.site(part), now)
    };
    parts.map(part).collect()
}

/// Every packet that a partition has, wherever it is.
pub fn for_each_packet(fabric: &mut FabricParts, hosts: &mut Hosts, mut change: impl FnMut(&mut Packet)) {
    fabric.fibres.iter_mut().for_each(|fibre| fibre.for_each_mut(&mut change));
    fabric.ports.iter_mut().for_each(|port| port.for_each_held(&mut change));
    hosts.agents.items_mut().iter_mut().for_each(|hosted| hosted.agent.for_each_kept(&mut change));
    hosts.held.values_mut().for_each(change);
}

fn move_payload(packet: &mut Packet, from: &mut PayloadTable, to: &mut PayloadTable) {
    if packet.payload != NO_PAYLOAD {
        packet.payload = to.load(from.unload(packet));
    }
}

/// What has been counted so far. It goes to the first partition; only sums over all of them are ever read.
#[derive(Default)]
struct Totals {
    events: u64,
    links: LinkTotals,
    emitted: u64,
    delivered: u64,
    marked: u64,
}

impl Totals {
    /// Gives them to a partition, but for the number of events, which is left.
    fn give(self, fabric: &mut FabricParts, hosts: &mut Hosts) -> u64 {
        let Totals { events, links, emitted, delivered, marked } = self;
        fabric.totals = links;
        (hosts.emitted, hosts.delivered, hosts.marked) = (emitted, delivered, marked);
        events
    }
}

/// What the fabrics of the old partitions have.
#[derive(Default)]
struct OfLinks {
    ports: Vec<PerLink<Port>>,
    fibres: Vec<PerLink<Ring<Packet>>>,
    observers: Vec<Observers>,
    flowlets: Flowlets,
}

impl OfLinks {
    fn add(&mut self, fabric: FabricParts, totals: &mut Totals) {
        let FabricParts {
            ports,
            fibres,
            totals: of_part,
            observer,
            payloads: _, // moved before, with the packets
            agents: _,
            links: _,
            paths: _,
            returns: _,
            spray: _,
            flowlets,
            boundaries: _, // the new layout says
        } = fabric;
        self.ports.push(ports);
        self.fibres.push(fibres);
        self.flowlets.extend(flowlets);
        self.observers.extend(observer.and_then(Observers::unboxed));
        totals.links.add(&of_part);
    }

    fn split(self, before: &PartitionLayout, after: &PartitionLayout) -> Vec<FabricParts> {
        let OfLinks { ports, fibres, observers, flowlets } = self;
        let mut ports = merge(ports, |link| before.ports[link as usize].part);
        let fibres = merge(fibres, |link| before.fibres[link as usize].part);
        let boundaries = connect(&mut ports, after);
        let links: PerLink<u32> = (0..ports.len() as u32).collect();
        let port = |link: u32| after.ports[link as usize].part;
        let fibres = split(fibres, after.parts, |link| after.fibres[link as usize].part);
        let of_ports = split(ports, after.parts, port).into_iter().zip(split(links, after.parts, port));
        let observers = Observers::split(observers, after).into_iter().map(Observers::boxed);
        let paths = translate(after);
        let begins = |path: u32| after.ports[after.paths[path as usize] as usize].part;
        let flowlets = split_map(flowlets, after.parts, |(_, path)| begins(*path));
        let fabric = |(((((ports, links), fibres), boundaries), observer), flowlets)| FabricParts {
            ports,
            links,
            fibres,
            boundaries,
            observer,
            paths: Arc::clone(&paths),
            returns: Arc::clone(&after.returns),
            spray: after.spray.clone(),
            flowlets,
            agents: 0,
            payloads: PayloadTable::default(),
            totals: LinkTotals::default(),
        };
        of_ports.zip(fibres).zip(boundaries).zip(observers).zip(flowlets).map(fabric).collect()
    }
}

/// Paths as lists of ports, each in the numbering of the partition that has it: no other one reads that place.
fn translate(layout: &PartitionLayout) -> Arc<[u32]> {
    let port = |link: &u32| match *link {
        DELIVER | NO_PATH => *link,
        link => layout.ports[link as usize].number,
    };
    layout.paths.iter().map(port).collect()
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

/// What the hosts of the old partitions have.
#[derive(Default)]
struct OfFlows {
    senders: Vec<PerFlow<SendingHost>>,
    receivers: Vec<PerFlow<ReceivingHost>>,
    lifecycles: Vec<PerFlow<Lifecycle>>,
    agents: Vec<PerAgent<HostedAgent>>,
    timers: Vec<(u64, TimerId)>,
    forced: ForcedFates,
    news: BTreeMap<u32, NewsFeed>,
    pullers: BTreeMap<u32, Puller>,
    held: BTreeMap<(u32, u64, u64), Packet>,
    held_count: u64,
}

impl OfFlows {
    fn add(&mut self, hosts: Hosts, totals: &mut Totals) {
        let Hosts {
            senders,
            receivers,
            lifecycles,
            agents,
            timers,
            forced,
            news,
            pullers,
            emitted,
            delivered,
            marked,
            held,
            held_count,
            opened: _,
            segments: _,
            acks: _, // empty between two calls
        } = hosts;
        self.senders.push(senders);
        self.receivers.push(receivers);
        self.lifecycles.push(lifecycles);
        self.agents.push(agents);
        self.timers.extend(timers.into_entries());
        self.forced.add_all(forced);
        self.news.extend(news);
        self.pullers.extend(pullers);
        self.held.extend(held);
        self.held_count = self.held_count.max(held_count);
        totals.emitted += emitted;
        totals.delivered += delivered;
        totals.marked += marked;
    }

    /// Each with its timers in a wheel of its own.
    fn split(self, before: &PartitionLayout, after: &PartitionLayout, wheel: impl Fn() -> TimingWheel) -> Vec<Hosts> {
        let OfFlows { senders, receivers, lifecycles, agents, timers, forced, news, pullers, held, held_count } = self;
        let (parts, source) = (after.parts, |flow: u32| after.source_of(flow));
        let senders = PerFlow::merge(senders, |flow| before.source_of(flow)).split(parts, source);
        let lifecycles = PerFlow::merge(lifecycles, |flow| before.source_of(flow)).split(parts, source);
        let receivers = PerFlow::merge(receivers, |flow| before.sink_of(flow)).split(parts, |flow| after.sink_of(flow));
        let agents = PerFlow::merge(agents, |agent| before.agent_of(agent)).split(parts, |agent| after.agent_of(agent));
        let (held, forced) = (split_map(held, parts, |(flow, ..)| source(*flow)), forced.split(parts, source));
        let news = split_map(news, parts, |flow| source(*flow));
        let pullers = split_map(pullers, parts, |flow| after.sink_of(*flow));
        let timers = split_timers(timers, wheel, after);
        let of_sources = senders.into_iter().zip(lifecycles).zip(forced.into_iter().zip(news)).zip(held);
        let of_sinks = receivers.into_iter().zip(pullers).zip(agents);
        let hosts =
            |(((((senders, lifecycles), (forced, news)), held), ((receivers, pullers), agents)), timers)| Hosts {
                senders,
                receivers,
                lifecycles,
                agents,
                timers,
                forced,
                news,
                pullers,
                held,
                held_count,
                emitted: 0,
                delivered: 0,
                marked: 0,
                opened: Vec::new(),
                segments: Actions::default(),
                acks: ReceiverActions::default(),
            };
        of_sources.zip(of_sinks).zip(timers).map(hosts).collect()
    }
}

/// Each timer goes with the side of its flow that it calls.
fn split_timers(
    timers: Vec<(u64, TimerId)>,
    wheel: impl Fn() -> TimingWheel,
    layout: &PartitionLayout,
) -> Vec<TimingWheel> {
    let mut split: Vec<TimingWheel> = (0..layout.parts).map(|_| wheel()).collect();
    for (time, timer) in timers {
        let part = match timer.kind() {
            TimerKind::Receiver | TimerKind::Pull => layout.sink_of(timer.flow()),
            TimerKind::Sender | TimerKind::Lifecycle | TimerKind::Held | TimerKind::News => {
                layout.source_of(timer.flow())
            }
        };
        split[part as usize].push(time, timer);
    }
    split
}
