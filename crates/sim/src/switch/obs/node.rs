//! A node of an optical burst-switched network: one agent that makes bursts, switches them and takes them apart.
//!
//! What a node does at the beginning of a burst's way is in `ingress`, in the middle in `transit`, at the end here.

use super::agenda::{Agenda, Task};
use super::burst::{Header, Origin};
use super::ingress::{Queues, Waiting};
use super::meter::Meter;
use super::source::Source;
use crate::engine::extras::LossProcess;
use crate::engine::net::{Net, Place};
use crate::engine::offer::{Cause, Count};
use crate::engine::packet::{Class, NO_CARGO, Packet};
use crate::model::{LinkId, Obs};
use crate::switch::{Agent, FibreAccount, Ledger, Notice};
use control::reservation;
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
    /// How long so many bytes last on a wavelength, in picoseconds.
    pub fn lasts(&self, bytes: u64) -> u64 {
        self.byte.of(u32::try_from(bytes).unwrap_or(u32::MAX)).ps()
    }
}

/// An output fibre.
#[derive(Debug)]
pub struct Output {
    /// The link.
    pub link: LinkId,
    /// Where the array of paths has its port.
    pub path: u32,
    /// To the next node, in picoseconds.
    pub delay: u64,
    /// Its wavelengths.
    pub fibre: reservation::Fibre,
    /// New bursts that wait for a wavelength.
    pub waiting: Waiting,
    /// Which bursts vanish on it.
    pub loss: LossProcess,
    /// What became of the bursts that came to it.
    pub ledger: FibreAccount,
}

/// A way from this node to another, for bursts made here.
#[derive(Debug)]
pub struct Route {
    /// The path in the array of paths, which ends at the egress node.
    pub path: u32,
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
}

/// A flow that asks for reports.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// What for.
    pub report: BurstReport,
    /// The way to its sender, in the array of paths.
    pub path: u32,
    /// Bytes of its packets that are not payload.
    pub header: u16,
}

/// What an agent is made of.
#[derive(Debug)]
pub struct Parts {
    /// Its number.
    pub agent: u32,
    /// Its node.
    pub node: u32,
    /// The rules of the network.
    pub rules: Arc<Rules>,
    /// Its output fibres; an intake calls a port by its place here.
    pub outputs: Vec<Output>,
    /// The routes of its own bursts.
    pub routes: Vec<Route>,
    /// Where a path enters the optical network here, by position, and by which route it goes on.
    pub sections: Vec<(u32, u32)>,
    /// Flows that enter the optical network here and ask for reports about their bursts.
    pub asking: BTreeMap<u32, Asking>,
    /// Its sources of bursts.
    pub sources: Vec<Source>,
    /// Ways back to ingress nodes, by agent.
    pub returns: BTreeMap<u32, u32>,
    /// Other ways to egress nodes, by agent: output and path, the shortest first.
    pub detours: BTreeMap<u32, Vec<(u32, u32)>>,
}

/// The agent.
#[derive(Debug)]
pub struct BurstNode {
    pub(super) parts: Parts,
    pub(super) queues: Queues,
    pub(super) agenda: Agenda,
    /// Packets taken into bursts here less packets given back or dropped here.
    pub(super) kept: i64,
    /// Packets made since the host asked last.
    pub(super) made: u64,
    pub(super) counts: Counts,
    /// Per flow that is assembled here: its segments, and the bursts with any of them.
    pub(super) shares: BTreeMap<u32, (u64, u64)>,
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
}

impl BurstNode {
    /// A node to which nothing has happened.
    pub fn new(parts: Parts) -> BurstNode {
        let queues = Queues::new(&parts.rules.obs.assembly, parts.routes.len());
        let mut agenda = Agenda::default();
        let mut parts = parts;
        for (number, source) in (0..).zip(&mut parts.sources) {
            for _ in 0..source.count() {
                agenda.note(source.gap(), Task::Send(number));
            }
        }
        let (kept, made, counts, shares) = (0, 0, Counts::default(), BTreeMap::new());
        BurstNode { parts, queues, agenda, kept, made, counts, shares }
    }

    /// Sends a message of the control plane to an agent, by a path that begins at this node.
    pub(super) fn send(&mut self, now: u64, (agent, path): (u32, u32), notice: Arc<Notice>, net: &mut Net) {
        let packet = net.message(notice, agent, path, self.parts.rules.obs.control.header_size);
        self.made += 1;
        net.send_past(now, &packet);
    }

    /// A burst is lost for good.
    pub(super) fn discard(&mut self, header: &Header, at: (u32, Cause), net: &mut Net) {
        self.counts.lost += 1;
        self.drop_packets(header, at, net);
    }

