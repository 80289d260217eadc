//! Recovery with RACK-TLP: RFC 8985. What it knows of the flow is [`Rack`]; here is what the sender does with it.
//!
//! The window is RFC 6675's: something may leave while cwnd − pipe ≥ SMSS, where pipe is what is outstanding and
//! neither SACKed nor lost. Lost segments leave before new data. The first repair, and after a timeout the first
//! segment, leave whatever the window is.

use super::Recovery;
use crate::cc::{Event, LossCause, LossRecovery};
use crate::tcp::features::SenderFeatures;
use crate::tcp::phase::{Disorder, FastRecovery, Phase};
use crate::tcp::rack::{Rack, Situation, wait_for_ack};
use crate::tcp::segments::Segments;
use crate::tcp::transmit::Next;
use crate::tcp::{Ack, Actions, SackBlock, Sender};
use units::{Duration, Instant};

/// RFC 8985.
pub(super) struct RackTlp;

impl Recovery for RackTlp {
    fn is_duplicate(_: &Sender, _: &Ack<'_>, sacked: u64) -> bool {
        sacked > 0
    }

    /// Time shows it, and not a number of ACKs.
    fn shows_loss(_: &Sender, _: u32) -> bool {
        false
    }

    fn begin(sender: &mut Sender) {
        if let Some(rack) = sender.rack_mut() {
            rack.probe.reset();
        }
    }

    fn on_new_ack(sender: &mut Sender, state: FastRecovery, _: &Event, _: Instant) {
        sender.end_recovery_at(state.recover);
    }

    fn on_duplicate_ack(_: &mut Sender) {}

    fn pipe(sender: &Sender) -> u64 {
        let lost = sender.segments().map_or(0, Segments::lost);
        sender.flight_size().saturating_sub(sender.scoreboard.sacked()).saturating_sub(lost)
    }

    fn losses_found(sender: &Sender) -> u64 {
        sender.segments().map_or(0, Segments::losses_found)
    }

    fn limited_transmit(sender: &Sender, _: Disorder) -> Option<u64> {
        sender.new_data(sender.pipe(), sender.window.cwnd)
    }

    fn next_segment(sender: &Sender, _: FastRecovery) -> Option<Next> {
        next_in_window(sender)
    }

    fn first_repair(sender: &Sender) -> Option<Next> {
        first_lost(sender).map(Next::Lost).or_else(|| next_in_window(sender))
    }

    fn pipe_after_timeout(sender: &Sender, _: u64) -> u64 {
        RackTlp::pipe(sender)
    }

    fn next_after_timeout(sender: &mut Sender, _: u64) -> Option<Next> {
        let first = first_lost(sender).filter(|block| block.start == sender.una && sender.timed_out == sender.una);
        first.map(Next::Lost).or_else(|| next_in_window(sender))
    }

    /// §6.2 step 5 and §7.4.
    fn after_ack(sender: &mut Sender, now: Instant, ack: &Ack<'_>, acked: u64) {
        let una = sender.una;
        let Some(rack) = sender.rack_mut() else { return };
        rack.end_round(una);
        rack.probe.is_to_schedule |= acked > 0;
        let is_plain_duplicate = acked == 0 && ack.ack == una && ack.sack.is_empty();
        if rack.probe.has_repaired(una, is_plain_duplicate) && matches!(sender.phase, Phase::Open | Phase::Disorder(_))
        {
            sender.lose(now, LossCause::FastRetransmit, sender.flight_for_cut());
            sender.forget_window();
        }
        sender.detect_losses(now);
    }

    /// §7.2: a probe is scheduled while nothing is SACKed and nothing is being repaired.
    fn after_transmit(sender: &mut Sender, now: Instant) {
        let (phase, flight, srtt) = (sender.phase, sender.flight_size(), sender.rtt.srtt());
        let Some(rack) = sender.features.as_deref_mut().and_then(|features| features.rack.as_mut()) else { return };
        let is_to_schedule = std::mem::take(&mut rack.probe.is_to_schedule);
        match srtt {
            Some(srtt) if flight > 0 && matches!(phase, Phase::Open) && rack.probe.is_allowed() => {
                if is_to_schedule {
                    rack.schedule_probe(now, srtt, sender.rto_at, wait_for_ack(&sender.config, flight));
                }
            }
            _ => rack.probe.timer = Instant::NEVER,
        }
    }
}

/// The first lost segment.
fn first_lost(sender: &Sender) -> Option<SackBlock> {
    sender.segments()?.first_lost()
}

/// The segment that the window lets leave: a lost one, or new data.
fn next_in_window(sender: &Sender) -> Option<Next> {
    // Something is being repaired or out of order: the question goes to nobody else.
    let pipe = RackTlp::pipe(sender);
    if sender.window.cwnd.saturating_sub(pipe) < sender.window.mss {
        return None;
    }
    let new_data = || sender.new_data(pipe, sender.window.cwnd).map(|len| Next::NewData { len });
    first_lost(sender).map(Next::Lost).or_else(new_data)
}

impl Sender {
    fn situation(&self, now: Instant) -> Situation {
        let in_recovery = matches!(self.phase, Phase::FastRecovery(_) | Phase::TimeoutRecovery { .. });
        Situation { now, srtt: self.rtt.srtt(), in_recovery }
    }

