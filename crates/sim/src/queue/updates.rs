//! Instants at equal distances, made up for when something happens: between two packets nothing changes that an update
//! looks at but the time, which it is told.

/// The updates of a controller.
#[derive(Clone, Copy, Debug)]
pub struct Updates {
    next: u64,
    period: u64,
}

impl Updates {
    /// The first after one `period`, in picoseconds.
    pub fn every(period: u64) -> Updates {
        let period = period.max(1);
        Updates { next: period, period }
    }

    /// The next one that was due before `now`. One at the same instant comes after what happens there, as timers do.
    pub fn take(&mut self, now: u64) -> Option<u64> {
        let due = (self.next < now).then_some(self.next)?;
        self.next = due.saturating_add(self.period);
        Some(due)
    }

    /// Passes over those before `now`, which would change nothing; the last of them, if there were any.
    pub fn skip(&mut self, now: u64) -> Option<u64> {
        let missed = now.saturating_sub(self.next).div_ceil(self.period);
        self.next = self.next.saturating_add(missed.saturating_mul(self.period));
        (missed > 0).then(|| self.next.saturating_sub(self.period))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_taken_once_each_and_none_at_the_instant_itself() {
        let mut updates = Updates::every(10);
        assert_eq!([30, 30, 30].map(|now| updates.take(now)), [Some(10), Some(20), None]);
        assert_eq!(updates.take(31), Some(30));
        assert_eq!(updates.skip(100), Some(90));
        assert_eq!([100, 101].map(|now| updates.take(now)), [None, Some(100)]);
    }
}
