//! The laws in reals, as their papers' formulas stand. Windows in segments, times in seconds.

use super::{Heard, Program};
use std::collections::VecDeque;

/// Slow start; what is left of the ACK.
fn start(window: &mut f64, ssthresh: f64, acked: f64) -> f64 {
    let room = (ssthresh - *window).max(0.0);
    *window += acked.min(room);
    (acked - room).max(0.0)
}

/// Round trips, by what was outstanding when each began.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    acked: u64,
    end: u64,
}

impl Round {
    fn is_over(&mut self, acked: u64) -> bool {
        self.acked += acked;
        self.acked > self.end
    }

    fn begin(&mut self, left: u64) {
        self.end = self.acked + left;
    }
}

/// Kelly: a = 0.01 for each ACK, b = 0.125; Reno's up to 16 segments.
pub struct Scalable;

impl Program for Scalable {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        if start(window, *ssthresh, heard.acked as f64) > 0.0 {
            *window += if *window <= 16.0 { 1.0 / *window } else { 0.01 };
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        let flight = flight as f64;
        if flight <= 16.0 { flight / 2.0 } else { 0.875 * flight }
    }
}

/// Liu, Başar, Srikant, §2.2: κ₁ … κ₄.
pub struct Illinois {
    round: Round,
    sum: f64,
    samples: f64,
    base: f64,
    max: f64,
    alpha: f64,
    beta: f64,
    above: bool,
    low: u32,
}

impl Illinois {
    pub fn new() -> Illinois {
        Illinois {
            round: Round::default(),
            sum: 0.0,
            samples: 0.0,
            base: f64::INFINITY,
            max: 0.0,
            alpha: 10.0,
            beta: 0.5,
            above: false,
            low: 0,
        }
    }

    fn decide(&mut self) {
        let (da, dm) = (self.sum / self.samples - self.base, self.max - self.base);
        let (d1, d2, d3) = (0.01 * dm, 0.1 * dm, 0.8 * dm);
        if da > d1 {
            let kappa1 = (dm - d1) * 0.3 * 10.0 / (10.0 - 0.3);
            let kappa2 = (dm - d1) * 0.3 / (10.0 - 0.3) - d1;
            (self.alpha, self.above) = (kappa1 / (kappa2 + da), true);
        } else if !self.above {
            self.alpha = 10.0;
        } else {
            self.low += 1;
            if self.low == 5 {
                (self.alpha, self.low, self.above) = (10.0, 0, false);
            }
        }
        let kappa4 = (0.5 - 0.125) / (d3 - d2);
        let kappa3 = (0.125 * d3 - 0.5 * d2) / (d3 - d2);
        self.beta = if da <= d2 {
            0.125
        } else if da >= d3 || d3 <= d2 {
            0.5
        } else {
            kappa3 + kappa4 * da
        };
    }
}

impl Program for Illinois {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let rtt = heard.rtt.min(u64::from(u32::MAX) / 1280) as f64;
        (self.base, self.max) = (self.base.min(rtt), self.max.max(rtt));
        (self.sum, self.samples) = (self.sum + rtt, self.samples + 1.0);
        if self.round.is_over(heard.acked) {
            if window.floor() < 10.0 {
                (self.alpha, self.beta) = (1.0, 0.5);
            } else {
                self.decide();
            }
            self.round.begin(heard.left);
            (self.sum, self.samples) = (0.0, 0.0);
        }
        if *window < *ssthresh {
            start(window, *ssthresh, heard.acked as f64);
        } else {
            *window += self.alpha * heard.acked as f64 / *window;
        }
    }

    fn loss(&mut self, flight: u64, is_timeout: bool, _: u64, left: u64) -> f64 {
        let kept = flight as f64 * (1.0 - self.beta);
        if is_timeout {
            (self.alpha, self.beta, self.low, self.above) = (1.0, 0.5, 0, false);
            self.round.begin(left);
            (self.sum, self.samples) = (0.0, 0.0);
        }
        kept
    }
}

