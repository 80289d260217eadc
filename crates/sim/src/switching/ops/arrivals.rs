//! Packets that come to a slotted node before a slot begins, and the order in which they then get places.

use crate::random::{Stream, uniform_index};

/// The arrivals of a slot, of which one after another is selected at random, as for an output by Karol, Hluchyj and
/// Morgan (IEEE Trans. Commun. 35(12), 1987).
#[derive(Debug)]
pub struct Arrivals<T> {
    stream: Stream,
    list: Vec<T>,
}

impl<T> Arrivals<T> {
    /// None yet.
    pub fn new(stream: Stream) -> Arrivals<T> {
        Arrivals { stream, list: Vec::new() }
    }

    /// One more.
    pub fn push(&mut self, arrival: T) {
        self.list.push(arrival);
    }

    /// Takes one of them, each with the same probability. Taken one by one they come in a uniformly random order.
    pub fn draw(&mut self) -> Option<T> {
        let place = match self.list.len() {
            0 => return None,
            1 => 0,
            count => uniform_index(&mut self.stream, count as u64) as usize,
        };
        Some(self.list.swap_remove(place))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Shows each of them.
    pub fn for_each(&mut self, change: impl FnMut(&mut T)) {
        self.list.iter_mut().for_each(change);
    }
}
