//! BBR, version 1: N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson, draft-cardwell-iccrg-bbr-congestion-control-00 (July 2017).
//!
//! Not losses but a model of the path says what to send: BtlBw, the greatest delivery rate of ten round trips, and RTprop, the shortest
//! round trip of ten seconds. Segments leave at a gain times BtlBw; cwnd is a gain times BtlBw · RTprop. Startup doubles the rate until it
//! grows no more for three round trips, Drain takes the queue away, ProbeBW cycles through eight gains, and ProbeRTT goes down to four
//! segments for 200 ms when RTprop is ten seconds old.
//!
//! Readings. The first phase of a cycle is drawn by the draft; a law has no random numbers, so the picosecond at which ProbeBW begins
//! draws it. The sender has no aggregates: the send quantum is one segment, and three of them the budget in flight (§4.2.3.2). Before the
//! first round trip SRTT is 1 ms (§4.2.1); the first measured one sets the rate anew, as in Linux. Round trips and rates come from ACKs that
//! are the first to report something. Losses in a recovery lower cwnd where the recovery knows them (RACK). The end of a recovery is
//! seen with the ACK behind it.
//!
//! Linux differs: it paces at 1 % less ([`Config::margin`]), adds to cwnd what ACKs bring in bunches ([`Config::extra_acked`]), and looks for
//! policers, which is not here.

use super::extra_acked::{ExtraAcked, Rounds};
use super::max_filter::MaxFilter;
use super::{Asks, CongestionControl, Event, Loss, LossCause, Marks, RateSample, Wants, Window};
use options::{Kind, Range, options};
use units::{Duration, Instant, Rate};

/// BBRGainCycleLen and the pacing gains of ProbeBW: §4.3.4.1.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// BtlBwFilterLen in round trips: §4.1.1.2.
const BANDWIDTH_WINDOW: u64 = CYCLE.len() as u64 + 2;
/// Growth that shows that there is more bandwidth, and round trips without it after which there is none: §4.3.2.2.
const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// BBRMinPipeCwnd in segments: §4.2.3.3.
const LEAST_SEGMENTS: u64 = 4;
/// What is in flight beside the bandwidth-delay product, in segments.
const BUDGET: u64 = 3;
/// ProbeRTTDuration: §4.3.5.
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
/// Linux counts no more of what ACKs bring in bunches than the bandwidth carries in this time.
const LONGEST_BUNCH_S: f64 = 0.1;
/// SRTT before it is known: §4.2.1.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// BBRHighGain: the pacing gain of Startup, 2/ln 2.
        pub high_gain as "bbr_high_gain": f64 = 2.885, Kind::Number(Range::closed(1.0, 10.0));
        /// The pacing gain of Drain: 1/2.885.
        pub drain_gain as "bbr_drain_gain": f64 = 0.3466, Kind::Number(Range::between(0.0, 1.0));
        /// The gain of cwnd in ProbeBW.
        pub cwnd_gain as "bbr_cwnd_gain": f64 = 2.0, Kind::Number(Range::closed(1.0, 100.0));
        /// RTpropFilterLen: after so long without a shorter round trip the flow enters ProbeRTT.
        pub probe_rtt_interval as "bbr_probe_rtt": Duration = Duration::from_secs(10), Kind::POSITIVE;
        /// Per cent by which the flow paces below its rate. The draft: 0; Linux: 1.
        pub margin as "bbr_pacing_margin": f64 = 0.0, Kind::Number(Range::closed(0.0, 50.0));
        /// Whether cwnd has room for what ACKs bring in bunches, at most 100 ms of BtlBw. The draft: no; Linux: yes.
        pub extra_acked as "bbr_extra_acked": bool = false, Kind::Flag;
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Bbr(Box<State>);

/// Where a flow is in the state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Startup,
    Drain,
    /// The phase of the gain cycle, and when it began.
    ProbeBw {
        phase: usize,
        since: Instant,
    },
    ProbeRtt(ProbeRtt),
}

/// How far a probe of the round trip is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ProbeRtt {
    /// More than four segments are in flight.
    Draining,
    /// From then on, and until a round trip has passed.
    Waiting { until: Instant, round_is_over: bool },
}

/// Whether losses are being repaired.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Recovery {
    None,
    /// Without a timer; in the first round trip of it as much leaves as arrives.
    Fast {
        conserves: bool,
    },
    /// After a timeout, until so many bytes are acknowledged.
    Timeout {
        until: u64,
    },
}

