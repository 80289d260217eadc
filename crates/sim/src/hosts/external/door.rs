//! Where packets of hosts outside wait to enter the network, and where those are that have left it.

use crate::engine::packet::real::RealBytes;
use crate::model::{Ecn, External, SimTime};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The door of a run.
#[derive(Debug)]
pub struct Door {
    /// Those that wait, by pair of hosts, each in the order of time.
    waiting: Vec<Mutex<VecDeque<Waiting>>>,
    /// The flow of each pair.
    flows: Vec<u32>,
    /// The pair of each flow, and where it ends.
    pairs: BTreeMap<u32, (usize, u16)>,
    left: Mutex<Vec<Left>>,
    /// Bytes of packets that are inside.
    inside: Arc<AtomicU64>,
}

/// A packet that waits to enter.
#[derive(Debug)]
pub(super) struct Waiting {
    pub at: SimTime,
    pub bytes: u16,
    pub ecn: Ecn,
    pub content: Option<RealBytes>,
}

/// A packet that has reached a host outside.
#[derive(Debug)]
pub struct Left {
    /// When.
    pub at: SimTime,
    /// Which host, as a place among those outside.
    pub to: u16,
    /// As they came in.
    pub bytes: Box<[u8]>,
    /// Whether a device on its way has marked it.
    pub is_marked: bool,
}

impl Door {
    /// A door for these hosts, the flow of each of whose pairs has such a number.
    pub(super) fn new(external: &External, flows: Vec<u32>) -> Door {
        let mut waiting: Vec<VecDeque<Waiting>> = flows.iter().map(|_| VecDeque::new()).collect();
        for packet in external.recording.iter().flat_map(|recording| recording.iter()) {
            let place = external.pair(packet.from, packet.to);
            waiting[place].push_back(Waiting { at: packet.at, bytes: packet.bytes, ecn: packet.ecn, content: None });
        }
        let ends = external.pairs().map(|(_, to)| to);
        let pairs = flows.iter().copied().zip(ends.enumerate()).collect();
        let waiting = waiting.into_iter().map(Mutex::new).collect();
        Door { waiting, flows, pairs, left: Mutex::default(), inside: Arc::default() }
    }

    /// A packet is to enter at an instant that no packet of its pair before it passes; the flow that has it then.
    pub fn enter(&self, pair: usize, at: SimTime, bytes: Box<[u8]>, ecn: Ecn) -> u32 {
        let (length, content) = (bytes.len() as u16, RealBytes::new(bytes, &self.inside));
        lock(&self.waiting[pair]).push_back(Waiting { at, bytes: length, ecn, content: Some(content) });
        self.flows[pair]
    }

    /// Those that have left since the last call, in the order of time.
    pub fn take_left(&self, into: &mut Vec<Left>) {
        into.append(&mut lock(&self.left));
    }

    /// Bytes of packets that wait or are on their way.
    pub fn bytes_inside(&self) -> u64 {
        self.inside.load(Ordering::Relaxed)
    }

    /// The pair of a flow.
    pub(super) fn pair_of(&self, flow: u32) -> Option<usize> {
        self.pairs.get(&flow).map(|(pair, _)| *pair)
    }

    /// When the first packet of a pair is to enter.
    pub(super) fn next(&self, pair: usize) -> Option<SimTime> {
        lock(&self.waiting[pair]).front().map(|packet| packet.at)
    }

    /// It, if it is due.
    pub(super) fn pop(&self, pair: usize, now: SimTime) -> Option<Waiting> {
        let mut waiting = lock(&self.waiting[pair]);
        let is_due = waiting.front().is_some_and(|packet| packet.at <= now);
        is_due.then(|| waiting.pop_front()).flatten()
    }

    /// A packet of a flow has arrived.
    pub(super) fn leave(&self, flow: u32, at: SimTime, content: RealBytes, is_marked: bool) {
        let Some((_, to)) = self.pairs.get(&flow) else { return };
        lock(&self.left).push(Left { at, to: *to, bytes: content.taken(), is_marked });
    }
}

/// Nobody panics while holding the lock.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
