//! The week: nights, days, and who is joined with whom in each.

use super::keys::Matchings;

/// A week, which begins with a night; times in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Week {
    night: u64,
    day: u64,
    /// For each day, by rack: to which one its circuit leads.
    matchings: Vec<Box<[Option<u32>]>>,
}

/// A night and the day after it, or a part of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Now {
    /// To which rack a circuit leads now.
    pub to: Option<u32>,
    /// When the night, or the day, ends.
    pub until: u64,
}

impl Week {
    /// Of so many racks, at least two.
    pub fn new(night: u64, day: u64, racks: u32, matchings: Matchings) -> Week {
        let matchings = match matchings {
            Matchings::Offsets => (1..racks).map(|m| (0..racks).map(|i| Some((i + m) % racks)).collect()).collect(),
            Matchings::Tournament => tournament(racks),
        };
        Week { night, day, matchings }
    }

    /// How long it lasts.
    pub fn length(&self) -> u64 {
        (self.night + self.day) * self.matchings.len() as u64
    }

    /// How long a circuit stays.
    pub fn day(&self) -> u64 {
        self.day
    }

    /// What a rack has at a time.
    pub fn at(&self, now: u64, rack: u32) -> Now {
        let (part, into) = (now / (self.night + self.day), now % (self.night + self.day));
        let begins = now - into;
        if into < self.night {
            return Now { to: None, until: begins + self.night };
        }
        let matching = &self.matchings[(part % self.matchings.len() as u64) as usize];
        Now { to: matching[rack as usize], until: begins + self.night + self.day }
    }

    /// When, after the beginning of a week, each day of a pair begins.
    pub fn days(&self, from: u32, to: u32) -> impl Iterator<Item = u64> {
        let begins = |day: u64| day * (self.night + self.day) + self.night;
        let joined = move |matching: &[Option<u32>]| matching[from as usize] == Some(to);
        (0..).zip(&self.matchings).filter(move |(_, matching)| joined(matching)).map(move |(day, _)| begins(day))
    }
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
        assert_eq!(week.days(0, 1).collect::<Vec<_>>(), [20]);
        assert_eq!(week.days(1, 0).collect::<Vec<_>>(), [23 * 200 + 20]);
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
}
