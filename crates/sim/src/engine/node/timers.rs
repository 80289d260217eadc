//! Timers, lazily re-armed.
//!
//! A machine whose deadline moves later (every ACK moves the retransmission timer) leaves its entry where it is; when
//! the entry comes up, the host looks at the machine's true deadline and puts the entry there. A deadline that moves
//! earlier gets a second entry, and the host's record of the armed time marks the first as stale. Entries of one
//! instant come in the order of (flow, kind). (Agents of switches have deadlines that come and go with every packet:
//! they stand in the event list themselves.)
//!
//! Only the entries of the running bucket of time (2^30 ps, about 1 ms) are sorted ([`fine`]), in windowed execution
//! those of each node when it runs; those of later buckets lie unsorted in one list per bucket. Most of them are stale
//! or moved when their bucket is opened, so they are never sorted, and the hosts that have to be asked for it are asked
//! in one loop, in which the waits for their memory overlap. No time is rounded.

mod entry;
mod fine_level;
mod heap;

pub use entry::{TimerId, TimerKind};

use crate::engine::packet::NEVER;
use entry::{Entry, InWindow, KIND_BITS, NUMBER_BITS};
use fine_level::FineLevel;
use heap::{ARITY, Heap};

/// The entries of all timers in the order of (time, timer).
#[derive(Debug)]
pub struct TimingWheel {
    /// Entries of buckets that have been opened.
    fine: FineLevel,
    /// Entries of the buckets from `next_bucket` on, by bucket modulo [`BUCKETS`]; a bucket that was never used holds
    /// no memory.
    buckets: Vec<Vec<Entry>>,
    /// One bit for each list in `buckets`: whether it has entries.
    occupied: [u64; BUCKETS as usize / 64],
    /// Entries beyond all buckets.
    overflow: Heap<Entry>,
    /// The first bucket that has not been opened.
    next_bucket: u64,
    /// The earliest time in `buckets` and `overflow`; [`NEVER`] if both are empty.
    later: u64,
    /// The earliest time of all: it is asked for after every event, and changes seldom.
    earliest: u64,
    /// Lists without entries. The last one used is the next to be used, because it is in the cache.
    spare: Vec<Vec<Entry>>,
    /// In windows that are not short beside a bucket: the entries of buckets that have been opened, in no order,
    /// instead of `fine`.
    current: Option<Vec<Entry>>,
    /// In a window: the entries of the node that runs that come before its end.
    turn: Heap<InWindow>,
    /// The first of them is gone, and its place free for the next one: a machine whose timer has come up often sets
    /// another.
    is_vacant: bool,
    /// When the window began that is under way or was the last.
    window_start: u64,
    /// When the window ends that is under way; 0 between windows.
    window_end: u64,
    /// Exchanged with every timer's number before comparison; zero except in runs that shuffle ties.
    mask: u32,
}

/// The length of a bucket in picoseconds is 2 to this.
const BUCKET_BITS: u32 = 30;
/// Slots ahead: 2.2 s, more than most retransmission timeouts.
const BUCKETS: u64 = 2048;

impl TimingWheel {
    /// No timers; `mask` permutes the order of timers at one instant (zero: the stated order).
    pub fn new(mask: u32) -> TimingWheel {
        let buckets = vec![Vec::new(); BUCKETS as usize];
        TimingWheel {
            fine: FineLevel::new(),
            buckets,
            occupied: [0; BUCKETS as usize / 64],
            overflow: Heap::new(),
            next_bucket: 0,
            later: NEVER,
            earliest: NEVER,
            spare: Vec::new(),
            current: None,
            turn: Heap::new(),
            is_vacant: false,
            window_start: 0,
            window_end: 0,
            mask,
        }
    }

    /// The time of the earliest entry, [`NEVER`] if there is none. In a window: of the node that runs, the end of the
    /// window if it has none before.
    #[inline]
    pub fn earliest(&self) -> u64 {
        self.earliest
    }

    /// To be called when entries have changed.
    #[inline]
    pub fn settle(&mut self) {
        // In a window the earliest is known unless it is gone and no other has come to its place.
        if self.is_vacant || !self.is_in_window() {
            self.find_earliest();
        }
    }

    #[inline(never)]
    fn find_earliest(&mut self) {
        if self.is_in_window() {
            if std::mem::take(&mut self.is_vacant) {
                self.turn.pop();
            }
            self.earliest = self.turn.first().map_or(self.window_end, |entry| self.window_start + entry.offset());
            return;
        }
        let current = self.current.iter().flatten().map(|entry| entry.time()).min();
        self.earliest = self.fine.first().map(Entry::time).or(current).unwrap_or(NEVER).min(self.later);
    }

