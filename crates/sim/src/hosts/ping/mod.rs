//! The example of `docs/guide/add-a-host.md`: hosts that ask and answer with echoes (RFC 792). A flow is as many echoes
//! as its bytes fill. Each leaves when the one before it was answered, and again if that takes a second. Only tests
//! know it.

use super::keys::{Keys, MAX_PACKET, bytes};
use super::kind::Kind;
use crate::engine::node::machine::{HostContext, HostMachine, HostMaker};
use crate::engine::packet::Packet;
use crate::language::Fault;
use crate::model::{HostKind, PacketSizes};
use std::any::Any;
use std::sync::Arc;
use transport::tcp::SenderStats;
use units::{Duration, Instant};

/// Headers of IP and ICMP.
const HEADER: u32 = 28;
/// What has no answer for so long is sent again.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) const KIND: Kind = Kind::new(check, maker);

/// The resolved keys.
#[derive(Clone, Copy, Debug)]
struct Ping {
    payload: u32,
    header: u32,
}

impl HostKind for Ping {
    fn name(&self) -> &'static str {
        "ping"
    }

    fn sizes(&self) -> PacketSizes {
        PacketSizes { payload: self.payload, header: self.header, ack: self.payload + self.header }
    }

    fn first_window(&self) -> u32 {
        1
    }
}

/// Reads `[transport.NAME]`.
fn check(keys: &Keys) -> Result<Arc<dyn HostKind>, Fault> {
    keys.only(&["packet_size", "header", "ack_size", "mss"])?;
    let header = bytes(keys.header, HEADER, 1..=MAX_PACKET - 1)?;
    let ping = Ping { payload: keys.payload(header)?, header };
    let packet = ping.payload + ping.header;
    match keys.ack_size {
        Some(size) if size.0 != u64::from(packet) => {
            Err(size.fault(format!("an echo is as long as what it answers; allowed: {packet} B")))
        }
        _ => Ok(Arc::new(ping)),
    }
}

/// Makes both ends of its flows.
fn maker(kind: &dyn Any) -> Option<Arc<dyn HostMaker>> {
    Some(Arc::new(*kind.downcast_ref::<Ping>()?))
}

impl HostMaker for Ping {
    fn sender(&self) -> Box<dyn HostMachine> {
        Box::new(Asking { payload: self.payload, ..Asking::default() })
    }

    fn receiver(&self) -> Box<dyn HostMachine> {
        Box::<Answering>::default()
    }
}

/// In an echo and its answer: when the echo left.
#[derive(Clone, Copy, Debug)]
struct Left(Instant);

/// The end that asks.
#[derive(Debug, Default)]
struct Asking {
    payload: u32,
    /// Bytes that have been answered.
    answered: u64,
    /// Those of the echo that is on its way, if one is.
    asked: u32,
    /// Bytes that wait.
    waiting: u64,
    /// When the echo left last.
    left: Instant,
    stats: SenderStats,
}

impl Asking {
    /// The next echo leaves, if bytes wait.
    fn ask(&mut self, context: &mut HostContext) {
        self.asked = self.waiting.min(self.payload.into()) as u32;
        self.waiting -= u64::from(self.asked);
        if self.asked > 0 {
            (self.left, self.stats.segments_sent) = (context.now, self.stats.segments_sent + 1);
            context.send(context.data(self.answered, self.asked));
            context.saying(Left(context.now));
        }
    }
}

impl HostMachine for Asking {
    fn write(&mut self, bytes: u64, context: &mut HostContext) {
        self.waiting = self.waiting.saturating_add(bytes);
        if self.asked == 0 {
            self.ask(context);
        }
    }

    fn stop(&mut self) {
        self.waiting = 0;
    }

    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        // The answer to what was sent again has been there once already.
        if self.asked > 0 && packet.seq == self.answered + u64::from(self.asked) {
            if let Some(Left(at)) = context.said() {
                self.stats.rtt_sum += context.now.saturating_since(at).ps();
                self.stats.rtt_samples += 1;
            }
            self.answered = packet.seq;
            self.ask(context);
        }
    }

    fn next_timeout(&self) -> Option<Instant> {
        (self.asked > 0).then(|| self.left + PATIENCE)
    }

    fn handle_timeout(&mut self, context: &mut HostContext) {
        if self.next_timeout().is_some_and(|due| due <= context.now) {
            self.left = context.now;
            self.stats.segments_sent += 1;
            self.stats.retransmissions += 1;
            self.stats.timeouts += 1;
            context.send_again(context.data(self.answered, self.asked));
            context.saying(Left(context.now));
        }
    }

    fn is_complete(&self) -> bool {
        self.asked == 0 && self.waiting == 0
    }

    fn bytes_acked(&self) -> Option<u64> {
        Some(self.answered)
    }

    fn stats(&self) -> SenderStats {
        self.stats
    }
}

/// The end that answers.
#[derive(Debug, Default)]
struct Answering {
    /// Bytes that have come.
    come: u64,
}

impl HostMachine for Answering {
    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        self.come = self.come.max(packet.seq + u64::from(context.payload_of(packet)));
        let left: Option<Left> = context.said();
        context.send(context.ack(self.come));
        if let Some(left) = left {
            context.saying(left);
        }
    }

    fn bytes_arrived(&self) -> u64 {
        self.come
    }
}
