//! Whose turn it is: some of a number of queues have something to send, and take turns.

/// Those that have something to send.
#[derive(Debug)]
pub(super) struct Turns {
    /// A bit for each.
    words: Box<[u64]>,
    /// The next in turn.
    next: u32,
    /// How many have something.
    count: u32,
}

impl Turns {
    /// None of `queues` has.
    pub fn new(queues: usize) -> Turns {
        Turns { words: vec![0; queues.div_ceil(64)].into(), next: 0, count: 0 }
    }

    /// One has something to send, or not.
    pub fn set(&mut self, queue: u32, has: bool) {
        let (word, bit) = ((queue / 64) as usize, 1 << (queue % 64));
        let had = self.words[word] & bit != 0;
        match (had, has) {
            (false, true) => (self.words[word] |= bit, self.count += 1).1,
            (true, false) => (self.words[word] &= !bit, self.count -= 1).1,
            _ => {}
        }
    }

    /// Whether another one than `but` has something. One that does not exist has nothing.
    pub fn any(&self, but: Option<u32>) -> bool {
        let has = |queue: u32| self.words.get((queue / 64) as usize).is_some_and(|word| word & 1 << (queue % 64) != 0);
        self.count > u32::from(but.is_some_and(has))
    }

    /// The next one in turn that has something and is not `but`.
    pub fn take(&mut self, but: Option<u32>) -> Option<u32> {
        let found = self.from(self.next, but).or_else(|| self.from(0, but))?;
        self.next = found + 1;
        Some(found)
    }

    fn from(&self, first: u32, but: Option<u32>) -> Option<u32> {
        let start = (first / 64) as usize;
        for (number, word) in self.words.iter().enumerate().skip(start) {
            let mut left = if number == start { word & (u64::MAX << (first % 64)) } else { *word };
            while left != 0 {
                let queue = number as u32 * 64 + left.trailing_zeros();
                if Some(queue) != but {
                    return Some(queue);
                }
                left &= left - 1;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn queues_take_turns() {
        let mut turns = Turns::new(130);
        [3, 64, 129].iter().for_each(|queue| turns.set(*queue, true));
        let taken: Vec<_> = (0..4).map(|_| turns.take(None)).collect();
        assert_eq!(taken, [Some(3), Some(64), Some(129), Some(3)]);
        assert_eq!(turns.take(Some(64)), Some(129));
        turns.set(3, false);
        turns.set(129, false);
        assert_eq!((turns.any(None), turns.any(Some(64)), turns.take(Some(64))), (true, false, None));
        assert!(turns.any(Some(200)), "there is no such queue, so 64 is another one");
    }

    proptest! {
        /// Against a list that is looked through in a circle.
        #[test]
        fn the_next_in_turn_is_the_first_in_the_circle(has in prop::collection::vec(any::<bool>(), 1..200),
                                                       rounds in 1usize..20, but in prop::option::of(0u32..200)) {
            let mut turns = Turns::new(has.len());
            (0..).zip(&has).for_each(|(queue, has)| turns.set(queue, *has));
            let mut next = 0;
            for _ in 0..rounds {
                let circle = (next..has.len()).chain(0..next);
                let expected = circle.into_iter().find(|queue| has[*queue] && Some(*queue as u32) != but);
                prop_assert_eq!(turns.any(but), expected.is_some());
                prop_assert_eq!(turns.take(but), expected.map(|queue| queue as u32));
                next = expected.map_or(next, |queue| queue + 1);
            }
        }
    }
}
