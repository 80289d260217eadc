//! XCP's controllers at the queues of a rack, one for each pair with data. A controller that follows knows the week:
//! the capacity of its pair is that of the circuit in its days, else the pair's part of the packet switch. It may be
//! told so some time ahead.

use super::Circuits;
use super::forecast::Course;
use super::members::Members;
use crate::engine::node::agent_setup::BuildContext;
use crate::model::PortController;
use std::collections::BTreeMap;
use transport::xcp::{Header, Router, RouterConfig};
use units::{Instant, Rate};

/// The controller of a queue.
#[derive(Debug)]
pub(super) struct Controller {
    router: Router,
    told: Option<RateAhead>,
}

/// What a controller that follows knows.
#[derive(Debug)]
struct RateAhead {
    course: Course,
    /// In picoseconds.
    ahead: u64,
}

impl Controller {
    /// Those of a rack, by the rack that packets go to.
    pub fn of_rack(plan: &Circuits, rack: u32, members: &Members, build: &BuildContext) -> BTreeMap<u32, Controller> {
        let links = plan.racks[rack as usize];
        let to_packet = &build.network.links[links.to_packet.index()];
        let Some(PortController { config, follows, ahead }) = to_packet.controller else { return BTreeMap::new() };
        let ahead = plan.rules.xcp_lead.max(ahead.ps());
        let controller = |(to, course)| (to, Controller::new(config, follows.then_some(RateAhead { course, ahead })));
        Course::of_rack(plan, rack, members, build.network).map(controller).collect()
    }

    fn new(config: RouterConfig, told: Option<RateAhead>) -> Controller {
        Controller { router: Router::new(config, Instant::ZERO), told }
    }

    /// Serves its timers that were due before `now`; so many bytes have been waiting since.
    pub fn serve(&mut self, now: u64, waiting: u64) {
        while self.router.next_timeout().ps() < now {
            let due = self.router.next_timeout();
            if let Some(told) = &self.told {
                self.router.set_capacity(told.capacity(due.ps()));
            }
            self.router.handle_timeout(due, waiting);
        }
    }

    /// A packet comes, and finds so many bytes waiting.
    pub fn tell_arrival(&mut self, now: u64, size: u16, header: Option<&Header>, waiting: u64) {
        self.serve(now, waiting);
        self.router.handle_arrival(size.into(), header, waiting);
    }

    /// It has room.
    pub fn tell_departure(&mut self, size: u16, header: &mut Header) {
        self.router.handle_departure(size.into(), header);
    }
}

impl RateAhead {
    /// What is believed at a time.
    fn capacity(&self, at: u64) -> Rate {
        self.course.at(at + self.ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_believes_what_comes_its_lead_ahead() {
        let gbps = Rate::from_gbps;
        let (circuit, packet) = (gbps(80), gbps(10));
        // A day from 20 to 200 of 400, told 30 ahead.
        let course = Course::new(packet, vec![(20, circuit), (200, packet)], 400);
        let told = RateAhead { course, ahead: 30 };
        let seen = [0, 169, 170, 389, 390, 569, 570].map(|at| told.capacity(at).bps() / 1_000_000_000);
        assert_eq!(seen, [80, 80, 10, 10, 80, 80, 10]);
        let mut controller = Controller::new(RouterConfig::new(packet), Some(told));
        let first = RouterConfig::default().initial_interval.ps();
        controller.serve(first, 0);
        assert_eq!(controller.router.capacity(), packet, "its first timer is due only now");
        controller.serve(first + 1, 0);
        let expected = if (first + 30) % 400 < 200 && (first + 30) % 400 >= 20 { circuit } else { packet };
        assert_eq!(controller.router.capacity(), expected);
    }
}
