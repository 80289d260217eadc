//! A partition: a set of nodes with its own event list and timers, run up to a time limit.
//!
//! # The order of events
//!
//! Events are ordered by (time, receiving node, sending node, link, first in first out), and what happens at one node
//! at one instant happens in this order: changes of links by the scenario and samples (between calls of
//! [`Partition::run`]), then departures where they are events, then arrivals, then the node's agent, then timers by
//! (flow, kind). Nodes meet only in packets that travel a fibre of positive delay, so the order between nodes at one
//! instant cannot matter, and a run may be cut anywhere in time or between nodes.
//!
//! The fingerprint is one hash chain per node over what arrives there, folded in the order of the nodes. It sees every
//! arrival and cannot see how nodes interleave.

use super::execution_mode::{ExecutionMode, Global};
use super::site::{FibreEnd, PartitionSite};
use super::windowed::WindowedExecution;
use crate::engine::link::port::Port;
use crate::engine::node::fabric::{Arrival, Batch, Fabric, LocalEvent, Pending};
use crate::engine::node::hosts::Hosts;
use crate::engine::packet::containers::PerNode;
use crate::engine::packet::{Class, DELIVER, Packet, TO_HOST};

/// Bytes of hosts that fit a core's second-level cache. With fewer, fetching ahead costs more than it saves.
const HOSTS_IN_CACHE: usize = 1 << 20;

/// The hosts of so many packets are fetched at once, at most.
const MOST_PREFETCHED: usize = 256;

/// What does not fit the cache and is fetched before it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefetch {
    /// Nothing.
    Nothing,
    /// Hosts, while the packet for them is on its last fibre, and what they keep elsewhere while the packet before it
    /// is handled.
    Hosts,
    /// What packets carry for ports that read it, while the packet before them on their fibre is handled.
    Payload,
}

/// Nodes that share an event list.
#[derive(Debug)]
pub struct Partition {
    /// Ports and fibres.
    pub fabric: Fabric,
    /// Machines of the flows.
    pub hosts: Hosts,
    /// Where what it has is.
    pub(super) site: PartitionSite,
    /// One hash chain per node.
    pub chains: PerNode<u64>,
    /// No event lies before this time.
    pub(super) reached: u64,
    /// What is fetched early.
    prefetch: Prefetch,
    /// Arrivals, departures that are events, and timers that did something.
    pub events: u64,
    /// What is left of the effort of the present call of [`Partition::run`].
    pub(super) effort_left: u64,
    /// Node after node or event after event.
    pub windowed: WindowedExecution,
}

/// What a partition has come to: all of it that moves to another one.
#[derive(Debug)]
pub struct PartitionParts {
    /// See [`Partition::fabric`], as all that follows.
    pub fabric: Fabric,
    /// Machines of the flows.
    pub hosts: Hosts,
    /// Hash chains.
    pub chains: PerNode<u64>,
    /// Events so far.
    pub events: u64,
}

impl Partition {
    /// A partition that has come to this at `reached`.
    pub fn new(parts: PartitionParts, site: PartitionSite, reached: u64) -> Partition {
        let PartitionParts { fabric, hosts, chains, events } = parts;
        let bytes = size_of_val(hosts.senders.items()) + size_of_val(hosts.receivers.items());
        let prefetch = match bytes > HOSTS_IN_CACHE {
            true => Prefetch::Hosts,
            false if fabric.ports.iter().any(Port::reads_payload) => Prefetch::Payload,
            false => Prefetch::Nothing,
        };
        let windowed = WindowedExecution::new(&fabric, reached);
        let mut partition =
            Partition { fabric, hosts, site, chains, reached, prefetch, events, effort_left: 0, windowed };
        partition.hosts.arm_work();
        partition.fabric.set_timers(partition.hosts.timers.earliest());
        partition.hosts.arm_agents(&mut partition.fabric);
        // What has been counted so far is not what happened here.
        partition.count_from_now();
        partition
    }

