//! The way into a port: [`Port::enqueue`].

use super::{Port, PortKind};
use crate::engine::link::backlog::Transmission;
use crate::engine::link::features::PortFeatures;
use crate::engine::link::gated::GatedTransmitter;
use crate::engine::packet::admission::{Admission, Cause, Count};
use crate::engine::packet::{Flags, Packet, PayloadTable};
use crate::links::Passage;
use crate::queue::{Arrival, Verdict};

impl Port {
    /// A packet arrives that no agent takes. After [`Admission::Queued`], [`Port::release`] is to be called.
    #[inline(always)]
    pub fn enqueue(&mut self, now: u64, packet: &Packet, payloads: &mut PayloadTable) -> Admission {
        let size = packet.size;
        self.offered.add(size);
        if !self.is_plain {
            if self.makes_room {
                return self.enqueue_grown(now, packet, payloads);
            }
            let at = if self.passes_on && !self.is_watched { self.pass(now, packet, payloads) } else { None };
            return at.map_or_else(|| self.enqueue_at_any(now, packet, payloads), Admission::Scheduled);
        }
        let (start, lasts) = (self.busy_until(), self.byte_time.of_packet(size).ps());
        if start <= now {
            let end = now + lasts;
            self.backlog.begin(Transmission { start: now, end, size, is_lost: false, follows: false });
            return Admission::Scheduled(self.arrival(end, lasts));
        }
        if !self.has_room_now(now, size) {
            return Admission::Dropped(self.refuse(Cause::Congestion, size));
        }
        let end = start + lasts;
        self.backlog.follow(now, Transmission { start, end, size, is_lost: false, follows: true });
        Admission::Scheduled(self.arrival(end, lasts))
    }

    /// A packet that finds the transmitter free, and so nothing that waits: when it is at the far end.
    #[inline]
    fn pass(&mut self, now: u64, packet: &Packet, payloads: &mut PayloadTable) -> Option<u64> {
        let (free, lasts) = (self.busy_until(), self.lasts(packet.size));
        let PortKind::Disciplined(line) = &mut self.kind else { return None };
        if free > now {
            return None;
        }
        if line.pass(now, packet) {
            self.tell_packet(now, packet, payloads);
        }
        let end = now + lasts;
        self.backlog.begin(Transmission { start: now, end, size: packet.size, is_lost: false, follows: free == now });
        Some(self.arrival(end, lasts))
    }

    /// The same of a packet that waits with the room for what will be measured of it.
    #[cold]
    #[inline(never)]
    fn enqueue_grown(&mut self, now: u64, packet: &Packet, payloads: &mut PayloadTable) -> Admission {
        let grown = payloads.with_room(packet);
        self.offered.bytes += u64::from(grown.size - packet.size);
        self.enqueue_at_any(now, &grown, payloads)
    }

    /// The same at any port: its discipline judges the packet, its controller sees it, it is admitted by what the port
    /// is, and it may be lost behind the port.
    #[inline(never)]
    fn enqueue_at_any(&mut self, now: u64, packet: &Packet, payloads: &mut PayloadTable) -> Admission {
        if self.passes_on
            && !self.is_watched
            && let Some(line) = self.line_mut()
            && let Some(admission) = line.join(now, packet)
        {
            return admission;
        }
        let verdict = self.judge(now, packet);
        let header = if self.reads_payload() { payloads.header_mut(packet) } else { None };
        self.tell_arrival(now, packet.size, header.as_deref());
        let end = match self.admit(now, packet, verdict) {
            Ok(end) => end,
            Err(cause) => return Admission::Dropped(self.refuse(cause, packet.size)),
        };
        self.tell_departure(packet.size, header);
        let admission = match end {
            Some(end) => self.send(end, packet.size),
            None if self.gate().is_some_and(GatedTransmitter::is_stuck) => Admission::Blocked,
            None if self.is_doubled() => Admission::Doubled,
            None => Admission::Queued,
        };
        if verdict != Verdict::Mark || matches!(admission, Admission::Dropped(_)) {
            return admission;
        }
        self.marked += 1;
        admission.marked()
    }

    /// Whether a property of the link has a copy come behind the packet that waits now.
    fn is_doubled(&mut self) -> bool {
        self.features.as_mut().is_some_and(|features| features.fibre.is_doubled())
    }

    /// A packet of which the queue discipline says `verdict` gets in or not, by what the port is. When its last bit
    /// leaves, if it has its time.
    fn admit(&mut self, now: u64, packet: &Packet, verdict: Verdict) -> Result<Option<u64>, Cause> {
        let size = packet.size;
        if verdict == Verdict::Drop {
            return Err(Cause::Early);
        }
        if let PortKind::Optical(optical) = &mut self.kind {
            optical.least_backlog.note(self.backlog.busy_until().saturating_sub(now));
        }
        let is_judged = self.features.as_ref().is_some_and(|features| features.queue.is_some());
        let is_sending = self.passes_on && self.busy_until() > now;
        match &mut self.kind {
            _ if !self.is_up => Err(Cause::Unreachable),
            PortKind::Gated(_) => self.admit_to_gate(now, packet, verdict),
            PortKind::Disciplined(line) => {
                if is_sending {
                    line.await_transmitter();
                }
                line.accept(now, &if verdict == Verdict::Mark { packet.marked() } else { *packet });
                // A judged packet without room is dropped at once, and its mark does not count.
                let dropped = if is_judged { line.take_dropped() } else { None };
                dropped.map_or(Ok(None), |(_, cause, _)| Err(cause))
            }
            PortKind::DropTail | PortKind::Optical(_) => {
                let has_room = self.has_room_now(now, size);
                if has_room { Ok(Some(self.transmit(now, size, self.lasts(size)))) } else { Err(Cause::Congestion) }
            }
        }
    }

