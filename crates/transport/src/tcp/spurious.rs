//! Spurious retransmissions, found by D-SACK: RFC 3708.
//!
//! An episode is one fast recovery or one timeout with everything it retransmitted. It was *false* if the receiver
//! reports every one of its retransmissions as a duplicate. A D-SACK for data that was never retransmitted is the
//! network's duplicate and counts for nothing. What follows from the verdict for the window is `undo`'s.
//!
//! With thousands of flows a recovery finds none of this in the cache. So the last episode lies beside the sender, the
//! list of retransmissions is only written to unless a D-SACK comes, and older episodes, which exist only while D-SACKs
//! for them may still come, lie side by side ([`SpuriousTracker::older`]).

use super::SackBlock;
use std::collections::VecDeque;

/// Episodes and retransmissions remembered at most; the oldest go first.
const MOST_EPISODES: usize = 16;
const MOST_RETRANSMISSIONS: usize = 1024;

/// In the place of [`Episode::expires`] while more retransmissions may follow.
const RUNNING: u64 = u64::MAX;

/// The reason of a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    FastRetransmit,
    Timeout,
}

/// An episode has been proved false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) cause: Cause,
    /// True if no episode began after it.
    pub(super) is_last: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Episode {
    /// The sequence number whose ACK ends the wait for D-SACKs.
    expires: u64,
    /// Retransmissions not (yet) reported as duplicates, those that the list has forgotten included.
    unreported: u32,
    /// How many of them are in the list.
    listed: u16,
    /// True if it has retransmitted anything.
    recorded: bool,
    cause: Cause,
}

/// The retransmissions of the last episodes.
#[derive(Clone, Debug, Default)]
pub(super) struct SpuriousTracker {
    /// The last episode.
    last: Option<Episode>,
    /// Those before it that have not expired, oldest first. They are few.
    older: Vec<Episode>,
    /// Retransmissions of which no list knows lie below this.
    unlisted: u64,
    /// The retransmissions of all episodes, in their order.
    #[expect(clippy::box_collection, reason = "few flows have any, and every flow pays for what lies here")]
    blocks: Option<Box<VecDeque<SackBlock>>>,
}

impl SpuriousTracker {
    /// A new episode starts; the one before it must have been closed. Those whose time is over at `una` leave.
    pub(super) fn open(&mut self, cause: Cause, una: u64) {
        self.expire(una);
        if let Some(last) = self.last {
            self.older.push(last);
            if self.older.len() == MOST_EPISODES {
                self.drop_oldest();
            }
        }
        self.last = Some(Episode { expires: RUNNING, unreported: 0, listed: 0, recorded: false, cause });
    }

    /// The running episode, if any, retransmits nothing more; it is judged until an ACK passes `expires`. Returns a
    /// verdict if it is false already.
    pub(super) fn close(&mut self, expires: u64) -> Option<Verdict> {
        self.running()?.expires = expires.min(RUNNING - 1);
        self.judge_last()
    }

    /// True if the running episode has retransmitted something, and all of that has been reported as duplicate.
    pub(super) fn is_needless(&self) -> bool {
        self.last.is_some_and(|last| last.expires == RUNNING && last.recorded && last.unreported == 0)
    }

    /// The running episode retransmits `block`.
    pub(super) fn record(&mut self, block: SackBlock) {
        let full = self.blocks.as_ref().is_some_and(|blocks| blocks.len() == MOST_RETRANSMISSIONS);
        let Some(episode) = self.running() else {
            self.unlisted = self.unlisted.max(block.end);
            return;
        };
        episode.recorded = true;
        episode.unreported = episode.unreported.saturating_add(1);
        episode.listed += 1;
        if full {
            self.forget_oldest_block();
        }
        self.blocks.get_or_insert_default().push_back(block);
    }

    /// The episodes that are over and for which D-SACKs may still come.
    pub(super) fn older(&self) -> &[Episode] {
        &self.older
    }

