//! What a port that measures its packets knows of itself, and what it offers to flows of RCP.

use crate::model::{Forecast, TransportKind};
use transport::cc::rcp::Config;
use transport::rcp::Router;
use transport::telemetry::{Hop, NextRate, Telemetry};
use units::{Instant, Rate};

/// What laws ask of whatever measures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    measures: bool,
    makes_room: bool,
    /// By what ports offer a rate to flows of RCP, if there are any.
    rcp: Option<&'a Config>,
}

impl<'a> Asked<'a> {
    /// By these.
    pub fn by(kinds: impl Iterator<Item = &'a TransportKind>) -> Asked<'a> {
        kinds.filter(|kind| kind.reads_telemetry()).fold(Asked::default(), |asked, kind| Asked {
            measures: true,
            makes_room: asked.makes_room || kind.record().grows(),
            rcp: asked.rcp.or(kind.rcp()),
        })
    }

    /// Whether anything is asked.
    pub fn measures(&self) -> bool {
        self.measures
    }

    /// What a port with this number and rate needs for it, where the network knows what becomes of that rate.
    pub fn meter(&self, port: u32, rate: Rate, forecast: Option<Forecast>) -> Meter {
        let offering = self.rcp.map(|config| {
            let router = Router::new(config, rate, Instant::ZERO);
            Offering { router, ahead: config.ahead.ps() }
        });
        let makes_room = self.makes_room;
        let mut meter = Meter { port, rate, next: None, sent: 0, forecast, makes_room, offering };
        meter.note_rate(0, rate);
        meter
    }
}

/// What a port knows of itself.
#[derive(Debug)]
pub struct Meter {
    /// Its number among all ports.
    port: u32,
    /// What it sends in a second.
    rate: Rate,
    /// What it will send.
    next: Option<NextRate>,
    /// Bytes sent so far.
    sent: u64,
    forecast: Option<Forecast>,
    /// Whether packets become longer by what it says.
    pub makes_room: bool,
    offering: Option<Offering>,
}

/// RCP's controller, and how long ahead it reckons with the capacity, in picoseconds.
#[derive(Debug)]
struct Offering {
    router: Router,
    ahead: u64,
}

impl Meter {
    /// Another rate from now on.
    pub fn note_rate(&mut self, now: u64, rate: Rate) {
        self.rate = rate;
        let next = self.forecast.as_ref().and_then(|forecast| forecast.next(now));
        self.next = next.map(|(at, rate)| NextRate { at: Instant::from_ps(at), rate });
    }

    /// Another rate, where the forecast says so.
    pub fn follow(&mut self, now: u64) {
        if let (Some(next), Some(forecast)) = (self.next, &self.forecast)
            && next.at.ps() <= now
        {
            let rate = forecast.at(now).unwrap_or(self.rate);
            self.note_rate(now, rate);
        }
    }

    /// A packet comes and finds so many bytes waiting.
    #[inline]
    pub fn handle_arrival(&mut self, now: u64, size: u16, queue: u64) {
        if self.offering.is_some() {
            self.serve(now, queue);
            self.offering.iter_mut().for_each(|offering| offering.router.handle_arrival(size.into()));
        }
    }

    /// A packet begins to leave.
    pub fn add(&mut self, size: u16) {
        self.sent += u64::from(size);
    }

    /// The packet that has begun to leave takes along what there is to say; so many bytes wait behind it.
    pub fn tell(&mut self, now: u64, size: u16, queue: u64, told: &mut Telemetry) {
        let Meter { port, rate, next, sent, .. } = *self;
        told.push(Hop { port, at: Instant::from_ps(now), queue, sent: sent - u64::from(size), rate, next });
        if self.offering.is_some() {
            self.serve(now, queue);
            self.offering
                .iter_mut()
                .for_each(|offering| offering.router.handle_departure(Instant::from_ps(now), &mut told.offer));
        }
    }

    /// RCP's controller decides what was due.
    fn serve(&mut self, now: u64, queue: u64) {
        let Some(Offering { router, ahead }) = &mut self.offering else { return };
        let at = Instant::from_ps(now);
        if router.is_due(at) {
            let then = self.forecast.as_ref().and_then(|forecast| forecast.at(now.saturating_add(*ahead)));
            router.set_capacity(then.unwrap_or(self.rate));
            router.handle_timeout(at, queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    /// 10 Gb/s, and from 100 ps on in each 200 ps 5 Gb/s until 150.
    fn meter() -> Meter {
        let [ten, five] = [10, 5].map(Rate::from_gbps);
        Asked::default().meter(7, ten, Forecast::periodic(vec![(100, five), (150, ten)], 200))
    }

    #[test]
    fn a_packet_takes_along_what_was_sent_before_it_and_what_waits_behind_it() {
        let (mut meter, mut told) = (meter(), Telemetry::default());
        for (now, size, queue) in [(10, 1500, 3000), (20, 40, 0)] {
            meter.handle_arrival(now, size, queue);
            meter.add(size);
            meter.tell(now, size, queue, &mut told);
        }
        let next = Some(NextRate { at: Instant::from_ps(100), rate: Rate::from_gbps(5) });
        let hop =
            |at, queue, sent| Hop { port: 7, at: Instant::from_ps(at), queue, sent, rate: Rate::from_gbps(10), next };
        assert_eq!(told.hops(), [hop(10, 3000, 0), hop(20, 0, 1500)]);
        assert!(!Asked::default().measures());
    }

    #[test]
    fn the_rate_follows_the_forecast_when_its_time_has_come() {
        let mut meter = meter();
        let seen = [99, 100, 149, 150, 299, 310].map(|now| {
            meter.follow(now);
            let next = meter.next.map(|next| (next.at.saturating_since(Instant::ZERO), next.rate.bps()));
            (meter.rate.bps() / 1_000_000_000, next)
        });
        let next = |ps, gbps: u64| Some((Duration::from_ps(ps), gbps * 1_000_000_000));
        let (five, ten) = (next(100, 5), next(150, 10));
        let expected = [(10, five), (5, ten), (5, ten), (10, next(300, 5)), (10, next(300, 5)), (5, next(350, 10))];
        assert_eq!(seen, expected);
    }
}
