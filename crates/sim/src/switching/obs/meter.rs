//! The burst dropping rate of a path as its ingress node measures it: over the last Δt (paper 001, §II).
//!
//! The time is divided into eighths of Δt; what counts are the eighth that runs and the seven before it. A burst counts
//! as sent when it leaves and as lost when the node hears of it, a round trip to the place of the loss later.

/// Bursts sent and lost in the last Δt.
#[derive(Clone, Debug)]
pub struct Meter {
    /// An eighth of Δt, in picoseconds.
    part: u64,
    /// (sent, lost) by the number of the part, modulo eight.
    parts: [(u32, u32); PARTS as usize],
    /// The part that runs.
    newest: u64,
}

const PARTS: u64 = 8;

impl Meter {
    /// A meter over `window` picoseconds that has seen nothing.
    pub fn new(window: u64) -> Meter {
        Meter { part: (window / PARTS).max(1), parts: [(0, 0); PARTS as usize], newest: 0 }
    }

    /// A burst leaves.
    pub fn handle_sent(&mut self, now: u64) {
        self.part_at(now).0 += 1;
    }

    /// A burst was lost.
    pub fn handle_lost(&mut self, now: u64) {
        self.part_at(now).1 += 1;
    }

    /// Bursts lost per burst sent. What was lost without anything sent counts as all.
    pub fn rate(&mut self, now: u64) -> f64 {
        self.part_at(now);
        let sent: u64 = self.parts.iter().map(|(sent, _)| u64::from(*sent)).sum();
        let lost: u64 = self.parts.iter().map(|(_, lost)| u64::from(*lost)).sum();
        match (sent, lost) {
            (_, 0) => 0.0,
            (0, _) => 1.0,
            _ => lost as f64 / sent as f64,
        }
    }

    fn part_at(&mut self, now: u64) -> &mut (u32, u32) {
        let number = now / self.part;
        // More than all parts have run out at most once.
        let first = (self.newest + 1).max(number.saturating_sub(PARTS - 1));
        (first..=number).for_each(|over| self.parts[(over % PARTS) as usize] = (0, 0));
        self.newest = self.newest.max(number);
        &mut self.parts[(number % PARTS) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_the_window_does_not_count() {
        let mut meter = Meter::new(800);
        (0..100).for_each(|time| meter.handle_sent(time));
        meter.handle_lost(99);
        assert_eq!(meter.rate(100), 0.01);
        (300..400).for_each(|time| meter.handle_sent(time));
        // 1 of 200 in the last 800; from 800 on the first hundred are over.
        assert_eq!(meter.rate(799), 0.005);
        assert_eq!(meter.rate(800), 0.0);
        meter.handle_lost(900);
        assert_eq!(meter.rate(900), 0.01);
        assert_eq!(meter.rate(1_000_000), 0.0);
        meter.handle_lost(1_000_001);
        assert_eq!(meter.rate(1_000_001), 1.0, "lost with nothing sent");
    }
}
