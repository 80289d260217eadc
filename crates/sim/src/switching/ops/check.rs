//! `[switching]` with `kind = "ops"`: wavelengths, what core nodes keep, and macroflows.

use super::Ops;
use super::edge_site::EdgeSite;
use super::edges::EdgeRules;
mod marking;

use super::keys::{OpsSwitching, PlaceRule, RamShare};
use super::plan::{Conversion, Fibre, MacroflowRules, Scheme, Slots, Store, Switches};
use crate::language::{At, Fault, quoted, room};
use crate::links::LinkProperties;
use crate::model::{Buffer, Lane, Link, LinkId, Network, NodeId, Role, Routes};
use crate::switching::kind::{Checked, ConversionRule, Site};
use crate::topology::Draft;
use units::{ByteTime, Duration, Rate};

/// Round trips between all edge nodes are compared with the period where there are not more.
const MOST_COMPARED: usize = 200;

/// The plan of a network of packets of light. The other wavelengths of its fibres are added to the network.
pub fn check(table: &OpsSwitching, site: Site) -> Result<Checked, Fault> {
    if let Some(event) = site.first_event {
        let message = "links of an optical packet-switched network do not change; allowed with kind = \"packets\"";
        return Err(Fault::new(event, message));
    }
    let ops = resolve(table, site)?;
    let later = ops.edge.later(table);
    let (wavelengths, macroflows) = (ops.switches.wavelengths(), ops.edge.macroflows().copied());
    let mut checked = Checked { later, ..Checked::plan(ops) };
    checked.derive("wavelengths", wavelengths);
    if let Some(MacroflowRules { gains, edge_gains, .. }) = macroflows {
        let core = [("alpha", gains.alpha), ("beta", gains.beta), ("gamma", gains.gamma)];
        let edge = [("edge_alpha", edge_gains.alpha), ("edge_beta", edge_gains.beta), ("edge_gamma", edge_gains.gamma)];
        core.into_iter().chain(edge).for_each(|(key, weight)| checked.derive(key, weight));
    }
    Ok(checked)
}

fn resolve(table: &OpsSwitching, site: Site) -> Result<Ops, Fault> {
    let Site { at, network, draft, largest_packet, .. } = site;
    let fibres = fibres(network);
    if fibres.is_empty() {
        return Err(
            at.fault("no link joins a core node with a core node or an edge node; allowed: a topology with both")
        );
    }
    let conversion = match table.conversion.0 {
        ConversionRule::None => Conversion::None,
        ConversionRule::Full => Conversion::Full,
        ConversionRule::Limited => Conversion::Limited(*table.conversion_range),
    };
    let edge = EdgeRules::resolve(
        table,
        &mut EdgeSite { network, fibres: &fibres, largest_packet, warnings: &mut draft.warnings },
    )?;
    if edge.macroflows().is_some() && conversion != Conversion::None {
        return Err(table.conversion.fault("a macroflow keeps its wavelength; allowed with macroflow = \"none\""));
    }
    let wavelengths = wavelengths(table, edge.macroflows())?;
    let store = store(table, conversion)?;
    edge.check_store(table, store)?;
    if let Store::Slots(slots) = store
        && !edge.cuts_packets()
    {
        check_that_packets_fit(table, slots, network, &fibres, largest_packet)?;
    }
    let cut_through = *table.cut_through;
    if cut_through {
        check_rates(&at, table, network, &fibres)?;
    }
    if let Some(ram) = &table.ram {
        for fibre in &fibres {
            let Link { from, capacity, .. } = network.links[fibre.index()];
            if is_core(network, from) {
                network.links[fibre.index()].buffer = room(ram.0, capacity, largest_packet, || ram.place())?;
            }
        }
    }
    if let Some(rules) = edge.macroflows() {
        warn_of_long_round_trips(rules, network, draft);
    }
    let control = edge.control_capacity(table);
    let fibres = fibres.into_iter().map(|first| add_lanes(network, first, wavelengths, control)).collect();
    let scheme = edge.macroflows().map(|rules| rules.scheme);
    let switches = Switches { cut_through, conversion, store, congestion: None, fibres, scheme };
    let congestion = if switches.needs_store() { marking::of_stores(&at, network, &switches)? } else { None };
    Ok(Ops { switches: Switches { congestion, ..switches }, edge })
}

fn is_core(network: &Network, node: NodeId) -> bool {
    network.nodes[node.index()].role == Role::Core
}

/// Links that carry light between edge and core nodes.
fn fibres(network: &Network) -> Vec<LinkId> {
    let is_host = |node: NodeId| network.nodes[node.index()].role == Role::Host;
    let joins = |link: &Link| is_core(network, link.from) || is_core(network, link.to);
    let is_fibre = |link: &Link| joins(link) && !is_host(link.from) && !is_host(link.to);
    (0..).zip(&network.links).filter(|(_, link)| is_fibre(link)).map(|(id, _)| LinkId(id)).collect()
}

fn wavelengths(table: &OpsSwitching, macroflows: Option<&MacroflowRules>) -> Result<u32, Fault> {
    let apart = macroflows.is_some_and(|rules| rules.scheme == Scheme::SeparateWavelength);
    let Some(count) = table.wavelengths else { return Ok(if apart { 2 } else { 1 }) };
    if apart && *count < 2 {
        let message = format!("found {}; allowed: at least 2, of which the last is for ACKs alone", *count);
        return Err(count.fault(message));
    }
    Ok(*count)
}

