//! LAUC-VF (latest available unused channel with void filling): of the channels that are free for the whole burst, the
//! one whose reservation before it ends latest. Xiong, Vandenhoute, Cankaya, JSAC 18(10), 2000, §IV.
//!
//! Min-SV (Xu, Qiao, Li, Xu, INFOCOM 2003), the least void before the burst, is the same choice; it was published for
//! finding it faster. Of equals the lowest channel is taken, and of an open channel and a void the open channel.

use super::{Assignment, Rule, Timetable, Wish};

/// The rules `lauc-vf` and `min-sv`.
#[derive(Debug, Default)]
pub struct LaucVf;

impl Rule for LaucVf {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment> {
        let open = table.latest_horizon(wish);
        let open = open.map(|(channel, horizon)| (Assignment { channel, in_void: false }, horizon));
        // Seldom with one offset for all: then headers come in the order of their bursts.
        let best = if table.may_have_void(wish) { later_void(table, wish, open) } else { open };
        best.map(|(chosen, _)| chosen)
    }
}

/// The void that begins latest, if that is later than `open`.
#[inline(never)]
fn later_void(table: &Timetable, wish: &Wish, open: Option<(Assignment, u64)>) -> Option<(Assignment, u64)> {
    let mut best = open;
    for (channel, void) in table.voids(wish) {
        if best.is_none_or(|(_, latest)| void.start > latest) {
            best = Some((Assignment { channel, in_void: true }, void.start));
        }
    }
    best
}
