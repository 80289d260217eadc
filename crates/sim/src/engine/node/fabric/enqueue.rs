//! How a packet enters a port, and how a port lets it go.

use super::{Fabric, Pending};
use crate::engine::packet::admission::{Admission, Cause, Interceptor};
use crate::engine::packet::event::What;
use crate::engine::packet::{Class, DELIVER, DropPlace, Flags, NO_PAYLOAD, NOWHERE, Packet, TO_HOST};

impl Fabric {
    /// A packet enters a port. If an agent takes it, it is pending.
    #[inline(always)]
    pub fn forward(&mut self, now: u64, number: u32, packet: &Packet) {
        if let Some(interceptor) = self.enqueue(now, number, packet, true) {
            self.defer(Pending::Take(interceptor, *packet));
        }
    }

    /// A packet enters a port, unless an agent takes it, which is to be given it. In windowed execution, in which the
    /// event list has no arrivals, it cannot be `listed`.
    #[inline(always)]
    pub fn enqueue(&mut self, now: u64, number: u32, packet: &Packet, listed: bool) -> Option<Interceptor> {
        let interceptor = self.ports[number as usize].interceptor();
        if interceptor.is_none() {
            self.enqueue_past_interceptor(now, number, packet, listed);
        }
        interceptor
    }

    /// A packet that no agent takes enters a port.
    #[inline(always)]
    fn enqueue_past_interceptor(&mut self, now: u64, number: u32, packet: &Packet, listed: bool) {
        let port = &mut self.ports[number as usize];
        let place = port.fibre() as usize;
        let admission = match port.is_watched() {
            true => self.enqueue_observed(now, number, packet),
            false => port.enqueue(now, packet, &mut self.payloads),
        };
        match admission {
            Admission::Scheduled(at) => self.put(place, at, packet, listed && self.is_listed),
            other => self.on_delayed(now, number, other, packet),
        }
    }

    /// A packet is not carried at once.
    #[cold]
    fn on_delayed(&mut self, now: u64, number: u32, admission: Admission, packet: &Packet) {
        match admission {
            Admission::Dropped(cause) => self.record_drop(now, number, cause, packet),
            Admission::Returned(header) => self.send_back(now, number, header, packet),
            Admission::Scheduled(at) => self.send(number, at, packet),
            Admission::Marked(at) => self.send(number, at, &packet.marked()),
            Admission::Queued => self.release(now, number),
            Admission::Doubled => {
                let copy = Packet { payload: self.payloads.duplicate(packet), ..*packet };
                self.totals.made += 1;
                self.release(now, number);
                self.enqueue_past_interceptor(now, number, &copy, true);
            }
            Admission::Blocked => {}
        }
    }

    /// An agent sends a packet through the port before which it took it.
    pub fn send_past(&mut self, now: u64, packet: &Packet) {
        self.enqueue_past_interceptor(now, self.next_link(packet), packet, true);
    }

    /// An agent of `node` gives a packet back to that node: it goes to the next port of its path, or to its host.
    pub fn forward_from(&mut self, now: u64, node: u32, packet: &Packet) {
        match self.next_link(packet) {
            DELIVER => self.defer(Pending::Deliver(node, *packet)),
            next => self.forward(now, next, packet),
        }
    }

    /// An agent drops a packet that it took before a port.
    pub fn refuse(&mut self, now: u64, cause: Cause, packet: &Packet) {
        let number = self.next_link(packet);
        self.note_at(now, number, What::Drop, Some(cause), packet);
        self.ports[number as usize].refuse_before(cause, packet.size);
        self.record_drop(now, number, cause, packet);
    }

    /// A packet has come to a node from which no way leads on any more: the port drops it by which it should have left.
    #[cold]
    pub fn drop_on_the_way(&mut self, now: u64, packet: &Packet) {
        let Some(number) = self.timed.as_ref().map(|timed| timed.ports[packet.hop as usize]) else { return };
        self.note_at(now, number, What::Drop, Some(Cause::Unreachable), packet);
        self.ports[number as usize].refuse_before(Cause::Unreachable, packet.size);
        self.record_drop(now, number, Cause::Unreachable, packet);
    }

