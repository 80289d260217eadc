//! The transmissions that a port has scheduled and not yet completed: the one way in which every kind of port counts
//! what is inside it.
//!
//! A packet is entered when its transmission gets its time, which may be long before its first bit leaves. Packets that
//! have no time yet, behind a gate or in a queue discipline, are elsewhere.

use super::ring::Ring;
use crate::engine::packet::NEVER;
use crate::engine::packet::admission::Count;

/// When a packet leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transmission {
    /// When its first bit leaves.
    pub start: u64,
    /// When its last bit has left.
    pub end: u64,
    /// Its size in bytes.
    pub size: u16,
    /// Whether it is lost behind the port.
    pub is_lost: bool,
    /// Whether it begins as the one before it ends.
    pub follows: bool,
}

/// In the place of the first transmission where there is none.
const NONE: Transmission = Transmission { start: NEVER, end: NEVER, size: 0, is_lost: false, follows: false };

/// The transmissions that have not been seen to end, and sums over all since the start. The fields are in the order in
/// which a packet meets them.
#[derive(Debug)]
#[repr(C)]
pub struct Backlog {
    /// The transmitter has nothing to do from then on.
    busy_until: u64,
    /// Transmission time since the start, that to come included, in picoseconds.
    busy: u64,
    /// The first of them: under way, or the next. One that has ended stays until the next [`Backlog::sweep`].
    first: Transmission,
    /// The bytes of those behind it.
    bytes_behind: u64,
    /// Those behind it, in the order of time.
    behind: Ring<Transmission>,
    /// The most packets that waited at once since [`Backlog::restart_maximum`].
    most_waiting: u64,
    /// Time that packets have waited for their first bit to leave, that to come included, in packet-picoseconds.
    waited: u128,
}

impl Backlog {
    /// Nothing has ever been sent.
    pub fn new() -> Backlog {
        let (behind, bytes_behind) = (Ring::new(), 0);
        Backlog { busy_until: 0, busy: 0, first: NONE, bytes_behind, behind, most_waiting: 0, waited: 0 }
    }

    /// A packet finds the transmitter idle: all others have ended, and it leaves at once.
    #[inline(always)]
    pub fn begin(&mut self, transmission: Transmission) {
        self.occupy(transmission.end, transmission.end - transmission.start);
        self.first = transmission;
        self.bytes_behind = 0;
        self.behind.restart();
    }

    /// A packet that came at `arrived` finds the transmitter busy, and has its time without a break behind all others.
    #[inline(always)]
    pub fn follow(&mut self, arrived: u64, transmission: Transmission) {
        let Transmission { start, end, .. } = transmission;
        self.occupy(end, end - start);
        self.add_wait(start - arrived);
        self.push_behind(transmission);
    }

    /// A packet that came at `arrived` has its time, without a break and behind all others.
    #[inline(always)]
    pub fn schedule(&mut self, arrived: u64, transmission: Transmission) {
        let Transmission { start, end, .. } = transmission;
        self.occupy(end, end - start);
        self.add_wait(start - arrived);
        self.push(transmission);
    }

    /// The transmitter is busy for `work` more, the last of it until `end`.
    #[inline(always)]
    pub fn occupy(&mut self, end: u64, work: u64) {
        self.busy_until = end;
        self.busy += work;
    }

    /// A packet waits so long for its first bit to leave.
    #[inline(always)]
    pub fn add_wait(&mut self, wait: u64) {
        self.waited += u128::from(wait);
    }

    /// Enters a transmission of which wait and work are counted.
    #[inline(always)]
    pub fn push(&mut self, transmission: Transmission) {
        if self.is_empty() {
            self.first = transmission;
        } else {
            self.push_behind(transmission);
        }
    }

    #[inline(always)]
    fn push_behind(&mut self, transmission: Transmission) {
        self.bytes_behind += u64::from(transmission.size);
        *self.behind.place() = transmission;
    }

    /// Forgets the transmissions that have ended by `now`.
    #[inline]
    pub fn sweep(&mut self, now: u64) {
        if self.busy_until <= now {
            return self.forget_all();
        }
        while self.first.end <= now {
            self.first = *self.behind.front().unwrap_or(&NONE);
            self.bytes_behind -= u64::from(self.first.size);
            self.behind.advance();
        }
    }

    fn forget_all(&mut self) {
        self.first = NONE;
        self.bytes_behind = 0;
        self.behind.restart();
    }

