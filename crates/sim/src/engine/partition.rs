//! A partition: a set of nodes with its own event list and timers, run up to a time limit.
//!
//! # The order of events
//!
//! Events are ordered by (time, receiving node, sending node, link, first in first out), and what happens at one node at one
//! instant happens in this order: changes of links by the scenario and samples (between calls of [`Partition::run`]), then
//! departures where they are events, then arrivals, then the node's agent, then timers by (flow, kind). Nodes meet only in packets that travel a fibre of positive delay, so the order
//! between nodes at one instant cannot matter, and a run may be cut anywhere in time or between nodes.
//!
//! The fingerprint is one hash chain per node over what arrives there, folded in the order of the nodes. It sees every
//! arrival and cannot see how nodes interleave.

use super::hosts::Hosts;
use super::manner::{ByTime, Manner};
use super::net::{Arrival, DELIVER, Event, Mail, Net, Pending};
use super::packet::{Class, Packet};
use super::parts::Ends;
use super::port::Port;
use super::rounds::Rounds;
use crate::model::Flow;
use std::sync::Arc;

/// Bytes of hosts that fit a core's second-level cache. With fewer, fetching ahead costs more than it saves.
const HOSTS_IN_CACHE: usize = 1 << 20;

/// The hosts of so many packets are fetched at once, at most.
const MOST_EXPECTED: usize = 256;

/// What does not fit the cache and is fetched before it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foresight {
    /// Nothing.
    Nothing,
    /// Hosts, while the packet for them is on its last fibre, and what they keep elsewhere while the packet before it is handled.
    Hosts,
    /// What packets carry for ports that read it, while the packet before them on their fibre is handled.
    Cargo,
}

/// Where a fibre ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FibreEnd(u32);

impl FibreEnd {
    const LEADS_ON: u32 = 1 << 31;

    /// A fibre to `node`, which some paths `leads_on` from there.
    pub fn new(node: u32, leads_on: bool) -> FibreEnd {
        FibreEnd(node | if leads_on { FibreEnd::LEADS_ON } else { 0 })
    }

    /// The receiving node.
    #[inline]
    pub fn node(self) -> u32 {
        self.0 & !FibreEnd::LEADS_ON
    }

    /// Whether any path goes on from there: if none does, all packets are for hosts of the node, and that is known before the packet
    /// itself has been read.
    #[inline]
    pub fn leads_on(self) -> bool {
        self.0 >= FibreEnd::LEADS_ON
    }
}

/// Who is told, before a round is over, that all that leaves the partition before its end is on its fibres.
pub type Herald<'a> = Option<&'a dyn Fn(&mut Net, u64)>;

/// Nodes that share an event list.
#[derive(Debug)]
pub struct Partition {
    /// Ports and fibres.
    pub net: Net,
    /// Machines of the flows.
    pub hosts: Hosts,
    /// Where what it has is.
    pub(super) site: Site,
    /// One hash chain per node of the network; those of other partitions stay zero.
    pub chains: Vec<u64>,
    /// No event lies before this time.
    pub(super) reached: u64,
    /// What is fetched early.
    foresight: Foresight,
    /// Arrivals, departures that are events, and timers that did something.
    pub events: u64,
    /// What is left of the effort of the present call of [`Partition::run`].
    pub(super) left: u64,
    /// Node after node or event after event.
    pub rounds: Rounds,
}

/// Where the fibres of a partition end, where all links begin and end, and where all flows do.
#[derive(Clone, Debug)]
pub struct Site {
    /// The far end of each fibre.
    pub ends: Vec<FibreEnd>,
    /// The links of the whole network.
    pub links: Arc<[Ends]>,
    /// All flows.
    pub flows: Arc<[Flow]>,
}

