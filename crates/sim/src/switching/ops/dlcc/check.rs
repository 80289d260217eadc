//! `[switching.dlcc]` against the network.

use super::super::edge_site::EdgeSite;
use super::super::plan::Store;
use super::detection::DetectionConfig;
use super::keys::DlccKeys;
use super::rate::{Part, SlotRate};
use super::reaction::ReactionConfig;
use super::rules::{AckConfig, Beyond, Discard, DlccPlan, DlccRules, Form, Smoothing};
use super::segmentation::{Cut, MOST_PIECES};
use super::smoothing::EstimateConfig;
use crate::language::{At, Fault, Place, choices, quoted};
use crate::model::{Ends, Link, Network, NodeId, Role, Routes, Traffic};
use crate::switching::kind::Later;
use units::{ByteTime, Bytes, Duration};

/// Round trips between all hosts are compared with the record where there are not more.
const MOST_COMPARED: usize = 200;

/// The rules that the keys say. A slot lasts so long, as is said there, where there are slots.
pub fn resolve(
    keys: &At<DlccKeys>,
    slot: Option<(Duration, Place)>,
    wavelengths: Option<u32>,
    build: &mut EdgeSite,
) -> Result<DlccPlan, Fault> {
    let Some((slot, slot_place)) = slot else {
        return Err(keys.fault("its packets travel in slots; allowed with slot_time"));
    };
    if wavelengths.is_some_and(|count| count > 1) {
        return Err(keys.fault("edge nodes send in the slots of one wavelength; allowed with wavelengths = 1"));
    }
    let line = SlotRate::of(1, slot.ps());
    let cut = cut(keys, slot_place, slot, build)?;
    let rules = rules(keys, slot.ps(), line, cut);
    let rules =
        DlccRules { cuts: cut.slots_of(build.largest_packet) > 1, first_rate: first_rate(keys, line, build)?, ..rules };
    check_window(keys, slot)?;
    warn_of_short_record(keys, build);
    warn_of_refusals(&rules, build);
    Ok(DlccPlan { rules, edges: edges(keys, build.network)? })
}

/// The edge nodes that support it, where they are named.
fn edges(keys: &DlccKeys, network: &Network) -> Result<Option<Vec<NodeId>>, Fault> {
    let Some(names) = &keys.edges else { return Ok(None) };
    let nodes = (0..).map(NodeId).zip(&network.nodes).filter(|(_, node)| node.role == Role::Edge);
    let known: Vec<(NodeId, &str)> = nodes.map(|(number, node)| (number, &*node.name)).collect();
    let find = |name: &At<String>| {
        let found = known.iter().find(|(_, known)| *known == name.as_str());
        found.map(|(number, _)| *number).ok_or_else(|| {
            let all: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
            name.fault(format!("found {}, which is no edge node{}", quoted(name), choices(name, &all)))
        })
    };
    names.iter().map(find).collect::<Result<_, _>>().map(Some)
}

/// Where packets are kept that meet: in the places of slots.
pub fn check_store(keys: Option<&At<DlccKeys>>, store: Store) -> Result<(), Fault> {
    match (keys, store) {
        (None, _) | (_, Store::Slots(_)) => Ok(()),
        (Some(keys), _) => Err(keys.fault("its packets travel in slots; allowed with slot_time")),
    }
}

/// Whoever puts packets together, or keeps ACKs back, stands before the links to hosts.
pub fn later(rules: &DlccRules, keys: &At<DlccKeys>) -> Option<Later> {
    let place = rules.needs_exits().then(|| keys.place())?;
    Some(Box::new(move |network: &Network, traffic: &[Traffic]| {
        let Some((name, node)) = traffic.iter().find_map(|one| edge_end(one, network)) else { return Ok(()) };
        let message = format!(
            "the traffic {} ends at the edge node {}; allowed: hosts beyond edge nodes",
            quoted(name),
            quoted(node)
        );
        Err(Fault::new(place, message))
    }))
}

