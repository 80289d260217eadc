//! `[switching]` with `kind = "ops"`: wavelengths, what core nodes keep, and macroflows.

use super::keys::{
    ChangeRule, CountRule, EdgeQueueRule, GainsRule, MacroflowRule, OpsSwitching, PlaceRule, ProbeRule, RamShare,
    SmoothingRule,
};
use super::plan::{Conversion, Count, Fibre, MacroflowRules, Ops, Scheme, Slots, Smoothing, Store};
use crate::language::{At, Fault, bounded, given, positive, quoted, rate_in_range, refuse, room};
use crate::model::{Buffer, Lane, Link, LinkId, Loss, Network, NodeId, Role, Routes};
use crate::regime::kind::{Checked, ConversionRule, Site};
use crate::topology::Draft;
use transport::xcp::{Changes, Gains, Tells, WavelengthConfig};
use units::{ByteTime, Duration, Rate};

/// So many wavelengths of a fibre are a mistake.
const MOST_WAVELENGTHS: u64 = 256;
/// Round trips between all edge nodes are compared with the period where there are not more.
const MOST_COMPARED: usize = 200;

/// The plan of a network of packets of light. The other wavelengths of its fibres are added to the network.
pub fn check(table: &OpsSwitching, site: Site) -> Result<Checked, Fault> {
    if let Some(event) = site.first_event {
        let message = "links of an optical packet-switched network do not change; allowed with kind = \"packets\"";
        return Err(Fault::new(event, message));
    }
    resolve(table, site).map(Checked::plan)
}

fn resolve(table: &OpsSwitching, site: Site) -> Result<Ops, Fault> {
    let Site { at, network, draft, largest_packet, .. } = site;
    let fibres = fibres(network);
    if fibres.is_empty() {
        return Err(
            at.fault("no link joins a core node with a core node or an edge node; allowed: a topology with both")
        );
    }
    let conversion = conversion(table)?;
    let macroflows = macroflows(table, network, &fibres)?;
    if let (Some(_), Some(at)) = (&macroflows, table.conversion.as_ref().filter(|_| conversion != Conversion::None)) {
        return Err(at.fault("a macroflow keeps its wavelength; allowed with macroflow = \"none\""));
    }
    let wavelengths = wavelengths(table, macroflows.as_ref())?;
    let store = store(table, conversion)?;
    if let Store::Slots(slots) = store {
        check_that_packets_fit(table, slots, network, &fibres, largest_packet)?;
    }
    let cut_through = table.cut_through.is_none_or(At::into_inner);
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
    if let Some(rules) = &macroflows {
        warn_of_long_round_trips(rules, network, draft);
    }
    let control = match &macroflows {
        Some(_) => Some(control_capacity(table)?),
        None => None,
    };
    let fibres = fibres.into_iter().map(|first| add_lanes(network, first, wavelengths, control)).collect();
    Ok(Ops { cut_through, conversion, store, fibres, macroflows })
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

fn conversion(table: &OpsSwitching) -> Result<Conversion, Fault> {
    let rule = table.conversion.map(At::into_inner).unwrap_or(ConversionRule::None);
    if rule != ConversionRule::Limited {
        refuse(&given!(table; conversion_range), "belongs to conversion = \"limited\"")?;
    }
    Ok(match rule {
        ConversionRule::None => Conversion::None,
        ConversionRule::Full => Conversion::Full,
        ConversionRule::Limited => {
            Conversion::Limited(table.conversion_range.map_or(Ok(1), |range| bounded(range, 256))?)
        }
    })
}

fn wavelengths(table: &OpsSwitching, macroflows: Option<&MacroflowRules>) -> Result<u32, Fault> {
    let apart = macroflows.is_some_and(|rules| rules.scheme == Scheme::SeparateWavelength);
    let Some(count) = table.wavelengths else { return Ok(if apart { 2 } else { 1 }) };
    if apart && *count < 2 {
        let message = format!("found {}; allowed: at least 2, of which the last is for ACKs alone", *count);
        return Err(count.fault(message));
    }
    bounded(count, MOST_WAVELENGTHS)
}

fn store(table: &OpsSwitching, conversion: Conversion) -> Result<Store, Fault> {
    if table.slot_time.is_none() {
        refuse(&given!(table; slot_buffer), "belongs to slotted switching, with slot_time")?;
    }
    if table.slot_time.is_some() || table.delay_lines.is_some() {
        refuse(&given!(table; ram, ram_per), "is for packets that wait in RAM; allowed without slots and delay lines")?;
    }
    if let (Some(_), Some(lines)) = (&table.slot_time, &table.delay_lines) {
        return Err(lines.fault("the places of slots are delay lines of whole slots already; allowed: slot_buffer"));
    }
    let limited = matches!(conversion, Conversion::Limited(_));
    if let (Some(at), true) = (&table.conversion, limited && table.slot_time.is_some()) {
        return Err(at.fault("slotted nodes convert to all wavelengths or to none; allowed: none, full"));
    }
    if let (Some(at), Some(_), true) = (&table.conversion, &table.delay_lines, conversion != Conversion::None) {
        return Err(at.fault("a bank of delay lines serves one wavelength; allowed: none"));
    }
    if let Some(slot) = &table.slot_time {
        let (places, shared, counts) =
            table.slot_buffer.map_or((0, None, None), |buffer| (*buffer.places, buffer.shared, buffer.counts));
        let (shared, all_count) = (shared.unwrap_or(false), counts == Some(PlaceRule::All));
        if let Some(buffer) = table.slot_buffer.filter(|_| all_count && places == 0) {
            return Err(buffer.places.fault("found 0, and a packet that is sent needs one; allowed: at least 1"));
        }
        return Ok(Store::Slots(Slots { slot: positive(slot)?, places, shared, all_count }));
    }
    if let Some(lines) = &table.delay_lines {
        return Ok(Store::Lines { step: positive(&lines.step)?, lines: bounded(lines.lines, 1 << 20)? });
    }
    Ok(Store::Ram { shared: table.ram_per.is_none_or(|per| *per == RamShare::Output) })
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
                "{a} has {} and {b} has {}, and a node cuts through at one rate; allowed: equal capacities, or cut_through = false",
                into.capacity, out.capacity
            );
            let place = table.cut_through.as_ref().map_or_else(|| at.place(), At::place);
            return Err(Fault::new(place, message));
        }
    }
    Ok(())
}

