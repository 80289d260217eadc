//! The plan of a network of rotor switches.

use super::expander::{self, Expander};
use super::keys::{Acks, Counts, FirstHop, RotorSwitching, Routes};
use super::members::BySlice;
use super::schedule::{self, RackNetwork};
use super::slices::Slices;
use super::ways::{self, node_name};
use super::{Bulk, Rotor, Rules, Uplinks};
use crate::language::{At, Fault, Place, Size, Time, room};
use crate::model::{Network, NodeId};
use crate::switching::kind::{Checked, Demand, Site};
use crate::switching::uplinks::{self, Joined, Wrong};
use crate::topology::CIRCUIT_COST;
use std::sync::Arc;
use units::{ByteTime, Bytes, Duration};

/// A path over it, where that stands, and the far rack.
const BYTES_PER_CIRCUIT: f64 = 28.0;

/// Tables of shortest paths may take so many bytes: a byte for each part of a cycle and pair of racks.
const MOST_TABLES: f64 = 1e9;

/// The plan.
pub fn check(keys: &RotorSwitching, site: Site) -> Result<Checked, Fault> {
    let Site { at, network, largest_packet, first_event, .. } = site;
    let switches = switches(network, &at)?;
    let mut racks = racks(network, &switches, &at)?;
    check_links(&racks, network, &at)?;
    check_first_hop(keys, racks.len())?;
    lead_over_the_first_switch(&racks, network);
    let link = &network.links[racks[0].up[0].index()];
    let capacity = link.capacity;
    let byte_time = ByteTime::at(link.capacity).expect("a resolved link has a byte time");
    let rack_network = RackNetwork { racks: racks.len(), switches: switches.len(), link, largest_packet };
    let slices = schedule::slices(keys, &rack_network, &at)?;
    let by_slice = by_slice(keys, largest_packet)?;
    let buffer = room(keys.buffer.0, capacity, largest_packet, || keys.buffer.place().unwrap_or_else(|| at.place()))?;
    let carried = byte_time.bytes_in(Duration::from_ps(slices.light().0)).count();
    let bulk = bulk(keys, carried, network, &mut racks);
    ways::check_events(keys, first_event)?;
    // By detours that are drawn packets for one rack wait for the circuits to all others.
    let in_cycle = byte_time.bytes_in(Duration::from_ps(slices.cycle())).count();
    let of_circuit = if keys.routes.0 == Routes::Vlb { in_cycle } else { carried };
    let at_rack = ways::AtRack { carried: of_circuit, buffer: ways::bytes(buffer, largest_packet), largest_packet };
    let host_room = ways::hosts(keys, at_rack, network, &mut racks)?;
    let place = || {
        let keys = [keys.routes.place(), keys.cutoff.as_ref().map(At::place), keys.acks.place()];
        keys.into_iter().flatten().next().unwrap_or_else(|| at.place())
    };
    let name = |rack: u32| node_name(network, racks[rack as usize].node);
    if let Some((from, to)) = slices.never_joined().filter(|_| keys.routes.0 != Routes::Slice) {
        let place = keys.file.as_ref().map_or_else(|| at.place(), At::place);
        let message = format!("no circuit leads from {} to {}; allowed: one for each pair", name(from), name(to));
        return Err(Fault::new(place, message));
    }
    let expander = expander(by_slice.any(), &slices, &name, place)?;
    let demands = demands(&slices, expander.is_some(), place);
    let cycle = Time(Duration::from_ps(slices.cycle()));
    let mark_from = keys.mark_from.map(|at| *at);
    let rules = Rules { buffer, mark_from, host_room, bulk };
    let mut checked = Checked::plan(Rotor { switches, racks, slices, rules, by_slice, expander });
    checked.demands = demands;
    if keys.cycle.is_none() && keys.file.is_none() {
        checked.derive("cycle", cycle);
    }
    if let Some(room) = host_room.filter(|_| keys.host_room.is_none()) {
        checked.derive("host_room", Size(Bytes(room)));
    }
    Ok(checked)
}

/// The core nodes without links with hosts.
fn switches(network: &Network, at: &At<()>) -> Result<Vec<NodeId>, Fault> {
    let without = uplinks::cores(network).into_iter().filter(|(_, has_hosts)| !has_hosts);
    let found: Vec<NodeId> = without.map(|(node, _)| node).collect();
    match found.len() {
        0 => Err(at.fault("found no core node without hosts; allowed: 1 rotor switch at least (topology \"rotor\")")),
        1..=254 => Ok(found),
        many => Err(at.fault(format!("found {many} core nodes without hosts; allowed: 1 to 254 rotor switches"))),
    }
}