/// A traffic and the edge node at which some of its flows end.
fn edge_end<'a>(traffic: &'a Traffic, network: &'a Network) -> Option<(&'a str, &'a str)> {
    let ends = match traffic.arrivals.ends() {
        Ends::Pairs(pairs) => pairs.into_iter().flat_map(|(from, to)| [from, to]).collect(),
        Ends::Among(nodes) => nodes.to_vec(),
    };
    let nodes = ends.iter().map(|node| &network.nodes[node.index()]);
    let edge = nodes.into_iter().find(|node| node.role == Role::Edge)?;
    Some((&traffic.name, &edge.name))
}

fn rules(keys: &DlccKeys, slot: u64, line: SlotRate, cut: Cut) -> DlccRules {
    let unit = keys.unit.0.ps();
    let window = keys.window.0.ps();
    let in_window = window as f64 / slot as f64;
    let reaction = ReactionConfig { mean: keys.loss_mean.0, floor: Part::nearest(*keys.floor) };
    DlccRules {
        slot,
        cut,
        cuts: false,
        smoothing: keys.smoothing.0,
        estimate: EstimateConfig {
            unit,
            rule: keys.nu_rule.0,
            memory: Part::nearest(*keys.nu),
            drain: keys.tau.as_ref().map_or(unit, |tau| tau.0.ps()),
        },
        negotiation: keys.negotiation.0.ps(),
        first_rate: line,
        silent: keys.silent.0,
        line,
        admission: Part::nearest(*keys.admission),
        beyond: keys.beyond.0,
        detection: DetectionConfig { window, least: least(in_window, *keys.threshold), hold: keys.hold.0.ps() },
        descriptor: keys.descriptor.0,
        loss_rate: keys.loss_rate.0,
        carriage: keys.notification.0,
        patience: keys.patience.0.ps(),
        reaction: keys.rate_control.then_some(reaction),
        acks: keys.ops_acks.0.form().map(|form| acks(keys, form)),
        ack_pacing: keys.ack_pacing.then(|| Part::nearest(*keys.pacing_target)),
    }
}

/// The least number of packets that is this part of what fits in a window. A product is not a packet more for its
/// rounding.
fn least(in_window: f64, part: f64) -> u64 {
    (in_window * part * (1.0 - 1e-12)).ceil() as u64
}

fn acks(keys: &DlccKeys, form: Form) -> AckConfig {
    let usual = if form == Form::Paper { Discard::All } else { Discard::Safe };
    AckConfig {
        form,
        discard: keys.discard.as_ref().map_or(usual, |discard| discard.0),
        guarded: keys.guard.as_ref().map_or(form != Form::Paper, |guard| **guard),
        named: keys.acks_per.0,
        copies: *keys.artificial_acks,
        memory: keys.record.0.ps(),
        soonest_report: 0,
        report_time: 0,
    }
}

/// What of a slot is for packets.
fn cut(keys: &DlccKeys, slot_place: Place, slot: Duration, build: &EdgeSite) -> Result<Cut, Fault> {
    let header = keys.slot_header.0;
    let in_slot = |link: &Link| ByteTime::at(link.capacity).map_or(Bytes(0), |byte| byte.bytes_in(slot));
    let links = build.fibres.iter().map(|fibre| &build.network.links[fibre.index()]);
    let Some((bytes, link)) = links.map(|link| (in_slot(link).0, link)).min_by_key(|(bytes, _)| *bytes) else {
        return Ok(Cut { payload: 1, header: 0 });
    };
    if header >= bytes {
        let place = keys.slot_header.place().unwrap_or(slot_place);
        let message = format!(
            "a slot of \"{slot}\" has {bytes} B on {}, and its header {header} B; allowed: a shorter header or a \
                longer slot",
            quoted(&link.name)
        );
        return Err(Fault::new(place, message));
    }
    let cut = Cut { payload: (bytes - header).min(65_535 - header.min(65_534)) as u16, header: header as u16 };
    let pieces = cut.slots_of(build.largest_packet);
    if pieces > MOST_PIECES {
        let (largest, payload) = (build.largest_packet, cut.payload);
        let message =
            format!("a packet of {largest} B needs {pieces} slots of {payload} B; allowed: at most {MOST_PIECES}");
        return Err(Fault::new(slot_place, message));
    }
    Ok(cut)
}