impl Partition {
    /// A partition whose time begins at `reached`.
    pub fn new(net: Net, hosts: Hosts, site: Site, chains: Vec<u64>, reached: u64) -> Partition {
        let bytes = size_of_val(hosts.senders.items()) + size_of_val(hosts.receivers.items());
        let foresight = match bytes > HOSTS_IN_CACHE {
            true => Foresight::Hosts,
            false if net.ports.iter().any(Port::reads_cargo) => Foresight::Cargo,
            false => Foresight::Nothing,
        };
        let rounds = Rounds::new(&net, reached);
        let mut partition = Partition { net, hosts, site, chains, reached, foresight, events: 0, left: 0, rounds };
        partition.net.set_timers(partition.hosts.timers.earliest());
        partition.hosts.arm_agents(&mut partition.net);
        partition
    }

    /// Handles all events before `limit`, but comes back when hosts and agents have been given something `effort` times, or soon after;
    /// `effort` becomes what is left of it. `herald` is told in each round as soon as nothing more will leave the partition in it.
    /// Returns the time before which everything has happened: `limit` unless the effort was spent.
    pub fn run(&mut self, limit: u64, effort: &mut u64, herald: Herald) -> u64 {
        self.rounds.note_call();
        while self.reached < limit && *effort > 0 {
            let stretch = limit.min(self.rounds.next_look());
            match self.rounds.are_on() {
                true => self.run_in_rounds(stretch, effort, herald),
                false => self.run_by_time(stretch, effort),
            }
            if self.reached == self.rounds.next_look() {
                self.look();
            }
        }
        self.reached
    }

    /// Event after event in the order of time.
    fn run_by_time(&mut self, limit: u64, effort: &mut u64) {
        let mut now = self.reached;
        self.left = *effort;
        loop {
            let (next, leaf) = self.net.earliest(now);
            if next >= limit {
                now = limit.max(now);
                break;
            }
            now = next;
            // One comparison for the usual case: a table of all kinds of events would be a jump that nobody foresees.
            match self.net.arrival(leaf) {
                Some(fibre) => self.arrive(now, fibre),
                None => self.act(now, leaf),
            }
            if self.net.is_unsettled(self.hosts.timers.earliest()) {
                self.handle_pending(now);
                self.net.set_timers(self.hosts.timers.earliest());
                if self.left == 0 {
                    break;
                }
            }
        }
        (self.reached, *effort) = (now, self.left);
    }

    /// Handles an event that is no arrival.
    #[inline(never)]
    pub(super) fn act(&mut self, now: u64, leaf: u32) {
        match self.net.event(leaf) {
            Event::Agent(place) => {
                self.events += 1;
                self.spend();
                self.hosts.call_agent(now, place, &mut self.net);
            }
            Event::Departure(port) => {
                self.events += 1;
                self.net.release(now, port);
            }
            Event::Timer => {
                self.spend();
                self.events += u64::from(self.hosts.visit_timer(now, &mut self.net));
            }
        }
    }

