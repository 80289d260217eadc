//! The receiving end of a connection: when ACKs leave (RFC 9000 §13.2), which packets they name, and the bytes of
//! streams.

use super::ack::{Ack, EcnCounts, TransportError};
use super::chunk::Chunk;
use super::config::ReceiverConfig;
use super::ranges::Ranges;
use crate::tcp::Codepoint;
use std::sync::Arc;
use units::{Duration, Instant};

/// Numbers of packets and places in streams are not above this: RFC 9000 §12.3 and §19.8.
const LARGEST: u64 = (1 << 62) - 1;

/// What a packet says of ECN as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As it was sent.
    Sent(Codepoint),
    /// CE.
    Experienced,
}

/// A packet as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// Its number.
    pub number: u64,
    /// Whether it asks for an ACK.
    pub is_ack_eliciting: bool,
    /// Its codepoint.
    pub mark: Mark,
    /// Its part of a stream.
    pub chunk: Option<Chunk>,
}

/// An ACK that leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckOut {
    /// The frame.
    pub ack: Ack,
    /// MAX_DATA: bytes permitted on all streams together.
    pub max_data: u64,
    /// MAX_STREAM_DATA: bytes permitted on each stream that has begun; empty if streams have no limit.
    pub max_stream_data: Vec<u64>,
}

/// A stream at its receiving end.
#[derive(Clone, Debug)]
struct Stream {
    allowance: Allowance,
    arrived: Ranges,
    /// Bytes that were read: all from the first on.
    read: u64,
    /// Behind the last byte that has arrived.
    highest: u64,
}

/// A window that the sender may use, which can grow.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    window: u64,
    /// Since when so many bytes had been read, for the time in which a window is used up.
    since: (Instant, u64),
    /// The shortest time for that so far.
    shortest: Duration,
}

impl Allowance {
    fn new(window: u64, now: Instant) -> Allowance {
        Allowance { window, since: (now, 0), shortest: Duration::MAX }
    }

    /// So many bytes have been read: a window that was used up in less than two round trips, for which the shortest
    /// time counts in which one was, doubles.
    #[inline]
    fn note(&mut self, now: Instant, read: u64, largest: u64) {
        if self.window >= largest || read < self.since.1.saturating_add(self.window) {
            return;
        }
        let took = now.saturating_since(self.since.0);
        self.shortest = self.shortest.min(took);
        if took < self.shortest.saturating_mul(2) {
            self.window = self.window.saturating_mul(2).min(largest);
        }
        self.since = (now, read);
    }

    fn limit(&self, read: u64) -> u64 {
        read.saturating_add(self.window)
    }
}

/// The receiver of one connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: Arc<ReceiverConfig>,
    /// Numbers that have arrived.
    numbers: Ranges,
    /// Numbers below are not taken any more.
    floor: u64,
    /// When the largest number arrived.
    largest_at: Instant,
    /// The largest number of a packet that asked for an ACK.
    largest_eliciting: Option<u64>,
    /// The largest number that an ACK has named.
    acked: Option<u64>,
    /// Packets that ask for an ACK and have none.
    unanswered: u32,
    /// When an ACK leaves at the latest.
    due: Option<Instant>,
    counts: EcnCounts,
    streams: Vec<Stream>,
    all: Allowance,
    /// Bytes read on all streams, and behind the highest of each, added up.
    read: u64,
    claimed: u64,
    /// Bytes of datagrams.
    in_datagrams: u64,
    duplicates: u64,
}

impl Receiver {
    /// A receiver before its first packet. The parameters must be valid ([`ReceiverConfig::validate`]).
    pub fn new(config: Arc<ReceiverConfig>) -> Receiver {
        assert!(config.validate().is_ok(), "a receiver runs with valid parameters only");
        let all = Allowance::new(config.receive_window, Instant::ZERO);
        Receiver {
            config,
            numbers: Ranges::default(),
            floor: 0,
            largest_at: Instant::ZERO,
            largest_eliciting: None,
            acked: None,
            unanswered: 0,
            due: None,
            counts: EcnCounts::default(),
            streams: Vec::new(),
            all,
            read: 0,
            claimed: 0,
            in_datagrams: 0,
            duplicates: 0,
        }
    }

