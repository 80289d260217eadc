//! What a port that measures its packets knows of itself, and what it offers to flows of RCP.

use crate::model::Forecast;
use transport::cc::rcp::Config;
use transport::rcp::Router;
use transport::telemetry::{Hop, NextRate, Telemetry};
use units::{Instant, Rate};

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
    offering: Option<Offering>,
}

/// RCP's controller, and how long ahead it reckons with the capacity, in picoseconds.
#[derive(Debug)]
struct Offering {
    router: Router,
    ahead: u64,
}

impl Meter {
    /// That of a port with this number and rate, where the network knows what becomes of that.
    pub fn new(port: u32, rate: Rate, forecast: Option<Forecast>) -> Meter {
        let mut meter = Meter { port, rate, next: None, sent: 0, forecast, offering: None };
        meter.note_rate(0, rate);
        meter
    }

    /// It offers a rate to flows of RCP.
    pub fn offer(&mut self, config: &Config) {
        let router = Router::new(config, self.rate, Instant::ZERO);
        self.offering = Some(Offering { router, ahead: config.ahead.ps() });
    }

    /// Another rate from now on.
    pub fn note_rate(&mut self, now: u64, rate: Rate) {
        self.rate = rate;
        let next = self.forecast.as_ref().and_then(|forecast| forecast.next(now));
        self.next = next.map(|(at, rate)| NextRate { at: Instant::from_ps(at), rate });
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
