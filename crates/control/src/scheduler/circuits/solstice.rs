//! Solstice (Liu et al., Scheduling Techniques for Hybrid Circuit/Packet Networks, CoNEXT 2015), by its pseudo-code as
//! programs of others repeat it.
//!
//! The demand D becomes D′ by quick stuffing. While a line of D′ is longer than what the packet network carries in the
//! time T so far, a slice is looked for: a perfect matching on the entries of D′ that reach the threshold r
//! (`BigSlice`). It is held until its least entry is served, and T grows by that and the dark time δ. If there is none,
//! r is halved.
//!
//! Readings: where r begins ([`Threshold`]) and the order of stuffing ([`super::Stuffing`]). The paper has one switch;
//! of n, T is an n-th of their time. The paper's schedule ends with this condition alone; here it ends with the week
//! too. Not here is what the authors' program does beside it: trimming small entries, a least length of days, and
//! lengthening all days to the week (the last is `Remainder::Stretch`).

use super::super::support::with_words;
use super::slices::Slicer;
use super::{Matched, Threshold, Work, quick_stuff};

/// The rule `solstice`.
pub(super) fn solstice(work: &Work) -> Vec<Matched> {
    let stuffed = quick_stuff(&work.times, work.ports, work.readings.stuffing);
    let longest: u64 = stuffed[..work.ports].iter().sum();
    let first = first_threshold(stuffed.iter().copied().max().unwrap_or(0), work.readings.threshold);
    with_words!(work.ports, W => cut(Slicer::<W>::new(stuffed, work.ports, first), longest, work))
}

/// Slices until the packet network carries the rest. All lines of what is left have the sum `left`.
fn cut<const W: usize>(mut slicer: Slicer<W>, mut left: u64, work: &Work) -> Vec<Matched> {
    let (mut found, mut spent) = (Vec::new(), 0);
    while left > 0 && spent < work.budget && !packet_network_carries(left, spent, work) {
        match slicer.slice() {
            Some(matched) => {
                slicer.take(matched.time);
                left -= matched.time;
                spent += matched.time + work.dark();
                found.push(matched);
            }
            None => slicer.set_threshold(slicer.threshold() / 2),
        }
    }
    found
}

/// Whether a line of `left` picoseconds of light passes the packet network within `spent` picoseconds of all switches.
fn packet_network_carries(left: u64, spent: u64, work: &Work) -> bool {
    let bits = u128::from(left) * u128::from(work.site.capacity.bps()) * work.site.switches as u128;
    bits <= u128::from(work.site.packet_capacity.bps()) * u128::from(spent)
}

/// The threshold that the search begins with, at least 1.
fn first_threshold(largest: u64, begin: Threshold) -> u64 {
    match begin {
        Threshold::PowerOfTwo => largest.div_ceil(2).checked_next_power_of_two().unwrap_or(1).max(1),
        Threshold::Largest => largest.max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_threshold_is_the_largest_power_of_two_below_the_largest_entry() {
        let first = [2, 3, 4, 5, 8, 9, 1 << 50].map(|largest| first_threshold(largest, Threshold::PowerOfTwo));
        assert_eq!(first, [1, 2, 2, 4, 4, 8, 1 << 49]);
        assert_eq!(first_threshold(0, Threshold::PowerOfTwo), 1);
    }
}
