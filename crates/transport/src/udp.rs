//! A source of datagrams at a constant rate.

use units::{Bytes, Duration, Instant, PS_PER_SECOND, Rate};

/// Datagrams to send; the host drains it after each call and keeps its capacity.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// Datagrams to send, in order.
    pub datagrams: Vec<Datagram>,
}

/// One datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The datagram's number in the flow, from 0.
    pub number: u64,
    /// Its size in bytes.
    pub size: u32,
}

/// Sends a datagram at once when started and one every interval after that. Departures keep to the grid laid down by
/// `start`, also when the timer is served late: the missed ones are sent then.
#[derive(Clone, Debug)]
pub struct Source {
    interval: Duration,
    size: u32,
    next: Instant,
    sent: u64,
}

impl Source {
    /// Datagrams of `size` bytes every `interval`, which must be positive.
    pub fn every(interval: Duration, size: u32) -> Source {
        assert!(interval > Duration::ZERO, "datagrams are some time apart");
        Source { interval, size, next: Instant::NEVER, sent: 0 }
    }

    /// Datagrams of `size` bytes at `rate`; the interval is rounded to the nearest picosecond. `None` if the rate or the
    /// size is zero, or the interval rounds to nothing.
    pub fn at_rate(rate: Rate, size: u32) -> Option<Source> {
        let bits = Bytes(u64::from(size)).bits();
        if rate.bps() == 0 || bits == 0 {
            return None;
        }
        let scaled = u128::from(bits) * u128::from(PS_PER_SECOND);
        let ps = (scaled + u128::from(rate.bps()) / 2) / u128::from(rate.bps());
        let interval = Duration::from_ps(u64::try_from(ps).ok()?);
        (interval > Duration::ZERO).then(|| Source::every(interval, size))
    }

    /// Sends the first datagram now. Without effect while the source runs.
    pub fn start(&mut self, now: Instant, actions: &mut Actions) {
        if self.next == Instant::NEVER {
            self.next = now;
            self.handle_timeout(now, actions);
        }
    }

    /// Sends nothing more until started again.
    pub fn stop(&mut self) {
        self.next = Instant::NEVER;
    }

    /// Sends what is due at `now`.
    #[inline]
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        while self.next <= now && self.next != Instant::NEVER {
            actions.datagrams.push(Datagram { number: self.sent, size: self.size });
            self.sent += 1;
            self.next = self.next + self.interval;
        }
    }

    /// When the next datagram is due.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        (self.next != Instant::NEVER).then_some(self.next)
    }

    /// Datagrams sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The time between datagrams.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// The size of a datagram in bytes.
    pub fn size(&self) -> u32 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_mbps_in_1250_byte_datagrams_is_one_every_millisecond() {
        let mut source = Source::at_rate(Rate::from_mbps(10), 1250).unwrap();
        assert_eq!(source.interval(), Duration::from_millis(1));
        let mut actions = Actions::default();
        source.start(Instant::from_ps(7), &mut actions);
        assert_eq!(actions.datagrams, [Datagram { number: 0, size: 1250 }]);
        assert_eq!(source.next_timeout(), Some(Instant::from_ps(1_000_000_007)));
        source.handle_timeout(Instant::from_ps(1_000_000_006), &mut actions);
        assert_eq!(actions.datagrams.len(), 1, "nothing is due yet");
        source.handle_timeout(Instant::from_ps(3_000_000_007), &mut actions);
        assert_eq!(source.sent(), 4, "at 0, 1, 2 and 3 ms");
        source.stop();
        assert_eq!(source.next_timeout(), None);
    }

    #[test]
    fn a_source_without_rate_is_refused() {
        assert!(Source::at_rate(Rate::from_bps(0), 100).is_none());
        assert!(Source::at_rate(Rate::from_bps(8), 0).is_none());
    }
}