/// The nodes with links to and from all switches.
fn racks(network: &Network, switches: &[NodeId], at: &At<()>) -> Result<Vec<Uplinks>, Fault> {
    let joined = uplinks::joined(network, switches).map_err(|Wrong { node, found }| {
        let rack = node_name(network, node);
        at.fault(format!("{found}; allowed: one to and one from each rotor switch, as {rack} is a rack"))
    })?;
    let without_hosts = |Joined { node, up, down }| {
        let (control_up, control_down, hosts) = Default::default();
        Uplinks { node, up, down, control_up, control_down, hosts }
    };
    let racks: Vec<Uplinks> = joined.into_iter().map(without_hosts).collect();
    match racks.len() {
        0 | 1 => Err(at.fault(format!("found {} racks; allowed: 2 at least (topology \"rotor\")", racks.len()))),
        _ => Ok(racks),
    }
}

/// Light passes rotor switches without a stop, and is as long on the way by each of them.
fn check_links(racks: &[Uplinks], network: &Network, at: &At<()>) -> Result<(), Fault> {
    let links = racks.iter().flat_map(|rack| rack.up.iter().chain(&rack.down)).map(|id| &network.links[id.index()]);
    uplinks::differ(links, "rotor switches").map_or(Ok(()), |why| Err(at.fault(why)))
}

/// With two racks there is no other one.
fn check_first_hop(keys: &RotorSwitching, racks: usize) -> Result<(), Fault> {
    match (keys.routes.0, keys.first_hop.0) {
        (Routes::Vlb, FirstHop::Other) if racks < 3 => Err(keys
            .first_hop
            .fault(format!("found \"other\" with {racks} racks; allowed: \"any\", or 3 racks at least"))),
        _ => Ok(()),
    }
}

/// Paths of flows do; racks send packets over the switches that have their circuits.
fn lead_over_the_first_switch(racks: &[Uplinks], network: &mut Network) {
    let others = racks.iter().flat_map(|rack| rack.up[1..].iter().chain(&rack.down[1..]));
    others.for_each(|id| network.links[id.index()].cost = CIRCUIT_COST);
}

/// The way of what does not take the slice. With offers, the racks get control channels.
fn bulk(keys: &RotorSwitching, carried: u64, network: &mut Network, racks: &mut [Uplinks]) -> Bulk {
    match keys.routes.0 {
        Routes::Direct | Routes::Slice => Bulk::Direct,
        Routes::Vlb => Bulk::Vlb(keys.first_hop.0),
        Routes::RotorLb => {
            racks.iter_mut().for_each(|rack| ways::add(network, rack));
            let parts = if keys.counts.0 == Counts::Hosts { ways::most_hosts(network, racks) } else { 1 };
            let room = (carried as f64 * *keys.relay_room) as u64;
            Bulk::RotorLb { room, parts, answers: keys.answers.0 }
        }
    }
}

fn by_slice(keys: &RotorSwitching, largest_packet: u32) -> Result<BySlice, Fault> {
    if let Some(cutoff) = keys.cutoff.as_ref().filter(|cutoff| cutoff.0.count() < u64::from(largest_packet)) {
        let found = cutoff.0;
        return Err(cutoff.fault(format!("found \"{found}\"; allowed: at least \"{largest_packet} B\", a packet")));
    }
    let below = keys.cutoff.as_ref().map_or(0, |cutoff| cutoff.0.count());
    let all = keys.routes.0 == Routes::Slice;
    Ok(BySlice { all, below, acks: if all { Acks::AsData } else { keys.acks.0 } })
}

/// The shortest paths, if anything takes them.
fn expander(
    is_used: bool,
    slices: &Slices,
    name: &dyn Fn(u32) -> String,
    place: impl Fn() -> Place,
) -> Result<Option<Arc<Expander>>, Fault> {
    if !is_used {
        return Ok(None);
    }
    let bytes = expander::bytes(slices);
    if bytes > MOST_TABLES {
        let (racks, phases) = (slices.racks(), slices.phases());
        let message = format!(
            "shortest paths between {racks} racks in {phases} parts of a cycle would take {:.1} GB; allowed: {} GB, as \
             with fewer racks",
            bytes / 1e9,
            MOST_TABLES / 1e9
        );
        return Err(Fault::new(place(), message));
    }
    let found = Expander::new(slices).map_err(|apart| {
        let (when, from, to) = (apart.at, name(apart.from), name(apart.to));
        let message =
            format!("\"{when}\" into a cycle no circuits lead from {from} to {to}; allowed: paths in each slice");
        Fault::new(place(), format!("{message}, as with more rotor switches or order = \"one-by-one\""))
    })?;
    Ok(Some(Arc::new(found)))
}

fn demands(slices: &Slices, has_tables: bool, place: impl Fn() -> Place) -> Vec<Demand> {
    let (racks, phases, matchings) = (slices.racks(), slices.phases(), slices.matchings().len());
    let paths = Demand {
        what: format!("paths over circuits of {racks} racks in {matchings} matchings"),
        bytes: matchings as f64 * f64::from(racks) * BYTES_PER_CIRCUIT,
        place: place(),
    };
    let tables = has_tables.then(|| Demand {
        what: format!("shortest paths between {racks} racks in {phases} parts of a cycle"),
        bytes: expander::bytes(slices),
        place: place(),
    });
    [paths].into_iter().chain(tables).collect()
}
