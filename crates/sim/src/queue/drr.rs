//! Deficit round robin. Source: M. Shreedhar, G. Varghese, "Efficient fair queuing using deficit round-robin", SIGCOMM
//! 1995, figure 2 (enqueuing and dequeuing modules) and §2.
//!
//! The queues of flows take turns. In its turn a queue may send `quantum` bytes more than it has left over from its
//! last one (its deficit counter), and whole packets only; a queue that becomes empty loses what is left. If all queues
//! together exceed the room, the packet is taken from the longest queue in bytes (buffer stealing, §2), or the packet
//! that comes is dropped.
//!
//! With `quantum` at least the largest packet, what a queue may send in a turn is enough for one packet at least, so
//! that the work of a packet is bounded; with less a queue may need several turns for one.

use super::flows::{Flows, Ring};
use super::scheduler::{Dropped, Fifo, Form, Held, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use options::{Kind, Range, options};

options! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Bytes that a queue may send more in each turn (Quantum).
        pub quantum: u32 = 1500, Kind::Bytes;
        /// Queues; flows find theirs by a hash. 0: every flow has its own.
        pub flows: u32 = 0, Kind::Whole(Range::closed(0.0, 65_536.0));
        /// Whether, when there is no room, the newest packet of the longest queue is dropped instead of the one that
        /// comes.
        pub steal: bool = true, Kind::Flag;
    }
}

/// Queues that take turns.
#[derive(Debug)]
pub struct Drr {
    config: Config,
    flows: Flows,
    queues: Vec<Queue>,
    /// Those that have packets (ActiveList).
    active: Ring,
    /// Whether the first of them has had its quantum in this turn.
    is_begun: bool,
    /// Whether nothing is ever dropped. Among queues of one length that loses a packet whose flow came first, so
    /// queues keep their numbers where that may be.
    is_unlimited: bool,
    held: Held,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    fifo: Fifo,
    deficit: u64,
    is_active: bool,
    /// The flow that came last, whose own it is if flows have their own.
    flow: u64,
}

impl Drr {
    /// The number of the queue of a flow of which a packet comes.
    fn queue_of(&mut self, flow: u64) -> usize {
        let number = self.flows.number_of(flow);
        if number >= self.queues.len() {
            self.queues.resize(number + 1, Queue::default());
        }
        self.queues[number].flow = flow;
        number
    }

    fn drop_from_longest(&mut self, dropped: &mut Vec<Dropped>) {
        let longest = self.queues.iter_mut().rev().max_by_key(|queue| queue.fifo.bytes());
        if let Some(item) = longest.and_then(|queue| queue.fifo.pop_newest()) {
            self.held.remove(&item);
            dropped.push(Dropped { item, reason: Reason::Full });
        }
    }

    /// The turn of the first queue is over.
    fn end_turn(&mut self, number: usize) {
        self.active.pop();
        self.is_begun = false;
        let queue = &mut self.queues[number];
        if queue.fifo.is_empty() {
            (queue.deficit, queue.is_active) = (0, false);
            if self.is_unlimited {
                self.flows.give_back(queue.flow);
            }
        } else {
            self.active.push(number);
        }
    }
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        false
    }

    fn serves_by_flow(&self) -> bool {
        true
    }
}

impl Scheduler for Drr {
    type Config = Config;

    fn new(config: &Config, site: Site) -> Drr {
        let flows = Flows::new(config.flows, site.stream);
        let (queues, active) = (Vec::new(), Ring::default());
        let (is_begun, is_unlimited) = (false, false);
        Drr { config: *config, flows, queues, active, is_begun, is_unlimited, held: Held::default() }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        if !self.config.steal && !self.held.admits(room, &item) {
            return dropped.push(Dropped { item, reason: Reason::Full });
        }
        self.is_unlimited = room == Room::Unlimited || self.is_unlimited && room == Room::NotNeeded;
        let number = self.queue_of(item.flow);
        let queue = &mut self.queues[number];
        queue.fifo.push(item);
        self.held.add(&item);
        if !std::mem::replace(&mut queue.is_active, true) {
            self.active.push(number);
        }
        while self.held.exceeds(room) {
            self.drop_from_longest(dropped);
        }
    }