    /// Whether no transmission is left, after a [`Backlog::sweep`].
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first.end == NEVER
    }

    /// The transmissions that are left after a [`Backlog::sweep`]; at any other time so many at most.
    #[inline]
    pub fn inside(&self) -> Count {
        let first = if self.is_empty() { Count::default() } else { Count::of(self.first.size) };
        self.behind_first().plus(first)
    }

    /// All of them but the first: those that wait where transmissions follow each other without a break.
    #[inline(always)]
    pub fn behind_first(&self) -> Count {
        Count { packets: self.behind.len() as u64, bytes: self.bytes_behind }
    }

    /// Those of them that have not begun.
    #[inline]
    pub fn waiting(&self, now: u64) -> Count {
        if self.first.start <= now { self.behind_first() } else { self.inside() }
    }

    /// The most packets that waited at once, as far as that has been noted.
    #[inline(always)]
    pub fn most_waiting(&self) -> u64 {
        self.most_waiting
    }

    /// So many packets wait at once.
    #[inline(always)]
    pub fn note_waiting(&mut self, packets: u64) {
        self.most_waiting = self.most_waiting.max(packets);
    }

    /// The most that waited at once since the last call; counting begins again with `packets`.
    pub fn restart_maximum(&mut self, packets: u64) -> u64 {
        std::mem::replace(&mut self.most_waiting, packets)
    }

    /// From when on the transmitter has nothing to do.
    #[inline(always)]
    pub fn busy_until(&self) -> u64 {
        self.busy_until
    }

    /// Transmission time since the start, that to come included.
    pub fn busy(&self) -> u64 {
        self.busy
    }

    /// Packet-picoseconds that packets with a time have waited up to `now`.
    pub fn waited(&self, now: u64) -> u128 {
        let to_come = |transmission: Transmission| u128::from(transmission.start.saturating_sub(now));
        self.waited - self.iter().map(to_come).sum::<u128>()
    }

    /// The transmission scheduled last.
    #[inline]
    pub fn newest(&self) -> Option<&Transmission> {
        self.behind.newest().or((!self.is_empty()).then_some(&self.first))
    }

    /// The transmission scheduled last is lost behind the port.
    pub fn lose_newest(&mut self) {
        self.behind.newest_mut().unwrap_or(&mut self.first).is_lost = true;
    }

    /// All of them, in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = Transmission> + '_ {
        let first = (!self.is_empty()).then_some(self.first);
        first.into_iter().chain(self.behind.iter())
    }

    /// The link went down at `now`: no transmission goes on, and `busy` and `waited` are what they were until then.
    pub fn stop(&mut self, now: u64, busy: u64, waited: u128) {
        self.forget_all();
        (self.busy_until, self.busy, self.waited) = (now, busy, waited);
    }

    /// The only transmission stands still from `now` on and ends at `end`: what is left of it, which no longer counts.
    pub fn halt(&mut self, now: u64, end: u64) -> u64 {
        let left = self.first.end - now;
        self.busy -= left;
        (self.first.end, self.busy_until) = (end, end);
        left
    }

    /// After a pause of so long it goes on for `left`, until `end`: as if it had begun as much later, so that what lies
    /// between its start and its end is transmission.
    pub fn go_on(&mut self, pause: u64, left: u64, end: u64) {
        self.busy += left;
        self.first.start += pause;
        (self.first.end, self.busy_until) = (end, end);
    }

    /// The only transmission, which has been served in parts, is over.
    pub fn complete(&mut self, now: u64) {
        (self.first.start, self.first.end, self.busy_until) = (now, now, now);
    }

    /// Each transmission that has not ended by `now`, the rest of the first included, lasts as long as `stretch` says
    /// of what it did. They follow each other without a break, as those of a port without a gate do.
    pub fn stretch(&mut self, now: u64, stretch: impl Fn(u64) -> u64) {
        self.sweep(now);
        let (mut old_start, mut new_start) = (now, now);
        if self.is_empty() {
            return;
        }
        let Backlog { first, behind, waited, .. } = self;
        let mut change = |transmission: &mut Transmission| {
            let (left, old_end) = (transmission.end - old_start, transmission.end);
            *waited = *waited + u128::from(new_start) - u128::from(old_start);
            if transmission.start > now {
                transmission.start = new_start;
            }
            transmission.end = new_start + stretch(left);
            (old_start, new_start) = (old_end, transmission.end);
        };
        change(first);
        behind.for_each_mut(change);
        self.busy = self.busy + new_start - old_start;
        self.busy_until = self.busy_until + new_start - old_start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog() -> Backlog {
        let mut backlog = Backlog::new();
        for (start, end, size) in [(0, 12, 1500), (12, 24, 1500), (30, 31, 40)] {
            backlog.schedule(0, Transmission { start, end, size, ..Transmission::default() });
        }
        backlog
    }

    #[test]
    fn what_is_in_transmission_is_inside_and_does_not_wait() {
        let seen = |now| {
            let mut backlog = backlog();
            backlog.sweep(now);
            let (inside, waiting) = (backlog.inside(), backlog.waiting(now));
            [inside.packets, inside.bytes, waiting.packets, waiting.bytes]
        };
        assert_eq!(seen(11), [3, 3040, 2, 1540]);
        assert_eq!(seen(12), [2, 1540, 1, 40], "the second begins when the first ends");
        assert_eq!(seen(25), [1, 40, 1, 40], "a gate may leave a gap");
        assert_eq!(seen(31), [0; 4]);
    }

    /// Waits of 0, 12 and 30 in all; at 18 the third has waited 18.
    #[test]
    fn waits_are_counted_up_to_now() {
        let backlog = backlog();
        assert_eq!([18, 40].map(|now| backlog.waited(now)), [12 + 18, 12 + 30]);
        assert_eq!((backlog.busy(), backlog.busy_until()), (25, 31));
    }

    /// Half of the second is left at 18; it and the next take ten times as long.
    #[test]
    fn what_is_left_is_stretched() {
        let mut backlog = Backlog::new();
        for (start, end) in [(0, 12), (12, 24), (24, 36)] {
            backlog.schedule(0, Transmission { start, end, size: 1500, ..Transmission::default() });
        }
        backlog.stretch(18, |left| 10 * left);
        assert_eq!(backlog.iter().map(|left| (left.start, left.end)).collect::<Vec<_>>(), [(12, 78), (78, 198)]);
        assert_eq!((backlog.busy(), backlog.busy_until(), backlog.waited(198)), (198, 198, 12 + 78));
    }

    #[test]
    fn the_newest_alone_is_lost_behind_the_port() {
        let mut backlog = Backlog::new();
        for start in [0, 10, 20] {
            backlog.schedule(0, Transmission { start, end: start + 10, size: 1, ..Transmission::default() });
            if start == 10 {
                backlog.lose_newest();
            }
        }
        assert!(backlog.iter().map(|transmission| transmission.is_lost).eq([false, true, false]));
        assert_eq!(backlog.newest().map(|newest| newest.is_lost), Some(false));
    }
}
