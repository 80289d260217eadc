//! Between which racks the packets of a flow travel, and the paths on which racks put them.

use super::Uplinks;
use super::keys::Acks;
use super::slices::Slices;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::packet::{Class, Packet};
use crate::model::{Flow, Lane, Link, Load, Network, NodeId, Role};
use crate::switching::ends::Ends;
use std::collections::BTreeMap;

/// All flows between racks, and the paths from rack to rack.
#[derive(Debug)]
pub(super) struct Members {
    /// By flow.
    flows: Vec<Option<Known>>,
    /// By matching and rack: where the array of paths has the way over the rack's circuit, which ends before the port
    /// of the far rack's uplink to the same switch.
    ways: Vec<u32>,
    racks: u32,
    /// Where the array of paths has the first of them. Packets that are further on came by light.
    first: u32,
}

/// What racks know of a flow.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Its racks.
    ends: Ends,
    /// Whether data, and ACKs, take the shortest path within a slice.
    by_slice: [bool; 2],
    /// The numbers of the source and of the destination among the hosts of their racks.
    hosts: [u16; 2],
}

/// Where a packet is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// The rack.
    pub to: u32,
    /// Its path from there on.
    pub tail: u32,
    /// Whether it takes the shortest path within a slice.
    pub by_slice: bool,
    /// The numbers among the hosts of their racks of the host that it comes from and of the one that it goes to.
    pub hosts: [u16; 2],
}

/// What takes the shortest path within a slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct BySlice {
    /// Everything.
    pub all: bool,
    /// Flows of fewer bytes.
    pub below: u64,
    /// ACKs.
    pub acks: Acks,
}

impl BySlice {
    /// Whether anything does.
    pub fn any(&self) -> bool {
        self.all || self.below > 0 || self.acks == Acks::Slice
    }

    /// Data and ACKs of a flow.
    fn of(&self, flow: &Flow) -> [bool; 2] {
        let is_small = matches!(flow.load, Load::Size(bytes) if bytes.count() < self.below);
        let data = self.all || is_small;
        [data, data || self.acks == Acks::Slice]
    }
}

impl Members {
    /// Those of a network with these uplinks by rack.
    pub fn new(uplinks: &[Uplinks], slices: &Slices, by_slice: &BySlice, build: &mut BuildContext) -> Members {
        let mut switch_links = vec![None; build.network.links.len()];
        for (rack, uplinks) in (0..).zip(uplinks) {
            let ends = uplinks.up.iter().chain(&uplinks.down);
            ends.for_each(|link| switch_links[link.index()] = Some(rack));
        }
        let numbers = host_numbers(uplinks, build.network);
        let known = |(flow, (there, back)): (&Flow, &(u32, u32))| {
            let ends = Ends::of(build.laid, [*there, *back], &switch_links)?;
            let hosts = [flow.source, flow.destination].map(|node| numbers[node.index()]);
            Some(Known { ends, by_slice: by_slice.of(flow), hosts })
        };
        let flows = build.flows.iter().zip(build.paths).map(known).collect();
        let mut ways = Vec::with_capacity(slices.matchings().len() * uplinks.len());
        for (switch, matching) in slices.matchings() {
            let switch = *switch as usize;
            for (own, to) in uplinks.iter().zip(matching) {
                let way = to.map(|to| {
                    let far = &uplinks[to as usize];
                    build.add_path(&[own.up[switch], far.down[switch], far.up[switch]])
                });
                ways.push(way.unwrap_or(u32::MAX));
            }
        }
        let first = ways.iter().copied().min().unwrap_or(u32::MAX);
        Members { flows, ways, racks: uplinks.len() as u32, first }
    }

    /// Where a packet at a rack is going; `None` if it goes to no other rack.
    #[inline]
    pub fn goal(&self, packet: &Packet, here: u32) -> Option<Goal> {
        let known = (*self.flows.get(packet.flow as usize)?)?;
        let way = known.ends.way(packet, here, self.is_from_light(packet));
        let (to, tail) = known.ends.goal(way);
        let [source, destination] = known.hosts;
        let hosts = if way == 0 { [source, destination] } else { [destination, source] };
        Some(Goal { hosts, to, tail, by_slice: known.by_slice[way] && packet.class != Class::Control })
    }

    /// Whether a packet before an uplink came over a circuit.
    #[inline]
    pub fn is_from_light(&self, packet: &Packet) -> bool {
        packet.hop > self.first
    }

    /// The way over the circuit that a rack has in a matching.
    #[inline]
    pub fn way(&self, matching: u32, rack: u32) -> u32 {
        self.ways[(matching * self.racks + rack) as usize]
    }
}

/// By node: its number among those with a link from its rack; 0 of others.
fn host_numbers(uplinks: &[Uplinks], network: &Network) -> Vec<u16> {
    let mut numbers = vec![0; network.nodes.len()];
    let mut next: BTreeMap<NodeId, u16> = uplinks.iter().map(|rack| (rack.node, 0)).collect();
    let is_of_host = |link: &&Link| link.lane != Lane::Control && network.nodes[link.to.index()].role == Role::Host;
    for link in network.links.iter().filter(is_of_host) {
        if let Some(next) = next.get_mut(&link.from) {
            numbers[link.to.index()] = *next;
            *next = next.wrapping_add(1);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    /// A flow from host 3 of rack 0 to host 4 of rack 1, whose data takes circuits in turn and whose ACKs the slice.
    fn members() -> Members {
        let ends = Ends { nodes: [0, 1], tails: [20, 10] };
        let known = Known { ends, by_slice: [false, true], hosts: [3, 4] };
        Members { flows: vec![None, Some(known)], ways: (50..56).collect(), racks: 3, first: 50 }
    }

    #[test]
    fn data_goes_to_the_destinations_rack_and_acks_to_the_sources() {
        let members = members();
        let goal = |class, hop, here| {
            let packet = Packet { flow: 1, class, hop, ..Packet::default() };
            members.goal(&packet, here).map(|goal| (goal.to, goal.tail, goal.by_slice, goal.hosts))
        };
        for class in [Class::Data, Class::Datagram, Class::Unit] {
            assert_eq!(goal(class, 0, 0), Some((1, 20, false, [3, 4])));
        }
        assert_eq!(goal(Class::Ack, 0, 1), Some((0, 10, true, [4, 3])));
        // A message goes to the other rack from the one where it begins, by no slice; one that came by light ends here.
        assert_eq!([goal(Class::Control, 0, 0), goal(Class::Control, 51, 1)], [Some((1, 20, false, [3, 4])); 2]);
        assert_eq!([goal(Class::Control, 0, 1), goal(Class::Control, 51, 0)], [Some((0, 10, false, [4, 3])); 2]);
        let [same_rack, unknown] = [0, 2].map(|flow| members.goal(&Packet { flow, ..Packet::default() }, 0));
        assert_eq!((same_rack, unknown), (None, None));
    }

    #[test]
    fn ways_are_by_matching_and_rack_and_what_is_beyond_the_first_came_by_light() {
        let members = members();
        assert_eq!([members.way(0, 2), members.way(1, 0)], [52, 53]);
        let light = [49, 50, 51].map(|hop| members.is_from_light(&Packet { hop, ..Packet::default() }));
        assert_eq!(light, [false, false, true]);
    }

    #[test]
    fn any_of_the_three_rules_puts_something_on_shortest_paths() {
        let any = |all, below, acks| BySlice { all, below, acks }.any();
        let data = Acks::AsData;
        assert_eq!([any(false, 0, data), any(true, 0, data), any(false, 1, data)], [false, true, true]);
        assert!(any(false, 0, Acks::Slice));
    }
}
