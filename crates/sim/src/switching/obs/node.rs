//! A node of an optical burst-switched network: one agent that makes bursts, switches them and takes them apart.
//!
//! What a node does at the beginning of a burst's way is in `ingress`, in the middle in `transit`, at the end in
//! `order`.

mod ingress;
mod order;
mod path_selection;
mod transit;

use super::balance::{Loads, PathSet};
use super::burst::{Header, Loss, Notice};
use super::figures::Key;
use super::load::LoadMeter;
use super::meter::Meter;
use super::plan::Obs;
use super::queues::Queues;
use super::route_index::RouteIndex;
use super::source::Generator;
use super::task::Task;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::{Counters, Group, LinkAccount};
use crate::engine::node::node_context::{AgentPath, ControlPacket, LocalPort, NodeContext};
use crate::engine::packet::delay_queue::DelayQueue;
use crate::engine::packet::event::{Event, What};
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, NO_PAYLOAD, Packet};
use crate::links::loss;
use crate::model::LinkId;
use control::reservation;
use ingress::Waiting;
use order::EgressOrder;
use path_selection::Blocked;
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::BurstReport;
use units::ByteTime;

/// What all nodes of the network have in common.
#[derive(Debug)]
pub struct Rules {
    /// As resolved.
    pub obs: Obs,
    /// How long a byte lasts on a wavelength.
    pub byte: ByteTime,
    /// In picoseconds, for each header.
    pub processing: u64,
}

impl Rules {
    /// How long it takes to send this many bytes on a wavelength, in picoseconds.
    pub fn lasts(&self, bytes: u64) -> u64 {
        self.byte.of(u32::try_from(bytes).unwrap_or(u32::MAX)).ps()
    }
}

/// An output fibre.
#[derive(Debug)]
pub struct OutputFibre {
    /// The link.
    pub link: LinkId,
    /// Its port.
    pub port: LocalPort,
    /// To the next node, in picoseconds.
    pub delay: u64,
    /// Its wavelengths.
    pub fibre: reservation::Fibre,
    /// New bursts that wait for a wavelength.
    pub waiting: Waiting,
    /// Which bursts vanish on it.
    pub loss: loss::Process,
    /// What became of the bursts that came to it.
    pub account: LinkAccount,
    /// What is offered to it, if anybody asks.
    pub load: Option<LoadMeter>,
}

/// A way from this node to another, for bursts made here.
#[derive(Debug)]
pub struct Route {
    /// The path, which ends at the egress node.
    pub way: AgentPath,
    /// Its links.
    pub hops: u32,
    /// The output it begins with.
    pub place: u32,
    /// The agent at its end.
    pub egress: u32,
    /// How far a burst is behind its header, in picoseconds.
    pub offset: u64,
    /// The dropping rate on it.
    pub meter: Meter,
    /// Which of the node's path sets takes its place for what is spread.
    pub set: Option<u32>,
    /// Bursts that were numbered on it.
    pub numbered: u64,
}

/// Another agent, and how it is reached.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    /// Its number.
    pub agent: u32,
    /// The way from this node.
    pub way: AgentPath,
}

/// A flow that asks for reports.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// What for.
    pub report: BurstReport,
    /// The way to its sender.
    pub way: AgentPath,
    /// Bytes of its packets that are not payload.
    pub header: u16,
}

/// What an agent is made of.
#[derive(Debug)]
pub struct NodeParts {
    /// Its number.
    pub agent: u32,
    /// Its node.
    pub node: u32,
    /// The rules of the network.
    pub rules: Arc<Rules>,
    /// Its output fibres; an interceptor calls a port by its place here.
    pub outputs: Vec<OutputFibre>,
    /// The routes of its own bursts.
    pub routes: Vec<Route>,
    /// Where a path enters the optical network here, by position, and by which route it goes on.
    pub sections: RouteIndex,
    /// Flows that enter the optical network here and ask for reports about their bursts.
    pub asking: BTreeMap<u32, Asking>,
    /// Its sources of bursts.
    pub sources: Vec<Generator>,
    /// Ways back to ingress nodes, by agent.
    pub returns: BTreeMap<u32, AgentPath>,
    /// Other ways to egress nodes, by agent: output and way, the shortest first.
    pub detours: BTreeMap<u32, Vec<(u32, AgentPath)>>,
    /// The paths over which its bursts are spread.
    pub sets: Vec<PathSet>,
    /// Who is told the loads of its outputs.
    pub subscribers: Vec<Receiver>,
    /// How long after the end of a τ its paths may change, in picoseconds.
    pub choose_after: u64,
}

