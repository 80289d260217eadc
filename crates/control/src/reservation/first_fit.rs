//! First fit: the first channel that is free for the whole burst, in a void or behind its horizon. The baseline without
//! any choice.

use super::{Assignment, Rule, Timetable, Wish};

/// The rule `first-fit`.
#[derive(Debug, Default)]
pub struct FirstFit;

impl Rule for FirstFit {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Assignment> {
        let open = table.first_open(wish).map(|channel| Assignment { channel, in_void: false });
        let void = table.voids(wish).next().map(|(channel, _)| Assignment { channel, in_void: true });
        [open, void].into_iter().flatten().min_by_key(|chosen| chosen.channel)
    }
}
