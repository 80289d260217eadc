//! Hosts whose senders bound what waits at their own link, and the ports that say when packets leave.

use super::controls::changing;
use super::watching::Ways;
use crate::engine::node::agent_setup::AgentSetup;
use crate::engine::node::hosts::{Configs, Hosts};
use crate::model::{Change, Flow, Light, LinkId, NodeId, Opening, PortRule, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The only links of the nodes at which such flows start. A node with several may pass on packets of others. A link
/// that goes down takes along what waits, and where routes change a packet may find none: no port says so.
pub(super) fn telling(
    scenario: &Scenario,
    configs: &[Configs],
    flows: &[Flow],
    rules: &[PortRule],
    agents: &AgentSetup,
) -> BTreeSet<LinkId> {
    let changing = changing(scenario, |change| matches!(change, Change::Down(_)));
    let reroutes = scenario.network.timed.is_some() || scenario.network.reroute_after.is_some() && !changing.is_empty();
    let bounding = flows.iter().filter(|flow| configs[flow.transport.index()].bounds_queue());
    let sources: BTreeSet<NodeId> = bounding.map(|flow| flow.source).collect();
    if sources.is_empty() || reroutes {
        return BTreeSet::new();
    }
    let stores = |link: LinkId| {
        let rule = &rules[link.index()];
        rule.opening == Opening::Always && rule.light == Light::None && !agents.interceptors.contains_key(&link)
    };
    let mut leaving: BTreeMap<NodeId, Vec<LinkId>> = BTreeMap::new();
    for (id, link) in (0..).map(LinkId).zip(&scenario.network.links).filter(|(_, link)| sources.contains(&link.from)) {
        leaving.entry(link.from).or_default().push(id);
    }
    leaving
        .into_values()
        .filter_map(|links| <[LinkId; 1]>::try_from(links).ok())
        .flatten()
        .filter(|id| stores(*id) && !changing.contains(id))
        .collect()
}

/// Senders count what leaves where their first port says so.
pub(super) fn tell(ways: &Ways, telling: &BTreeSet<LinkId>, hosts: &mut Hosts) {
    if telling.is_empty() {
        return;
    }
    for (flow, host) in hosts.senders.items_mut().iter_mut().enumerate() {
        if let Some(sender) = host.machine.tcp_mut().filter(|sender| sender.bounds_queue())
            && ways.links(flow).next().is_some_and(|link| telling.contains(&link))
        {
            sender.count_queue();
        }
    }
}
