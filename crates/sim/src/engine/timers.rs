//! Timers, lazily re-armed.
//!
//! A machine whose deadline moves later (every ACK moves the retransmission timer) leaves its entry where it is; when the
//! entry comes up, the host looks at the machine's true deadline and puts the entry there. A deadline that moves earlier
//! gets a second entry, and the host's record of the armed time marks the first as stale. Entries of one instant come in
//! the order of (flow, kind).

/// Whose timer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerId(u32);

/// What a flow can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    /// The start or stop of the flow.
    Lifecycle,
    /// The sending machine.
    Sender,
    /// The receiving machine.
    Receiver,
    /// A packet held back by order of the scenario.
    Held,
}

impl TimerId {
    /// The timer of one kind of one flow.
    #[inline]
    pub fn new(flow: u32, kind: TimerKind) -> TimerId {
        TimerId(flow << 2 | kind as u32)
    }

    /// The flow.
    #[inline]
    pub fn flow(self) -> usize {
        (self.0 >> 2) as usize
    }

    /// The kind.
    #[inline]
    pub fn kind(self) -> TimerKind {
        match self.0 & 3 {
            0 => TimerKind::Lifecycle,
            1 => TimerKind::Sender,
            2 => TimerKind::Receiver,
            _ => TimerKind::Held,
        }
    }
}

/// A four-ary heap of (time, timer).
#[derive(Debug, Default)]
pub struct Timers {
    heap: Vec<(u64, u32)>,
    /// Exchanged with every timer's number before comparison; zero except in runs that shuffle ties.
    mask: u32,
}

const ARITY: usize = 4;

impl Timers {
    /// No timers; `mask` permutes the order of timers at one instant (zero: the stated order).
    pub fn new(mask: u32) -> Timers {
        Timers { heap: Vec::new(), mask }
    }

    /// The time of the earliest entry, [`super::tree::NEVER`] if there is none.
    #[inline]
    pub fn earliest(&self) -> u64 {
        self.heap.first().map_or(super::tree::NEVER, |entry| entry.0)
    }

    /// The timer of the earliest entry.
    #[inline]
    pub fn first(&self) -> Option<TimerId> {
        self.heap.first().map(|entry| TimerId(entry.1 ^ self.mask))
    }

    /// Adds an entry.
    pub fn push(&mut self, time: u64, timer: TimerId) {
        let entry = (time, timer.0 ^ self.mask);
        self.heap.push(entry);
        let mut i = self.heap.len() - 1;
        while i > 0 {
            let parent = (i - 1) / ARITY;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
    }

    /// Moves the earliest entry to a later time.
    pub fn postpone_first(&mut self, time: u64) {
        let entry = (time, self.heap[0].1);
        self.sift_down(entry);
    }

    /// Removes the earliest entry.
    pub fn pop(&mut self) {
        let Some(last) = self.heap.pop() else { return };
        if !self.heap.is_empty() {
            self.sift_down(last);
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.heap.capacity() * size_of::<(u64, u32)>()
    }

    /// Puts `entry` in the place of the root and lets it sink.
    fn sift_down(&mut self, entry: (u64, u32)) {
        let mut i = 0;
        loop {
            let first = ARITY * i + 1;
            let last = (first + ARITY).min(self.heap.len());
            let Some(child) = (first..last).min_by_key(|c| self.heap[*c]) else { break };
            if entry <= self.heap[child] {
                break;
            }
            self.heap[i] = self.heap[child];
            i = child;
        }
        self.heap[i] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_come_out_in_the_order_of_time_then_flow_then_kind(times in prop::collection::vec((0u64..50, 0u32..20), 1..200), postponed in 0u64..60) {
            let mut timers = Timers::new(0);
            let mut plain: Vec<(u64, u32)> = times.clone();
            for (time, flow) in &times {
                timers.push(*time, TimerId::new(*flow, TimerKind::Sender));
            }
            plain.sort_unstable();
            let later = postponed.max(plain[0].0);
            plain[0].0 = later;
            timers.postpone_first(later);
            plain.sort_unstable();
            for (time, flow) in plain {
                prop_assert_eq!((timers.earliest(), timers.first().unwrap().flow()), (time, flow as usize));
                timers.pop();
            }
            prop_assert!(timers.first().is_none());
        }
    }
}
