//! TCP-ENG's window law: B. Shihada, P.-H. Ho and Q. Zhang, "TCP-ENG: Dynamic explicit congestion notification for TCP
//! over OBS networks", §II. GAIMD whose α and β depend on what an edge node says about lost bursts.
//!
//! A BEN (burst explicit notification) says that contention, not congestion, dropped a burst. A loss with one keeps
//! GAIMD's β of the window, and GAIMD's α follows; a loss without one is congestion and acts as on TCP SACK, (1, 1/2).
//! A window of one segment has (1, 1/2), and slow start is TCP's.
//!
//! For how long α stays GAIMD's can be read in three ways ([`AlphaApplies`]):
//!
//! | | windows between 1 and 1/(1 − β) | from 1/(1 − β) on |
//! |---|---|---|
//! | `BenOnly` (default) | in the round after a BEN, else 1 | in the round after a BEN, else 1 |
//! | `LargeWindow` | in the round after a BEN, else 1 | always |
//! | `BenPeriod` | from a BEN to the next loss, else 1 | from a BEN to the next loss, else 1 |
//!
//! §II sets α = 1 for 1 < cwnd < 1/(1 − β) "if the TCP sender did not receive any BEN in the previous round. Otherwise,
//! α is determined" by GAIMD "when the TCP sender encounters a packet drop that is associated with a BEN". Of a larger
//! window without a BEN it says nothing; `BenOnly` takes its only condition for GAIMD's α, the BEN, at its word. Under
//! `LargeWindow` "otherwise" holds for larger windows too, whatever happened. `BenPeriod` takes "round" for the period
//! between two losses, which §III.A calls "a new round TDP" with "the sending rate α … determined according to Eq. (2)
//! and Eq. (3)".
//!
//! α is "according to the triple duplicate or timeout equations" ([`Relation`]). A loss with a BEN counts as a
//! timeout's where the burst held all that was outstanding: without the BEN only the timer would have shown it. "The
//! behavior of TCP-ENG for a TO loss is same as that of TCP Sack" (§III.B) but for the wait, which the BEN ends;
//! [`BenTimeout`] has both readings.
//!
//! The paper states neither β nor what a loss without a BEN keeps, nor for how long a BEN of "the previous round"
//! counts; here: 7/8, 1/2, and until a window of bytes has been acknowledged after the repair. See docs/deviations.md.

use super::gaimd::{FRACTION_BITS, Growth, INCREASE, Relation, SHARE, fixed, keep};
use super::{BurstNews, CongestionControl, Event, Loss, LossCause, Window};
use options::{Kind, Words, options, words};

words! {
    /// For how long TCP-ENG grows by GAIMD's alpha; else it is 1.
    pub enum AlphaApplies {
        /// In the round after a notification, at any window.
        BenOnly = "ben-only",
        /// In the round after a notification, and always from a window of 1/(1 − beta) segments on.
        LargeWindow = "large-window",
        /// From a notification to the next loss, at any window.
        BenPeriod = "ben-period",
    }
}

words! {
    /// What a sender does that is told of the loss of all that was outstanding.
    pub enum BenTimeout {
        /// It keeps beta of the window and repairs it at once.
        Repair = "repair",
        /// As at a timeout, without the wait: half of the flight, and slow start.
        SlowStart = "slow-start",
    }
}

options! {
    /// Parameters of the law.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The share of the window that is kept at a loss with a notification.
        pub beta: f64 = 0.875, Kind::Number(SHARE);
        /// Segments by which the window grows in a round trip. Default: from beta by the relation.
        pub alpha: Option<f64> = None, Kind::Number(INCREASE), or Config::alpha;
        /// How alpha follows from beta.
        pub relation: Relation = Relation::TripleDuplicate, Kind::Word(&Relation::LIST);
        /// For how long alpha holds; else it is 1.
        pub alpha_applies: AlphaApplies = AlphaApplies::BenOnly, Kind::Word(&AlphaApplies::LIST);
        /// The share of the window that is kept at a loss without a notification.
        pub congestion_beta: f64 = 0.5, Kind::Number(SHARE);
        /// What it does that is told of the loss of all that was outstanding.
        pub ben_timeout: BenTimeout = BenTimeout::Repair, Kind::Word(&BenTimeout::LIST);
    }
}

impl Config {
    /// GAIMD's increase in segments a round trip; where it goes by the last loss, before any.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(self.relation.alpha(self.beta))
    }

    /// The same after a loss.
    fn alpha_after(&self, cause: LossCause) -> f64 {
        self.alpha.unwrap_or(self.relation.after(cause).alpha(self.beta))
    }
}

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct TcpEng(Box<State>);