    /// When the next event is.
    pub fn next_event(&mut self) -> u64 {
        self.fabric.earliest(self.reached).0
    }

    /// The sending machine of a flow may have set a deadline, between two steps of a run.
    pub fn wake(&mut self, flow: u32) {
        self.hosts.arm_sender(flow);
        self.fabric.set_timers(self.hosts.timers.earliest());
    }

    /// Takes it apart, between two steps of a run.
    pub fn into_parts(self) -> PartitionParts {
        let Partition { fabric, hosts, chains, events, site: _, reached: _, prefetch: _, effort_left: _, windowed: _ } =
            self;
        PartitionParts { fabric, hosts, chains, events }
    }

    /// Handles an event that is no arrival.
    #[inline(never)]
    pub(super) fn handle_event(&mut self, now: u64, leaf: u32) {
        match self.fabric.event(leaf) {
            LocalEvent::Agent(place) => {
                self.events += 1;
                self.count_off();
                self.hosts.call_agent(now, place, &mut self.fabric);
            }
            LocalEvent::Departure(port) => {
                self.events += 1;
                self.fabric.release(now, port);
            }
            LocalEvent::Timer => {
                self.count_off();
                self.events += u64::from(self.hosts.visit_timer(now, &mut self.fabric));
            }
        }
    }

    /// Takes one from the effort that is left. Packets that are only passed on cost none: every one of them comes
    /// from a host or an agent and goes to one, and their number of hops is bounded. When nothing is left, the check
    /// after each event finds that the fabric needs attention; an own check would cost a hop one per cent.
    #[inline]
    fn count_off(&mut self) {
        self.effort_left -= 1;
        if self.effort_left == 0 {
            self.fabric.ask_for_attention();
        }
    }

    /// Does what is to be done at once inside a node, in the order in which it was laid there.
    #[inline]
    pub(super) fn handle_pending(&mut self, now: u64) {
        if !self.fabric.pending.is_empty() {
            self.handle_all_pending(now);
        }
    }

    #[inline(never)]
    fn handle_all_pending(&mut self, now: u64) {
        // Copied from its place, as an arrival is.
        while let Some(pending) = self.fabric.pending.front().copied() {
            let _ = self.fabric.pending.pop_front();
            self.effort_left = self.effort_left.saturating_sub(1);
            match pending {
                Pending::Take(interceptor, packet) => {
                    self.hosts.give_to_agent(now, interceptor, &packet, &mut self.fabric)
                }
                Pending::Deliver(node, packet) => {
                    self.hash_arrival(node, packet.digest());
                    self.hosts.receive(now, &packet, &mut self.fabric);
                }
                Pending::Left(packet) => self.hosts.note_departure(now, &packet, &mut self.fabric),
            }
        }
    }

    #[inline]
    pub(super) fn arrive(&mut self, now: u64, fibre: u32) {
        let mut packet = Packet::default();
        let arrival = self.fabric.take_arrival(fibre, &mut packet);
        let end = self.site.ends[fibre as usize];
        self.hash_arrival(end.node(), arrival.digest);
        self.handle_arrival::<Global>(now, end, arrival, &packet);
    }

    /// The digest of a packet that has arrived at a node goes into its chain of hashes.
    #[inline(always)]
    pub(super) fn hash_arrival(&mut self, node: u32, digest: u64) {
        let chain = &mut self.chains[node as usize];
        *chain = fold(*chain, digest);
    }

    /// A packet has come out of a fibre, which ends there, and the node's chain has seen it.
    #[inline(always)]
    pub(super) fn handle_arrival<M: ExecutionMode>(
        &mut self,
        now: u64,
        end: FibreEnd,
        arrival: Arrival,
        packet: &Packet,
    ) {
        self.events += 1;
        let Arrival { fibre, hop, .. } = arrival;
        if end.leads_on() {
            let next = self.fabric.paths[hop as usize];
            if self.fabric.leads_on(next) {
                return self.pass_on::<M>(now, fibre, next, packet);
            }
            if next != DELIVER {
                return self.pass_on_unnamed::<M>(now, fibre, next, packet);
            }
        }
        self.count_off();
        if self.prefetch == Prefetch::Hosts {
            self.prefetch_next(fibre);
        }
        self.hosts.receive(now, packet, &mut self.fabric);
    }

