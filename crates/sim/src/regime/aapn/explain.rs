//! `[switching]` of an agile all-photonic network.

use super::plan::{Aapn, Allocation, Channel, Computed, Counts, Plan, Request, Signal, Spare};
use crate::language::{Text, since_start};
use crate::model::Packing;
use control::demand::Forecast;
use units::Duration;

impl Text<'_> {
    pub(super) fn aapn(&mut self, aapn: &Aapn) {
        let frame = aapn.frame;
        self.line("\n[switching]");
        self.key("kind", "\"aapn\"", "");
        self.key("slots", frame.slots, "slots in a frame");
        self.quantity("slot_time", frame.slot, "");
        self.key("signalling_slots", frame.signalling_slots, "the first slots of each frame, which carry no data");
        self.quantity("guard", frame.guard, "the part of each slot in which nothing is sent");
        let packing = match aapn.packing {
            Packing::Cut => "cut",
            Packing::Whole => "whole",
        };
        self.quantity("packing", packing, "what happens to a packet that does not fit into the rest of a slot");
        match &aapn.plan {
            Plan::Fixed(allocations) => self.allocations(allocations),
            Plan::Computed(computed) => self.computed(computed),
        }
        self.line(&format!("signal = {}", signal(&aapn.signal)));
        for edge in aapn.edges.iter().filter(|edge| edge.offset != 0 || edge.jitter > Duration::ZERO) {
            let late = if edge.offset < 0 { "early" } else { "late" };
            let (offset, jitter) = (Duration::from_ps(edge.offset.unsigned_abs()), edge.jitter);
            self.line("\n[[switching.clock]]");
            self.key("node", self.node_name(edge.node), "");
            self.quantity(late, offset, "");
            self.quantity("jitter", jitter, "");
        }
    }

    fn allocations(&mut self, allocations: &[Allocation]) {
        self.line("allocation = [");
        for Allocation { at, link, slots } in allocations {
            let queue = &self.network.links[link.index()];
            let [from, to] = [queue.from, queue.to].map(|node| self.node_name(node));
            let via = queue.via.map_or_else(String::new, |core| format!(", via = {}", self.node_name(core)));
            self.line(&format!(
                "    {{ at = \"{}\", from = {from}, to = {to}{via}, slots = {slots} }},",
                since_start(*at)
            ));
        }
        self.line("]");
    }

    fn computed(&mut self, computed: &Computed) {
        self.quantity("scheduler", computed.algorithm.name(), "");
        match computed.request {
            Request::Queue => self.quantity("request", "queue", "what edge nodes ask for"),
            Request::Forecast(Forecast::LastFrame) => self.quantity("request", "last-frame", "what edge nodes ask for"),
            Request::Forecast(Forecast::Smoothed { shift }) => {
                self.quantity("request", "smoothed", "what edge nodes ask for");
                self.key("smoothing", shift, "the last frame has the weight 1/2^smoothing");
            }
        }
        let channel = match computed.channel {
            Channel::InBand => "in-band",
            Channel::OutOfBand => "out-of-band",
        };
        self.quantity("signalling", channel, "");
        self.quantity("scheduling_time", computed.scheduling_time, "how long a core node computes");
        let spare = match computed.spare {
            Spare::All => "all",
            Spare::Asking => "asking",
            Spare::Idle => "idle",
        };
        self.quantity("spare_slots", spare, "what happens to slots that nobody asked for");
    }
}

fn signal(signal: &Signal) -> String {
    let counts = match signal.counts {
        Counts::Payload => "payload",
        Counts::Slot => "slot",
    };
    let quantum = if signal.quantum.bps() == 0 { String::new() } else { format!(", quantum = \"{}\"", signal.quantum) };
    let Signal { age, ahead, loss, frames, .. } = signal;
    let when = if *ahead > Duration::ZERO { format!("ahead = \"{ahead}\"") } else { format!("age = \"{age}\"") };
    format!("{{ {when}, loss = {loss:?}{quantum}, frames = {frames}, counts = \"{counts}\" }}")
}
