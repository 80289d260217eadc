//! The master: invites, configures, measures, plans, allocates, and passes faults on.
//!
//! In every frame it does two things. When the requests of frame f are in, it plans frame f + `answer_lead` +
//! `use_lead` and sends the plan to the core. Before frame h begins it sends, in the slot of every slave, the grants of
//! frame h + `use_lead`, if the core has accepted that plan: no grant exists that the switch will not carry out.

use super::clock::CoreClock;
use super::network::{Member, Network};
use super::peer::{Peer, Presence};
use super::planner::{self, Planned, Window};
use super::post::{Count, Post};
use super::sharing::{Asked, Demands, Pair, Planning, Shares, Sharing};
use crate::scheduler::{Algorithm, FrameScheduler, Requests};
use crate::sync::{ClockFilter, FilterConfig, Sample};
use crate::wire::{
    Allocation, Answer, Beacon, Block, Carriage, Configuration, Fault, FaultKind, Header, Idle, Invitation, NodeId,
    NodeStatus, Plan, Request, Stamp, Verdict, VerdictKind, Wish,
};
use std::collections::BTreeMap;
use units::Instant;

/// Frames from one invitation of inactive nodes to the next.
const INVITE_EVERY: u64 = 4;
/// Frames from one configuration of an active node to the next: each may be lost.
const CONFIGURE_EVERY: u64 = 16;
/// Number of frames in which a fault is broadcast.
const FAULT_FRAMES: u8 = 2;

#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) planned: Planned,
    accepted: bool,
    /// Who may answer in this frame's window.
    joiner: Option<Member>,
}

/// The master's own edge node: its wishes need no message.
pub(super) struct Own {
    pub(super) node: NodeId,
    pub(super) wishes: Vec<Wish>,
    /// Slots that were granted and empty, by destination.
    pub(super) unused: Vec<Idle>,
    /// The first frame whose slots have not left.
    pub(super) begins: u64,
}

/// How a node leads.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) algorithm: Algorithm,
    /// The weight of every pair of ports, if not all weigh the same.
    pub(super) weights: Option<Requests>,
    /// What is granted besides the letter of the requests.
    pub(super) sharing: Sharing,
    /// What is known of clocks and stamps.
    pub(super) filter: FilterConfig,
}

/// The master's part of a node.
pub(super) struct Master {
    pub(super) term: u64,
    /// Who goes tells all for so many frames still.
    leaving: Option<u8>,
    /// The next frame whose requests come in.
    pub(super) next_plan: u64,
    scheduler: FrameScheduler,
    pub(super) shares: Shares,
    peers: BTreeMap<NodeId, Peer>,
    /// What was asked for when the last plan was made.
    pub(super) asked: Vec<Asked>,
    pub(super) proposals: BTreeMap<u64, Proposal>,
    rotation: usize,
    faults: Vec<(Fault, u8)>,
    /// Faults that the master found, for its own host.
    pub(super) found: Vec<Fault>,
    /// Grows whenever a status changes.
    statuses: u64,
    own: ClockFilter,
    filter: FilterConfig,
}

impl Master {
    /// The master of a new term. Who was active under the last one is awaited.
    pub(super) fn new(
        network: &Network,
        me: NodeId,
        beacon: &Beacon,
        rules: &Rules,
        known: &BTreeMap<NodeId, NodeStatus>,
    ) -> Master {
        let (term, frame, filter) = (beacon.term, beacon.frame, rules.filter);
        let peer = |node: NodeId| Peer {
            presence: match known.get(&node) {
                Some(NodeStatus::Active) => Presence::Awaited { since: frame },
                _ => Presence::Inactive,
            },
            filter: ClockFilter::new(filter),
            stamps: None,
            unstamped: None,
            rough: false,
            wishes: (0, Vec::new()),
            told: (0, 0),
        };
        let others = network.members.iter().map(|member| member.node).filter(|node| *node != me);
        Master {
            term,
            leaving: None,
            next_plan: frame,
            scheduler: match &rules.weights {
                Some(weights) => FrameScheduler::weighted(rules.algorithm, weights.clone()),
                None => FrameScheduler::new(rules.algorithm),
            },
            shares: Shares::new(rules.sharing),
            peers: others.map(|node| (node, peer(node))).collect(),
            asked: Vec::new(),
            proposals: BTreeMap::new(),
            rotation: 0,
            faults: Vec::new(),
            found: Vec::new(),
            statuses: 1,
            own: ClockFilter::new(filter),
            filter,
        }
    }

