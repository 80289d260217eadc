//! BBR's model of the path: draft-ietf-ccwg-bbr-06 §5.5.

use super::{Config, Phase, Sample, State, Undo};
use crate::cc::extra_acked::Rounds;
use crate::cc::{Event, LostSegment, Window};
use units::Instant;

/// BBR.ExtraAckedFilterLen in round trips, and its length in Startup.
const EXTRA_ACKED_ROUNDS: u64 = 10;
const EXTRA_ACKED_ROUNDS_IN_STARTUP: u64 = 1;
/// BBRStartupFullLossCnt.
const LOST_RANGES: u32 = 6;

impl State {
    /// GenerateRateSample(), and what was in flight.
    pub(super) fn read(&mut self, window: &Window, event: &Event) {
        let before = self.delivered;
        self.sample = match event.rate_sample {
            Some(rs) => {
                self.delivered = rs.total();
                Sample {
                    rate: rs.rate().map_or(0.0, |rate| rate.bps() as f64 / 8.0),
                    delivered: rs.delivered,
                    prior_delivered: rs.prior_delivered,
                    newly_acked: rs.total().saturating_sub(before),
                    tx_in_flight: rs.tx_in_flight,
                    lost: rs.lost,
                    is_app_limited: rs.is_app_limited || self.is_slowed(rs.prior_delivered),
                }
            }
            None => Sample::default(),
        };
        self.in_flight = event.in_flight;
        let in_flight_before = event.in_flight + self.sample.newly_acked + event.lost;
        self.cwnd_limited.this_round |= in_flight_before + window.mss > window.cwnd;
    }

    fn is_slowed(&self, prior_delivered: u64) -> bool {
        self.slowed.is_some_and(|(from, to)| (from..=to).contains(&prior_delivered))
    }

