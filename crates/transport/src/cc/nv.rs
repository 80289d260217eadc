//! NV: L. Brakmo's successor to Vegas for data centres, after Linux's implementation (2016); there is no paper.
//!
//! The window that the path needs without a queue is rate · RTTmin, the rate being the greatest of a round trip: bytes
//! in flight over a mean round-trip time of weight 1/2. With more than ten segments beyond that the window comes down,
//! by 30 % of what is too much; with fewer than eight it grows as Reno's; between them it stands still. A decision
//! takes two round trips at least and 60 samples to come down (30 in the first slow start), 20 to grow. RTTmin is that
//! of the last five seconds, a quarter more or less by chance. A loss leaves 4/5. A timeout lowers the growth: to a
//! half, a quarter … of Reno's; eight decisions without congestion double it.
//!
//! The rate's bytes in flight are those that were when the acknowledged segment left. A law has no random numbers, so
//! the picosecond draws. Left out: a round-trip time that the host knows beforehand.

use super::bbr::drawn;
use super::segments::{Arithmetic, Growth, Round, bytes, counted, micros, slow_start};
use super::{Asks, CongestionControl, Event, Loss, LossCause, Wants, Window};
use options::{Kind, Range, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Segments in queues from which the window comes down. Linux's `nv_pad`: 10.
        pub pad as "nv_pad": u32 = 10, Kind::Whole(Range::closed(3.0, 1e6));
        /// Seconds after which the shortest round trip is forgotten, a quarter more or less. Linux: 5.
        pub reset as "nv_reset_period": f64 = 5.0, Kind::Number(Range::above(0.0, 1e6));
    }
}

/// The window grows with this many segments less than the pad.
const PAD_BUFFER: u64 = 2;
/// Samples that a decision takes: to come down, to do so in the first slow start, to grow.
const DOWN_SAMPLES: u32 = 60;
const FIRST_SAMPLES: u32 = 30;
const UP_SAMPLES: u32 = 20;
/// Round trips that a decision takes, and after which without one the window stands still.
const LEAST_ROUNDS: u32 = 2;
const MOST_ROUNDS: u32 = 10;
/// Decisions without congestion that double a growth below Reno's.
const CALM: u32 = 8;
const MOST_HALVINGS: u32 = 8;
/// Segments of a round trip with one sample, at least and at most.
const LEAST_BATCH: u64 = 4;
const MOST_BATCH: u64 = 81;
/// ssthresh before the first loss, in segments.
const UNSET: u64 = 0x7fff_ffff;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Nv(Box<State>);

/// Round trips in microseconds, 0 where there is none.
#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    round: Round,
    may_grow: bool,
    /// A loss has been repaired, or is: measure anew.
    is_stale: bool,
    /// Of Reno's growth.
    halvings: u32,
    samples: u32,
    rounds: u32,
    decisions: u32,
    batch: u64,
    mean_rtt: u64,
    min_rtt: u64,
    next_min_rtt: u64,
    /// When `next_min_rtt` takes over, in picoseconds.
    reset_at: u64,
    /// In 100 bit/s.
    most_rate: u64,
}

