//! One node through one window: its arrivals, merged from its fibres, and its deadlines between them.
//!
//! The merge is that of the event list ([`TournamentTree`](crate::engine::node::tournament_tree::TournamentTree)) over
//! the fibres of one node, with keys of (time since the beginning of the window, fibre). A node of one fibre needs
//! none. The loop over the arrivals is compiled for nodes with agents or departures that are events, and for those
//! without, which have timers at most and never anything pending.

use super::execution_mode::{ExecutionMode, FullWindow, PlainWindow};
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
struct NodeWindow {
    start: u64,
    end: u64,
    /// The first fibre of the node.
    first: u32,
}

impl NodeWindow {
    /// The key of an arrival, [`NONE`] if it does not lie in the window. Nothing predicts which, so it is no branch.
    #[inline(always)]
    fn key<const NODES: usize>(self, at: u64, place: u32) -> u64 {
        let key = at.wrapping_sub(self.start) << place_bits(NODES) | u64::from(place);
        select_unpredictable(at < self.end, key, NONE)
    }
}

/// The arrivals at a node within a window, in their order.
trait Arrivals<'a> {
    /// How many places behind the packet that is taken its fibre is read.
    const AHEAD: u64;

    /// Those from `fibres`; there is `room` for what is to be remembered of them.
    fn new(window: NodeWindow, fibres: &[Ring<Packet>], room: &'a mut Vec<u64>) -> Self;

    /// The next one as its time and its fibre; `None` if there is no other in the window.
    fn first(&self) -> Option<(u64, u32)>;

    /// The next one is taken. On its fibre, the packet [`Arrivals::AHEAD`] places behind it arrives at `ahead`.
    fn advance(&mut self, fibre: u32, ahead: u64);

    /// Where the fibres end, if the first of them ends there.
    fn far_end(end: FibreEnd) -> FibreEnd;
}

/// The arrivals at a node of one fibre.
struct Train {
    window: NodeWindow,
    /// When the next one comes.
    at: u64,
}

impl<'a> Arrivals<'a> for Train {
    const AHEAD: u64 = 1;

    #[inline(always)]
    fn new(window: NodeWindow, fibres: &[Ring<Packet>], _: &'a mut Vec<u64>) -> Train {
        Train { window, at: fibres[0].front().map_or(NEVER, |packet| packet.at) }
    }

    #[inline(always)]
    fn first(&self) -> Option<(u64, u32)> {
        (self.at < self.window.end).then_some((self.at, self.window.first))
    }

    #[inline(always)]
    fn advance(&mut self, _: u32, ahead: u64) {
        self.at = ahead;
    }

    fn far_end(end: FibreEnd) -> FibreEnd {
        end
    }
}

/// The arrivals at a node of several fibres. `NODES` is the size of the tree of keys; 0 if it is not known when this is
/// compiled.
struct Merge<'a, const NODES: usize> {
    window: NodeWindow,
    /// The smallest key.
    root: u64,
    /// The first packet of each fibre, as a tree: the smaller of two keys lies above them.
    tree: &'a mut [u64],
    /// The second one. So which packet comes next is known before the one that it follows has been read: each would
    /// wait for the last.
    seconds: &'a mut [u64],
}

impl<'a, const NODES: usize> Arrivals<'a> for Merge<'a, NODES> {
    const AHEAD: u64 = 2;

    #[inline(always)]
    fn new(window: NodeWindow, fibres: &[Ring<Packet>], room: &'a mut Vec<u64>) -> Merge<'a, NODES> {
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
        Merge { window, root: tree[1], tree, seconds }
    }

    #[inline(always)]
    fn first(&self) -> Option<(u64, u32)> {
        let (bits, NodeWindow { start, first, .. }) = (place_bits(NODES), self.window);
        (self.root != NONE).then(|| (start + (self.root >> bits), first + self.root as u32 % (1 << bits)))
    }

    #[inline(always)]
    fn advance(&mut self, fibre: u32, second: u64) {
        let place = fibre - self.window.first;
        // A mask, so that it is known that there is such a place.
        let leaf = place as usize & (self.seconds.len() - 1);
        let key = std::mem::replace(&mut self.seconds[leaf], self.window.key::<NODES>(second, place));
        self.root = match NODES {
            0 => replay_any(self.tree, place, key),
            _ => replay::<NODES>(self.tree, place, key),
        };
    }

    /// Whether a packet goes on is asked of the packet itself: few fibres of such a node lead to its hosts alone.
    fn far_end(end: FibreEnd) -> FibreEnd {
        FibreEnd::new(end.node(), true)
    }
}

