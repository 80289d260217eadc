//! What receiving ends share at their node.

use super::watching::Ways;
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::node::hosts::{Configs, Hosts, SharedHost, Sink};
use crate::engine::packet::NEVER;
use crate::model::{LinkId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use units::{ByteTime, Rate};

/// Flows of a kind that end at one node.
#[derive(Default)]
struct Ends {
    flows: Vec<u32>,
    /// The links by which they come.
    links: BTreeSet<LinkId>,
}

/// What decides by which links packets come to receiving ends.
pub(super) struct Arriving<'a> {
    pub configs: &'a [Configs],
    pub layout: &'a PartitionLayout,
    /// Links to a node, instead of the last ones of paths.
    pub instead: &'a BTreeMap<NodeId, Vec<LinkId>>,
}

impl<'a> Arriving<'a> {
    /// With these links instead of the last ones of paths, by node.
    pub fn of(
        configs: &'a [Configs],
        layout: &'a PartitionLayout,
        instead: &'a BTreeMap<NodeId, Vec<LinkId>>,
    ) -> Arriving<'a> {
        Arriving { configs, layout, instead }
    }
}

/// Receiving ends learn which of their node is the first, and how long a full packet lasts on the links by which such
/// flows come there, all together, as they are at the start.
pub(super) fn tell_receivers(ways: &Ways, arriving: &Arriving, hosts: &mut Hosts) {
    let Arriving { configs, layout, instead } = arriving;
    let configs = |flow: u32| &configs[ways.flows[flow as usize].transport.index()];
    let transport = |flow: u32| &ways.scenario.transports[ways.flows[flow as usize].transport.index()];
    let mut nodes: BTreeMap<(NodeId, &str), Ends> = BTreeMap::new();
    for flow in 0..ways.flows.len() as u32 {
        let (Some(kind), Some(_)) = (transport(flow).kind.hosted(), configs(flow).maker()) else { continue };
        let ends = nodes.entry((ways.flows[flow as usize].destination, kind.name())).or_default();
        ends.flows.push(flow);
        let first = ways.first[flow as usize].0;
        ends.links.extend([first].iter().chain(layout.ways(first)).filter_map(|path| ways.links_of(*path).last()));
    }
    for ((node, _), Ends { flows, links }) in nodes {
        let links = instead.get(&node).map_or(links, |links| links.iter().copied().collect());
        let first = flows[0];
        let Some(shared) = configs(first).maker().and_then(|maker| maker.shared()) else { continue };
        hosts.shared.insert(first, SharedHost { shared, armed: NEVER });
        let rates = links.iter().map(|link| ways.scenario.network.links[link.index()].capacity.bps());
        let byte = ByteTime::at(Rate::from_bps(rates.sum())).expect("a resolved scenario has no link below 8 bit/s");
        for flow in flows {
            if let Sink::Hosted(sink) = &mut hosts.receivers[flow].sink {
                sink.shares_with = Some(first);
                sink.machine.join(byte.of(transport(flow).kind.largest_packet()));
            }
        }
    }
}
