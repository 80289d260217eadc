//! Where bursts begin: packets are assembled, bursts wait for a wavelength of their first fibre, leave behind their
//! headers, and are sent again if they are lost.

use super::super::burst::{Burst, BurstNews, CONTENTION, Header, LATE_HEADER, Loss, Notice, Origin};
use super::super::plan::{Acks, BurstArrivals, CopyOrdering, IngressRule, ToldWhen};
use super::super::queues::{Destination, Queues};
use super::super::task::Task;
use super::{Asking, BurstNode, Receiver};
use crate::engine::node::counters::Group;
use crate::engine::node::node_context::{NodeContext, NotificationPacket};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::{Class, NO_PAYLOAD, Packet};
use control::assembly::Complete;
use control::reservation::Refusal;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use transport::tcp::{BurstReport, SackBlock};
use units::{Bytes, Duration, Instant};

/// New bursts that wait for a wavelength, each with the time since when.
#[derive(Debug, Default)]
pub struct Waiting {
    bursts: VecDeque<(u64, Header)>,
}

impl Waiting {
    /// The number of the last burst that waits of those that are meant.
    pub(super) fn last(&self, is_meant: impl Fn(&Burst) -> bool) -> Option<u64> {
        self.bursts
            .iter()
            .rev()
            .map(|(_, header)| &header.burst)
            .find(|burst| is_meant(burst))
            .map(|burst| burst.number)
    }
}

impl BurstNode {
    /// The route by which a packet goes on in a burst; `None` if it travels the control channel.
    pub(super) fn section(&self, packet: &Packet) -> Option<u32> {
        if packet.class == Class::Ack && self.parts.rules.obs.assembly.acks == Acks::Beside {
            return None;
        }
        self.parts.sections.route(packet.hop)
    }

    /// A packet comes to the optical network.
    pub(super) fn gather(&mut self, now: u64, route: u32, packet: &Packet, context: &mut NodeContext) {
        self.kept += 1;
        let instant = Instant::from_ps(now);
        if packet.class == Class::Ack && self.queues.assembly.acks == Acks::Alone {
            let payload = Bytes(u64::from(packet.size));
            let size = payload.max(self.queues.assembly.rules.minimum);
            let complete = Complete { packets: vec![*packet], payload, size, waited: 0 };
            let to = self.queues.destination(route, packet);
            return self.assemble(now, to, complete, context);
        }
        let number = self.queues.of(route, packet);
        let Queues { queues, complete, .. } = &mut self.queues;
        let (to, queue) = &mut queues[number as usize];
        let to = *to;
        let before = queue.next_timeout();
        queue.handle_packet(instant, *packet, Bytes(u64::from(packet.size)), complete);
        if let Some(deadline) = queue.next_timeout().filter(|deadline| Some(*deadline) != before) {
            self.tasks.push(deadline.ps(), Task::Assemble(number));
        }
        if !complete.is_empty() {
            self.assemble_all(now, to, context);
        }
    }

    /// Bursts are complete.
    #[inline(never)]
    fn assemble_all(&mut self, now: u64, to: Destination, context: &mut NodeContext) {
        let mut complete = std::mem::take(&mut self.queues.complete);
        for burst in complete.drain(..) {
            self.assemble(now, to, burst, context);
        }
        self.queues.complete = complete;
    }

    /// The timer of a queue has ended, unless its burst was complete before.
    pub(super) fn end_timer(&mut self, now: u64, number: u32, context: &mut NodeContext) {
        let (to, queue) = &mut self.queues.queues[number as usize];
        let to = *to;
        if let Some(burst) = queue.handle_timeout(Instant::from_ps(now)) {
            self.assemble(now, to, burst, context);
        }
    }

