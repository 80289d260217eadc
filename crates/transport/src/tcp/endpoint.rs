//! The receiving end of a whole connection: a [`Receiver`] that answers SYN and FIN, checks timestamps and lets its
//! window grow. Flows that have none of these run a bare receiver.
//!
//! Timestamps (RFC 7323): ACKs echo TS.Recent, which §4.3 chooses so that delayed ACKs measure the delay too; a segment
//! that is older is refused (PAWS, §5.3), with an ACK that reports it as a duplicate if it is one, as in Linux.
//! Sequence numbers here never wrap, so what PAWS refuses are late copies, and late originals behind a retransmission.
//! Left out: the check of ACKs, and the expiry of TS.Recent after 24 days.
//!
//! The window follows dynamic right-sizing (Fisk, Feng 2001) with Linux's numbers: after every round trip it is twice
//! of what has arrived in it and 16 segments more, and more yet while that grows. The receiver takes for a round trip
//! the least time in which a window arrives.
//!
//! An application may read a piece every so often ([`Reader`](super::reader::Reader)): what it has not read takes room
//! in the window.

use super::reader::Reader;
use super::{Control, Receiver, ReceiverActions, ReceiverConfig, TcpOptions};
use std::sync::Arc;
use units::{Duration, Instant};

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    receiver: Receiver,
    config: Arc<ReceiverConfig>,
    /// TS.Recent.
    recent: Option<Instant>,
    tuning: Option<Tuning>,
    reader: Option<Reader>,
    /// Segments that PAWS has refused.
    refused: u64,
}

impl Endpoint {
    /// A receiver that expects byte 0. The parameters must be valid ([`ReceiverConfig::validate`]).
    pub fn new(config: Arc<ReceiverConfig>) -> Endpoint {
        let tuning = config.autotune_from.map(|window| Tuning::new(&config, window));
        let reader = Reader::new(&config, buffer(&config, tuning.as_ref()));
        Endpoint { receiver: Receiver::new(Arc::clone(&config)), config, recent: None, tuning, reader, refused: 0 }
    }

    /// True if these parameters ask for more than a bare receiver.
    pub fn is_for(config: &ReceiverConfig) -> bool {
        config.timestamps || config.autotune_from.is_some() || config.read.is_some() || !config.accept_ecn
    }

    /// The receiver within.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// The receiver within, to be told something.
    pub fn receiver_mut(&mut self) -> &mut Receiver {
        &mut self.receiver
    }

    /// Segments that PAWS has refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// A SYN or a FIN arrives: the answer. It agrees to ECN if it is asked and may.
    pub fn handle_control(&self, asked: TcpOptions) -> Option<TcpOptions> {
        let answer = match asked.control? {
            Control::Syn => Control::SynAck,
            Control::Fin => Control::FinAck,
            Control::SynAck | Control::FinAck => return None,
        };
        let ecn_setup = asked.ecn_setup && answer == Control::SynAck && self.config.accept_ecn;
        Some(TcpOptions { ecn_setup, timestamp: asked.timestamp, ..answer.into() })
    }

    /// A data segment arrives, with the timestamp that it carries.
    pub fn handle_segment(
        &mut self,
        now: Instant,
        seq: u64,
        len: u32,
        timestamp: Option<Instant>,
        out: &mut ReceiverActions,
    ) {
        if let Some(value) = timestamp.filter(|_| self.config.timestamps) {
            if self.recent.is_some_and(|recent| value + self.config.paws_slack < recent) {
                self.refused += 1;
                self.receiver.refuse(seq, len, out);
                return self.finish(out);
            }
            // RFC 7323 §4.3 (2): SEG.TSval >= TS.Recent and SEG.SEQ <= Last.ACK.sent.
            if seq <= self.receiver.last_ack_sent() {
                self.recent = self.recent.max(Some(value));
            }
        }
        let admitted = self.admitted(now, seq, len, out);
        if admitted == 0 && len > 0 {
            return self.finish(out);
        }
        self.receiver.handle_segment(now, seq, admitted, out);
        if let Some(tuning) = &mut self.tuning {
            tuning.note(now, self.receiver.rcv_nxt());
        }
        if let Some(reader) = &mut self.reader {
            // A buffer that has grown opens the window now.
            reader.advance(now, self.receiver.rcv_nxt(), buffer(&self.config, self.tuning.as_ref()));
        }
        self.finish(out);
    }

