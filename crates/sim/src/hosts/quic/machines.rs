//! The two ends of a connection. Of a packet of data `seq` is its number, and it says which bytes of which stream it
//! carries; of an ACK `seq` is the largest number that it names, and it says the whole frame.

use super::told::{self, Echo};
use crate::engine::node::machine::{GivenUp, HostContext, HostMachine, HostMaker};
use crate::engine::packet::{Carried, Flags, Inscribed, Packet};
use crate::model::Record;
use std::any::Any;
use std::sync::Arc;
use transport::cc::PathChange;
use transport::quic::{self, Ack, AckOut, Chunk, Config, Mark, Received, ReceiverConfig, TransportError};
use transport::tcp::{Codepoint, SenderStats};
use transport::telemetry;
use units::{Duration, Instant};

/// Makes both ends of connections.
#[derive(Debug)]
pub(super) struct Maker {
    pub sender: Arc<Config>,
    pub receiver: Arc<ReceiverConfig>,
    pub record: Record,
}

impl HostMaker for Maker {
    fn sender(&self) -> Box<dyn HostMachine> {
        let machine = quic::Sender::new(Arc::clone(&self.sender));
        Box::new(Sending { machine, grows: self.record.grows(), packets: Vec::new(), failed: None })
    }

    fn receiver(&self) -> Box<dyn HostMachine> {
        Box::new(Receiving {
            machine: quic::Receiver::new(Arc::clone(&self.receiver)),
            part: self.record.echo,
            echo: Echo::Nothing,
            failed: None,
        })
    }
}

/// The sending end.
#[derive(Debug)]
struct Sending {
    machine: quic::Sender,
    /// Whether hops make its packets longer.
    grows: bool,
    /// What the machine has listed; empty between calls.
    packets: Vec<quic::Packet>,
    /// The error with which the connection has ended, if it has.
    failed: Option<TransportError>,
}

impl Sending {
    /// What the machine has listed leaves.
    fn send(&mut self, context: &mut HostContext) {
        let record = told::of_sender(&self.machine, self.grows);
        for one in self.packets.drain(..) {
            let length = one.chunk.map_or(0, |chunk| chunk.length);
            let record = record.as_ref().filter(|_| one.chunk.is_some());
            let flags = Flags::of_codepoint(one.codepoint).with(told::flags(record));
            let packet = Packet { flags, ..context.data(one.number, length) };
            match one.is_again {
                true => context.send_again(packet),
                false => context.send(packet),
            }
            match (one.chunk.map(numbers), record) {
                (Some(numbers), Some(record)) => {
                    context.saying(Inscribed { record: record.clone(), says: Carried::new(numbers) });
                }
                (Some(numbers), None) => context.saying_numbers(numbers),
                (None, _) => {}
            }
        }
    }

    /// An ACK with what the network has written, which counts first.
    #[cold]
    fn take_told(&mut self, packet: &Packet, context: &mut HostContext) -> Option<TransportError> {
        let Inscribed { record, says } = context.said()?;
        told::take(&mut self.machine, context.now, packet.seq, &record);
        self.take(&says.open()?, context).err()
    }

    fn take(&mut self, said: &AckOut, context: &HostContext) -> Result<(), TransportError> {
        self.machine.handle_ack(context.now, &said.ack, &mut self.packets)?;
        if said.max_data < u64::MAX || said.max_stream_data.first().is_some_and(|limit| *limit < u64::MAX) {
            self.machine.permit(context.now, said.max_data, &said.max_stream_data, &mut self.packets);
        }
        Ok(())
    }
}

impl HostMachine for Sending {
    fn write(&mut self, bytes: u64, context: &mut HostContext) {
        self.machine.write(context.now, bytes, &mut self.packets);
        self.send(context);
    }

    fn stop(&mut self) {
        self.machine.stop();
    }

    fn handle_news(&mut self, change: &PathChange, context: &mut HostContext) {
        self.machine.handle_news(context.now, *change, &mut self.packets);
        self.send(context);
    }

    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        if self.failed.is_some() {
            return;
        }
        let is_told = packet.flags.has(Flags::EXPLICIT);
        self.failed = match context.said_numbers() {
            Some(said) => self.machine.handle_ack(context.now, &plain_ack(packet, said), &mut self.packets).err(),
            None if is_told => self.take_told(packet, context),
            None => match context.said() {
                Some(said) => self.take(&said, context).err(),
                None => return,
            },
        };
        self.send(context);
    }

    fn handle_timeout(&mut self, context: &mut HostContext) {
        self.machine.handle_timeout(context.now, &mut self.packets);
        self.send(context);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.machine.next_timeout().filter(|_| self.failed.is_none())
    }

    fn is_complete(&self) -> bool {
        self.machine.is_complete()
    }

    fn stats(&self) -> SenderStats {
        self.machine.stats()
    }

    fn bytes_acked(&self) -> Option<u64> {
        Some(self.machine.bytes_acked())
    }

    fn given_up(&self) -> GivenUp {
        GivenUp { dropped: self.machine.bytes_dropped(), lost: self.machine.datagram_bytes_lost() }
    }

    fn shown(&self) -> Option<&dyn Any> {
        Some(&self.machine)
    }

    fn readings(&self) -> Vec<(&'static str, f64)> {
        let machine = &self.machine;
        let ssthresh = if machine.ssthresh() == u64::MAX { f64::INFINITY } else { machine.ssthresh() as f64 };
        vec![
            ("cwnd", machine.cwnd() as f64),
            ("ssthresh", ssthresh),
            ("pipe", machine.bytes_in_flight() as f64),
            ("acked", machine.bytes_acked() as f64),
            ("srtt", machine.rtt().first_sample.map_or(f64::NAN, |_| machine.rtt().smoothed.as_secs_f64())),
            ("dupthresh", machine.thresholds().0.into()),
        ]
    }
}

