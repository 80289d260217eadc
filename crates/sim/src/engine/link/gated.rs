//! The gate of a virtual output queue: a port that transmits only in windows of time, the slots it was granted.
//!
//! A window becomes known when its frame begins ([`GatedTransmitter::open`]); what waits is then placed into the
//! windows as far as it fits ([`GatedTransmitter::place`]), and what arrives later takes what is left of them. A
//! packet's departure is known as soon as it is placed, so no event marks the end of a slot. Packets that have no place
//! yet stay here.
//!
//! A packet counts as waiting until its first bit leaves. What is sent in a window that the switch does not pass is
//! transmitted and lost.

mod windows;

pub use windows::{Row, Window};

use super::features::LossProcess;
use super::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::{Cause, Count};
use crate::model::Packing;
use units::ByteTime;
use windows::Windows;

/// The queue behind a gate.
#[derive(Debug)]
pub struct GatedTransmitter {
    packing: Packing,
    windows: Windows,
    /// All windows up to here are used.
    used_until: u64,
    /// Packets that have a place; swept when a frame begins and when their number could matter, so some at the head may
    /// have left.
    placed: Ring<Placed>,
    placed_bytes: u64,
    /// Whether the switch passes the one placed last.
    newest_passes: bool,
    /// Packets without a place; the first may have a part of one.
    waiting: Ring<Waiting>,
    waiting_bytes: u64,
    begun: Begun,
    /// The windows there are have no room for the first waiting packet.
    stuck: bool,
    /// Every packet is held first, so that a trace shows it waiting.
    holds_all: bool,
    /// Transmission time placed since the start, in picoseconds.
    busy: u64,
    /// Waiting time of packets whose transmission has a time, in packet-picoseconds.
    waited: u128,
    max_waiting: u64,
    granted: Granted,
}

/// Slots granted to a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// In the running frame.
    pub now: u32,
    /// Since the start.
    pub total: u64,
}

/// A packet whose transmission has its time.
#[derive(Clone, Copy, Debug, Default)]
struct Placed {
    start: u64,
    end: u64,
    size: u16,
    /// It vanishes after its transmission.
    lost: bool,
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
    /// Transmission time placed.
    done: u64,
    passes: bool,
}

impl Default for Begun {
    /// Nothing of it is placed.
    fn default() -> Begun {
        Begun { start: u64::MAX, done: 0, passes: true }
    }
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, Debug)]
pub enum GateAdmission {
    /// It has its time: when its last bit leaves.
    Placed(u64),
    /// It waits, and may have its time: [`GatedTransmitter::place`] is to be called until it has no more.
    Held,
    /// It waits, and nothing that waits can be placed before another window is opened.
    Stuck,
}

/// What a gate holds and has done up to an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct GatedReading {
    /// Packets that have not left, and their bytes.
    pub inside: (u64, u64),
    /// Time spent transmitting, in picoseconds.
    pub busy: u64,
    /// Integral of the number of waiting packets, in packet-picoseconds.
    pub waited: u128,
    /// Packets waiting.
    pub waiting: u64,
}

impl GatedTransmitter {
    /// A gate without windows.
    pub fn new(packing: Packing) -> GatedTransmitter {
        GatedTransmitter {
            packing,
            windows: Windows::default(),
            used_until: 0,
            placed: Ring::new(),
            placed_bytes: 0,
            newest_passes: true,
            waiting: Ring::new(),
            waiting_bytes: 0,
            begun: Begun::default(),
            stuck: false,
            holds_all: false,
            busy: 0,
            waited: 0,
            max_waiting: 0,
            granted: Granted::default(),
        }
    }

    /// A frame begins in which the queue has `slots` slots; its windows follow, in the order of time.
    pub fn begin_frame(&mut self, now: u64, slots: u32) {
        self.windows.forget(now);
        self.sweep(now);
        self.granted = Granted { now: slots, total: self.granted.total + u64::from(slots) };
    }

    /// The queue may send in these windows, later than those it has. What of them begins before the last one ends,
    /// because the clock is unsteady, begins there.
    #[inline]
    pub fn open(&mut self, row: Row) {
        self.stuck = false;
        self.windows.open(row, self.packing == Packing::Cut);
    }

    /// Packets last another time than they did.
    pub fn try_again(&mut self) {
        self.stuck = false;
    }

