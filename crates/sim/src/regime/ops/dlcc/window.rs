//! A count over a sliding window of time.

/// The window is divided in this many parts, and moves by one of them at a time.
const PARTS: usize = 64;

/// How often something happened in the window that ends now, up to a 64th of it.
#[derive(Clone, Debug)]
pub struct Window {
    part: u64,
    counts: [u32; PARTS],
    newest: usize,
    sum: u64,
    /// When the newest part ends.
    ends: u64,
}

impl Window {
    /// A window of `length` picoseconds in which nothing has happened.
    pub fn new(length: u64) -> Window {
        let part = (length / PARTS as u64).max(1);
        Window { part, counts: [0; PARTS], newest: 0, sum: 0, ends: part }
    }

    /// Moves to `now`; `each` is told the time and the count at the end of every part that leaves the count changed.
    pub fn advance(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        while now >= self.ends {
            if self.sum == 0 {
                self.ends = (now / self.part + 1) * self.part;
                return;
            }
            self.newest = (self.newest + 1) % PARTS;
            self.sum -= u64::from(std::mem::take(&mut self.counts[self.newest]));
            each(self.ends, self.sum);
            self.ends += self.part;
        }
    }

    /// It happens once more, at the time to which it was moved.
    pub fn add(&mut self) {
        self.counts[self.newest] += 1;
        self.sum += 1;
    }

    /// The count.
    pub fn count(&self) -> u64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_the_window_does_not_count() {
        let mut window = Window::new(6400);
        for now in (0..6400).step_by(100) {
            window.advance(now, |_, _| {});
            window.add();
        }
        assert_eq!(window.count(), 64);
        window.advance(6400 + 3199, |_, _| {});
        assert_eq!(window.count(), 32, "half of the window later half of it is left");
        window.advance(1_000_000, |_, _| {});
        assert_eq!(window.count(), 0);
    }
}
