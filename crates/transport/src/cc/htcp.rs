//! H-TCP: R. N. Shorten and D. J. Leith, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; Leith
//! and Shorten, draft-leith-tcp-htcp-06.
//!
//! The longer the last loss Δ ago, the faster the window grows: alpha = 1 for a second, then 1 + 10 (Δ − 1) + ((Δ −
//! 1)/2)², times 2 (1 − beta), segments a window of ACKs. A loss leaves beta = RTTmin/RTTmax of the window, from 0.5 to
//! 0.8, so that the queue is empty but not the path; 0.5 where the throughput differs from that before the loss before
//! by more than a fifth.
//!
//! Linux differs: times in whole milliseconds; alpha times RTTmin/100 ms, from 0.1 to 2 (`htcp_rtt_scaling`; the draft
//! has it as an option); beta is 0.5 at RTTmin up to 10 ms and at the first loss after a change of throughput; RTTmax
//! grows by at most 20 ms a sample and fades by a twentieth of its distance at each loss (here with both arithmetics).

use super::segments::{Arithmetic, Arrivals, Growth, bytes, counted, slow_start};
use super::{Asks, CongestionControl, Event, Loss, Wants, Window};
use options::{Kind, Words, options};
use units::{Duration, Instant};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The numbers of the law.
        pub arithmetic: Arithmetic = Arithmetic::Linux, Kind::Word(&Arithmetic::LIST);
        /// Growth in proportion to the round trip: alpha times RTTmin/100 ms, from 0.1 to 2.
        pub rtt_scaling as "htcp_rtt_scaling": bool = true, Kind::Flag;
        /// beta is 0.5 where the throughput has changed by more than a fifth from one loss to the next.
        pub bandwidth_switch as "htcp_bandwidth_switch": bool = true, Kind::Flag;
    }
}

const BETA_MIN: f64 = 0.5;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Htcp(Box<State>);

/// Times in milliseconds, throughputs in segments a second.
#[derive(Clone, Copy, Debug)]
struct State {
    growth: Growth,
    /// Linux: bytes acknowledged since the window grew.
    acked: u64,
    alpha: f64,
    beta: f64,
    /// True if the last loss came without a change of throughput: RTTmin/RTTmax may count.
    is_steady: bool,
    min_rtt: f64,
    max_rtt: f64,
    last_loss: f64,
    /// True until the first ACK after a loss that is of no recovery.
    is_repairing: bool,
    arrivals: Arrivals,
    throughput: Throughput,
}

#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// Bytes that have arrived since.
    arrived: u64,
    since: f64,
    smoothed: f64,
    most: f64,
    /// The most before the last loss.
    most_before: f64,
}

impl CongestionControl for Htcp {
    type Config = Config;