    /// The blocks that were sent again and for which no D-SACK has come.
    pub(super) fn blocks(&self) -> Option<&VecDeque<SackBlock>> {
        self.blocks.as_deref()
    }

    /// True if nothing of `block` was ever sent again, or everything that was has been reported already.
    pub(super) fn is_first_copy(&self, block: SackBlock) -> bool {
        let is_listed = |blocks: &VecDeque<SackBlock>| blocks.iter().any(|sent| block.overlaps(*sent));
        block.start >= self.unlisted && !self.blocks.as_deref().is_some_and(is_listed)
    }

    /// The receiver got `block` twice. Returns a verdict on the episode that this proves false.
    pub(super) fn report(&mut self, block: SackBlock, una: u64) -> Option<Verdict> {
        self.expire(una);
        let blocks = self.blocks.as_mut()?;
        let at = blocks.iter().position(|sent| block.contains(*sent))?;
        blocks.remove(at);
        let mut first = 0;
        let place = self.older.iter_mut().zip(0..).find_map(|(episode, place)| {
            first += usize::from(episode.listed);
            (at < first).then(|| (report_one(episode), place))
        });
        match place {
            Some((cause, place)) => {
                if cause.is_some() {
                    self.older.remove(place);
                }
                Some(Verdict { cause: cause?, is_last: false })
            }
            None => {
                let cause = report_one(self.last.as_mut()?);
                if cause.is_some() {
                    self.last = None;
                }
                Some(Verdict { cause: cause?, is_last: true })
            }
        }
    }

    /// The verdict on the last episode, which leaves the tracker when it is false.
    fn judge_last(&mut self) -> Option<Verdict> {
        let cause = self.last.as_ref().and_then(Episode::verdict)?;
        self.last = None;
        Some(Verdict { cause, is_last: true })
    }

    fn running(&mut self) -> Option<&mut Episode> {
        self.last.as_mut().filter(|episode| episode.expires == RUNNING)
    }

    /// Episodes leave in their order, each when its time is over.
    fn expire(&mut self, una: u64) {
        while self.older.first().is_some_and(|oldest| oldest.expires < una) {
            self.drop_oldest();
        }
        if self.older.is_empty() && self.last.is_some_and(|last| last.expires < una) {
            self.last = None;
            self.forget_blocks(usize::MAX);
        }
    }

    /// The oldest of the older episodes, of which there is one, leaves with its retransmissions.
    fn drop_oldest(&mut self) {
        let episode = self.older.remove(0);
        self.forget_blocks(usize::from(episode.listed));
    }

    /// The first `count` retransmissions leave the list.
    fn forget_blocks(&mut self, count: usize) {
        let Some(blocks) = &mut self.blocks else { return };
        let highest = blocks.drain(..count.min(blocks.len())).map(|block| block.end).max();
        self.unlisted = self.unlisted.max(highest.unwrap_or(0));
    }

    /// An episode that lost an entry of the list can no longer be proved false: its count never returns to zero.
    fn forget_oldest_block(&mut self) {
        self.forget_blocks(1);
        if let Some(episode) = self.older.iter_mut().chain(&mut self.last).find(|episode| episode.listed > 0) {
            episode.listed -= 1;
        }
    }
}

/// One retransmission of an episode was spurious; the verdict on the episode.
fn report_one(episode: &mut Episode) -> Option<Cause> {
    episode.listed -= 1;
    episode.unreported -= 1;
    episode.verdict()
}

