//! To which port a packet goes, and the ways over circuits on which nodes put it.

use super::Ports;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::packet::{Class, Packet};
use crate::model::{Flow, LinkId};

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

/// What nodes know of a flow.
#[derive(Clone, Copy, Debug)]
struct Ends {
    /// Its source's node and its destination's.
    nodes: [u32; 2],
    /// What is left of the path at the destination's node, and at the source's of the way back.
    tails: [u32; 2],
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
        let part = |path: u32| of_path(build.laid, path, &owners);
        let ends = |(_, (there, back)): (&Flow, &(u32, u32))| {
            let [there, back] = [part(*there)?, part(*back)?];
            Some(Ends { nodes: [there.0, there.1.to], tails: [there.1.tail, back.1.tail] })
        };
        let flows = build.flows.iter().zip(build.paths).map(ends).collect();
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
        let back = match packet.class {
            Class::Data | Class::Datagram | Class::Unit => 0,
            Class::Ack => 1,
            // A message begins at one end and takes one hop.
            Class::Control => usize::from((ends.nodes[1] == here) != self.is_from_light(packet)),
        };
        Some(Goal { to: ends.nodes[1 - back], tail: ends.tails[back] })
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

/// The node from which a path leads over a switch, and where to: the path begins there in the array of paths.
fn of_path(laid: &[Option<LinkId>], path: u32, owners: &[Option<u32>]) -> Option<(u32, Goal)> {
    let links = laid[path as usize..].iter().map_while(|link| *link);
    let owner = |link: LinkId| owners[link.index()];
    let (place, up) = (path..).zip(links).find(|(_, link)| owner(*link).is_some())?;
    let down = (*laid.get(place as usize + 1)?)?;
    Some((owner(up)?, Goal { to: owner(down)?, tail: place + 2 }))
}