/// The agent.
#[derive(Debug)]
pub struct BurstNode {
    pub(super) parts: NodeParts,
    pub(super) queues: Queues,
    pub(super) tasks: DelayQueue<Task>,
    /// Packets taken into bursts here less packets given back or dropped here.
    pub(super) kept: i64,
    pub(super) counts: Counts,
    /// Bursts that were made here.
    pub(super) made: u64,
    /// Per flow that is assembled here: its segments, and the bursts with any of them.
    pub(super) groups: BTreeMap<u32, Group>,
    /// The loads that were told last, by link.
    pub(super) loads: Loads,
    /// Bursts that are held until others have left, in their order.
    pub(super) blocked: Vec<Blocked>,
    /// Bursts that have landed here before earlier ones.
    pub(super) order: EgressOrder,
}

/// What has happened at the node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Bursts that left for the first time.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Bursts that arrived, whole or in part.
    pub delivered: u64,
    /// From when they were complete, in picoseconds.
    pub delivery_time: u128,
    /// Bursts that were lost for good, or refused before they left.
    pub lost: u64,
    /// Bursts sent again.
    pub resent: u64,
    /// Bursts that were sent another way.
    pub deflected: u64,
    /// Bursts of which a part was cut off.
    pub cut: u64,
    /// Headers whose burst never came.
    pub empty: u64,
    /// Bursts that were made of packets.
    pub assembled: u64,
    /// Packets that were assembled.
    pub packets: u64,
    /// How long they waited for that, in picoseconds.
    pub waited: u128,
    /// How long new bursts waited for a wavelength, in picoseconds.
    pub queued: u128,
    /// Senders told of a loss.
    pub told: u64,
    /// Losses of which senders were not told, because the path counts as congested.
    pub silent: u64,
    /// What became of bursts that had two paths.
    pub spread: SpreadCounts,
}

/// What became of bursts that had two paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpreadCounts {
    /// Bursts that had two paths.
    pub bursts: u64,
    /// That took the second one.
    pub alternate: u64,
    /// That took another way than the one before.
    pub switches: u64,
    /// That were held so that they did not overtake others.
    pub held: u64,
    /// For how long in all, in picoseconds.
    pub hold: u128,
    /// Bytes that are held now.
    pub bytes: u64,
    /// The most bytes that were held at once.
    pub peak: u64,
    /// Times that loads were told.
    pub told: u64,
}

impl BurstNode {
    /// A node to which nothing has happened.
    pub fn new(parts: NodeParts) -> BurstNode {
        let sets: Vec<Option<u32>> = parts.routes.iter().map(|route| route.set).collect();
        let queues = Queues::new(&parts.rules.obs, &sets);
        let mut tasks = DelayQueue::default();
        let mut parts = parts;
        for (number, source) in (0..).zip(&mut parts.sources) {
            for _ in 0..source.count() {
                tasks.push(source.gap(), Task::Send(number));
            }
        }
        let (kept, made, counts, groups, loads) = (0, 0, Counts::default(), BTreeMap::new(), Loads::new());
        let (blocked, order) = (Vec::new(), EgressOrder::default());
        let mut node = BurstNode { parts, queues, tasks, kept, made, counts, groups, loads, blocked, order };
        node.begin_intervals();
        node
    }

    /// The number of a burst that is made here.
    pub(super) fn number(&mut self) -> u64 {
        self.made += 1;
        u64::from(self.parts.agent) << 40 | self.made
    }

    /// A burst has a wavelength of an output: for the trace.
    pub(super) fn note_booked(&self, now: u64, place: u32, header: &Header, context: &mut NodeContext) {
        if context.is_observed() {
            let output = &self.parts.outputs[place as usize];
            context.note_unit(context.link(output.port), header.on_link(now, output.delay), header.flows());
        }
    }

    /// A burst, or a part of it, ends at a link: for the trace.
    pub(super) fn note_end(&self, now: u64, what: What, loss: &Loss, context: &mut NodeContext) {
        if context.is_observed() {
            let event = Event { cause: Some(loss.cause), ..loss.header.event(now, what) };
            context.note_unit(loss.link, event, loss.header.flows());
        }
    }