    /// A packet arrives: its ACK, if one leaves at once. An error ends the connection.
    pub fn handle_packet(&mut self, now: Instant, packet: &Received) -> Result<Option<AckOut>, TransportError> {
        let number = packet.number;
        if number > LARGEST {
            return Err(TransportError::ProtocolViolation);
        }
        if number < self.floor || self.numbers.contains(number) {
            self.duplicates += 1;
            return Ok(None);
        }
        if let Some(chunk) = packet.chunk {
            self.take(now, chunk)?;
        }
        match packet.mark {
            Mark::Sent(Codepoint::Ect0) => self.counts.ect0 += 1,
            Mark::Sent(Codepoint::Ect1) => self.counts.ect1 += 1,
            Mark::Experienced => self.counts.ce += 1,
            Mark::Sent(Codepoint::NotEct) => {}
        }
        if self.numbers.last().is_none_or(|(_, end)| number >= end) {
            self.largest_at = now;
        }
        let is_out_of_order = packet.is_ack_eliciting && self.is_out_of_order(number);
        let most = self.config.ack_ranges as usize;
        // First, so that a full list takes no more memory for a moment, and then keeps it.
        if self.numbers.len() == most && self.numbers.last().is_some_and(|(_, end)| number > end) {
            self.forget_lowest();
        }
        self.numbers.insert(number, number.saturating_add(1));
        while self.numbers.len() > most {
            self.forget_lowest();
        }
        if !packet.is_ack_eliciting {
            return Ok(None);
        }
        self.largest_eliciting = self.largest_eliciting.max(Some(number));
        self.unanswered += 1;
        if is_out_of_order || packet.mark == Mark::Experienced || self.unanswered >= self.config.ack_every {
            return Ok(self.ack(now));
        }
        self.due.get_or_insert(now + self.config.max_ack_delay);
        Ok(None)
    }

    /// The lowest numbers are not taken any more.
    fn forget_lowest(&mut self) {
        self.floor = self.numbers.forget_first().map_or(self.floor, |(_, end)| end);
    }

    /// The clock has reached `now`: the ACK that is due.
    pub fn handle_timeout(&mut self, now: Instant) -> Option<AckOut> {
        self.due.filter(|due| *due <= now)?;
        self.ack(now)
    }

