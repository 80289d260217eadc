//! What agents count: per link, per flow, and in sums whose keys only their kind of switching knows.

use crate::engine::packet::admission::Count;
use crate::model::{LinkId, NodeId};
use std::collections::BTreeMap;

/// What all agents have counted since the start.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// What came to the links whose capacity agents share out.
    pub links: BTreeMap<LinkId, LinkAccount>,
    /// How the packets of a flow lay in what agents switch.
    pub groups: BTreeMap<u32, Group>,
    /// Sums over all agents.
    pub sums: KeyedSums,
    /// What built up before links in episodes.
    pub buildups: BTreeMap<LinkId, Buildup>,
    /// What agents keep of messages, agent by agent, each in the order of time.
    pub records: Vec<Record>,
}

/// A message of which an agent keeps a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When, in picoseconds.
    pub at: u64,
    /// Where.
    pub node: NodeId,
    /// Which way.
    pub direction: Direction,
    /// Its bytes.
    pub bytes: Box<[u8]>,
}

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The node sent it.
    Sent,
    /// It came to the node.
    Took,
}

/// Units at a link whose capacity agents share out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkAccount {
    /// That came.
    pub offered: Count,
    /// That got a part of the capacity; if only a part of one did, it counts as one, and the bytes are the part's.
    pub carried: Count,
    /// That did not.
    pub dropped: Count,
    /// Channels times picoseconds for which they are taken.
    pub busy: u128,
    /// Channels.
    pub channels: u32,
}

/// What built up in a buffer in episodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buildup {
    /// How many have ended.
    pub episodes: u64,
    /// The sum of the most bytes in each of them.
    pub sum_of_most: u128,
    /// Bytes times picoseconds, those of an episode that goes on included.
    pub area: u128,
    /// (end, most bytes) of the episodes after which there was none with as much; of one that goes on, the latest time.
    highest: Vec<(u64, u64)>,
}

impl Buildup {
    /// An episode ends.
    pub fn end_episode(&mut self, now: u64, most: u64, area: u128) {
        self.episodes += 1;
        self.sum_of_most += u128::from(most);
        self.area += area;
        while self.highest.pop_if(|(_, before)| *before <= most).is_some() {}
        self.highest.push((now, most));
    }

    /// So much of an episode that goes on.
    pub fn add_open(&mut self, now: u64, most: u64, area: u128) {
        self.area += area;
        self.highest.push((now, most));
    }

    /// The most bytes in an episode that has not ended before `from`.
    pub fn most_since(&self, from: u64) -> u64 {
        self.highest.iter().filter(|(end, _)| *end >= from).map(|(_, most)| *most).max().unwrap_or(0)
    }

    /// Adds those of another buffer before the same link.
    pub fn add(&mut self, other: &Buildup) {
        self.episodes += other.episodes;
        self.sum_of_most += other.sum_of_most;
        self.area += other.area;
        self.highest.extend_from_slice(&other.highest);
    }
}

/// Packets of a flow that travelled in units, and the units with any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Packets.
    pub packets: u64,
    /// Units.
    pub units: u64,
}

/// The key of a sum: a kind of switching has one type of them.
pub trait SumKey: Copy {
    /// Its place among the sums of its type.
    fn place(self) -> usize;
}

/// Sums by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyedSums(Vec<u128>);

impl KeyedSums {
    /// Adds to a sum.
    pub fn add(&mut self, key: impl SumKey, more: u128) {
        let place = key.place();
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] += more;
    }

    /// A sum; zero for one that nobody added to.
    pub fn of(&self, key: impl SumKey) -> u128 {
        self.0.get(key.place()).copied().unwrap_or(0)
    }
}

impl Counters {
    /// Adds what an agent has counted of a flow.
    pub fn add_group(&mut self, flow: u32, more: Group) {
        let group = self.groups.entry(flow).or_default();
        *group = Group { packets: group.packets + more.packets, units: group.units + more.units };
    }
}

impl LinkAccount {
    /// A unit of this many bytes arrives.
    pub fn offer(&mut self, bytes: u64) {
        self.offered = self.offered.plus(Count { packets: 1, bytes });
    }

    /// This many bytes of it leave, which takes `length`.
    pub fn carry(&mut self, bytes: u64, length: u64) {
        self.carried = self.carried.plus(Count { packets: 1, bytes });
        self.busy += u128::from(length);
    }

    /// Nothing of it leaves.
    pub fn drop(&mut self, bytes: u64) {
        self.dropped = self.dropped.plus(Count { packets: 1, bytes });
    }
}
