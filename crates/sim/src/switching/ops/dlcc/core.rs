//! The part of a core node: it measures what arrives, tells congestion from contention, notifies ingress edges of lost
//! slots, and promises rates.

use super::super::control::Onward;
use super::super::core_control::{CoreControl, Fate, Meeting};
use super::detection::{Descriptor, LossMeter, Reason};
use super::figures::{First, Sum};
use super::layout::Layout;
use super::negotiation::{Reservations, Verdict};
use super::notification::{LostSegment, Notification, Outbox};
use super::rate::SlotRate;
use super::rules::{DescriptorOf, LossRateOf};
use super::segmentation::Piece;
use super::signal::{RIDER_SIZE, SIGNAL_SIZE, Signal, send};
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, Packet};

/// A core node.
#[derive(Debug)]
pub struct DlccCore {
    /// What it does.
    pub duties: Duties,
    /// Which packets belong to which flow.
    pub layout: Layout,
    /// By the agent's name for the output.
    pub outputs: Vec<CoreOutput>,
    /// The descriptors of inputs, where these are what is measured.
    pub inputs: Vec<Descriptor>,
    /// What it does with the flows that pass, by number.
    pub stops: Vec<Option<Stop>>,
    /// What it has counted.
    pub counts: Counts,
}

/// What a core node does.
#[derive(Clone, Copy, Debug)]
pub struct Duties {
    /// Where the descriptor is.
    pub descriptor: DescriptorOf,
    /// What the loss rate is about.
    pub loss_rate: LossRateOf,
    /// It tells edge nodes of lost slots.
    pub notifies: bool,
    /// It tells them of contention too, because they need to know what is missing.
    pub tells_of_contention: bool,
    /// Notifications ride on other packets.
    pub piggybacks: bool,
    /// It tells edge nodes when an output is busy, once in this number of picoseconds.
    pub reports: Option<u64>,
}

/// An output.
#[derive(Debug)]
pub struct CoreOutput {
    /// Its congestion descriptor.
    pub descriptor: Descriptor,
    /// Losses of all flows.
    pub losses: LossMeter,
    /// Rates that it has promised.
    pub reservations: Reservations,
    /// Notifications that wait for a packet to ride on.
    pub outbox: Outbox<(Onward, Signal)>,
    /// What leaves at most.
    pub capacity: SlotRate,
    /// When it may be reported busy again.
    pub report_at: u64,
}

/// What a node does with a flow.
#[derive(Debug)]
pub struct Stop {
    /// By which output it leaves.
    pub output: u32,
    /// By which input it comes.
    pub input: u32,
    /// Its ingress is told of its losses.
    pub told: bool,
    /// Its losses.
    pub losses: LossMeter,
    /// The next core node, if there is one.
    pub onward: Option<Onward>,
    /// The way to its ingress.
    pub back: Onward,
    /// The first hop of that way, and its output.
    pub step_back: (u32, Onward),
}

/// What a core node has counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    congestion: u64,
    contention: u64,
    notifications: u64,
    refusals: u64,
    first_loss: First,
}

impl DlccCore {
    fn stop(&self, flow: u32) -> Option<&Stop> {
        self.stops.get(flow as usize)?.as_ref()
    }

    /// A notification begins its way here, or goes on.
    fn notify(&mut self, now: u64, notification: Notification, context: &mut NodeContext) {
        let Some(stop) = self.stop(notification.flow) else { return };
        let signal = Signal::Loss(notification);
        if self.duties.piggybacks {
            let (output, onward) = stop.step_back;
            self.outputs[output as usize].outbox.post(now, (onward, signal));
        } else {
            send(now, stop.back, signal, SIGNAL_SIZE, context);
        }
    }