    /// The packets that are left of a burst are lost for good.
    pub(super) fn drop_packets(&mut self, header: &Header, (link, cause): (u32, Cause), net: &mut Net) {
        for packet in header.left() {
            net.drop(Place::Link(link), cause, &Packet { cargo: NO_CARGO, ..*packet });
        }
        self.kept -= header.left().len() as i64;
    }

    /// The last bit of a burst is in: its packets go on.
    fn land(&mut self, now: u64, header: &Header, net: &mut Net) {
        let burst = &header.burst;
        if burst.origin == Origin::Nothing {
            self.counts.empty += 1;
            return;
        }
        self.counts.delivered += 1;
        self.counts.delivery_time += u128::from(now - burst.born);
        let loaded = |packets: &[Packet]| packets.iter().filter(|packet| packet.cargo != NO_CARGO).count();
        let mut luggage = burst.luggage.iter().skip(loaded(&burst.packets[..header.packets.start as usize]));
        for packet in header.left() {
            let cargo = match packet.cargo {
                NO_CARGO => NO_CARGO,
                _ => luggage.next().map_or(NO_CARGO, |luggage| net.cargo.load(luggage)),
            };
            net.hand(now, self.parts.node, &Packet { cargo, hop: packet.hop + burst.hops, ..*packet });
        }
        self.kept -= header.left().len() as i64;
    }

    fn perform(&mut self, now: u64, task: Task, net: &mut Net) {
        match task {
            Task::Land(header) => self.land(now, &header, net),
            Task::Assemble(queue) => self.end_timer(now, queue, net),
            Task::Open(place) => self.open(now, place, net),
            Task::Send(source) => self.send_from_source(now, source, net),
        }
    }

    /// The packets made since the last call.
    fn count_made(&mut self) -> u64 {
        std::mem::take(&mut self.made)
    }
}

impl Agent for BurstNode {
    fn next_timeout(&self) -> u64 {
        self.agenda.next()
    }

    fn handle_timeout(&mut self, now: u64, net: &mut Net) -> u64 {
        while let Some(task) = self.agenda.take(now) {
            self.perform(now, task, net);
        }
        self.count_made()
    }

    fn handle_notice(&mut self, now: u64, notice: Arc<Notice>, net: &mut Net) -> u64 {
        match Arc::unwrap_or_clone(notice) {
            Notice::Header(header) => {
                // A header that is slower than its burst finds it landed.
                let landed = (header.at + header.length).max(now);
                self.agenda.note(landed, Task::Land(header));
            }
            Notice::Loss(loss) => self.handle_loss(now, &loss, net),
            // Nobody sends others here.
            _ => {}
        }
        self.count_made()
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, net: &mut Net) -> u64 {
        if packet.class == Class::Control {
            self.pass(now, place, packet, net);
        } else {
            match self.section(packet) {
                Some(route) => self.gather(now, route, packet, net),
                None => net.send_past(now, packet),
            }
        }
        self.count_made()
    }

    fn kept(&self) -> i64 {
        self.kept
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queues.for_each(change);
    }

    fn ledger(&self) -> Ledger {
        let counts = &self.counts;
        let sums = [
            ("bursts_sent", u128::from(counts.sent)),
            ("burst_bytes_sent", u128::from(counts.sent_bytes)),
            ("bursts_delivered", u128::from(counts.delivered)),
            ("burst_delivery_time", counts.delivery_time),
            ("bursts_lost", u128::from(counts.lost)),
            ("bursts_resent", u128::from(counts.resent)),
            ("bursts_deflected", u128::from(counts.deflected)),
            ("bursts_cut", u128::from(counts.cut)),
            ("empty_headers", u128::from(counts.empty)),
            ("bursts_assembled", u128::from(counts.assembled)),
            ("packets_assembled", u128::from(counts.packets)),
            ("assembly_wait", counts.waited),
            ("ingress_wait", counts.queued),
            ("burst_losses_told", u128::from(counts.told)),
            ("burst_losses_silent", u128::from(counts.silent)),
        ];
        Ledger {
            fibres: self.parts.outputs.iter().map(|output| (output.link, output.ledger)).collect(),
            shares: self.shares.iter().map(|(flow, share)| (*flow, *share)).collect(),
            sums: sums.to_vec(),
        }
    }
}

impl FibreAccount {
    /// A burst of so many bytes comes.
    pub(super) fn offer(&mut self, bytes: u64) {
        self.offered = self.offered.plus(Count { packets: 1, bytes });
    }

    /// So much of it leaves, for so long.
    pub(super) fn carry(&mut self, bytes: u64, length: u64) {
        self.carried = self.carried.plus(Count { packets: 1, bytes });
        self.busy += u128::from(length);
    }

    /// Nothing of it leaves.
    pub(super) fn drop(&mut self, bytes: u64) {
        self.dropped = self.dropped.plus(Count { packets: 1, bytes });
    }
}
