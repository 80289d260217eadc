//! Which node sends the PULLs of a flow, and how fast.

use super::watching::Ways;
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::node::hosts::{Hosts, Sink};
use crate::model::{LinkId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use units::{ByteTime, Rate};

/// Flows that are pulled by one node.
#[derive(Default)]
struct Node {
    flows: Vec<u32>,
    /// The links by which they come.
    links: BTreeSet<LinkId>,
}

/// Tells the receivers of flows that are pulled which of them is the first of their node, and how long a full packet
/// lasts on the links by which such flows come there, all together, as they are at the start.
pub(super) fn settle(ways: &Ways, layout: &PartitionLayout, hosts: &mut Hosts) {
    let mut nodes: BTreeMap<NodeId, Node> = BTreeMap::new();
    let pulling = hosts.receivers.items().iter().zip(0..).filter(|(host, _)| matches!(host.sink, Sink::Pulling(_)));
    for (_, flow) in pulling {
        let node = nodes.entry(ways.flows[flow as usize].destination).or_default();
        node.flows.push(flow);
        let first = ways.first[flow as usize].0;
        let others = layout.spray.iter().flat_map(|spray| spray.ways(first));
        node.links.extend([first].iter().chain(others).filter_map(|path| ways.links_of(*path).last()));
    }
    for Node { flows, links } in nodes.into_values() {
        let rates = links.iter().map(|link| ways.scenario.network.links[link.index()].capacity.bps());
        let byte = ByteTime::at(Rate::from_bps(rates.sum())).expect("a resolved scenario has no link below 8 bit/s");
        for flow in &flows {
            let transport = &ways.scenario.transports[ways.flows[*flow as usize].transport.index()];
            if let Sink::Pulling(sink) = &mut hosts.receivers[*flow].sink {
                (sink.puller, sink.lasts) = (flows[0], byte.of(transport.kind.largest_packet()));
            }
        }
    }
}
