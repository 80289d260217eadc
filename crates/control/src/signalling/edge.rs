//! An edge node's payloads: what waits for whom, what was asked for, what leaves in granted slots, and what came from
//! others.
//!
//! Data slots from one node to another are numbered. Whatever number does not come is reported by the receiver, once a
//! later one has; what is late after that is refused. So every payload is delivered once, or reported.

use super::asking::{Arrivals, Prediction};
use super::post::{Count, Tally};
use super::{Action, Actions, SlotPart};
use crate::wire::{Allocation, Block, Grant, Header, Idle, NodeId, Slot, Wish};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

/// The number of a data slot, or of its datagram, among all that one node sends to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotNumber {
    /// The sender's session.
    pub session: u64,
    /// Its number in that session.
    pub sequence: u64,
}

/// Data slots of one node that were not, and will not be, delivered by this session of the receiver. It may be that
/// there were none, and that an earlier session delivered them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Who sent them.
    pub from: NodeId,
    /// The first of them.
    pub first: SlotNumber,
    /// The first that is not one of them.
    pub until: SlotNumber,
}

/// A queue has no room, or a payload fits no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the queue holds {} slots, or this is no payload of a slot of 1 to {} datagrams",
            Edge::LONGEST_QUEUE,
            SlotPart::MOST
        )
    }
}

impl std::error::Error for Full {}

/// What waits for one slot: the blocks of its datagrams, one or several.
#[derive(Clone, Debug, Default)]
struct Payload {
    first: Vec<Block>,
    others: Vec<Vec<Block>>,
}

impl Payload {
    /// Datagrams without blocks.
    fn empty(datagrams: u16) -> Payload {
        Payload { first: Vec::new(), others: vec![Vec::new(); usize::from(datagrams).saturating_sub(1)] }
    }

    fn datagrams(&self) -> usize {
        1 + self.others.len()
    }
}

/// A slot to be sent: its number in the frame, destination, the number of its first datagram among those for the
/// destination, payload.
pub(super) struct Departure {
    pub(super) slot: u32,
    pub(super) to: NodeId,
    sequence: u64,
    payload: Payload,
}

impl Departure {
    /// Its datagrams: the part of the light that each is, its number, its blocks.
    pub(super) fn parts(self) -> impl Iterator<Item = (SlotPart, (u64, Vec<Block>))> {
        let of = self.payload.datagrams() as u16;
        let Payload { first, others } = self.payload;
        let numbered = (0..of).zip(std::iter::once(first).chain(others));
        numbered.filter_map(move |(number, blocks)| {
            Some((SlotPart::new(number, of)?, (self.sequence + u64::from(number), blocks)))
        })
    }
}

/// The payloads of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Edge {
    queues: BTreeMap<NodeId, VecDeque<Payload>>,
    /// For whom something has come since the last request.
    came: BTreeSet<NodeId>,
    /// Datagrams of a slot of the queues whose payloads the host keeps.
    kept: BTreeMap<NodeId, u16>,
    granted: BTreeMap<u64, Vec<Grant>>,
    /// Frames that had an allocation, as far back as one could still come.
    accepted: BTreeSet<u64>,
    numbers: BTreeMap<NodeId, u64>,
    /// By sender: the number after the last one that was delivered or reported.
    taken: BTreeMap<NodeId, SlotNumber>,
    /// Slots to ask for besides what waits: what may soon be moved here from another star.
    expected: BTreeMap<NodeId, u32>,
    arrivals: Arrivals,
    /// Whether masters hear of slots that were granted and empty.
    pub(super) tells_unused: bool,
    /// Such slots since the session began, and what a master was told last.
    unused: BTreeMap<NodeId, (u32, u32)>,
}

impl Edge {
    /// Slots that a queue holds.
    pub(super) const LONGEST_QUEUE: usize = 1 << 16;

    pub(super) fn enqueue(&mut self, to: NodeId, datagrams: Vec<Vec<Block>>) -> Result<(), Full> {
        let queue = self.queues.entry(to).or_default();
        let carries = (1..=usize::from(SlotPart::MOST)).contains(&datagrams.len())
            && datagrams.iter().flatten().all(Block::is_payload);
        if queue.len() >= Edge::LONGEST_QUEUE || !carries {
            return Err(Full);
        }
        let mut datagrams = datagrams.into_iter();
        let first = datagrams.next().unwrap_or_default();
        queue.push_back(Payload { first, others: datagrams.collect() });
        self.came.insert(to);
        self.arrivals.note(to);
        Ok(())
    }

    /// The host keeps the payloads itself: so many slots of them wait, each of so many datagrams. Light leaves in all
    /// its granted slots, as something may come before a slot does.
    pub(super) fn set_waiting(&mut self, to: NodeId, slots: usize, datagrams: u16) {
        let datagrams = datagrams.min(SlotPart::MOST);
        let empty = Payload::empty(datagrams);
        self.kept.insert(to, datagrams);
        self.queues.entry(to).or_default().resize(slots.min(Edge::LONGEST_QUEUE), empty);
    }

