//! The week: nights, days, and who is joined with whom in each.

use super::keys::Matchings;
use control::scheduler::IDLE;
use control::scheduler::circuits::{CircuitSchedule, Hold};
use std::sync::Arc;
use units::Duration;

/// A week; times are in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Week {
    length: u64,
    /// In their order; between them are nights.
    days: Arc<[Day]>,
}

/// Circuits that stay for some time.
#[derive(Clone, Debug)]
struct Day {
    span: Span,
    /// By rack: to which one its circuit leads.
    to: Box<[Option<u32>]>,
}

/// When in the week a day begins, and how long it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub begins: u64,
    pub lasts: u64,
}

/// A night or a day, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Now {
    /// To which rack a circuit leads now.
    pub to: Option<u32>,
    /// When the night, or the day, ends.
    pub until: u64,
}

impl Week {
    /// Of so many racks, at least two: a night before each day.
    pub fn new(night: u64, day: u64, racks: u32, matchings: Matchings) -> Week {
        let matchings: Vec<Box<[Option<u32>]>> = match matchings {
            Matchings::Offsets => (1..racks).map(|m| (0..racks).map(|i| Some((i + m) % racks)).collect()).collect(),
            Matchings::Tournament => tournament(racks),
        };
        let length = (night + day) * matchings.len() as u64;
        let begins = (0..).map(|number| number * (night + day) + night);
        let days = begins.zip(matchings).map(|(begins, to)| Day { span: Span { begins, lasts: day }, to });
        Week { length, days: days.collect() }
    }

    /// What a schedule of one switch says, whose ports are the racks.
    pub fn scheduled(schedule: &CircuitSchedule) -> Week {
        let to = |output: &u16| (*output != IDLE).then_some(u32::from(*output));
        let days = schedule.switches()[0].iter().map(|hold| Day {
            span: Span { begins: hold.start.ps(), lasts: hold.length.ps() },
            to: hold.outputs.iter().map(to).collect(),
        });
        Week { length: schedule.week().ps(), days: days.collect() }
    }

    /// The same as a schedule of one switch.
    pub fn schedule(&self) -> Option<CircuitSchedule> {
        let output = |to: &Option<u32>| to.map_or(IDLE, |to| to as u16);
        let hold = |day: &Day| Hold {
            start: Duration::from_ps(day.span.begins),
            length: Duration::from_ps(day.span.lasts),
            outputs: day.to.iter().map(output).collect(),
        };
        let holds: Vec<Hold> = self.days.iter().map(hold).collect();
        let ports = holds.first()?.outputs.len();
        CircuitSchedule::new(ports, Duration::from_ps(self.length), Duration::ZERO, vec![holds]).ok()
    }

    /// How long it lasts.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How long a circuit stays at most.
    pub fn longest_day(&self) -> u64 {
        self.days.iter().map(|day| day.span.lasts).max().unwrap_or(0)
    }

    /// What a rack has at a time.
    pub fn at(&self, now: u64, rack: u32) -> Now {
        let into = now % self.length;
        let monday = now - into;
        let begun = self.days.partition_point(|day| day.span.begins <= into);
        if let Some(Day { span, to }) = begun.checked_sub(1).map(|last| &self.days[last])
            && into < span.begins + span.lasts
        {
            return Now { to: to[rack as usize], until: monday + span.begins + span.lasts };
        }
        let next = self.days.get(begun).map(|day| day.span.begins);
        let first = || self.length + self.days.first().map_or(0, |day| day.span.begins);
        Now { to: None, until: monday + next.unwrap_or_else(first) }
    }

    /// The days of a pair in a week, in their order.
    pub fn days(&self, from: u32, to: u32) -> impl Iterator<Item = Span> {
        self.days.iter().filter(move |day| day.to[from as usize] == Some(to)).map(|day| day.span)
    }
}

/// Whether a time is in one of a pair's days, or so long before it; not longer than a week.
pub(super) fn is_day(days: &[Span], week: u64, now: u64, lead: u64) -> bool {
    days.iter().any(|day| (now % week + week + lead - day.begins) % week < lead + day.lasts)
}

