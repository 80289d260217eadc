//! The sending end of a connection: RFC 9002 appendix A, and what leaves when.
//!
//! Each call returns what its event alone does: a timer that is overdue is served by [`Sender::handle_timeout`] and by
//! no other call.

use super::ack::{Ack, TransportError};
use super::chunk::Chunk;
use super::config::Config;
use super::congestion::{Congestion, persistent_after};
use super::ecn::Marking;
use super::pacer::Pacer;
use super::rtt::Rtt;
use super::sent::{Episode, Fate, Newly, Sent, SentPacket};
use super::streams::Streams;
use crate::cc::{Event, PathChange};
use crate::tcp::{Codepoint, SenderStats, Snapshot};
use options::words;
use std::sync::Arc;
use units::{Duration, Instant, Rate};

words! {
    /// What a sender waits for.
    pub enum Timer {
        /// A packet becomes old enough to be lost: RFC 9002 §6.1.2.
        Loss = "loss",
        /// A probe: RFC 9002 §6.2.
        Pto = "pto",
        /// The next paced packet.
        Pacing = "pacing",
    }
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number.
    pub number: u64,
    /// Bytes of its datagram.
    pub size: u32,
    /// Its part of a stream, or its datagram.
    pub chunk: Option<Chunk>,
    /// Whether it asks for an ACK.
    pub is_ack_eliciting: bool,
    /// Whether its bytes have left before.
    pub is_again: bool,
    /// Whether it leaves as a probe of a PTO.
    pub is_probe: bool,
    /// Its codepoint.
    pub codepoint: Codepoint,
}

/// A kind of packet that a user sends by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByHand {
    /// It asks for an ACK.
    Eliciting,
    /// Padding only: it is in flight, and asks for no ACK.
    Padding,
    /// An ACK only: it is not in flight.
    AckOnly,
}

/// What the last call has found.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// Packets that were newly acknowledged.
    pub acked: Vec<u64>,
    /// Packets that were found lost.
    pub lost: Vec<u64>,
    /// Packets that were acknowledged after they had been taken for lost.
    pub spurious: Vec<u64>,
    /// Whether the losses were persistent congestion.
    pub is_persistent: bool,
}

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) config: Arc<Config>,
    pub(super) sent: Sent,
    pub(super) streams: Streams,
    pub(super) rtt: Rtt,
    pub(super) congestion: Congestion,
    pub(super) pacer: Pacer,
    pub(super) marking: Marking,
    /// largest_acked_packet.
    pub(super) largest_acked: Option<u64>,
    /// loss_time.
    pub(super) loss_time: Option<Instant>,
    /// time_of_last_ack_eliciting_packet.
    pub(super) last_eliciting: Option<Instant>,
    pub(super) pto_count: u32,
    /// loss_detection_timer, and what it is for.
    pub(super) timer: Option<(Timer, Instant)>,
    /// When the next paced packet leaves, if one waits.
    pub(super) paced: Option<Instant>,
    /// kPacketThreshold and kTimeThreshold, as reordering has raised them.
    pub(super) packet_threshold: u32,
    pub(super) time_threshold: f64,
    /// Where the last probe ended that had nothing new to send.
    pub(super) probed: (u32, u64),
    /// Whether a packet may leave past the window.
    pub(super) may_exceed: bool,
    pub(super) stats: SenderStats,
    pub(super) episode: Episode,
    pub(super) news: News,
    /// Kept from call to call, so that no memory is taken for each ACK.
    newly: Vec<Newly>,
    pub(super) losses: Vec<u64>,
}

