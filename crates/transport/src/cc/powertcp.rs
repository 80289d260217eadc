//! PowerTCP: V. Addanki, O. Michel, S. Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI
//! 2022, algorithm 1. Its form without telemetry is `theta-powertcp`.
//!
//! The power of a hop is (growth of the queue + rate sent) · (queue + rate · τ), over rate² · τ. The law takes the
//! greatest of the path, smooths it over τ, and sets w = γ · (w_old/power + β) + (1 − γ) · w with every ACK. w_old is
//! the window under which the acknowledged segment had left. Segments are paced at w/τ.
//!
//! The paper's text and its artefacts differ in which window is the old one; `powertcp_old_window` names the readings.
//! β is the paper's, rate · τ/N for N flows that are expected, with the rate of the slowest hop for that of the host.
//!
//! `ahead`: the next capacity of a port that knows it counts from so long before its time on. This is no part of the
//! paper.
//!
//! w is at most that rate times τ, and β; both are payload, as with HPCC. As with HPCC, the paper's network loses next
//! to nothing: here a loss that duplicate ACKs show leaves the window to the telemetry, a timeout leaves one segment.

use super::base_rtt::{BaseRtt, bytes_per_second, keep_window, set_window};
use super::old_window::OldWindows;
use super::{Asks, CongestionControl, Event, Fit, Host, Loss, Measured, News, Wants, Window};
use crate::telemetry::{Hop, Telemetry};
use options::{Kind, Range, Words, options, words};
use units::{Duration, Rate};

words! {
    /// Which window the power is measured of.
    pub enum OldWindow {
        /// That under which the acknowledged segment had left (algorithm 1).
        Sent = "sent",
        /// That at the end of the last round trip: UPDATEOLD of algorithm 1 remembers it once in a round trip.
        Round = "round",
        /// The present one.
        Now = "now",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Weight of the new window. §3.3: 0.9.
        pub gamma as "powertcp_gamma": f64 = 0.9, Kind::Number(Range::closed(0.001, 1.0));
        /// Flows that share a link, as expected: β is a bandwidth-delay product of the slowest hop by this number.
        pub flows as "powertcp_flows": u32 = 100, Kind::Whole(Range::closed(1.0, 1e6));
        /// Which window the power is measured of.
        pub old_window as "powertcp_old_window": OldWindow = OldWindow::Sent, Kind::Word(&OldWindow::LIST);
        /// The round trip of the empty path. Without it the shortest that was measured, on the path that is there as
        /// news of it says.
        pub base_rtt: Option<Duration> = None, Kind::POSITIVE;
        /// The law reckons with the next capacity of a port, where the network knows it, from so long before its time
        /// on. With a round trip the segments that are sent for it find it.
        pub ahead: Duration = Duration::ZERO, Kind::SPAN;
    }
}

/// The least power that a window is divided by: less than a segment a round trip on the fastest links there are.
const LEAST_POWER: f64 = 1e-6;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct PowerTcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    host: Host,
    base: BaseRtt,
    last: Telemetry,
    power: Power,
    windows: OldWindows,
    /// The window at the end of the last round trip.
    round: Option<u64>,
    /// The round trip is over when more than this is acknowledged.
    round_end: u64,
}

/// The normalised power, smoothed over a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power(f64);

impl Default for Power {
    /// That of a link that is just full.
    fn default() -> Power {
        Power(1.0)
    }
}

impl Power {
    /// Takes in what was measured over `time` seconds of a round trip of `base`.
    pub fn take(&mut self, power: f64, time: f64, base: f64) {
        let weight = (time / base).clamp(0.0, 1.0);
        self.0 = (1.0 - weight) * self.0 + weight * power;
    }

    /// γ · (w_old/power + β) + (1 − γ) · w.
    pub fn next_window(&self, gamma: f64, old: u64, beta: f64, cwnd: u64) -> f64 {
        gamma * (old as f64 / self.0.max(LEAST_POWER) + beta) + (1.0 - gamma) * cwnd as f64
    }

    /// It.
    pub fn value(&self) -> f64 {
        self.0
    }
}

impl CongestionControl for PowerTcp {
    type Config = Config;

    const ASKS: Asks = Asks { telemetry: true, pacing: true, by_rate: true, ..Asks::NOTHING };