/// The circle method: one stands still, the others turn. With an odd number one rests in each round.
fn tournament(racks: u32) -> Vec<Box<[Option<u32>]>> {
    let places = racks + racks % 2;
    let turning = places - 1;
    let meets = |rack: u32, round: u32| {
        let partner = match rack {
            rack if rack == turning => round,
            rack if rack == round => turning,
            rack => (2 * round + turning - rack) % turning,
        };
        (partner < racks).then_some(partner)
    };
    (0..turning).map(|round| (0..racks).map(|rack| meets(rack, round)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_join_each_pair_once_and_the_way_back_on_another_day() {
        let week = Week::new(20, 180, 25, Matchings::Offsets);
        assert_eq!(week.length(), 4800);
        assert_eq!(week.days(0, 1).collect::<Vec<_>>(), [Span { begins: 20, lasts: 180 }]);
        assert_eq!(week.days(1, 0).collect::<Vec<_>>(), [Span { begins: 23 * 200 + 20, lasts: 180 }]);
        for (from, to) in (0..25).flat_map(|from| (0..25).map(move |to| (from, to))) {
            assert_eq!(week.days(from, to).count(), usize::from(from != to));
        }
    }

    #[test]
    fn in_a_tournament_two_meet_each_other_and_each_pair_meets_once() {
        for racks in 2..14 {
            let week = Week::new(0, 1, racks, Matchings::Tournament);
            assert_eq!(week.length(), u64::from(racks - 1 + racks % 2));
            for (from, to) in (0..racks).flat_map(|from| (0..racks).map(move |to| (from, to))) {
                assert_eq!(week.days(from, to).count(), usize::from(from != to), "{from} to {to} of {racks}");
                assert_eq!(week.days(from, to).next(), week.days(to, from).next());
            }
        }
    }

    #[test]
    fn nights_come_before_days() {
        let week = Week::new(20, 180, 3, Matchings::Offsets);
        assert_eq!(week.at(0, 0), Now { to: None, until: 20 });
        assert_eq!(week.at(20, 0), Now { to: Some(1), until: 200 });
        assert_eq!(week.at(199, 2), Now { to: Some(0), until: 200 });
        assert_eq!(week.at(200, 0), Now { to: None, until: 220 });
        assert_eq!(week.at(399, 0), Now { to: Some(2), until: 400 });
        assert_eq!(week.at(420, 0), Now { to: Some(1), until: 600 });
    }

    /// Three racks; rack 0 meets rack 1 twice, from 10 to 40 and from 70 to 80 of 100, and rack 2 is alone then.
    #[test]
    fn a_schedule_may_have_several_days_of_a_pair_and_days_of_any_length() {
        let text = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs\n100,5,0,10,30,1 0 -\n\
                    100,5,0,50,15,2 - 0\n100,5,0,70,10,1 0 -\n";
        let week = Week::scheduled(&CircuitSchedule::from_csv(text).unwrap());
        assert_eq!((week.length(), week.longest_day()), (100, 30));
        let days: Vec<Span> = week.days(0, 1).collect();
        assert_eq!(days, [Span { begins: 10, lasts: 30 }, Span { begins: 70, lasts: 10 }]);
        let at = |now| week.at(now, 0);
        assert_eq!(at(0), Now { to: None, until: 10 });
        assert_eq!(at(110), Now { to: Some(1), until: 140 });
        assert_eq!(at(140), Now { to: None, until: 150 });
        assert_eq!((at(50).to, week.at(50, 1)), (Some(2), Now { to: None, until: 65 }));
        assert_eq!(at(185), Now { to: None, until: 210 }, "until the first day of the next week");
        // Five ahead of a day, and until its end.
        let seen = [4, 5, 39, 40, 64, 65, 79, 80, 99, 104, 105].map(|now| is_day(&days, 100, now, 5));
        assert_eq!(seen, [false, true, true, false, false, true, true, false, false, false, true]);
    }

    #[test]
    fn a_week_and_its_schedule_are_the_same() {
        for (racks, matchings) in [(4, Matchings::Offsets), (5, Matchings::Tournament)] {
            let week = Week::new(20, 180, racks, matchings);
            let again = Week::scheduled(&week.schedule().unwrap());
            assert_eq!((again.length(), again.longest_day()), (week.length(), 180));
            for (from, to) in (0..racks).flat_map(|from| (0..racks).map(move |to| (from, to))) {
                assert_eq!(again.days(from, to).collect::<Vec<_>>(), week.days(from, to).collect::<Vec<_>>());
            }
        }
        let none = Week { length: 100, days: Arc::new([]) };
        assert_eq!((none.longest_day(), none.schedule().is_none()), (0, true));
        assert_eq!(none.at(130, 0), Now { to: None, until: 200 });
    }
}
