//! ABC's router: P. Goyal, A. Agarwal, R. Netravali, M. Alizadeh, H. Balakrishnan, "ABC: A Simple Explicit Congestion
//! Controller for Wireless Networks", NSDI 2020, §3.1, eqs. (1) and (2), algorithm 1.
//!
//! The target rate is η μ − μ/δ · (x − `target`)⁺, with the capacity μ and the delay x of what waits. Of the packets
//! that leave, the share min(target rate/(2 · rate at which packets leave), 1) says "accelerate", by a bucket of
//! tokens; the others say "brake". A brake is a mark (CE) here, so that one of any hop stays.
//!
//! Readings. The rate at which packets leave is that of the last `interval`, the packet at hand included. It is read as
//! a packet leaves, so that whole packets in that time would be up to one too many: the bytes of each count for the
//! time since the packet before it, of which a part may lie in the interval. The bucket holds `tokens`. The constants
//! but η and δ are recalled. A sender that does not read marks so sees a queue that marks half of its packets.
//!
//! Left out: a queue of its own for senders that are not ABC's (§4.2), and estimates of a capacity that the port does
//! not know (§4.1).

use super::scheduler::{Dropped, Ecn, Fifo, Figures, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use options::{Kind, Range, options};
use std::collections::VecDeque;
use units::{ByteTime, Duration};

options! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// η: the utilisation that is aimed at. §6: 0.98.
        pub eta: f64 = 0.98, Kind::Number(Range::above(0.0, 1.0));
        /// δ: in which time a queue is to go. Stable above two thirds of the round trip (§3.1.2). §6: "133 ms", for
        /// 100.
        pub delta: Duration = Duration::from_millis(133), Kind::POSITIVE;
        /// The delay d_t from which on a queue counts.
        pub target: Duration = Duration::from_millis(20), Kind::SPAN;
        /// Over which time the rate of departures is measured.
        pub interval: Duration = Duration::from_millis(40), Kind::POSITIVE;
        /// The most accelerations that are saved.
        pub tokens: f64 = 10.0, Kind::Number(Range::closed(1.0, 1e6));
    }
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        true
    }
}

/// Bytes whose time is known to far more digits than that of one.
const MEBI: u32 = 1 << 20;

/// A queue of ABC.
#[derive(Debug)]
pub struct Abc {
    config: Config,
    byte_time: ByteTime,
    fifo: Fifo,
    /// Departures of the last interval and the one before them, and their bytes.
    recent: VecDeque<(u64, u16)>,
    bytes: u64,
    token: f64,
}

impl Scheduler for Abc {
    type Config = Config;

    fn new(config: &Config, site: Site) -> Abc {
        let (fifo, recent) = (Fifo::default(), VecDeque::new());
        Abc { config: *config, byte_time: site.byte_time, fifo, recent, bytes: 0, token: 0.0 }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        if self.fifo.held().admits(room, &item) {
            self.fifo.push(item);
        } else {
            dropped.push(Dropped { item, reason: Reason::Full });
        }
    }

    fn dequeue(&mut self, now: u64, _: &mut Vec<Dropped>) -> Option<Item> {
        let item = self.fifo.pop()?;
        self.note(now, item.size);
        let is_asking = item.ecn.is_capable() && item.ecn != Ecn::Marked;
        if is_asking && !self.accelerates() { Some(item.marked()) } else { Some(item) }
    }

    fn clear(&mut self) {
        self.fifo.clear();
    }

    fn set_byte_time(&mut self, byte_time: ByteTime) {
        self.byte_time = byte_time;
    }

    fn figures(&self) -> Figures {
        vec![("accelerated_share", self.share()), ("tokens", self.token)]
    }
}

impl Abc {
    /// A packet leaves.
    fn note(&mut self, now: u64, size: u16) {
        self.recent.push_back((now, size));
        self.bytes += u64::from(size);
        let is_over = |at: u64| at + self.config.interval.ps() <= now;
        while let [Some((_, size)), Some((next, _))] = [self.recent.front(), self.recent.get(1)]
            && is_over(*next)
        {
            self.bytes -= u64::from(*size);
            self.recent.pop_front();
        }
    }

    /// Bytes that left in the interval that ends with the last departure.
    fn left(&self) -> f64 {
        let [Some((before, old)), Some((next, size)), Some((now, _))] =
            [self.recent.front(), self.recent.get(1), self.recent.back()]
        else {
            return self.bytes as f64;
        };
        let Some(outside) = now.checked_sub(before + self.config.interval.ps()) else { return self.bytes as f64 };
        (self.bytes - u64::from(*old)) as f64 - f64::from(*size) * outside as f64 / (next - before) as f64
    }

    /// f of eq. (2).
    fn share(&self) -> f64 {
        let Config { eta, delta, target, interval, .. } = self.config;
        let waiting = self.byte_time.of(u32::try_from(self.fifo.bytes()).unwrap_or(u32::MAX)).ps() as f64;
        // In parts of the capacity.
        let aim = (eta - (waiting - target.ps() as f64).max(0.0) / delta.ps() as f64).max(0.0);
        let leaves = self.left() * self.byte_time.of(MEBI).ps() as f64 / f64::from(MEBI) / interval.ps() as f64;
        if leaves > 0.0 { (aim / (2.0 * leaves)).min(1.0) } else { 1.0 }
    }