impl Sender {
    /// A sender with nothing to send. The parameters must be valid ([`Config::validate`]).
    pub fn new(config: Arc<Config>) -> Sender {
        assert!(config.validate().is_ok(), "a sender runs with valid parameters only");
        Sender {
            sent: Sent::default(),
            streams: Streams::new(&config),
            rtt: Rtt::new(&config),
            congestion: Congestion::new(&config),
            pacer: Pacer::new(config.initial_window.bytes(config.max_datagram_size)),
            marking: Marking::new(config.ecn || config.path_marks),
            largest_acked: None,
            loss_time: None,
            last_eliciting: None,
            pto_count: 0,
            timer: None,
            paced: None,
            packet_threshold: config.packet_threshold,
            time_threshold: config.time_threshold,
            probed: (0, 0),
            may_exceed: false,
            stats: SenderStats::default(),
            episode: Episode::default(),
            news: News::default(),
            newly: Vec::new(),
            losses: Vec::new(),
            config,
        }
    }

    /// More bytes are written, spread over all streams; `u64::MAX` is a source that never ends.
    pub fn write(&mut self, now: Instant, bytes: u64, out: &mut Vec<Packet>) {
        self.streams.spread(bytes);
        self.begin(now);
        self.transmit(now, out);
        self.streams.shorten();
    }

    /// The same for one stream, below [`Config::streams`].
    pub fn write_to(&mut self, now: Instant, stream: u32, bytes: u64, out: &mut Vec<Packet>) {
        self.streams.write(stream as usize, bytes);
        self.begin(now);
        self.transmit(now, out);
        self.streams.shorten();
    }

    /// Nothing new is sent from now on.
    pub fn stop(&mut self) {
        self.streams.stop();
    }

    /// A packet leaves by hand, past window and pacing.
    pub fn send_by_hand(&mut self, now: Instant, kind: ByHand, size: u32, out: &mut Vec<Packet>) {
        self.begin(now);
        let size = size.min(self.config.max_datagram_size);
        self.emit(now, kind, size, None, false, out);
        self.set_timer();
    }

    /// The next number is not used (RFC 9000 §21.4 has senders do so, to notice ACKs of packets that never were).
    pub fn skip(&mut self, now: Instant) {
        let packet = SentPacket {
            sent_at: now,
            size: 0,
            is_ack_eliciting: false,
            is_in_flight: false,
            codepoint: Codepoint::NotEct,
            chunk: None,
            fate: Fate::Skipped,
        };
        self.sent.push(packet, self.congestion.deliveries().map(|_| Snapshot::default()));
    }

    /// OnAckReceived() of A.7: an ACK arrives. An error ends the connection, and changes nothing.
    pub fn handle_ack(&mut self, now: Instant, ack: &Ack, out: &mut Vec<Packet>) -> Result<(), TransportError> {
        self.begin(now);
        if ack.largest() >= self.sent.next() || self.sent.names_skipped(ack.ranges()) {
            return Err(TransportError::ProtocolViolation);
        }
        let raises = self.largest_acked.is_none_or(|largest| ack.largest() > largest);
        self.largest_acked = self.largest_acked.max(Some(ack.largest()));
        let was_full = self.congestion.is_full();
        let mut newly = std::mem::take(&mut self.newly);
        newly.clear();
        self.sent.acknowledge(ack.ranges(), &mut newly);
        newly.iter().for_each(|one| self.arrives(now, one, ack.largest()));
        if !self.news.spurious.is_empty() {
            newly.retain(|one| !one.was_lost);
        }
        let (is_news, before) = (!newly.is_empty(), out.len());
        if is_news {
            self.take_acks(now, ack, raises, was_full, &newly);
        }
        self.newly = newly;
        self.transmit(now, out);
        if is_news && out.len() == before {
            self.set_timer();
        }
        Ok(())
    }

    /// MAX_DATA and MAX_STREAM_DATA: the peer permits more.
    pub fn permit(&mut self, now: Instant, all: u64, each: &[u64], out: &mut Vec<Packet>) {
        self.streams.permit(all, each.iter().copied());
        self.transmit(now, out);
    }

