//! What hosts know of the ways of their flows.

use super::watching::Ways;
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::node::hosts::Hosts;
use crate::model::LinkId;
use std::collections::BTreeSet;
use transport::cc::Host;
use units::{Duration, Rate};

/// Tells each sender that asks the rate of the links by which its flow may leave, all together, as they are at the
/// start, the bytes of its headers, and the round trip of the empty way.
pub(super) fn tell(ways: &Ways, layout: &PartitionLayout, hosts: &mut Hosts) {
    for (flow, host) in hosts.senders.items_mut().iter_mut().enumerate() {
        let header = host.header.into();
        let Some(sender) = host.machine.tcp_mut().filter(|sender| sender.asks_of_host()) else { continue };
        let first = ways.first[flow].0;
        let links: BTreeSet<LinkId> =
            [first].iter().chain(layout.ways(first)).filter_map(|path| ways.links_of(*path).next()).collect();
        let rates = links.iter().map(|link| ways.scenario.network.links[link.index()].capacity.bps());
        let line_rate = Some(Rate::from_bps(rates.sum())).filter(|rate| rate.bps() > 0);
        let kind = &ways.scenario.transports[ways.flows[flow].transport.index()].kind;
        let there = empty(ways, first, kind.payload().unwrap_or(0) + kind.header());
        let base_rtt = Some(there + empty(ways, ways.first[flow].1, kind.ack_size()));
        sender.tell_host(&Host { line_rate, header, base_rtt });
    }
}

/// How long a packet of `size` bytes takes over the links of a path on which nothing else is, as they are at the start.
fn empty(ways: &Ways, path: u32, size: u32) -> Duration {
    let links = ways.links_of(path).map(|link| &ways.scenario.network.links[link.index()]);
    links.fold(Duration::ZERO, |time, link| time + link.delay + link.lasts(size))
}