    const ASKS: Asks = Asks { every_ack: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Htcp {
        Htcp(Box::new(State {
            growth: Growth::default(),
            acked: 0,
            alpha: 1.0,
            beta: BETA_MIN,
            is_steady: false,
            min_rtt: 0.0,
            max_rtt: 0.0,
            last_loss: 0.0,
            is_repairing: false,
            arrivals: Arrivals::default(),
            throughput: Throughput::default(),
        }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { every_rtt: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        let arrived = state.arrivals.of(event);
        let now = now(config, event.now);
        state.measure(config, window, event, arrived, now);
        if event.in_recovery || event.acked == 0 || event.ecn_echo {
            return;
        }
        if state.is_repairing {
            (state.is_repairing, state.last_loss) = (false, now);
        }
        if event.is_app_limited {
            return;
        }
        if window.in_slow_start() {
            slow_start(window, counted(window, event));
            return;
        }
        state.grow(config, window, counted(window, event), now);
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        let (state, now) = (&mut *self.0, now(config, loss.event.now));
        state.set_beta(config);
        state.set_alpha(config, now);
        if state.min_rtt > 0.0 && state.max_rtt > state.min_rtt {
            let distance = (state.max_rtt - state.min_rtt) * 95.0 / 100.0;
            state.max_rtt = state.min_rtt + config.arithmetic.whole(distance);
        }
        (state.is_repairing, state.last_loss) = (true, now);
        let segments = config.arithmetic.segments(loss.flight, window.mss);
        bytes(config.arithmetic.whole(segments * state.beta), window.mss)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("htcp_alpha", self.0.alpha), ("htcp_beta", self.0.beta)]
    }
}

impl State {
    fn measure(&mut self, config: &Config, window: &Window, event: &Event, arrived: u64, now: f64) {
        if let Some(rtt) = event.rtt_sample.filter(|rtt| *rtt > Duration::ZERO) {
            let rtt = milliseconds(config, rtt);
            self.min_rtt = if self.min_rtt == 0.0 { rtt } else { self.min_rtt.min(rtt) };
            if !event.in_recovery {
                self.max_rtt = self.max_rtt.max(self.min_rtt);
                if rtt <= self.max_rtt + 20.0 {
                    self.max_rtt = self.max_rtt.max(rtt);
                }
            }
        }
        let throughput = &mut self.throughput;
        if event.in_recovery {
            (throughput.arrived, throughput.since) = (0, now);
            return;
        }
        throughput.arrived += arrived;
        let whole = |number| config.arithmetic.whole(number);
        let enough = window.cwnd as f64 - whole(self.alpha).max(1.0) * window.mss as f64;
        let took = now - throughput.since;
        if throughput.arrived as f64 >= enough && self.min_rtt > 0.0 && took >= self.min_rtt {
            let segments = throughput.arrived as f64 / window.mss as f64;
            let sample = whole(segments * 1000.0 / took);
            if whole((now - self.last_loss) / self.min_rtt) <= 3.0 {
                (throughput.smoothed, throughput.most) = (sample, sample);
            } else {
                throughput.smoothed = whole((3.0 * throughput.smoothed + sample) / 4.0);
                throughput.most = throughput.most.max(throughput.smoothed);
            }
            (throughput.arrived, throughput.since) = (0, now);
        }
    }

    fn grow(&mut self, config: &Config, window: &mut Window, acked: u64, now: f64) {
        if config.arithmetic == Arithmetic::Paper {
            self.set_alpha(config, now);
            return self.growth.by(window, self.alpha * acked as f64 / window.cwnd as f64);
        }
        if self.acked as f64 * self.alpha >= window.cwnd as f64 {
            self.acked = 0;
            window.cwnd = window.cwnd.saturating_add(window.mss);
            self.set_alpha(config, now);
        } else {
            self.acked = self.acked.saturating_add(acked);
        }
    }

    fn set_beta(&mut self, config: &Config) {
        let Throughput { most, most_before, .. } = self.throughput;
        self.throughput.most_before = most;
        if config.bandwidth_switch && !(4.0 * most_before..=6.0 * most_before).contains(&(5.0 * most)) {
            (self.beta, self.is_steady) = (BETA_MIN, false);
            return;
        }
        let ratio = if self.max_rtt > 0.0 { self.min_rtt / self.max_rtt } else { 0.0 };
        self.beta = match config.arithmetic {
            Arithmetic::Paper => ratio.clamp(BETA_MIN, 0.8),
            Arithmetic::Linux if self.is_steady && self.min_rtt > 10.0 => {
                (128.0 * ratio).floor().clamp(64.0, 102.0) / 128.0
            }
            Arithmetic::Linux => BETA_MIN,
        };
        self.is_steady = true;
    }

    fn set_alpha(&mut self, config: &Config, now: f64) {
        let whole = |number| config.arithmetic.whole(number);
        let beyond = (now - self.last_loss - 1000.0).max(0.0);
        let half = whole(beyond / 2.0);
        let mut factor = 1.0 + whole((10.0 * beyond + whole(half * half / 1000.0)) / 1000.0);
        if config.rtt_scaling && self.min_rtt > 0.0 {
            // 100 ms over RTTmin, in eighths.
            let scale = whole(8000.0 / (10.0 * self.min_rtt)).clamp(4.0, 80.0);
            factor = whole(8.0 * factor / scale);
            if factor == 0.0 {
                factor = 1.0;
            }
        }
        self.alpha = 2.0 * factor * (1.0 - self.beta);
    }
}

fn now(config: &Config, now: Instant) -> f64 {
    config.arithmetic.whole(now.ps() as f64 / 1e9)
}

/// Linux rounds up.
fn milliseconds(config: &Config, time: Duration) -> f64 {
    let ms = time.ps() as f64 / 1e9;
    if config.arithmetic == Arithmetic::Linux { ms.ceil() } else { ms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossCause;

    const MSS: u64 = 1000;

    fn config(arithmetic: Arithmetic) -> Config {
        Config { arithmetic, rtt_scaling: false, ..Config::default() }
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// alpha so many milliseconds after the last loss, with beta = 0.5.
    fn alpha(config: &Config, min_rtt: f64, ms: u64) -> f64 {
        let mut law = Htcp::new(config);
        law.0.min_rtt = min_rtt;
        law.0.set_alpha(config, ms as f64);
        law.0.alpha
    }

    /// 1 for a second; 2 s after it 1 + 20 + 1 = 22 (Δ = 3 s).
    #[test]
    fn growth_depends_on_the_time_since_the_last_loss() {
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let found = [500, 1000, 3000].map(|ms| alpha(&config(arithmetic), 0.0, ms));
            assert_eq!(found, [1.0, 1.0, 22.0], "{arithmetic:?}");
        }
        // 1 + 0.5 · 10 + 0.0625; Linux's whole number.
        assert_eq!(alpha(&config(Arithmetic::Paper), 0.0, 1500), 6.0625);
        assert_eq!(alpha(&config(Arithmetic::Linux), 0.0, 1500), 6.0);
    }

    /// At 50 ms half, at 10 ms and below a tenth, at 200 ms and above twice.
    #[test]
    fn growth_is_scaled_by_the_round_trip() {
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let scaled = Config { arithmetic, ..Config::default() };
            let found = [50.0, 200.0, 1000.0].map(|min_rtt| alpha(&scaled, min_rtt, 3000));
            assert_eq!(found, [11.0, 44.0, 44.0], "{arithmetic:?}");
        }
        let [linux, paper] =
            [Arithmetic::Linux, Arithmetic::Paper].map(|arithmetic| Config { arithmetic, ..Config::default() });
        assert_eq!([alpha(&linux, 5.0, 3000), alpha(&paper, 5.0, 3000)], [2.0, 2.2]);
        assert_eq!(alpha(&linux, 5.0, 500), 1.0, "never none");
    }

    /// What a loss leaves of 100 segments after a minimum of 100 ms, a maximum and throughputs.
    fn kept(arithmetic: Arithmetic, max_rtt: f64, most_before: f64, is_steady: bool) -> u64 {
        let config = config(arithmetic);
        let mut law = Htcp::new(&config);
        (law.0.min_rtt, law.0.max_rtt, law.0.is_steady) = (100.0, max_rtt, is_steady);
        (law.0.throughput.most, law.0.throughput.most_before) = (1000.0, most_before);
        let mut window = Window { cwnd: 100 * MSS, ssthresh: 2 * MSS, mss: MSS };
        law.on_loss(&config, &mut window, &Loss::of(LossCause::FastRetransmit, 100 * MSS));
        window.cwnd / MSS
    }

    #[test]
    fn a_loss_leaves_the_ratio_of_the_shortest_to_the_longest_round_trip() {
        // 100/150 of 128ths: 85/128 of 100 segments.
        assert_eq!(
            [kept(Arithmetic::Linux, 150.0, 1000.0, true), kept(Arithmetic::Paper, 150.0, 1000.0, true)],
            [66, 66]
        );
        assert_eq!(
            [kept(Arithmetic::Linux, 101.0, 1000.0, true), kept(Arithmetic::Paper, 101.0, 1000.0, true)],
            [79, 80]
        );
        assert_eq!(
            [kept(Arithmetic::Linux, 300.0, 1000.0, true), kept(Arithmetic::Paper, 300.0, 1000.0, true)],
            [50, 50]
        );
        assert_eq!(
            [kept(Arithmetic::Linux, 125.0, 1000.0, false), kept(Arithmetic::Paper, 125.0, 1000.0, false)],
            [50, 80]
        );
    }

    /// 1000 against 1250 a second is a fifth less, against 1251 more.
    #[test]
    fn a_change_of_throughput_by_more_than_a_fifth_halves_the_window() {
        for arithmetic in [Arithmetic::Linux, Arithmetic::Paper] {
            let found = [1250.0, 1251.0, 833.0, 834.0].map(|before| kept(arithmetic, 150.0, before, true));
            assert_eq!(found, [66, 50, 50, 66], "{arithmetic:?}");
        }
    }

    /// 20 segments every 100 ms are 200 a second; the longest round trip grows by 20 ms a sample at most.
    #[test]
    fn throughput_and_round_trips_are_measured() {
        let config = config(Arithmetic::Linux);
        let (mut law, mut window) = (Htcp::new(&config), Window { cwnd: 20 * MSS, ssthresh: MSS, mss: MSS });
        for (number, ms) in (0..400).map(|number| (number, 1000 + 5 * number)) {
            let rtt_sample = Some(Duration::from_millis(if number == 50 { 200 } else { 100 + number / 40 }));
            law.on_ack(&config, &mut window, &Event { acked: MSS, rtt_sample, ..Event::at(at(ms)) });
        }
        assert_eq!((law.0.min_rtt, law.0.max_rtt), (100.0, 109.0));
        assert!((190.0..=201.0).contains(&law.0.throughput.most), "{}", law.0.throughput.most);
    }

    /// Between 100 and 150 ms a loss leaves 95 % of the distance; a window of 20 segments grows by 1/20 with alpha = 1.
    #[test]
    fn the_longest_round_trip_ages_at_a_loss_and_the_paper_grows_by_each_ack() {
        for (arithmetic, expected) in [(Arithmetic::Linux, 147.0), (Arithmetic::Paper, 147.5)] {
            let (config, mut law) = (config(arithmetic), Htcp::new(&config(arithmetic)));
            (law.0.min_rtt, law.0.max_rtt) = (100.0, 150.0);
            let mut window = Window { cwnd: 20 * MSS, ssthresh: 2 * MSS, mss: MSS };
            law.on_loss(&config, &mut window, &Loss::of(LossCause::FastRetransmit, 20 * MSS));
            assert_eq!((law.0.min_rtt, law.0.max_rtt), (100.0, expected));
        }
        let config = config(Arithmetic::Paper);
        let (mut law, mut window) = (Htcp::new(&config), Window { cwnd: 20 * MSS, ssthresh: MSS, mss: MSS });
        law.on_ack(&config, &mut window, &Event { acked: MSS, ..Event::at(at(500)) });
        assert_eq!(window.cwnd, 20 * MSS + MSS / 20);
    }

    /// Linux's measure_achieved_throughput(): 20 segments in 100 ms are 200 a second. Up to three of the shortest round
    /// trips after a loss a sample counts by itself; later it moves the mean by a quarter.
    #[test]
    fn throughput_is_smoothed_from_three_round_trips_after_a_loss_on() {
        let smoothed = |since_loss: u64| {
            let config = config(Arithmetic::Linux);
            let (mut law, mut window) = (Htcp::new(&config), Window { cwnd: 20 * MSS, ssthresh: MSS, mss: MSS });
            law.0.min_rtt = 100.0;
            (law.0.throughput.smoothed, law.0.throughput.since) = (400.0, (since_loss + 900) as f64);
            law.0.last_loss = 1000.0;
            let ack = Event { acked: 20 * MSS, ..Event::at(at(1000 + since_loss)) };
            law.on_ack(&config, &mut window, &ack);
            law.0.throughput.smoothed
        };
        assert_eq!([smoothed(250), smoothed(399), smoothed(400), smoothed(1000)], [200.0, 200.0, 350.0, 350.0]);
    }
}
