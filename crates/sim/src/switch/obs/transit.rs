//! Where a header passes: its burst gets a wavelength of the next fibre, or the node does what its contention rule says.
//!
//! The burst itself needs no event. Its header knows when its first bit arrives, and a reservation is for just that time.

use super::burst::{Header, Loss, Origin};
use super::node::BurstNode;
use crate::engine::net::Net;
use crate::engine::offer::Cause;
use crate::engine::packet::Packet;
use crate::model::{Contention, Part};
use crate::switch::Notice;
use control::reservation::{Arriving, Booking, Refusal};
use std::sync::Arc;
use units::{Duration, Instant};

/// Where bursts without packets can be cut: paper 001's segments.
const SEGMENT: u64 = 1000;

impl BurstNode {
    /// A packet of the control plane comes to an output.
    pub(super) fn pass(&mut self, now: u64, place: u32, packet: &Packet, net: &mut Net) {
        let Some(mut notice) = net.cargo.take_notice(packet) else { return net.send_past(now, packet) };
        let Notice::Header(header) = Arc::make_mut(&mut notice) else {
            let cargo = net.cargo.put_notice(notice);
            return net.send_past(now, &Packet { cargo, ..*packet });
        };
        let number = net.next_link(packet);
        self.parts.outputs[place as usize].ledger.offer(header.size);
        let booked = if net.passes(number) { self.book(now, place, header) } else { Err(Cause::Unreachable) };
        let way = match booked {
            Ok(()) => Ok(packet.hop),
            Err(Cause::Contention) => self.resolve(now, (place, packet.hop), header, net).ok_or(Cause::Contention),
            Err(cause) => Err(cause),
        };
        match way {
            Ok(hop) => {
                let cargo = net.cargo.put_notice(notice);
                net.send_past(now, &Packet { cargo, hop, ..*packet });
            }
            Err(cause) => {
                let link = net.links[number as usize];
                if cause != Cause::Random {
                    self.parts.outputs[place as usize].ledger.drop(header.size);
                }
                self.lose(now, &Loss { header: header.clone(), link, cause }, net);
            }
        }
    }

    /// Books a wavelength of an output for the whole burst.
    fn book(&mut self, now: u64, place: u32, header: &mut Header) -> Result<(), Cause> {
        let (ready, arriving) = self.arriving(now, header);
        let output = &mut self.parts.outputs[place as usize];
        let booking = output.fibre.reserve(ready, &arriving).map_err(|refusal| match refusal {
            Refusal::Late => Cause::LateHeader,
            Refusal::Contention => Cause::Contention,
        })?;
        // A burst that vanishes on the fibre has its wavelength all the same.
        let vanishes = output.loss.strikes();
        self.follow(place, header, booking);
        if vanishes { Err(Cause::Random) } else { Ok(()) }
    }

    /// When the header has been processed, and the burst it announces.
    fn arriving(&self, now: u64, header: &Header) -> (Instant, Arriving) {
        let arriving = Arriving {
            at: Instant::from_ps(header.at),
            length: Duration::from_ps(header.length),
            wavelength: header.wavelength,
        };
        (Instant::from_ps(now + self.parts.rules.processing), arriving)
    }

    /// The burst goes on as booked.
    fn follow(&mut self, place: u32, header: &mut Header, booking: Booking) {
        let output = &mut self.parts.outputs[place as usize];
        header.at = booking.at.ps() + output.delay;
        header.shorten(booking.length.ps());
        header.wavelength = booking.channel;
        output.ledger.carry(header.size, header.length);
    }

    /// No wavelength is free: gives the path by which the header goes on all the same.
    fn resolve(&mut self, now: u64, (place, hop): (u32, u32), header: &mut Header, net: &mut Net) -> Option<u32> {
        match self.parts.rules.obs.contention {
            Contention::Drop => None,
            Contention::Deflection { most } => self.deflect(now, (place, most), header, net),
            Contention::Segmentation(part) => self.segment(now, (place, part), header, net).then_some(hop),
        }
    }

    /// The burst takes the shortest other way whose first fibre has a wavelength for it. The bound on deflections ends loops.
    fn deflect(&mut self, now: u64, (place, most): (u32, u8), header: &mut Header, net: &mut Net) -> Option<u32> {
        if header.deflections >= most {
            return None;
        }
        let ways = self.parts.detours.get(&header.burst.egress).cloned().unwrap_or_default();
        let free = ways.iter().find(|(other, path)| {
            let open = *other != place && net.passes(net.paths[*path as usize]);
            open && self.book(now, *other, header).is_ok()
        });
        let (other, path) = *free?;
        header.deflections += 1;
        self.counts.deflected += 1;
        // It comes to the other fibre; at this one it found no wavelength.
        self.parts.outputs[place as usize].ledger.drop(header.size);
        self.parts.outputs[other as usize].ledger.offer(header.size);
        Some(path)
    }

