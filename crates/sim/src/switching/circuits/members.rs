//! From which rack to which a packet travels, and its way over a circuit: a table over the array of paths, because the
//! place of a packet's way there tells where it comes from and goes to.

use super::Links;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::packet::Packet;
use crate::model::{LinkId, NodeId, Routes};
use std::collections::{BTreeMap, BTreeSet};

/// A packet between racks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The rack that it comes from.
    pub from: u32,
    /// The rack that it goes to.
    pub to: u32,
    /// At the first rack: its way over a circuit, in the array of paths.
    pub circuit: u32,
}

/// All ways between racks.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// By place in the array of paths.
    table: Vec<Option<Member>>,
    /// Pairs of racks between which flows send data.
    data: BTreeSet<(u32, u32)>,
}

impl Members {
    /// The ways of all flows and of their ACKs.
    pub fn new(racks: &[Links], packet_switch: NodeId, build: &mut BuildContext) -> Members {
        let network = build.network;
        let mut routes = Routes::new(network, &network.open_to_flows());
        let mut members = Members::default();
        let mut known = BTreeMap::new();
        for (flow, (there, back)) in build.flows.iter().zip(build.paths) {
            let answers = build.transports[flow.transport.index()].kind.receiver().is_some();
            let ways = [(*there, flow.source, flow.destination), (*back, flow.destination, flow.source)];
            for (number, (path, from, to)) in ways.into_iter().take(1 + usize::from(answers)).enumerate() {
                let pair = *known.entry(path).or_insert_with(|| {
                    let links = routes.path(from, to)?;
                    members.add(path, &links, racks, packet_switch, build)
                });
                members.data.extend(pair.filter(|_| number == 0));
            }
        }
        members
    }

    /// A way, if it leads through the packet switch; between which racks it does.
    fn add(
        &mut self,
        path: u32,
        links: &[LinkId],
        racks: &[Links],
        packet_switch: NodeId,
        build: &mut BuildContext,
    ) -> Option<(u32, u32)> {
        let enters = links.iter().position(|link| build.network.links[link.index()].to == packet_switch)?;
        let rack = |link: LinkId, of: fn(&Links) -> LinkId| racks.iter().position(|rack| of(rack) == link);
        let from = rack(links[enters], |rack| rack.to_packet)?;
        let to = rack(*links.get(enters + 1)?, |rack| rack.from_packet)?;
        let circuit = [racks[from].to_circuit, racks[to].from_circuit];
        let way: Vec<LinkId> = circuit.iter().chain(&links[enters + 2..]).copied().collect();
        let member = Member { from: from as u32, to: to as u32, circuit: build.add_path(&way) };
        let place = path as usize + enters;
        if self.table.len() < place + 2 {
            self.table.resize(place + 2, None);
        }
        self.table[place..place + 2].fill(Some(member));
        Some((member.from, member.to))
    }

    /// Between which racks a packet travels that is before its link to the packet switch, or before the one from there.
    #[inline]
    pub fn find(&self, packet: &Packet) -> Option<Member> {
        *self.table.get(packet.hop as usize)?
    }

    /// The same, each with how many pairs share the links to and from the packet switch with it, itself counted: those
    /// of the link that more share.
    pub fn sharers_from(&self, rack: u32) -> Vec<(u32, u64)> {
        let own = self.data_from(rack).count() as u64;
        let mut to_each: BTreeMap<u32, u64> = self.data_from(rack).map(|to| (to, 0)).collect();
        for (_, to) in &self.data {
            to_each.entry(*to).and_modify(|count| *count += 1);
        }
        to_each.into_iter().map(|(to, count)| (to, count.max(own))).collect()
    }

    /// The racks to which flows send data from a rack.
    pub fn data_from(&self, rack: u32) -> impl Iterator<Item = u32> {
        self.data.range((rack, 0)..=(rack, u32::MAX)).map(|(_, to)| *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rack 0 sends to 1 and 2, rack 3 to 1: two share the link from rack 0, two the link to rack 1.
    #[test]
    fn a_pair_shares_the_link_that_more_pairs_share() {
        let members = Members { table: Vec::new(), data: [(0, 1), (0, 2), (3, 1)].into() };
        assert_eq!(members.sharers_from(0), [(1, 2), (2, 2)]);
        assert_eq!([members.sharers_from(3), members.sharers_from(1)], [vec![(1, 2)], vec![]]);
        assert_eq!(members.data_from(0).collect::<Vec<_>>(), [1, 2]);
    }
}