    /// Whether a packet can be sent in the order of arrivals. If it has to wait, that is noted.
    #[inline(always)]
    fn has_room_now(&mut self, now: u64, size: u16) -> bool {
        // So many wait at most; those that have ended since the last sweep are among them.
        let most = self.backlog.behind_first();
        let is_sure = most.packets < self.backlog.most_waiting() && most.bytes + u64::from(size) <= self.room.bytes;
        is_sure || self.has_room_after_sweep(now, size)
    }

    /// The same where what has ended does not count.
    #[inline(never)]
    fn has_room_after_sweep(&mut self, now: u64, size: u16) -> bool {
        self.backlog.sweep(now);
        if self.backlog.is_empty() {
            return true;
        }
        let waiting = self.backlog.behind_first();
        let has_room = self.has_room(waiting, size);
        if has_room {
            self.backlog.note_waiting(waiting.packets + 1);
        }
        has_room
    }

    /// A packet that `lasts` so long is transmitted as soon as the transmitter is free. When its last bit leaves.
    #[inline(always)]
    pub(super) fn transmit(&mut self, now: u64, size: u16, lasts: u64) -> u64 {
        let free = self.busy_until();
        let start = free.max(now);
        let end = start + lasts;
        self.backlog.schedule(now, Transmission { start, end, size, is_lost: false, follows: free >= now });
        end
    }

    /// Whether a packet that has to wait has room.
    #[inline(always)]
    pub(super) fn has_room(&self, waiting: Count, size: u16) -> bool {
        waiting.packets < self.room.packets && waiting.bytes + u64::from(size) <= self.room.bytes
    }

    /// The packet that has its time last is sent, its last bit at `end`: it is lost, or arrives.
    pub(super) fn send(&mut self, end: u64, size: u16) -> Admission {
        let late = match self.passage(end, size) {
            Ok(late) => late,
            Err(cause) => {
                self.dropped.add(size);
                return Admission::Dropped(cause);
            }
        };
        let lasts = if self.delivers() { 0 } else { self.lasts(size) };
        if self.lets_overtake() {
            return Admission::Scheduled(end + self.delay + late);
        }
        let at = self.arrival(end + late, if self.keeps_distance() { lasts } else { 0 });
        Admission::Scheduled(if self.tells_first_bit() { at - lasts } else { at })
    }

    /// Whether the last bit of a packet arrives at least as long behind that of the packet before it as it lasts, also
    /// where the delay falls. A delay that is a law of time says itself when it arrives: what is sent from ever nearer
    /// comes closer together. Only the order is kept then, unless first bits are told.
    pub(super) fn keeps_distance(&self) -> bool {
        self.tells_first_bit() || self.features.as_ref().is_none_or(|features| features.law.is_none())
    }

    /// When the last bit of a packet that leaves with it at `end` is at the far end: a delay later, and as long as it
    /// `lasts`, if that counts, behind the packet before it, also where the delay has become shorter meanwhile.
    #[inline(always)]
    pub(super) fn arrival(&mut self, end: u64, lasts: u64) -> u64 {
        self.last_arrival = (self.last_arrival + lasts).max(end + self.delay);
        self.last_arrival
    }

    /// How much later than a delay after `end` the packet arrives that has its time last; or why it does not: its
    /// windows do not meet the switch, the fibre loses it, or the link has gone.
    fn passage(&mut self, end: u64, size: u16) -> Result<u64, Cause> {
        if matches!(self.kind, PortKind::Gated(_)) && self.backlog.newest().is_some_and(|newest| newest.is_lost) {
            return Err(Cause::GuardViolation);
        }
        let Some(features) = &mut self.features else { return Ok(0) };
        match features.fibre.depart(end, size) {
            Passage::Arrives { late } => match features.law.as_mut().map_or(Some(0), |law| law.late(end)) {
                Some(by_law) => Ok(late + by_law),
                None => {
                    self.backlog.lose_newest();
                    Err(Cause::OutOfSight)
                }
            },
            Passage::Lost => {
                self.backlog.lose_newest();
                Err(Cause::Random)
            }
        }
    }

    /// What the discipline of the port says of a packet that comes; without one, and while the link is down, it says
    /// nothing.
    fn judge(&mut self, now: u64, packet: &Packet) -> Verdict {
        if !self.is_up || self.features.as_ref().is_none_or(|features| features.queue.is_none()) {
            return Verdict::Accept;
        }
        self.backlog.sweep(now);
        let waiting = self.waiting(now).plus(self.kept().count());
        let Some(PortFeatures { queue: Some(queue), .. }) = self.features.as_deref_mut() else {
            return Verdict::Accept;
        };
        let idle_since = match self.kind {
            PortKind::Gated(_) => None,
            _ => Some(self.backlog.busy_until()).filter(|since| *since <= now && waiting.packets == 0),
        };
        let is_capable = packet.flags.has(Flags::CAPABLE);
        let (packets, bytes) = (waiting.packets, waiting.bytes);
        queue.handle_arrival(&Arrival { now, size: packet.size, is_capable, packets, bytes, idle_since })
    }
}
