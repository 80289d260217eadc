//! Flow queues with CoDel. Source: T. Høiland-Jørgensen, P. McKenney, D. Täht, J. Gettys, E. Dumazet, "The Flow Queue
//! CoDel Packet Scheduler and Active Queue Management Algorithm", RFC 8290, §4.
//!
//! A packet waits in the queue of its flow. Queues take turns, each for `quantum` bytes; a queue that has just become
//! busy is *new* and comes before the *old* ones, once. Each queue has a CoDel of its own. If all queues together
//! exceed the room, the longest in bytes loses up to half of its packets, and at most `drop_batch`, from its front.
//!
//! Reading: §4.2 says that a queue gets another quantum if its credits are *negative*, so one with exactly 0 sends
//! first; Linux gives the quantum at 0 or below. `zero_credit` chooses. Another: a new queue that is found empty always
//! goes to the end of the old ones (§4.2); Linux forgets it if there are no old ones. Left out: a threshold of its own
//! for marks.

use super::codel::{self, Control};
use super::flows::{Flows, Ring};
use super::scheduler::{Dropped, Fifo, Held, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use options::{ConfigError, Kind, Range, Words, options, words};
use units::Duration;

words! {
    /// What a queue does whose credits are exactly used up.
    pub enum ZeroCredit {
        /// It sends once more: RFC 8290 §4.2, which refills negative credits.
        Sends = "sends",
        /// It is refilled and goes to the end: Linux, ns-3.
        Waits = "waits",
    }
}

options! {
    /// The parameters; the RFC's values.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// CoDel's target.
        pub target: Duration = Duration::from_millis(5), Kind::POSITIVE;
        /// CoDel's interval.
        pub interval: Duration = Duration::from_millis(100), Kind::POSITIVE;
        /// CoDel's largest packet.
        pub mtu: u32 = 1500, Kind::Bytes;
        /// Bytes that a queue sends in its turn.
        pub quantum: u32 = 1514, Kind::Bytes;
        /// Queues; flows find theirs by a hash. 0: every flow has its own.
        pub flows: u32 = 1024, Kind::Whole(Range::closed(0.0, 65_536.0));
        /// Most packets that the longest queue loses at once.
        pub drop_batch: u32 = 64, Kind::Whole(Range::closed(1.0, 65_536.0));
        /// What a queue does whose credits are exactly used up.
        pub zero_credit: ZeroCredit = ZeroCredit::Sends, Kind::Word(&ZeroCredit::LIST);
        /// Whether ECN-capable packets are marked instead of dropped.
        pub ecn: bool = true, Kind::Flag;
    }
}

/// Flow queues.
#[derive(Debug)]
pub struct FqCoDel {
    config: Config,
    flows: Flows,
    queues: Vec<Queue>,
    new: Ring,
    old: Ring,
    held: Held,
}

/// The queue of one flow, or of those with one hash.
#[derive(Clone, Debug)]
struct Queue {
    fifo: Fifo,
    control: Control,
    credits: i64,
    is_listed: bool,
}

impl FqCoDel {
    fn queue_of(&mut self, flow: u64) -> usize {
        let number = self.flows.number_of(flow);
        if number >= self.queues.len() {
            let Config { target, interval, mtu, ecn, .. } = self.config;
            let control = Control::new(&codel::Config { target, interval, mtu, ecn });
            let empty = Queue { fifo: Fifo::default(), control, credits: 0, is_listed: false };
            self.queues.resize(number + 1, empty);
        }
        number
    }

    /// The longest queue in bytes, the first of equals, loses from its front.
    fn drop_from_longest(&mut self, dropped: &mut Vec<Dropped>) {
        let longest = self.queues.iter_mut().rev().max_by_key(|queue| queue.fifo.bytes());
        let Some(queue) = longest else { return };
        let most = (queue.fifo.len() / 2).clamp(1, self.config.drop_batch as usize);
        for item in (0..most).map_while(|_| queue.fifo.pop()) {
            self.held.remove(&item);
            dropped.push(Dropped { item, reason: Reason::Full });
        }
    }

    /// The queue whose turn it is, and whether it is a new one.
    fn select(&mut self) -> Option<(usize, bool)> {
        loop {
            let (number, is_new) = match (self.new.first(), self.old.first()) {
                (Some(number), _) => (number, true),
                (None, Some(number)) => (number, false),
                (None, None) => return None,
            };
            let credits = &mut self.queues[number].credits;
            let is_spent = match self.config.zero_credit {
                ZeroCredit::Sends => *credits < 0,
                ZeroCredit::Waits => *credits <= 0,
            };
            if !is_spent {
                return Some((number, is_new));
            }
            *credits += i64::from(self.config.quantum);
            self.unlist_first(is_new);
            self.old.push(number);
        }
    }

    fn unlist_first(&mut self, is_new: bool) {
        if is_new {
            self.new.pop()
        } else {
            self.old.pop()
        };
    }
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        codel::Config::check(self.target, self.interval)
    }

    fn marks(&self) -> bool {
        self.ecn
    }

    fn serves_by_flow(&self) -> bool {
        true
    }
}

impl Scheduler for FqCoDel {
    type Config = Config;

    fn new(config: &Config, site: Site) -> FqCoDel {
        FqCoDel {
            config: *config,
            flows: Flows::new(config.flows, site.stream),
            queues: Vec::new(),
            new: Ring::default(),
            old: Ring::default(),
            held: Held::default(),
        }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        let number = self.queue_of(item.flow);
        let queue = &mut self.queues[number];
        queue.fifo.push(item);
        self.held.add(&item);
        if !std::mem::replace(&mut queue.is_listed, true) {
            queue.credits = i64::from(self.config.quantum);
            self.new.push(number);
        }
        while self.held.exceeds(room) {
            self.drop_from_longest(dropped);
        }
    }