    fn dequeue(&mut self, _: u64, _: &mut Vec<Dropped>) -> Option<Item> {
        while let Some(number) = self.active.first() {
            let queue = &mut self.queues[number];
            if !std::mem::replace(&mut self.is_begun, true) {
                queue.deficit += u64::from(self.config.quantum);
            }
            let next = queue.fifo.first().map(|item| u64::from(item.size));
            let Some(size) = next.filter(|size| *size <= queue.deficit) else {
                self.end_turn(number);
                continue;
            };
            queue.deficit -= size;
            let item = queue.fifo.pop();
            item.iter().for_each(|item| self.held.remove(item));
            if queue.fifo.is_empty() {
                self.end_turn(number);
            }
            return item;
        }
        None
    }

    /// A packet that nothing waits beside has the turn, and behind it there is nobody, with nothing left over.
    fn may_pass(&self) -> bool {
        true
    }

    /// Queues of which the last packet was dropped have had their turns. What is dropped hangs on the order in which
    /// flows came first.
    fn pass(&mut self, _: u16, _: Form, flow: u64, room: Room) {
        while let Some(number) = self.active.first() {
            self.end_turn(number);
        }
        if room != Room::Unlimited {
            self.queue_of(flow);
        }
    }

    fn clear(&mut self) {
        if self.is_unlimited {
            self.queues.iter().filter(|queue| queue.is_active).for_each(|queue| self.flows.give_back(queue.flow));
        }
        self.queues.iter_mut().for_each(|queue| *queue = Queue::default());
        (self.active, self.is_begun, self.held) = (Ring::default(), false, Held::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn filled(config: Config, packets: &[(u64, u16)], room: Room) -> (Drr, Vec<Dropped>) {
        let (mut queue, mut dropped) = (Drr::new(&config, site()), Vec::new());
        for (id, (flow, size)) in (0..).zip(packets) {
            let item = Item { id, size: *size, flow: *flow, ..Item::default() };
            queue.enqueue(0, item, room, &mut dropped);
        }
        (queue, dropped)
    }

    fn order(queue: &mut Drr) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(0, &mut Vec::new())).map(|item| item.id).collect()
    }

    /// The paper's figures 3 and 4: quantum 500; the first queue has 200, 750, 20 and 550 B, of which the first leaves
    /// 300 of deficit, then 800 send 750 and 20.
    #[test]
    fn the_example_of_the_paper() {
        let packets = [(1, 200), (1, 750), (1, 20), (2, 500), (2, 500)];
        let (mut queue, _) = filled(Config { quantum: 500, ..Config::default() }, &packets, Room::Unlimited);
        assert_eq!(queue.dequeue(0, &mut Vec::new()).map(|item| item.id), Some(0));
        assert_eq!(queue.queues[0].deficit, 300);
        assert_eq!(queue.dequeue(0, &mut Vec::new()).map(|item| item.id), Some(3));
        assert_eq!(order(&mut queue), [1, 2, 4]);
        assert_eq!(queue.queues[0].deficit, 0, "what an empty queue had left is lost");
    }

    #[test]
    fn without_room_the_longest_queue_loses_its_newest_packet_or_the_one_that_comes_is_dropped() {
        let packets = [(1, 1500), (1, 1500), (2, 100), (3, 100)];
        let dropped = |steal| filled(Config { steal, ..Config::default() }, &packets, Room::Packets(3)).1;
        assert_eq!([dropped(true)[0].item.id, dropped(false)[0].item.id], [1, 3]);
    }