    /// The timer of the earliest entry; `None` if a bucket must be opened first, or there are no entries.
    #[inline]
    pub fn first(&self) -> Option<TimerId> {
        if self.is_in_window() {
            return self.turn.first().map(|entry| TimerId(entry.number()));
        }
        self.fine.first().map(|entry| entry.timer(self.mask))
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, time: u64, timer: TimerId) {
        self.place(Entry::of(time, timer, self.mask));
        // In a window what is later than its end does not count, and the earliest time is no later than that.
        self.earliest = self.earliest.min(time);
    }

    /// Moves the earliest entry to a later time. [`TimingWheel::settle`] is to be called.
    pub fn postpone_first(&mut self, time: u64) {
        if let Some(timer) = self.first() {
            self.pop();
            self.place(Entry::of(time, timer, self.mask));
        }
    }

    /// Removes the earliest entry. [`TimingWheel::settle`] is to be called before anything is asked.
    pub fn pop(&mut self) {
        if self.is_in_window() {
            self.is_vacant = true;
        } else {
            self.fine.pop();
        }
    }

    #[inline]
    fn is_in_window(&self) -> bool {
        self.window_end > 0
    }

    /// Whether entries of so many flows can come up in windowed execution.
    pub fn may_go_in_windows(&self, flows: usize) -> bool {
        self.mask == 0 && flows <= 1 << (NUMBER_BITS - KIND_BITS)
    }

    /// From now on entries are taken by [`TimingWheel::take_before`] and come up in windows of about `window`, none of
    /// which is longer than 2^39 ps.
    pub fn go_in_windows(&mut self, window: u64) {
        let is_short = window < 1 << (BUCKET_BITS - 3);
        if is_short {
            self.go_globally();
        } else if self.current.is_none() {
            self.current = Some(self.fine.drain());
        }
    }

    /// From now on they come up one after the other.
    pub fn go_globally(&mut self) {
        self.current.take().into_iter().flatten().for_each(|entry| self.fine.push(entry));
        self.settle();
    }

    /// Shows the entries before `end` of the buckets that have been opened, and takes them. If
    /// [`TimingWheel::opens_before`] says so, the next bucket has more.
    pub fn take_before(&mut self, end: u64, mut taken: impl FnMut(u64, TimerId)) {
        let Some(current) = &mut self.current else {
            while let Some(entry) = self.fine.first().filter(|entry| entry.time() < end) {
                self.fine.pop();
                taken(entry.time(), entry.timer(self.mask));
            }
            return;
        };
        // Each is looked at once in every window: a few times in all.
        current.retain(|entry| {
            let stays = entry.time() >= end;
            if !stays {
                taken(entry.time(), entry.timer(self.mask));
            }
            stays
        });
    }

    /// Whether the next bucket of time that has entries begins before `end`.
    pub fn opens_before(&self, end: u64) -> bool {
        self.later != NEVER && self.later >> BUCKET_BITS << BUCKET_BITS < end
    }

    /// A window from `start` to `end` begins: until [`TimingWheel::end_window`] the entries are those of one node after
    /// the other.
    pub fn begin_window(&mut self, start: u64, end: u64) {
        (self.window_start, self.window_end) = (start, end);
        self.find_earliest();
    }

    /// In a window, a node with these entries, all before its end, begins. Many become a heap at once; a few are put
    /// into it one by one, which takes fewer instructions.
    pub fn begin_process(&mut self, due: impl ExactSizeIterator<Item = (u64, TimerId)>) {
        debug_assert!(self.turn.is_empty(), "a turn ends when nothing is due before the end of the round");
        if due.len() <= ARITY {
            return due.for_each(|(time, timer)| self.push(time, timer));
        }
        let start = self.window_start;
        self.turn.fill(due.map(|(time, timer)| InWindow::new(time - start, timer.0)));
        self.find_earliest();
    }

    /// The window is over, in which every node has come to its end.
    pub fn end_window(&mut self) {
        debug_assert!(self.turn.is_empty(), "a turn ends when nothing is due before the end of the round");
        self.window_end = 0;
        self.settle();
    }

