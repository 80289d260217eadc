//! The laws in whole numbers, as a kernel with a clock of 1000 Hz reckons them.

use super::{Heard, Program};

/// The counter of a window's growth.
#[derive(Clone, Copy, Debug, Default)]
struct Count(u64);

impl Count {
    fn every(&mut self, window: &mut f64, per: u64, acked: u64) {
        if self.0 >= per {
            self.0 = 0;
            *window += 1.0;
        }
        self.0 += acked;
        while self.0 >= per {
            self.0 -= per;
            *window += 1.0;
        }
    }
}

/// Slow start; what is left of the ACK.
fn start(window: &mut f64, ssthresh: f64, acked: u64) -> u64 {
    let mut left = acked;
    while left > 0 && *window < ssthresh {
        *window += 1.0;
        left -= 1;
    }
    left
}

fn reno(count: &mut Count, window: &mut f64, ssthresh: f64, acked: u64) {
    let left = start(window, ssthresh, acked);
    if left > 0 {
        count.every(window, *window as u64, left);
    }
}

/// Segments acknowledged beyond what was outstanding when the round trip began.
#[derive(Clone, Copy, Debug, Default)]
struct Sequence {
    acked: u64,
    end: u64,
}

impl Sequence {
    fn is_after(&mut self, acked: u64) -> bool {
        self.acked += acked;
        self.acked > self.end
    }

    fn restart(&mut self, left: u64) {
        self.end = self.acked + left;
    }
}

#[derive(Default)]
pub struct Scalable(Count);

impl Program for Scalable {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let left = start(window, *ssthresh, heard.acked);
        if left > 0 {
            self.0.every(window, (*window as u64).min(100), left);
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        (flight - flight / 8) as f64
    }
}

pub struct Htcp {
    count: u64,
    alpha: u64,
    beta: u64,
    steady: bool,
    min_rtt: u64,
    max_rtt: u64,
    last: u64,
    repairing: bool,
    packets: u64,
    since: u64,
    rate: u64,
    most: u64,
    old_most: u64,
}

impl Htcp {
    pub fn new() -> Htcp {
        Htcp {
            count: 0,
            alpha: 128,
            beta: 64,
            steady: false,
            min_rtt: 0,
            max_rtt: 0,
            last: 0,
            repairing: false,
            packets: 0,
            since: 0,
            rate: 0,
            most: 0,
            old_most: 0,
        }
    }

    fn set_alpha(&mut self, now: u64) {
        let mut diff = now - self.last;
        let mut factor = 1;
        if diff > 1000 {
            diff -= 1000;
            factor = 1 + (10 * diff + (diff / 2) * (diff / 2) / 1000) / 1000;
        }
        if self.min_rtt > 0 {
            let scale = (8000 / (10 * self.min_rtt)).clamp(4, 80);
            factor = (factor * 8 / scale).max(1);
        }
        self.alpha = 2 * factor * (128 - self.beta);
    }
}

