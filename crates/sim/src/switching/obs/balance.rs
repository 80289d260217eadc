//! Which of two paths a burst takes: paper 004, §1 and §5.2 (Thodime, Vokkarane, Jue, GLOBECOM 2003), the rivals that
//! spray, and source ordering (Komatireddy, Charbonneau, Vokkarane 2010).
//!
//! The ingress node knows of a link what the node before it has said last: news travels the control channels.
//!
//! Source ordering ([`Ordering::Drain`]) holds a burst until it arrives behind those before it. What those do is known
//! when they have a wavelength; how bursts wait for that is `path_selection`'s.

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
    /// How far a burst is behind its header when both leave, in picoseconds.
    pub offset: u64,
    /// The links that count in a comparison.
    pub links: Vec<u32>,
    /// When the last burst on it has landed.
    landed: u64,
    /// When the last burst on it leaves or has left.
    left: u64,
    /// What this node has sent on it since the last news, in picoseconds.
    fresh: u64,
}

impl Member {
    /// A path on which nothing has been sent.
    pub fn new(route: u32, delay: u64, offset: u64, links: Vec<u32>) -> Member {
        Member { route, delay, offset, links, landed: 0, left: 0, fresh: 0 }
    }

    /// When the first bit of a burst arrives that leaves at `now`, but for the processing of its header, which all need
    /// alike.
    fn arrival(&self, now: u64) -> u64 {
        now + self.offset + self.delay
    }
}

/// The paths between two edge nodes.
#[derive(Debug)]
pub struct PathSet {
    members: Vec<Member>,
    /// What a wavelength of the last link needs between two bursts, in picoseconds.
    turn: u64,
    current: usize,
    /// When the last burst left, and on which path.
    last: Option<(u64, usize)>,
    /// The longest delay of a path on which a burst has gone.
    longest: u64,
    stream: Stream,
}

/// A path of a set of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The set.
    pub set: u32,
    /// Its path.
    pub member: usize,
}

/// How a burst goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The route.
    pub route: u32,
    /// Which path of the set that is.
    pub member: usize,
    /// Whether it goes another way than the burst before it.
    pub switched: bool,
    /// Whether that is not the first path.
    pub alternate: bool,
}

/// What is known of links: the loads that were told last.
pub type Loads = BTreeMap<u32, f64>;

