//! Hybla: C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal
//! of Satellite Communications and Networking 22(5), 2004.
//!
//! A flow is to gain as much in a second as one with a round trip of RTT₀. With ρ = RTT/RTT₀, at least 1, an ACK gives
//! 2^ρ − 1 segments in slow start and ρ²/cwnd in congestion avoidance. A loss halves the window.
//!
//! ρ follows from the shortest smoothed round trip so far, as in Linux. Left out: the initial window of ρ segments, for
//! a law does not set it, and pacing and the bandwidth estimate, which the paper adds and Linux does not have.
//!
//! Linux differs: ρ in eighths, 2^ρ by a table of eighths and at most 2^16, increments in 128ths of a segment; where an
//! increment is below one of these, a window of ACKs gives a segment. The window is at most 65 535 segments.

use super::segments::{Arithmetic, Growth, half};
use super::{CongestionControl, Event, Loss, Window};
use options::{Kind, Words, options};
use units::Duration;

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// RTT₀.
        pub rtt0 as "hybla_rtt0": Duration = Duration::from_millis(25), Kind::POSITIVE;
    }
}

const MOST_SEGMENTS: u64 = 65_535;
/// 2^(k/8) in 128ths, rounded down.
const EIGHTHS: [u64; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Hybla(Box<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    /// The shortest smoothed round trip.
    srtt: Duration,
    /// Linux: 128ths of a segment by which the window has not grown.
    part: u64,
    /// Linux: ACKs since it grew.
    acks: u64,
}

impl CongestionControl for Hybla {
    type Config = Config;

    fn new(_: &Config) -> Hybla {
        Hybla(Box::new(State { growth: Growth::default(), srtt: Duration::MAX, part: 0, acks: 0 }))
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.srtt = event.srtt.map_or(state.srtt, |srtt| state.srtt.min(srtt));
        if event.is_app_limited || event.acked == 0 || state.srtt == Duration::MAX {
            return;
        }
        let is_slow_start = window.in_slow_start();
        match config.arithmetic {
            Arithmetic::Linux => state.grow_as_linux(config, window),
            Arithmetic::Paper => {
                let rho = (state.srtt.ps() as f64 / config.rtt0.ps() as f64).max(1.0);
                let segments = window.cwnd as f64 / window.mss as f64;
                state.growth.by(window, if is_slow_start { libm::exp2(rho) - 1.0 } else { rho * rho / segments });
            }
        }
        if is_slow_start {
            window.cwnd = window.cwnd.min(window.ssthresh);
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        half(config.arithmetic, loss.flight, window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("hybla_srtt_s", self.0.srtt.as_secs_f64())]
    }
}

impl State {
    fn grow_as_linux(&mut self, config: &Config, window: &mut Window) {
        let rho = eighths(self.srtt, config.rtt0);
        let segments = (window.cwnd / window.mss).max(1);
        let increment = match window.in_slow_start() {
            true => (EIGHTHS[(rho % 8) as usize] << (rho / 8).min(16)) - 128,
            false => rho.saturating_mul(rho).saturating_mul(2) / segments,
        };
        self.acks += u64::from(!window.in_slow_start() && increment < 128);
        self.part += increment % 128;
        let mut grown = increment / 128;
        if self.part >= 128 {
            (self.part, self.acks, grown) = (self.part - 128, 0, grown + 1);
        }
        if increment == 0 && self.acks >= segments {
            (self.acks, grown) = (0, grown + 1);
        }
        let most = MOST_SEGMENTS.max(segments) * window.mss;
        window.cwnd = window.cwnd.saturating_add(grown.saturating_mul(window.mss)).min(most);
    }
}

/// ρ in eighths, at least 8.
fn eighths(srtt: Duration, rtt0: Duration) -> u64 {
    (u128::from(srtt.ps()) * 8 / u128::from(rtt0.ps().max(1))).clamp(8, 1 << 20) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// The window after ACKs at a round trip.
    fn grown(arithmetic: Arithmetic, segments: u64, ssthresh: u64, rtt_ms: u64, acks: u64) -> u64 {
        let config = Config { arithmetic, ..Config::default() };
        let mut window = Window { cwnd: segments * MSS, ssthresh: ssthresh * MSS, mss: MSS };
        let mut law = Hybla::new(&config);
        let ack = Event { srtt: Some(Duration::from_millis(rtt_ms)), ..Event::ack(MSS) };
        (0..acks).for_each(|_| law.on_ack(&config, &mut window, &ack));
        window.cwnd
    }

    /// ρ = 4 at 100 ms: 2^4 − 1 = 15 segments an ACK; ρ = 2.5: 4.657, in Linux (181·4 − 128)/128 = 4.656.
    #[test]
    fn slow_start_gives_two_to_the_rho_less_one() {
        assert_eq!(grown(Arithmetic::Linux, 2, 1000, 100, 1), 17 * MSS);
        assert_eq!(grown(Arithmetic::Paper, 2, 1000, 100, 1), 17 * MSS);
        assert_eq!(grown(Arithmetic::Paper, 2, 1000, 62, 1), 2000 + ((2f64.powf(2.48) - 1.0) * 1000.0) as u64);
        // 596/128 = 4 and 84/128; after two ACKs 8 and 168/128: 9.
        assert_eq!([1, 2].map(|acks| grown(Arithmetic::Linux, 2, 1000, 63, acks)), [6 * MSS, 11 * MSS]);
        assert_eq!(grown(Arithmetic::Linux, 2, 10, 100, 1), 10 * MSS, "up to ssthresh");
    }

    /// ρ² = 16 segments in a window of ACKs at 100 ms; one at 25 ms and below, as Reno.
    #[test]
    fn congestion_avoidance_gives_rho_squared_segments_a_window() {
        let paper = grown(Arithmetic::Paper, 1000, 2, 100, 1000);
        assert!((1_015_800..=1_016_000).contains(&paper), "{paper}");
        // 2·32²/1000 = 2 of 128ths an ACK: 2000/128 = 15 in 1000 ACKs.
        assert_eq!(grown(Arithmetic::Linux, 1000, 2, 100, 1000), 1015 * MSS);
        // 2·8²/1000 = 0 of 128ths: the window of ACKs counts.
        assert_eq!([999, 1000].map(|acks| grown(Arithmetic::Linux, 1000, 2, 25, acks)), [1000 * MSS, 1001 * MSS]);
        assert_eq!(grown(Arithmetic::Paper, 100, 2, 5, 1), 100_010);
    }

    #[test]
    fn rho_follows_the_shortest_round_trip() {
        assert_eq!(eighths(Duration::from_millis(100), Duration::from_millis(25)), 32);
        assert_eq!(eighths(Duration::from_millis(1), Duration::from_millis(25)), 8);
        let (config, mut law) = (Config::default(), Hybla::new(&Config::default()));
        let mut window = Window { cwnd: 10 * MSS, ssthresh: 2 * MSS, mss: MSS };
        for ms in [100, 50, 200] {
            law.on_ack(&config, &mut window, &Event { srtt: Some(Duration::from_millis(ms)), ..Event::ack(MSS) });
        }
        assert_eq!(law.0.srtt, Duration::from_millis(50));
    }
}
