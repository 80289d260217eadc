//! What a master grants besides the letter of the requests.
//!
//! A sender that follows its grants (XCP-CL, paper 003 §4.2) asks for what it was granted: granted what it asks for, it
//! never has more. Each rule here breaks that circle at the master, which alone knows all requests. None of them
//! changes what travels.

use crate::demand::Reading;
use crate::wire::NodeId;
use options::words;
use std::collections::{BTreeMap, BTreeSet};
use units::Duration;

words! {
    /// What happens to slots nobody asked for.
    pub enum Spare {
        /// All queues share them.
        All = "all",
        /// The queues that asked for something share them.
        Asking = "asking",
        /// They stay dark.
        Idle = "idle",
    }
}

/// How a master shares a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Slots that nobody asked for.
    pub spare: Spare,
    /// Slots of every frame that an asking pair of nodes counts as wanting at least.
    pub floor: u32,
    /// Thousandths by which a request counts for more than it says, rounded up to whole slots.
    pub probe: u32,
    /// What a request means.
    pub reading: Reading,
    /// A pair that has asked counts as asking for so long.
    pub idle_timeout: Duration,
}

impl Sharing {
    /// The paper's letter: what is asked for is granted, and nothing else.
    pub const LITERAL: Sharing = Sharing {
        spare: Spare::Idle,
        floor: 0,
        probe: 0,
        reading: Reading::Backlog,
        idle_timeout: Sharing::IDLE_TIMEOUT,
    };
    /// As long as the shortest retransmission timeout of TCP (RFC 6298 §2.4): a pair whose sender waits for that still
    /// counts as asking.
    pub const IDLE_TIMEOUT: Duration = Duration::from_secs(1);
    /// The largest probe: ten times what is asked for.
    pub const MOST_PROBE: u32 = 10_000;

    /// What a request of `asked` slots counts for, where `granted` were granted since it was made.
    fn wanted(&self, asked: u32, granted: u32) -> u32 {
        let probed = u64::from(asked) + (u64::from(asked) * u64::from(self.probe)).div_ceil(1000);
        let probed = u32::try_from(probed).unwrap_or(u32::MAX);
        match self.reading {
            Reading::Backlog => probed.saturating_sub(granted),
            Reading::Rate => probed,
        }
    }
}

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
}

/// What a frame is planned for.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands {
    /// Slots that each pair wants, less what it was granted.
    pub(super) wanted: BTreeMap<Pair, u32>,
    /// The pairs that share what is left.
    pub(super) takers: BTreeSet<Pair>,
}

/// What a pair asked for last, and what it was granted since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) pair: Pair,
    pub(super) slots: u32,
    pub(super) granted: u32,
}

/// The rules, and who has asked, in which frame last.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    rules: Sharing,
    asking: BTreeMap<Pair, u64>,
}

impl Shares {
    /// Nobody has asked.
    pub(super) fn new(rules: Sharing) -> Shares {
        Shares { rules, asking: BTreeMap::new() }
    }

    /// What a plan that is made in `frame` is for. `length` is how long a frame lasts, `nodes` are those that take
    /// part.
    pub(super) fn demands(&mut self, length: Duration, frame: u64, asked: &[Asked], nodes: &[NodeId]) -> Demands {
        let Sharing { spare, floor, idle_timeout, .. } = self.rules;
        let mut wanted = BTreeMap::new();
        for Asked { pair, slots, granted } in asked {
            wanted.insert(*pair, self.rules.wanted(*slots, *granted));
            // Who is named with no slots has sent lately: it has no backlog because it has slots.
            self.asking.insert(*pair, frame);
        }
        let oldest = frame.saturating_sub(idle_timeout.ps() / length.ps().max(1));
        self.asking.retain(|_, last| *last >= oldest);
        let active = |pair: &Pair| nodes.contains(&pair.from) && nodes.contains(&pair.to);
        let asking: BTreeSet<Pair> = self.asking.keys().copied().filter(active).collect();
        for pair in asking.iter().filter(|_| floor > 0) {
            let slots = wanted.entry(*pair).or_default();
            *slots = floor.max(*slots);
        }
        let pairs = || nodes.iter().flat_map(|from| nodes.iter().map(|to| Pair { from: *from, to: *to }));
        let takers = match spare {
            Spare::Idle => BTreeSet::new(),
            Spare::Asking => asking,
            Spare::All => pairs().filter(|pair| pair.from != pair.to).collect(),
        };
        Demands { wanted, takers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight slots asked for and three granted since: five; with half as much more, nine; as a rate, eight.
    #[test]
    fn a_request_counts_by_the_rules() {
        let literal = Sharing::LITERAL;
        assert_eq!(literal.wanted(8, 3), 5);
        assert_eq!(Sharing { probe: 500, ..literal }.wanted(8, 3), 9);
        assert_eq!(Sharing { reading: Reading::Rate, ..literal }.wanted(8, 3), 8);
    }

    /// A tenth more of one slot is a whole slot: grants are whole.
    #[test]
    fn a_probe_asks_for_at_least_one_slot_more_but_never_for_nothing() {
        let probing = Sharing { probe: 100, ..Sharing::LITERAL };
        assert_eq!([0, 1, 10, 11].map(|asked| probing.wanted(asked, 0)), [0, 2, 11, 13]);
        assert_eq!(Sharing { probe: Sharing::MOST_PROBE, ..probing }.wanted(u32::MAX, 0), u32::MAX);
    }

    fn pair(from: u16, to: u16) -> Pair {
        Pair { from: NodeId(from), to: NodeId(to) }
    }

    /// Frames of 3.6 ms, so 277 of them are 1 s. One slot was asked for in frame 10, and nothing since.
    #[test]
    fn a_pair_counts_as_asking_for_its_idle_timeout() {
        let (length, nodes) = (Duration::from_micros(3600), [NodeId(0), NodeId(1), NodeId(2)]);
        let mut shares = Shares::new(Sharing { spare: Spare::Asking, floor: 3, ..Sharing::LITERAL });
        let asked = [Asked { pair: pair(0, 1), slots: 1, granted: 1 }];
        assert!(shares.demands(length, 9, &[], &nodes).takers.is_empty());
        for (frame, asked) in [(10, &asked[..]), (11, &[]), (287, &[])] {
            let demands = shares.demands(length, frame, asked, &nodes);
            assert_eq!((demands.wanted.get(&pair(0, 1)), demands.takers.len()), (Some(&3), 1), "frame {frame}");
        }
        let later = shares.demands(length, 288, &[], &nodes);
        assert!(later.wanted.is_empty() && later.takers.is_empty());
    }

    /// Of three nodes, one of which has left: the two pairs of the others share; nobody does by the letter.
    #[test]
    fn spare_slots_are_for_nodes_that_take_part() {
        let length = Duration::from_micros(3600);
        let takers = |spare: Spare| {
            let mut shares = Shares::new(Sharing { spare, ..Sharing::LITERAL });
            let asked = [pair(0, 1), pair(0, 2)].map(|pair| Asked { pair, slots: 1, granted: 0 });
            shares.demands(length, 5, &asked, &[NodeId(0), NodeId(1)]).takers.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(takers(Spare::All), [pair(0, 1), pair(1, 0)]);
        assert_eq!(takers(Spare::Asking), [pair(0, 1)]);
        assert_eq!(takers(Spare::Idle), []);
    }
}