    /// Algorithm 1: whether the packet at hand may say so.
    fn accelerates(&mut self) -> bool {
        self.token = (self.token + self.share()).min(self.config.tokens);
        let has_one = self.token > 1.0;
        if has_one {
            self.token -= 1.0;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;

    const MS: u64 = 1_000_000_000;

    /// 10 Mb/s: a packet of 1250 B lasts a millisecond.
    fn queue() -> Abc {
        Abc::new(&Config::default(), site())
    }

    fn item(id: u32) -> Item {
        Item { id, size: 1250, ecn: Ecn::Classic, ..Item::default() }
    }

    /// Departures at the capacity with so many packets waiting: the accelerated share of packets 100 to 1100.
    fn accelerated(waiting: u32) -> usize {
        let mut queue = queue();
        (0..waiting).for_each(|id| queue.enqueue(0, item(id), Room::Unlimited, &mut Vec::new()));
        let left = (0..1100).map(|ms: u32| {
            queue.enqueue(0, item(waiting + ms), Room::Unlimited, &mut Vec::new());
            queue.dequeue(u64::from(ms) * MS, &mut Vec::new()).unwrap()
        });
        left.skip(100).filter(|item| item.ecn == Ecn::Classic).count()
    }

    /// Eqs. (1) and (2) at a full link: 0.98/2 up to 20 packets that wait; with 53 0.98 − 33/133, with 200 nothing.
    #[test]
    fn half_of_the_packets_accelerate_less_what_the_queue_takes() {
        for (waiting, share) in [(0, 0.98), (20, 0.98), (53, 0.98 - 33.0 / 133.0), (200, 0.0)] {
            let (found, expected) = (accelerated(waiting) as f64, 1000.0 * share / 2.0);
            assert!((found - expected).abs() <= 2.0, "{waiting} wait: {found}, not {expected}");
        }
    }

    /// A link that is used for a quarter: 0.98/(2/4) is above one.
    #[test]
    fn all_packets_accelerate_where_less_than_half_is_used() {
        let mut queue = queue();
        for id in 0..200 {
            queue.enqueue(0, item(id), Room::Unlimited, &mut Vec::new());
            let left = queue.dequeue(u64::from(id) * 4 * MS, &mut Vec::new()).unwrap();
            assert_eq!(left.ecn == Ecn::Classic, id > 0, "the first token must be more than one");
        }
    }

    /// Eq. (2) at a link of which a part ρ is used by packets at equal distances, with nothing waiting: 0.98/(2 ρ),
    /// whatever part of the interval of 40 ms a packet's time is; and at a full link with packets of two sizes in turn.
    #[test]
    fn the_rate_of_departures_is_that_of_the_link_used_whatever_a_packet_lasts() {
        for mbps in [1, 2, 3, 5, 7, 10, 100] {
            for used in [1.0, 0.8, 0.7] {
                let byte_time = ByteTime::at(units::Rate::from_mbps(mbps)).unwrap();
                let mut queue = Abc::new(&Config::default(), Site { byte_time, ..site() });
                let gap = (byte_time.of(1500).ps() as f64 / used) as u64;
                for id in 0..(2 * MS * 1000 / gap) {
                    let item = Item { size: 1500, ..item(id as u32) };
                    queue.enqueue(id * gap, item, Room::Unlimited, &mut Vec::new());
                    queue.dequeue(id * gap, &mut Vec::new());
                }
                let (found, expected) = (queue.share(), 0.98 / 2.0 / used);
                assert!((found - expected).abs() < 1e-6, "{mbps} Mb/s, {used} used: {found}, not {expected}");
            }
        }
        let (mut queue, mut now, mut sum) = (queue(), 0, 0.0);
        for id in 0..2000 {
            let size = if id % 2 == 0 { 1500 } else { 300 };
            queue.enqueue(now, Item { size, ..item(id) }, Room::Unlimited, &mut Vec::new());
            queue.dequeue(now, &mut Vec::new());
            now += queue.byte_time.of(size.into()).ps();
            sum += if id < 1000 { 0.0 } else { queue.share() };
        }
        assert!((sum / 1000.0 - 0.49).abs() < 0.01, "{}", sum / 1000.0);
    }

    /// After a pause of a second the rate counts from zero: the first packet's bytes belong to the whole pause.
    #[test]
    fn a_pause_is_no_departure() {
        let mut queue = queue();
        for at in [0, 1, 2, 1002, 1003] {
            queue.enqueue(at * MS, item(0), Room::Unlimited, &mut Vec::new());
            queue.dequeue(at * MS, &mut Vec::new());
        }
        // 39 of the 1000 ms of the pause and one packet: 1.039 of 40 ms.
        let left = queue.left();
        assert!((left - 1250.0 * 1.039).abs() < 1e-6, "{left}");
    }

    #[test]
    fn a_brake_of_another_hop_stays_and_costs_no_token() {
        let mut queue = queue();
        for id in 0..3 {
            queue.enqueue(0, Item { ecn: Ecn::Marked, ..item(id) }, Room::Unlimited, &mut Vec::new());
            assert_eq!(queue.dequeue(u64::from(id) * MS, &mut Vec::new()).unwrap().ecn, Ecn::Marked);
        }
        assert_eq!(queue.token, 0.0);
    }

    /// With a tenth of the capacity what leaves is ten times as much of it, and what waits waits ten times as long.
    #[test]
    fn another_capacity_counts_at_once() {
        let mut queue = queue();
        (0..11).for_each(|id| queue.enqueue(0, item(id), Room::Unlimited, &mut Vec::new()));
        queue.dequeue(0, &mut Vec::new());
        assert_eq!(queue.share(), 1.0);
        queue.set_byte_time(ByteTime::at(units::Rate::from_mbps(1)).unwrap());
        // 100 ms wait: 0.98 − 80/133; 10 ms of 40 are used.
        let expected = (0.98 - 80.0 / 133.0) / (2.0 * 0.25);
        assert!((queue.share() - expected).abs() < 1e-9, "{}", queue.share());
    }
}
