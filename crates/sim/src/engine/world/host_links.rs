//! What hosts know of the links by which their flows leave them.

use super::watching::Ways;
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::node::hosts::Hosts;
use crate::model::LinkId;
use std::collections::BTreeSet;
use transport::cc::Host;
use units::Rate;

/// Tells each sender the rate of the links by which its flow may leave, all together, as they are at the start, and the
/// bytes of its headers.
pub(super) fn tell(ways: &Ways, layout: &PartitionLayout, hosts: &mut Hosts) {
    for (flow, host) in hosts.senders.items_mut().iter_mut().enumerate() {
        let header = host.header.into();
        let Some(sender) = host.machine.tcp_mut().filter(|sender| sender.asks_of_host()) else { continue };
        let first = ways.first[flow].0;
        let others = layout.spray.iter().flat_map(|spray| spray.ways(first));
        let links: BTreeSet<LinkId> =
            [first].iter().chain(others).filter_map(|path| ways.links_of(*path).next()).collect();
        let rates = links.iter().map(|link| ways.scenario.network.links[link.index()].capacity.bps());
        let line_rate = Some(Rate::from_bps(rates.sum())).filter(|rate| rate.bps() > 0);
        sender.tell_host(&Host { line_rate, header });
    }
}