    /// Opens the bucket of the earliest entry and moves what is in it to `current`, which is empty; what is to stay is
    /// put back by [`TimingWheel::push`]. To be called when [`TimingWheel::first`] has nothing.
    pub fn open_bucket(&mut self, current: &mut Vec<(u64, TimerId)>) {
        if self.later == NEVER {
            return;
        }
        let bucket = self.later >> BUCKET_BITS;
        self.next_bucket = bucket + 1;
        self.fine.begin_bucket(bucket);
        let mut entries = std::mem::take(&mut self.buckets[index(bucket)]);
        self.occupied[index(bucket) / 64] &= !(1 << (index(bucket) % 64));
        self.bring_nearer();
        self.later = self.earliest_later();
        self.settle();
        current.extend(entries.drain(..).map(|entry| (entry.time(), entry.timer(self.mask))));
        self.spare.push(entries);
    }

    /// All entries, in no particular order. Between windows.
    pub fn into_entries(mut self) -> impl Iterator<Item = (u64, TimerId)> {
        let mut overflow = Vec::new();
        self.overflow.exchange(&mut overflow);
        let (fine, current) = (self.fine.drain(), self.current.unwrap_or_default());
        let entries = self.buckets.into_iter().chain([overflow, fine, current]).flatten();
        entries.map(move |entry| (entry.time(), entry.timer(self.mask)))
    }

    /// What timers' numbers are exchanged with.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        if entry.time() < self.window_end {
            let entry = InWindow::new(entry.time() - self.window_start, entry.number());
            match std::mem::take(&mut self.is_vacant) {
                true => self.turn.sink(0, entry),
                false => self.turn.push(entry),
            }
            self.earliest = self.window_start + self.turn.entries[0].offset();
            return;
        }
        let bucket = entry.time() >> BUCKET_BITS;
        if bucket < self.next_bucket {
            return match &mut self.current {
                Some(current) => current.push(entry),
                None => self.fine.push(entry),
            };
        }
        self.later = self.later.min(entry.time());
        if bucket - self.next_bucket >= BUCKETS {
            return self.overflow.push(entry);
        }
        let list = &mut self.buckets[index(bucket)];
        if list.capacity() == 0 {
            *list = self.spare.pop().unwrap_or_default();
        }
        if list.is_empty() {
            self.occupied[index(bucket) / 64] |= 1 << (index(bucket) % 64);
        }
        list.push(entry);
    }

    /// Entries that were beyond all buckets and no longer are.
    fn bring_nearer(&mut self) {
        let end = self.next_bucket + BUCKETS;
        while self.overflow.first().is_some_and(|entry| entry.time() >> BUCKET_BITS < end) {
            self.overflow.pop().into_iter().for_each(|entry| self.place(entry));
        }
    }

    fn earliest_later(&self) -> u64 {
        let earliest = self.first_occupied().and_then(|bucket| self.buckets[bucket].iter().min().copied());
        earliest.or(self.overflow.first()).map_or(NEVER, Entry::time)
    }

    /// The list of the first bucket from `next_bucket` on that has entries.
    fn first_occupied(&self) -> Option<usize> {
        let start = index(self.next_bucket);
        let (word, words) = (start / 64, self.occupied.len());
        let from_start = self.occupied[word] & (u64::MAX << (start % 64));
        let bit = |word: usize, bits: u64| (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
        // The word of `start` comes first with its upper bits and last with its lower ones.
        bit(word, from_start)
            .or_else(|| (1..=words).map(|i| (word + i) % words).find_map(|word| bit(word, self.occupied[word])))
    }
}

