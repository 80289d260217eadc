//! Round trips by the timestamps that ACKs echo: RFC 7323 §4, and its appendix G for the gains.
//!
//! Every ACK of new data measures one, also of what was sent again. With several samples in a round trip the gains of
//! RFC 6298 are divided by their expected number, ⌈FlightSize/(2 SMSS)⌉, so that SRTT and RTTVAR remember as long as
//! they did.
//!
//! Recovery "linux" goes by its own send times, which no tick rounds, and by the echo where the ACK covers what was
//! sent again (Linux's tcp_ack_update_rtt): SRTT by the first segment that an ACK is the first to report, the law by
//! the last.

use super::Sender;
use units::{Duration, Instant};

/// Timestamps of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timestamps {
    /// The echo of the present ACK.
    echo: Option<Instant>,
    /// The round trip that the present ACK shows by the sender's own send times, for recovery "linux".
    own: Option<Duration>,
}

impl Timestamps {
    /// The echo of the present ACK; only one of new data keeps it to measure a round trip.
    pub(super) fn of_ack(&mut self, is_new: bool) -> Option<Instant> {
        let echo = self.echo;
        self.echo = echo.filter(|_| is_new);
        echo
    }

    /// Takes the round trips of the first and last segment that the present ACK reports, by own send times; the first
    /// is kept if it `is_new`. Returns the last.
    pub(super) fn read_own(&mut self, own: Option<[Duration; 2]>, is_new: bool) -> Option<Duration> {
        self.own = own.map(|[first, _]| first).filter(|_| is_new);
        own.map(|[_, last]| last)
    }
}

impl Sender {
    /// The ACK that comes next echoes this.
    pub(super) fn note_echo(&mut self, echo: Instant) {
        if let Some(timestamps) = self.timestamps_mut() {
            timestamps.echo = Some(echo);
        }
    }

    /// RTTM: the round trip of the present ACK, which is for new data and has been read.
    pub(super) fn measure_with_timestamps(&mut self, now: Instant) -> Option<Duration> {
        let timestamps = self.timestamps_mut()?;
        let (own, echo) = (timestamps.own.take(), timestamps.echo.take());
        if own.is_some() || echo.is_some() {
            self.rtt.cancel();
        }
        let sample = own.or_else(|| self.ticks_since(now, echo?))?;
        let expected = self.flight_size().div_ceil(2 * self.window.mss).max(1);
        self.rtt.sample_one_of(sample, expected, &self.config);
        self.count_sample(sample);
        Some(sample)
    }

    /// In ticks, at least one. An echo from the future measures nothing.
    fn ticks_since(&self, now: Instant, echo: Instant) -> Option<Duration> {
        let ticks = self.config.stamp(now).saturating_since(self.config.stamp(echo));
        (echo <= now).then(|| ticks.max(self.config.timestamp_clock))
    }
}
