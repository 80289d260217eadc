//! Detection of a queue of RFC 3168 behind marks, which expects half the window for a mark, or one
//! for low latency.
//!
//! Source: B. Briscoe, A. S. Ahmed, "TCP Prague fall-back on detection of a classic ECN AQM", arXiv:1911.00710, as
//! L4STeam's tcp_prague.c (0.6) has it: queues for low latency keep the round trip and its variation small. After the
//! first mark, once in a round trip, the score moves by lg(v/750 µs)/2 + lg(max(d/2 ms, 1))/2; v is the mean deviation
//! of round trips, d how far the mean is above the least. It stays between 0 and 17; below 8 the flow is taken to be in
//! a queue for low latency, from 9 on in a classic one.
//!
//! Means are those of a window of ssthresh^1.5 samples, and of two such windows for deviations (Linux's shifts, which
//! are whole powers of two here too). Readings: logarithms in reals, where Linux carries the remainder of whole ones
//! over to the next round trip; the window is chosen anew with every score. At low rates, where a few segments are
//! milliseconds, the rule takes short queues for classic ones, as its authors say. Left out, as in Linux: less
//! suspicion for flows that limit themselves.

use super::Window;
use units::Duration;

/// Variation and depth of a queue that changes nothing, in microseconds.
const VARIATION: f64 = 750.0;
const DEPTH: f64 = 2000.0;
/// The weight of a doubling of either.
const WEIGHT: f64 = 0.5;
/// The score up to which nothing is done, that from which all is, and the greatest.
const SURELY_L4S: f64 = 8.0;
const CLASSIC: f64 = 9.0;
const MOST: f64 = 17.0;
/// The least alpha of a flow in a classic queue.
const LEAST_ALPHA: f64 = 0.625;
/// The longest window of the mean: 2 to this samples.
const MOST_BITS: i32 = 18;

/// Measurements of the queue of one flow; times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detector {
    mean: f64,
    deviation: f64,
    least: f64,
    score: f64,
    bits: i32,
}

impl Default for Detector {
    fn default() -> Detector {
        Detector { mean: 0.0, deviation: 1.0, least: f64::INFINITY, score: 0.0, bits: MOST_BITS }
    }
}

impl Detector {
    /// A round trip has been measured.
    pub(super) fn note(&mut self, round_trip: Duration) {
        let sample = round_trip.as_secs_f64() * 1e6;
        self.least = self.least.min(sample);
        if self.mean == 0.0 {
            self.mean = sample;
            return;
        }
        let off = sample - self.mean;
        self.mean += off * 0.5f64.powi(self.bits);
        self.deviation += (off.abs() - self.deviation) * 0.5f64.powi(self.bits + 1);
    }

    /// A round trip is over, and there have been marks.
    pub(super) fn judge(&mut self, window: &Window) {
        if self.mean == 0.0 {
            return;
        }
        let variation = (self.deviation.max(1.0) / VARIATION).log2();
        let depth = ((self.mean - self.least) / DEPTH).max(1.0).log2();
        self.score = (self.score + WEIGHT * (variation + depth)).clamp(0.0, MOST);
        let doublings = (window.ssthresh / window.mss).max(1).ilog2() as i32;
        self.bits = (doublings + doublings / 2 + 1).min(MOST_BITS);
    }

    /// The alpha below which the flow gives way to no mark: 0 in a queue for low latency.
    pub(super) fn least_alpha(&self) -> f64 {
        LEAST_ALPHA * (self.score.min(CLASSIC) - SURELY_L4S).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { cwnd: 20_000, ssthresh: 20_000, mss: 1000 };

    /// A detector whose mean and deviation are these many microseconds, 10 ms being the least round trip.
    fn at(deviation: f64, depth: f64) -> Detector {
        Detector { mean: 10_000.0 + depth, deviation, least: 10_000.0, ..Detector::default() }
    }

    #[test]
    fn a_doubling_of_variation_or_of_depth_is_worth_half_a_point_in_a_round_trip() {
        let score = |deviation, depth| {
            let mut detector = at(deviation, depth);
            detector.score = 4.0;
            detector.judge(&WINDOW);
            detector.score
        };
        // lg(1500/750)/2 = 0.5; lg(375/750)/2 = −0.5; lg(8/2)/2 = 1, and a short queue says nothing.
        assert_eq!([score(750.0, 100.0), score(1500.0, 0.0), score(375.0, 0.0)], [4.0, 4.5, 3.5]);
        assert_eq!([score(750.0, 8000.0), score(1500.0, 8000.0)], [5.0, 5.5]);
    }

    #[test]
    fn a_queue_of_20_ms_that_varies_by_3_ms_is_classic_within_six_round_trips_and_remembered_for_ten() {
        // lg(4)/2 + lg(10)/2 = 2.66 in a round trip: 9 is passed in the fourth.
        let mut detector = at(3000.0, 20_000.0);
        (0..4).for_each(|_| detector.judge(&WINDOW));
        assert_eq!(detector.least_alpha(), LEAST_ALPHA);
        (0..10).for_each(|_| detector.judge(&WINDOW));
        assert_eq!(detector.score, MOST);
        // lg(187.5/750)/2 = −1: from 17 down to 8 in nine.
        detector = Detector { score: detector.score, ..at(187.5, 0.0) };
        (0..8).for_each(|_| detector.judge(&WINDOW));
        assert_eq!(detector.least_alpha(), LEAST_ALPHA);
        detector.judge(&WINDOW);
        assert_eq!(detector.least_alpha(), 0.0);
    }

    #[test]
    fn the_mean_is_of_a_window_to_the_power_of_one_and_a_half() {
        let mut detector = at(1.0, 0.0);
        detector.judge(&WINDOW);
        // ssthresh is 20 segments: lg 20 is 4, 4 + 2 + 1 = 7: 128 samples.
        assert_eq!(detector.bits, 7);
        detector.note(Duration::from_micros(11_280));
        assert!((detector.mean - 10_010.0).abs() < 1e-6, "1280 µs above, of which 1/128");
        assert!((detector.deviation - (1.0 + 1279.0 / 256.0)).abs() < 1e-6);
    }
}
