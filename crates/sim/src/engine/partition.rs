//! A partition: a set of nodes with its own event list and timers, run up to a time limit.
//!
//! # The order of events
//!
//! Events are ordered by (time, receiving node, sending node, link, first in first out), and what happens at one node at one
//! instant happens in this order: changes of links by the scenario and samples (between calls of [`Partition::run`]), then
//! arrivals, then timers by (flow, kind). Nodes meet only in packets that travel a fibre of positive delay, so the order
//! between nodes at one instant cannot matter, and a run may be cut anywhere in time or between nodes.
//!
//! The fingerprint is one hash chain per node over what arrives there, folded in the order of the nodes. It sees every
//! arrival and cannot see how nodes interleave.

use super::hosts::Hosts;
use super::net::{DELIVER, Net};
use super::packet::Packet;

/// Nodes that share an event list.
#[derive(Debug)]
pub struct Partition {
    /// Ports and fibres.
    pub net: Net,
    /// Machines of the flows.
    pub hosts: Hosts,
    /// Receiving node of each link.
    to_node: Vec<u32>,
    /// One hash chain per node.
    chains: Vec<u64>,
    /// Arrivals, and timers that did something.
    pub events: u64,
}

impl Partition {
    /// A partition in which nothing has happened. `to_node` gives the node at the end of each link.
    pub fn new(net: Net, hosts: Hosts, to_node: Vec<u32>, nodes: usize) -> Partition {
        let mut partition = Partition { net, hosts, to_node, chains: vec![0; nodes], events: 0 };
        partition.net.set_timers(partition.hosts.timers.earliest());
        partition
    }

    /// Handles all events before `limit`.
    pub fn run(&mut self, limit: u64) {
        loop {
            let (now, link) = self.net.earliest();
            if now >= limit {
                break;
            }
            match link {
                Some(link) => self.arrive(now, link),
                None => self.events += u64::from(self.hosts.visit_timer(now, &mut self.net)),
            }
            self.net.set_timers(self.hosts.timers.earliest());
        }
    }

    #[inline]
    fn arrive(&mut self, now: u64, link: u32) {
        let packet = self.net.take_arrival(link);
        self.events += 1;
        let chain = &mut self.chains[self.to_node[link as usize] as usize];
        *chain = fold(*chain, digest(&packet));
        match self.net.next_link(&packet) {
            DELIVER => self.hosts.receive(now, &packet, &mut self.net),
            next => self.net.forward(now, next, &packet),
        }
    }

    /// The hash over everything that arrived anywhere.
    pub fn fingerprint(&self) -> u64 {
        self.chains.iter().fold(0, |hash, chain| fold(hash, *chain))
    }
}

#[inline]
fn digest(packet: &Packet) -> u64 {
    let identity = u64::from(packet.flow) << 34 | u64::from(packet.size) << 2 | packet.class as u64;
    packet.at ^ packet.seq.rotate_left(21) ^ identity.rotate_left(7)
}

/// One step of a multiplicative hash chain (the constant is 2^64 / golden ratio, made odd).
#[inline]
fn fold(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
