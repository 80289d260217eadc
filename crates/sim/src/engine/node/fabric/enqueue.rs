//! How a packet enters a port, and how a port lets it go.

use super::{Fabric, Pending};
use crate::engine::packet::admission::{Admission, Cause, Interceptor};
use crate::engine::packet::event::What;
use crate::engine::packet::{DELIVER, DropPlace, Packet};

impl Fabric {
    /// A packet enters a port. If an agent takes it, it is pending.
    #[inline(never)]
    pub fn forward(&mut self, now: u64, number: u32, packet: &Packet) {
        let port = &self.ports[number as usize];
        match port.kind().is_intercepted() {
            true => {
                port.interceptor().into_iter().for_each(|interceptor| self.defer(Pending::Take(interceptor, *packet)))
            }
            false => self.enqueue_past_interceptor(now, number, packet),
        }
    }

    /// The same within its caller, of a packet that has just been made: it is copied wherever it must lie in memory, so
    /// that on the fast path it need not.
    #[inline(always)]
    pub fn forward_new(&mut self, now: u64, number: u32, packet: Packet) {
        let port = &mut self.ports[number as usize];
        let place = port.fast_fibre();
        let Some(fibre) = self.fibres.get(place) else {
            let kind = port.kind();
            return match port.interceptor() {
                Some(interceptor) if kind.is_intercepted() => self.defer(Pending::Take(interceptor, packet)),
                _ if kind.has_features() => self.enqueue_with_features(now, number, &{ packet }),
                _ => self.forward(now, number, &{ packet }),
            };
        };
        match port.carry(now, packet.size, fibre) {
            Some(at) => self.put(place, at, &packet, self.is_listed),
            None => self.enqueue_when_crowded(now, number, &{ packet }),
        }
    }

    /// A packet enters a port, unless an agent takes it, which is to be given it. In windowed execution, in which the
    /// event list has no arrivals, it cannot be `listed`.
    #[inline(always)]
    pub fn enqueue(&mut self, now: u64, number: u32, packet: &Packet, listed: bool) -> Option<Interceptor> {
        let port = &mut self.ports[number as usize];
        let place = port.fast_fibre();
        let Some(fibre) = self.fibres.get(place) else {
            if port.kind().is_intercepted() {
                return port.interceptor();
            }
            self.enqueue_past_interceptor(now, number, packet);
            return None;
        };
        match port.carry(now, packet.size, fibre) {
            Some(at) => self.put(place, at, packet, listed && self.is_listed),
            None => self.enqueue_when_crowded(now, number, packet),
        }
        None
    }

    /// A packet that no agent takes enters a port.
    #[inline(always)]
    fn enqueue_past_interceptor(&mut self, now: u64, number: u32, packet: &Packet) {
        let port = &mut self.ports[number as usize];
        // Comparisons: a table of four would be a jump.
        if !port.kind().has_own_list() {
            self.enqueue_on_fibre(now, number, packet);
        } else if port.kind().has_features() {
            self.enqueue_with_features(now, number, packet);
        } else if port.kind().is_optical() {
            let offer = port.offer_optical(now, packet.size);
            self.on_admission(now, number, offer, packet);
        } else {
            self.enqueue_on_list(now, number, packet);
        }
    }

    /// The same for a port of which its fibre says what is inside.
    #[inline(always)]
    fn enqueue_on_fibre(&mut self, now: u64, number: u32, packet: &Packet) {
        let port = &mut self.ports[number as usize];
        let place = port.target() as usize;
        let Some(fibre) = self.fibres.get(place) else { return };
        match port.carry(now, packet.size, fibre) {
            Some(at) => self.put(place, at, packet, self.is_listed),
            None => self.enqueue_when_crowded(now, number, packet),
        }
    }

    /// The same for a port that must look whether there is room.
    #[inline(never)]
    fn enqueue_when_crowded(&mut self, now: u64, number: u32, packet: &Packet) {
        let port = &mut self.ports[number as usize];
        let place = port.target() as usize;
        let Some(fibre) = self.fibres.get(place) else { return };
        match port.carry_crowded(now, packet.size, fibre) {
            Ok(at) => self.put(place, at, packet, self.is_listed),
            Err(cause) => self.record_drop(now, number, cause, packet),
        }
    }

