//! The plan of a network of optical circuit switches.

use super::frontier::{Frontier, Pair};
use super::keys::{Acks, First, OcsSwitching, PACKET_SWITCH, PolicyRule, Rest, Start, Turns};
use super::policy::{Demand, Outside, Overlap, PerCollective, PerStep, Policy, Static, of_works};
use super::{Ocs, Ports, Rules, TurnRules};
use crate::language::{At, Fault, Word, choices, quoted, room};
use crate::model::{Arrivals, Network, NodeId, Role, Traffic};
use crate::switching::chooser::ChooserMaker;
use crate::switching::kind::{Checked, Demand as Memory, Later, Site};
use crate::switching::uplinks::{self, Joined};
use crate::topology::CIRCUIT_COST;
use control::scheduler::circuits::{self, Algorithm, registry};
use std::collections::BTreeMap;
use std::sync::Arc;
use units::Rate;

/// A path over a circuit, where it stands, and the place of it.
const BYTES_PER_WAY: f64 = 20.0;

/// The policy that is chosen.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// The pairs of each switch; those of the work if they are not said.
    Static(Option<Vec<Vec<Pair>>>),
    PerCollective(Turns),
    PerStep(Turns),
    Overlap,
    Demand(Algorithm, circuits::Site, First, Start),
    /// A class by its name, and what makes it, if somebody can.
    Class(String, Option<Arc<dyn ChooserMaker>>),
}

impl Chosen {
    /// The policy before the work begins, for nodes and switches of these names.
    pub fn policy(&self, frontier: &Frontier, [nodes, switches]: &[Vec<String>; 2]) -> Box<dyn Policy> {
        let (names, nodes, switches) = ([nodes, switches], nodes.len() as u32, switches.len());
        match self {
            Chosen::Static(Some(matchings)) => Box::new(Static { matchings: Some(matchings.clone()) }),
            Chosen::Static(None) => {
                let of_work = of_works(frontier, 0..frontier.works(), switches, nodes);
                Box::new(Static { matchings: of_work.ok() })
            }
            Chosen::PerCollective(turns) => Box::new(PerCollective { is_ahead: *turns == Turns::Ahead, of: None }),
            Chosen::PerStep(turns) => Box::new(PerStep { is_ahead: *turns == Turns::Ahead, of: 0 }),
            Chosen::Overlap => Box::new(Overlap::default()),
            Chosen::Demand(rule, site, first, start) => Box::new(Demand::new(*rule, *site, *first, *start)),
            // Without a maker the switches stay dark; a face that has none refuses the scenario.
            Chosen::Class(_, None) => Box::new(Static { matchings: None }),
            Chosen::Class(_, Some(maker)) => Box::new(Outside(Arc::clone(maker).make(names[0], names[1]))),
        }
    }
}

/// The plan.
pub fn check(keys: &OcsSwitching, site: Site) -> Result<Checked, Fault> {
    let Site { at, network, largest_packet, duration, .. } = site;
    for (key, time) in [
        (Some(keys.reconfiguration.place()), keys.reconfiguration.0),
        (keys.control_delay.place(), keys.control_delay.0),
    ] {
        if let Some(place) = key.filter(|_| time >= duration) {
            return Err(Fault::new(place, format!("found \"{time}\"; allowed: less than the run, \"{duration}\"")));
        }
    }
    let packet_switch = (0..).map(NodeId).zip(&network.nodes).find(|(_, node)| node.name == *keys.packet_switch);
    let packet_switch = packet_switch.map(|(node, _)| node);
    // The usual name may be of no node, and is written out all the same.
    if packet_switch.is_none() && *keys.packet_switch != PACKET_SWITCH {
        return Err(keys.packet_switch.fault(format!("there is no node {}", quoted(&keys.packet_switch))));
    }
    let switches = switches(network, packet_switch, &at)?;
    let ports = ports(network, &switches, packet_switch, &at)?;
    check_links(&ports, network, &at)?;
    let first = usize::from(packet_switch.is_none());
    let others = ports.iter().flat_map(|own| own.up[first..].iter().chain(&own.down[first..]));
    others.for_each(|id| network.links[id.index()].cost = CIRCUIT_COST);
    let link = &network.links[ports[0].up[0].index()];
    let acks = match &keys.acks {
        Some(at) if at.0 == Acks::Packets && packet_switch.is_none() => {
            return Err(at.fault(no_packet_switch(keys, "packets")));
        }
        Some(at) => at.0,
        None if packet_switch.is_some() => Acks::Packets,
        None => Acks::AsData,
    };
    if keys.rest.0 == Rest::Packets && packet_switch.is_none() {
        return Err(keys.rest.fault(no_packet_switch(keys, "packets")));
    }
    let place = || keys.buffer.place().unwrap_or_else(|| at.place());
    let buffer = room(keys.buffer.0, link.capacity, largest_packet, place)?;
    let rules = Rules { buffer, mark_from: keys.mark_from.map(|at| *at), rest: keys.rest.0, acks };
    let turns = TurnRules {
        reconfiguration: keys.reconfiguration.0,
        start: keys.start.0,
        dark: keys.dark.0,
        control_delay: keys.control_delay.0,
        detours: keys.rest.0 == Rest::Detour,
    };
    let chosen = chosen(keys, link.capacity, [switches.len(), ports.len()])?;
    let name = |node: &NodeId| network.nodes[node.index()].name.clone();
    let names = [ports.iter().map(|own| name(&own.node)).collect(), switches.iter().map(name).collect()];
    let numbers = numbers(&ports, network);
    let bytes = (switches.len() * ports.len() * ports.len()) as f64 * BYTES_PER_WAY;
    let what = format!("ways over {} switches between {} nodes with ports", switches.len(), ports.len());
    let plan = Ocs { switches, ports, numbers, names, rules, turns, chosen };
    let later = later(keys, plan.clone());
    let mut checked = Checked { later: Some(later), ..Checked::plan(plan) };
    checked.demands = vec![Memory { what, bytes, place: at.place() }];
    if keys.acks.is_none() {
        checked.derive("acks", Word(acks));
    }
    Ok(checked)
}

