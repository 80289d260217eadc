//! Control parameters from model and state: pacing rate and cwnd, draft-ietf-ccwg-bbr-06 §5.6.

use super::{Config, LEAST_SEGMENTS, Phase, Recovery, State};
use crate::cc::{Event, Window};
use units::Duration;

/// BBR.offload_budget with a quantum of one segment.
const BUDGET: u64 = 3;
/// BBR.PacingMarginPercent.
const MARGIN: f64 = 0.01;

impl State {
    pub(super) fn pacing_gain(&self, config: &Config) -> f64 {
        match self.phase {
            Phase::Startup => config.startup_gain,
            Phase::Drain { .. } => config.drain_gain,
            Phase::Down => 0.9,
            Phase::Up => 1.25,
            Phase::Cruise | Phase::Refill | Phase::ProbeRtt { .. } => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.phase {
            Phase::Up => 2.25,
            Phase::ProbeRtt { .. } => 0.5,
            _ => 2.0,
        }
    }

    /// SetPacingRateWithGain(): §5.6.2.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - MARGIN);
        if rate > 0.0 && (self.full_bw_reached || self.pacing_rate.is_none_or(|now| rate > now)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// BDPMultiple(): §5.6.4.2.
    pub(super) fn bdp_multiple(&self, bandwidth: f64, gain: f64) -> u64 {
        match self.min_rtt == Duration::MAX {
            true => self.initial_cwnd,
            // `as` saturates.
            false => (gain * bandwidth * self.min_rtt.as_secs_f64()) as u64,
        }
    }

    /// QuantizationBudget().
    fn with_budget(&self, in_flight: u64, window: &Window) -> u64 {
        let least = in_flight.max(BUDGET * window.mss).max(LEAST_SEGMENTS * window.mss);
        if self.phase == Phase::Up { least.saturating_add(2 * window.mss) } else { least }
    }

    /// Inflight().
    pub(super) fn in_flight_at(&self, bandwidth: f64, gain: f64, window: &Window) -> u64 {
        self.with_budget(self.bdp_multiple(bandwidth, gain), window)
    }

    /// TargetInflight(): §5.3.3.8.
    pub(super) fn target_in_flight(&self, window: &Window) -> u64 {
        self.bdp_multiple(self.bw, 1.0).min(window.cwnd)
    }

    /// InflightWithHeadroom(): §5.3.3.9.
    pub(super) fn in_flight_with_headroom(&self, config: &Config, window: &Window) -> u64 {
        if self.inflight_longterm == u64::MAX {
            return u64::MAX;
        }
        let headroom = ((config.headroom * self.inflight_longterm as f64) as u64).max(window.mss);
        self.inflight_longterm.saturating_sub(headroom).max(LEAST_SEGMENTS * window.mss)
    }

    /// SetCwnd(): §5.6.4.6.
    pub(super) fn set_cwnd(&mut self, config: &Config, window: &mut Window) {
        let wished = self.bdp_multiple(self.bw, self.cwnd_gain()).saturating_add(self.extra_acked.get());
        let most = self.with_budget(wished, window);
        let newly = self.sample.newly_acked;
        if self.full_bw_reached {
            window.cwnd = window.cwnd.saturating_add(newly).min(most);
        } else if window.cwnd < most || self.delivered < self.initial_cwnd {
            window.cwnd = window.cwnd.saturating_add(newly);
        }
        window.cwnd = window.cwnd.max(LEAST_SEGMENTS * window.mss);
        if self.phase.is_probe_rtt() {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd(window));
        }
        window.cwnd = window.cwnd.min(self.bound(config, window));
    }

    /// BoundCwndForModel(): §5.6.4.7.
    fn bound(&self, config: &Config, window: &Window) -> u64 {
        let long_term = match self.phase {
            Phase::Cruise | Phase::ProbeRtt { .. } => self.in_flight_with_headroom(config, window),
            Phase::Down | Phase::Refill | Phase::Up => self.inflight_longterm,
            Phase::Startup | Phase::Drain { .. } => u64::MAX,
        };
        long_term.min(self.inflight_shortterm).max(LEAST_SEGMENTS * window.mss)
    }

    /// SaveCwnd(): §5.6.4.4.
    pub(super) fn save_cwnd(&mut self, window: &Window) {
        let is_good = self.recovery == Recovery::None && !self.phase.is_probe_rtt();
        self.prior_cwnd = if is_good { window.cwnd } else { self.prior_cwnd.max(window.cwnd) };
    }

    /// A recovery is over: RestoreCwnd().
    pub(super) fn leave_recovery(&mut self, window: &mut Window, event: &Event) {
        let is_over = match self.recovery {
            Recovery::None => false,
            Recovery::Fast => !event.in_recovery,
            Recovery::Timeout { until } => self.una >= until,
        };
        if is_over {
            self.recovery = Recovery::None;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
    }
}