impl CongestionControl for Nv {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, rate_samples: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Nv {
        Nv(Box::new(State {
            growth: Growth::default(),
            round: Round::default(),
            may_grow: true,
            is_stale: false,
            halvings: 0,
            samples: 0,
            rounds: 0,
            decisions: 0,
            batch: LEAST_BATCH,
            mean_rtt: 0,
            min_rtt: u64::MAX,
            next_min_rtt: u64::MAX,
            reset_at: 2_000_000_000_000,
            most_rate: 0,
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        let is_over = state.round.is_over_after(event.acked);
        if event.in_recovery {
            return;
        }
        if state.is_stale && event.acked > 0 {
            state.measure_anew();
        }
        let in_flight = event.rate_sample.map_or(0, |sample| sample.delivered);
        if let (Some(rtt), true) = (event.rtt_sample, in_flight > 0) {
            state.measure(config, micros(rtt).max(1), in_flight, event);
            if is_over {
                state.end_round(config, window, event);
            }
        }
        if event.acked == 0 || event.is_app_limited || event.ecn_echo || !state.may_grow {
            return;
        }
        let acked = slow_start(window, counted(window, event));
        if acked > 0 {
            let segments = window.cwnd / window.mss;
            let per_segment = if state.halvings > 0 { segments << state.halvings } else { segments.max(4) };
            state.growth.one_in(window, per_segment as f64, acked);
        }
    }

    fn ssthresh_after(&mut self, _: &Config, window: &Window, loss: &Loss) -> u64 {
        let state = &mut *self.0;
        (state.is_stale, state.may_grow) = (true, false);
        if loss.cause == LossCause::Timeout {
            state.halvings = (state.halvings + 1).min(MOST_HALVINGS);
        }
        let segments = Arithmetic::Linux.segments(loss.flight, window.mss);
        bytes((segments * 819.0 / 1024.0).floor(), window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("most_rate_bps", self.0.most_rate as f64 * 100.0), ("halvings", f64::from(self.0.halvings))]
    }
}

impl State {
    fn measure_anew(&mut self) {
        (self.is_stale, self.decisions, self.rounds, self.samples) = (false, 0, 0, 0);
        (self.mean_rtt, self.most_rate) = (0, 0);
        self.round.begin(0);
    }

    fn measure(&mut self, config: &Config, rtt: u64, in_flight: u64, event: &Event) {
        if self.mean_rtt == 0 {
            self.mean_rtt = rtt;
            self.min_rtt = 2 * rtt;
        } else {
            self.mean_rtt = (rtt + self.mean_rtt) / 2;
        }
        let rate = u128::from(in_flight) * 80_000 / u128::from(self.mean_rtt);
        self.most_rate = self.most_rate.max(u64::try_from(rate).unwrap_or(u64::MAX));
        self.samples = self.samples.saturating_add(1);
        self.min_rtt = self.min_rtt.min(self.mean_rtt);
        self.next_min_rtt = self.next_min_rtt.min(self.mean_rtt);
        if event.now.ps() >= self.reset_at {
            (self.min_rtt, self.next_min_rtt) = (self.next_min_rtt, u64::MAX);
            let part = (384 + drawn(event.now, 256)) as f64 / 512.0;
            // `as` saturates.
            self.reset_at = event.now.ps().saturating_add((config.reset * part * 1e12) as u64);
            self.batch = (self.batch / 2).max(LEAST_BATCH);
        }
    }

    /// Once in a round trip.
    fn end_round(&mut self, config: &Config, window: &mut Window, event: &Event) {
        self.round.begin(event.in_flight);
        self.rounds = self.rounds.saturating_add(1);
        if self.samples == 1 && event.acked >= (self.batch - 1) * window.mss && self.batch < MOST_BATCH {
            // One sample a round trip: the window is too small to judge.
            self.batch = (self.batch + 2).min(MOST_BATCH);
            self.round.begin(event.in_flight + self.batch * window.mss);
            (self.samples, self.may_grow) = (0, true);
            return;
        }
        let alone = u128::from(self.most_rate) * u128::from(self.min_rtt) / (80_000 * u128::from(window.mss.max(1)));
        let most = u64::try_from(alone).unwrap_or(u64::MAX).saturating_add(u64::from(config.pad));
        let segments = window.cwnd / window.mss;
        let is_decided = if segments > most {
            self.come_down(window, segments, most)
        } else {
            segments <= most - PAD_BUFFER && self.go_on()
        };
        if is_decided {
            (self.samples, self.rounds, self.most_rate) = (0, 0, 0);
            window.cwnd = window.cwnd.max(2 * window.mss);
        }
    }

    /// True if there were enough samples for it.
    fn come_down(&mut self, window: &mut Window, segments: u64, most: u64) -> bool {
        if self.rounds < LEAST_ROUNDS {
            return false;
        }
        let is_first = window.ssthresh / window.mss >= UNSET;
        if self.samples < if is_first { FIRST_SAMPLES } else { DOWN_SAMPLES } {
            self.may_grow &= is_first || self.rounds <= MOST_ROUNDS;
            return false;
        }
        self.may_grow = false;
        window.ssthresh = most * window.mss;
        let beyond = segments - most;
        // 30 % in 128ths.
        let less = if beyond > 2 { (beyond * 38 / 128).max(2) } else { beyond };
        window.cwnd = (segments - less) * window.mss;
        self.decisions = 0;
        true
    }

    /// True if there were enough samples for it.
    fn go_on(&mut self) -> bool {
        if self.samples < UP_SAMPLES {
            return false;
        }
        self.may_grow = true;
        self.decisions += 1;
        if self.halvings > 0 && self.decisions > CALM {
            (self.halvings, self.decisions) = (self.halvings - 1, 0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::RateSample;
    use units::{Duration, Instant};

    const MSS: u64 = 1000;

    /// Round trips of a window of ACKs, each `rtt_us` long, after one of 1000 µs.
    fn rounds(law: &mut Nv, w: &mut Window, from_us: u64, rtts_us: &[u64]) -> Vec<u64> {
        let (config, mut now, mut windows) = (Config::default(), from_us, vec![]);
        for rtt in rtts_us {
            let segments = w.cwnd / MSS;
            for number in 0..segments {
                let at = Instant::ZERO + Duration::from_micros(now + rtt * number / segments);
                let interval = Duration::from_micros(*rtt);
                let sample = RateSample {
                    delivered: segments * MSS,
                    interval,
                    prior_delivered: 0,
                    is_app_limited: false,
                    tx_in_flight: 0,
                    lost: 0,
                };
                let event = Event {
                    acked: MSS,
                    in_flight: (segments - 1) * MSS,
                    rtt_sample: Some(interval),
                    rate_sample: Some(sample),
                    ..Event::at(at)
                };
                law.on_ack(&config, w, &event);
            }
            now += rtt;
            windows.push(w.cwnd / MSS);
        }
        windows
    }

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// 100 segments in 1000 µs, alone: a segment a round trip. At 1400 µs 10/14 of them would do, and ten more: 35 may
    /// stay. Up to 40 do, for the rate of a larger window counts until the next decision.
    #[test]
    fn the_window_grows_until_too_many_wait() {
        let (mut law, mut w) = (Nv::new(&Config::default()), window(100));
        let alone = rounds(&mut law, &mut w, 0, &[1000; 6]);
        assert!(alone.is_sorted() && (103..=106).contains(&alone[5]), "{alone:?}");
        let queued = rounds(&mut law, &mut w, 6000, &[1400; 200]);
        assert!(!law.0.may_grow);
        assert!((35..=40).contains(&queued[199]), "{queued:?}");
    }

    /// 50 segments would do: from 61 on the window comes down, to 58 it grows, between them it stands still.
    #[test]
    fn between_the_pad_and_its_buffer_the_window_stands_still() {
        for (segments, left, may_grow) in
            [(62, 60, false), (61, 60, false), (60, 60, true), (59, 59, true), (58, 58, true)]
        {
            let (mut law, mut w) = (Nv::new(&Config::default()), window(segments));
            (law.0.samples, law.0.rounds, law.0.min_rtt) = (60, 2, 1000);
            law.0.most_rate = 50 * MSS * 80_000 / 1000;
            law.0.end_round(&Config::default(), &mut w, &Event::ack(MSS));
            assert_eq!((w.cwnd / MSS, law.0.may_grow), (left, may_grow), "{segments}");
            // A decision begins the count anew.
            assert_eq!(law.0.samples == 0, segments != 60 && segments != 59, "{segments}");
        }
    }

    #[test]
    fn a_loss_keeps_four_fifths_and_a_timeout_slows_the_growth() {
        let (config, mut w) = (Config::default(), window(100));
        let mut law = Nv::new(&config);
        law.on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 100 * MSS));
        assert_eq!((w.cwnd / MSS, law.0.may_grow, law.0.halvings), (79, false, 0));
        for halvings in [1, 2] {
            law.on_loss(&config, &mut w, &Loss::of(LossCause::Timeout, 100 * MSS));
            assert_eq!((w.cwnd, law.0.halvings), (MSS, halvings));
        }
        (0..10).for_each(|_| law.on_loss(&config, &mut w, &Loss::of(LossCause::Timeout, 100 * MSS)));
        assert_eq!(law.0.halvings, 8);
        law.0.samples = 20;
        for _ in 0..9 {
            assert!(law.0.go_on());
        }
        assert_eq!(law.0.halvings, 7);
    }

    /// The first decision in slow start takes 30 samples, a later one 60.
    #[test]
    fn decisions_take_samples() {
        for (ssthresh, samples, decides) in
            [(u64::MAX, 29, false), (u64::MAX, 30, true), (MSS, 59, false), (MSS, 60, true)]
        {
            let (mut law, mut w) = (Nv::new(&Config::default()), Window { ssthresh, ..window(100) });
            (law.0.samples, law.0.rounds) = (samples, 2);
            assert_eq!(law.0.come_down(&mut w, 100, 60), decides);
            // 40 · 38/128 = 11.
            assert_eq!(w.cwnd / MSS, if decides { 89 } else { 100 });
        }
    }
}
