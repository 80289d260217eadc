//! Which detours packets take: over a rack that is drawn when they come, or over the next one that has room.

use super::super::Bulk;
use super::super::keys::FirstHop;
use super::Rack;
use crate::engine::packet::{Class, Packet};
use crate::random::{Stream, uniform_index};

impl Rack {
    /// Among the queues for a rack the one in which a packet for a host there waits on its second hop: that of the host
    /// that relays it, which is told or has its turn.
    pub(super) fn relaying_queue(&mut self, relay: Option<usize>, host: usize) -> usize {
        let hosts = self.own.parts();
        let relay = relay.unwrap_or_else(|| {
            self.relay += 1;
            self.relay
        });
        relay % hosts * hosts + host % hosts
    }

    /// The rack that a packet goes to first, as far as that is decided when it comes.
    pub(super) fn first_hop(&mut self, packet: &Packet, to: u32) -> u32 {
        let racks = self.slices.racks().into();
        let (number, draws) = (self.number, &mut self.draws);
        let is_other = |rack: u32| rack != number;
        match self.rules.bulk {
            Bulk::Vlb(_) if packet.class == Class::Control => to,
            Bulk::Vlb(FirstHop::Any) => draw(draws, racks, is_other),
            Bulk::Vlb(FirstHop::Other) => draw(draws, racks, |rack| is_other(rack) && rack != to),
            _ => to,
        }
    }

    /// The queue out of which a packet takes a detour over the rack `to`, if one does.
    pub(super) fn detour(&self, number: usize, to: u32) -> Option<usize> {
        match self.rules.bulk {
            Bulk::Vlb(FirstHop::Next) if self.waiting > 0 => {
                let all = self.own.all();
                let turns = (self.turn..all.len()).chain(0..self.turn);
                turns.into_iter().find(|queue| *queue != to as usize && all[*queue].may_detour())
            }
            Bulk::RotorLb { .. } => {
                let left = &self.uplinks[number].allowance.own;
                let may = |queue: &usize| {
                    let first = self.own.at(*queue).first().map_or(u64::MAX, u64::from);
                    first <= left[queue % left.len()] && self.own.at(*queue).may_detour()
                };
                self.offers.granted(number).find(may)
            }
            _ => None,
        }
    }
}

/// A rack that is drawn among so many, of those that may be.
fn draw(stream: &mut Stream, racks: u64, may_be: impl Fn(u32) -> bool) -> u32 {
    loop {
        let rack = uniform_index(stream, racks) as u32;
        if may_be(rack) {
            return rack;
        }
    }
}
