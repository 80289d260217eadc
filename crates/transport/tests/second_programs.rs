//! Window laws beside second programs of their arithmetic: `linux.rs` in whole segments, milliseconds and microseconds,
//! as a kernel reckons; `paper.rs` in reals, as the papers' formulas stand; `told.rs` for laws that networks tell, and
//! Copa. They know nothing of the laws' code. Random ACKs, round trips and losses go to both, and the windows are
//! compared after each.

mod linux;
mod paper;
mod told;

use transport::cc::{CongestionControl, Event, Loss, LossCause, News, NewsWay, PathChange, RateSample, Turn, Window};
use units::{Duration, Instant};

const MSS: u64 = 1000;

/// What a program hears of an ACK: times in microseconds, the rest in segments.
#[derive(Clone, Copy, Debug)]
struct Heard {
    now: u64,
    rtt: u64,
    srtt: u64,
    acked: u64,
    /// Outstanding after it, and outstanding when the newest segment that it covers left.
    left: u64,
    sent_with: u64,
}

/// A second program. Windows are in segments; a number is the kernel's or a real one.
trait Program {
    fn ack(&mut self, window: &mut f64, ssthresh: &mut f64, heard: &Heard);
    /// The new ssthresh at a loss with so many segments in flight.
    fn loss(&mut self, flight: u64, is_timeout: bool, now: u64, left: u64) -> f64;
    /// A circuit comes or goes; only those are told that have [listen](Program::listens).
    fn circuit(&mut self, _window: &mut f64, _is_up: bool) {}
    /// True if it hears of circuits.
    fn listens(&self) -> bool {
        false
    }
}

/// A generator of numbers of its own (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// A law and its second program hear the same; windows may differ by a part of a segment.
fn side_by_side<L: CongestionControl>(config: &L::Config, program: &dyn Fn() -> Box<dyn Program>, apart: f64) {
    for seed in 1..=40 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (mut law, mut other) = (L::new(config), program());
        let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS };
        let (mut cwnd, mut ssthresh) = (10.0, f64::INFINITY);
        let base = [300, 12_000, 90_000, 250_000][numbers.below(4) as usize];
        let (mut now, mut queue, mut srtt) = (5_000_000, 0, base);
        let (mut is_up, listens) = (false, other.listens());
        for step in 0..6000 {
            let segments = (window.cwnd / MSS).max(1);
            queue = (queue + numbers.below(base / 8)).saturating_sub(numbers.below(base / 8)).min(base);
            let rtt = base + queue;
            srtt = (7 * srtt + rtt) / 8;
            now += rtt / segments + 1;
            if listens && numbers.below(60) == 0 {
                is_up = !is_up;
                law.on_news(config, &mut window, &news(&mut numbers, is_up, now));
                other.circuit(&mut cwnd, is_up);
            }
            if numbers.below(700) == 0 {
                let cause = [LossCause::FastRetransmit, LossCause::Mark, LossCause::Timeout][numbers.below(3) as usize];
                let (flight, left) = (segments, segments);
                let event = Event { in_flight: flight * MSS, ..Event::at(Instant::ZERO + Duration::from_micros(now)) };
                law.on_loss(config, &mut window, &Loss { cause, flight: event.in_flight, event });
                let kept = other.loss(flight, cause == LossCause::Timeout, now, left);
                ssthresh = kept.max(2.0);
                // No loss raises a window of one segment.
                cwnd = match cause {
                    LossCause::Timeout => 1.0,
                    LossCause::Mark => kept.max(1.0).min(cwnd),
                    _ => ssthresh.min(cwnd),
                };
            } else {
                let acked = (1 + numbers.below(2)).min(segments);
                let heard = Heard { now, rtt, srtt, acked, left: segments - acked, sent_with: segments };
                law.on_ack(config, &mut window, &event(&heard));
                other.ack(&mut cwnd, &mut ssthresh, &heard);
            }
            let found = window.cwnd as f64 / MSS as f64;
            assert!((found - cwnd).abs() <= apart, "seed {seed}, step {step}: {found} and {cwnd}");
            // What differs in the last byte is not to add up; windows of thousands of segments take long.
            if found > 3000.0 || apart > 0.0 {
                let same = cwnd.min(3000.0);
                (window.cwnd, cwnd) = ((same * MSS as f64).round() as u64, (same * MSS as f64).round() / MSS as f64);
                if ssthresh.is_finite() {
                    (window.ssthresh, ssthresh) =
                        ((ssthresh * MSS as f64).round() as u64, (ssthresh * MSS as f64).round() / MSS as f64);
                }
            }
        }
    }
}

