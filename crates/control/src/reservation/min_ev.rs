//! Min-EV (minimum ending void): of the voids that hold the burst, the one with the least void left behind it; without
//! one, the open channel of LAUC. Xu, Qiao, Li, Xu, INFOCOM 2003.

use super::{Assignment, Rule, Timetable, Wish};

/// The rule `min-ev`.
#[derive(Debug, Default)]
pub struct MinEv;

impl Rule for MinEv {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment> {
        let tightest = table.voids(wish).min_by_key(|(_, void)| void.end);
        let open = || table.latest_horizon(wish).map(|(channel, _)| Assignment { channel, in_void: false });
        tightest.map(|(channel, _)| Assignment { channel, in_void: true }).or_else(open)
    }
}
