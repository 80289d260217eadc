//! What a master grants besides the letter of the requests.
//!
//! A sender that follows its grants (XCP-CL, paper 003 §4.2) asks for what it was granted: granted what it asks for, it
//! never has more. Each rule here breaks that circle at the master, which alone knows all requests. Only for shares by
//! use a node tells more than its requests: which slots were empty.

use crate::allowance::{Allowance, Queues, Terms};
use crate::demand::Reading;
use crate::wire::{Idle, NodeId};
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
        /// The same, but those that leave theirs unused have them only where no other queue could.
        Using = "using",
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

/// A frame that is planned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planning<'a> {
    pub(super) frame: u64,
    /// How long it lasts.
    pub(super) length: Duration,
    pub(super) terms: Terms,
    /// Those that take part.
    pub(super) nodes: &'a [NodeId],
}

/// The rules, who has asked, in which frame last, and how its slots are used.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    rules: Sharing,
    asking: BTreeMap<Pair, u64>,
    allowances: BTreeMap<Pair, Allowance>,
}

impl Shares {
    /// Nobody has asked.
    pub(super) fn new(rules: Sharing) -> Shares {
        Shares { rules, asking: BTreeMap::new(), allowances: BTreeMap::new() }
    }

    /// A node says how many of its slots were empty since its session began.
    pub(super) fn hear(&mut self, from: NodeId, unused: &[Idle]) {
        for Idle { destination, slots } in unused {
            self.allowances.entry(Pair { from, to: *destination }).and_modify(|known| known.hear(*slots));
        }
    }

    /// What a plan is for.
    pub(super) fn demands(&mut self, planning: Planning<'_>, asked: &[Asked]) -> Demands {
        let Planning { frame, length, terms, nodes } = planning;
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
        if spare == Spare::Using {
            for pair in &asking {
                let known = self.allowances.entry(*pair).or_insert_with(|| Allowance::full(terms));
                let slots = wanted.entry(*pair).or_default();
                *slots = known.slots().max(*slots);
            }
        }
        let pairs = || nodes.iter().flat_map(|from| nodes.iter().map(|to| Pair { from: *from, to: *to }));
        let takers = match spare {
            Spare::Idle => BTreeSet::new(),
            Spare::Asking | Spare::Using => asking,
            Spare::All => pairs().filter(|pair| pair.from != pair.to).collect(),
        };
        Demands { wanted, takers }
    }

    /// A plan was made for these demands: what each pair has of it.
    pub(super) fn granted(&mut self, demands: &Demands, granted: impl FnOnce() -> BTreeMap<Pair, u32>) {
        if self.rules.spare != Spare::Using {
            return;
        }
        let granted = granted();
        let queues = Queues::of(demands.takers.iter().map(|pair| (pair.from, pair.to)));
        for (pair, known) in &mut self.allowances {
            let slots = granted.get(pair).copied().unwrap_or(0);
            known.plan(demands.wanted.get(pair).copied().unwrap_or(0), slots, queues.beside(pair.from, pair.to));
        }
        self.allowances.retain(|pair, known| demands.takers.contains(pair) || !known.is_full());
    }
}

#[cfg(test)]
mod tests;