fn first_rate(keys: &DlccKeys, line: SlotRate, build: &EdgeSite) -> Result<SlotRate, Fault> {
    let Some(first) = &keys.first_rate else { return Ok(line) };
    let capacities = build.fibres.iter().map(|fibre| build.network.links[fibre.index()].capacity);
    let Some(least) = capacities.min() else { return Ok(line) };
    if first.0 > least {
        return Err(
            first.fault(format!("found \"{}\"; allowed: at most a wavelength's capacity, \"{least}\"", first.0))
        );
    }
    Ok(line.part(Part::nearest(first.0.bps() as f64 / least.bps() as f64)))
}

/// A window has room for packets that can be told from chance.
fn check_window(keys: &DlccKeys, slot: Duration) -> Result<(), Fault> {
    if keys.window.0 < slot {
        let fault = keys.window.fault(format!("found \"{}\"; allowed: at least a slot, \"{slot}\"", keys.window.0));
        return Err(fault);
    }
    Ok(())
}

/// "For at least one round-trip time" (§III.C).
fn warn_of_short_record(keys: &DlccKeys, build: &mut EdgeSite) {
    if keys.ops_acks.0.form().is_none() {
        return;
    }
    let record = keys.record.0;
    let Some((round_trip, from, to)) = longest_round_trip(build.network).filter(|(time, ..)| *time > record.ps())
    else {
        return;
    };
    let name = |node: NodeId| quoted(&build.network.nodes[node.index()].name);
    let (from, to, round_trip) = (name(from), name(to), Duration::from_ps(round_trip));
    build.warnings.push(format!(
        "switching.dlcc.record, \"{record}\", is shorter than the round trip between {from} and {to}, \
            \"{round_trip}\": edge nodes \
         forget segments before the receiver can ask for them"
    ));
}

/// What waits for τ at the rate of the line asks for the line once more.
fn warn_of_refusals(rules: &DlccRules, build: &mut EdgeSite) {
    let (tau, negotiation) = (Duration::from_ps(rules.estimate.drain), Duration::from_ps(rules.negotiation));
    if rules.smoothing != Smoothing::Off && rules.beyond == Beyond::Refused && tau < negotiation {
        build.warnings.push(format!(
            "switching.dlcc.beyond = \"refused\" with tau, \"{tau}\", below negotiation, \"{negotiation}\": what waits \
                at an edge \
             node soon asks for more than the line, and is refused while another one has a promise; allowed: beyond = \
             \"lowered\", \
             or a longer tau"
        ));
    }
}

/// Between hosts, with the hosts.
fn longest_round_trip(network: &Network) -> Option<(u64, NodeId, NodeId)> {
    let nodes = (0..network.nodes.len() as u32).map(NodeId);
    let hosts: Vec<NodeId> = nodes.filter(|node| network.nodes[node.index()].role == Role::Host).collect();
    if hosts.len() > MOST_COMPARED {
        return None;
    }
    let mut routes = Routes::new(network, &network.open_to_flows());
    let mut one_way = |from: NodeId, to: NodeId| -> Option<u64> {
        Some(routes.path(from, to)?.iter().map(|link| network.links[link.index()].delay.ps()).sum())
    };
    let mut longest: Option<(u64, NodeId, NodeId)> = None;
    for (place, from) in hosts.iter().enumerate() {
        for to in &hosts[place + 1..] {
            let round_trip = one_way(*from, *to).zip(one_way(*to, *from)).map(|(there, back)| there + back);
            if let Some(time) = round_trip.filter(|time| longest.is_none_or(|(most, ..)| *time > most)) {
                longest = Some((time, *from, *to));
            }
        }
    }
    longest
}

impl Cut {
    fn slots_of(self, size: u32) -> u32 {
        size.max(1).div_ceil(u32::from(self.payload))
    }
}

#[cfg(test)]
mod tests {
    use super::least;

    /// In binary 100 · 0.07 is 7.000000000000001, and 238.7 · 0.95 is 226.8.
    #[test]
    fn a_part_of_a_window_is_a_whole_number_of_packets() {
        assert_eq!([least(100.0, 0.07), least(240.0, 0.95), least(238.7, 0.95), least(10.0, 0.95)], [7, 228, 227, 10]);
    }
}
