//! Controlled delay. Source: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue
//! Management", RFC 8289, §5 (the pseudocode) with the drop rate that a new dropping state begins with as printed
//! there, which is Linux's.
//!
//! A packet's delay is known when it leaves. When the delay has been at or above `target` for an `interval`, the packet
//! at hand is dropped; then one more after `interval`/√1, `interval`/√2, `interval`/√3, … until a packet has waited
//! less than `target` or no more than `mtu` bytes are left.
//!
//! The RFC leaves ECN to implementations: a packet that may be marked is marked where it would be dropped, and leaves
//! (Linux). Left out: a threshold of its own for marks (Linux's `ce_threshold`).

use super::scheduler::{Dropped, Fifo, Figures, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use options::{ConfigError, Kind, options};
use units::Duration;

options! {
    /// The parameters; the RFC's values.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Delay that is good enough as a minimum over an interval (TARGET).
        pub target: Duration = Duration::from_millis(5), Kind::POSITIVE;
        /// How long the delay is above it before the first packet is dropped: about the longest usual round trip
        /// (INTERVAL).
        pub interval: Duration = Duration::from_millis(100), Kind::POSITIVE;
        /// With no more bytes than this left behind it no packet is dropped (maxpacket).
        pub mtu: u32 = 1500, Kind::Bytes;
        /// Whether ECN-capable packets are marked instead of dropped.
        pub ecn: bool = true, Kind::Flag;
    }
}

impl Config {
    /// The target must be below the interval: otherwise no packet that waits as long as it should is ever "above for an
    /// interval".
    pub fn check(target: Duration, interval: Duration) -> Result<(), ConfigError> {
        if target >= interval {
            return Err(ConfigError::new("target", "must be below interval"));
        }
        Ok(())
    }
}

/// A queue with CoDel.
#[derive(Debug)]
pub struct CoDel {
    control: Control,
    fifo: Fifo,
}

/// The drop state of one queue, apart from its packets: every queue of FQ-CoDel has one.
#[derive(Clone, Debug)]
pub struct Control {
    config: Config,
    /// When the delay will have been above the target for an interval; `None` while it is below (first_above_time_).
    first_above: Option<u64>,
    dropping: bool,
    /// When the next packet is dropped, in the dropping state (drop_next_).
    drop_next: u64,
    /// Packets dropped in this state (count_), and what it began with (lastcount_).
    count: u32,
    last_count: u32,
}

/// What left the queue, and whether it may be dropped.
struct Candidate {
    item: Option<Item>,
    may_drop: bool,
}

impl Control {
    /// That of a queue which has been empty.
    pub fn new(config: &Config) -> Control {
        Control { config: *config, first_above: None, dropping: false, drop_next: 0, count: 0, last_count: 0 }
    }