    /// From now on [`GatedTransmitter::admit`] places nothing.
    pub fn hold_all(&mut self) {
        self.holds_all = true;
    }

    /// A packet arrives. What nothing waits before is placed at once, if the windows have room for all of it.
    #[inline(always)]
    pub fn admit(&mut self, now: u64, packet: &Packet, byte_time: ByteTime) -> GateAdmission {
        if self.stuck || !self.waiting.is_empty() || self.holds_all {
            return self.hold(now, packet);
        }
        match self.allot(now, packet.size, now, byte_time) {
            Some(end) => GateAdmission::Placed(end),
            None => self.hold(now, packet),
        }
    }

    /// A packet arrives and waits in any case.
    pub fn hold(&mut self, now: u64, packet: &Packet) -> GateAdmission {
        self.waiting.push(Waiting { packet: *packet, arrived: now });
        self.waiting_bytes += u64::from(packet.size);
        if self.stuck { GateAdmission::Stuck } else { GateAdmission::Held }
    }

    /// Places the first waiting packet, if the windows have room for all of it; `placed` is that packet then. When its
    /// last bit leaves.
    #[inline]
    pub fn place(&mut self, now: u64, byte_time: ByteTime, placed: &mut Packet) -> Option<u64> {
        let Some(first) = self.waiting.front() else {
            self.waiting.restart();
            return None;
        };
        let (size, arrived) = (first.packet.size, first.arrived);
        let end = self.allot(now, size, arrived, byte_time)?;
        *placed = self.waiting.front()?.packet;
        self.waiting.advance();
        self.waiting_bytes -= u64::from(size);
        Some(end)
    }

    /// Gives the first packet its time, and says when its last bit leaves. If the windows have none for all of it, the
    /// gate is stuck.
    #[inline]
    fn allot(&mut self, now: u64, size: u16, arrived: u64, byte_time: ByteTime) -> Option<u64> {
        let (work, before) = (byte_time.of(u32::from(size)).ps(), self.begun);
        let from = now.max(self.used_until);
        let begun = match self.packing {
            Packing::Cut => self.fill(from, work, before),
            Packing::Whole => self.fit(from, work, before),
        };
        self.busy += begun.done - before.done;
        if before.done == 0 && begun.done > 0 {
            self.waited += u128::from(begun.start - arrived);
        }
        if begun.done < work {
            (self.begun, self.stuck) = (begun, true);
            return None;
        }
        self.begun = Begun::default();
        let end = self.used_until;
        self.placed.push(Placed { start: begun.start, end, size, lost: !begun.passes });
        self.placed_bytes += u64::from(size);
        self.newest_passes = begun.passes;
        Some(end)
    }

    /// Uses windows from `from` on, one after the other, for what has no place yet of a packet that takes `work` in
    /// all: what has one then.
    #[inline]
    fn fill(&mut self, mut from: u64, work: u64, Begun { start, mut done, mut passes }: Begun) -> Begun {
        let Some(mut window) = self.windows.not_over(from) else { return Begun { start, done, passes } };
        let start = start.min(from.max(window.start));
        loop {
            let opens = from.max(window.start);
            let part = (work - done).min(window.end - opens);
            (from, done, passes) = (opens + part, done + part, passes && window.passes);
            if done == work {
                break;
            }
            match self.windows.advance() {
                Some(next) => window = next,
                None => break,
            }
        }
        self.used_until = from;
        Begun { start, done, passes }
    }

    /// The same where a packet goes into one window: the first from `from` on that has room for it.
    fn fit(&mut self, from: u64, work: u64, before: Begun) -> Begun {
        let untried = self.windows.place();
        let mut next = self.windows.not_over(from);
        while let Some(window) = next {
            let start = from.max(window.start);
            if window.end - start >= work {
                self.used_until = start + work;
                return Begun { start, done: work, passes: window.passes };
            }
            next = self.windows.advance();
        }
        // Should packets last less one day, they may fit.
        self.windows.return_to(untried);
        before
    }

    /// From when to when the packet placed last leaves.
    pub fn newest(&self) -> Option<(u64, u64)> {
        self.placed.newest().map(|placed| (placed.start, placed.end))
    }

