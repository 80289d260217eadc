//! To which port a packet goes, and the ways over circuits on which nodes put it.

use super::Ports;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::packet::Packet;
use crate::switching::ends::Ends;

/// All flows between nodes with ports, and the ways from node to node.
#[derive(Debug)]
pub(super) struct Members {
    /// By flow.
    flows: Vec<Option<Ends>>,
    /// By switch, node and node: where the array of paths has the way over a circuit, which ends before the port of the
    /// far node to the same switch.
    ways: Vec<u32>,
    nodes: u32,
    /// Where the array of paths has the first of them. Packets that are further on came by light.
    first: u32,
}

/// Where a packet is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// The node.
    pub to: u32,
    /// Its path from there on.
    pub tail: u32,
}

impl Members {
    /// Those of a network with these ports.
    pub fn new(ports: &[Ports], build: &mut BuildContext) -> Members {
        let mut owners = vec![None; build.network.links.len()];
        for (number, own) in (0..).zip(ports) {
            let links = own.up.iter().chain(&own.down).chain(own.packet.iter().flatten());
            links.for_each(|link| owners[link.index()] = Some(number));
        }
        let ends = |(there, back): &(u32, u32)| Ends::of(build.laid, [*there, *back], &owners);
        let flows = build.paths.iter().map(ends).collect();
        let switches = ports[0].up.len();
        let mut ways = Vec::with_capacity(switches * ports.len() * ports.len());
        for switch in 0..switches {
            for (from, to) in ports.iter().flat_map(|from| ports.iter().map(move |to| (from, to))) {
                ways.push(match from.node == to.node {
                    true => u32::MAX,
                    false => build.add_path(&[from.up[switch], to.down[switch], to.up[switch]]),
                });
            }
        }
        let first = ways.iter().copied().min().unwrap_or(u32::MAX);
        Members { flows, ways, nodes: ports.len() as u32, first }
    }

    /// Where a packet at a node is going; `None` if it goes to no other node.
    #[inline]
    pub fn goal(&self, packet: &Packet, here: u32) -> Option<Goal> {
        let ends = (*self.flows.get(packet.flow as usize)?)?;
        let (to, tail) = ends.goal(ends.way(packet, here, self.is_from_light(packet)));
        Some(Goal { to, tail })
    }

    /// Whether a packet before a port came over a circuit.
    #[inline]
    pub fn is_from_light(&self, packet: &Packet) -> bool {
        packet.hop > self.first
    }

    /// The way from a node to another one over a switch.
    #[inline]
    pub fn way(&self, switch: usize, from: u32, to: u32) -> u32 {
        self.ways[(switch as u32 * self.nodes + from) as usize * self.nodes as usize + to as usize]
    }
}
