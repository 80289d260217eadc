//! Reno's window law: RFC 5681 §3.1. Also NewReno's and SACK's; they differ in loss recovery only.
//!
//! Left out: RFC 3465 with a limit L of two segments in slow start without HyStart++.

use super::gaimd::SHARE;
use super::hystart::HyStart;
use super::{CongestionControl, Event, Loss, LossCause, SlowStartCounts, Wants, Window};
use options::{Kind, Range, Words, options, words};

words! {
    /// How acknowledged data count in congestion avoidance.
    pub enum Increase {
        /// One segment for each window of acknowledged bytes (RFC 5681 §3.1, recommended there): delayed ACKs do not
        /// slow the growth.
        ByteCounting = "byte-counting",
        /// SMSS·SMSS/cwnd for each ACK (RFC 5681 eq. (3), ns-2): with delayed ACKs the window grows by half a segment
        /// in a round trip, the b = 2 of the throughput formulas.
        PerAck = "per-ack",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Congestion avoidance.
        pub increase: Increase = Increase::ByteCounting, Kind::Word(&Increase::LIST);
        /// Slow start without hystart.
        pub slow_start_counts: SlowStartCounts = SlowStartCounts::Segment, Kind::Word(&SlowStartCounts::LIST);
        /// HyStart++ (RFC 9406): the first slow start ends when round trips grow, not only at a loss.
        pub hystart: bool = false, Kind::Flag;
        /// With hystart: at most this many segments of one ACK count in slow start. RFC 9406 §4.2: 8, and without a
        /// bound if segments are paced.
        pub hystart_limit: u32 = 8, Kind::Whole(Range::from(1.0));
        /// ABE (RFC 8511): a congestion mark keeps more of the flight than a loss. Needs ecn.
        pub abe: bool = false, Kind::Flag;
        /// With abe: the share of the flight that is kept at a mark. RFC 8511 §3: 0.8.
        pub beta_ecn: f64 = 0.8, Kind::Number(SHARE);
    }
}

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Reno {
    /// Bytes acknowledged since the window last grew (byte counting).
    acked: u64,
    /// The first slow start, if HyStart++ watches it.
    hystart: Option<Box<HyStart>>,
}

impl CongestionControl for Reno {
    type Config = Config;

    fn new(config: &Config) -> Reno {
        Reno { acked: 0, hystart: config.hystart.then(Box::default) }
    }

    fn wants(config: &Config) -> Wants {
        Wants { every_rtt: config.hystart, marks: config.abe, ..Wants::default() }
    }

    #[inline]
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let acked = event.acked;
        if window.in_slow_start() {
            match &mut self.hystart {
                // A copy, so that the event need not be in memory for those who do without.
                Some(hystart) => hystart.on_ack(config.hystart_limit, window, &{ *event }),
                None if event.is_app_limited => {}
                None => window.slow_start_by(config.slow_start_counts, acked),
            }
            return;
        }
        if event.is_app_limited {
            return;
        }
        match config.increase {
            Increase::ByteCounting => self.count(window, acked),
            Increase::PerAck => per_ack(window),
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.hystart.iter().map(|hystart| hystart.figure()).collect()
    }

    /// Half of the FlightSize: RFC 5681 §3.1 eq. (4). At a mark RFC 8511 §3, if it is asked for.
    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        self.acked = 0;
        self.hystart = None;
        // RFC 8511 §4: not recommended in slow start.
        if config.abe && loss.cause == LossCause::Mark && !window.in_slow_start() {
            return (loss.flight as f64 * config.beta_ecn) as u64;
        }
        loss.flight / 2
    }
}

impl Reno {
    #[inline]
    fn count(&mut self, window: &mut Window, acked: u64) {
        self.acked += window.counted(acked);
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            window.cwnd = window.cwnd.saturating_add(window.mss);
        }
    }
}

/// RFC 5681 eq. (3); at least one byte, as the RFC says.
#[inline]
fn per_ack(window: &mut Window) {
    let step = (window.mss * window.mss / window.cwnd).max(1);
    window.cwnd = window.cwnd.saturating_add(step);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Window { cwnd, ssthresh, mss: 1000 }
    }

    #[test]
    fn slow_start_adds_at_most_one_segment_per_ack() {
        let (config, mut w) = (Config::default(), window(2000, 64_000));
        let mut law = Reno::new(&config);
        law.on_ack(&config, &mut w, &Event::ack(1000));
        assert_eq!(w.cwnd, 3000);
        law.on_ack(&config, &mut w, &Event::ack(2000));
        assert_eq!(w.cwnd, 4000, "an ACK of two segments counts as one");
        law.on_ack(&config, &mut w, &Event::ack(300));
        assert_eq!(w.cwnd, 4300, "an ACK of 300 bytes counts as 300");
    }

    #[test]
    fn all_counts_in_slow_start_where_it_is_said() {
        // RFC 9002 §7.3.1: "the window increases by the number of bytes acknowledged".
        let config = Config { slow_start_counts: SlowStartCounts::All, ..Config::default() };
        let mut w = window(10_000, 64_000);
        Reno::new(&config).on_ack(&config, &mut w, &Event::ack(2000));
        assert_eq!(w.cwnd, 12_000);
    }

    #[test]
    fn congestion_avoidance_adds_one_segment_per_window_of_bytes() {
        let (config, mut w) = (Config::default(), window(10_000, 10_000));
        let mut law = Reno::new(&config);
        for _ in 0..9 {
            law.on_ack(&config, &mut w, &Event::ack(1000));
        }
        assert_eq!(w.cwnd, 10_000);
        law.on_ack(&config, &mut w, &Event::ack(1000));
        assert_eq!(w.cwnd, 11_000);
        // Delayed ACKs: 11 000 bytes in ACKs of 2000 are six ACKs.
        for _ in 0..6 {
            law.on_ack(&config, &mut w, &Event::ack(2000));
        }
        assert_eq!(w.cwnd, 12_000);
    }

    #[test]
    fn eq_3_adds_mss_squared_over_cwnd_per_ack() {
        let config = Config { increase: Increase::PerAck, ..Config::default() };
        let mut w = window(10_000, 10_000);
        let mut law = Reno::new(&config);
        law.on_ack(&config, &mut w, &Event::ack(2000));
        // 1000 * 1000 / 10000.
        assert_eq!(w.cwnd, 10_100);
    }

    #[test]
    fn a_loss_halves_the_flight_not_the_window() {
        let config = Config::default();
        let loss = Loss::of(LossCause::FastRetransmit, 8000);
        assert_eq!(Reno::new(&config).ssthresh_after(&config, &window(20_000, 20_000), &loss), 4000);
    }

    #[test]
    fn rfc_8511_keeps_four_fifths_of_the_flight_at_a_mark_and_half_at_a_loss() {
        let ssthresh = |abe, cause| {
            let config = Config { abe, ..Config::default() };
            Reno::new(&config).ssthresh_after(&config, &window(20_000, 20_000), &Loss::of(cause, 10_000))
        };
        let in_slow_start = |cause| {
            let config = Config { abe: true, ..Config::default() };
            Reno::new(&config).ssthresh_after(&config, &window(10_000, 20_000), &Loss::of(cause, 10_000))
        };
        assert_eq!(in_slow_start(LossCause::Mark), 5000, "§4: not while cwnd is below ssthresh");
        assert_eq!((ssthresh(true, LossCause::Mark), ssthresh(true, LossCause::FastRetransmit)), (8000, 5000));
        assert_eq!((ssthresh(true, LossCause::Timeout), ssthresh(false, LossCause::Mark)), (5000, 5000));
    }
}