    /// Begins with the T_d that its node has: a first plan that is late must not replace it.
    pub(super) fn synchronized(mut self, clock: &CoreClock) -> Master {
        if let Some(known) = clock.last() {
            self.own.observe(known);
        }
        self
    }

    /// Whether a node takes part.
    pub(super) fn status(&self, node: NodeId) -> NodeStatus {
        match self.peers.get(&node).map(|peer| peer.presence) {
            None | Some(Presence::Active { .. }) => NodeStatus::Active,
            Some(Presence::Joining { .. }) => NodeStatus::Joining,
            Some(_) => NodeStatus::Inactive,
        }
    }

    /// The requests of `frame` are in: the plan of a later frame, for the core.
    pub(super) fn plan(&mut self, network: &Network, own: &Own, heard: u64, post: &mut Post) -> Plan {
        let frame = self.next_plan;
        self.next_plan += 1;
        self.notice_the_silent(network, frame, post);
        let planned_for = frame + network.answer_lead() + network.use_lead();
        self.proposals = self.proposals.split_off(&frame);
        let joiner = self.next_joiner(network, planned_for);
        let window = joiner.filter(|_| network.carriage == Carriage::Slots).and_then(|joiner| {
            let first = network.frame_slots - network.window() as u32;
            Some(Window { first, joiner: joiner.port, master: network.member(own.node)?.port })
        });
        let demands = self.demands(network, own, frame);
        let planned = planner::plan(network, &mut self.scheduler, demands.clone(), window);
        self.shares.granted(&demands, || planned.slots());
        let connections = planned.connections.clone();
        self.proposals.insert(planned_for, Proposal { planned, accepted: false, joiner });
        Plan { term: self.term, frame: planned_for, heard, connections }
    }

    /// What waits everywhere, less what was granted since it was asked for: a request is made before the slots of its
    /// own frame leave.
    fn demands(&mut self, network: &Network, own: &Own, frame: u64) -> Demands {
        let active = |node: &NodeId| self.status(*node) == NodeStatus::Active;
        let mut asked = Vec::new();
        let mut ask = |from: NodeId, since: u64, wishes: &[Wish]| {
            for wish in wishes.iter().filter(|wish| active(&wish.destination) && wish.destination != from) {
                let granted = self.granted(since, from, wish.destination);
                asked.push(Asked { pair: Pair { from, to: wish.destination }, slots: wish.slots, granted });
            }
        };
        ask(own.node, own.begins, &own.wishes);
        for (node, peer) in self.peers.iter().filter(|(node, _)| active(node)) {
            ask(*node, peer.wishes.0, &peer.wishes.1);
        }
        let nodes: Vec<NodeId> = network.members.iter().map(|member| member.node).filter(active).collect();
        self.shares.hear(own.node, &own.unused);
        let (length, terms) = (network.frame(), network.terms());
        let demands = self.shares.demands(Planning { frame, length, terms, nodes: &nodes }, &asked);
        self.asked = asked;
        demands
    }

    fn granted(&self, after: u64, from: NodeId, to: NodeId) -> u32 {
        let later = self.proposals.range(after..).filter_map(|(_, proposal)| proposal.planned.grants.get(&from));
        later.flatten().filter(|grant| grant.destination == to).map(|grant| grant.slots).sum()
    }

    fn next_joiner(&mut self, network: &Network, frame: u64) -> Option<Member> {
        if !frame.is_multiple_of(INVITE_EVERY) {
            return None;
        }
        let can_join = |member: &Member| {
            let signals = network.carriage != Carriage::Slots || network.signalling_slot(member.node).is_some();
            let inactive = self.peers.get(&member.node).is_some_and(|peer| peer.presence == Presence::Inactive);
            signals && inactive
        };
        let count = network.members.len();
        let turn = (0..count).map(|step| (self.rotation + step) % count).find(|at| can_join(&network.members[*at]))?;
        self.rotation = turn + 1;
        Some(network.members[turn])
    }

