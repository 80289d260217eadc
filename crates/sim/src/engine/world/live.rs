//! A run whose flows are given packets from outside while it goes on.

use super::World;
use crate::engine::execute::windowed::Schedule;
use crate::model::SimTime;

/// Why one thread works.
const REASON: &str = "hosts outside are served by one thread";

impl World {
    /// One thread goes event after event from now on, so that packets may enter between any two of them.
    pub fn go_live(&mut self) {
        self.use_threads(1);
        self.take(Schedule::Global);
        self.threading.next_look = SimTime::NEVER;
        self.threading.reason = Some(REASON.to_owned());
    }

    /// When the next event is, or something happens from outside.
    pub fn next_event(&mut self) -> SimTime {
        let events = self.partitions.iter_mut().map(|part| part.next_event()).min();
        events.map_or(SimTime::NEVER, SimTime::from_ps).min(self.next_control())
    }

    /// The sending machine of a flow may have set a deadline that is not over.
    pub fn wake(&mut self, flow: u32) {
        let place = self.layout.of_node[self.layout.flows[flow as usize].source.index()];
        self.partitions[place as usize].wake(flow);
    }
}
