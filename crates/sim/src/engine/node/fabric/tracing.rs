//! What ports, agents and hosts tell the trace, and ports a capture.

use super::Fabric;
use crate::engine::link::port::Leaving;
use crate::engine::packet::admission::{Admission, Cause};
use crate::engine::packet::event::{Event, NOBODY, Spot, What};
use crate::engine::packet::said::Said;
use crate::engine::packet::{Class, Packet};

impl Fabric {
    /// Whether anybody asks what happens.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.trace.is_some() || self.capture.is_some()
    }

    /// Whether a trace or a capture has what happens at a link.
    pub fn sees(&self, link: u32) -> bool {
        let traced = self.trace.as_ref().is_some_and(|trace| trace.sees(link));
        traced || self.capture.as_ref().is_some_and(|capture| capture.sees(link))
    }

    /// What is inside a link's port leaves otherwise than was expected, oldest first.
    pub fn amend(&mut self, now: u64, link: u32, foreseen: &[Leaving], planned: &[Leaving]) {
        self.trace.iter_mut().for_each(|trace| trace.amend(link, foreseen, planned));
        self.capture.iter().for_each(|capture| capture.amend(now, link, foreseen, planned));
    }

    /// What has not begun to leave over a link never does.
    pub fn forget_captured(&mut self, now: u64, link: u32) {
        self.capture.iter().for_each(|capture| capture.forget(now, link));
    }

    /// A port is offered a packet while something is traced.
    pub(super) fn enqueue_traced(&mut self, now: u64, number: u32, packet: &Packet) -> Admission {
        let port = &mut self.ports[number as usize];
        let marked = port.marked();
        let offer = port.enqueue(now, packet, &mut self.payloads);
        let is_marked = port.marked() > marked;
        match offer {
            Admission::Queued | Admission::Blocked => self.note_at(now, number, What::Wait, None, packet),
            Admission::Scheduled(_) | Admission::Marked(_) => self.note_sent(now, number, offer, packet),
            Admission::Dropped(Cause::Random) => {
                self.note_sent(now, number, offer, packet);
                self.note_at(now, number, What::Vanish, Some(Cause::Random), packet);
            }
            Admission::Dropped(cause) => self.note_at(now, number, What::Drop, Some(cause), packet),
        }
        if is_marked {
            self.note_at(now, number, What::Mark, None, packet);
        }
        offer
    }

    /// A port lets a packet go that it had held, while something is traced.
    pub(super) fn release_traced(&mut self, now: u64, number: u32, packet: &mut Packet) -> Option<Admission> {
        let port = &mut self.ports[number as usize];
        let marked = port.marked();
        let offer = port.release(now, packet)?;
        let is_marked = port.marked() > marked;
        // What its discipline drops has not been sent; what the switch or the fibre loses has.
        if !matches!(offer, Admission::Dropped(Cause::Early | Cause::Congestion)) {
            self.note_sent(now, number, offer, packet);
        }
        if let Admission::Dropped(cause) = offer {
            self.note_at(now, number, What::Vanish, Some(cause), packet);
        }
        if is_marked {
            self.note_at(now, number, What::Mark, None, packet);
        }
        Some(offer)
    }

    /// A packet is the newest of those that a port has sent.
    fn note_sent(&mut self, now: u64, number: u32, offer: Admission, packet: &Packet) {
        let port = &self.ports[number as usize];
        let Some((begins, ends)) = port.newest() else { return };
        let flight = match offer {
            Admission::Scheduled(at) | Admission::Marked(at) => port.last_bit_at(at, packet.size).saturating_sub(ends),
            Admission::Dropped(_) | Admission::Queued | Admission::Blocked => port.delay(),
        };
        // The first part of a packet that the end of a slot has cut may have left before the rest has its time.
        let (before, begins) = (now.saturating_sub(begins), begins.max(now));
        let times = Times { wait: begins - now, lasts: ends.saturating_sub(begins), flight };
        let link = self.links[number as usize];
        self.capture_at(now, begins, link, None, packet);
        self.push(now, link, What::Pass, packet, |event| Event { value: before, ..times.of(event) });
    }

    /// Something happens to a packet at a port of this partition.
    pub fn note_at(&mut self, now: u64, number: u32, what: What, cause: Option<Cause>, packet: &Packet) {
        if self.is_watched() {
            self.note_on(now, self.links[number as usize], what, cause, packet);
        }
    }

    /// The same at any link.
    pub fn note_on(&mut self, now: u64, link: u32, what: What, cause: Option<Cause>, packet: &Packet) {
        if matches!(what, What::Drop | What::Vanish) {
            self.capture_at(now, now, link, cause, packet);
        }
        self.push(now, link, what, packet, |event| Event { cause, ..event });
    }

    /// A packet is on a link at `at`, or is dropped there.
    fn capture_at(&mut self, now: u64, at: u64, link: u32, dropped: Option<Cause>, packet: &Packet) {
        let Some(capture) = &self.capture else { return };
        let (options, sack) = self.payloads.said(packet);
        capture.write(now, at, link, packet, &Said { sack: sack.as_slice(), options, dropped });
    }

    fn push(&mut self, now: u64, link: u32, what: What, packet: &Packet, more: impl FnOnce(Event) -> Event) {
        let Some(trace) = &mut self.trace else { return };
        if trace.sees(link) && trace.follows(packet.class, packet.flow) {
            trace.note(more(of_packet(now, what, Spot::link(link), packet)));
        }
    }

    /// A sending host does something with a packet.
    pub fn note_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        self.push_host(now, what, packet, |event| Event { value, ..event });
    }

    /// A host drops a packet that it was to send.
    pub fn note_host_drop(&mut self, now: u64, cause: Cause, packet: &Packet) {
        self.push_host(now, What::Drop, packet, |event| Event { cause: Some(cause), ..event });
    }

    fn push_host(&mut self, now: u64, what: What, packet: &Packet, more: impl FnOnce(Event) -> Event) {
        let Some(trace) = &mut self.trace else { return };
        if trace.rules().hosts && trace.follows(packet.class, packet.flow) {
            let place = Spot::node(trace.rules().sources[packet.flow as usize]);
            trace.note(more(of_packet(now, what, place, packet)));
        }
    }

    /// Something at a link that concerns these flows.
    pub fn note_unit(&mut self, link: u32, event: Event, mut flows: impl Iterator<Item = u32>) {
        let Some(trace) = &mut self.trace else { return };
        if trace.sees(link) && (trace.follows_all() || flows.any(|flow| trace.follows(Class::Data, flow))) {
            trace.note(event);
        }
    }

    /// The same at a node.
    pub fn note_here(&mut self, event: Event, mut flows: impl Iterator<Item = u32>) {
        let Some(trace) = &mut self.trace else { return };
        if trace.rules().hosts && (trace.follows_all() || flows.any(|flow| trace.follows(Class::Data, flow))) {
            trace.note(event);
        }
    }
}

/// When a packet is sent.
struct Times {
    wait: u64,
    lasts: u64,
    flight: u64,
}

impl Times {
    fn of(self, event: Event) -> Event {
        let Times { wait, lasts, flight } = self;
        Event { wait, lasts, flight, ..event }
    }
}

fn of_packet(now: u64, what: What, place: Spot, packet: &Packet) -> Event {
    // A message of the switches says for which agent it is, where others have their flow.
    let flow = if packet.class == Class::Control { NOBODY } else { packet.flow };
    let (unit, bytes, class) = (packet.seq, u32::from(packet.size), packet.class);
    Event { unit, bytes, class, flow, ..Event::new(now, what, place) }
}
