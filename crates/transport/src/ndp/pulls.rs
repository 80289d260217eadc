//! The PULLs of a receiving host.

use std::collections::{BTreeMap, VecDeque};
use units::{Duration, Instant};

/// PULLs that wait. Flows take turns, and each PULL takes as long as the packet that it asks for.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    /// Flows in the order of their turns.
    turns: VecDeque<u32>,
    /// What flows have here: PULLs, and how long one takes.
    waiting: BTreeMap<u32, (u64, Duration)>,
    /// No PULL leaves before.
    next: Instant,
}

impl Pulls {
    /// A packet or a header of `flow` has come: one more PULL, which asks for a packet that lasts so long.
    pub fn add(&mut self, flow: u32, lasts: Duration) {
        let (count, _) = self.waiting.entry(flow).or_insert_with(|| {
            self.turns.push_back(flow);
            (0, lasts)
        });
        *count = count.saturating_add(1);
    }

    /// All of the flow has arrived: its PULLs are not sent.
    pub fn forget(&mut self, flow: u32) {
        if self.waiting.remove(&flow).is_some() {
            self.turns.retain(|one| *one != flow);
        }
    }

    /// When a PULL is due.
    pub fn next_timeout(&self) -> Option<Instant> {
        (!self.turns.is_empty()).then_some(self.next)
    }

    /// The flow whose PULL leaves, if one is due.
    pub fn handle_timeout(&mut self, now: Instant) -> Option<u32> {
        if now < self.next {
            return None;
        }
        let flow = self.turns.pop_front()?;
        let (count, lasts) = self.waiting.get_mut(&flow)?;
        (*count, self.next) = (*count - 1, now + *lasts);
        match *count {
            0 => drop(self.waiting.remove(&flow)),
            _ => self.turns.push_back(flow),
        }
        Some(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §3.2: one queue of PULLs for all flows of a receiver, served in turn, paced so that what they ask for arrives at
    /// the rate of the link: 1500 B at 10 Gb/s last 1.2 µs.
    #[test]
    fn flows_take_turns_at_the_rate_of_the_link() {
        let (mut pulls, packet) = (Pulls::default(), Duration::from_ps(1_200_000));
        [7, 7, 7, 3, 9, 9].into_iter().for_each(|flow| pulls.add(flow, packet));
        let mut sent = Vec::new();
        while let Some(due) = pulls.next_timeout() {
            assert!(due == Instant::ZERO || pulls.handle_timeout(Instant::from_ps(due.ps() - 1)).is_none());
            sent.extend(pulls.handle_timeout(due).map(|flow| (flow, due.ps() / 1000)));
        }
        assert_eq!(sent, [(7, 0), (3, 1200), (9, 2400), (7, 3600), (9, 4800), (7, 6000)]);
    }

    #[test]
    fn a_flow_that_has_arrived_is_not_pulled_and_idle_time_is_not_saved_up() {
        let (mut pulls, packet) = (Pulls::default(), Duration::from_ps(1_200_000));
        [1, 1, 2].into_iter().for_each(|flow| pulls.add(flow, packet));
        pulls.forget(1);
        assert_eq!(pulls.handle_timeout(Instant::from_ps(5_000_000)), Some(2));
        assert_eq!(pulls.next_timeout(), None);
        pulls.add(4, packet);
        assert_eq!(pulls.next_timeout(), Some(Instant::from_ps(6_200_000)));
    }
}
