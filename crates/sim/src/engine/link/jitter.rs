//! What a fibre adds to the delay of each packet.

use crate::model::{Jitter, JitterLaw, JitterOrder};
use crate::random::{Stream, exponential_span, uniform_index};
use units::Duration;

/// The delays of packets, drawn one by one as they leave.
#[derive(Debug)]
pub struct JitterProcess {
    jitter: Jitter,
    stream: Stream,
    /// What the packet that left last was given.
    last: u64,
}

impl JitterProcess {
    /// The process of a fibre; its choices come from `stream`.
    pub fn new(jitter: Jitter, stream: Stream) -> JitterProcess {
        JitterProcess { jitter, stream, last: 0 }
    }

    /// Packets that leave from now on have so much.
    pub fn change(&mut self, scale: Duration) {
        self.jitter.scale = scale;
    }

    /// What is added to the delay of the next packet, in picoseconds.
    pub fn draw(&mut self) -> u64 {
        let Jitter { scale, law, .. } = self.jitter;
        self.last = match law {
            _ if scale == Duration::ZERO => 0,
            JitterLaw::Uniform => uniform_index(&mut self.stream, scale.ps() + 1),
            JitterLaw::Exponential => exponential_span(scale, &mut self.stream).ps(),
        };
        self.last
    }

    /// What the packet that left last was given.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Whether packets overtake.
    pub fn is_free(&self) -> bool {
        self.jitter.order == JitterOrder::Free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn process(ps: u64, law: JitterLaw, order: JitterOrder) -> JitterProcess {
        let jitter = Jitter { scale: Duration::from_ps(ps), law, order };
        JitterProcess::new(jitter, Seed { seed: 1, run: 0 }.stream("jitter", "test"))
    }

    /// Uniform on 0 to 3: each value of 4000 draws 1000 times, within four standard deviations, √(4000 · 3/16) = 27.
    #[test]
    fn uniform_jitter_reaches_both_ends() {
        let mut uniform = process(3, JitterLaw::Uniform, JitterOrder::Kept);
        let mut counts = [0_u32; 4];
        for _ in 0..4000 {
            let drawn = uniform.draw();
            assert_eq!(uniform.last(), drawn);
            counts[drawn as usize] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 4 * 27), "{counts:?}");
    }

    /// The mean of 10 000 draws is 10⁶ ps, within four standard errors of 10⁴ ps; of no scale it is nothing.
    #[test]
    fn exponential_jitter_has_its_scale_as_mean_and_may_end() {
        let mut exponential = process(1_000_000, JitterLaw::Exponential, JitterOrder::Free);
        let mean = (0..10_000).map(|_| exponential.draw()).sum::<u64>() / 10_000;
        assert!(mean.abs_diff(1_000_000) < 40_000, "{mean}");
        exponential.change(Duration::ZERO);
        assert_eq!((exponential.draw(), exponential.last()), (0, 0));
        assert!(exponential.is_free() && !process(1, JitterLaw::Uniform, JitterOrder::Kept).is_free());
    }
}
