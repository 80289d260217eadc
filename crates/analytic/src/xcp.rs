//! What the models of XCP share: the aggregate feedback and the shuffled traffic of one control interval, as rates.
//! Sources: D. Katabi, M. Handley and C. Rohrs, SIGCOMM 2002, §3.5; the two papers that use it in other constants: O.
//! Alparslan, S. Arakawa and M. Murata (002, §2: 0.2, 0.056, 0.1) and the AAPN thesis (003, Appendix A: 0.4, 0.226,
//! 0.1).

use crate::{Kind, Range, Unit};

pub(crate) const CAPACITY: Kind =
    Kind::Number { unit: Unit::BitsPerSecond, default: 1e9, range: Range::closed(1.0, 1e15) };
pub(crate) const RATE: Kind = Kind::Number { unit: Unit::BitsPerSecond, default: 9e8, range: Range::closed(0.0, 1e15) };
pub(crate) const FLOWS: Kind =
    Kind::Number { unit: Unit::Named("flows"), default: 10.0, range: Range::whole(1.0, 1e9) };
pub(crate) const QUEUE: Kind = Kind::Number { unit: Unit::Bytes, default: 0.0, range: Range::closed(0.0, 1e15) };
pub(crate) const INTERVAL: Kind =
    Kind::Number { unit: Unit::Seconds, default: 0.05, range: Range::closed(1e-6, 100.0) };
pub(crate) const GAMMA: Kind = Kind::Number { unit: Unit::One, default: 0.1, range: Range::closed(1e-4, 0.99) };

/// α with another default: 002 has 0.2, 003 (and Katabi et al.) 0.4.
pub(crate) const fn alpha(default: f64) -> Kind {
    Kind::Number { unit: Unit::One, default, range: Range::closed(1e-4, 0.99) }
}

/// β likewise: 0.056 and 0.226.
pub(crate) const fn beta(default: f64) -> Kind {
    Kind::Number { unit: Unit::One, default, range: Range::closed(0.0, 10.0) }
}

/// φ = α S − β Q/d and h = max(0, γ u − |φ|), in bits per second (errata 2.1, 2.2, 3.24, 3.25).
pub(crate) struct Feedback {
    pub phi: f64,
    pub shuffle: f64,
}

impl Feedback {
    pub(crate) fn new(alpha: f64, spare: f64, beta: f64, queue_rate: f64, gamma: f64, input: f64) -> Feedback {
        let phi = alpha * spare - beta * queue_rate;
        Feedback { phi, shuffle: (gamma * input - phi.abs()).max(0.0) }
    }

    /// What is given to all flows alike.
    pub(crate) fn given(&self) -> f64 {
        self.shuffle + self.phi.max(0.0)
    }

    /// What is taken in proportion to rates.
    pub(crate) fn taken(&self) -> f64 {
        self.shuffle + (-self.phi).max(0.0)
    }
}