    /// Takes one from what is left of the effort. Packets that are only passed on cost none: every one of them comes from a host
    /// or an agent and goes to one, and their number of hops is bounded. When nothing is left, the check after each event finds
    /// the timers unsettled; an own check would cost a hop one per cent.
    #[inline]
    fn spend(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.net.unsettle();
        }
    }

    /// Does what is to be done at once inside a node, in the order in which it was laid there.
    #[inline]
    pub(super) fn handle_pending(&mut self, now: u64) {
        if !self.net.pending.is_empty() {
            self.handle_all_pending(now);
        }
    }

    #[inline(never)]
    fn handle_all_pending(&mut self, now: u64) {
        // Copied from its place, as an arrival is.
        while let Some(pending) = self.net.pending.front().copied() {
            let _ = self.net.pending.pop_front();
            self.left = self.left.saturating_sub(1);
            match pending {
                Pending::Take(intake, packet) => self.hosts.give_to_agent(now, intake, &packet, &mut self.net),
                Pending::Deliver(node, packet) => {
                    self.witness(node, packet.digest());
                    self.hosts.receive(now, &packet, &mut self.net);
                }
            }
        }
    }

    #[inline]
    fn arrive(&mut self, now: u64, fibre: u32) {
        let mut packet = Packet::default();
        let arrival = self.net.take_arrival(fibre, &mut packet);
        let end = self.site.ends[fibre as usize];
        self.witness(end.node(), arrival.digest);
        self.handle_arrival::<ByTime>(now, end, arrival, &packet);
    }

    /// The chain of a node sees the digest of a packet that has arrived there.
    #[inline(always)]
    pub(super) fn witness(&mut self, node: u32, digest: u64) {
        let chain = &mut self.chains[node as usize];
        *chain = fold(*chain, digest);
    }

    /// A packet has come out of a fibre, which ends there, and the node's chain has seen it.
    #[inline(always)]
    pub(super) fn handle_arrival<M: Manner>(&mut self, now: u64, end: FibreEnd, arrival: Arrival, packet: &Packet) {
        self.events += 1;
        let Arrival { fibre, hop, .. } = arrival;
        if end.leads_on() {
            let next = self.net.paths[hop as usize];
            if self.net.leads_on(next) {
                return self.pass_on::<M>(now, fibre, next, packet);
            }
        }
        self.spend();
        if M::FORESEES && self.foresight == Foresight::Hosts {
            self.foresee_next(fibre);
        }
        self.hosts.receive(now, packet, &mut self.net);
    }

    /// Whether anything is fetched early.
    #[inline]
    pub(super) fn foresees(&self) -> bool {
        self.foresight != Foresight::Nothing
    }

    /// A packet from a fibre enters a port.
    #[inline(always)]
    fn pass_on<M: Manner>(&mut self, now: u64, fibre: u32, port: u32, packet: &Packet) {
        if let Some(intake) = self.net.enter(now, port, packet, M::LISTED) {
            self.spend();
            if packet.class == Class::Control {
                self.net.expect_messages(fibre);
            }
            self.hosts.give_to_agent(now, intake, packet, &mut self.net);
        } else if M::FORESEES && self.foresight != Foresight::Nothing {
            self.foresee(fibre, port, packet);
        }
    }
}

impl Partition {
    /// Takes in what another partition has sent. The hosts at the end of a packet's last fibre are fetched, of so many packets that they stay.
    pub fn receive(&mut self, mail: &mut Mail) {
        if self.foresight == Foresight::Hosts {
            let for_hosts = mail.by_fibre().filter(|(fibre, _)| !self.site.ends[*fibre as usize].leads_on());
            let few = for_hosts.flat_map(|(_, packets)| packets).take(MOST_EXPECTED);
            few.for_each(|packet| self.hosts.expect(packet));
        }
        self.net.receive(mail, self.reached);
    }

    /// Fetches what the host of the next packet on a fibre keeps elsewhere, if that host is here: other packets only pass.
    #[inline(never)]
    fn foresee_next(&self, fibre: u32) {
        let next = self.net.fibres[fibre as usize].front().filter(|packet| self.net.next_link(packet) == DELIVER);
        if let Some(packet) = next {
            self.hosts.expect_more(packet);
        }
    }

    /// Fetches what will be needed soon, now that a packet from a fibre has gone on through a port.
    #[inline]
    fn foresee(&self, fibre: u32, port: u32, packet: &Packet) {
        if self.foresight == Foresight::Cargo {
            self.net.expect_cargo(fibre);
        } else if self.net.paths[packet.hop as usize + 1] == DELIVER && self.net.leads_on_here(port) {
            self.hosts.expect(packet);
            self.net.cargo.expect_sack(packet);
        }
    }
}

/// Packets sent on links and not taken back. Only the sums over all partitions mean something: after a deal one partition
/// has what all had counted, and another may take back what it never counted as sent.
pub fn packet_hops<'a>(parts: impl Iterator<Item = &'a Partition>) -> u64 {
    let (sent, taken_back) =
        parts.fold((0, 0), |(sent, back), part| (sent + part.net.packet_hops, back + part.net.taken_back));
    sent - taken_back
}

/// One step of a multiplicative hash chain (the constant is 2^64 / golden ratio, made odd).
#[inline]
pub fn fold(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
