//! Dual queue with a coupled PI² controller. Source: K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active
//! Queue Management (AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, §2.1 (the coupling),
//! appendix A.1 (DualPI2) and A.2 (overload).
//!
//! Packets with ECT(1) or CE wait in the L queue, all others in the C queue. Every `t_update` the base probability p′
//! moves by α (delay − `target`) + β (delay − delay before) of the C queue. What leaves the C queue is dropped or
//! marked with p_C = p′². What leaves the L queue is marked with the greater of p_CL = k·p′ and the L queue's own
//! probability, a ramp that begins at `l_threshold` and is 1 `l_range` later; with `l_range = "0 s"` it is a step.
//! While both queues have packets the C queue gets `classic_share` of the bytes, the L queue the rest.
//!
//! In overload, p_CL ≥ 1, packets of the L queue are dropped with p_C too and marked with p_CL, and ECN does not save
//! packets of the C queue (A.2). Readings: chances are taken by accumulation ("recur" of figure 5: one in every 1/p
//! packets) or at random (`chance`; Linux); the delay is that of the first packet of the C queue (figure 6), or the
//! greater of both (`delay_of`; Linux). Linux has a period of 16 ms, β = 3.2, a step at 1 ms and a share of 10 %. Left
//! out: a limit of its own for each queue.

use super::scheduler::{Dropped, Ecn, Fifo, Figures, Held, Item, Reason, Room, Scheduler};
use super::updates::Updates;
use super::{Parameters, Site};
use crate::random::{Stream, bernoulli};
use options::{Kind, Range, Words, options, words};
use units::Duration;

words! {
    /// How a packet is chosen with a probability.
    pub enum Chance {
        /// Probabilities are summed, and one packet is chosen for each whole: RFC 9332, figure 5.
        Accumulated = "accumulated",
        /// Each packet by itself: Linux.
        Random = "random",
    }
}

words! {
    /// Whose delay the controller sees.
    pub enum DelayOf {
        /// That of the C queue: RFC 9332, figure 6.
        Classic = "classic",
        /// The greater of both: Linux.
        Both = "both",
    }
}

options! {
    /// The parameters; the RFC's values for round trips of up to 100 ms.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Delay of the C queue that is aimed at (target).
        pub target: Duration = Duration::from_millis(15), Kind::POSITIVE;
        /// How often the probability is computed (Tupdate: the lesser of target and RTT_max/3).
        pub t_update: Duration = Duration::from_millis(15), Kind::POSITIVE;
        /// Gain for the distance from the target, per second (alpha: 0.1 Tupdate/RTT_max²).
        pub alpha: f64 = 0.15, Kind::Number(Range::closed(0.0, 100.0));
        /// Gain for the change of the delay, per second (beta: 0.3/RTT_max).
        pub beta: f64 = 3.0, Kind::Number(Range::closed(0.0, 100.0));
        /// The coupling factor: p_CL = k·p′ beside p_C = p′².
        pub k: f64 = 2.0, Kind::Number(Range::closed(0.5, 16.0));
        /// Delay of the L queue from which its own marks begin (minTh).
        pub l_threshold: Duration = Duration::from_micros(800), Kind::SPAN;
        /// How much more delay it takes until all its packets are marked (range). 0: a step.
        pub l_range: Duration = Duration::from_micros(400), Kind::SPAN;
        /// Packets that must be left in the L queue for its own marks (Th_len).
        pub l_packets: u32 = 1, Kind::Whole(Range::closed(0.0, 1_000_000.0));
        /// Share of the C queue while both have packets; 0: the L queue always goes first.
        pub classic_share: f64 = 0.0625, Kind::Number(Range::closed(0.0, 1.0));
        /// How a packet is chosen with a probability.
        pub chance: Chance = Chance::Accumulated, Kind::Word(&Chance::LIST);
        /// Whose delay the controller sees.
        pub delay_of: DelayOf = DelayOf::Classic, Kind::Word(&DelayOf::LIST);
        /// Whether ECN-capable packets of the C queue are marked instead of dropped.
        pub ecn: bool = true, Kind::Flag;
    }
}

