//! Segments that are not the expected one: duplicates, and those above a hole, which are held.

use super::held::Held;
use super::{MOST_HELD, Receiver, ReceiverActions};
use crate::tcp::{SackBlock, SackList};
use units::{Duration, Instant};

impl Receiver {
    /// Anything but the expected segment with nothing held: acknowledged at once, or compressed with others.
    pub(super) fn handle_irregular(&mut self, now: Instant, seq: u64, end: u64, out: &mut ReceiverActions) {
        let limit = self.nxt.saturating_add(self.config.window);
        let segment = SackBlock { start: seq.min(limit), end: end.min(limit) };
        self.counts.beyond_window = self.counts.beyond_window.saturating_add(u32::from(end > limit));
        if segment.is_empty() {
            self.acknowledge(None, out);
            return;
        }
        let duplicate = self.duplicate_part(segment);
        self.counts.note_duplicate(duplicate == Some(segment));
        let before = self.nxt;
        self.store(segment);
        self.recall();
        if duplicate.is_some() || !self.compresses(now, self.nxt - before) {
            self.acknowledge(duplicate, out);
        }
    }

    /// Whether the ACK of a segment that leaves a hole waits: Linux, `__tcp_ack_snd_check`. What fills the last hole,
    /// and more than a segment in order, is acknowledged at once.
    fn compresses(&mut self, now: Instant, advance: u64) -> bool {
        let time = self.config.sack_compression;
        let Some(recent) = self.recent.as_mut().filter(|_| time > Duration::ZERO) else { return false };
        let unacked = u64::from(self.unacked) + advance;
        let may = self.config.sack && !self.held.is_empty() && !self.marks.is_urgent;
        if !may || unacked > self.config.mss.into() {
            return false;
        }
        if !recent.compressed.wait(self.nxt, self.counts.acks_sent, self.config.sack_compression_most) {
            return false;
        }
        self.unacked = unacked as u32;
        self.ack_at = self.ack_at.min(now + time);
        true
    }

    /// The first contiguous part of `segment` that arrived before: RFC 2883 §4 (1), (2).
    pub(super) fn duplicate_part(&self, segment: SackBlock) -> Option<SackBlock> {
        let part = |start: u64, end: u64| SackBlock { start: segment.start.max(start), end: segment.end.min(end) };
        let delivered = part(0, self.nxt);
        if !delivered.is_empty() {
            return Some(delivered);
        }
        let at = self.first_reaching(segment.start.saturating_add(1));
        self.held.get(at).map(|held| part(held.range.start, held.range.end)).filter(|part| !part.is_empty())
    }

    /// Delivers or holds the bytes of `segment` that are new.
    fn store(&mut self, segment: SackBlock) {
        if segment.end <= self.nxt {
            return;
        }
        if segment.start > self.nxt {
            self.counts.out_of_order = self.counts.out_of_order.saturating_add(1);
            self.hold(segment);
            return;
        }
        self.nxt = segment.end;
        while let Some(first) = self.held.front().filter(|first| first.range.start <= self.nxt) {
            self.nxt = self.nxt.max(first.range.end);
            self.held.pop_front();
        }
        if let Some(recent) = &mut self.recent {
            recent.forget_below(self.nxt);
        }
    }

    /// Merges `segment` into the held ranges, whose most recent is then the one around it.
    fn hold(&mut self, segment: SackBlock) {
        let at = self.first_reaching(segment.start);
        let mut merged = segment;
        let mut end = at;
        while let Some(Held { range, .. }) = self.held.get(end).filter(|held| held.range.start <= segment.end) {
            merged = SackBlock { start: merged.start.min(range.start), end: merged.end.max(range.end) };
            end += 1;
        }
        if end == at && self.held.len() == MOST_HELD {
            self.counts.beyond_window = self.counts.beyond_window.saturating_add(1);
            return;
        }
        let recent = self.recent.get_or_insert_default();
        let held = match self.held.get(at) {
            Some(grown) if end == at + 1 && recent.is_newest(grown) => recent.grow(merged),
            _ => recent.touch(merged),
        };
        if end == at {
            self.held.insert(at, held);
        } else {
            self.held[at] = held;
            self.held.drain(at + 1..end);
        }
    }

    /// The index of the first held range that ends at or above `seq`. Most segments belong above the highest one or
    /// extend it.
    fn first_reaching(&self, seq: u64) -> usize {
        match self.held.back() {
            Some(last) if last.range.end < seq => self.held.len(),
            Some(last) if last.range.start <= seq => self.held.len() - 1,
            _ => self.held.partition_point(|held| held.range.end < seq),
        }
    }

    /// Brings held ranges that were displaced long ago back to hand when so few are left there that blocks stay empty.
    fn recall(&mut self) {
        if let Some(recent) = &mut self.recent
            && usize::from(recent.len) < SackList::CAPACITY.min(self.held.len())
        {
            recent.recall(&self.held);
        }
    }
}