    /// What becomes of the packet placed last on its way, unless it arrives: it does not meet the switch in its slots,
    /// or `loss` strikes.
    #[inline]
    pub fn fate(&mut self, loss: &mut LossProcess) -> Option<Cause> {
        if !self.newest_passes {
            return Some(Cause::GuardViolation);
        }
        if !loss.strikes() {
            return None;
        }
        self.placed.nth_mut(self.placed.len().checked_sub(1)?).lost = true;
        Some(Cause::Random)
    }

    /// Whether a packet that arrives now would have to wait.
    pub fn is_occupied(&mut self, now: u64, size: u16, byte_time: ByteTime) -> bool {
        self.sweep(now);
        if !self.placed.is_empty() || !self.waiting.is_empty() {
            return true;
        }
        let need = if self.packing == Packing::Whole { byte_time.of(u32::from(size)).ps() } else { 1 };
        let from = now.max(self.used_until);
        let window = self.windows.not_over(from);
        !window.is_some_and(|window| from == now && window.start <= now && window.end >= now + need)
    }

    /// Packets that wait now, and their bytes.
    pub fn queue(&mut self, now: u64) -> (u64, u64) {
        self.sweep(now);
        let Count { packets, bytes } = self.inside();
        let sending = self.sending(now);
        (packets - u64::from(sending.is_some()), bytes - sending.unwrap_or(0))
    }

    /// What it has not seen leave: at most so many wait now. (To know exactly costs a look at each that has left.)
    #[inline]
    pub fn inside(&self) -> Count {
        Count {
            packets: self.placed.len() as u64 + self.waiting.len() as u64,
            bytes: self.placed_bytes + self.waiting_bytes,
        }
    }

    /// The size of the packet in transmission: the first one that has not left, if its first bit has.
    fn sending(&self, now: u64) -> Option<u64> {
        let (start, size) = match self.placed.front() {
            Some(first) => (first.start, first.size),
            None => (self.begun.start, self.waiting.front()?.packet.size),
        };
        (start <= now).then_some(u64::from(size))
    }

    /// Notes how many wait now.
    #[inline]
    pub fn note_queue(&mut self, now: u64) {
        if self.inside().packets > self.max_waiting {
            self.max_waiting = self.max_waiting.max(self.queue(now).0);
        }
    }

    /// Most packets that waited at once since the last call; counting restarts with those that wait now.
    pub fn restart_maximum(&mut self, now: u64) -> u64 {
        let waiting = self.queue(now).0;
        std::mem::replace(&mut self.max_waiting, waiting)
    }

    /// Packets whose last bit has left by now are gone.
    fn sweep(&mut self, now: u64) {
        if self.placed.newest().is_some_and(|newest| newest.end <= now) {
            self.placed.restart();
            self.placed_bytes = 0;
            return;
        }
        while let Some(first) = self.placed.front().filter(|first| first.end <= now) {
            self.placed_bytes -= u64::from(first.size);
            self.placed.advance();
        }
    }

    /// Totals up to `now`.
    pub fn reading(&mut self, now: u64) -> GatedReading {
        let (waiting, _) = self.queue(now);
        let Count { packets, bytes } = self.inside();
        let future_wait: u128 = self.placed.iter().map(|placed| u128::from(placed.start.saturating_sub(now))).sum();
        let begun = self.begun();
        let unplaced = self.waiting.iter().skip(usize::from(begun.is_some()));
        let begun = begun.map_or(0, |begun| u128::from(begun.start.saturating_sub(now)));
        let still_waiting: u128 = unplaced.map(|waiting| u128::from(now - waiting.arrived)).sum();
        GatedReading {
            inside: (packets, bytes),
            busy: self.busy - self.future_work(now),
            waited: self.waited + still_waiting - future_wait - begun,
            waiting,
        }
    }

    /// The transmission time that is placed after `now`.
    fn future_work(&self, now: u64) -> u64 {
        let begun = self.begun().map(|begun| (begun.start, self.used_until));
        let placed = self.placed.iter().map(|placed| (placed.start, placed.end));
        placed.chain(begun).map(|(start, end)| self.opening(start.max(now), end)).sum()
    }

    /// What of the first waiting packet is placed.
    fn begun(&self) -> Option<Begun> {
        (self.begun.done > 0).then_some(self.begun)
    }

