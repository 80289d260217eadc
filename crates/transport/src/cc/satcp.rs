//! SaTCP: X. Cao, X. Zhang, "SaTCP: Link-Layer Informed TCP Adaptation for Highly Dynamic LEO Satellite Networks",
//! INFOCOM 2023, and the Linux module and report relay of its artefact (LeoEM, `satcp/tcp_cubic.c`, `report_relay.c`),
//! whose parameters and order these are.
//!
//! The window is CUBIC's. A report that the path changes begins a time of `hold`, each further one begins it anew. In
//! that time a stage of congestion avoidance that begins comes back to W_max in a ninth of K, and a timeout forgets no
//! W_max. Losses cut the window as always. The paper's text was not available; its README says that congestion control
//! is inhibited. `satcp_losses = "freeze"` is that to the letter: in that time a loss leaves the window as it is, and a
//! timeout ssthresh.
//!
//! The relay's D is 2.3 s, and reports come 0.5 s before the change, `lead` of `[[news]]`. A host that hears of a
//! change long ahead begins with the report, as the relay does; `satcp_begins = "change"` waits for the time that it
//! says.
//!
//! Left out: HyStart as it was in that kernel, and whole segments; CUBIC is that of RFC 9438.

use super::ahead::Ahead;
use super::cubic::{self, Cubic};
use super::{CongestionControl, Event, Loss, LossCause, News, Wants, Window};
use options::{Kind, Range, Words, options, words};
use units::{Duration, Instant};

words! {
    /// What losses do in the time around a change of the path.
    pub enum Losses {
        /// They cut the window, which then comes back sooner (the module).
        Hasten = "hasten",
        /// They leave the window as it is; a timeout leaves one segment, and ssthresh at the window.
        Freeze = "freeze",
    }
}