    fn new(_: &Config) -> PowerTcp {
        PowerTcp(Box::new(State {
            host: Host::default(),
            base: BaseRtt::default(),
            last: Telemetry::EMPTY,
            power: Power::default(),
            windows: OldWindows::default(),
            round: None,
            round_end: 0,
        }))
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
        let sent = state.windows.of(measured.ack).unwrap_or(window.cwnd);
        let base = state.base.secs(config.base_rtt);
        if let Some(base) = base
            && let Some((power, time)) = most_power(&told, &last, base)
        {
            state.power.take(power, time, base);
            let wire = bytes_per_second(told.slowest()) * base;
            let product = state.host.payload(wire, window.mss, told.grown_len());
            let beta = product / f64::from(config.flows);
            let old = match config.old_window {
                OldWindow::Sent => sent,
                OldWindow::Round => state.round.unwrap_or(window.cwnd),
                OldWindow::Now => window.cwnd,
            };
            let next = state.power.next_window(config.gamma, old, beta, window.cwnd).min(product + beta);
            set_window(window, next, measured.event.is_app_limited);
        }
        state.windows.note(measured.next, window.cwnd);
        if measured.ack > state.round_end {
            (state.round, state.round_end) = (Some(window.cwnd), measured.next);
        }
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        keep_window(window, loss);
    }

    fn on_news(&mut self, _: &Config, _: &mut Window, news: &News) {
        self.0.base.hear(&news.change);
    }

    fn pacing_rate(&self, config: &Config, window: &Window, _: Option<Duration>) -> Option<Rate> {
        self.0.base.rate_of(config.base_rtt, window.cwnd)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("power", self.0.power.value())]
    }
}

/// The greatest normalised power of the hops that both ACKs know, and the time over which it was measured.
fn most_power(now: &Telemetry, last: &Telemetry, base: f64) -> Option<(f64, f64)> {
    let powers = now.since(last).filter_map(|(hop, old)| power_of(hop, old, base));
    powers.max_by(|one, two| one.0.total_cmp(&two.0))
}

