//! The controller of the core switch. It keeps time, carries out plans, and is the one place where it is decided who is
//! master.
//!
//! Without the core there is no network, so the core is asked: a term has one master, a frame has one plan, and a plan
//! is carried out even if its master's term has ended since. A term ends when its master resigns, is silent for three
//! frames (before its first plan, for as long as a beacon takes there and a plan back, and three frames), or plans
//! without having heard a beacon for as long as one takes there and back, and three frames: a master that hears nothing
//! cannot know what holds.

use super::network::Network;
use super::post::{Address, Count, Post, Tally};
use super::{Action, Actions, Heard};
use crate::wire::{
    Beacon, Block, Claim, ClaimKind, Class, Connection, Header, Key, NodeId, Plan, Verdict, VerdictKind,
};
use std::collections::BTreeMap;
use units::{Duration, Instant};

/// Frames without a plan after which a master is silent.
const SILENCE: u64 = 3;

#[derive(Clone, Copy, Debug)]
struct Holder {
    node: NodeId,
    session: u64,
    /// The frame in which the last plan or claim came.
    came: u64,
    /// Whether a plan has come.
    plans: bool,
    /// The latest beacon that the master is known to have heard.
    heard: u64,
}

/// What was decided, and of which frame.
struct Decision {
    kind: VerdictKind,
    frame: u64,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Core {
    network: Network,
    post: Post,
    term: u64,
    holder: Option<Holder>,
    plans: BTreeMap<u64, Vec<Connection>>,
    /// The next frame to begin.
    next: u64,
    /// The first frame that no plan was accepted for.
    unplanned: u64,
}

impl Core {
    /// A controller that begins now. Its first term is its session, so terms grow over its restarts as sessions do;
    /// what an earlier session of it may have accepted is not planned again.
    pub fn new(network: Network, key: Key, session: u64, now: Instant) -> Core {
        let next = network.frame_at(now) + u64::from(now > network.start);
        let ahead = Core::horizon(&network);
        Core {
            post: Post::new(NodeId::CORE, key, session),
            term: session,
            holder: None,
            plans: BTreeMap::new(),
            next,
            unplanned: next + ahead,
            network,
        }
    }

    /// How many frames ahead a plan may be.
    fn horizon(network: &Network) -> u64 {
        network.answer_lead() + network.use_lead() + 1
    }

    /// When the next frame begins.
    pub fn next_timeout(&self) -> Option<Instant> {
        Some(self.network.frame_start(self.next))
    }

