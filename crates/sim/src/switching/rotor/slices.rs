//! When which circuits are there: a schedule of circuits as racks see it.

use control::scheduler::IDLE;
use control::scheduler::circuits::{CircuitSchedule, Hold as PlannedHold};
use std::collections::BTreeSet;
use std::sync::Arc;
use units::Duration;

/// To which rack each rack's circuit leads.
pub(super) type Matching = Box<[Option<u32>]>;

/// A cycle of matchings of each switch; times are in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    schedule: Arc<CircuitSchedule>,
    cycle: u64,
    /// By number: the switch, and its matching.
    matchings: Arc<[(u32, Matching)]>,
    /// By switch, in the order of time.
    holds: Arc<[Box<[Hold]>]>,
    /// In the order of time.
    phases: Arc<[Start]>,
}

/// A matching in the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hold {
    begins: u64,
    /// What racks send has left by then, which may be in the next cycle.
    until: u64,
    matching: u32,
}

/// The start of a part of the cycle in which the same circuits are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    at: u64,
    /// The part whose circuits packets take: this one, or the next one if there are none in this one.
    number: u32,
}

/// A matching of a switch, as a rack sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stay {
    /// The number of the matching.
    pub matching: u32,
    /// To which rack the circuit leads, or has led.
    pub to: Option<u32>,
    /// What is sent has left by then.
    pub until: u64,
    /// When the switch's next matching begins.
    pub next: u64,
}

/// A part of the cycle in which the same circuits are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// The part whose circuits packets take.
    pub number: u32,
    /// When it ends.
    pub until: u64,
}

/// Whether a switch's last matching in a week goes on as the first one of the next, so that they are one.
pub(super) fn goes_on(own: &[PlannedHold], week: Duration) -> bool {
    let [first, .., last] = own else { return false };
    first.start == Duration::ZERO && last.end() == week && first.outputs == last.outputs
}

impl Slices {
    /// Of a schedule whose ports are the racks. Racks send nothing that would not have left `guard` before a switch
    /// turns, which is less than each matching lasts.
    pub fn new(schedule: CircuitSchedule, guard: u64) -> Slices {
        let cycle = schedule.week().ps();
        let (mut matchings, mut holds) = (Vec::new(), Vec::new());
        for (switch, own) in (0..).zip(schedule.switches()) {
            let mut found: Vec<Hold> = Vec::new();
            for hold in own {
                let to = |output: &u16| (*output != IDLE).then_some(u32::from(*output));
                let (begins, matching) = (hold.start.ps(), matchings.len() as u32);
                found.push(Hold { begins, until: hold.end().ps() - guard, matching });
                matchings.push((switch, hold.outputs.iter().map(to).collect::<Matching>()));
            }
            if goes_on(own, schedule.week()) {
                let until = cycle + found[0].until;
                found.remove(0);
                found.iter_mut().next_back().into_iter().for_each(|last| last.until = until);
            }
            holds.push(found.into_boxed_slice());
        }
        let (matchings, holds, phases) = (matchings.into(), holds.into(), Arc::default());
        let mut slices = Slices { schedule: Arc::new(schedule), cycle, matchings, holds, phases };
        slices.phases = slices.starts();
        slices
    }

    /// How long a cycle lasts.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// What was read.
    pub fn schedule(&self) -> &CircuitSchedule {
        &self.schedule
    }

    /// How many circuits lead from one rack to another from the start of a cycle on, and after each change.
    pub fn circuits_over_time(&self, from: u32, to: u32) -> Vec<(u64, u64)> {
        let leads = |hold: &&Hold| self.matchings[hold.matching as usize].1[from as usize] == Some(to);
        let own: Vec<&Hold> = self.holds.iter().flatten().filter(leads).collect();
        let edges = own.iter().flat_map(|hold| [hold.begins, hold.until % self.cycle]).chain([0]);
        let is_there = |hold: &&&Hold, at: u64| {
            let span = hold.begins..hold.until;
            span.contains(&at) || span.contains(&(at + self.cycle))
        };
        let count = |at: u64| (at, own.iter().filter(|hold| is_there(hold, at)).count() as u64);
        edges.collect::<BTreeSet<u64>>().into_iter().map(count).collect()
    }