fn store(table: &OpsSwitching, conversion: Conversion) -> Result<Store, Fault> {
    if let (Some(_), Some(lines)) = (&table.slot_time, &table.delay_lines) {
        return Err(lines.fault("the places of slots are delay lines of whole slots already; allowed: slot_buffer"));
    }
    let limited = matches!(conversion, Conversion::Limited(_));
    if limited && table.slot_time.is_some() {
        let message = "slotted nodes convert to all wavelengths or to none; allowed: none, full";
        return Err(table.conversion.fault(message));
    }
    if table.delay_lines.is_some() && conversion != Conversion::None {
        return Err(table.conversion.fault("a bank of delay lines serves one wavelength; allowed: none"));
    }
    if let Some(slot) = &table.slot_time {
        let buffer = &table.slot_buffer;
        let (places, shared, all_count) = (*buffer.places, *buffer.shared, buffer.counts.0 == PlaceRule::All);
        if all_count && places == 0 {
            let fault = buffer.places.fault("found 0, and a packet that is sent needs one; allowed: at least 1");
            return Err(fault.or_at(buffer.place().unwrap_or_else(|| slot.place())));
        }
        let arbitration = buffer.arbitration.0;
        return Ok(Store::Slots(Slots { slot: slot.0, places, shared, all_count, arbitration }));
    }
    Ok(match &table.delay_lines {
        Some(lines) => Store::Lines { step: lines.step.0, lines: *lines.lines },
        None => Store::Ram { shared: table.ram_per.0 == RamShare::Output },
    })
}

fn check_that_packets_fit(
    table: &OpsSwitching,
    slots: Slots,
    network: &Network,
    fibres: &[LinkId],
    packet: u32,
) -> Result<(), Fault> {
    for fibre in fibres {
        let link = &network.links[fibre.index()];
        let lasts = ByteTime::at(link.capacity).map_or(Duration::MAX, |byte| byte.of(packet));
        if let Some(at) = table.slot_time.filter(|_| lasts > slots.slot) {
            let (name, slot) = (quoted(&link.name), slots.slot);
            let message = format!("found \"{slot}\"; allowed: at least \"{lasts}\", which {packet} B last on {name}");
            return Err(at.fault(message));
        }
    }
    Ok(())
}

/// What cuts through leaves as fast as it comes.
fn check_rates(at: &At<()>, table: &OpsSwitching, network: &Network, fibres: &[LinkId]) -> Result<(), Fault> {
    let links = || fibres.iter().map(|fibre| &network.links[fibre.index()]);
    for into in links().filter(|link| is_core(network, link.to)) {
        if let Some(out) = links().find(|link| link.from == into.to && link.capacity != into.capacity) {
            let (a, b) = (quoted(&into.name), quoted(&out.name));
            let message = format!(
                "{a} has {} and {b} has {}, and a node cuts through at one rate; allowed: equal capacities, or \
                    cut_through = false",
                into.capacity, out.capacity
            );
            let place = table.cut_through.place().unwrap_or_else(|| at.place());
            return Err(Fault::new(place, message));
        }
    }
    Ok(())
}

/// §2.2 of paper 002: the interval is the greatest round-trip time of the domain.
fn warn_of_long_round_trips(rules: &MacroflowRules, network: &Network, draft: &mut Draft) {
    let nodes = (0..network.nodes.len() as u32).map(NodeId);
    let edges: Vec<NodeId> = nodes.filter(|node| network.nodes[node.index()].role == Role::Edge).collect();
    if edges.len() > MOST_COMPARED {
        return;
    }
    let mut routes = Routes::new(network, &network.open_to_flows());
    let mut one_way = |from: NodeId, to: NodeId| -> Option<u64> {
        let path = routes.path(from, to)?;
        Some(path.iter().map(|link| network.links[link.index()].delay.ps()).sum())
    };
    let mut longest: Option<(u64, NodeId, NodeId)> = None;
    for (place, from) in edges.iter().enumerate() {
        for to in &edges[place + 1..] {
            let round_trip = one_way(*from, *to).zip(one_way(*to, *from)).map(|(there, back)| there + back);
            if let Some(round_trip) = round_trip.filter(|time| longest.is_none_or(|(most, ..)| *time > most)) {
                longest = Some((round_trip, *from, *to));
            }
        }
    }
    let Some((round_trip, from, to)) = longest.filter(|(time, ..)| *time > rules.period.ps()) else { return };
    let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
    let (period, round_trip) = (rules.period, Duration::from_ps(round_trip));
    draft.warnings.push(format!(
        "switching.period, \"{period}\", is shorter than the round trip between {} and {}, \"{round_trip}\": \
            macroflows are told \
         twice before they can answer",
        name(from),
        name(to)
    ));
}

/// Adds the other wavelengths of a fibre to the network.
fn add_lanes(network: &mut Network, first: LinkId, wavelengths: u32, control: Option<Rate>) -> Fibre {
    let data = network.links[first.index()].clone();
    let mut add = |link: Link| {
        network.links.push(link);
        LinkId(network.links.len() as u32 - 1)
    };
    let mut all = vec![first];
    for number in 1..wavelengths {
        let name = format!("{} (wavelength {number})", data.name);
        all.push(add(Link { name, lane: Lane::Wavelength(number), ..data.clone() }));
    }
    let control = control.map(|capacity| {
        add(Link {
            name: format!("{} (control)", data.name),
            capacity,
            buffer: Buffer::Unlimited,
            properties: LinkProperties::default(),
            controller: None,
            lane: Lane::Control,
            ..data.clone()
        })
    });
    Fibre { wavelengths: all, control }
}
