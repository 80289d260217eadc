//! Recovery that learns how much reordering is normal: RR-TCP on RFC 6675. What it knows of the flow is
//! [`Reordering`](crate::tcp::reordering::Reordering); here is what the sender does with it.
//!
//! Losses are repaired as SACK does it, with a threshold that moves. Before it is reached, new data leave on duplicate
//! ACKs up to a window more. The threshold stays below what can be outstanding then: else every loss would end in a
//! timeout.

use super::Recovery;
use super::sack::Sack;
use crate::cc::{Event, LossRecovery};
use crate::tcp::phase::{Disorder, FastRecovery, Phase};
use crate::tcp::reordering::{Costs, LimitedTransmit, Reordering, ReorderingConfig, TimeoutCost, length};
use crate::tcp::scoreboard::Threshold;
use crate::tcp::segment::split_dsack;
use crate::tcp::transmit::Next;
use crate::tcp::{Ack, SackBlock, Sender};
use units::Instant;

/// RR-TCP.
pub(super) struct RrTcp;

impl Recovery for RrTcp {
    fn is_duplicate(_: &Sender, _: &Ack<'_>, sacked: u64) -> bool {
        sacked > 0
    }

    fn shows_loss(sender: &Sender, dup_acks: u32) -> bool {
        Sack::shows_loss(sender, dup_acks)
    }

    fn begin(sender: &mut Sender) {
        if let Some(reordering) = sender.reordering_mut() {
            reordering.begin();
        }
    }

    fn on_new_ack(sender: &mut Sender, state: FastRecovery, event: &Event, timer: Instant) {
        Sack::on_new_ack(sender, state, event, timer);
    }

    fn on_duplicate_ack(_: &mut Sender) {}

    fn pipe(sender: &Sender) -> u64 {
        Sack::pipe(sender)
    }

    fn losses_found(sender: &Sender) -> u64 {
        Sack::losses_found(sender)
    }

    /// Extended limited transmit: what is SACKed has left the network, or every second segment of it, up to a window or
    /// so more.
    fn limited_transmit(sender: &Sender, _: Disorder) -> Option<u64> {
        let config = &sender.config.reordering;
        let left = match config.limited_transmit_pace {
            LimitedTransmit::Aggressive => sender.scoreboard.sacked(),
            LimitedTransmit::Careful => sender.scoreboard.sacked() / 2,
        };
        let most = sender.window.cwnd.saturating_add(sender.beyond_window(config));
        sender.new_data(sender.flight_size(), sender.window.cwnd.saturating_add(left).min(most))
    }

    /// No rescue copy of what this recovery has sent again: D-SACKs would not tell the copies apart.
    fn next_segment(sender: &Sender, state: FastRecovery) -> Option<Next> {
        let has_resent = |block| sender.reordering().is_some_and(|reordering| reordering.has_resent(block));
        Sack::next_segment(sender, state).filter(|next| !matches!(next, Next::Rescue(block) if has_resent(*block)))
    }

    fn before_ack(sender: &mut Sender, now: Instant, ack: &Ack<'_>) {
        sender.look_at_ack(now, ack);
    }

    fn after_ack(sender: &mut Sender, now: Instant, ack: &Ack<'_>, _: u64) {
        sender.learn_from_dsack(now, ack);
    }

    fn before_timeout(sender: &mut Sender, now: Instant) {
        sender.weigh_timeout(now);
    }
}

impl Sender {
    /// The share of the window that limited transmit adds, in bytes.
    fn beyond_window(&self, config: &ReorderingConfig) -> u64 {
        (self.window.cwnd as f64 * config.limited_transmit_windows) as u64
    }

    /// The threshold that reordering asks for, between the least one and what can be outstanding.
    pub(in crate::tcp) fn learned_dupthresh(&self, reordering: &Reordering) -> u32 {
        let (config, least) = (&self.config.reordering, self.config.dupthresh);
        let Some(threshold) = reordering.threshold(config) else { return least };
        let outstanding = self.window.cwnd.saturating_add(self.beyond_window(config)) / self.window.mss;
        let cap = (config.dupthresh_cap * outstanding as f64) as u64;
        let cap = u32::try_from(cap.saturating_sub(1)).unwrap_or(u32::MAX);
        threshold.min(cap).max(least)
    }

    /// Which part of late reorderings is to cause no false fast retransmit; `None` with another recovery than RR-TCP.
    pub fn fa_ratio(&self) -> Option<f64> {
        self.reordering().map(Reordering::fa_ratio)
    }

    /// How often each reordering length has been seen, by length; `None` with another recovery than RR-TCP.
    pub fn reordering_lengths(&self) -> Option<Vec<(u32, u32)>> {
        self.reordering().map(|reordering| reordering.bins().collect())
    }