    pub(super) fn rack_and_segments(&mut self) -> Option<(&mut Rack, &mut Segments)> {
        match self.features.as_deref_mut() {
            Some(SenderFeatures { rack: Some(rack), segments: Some(segments), .. }) => Some((rack, segments)),
            _ => None,
        }
    }

    fn detect_late(&mut self, situation: Situation) -> u64 {
        match self.features.as_deref_mut() {
            Some(SenderFeatures { rack: Some(rack), segments: Some(segments), divisions, .. }) => {
                rack.detect(situation, segments, divisions.as_deref());
                segments.lost()
            }
            _ => 0,
        }
    }

    /// RACK_detect_loss_and_arm_timer(); a loss outside of a recovery begins one.
    pub(super) fn detect_losses(&mut self, now: Instant) {
        let situation = self.situation(now);
        let lost = self.detect_late(situation);
        if lost > 0 && !situation.in_recovery {
            self.enter_fast_recovery(now, LossCause::FastRetransmit);
        }
    }

    /// RACK_mark_losses_on_RTO(): §6.3.
    pub(in crate::tcp) fn mark_lost_after_timeout(&mut self, now: Instant) {
        let situation = self.situation(now);
        if let Some((rack, segments)) = self.rack_and_segments() {
            rack.mark_after_timeout(situation, segments);
        }
    }

    /// The reordering timer or the probe timer is due.
    pub(in crate::tcp) fn serve_loss_timers(&mut self, now: Instant, actions: &mut Actions) {
        if self.rack().is_some_and(|rack| rack.wake() <= now) {
            self.serve_probe_timer(now, actions);
            self.serve_reordering_timer(now, actions);
        }
    }

    /// The probe timer, if it is due.
    pub(in crate::tcp) fn serve_probe_timer(&mut self, now: Instant, actions: &mut Actions) {
        let Some(rack) = self.rack_mut().filter(|rack| rack.probe.timer <= now) else { return };
        rack.probe.timer = Instant::NEVER;
        self.send_loss_probe(now, actions);
        // §7.3: whether or not a probe has left.
        self.restart_timer(now);
    }

    /// The reordering timer, if it is due.
    pub(in crate::tcp) fn serve_reordering_timer(&mut self, now: Instant, actions: &mut Actions) {
        if self.rack().is_some_and(|rack| rack.timer() <= now) {
            self.detect_losses(now);
            self.transmit(now, actions);
        }
    }

    /// TLP_send_probe(): new data if there are any that the peer admits, one segment beyond cwnd if need be; else the
    /// last segment.
    fn send_loss_probe(&mut self, now: Instant, actions: &mut Actions) {
        if !self.rack().is_some_and(|rack| rack.probe.is_allowed()) {
            return;
        }
        let new_data = self.new_data(0, self.window.mss).map(|len| Next::NewData { len });
        let is_retransmission = new_data.is_none();
        let last = || self.segments()?.last().map(|last| Next::Lost(last.block()));
        let Some(next) = new_data.or_else(last) else { return };
        self.emit(now, next, actions);
        let nxt = self.nxt;
        if let Some(rack) = self.rack_mut() {
            rack.probe.note_sent(nxt, is_retransmission);
        }
    }

    /// The handshake has measured a round trip, at `now`.
    pub(in crate::tcp) fn tell_rack_of_handshake(&mut self, now: Instant, round_trip: Duration) {
        if let Some(rack) = self.rack_mut() {
            rack.note_handshake(now, round_trip);
        }
    }

    /// A segment leaves, of new data or not.
    pub(in crate::tcp) fn tell_rack_of_sending(&mut self, now: Instant, block: SackBlock, is_new: bool) {
        let Some(rack) = self.rack_mut() else { return };
        match is_new {
            true => {
                rack.note_new(now, block.end);
                rack.probe.is_to_schedule = true;
            }
            false => rack.resend(now, block),
        }
    }

    /// An ACK of everything below `una` brings a D-SACK block.
    pub(super) fn tell_rack_of_dsack(&mut self, block: SackBlock, una: u64) {
        let (nxt, is_linux) = (self.nxt, self.recovery() == LossRecovery::Linux);
        let Some(rack) = self.rack_mut() else { return };
        let is_probe = rack.probe.note_dsack(block);
        if !is_probe && (!is_linux || rack.has_seen_reordering()) {
            rack.on_dsack(una, nxt);
        }
    }

    /// Bytes that are thought lost and have not been sent again.
    pub fn lost(&self) -> u64 {
        match self.rack() {
            Some(_) => self.segments().map_or(0, Segments::lost),
            None => self.scoreboard.lost(self.una, self.threshold()),
        }
    }

    /// How long RACK waits for segments that may only be late (RACK.reo_wnd); `None` with another recovery.
    pub fn reordering_window(&self) -> Option<Duration> {
        let sacked = self.segments()?.sacked();
        // The reading of the clock does not enter.
        Some(self.rack()?.reordering_window(self.situation(Instant::ZERO), sacked))
    }

    /// When the tail loss probe is due; `None` while none is scheduled.
    pub fn probe_timer(&self) -> Option<Instant> {
        self.rack().map(|rack| rack.probe.timer).filter(|timer| *timer != Instant::NEVER)
    }
}
