//! The two ends of a flow of NDP: whole packets and headers, ACKs, NACKs and PULLs. The machines are
//! [`transport::ndp`]'s; the queue of PULLs is one a receiving node.
//!
//! In the words of packets: data may be trimmed, and the last packet of a flow says so. Of an ACK, `TRIMMED` is a NACK,
//! `LAST` a PULL, and both a header that comes back.

use crate::engine::node::machine::{HostContext, HostMachine, HostMaker, Shared};
use crate::engine::packet::{Flags, Packet};
use std::sync::Arc;
use transport::ndp::{Config, PathOrder, Pulls, Receiver, Sender};
use transport::tcp::SenderStats;
use units::{Duration, Instant};

/// Makes hosts of NDP.
#[derive(Debug)]
pub(super) struct Maker(pub(super) Arc<Config>);

impl HostMaker for Maker {
    fn sender(&self) -> Box<dyn HostMachine> {
        Box::new(Sending { sender: Sender::new(Arc::clone(&self.0)), turns: Turns::new(self.0.path_order) })
    }

    fn receiver(&self) -> Box<dyn HostMachine> {
        let (receiver, lasts) = (Receiver::default(), Duration::ZERO);
        Box::new(Receiving { receiver, turns: Turns::new(self.0.path_order), lasts })
    }

    fn shared(&self) -> Option<Box<dyn Shared>> {
        Some(Box::<Queue>::default())
    }

    fn returns(&self) -> bool {
        true
    }
}

/// The number of the next packet of an end that takes its paths one after the other.
#[derive(Debug)]
struct Turns(Option<u64>);

impl Turns {
    fn new(order: PathOrder) -> Turns {
        Turns((order == PathOrder::Permuted).then_some(0))
    }

    fn give(&mut self, packet: Packet) -> Packet {
        let Some(next) = &mut self.0 else { return packet };
        *next += 1;
        packet.in_turn(*next - 1)
    }
}

/// The sending end of a flow.
#[derive(Debug)]
struct Sending {
    sender: Sender,
    turns: Turns,
}

impl Sending {
    /// What the machine has listed leaves.
    fn send(&mut self, context: &mut HostContext) {
        let mut segments = std::mem::take(&mut context.actions.segments);
        for segment in segments.drain(..) {
            let is_last = self.sender.is_last(&segment);
            let flags = if is_last { Flags::TRIMMABLE.with(Flags::LAST) } else { Flags::TRIMMABLE };
            let packet = self.turns.give(Packet { flags, ..context.data(segment.seq, segment.len) });
            match segment.retransmission {
                true => context.send_again(packet),
                false => context.send(packet),
            }
        }
        context.actions.segments = segments;
    }
}

impl HostMachine for Sending {
    fn write(&mut self, bytes: u64, context: &mut HostContext) {
        self.sender.write(context.now, bytes, context.actions);
        self.send(context);
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        let (now, seq) = (context.now, packet.seq);
        match (packet.flags.has(Flags::TRIMMED), packet.flags.has(Flags::LAST)) {
            (false, false) => self.sender.handle_ack(now, seq, context.actions),
            (true, false) => self.sender.handle_nack(now, seq, context.actions),
            (false, true) => self.sender.handle_pull(now, seq, context.actions),
            (true, true) => self.sender.handle_return(now, seq, context.actions),
        }
        self.send(context);
    }

    fn handle_timeout(&mut self, context: &mut HostContext) {
        self.sender.handle_timeout(context.now, context.actions);
        self.send(context);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.sender.next_timeout()
    }

    fn is_complete(&self) -> bool {
        self.sender.is_complete()
    }

    fn stats(&self) -> SenderStats {
        self.sender.stats()
    }

    fn bytes_acked(&self) -> Option<u64> {
        Some(self.sender.bytes_acked())
    }
}

/// The receiving end of a flow.
#[derive(Debug)]
struct Receiving {
    receiver: Receiver,
    turns: Turns,
    /// How long a full packet lasts on the links by which such flows come to its node, all together.
    lasts: Duration,
}

impl HostMachine for Receiving {
    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        let is_whole = !packet.flags.has(Flags::TRIMMED);
        match is_whole {
            true => {
                let length = context.payload_of(packet);
                self.receiver.handle_packet(packet.seq, length, packet.flags.has(Flags::LAST));
            }
            false => self.receiver.handle_header(packet.seq),
        }
        if let Some(Queue(pulls)) = context.shared() {
            match self.receiver.is_complete() {
                true => pulls.forget(packet.flow),
                false => pulls.add(packet.flow, self.lasts),
            }
        }
        let flags = if is_whole { Flags::NONE } else { Flags::TRIMMED };
        context.send(self.turns.give(Packet { flags, ..context.ack(packet.seq) }));
    }

    fn handle_turn(&mut self, context: &mut HostContext) {
        let number = self.receiver.pull();
        context.send(self.turns.give(Packet { flags: Flags::LAST, ..context.ack(number) }));
    }

    fn join(&mut self, lasts: Duration) {
        self.lasts = lasts;
    }

    fn bytes_arrived(&self) -> u64 {
        self.receiver.bytes_arrived()
    }

    fn bytes_in_order(&self) -> u64 {
        self.receiver.bytes_in_order()
    }

    fn marked(&self) -> u64 {
        self.receiver.headers()
    }
}

/// The PULLs of a node, for all flows that end there.
#[derive(Debug, Default)]
struct Queue(Pulls);

impl Shared for Queue {
    fn next_timeout(&self) -> Option<Instant> {
        self.0.next_timeout()
    }

    fn handle_timeout(&mut self, now: Instant) -> Option<u32> {
        self.0.handle_timeout(now)
    }
}