fn macroflows(table: &OpsSwitching, network: &Network, fibres: &[LinkId]) -> Result<Option<MacroflowRules>, Fault> {
    let scheme = match table.macroflow.map(At::into_inner) {
        None | Some(MacroflowRule::None) => {
            let keys = given!(
                table; target, edge_target, gains, alpha, beta, gamma, edge_alpha, edge_beta, edge_gamma, edge_queue, period, start_rate,
                floor_rate, macroflow_count, probe_tells, feedback_changes, control_capacity, smoothing, token_depth
            );
            refuse(
                &keys,
                "belongs to macroflows; allowed with macroflow = \"same\", \"separate\", \"separate-wavelength\"",
            )?;
            return Ok(None);
        }
        Some(MacroflowRule::Same) => Scheme::Same,
        Some(MacroflowRule::Separate) => Scheme::Separate,
        Some(MacroflowRule::SeparateWavelength) => Scheme::SeparateWavelength,
    };
    let usual = WavelengthConfig::new(Rate::from_gbps(1));
    let period = table.period.as_ref().map_or(Ok(usual.interval), positive)?;
    let floor = table.floor_rate.map_or(Ok(Rate::from_bps(100_000)), |at| rate_in_range(at.0, || at.place()))?;
    let start = table.start_rate.map(|at| rate_in_range(at.0, || at.place())).transpose()?;
    let least = fibres.iter().map(|fibre| network.links[fibre.index()].capacity).min().unwrap_or(floor);
    check_start_and_floor(table, start, floor, least)?;
    let (gains, edge_gains) = gains(table)?;
    let tells = match table.probe_tells.map(At::into_inner) {
        None | Some(ProbeRule::Sent) => Tells::Sent,
        Some(ProbeRule::Allowed) => Tells::Allowed,
    };
    Ok(Some(MacroflowRules {
        scheme,
        target: target(table.target.as_ref())?,
        edge_target: target(table.edge_target.as_ref())?,
        gains,
        edge_gains,
        edge_queue_kept: table.edge_queue.is_some_and(|rule| *rule == EdgeQueueRule::Macroflows),
        period,
        start,
        floor,
        count: count(table, tells)?,
        tells,
        changes: match table.feedback_changes.map(At::into_inner) {
            None | Some(ChangeRule::Told) => Changes::Told,
            Some(ChangeRule::Allowed) => Changes::Allowed,
        },
        smoothing: smoothing(table)?,
    }))
}