    fn notice_the_silent(&mut self, network: &Network, frame: u64, post: &mut Post) {
        let patience = network.patience() + network.answer_lead();
        let mut silent = Vec::new();
        for (node, peer) in &mut self.peers {
            let (since, count) = match peer.presence {
                Presence::Inactive => continue,
                Presence::Invited { frame } => (frame, Count::InvitationExpired),
                Presence::Joining { since } | Presence::Awaited { since } => (since, Count::SlaveSilent),
                Presence::Active { heard } => (heard, Count::SlaveSilent),
            };
            if frame <= since + patience {
                continue;
            }
            post.tally.add(count);
            if count == Count::SlaveSilent {
                silent.push(*node);
            }
            peer.presence = Presence::Inactive;
            peer.wishes = (0, Vec::new());
        }
        for node in silent {
            let fault = Fault { kind: FaultKind::Silent, node, frame };
            self.found.push(fault.clone());
            self.broadcast(fault);
        }
    }

    /// It tells all that it goes.
    pub(super) fn leave(&mut self, fault: Fault) {
        self.leaving = Some(FAULT_FRAMES);
        self.broadcast(fault);
    }

    /// Whether it goes and all have been told. Light that is under way needs its term: a frame passes between the last
    /// word and the end.
    pub(super) fn has_taken_leave(&self) -> bool {
        self.leaving == Some(0)
    }

    /// A fault for all slaves.
    pub(super) fn broadcast(&mut self, fault: Fault) {
        self.statuses += 1;
        self.faults.push((fault, FAULT_FRAMES));
    }

    /// A frame is about to begin: what every slave is told in it.
    pub(super) fn tell(&mut self, network: &Network, frame: u64, post: &Post) -> Vec<(Member, Vec<Block>)> {
        let mut told = Vec::new();
        for member in &network.members {
            if !self.peers.contains_key(&member.node) {
                continue;
            }
            let blocks = self.blocks_for(network, *member, frame, post);
            if !blocks.is_empty() {
                told.push((*member, blocks));
            }
        }
        self.leaving = self.leaving.map(|left| left.saturating_sub(1));
        self.faults.iter_mut().for_each(|(_, left)| *left -= 1);
        self.faults.retain(|(_, left)| *left > 0);
        told
    }

    fn blocks_for(&mut self, network: &Network, member: Member, frame: u64, post: &Post) -> Vec<Block> {
        let allocated = frame + network.use_lead();
        let configuration: Configuration = network.configuration(self.term, |node| self.status(node));
        let (statuses, term) = (self.statuses, self.term);
        let proposal = self.proposals.get(&allocated).filter(|proposal| proposal.accepted);
        let peer = self.peers.get_mut(&member.node).expect("the caller has looked");
        match peer.presence {
            Presence::Inactive => {
                let invited = proposal.and_then(|proposal| proposal.joiner).is_some_and(|joiner| joiner == member);
                if !invited {
                    return Vec::new();
                }
                peer.presence = Presence::Invited { frame: allocated };
                let answer_after = network.answer_after(member.node, frame, allocated);
                vec![Invitation { node: member.node, term, frame: allocated, answer_after }.into()]
            }
            Presence::Joining { .. } => {
                peer.told = (statuses, frame);
                [vec![configuration.into()], peer.measurement()].concat()
            }
            Presence::Active { .. } if post.session_of(member.node) > 0 => {
                let mut blocks = peer.measurement();
                if let Some(proposal) = proposal {
                    let grants = proposal.planned.grants.get(&member.node).cloned().unwrap_or_default();
                    blocks.push(Allocation { term, frame: allocated, grants }.into());
                }
                let (told, at) = peer.told;
                if told < statuses || frame >= at + CONFIGURE_EVERY {
                    peer.told = (statuses, frame);
                    blocks.push(configuration.into());
                }
                blocks.extend(self.faults.iter().map(|(fault, _)| Block::from(fault.clone())));
                blocks
            }
            _ => Vec::new(),
        }
    }