/// Xu, Harfoush, Rhee, the listing of §III.
pub struct Bic {
    max: f64,
    target: f64,
    probing: bool,
    ss_cwnd: f64,
    ss_target: f64,
}

impl Bic {
    pub fn new() -> Bic {
        Bic { max: f64::INFINITY, target: f64::INFINITY, probing: false, ss_cwnd: 0.0, ss_target: 0.0 }
    }
}

impl Program for Bic {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        if start(window, *ssthresh, heard.acked as f64) == 0.0 {
            return;
        }
        if *window < 14.0 {
            *window += 1.0 / *window;
        } else if self.probing {
            *window += self.ss_cwnd / *window;
            if *window >= self.ss_target {
                self.ss_cwnd *= 2.0;
                self.ss_target = *window + self.ss_cwnd;
            }
            self.probing = self.ss_cwnd < 32.0;
        } else {
            let step = self.target - *window;
            *window += step.clamp(0.01, 32.0) / *window;
            if *window < self.max {
                self.target = (self.max + *window) / 2.0;
            } else {
                (self.probing, self.ss_cwnd, self.ss_target) = (true, 1.0, *window + 1.0);
                (self.max, self.target) = (f64::INFINITY, f64::INFINITY);
            }
        }
    }

    fn loss(&mut self, flight: u64, is_timeout: bool, _: u64, _: u64) -> f64 {
        let flight = flight as f64;
        let kept = if flight < 14.0 {
            flight / 2.0
        } else {
            let (before, kept) = (self.max, 0.875 * flight);
            self.max = if before.is_finite() && before > flight { (flight + kept) / 2.0 } else { flight };
            self.target = (self.max + kept) / 2.0;
            self.probing = false;
            kept
        };
        if is_timeout {
            *self = Bic::new();
        }
        kept
    }
}

/// Fu, Liew: N against 3, with the smoothed round trip; BaseRTT is measured anew after a loss.
pub struct Veno {
    slow: f64,
    inc: bool,
    base: f64,
    samples: u32,
    waiting: f64,
}

impl Veno {
    pub fn new() -> Veno {
        Veno { slow: 0.0, inc: true, base: f64::INFINITY, samples: 0, waiting: 0.0 }
    }
}

impl Program for Veno {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        self.base = self.base.min(heard.rtt as f64 + 1.0);
        self.samples += 1;
        let rtt = (heard.srtt as f64).max(self.base);
        if self.samples > 2 {
            self.waiting = *window * (1.0 - self.base / rtt);
        }
        let left = start(window, *ssthresh, heard.acked as f64);
        if left == 0.0 {
            return;
        }
        if self.samples <= 2 || self.waiting < 3.0 {
            *window += left / *window;
        } else if self.slow < *window {
            self.slow += left;
        } else {
            *window += if self.inc { 1.0 } else { 0.0 };
            (self.inc, self.slow) = (!self.inc, 0.0);
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        self.base = f64::INFINITY;
        flight as f64 * if self.waiting < 3.0 { 0.8 } else { 0.5 }
    }
}

/// Caini, Firrincieli: 2^ρ − 1 and ρ²/W.
pub struct Hybla {
    srtt: f64,
}

impl Hybla {
    pub fn new() -> Hybla {
        Hybla { srtt: f64::INFINITY }
    }
}

impl Program for Hybla {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        self.srtt = self.srtt.min(heard.srtt as f64);
        let rho = (self.srtt / 25_000.0).max(1.0);
        if *window < *ssthresh {
            *window = (*window + rho.exp2() - 1.0).min(*ssthresh);
        } else {
            *window += rho * rho / *window;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        flight as f64 / 2.0
    }
}

/// Shorten, Leith, with the draft's scaling by the round trip.
pub struct Htcp {
    alpha: f64,
    beta: f64,
    min: f64,
    max: f64,
    last: f64,
    repairing: bool,
    packets: f64,
    since: f64,
    rate: f64,
    most: f64,
    before: f64,
}

