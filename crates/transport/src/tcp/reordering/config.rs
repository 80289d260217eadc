//! The parameters of RR-TCP. Where the sources leave a rule open, each reading has a name here.

use options::{Kind, Range, Words, options, words};
use units::Duration;

words! {
    /// What RR-TCP does about reordering: the family of Zhang, Karp, Floyd and Peterson (ICNP 2003).
    pub enum RrVariant {
        /// The window comes back after a false fast retransmit; the threshold stays at dupthresh.
        R = "dsack-r",
        /// And the threshold follows the histogram, with a fixed FA ratio.
        Fa = "dsack-fa",
        /// And the FA ratio follows the costs of false fast retransmits and of timeouts.
        Ta = "dsack-ta",
        /// As "dsack-fa", and segments that were resent without need are timed.
        FaEs = "dsack-faes",
        /// As "dsack-ta", and segments that were resent without need are timed.
        TaEs = "dsack-taes",
    }
}

impl RrVariant {
    /// True if the threshold follows the histogram.
    pub fn adapts_threshold(self) -> bool {
        self != RrVariant::R
    }

    /// True if the FA ratio follows the costs.
    pub fn adapts_ratio(self) -> bool {
        matches!(self, RrVariant::Ta | RrVariant::TaEs)
    }

    /// True if segments that were resent without need are timed.
    pub fn times_resent(self) -> bool {
        matches!(self, RrVariant::FaEs | RrVariant::TaEs)
    }
}

words! {
    /// How long a reordering is.
    pub enum ReorderingLength {
        /// From the hole to the highest segment that is SACKed when the hole is filled.
        HighestSacked = "highest-sacked",
        /// From the hole to the last segment below the cumulative ACK that comes with the D-SACK: the words of paper
        /// 004.
        CumulativeAck = "cumulative-ack",
    }
}

words! {
    /// What raises the FA ratio by fa_step.
    pub enum FaIncrease {
        /// The first D-SACK for something that a fast retransmit sent again: once for each fast retransmit.
        Retransmit = "fast-retransmit",
        /// Every segment for which such a D-SACK comes.
        Segment = "segment",
    }
}

words! {
    /// Which timeouts lower the FA ratio.
    pub enum TimeoutCost {
        /// Those outside of a recovery that the smallest threshold would have avoided: those with that much SACKed
        /// above the hole.
        Avoidable = "avoidable",
        /// Every expiry of the retransmission timer.
        All = "all",
    }
}

words! {
    /// How much new data duplicate ACKs let leave before a loss has shown (the variants of RFC 4653).
    pub enum LimitedTransmit {
        /// One segment for each that is SACKed.
        Aggressive = "aggressive",
        /// One segment for every two that are SACKed.
        Careful = "careful",
    }
}

words! {
    /// How the window comes back after a false fast retransmit.
    pub enum Restore {
        /// At once, with ssthresh: paper 004.
        Instant = "instant",
        /// By slow start up to where it was: Blanton and Allman.
        SlowStart = "slow_start",
    }
}

options! {
    /// The parameters of recovery "rr-tcp".
    #[derive(Clone, Debug)]
    pub struct ReorderingConfig {
        /// Recovery "rr-tcp": which of the family it is.
        pub rr_variant: RrVariant = RrVariant::Ta, Kind::Word(&RrVariant::LIST);
        /// Recovery "rr-tcp": the share of reorderings that are to cause no false fast retransmit, at the start.
        pub fa_ratio: f64 = 0.9, Kind::Number(Range::closed(0.0, 1.0));
        /// Recovery "rr-tcp": by how much a false fast retransmit raises the FA ratio (S).
        pub fa_step: f64 = 0.01, Kind::Number(Range::closed(0.0, 1.0));
        /// Recovery "rr-tcp": the FA ratio never exceeds this.
        pub max_fa_ratio: f64 = 1.0, Kind::Number(Range::closed(0.0, 1.0));
        /// Recovery "rr-tcp": what raises the FA ratio by fa_step.
        pub fa_increase: FaIncrease = FaIncrease::Retransmit, Kind::Word(&FaIncrease::LIST);
        /// Recovery "rr-tcp": which timeouts lower the FA ratio.
        pub timeout_cost: TimeoutCost = TimeoutCost::Avoidable, Kind::Word(&TimeoutCost::LIST);
        /// Recovery "rr-tcp": k of the cost functions, the round trips until a false fast retransmit is noticed.
        pub cost_rounds: u32 = 1, Kind::Whole(Range::closed(1.0, 1000.0));
        /// Recovery "rr-tcp": a reordering length leaves the histogram after this time.
        pub histogram_history: Duration = Duration::from_secs(80), Kind::POSITIVE;
        /// Recovery "rr-tcp": the histogram holds this number of the last lengths. Default: all within the history, up
        /// to 65536.
        pub histogram_samples: Option<u32> = None, Kind::Whole(Range::closed(1.0, MOST_SAMPLES as f64));
        /// Recovery "rr-tcp": how long a reordering is.
        pub reordering_length: ReorderingLength = ReorderingLength::HighestSacked, Kind::Word(&ReorderingLength::LIST);
        /// Recovery "rr-tcp": whether segments that were late and had not been sent again count in the histogram too,
        /// besides those that a D-SACK confirms.
        pub sample_unretransmitted: bool = false, Kind::Flag;
        /// Recovery "rr-tcp": whether the threshold is one above the percentile of the lengths, rather than at it.
        pub percentile_plus_one: bool = true, Kind::Flag;
        /// Recovery "rr-tcp": the threshold stays below this part of what can be outstanding, cwnd and what limited
        /// transmit adds.
        pub dupthresh_cap: f64 = 1.0, Kind::Number(Range::above(0.0, 1.0));
        /// Recovery "rr-tcp": on duplicate ACKs new data leave, up to this number of congestion windows beyond the
        /// first.
        pub limited_transmit_windows: f64 = 1.0, Kind::Number(Range::closed(0.0, 1000.0));
        /// Recovery "rr-tcp": how much new data duplicate ACKs let leave.
        pub limited_transmit_pace: LimitedTransmit = LimitedTransmit::Aggressive, Kind::Word(&LimitedTransmit::LIST);
        /// Recovery "rr-tcp": how the window comes back after a false fast retransmit.
        pub restore: Restore = Restore::Instant, Kind::Word(&Restore::LIST);
    }
}

/// The lengths that a histogram holds at most.
pub(super) const MOST_SAMPLES: usize = 1 << 16;
