//! GAIMD(α, β), general additive increase and multiplicative decrease: Y. R. Yang and S. S. Lam, "General AIMD
//! congestion control", ICNP 2000. The window grows by α segments in a round trip and keeps the share β at a loss that
//! duplicate ACKs or SACK show. α = 1, β = 1/2 is Reno's law.
//!
//! α follows from β where friendliness to TCP is asked for ([`Relation`]). A timeout acts as on TCP: half of the
//! flight, and slow start. Left out: Yang and Lam's drawing of α and β from a set.
//!
//! The law of BAIMD too (B. Shihada et al., ICC 2006), which is GAIMD at the sender without any word of the network.
//! Its rule for choosing (α, β) was not to be had: see docs/deviations.md.

use super::{CongestionControl, Event, Loss, LossCause, Window};
use options::{Kind, Range, Words, options, words};

words! {
    /// How GAIMD's increase α follows from the share β that it keeps, so that the flow takes as much as TCP.
    pub enum Relation {
        /// α = 3(1 − β)/(1 + β): TCP-ENG eq. (2), where losses show in duplicate ACKs.
        TripleDuplicate = "triple-duplicate",
        /// α = 4(1 − β²)/3: TCP-ENG eq. (3), Yang and Lam's, where timeouts count too.
        Timeout = "timeout",
        /// By the last loss: the second after one that only the timer shows, the first after any other.
        ByLoss = "by-loss",
    }
}

impl Relation {
    /// α in segments a round trip; where it goes by the last loss, before any.
    pub fn alpha(self, beta: f64) -> f64 {
        match self {
            Relation::TripleDuplicate | Relation::ByLoss => 3.0 * (1.0 - beta) / (1.0 + beta),
            Relation::Timeout => 4.0 * (1.0 - beta * beta) / 3.0,
        }
    }

    /// The parameters after a loss.
    pub(super) fn after(self, cause: LossCause) -> Relation {
        match (self, cause) {
            (Relation::ByLoss, LossCause::Timeout | LossCause::ContentionOfAll) => Relation::Timeout,
            _ => self,
        }
    }
}

words! {
    /// In which steps a window grows.
    pub enum GrowsBy {
        /// Byte by byte: α segments in a round trip. A cut takes its share of the window, fractions included.
        Bytes = "bytes",
        /// "One packet in every 1/α RTT" (TCP-ENG §II, of BAIMD): what has not become a packet when a loss comes is
        /// lost.
        Packets = "packets",
    }
}

options! {
    /// Parameters of GAIMD and BAIMD. The defaults are Yang and Lam's choice, (0.3125, 7/8).
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// The share of the window that is kept at a loss.
        pub beta: f64 = 0.875, Kind::Number(SHARE);
        /// Segments by which the window grows in a round trip. Default: from beta by the relation.
        pub alpha: Option<f64> = None, Kind::Number(INCREASE), or Config::alpha;
        /// How alpha follows from beta.
        pub relation: Relation = Relation::Timeout, Kind::Word(&Relation::LIST);
        /// In which steps the window grows.
        pub grows_by: GrowsBy = GrowsBy::Bytes, Kind::Word(&GrowsBy::LIST);
    }
}

/// Of a window.
pub(super) const SHARE: Range = Range::between(0.0, 1.0);
/// α; what is larger is a mistake.
pub(super) const INCREASE: Range = Range::above(0.0, 1000.0);

impl Config {
    /// The increase in segments a round trip.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(self.relation.alpha(self.beta))
    }

    /// The same after a loss.
    fn alpha_after(&self, cause: LossCause) -> f64 {
        self.alpha.unwrap_or(self.relation.after(cause).alpha(self.beta))
    }
}

/// Fractional bits of α.
pub(super) const FRACTION_BITS: u32 = 16;

/// Growth by α segments a window of acknowledged bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// α MSS times the acknowledged bytes that have not yet paid for a byte of window, with `FRACTION_BITS`.
    credit: u64,
}

