//! Hosts whose senders bound what waits at their own link, and the ports that say when packets leave.

use super::watching::Ways;
use crate::engine::node::agent_setup::AgentSetup;
use crate::engine::node::hosts::{Configs, Hosts};
use crate::model::{Change, Flow, Light, LinkId, NodeId, Opening, PortRule, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The only links of the nodes at which such flows start. A node with several may pass on packets of others. A link
/// that goes down takes along what waits, and routes may end then: no port says so where that can happen.
pub(super) fn telling(
    scenario: &Scenario,
    configs: &[Configs],
    flows: &[Flow],
    rules: &[PortRule],
    agents: &AgentSetup,
) -> BTreeSet<LinkId> {
    let goes_down = || scenario.changes.iter().any(|timeline| timeline.has(|change| matches!(change, Change::Down(_))));
    let bounding = flows.iter().filter(|flow| configs[flow.transport.index()].bounds_queue());
    let sources: BTreeSet<NodeId> = bounding.map(|flow| flow.source).collect();
    if sources.is_empty() || scenario.network.timed.is_some() || goes_down() {
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
        .filter(|id| stores(*id))
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