/// Two queues under one controller.
#[derive(Debug)]
pub struct DualPi2 {
    config: Config,
    classic: Fifo,
    low: Fifo,
    stream: Stream,
    updates: Updates,
    /// p′.
    base: f64,
    /// The delay at the last update, in picoseconds.
    delay_before: u64,
    /// What the accumulated chances have left over.
    left_over: LeftOver,
    /// By how many bytes, weighted, the L queue is ahead of its share.
    lead: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct LeftOver {
    low: f64,
    classic: f64,
}

/// The two probabilities of a base probability: p_C = p′² and p_CL = k·p′, RFC 9332 §2.1.
fn coupled(base: f64, k: f64) -> (f64, f64) {
    (base * base, k * base)
}

impl DualPi2 {
    /// Makes up for the updates that were due before `now`; nothing has come or gone since.
    fn catch_up(&mut self, now: u64) {
        while let Some(due) = self.updates.take(now) {
            let before = (self.base, self.delay_before);
            self.update(due);
            // At 1 it stays while packets wait, and at 0 while none do.
            if before.0 == self.base && (self.base == 1.0 || before.1 == self.delay_before) {
                let last = self.updates.skip(now);
                self.delay_before = last.map_or(self.delay_before, |last| self.delay(last));
            }
        }
    }

    /// dualpi2_update, figure 6.
    fn update(&mut self, now: u64) {
        let delay = self.delay(now);
        let distance = seconds(delay) - seconds(self.config.target.ps());
        let change = seconds(delay) - seconds(self.delay_before);
        self.base = (self.base + self.config.alpha * distance + self.config.beta * change).clamp(0.0, 1.0);
        self.delay_before = delay;
    }

    /// What the controller sees.
    fn delay(&self, now: u64) -> u64 {
        let delay_of = |fifo: &Fifo| fifo.first().map_or(0, |item| item.sojourn(now));
        match self.config.delay_of {
            DelayOf::Classic => delay_of(&self.classic),
            DelayOf::Both => delay_of(&self.classic).max(delay_of(&self.low)),
        }
    }

    /// Whether the L queue is next.
    fn is_low_next(&self) -> bool {
        match (self.low.is_empty(), self.classic.is_empty()) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => self.config.classic_share == 0.0 || self.lead <= 0.0,
        }
    }

    /// Weighted round robin in bytes while both queues have packets; a queue that was empty has no claims left.
    fn note_turn(&mut self, size: f64, was_low: bool) {
        if self.low.is_empty() || self.classic.is_empty() {
            self.lead = 0.0;
            return;
        }
        let share = self.config.classic_share;
        self.lead += if was_low { size * share } else { -size * (1.0 - share) };
    }

    /// A packet leaves the L queue: what becomes of it.
    fn judge_low(&mut self, now: u64, item: Item) -> Fate {
        let (classic, coupled) = coupled(self.base, self.config.k);
        let is_overloaded = coupled >= 1.0;
        if is_overloaded && self.takes(classic, Which::Low) {
            return Fate::Drop;
        }
        let own = if is_overloaded { 0.0 } else { self.own_probability(item.sojourn(now)) };
        if self.takes(own.max(coupled).min(1.0), Which::Low) { Fate::Mark } else { Fate::Leave }
    }

    /// A packet leaves the C queue: what becomes of it.
    fn judge_classic(&mut self, item: Item) -> Fate {
        let (classic, coupled) = coupled(self.base, self.config.k);
        if !self.takes(classic, Which::Classic) {
            return Fate::Leave;
        }
        let may_mark = self.config.ecn && item.ecn.is_capable() && coupled < 1.0;
        if may_mark { Fate::Mark } else { Fate::Drop }
    }

    /// laqm: the L queue's own probability after a delay.
    fn own_probability(&self, delay: u64) -> f64 {
        let (from, range) = (self.config.l_threshold.ps(), self.config.l_range.ps());
        if self.low.len() < self.config.l_packets as usize || delay < from {
            return 0.0;
        }
        if range == 0 { 1.0 } else { ((delay - from) as f64 / range as f64).min(1.0) }
    }

