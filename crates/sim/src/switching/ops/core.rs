//! The core node of an optical packet switch: its part in the control of edge nodes, and what it does with packets that
//! meet where that is more than a port can do by itself.

use super::core_control::{CoreControl, Meeting, Occupancy};
use super::store::Store;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::Packet;
use crate::engine::packet::message::Message;

/// A core node.
#[derive(Debug)]
pub struct CoreNode {
    control: Option<Box<dyn CoreControl>>,
    store: Option<Store>,
}

impl CoreNode {
    /// A core node. Without `store` each wavelength of each output is a port with a buffer.
    pub fn new(control: Option<Box<dyn CoreControl>>, store: Option<Store>) -> CoreNode {
        CoreNode { control, store }
    }

    /// A packet asks for its output, and the control hears what became of it.
    fn handle_arrival(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(store) = &mut self.store else { return };
        let occupancy = store.occupancy(now, place);
        let fate = match occupancy {
            Occupancy::Low => store.handle_packet(now, place, packet, context),
            Occupancy::Congested => store.handle_marked(now, place, packet, context),
        };
        if let Some(control) = &mut self.control {
            control.handle_meeting(now, Meeting { output: place, packet, fate, store: occupancy }, context);
        }
    }
}

impl Agent for CoreNode {
    fn next_timeout(&self) -> u64 {
        let control = self.control.as_ref().map_or(u64::MAX, |control| control.next_timeout());
        control.min(self.store.as_ref().map_or(u64::MAX, Store::next_timeout))
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if let Some(control) = &mut self.control
            && control.next_timeout() <= now
        {
            control.handle_timeout(now, context);
        }
        if self.store.as_ref().is_some_and(|store| store.next_timeout() <= now) {
            while let Some((place, packet)) = self.store.as_mut().and_then(Store::draw) {
                self.handle_arrival(now, place, &packet, context);
            }
            if let Some(store) = &mut self.store {
                store.handle_timeout(now, context);
            }
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        if let Some(control) = &mut self.control {
            control.handle_message(now, message, context);
        }
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(store) = &mut self.store else { return context.send_past(now, packet) };
        if !store.defer(now, place, packet) {
            self.handle_arrival(now, place, packet, context);
        }
    }

    fn account(&self, counters: &mut Counters) {
        if let Some(control) = &self.control {
            control.account(counters);
        }
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.store.as_ref().map_or(0, Store::kept)).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        if let Some(store) = &mut self.store {
            store.for_each_kept(change);
        }
    }
}
