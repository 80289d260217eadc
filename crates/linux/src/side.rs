//! An edge node at one core: its machine, its fibre and what waits for it.

use crate::config::{self, Loaded, NodeFile, Refusal, StarConfig, input};
use crate::histogram::Errors;
use crate::relay::{Receiver, Relay};
use crate::slots::SlotThread;
use crate::sys::datagram::Datagrams;
use crate::sys::time::{self, Nanos};
use crate::traffic::Packer;
use control::signalling::{Actions, Node, NodeConfig};
use control::sync::FilterConfig;
use control::wire::{NodeId, Stamp};
use std::sync::Arc;

/// Until a node knows its network, light may be so late.
const FIRST_TOLERANCE: Nanos = 1_000_000;
/// Which part a process may play at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// It knows the network and may be the first master.
    Master,
    /// It is told the network.
    Slave,
}

/// The node at one core.
pub(crate) struct Side {
    pub(crate) machine: Node,
    pub(crate) line: Arc<Datagrams>,
    pub(crate) slots: SlotThread,
    pub(crate) packer: Packer,
    pub(crate) queue_slots: usize,
    pub(crate) receiver: Receiver,
    /// What goes beside the light.
    pub(crate) relay: Relay,
    /// What T_d says of the fibre, if the core's clock is the machine's: a demo's is. In ns.
    pub(crate) fibre_delay: Option<Nanos>,
    /// How long plans took by the clock, from the requests being there to the message for the core.
    pub(crate) scheduling: Errors,
    pub(crate) delivered: u64,
    pub(crate) missing: u64,
    pub(crate) unreadable: u64,
}

impl Side {
    pub(crate) fn open(config: &Loaded<NodeFile>, star: &StarConfig, start: Start) -> Result<Side, Refusal> {
        let shown = config.path.display();
        let content = &config.content;
        let room = star.room().map_err(|why| input(format!("{shown}: {why}")))?;
        let network = match (start, &content.network) {
            (Start::Master, Some(network)) => Some(network.network().map_err(|why| input(format!("{shown}: {why}")))?),
            (Start::Master, None) => return Err(input(format!("{shown}: a master needs the table [network]"))),
            (Start::Slave, _) => None,
        };
        let machine = NodeConfig {
            node: NodeId(content.node),
            key: config::key(&config.path, &content.key_file)?,
            network,
            algorithm: content.scheduler,
            weights: content.weights().map_err(|why| input(format!("{shown}: {why}")))?,
            sharing: content.sharing(),
            stamp: Stamp::Follows,
            filter: FilterConfig { stamp_error: content.clock.stamp_error, ..FilterConfig::default() },
        };
        let line = Datagrams::between(star.bind.0, star.peer.0)
            .map_err(|error| input(format!("{shown}: {} cannot be listened on: {error}", star.bind.0)))?;
        let line = Arc::new(line);
        let slots = SlotThread::start(Arc::clone(&line), FIRST_TOLERANCE, content.processor)
            .map_err(|error| Refusal::Failure(format!("a thread for slots: {error}")))?;
        let mut machine = Node::new(machine, time::time_of_day() as u64);
        let wrong =
            |(span, why): (std::ops::Range<usize>, String)| input(format!("{}: {why}", config.place(Some(span))));
        machine.predict(content.prediction().map_err(wrong)?);
        Ok(Side {
            machine,
            line,
            slots,
            packer: Packer::new(room),
            queue_slots: star.queue_slots,
            receiver: Receiver::default(),
            relay: Relay::default(),
            fibre_delay: None,
            scheduling: Errors::new(),
            delivered: 0,
            missing: 0,
            unreadable: 0,
        })
    }

    /// Does what is due in the machine.
    pub(crate) fn handle_timeout(&mut self, now: units::Instant, actions: &mut Actions) {
        loop {
            let began = time::now();
            if !self.machine.plan_one(now, actions) {
                break;
            }
            self.scheduling.record((time::now() - began).saturating_mul(1000));
        }
        self.machine.handle_timeout(now, actions);
    }

    /// Slots that the queue for a node still takes.
    pub(crate) fn room(&self, to: u16) -> usize {
        self.queue_slots.saturating_sub(self.machine.waiting(NodeId(to)))
    }

    /// Hands the full slots to the machine; how many found no room.
    pub(crate) fn enqueue(&mut self) -> u64 {
        let mut dropped = 0;
        for (to, datagrams) in self.packer.take() {
            let full = self.room(to) == 0 || self.machine.enqueue_datagrams(NodeId(to), datagrams).is_err();
            dropped += u64::from(full);
        }
        dropped
    }
}
