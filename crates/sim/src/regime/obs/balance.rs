//! Which of two paths a burst takes: paper 004, §1 and §5.2 (Thodime, Vokkarane, Jue, GLOBECOM 2003), the rivals that spray, and source
//! ordering (Komatireddy, Charbonneau, Vokkarane 2010).
//!
//! The ingress node knows of a link what the node before it has said last: news travels the control channels.

use super::plan::{Balancing, Choice, Comparison, Ordering, PathLoad, Policy};
use crate::random::{Stream, uniform_index};
use std::collections::BTreeMap;

/// One of the paths of a set.
#[derive(Clone, Debug)]
pub struct Member {
    /// The node's name for the route.
    pub route: u32,
    /// From end to end, in picoseconds.
    pub delay: u64,
    /// The links that count in a comparison.
    pub links: Vec<u32>,
    /// When the last burst on it has landed.
    landed: u64,
    /// What this node has sent on it since the last news, in picoseconds.
    fresh: u64,
}

impl Member {
    /// A path on which nothing has been sent.
    pub fn new(route: u32, delay: u64, links: Vec<u32>) -> Member {
        Member { route, delay, links, landed: 0, fresh: 0 }
    }
}

/// The paths between two edge nodes.
#[derive(Debug)]
pub struct PathSet {
    members: Vec<Member>,
    current: usize,
    /// When the last burst left, and on which path.
    last: Option<(u64, usize)>,
    /// The longest delay of a path on which a burst has gone.
    longest: u64,
    stream: Stream,
}

/// How a burst goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The route.
    pub route: u32,
    /// For how long it is held first, in picoseconds.
    pub hold: u64,
    /// Whether it goes another way than the burst before it.
    pub switched: bool,
    /// Whether that is not the first path.
    pub alternate: bool,
}

/// What is known of links: the loads that were told last.
pub type Loads = BTreeMap<u32, f64>;

impl PathSet {
    /// A set of which the first path is taken at first.
    pub fn new(members: Vec<Member>, stream: Stream) -> PathSet {
        PathSet { members, current: 0, last: None, longest: 0, stream }
    }

    /// The paths.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The end of a τ, when the path may change. Whether it does.
    pub fn review(&mut self, rules: &Balancing, loads: &Loads) -> bool {
        let before = self.current;
        if let Policy::Adaptive(choice) = rules.policy {
            let load: Vec<f64> = self.members.iter().map(|member| path_load(rules, member, loads)).collect();
            let other = 1 - self.current;
            let gain = load[self.current] - load[other];
            let is_worth = rules.hysteresis.is_none_or(|margin| gain > margin);
            let wants = match choice {
                Choice::SwitchAbove => exceeds(rules, load[self.current]),
                Choice::LeastCongested => {
                    let congested =
                        |member: &Member| member.links.iter().filter(|link| exceeds(rules, of(loads, **link))).count();
                    congested(&self.members[other]) < congested(&self.members[self.current])
                }
            };
            if wants && is_worth {
                self.current = other;
            }
        }
        self.members.iter_mut().for_each(|member| member.fresh = 0);
        before != self.current
    }

    /// A burst of this length, and so far behind its header, is to leave.
    pub fn choose(&mut self, now: u64, length: u64, offset: u64, rules: &Balancing, loads: &Loads) -> Chosen {
        match rules.policy {
            Policy::Adaptive(_) => {}
            Policy::Alternate => self.current = if self.last.is_none() { 0 } else { 1 - self.current },
            Policy::Random => self.current = self.draw(),
            Policy::Flowlet(gap) => {
                if self.last.is_none_or(|(last, _)| now - last >= gap) {
                    self.current = self.draw();
                }
            }
            Policy::LeastLoaded => self.current = self.least_loaded(rules, loads),
        }
        let hold = self.hold(now, offset, rules.ordering);
        let switched = self.last.is_some_and(|(_, before)| before != self.current);
        self.last = Some((now, self.current));
        let chosen = &mut self.members[self.current];
        chosen.fresh += length;
        chosen.landed = chosen.landed.max(now + hold + offset + chosen.delay + length);
        self.longest = self.longest.max(chosen.delay);
        Chosen { route: chosen.route, hold, switched, alternate: self.current > 0 }
    }

    fn draw(&mut self) -> usize {
        uniform_index(&mut self.stream, self.members.len() as u64) as usize
    }

    /// The path with the least load, as told last and with what has been sent on it since; the first of equals.
    fn least_loaded(&self, rules: &Balancing, loads: &Loads) -> usize {
        let load = |member: &Member| path_load(rules, member, loads) + member.fresh as f64 / rules.interval.ps() as f64;
        let (first, second) = (load(&self.members[0]), load(&self.members[1]));
        usize::from(second < first)
    }

    /// How long a burst is held so that it does not overtake those on another path.
    fn hold(&self, now: u64, offset: u64, ordering: Ordering) -> u64 {
        let chosen = &self.members[self.current];
        match ordering {
            Ordering::Off => 0,
            Ordering::Drain => {
                let others = self.members.iter().enumerate().filter(|(place, _)| *place != self.current);
                let landed = others.map(|(_, member)| member.landed).max().unwrap_or(0);
                // It begins to arrive when those have arrived: earlier it could meet them where the paths join.
                landed.saturating_sub(now + offset + chosen.delay)
            }
            Ordering::Shift => self.longest.saturating_sub(chosen.delay),
        }
    }
}

