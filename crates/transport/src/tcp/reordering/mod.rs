//! The normal extent of reordering: RR-TCP (Zhang, Karp, Floyd, Peterson, ICNP 2003; ICSI TR-02-006) as paper 004 §3
//! has it.
//!
//! What a fast retransmit has sent again is remembered until a D-SACK may no longer come. A D-SACK shows that the
//! segment was only late; by how much, in segments, goes into a histogram. The threshold of duplicate ACKs is the
//! FA-ratio percentile of those lengths, and the ratio moves with the costs of false fast retransmits and of timeouts
//! (DSACK-TA). What the sender does with the threshold is `recovery::reordering`'s; the window that comes back is
//! `undo`'s.
//!
//! The full text of the original was not to be had: rules that only a summary or memory has are parameters
//! ([`ReorderingConfig`]). TD-FR, time-delayed fast recovery, with which the original compares itself, is another
//! recovery.

mod config;
mod histogram;

pub use config::{FaIncrease, LimitedTransmit, ReorderingConfig, ReorderingLength, Restore, RrVariant, TimeoutCost};

use super::SackBlock;
use histogram::Histogram;
use std::collections::VecDeque;
use units::{Duration, Instant};

/// Retransmissions remembered at most; the oldest go first.
const MOST_RESENT: usize = 4096;

/// The reordering of one flow.
#[derive(Clone, Debug)]
pub(super) struct Reordering {
    histogram: Histogram,
    fa_ratio: f64,
    /// The percentile of the lengths, before it is bounded; `None` without lengths.
    percentile: Option<u32>,
    /// Segments that fast retransmits have sent again, in that order.
    resent: VecDeque<Resent>,
    /// Fast retransmits so far.
    episode: u64,
    /// The fast retransmit that has last been seen to be false, if any.
    last_false: u64,
    /// The byte after the highest one ever SACKed.
    highest: u64,
}

/// A segment that a fast retransmit has sent again.
#[derive(Clone, Copy, Debug)]
struct Resent {
    block: SackBlock,
    /// When its first copy left, if that is known, and when its second did.
    sent_at: [Option<Instant>; 2],
    episode: u64,
    /// Once the hole is filled: how long the reordering was then, and the byte whose ACK ends the wait for a D-SACK.
    filled: Option<(u32, u64)>,
}

/// Costs in segments: paper 004 §3.1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// W, the window in segments.
    pub(super) window: f64,
    /// T, the retransmission timeout.
    pub(super) rto: Duration,
    /// R, the smoothed round-trip time.
    pub(super) srtt: Duration,
}

impl Costs {
    /// C(TTO)/C(FFR) = W(T/R + log2(W − k − 2) + 1) / (k(W − k + 1)/2); the logarithm and C(FFR) are guarded from
    /// below.
    fn ratio(self, rounds: u32) -> f64 {
        let (w, k) = (self.window, f64::from(rounds));
        let timeouts = self.rto.as_secs_f64() / self.srtt.as_secs_f64().max(1e-12);
        let timeout = w * (timeouts + libm::log2((w - k - 2.0).max(1.0)) + 1.0);
        timeout / (k * (w - k + 1.0) / 2.0).max(0.5)
    }
}

impl Reordering {
    pub(super) fn new(config: &ReorderingConfig) -> Reordering {
        Reordering {
            histogram: Histogram::default(),
            fa_ratio: config.fa_ratio.min(config.max_fa_ratio),
            percentile: None,
            resent: VecDeque::new(),
            episode: 0,
            last_false: 0,
            highest: 0,
        }
    }

    pub(super) fn fa_ratio(&self) -> f64 {
        self.fa_ratio
    }

    pub(super) fn bins(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.histogram.bins()
    }

    /// The byte after the highest one ever SACKed.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    /// Duplicate ACKs that show a loss, as the lengths have it; `None` without lengths.
    pub(super) fn threshold(&self, config: &ReorderingConfig) -> Option<u32> {
        let percentile = self.percentile.filter(|_| config.rr_variant.adapts_threshold())?;
        Some(percentile.saturating_add(u32::from(config.percentile_plus_one)))
    }

    /// Time has passed.
    pub(super) fn age(&mut self, now: Instant, config: &ReorderingConfig) {
        if self.histogram.age(now, config.histogram_history) {
            self.settle();
        }
    }

    /// A fast retransmit begins.
    pub(super) fn begin(&mut self) {
        self.episode += 1;
    }

    /// A fast retransmit sends `block` again, whose first copy left at `first`.
    pub(super) fn resend(&mut self, now: Instant, first: Option<Instant>, block: SackBlock) {
        if self.resent.len() == MOST_RESENT {
            self.resent.pop_front();
        }
        self.resent.push_back(Resent { block, sent_at: [first, Some(now)], episode: self.episode, filled: None });
    }