impl Htcp {
    pub fn new() -> Htcp {
        Htcp {
            alpha: 1.0,
            beta: 0.5,
            min: f64::INFINITY,
            max: 0.0,
            last: 0.0,
            repairing: false,
            packets: 0.0,
            since: 0.0,
            rate: 0.0,
            most: 0.0,
            before: 0.0,
        }
    }

    fn set_alpha(&mut self, now: f64) {
        let delta = (now - self.last - 1.0).max(0.0);
        let scaling = if self.min.is_finite() { (self.min / 0.1).clamp(0.1, 2.0) } else { 1.0 };
        self.alpha = 2.0 * (1.0 - self.beta) * scaling * (1.0 + 10.0 * delta + (delta / 2.0).powi(2));
    }
}

impl Program for Htcp {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let (now, rtt) = (heard.now as f64 / 1e6, heard.rtt as f64 / 1e6);
        self.min = self.min.min(rtt);
        self.max = self.max.max(self.min);
        if rtt <= self.max + 0.02 {
            self.max = self.max.max(rtt);
        }
        self.packets += heard.acked as f64;
        if self.packets >= *window - self.alpha.max(1.0) && now - self.since >= self.min {
            let rate = self.packets / (now - self.since);
            if (now - self.last) / self.min <= 3.0 {
                (self.rate, self.most) = (rate, rate);
            } else {
                self.rate = 0.75 * self.rate + 0.25 * rate;
                self.most = self.most.max(self.rate);
            }
            (self.packets, self.since) = (0.0, now);
        }
        if self.repairing {
            (self.repairing, self.last) = (false, now);
        }
        if *window < *ssthresh {
            start(window, *ssthresh, heard.acked as f64);
        } else {
            self.set_alpha(now);
            *window += self.alpha * heard.acked as f64 / *window;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, now: u64, _: u64) -> f64 {
        let now = now as f64 / 1e6;
        let changed = self.most < 0.8 * self.before || self.most > 1.2 * self.before;
        self.before = self.most;
        self.beta = if changed || self.max == 0.0 { 0.5 } else { (self.min / self.max).clamp(0.5, 0.8) };
        self.set_alpha(now);
        if self.max > self.min {
            self.max = self.min + 0.95 * (self.max - self.min);
        }
        (self.repairing, self.last) = (true, now);
        flight as f64 * self.beta
    }
}

/// Baiocchi, Castellani, Vacirca: Q_max 80, φ 8, ρ 16, ζ 50.
pub struct Yeah {
    round: Round,
    base: f64,
    min: f64,
    samples: u32,
    waiting: f64,
    slow: u32,
    fast: u32,
    reno: f64,
}

impl Yeah {
    pub fn new() -> Yeah {
        Yeah {
            round: Round::default(),
            base: f64::INFINITY,
            min: f64::INFINITY,
            samples: 0,
            waiting: 0.0,
            slow: 0,
            fast: 0,
            reno: 2.0,
        }
    }

    fn decide(&mut self, window: &mut f64, ssthresh: &mut f64) {
        self.waiting = *window * (1.0 - self.base / self.min);
        if self.waiting <= 80.0 && self.min - self.base <= self.base / 8.0 {
            self.fast += 1;
            if self.fast > 50 {
                (self.reno, self.fast) = (2.0, 0);
            }
            self.slow = 0;
            return;
        }
        if self.waiting > 80.0 && *window > self.reno {
            *window = (*window - self.waiting.min(*window / 2.0)).max(self.reno);
            *ssthresh = *window;
        }
        self.reno = if self.reno <= 2.0 { (*window / 2.0).max(2.0) } else { self.reno + 1.0 };
        self.slow += 1;
    }
}

impl Program for Yeah {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let rtt = heard.rtt as f64 + 1.0;
        (self.base, self.min, self.samples) = (self.base.min(rtt), self.min.min(rtt), self.samples + 1);
        let left = start(window, *ssthresh, heard.acked as f64);
        *window += left / if self.slow == 0 { window.min(100.0) } else { *window };
        if self.round.is_over(heard.acked) {
            if self.samples > 2 {
                self.decide(window, ssthresh);
            }
            self.round.begin(heard.left);
            (self.samples, self.min) = (0, f64::INFINITY);
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        let flight = flight as f64;
        let half = (flight / 2.0).max(2.0);
        let lost = if self.slow < 16 { self.waiting.min(half).max(flight / 8.0) } else { half };
        (self.fast, self.reno) = (0, (self.reno / 2.0).max(2.0));
        (flight - lost).max(0.0)
    }
}