impl PathSet {
    /// A set of which the first path is taken at first.
    pub fn new(members: Vec<Member>, turn: u64, stream: Stream) -> PathSet {
        PathSet { members, turn, current: 0, last: None, longest: 0, stream }
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

    /// A burst of this length is to leave.
    pub fn choose(&mut self, now: u64, length: u64, rules: &Balancing, loads: &Loads) -> Chosen {
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
        self.take(now, length, self.current)
    }

    /// A burst of this length takes this path.
    pub fn take(&mut self, now: u64, length: u64, member: usize) -> Chosen {
        self.current = member;
        let switched = self.last.is_some_and(|(_, before)| before != member);
        self.last = Some((now, member));
        let chosen = &mut self.members[member];
        chosen.fresh += length;
        self.longest = self.longest.max(chosen.delay);
        Chosen { route: chosen.route, member, switched, alternate: member > 0 }
    }

    /// A burst takes this path: for how long it is held first, so that it does not overtake those before it.
    pub fn hold(&mut self, now: u64, length: u64, member: usize, ordering: Ordering) -> u64 {
        let chosen = &self.members[member];
        let hold = match ordering {
            Ordering::Off => 0,
            Ordering::Shift => self.longest.saturating_sub(chosen.delay),
            // Paper 004 §5.2.7: "always sending data over a path with longer delay (either the longer path or the
            // shorter path plus buffering)".
            Ordering::Always => {
                let longest = self.members.iter().map(|member| member.delay).max();
                longest.unwrap_or(0) - chosen.delay
            }
            Ordering::Drain => {
                // Behind those on another path it begins to arrive when they have arrived and the wavelengths of the
                // last link have turned: earlier it could meet them where the paths join. Those on its own path may
                // have other wavelengths: it must not end before they do.
                let others = self.members.iter().enumerate().filter(|(place, _)| *place != member);
                let cleared =
                    others.filter(|(_, other)| other.landed > 0).map(|(_, other)| other.landed + self.turn).max();
                let arrival = chosen.arrival(now);
                let behind_others = cleared.unwrap_or(0).saturating_sub(arrival);
                let behind_own = chosen.landed.saturating_sub(arrival + length);
                behind_others.max(behind_own).max(chosen.left.saturating_sub(now))
            }
        };
        self.note_departure(now + hold, length, member);
        hold
    }

    /// A burst leaves on this path then.
    pub fn note_departure(&mut self, at: u64, length: u64, member: usize) {
        let path = &mut self.members[member];
        path.left = path.left.max(at);
        path.landed = path.landed.max(path.arrival(at) + length);
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
        let members = vec![Member::new(0, 10 * MS, 0, vec![1]), Member::new(1, 60 * MS, 0, vec![2])];
        PathSet::new(members, 0, Seed { seed: 1, run: 0 }.stream("paths", "test"))
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
        let routes: Vec<u32> = (0..4).map(|at| set.choose(at, 1, &rules, &Loads::new()).route).collect();
        assert_eq!(routes, [0, 1, 0, 1]);
    }

    #[test]
    fn a_flowlet_stays_on_its_path() {
        let rules = rules(Policy::Flowlet(MS), Ordering::Off);
        let mut set = set();
        let routes: Vec<u32> = (0..100).map(|at| set.choose(at * (MS - 1), 1, &rules, &Loads::new()).route).collect();
        assert!(routes.iter().all(|route| *route == routes[0]), "gaps of a millisecond less a picosecond");
        let routes: Vec<u32> = (100..200).map(|at| set.choose(at * MS, 1, &rules, &Loads::new()).route).collect();
        assert!(routes.contains(&0) && routes.contains(&1));
    }

    #[test]
    fn what_has_been_sent_since_the_news_counts_for_the_least_loaded() {
        let rules = rules(Policy::LeastLoaded, Ordering::Off);
        let mut set = set();
        let loads = Loads::from([(1, 0.1), (2, 0.0)]);
        // 0.1 of 500 ms are 50 ms: five bursts of 10 ms on the second path make it as loaded as the first.
        let routes: Vec<u32> = (0..7).map(|at| set.choose(at, 10 * MS, &rules, &loads).route).collect();
        assert_eq!(routes, [1, 1, 1, 1, 1, 0, 1]);
    }

    /// A burst of a millisecond takes the path in use: for how long it is held.
    fn hold(set: &mut PathSet, ms: u64, rules: &Balancing, loads: &Loads) -> u64 {
        let member = set.choose(ms * MS, MS, rules, loads).member;
        set.hold(ms * MS, MS, member, rules.ordering)
    }

    #[test]
    fn after_a_switch_to_the_shorter_path_bursts_wait_for_those_before_them() {
        let loads = Loads::from([(1, 0.0), (2, 0.1)]);
        for (ordering, holds) in [
            // The last burst leaves at 100 ms on the path of 60 ms and lands at 161 ms; a new one is 10 ms on the way.
            (Ordering::Drain, [41 * MS, MS, 0]),
            (Ordering::Shift, [50 * MS, 50 * MS, 50 * MS]),
            (Ordering::Off, [0, 0, 0]),
        ] {
            let rules = rules(Policy::Adaptive(Choice::SwitchAbove), ordering);
            let mut set = set();
            set.current = 1;
            assert_eq!(hold(&mut set, 100, &rules, &loads), 0);
            assert!(set.review(&rules, &loads));
            assert_eq!([110, 150, 160].map(|at| hold(&mut set, at, &rules, &loads)), holds, "{ordering:?}");
            // To the longer path nothing waits, but by shift if a longer one was used.
            set.current = 1;
            assert_eq!(hold(&mut set, 161, &rules, &loads), 0);
        }
    }

    #[test]
    fn who_always_holds_holds_before_a_longer_path_was_used() {
        // The paths differ by 50 ms: every burst takes 60 ms, whichever path it has and whatever went before it.
        for (ordering, holds) in [
            (Ordering::Always, [50 * MS, 50 * MS, 0, 50 * MS]),
            (Ordering::Shift, [0, 0, 0, 50 * MS]),
            (Ordering::Drain, [0, 0, 0, 50 * MS]),
        ] {
            let mut set = set();
            let held = [(0, 0), (1, 0), (2, 1), (3, 0)].map(|(ms, member)| {
                set.take(ms * MS, MS, member);
                set.hold(ms * MS, MS, member, ordering)
            });
            assert_eq!(held, holds, "{ordering:?}");
        }
    }

    #[test]
    fn a_held_burst_leaves_the_wavelengths_of_the_last_link_time_to_turn() {
        let rules = rules(Policy::Adaptive(Choice::SwitchAbove), Ordering::Drain);
        let mut set = PathSet { turn: MS / 100, ..set() };
        set.current = 1;
        assert_eq!(hold(&mut set, 100, &rules, &Loads::new()), 0);
        set.current = 0;
        assert_eq!(hold(&mut set, 110, &rules, &Loads::new()), 41 * MS + MS / 100);
    }

    #[test]
    fn a_burst_does_not_end_before_a_longer_one_that_left_before_it() {
        let rules = rules(Policy::Adaptive(Choice::SwitchAbove), Ordering::Drain);
        let mut set = set();
        // 5 ms from 100 ms on, then 1 ms from 102 ms on: it would end 2 ms too early.
        assert_eq!(set.hold(100 * MS, 5 * MS, 0, rules.ordering), 0);
        assert_eq!(set.hold(102 * MS, MS, 0, rules.ordering), 2 * MS);
    }

    #[test]
    fn who_waited_for_a_wavelength_is_waited_for() {
        let rules = rules(Policy::Adaptive(Choice::SwitchAbove), Ordering::Drain);
        let mut set = set();
        assert_eq!(set.hold(100 * MS, MS, 1, rules.ordering), 0);
        set.note_departure(103 * MS, MS, 1);
        assert_eq!(set.hold(110 * MS, MS, 0, rules.ordering), 44 * MS);
    }
}