    /// recur, figure 5, or a draw.
    fn takes(&mut self, probability: f64, which: Which) -> bool {
        if self.config.chance == Chance::Random {
            return bernoulli(&mut self.stream, probability);
        }
        let left = match which {
            Which::Low => &mut self.left_over.low,
            Which::Classic => &mut self.left_over.classic,
        };
        *left += probability;
        let takes = *left > 1.0;
        *left -= f64::from(u8::from(takes));
        takes
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Low,
    Classic,
}

/// What becomes of a packet that leaves its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Leave,
    Mark,
    Drop,
}

fn seconds(ps: u64) -> f64 {
    ps as f64 * 1e-12
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        true
    }
}

impl Scheduler for DualPi2 {
    type Config = Config;

    fn new(config: &Config, site: Site) -> DualPi2 {
        DualPi2 {
            config: *config,
            classic: Fifo::default(),
            low: Fifo::default(),
            stream: site.stream,
            updates: Updates::every(config.t_update.ps()),
            base: 0.0,
            delay_before: 0,
            left_over: LeftOver::default(),
            lead: 0.0,
        }
    }

    fn enqueue(&mut self, now: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        self.catch_up(now);
        let (classic, low) = (self.classic.held(), self.low.held());
        let held = Held { packets: classic.packets + low.packets, bytes: classic.bytes + low.bytes };
        if !held.admits(room, &item) {
            return dropped.push(Dropped { item, reason: Reason::Full });
        }
        match item.ecn {
            Ecn::Scalable | Ecn::Marked => self.low.push(item),
            Ecn::Classic | Ecn::NotCapable => self.classic.push(item),
        }
    }

    fn dequeue(&mut self, now: u64, dropped: &mut Vec<Dropped>) -> Option<Item> {
        self.catch_up(now);
        loop {
            let is_low = self.is_low_next();
            let item = if is_low { self.low.pop() } else { self.classic.pop() }?;
            self.note_turn(f64::from(item.size), is_low);
            match if is_low { self.judge_low(now, item) } else { self.judge_classic(item) } {
                Fate::Leave => return Some(item),
                Fate::Mark => return Some(item.marked()),
                Fate::Drop => dropped.push(Dropped { item, reason: Reason::Early }),
            }
        }
    }

    fn clear(&mut self) {
        self.classic.clear();
        self.low.clear();
        self.lead = 0.0;
    }

