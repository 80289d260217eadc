//! YeAH: A. Baiocchi, A. P. Castellani and F. Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007.
//!
//! Scalable TCP's growth while few segments wait in queues, Reno's while many do. Once in a round trip the law reckons
//! Q = cwnd (RTTmin − RTTbase)/RTTmin of the shortest round trip in it. More than 80 waiting, or a queueing delay of
//! more than an eighth of RTTbase, is the slow mode, and more than 80 are taken out of the window at once
//! (precautionary decongestion), down to what a Reno flow would have. A loss costs Q, at least an eighth and at most a
//! half; a half after sixteen round trips in the slow mode, where the competitors are Reno's.
//!
//! Both arithmetics have the same constants; Linux leaves fractions away. Round trips with at most two samples count
//! for nothing.

use super::segments::{Arithmetic, Growth, Round, bytes, counted, micros, slow_start};
use super::{Asks, CongestionControl, Event, Loss, Wants, Window};
use options::{Kind, Range, Words, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Segments in queues that are too many. The paper's Q_max and Linux's: 80.
        pub queue as "yeah_queue": f64 = 80.0, Kind::Number(Range::closed(1.0, 1e6));
        /// The queueing delay that is too long is RTTbase over this. The paper's φ and Linux's: 8.
        pub delay as "yeah_delay": f64 = 8.0, Kind::Number(Range::closed(1.0, 1e6));
    }
}

/// Scalable TCP's segments acknowledged for each by which the window grows.
const SCALABLE: f64 = 100.0;
/// Round trips in the slow mode after which a loss costs a half.
const RHO: u32 = 16;
/// Round trips in the fast mode after which the estimate of Reno's window is forgotten.
const ZETA: u32 = 50;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Yeah(Box<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    round: Round,
    /// In microseconds; `u64::MAX` if there is none.
    base_rtt: u64,
    min_rtt: u64,
    samples: u32,
    /// Q of the last round trip.
    queued: f64,
    /// Round trips in the slow mode, and in the fast one since the last loss or since they were forgotten.
    slow: u32,
    fast: u32,
    /// The window that a Reno flow would have, in segments.
    reno: f64,
}

