//! The sender of a TCP flow: its inputs, the fast path of an ACK, and its counters; `readings` shows its state.
//!
//! The effective window is min(cwnd, advertised window), and cwnd never exceeds `max_cwnd`. cwnd grows only when it is
//! what held the flow back: while data that the peer would take wait, or the flight is within a segment of cwnd; so a
//! window that the application, the peer or `max_cwnd` does not let the flow use is not raised (the aim of RFC 7661).

use super::features::{FastPath, SenderFeatures};
use super::phase::Phase;
use super::rack::Rack;
use super::rtt::Rtt;
use super::scoreboard::{Scoreboard, Threshold};
use super::segments::Segments;
use super::spurious::{Cause, SpuriousTracker, Verdict};
use super::stats::Counts;
use super::{Ack, Actions, LossRecovery, SackBlock, Segment, SenderConfig};
use crate::cc::{Event, Host, Law, Window};
use std::sync::Arc;
use units::{Duration, Instant};

/// No place in the flow.
pub(super) const NOWHERE: u64 = u64::MAX;

/// One flow's sender.
///
/// With thousands of flows every ACK finds its sender outside of the cache, so the fields lie in the order of need:
/// what every ACK touches comes first, what the repair of losses needs follows; its host adds 16 bytes in front, which
/// makes four cache lines for an ACK in order and six in all.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    pub(super) rto_at: Instant,
    pub(super) features: Option<Box<SenderFeatures>>,
    pub(super) config: Arc<SenderConfig>,
    /// SND.UNA, the lowest byte not acknowledged.
    pub(super) una: u64,
    /// The byte after the highest one sent (HighData + 1).
    pub(super) nxt: u64,
    /// Bytes the application has written.
    pub(super) written: u64,
    /// The byte after the last one that the peer's window admits.
    pub(super) edge: u64,
    pub(super) window: Window,
    pub(super) phase: Phase,
    pub(super) rtt: Rtt,
    pub(super) law: Law,
    pub(super) last_sent: Instant,
    pub(super) counts: Counts,
    /// Without SACK a fast retransmit is refused until an ACK passes this (RFC 6582's recover, exclusive; 0 lies below
    /// the first byte). What raises it: [`SenderConfig::guard`].
    pub(super) guard: u64,
    /// The byte after the last window probe. What lies between `nxt` and it has been sent without being outstanding.
    pub(super) probe_end: u64,
    /// `una` at the last timeout: its segment has been resent by the timer; [`NOWHERE`] before the first.
    pub(super) timed_out: u64,
    pub(super) scoreboard: Scoreboard,
    pub(super) spurious: SpuriousTracker,
}

impl Sender {
    /// A sender with nothing to send. The parameters must be valid ([`SenderConfig::validate`]).
    pub fn new(config: Arc<SenderConfig>) -> Sender {
        assert!(config.validate().is_ok(), "a sender runs with valid parameters only");
        let cwnd = config.initial_cwnd.bytes(config.mss).min(config.max_cwnd);
        let ssthresh = config.initial_ssthresh.unwrap_or(u64::MAX);
        Sender {
            una: 0,
            nxt: 0,
            written: 0,
            edge: config.initial_peer_window,
            window: Window { cwnd, ssthresh, mss: u64::from(config.mss) },
            phase: Phase::Open,
            rto_at: Instant::NEVER,
            features: SenderFeatures::new(&config),
            rtt: Rtt::new(&config),
            last_sent: Instant::ZERO,
            law: Law::new(config.algorithm, &config.laws),
            counts: Counts::default(),
            guard: 0,
            probe_end: 0,
            timed_out: NOWHERE,
            scoreboard: Scoreboard::default(),
            spurious: SpuriousTracker::default(),
            config,
        }
    }

    /// The application writes `bytes` more; `u64::MAX` is a source that never ends.
    pub fn write(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        self.written = self.written.saturating_add(bytes);
        self.restart_after_idle(now);
        self.transmit(now, actions);
        self.settle_timers(now);
    }

    /// The application writes no more: what it has written and was never sent is forgotten, and what was sent is still
    /// delivered.
    pub fn stop(&mut self) {
        self.written = self.nxt.max(self.probe_end);
    }

