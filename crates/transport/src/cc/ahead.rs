//! What is told of times to come, until they have come.

use std::collections::VecDeque;
use units::Instant;

/// So many are remembered.
const MOST: usize = 64;

/// Things with their times, in the order of these.
#[derive(Clone, Debug)]
pub(super) struct Ahead<T>(VecDeque<(Instant, T)>);

impl<T> Default for Ahead<T> {
    fn default() -> Ahead<T> {
        Ahead(VecDeque::new())
    }
}

impl<T> Ahead<T> {
    /// Something comes at a time.
    pub fn note(&mut self, at: Instant, what: T) {
        let place = self.0.partition_point(|(one, _)| *one <= at);
        self.0.insert(place, (at, what));
        self.0.truncate(MOST);
    }

    /// The last of what has come by now, and when; it and what came before are forgotten.
    pub fn take_due(&mut self, now: Instant) -> Option<(Instant, T)> {
        let due = self.0.partition_point(|(at, _)| *at <= now);
        self.0.drain(..due).next_back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_is_due_counts_and_so_many_are_remembered() {
        let mut ahead = Ahead::default();
        [30, 10, 20].into_iter().for_each(|ps| ahead.note(Instant::from_ps(ps), ps));
        let mut due = |now| ahead.take_due(Instant::from_ps(now)).map(|(_, what)| what);
        assert_eq!([due(9), due(25), due(25), due(30)], [None, Some(20), None, Some(30)]);
        (0..1000).for_each(|ps| ahead.note(Instant::from_ps(ps), ps));
        assert_eq!(ahead.take_due(Instant::NEVER).map(|(_, what)| what), Some(MOST as u64 - 1));
    }
}
