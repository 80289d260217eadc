//! The windows of a gate. Those that follow each other evenly are kept as one entry, a [`Row`]: a gate with eight
//! openings in a cycle has one or two of them.

/// A stretch of time in which a queue may send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its first picosecond.
    pub start: u64,
    /// The first picosecond after it.
    pub end: u64,
    /// Whether it meets the switch in its slot.
    pub passes: bool,
}

/// Windows as long as one another, at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The first.
    pub first: Window,
    /// From the beginning of one to the beginning of the next, in picoseconds; no less than a window lasts.
    pub distance: u64,
    /// How many.
    pub count: u64,
}

/// Windows in the order of time, and how far they have been used.
#[derive(Debug, Default)]
pub(super) struct Windows {
    rows: Vec<Row>,
    place: Place,
}

/// How far windows have been used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// What is not used up of a row, from the window in use on; perhaps nothing.
    unused: Row,
    /// The number of the row behind that.
    behind: usize,
}

impl From<Window> for Row {
    fn from(first: Window) -> Row {
        Row { first, distance: first.end - first.start, count: 1 }
    }
}

impl Row {
    /// One of them, also behind the last.
    #[inline]
    fn window(&self, number: u64) -> Window {
        let later = number * self.distance;
        Window { start: self.first.start + later, end: self.first.end + later, passes: self.first.passes }
    }

    fn last(&self) -> Window {
        self.window(self.count - 1)
    }

    fn without_first(self) -> Row {
        Row { first: self.window(1), count: self.count - 1, ..self }
    }

    /// Whether nothing can be sent in them.
    fn is_empty(&self) -> bool {
        self.count == 0 || self.first.start == self.first.end
    }

    /// Windows without a gap are one.
    fn joined(self) -> Row {
        match self.first.end == self.first.start + self.distance && self.count > 1 {
            true => Window { end: self.last().end, ..self.first }.into(),
            false => self,
        }
    }

    fn windows(&self) -> impl Iterator<Item = Window> {
        (0..self.count).map(|number| self.window(number))
    }
}

impl Windows {
    /// Those of earlier cycles that are over are forgotten.
    pub(super) fn forget(&mut self, now: u64) {
        // Nearly always all of them are over, which the last one tells.
        let over = match self.rows.last() {
            Some(row) if row.last().end > now => self.rows.partition_point(|row| row.last().end <= now),
            _ => self.rows.len(),
        };
        self.rows.drain(..over);
        self.place = match self.place.behind.checked_sub(over) {
            Some(behind) if behind > 0 => Place { behind, ..self.place },
            _ => Place::default(),
        };
    }

    /// More windows, later than those before; what of them begins earlier begins there. Where `joins` says so, a window
    /// that begins when another ends makes that one longer.
    #[inline]
    pub(super) fn open(&mut self, row: Row, joins: bool) {
        if row.is_empty() {
            return;
        }
        let row = if joins { row.joined() } else { row };
        match self.rows.last().map(Row::last) {
            Some(newest) if row.first.start <= newest.end => self.open_close(newest, row, joins),
            _ => self.rows.push(row),
        }
    }

    /// The first window of a row begins when the `newest` ends, or before.
    fn open_close(&mut self, newest: Window, mut row: Row, joins: bool) {
        if joins && row.first.start == newest.end && row.first.passes == newest.passes {
            self.lengthen(newest, row.first.end);
            row = row.without_first();
        }
        while !row.is_empty() && row.first.start < newest.end {
            if newest.end < row.first.end {
                self.rows.push(Window { start: newest.end, ..row.first }.into());
            }
            row = row.without_first();
        }
        if !row.is_empty() {
            self.rows.push(row);
        }
    }

    /// The last window, `newest`, ends later, and has something left again.
    fn lengthen(&mut self, newest: Window, end: u64) {
        let longer = Window { end, ..newest }.into();
        let is_last = self.place.behind == self.rows.len();
        if let Some(row) = self.rows.last_mut() {
            row.count -= 1;
            if row.count == 0 {
                *row = longer;
            } else {
                self.rows.push(longer);
            }
        }
        if is_last {
            // The row in use is the one that has lost its last window, which lies behind it now.
            let Place { unused, behind } = &mut self.place;
            (unused.count, *behind) = (unused.count.saturating_sub(1), self.rows.len() - 1);
        }
    }

