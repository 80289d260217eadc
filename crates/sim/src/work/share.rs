//! Work in several partitions: each has what its ranks know.
//!
//! A rank is in the partition of its node, and all that it knows is there: how its tasks began, what was sent to it,
//! its processors. What comes to another rank without a packet takes a signal's time, so partitions may be that far
//! apart. Bytes that a flow was given are known at its receiver before any packet of them can come.

use super::outline::{Outline, Share};
use super::running::{PerNumber, Running};
use crate::engine::packet::containers::split_map;
use crate::engine::packet::state::Owners;
use crate::model::{Done, Task};
use std::sync::Arc;
use units::Duration;

impl Outline {
    /// The least time in which a rank hears of another one, packets left out; `None` if that takes none.
    pub fn lookahead(&self) -> Option<Duration> {
        let graph = &self.work.graph;
        // What an ACK says is known to the sender, and the receive that takes the message is at the receiver.
        let is_taken = |task: &Task| matches!(task, Task::Transfer { from, to, tag: Some(_), .. } if from != to);
        if self.work.done == Done::Acknowledged && graph.tasks().iter().any(is_taken) {
            return None;
        }
        let is_heard = |task: u32| {
            let rank = self.task(task).rank();
            graph.waits_for(task).iter().any(|other| self.rank_of_end(*other) != rank)
        };
        let is_seen = |(task, other): &(u32, u32)| self.task(*task).rank() != self.task(*other).rank();
        match (0..graph.len() as u32).any(is_heard) || graph.begun().iter().any(is_seen) {
            true => Some(self.work.signal).filter(|signal| *signal > Duration::ZERO),
            false => Some(Duration::MAX),
        }
    }

    /// The partition of each rank by those of the ends of its flows. A rank without flows may be anywhere.
    fn parts_of_ranks(&self, after: &dyn Owners) -> Arc<[u32]> {
        let mut of_rank = vec![0; self.work.ranks.len()];
        for ((from, to, _), flow) in self.work.carriers.list.iter().zip(&self.flows) {
            of_rank[*from as usize] = after.source_of(*flow);
            of_rank[*to as usize] = after.sink_of(*flow);
        }
        of_rank.into()
    }

    /// The rank that gives a flow its bytes.
    fn giver(&self, carrier: u32) -> u32 {
        self.work.carriers.list[carrier as usize].0
    }

    /// The rank that knows first when those of a flow have come.
    fn taker(&self, carrier: u32) -> u32 {
        let (from, to, _) = self.work.carriers.list[carrier as usize];
        if self.work.done == Done::Arrived { to } else { from }
    }
}

impl Running {
    /// What each partition has.
    pub fn split(self, after: &dyn Owners) -> Vec<Running> {
        if after.parts() == 1 {
            return vec![self];
        }
        let outline = self.outline;
        let (parts, of_rank) = (after.parts(), outline.parts_of_ranks(after));
        let part = |rank: u32| of_rank[rank as usize];
        let by_task = |task: u32| part(outline.task(task).rank());
        let given = self.given.split(parts, |carrier| part(outline.giver(carrier)));
        let under_way = self.under_way.split(parts, |carrier| part(outline.taker(carrier)));
        let beginnings = self.beginnings.split(parts, by_task);
        let done = self.done.split(parts, |task| part(outline.rank_of_end(task)));
        let desks = self.desks.split(parts, part);
        let begun = split_map(self.begun, parts, |other| by_task(*other));
        let by_carrier = given.into_iter().zip(under_way);
        let by_task_or_rank = beginnings.into_iter().zip(done).zip(desks.into_iter().zip(begun));
        let all = (0..parts).zip(by_carrier).zip(by_task_or_rank);
        let here = |((number, (given, under_way)), ((beginnings, done), (desks, begun)))| Running {
            outline: Arc::clone(&outline),
            share: Some(Share { part: number, of_rank: Arc::clone(&of_rank) }),
            given,
            under_way,
            beginnings,
            done,
            desks,
            begun,
            computing: self.computing.iter().copied().filter(|one| by_task(one.0.1) == number).collect(),
            signals: self.signals.iter().copied().filter(|one| by_task(one.0.1) == number).collect(),
            changes: self.changes.clone(),
            has_begun: self.has_begun,
            notices: Vec::new(),
        };
        all.map(here).collect()
    }

    /// What several partitions have, in their order, as if they were one.
    pub fn merged(mut parts: Vec<Running>) -> Running {
        let Some(of_rank) = parts[0].share.as_ref().map(|share| Arc::clone(&share.of_rank)) else {
            return parts.swap_remove(0);
        };
        let outline = Arc::clone(&parts[0].outline);
        let (changes, has_begun) = (parts[0].changes.clone(), parts[0].has_begun);
        let part = |rank: u32| of_rank[rank as usize];
        let (mut given, mut under_way, mut beginnings) = (Vec::new(), Vec::new(), Vec::new());
        let (mut done, mut desks, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        let (mut computing, mut signals) = (Vec::new(), Vec::new());
        for one in parts {
            given.push(one.given);
            under_way.push(one.under_way);
            beginnings.push(one.beginnings);
            done.push(one.done);
            desks.push(one.desks);
            begun.push(one.begun);
            computing.push(one.computing);
            signals.push(one.signals);
        }
        Running {
            share: None,
            given: PerNumber::merge(given, |carrier| part(outline.giver(carrier))),
            under_way: PerNumber::merge(under_way, |carrier| part(outline.taker(carrier))),
            beginnings: PerNumber::merge(beginnings, |task| part(outline.task(task).rank())),
            done: PerNumber::merge(done, |task| part(outline.rank_of_end(task))),
            desks: PerNumber::merge(desks, part),
            begun: begun.into_iter().flatten().collect(),
            computing: computing.into_iter().flatten().collect(),
            signals: signals.into_iter().flatten().collect(),
            changes,
            has_begun,
            notices: Vec::new(),
            outline,
        }
    }
}
