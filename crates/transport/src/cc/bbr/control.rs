//! Control parameters from model and state: pacing rate and cwnd, §4.2 of the draft.

use super::{CYCLE, Config, LEAST_SEGMENTS, Mode, Recovery, State};
use crate::cc::{Event, Window};

/// Linux counts no more of what ACKs bring in bunches than the bandwidth carries in this time.
const LONGEST_BUNCH_S: f64 = 0.1;

impl State {
    pub(super) fn gain(&self, config: &Config) -> f64 {
        match self.mode {
            Mode::Startup => config.high_gain,
            Mode::Drain => config.drain_gain,
            Mode::ProbeBw { phase, .. } => CYCLE[phase],
            Mode::ProbeRtt(_) => 1.0,
        }
    }

    /// BBRSetPacingRate(): §4.2.1.
    pub(super) fn set_pacing_rate(&mut self, config: &Config, gain: f64) {
        let rate = gain * self.bandwidth.get() * (1.0 - config.margin / 100.0);
        if rate > 0.0 && (self.filled_pipe || self.pacing_rate.is_none_or(|now| rate > now)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// BBRSaveCwnd(): §4.2.3.4.
    pub(super) fn save_cwnd(&mut self, window: &Window) {
        let is_good = self.recovery == Recovery::None && !matches!(self.mode, Mode::ProbeRtt(_));
        self.prior_cwnd = if is_good { window.cwnd } else { self.prior_cwnd.max(window.cwnd) };
    }

    /// A recovery is over: BBRRestoreCwnd().
    pub(super) fn leave_recovery(&mut self, window: &mut Window, event: &Event) {
        let is_over = match self.recovery {
            Recovery::None => false,
            Recovery::Fast { .. } => !event.in_recovery,
            Recovery::Timeout { until } => self.una >= until,
        };
        if is_over {
            self.recovery = Recovery::None;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
    }

    /// BBRSetCwnd(): §4.2.3.6.
    pub(super) fn set_cwnd(&mut self, config: &Config, window: &mut Window, event: &Event, newly: u64) {
        if self.recovery != Recovery::None && event.lost > 0 {
            window.cwnd = window.cwnd.saturating_sub(event.lost).max(window.mss);
        }
        if self.recovery == (Recovery::Fast { conserves: true }) {
            window.cwnd = window.cwnd.max(event.in_flight + newly);
        } else if newly > 0 {
            let target = self.in_flight_at(self.cwnd_gain(config), window).saturating_add(self.bunches());
            if self.filled_pipe {
                window.cwnd = (window.cwnd + newly).min(target);
            } else if window.cwnd < target || self.delivered < self.initial_cwnd {
                window.cwnd += newly;
            }
            window.cwnd = window.cwnd.max(LEAST_SEGMENTS * window.mss);
        }
        if matches!(self.mode, Mode::ProbeRtt(_)) {
            window.cwnd = window.cwnd.min(LEAST_SEGMENTS * window.mss);
        }
    }

    /// The room of cwnd beside the model, once the pipe has been full: nothing, unless that is asked for.
    fn bunches(&self) -> u64 {
        match self.filled_pipe {
            // `as` saturates.
            true => self.extra_acked.get().min((self.bandwidth.get() * LONGEST_BUNCH_S) as u64),
            false => 0,
        }
    }

    fn cwnd_gain(&self, config: &Config) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => config.high_gain,
            Mode::ProbeBw { .. } => config.cwnd_gain,
            Mode::ProbeRtt(_) => 1.0,
        }
    }
}
