//! How long a full packet and its ACK take on empty ways: by a circuit, which passes switches of light without a stop,
//! and by the packet network.

use super::keys::{Acks, Rest};
use super::told::RoundTrips;
use super::{Ocs, Ports};
use crate::model::{Flow, LinkId, Network, NodeId, Scenario};
use units::Duration;

/// Of a flow between nodes with ports, or hosts behind them. An ACK that goes as data has a circuit back.
pub(super) fn round_trips(plan: &Ocs, scenario: &Scenario, flow: &Flow) -> RoundTrips {
    let kind = &scenario.transports[flow.transport.index()].kind;
    let [packet, ack] = [kind.payload().unwrap_or(0) + kind.header(), kind.ack_size()];
    let way = |source, destination| Way::new(plan, &scenario.network, [source, destination]);
    let (there, back) = (way(flow.source, flow.destination), way(flow.destination, flow.source));
    let (Some(there), Some(back)) = (there, back) else { return [None; 2] };
    let back = match plan.rules.acks {
        Acks::Packets => back.by_packets(ack),
        Acks::AsData => Some(back.by_light(ack)),
    };
    let without = there.by_packets(packet).filter(|_| plan.rules.rest == Rest::Packets);
    [Some(there.by_light(packet)), without].map(|there| Some(there? + back?))
}

/// From a host to another one.
struct Way<'a> {
    network: &'a Network,
    ports: [&'a Ports; 2],
    /// Links from the first host to its node and from the last node to its host, of those behind nodes.
    ends: Vec<LinkId>,
}

impl<'a> Way<'a> {
    fn new(plan: &'a Ocs, network: &'a Network, hosts: [NodeId; 2]) -> Option<Way<'a>> {
        let number = |host: NodeId| plan.numbers.get(&host).map(|number| &plan.ports[*number as usize]);
        let ports = [number(hosts[0])?, number(hosts[1])?];
        let wanted = [(hosts[0], ports[0].node), (ports[1].node, hosts[1])];
        let is_between = |(from, to): &(NodeId, NodeId)| {
            let link = (0..).map(LinkId).zip(&network.links).find(|(_, link)| (link.from, link.to) == (*from, *to));
            link.map(|(id, _)| id)
        };
        Some(Way { network, ports, ends: wanted.iter().filter_map(is_between).collect() })
    }

    fn by_light(&self, size: u32) -> Duration {
        let link = |id: LinkId| &self.network.links[id.index()];
        let [from, to] = self.ports;
        self.stored(&self.ends, size) + link(from.up[0]).lasts(size) + link(from.up[0]).delay + link(to.down[0]).delay
    }

    fn by_packets(&self, size: u32) -> Option<Duration> {
        let [[up, _], [_, down]] = [self.ports[0].packet?, self.ports[1].packet?];
        Some(self.stored(&self.ends, size) + self.stored(&[up, down], size))
    }

    /// Over links behind which each packet is stored and forwarded.
    fn stored(&self, links: &[LinkId], size: u32) -> Duration {
        let link = |id: &LinkId| &self.network.links[id.index()];
        links.iter().map(link).fold(Duration::ZERO, |sum, link| sum + link.lasts(size) + link.delay)
    }
}
