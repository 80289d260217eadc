//! Laws that read what ports measure need a port that measures on each way, and no more of them than a packet has room
//! for.

use super::Context;
use crate::language::{At, Fault};
use crate::model::{Ends, NodeId, Routes, Traffic, Transport};
use crate::scenario::spec;
use transport::cc::rcp;
use transport::telemetry::Telemetry;

/// Pairs of nodes that are looked at, at most.
const MOST_PAIRS: usize = 32;

/// The traffic of a scenario: each table, and the rule that it became.
pub(super) struct Rules<'a> {
    pub tables: &'a [At<spec::Traffic>],
    pub rules: &'a [Traffic],
    pub transports: &'a [Transport],
}

/// An error if a flow of such a law passes no port that measures, or too many. `writes` says whether the switches are
/// of a kind that writes into packets.
pub(super) fn check(context: &Context, traffic: Rules, writes: bool) -> Result<(), Fault> {
    let network = context.network;
    let mut ports: Option<&rcp::Config> = None;
    for (table, rule) in traffic.tables.iter().zip(traffic.rules) {
        if !traffic.transports[rule.transport.index()].kind.reads_telemetry() {
            continue;
        }
        let name = &table.transport;
        if !writes {
            return Err(name.fault(
                "its law reads what ports measure, and this kind of switching writes nothing into packets; allowed \
                 with kind = \"packets\" or \"circuits\"",
            ));
        }
        let own = traffic.transports[rule.transport.index()].kind.rcp();
        if own.is_some_and(|own| ports.is_some_and(|ports| ports != own)) {
            return Err(name.fault(
                "another traffic has other parameters of rcp; allowed: one set of them (rcp_alpha … and ahead) for all",
            ));
        }
        ports = ports.or(own);
        let mut routes = Routes::new(network, &network.open_to_flows());
        for (from, to) in some_of(rule.arrivals.ends()) {
            let Some(path) = routes.path(from, to) else { continue };
            let measuring = path.iter().filter(|link| network.links[link.index()].telemetry).count();
            let most = if own.is_some() { usize::MAX } else { Telemetry::HOPS };
            if (1..=most).contains(&measuring) {
                continue;
            }
            let links: Vec<String> = path.iter().map(|link| context.name(*link)).collect();
            let links = links.join(", ");
            return Err(name.fault(match measuring {
                0 => format!(
                    "its law reads what ports measure, and none does on the way {links}; allowed: a link there that \
                     leaves no host, or that says telemetry = true"
                ),
                _ => format!(
                    "its law reads what ports measure, and {measuring} do on the way {links}; allowed: {most}, for \
                     which a packet has room, with telemetry = false at the others"
                ),
            }));
        }
    }
    Ok(())
}

/// Pairs that flows may join.
fn some_of(ends: Ends) -> Vec<(NodeId, NodeId)> {
    match ends {
        Ends::Pairs(pairs) => pairs.into_iter().take(MOST_PAIRS).collect(),
        Ends::Among(nodes) => nodes.iter().zip(nodes.iter().skip(1)).take(MOST_PAIRS).map(|(a, b)| (*a, *b)).collect(),
    }
}