/// The receiving end.
#[derive(Debug)]
struct Receiving {
    machine: quic::Receiver,
    /// What is sent back of what hops have measured.
    part: telemetry::Echo,
    echo: Echo,
    /// The error with which the connection has ended, if it has.
    failed: Option<TransportError>,
}

impl Receiving {
    /// What the network has written is to be sent back: the numbers beside it, and by how much it is longer for that.
    #[cold]
    fn note(&mut self, context: &mut HostContext) -> (Option<[u64; 2]>, u32) {
        let Some(Inscribed { record, says }) = context.said() else { return (None, 0) };
        let grown = told::grown_len(&record);
        self.echo.note(record, self.part);
        (says.open(), grown)
    }

    /// An ACK leaves, if there is one.
    fn answer(&mut self, ack: Option<AckOut>, context: &mut HostContext) {
        let Some(ack) = ack else { return };
        let record = self.echo.answer();
        let (flags, bare) = (told::flags(record.as_ref()), context.ack(ack.ack.largest()));
        let grown = record.as_ref().map_or(0, told::grown_len) as u16;
        context.send(Packet { flags, size: bare.size + grown, ..bare });
        match (plain(&ack), record) {
            (Some(numbers), None) => context.saying_numbers(numbers),
            (None, None) => context.saying(ack),
            (_, Some(record)) => context.saying(Inscribed { record, says: Carried::new(ack) }),
        }
    }
}

impl HostMachine for Receiving {
    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext) {
        if self.failed.is_some() {
            return;
        }
        let is_told = packet.flags.has(Flags::EXPLICIT);
        let (said, grown) = if is_told { self.note(context) } else { (context.said_numbers(), 0) };
        let length = context.payload_of(packet) - grown;
        let chunk = said.map(|[stream, start]| Chunk { stream: stream as u32, start, length });
        let received = Received { number: packet.seq, is_ack_eliciting: true, mark: mark(packet.flags), chunk };
        match self.machine.handle_packet(context.now, &received) {
            Ok(ack) => self.answer(ack, context),
            Err(error) => self.failed = Some(error),
        }
    }

    fn handle_timeout(&mut self, context: &mut HostContext) {
        let ack = self.machine.handle_timeout(context.now);
        self.answer(ack, context);
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.machine.next_timeout().filter(|_| self.failed.is_none())
    }

    fn bytes_arrived(&self) -> u64 {
        self.machine.bytes_arrived()
    }

    fn bytes_in_order(&self) -> u64 {
        self.machine.bytes_read()
    }

    fn marked(&self) -> u64 {
        self.machine.counts().ce
    }
}

/// What a packet says of the bytes in it, besides how many they are.
fn numbers(chunk: Chunk) -> [u64; 2] {
    [chunk.stream.into(), chunk.start]
}

/// An ACK of one range that says nothing besides: the lowest number, and the delay. The largest is its packet's.
fn plain(ack: &AckOut) -> Option<[u64; 2]> {
    let [(lowest, _)] = ack.ack.ranges() else { return None };
    let is_all = ack.ack.ecn.is_none() && ack.max_data == u64::MAX && ack.max_stream_data.is_empty();
    is_all.then(|| [*lowest, ack.ack.delay.ps()])
}

/// The ACK of which [`plain`] has made these numbers.
fn plain_ack(packet: &Packet, [lowest, delay]: [u64; 2]) -> Ack {
    Ack::of_one(lowest, packet.seq).after(Duration::from_ps(delay))
}

/// What a packet says of ECN. A mark on one that is not capable is somebody else's.
fn mark(flags: Flags) -> Mark {
    match (flags.has(Flags::CAPABLE), flags.has(Flags::MARKED), flags.has(Flags::SCALABLE)) {
        (false, ..) => Mark::Sent(Codepoint::NotEct),
        (true, true, _) => Mark::Experienced,
        (true, false, false) => Mark::Sent(Codepoint::Ect0),
        (true, false, true) => Mark::Sent(Codepoint::Ect1),
    }
}
