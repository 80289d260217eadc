//! The congestion window: RFC 9002 §7 and appendix B, or a window law of TCP's in its place.
//!
//! A law hears of an ACK once, of the bytes that may grow the window: of packets that left after the last cut. RFC
//! 9002's "newreno" hears of each packet, as appendix B has it, and grows by fractions of a byte.

use super::config::{Config, Persistent};
use super::rtt::Rtt;
use super::sent::{Newly, Sent, SentPacket};
use crate::cc::hystart::HyStart;
use crate::cc::{Event, Feedback, Host, Law, Loss, LossCause, LostSegment, Measured, News, PathChange};
use crate::cc::{SlowStartCounts, Window};
use crate::tcp::{Deliveries, Snapshot};
use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// What grows and cuts the window.
#[derive(Clone, Debug)]
enum Control {
    /// RFC 9002 appendix B.
    NewReno {
        /// What acknowledged bytes have not yet paid for, in bytes times cwnd.
        credit: u64,
        /// HyStart++ in the first slow start.
        hystart: Option<Box<HyStart>>,
    },
    /// One of TCP's, with delivery rates if it asks for them.
    Law(Box<(Law, Option<Deliveries>)>),
}

/// The window of a connection.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    pub window: Window,
    pub bytes_in_flight: u64,
    /// congestion_recovery_start_time; `None` before the first loss, and behind persistent congestion.
    pub recovery_start: Option<Instant>,
    control: Control,
    /// Bytes found lost so far.
    pub lost: u64,
    /// Numbers below were sent when the window was last full.
    pub full_below: u64,
    /// Cuts for losses, and for marks.
    pub cuts: [u64; 2],
    /// Persistent congestion so often.
    pub collapses: u64,
}

impl Congestion {
    pub fn new(config: &Config) -> Congestion {
        let mss = u64::from(config.max_datagram_size);
        let control = match config.uses_law() {
            true => {
                let rates = config.algorithm.asks().rate_samples.then(Deliveries::default);
                let mut law = Law::new(config.algorithm, &config.laws);
                law.on_host(&Host { header: config.below, ..Host::default() });
                Control::Law(Box::new((law, rates)))
            }
            false => Control::NewReno { credit: 0, hystart: config.laws.reno.hystart.then(Box::default) },
        };
        Congestion {
            window: Window {
                cwnd: config.initial_window.bytes(config.max_datagram_size).min(config.max_window),
                ssthresh: config.initial_ssthresh.unwrap_or(u64::MAX),
                mss,
            },
            bytes_in_flight: 0,
            recovery_start: None,
            control,
            lost: 0,
            full_below: 0,
            cuts: [0; 2],
            collapses: 0,
        }
    }

    /// Whether the window has no room for a full packet.
    pub fn is_full(&self) -> bool {
        self.bytes_in_flight.saturating_add(self.window.mss) > self.window.cwnd
    }

    /// InCongestionRecovery() of B.5: true of what left before the last cut, or with it.
    pub fn is_in_recovery(&self, sent_at: Instant) -> bool {
        self.recovery_start.is_some_and(|start| sent_at <= start)
    }

    /// The deliveries of a law that measures rates.
    pub fn deliveries(&mut self) -> Option<&mut Deliveries> {
        match &mut self.control {
            Control::Law(law) => law.1.as_mut(),
            Control::NewReno { .. } => None,
        }
    }

    /// The flow has been idle with nothing in flight, and something is about to leave.
    pub fn restart(&mut self, now: Instant, srtt: Option<Duration>, config: &Config) {
        if config.algorithm.asks().every_ack
            && let Control::Law(law) = &mut self.control
        {
            let event = Event { srtt, is_app_limited: true, ..Event::at(now) };
            law.0.on_restart(&config.laws, &mut self.window, &event);
        }
    }