    /// How much of a stretch of time lies in windows.
    fn opening(&self, from: u64, to: u64) -> u64 {
        let overlap = |window: Window| window.end.min(to).saturating_sub(window.start.max(from));
        self.windows.iter().map(overlap).sum()
    }

    /// The link goes down: what has not left completely is forgotten. Gives the number of packets that are to be taken
    /// back from the fibre, their count, and the packets that have no place yet.
    pub fn clear(&mut self, now: u64) -> Cleared {
        let reading = self.reading(now);
        let (lost, on_fibre): (Vec<Placed>, Vec<Placed>) = self.placed.iter().partition(|placed| placed.lost);
        let cleared = Cleared {
            on_fibre: on_fibre.len(),
            lost: lost.into_iter().map(|placed| u64::from(placed.size)).collect(),
            unplaced: self.waiting.iter().map(|waiting| waiting.packet).collect(),
        };
        (self.busy, self.waited) = (reading.busy, reading.waited);
        self.placed.clear();
        self.waiting.clear();
        (self.placed_bytes, self.waiting_bytes, self.begun, self.stuck) = (0, 0, Begun::default(), false);
        self.used_until = now;
        self.windows.forget_use();
        cleared
    }

    /// Packets without a place.
    pub fn unplaced(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Bytes without a place.
    pub fn unplaced_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Shows every packet without a place.
    pub fn for_each_unplaced(&mut self, mut change: impl FnMut(&mut Packet)) {
        self.waiting.for_each_mut(|waiting| change(&mut waiting.packet));
    }

    /// Slots granted so far.
    pub fn granted(&self) -> Granted {
        self.granted
    }
}

/// What a gate held when its link went down.
#[derive(Debug, Default)]
pub struct Cleared {
    /// How many packets are on the fibre though they have not left.
    pub on_fibre: usize,
    /// The sizes of those that would have been lost.
    pub lost: Vec<u64>,
    /// Those without a place.
    pub unplaced: Vec<Packet>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Rate;

    /// A byte lasts 8 ps.
    fn byte_time() -> ByteTime {
        ByteTime::at(Rate::from_gbps(1000)).unwrap()
    }

    /// Windows frame by frame: (start of the frame, its windows). Frames last 1000 ps.
    fn frames() -> impl Strategy<Value = Vec<(u64, Vec<Window>)>> {
        let slots = prop::collection::vec((any::<bool>(), 0u64..20, prop::bool::weighted(0.8)), 10);
        prop::collection::vec(slots, 1..12).prop_map(|frames| {
            let slot = |frame: u64, slot: u64, guard: u64, passes| {
                let start = 1000 * frame + 100 * slot + guard;
                Window { start, end: 1000 * frame + 100 * (slot + 1) - guard, passes }
            };
            let windows = |(frame, slots): (usize, Vec<(bool, u64, bool)>)| {
                let granted = slots.into_iter().zip(0..).filter(|((granted, ..), _)| *granted);
                let frame = frame as u64;
                (1000 * frame, granted.map(|((_, guard, passes), number)| slot(frame, number, guard, passes)).collect())
            };
            frames.into_iter().enumerate().map(windows).collect()
        })
    }

    /// When a packet begins, and when it ends and whether it passes, if it gets that far.
    type Course = (Option<u64>, Option<(u64, bool)>);

