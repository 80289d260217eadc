//! θ-PowerTCP: V. Addanki, O. Michel, S. Schmid, NSDI 2022, algorithm 2: PowerTCP where no switch says anything.
//!
//! The power is (1 + change of the round trip in time) · round trip/τ, smoothed over τ. Once in a round trip the window
//! becomes γ · (w_old/power + β) + (1 − γ) · w, where w_old is the window of a round trip ago. Segments are paced at
//! w/τ. The window is at most what the host's link sends in τ, as in the authors' program, which bounds the rate by
//! that. τ is configured, as in the paper, and not the shortest that was measured unless nobody says it: a flow that
//! starts while a queue stands, and holds some of it, never sees it go.
//!
//! A power below a half counts as that: ACKs that arrive closer together than their segments left have any power down
//! to less than nothing, and a window that is divided by it could be anything. β is a number of segments here: without
//! telemetry a sender does not know its host's rate. A timeout leaves one segment, any other loss the window as it is.

use super::base_rtt::{BaseRtt, bytes_per_second, keep_window, set_window};
use super::powertcp::Power;
use super::segments::Round;
use super::{Asks, CongestionControl, Event, Fit, Host, Loss, Marks, News, Wants, Window};
use options::{Kind, Range, options};
use units::{Duration, Instant, Rate};

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// Weight of the new window. §3.3: 0.9.
        pub gamma as "powertcp_gamma": f64 = 0.9, Kind::Number(Range::closed(0.001, 1.0));
        /// β in segments.
        pub beta as "theta_powertcp_beta": f64 = 1.0, Kind::Number(Range::closed(0.001, 1e6));
        /// The round trip of the empty path. In a scenario by default what its links make and what news of the path
        /// say, by hand the shortest that was measured.
        pub base_rtt: Option<Duration> = None, Kind::POSITIVE;
    }
}

/// The least power of a sample.
const LEAST_POWER: f64 = 0.5;

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct ThetaPowerTcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    host: Host,
    base: BaseRtt,
    power: Power,
    /// The round trip that was measured last, in seconds, and when.
    last: Option<(f64, Instant)>,
    round: Round,
    /// The window at the end of the last round trip.
    old: u64,
}

impl CongestionControl for ThetaPowerTcp {
    type Config = Config;

    const ASKS: Asks = Asks { pacing: true, marks: Marks::Unheard, ..Asks::NOTHING };

    fn new(_: &Config) -> ThetaPowerTcp {
        let (host, base, power) = (Host::default(), BaseRtt::default(), Power::default());
        ThetaPowerTcp(Box::new(State { host, base, power, last: None, round: Round::default(), old: 0 }))
    }

    fn wants(config: &Config) -> Wants {
        let (base_rtts, fits) = (config.base_rtt.is_none(), Fit::of_base_rtt(config.base_rtt));
        Wants { every_rtt: true, base_rtts, fits, ..Wants::default() }
    }

    fn on_host(&mut self, host: &Host) {
        self.0.host = *host;
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        state.base.note(event);
        if let (Some(rtt), Some(base)) = (event.rtt_sample, state.base.secs(state.told(config))) {
            state.measure(rtt.as_secs_f64(), event.now, base);
        }
        if !state.round.is_over_after(event.acked) {
            return;
        }
        state.round.begin(event.in_flight);
        let old = if state.old == 0 { window.cwnd } else { state.old };
        state.old = window.cwnd;
        let next = state.power.next_window(config.gamma, old, config.beta * window.mss as f64, window.cwnd);
        set_window(window, next.min(state.most(config, window.mss)), event.is_app_limited);
    }

    fn on_loss(&mut self, _: &Config, window: &mut Window, loss: &Loss) {
        keep_window(window, loss);
        self.0.old = window.cwnd;
    }

    fn on_news(&mut self, _: &Config, _: &mut Window, news: &News) {
        self.0.base.hear(&news.change);
    }

    fn pacing_rate(&self, config: &Config, window: &Window, _: Option<Duration>) -> Option<Rate> {
        self.0.base.rate_of(self.0.told(config), window.cwnd)
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("power", self.0.power.value())]
    }
}

impl State {
    /// τ, if somebody says it and no news says that the path is another.
    fn told(&self, config: &Config) -> Option<Duration> {
        config.base_rtt.or(self.host.base_rtt.filter(|_| !self.base.is_told()))
    }

