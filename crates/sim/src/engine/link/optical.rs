//! What a port of an optical packet switch does that others do not: it may tell its fibre when the *first* bit of a
//! packet arrives, it knows its least backlog, and it counts what an agent keeps for it.

use crate::engine::packet::admission::Count;

/// The least time that what a port had to send would have lasted, at any arrival since it was last asked.
#[derive(Debug, Default)]
pub struct LeastBacklog(u64);

impl LeastBacklog {
    /// A packet arrives; `backlog` is the time that it takes to send what is before it. A backlog shrinks between
    /// arrivals, so its least values are seen just before them.
    #[inline]
    pub fn note(&mut self, backlog: u64) {
        self.0 = self.0.min(backlog);
    }

    /// The least since this was last called, `backlog` being that of now.
    pub fn take(&mut self, backlog: u64) -> u64 {
        std::mem::replace(&mut self.0, backlog).min(backlog)
    }
}

/// Packets that an agent keeps for a port.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentBacklog {
    /// How many.
    packets: u64,
    /// The most packets since the last restart.
    most: u64,
    /// Their bytes.
    bytes: u64,
    /// The least bytes since this was last asked for.
    least_bytes: u64,
    /// Integral of the number of packets up to `since`, in packet-picoseconds.
    waited: u128,
    since: u64,
}

impl AgentBacklog {
    /// One more.
    pub fn add(&mut self, now: u64, size: u16) {
        self.advance(now);
        self.packets += 1;
        self.bytes += u64::from(size);
        self.most = self.most.max(self.packets);
    }

    /// One less.
    pub fn remove(&mut self, now: u64, size: u16) {
        self.advance(now);
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.least_bytes = self.least_bytes.min(self.bytes);
    }

    /// One more, and at once one less.
    pub fn pass(&mut self) {
        self.most = self.most.max(self.packets + 1);
        self.least_bytes = self.least_bytes.min(self.bytes);
    }

    /// So many wait, here and elsewhere.
    pub fn note(&mut self, packets: u64) {
        self.most = self.most.max(packets);
    }

    /// So many from now on.
    pub fn set(&mut self, now: u64, packets: u64, bytes: u64) {
        self.advance(now);
        (self.packets, self.bytes) = (packets, bytes);
        self.most = self.most.max(self.packets);
        self.least_bytes = self.least_bytes.min(bytes);
    }

    /// Packets and bytes kept now.
    pub fn count(&self) -> Count {
        Count { packets: self.packets, bytes: self.bytes }
    }

    /// The integral of the number of packets up to `now`, in packet-picoseconds.
    pub fn waited(&self, now: u64) -> u128 {
        self.waited + u128::from(self.packets) * u128::from(now - self.since)
    }

    /// The least bytes since this was last called.
    pub fn take_least_bytes(&mut self) -> u64 {
        std::mem::replace(&mut self.least_bytes, self.bytes)
    }

    /// The most packets since the last restart.
    pub fn maximum(&self) -> u64 {
        self.most
    }

    /// The same; counting begins again with those that are kept now.
    pub fn restart_maximum(&mut self) -> u64 {
        std::mem::replace(&mut self.most, self.packets)
    }

    fn advance(&mut self, now: u64) {
        self.waited = self.waited(now);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packets over [10, 30), one over [30, 50): 60 packet-picoseconds.
    #[test]
    fn what_is_kept_is_integrated_over_time() {
        let mut kept = AgentBacklog::default();
        kept.add(10, 1500);
        kept.add(10, 40);
        kept.remove(30, 1500);
        assert_eq!((kept.waited(50), kept.count()), (60, Count { packets: 1, bytes: 40 }));
        assert_eq!([kept.restart_maximum(), kept.restart_maximum()], [2, 1]);
    }

    #[test]
    fn what_passes_counts_as_kept_for_no_time() {
        let (mut kept, mut passed) = (AgentBacklog::default(), AgentBacklog::default());
        kept.add(10, 1500);
        passed.add(10, 1500);
        kept.add(20, 40);
        kept.remove(20, 40);
        passed.pass();
        let read =
            |kept: &mut AgentBacklog| (kept.waited(30), kept.take_least_bytes(), kept.restart_maximum(), kept.count());
        assert_eq!(read(&mut kept), read(&mut passed));
    }

    #[test]
    fn the_least_backlog_is_that_of_an_arrival_or_of_now() {
        let mut least = LeastBacklog::default();
        assert_eq!(least.take(70), 0, "it had nothing to send");
        [90, 40, 60].iter().for_each(|backlog| least.note(*backlog));
        assert_eq!([least.take(50), least.take(80)], [40, 50]);
    }

    /// 1540 B, 40 B and 1000 B kept; the least is asked for twice.
    #[test]
    fn the_least_bytes_are_those_since_the_last_question() {
        let mut kept = AgentBacklog::default();
        kept.set(10, 2, 1540);
        kept.take_least_bytes();
        kept.remove(20, 1500);
        kept.add(30, 960);
        assert_eq!([kept.take_least_bytes(), kept.take_least_bytes()], [40, 1000]);
        kept.set(40, 1, 30);
        kept.set(50, 3, 90);
        assert_eq!((kept.take_least_bytes(), kept.maximum(), kept.count()), (30, 3, Count { packets: 3, bytes: 90 }));
        // 2 over [10, 20), 1 over [20, 30), 2 over [30, 40), 1 over [40, 50), 3 over [50, 60).
        assert_eq!(kept.waited(60), 20 + 10 + 20 + 10 + 30);
    }
}