impl Program for Htcp {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let (now, rtt) = (heard.now / 1000, heard.rtt.div_ceil(1000));
        if self.min_rtt == 0 || self.min_rtt > rtt {
            self.min_rtt = rtt;
        }
        if self.max_rtt < self.min_rtt {
            self.max_rtt = self.min_rtt;
        }
        if self.max_rtt < rtt && rtt <= self.max_rtt + 20 {
            self.max_rtt = rtt;
        }
        self.packets += heard.acked;
        let cwnd = *window as u64;
        if self.packets + (self.alpha >> 7).max(1) >= cwnd && now - self.since >= self.min_rtt {
            let rate = self.packets * 1000 / (now - self.since);
            if (now - self.last) / self.min_rtt <= 3 {
                (self.rate, self.most) = (rate, rate);
            } else {
                self.rate = (3 * self.rate + rate) / 4;
                self.most = self.most.max(self.rate);
            }
            (self.packets, self.since) = (0, now);
        }
        if self.repairing {
            (self.repairing, self.last) = (false, now);
        }
        if *window < *ssthresh {
            start(window, *ssthresh, heard.acked);
        } else if (self.count * self.alpha) >> 7 >= cwnd {
            *window += 1.0;
            self.count = 0;
            self.set_alpha(now);
        } else {
            self.count += heard.acked;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, now: u64, _: u64) -> f64 {
        let now = now / 1000;
        let (most, old) = (self.most, self.old_most);
        self.old_most = most;
        if 5 * most < 4 * old || 5 * most > 6 * old {
            (self.beta, self.steady) = (64, false);
        } else if self.steady && self.min_rtt > 10 && self.max_rtt > 0 {
            self.beta = ((self.min_rtt << 7) / self.max_rtt).clamp(64, 102);
        } else {
            (self.beta, self.steady) = (64, true);
        }
        self.set_alpha(now);
        if self.min_rtt > 0 && self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + (self.max_rtt - self.min_rtt) * 95 / 100;
        }
        (self.repairing, self.last) = (true, now);
        ((flight * self.beta) >> 7) as f64
    }
}

pub struct Illinois {
    round: Sequence,
    sum: u64,
    samples: u64,
    base: u64,
    max: u64,
    alpha: u64,
    beta: u64,
    count: u64,
    above: bool,
    low: u64,
}

impl Illinois {
    pub fn new() -> Illinois {
        Illinois {
            round: Sequence::default(),
            sum: 0,
            samples: 0,
            base: u64::MAX,
            max: 0,
            alpha: 1280,
            beta: 32,
            count: 0,
            above: false,
            low: 0,
        }
    }

    fn alpha(&mut self, da: u64, dm: u64) -> u64 {
        let d1 = dm / 100;
        if da > d1 {
            self.above = true;
            return (dm - d1) * 1280 / (dm - d1 + (da - d1) * (1280 - 38) / 38);
        }
        if self.above {
            self.low += 1;
            if self.low < 5 {
                return self.alpha;
            }
            (self.low, self.above) = (0, false);
        }
        1280
    }
}

fn illinois_beta(da: u64, dm: u64) -> u64 {
    let (d2, d3) = (dm / 10, 8 * dm / 10);
    if da <= d2 {
        8
    } else if da >= d3 || d3 <= d2 {
        32
    } else {
        (8 * d3 + 24 * da - 32 * d2) / (d3 - d2)
    }
}

impl Program for Illinois {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let rtt = heard.rtt.min(u64::from(u32::MAX) / 1280);
        (self.base, self.max) = (self.base.min(rtt), self.max.max(rtt));
        (self.sum, self.samples) = (self.sum + rtt, self.samples + 1);
        if self.round.is_after(heard.acked) {
            if *window < 15.0 {
                (self.alpha, self.beta) = (128, 32);
            } else {
                let (dm, da) = (self.max - self.base, self.sum / self.samples - self.base);
                (self.alpha, self.beta) = (self.alpha(da, dm), illinois_beta(da, dm));
            }
            self.round.restart(heard.left);
            (self.sum, self.samples) = (0, 0);
        }
        if *window < *ssthresh {
            start(window, *ssthresh, heard.acked);
            return;
        }
        self.count += heard.acked;
        let delta = (self.count * self.alpha) >> 7;
        let cwnd = *window as u64;
        if delta >= cwnd {
            *window += (delta / cwnd) as f64;
            self.count = 0;
        }
    }

    fn loss(&mut self, flight: u64, is_timeout: bool, _: u64, left: u64) -> f64 {
        let kept = flight - ((flight * self.beta) >> 6);
        if is_timeout {
            (self.alpha, self.beta, self.low, self.above) = (128, 32, 0, false);
            self.round.restart(left);
            (self.sum, self.samples) = (0, 0);
        }
        kept as f64
    }
}

