//! One node through one window: its arrivals, merged from its fibres, and its deadlines between them.
//!
//! The merge is that of the event list ([`TournamentTree`](crate::engine::node::tournament_tree::TournamentTree)) over
//! the fibres of one node, with keys of (time since the beginning of the window, fibre). A node of one fibre needs none.
//! Both are compiled once for nodes with agents or departures that are events, and twice for those without, which have
//! timers at most and never anything pending: where something is fetched early, and where nothing is.

use super::execution_mode::{ExecutionMode, FullWindow, PlainWindow, PrefetchingWindow};
use super::partition::Partition;
use super::processes::LogicalProcess;
use super::site::FibreEnd;
use super::windowed::{LONGEST, NONE};
use crate::engine::link::ring::Ring;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::tournament_tree::{replay, replay_any};
use crate::engine::packet::{NEVER, Packet};
use std::hint::select_unpredictable;

/// Bits of a fibre's place in a key, for a tree of `nodes` nodes, or of any number of them (0). Those of one number are
/// a part of a register.
const fn place_bits(nodes: usize) -> u32 {
    if nodes == 0 { 24 } else { 16 }
}

const _: () = assert!(LONGEST <= 1 << (63 - place_bits(0)));

/// A window of a node.
#[derive(Clone, Copy, Debug)]
struct Window {
    start: u64,
    end: u64,
    /// The first fibre of the node.
    first: u32,
}

impl Window {
    /// The key of an arrival, [`NONE`] if it does not lie in the window. Nothing predicts which, so it is no branch.
    #[inline(always)]
    fn key<const NODES: usize>(self, at: u64, place: u32) -> u64 {
        let key = at.wrapping_sub(self.start) << place_bits(NODES) | u64::from(place);
        select_unpredictable(at < self.end, key, NONE)
    }
}

/// The arrivals at a node of several fibres.
struct Merge<'a, const NODES: usize> {
    window: Window,
    /// The first packet of each fibre, as a tree: the smaller of two keys lies above them.
    tree: &'a mut [u64],
    /// The second one. So which packet comes next is known before the one that it follows has been read: each would
    /// wait for the last.
    seconds: &'a mut [u64],
}

impl<'a, const NODES: usize> Merge<'a, NODES> {
    /// The arrivals from `fibres`, written into `room`.
    #[inline(always)]
    fn new(window: Window, fibres: &[Ring<Packet>], room: &'a mut Vec<u64>) -> Merge<'a, NODES> {
        let nodes = if NODES == 0 { 2 * fibres.len().next_power_of_two() } else { NODES };
        let leaves = nodes / 2;
        if room.len() < nodes + leaves {
            room.resize(nodes + leaves, NONE);
        }
        let (tree, seconds) = room[..nodes + leaves].split_at_mut(nodes);
        tree[leaves..].fill(NONE);
        let keys = tree[leaves..].iter_mut().zip(&mut *seconds);
        for ((place, fibre), (key, second)) in (0..).zip(fibres).zip(keys) {
            let Some(packet) = fibre.front() else { continue };
            *key = window.key::<NODES>(packet.at, place);
            *second = window.key::<NODES>(fibre.second().map_or(NEVER, |packet| packet.at), place);
        }
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        Merge { window, tree, seconds }
    }

    /// The smallest key.
    #[inline(always)]
    fn root(&self) -> u64 {
        self.tree[1]
    }

    /// The first packet of the fibre at `place` is taken; the second one behind it arrives at `second`. The smallest
    /// key.
    #[inline(always)]
    fn advance(&mut self, place: u32, second: u64) -> u64 {
        // A mask, so that it is known that there is such a place.
        let leaf = place as usize & (self.seconds.len() - 1);
        let key = std::mem::replace(&mut self.seconds[leaf], self.window.key::<NODES>(second, place));
        match NODES {
            0 => replay_any(self.tree, place, key),
            _ => replay::<NODES>(self.tree, place, key),
        }
    }
}

impl Partition {
    /// Takes a node to the end of the window.
    pub(super) fn run_process(&mut self, process: &mut LogicalProcess, end: u64, keys: &mut Vec<u64>) {
        let window = Window { start: self.reached, end, first: process.fibres.start };
        let fibres = process.fibres.len();
        let Some(event_list) = &mut process.event_list else {
            return match self.prefetches() {
                true => self.receive_all::<PrefetchingWindow>(window, fibres, keys),
                false => self.receive_all::<PlainWindow>(window, fibres, keys),
            };
        };
        self.fabric.exchange(event_list);
        // The end of the window, if there is no timer before: so the list always has something within reach.
        self.fabric.set_timers(self.hosts.timers.earliest());
        self.receive_all::<FullWindow>(window, fibres, keys);
        self.fabric.exchange(event_list);
    }

