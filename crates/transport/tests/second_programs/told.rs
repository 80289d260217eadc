//! The laws that are told, and Copa, beside programs of their papers' algorithms: HPCC in bytes and nanoseconds,
//! PowerTCP in bits, RCP's port in bits and milliseconds, ABC and Copa in packets. The laws run with their usual
//! parameters.

use super::{MSS, Numbers};
use transport::cc::{CongestionControl, Event, Loss, LossCause, Measured, Window, abc, copa, hpcc, powertcp, rcp};
use transport::rcp::{Offer, Router};
use transport::telemetry::{Hop, Telemetry};
use units::{Duration, Instant, Rate};

/// The round trip of the empty path.
const BASE_NS: u64 = 20_000;

/// What a port says, in bytes, nanoseconds and bits a second.
#[derive(Clone, Copy, Debug)]
struct Port {
    ns: u64,
    queue: u64,
    sent: u64,
    gbps: u64,
}

/// Some ports with queues that move as their links let them.
struct Path(Vec<Port>);

impl Path {
    fn new(numbers: &mut Numbers) -> Path {
        let port = |numbers: &mut Numbers| Port {
            ns: 1000,
            queue: 0,
            sent: 0,
            gbps: [10, 25, 100][numbers.below(3) as usize],
        };
        Path((0..1 + numbers.below(4)).map(|_| port(numbers)).collect())
    }

    /// Some time later.
    fn pass(&mut self, numbers: &mut Numbers) -> Telemetry {
        let mut told = Telemetry::EMPTY;
        for (number, port) in self.0.iter_mut().enumerate() {
            let ns = 100 + numbers.below(2 * BASE_NS);
            let most = ns * port.gbps / 8;
            // Not quite full: of two ports that are, none is the busiest.
            let sent = if port.queue > 0 { most - numbers.below(most / 8) } else { numbers.below(most + 1) };
            port.queue = (port.queue + numbers.below(most + 1)).saturating_sub(numbers.below(most + 1)).min(1_000_000);
            (port.ns, port.sent) = (port.ns + ns, port.sent + sent);
            told.push(Hop {
                port: number as u32,
                at: Instant::from_ps(port.ns * 1000),
                queue: port.queue,
                sent: port.sent,
                rate: Rate::from_gbps(port.gbps),
                next: None,
            });
        }
        told
    }

    /// The bandwidth-delay product of the slowest port in bytes.
    fn product(&self) -> f64 {
        self.0.iter().map(|port| port.gbps as f64 / 8.0 * BASE_NS as f64).fold(f64::INFINITY, f64::min)
    }
}

/// A second program of a law: the window by the ports before and now, the product of the slowest, and ACK number, next
/// byte and window.
type Program<'a> = &'a mut dyn FnMut(&[Port], &[Port], f64, [u64; 3]) -> f64;

/// Gives a law 3000 ACKs that say what a path measured, and compares its windows with those of `expected`.
fn told<L: CongestionControl>(config: &L::Config, expected: Program<'_>, reset: &mut dyn FnMut()) {
    for seed in 1..=20 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (mut path, mut law) = (Path::new(&mut numbers), L::new(config));
        let mut window = Window { cwnd: 50_000, ssthresh: u64::MAX, mss: MSS };
        let (mut ack, mut before) = (0, Vec::new());
        reset();
        for step in 0..3000 {
            let telemetry = path.pass(&mut numbers);
            ack += MSS * (1 + numbers.below(2));
            let next = ack + window.cwnd.min(100_000);
            let wish = expected(&before, &path.0, path.product(), [ack, next, window.cwnd]);
            let measured = Measured { telemetry: &telemetry, ack, next, event: Event::at(Instant::ZERO) };
            law.on_telemetry(config, &mut window, &measured);
            let found = window.cwnd as f64;
            assert!((found - wish.max(1.0)).abs() <= 1.0 + 1e-6 * wish, "seed {seed}, step {step}: {found} and {wish}");
            before.clone_from(&path.0);
        }
    }
}