    /// An ACK arrives. One that acknowledges what was never sent is ignored.
    pub fn handle_ack(&mut self, now: Instant, ack: &Ack<'_>, actions: &mut Actions) {
        if self.is_plain(ack) {
            self.handle_plain_ack(now, ack, |segment| actions.segments.push(segment));
            self.send_rest(now, actions);
        } else {
            self.handle_other_ack(now, ack, actions);
        }
    }

    /// True for nearly every ACK: new data are acknowledged, and nothing is lost, out of order or being probed. Such an
    /// ACK takes the fast path, [`Sender::handle_plain_ack`] and then [`Sender::send_rest`]; any other the full one,
    /// [`Sender::handle_other_ack`], which would come to the same.
    #[inline(always)]
    pub fn is_plain(&self, ack: &Ack<'_>) -> bool {
        let acked = ack.ack.wrapping_sub(self.una);
        matches!(self.phase, Phase::Open)
            && ack.sack.is_empty()
            && (1..=self.flight_size()).contains(&acked)
            && self.features.as_deref().is_none_or(|features| features.permit_fast_path(ack))
    }

    /// A plain ACK arrives: `send` is shown each full-sized segment that leaves now, unless [`Sender::send_rest`] sends
    /// them all.
    #[inline(always)]
    pub fn handle_plain_ack(&mut self, now: Instant, ack: &Ack<'_>, send: impl FnMut(Segment)) {
        let (acked, is_app_limited) = (ack.ack - self.una, !self.is_cwnd_limited());
        self.edge = ack.ack.saturating_add(ack.window);
        let event = Event { acked, ecn_echo: ack.ecn_echo, is_app_limited, ..Event::at(now) };
        if self.fast_path() == FastPath::WithRecords {
            return self.read_in_order(ack, event);
        }
        let rtt_sample = self.acknowledge(now, ack.ack);
        self.tell_law(Event { rtt_sample, ..event });
        self.send_full_segments(now, send);
    }

    /// After a plain ACK: what leaves besides full-sized segments, where the data end or nothing is outstanding; and
    /// all, where records are kept.
    #[inline]
    pub fn send_rest(&mut self, now: Instant, actions: &mut Actions) {
        if self.fast_path() == FastPath::WithRecords {
            self.send_with_records(now, actions);
        } else if self.una == self.nxt || self.written - self.nxt < self.window.mss {
            self.transmit(now, actions);
        }
    }

