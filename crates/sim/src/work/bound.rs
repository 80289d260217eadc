//! How soon the links of a network could carry all that work sends.

use super::running::Running;
use crate::model::{Flow, Link, LinkId, Network, NodeId, Task, leaves, loads};
use std::collections::BTreeMap;

/// More pairs of switches, or of hosts that stand at several, are not looked at.
const MOST_PAIRS: usize = 20_000;

/// Seconds in which the busiest link carries what all transfers send, without headers, as the routes divide it. Nothing
/// waits for anything. `None` if there are too many pairs, or nothing is sent.
pub(super) fn seconds(network: &Network, flows: &[Flow], all: &[Running]) -> Option<f64> {
    let leaves = leaves(network);
    let mut carried = vec![0.0; network.links.len()];
    let mut pairs: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    for (flow, bytes) in all.iter().flat_map(sent) {
        let Flow { source, destination, .. } = flows[flow as usize];
        let mut ends = [source, destination];
        let [from, to] = ends.map(|node| leaves[node.index()]);
        // Between two hosts of one network the links of both carry it all, and the routes divide what lies between.
        if let (Some(from), Some(to)) = (from, to) {
            carried[from.up.index()] += bytes;
            carried[to.down.index()] += bytes;
            ends = [from.switch, to.switch];
        }
        if ends[0] != ends[1] {
            *pairs.entry((ends[1], ends[0])).or_default() += bytes;
        }
    }
    if pairs.len() > MOST_PAIRS {
        return None;
    }
    let pairs: Vec<_> = pairs.into_iter().map(|((to, from), bytes)| (from, to, bytes)).collect();
    loads(network, &pairs, |link: LinkId, bytes| carried[link.index()] += bytes);
    let lasts = |(bytes, link): (&f64, &Link)| bytes * 8.0 / link.capacity.bps() as f64;
    Some(carried.iter().zip(&network.links).map(lasts).fold(0.0, f64::max)).filter(|seconds| *seconds > 0.0)
}

/// The bytes of each transfer between nodes, and the flow that carries it.
fn sent(one: &Running) -> impl Iterator<Item = (u32, f64)> {
    let carried = one.outline.work.graph.tasks().iter().zip(&one.outline.work.carriers.of_task);
    carried.filter_map(|(task, carrier)| match (task, carrier) {
        (Task::Transfer { bytes, .. }, Some(carrier)) => Some((one.outline.flows[*carrier as usize], *bytes as f64)),
        _ => None,
    })
}
