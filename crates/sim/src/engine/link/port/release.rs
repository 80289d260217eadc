//! The way out of a port that holds packets back: behind a gate, or in a queue discipline.

use super::{Port, PortKind};
use crate::engine::packet::admission::{Admission, Cause};
use crate::engine::packet::{NEVER, Packet};
use std::sync::Arc;

impl Port {
    /// The next of what there is to do at `now`: `released` is a packet that is sent, as far as the windows reach or if
    /// the transmitter is free, or that the discipline has dropped. Gives what becomes of it.
    #[inline(always)]
    pub fn release(&mut self, now: u64, released: &mut Packet) -> Option<Admission> {
        match &mut self.kind {
            PortKind::DropTail | PortKind::Optical(_) => None,
            PortKind::Gated(gate) => match gate.place(now, self.byte_time, &mut self.backlog, released) {
                Some(end) => Some(self.send(end, released.size)),
                None => {
                    self.note_waiting(now);
                    None
                }
            },
            PortKind::Disciplined(_) => {
                let admission = self.release_disciplined(now, released);
                if admission.is_none() {
                    self.line_mut().into_iter().for_each(|line| line.note_held(now));
                }
                admission
            }
        }
    }

    /// Whether nothing more is to be done now, once a packet has been released: its transmission has begun, and the
    /// port does not change.
    #[inline]
    pub fn has_released(&mut self, now: u64) -> bool {
        let PortKind::Disciplined(line) = &mut self.kind else { return false };
        let is_done = self.passes_on && line.is_settled();
        if is_done {
            line.note_held(now);
        }
        is_done
    }

    /// The discipline is asked whenever the transmitter is free.
    fn release_disciplined(&mut self, now: u64, released: &mut Packet) -> Option<Admission> {
        let PortKind::Disciplined(line) = &self.kind else { return None };
        if !line.is_settled() {
            return self.take_dropped(released);
        }
        if !line.may_send() || (line.is_armed() || self.passes_on) && self.backlog.busy_until() > now {
            return None;
        }
        if !self.passes_on {
            self.serve_controller(now);
        }
        let PortKind::Disciplined(line) = &mut self.kind else { return None };
        let Some((packet, is_marked)) = line.next(now) else {
            line.turn.iter_mut().for_each(|turn| turn.bytes = 0);
            return self.take_dropped(released);
        };
        if self.passes_on && line.held().packets == 0 {
            line.forget_transmitter();
        }
        line.meter.iter_mut().for_each(|meter| meter.add(packet.size));
        *released = packet;
        self.marked += u64::from(is_marked);
        self.backlog.sweep(now);
        if self.passes_on {
            // Nothing happens to it on its fibre.
            let lasts = self.lasts(packet.size);
            let end = self.transmit(now, packet.size, lasts);
            return Some(Admission::Scheduled(self.arrival(end, lasts)));
        }
        let end = match self.delivers() {
            true => self.deliver_first(now, packet.size),
            false => self.transmit(now, packet.size, self.lasts(packet.size)),
        };
        Some(self.send(end, packet.size))
    }

    /// A packet that the discipline has dropped.
    fn take_dropped(&mut self, released: &mut Packet) -> Option<Admission> {
        let PortKind::Disciplined(line) = &mut self.kind else { return None };
        let (packet, cause, header) = line.take_dropped()?;
        *released = packet;
        match self.refuse(cause, packet.size) {
            Cause::Returned => Some(Admission::Returned(header)),
            cause => Some(Admission::Dropped(cause)),
        }
    }

    /// When the discipline is asked next, and the place of that in the event list; `None` for a port without one.
    #[inline]
    pub fn departure(&self) -> Option<(u32, u64)> {
        let PortKind::Disciplined(line) = &self.kind else { return None };
        let sends = line.is_armed() && line.may_send();
        Some((line.leaf, if sends { self.busy_until().max(line.resumed) } else { NEVER }))
    }

    /// The bands of the flows, for a discipline that has use for them.
    pub fn set_bands(&mut self, bands: &Arc<[u8]>) {
        if let Some(line) = self.line_mut() {
            line.bands = Some(Arc::clone(bands));
        }
    }

    /// Whether all that leaves from now on, and may be marked, is: so a circuit tells that data have met it.
    pub fn mark_all(&mut self, is_on: bool) {
        if let PortKind::Disciplined(line) = &mut self.kind {
            line.mark_all(is_on);
        }
    }

    /// The place of its departures in the event list, if they are events.
    pub fn set_leaf(&mut self, leaf: u32) {
        if let Some(line) = self.line_mut() {
            line.leaf = leaf;
        }
    }
}
