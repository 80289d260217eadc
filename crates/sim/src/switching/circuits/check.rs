//! The plan of a network of circuits.

use super::keys::CircuitSwitching;
use super::week::Week;
use super::{Circuits, Links, Room, Rules, schedule};
use crate::language::{At, Fault, Key, Place, quoted, room};
use crate::links::LinkProperties;
use crate::model::{Buffer, Lane, Link, LinkId, Network, NodeId};
use crate::switching::kind::{Checked, Site};
use crate::topology::{CIRCUIT_COST, Draft};
use std::collections::BTreeMap;
use units::{ByteTime, Duration, Rate};

/// Credits hardly last.
const CREDIT_CAPACITY: Rate = Rate::from_gbps(1000);

/// The plan. Circuits get a cost that no route takes, and the packet switch gets ways for credits.
pub fn check(keys: &CircuitSwitching, site: Site) -> Result<Checked, Fault> {
    let Site { at, network, draft, largest_packet, .. } = site;
    let packet_switch = switch(&keys.packet_switch, draft, &at)?;
    let circuit_switch = switch(&keys.circuit_switch, draft, &at)?;
    let mut racks = racks(network, [packet_switch, circuit_switch], &at)?;
    check_rates(&racks, network, *keys.cut_through, &at)?;
    check_controllers(keys, &racks, network)?;
    let week = schedule::week(keys, &racks, network, &at)?;
    check_times(keys, &week, &network.links[racks[0].to_circuit.index()], largest_packet)?;
    let capacity = network.links[racks[0].to_packet.index()].capacity;
    let of = |at: &At<crate::language::Room>| room(at.0, capacity, largest_packet, || at.place());
    let mark_from = keys.mark_from.map(|at| *at);
    let usual = Room { buffer: of(&keys.buffer)?, mark_from };
    let resized_mark_from = keys.resized_mark_from.map(|at| *at).or(mark_from);
    let resized = keys.resized_buffer.as_ref().map(|at| {
        let room = Room { buffer: of(at)?, mark_from: resized_mark_from };
        Ok((room, keys.lead.0.ps()))
    });
    for links in &mut racks {
        [links.to_circuit, links.from_circuit].iter().for_each(|id| network.links[id.index()].cost = CIRCUIT_COST);
        links.credits = add_credits(network, links.from_packet);
    }
    let rules = Rules {
        usual,
        resized: resized.transpose()?,
        room: u64::from(*keys.places) * u64::from(largest_packet),
        cut_through: *keys.cut_through,
        in_day: keys.in_day.0,
        day_end: keys.day_end.0,
        xcp_lead: keys.xcp_lead.0.ps(),
    };
    Ok(Checked::plan(Circuits { packet_switch, circuit_switch, racks, week, rules }))
}

fn switch(name: &Key<String>, draft: &Draft, at: &At<()>) -> Result<NodeId, Fault> {
    draft.require(name, name.place().unwrap_or_else(|| at.place()))
}

/// The nodes with links to and from both switches.
fn racks(network: &Network, [packet, circuit]: [NodeId; 2], at: &At<()>) -> Result<Vec<Links>, Fault> {
    let mut ends: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
    for (link, id) in network.links.iter().zip((0..).map(LinkId)) {
        ends.entry((link.from, link.to)).or_default().push(id);
    }
    let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
    let only = |from: NodeId, to: NodeId| match ends.get(&(from, to)).map_or(&[][..], Vec::as_slice) {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        more => {
            let (count, from, to) = (more.len(), name(from), name(to));
            Err(at.fault(format!("there are {count} links from {from} to {to}; allowed: one")))
        }
    };
    let mut racks = Vec::new();
    let nodes = (0..network.nodes.len() as u32).map(NodeId);
    for node in nodes.filter(|node| *node != packet && *node != circuit) {
        let links = [only(node, packet)?, only(packet, node)?, only(node, circuit)?, only(circuit, node)?];
        match links {
            [Some(to_packet), Some(from_packet), Some(to_circuit), Some(from_circuit)] => {
                let credits = from_packet;
                racks.push(Links { node, to_packet, from_packet, to_circuit, from_circuit, credits });
            }
            [None, None, None, None] => {}
            _ => {
                let (node, packet, circuit) = (name(node), name(packet), name(circuit));
                let message = format!(
                    "{node} has links with {packet} and {circuit}, and not one to and one from each; allowed: all \
                     four, or none"
                );
                return Err(at.fault(message));
            }
        }
    }
    if racks.len() < 2 {
        let (found, packet, circuit) = (racks.len(), name(packet), name(circuit));
        let message = format!("found {found} racks, which have links with both {packet} and {circuit}; allowed: 2");
        return Err(at.fault(format!("{message} at least (topology \"racks\")")));
    }
    Ok(racks)
}

