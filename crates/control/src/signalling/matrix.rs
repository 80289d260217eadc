//! The request and the allocation matrix of a master (paper 003, §3.5.3), to be looked at.

use super::Actions;
use super::master::Master;
use super::node::Node;
use super::sharing::Pair;
use crate::wire::NodeId;
use std::collections::BTreeMap;
use units::Instant;

/// What one node asked for to another, and what it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSlots {
    /// Who sends.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// Slots that waited by its last request.
    pub requested: u32,
    /// Slots of the frame that were allocated.
    pub allocated: u32,
}

/// The last plan of a master: pairs with a request or an allocation, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrices {
    /// The frame that was planned.
    pub frame: u64,
    /// The entries that are not zero.
    pub pairs: Vec<PairSlots>,
}

impl Master {
    fn matrices(&self) -> Option<Matrices> {
        let (frame, proposal) = self.proposals.last_key_value()?;
        let mut slots: BTreeMap<Pair, (u32, u32)> = BTreeMap::new();
        for asked in &self.asked {
            let (requested, _) = slots.entry(asked.pair).or_default();
            *requested = requested.saturating_add(asked.slots);
        }
        for (from, grants) in &proposal.planned.grants {
            for grant in grants {
                let (_, allocated) = slots.entry(Pair { from: *from, to: grant.destination }).or_default();
                *allocated = allocated.saturating_add(grant.slots);
            }
        }
        let is_there = |(_, (requested, allocated)): &(Pair, (u32, u32))| *requested > 0 || *allocated > 0;
        let pair = |(Pair { from, to }, (requested, allocated))| PairSlots { from, to, requested, allocated };
        Some(Matrices { frame: *frame, pairs: slots.into_iter().filter(is_there).map(pair).collect() })
    }
}

impl Node {
    /// What a master planned last, and from which requests. None: it is no master, or has not planned yet.
    pub fn matrices(&self) -> Option<Matrices> {
        self.master.as_ref()?.matrices()
    }

    /// Makes one plan that is due, from the requests to the message for the core. False if none is due: so a host can
    /// look at its clock around it. [`Node::handle_timeout`] makes all plans that are still due.
    pub fn plan_one(&mut self, now: Instant, actions: &mut Actions) -> bool {
        self.skip_what_was_missed(now);
        let is_due = self.plan_due().is_some_and(|due| due <= now);
        if is_due {
            self.plan(now, actions);
        }
        is_due
    }
}
