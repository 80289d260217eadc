//! Assembly of bursts at the edge of an optical burst-switched network: a queue gathers packets until its burst is
//! complete.
//!
//! A burst is complete when its first packet has waited for the timer, when it is as long as a burst may be, or, with
//! both rules, at the earlier of the two (the mixed rule of paper 001, §IV: 1 ms and 50 kB). It is never longer than
//! the length, except for a single packet that is: a packet that does not fit begins the next burst, and no burst waits
//! for a packet when another as large as its last would not fit. A burst shorter than the minimum is padded.

use units::{Bytes, Duration, Instant};

/// When a burst is complete. At least one of `timer` and `length` is there, or bursts wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// This long after its first packet.
    pub timer: Option<Duration>,
    /// When it has this many bytes.
    pub length: Option<Bytes>,
    /// Shorter bursts are padded to this.
    pub minimum: Bytes,
}

/// A complete burst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete<T> {
    /// What it carries, in the order in which it came.
    pub packets: Vec<T>,
    /// Its packets' bytes.
    pub payload: Bytes,
    /// Its length, padding included.
    pub size: Bytes,
    /// How long its packets waited, added up.
    pub waited: u128,
}

/// A queue in which a burst grows.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    rules: Assembly,
    packets: Vec<T>,
    /// The packets of the last burst: the next one is given the same room at once.
    usual: usize,
    payload: u64,
    /// Arrival times of the packets, added up.
    came: u128,
    /// When the timer ends.
    deadline: Option<Instant>,
}

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new(rules: Assembly) -> Queue<T> {
        Queue { rules, packets: Vec::new(), usual: 0, payload: 0, came: 0, deadline: None }
    }

    /// When it wants to be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.deadline
    }

    /// The packets that wait.
    pub fn waiting(&mut self) -> &mut [T] {
        &mut self.packets
    }

    /// A packet has come; `complete` gets the bursts it completes, two at most.
    pub fn handle_packet(&mut self, now: Instant, packet: T, size: Bytes, complete: &mut Vec<Complete<T>>) {
        let (longest, size) = (self.rules.length.map_or(u64::MAX, Bytes::count), size.count());
        if self.payload.saturating_add(size) > longest {
            complete.extend(self.finish(now));
        }
        if self.packets.is_empty() {
            self.deadline = self.rules.timer.map(|timer| now + timer);
            self.packets.reserve(self.usual);
        }
        self.packets.push(packet);
        self.payload += size;
        self.came += u128::from(now.ps());
        if self.payload.saturating_add(size) > longest {
            complete.extend(self.finish(now));
        }
    }

    /// The burst that is complete because its timer has ended.
    pub fn handle_timeout(&mut self, now: Instant) -> Option<Complete<T>> {
        self.deadline.filter(|deadline| *deadline <= now)?;
        self.finish(now)
    }

    fn finish(&mut self, now: Instant) -> Option<Complete<T>> {
        let packets = std::mem::take(&mut self.packets);
        self.usual = packets.len();
        let payload = std::mem::take(&mut self.payload);
        let came = std::mem::take(&mut self.came);
        self.deadline = None;
        let waited = u128::from(now.ps()) * packets.len() as u128 - came;
        let size = Bytes(payload.max(self.rules.minimum.count()));
        (!packets.is_empty()).then_some(Complete { packets, payload: Bytes(payload), size, waited })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: Assembly =
        Assembly { timer: Some(Duration::from_millis(1)), length: Some(Bytes(3000)), minimum: Bytes(0) };

    fn at(us: u64) -> Instant {
        Instant::from_ps(us * 1_000_000)
    }

    /// Bursts as (packets, payload, size, µs waited) from packets (µs, bytes), with the timer served in between.
    fn bursts(rules: Assembly, packets: &[(u64, u64)]) -> Vec<(usize, u64, u64, u64)> {
        let (mut queue, mut complete) = (Queue::new(rules), Vec::new());
        for (number, (us, size)) in packets.iter().enumerate() {
            while let Some(due) = queue.next_timeout().filter(|due| *due <= at(*us)) {
                complete.extend(queue.handle_timeout(due));
            }
            queue.handle_packet(at(*us), number, Bytes(*size), &mut complete);
        }
        if let Some(due) = queue.next_timeout() {
            complete.extend(queue.handle_timeout(due));
        }
        let order: Vec<usize> = complete.iter().flat_map(|burst| burst.packets.clone()).collect();
        assert!(order.iter().enumerate().all(|(place, number)| place == *number), "packets keep their order");
        let row = |burst: &Complete<usize>| {
            (burst.packets.len(), burst.payload.0, burst.size.0, (burst.waited / 1_000_000) as u64)
        };
        complete.iter().map(row).collect()
    }

    #[test]
    fn the_timer_runs_from_the_first_packet() {
        // 1000 µs and 600 µs waited; then a burst of its own.
        assert_eq!(bursts(MIXED, &[(0, 500), (400, 500), (1500, 500)]), [(2, 1000, 1000, 1600), (1, 500, 500, 1000)]);
    }

    #[test]
    fn a_full_burst_does_not_wait_for_the_packet_that_would_not_fit() {
        // Two of 1000 B leave room for a third, which fills it at 20 µs: 20 + 10 µs waited.
        assert_eq!(bursts(MIXED, &[(0, 1000), (10, 1000), (20, 1000)]), [(3, 3000, 3000, 30)]);
        // After two of 1100 B a third would make 3300.
        assert_eq!(bursts(MIXED, &[(0, 1100), (10, 1100)]), [(2, 2200, 2200, 10)]);
    }

    #[test]
    fn a_packet_that_does_not_fit_begins_the_next_burst() {
        assert_eq!(bursts(MIXED, &[(0, 100), (10, 100), (20, 2900)]), [(2, 200, 200, 30), (1, 2900, 2900, 0)]);
        // One that is longer than a burst may be goes alone.
        assert_eq!(bursts(MIXED, &[(0, 4000)]), [(1, 4000, 4000, 0)]);
    }

    #[test]
    fn by_the_timer_alone_bursts_have_any_length_and_by_length_alone_they_wait() {
        let timer = Assembly { length: None, ..MIXED };
        let many: Vec<(u64, u64)> = (0..100).map(|number| (number, 1000)).collect();
        assert_eq!(bursts(timer, &many)[0].0, 100);
        let length = Assembly { timer: None, ..MIXED };
        assert_eq!(bursts(length, &[(0, 1000), (5000, 1000), (9000, 1000)]), [(3, 3000, 3000, 13_000)]);
        assert_eq!(Queue::<u32>::new(length).next_timeout(), None);
    }

    #[test]
    fn a_short_burst_is_padded_to_the_minimum() {
        let rules = Assembly { minimum: Bytes(1250), ..MIXED };
        assert_eq!(bursts(rules, &[(0, 40)]), [(1, 40, 1250, 1000)]);
    }

    proptest::proptest! {
        /// Packets wait only while the queue wants to be called, at the latest a timer after the first of them came;
        /// before that nothing is complete.
        #[test]
        fn what_waits_has_a_time(packets in proptest::collection::vec((0u64..700, 1u64..3500), 1..40)) {
            let (mut queue, mut complete, mut now) = (Queue::new(MIXED), Vec::new(), 0);
            let (mut came, mut left) = (0, 0);
            for (gap, size) in packets {
                now += gap;
                let due = queue.next_timeout();
                let burst = queue.handle_timeout(at(now));
                proptest::prop_assert_eq!(burst.is_some(), due.is_some_and(|due| due <= at(now)));
                left += burst.map_or(0, |burst| burst.packets.len());
                queue.handle_packet(at(now), 0u32, Bytes(size), &mut complete);
                came += 1;
                left += complete.drain(..).map(|burst| burst.packets.len()).sum::<usize>();
                let waits = queue.waiting().len();
                proptest::prop_assert_eq!(came, left + waits);
                let due = queue.next_timeout();
                proptest::prop_assert_eq!(waits > 0, due.is_some_and(|due| due > at(now) && due <= at(now + 1000)));
            }
        }
    }
}
