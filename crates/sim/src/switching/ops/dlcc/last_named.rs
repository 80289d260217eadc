//! When a source was last told of a lost segment, and which losses are of the same round trip (`acks_per =
//! "round-trip"`).
//!
//! The source answers an artificial ACK by sending the named segment once more. What entered the core before that was
//! sent in the same round trip as the lost segment, and the source has halved its window for it.

/// The last lost segment that artificial ACKs have named.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastNamed(Option<Naming>);

#[derive(Clone, Copy, Debug)]
struct Naming {
    seq: u64,
    at: u64,
    /// When the segment entered the core once more.
    answered: Option<u64>,
}

impl LastNamed {
    /// Artificial ACKs name a segment.
    pub fn name(&mut self, now: u64, seq: u64) {
        self.0 = Some(Naming { seq, at: now, answered: None });
    }

    /// A segment enters the core.
    pub fn handle_data(&mut self, now: u64, seq: u64) {
        if let Some(naming) = self.0.as_mut().filter(|naming| naming.seq == seq) {
            naming.answered.get_or_insert(now);
        }
    }

    /// Whether a segment that entered the core at `sent` was sent in the round trip in which a loss was named. A source
    /// that does not answer is told again after `memory`.
    pub fn covers(&self, now: u64, sent: u64, memory: u64) -> bool {
        self.0.is_some_and(|naming| match naming.answered {
            Some(at) => sent < at,
            None => now < naming.at.saturating_add(memory),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::LastNamed;

    /// Segment 300 is named at 100 and comes once more at 150: what left at 149 is of the same round trip, and what
    /// left at 150 not.
    #[test]
    fn a_round_trip_ends_when_the_named_segment_comes_once_more() {
        let mut told = LastNamed::default();
        assert!(!told.covers(100, 90, 1000), "nothing was named");
        told.name(100, 300);
        told.handle_data(140, 400);
        assert!(told.covers(141, 140, 1000), "another segment is no answer");
        told.handle_data(150, 300);
        told.handle_data(170, 300);
        assert_eq!([149, 150].map(|sent| told.covers(200, sent, 1000)), [true, false]);
    }

    #[test]
    fn without_an_answer_it_ends_after_the_memory() {
        let mut told = LastNamed::default();
        told.name(100, 300);
        assert_eq!([1099, 1100].map(|now| told.covers(now, 1050, 1000)), [true, false]);
    }
}
