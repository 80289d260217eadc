//! What ports and hosts tell those who watch: events are made here, and only if somebody does.

use super::Fabric;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Admission, Cause};
use crate::engine::packet::event::{Event, Spot, What};

impl Fabric {
    /// Whether anybody watches.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// A packet enters a port that is watched.
    pub(super) fn enqueue_observed(&mut self, now: u64, number: u32, packet: &Packet) -> Admission {
        let port = &mut self.ports[number as usize];
        let marked = port.marked();
        let admission = port.enqueue(now, packet, &mut self.payloads);
        let is_marked = port.marked() > marked;
        match admission {
            Admission::Queued | Admission::Doubled | Admission::Blocked => {
                self.note_at(now, number, What::Wait, None, packet);
            }
            Admission::Scheduled(_) | Admission::Marked(_) => self.note_sent(now, number, admission, packet),
            Admission::Dropped(Cause::Random) => {
                self.note_sent(now, number, admission, packet);
                self.note_at(now, number, What::Vanish, Some(Cause::Random), packet);
            }
            Admission::Dropped(cause) => self.note_at(now, number, What::Drop, Some(cause), packet),
            // `send_back` tells of it: it knows whether there is a way.
            Admission::Returned(_) => {}
        }
        if is_marked {
            self.note_at(now, number, What::Mark, None, packet);
        }
        admission
    }

    /// A port that is watched lets a packet go that it had held.
    pub(super) fn release_observed(&mut self, now: u64, number: u32, packet: &mut Packet) -> Option<Admission> {
        let port = &mut self.ports[number as usize];
        let marked = port.marked();
        let admission = port.release(now, packet)?;
        let is_marked = port.marked() > marked;
        if admission.is_sent() {
            self.note_sent(now, number, admission, packet);
        }
        if let Admission::Dropped(cause) = admission {
            self.note_at(now, number, What::Vanish, Some(cause), packet);
        }
        if is_marked {
            self.note_at(now, number, What::Mark, None, packet);
        }
        Some(admission)
    }

    /// A packet is the newest of those that a port has sent.
    fn note_sent(&mut self, now: u64, number: u32, admission: Admission, packet: &Packet) {
        let port = &self.ports[number as usize];
        let Some((begins, ends)) = port.newest() else { return };
        let flight = match admission {
            Admission::Scheduled(at) | Admission::Marked(at) => port.last_bit_at(at, packet.size).saturating_sub(ends),
            _ => port.delay(),
        };
        // The first part of a packet that the end of a window has cut may have left before the rest has its time.
        let (value, begins) = (now.saturating_sub(begins), begins.max(now));
        let (wait, lasts) = (begins - now, ends.saturating_sub(begins));
        let event = Event::of_packet(now, What::Pass, Spot::link(self.links[number as usize]), packet);
        self.note(Event { value, wait, lasts, flight, ..event }, packet);
    }

    /// Something happens to a packet at a port of this partition.
    pub fn note_at(&mut self, now: u64, number: u32, what: What, cause: Option<Cause>, packet: &Packet) {
        if self.ports[number as usize].is_watched() {
            self.note_on(now, self.links[number as usize], what, cause, packet);
        }
    }

    /// The same at any link.
    pub fn note_on(&mut self, now: u64, link: u32, what: What, cause: Option<Cause>, packet: &Packet) {
        self.note(Event { cause, ..Event::of_packet(now, what, Spot::link(link), packet) }, packet);
    }

    fn note(&mut self, event: Event, packet: &Packet) {
        if let Some(observer) = &mut self.observer {
            observer.at_link(event, packet, &self.payloads);
        }
    }

    /// A sending host does something with a packet.
    pub fn note_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        if let Some(observer) = &mut self.observer {
            observer.at_host(now, what, packet, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FabricPlace, TimerOrder};
    use super::*;
    use crate::engine::link::port::tests::port;
    use crate::engine::link::ring::Ring;
    use crate::engine::packet::observer::Observer;
    use crate::engine::packet::{NO_PAYLOAD, PayloadTable};
    use crate::model::Buffer;
    use std::any::Any;

    /// Keeps the events at links.
    #[derive(Debug, Default)]
    struct Seen(Vec<Event>);

    impl Observer for Seen {
        fn at_link(&mut self, event: Event, _: &Packet, _: &PayloadTable) {
            self.0.push(event);
        }
    }

    /// Two packets of 1500 bytes enter a port of 1 Gb/s and 1 ms with no place to wait, one after the other.
    fn events_of_two_packets(is_watched: bool) -> Vec<Event> {
        let mut port = port(Buffer::Packets(0));
        port.connect(0);
        if is_watched {
            port.watch();
        }
        let (ports, links, fibres) = (vec![port], vec![7], vec![Ring::new()]);
        let place = FabricPlace { order: TimerOrder::AfterArrivals, agents: 0, boundaries: Vec::new(), partitions: 1 };
        let mut fabric = Fabric { ports, links, fibres, ..Fabric::default() }.placed(place);
        fabric.observer = Some(Box::<Seen>::default());
        let packet = Packet { size: 1500, flow: 3, payload: NO_PAYLOAD, ..Packet::default() };
        fabric.forward(5, 0, &packet);
        fabric.forward(5, 0, &packet);
        let observer: Box<dyn Any> = fabric.observer.take().unwrap();
        observer.downcast::<Seen>().unwrap().0
    }

    #[test]
    fn a_watched_port_tells_what_happens_and_another_one_nothing() {
        let place = Spot::link(7);
        let about = Event { flow: 3, bytes: 1500, class: Default::default(), ..Event::new(5, What::Pass, place) };
        let passed = Event { lasts: 12_000_000, flight: 1_000_000_000, ..about };
        let dropped = Event { what: What::Drop, cause: Some(Cause::Congestion), ..about };
        assert_eq!(events_of_two_packets(true), [passed, dropped]);
        assert_eq!(events_of_two_packets(false), []);
    }
}
