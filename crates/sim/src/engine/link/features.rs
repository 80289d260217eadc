//! What most ports do without: a queue discipline that judges arrivals, XCP's controller, properties of the fibre.

use crate::links::AtPort;
use crate::model::{DelayLaw, Forecast, PortController, PortRule};
use crate::queue::{Queue, Site};
use transport::xcp::Router;
use units::Instant;

/// What most ports do without.
#[derive(Debug)]
pub struct PortFeatures {
    /// Its queue discipline, if that decides when packets arrive.
    pub queue: Option<Queue>,
    /// XCP's controller.
    pub controller: Option<Controller>,
    /// What the properties of its link do.
    pub fibre: AtPort,
    /// The delay, if it is a law of time.
    pub law: Option<LawReader>,
}

/// A delay as a law of time, above the least, which is the port's.
#[derive(Debug)]
pub struct LawReader {
    law: DelayLaw,
    /// Where the law was read last.
    place: usize,
}

impl LawReader {
    /// At the beginning.
    pub fn new(law: DelayLaw) -> LawReader {
        LawReader { law, place: 0 }
    }

    /// How much later than the least delay a packet arrives whose last bit leaves at `end`; `None` if there is no link
    /// then.
    #[inline]
    pub fn late(&mut self, end: u64) -> Option<u64> {
        Some(self.law.at(end, &mut self.place)? - self.law.least().ps())
    }
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
        fibre: AtPort,
        law: Option<DelayLaw>,
    ) -> Option<Box<PortFeatures>> {
        let queue = Queue::new(&rule.queue, site);
        let controller = rule.controller.map(|PortController { config, follows, ahead }| Controller {
            router: Router::new(config, Instant::ZERO),
            follows,
            ahead: ahead.ps(),
            forecast: None,
        });
        let is_plain = queue.is_none() && controller.is_none() && fibre.is_empty() && law.is_none();
        (!is_plain).then(|| Box::new(PortFeatures { queue, controller, fibre, law: law.map(LawReader::new) }))
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
