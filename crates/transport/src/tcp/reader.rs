//! An application that reads a piece every so often, and the window that it leaves: RFC 9293 §3.8.6.
//!
//! What has arrived in order and was not read takes room in the receive buffer. The right edge of the window never
//! moves back, and it moves on only by a segment or half of the buffer (§3.8.6.2.2, against silly windows). When less
//! than that is open, the sender may be waiting: the read that opens the window sends an ACK (window update). Should
//! that be lost, the sender's probes find out.
//!
//! Readings: such an update is sent only then, where Linux also sends one when the window has doubled. The first read
//! comes a period after the first segment.

use super::ReceiverConfig;
use units::{Duration, Instant};

/// The reading of one flow.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    piece: u64,
    every: Duration,
    /// The least by which the window opens.
    step: u64,
    /// When it reads next; `None` before the first segment.
    next: Option<Instant>,
    /// Bytes read.
    read: u64,
    /// The byte after the last one that the window admits.
    edge: u64,
}

impl Reader {
    /// `None` for an application that reads at once. At first `buffer` bytes fit.
    pub(super) fn new(config: &ReceiverConfig, buffer: u64) -> Option<Reader> {
        let step = u64::from(config.mss).min(config.window / 2).max(1);
        Some(Reader { piece: config.read?, every: config.read_every, step, next: None, read: 0, edge: buffer })
    }

    /// The clock has reached `now`; everything below `nxt` has arrived, and `buffer` bytes fit.
    pub(super) fn advance(&mut self, now: Instant, nxt: u64, buffer: u64) {
        let next = *self.next.get_or_insert(now + self.every);
        if next <= now {
            let reads = now.saturating_since(next).ps() / self.every.ps() + 1;
            self.read = self.read.saturating_add(self.piece.saturating_mul(reads)).min(nxt);
            self.next = Some(next + self.every.saturating_mul(reads));
        }
        let edge = self.read.saturating_add(buffer);
        if edge >= self.edge.saturating_add(self.step) {
            self.edge = edge;
        }
    }

    /// The byte after the last one that the window admits.
    pub(super) fn edge(&self) -> u64 {
        self.edge
    }

    /// The window behind `nxt`.
    pub(super) fn window(&self, nxt: u64) -> u64 {
        self.edge.saturating_sub(nxt)
    }

    /// True if so little is open that the sender may be waiting.
    pub(super) fn is_stuck(&self, nxt: u64) -> bool {
        self.window(nxt) < self.step
    }

    /// When the window may open that the sender waits for.
    pub(super) fn next_timeout(&self, nxt: u64) -> Option<Instant> {
        self.next.filter(|_| self.is_stuck(nxt))
    }
}
