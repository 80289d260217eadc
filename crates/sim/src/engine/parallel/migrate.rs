//! Moving a network's state to another partitioning, between two instants of a run.
//!
//! Every port, fibre, machine and timer moves to the partition of its node, and nothing else changes: results do not
//! know how nodes are assigned.

use crate::engine::execute::layout::{Location, PartitionLayout};
use crate::engine::execute::partition::Partition;
use crate::engine::link::port::Port;
use crate::engine::link::ring::Ring;
use crate::engine::node::fabric::{Boundary, Fabric, FabricParts};
use crate::engine::node::hosts::Hosts;
use crate::engine::node::timers::{TimerKind, TimingWheel};
use crate::engine::observe::loss_attribution::Drops;
use crate::engine::observe::observers::Observers;
use crate::engine::observe::trace::{Trace, merged};
use crate::engine::packet::arena::{Arena, places};
use crate::engine::packet::{DELIVER, NO_PATH, NO_PAYLOAD, Packet, PayloadTable};
use std::sync::Arc;

/// Moves everything from the partitions of `before` to those of `after`; `now` is the time that all have reached.
pub fn migrate(now: u64, mut old: Vec<Partition>, before: &PartitionLayout, after: &PartitionLayout) -> Vec<Partition> {
    let (order, mask) = (old[0].fabric.timer_order(), old[0].hosts.timers.mask());
    let paths = translate(after);
    let mut nets: Vec<FabricParts> = (0..after.parts).map(|part| empty(part, after, &paths)).collect();
    let mut ports: Vec<_> = old.iter_mut().map(|part| std::mem::take(&mut part.fabric.ports).into_iter()).collect();
    for (link, (was, is)) in before.ports.iter().zip(&after.ports).enumerate() {
        let port = ports[was.part as usize].next().expect("a partition has its ports in the order of the links");
        connect(&mut nets[is.part as usize], port, link as u32, after);
    }
    drop(ports);
    let mut new: Vec<Partition> = nets
        .into_iter()
        .zip(migrate_hosts(&mut old, before, after, mask))
        .enumerate()
        .map(|(part, (mut fabric, hosts))| {
            fabric.agents = hosts.agents.len() as u32;
            let chains = chains(&old, part as u32, before, after);
            let fabric = Fabric::new(fabric, order, after.parts as usize);
            Partition::new(fabric, hosts, after.site(part as u32), chains, now)
        })
        .collect();
    for (was, is) in before.ports.iter().zip(&after.ports) {
        let (source, target) = (&mut old[was.part as usize].fabric, &mut new[is.part as usize].fabric);
        let payload = &mut target.payloads;
        target.ports[is.number as usize].for_each_held(|packet| move_payloads(packet, &mut source.payloads, payload));
    }
    for agent in 0..after.agents.len() as u32 {
        let (was, is) = (before.agent_of(agent) as usize, after.agent_of(agent) as usize);
        let (source, target) = (&mut old[was].fabric.payloads, &mut new[is]);
        let payload = &mut target.fabric.payloads;
        target.hosts.agents[agent].agent.for_each_kept(&mut |packet| move_payloads(packet, source, payload));
    }
    for link in 0..after.links.len() {
        move_fibre(&mut old, &mut new, before.fibres[link], after.fibres[link]);
    }
    migrate_fates(&mut old, &mut new, after);
    migrate_trace(&mut old, &mut new);
    migrate_observers(&mut old, &mut new, after);
    move_totals(&mut old, &mut new[0]);
    new[0].count_from_now();
    new
}

/// Paths as lists of ports, each in the numbering of the partition that has it: no other one reads that place.
pub fn translate(layout: &PartitionLayout) -> Arc<[u32]> {
    let port = |link: &u32| match *link {
        DELIVER | NO_PATH => *link,
        link => layout.ports[link as usize].number,
    };
    layout.paths.iter().map(port).collect()
}

fn empty(part: u32, layout: &PartitionLayout, paths: &Arc<[u32]>) -> FabricParts {
    let fibres = layout.fibres.iter().filter(|at| at.part == part).map(|_| Ring::new()).collect();
    FabricParts {
        ports: Vec::new(),
        links: Vec::new(),
        fibres,
        agents: 0,
        boundaries: Vec::new(),
        paths: Arc::clone(paths),
    }
}

