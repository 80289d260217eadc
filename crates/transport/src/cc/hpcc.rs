//! HPCC: Y. Li, R. Miao, H. Liu, Y. Zhuang, F. Feng, L. Tang, Z. Cao, M. Zhang, F. Kelly, M. Alizadeh, M. Yu, "HPCC:
//! High Precision Congestion Control", SIGCOMM 2019, §3.2 and algorithm 1.
//!
//! Each ACK brings the queue, the bytes sent, the time and the rate of each egress port. The load of a hop is what it
//! has in flight for one round trip, over rate · T: min(queue, queue before)/(rate · T) + bytes sent since/(time ·
//! rate).
//! The law takes the greatest of the path, smooths it over T, and sets W = Wc · η/U + W_AI, or, for at most `stages`
//! round trips in a row and while U < η, W = Wc + W_AI. Wc becomes W once in a round trip. Segments are paced at W/T.
//!
//! W_AI is the paper's: (1 − η) · rate · T/N for N flows that are expected, with the rate of the slowest hop.
//!
//! `ahead`: a port that knows its next capacity says it, and the law reckons with that one instead from so long before
//! its time on. This is no part of the paper.
//!
//! W is at most the line rate times T, as a host's hardware makes it; the slowest hop's rate stands for the host's.
//! Hops count bytes on the wire and W is payload: rate · T is reckoned as the payload of as many bytes of full
//! segments.
//!
//! Left out: the hardware's tables for divisions, and priority flow control. The paper's network loses nothing. Here a
//! loss that duplicate ACKs show is repaired and leaves the window to the telemetry; a timeout leaves one segment.

use super::base_rtt::{BaseRtt, bytes_per_second, keep_window, set_window};
use super::{Asks, CongestionControl, Event, Fit, Host, Loss, LossCause, Measured, News, Wants, Window};
use crate::telemetry::{Hop, Telemetry};
use options::{Kind, Range, options};
use units::{Duration, Rate};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The load of a hop that the law aims at. §3.3: 95 %.
        pub eta as "hpcc_eta": f64 = 0.95, Kind::Number(Range::closed(0.1, 1.0));
        /// Round trips of additive increase in a row, after which the window jumps to where the load would be η. §3.3:
        /// 5.
        pub stages as "hpcc_stages": u32 = 5, Kind::Whole(Range::closed(0.0, 1000.0));
        /// Flows that share a link, as expected: the additive increase is what (1 − η) of the slowest hop's
        /// bandwidth-delay product leaves each of them.
        pub flows as "hpcc_flows": u32 = 100, Kind::Whole(Range::closed(1.0, 1e6));
        /// The round trip of the empty path. Without it the shortest that was measured, on the path that is there as
        /// news of it says.
        pub base_rtt: Option<Duration> = None, Kind::POSITIVE;
        /// The law reckons with the next capacity of a port, where the network knows it, from so long before its time
        /// on. With a round trip the segments that are sent for it find it.
        pub ahead: Duration = Duration::ZERO, Kind::SPAN;
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Hpcc(Box<State>);

#[derive(Clone, Debug)]
struct State {
    host: Host,
    base: BaseRtt,
    last: Telemetry,
    /// U, smoothed.
    load: f64,
    /// Wc in bytes.
    reference: f64,
    stage: u32,
    /// The round trip is over when more than this is acknowledged.
    round_end: u64,
}

/// The most loaded hop of a path.
struct Load {
    share: f64,
    /// Since the ACK before, in seconds.
    time: f64,
}

impl CongestionControl for Hpcc {
    type Config = Config;

    const ASKS: Asks = Asks { telemetry: true, pacing: true, ..Asks::NOTHING };

    fn new(_: &Config) -> Hpcc {
        let state = State {
            host: Host::default(),
            base: BaseRtt::default(),
            last: Telemetry::EMPTY,
            load: 1.0,
            reference: 0.0,
            stage: 0,
            round_end: 0,
        };
        Hpcc(Box::new(state))
    }

    fn wants(config: &Config) -> Wants {
        let (base_rtts, fits) = (config.base_rtt.is_none(), Fit::of_base_rtt(config.base_rtt));
        Wants { base_rtts, fits, ..Wants::default() }
    }

    fn on_host(&mut self, host: &Host) {
        self.0.host = *host;
    }

    fn on_ack(&mut self, _: &Config, _: &mut Window, event: &Event) {
        self.0.base.note(event);
    }

