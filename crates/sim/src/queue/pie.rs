//! Proportional integral controller enhanced. Source: R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral
//! Controller Enhanced (PIE)", RFC 8033, §4 (the basic scheme), §5.1 (ECN), §5.2 (departure rate), §5.4
//! (derandomization), §5.5 (cap), appendix A.
//!
//! A packet that comes is dropped with a probability that every `t_update` moves by α (delay − `target`) + β (delay −
//! delay before), scaled down while the probability is small (§4.2, table); it falls by 2 % while there has been no
//! delay twice in a row. Nothing is dropped for `max_burst` after a quiet time, nor while the delay is below half the
//! target and the probability below 0.2, nor with at most two packets waiting. Drops are spread out: none before the
//! probabilities since the last one sum to 0.85, one at 8.5.
//!
//! The delay is what waits, divided by the rate of departures, measured over 2^14 bytes (§5.2); or what the last packet
//! that left has waited (`delay = "timestamps"`, appendix B; Linux, ns-3). Left out: turning PIE off while the buffer
//! is less than a third full (§5.3), and scaling by the size of packets.

use super::scheduler::{Dropped, Fifo, Figures, Item, Reason, Room, Scheduler};
use super::updates::Updates;
use super::{Parameters, Site};
use crate::random::Stream;
use options::{Kind, Range, Words, options, words};
use units::Duration;

words! {
    /// How the delay of the queue is found.
    pub enum Estimate {
        /// From the rate of departures: RFC 8033 §5.2.
        Rate = "rate",
        /// From the packet that left last.
        Timestamps = "timestamps",
    }
}

options! {
    /// The parameters; the RFC's values.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Delay that is aimed at (QDELAY_REF).
        pub target: Duration = Duration::from_millis(15), Kind::POSITIVE;
        /// How often the probability is computed (T_UPDATE).
        pub t_update: Duration = Duration::from_millis(15), Kind::POSITIVE;
        /// Gain for the distance from the target, per second (alpha).
        pub alpha: f64 = 0.125, Kind::Number(Range::closed(0.0, 100.0));
        /// Gain for the change of the delay, per second (beta).
        pub beta: f64 = 1.25, Kind::Number(Range::closed(0.0, 100.0));
        /// How long nothing is dropped after a quiet time (MAX_BURST).
        pub max_burst: Duration = Duration::from_millis(150), Kind::SPAN;
        /// Size of the packets of which two may always wait (MEAN_PKTSIZE).
        pub mean_packet_size: u32 = 1500, Kind::Bytes;
        /// How the delay is found.
        pub delay: Estimate = Estimate::Rate, Kind::Word(&Estimate::LIST);
        /// Whether ECN-capable packets are marked instead of dropped.
        pub ecn: bool = true, Kind::Flag;
        /// From this probability on they too are dropped (mark_ecnth).
        pub mark_up_to: f64 = 0.1, Kind::Number(Range::closed(0.0, 1.0));
    }
}

/// Bytes over which the rate of departures is measured (DQ_THRESHOLD = 2^14), and the weight of a measurement.
const MEASURED: u64 = 1 << 14;
const WEIGHT: f64 = MEASURED as f64 / 65_536.0;

/// A queue with PIE.
#[derive(Debug)]
pub struct Pie {
    config: Config,
    fifo: Fifo,
    stream: Stream,
    probability: f64,
    /// Probabilities summed since the last drop (accu_prob_).
    accumulated: f64,
    /// Picoseconds without drops that are left.
    burst_allowance: u64,
    /// How long the packet that left last had waited, in picoseconds.
    delay: u64,
    /// The delay at the last update.
    delay_before: u64,
    updates: Updates,
    measurement: Option<Measurement>,
    /// Picoseconds that `MEASURED` bytes take to leave (avg_dq_time_); 0 before the first measurement.
    departure_time: f64,
}

/// Departures being measured.
#[derive(Clone, Copy, Debug)]
struct Measurement {
    since: u64,
    bytes: u64,
}

impl Pie {
    /// Makes up for the updates that were due before `now`; nothing has come or gone since.
    fn catch_up(&mut self, now: u64) {
        while self.updates.take(now).is_some() {
            let before = (self.probability, self.delay_before, self.burst_allowance);
            self.update();
            if before == (self.probability, self.delay_before, self.burst_allowance) {
                self.updates.skip(now);
            }
        }
    }

