//! BBR's state machine: draft-ietf-ccwg-bbr-06 §5.3.

use super::super::bbr::drawn;
use super::{AckPhase, Config, LEAST_SEGMENTS, Phase, State};
use crate::cc::{Event, Window};
use units::{Duration, Instant, PS_PER_SECOND};

/// Growth of the bandwidth that shows that there is more, and rounds without it after which there is none: §5.3.1.2.
const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// Round trips after which Drain ends in any case: §5.3.2.
const DRAIN_ROUNDS: u64 = 3;
/// The least time between probes for bandwidth: §5.3.3.8. Up to a second more is drawn.
const PROBE_WAIT: Duration = Duration::from_secs(2);
/// Round trips after which Reno would have grown by as many segments: at most so many.
const MOST_RENO_ROUNDS: u64 = 63;
/// BBR.ProbeRTTDuration.
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);

impl State {
    /// ResetFullBW().
    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    /// CheckFullBWReached().
    pub(super) fn check_full_bw_reached(&mut self) {
        if self.full_bw_now || !self.round_start || self.sample.is_app_limited {
            return;
        }
        if self.sample.rate >= self.full_bw * GROWTH {
            self.reset_full_bw();
            self.full_bw = self.sample.rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= ROUNDS_WITHOUT_GROWTH;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// CheckStartupDone().
    pub(super) fn check_startup_done(&mut self, window: &mut Window) {
        if self.phase == Phase::Startup && self.full_bw_reached {
            self.phase = Phase::Drain { since: self.round_count };
            // What others call slow start is over.
            window.ssthresh = 2 * window.mss;
        }
    }

    /// CheckDrainDone().
    pub(super) fn check_drain_done(&mut self, window: &Window, now: Instant) {
        let Phase::Drain { since } = self.phase else { return };
        let bw = self.max_bw().min(self.bw_shortterm);
        if self.in_flight <= self.in_flight_at(bw, 1.0, window) || self.round_count > since + DRAIN_ROUNDS {
            self.start_down(now);
        }
    }

    /// StartProbeBW_DOWN() with PickProbeWait().
    pub(super) fn start_down(&mut self, now: Instant) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = u64::MAX;
        self.rounds_since_probe_up = drawn(now, 2);
        self.bw_probe_wait = PROBE_WAIT + Duration::from_ps(drawn(now + Duration::from_ps(1), PS_PER_SECOND));
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.phase = Phase::Down;
    }

    /// StartProbeBW_REFILL().
    pub(super) fn start_refill(&mut self) {
        self.reset_short_term_model();
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.phase = Phase::Refill;
    }

    /// StartProbeBW_UP().
    fn start_up(&mut self, window: &Window) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = self.sample.rate;
        self.phase = Phase::Up;
        self.raise_slope(window);
    }

