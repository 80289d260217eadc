//! BBR, version 1: N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson,
//! draft-cardwell-iccrg-bbr-congestion-control-00 (July 2017).
//!
//! Not losses but a model of the path says what to send: BtlBw, the greatest delivery rate of ten round trips, and
//! RTprop, the shortest round trip of ten seconds. Segments leave at a gain times BtlBw; cwnd is a gain times BtlBw ·
//! RTprop. Startup doubles the rate until it grows no more for three round trips, Drain takes the queue away, ProbeBW
//! cycles through eight gains, and ProbeRTT goes down to four segments for 200 ms when RTprop is ten seconds old.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | parameters, state, what happens at an ACK |
//! | `model` | round trips, bandwidth, shortest round trip |
//! | `phases` | Startup, Drain, ProbeBW, ProbeRTT |
//! | `control` | pacing rate and cwnd |
//!
//! Readings. The first phase of a cycle is drawn by the draft; a law has no random numbers, so the picosecond at which
//! ProbeBW begins draws it. The sender has no aggregates: the send quantum is one segment, and three of them the budget
//! in flight (§4.2.3.2). Before the first round trip SRTT is 1 ms (§4.2.1); the first measured one sets the rate anew,
//! as in Linux. Round trips and rates come from ACKs that are the first to report something. Losses in a recovery lower
//! cwnd where the recovery knows them (RACK). The end of a recovery is seen with the ACK behind it.
//!
//! Linux differs: it paces at 1 % less ([`Config::margin`]), adds to cwnd what ACKs bring in bunches
//! ([`Config::extra_acked`]), and looks for policers, which is not here.

mod control;
mod model;
mod phases;

pub(super) use phases::drawn;

use super::extra_acked::{ExtraAcked, Rounds};
use super::max_filter::MaxFilter;
use super::{Asks, CongestionControl, Event, Loss, LossCause, Marks, Wants, Window};
use options::{Kind, Range, options};
use units::{Duration, Instant, Rate};

/// BBRGainCycleLen and the pacing gains of ProbeBW: §4.3.4.1.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// BtlBwFilterLen in round trips: §4.1.1.2.
const BANDWIDTH_WINDOW: u64 = CYCLE.len() as u64 + 2;
/// BBRMinPipeCwnd in segments: §4.2.3.3.
const LEAST_SEGMENTS: u64 = 4;
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
        /// BtlBw before the first round trip, in bits per second. It sets the first pacing rate and ages as a sample of
        /// that time does.
        pub start_bandwidth as "bbr_start_bandwidth": Option<f64> = None, Kind::Number(Range::closed(1.0, 1e15));
        /// RTprop before the first round trip. It counts as one measured at the first ACK.
        pub start_rtt as "bbr_start_rtt": Option<Duration> = None, Kind::POSITIVE;
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

/// The repair of losses as BBR distinguishes it.
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
    /// The window that Startup may grow beyond: InitialCwnd.
    initial_cwnd: u64,
    /// cwnd before a recovery or ProbeRTT.
    prior_cwnd: u64,
    /// Bytes in flight before the ACK at hand.
    prior_in_flight: u64,
    /// Bytes that ACKs bring in bunches.
    extra_acked: ExtraAcked,
    /// Segments that left between these counts of delivered bytes say nothing of the rate: they left in ProbeRTT.
    slowed: Option<(u64, u64)>,
}

impl CongestionControl for Bbr {
    type Config = Config;

    const ASKS: Asks =
        Asks { pacing: true, rate_samples: true, every_ack: true, model: true, marks: Marks::Unheard, ..Asks::NOTHING };

    fn new(config: &Config) -> Bbr {
        let mut state = State {
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
        };
        state.start_from(config);
        Bbr(Box::new(state))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
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
            state.update_model(window, event, &sample);
        }
        if config.extra_acked {
            let rounds = Rounds { window: BANDWIDTH_WINDOW, now: state.rounds };
            state.extra_acked.update(event.now, newly, state.bandwidth.get(), rounds, window.cwnd);
        }
        state.update_min_rtt(config, event);
        state.check_probe_rtt(window, event);
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

    /// BtlBw, RTprop once it is known, and the number of round trips.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        let state = &self.0;
        let known = Some(state.min_rtt).filter(|rtt| *rtt != Duration::MAX);
        let min_rtt = known.map(|rtt| ("min_rtt", rtt.as_secs_f64()));
        let model = [("max_bandwidth", 8.0 * state.bandwidth.get()), ("rounds", state.rounds as f64)];
        model.into_iter().chain(min_rtt).collect()
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
    let rtt = srtt.or(config.start_rtt).unwrap_or(NOMINAL_RTT);
    config.high_gain * cwnd as f64 / rtt.as_secs_f64().max(1e-12)
}

impl State {
    /// The model that its user begins with.
    fn start_from(&mut self, config: &Config) {
        self.min_rtt = config.start_rtt.unwrap_or(self.min_rtt);
        if let Some(bps) = config.start_bandwidth {
            self.bandwidth.add(BANDWIDTH_WINDOW, 0, bps / 8.0);
            self.set_pacing_rate(config, config.high_gain);
        }
    }

    /// The first ACK, and the first one that comes with a round trip.
    fn begin(&mut self, config: &Config, window: &Window, event: &Event) {
        if self.initial_cwnd == 0 {
            self.initial_cwnd = window.cwnd;
            self.min_rtt_at = event.now;
        }
        if !self.knows_rtt && event.srtt.is_some() {
            self.knows_rtt = true;
            if config.start_bandwidth.is_none() {
                self.pacing_rate = Some(nominal_rate(config, self.initial_cwnd, event.srtt));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn start() -> (Bbr, Config, Window) {
        let config = Config::default();
        (Bbr::new(&config), config, Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS })
    }

    /// §4.2.1: BBRHighGain times the first window, in a round trip, or in 1 ms while none is known.
    #[test]
    fn the_first_pacing_rate_is_the_high_gain_times_the_window_in_a_round_trip() {
        let (law, config, window) = start();
        let kbps = |srtt| law.pacing_rate(&config, &window, srtt).unwrap().bps().div_ceil(1000);
        assert_eq!([kbps(None), kbps(Some(Duration::from_millis(20)))], [230_800, 11_540]);
    }

    /// §4.2.4: a timeout leaves one segment, and recovery lasts until all is acknowledged that was in flight; another
    /// loss leaves what is in flight, and conserves packets.
    #[test]
    fn recovery_lasts_until_all_that_was_in_flight_is_acknowledged() {
        let after = |cause| {
            let (mut law, config, mut window) = start();
            law.on_ack(&config, &mut window, &Event { in_flight: 7 * MSS, ..Event::ack(3 * MSS) });
            let loss = Loss::of(cause, 7 * MSS);
            law.on_loss(&config, &mut window, &Loss { event: Event { lost: 2 * MSS, ..loss.event }, ..loss });
            (law.0.recovery, window.cwnd)
        };
        assert_eq!(after(LossCause::Timeout), (Recovery::Timeout { until: 10 * MSS }, MSS));
        assert_eq!(after(LossCause::FastRetransmit), (Recovery::Fast { conserves: true }, 5 * MSS));
    }
}