impl CongestionControl for Yeah {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Yeah {
        Yeah(Box::new(State {
            growth: Growth::default(),
            round: Round::default(),
            base_rtt: u64::MAX,
            min_rtt: u64::MAX,
            samples: 0,
            queued: 0.0,
            slow: 0,
            fast: 0,
            reno: 2.0,
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        if let Some(rtt) = event.rtt_sample {
            // Never 0, as in Linux.
            let rtt = micros(rtt) + 1;
            (state.base_rtt, state.min_rtt) = (state.base_rtt.min(rtt), state.min_rtt.min(rtt));
            state.samples += 1;
        }
        let is_over = state.round.is_over_after(event.acked);
        if event.in_recovery || event.acked == 0 || event.is_app_limited || event.ecn_echo {
            return;
        }
        let acked = slow_start(window, counted(window, event));
        if acked > 0 {
            state.grow(config, window, acked);
        }
        if is_over {
            if state.samples > 2 {
                state.end_round(config, window);
            }
            state.round.begin(event.in_flight);
            (state.samples, state.min_rtt) = (0, u64::MAX);
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let state = &mut *self.0;
        let whole = |number| config.arithmetic.whole(number);
        let segments = config.arithmetic.segments(loss.flight, window.mss);
        let half = whole(segments / 2.0).max(2.0);
        let lost = if state.slow < RHO { state.queued.min(half).max(whole(segments / 8.0)) } else { half };
        (state.fast, state.reno) = (0, whole(state.reno / 2.0).max(2.0));
        bytes((segments - lost).max(0.0), window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("queued_segments", self.0.queued), ("reno_segments", self.0.reno)]
    }
}

impl State {
    fn grow(&mut self, config: &Config, window: &mut Window, acked: u64) {
        if self.slow > 0 {
            return self.growth.reno(config.arithmetic, window, acked);
        }
        let segments = config.arithmetic.segments(window.cwnd, window.mss);
        match config.arithmetic {
            Arithmetic::Linux => self.growth.one_in(window, segments.min(SCALABLE), acked),
            Arithmetic::Paper => self.growth.by(window, acked as f64 / window.mss as f64 / segments.min(SCALABLE)),
        }
    }

    fn end_round(&mut self, config: &Config, window: &mut Window) {
        let whole = |number| config.arithmetic.whole(number);
        let mut segments = config.arithmetic.segments(window.cwnd, window.mss);
        let (base, rtt) = (self.base_rtt as f64, self.min_rtt as f64);
        self.queued = whole(segments * (rtt - base) / rtt);
        let are_many = self.queued > config.queue;
        if !are_many && rtt - base <= whole(base / config.delay) {
            self.fast += 1;
            if self.fast > ZETA {
                (self.reno, self.fast) = (2.0, 0);
            }
            self.slow = 0;
            return;
        }
        if are_many && segments > self.reno {
            segments = (segments - self.queued.min(whole(segments / 2.0))).max(self.reno);
            window.cwnd = bytes(segments, window.mss).max(window.mss);
            window.end_slow_start();
        }
        self.reno = if self.reno <= 2.0 { whole(segments / 2.0).max(2.0) } else { self.reno + 1.0 };
        self.slow = self.slow.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use units::Duration;

    const MSS: u64 = 1000;

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// A round trip of ACKs of a window at `rtt_ms`, the shortest so far being 100 ms.
    fn round(law: &mut Yeah, config: &Config, w: &mut Window, rtt_ms: u64) {
        law.0.base_rtt = 100_000;
        law.0.round.begin(w.cwnd - MSS);
        (law.0.samples, law.0.min_rtt) = (0, u64::MAX);
        let rtt_sample = Some(Duration::from_micros(1000 * rtt_ms - 1));
        for _ in 0..w.cwnd / MSS {
            law.on_ack(config, w, &Event { rtt_sample, in_flight: w.cwnd, ..Event::ack(MSS) });
        }
    }

    /// 1000 segments at 105 ms of 100: 47.6 wait; at 110 ms 90.9, of which Linux knows 90; at 113 ms of 100 segments
    /// 11.5, for longer than an eighth.
    #[test]
    fn few_segments_in_queues_let_the_window_grow_by_a_hundredth() {
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let config = Config { arithmetic, ..Config::default() };
            let (mut law, mut w) = (Yeah::new(&config), window(1000));
            round(&mut law, &config, &mut w, 105);
            assert_eq!((w.cwnd / MSS, law.0.slow, law.0.fast), (1010, 0, 1), "{arithmetic:?}");
            assert!((48.0..48.2).contains(&law.0.queued.max(48.0)), "{}", law.0.queued);
        }
    }

    #[test]
    fn too_many_are_taken_out_at_once() {
        let config = Config::default();
        let (mut law, mut w) = (Yeah::new(&config), window(1000));
        round(&mut law, &config, &mut w, 110);
        // 1010 · 10/110 = 91 of 1010.
        assert_eq!((w.cwnd / MSS, w.ssthresh / MSS, law.0.queued, law.0.slow), (919, 919, 91.0, 1));
        assert_eq!(law.0.reno, 459.0);
        let (mut law, mut w) = (Yeah::new(&config), window(100));
        round(&mut law, &config, &mut w, 113);
        assert_eq!((w.cwnd / MSS, law.0.slow), (101, 1), "long, but few: nothing is taken out");
    }

    #[test]
    fn a_loss_costs_what_waits_between_an_eighth_and_a_half() {
        let config = Config::default();
        for (queued, slow, kept) in [(0.0, 0, 875), (200.0, 0, 800), (700.0, 0, 500), (0.0, 16, 500), (0.0, 15, 875)] {
            let (mut law, mut w) = (Yeah::new(&config), window(1000));
            (law.0.queued, law.0.slow) = (queued, slow);
            law.on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 1000 * MSS));
            assert_eq!(w.cwnd / MSS, kept, "{queued} {slow}");
        }
    }

    #[test]
    fn the_slow_mode_grows_as_reno_and_fifty_fast_rounds_forget_it() {
        let config = Config::default();
        let (mut law, mut w) = (Yeah::new(&config), window(100));
        law.0.slow = 1;
        round(&mut law, &config, &mut w, 113);
        assert_eq!(w.cwnd / MSS, 101);
        law.0.reno = 40.0;
        for _ in 0..51 {
            w = window(100);
            round(&mut law, &config, &mut w, 100);
        }
        assert_eq!((law.0.reno, law.0.fast), (2.0, 0));
    }
}
