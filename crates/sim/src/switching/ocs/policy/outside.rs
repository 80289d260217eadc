//! What a class outside of this crate decides.

use super::{Order, Policy, View};
use crate::switching::chooser::{Asking, Chooser, Seen};
use units::Instant;

/// A class that decides.
#[derive(Debug)]
pub(in crate::switching::ocs) struct Outside(pub Box<dyn Chooser>);

impl Policy for Outside {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        let circuits = |outputs: &Vec<Option<u32>>| {
            (0..).zip(outputs).filter_map(|(from, to)| Some((from, (*to)?))).collect::<Vec<_>>()
        };
        let live = view.frontier.live().iter();
        let asking: Vec<Asking> = live
            .map(|(pair, left)| Asking {
                circuit: *pair,
                transfers: left.transfers,
                ready: left.ready,
                bytes: left.bytes,
            })
            .collect();
        let seen = Seen {
            now: Instant::from_ps(view.now),
            step: view.frontier.begun(),
            circuits: view.outputs.iter().map(circuits).collect(),
            asking: &asking,
        };
        let chosen = self.0.choose(&seen).into_iter();
        chosen.map(|(switch, pairs)| Order { switch: switch as usize, pairs }).collect()
    }

    fn next_timeout(&self) -> u64 {
        self.0.next_timeout().ps()
    }
}