    /// C.is_cwnd_limited.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.cwnd_limited.this_round || self.cwnd_limited.last_round
    }

    /// UpdateModelAndState() up to ProbeBW: §5.2.3.
    pub(super) fn update_model(&mut self, config: &Config, window: &mut Window, event: &Event) {
        self.update_latest_delivery_signals();
        self.update_max_bw();
        self.update_congestion_signals(config, window, event);
        self.update_ack_aggregation(window, event.now);
        self.check_full_bw_reached();
        self.check_startup_done(window);
        self.check_drain_done(window, event.now);
        self.update_probe_bw(config, window, event.now);
    }

    /// BBR.max_bw.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// UpdateRound() and UpdateMaxBw().
    fn update_max_bw(&mut self) {
        self.round_start = self.sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
            self.cwnd_limited.last_round = std::mem::take(&mut self.cwnd_limited.this_round);
        }
        let rate = self.sample.rate;
        if rate > 0.0 && (rate >= self.max_bw() || !self.sample.is_app_limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// StartRound().
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// AdvanceMaxBwFilter(). A cycle without a sample is none.
    pub(super) fn advance_max_bw_filter(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    /// UpdateLatestDeliverySignals().
    fn update_latest_delivery_signals(&mut self) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(self.sample.rate);
        self.inflight_latest = self.inflight_latest.max(self.sample.delivered);
        if self.sample.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.delivered;
            self.loss_round_start = true;
        }
    }

    /// AdvanceLatestDeliverySignals().
    pub(super) fn advance_latest_delivery_signals(&mut self) {
        if self.loss_round_start {
            self.bw_latest = self.sample.rate;
            self.inflight_latest = self.sample.delivered;
        }
    }

    /// ResetCongestionSignals().
    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0;
    }

    /// UpdateCongestionSignals() behind UpdateMaxBw(), and CheckStartupHighLoss(), which is judged once in a round trip
    /// too.
    fn update_congestion_signals(&mut self, config: &Config, window: &Window, event: &Event) {
        if !self.loss_round_start {
            return;
        }
        if self.phase == Phase::Startup
            && event.in_recovery
            && self.lost_ranges >= LOST_RANGES
            && self.is_too_high(config)
        {
            self.undo.phase = Some(Phase::Startup);
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp_multiple(self.max_bw(), 1.0).max(self.inflight_latest);
        }
        if !self.phase.is_accelerating() && self.is_loss_in_round {
            self.lower_bounds(config, window);
        }
        self.is_loss_in_round = false;
        self.lost_ranges = 0;
    }

    /// InitLowerBounds() and LossLowerBounds().
    fn lower_bounds(&mut self, config: &Config, window: &Window) {
        let bandwidth = if self.bw_shortterm.is_infinite() { self.max_bw() } else { self.bw_shortterm };
        let in_flight = if self.inflight_shortterm == u64::MAX { window.cwnd } else { self.inflight_shortterm };
        self.bw_shortterm = self.bw_latest.max(config.beta * bandwidth);
        self.inflight_shortterm = self.inflight_latest.max((config.beta * in_flight as f64) as u64);
    }

    /// ResetShortTermModel().
    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, u64::MAX);
    }

    /// UpdateACKAggregation().
    fn update_ack_aggregation(&mut self, window: &Window, now: Instant) {
        let window_rounds = if self.full_bw_reached { EXTRA_ACKED_ROUNDS } else { EXTRA_ACKED_ROUNDS_IN_STARTUP };
        let rounds = Rounds { window: window_rounds, now: self.round_count };
        self.extra_acked.update(now, self.sample.newly_acked, self.bw, rounds, window.cwnd);
    }

    /// IsInflightTooHigh(), with SACK.
    fn is_too_high(&self, config: &Config) -> bool {
        self.sample.lost as f64 > self.sample.tx_in_flight as f64 * config.loss_threshold
    }

    /// IsInflightTooHigh() of the ACK at hand.
    pub(super) fn are_losses_safe(&self, config: &Config) -> bool {
        !self.is_too_high(config)
    }

    /// NoteLoss() and HandleLostPacket().
    pub(super) fn handle_lost_segment(&mut self, config: &Config, window: &Window, lost: &LostSegment, now: Instant) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.delivered;
            self.save_cwnd(window);
            self.save_before_loss();
        }
        self.is_loss_in_round = true;
        self.lost_ranges += u32::from(self.lost_end != lost.start);
        self.lost_end = lost.end;
        if !self.is_bw_probe_sample {
            return;
        }
        self.sample.tx_in_flight = lost.tx_in_flight;
        self.sample.lost = lost.lost;
        self.sample.is_app_limited = lost.is_app_limited;
        if self.is_too_high(config) {
            self.sample.tx_in_flight = in_flight_at_loss(config, lost);
            self.handle_inflight_too_high(config, window, now);
        }
    }

    /// HandleInflightTooHigh().
    fn handle_inflight_too_high(&mut self, config: &Config, window: &Window, now: Instant) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !self.sample.is_app_limited {
            let least = (self.target_in_flight(window) as f64 * config.beta) as u64;
            self.inflight_longterm = self.sample.tx_in_flight.max(least);
        }
        if self.phase == Phase::Up {
            self.undo.phase = Some(Phase::Up);
            self.start_down(now);
        }
    }

    /// SaveStateUponLoss() without the window.
    pub(super) fn save_before_loss(&mut self) {
        self.undo = Undo {
            phase: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// HandleSpuriousLossDetection(); the sender restores cwnd.
    pub(super) fn undo_loss(&mut self, _: Instant) {
        let before = self.undo;
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(before.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(before.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(before.inflight_longterm);
        match before.phase {
            Some(Phase::Startup) if self.phase != Phase::Startup => {
                self.full_bw_reached = false;
                if !self.phase.is_probe_rtt() {
                    self.phase = Phase::Startup;
                }
            }
            Some(Phase::Up) if self.phase != Phase::Up && !self.phase.is_probe_rtt() => self.start_refill(),
            _ => {}
        }
        self.undo.phase = None;
    }
}

/// InflightAtLoss(): at what was in flight when losses crossed the threshold.
fn in_flight_at_loss(config: &Config, lost: &LostSegment) -> u64 {
    let size = lost.end - lost.start;
    let before = lost.tx_in_flight.saturating_sub(size) as f64;
    let lost_before = lost.lost.saturating_sub(size) as f64;
    let prefix = (config.loss_threshold * before - lost_before) / (1.0 - config.loss_threshold);
    (before + prefix).max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_that_crosses_two_per_cent_solves_the_drafts_equation() {
        // 99 segments in flight before one of 1 kB, of which 1 kB was lost: (0.02 · 99 − 1)/0.98 = 1 kB more: (1 +
        // 1)/(99 + 1) = 2 %.
        let lost = LostSegment { start: 0, end: 1000, tx_in_flight: 100_000, lost: 2000, is_app_limited: false };
        assert_eq!(in_flight_at_loss(&Config::default(), &lost), 100_000);
        // Where nothing was lost before, the threshold lies within or behind the segment.
        let lost = LostSegment { lost: 1000, tx_in_flight: 10_000, ..lost };
        assert_eq!(in_flight_at_loss(&Config::default(), &lost), 9183);
    }

    #[test]
    fn a_round_trip_with_losses_keeps_what_was_delivered_or_seven_tenths() {
        let (mut state, config) = (State::new(), Config::default());
        let window = Window { cwnd: 100_000, ssthresh: u64::MAX, mss: 1000 };
        state.max_bw[1] = 1e6;
        (state.bw_latest, state.inflight_latest) = (0.9e6, 50_000);
        state.lower_bounds(&config, &window);
        assert_eq!((state.bw_shortterm, state.inflight_shortterm), (0.9e6, 70_000));
        (state.bw_latest, state.inflight_latest) = (0.1e6, 60_000);
        state.lower_bounds(&config, &window);
        assert_eq!((state.bw_shortterm, state.inflight_shortterm), (0.63e6, 60_000));
    }

    #[test]
    fn the_bandwidth_is_the_greatest_of_this_cycle_and_the_last() {
        let mut state = State::new();
        for (rate, expected) in [(5.0, 5.0), (3.0, 5.0)] {
            (state.sample.rate, state.sample.prior_delivered) = (rate, 0);
            state.update_max_bw();
            assert_eq!(state.max_bw(), expected);
        }
        state.advance_max_bw_filter();
        state.sample.rate = 2.0;
        state.update_max_bw();
        assert_eq!(state.max_bw(), 5.0);
        state.advance_max_bw_filter();
        assert_eq!(state.max_bw(), 2.0);
    }
}