    /// Something has come for a node, whether it waits or has left already.
    pub(super) fn note_arrival(&mut self, to: NodeId) {
        self.came.insert(to);
    }

    /// Slots that wait.
    pub(super) fn waiting(&self, to: NodeId) -> usize {
        self.queues.get(&to).map_or(0, VecDeque::len)
    }

    /// Takes what waits for a node out of its queue: the datagrams of each slot.
    pub(super) fn withdraw(&mut self, to: NodeId) -> Vec<Vec<Vec<Block>>> {
        let all = self.queues.remove(&to).unwrap_or_default();
        all.into_iter().map(|payload| std::iter::once(payload.first).chain(payload.others).collect()).collect()
    }

    /// From now on so many slots are asked for besides what waits.
    pub(super) fn expect(&mut self, to: NodeId, slots: usize) {
        match slots.min(Edge::LONGEST_QUEUE) {
            0 => self.expected.remove(&to),
            slots => self.expected.insert(to, slots as u32),
        };
    }

    /// From now on it asks for what will come, too.
    pub(super) fn predict(&mut self, prediction: Option<Prediction>) {
        self.arrivals.predict(prediction);
    }

    /// What to ask for in a frame that has begun: all that waits, and what will come in so many `frames`, if that is
    /// predicted. The master knows what it has granted since. A node for which something came and has left already is
    /// named with no slots, so that the master knows who sends.
    pub(super) fn wishes(&mut self, frames: u64) -> Vec<Wish> {
        let mut slots = self.expected.clone();
        for to in std::mem::take(&mut self.came) {
            slots.entry(to).or_insert(0);
        }
        for (to, queue) in self.queues.iter().filter(|(_, queue)| !queue.is_empty()) {
            *slots.entry(*to).or_insert(0) += queue.len() as u32;
        }
        self.arrivals.raise(&mut slots, frames as u32);
        slots.into_iter().map(|(destination, slots)| Wish { destination, slots }).collect()
    }

    /// So many granted slots for a node left empty.
    pub(super) fn note_unused(&mut self, to: NodeId, slots: u32) {
        if self.tells_unused && slots > 0 {
            let (count, _) = self.unused.entry(to).or_default();
            *count = count.wrapping_add(slots);
        }
    }

    /// What a master is told of empty slots: the counts that have changed.
    pub(super) fn unused(&mut self) -> Vec<Idle> {
        let changed = |(to, (count, told)): (&NodeId, &mut (u32, u32))| {
            (*count != std::mem::replace(told, *count)).then_some(Idle { destination: *to, slots: *count })
        };
        self.unused.iter_mut().filter_map(changed).collect()
    }

    /// An allocation came. Frames before `oldest` are over; a frame takes one.
    pub(super) fn accept(&mut self, allocation: &Allocation, oldest: u64) -> bool {
        self.accepted = self.accepted.split_off(&oldest);
        let stale = allocation.frame < oldest || !self.accepted.insert(allocation.frame);
        if !stale {
            self.granted.insert(allocation.frame, allocation.grants.clone());
        }
        !stale
    }

    /// What leaves in a frame. `can_leave` says whether there is still time for a slot; if not, the payload waits on.
    pub(super) fn depart(
        &mut self,
        frame: u64,
        slots: u32,
        tally: &mut Tally,
        can_leave: impl Fn(u32) -> bool,
    ) -> Vec<Departure> {
        let grants = self.granted.remove(&frame).unwrap_or_default();
        self.granted = self.granted.split_off(&frame);
        let (mut departures, mut left) = (Vec::new(), slots);
        for Grant { slot: first, slots: count, destination } in grants {
            let end = first.saturating_add(count).min(slots);
            // A frame has no more slots than this, whatever the grants say.
            for slot in (first..end).take(left as usize) {
                left -= 1;
                if !can_leave(slot) {
                    tally.add(Count::TooLate);
                    continue;
                }
                let waiting = self.queues.get_mut(&destination).and_then(VecDeque::pop_front);
                if waiting.is_none() {
                    tally.add(Count::GrantUnused);
                }
                let kept = || self.kept.get(&destination).map(|datagrams| Payload::empty(*datagrams));
                let Some(payload) = waiting.or_else(kept) else {
                    self.note_unused(destination, 1);
                    continue;
                };
                let number = self.numbers.entry(destination).or_insert(0);
                let sequence = *number;
                *number += payload.datagrams() as u64;
                departures.push(Departure { slot, to: destination, sequence, payload });
            }
        }
        departures
    }

    /// A data slot, or a datagram of one, came.
    pub(super) fn take(&mut self, slot: Slot, tally: &mut Tally, actions: &mut Actions) {
        let Header { source: from, session, sequence, .. } = slot.header;
        let (next, number) = (self.taken.entry(from).or_default(), SlotNumber { session, sequence });
        if number < *next || sequence == u64::MAX {
            return tally.add(Count::DataRefused);
        }
        if number > *next {
            actions.push(Action::Missing(Report { from, first: *next, until: number }));
        }
        *next = SlotNumber { session, sequence: sequence + 1 };
        actions.push(Action::Deliver { from, blocks: slot.blocks });
    }
}