    /// A packet from a fibre enters a port that its path does not name: the one to its host, or that to which its path
    /// leads at this time.
    #[inline(never)]
    fn pass_on_unnamed<M: ExecutionMode>(&mut self, now: u64, fibre: u32, next: u32, packet: &Packet) {
        if next == TO_HOST {
            return self.pass_on::<M>(now, fibre, self.fabric.last_link(packet), packet);
        }
        match self.fabric.hop_in_time(now, packet.hop) {
            Some((hop, port)) => self.pass_on::<M>(now, fibre, port, &Packet { hop, ..*packet }),
            None => self.fabric.drop_on_the_way(now, packet),
        }
    }

    /// A packet from a fibre enters a port.
    #[inline(always)]
    fn pass_on<M: ExecutionMode>(&mut self, now: u64, fibre: u32, port: u32, packet: &Packet) {
        if let Some(interceptor) = self.fabric.enqueue(now, port, packet, M::LISTED) {
            self.count_off();
            if packet.class == Class::Control {
                self.fabric.prefetch_messages(fibre);
            }
            self.hosts.give_to_agent(now, interceptor, packet, &mut self.fabric);
        } else if self.prefetch != Prefetch::Nothing {
            self.prefetch_for(fibre, port, packet);
        }
    }
}

impl Partition {
    /// Takes in what another partition has sent. The hosts at the end of a packet's last fibre are fetched, of so many
    /// packets that they stay.
    pub fn receive(&mut self, batch: &mut Batch) {
        if self.prefetch == Prefetch::Hosts {
            let for_hosts = batch.by_fibre().filter(|(fibre, _)| !self.site.ends[*fibre as usize].leads_on());
            let few = for_hosts.flat_map(|(_, packets)| packets).take(MOST_PREFETCHED);
            few.for_each(|packet| self.hosts.prefetch(packet));
        }
        self.fabric.receive(batch, self.reached);
        if !batch.notices.is_empty() {
            self.hosts.hear(&mut batch.notices);
            self.fabric.set_timers(self.hosts.timers.earliest());
        }
    }

    /// Fetches what the host of the next packet on a fibre keeps elsewhere, if that host is here: other packets only
    /// pass.
    #[inline(never)]
    fn prefetch_next(&self, fibre: u32) {
        let next = self.fabric.fibres[fibre as usize].front().filter(|packet| self.fabric.next_link(packet) == DELIVER);
        if let Some(packet) = next {
            self.hosts.prefetch_more(packet);
        }
    }

    /// Fetches what will be needed soon, now that a packet from a fibre has gone on through a port.
    #[inline]
    fn prefetch_for(&self, fibre: u32, port: u32, packet: &Packet) {
        if self.prefetch == Prefetch::Payload {
            self.fabric.prefetch_payload(fibre);
        } else if self.fabric.paths[packet.hop as usize + 1] == DELIVER && self.fabric.leads_on_here(port) {
            self.hosts.prefetch(packet);
            self.fabric.payloads.prefetch_sack(packet);
        }
    }
}

/// Packets sent on links and not taken back, a sum over all partitions: one may take back what another one has counted.
pub fn packet_hops<'a>(parts: impl Iterator<Item = &'a Partition>) -> u64 {
    let totals = parts.map(|part| &part.fabric.totals);
    let (sent, back) = totals.fold((0, 0), |(sent, back), of| (sent + of.packet_hops, back + of.taken_back));
    sent - back
}

/// One step of a multiplicative hash chain (the constant is 2^64 / golden ratio, made odd).
#[inline]
pub fn fold(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
