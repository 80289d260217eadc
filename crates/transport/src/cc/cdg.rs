//! CDG: D. A. Hayes and G. Armitage, "Revisiting TCP congestion control using delay gradients", IFIP Networking 2011.
//!
//! Once in a round trip the law looks how its shortest and its longest round-trip times have moved since the one
//! before, on average over eight. Where that is g ms longer, the window backs off with probability 1 − exp(−g/3), to
//! 0.7. Five such in a row without effect mean that others fill the queue, and are the last until there is one. A
//! shadow window grows as the window would without them, so that a loss costs a flow that has just backed off no half
//! of it.
//!
//! Readings. A law has no random numbers, so the picosecond of the ACK draws. A back-off is as a mark is: no growth and
//! no gradients for a round trip. Linux differs: it keeps 0.7071; slow start ends by HyStart (a train of ACKs of half
//! of the least delay, or a delay an eighth above it); the shadow window is at most twice the window; an ACK of one
//! segment between ACKs of several counts for the shortest time only. Left out: its tolerance of losses, off by
//! default.

use super::bbr::drawn;
use super::segments::{Arithmetic, Growth, Round, bytes, counted, half, micros, reno};
use super::{Asks, CongestionControl, Event, Loss, Wants, Window};
use options::{Kind, Range, Words, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// G: milliseconds of mean growth of the delay in a round trip at which a back-off has probability 1 − 1/e.
        pub scale as "cdg_scale": f64 = 3.0, Kind::Number(Range::above(0.0, 1e6));
        /// Back-offs without effect in a row that are the last; 0: all count.
        pub ineffective as "cdg_ineffective": u32 = 5, Kind::Whole(Range::closed(0.0, 1e6));
        /// The shadow window. Without it, and with cdg_ineffective 0, the law gives way to all others.
        pub shadow as "cdg_shadow": bool = true, Kind::Flag;
    }
}

/// Gradients that are averaged.
const GRADIENTS: usize = 8;
/// A gradient below this, in microseconds, is an effect.
const EFFECT: i64 = -32;

/// Shortest and longest round trip, or their changes, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    shortest: i64,
    longest: i64,
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Cdg(Box<State>);

#[derive(Clone, Debug, Default)]
struct State {
    growth: Growth,
    round: Round,
    /// A back-off is being carried out, until the round trip is over.
    backs_off: bool,
    /// Of this round trip; 0 if there is none.
    rtt: Ends,
    before: Ends,
    gradients: [Ends; GRADIENTS],
    sum: Ends,
    place: usize,
    is_full: bool,
    without_effect: u32,
    /// In bytes; 0 before the first ACK.
    shadow: u64,
    /// ACKs that covered several segments, five at most, less those that covered one.
    delayed: u32,
    hystart: HyStart,
}

/// Linux's end of slow start.
#[derive(Clone, Copy, Debug, Default)]
struct HyStart {
    /// The least delay, in microseconds; 0 if there is none.
    least: i64,
    samples: u32,
    /// When the last ACK of the train came, and the first.
    train: Option<(u64, u64)>,
}

impl CongestionControl for Cdg {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Cdg {
        Cdg(Box::default())
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        if state.shadow == 0 {
            state.shadow = window.cwnd;
        }
        state.measure(window.mss, event);
        let is_over = state.round.is_over_after(event.acked);
        if event.in_recovery || event.acked == 0 || event.ecn_echo {
            return;
        }
        if state.backs_off {
            if is_over {
                state.resume(event.in_flight);
            }
            return;
        }
        if window.in_slow_start() && config.arithmetic == Arithmetic::Linux {
            state.hystart.look(window, state.rtt.shortest, event);
        }
        if is_over && state.rtt != Ends::default() && state.end_round(config, window, event) {
            return;
        }
        if event.is_app_limited {
            state.shadow = state.shadow.min(window.cwnd);
            return;
        }
        let before = window.cwnd;
        reno(&mut state.growth, config.arithmetic, window, counted(window, event));
        state.shadow = state.shadow.saturating_add(window.cwnd - before);
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let flight = loss.flight;
        let half = half(config.arithmetic, flight, window.mss);
        self.0.backs_off = false;
        self.0.shadow = (self.0.shadow / 2).min(flight);
        if config.shadow { self.0.shadow.max(half) } else { half }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("shadow_bytes", self.0.shadow as f64), ("without_effect", f64::from(self.0.without_effect))]
    }
}