    fn current_delay(&self) -> u64 {
        match self.config.delay {
            Estimate::Timestamps if self.fifo.is_empty() => 0,
            Estimate::Timestamps => self.delay,
            Estimate::Rate => (self.fifo.bytes() as f64 * self.departure_time / MEASURED as f64) as u64,
        }
    }

    /// §4.2 and §4.4: the probability and the burst allowance of the next period.
    fn update(&mut self) {
        let delay = self.current_delay();
        let (target, before) = (self.config.target.ps(), self.delay_before);
        let distance = seconds(delay) - seconds(target);
        let step = self.config.alpha * distance + self.config.beta * (seconds(delay) - seconds(before));
        let mut step = step / scale(self.probability);
        if self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if delay == 0 && before == 0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.saturating_sub(self.config.t_update.ps());
        if self.probability == 0.0 && 2 * delay < target && 2 * before < target {
            self.burst_allowance = self.config.max_burst.ps();
        }
        self.delay_before = delay;
    }

    /// drop_early: whether the packet that comes is the one that tells its sender.
    fn strikes(&mut self) -> bool {
        let is_calm = 2 * self.delay_before < self.config.target.ps() && self.probability < 0.2;
        if self.burst_allowance > 0 || is_calm || self.fifo.bytes() <= 2 * u64::from(self.config.mean_packet_size) {
            return false;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        if self.accumulated < 0.85 {
            return false;
        }
        self.accumulated >= 8.5 || self.stream.unit() < self.probability
    }

    /// §5.2: a packet leaves, which the measurement of departures hears of.
    fn measure(&mut self, now: u64, item: &Item) {
        if self.measurement.is_none() && self.fifo.bytes() + u64::from(item.size) >= MEASURED {
            self.measurement = Some(Measurement { since: now, bytes: 0 });
        }
        let Some(Measurement { since, bytes }) = &mut self.measurement else { return };
        *bytes += u64::from(item.size);
        if *bytes >= MEASURED {
            let found = now.saturating_sub(*since) as f64;
            let is_first = self.departure_time == 0.0;
            self.departure_time = if is_first { found } else { WEIGHT * found + (1.0 - WEIGHT) * self.departure_time };
            self.measurement = None;
        }
    }
}

/// §4.2: by what the step is divided while the probability is small.
fn scale(probability: f64) -> f64 {
    const SCALES: [(f64, f64); 6] =
        [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    SCALES.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, scale)| *scale)
}

fn seconds(ps: u64) -> f64 {
    ps as f64 * 1e-12
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        self.ecn
    }
}

impl Scheduler for Pie {
    type Config = Config;

    fn new(config: &Config, site: Site) -> Pie {
        Pie {
            config: *config,
            fifo: Fifo::default(),
            stream: site.stream,
            probability: 0.0,
            accumulated: 0.0,
            burst_allowance: config.max_burst.ps(),
            delay: 0,
            delay_before: 0,
            updates: Updates::every(config.t_update.ps()),
            measurement: None,
            departure_time: 0.0,
        }
    }

    fn enqueue(&mut self, now: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        self.catch_up(now);
        let reason = if !self.fifo.held().admits(room, &item) {
            Reason::Full
        } else if !self.strikes() {
            return self.fifo.push(item);
        } else if self.config.ecn && item.ecn.is_capable() && self.probability < self.config.mark_up_to {
            self.accumulated = 0.0;
            return self.fifo.push(item.marked());
        } else {
            Reason::Early
        };
        self.accumulated = 0.0;
        dropped.push(Dropped { item, reason });
    }

    fn dequeue(&mut self, now: u64, _: &mut Vec<Dropped>) -> Option<Item> {
        self.catch_up(now);
        let item = self.fifo.pop()?;
        self.delay = item.sojourn(now);
        self.measure(now, &item);
        Some(item)
    }

    fn clear(&mut self) {
        self.fifo.clear();
        self.measurement = None;
    }

