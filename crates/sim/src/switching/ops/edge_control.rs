//! What a control of the rates at which edge nodes send answers. Macroflows are one such control; another, for example
//! one that tells edge nodes of losses, implements the same, and the plan chooses between them.

use super::builder::{Builder, NodeOutputs};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::counters::{Counters, KeyedSums};
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::Packet;
use crate::engine::packet::message::Message;
use crate::model::NodeId;
use crate::results::Figure;
use std::fmt::Debug;

/// A control of the edge nodes: its part at every core node, and the agent of every edge node.
pub trait EdgeControl: Debug {
    /// Its part at a core node.
    fn at_core(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn CoreControl>;

    /// The agent of an edge node. It stands before the first wavelength of each output, and these ports take
    /// everything: it minds their room.
    fn at_edge(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn Agent>;

    /// Whether the agent of an edge node also stands before the links to hosts, where it sees which packets are marked.
    /// It calls these by the numbers after those of the outputs.
    fn sees_exits(&self, node: NodeId, builder: &Builder, build: &BuildContext) -> bool {
        let _ = (node, builder, build);
        false
    }

    /// Whether edge nodes cut packets that are longer than a slot.
    fn cuts_packets(&self) -> bool {
        false
    }

    /// What its agents have counted between two readings.
    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        let _ = (before, after);
        Vec::new()
    }

    /// The reasons for which its agents drop packets, by their numbers.
    fn causes(&self) -> &'static [&'static str] {
        &[]
    }
}

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
