//! Round trips by the timestamps that ACKs echo: RFC 7323 §4, and its appendix G for the gains.
//!
//! Every ACK of new data measures one, also of what was sent again. With several samples in a round trip the gains of
//! RFC 6298 are divided by their expected number, ⌈FlightSize/(2 SMSS)⌉, so that SRTT and RTTVAR remember as long as
//! they did.

use super::Sender;
use units::{Duration, Instant};

/// Timestamps of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timestamps {
    /// The echo of the present ACK.
    echo: Option<Instant>,
}

impl Timestamps {
    /// The echo of the present ACK; only one of new data keeps it to measure a round trip.
    pub(super) fn of_ack(&mut self, is_new: bool) -> Option<Instant> {
        let echo = self.echo;
        self.echo = echo.filter(|_| is_new);
        echo
    }
}

impl Sender {
    /// The ACK that comes next echoes this.
    pub(super) fn note_echo(&mut self, echo: Instant) {
        if let Some(timestamps) = self.timestamps_mut() {
            timestamps.echo = Some(echo);
        }
    }

    /// The echo of the present ACK, once it has been read.
    pub(super) fn take_echo(&mut self) -> Option<Instant> {
        self.timestamps_mut()?.echo.take()
    }

    /// RTTM: the present ACK, which is for new data, echoes `echo`. An echo from the future measures nothing.
    pub(super) fn measure_by_echo(&mut self, now: Instant, echo: Instant) -> Option<Duration> {
        self.rtt.cancel();
        let tick = self.config.timestamp_clock;
        let ticks = self.config.stamp(now);
        let sample = (echo <= now).then(|| ticks.saturating_since(self.config.stamp(echo)).max(tick))?;
        let expected = self.flight_size().div_ceil(2 * self.window.mss).max(1);
        self.rtt.sample_one_of(sample, expected, &self.config);
        self.count_sample(sample);
        Some(sample)
    }
}
