//! What most ports do without: a queue discipline that judges arrivals, XCP's controller, random loss, jitter.

use super::jitter::JitterProcess;
use super::loss::LossProcess;
use crate::model::{Forecast, PortController, PortRule};
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
    /// So long ahead, in picoseconds, it is told what the network knows of it.
    pub ahead: u64,
    /// What that is.
    pub forecast: Option<Forecast>,
}

impl Controller {
    /// It decides at `due`, by what the port will have.
    pub fn look_ahead(&mut self, due: u64) {
        let then = self.forecast.as_ref().and_then(|forecast| forecast.at(due.saturating_add(self.ahead)));
        then.into_iter().for_each(|capacity| self.router.set_capacity(capacity));
    }
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
        let controller = rule.controller.map(|PortController { config, follows, ahead }| Controller {
            router: Router::new(config, Instant::ZERO),
            follows,
            ahead: ahead.ps(),
            forecast: None,
        });
        let loss = LossProcess::new(rule.loss, loss);
        let jitter = jitter.map(|stream| Box::new(JitterProcess::new(rule.jitter, stream)));
        let is_lossless = matches!(loss, LossProcess::None) && jitter.is_none();
        let is_plain = queue.is_none() && controller.is_none() && is_lossless;
        (!is_plain).then(|| Box::new(PortFeatures { queue, controller, loss, jitter }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Change, LinkId, MidPacket, Step, Timeline};
    use transport::xcp::RouterConfig;
    use units::{Duration, Rate};

    /// A link of 10 Gb/s that has 5 Gb/s from 10 ps on, and a controller that is told 4 ps ahead.
    #[test]
    fn a_controller_believes_what_comes_its_lead_ahead() {
        let change = Change::Capacity(Rate::from_gbps(5), MidPacket::Continue);
        let steps = [Step { after: Duration::from_ps(10), change }].into();
        let forecast = Forecast::of(LinkId(0), &[Timeline { link: LinkId(0), steps, period: None }]);
        let router = Router::new(RouterConfig::new(Rate::from_gbps(10)), Instant::ZERO);
        let mut controller = Controller { router, follows: true, ahead: 4, forecast };
        let believed = [5, 6, 20].map(|due| {
            controller.look_ahead(due);
            controller.router.capacity().bps() / 1_000_000_000
        });
        assert_eq!(believed, [10, 5, 5]);
    }
}