/// Adds the port of `link` to its partition.
fn connect(fabric: &mut FabricParts, mut port: Port, link: u32, layout: &PartitionLayout) {
    let (Location { part, number }, to) = (layout.ports[link as usize], layout.fibres[link as usize]);
    port.connect(if part == to.part {
        to.number
    } else {
        fabric.boundaries.push(Boundary { to: to.part, fibre: to.number, port: number });
        (fabric.fibres.len() + fabric.boundaries.len()) as u32 - 1
    });
    fabric.ports.push(port);
    fabric.links.push(link);
}

fn move_fibre(old: &mut [Partition], new: &mut [Partition], from: Location, to: Location) {
    let source = &mut old[from.part as usize].fabric;
    let target = &mut new[to.part as usize].fabric;
    let mut fibre = std::mem::take(&mut source.fibres[from.number as usize]);
    fibre.for_each_mut(|packet: &mut Packet| move_payloads(packet, &mut source.payloads, &mut target.payloads));
    target.fibres[to.number as usize] = fibre;
    target.rekey(to.number);
}

fn move_payloads(packet: &mut Packet, from: &mut PayloadTable, to: &mut PayloadTable) {
    if packet.payload != NO_PAYLOAD {
        packet.payload = to.load(from.unload(packet));
    }
}

/// The hash chains of the nodes of `part`.
fn chains(old: &[Partition], part: u32, before: &PartitionLayout, after: &PartitionLayout) -> Vec<u64> {
    let nodes = before.of_node.iter().zip(&after.of_node).enumerate();
    nodes.map(|(node, (was, is))| if *is == part { old[*was as usize].chains[node] } else { 0 }).collect()
}

fn migrate_hosts(old: &mut [Partition], before: &PartitionLayout, after: &PartitionLayout, mask: u32) -> Vec<Hosts> {
    let timers: Vec<_> = old.iter_mut().flat_map(|part| part.hosts.timers.drain()).collect();
    let (flows, agents) = (after.flows.len() as u32, after.agents.len() as u32);
    let of = |count: u32, owner: fn(&PartitionLayout, u32) -> u32| Owners { before, after, count, owner };
    let senders = migrate_items(old, |hosts| &mut hosts.senders, of(flows, PartitionLayout::source_of));
    let lifecycles = migrate_items(old, |hosts| &mut hosts.lifecycles, of(flows, PartitionLayout::source_of));
    let receivers = migrate_items(old, |hosts| &mut hosts.receivers, of(flows, PartitionLayout::sink_of));
    let agents = migrate_items(old, |hosts| &mut hosts.agents, of(agents, PartitionLayout::agent_of));
    let sides = senders.into_iter().zip(lifecycles).zip(receivers).zip(agents);
    let mut hosts: Vec<Hosts> = sides
        .map(|(((senders, lifecycles), receivers), agents)| {
            let mut hosts = Hosts::new(senders, receivers, lifecycles, TimingWheel::new(mask));
            hosts.agents = agents;
            hosts
        })
        .collect();
    for (time, timer) in timers {
        let part = match timer.kind() {
            TimerKind::Receiver => after.sink_of(timer.flow()),
            TimerKind::Sender | TimerKind::Lifecycle | TimerKind::Held => after.source_of(timer.flow()),
        };
        hosts[part as usize].timers.push(time, timer);
    }
    hosts
}

/// Which partition has each of `count` flows or agents, before and after.
struct Owners<'a> {
    before: &'a PartitionLayout,
    after: &'a PartitionLayout,
    count: u32,
    /// The partition of a flow or an agent.
    owner: fn(&PartitionLayout, u32) -> u32,
}

/// Hands out what each partition has of its flows or agents.
fn migrate_items<T>(old: &mut [Partition], arena: fn(&mut Hosts) -> &mut Arena<T>, owners: Owners) -> Vec<Arena<T>> {
    let Owners { before, after, count, owner } = owners;
    let take = |part: &mut Partition| std::mem::take(arena(&mut part.hosts)).into_items().into_iter();
    let mut sources: Vec<_> = old.iter_mut().map(take).collect();
    let mut counts = vec![0; after.parts as usize];
    (0..count).for_each(|number| counts[owner(after, number) as usize] += 1);
    // Of a million flows each item is moved once, to a place that it keeps.
    let mut assigned: Vec<Vec<T>> = counts.into_iter().map(Vec::with_capacity).collect();
    for number in 0..count {
        let item = sources[owner(before, number) as usize].next();
        assigned[owner(after, number) as usize]
            .push(item.expect("a partition has its flows and agents in their order"));
    }
    let places = if after.parts == 1 { Arc::from([]) } else { places(count, |number| owner(after, number)) };
    assigned.into_iter().map(|items| Arena::some(items, Arc::clone(&places))).collect()
}

