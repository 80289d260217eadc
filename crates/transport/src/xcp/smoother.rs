//! When a macroflow's next packet may leave: the pacing of paper 002 (Alparslan, Arakawa, Murata), §2.2, and what it
//! leaves to future work (§4).
//!
//! A leaky bucket that is one packet deep: after a packet nothing leaves until the packet's bits at the macroflow's
//! rate are over. A change of rate stretches or shrinks what is left of that time at once, so that a macroflow that was
//! slow does not wait for long at its new rate.
//!
//! The token bucket with a randomized start is our reading of "better pacing methods": the token for the first packet
//! after an idle time is under way already, by a random part of its time, so that macroflows whose packets come
//! together do not leave together. It may be more than one packet deep.

use units::{ByteTime, Duration, Instant, Rate};

/// The spacing of a macroflow's packets.
#[derive(Clone, Copy, Debug)]
pub struct Smoother {
    rate: Rate,
    byte_time: ByteTime,
    /// When all that has been sent is over at the rate.
    empty: Instant,
    /// The number of bytes that may be sent ahead.
    depth: u32,
    /// Nothing leaves before this, however much may be sent ahead.
    start: Instant,
}

impl Smoother {
    /// An empty bucket that leaks at `rate`, at least 8 bit/s, and lets `depth` bytes through ahead of time.
    pub fn new(rate: Rate, depth: u32) -> Smoother {
        let byte_time = ByteTime::at(rate).expect("a macroflow's floor has a byte time");
        Smoother { rate, byte_time, empty: Instant::ZERO, depth, start: Instant::ZERO }
    }

    /// When the next packet may leave.
    #[inline]
    pub fn next_release(&self) -> Instant {
        if self.depth == 0 {
            return self.empty.max(self.start);
        }
        let ahead = self.empty.ps().saturating_sub(self.byte_time.of(self.depth).ps());
        Instant::from_ps(ahead).max(self.start)
    }

    /// A packet of `size` bytes leaves.
    #[inline]
    pub fn handle_sent(&mut self, now: Instant, size: u32) {
        self.empty = self.empty.max(now) + self.byte_time.of(size);
    }

    /// A packet of `size` bytes comes after an idle time: it waits for a part of its time, `part`/2³².
    pub fn handle_start(&mut self, now: Instant, size: u32, part: u32) {
        if self.next_release() <= now {
            let whole = u128::from(self.byte_time.of(size).ps());
            self.start = now + Duration::from_ps(((whole * u128::from(part)) >> 32) as u64);
        }
    }

    /// The rate changes.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        if rate == self.rate {
            return;
        }
        let left = u128::from(self.empty.saturating_since(now).ps());
        let left = left * u128::from(self.rate.bps()) / u128::from(rate.bps().max(1));
        if self.empty > now {
            self.empty = now + Duration::from_ps(u64::try_from(left).unwrap_or(u64::MAX));
        }
        self.byte_time = ByteTime::at(rate).expect("a macroflow's floor has a byte time");
        self.rate = rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(us)
    }

    /// 1500 B at 10 Mb/s are 1.2 ms, 40 B 32 µs.
    #[test]
    fn packets_leave_one_by_one_at_the_rate() {
        let mut bucket = Smoother::new(Rate::from_mbps(10), 0);
        assert!(bucket.next_release() <= at(0));
        bucket.handle_sent(at(0), 1500);
        assert_eq!(bucket.next_release(), at(1200));
        bucket.handle_sent(at(1200), 40);
        assert_eq!(bucket.next_release(), at(1232));
        // After an idle time nothing has been saved up.
        bucket.handle_sent(at(5000), 1500);
        assert_eq!(bucket.next_release(), at(6200));
    }

    /// 600 µs are left at 10 Mb/s: 150 µs at 40 Mb/s, and 60 s from then at 100 b/s.
    #[test]
    fn what_is_left_of_a_packet_passes_at_the_new_rate() {
        let mut bucket = Smoother::new(Rate::from_mbps(10), 0);
        bucket.handle_sent(at(0), 1500);
        bucket.set_rate(at(600), Rate::from_mbps(40));
        assert_eq!(bucket.next_release(), at(750));
        bucket.set_rate(at(600), Rate::from_bps(100));
        assert_eq!(bucket.next_release(), at(600 + 60_000_000));
        bucket.set_rate(at(600), Rate::from_mbps(40));
        assert_eq!(bucket.next_release(), at(750));
        bucket.set_rate(at(2000), Rate::from_bps(100));
        assert_eq!(bucket.next_release(), at(750), "an empty bucket stays empty");
    }

    /// A depth of one more packet lets two leave at once; the third waits for 1.2 ms.
    #[test]
    fn a_deeper_bucket_sends_ahead() {
        let mut bucket = Smoother::new(Rate::from_mbps(10), 1500);
        bucket.handle_sent(at(0), 1500);
        assert!(bucket.next_release() <= at(0));
        bucket.handle_sent(at(0), 1500);
        assert_eq!(bucket.next_release(), at(1200));
    }

    /// A quarter of 1.2 ms.
    #[test]
    fn a_randomized_start_waits_for_a_part_of_a_packet() {
        let mut bucket = Smoother::new(Rate::from_mbps(10), 0);
        bucket.handle_start(at(100), 1500, 1 << 30);
        assert_eq!(bucket.next_release(), at(400));
        bucket.handle_start(at(200), 1500, u32::MAX);
        assert_eq!(bucket.next_release(), at(400), "it is not idle");
    }

    /// The first packet waits for 300 µs, the second leaves with it, the third comes 1.2 ms behind.
    #[test]
    fn a_deeper_bucket_that_starts_at_random_sends_ahead_from_then_on() {
        let mut bucket = Smoother::new(Rate::from_mbps(10), 1500);
        bucket.handle_start(at(0), 1500, 1 << 30);
        assert_eq!(bucket.next_release(), at(300));
        bucket.handle_sent(at(300), 1500);
        assert_eq!(bucket.next_release(), at(300));
        bucket.handle_sent(at(300), 1500);
        assert_eq!(bucket.next_release(), at(1500));
    }
}
