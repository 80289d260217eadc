//! Random early detection. Source: S. Floyd, V. Jacobson, "Random early detection gateways for congestion avoidance",
//! IEEE/ACM ToN 1(4), 1993, figure 2 (the pseudocode) and §VII; "gentle": S. Floyd, "Recommendation on using the
//! gentle_ variant of RED", 2000; `wait`: ns-2. ECN: RFC 3168 §7, which drops where the averaged queue is beyond what
//! marking is for.
//!
//! The averaged queue is avg ← avg + w (q − avg) at every packet; q is what waits, the packet in transmission not
//! counted, as in ns-2. After an idle time of m small packets it is (1 − w)^m avg. Between the thresholds p = max_p
//! (avg − min)/(max − min), and a packet is marked with p/(1 − count·p).
//!
//! Reading: the pseudocode raises `count` before it is used, so the first packet after a mark is marked with p/(1 − p)
//! and the gaps are 1 … 1/p − 1 packets; the analysis (§VII, method 2) begins with p and has gaps of 1 … 1/p. `count`
//! chooses. Another: ns-2 spares packets that find a short queue, whatever the average (`spare_short_queue`). Left out:
//! what p would be by the size of packets; a forced drop by the full buffer does not set `count` back.

use super::{Arrival, Discipline, Figures, Parameters, Site, Verdict};
use crate::random::{Stream, bernoulli};
use options::{ConfigError, Kind, Range, Words, options, words};
use units::{BufferSize, Bytes};

words! {
    /// From where the packets since the last mark are counted.
    pub enum CountFrom {
        /// The arriving packet is counted: figure 2 of the paper, ns-2, ns-3.
        Pseudocode = "pseudocode",
        /// Only those before it are: the paper's §VII.
        Analysis = "analysis",
    }
}

options! {
    /// The parameters; the paper's values unless it has none.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Averaged queue from which packets are marked or dropped (thresh_ of ns-2, MinTh of ns-3), in packets, bytes,
        /// or a time at the link's capacity.
        pub min_th: BufferSize = BufferSize::Packets(5), Kind::Room;
        /// Averaged queue at which the probability is `max_p` (maxthresh_, MaxTh).
        pub max_th: BufferSize = BufferSize::Packets(15), Kind::Room;
        /// The probability there (1/linterm_, 1/LInterm).
        pub max_p: f64 = 0.02, Kind::Number(Range::above(0.0, 1.0));
        /// Weight of the average (q_weight_, QW).
        pub q_weight: f64 = 0.002, Kind::Number(Range::above(0.0, 1.0));
        /// Whether the probability rises from `max_p` at max_th to 1 at twice max_th, instead of jumping to 1 (gentle_,
        /// Gentle).
        pub gentle: bool = false, Kind::Flag;
        /// Whether marks keep at least 1/p packets apart (wait_, Wait).
        pub wait: bool = false, Kind::Flag;
        /// Size of the packets that would have been sent in an idle time (mean_pktsize_, MeanPktSize).
        pub mean_packet_size: u32 = 500, Kind::Bytes;
        /// From where the packets since the last mark are counted.
        pub count: CountFrom = CountFrom::Pseudocode, Kind::Word(&CountFrom::LIST);
        /// Whether packets are spared that find at most one waiting, and the first after the average has come above
        /// min_th: ns-2 and ns-3 do that, the paper does not.
        pub spare_short_queue: bool = false, Kind::Flag;
        /// Whether ECN-capable packets are marked instead of dropped (setbit_, UseEcn).
        pub ecn: bool = true, Kind::Flag;
        /// Whether they too are dropped where the probability is 1 (UseHardDrop; RFC 3168 §7).
        pub hard_drop: bool = true, Kind::Flag;
    }
}

/// A queue with RED.
#[derive(Debug)]
pub struct Red {
    config: Config,
    /// Thresholds as numbers, in the unit of `config.min_th`.
    min_th: f64,
    max_th: f64,
    /// Picoseconds of a packet of the mean size.
    packet_time: u64,
    average: f64,
    /// Packets since the last mark while the average was above min_th; `None` below.
    count: Option<u32>,
    stream: Stream,
}