#[derive(Clone, Debug)]
struct State {
    growth: Growth,
    alpha: u32,
    after_ben: AfterBen,
}

/// The rest of the last BEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterBen {
    /// Nothing: the last loss came without one.
    Nothing,
    /// Its round is not over: the window is being repaired.
    Round,
    /// Bytes still to be acknowledged until the next round.
    Next(u64),
    /// Both rounds are over, and no loss has followed.
    Past,
}

/// α = 1.
const ONE: u32 = 1 << FRACTION_BITS;

impl CongestionControl for TcpEng {
    type Config = Config;

    fn new(config: &Config) -> TcpEng {
        let (growth, alpha) = (Growth::NONE, fixed(config.alpha()));
        TcpEng(Box::new(State { growth, alpha, after_ben: AfterBen::Nothing }))
    }

    #[inline]
    fn on_ack(&mut self, config: &Config, window: &mut Window, event: &Event) {
        if event.is_app_limited {
            return;
        }
        let acked = event.acked;
        if window.in_slow_start() {
            return window.slow_start_by(event.counts, acked);
        }
        let state = &mut *self.0;
        let alpha = state.alpha_now(config, window);
        state.growth.add(alpha, window, acked);
        state.after_ben = match state.after_ben {
            AfterBen::Nothing | AfterBen::Past => state.after_ben,
            AfterBen::Round => AfterBen::Next((window.cwnd - window.cwnd % window.mss).saturating_sub(acked)),
            AfterBen::Next(left) if left > acked => AfterBen::Next(left - acked),
            AfterBen::Next(_) => AfterBen::Past,
        };
    }

    fn on_loss(&mut self, config: &Config, window: &mut Window, loss: &Loss) {
        let ssthresh = self.ssthresh_after(config, window, loss);
        let cause = if starts_slowly(config, loss.cause) { LossCause::Timeout } else { loss.cause };
        window.cut(cause, ssthresh);
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        self.0.after_ben = match loss.cause {
            LossCause::Contention | LossCause::ContentionOfAll => {
                self.0.alpha = fixed(config.alpha_after(loss.cause));
                AfterBen::Round
            }
            LossCause::FastRetransmit | LossCause::Timeout | LossCause::Mark => AfterBen::Nothing,
        };
        match loss.cause {
            LossCause::Timeout => loss.flight / 2,
            LossCause::FastRetransmit | LossCause::Mark => keep(config.congestion_beta, window, loss),
            LossCause::ContentionOfAll if starts_slowly(config, loss.cause) => loss.flight / 2,
            LossCause::Contention | LossCause::ContentionOfAll => {
                let beta = if window.cwnd <= window.mss { 0.5 } else { config.beta };
                keep(beta, window, loss)
            }
        }
    }

    fn burst_news(config: &Config) -> BurstNews {
        BurstNews::Contention(config.ben_timeout)
    }
}

impl State {
    /// α for this window: see the table above.
    #[inline]
    fn alpha_now(&self, config: &Config, window: &Window) -> u32 {
        let is_after_ben = matches!(self.after_ben, AfterBen::Round | AfterBen::Next(_));
        let is_gaimds = match config.alpha_applies {
            AlphaApplies::BenOnly => is_after_ben,
            AlphaApplies::LargeWindow => is_after_ben || is_large(config, window),
            AlphaApplies::BenPeriod => self.after_ben != AfterBen::Nothing,
        };
        if is_gaimds && window.cwnd > window.mss { self.alpha } else { ONE }
    }
}

/// True if a loss acts as a timeout.
fn starts_slowly(config: &Config, cause: LossCause) -> bool {
    config.ben_timeout == BenTimeout::SlowStart && cause == LossCause::ContentionOfAll
}

