//! What an ACK means in each phase: Reno (RFC 5681 §3.2), NewReno (RFC 6582), SACK (RFC 6675), and the go-back after a
//! timeout.
//!
//! After a timeout everything outstanding counts as lost. HighRxt starts again at SND.UNA and walks up over what the
//! scoreboard does not cover, in slow start; the phase ends when the ACK reaches what had been sent at the timeout.

use super::spurious::Cause;
use super::{Ack, Actions, FastRetransmitGuard, PartialAckTimer, SackBlock, Sender};
use crate::cc::{Event, LossCause, LossRecovery, RateSample};
use units::Instant;

/// What the sender is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing is amiss: no duplicate ACK, nothing SACKed, no window probe.
    Open,
    /// Something arrived out of order: duplicate ACKs since the last new one, and the segments Limited Transmit sent on
    /// them. Also, without either, while bytes of window probes are to be sent again.
    Disorder(Disorder),
    /// Losses noticed by duplicate ACKs or SACK are being repaired.
    FastRecovery(FastRecovery),
    /// What was outstanding when the timer expired, all below `recover`, is being sent again.
    TimeoutRecovery { recover: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FastRecovery {
    /// The byte after the highest one sent at entry: RFC 6582's recover, RFC 6675's RecoveryPoint.
    pub(super) recover: u64,
    /// RescueRxt, exclusive.
    pub(super) rescue: u64,
    pub(super) repair: Repair,
    pub(super) partial_ack_seen: bool,
}

/// Duplicate ACKs since the last new one, and what Limited Transmit sent on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disorder {
    pub(super) dup_acks: u32,
    pub(super) limited_segments: u32,
    pub(super) limited_bytes: u64,
}

/// The retransmission of the first unacknowledged segment, which no window holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    Due,
    Sent,
}

impl Sender {
    /// Any ACK, in any phase.
    pub(super) fn handle_ack_in_full(&mut self, now: Instant, ack: &Ack<'_>, actions: &mut Actions) {
        if !self.admit(ack.ack) {
            return;
        }
        let is_app_limited = !self.is_cwnd_limited();
        let acked = ack.ack.saturating_sub(self.una);
        let sacked = self.read_sack(ack);
        let duplicate = self.is_duplicate(ack, sacked);
        if ack.ack >= self.una {
            self.move_edge(ack.ack.saturating_add(ack.window));
        }
        let rate_sample = self.sample_rate(now, ack.ack);
        let event = Event { acked, sacked, rate_sample, ecn_echo: ack.ecn_echo, is_app_limited, ..Event::at(now) };
        match acked > 0 {
            true => self.on_new_ack(ack.ack, event),
            false => self.tell_more(event),
        }
        if duplicate {
            self.on_duplicate_ack(now);
        }
        self.transmit(now, actions);
    }

    /// RFC 6675 §2: with SACK, news about bytes above the ACK. RFC 5681 §2: without, the same ACK and window while data
    /// are outstanding.
    fn is_duplicate(&self, ack: &Ack<'_>, newly_sacked: u64) -> bool {
        match self.recovery() {
            LossRecovery::Sack => newly_sacked > 0,
            LossRecovery::Reno | LossRecovery::NewReno => {
                let first = self.una == 0 && self.edge == self.config.initial_peer_window;
                let same_window = first || ack.ack.saturating_add(ack.window) == self.edge;
                ack.ack == self.una && self.una < self.nxt && same_window
            }
        }
    }

    /// Update() of RFC 6675, and the D-SACK block of RFC 2883 §4. Returns the bytes newly known to be held. Blocks that
    /// are inverted, cover bytes never sent or reach down to the ACK are ignored.
    fn read_sack(&mut self, ack: &Ack<'_>) -> u64 {
        let una = self.una.max(ack.ack);
        let (duplicate, blocks) = split_dsack(ack);
        if let Some(block) = duplicate {
            self.read_dsack(block, una);
        }
        if self.recovery() != LossRecovery::Sack {
            return 0;
        }
        let (mut news, nxt) = (0, self.nxt);
        for &block in blocks.iter().filter(|block| block.start > una && block.end <= nxt && !block.is_empty()) {
            news += self.cover(block, una);
        }
        news
    }

