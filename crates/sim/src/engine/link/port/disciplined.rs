//! A port whose discipline decides when packets leave: the discipline is asked whenever the transmitter is free.

use super::{Port, State};
use crate::engine::link::disciplined_queue::DisciplinedQueue;
use crate::engine::link::features::PortFeatures;
use crate::engine::packet::admission::{Admission, Cause, Count};
use crate::engine::packet::{NEVER, Packet};
use crate::model::Buffer;
use crate::queue::Room;
use std::sync::Arc;

impl Port {
    pub(super) fn offer_to_discipline(&mut self, now: u64, packet: &Packet, line: &mut DisciplinedQueue) -> Admission {
        self.note_offered(packet.size);
        if self.state == State::Down {
            return Admission::Dropped(self.refuse(Cause::Unreachable, packet.size));
        }
        // What comes to a free transmitter need not wait, and needs no room.
        let room = if line.is_armed() { room(self.buffer) } else { Room::Unlimited };
        line.accept(now, packet, room);
        Admission::Queued
    }

    /// The next of what there is to do at `now`: a packet was dropped, or one is sent. At the end the queue is counted.
    pub(super) fn release_disciplined(&mut self, now: u64) -> Option<(Packet, Admission)> {
        let mut features = self.features.take()?;
        let released = features.line.is_some().then(|| self.step_discipline(now, &mut features)).flatten();
        if released.is_none()
            && let Some(line) = &features.line
        {
            self.kept.set(now, line.len(), line.bytes());
        }
        self.features = Some(features);
        released
    }

    fn step_discipline(&mut self, now: u64, features: &mut PortFeatures) -> Option<(Packet, Admission)> {
        let line = features.line.as_mut()?;
        if let Some((packet, cause)) = line.take_dropped() {
            return Some((packet, Admission::Dropped(self.refuse(cause, packet.size))));
        }
        if line.is_armed() && self.busy_until > now {
            return None;
        }
        if let Some(controller) = &mut features.controller {
            self.serve(now, &mut controller.router, &mut features.gate);
        }
        let Some((packet, is_marked)) = line.next(now) else {
            let (packet, cause) = line.take_dropped()?;
            return Some((packet, Admission::Dropped(self.refuse(cause, packet.size))));
        };
        features.marked += u64::from(is_marked);
        Some((packet, self.send_now(now, packet.size, features)))
    }

    /// The transmitter, which is free, sends a packet.
    fn send_now(&mut self, now: u64, size: u16, features: &mut PortFeatures) -> Admission {
        self.clear_own();
        let end = self.transmit(now, self.lasts(size));
        self.push_backlog(end, size);
        if features.loss.strikes() {
            return self.lose(size);
        }
        Admission::Scheduled(self.leave(end, size))
    }

    /// When the discipline is asked next, and the place of that in the event list; `None` for a port without one.
    #[inline]
    pub fn departure(&self) -> Option<(u32, u64)> {
        let line = self.line()?;
        Some((line.leaf, if line.is_armed() { self.busy_until } else { NEVER }))
    }

    /// The bands of the flows, for a discipline that has use for them.
    pub fn set_bands(&mut self, bands: &Arc<[u8]>) {
        if let Some(line) = self.features.as_mut().and_then(|features| features.line.as_mut()) {
            line.bands = Some(Arc::clone(bands));
        }
    }

    /// The place of its departures in the event list, if they are events.
    pub fn set_leaf(&mut self, leaf: u32) {
        if let Some(line) = self.features.as_mut().and_then(|features| features.line.as_mut()) {
            line.leaf = leaf;
        }
    }

    /// Whether all that leaves from now on, and may be marked, is: so a circuit tells that data have met it.
    pub fn mark_all(&mut self, is_on: bool) {
        if let Some(line) = self.features.as_mut().and_then(|features| features.line.as_mut()) {
            line.mark_all(is_on);
        }
    }

    #[inline]
    pub(super) fn line(&self) -> Option<&DisciplinedQueue> {
        self.features.as_ref().and_then(|features| features.line.as_deref())
    }

    /// What waits in the line.
    pub(super) fn in_discipline(&self) -> Count {
        self.line().map_or(Count::default(), |line| Count { packets: line.len(), bytes: line.bytes() })
    }

    /// Takes out what waits in the line, because the link went down.
    pub(super) fn clear_discipline(&mut self, now: u64) -> Vec<Packet> {
        let Some(line) = self.features.as_mut().and_then(|features| features.line.as_mut()) else { return Vec::new() };
        let held = line.clear();
        self.kept.set(now, 0, 0);
        for packet in &held {
            self.dropped.add(packet.size);
            self.refused.add(packet.size);
        }
        held
    }
}

fn room(buffer: Buffer) -> Room {
    match buffer {
        Buffer::Packets(places) => Room::Packets(places),
        Buffer::Bytes(bytes) => Room::Bytes(bytes.count()),
        Buffer::Unlimited => Room::Unlimited,
    }
}