    fn on_telemetry(&mut self, config: &Config, window: &mut Window, measured: &Measured) {
        let state = &mut *self.0;
        let told = measured.telemetry.ahead(config.ahead);
        let last = std::mem::replace(&mut state.last, told);
        let Some(base) = state.base.secs(config.base_rtt) else { return };
        let Some(load) = most_loaded(&told, &last, base) else { return };
        let weight = load.time.min(base) / base;
        state.load = (1.0 - weight) * state.load + weight * load.share;
        if state.reference == 0.0 {
            state.reference = window.cwnd as f64;
        }
        let wire = bytes_per_second(told.slowest()) * base;
        let product = state.host.payload(wire, window.mss, told.grown_len());
        let next = state.next_window(config, product, measured.ack > state.round_end);
        if measured.ack > state.round_end {
            state.round_end = measured.next;
        }
        set_window(window, next, measured.event.is_app_limited);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        if loss.cause == LossCause::Timeout {
            self.0.reference = window.mss as f64;
        }
        keep_window(window, loss);
    }

    fn on_news(&mut self, _: &Config, _: &mut Window, news: &News) {
        self.0.base.hear(&news.change);
    }

    fn pacing_rate(&self, config: &Config, window: &Window, _: Option<Duration>) -> Option<Rate> {
        self.0.base.rate_of(config.base_rtt, window.cwnd)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("load", self.0.load)]
    }
}

impl State {
    /// W, and Wc if a round trip is over. `product` is the bandwidth-delay product of the slowest hop.
    fn next_window(&mut self, config: &Config, product: f64, is_new_round: bool) -> f64 {
        let additive = (1.0 - config.eta) * product / f64::from(config.flows);
        let jumps = self.load >= config.eta || self.stage >= config.stages;
        let window = if jumps { self.reference * config.eta / self.load } else { self.reference } + additive;
        let window = window.min(product);
        if is_new_round {
            self.stage = if jumps { 0 } else { self.stage + 1 };
            self.reference = window;
        }
        window
    }
}

/// The greatest load of the hops that both ACKs know.
fn most_loaded(now: &Telemetry, last: &Telemetry, base: f64) -> Option<Load> {
    let loads = now.since(last).filter_map(|(hop, old)| load_of(hop, old, base));
    loads.max_by(|one, two| one.share.total_cmp(&two.share))
}

