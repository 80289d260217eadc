//! An edge node: slave, standby, and perhaps master.

use super::asking::Prediction;
use super::edge::Full;
use super::master::{Master, Rules};
use super::network::Network;
use super::post::{Address, Count, Post, Tally};
use super::sharing::{Sharing, Spare};
use super::slave::{Slave, Stage};
use super::standby::Standby;
use super::station::Station;
use super::{Action, Actions, Heard};
use crate::scheduler::{Algorithm, Requests};
use crate::sync::FilterConfig;
use crate::wire::{
    Beacon, Block, Claim, ClaimKind, Class, Fault, FaultKind, FollowUp, Header, Key, NodeId, NodeStatus, Slot, Stamp,
    Verdict, VerdictKind,
};
use units::{Duration, Instant};

/// What a node is given at its start.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Its number.
    pub node: NodeId,
    /// The network's key.
    pub key: Key,
    /// The network, if the node knows it and may be the first master; the others are told by a master.
    pub network: Option<Network>,
    /// How it schedules as a master.
    pub algorithm: Algorithm,
    /// How it shares what is too much: the weight of every pair of ports. None: evenly.
    pub weights: Option<Requests>,
    /// What it grants as a master besides the letter of the requests.
    pub sharing: Sharing,
    /// Whether its host stamps departures exactly beforehand, or tells them afterwards ([`Node::handle_departure`]).
    pub stamp: Stamp,
    /// What is known of its clock.
    pub filter: FilterConfig,
}

/// So many beacons of a double are enough for a node that does not know its network.
const DOUBLE_PATIENCE: u64 = 100;

/// The part that a node plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It waits for an invitation.
    Listening,
    /// It has answered one.
    Answered,
    /// It takes part as a slave.
    Slave,
    /// It is the master of this term.
    Master {
        /// The term.
        term: u64,
    },
}

impl Part {
    /// Its name, in reports and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Listening => "listening",
            Part::Answered => "answered",
            Part::Slave => "slave",
            Part::Master { .. } => "master",
        }
    }

    /// The part with a name; `term` is asked for that of a master.
    pub fn from_name(name: &str, term: impl FnOnce() -> Option<u64>) -> Option<Part> {
        let others = [Part::Listening, Part::Answered, Part::Slave].into_iter().find(|part| part.name() == name);
        let is_master = name == Part::Master { term: 0 }.name();
        if is_master { term().map(|term| Part::Master { term }) } else { others }
    }
}

/// The node.
pub struct Node {
    pub(super) station: Station,
    pub(super) slave: Slave,
    pub(super) standby: Standby,
    pub(super) master: Option<Master>,
    rules: Rules,
    /// The master by the latest beacon.
    pub(super) led_by: NodeId,
    pub(super) last_beacon: Instant,
    /// Whether the host was told already that nothing is heard.
    pub(super) no_signal: bool,
    /// Beacons in a row that name this node as master with another session.
    strange_beacons: u64,
}

impl Node {
    /// A node that starts. Its session must be larger than at every start before.
    pub fn new(config: NodeConfig, session: u64) -> Node {
        let mut post = Post::new(config.node, config.key, session);
        post.stamp = config.stamp;
        let mut station = Station::new(post, config.filter, config.network);
        station.edge.tells_unused = config.sharing.spare == Spare::Using;
        let (slave, standby, led_by) = (Slave::new(), Standby::default(), NodeId::ALL);
        Node {
            station,
            slave,
            standby,
            master: None,
            rules: Rules {
                algorithm: config.algorithm,
                weights: config.weights,
                sharing: config.sharing,
                filter: config.filter,
            },
            led_by,
            last_beacon: Instant::ZERO,
            no_signal: false,
            strange_beacons: 0,
        }
    }

    /// Payload for another node: the blocks of one slot. They must fit a slot; only the host knows its bytes.
    pub fn enqueue(&mut self, to: NodeId, blocks: Vec<Block>) -> Result<(), Full> {
        self.station.edge.enqueue(to, vec![blocks])
    }

    /// The same for a slot of several datagrams, up to [`super::SlotPart::MOST`]: the blocks of each. They share the
    /// light of the slot evenly, and each is delivered, or reported missing, by itself.
    pub fn enqueue_datagrams(&mut self, to: NodeId, datagrams: Vec<Vec<Block>>) -> Result<(), Full> {
        self.station.edge.enqueue(to, datagrams)
    }

    /// A host that keeps payloads itself says how many slots of them wait for a node, and of how many datagrams each
    /// is. Every granted slot leaves, without blocks; the host has what is in it.
    pub fn set_waiting(&mut self, to: NodeId, slots: usize, datagrams: u16) {
        self.station.edge.set_waiting(to, slots, datagrams);
    }

    /// A host that keeps payloads itself says that one has come for a node since the last request, also if it has left
    /// already.
    pub fn note_arrival(&mut self, to: NodeId) {
        self.station.edge.note_arrival(to);
    }

