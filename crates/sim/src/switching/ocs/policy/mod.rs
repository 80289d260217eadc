//! What sets the switches, one rule a file.
//!
//! | file | holds |
//! |---|---|
//! | `fixed` | matchings that stay: for all the work, or for one collective after another |
//! | `by_step` | the matchings of each step, on all switches or on halves in turn |
//! | `demand` | what is under way, measured again and again |
//! | `outside` | what a class outside of this crate decides |

mod by_step;
mod demand;
mod fixed;
mod outside;

pub(super) use by_step::{Overlap, PerStep};
pub(super) use demand::Demand;
pub(super) use fixed::{PerCollective, Static, of_works};
pub(super) use outside::Outside;

use super::frontier::{Frontier, Pair};
use super::matching::{Outputs, covers};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What a policy sees.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// In picoseconds.
    pub now: u64,
    /// Nodes with ports.
    pub nodes: u32,
    /// How far the work has come.
    pub frontier: &'a Frontier,
    /// The output of each input of each switch, or those that it turns to.
    pub outputs: &'a [Outputs],
}

/// A switch is to have circuits for these pairs; its others stay as far as they can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub switch: usize,
    pub pairs: Vec<Pair>,
}

/// What sets the switches. It is asked when the work has come further.
pub(super) trait Policy: Debug + Send {
    /// What is to be set.
    fn decide(&mut self, view: &View) -> Vec<Order>;

    /// When it wants to be asked, whatever happens; `u64::MAX` for never.
    fn next_timeout(&self) -> u64 {
        u64::MAX
    }
}

impl View<'_> {
    /// Whether a circuit of a switch leads where bytes of the steps under way go.
    fn is_used(&self, switch: usize) -> bool {
        let live = self.frontier.live();
        (0..).zip(&self.outputs[switch]).any(|(from, to)| to.is_some_and(|to| live.contains_key(&(from, to))))
    }

    /// Whether some pair of these has a circuit.
    fn has_circuit<'a>(&self, pairs: impl IntoIterator<Item = &'a Pair>) -> bool {
        let leads = |(from, to): &Pair| self.outputs.iter().any(|outputs| outputs[*from as usize] == Some(*to));
        pairs.into_iter().any(leads)
    }

    /// The bytes of the steps under way.
    fn live(&self) -> BTreeMap<Pair, u64> {
        self.frontier.live().iter().map(|(pair, left)| (*pair, left.bytes)).collect()
    }

    /// Gives these matchings to these switches: each to one that has it already, if there is one.
    fn laid_on(&self, switches: &[usize], matchings: Vec<Vec<Pair>>) -> Vec<Order> {
        let mut free = switches.to_vec();
        let mut others = Vec::new();
        for pairs in matchings {
            match free.iter().position(|switch| covers(&self.outputs[*switch], &pairs)) {
                Some(place) => drop(free.remove(place)),
                None => others.push(pairs),
            }
        }
        free.into_iter().zip(others).map(|(switch, pairs)| Order { switch, pairs }).collect()
    }
}
