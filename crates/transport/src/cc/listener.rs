//! A law for the tests: it asks for all there is, keeps what it is told and leaves the window alone.

use super::{Asks, CongestionControl, Event, Window, reno};

/// The law of one flow.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The events so far, in order.
    pub heard: Vec<Event>,
}

impl CongestionControl for Listener {
    type Config = reno::Config;

    const ASKS: Asks = Asks { rate_samples: true, every_ack: true, ..Asks::NOTHING };

    fn new(_: &reno::Config) -> Listener {
        Listener { heard: Vec::new() }
    }

    fn on_ack(&mut self, _: &reno::Config, _: &mut Window, event: &Event) {
        self.heard.push(*event);
    }
}