    /// The same host says that so many granted slots for a node left empty.
    pub fn note_unused(&mut self, to: NodeId, slots: u32) {
        self.station.edge.note_unused(to, slots);
    }

    /// It asks for what will come until its slots do, too; None: for what waits. A host that keeps payloads itself
    /// predicts itself.
    pub fn predict(&mut self, prediction: Option<Prediction>) {
        self.station.edge.predict(prediction);
    }

    /// Slots that wait for a node.
    pub fn waiting(&self, to: NodeId) -> usize {
        self.station.edge.waiting(to)
    }

    /// Takes what waits for a node away, to be sent in another star: the datagrams of each slot.
    pub fn withdraw(&mut self, to: NodeId) -> Vec<Vec<Vec<Block>>> {
        self.station.edge.withdraw(to)
    }

    /// So many slots are asked for besides what waits, since that may soon be moved here from another star.
    pub fn expect(&mut self, to: NodeId, slots: usize) {
        self.station.edge.expect(to, slots);
    }

    /// When its star last served it, by its own clock: the earlier one of its last beacon and its last terms.
    pub fn served_at(&self) -> Option<Instant> {
        self.station.terms.map(|terms| terms.min(self.last_beacon))
    }

    /// Whether another node takes part, as far as the master has told.
    pub fn is_member_active(&self, node: NodeId) -> bool {
        self.station.statuses.get(&node) == Some(&NodeStatus::Active)
    }

    /// The part it plays.
    pub fn part(&self) -> Part {
        match (&self.master, self.slave.stage) {
            (Some(master), _) => Part::Master { term: master.term },
            (None, Stage::Listening) => Part::Listening,
            (None, Stage::Answered) => Part::Answered,
            (None, Stage::Active) => Part::Slave,
        }
    }

    /// The network, once it is known.
    pub fn network(&self) -> Option<&Network> {
        self.station.network.as_ref()
    }

    /// The master and its term by the latest beacon; `all` is none.
    pub fn led_by(&self) -> (NodeId, u64) {
        (self.led_by, self.standby.term())
    }

    /// Whether another process is master under this node's number, and alive: the term of an earlier session of this
    /// node would have ended.
    pub fn has_a_double(&self) -> bool {
        let patience = self.station.network.as_ref().map_or(DOUBLE_PATIENCE, |network| 3 * network.patience());
        self.strange_beacons > patience
    }

    /// What was refused and what happened.
    pub fn tally(&self) -> &Tally {
        &self.station.post.tally
    }

    /// Light came from the fibre.
    pub fn handle_light(&mut self, heard: Heard, bytes: &[u8], actions: &mut Actions) {
        let Some(slot) = self.station.post.open(bytes) else { return };
        match slot.header.class {
            Class::Data if !self.is_due(heard.stamp, &slot.header) => self.station.post.tally.add(Count::DataRefused),
            Class::Data => self.station.edge.take(slot, &mut self.station.post.tally, actions),
            Class::Signalling => {
                self.station.heard_beside = false;
                self.handle_signalling(heard, slot, actions);
            }
            Class::Control => {}
        }
    }

    /// A message came out of band.
    pub fn handle_beside(&mut self, heard: Heard, bytes: &[u8], actions: &mut Actions) {
        let Some(slot) = self.station.post.open(bytes) else { return };
        if slot.header.source != NodeId::CORE {
            if slot.header.class == Class::Signalling {
                self.station.heard_beside = true;
                self.handle_signalling(heard, slot, actions);
            }
            return;
        }
        for block in slot.blocks {
            match block {
                Block::Beacon(beacon) => self.handle_beacon(heard, slot.header.sent_at, &beacon, actions),
                Block::Verdict(verdict) => self.handle_verdict(heard, &verdict),
                _ => {}
            }
        }
    }

    /// Data have no tag. At least they are of a node that exists, and come in the frame that they name: a recorded slot
    /// does not.
    fn is_due(&self, stamp: Instant, header: &Header) -> bool {
        let (Some(network), Some(left)) = (&self.station.network, self.station.clock.left_core(stamp)) else {
            return false;
        };
        network.member(header.source).is_some() && network.frame_at(left).abs_diff(header.frame) <= 1
    }

    fn handle_signalling(&mut self, heard: Heard, slot: Slot, actions: &mut Actions) {
        let Slot { header, blocks } = slot;
        let from_master = header.source == self.led_by;
        for block in blocks {
            match self.master.is_some() {
                true => self.handle_from_slave(heard.stamp, &header, block, actions),
                // The first invitation may come before the first beacon that names its sender.
                false if from_master || matches!(block, Block::Invitation(_)) => {
                    self.slave.handle(&mut self.station, heard, &header, block, actions);
                }
                false => {}
            }
        }
    }