    /// `block` has been sent a third time, or by the timer: a D-SACK for it would not say whether the first copy has
    /// arrived.
    pub(super) fn forget(&mut self, block: SackBlock) {
        self.resent.retain(|resent| !resent.block.contains(block) && !block.contains(resent.block));
    }

    /// True if a fast retransmit has sent `block` again, and it still counts.
    pub(super) fn has_resent(&self, block: SackBlock) -> bool {
        self.resent.iter().rev().any(|resent| resent.block == block)
    }

    /// The receiver says that it holds bytes below `end`, above its cumulative ACK.
    pub(super) fn note_sacked(&mut self, end: u64) {
        self.highest = self.highest.max(end);
    }

    /// Everything for which `is_held` has been filled by now, if not before. D-SACKs are awaited until an ACK passes
    /// `expires`.
    pub(super) fn fill(&mut self, mss: u64, expires: u64, is_held: impl Fn(SackBlock) -> bool) {
        let highest = self.highest;
        for resent in self.resent.iter_mut().filter(|resent| resent.filled.is_none()) {
            if is_held(resent.block) {
                resent.filled = Some((length(highest, resent.block, mss), expires));
            }
        }
    }

    /// Segments for which no D-SACK is awaited any more leave.
    pub(super) fn expire(&mut self, una: u64) {
        let is_over = |resent: &Resent| resent.filled.is_some_and(|(_, expires)| expires < una);
        while self.resent.front().is_some_and(is_over) {
            self.resent.pop_front();
        }
    }

    /// True if anything waits for a D-SACK.
    pub(super) fn is_waiting(&self) -> bool {
        !self.resent.is_empty()
    }

    /// The receiver got `block` twice, and has everything below `una`: the lengths enter the histogram. Returns what is
    /// to be timed, the average of the times since the two copies left.
    pub(super) fn confirm(
        &mut self,
        now: Instant,
        block: SackBlock,
        una: u64,
        mss: u64,
        config: &ReorderingConfig,
    ) -> Option<Duration> {
        let mut timed = None;
        while let Some(at) = self.resent.iter().position(|resent| block.contains(resent.block)) {
            let Some(resent) = self.resent.remove(at) else { break };
            let reached = match config.reordering_length {
                ReorderingLength::HighestSacked => self.highest,
                ReorderingLength::CumulativeAck => una,
            };
            let filled = resent.filled.filter(|_| config.reordering_length == ReorderingLength::HighestSacked);
            self.sample(now, filled.map_or_else(|| length(reached, resent.block, mss), |(length, _)| length), config);
            self.count_false(resent.episode, config);
            timed = mean_age(now, resent.sent_at);
        }
        timed
    }

    /// A reordering of this length has been seen; none is no reordering.
    pub(super) fn sample(&mut self, now: Instant, length: u32, config: &ReorderingConfig) {
        if length > 0 {
            let most = config.histogram_samples.map_or(usize::MAX, |most| most as usize);
            self.histogram.add(now, length, most);
            self.settle();
        }
    }

    /// Something that a fast retransmit sent again was only late: the FA ratio rises.
    fn count_false(&mut self, episode: u64, config: &ReorderingConfig) {
        let is_news = config.fa_increase == FaIncrease::Segment || self.last_false < episode;
        self.last_false = self.last_false.max(episode);
        if is_news && config.rr_variant.adapts_ratio() {
            self.fa_ratio = (self.fa_ratio + config.fa_step).min(config.max_fa_ratio);
            self.settle();
        }
    }

