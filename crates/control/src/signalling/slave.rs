//! The slave: answers invitations, is configured, asks, and learns its T_d and its grants.

use super::post::Count;
use super::station::Station;
use super::{Action, Actions, Heard};
use crate::wire::{
    Allocation, Answer, Block, Configuration, Fault, FollowUp, Header, Invitation, Measurement, NodeStatus, Request,
    Unused,
};

/// How far a slave has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It hears, and says nothing.
    Listening,
    /// It has answered an invitation.
    Answered,
    /// It takes part.
    Active,
}

/// The slave's part of a node.
#[derive(Clone, Debug)]
pub(super) struct Slave {
    pub(super) stage: Stage,
    /// An exact stamp that is to follow.
    pub(super) departed: Option<FollowUp>,
    /// Faults to report.
    pub(super) reports: Vec<Fault>,
    /// The last fault that was passed on to the host.
    passed_on: Option<Fault>,
}

impl Slave {
    pub(super) fn new() -> Slave {
        Slave { stage: Stage::Listening, departed: None, reports: Vec::new(), passed_on: None }
    }

    /// A signalling slot from the master came.
    pub(super) fn handle(
        &mut self,
        station: &mut Station,
        heard: Heard,
        header: &Header,
        block: Block,
        actions: &mut Actions,
    ) {
        match block {
            Block::Invitation(invitation) if invitation.node == station.post.me => {
                self.answer(station, heard, header, &invitation, actions);
            }
            Block::Configuration(configuration) => self.configure(station, &configuration),
            Block::Measurement(measurement) => self.measure(station, &measurement),
            Block::Allocation(allocation) => self.take(station, heard, &allocation, actions),
            Block::Fault(fault) if self.passed_on.as_ref() != Some(&fault) => {
                self.passed_on = Some(fault.clone());
                actions.push(Action::Fault(fault));
            }
            _ => {}
        }
    }

    /// The master does not know this node, or no longer hears it.
    fn answer(
        &mut self,
        station: &mut Station,
        heard: Heard,
        header: &Header,
        invitation: &Invitation,
        actions: &mut Actions,
    ) {
        let at = heard.stamp + station.clock.span(invitation.answer_after);
        // Beside the light an answer leaves when it can; as light it would leave too late.
        if at < heard.now && !station.signals_beside() {
            return station.post.tally.add(Count::TooLate);
        }
        let at = at.max(heard.now);
        let (node, term, frame) = (invitation.node, invitation.term, invitation.frame);
        let answer = Answer { node, term, frame, heard_at: heard.stamp }.into();
        station.signal_at(at, header.source, frame, vec![answer], actions);
        station.post.tally.add(Count::InvitationAnswered);
        // What is known of T_d has led nowhere.
        station.clock.forget();
        self.stage = Stage::Answered;
    }

    fn configure(&mut self, station: &mut Station, configuration: &Configuration) {
        if !station.adopt(configuration) {
            return;
        }
        station.statuses = configuration.nodes.iter().map(|state| (state.node, state.status)).collect();
        let joined = station.statuses.get(&station.post.me).is_some_and(|status| *status != NodeStatus::Inactive);
        if self.stage == Stage::Answered && joined {
            self.stage = Stage::Active;
        }
    }

    /// Light is never late on its way; a request beside it, by which T_d was measured, may have been.
    fn measure(&mut self, station: &mut Station, measurement: &Measurement) {
        let (at, difference) = (measurement.sent_at, measurement.time_difference);
        match station.network.as_ref().filter(|_| station.signals_beside()) {
            Some(network) => station.clock.measured_beside(at, difference, network.tolerance() / 2),
            None => station.clock.measured(at, difference),
        }
    }

    /// Grants for a frame that has begun still serve for the slots to come.
    fn take(&mut self, station: &mut Station, heard: Heard, allocation: &Allocation, actions: &mut Actions) {
        let oldest = station.begun.saturating_sub(1);
        if self.stage != Stage::Active || !station.edge.accept(allocation, oldest) {
            return station.post.tally.add(Count::StaleAllocation);
        }
        station.terms = Some(heard.stamp);
        if allocation.frame < station.begun {
            station.depart(heard.now, allocation.frame, actions);
        }
    }

    /// What the slave says in a frame.
    pub(super) fn blocks(&mut self, station: &mut Station, term: u64, frame: u64) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.departed.take().map(Block::from).into_iter().collect();
        blocks.extend(self.reports.drain(..).map(Block::from));
        blocks.push(Request { term, frame, wishes: station.wishes() }.into());
        let idle = station.edge.unused();
        if !idle.is_empty() {
            blocks.push(Unused { term, frame, idle }.into());
        }
        blocks
    }
}
