//! How many slots a queue may leave unused before others get them: "use it or lose it", as explicit-rate switches of
//! ATM's available bit rate took back what a source did not use, here for whole slots of frames.
//!
//! A queue's allowance is a bucket of slots. It earns a part of the slots that the queue uses, and a small part of each
//! frame; a slot that it was granted and left empty is taken from it, where another queue could have had it. Of the
//! slots that nobody asked for it may have as many in a frame as the bucket pays for until its edge node can say that
//! they were empty, and nearly those that it uses. So a queue that uses what it gets has its share, and one that does
//! not has its use and a margin. Over a long time a queue leaves unused one slot for [`USED`] that it uses, at most one
//! in [`SELDOM`] frames, and all queues of an edge node together one frame in [`FRAMES`] more.

use std::collections::BTreeMap;

/// A queue earns a slot for so many that it uses,
pub const USED: u32 = 16;
/// and at most one in so many frames.
pub const SELDOM: u32 = 6;
/// All queues of an edge node together earn a frame in so many frames besides.
pub const FRAMES: u32 = 128;
/// A full bucket pays for a whole frame so many times as long as it takes to hear of its use: a sender that is told of
/// more slots needs some round trips to fill them.
const FULL: i64 = 8;
/// The mean of a queue's use is over so many times as long as it takes to hear of it.
const MEAN: i64 = 4;
/// Of the slots that a queue uses so many less are granted, in the time until it hears of them, than it will need.
const WAITS: i64 = 2;
/// Parts of a slot in which all is counted.
const PARTS: i64 = 1 << 20;

/// Slots of a frame that are granted to a queue beyond the `uses` that it has of the frame's `slots`, over a long time,
/// where so many `queues` share a line.
pub fn margin(uses: f64, slots: f64, queues: f64) -> f64 {
    (uses / f64::from(USED)).min(1.0 / f64::from(SELDOM)) + slots / (f64::from(FRAMES) * queues)
}

/// What is the same for all queues of a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Data slots of a frame.
    pub slots: u32,
    /// Frames from a plan until the master has heard of the use of its slots.
    pub frames: u32,
}

impl Terms {
    /// What a full bucket holds, in parts.
    fn full(self) -> i64 {
        self.under_way().saturating_mul(FULL)
    }

    /// Frames over which the mean of use is taken.
    fn mean(self) -> i64 {
        i64::from(self.frames.max(1)) * MEAN
    }

    /// What all slots of the frames under way are, in parts.
    fn under_way(self) -> i64 {
        i64::from(self.slots.max(1)).saturating_mul(i64::from(self.frames.max(1))).saturating_mul(PARTS)
    }
}

/// How many queues ask at each node, from it and to it.
#[derive(Clone, Debug)]
pub struct Queues<N> {
    from: BTreeMap<N, usize>,
    to: BTreeMap<N, usize>,
}

impl<N: Ord> Queues<N> {
    /// Those of the pairs that ask.
    pub fn of(pairs: impl Iterator<Item = (N, N)>) -> Queues<N> {
        let mut queues = Queues { from: BTreeMap::new(), to: BTreeMap::new() };
        for (from, to) in pairs {
            *queues.from.entry(from).or_insert(0) += 1;
            *queues.to.entry(to).or_insert(0) += 1;
        }
        queues
    }

    /// Those that share the fuller line of a pair, its row or its column.
    pub fn beside(&self, from: N, to: N) -> usize {
        self.from.get(&from).max(self.to.get(&to)).copied().unwrap_or(0)
    }
}

/// The bucket of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    terms: Terms,
    /// Slots that were empty by the last report.
    unused: Option<u32>,
    /// Whether it had more than it wanted in the last plan. Then nobody else could have used what was empty.
    abounds: bool,
    /// In parts of a slot; below nothing by no more than was under way.
    left: i64,
    /// Slots of a frame that are used, a mean, in parts.
    used: i64,
    /// What of that mean has not become a whole slot yet, in parts.
    due: i64,
}

impl Allowance {
    /// Of a queue of which nothing is known.
    pub fn full(terms: Terms) -> Allowance {
        Allowance { terms, unused: None, abounds: false, left: terms.full(), used: 0, due: 0 }
    }

    /// Whether it is as if nothing were known: a queue that is silent may be forgotten then.
    pub fn is_full(&self) -> bool {
        self.left == self.terms.full() && !self.is_in_use()
    }

    /// Whether the queue has sent lately.
    pub fn is_in_use(&self) -> bool {
        self.used >= PARTS / 1024
    }