    /// The next packet of `fifo`, or none if it is empty (deque).
    pub fn dequeue(&mut self, now: u64, fifo: &mut Fifo, dropped: &mut Vec<Dropped>) -> Option<Item> {
        let mut candidate = self.candidate(now, fifo);
        if self.dropping {
            self.dropping = candidate.may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                let told = self.tell(&mut candidate, dropped);
                if told == Told::Marked {
                    self.drop_next = self.law(self.drop_next);
                    break;
                }
                candidate = self.candidate(now, fifo);
                self.dropping = candidate.may_drop;
                if self.dropping {
                    self.drop_next = self.law(self.drop_next);
                }
            }
        } else if candidate.may_drop {
            if self.tell(&mut candidate, dropped) == Told::Dropped {
                candidate = self.candidate(now, fifo);
            }
            self.begin(now);
        }
        candidate.item
    }

    /// The dropping state begins; if the last one was recent, with about its drop rate.
    fn begin(&mut self, now: u64) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let is_recent = now.saturating_sub(self.drop_next) < 16 * self.config.interval.ps();
        self.count = if delta > 1 && is_recent { delta } else { 1 };
        self.drop_next = self.law(now);
        self.last_count = self.count;
    }

    /// The sender of the packet is told of congestion: the packet is marked, or dropped.
    fn tell(&self, candidate: &mut Candidate, dropped: &mut Vec<Dropped>) -> Told {
        match candidate.item {
            Some(item) if self.config.ecn && item.ecn.is_capable() => {
                candidate.item = Some(item.marked());
                Told::Marked
            }
            item => {
                dropped.extend(item.map(|item| Dropped { item, reason: Reason::Early }));
                Told::Dropped
            }
        }
    }

    /// control_law: t + INTERVAL/√count, to the nearest picosecond. Square roots are the same on every machine.
    fn law(&self, from: u64) -> u64 {
        from.saturating_add((self.config.interval.ps() as f64 / f64::from(self.count).sqrt()).round() as u64)
    }

    /// dodequeue: takes the first packet and looks at how long it has waited.
    fn candidate(&mut self, now: u64, fifo: &mut Fifo) -> Candidate {
        let item = fifo.pop();
        let is_good = item.is_none_or(|item| {
            item.sojourn(now) < self.config.target.ps() || fifo.bytes() <= u64::from(self.config.mtu)
        });
        let since = match (is_good, self.first_above) {
            (true, _) => None,
            (false, None) => Some(now.saturating_add(self.config.interval.ps())),
            (false, above) => above,
        };
        let may_drop = self.first_above.is_some_and(|above| since.is_some() && now >= above);
        self.first_above = since;
        Candidate { item, may_drop }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Marked,
    Dropped,
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        Config::check(self.target, self.interval)
    }

    fn marks(&self) -> bool {
        self.ecn
    }
}

impl Scheduler for CoDel {
    type Config = Config;

    fn new(config: &Config, _: Site) -> CoDel {
        CoDel { control: Control::new(config), fifo: Fifo::default() }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        if self.fifo.held().admits(room, &item) {
            self.fifo.push(item);
        } else {
            dropped.push(Dropped { item, reason: Reason::Full });
        }
    }

    fn dequeue(&mut self, now: u64, dropped: &mut Vec<Dropped>) -> Option<Item> {
        self.control.dequeue(now, &mut self.fifo, dropped)
    }

    fn clear(&mut self) {
        self.fifo.clear();
    }

