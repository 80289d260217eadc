//! What waits for whom at a node, and the request and allocation matrices of a master (paper 003, §3.5.3 and §3.7), in
//! reports. Only entries that are not zero are there, and a bounded number of them.

use control::signalling::{Matrices, Node};
use control::wire::NodeId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// So many entries of a matrix are shown, those with most slots first.
const MOST_PAIRS: usize = 1024;
/// So many queues are shown, the longest first.
const MOST_QUEUES: usize = 256;

/// A pair of nodes in the last plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) from: u16,
    pub(crate) to: u16,
    /// Slots that waited by the sender's last request.
    pub(crate) requested: u32,
    /// Slots of the planned frame that it has.
    pub(crate) allocated: u32,
}

/// The last plan of a master.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) frame: u64,
    pub(crate) pairs: Vec<Pair>,
    /// Pairs that have no place in the report.
    pub(crate) pairs_not_shown: usize,
}

/// What waits at a node, by destination.
pub(crate) fn queues(machine: &Node) -> BTreeMap<u16, u64> {
    let members = machine.network().map_or(&[][..], |network| &network.members);
    let waiting = |node: NodeId| (node.0, machine.waiting(node) as u64);
    longest(members.iter().map(|member| waiting(member.node)).filter(|(_, slots)| *slots > 0).collect())
}

pub(crate) fn longest(mut queues: Vec<(u16, u64)>) -> BTreeMap<u16, u64> {
    queues.sort_by_key(|(to, slots)| (std::cmp::Reverse(*slots), *to));
    queues.into_iter().take(MOST_QUEUES).collect()
}

impl Plan {
    pub(crate) fn of(matrices: &Matrices) -> Plan {
        let entry = |pair: &control::signalling::PairSlots| Pair {
            from: pair.from.0,
            to: pair.to.0,
            requested: pair.requested,
            allocated: pair.allocated,
        };
        let mut pairs: Vec<Pair> = matrices.pairs.iter().map(entry).collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.requested.max(pair.allocated)));
        let pairs_not_shown = pairs.len().saturating_sub(MOST_PAIRS);
        pairs.truncate(MOST_PAIRS);
        pairs.sort_by_key(|pair| (pair.from, pair.to));
        Plan { frame: matrices.frame, pairs, pairs_not_shown }
    }
}
