//! Timers and their entries.

/// Whose timer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerId(u32);

/// Bits of a timer's kind in its number.
const KIND_BITS: u32 = 3;

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
    /// News of the flow's path.
    News,
    /// What receiving ends share at the node where the flow ends; of the first of their flows.
    Shared,
    /// Work that lets flows go, of no flow.
    Work,
}

impl TimerId {
    /// The timer of one kind of one flow.
    #[inline]
    pub const fn new(flow: u32, kind: TimerKind) -> TimerId {
        TimerId(flow << KIND_BITS | kind as u32)
    }

    /// The flow.
    #[inline]
    pub fn flow(self) -> u32 {
        self.0 >> KIND_BITS
    }

    /// The kind.
    #[inline]
    pub fn kind(self) -> TimerKind {
        match self.0 % (1 << KIND_BITS) {
            0 => TimerKind::Lifecycle,
            1 => TimerKind::Sender,
            2 => TimerKind::Receiver,
            3 => TimerKind::Held,
            4 => TimerKind::News,
            5 => TimerKind::Shared,
            _ => TimerKind::Work,
        }
    }
}

/// When a timer comes up, and its number exchanged with the mask, in one number: which of two comes first is then told
/// without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(u128);

impl Entry {
    /// What comes after all others.
    pub(super) const LAST: Entry = Entry(u128::MAX);

    #[inline]
    fn new(time: u64, number: u32) -> Entry {
        Entry(u128::from(time) << 32 | u128::from(number))
    }

    #[inline]
    pub(super) fn of(time: u64, timer: TimerId, mask: u32) -> Entry {
        Entry::new(time, timer.0 ^ mask)
    }

    /// The same timer at another time.
    #[inline]
    pub(super) fn at(self, time: u64) -> Entry {
        Entry::new(time, self.number())
    }

    #[inline]
    pub(super) fn timer(self, mask: u32) -> TimerId {
        TimerId(self.number() ^ mask)
    }

    #[inline]
    pub(super) fn time(self) -> u64 {
        (self.0 >> 32) as u64
    }

    #[inline]
    fn number(self) -> u32 {
        self.0 as u32
    }
}
