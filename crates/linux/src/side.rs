//! An edge node at one core: its machine, its fibre and what waits for it.

use crate::config::{self, Loaded, NodeFile, Refusal, StarConfig, input};
use crate::latency::Latency;
use crate::slots::SlotThread;
use crate::sys::datagram::Datagrams;
use crate::sys::time::{self, Nanos};
use crate::traffic::Packer;
use control::signalling::{Node, NodeConfig};
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
    /// How long the kernel takes to send what goes beside the light.
    pub(crate) latency: Latency,
    pub(crate) delivered: u64,
    pub(crate) missing: u64,
    pub(crate) unreadable: u64,
}

impl Side {
    pub(crate) fn open(config: &Loaded<NodeFile>, star: &StarConfig, start: Start) -> Result<Side, Refusal> {
        let shown = config.path.display();
        let content = &config.content;
        if !(StarConfig::SMALLEST_SLOT..=StarConfig::LARGEST_SLOT).contains(&star.slot_bytes) {
            let (least, most) = (StarConfig::SMALLEST_SLOT, StarConfig::LARGEST_SLOT);
            return Err(input(format!("{shown}: slot_bytes is {}; allowed: {least} to {most}", star.slot_bytes)));
        }
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
            stamp: Stamp::Follows,
            filter: FilterConfig { stamp_error: content.clock.stamp_error, ..FilterConfig::default() },
        };
        let line = Datagrams::between(star.bind.0, star.peer.0)
            .map_err(|error| input(format!("{shown}: {} cannot be listened on: {error}", star.bind.0)))?;
        let line = Arc::new(line);
        let slots = SlotThread::start(Arc::clone(&line), FIRST_TOLERANCE)
            .map_err(|error| Refusal::Failure(format!("a thread for slots: {error}")))?;
        let session = time::time_of_day() as u64;
        Ok(Side {
            machine: Node::new(machine, session),
            line,
            slots,
            packer: Packer::new(star.slot_bytes),
            queue_slots: star.queue_slots,
            latency: Latency::default(),
            delivered: 0,
            missing: 0,
            unreadable: 0,
        })
    }

    /// Slots that the queue for a node still takes.
    pub(crate) fn room(&self, to: u16) -> usize {
        self.queue_slots.saturating_sub(self.machine.waiting(NodeId(to)))
    }

    /// Hands the full slots to the machine; how many found no room.
    pub(crate) fn enqueue(&mut self) -> u64 {
        let mut dropped = 0;
        for (to, blocks) in self.packer.take() {
            let full = self.room(to) == 0 || self.machine.enqueue(NodeId(to), blocks).is_err();
            dropped += u64::from(full);
        }
        dropped
    }
}