    fn figures(&self) -> Figures {
        let (classic, coupled) = coupled(self.base, self.config.k);
        vec![("p_base", self.base), ("p_classic", classic), ("p_coupled", coupled.min(1.0))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;

    const MS: u64 = 1_000_000_000;

    fn dual(config: Config) -> DualPi2 {
        DualPi2::new(&config, site())
    }

    fn item(id: u32, ecn: Ecn, now: u64) -> Item {
        Item { id, size: 1500, ecn, arrived: now, ..Item::default() }
    }

    /// RFC 9332, figure 5: `if (lqdelay >= minTh)` where the ramp has no width.
    #[test]
    fn a_delay_exactly_at_a_step_is_marked() {
        let step = dual(Config {
            l_threshold: Duration::from_millis(1),
            l_range: Duration::ZERO,
            l_packets: 0,
            ..Config::default()
        });
        assert_eq!([MS - 1, MS, MS + 1].map(|delay| step.own_probability(delay)), [0.0, 1.0, 1.0]);
    }

    /// RFC 9332 §2.1, equation (1): p_C = (p_CL/k)².
    #[test]
    fn the_two_probabilities_are_coupled_by_a_square() {
        for base in [0.0, 0.01, 0.1, 0.4] {
            let (classic, coupled) = coupled(base, 2.0);
            assert!((classic - (coupled / 2.0).powi(2)).abs() < 1e-15 && coupled == 2.0 * base);
        }
    }

    /// 0.1·15 ms/(100 ms)² = 0.15 and 0.3/100 ms = 3 a second: 25 ms after 15 ms add 0.15·0.010 + 3·0.010 = 0.0315.
    #[test]
    fn the_base_probability_moves_by_alpha_and_beta() {
        let mut dual = DualPi2 { base: 0.1, delay_before: 15 * MS, ..dual(Config::default()) };
        dual.classic.push(item(0, Ecn::NotCapable, 0));
        dual.update(25 * MS);
        assert!((dual.base - 0.1315).abs() < 1e-12, "{}", dual.base);
    }

    /// Over `packets` packets that leave with a base probability: the shares that were marked and dropped.
    fn shares(config: Config, base: f64, ecn: Ecn, packets: u32) -> (f64, f64) {
        let mut dual = DualPi2 { base, ..dual(config) };
        let (mut marked, mut dropped) = (0u32, Vec::new());
        for id in 0..packets {
            dual.enqueue(0, item(id, ecn, 0), Room::Unlimited, &mut dropped);
            let left = dual.dequeue(0, &mut dropped);
            marked += u32::from(left.is_some_and(|left| left.ecn == Ecn::Marked));
        }
        let share = |count: u32| f64::from(count) / f64::from(packets);
        (share(marked), share(dropped.len() as u32))
    }

    #[test]
    fn classic_packets_are_told_with_the_square_and_scalable_ones_with_k_times_the_base() {
        let accumulated = Config::default();
        // Sums of 0.01 and 0.2 over 10 000 packets are whole to one packet.
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 2e-4 && (b - d).abs() < 2e-4;
        assert!(close(shares(accumulated, 0.1, Ecn::NotCapable, 10_000), (0.0, 0.01)));
        assert!(close(shares(accumulated, 0.1, Ecn::Classic, 10_000), (0.01, 0.0)));
        assert!(close(shares(accumulated, 0.1, Ecn::Scalable, 10_000), (0.2, 0.0)));
        // At random: within four standard deviations of 0.01 and 0.2 over 10 000.
        let random = Config { chance: Chance::Random, ..accumulated };
        assert!((shares(random, 0.1, Ecn::NotCapable, 10_000).1 - 0.01).abs() < 0.004);
        assert!((shares(random, 0.1, Ecn::Scalable, 10_000).0 - 0.2).abs() < 0.016);
    }

    /// Appendix A.2: with p′ = 0.6, p_CL = 1.2 ≥ 1: all of the L queue that is not dropped with 0.36 is marked, and ECN
    /// saves nobody.
    #[test]
    fn in_overload_all_are_dropped_alike() {
        let (marked, dropped) = shares(Config::default(), 0.6, Ecn::Scalable, 10_000);
        assert!((dropped - 0.36).abs() < 2e-3 && (marked - 0.64).abs() < 2e-3, "{marked} {dropped}");
        let (marked, dropped) = shares(Config::default(), 0.6, Ecn::Classic, 10_000);
        assert!(marked == 0.0 && (dropped - 0.36).abs() < 2e-4);
    }

    /// The ramp: 0 up to 800 us, 1 from 1200 us on, and nothing while a single packet is there; with no range, a step.
    #[test]
    fn the_l_queue_has_a_ramp_or_a_step_of_its_own() {
        let own = |config, packets, delay_us: u64| {
            let mut dual = dual(config);
            (0..packets).for_each(|id| dual.low.push(item(id, Ecn::Scalable, 0)));
            dual.own_probability(delay_us * 1_000_000)
        };
        let ramp = [700, 800, 900, 1000, 1200, 5000].map(|delay| own(Config::default(), 1, delay));
        assert_eq!(ramp, [0.0, 0.0, 0.25, 0.5, 1.0, 1.0]);
        assert_eq!(own(Config::default(), 0, 5000), 0.0, "no packet is left behind it");
        let step = Config { l_threshold: Duration::from_millis(1), l_range: Duration::ZERO, ..Config::default() };
        assert_eq!([999, 1000].map(|delay| own(step, 1, delay)), [0.0, 1.0]);
    }

    /// 1/16 of the bytes are the C queue's while both have packets; ECT(1) and CE are in the L queue, ECT(0) and
    /// Not-ECT in the other.
    #[test]
    fn the_classic_queue_has_its_share() {
        let order = |classic_share| {
            let mut dual = dual(Config { classic_share, ..Config::default() });
            for id in 0..200 {
                let ecn = [Ecn::Scalable, Ecn::Classic, Ecn::Marked, Ecn::NotCapable][id as usize % 4];
                dual.enqueue(0, item(id, ecn, 0), Room::Unlimited, &mut Vec::new());
            }
            let mut next = || dual.dequeue(0, &mut Vec::new()).map(|item| item.id % 2);
            (0..96).filter_map(|_| next()).filter(|kind| *kind == 1).count()
        };
        assert_eq!([order(1.0 / 16.0), order(0.0), order(0.5)], [6, 0, 48]);
    }

    /// p′ is 1 soon if a packet is stuck, and updates of a day are made up for at once.
    #[test]
    fn long_silence_costs_nothing() {
        let mut dual = dual(Config::default());
        dual.enqueue(0, item(0, Ecn::NotCapable, 0), Room::Unlimited, &mut Vec::new());
        dual.catch_up(86_400_000 * MS);
        assert_eq!(dual.base, 1.0);
        assert!(86_400_000 * MS - dual.delay_before <= 15 * MS);
    }

    #[test]
    fn figures_are_the_base_its_square_and_its_multiple() {
        let at = |base| DualPi2 { base, ..dual(Config::default()) }.figures();
        assert_eq!(at(0.25), [("p_base", 0.25), ("p_classic", 0.0625), ("p_coupled", 0.5)]);
        assert_eq!(at(0.75)[2].1, 1.0);
    }

    /// The C queue's first packet has waited 10 ms, the L queue's 30 ms.
    #[test]
    fn the_controller_sees_the_classic_delay_or_the_greater_one() {
        let delay = |delay_of| {
            let mut dual = dual(Config { delay_of, ..Config::default() });
            dual.classic.push(item(0, Ecn::Classic, 40 * MS));
            dual.low.push(item(1, Ecn::Scalable, 20 * MS));
            dual.delay(50 * MS) / MS
        };
        assert_eq!([delay(DelayOf::Classic), delay(DelayOf::Both)], [10, 30]);
    }

    #[test]
    fn the_room_is_for_both_queues_together() {
        for room in [Room::Packets(2), Room::Bytes(3000)] {
            let (mut dual, mut dropped) = (dual(Config::default()), Vec::new());
            for (id, ecn) in [(0, Ecn::Scalable), (1, Ecn::Classic), (2, Ecn::Scalable), (3, Ecn::Classic)] {
                dual.enqueue(0, item(id, ecn, 0), room, &mut dropped);
            }
            assert_eq!(
                dropped.iter().map(|one| (one.item.id, one.reason)).collect::<Vec<_>>(),
                [(2, Reason::Full), (3, Reason::Full)]
            );
        }
    }

    /// p′ = 0.75 is overload with k = 2 (p_CL = 1.5) and none with k = 1; ECN may be off.
    #[test]
    fn a_mark_spares_classic_packets_below_overload_only() {
        let fate = |k, ecn, of| {
            let mut dual = DualPi2 { base: 0.75, ..dual(Config { k, ecn, ..Config::default() }) };
            dual.left_over.classic = 1.0;
            dual.judge_classic(item(0, of, 0))
        };
        assert_eq!(fate(1.0, true, Ecn::Classic), Fate::Mark);
        assert_eq!([fate(1.0, false, Ecn::Classic), fate(1.0, true, Ecn::NotCapable)], [Fate::Drop; 2]);
        assert_eq!([fate(2.0, true, Ecn::Classic), fate(4.0 / 3.0, true, Ecn::Classic)], [Fate::Drop; 2]);
    }

    /// Bytes in proportion to the shares: 1500 of the L queue weigh 1/16 of that, one of the C queue 15/16.
    #[test]
    fn the_lead_is_weighted_bytes_while_both_wait() {
        let mut dual = dual(Config::default());
        dual.low.push(item(0, Ecn::Scalable, 0));
        dual.note_turn(1500.0, true);
        assert_eq!(dual.lead, 0.0, "the C queue has nothing");
        dual.classic.push(item(1, Ecn::Classic, 0));
        dual.note_turn(1500.0, true);
        assert_eq!(dual.lead, 93.75);
        dual.note_turn(1500.0, false);
        assert_eq!(dual.lead, 93.75 - 1406.25);
        dual.low.pop();
        dual.note_turn(1500.0, true);
        assert_eq!(dual.lead, 0.0);
    }
}