/// Algorithm 1 of HPCC. η = 0.95, maxStage = 5, W_AI for 100 flows.
#[derive(Default)]
struct HpccProgram {
    u: f64,
    wc: f64,
    stage: u32,
    last_update: u64,
}

impl HpccProgram {
    fn new() -> HpccProgram {
        HpccProgram { u: 1.0, ..HpccProgram::default() }
    }

    fn ack(&mut self, before: &[Port], now: &[Port], product: f64, [ack, next, cwnd]: [u64; 3]) -> f64 {
        if before.is_empty() {
            return cwnd as f64;
        }
        let t = BASE_NS as f64;
        let (mut u, mut tau) = (0.0, 0.0);
        for (old, new) in before.iter().zip(now) {
            let (dt, b) = ((new.ns - old.ns) as f64, new.gbps as f64 / 8.0);
            let tx = (new.sent - old.sent) as f64 / dt;
            let load = new.queue.min(old.queue) as f64 / (b * t) + tx / b;
            if load > u || u == 0.0 {
                (u, tau) = (load, dt);
            }
        }
        tau = tau.min(t);
        self.u = self.u * (1.0 - tau / t) + u * (tau / t);
        if self.wc == 0.0 {
            self.wc = cwnd as f64;
        }
        let increase = 0.05 * product / 100.0;
        let (jump, update) = (self.u >= 0.95 || self.stage >= 5, ack > self.last_update);
        let w = if jump { self.wc / (self.u / 0.95) + increase } else { self.wc + increase }.min(product);
        if update {
            (self.wc, self.last_update) = (w, next);
            self.stage = if jump { 0 } else { self.stage + 1 };
        }
        w
    }
}

#[test]
fn hpcc_in_nanoseconds() {
    let base_rtt = Some(Duration::from_ps(1000 * BASE_NS));
    let config = hpcc::Config { base_rtt, ..hpcc::Config::default() };
    let program = std::cell::RefCell::new(HpccProgram::new());
    told::<hpcc::Hpcc>(
        &config,
        &mut |before, now, product, numbers| program.borrow_mut().ack(before, now, product, numbers),
        &mut || *program.borrow_mut() = HpccProgram::new(),
    );
}

/// Algorithm 1 of PowerTCP in bits and seconds. γ = 0.9, β for 100 flows. It keeps the window of each byte that it
/// sent.
#[derive(Default)]
struct PowerProgram {
    smooth: f64,
    /// From which byte on which window.
    sent: Vec<(u64, f64)>,
}

impl PowerProgram {
    fn new() -> PowerProgram {
        PowerProgram { smooth: 1.0, sent: Vec::new() }
    }

    fn ack(&mut self, before: &[Port], now: &[Port], product: f64, [ack, next, cwnd]: [u64; 3]) -> f64 {
        let cwnd = cwnd as f64;
        let old = self.sent.iter().rev().find(|(from, _)| *from < ack).or(self.sent.first()).map_or(cwnd, |one| one.1);
        let w = if before.is_empty() { cwnd } else { self.next(before, now, product, [old, cwnd]) };
        match self.sent.last_mut() {
            Some(last) if last.0 >= next => last.1 = w.floor(),
            _ => self.sent.push((next, w.floor())),
        }
        w
    }

    fn next(&mut self, before: &[Port], now: &[Port], product: f64, [old, cwnd]: [f64; 2]) -> f64 {
        let tau = BASE_NS as f64 * 1e-9;
        let (mut greatest, mut time) = (f64::NEG_INFINITY, 0.0);
        for (old, new) in before.iter().zip(now) {
            let (dt, b) = ((new.ns - old.ns) as f64 * 1e-9, new.gbps as f64 * 1e9);
            let gradient = 8.0 * (new.queue as f64 - old.queue as f64) / dt;
            let current = gradient + 8.0 * (new.sent - old.sent) as f64 / dt;
            let voltage = 8.0 * new.queue as f64 + b * tau;
            let power = current * voltage / (b * b * tau);
            if power > greatest {
                (greatest, time) = (power, dt.min(tau));
            }
        }
        self.smooth = (self.smooth * (tau - time) + greatest * time) / tau;
        let beta = product / 100.0;
        (0.9 * (old / self.smooth.max(1e-6) + beta) + 0.1 * cwnd).min(product + beta)
    }
}