    /// The same for a port with a list of its own of what is inside, which does without as soon as it may.
    #[inline(never)]
    fn enqueue_on_list(&mut self, now: u64, number: u32, packet: &Packet) {
        let port = &mut self.ports[number as usize];
        if port.may_use_fibre(now)
            && let Some(fibre) = self.fibres.get(port.target() as usize)
        {
            port.use_fibre(packet.size, fibre);
            return self.enqueue_on_fibre(now, number, packet);
        }
        let offer = port.offer(now, packet.size);
        self.on_admission(now, number, offer, packet);
    }

    /// The same for a port with [`PortFeatures`](crate::engine::link::features::PortFeatures).
    #[inline(never)]
    fn enqueue_with_features(&mut self, now: u64, number: u32, packet: &Packet) {
        let offer = self.offer_past_interceptor(now, number, packet);
        self.on_admission(now, number, offer, packet);
    }

    /// A port has answered.
    #[inline(always)]
    fn on_admission(&mut self, now: u64, number: u32, offer: Admission, packet: &Packet) {
        match offer {
            Admission::Scheduled(at) => self.send(number, at, packet),
            other => self.on_delayed(now, number, other, packet),
        }
    }

    /// A packet is not carried at once.
    #[cold]
    fn on_delayed(&mut self, now: u64, number: u32, offer: Admission, packet: &Packet) {
        match offer {
            Admission::Dropped(cause) => self.record_drop(now, number, cause, packet),
            Admission::Marked(at) => self.send(number, at, &packet.marked()),
            Admission::Queued | Admission::Scheduled(_) => self.release(now, number),
            Admission::Blocked => {}
        }
    }

    /// An agent sends a packet through the port before which it took it.
    pub fn send_past(&mut self, now: u64, packet: &Packet) {
        self.enqueue_past_interceptor(now, self.next_link(packet), packet);
    }

    /// An agent of `node` gives a packet back to that node: it goes to the next port of its path, or to its host.
    pub fn forward_from(&mut self, now: u64, node: u32, packet: &Packet) {
        match self.next_link(packet) {
            DELIVER => self.defer(Pending::Deliver(node, *packet)),
            next => self.forward(now, next, packet),
        }
    }

    /// A port with [`PortFeatures`](crate::engine::link::features::PortFeatures), or one that is traced, is offered a
    /// packet that no agent takes.
    fn offer_past_interceptor(&mut self, now: u64, number: u32, packet: &Packet) -> Admission {
        if self.is_watched() {
            return self.offer_traced(now, number, packet);
        }
        let port = &mut self.ports[number as usize];
        if port.kind().is_gated() {
            return port.offer_to_gate_alone(now, packet);
        }
        port.offer_past_interceptor(now, packet, self.payloads.header_mut(packet))
    }

    /// An agent drops a packet that it took before a port.
    pub fn refuse(&mut self, now: u64, cause: Cause, packet: &Packet) {
        let number = self.next_link(packet);
        self.note_at(now, number, What::Drop, Some(cause), packet);
        self.ports[number as usize].refuse_before(cause, packet.size);
        self.record_drop(now, number, cause, packet);
    }

    /// A packet leaves a port and will be at the far end at `at`.
    #[inline(always)]
    fn send(&mut self, number: u32, at: u64, packet: &Packet) {
        self.put(self.ports[number as usize].target() as usize, at, packet, self.is_listed);
    }

    /// A packet does not get past a port.
    fn record_drop(&mut self, now: u64, number: u32, cause: Cause, packet: &Packet) {
        // A packet that the fibre or the switch loses was sent.
        self.packet_hops += u64::from(matches!(cause, Cause::Random | Cause::GuardViolation));
        self.drop(now, DropPlace::Link(self.links[number as usize]), cause, packet);
    }

    /// A port with a gate, or with a discipline that decides when packets leave, sends what has its time.
    #[inline(never)]
    pub fn release(&mut self, now: u64, number: u32) {
        // One place for all packets: an `Option` of a whole packet is copied in parts whose loads then stall.
        let mut packet = Packet::default();
        while let Some(offer) = self.release_next(now, number, &mut packet) {
            match offer {
                Admission::Scheduled(at) | Admission::Marked(at) => self.send(number, at, &packet),
                Admission::Dropped(cause) => self.record_drop(now, number, cause, &packet),
                Admission::Queued | Admission::Blocked => {}
            }
        }
        self.rearm(number);
    }

    fn release_next(&mut self, now: u64, number: u32, released: &mut Packet) -> Option<Admission> {
        if self.is_watched() {
            return self.release_traced(now, number, released);
        }
        self.ports[number as usize].release(now, released)
    }
}