    /// The clock has reached `now`: sends the delayed ACK if it is due.
    pub fn handle_timeout(&mut self, now: Instant, out: &mut ReceiverActions) {
        self.receiver.handle_timeout(now, out);
        if let Some(reader) = &mut self.reader {
            let (nxt, was_stuck) = (self.receiver.rcv_nxt(), reader.is_stuck(self.receiver.rcv_nxt()));
            reader.advance(now, nxt, buffer(&self.config, self.tuning.as_ref()));
            if was_stuck && !reader.is_stuck(nxt) {
                self.receiver.update_window(out);
            }
        }
        self.finish(out);
    }

    /// When the endpoint next wants `handle_timeout`.
    pub fn next_timeout(&self) -> Option<Instant> {
        let reader = self.reader.as_ref().and_then(|reader| reader.next_timeout(self.receiver.rcv_nxt()));
        self.receiver.next_timeout().into_iter().chain(reader).min()
    }

    /// How much of a segment lies within the window that an application with its own pace leaves.
    fn admitted(&mut self, now: Instant, seq: u64, len: u32, out: &mut ReceiverActions) -> u32 {
        let buffer = buffer(&self.config, self.tuning.as_ref());
        let Some(reader) = &mut self.reader else { return len };
        reader.advance(now, self.receiver.rcv_nxt(), buffer);
        let room = u32::try_from(reader.edge().saturating_sub(seq)).unwrap_or(u32::MAX).min(len);
        if room < len {
            self.receiver.drop_beyond(room == 0, out);
        }
        room
    }

    /// The options of the ACKs that leave now.
    pub fn options(&self) -> TcpOptions {
        TcpOptions { timestamp: self.recent, window: self.window(), ..TcpOptions::default() }
    }

    /// The window that ACKs advertise, if it changes.
    fn window(&self) -> Option<u64> {
        let read = self.reader.as_ref().map(|reader| reader.window(self.receiver.rcv_nxt()));
        read.or(self.tuning.as_ref().map(|tuning| tuning.window))
    }

    /// The options of ACKs, besides what the receiver says.
    fn finish(&self, out: &mut ReceiverActions) {
        for ack in &mut out.acks {
            if self.config.timestamps {
                ack.sack.truncate(TcpOptions::SACK_BLOCKS);
            }
            if let Some(window) = self.window() {
                ack.window = window;
            }
        }
    }
}

/// The room for what has arrived.
fn buffer(config: &ReceiverConfig, tuning: Option<&Tuning>) -> u64 {
    tuning.map_or(config.window, |tuning| tuning.window)
}

/// The window of a receiver that grows with what arrives.
#[derive(Clone, Debug)]
struct Tuning {
    /// The offered window.
    window: u64,
    most: u64,
    mss: u64,
    /// The window is a multiple of this: what a window scale can say (RFC 7323 §2).
    unit: u64,
    /// The least time in which a window has arrived.
    round_trip: Option<Duration>,
    /// When the window began that is being timed, and where it ends.
    timed: (Instant, u64),
    /// When the round trip began in which bytes are counted, and what had arrived.
    counted: (Instant, u64),
    /// The most that has arrived in a round trip.
    space: u64,
}

impl Tuning {
    fn new(config: &ReceiverConfig, window: u64) -> Tuning {
        let shift = config.window_scale();
        let most = config.window.min(ReceiverConfig::UNSCALED << shift);
        Tuning {
            window: window.min(most),
            most,
            mss: config.mss.into(),
            unit: 1 << shift,
            round_trip: None,
            timed: (Instant::ZERO, 0),
            counted: (Instant::ZERO, 0),
            space: window.min(10 * u64::from(config.mss)),
        }
    }

    /// Everything below `nxt` has arrived.
    fn note(&mut self, now: Instant, nxt: u64) {
        if self.timed.1 == 0 {
            (self.timed, self.counted) = ((now, nxt + self.window), (now, nxt));
        }
        if nxt >= self.timed.1 {
            let took = now.saturating_since(self.timed.0);
            self.round_trip = Some(self.round_trip.map_or(took, |least| least.min(took)));
            self.timed = (now, nxt + self.window);
        }
        if self.round_trip.is_some_and(|round_trip| now.saturating_since(self.counted.0) >= round_trip) {
            self.adjust(nxt - self.counted.1);
            self.counted = (now, nxt);
        }
    }

    /// This number of bytes has arrived in a round trip.
    fn adjust(&mut self, arrived: u64) {
        if arrived <= self.space {
            return;
        }
        let window = 2 * arrived + 16 * self.mss;
        let growth = u128::from(window) * u128::from(arrived - self.space) / u128::from(self.space.max(1));
        let wished = u64::try_from(u128::from(window) + 2 * growth).unwrap_or(u64::MAX).min(self.most);
        self.window = self.window.max(wished / self.unit * self.unit);
        self.space = arrived;
    }
}