/// Kuzmanovic, Knightly: δ = 0.15, γ = 1/8, three round trips of inference.
pub struct Lp {
    mean: Option<f64>,
    min: f64,
    max: f64,
    last: Option<f64>,
    inference: f64,
}

impl Lp {
    pub fn new() -> Lp {
        Lp { mean: None, min: f64::INFINITY, max: 0.0, last: None, inference: 0.0 }
    }
}

impl Program for Lp {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let (now, delay) = (heard.now as f64 / 1e3, heard.rtt as f64 / 1e3);
        self.inference = 3.0 * delay;
        (self.min, self.max) = (self.min.min(delay), self.max.max(delay));
        // What left before the last sign tells nothing new.
        if self.last.is_none_or(|sign| now - sign >= delay) {
            self.mean = Some(self.mean.map_or(delay, |mean| 0.875 * mean + 0.125 * delay));
        }
        let infers = |last: Option<f64>, inference| last.is_some_and(|last| now - last < inference);
        if self.mean.is_some_and(|mean| mean > self.min + 0.15 * (self.max - self.min)) {
            *window = if infers(self.last, self.inference) { 1.0 } else { (*window / 2.0).max(1.0) };
            *ssthresh = window.max(2.0);
            (self.last, self.mean) = (Some(now), None);
        }
        if !infers(self.last, self.inference) {
            let left = start(window, *ssthresh, heard.acked as f64);
            *window += left / *window;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        flight as f64 / 2.0
    }
}

/// Mukerjee et al., the endpoint's half: Reno; the window doubles when a circuit comes, and halves when it goes.
#[derive(Default)]
pub struct ReTcp {
    acked: f64,
}

impl Program for ReTcp {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        // RFC 5681: a segment for each ACK below ssthresh, above it one for each window of acknowledged data.
        if *window < *ssthresh {
            *window += 1.0;
            return;
        }
        self.acked += heard.acked as f64;
        // The window is a multiple of a thousandth, of which reals do not always sum up to the last.
        if self.acked >= *window - 1e-6 {
            self.acked -= *window;
            *window += 1.0;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        self.acked = 0.0;
        flight as f64 / 2.0
    }

    fn circuit(&mut self, window: &mut f64, is_up: bool) {
        *window *= if is_up { 2.0 } else { 0.5 };
    }

    fn listens(&self) -> bool {
        true
    }
}

/// Chen et al., with Reno's window in each of two divisions: every outstanding segment is known by its division.
pub struct TdTcp {
    cwnd: [f64; 2],
    ssthresh: [f64; 2],
    acked: [f64; 2],
    /// Before the last loss.
    before: [f64; 2],
    on: usize,
    outstanding: VecDeque<usize>,
}

impl TdTcp {
    pub fn new(first: f64) -> TdTcp {
        let (cwnd, ssthresh) = ([first; 2], [f64::INFINITY; 2]);
        TdTcp { cwnd, ssthresh, acked: [0.0; 2], before: cwnd, on: 0, outstanding: VecDeque::new() }
    }

    fn count(&self, division: usize) -> usize {
        self.outstanding.iter().filter(|one| **one == division).count()
    }

    /// What may be outstanding: the window of the division that is on beside what left in the other, of which as much
    /// counts as its window let leave.
    pub fn window(&self) -> f64 {
        let other = 1 - self.on;
        self.cwnd[self.on] + (self.count(other) as f64).min(self.cwnd[other].max(self.before[other]))
    }

    pub fn outstanding(&self) -> u64 {
        self.outstanding.len() as u64
    }

    /// Segments leave until so many are outstanding.
    pub fn fill(&mut self, segments: u64) {
        while self.outstanding() < segments {
            self.outstanding.push_back(self.on);
        }
    }