    fn dequeue(&mut self, now: u64, dropped: &mut Vec<Dropped>) -> Option<Item> {
        while let Some((number, is_new)) = self.select() {
            let queue = &mut self.queues[number];
            let first = dropped.len();
            let item = queue.control.dequeue(now, &mut queue.fifo, dropped);
            dropped[first..].iter().for_each(|gone| self.held.remove(&gone.item));
            if let Some(item) = item {
                queue.credits -= i64::from(item.size);
                self.held.remove(&item);
                return Some(item);
            }
            queue.is_listed = is_new;
            self.unlist_first(is_new);
            if is_new {
                self.old.push(number);
            }
        }
        None
    }

    fn clear(&mut self) {
        self.queues.iter_mut().for_each(|queue| {
            queue.fifo.clear();
            queue.is_listed = false;
        });
        (self.new, self.old, self.held) = (Ring::default(), Ring::default(), Held::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;

    fn fq(config: Config) -> FqCoDel {
        FqCoDel::new(&Config { flows: 0, ..config }, site())
    }

    fn item(id: u32, flow: u64, size: u16) -> Item {
        Item { id, size, flow, ..Item::default() }
    }

    fn order(queue: &mut FqCoDel) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(1, &mut Vec::new())).map(|item| item.id).collect()
    }

    fn filled(config: Config, packets: &[(u64, u16)]) -> FqCoDel {
        let mut queue = fq(config);
        for (id, (flow, size)) in (0..).zip(packets) {
            queue.enqueue(0, item(id, *flow, *size), Room::Unlimited, &mut Vec::new());
        }
        queue
    }

    /// Quantum 1514: a packet of 1500 B leaves 14 credits, enough for one more; the two queues send two, one, one …
    #[test]
    fn a_queue_sends_until_its_credits_are_negative() {
        let mut queue = filled(Config::default(), &[(1, 1500), (1, 1500), (1, 1500), (2, 1500), (2, 1500), (2, 1500)]);
        assert_eq!(order(&mut queue), [0, 1, 3, 4, 2, 5]);
    }

    /// Packets of 757 B use a quantum of 1514 B up exactly: §4.2 lets the queue send a third one, Linux does not.
    #[test]
    fn credits_of_exactly_zero_are_a_reading() {
        let packets: Vec<(u64, u16)> = [1, 1, 1, 1, 2, 2, 2, 2].map(|flow| (flow, 757)).to_vec();
        assert_eq!(order(&mut filled(Config::default(), &packets))[..6], [0, 1, 2, 4, 5, 6]);
        let linux = Config { zero_credit: ZeroCredit::Waits, ..Config::default() };
        assert_eq!(order(&mut filled(linux, &packets))[..6], [0, 1, 4, 5, 2, 3]);
    }

    /// §4.2: a flow that comes while others are busy goes first, once: after its queue was found empty it is an old
    /// one.
    #[test]
    fn a_new_flow_is_before_the_old_ones_once() {
        let mut queue = filled(Config { quantum: 3000, ..Config::default() }, &[(1, 1500); 6]);
        let next = |queue: &mut FqCoDel| queue.dequeue(1, &mut Vec::new()).map(|item| item.id);
        // 3000, 1500, 0, −1500, refilled to 1500: an old queue now, with 0 left.
        assert_eq!([(); 4].map(|()| next(&mut queue)), [0, 1, 2, 3].map(Some));
        queue.enqueue(1, item(10, 2, 100), Room::Unlimited, &mut Vec::new());
        assert_eq!(queue.new.first(), Some(1));
        assert_eq!([next(&mut queue), next(&mut queue)], [Some(10), Some(4)]);
        // Found empty it went to the end of the old ones, and its next packet waits for its turn there.
        queue.enqueue(1, item(11, 2, 100), Room::Unlimited, &mut Vec::new());
        assert_eq!(queue.new.first(), None);
        assert_eq!(order(&mut queue), [11, 5]);
    }

    /// §4.1: of 100 and 4 packets in a room of 103 the longer queue loses half of its packets, at most 64, from its
    /// front.
    #[test]
    fn the_longest_queue_loses_half_of_its_packets_from_the_front() {
        let mut queue = fq(Config::default());
        let mut dropped = Vec::new();
        for id in 0..104 {
            queue.enqueue(0, item(id, u64::from(id < 4), 1500), Room::Packets(103), &mut dropped);
        }
        let ids: Vec<u32> = dropped.iter().map(|one| one.item.id).collect();
        assert_eq!(ids, (4..54).collect::<Vec<u32>>());
        assert_eq!((queue.held.packets, dropped[0].reason), (54, Reason::Full));
    }

    /// Brute force: backlogged flows with packets of any sizes are never further apart in bytes than a quantum and two
    /// packets.
    #[test]
    fn backlogged_flows_have_equal_shares_in_bytes() {
        let mut dice = crate::random::Seed { seed: 5, run: 0 }.stream("test", "sizes");
        let packets: Vec<(u64, u16)> = (0..3000)
            .map(|number| (number % 3, 40 + (dice.next_u64() % 1461) as u16 / (1 + number as u16 % 3)))
            .collect();
        let mut queue = filled(Config::default(), &packets);
        let mut sent = [0i64; 3];
        for _ in 0..1000 {
            let item = queue.dequeue(1, &mut Vec::new()).unwrap();
            sent[item.flow as usize] += i64::from(item.size);
            let apart = sent.iter().max().unwrap() - sent.iter().min().unwrap();
            assert!(apart <= 1514 + 2 * 1500, "{sent:?}");
        }
    }
}