    /// For how long racks may send while a matching is there: the longest and the shortest.
    pub fn light(&self) -> (u64, u64) {
        let each = || self.holds.iter().flatten().map(|hold| hold.until - hold.begins);
        (each().max().unwrap_or(0), each().min().unwrap_or(0))
    }

    /// The matchings by number, each with its switch.
    pub fn matchings(&self) -> &[(u32, Matching)] {
        &self.matchings
    }

    /// How many racks there are.
    pub fn racks(&self) -> u32 {
        self.matchings[0].1.len() as u32
    }

    /// How many rotor switches there are.
    pub fn switches(&self) -> u32 {
        self.holds.len() as u32
    }

    /// A pair of racks that no matching joins.
    pub fn never_joined(&self) -> Option<(u32, u32)> {
        let racks = self.racks();
        let mut met = vec![false; (racks * racks) as usize];
        for (from, to) in self.matchings.iter().flat_map(|(_, matching)| (0..).zip(matching.iter())) {
            to.iter().for_each(|to| met[(from * racks + to) as usize] = true);
        }
        let place = (0u32..).zip(met).find(|(place, met)| !met && place / racks != place % racks);
        place.map(|(place, _)| (place / racks, place % racks))
    }

    /// What a rack has of a switch at a time.
    pub fn stay(&self, now: u64, switch: u32, rack: u32) -> Stay {
        let holds = &self.holds[switch as usize];
        let (into, begins) = (now % self.cycle, now - now % self.cycle);
        let begun = holds.partition_point(|hold| hold.begins <= into);
        let Hold { until, matching, .. } = holds[begun.checked_sub(1).unwrap_or(holds.len() - 1)];
        let until = if begun > 0 { begins + until } else { (begins + until).saturating_sub(self.cycle) };
        let next = match holds.get(begun) {
            Some(next) => begins + next.begins,
            None => begins + self.cycle + holds[0].begins,
        };
        Stay { matching, to: self.matchings[matching as usize].1[rack as usize], until, next }
    }

    /// How many parts of the cycle have circuits of their own.
    pub fn phases(&self) -> u32 {
        self.phases.len() as u32
    }

    /// The phase at a time.
    pub fn phase(&self, now: u64) -> Phase {
        let (into, begins) = (now % self.cycle, now - now % self.cycle);
        let begun = self.phases.partition_point(|start| start.at <= into);
        let next = self.phases.get(begun).map_or(self.cycle, |start| start.at);
        Phase { number: self.phases[begun - 1].number, until: begins + next }
    }

    /// When in the cycle a phase begins, and the number of the matching of each switch; `None` of one that is dark.
    pub fn in_phase(&self, number: u32) -> (u64, Vec<Option<u32>>) {
        let at = self.phases[self.phases[number as usize].number as usize].at;
        (at, self.lit(at))
    }

    fn lit(&self, at: u64) -> Vec<Option<u32>> {
        // A cycle later, so that what has begun in the one before is there.
        let at = at + self.cycle;
        let stay = |switch: u32| Some(self.stay(at, switch, 0)).filter(|stay| at < stay.until);
        (0..self.switches()).map(|switch| stay(switch).map(|stay| stay.matching)).collect()
    }