    /// The receiver holds `block`. Returns the bytes of it that the scoreboard did not know.
    fn cover(&mut self, block: SackBlock, una: u64) -> u64 {
        let segments = self.extras.as_mut().and_then(|extras| extras.segments.as_mut());
        let Some(segments) = segments else { return self.scoreboard.insert(block, self.nxt - una, self.config.mss) };
        segments.note_holes(block, &self.scoreboard);
        let news = self.scoreboard.insert(block, self.nxt - una, self.config.mss);
        segments.fill_holes(&self.scoreboard);
        news
    }

    /// The delivery rate that an ACK of everything below `ack`, whose blocks have been read, shows.
    fn sample_rate(&mut self, now: Instant, ack: u64) -> Option<RateSample> {
        let segments = self.segments_mut()?;
        segments.advance(ack);
        segments.sample(now)
    }

    /// What only those laws hear that ask for every ACK.
    fn tell_more(&mut self, event: Event) {
        if self.config.algorithm.asks().every_ack {
            self.tell_law_in_full(Event { in_recovery: matches!(self.phase, Phase::FastRecovery(_)), ..event });
        }
    }

    /// The cumulative ACK moves to `ack`.
    fn on_new_ack(&mut self, ack: u64, event: Event) {
        let timer = self.timer();
        let event = Event { rtt_sample: self.acknowledge(event.now, ack), ..event };
        self.scoreboard.advance(ack);
        self.settle_reports();
        if matches!(self.phase, Phase::FastRecovery(_)) {
            self.tell_more(event);
        }
        match (self.phase, self.recovery()) {
            (Phase::Open | Phase::Disorder(_), _) => {
                self.settle();
                self.tell_law_in_full(event);
            }
            (Phase::TimeoutRecovery { recover }, _) => {
                self.tell_law_in_full(event);
                self.end_recovery_at(recover);
            }
            (Phase::FastRecovery(_), LossRecovery::Reno) => {
                // RFC 5681 §3.2 step 6, whatever of the window is still missing.
                self.set_cwnd(self.law.cwnd_after_recovery(&self.window));
                self.end_recovery_at(ack);
            }
            (Phase::FastRecovery(state), LossRecovery::NewReno) if ack >= state.recover => {
                let deflated = self.law.cwnd_after_recovery(&self.window);
                self.set_cwnd(deflated.min(self.flight_size().max(self.window.mss) + self.window.mss));
                self.end_recovery_at(state.recover);
            }
            (Phase::FastRecovery(state), LossRecovery::NewReno) => self.on_partial_ack(event.acked, state, timer),
            // RFC 6675 §5 step A; cwnd stays at ssthresh.
            (Phase::FastRecovery(state), LossRecovery::Sack) => self.end_recovery_at(state.recover),
        }
    }

    /// RFC 6582 §3.2 step 3, partial acknowledgements.
    fn on_partial_ack(&mut self, acked: u64, state: FastRecovery, timer: Instant) {
        let mss = self.window.mss;
        let deflated = self.window.cwnd.saturating_sub(acked);
        let added = if acked >= mss { mss } else { 0 };
        self.set_cwnd((deflated + added).max(mss));
        self.scoreboard.set_high_rxt(self.una);
        self.phase = Phase::FastRecovery(FastRecovery { repair: Repair::Due, partial_ack_seen: true, ..state });
        if state.partial_ack_seen && self.config.partial_ack_timer == PartialAckTimer::Impatient {
            self.keep_timer(timer);
        }
    }