    /// UpdateProbeBWCyclePhase().
    pub(super) fn update_probe_bw(&mut self, config: &Config, window: &Window, now: Instant) {
        if !self.full_bw_reached || self.adapt_long_term_model(config, window) {
            return;
        }
        match self.phase {
            Phase::Down if self.is_time_to_probe(window, now) => self.start_refill(),
            Phase::Down if self.is_time_to_cruise(config, window) => self.phase = Phase::Cruise,
            Phase::Cruise if self.is_time_to_probe(window, now) => self.start_refill(),
            Phase::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_up(window);
            }
            Phase::Up => self.go_down_in_time(window, now),
            _ => {}
        }
    }

    /// IsTimeToProbeBW().
    fn is_time_to_probe(&self, window: &Window, now: Instant) -> bool {
        let reno_rounds = (self.target_in_flight(window) / window.mss).min(MOST_RENO_ROUNDS);
        now > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_probe_up >= reno_rounds
    }

    /// IsTimeToCruise().
    fn is_time_to_cruise(&self, config: &Config, window: &Window) -> bool {
        self.in_flight <= self.in_flight_with_headroom(config, window)
            && self.in_flight <= self.in_flight_at(self.max_bw(), 1.0, window)
    }

    fn go_down_in_time(&mut self, window: &Window, now: Instant) {
        if self.is_time_to_go_down(window) {
            self.prev_probe_too_high = false;
            self.start_down(now);
        }
    }

    /// IsTimeToGoDown().
    fn is_time_to_go_down(&mut self, window: &Window) -> bool {
        if self.prev_probe_too_high && self.in_flight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && window.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = self.sample.rate;
            return false;
        }
        self.full_bw_now
    }

    /// AdaptLongTermModel(): whether it has changed the phase.
    fn adapt_long_term_model(&mut self, config: &Config, window: &Window) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.phase.is_probe_bw() && !self.sample.is_app_limited {
                self.advance_max_bw_filter();
            }
            if self.phase.is_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if self.are_losses_safe(config) && self.inflight_longterm != u64::MAX {
            self.inflight_longterm = self.inflight_longterm.max(self.sample.tx_in_flight);
            if self.phase == Phase::Up {
                self.probe_upward(window);
            }
        }
        false
    }

    /// RaiseInflightLongtermSlope().
    fn raise_slope(&mut self, window: &Window) {
        let growth = 1 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (window.cwnd / growth).max(window.mss);
    }

    /// ProbeInflightLongtermUpward().
    fn probe_upward(&mut self, window: &Window) {
        if !self.is_cwnd_limited() || window.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += self.sample.newly_acked;
        let steps = self.bw_probe_up_acked / self.probe_up_acked_per_inc;
        self.bw_probe_up_acked %= self.probe_up_acked_per_inc;
        self.inflight_longterm = self.inflight_longterm.saturating_add(steps.saturating_mul(window.mss));
        if self.round_start {
            self.raise_slope(window);
        }
    }

    /// UpdateMinRTT().
    pub(super) fn update_min_rtt(&mut self, config: &Config, event: &Event) {
        let now = event.now;
        self.probe_rtt_expired = now > self.probe_rtt_min_stamp + config.probe_rtt_interval;
        if let Some(rtt) = event.rtt_sample.filter(|rtt| *rtt < self.probe_rtt_min_delay || self.probe_rtt_expired) {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (rtt, now);
        }
        let expired = now > self.min_rtt_stamp + config.min_rtt_window;
        if self.probe_rtt_min_delay < self.min_rtt || expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_rtt_min_delay, self.probe_rtt_min_stamp);
        }
    }

    /// CheckProbeRTT().
    pub(super) fn check_probe_rtt(&mut self, _: &Config, window: &mut Window, event: &Event) {
        if !self.phase.is_probe_rtt() && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd(window);
            self.phase = Phase::ProbeRtt { until: None, round_is_over: false };
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if let Phase::ProbeRtt { until, round_is_over } = self.phase {
            self.probe_rtt(until, round_is_over, window, event.now);
        }
        if self.sample.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// HandleProbeRTT().
    fn probe_rtt(&mut self, until: Option<Instant>, round_is_over: bool, window: &mut Window, now: Instant) {
        let from = match self.slowed {
            Some((from, to)) if to >= self.delivered => from,
            _ => self.delivered,
        };
        self.slowed = Some((from, self.delivered + self.in_flight));
        if until.is_none() && self.in_flight <= self.probe_rtt_cwnd(window) {
            self.phase = Phase::ProbeRtt { until: Some(now + PROBE_RTT_DURATION), round_is_over: false };
            self.start_round();
        } else if until.is_some() {
            let round_is_over = round_is_over || self.round_start;
            self.phase = Phase::ProbeRtt { until, round_is_over };
            if round_is_over {
                self.check_probe_rtt_done(window, now);
            }
        }
    }

    /// CheckProbeRTTDone() with ExitProbeRTT().
    pub(super) fn check_probe_rtt_done(&mut self, window: &mut Window, now: Instant) {
        let Phase::ProbeRtt { until: Some(until), .. } = self.phase else { return };
        if now <= until {
            return;
        }
        self.probe_rtt_min_stamp = now;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_down(now);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }

    /// ProbeRTTCwnd().
    pub(super) fn probe_rtt_cwnd(&self, window: &Window) -> u64 {
        self.bdp_multiple(self.bw, 0.5).max(LEAST_SEGMENTS * window.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_two_to_three_seconds_apart_or_as_many_round_trips_as_segments_are_in_flight() {
        let mut state = State::new();
        let window = Window { cwnd: 200_000, ssthresh: u64::MAX, mss: 1000 };
        for at in 0..1000 {
            state.start_down(Instant::ZERO + Duration::from_micros(at));
            assert!((2.0..3.0).contains(&state.bw_probe_wait.as_secs_f64()) && state.rounds_since_probe_up < 2);
        }
        // 1 MB/s · 40 ms = 40 segments, below 63.
        (state.min_rtt, state.bw, state.cycle_stamp) = (Duration::from_millis(40), 1e6, Instant::ZERO);
        state.rounds_since_probe_up = 39;
        let soon = Instant::ZERO + Duration::from_secs(1);
        assert!(!state.is_time_to_probe(&window, soon));
        state.rounds_since_probe_up = 40;
        assert!(state.is_time_to_probe(&window, soon));
        (state.bw, state.rounds_since_probe_up) = (1e7, 62);
        assert!(!state.is_time_to_probe(&window, soon));
        state.rounds_since_probe_up = 63;
        assert!(state.is_time_to_probe(&window, soon));
    }

    #[test]
    fn three_rounds_without_a_quarter_more_are_full() {
        let mut state = State::new();
        state.round_start = true;
        for (rate, full) in [(1.0, false), (2.0, false), (2.4, false), (2.4, false), (2.4, true)] {
            state.sample.rate = rate;
            state.check_full_bw_reached();
            assert_eq!(state.full_bw_now, full, "{rate}");
        }
        assert!(state.full_bw_reached);
    }

    #[test]
    fn the_long_term_bound_grows_by_one_then_two_then_four_segments_a_round() {
        // RaiseInflightLongtermSlope(): cwnd/1, cwnd/2, cwnd/4 bytes a segment.
        let (mut state, window) = (State::new(), Window { cwnd: 8000, ssthresh: u64::MAX, mss: 1000 });
        let steps = [0; 5].map(|_| {
            state.raise_slope(&window);
            window.cwnd / state.probe_up_acked_per_inc
        });
        assert_eq!(steps, [1, 2, 4, 8, 8], "no less than a segment pays for one");
    }

    /// The draft's IsProbingBW() and IsInAProbeBWState().
    #[test]
    fn startup_refill_and_up_probe_for_bandwidth() {
        let probe_rtt = Phase::ProbeRtt { until: None, round_is_over: false };
        let (cycle, others) = (
            [Phase::Down, Phase::Cruise, Phase::Refill, Phase::Up],
            [Phase::Startup, Phase::Drain { since: 0 }, probe_rtt],
        );
        assert_eq!(cycle.map(Phase::is_accelerating), [false, false, true, true]);
        assert_eq!(others.map(Phase::is_accelerating), [true, false, false]);
        assert!(cycle.into_iter().all(Phase::is_probe_bw) && !others.into_iter().any(Phase::is_probe_bw));
        assert_eq!(others.map(Phase::is_probe_rtt), [false, false, true]);
        assert!(!cycle.into_iter().any(Phase::is_probe_rtt));
    }
}