#[test]
fn powertcp_in_bits() {
    let base_rtt = Some(Duration::from_ps(1000 * BASE_NS));
    let config = powertcp::Config { base_rtt, ..powertcp::Config::default() };
    let program = std::cell::RefCell::new(PowerProgram::new());
    told::<powertcp::PowerTcp>(
        &config,
        &mut |before, now, product, numbers| program.borrow_mut().ack(before, now, product, numbers),
        &mut || *program.borrow_mut() = PowerProgram::new(),
    );
}

/// Eq. (2) of RCP in megabits and milliseconds: α = 0.4, β = 0.226, T = min(10 ms, d), d moved by 1/50; R falls by half
/// at most, and a hundredth of 1500 B in d remains.
#[test]
fn rcps_port_in_milliseconds() {
    for seed in 1..=20 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mbps = 10.0 * (1 + numbers.below(100)) as f64;
        let rate = Rate::from_mbps(mbps as u64);
        let mut router = Router::new(&rcp::Config::default(), rate, Instant::ZERO);
        let (mut r, mut d, mut arrived) = (0.05 * mbps, None::<f64>, 0.0);
        let (mut began, mut due) = (0.0, 10.0);
        let (mut us, mut queue) = (0, 0);
        for step in 0..4000 {
            us += 1 + numbers.below(3000);
            queue = (queue + numbers.below(40_000)).saturating_sub(numbers.below(40_000));
            let now = Instant::ZERO + Duration::from_micros(us);
            router.handle_timeout(now, queue);
            while due <= us as f64 / 1000.0 + 1e-9 {
                let span = due - began;
                if let Some(d) = d {
                    let (y, q) = (arrived / span, queue as f64 * 8e-3 / d);
                    r *= (1.0 + span / d * (0.4 * (mbps - y) - 0.226 * q) / mbps).max(0.5);
                    // A hundredth of 12 kbit in d milliseconds.
                    r = r.max(0.12 / d).min(mbps);
                }
                (arrived, began) = (0.0, due);
                due = began + d.map_or(10.0, |d: f64| d.min(10.0));
            }
            router.handle_arrival(1500);
            // Kilobits.
            arrived += 12.0;
            let rtt_us = 500 + numbers.below(20_000);
            router.handle_departure(now, &mut Offer { rtt: Duration::from_micros(rtt_us), ..Offer::NONE });
            let told = rtt_us as f64 / 1000.0;
            if d.is_none() {
                (arrived, began) = (0.0, us as f64 / 1000.0);
                due = began + told.min(10.0);
            }
            d = Some(d.map_or(told, |d| d * 0.98 + 0.02 * told));
            let found = router.rate().bps() as f64 / 1e6;
            // A rate is whole bits a second.
            assert!((found - r).abs() < 1.1e-6 + 1e-6 * r, "seed {seed}, step {step}: {found} and {r} Mb/s");
        }
    }
}

/// Eq. (3) of ABC, a packet at a time; the window is at most twice the flight where it grows.
#[test]
fn abc_in_packets() {
    for seed in 1..=20 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (config, mut law) = (abc::Config::default(), abc::Abc::new(&abc::Config::default()));
        let (mut window, mut w) = (Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS }, 10.0_f64);
        for step in 0..5000 {
            let brakes = numbers.below(1000) < 480;
            let flight = w as u64;
            let event = Event {
                acked: MSS,
                marked: if brakes { MSS } else { 0 },
                in_flight: flight * MSS,
                ..Event::at(Instant::ZERO)
            };
            law.on_ack(&config, &mut window, &event);
            w = if brakes { w - 1.0 + 1.0 / w } else { (w + 1.0 + 1.0 / w).min(2.0 * (flight as f64 + 1.0)).max(w) };
            w = w.max(1.0);
            let found = window.cwnd as f64 / MSS as f64;
            assert!((found - w).abs() < 0.002, "seed {seed}, step {step}: {found} and {w}");
        }
    }
}

