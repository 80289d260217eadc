//! News of paths, at the hosts of senders that listen.

use super::Hosts;
use super::sides::SendingMachine;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::node::workload::SenderNews;
use crate::engine::packet::NEVER;
use std::sync::Arc;
use transport::cc::PathChange;
use units::Instant;

/// What the sender of a flow is told of its path: when, and what, in the order of time. Flows of one path share it.
pub type PathNews = Arc<[(u64, PathChange)]>;

/// The news of a flow.
#[derive(Debug)]
pub struct NewsFeed {
    news: PathNews,
    /// How much of it has been told.
    told: usize,
}

impl NewsFeed {
    /// Nothing has been told.
    pub fn new(news: PathNews) -> NewsFeed {
        NewsFeed { news, told: 0 }
    }

    /// When it goes on.
    fn next(&self) -> Option<u64> {
        self.news.get(self.told).map(|(at, _)| *at)
    }

    /// What is to be told now: all of this instant. If that is nothing, the newest of what came before, which a flow
    /// hears that starts later.
    fn take(&mut self, now: u64) -> &[(u64, PathChange)] {
        let begin = self.told;
        self.told += self.news[begin..].partition_point(|(at, _)| *at <= now);
        let due = &self.news[begin..self.told];
        let missed = due.partition_point(|(at, _)| *at < now);
        if missed < due.len() { &due[missed..] } else { &due[missed.saturating_sub(1)..] }
    }
}

impl NewsFeed {
    /// What has been said of times after this one, and is not told yet, is not so: this is.
    fn go_on_with(&mut self, SenderNews { after, news, .. }: SenderNews) {
        let left = self.news[self.told..].iter().filter(|(_, change)| change.at <= after).copied();
        let mut all: Vec<_> = left.chain(news.into_iter().map(|(at, change)| (at.ps(), change))).collect();
        all.sort_by_key(|(at, _)| *at);
        (self.news, self.told) = (all.into(), 0);
    }
}

impl Hosts {
    /// A flow hears of changes that are decided during the run.
    pub(super) fn hear_later(&mut self, news: SenderNews) {
        let flow = news.flow;
        let feed = self.news.entry(flow).or_insert_with(|| NewsFeed::new([].into()));
        feed.go_on_with(news);
        if let Some(next) = feed.next() {
            self.timers.push(next, TimerId::new(flow, TimerKind::News));
        }
    }

    /// A flow hears the news of its path, once it has started.
    pub fn feed(&mut self, flow: u32, news: &PathNews) {
        let feed = NewsFeed::new(Arc::clone(news));
        if let Some(first) = feed.next() {
            self.timers.push(first.max(self.lifecycles[flow].start), TimerId::new(flow, TimerKind::News));
            self.news.insert(flow, feed);
        }
    }

    /// The time of some news has come. Returns whether anything was told.
    pub(super) fn hear_news(&mut self, now: u64, flow: u32, fabric: &mut Fabric) -> bool {
        let (life, Some(feed)) = (self.lifecycles[flow], self.news.get_mut(&flow)) else { return false };
        if life.completed != NEVER || now >= life.stop {
            return false;
        }
        if matches!(self.senders[flow].machine, SendingMachine::Datagrams(_)) {
            return false;
        }
        let due = feed.take(now).to_vec();
        if let Some(next) = feed.next() {
            self.timers.push(next, TimerId::new(flow, TimerKind::News));
        }
        match self.senders[flow].machine.tcp_mut() {
            Some(sender) => {
                due.iter().for_each(|(_, one)| sender.handle_news(Instant::from_ps(now), *one, &mut self.segments));
                self.send_segments(now, flow, fabric);
            }
            None => self.call_sender(now, flow, fabric, |source, context| {
                due.iter().for_each(|(_, one)| source.machine.handle_news(one, context));
            }),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transport::cc::{NewsWay, Turn};

    #[test]
    fn a_flow_that_starts_later_hears_the_newest_of_what_it_has_missed_and_then_all() {
        let change = |division| PathChange {
            way: NewsWay::Message,
            turn: Turn::Up,
            division: Some(division),
            capacity: None,
            base_rtt: None,
            at: Instant::ZERO,
        };
        let news: PathNews = Arc::from([(10, change(0)), (20, change(1)), (30, change(2)), (30, change(3))]);
        let mut feed = NewsFeed::new(Arc::clone(&news));
        let mut told = |now| feed.take(now).iter().filter_map(|(_, change)| change.division).collect::<Vec<_>>();
        assert_eq!([told(25), told(25), told(30), told(40)], [vec![1], vec![], vec![2, 3], vec![]]);
        assert_eq!(NewsFeed::new(news).next(), Some(10));
    }

    /// What is decided at 25 ps replaces all that has been said of later times, as far as nobody has heard it.
    #[test]
    fn what_was_to_come_may_be_taken_back() {
        let change = |at| PathChange { at: Instant::from_ps(at), ..marked(at) };
        let mut feed = NewsFeed::new(Arc::from([(10, change(10)), (25, change(20)), (30, change(30))]));
        assert_eq!(feed.take(12).len(), 1);
        let news = vec![(Instant::from_ps(50), change(40))];
        feed.go_on_with(SenderNews { flow: 0, after: Instant::from_ps(25), news });
        let heard: Vec<u64> = feed.news.iter().map(|(_, change)| change.at.ps()).collect();
        assert_eq!((heard, feed.next()), (vec![20, 40], Some(25)));
    }

    fn marked(at: u64) -> PathChange {
        let (way, turn, division, capacity, base_rtt) = (NewsWay::Message, Turn::Up, Some(1), None, None);
        PathChange { way, turn, division, capacity, base_rtt, at: Instant::from_ps(at) }
    }
}
