//! The core's time as a node sees it, and when its light must leave.
//!
//! Down: beacons from the core tell what the node's clock shows when what leaves the core arrives. Up: T_d, measured by
//! a master or by the core itself. The drift of both is that of the two clocks, and beacons, which come in every frame,
//! show it best.

use crate::sync::{ClockFilter, FilterConfig, Sample};
use units::{Duration, Instant};

/// T_d to the core at one instant.
#[derive(Clone, Copy, Debug)]
struct Up {
    at: Instant,
    difference: i64,
}

/// The clock of a node compared with that of the core.
#[derive(Clone, Debug)]
pub(super) struct CoreClock {
    down: ClockFilter,
    up: Option<Up>,
}

impl CoreClock {
    pub(super) fn new(config: FilterConfig) -> CoreClock {
        CoreClock { down: ClockFilter::new(config), up: None }
    }

    /// What left the core at `sent` of its clock has arrived.
    pub(super) fn hear(&mut self, sent: Instant, now: Instant) {
        self.down.observe(Sample::one_way(sent, now));
    }

    /// What left here at `at` was, or would have been, at the core `difference` later by its clock.
    pub(super) fn measured(&mut self, at: Instant, difference: i64) {
        if self.up.is_none_or(|up| up.at <= at) {
            self.up = Some(Up { at, difference });
        }
    }

    /// The same of a message that may have been late. A delay only lengthens T_d, so what is known already is
    /// lengthened by `most` at most.
    pub(super) fn measured_beside(&mut self, at: Instant, difference: i64, most: Duration) {
        let longer = |up: Up| i128::from(difference) - self.expected(up, at) > i128::from(most.ps());
        if !self.up.is_some_and(longer) {
            self.measured(at, difference);
        }
    }

    /// What T_d is at `at`, if it changes only by the drift of the two clocks.
    fn expected(&self, up: Up, at: Instant) -> i128 {
        let since = i128::from(at.ps()) - i128::from(up.at.ps());
        let down = self.down.estimate(up.at).map_or(0.0, |estimate| estimate.drift);
        i128::from(up.difference) - (since as f64 * down).round() as i128
    }

    /// The last measurement.
    pub(super) fn last(&self) -> Option<Sample> {
        self.up.map(|Up { at, difference }| Sample { at, difference, round_trip: None })
    }

    /// Nothing is known of the way up any more.
    pub(super) fn forget(&mut self) {
        self.up = None;
    }

    pub(super) fn is_synchronized(&self) -> bool {
        self.up.is_some()
    }

    /// Since when T_d has not been measured.
    pub(super) fn age(&self, now: Instant) -> Duration {
        self.up.map_or(Duration::MAX, |up| now.saturating_since(up.at))
    }

    /// When what arrives here at `now` left the core, by its clock.
    pub(super) fn left_core(&self, now: Instant) -> Option<Instant> {
        self.down.send_time(now)
    }

    /// When what leaves the core at `sent` arrives here.
    pub(super) fn heard_at(&self, sent: Instant) -> Option<Instant> {
        self.down.arrival(sent)
    }

    /// How long this clock takes for a span of the core's: nothing else is known of a node that joins, and beacons show
    /// their drift.
    pub(super) fn span(&self, of_core: Duration) -> Duration {
        let known = self.down.last().and_then(|at| self.down.estimate(at));
        let drift = known.map_or(0.0, |estimate| estimate.drift);
        let here = i128::from(of_core.ps()) + (of_core.ps() as f64 * drift).round() as i128;
        Duration::from_ps(here.clamp(0, i128::from(u64::MAX)) as u64)
    }

