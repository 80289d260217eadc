//! How long the kernel takes from a call until a datagram leaves: some microseconds, more after a sleep and on a busy
//! machine. Who knows it can send so much earlier, or say on the line that it will be so much later.

use crate::sys::time::Nanos;
use std::collections::VecDeque;

/// So many of the last are kept.
const KEPT: usize = 64;
/// The kernel's own way never takes so long.
const LONGEST: Nanos = 10_000_000;

/// The last latencies.
#[derive(Debug, Default)]
pub(crate) struct Latency(VecDeque<Nanos>);

impl Latency {
    pub(crate) fn observe(&mut self, latency: Nanos) {
        // What waited for a neighbour's address, or is told of another datagram, says nothing of the kernel's way.
        if latency > LONGEST {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(latency.max(0));
    }

    /// Half of the time it is shorter; 0 while nothing is known.
    pub(crate) fn median(&self) -> Nanos {
        let mut sorted: Vec<Nanos> = self.0.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    }

    /// The shortest of them: what is left of the others is lateness. Clock filters expect that delays only add; what is
    /// said to be later than it is would pull them down.
    pub(crate) fn least(&self) -> Nanos {
        self.0.iter().copied().min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_latencies_count() {
        let mut latency = Latency::default();
        assert_eq!((latency.median(), latency.least()), (0, 0));
        (0..200).for_each(|number| latency.observe(number));
        // 136 to 199 are left.
        assert_eq!((latency.median(), latency.least()), (168, 136));
        (0..200).for_each(|_| latency.observe(1_000_000_000));
        assert_eq!(latency.least(), 136, "a second is not the kernel's");
    }
}