/// At core outputs and at edge outputs.
fn gains(table: &OpsSwitching) -> Result<(Gains, Gains), Fault> {
    let rule = table.gains.map(At::into_inner).unwrap_or(GainsRule::EdgeRouters);
    let (core, edge) = match rule {
        GainsRule::EdgeRouters => (Gains::XCP, Gains::EDGE_ROUTERS),
        GainsRule::CoreRouters => (Gains::EDGE_ROUTERS, Gains::XCP),
        GainsRule::Everywhere => (Gains::EDGE_ROUTERS, Gains::EDGE_ROUTERS),
        GainsRule::Xcp => (Gains::XCP, Gains::XCP),
    };
    let own = |usual: Gains, [alpha, beta, gamma]: [Option<&At<f64>>; 3]| -> Result<Gains, Fault> {
        let (alpha, beta) = (weight(alpha, usual.alpha)?, weight(beta, usual.beta)?);
        Ok(Gains { alpha, beta, gamma: weight(gamma, usual.gamma)? })
    };
    let core = own(core, [table.alpha.as_ref(), table.beta.as_ref(), table.gamma.as_ref()])?;
    let edge = own(edge, [table.edge_alpha.as_ref(), table.edge_beta.as_ref(), table.edge_gamma.as_ref()])?;
    Ok((core, edge))
}

fn count(table: &OpsSwitching, tells: Tells) -> Result<Count, Fault> {
    match table.macroflow_count {
        None => Ok(Count::Probes),
        Some(at) => match (at.into_inner(), tells) {
            (CountRule::Probes, _) => Ok(Count::Probes),
            (CountRule::Given, _) => Ok(Count::Given),
            (CountRule::Active, Tells::Sent) => Ok(Count::Active),
            (CountRule::Active, Tells::Allowed) => Err(
                at.fault("found \"active\", and probes do not tell what was sent; allowed with probe_tells = \"sent\"")
            ),
        },
    }
}

fn smoothing(table: &OpsSwitching) -> Result<Smoothing, Fault> {
    let rule = table.smoothing.map(At::into_inner).unwrap_or(SmoothingRule::LeakyBucket);
    if rule != SmoothingRule::TokenBucket {
        refuse(&given!(table; token_depth), "belongs to smoothing = \"token-bucket\"")?;
    }
    Ok(match rule {
        SmoothingRule::LeakyBucket => Smoothing::LeakyBucket,
        SmoothingRule::RoundRobin => Smoothing::RoundRobin,
        SmoothingRule::TokenBucket => Smoothing::TokenBucket { depth: table.token_depth.map_or(0, At::into_inner) },
    })
}

/// TU.
fn target(value: Option<&At<f64>>) -> Result<f64, Fault> {
    match value {
        None => Ok(1.0),
        Some(at) if **at > 0.0 && **at <= 1.0 => Ok(**at),
        Some(at) => Err(at.fault(format!("found {:?}; allowed: a target utilization above 0 and at most 1", **at))),
    }
}

fn weight(value: Option<&At<f64>>, usual: f64) -> Result<f64, Fault> {
    match value {
        None => Ok(usual),
        Some(at) if (0.0..=1.0).contains(&**at) => Ok(**at),
        Some(at) => Err(at.fault(format!("found {:?}; allowed: 0 to 1", **at))),
    }
}

/// `least` is the least capacity of a wavelength.
fn check_start_and_floor(table: &OpsSwitching, start: Option<Rate>, floor: Rate, least: Rate) -> Result<(), Fault> {
    if let Some(at) = table.floor_rate.filter(|_| floor > least) {
        return Err(at.fault(format!("found \"{floor}\"; allowed: at most a wavelength's capacity, \"{least}\"")));
    }
    if let (Some(at), Some(start)) = (&table.start_rate, start)
        && (start < floor || start > least)
    {
        return Err(at.fault(format!("found \"{start}\"; allowed: from floor_rate, \"{floor}\", to \"{least}\"")));
    }
    Ok(())
}

fn control_capacity(table: &OpsSwitching) -> Result<Rate, Fault> {
    table.control_capacity.map_or(Ok(Rate::from_mbps(100)), |at| rate_in_range(at.0, || at.place()))
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
        "switching.period, \"{period}\", is shorter than the round trip between {} and {}, \"{round_trip}\": macroflows are told \
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
            loss: Loss::None,
            controller: None,
            lane: Lane::Control,
            ..data.clone()
        })
    });
    Fibre { wavelengths: all, control }
}
