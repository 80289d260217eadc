//! What most ports do without: a queue discipline that judges arrivals, XCP's controller, random loss, jitter.

use super::jitter::JitterProcess;
use super::loss::LossProcess;
use crate::model::{PortController, PortRule};
use crate::queue::{Queue, Site};
use crate::random::Stream;
use transport::xcp::Router;
use units::Instant;

/// What most ports do without.
#[derive(Debug)]
pub struct PortFeatures {
    /// Its queue discipline, if that decides when packets arrive.
    pub queue: Option<Queue>,
    /// XCP's controller.
    pub controller: Option<Controller>,
    /// Random loss on the fibre.
    pub loss: LossProcess,
    /// What is added to the delay of each packet.
    pub jitter: Option<Box<JitterProcess>>,
}

/// Where the random choices of a port come from.
#[derive(Debug)]
pub struct Streams {
    /// Of [`Loss::Bernoulli`](crate::model::Loss::Bernoulli).
    pub loss: Stream,
    /// Of its queue discipline.
    pub queue: Stream,
    /// Of its [`Jitter`](crate::model::Jitter); only of a port that has any.
    pub jitter: Option<Stream>,
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

impl PortFeatures {
    /// `None` for a port without any.
    pub fn new(
        rule: &PortRule,
        site: impl FnOnce() -> Site,
        loss: Stream,
        jitter: Option<Stream>,
    ) -> Option<Box<PortFeatures>> {
        let queue = Queue::new(&rule.queue, site);
        let controller = rule.controller.map(|PortController { config, follows, .. }| Controller {
            router: Router::new(config, Instant::ZERO),
            follows,
        });
        let loss = LossProcess::new(rule.loss, loss);
        let jitter = jitter.map(|stream| Box::new(JitterProcess::new(rule.jitter, stream)));
        let is_lossless = matches!(loss, LossProcess::None) && jitter.is_none();
        let is_plain = queue.is_none() && controller.is_none() && is_lossless;
        (!is_plain).then(|| Box::new(PortFeatures { queue, controller, loss, jitter }))
    }
}