    /// A burst is complete.
    fn assemble(&mut self, now: u64, to: Destination, complete: Complete<Packet>, context: &mut NodeContext) {
        let route = to.route;
        let Complete { packets, size, waited, .. } = complete;
        self.counts.assembled += 1;
        self.counts.packets += packets.len() as u64;
        self.counts.waited += waited;
        self.share(&packets);
        if !self.parts.asking.is_empty() {
            self.tell_of_assembly(now, &packets, context);
        }
        let loaded = packets.iter().filter(|packet| packet.payload != NO_PAYLOAD);
        // What a packet carries is large: its list is made once in its size.
        let mut payloads = Vec::with_capacity(loaded.clone().count());
        payloads.extend(loaded.map(|packet| context.unload(packet)));
        let number = self.number();
        let place_in_order = self.place_in_order(route);
        let way = &self.parts.routes[route as usize];
        let burst = Burst {
            number,
            ingress: self.parts.agent,
            route,
            egress: way.egress,
            hops: way.hops,
            packets,
            payloads,
            length: self.parts.rules.lasts(size.count()),
            size: size.count(),
            offset: way.offset,
            born: now,
            origin: Origin::Packets,
            place: None,
            place_in_order,
        };
        match to.set {
            Some(set) => self.spread(now, set, burst, context),
            None => self.launch(now, Header::of(Arc::new(burst)), context),
        }
    }

    /// The number of the next burst on a route, if the egress node is to restore the order.
    fn place_in_order(&mut self, route: u32) -> Option<u64> {
        let rule = self.parts.rules.obs.retransmission?;
        let numbered = &mut self.parts.routes[route as usize].numbered;
        (rule.ordering == CopyOrdering::Egress).then(|| {
            *numbered += 1;
            *numbered - 1
        })
    }

    /// Counts how many segments of each flow are in a burst.
    fn share(&mut self, packets: &[Packet]) {
        let mut flows = Vec::with_capacity(packets.len());
        flows.extend(packets.iter().filter(|packet| packet.class == Class::Data).map(|packet| packet.flow));
        flows.sort_unstable();
        for segments in flows.chunk_by(|a, b| a == b) {
            let group = self.groups.entry(segments[0]).or_default();
            *group = Group { packets: group.packets + segments.len() as u64, units: group.units + 1 };
        }
    }

    /// A source has a burst.
    pub(super) fn send_from_source(&mut self, now: u64, number: u32, context: &mut NodeContext) {
        let burst_number = self.number();
        let source = &mut self.parts.sources[number as usize];
        let length = source.burst();
        let way = &self.parts.routes[source.route as usize];
        let fixed_point = u128::from(self.parts.rules.byte.fixed_point().max(1));
        let burst = Burst {
            number: burst_number,
            ingress: self.parts.agent,
            route: source.route,
            egress: way.egress,
            hops: way.hops,
            packets: Vec::new(),
            payloads: Vec::new(),
            length,
            // To whole bytes; a byte has 24 fractional bits of a picosecond.
            size: u64::try_from((u128::from(length) << 24) / fixed_point).unwrap_or(u64::MAX),
            offset: way.offset.saturating_add(source.extra_offset),
            born: now,
            origin: if source.headers_only { Origin::Nothing } else { Origin::Source },
            place: None,
            place_in_order: None,
        };
        let (arrivals, begins) =
            (source.arrivals, now.saturating_add(self.parts.rules.processing).saturating_add(burst.offset));
        let refused = self.counts.lost;
        self.launch(now, Header::of(Arc::new(burst)), context);
        let idle_from = match arrivals {
            BurstArrivals::Poisson { .. } => now,
            BurstArrivals::Finite { silent: true, .. } if self.counts.lost > refused => now,
            BurstArrivals::Finite { .. } => begins.saturating_add(length),
        };
        let gap = self.parts.sources[number as usize].gap();
        self.tasks.push(idle_from.saturating_add(gap), Task::Send(number));
    }

