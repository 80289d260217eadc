//! A gated transmitter, as those of IEEE 802.1Qbv: it transmits only in windows of time, while its gate is open.
//!
//! A window becomes known when its cycle begins ([`GatedTransmitter::open`]); what waits is then placed into the
//! windows as far as it fits ([`GatedTransmitter::place`]), and what arrives later takes what is left of them. A
//! packet's departure is known as soon as it is placed, so no event marks the end of a window: the packet is in the
//! port's [`Backlog`] then. Packets that have no place yet stay here.
//!
//! A packet counts as waiting until its first bit leaves. What is sent in a window that the switch does not pass is
//! transmitted and lost.

mod windows;

pub use windows::{Row, Window};

use super::backlog::{Backlog, Transmission};
use super::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::model::Packing;
use units::ByteTime;
use windows::Windows;

/// A gate, and the packets behind it that have no place in its windows.
#[derive(Debug)]
pub struct GatedTransmitter {
    packing: Packing,
    windows: Windows,
    /// Packets without a place; the first may have a part of one.
    waiting: Ring<Waiting>,
    waiting_bytes: u64,
    begun: Begun,
    /// The windows there are have no room for the first waiting packet.
    is_stuck: bool,
    /// Every packet is held first, so that a trace shows it waiting.
    holds_all: bool,
    openings: Openings,
}

/// How often a gate opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// In the running cycle.
    pub now: u32,
    /// Since the start.
    pub total: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    packet: Packet,
    arrived: u64,
}

/// The part of the first waiting packet that is placed already.
#[derive(Clone, Copy, Debug)]
struct Begun {
    /// Its first bit leaves then; [`u64::MAX`] while it has no place.
    start: u64,
    /// The part ends then.
    until: u64,
    /// Transmission time placed.
    done: u64,
    passes: bool,
}

impl Default for Begun {
    /// Nothing of it is placed.
    fn default() -> Begun {
        Begun { start: u64::MAX, until: 0, done: 0, passes: true }
    }
}

impl GatedTransmitter {
    /// A gate without windows.
    pub fn new(packing: Packing) -> GatedTransmitter {
        GatedTransmitter {
            packing,
            windows: Windows::default(),
            waiting: Ring::new(),
            waiting_bytes: 0,
            begun: Begun::default(),
            is_stuck: false,
            holds_all: false,
            openings: Openings::default(),
        }
    }

    /// A cycle begins in which the gate has so many `openings`; its windows follow, in the order of time.
    pub fn begin_cycle(&mut self, now: u64, openings: u32) {
        self.windows.forget(now);
        self.openings = Openings { now: openings, total: self.openings.total + u64::from(openings) };
    }

    /// The queue may send in these windows, later than those it has. What of them begins before the last one ends,
    /// because the clock is unsteady, begins there.
    #[inline]
    pub fn open(&mut self, row: Row) {
        self.is_stuck = false;
        self.windows.open(row, self.packing == Packing::Cut);
    }

    /// Packets last another time than they did.
    pub fn try_again(&mut self) {
        self.is_stuck = false;
    }

    /// From now on [`GatedTransmitter::admit`] places nothing.
    pub fn hold_all(&mut self) {
        self.holds_all = true;
    }

    /// A packet arrives. What nothing waits before is placed at once, if the windows have room for all of it: when its
    /// last bit leaves then.
    #[inline(always)]
    pub fn admit(&mut self, now: u64, packet: &Packet, byte_time: ByteTime, backlog: &mut Backlog) -> Option<u64> {
        let is_next = self.waiting.is_empty() && !(self.is_stuck || self.holds_all);
        let end = if is_next { self.allot(now, packet.size, now, byte_time, backlog) } else { None };
        end.or_else(|| self.hold(now, packet))
    }

    /// A packet arrives and waits in any case: it has no time.
    pub fn hold(&mut self, now: u64, packet: &Packet) -> Option<u64> {
        self.waiting.push(Waiting { packet: *packet, arrived: now });
        self.waiting_bytes += u64::from(packet.size);
        None
    }

    /// Whether nothing that waits can be placed before another window is opened. Else [`GatedTransmitter::place`] is to
    /// be called, until it places no more.
    #[inline]
    pub fn is_stuck(&self) -> bool {
        self.is_stuck
    }

    /// Places the first waiting packet, if the windows have room for all of it; `placed` is that packet then. When its
    /// last bit leaves.
    #[inline]
    pub fn place(&mut self, now: u64, byte_time: ByteTime, backlog: &mut Backlog, placed: &mut Packet) -> Option<u64> {
        let Some(first) = self.waiting.front() else {
            self.waiting.restart();
            return None;
        };
        let (size, arrived) = (first.packet.size, first.arrived);
        let end = self.allot(now, size, arrived, byte_time, backlog)?;
        *placed = self.waiting.front()?.packet;
        self.waiting.advance();
        self.waiting_bytes -= u64::from(size);
        Some(end)
    }

    /// Gives the first packet its time, and says when its last bit leaves. If the windows have none for all of it, the
    /// gate is stuck.
    #[inline]
    fn allot(&mut self, now: u64, size: u16, arrived: u64, byte_time: ByteTime, backlog: &mut Backlog) -> Option<u64> {
        let (work, before) = (byte_time.of(u32::from(size)).ps(), self.begun);
        let from = now.max(backlog.busy_until());
        let begun = match self.packing {
            Packing::Cut => self.fill(from, work, before),
            Packing::Whole => self.fit(from, work, before),
        };
        if begun.done > before.done {
            backlog.occupy(begun.until, begun.done - before.done);
        }
        if before.done == 0 && begun.done > 0 {
            backlog.add_wait(begun.start - arrived);
        }
        if begun.done < work {
            (self.begun, self.is_stuck) = (begun, true);
            return None;
        }
        self.begun = Begun::default();
        backlog.push(Transmission {
            start: begun.start,
            end: begun.until,
            size,
            is_lost: !begun.passes,
            follows: false,
        });
        Some(begun.until)
    }