    /// Slots of the next frame, which is asked once: those that it uses, or as many more as it can pay for.
    pub fn slots(&mut self) -> u32 {
        let Terms { slots, frames } = self.terms;
        let pays_for = self.left / i64::from(frames.max(1));
        // A little less than it uses: then something waits, and fills the slots that are asked for.
        let uses = self.used - WAITS * PARTS / i64::from(frames.max(1));
        self.due += pays_for.max(uses).max(0);
        let whole = self.due / PARTS;
        self.due %= PARTS;
        whole.min(i64::from(slots)) as u32
    }

    /// A frame is planned in which it has `granted` slots of those it `wanted`, what it can pay for among them. It is
    /// one of `queues` that ask at its edge node.
    pub fn plan(&mut self, wanted: u32, granted: u32, queues: usize) {
        self.abounds = granted > wanted;
        self.used += (i64::from(granted) * PARTS - self.used) / self.terms.mean();
        let of_use = (self.used.max(0) / i64::from(USED)).min(PARTS / i64::from(SELDOM));
        let of_frame = i64::from(self.terms.slots) * PARTS / (i64::from(FRAMES) * queues.max(1) as i64);
        self.left = self.left.saturating_add(of_use + of_frame).min(self.terms.full());
    }

    /// So many of its slots were empty since its edge node began to count.
    pub fn hear(&mut self, unused: u32) {
        let grown = unused.wrapping_sub(self.unused.replace(unused).unwrap_or(unused));
        // A smaller number is of another session.
        if grown > u32::MAX / 2 {
            return;
        }
        let slots = i64::from(grown) * PARTS;
        self.used -= slots / self.terms.mean();
        if !self.abounds {
            self.left = self.left.saturating_sub(slots).max(-self.terms.under_way());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// The slots of `frames` frames that were granted and not used by a queue that has use for `wants` slots of each,
    /// and asks for none; others could have had all of them.
    fn unused(terms: Terms, frames: u32, wants: impl Fn(u32) -> u32) -> (u64, u64) {
        let mut queue = Allowance::full(terms);
        let mut heard: VecDeque<u32> = vec![0; terms.frames as usize].into();
        let (mut granted, mut empty) = (0, 0);
        for frame in 0..frames {
            let slots = queue.slots();
            queue.plan(slots, slots, 1);
            let idle = slots.saturating_sub(wants(frame));
            (granted, empty) = (granted + u64::from(slots), empty + u64::from(idle));
            heard.push_back(empty as u32);
            queue.hear(heard.pop_front().unwrap());
        }
        (granted, empty)
    }

    /// A full bucket of eight times four frames of 12 slots pays for all of a frame, and for half of one when half of
    /// what it needs for that is left.
    #[test]
    fn a_bucket_pays_for_what_is_under_way() {
        let terms = Terms { slots: 12, frames: 4 };
        let mut queue = Allowance::full(terms);
        queue.hear(u32::MAX - 9);
        assert_eq!(queue.slots(), 12);
        queue.hear(7 * 48 + 24 - 10);
        assert_eq!(queue.slots(), 6);
        queue.plan(6, 7, 1);
        queue.hear(1350);
        assert_eq!(queue.slots(), 6, "what nobody else could have had costs nothing");
        queue.plan(6, 6, 1);
        queue.hear(900);
        assert_eq!(queue.slots(), 6, "another session");
        queue.hear(1900);
        assert_eq!(queue.slots(), 0);
        // Below nothing by 48 slots: at 12/128 of a slot a frame it takes 512 frames until it is not.
        assert_eq!(
            (1..).find(|_| {
                queue.plan(1, 0, 1);
                queue.left > 0
            }),
            Some(48 * 128 / 12 + 1)
        );
    }

    proptest! {
        /// Who uses what it gets is never without its share.
        #[test]
        fn who_uses_all_has_all(slots in 1u32..50, frames in 1u32..20) {
            let (granted, empty) = unused(Terms { slots, frames }, 1000, |_| slots);
            prop_assert_eq!((granted, empty), (1000 * u64::from(slots), 0));
        }

        /// What is left unused is bounded by what was in the bucket and under way, and what it earns.
        #[test]
        fn what_is_not_used_is_bounded(
            slots in 1u32..50,
            frames in 1u32..20,
            wants in prop::collection::vec(0u32..60, 1..40),
        ) {
            let (terms, run) = (Terms { slots, frames }, 5000);
            let (granted, empty) = unused(terms, run, |frame| wants[frame as usize % wants.len()]);
            let at_once = 10 * u64::from(slots) * u64::from(frames);
            let used = granted - empty;
            let earned = (used / u64::from(USED)).min(u64::from(run / SELDOM)) + u64::from(slots * run / FRAMES);
            // Slots that are granted because they are used are empty where the use moves.
            let moves = if wants.iter().all(|slots| *slots == wants[0]) { 0 } else { used };
            prop_assert!(empty <= at_once + earned + moves + 2, "{empty} for {at_once} + {earned} + {moves}");
        }
    }
}
