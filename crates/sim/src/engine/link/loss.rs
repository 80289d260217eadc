//! Random loss on a fibre.

use crate::model::Loss;
use crate::random::{Stream, bernoulli};

/// Which packets vanish on the fibre.
#[derive(Debug)]
pub enum LossProcess {
    /// None.
    None,
    /// Each with this probability.
    Bernoulli {
        /// The probability.
        p: f64,
        /// Where the choices come from.
        stream: Box<Stream>,
    },
    /// Every n-th.
    EveryNth {
        /// n.
        n: u64,
        /// Packets so far.
        seen: u64,
    },
}

impl LossProcess {
    /// The process of a fibre; its choices come from `stream`.
    pub fn new(loss: Loss, stream: Stream) -> LossProcess {
        match loss {
            Loss::None => LossProcess::None,
            Loss::Bernoulli(p) => LossProcess::Bernoulli { p, stream: Box::new(stream) },
            Loss::EveryNth(n) => LossProcess::EveryNth { n, seen: 0 },
        }
    }

    /// From now on each packet is lost with this probability, of a process that began so.
    pub fn change(&mut self, to: f64) {
        if let LossProcess::Bernoulli { p, .. } = self {
            *p = to;
        }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        match self {
            LossProcess::None => false,
            LossProcess::Bernoulli { p, stream } => bernoulli(stream, *p),
            LossProcess::EveryNth { n, seen } => {
                *seen += 1;
                *seen % *n == 0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn process(loss: Loss) -> LossProcess {
        LossProcess::new(loss, Seed { seed: 1, run: 0 }.stream("loss", "test"))
    }

    fn lost(process: &mut LossProcess, packets: u64) -> Vec<u64> {
        (1..=packets).filter(|_| process.strikes()).collect()
    }

    #[test]
    fn every_third_packet_is_lost_from_the_third_on_and_none_of_a_fibre_without_loss() {
        let mut third = process(Loss::EveryNth(3));
        third.change(1.0);
        assert_eq!((lost(&mut third, 10), lost(&mut process(Loss::None), 10)), (vec![3, 6, 9], vec![]));
    }

    /// Of 10 000 packets a quarter, within four standard deviations, √(10⁴ · 3/16) = 43; and what is said later.
    #[test]
    fn a_probability_is_the_share_that_is_lost_and_may_change() {
        let mut quarter = process(Loss::Bernoulli(0.25));
        assert!(lost(&mut quarter, 10_000).len().abs_diff(2500) < 4 * 43);
        quarter.change(1.0);
        assert_eq!(lost(&mut quarter, 100).len(), 100);
        quarter.change(0.0);
        assert_eq!(lost(&mut quarter, 100).len(), 0);
    }
}