    /// A timeout that a smaller threshold would have avoided: the FA ratio falls by S·C(TTO)/C(FFR).
    pub(super) fn count_timeout(&mut self, costs: Costs, config: &ReorderingConfig) {
        if config.rr_variant.adapts_ratio() {
            self.fa_ratio = (self.fa_ratio - config.fa_step * costs.ratio(config.cost_rounds)).max(0.0);
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.percentile = self.histogram.percentile(self.fa_ratio);
    }

    /// Asserts what must hold between calls.
    pub(super) fn check(&self) {
        assert!((0.0..=1.0).contains(&self.fa_ratio), "the FA ratio is a share");
        assert!(self.resent.len() <= MOST_RESENT);
        assert_eq!(self.percentile, self.histogram.percentile(self.fa_ratio));
    }
}

/// The segments from a hole up to the one that ends at `reached`.
pub(super) fn length(reached: u64, hole: SackBlock, mss: u64) -> u32 {
    let segments = reached.saturating_sub(1).saturating_sub(hole.start) / mss;
    u32::try_from(segments).unwrap_or(u32::MAX)
}

/// The average of the times since both copies left, if both are known.
fn mean_age(now: Instant, sent_at: [Option<Instant>; 2]) -> Option<Duration> {
    let [Some(first), Some(second)] = sent_at else { return None };
    let (first, second) = (now.saturating_since(first).ps(), now.saturating_since(second).ps());
    Some(Duration::from_ps(second + first.saturating_sub(second) / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(number: u64) -> SackBlock {
        SackBlock { start: number * 1000, end: number * 1000 + 1000 }
    }

    /// Figure 1 of paper 004: segments 4, 5 and 6 are overtaken by 7 to 11.
    fn figure_1(config: &ReorderingConfig) -> Reordering {
        let mut flow = Reordering::new(config);
        flow.begin();
        [4, 5, 6].into_iter().for_each(|number| flow.resend(Instant::ZERO, None, segment(number)));
        flow.note_sacked(segment(11).end);
        [4, 5, 6].into_iter().for_each(|number| flow.fill(1000, u64::MAX, |block| block == segment(number)));
        for number in [4, 5, 6] {
            flow.confirm(Instant::ZERO, segment(number), segment(12).start, 1000, config);
        }
        flow
    }

    #[test]
    fn figure_1_s_lengths_are_5_6_and_7_in_both_readings() {
        for reordering_length in [ReorderingLength::HighestSacked, ReorderingLength::CumulativeAck] {
            let config = ReorderingConfig { reordering_length, ..ReorderingConfig::default() };
            let flow = figure_1(&config);
            assert_eq!(flow.bins().collect::<Vec<_>>(), [(5, 1), (6, 1), (7, 1)]);
            // ceil(0.91·3) = 3: the third of the lengths, and one more.
            assert_eq!(flow.threshold(&config), Some(8));
        }
    }

    #[test]
    fn a_false_fast_retransmit_raises_the_ratio_once_or_for_each_segment() {
        let ratio = |config: ReorderingConfig| figure_1(&config).fa_ratio();
        let usual = ReorderingConfig::default();
        assert!((ratio(usual.clone()) - 0.91).abs() < 1e-12);
        assert!((ratio(ReorderingConfig { fa_increase: FaIncrease::Segment, ..usual.clone() }) - 0.93).abs() < 1e-12);
        assert_eq!(ratio(ReorderingConfig { fa_ratio: 0.995, max_fa_ratio: 0.999, ..usual.clone() }), 0.999);
        assert_eq!(ratio(ReorderingConfig { rr_variant: RrVariant::Fa, ..usual }), 0.9);
    }

    #[test]
    fn a_timeout_costs_what_paper_004_says() {
        // W = 34, k = 2, T = 2R: C(TTO) = 34·(2 + log2(30) + 1), C(FFR) = 2·33/2 = 33.
        let second = Duration::from_secs(1);
        let costs = Costs { window: 34.0, rto: Duration::from_secs(2), srtt: second };
        let expected = 34.0 * (3.0 + libm::log2(30.0)) / 33.0;
        assert!((costs.ratio(2) - expected).abs() < 1e-12);
        let config = ReorderingConfig { cost_rounds: 2, ..ReorderingConfig::default() };
        let mut flow = Reordering::new(&config);
        flow.count_timeout(costs, &config);
        assert!((flow.fa_ratio() - (0.9 - 0.01 * expected)).abs() < 1e-12);
        (0..100).for_each(|_| flow.count_timeout(costs, &config));
        assert_eq!(flow.fa_ratio(), 0.0);
    }

    #[test]
    fn a_window_of_one_segment_has_finite_costs() {
        let costs = Costs { window: 1.0, rto: Duration::from_secs(1), srtt: Duration::ZERO };
        assert!(costs.ratio(1).is_finite() && costs.ratio(1000) > 0.0);
    }

    #[test]
    fn nine_of_ten_up_to_8_make_a_threshold_of_9() {
        // The summary of the original: "90 % are <= 8", dupthresh 9.
        let config = ReorderingConfig { rr_variant: RrVariant::Fa, ..ReorderingConfig::default() };
        let mut flow = Reordering::new(&config);
        [1, 2, 3, 4, 5, 6, 7, 8, 8, 30].into_iter().for_each(|length| flow.sample(Instant::ZERO, length, &config));
        assert_eq!(flow.threshold(&config), Some(9));
        let at = ReorderingConfig { percentile_plus_one: false, ..config.clone() };
        assert_eq!(flow.threshold(&at), Some(8));
        assert_eq!(flow.threshold(&ReorderingConfig { rr_variant: RrVariant::R, ..config }), None);
    }

    #[test]
    fn a_segment_that_was_resent_is_timed_by_the_average_of_its_two_ages() {
        let ms = |ms| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!(mean_age(ms(100), [Some(ms(20)), Some(ms(60))]), Some(Duration::from_millis(60)));
        assert_eq!(mean_age(ms(100), [None, Some(ms(60))]), None);
    }
}