words! {
    /// When that time begins.
    pub enum Begins {
        /// As the sender hears of the change (the relay).
        Report = "report",
        /// At the time of the change, as the news has it.
        Change = "change",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// For how long a report counts. The relay's SATCP_DURATION: 2.3 s.
        pub hold as "satcp_hold": Duration = Duration::from_millis(2300), Kind::SPAN;
        /// When that time begins.
        pub begins as "satcp_begins": Begins = Begins::Report, Kind::Word(&Begins::LIST);
        /// What losses do in that time.
        pub losses as "satcp_losses": Losses = Losses::Hasten, Kind::Word(&Losses::LIST);
        /// By how much CUBIC's K is divided in that time. The module keeps one ninth.
        pub haste as "satcp_haste": f64 = 9.0, Kind::Number(Range::closed(1.0, 1000.0));
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct SaTcp(Box<State>);

#[derive(Clone, Debug)]
struct State {
    cubic: Cubic,
    growth: cubic::Config,
    /// When the time of the last report has begun.
    begun: Option<Instant>,
    /// When those of others begin.
    ahead: Ahead<()>,
}

impl CongestionControl for SaTcp {
    type Config = Config;

    fn new(_: &Config) -> SaTcp {
        let growth = cubic::Config::default();
        SaTcp(Box::new(State { cubic: Cubic::new(&growth), growth, begun: None, ahead: Ahead::default() }))
    }

    fn wants(_: &Config) -> Wants {
        Wants { news: true, ..Wants::default() }
    }

    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        let state = &mut *self.0;
        let haste = if state.holds(config, event.now) { config.haste } else { 1.0 };
        state.cubic.hasten(haste);
        state.growth.slow_start_counts = event.counts;
        state.cubic.on_ack(&state.growth, window, event);
    }

    fn on_news(&mut self, config: &Config, _: &mut Window, news: &News) {
        let begins = match config.begins {
            Begins::Report => news.event.now,
            Begins::Change => news.change.at,
        };
        self.0.ahead.note(begins, ());
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        let state = &mut *self.0;
        let holds = state.holds(config, loss.event.now);
        if holds && config.losses == Losses::Freeze {
            return window.cut(loss.cause, window.cwnd);
        }
        state.cubic.on_loss(&state.growth, window, loss);
        if holds && loss.cause == LossCause::Timeout {
            state.cubic.remember();
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        self.0.cubic.figures()
    }

    fn on_idle(&mut self, _: &Config, window: &mut Window, restart: u64, event: &Event) {
        self.0.cubic.on_idle(&self.0.growth, window, restart, event);
    }
}

impl State {
    /// Whether a report counts now.
    fn holds(&mut self, config: &Config, now: Instant) -> bool {
        self.begun = self.begun.max(self.ahead.take_due(now).map(|(at, ())| at));
        self.begun.is_some_and(|begun| now.saturating_since(begun) <= config.hold)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NewsWay, PathChange, Turn};
    use super::*;

    const MSS: u64 = 1000;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// A law with a window of 100 segments that hears of a change at `heard` ms, which is said to come at `at_ms`.
    fn told(config: &Config, heard: u64, at_ms: u64) -> (SaTcp, Window) {
        let (mut law, mut window) = (SaTcp::new(config), Window { cwnd: 100 * MSS, ssthresh: 50 * MSS, mss: MSS });
        let (way, turn, division, capacity) = (NewsWay::Schedule, Turn::Same, Some(1), None);
        let change = PathChange { way, turn, division, capacity, base_rtt: None, at: at(at_ms) };
        law.on_news(config, &mut window, &News { change, event: Event::at(at(heard)) });
        (law, window)
    }

    fn lose(law: &mut SaTcp, config: &Config, window: &mut Window, cause: LossCause, ms: u64) {
        let loss = Loss { event: Event::at(at(ms)), ..Loss::of(cause, window.cwnd) };
        law.on_loss(config, window, &loss);
    }

    fn k(law: &SaTcp) -> Option<f64> {
        law.figures().iter().find(|(name, _)| *name == "k").map(|(_, k)| *k)
    }

    /// tcp_cubic.c of the artefact: bic_K = K − 8/9 K while handover_status; report_relay.c: for 2.3 s. RFC 9438 §4.2:
    /// K = (30/0.4)^(1/3) = 4.2172 s for 100 segments of which 70 are left.
    #[test]
    fn a_loss_within_2_3_s_of_a_report_is_repaired_in_a_ninth_of_k() {
        for (ms, ninth) in [(999, false), (1000, true), (3300, true), (3301, false)] {
            let config = Config::default();
            let (mut law, mut window) = told(&config, 1000, 4000);
            lose(&mut law, &config, &mut window, LossCause::FastRetransmit, ms);
            assert_eq!((window.cwnd, window.ssthresh), (70 * MSS, 70 * MSS), "losses cut the window");
            law.on_ack(&config, &mut window, &Event { acked: MSS, ..Event::at(at(ms)) });
            let expected = libm::cbrt(75.0) / if ninth { 9.0 } else { 1.0 };
            assert!((k(&law).unwrap() - expected).abs() < 1e-9, "{ms} ms: {:?} beside {expected}", k(&law));
        }
    }

    /// bictcp_state(): TCP_CA_Loss resets CUBIC unless handover_status. After it the stage begins at the window that
    /// slow start leaves: with W_max of 100 the curve has a K, without one it begins flat.
    #[test]
    fn a_timeout_within_that_time_forgets_no_w_max() {
        for (ms, has_k) in [(1500, true), (9000, false)] {
            let config = Config::default();
            let (mut law, mut window) = told(&config, 1000, 1500);
            lose(&mut law, &config, &mut window, LossCause::Timeout, ms);
            assert_eq!((window.cwnd, window.ssthresh), (MSS, 70 * MSS));
            window.cwnd = window.ssthresh;
            law.on_ack(&config, &mut window, &Event { acked: MSS, ..Event::at(at(ms)) });
            assert_eq!(k(&law).unwrap() > 0.0, has_k, "{ms} ms");
        }
    }

    #[test]
    fn frozen_a_window_stays_at_a_loss_and_ssthresh_at_a_timeout() {
        let config = Config { losses: Losses::Freeze, ..Config::default() };
        let (mut law, mut window) = told(&config, 1000, 1500);
        lose(&mut law, &config, &mut window, LossCause::FastRetransmit, 1600);
        assert_eq!((window.cwnd, window.ssthresh), (100 * MSS, 100 * MSS));
        lose(&mut law, &config, &mut window, LossCause::Timeout, 1700);
        assert_eq!((window.cwnd, window.ssthresh), (MSS, 100 * MSS));
        window.cwnd = 100 * MSS;
        lose(&mut law, &config, &mut window, LossCause::FastRetransmit, 3301);
        assert_eq!(window.cwnd, 70 * MSS, "2.3 s after the report all is as always");
    }

    #[test]
    fn the_time_may_begin_with_the_change_and_each_report_begins_it_anew() {
        let config = Config { begins: Begins::Change, ..Config::default() };
        let (mut law, mut window) = told(&config, 1000, 6000);
        assert_eq!(
            [1000, 5999, 6000, 8300, 8301].map(|ms| law.0.holds(&config, at(ms))),
            [false, false, true, true, false]
        );
        let config = Config::default();
        let (mut twice, _) = told(&config, 1000, 6000);
        let news = News::of(NewsWay::Message, Turn::Down, 0);
        twice.on_news(&config, &mut window, &News { event: Event::at(at(2000)), ..news });
        assert_eq!([1500, 4300, 4301].map(|ms| twice.0.holds(&config, at(ms))), [true, true, false]);
    }
}