/// A message or an entry of the schedule, after which a law jumps at once.
fn news(numbers: &mut Numbers, is_up: bool, now: u64) -> News {
    let (at, turn) = (Instant::ZERO + Duration::from_micros(now), if is_up { Turn::Up } else { Turn::Down });
    let way = [NewsWay::Message, NewsWay::Schedule][numbers.below(2) as usize];
    let change = PathChange { way, turn, division: Some(is_up.into()), capacity: None, base_rtt: None, at };
    News { change, event: Event::at(at) }
}

fn event(heard: &Heard) -> Event {
    let interval = Duration::from_micros(heard.rtt);
    let sample = RateSample {
        delivered: heard.sent_with * MSS,
        interval,
        prior_delivered: 0,
        is_app_limited: false,
        tx_in_flight: 0,
        lost: 0,
    };
    Event {
        acked: heard.acked * MSS,
        rtt_sample: Some(interval),
        srtt: Some(Duration::from_micros(heard.srtt)),
        in_flight: heard.left * MSS,
        rate_sample: Some(sample),
        ..Event::at(Instant::ZERO + Duration::from_micros(heard.now))
    }
}

#[test]
fn retcp_in_reals() {
    use transport::cc::retcp::{Config, ReTcp};
    side_by_side::<ReTcp>(&Config::default(), &|| Box::new(paper::ReTcp::default()), 0.002);
}

/// The window of a flow over two divisions of time, of which the second program knows each segment by where it left.
#[test]
fn tdtcp_by_segments() {
    use transport::cc::tdtcp::{Config, Growth, TdTcp};
    let config = Config { growth: Growth::Reno, ..Config::default() };
    for seed in 1..=40 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (mut law, mut other) = (TdTcp::new(&config), paper::TdTcp::new(10.0));
        let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS };
        let at = |step: u64| Event::at(Instant::ZERO + Duration::from_micros(step));
        for step in 0..6000 {
            other.fill(window.cwnd / MSS);
            let in_flight = other.outstanding() * MSS;
            match numbers.below(100) {
                0 => {
                    let is_up = other.change();
                    let mut news = news(&mut numbers, is_up, step);
                    news.event.in_flight = in_flight;
                    law.on_news(&config, &mut window, &news);
                }
                1 => {
                    other.lose();
                    let event = Event { in_flight, ..at(step) };
                    law.on_loss(
                        &config,
                        &mut window,
                        &Loss { cause: LossCause::FastRetransmit, flight: event.in_flight, event },
                    );
                }
                more => {
                    let acked = other.acknowledge(1 + more % 2);
                    let in_flight = in_flight - acked * MSS;
                    law.on_ack(&config, &mut window, &Event { acked: acked * MSS, in_flight, ..at(step) });
                }
            }
            let found = window.cwnd as f64 / MSS as f64;
            assert!((found - other.window()).abs() < 1e-9, "seed {seed}, step {step}: {found} and {}", other.window());
        }
    }
}

