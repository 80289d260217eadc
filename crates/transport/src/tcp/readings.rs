//! What a sender shows of its state.

use super::phase::Phase;
use super::rack::Rack;
use super::stats::SenderStats;
use super::{SackBlock, Sender};
use std::collections::VecDeque;
use units::Duration;

/// The sender's phase, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseName {
    /// cwnd is below ssthresh.
    SlowStart,
    /// cwnd is at or above ssthresh.
    CongestionAvoidance,
    /// Losses noticed by duplicate ACKs or SACK are being repaired.
    FastRecovery,
}

impl Sender {
    /// The congestion window in bytes.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    /// The slow-start threshold in bytes.
    #[inline]
    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }

    /// The bytes outstanding: sent and not cumulatively acknowledged.
    #[inline]
    pub fn flight_size(&self) -> u64 {
        self.nxt - self.una
    }

    /// The sender's phase.
    pub fn phase(&self) -> PhaseName {
        match self.phase {
            Phase::FastRecovery(_) => PhaseName::FastRecovery,
            _ if self.window.in_slow_start() => PhaseName::SlowStart,
            _ => PhaseName::CongestionAvoidance,
        }
    }

    /// The retransmission timeout, backed off if it is.
    pub fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    /// The smoothed round-trip time, once there was a sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
    }

    /// RTTVAR, once there was a sample.
    pub fn rttvar(&self) -> Option<Duration> {
        self.rtt.rttvar()
    }

    /// The state of its law besides the window: names with values in bytes, seconds, bits per second or shares.
    pub fn law_figures(&self) -> Vec<(&'static str, f64)> {
        self.law.figures()
    }

    /// True if RACK has seen reordering; `None` with another recovery.
    pub fn reordering_seen(&self) -> Option<bool> {
        self.rack().map(Rack::has_seen_reordering)
    }

    /// The duplicate ACKs that show a loss.
    pub fn dupthresh(&self) -> u32 {
        self.reordering().map_or(self.config.dupthresh, |reordering| self.learned_dupthresh(reordering))
    }

    /// The peer's window at the start, as configured.
    #[inline]
    pub fn initial_peer_window(&self) -> u64 {
        self.config.initial_peer_window
    }

    /// The lowest byte not acknowledged.
    #[inline]
    pub fn snd_una(&self) -> u64 {
        self.una
    }

    /// The byte after the highest one sent.
    #[inline]
    pub fn snd_nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes cumulatively acknowledged.
    #[inline]
    pub fn bytes_acked(&self) -> u64 {
        self.una
    }

    /// True if all that was written is acknowledged.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.una == self.written
    }

    /// Its counters.
    #[inline]
    pub fn stats(&self) -> SenderStats {
        SenderStats { ecn_reductions: self.ecn_reductions(), ..self.counts.stats() }
    }

    /// The lowest ranges that the receiver is known to hold above the cumulative ACK.
    pub fn sacked_ranges(&self) -> &[SackBlock] {
        self.scoreboard.lowest()
    }

    /// Past episodes of retransmission for which D-SACKs may still come; the oldest first.
    pub fn older_episodes(&self) -> &[impl Sized + use<>] {
        self.spurious.older()
    }

    /// The blocks that were sent again and for which no D-SACK has come.
    pub fn retransmitted_blocks(&self) -> Option<&VecDeque<SackBlock>> {
        self.spurious.blocks()
    }
}
