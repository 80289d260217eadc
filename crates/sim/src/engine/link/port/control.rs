//! XCP's controller at a port. Its timers are served when the next packet arrives, with the queue as it was when they
//! were due.

use super::Port;
use crate::engine::link::features::Controller;
use crate::model::Forecast;
use transport::xcp::{Figures, Header};
use units::Rate;

impl Port {
    /// Serves the timers of the port's controller that were due before `now`.
    #[inline]
    pub(super) fn serve_controller(&mut self, now: u64) {
        while let Some(Controller { router, .. }) = self.controller()
            && router.next_timeout().ps() < now
        {
            let due = router.next_timeout();
            self.backlog.sweep(due.ps());
            let waiting = self.waiting(due.ps()).bytes;
            if let Some(controller) = self.controller_mut() {
                controller.look_ahead(due.ps());
                controller.router.handle_timeout(due, waiting);
            }
        }
    }

    /// The port's controller, if it has one, sees a packet that comes.
    pub(super) fn tell_arrival(&mut self, now: u64, size: u16, header: Option<&Header>) {
        if self.reads_payload() {
            self.serve_controller(now);
            self.backlog.sweep(now);
            let waiting = self.waiting(now).bytes;
            if let Some(Controller { router, .. }) = self.controller_mut() {
                router.handle_arrival(size.into(), header, waiting);
            }
        }
    }

    /// It sees a packet that has got in.
    pub(super) fn tell_departure(&mut self, size: u16, header: Option<&mut Header>) {
        if let (Some(Controller { router, .. }), Some(header)) = (self.controller_mut(), header) {
            router.handle_departure(size.into(), header);
        }
    }

    /// The figures of XCP's controller up to `now`, if the port has one, and the packets that broke its rules.
    pub fn control(&mut self, now: u64) -> Option<(Option<Figures>, u64)> {
        self.serve_controller(now);
        let Controller { router, .. } = self.controller()?;
        Some((router.figures().copied(), router.violations()))
    }

    /// XCP's controller is told that the port carries `capacity`, whether that is true or not.
    pub fn tell_capacity(&mut self, now: u64, capacity: Rate) {
        self.serve_controller(now);
        if let Some(Controller { router, .. }) = self.controller_mut() {
            router.set_capacity(capacity);
        }
    }

    /// XCP's controller is told what the capacity will be, by its `ahead`.
    pub fn take_forecast(&mut self, forecast: Option<Forecast>) {
        if let Some(controller) = self.controller_mut() {
            controller.forecast = forecast;
        }
    }

    /// Whether it reads congestion headers.
    pub fn reads_payload(&self) -> bool {
        self.controller().is_some()
    }

    /// Whether the port has a controller that is to be told its capacity when that changes.
    pub fn controller_follows(&self) -> bool {
        self.controller().is_some_and(|controller| controller.follows && controller.forecast.is_none())
    }

    fn controller(&self) -> Option<&Controller> {
        self.features.as_ref()?.controller.as_ref()
    }

    fn controller_mut(&mut self) -> Option<&mut Controller> {
        self.features.as_mut()?.controller.as_mut()
    }
}
