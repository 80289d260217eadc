//! Nodes with a link to and from each of some switches of light: what kinds of switching check of them alike.

use crate::language::quoted;
use crate::model::{Link, LinkId, Network, NodeId, Role};
use crate::queue;
use std::collections::{BTreeMap, BTreeSet};

/// A node and its links with each switch.
pub(super) struct Joined {
    pub node: NodeId,
    pub up: Vec<LinkId>,
    pub down: Vec<LinkId>,
}

/// A node that is joined to some switch and has no link, or several, where one is to be.
pub(super) struct Wrong {
    pub node: NodeId,
    /// "there are 2 links from … to …".
    pub found: String,
}

/// All links by their ends.
pub(super) fn by_ends(network: &Network) -> BTreeMap<(NodeId, NodeId), Vec<LinkId>> {
    let mut ends: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
    for (link, id) in network.links.iter().zip((0..).map(LinkId)) {
        ends.entry((link.from, link.to)).or_default().push(id);
    }
    ends
}

/// The core nodes, and whether each has links with hosts.
pub(super) fn cores(network: &Network) -> Vec<(NodeId, bool)> {
    let role = |node: NodeId| network.nodes[node.index()].role;
    let ends = network.links.iter().flat_map(|link| [(link.from, link.to), (link.to, link.from)]);
    let at_hosts: BTreeSet<NodeId> =
        ends.filter(|(_, other)| role(*other) == Role::Host).map(|(node, _)| node).collect();
    let nodes = (0..network.nodes.len() as u32).map(NodeId);
    nodes.filter(|node| role(*node) == Role::Core).map(|node| (node, at_hosts.contains(&node))).collect()
}

/// The nodes with links to and from all switches.
pub(super) fn joined(network: &Network, switches: &[NodeId]) -> Result<Vec<Joined>, Wrong> {
    let ends = by_ends(network);
    let between = |from: NodeId, to: NodeId| ends.get(&(from, to)).map_or(&[][..], Vec::as_slice);
    let mut all = Vec::new();
    for node in (0..network.nodes.len() as u32).map(NodeId).filter(|node| !switches.contains(node)) {
        let pairs = || switches.iter().flat_map(|switch| [(node, *switch), (*switch, node)]);
        if pairs().all(|(from, to)| between(from, to).is_empty()) {
            continue;
        }
        if let Some((from, to)) = pairs().find(|(from, to)| between(*from, *to).len() != 1) {
            let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
            let found = format!("there are {} links from {} to {}", between(from, to).len(), name(from), name(to));
            return Err(Wrong { node, found });
        }
        let up = switches.iter().map(|switch| between(node, *switch)[0]).collect();
        let down = switches.iter().map(|switch| between(*switch, node)[0]).collect();
        all.push(Joined { node, up, down });
    }
    Ok(all)
}

/// Why light, which passes switches of this name without a stop, is not as long on the way by each of these links.
pub(super) fn differ<'n>(links: impl Iterator<Item = &'n Link> + Clone, switches: &str) -> Option<String> {
    let first = links.clone().next()?;
    let differs = |link: &&Link| (link.capacity, link.delay) != (first.capacity, first.delay);
    if let Some(other) = links.clone().find(differs) {
        let said = |link: &Link| format!("{} has {} and {}", quoted(&link.name), link.capacity, link.delay);
        let found = format!("{}, {}", said(first), said(other));
        return Some(format!("{found}; allowed: links of one capacity and delay with {switches}"));
    }
    let mut links = links;
    let link = links.find(|link| link.queue != queue::Config::DropTail)?;
    let name = quoted(&link.name);
    Some(format!("{name} has a queue discipline; allowed: none at links with {switches}"))
}