#[derive(Clone, Debug)]
struct State {
    mode: Mode,
    /// Bytes acknowledged, and bytes delivered.
    una: u64,
    delivered: u64,
    /// next_round_delivered, round_count, round_start.
    round_end: u64,
    rounds: u64,
    is_round_start: bool,
    /// BtlBw in bytes per second.
    bandwidth: MaxFilter,
    /// RTprop, when it was measured, and whether it is too old.
    min_rtt: Duration,
    min_rtt_at: Instant,
    is_expired: bool,
    /// full_bw, full_bw_count, filled_pipe.
    full_bandwidth: f64,
    rounds_without_growth: u32,
    filled_pipe: bool,
    /// Bytes per second; `None` before the first ACK.
    pacing_rate: Option<f64>,
    knows_rtt: bool,
    idle_restart: bool,
    recovery: Recovery,
    /// What Startup may grow beyond: InitialCwnd.
    initial_cwnd: u64,
    /// What cwnd was before a recovery or ProbeRTT.
    prior_cwnd: u64,
    /// What was in flight before the ACK at hand.
    prior_in_flight: u64,
    /// What ACKs bring in bunches.
    extra_acked: ExtraAcked,
    /// Segments that left between these counts of delivered bytes say nothing of the rate: they left in ProbeRTT.
    slowed: Option<(u64, u64)>,
}

impl CongestionControl for Bbr {
    type Config = Config;

    const ASKS: Asks =
        Asks { pacing: true, rate_samples: true, every_ack: true, model: true, marks: Marks::Unheard, ..Asks::NOTHING };

    fn new(_: &Config) -> Bbr {
        Bbr(Box::new(State {
            mode: Mode::Startup,
            una: 0,
            delivered: 0,
            round_end: 0,
            rounds: 0,
            is_round_start: false,
            bandwidth: MaxFilter::default(),
            min_rtt: Duration::MAX,
            min_rtt_at: Instant::ZERO,
            is_expired: false,
            full_bandwidth: 0.0,
            rounds_without_growth: 0,
            filled_pipe: false,
            pacing_rate: None,
            knows_rtt: false,
            idle_restart: false,
            recovery: Recovery::None,
            initial_cwnd: 0,
            prior_cwnd: 0,
            prior_in_flight: 0,
            extra_acked: ExtraAcked::new(Instant::ZERO),
            slowed: None,
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, marks: false }
    }

    /// BBRUpdateOnACK(): §3.5.2.
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.begin(config, window, event);
        state.una += event.acked;
        let newly = state.take_delivery(event);
        state.prior_in_flight = event.in_flight + newly;
        state.leave_recovery(window, event);
        if let Some(sample) = event.rate_sample {
            state.update_model(config, window, event, &sample);
        }
        if config.extra_acked {
            let rounds = Rounds { window: BANDWIDTH_WINDOW, now: state.rounds };
            state.extra_acked.update(event.now, newly, state.bandwidth.get(), rounds, window.cwnd);
        }
        state.update_min_rtt(config, event);
        state.check_probe_rtt(config, window, event);
        state.set_pacing_rate(config, state.gain(config));
        state.set_cwnd(config, window, event, newly);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        self.0.save_cwnd(window);
        let (una, event) = (self.0.una, &loss.event);
        (self.0.recovery, window.cwnd) = match loss.cause {
            LossCause::Timeout => (Recovery::Timeout { until: una + event.in_flight }, window.mss),
            _ => {
                let left = event.in_flight.saturating_sub(event.lost).max(window.mss);
                (Recovery::Fast { conserves: true }, left)
            }
        };
        if loss.cause != LossCause::Timeout {
            self.0.round_end = self.0.delivered;
        }
    }

    /// The rate says how fast to go on: cwnd stays.
    fn on_idle(&mut self, _: &Config, _: &mut Window, _: u64, _: &Event) {}

    /// BBRHandleRestartFromIdle(): §4.3.4.4.
    fn on_restart(&mut self, config: &Config, _: &mut Window, _: &Event) {
        self.0.idle_restart = true;
        if matches!(self.0.mode, Mode::ProbeBw { .. }) {
            self.0.set_pacing_rate(config, 1.0);
        }
    }

    fn pacing_rate(&self, config: &Config, window: &Window, srtt: Option<Duration>) -> Option<Rate> {
        let bytes = self.0.pacing_rate.unwrap_or_else(|| nominal_rate(config, window.cwnd, srtt));
        // `as` saturates.
        Some(Rate::from_bps((bytes * 8.0) as u64))
    }
}

/// BBRInitPacingRate(): §4.2.1, in bytes per second.
fn nominal_rate(config: &Config, cwnd: u64, srtt: Option<Duration>) -> f64 {
    config.high_gain * cwnd as f64 / srtt.unwrap_or(NOMINAL_RTT).as_secs_f64().max(1e-12)
}

impl State {
    /// The first ACK, and the first one that comes with a round trip.
    fn begin(&mut self, config: &Config, window: &Window, event: &Event) {
        if self.initial_cwnd == 0 {
            self.initial_cwnd = window.cwnd;
            self.min_rtt_at = event.now;
        }
        if !self.knows_rtt && event.srtt.is_some() {
            self.knows_rtt = true;
            self.pacing_rate = Some(nominal_rate(config, self.initial_cwnd, event.srtt));
        }
    }

