//! The window under which an acknowledged segment had left.

use std::collections::VecDeque;

/// Windows by the byte after the highest one sent when they began to count.
#[derive(Clone, Debug, Default)]
pub(super) struct OldWindows {
    began: VecDeque<(u64, u64)>,
}

impl OldWindows {
    /// From byte `next` on segments leave under this window.
    pub fn note(&mut self, next: u64, cwnd: u64) {
        match self.began.back_mut() {
            Some(newest) if newest.0 >= next => newest.1 = cwnd,
            _ => self.began.push_back((next, cwnd)),
        }
    }

    /// The window under which the byte before `ack` had left; what is older is forgotten.
    pub fn of(&mut self, ack: u64) -> Option<u64> {
        while self.began.get(1).is_some_and(|(next, _)| *next < ack) {
            self.began.pop_front();
        }
        self.began.front().map(|(_, cwnd)| *cwnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_left_under_the_window_that_counted_before_it() {
        let mut windows = OldWindows::default();
        [(0, 10), (100, 20), (100, 25), (300, 30)].into_iter().for_each(|(next, cwnd)| windows.note(next, cwnd));
        // Bytes 0 to 99 left under 10, 100 to 299 under 25, the rest under 30.
        assert_eq!([1, 100, 101, 300, 301].map(|ack| windows.of(ack)), [10, 10, 25, 25, 30].map(Some));
        assert_eq!(windows.began.len(), 1);
    }
}
