//! What laws share that set the window by the round trip of an empty path, as told or as measured.

use super::{Event, Loss, LossCause, Window};
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
