//! What the parts of a node share: its post, clock, payloads and network, and how its slots leave.

use super::clock::CoreClock;
use super::edge::Edge;
use super::network::Network;
use super::post::{Address, Count, Numbers, Post};
use super::{Action, Actions, SlotPart};
use crate::sync::FilterConfig;
use crate::wire::{Block, Carriage, Class, Configuration, NodeId, NodeStatus, Wish};
use std::collections::BTreeMap;
use units::Instant;

/// What the parts of a node share.
pub(super) struct Station {
    pub(super) post: Post,
    pub(super) clock: CoreClock,
    pub(super) edge: Edge,
    pub(super) network: Option<Network>,
    pub(super) statuses: BTreeMap<NodeId, NodeStatus>,
    /// Frames before this one have begun here.
    pub(super) begun: u64,
    /// Whether the last signalling from a master came out of band.
    pub(super) heard_beside: bool,
    /// When the last terms came: an allocation, or for the master the core's word that it takes a plan.
    pub(super) terms: Option<Instant>,
}

impl Station {
    pub(super) fn new(post: Post, filter: FilterConfig, network: Option<Network>) -> Station {
        let (clock, edge) = (CoreClock::new(filter), Edge::default());
        Station { post, clock, edge, network, statuses: BTreeMap::new(), begun: 0, heard_beside: false, terms: None }
    }

    /// What it asks for in a frame that has begun. Its slots have left a + b frames and one later.
    pub(super) fn wishes(&mut self) -> Vec<Wish> {
        let leads = |network: &Network| network.answer_lead() + network.use_lead() + 1;
        self.edge.wishes(self.network.as_ref().map_or(1, leads))
    }

    /// A signalling slot that leaves as light at `at` or, if signalling is heard out of band here, out of band now.
    pub(super) fn signal_at(&mut self, at: Instant, to: NodeId, frame: u64, blocks: Vec<Block>, actions: &mut Actions) {
        let slot = self.network.as_ref().and_then(|network| network.signalling_slot(to)).unwrap_or(0);
        let bytes = self.post.seal(Address { class: Class::Signalling, to, frame, slot }, at, blocks);
        actions.push(match self.signals_beside() {
            true => Action::Beside { to, bytes },
            false => Action::Light { at, part: SlotPart::WHOLE, bytes },
        });
    }

    /// Whether signalling goes out of band.
    pub(super) fn signals_beside(&self) -> bool {
        self.network.as_ref().map_or(self.heard_beside, |network| network.carriage != Carriage::Slots)
    }

    /// Takes the network from a master's configuration. False if it cannot work.
    pub(super) fn adopt(&mut self, configuration: &Configuration) -> bool {
        match Network::configured(configuration) {
            Ok(network) => self.network = Some(network),
            Err(_) => {
                self.post.tally.add(Count::BadConfiguration);
                return false;
            }
        }
        true
    }

    /// When light for a slot of a frame leaves, if there is time.
    fn departure(&self, now: Instant, frame: u64, slot: u32) -> Option<Instant> {
        let at = self.clock.leave(self.network.as_ref()?.arrival(frame, slot))?;
        (at >= now).then_some(at)
    }

    /// Signalling light for a slot of a frame; not if it would leave too late.
    pub(super) fn signal_in(&mut self, now: Instant, address: Address, blocks: Vec<Block>, actions: &mut Actions) {
        let Some(at) = self.departure(now, address.frame, address.slot) else {
            return self.post.tally.add(Count::TooLate);
        };
        let bytes = self.post.seal(address, at, blocks);
        actions.push(Action::Light { at, part: SlotPart::WHOLE, bytes });
    }

    /// Data in the granted slots of a frame.
    pub(super) fn depart(&mut self, now: Instant, frame: u64, actions: &mut Actions) {
        let Some(network) = &self.network else { return };
        let clock = &self.clock;
        let leaves = |slot: u32| clock.leave(network.arrival(frame, slot)).filter(|at| *at >= now);
        let can_leave = |slot: u32| leaves(slot).is_some();
        let departures = self.edge.depart(frame, network.frame_slots, &mut self.post.tally, can_leave);
        for departure in departures {
            let (light, to, slot) = (network.light(), departure.to, departure.slot);
            for (part, (sequence, blocks)) in departure.parts() {
                let passes = network.arrival(frame, slot) + part.begins(light);
                let Some(at) = clock.leave(passes) else { continue };
                let numbers = Numbers { peer_session: 0, sequence, part };
                let address = Address { class: Class::Data, to, frame, slot };
                let bytes = self.post.seal_as(address, at, numbers, blocks);
                actions.push(Action::Light { at, part, bytes });
            }
        }
    }
}