    /// The grants of the master's own node for a frame, if the core has accepted the plan.
    pub(super) fn own_allocation(&self, me: NodeId, frame: u64) -> Option<Allocation> {
        let proposal = self.proposals.get(&frame).filter(|proposal| proposal.accepted)?;
        let grants = proposal.planned.grants.get(&me).cloned().unwrap_or_default();
        Some(Allocation { term: self.term, frame, grants })
    }

    /// The core has decided on a plan. False if the term is over.
    pub(super) fn handle_verdict(&mut self, verdict: &Verdict, clock: &mut CoreClock) -> bool {
        self.own.observe(Sample::one_way(verdict.sent_at, verdict.received_at));
        if let Some(estimate) = self.own.last().and_then(|at| self.own.estimate(at)) {
            clock.measured(verdict.sent_at, estimate.difference);
        }
        if verdict.kind == VerdictKind::Accepted
            && let Some(proposal) = self.proposals.get_mut(&verdict.frame)
        {
            proposal.accepted = verdict.term == self.term;
        }
        verdict.kind != VerdictKind::StaleTerm || verdict.term <= self.term
    }

    /// An invited node has answered; `passed` is when its light was at the core.
    pub(super) fn handle_answer(&mut self, header: &Header, answer: &Answer, passed: Instant, post: &mut Post) {
        let filter = self.filter;
        let Some(peer) = self.peers.get_mut(&header.source) else { return };
        if peer.presence != (Presence::Invited { frame: answer.frame }) || answer.node != header.source {
            return;
        }
        peer.presence = Presence::Joining { since: answer.frame };
        // Its clock may have been set since it was here last.
        (peer.filter, peer.stamps, peer.unstamped) = (ClockFilter::new(filter), None, None);
        peer.observe(header.sequence, header.sent_at, passed);
        peer.rough = header.stamp == Stamp::Follows;
        if peer.rough {
            peer.unstamped = Some((header.sequence, passed));
        }
        self.statuses += 1;
        post.tally.add(Count::Joined);
    }

    /// A slave asks, so it is there.
    pub(super) fn handle_request(&mut self, header: &Header, request: Request, passed: Instant) {
        let Some(peer) = self.peers.get_mut(&header.source) else { return };
        // Answers and configurations come first: a clock that was set would spoil the measurement.
        if matches!(peer.presence, Presence::Inactive | Presence::Invited { .. }) {
            return;
        }
        if !matches!(peer.presence, Presence::Active { .. }) {
            self.statuses += 1;
        }
        // No slave is heard from a frame to come.
        peer.presence = Presence::Active { heard: header.frame.min(self.next_plan.saturating_add(1)) };
        if peer.wishes.0 <= request.frame && request.frame <= self.next_plan.saturating_add(1) {
            peer.wishes = (request.frame, request.wishes);
        }
        match header.stamp {
            Stamp::Exact => peer.observe(header.sequence, header.sent_at, passed),
            Stamp::Follows => peer.unstamped = Some((header.sequence, passed)),
        }
    }

    /// When an earlier slot of a slave left in fact.
    pub(super) fn handle_follow_up(&mut self, from: NodeId, sequence: u64, sent_at: Instant) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        if let Some((_, passed)) = peer.unstamped.take_if(|(unstamped, _)| *unstamped == sequence) {
            if std::mem::take(&mut peer.rough) {
                peer.filter = ClockFilter::new(self.filter);
            }
            peer.observe(sequence, sent_at, passed);
        }
    }

    /// A slave reports a fault. Who is without power, or hears nothing, has nothing more, nor has anybody slots to it:
    /// what comes for it would be lost. False if it is no news.
    pub(super) fn handle_fault(&mut self, from: NodeId, fault: &Fault) -> bool {
        if matches!(fault.kind, FaultKind::PowerFailure | FaultKind::NoSignal)
            && let Some(peer) = self.peers.get_mut(&from)
        {
            // A node that hears nothing says so in every frame, also while it is invited again.
            if fault.kind == FaultKind::NoSignal
                && matches!(peer.presence, Presence::Inactive | Presence::Invited { .. })
            {
                return false;
            }
            peer.presence = Presence::Inactive;
            peer.wishes = (0, Vec::new());
        }
        self.broadcast(fault.clone());
        true
    }
}
