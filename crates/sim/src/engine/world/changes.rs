//! Which link changes next: a change costs when it happens, and a period of them costs as much as one of them.

use crate::model::{Change, LinkId, SimTime, Timeline};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The changes of links that have not happened.
#[derive(Debug)]
pub(super) struct Changes {
    timelines: Vec<Cursor>,
    /// When the next change of each timeline happens, and which timeline that is: those of one instant in their order.
    due: BinaryHeap<Reverse<(SimTime, u32)>>,
}

/// A timeline and how far it has come.
#[derive(Debug)]
struct Cursor {
    timeline: Timeline,
    /// The start of the run, or of the present period.
    from: SimTime,
    /// The step that comes next, among those of a period.
    next: usize,
}

impl Changes {
    /// All changes of these timelines.
    pub(super) fn new(timelines: &[Timeline]) -> Changes {
        let cursor = |timeline: &Timeline| Cursor { timeline: timeline.clone(), from: SimTime::ZERO, next: 0 };
        let timelines: Vec<Cursor> = timelines.iter().map(cursor).collect();
        let due = timelines.iter().zip(0..).filter_map(|(cursor, number)| Some(Reverse((cursor.at()?, number))));
        Changes { due: due.collect(), timelines }
    }

    /// When the next one happens.
    pub(super) fn next(&self) -> SimTime {
        self.due.peek().map_or(SimTime::NEVER, |Reverse((at, _))| *at)
    }

    /// Takes a change that happens by `now`.
    pub(super) fn pop(&mut self, now: SimTime) -> Option<(LinkId, Change)> {
        if self.next() > now {
            return None;
        }
        let Reverse((_, number)) = self.due.pop()?;
        let cursor = &mut self.timelines[number as usize];
        let change = cursor.timeline.steps[cursor.next].change;
        cursor.advance();
        self.due.extend(cursor.at().map(|at| Reverse((at, number))));
        Some((cursor.timeline.link, change))
    }
}

impl Cursor {
    /// When the next step comes; `None` if none does.
    fn at(&self) -> Option<SimTime> {
        let step = self.timeline.steps.get(self.next)?;
        Some(self.from + step.after).filter(|at| *at < SimTime::NEVER)
    }

    fn advance(&mut self) {
        self.next += 1;
        if let Some(period) = self.timeline.period
            && self.next == self.timeline.steps.len()
        {
            (self.from, self.next) = (self.from + period, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MidPacket, Step};
    use units::Duration;

    fn steps(of: &[(u64, Change)]) -> std::sync::Arc<[Step]> {
        of.iter().map(|(after, change)| Step { after: Duration::from_ps(*after), change: *change }).collect()
    }

    /// Down at 3, 13, 23 …, up at 10, 20 …; beside it another link once, at 10.
    #[test]
    fn a_period_comes_again_and_ties_go_by_timeline() {
        let down = Change::Down(MidPacket::Cut);
        let once = Timeline { link: LinkId(7), steps: steps(&[(10, down)]), period: None };
        let again = Timeline {
            link: LinkId(8),
            steps: steps(&[(3, down), (10, Change::Up)]),
            period: Some(Duration::from_ps(10)),
        };
        let mut changes = Changes::new(&[once, again]);
        let mut seen = Vec::new();
        while changes.next() <= SimTime::from_ps(20) {
            let at = changes.next();
            let (link, change) = changes.pop(at).unwrap();
            seen.push((at.ps(), link.0, change));
        }
        let up = Change::Up;
        assert_eq!(seen, [(3, 8, down), (10, 7, down), (10, 8, up), (13, 8, down), (20, 8, up)]);
        assert_eq!(changes.pop(SimTime::from_ps(22)), None);
    }
}