    /// The clock has reached `now`: serves the timers that are due.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        self.serve_loss_timers(now, actions);
        self.serve_delay(now, actions);
        let is_released = self.end_hold(now);
        if self.rto_at <= now {
            self.serve_retransmission_timer(now, actions);
        } else if is_released || self.pacer_wake() <= now {
            self.transmit(now, actions);
        }
        self.settle_timers(now);
    }

    /// What the host knows of the link by which the flow leaves. To be called before anything is written.
    pub fn tell_host(&mut self, host: &Host) {
        self.law.on_host(host);
    }

    /// True if its law reckons with what [`Sender::tell_host`] says.
    pub fn asks_of_host(&self) -> bool {
        self.config.algorithm.asks().pacing
    }

    /// A law from outside is told which flow it is of.
    pub fn name_flow(&mut self, flow: u64) {
        if let Law::External(law) = &mut self.law {
            law.set_flow(flow);
        }
    }

    /// When the sender next wants `handle_timeout`.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        let next = self.rto_at.min(self.extras_wake());
        (next != Instant::NEVER).then_some(next)
    }

    /// The flow is over for now: memory that its books have grown to is given back. What they say stays.
    #[cold]
    pub fn give_back_memory(&mut self) {
        self.scoreboard.give_back_memory();
        if let Some(features) = &mut self.features {
            features.segments.iter_mut().for_each(Segments::give_back_memory);
            features.rack.iter_mut().for_each(Rack::give_back_memory);
        }
    }

    /// Asserts what must hold between calls.
    pub(crate) fn check(&self) {
        assert!(self.nxt <= self.written, "only written bytes are sent");
        self.scoreboard.check(self.una, self.nxt, self.window.mss);
        if let Some(segments) = self.segments() {
            segments.check();
        }
        if let Some(reordering) = self.reordering() {
            reordering.check();
        }
        assert!(self.pipe() <= 2 * self.flight_size(), "no byte is in the network more than twice");
    }

    /// The cumulative ACK moves up to `ack`, which is at most `nxt`: RTT sample and timer.
    #[inline]
    pub(super) fn acknowledge(&mut self, now: Instant, ack: u64) -> Option<Duration> {
        self.una = ack;
        let sample = self.rtt.is_measured_by(ack).then(|| self.sample_rtt(now));
        // RFC 6298 §5.2 and §5.3.
        self.rto_at = if self.una == self.nxt { Instant::NEVER } else { now + self.rtt.rto() };
        sample
    }

    #[inline]
    fn sample_rtt(&mut self, now: Instant) -> Duration {
        let sample = self.rtt.finish(now, &self.config);
        self.count_sample(sample);
        sample
    }

    #[inline]
    pub(super) fn count_sample(&mut self, sample: Duration) {
        self.counts.rtt_sum = self.counts.rtt_sum.saturating_add(sample.ps());
        self.counts.rtt_samples += 1;
    }

    /// The connection stands: the round trip of the handshake, or none if the SYN had to be sent again. Then the first
    /// window is one segment (RFC 5681 §3.1) and the timer waits longer (RFC 6298 §5.7).
    pub(super) fn begin(&mut self, now: Instant, round_trip: Option<Duration>) {
        match round_trip {
            Some(round_trip) => {
                self.rtt.sample(round_trip, &self.config);
                self.count_sample(round_trip);
                self.tell_rack_of_handshake(now, round_trip);
            }
            None => {
                self.window.cwnd = self.window.cwnd.min(self.window.mss);
                self.rtt.note_lost_syn(&self.config);
            }
        }
    }

    pub(super) fn recovery(&self) -> LossRecovery {
        self.config.loss_recovery()
    }

    pub(super) fn threshold(&self) -> Threshold {
        Threshold::new(self.dupthresh(), self.config.mss)
    }

    /// A segment leaves: RFC 6298 §5.1.
    #[inline]
    pub(super) fn send(&mut self, now: Instant, segment: Segment, actions: &mut Actions) {
        actions.segments.push(segment);
        self.note_queued(segment.len);
        self.note_reduction(segment.len);
        self.note_sent(now, 1);
    }

    /// The books of `segments` that left.
    #[inline]
    pub(super) fn note_sent(&mut self, now: Instant, segments: u64) {
        self.counts.segments_sent += segments;
        self.last_sent = now;
        if self.rto_at == Instant::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
    }

    /// A verdict of the tracker enters the statistics.
    fn count_false(&mut self, verdict: Option<Verdict>) {
        let Some(verdict) = verdict else { return };
        match verdict.cause {
            Cause::FastRetransmit => self.counts.false_fast_retransmits += 1,
            Cause::Timeout => self.counts.false_timeouts += 1,
        }
        self.undo_by_dsack(verdict);
    }

    /// Closes the running episode and opens the next.
    pub(super) fn open_episode(&mut self, cause: Cause) {
        self.close_episode();
        self.spurious.open(cause, self.una);
    }

    /// The running episode is over; D-SACKs for it are awaited for two more windows.
    pub(super) fn close_episode(&mut self) {
        let expires = self.nxt.saturating_add(2 * self.window.mss.max(self.nxt - self.una));
        let verdict = self.spurious.close(expires);
        self.count_false(verdict);
    }

    /// True if D-SACKs have come for all that the running episode has sent again.
    pub(super) fn is_episode_needless(&self) -> bool {
        self.spurious.is_needless()
    }

    /// The running episode retransmits `block`.
    pub(super) fn record_retransmission(&mut self, block: SackBlock) {
        self.spurious.record(block);
    }

    /// A D-SACK block arrives.
    pub(super) fn read_dsack(&mut self, block: SackBlock, una: u64) {
        let is_networks = block.start >= self.probe_end && self.spurious.is_first_copy(block);
        self.note_dsack(una, is_networks);
        let verdict = self.spurious.report(block, una);
        self.count_false(verdict);
        // Linux does not wait for the end of the recovery.
        if self.recovery() == LossRecovery::Linux && self.is_episode_needless() {
            self.abandon_recovery();
        }
    }
}
