//! Packets that have been sent, by their numbers, until nothing more can be heard of them.

use super::Chunk;
use super::ranges::Ranges;
use crate::tcp::{Codepoint, Snapshot};
use std::collections::VecDeque;
use std::ops::Range;
use units::Instant;

/// A packet that has been sent.
#[derive(Clone, Copy, Debug)]
pub struct SentPacket {
    /// When.
    pub sent_at: Instant,
    /// Bytes of its datagram.
    pub size: u32,
    /// Whether it asks for an ACK.
    pub is_ack_eliciting: bool,
    /// Whether it counts in bytes_in_flight: padding does, and what asks for an ACK.
    pub is_in_flight: bool,
    pub(super) codepoint: Codepoint,
    /// Its part of a stream.
    pub(super) chunk: Option<Chunk>,
    pub(super) fate: Fate,
}

/// Its state, as far as the sender knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing has been heard of it: an entry of sent_packets.
    Outstanding,
    Acked,
    Lost,
    /// The number was not used.
    Skipped,
}

/// A packet that an ACK newly acknowledges, as far as round trips, marks and the window ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newly {
    pub number: u64,
    pub sent_at: Instant,
    pub size: u32,
    pub is_ack_eliciting: bool,
    pub is_in_flight: bool,
    pub codepoint: Codepoint,
    /// Whether it had been taken for lost.
    pub was_lost: bool,
}

impl Newly {
    fn of(number: u64, packet: &SentPacket) -> Newly {
        let SentPacket { sent_at, size, is_ack_eliciting, is_in_flight, codepoint, fate, .. } = *packet;
        Newly { number, sent_at, size, is_ack_eliciting, is_in_flight, codepoint, was_lost: fate == Fate::Lost }
    }
}

/// The packets that were found lost since the last cut.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Episode {
    /// The lowest of their numbers.
    pub first: u64,
    /// How many there are.
    pub lost: u64,
    /// Those that have arrived after all.
    pub spurious: u64,
}

impl Episode {
    /// Whether all have arrived after all.
    pub fn is_spurious(self) -> bool {
        self.lost > 0 && self.lost == self.spurious
    }
}

/// The packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    /// From number `first` on.
    packets: VecDeque<SentPacket>,
    /// What had been delivered when each of them left; of a law that measures rates alone.
    snapshots: VecDeque<Snapshot>,
    first: u64,
    /// No number below is outstanding.
    oldest: u64,
    /// Packets that are outstanding and ask for an ACK.
    eliciting: u64,
    /// Numbers that were not used.
    skipped: Ranges,
    /// The ranges of the last ACK, in which nothing is new.
    heard: Vec<(u64, u64)>,
}

impl Sent {
    /// The number of the next packet.
    pub fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// A packet leaves: its number.
    pub fn push(&mut self, packet: SentPacket, snapshot: Option<Snapshot>) -> u64 {
        self.snapshots.extend(snapshot);
        let number = self.next();
        match packet.fate {
            Fate::Outstanding => self.eliciting += u64::from(packet.is_ack_eliciting),
            _ => self.skipped.insert(number, number + 1),
        }
        self.packets.push_back(packet);
        number
    }

