//! The way into a port: [`Port::enqueue`].
//!
//! A packet that no agent takes is admitted by what the port is:
//!
//! * first in, first out, and its fibre says what is inside: [`Port::carry`], by a comparison or two;
//! * the same with a list of its own, also in an optical packet switch: [`Port::offer`];
//! * with [`PortFeatures`]: its queue discipline judges the packet, its controller sees it, then a gate, a discipline
//!   that decides when packets leave, or [`Port::offer`] admits it, and it may be lost on the fibre.

use super::backlog::Backlog;
use super::bounds::SEVERAL;
use super::{BacklogPlace, Port, PortKind, State};
use crate::engine::link::features::PortFeatures;
use crate::engine::link::ring::Ring;
use crate::engine::packet::admission::{Admission, Cause, Count};
use crate::engine::packet::{Packet, PayloadTable};
use crate::model::Light;
use crate::queue::Verdict;
use transport::xcp::Header;

impl Port {
    /// A packet arrives that no agent takes; `fibre` is the one behind this port. After [`Admission::Queued`],
    /// [`Port::release`] is to be called.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        now: u64,
        packet: &Packet,
        payloads: &mut PayloadTable,
        fibre: &Ring<Packet>,
    ) -> Admission {
        if self.list == BacklogPlace::Own {
            return self.enqueue_on_own_list(now, packet, payloads, fibre);
        }
        match self.carry(now, packet.size, fibre) {
            Some(at) => Admission::Scheduled(at),
            None => self.carry_crowded(now, packet.size, fibre),
        }
    }

    /// The same for a port with a list of its own of what is inside, which does without as soon as it may.
    #[inline(never)]
    fn enqueue_on_own_list(
        &mut self,
        now: u64,
        packet: &Packet,
        payloads: &mut PayloadTable,
        fibre: &Ring<Packet>,
    ) -> Admission {
        if self.has_features {
            let header = if self.reads_payload() { payloads.header_mut(packet) } else { None };
            return self.enqueue_with_features(now, packet, header);
        }
        if self.may_use_fibre(now) {
            self.use_fibre(packet.size, fibre);
            return self.enqueue(now, packet, payloads, fibre);
        }
        self.offer(now, packet.size)
    }

    /// A packet of `size` bytes is sent in the order of arrivals, if there is room.
    #[inline]
    pub(in crate::engine) fn offer(&mut self, now: u64, size: u16) -> Admission {
        self.least_backlog.note(self.busy_until.saturating_sub(now));
        let is_first_bit = self.light == Light::FirstBit;
        let Some(end) = self.accept_within_bounds(now, size) else {
            return match self.offer_crowded(now, size) {
                Admission::Scheduled(at) if is_first_bit => Admission::Scheduled(at - self.lasts(size)),
                offer => offer,
            };
        };
        let at = self.send(end, size);
        // The time of the packet is known here already: a bounded port's bytes are short.
        Admission::Scheduled(if is_first_bit { at - self.byte_time.of_packet(size).ps() } else { at })
    }

    /// The same where it must be looked whether there is room.
    #[inline(never)]
    fn offer_crowded(&mut self, now: u64, size: u16) -> Admission {
        match self.with_own(|port, own| port.accept_crowded(now, size, own)) {
            Ok(end) => Admission::Scheduled(self.send(end, size)),
            Err(cause) => Admission::Dropped(cause),
        }
    }

    /// A packet is sent, the last bit at `end`, by a port with a list of its own. When it is at the far end.
    #[inline]
    pub(super) fn send(&mut self, end: u64, size: u16) -> u64 {
        self.push_backlog(end, size);
        self.leave(end, size)
    }

    /// A packet arrives at the port, whose `fibre` says what is inside. When it is at the far end; `None` if it must be
    /// looked whether there is room, which [`Port::carry_crowded`] does.
    #[inline(always)]
    fn carry(&mut self, now: u64, size: u16, fibre: &Ring<Packet>) -> Option<u64> {
        self.note_offered(size);
        let start = self.busy_until.max(now);
        let duration = self.byte_time.of_packet(size).ps();
        let is_bounded = self.has_room_by_time(size, start - now)
            || self.has_room_by_count(now, start - now + duration, fibre.put_in());
        is_bounded.then(|| self.accept(now, start, duration) + self.delay)
    }

    /// The same for the packet that has just arrived, where it must be looked.
    #[inline(never)]
    fn carry_crowded(&mut self, now: u64, size: u16, fibre: &Ring<Packet>) -> Admission {
        let list = self.on_fibre(fibre);
        match self.accept_crowded(now, size, &list) {
            Ok(end) => Admission::Scheduled(end + self.delay),
            Err(cause) => Admission::Dropped(cause),
        }
    }

    /// A packet arrives at a port with a list of its own, which is asked by number. When its last bit leaves; `None` if
    /// it must be looked whether there is room, which [`Port::accept_crowded`] does.
    #[inline(always)]
    pub(super) fn accept_within_bounds(&mut self, now: u64, size: u16) -> Option<u64> {
        self.note_offered(size);
        let start = self.busy_until.max(now);
        // A port whose bytes are long is never bounded.
        let duration = self.byte_time.of_packet(size).ps();
        let is_bounded = self.has_room_by_count(now, start - now + duration, self.own.put_in());
        is_bounded.then(|| self.accept(now, start, duration))
    }

    /// A packet is offered.
    #[inline]
    pub(super) fn note_offered(&mut self, size: u16) {
        self.offered += 1;
        self.offered_bytes += u64::from(size);
    }

    /// Packets and bytes offered since the start.
    pub(super) fn offered(&self) -> Count {
        Count { packets: self.offered, bytes: self.offered_bytes }
    }

    /// The packet that has just arrived, where it must be looked whether there is room. When its last bit leaves, or
    /// why it is dropped.
    #[inline]
    fn accept_crowded(&mut self, now: u64, size: u16, list: &impl Backlog) -> Result<u64, Cause> {
        if size != self.only_size && self.only_size != SEVERAL {
            self.bound_by_count();
        }
        let duration = self.lasts(size);
        if self.busy_until <= now {
            if self.is_stretched {
                self.is_stretched = false;
                self.set_bounds();
            }
            if self.state == State::Down {
                return Err(self.refuse(Cause::Unreachable, size));
            }
            self.first_inside = list.put_in();
        } else {
            self.sweep(now, list);
            if !self.has_room(now, size, duration, list) {
                return Err(self.refuse(Cause::Congestion, size));
            }
            let waiting = (list.put_in() - self.first_inside) as u32;
            if waiting > self.max_waiting {
                self.max_waiting = waiting;
                self.set_bounds();
            }
        }
        Ok(self.accept(now, self.busy_until.max(now), duration))
    }

    /// A packet that has come now is transmitted from `start` on, for `duration`. When its last bit leaves.
    #[inline(always)]
    fn accept(&mut self, now: u64, start: u64, duration: u64) -> u64 {
        let (waited, is_beyond) = self.waited.overflowing_add(start - now);
        self.waited = waited;
        if is_beyond {
            self.waited_above += 1;
        }
        self.transmit(start, duration)
    }

    /// A packet leaves with its last bit at `end`. When it is at the far end: a delay later, and as long as it lasts
    /// behind the packet before it, also where the delay has become shorter meanwhile.
    #[inline]
    pub(super) fn leave(&mut self, end: u64, size: u16) -> u64 {
        self.last_arrival = (self.last_arrival + self.lasts(size)).max(end + self.delay);
        self.last_arrival
    }

    /// A packet is sent from `start` on, for `duration`, behind those before it. When its last bit leaves.
    #[inline]
    pub(super) fn transmit(&mut self, start: u64, duration: u64) -> u64 {
        let end = start + duration;
        self.busy += duration;
        self.busy_until = end;
        end
    }

    /// A packet enters a port with [`PortFeatures`]; `header` is its congestion header, if the port reads it.
    fn enqueue_with_features(&mut self, now: u64, packet: &Packet, header: Option<&mut Header>) -> Admission {
        let Some(mut features) = self.features.take() else { return self.offer(now, packet.size) };
        let arrival_before = self.last_arrival;
        let verdict = self.judge(now, packet, &mut features);
        let mut admission = self.admit(now, packet, verdict, &mut features, header);
        // What is held meets its fate when it is sent.
        if matches!(admission, Admission::Scheduled(_))
            && let Some(dropped) = self.fate(packet.size, &mut features)
        {
            // Those behind it wait for none that does not arrive.
            self.last_arrival = arrival_before;
            admission = dropped;
        }
        if verdict == Verdict::Mark && !matches!(admission, Admission::Dropped(_)) {
            features.marked += 1;
            admission = admission.marked();
        }
        self.features = Some(features);
        admission
    }

    /// The controller sees a packet of which its queue discipline says `verdict`, and the port admits or refuses it.
    fn admit(
        &mut self,
        now: u64,
        packet: &Packet,
        verdict: Verdict,
        features: &mut PortFeatures,
        mut header: Option<&mut Header>,
    ) -> Admission {
        let size = packet.size;
        let PortFeatures { controller, gate, line, queue, .. } = features;
        if let Some(controller) = controller {
            self.serve(now, &mut controller.router, gate);
            let waiting = self.queue_bytes(now, gate);
            controller.router.handle_arrival(u32::from(size), header.as_deref(), waiting);
        }
        let admission = match (self.kind, gate, line) {
            _ if verdict == Verdict::Drop => {
                self.note_offered(size);
                Admission::Dropped(self.refuse(Cause::Early, size))
            }
            (PortKind::Disciplined, _, Some(line)) if queue.is_some() => self.offer_judged(now, packet, verdict, line),
            (PortKind::Disciplined, _, Some(line)) => self.offer_to_discipline(now, packet, line),
            (PortKind::Gated, Some(gate), _) => self.offer_to_gate(now, packet, verdict, gate),
            _ => self.offer(now, size),
        };
        if !matches!(admission, Admission::Dropped(_))
            && let (Some(controller), Some(header)) = (controller, &mut header)
        {
            controller.router.handle_departure(u32::from(size), header);
        }
        admission
    }

    /// What becomes of the packet just accepted, if it does not arrive.
    #[inline]
    fn fate(&mut self, size: u16, features: &mut PortFeatures) -> Option<Admission> {
        let PortFeatures { gate, loss, .. } = features;
        let Some(gate) = gate else { return loss.strikes().then(|| self.lose(size)) };
        let cause = gate.fate(loss)?;
        self.dropped.add(size);
        Some(Admission::Dropped(cause))
    }

    /// The packet just accepted will vanish on the fibre.
    pub(super) fn lose(&mut self, size: u16) -> Admission {
        let newest = self.own.len() - 1;
        self.own.nth_mut(newest).lose();
        self.dropped.add(size);
        Admission::Dropped(Cause::Random)
    }

    #[cold]
    pub(super) fn refuse(&mut self, cause: Cause, size: u16) -> Cause {
        self.dropped.add(size);
        self.refused.add(size);
        cause
    }
}