    /// The first window that is not used up and ends after `time`. Those before it are used up.
    #[inline]
    pub(super) fn not_over(&mut self, time: u64) -> Option<Window> {
        let Row { first, count, .. } = self.place.unused;
        let mut window = if count > 0 { first } else { self.advance()? };
        while window.end <= time {
            window = self.advance()?;
        }
        Some(window)
    }

    /// The window in use is used up. The next one.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<Window> {
        let Place { unused, behind } = &mut self.place;
        if unused.count > 1 {
            *unused = unused.without_first();
        } else {
            unused.count = 0;
            *unused = *self.rows.get(*behind)?;
            *behind += 1;
        }
        Some(unused.first)
    }

    /// How far windows have been used.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// They have been used so far and no further.
    pub(super) fn return_to(&mut self, place: Place) {
        self.place = place;
    }

    /// All of them can be used again.
    pub(super) fn forget_use(&mut self) {
        self.place = Place::default();
    }

    /// All that are not forgotten.
    pub(super) fn iter(&self) -> impl Iterator<Item = Window> {
        self.rows.iter().flat_map(Row::windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, one window after the other.
    #[derive(Default)]
    struct Flat {
        windows: Vec<Window>,
        unused: usize,
    }

    impl Flat {
        fn open(&mut self, window: Window, joins: bool) {
            if window.start == window.end {
                return;
            }
            let unused = self.unused.min(self.windows.len().saturating_sub(1));
            let end = self.windows.last().map_or(0, |newest| newest.end);
            match self.windows.last_mut() {
                Some(newest) if joins && newest.end == window.start && newest.passes == window.passes => {
                    newest.end = window.end;
                    self.unused = unused;
                }
                _ if end.max(window.start) < window.end => {
                    self.windows.push(Window { start: window.start.max(end), ..window });
                }
                _ => {}
            }
        }

        fn find(&self, is_it: impl Fn(&Window) -> bool) -> usize {
            self.windows[self.unused..].iter().position(is_it).map_or(self.windows.len(), |place| self.unused + place)
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// Opens a row this long after the last one began.
        Open(u64, Row),
        /// Looks for a window that ends later than this after the last one began.
        Find(u64),
        Forget(u64),
        ForgetUse,
    }

    fn step() -> impl Strategy<Value = Step> {
        let row =
            (0u64..30, 0u64..12, 0u64..4, 0u64..6, any::<bool>()).prop_map(|(after, lasts, gap, count, passes)| {
                let first = Window { start: 0, end: lasts, passes };
                Step::Open(after, Row { first, distance: lasts + gap % 3, count })
            });
        prop_oneof![
            4 => row,
            4 => (0u64..60).prop_map(Step::Find),
            2 => (0u64..60).prop_map(Step::Forget),
            1 => Just(Step::ForgetUse),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn rows_are_the_windows_in_them(steps in prop::collection::vec(step(), 1..40), joins in any::<bool>()) {
            let (mut rows, mut flat) = (Windows::default(), Flat::default());
            let mut begun = 0;
            for step in steps {
                match step {
                    Step::Open(after, Row { first, distance, count }) => {
                        begun += after;
                        let first = Window { start: begun, end: begun + first.end, ..first };
                        // Of windows without a gap that begin too early, rows join what is left, and single ones do
                        // not.
                        let is_early = rows.rows.last().is_some_and(|newest| begun < newest.last().end);
                        let row = Row { first, distance, count: if is_early { count.min(1) } else { count } };
                        row.windows().for_each(|window| flat.open(window, joins));
                        rows.open(row, joins);
                    }
                    Step::Find(after) => {
                        let until = (begun + after).saturating_sub(30);
                        let window = rows.not_over(until);
                        flat.unused = flat.find(|window| window.end > until);
                        prop_assert_eq!(window, flat.windows.get(flat.unused).copied());
                    }
                    Step::Forget(after) => {
                        let now = (begun + after).saturating_sub(30);
                        rows.forget(now);
                        // A row stays whole while one of its windows is not over.
                        let over = flat.windows.len() - rows.iter().count();
                        prop_assert!(flat.windows[..over].iter().all(|window| window.end <= now));
                        flat.windows.drain(..over);
                        flat.unused = flat.unused.saturating_sub(over);
                    }
                    Step::ForgetUse => {
                        rows.forget_use();
                        flat.unused = 0;
                    }
                }
                prop_assert_eq!(rows.iter().collect::<Vec<_>>(), flat.windows.clone());
            }
        }
    }
}
