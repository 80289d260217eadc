//! What has gone into each output of a photonic switch, and whether other light meets it.
//!
//! A process reads its fibres one after the other. When it was kept from running it hears a later slot of one fibre
//! before an earlier slot of another, so light is compared by its stamps, with all that its output held in a frame.

use std::collections::BTreeMap;
use units::{Duration, Instant};

/// One slot of one node: through which fibre it came, its frame and its slot.
pub(crate) type Origin = (usize, u64, u32);

/// Light in an output. The pieces of a slot come one after the other, however their stamps differ: they are one.
#[derive(Clone, Copy, Debug)]
struct Passing {
    since: Instant,
    until: Instant,
    from: Origin,
}

/// The light of the last frame in each output.
#[derive(Debug)]
pub(crate) struct Outputs {
    of: BTreeMap<u16, Vec<Passing>>,
    /// A frame: what ended so long before the newest light is forgotten.
    kept: Duration,
}

impl Outputs {
    pub(crate) fn new(frame: Duration) -> Outputs {
        Outputs { of: BTreeMap::new(), kept: frame }
    }

    /// Puts light into an output, or says through which fibre came the light that it would meet there.
    pub(crate) fn pass(&mut self, output: u16, span: (Instant, Instant), from: Origin) -> Result<(), usize> {
        let (since, until) = span;
        let held = self.of.entry(output).or_default();
        let meets = |other: &&Passing| other.from != from && other.since < until && since < other.until;
        if let Some(other) = held.iter().find(meets) {
            return Err(other.from.0);
        }
        held.retain(|other| other.until + self.kept >= until);
        match held.iter_mut().find(|other| other.from == from) {
            Some(same) => (same.since, same.until) = (same.since.min(since), same.until.max(until)),
            None => held.push(Passing { since, until, from }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Duration = Duration::from_millis(18);

    fn span(from_us: u64, to_us: u64) -> (Instant, Instant) {
        let at = |us: u64| Instant::from_ps(us * 1_000_000);
        (at(from_us), at(to_us))
    }

    #[test]
    fn light_meets_light_that_overlaps_whichever_was_heard_first() {
        for [first, second] in [[span(0, 900), span(800, 1700)], [span(800, 1700), span(0, 900)]] {
            let mut outputs = Outputs::new(FRAME);
            assert_eq!(outputs.pass(3, first, (0, 7, 1)), Ok(()));
            assert_eq!(outputs.pass(3, second, (1, 7, 2)), Err(0));
            assert_eq!(outputs.pass(4, second, (1, 7, 2)), Ok(()), "another output");
        }
    }

    /// A busy machine hears all of fibre 0 before anything of fibre 1.
    #[test]
    fn an_earlier_slot_that_is_heard_late_meets_nothing() {
        let mut outputs = Outputs::new(FRAME);
        for slot in [0, 2, 4] {
            assert_eq!(outputs.pass(3, span(slot * 1000, slot * 1000 + 900), (0, 7, slot as u32)), Ok(()));
        }
        for slot in [1, 3, 5] {
            assert_eq!(outputs.pass(3, span(slot * 1000, slot * 1000 + 900), (1, 7, slot as u32)), Ok(()));
        }
        assert_eq!(outputs.pass(3, span(2500, 2600), (2, 7, 9)), Err(0), "and what was heard before is not forgotten");
        assert_eq!(outputs.pass(3, span(3500, 3600), (2, 7, 9)), Err(1));
    }

    #[test]
    fn the_pieces_of_a_slot_are_one_light() {
        let mut outputs = Outputs::new(FRAME);
        for piece in [span(0, 300), span(250, 550), span(600, 900)] {
            assert_eq!(outputs.pass(3, piece, (0, 7, 1)), Ok(()));
        }
        assert_eq!(outputs.pass(3, span(560, 590), (1, 7, 1)), Err(0));
    }

    #[test]
    fn what_ended_a_frame_ago_is_forgotten() {
        let mut outputs = Outputs::new(FRAME);
        for frame in 0..100 {
            assert_eq!(outputs.pass(3, span(frame * 18_000, frame * 18_000 + 900), (0, frame, 1)), Ok(()));
        }
        assert!(outputs.of[&3].len() <= 2);
    }
}
