//! Where a header passes: its burst gets a wavelength of the next fibre, or the node does what its contention rule
//! says.
//!
//! The burst itself needs no event. Its header knows when its first bit arrives, and a reservation is for just that
//! time.

use super::super::burst::{CONTENTION, DEFLECTED, Header, LATE_HEADER, Loss, Notice, Origin};
use super::super::plan::{Contention, Part};
use super::{BurstNode, Receiver};
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use control::reservation::{Arriving, Booking, Refusal};
use units::{Duration, Instant};

/// Where bursts without packets can be cut: paper 001's segments.
const SEGMENT: u64 = 1000;

/// A header whose burst is stopped at an output.
struct Stopped<'a> {
    place: u32,
    packet: &'a Packet,
    cause: Cause,
}

/// What becomes of a burst that found no wavelength.
enum Resolved {
    /// A part of it goes on.
    Shortened,
    /// It goes on by this path.
    Deflected { place: u32, hop: u32 },
    /// Nothing of it goes on.
    Lost,
}

impl BurstNode {
    /// A packet of the control plane comes to an output. A header whose burst finds a wavelength goes on as it is, with
    /// its fields changed in their place.
    pub(super) fn pass(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let is_up = context.port(context.next_port(packet)).is_up();
        let Some(Notice::Header(header)) = context.message_mut(packet).and_then(Message::edit) else {
            return context.send_past(now, packet);
        };
        let output = &mut self.parts.outputs[place as usize];
        output.account.offer(header.size);
        if let (Some(load), Some(rules)) = (&mut output.load, &self.parts.rules.obs.balancing) {
            load.offer(header.at, header.length, rules.counting);
        }
        let booked = if is_up { self.book(now, place, header) } else { Err(Cause::Unreachable) };
        match booked {
            Ok(()) => {
                self.note_passing(now, place, packet, context);
                context.send_past(now, packet);
            }
            Err(cause) => self.stop(now, Stopped { place, packet, cause }, context),
        }
    }

    /// The burst of a header has a wavelength: for the trace.
    fn note_passing(&self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        if context.is_observed()
            && let Some(Notice::Header(header)) = context.message_mut(packet).and_then(Message::edit)
        {
            let header = header.clone();
            self.note_booked(now, place, &header, context);
        }
    }

    /// A burst finds no wavelength, or does not get past its fibre.
    #[cold]
    fn stop(&mut self, now: u64, stopped: Stopped, context: &mut NodeContext) {
        let Stopped { place, packet, cause } = stopped;
        let port = context.next_port(packet);
        let Some(mut message) = context.take_message(packet) else { return };
        let Some(Notice::Header(header)) = message.edit() else { return };
        let resolved = match cause {
            CONTENTION => self.resolve(now, place, header, context),
            _ => Resolved::Lost,
        };
        let hop = match resolved {
            Resolved::Shortened => {
                self.note_booked(now, place, header, context);
                packet.hop
            }
            Resolved::Deflected { place, hop } => {
                self.note_booked(now, place, header, context);
                hop
            }
            Resolved::Lost => {
                let link = context.link(port);
                self.parts.outputs[place as usize].account.drop(header.size);
                if cause == Cause::Random {
                    self.note_booked(now, place, header, context);
                }
                return self.lose(now, &Loss { header: header.clone(), link, cause }, context);
            }
        };
        let packet = context.with_message(&Packet { hop, ..*packet }, message);
        context.send_past(now, &packet);
    }

