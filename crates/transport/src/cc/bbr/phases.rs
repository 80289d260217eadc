//! The state machine: §4.3 of the draft.

use super::{CYCLE, LEAST_SEGMENTS, Mode, ProbeRtt, State};
use crate::cc::{Event, Window};
use units::{Duration, Instant};

/// Growth that shows that there is more bandwidth, and round trips without it after which there is none: §4.3.2.2.
const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// ProbeRTTDuration: §4.3.5.
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);

impl State {
    /// BBRCheckCyclePhase(): §4.3.4.3.
    pub(super) fn check_cycle_phase(&mut self, window: &Window, event: &Event) {
        let Mode::ProbeBw { phase, since } = self.mode else { return };
        let is_full_length = event.now.saturating_since(since) > self.min_rtt;
        let gain = CYCLE[phase];
        let is_over = if gain > 1.0 {
            is_full_length && (event.lost > 0 || self.prior_in_flight >= self.in_flight_at(gain, window))
        } else if gain < 1.0 {
            is_full_length || self.prior_in_flight <= self.in_flight_at(1.0, window)
        } else {
            is_full_length
        };
        if is_over {
            self.mode = Mode::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: event.now };
        }
    }

    /// BBRCheckFullPipe(): §4.3.2.2.
    pub(super) fn check_full_pipe(&mut self, window: &mut Window, is_limited: bool) {
        if self.filled_pipe || !self.is_round_start || is_limited {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * GROWTH {
            (self.full_bandwidth, self.rounds_without_growth) = (self.bandwidth.get(), 0);
            return;
        }
        self.rounds_without_growth += 1;
        if self.rounds_without_growth >= ROUNDS_WITHOUT_GROWTH {
            self.filled_pipe = true;
            // What others call slow start is over.
            window.ssthresh = 2 * window.mss;
        }
    }

    /// BBRCheckDrain(): §4.3.3.
    pub(super) fn check_drain(&mut self, window: &Window, event: &Event) {
        if self.mode == Mode::Startup && self.filled_pipe {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && event.in_flight <= self.in_flight_at(1.0, window) {
            self.enter_probe_bw(event.now);
        }
    }

    /// BBREnterProbeBW(): the phase is any but the second, §4.3.4.2 and §4.3.4.3.
    fn enter_probe_bw(&mut self, now: Instant) {
        let last = CYCLE.len() as u64 - 1;
        let phase = (last - drawn(now, last) + 1) as usize % CYCLE.len();
        self.mode = Mode::ProbeBw { phase, since: now };
    }

    /// BBRCheckProbeRTT(): §4.3.5.
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, event: &Event) {
        if !matches!(self.mode, Mode::ProbeRtt(_)) && self.is_expired && !self.idle_restart {
            self.save_cwnd(window);
            self.mode = Mode::ProbeRtt(ProbeRtt::Draining);
        }
        if let Mode::ProbeRtt(stage) = self.mode {
            self.probe_rtt(stage, window, event);
        }
        self.idle_restart = false;
    }

    /// BBRHandleProbeRTT().
    fn probe_rtt(&mut self, stage: ProbeRtt, window: &mut Window, event: &Event) {
        let from = match self.slowed {
            Some((from, to)) if to >= self.delivered => from,
            _ => self.delivered,
        };
        self.slowed = Some((from, self.delivered + event.in_flight));
        match stage {
            ProbeRtt::Draining if event.in_flight <= LEAST_SEGMENTS * window.mss => {
                let until = event.now + PROBE_RTT_DURATION;
                self.mode = Mode::ProbeRtt(ProbeRtt::Waiting { until, round_is_over: false });
                self.round_end = self.delivered;
            }
            ProbeRtt::Draining => {}
            ProbeRtt::Waiting { until, round_is_over } => {
                let round_is_over = round_is_over || self.is_round_start;
                self.mode = Mode::ProbeRtt(ProbeRtt::Waiting { until, round_is_over });
                if round_is_over && event.now > until {
                    self.min_rtt_at = event.now;
                    window.cwnd = window.cwnd.max(self.prior_cwnd);
                    self.exit_probe_rtt(event.now);
                }
            }
        }
    }

    fn exit_probe_rtt(&mut self, now: Instant) {
        match self.filled_pipe {
            true => self.enter_probe_bw(now),
            false => self.mode = Mode::Startup,
        }
    }
}

/// A number below `count` that the picoseconds of `now` draw.
pub(in crate::cc) fn drawn(now: Instant, count: u64) -> u64 {
    // The finalizer of splitmix64.
    let mut z = now.ps().wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % count
}