    /// OnPacketsAcked(): B.5. The window may grow for packets with numbers below `below`; `event` knows what no packet
    /// says, and is told what they say.
    pub fn acknowledge(&mut self, packets: &[Newly], below: u64, event: &mut Event, config: &Config) {
        let recovery_start = self.recovery_start;
        let may_grow = |one: &&Newly| {
            one.number < below && one.is_in_flight && recovery_start.is_none_or(|start| one.sent_at > start)
        };
        let grows = packets.iter().filter(may_grow).map(|one| u64::from(one.size));
        if let Control::NewReno { credit, hystart: None } = &mut self.control {
            grow(&mut self.window, credit, grows);
            return self.bound(config);
        }
        let total: u64 = grows.clone().sum();
        let every_ack = config.algorithm.asks().every_ack;
        event.acked = if every_ack { packets.iter().map(|one| u64::from(one.size)).sum() } else { total };
        // RFC 9002 §7.3.1.
        event.counts = SlowStartCounts::All;
        event.in_flight = self.bytes_in_flight;
        event.in_recovery = packets.last().is_some_and(|one| self.is_in_recovery(one.sent_at));
        match &mut self.control {
            Control::NewReno { hystart: Some(watch), .. } if self.window.in_slow_start() => {
                watch.on_ack(config.laws.reno.hystart_limit, &mut self.window, event);
            }
            Control::NewReno { credit, .. } => grow(&mut self.window, credit, grows),
            Control::Law(law) if every_ack || total > 0 || event.marked > 0 => {
                law.0.on_event(&config.laws, &mut self.window, event);
            }
            Control::Law(_) => {}
        }
        self.bound(config);
    }

    /// The path changes.
    pub fn handle_news(&mut self, change: PathChange, event: Event, config: &Config) {
        let event = Event { in_flight: self.bytes_in_flight, is_app_limited: !self.is_full(), ..event };
        if let Control::Law(law) = &mut self.control {
            law.0.on_news(&config.laws, &mut self.window, &News { change, event });
        }
        self.bound(config);
    }

    /// Routers grant or take away.
    pub fn handle_feedback(&mut self, feedback: &Feedback, config: &Config) {
        if let Control::Law(law) = &mut self.control {
            law.0.on_feedback(&config.laws, &mut self.window, feedback);
        }
        self.bound(config);
    }

    /// Hops have measured.
    pub fn handle_telemetry(&mut self, measured: &Measured, config: &Config) {
        if let Control::Law(law) = &mut self.control {
            law.0.on_telemetry(&config.laws, &mut self.window, measured);
        }
        self.bound(config);
    }

    /// OnCongestionEvent() of B.6, for a packet that left then: true if it cuts the window.
    pub fn handle_congestion(&mut self, cause: LossCause, sent_at: Instant, event: Event, config: &Config) -> bool {
        if self.is_in_recovery(sent_at) {
            return false;
        }
        self.recovery_start = Some(event.now);
        self.cut(cause, event, config);
        self.cuts[usize::from(cause == LossCause::Mark)] += 1;
        true
    }

    fn cut(&mut self, cause: LossCause, event: Event, config: &Config) {
        let minimum = config.minimum_bytes();
        match &mut self.control {
            // Appendix B leaves ssthresh without a floor.
            Control::NewReno { credit, hystart } => {
                (*credit, *hystart) = (0, None);
                self.window.ssthresh = (self.window.cwnd as f64 * config.loss_reduction_factor) as u64;
                self.window.cwnd = self.window.ssthresh.max(minimum);
            }
            Control::Law(law) => {
                let loss = Loss { cause, flight: self.window.cwnd, event };
                law.0.on_loss(&config.laws, &mut self.window, &loss);
            }
        }
        self.bound(config);
    }

    /// Persistent congestion: cwnd is the least, and the next loss cuts again (§7.6.2, B.8). To a law it is a timeout:
    /// the loss that came with it has told it of one, or else it is one that leaves ssthresh.
    pub fn collapse(&mut self, was_cut: bool, event: Event, config: &Config) {
        self.collapses += 1;
        if let Control::Law(law) = &mut self.control
            && !was_cut
        {
            let (ssthresh, flight) = (self.window.ssthresh, self.window.cwnd);
            law.0.on_loss(&config.laws, &mut self.window, &Loss { cause: LossCause::Timeout, flight, event });
            self.window.ssthresh = ssthresh;
        }
        if !config.algorithm.asks().model {
            self.window.cwnd = config.minimum_bytes();
        }
        self.recovery_start = None;
        self.bound(config);
    }

