//! The receiver: delayed ACKs (RFC 5681 §4.2), SACK (RFC 2018), D-SACK (RFC 2883).
//!
//! The application takes in-order data at once, so the advertised window is constant. Bytes beyond it are dropped, which
//! bounds what is held out of order. RFC 2018 §4 orders the SACK blocks by the last segment that touched them; the
//! receiver remembers the eight most recent ranges.

use super::{AckOut, ConfigError, SackBlock, SackList};
use std::collections::VecDeque;
use std::sync::Arc;
use units::{Duration, Instant};

/// The parameters of a [`Receiver`]; flows share one behind an `Arc`.
#[derive(Clone, Debug)]
pub struct ReceiverConfig {
    /// `None`: every segment is acknowledged at once. `Some(timeout)`: every second full-sized segment, or after the
    /// timeout (at most 500 ms).
    pub delayed_ack: Option<Duration>,
    /// Payload bytes of a full-sized segment.
    pub mss: u32,
    /// Whether ACKs carry SACK blocks.
    pub sack: bool,
    /// Whether duplicates are reported in a D-SACK block (needs `sack`).
    pub dsack: bool,
    /// The advertised window in bytes.
    pub window: u64,
}

impl Default for ReceiverConfig {
    fn default() -> ReceiverConfig {
        ReceiverConfig { delayed_ack: None, mss: 1460, sack: true, dsack: true, window: 1 << 40 }
    }
}

impl ReceiverConfig {
    /// Whether a receiver can run with these parameters, and which one is wrong if not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError { field, reason });
        if self.mss == 0 {
            return wrong("mss", "must be at least one byte");
        }
        if self.delayed_ack.is_some_and(|timeout| timeout == Duration::ZERO || timeout > Duration::from_millis(500)) {
            return wrong("delayed_ack", "must be positive and at most 500 ms (RFC 5681 §4.2)");
        }
        Ok(())
    }
}

/// What a receiver wants done; the host drains it after each call and keeps its capacity.
#[derive(Clone, Debug, Default)]
pub struct ReceiverActions {
    /// Acknowledgements to send, in order.
    pub acks: Vec<AckOut>,
}

/// What a receiver has seen since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that arrived.
    pub segments: u64,
    /// Segments all of whose bytes had arrived before.
    pub duplicates: u64,
    /// Segments above a hole.
    pub out_of_order: u64,
    /// Segments with bytes beyond the advertised window, which were dropped.
    pub beyond_window: u64,
    /// ACKs sent.
    pub acks_sent: u64,
}

/// One flow's receiver.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    config: Arc<ReceiverConfig>,
    /// RCV.NXT, the next byte expected.
    nxt: u64,
    /// In-order bytes not yet acknowledged.
    unacked: u64,
    /// When the delayed ACK is due; `NEVER` when none is pending.
    ack_at: Instant,
    /// What is held above a hole, sorted and disjoint.
    held: VecDeque<SackBlock>,
    stats: ReceiverStats,
    recent: Recent,
}

impl Receiver {
    /// A receiver that expects byte 0. The parameters must be valid ([`ReceiverConfig::validate`]).
    pub fn new(config: Arc<ReceiverConfig>) -> Receiver {
        assert!(config.validate().is_ok(), "a receiver runs with valid parameters only");
        Receiver {
            config,
            nxt: 0,
            unacked: 0,
            ack_at: Instant::NEVER,
            held: VecDeque::new(),
            stats: ReceiverStats::default(),
            recent: Recent::default(),
        }
    }

    /// A data segment arrives.
    #[inline]
    pub fn handle_segment(&mut self, now: Instant, seq: u64, len: u32, out: &mut ReceiverActions) {
        self.stats.segments += 1;
        let len = u64::from(len);
        if seq == self.nxt && len <= self.config.window && self.held.is_empty() && len > 0 {
            self.nxt += len;
            self.acknowledge_in_order(now, len, out);
        } else {
            self.handle_irregular(seq, seq.saturating_add(len), out);
        }
    }

    /// The clock has reached `now`: sends the delayed ACK if it is due.
    pub fn handle_timeout(&mut self, now: Instant, out: &mut ReceiverActions) {
        if self.ack_at <= now {
            self.acknowledge(None, out);
        }
    }