    /// The packet of a number, if it is known.
    pub fn get(&self, number: u64) -> Option<&SentPacket> {
        self.packets.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// What had been delivered when it left.
    pub fn snapshot(&self, number: u64) -> Snapshot {
        let place = usize::try_from(number.saturating_sub(self.first)).ok();
        place.and_then(|place| self.snapshots.get(place)).copied().unwrap_or_default()
    }

    /// Whether a packet that is outstanding asks for an ACK.
    pub fn is_eliciting(&self) -> bool {
        self.eliciting > 0
    }

    /// Whether an ACK of these ranges acknowledges a number that was skipped.
    pub fn names_skipped(&self, ranges: &[(u64, u64)]) -> bool {
        !self.skipped.is_empty() && ranges.iter().any(|(low, high)| self.skipped.meets(*low, high.saturating_add(1)))
    }

    /// The numbers of a range that are kept.
    fn known(&self, low: u64, high: u64) -> Range<u64> {
        let (start, end) = (low.max(self.first), high.saturating_add(1).min(self.next()));
        start..end.max(start)
    }

    /// The packets that an ACK newly acknowledges, in ascending order: those that were outstanding, and those that had
    /// been taken for lost. Only numbers that the last ACK did not name are looked at.
    pub fn acknowledge(&mut self, ranges: &[(u64, u64)], newly: &mut Vec<Newly>) {
        // Nearly always one range has grown.
        if let ([known], [(low, high)]) = (&mut self.heard[..], ranges)
            && known.0 == *low
            && known.1 < *high
        {
            let from = std::mem::replace(&mut known.1, *high) + 1;
            self.take(from..high.saturating_add(1), newly);
            return self.advance();
        }
        let mut heard = std::mem::take(&mut self.heard);
        let mut behind = heard.iter().rev().copied().peekable();
        for (low, high) in ranges.iter().rev() {
            let mut from = *low;
            while behind.next_if(|known| known.1 < *low).is_some() {}
            while let Some(known) = behind.peek().copied().filter(|known| known.0 <= *high) {
                self.take(from..known.0, newly);
                from = known.1.saturating_add(1);
                if known.1 > *high {
                    break;
                }
                behind.next();
            }
            self.take(from..high.saturating_add(1), newly);
        }
        heard.clear();
        heard.extend_from_slice(ranges);
        self.heard = heard;
        self.advance();
    }

    /// Those of these numbers that were not acknowledged before.
    fn take(&mut self, numbers: Range<u64>, newly: &mut Vec<Newly>) {
        for number in numbers.start.max(self.first)..numbers.end.min(self.next()) {
            let packet = &mut self.packets[(number - self.first) as usize];
            if packet.fate != Fate::Acked {
                newly.push(Newly::of(number, packet));
                let was = std::mem::replace(&mut packet.fate, Fate::Acked);
                self.eliciting -= u64::from(was == Fate::Outstanding && packet.is_ack_eliciting);
            }
        }
    }

    /// An outstanding packet is lost, as it was.
    pub fn lose(&mut self, number: u64) -> Option<SentPacket> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let packet = self.packets.get_mut(place)?;
        packet.fate = Fate::Lost;
        self.eliciting -= u64::from(packet.is_ack_eliciting);
        Some(*packet)
    }

    /// Whether a number below this one may be outstanding.
    pub fn is_open_below(&self, number: u64) -> bool {
        self.oldest < number
    }

    /// The outstanding packets up to a number, in ascending order.
    pub fn outstanding(&self, upto: u64) -> impl Iterator<Item = (u64, &SentPacket)> {
        let from = self.oldest.saturating_sub(self.first).min(self.packets.len() as u64);
        let upto = (upto.saturating_add(1)).saturating_sub(self.first).clamp(from, self.packets.len() as u64);
        let packets = self.packets.range(from as usize..upto as usize);
        (self.first + from..).zip(packets).filter(|(_, packet)| packet.fate == Fate::Outstanding)
    }

    /// The packets that are kept and lost, in ascending order.
    pub fn lost(&self) -> impl Iterator<Item = (u64, &SentPacket)> {
        (self.first..).zip(&self.packets).filter(|(_, packet)| packet.fate == Fate::Lost)
    }

    /// Whether a number between two has been acknowledged.
    pub fn is_acked_between(&self, low: u64, high: u64) -> bool {
        self.known(low, high).any(|number| self.get(number).is_some_and(|packet| packet.fate == Fate::Acked))
    }

    /// Moves up what lies before the oldest outstanding packet.
    pub fn advance(&mut self) {
        while self.get(self.oldest).is_some_and(|packet| packet.fate != Fate::Outstanding) {
            self.oldest += 1;
        }
    }

    /// Forgets packets that were acknowledged, and lost ones that left before a time, as far as none is outstanding
    /// before them.
    pub fn forget(&mut self, before: impl Fn() -> Instant) {
        let keeps = |packet: &SentPacket| packet.fate == Fate::Lost && packet.sent_at >= before();
        while self.first < self.oldest && !self.packets.front().is_some_and(keeps) {
            self.packets.pop_front();
            self.snapshots.pop_front();
            self.first += 1;
        }
    }

    /// Packets that are kept.
    pub fn len(&self) -> usize {
        self.packets.len()
    }
}
