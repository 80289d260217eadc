//! Pacing: RFC 9002 §7.7. A bucket of an initial window, filled at the pacing rate.

use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// The bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// Bytes that it holds at most.
    most: u64,
    /// Bytes that may leave at once.
    credit: u64,
    /// The time up to which it was filled.
    filled: Instant,
}

impl Pacer {
    pub fn new(most: u64) -> Pacer {
        Pacer { most, credit: most, filled: Instant::ZERO }
    }

    /// When so many bytes may leave, which is now if they may; the rate is asked for if that is not sure.
    #[inline]
    pub fn ready(&mut self, now: Instant, bytes: u64, rate: impl FnOnce() -> Rate) -> Instant {
        let bytes = bytes.min(self.most);
        if self.credit >= bytes { now } else { self.fill(now, bytes, rate()) }
    }

    fn fill(&mut self, now: Instant, bytes: u64, rate: Rate) -> Instant {
        // In whole bytes, so that no time is lost by rounding.
        let per_byte = u128::from(PS_PER_SECOND) * 8;
        let bps = u128::from(rate.bps().max(1));
        let passed = u128::from(now.saturating_since(self.filled).ps());
        let gained = passed * bps / per_byte;
        let missing = u128::from(bytes - self.credit);
        if gained >= missing {
            let room = u128::from(self.most - self.credit);
            let whole = if gained >= room { passed } else { gained * per_byte / bps };
            self.credit += gained.min(room) as u64;
            self.filled = self.filled + Duration::from_ps(u64::try_from(whole).unwrap_or(u64::MAX));
            return now;
        }
        let wait = (missing * per_byte).div_ceil(bps);
        self.filled + Duration::from_ps(u64::try_from(wait).unwrap_or(u64::MAX))
    }

    /// So many bytes leave.
    pub fn sent(&mut self, now: Instant, bytes: u64) {
        if self.credit == self.most {
            self.filled = now;
        }
        self.credit = self.credit.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 B at 8 Mb/s last 1 ms.
    #[test]
    fn behind_a_burst_packets_leave_at_the_rate() {
        let (mut pacer, rate) = (Pacer::new(3000), Rate::from_mbps(8));
        let (mut now, mut sent) = (Instant::ZERO + Duration::from_secs(5), Vec::new());
        for _ in 0..6 {
            now = pacer.ready(now, 1000, || rate);
            assert_eq!(pacer.ready(now, 1000, || rate), now);
            pacer.sent(now, 1000);
            sent.push(now.saturating_since(Instant::ZERO + Duration::from_secs(5)).ps() / 1_000_000_000);
        }
        assert_eq!(sent, [0, 0, 0, 1, 2, 3]);
        // A rest of 10 ms fills it, and no more than that.
        now = now + Duration::from_millis(10);
        assert_eq!(pacer.ready(now, 3000, || rate), now);
        pacer.sent(now, 3000);
        assert_eq!(pacer.ready(now, 1000, || rate), now + Duration::from_millis(1));
    }
}
