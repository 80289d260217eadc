//! What a sender keeps by division of time, for laws that want it: round trips, and when which division was on.
//!
//! A segment that is timed while the division changes is no sample: its data went one way and its ACK perhaps another.
//! A division that is new, or has no sample yet, waits as long as the one that waits longest.

use super::rtt::Rtt;
use super::{Sender, SenderConfig};
use std::collections::VecDeque;
use units::Instant;

/// Changes that are remembered: what is in flight is no older than some of them.
const MOST_CHANGES: usize = 64;

/// The divisions of one flow.
#[derive(Clone, Debug)]
pub(super) struct Divisions {
    /// The one that is on.
    current: u16,
    /// Those of the others that were on.
    round_trips: Vec<(u16, Rtt)>,
    /// When which began, the newest last.
    changes: VecDeque<(Instant, u16)>,
    /// True if what left in another division than the newest delivered segment is not late.
    keeps_holes: bool,
}

impl Divisions {
    /// `None` for a flow whose law has no use for it.
    pub(super) fn new(config: &SenderConfig) -> Option<Box<Divisions>> {
        let wants = config.algorithm.wants(&config.laws);
        let keeps_holes = wants.division_losses;
        let (round_trips, changes) = (Vec::new(), VecDeque::new());
        wants.division_rtt.then(|| Box::new(Divisions { current: 0, round_trips, changes, keeps_holes }))
    }

    /// The division in which something left at `at`.
    fn at(&self, at: Instant) -> u16 {
        let since = self.changes.iter().rev().find(|(from, _)| *from <= at);
        since.map_or_else(|| self.changes.front().map_or(self.current, |(_, first)| *first), |(_, number)| *number)
    }

    /// True if the one that left at `sent` can be late because the other was delivered.
    pub(super) fn are_comparable(&self, sent: Instant, delivered: Instant) -> bool {
        !self.keeps_holes || self.at(sent) == self.at(delivered)
    }

    /// Another division begins, with the round trips `rtt` so far; those of the one that begins.
    fn change(&mut self, now: Instant, number: u16, mut rtt: Rtt, config: &SenderConfig) -> Rtt {
        rtt.cancel();
        if self.changes.is_empty() {
            self.changes.push_back((Instant::ZERO, self.current));
        }
        if self.changes.len() == MOST_CHANGES {
            self.changes.pop_front();
        }
        self.changes.push_back((now, number));
        let place = self.round_trips.iter().position(|(known, _)| *known == number);
        let next = place.map(|place| self.round_trips.swap_remove(place).1);
        self.round_trips.push((self.current, rtt));
        self.current = number;
        match next {
            Some(known) if known.srtt().is_some() => known,
            _ => Rtt::waiting(config, self.round_trips.iter().map(|(_, rtt)| rtt.rto()).max()),
        }
    }
}