    /// What a gate does, picosecond by picosecond.
    fn by_hand(packing: Packing, windows: &[Window], packets: &[(u64, u64)]) -> Vec<Course> {
        let (mut results, mut now) = (Vec::new(), 0);
        for (arrived, work) in packets {
            let (mut left, mut begun, mut passes) = (*work, None, true);
            now = now.max(*arrived);
            for window in windows {
                if packing == Packing::Whole && window.end.saturating_sub(now.max(window.start)) < left {
                    continue;
                }
                while left > 0 && now.max(window.start) < window.end {
                    now = now.max(window.start);
                    begun = begun.or(Some(now));
                    passes &= window.passes;
                    (now, left) = (now + 1, left - 1);
                }
                if left == 0 {
                    break;
                }
            }
            results.push((begun, (left == 0).then_some((now, passes))));
            if left > 0 {
                // Nobody overtakes.
                results.resize(packets.len(), (None, None));
                break;
            }
        }
        results
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn packets_leave_as_they_would_bit_by_bit(
            frames in frames(),
            whole in any::<bool>(),
            holds_all in any::<bool>(),
            arrivals in prop::collection::vec((0u64..400, 1u16..11), 1..60),
        ) {
            let packing = if whole { Packing::Whole } else { Packing::Cut };
            let mut time = 0;
            let packets: Vec<(u64, u16)> = arrivals.iter().map(|(gap, size)| { time += gap; (time, *size) }).collect();
            let end = 1000 * frames.len() as u64;
            let packets: Vec<(u64, u16)> = packets.into_iter().filter(|(at, _)| *at < end).collect();
            let windows: Vec<Window> = frames.iter().flat_map(|(_, windows)| windows.clone()).collect();
            let work: Vec<(u64, u64)> = packets.iter().map(|(at, size)| (*at, 8 * u64::from(*size))).collect();
            let expected = by_hand(packing, &windows, &work);

            let mut placed = Packet::default();
            let mut gate = GatedTransmitter::new(packing);
            if holds_all {
                gate.hold_all();
            }
            let (mut found, mut coming, mut seen) = (Vec::new(), packets.iter().peekable(), 0);
            for (begins, windows) in &frames {
                let mut offer = |gate: &mut GatedTransmitter, limit: u64, found: &mut Vec<(u64, bool)>| {
                    let mut placed = Packet::default();
                    while let Some((at, size)) = coming.next_if(|(at, _)| *at < limit).copied() {
                        let admission = gate.admit(at, &Packet { size, ..Packet::default() }, byte_time());
                        if let GateAdmission::Placed(end) = admission {
                            found.push((end, gate.fate(&mut LossProcess::None).is_none()));
                        }
                        let before = found.len();
                        while let Some(end) = gate.place(at, byte_time(), &mut placed) {
                            found.push((end, gate.fate(&mut LossProcess::None).is_none()));
                        }
                        assert!(matches!(admission, GateAdmission::Held) || found.len() == before, "{admission:?}");
                        // Totals at any instant, by the packets seen so far.
                        let reading = gate.reading(at);
                        seen += 1;
                        let waits = |course: &&Course| course.0.is_none_or(|begun| begun > at);
                        assert_eq!(reading.waiting, expected[..seen].iter().filter(waits).count() as u64);
                    }
                };
                offer(&mut gate, *begins, &mut found);
                gate.begin_frame(*begins, windows.len() as u32);
                windows.iter().for_each(|window| gate.open((*window).into()));
                while let Some(end) = gate.place(*begins, byte_time(), &mut placed) {
                    found.push((end, gate.fate(&mut LossProcess::None).is_none()));
                }
                offer(&mut gate, begins + 1000, &mut found);
            }
            let through: Vec<_> = expected.iter().map_while(|course| course.1).collect();
            prop_assert_eq!(&found, &through);
            let reading = gate.reading(end);
            let sent = packets.iter().take(found.len()).map(|(_, size)| 8 * u64::from(*size)).sum::<u64>();
            prop_assert_eq!(reading.busy, sent + gate.begun.done);
            prop_assert_eq!(reading.inside.0, (packets.len() - found.len()) as u64);
            let waited = expected.iter().zip(&packets).map(|(course, (at, _))| course.0.unwrap_or(end) - at);
            prop_assert_eq!(reading.waited, waited.map(u128::from).sum::<u128>());
        }
    }

    #[test]
    fn what_had_no_slot_is_given_back_when_the_link_goes_down() {
        let mut placed = Packet::default();
        let mut gate = GatedTransmitter::new(Packing::Cut);
        gate.begin_frame(0, 1);
        gate.open(Window { start: 10, end: 100, passes: true }.into());
        for _ in 0..3 {
            gate.hold(0, &Packet { size: 5, ..Packet::default() });
            while gate.place(0, byte_time(), &mut placed).is_some() {}
        }
        // Two of 40 ps each are placed, the third has 10 ps; at 30 ps the first is half gone.
        let cleared = gate.clear(30);
        assert_eq!((cleared.on_fibre, cleared.unplaced.len()), (2, 1));
        let reading = gate.reading(30);
        assert_eq!((reading.busy, reading.inside, reading.waited), (20, (0, 0), 10 + 30 + 30));
        // The rest of the window can be used again.
        gate.hold(30, &Packet { size: 5, ..Packet::default() });
        assert_eq!(gate.place(30, byte_time(), &mut placed), Some(70));
    }
}