    fn figures(&self) -> Figures {
        vec![("probability", self.probability), ("delay_s", seconds(self.current_delay()))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Ecn;
    use crate::queue::by_hand::tests::site;

    const MS: u64 = 1_000_000_000;

    fn pie(config: Config) -> Pie {
        Pie::new(&config, site())
    }

    fn item(id: u32, now: u64) -> Item {
        Item { id, size: 1500, arrived: now, ..Item::default() }
    }

    /// 2048, 512, 128, 32, 8, 2 and 1: the table of RFC 8033 §4.2.
    #[test]
    fn the_step_is_scaled_by_the_size_of_the_probability() {
        let scales = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5].map(scale);
        assert_eq!(scales, [2048.0, 512.0, 128.0, 32.0, 8.0, 2.0, 1.0, 1.0]);
    }

    /// A delay of 35 ms after 15 ms, by timestamps: 0.125 (35 − 15) + 1.25 (35 − 15) ms = 0.0275.
    #[test]
    fn the_probability_moves_by_alpha_and_beta() {
        let config = Config { delay: Estimate::Timestamps, ..Config::default() };
        let step = |probability| {
            let mut pie = Pie { probability, delay: 35 * MS, delay_before: 15 * MS, ..pie(config) };
            pie.fifo.push(item(0, 0));
            pie.update();
            pie.probability - probability
        };
        assert!((step(0.0) - 0.0275 / 2048.0).abs() < 1e-12, "{}", step(0.0));
        assert!((step(0.05) - 0.0275 / 2.0).abs() < 1e-12);
        assert!((step(0.2) - 0.02).abs() < 1e-12, "from 0.1 on a step is 0.02 at most (§5.5)");
    }

    /// The steady state: at the target, and with no change, the probability stays.
    #[test]
    fn at_the_target_the_probability_stays() {
        let config = Config { delay: Estimate::Timestamps, ..Config::default() };
        let mut pie = Pie { probability: 0.03, delay: 15 * MS, delay_before: 15 * MS, ..pie(config) };
        pie.fifo.push(item(0, 0));
        pie.catch_up(3_600_000 * MS);
        assert_eq!((pie.probability, pie.burst_allowance), (0.03, 0));
    }

    /// Without delay 0.05 falls by 2 % and by the integral's 0.125·15 ms/2 a period.
    #[test]
    fn without_delay_the_probability_decays() {
        let mut pie = Pie { probability: 0.05, ..pie(Config::default()) };
        pie.update();
        assert!((pie.probability - (0.05 - 0.125 * 0.015 / 2.0) * 0.98).abs() < 1e-12);
        pie.catch_up(60_000 * MS);
        assert_eq!(pie.probability, 0.0);
    }

    /// §5.2: 1500 B every 1.2 ms (10 Mb/s); 2^14 B are 11 packets from the first that begins a measurement, 10 gaps: 12
    /// ms, 16 500 B.
    #[test]
    fn the_rate_of_departures_gives_the_delay() {
        let mut pie = pie(Config::default());
        for id in 0..40 {
            pie.enqueue(0, item(id, 0), Room::Unlimited, &mut Vec::new());
        }
        for departure in 0..11 {
            assert_eq!(pie.departure_time, 0.0);
            pie.dequeue(departure * 12 * MS / 10, &mut Vec::new());
        }
        assert_eq!(pie.departure_time, 12.0 * MS as f64);
        // 29 packets are left: 43 500 B · 12 ms/2^14 B = 31.9 ms. (They take 34.8 ms: the RFC counts 11 packets in 10
        // gaps.)
        assert_eq!(pie.current_delay() / (MS / 10), 318);
    }

    /// §5.4: with probability 0.1 no packet of the first eight, and one at 85 (86, as 0.1 sums) at the latest; the mean
    /// distance is that of chance, once the sum has reached 0.85: 8 + 1/0.1 = 18, cut at 85.
    #[test]
    fn drops_are_spread_out() {
        let mut pie = Pie { probability: 0.1, burst_allowance: 0, delay_before: 15 * MS, ..pie(Config::default()) };
        (0..10).for_each(|id| pie.fifo.push(item(id, 0)));
        let mut gaps = Vec::new();
        let mut gap = 0u32;
        for _ in 0..40_000 {
            gap += 1;
            if pie.strikes() {
                pie.accumulated = 0.0;
                gaps.push(std::mem::take(&mut gap));
            }
        }
        assert!(gaps.iter().all(|gap| (9..=86).contains(gap)), "{:?} {:?}", gaps.iter().min(), gaps.iter().max());
        let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        // Four standard errors of a geometric tail of deviation 9.5.
        assert!((mean - 18.0).abs() < 4.0 * 9.5 / (gaps.len() as f64).sqrt(), "{mean}");
    }

    #[test]
    fn bursts_short_queues_and_calm_times_are_spared() {
        let busy = || {
            let mut pie = Pie { probability: 1.0, burst_allowance: 0, delay_before: 15 * MS, ..pie(Config::default()) };
            (0..3).for_each(|id| pie.fifo.push(item(id, 0)));
            pie
        };
        assert!(busy().strikes());
        let mut short = busy();
        short.fifo.pop();
        let calm = Pie { probability: 0.19, delay_before: 7 * MS, accumulated: 8.4, ..busy() };
        assert_eq!([short, calm, Pie { burst_allowance: 1, ..busy() }].map(|mut pie| pie.strikes()), [false; 3]);
    }

    #[test]
    fn marks_are_for_small_probabilities() {
        let fate = |probability, ecn| {
            let calm = Config { max_burst: Duration::ZERO, ..Config::default() };
            let mut pie = Pie { probability, accumulated: 8.5, delay_before: 15 * MS, ..pie(calm) };
            (0..3).for_each(|id| pie.fifo.push(item(id, 0)));
            let mut dropped = Vec::new();
            pie.enqueue(0, Item { ecn, ..item(9, 0) }, Room::Unlimited, &mut dropped);
            dropped.first().map(|one| one.reason)
        };
        assert_eq!([fate(0.09, Ecn::Classic), fate(0.11, Ecn::Classic)], [None, Some(Reason::Early)]);
        assert_eq!(fate(0.09, Ecn::NotCapable), Some(Reason::Early));
    }

    /// Appendix B: the delay is that of the packet that left last, and of an empty queue nothing.
    #[test]
    fn an_empty_queue_has_no_delay() {
        let config = Config { delay: Estimate::Timestamps, ..Config::default() };
        let mut pie = Pie { delay: 30 * MS, probability: 0.25, ..pie(config) };
        assert_eq!(pie.figures(), [("probability", 0.25), ("delay_s", 0.0)]);
        pie.fifo.push(item(0, 0));
        assert_eq!(pie.figures(), [("probability", 0.25), ("delay_s", 0.03)]);
    }

    /// §5.2: a quarter of the second measurement, 24 ms, and three quarters of the first, 12 ms.
    #[test]
    fn measurements_of_the_rate_are_averaged_by_a_quarter() {
        let mut pie = pie(Config::default());
        (0..60).for_each(|id| pie.fifo.push(item(id, 0)));
        for departure in 0..22_u64 {
            let (slow, fast) = (departure.saturating_sub(10), departure.min(10));
            pie.dequeue((fast * 12 + slow * 24) * MS / 10, &mut Vec::new());
        }
        // The first of the second eleven leaves 2.4 ms behind the first measurement and begins the next.
        assert_eq!(pie.departure_time, 0.25 * 24.0 * MS as f64 + 0.75 * 12.0 * MS as f64);
    }

    /// §4.4: 150 ms without drops, 15 ms less at each update, and all of it again after a quiet one.
    #[test]
    fn the_burst_allowance_runs_out_and_comes_back_after_a_quiet_time() {
        let config = Config { delay: Estimate::Timestamps, ..Config::default() };
        let left = |delay: u64, delay_before: u64, probability| {
            let mut pie = Pie { delay, delay_before, probability, ..pie(config) };
            pie.burst_allowance = 100 * MS;
            pie.fifo.push(item(0, 0));
            pie.update();
            pie.burst_allowance / MS
        };
        let (half, less) = (15 * MS / 2, 15 * MS / 2 - 1);
        assert_eq!([left(less, less, 0.0), left(half, less, 0.0), left(less, half, 0.0)], [150, 85, 85]);
        assert_eq!(left(less, less, 0.5), 85);
    }

    /// §4.1 with delays of half of the target, a probability of 0.2 and 3000 B; §5.4's sums of 0.85 and 8.5.
    #[test]
    fn what_is_spared_ends_at_its_bounds() {
        let at = |delay_before, probability, accumulated| {
            let config = Config { max_burst: Duration::ZERO, ..Config::default() };
            let mut pie = Pie { probability, accumulated, delay_before, ..pie(config) };
            (0..3).for_each(|id| pie.fifo.push(item(id, 0)));
            pie.strikes()
        };
        let half = 15 * MS / 2;
        assert_eq!([at(half - 1, 0.125, 8.5), at(half, 0.125, 8.5), at(0, 0.25, 8.5)], [false, true, true]);
        assert_eq!([at(half, 1.0, -0.2), at(half, 1.0, -0.1), at(half, 0.0, 9.0)], [false, true, false]);
    }
}
