//! Birkhoff and von Neumann with dark time: a matching is only held if it is worth it.
//!
//! The demand is stuffed and taken apart exactly. A matching whose light would be shorter than the dark time before it
//! (`Readings::shortest` gives another bound) is left out, so that at least half of the time is light; its demand goes
//! to the packet network. The longest matching comes first: where the week ends early, the shortest are missing.

use super::{Matched, Work, birkhoff, quick_stuff};
use std::cmp::Reverse;

/// The rule `bvn`.
pub(super) fn bvn(work: &Work) -> Vec<Matched> {
    let shortest = work.readings.shortest.map_or(work.dark(), |shortest| shortest.ps());
    let stuffed = quick_stuff(&work.times, work.ports, work.readings.stuffing);
    let mut matched = birkhoff(&stuffed, work.ports);
    matched.retain(|one| one.time >= shortest);
    matched.sort_by_key(|one| Reverse(one.time));
    matched
}