pub struct Bic {
    count: Count,
    per: u64,
    max: u64,
    last: u64,
    at: u64,
    ratio: i64,
}

impl Bic {
    pub fn new() -> Bic {
        Bic { count: Count(0), per: 0, max: 0, last: 0, at: 0, ratio: 32 }
    }

    fn update(&mut self, cwnd: u64, now: u64) {
        if self.last == cwnd && now - self.at <= 31_000 {
            return;
        }
        (self.last, self.at) = (cwnd, now);
        if cwnd <= 14 {
            self.per = cwnd;
            return;
        }
        let mut per = if cwnd < self.max {
            let distance = (self.max - cwnd) / 4;
            if distance > 16 {
                cwnd / 16
            } else if distance <= 1 {
                cwnd * 20 / 4
            } else {
                cwnd / distance
            }
        } else if cwnd < self.max + 4 {
            cwnd * 20 / 4
        } else if cwnd < self.max + 16 * 3 {
            cwnd * 3 / (cwnd - self.max)
        } else {
            cwnd / 16
        };
        if self.max == 0 && per > 20 {
            per = 20;
        }
        self.per = ((per << 4) / self.ratio as u64).max(1);
    }
}

impl Program for Bic {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        self.ratio += heard.acked as i64 - (self.ratio >> 4);
        let left = start(window, *ssthresh, heard.acked);
        if left > 0 {
            self.update(*window as u64, heard.now);
            self.count.every(window, self.per, left);
        }
    }

    fn loss(&mut self, flight: u64, is_timeout: bool, _: u64, _: u64) -> f64 {
        self.max = if flight < self.max { flight * (1024 + 819) / (2 * 1024) } else { flight };
        let kept = if flight <= 14 { flight / 2 } else { flight * 819 / 1024 };
        self.last = 0;
        if is_timeout {
            *self = Bic::new();
        }
        kept as f64
    }
}

pub struct Yeah {
    count: Count,
    round: Sequence,
    base: u64,
    min: u64,
    samples: u64,
    queue: u64,
    slow: u64,
    fast: u64,
    reno: u64,
}

impl Yeah {
    pub fn new() -> Yeah {
        Yeah {
            count: Count(0),
            round: Sequence::default(),
            base: u64::MAX,
            min: u64::MAX,
            samples: 0,
            queue: 0,
            slow: 0,
            fast: 0,
            reno: 2,
        }
    }
}

impl Program for Yeah {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let rtt = heard.rtt + 1;
        (self.base, self.min, self.samples) = (self.base.min(rtt), self.min.min(rtt), self.samples + 1);
        let left = start(window, *ssthresh, heard.acked);
        if left > 0 {
            let cwnd = *window as u64;
            self.count.every(window, if self.slow == 0 { cwnd.min(100) } else { cwnd }, left);
        }
        if !self.round.is_after(heard.acked) {
            return;
        }
        if self.samples > 2 {
            let mut cwnd = *window as u64;
            self.queue = cwnd * (self.min - self.base) / self.min;
            if self.queue > 80 || self.min - self.base > self.base / 8 {
                if self.queue > 80 && cwnd > self.reno {
                    cwnd = (cwnd - self.queue.min(cwnd >> 1)).max(self.reno);
                    (*window, *ssthresh) = (cwnd as f64, cwnd as f64);
                }
                self.reno = if self.reno <= 2 { (cwnd >> 1).max(2) } else { self.reno + 1 };
                self.slow += 1;
            } else {
                self.fast += 1;
                if self.fast > 50 {
                    (self.reno, self.fast) = (2, 0);
                }
                self.slow = 0;
            }
        }
        self.round.restart(heard.left);
        (self.samples, self.min) = (0, u64::MAX);
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        let half = (flight >> 1).max(2);
        let lost = if self.slow < 16 { self.queue.min(half).max(flight >> 3) } else { half };
        (self.fast, self.reno) = (0, (self.reno >> 1).max(2));
        flight.saturating_sub(lost) as f64
    }
}