impl Partition {
    /// Takes a node to the end of the window.
    pub(super) fn run_process(&mut self, process: &mut LogicalProcess, end: u64, keys: &mut Vec<u64>) {
        let window = NodeWindow { start: self.reached, end, first: process.fibres.start };
        let fibres = process.fibres.len();
        let Some(event_list) = &mut process.event_list else {
            return self.receive_all::<PlainWindow>(window, fibres, keys);
        };
        self.fabric.swap_event_list(event_list);
        // The end of the window, if there is no timer before: so the list always has something within reach.
        self.fabric.set_timers(self.hosts.timers.earliest());
        self.receive_all::<FullWindow>(window, fibres, keys);
        self.fabric.swap_event_list(event_list);
    }

    /// Handles all that happens at a node within a window. The usual sizes of the merge are compiled each by itself.
    fn receive_all<M: ExecutionMode>(&mut self, window: NodeWindow, fibres: usize, keys: &mut Vec<u64>) {
        match fibres {
            0 => self.handle_rest::<M>(window),
            1 => self.receive_arrivals::<M, Train>(window, fibres, keys),
            2..=4 => self.receive_arrivals::<M, Merge<8>>(window, fibres, keys),
            5..=16 => self.receive_arrivals::<M, Merge<32>>(window, fibres, keys),
            17..=64 => self.receive_arrivals::<M, Merge<128>>(window, fibres, keys),
            65..=256 => self.receive_arrivals::<M, Merge<512>>(window, fibres, keys),
            _ => self.receive_arrivals::<M, Merge<0>>(window, fibres, keys),
        }
    }

    /// Handles the arrivals at a node, and its departures, agents and timers between them.
    #[inline(never)]
    fn receive_arrivals<'a, M: ExecutionMode, A: Arrivals<'a>>(
        &mut self,
        window: NodeWindow,
        fibres: usize,
        keys: &'a mut Vec<u64>,
    ) {
        let first = window.first as usize;
        let end = A::far_end(self.site.ends[first]);
        let mut arrivals = A::new(window, &self.fabric.fibres[first..][..fibres], keys);
        let mut packet = Packet::default();
        while let Some((at, fibre)) = arrivals.first() {
            self.handle_before::<M>(at, window);
            let (arrival, ahead) = self.fabric.take_off_fibre(fibre, A::AHEAD, &mut packet);
            arrivals.advance(fibre, ahead);
            self.hash_arrival(end.node(), arrival.digest);
            self.handle_arrival::<M>(at, end, arrival, &packet);
            self.handle_consequences::<M>(at);
        }
        self.handle_rest::<M>(window);
    }

    /// Does what comes before an arrival at `at`.
    #[inline(always)]
    fn handle_before<M: ExecutionMode>(&mut self, at: u64, window: NodeWindow) {
        match M::FULL {
            true => self
                .handle_while(window, |fabric, next, leaf| next < at || (next == at && fabric.precedes_arrivals(leaf))),
            false => self.visit_timers_before(at),
        }
    }

    /// Does what is left of the window after the last arrival.
    fn handle_rest<M: ExecutionMode>(&mut self, window: NodeWindow) {
        match M::FULL {
            true => self.handle_while(window, |_, next, _| next < window.end),
            false => self.visit_timers_before(window.end),
        }
    }

    /// Handles departures, agents and timers as long as the next one, by its time and its place, `is_due`.
    #[inline(always)]
    fn handle_while(&mut self, window: NodeWindow, is_due: impl Fn(&Fabric, u64, u32) -> bool) {
        loop {
            let (next, leaf) = self.fabric.earliest(window.start);
            if !is_due(&self.fabric, next, leaf) {
                break;
            }
            self.handle_event(next, leaf);
            self.handle_consequences::<FullWindow>(next);
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
        self.effort_left -= 1;
        let now = self.hosts.timers.earliest();
        self.events += u64::from(self.hosts.visit_timer(now, &mut self.fabric));
    }

    /// Does at once what follows from an event: packets between the parts of a node, and a new earliest timer.
    #[inline(always)]
    fn handle_consequences<M: ExecutionMode>(&mut self, now: u64) {
        if M::FULL && self.fabric.needs_attention(self.hosts.timers.earliest()) {
            self.handle_pending(now);
            self.fabric.set_timers(self.hosts.timers.earliest());
        }
        debug_assert!(M::FULL || self.fabric.pending.is_empty(), "a node without agents has nothing pending");
    }
}
