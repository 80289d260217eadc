//! What a node has heard of another: a slot that comes twice, or from a session that is over, is refused.
//!
//! Sessions of a node only grow, so the last session that was heard is the only one that counts. Within it a window of
//! the 64 highest numbers lets slots overtake one another (RFC 4303 §3.4.3 has the same rule).

/// The slots heard from one sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayWindow {
    session: u64,
    /// One more than the highest number heard; 0 is none.
    next: u64,
    /// Bit i: number `next - 1 - i` has been heard.
    heard: u64,
}

impl ReplayWindow {
    /// Whether a slot with this session and number is new; if so, it no longer is.
    pub fn accept(&mut self, session: u64, sequence: u64) -> bool {
        if session < self.session || sequence == u64::MAX {
            return false;
        }
        if session > self.session {
            *self = ReplayWindow { session, next: 0, heard: 0 };
        }
        if sequence >= self.next {
            let ahead = sequence + 1 - self.next;
            self.heard = if ahead < 64 { self.heard << ahead | 1 } else { 1 };
            self.next = sequence + 1;
            return true;
        }
        let behind = self.next - 1 - sequence;
        let unheard = behind < 64 && self.heard & (1 << behind) == 0;
        if unheard {
            self.heard |= 1 << behind;
        }
        unheard
    }

    /// Another node says that this session has begun: earlier ones are over.
    pub fn advance(&mut self, session: u64) {
        if session > self.session {
            *self = ReplayWindow { session, next: 0, heard: 0 };
        }
    }

    /// The session that counts; 0 if none was heard.
    pub fn session(&self) -> u64 {
        self.session
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_older_session_is_refused_and_a_newer_one_begins_anew() {
        let mut window = ReplayWindow::default();
        assert!(window.accept(5, 0) && window.accept(5, 9) && !window.accept(5, 0));
        assert!(window.accept(6, 0), "the node has started again");
        assert!(!window.accept(5, 10), "its former session is over");
        assert_eq!(window.session(), 6);
        assert!(!window.accept(6, u64::MAX), "the last number has no successor");
    }

    proptest! {
        /// Against a set of all that was accepted.
        #[test]
        fn a_window_is_a_set_with_a_horizon(numbers in prop::collection::vec(0u64..200, 0..300)) {
            let (mut window, mut seen) = (ReplayWindow::default(), BTreeSet::new());
            for number in numbers {
                let highest = seen.last().copied().unwrap_or(0);
                let expected = number + 64 > highest && !seen.contains(&number);
                prop_assert_eq!(window.accept(1, number), expected);
                if expected {
                    seen.insert(number);
                }
            }
        }
    }
}