    /// Handles all that happens at a node within a window. The usual sizes of the merge are compiled each by itself.
    fn receive_all<M: ExecutionMode>(&mut self, window: Window, fibres: usize, keys: &mut Vec<u64>) {
        match fibres {
            0 => self.act_until_end::<M>(window),
            1 => self.receive_train::<M>(window),
            2..=4 => self.receive_merged::<M, 8>(window, fibres, keys),
            5..=8 => self.receive_merged::<M, 16>(window, fibres, keys),
            9..=16 => self.receive_merged::<M, 32>(window, fibres, keys),
            17..=64 => self.receive_merged::<M, 128>(window, fibres, keys),
            65..=256 => self.receive_merged::<M, 512>(window, fibres, keys),
            _ => self.receive_merged::<M, 0>(window, fibres, keys),
        }
    }

    /// A node with one fibre.
    #[inline(never)]
    fn receive_train<M: ExecutionMode>(&mut self, window: Window) {
        let fibre = window.first;
        let end = self.site.ends[fibre as usize];
        let mut packet = Packet::default();
        let mut at = self.first_arrival(fibre);
        while at < window.end {
            self.act_before::<M>(at, window);
            let (arrival, next) = self.fabric.take_unlisted::<1>(fibre, &mut packet);
            self.witness(end.node(), arrival.digest);
            self.handle_arrival::<M>(at, end, arrival, &packet);
            self.settle::<M>(at);
            at = next;
        }
        self.act_until_end::<M>(window);
    }

    /// A node with several. `NODES` is the size of the tree of keys; 0 if it is not known when this is compiled.
    #[inline(never)]
    fn receive_merged<M: ExecutionMode, const NODES: usize>(
        &mut self,
        window: Window,
        fibres: usize,
        keys: &mut Vec<u64>,
    ) {
        let first = window.first as usize;
        // Whether a packet goes on is asked of the packet itself: few fibres of such a node lead to its hosts alone.
        let end = FibreEnd::new(self.site.ends[first].node(), true);
        let mut packet = Packet::default();
        let mut merge = Merge::<NODES>::new(window, &self.fabric.fibres[first..][..fibres], keys);
        let mut root = merge.root();
        while root != NONE {
            let bits = place_bits(NODES);
            let (at, place) = (window.start + (root >> bits), root as u32 % (1 << bits));
            self.act_before::<M>(at, window);
            let (arrival, second) = self.fabric.take_unlisted::<2>(window.first + place, &mut packet);
            root = merge.advance(place, second);
            self.witness(end.node(), arrival.digest);
            self.handle_arrival::<M>(at, end, arrival, &packet);
            self.settle::<M>(at);
        }
        self.act_until_end::<M>(window);
    }

    /// When the first packet of a fibre arrives, [`NEVER`] if none does.
    #[inline(always)]
    fn first_arrival(&self, fibre: u32) -> u64 {
        self.fabric.fibres[fibre as usize].front().map_or(NEVER, |packet| packet.at)
    }

    /// Does what comes before an arrival at `at`.
    #[inline(always)]
    fn act_before<M: ExecutionMode>(&mut self, at: u64, window: Window) {
        match M::FULL {
            true => {
                self.act_while(window, |fabric, next, leaf| next < at || (next == at && fabric.precedes_arrivals(leaf)))
            }
            false => self.visit_timers_before(at),
        }
    }

    /// Does what is left of the window after the last arrival.
    fn act_until_end<M: ExecutionMode>(&mut self, window: Window) {
        match M::FULL {
            true => self.act_while(window, |_, next, _| next < window.end),
            false => self.visit_timers_before(window.end),
        }
    }

    /// Handles departures, agents and timers as long as the next one, by its time and its place, `is_due`.
    #[inline(always)]
    fn act_while(&mut self, window: Window, is_due: impl Fn(&Fabric, u64, u32) -> bool) {
        loop {
            let (next, leaf) = self.fabric.earliest(window.start);
            if !is_due(&self.fabric, next, leaf) {
                break;
            }
            self.act(next, leaf);
            self.settle::<FullWindow>(next);
        }
    }

    /// The timers of a node that has nothing else.
    #[inline(always)]
    fn visit_timers_before(&mut self, limit: u64) {
        while self.hosts.timers.earliest() < limit {
            self.visit_timer();
        }
    }

    #[inline(never)]
    fn visit_timer(&mut self) {
        self.left -= 1;
        let now = self.hosts.timers.earliest();
        self.events += u64::from(self.hosts.visit_timer(now, &mut self.fabric));
    }

    /// Does what an event has left to be done at once.
    #[inline(always)]
    fn settle<M: ExecutionMode>(&mut self, now: u64) {
        if M::FULL && self.fabric.is_stale(self.hosts.timers.earliest()) {
            self.handle_pending(now);
            self.fabric.set_timers(self.hosts.timers.earliest());
        }
        debug_assert!(M::FULL || self.fabric.pending.is_empty(), "a node without agents has nothing pending");
    }
}
