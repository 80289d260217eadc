//! Datagrams at the sending end (RFC 9221): bytes that leave once, in packets of their own, and belong to no stream.
//! What is lost is not sent again (§5.2), the peer's limits do not hold them (§5.3), and what window and pacing hold
//! back waits or is dropped (§5.4).

use super::chunk::Chunk;
use super::config::Config;

/// Those of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Datagrams {
    written: u64,
    /// The first byte that has not left.
    next: u64,
    acked: u64,
    lost: u64,
    /// Never sent, since too many waited.
    dropped: u64,
    /// So many bytes of payload wait at most.
    most: u64,
    /// Bytes of the largest.
    payload: u64,
}

impl Datagrams {
    pub fn new(config: &Config) -> Datagrams {
        let (payload, whole) = (u128::from(config.payload()), u128::from(config.max_datagram_size));
        // The bound counts packets as windows do, with their overhead.
        let most = u128::from(config.datagram_queue) * payload / whole;
        let most = if config.datagram_queue == u64::MAX { u64::MAX } else { u64::try_from(most).unwrap_or(u64::MAX) };
        Datagrams { most, payload: config.payload().into(), ..Datagrams::default() }
    }

    /// More bytes; `u64::MAX` is without end.
    pub fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    /// The oldest of too many that wait are dropped.
    pub fn shorten(&mut self) {
        let excess = self.waiting().saturating_sub(self.most);
        if self.written < u64::MAX && excess > 0 {
            let whole = excess.div_ceil(self.payload).saturating_mul(self.payload).min(self.waiting());
            self.next += whole;
            self.dropped += whole;
        }
    }

    /// What was written and has not left is forgotten.
    pub fn stop(&mut self) {
        self.written = self.next;
    }

    /// Bytes that have not left.
    pub fn waiting(&self) -> u64 {
        self.written - self.next
    }

    /// The next one.
    pub fn take(&mut self, most: u32) -> Option<Chunk> {
        let length = self.waiting().min(most.into()) as u32;
        let chunk = Chunk { stream: Chunk::DATAGRAM, start: self.next, length };
        self.next += u64::from(length);
        (length > 0).then_some(chunk)
    }

    /// One has arrived, perhaps after it was taken for lost.
    pub fn acknowledge(&mut self, length: u32, was_lost: bool) {
        self.acked += u64::from(length);
        self.lost -= if was_lost { length.into() } else { 0 };
    }

    /// One is lost.
    pub fn lose(&mut self, length: u32) {
        self.lost += u64::from(length);
    }

    /// Whether nothing waits, and of all that have left the fate is known.
    pub fn is_complete(&self) -> bool {
        self.acked + self.lost + self.dropped == self.written
    }

    /// Bytes that have arrived.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// Bytes that are taken for lost.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes that have never left, since too many waited.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
