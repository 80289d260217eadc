//! The agent of a core node: the switch, which passes light that finds its connection and loses all other, and its
//! controller.

use super::fibre::{Bits, Fibre, Outages, Plane, arrived};
use super::figures::{COUNTED, Sum};
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::{Counters, Direction, Record};
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::delay_queue::DelayQueue;
use crate::engine::packet::message::Message;
use crate::model::NodeId;
use control::signalling::{Action, Actions, Core, Heard, Network};
use control::wire::{self, Key};
use std::fmt;
use std::sync::Arc;
use units::Instant;

/// Its first session: below it there is none, so that terms are above the sessions of nodes.
const SESSION: u64 = 1 << 20;

/// The way to an edge node.
#[derive(Debug)]
pub(super) struct Downlink {
    pub(super) way: AgentPath,
    pub(super) agent: u32,
    pub(super) delay: u64,
    pub(super) fibre: Fibre,
}

/// The agent. Its clock is true.
pub(super) struct SignalledCore {
    node: NodeId,
    machine: Core,
    network: Network,
    key: Key,
    /// Its place among the core nodes.
    place: u32,
    outages: Arc<Outages>,
    session: u64,
    dead: bool,
    /// When it dies or starts again.
    change: u64,
    downlinks: Vec<Downlink>,
    incoming: DelayQueue<Bits>,
    number: u64,
    lost: u64,
    transcript: Option<Vec<Record>>,
    /// Of machines that died.
    before: [u64; COUNTED.len()],
}

/// What a core node is made of.
pub(super) struct Parts {
    pub(super) node: NodeId,
    pub(super) place: u32,
    pub(super) network: Network,
    pub(super) key: Key,
    pub(super) downlinks: Vec<Downlink>,
    pub(super) outages: Arc<Outages>,
    pub(super) transcript: bool,
}

impl SignalledCore {
    pub(super) fn new(parts: Parts) -> SignalledCore {
        let Parts { node, place, network, key, downlinks, outages, transcript } = parts;
        let machine = Core::new(network.clone(), key.clone(), SESSION, Instant::ZERO);
        let (dead, change) = (outages.is_dead(place, 0), outages.next_core_change(place, 0));
        SignalledCore {
            node,
            machine,
            network,
            key,
            place,
            outages,
            session: SESSION,
            dead,
            change,
            downlinks,
            incoming: DelayQueue::default(),
            number: 0,
            lost: 0,
            transcript: transcript.then(Vec::new),
            before: [0; COUNTED.len()],
        }
    }

    /// It dies, or starts again and has forgotten plans and master.
    fn change_state(&mut self, now: u64) {
        self.change = self.outages.next_core_change(self.place, now);
        let was_dead = std::mem::replace(&mut self.dead, self.outages.is_dead(self.place, now));
        if self.dead {
            self.incoming.clear();
        } else if was_dead {
            for ((count, _), sum) in COUNTED.iter().zip(&mut self.before) {
                *sum += self.machine.tally().of(*count);
            }
            self.session += SESSION;
            self.machine = Core::new(self.network.clone(), self.key.clone(), self.session, Instant::from_ps(now));
        }
    }

    fn take(&mut self, now: u64, stamp: u64, bits: Bits, context: &mut NodeContext) {
        if self.outages.is_dead(self.place, stamp) {
            self.lost += 1;
            return;
        }
        match bits.plane {
            Plane::Light => self.switch(now, stamp, bits, context),
            Plane::Beside if bits.to == wire::NodeId::CORE => {
                self.note(now, Direction::Took, &bits.bytes);
                let mut actions = Actions::new();
                let heard = Heard { now: Instant::from_ps(now), stamp: Instant::from_ps(stamp) };
                self.machine.handle_beside(heard, &bits.bytes, &mut actions);
                self.perform(now, actions, context);
            }
            Plane::Beside => self.send(now, bits.to, Bits { arrives: stamp, ..bits }, context),
        }
    }

    fn switch(&mut self, now: u64, stamp: u64, bits: Bits, context: &mut NodeContext) {
        let output = self.machine.route(Instant::from_ps(stamp), bits.edge as u16, self.network.light());
        match output {
            Some(output) => self.send(now, wire::NodeId(output), Bits { arrives: stamp, ..bits }, context),
            None => self.lost += 1,
        }
    }

    fn perform(&mut self, now: u64, actions: Actions, context: &mut NodeContext) {
        for action in actions {
            if let Action::Beside { to, bytes } = action {
                self.note(now, Direction::Sent, &bytes);
                self.send(now, to, Bits { plane: Plane::Beside, edge: 0, to, arrives: now, bytes }, context);
            }
        }
    }

    /// Down to an edge node, or to all. What comes passes the core at `bits.arrives`.
    fn send(&mut self, now: u64, to: wire::NodeId, bits: Bits, context: &mut NodeContext) {
        let all = to == wire::NodeId::ALL;
        for (edge, downlink) in self.downlinks.iter_mut().enumerate() {
            if !all && usize::from(to.0) != edge {
                continue;
            }
            if downlink.fibre.loses() {
                self.lost += 1;
                continue;
            }
            self.number += 1;
            let arrives = bits.arrives + downlink.delay + downlink.fibre.jitter();
            let bits = Bits { edge: edge as u32, arrives, ..bits.clone() };
            // The largest message was checked to fit a slot, and this.
            let size = u16::try_from(bits.bytes.len()).unwrap_or(u16::MAX);
            let Downlink { way, agent, .. } = *downlink;
            let packet = ControlPacket { to: agent, way, size, number: self.number, message: Message::new(bits) };
            context.send(now, packet);
        }
    }

    fn note(&mut self, at: u64, direction: Direction, bytes: &[u8]) {
        if let Some(transcript) = &mut self.transcript {
            transcript.push(Record { at, node: self.node, direction, bytes: bytes.into() });
        }
    }
}

impl Agent for SignalledCore {
    fn next_timeout(&self) -> u64 {
        let frame = self.machine.next_timeout().filter(|_| !self.dead).map_or(u64::MAX, |due| due.ps());
        frame.min(self.incoming.next_timeout()).min(self.change)
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if self.change <= now {
            self.change_state(now);
        }
        if !self.dead && self.machine.next_timeout().is_some_and(|due| due.ps() <= now) {
            let mut actions = Actions::new();
            self.machine.handle_timeout(Instant::from_ps(now), &mut actions);
            self.perform(now, actions, context);
        }
        while let Some((stamp, bits)) = self.incoming.pop(now) {
            self.take(now, stamp, bits, context);
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        if let Some(bits) = arrived(&mut self.incoming, now, message) {
            self.take(now, bits.arrives, bits, context);
        }
    }

    fn account(&self, counters: &mut Counters) {
        for ((count, sum), before) in COUNTED.into_iter().zip(self.before) {
            counters.sums.add(sum, (before + self.machine.tally().of(count)).into());
        }
        counters.sums.add(Sum::Lost, self.lost.into());
        counters.records.extend(self.transcript.iter().flatten().cloned());
    }
}

impl fmt::Debug for SignalledCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignalledCore").field("node", &self.node).finish_non_exhaustive()
    }
}
