//! Best fit: of the voids that hold the burst, the shortest; without one, the open channel of LAUC. Xu, Qiao, Li, Xu,
//! INFOCOM 2003 (there with weights for the two parts that are left, here equal).

use super::{Assignment, Rule, Timetable, Wish};

/// The rule `best-fit`.
#[derive(Debug, Default)]
pub struct BestFit;

impl Rule for BestFit {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment> {
        let shortest = table.voids(wish).min_by_key(|(_, void)| void.end - void.start);
        let open = || table.latest_horizon(wish).map(|(channel, _)| Assignment { channel, in_void: false });
        shortest.map(|(channel, _)| Assignment { channel, in_void: true }).or_else(open)
    }
}
