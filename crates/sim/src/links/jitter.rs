//! Jitter: what a fibre adds to the delay of each packet, of each for itself.

use super::{Allowed, KeyRule, Passage, PortFeature, Property};
use crate::random::{Stream, exponential_span, uniform_index};
use options::{Kind, Value, Words, options, words};
use units::Duration;

options! {
    /// What is added to the delay of each packet.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Config {
        /// Added to each packet's delay: the most, or the mean, as `jitter_law` says. Default: nothing.
        pub jitter: Duration = Duration::ZERO, Kind::SPAN;
        /// How the jitter of packets is distributed. Default "uniform".
        pub jitter_law: JitterLaw = JitterLaw::Uniform, Kind::Word(&JitterLaw::LIST);
        /// What becomes of the order of packets whose delays differ. Default "kept".
        pub jitter_order: JitterOrder = JitterOrder::Kept, Kind::Word(&JitterOrder::LIST);
    }
}

words! {
    /// How the jitter of packets is distributed.
    pub enum JitterLaw {
        /// Uniform from nothing to `jitter`.
        Uniform = "uniform",
        /// Exponential with the mean `jitter`.
        Exponential = "exponential",
    }
}

words! {
    /// What becomes of the order of packets whose delays differ.
    pub enum JitterOrder {
        /// One that is faster arrives behind the one before it, as far apart as it lasts.
        Kept = "kept",
        /// One that is faster overtakes.
        Free = "free",
    }
}

const RULES: &[KeyRule] = &[KeyRule {
    key: "jitter",
    allowed: Some(Allowed {
        words: "at most 3600 s",
        holds: |value| matches!(value, Value::Time(span) if span <= Duration::from_secs(3600)),
    }),
    in_time: Some("The new jitter: the most, or the mean, as the link's `jitter_law` says."),
}];

impl Property for Config {
    fn acts(&self) -> bool {
        self.jitter > Duration::ZERO
    }

    fn at_port(&self, stream: Stream) -> Box<dyn PortFeature> {
        Box::new(Process { config: *self, stream })
    }

    fn rules(&self) -> &'static [KeyRule] {
        RULES
    }

    /// A port then has at most one packet of which it knows when it arrives, and which has not left.
    fn is_decided_late(&self) -> bool {
        true
    }

    fn overtaking(&self) -> Option<&'static str> {
        (self.jitter_order == JitterOrder::Free).then_some("jitter_order = \"kept\"")
    }
}

/// The delays of packets, drawn one by one as they leave.
#[derive(Debug)]
struct Process {
    config: Config,
    stream: Stream,
}

impl PortFeature for Process {
    fn depart(&mut self, _: u64, _: u16) -> Passage {
        let most = self.config.jitter;
        let late = match self.config.jitter_law {
            _ if most == Duration::ZERO => 0,
            JitterLaw::Uniform => uniform_index(&mut self.stream, most.ps() + 1),
            JitterLaw::Exponential => exponential_span(most, &mut self.stream).ps(),
        };
        Passage::Arrives { late }
    }

    fn change(&mut self, key: &str, value: Value) {
        if let ("jitter", Value::Time(most)) = (key, value) {
            self.config.jitter = most;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn process(ps: u64, jitter_law: JitterLaw) -> Box<dyn PortFeature> {
        let config = Config { jitter: Duration::from_ps(ps), jitter_law, ..Config::default() };
        config.at_port(Seed { seed: 1, run: 0 }.stream("jitter", "test"))
    }

    fn draw(process: &mut dyn PortFeature) -> u64 {
        match process.depart(0, 1500) {
            Passage::Arrives { late } => late,
            Passage::Lost => panic!("jitter loses nothing"),
        }
    }

    /// Uniform on 0 to 3: each value of 4000 draws 1000 times, within four standard deviations, √(4000 · 3/16) = 27.
    #[test]
    fn uniform_jitter_reaches_both_ends() {
        let mut uniform = process(3, JitterLaw::Uniform);
        let mut counts = [0_u32; 4];
        for _ in 0..4000 {
            counts[draw(&mut *uniform) as usize] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 4 * 27), "{counts:?}");
    }

    /// The mean of 10 000 draws is 10⁶ ps, within four standard errors of 10⁴ ps; of no scale it is nothing.
    #[test]
    fn exponential_jitter_has_its_scale_as_mean_and_may_end() {
        let mut exponential = process(1_000_000, JitterLaw::Exponential);
        let mean = (0..10_000).map(|_| draw(&mut *exponential)).sum::<u64>() / 10_000;
        assert!(mean.abs_diff(1_000_000) < 40_000, "{mean}");
        exponential.change("jitter", Value::Time(Duration::ZERO));
        assert_eq!(draw(&mut *exponential), 0);
    }

    #[test]
    fn packets_overtake_where_their_order_is_free() {
        let free = Config { jitter_order: JitterOrder::Free, ..Config::default() };
        assert_eq!((free.overtaking().is_some(), Config::default().overtaking()), (true, None));
        assert!(!free.acts(), "there is no jitter");
    }
}