    /// A packet is lost: laws that ask for each hear of it.
    pub fn lose(&mut self, number: u64, size: u32, snapshot: Snapshot, now: Instant, config: &Config) {
        self.lost += u64::from(size);
        let Control::Law(law) = &mut self.control else { return };
        if !config.algorithm.asks().each_loss {
            return;
        }
        let lost = LostSegment {
            start: number,
            end: number + 1,
            tx_in_flight: snapshot.in_flight.bytes(),
            lost: snapshot.lost_since(self.lost),
            is_app_limited: snapshot.in_flight.is_app_limited(),
        };
        law.0.on_lost(&config.laws, &mut self.window, &lost, now);
        self.bound(config);
    }

    fn bound(&mut self, config: &Config) {
        self.window.cwnd = self.window.cwnd.max(config.minimum_bytes()).min(config.max_window);
    }

    /// The rate at which packets leave.
    pub fn pacing_rate(&self, smoothed: Duration, srtt: Option<Duration>, config: &Config) -> Rate {
        let own = match &self.control {
            Control::Law(law) => law.0.pacing_rate(&config.laws, &self.window, srtt),
            Control::NewReno { .. } => None,
        };
        own.unwrap_or_else(|| {
            let bits = self.window.cwnd as f64 * 8.0 * config.pacing_gain;
            // `as` saturates.
            Rate::from_bps((bits * PS_PER_SECOND as f64 / smoothed.ps().max(1) as f64) as u64)
        })
    }

    /// The law's own figures.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        match &self.control {
            Control::Law(law) => law.0.figures(),
            Control::NewReno { .. } => Vec::new(),
        }
    }
}

/// B.5: in slow start by the bytes of each packet, else by a full packet for each cwnd.
fn grow(window: &mut Window, credit: &mut u64, packets: impl Iterator<Item = u64>) {
    for bytes in packets {
        if window.in_slow_start() {
            window.cwnd = window.cwnd.saturating_add(bytes);
            continue;
        }
        *credit = credit.saturating_add(bytes.saturating_mul(window.mss));
        let grown = *credit / window.cwnd;
        *credit -= grown * window.cwnd;
        window.cwnd = window.cwnd.saturating_add(grown);
    }
}

/// InPersistentCongestion(): whether two of these lost packets, which are in ascending order, ask for an ACK, left
/// after the first sample and further apart than `duration`, with nothing acknowledged that left between them.
fn spans<'p>(lost: impl Iterator<Item = (u64, &'p SentPacket)>, rtt: &Rtt, sent: &Sent, duration: Duration) -> bool {
    let Some(first_sample) = rtt.first_sample else { return false };
    let mut begin: Option<(u64, Instant)> = None;
    for (number, packet) in lost.filter(|one| one.1.is_ack_eliciting && one.1.sent_at > first_sample) {
        match begin {
            Some((low, at)) if !sent.is_acked_between(low, number) => {
                if packet.sent_at.saturating_since(at) > duration {
                    return true;
                }
            }
            _ => begin = Some((number, packet.sent_at)),
        }
    }
    false
}

/// Whether the losses of one pass, or all that are remembered, are persistent congestion: §7.6.
pub(super) fn is_persistent(lost: &[u64], rtt: &Rtt, sent: &Sent, config: &Config) -> bool {
    let duration = persistent_after(rtt, config);
    match config.persistent_congestion {
        Persistent::OnePass => {
            spans(lost.iter().filter_map(|number| Some((*number, sent.get(*number)?))), rtt, sent, duration)
        }
        Persistent::AnyTwo => spans(sent.lost(), rtt, sent, duration),
        Persistent::Never => false,
    }
}

/// (smoothed_rtt + max(4 rttvar, kGranularity) + max_ack_delay) kPersistentCongestionThreshold: §7.6.1.
pub(super) fn persistent_after(rtt: &Rtt, config: &Config) -> Duration {
    let pto = rtt.base(config) + config.peer_max_ack_delay;
    pto.saturating_mul(config.persistent_congestion_threshold.into())
}
