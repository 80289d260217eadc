//! What an agent keeps for a port, and how little had still to be sent.

use super::{Optical, Port, PortKind};
use crate::engine::link::optical::AgentBacklog;
use crate::engine::packet::admission::Count;
use crate::model::Buffer;
use units::Duration;

impl Port {
    /// The least number of bytes that it had still to send, what was left of the packet in transmission included, since
    /// this was last called; only for a port of an optical packet switch.
    pub fn take_least_backlog(&mut self, now: u64) -> u64 {
        let backlog = self.busy_until().saturating_sub(now);
        let least = match &mut self.kind {
            PortKind::Optical(Optical { least_backlog, .. }) => least_backlog.take(backlog),
            _ => backlog,
        };
        self.byte_time.bytes_in(Duration::from_ps(least)).count()
    }

    /// The least that agents have kept for the port since this was last called, in bytes.
    pub fn take_least_agent_backlog(&mut self) -> u64 {
        self.kept_mut().take_least_bytes()
    }

    /// What waits elsewhere.
    pub(super) fn kept(&self) -> AgentBacklog {
        self.kept.as_deref().copied().unwrap_or_default()
    }

    /// The same, to be changed.
    pub(super) fn kept_mut(&mut self) -> &mut AgentBacklog {
        self.kept.get_or_insert_default()
    }

    /// An agent keeps a packet for the port.
    pub fn keep(&mut self, now: u64, size: u16) {
        self.kept_mut().add(now, size);
    }

    /// An agent lets go of a packet that it kept for the port.
    pub fn let_go(&mut self, now: u64, size: u16) {
        self.kept_mut().remove(now, size);
    }

    /// An agent keeps a packet for the port for no time.
    pub fn pass_agent_backlog(&mut self) {
        self.kept_mut().pass();
    }

    /// Whether what agents keep for the port leaves no place for more in a room.
    pub fn is_agent_backlog_full(&self, room: Buffer, more: Count) -> bool {
        lacks(room, self.kept().count().plus(more))
    }

    /// The same where what waits in the port itself is in the same room.
    pub fn is_full(&mut self, now: u64, room: Buffer, size: u16) -> bool {
        lacks(room, self.waiting_in_all(now).plus(Count::of(size)))
    }

    /// The most that waits counts what agents keep and what waits in the port together.
    pub fn note_waiting_in_all(&mut self, now: u64) {
        let packets = self.waiting_in_all(now).packets;
        self.kept_mut().note(packets);
    }

    /// The transmitter, which is free, is busy until then with a packet of which the rest never leaves.
    pub fn occupy(&mut self, now: u64, until: u64) {
        self.sweep(now);
        self.backlog.occupy(until, until - now);
    }

    fn waiting_in_all(&mut self, now: u64) -> Count {
        self.sweep(now);
        self.waiting(now).plus(self.kept().count())
    }

    /// An agent that keeps packets for the port has marked one.
    pub fn note_mark(&mut self) {
        self.marked += 1;
    }
}

/// Whether a room lacks places for so much.
fn lacks(room: Buffer, waiting: Count) -> bool {
    match room {
        Buffer::Packets(places) => waiting.packets > places,
        Buffer::Bytes(room) => waiting.bytes > room.count(),
        Buffer::Unlimited => false,
    }
}