    fn handle_from_slave(&mut self, stamp: Instant, header: &Header, block: Block, actions: &mut Actions) {
        let (Some(master), Some(passed)) = (&mut self.master, self.station.clock.left_core(stamp)) else { return };
        match block {
            Block::Answer(answer) => master.handle_answer(header, &answer, passed, &mut self.station.post),
            Block::Request(request) => master.handle_request(header, request, passed),
            Block::Unused(unused) => master.shares.hear(header.source, &unused.idle),
            Block::FollowUp(follow) => master.handle_follow_up(header.source, follow.sequence, follow.sent_at),
            Block::Fault(fault) if master.handle_fault(header.source, &fault) => actions.push(Action::Fault(fault)),
            _ => {}
        }
    }

    fn handle_beacon(&mut self, heard: Heard, sent: Instant, beacon: &Beacon, actions: &mut Actions) {
        self.station.clock.hear(sent, heard.stamp);
        self.last_beacon = heard.stamp;
        if !self.standby.is_news(beacon) {
            return;
        }
        self.led_by = beacon.master;
        let (own, mine) = (beacon.master == self.station.post.me, beacon.session == self.station.post.session);
        self.strange_beacons = if own && !mine { self.strange_beacons + 1 } else { 0 };
        if own && mine {
            self.lead(beacon);
        } else {
            self.step_down();
            if beacon.master != NodeId::ALL {
                self.station.post.vouched(beacon.master, beacon.session);
            }
        }
        let Some(network) = &self.station.network else { return };
        if let Some(term) = self.standby.claim(self.station.post.me, network, beacon) {
            self.station.post.tally.add(Count::Claimed);
            self.claim(heard.now, ClaimKind::Take, term, actions);
        }
    }

    fn lead(&mut self, beacon: &Beacon) {
        let Some(network) = &self.station.network else { return };
        if self.master.as_ref().is_some_and(|master| master.term == beacon.term) {
            return;
        }
        self.station.post.tally.add(Count::Elected);
        let (me, known) = (self.station.post.me, &self.station.statuses);
        self.master = Some(Master::new(network, me, beacon, &self.rules, known).synchronized(&self.station.clock));
    }

    pub(super) fn step_down(&mut self) {
        if self.master.take().is_some() {
            self.station.post.tally.add(Count::Deposed);
            let knows = self.station.clock.is_synchronized();
            self.slave.stage = if knows { Stage::Active } else { Stage::Listening };
        }
    }

    pub(super) fn claim(&mut self, now: Instant, kind: ClaimKind, term: u64, actions: &mut Actions) {
        let claim = Claim { kind, term, heard: self.standby.heard() };
        self.send_to_core(now, claim.into(), actions);
    }

    pub(super) fn send_to_core(&mut self, now: Instant, block: Block, actions: &mut Actions) {
        let address = Address { class: Class::Control, to: NodeId::CORE, frame: self.station.begun, slot: 0 };
        let bytes = self.station.post.seal(address, now, vec![block]);
        actions.push(Action::Beside { to: NodeId::CORE, bytes });
    }

    fn handle_verdict(&mut self, heard: Heard, verdict: &Verdict) {
        match &mut self.master {
            Some(master) => {
                if verdict.kind == VerdictKind::Accepted {
                    self.station.terms = Some(heard.stamp);
                }
                if !master.handle_verdict(verdict, &mut self.station.clock) {
                    self.step_down();
                }
            }
            None => {
                let wide = i128::from(verdict.received_at.ps()) - i128::from(verdict.sent_at.ps());
                let difference = wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
                self.station.clock.measured_beside(verdict.sent_at, difference, Duration::ZERO);
            }
        }
    }

    /// The host says when a slot left in fact ([`Stamp::Follows`]).
    pub fn handle_departure(&mut self, sequence: u64, sent_at: Instant) {
        self.slave.departed = Some(FollowUp { sequence, sent_at });
    }

    /// The host reports a fault of this node; slaves tell the master, the master tells all.
    pub fn handle_fault(&mut self, kind: FaultKind) {
        let fault = Fault { kind, node: self.station.post.me, frame: self.station.begun };
        match &mut self.master {
            Some(master) => master.broadcast(fault),
            None => self.slave.reports.push(fault),
        }
    }

    /// The node will be switched off, or shall not be master any more: it tells all in the next two frames,
    /// and resigns in
    /// the one after that.
    pub fn resign(&mut self) {
        self.standby.abstains = true;
        let fault = Fault { kind: FaultKind::MasterShutdown, node: self.station.post.me, frame: self.station.begun };
        if let Some(master) = &mut self.master {
            master.leave(fault);
        }
    }

    /// When it has something to do.
    pub fn next_timeout(&self) -> Option<Instant> {
        [self.frame_due(self.station.begun), self.plan_due()].into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        self.skip_what_was_missed(now);
        while self.plan_due().is_some_and(|due| due <= now) {
            self.plan(now, actions);
        }
        while self.frame_due(self.station.begun).is_some_and(|due| due <= now) {
            let frame = self.station.begun;
            self.station.begun += 1;
            self.begin(now, frame, actions);
        }
    }
}
