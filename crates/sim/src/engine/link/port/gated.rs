//! A port that sends in granted slots only.

use super::{LinkDownLosses, Port, State};
use crate::engine::link::features::PortFeatures;
use crate::engine::link::gated::{Cleared, GateAdmission, GatedTransmitter, Granted, Row};
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Admission, Cause, Count};
use crate::model::Buffer;
use crate::queue::Verdict;

impl Port {
    /// A packet arrives that is for the gate. What is carried has not met its fate ([`GatedTransmitter::fate`]); one
    /// that is marked is held first.
    #[inline]
    pub(super) fn offer_to_gate(
        &mut self,
        now: u64,
        packet: &Packet,
        verdict: Verdict,
        gate: &mut GatedTransmitter,
    ) -> Admission {
        self.note_offered(packet.size);
        if self.state == State::Down {
            return Admission::Dropped(self.refuse(Cause::Unreachable, packet.size));
        }
        let inside = gate.inside();
        let full = match self.buffer {
            Buffer::Packets(places) => inside.packets >= places && gate.queue(now).0 >= places,
            Buffer::Bytes(room) => {
                let is_beyond = |bytes: u64| bytes + u64::from(packet.size) > room.count();
                is_beyond(inside.bytes) && is_beyond(gate.queue(now).1)
            }
            Buffer::Unlimited => false,
        };
        if full && gate.is_occupied(now, packet.size, self.byte_time) {
            return Admission::Dropped(self.refuse(Cause::Congestion, packet.size));
        }
        let admission = match verdict {
            Verdict::Mark => gate.hold(now, &packet.marked()),
            _ => gate.admit(now, packet, self.byte_time),
        };
        match admission {
            GateAdmission::Placed(end) => {
                gate.note_queue(now);
                Admission::Scheduled(self.leave(end, packet.size))
            }
            GateAdmission::Held => Admission::Queued,
            GateAdmission::Stuck => {
                gate.note_queue(now);
                Admission::Blocked
            }
        }
    }

    /// Sends the next packet behind the gate, as far as the windows reach, or of the line: `released` is that packet
    /// then. Gives what becomes of it.
    #[inline(always)]
    pub fn release(&mut self, now: u64, released: &mut Packet) -> Option<Admission> {
        let PortFeatures { loss, gate, .. } = &mut **self.features.as_mut()?;
        let Some(gate) = gate.as_mut() else {
            let (packet, offer) = self.release_disciplined(now)?;
            *released = packet;
            return Some(offer);
        };
        let Some(end) = gate.place(now, self.byte_time, released) else {
            gate.note_queue(now);
            return None;
        };
        let Some(cause) = gate.fate(loss) else { return Some(Admission::Scheduled(self.leave(end, released.size))) };
        self.dropped.add(released.size);
        Some(Admission::Dropped(cause))
    }

    /// A frame begins in which the queue behind the gate has `slots` slots.
    pub fn begin_frame(&mut self, now: u64, slots: u32) {
        // The controller's timers that were due are served while the queue is as it was then.
        self.control(now);
        if let Some(gate) = self.gate_mut() {
            gate.begin_frame(now, slots);
        }
    }

    /// The queue behind the gate may send in this window, or these, later than those it has.
    pub fn open_windows(&mut self, windows: impl Into<Row>) {
        if let Some(gate) = self.gate_mut() {
            gate.open(windows.into());
        }
    }

    pub(super) fn gate_mut(&mut self) -> Option<&mut GatedTransmitter> {
        self.features.as_mut().and_then(|features| features.gate.as_mut())
    }

    pub(super) fn gate(&self) -> Option<&GatedTransmitter> {
        self.features.as_ref().and_then(|features| features.gate.as_ref())
    }

    /// Slots granted so far, if the port has a gate.
    pub fn granted(&self) -> Option<Granted> {
        self.gate().map(GatedTransmitter::granted)
    }

    /// Packets that stay here because they have no slot yet, or wait for their discipline.
    pub fn held(&self) -> u64 {
        self.gate().map_or(0, GatedTransmitter::unplaced) + self.in_discipline().packets
    }

    /// Bytes of these packets.
    pub fn held_bytes(&self) -> u64 {
        self.gate().map_or(0, GatedTransmitter::unplaced_bytes)
    }

    /// Shows every packet that is held.
    pub fn for_each_held(&mut self, mut change: impl FnMut(&mut Packet)) {
        let Some(features) = &mut self.features else { return };
        if let Some(gate) = &mut features.gate {
            gate.for_each_unplaced(&mut change);
        }
        if let Some(line) = &mut features.line {
            line.for_each(change);
        }
    }

    pub(super) fn take_gate_down(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.control(now);
        let Cleared { on_fibre, lost, unplaced } =
            self.gate_mut().map_or_else(Cleared::default, |gate| gate.clear(now));
        for size in lost {
            self.refused = self.refused.plus(Count { packets: 1, bytes: size });
        }
        let taken: Vec<Packet> = (0..on_fibre).filter_map(|_| in_flight.pop_newest()).collect();
        for packet in taken.iter().chain(&unplaced) {
            self.dropped.add(packet.size);
            self.refused.add(packet.size);
        }
        self.follow(in_flight);
        LinkDownLosses { from_fibre: taken, held: unplaced }
    }
}