fn number(threshold: BufferSize) -> Option<f64> {
    match threshold {
        BufferSize::Packets(packets) => Some(packets as f64),
        BufferSize::Bytes(Bytes(bytes)) => Some(bytes as f64),
        BufferSize::Time(span) => Some(span.ps() as f64),
        BufferSize::Unlimited => None,
    }
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        let (Some(low), Some(high)) = (number(self.min_th), number(self.max_th)) else {
            return wrong("max_th", "must be packets, bytes or a time, and min_th too");
        };
        if std::mem::discriminant(&self.min_th) != std::mem::discriminant(&self.max_th) {
            return wrong("max_th", "must be in the unit of min_th: both packets, both bytes, or both a time");
        }
        if high <= low {
            return wrong("max_th", "must be above min_th");
        }
        Ok(())
    }

    fn marks(&self) -> bool {
        self.ecn
    }
}

impl Discipline for Red {
    type Config = Config;

    fn new(config: &Config, site: Site) -> Red {
        let threshold = |size| number(size).expect("a valid threshold is a number");
        Red {
            config: *config,
            min_th: threshold(config.min_th),
            max_th: threshold(config.max_th),
            packet_time: site.byte_time.of(config.mean_packet_size).ps().max(1),
            average: 0.0,
            count: None,
            stream: site.stream,
        }
    }

    fn handle_arrival(&mut self, arrival: &Arrival) -> Verdict {
        self.update_average(arrival);
        let spares = self.config.spare_short_queue;
        if self.average < self.min_th || (spares && arrival.packets <= 1) {
            self.count = None;
            return Verdict::Accept;
        }
        if spares && self.count.is_none() {
            self.count = Some(1);
            return Verdict::Accept;
        }
        let p = self.probability();
        // The packets since the last mark: with the arriving one, or without it.
        let (since, after) = match self.config.count {
            CountFrom::Pseudocode => {
                self.count.map_or((0, 0), |count| (count.saturating_add(1), count.saturating_add(1)))
            }
            CountFrom::Analysis => self.count.map_or((0, 1), |count| (count, count.saturating_add(1))),
        };
        if p >= 1.0 {
            self.count = Some(0);
            return self.notify(arrival, !self.config.hard_drop);
        }
        if bernoulli(&mut self.stream, spread(p, f64::from(since), self.config.wait)) {
            self.count = Some(0);
            return self.notify(arrival, true);
        }
        self.count = Some(after);
        Verdict::Accept
    }

    fn figures(&self) -> Figures {
        vec![("average", self.average), ("probability", self.probability().clamp(0.0, 1.0))]
    }
}

impl Red {
    fn update_average(&mut self, arrival: &Arrival) {
        let weight = self.config.q_weight;
        match arrival.idle_since {
            None => self.average += weight * (arrival.queue_in(self.config.min_th) as f64 - self.average),
            Some(since) => self.average *= power(1.0 - weight, arrival.now.saturating_sub(since) / self.packet_time),
        }
    }

    /// p_b for an average from min_th on.
    fn probability(&self) -> f64 {
        let Red { config: Config { max_p, gentle, .. }, min_th, max_th, average, .. } = *self;
        if average < max_th {
            max_p * (average - min_th) / (max_th - min_th)
        } else if gentle {
            (max_p + (1.0 - max_p) * (average - max_th) / max_th).min(1.0)
        } else {
            1.0
        }
    }

    /// The packet is the one that tells its sender.
    fn notify(&self, arrival: &Arrival, may_mark: bool) -> Verdict {
        if self.config.ecn && arrival.is_capable && may_mark { Verdict::Mark } else { Verdict::Drop }
    }
}