    /// What the host's link sends in τ, if both are known.
    fn most(&self, config: &Config, mss: u64) -> f64 {
        let product = self.host.line_rate.zip(self.base.secs(self.told(config)));
        product.map_or(f64::INFINITY, |(rate, base)| self.host.payload(bytes_per_second(rate) * base, mss, 0))
    }

    fn measure(&mut self, rtt: f64, now: Instant, base: f64) {
        let Some((before, at)) = self.last.replace((rtt, now)) else { return };
        let time = now.saturating_since(at).as_secs_f64();
        if time > 0.0 {
            self.power.take(((1.0 + (rtt - before) / time) * rtt / base).max(LEAST_POWER), time, base);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Gb/s and τ = 100 µs: 125 kB on the wire, which are 100 kB of payload in packets of 1000 and 250 B. Without
    /// the bound, where round trips stay at τ, w' = 0.9 (w_old + β) + 0.1 w grows by 900/1.9 B each.
    #[test]
    fn the_window_is_at_most_what_the_hosts_link_sends_in_a_round_trip() {
        let config = Config { base_rtt: Some(Duration::from_micros(100)), ..Config::default() };
        for (line_rate, most) in [(Some(Rate::from_gbps(10)), 100_000), (None, 109_167)] {
            let (mut law, mut window) =
                (ThetaPowerTcp::new(&config), Window { cwnd: 99_500, ssthresh: u64::MAX, mss: 1000 });
            law.on_host(&Host { line_rate, header: 250, base_rtt: None });
            for round in 1..=20_u64 {
                let now = Instant::ZERO + Duration::from_micros(100 * round);
                let rtt_sample = Some(Duration::from_micros(100));
                let event = Event { acked: 200_000, in_flight: 90_000, rtt_sample, ..Event::at(now) };
                law.on_ack(&config, &mut window, &event);
            }
            assert_eq!(window.cwnd, most);
        }
    }

    /// A host that knows τ says it: 10 Gb/s and 100 µs are 125 kB, though no round trip was shorter than 300 µs.
    #[test]
    fn the_hosts_round_trip_counts_and_not_the_shortest_measured() {
        let (config, base_rtt) = (Config::default(), Some(Duration::from_micros(100)));
        let (mut law, mut window) =
            (ThetaPowerTcp::new(&config), Window { cwnd: 200_000, ssthresh: u64::MAX, mss: 1000 });
        law.on_host(&Host { line_rate: Some(Rate::from_gbps(10)), header: 0, base_rtt });
        let rtt_sample = Some(Duration::from_micros(300));
        let event = Event { acked: 1000, in_flight: 90_000, rtt_sample, ..Event::at(Instant::ZERO) };
        law.on_ack(&config, &mut window, &event);
        assert_eq!(window.cwnd, 125_000);
    }

    /// τ = 100 µs. A round trip of 150 µs that was 100 µs a round trip ago: (1 + 0.5) · 1.5 = 2.25.
    #[test]
    fn a_round_trip_that_grows_by_half_has_a_power_of_2_25() {
        let config = Config { base_rtt: Some(Duration::from_micros(100)), ..Config::default() };
        let (mut law, mut window) =
            (ThetaPowerTcp::new(&config), Window { cwnd: 90_000, ssthresh: u64::MAX, mss: 1000 });
        let at = |us: u64| Instant::ZERO + Duration::from_micros(us);
        let ack = |us: u64, rtt: u64| Event {
            acked: 1000,
            in_flight: 90_000,
            rtt_sample: Some(Duration::from_micros(rtt)),
            ..Event::at(at(us))
        };
        law.on_ack(&config, &mut window, &ack(100, 100));
        // The first round trip is over at once: power is 1, and only β is added.
        assert_eq!(window.cwnd, 90_900);
        law.on_ack(&config, &mut window, &ack(200, 150));
        assert!((law.0.power.value() - 2.25).abs() < 1e-9, "{}", law.0.power.value());
        assert_eq!(window.cwnd, 90_900, "the window moves once in a round trip");
        law.on_ack(&config, &mut window, &Event { acked: 90_000, rtt_sample: None, ..ack(300, 150) });
        // 0.9 · (90 000/2.25 + 1000) + 0.1 · 90 900, w_old being the window of the round trip before.
        assert_eq!(window.cwnd, 45_990);
    }
}
