//! BBR, version 3: N. Cardwell, I. Swett, J. Beshay (eds.), draft-ietf-ccwg-bbr-06 (6 July 2026).
//!
//! As version 1 it sends at a gain times a bandwidth and keeps a gain times bandwidth and shortest round trip in
//! flight. New are bounds that losses set: in the long term `inflight_longterm`, what was in flight when a probe lost
//! more than 2 % (before, inflight_hi), in the short term what was delivered in the last round trip with a loss; and
//! probes that are two to three seconds apart, or as many round trips as Reno would need for a segment each.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | parameters, state |
//! | `law` | what happens at an ACK, at a loss, after an idle time |
//! | `model` | round trips, bandwidth, bounds |
//! | `phases` | Startup, Drain, ProbeBW, ProbeRTT |
//! | `control` | pacing rate and cwnd |
//!
//! Constants differ by version: Drain's gain is 0.35 up to -04 and 0.5 from -05 on; the round trip is probed every 5 s
//! in all of them, every 10 s in version 1.
//!
//! Readings. Random waits are drawn by the picosecond at which a cycle begins (see `bbr`). The send quantum is one
//! segment, the budget three of them. The high loss that ends Startup is judged at the end of a round trip in recovery,
//! by the losses since the newest acknowledged segment left. A flow is limited by cwnd if less than a segment of it was
//! free before an ACK of this round trip or the last. Losses are told with the ACK after the one that showed them, or
//! before the reduction that they bring about. Left out: the answer to congestion marks, which the draft leaves open
//! (§3.7): these connections have no ECN.
//!
//! Linux's (the branch v3 of its authors) differs: bounds also move by marks (ECN at short round trips), aggregation is
//! estimated over 5 to 10 round trips, and there are no precautionary probes yet.

mod control;
mod law;
mod model;
mod phases;

use super::extra_acked::ExtraAcked;
use super::{Event, Window};
use options::{Kind, Range, options};
use units::{Duration, Instant};

/// BBR.MinPipeCwnd.
const LEAST_SEGMENTS: u64 = 4;
/// SRTT before it is known.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// BBR.StartupPacingGain: 4 ln 2.
        pub startup_gain as "bbr3_startup_gain": f64 = 2.7726, Kind::Number(Range::closed(1.0, 10.0));
        /// BBR.DrainPacingGain. draft-ietf-ccwg-bbr-05 and later: 0.5; up to -04: 0.35.
        pub drain_gain as "bbr3_drain_gain": f64 = 0.5, Kind::Number(Range::between(0.0, 1.0));
        /// BBR.LossThresh: the share of losses that a probe for bandwidth may cause.
        pub loss_threshold as "bbr3_loss_threshold": f64 = 0.02, Kind::Number(Range::between(0.0, 1.0));
        /// BBR.Beta: what a round trip with losses keeps of the bounds at least.
        pub beta as "bbr3_beta": f64 = 0.7, Kind::Number(Range::between(0.0, 1.0));
        /// BBR.Headroom: the share of the long-term bound that is left free for others.
        pub headroom as "bbr3_headroom": f64 = 0.15, Kind::Number(Range::closed(0.0, 0.9));
        /// BBR.ProbeRTTInterval: after so long without a shorter round trip the flow enters ProbeRTT.
        pub probe_rtt_interval as "bbr3_probe_rtt": Duration = Duration::from_secs(5), Kind::POSITIVE;
        /// BBR.MinRTTFilterLen: so long the shortest round trip counts.
        pub min_rtt_window as "bbr3_min_rtt_window": Duration = Duration::from_secs(10), Kind::POSITIVE;
        /// BBR.max_bw before the first round trip, in bits per second. It sets the first pacing rate and counts as a
        /// sample of the first cycle.
        pub start_bandwidth as "bbr3_start_bandwidth": Option<f64> = None, Kind::Number(Range::closed(1.0, 1e15));
        /// BBR.min_rtt before the first round trip. It counts as one measured at the first ACK.
        pub start_rtt as "bbr3_start_rtt": Option<Duration> = None, Kind::POSITIVE;
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Bbr3(Box<State>);

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Startup,
    /// Since this round trip.
    Drain {
        since: u64,
    },
    Down,
    Cruise,
    Refill,
    Up,
    /// Its end, once half of the bandwidth-delay product is reached, and whether a round trip has passed since.
    ProbeRtt {
        until: Option<Instant>,
        round_is_over: bool,
    },
}

impl Phase {
    /// IsInAProbeBWState().
    fn is_probe_bw(self) -> bool {
        matches!(self, Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up)
    }

    fn is_probe_rtt(self) -> bool {
        matches!(self, Phase::ProbeRtt { .. })
    }

    /// IsProbingBW().
    fn is_accelerating(self) -> bool {
        matches!(self, Phase::Startup | Phase::Refill | Phase::Up)
    }
}