    /// A queue whose only packet is dropped has no turn any more, also if a packet passes before anybody asks. And who
    /// passes has come first, which decides between two queues of one length.
    #[test]
    fn what_passes_leaves_no_other_trace_than_what_is_put_in_and_taken_out() {
        let room = Room::Packets(2);
        let begin = || {
            let (mut queue, dropped) = filled(Config::default(), &[(1, 100), (2, 100), (3, 1500)], room);
            assert_eq!(dropped[0].item.id, 2);
            assert_eq!([(); 2].map(|()| queue.dequeue(0, &mut Vec::new()).map(|item| item.id)), [Some(0), Some(1)]);
            queue
        };
        let (mut asked, mut passed) = (begin(), begin());
        let item = Item { id: 3, size: 200, flow: 9, ..Item::default() };
        asked.enqueue(0, item, Room::NotNeeded, &mut Vec::new());
        assert_eq!(order(&mut asked), [3]);
        passed.pass(item.size, item.form, item.flow, room);
        let then = |queue: &mut Drr, flows: [u64; 2], room: Room| {
            let mut dropped = Vec::new();
            for (id, flow) in (4..).zip(flows) {
                queue.enqueue(0, Item { id, size: 100, flow, ..Item::default() }, room, &mut dropped);
            }
            (order(queue), dropped.iter().map(|one| one.item.id).collect::<Vec<_>>())
        };
        for queue in [&mut asked, &mut passed] {
            assert_eq!(then(queue, [4, 3], room), (vec![4, 5], vec![]), "3 comes behind 4");
            assert_eq!(then(queue, [5, 9], Room::Packets(1)), (vec![4], vec![5]), "9 was there before 5");
        }
    }

    /// Packets by their number and size.
    type Waiting = VecDeque<(u32, u64)>;

    /// The algorithm as the paper's loop, over queues that are all there at the start.
    fn by_the_book(quantum: u64, packets: &[(u64, u16)]) -> Vec<u32> {
        let mut active: VecDeque<(u64, Waiting, u64)> = VecDeque::new();
        for (id, (flow, size)) in (0..).zip(packets) {
            match active.iter_mut().find(|(known, ..)| known == flow) {
                Some((_, queue, _)) => queue.push_back((id, u64::from(*size))),
                None => active.push_back((*flow, VecDeque::from([(id, u64::from(*size))]), 0)),
            }
        }
        let mut sent = Vec::new();
        while let Some((flow, mut queue, mut deficit)) = active.pop_front() {
            deficit += quantum;
            while let Some((id, size)) = queue.front().copied().filter(|(_, size)| *size <= deficit) {
                deficit -= size;
                sent.push(id);
                queue.pop_front();
            }
            if !queue.is_empty() {
                active.push_back((flow, queue, deficit));
            }
        }
        sent
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn packets_leave_in_the_order_of_the_paper_s_loop(
            quantum in 1u32..3000, packets in prop::collection::vec((0u64..6, 1u16..1501), 1..80),
        ) {
            let (mut queue, _) = filled(Config { quantum, ..Config::default() }, &packets, Room::Unlimited);
            prop_assert_eq!(order(&mut queue), by_the_book(u64::from(quantum), &packets));
        }

        /// Theorem of the paper (§4, lemma 2): over any time in which two queues are never empty their shares differ by
        /// less than a quantum and two packets.
        #[test]
        fn backlogged_flows_have_equal_shares_in_bytes(sizes in prop::collection::vec(1u16..1501, 200)) {
            let packets: Vec<(u64, u16)> = (0u64..).zip(&sizes).map(|(number, size)| (number % 2, *size)).collect();
            let (mut queue, _) = filled(Config::default(), &packets, Room::Unlimited);
            let mut sent = [0i64; 2];
            for _ in 0..60 {
                let item = queue.dequeue(0, &mut Vec::new()).unwrap();
                sent[item.flow as usize] += i64::from(item.size);
                prop_assert!((sent[0] - sent[1]).abs() <= 1500 + 2 * 1500);
            }
        }
    }
}
