//! What a node does in every frame: when it is due, what the master plans and tells, what a slave asks for.

use super::master::Own;
use super::network::Network;
use super::node::Node;
use super::post::{Address, Count};
use super::slave::Stage;
use super::{Action, Actions};
use crate::wire::{Carriage, ClaimKind, Class, Fault, FaultKind, NodeId};
use units::Instant;

impl Node {
    /// When light of a frame must be ready.
    pub(super) fn frame_due(&self, frame: u64) -> Option<Instant> {
        let network = self.station.network.as_ref()?;
        if self.master.is_none() && self.slave.stage != Stage::Active {
            return None;
        }
        let first = self.station.clock.leave(network.arrival(frame, 0))?;
        Some(Instant::from_ps(first.ps().saturating_sub(network.turnaround.ps())))
    }

    /// When the requests of a frame are in.
    pub(super) fn plan_due(&self) -> Option<Instant> {
        let (network, master) = (self.station.network.as_ref()?, self.master.as_ref()?);
        let last = network.slot_start(master.next_plan, network.signalling_slots) + network.guard;
        self.station.clock.heard_at(last)
    }

    /// After a pause, or at the start, only the present frame counts: a slot is sent in time or not at all.
    pub(super) fn skip_what_was_missed(&mut self, now: Instant) {
        let Some(network) = &self.station.network else { return };
        let Some(core) = self.station.clock.left_core(now) else { return };
        let present = network.frame_at(core);
        self.station.begun = self.station.begun.max(present);
        if let Some(master) = &mut self.master {
            master.next_plan = master.next_plan.max(present.saturating_sub(1));
        }
        while self.frame_due(self.station.begun + 1).is_some_and(|due| due <= now) {
            self.station.begun += 1;
        }
    }

    pub(super) fn plan(&mut self, now: Instant, actions: &mut Actions) {
        let wishes = if self.master.is_some() { self.station.wishes() } else { return };
        let (Some(network), Some(master)) = (&self.station.network, &mut self.master) else { return };
        let (node, begins) = (self.station.post.me, self.station.begun);
        let own = Own { node, wishes, unused: self.station.edge.unused(), begins };
        let plan = master.plan(network, &own, self.standby.heard(), &mut self.station.post);
        actions.extend(master.found.drain(..).map(Action::Fault));
        self.send_to_core(now, plan.into(), actions);
    }

    pub(super) fn begin(&mut self, now: Instant, frame: u64, actions: &mut Actions) {
        let Some(network) = self.station.network.clone() else { return };
        if self.station.clock.age(now) > network.holdover() {
            return self.lose_synchronization(frame, actions);
        }
        self.notice_no_signal(now, frame, &network, actions);
        if self.master.is_some() {
            self.tell(now, frame, &network, actions);
        } else {
            self.ask(now, frame, &network, actions);
        }
        self.station.depart(now, frame, actions);
    }

    /// Nothing came from the core for as long as a slave may be silent. Its host hears of it once; the master in every
    /// frame until something comes, as each report may be lost.
    fn notice_no_signal(&mut self, now: Instant, frame: u64, network: &Network, actions: &mut Actions) {
        let silent = now.saturating_since(self.last_beacon) > network.frame().saturating_mul(network.patience());
        self.slave.reports.retain(|report| report.kind != FaultKind::NoSignal);
        if silent {
            let fault = Fault { kind: FaultKind::NoSignal, node: self.station.post.me, frame };
            self.slave.reports.push(fault.clone());
            if !self.no_signal {
                self.station.post.tally.add(Count::NoSignal);
                actions.push(Action::Fault(fault));
            }
        }
        self.no_signal = silent;
    }

    fn lose_synchronization(&mut self, frame: u64, actions: &mut Actions) {
        self.station.post.tally.add(Count::HoldoverEnded);
        self.station.clock.forget();
        self.slave.stage = Stage::Listening;
        let (kind, node) = (FaultKind::Synchronization, self.station.post.me);
        actions.push(Action::Fault(Fault { kind, node, frame }));
    }

    /// What the slave sends in a frame.
    fn ask(&mut self, now: Instant, frame: u64, network: &Network, actions: &mut Actions) {
        // Who has resigned is still the master by the latest beacon.
        if self.led_by == NodeId::ALL || self.led_by == self.station.post.me {
            return;
        }
        let (to, term) = (self.led_by, self.standby.term());
        match (network.carriage, network.signalling_slot(self.station.post.me)) {
            (Carriage::Slots, None) => {}
            (Carriage::Slots, Some(slot)) => {
                let blocks = self.slave.blocks(&mut self.station, term, frame);
                let address = Address { class: Class::Signalling, to, frame, slot };
                self.station.signal_in(now, address, blocks, actions);
            }
            _ => {
                let blocks = self.slave.blocks(&mut self.station, term, frame);
                self.station.signal_at(now, to, frame, blocks, actions);
            }
        }
    }

    /// What the master sends in a frame.
    fn tell(&mut self, now: Instant, frame: u64, network: &Network, actions: &mut Actions) {
        let Some(master) = &mut self.master else { return };
        let (leaving, term) = (master.has_taken_leave(), master.term);
        let told = master.tell(network, frame, &self.station.post);
        let own =
            (frame..=frame + network.use_lead()).filter_map(|frame| master.own_allocation(self.station.post.me, frame));
        for allocation in own.collect::<Vec<_>>() {
            self.station.edge.accept(&allocation, frame);
        }
        self.station.statuses =
            network.members.iter().map(|member| (member.node, master.status(member.node))).collect();
        for (member, blocks) in told {
            match network.signalling_slot(member.node) {
                Some(slot) => {
                    let address = Address { class: Class::Signalling, to: member.node, frame, slot };
                    self.station.signal_in(now, address, blocks, actions);
                }
                None if network.carriage != Carriage::Slots => {
                    self.station.signal_at(now, member.node, frame, blocks, actions);
                }
                None => {}
            }
        }
        if leaving {
            self.claim(now, ClaimKind::Resign, term, actions);
            self.step_down();
        }
    }
}