impl Episode {
    /// Its cause if it is proved false.
    fn verdict(&self) -> Option<Cause> {
        let is_false = self.expires != RUNNING && self.recorded && self.unreported == 0;
        is_false.then_some(self.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Cause, expiry, and what was retransmitted, with whether it was reported.
    type PlainEpisode = (Cause, u64, Vec<(SackBlock, bool)>);

    /// The same rules with every episode in one list, together with all it retransmitted.
    #[derive(Default)]
    struct Plain {
        episodes: Vec<PlainEpisode>,
    }

    impl Plain {
        fn expire(&mut self, una: u64) {
            while self.episodes.first().is_some_and(|oldest| oldest.1 < una) {
                self.episodes.remove(0);
            }
        }

        fn open(&mut self, cause: Cause, una: u64) {
            self.expire(una);
            if self.episodes.len() == MOST_EPISODES {
                self.episodes.remove(0);
            }
            self.episodes.push((cause, RUNNING, Vec::new()));
        }

        fn close(&mut self, expires: u64) -> Option<Cause> {
            let at = self.episodes.len().checked_sub(1).filter(|at| self.episodes[*at].1 == RUNNING)?;
            self.episodes[at].1 = expires;
            self.judge(at)
        }

        fn record(&mut self, block: SackBlock) {
            if let Some(last) = self.episodes.last_mut().filter(|last| last.1 == RUNNING) {
                last.2.push((block, false));
            }
        }

        fn report(&mut self, block: SackBlock, una: u64) -> Option<Cause> {
            self.expire(una);
            let sent = self.episodes.iter_mut().enumerate().find_map(|(at, episode)| {
                let sent = episode.2.iter_mut().find(|(sent, reported)| !reported && block.contains(*sent))?;
                sent.1 = true;
                Some(at)
            });
            self.judge(sent?)
        }

        fn judge(&mut self, at: usize) -> Option<Cause> {
            let (cause, expires, sent) = &self.episodes[at];
            let is_false = *expires != RUNNING && !sent.is_empty() && sent.iter().all(|(_, reported)| *reported);
            is_false.then_some(*cause).inspect(|_| drop(self.episodes.remove(at)))
        }
    }

    fn cause_of(verdict: Option<Verdict>) -> Option<Cause> {
        verdict.map(|verdict| verdict.cause)
    }

    #[derive(Clone, Debug)]
    enum Step {
        Open(bool),
        Close(u64),
        Record(u64),
        Report(u64, u64),
        Ack(u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            2 => any::<bool>().prop_map(Step::Open),
            2 => (0u64..60).prop_map(Step::Close),
            4 => (0u64..12).prop_map(Step::Record),
            6 => (0u64..12, 1u64..3).prop_map(|(start, len)| Step::Report(start, len)),
            1 => (0u64..15).prop_map(Step::Ack),
        ];
        prop::collection::vec(step, 1..200)
    }

    proptest! {
        #[test]
        fn the_verdicts_are_those_of_one_plain_list(steps in steps()) {
            let (mut spurious, mut plain, mut una) = (SpuriousTracker::default(), Plain::default(), 0);
            for step in steps {
                match step {
                    Step::Open(timeout) => {
                        let cause = if timeout { Cause::Timeout } else { Cause::FastRetransmit };
                        prop_assert_eq!(cause_of(spurious.close(una + 30)), plain.close(una + 30));
                        spurious.open(cause, una);
                        plain.open(cause, una);
                    }
                    Step::Close(after) => {
                        prop_assert_eq!(cause_of(spurious.close(una + after)), plain.close(una + after));
                    }
                    Step::Record(at) => {
                        let block = SackBlock { start: 10 * at, end: 10 * at + 10 };
                        spurious.record(block);
                        plain.record(block);
                    }
                    Step::Report(at, len) => {
                        let block = SackBlock { start: 10 * at, end: 10 * (at + len) };
                        prop_assert_eq!(cause_of(spurious.report(block, una)), plain.report(block, una));
                    }
                    Step::Ack(by) => una += by,
                }
            }
        }
    }

    #[test]
    fn an_episode_whose_first_retransmission_was_forgotten_is_never_false() {
        let mut spurious = SpuriousTracker::default();
        spurious.open(Cause::Timeout, 0);
        let block = |at: u64| SackBlock { start: 10 * at, end: 10 * at + 10 };
        (0..=MOST_RETRANSMISSIONS as u64).for_each(|at| spurious.record(block(at)));
        assert_eq!(spurious.close(1 << 40), None);
        assert!((0..=MOST_RETRANSMISSIONS as u64).all(|at| spurious.report(block(at), 0).is_none()));
    }
}