    /// A duplicate ACK.
    fn on_duplicate_ack(&mut self, now: Instant) {
        match (self.phase, self.recovery()) {
            (Phase::Open, _) => {
                self.scoreboard.set_high_rxt(self.una);
                self.count_duplicate(now, Disorder::default());
            }
            (Phase::Disorder(disorder), _) => self.count_duplicate(now, disorder), // RFC 5681 §3.2 step 4: a segment has left the network.
            (Phase::FastRecovery(_), LossRecovery::Reno | LossRecovery::NewReno) => {
                self.set_cwnd(self.window.cwnd.saturating_add(self.window.mss));
            }
            (Phase::FastRecovery(_), LossRecovery::Sack) | (Phase::TimeoutRecovery { .. }, _) => {}
        }
    }

    /// One more duplicate ACK after those of `disorder`: RFC 5681 §3.2 step 2, RFC 6675 §5 steps 1 and 2.
    fn count_duplicate(&mut self, now: Instant, disorder: Disorder) {
        let dup_acks = disorder.dup_acks.saturating_add(1);
        self.phase = Phase::Disorder(Disorder { dup_acks, ..disorder });
        let enough = match self.recovery() {
            LossRecovery::Reno | LossRecovery::NewReno => dup_acks >= self.config.dupthresh && self.is_past_guard(),
            LossRecovery::Sack => {
                dup_acks >= self.config.dupthresh || self.scoreboard.is_lost(self.una, self.threshold())
            }
        };
        if enough {
            self.note_runs();
            self.enter_fast_recovery(now, LossCause::FastRetransmit);
        }
    }

    /// RFC 6582 §3.2 step 2: the ACK covers more than recover.
    fn is_past_guard(&self) -> bool {
        self.guard == 0 || self.una > self.guard
    }

    /// Starts to repair a loss that did not need the timer to show.
    pub(super) fn enter_fast_recovery(&mut self, now: Instant, cause: LossCause) {
        self.counts.fast_retransmits += 1;
        self.lose(now, cause, self.flight_for_cut());
        // RFC 5681 §3.2 step 3: the segments that the duplicate ACKs show have left.
        if self.recovery() != LossRecovery::Sack {
            let left = u64::from(self.config.dupthresh) * self.window.mss;
            self.set_cwnd(self.window.cwnd.saturating_add(left));
        }
        if self.config.guard() == FastRetransmitGuard::Recovery {
            self.guard = self.nxt;
        }
        self.scoreboard.set_high_rxt(self.una);
        self.open_episode(Cause::FastRetransmit);
        self.phase = Phase::FastRecovery(FastRecovery {
            recover: self.nxt,
            rescue: self.una,
            repair: Repair::Due,
            partial_ack_seen: false,
        });
    }

    /// FlightSize as the cut of ssthresh uses it: RFC 3042 and RFC 5681 §3.2 step 2 leave out what Limited Transmit sent;
    /// after a timeout what has not been sent again is not in flight.
    pub(super) fn flight_for_cut(&self) -> u64 {
        match self.phase {
            Phase::Disorder(disorder) => self.flight_size().saturating_sub(disorder.limited_bytes),
            Phase::TimeoutRecovery { .. } => self.pipe(),
            Phase::Open | Phase::FastRecovery(_) => self.flight_size(),
        }
    }

    /// Leaves the recovery if everything below `recover` is acknowledged.
    fn end_recovery_at(&mut self, recover: u64) {
        if self.una >= recover {
            self.close_episode();
            self.settle();
        }
    }

    /// The phase outside of recovery after an ACK of new data; HighRxt returns to HighACK (RFC 6675 §5 step 3.1).
    pub(super) fn settle(&mut self) {
        self.scoreboard.set_high_rxt(self.una);
        self.phase = match self.scoreboard.is_empty() && !self.has_probed() {
            true => Phase::Open,
            false => Phase::Disorder(Disorder::default()),
        };
    }
}

/// Takes the D-SACK block off the front: RFC 2883 §4, §5: it lies below the ACK, or within the second block.
fn split_dsack<'a>(ack: &Ack<'a>) -> (Option<SackBlock>, &'a [SackBlock]) {
    match *ack.sack {
        [first, ref rest @ ..] if first.end <= ack.ack => (Some(first), rest),
        [first, second, ..] if second.contains(first) => (Some(first), &ack.sack[1..]),
        _ => (None, ack.sack),
    }
}