    /// A burst is to leave.
    pub(super) fn launch(&mut self, now: u64, header: Header, context: &mut NodeContext) {
        let place = self.parts.routes[header.burst.route as usize].place;
        let processing = self.parts.rules.processing;
        let output = &mut self.parts.outputs[place as usize];
        output.account.offer(header.size);
        if let (Some(load), Some(rules)) = (&mut output.load, &self.parts.rules.obs.balancing) {
            load.offer(now + processing + header.burst.offset, header.length, rules.counting);
        }
        if !output.waiting.bursts.is_empty() {
            output.waiting.bursts.push_back((now, header));
            return;
        }
        match self.leave(now, header, context) {
            Ok(()) => {}
            Err(header) => match self.parts.rules.obs.ingress {
                IngressRule::Drop => self.refuse(now, &header, CONTENTION, context),
                IngressRule::Wait(_) => {
                    self.wait_for_wavelength(now, place, &header);
                    self.parts.outputs[place as usize].waiting.bursts.push_back((now, header));
                }
            },
        }
    }

    /// A wavelength may be free for the bursts that wait.
    pub(super) fn open(&mut self, now: u64, place: u32, context: &mut NodeContext) {
        let longest = match self.parts.rules.obs.ingress {
            IngressRule::Wait(longest) => longest.ps(),
            IngressRule::Drop => 0,
        };
        while let Some((since, header)) = self.parts.outputs[place as usize].waiting.bursts.pop_front() {
            if now - since > longest {
                self.refuse(now, &header, Cause::Congestion, context);
                self.unblock(now, header.burst.number, context);
                continue;
            }
            let number = header.burst.number;
            match self.leave(now, header, context) {
                Ok(()) => {
                    self.counts.queued += u128::from(now - since);
                    self.unblock(now, number, context);
                }
                Err(header) => {
                    self.wait_for_wavelength(now, place, &header);
                    self.parts.outputs[place as usize].waiting.bursts.push_front((since, header));
                    return;
                }
            }
        }
    }

    /// Notes when the first burst that waits can leave.
    fn wait_for_wavelength(&mut self, now: u64, place: u32, header: &Header) {
        let ready = Instant::from_ps(now + self.parts.rules.processing);
        let begins = ready + Duration::from_ps(header.burst.offset);
        let wait = self.parts.outputs[place as usize].fibre.opening(ready, begins) - begins;
        self.tasks.push(now.saturating_add(wait.ps()), Task::Open(place));
    }

    /// A burst leaves behind its header, if a wavelength is free; otherwise it is given back.
    fn leave(&mut self, now: u64, mut header: Header, context: &mut NodeContext) -> Result<(), Header> {
        let way = &mut self.parts.routes[header.burst.route as usize];
        let (path, egress) = (way.way, way.egress);
        let output = &mut self.parts.outputs[way.place as usize];
        if !context.port(path.first()).is_up() {
            self.refuse(now, &header, Cause::Unreachable, context);
            return Ok(());
        }
        let ready = Instant::from_ps(now + self.parts.rules.processing);
        let begins = ready + Duration::from_ps(header.burst.offset);
        match output.fibre.reserve_new(ready, begins, Duration::from_ps(header.length)) {
            Ok(booking) => {
                header.at = booking.at.ps() + output.delay;
                header.wavelength = booking.channel;
                output.account.carry(header.size, header.length);
                way.meter.handle_sent(now);
                let vanishes = output.loss.strikes();
                if header.attempt == 0 {
                    self.counts.sent += 1;
                    self.counts.sent_bytes += header.burst.size;
                }
                let place = way.place;
                if let Some(path) = header.burst.place {
                    self.note_departure(now, path, &header);
                }
                self.note_booked(now, place, &header, context);
                if vanishes {
                    self.vanish(now, &header, context);
                } else {
                    self.send(now, Receiver { agent: egress, way: path }, Notice::Header(header), context);
                }
                Ok(())
            }
            Err(Refusal::Late) => {
                self.refuse(now, &header, LATE_HEADER, context);
                Ok(())
            }
            Err(Refusal::Contention) => Err(header),
        }
    }

    /// A burst is dropped before it leaves. It is not sent again: nothing would have changed.
    fn refuse(&mut self, now: u64, header: &Header, cause: Cause, context: &mut NodeContext) {
        let way = &mut self.parts.routes[header.burst.route as usize];
        let link = context.link(way.way.first());
        way.meter.handle_sent(now);
        way.meter.handle_lost(now);
        self.parts.outputs[way.place as usize].account.drop(header.size);
        // It counts as a header that was made and dropped at once.
        context.make_unannounced();
        context.drop_unit(link, cause, header.size);
        let loss = Loss { header: header.clone(), link, cause };
        self.note_end(now, What::Drop, &loss, context);
        self.discard(now, &loss, context);
        self.tell_senders(now, header, context);
    }

