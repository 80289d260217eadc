//! What happens at an ACK, at a loss and after an idle time.

use super::{Bbr3, Config, NOMINAL_RTT, Recovery, State};
use crate::cc::{Asks, CongestionControl, Event, Loss, LossCause, LostSegment, Marks, Wants, Window};
use units::{Duration, Instant, Rate};

impl CongestionControl for Bbr3 {
    type Config = Config;

    const ASKS: Asks = Asks {
        pacing: true,
        rate_samples: true,
        every_ack: true,
        model: true,
        each_loss: true,
        marks: Marks::Unheard,
        ..Asks::NOTHING
    };

    fn new(config: &Config) -> Bbr3 {
        let mut state = State::new();
        state.start_from(config);
        Bbr3(Box::new(state))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    /// UpdateOnACK(): §5.2.3.
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.begin(config, window, event);
        state.una += event.acked;
        state.read(window, event);
        state.leave_recovery(window, event);
        if event.rate_sample.is_some() {
            state.update_model(config, window, event);
        }
        state.update_min_rtt(config, event);
        state.check_probe_rtt(config, window, event);
        if event.rate_sample.is_some() {
            state.advance_latest_delivery_signals();
        }
        state.bw = state.max_bw().min(state.bw_shortterm);
        state.set_pacing_rate(state.pacing_gain(config));
        state.set_cwnd(config, window);
    }

    fn on_lost(&mut self, config: &Config, window: &mut Window, lost: &LostSegment, now: Instant) {
        self.0.handle_lost_segment(config, window, lost, now);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        let state = &mut *self.0;
        state.save_cwnd(window);
        state.save_before_loss();
        state.recovery = match loss.cause {
            LossCause::Timeout => Recovery::Timeout { until: state.una + loss.event.in_flight },
            _ => Recovery::Fast,
        };
        if loss.cause == LossCause::Timeout {
            window.cwnd = window.mss;
        }
    }

    fn on_undo(&mut self, _: &Config, _: &mut Window, now: Instant) {
        self.0.undo_loss(now);
    }

    /// max_bw, the number of round trips; min_rtt once it is known; the bounds of the long and of the short term as far
    /// as they are set.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        let state = &self.0;
        let bytes = |name, bytes: u64| (bytes != u64::MAX).then_some((name, bytes as f64));
        let short = state.bw_shortterm.is_finite().then_some(("bandwidth_shortterm", 8.0 * state.bw_shortterm));
        let known = Some(state.min_rtt).filter(|rtt| *rtt != Duration::MAX);
        let bounds = [
            known.map(|rtt| ("min_rtt", rtt.as_secs_f64())),
            bytes("inflight_longterm", state.inflight_longterm),
            bytes("inflight_shortterm", state.inflight_shortterm),
            short,
        ];
        let model = [("max_bandwidth", 8.0 * state.max_bw()), ("rounds", state.round_count as f64)];
        model.into_iter().chain(bounds.into_iter().flatten()).collect()
    }

    /// The rate says how fast to go on: cwnd stays.
    fn on_idle(&mut self, _: &Config, _: &mut Window, _: u64, _: &Event) {}

    /// HandleRestartFromIdle(): §5.4.1.
    fn on_restart(&mut self, _: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.idle_restart = true;
        state.extra_acked.restart(event.now);
        if state.phase.is_probe_bw() {
            state.set_pacing_rate(1.0);
        } else if state.phase.is_probe_rtt() {
            state.check_probe_rtt_done(window, event.now);
        }
    }

    fn pacing_rate(&self, config: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        let bytes = self.0.pacing_rate.unwrap_or_else(|| nominal_rate(config, window.cwnd, srtt));
        // `as` saturates.
        Some(Rate::from_bps((bytes * 8.0) as u64))
    }
}

/// InitPacingRate(): §5.6.2, in bytes per second.
pub(super) fn nominal_rate(config: &Config, cwnd: u64, srtt: Option<Duration>) -> f64 {
    let rtt = srtt.or(config.start_rtt).unwrap_or(NOMINAL_RTT);
    config.startup_gain * cwnd as f64 / rtt.as_secs_f64().max(1e-12)
}