    /// The other division begins; whether it is the circuit.
    pub fn change(&mut self) -> bool {
        self.on = 1 - self.on;
        self.on == 1
    }

    /// The first outstanding segment is missing. Half of what its division has outstanding stays, at most of its
    /// window.
    pub fn lose(&mut self) {
        let hit = self.outstanding.front().copied().unwrap_or(self.on);
        self.before[hit] = self.cwnd[hit];
        let half = (self.count(hit) as f64).min(self.cwnd[hit]) / 2.0;
        // In whole bytes.
        let kept = ((half * super::MSS as f64).floor() / super::MSS as f64).max(2.0);
        (self.cwnd[hit], self.ssthresh[hit], self.acked[hit]) = (kept, kept, 0.0);
    }

    /// The first segments are acknowledged, at most so many; each division hears of its own.
    pub fn acknowledge(&mut self, most: u64) -> u64 {
        let mut acked = 0;
        while acked < most && !self.outstanding.is_empty() {
            let division = self.outstanding[0];
            let mut own = 0.0;
            while acked < most && self.outstanding.front() == Some(&division) {
                self.outstanding.pop_front();
                (acked, own) = (acked + 1, own + 1.0);
            }
            self.grow(division, own);
        }
        acked
    }

    fn grow(&mut self, at: usize, acked: f64) {
        if self.cwnd[at] < self.ssthresh[at] {
            self.cwnd[at] += 1.0;
            return;
        }
        self.acked[at] += acked;
        if self.acked[at] >= self.cwnd[at] {
            self.acked[at] -= self.cwnd[at];
            self.cwnd[at] += 1.0;
        }
    }
}

/// Kumar et al., algorithm 1, with times in microseconds and a window of any size.
pub struct Swift {
    pub fcwnd: f64,
    last: f64,
    rtt: f64,
    retransmits: u32,
}

impl Swift {
    pub fn new(fcwnd: f64) -> Swift {
        Swift { fcwnd, last: 0.0, rtt: 0.0, retransmits: 0 }
    }

    /// 25 µs, 1 µs for each of three hops, and α/√w + β from 0 to 100 µs, which is all of it at 0.1 segments and
    /// nothing at 100.
    fn target_us(&self) -> f64 {
        let alpha = 100.0 / (1.0 / 0.1f64.sqrt() - 1.0 / 100f64.sqrt());
        let beta = -alpha / 100f64.sqrt();
        25.0 + 3.0 * 1.0 + (alpha / self.fcwnd.sqrt() + beta).clamp(0.0, 100.0)
    }

    fn can_decrease(&self, now: f64) -> bool {
        now - self.last >= self.rtt
    }

    fn times(&mut self, factor: f64, now: f64) {
        if self.can_decrease(now) {
            self.fcwnd = (self.fcwnd * factor).max(0.01);
            self.last = now;
        }
    }

    /// One ACK counts for a window at most.
    pub fn ack(&mut self, delay: f64, acked: f64, now: f64) {
        let acked = acked.min(self.fcwnd.max(1.0));
        self.retransmits = 0;
        self.rtt = delay;
        let target = self.target_us();
        if delay < target {
            self.fcwnd += if self.fcwnd >= 1.0 { acked / self.fcwnd } else { acked };
        } else {
            let cut = 1.0 - 0.8 * ((delay - target) / delay);
            self.times(if cut > 0.5 { cut } else { 0.5 }, now);
        }
    }

    pub fn fast_recovery(&mut self, now: f64) {
        self.retransmits = 0;
        self.times(0.5, now);
    }

    pub fn timeout(&mut self, now: f64) {
        self.retransmits += 1;
        if self.retransmits >= 5 {
            (self.fcwnd, self.last) = (0.01, now);
        } else {
            self.times(0.5, now);
        }
    }

    /// Microseconds between two segments, if they are paced.
    pub fn pacing_us(&self) -> Option<f64> {
        (self.fcwnd < 1.0).then(|| self.rtt / self.fcwnd)
    }
}