    /// When light must leave here to reach the core at `arrival` of its clock: paper 003 (3.5). What should have left
    /// before the clock's zero is late since then.
    pub(super) fn leave(&self, arrival: Instant) -> Option<Instant> {
        let up = self.up?;
        let gap = i128::from(arrival.ps()) - i128::from(up.difference) - i128::from(up.at.ps());
        // The core's clock gains on ours what ours loses on it: 1 + drift up = 1 / (1 + drift down).
        let down = self.down.estimate(up.at).map_or(0.0, |estimate| estimate.drift);
        let after = gap + (gap as f64 * down).round() as i128;
        let leaves = (i128::from(up.at.ps()) + after).clamp(0, i128::from(u64::MAX));
        Some(Instant::from_ps(leaves as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim that was 0.9 ms late on its way to the core made the light of its node leave 0.9 ms early, into light
    /// that was under way.
    #[test]
    fn one_late_message_does_not_lengthen_what_is_known_of_t_d() {
        let (second, late) = (1_000_000_000_000u64, 900_000_000);
        let mut clock = CoreClock::new(FilterConfig::default());
        clock.measured_beside(Instant::from_ps(second), 5_000_000, Duration::ZERO);
        clock.measured_beside(Instant::from_ps(2 * second), 5_000_000 + late, Duration::from_micros(5));
        assert_eq!(clock.last().map(|last| last.difference), Some(5_000_000));
        clock.measured_beside(Instant::from_ps(3 * second), 4_999_000, Duration::ZERO);
        assert_eq!(clock.last().map(|last| last.difference), Some(4_999_000), "shorter is nearer the truth");
        clock.forget();
        clock.measured_beside(Instant::from_ps(4 * second), 5_000_000 + late, Duration::ZERO);
        assert_eq!(clock.age(Instant::from_ps(4 * second)), Duration::ZERO, "better than nothing");
    }

    /// A slave whose clock began with frame 0 had no next frame: that of frame 0 should have left before.
    #[test]
    fn what_should_have_left_before_the_clocks_zero_is_late() {
        let mut clock = CoreClock::new(FilterConfig::default());
        clock.measured(Instant::from_ps(40_000_000_000), 600_000_000);
        assert_eq!(clock.leave(Instant::from_ps(20_000_000)), Some(Instant::ZERO));
    }

    /// A clock that is 200 ppm fast shows 256 ms as 256.0512 ms.
    #[test]
    fn a_span_of_the_cores_time_is_longer_by_a_fast_clock() {
        let mut clock = CoreClock::new(FilterConfig::default());
        let span = Duration::from_millis(256);
        assert_eq!(clock.span(span), span, "nothing was heard");
        for beacon in 1..20u64 {
            let sent = beacon * 128_000_000_000;
            clock.hear(Instant::from_ps(sent), Instant::from_ps(sent + sent / 5000 + 3_000_000_000));
        }
        let here = clock.span(span).ps();
        assert!(here.abs_diff(256_051_200_000) < 200_000, "{here} ps");
    }

    #[test]
    fn light_leaves_so_that_it_meets_the_core_whatever_the_clocks_and_fibres() {
        // The core's clock c; ours shows c · (1 + 80 ppm) + 5 s; 3 ms down, 7 ms up: asymmetric, and 0.2 s after the
        // measurement.
        let ours = |c: u64| c + c / 12_500 + 5_000_000_000_000;
        let (down, up) = (3_000_000_000u64, 7_000_000_000u64);
        let mut clock = CoreClock::new(FilterConfig::default());
        for beacon in 1..50u64 {
            let sent = beacon * 4_500_000_000;
            clock.hear(Instant::from_ps(sent), Instant::from_ps(ours(sent + down)));
        }
        let sent = 200_000_000_000u64;
        let left = ours(sent);
        clock.measured(Instant::from_ps(left), (sent + up) as i64 - left as i64);
        let wanted = sent + 200_000_000_000;
        let leaves = clock.leave(Instant::from_ps(wanted)).unwrap();
        assert!(leaves.ps().abs_diff(ours(wanted - up)) < 200_000, "within 0.2 µs");
        let heard = clock.heard_at(Instant::from_ps(wanted)).unwrap();
        assert!(heard.ps().abs_diff(ours(wanted + down)) < 200_000);
    }
}
