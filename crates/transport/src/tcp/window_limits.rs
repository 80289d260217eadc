//! The bounds of a sender's window at an instant, for those who watch it from outside.

use super::phase::Phase;
use super::{LossRecovery, Sender};
use units::PS_PER_SECOND;

/// The bounds of a sender's flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowLimits {
    /// Bytes that it allows itself: its congestion window without what duplicate ACKs have added to it, or what its
    /// law's rate makes in a smoothed round trip, if that is less.
    pub window: u64,
    /// Bytes that the peer and `max_cwnd` allow it.
    pub bound: u64,
    /// Bytes outstanding.
    pub flight: u64,
    /// True if something waits to be sent: for the first time, or again.
    pub has_more: bool,
}

impl Sender {
    /// How it stands.
    pub fn window_limits(&self) -> WindowLimits {
        let repairs = matches!(self.phase, Phase::FastRecovery(_) | Phase::TimeoutRecovery { .. });
        WindowLimits {
            window: self.deflated_cwnd().min(self.window_at_rate()),
            bound: self.config.max_cwnd.min(self.edge.saturating_sub(self.una)),
            flight: self.flight_size(),
            has_more: repairs || self.written > self.nxt,
        }
    }

    /// Without SACK duplicate ACKs inflate cwnd above ssthresh while a loss is repaired (RFC 5681 §3.2).
    pub(super) fn deflated_cwnd(&self) -> u64 {
        let inflates = || matches!(self.recovery(), LossRecovery::Reno | LossRecovery::NewReno);
        match self.phase {
            Phase::FastRecovery(_) if inflates() => self.window.cwnd.min(self.window.ssthresh),
            _ => self.window.cwnd,
        }
    }

    /// The law's own rate times a smoothed round trip; no bound for laws without one.
    fn window_at_rate(&self) -> u64 {
        let srtt = self.rtt.srtt();
        let rate = self.pacer().and_then(|_| self.law.pacing_rate(&self.config.laws, &self.window, srtt));
        let bytes = rate
            .zip(srtt)
            .map(|(rate, srtt)| u128::from(rate.bps()) * u128::from(srtt.ps()) / (8 * u128::from(PS_PER_SECOND)));
        bytes.map_or(u64::MAX, |bytes| u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}