    /// The part of the burst that is in the way is dropped, in whole segments, and the rest goes on if there is any.
    fn segment(&mut self, now: u64, (place, part): (u32, Part), header: &mut Header, net: &mut Net) -> bool {
        let (ready, arriving) = self.arriving(now, header);
        let ends = self.ends(header);
        let fibre = &mut self.parts.outputs[place as usize].fibre;
        let booked = match part {
            Part::Head => {
                let last = ends.last().copied().unwrap_or(0);
                let next = |from: Duration| ends.iter().copied().find(|end| from.ps() <= *end && *end < last);
                fibre.reserve_tail(ready, &arriving, |from| next(from).map(Duration::from_ps))
            }
            Part::Tail => {
                let last = |until: Duration| ends.iter().rev().copied().find(|end| *end <= until.ps());
                fibre.reserve_head(ready, &arriving, |until| last(until).map(Duration::from_ps))
            }
        };
        let Ok(booking) = booked else { return false };
        let whole = header.size;
        let lost = cut_off(header, part, (booking.length.ps(), &ends));
        self.follow(place, header, booking);
        self.counts.cut += 1;
        let output = &mut self.parts.outputs[place as usize];
        output.ledger.dropped.bytes += whole - header.size.min(whole);
        let link = net.links[net.paths[output.path as usize] as usize];
        let loss = Loss { header: lost, link, cause: Cause::Contention };
        if self.parts.rules.obs.retransmission.is_none() {
            self.drop_packets(&loss.header, (link, loss.cause), net);
        }
        self.report(now, &loss, net);
        true
    }

    /// Where the burst can be cut: the ends of its segments, in picoseconds from its beginning. Padding belongs to the last.
    fn ends(&self, header: &Header) -> Vec<u64> {
        let rules = &self.parts.rules;
        let ends = |sizes: &mut dyn Iterator<Item = u64>| -> Vec<u64> {
            let sum = |sum: &mut u64, size: u64| {
                *sum += size;
                Some(rules.lasts(*sum).min(header.length))
            };
            sizes.scan(0, sum).collect()
        };
        let mut ends = match header.burst.packets.is_empty() {
            true => ends(&mut (0..header.size / SEGMENT).map(|_| SEGMENT)),
            false => ends(&mut header.left().iter().map(|packet| u64::from(packet.size))),
        };
        if let Some(last) = ends.last_mut() {
            *last = header.length;
        }
        ends
    }

    /// A burst ends here. Without copies at the ingress nodes its packets are lost for good.
    pub(super) fn lose(&mut self, now: u64, loss: &Loss, net: &mut Net) {
        net.drop_burst(loss.link, loss.cause, loss.header.size);
        if self.parts.rules.obs.retransmission.is_none() {
            self.discard(&loss.header, (loss.link, loss.cause), net);
        }
        self.report(now, loss, net);
    }

    /// The ingress node hears of a loss, if anybody there asks for it.
    fn report(&mut self, now: u64, loss: &Loss, net: &mut Net) {
        let burst = &loss.header.burst;
        if burst.ingress == self.parts.agent {
            return self.handle_loss(now, loss, net);
        }
        if burst.origin == Origin::Nothing {
            return;
        }
        if let Some(path) = self.parts.returns.get(&burst.ingress) {
            self.send(now, (burst.ingress, *path), Arc::new(Notice::Loss(Box::new(loss.clone()))), net);
        }
    }
}

/// Cuts a burst so that only `length` of it is left, and gives the header of the other part. `ends` are its segments' ends.
fn cut_off(header: &mut Header, part: Part, (length, ends): (u64, &[u64])) -> Header {
    let mut lost = header.clone();
    lost.shorten(header.length - length);
    let boundary = if part == Part::Head { lost.length } else { length };
    if !header.burst.packets.is_empty() {
        let whole = header.packets.clone();
        let middle = whole.start + ends.iter().filter(|end| **end <= boundary).count() as u32;
        (header.packets, lost.packets) = match part {
            Part::Head => (middle..whole.end, whole.start..middle),
            Part::Tail => (whole.start..middle, middle..whole.end),
        };
    }
    lost
}
