//! The delay of a link as a law of time: a packet reads it when its last bit leaves, so nothing of it is listed.

use super::LinkId;
use options::words;
use std::sync::Arc;
use units::Duration;

words! {
    /// How a delay goes from one given time to the next.
    pub enum DelayForm {
        /// It stays until the next time.
        Steps = "steps",
        /// It goes there in a straight line.
        Linear = "linear",
    }
}

/// The delay at a time, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knot {
    /// The time, since the start of the run or of a period.
    pub at: u64,
    /// The delay, or [`GONE`].
    pub delay: u64,
}

/// Instead of a delay: there is no link until the next knot.
pub const GONE: u64 = 0;

/// A delay over time. Behind its last knot it stays, or begins again.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayLaw {
    /// In the order of time; the first is at 0.
    knots: Arc<[Knot]>,
    form: DelayForm,
    period: Option<u64>,
    least: u64,
}

/// A link that has such a law.
#[derive(Clone, Debug, PartialEq)]
pub struct LawfulLink {
    /// The directed link.
    pub link: LinkId,
    /// Its delay.
    pub law: DelayLaw,
}

impl DelayLaw {
    /// `None` unless the times rise from 0 on, to less than the period, and there is a link at one of them.
    pub fn new(knots: &[Knot], form: DelayForm, period: Option<Duration>) -> Option<DelayLaw> {
        let (first, last, period) = (knots.first()?, knots.last()?, period.map(Duration::ps));
        let rises = knots.windows(2).all(|pair| pair[0].at < pair[1].at);
        let least = knots.iter().map(|knot| knot.delay).filter(|delay| *delay != GONE).min()?;
        let is_law = first.at == 0 && rises && period.is_none_or(|period| period > last.at);
        is_law.then(|| DelayLaw { knots: knots.into(), form, period, least })
    }

    /// The least delay that it has.
    pub fn least(&self) -> Duration {
        Duration::from_ps(self.least)
    }

    /// The delay at `time` in picoseconds; `None` if there is no link then. `place` is where the last call has found
    /// its knot: times rise, so the next is there or little further.
    #[inline]
    pub fn at(&self, time: u64, place: &mut usize) -> Option<u64> {
        let time = self.period.map_or(time, |period| time % period);
        let knots = &self.knots;
        if knots[*place].at > time {
            *place = knots.partition_point(|knot| knot.at <= time) - 1;
        }
        while knots.get(*place + 1).is_some_and(|next| next.at <= time) {
            *place += 1;
        }
        let knot = knots[*place];
        let delay = match self.form {
            DelayForm::Steps => knot.delay,
            DelayForm::Linear => between(knot, self.behind(*place), time),
        };
        (knot.delay != GONE).then_some(delay)
    }

    /// The knot behind one: of the last the first of the next period, or itself.
    fn behind(&self, place: usize) -> Knot {
        let again = || self.period.map(|period| Knot { at: period, ..self.knots[0] });
        self.knots.get(place + 1).copied().or_else(again).unwrap_or(self.knots[place])
    }
}

/// The straight line, rounded down to a picosecond.
#[inline]
fn between(from: Knot, to: Knot, time: u64) -> u64 {
    let Some(span) = to.at.checked_sub(from.at).filter(|span| *span > 0 && to.delay != GONE) else {
        return from.delay;
    };
    let (rise, passed) = (to.delay.wrapping_sub(from.delay) as i64, (time - from.at) as i64);
    let risen = match rise.checked_mul(passed) {
        Some(product) => product.div_euclid(span as i64),
        None => (i128::from(rise) * i128::from(passed)).div_euclid(i128::from(span)) as i64,
    };
    from.delay.wrapping_add(risen as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law(knots: &[(u64, u64)], form: DelayForm, period: Option<u64>) -> Option<DelayLaw> {
        let knots: Vec<Knot> = knots.iter().map(|(at, delay)| Knot { at: *at, delay: *delay }).collect();
        DelayLaw::new(&knots, form, period.map(Duration::from_ps))
    }

    /// From 100 at 0 to 70 at 10 and 90 at 20: at 5 half of the way, at 11 and 13 a tenth and three of 20.
    #[test]
    fn a_delay_stays_or_goes_in_a_straight_line() {
        let knots = [(0, 100), (10, 70), (20, 90)];
        let seen = |form, period| {
            let (law, mut place) = (law(&knots, form, period).unwrap(), 0);
            [0, 5, 9, 10, 11, 13, 20, 25, 31].map(|time| law.at(time, &mut place).unwrap())
        };
        assert_eq!(seen(DelayForm::Steps, None), [100, 100, 100, 70, 70, 70, 90, 90, 90]);
        assert_eq!(seen(DelayForm::Linear, None), [100, 85, 73, 70, 72, 76, 90, 90, 90]);
        // In a period of 30 it goes on to the 100 that it has at 30; 31 is 1 of the next.
        assert_eq!(seen(DelayForm::Linear, Some(30)), [100, 85, 73, 70, 72, 76, 90, 95, 97]);
        assert_eq!(law(&knots, DelayForm::Linear, None).unwrap().least(), Duration::from_ps(70));
    }

    /// There until 20, and from 30 on; the line to its end is level.
    #[test]
    fn a_link_is_gone_between_two_times() {
        let knots = [(0, 100), (10, 70), (20, GONE), (30, 50), (40, 60)];
        let (law, mut place) = (law(&knots, DelayForm::Linear, None).unwrap(), 0);
        let seen = [5, 19, 20, 29, 30, 35, 90].map(|time| law.at(time, &mut place));
        assert_eq!(seen, [Some(85), Some(70), None, None, Some(50), Some(55), Some(60)]);
        assert_eq!(law.least(), Duration::from_ps(50));
    }

    #[test]
    fn what_is_no_law_is_none() {
        let none = |knots: &[(u64, u64)], period| assert_eq!(law(knots, DelayForm::Steps, period), None);
        none(&[], None);
        none(&[(1, 5)], None);
        none(&[(0, 5), (0, 6)], None);
        none(&[(0, GONE), (7, GONE)], None);
        none(&[(0, 5), (7, 6)], Some(7));
    }

    proptest! {
        /// Where the search begins does not matter, and no product is too large: against 128 bits.
        #[test]
        fn a_law_is_what_its_knots_say(
            gaps in prop::collection::vec((1u64..1 << 50, 1u64..3600 * 1_000_000_000_000), 1..9),
            times in prop::collection::vec(0u64..1 << 53, 1..20),
        ) {
            let mut knots: Vec<(u64, u64)> = vec![(0, 1_000_000)];
            for (gap, delay) in gaps {
                knots.push((knots[knots.len() - 1].0 + gap, delay));
            }
            let (law, mut place) = (law(&knots, DelayForm::Linear, None).unwrap(), 0);
            for time in times {
                let behind = knots.iter().position(|(at, _)| *at > time);
                let expected = match behind {
                    None => i128::from(knots[knots.len() - 1].1),
                    Some(behind) => {
                        let ((t0, d0), (t1, d1)) = (knots[behind - 1], knots[behind]);
                        let (t0, d0, t1, d1) = (i128::from(t0), i128::from(d0), i128::from(t1), i128::from(d1));
                        d0 + ((d1 - d0) * (i128::from(time) - t0)).div_euclid(t1 - t0)
                    }
                };
                prop_assert_eq!(law.at(time, &mut place).map(i128::from), Some(expected));
            }
        }
    }
}