/// BBR.ack_phase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// RS: what the ACK at hand says.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// Bytes per second; 0 if it says none.
    rate: f64,
    delivered: u64,
    prior_delivered: u64,
    newly_acked: u64,
    tx_in_flight: u64,
    lost: u64,
    is_app_limited: bool,
}

/// The repair of losses as BBR distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Recovery {
    None,
    Fast,
    /// Until so many bytes are acknowledged.
    Timeout {
        until: u64,
    },
}

/// The state before the losses of a recovery.
#[derive(Clone, Copy, Debug)]
struct Undo {
    phase: Option<Phase>,
    bw_shortterm: f64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
}

/// The limit of the flow: cwnd or something else.
#[derive(Clone, Copy, Debug, Default)]
struct CwndLimited {
    last_round: bool,
    this_round: bool,
}

#[derive(Clone, Debug)]
struct State {
    phase: Phase,
    sample: Sample,
    una: u64,
    delivered: u64,
    in_flight: u64,
    initial_cwnd: u64,
    knows_rtt: bool,
    idle_restart: bool,
    cwnd_limited: CwndLimited,
    recovery: Recovery,
    prior_cwnd: u64,
    undo: Undo,
    /// Segments that leave in ProbeRTT say nothing of the rate.
    slowed: Option<(u64, u64)>,

    /// Round trips.
    next_round_delivered: u64,
    round_count: u64,
    round_start: bool,

    /// The bandwidth of the previous ProbeBW cycle and of this one; bytes per second.
    max_bw: [f64; 2],
    bw_shortterm: f64,
    bw: f64,
    bw_latest: f64,
    inflight_latest: u64,
    inflight_longterm: u64,
    inflight_shortterm: u64,

    loss_round_delivered: u64,
    loss_round_start: bool,
    is_loss_in_round: bool,
    /// Ranges lost in this round trip, and where the last one ended.
    lost_ranges: u32,
    lost_end: u64,

    extra_acked: ExtraAcked,

    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: f64,
    full_bw_count: u32,

    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    cycle_stamp: Instant,
    bw_probe_wait: Duration,
    rounds_since_probe_up: u64,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: u64,
    probe_up_acked_per_inc: u64,

    min_rtt: Duration,
    min_rtt_stamp: Instant,
    probe_rtt_min_delay: Duration,
    probe_rtt_min_stamp: Instant,
    probe_rtt_expired: bool,

    /// Bytes per second; `None` before the first ACK.
    pacing_rate: Option<f64>,
}

impl State {
    /// OnInit(): §5.2.1.
    fn new() -> State {
        let (never, now) = (u64::MAX, Instant::ZERO);
        let undo = Undo { phase: None, bw_shortterm: 0.0, inflight_shortterm: 0, inflight_longterm: 0 };
        State {
            phase: Phase::Startup,
            sample: Sample::default(),
            una: 0,
            delivered: 0,
            in_flight: 0,
            initial_cwnd: 0,
            knows_rtt: false,
            idle_restart: false,
            cwnd_limited: CwndLimited::default(),
            recovery: Recovery::None,
            prior_cwnd: 0,
            undo,
            slowed: None,
            next_round_delivered: 0,
            round_count: 0,
            round_start: false,
            max_bw: [0.0; 2],
            bw_shortterm: f64::INFINITY,
            bw: 0.0,
            bw_latest: 0.0,
            inflight_latest: 0,
            inflight_longterm: never,
            inflight_shortterm: never,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            lost_ranges: 0,
            lost_end: never,
            extra_acked: ExtraAcked::new(now),
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            cycle_stamp: now,
            bw_probe_wait: Duration::ZERO,
            rounds_since_probe_up: 0,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0,
            probe_up_acked_per_inc: never,
            min_rtt: Duration::MAX,
            min_rtt_stamp: now,
            probe_rtt_min_delay: Duration::MAX,
            probe_rtt_min_stamp: now,
            probe_rtt_expired: false,
            pacing_rate: None,
        }
    }

    /// The model that its user begins with.
    fn start_from(&mut self, config: &Config) {
        self.min_rtt = config.start_rtt.unwrap_or(self.min_rtt);
        self.probe_rtt_min_delay = self.min_rtt;
        if let Some(bps) = config.start_bandwidth {
            (self.max_bw[1], self.bw) = (bps / 8.0, bps / 8.0);
            self.set_pacing_rate(config.startup_gain);
        }
    }

    /// The first ACK, and the first one that comes with a round trip.
    fn begin(&mut self, config: &Config, window: &Window, event: &Event) {
        if self.initial_cwnd == 0 {
            self.initial_cwnd = window.cwnd;
            (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (event.now, event.now);
            self.extra_acked.restart(event.now);
        }
        if !self.knows_rtt && event.srtt.is_some() {
            self.knows_rtt = true;
            if config.start_bandwidth.is_none() {
                self.pacing_rate = Some(law::nominal_rate(config, self.initial_cwnd, event.srtt));
            }
        }
    }
}