#[inline]
fn index(bucket: u64) -> usize {
    (bucket % BUCKETS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The earliest entry, once its bucket is open.
    fn earliest(timers: &mut TimingWheel) -> Option<(u64, usize)> {
        let time = timers.earliest();
        if timers.first().is_none() {
            let mut current = Vec::new();
            timers.open_bucket(&mut current);
            current.into_iter().for_each(|(time, timer)| timers.push(time, timer));
        }
        timers.first().map(|timer| (time, timer.flow() as usize))
    }

    /// Times that share buckets, lie in different ones, and lie beyond all of them.
    fn time() -> impl Strategy<Value = u64> {
        let bucket = 1u64 << BUCKET_BITS;
        prop_oneof![
            0u64..50,
            (0u64..8).prop_map(move |n| n * bucket / 4),
            (0u64..5).prop_map(move |n| n * BUCKETS / 2 * bucket)
        ]
    }

    #[test]
    fn rounds_have_room_for_the_numbers_of_two_million_flows_in_their_order() {
        let most = 1 << 21;
        assert!(TimingWheel::new(0).may_go_in_windows(most) && !TimingWheel::new(0).may_go_in_windows(most + 1));
        assert!(!TimingWheel::new(5).may_go_in_windows(1), "exchanged numbers may be larger");
        let last = TimerId::new(most as u32 - 1, TimerKind::Held);
        let entry = InWindow::new(1 << 39, last.0);
        assert_eq!((entry.offset(), entry.number()), (1 << 39, last.0));
        assert!(InWindow::new(1 << 39, 0) < entry && entry < InWindow::new((1 << 39) + 1, 0));
    }

    proptest! {
        #[test]
        fn entries_come_out_in_the_order_of_time_then_flow_then_kind(times in prop::collection::vec((time(), 0u32..20), 1..200), delays in prop::collection::vec(time(), 200)) {
            let mut timers = TimingWheel::new(0);
            let mut plain: Vec<(u64, u32)> = times.clone();
            for (time, flow) in &times {
                timers.push(*time, TimerId::new(*flow, TimerKind::Sender));
            }
            for (i, delay) in delays.iter().enumerate() {
                plain.sort_unstable();
                prop_assert_eq!(earliest(&mut timers), plain.first().map(|(time, flow)| (*time, *flow as usize)));
                match plain.first_mut() {
                    None => break,
                    Some(first) if i % 2 == 0 => {
                        first.0 += delay;
                        timers.postpone_first(first.0);
                        timers.settle();
                    }
                    Some(first) => {
                        let new = (first.0 + delay, i as u32 % 20);
                        plain[0] = new;
                        timers.pop();
                        timers.settle();
                        timers.push(new.0, TimerId::new(new.1, TimerKind::Sender));
                    }
                }
            }
            plain.sort_unstable();
            for (time, flow) in plain {
                prop_assert_eq!(earliest(&mut timers), Some((time, flow as usize)));
                timers.pop();
                timers.settle();
            }
            prop_assert_eq!(earliest(&mut timers), None);
        }

        #[test]
        fn in_rounds_each_node_gets_its_own_entries_in_their_order(
            times in prop::collection::vec((time(), 0u32..20), 1..100),
            delays in prop::collection::vec(prop::option::of(time()), 100),
            window in prop_oneof![1u64..100, Just(1 << (BUCKET_BITS - 2)), Just(3 << BUCKET_BITS)],
            breaks in prop::collection::vec(prop::bool::weighted(0.2), 100),
        ) {
            const NODES: u32 = 3;
            let (mut timers, mut plain, mut delays) = (TimingWheel::new(0), times.clone(), delays.into_iter());
            let mut breaks = breaks.into_iter();
            timers.go_in_windows(window);
            times.iter().for_each(|(time, flow)| timers.push(*time, TimerId::new(*flow, TimerKind::Sender)));
            while let Some((first, _)) = plain.iter().min().copied() {
                let (end, mut due, mut current) = (first + window, Vec::new(), Vec::new());
                loop {
                    timers.take_before(end, |time, timer| due.push((time, timer)));
                    if !timers.opens_before(end) {
                        break;
                    }
                    timers.open_bucket(&mut current);
                    current.drain(..).for_each(|(time, timer)| timers.push(time, timer));
                }
                timers.begin_window(first, end);
                for node in 0..NODES {
                    let own: Vec<_> = due.iter().copied().filter(|(_, timer)| timer.flow() % NODES == node).collect();
                    timers.begin_process(own.into_iter());
                    while timers.earliest() < end {
                        let next = *plain.iter().filter(|(_, flow)| flow % NODES == node).min().unwrap();
                        prop_assert_eq!((timers.earliest(), timers.first().map(TimerId::flow)), (next.0, Some(next.1)));
                        plain.swap_remove(plain.iter().position(|entry| *entry == next).unwrap());
                        match delays.next().flatten() {
                            Some(delay) => {
                                timers.postpone_first(next.0 + delay);
                                plain.push((next.0 + delay, next.1));
                            }
                            None => timers.pop(),
                        }
                        timers.settle();
                    }
                    prop_assert!(plain.iter().all(|(time, flow)| *time >= end || flow % NODES != node));
                }
                timers.end_window();
                prop_assert_eq!(timers.earliest(), plain.iter().map(|(time, _)| *time).min().unwrap_or(NEVER));
                if breaks.next().unwrap_or(false) {
                    timers.go_globally();
                    prop_assert_eq!(earliest(&mut timers), plain.iter().min().map(|(time, flow)| (*time, *flow as usize)));
                    timers.go_in_windows(if plain.len() % 2 == 0 { window } else { 1 << BUCKET_BITS });
                }
            }
        }
    }
}