    /// A burst vanishes on its first fibre.
    fn vanish(&mut self, now: u64, header: &Header, context: &mut NodeContext) {
        let way = &self.parts.routes[header.burst.route as usize];
        let link = context.link(way.way.first());
        self.parts.outputs[way.place as usize].account.drop(header.size);
        context.make_unannounced();
        let loss = Loss { header: header.clone(), link, cause: Cause::Random };
        self.lose(now, &loss, context);
    }

    /// A node says that a burst was lost. With retransmission the copy kept here is sent again, or its packets are lost
    /// now.
    pub(super) fn handle_loss(&mut self, now: u64, loss: &Loss, context: &mut NodeContext) {
        let header = &loss.header;
        self.parts.routes[header.burst.route as usize].meter.handle_lost(now);
        if let Some(rule) = self.parts.rules.obs.retransmission {
            let in_time = now.saturating_sub(header.burst.born) <= rule.extra_delay.ps();
            if header.attempt < rule.attempts && in_time {
                self.counts.resent += 1;
                if self.parts.rules.obs.notification.when == ToldWhen::Drop {
                    self.tell_senders(now, header, context);
                }
                let header = Header { deflections: 0, attempt: header.attempt + 1, ..header.clone() };
                return self.launch(now, header, context);
            }
            self.discard(now, loss, context);
        }
        self.tell_senders(now, header, context);
    }

    /// The senders that ask for it hear of a lost burst; those that ask for losses by contention only unless the path
    /// counts as congested (paper 001, §II).
    fn tell_senders(&mut self, now: u64, header: &Header, context: &mut NodeContext) {
        if self.parts.asking.is_empty() {
            return;
        }
        let rate = self.parts.routes[header.burst.route as usize].meter.rate(now);
        let is_contention = rate < self.parts.rules.obs.notification.threshold;
        for (flow, segments) in self.segments(header.left()) {
            match self.parts.asking[&flow].report {
                BurstReport::Lost => self.tell(now, flow, segments, context),
                BurstReport::LostToContention if is_contention => self.tell(now, flow, segments, context),
                BurstReport::LostToContention => self.counts.silent += 1,
                BurstReport::Assembled | BurstReport::Nothing => {}
            }
        }
    }

    /// The senders that ask for it hear what is in a burst.
    fn tell_of_assembly(&mut self, now: u64, packets: &[Packet], context: &mut NodeContext) {
        for (flow, segments) in self.segments(packets) {
            if self.parts.asking[&flow].report == BurstReport::Assembled {
                self.tell(now, flow, segments, context);
            }
        }
    }

    /// The segments of each flow that asks for reports.
    fn segments(&self, packets: &[Packet]) -> BTreeMap<u32, Vec<SackBlock>> {
        let mut segments: BTreeMap<u32, Vec<SackBlock>> = BTreeMap::new();
        for packet in packets.iter().filter(|packet| packet.class == Class::Data) {
            let Some(asking) = self.parts.asking.get(&packet.flow) else { continue };
            let end = packet.seq + u64::from(packet.size - asking.header);
            let blocks = segments.entry(packet.flow).or_default();
            match blocks.last_mut().filter(|last| last.end == packet.seq) {
                Some(last) => last.end = end,
                None => blocks.push(SackBlock { start: packet.seq, end }),
            }
        }
        segments
    }

    /// A report leaves for the sender of a flow.
    fn tell(&mut self, now: u64, flow: u32, segments: Vec<SackBlock>, context: &mut NodeContext) {
        let Asking { report, way, .. } = self.parts.asking[&flow];
        self.counts.told += 1;
        let news = Arc::new(BurstNews { report, segments: segments.into() });
        let size = self.parts.rules.obs.control.header_size;
        context.tell(now, NotificationPacket { flow, way, size, news });
    }
}
