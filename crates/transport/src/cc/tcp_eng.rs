//! TCP-ENG's window law: B. Shihada, P.-H. Ho and Q. Zhang, "TCP-ENG: Dynamic explicit congestion notification for TCP
//! over OBS networks", §II. GAIMD whose α and β depend on the window and on what an edge node says about lost bursts.
//!
//! | window in segments | α | β |
//! |---|---|---|
//! | 1 | 1 | 1/2 |
//! | between 1 and 1/(1 − β) | 1; GAIMD's in the round after a BEN | GAIMD's with a BEN, else 1/2 |
//! | from 1/(1 − β) on | GAIMD's | GAIMD's with a BEN, else 1/2 |
//!
//! A BEN (burst explicit notification) says that contention, not congestion, dropped a burst. A loss without one is
//! congestion and acts as on TCP SACK. Slow start is TCP's.
//!
//! The paper states neither β nor what a loss without a BEN keeps, nor for how long a BEN of "the previous round" counts;
//! here: 7/8, 1/2, and until a window of bytes has been acknowledged after the repair. See docs/deviations.md.

use super::gaimd::{FRACTION_BITS, Growth, Relation, fixed, keep};
use super::{CongestionControl, Loss, LossCause, Window};
use crate::tcp::bursts::{BurstAware, BurstReport, Reports};
use crate::tcp::{ConfigError, SackBlock};

/// Parameters of the law.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The share β of the window that is kept at a loss with a BEN.
    pub beta: f64,
    /// GAIMD's increase α in segments a round trip; `None`: from β by `relation`.
    pub alpha: Option<f64>,
    /// Which α belongs to β.
    pub relation: Relation,
    /// The share of the window that is kept at a loss without a BEN.
    pub congestion_beta: f64,
}

impl Default for Config {
    fn default() -> Config {
        Config { beta: 0.875, alpha: None, relation: Relation::TripleDuplicate, congestion_beta: 0.5 }
    }
}

impl Config {
    /// GAIMD's increase in segments a round trip.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(self.relation.alpha(self.beta))
    }

    /// Whether there is such a law.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let gaimd = super::gaimd::Config { beta: self.beta, alpha: self.alpha, relation: self.relation };
        gaimd.validate()?;
        if !(self.congestion_beta > 0.0 && self.congestion_beta < 1.0) {
            return Err(ConfigError { field: "congestion_beta", reason: "must be above 0 and below 1" });
        }
        Ok(())
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
    reports: Reports,
}

/// What is left of the last BEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterBen {
    /// Nothing.
    Nothing,
    /// Its round is not over: the window is being repaired.
    Round,
    /// The next round: so many bytes are still to be acknowledged.
    Next(u64),
}

/// α = 1.
const ONE: u32 = 1 << FRACTION_BITS;

impl CongestionControl for TcpEng {
    type Config = Config;

    fn new(config: &Config) -> TcpEng {
        let (growth, alpha) = (Growth::NONE, fixed(config.alpha()));
        TcpEng(Box::new(State { growth, alpha, after_ben: AfterBen::Nothing, reports: Reports::default() }))
    }

    #[inline]
    fn increase(&mut self, config: &Config, window: &mut Window, acked: u64) {
        if window.in_slow_start() {
            return window.slow_start(acked);
        }
        let state = &mut *self.0;
        let alpha = state.alpha_now(config, window);
        state.growth.add(alpha, window, acked);
        state.after_ben = match state.after_ben {
            AfterBen::Nothing => AfterBen::Nothing,
            AfterBen::Round => AfterBen::Next((window.cwnd - window.cwnd % window.mss).saturating_sub(acked)),
            AfterBen::Next(left) if left > acked => AfterBen::Next(left - acked),
            AfterBen::Next(_) => AfterBen::Nothing,
        };
    }

    fn ssthresh_after(&mut self, config: &Config, window: &Window, loss: Loss) -> u64 {
        match loss.cause {
            LossCause::Timeout => loss.flight_size / 2,
            LossCause::FastRetransmit => keep(config.congestion_beta, window, loss),
            LossCause::Contention => {
                self.0.after_ben = AfterBen::Round;
                let beta = if window.cwnd <= window.mss { 0.5 } else { config.beta };
                keep(beta, window, loss)
            }
        }
    }

    fn bursts(&self) -> Option<&dyn BurstAware> {
        Some(&*self.0)
    }

    fn bursts_mut(&mut self) -> Option<&mut dyn BurstAware> {
        Some(&mut *self.0)
    }
}

impl State {
    /// α for this window: see the table above.
    #[inline]
    fn alpha_now(&self, config: &Config, window: &Window) -> u32 {
        let is_large = window.cwnd as f64 * (1.0 - config.beta) >= window.mss as f64;
        let small = !is_large && self.after_ben == AfterBen::Nothing;
        if small || window.cwnd <= window.mss { ONE } else { self.alpha }
    }
}

impl BurstAware for State {
    fn wants(&self) -> BurstReport {
        BurstReport::LostToContention
    }

    fn cause(&self) -> LossCause {
        LossCause::Contention
    }

    fn reports(&self) -> &Reports {
        &self.reports
    }

    fn reports_mut(&mut self) -> &mut Reports {
        &mut self.reports
    }

    fn note_run(&mut self, _: u64) {}

    fn note_assembled(&mut self, _: &[SackBlock], _: u64) {}

    fn is_false_timeout(&self, _: &[SackBlock]) -> bool {
        false
    }
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
        (0..cwnd / 1000).for_each(|_| law.increase(config, &mut w, 1000));
        (w.cwnd - cwnd) as f64 / 1000.0
    }

    #[test]
    fn small_windows_grow_by_one_segment_and_large_ones_by_a_fifth() {
        // β = 7/8: 1/(1 − β) = 8 segments, α of (2) = 0.2.
        let config = Config::default();
        let mut law = TcpEng::new(&config);
        assert!((gain(&mut law, &config, 4000) - 0.9).abs() < 0.1, "1 less what the window grows meanwhile");
        assert!((gain(&mut law, &config, 8000) - 0.2).abs() < 0.01);
        assert!((gain(&mut law, &config, 80_000) - 0.2).abs() < 0.01);
    }

    #[test]
    fn in_the_round_after_a_ben_a_small_window_grows_as_gaimd() {
        let config = Config::default();
        let mut law = TcpEng::new(&config);
        let ben = Loss { cause: LossCause::Contention, flight_size: 6000 };
        assert_eq!(law.ssthresh_after(&config, &window(6000), ben), 5250, "7/8 of 6");
        assert!((gain(&mut law, &config, 5000) - 0.2).abs() < 0.02, "the round after");
        assert!(gain(&mut law, &config, 5000) > 0.8, "and the one after that");
    }

    #[test]
    fn a_window_of_one_segment_halves_and_a_loss_without_a_ben_is_congestion() {
        let config = Config::default();
        let mut law = TcpEng::new(&config);
        let loss = |cause, flight_size| Loss { cause, flight_size };
        assert_eq!(law.ssthresh_after(&config, &window(1000), loss(LossCause::Contention, 1000)), 500);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), loss(LossCause::FastRetransmit, 20_000)), 10_000);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), loss(LossCause::Timeout, 20_000)), 10_000);
        assert_eq!(law.ssthresh_after(&config, &window(20_000), loss(LossCause::Contention, 20_000)), 17_500);
    }
}