/// §2.1 of Copa in milliseconds and packets, with all that was ever measured. δ = 0.5.
struct CopaProgram {
    cwnd: f64,
    seen: Vec<(f64, f64)>,
    slow: bool,
    v: f64,
    up: bool,
    same: u32,
    start: f64,
    acked: u64,
    end: u64,
}

impl CopaProgram {
    fn new(cwnd: f64) -> CopaProgram {
        CopaProgram { cwnd, seen: Vec::new(), slow: true, v: 1.0, up: true, same: 0, start: cwnd, acked: 0, end: 0 }
    }

    fn least(&self, since: f64) -> f64 {
        self.seen.iter().filter(|(at, _)| *at >= since).map(|(_, rtt)| *rtt).fold(f64::INFINITY, f64::min)
    }

    fn ack(&mut self, now: f64, rtt: f64, srtt: f64, left: u64) {
        self.seen.push((now, rtt));
        let (standing, least) = (self.least(now - srtt / 2.0), self.least(now - 10_000.0));
        self.acked += 1;
        if self.acked > self.end {
            self.end = self.acked + left;
            let up = self.cwnd > self.start;
            self.start = self.cwnd;
            if !self.slow {
                self.same = if up == self.up { self.same + 1 } else { 1 };
                self.up = up;
                self.v = if self.same > 3 { self.v * 2.0 } else { 1.0 };
            }
        }
        let (dq, rate) = (standing - least, self.cwnd / standing);
        let grows = dq == 0.0 || rate <= 1.0 / (0.5 * dq);
        if self.slow {
            self.slow = grows;
            self.cwnd += f64::from(u8::from(grows));
            return;
        }
        self.v = self.v.min((0.5 * self.cwnd).max(1.0));
        let step = self.v / (0.5 * self.cwnd);
        self.cwnd = if grows { self.cwnd + step } else { (self.cwnd - step).max(1.0) };
    }
}

#[test]
fn copa_in_milliseconds() {
    for seed in 1..=20 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (config, mut law) = (copa::Config::default(), copa::Copa::new(&copa::Config::default()));
        let (mut window, mut other) = (Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS }, CopaProgram::new(10.0));
        let (mut us, mut queue, mut srtt) = (1_000_000_u64, 0_u64, 20_000_u64);
        for step in 0..3000 {
            queue = (queue + numbers.below(500)).saturating_sub(numbers.below(500)).min(30_000);
            let (rtt, flight) = (20_000 + queue, window.cwnd / MSS);
            srtt = (7 * srtt + rtt) / 8;
            us += rtt / flight.max(1) + 1;
            let at = Event::at(Instant::ZERO + Duration::from_micros(us));
            if numbers.below(500) == 0 {
                law.on_loss(
                    &config,
                    &mut window,
                    &Loss { cause: LossCause::FastRetransmit, flight: at.in_flight, event: at },
                );
            }
            // A part of a microsecond more: no rate is the target to the last bit.
            let time = |us: u64| Some(Duration::from_ps(us * 1_000_000 + 300_000));
            let event = Event { acked: MSS, rtt_sample: time(rtt), srtt: time(srtt), in_flight: flight * MSS, ..at };
            law.on_ack(&config, &mut window, &event);
            let ms = |us: u64| (us as f64 + 0.3) / 1000.0;
            other.ack(us as f64 / 1000.0, ms(rtt), ms(srtt), flight);
            let found = window.cwnd as f64 / MSS as f64;
            assert!((found - other.cwnd).abs() < 0.002, "seed {seed}, step {step}: {found} and {}", other.cwnd);
        }
    }
}
