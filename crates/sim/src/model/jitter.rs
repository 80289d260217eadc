//! Jitter: what a fibre adds to the delay of each packet.

use options::words;
use units::Duration;

/// What is added to the delay of each packet, of each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter {
    /// How much: the most, or the mean, as the law says.
    pub scale: Duration,
    /// How it is distributed.
    pub law: JitterLaw,
    /// Whether packets keep their order.
    pub order: JitterOrder,
}

words! {
    /// How the jitter of packets is distributed.
    pub enum JitterLaw {
        /// Uniform from nothing to `jitter`.
        Uniform = "uniform",
        /// Exponential with the mean `jitter`.
        Exponential = "exponential",
    }
}

words! {
    /// What becomes of the order of packets whose delays differ.
    pub enum JitterOrder {
        /// One that is faster arrives behind the one before it, as far apart as it lasts.
        Kept = "kept",
        /// One that is faster overtakes.
        Free = "free",
    }
}

impl Jitter {
    /// Every packet takes as long as every other one.
    pub const NONE: Jitter = Jitter { scale: Duration::ZERO, law: JitterLaw::Uniform, order: JitterOrder::Kept };

    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        self.scale > Duration::ZERO
    }
}
