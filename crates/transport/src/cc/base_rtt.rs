//! What laws share that set the window by the round trip of an empty path, as told or as measured.

use super::ahead::Ahead;
use super::{Event, Loss, LossCause, PathChange, Window};
use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// The shortest round trip of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct BaseRtt {
    shortest: Option<Duration>,
    /// Since when the path is what it is, as news of it say.
    since: Option<Instant>,
    /// When it will be another, and the round trip then.
    ahead: Ahead<Duration>,
}

impl BaseRtt {
    /// Hears of an ACK.
    pub fn note(&mut self, event: &Event) {
        if let Some((at, base)) = self.ahead.take_due(event.now) {
            (self.shortest, self.since) = (Some(base), Some(at));
        }
        let sample = event.rtt_sample.filter(|sample| *sample > Duration::ZERO);
        // What left before the change went the other way.
        let is_of_path =
            |sample: &Duration| self.since.is_none_or(|since| event.now.saturating_since(since) >= *sample);
        self.shortest = sample.filter(is_of_path).into_iter().chain(self.shortest).min();
    }

    /// Hears that the path changes, or will.
    pub fn hear(&mut self, change: &PathChange) {
        if let Some(base) = change.base_rtt {
            self.ahead.note(change.at, base);
        }
    }

    /// Whether news has said what it is.
    pub fn is_told(&self) -> bool {
        self.since.is_some()
    }

    /// In seconds: as the law is told, or else as it was measured, if it was.
    pub fn secs(&self, told: Option<Duration>) -> Option<f64> {
        told.or(self.shortest).map(|base| base.as_secs_f64())
    }

    /// A window in this time, for a law that paces so.
    pub fn rate_of(&self, told: Option<Duration>, cwnd: u64) -> Option<Rate> {
        let ps = u128::from(told.or(self.shortest)?.ps()).max(1);
        let bps = u128::from(cwnd) * 8 * u128::from(PS_PER_SECOND) / ps;
        Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
    }
}

/// Bytes in a second.
pub(super) fn bytes_per_second(rate: Rate) -> f64 {
    rate.bps() as f64 / 8.0
}

/// cwnd of a law that reckons in reals: whole bytes, at least one. It does not grow while something else than the
/// window holds the flow back.
pub(super) fn set_window(window: &mut Window, bytes: f64, is_app_limited: bool) {
    if bytes <= window.cwnd as f64 || !is_app_limited {
        // `as` saturates, and makes 0 of what is no number.
        window.cwnd = (bytes as u64).max(1);
    }
}

/// A timeout leaves one segment, any other loss the window as it is.
pub(super) fn keep_window(window: &mut Window, loss: &Loss) {
    match loss.cause {
        LossCause::Timeout => window.cut(loss.cause, loss.flight / 2),
        _ => window.ssthresh = window.cwnd.max(2 * window.mss),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Instant;

    /// 10 000 B in 20 ms are 4 Mb/s, in the 10 ms that the law is told 8 Mb/s; longer samples and none change nothing.
    #[test]
    fn a_rate_is_a_window_in_the_round_trip_as_told_or_the_shortest_measured() {
        let mut base = BaseRtt::default();
        assert_eq!((base.rate_of(None, 10_000), base.secs(None)), (None, None));
        for ms in [30, 20, 0, 25] {
            let rtt_sample = Some(Duration::from_millis(ms));
            base.note(&Event { rtt_sample, ..Event::at(Instant::ZERO) });
        }
        base.note(&Event::at(Instant::ZERO));
        let told = Some(Duration::from_millis(10));
        assert_eq!(base.rate_of(None, 10_000), Some(Rate::from_bps(4_000_000)));
        assert_eq!(base.rate_of(told, 10_000), Some(Rate::from_bps(8_000_000)));
        assert_eq!([base.secs(None), base.secs(told)], [Some(0.02), Some(0.01)]);
        assert_eq!(bytes_per_second(Rate::from_bps(4_000_000)), 500_000.0);
    }

    /// A path of 20 ms that is one of 30 ms from 1 s on, and of 10 ms from 2 s on, told ahead and in any order. What
    /// leaves before a change has gone the other way.
    #[test]
    fn the_round_trip_of_another_path_counts_from_its_time_on() {
        let mut base = BaseRtt::default();
        let ms = Duration::from_millis;
        for (at, to) in [(2000, 10), (1000, 30)] {
            let change = PathChange::marked(Instant::ZERO + ms(at), true);
            base.hear(&PathChange { base_rtt: Some(ms(to)), ..change });
        }
        let mut after = |at, sample| {
            base.note(&Event { rtt_sample: Some(ms(sample)), ..Event::at(Instant::ZERO + ms(at)) });
            (base.secs(None).unwrap() * 1e3).round() as u64
        };
        assert_eq!([after(500, 20), after(1010, 20), after(1040, 31), after(1050, 29)], [20, 30, 30, 29]);
        assert_eq!([after(1999, 29), after(2005, 29), after(2020, 12)], [29, 10, 10]);
        assert!(base.is_told());
        base.hear(&PathChange::marked(Instant::ZERO, true));
        assert!(base.ahead.take_due(Instant::NEVER).is_none(), "a mark says nothing of it");
    }

    #[test]
    fn a_window_is_whole_bytes_and_grows_only_where_it_is_what_holds_the_flow_back() {
        let set = |bytes, is_app_limited| {
            let mut window = Window { cwnd: 5000, ssthresh: 9000, mss: 1000 };
            set_window(&mut window, bytes, is_app_limited);
            window.cwnd
        };
        assert_eq!([set(7000.9, false), set(7000.9, true)], [7000, 5000]);
        assert_eq!([set(3000.9, false), set(3000.9, true)], [3000, 3000]);
        assert_eq!([set(0.2, true), set(f64::NAN, false), set(f64::INFINITY, false)], [1, 1, u64::MAX]);
    }

    /// RFC 5681 §3.1: after a timeout one segment, ssthresh half of the flight; ssthresh is two segments at least.
    #[test]
    fn only_a_timeout_moves_the_window() {
        let after = |cause, cwnd| {
            let mut window = Window { cwnd, ssthresh: 9000, mss: 1000 };
            keep_window(&mut window, &Loss::of(cause, 8000));
            (window.cwnd, window.ssthresh)
        };
        assert_eq!(after(LossCause::Timeout, 6000), (1000, 4000));
        assert_eq!(
            [after(LossCause::FastRetransmit, 6000), after(LossCause::Mark, 1500)],
            [(6000, 6000), (1500, 2000)]
        );
    }
}