impl Growth {
    pub(super) const NONE: Growth = Growth { credit: 0 };

    /// `acked` bytes arrived: cwnd += α MSS acked/cwnd, byte by byte.
    #[inline]
    pub(super) fn add(&mut self, alpha: u32, window: &mut Window, acked: u64) {
        self.add_in_steps(1, alpha, window, acked);
    }

    /// The same in steps of so many bytes.
    #[inline]
    fn add_in_steps(&mut self, step: u64, alpha: u32, window: &mut Window, acked: u64) {
        let gain = window.counted(acked).saturating_mul(window.mss).saturating_mul(u64::from(alpha));
        self.credit = self.credit.saturating_add(gain);
        let price = window.cwnd.saturating_mul(1 << FRACTION_BITS).saturating_mul(step);
        window.cwnd = window.cwnd.saturating_add(step.saturating_mul(self.credit / price));
        self.credit %= price;
    }
}

/// α with `FRACTION_BITS`.
pub(super) fn fixed(alpha: f64) -> u32 {
    // `as` saturates.
    (alpha * f64::from(1u32 << FRACTION_BITS)).round() as u32
}

/// The share `beta` of the window if it was in full use, else of what was in flight. The window is a fraction of a
/// segment larger than the flight, which matters where β is near 1 and a period adds little.
pub(super) fn keep(beta: f64, window: &Window, loss: &Loss) -> u64 {
    let full = loss.flight.saturating_add(window.mss) > window.cwnd;
    let used = if full { window.cwnd } else { loss.flight };
    (used as f64 * beta) as u64
}

/// The law of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Gaimd {
    growth: Growth,
    alpha: u32,
}

impl CongestionControl for Gaimd {
    type Config = Config;