/// The window of Swift from 0.01 segments on, and the time between two segments where it is below one.
#[test]
fn swift_in_microseconds() {
    use transport::cc::swift::{Config, Swift};
    let config = Config::default();
    for seed in 1..=40 {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let (mut law, mut other) = (Swift::new(&config), paper::Swift::new(10.0));
        let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, mss: MSS };
        let (mut now, mut queue) = (5_000u64, 0u64);
        for step in 0..6000 {
            queue = (queue + numbers.below(40)).saturating_sub(numbers.below(40)).min(400);
            let rtt = 12 + queue;
            now += 1 + numbers.below(rtt);
            let at = Event::at(Instant::ZERO + Duration::from_micros(now));
            match numbers.below(200) {
                0 => {
                    law.on_loss(
                        &config,
                        &mut window,
                        &Loss { cause: LossCause::FastRetransmit, flight: at.in_flight, event: at },
                    );
                    other.fast_recovery(now as f64);
                }
                1 => {
                    law.on_loss(
                        &config,
                        &mut window,
                        &Loss { cause: LossCause::Timeout, flight: at.in_flight, event: at },
                    );
                    other.timeout(now as f64);
                    (0..numbers.below(6)).for_each(|_| {
                        law.on_repeated_timeout(&config, &mut window, &at);
                        other.timeout(now as f64);
                    });
                }
                _ => {
                    let (acked, sacked) = (1 + numbers.below(2), numbers.below(2));
                    // Half a microsecond more: no delay is the target to the last bit.
                    let rtt_sample = Some(Duration::from_ps(rtt * 1_000_000 + 500_000));
                    let heard = Event { acked: acked * MSS, sacked: sacked * MSS, rtt_sample, ..at };
                    law.on_ack(&config, &mut window, &heard);
                    other.ack(rtt as f64 + 0.5, (acked + sacked) as f64, now as f64);
                }
            }
            let found = window.cwnd as f64 / MSS as f64;
            let expected = other.fcwnd.max(1.0);
            assert!((found - expected).abs() < 0.001, "seed {seed}, step {step}: {found} and {expected}");
            if let Some(us) = other.pacing_us().filter(|us| *us > 0.0) {
                let rate = law.pacing_rate(&config, &window, None).expect("it is paced").bps() as f64;
                assert!((rate * us / (8e6 * MSS as f64) - 1.0).abs() < 1e-3, "seed {seed}, step {step}: {rate}, {us}");
            }
        }
    }
}

/// One test for each law and arithmetic.
macro_rules! beside {
    ($($name:ident: $law:ident::$type:ident, $arithmetic:ident, $program:expr, $apart:literal;)+) => {
        $(#[test]
        fn $name() {
            use transport::cc::$law::{$type, Config};
            let mut config = Config::default();
            beside!(@set config, $arithmetic);
            side_by_side::<$type>(&config, &|| Box::new($program), $apart);
        })+
    };
    (@set $config:ident, only) => { $config.reset = 1e6; };
    (@set $config:ident, $arithmetic:ident) => { $config.arithmetic = transport::cc::Arithmetic::$arithmetic; };
}

beside! {
    scalable_in_segments: scalable::Scalable, Linux, linux::Scalable::default(), 0.0;
    htcp_in_segments: htcp::Htcp, Linux, linux::Htcp::new(), 0.0;
    illinois_in_segments: illinois::Illinois, Linux, linux::Illinois::new(), 0.0;
    bic_in_segments: bic::Bic, Linux, linux::Bic::new(), 0.0;
    yeah_in_segments: yeah::Yeah, Linux, linux::Yeah::new(), 0.0;
    veno_in_segments: veno::Veno, Linux, linux::Veno::new(), 0.0;
    hybla_in_segments: hybla::Hybla, Linux, linux::Hybla::new(), 0.0;
    lp_in_segments: lp::Lp, Linux, linux::Lp::new(), 0.0;
    nv_in_segments: nv::Nv, only, linux::Nv::new(), 0.0;
    scalable_in_reals: scalable::Scalable, Paper, paper::Scalable, 0.002;
    illinois_in_reals: illinois::Illinois, Paper, paper::Illinois::new(), 0.002;
    bic_in_reals: bic::Bic, Paper, paper::Bic::new(), 0.002;
    veno_in_reals: veno::Veno, Paper, paper::Veno::new(), 0.002;
    hybla_in_reals: hybla::Hybla, Paper, paper::Hybla::new(), 0.002;
    htcp_in_reals: htcp::Htcp, Paper, paper::Htcp::new(), 0.002;
    yeah_in_reals: yeah::Yeah, Paper, paper::Yeah::new(), 0.002;
    lp_in_reals: lp::Lp, Paper, paper::Lp::new(), 0.002;
}
