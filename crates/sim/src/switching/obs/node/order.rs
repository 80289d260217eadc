//! The end of a burst's way where its order is restored: TCP does not notice that a burst was sent again (paper 001,
//! §IV.B).
//!
//! Bursts of packets are numbered on each route. A burst that lands before earlier ones of its route is held until they
//! have landed, or cannot come any more: the last copy of an earlier burst leaves at most `extra_delay` after that was
//! complete, waits for a wavelength as long as it may, and takes the same path. A deflected copy takes a longer one and
//! can come too late; it then goes on as it comes.

use super::super::burst::{Header, Origin};
use super::super::figures::Key;
use super::super::plan::IngressRule;
use super::super::task::{RouteId, Task};
use super::BurstNode;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::event::What;
use crate::engine::packet::{NO_PAYLOAD, Packet};
use std::collections::BTreeMap;

/// What an egress node holds.
#[derive(Debug, Default)]
pub struct EgressOrder {
    lines: BTreeMap<RouteId, Line>,
    pub(super) counts: OrderCounts,
}

/// The bursts of a route.
#[derive(Debug, Default)]
struct Line {
    /// The number of the burst that is waited for.
    next: u64,
    /// Those that landed before it, and when.
    held: BTreeMap<u64, (u64, Header)>,
}

/// What became of bursts whose order is restored.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderCounts {
    /// That were held.
    pub held: u64,
    /// For how long in all, in picoseconds.
    pub hold: u128,
    /// Bytes that are held now.
    pub bytes: u64,
    /// The most bytes that were held at once.
    pub peak: u64,
    /// That came when nobody waited for them any more.
    pub late: u64,
}

impl OrderCounts {
    /// Adds them to the sums of the network.
    pub(super) fn account(&self, add: &mut impl FnMut(Key, u128)) {
        add(Key::HeldAtEgress, self.held.into());
        add(Key::EgressHoldTime, self.hold);
        add(Key::EgressPeak, self.peak.into());
        add(Key::LateAtEgress, self.late.into());
    }
}

impl BurstNode {
    /// The last bit of a burst is in.
    pub(super) fn land(&mut self, now: u64, header: Header, context: &mut NodeContext) {
        let Some(number) = header.burst.place_in_order else { return self.deliver(now, &header, context) };
        let route_id = RouteId { ingress: header.burst.ingress, route: header.burst.route };
        let order = &mut self.order;
        let line = order.lines.entry(route_id).or_default();
        if number > line.next {
            order.counts.held += 1;
            order.counts.bytes += header.size;
            order.counts.peak = order.counts.peak.max(order.counts.bytes);
            line.held.insert(number, (now, header));
            return self.tasks.push(now + self.longest_hold(), Task::GiveUp(route_id, number));
        }
        order.counts.late += u64::from(number < line.next);
        line.next = line.next.max(number + 1);
        self.deliver(now, &header, context);
        self.deliver_held(now, route_id, number, context);
    }

    /// Delivers what is held up to a burst before which none can come any more, and what follows without a gap.
    pub(super) fn deliver_held(&mut self, now: u64, route_id: RouteId, until: u64, context: &mut NodeContext) {
        while let Some(line) = self.order.lines.get_mut(&route_id)
            && let Some(held) = line.held.first_entry()
            && *held.key() <= until.max(line.next)
        {
            line.next = *held.key() + 1;
            let (since, header) = held.remove();
            self.order.counts.hold += u128::from(now - since);
            self.order.counts.bytes -= header.size;
            self.deliver(now, &header, context);
        }
    }

    /// How long a burst is held at most, in picoseconds: until the last copy of one before it would have landed.
    fn longest_hold(&self) -> u64 {
        let rules = &self.parts.rules;
        let wait = match rules.obs.ingress {
            IngressRule::Wait(longest) => longest.ps(),
            IngressRule::Drop => 0,
        };
        let longest = rules.obs.assembly.rules.length.map_or(0, |length| rules.lasts(length.count()));
        rules.obs.retransmission.map_or(0, |rule| rule.extra_delay.ps()) + wait + longest
    }

    /// The packets of a burst go on.
    pub(super) fn deliver(&mut self, now: u64, header: &Header, context: &mut NodeContext) {
        let burst = &header.burst;
        if burst.origin == Origin::Nothing {
            self.counts.empty += 1;
            return;
        }
        if context.is_observed() {
            context.note_here(header.event(now, What::Land), header.flows());
        }
        self.counts.delivered += 1;
        self.counts.delivery_time += u128::from(now - burst.born);
        let loaded = |packets: &[Packet]| packets.iter().filter(|packet| packet.payload != NO_PAYLOAD).count();
        let before = loaded(&burst.packets[..header.packets.start as usize]);
        let mut payloads = burst.payloads.iter().skip(before).peekable();
        for packet in header.left() {
            let packet = match payloads.next_if(|_| packet.payload != NO_PAYLOAD) {
                Some(payload) => context.load(packet, payload),
                None => Packet { payload: NO_PAYLOAD, ..*packet },
            };
            context.hand(now, &Packet { hop: packet.hop + burst.hops, ..packet });
        }
        self.kept -= header.left().len() as i64;
    }
}