    /// The flow's path changes. What the law's window then admits leaves at once; laws that do not listen hear nothing.
    pub fn handle_news(&mut self, now: Instant, change: PathChange, out: &mut Vec<Packet>) {
        self.begin(now);
        if self.config.hears_news() || change.base_rtt.is_some() && self.config.hears_base_rtts() {
            self.tell_news(now, change);
            self.transmit(now, out);
        }
    }

    /// The law hears of its path.
    pub(super) fn tell_news(&mut self, now: Instant, change: PathChange) {
        let event = Event { srtt: self.srtt(), in_recovery: self.is_repairing(), ..Event::at(now) };
        self.congestion.handle_news(change, event, &self.config);
    }

    /// Whether packets from before the last cut are outstanding.
    fn is_repairing(&self) -> bool {
        let oldest = self.sent.outstanding(u64::MAX - 1).next().map(|(_, packet)| packet.sent_at);
        oldest.is_some_and(|sent_at| self.congestion.is_in_recovery(sent_at))
    }

    /// OnLossDetectionTimeout() of A.9, and paced packets: the clock has reached `now`.
    pub fn handle_timeout(&mut self, now: Instant, out: &mut Vec<Packet>) {
        self.begin(now);
        match self.timer.filter(|(_, due)| *due <= now) {
            Some((Timer::Loss, _)) => {
                self.detect_losses(now);
                self.set_timer();
            }
            Some(_) => self.probe(now, out),
            None => {}
        }
        self.transmit(now, out);
    }

    /// When [`Sender::handle_timeout`] is to be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.timer.map(|(_, due)| due).into_iter().chain(self.paced).min()
    }

    /// The timers that run, each with the time when it is due.
    pub fn timers(&self) -> impl Iterator<Item = (Timer, Instant)> {
        self.timer.into_iter().chain(self.paced.map(|due| (Timer::Pacing, due)))
    }

    fn begin(&mut self, now: Instant) {
        self.news.acked.clear();
        self.news.lost.clear();
        self.news.spurious.clear();
        self.news.is_persistent = false;
        let (rtt, config) = (&self.rtt, &self.config);
        self.sent.forget(|| {
            let pto = rtt.base(config) + config.peer_max_ack_delay;
            let keeps = persistent_after(rtt, config).max(pto.saturating_mul(3));
            Instant::from_ps(now.ps().saturating_sub(keeps.saturating_mul(2).ps()))
        });
    }

    /// GetPtoTimeAndSpace() of A.8 without the time of the last packet.
    pub(super) fn pto(&self) -> Duration {
        self.rtt.base(&self.config) + self.config.peer_max_ack_delay
    }

    /// SetLossDetectionTimer() of A.8.
    pub(super) fn set_timer(&mut self) {
        self.timer = match (self.loss_time, self.last_eliciting) {
            (Some(due), _) => Some((Timer::Loss, due)),
            (None, Some(last)) if self.sent.is_eliciting() => {
                let times = 1u64 << self.pto_count.min(40);
                Some((Timer::Pto, last + self.pto().saturating_mul(times)))
            }
            _ => None,
        };
    }

    pub(super) fn srtt(&self) -> Option<Duration> {
        self.rtt.measured()
    }

    /// The rate at which packets leave if they are paced.
    pub fn pacing_rate(&self) -> Rate {
        self.congestion.pacing_rate(self.rtt.smoothed, self.srtt(), &self.config)
    }

    /// Asserts what must hold between calls.
    pub(crate) fn check(&self) {
        let in_flight: u64 =
            self.sent.outstanding(u64::MAX - 1).filter(|one| one.1.is_in_flight).map(|one| u64::from(one.1.size)).sum();
        assert_eq!(in_flight, self.congestion.bytes_in_flight, "bytes_in_flight is what is outstanding");
        assert!(self.congestion.window.cwnd >= self.config.minimum_bytes());
        let is_idle = self.timer.is_none() && self.sent.is_eliciting();
        assert!(!is_idle, "what asks for an ACK is waited for");
    }
}
