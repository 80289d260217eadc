//! Loss that is nobody's congestion. Lost packets have been transmitted; they vanish on the fibre.

use super::{Allowed, KeyRule, Passage, PortFeature, Property};
use crate::random::{Stream, bernoulli};
use options::{Kind, Range, Value, options};

options! {
    /// Which packets vanish.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Probability that a transmitted packet is lost, each for itself.
        pub loss: f64 = 0.0, Kind::Number(Range::closed(0.0, 1.0));
        /// Every n-th packet is lost.
        pub loss_every: Option<u64> = None, Kind::Whole(Range::from(1.0));
    }
}

const RULES: &[KeyRule] = &[KeyRule {
    key: "loss",
    allowed: Some(Allowed {
        words: "a probability from 0 to 1",
        holds: |value| matches!(value, Value::Number(p) if (0.0..=1.0).contains(&p)),
    }),
    in_time: Some("The new probability that a transmitted packet is lost."),
}];

impl Property for Config {
    fn acts(&self) -> bool {
        self.loss > 0.0 || self.loss_every.is_some()
    }

    fn at_port(&self, stream: Stream) -> Box<dyn PortFeature> {
        Box::new(Process::new(self, stream))
    }

    fn rules(&self) -> &'static [KeyRule] {
        RULES
    }

    fn alternatives(&self) -> &'static [&'static str] {
        &["loss", "loss_every"]
    }

    fn is_always_told(&self) -> bool {
        true
    }
}

/// Which packets vanish on a fibre.
#[derive(Debug)]
pub enum Process {
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

impl Process {
    /// The process of a fibre; its choices come from `stream`.
    pub fn new(config: &Config, stream: Stream) -> Process {
        match config.loss_every {
            Some(n) => Process::EveryNth { n, seen: 0 },
            None => Process::Bernoulli { p: config.loss, stream: Box::new(stream) },
        }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        match self {
            Process::Bernoulli { p, stream } => bernoulli(stream, *p),
            Process::EveryNth { n, seen } => {
                *seen += 1;
                *seen % *n == 0
            }
        }
    }
}

impl PortFeature for Process {
    fn depart(&mut self, _: u64, _: u16) -> Passage {
        if self.strikes() { Passage::Lost } else { Passage::Arrives { late: 0 } }
    }

    fn change(&mut self, key: &str, value: Value) {
        if let (Process::Bernoulli { p, .. }, "loss", Value::Number(to)) = (self, key, value) {
            *p = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn process(config: Config) -> Process {
        Process::new(&config, Seed { seed: 1, run: 0 }.stream("loss", "test"))
    }

    fn lost(process: &mut Process, packets: u64) -> Vec<u64> {
        (1..=packets).filter(|_| process.strikes()).collect()
    }

    #[test]
    fn every_third_packet_is_lost_from_the_third_on_and_none_of_a_fibre_without_loss() {
        let mut third = process(Config { loss_every: Some(3), ..Config::default() });
        third.change("loss", Value::Number(1.0));
        assert_eq!((lost(&mut third, 10), lost(&mut process(Config::default()), 10)), (vec![3, 6, 9], vec![]));
    }

    /// Of 10 000 packets a quarter, within four standard deviations, √(10⁴ · 3/16) = 43; and what is said later.
    #[test]
    fn a_probability_is_the_share_that_is_lost_and_may_change() {
        let mut quarter = process(Config { loss: 0.25, ..Config::default() });
        assert!(lost(&mut quarter, 10_000).len().abs_diff(2500) < 4 * 43);
        quarter.change("loss", Value::Number(1.0));
        assert_eq!(lost(&mut quarter, 100).len(), 100);
        quarter.change("loss", Value::Number(0.0));
        assert_eq!(lost(&mut quarter, 100).len(), 0);
    }
}