impl Sender {
    /// A division of time begins.
    pub(super) fn change_division(&mut self, now: Instant, number: u16) {
        let (rtt, config) = (self.rtt, &self.config);
        let Some(divisions) = self.features.as_mut().and_then(|features| features.divisions.as_deref_mut()) else {
            return;
        };
        if divisions.current != number {
            self.rtt = divisions.change(now, number, rtt, config);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Algorithm, NewsWay, PathChange};
    use crate::tcp::{Ack, Actions, SackBlock};
    use std::sync::Arc;
    use units::Duration;

    const MSS: u64 = 1000;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    struct Flow {
        sender: Sender,
        actions: Actions,
    }

    impl Flow {
        fn new(holes: crate::cc::tdtcp::Holes) -> Flow {
            let mut config = SenderConfig { algorithm: Algorithm::TdTcp, mss: MSS as u32, ..Default::default() };
            config.laws.tdtcp.holes = holes;
            let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
            sender.write(Instant::ZERO, u64::MAX, &mut actions);
            Flow { sender, actions }
        }

        fn ack(&mut self, ms: u64, segments: u64, sack: &[(u64, u64)]) {
            let sack: Vec<_> =
                sack.iter().map(|(start, end)| SackBlock { start: start * MSS, end: end * MSS }).collect();
            let ack = Ack { ack: segments * MSS, window: 1 << 30, sack: &sack, ecn_echo: false };
            self.sender.handle_ack(at(ms), &ack, &mut self.actions);
        }

        fn division(&mut self, ms: u64, number: u16) {
            let change = PathChange { way: NewsWay::Message, ..PathChange::marked(at(ms), number > 0) };
            let change = PathChange { division: Some(number), ..change };
            self.sender.handle_news(at(ms), change, &mut self.actions);
        }

        fn srtt_ms(&self) -> Option<u64> {
            self.sender.srtt().map(|srtt| srtt.ps() / 1_000_000_000)
        }
    }

    #[test]
    fn each_division_has_its_round_trip_and_what_a_change_interrupts_is_no_sample() {
        let mut flow = Flow::new(crate::cc::tdtcp::Holes::Own);
        flow.ack(100, 1, &[]);
        assert_eq!(flow.srtt_ms(), Some(100));
        let rto = flow.sender.rto();
        flow.division(150, 1);
        assert_eq!((flow.srtt_ms(), flow.sender.rto()), (None, rto), "it waits as long as the other");
        // Segment 2 left before the change; its ACK is no sample, and what leaves with it is timed.
        flow.ack(200, 2, &[]);
        assert_eq!(flow.srtt_ms(), None);
        let sent = flow.sender.snd_nxt() / MSS;
        flow.ack(210, sent, &[]);
        assert!(flow.srtt_ms().is_some_and(|ms| ms <= 60), "{:?}", flow.srtt_ms());
        flow.division(220, 0);
        assert_eq!(flow.srtt_ms(), Some(100));
    }

    #[test]
    fn a_hole_of_another_division_is_no_loss_and_one_of_the_same_is() {
        for (holes, expected) in [(crate::cc::tdtcp::Holes::Own, 0), (crate::cc::tdtcp::Holes::Any, 1)] {
            let mut flow = Flow::new(holes);
            flow.ack(100, 1, &[]);
            let packet_network = flow.sender.snd_nxt() / MSS;
            flow.division(150, 1);
            let sent = flow.sender.snd_nxt() / MSS;
            assert!(sent >= packet_network + 4);
            // All of the circuit arrives, and nothing of the slower path, for longer than any reordering window.
            flow.ack(160, 1, &[(packet_network, packet_network + 2)]);
            flow.ack(300, 1, &[(packet_network, packet_network + 4)]);
            assert_eq!(flow.sender.stats().fast_retransmits, expected, "{holes:?}");
        }
        // On one path the same is a loss.
        let mut flow = Flow::new(crate::cc::tdtcp::Holes::Own);
        flow.ack(100, 1, &[]);
        flow.ack(110, 1, &[(2, 4)]);
        flow.ack(300, 1, &[(2, 6)]);
        assert_eq!(flow.sender.stats().fast_retransmits, 1);
    }

    #[test]
    fn the_time_at_which_something_left_says_in_which_division() {
        let mut divisions =
            *Divisions::new(&SenderConfig { algorithm: Algorithm::TdTcp, ..Default::default() }).unwrap();
        assert!(divisions.are_comparable(at(1), at(900)), "nothing has changed");
        let config = SenderConfig::default();
        let rtt = Rtt::new(&config);
        divisions.change(at(10), 1, rtt, &config);
        divisions.change(at(20), 0, rtt, &config);
        assert_eq!(
            [divisions.at(at(9)), divisions.at(at(10)), divisions.at(at(19)), divisions.at(at(20))],
            [0, 1, 1, 0]
        );
        assert!(divisions.are_comparable(at(5), at(25)) && !divisions.are_comparable(at(15), at(25)));
    }
}
