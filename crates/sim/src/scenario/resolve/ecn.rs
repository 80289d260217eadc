//! ECN that does nothing: where nobody marks, the receiver does not agree to it, or senders that are told by it have
//! none.

use crate::language::quoted;
use crate::model::{Ends, LinkId, Network, NodeId, Routes, Traffic, Transport, TransportKind};
use std::collections::BTreeSet;

/// Paths that are looked at, of each traffic.
const MOST_PATHS: usize = 200;

/// What to tell the user of transports with ECN whose receiver refuses it, or whose packets nobody marks; `echoes` is
/// the key of the kind of switching with which its agents tell senders by ECN, and then of transports without.
pub(super) fn warnings(
    network: &Network,
    transports: &[Transport],
    traffic: &[Traffic],
    echoes: Option<&str>,
) -> Vec<String> {
    let refused = |one: &&Transport| matches!(&one.kind, TransportKind::Tcp { receiver, .. } if !receiver.accept_ecn);
    let refusals = transports.iter().filter(refused).map(|one| {
        let name = quoted(&one.name);
        format!("connections of the transport {name} run without ECN: accept_ecn = false refuses it in the handshake")
    });
    let others = match echoes {
        Some(key) => deaf(key, transports, traffic).into_iter().collect(),
        None => unmarked(network, transports, traffic),
    };
    refusals.chain(others).collect()
}

/// Transports without ECN, where agents tell senders by it.
fn deaf(key: &str, transports: &[Transport], traffic: &[Traffic]) -> Option<String> {
    let used = traffic.iter().map(|one| &transports[one.transport.index()]);
    let is_deaf = |one: &&Transport| one.kind.sender().is_some_and(|sender| !sender.has_ecn());
    let names: BTreeSet<_> = used.filter(is_deaf).map(|one| quoted(&one.name)).collect();
    let names: Vec<_> = names.into_iter().collect();
    (!names.is_empty()).then(|| {
        format!("{key} tells senders by ECN, which the transport {} has not; give it ecn = true", names.join(", "))
    })
}

/// Transports whose packets no queue marks.
fn unmarked(network: &Network, transports: &[Transport], traffic: &[Traffic]) -> Vec<String> {
    let uses = |one: &&Traffic| transports[one.transport.index()].kind.hears().queues;
    let advice = "its ECN does nothing there; give the links of a bottleneck queue = { kind = \"step\" } or \"red\", \
                  for abc \"abc\"";
    if traffic.iter().any(|one| uses(&one)) && !network.links.iter().any(|link| link.queue.marks()) {
        let names = traffic.iter().filter(uses).map(|one| quoted(&transports[one.transport.index()].name));
        let names: Vec<String> = names.collect::<BTreeSet<_>>().into_iter().collect();
        return vec![format!("no queue marks packets of the transport {}: {advice}", names.join(", "))];
    }
    let mut routes = Routes::new(network, &network.open_to_flows());
    let node = |id: NodeId| quoted(&network.nodes[id.index()].name);
    let mut warnings = Vec::new();
    for one in traffic.iter().filter(uses) {
        let unmarked = pairs(one).into_iter().find(|(from, to)| !is_marked(network, routes.path(*from, *to)));
        if let Some((from, to)) = unmarked {
            let (name, from, to) = (quoted(&one.name), node(from), node(to));
            warnings.push(format!("no queue on the path of the traffic {name} from {from} to {to} marks: {advice}"));
        }
    }
    warnings
}

/// Whether some queue on the path marks; so it is if there is no path.
fn is_marked(network: &Network, path: Option<Vec<LinkId>>) -> bool {
    let path = path.unwrap_or_default();
    path.is_empty() || path.iter().any(|link| network.links[link.index()].queue.marks())
}

/// The pairs of a traffic as far as they are known before the run.
pub(super) fn pairs(traffic: &Traffic) -> Vec<(NodeId, NodeId)> {
    match traffic.arrivals.ends() {
        Ends::Pairs(mut pairs) => {
            pairs.truncate(MOST_PATHS);
            pairs
        }
        Ends::Among(_) => Vec::new(),
    }
}
