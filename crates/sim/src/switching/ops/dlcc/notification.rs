//! Notifications of losses on their way to ingress edges (DLCC, Lu and Hunter 2009, §III.B): as packets of their own,
//! or on the back of packets that pass. On the back they travel hop by hop: every switch takes them off and puts them
//! on again; if nothing passes, they get a packet of their own after a while.

use super::rate::SlotRate;
use options::words;
use std::collections::VecDeque;

words! {
    /// How notifications travel.
    pub enum Carriage {
        /// As packets of their own on the control wavelength.
        Packets = "packets",
        /// On the back of packets of the reverse path, hop by hop.
        Piggyback = "piggyback",
    }
}

/// A lost packet of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Its flow.
    pub flow: u32,
    /// The number of its first byte.
    pub seq: u64,
}

/// What a core node tells the ingress of a lost slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The edge-to-edge flow.
    pub flow: u32,
    /// The loss rate during congestion; `None` for contention, which changes no rate.
    pub loss: Option<SlotRate>,
    /// What was lost, if the TCP bit of its optical header is set (§IV).
    pub segment: Option<LostSegment>,
}

/// Notifications that wait for a packet to ride on, at an output.
#[derive(Clone, Debug)]
pub struct Outbox<T> {
    patience: u64,
    waiting: VecDeque<(u64, T)>,
}

impl<T> Outbox<T> {
    /// One that waits this number of picoseconds at most.
    pub fn new(patience: u64) -> Outbox<T> {
        Outbox { patience, waiting: VecDeque::new() }
    }

    /// A notification is to go.
    pub fn post(&mut self, now: u64, notification: T) {
        self.waiting.push_back((now.saturating_add(self.patience), notification));
    }

    /// A packet passes: what rides on it.
    pub fn board(&mut self) -> Option<T> {
        self.waiting.pop_front().map(|(_, notification)| notification)
    }

    /// When the next one gets a packet of its own.
    pub fn next_timeout(&self) -> u64 {
        self.waiting.front().map_or(u64::MAX, |(due, _)| *due)
    }

    /// The next one whose patience has ended.
    pub fn take_due(&mut self, now: u64) -> Option<T> {
        if self.next_timeout() <= now { self.board() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_rides_on_the_next_packet_or_leaves_by_itself() {
        let mut outbox = Outbox::new(100);
        [0, 10, 20].iter().for_each(|now| outbox.post(*now, *now));
        assert_eq!((outbox.board(), outbox.next_timeout()), (Some(0), 110));
        assert_eq!([outbox.take_due(109), outbox.take_due(110), outbox.take_due(110)], [None, Some(10), None]);
        assert_eq!((outbox.board(), outbox.board(), outbox.next_timeout()), (Some(20), None, u64::MAX));
    }
}
