//! A capture before the first packet: what is captured where, and what the file says of names.

use super::{Capture, CaptureWriter, Captured, Names};
use crate::engine::node::hosts::Configs;
use crate::model::{Flow, LinkId, Network, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// Which flows are captured, where, and where the file goes.
pub struct CaptureOptions {
    /// Flow numbers; all flows if empty.
    pub flows: Vec<u32>,
    /// Links by name, `a-b` in both directions; at the sending hosts if there are none.
    pub links: Vec<String>,
    /// The reasons for which agents drop packets, by number.
    pub causes: &'static [&'static str],
    /// Receives the file.
    pub output: CaptureWriter,
}

/// There is no link of this name.
#[derive(Debug)]
pub struct UnknownLink(pub String);

/// The run whose packets are captured.
pub struct Run<'a> {
    /// Network and transports.
    pub scenario: &'a Scenario,
    /// What makes the hosts of each transport.
    pub configs: &'a [Configs],
    /// All flows.
    pub flows: &'a [Flow],
    /// The link of each of the engine's numbers.
    pub order: &'a [LinkId],
}

/// Starts a capture at sending hosts, or at links.
pub fn start(options: CaptureOptions, Run { scenario, configs, flows, order }: Run) -> Result<Capture, UnknownLink> {
    let network = &scenario.network;
    let links = chosen(&options.links, network)?;
    let mut captured = captured(&options.flows, configs, flows);
    let names = Names { nodes: ends(&captured, network), causes: options.causes, ..Names::default() };
    if links.is_empty() {
        let interfaces = at_hosts(&mut captured, network);
        return Ok(Capture::new(options.output, captured, BTreeMap::new(), &Names { interfaces, ..names }));
    }
    // What passes a link passes it; a handshake that is not simulated does not.
    captured.values_mut().for_each(|flow| flow.opened = true);
    let interfaces = links.iter().map(|link| at_link(*link, network)).collect();
    let place = |link: &LinkId| links.iter().position(|one| one == link);
    let numbers = (0..).zip(order).filter_map(|(number, link)| Some((number, place(link)? as u32)));
    Ok(Capture::new(options.output, captured, numbers.collect(), &Names { interfaces, ..names }))
}

/// The links of these names.
fn chosen(names: &[String], network: &Network) -> Result<Vec<LinkId>, UnknownLink> {
    let node = |id: crate::model::NodeId| &network.nodes[id.index()].name;
    let mut all = BTreeSet::new();
    for name in names {
        let before = all.len();
        for (number, link) in (0..).zip(&network.links) {
            let (from, to) = (node(link.from), node(link.to));
            if link.name == *name || format!("{from}-{to}") == *name || format!("{to}-{from}") == *name {
                all.insert(number);
            }
        }
        if all.len() == before && !network.links.iter().any(|link| link.name == *name) {
            return Err(UnknownLink(name.clone()));
        }
    }
    Ok(all.into_iter().map(LinkId).collect())
}

fn captured(numbers: &[u32], configs: &[Configs], flows: &[Flow]) -> BTreeMap<u32, Captured> {
    let chosen = |number: &u32| numbers.is_empty() || numbers.contains(number);
    let captured = (0..flows.len() as u32).filter(chosen).map(|number| {
        let flow = &flows[number as usize];
        let configs = &configs[flow.transport.index()];
        let is_plain = configs.maker().is_some();
        let captured = Captured {
            source: flow.source.0,
            destination: flow.destination.0,
            window: configs.window(),
            opened: configs.has_handshake() || is_plain,
            interface: None,
            last: 0,
            offer: configs.offer(),
            is_plain,
        };
        (number, captured)
    });
    captured.collect()
}

/// The nodes at the ends of flows, with their names.
fn ends(flows: &BTreeMap<u32, Captured>, network: &Network) -> Vec<(u32, String)> {
    let nodes: BTreeSet<u32> = flows.values().flat_map(|flow| [flow.source, flow.destination]).collect();
    nodes.into_iter().map(|node| (node, network.nodes[node as usize].name.clone())).collect()
}

/// An interface for each sending host, in the order of the nodes.
fn at_hosts(flows: &mut BTreeMap<u32, Captured>, network: &Network) -> Vec<(String, String)> {
    let nodes: Vec<u32> = flows.values().map(|flow| flow.source).collect::<BTreeSet<_>>().into_iter().collect();
    for flow in flows.values_mut() {
        flow.interface = nodes.binary_search(&flow.source).ok().map(|place| place as u32);
    }
    let name = |node: &u32| network.nodes[*node as usize].name.clone();
    nodes.iter().map(|node| (name(node), format!("sending host at node {}", name(node)))).collect()
}

fn at_link(id: LinkId, network: &Network) -> (String, String) {
    let link = &network.links[id.index()];
    let node = |id: crate::model::NodeId| &network.nodes[id.index()].name;
    let description = format!("link from {} to {}, {} bit/s", node(link.from), node(link.to), link.capacity.bps());
    (link.name.clone(), description)
}
