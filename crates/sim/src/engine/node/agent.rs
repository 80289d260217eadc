//! Agents: machines at nodes that do what ports cannot do by themselves, and what agents and hosts are told.
//!
//! The engine carries messages and cannot read them. An agent is given a [`NodeContext`] and nothing else of the world.

use super::counters::Counters;
use super::node_context::NodeContext;
use crate::engine::packet::Packet;
use crate::engine::packet::message::Message;
use std::fmt;
use transport::tcp::{Actions, SackBlock, Sender};
use units::Instant;

/// A machine at a node. What it sends goes into the network at once.
pub trait Agent: fmt::Debug + Send {
    /// When it wants to be called, `u64::MAX` for never. It may be asked at any time and may change with every call.
    fn next_timeout(&self) -> u64;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext);

    /// A message of another agent has arrived.
    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        let _ = (now, message, context);
    }

    /// A packet has come to a port before which the agent stands; `place` is the agent's name for that port. The packet
    /// is kept, dropped ([`NodeContext::refuse`]), sent on ([`NodeContext::send_past`]) or given to its node
    /// ([`NodeContext::hand`]).
    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let _ = place;
        context.send_past(now, packet);
    }

    /// Packets of hosts that it keeps. Where packets travel in something else, they are kept from the agent that took
    /// them to the one that gives them back, so that only the sum over all agents means something.
    fn kept(&self) -> i64 {
        0
    }

    /// Packets that it has made by cutting others, beyond one of each, less those that it has put together again: one
    /// that is lost on the way counts as a packet. Only the sum over all agents means something.
    fn cut(&self) -> i64 {
        0
    }

    /// Shows each of them, because what they carry moves.
    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        let _ = change;
    }

    /// Adds what it has counted since the start.
    fn account(&self, counters: &mut Counters) {
        let _ = counters;
    }
}

/// What becomes of the segments of a flow by order of the scenario, where it depends on what the flow sends.
pub trait Orders: fmt::Debug + Send {
    /// A segment leaves; its sender may be told of that.
    fn take(&mut self, now: Instant, segment: SackBlock, told: ToldSender) -> Order;

    /// The news of this number has come back to the sender.
    fn news(&mut self, now: Instant, number: u64, told: ToldSender);
}

/// A sender that is told something, and where it puts what it wants sent.
#[derive(Debug)]
pub struct ToldSender<'a> {
    /// The sender.
    pub sender: &'a mut Sender,
    /// What it wants sent.
    pub actions: &'a mut Actions,
}

/// What becomes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It passes.
    Pass,
    /// It is lost.
    Lose,
    /// It is lost, and news of this number goes to the destination in its place and comes back.
    LoseAndTell(u64),
}
