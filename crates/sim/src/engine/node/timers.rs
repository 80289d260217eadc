//! Timers, lazily re-armed, in a timing wheel.
//!
//! A machine whose deadline moves later (every ACK moves the retransmission timer) leaves its entry where it is; when
//! the entry comes up, the host looks at the machine's true deadline and puts the entry there. A deadline that moves
//! earlier gets a second entry, and the host's record of the armed time marks the first as stale. Entries of one
//! instant come in the order of (flow, kind). (Agents of switches have deadlines that come and go with every packet:
//! they stand in the event list themselves.)
//!
//! The wheel has two levels of unsorted lists: one for each bucket of 2^30 ps (about 1 ms), and, of the bucket that has
//! been opened last, one for each step of 2^20 ps. What lies beyond all buckets overflows into a heap. Only what is
//! next is sorted, in a heap of its own: the entries of the step that runs or, in windowed execution, those of the node
//! that runs. Most entries are stale or moved when their bucket is opened, so they are never sorted, and the hosts that
//! have to be asked for it are asked in one loop, in which the waits for their memory overlap. No time is rounded.

mod entry;
mod heap;
mod level;

pub use entry::{TimerId, TimerKind};

use crate::engine::packet::NEVER;
use crate::engine::packet::state::{Owners, Rule};
use entry::Entry;
use heap::{ARITY, Heap};
use level::Level;

/// The length of a bucket in picoseconds is 2 to this.
const BUCKET_BITS: u32 = 30;
/// Buckets ahead: 2.2 s, more than most retransmission timeouts.
const BUCKETS: usize = 2048;
/// The length of a step in picoseconds is 2 to this.
const STEP_BITS: u32 = 20;
/// Steps of a bucket.
const STEPS: usize = 1 << (BUCKET_BITS - STEP_BITS);

/// The entries of all timers in the order of (time, timer).
#[derive(Debug)]
pub struct TimingWheel {
    /// Entries before `heap_end`, which come next. Event after event it is empty only where `steps` is; in a window it
    /// has those of the node that runs, and between windows none.
    heap: Heap,
    heap_end: u64,
    /// Entries from `heap_end` to the end of the bucket that was opened last.
    steps: Level<STEP_BITS, STEPS>,
    /// Entries of the buckets from `next_bucket` on.
    buckets: Level<BUCKET_BITS, BUCKETS>,
    /// Entries beyond all buckets.
    overflow: Heap,
    /// The first bucket that has not been opened.
    next_bucket: u64,
    /// The earliest time in `buckets` and `overflow`; [`NEVER`] if both are empty.
    later: u64,
    /// The earliest time of all: it is asked for after every event, and changes seldom.
    earliest: u64,
    mode: Mode,
    /// Exchanged with every timer's number before comparison; zero except in runs that shuffle ties.
    mask: u32,
}

/// A timer moves with the side of its flow that it calls. Each partition has a wheel of its own.
#[derive(Debug)]
pub struct ByTimer;

impl Rule<TimingWheel> for ByTimer {
    fn merge(parts: Vec<TimingWheel>, before: &dyn Owners) -> TimingWheel {
        let mut all = TimingWheel::new(before.now(), parts[0].mask);
        parts.into_iter().flat_map(TimingWheel::into_entries).for_each(|(time, timer)| all.push(time, timer));
        all
    }

    fn split(all: TimingWheel, after: &dyn Owners) -> Vec<TimingWheel> {
        let mask = all.mask;
        let mut split: Vec<TimingWheel> = (0..after.parts()).map(|_| TimingWheel::new(after.now(), mask)).collect();
        for (time, timer) in all.into_entries() {
            let part = match timer.kind() {
                TimerKind::Receiver | TimerKind::Shared => after.sink_of(timer.flow()),
                TimerKind::Sender | TimerKind::Lifecycle | TimerKind::Held | TimerKind::News => {
                    after.source_of(timer.flow())
                }
                // Each partition arms its own.
                TimerKind::Work => continue,
            };
            split[part as usize].push(time, timer);
        }
        split
    }
}

impl Default for TimingWheel {
    fn default() -> TimingWheel {
        TimingWheel::new(0, 0)
    }
}

/// How entries come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// One after the other.
    Global,
    /// In windows, none of which is under way.
    BetweenWindows,
    /// In a window, those of one node after the other.
    InWindow,
}