impl State {
    fn measure(&mut self, mss: u64, event: &Event) {
        let Some(rtt) = event.rtt_sample.map(|rtt| micros(rtt) as i64).filter(|rtt| *rtt > 0) else { return };
        if event.sacked == 0 && event.acked > 0 {
            if event.acked > mss {
                self.delayed = (self.delayed + 1).min(5);
            } else if self.delayed > 0 {
                // Perhaps a delayed ACK: it counts where it is provably short.
                self.rtt.shortest = self.rtt.shortest.min(rtt);
                self.delayed -= 1;
                return;
            }
        }
        self.rtt.shortest = if self.rtt.shortest == 0 { rtt } else { self.rtt.shortest.min(rtt) };
        self.rtt.longest = self.rtt.longest.max(rtt);
    }

    /// A back-off is over.
    fn resume(&mut self, in_flight: u64) {
        self.backs_off = false;
        (self.before, self.rtt) = (self.rtt, Ends::default());
        self.round.begin(in_flight);
    }

    /// True if the window backs off.
    fn end_round(&mut self, config: &Config, window: &mut Window, event: &Event) -> bool {
        let gradient = if self.before == Ends::default() { 0.0 } else { self.gradient() };
        (self.before, self.rtt) = (self.rtt, Ends::default());
        self.round.begin(event.in_flight);
        (self.hystart.samples, self.hystart.train) = (0, None);
        let exponent = gradient / GRADIENTS as f64 / 1000.0 / config.scale;
        if gradient <= 0.0 || drawn(event.now, 1 << 32) as f64 <= libm::exp(-exponent) * f64::from(u32::MAX) {
            return false;
        }
        if config.ineffective > 0 {
            self.without_effect = self.without_effect.saturating_add(1);
            if self.without_effect > config.ineffective {
                return false;
            }
        }
        self.shadow = self.shadow.max(window.cwnd);
        let segments = config.arithmetic.segments(window.cwnd, window.mss);
        let kept = match config.arithmetic {
            Arithmetic::Linux => (segments * 724.0 / 1024.0).floor(),
            Arithmetic::Paper => 0.7 * segments,
        };
        window.ssthresh = bytes(kept.max(2.0), window.mss);
        window.cwnd = window.cwnd.min(window.ssthresh);
        self.backs_off = true;
        true
    }

    /// By how much the delay has grown in eight round trips.
    fn gradient(&mut self) -> f64 {
        let now = Ends {
            shortest: self.rtt.shortest - self.before.shortest,
            longest: self.rtt.longest - self.before.longest,
        };
        let oldest = std::mem::replace(&mut self.gradients[self.place], now);
        self.sum.shortest += now.shortest - oldest.shortest;
        self.sum.longest += now.longest - oldest.longest;
        self.place = (self.place + 1) % GRADIENTS;
        self.is_full |= self.place == 0;
        if self.sum.shortest <= EFFECT || self.sum.longest <= EFFECT {
            self.without_effect = 0;
        }
        let sum = if self.sum.shortest > 0 { self.sum.shortest } else { self.sum.longest };
        // As if the missing ones were like those that there are.
        let known = if self.is_full { GRADIENTS } else { self.place };
        (sum * GRADIENTS as i64 / known as i64) as f64
    }
}