    fn starts(&self) -> Arc<[Start]> {
        let edges = self.holds.iter().flatten().flat_map(|hold| [hold.begins, hold.until % self.cycle]);
        let at: Vec<u64> = edges.chain([0]).collect::<BTreeSet<u64>>().into_iter().collect();
        let is_lit: Vec<bool> = at.iter().map(|at| self.lit(*at).iter().any(Option::is_some)).collect();
        let next_lit = |number: usize| {
            let circle = (number..at.len()).chain(0..number);
            circle.into_iter().find(|other| is_lit[*other]).unwrap_or(number) as u32
        };
        at.iter().enumerate().map(|(number, at)| Start { at: *at, number: next_lit(number) }).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use control::scheduler::circuits::{Algorithm, DemandMatrix, Order, Readings, Site, plan};
    use units::Rate;

    /// Offsets of five racks over two switches: 1 and 2, then 3 and 4, in slices of 100 ps.
    pub fn offsets(order: Order, dark: u64, guard: u64) -> Slices {
        let site = Site {
            switches: 2,
            capacity: Rate::from_gbps(1),
            packet_capacity: Rate::from_gbps(1),
            reconfiguration: Duration::from_ps(dark),
            week: None,
            slice: Some(Duration::from_ps(100)),
        };
        let demand = DemandMatrix::new(5, vec![0; 25]).unwrap();
        let readings = Readings { order, ..Readings::default() };
        Slices::new(plan(Algorithm::Offsets, &demand, &site, &readings).unwrap(), guard)
    }

    #[test]
    fn together_both_switches_show_their_next_matching_in_each_slice() {
        let slices = offsets(Order::Together, 10, 5);
        assert_eq!((slices.cycle(), slices.light()), (200, (85, 85)));
        let at = |now, switch| {
            let Stay { to, until, next, .. } = slices.stay(now, switch, 0);
            (to.unwrap(), until, next)
        };
        assert_eq!((at(0, 0), at(99, 1)), ((1, 85, 100), (2, 85, 100)));
        assert_eq!((at(100, 0), at(350, 1)), ((3, 185, 200), (4, 385, 400)));
        assert_eq!(slices.never_joined(), None);
        // The dark parts, from 85 and from 185, count as the next ones.
        assert_eq!(slices.phases(), 4);
        let phase = |now| slices.phase(now);
        assert_eq!((phase(84), phase(85)), (Phase { number: 0, until: 85 }, Phase { number: 2, until: 100 }));
        assert_eq!((phase(385), slices.in_phase(3).0), (Phase { number: 0, until: 400 }, 0));
    }

    #[test]
    fn circuits_of_a_pair_are_counted_over_a_cycle() {
        let together = offsets(Order::Together, 10, 5);
        assert_eq!(together.circuits_over_time(0, 3), [(0, 0), (100, 1), (185, 0)]);
        // One by one those of switch 1 stay across the end of the cycle.
        let one_by_one = offsets(Order::OneByOne, 10, 0);
        assert_eq!(one_by_one.circuits_over_time(0, 4), [(0, 1), (90, 0), (300, 1)]);
        assert_eq!(one_by_one.circuits_over_time(0, 0), [(0, 0)]);
    }

    #[test]
    fn one_by_one_a_matching_stays_for_two_slices_and_across_the_end_of_the_cycle() {
        let slices = offsets(Order::OneByOne, 10, 0);
        assert_eq!((slices.cycle(), slices.light()), (400, (190, 190)));
        for (number, to) in (0..4).zip(1..5) {
            let start = 800 + number * 100;
            for now in [start, start + 199] {
                let stay = slices.stay(now, number as u32 % 2, 0);
                assert_eq!((stay.to, stay.until, stay.next), (Some(to), start + 190, start + 200), "at {now}");
            }
        }
        // At the very start switch 1 still has its last matching.
        let stay = slices.stay(0, 1, 0);
        assert_eq!((stay.to, stay.until, stay.next), (Some(4), 90, 100));
    }

    #[test]
    fn one_by_one_a_slice_has_a_part_in_which_the_switch_that_changes_next_is_dark() {
        let slices = offsets(Order::OneByOne, 10, 0);
        let to = |number: u32| {
            let (at, lit) = slices.in_phase(number);
            let to = |matching: &Option<u32>| matching.and_then(|number| slices.matchings()[number as usize].1[0]);
            (at, lit.iter().map(to).collect::<Vec<_>>())
        };
        assert_eq!(slices.phases(), 8);
        assert_eq!((to(0), to(1)), ((0, vec![Some(1), Some(4)]), (90, vec![Some(1), None])));
        assert_eq!((to(2), to(3)), ((100, vec![Some(1), Some(2)]), (190, vec![None, Some(2)])));
        assert_eq!(slices.phase(495), Phase { number: 1, until: 500 });
    }
}
