//! Scalable TCP: T. Kelly, "Scalable TCP: improving performance in highspeed wide area networks", ACM CCR 33(2), 2003.
//!
//! The window grows by 0.01 segments for an ACK, whatever its size, and loses an eighth at a loss: so a loss is made up
//! for in the same number of round trips at any rate. Small windows are Reno's: with Linux's arithmetic below 100
//! segments, where a segment a window is more; with the paper's up to `lwnd` = 16 segments, which are halved, too.
//!
//! Linux differs: it counts segments, not ACKs, and an eighth is rounded down to whole segments.

use super::segments::{Arithmetic, Growth, bytes, counted, slow_start};
use super::{CongestionControl, Event, Loss, Window};
use options::{Kind, Range, Words, options};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Segments acknowledged for each by which a large window grows. The paper's 1/0.01; Linux before 5.x and ns-3:
        /// 50.
        pub count as "scalable_count": u32 = 100, Kind::Whole(Range::closed(1.0, 1e6));
    }
}

/// `lwnd`: the largest window that is Reno's in the paper.
const LEGACY: f64 = 16.0;

/// The law of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Scalable {
    growth: Growth,
}

impl CongestionControl for Scalable {
    type Config = Config;

    fn new(_: &Config) -> Scalable {
        Scalable { growth: Growth::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if event.is_app_limited {
            return;
        }
        let acked = slow_start(window, counted(window, event));
        if acked == 0 {
            return;
        }
        let segments = config.arithmetic.segments(window.cwnd, window.mss);
        match config.arithmetic {
            Arithmetic::Linux => self.growth.one_in(window, segments.min(f64::from(config.count)), acked),
            Arithmetic::Paper if segments <= LEGACY => self.growth.by(window, 1.0 / segments),
            Arithmetic::Paper => self.growth.by(window, 1.0 / f64::from(config.count)),
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let segments = config.arithmetic.segments(loss.flight, window.mss);
        let lost = match config.arithmetic {
            Arithmetic::Paper if segments <= LEGACY => segments / 2.0,
            arithmetic => arithmetic.whole(segments / 8.0),
        };
        bytes(segments - lost, window.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;

    const MSS: u64 = 1000;
    const LINUX: Config = Config { arithmetic: Arithmetic::Linux, count: 100 };
    const PAPER: Config = Config { arithmetic: Arithmetic::Paper, count: 100 };

    /// The window after a number of ACKs of a segment each.
    fn grown(config: &Config, segments: u64, acks: u64) -> u64 {
        let mut window = Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS };
        let mut law = Scalable::new(config);
        (0..acks).for_each(|_| law.on_ack(config, &mut window, &Event::ack(MSS)));
        window.cwnd
    }

    fn kept(config: &Config, segments: u64) -> u64 {
        let mut window = Window { cwnd: segments * MSS, ssthresh: 2 * MSS, mss: MSS };
        Scalable::new(config).on_loss(config, &mut window, &Loss::of(LossCause::FastRetransmit, segments * MSS));
        window.cwnd
    }

    /// The paper's a = 0.01: 100 ACKs are a segment at 1000 segments.
    #[test]
    fn a_large_window_grows_by_a_hundredth_an_ack() {
        assert_eq!([grown(&LINUX, 1000, 99), grown(&LINUX, 1000, 100)], [1_000_000, 1_001_000]);
        assert_eq!(grown(&PAPER, 1000, 50), 1_000_500);
    }

    #[test]
    fn a_small_window_is_renos() {
        assert_eq!(grown(&LINUX, 50, 50), 51 * MSS);
        // 10, then 10.1: 1/10 and 1/10.1 of a segment.
        assert_eq!(grown(&PAPER, 10, 2), 10_199);
    }

    #[test]
    fn a_loss_takes_an_eighth() {
        assert_eq!([kept(&LINUX, 1000), kept(&LINUX, 1007), kept(&LINUX, 15)], [875_000, 882_000, 14_000]);
        assert_eq!([kept(&PAPER, 1000), kept(&PAPER, 1007), kept(&PAPER, 16)], [875_000, 881_125, 8000]);
    }
}