fn no_packet_switch(keys: &OcsSwitching, found: &str) -> String {
    let name = quoted(&keys.packet_switch);
    format!(
        "found \"{found}\", and there is no packet switch; allowed: with a node {name}, as topology \"ocs\" has one"
    )
}

/// The core nodes without links with hosts, or all if each has some; not the packet switch.
fn switches(network: &Network, packet_switch: Option<NodeId>, at: &At<()>) -> Result<Vec<NodeId>, Fault> {
    let cores = uplinks::cores(network).into_iter().filter(|(node, _)| Some(*node) != packet_switch);
    let (with, without): (Vec<_>, Vec<_>) = cores.partition(|(_, has_hosts)| *has_hosts);
    let found = if without.is_empty() { with } else { without };
    match found.len() {
        0 => Err(at.fault("found no core node; allowed: 1 optical switch at least (topology \"ocs\")")),
        1..=254 => Ok(found.into_iter().map(|(node, _)| node).collect()),
        many => Err(at.fault(format!("found {many} optical switches; allowed: 1 to 254"))),
    }
}

/// The nodes with links to and from all switches.
fn ports(
    network: &Network,
    switches: &[NodeId],
    packet_switch: Option<NodeId>,
    at: &At<()>,
) -> Result<Vec<Ports>, Fault> {
    let joined = uplinks::joined(network, switches)
        .map_err(|wrong| at.fault(format!("{}; allowed: one to and one from each optical switch", wrong.found)))?;
    if joined.len() < 2 {
        let found = joined.len();
        return Err(at.fault(format!("found {found} nodes with ports; allowed: 2 at least (topology \"ocs\")")));
    }
    let ends = uplinks::by_ends(network);
    let between = |from: NodeId, to: NodeId| ends.get(&(from, to)).map_or(&[][..], Vec::as_slice);
    let with_packets = |Joined { node, up, down }| {
        let packet = match packet_switch.map(|packets| (between(node, packets), between(packets, node))) {
            None => None,
            Some(([to], [from])) => Some([*to, *from]),
            Some((to, _)) => {
                let name = quoted(&network.nodes[node.index()].name);
                let message = format!("there are {} links from {name} to the packet switch", to.len());
                return Err(at.fault(format!("{message}; allowed: one to and one from it")));
            }
        };
        Ok(Ports { node, up, down, packet })
    };
    joined.into_iter().map(with_packets).collect()
}

/// Light passes switches without a stop, and is as long on the way by each of them.
fn check_links(ports: &[Ports], network: &Network, at: &At<()>) -> Result<(), Fault> {
    let links = ports.iter().flat_map(|own| own.up.iter().chain(&own.down)).map(|id| &network.links[id.index()]);
    uplinks::differ(links, "optical switches").map_or(Ok(()), |why| Err(at.fault(why)))
}

/// The number of each node with ports, and that of the hosts behind it.
fn numbers(ports: &[Ports], network: &Network) -> BTreeMap<NodeId, u32> {
    let mut numbers: BTreeMap<NodeId, u32> = (0..).zip(ports).map(|(number, own)| (own.node, number)).collect();
    let behind = network.links.iter().filter(|link| network.nodes[link.from.index()].role == Role::Host);
    let found: Vec<_> = behind.filter_map(|link| Some((link.from, *numbers.get(&link.to)?))).collect();
    for (host, number) in found {
        numbers.entry(host).or_insert(number);
    }
    numbers
}

