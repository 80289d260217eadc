//! The full path of an ACK, in each phase and with each loss recovery, and the go-back after a timeout.
//!
//! How losses are repaired is chosen apart from the window law. Each recovery is a file here that answers the questions
//! of [`Recovery`]; `by_recovery!` is the only place that names them all.
//!
//! After a timeout everything outstanding counts as lost. HighRxt starts again at SND.UNA and walks up over what the
//! scoreboard does not cover, in slow start; the phase ends when the ACK reaches what had been sent at the timeout.

mod delayed;
mod duplicates;
mod in_order;
mod rack;
mod reordering;
mod sack;

use self::delayed::TdFr;
use self::duplicates::{NewReno, Reno};
use self::rack::RackTlp;
use self::reordering::RrTcp;
use self::sack::Sack;
use super::frto::News;
use super::phase::{Disorder, FastRecovery, Phase, Repair};
use super::segment::split_dsack;
use super::spurious::Cause;
use super::transmit::Next;
use super::{Ack, Actions, FastRetransmitGuard, SackBlock, Sender};
use crate::cc::{Event, LossCause, LossRecovery, RateSample};
use units::{Duration, Instant};

/// A loss recovery: it notices and repairs losses that need no timer. It keeps no state of its own besides the
/// sender's.
trait Recovery {
    /// True if an ACK that newly SACKs `sacked` bytes says that something arrived out of order.
    fn is_duplicate(sender: &Sender, ack: &Ack<'_>, sacked: u64) -> bool;

    /// True if this number of duplicate ACKs shows a loss.
    fn shows_loss(sender: &Sender, dup_acks: u32) -> bool;

    /// The window has been cut for a loss, and its repair begins.
    fn begin(sender: &mut Sender);

    /// An ACK of new data in fast recovery, before which the timer stood at `timer`.
    fn on_new_ack(sender: &mut Sender, state: FastRecovery, event: &Event, timer: Instant);

    /// A duplicate ACK in fast recovery.
    fn on_duplicate_ack(sender: &mut Sender);

    /// The bytes in the network while something is out of order or being repaired.
    fn pipe(sender: &Sender) -> u64;

    /// Grows whenever something more is found lost.
    fn losses_found(_: &Sender) -> u64 {
        0
    }

    /// The length of the new segment that duplicate ACKs let leave before a loss has shown.
    fn limited_transmit(sender: &Sender, disorder: Disorder) -> Option<u64>;

    /// The next segment in fast recovery, once the first repair has left.
    fn next_segment(sender: &Sender, state: FastRecovery) -> Option<Next>;

    /// The fast retransmit, and what a partial ACK asks for.
    fn first_repair(sender: &Sender) -> Option<Next> {
        sender.first_repair()
    }

    /// The bytes in the network after a timeout, of which those below `recover` count as lost until they are sent
    /// again.
    fn pipe_after_timeout(sender: &Sender, recover: u64) -> u64 {
        sender.scoreboard.pipe_after_timeout(sender.una, sender.nxt, recover)
    }

    /// The next segment after a timeout.
    fn next_after_timeout(sender: &mut Sender, recover: u64) -> Option<Next> {
        sender.next_after_timeout(recover)
    }

    /// An ACK has come that is not plain, and nothing of it has been read.
    fn before_ack(_: &mut Sender, _: Instant, _: &Ack<'_>) {}

    /// The retransmission timer has expired, and nothing has changed yet.
    fn before_timeout(_: &mut Sender, _: Instant) {}

    /// An ACK has been read, and what it says about the phase is done.
    fn after_ack(_: &mut Sender, _: Instant, _: &Ack<'_>, _acked: u64) {}

    /// Whatever was to be sent has been.
    fn after_transmit(_: &mut Sender, _: Instant) {}
}

/// The answer of a sender's loss recovery.
macro_rules! by_recovery {
    ($sender:expr, $question:ident($($argument:expr),*)) => {
        match $sender.recovery() {
            LossRecovery::Reno => Reno::$question($sender, $($argument),*),
            LossRecovery::NewReno => NewReno::$question($sender, $($argument),*),
            LossRecovery::Sack => Sack::$question($sender, $($argument),*),
            LossRecovery::RrTcp => RrTcp::$question($sender, $($argument),*),
            LossRecovery::TdFr => TdFr::$question($sender, $($argument),*),
            LossRecovery::Rack | LossRecovery::Linux => RackTlp::$question($sender, $($argument),*),
        }
    };
}

impl Sender {
    /// The full path: any ACK, in any phase.
    pub fn handle_other_ack(&mut self, now: Instant, ack: &Ack<'_>, actions: &mut Actions) {
        if !self.admit(ack.ack) {
            return;
        }
        by_recovery!(self, before_ack(now, ack));
        let is_app_limited = !self.is_cwnd_limited();
        let acked = ack.ack.saturating_sub(self.una);
        let sacked = self.read_sack(ack);
        let duplicate = by_recovery!(self, is_duplicate(ack, sacked));
        let edge = self.edge;
        if ack.ack >= self.una {
            self.move_edge(ack.ack.saturating_add(ack.window));
        }
        if acked == 0 {
            self.restart_timer_for_sack(now);
        }
        let (rtt_sample, rate_sample) = self.read_records(now, ack.ack);
        let marked = self.read_marks(now, ack, acked, sacked);
        let ecn_echo = ack.ecn_echo || marked > 0;
        let follows_timeout = matches!(self.phase, Phase::TimeoutRecovery { .. });
        let event =
            Event { acked, rtt_sample, sacked, rate_sample, ecn_echo, marked, is_app_limited, ..Event::at(now) };
        self.answer_mark(now, ack.ack, marked);
        match acked > 0 {
            true => self.on_new_ack(ack.ack, event),
            false => self.tell_more(event),
        }
        if duplicate {
            self.on_duplicate_ack(now);
        }
        if follows_timeout {
            self.judge_timeout(ack, News { event, is_duplicate: duplicate, edge });
        }
        by_recovery!(self, after_ack(now, ack, acked));
        self.reduce();
        self.transmit(now, actions);
        by_recovery!(self, after_transmit(now));
    }

    /// The retransmission timer has expired, and nothing has changed yet.
    pub(super) fn prepare_timeout(&mut self, now: Instant) {
        by_recovery!(self, before_timeout(now));
    }

    /// The next segment after a timeout, before which everything below `recover` had been sent.
    pub(super) fn next_segment_after_timeout(&mut self, recover: u64) -> Option<Next> {
        match self.forward_segment() {
            Some(next) => next,
            None => by_recovery!(self, next_after_timeout(recover)),
        }
    }

    /// Data have been written, or a timer has been served.
    pub(super) fn settle_timers(&mut self, now: Instant) {
        by_recovery!(self, after_transmit(now));
    }

    /// Update() of RFC 6675, and the D-SACK block of RFC 2883 §4. Returns the bytes newly known to be held. Blocks that
    /// are inverted, cover bytes never sent or reach down to the ACK are ignored.
    fn read_sack(&mut self, ack: &Ack<'_>) -> u64 {
        let una = self.una.max(ack.ack);
        let (duplicate, blocks) = split_dsack(ack);
        if let Some(block) = duplicate {
            self.read_dsack(block, una);
            self.tell_rack_of_dsack(block, una);
        }
        if !self.config.reads_sack() {
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
        let segments = self.features.as_mut().and_then(|features| features.segments.as_mut());
        let Some(segments) = segments else { return self.scoreboard.insert(block, self.nxt - una, self.config.mss) };
        if self.scoreboard.covers(block) {
            return 0;
        }
        segments.note_holes(block, &self.scoreboard);
        let news = self.scoreboard.insert(block, self.nxt - una, self.config.mss);
        match news {
            // The scoreboard has refused the block.
            0 => segments.forget_holes(),
            _ => segments.fill_holes(&self.scoreboard),
        }
        news
    }

    /// The round trip and the delivery rate that an ACK of everything below `ack`, whose blocks have been read, shows
    /// by the records of segments.
    fn read_records(&mut self, now: Instant, ack: u64) -> (Option<Duration>, Option<RateSample>) {
        let config = &self.config;
        let Some(features) = self.features.as_deref_mut() else { return (None, None) };
        let echo = features.timestamps.as_mut().and_then(|timestamps| timestamps.of_ack(ack > self.una));
        let Some(segments) = &mut features.segments else { return (None, None) };
        segments.advance(ack);
        if let Some(rack) = &mut features.rack {
            rack.update(now, segments.reported(), |sent_at| echo.is_some_and(|echo| echo < config.stamp(sent_at)));
        }
        let mut rtt = if features.times_segments { segments.round_trip(now) } else { None };
        if let Some(timestamps) = features.timestamps.as_mut().filter(|_| config.loss_recovery() == LossRecovery::Linux)
        {
            rtt = timestamps.read_own(segments.unambiguous_round_trips(now), ack > self.una);
        }
        (rtt, segments.sample(now))
    }

    /// Tells the law of an ACK if it asks for every one.
    fn tell_more(&mut self, event: Event) {
        if self.config.algorithm.asks().every_ack {
            self.tell_law_in_full(Event { in_recovery: matches!(self.phase, Phase::FastRecovery(_)), ..event });
        }
    }

    /// The law is told of an ACK outside of fast recovery. One that echoes a mark raises no window (RFC 3168 §6.1.2),
    /// unless the law counts marks.
    fn let_grow(&mut self, event: Event) {
        match event.marked > 0 && !self.answers_marks_itself() {
            true => self.tell_more(event),
            false => self.tell_law_in_full(event),
        }
    }

    /// The cumulative ACK moves to `ack`.
    fn on_new_ack(&mut self, ack: u64, event: Event) {
        let timer = self.timer();
        let echoed = self.measure_with_timestamps(event.now);
        let timed = self.acknowledge(event.now, ack);
        let sample = echoed.or(timed);
        let event = Event { rtt_sample: event.rtt_sample.or(sample), ..event };
        self.scoreboard.advance(ack);
        self.settle_reports();
        if matches!(self.phase, Phase::FastRecovery(_)) {
            self.tell_more(event);
        }
        match self.phase {
            Phase::Open | Phase::Disorder(_) => {
                self.restore_phase();
                self.let_grow(event);
            }
            Phase::TimeoutRecovery { recover } => {
                self.let_grow(event);
                self.end_recovery_at(recover);
            }
            Phase::FastRecovery(state) => by_recovery!(self, on_new_ack(state, &event, timer)),
        }
        self.settle_undo(event.now, sample);
    }

    /// A duplicate ACK.
    fn on_duplicate_ack(&mut self, now: Instant) {
        match self.phase {
            Phase::Open => {
                self.scoreboard.set_high_rxt(self.una);
                self.count_duplicate(now, Disorder::default());
            }
            Phase::Disorder(disorder) => self.count_duplicate(now, disorder),
            Phase::FastRecovery(_) => by_recovery!(self, on_duplicate_ack()),
            Phase::TimeoutRecovery { .. } => {}
        }
    }

    /// One more duplicate ACK after those of `disorder`.
    fn count_duplicate(&mut self, now: Instant, disorder: Disorder) {
        let dup_acks = disorder.dup_acks.saturating_add(1);
        self.phase = Phase::Disorder(Disorder { dup_acks, ..disorder });
        if by_recovery!(self, shows_loss(dup_acks)) {
            self.note_runs();
            self.enter_fast_recovery(now, LossCause::FastRetransmit);
        }
    }

    /// Grows whenever something more is found lost.
    pub(super) fn losses_found(&self) -> u64 {
        by_recovery!(self, losses_found())
    }

    /// The bytes in the network as the loss recovery counts them.
    pub fn pipe(&self) -> u64 {
        match self.phase {
            Phase::TimeoutRecovery { recover } => by_recovery!(self, pipe_after_timeout(recover)),
            Phase::Disorder(_) | Phase::FastRecovery(_) => by_recovery!(self, pipe()),
            Phase::Open => self.flight_size(),
        }
    }

    /// New data on duplicate ACKs. On an ACK that is no duplicate all leave RFC 5681 §3.1: nothing above una + cwnd.
    pub(super) fn limited_transmit(&self, disorder: Disorder) -> Option<u64> {
        match self.config.limited_transmit && disorder.dup_acks > 0 {
            true => by_recovery!(self, limited_transmit(disorder)),
            false => self.new_data(self.flight_size(), self.window.cwnd),
        }
    }

    /// The next segment in fast recovery: the first repair, which no window holds back, before all.
    pub(super) fn next_in_fast_recovery(&self, state: FastRecovery) -> Option<Next> {
        match state.repair {
            Repair::Due => by_recovery!(self, first_repair()),
            Repair::Sent => by_recovery!(self, next_segment(state)),
        }
    }

    /// Starts to repair a loss that did not need the timer to show.
    pub(super) fn enter_fast_recovery(&mut self, now: Instant, cause: LossCause) {
        self.counts.fast_retransmits += 1;
        let before = self.deflated_cwnd();
        match self.has_answered_mark() {
            true => self.set_cwnd(self.window.cwnd.min(self.window.ssthresh)),
            false => self.lose(now, cause, self.flight_for_cut()),
        }
        by_recovery!(self, begin());
        self.begin_reduction(before);
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

    /// FlightSize as the cut of ssthresh uses it: RFC 3042 and RFC 5681 §3.2 step 2 leave out what Limited Transmit
    /// sent. While losses are being repaired, what SACK or duplicate ACKs show to have left is not in flight, nor after
    /// a timeout what has not been sent again: RFC 5681 eq. (4) is an upper bound ("no more than"), and a window that
    /// grew by duplicate ACKs would otherwise leave more than the path holds. Laws that measure read from it what is
    /// outstanding.
    pub(super) fn flight_for_cut(&self) -> u64 {
        match self.phase {
            Phase::Open => self.flight_size(),
            Phase::Disorder(disorder) => self.flight_size().saturating_sub(disorder.limited_bytes),
            Phase::FastRecovery(_) if self.config.algorithm.asks().model => self.flight_size(),
            Phase::FastRecovery(_) | Phase::TimeoutRecovery { .. } => self.pipe(),
        }
    }

    /// Leaves the recovery if everything below `recover` is acknowledged.
    fn end_recovery_at(&mut self, recover: u64) {
        if self.una >= recover {
            self.close_episode();
            if matches!(self.phase, Phase::FastRecovery(_)) {
                self.end_reduction();
            }
            if let Some(rack) = self.rack_mut() {
                rack.end_recovery();
            }
            self.restore_phase();
        }
    }

    /// The recovery turns out to be spurious: nothing more is sent again, and duplicate ACKs show losses at once (RFC
    /// 5682 §2.1 step 3b).
    pub(super) fn abandon_recovery(&mut self) {
        self.close_episode();
        self.guard = 0;
        if let Some(features) = self.features.as_deref_mut()
            && let Some(segments) = &mut features.segments
        {
            segments.find_again();
            if let Some(rack) = &mut features.rack {
                rack.find_again(segments);
            }
        }
        self.restore_phase();
    }

    /// The phase outside of recovery after an ACK of new data; HighRxt returns to HighACK (RFC 6675 §5 step 3.1).
    pub(super) fn restore_phase(&mut self) {
        self.scoreboard.set_high_rxt(self.una);
        self.phase = match self.scoreboard.is_empty() && !self.has_probed() {
            true => Phase::Open,
            false => Phase::Disorder(Disorder::default()),
        };
    }
}