/// The load of a path: that of its worst link, or of all together.
fn path_load(rules: &Balancing, member: &Member, loads: &Loads) -> f64 {
    let each = member.links.iter().map(|link| of(loads, *link));
    match rules.path_load {
        PathLoad::Worst => each.fold(0.0, f64::max),
        PathLoad::Sum => each.sum(),
    }
}

fn of(loads: &Loads, link: u32) -> f64 {
    loads.get(&link).copied().unwrap_or(0.0)
}

fn exceeds(rules: &Balancing, load: f64) -> bool {
    match rules.comparison {
        Comparison::Above => load > rules.threshold,
        Comparison::AtLeast => load >= rules.threshold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;
    use units::Duration;

    const MS: u64 = 1_000_000_000;

    fn rules(policy: Policy, ordering: Ordering) -> Balancing {
        Balancing { policy, ordering, threshold: 0.05, interval: Duration::from_millis(500), ..Balancing::usual() }
    }

    /// Two paths of 10 and 60 ms over links 1 and 2.
    fn set() -> PathSet {
        let members = vec![Member::new(0, 10 * MS, vec![1]), Member::new(1, 60 * MS, vec![2])];
        PathSet::new(members, Seed { seed: 1, run: 0 }.stream("paths", "test"))
    }

    #[test]
    fn the_path_changes_when_its_load_exceeds_the_threshold() {
        for (choice, other, changes) in [
            (Choice::SwitchAbove, 0.0, true),
            (Choice::SwitchAbove, 0.2, true),
            (Choice::LeastCongested, 0.0, true),
            (Choice::LeastCongested, 0.2, false),
        ] {
            let rules = rules(Policy::Adaptive(choice), Ordering::Off);
            let mut set = set();
            assert!(!set.review(&rules, &Loads::from([(1, 0.05), (2, other)])), "{choice:?}: 5 % is not above 5 %");
            assert_eq!(set.review(&rules, &Loads::from([(1, 0.051), (2, other)])), changes, "{choice:?} {other}");
            let at_least = Balancing { comparison: Comparison::AtLeast, ..rules.clone() };
            assert_eq!(self::set().review(&at_least, &Loads::from([(1, 0.05), (2, other)])), changes);
            let slow = Balancing { hysteresis: Some(0.1), ..rules };
            assert!(!self::set().review(&slow, &Loads::from([(1, 0.1), (2, other)])));
        }
    }

    #[test]
    fn bursts_alternate_from_the_first_path_on() {
        let rules = rules(Policy::Alternate, Ordering::Off);
        let mut set = set();
        let routes: Vec<u32> = (0..4).map(|at| set.choose(at, 1, 0, &rules, &Loads::new()).route).collect();
        assert_eq!(routes, [0, 1, 0, 1]);
    }

    #[test]
    fn a_flowlet_stays_on_its_path() {
        let rules = rules(Policy::Flowlet(MS), Ordering::Off);
        let mut set = set();
        let routes: Vec<u32> = (0..100).map(|at| set.choose(at * MS / 2, 1, 0, &rules, &Loads::new()).route).collect();
        assert!(routes.iter().all(|route| *route == routes[0]), "gaps of half a millisecond");
        let routes: Vec<u32> = (100..200).map(|at| set.choose(at * MS, 1, 0, &rules, &Loads::new()).route).collect();
        assert!(routes.contains(&0) && routes.contains(&1));
    }

    #[test]
    fn what_has_been_sent_since_the_news_counts_for_the_least_loaded() {
        let rules = rules(Policy::LeastLoaded, Ordering::Off);
        let mut set = set();
        let loads = Loads::from([(1, 0.1), (2, 0.0)]);
        // 0.1 of 500 ms are 50 ms: five bursts of 10 ms on the second path make it as loaded as the first.
        let routes: Vec<u32> = (0..7).map(|at| set.choose(at, 10 * MS, 0, &rules, &loads).route).collect();
        assert_eq!(routes, [1, 1, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn after_a_switch_to_the_shorter_path_bursts_wait_for_those_before_them() {
        let loads = Loads::from([(1, 0.0), (2, 0.1)]);
        let adaptive = Policy::Adaptive(Choice::SwitchAbove);
        for (ordering, holds) in [
            // The last burst left at 100 ms on the path of 60 ms and lands at 161 ms; a new one is 10 ms on the way.
            (Ordering::Drain, [41 * MS, MS, 0]),
            (Ordering::Shift, [50 * MS, 50 * MS, 50 * MS]),
            (Ordering::Off, [0, 0, 0]),
        ] {
            let rules = rules(adaptive, ordering);
            let mut set = set();
            set.current = 1;
            assert_eq!(set.choose(100 * MS, MS, 0, &rules, &loads).hold, 0);
            assert!(set.review(&rules, &loads));
            let found = [110, 150, 160].map(|at| set.choose(at * MS, MS, 0, &rules, &loads).hold);
            assert_eq!(found, holds, "{ordering:?}");
            // To the longer path nothing waits, but by shift if a longer one was used.
            set.current = 1;
            assert_eq!(set.choose(161 * MS, MS, 0, &rules, &loads).hold, 0);
        }
    }
}
