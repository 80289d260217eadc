//! The part of a control of the edge nodes at a core node, and what the store there tells it.

use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::Packet;
use crate::engine::packet::message::Message;
use std::fmt::Debug;

/// The part of an edge control at a core node. It hears of every packet that meets the node's store, if it has one, and
/// may send messages over control wavelengths.
pub trait CoreControl: Debug + Send {
    /// When it wants to be called, `u64::MAX` for never.
    fn next_timeout(&self) -> u64;

    /// Adds what it has counted since the start.
    fn account(&self, counters: &mut Counters) {
        let _ = counters;
    }

    /// Its time has come.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext);

    /// A message has come over a control wavelength. Edited and sent on, it stays in its memory.
    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext);

    /// A packet has met the store.
    fn handle_meeting(&mut self, now: u64, meeting: Meeting, context: &mut NodeContext) {
        let Meeting { output, packet, fate, store } = meeting;
        let _ = (now, output, packet, fate, store, context);
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
    /// How full the store was when it came.
    pub store: Occupancy,
}

/// What a store does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It leaves at once.
    Leaves,
    /// It waits: others are in its way.
    Waits,
    /// It is lost.
    Lost,
}

/// How full a store is, by the threshold of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupancy {
    /// Below the threshold, or there is none.
    Low,
    /// It is congested.
    Congested,
}