    /// Uses windows from `from` on, one after the other, for what has no place yet of a packet that takes `work` in
    /// all: what has one then.
    #[inline]
    fn fill(&mut self, from: u64, work: u64, before: Begun) -> Begun {
        let Some(mut window) = self.windows.not_over(from) else { return before };
        let Begun { start, mut done, mut passes, .. } = before;
        let (start, mut until) = (start.min(from.max(window.start)), from);
        loop {
            let opens = until.max(window.start);
            let part = (work - done).min(window.end - opens);
            (until, done, passes) = (opens + part, done + part, passes && window.passes);
            if done == work {
                break;
            }
            match self.windows.advance() {
                Some(next) => window = next,
                None => break,
            }
        }
        Begun { start, until, done, passes }
    }

    /// The same where a packet goes into one window: the first from `from` on that has room for it.
    fn fit(&mut self, from: u64, work: u64, before: Begun) -> Begun {
        let untried = self.windows.place();
        let mut next = self.windows.not_over(from);
        while let Some(window) = next {
            let start = from.max(window.start);
            if window.end - start >= work {
                return Begun { start, until: start + work, done: work, passes: window.passes };
            }
            next = self.windows.advance();
        }
        // Should packets last less one day, they may fit.
        self.windows.return_to(untried);
        before
    }

    /// Whether a packet that arrives now while the `backlog` is swept would have to wait.
    pub fn is_occupied(&mut self, now: u64, size: u16, byte_time: ByteTime, backlog: &Backlog) -> bool {
        if !backlog.is_empty() || !self.waiting.is_empty() {
            return true;
        }
        let need = if self.packing == Packing::Whole { byte_time.of(u32::from(size)).ps() } else { 1 };
        let from = now.max(backlog.busy_until());
        let window = self.windows.not_over(from);
        !window.is_some_and(|window| from == now && window.start <= now && window.end >= now + need)
    }

    /// Packets without a place.
    #[inline]
    pub fn unplaced(&self) -> Count {
        Count { packets: self.waiting.len() as u64, bytes: self.waiting_bytes }
    }

    /// Those of them that wait: the first does not if a part of it is placed and its first bit has left.
    #[inline]
    pub fn waiting(&self, now: u64) -> Count {
        let mut waiting = self.unplaced();
        if self.begun.start <= now
            && let Some(first) = self.waiting.front()
        {
            waiting.packets -= 1;
            waiting.bytes -= u64::from(first.packet.size);
        }
        waiting
    }

    /// Packet-picoseconds that packets of which nothing is placed have waited up to `now`.
    pub fn waited(&self, now: u64) -> u128 {
        let unplaced = self.waiting.iter().skip(usize::from(self.begun().is_some()));
        unplaced.map(|waiting| u128::from(now - waiting.arrived)).sum()
    }

    /// How long the first packet without a place still waits for its first bit to leave, if that has its time.
    pub fn wait_to_come(&self, now: u64) -> u64 {
        self.begun().map_or(0, |begun| begun.start.saturating_sub(now))
    }

    /// The transmission time of the packets in the `backlog`, and of the first without a place, that is placed after
    /// `now`.
    pub fn future_work(&self, now: u64, backlog: &Backlog) -> u64 {
        let begun = self.begun().map(|begun| (begun.start, begun.until));
        let placed = backlog.iter().map(|placed| (placed.start, placed.end));
        placed.chain(begun).map(|(start, end)| self.open_time(start.max(now), end)).sum()
    }

    /// The transmission time of the first packet without a place that is placed.
    pub fn work_begun(&self) -> u64 {
        self.begun.done
    }

    /// What of the first waiting packet is placed.
    fn begun(&self) -> Option<Begun> {
        (self.begun.done > 0).then_some(self.begun)
    }

    /// How much of a stretch of time lies in windows.
    fn open_time(&self, from: u64, to: u64) -> u64 {
        let overlap = |window: Window| window.end.min(to).saturating_sub(window.start.max(from));
        self.windows.iter().map(overlap).sum()
    }

    /// The link goes down. Gives the packets that have no place yet; all windows can be used again.
    pub fn clear(&mut self) -> Vec<Packet> {
        let unplaced = self.waiting.iter().map(|waiting| waiting.packet).collect();
        self.waiting.clear();
        (self.waiting_bytes, self.begun, self.is_stuck) = (0, Begun::default(), false);
        self.windows.forget_use();
        unplaced
    }

    /// Shows every packet without a place.
    pub fn for_each_unplaced(&mut self, mut change: impl FnMut(&mut Packet)) {
        self.waiting.for_each_mut(|waiting| change(&mut waiting.packet));
    }

    /// Its openings so far.
    pub fn openings(&self) -> Openings {
        self.openings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_those_of_the_cycle_and_of_all_cycles() {
        let mut gate = GatedTransmitter::new(Packing::Whole);
        assert_eq!(gate.openings(), Openings { now: 0, total: 0 });
        gate.begin_cycle(0, 3);
        gate.begin_cycle(10, 2);
        assert_eq!(gate.openings(), Openings { now: 2, total: 5 });
    }
}