/// Light passes the circuit switch without a stop, and packets the packet switch if it cuts through.
fn check_rates(racks: &[Links], network: &Network, cut_through: bool, at: &At<()>) -> Result<(), Fault> {
    let link = |id: LinkId| &network.links[id.index()];
    let circuits = racks.iter().flat_map(|rack| [rack.to_circuit, rack.from_circuit]);
    let packets = racks.iter().flat_map(|rack| [rack.to_packet, rack.from_packet]);
    let alike = |ids: &mut dyn Iterator<Item = LinkId>, of: &dyn Fn(&Link) -> String, what: &str| {
        let all: Vec<&Link> = ids.map(link).collect();
        match all.iter().find(|other| of(other) != of(all[0])) {
            Some(other) => {
                let (a, b) = (quoted(&all[0].name), quoted(&other.name));
                let (has, had) = (of(all[0]), of(other));
                Err(at.fault(format!("{a} has {has} and {b} has {had}; allowed: {what}")))
            }
            None => Ok(()),
        }
    };
    let capacity = |link: &Link| link.capacity.to_string();
    alike(&mut circuits.clone(), &capacity, "circuits of one capacity")?;
    // Else two days would meet at the switch.
    alike(&mut circuits.clone(), &|link| format!("a delay of {}", link.delay), "circuits of one delay")?;
    if cut_through {
        alike(&mut packets.clone(), &capacity, "one capacity, or cut_through = false")?;
    }
    Ok(())
}

fn check_times(keys: &CircuitSwitching, week: &Week, circuit: &Link, largest_packet: u32) -> Result<(), Fault> {
    let lasts = ByteTime::at(circuit.capacity).map_or(Duration::MAX, |byte| byte.of(largest_packet));
    if let Some(day) = keys.day.as_ref().filter(|day| day.0 < lasts) {
        let (found, capacity) = (day.0, circuit.capacity);
        let message = format!("found \"{found}\"; allowed: at least \"{lasts}\", which {largest_packet} B last");
        return Err(day.fault(format!("{message} at {capacity}")));
    }
    let length = Duration::from_ps(week.length());
    let most = length.saturating_sub(Duration::from_ps(week.longest_day()));
    if keys.lead.0 > most {
        let message =
            format!("found \"{}\"; allowed: at most \"{most}\", a week of {length} less the day", keys.lead.0);
        return Err(Fault::new(keys.lead.place().unwrap_or(Place::Unknown), message));
    }
    if keys.xcp_lead.0 > length {
        let message = format!("found \"{}\"; allowed: at most \"{length}\", a week", keys.xcp_lead.0);
        return Err(Fault::new(keys.xcp_lead.place().unwrap_or(Place::Unknown), message));
    }
    Ok(())
}

/// Who is told ahead is there. A lead of nothing is nobody's.
fn check_controllers(keys: &CircuitSwitching, racks: &[Links], network: &Network) -> Result<(), Fault> {
    let has_any = racks.iter().any(|rack| network.links[rack.to_packet.index()].controller.is_some());
    match keys.xcp_lead.place() {
        Some(place) if !has_any && keys.xcp_lead.0 > Duration::ZERO => {
            Err(Fault::new(place, "goes with xcp = {} at links to the packet switch, as by [link_defaults]".to_owned()))
        }
        _ => Ok(()),
    }
}

/// A way for credits beside the link from the packet switch to a rack.
fn add_credits(network: &mut Network, from_packet: LinkId) -> LinkId {
    let data = network.links[from_packet.index()].clone();
    network.links.push(Link {
        name: format!("{} (control)", data.name),
        capacity: CREDIT_CAPACITY,
        buffer: Buffer::Unlimited,
        properties: LinkProperties::default(),
        controller: None,
        lane: Lane::Control,
        ..data
    });
    LinkId(network.links.len() as u32 - 1)
}