pub struct Veno {
    count: Count,
    slow_count: u64,
    inc: bool,
    base: u64,
    samples: u64,
    diff: u64,
}

impl Veno {
    pub fn new() -> Veno {
        Veno { count: Count(0), slow_count: 0, inc: true, base: u64::MAX, samples: 0, diff: 0 }
    }
}

impl Program for Veno {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let rtt = heard.rtt + 1;
        (self.base, self.samples) = (self.base.min(rtt), self.samples + 1);
        if self.samples <= 2 {
            return reno(&mut self.count, window, *ssthresh, heard.acked);
        }
        let cwnd = *window as u64;
        self.diff = (cwnd << 1) - ((cwnd * self.base) << 1) / rtt;
        let left = start(window, *ssthresh, heard.acked);
        if left == 0 {
            return;
        }
        let cwnd = *window as u64;
        if self.diff < 6 {
            self.count.every(window, cwnd, left);
        } else if self.slow_count >= cwnd {
            if self.inc {
                *window += 1.0;
            }
            (self.inc, self.slow_count) = (!self.inc, 0);
        } else {
            self.slow_count += left;
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        (if self.diff < 6 { flight * 4 / 5 } else { flight >> 1 }) as f64
    }
}

pub struct Hybla {
    cents: u64,
    count: u64,
    srtt: u64,
}

impl Hybla {
    pub fn new() -> Hybla {
        Hybla { cents: 0, count: 0, srtt: u64::MAX }
    }
}

impl Program for Hybla {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        self.srtt = self.srtt.min(heard.srtt);
        let rho_3ls = (8 * self.srtt / 25_000).max(8);
        let rho = rho_3ls >> 3;
        let in_slow_start = *window < *ssthresh;
        let increment = if in_slow_start {
            let fraction = [128, 139, 152, 165, 181, 197, 215, 234][(rho_3ls - (rho << 3)) as usize];
            (1u64 << rho.min(16)) * fraction - 128
        } else {
            let increment = ((rho_3ls * rho_3ls) << 1) / *window as u64;
            self.count += u64::from(increment < 128);
            increment
        };
        let before = *window as u64;
        *window += (increment >> 7) as f64;
        self.cents += increment % 128;
        while self.cents >= 128 {
            *window += 1.0;
            self.cents -= 128;
            self.count = 0;
        }
        if increment == 0 && self.count >= before {
            *window += 1.0;
            self.count = 0;
        }
        if in_slow_start {
            *window = window.min(*ssthresh);
        }
        *window = window.min(65_535.0);
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        (flight >> 1) as f64
    }
}

pub struct Lp {
    count: Count,
    sowd: u64,
    min: u64,
    max: u64,
    reserve: u64,
    last: Option<u64>,
    inference: u64,
}

impl Lp {
    pub fn new() -> Lp {
        Lp { count: Count(0), sowd: 0, min: u64::MAX, max: 0, reserve: 0, last: None, inference: 0 }
    }
}

impl Program for Lp {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let (now, delay) = (heard.now / 1000, heard.rtt / 1000);
        if delay > 0 {
            self.inference = 3 * delay;
            self.min = self.min.min(delay);
            if delay > self.max {
                if delay > self.reserve {
                    self.max = if self.reserve == 0 { delay } else { self.reserve };
                    self.reserve = delay;
                } else {
                    self.max = delay;
                }
            }
            self.sowd = if self.sowd == 0 { delay << 3 } else { self.sowd + delay - (self.sowd >> 3) };
        }
        let within = |last: Option<u64>, inference| last.is_some_and(|last| now - last < inference);
        let (mean, infers) = (self.sowd >> 3, within(self.last, self.inference));
        if self.sowd > 0 && mean >= self.min + 15 * self.max.saturating_sub(self.min) / 100 {
            (self.min, self.max, self.reserve) = (mean, self.sowd >> 2, self.sowd >> 2);
            *window = if infers { 1.0 } else { (*window as u64 >> 1).max(1) as f64 };
            self.last = Some(now);
        }
        // The flag of inference is set before a sign is looked for.
        if !infers {
            reno(&mut self.count, window, *ssthresh, heard.acked);
        }
    }

    fn loss(&mut self, flight: u64, _: bool, _: u64, _: u64) -> f64 {
        (flight >> 1) as f64
    }
}

