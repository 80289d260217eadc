//! The receiving end of a whole connection: a [`Receiver`] that answers SYN and FIN, checks timestamps and lets its window grow.
//! Flows that have none of these run a bare receiver.
//!
//! Timestamps (RFC 7323): ACKs echo TS.Recent, which §4.3 chooses so that delayed ACKs measure the delay too; a segment that is older is
//! refused (PAWS, §5.3), with an ACK that reports it as a duplicate if it is one, as in Linux. Sequence numbers here never wrap, so what
//! PAWS refuses are late copies, and late originals behind a retransmission. Left out: the check of ACKs, and the
//! expiry of TS.Recent after 24 days.
//!
//! The window follows dynamic right-sizing (Fisk, Feng 2001) with Linux's numbers: after every round trip it is twice of what has
//! arrived in it and 16 segments more, and more yet while that grows. The receiver takes for a round trip the least time in which a window
//! arrives.

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
    /// Segments that PAWS has refused.
    refused: u64,
}

impl Endpoint {
    /// A receiver that expects byte 0. The parameters must be valid ([`ReceiverConfig::validate`]).
    pub fn new(config: Arc<ReceiverConfig>) -> Endpoint {
        let tuning = config.autotune_from.map(|window| Tuning::new(&config, window));
        Endpoint { receiver: Receiver::new(Arc::clone(&config)), config, recent: None, tuning, refused: 0 }
    }

    /// Whether these parameters ask for more than a bare receiver.
    pub fn is_for(config: &ReceiverConfig) -> bool {
        config.timestamps || config.autotune_from.is_some()
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

    /// A SYN or a FIN arrives: the answer.
    pub fn handle_control(&self, control: Control) -> Option<Control> {
        match control {
            Control::Syn => Some(Control::SynAck),
            Control::Fin => Some(Control::FinAck),
            Control::SynAck | Control::FinAck => None,
        }
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
            if self.recent.is_some_and(|recent| value < recent) {
                self.refused += 1;
                self.receiver.refuse(seq, len, out);
                return self.finish(out);
            }
            // RFC 7323 §4.3 (2): SEG.SEQ <= Last.ACK.sent.
            if seq <= self.receiver.last_ack_sent() {
                self.recent = Some(value);
            }
        }
        self.receiver.handle_segment(now, seq, len, out);
        if let Some(tuning) = &mut self.tuning {
            tuning.note(now, self.receiver.rcv_nxt());
        }
        self.finish(out);
    }

    /// The clock has reached `now`: sends the delayed ACK if it is due.
    pub fn handle_timeout(&mut self, now: Instant, out: &mut ReceiverActions) {
        self.receiver.handle_timeout(now, out);
        self.finish(out);
    }

    /// When the endpoint next wants `handle_timeout`.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.receiver.next_timeout()
    }

    /// The options of the ACKs that leave now.
    pub fn options(&self) -> TcpOptions {
        TcpOptions { timestamp: self.recent, window: self.tuning.as_ref().map(|tuning| tuning.window), control: None }
    }

    /// What ACKs say besides what the receiver says.
    fn finish(&self, out: &mut ReceiverActions) {
        for ack in &mut out.acks {
            if self.config.timestamps {
                ack.sack.truncate(TcpOptions::SACK_BLOCKS);
            }
            if let Some(tuning) = &self.tuning {
                ack.window = tuning.window;
            }
        }
    }
}

/// The window of a receiver that grows with what arrives.
#[derive(Clone, Debug)]
struct Tuning {
    /// What is offered.
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
        let shift = (0..14).find(|shift| config.window >> shift <= ReceiverConfig::UNSCALED).unwrap_or(14);
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
