//! Hosts that stand at one switch.

use super::{Link, LinkId, Network, NodeId};

/// The only links of a node, both with the same other node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// To the switch.
    pub up: LinkId,
    /// From the switch.
    pub down: LinkId,
    /// The other node, which is no leaf.
    pub switch: NodeId,
}

/// By node: its links, if it has one each way.
pub fn leaves(network: &Network) -> Vec<Option<Leaf>> {
    let mut ends: Vec<[Option<(LinkId, NodeId)>; 2]> = vec![[None; 2]; network.nodes.len()];
    let mut several = vec![false; network.nodes.len()];
    for (Link { from, to, .. }, id) in network.links.iter().zip((0..).map(LinkId)) {
        for (side, node, other) in [(0, *from, *to), (1, *to, *from)] {
            several[node.index()] |= ends[node.index()][side].replace((id, other)).is_some();
        }
    }
    let leaf = |(ends, several): ([Option<(LinkId, NodeId)>; 2], bool)| match ends {
        [Some((up, switch)), Some((down, from))] if switch == from && !several => Some(Leaf { up, down, switch }),
        _ => None,
    };
    let found: Vec<Option<Leaf>> = ends.into_iter().zip(several).map(leaf).collect();
    let stands_at_one = |leaf: &Leaf| found[leaf.switch.index()].is_none();
    found.iter().map(|leaf| leaf.filter(stands_at_one)).collect()
}