impl TimingWheel {
    /// No timers, at `now`; `mask` permutes the order of timers at one instant (zero: the stated order).
    pub fn new(now: u64, mask: u32) -> TimingWheel {
        let next_bucket = now >> BUCKET_BITS;
        TimingWheel {
            heap: Heap::new(),
            heap_end: next_bucket << BUCKET_BITS,
            steps: Level::new(),
            buckets: Level::new(),
            overflow: Heap::new(),
            next_bucket,
            later: NEVER,
            earliest: NEVER,
            mode: Mode::Global,
            mask,
        }
    }

    /// The time of the earliest entry, [`NEVER`] if there is none. In a window: of the node that runs, the end of the
    /// window if it has none before. Not to be asked between windows.
    #[inline]
    pub fn earliest(&self) -> u64 {
        self.earliest
    }

    /// The timer of the earliest entry; `None` if a bucket must be opened first, or there are no entries.
    #[inline]
    pub fn first(&self) -> Option<TimerId> {
        self.heap.first().map(|entry| entry.timer(self.mask))
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, time: u64, timer: TimerId) {
        self.place(Entry::of(time, timer, self.mask));
        // In a window what is later than its end does not count, and the earliest time is no later than that.
        self.earliest = self.earliest.min(time);
    }

    /// Moves the earliest entry to a later time.
    pub fn postpone_first(&mut self, time: u64) {
        let Some(first) = self.heap.first() else { return };
        let entry = first.at(time);
        if time < self.heap_end {
            self.heap.replace_first(entry);
            self.find_earliest();
        } else {
            self.place(entry);
            self.pop();
        }
    }

    /// Removes the earliest entry.
    pub fn pop(&mut self) {
        self.heap.pop();
        self.begin_step_if_empty();
        self.find_earliest();
    }

    fn find_earliest(&mut self) {
        let none = if self.mode == Mode::Global { self.later } else { self.heap_end };
        self.earliest = self.heap.first().map_or(none, Entry::time);
    }

    /// From now on entries are taken by [`TimingWheel::take_before`] and come up in windows.
    pub fn go_in_windows(&mut self) {
        if self.mode == Mode::Global {
            self.mode = Mode::BetweenWindows;
            self.heap_end = self.next_bucket.saturating_sub(1) << BUCKET_BITS;
            self.heap.drain().for_each(|entry| self.steps.push(entry));
        }
    }

    /// From now on they come up one after the other.
    pub fn go_globally(&mut self) {
        self.mode = Mode::Global;
        self.begin_step_if_empty();
        self.find_earliest();
    }

    /// Shows the entries before `end` of the buckets that have been opened, and takes them. If
    /// [`TimingWheel::opens_before`] says so, the next bucket has more.
    pub fn take_before(&mut self, end: u64, mut taken: impl FnMut(u64, TimerId)) {
        let mask = self.mask;
        self.steps.take_before(self.heap_end >> STEP_BITS, end, |entry| taken(entry.time(), entry.timer(mask)));
    }

    /// Whether the next bucket of time that has entries begins before `end`.
    pub fn opens_before(&self, end: u64) -> bool {
        self.later != NEVER && self.later >> BUCKET_BITS << BUCKET_BITS < end
    }

    /// A window to `end` begins: until [`TimingWheel::end_window`] the entries are those of one node after the other.
    pub fn begin_window(&mut self, end: u64) {
        (self.mode, self.heap_end) = (Mode::InWindow, end);
        self.find_earliest();
    }

    /// In a window, a node with these entries, all before its end, begins. Many become a heap at once; a few are put
    /// into it one by one, which takes fewer instructions.
    pub fn begin_process(&mut self, due: impl ExactSizeIterator<Item = (u64, TimerId)>) {
        debug_assert!(self.heap.is_empty(), "a node is done when nothing is due before the end of the window");
        if due.len() <= ARITY {
            return due.for_each(|(time, timer)| self.push(time, timer));
        }
        let mask = self.mask;
        self.heap.fill(due.map(|(time, timer)| Entry::of(time, timer, mask)));
        self.find_earliest();
    }

    /// The window is over, in which every node has come to its end.
    pub fn end_window(&mut self) {
        debug_assert!(self.heap.is_empty(), "a node is done when nothing is due before the end of the window");
        self.mode = Mode::BetweenWindows;
    }

