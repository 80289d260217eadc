//! A count over a sliding window of time.

/// The window is this many parts long. One more is remembered: the window covers the rest of the oldest one and what
/// there is of the newest.
const PARTS: u64 = 64;
const REMEMBERED: usize = PARTS as usize + 1;

/// How often something happened in the window that ends now. What happened in the oldest part counts by the share of it
/// that the window still covers, so that a steady rate is read as it is.
#[derive(Clone, Debug)]
pub struct Window {
    part: u64,
    counts: [u32; REMEMBERED],
    newest: usize,
    /// Of all parts that are remembered.
    sum: u64,
    /// When the newest part ends.
    ends: u64,
}

impl Window {
    /// A window of `length` picoseconds in which nothing has happened.
    pub fn new(length: u64) -> Window {
        let part = (length / PARTS).max(1);
        Window { part, counts: [0; REMEMBERED], newest: 0, sum: 0, ends: part }
    }

    /// Moves to `now`; `each` is told the count at the end of every part, where the window is whole parts.
    pub fn advance(&mut self, now: u64, mut each: impl FnMut(u64)) {
        while now >= self.ends {
            if self.sum == 0 {
                self.ends = (now / self.part + 1) * self.part;
                return;
            }
            self.newest = (self.newest + 1) % REMEMBERED;
            self.sum -= u64::from(std::mem::take(&mut self.counts[self.newest]));
            each(self.sum);
            self.ends += self.part;
        }
    }

    /// It happens once more, at the time to which it was moved.
    pub fn add(&mut self) {
        self.counts[self.newest] += 1;
        self.sum += 1;
    }

    /// The count in the window that ends at `now`, the time to which it was moved, to the nearest whole number.
    pub fn count(&self, now: u64) -> u64 {
        let oldest = u64::from(self.counts[(self.newest + 1) % REMEMBERED]);
        let gone = self.part - (self.ends - now).min(self.part);
        self.sum - (oldest * gone + self.part / 2) / self.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_the_window_does_not_count() {
        let mut window = Window::new(6400);
        for now in (0..6400).step_by(100) {
            window.advance(now, |_| {});
            window.add();
        }
        assert_eq!(window.count(6399), 64);
        window.advance(6400 + 3200, |_| {});
        assert_eq!(window.count(6400 + 3200), 32, "half of the window later half of it is left");
        window.advance(1_000_000, |_| {});
        assert_eq!(window.count(1_000_000), 0);
    }

    /// One every 7 ps in a window of 6400: 914 or 915, whenever it is read; 63 parts of it would be 900.
    #[test]
    fn a_steady_rate_is_read_as_it_is() {
        let mut window = Window::new(6400);
        for now in (0..64_000).step_by(7) {
            let each = |count: u64| assert!(now < 6500 || (914..=915).contains(&count), "{count} before {now}");
            window.advance(now, each);
            window.add();
            assert!(now < 6400 || (913..=916).contains(&window.count(now)), "{} at {now}", window.count(now));
        }
    }
}
