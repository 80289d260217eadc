//! The assembly queues of a node: which packets travel in one burst.

use super::plan::{BurstAssembly, BurstQueues, Obs, Spread};
use crate::engine::packet::{Class, Packet};
use control::assembly::{Complete, Queue};
use std::collections::BTreeMap;

/// The assembly queues of a node.
#[derive(Debug)]
pub struct Queues {
    pub(super) assembly: BurstAssembly,
    /// What has two paths, if anything has.
    spread: Option<Spread>,
    /// By route: the path set that takes its place for what is spread.
    sets: Vec<Option<u32>>,
    /// Each with its route and, for what is spread, its path set. The second half is for what is spread.
    pub(super) queues: Vec<(Destination, Queue<Packet>)>,
    /// How many queues there were at the start for what is not spread.
    plain: u32,
    /// The queues of single flows, by route and flow.
    of_flow: BTreeMap<(u32, u32), u32>,
    pub(super) complete: Vec<Complete<Packet>>,
}

/// Where the bursts of a queue go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    /// The way of its packets.
    pub(super) route: u32,
    /// The paths that take its place.
    pub(super) set: Option<u32>,
}

/// Data, acknowledgements, datagrams.
const CLASSES: u32 = 3;

impl Queues {
    /// Empty queues for routes of which these have a path set.
    pub fn new(obs: &Obs, sets: &[Option<u32>]) -> Queues {
        let assembly = &obs.assembly;
        let for_each = match assembly.queues {
            BurstQueues::Egress => 1,
            BurstQueues::Class => CLASSES,
            BurstQueues::Flow => 0,
        };
        let spread = obs.balancing.as_ref().map(|balancing| balancing.traffic).filter(|_| !sets.is_empty());
        let plain = (0..).zip(sets).map(|(route, _)| Destination { route, set: None });
        let spread_out = (0..).zip(sets).map(|(route, set)| Destination { route, set: *set });
        let queue = |to: Destination| (0..for_each).map(move |_| (to, Queue::new(assembly.rules)));
        let mut queues: Vec<_> = plain.flat_map(queue).collect();
        let plain = queues.len() as u32;
        if spread.is_some() {
            queues.extend(spread_out.flat_map(queue));
        }
        let (sets, of_flow, complete) = (sets.to_vec(), BTreeMap::new(), Vec::new());
        Queues { assembly: *assembly, spread, sets, queues, plain, of_flow, complete }
    }

    /// Whether a packet's bursts have two paths.
    fn is_spread(&self, packet: &Packet) -> bool {
        match self.spread {
            None => false,
            Some(Spread::All) => true,
            Some(Spread::Tcp) => packet.class != Class::Datagram,
            Some(Spread::Data) => packet.class == Class::Data,
        }
    }

    /// Where the bursts of a packet go that comes by a route.
    pub(super) fn destination(&self, route: u32, packet: &Packet) -> Destination {
        let set = self.sets.get(route as usize).copied().flatten().filter(|_| self.is_spread(packet));
        Destination { route, set }
    }

    /// The queue of a packet.
    pub(super) fn of(&mut self, route: u32, packet: &Packet) -> u32 {
        let half = if self.is_spread(packet) { self.plain } else { 0 };
        match self.assembly.queues {
            BurstQueues::Egress => half + route,
            BurstQueues::Class => {
                half + CLASSES * route
                    + match packet.class {
                        Class::Ack => 1,
                        Class::Datagram => 2,
                        _ => 0,
                    }
            }
            BurstQueues::Flow => {
                let to = self.destination(route, packet);
                let (queues, rules) = (&mut self.queues, self.assembly.rules);
                *self.of_flow.entry((route, packet.flow)).or_insert_with(|| {
                    queues.push((to, Queue::new(rules)));
                    queues.len() as u32 - 1
                })
            }
        }
    }

    /// Shows every packet that waits.
    pub fn for_each(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queues.iter_mut().for_each(|(_, queue)| queue.waiting().iter_mut().for_each(&mut *change));
    }
}
