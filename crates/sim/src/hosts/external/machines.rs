//! Both ends of a flow from one host outside to another.

use super::door::{Door, Waiting};
use crate::engine::node::machine::{HostContext, HostMachine, HostMaker};
use crate::engine::packet::real::RealBytes;
use crate::engine::packet::{Flags, Packet};
use crate::model::{Ecn, SimTime};
use std::sync::Arc;
use transport::tcp::{Codepoint, SenderStats};
use units::Instant;

/// Makes them.
#[derive(Debug)]
pub(super) struct Maker(pub Arc<Door>);

impl HostMaker for Maker {
    fn sender(&self) -> Box<dyn HostMachine> {
        Box::new(Entry { door: Arc::clone(&self.0), pair: None, stats: SenderStats::default() })
    }

    fn receiver(&self) -> Box<dyn HostMachine> {
        Box::new(Exit { door: Arc::clone(&self.0), bytes: 0, marked: 0 })
    }
}

/// Where packets enter.
#[derive(Debug)]
struct Entry {
    door: Arc<Door>,
    /// Known from the beginning of the flow on.
    pair: Option<usize>,
    stats: SenderStats,
}

impl Entry {
    /// What is due enters.
    fn enter(&mut self, context: &mut HostContext) {
        let now = SimTime::from_ps(context.now.ps());
        while let Some(Waiting { bytes, ecn, content, .. }) = self.pair.and_then(|pair| self.door.pop(pair, now)) {
            let packet = context.data(self.stats.segments_sent, bytes.into());
            self.stats.segments_sent += 1;
            context.send(Packet { flags: flags(ecn), ..packet });
            if let Some(content) = content {
                context.saying(content);
            }
        }
    }
}

/// What queues see of an ECN field.
fn flags(ecn: Ecn) -> Flags {
    match ecn {
        Ecn::NotEct => Flags::NONE,
        Ecn::Ect0 => Flags::of_codepoint(Codepoint::Ect0),
        Ecn::Ect1 => Flags::of_codepoint(Codepoint::Ect1),
        Ecn::Ce => Flags::CAPABLE.with(Flags::MARKED),
    }
}

impl HostMachine for Entry {
    fn write(&mut self, _: u64, context: &mut HostContext) {
        self.pair = self.door.pair_of(context.flow);
        self.enter(context);
    }

    fn handle_packet(&mut self, _: &Packet, _: &mut HostContext) {}

    fn handle_timeout(&mut self, context: &mut HostContext) {
        self.enter(context);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.door.next(self.pair?).map(|at| Instant::from_ps(at.ps()))
    }

    fn stats(&self) -> SenderStats {
        self.stats
    }
}

/// Where packets leave.
#[derive(Debug)]
struct Exit {
    door: Arc<Door>,
    bytes: u64,
    marked: u64,
}

impl HostMachine for Exit {
    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        let is_marked = packet.flags.has(Flags::MARKED);
        self.bytes += u64::from(packet.size);
        self.marked += u64::from(is_marked);
        if let Some(content) = context.said::<RealBytes>() {
            self.door.leave(context.flow, SimTime::from_ps(context.now.ps()), content, is_marked);
        }
    }

    fn bytes_arrived(&self) -> u64 {
        self.bytes
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}