    fn new(config: &Config) -> Gaimd {
        Gaimd { growth: Growth::NONE, alpha: fixed(config.alpha()) }
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
        match config.grows_by {
            GrowsBy::Bytes => self.growth.add(self.alpha, window, acked),
            GrowsBy::Packets => self.growth.add_in_steps(window.mss, self.alpha, window, acked),
        }
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: &Loss) -> u64 {
        if config.grows_by == GrowsBy::Packets {
            self.growth = Growth::NONE;
        }
        self.alpha = fixed(config.alpha_after(loss.cause));
        match loss.cause {
            LossCause::Timeout => loss.flight / 2,
            LossCause::FastRetransmit | LossCause::Contention | LossCause::ContentionOfAll | LossCause::Mark => {
                keep(config.beta, window, loss)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use options::Options;

    fn window(cwnd: u64) -> Window {
        Window { cwnd, ssthresh: 1000, mss: 1000 }
    }

    fn loss(cause: LossCause, flight_size: u64) -> Loss {
        Loss::of(cause, flight_size)
    }

    #[test]
    fn by_loss_alpha_is_eq_3_after_a_timeout_and_eq_2_after_any_other_loss() {
        let config = Config { relation: Relation::ByLoss, ..Config::default() };
        let mut law = Gaimd::new(&config);
        let gain = |law: &mut Gaimd| {
            let mut w = window(16_000);
            (0..16).for_each(|_| law.on_ack(&config, &mut w, &Event::ack(1000)));
            (w.cwnd - 16_000) as f64 / 1000.0
        };
        assert!((gain(&mut law) - 0.2).abs() < 0.01, "before any loss");
        for (cause, alpha) in [(LossCause::Timeout, 0.3125), (LossCause::FastRetransmit, 0.2)] {
            law.ssthresh_after(&config, &window(16_000), &loss(cause, 16_000));
            let found = gain(&mut law);
            assert!((found - alpha).abs() < 0.01, "{cause:?}: {found}");
        }
    }

    #[test]
    fn alpha_follows_from_beta() {
        // (2): 3 · 0.125/1.875 = 0.2. (3): 4 (1 − 0.765625)/3 = 0.3125. Both are 1 at β = 1/2.
        let of = |relation: Relation, beta| relation.alpha(beta);
        assert!((of(Relation::TripleDuplicate, 0.875) - 0.2).abs() < 1e-12);
        assert!((of(Relation::Timeout, 0.875) - 0.3125).abs() < 1e-12);
        assert!((of(Relation::TripleDuplicate, 0.5) - 1.0).abs() < 1e-12);
        assert!((of(Relation::Timeout, 0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn sixteen_round_trips_at_5_16_add_five_segments() {
        let (config, mut w) = (Config::default(), window(100_000));
        let mut law = Gaimd::new(&config);
        for _ in 0..16 {
            let round = w.cwnd / 1000;
            (0..round).for_each(|_| law.on_ack(&config, &mut w, &Event::ack(1000)));
        }
        // 16 · 0.3125 = 5 segments; a round of whole segments is up to 1 % less than a window.
        assert!((104_950..=105_000).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn by_packets_the_window_waits_for_four_round_trips_at_alpha_a_quarter() {
        let config = Config { alpha: Some(0.25), grows_by: GrowsBy::Packets, ..Config::default() };
        let (mut law, mut w) = (Gaimd::new(&config), window(10_000));
        let mut round = |law: &mut Gaimd| {
            (0..w.cwnd / 1000).for_each(|_| law.on_ack(&config, &mut w, &Event::ack(1000)));
            w.cwnd
        };
        assert_eq!([0; 4].map(|_| round(&mut law)), [10_000, 10_000, 10_000, 11_000]);
        // A loss before the fourth quarter takes away the three that were there.
        (0..3).for_each(|_| assert_eq!(round(&mut law), 11_000));
        law.ssthresh_after(&config, &window(11_000), &loss(LossCause::FastRetransmit, 11_000));
        assert_eq!([0; 4].map(|_| round(&mut law)), [11_000, 11_000, 11_000, 12_000]);
    }

    #[test]
    fn with_alpha_1_the_window_grows_as_renos_on_the_average() {
        let config = Config { alpha: Some(1.0), beta: 0.5, ..Config::default() };
        let (mut law, mut w) = (Gaimd::new(&config), window(10_000));
        (0..10).for_each(|_| law.on_ack(&config, &mut w, &Event::ack(1000)));
        // 1000/10 000 of a segment for the first ACK, a bit less for each that follows: Σ 1/W while W grows.
        assert!((10_950..=11_000).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn a_loss_keeps_seven_eighths_of_a_full_window_and_a_timeout_half_of_the_flight() {
        let config = Config::default();
        let mut law = Gaimd::new(&config);
        // The window of 16.4 segments was in use, 16 were in flight.
        let after = |law: &mut Gaimd, loss| law.ssthresh_after(&config, &window(16_400), &loss);
        assert_eq!(after(&mut law, loss(LossCause::FastRetransmit, 16_000)), 14_350);
        assert_eq!(after(&mut law, loss(LossCause::FastRetransmit, 8000)), 7000);
        assert_eq!(after(&mut law, loss(LossCause::Timeout, 16_000)), 8000);
    }

    #[test]
    fn a_law_that_cannot_be_is_named() {
        let field = |config: Config| config.check_ranges().unwrap_err().field;
        assert!(Config::default().check_ranges().is_ok());
        assert_eq!(field(Config { beta: 1.0, ..Config::default() }), "beta");
        assert_eq!(field(Config { beta: f64::NAN, ..Config::default() }), "beta");
        assert_eq!(field(Config { alpha: Some(0.0), ..Config::default() }), "alpha");
    }

    /// A flight of less than a segment below the window is a window in full use.
    #[test]
    fn a_window_is_in_full_use_where_no_whole_segment_is_missing() {
        let kept = |flight| keep(0.5, &window(10_000), &loss(LossCause::FastRetransmit, flight));
        assert_eq!([kept(9000), kept(9001), kept(12_000)], [4500, 5000, 5000]);
    }
}
