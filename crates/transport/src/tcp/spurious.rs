//! Which retransmissions were needless, established by D-SACK: RFC 3708.
//!
//! An episode is one fast recovery or one timeout with everything it retransmitted. It was *false* if the receiver
//! reports every one of its retransmissions as a duplicate. A D-SACK for data that was never retransmitted is the
//! network's duplicate and counts for nothing. Only the verdict is kept: the window is not restored here.

use super::SackBlock;
use std::collections::VecDeque;

/// Episodes and retransmissions remembered at most; the oldest go first.
const MOST_EPISODES: usize = 16;
const MOST_RETRANSMISSIONS: usize = 1024;

/// What made the sender retransmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    FastRetransmit,
    Timeout,
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    id: u32,
    cause: Cause,
    recorded: u32,
    /// Retransmissions not (yet) reported as duplicates.
    unreported: u32,
    /// While the episode runs, more retransmissions may follow: `None`. Then the sequence number whose ACK ends the wait.
    expires: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Retransmission {
    block: SackBlock,
    episode: u32,
}

/// The retransmissions of the last episodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    episodes: VecDeque<Episode>,
    retransmissions: VecDeque<Retransmission>,
    next_id: u32,
}

impl Ledger {
    /// A new episode starts; the one before it must have been closed. Those that are past at `una` leave, so that the
    /// ledger of a flow that loses now and then stays within a few cache lines.
    pub(super) fn open(&mut self, cause: Cause, una: u64) {
        self.expire(una);
        if self.episodes.len() == MOST_EPISODES {
            self.drop_oldest();
        }
        self.next_id = self.next_id.wrapping_add(1);
        self.episodes.push_back(Episode { id: self.next_id, cause, recorded: 0, unreported: 0, expires: None });
    }

    /// The running episode, if any, retransmits nothing more; it is judged until an ACK passes `expires`. Returns its
    /// cause if it is false already.
    pub(super) fn close(&mut self, expires: u64) -> Option<Cause> {
        let episode = self.episodes.back_mut().filter(|episode| episode.expires.is_none())?;
        episode.expires = Some(expires);
        self.judge(self.episodes.len() - 1)
    }

    /// The running episode retransmits `block`.
    pub(super) fn record(&mut self, block: SackBlock) {
        let Some(episode) = self.episodes.back_mut().filter(|episode| episode.expires.is_none()) else { return };
        episode.recorded = episode.recorded.saturating_add(1);
        episode.unreported = episode.unreported.saturating_add(1);
        let id = episode.id;
        if self.retransmissions.len() == MOST_RETRANSMISSIONS {
            // An episode that lost an entry can no longer be proved false: its count never returns to zero.
            self.retransmissions.pop_front();
        }
        self.retransmissions.push_back(Retransmission { block, episode: id });
    }

    /// The receiver got `block` twice. Returns the cause of the episode that this proves false.
    pub(super) fn report(&mut self, block: SackBlock, una: u64) -> Option<Cause> {
        self.expire(una);
        let at = self.retransmissions.iter().position(|sent| block.contains(sent.block))?;
        let id = self.retransmissions.remove(at)?.episode;
        let place = self.episodes.iter().position(|episode| episode.id == id)?;
        self.episodes[place].unreported -= 1;
        self.judge(place)
    }

    /// The verdict on the episode at `place`, which leaves the ledger when it is false.
    fn judge(&mut self, place: usize) -> Option<Cause> {
        let episode = self.episodes[place];
        let is_false = episode.expires.is_some() && episode.recorded > 0 && episode.unreported == 0;
        if is_false {
            self.episodes.remove(place);
        }
        is_false.then_some(episode.cause)
    }

    fn expire(&mut self, una: u64) {
        while self.episodes.front().is_some_and(|episode| episode.expires.is_some_and(|end| end < una)) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(gone) = self.episodes.pop_front() {
            self.retransmissions.retain(|sent| sent.episode != gone.id);
        }
    }
}