    /// A packet of a flow is lost: the reason is counted, and the flow's edge node is notified if it is to know.
    fn handle_lost(&mut self, now: u64, flow: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(Some(stop)) = self.stops.get_mut(flow as usize) else { return };
        let notifies = self.duties.notifies && stop.told;
        let output = &mut self.outputs[stop.output as usize];
        let descriptor = match self.duties.descriptor {
            DescriptorOf::Output => &output.descriptor,
            DescriptorOf::Input => &self.inputs[stop.input as usize],
        };
        let segment = (packet.class == Class::Data)
            .then(|| LostSegment { flow: packet.flow, seq: Piece::read(packet.seq).number });
        let loss = match descriptor.reason(now) {
            Reason::Contention => {
                self.counts.contention += 1;
                if !self.duties.tells_of_contention || segment.is_none() {
                    return;
                }
                None
            }
            Reason::Congestion => {
                self.counts.congestion += 1;
                let meter = match self.duties.loss_rate {
                    LossRateOf::Output => &mut output.losses,
                    LossRateOf::Flow => &mut stop.losses,
                };
                Some(meter.handle_loss(now))
            }
        };
        if notifies {
            if loss.is_some() && segment.is_some() {
                self.counts.first_loss.note(now);
            }
            self.counts.notifications += 1;
            self.notify(now, Notification { flow, loss, segment }, context);
        }
    }

    /// All flows of a busy output hear of it.
    fn report(&mut self, now: u64, number: u32, context: &mut NodeContext) {
        let output = &mut self.outputs[number as usize];
        let Some(every) = self.duties.reports.filter(|_| output.descriptor.is_high() && now >= output.report_at) else {
            return;
        };
        output.report_at = now + every;
        let (arrivals, capacity) = (output.descriptor.rate(now), output.capacity);
        for (flow, stop) in (0..).zip(&self.stops) {
            if let Some(stop) = stop.as_ref().filter(|stop| stop.output == number && stop.told) {
                send(now, stop.back, Signal::Busy { flow, arrivals, capacity }, SIGNAL_SIZE, context);
            }
        }
    }

    fn handle_request(&mut self, now: u64, flow: u32, rate: SlotRate, context: &mut NodeContext) {
        let Some(Some(stop)) = self.stops.get(flow as usize) else { return };
        let verdict = self.outputs[stop.output as usize].reservations.ask(flow, rate);
        self.counts.refusals += u64::from(matches!(verdict, Verdict::Refused(_)));
        match (verdict, stop.onward) {
            (Verdict::Promised(rate), Some(onward)) => {
                send(now, onward, Signal::Request { flow, rate }, SIGNAL_SIZE, context);
            }
            (Verdict::Promised(rate) | Verdict::Refused(rate), _) => {
                send(now, stop.back, Signal::Answer { flow, rate }, SIGNAL_SIZE, context);
            }
        }
    }
}

impl CoreControl for DlccCore {
    fn next_timeout(&self) -> u64 {
        match self.duties.piggybacks {
            true => self.outputs.iter().map(|output| output.outbox.next_timeout()).min().unwrap_or(u64::MAX),
            false => u64::MAX,
        }
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        for output in &mut self.outputs {
            while let Some((onward, signal)) = output.outbox.take_due(now) {
                send(now, onward, signal, SIGNAL_SIZE, context);
            }
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        match message.read() {
            Some(Signal::Request { flow, rate }) => self.handle_request(now, *flow, *rate, context),
            Some(Signal::Loss(notification)) => self.notify(now, *notification, context),
            // Nobody sends others here.
            Some(Signal::Answer { .. } | Signal::Busy { .. }) | None => {}
        }
    }

    fn handle_meeting(&mut self, now: u64, meeting: Meeting, context: &mut NodeContext) {
        let Meeting { output, packet, fate, .. } = meeting;
        let Some(flow) = self.layout.at(packet.hop) else { return };
        let at = &mut self.outputs[output as usize];
        at.descriptor.handle_arrival(now);
        if self.duties.descriptor == DescriptorOf::Input
            && let Some(Some(stop)) = self.stops.get(flow as usize)
        {
            self.inputs[stop.input as usize].handle_arrival(now);
        }
        if fate == Fate::Lost {
            self.handle_lost(now, flow, packet, context);
        } else if self.duties.piggybacks
            && let Some((onward, signal)) = at.outbox.board()
        {
            send(now, onward, signal, RIDER_SIZE, context);
        }
        if self.duties.reports.is_some() {
            self.report(now, output, context);
        }
    }

    fn account(&self, counters: &mut Counters) {
        let Counts { congestion, contention, notifications, refusals, first_loss } = self.counts;
        let sums = &mut counters.sums;
        sums.add(Sum::CongestionLosses, congestion.into());
        sums.add(Sum::ContentionLosses, contention.into());
        sums.add(Sum::Notifications, notifications.into());
        sums.add(Sum::Refusals, refusals.into());
        first_loss.account(Sum::FirstLoss, Sum::SawLoss, sums);
    }
}