fn power_of(hop: &Hop, old: &Hop, base: f64) -> Option<(f64, f64)> {
    let (rate, time) = (bytes_per_second(hop.rate), hop.at.saturating_since(old.at).as_secs_f64());
    let current = (hop.queue as f64 - old.queue as f64 + (hop.sent - old.sent) as f64) / time;
    let voltage = hop.queue as f64 + rate * base;
    (rate > 0.0).then(|| (current * voltage / (rate * rate * base), time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::NextRate;
    use units::Instant;

    /// One hop of 100 Gb/s, 125 kB in 10 µs.
    fn one_hop(us: u64, sent: u64, queue: u64) -> Telemetry {
        let mut telemetry = Telemetry::EMPTY;
        let at = Instant::ZERO + Duration::from_micros(us);
        telemetry.push(Hop { port: 3, at, queue, sent, rate: Rate::from_gbps(100), next: None });
        telemetry
    }

    fn told(config: &Config, steps: &[(Telemetry, u64)]) -> u64 {
        let (mut law, mut window) = (PowerTcp::new(config), Window { cwnd: 200_000, ssthresh: u64::MAX, mss: 1000 });
        for (telemetry, ack) in steps {
            let measured = Measured { telemetry, ack: *ack, next: ack + 200_000, event: Event::at(Instant::ZERO) };
            law.on_telemetry(config, &mut window, &measured);
        }
        window.cwnd
    }

    /// A full link whose queue has grown from 0 to 62.5 kB in a round trip: current 1.5 of the rate, voltage 1.5 of the
    /// bandwidth-delay product, power 2.25; w = 0.9 · (200 000/2.25 + 1250) + 0.1 · 200 000.
    #[test]
    fn a_queue_that_grows_by_half_a_round_trip_has_a_power_of_2_25() {
        let config = Config { base_rtt: Some(Duration::from_micros(10)), ..Config::default() };
        let cwnd = told(&config, &[(one_hop(0, 0, 0), 1), (one_hop(10, 125_000, 62_500), 1001)]);
        assert_eq!(cwnd, 101_125);
    }

    /// A full hop of 100 Gb/s that has 50 Gb/s in 10 µs: with a lead of a round trip the current is twice the rate and
    /// the voltage 1, so w = 0.9 · (100 000/2 + 625) + 0.1 · 100 000; that which has 200 Gb/s doubles.
    #[test]
    fn the_next_capacity_counts_from_its_lead_on() {
        for (gbps, cwnd) in [(50, 55_562), (200, 192_250)] {
            let (base, ahead) = (Duration::from_micros(10), Duration::from_micros(10));
            let config = Config { base_rtt: Some(base), ahead, ..Config::default() };
            let (mut law, mut window) =
                (PowerTcp::new(&config), Window { cwnd: 100_000, ssthresh: u64::MAX, mss: 1000 });
            for (us, ack) in [(0, 1), (10, 1001)] {
                let (mut telemetry, rate) = (one_hop(us, 12_500 * us, 0), Rate::from_gbps(gbps));
                let next = Some(NextRate { at: Instant::ZERO + Duration::from_micros(20), rate });
                telemetry = telemetry.hops().iter().fold(Telemetry::EMPTY, |mut told, hop| {
                    told.push(Hop { next, ..*hop });
                    told
                });
                let event = Event::at(Instant::ZERO);
                law.on_telemetry(&config, &mut window, &Measured { telemetry: &telemetry, ack, next: ack + 1, event });
            }
            assert_eq!(window.cwnd, cwnd, "{gbps} Gb/s");
        }
    }

    /// Power 2 with each ACK, β of 1250 B, w = 0.9 · (w_old/2 + 1250) + 0.1 · w. The round trip of the first ACK ends
    /// with the third, which leaves its window for the next one.
    #[test]
    fn the_old_window_may_be_that_of_the_last_round_trip() {
        let base = Some(Duration::from_micros(10));
        let config = Config { base_rtt: base, old_window: OldWindow::Round, ..Config::default() };
        let (mut law, mut window) = (PowerTcp::new(&config), Window { cwnd: 100_000, ssthresh: u64::MAX, mss: 1000 });
        let mut seen = Vec::new();
        for (round, ack) in [(0, 1000), (1, 2000), (2, 150_000), (3, 151_000)] {
            let telemetry = one_hop(10 * round, 125_000 * round, 125_000);
            let measured =
                Measured { telemetry: &telemetry, ack, next: ack + 100_000, event: Event::at(Instant::ZERO) };
            law.on_telemetry(&config, &mut window, &measured);
            seen.push(window.cwnd);
        }
        // 0.9 · 51 250 + 10 000; 0.9 · 51 250 + 5612.5; then 0.9 · (51 737/2 + 1250) + 5173.7.
        assert_eq!(seen, [100_000, 56_125, 51_737, 29_580]);
    }

    /// 1000 B of payload are 1250 B on the wire: the product of 125 kB is 100 kB, and β 1000 B, at most.
    #[test]
    fn hops_count_bytes_on_the_wire_and_windows_are_payload() {
        let config = Config { base_rtt: Some(Duration::from_micros(10)), ..Config::default() };
        let (mut law, mut window) = (PowerTcp::new(&config), Window { cwnd: 200_000, ssthresh: u64::MAX, mss: 1000 });
        law.on_host(&Host { header: 250, ..Host::default() });
        for round in 0..3 {
            let telemetry = one_hop(10 * round, 125_000 * round, 0);
            let (ack, event) = (round * 200_000, Event::at(Instant::ZERO));
            law.on_telemetry(&config, &mut window, &Measured { telemetry: &telemetry, ack, next: ack + 1, event });
        }
        assert_eq!(window.cwnd, 101_000);
    }

    /// Equilibrium of one flow: power 1 + q/BDP where w = BDP + q, so that w/power is the BDP, and w = BDP + β.
    #[test]
    fn at_rest_the_window_is_the_bandwidth_delay_product_and_beta() {
        let config = Config { base_rtt: Some(Duration::from_micros(10)), ..Config::default() };
        let (mut law, mut window) = (PowerTcp::new(&config), Window { cwnd: 200_000, ssthresh: u64::MAX, mss: 1000 });
        for round in 1..60_u64 {
            let telemetry = one_hop(10 * round, 125_000 * round, window.cwnd.saturating_sub(125_000));
            let (ack, event) = (round * 200_000, Event::at(Instant::ZERO));
            law.on_telemetry(&config, &mut window, &Measured { telemetry: &telemetry, ack, next: ack + 1, event });
        }
        assert!(window.cwnd.abs_diff(126_250) <= 2, "{}", window.cwnd);
    }
}
