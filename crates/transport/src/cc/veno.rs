//! Veno: C. P. Fu and S. C. Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC
//! 21(2), 2003.
//!
//! Reno that asks, as Vegas does, how many of its segments wait in queues: N = cwnd (1 − BaseRTT/RTT). With fewer than
//! three a loss is taken for one by chance and costs a fifth of the window; with more it costs a half, and the window
//! grows in every other round trip only.
//!
//! Readings: the paper's RTT is the smoothed one, and BaseRTT is measured anew after a loss. Linux takes the round trip
//! of the last ACK and keeps BaseRTT; a flow with at most two samples is Reno's, with its half at a loss where nothing
//! was measured: N is 0 then, so it is a fifth.

use super::segments::{Arithmetic, Growth, bytes, counted, micros, reno, slow_start};
use super::{CongestionControl, Event, Loss, Wants, Window};
use options::{Kind, Range, Words, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Segments queued from which a loss is one by congestion. The paper's and Linux's: 3.
        pub beta as "veno_beta": f64 = 3.0, Kind::Number(Range::closed(0.0, 1e6));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Veno(Box<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    /// Bytes acknowledged since a window was, while many segments are queued.
    acked: u64,
    /// True if the window grows by the next window of ACKs.
    grows: bool,
    /// In microseconds; 0 if there is none.
    base_rtt: u64,
    rtt: u64,
    samples: u64,
    /// N.
    queued: f64,
}

impl CongestionControl for Veno {
    type Config = Config;

    fn new(_: &Config) -> Veno {
        let growth = Growth::default();
        Veno(Box::new(State { growth, acked: 0, grows: true, base_rtt: 0, rtt: 0, samples: 0, queued: 0.0 }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.measure(config.arithmetic, event);
        if event.is_app_limited || event.acked == 0 {
            return;
        }
        if state.samples <= 2 || state.rtt == 0 {
            return reno(&mut state.growth, config.arithmetic, window, counted(window, event));
        }
        state.queued = queued(config.arithmetic, window, state.base_rtt, state.rtt);
        let acked = slow_start(window, counted(window, event));
        if acked == 0 {
            return;
        }
        match state.queued < config.beta {
            true => state.growth.reno(config.arithmetic, window, acked),
            false => state.grow_slowly(window, acked),
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let segments = config.arithmetic.segments(loss.flight, window.mss);
        let kept = if self.0.queued < config.beta { segments * 4.0 / 5.0 } else { segments / 2.0 };
        if config.arithmetic == Arithmetic::Paper {
            self.0.base_rtt = 0;
        }
        bytes(config.arithmetic.whole(kept), window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("queued_segments", self.0.queued)]
    }
}

impl State {
    fn measure(&mut self, arithmetic: Arithmetic, event: &Event) {
        let Some(sample) = event.rtt_sample else { return };
        self.samples += 1;
        // Never 0, as in Linux.
        let sample = micros(sample) + 1;
        self.base_rtt = if self.base_rtt == 0 { sample } else { self.base_rtt.min(sample) };
        self.rtt = match (arithmetic, event.srtt) {
            (Arithmetic::Paper, Some(srtt)) => micros(srtt).max(self.base_rtt),
            _ => sample,
        };
    }

    /// A segment in every other window of ACKs. As in Linux the ACK that fills a window counts for none.
    fn grow_slowly(&mut self, window: &mut Window, acked: u64) {
        if self.acked < window.cwnd {
            self.acked = self.acked.saturating_add(acked);
            return;
        }
        if self.grows {
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
        (self.grows, self.acked) = (!self.grows, 0);
    }
}

/// N, which Linux knows in halves of a segment.
fn queued(arithmetic: Arithmetic, window: &Window, base_rtt: u64, rtt: u64) -> f64 {
    let segments = arithmetic.segments(window.cwnd, window.mss);
    let alone = arithmetic.whole(2.0 * segments * base_rtt as f64 / rtt.max(1) as f64);
    (2.0 * segments - alone) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;
    use units::Duration;

    const MSS: u64 = 1000;
    const LINUX: Config = Config { arithmetic: Arithmetic::Linux, beta: 3.0 };
    const PAPER: Config = Config { arithmetic: Arithmetic::Paper, beta: 3.0 };

    fn window(segments: u64) -> Window {
        Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS }
    }

    /// A flow that has seen a round trip of 100 ms, and so many ACKs at `rtt_ms`.
    fn after(config: &Config, w: &mut Window, rtt_ms: u64, acks: u64) -> Veno {
        let mut law = Veno::new(config);
        let at = |ms| Event {
            rtt_sample: Some(Duration::from_millis(ms)),
            srtt: Some(Duration::from_millis(ms)),
            ..Event::ack(MSS)
        };
        (0..3).for_each(|_| law.on_ack(config, &mut window(20), &at(100)));
        (0..acks).for_each(|_| law.on_ack(config, w, &at(rtt_ms)));
        law
    }

    /// 20 segments, 100 ms alone, 125 ms now: 20 (1 − 100/125) = 4; 114 ms: 2.46, in halves 2.5.
    #[test]
    fn what_waits_is_the_window_times_one_minus_base_over_rtt() {
        let queued = |arithmetic, rtt| queued(arithmetic, &window(20), 100_000, rtt);
        assert!((queued(Arithmetic::Paper, 125_000) - 4.0).abs() < 1e-12);
        assert_eq!([queued(Arithmetic::Linux, 125_000), queued(Arithmetic::Linux, 114_000)], [4.0, 2.5]);
    }

    #[test]
    fn a_loss_costs_a_fifth_with_few_in_queues_and_a_half_with_many() {
        for config in [LINUX, PAPER] {
            for (rtt_ms, kept) in [(105, 16), (125, 10)] {
                let mut law = after(&config, &mut window(20), rtt_ms, 1);
                let mut w = window(20);
                law.on_loss(&config, &mut w, &Loss::of(LossCause::FastRetransmit, 20 * MSS));
                assert_eq!(w.cwnd, kept * MSS, "{rtt_ms} ms");
            }
        }
    }

    /// Two windows of ACKs and the two that complete them: one segment instead of two.
    #[test]
    fn with_many_in_queues_the_window_grows_half_as_fast() {
        let grown = |rtt_ms| {
            let mut w = window(20);
            after(&LINUX, &mut w, rtt_ms, 43);
            w.cwnd / MSS
        };
        assert_eq!([grown(105), grown(125)], [22, 21]);
    }

    #[test]
    fn in_the_paper_a_loss_forgets_the_shortest_round_trip() {
        for (config, left) in [(LINUX, 100_001), (PAPER, 0)] {
            let mut law = after(&config, &mut window(20), 125, 1);
            law.on_loss(&config, &mut window(20), &Loss::of(LossCause::FastRetransmit, 20 * MSS));
            assert_eq!(law.0.base_rtt, left);
        }
    }
}
