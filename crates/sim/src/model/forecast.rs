//! The capacity of a link before it changes, as far as the scenario says it: what a network with a schedule knows.

use super::{Change, LinkId, Timeline};
use std::sync::Arc;
use units::Rate;

/// The changes of a link's capacity, whatever table says them.
#[derive(Clone, Debug)]
pub struct Forecast(Arc<[Course]>);

/// Those of one timeline, in picoseconds since its start or that of its period.
#[derive(Debug)]
struct Course {
    steps: Box<[(u64, Rate)]>,
    period: Option<u64>,
}

impl Forecast {
    /// That of a link; `None` if its capacity stays. `changes` are sorted by link.
    pub fn of(link: LinkId, changes: &[Timeline]) -> Option<Forecast> {
        let first = changes.partition_point(|timeline| timeline.link < link);
        let own = changes[first..].iter().take_while(|timeline| timeline.link == link);
        let courses: Arc<[Course]> = own.filter_map(Course::of).collect();
        (!courses.is_empty()).then_some(Forecast(courses))
    }

    /// That of what has these capacities, each from so many picoseconds of a period on; `None` if it has one for ever.
    pub fn periodic(mut steps: Vec<(u64, Rate)>, period: u64) -> Option<Forecast> {
        // What ends a period is undone as the next one begins.
        if steps.first().is_some_and(|(first, _)| *first == 0) && steps.last().is_some_and(|(last, _)| *last == period)
        {
            steps.pop();
        }
        let course = Course { steps: steps.into(), period: Some(period) };
        (!course.steps.is_empty()).then(|| Forecast([course].into()))
    }

    /// The first change after `now`: when, and the capacity from then on.
    pub fn next(&self, now: u64) -> Option<(u64, Rate)> {
        self.0.iter().filter_map(|course| course.next(now)).min_by_key(|(at, _)| *at)
    }

    /// What the last change by `at` has left; `None` before the first one.
    pub fn at(&self, at: u64) -> Option<Rate> {
        self.0.iter().filter_map(|course| course.last(at)).max_by_key(|(when, _)| *when).map(|(_, rate)| rate)
    }
}

impl Course {
    fn of(timeline: &Timeline) -> Option<Course> {
        let capacity = |change| if let Change::Capacity(rate, _) = change { Some(rate) } else { None };
        let mut steps: Vec<(u64, Rate)> = Vec::new();
        for step in timeline.steps.iter() {
            let Some(rate) = capacity(step.change) else { continue };
            if steps.last().is_none_or(|(_, before)| *before != rate) {
                steps.push((step.after.ps(), rate));
            }
        }
        (!steps.is_empty()).then(|| Course { steps: steps.into(), period: timeline.period.map(|period| period.ps()) })
    }

    /// The starts of the period at hand, the one before it and the one after.
    fn starts(&self, now: u64) -> impl DoubleEndedIterator<Item = u64> {
        let (period, number) = self.period.map_or((0, 0), |period| (period, now / period.max(1)));
        let last = if period > 0 { number.saturating_add(1) } else { 0 };
        (number.saturating_sub(1)..=last).map(move |number| number.saturating_mul(period))
    }

    fn next(&self, now: u64) -> Option<(u64, Rate)> {
        self.starts(now).find_map(|start| {
            let place = self.steps.partition_point(|(after, _)| start.saturating_add(*after) <= now);
            self.steps.get(place).map(|(after, rate)| (start.saturating_add(*after), *rate))
        })
    }

    fn last(&self, now: u64) -> Option<(u64, Rate)> {
        self.starts(now).rev().find_map(|start| {
            let place = self.steps.partition_point(|(after, _)| start.saturating_add(*after) <= now).checked_sub(1)?;
            let (after, rate) = self.steps[place];
            Some((start.saturating_add(after), rate))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MidPacket, Step};
    use units::Duration;

    fn timeline(link: u32, steps: &[(u64, u64)], period: Option<u64>) -> Timeline {
        let step = |(after, gbps): &(u64, u64)| Step {
            after: Duration::from_ps(*after),
            change: Change::Capacity(Rate::from_gbps(*gbps), MidPacket::Continue),
        };
        let steps = steps.iter().map(step).collect();
        Timeline { link: LinkId(link), steps, period: period.map(Duration::from_ps) }
    }

    fn gbps(rate: Option<Rate>) -> Option<u64> {
        rate.map(|rate| rate.bps() / 1_000_000_000)
    }

    /// As `[[link_phases]]` has it: 1 Gb/s from the start, 10 Gb/s at 30, 1 Gb/s at 100, and so on each 100.
    #[test]
    fn a_period_is_known_for_ever() {
        let changes =
            [timeline(1, &[(5, 7)], None), timeline(2, &[(0, 1)], None), timeline(2, &[(30, 10), (100, 1)], Some(100))];
        let forecast = Forecast::of(LinkId(2), &changes).unwrap();
        let next = |now| forecast.next(now).map(|(at, rate)| (at, gbps(Some(rate)).unwrap()));
        assert_eq!(
            [0, 29, 30, 99, 100, 130].map(next),
            [(30, 10), (30, 10), (100, 1), (100, 1), (130, 10), (200, 1)].map(Some)
        );
        assert_eq!([0, 29, 30, 99, 100, 129, 130].map(|at| gbps(forecast.at(at))), [1, 1, 10, 10, 1, 1, 10].map(Some));
        assert!(Forecast::of(LinkId(0), &changes).is_none() && Forecast::of(LinkId(3), &changes).is_none());
    }

    /// A day from 0 to 60 of 100, and another from 80 to the end, which goes on as the next period begins.
    #[test]
    fn what_ends_a_period_and_begins_again_changes_nothing() {
        let steps = [(0, 10), (60, 1), (80, 10), (100, 1)].map(|(at, gbps)| (at, Rate::from_gbps(gbps)));
        let forecast = Forecast::periodic(steps.to_vec(), 100).unwrap();
        assert_eq!(
            [0, 59, 60, 79, 80, 99, 100, 160].map(|at| gbps(forecast.at(at))),
            [10, 10, 1, 1, 10, 10, 10, 1].map(Some)
        );
        assert_eq!(forecast.next(70), Some((80, Rate::from_gbps(10))));
        assert_eq!(forecast.next(100), Some((160, Rate::from_gbps(1))));
        assert!(Forecast::periodic(Vec::new(), 100).is_none());
    }

    #[test]
    fn nothing_is_known_before_the_first_change_and_after_the_last() {
        let forecast = Forecast::of(LinkId(0), &[timeline(0, &[(5, 2), (7, 2), (9, 3)], None)]).unwrap();
        assert_eq!((gbps(forecast.at(4)), gbps(forecast.at(8)), gbps(forecast.at(1 << 60))), (None, Some(2), Some(3)));
        assert_eq!(forecast.next(5), Some((9, Rate::from_gbps(3))), "what changes nothing is no change");
        assert_eq!(forecast.next(9), None);
    }
}