    /// Begins what frames are due.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        while self.network.frame_start(self.next) <= now {
            let frame = self.next;
            self.next += 1;
            self.unplanned = self.unplanned.max(frame);
            self.plans = self.plans.split_off(&frame.saturating_sub(1));
            self.end_term_of_the_silent(frame);
            // Only the newest beacon says when it leaves.
            if self.network.frame_start(self.next) > now {
                self.beacon(now, actions);
            }
        }
    }

    fn end_term_of_the_silent(&mut self, frame: u64) {
        let patience = self.network.patience();
        // Who does not know yet that it is master, or whose first plan is on its way, is not silent.
        let silence = |holder: &Holder| if holder.plans { SILENCE } else { patience };
        let is_over = |holder: Holder| frame > holder.came + silence(&holder) || frame > holder.heard + patience;
        if self.holder.is_some_and(is_over) {
            self.holder = None;
            self.post.tally.add(Count::TermEnded);
        }
    }

    fn frame(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    fn beacon(&mut self, now: Instant, actions: &mut Actions) {
        let (master, session) = self.holder.map_or((NodeId::ALL, 0), |holder| (holder.node, holder.session));
        let (frame, start) = (self.frame(), self.network.start);
        let beacon = Beacon { term: self.term, master, session, frame, unplanned: self.unplanned, start };
        self.send(now, NodeId::ALL, beacon.into(), actions);
    }

    fn send(&mut self, now: Instant, to: NodeId, block: Block, actions: &mut Actions) {
        let address = Address { class: Class::Control, to, frame: self.frame(), slot: 0 };
        actions.push(Action::Beside { to, bytes: self.post.seal(address, now, vec![block]) });
    }

    /// A message came out of band.
    pub fn handle_beside(&mut self, heard: Heard, bytes: &[u8], actions: &mut Actions) {
        let Some(slot) = self.post.open(bytes) else { return };
        if self.network.member(slot.header.source).is_none() {
            return;
        }
        for block in slot.blocks {
            match block {
                Block::Claim(claim) => self.handle_claim(heard, &slot.header, &claim, actions),
                Block::Plan(plan) => self.handle_plan(heard, &slot.header, plan, actions),
                _ => {}
            }
        }
    }

    fn handle_claim(&mut self, heard: Heard, header: &Header, claim: &Claim, actions: &mut Actions) {
        let holds = |holder: &Holder| holder.node == header.source && holder.session == header.session;
        let kind = match (claim.kind, &self.holder) {
            (ClaimKind::Resign, Some(holder)) if holds(holder) && claim.term == self.term => {
                self.holder = None;
                VerdictKind::Accepted
            }
            (ClaimKind::Resign, _) => VerdictKind::StaleTerm,
            (ClaimKind::Take, Some(holder)) if !holds(holder) => VerdictKind::Occupied,
            (ClaimKind::Take, None) if claim.term != self.term + 1 => VerdictKind::StaleTerm,
            (ClaimKind::Take, None) => {
                self.term += 1;
                let came = self.frame();
                self.holder =
                    Some(Holder { node: header.source, session: header.session, came, plans: false, heard: came });
                VerdictKind::Accepted
            }
            // The claim came twice, or its verdict was lost.
            (ClaimKind::Take, Some(_)) => VerdictKind::Accepted,
        };
        if kind != VerdictKind::Accepted {
            self.post.tally.add(Count::ClaimRefused);
        }
        self.answer(heard, header, Decision { kind, frame: self.unplanned }, actions);
        if kind == VerdictKind::Accepted {
            self.beacon(heard.now, actions);
        }
    }

    fn handle_plan(&mut self, heard: Heard, header: &Header, plan: Plan, actions: &mut Actions) {
        let frame = plan.frame;
        let kind = self.judged(heard.now, header, &plan);
        match kind {
            VerdictKind::Accepted => {
                self.post.tally.add(Count::PlanAccepted);
                self.unplanned = frame + 1;
                self.plans.insert(frame, plan.connections);
            }
            _ => self.post.tally.add(Count::PlanRefused),
        }
        self.answer(heard, header, Decision { kind, frame }, actions);
    }

    fn judged(&mut self, now: Instant, header: &Header, plan: &Plan) -> VerdictKind {
        let (frame, term) = (self.frame(), self.term);
        let master =
            self.holder.as_mut().filter(|holder| holder.node == header.source && holder.session == header.session);
        let Some(holder) = master.filter(|_| plan.term == term) else { return VerdictKind::StaleTerm };
        (holder.came, holder.plans) = (frame, true);
        holder.heard = holder.heard.max(plan.heard.min(frame));
        let horizon = frame + Core::horizon(&self.network);
        let begins = self.network.frame_start(plan.frame);
        match () {
            _ if plan.frame < self.unplanned || plan.frame > horizon || begins <= now => VerdictKind::WrongFrame,
            _ if !is_consistent(&plan.connections, &self.network) => VerdictKind::Contradiction,
            _ => VerdictKind::Accepted,
        }
    }

    fn answer(&mut self, heard: Heard, to: &Header, decision: Decision, actions: &mut Actions) {
        let Decision { kind, frame } = decision;
        let (sequence, sent_at, received_at) = (to.sequence, to.sent_at, heard.stamp);
        let verdict = Verdict { kind, term: self.term, frame, sequence, sent_at, received_at };
        self.send(heard.now, to.source, verdict.into(), actions);
    }

    /// Where light that comes in at `input` goes out, if all of it, from its first bit at `now` on, finds one
    /// connection. Light that comes while its port switches, or outlasts its slot, is lost.
    pub fn route(&self, now: Instant, input: u16, length: Duration) -> Option<u16> {
        let slot = self.network.slot.ps();
        let since = now.ps().checked_sub(self.network.start.ps())?;
        let (first, last) = (since / slot, (since + length.ps().max(1) - 1) / slot);
        let output = self.connected(first, input)?;
        let held = first > 0 && self.connected(first - 1, input) == Some(output);
        let settled = held || since % slot >= self.network.switching.ps();
        let kept = last - first <= self.network.window()
            && (first + 1..=last).all(|at| self.connected(at, input) == Some(output));
        (settled && kept).then_some(output)
    }

    /// The output of `input` in a slot, counted from the start.
    fn connected(&self, slot: u64, input: u16) -> Option<u16> {
        let slots = u64::from(self.network.frame_slots);
        let (frame, slot) = (slot / slots, (slot % slots) as u32);
        if slot >= self.network.signalling_slots {
            let holds = |held: &&Connection| held.input == input && slot.wrapping_sub(held.slot) < held.slots;
            return self.plans.get(&frame)?.iter().find(holds).map(|held| held.output);
        }
        let master = self.network.member(self.holder?.node)?.port;
        let (_, slave) = self.network.signallers().nth(slot as usize)?;
        match input {
            port if port == slave.port => Some(master),
            port if port == master => Some(slave.port),
            _ => None,
        }
    }

    /// The master, if there is one, and the term.
    pub fn master(&self) -> (Option<NodeId>, u64) {
        (self.holder.map(|holder| holder.node), self.term)
    }

    /// What was refused and what happened.
    pub fn tally(&self) -> &Tally {
        &self.post.tally
    }
}

/// Whether every connection lies in the data slots and no port has two at a time.
fn is_consistent(connections: &[Connection], network: &Network) -> bool {
    let data = network.signalling_slots..network.frame_slots;
    let size = network.switch_size;
    let lies = |held: &Connection| {
        let end = u64::from(held.slot) + u64::from(held.slots);
        held.slots > 0
            && data.contains(&held.slot)
            && end <= u64::from(data.end)
            && held.input < size
            && held.output < size
    };
    let apart = |port: fn(&Connection) -> u16| {
        let mut spans: Vec<(u16, u32, u32)> =
            connections.iter().map(|held| (port(held), held.slot, held.slots)).collect();
        spans.sort_unstable();
        spans.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 + pair[0].2 <= pair[1].1)
    };
    connections.iter().all(lies) && apart(|held| held.input) && apart(|held| held.output)
}
