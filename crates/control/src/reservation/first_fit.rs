//! First fit: the first channel that is free for the whole burst, in a void or behind its horizon. The baseline without any
//! choice.

use super::{Place, Rule, Timetable, Wish};

/// The rule `first-fit`.
#[derive(Debug, Default)]
pub struct FirstFit;

impl Rule for FirstFit {
    fn choose(&self, table: &Timetable, wish: &Wish) -> Option<Place> {
        let open = table.first_open(wish).map(|channel| Place { channel, in_void: false });
        let void = table.voids(wish).next().map(|(channel, _)| Place { channel, in_void: true });
        [open, void].into_iter().flatten().min_by_key(|place| place.channel)
    }
}