    /// A packet leaves a port and will be at the far end at `at`.
    #[inline(always)]
    fn send(&mut self, number: u32, at: u64, packet: &Packet) {
        let port = &self.ports[number as usize];
        let (place, overtakes) = (port.fibre(), port.lets_overtake());
        self.put(place as usize, at, packet, self.is_listed);
        if overtakes {
            self.restore_order(place, self.fibres[place as usize].put_in() - 1);
        }
    }

    /// Packets of a fibre from a position on go before those that arrive later: it is in the order of arrivals again.
    #[cold]
    pub(super) fn restore_order(&mut self, fibre: u32, from: u64) {
        self.fibres[fibre as usize].sort_from(from, |before, behind| before.at > behind.at);
        if self.is_listed && fibre < self.entering {
            self.rekey(fibre);
        }
    }

    /// A packet does not get past a port.
    fn record_drop(&mut self, now: u64, number: u32, cause: Cause, packet: &Packet) {
        // A packet that the fibre or the switch loses was sent.
        self.totals.packet_hops += u64::from(cause.is_after_transmission());
        self.drop(now, DropPlace::Link(self.links[number as usize]), cause, packet);
        self.tell_if_asked(number, packet);
    }

    /// A packet is in a port's queue no more, which may be one that says so.
    #[inline]
    fn tell_if_asked(&mut self, number: u32, packet: &Packet) {
        if self.ports[number as usize].tells_departures() && packet.class == Class::Data {
            self.tell_departure(packet);
        }
    }

    /// A packet has left the queue of its host's own link, or does not come there.
    #[cold]
    pub fn tell_departure(&mut self, packet: &Packet) {
        self.defer(Pending::Left(*packet));
    }

    /// A packet does not get past a port, and its header of so many bytes goes back to its sender, if there is a way.
    #[cold]
    fn send_back(&mut self, now: u64, number: u32, header: u16, packet: &Packet) {
        let back = self.returns.get(packet.hop as usize).copied().unwrap_or(NOWHERE);
        let cause = if back == NOWHERE { Cause::Congestion } else { Cause::Returned };
        // The queue had accepted it.
        self.note_at(now, number, What::Vanish, Some(cause), packet);
        self.record_drop(now, number, cause, packet);
        if back == NOWHERE {
            return;
        }
        self.totals.made += 1;
        let (class, flags) = (Class::Ack, Flags::TRIMMED.with(Flags::LAST));
        let packet = Packet { hop: back, size: header, payload: NO_PAYLOAD, class, flags, ..*packet };
        let next = self.next_link(&packet);
        self.forward(now, if next == TO_HOST { self.last_link(&packet) } else { next }, &packet);
    }

    /// A port with a gate, or with a discipline that decides when packets leave, sends what has its time.
    #[inline(never)]
    pub fn release(&mut self, now: u64, number: u32) {
        // One place for all packets: an `Option` of a whole packet is copied in parts whose loads then stall.
        let mut packet = Packet::default();
        while let Some(offer) = self.release_next(now, number, &mut packet) {
            match offer {
                Admission::Scheduled(at) | Admission::Marked(at) => {
                    self.ports[number as usize].tell_packet(now, &packet, &mut self.payloads);
                    self.send(number, at, &packet);
                    self.tell_if_asked(number, &packet);
                    if self.ports[number as usize].has_released(now) {
                        break;
                    }
                }
                Admission::Dropped(cause) => self.record_drop(now, number, cause, &packet),
                Admission::Returned(header) => self.send_back(now, number, header, &packet),
                Admission::Queued | Admission::Doubled | Admission::Blocked => {}
            }
        }
        self.rearm(number);
    }

    fn release_next(&mut self, now: u64, number: u32, released: &mut Packet) -> Option<Admission> {
        let port = &mut self.ports[number as usize];
        match port.is_watched() {
            true => self.release_observed(now, number, released),
            false => port.release(now, released),
        }
    }
}
