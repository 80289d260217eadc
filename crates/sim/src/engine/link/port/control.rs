//! XCP's controller at a port. Its timers are served when the next packet arrives, with the queue as it was when they
//! were due.

use super::Port;
use crate::engine::link::features::PortFeatures;
use crate::engine::link::gated::GatedTransmitter;
use crate::model::Light;
use transport::xcp::{Figures, Router};
use units::Rate;

impl Port {
    /// Serves the timers of the port's controller that were due before `now`.
    pub(super) fn serve(&mut self, now: u64, router: &mut Router, gate: &mut Option<GatedTransmitter>) {
        while router.next_timeout().ps() < now {
            let due = router.next_timeout();
            let waiting = self.queue_bytes(due.ps(), gate);
            router.handle_timeout(due, waiting);
        }
    }

    /// Bytes that wait at `now`, the packet in transmission not counted.
    pub(super) fn queue_bytes(&mut self, now: u64, gate: &mut Option<GatedTransmitter>) -> u64 {
        if let Some(gate) = gate {
            return gate.queue(now).1;
        }
        // What an optical port keeps is not its own queue; what any other keeps waits in its line.
        let in_discipline = if self.light == Light::None { self.kept.bytes } else { 0 };
        in_discipline + self.backlog(now).bytes
    }

    /// The figures of XCP's controller up to `now`, if the port has one, and the packets that broke its rules.
    pub fn control(&mut self, now: u64) -> Option<(Option<Figures>, u64)> {
        let mut features = self.features.take()?;
        let PortFeatures { controller, gate, .. } = &mut *features;
        let control = controller.as_mut().map(|controller| {
            self.serve(now, &mut controller.router, gate);
            (controller.router.figures().copied(), controller.router.violations())
        });
        self.features = Some(features);
        control
    }

    /// XCP's controller is told that the port carries `capacity`, whether that is true or not.
    pub fn tell_capacity(&mut self, now: u64, capacity: Rate) {
        let Some(mut features) = self.features.take() else { return };
        let PortFeatures { controller, gate, .. } = &mut *features;
        if let Some(controller) = controller {
            self.serve(now, &mut controller.router, gate);
            controller.router.set_capacity(capacity);
        }
        self.features = Some(features);
    }

    /// Whether it reads congestion headers.
    pub fn reads_payload(&self) -> bool {
        self.features.as_ref().is_some_and(|features| features.controller.is_some())
    }

    /// Whether the port has a controller that is to be told its capacity.
    pub fn controller_follows(&self) -> bool {
        let controller = self.features.as_ref().and_then(|features| features.controller.as_ref());
        controller.is_some_and(|controller| controller.follows)
    }
}