    /// Opens the bucket of the earliest entry and moves what is in it to `opened`, which is empty; what is to stay is
    /// put back by [`TimingWheel::push`]. To be called when [`TimingWheel::first`] has nothing.
    pub fn open_bucket(&mut self, opened: &mut Vec<(u64, TimerId)>) {
        if self.later == NEVER {
            return;
        }
        let bucket = self.later >> BUCKET_BITS;
        self.next_bucket = bucket + 1;
        self.heap_end = self.heap_end.max(bucket << BUCKET_BITS);
        let mut entries = self.buckets.take(bucket);
        self.bring_nearer();
        self.later = self.earliest_later();
        self.find_earliest();
        opened.extend(entries.drain(..).map(|entry| (entry.time(), entry.timer(self.mask))));
        self.buckets.give_back(entries);
    }

    /// All entries, in no particular order. Between windows.
    pub fn into_entries(mut self) -> impl Iterator<Item = (u64, TimerId)> {
        let sorted: Vec<Entry> = self.heap.drain().chain(self.overflow.drain()).collect();
        let entries = self.steps.into_entries().chain(self.buckets.into_entries()).chain(sorted);
        entries.map(move |entry| (entry.time(), entry.timer(self.mask)))
    }

    #[inline]
    fn place(&mut self, entry: Entry) {
        let bucket = entry.time() >> BUCKET_BITS;
        if entry.time() < self.heap_end {
            self.heap.push(entry);
        } else if bucket < self.next_bucket {
            self.steps.push(entry);
            self.begin_step_if_empty();
        } else {
            self.later = self.later.min(entry.time());
            match bucket - self.next_bucket < BUCKETS as u64 {
                true => self.buckets.push(entry),
                false => self.overflow.push(entry),
            }
        }
    }

    /// Event after event, the entries of the next step that has any come into the heap.
    #[inline]
    fn begin_step_if_empty(&mut self) {
        if self.mode == Mode::Global && self.heap.is_empty() {
            self.begin_step();
        }
    }

    fn begin_step(&mut self) {
        let Some(step) = self.steps.first_from(self.heap_end >> STEP_BITS) else { return };
        self.heap_end = (step + 1) << STEP_BITS;
        let mut entries = self.steps.take(step);
        entries.drain(..).for_each(|entry| self.heap.push(entry));
        self.steps.give_back(entries);
    }

    /// Entries that were beyond all buckets and no longer are.
    fn bring_nearer(&mut self) {
        let end = self.next_bucket + BUCKETS as u64;
        while let Some(entry) = self.overflow.first().filter(|entry| entry.time() >> BUCKET_BITS < end) {
            self.overflow.pop();
            self.place(entry);
        }
    }

    fn earliest_later(&self) -> u64 {
        let bucket = self.buckets.first_from(self.next_bucket);
        let earliest = bucket.and_then(|bucket| self.buckets.list(bucket).iter().min().copied());
        earliest.or(self.overflow.first()).map_or(NEVER, Entry::time)
    }
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

    /// Times that share steps or buckets, lie in different ones, and lie beyond all of them.
    fn time() -> impl Strategy<Value = u64> {
        let bucket = 1u64 << BUCKET_BITS;
        prop_oneof![
            0u64..50,
            (0u64..3000).prop_map(|n| n << (STEP_BITS - 1)),
            (0u64..8).prop_map(move |n| n * bucket / 4),
            (0u64..5).prop_map(move |n| n * BUCKETS as u64 / 2 * bucket)
        ]
    }

    proptest! {
        #[test]
        fn entries_come_out_in_the_order_of_time_then_flow_then_kind(
            times in prop::collection::vec((time(), 0u32..20), 1..200),
            delays in prop::collection::vec(time(), 200),
        ) {
            let mut timers = TimingWheel::new(0, 0);
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
                    }
                    Some(first) => {
                        let new = (first.0 + delay, i as u32 % 20);
                        plain[0] = new;
                        timers.pop();
                        timers.push(new.0, TimerId::new(new.1, TimerKind::Sender));
                    }
                }
            }
            plain.sort_unstable();
            for (time, flow) in plain {
                prop_assert_eq!(earliest(&mut timers), Some((time, flow as usize)));
                timers.pop();
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
            let (mut timers, mut plain, mut delays) = (TimingWheel::new(0, 0), times.clone(), delays.into_iter());
            let mut breaks = breaks.into_iter();
            timers.go_in_windows();
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
                timers.begin_window(end);
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
                    }
                    prop_assert!(plain.iter().all(|(time, flow)| *time >= end || flow % NODES != node));
                }
                timers.end_window();
                if breaks.next().unwrap_or(false) {
                    timers.go_globally();
                    let first = plain.iter().min().map(|(time, flow)| (*time, *flow as usize));
                    prop_assert_eq!(earliest(&mut timers), first);
                    timers.go_in_windows();
                }
            }
        }
    }
}
