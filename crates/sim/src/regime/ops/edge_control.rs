//! What a core node does for a control of the rates at which edge nodes send. Macroflows are one such control; another, for
//! example one that tells edge nodes of losses, implements the same and stands beside them.

use crate::engine::agent::Message;
use crate::engine::bench::Bench;
use crate::engine::packet::Packet;
use std::fmt::Debug;

/// The part of an edge control at a core node. It hears of every packet that meets the node's store, and may send messages over
/// control wavelengths.
pub trait EdgeControl: Debug + Send {
    /// When it wants to be called, `u64::MAX` for never.
    fn next_timeout(&self) -> u64;

    /// Its time has come.
    fn handle_timeout(&mut self, now: u64, bench: &mut Bench);

    /// A message has come over a control wavelength. Edited and sent on, it stays in its memory.
    fn handle_message(&mut self, now: u64, message: Message, bench: &mut Bench);

    /// A packet has met the store.
    fn handle_meeting(&mut self, now: u64, meeting: Meeting, bench: &mut Bench) {
        let Meeting { output, packet, fate } = meeting;
        let _ = (now, output, packet, fate, bench);
    }
}

/// A packet and what a store did with it.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    /// The agent's name for the output.
    pub output: u32,
    /// The packet, as it came.
    pub packet: &'a Packet,
    /// What became of it.
    pub fate: Fate,
}

/// What a store does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It leaves at once.
    Leaves,
    /// It waits: others are in its way.
    Waits,
    /// It is lost: the output is congested.
    Lost,
}
