//! The shortest round trip of the last minutes: a minimum over a window in time that forgets old routes.

use units::{Duration, Instant};

/// The shortest time for which a minimum is remembered; at most twice as long. Linux remembers 300 s
/// (`tcp_min_rtt_wlen`).
const HALF_WINDOW: Duration = Duration::from_secs(150);

/// The least of the samples of this half of the window, and of the half before.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// When the newer half is over.
    until: Instant,
    newer: Duration,
    older: Duration,
}

impl Default for MinRtt {
    fn default() -> MinRtt {
        MinRtt { until: Instant::ZERO + HALF_WINDOW, newer: Duration::MAX, older: Duration::MAX }
    }
}

impl MinRtt {
    /// Takes in a sample.
    pub(super) fn note(&mut self, now: Instant, sample: Duration) {
        if now >= self.until {
            *self = MinRtt { until: now + HALF_WINDOW, newer: Duration::MAX, older: self.newer };
        }
        self.newer = self.newer.min(sample);
    }

    /// The shortest round trip; `None` before the first sample.
    pub(super) fn get(&self) -> Option<Duration> {
        let least = self.newer.min(self.older);
        (least != Duration::MAX).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_round_trip_is_forgotten_after_two_halves_of_the_window() {
        let (mut least, ms) = (MinRtt::default(), Duration::from_millis);
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        assert_eq!(least.get(), None);
        least.note(at(1), ms(10));
        least.note(at(2), ms(20));
        assert_eq!(least.get(), Some(ms(10)));
        least.note(at(151), ms(30));
        assert_eq!(least.get(), Some(ms(10)));
        least.note(at(302), ms(40));
        assert_eq!(least.get(), Some(ms(30)));
    }
}