    /// Sends a message to an agent.
    pub(super) fn send(&mut self, now: u64, receiver: Receiver, notice: Notice, context: &mut NodeContext) {
        let Receiver { agent: to, way } = receiver;
        let size = self.parts.rules.obs.control.header_size;
        context.send_own(now, ControlPacket { to, way, size, number: 0, message: Message::new(notice) });
    }

    /// A burst is lost for good.
    pub(super) fn discard(&mut self, now: u64, loss: &Loss, context: &mut NodeContext) {
        self.counts.lost += 1;
        self.drop_packets(now, loss, context);
    }

    /// The packets that are left of a burst are lost for good.
    pub(super) fn drop_packets(&mut self, now: u64, loss: &Loss, context: &mut NodeContext) {
        let Loss { header, link, cause } = loss;
        for packet in header.left() {
            context.drop(now, *link, *cause, &Packet { payload: NO_PAYLOAD, ..*packet });
        }
        self.kept -= header.left().len() as i64;
    }

    fn perform(&mut self, now: u64, task: Task, context: &mut NodeContext) {
        match task {
            Task::Land(header) => self.land(now, header, context),
            Task::Assemble(queue) => self.end_timer(now, queue, context),
            Task::Open(place) => self.open(now, place, context),
            Task::Send(source) => self.send_from_source(now, source, context),
            Task::Measure => self.tell_loads(now, context),
            Task::Review => self.review_paths(now),
            Task::Release(header) => self.release(now, header, context),
            Task::GiveUp(route, number) => self.deliver_held(now, route, number, context),
        }
    }
}

impl Agent for BurstNode {
    fn next_timeout(&self) -> u64 {
        self.tasks.next_timeout()
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        while let Some((_, task)) = self.tasks.pop(now) {
            self.perform(now, task, context);
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        match message.open() {
            Some(Notice::Header(header)) => {
                // A header that is slower than its burst finds it landed.
                let landed = (header.at + header.length).max(now);
                header.prefetch_burst();
                self.tasks.push(landed, Task::Land(header));
            }
            Some(Notice::Loss(loss)) => self.handle_loss(now, &loss, context),
            Some(Notice::Loads(loads)) => self.loads.extend(loads),
            // Nobody sends others here.
            None => {}
        }
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        if packet.class == Class::Control {
            self.pass(now, place, packet, context);
        } else {
            match self.section(packet) {
                Some(route) => self.gather(now, route, packet, context),
                None => context.send_past(now, packet),
            }
        }
    }

    fn kept(&self) -> i64 {
        self.kept
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queues.for_each(change);
    }

    fn account(&self, counters: &mut Counters) {
        counters.links.extend(self.parts.outputs.iter().map(|output| (output.link, output.account)));
        self.groups.iter().for_each(|(flow, group)| counters.add_group(*flow, *group));
        let counts = &self.counts;
        let mut add = |key: Key, more: u128| counters.sums.add(key, more);
        add(Key::Sent, counts.sent.into());
        add(Key::BytesSent, counts.sent_bytes.into());
        add(Key::Delivered, counts.delivered.into());
        add(Key::DeliveryTime, counts.delivery_time);
        add(Key::Lost, counts.lost.into());
        add(Key::Resent, counts.resent.into());
        add(Key::Deflected, counts.deflected.into());
        add(Key::Cut, counts.cut.into());
        add(Key::EmptyHeaders, counts.empty.into());
        add(Key::Assembled, counts.assembled.into());
        add(Key::PacketsAssembled, counts.packets.into());
        add(Key::AssemblyWait, counts.waited);
        add(Key::IngressWait, counts.queued);
        add(Key::LossesTold, counts.told.into());
        add(Key::LossesSilent, counts.silent.into());
        let spread = &counts.spread;
        add(Key::Spread, spread.bursts.into());
        add(Key::SpreadAlternate, spread.alternate.into());
        add(Key::PathSwitches, spread.switches.into());
        add(Key::Held, spread.held.into());
        add(Key::HoldTime, spread.hold);
        add(Key::HeldPeak, spread.peak.into());
        add(Key::LoadsTold, spread.told.into());
        self.order.counts.account(&mut add);
    }
}