    /// An ACK has come and has not been read: old lengths leave, and what it fills that was not sent again may count.
    fn look_at_ack(&mut self, now: Instant, ack: &Ack<'_>) {
        let config = std::sync::Arc::clone(&self.config);
        let (una, mss) = (self.una, self.window.mss);
        let filled = match config.reordering.sample_unretransmitted {
            true => self.late_segments(ack),
            false => Vec::new(),
        };
        let nxt = self.nxt;
        let Some(reordering) = self.reordering_mut() else { return };
        reordering.age(now, &config.reordering);
        let above = una.max(ack.ack);
        let (_, blocks) = split_dsack(ack);
        for block in blocks.iter().filter(|block| block.start > above && block.end <= nxt && !block.is_empty()) {
            reordering.note_sacked(block.end);
        }
        let highest = reordering.highest();
        filled.into_iter().for_each(|hole| reordering.sample(now, length(highest, hole, mss), &config.reordering));
    }

    /// The segments that an ACK fills, that lie below something SACKed before, and that have not been sent again.
    fn late_segments(&self, ack: &Ack<'_>) -> Vec<SackBlock> {
        let Some(top) = self.scoreboard.highest_start() else { return Vec::new() };
        let mut late = Vec::new();
        let (_, blocks) = split_dsack(ack);
        let first = SackBlock { start: self.una, end: ack.ack.max(self.una) };
        let above = |block: &&SackBlock| block.start >= first.end && !block.is_empty();
        for block in std::iter::once(&first).chain(blocks.iter().filter(above)) {
            let end = block.end.min(top);
            let mut from = block.start.max(self.scoreboard.high_rxt());
            while let Some(hole) = (from < end).then(|| self.scoreboard.hole(from, end)).flatten() {
                let segment = self.first_segment_of(hole);
                late.push(segment);
                from = segment.end;
            }
        }
        late
    }

    /// An ACK has been read: which holes it fills, and whether something was sent again without need.
    fn learn_from_dsack(&mut self, now: Instant, ack: &Ack<'_>) {
        if !self.reordering().is_some_and(Reordering::is_waiting) {
            return;
        }
        let config = std::sync::Arc::clone(&self.config);
        let (una, mss, flight) = (self.una, self.window.mss, self.flight_size());
        let expires = self.nxt.saturating_add(2 * flight.max(mss));
        let Some(mut reordering) = self.features.as_mut().and_then(|features| features.reordering.take()) else {
            return;
        };
        reordering.fill(mss, expires, |block| {
            block.end <= una || self.scoreboard.hole(block.start.max(una), block.end).is_none()
        });
        let (duplicate, _) = split_dsack(ack);
        let timed = duplicate.and_then(|block| reordering.confirm(now, block, una, mss, &config.reordering));
        reordering.expire(una);
        if let Some(features) = self.features.as_mut() {
            features.reordering = Some(reordering);
        }
        if duplicate.is_some() {
            self.leave_needless_recovery();
        }
        if let Some(sample) = timed.filter(|_| config.reordering.rr_variant.times_resent()) {
            self.rtt.add_sample(sample, &config);
        }
    }

    /// All that this recovery has sent again had arrived, and nothing else shows a loss: it is over, and the window
    /// comes back.
    fn leave_needless_recovery(&mut self) {
        let is_needless = matches!(self.phase, Phase::FastRecovery(_)) && self.is_episode_needless();
        if is_needless && !self.scoreboard.is_lost(self.una, self.threshold()) {
            self.abandon_recovery();
        }
    }

    /// A segment leaves again. What the timer sends again is no fast retransmit's.
    pub(in crate::tcp) fn tell_reordering_of_repair(&mut self, now: Instant, block: SackBlock) {
        let is_in_recovery = matches!(self.phase, Phase::FastRecovery(_));
        let Some(reordering) = self.reordering_mut() else { return };
        if !is_in_recovery || reordering.has_resent(block) {
            return reordering.forget(block);
        }
        let first = self.segments().and_then(|segments| segments.find(block.end)).map(|record| record.sent_at);
        if let Some(reordering) = self.reordering_mut() {
            reordering.resend(now, first, block);
        }
    }

    /// The timer has expired: whether a smaller threshold would have avoided that, and what it costs.
    fn weigh_timeout(&mut self, now: Instant) {
        let config = std::sync::Arc::clone(&self.config);
        let counts = match config.reordering.timeout_cost {
            TimeoutCost::All => true,
            TimeoutCost::Avoidable => {
                let least = Threshold::new(config.dupthresh, config.mss);
                matches!(self.phase, Phase::Disorder(_)) && self.scoreboard.is_lost(self.una, least)
            }
        };
        let window = self.window.cwnd as f64 / self.window.mss as f64;
        let rto = self.rtt.rto();
        let costs = Costs { window, rto, srtt: self.rtt.srtt().unwrap_or(rto) };
        let Some(reordering) = self.reordering_mut() else { return };
        reordering.age(now, &config.reordering);
        if counts {
            reordering.count_timeout(costs, &config.reordering);
        }
    }

    /// True if the loss recovery learns from reordering.
    pub(in crate::tcp) fn is_rr_tcp(&self) -> bool {
        self.recovery() == LossRecovery::RrTcp
    }
}
