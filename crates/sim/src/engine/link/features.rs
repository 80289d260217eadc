//! What most ports do without: a queue discipline, random loss, XCP's controller, a gate, an agent before it.

use super::disciplined_queue::DisciplinedQueue;
use super::gated::GatedTransmitter;
use crate::engine::packet::admission::Interceptor;
use crate::model::{Loss, Opening, PortController, PortRule};
use crate::queue::{self, Queue, Schedule};
use crate::random::{Stream, bernoulli};
use transport::xcp::Router;
use units::{ByteTime, Instant};

/// What most ports do without.
#[derive(Debug)]
pub struct PortFeatures {
    /// Its queue discipline, if that decides when packets arrive.
    pub queue: Option<Queue>,
    /// What waits, if its discipline decides when packets leave.
    pub line: Option<Box<DisciplinedQueue>>,
    /// Packets marked since the start.
    pub marked: u64,
    /// Random loss on the fibre.
    pub loss: LossProcess,
    /// XCP's controller.
    pub controller: Option<Controller>,
    /// It sends in granted slots only.
    pub gate: Option<GatedTransmitter>,
    /// An agent takes its packets first.
    pub interceptor: Option<Interceptor>,
}

/// What waits leaves as it came.
const IN_ORDER: queue::Config = queue::Config::Priority(queue::priority::Config { bands: 1, push_out: false });

/// Where the random choices of a port come from.
#[derive(Debug)]
pub struct Streams {
    /// Of [`Loss::Bernoulli`](crate::model::Loss::Bernoulli).
    pub loss: Stream,
    /// Of its queue discipline.
    pub queue: Stream,
}

/// XCP's controller at a port. It is told everything at the port's own times: its timers are served when the next
/// packet arrives, with the queue as it was when they were due, because nothing has arrived in between.
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

impl PortFeatures {
    /// `None` for a port without any.
    pub fn new(rule: &PortRule, streams: Streams, interceptor: Option<Interceptor>) -> Option<Box<PortFeatures>> {
        let loss = LossProcess::new(rule.loss, streams.loss);
        let byte_time = ByteTime::at(rule.capacity)?;
        let site = || queue::Site { byte_time, stream: streams.queue.clone() };
        let queue = Queue::new(&rule.queue, site);
        let in_order = || rule.is_decided_late.then(|| Schedule::new(&IN_ORDER, site)).flatten();
        let schedule = Schedule::new(&rule.queue, site).or_else(in_order);
        let line = schedule.map(|schedule| Box::new(DisciplinedQueue::new(schedule)));
        let controller = rule.controller.map(|PortController { config, follows, .. }| Controller {
            router: Router::new(config, Instant::ZERO),
            follows,
        });
        let gate = match rule.opening {
            Opening::Always => None,
            Opening::InWindows(packing) => Some(GatedTransmitter::new(packing)),
        };
        let features = PortFeatures { queue, line, marked: 0, loss, controller, gate, interceptor };
        (interceptor.is_some() || features.acts()).then(|| Box::new(features))
    }

    /// Whether there is anything behind the agent.
    pub fn acts(&self) -> bool {
        !matches!(self.loss, LossProcess::None)
            || self.gate.is_some()
            || self.queue.is_some()
            || self.line.is_some()
            || self.controller.is_some()
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

    /// From now on each packet is lost with this probability, of a process that began so.
    pub fn change(&mut self, to: f64) {
        if let LossProcess::Bernoulli { p, .. } = self {
            *p = to;
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
