//! Random loss on a fibre.

use crate::model::Loss;
use crate::random::{Stream, bernoulli};

/// Which packets vanish on the fibre.
#[derive(Debug)]
pub enum LossProcess {
    /// None.
    None,
    /// Each with this probability.
    Bernoulli {
        /// The probability.
        p: f64,
        /// Where the choices come from.
        stream: Box<Stream>,
    },
    /// Every n-th.
    EveryNth {
        /// n.
        n: u64,
        /// Packets so far.
        seen: u64,
    },
}

impl LossProcess {
    /// The process of a fibre; its choices come from `stream`.
    pub fn new(loss: Loss, stream: Stream) -> LossProcess {
        match loss {
            Loss::None => LossProcess::None,
            Loss::Bernoulli(p) => LossProcess::Bernoulli { p, stream: Box::new(stream) },
            Loss::EveryNth(n) => LossProcess::EveryNth { n, seen: 0 },
        }
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        match self {
            LossProcess::None => false,
            LossProcess::Bernoulli { p, stream } => bernoulli(stream, *p),
            LossProcess::EveryNth { n, seen } => {
                *seen += 1;
                *seen % *n == 0
            }
        }
    }
}