/// True if the window is 1/(1 − β) segments or more.
fn is_large(config: &Config, window: &Window) -> bool {
    window.cwnd as f64 * (1.0 - config.beta) >= window.mss as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64) -> Window {
        Window { cwnd, ssthresh: 1000, mss: 1000 }
    }

    /// Segments that a window of `cwnd` gains in a round trip.
    fn gain(law: &mut TcpEng, config: &Config, cwnd: u64) -> f64 {
        let mut w = window(cwnd);
        (0..cwnd / 1000).for_each(|_| law.on_ack(config, &mut w, &Event::ack(1000)));
        (w.cwnd - cwnd) as f64 / 1000.0
    }

    fn reading(alpha_applies: AlphaApplies) -> (TcpEng, Config) {
        let config = Config { alpha_applies, ..Config::default() };
        (TcpEng::new(&config), config)
    }

    fn lose(law: &mut TcpEng, config: &Config, cause: LossCause, cwnd: u64) -> u64 {
        law.ssthresh_after(config, &window(cwnd), &Loss::of(cause, cwnd))
    }

    const READINGS: [AlphaApplies; 3] = [AlphaApplies::BenOnly, AlphaApplies::LargeWindow, AlphaApplies::BenPeriod];

    #[test]
    fn without_a_ben_only_the_reading_large_window_grows_by_a_fifth_from_eight_segments_on() {
        // β = 7/8: 1/(1 − β) = 8 segments, α of (2) = 0.2.
        for applies in READINGS {
            let (mut law, config) = reading(applies);
            assert!((gain(&mut law, &config, 4000) - 0.9).abs() < 0.1, "1 less what the window grows meanwhile");
            assert!((gain(&mut law, &config, 1000) - 1.0).abs() < 0.01, "a window of one segment");
            let at_eight = if applies == AlphaApplies::LargeWindow { 0.2 } else { 0.95 };
            assert!((gain(&mut law, &config, 8000) - at_eight).abs() < 0.05, "{applies:?}");
        }
    }

    #[test]
    fn after_a_ben_alpha_holds_for_a_round_or_until_the_next_loss() {
        // Three rounds after a BEN with 20 segments, of which 7/8 are kept: 17, rounded down.
        for (applies, gains) in READINGS.into_iter().zip([[0.2, 1.0, 1.0], [0.2; 3], [0.2; 3]]) {
            let (mut law, config) = reading(applies);
            assert_eq!(lose(&mut law, &config, LossCause::Contention, 20_000), 17_500, "7/8 of 20");
            for expected in gains {
                let found = gain(&mut law, &config, 17_000);
                // 17 ACKs pay for 17/17.5 of α.
                assert!((found - expected).abs() < 0.05 * expected, "{applies:?}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn a_small_window_grows_by_a_fifth_in_the_round_after_a_ben() {
        for (applies, later) in READINGS.into_iter().zip([0.9, 0.9, 0.2]) {
            let (mut law, config) = reading(applies);
            assert_eq!(lose(&mut law, &config, LossCause::Contention, 6000), 5250, "7/8 of 6");
            assert!((gain(&mut law, &config, 5000) - 0.2).abs() < 0.02, "the round after");
            assert!((gain(&mut law, &config, 5000) - later).abs() < 0.1, "{applies:?}: and the one after that");
        }
    }

    #[test]
    fn a_loss_without_a_ben_ends_what_a_ben_has_begun() {
        for cause in [LossCause::FastRetransmit, LossCause::Timeout] {
            for applies in [AlphaApplies::BenOnly, AlphaApplies::BenPeriod] {
                let (mut law, config) = reading(applies);
                lose(&mut law, &config, LossCause::Contention, 20_000);
                assert_eq!(lose(&mut law, &config, cause, 18_000), 9000);
                assert!((gain(&mut law, &config, 9000) - 0.95).abs() < 0.05, "{applies:?}, {cause:?}");
            }
        }
    }

    #[test]
    fn by_loss_alpha_is_eq_2_after_a_burst_of_the_window_and_eq_3_after_one_that_held_all_of_it() {
        // β = 7/8: (2) has 3/8 / 15/8 = 0.2, (3) has 4/3 · 15/64 = 0.3125.
        let config = Config { relation: Relation::ByLoss, ..Config::default() };
        let mut law = TcpEng::new(&config);
        for (cause, alpha) in
            [(LossCause::Contention, 0.2), (LossCause::ContentionOfAll, 0.3125), (LossCause::Contention, 0.2)]
        {
            assert_eq!(lose(&mut law, &config, cause, 20_000), 17_500, "7/8 of 20 under both");
            let found = gain(&mut law, &config, 17_000);
            assert!((found - alpha).abs() < 0.05 * alpha, "{cause:?}: {found}, {alpha}");
        }
        let given = Config { alpha: Some(0.1), ..config };
        assert_eq!(given.alpha_after(LossCause::ContentionOfAll), 0.1);
    }

    #[test]
    fn a_window_of_one_segment_halves_and_a_loss_without_a_ben_is_congestion() {
        let config = Config::default();
        let mut law = TcpEng::new(&config);
        let loss = |cause, flight_size| Loss::of(cause, flight_size);
        assert_eq!(law.ssthresh_after(&config, &window(1000), &loss(LossCause::Contention, 1000)), 500);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), &loss(LossCause::FastRetransmit, 20_000)), 10_000);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), &loss(LossCause::Timeout, 20_000)), 10_000);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), &loss(LossCause::Contention, 20_000)), 17_500);
    }
}
