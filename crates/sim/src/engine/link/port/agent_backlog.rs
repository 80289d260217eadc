//! What an agent keeps for a port, and how little had still to be sent.

use super::{Optical, Port, PortKind};
use crate::engine::link::optical::AgentBacklog;
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

    /// Whether what agents keep for the port leaves no place for a packet in a room.
    pub fn is_agent_backlog_full(&self, room: Buffer, size: u16) -> bool {
        let kept = self.kept().count();
        match room {
            Buffer::Packets(places) => kept.packets >= places,
            Buffer::Bytes(room) => kept.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }

    /// An agent that keeps packets for the port has marked one.
    pub fn note_mark(&mut self) {
        self.marked += 1;
    }
}