    fn figures(&self) -> Figures {
        let Control { dropping, count, drop_next, .. } = self.control;
        let next = if dropping { drop_next as f64 * 1e-12 } else { f64::INFINITY };
        vec![("dropping", f64::from(u8::from(dropping))), ("count", f64::from(count)), ("drop_next_s", next)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{ByHand, Config as Discipline, Ecn};

    const MS: u64 = 1_000_000_000;

    fn queue(config: Config) -> ByHand {
        ByHand::new(&Discipline::CoDel(config), Room::Unlimited, crate::queue::by_hand::tests::site())
    }

    /// A queue in which every packet has waited 50 ms when it leaves, one every millisecond; when packets were dropped
    /// or marked, in milliseconds from the first departure.
    fn told(config: Config, ecn: Ecn, span_ms: u64) -> Vec<u64> {
        let mut queue = queue(config);
        let mut told = Vec::new();
        // Enough packets that every departure finds one that came 50 ms before it; drops take some of them.
        let mut id = 0;
        for ms in 0..span_ms {
            for _ in 0..4 {
                id += 1;
                let item = Item { id, size: 1500, ecn, arrived: ms * MS, ..Item::default() };
                assert!(queue.enqueue(ms * MS, item).is_empty());
            }
            if ms < 50 {
                continue;
            }
            let (item, dropped) = queue.dequeue(ms * MS);
            let marked = item.is_some_and(|item| item.ecn == Ecn::Marked);
            told.extend((0..dropped.len() + usize::from(marked)).map(|_| ms - 50));
        }
        told
    }

    /// RFC 8289 §5.3: the first after an interval, then after interval/√1, /√2, /√3: at 100, 200, 270.7, 328.4, 378.4
    /// ms, which the departures of every millisecond round up.
    #[test]
    fn drops_come_closer_by_the_square_root_of_their_number() {
        assert_eq!(told(Config::default(), Ecn::NotCapable, 440)[..5], [100, 200, 271, 329, 379]);
    }

    #[test]
    fn a_packet_that_may_be_marked_is_marked_when_it_would_be_dropped() {
        assert_eq!(told(Config::default(), Ecn::Classic, 440)[..5], [100, 200, 271, 329, 379]);
        let deaf = Config { ecn: false, ..Config::default() };
        assert_eq!(told(deaf, Ecn::Classic, 440), told(deaf, Ecn::NotCapable, 440));
    }

    #[test]
    fn one_packet_below_the_target_or_a_short_queue_ends_it() {
        let mut queue = queue(Config::default());
        let item = |id, ms: u64| Item { id, size: 1500, arrived: ms * MS, ..Item::default() };
        for id in 0..6 {
            queue.enqueue(0, item(id, 0));
        }
        // Above from 10 ms on; at 110 ms the second may be dropped.
        assert_eq!(queue.dequeue(10 * MS).1.len(), 0);
        assert_eq!(queue.dequeue(110 * MS).1.len(), 1);
        assert_eq!(queue.figures()[0], ("dropping", 1.0));
        // Of six, three are left; with 1500 B or less behind the packet it is good whatever it has waited.
        assert_eq!(queue.dequeue(400 * MS).1.len(), 1);
        assert_eq!(queue.figures()[0], ("dropping", 0.0));
    }

    /// The next dropping state begins with the drops that the last one added, if it was less than 16 intervals ago.
    #[test]
    fn a_dropping_state_soon_after_another_goes_on_where_that_was() {
        let mut control = Control { count: 9, last_count: 4, drop_next: 1000 * MS, ..Control::new(&Config::default()) };
        control.begin(2000 * MS);
        // 9 − 4 = 5; the next drop after 100/√5 = 44.7 ms.
        assert_eq!((control.count, control.last_count, control.drop_next / MS), (5, 5, 2044));
        let mut late = Control { count: 9, last_count: 4, drop_next: 1000 * MS, ..Control::new(&Config::default()) };
        late.begin(2600 * MS);
        assert_eq!(late.count, 1, "16 intervals after the drop that did not come it is forgotten");
    }

    #[test]
    fn a_target_that_is_no_shorter_than_the_interval_is_refused() {
        let wrong = Config { target: Duration::from_millis(100), ..Config::default() }.validate().unwrap_err();
        assert_eq!((wrong.field, wrong.reason.as_ref()), ("target", "must be below interval"));
    }

    /// RFC 8289 §5.3: the third drop of a state that began at 300 ms is 100 ms/√3 behind the second.
    #[test]
    fn figures_say_when_the_next_packet_is_dropped() {
        let mut control = Control { dropping: true, count: 3, ..Control::new(&Config::default()) };
        control.drop_next = control.law(300 * MS);
        let figures = CoDel { control, fifo: Fifo::default() }.figures();
        assert_eq!(figures[..2], [("dropping", 1.0), ("count", 3.0)]);
        assert!((figures[2].1 - (0.3 + 0.1 / 3f64.sqrt())).abs() < 1e-12, "{figures:?}");
    }

    #[test]
    fn a_packet_without_room_is_dropped_and_says_so() {
        let mut queue = CoDel::new(&Config::default(), crate::queue::by_hand::tests::site());
        let (item, mut dropped) = (|id| Item { id, size: 1500, ..Item::default() }, Vec::new());
        (0..3).for_each(|id| queue.enqueue(0, item(id), Room::Bytes(3000), &mut dropped));
        assert_eq!(dropped, [Dropped { item: item(2), reason: Reason::Full }]);
    }
}
