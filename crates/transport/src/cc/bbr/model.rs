//! The model of the path, and the rates and round trips it is made of: §3.5.2, §4.1 and §4.2.3.2 of the draft.

use super::{BANDWIDTH_WINDOW, Config, Recovery, State};
use crate::cc::{Event, RateSample, Window};
use units::Duration;

/// The flight beside the bandwidth-delay product, in segments.
const BUDGET: u64 = 3;

impl State {
    /// Bytes that the ACK is the first to report.
    pub(super) fn take_delivery(&mut self, event: &Event) -> u64 {
        let Some(sample) = event.rate_sample else { return 0 };
        let newly = sample.total().saturating_sub(self.delivered);
        self.delivered = sample.total();
        newly
    }

    /// BBRUpdateModelAndState() as far as rates go: §3.5.2.
    pub(super) fn update_model(&mut self, window: &mut Window, event: &Event, sample: &RateSample) {
        self.update_round(sample);
        let is_limited = sample.is_app_limited || self.is_slowed(sample.prior_delivered);
        let rate = sample.rate().map_or(0.0, |rate| rate.bps() as f64 / 8.0);
        if rate >= self.bandwidth.get() || !is_limited {
            self.bandwidth.add(BANDWIDTH_WINDOW, self.rounds, rate);
        }
        self.check_cycle_phase(window, event);
        self.check_full_pipe(window, is_limited);
        self.check_drain(window, event);
    }

    /// BBRUpdateRound(): §4.1.1.3.
    fn update_round(&mut self, sample: &RateSample) {
        self.is_round_start = sample.prior_delivered >= self.round_end;
        if self.is_round_start {
            self.round_end = self.delivered;
            self.rounds += 1;
            if let Recovery::Fast { conserves } = &mut self.recovery {
                *conserves = false;
            }
        }
    }

    fn is_slowed(&self, prior_delivered: u64) -> bool {
        self.slowed.is_some_and(|(from, to)| (from..=to).contains(&prior_delivered))
    }

    /// BBRInflight(): §4.2.3.2, in bytes.
    pub(super) fn in_flight_at(&self, gain: f64, window: &Window) -> u64 {
        if self.min_rtt == Duration::MAX {
            return self.initial_cwnd;
        }
        let product = self.bandwidth.get() * self.min_rtt.as_secs_f64();
        // `as` saturates.
        ((gain * product) as u64).saturating_add(BUDGET * window.mss)
    }

    /// BBRUpdateRTprop(): §4.1.2.3.
    pub(super) fn update_min_rtt(&mut self, config: &Config, event: &Event) {
        self.is_expired = event.now > self.min_rtt_at + config.probe_rtt_interval;
        if let Some(rtt) = event.rtt_sample.filter(|rtt| *rtt <= self.min_rtt || self.is_expired) {
            (self.min_rtt, self.min_rtt_at) = (rtt, event.now);
        }
    }
}
