//! The round trip of an empty path: told, or the shortest that was measured.

use super::Event;
use units::{Duration, PS_PER_SECOND, Rate};

/// The shortest round trip of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BaseRtt {
    shortest: Option<Duration>,
}

impl BaseRtt {
    /// Hears of an ACK.
    pub fn note(&mut self, event: &Event) {
        let sample = event.rtt_sample.filter(|sample| *sample > Duration::ZERO);
        self.shortest = sample.into_iter().chain(self.shortest).min();
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

/// cwnd from a law that reckons in reals: whole bytes, at least one.
pub(super) fn whole(bytes: f64) -> u64 {
    // `as` saturates, and makes 0 of what is no number.
    (bytes as u64).max(1)
}