/// Forced fates and packets held back go where their flows send.
fn migrate_fates(old: &mut [Partition], new: &mut [Partition], layout: &PartitionLayout) {
    let held_count = old.iter().map(|part| part.hosts.held_count).max().unwrap_or(0);
    for part in old {
        for (key, mut packet) in std::mem::take(&mut part.hosts.held) {
            let target = &mut new[layout.source_of(key.0) as usize];
            move_payloads(&mut packet, &mut part.fabric.payloads, &mut target.fabric.payloads);
            target.hosts.held.insert(key, packet);
        }
        for (flow, fates) in std::mem::take(&mut part.hosts.forced.flows) {
            new[layout.source_of(flow) as usize].hosts.forced.flows.insert(flow, fates);
        }
        for (flow, orders) in std::mem::take(&mut part.hosts.forced.orders) {
            new[layout.source_of(flow) as usize].hosts.forced.orders.insert(flow, orders);
        }
    }
    new.iter_mut().for_each(|part| part.hosts.held_count = held_count);
}

/// What has happened so far stays in one of the partitions, in its order; all go on noting.
fn migrate_trace(old: &mut [Partition], new: &mut [Partition]) {
    let traces = old.iter_mut().filter_map(|part| part.fabric.trace.take()).map(|trace| *trace);
    let Some((rules, whole)) = merged(traces) else { return };
    let taken = whole.taken;
    let (first, others) = new.split_first_mut().expect("a world has a partition");
    let trace = first.fabric.trace.insert(Box::new(Trace::going_on(rules.clone(), whole)));
    if others.is_empty() {
        trace.go_alone();
    }
    others.iter_mut().for_each(|part| part.fabric.trace = Some(Box::new(Trace::beside(rules.clone(), taken))));
}

/// Who watches goes on in every partition. What has been seen of a flow goes with its end, all else to the first.
fn migrate_observers(old: &mut [Partition], new: &mut [Partition], layout: &PartitionLayout) {
    let old: Vec<Observers> = old.iter_mut().filter_map(|part| Observers::take(&mut part.fabric)).collect();
    let Some(one) = old.first() else { return };
    let mut all: Vec<Observers> = new.iter().map(|_| one.anew()).collect();
    let mut lists = Vec::new();
    for Observers { capture, delays, reordering, accounts, drops } in old {
        all[0].capture = all[0].capture.take().or(capture);
        if let (Some(sum), Some(delays)) = (&mut all[0].delays, &delays) {
            sum.add(delays);
        }
        for (flow, seen) in reordering.map(|mut reordering| reordering.take()).unwrap_or_default() {
            if let Some(reordering) = &mut all[layout.sink_of(flow) as usize].reordering {
                reordering.put(flow, seen);
            }
        }
        for (flow, account) in accounts {
            all[layout.source_of(flow) as usize].accounts.insert(flow, account);
        }
        lists.extend(drops.map(|drops| *drops));
    }
    if let Some(drops) = &mut all[0].drops {
        **drops = Drops::merged(lists.into_iter());
    }
    new.iter_mut().zip(all).for_each(|(part, observers)| observers.watch(&mut part.fabric));
}

/// What has been counted so far goes to one of the partitions; only sums over all of them are ever read.
fn move_totals(old: &mut [Partition], new: &mut Partition) {
    for part in old {
        new.events += part.events;
        new.fabric.packet_hops += part.fabric.packet_hops;
        new.fabric.taken_back += part.fabric.taken_back;
        new.hosts.emitted += part.hosts.emitted;
        new.hosts.delivered += part.hosts.delivered;
        new.hosts.marked += part.hosts.marked;
        for (key, count) in std::mem::take(&mut part.fabric.drops) {
            let sum = new.fabric.drops.entry(key).or_default();
            *sum = sum.plus(count);
        }
        if let Some(capture) = part.fabric.capture.take() {
            new.fabric.capture = Some(capture);
        }
    }
}
