//! Which retransmissions were needless, established by D-SACK: RFC 3708.
//!
//! An episode is one fast recovery or one timeout with everything it retransmitted. It was *false* if the receiver
//! reports every one of its retransmissions as a duplicate. A D-SACK for data that was never retransmitted is the
//! network's duplicate and counts for nothing. Only the verdict is kept: the window is not restored here.
//!
//! One list holds it all, each episode followed by its retransmissions: a flow that loses now and then reads one or two
//! cache lines for it.

use super::SackBlock;
use std::collections::VecDeque;

/// Episodes and retransmissions remembered at most; the oldest go first.
const MOST_EPISODES: u16 = 16;
const MOST_RETRANSMISSIONS: u16 = 1024;

/// In the place of [`Episode::expires`] while more retransmissions may follow.
const RUNNING: u64 = u64::MAX;

/// What made the sender retransmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    FastRetransmit,
    Timeout,
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    /// The sequence number whose ACK ends the wait for D-SACKs.
    expires: u64,
    /// Retransmissions not (yet) reported as duplicates.
    unreported: u32,
    /// Whether it has retransmitted anything.
    recorded: bool,
    cause: Cause,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Episode(Episode),
    Retransmission(SackBlock),
}

/// The retransmissions of the last episodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: VecDeque<Entry>,
    /// Where the last episode is; the end of the list if that has left.
    last: u32,
    episodes: u16,
    retransmissions: u16,
}

impl Ledger {
    /// A new episode starts; the one before it must have been closed. Those whose time is over at `una` leave.
    pub(super) fn open(&mut self, cause: Cause, una: u64) {
        self.expire(una);
        if self.episodes == MOST_EPISODES {
            self.drop_oldest();
        }
        self.last = self.entries.len() as u32;
        self.entries.push_back(Entry::Episode(Episode { expires: RUNNING, unreported: 0, recorded: false, cause }));
        self.episodes += 1;
    }

    /// The running episode, if any, retransmits nothing more; it is judged until an ACK passes `expires`. Returns its
    /// cause if it is false already.
    pub(super) fn close(&mut self, expires: u64) -> Option<Cause> {
        self.running()?.expires = expires.min(RUNNING - 1);
        self.judge(self.last as usize)
    }

    /// The running episode retransmits `block`.
    pub(super) fn record(&mut self, block: SackBlock) {
        let Some(episode) = self.running() else { return };
        episode.recorded = true;
        episode.unreported = episode.unreported.saturating_add(1);
        if self.retransmissions == MOST_RETRANSMISSIONS {
            // An episode that lost an entry can no longer be proved false: its count never returns to zero.
            let oldest = self.entries.iter().position(|entry| matches!(entry, Entry::Retransmission(_)));
            oldest.into_iter().for_each(|at| self.remove(at));
        }
        self.entries.push_back(Entry::Retransmission(block));
        self.retransmissions += 1;
    }

    /// The receiver got `block` twice. Returns the cause of the episode that this proves false.
    pub(super) fn report(&mut self, block: SackBlock, una: u64) -> Option<Cause> {
        self.expire(una);
        let sent = |entry: &Entry| matches!(entry, Entry::Retransmission(sent) if block.contains(*sent));
        let at = self.entries.iter().position(sent)?;
        let place = self.entries.range(..at).rposition(|entry| matches!(entry, Entry::Episode(_)))?;
        self.remove(at);
        self.episode(place)?.unreported -= 1;
        self.judge(place)
    }

    /// The verdict on the episode at `place`, which leaves the ledger when it is false: all its retransmissions have.
    fn judge(&mut self, place: usize) -> Option<Cause> {
        let episode = *self.episode(place)?;
        let is_false = episode.expires != RUNNING && episode.recorded && episode.unreported == 0;
        if is_false {
            self.remove(place);
        }
        is_false.then_some(episode.cause)
    }

    fn running(&mut self) -> Option<&mut Episode> {
        self.episode(self.last as usize).filter(|episode| episode.expires == RUNNING)
    }

    fn episode(&mut self, place: usize) -> Option<&mut Episode> {
        match self.entries.get_mut(place) {
            Some(Entry::Episode(episode)) => Some(episode),
            _ => None,
        }
    }

    fn expire(&mut self, una: u64) {
        while self.episode(0).is_some_and(|oldest| oldest.expires < una) {
            self.drop_oldest();
        }
    }

    /// The oldest episode leaves with its retransmissions.
    fn drop_oldest(&mut self) {
        self.remove(0);
        while let Some(Entry::Retransmission(_)) = self.entries.front() {
            self.remove(0);
        }
    }

    fn remove(&mut self, at: usize) {
        match self.entries.remove(at) {
            Some(Entry::Episode(_)) => self.episodes -= 1,
            Some(Entry::Retransmission(_)) => self.retransmissions -= 1,
            None => return,
        }
        if at < self.last as usize {
            self.last -= 1;
        }
    }
}