impl HyStart {
    fn look(&mut self, window: &mut Window, shortest: i64, event: &Event) {
        self.least = match (self.least, shortest) {
            (0, one) | (one, 0) => one,
            (least, shortest) => least.min(shortest),
        };
        if self.least == 0 {
            return;
        }
        let now = event.now.ps() / 1_000_000;
        match self.train {
            Some((last, first)) if !event.is_app_limited => {
                if now < last + 3000 {
                    self.train = Some((now, first));
                    if now > first + (self.least as u64 / 2).max(125) {
                        window.end_slow_start();
                        return;
                    }
                }
            }
            _ => self.train = Some((now, now)),
        }
        if self.samples < 8 {
            self.samples += 1;
        } else if shortest > (self.least + self.least / 8).max(125) {
            window.end_slow_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use units::{Duration, Instant};

    const MSS: u64 = 1000;

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// Round trips of these lengths in milliseconds, of ten ACKs each; the windows at their ends.
    fn run(law: &mut Cdg, config: &Config, w: &mut Window, from_ms: u64, rtts: &[u64]) -> Vec<u64> {
        let mut windows = vec![];
        for (round, rtt) in rtts.iter().enumerate() {
            for ack in 0..10 {
                let now = Instant::ZERO + Duration::from_micros(1000 * (from_ms + 100 * round as u64) + 7 * ack + 1);
                let rtt_sample = Some(Duration::from_millis(*rtt));
                law.on_ack(config, w, &Event { acked: MSS, in_flight: 9 * MSS, rtt_sample, ..Event::at(now) });
            }
            windows.push(w.cwnd / MSS);
        }
        windows
    }

    /// The longest round trip is 4 ms longer than the one before; then the shortest is, and the mean of two gradients
    /// is 2 ms: 1 − exp(−4/3 − 2/3) = 0.8647 of many flows.
    #[test]
    fn a_growing_delay_backs_off_with_the_papers_probability() {
        let backed_off = |config: &Config| {
            let flows = (0..400).filter(|flow| {
                let (mut law, mut w) = (Cdg::new(config), window(100));
                run(&mut law, config, &mut w, 1000 * flow, &[100, 104, 104]);
                w.cwnd < 100 * MSS
            });
            flows.count()
        };
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let share = backed_off(&Config { arithmetic, ..Config::default() }) as f64 / 400.0;
            // Four standard deviations of 400 draws.
            assert!((share - 0.8647).abs() < 0.068, "{arithmetic:?} {share}");
        }
        assert_eq!(backed_off(&Config { scale: 1e6, ..Config::default() }), 0);
    }

    #[test]
    fn a_steady_or_shrinking_delay_never_does() {
        let (config, mut law, mut w) = (Config::default(), Cdg::new(&Config::default()), window(100));
        run(&mut law, &config, &mut w, 0, &[100, 100, 99, 99, 90, 80, 80]);
        assert!(w.cwnd >= 100 * MSS);
    }

    /// Gradients of 2, 4 and −3 ms: the sum of three stands for eight.
    #[test]
    fn missing_gradients_are_as_those_that_there_are() {
        let mut state = State::default();
        let mut next = |before: i64, now: i64| {
            state.before = Ends { shortest: before, longest: before };
            state.rtt = Ends { shortest: now, longest: now };
            state.gradient()
        };
        assert_eq!([next(100, 102), next(102, 106), next(106, 103)], [16.0, 24.0, 8.0]);
    }

    /// 724/1024 of 100 and 0.7 of it; then a loss costs what the shadow window leaves.
    #[test]
    fn a_back_off_keeps_a_share_and_a_loss_after_it_is_no_half() {
        for (arithmetic, kept) in [(Arithmetic::Linux, 70), (Arithmetic::Paper, 70)] {
            let config = Config { arithmetic, scale: 1e-3, ..Config::default() };
            let (mut law, mut w) = (Cdg::new(&config), window(100));
            let found = run(&mut law, &config, &mut w, 0, &[100, 150, 150]);
            assert!(found.contains(&kept), "{arithmetic:?} {found:?}");
            law.0.shadow = 120 * MSS;
            let mut w = window(70);
            law.on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 70 * MSS));
            assert_eq!((w.cwnd, law.0.shadow), (60 * MSS, 60 * MSS));
        }
        let config = Config { shadow: false, ..Config::default() };
        let (mut law, mut w) = (Cdg::new(&config), window(70));
        law.0.shadow = 120 * MSS;
        law.on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 70 * MSS));
        assert_eq!(w.cwnd, 35 * MSS);
    }

    /// Every round trip is 50 ms longer: after five without effect the window does not back off any more.
    #[test]
    fn five_back_offs_without_effect_are_the_last() {
        let config = Config { scale: 1e-3, ..Config::default() };
        let (mut law, mut w) = (Cdg::new(&config), window(1000));
        let rtts: Vec<u64> = (0..40).map(|round| 100 + 50 * round).collect();
        let found = run(&mut law, &config, &mut w, 0, &rtts);
        let falls = found.windows(2).filter(|pair| pair[1] < pair[0]).count() + usize::from(found[0] < 1000);
        assert_eq!(falls, 5, "{found:?}");
    }

    /// Linux's tcp_cdg_acked(): behind an ACK of two segments one of a single segment counts for the shortest round
    /// trip only; the next one counts in full, as any does above which something is SACKed. A round trip of nothing is
    /// none.
    #[test]
    fn perhaps_delayed_acks_count_only_where_they_are_short() {
        let measured = |acks: &[(u64, u64, u64)]| {
            let mut state = State::default();
            for (segments, ms, sacked) in acks {
                let rtt_sample = Some(Duration::from_millis(*ms));
                state.measure(MSS, &Event { rtt_sample, sacked: *sacked, ..Event::ack(segments * MSS) });
            }
            (state.rtt.shortest / 1000, state.rtt.longest / 1000)
        };
        assert_eq!(measured(&[(1, 25, 0), (1, 40, 0)]), (25, 40));
        assert_eq!([measured(&[(2, 20, 0), (1, 30, 0)]), measured(&[(2, 20, 0), (1, 10, 0)])], [(20, 20), (10, 20)]);
        assert_eq!(measured(&[(2, 20, 0), (1, 30, 0), (1, 30, 0)]), (20, 30));
        assert_eq!([measured(&[(2, 20, 0), (1, 30, 1)]), measured(&[(2, 0, 0), (1, 30, 0)])], [(20, 30), (30, 30)]);
    }

    /// Linux's tcp_cdg_hystart_update(): ACKs less than 3 ms apart for more than half of the least delay of 20 ms; or
    /// behind eight samples a delay of more than an eighth above it.
    #[test]
    fn slow_start_ends_by_a_train_of_acks_or_by_delay() {
        let end = |apart_us: u64, late_ms: u64| {
            let (mut start, mut w) = (HyStart::default(), Window { ssthresh: u64::MAX, ..window(10) });
            let ends = |ack: &u64| {
                let shortest = 1000 * if *ack > 4 { late_ms } else { 20 };
                let now = Instant::ZERO + Duration::from_micros(100_000 + apart_us * ack);
                start.look(&mut w, shortest as i64, &Event::at(now));
                !w.in_slow_start()
            };
            (0..100).find(ends)
        };
        assert_eq!([end(1000, 20), end(2999, 20), end(3000, 20)], [Some(11), Some(4), None]);
        assert_eq!([end(5000, 22), end(5000, 23)], [None, Some(8)]);
    }

    /// With cdg_ineffective = 0 all back-offs count, of which half come: the one after a back-off is not looked at.
    #[test]
    fn without_a_bound_back_offs_go_on() {
        let config = Config { scale: 1e-3, ineffective: 0, ..Config::default() };
        let (mut law, mut w) = (Cdg::new(&config), window(1000));
        let rtts: Vec<u64> = (0..40).map(|round| 100 + 50 * round).collect();
        let found = run(&mut law, &config, &mut w, 0, &rtts);
        let falls = found.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!(falls > 10, "{found:?}");
        assert_eq!(law.0.without_effect, 0);
    }
}