pub struct Nv {
    count: Count,
    round: Sequence,
    grows: bool,
    reset: bool,
    factor: u32,
    calls: u64,
    rounds: u64,
    calm: u64,
    least: u64,
    last_rtt: u64,
    min_rtt: u64,
    most: u64,
}

impl Nv {
    pub fn new() -> Nv {
        Nv {
            count: Count(0),
            round: Sequence::default(),
            grows: true,
            reset: false,
            factor: 0,
            calls: 0,
            rounds: 0,
            calm: 0,
            least: 4,
            last_rtt: 0,
            min_rtt: u64::MAX,
            most: 0,
        }
    }

    fn decide(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        self.round.restart(heard.left);
        self.rounds += 1;
        if self.calls == 1 && heard.acked >= self.least - 1 && self.least < 81 {
            self.least = (self.least + 2).min(81);
            self.round.restart(heard.left + self.least);
            (self.calls, self.grows) = (0, true);
            return;
        }
        let cwnd = *window as u64;
        let most = self.most * self.min_rtt / (80_000 * 1000) + 10;
        if cwnd > most {
            if self.rounds < 2 {
                return;
            }
            if ssthresh.is_infinite() {
                if self.calls < 30 {
                    return;
                }
            } else if self.calls < 60 {
                if self.rounds > 10 {
                    self.grows = false;
                }
                return;
            }
            self.grows = false;
            *ssthresh = most as f64;
            *window = if cwnd - most > 2 { cwnd - ((cwnd - most) * 38 / 128).max(2) } else { most } as f64;
            self.calm = 0;
        } else if cwnd + 2 <= most {
            if self.calls < 20 {
                return;
            }
            self.grows = true;
            self.calm += 1;
            if self.factor > 0 && self.calm > 8 {
                (self.factor, self.calm) = (self.factor - 1, 0);
            }
        } else {
            return;
        }
        (self.calls, self.rounds, self.most) = (0, 0, 0);
        *window = window.max(2.0);
    }
}

impl Program for Nv {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard) {
        let is_over = self.round.is_after(heard.acked);
        let is_over = if self.reset {
            (self.reset, self.calm, self.rounds, self.calls) = (false, 0, 0, 0);
            (self.last_rtt, self.most) = (0, 0);
            self.round.restart(0);
            is_over
        } else {
            is_over
        };
        if self.last_rtt == 0 {
            self.last_rtt = heard.rtt;
            self.min_rtt = 2 * heard.rtt;
        } else {
            self.last_rtt = (heard.rtt * 128 + self.last_rtt * 128) >> 8;
        }
        self.most = self.most.max(heard.sent_with * 1000 * 80_000 / self.last_rtt);
        self.calls += 1;
        self.min_rtt = self.min_rtt.min(self.last_rtt);
        if is_over {
            self.decide(window, ssthresh, heard);
        }
        if !self.grows {
            return;
        }
        let left = start(window, *ssthresh, heard.acked);
        if left > 0 {
            let cwnd = *window as u64;
            self.count.every(window, if self.factor > 0 { cwnd << self.factor } else { cwnd.max(4) }, left);
        }
    }

    fn loss(&mut self, flight: u64, is_timeout: bool, _: u64, _: u64) -> f64 {
        (self.reset, self.grows) = (true, false);
        if is_timeout {
            self.factor = (self.factor + 1).min(8);
        }
        (flight * 819 / 1024) as f64
    }
}