    /// Books a wavelength of an output for the whole burst.
    fn book(&mut self, now: u64, place: u32, header: &mut Header) -> Result<(), Cause> {
        let (ready, arriving) = self.arriving(now, header);
        let output = &mut self.parts.outputs[place as usize];
        let booking = output.fibre.reserve(ready, &arriving).map_err(|refusal| match refusal {
            Refusal::Late => LATE_HEADER,
            Refusal::Contention => CONTENTION,
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
        output.account.carry(header.size, header.length);
    }

    /// No wavelength is free.
    fn resolve(&mut self, now: u64, place: u32, header: &mut Header, context: &mut NodeContext) -> Resolved {
        let resolved = match self.parts.rules.obs.contention {
            // The bound on deflections ends loops.
            Contention::Deflection { most } if header.deflections < most => self.deflect(now, place, header, context),
            Contention::Segmentation(part) => {
                self.cut_out(now, place, header, part, context).map(|lost| self.lose_part(now, lost, place, context))
            }
            Contention::Drop | Contention::Deflection { .. } => None,
        };
        resolved.unwrap_or(Resolved::Lost)
    }

    /// The burst takes the shortest other way whose first fibre has a wavelength for it; gives that way.
    fn deflect(&mut self, now: u64, place: u32, header: &mut Header, context: &mut NodeContext) -> Option<Resolved> {
        let ways = self.parts.detours.get(&header.burst.egress).cloned().unwrap_or_default();
        let free = ways.iter().find(|(other, way)| {
            let open = *other != place && context.port(way.first()).is_up();
            open && self.book(now, *other, header).is_ok()
        });
        let (other, way) = *free?;
        header.deflections += 1;
        self.counts.deflected += 1;
        // It comes to the other fibre; at this one it ends, as if it had been another one.
        let output = &mut self.parts.outputs[place as usize];
        output.account.drop(header.size);
        let loss = Loss { header: header.clone(), link: context.link(output.port), cause: DEFLECTED };
        context.make_unannounced();
        context.drop_unit(loss.link, DEFLECTED, header.size);
        self.note_end(now, What::Drop, &loss, context);
        self.parts.outputs[other as usize].account.offer(header.size);
        Some(Resolved::Deflected { place: other, hop: way.hop() })
    }

    /// Cuts out the part of the burst that is in the way, in whole segments, and books the rest if there is any; gives
    /// the part.
    fn cut_out(
        &mut self,
        now: u64,
        place: u32,
        header: &mut Header,
        part: Part,
        context: &mut NodeContext,
    ) -> Option<Header> {
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
        let booking = booked.ok()?;
        let whole = header.size;
        let lost = cut_off(header, part, booking.length.ps(), &ends);
        self.follow(place, header, booking);
        self.counts.cut += 1;
        let output = &mut self.parts.outputs[place as usize];
        let cut = whole - header.size.min(whole);
        output.account.dropped.bytes += cut;
        context.drop_part(context.link(output.port), CONTENTION, cut);
        Some(lost)
    }

    /// A part of a burst ends here, and the rest goes on.
    fn lose_part(&mut self, now: u64, header: Header, place: u32, context: &mut NodeContext) -> Resolved {
        let link = context.link(self.parts.outputs[place as usize].port);
        let loss = Loss { header, link, cause: CONTENTION };
        self.note_end(now, What::Cut, &loss, context);
        if self.parts.rules.obs.retransmission.is_none() {
            self.drop_packets(now, &loss, context);
        }
        self.report(now, &loss, context);
        Resolved::Shortened
    }

    /// Where the burst can be cut: the ends of its segments, in picoseconds from its beginning. Padding belongs to the
    /// last.
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
    pub(super) fn lose(&mut self, now: u64, loss: &Loss, context: &mut NodeContext) {
        context.drop_unit(loss.link, loss.cause, loss.header.size);
        let what = if loss.cause == Cause::Random { What::Vanish } else { What::Drop };
        self.note_end(now, what, loss, context);
        if self.parts.rules.obs.retransmission.is_none() {
            self.discard(now, loss, context);
        }
        self.report(now, loss, context);
    }

    /// The ingress node hears of a loss, if anybody there asks for it.
    fn report(&mut self, now: u64, loss: &Loss, context: &mut NodeContext) {
        let burst = &loss.header.burst;
        if burst.ingress == self.parts.agent {
            return self.handle_loss(now, loss, context);
        }
        if burst.origin == Origin::Nothing {
            return;
        }
        if let Some(way) = self.parts.returns.get(&burst.ingress) {
            let ingress = Receiver { agent: burst.ingress, way: *way };
            self.send(now, ingress, Notice::Loss(Box::new(loss.clone())), context);
        }
    }
}

/// Cuts a burst so that only `length` of it is left, and gives the header of the other part. `ends` are its segments'
/// ends.
fn cut_off(header: &mut Header, part: Part, length: u64, ends: &[u64]) -> Header {
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
