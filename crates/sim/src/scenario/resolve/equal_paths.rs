//! A word about equally short paths, if nobody says which of them flows take.

use super::Context;
use crate::language::quoted;
use crate::model::{Ends, EqualRoutes, NodeId, Traffic};

/// Pairs of nodes that are looked at, at most; and links passed on the way there, about.
const MOST_PAIRS: usize = 32;
const MOST_LINKS: usize = 1_000_000;

/// The first node, of the ways of the first pairs, with several next links that are equally near.
pub(super) fn warning(context: &Context, traffic: &[Traffic]) -> Option<String> {
    let network = context.network;
    let most = (MOST_LINKS / network.links.len().max(1)).clamp(1, MOST_PAIRS);
    let pairs = traffic.iter().flat_map(|rule| some_of(rule.arrivals.ends())).take(most);
    let mut routes = EqualRoutes::new(network, &network.open_to_flows());
    let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
    for (from, to) in pairs {
        let mut fork = None;
        routes.path(from, to, |node, links| {
            let next = || links.iter().take(3).map(|link| context.name(*link)).collect::<Vec<_>>().join(", ");
            fork.get_or_insert_with(|| (node, links.len(), next()));
            links[0]
        });
        if let Some((node, count, names)) = fork {
            let more = if count > 3 { ", …" } else { "" };
            return Some(format!(
                "from {} to {} there are equally short paths: at {} by {names}{more} ({count}); all flows take the \
                 first; routing = \"ecmp\" in [topology] shares flows out, routing = \"first\" says that one is meant",
                name(from),
                name(to),
                name(node)
            ));
        }
    }
    None
}

/// Pairs that flows may join; of a set of nodes those of the first one.
pub(super) fn some_of(ends: Ends) -> Vec<(NodeId, NodeId)> {
    match ends {
        Ends::Pairs(pairs) => pairs.into_iter().take(MOST_PAIRS).collect(),
        Ends::Among(nodes) => {
            let Some((first, rest)) = nodes.split_first() else { return Vec::new() };
            let step = rest.len().div_ceil(MOST_PAIRS).max(1);
            rest.iter().step_by(step).map(|other| (*first, *other)).collect()
        }
    }
}