    /// When the receiver next wants `handle_timeout`.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        (self.ack_at != Instant::NEVER).then_some(self.ack_at)
    }

    /// The next byte expected.
    #[inline]
    pub fn rcv_nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes delivered in order to the application.
    #[inline]
    pub fn bytes_received(&self) -> u64 {
        self.nxt
    }

    /// Segments all of whose bytes had arrived before.
    #[inline]
    pub fn duplicates(&self) -> u64 {
        self.stats.duplicates
    }

    /// What the receiver has seen.
    #[inline]
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }

    /// Asserts what must hold between calls.
    pub(crate) fn check(&self) {
        let mut floor = self.nxt;
        for held in &self.held {
            assert!(held.start > floor && !held.is_empty(), "held ranges are sorted and apart");
            floor = held.end;
        }
        assert!(floor <= self.nxt.saturating_add(self.config.window), "nothing is held beyond the window");
        assert!(self.recent.ranges().all(|range| self.held.contains(&range)), "what is reported is held");
    }

    /// RFC 5681 §4.2: at least every second full-sized segment, within the timeout.
    #[inline]
    fn acknowledge_in_order(&mut self, now: Instant, len: u64, out: &mut ReceiverActions) {
        match self.config.delayed_ack {
            Some(timeout) if self.unacked + len < 2 * u64::from(self.config.mss) => {
                self.unacked += len;
                if self.ack_at == Instant::NEVER {
                    self.ack_at = now + timeout;
                }
            }
            _ => self.push(SackList::EMPTY, out),
        }
    }

    #[inline]
    fn push(&mut self, sack: SackList, out: &mut ReceiverActions) {
        self.unacked = 0;
        self.ack_at = Instant::NEVER;
        self.stats.acks_sent += 1;
        out.acks.push(AckOut { ack: self.nxt, window: self.config.window, sack });
    }

    /// Anything but the expected segment with nothing held: acknowledged at once.
    fn handle_irregular(&mut self, seq: u64, end: u64, out: &mut ReceiverActions) {
        let limit = self.nxt.saturating_add(self.config.window);
        let segment = SackBlock { start: seq.min(limit), end: end.min(limit) };
        self.stats.beyond_window += u64::from(end > limit);
        if segment.is_empty() {
            self.acknowledge(None, out);
            return;
        }
        let duplicate = self.duplicate_part(segment);
        self.stats.duplicates += u64::from(duplicate == Some(segment));
        self.store(segment);
        self.acknowledge(duplicate, out);
    }

    /// The first contiguous part of `segment` that arrived before: RFC 2883 §4 (1), (2).
    fn duplicate_part(&self, segment: SackBlock) -> Option<SackBlock> {
        let part = |start: u64, end: u64| SackBlock { start: segment.start.max(start), end: segment.end.min(end) };
        let delivered = part(0, self.nxt);
        if !delivered.is_empty() {
            return Some(delivered);
        }
        let at = self.held.partition_point(|held| held.end <= segment.start);
        self.held.get(at).map(|held| part(held.start, held.end)).filter(|part| !part.is_empty())
    }

    /// Delivers or holds the bytes of `segment` that are new.
    fn store(&mut self, segment: SackBlock) {
        if segment.end <= self.nxt {
            return;
        }
        if segment.start > self.nxt {
            self.stats.out_of_order += 1;
            let merged = self.hold(segment);
            self.recent.touch(merged);
            return;
        }
        self.nxt = segment.end;
        while let Some(first) = self.held.front().filter(|first| first.start <= self.nxt) {
            self.nxt = self.nxt.max(first.end);
            self.held.pop_front();
        }
        self.recent.forget_below(self.nxt);
    }

    /// Merges `segment` into the held ranges and returns the range it is part of.
    fn hold(&mut self, segment: SackBlock) -> SackBlock {
        let at = match self.held.back() {
            Some(last) if last.end < segment.start => self.held.len(),
            _ => self.held.partition_point(|held| held.end < segment.start),
        };
        let mut merged = segment;
        let mut end = at;
        while let Some(held) = self.held.get(end).filter(|held| held.start <= segment.end) {
            merged = SackBlock { start: merged.start.min(held.start), end: merged.end.max(held.end) };
            end += 1;
        }
        if end == at {
            self.held.insert(at, merged);
        } else {
            self.held[at] = merged;
            self.held.drain(at + 1..end);
        }
        merged
    }

    /// Sends an ACK with what is held, and with `duplicate` in front.
    fn acknowledge(&mut self, duplicate: Option<SackBlock>, out: &mut ReceiverActions) {
        let mut sack = SackList::EMPTY;
        if self.config.sack {
            let duplicate = duplicate.filter(|_| self.config.dsack);
            if let Some(block) = duplicate {
                sack.push(block);
                self.promote(block);
            }
            self.recent.ranges().for_each(|range| sack.push(range));
        }
        self.push(sack, out);
    }

    /// RFC 2883 §4 (4): the held range around a D-SACK block follows it.
    fn promote(&mut self, duplicate: SackBlock) {
        let at = self.held.partition_point(|held| held.end < duplicate.end);
        if let Some(range) = self.held.get(at).filter(|held| held.contains(duplicate)) {
            self.recent.touch(*range);
        }
    }
}

/// The held ranges that segments touched last, the most recent first.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    ranges: [SackBlock; Recent::DEPTH],
    len: u8,
}

impl Recent {
    const DEPTH: usize = 8;

    fn ranges(&self) -> impl Iterator<Item = SackBlock> + '_ {
        self.ranges[..usize::from(self.len)].iter().copied()
    }

    /// `range` comes to the front; what it has absorbed leaves.
    fn touch(&mut self, range: SackBlock) {
        let mut next = Recent { len: 1, ..Recent::default() };
        next.ranges[0] = range;
        for old in self.ranges().filter(|old| !range.contains(*old)).take(Recent::DEPTH - 1) {
            next.ranges[usize::from(next.len)] = old;
            next.len += 1;
        }
        *self = next;
    }

    /// Ranges that have been delivered leave.
    fn forget_below(&mut self, nxt: u64) {
        let mut kept = Recent::default();
        for range in self.ranges().filter(|range| range.start > nxt) {
            kept.ranges[usize::from(kept.len)] = range;
            kept.len += 1;
        }
        *self = kept;
    }
}