/// p_a: the gaps between marks are uniform, of up to 1/p packets, or of 1/p to 2/p.
fn spread(p: f64, count: f64, wait: bool) -> f64 {
    let share = count * p;
    let spread = match wait {
        false if share < 1.0 => p / (1.0 - share),
        true if share < 1.0 => 0.0,
        true if share < 2.0 => p / (2.0 - share),
        _ => 1.0,
    };
    spread.min(1.0)
}

/// A power by multiplications alone, which are the same on every machine.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut power = 1.0;
    while exponent > 0 && power > 0.0 {
        if exponent & 1 == 1 {
            power *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;
    use units::{ByteTime, Rate};

    fn red(config: Config) -> Red {
        let stream = Seed { seed: 3, run: 0 }.stream("red", "test");
        Red::new(&config, Site { byte_time: ByteTime::at(Rate::from_mbps(10)).unwrap(), stream })
    }

    fn arrival(packets: u64, is_capable: bool) -> Arrival {
        Arrival { now: 0, size: 500, is_capable, packets, bytes: 500 * packets, idle_since: None }
    }

    /// The gaps between the marks of 20 000 packets that find a constant average with probability p = 0.02.
    fn gaps(config: Config) -> Vec<u32> {
        let mut red = red(Config { q_weight: 1.0, max_p: 0.04, ..config });
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..20_000 {
            gap += 1;
            if red.handle_arrival(&arrival(10, true)) == Verdict::Mark {
                gaps.push(std::mem::take(&mut gap));
            }
        }
        gaps.split_off(1)
    }

    #[test]
    fn gaps_are_uniform_up_to_one_over_p_or_one_packet_less() {
        // §VII: with 1/p = 50 the mean gap is (1 + 50)/2 = 25.5; by the pseudocode gaps are 1 … 49, so 25.
        let mean = |gaps: &[u32]| f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        for (count, longest, expected) in [(CountFrom::Analysis, 50, 25.5), (CountFrom::Pseudocode, 49, 25.0)] {
            let gaps = gaps(Config { count, ..Config::default() });
            assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&1), Some(&longest)), "{count:?}");
            // The standard deviation of a uniform gap is 50/√12 = 14.4; four standard errors of the mean.
            let error = 14.4 / (gaps.len() as f64).sqrt();
            assert!((mean(&gaps) - expected).abs() < 4.0 * error, "{count:?}: {}", mean(&gaps));
        }
    }

    #[test]
    fn with_wait_marks_are_at_least_one_over_p_apart() {
        let gaps = gaps(Config { wait: true, ..Config::default() });
        assert!(gaps.iter().all(|gap| (50..=100).contains(gap)), "{gaps:?}");
    }

    #[test]
    fn the_probability_is_that_of_the_thresholds_and_gentle_goes_on_to_twice_max_th() {
        let at = |average, gentle| Red { average, ..red(Config { gentle, ..Config::default() }) }.probability();
        assert_eq!([at(5.0, false), at(10.0, false), at(15.0, false)], [0.0, 0.01, 1.0]);
        assert_eq!([at(15.0, true), at(22.5, true), at(30.0, true), at(40.0, true)], [0.02, 0.51, 1.0, 1.0]);
    }

    #[test]
    fn the_average_is_the_paper_s_after_a_burst_and_after_an_idle_time() {
        // §IV-A: after L packets that each add one to an empty queue, avg = L + 1 + ((1 − w)^(L+1) − 1)/w.
        let mut red = red(Config::default());
        for packets in 1..=35 {
            red.handle_arrival(&arrival(packets, true));
        }
        let (l, w) = (35.0, 0.002f64);
        let expected = l + 1.0 + ((1.0 - w).powi(36) - 1.0) / w;
        assert!((red.average - expected).abs() < 1e-9, "{} {expected}", red.average);
        // 500 B at 10 Mb/s last 400 us: after 4 ms, ten packets.
        let before = red.average;
        let idle = Arrival { now: 5_000_000_000, idle_since: Some(1_000_000_000), ..arrival(0, true) };
        red.handle_arrival(&idle);
        assert!((red.average - before * (1.0 - w).powi(10)).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_capable_is_dropped_and_beyond_the_thresholds_all_is() {
        let forced =
            |config, is_capable| red(Config { q_weight: 1.0, ..config }).handle_arrival(&arrival(40, is_capable));
        let soft = Config { hard_drop: false, ..Config::default() };
        assert_eq!([true, false].map(|capable| forced(Config::default(), capable)), [Verdict::Drop; 2]);
        assert_eq!([true, false].map(|capable| forced(soft, capable)), [Verdict::Mark, Verdict::Drop]);
        assert_eq!(forced(Config { ecn: false, ..soft }, true), Verdict::Drop);
    }

    #[test]
    fn a_short_queue_is_spared_where_that_is_asked_for() {
        let config = Config { q_weight: 1.0, max_p: 1.0, max_th: BufferSize::Packets(6), ..Config::default() };
        let verdicts = |spare_short_queue| {
            let mut red = Red { average: 100.0, ..red(Config { spare_short_queue, q_weight: 1e-9, ..config }) };
            [1, 2, 2].map(|packets| red.handle_arrival(&arrival(packets, false)))
        };
        assert_eq!(verdicts(false), [Verdict::Drop; 3]);
        assert_eq!(verdicts(true), [Verdict::Accept, Verdict::Accept, Verdict::Drop]);
    }

    #[test]
    fn thresholds_in_the_wrong_order_or_of_two_units_are_refused() {
        let field = |min_th, max_th| Config { min_th, max_th, ..Config::default() }.validate().unwrap_err();
        let wrong = field(BufferSize::Packets(15), BufferSize::Packets(5));
        assert_eq!((wrong.field, wrong.reason.as_ref()), ("max_th", "must be above min_th"));
        assert!(field(BufferSize::Packets(5), BufferSize::Bytes(Bytes(9000))).reason.contains("unit"));
        assert_eq!(field(BufferSize::Unlimited, BufferSize::Packets(5)).field, "max_th");
    }

    /// Figures at an average of 10: 0.02 (10 − 5)/(15 − 5) = 0.01; below min_th the line would be negative.
    #[test]
    fn figures_are_the_average_and_a_probability() {
        let at = |average| Red { average, ..red(Config::default()) }.figures();
        assert_eq!(at(10.0), [("average", 10.0), ("probability", 0.01)]);
        assert_eq!([at(2.0)[1].1, at(99.0)[1].1], [0.0, 1.0]);
    }

    /// §VII with p = 1/64: 1/(64 − count), certain at 63 packets; with wait nothing before 64, certain at 127.
    #[test]
    fn marks_are_spread_over_one_over_p_packets_or_over_the_next_as_many() {
        let p = 1.0 / 64.0;
        let spread = |count, wait| spread(p, count, wait);
        assert_eq!([spread(0.0, false), spread(32.0, false), spread(63.0, false)], [p, 2.0 * p, 1.0]);
        assert_eq!([spread(64.0, false), spread(200.0, false)], [1.0; 2]);
        assert_eq!([spread(0.0, true), spread(63.0, true), spread(64.0, true)], [0.0, 0.0, p]);
        assert_eq!([spread(96.0, true), spread(127.0, true), spread(128.0, true)], [2.0 * p, 1.0, 1.0]);
        assert_eq!([power(0.5, 0), power(0.5, 1), power(0.5, 5), power(0.5, 6)], [1.0, 0.5, 1.0 / 32.0, 1.0 / 64.0]);
    }

    #[test]
    fn equal_thresholds_are_refused_in_every_unit() {
        let refused = |min_th, max_th| Config { min_th, max_th, ..Config::default() }.validate().is_err();
        let (bytes, time) = (|b| BufferSize::Bytes(Bytes(b)), |ps| BufferSize::Time(units::Duration::from_ps(ps)));
        for (low, high) in [(BufferSize::Packets(4), BufferSize::Packets(5)), (bytes(4), bytes(5)), (time(4), time(5))]
        {
            assert_eq!([refused(low, low), refused(high, low), refused(low, high)], [true, true, false]);
        }
    }
}
