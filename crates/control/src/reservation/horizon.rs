//! Horizon, also called LAUC (latest available unscheduled channel): a channel is known by the end of its last
//! reservation only. Turner, Journal of High Speed Networks 8(1), 1999; Xiong, Vandenhoute, Cankaya, JSAC 18(10), 2000.

use super::{Assignment, Rule, Timetable, Wish};

/// The rule `horizon`.
#[derive(Debug, Default)]
pub struct Horizon;

impl Rule for Horizon {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment> {
        table.latest_horizon(wish).map(|(channel, _)| Assignment { channel, in_void: false })
    }
}