fn load_of(hop: &Hop, old: &Hop, base: f64) -> Option<Load> {
    let (rate, time) = (bytes_per_second(hop.rate), hop.at.saturating_since(old.at).as_secs_f64());
    let waiting = hop.queue.min(old.queue) as f64 / (rate * base);
    let sent = (hop.sent - old.sent) as f64 / time / rate;
    (rate > 0.0).then_some(Load { share: (waiting + sent).max(f64::MIN_POSITIVE), time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::NextRate;
    use units::Instant;

    const BASE: Duration = Duration::from_micros(10);

    fn config() -> Config {
        Config { base_rtt: Some(BASE), ..Config::default() }
    }

    /// One hop of 100 Gb/s, 125 kB in 10 µs, that has sent `sent` bytes until `us` and holds `queue`.
    fn one_hop(us: u64, sent: u64, queue: u64) -> Telemetry {
        let mut telemetry = Telemetry::EMPTY;
        let at = Instant::ZERO + Duration::from_micros(us);
        telemetry.push(Hop { port: 3, at, queue, sent, rate: Rate::from_gbps(100), next: None });
        telemetry
    }

    fn told(law: &mut Hpcc, window: &mut Window, telemetry: Telemetry, ack: u64) {
        let measured = Measured { telemetry: &telemetry, ack, next: ack + 100_000, event: Event::at(Instant::ZERO) };
        law.on_telemetry(&config(), window, &measured);
    }

    fn start(cwnd: u64) -> (Hpcc, Window) {
        (Hpcc::new(&config()), Window { cwnd, ssthresh: u64::MAX, mss: 1000 })
    }

    /// In a round trip the hop sends at its rate and keeps 125 kB: U = 1 + 1, so W = Wc · 0.95/2 + W_AI with
    /// W_AI = 0.05 · 125 000/100 = 62.5 B.
    #[test]
    fn a_full_round_trips_queue_halves_the_window() {
        let (mut law, mut window) = start(200_000);
        told(&mut law, &mut window, one_hop(0, 0, 125_000), 1);
        assert_eq!(window.cwnd, 200_000, "the first ACK has nothing to compare with");
        told(&mut law, &mut window, one_hop(10, 125_000, 130_000), 1001);
        assert_eq!(window.cwnd, 95_062, "200 000 · 0.95/2 + 62.5");
    }

    /// U = 0.475 with five stages allowed: five additive steps, and at the sixth W = Wc · 0.95/0.475 = 2 Wc.
    #[test]
    fn half_of_the_load_is_doubled_after_five_round_trips() {
        let (mut law, mut window) = start(50_000);
        told(&mut law, &mut window, one_hop(0, 0, 0), 1);
        let mut seen = Vec::new();
        for round in 1..=6 {
            told(&mut law, &mut window, one_hop(10 * round, 59_375 * round, 0), 1 + round * 200_000);
            seen.push(window.cwnd);
        }
        assert_eq!(seen[..5], [50_062, 50_125, 50_187, 50_250, 50_312]);
        assert_eq!(seen[5], 100_687, "2 · 50 312.5 + 62.5");
    }

    /// A full hop of 100 Gb/s that has 200 Gb/s in 10 µs: with a lead of a round trip U = 0.5, and, without stages of
    /// additive increase, W = 100 000 · 0.95/0.5 + W_AI with W_AI = 0.05 · 250 000/100; one that will have 50 Gb/s
    /// halves: 100 000 · 0.95/2 + 0.05 · 62 500/100.
    #[test]
    fn the_next_capacity_counts_from_its_lead_on() {
        for (gbps, lead_us, cwnd) in [(200, 10, 190_125), (200, 9, 95_062), (50, 10, 47_531), (50, 0, 95_062)] {
            let (mut law, mut window) = start(100_000);
            let config = Config { ahead: Duration::from_micros(lead_us), stages: 0, ..config() };
            for (us, ack) in [(0, 1), (10, 1001)] {
                let mut telemetry = Telemetry::EMPTY;
                let at = |us: u64| Instant::ZERO + Duration::from_micros(us);
                let next = Some(NextRate { at: at(20), rate: Rate::from_gbps(gbps) });
                let (sent, rate) = (12_500 * us, Rate::from_gbps(100));
                telemetry.push(Hop { port: 3, at: at(us), queue: 0, sent, rate, next });
                let measured =
                    Measured { telemetry: &telemetry, ack, next: ack + 100_000, event: Event::at(Instant::ZERO) };
                law.on_telemetry(&config, &mut window, &measured);
            }
            assert_eq!(window.cwnd, cwnd, "{gbps} Gb/s, {lead_us} µs ahead");
        }
    }

    /// 1000 B of payload are 1250 B on the wire: 125 kB on the wire are 100 kB of payload. W = Wc · 0.95/2 + 0.05 · 100
    /// 000/100, and an idle hop leaves 100 kB at most.
    #[test]
    fn hops_count_bytes_on_the_wire_and_windows_are_payload() {
        let (mut law, mut window) = start(90_000);
        law.on_host(&Host { header: 250, ..Host::default() });
        told(&mut law, &mut window, one_hop(0, 0, 125_000), 1);
        told(&mut law, &mut window, one_hop(10, 125_000, 130_000), 1001);
        assert_eq!(window.cwnd, 42_800, "90 000 · 0.95/2 + 50");
        for round in 2..40 {
            told(&mut law, &mut window, one_hop(10 * round, 125_000 + round, 0), round * 200_000);
        }
        assert_eq!(window.cwnd, 100_000);
    }

    /// Half a round trip after the ACK before, a load counts by half: U = 0.5 · 1 + 0.5 · 2.
    #[test]
    fn the_load_is_smoothed_over_a_round_trip() {
        let (mut law, mut window) = start(100_000);
        told(&mut law, &mut window, one_hop(0, 0, 125_000), 1);
        told(&mut law, &mut window, one_hop(5, 62_500, 125_000), 2);
        let figures = law.figures();
        assert!(figures[0].0 == "load" && (figures[0].1 - 1.5).abs() < 1e-12, "{figures:?}");
    }

    #[test]
    fn a_loss_leaves_the_window_to_the_telemetry_and_a_timeout_leaves_one_segment() {
        let (mut law, mut window) = start(100_000);
        law.on_loss(&config(), &mut window, &Loss::of(LossCause::FastRetransmit, 90_000));
        assert_eq!(window.cwnd, 100_000);
        law.on_loss(&config(), &mut window, &Loss::of(LossCause::Timeout, 90_000));
        assert_eq!(window.cwnd, 1000);
    }
}