    /// When [`Receiver::handle_timeout`] is to be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.due
    }

    /// An ACK that leaves now, as with data of its own: what was owed is answered.
    #[inline]
    pub fn ack(&mut self, now: Instant) -> Option<AckOut> {
        let (_, end) = self.numbers.last()?;
        (self.due, self.unanswered, self.acked) = (None, 0, Some(end - 1));
        let ack = match self.numbers.only() {
            Some((start, end)) => Ack::of_one(start, end - 1),
            None => Ack::new(self.numbers.iter().rev().map(|(start, end)| (start, end - 1)).collect()).ok()?,
        };
        let waited = Ack::rounded(now.saturating_since(self.largest_at), self.config.ack_delay_exponent);
        let ecn = (self.counts != EcnCounts::default()).then_some(self.counts);
        let ack = ack.after(waited).with_counts(ecn);
        let limited = if self.config.stream_window < u64::MAX { &self.streams[..] } else { &[] };
        let each = limited.iter().map(|stream| stream.allowance.limit(stream.read));
        Some(AckOut { ack, max_data: self.all.limit(self.read), max_stream_data: each.collect() })
    }

    /// §13.2.1, for a packet that asks for an ACK and has not been taken in; with a threshold above 1 as
    /// draft-ietf-quic-ack-frequency has it: whether a missing packet can be found lost now that no ACK has shown.
    fn is_out_of_order(&self, number: u64) -> bool {
        let threshold = u64::from(self.config.reordering_threshold);
        match (threshold, self.largest_eliciting) {
            (0, _) | (_, None) => false,
            (1, Some(largest)) if number > largest => {
                number > largest + 1 && self.numbers.missing(largest, number).next().is_some()
            }
            (1, Some(_)) => true,
            (_, Some(largest)) => {
                let newest = number.max(largest);
                let from = self.acked.map_or(0, |acked| (acked + 2).saturating_sub(threshold)).max(self.floor);
                let first = self.numbers.missing(from, newest).map(|(start, _)| start).find(|one| *one != number);
                first.is_some_and(|missing| newest - missing >= threshold)
            }
        }
    }

    /// Bytes of a stream arrive, or a datagram.
    fn take(&mut self, now: Instant, chunk: Chunk) -> Result<(), TransportError> {
        if chunk.is_datagram() {
            self.in_datagrams += u64::from(chunk.length);
            return Ok(());
        }
        if chunk.end() > LARGEST {
            return Err(TransportError::FrameEncoding);
        }
        if chunk.stream >= self.config.max_streams {
            return Err(TransportError::StreamLimit);
        }
        let stream = chunk.stream as usize;
        let unknown = (self.config.stream_window, 0);
        let known = |stream: &Stream| (stream.allowance.limit(stream.read), stream.highest);
        let (limit, highest) = self.streams.get(stream).map_or(unknown, known);
        let more = chunk.end().saturating_sub(highest);
        let is_too_much = chunk.end() > limit || self.claimed.saturating_add(more) > self.all.limit(self.read);
        if is_too_much {
            return Err(TransportError::FlowControl);
        }
        if self.streams.len() <= stream {
            let allowance = Allowance::new(self.config.stream_window, Instant::ZERO);
            let new = || Stream { allowance, arrived: Ranges::default(), read: 0, highest: 0 };
            self.streams.resize_with(stream + 1, new);
        }
        let of = &mut self.streams[stream];
        of.highest += more;
        self.claimed += more;
        if chunk.start <= of.read && of.arrived.is_empty() {
            // In order, as nearly always.
            self.read += chunk.end().saturating_sub(of.read);
            of.read = of.read.max(chunk.end());
            self.note(now, stream);
            return Ok(());
        }
        of.arrived.insert(chunk.start.max(of.read), chunk.end());
        if let Some((_, end)) = of.arrived.first().filter(|(start, _)| *start <= of.read) {
            self.read += end - of.read;
            of.read = end;
            of.arrived.forget_first();
        }
        self.note(now, stream);
        Ok(())
    }

    /// Bytes of a stream have been read, perhaps: windows may grow.
    #[inline]
    fn note(&mut self, now: Instant, stream: usize) {
        let (largest, of) = (self.config.largest_window, &mut self.streams[stream]);
        if largest > 0 {
            self.all.note(now, self.read, largest);
            of.allowance.note(now, of.read, largest);
        }
    }

    /// Bytes that have been read: each stream's from its first on, and all datagrams.
    pub fn bytes_read(&self) -> u64 {
        self.read + self.in_datagrams
    }

    /// Bytes that have arrived, each once.
    pub fn bytes_arrived(&self) -> u64 {
        let waiting = |stream: &Stream| stream.arrived.iter().map(|(start, end)| end - start).sum::<u64>();
        self.bytes_read() + self.streams.iter().map(waiting).sum::<u64>()
    }

    /// Bytes that were read of a stream.
    pub fn read_of(&self, stream: u32) -> u64 {
        self.streams.get(stream as usize).map_or(0, |stream| stream.read)
    }

    /// Packets that have arrived, by their codepoints.
    pub fn counts(&self) -> EcnCounts {
        self.counts
    }

    /// Packets that came twice, or below the lowest number that is still taken.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Numbers that have arrived, as ranges to before their ends.
    pub fn numbers(&self) -> impl Iterator<Item = (u64, u64)> {
        self.numbers.iter()
    }
}