    /// Bytes that the ACK is the first to report.
    fn take_delivery(&mut self, event: &Event) -> u64 {
        let Some(sample) = event.rate_sample else { return 0 };
        let newly = sample.total().saturating_sub(self.delivered);
        self.delivered = sample.total();
        newly
    }

    /// BBRUpdateModelAndState() as far as rates go: §3.5.2.
    fn update_model(&mut self, config: &Config, window: &mut Window, event: &Event, sample: &RateSample) {
        self.update_round(sample);
        let is_limited = sample.is_app_limited || self.is_slowed(sample.prior_delivered);
        let rate = sample.rate().map_or(0.0, |rate| rate.bps() as f64 / 8.0);
        if rate >= self.bandwidth.get() || !is_limited {
            self.bandwidth.add(BANDWIDTH_WINDOW, self.rounds, rate);
        }
        self.check_cycle_phase(window, event);
        self.check_full_pipe(window, is_limited);
        self.check_drain(config, window, event);
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
    fn in_flight_at(&self, gain: f64, window: &Window) -> u64 {
        if self.min_rtt == Duration::MAX {
            return self.initial_cwnd;
        }
        let product = self.bandwidth.get() * self.min_rtt.as_secs_f64();
        // `as` saturates.
        ((gain * product) as u64).saturating_add(BUDGET * window.mss)
    }

    /// BBRCheckCyclePhase(): §4.3.4.3.
    fn check_cycle_phase(&mut self, window: &Window, event: &Event) {
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
    fn check_full_pipe(&mut self, window: &mut Window, is_limited: bool) {
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
    fn check_drain(&mut self, _: &Config, window: &Window, event: &Event) {
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

    /// BBRUpdateRTprop(): §4.1.2.3.
    fn update_min_rtt(&mut self, config: &Config, event: &Event) {
        self.is_expired = event.now > self.min_rtt_at + config.probe_rtt_interval;
        if let Some(rtt) = event.rtt_sample.filter(|rtt| *rtt <= self.min_rtt || self.is_expired) {
            (self.min_rtt, self.min_rtt_at) = (rtt, event.now);
        }
    }

    /// BBRCheckProbeRTT(): §4.3.5.
    fn check_probe_rtt(&mut self, _: &Config, window: &mut Window, event: &Event) {
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

    fn gain(&self, config: &Config) -> f64 {
        match self.mode {
            Mode::Startup => config.high_gain,
            Mode::Drain => config.drain_gain,
            Mode::ProbeBw { phase, .. } => CYCLE[phase],
            Mode::ProbeRtt(_) => 1.0,
        }
    }

    /// BBRSetPacingRate(): §4.2.1.
    fn set_pacing_rate(&mut self, config: &Config, gain: f64) {
        let rate = gain * self.bandwidth.get() * (1.0 - config.margin / 100.0);
        if rate > 0.0 && (self.filled_pipe || self.pacing_rate.is_none_or(|now| rate > now)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// BBRSaveCwnd(): §4.2.3.4.
    fn save_cwnd(&mut self, window: &Window) {
        let is_good = self.recovery == Recovery::None && !matches!(self.mode, Mode::ProbeRtt(_));
        self.prior_cwnd = if is_good { window.cwnd } else { self.prior_cwnd.max(window.cwnd) };
    }

    /// A recovery is over: BBRRestoreCwnd().
    fn leave_recovery(&mut self, window: &mut Window, event: &Event) {
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
    fn set_cwnd(&mut self, config: &Config, window: &mut Window, event: &Event, newly: u64) {
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

    /// What cwnd has room for beside the model, once the pipe has been full: nothing, unless that is asked for.
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

/// A number below `count` that the picoseconds of `now` draw.
pub(super) fn drawn(now: Instant, count: u64) -> u64 {
    // The finalizer of splitmix64.
    let mut z = now.ps().wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % count
}
