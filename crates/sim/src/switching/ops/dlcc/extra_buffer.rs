//! The extra edge buffer (DLCC, Lu and Hunter 2009, §V.D and §VII): what builds up in an edge node's buffer after a
//! notification, from the level at the first one until the rate is decided again.

use crate::engine::node::counters::Buildup;

/// The extra buffer of an edge-to-edge flow.
#[derive(Clone, Debug, Default)]
pub struct ExtraBuffer {
    open: Option<Episode>,
    ended: Buildup,
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    /// What the buffer held at the first notification, in bytes.
    level: u64,
    /// What it holds beyond that.
    extra: u64,
    most: u64,
    /// Bytes beyond the level times picoseconds.
    area: u128,
    at: u64,
}

impl ExtraBuffer {
    /// A notification comes, and the buffer holds these bytes: an episode begins, unless one has.
    pub fn begin(&mut self, now: u64, bytes: u64) {
        self.open.get_or_insert(Episode { level: bytes, extra: 0, most: 0, area: 0, at: now });
    }

    /// The buffer holds these bytes from now on.
    #[inline]
    pub fn handle_change(&mut self, now: u64, bytes: u64) {
        if let Some(episode) = &mut self.open {
            episode.area += u128::from(episode.extra) * u128::from(now - episode.at);
            episode.at = now;
            episode.extra = bytes.saturating_sub(episode.level);
            episode.most = episode.most.max(episode.extra);
        }
    }

    /// The rate is decided: the episode ends, if there is one.
    pub fn end(&mut self, now: u64) {
        let extra = self.open.map_or(0, |episode| episode.level + episode.extra);
        self.handle_change(now, extra);
        if let Some(episode) = self.open.take() {
            self.ended.end_episode(now, episode.most, episode.area);
        }
    }

    /// The episodes that have ended, and so much of one that goes on.
    pub fn so_far(&self) -> Buildup {
        let mut all = self.ended.clone();
        if let Some(episode) = &self.open {
            all.add_open(episode.at, episode.most, episode.area);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notified at 100 with 500 B: 200 B more for 10, 300 B for 20, none for 70 (below the level counts as none). Then
    /// 1 episode of at most 300 B and 8000 B·ps, and another of 50 B for 5.
    #[test]
    fn what_lies_above_the_level_at_the_first_notification_is_extra() {
        let mut extra = ExtraBuffer::default();
        extra.handle_change(50, 9000);
        extra.begin(100, 500);
        extra.handle_change(100, 700);
        extra.begin(105, 700);
        extra.handle_change(110, 800);
        extra.handle_change(130, 400);
        assert_eq!((extra.so_far().episodes, extra.so_far().area, extra.so_far().most_since(0)), (0, 8000, 300));
        extra.end(200);
        extra.end(300);
        assert_eq!((extra.so_far().episodes, extra.so_far().sum_of_most, extra.so_far().area), (1, 300, 8000));
        extra.begin(1000, 0);
        extra.handle_change(1000, 50);
        extra.end(1005);
        assert_eq!((extra.so_far().episodes, extra.so_far().sum_of_most, extra.so_far().area), (2, 350, 8250));
        assert_eq!([0, 200, 201, 1006].map(|from| extra.so_far().most_since(from)), [300, 300, 50, 0]);
    }
}
