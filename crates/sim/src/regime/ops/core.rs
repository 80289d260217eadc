//! The core node of an optical packet switch: the controllers of its outputs, and what it does with packets that meet where that
//! is more than a port can do by itself.

use super::Notice;
use super::control::Control;
use super::store::Store;
use crate::engine::agent::{Agent, Message};
use crate::engine::bench::Bench;
use crate::engine::packet::Packet;

/// A core node.
#[derive(Debug)]
pub struct CoreNode {
    control: Control,
    store: Option<Store>,
}

impl CoreNode {
    /// A core node. Without `store` each wavelength of each output is a port with a buffer.
    pub fn new(control: Control, store: Option<Store>) -> CoreNode {
        CoreNode { control, store }
    }
}

impl Agent for CoreNode {
    fn next_timeout(&self) -> u64 {
        self.control.next_timeout().min(self.store.as_ref().map_or(u64::MAX, Store::next_timeout))
    }

    fn handle_timeout(&mut self, now: u64, bench: &mut Bench) {
        if self.control.next_timeout() <= now {
            self.control.handle_timeout(now, bench);
        }
        if let Some(store) = &mut self.store
            && store.next_timeout() <= now
        {
            store.handle_timeout(now, bench);
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, bench: &mut Bench) {
        if let Some(Notice::Probe { macroflow, probe }) = message.read() {
            self.control.handle_probe(now, *macroflow, *probe, bench);
        }
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, bench: &mut Bench) {
        match &mut self.store {
            Some(store) => store.handle_packet(now, place, packet, bench),
            None => bench.send_past(now, packet),
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
