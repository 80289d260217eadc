//! XCP's controller at a port. Its timers are served when the next packet arrives, with the queue as it was when they were due.

use super::Port;
use crate::engine::extras::Extras;
use crate::engine::gate::Gate;
use crate::model::Light;
use transport::xcp::{Figures, Router};
use units::Rate;

impl Port {
    /// Serves the timers of the port's controller that were due before `now`.
    pub(super) fn serve(&mut self, now: u64, router: &mut Router, gate: &mut Option<Gate>) {
        while router.next_timeout().ps() < now {
            let due = router.next_timeout();
            let waiting = self.queue_bytes(due.ps(), gate);
            router.handle_timeout(due, waiting);
        }
    }

    /// Bytes that wait at `now`, the packet in transmission not counted.
    pub(super) fn queue_bytes(&mut self, now: u64, gate: &mut Option<Gate>) -> u64 {
        if let Some(gate) = gate {
            return gate.queue(now).1;
        }
        // What an optical port keeps is not its own queue; what any other keeps waits in its line.
        let in_line = if self.light == Light::None { self.kept.bytes } else { 0 };
        in_line + self.look_inside(now).bytes
    }

    /// The figures of XCP's controller up to `now`, if the port has one, and the packets that broke its rules.
    pub fn control(&mut self, now: u64) -> Option<(Option<Figures>, u64)> {
        let mut extras = self.extras.take()?;
        let Extras { controller, gate, .. } = &mut *extras;
        let control = controller.as_mut().map(|controller| {
            self.serve(now, &mut controller.router, gate);
            (controller.router.figures().copied(), controller.router.violations())
        });
        self.extras = Some(extras);
        control
    }

    /// XCP's controller is told that the port carries `capacity`, whether that is true or not.
    pub fn tell_capacity(&mut self, now: u64, capacity: Rate) {
        let Some(mut extras) = self.extras.take() else { return };
        let Extras { controller, gate, .. } = &mut *extras;
        if let Some(controller) = controller {
            self.serve(now, &mut controller.router, gate);
            controller.router.set_capacity(capacity);
        }
        self.extras = Some(extras);
    }

    /// Whether it reads congestion headers.
    pub fn reads_cargo(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.controller.is_some())
    }

    /// Whether the port has a controller that is to be told its capacity.
    pub fn controller_follows(&self) -> bool {
        let controller = self.extras.as_ref().and_then(|extras| extras.controller.as_ref());
        controller.is_some_and(|controller| controller.follows)
    }
}
