//! A window sender simulated round by round, for the tests of throughput formulas. A round sends the window in bursts
//! of `burst` segments, each lost independently; rounds last one RTT. It knows none of the formulas it checks.

use crate::random::Random;

pub(crate) struct Sender {
    /// Added to the window per `acked` rounds.
    pub alpha: f64,
    /// The same in the first round after a loss.
    pub after_loss: f64,
    /// Kept of the window at a loss.
    pub beta: f64,
    /// Rounds per step of growth.
    pub acked: f64,
    /// Segments of one burst.
    pub burst: f64,
    /// Probability that a burst is lost.
    pub loss: f64,
    /// Largest window.
    pub window_max: f64,
}

impl Sender {
    /// Segments per round over `losses` periods that each end with a loss and one round of repair. The first lost burst
    /// lies at a geometric place among all bursts sent; nothing ends in a timeout.
    pub fn segments_per_round(&self, losses: u32, seed: u64) -> f64 {
        let mut random = Random::new(seed);
        let (mut window, mut sent, mut rounds) = (1.0f64.max(self.burst), 0.0, 0.0);
        for _ in 0..losses {
            // Segments until the lost burst is over.
            let bursts = 1.0 + (random.uniform().ln() / (1.0 - self.loss).ln()).floor();
            let (mut left, mut increase) = (bursts * self.burst, self.after_loss);
            loop {
                rounds += 1.0;
                sent += window;
                left -= window;
                if left <= 0.0 {
                    break;
                }
                window = (window + increase / self.acked).min(self.window_max);
                increase = self.alpha;
            }
            // The round of repair: the lost burst's segments again, new ones with what is left of the window.
            rounds += 1.0;
            sent += (window - self.burst).max(0.0);
            window = (self.beta * window).max(1.0);
        }
        sent / rounds
    }
}