/// The policy of so many switches and nodes.
fn chosen(keys: &OcsSwitching, capacity: Rate, [switches, nodes]: [usize; 2]) -> Result<Chosen, Fault> {
    Ok(match keys.policy.0 {
        PolicyRule::Static => {
            Chosen::Static(keys.strides.as_ref().map(|all| strides(all, switches, nodes)).transpose()?)
        }
        PolicyRule::PerCollective => Chosen::PerCollective(keys.turns.0),
        PolicyRule::PerStep => Chosen::PerStep(keys.turns.0),
        PolicyRule::Overlap if switches < 2 => {
            return Err(keys.policy.fault("found \"overlap\" with 1 optical switch; allowed: 2 at least"));
        }
        PolicyRule::Overlap => Chosen::Overlap,
        PolicyRule::Python => match &keys.class {
            Some(class) => Chosen::Class(class.to_string(), None),
            None => {
                let allowed = "a class, \"module:Class\" or \"file.py:Class\"";
                return Err(keys.policy.fault(format!("the key \"class\" is missing: {allowed}")));
            }
        },
        PolicyRule::Demand => {
            let name = &keys.rule;
            let place = || name.place().unwrap_or_else(|| keys.policy.place());
            let rule = Algorithm::from_name(name).ok_or_else(|| {
                let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
                Fault::new(place(), format!("there is no rule {}{}", quoted(name), choices(name, &names)))
            })?;
            if keys.interval.0 <= keys.reconfiguration.0 {
                let place = keys.interval.place().unwrap_or_else(|| keys.policy.place());
                let (interval, turn) = (keys.interval.0, keys.reconfiguration.0);
                let message = format!("found an interval of \"{interval}\"; allowed: longer than a turn, \"{turn}\"");
                return Err(Fault::new(place, message));
            }
            let site = circuits::Site {
                switches,
                capacity,
                packet_capacity: Rate::from_bps(0),
                reconfiguration: keys.reconfiguration.0,
                week: Some(keys.interval.0),
                slice: keys.slice.as_ref().map(|slice| slice.0),
            };
            // Any demand tells whether the rule and the times fit.
            let mut bytes = vec![0; nodes * nodes];
            bytes[1] = 1;
            let demand = circuits::DemandMatrix::new(nodes, bytes).map_err(|why| keys.policy.fault(why.to_string()))?;
            let tried = circuits::plan(rule, &demand, &site, &circuits::Readings::default());
            tried.map_err(|why| {
                let place = keys.interval.place().or(name.place()).unwrap_or_else(|| keys.policy.place());
                Fault::new(place, why.to_string())
            })?;
            Chosen::Demand(rule, site, keys.first.0, keys.start.0)
        }
    })
}

/// Rings around all nodes.
fn strides(all: &At<Vec<At<u32>>>, switches: usize, nodes: usize) -> Result<Vec<Vec<Pair>>, Fault> {
    if all.len() != switches {
        return Err(all.fault(format!("found {} strides; allowed: {switches}, one for each optical switch", all.len())));
    }
    let nodes = nodes as u32;
    let ring = |stride: &At<u32>| match **stride {
        stride if (1..nodes).contains(&stride) => Ok((0..nodes).map(|from| (from, (from + stride) % nodes)).collect()),
        found => Err(stride.fault(format!("found {found}; allowed: 1 to {}", nodes - 1))),
    };
    all.iter().map(ring).collect()
}

/// What is known with the traffic: whether the policy has something to go by, and switches enough.
fn later(keys: &OcsSwitching, plan: Ocs) -> Later {
    let (rule, place, is_said) = (keys.policy.0, keys.policy.place(), keys.strides.is_some());
    Box::new(move |network: &Network, traffic: &[Traffic]| {
        let fault = |why: String| Fault::new(place, why);
        let works = || {
            traffic.iter().filter_map(|one| match &one.arrivals {
                Arrivals::Work(work) => Some(work),
                _ => None,
            })
        };
        for work in works() {
            if let Some(rank) = work.ranks.iter().find(|rank| !plan.numbers.contains_key(rank)) {
                let name = quoted(&network.nodes[rank.index()].name);
                return Err(fault(format!(
                    "a rank is at {name}, which has no ports; allowed: nodes with ports, or behind"
                )));
            }
        }
        if is_said {
            return Ok(());
        }
        if works().next().is_none() {
            let word = options::Words::word(rule);
            return Err(fault(format!("found \"{word}\" without work; allowed with a [[traffic]] that has work")));
        }
        if !matches!(rule, PolicyRule::Static | PolicyRule::PerCollective) {
            return Ok(());
        }
        let frontier = plan.frontier(traffic);
        let (switches, nodes) = (plan.switches.len(), plan.ports.len() as u32);
        let of = |works: std::ops::Range<usize>| of_works(&frontier, works, switches, nodes).err();
        let needed = match rule {
            PolicyRule::Static => of(0..frontier.works()),
            _ => (0..frontier.works()).find_map(|work| of(work..work + 1)),
        };
        match needed {
            Some(count) => Err(fault(format!(
                "the work needs {count} matchings, and there are {switches} optical switches; allowed: as many at \
                 least, or policy = \"per-step\""
            ))),
            None => Ok(()),
        }
    })
}
