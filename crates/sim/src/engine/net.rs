//! The fibres and ports of a partition: everything a packet meets between two hosts.

use super::packet::{Class, Packet, SackTable};
use super::port::{Cause, Count, Offer, Port};
use super::ring::Ring;
use super::tree::{NEVER, Tree};
use std::collections::BTreeMap;

/// End of a path: the packet is for a host of the node it has reached.
pub const DELIVER: u32 = u32::MAX;
/// In the place of a path's first link: there is no way.
pub const NO_WAY: u32 = u32::MAX - 1;

/// Where a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// At the port of this link (partition numbering), or on its fibre.
    Link(u32),
    /// At the host that sent this flow's packet.
    Host(u32),
}

/// Packets dropped since the start, by place, class and cause.
pub type Drops = BTreeMap<(Place, Class, Cause), Count>;

/// Ports, fibres and the event list. Links are numbered by (receiving node, sending node, id), which is the stated order
/// of simultaneous arrivals.
#[derive(Debug)]
pub struct Net {
    /// The event list.
    pub tree: Tree,
    /// Packets in flight, by link.
    pub fibres: Vec<Ring<Packet>>,
    /// Output ports, by link.
    pub ports: Vec<Port>,
    /// All paths, one after the other; each is a list of links that ends with [`DELIVER`].
    pub paths: Vec<u32>,
    /// SACK blocks of packets in flight.
    pub sacks: SackTable,
    /// What was dropped, where and why.
    pub drops: Drops,
    /// Packets sent on links (not refused by the port).
    pub packet_hops: u64,
    leaf_of_link_0: u32,
    timer_leaf: u32,
    timer_key: u64,
}

/// Where the timers stand among the arrivals of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerOrder {
    /// The stated order.
    AfterArrivals,
    /// For runs that shuffle ties.
    BeforeArrivals,
}

impl Net {
    /// Idle ports and dark fibres.
    pub fn new(ports: Vec<Port>, paths: Vec<u32>, order: TimerOrder) -> Net {
        let links = ports.len() as u32;
        let (leaf_of_link_0, timer_leaf) = match order {
            TimerOrder::AfterArrivals => (0, links),
            TimerOrder::BeforeArrivals => (1, 0),
        };
        Net {
            tree: Tree::new(ports.len() + 1),
            fibres: vec![Ring::new(); ports.len()],
            ports,
            paths,
            sacks: SackTable::default(),
            drops: Drops::new(),
            packet_hops: 0,
            leaf_of_link_0,
            timer_leaf,
            timer_key: NEVER,
        }
    }

    /// The earliest event: its time, and the link of an arrival or `None` for the timers.
    #[inline]
    pub fn earliest(&mut self) -> (u64, Option<u32>) {
        let (time, leaf) = self.tree.earliest();
        (time, if leaf == self.timer_leaf { None } else { Some(leaf.wrapping_sub(self.leaf_of_link_0)) })
    }

    /// The earliest timer is due at `time`.
    #[inline]
    pub fn set_timers(&mut self, time: u64) {
        if time != self.timer_key {
            self.timer_key = time;
            self.tree.set(self.timer_leaf, time);
        }
    }

    /// Takes the packet that arrives over `link`.
    #[inline]
    pub fn take_arrival(&mut self, link: u32) -> Packet {
        let fibre = &mut self.fibres[link as usize];
        // Copied from its place: an `Option` of a whole packet is copied in parts whose loads then stall.
        let packet = *fibre.front().expect("a fibre with an event holds a packet");
        fibre.advance();
        let next = fibre.front().map_or(NEVER, |packet| packet.at);
        self.tree.set(self.leaf_of_link_0 + link, next);
        packet
    }

    /// The next link of a packet, [`DELIVER`] at the end of its path.
    #[inline]
    pub fn next_link(&self, packet: &Packet) -> u32 {
        self.paths[packet.hop as usize]
    }

    /// A packet enters the port of `link`.
    #[inline]
    pub fn forward(&mut self, now: u64, link: u32, packet: &Packet) {
        match self.ports[link as usize].offer(now, packet.size) {
            Offer::Carried(at) => {
                self.packet_hops += 1;
                let fibre = &mut self.fibres[link as usize];
                let was_dark = fibre.is_empty();
                // Copied first and changed in its place: a copy of a value just written field by field would stall.
                let slot = fibre.push(*packet);
                slot.at = at;
                slot.hop = packet.hop + 1;
                if was_dark {
                    self.tree.set(self.leaf_of_link_0 + link, at);
                }
            }
            Offer::Dropped(cause) => {
                // A packet that the fibre loses was sent.
                self.packet_hops += u64::from(cause == Cause::Random);
                self.drop(Place::Link(link), cause, packet);
            }
        }
    }

    /// Counts a dropped packet and forgets it.
    #[cold]
    pub fn drop(&mut self, place: Place, cause: Cause, packet: &Packet) {
        self.drops.entry((place, packet.class, cause)).or_default().add(packet.size);
        self.sacks.forget(packet.sack);
    }

    /// Takes `link` down; what had not left is dropped.
    pub fn take_down(&mut self, now: u64, link: u32) {
        let cut = self.ports[link as usize].take_down(now, &mut self.fibres[link as usize]);
        self.packet_hops -= cut.len() as u64;
        for packet in cut {
            self.drop(Place::Link(link), Cause::Unreachable, &packet);
        }
        self.rekey(link);
    }

    /// Puts the event of `link` where its first packet now arrives.
    pub fn rekey(&mut self, link: u32) {
        let next = self.fibres[link as usize].first().map_or(NEVER, |packet| packet.at);
        self.tree.set(self.leaf_of_link_0 + link, next);
    }

    /// Packets on the fibres or in the ports before them.
    pub fn in_flight(&self) -> u64 {
        self.fibres.iter().map(|fibre| fibre.len() as u64).sum()
    }

    /// Bytes of memory held by rings.
    pub fn memory(&self) -> usize {
        self.fibres.iter().map(Ring::memory).sum::<usize>() + self.ports.iter().map(Port::memory).sum::<usize>()
    }
}
