//! What a plain port does without: random loss, XCP's controller, a gate, an agent before it, optical packets.

use super::gate::Gate;
use super::offer::Intake;
use super::optical::Optical;
use crate::random::{Stream, bernoulli};
use crate::scenario::{Loss, Packing, PortController};
use transport::xcp::Router;
use units::Instant;

/// What a plain port does without.
#[derive(Debug)]
pub struct Extras {
    /// Random loss on the fibre.
    pub loss: LossProcess,
    /// XCP's controller.
    pub controller: Option<Controller>,
    /// It sends in granted slots only.
    pub gate: Option<Gate>,
    /// An agent takes its packets first.
    pub intake: Option<Intake>,
    /// What it does as a port of an optical packet switch.
    pub optical: Option<Optical>,
    /// That and perhaps an agent before it, and nothing else.
    pub is_optical_only: bool,
}

/// XCP's controller at a port. It is told everything at the port's own times: its timers are served when the next packet
/// arrives, with the queue as it was when they were due, because nothing has arrived in between.
#[derive(Debug)]
pub struct Controller {
    /// The controller proper.
    pub router: Router,
    /// Whether it is told the capacity of the port when that changes.
    pub follows: bool,
}

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

impl Extras {
    /// `None` for a plain port.
    pub fn new(
        (loss, stream): (Loss, Stream),
        controller: Option<PortController>,
        gate: Option<Packing>,
        (intake, optical): (Option<Intake>, Option<Optical>),
    ) -> Option<Box<Extras>> {
        let loss = LossProcess::new(loss, stream);
        let controller = controller.map(|PortController { config, follows }| Controller {
            router: Router::new(config, Instant::ZERO),
            follows,
        });
        let gate = gate.map(Gate::new);
        let is_lossless = matches!(loss, LossProcess::None);
        let is_optical_only = is_lossless && controller.is_none() && gate.is_none() && optical.is_some();
        let is_untouched = gate.is_none() && intake.is_none() && optical.is_none();
        let is_plain = is_lossless && controller.is_none() && is_untouched;
        (!is_plain).then(|| Box::new(Extras { loss, controller, gate, intake, optical, is_optical_only }))
    }
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
