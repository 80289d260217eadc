//! The sending end of a flow.

use super::Config;
use crate::tcp::{Actions, Segment, SenderStats};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use units::{Duration, Instant};

/// So many times longer than for an answer a sender waits for a PULL.
const PATIENCE: u64 = 100;
/// A time is doubled so often at most.
const MOST_DOUBLINGS: u32 = 10;

/// A packet of which nothing has been heard since it was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Instant,
    is_copy: bool,
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    config: Arc<Config>,
    /// Bytes that have been written; without end `u64::MAX`.
    total: u64,
    /// The first byte that has not been sent.
    next: u64,
    /// Whether nothing pulls what is not sent yet: nothing waited behind the newest packet when it left.
    is_unpulled: bool,
    /// Packets that are not full, by their first byte, with their end: nothing waited behind them when they left.
    short: BTreeMap<u64, u64>,
    /// All before has been acknowledged.
    acked: u64,
    /// Packets behind it that have been, by their first byte.
    behind: BTreeSet<u64>,
    /// Packets of which nothing has been heard, by their first byte.
    outstanding: BTreeMap<u64, Sent>,
    /// The same in the order in which they left; those that have been answered or sent again are forgotten later.
    order: VecDeque<(Instant, u64)>,
    /// Packets that were not received, in the order of the news of that.
    missing: VecDeque<u64>,
    /// The greatest number of a PULL.
    pulled: u64,
    /// Packets of which an ACK or a NACK has come: each has made a PULL.
    answered: u64,
    /// PULLs that came before the answer with which they were made, and found nothing to send.
    unused: u64,
    /// When something was sent or came last.
    news: Instant,
    doublings: u32,
    stats: SenderStats,
}

impl Sender {
    /// One with nothing to send.
    pub fn new(config: Arc<Config>) -> Sender {
        Sender {
            config,
            total: 0,
            next: 0,
            is_unpulled: true,
            short: BTreeMap::new(),
            acked: 0,
            behind: BTreeSet::new(),
            outstanding: BTreeMap::new(),
            order: VecDeque::new(),
            missing: VecDeque::new(),
            pulled: 0,
            answered: 0,
            unused: 0,
            news: Instant::ZERO,
            doublings: 0,
            stats: SenderStats::default(),
        }
    }

    /// There are so many more bytes to send, `u64::MAX` without end. If nothing waits to be pulled, a first window
    /// leaves, of which packets without an answer count.
    pub fn write(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        self.total = self.total.saturating_add(bytes);
        self.news = now;
        self.send_unpulled(now, actions);
    }

    /// Nothing new is sent any more.
    pub fn stop(&mut self) {
        self.total = self.next;
    }

    /// The packet that begins at `seq` has arrived.
    pub fn handle_ack(&mut self, now: Instant, seq: u64, actions: &mut Actions) {
        let Some(sent) = self.hear_of(now, seq) else { return };
        if !sent.is_copy {
            self.stats.rtt_sum = self.stats.rtt_sum.saturating_add(now.saturating_since(sent.at).ps());
            self.stats.rtt_samples += 1;
        }
        self.answered += 1;
        self.unused = self.unused.min(self.early_pulls());
        match seq == self.acked {
            true => self.pass(seq),
            false => _ = self.behind.insert(seq),
        }
        while self.behind.remove(&self.acked) {
            self.pass(self.acked);
        }
        self.send_unpulled(now, actions);
        self.send_what_nothing_pulls(now, actions);
    }

    /// All before the end of the packet that begins at `seq` has been acknowledged.
    fn pass(&mut self, seq: u64) {
        self.acked = self.end_of(seq);
        self.short.remove(&seq);
    }

    /// Only the header of the packet that begins at `seq` has arrived: it is sent again when a PULL comes, or at once
    /// if one has overtaken the NACK (§3.2: a packet for each PULL).
    pub fn handle_nack(&mut self, now: Instant, seq: u64, actions: &mut Actions) {
        if self.hear_of(now, seq).is_some() {
            self.unused = self.unused.min(self.early_pulls());
            self.answered += 1;
            self.wait_for_pull(now, seq, actions);
        }
    }

    /// The header of the packet that begins at `seq` has come back. If no PULL is on its way, the packet is sent again
    /// at once.
    pub fn handle_return(&mut self, now: Instant, seq: u64, actions: &mut Actions) {
        if self.hear_of(now, seq).is_some() {
            self.wait_for_pull(now, seq, actions);
        }
    }

    /// The PULL of this number has come. No more are owed than packets were sent.
    pub fn handle_pull(&mut self, now: Instant, number: u64, actions: &mut Actions) {
        let number = number.min(self.stats.segments_sent);
        let owed = number.saturating_sub(self.pulled);
        self.pulled = self.pulled.max(number);
        self.hear(now);
        let sent = (0..owed).take_while(|_| self.send(now, actions)).count() as u64;
        self.unused = (self.unused + owed - sent).min(self.early_pulls());
    }

    /// Sends again what nothing was heard of for too long.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        if self.next_timeout().is_none_or(|due| due > now) {
            return;
        }
        self.stats.timeouts += 1;
        let wait = self.wait();
        while let Some((at, seq)) = self.order.front().copied().filter(|(at, _)| *at + wait <= now) {
            self.order.pop_front();
            if self.is_outstanding(at, seq) {
                self.outstanding.remove(&seq);
                self.missing.push_back(seq);
            }
        }
        let again = self.missing.len().max(1).min(self.config.first_window as usize);
        for _ in 0..again {
            self.send(now, actions);
        }
        self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
        self.news = now;
        self.forget_answered();
    }

    /// When [`Sender::handle_timeout`] is to be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        match self.order.front() {
            // News shortens the wait again, but never into the past.
            Some((at, _)) => Some((*at + self.wait()).max(self.news)),
            None if !self.missing.is_empty() || self.next > 0 && self.next < self.total => {
                Some(self.news + self.wait().saturating_mul(PATIENCE))
            }
            None => None,
        }
    }

    /// Whether all that there was to send has been acknowledged.
    pub fn is_complete(&self) -> bool {
        self.acked >= self.total
    }

    /// Whether a packet ends with the last byte of the flow.
    pub fn is_last(&self, segment: &Segment) -> bool {
        segment.seq.saturating_add(segment.len.into()) >= self.total
    }

    /// Bytes that are known to have arrived, without a gap before them.
    pub fn bytes_acked(&self) -> u64 {
        self.acked
    }

    /// What it has counted.
    pub fn stats(&self) -> SenderStats {
        self.stats
    }

    fn wait(&self) -> Duration {
        self.config.resend_after.saturating_mul(1 << self.doublings)
    }

    fn end_of(&self, seq: u64) -> u64 {
        self.short.get(&seq).copied().unwrap_or(seq.saturating_add(self.config.payload.into()).min(self.next))
    }

    fn is_outstanding(&self, at: Instant, seq: u64) -> bool {
        self.outstanding.get(&seq).is_some_and(|sent| sent.at == at)
    }

    /// Something has come.
    fn hear(&mut self, now: Instant) {
        (self.news, self.doublings) = (now, 0);
    }

    /// The first news of a packet since it was sent; also of one that waits to be sent again.
    fn hear_of(&mut self, now: Instant, seq: u64) -> Option<Sent> {
        let sent = match self.outstanding.remove(&seq) {
            Some(sent) => sent,
            None => {
                let place = self.missing.iter().position(|missing| *missing == seq)?;
                self.missing.remove(place);
                Sent { at: now, is_copy: true }
            }
        };
        self.hear(now);
        self.forget_answered();
        Some(sent)
    }

    /// The first in the order is one that is outstanding.
    fn forget_answered(&mut self) {
        while self.order.front().is_some_and(|(at, seq)| !self.is_outstanding(*at, *seq)) {
            self.order.pop_front();
        }
    }

    /// PULLs that have come before the answer with which they were made.
    fn early_pulls(&self) -> u64 {
        self.pulled.saturating_sub(self.answered)
    }

    /// A packet has not been received, and waits for a PULL unless one is kept for it.
    fn wait_for_pull(&mut self, now: Instant, seq: u64, actions: &mut Actions) {
        self.missing.push_back(seq);
        if self.unused > 0 {
            self.unused -= 1;
            self.send(now, actions);
        } else {
            self.send_what_nothing_pulls(now, actions);
        }
    }

    /// §3.2.4: where neither an answer nor a PULL is on its way, nothing else would send what waits.
    fn send_what_nothing_pulls(&mut self, now: Instant, actions: &mut Actions) {
        if !self.missing.is_empty() && self.outstanding.is_empty() && self.answered <= self.pulled {
            self.send(now, actions);
        }
    }

    /// Sends of what nothing pulls as much as a first window permits.
    fn send_unpulled(&mut self, now: Instant, actions: &mut Actions) {
        if !self.is_unpulled || self.next == self.total {
            return;
        }
        if self.outstanding.is_empty() && self.missing.is_empty() {
            // PULLs that have not come were forgotten when the last packet arrived.
            self.answered = self.answered.min(self.pulled);
        }
        let outstanding = self.outstanding.len() as u64;
        for _ in outstanding..self.config.first_window.into() {
            self.send_new(now, actions);
        }
    }

    /// Sends a packet, one that was not received if there is any; false if there is none.
    fn send(&mut self, now: Instant, actions: &mut Actions) -> bool {
        match self.missing.pop_front() {
            Some(seq) => {
                actions.segments.push(Segment { seq, len: (self.end_of(seq) - seq) as u32, retransmission: true });
                self.note_sent(now, seq, true);
                true
            }
            None => self.send_new(now, actions),
        }
    }

    /// Sends the next packet; false if there is none.
    fn send_new(&mut self, now: Instant, actions: &mut Actions) -> bool {
        let seq = self.next;
        let full = seq.saturating_add(self.config.payload.into());
        self.next = full.min(self.total);
        if self.next <= seq {
            return false;
        }
        if self.next < full {
            self.short.insert(seq, self.next);
        }
        self.is_unpulled = self.next == self.total;
        // At most one payload long.
        actions.segments.push(Segment { seq, len: (self.next - seq) as u32, retransmission: false });
        self.note_sent(now, seq, false);
        true
    }

    /// A packet leaves.
    fn note_sent(&mut self, now: Instant, seq: u64, is_copy: bool) {
        self.stats.segments_sent += 1;
        self.stats.retransmissions += u64::from(is_copy);
        self.outstanding.insert(seq, Sent { at: now, is_copy });
        self.order.push_back((now, seq));
        self.news = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000_000;

    fn sender(packets: u64, first_window: u32) -> (Sender, Actions) {
        let config = Config { payload: 1000, first_window, ..Config::default() };
        let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
        sender.write(Instant::ZERO, packets * 1000 - 1, &mut actions);
        (sender, actions)
    }

    fn sent(actions: &mut Actions) -> Vec<(u64, bool)> {
        actions.segments.drain(..).map(|segment| (segment.seq / 1000, segment.retransmission)).collect()
    }

    /// §3.2: the first window, then a packet for each PULL, what was not received before what is new.
    #[test]
    fn a_pull_brings_what_was_not_received_before_what_is_new() {
        let (mut sender, mut actions) = sender(5, 3);
        assert_eq!(sent(&mut actions), [(0, false), (1, false), (2, false)]);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_ack(at(10), 0, &mut actions);
        sender.handle_nack(at(10), 1000, &mut actions);
        assert_eq!(sent(&mut actions), [], "nothing leaves before a PULL");
        sender.handle_pull(at(11), 1, &mut actions);
        assert_eq!(sent(&mut actions), [(1, true)]);
        sender.handle_ack(at(11), 2000, &mut actions);
        // The second PULL is lost; the third says that there were two.
        sender.handle_pull(at(13), 3, &mut actions);
        sender.handle_pull(at(13), 2, &mut actions);
        assert_eq!(sent(&mut actions), [(3, false), (4, false)]);
        [1000, 3000, 4000].into_iter().for_each(|seq| sender.handle_ack(at(20), seq, &mut actions));
        let stats = sender.stats();
        assert_eq!((sender.is_complete(), sender.bytes_acked(), sender.next_timeout()), (true, 4999, None));
        assert_eq!((stats.segments_sent, stats.retransmissions, stats.timeouts), (6, 1, 0));
        assert_eq!((stats.rtt_samples, stats.rtt_sum), (4, (10 + 11 + 7 + 7) * US));
    }

    /// §3.2: a packet for each PULL. The PULL that a header has made takes another path and comes before the NACK: it
    /// is kept for that.
    #[test]
    fn a_pull_that_overtakes_its_nack_sends_the_packet_when_the_nack_comes() {
        let (mut sender, mut actions) = sender(3, 3);
        sent(&mut actions);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_pull(at(10), 1, &mut actions);
        assert_eq!(sent(&mut actions), [], "nothing is missing yet");
        sender.handle_nack(at(20), 2000, &mut actions);
        assert_eq!(sent(&mut actions), [(2, true)]);
        sender.handle_nack(at(20), 0, &mut actions);
        assert_eq!(sent(&mut actions), [], "one PULL, one packet");
        sender.handle_pull(at(30), 2, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
        assert_eq!((sender.stats().timeouts, sender.stats().segments_sent), (0, 5));
    }

    /// Every answer makes a PULL. One that has overtaken an ACK is that ACK's, and not kept for a NACK to come: that
    /// one has its own.
    #[test]
    fn a_pull_without_a_packet_is_kept_only_while_its_answer_is_on_its_way() {
        let (mut sender, mut actions) = sender(3, 3);
        sent(&mut actions);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_pull(at(10), 1, &mut actions);
        sender.handle_ack(at(11), 0, &mut actions);
        sender.handle_nack(at(20), 1000, &mut actions);
        assert_eq!(sent(&mut actions), [], "its PULL is to come");
        sender.handle_pull(at(21), 2, &mut actions);
        assert_eq!(sent(&mut actions), [(1, true)]);
    }

    /// Headers come back, and the PULL of the only answer has come before it. With that ACK neither an answer nor a
    /// PULL is on its way: nothing else would ever send what waits.
    #[test]
    fn what_waits_when_the_last_answer_is_heard_and_its_pull_has_come_is_sent_at_once() {
        let (mut sender, mut actions) = sender(3, 3);
        sent(&mut actions);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_return(at(9), 0, &mut actions);
        sender.handle_pull(at(10), 1, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
        sender.handle_return(at(11), 1000, &mut actions);
        sender.handle_return(at(20), 0, &mut actions);
        assert_eq!(sent(&mut actions), [], "an answer is to come");
        sender.handle_ack(at(21), 2000, &mut actions);
        assert_eq!(sent(&mut actions), [(1, true)]);
        sender.handle_ack(at(30), 1000, &mut actions);
        assert_eq!(sent(&mut actions), [], "its PULL is to come");
        sender.handle_pull(at(31), 2, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
    }

    /// A PULL for which nothing was there takes the header that comes back before its answer.
    #[test]
    fn a_pull_without_a_packet_takes_a_header_that_comes_back() {
        let (mut sender, mut actions) = sender(3, 3);
        sent(&mut actions);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_pull(at(10), 1, &mut actions);
        sender.handle_return(at(11), 0, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
        sender.handle_ack(at(12), 1000, &mut actions);
        sender.handle_nack(at(13), 2000, &mut actions);
        assert_eq!(sent(&mut actions), [], "the PULL of the ACK has been used, that of the NACK is to come");
    }

    /// §3.2.4: a header that comes back is sent again at once only if nothing else is on its way.
    #[test]
    fn a_returned_header_waits_for_a_pull_if_one_is_to_come() {
        let (mut sender, mut actions) = sender(3, 3);
        sent(&mut actions);
        sender.handle_return(Instant::from_ps(US), 0, &mut actions);
        sender.handle_ack(Instant::from_ps(US), 1000, &mut actions);
        sender.handle_ack(Instant::from_ps(US), 2000, &mut actions);
        assert_eq!(sent(&mut actions), [], "two ACKs have made two PULLs");
        sender.handle_pull(Instant::from_ps(US), 1, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
        sender.handle_return(Instant::from_ps(2 * US), 0, &mut actions);
        sender.handle_pull(Instant::from_ps(2 * US), 2, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)]);
        sender.handle_return(Instant::from_ps(3 * US), 0, &mut actions);
        assert_eq!(sent(&mut actions), [(0, true)], "all PULLs have come: at once");
    }

    #[test]
    fn what_nobody_answers_is_sent_again_after_1_ms_then_2() {
        let (mut sender, mut actions) = sender(2, 30);
        sent(&mut actions);
        assert_eq!(sender.next_timeout(), Some(Instant::from_ps(1000 * US)));
        sender.handle_timeout(Instant::from_ps(1000 * US), &mut actions);
        assert_eq!(sent(&mut actions), [(0, true), (1, true)]);
        assert_eq!(sender.next_timeout(), Some(Instant::from_ps(3000 * US)));
        sender.handle_nack(Instant::from_ps(1500 * US), 0, &mut actions);
        sender.handle_ack(Instant::from_ps(1500 * US), 1000, &mut actions);
        // The PULL of the NACK does not come.
        let due = sender.next_timeout();
        assert_eq!(due, Some(Instant::from_ps(101_500 * US)));
        sender.handle_timeout(due.unwrap(), &mut actions);
        assert_eq!((sent(&mut actions), sender.stats().timeouts), (vec![(0, true)], 2));
    }

    #[test]
    fn nobody_makes_a_sender_send_more_than_a_packet_for_each_that_it_has_sent() {
        let config = Arc::new(Config { payload: 1000, ..Config::default() });
        let (mut sender, mut actions) = (Sender::new(config), Actions::default());
        sender.write(Instant::ZERO, u64::MAX, &mut actions);
        sender.handle_pull(Instant::ZERO, u64::MAX, &mut actions);
        assert_eq!(actions.segments.len(), 60);
        sender.handle_pull(Instant::ZERO, u64::MAX - 1, &mut actions);
        sender.handle_ack(Instant::ZERO, 7, &mut actions);
        sender.handle_nack(Instant::ZERO, u64::MAX, &mut actions);
        assert_eq!((actions.segments.len(), sender.bytes_acked()), (90, 0));
    }

    /// An ACK or a NACK has made a PULL, which has not come yet (§3.2.2): the header that comes back waits for it,
    /// though nothing else is on its way.
    #[test]
    fn a_returned_header_waits_for_the_pull_of_an_ack_or_of_a_nack() {
        for answer in [Sender::handle_ack, Sender::handle_nack] {
            let (mut sender, mut actions) = sender(2, 2);
            sent(&mut actions);
            answer(&mut sender, Instant::from_ps(US), 0, &mut actions);
            sender.handle_return(Instant::from_ps(US), 1000, &mut actions);
            assert_eq!(sent(&mut actions), []);
        }
    }

    #[test]
    fn what_is_written_behind_what_waits_is_pulled_and_a_flow_stops_after_what_was_sent() {
        let (mut sender, mut actions) = sender(5, 3);
        sender.write(Instant::ZERO, 9000, &mut actions);
        assert_eq!(sent(&mut actions).len(), 3, "the first window leaves once");
        sender.stop();
        sender.handle_pull(Instant::ZERO, 3, &mut actions);
        assert_eq!(sent(&mut actions), []);
        [0, 1000].into_iter().for_each(|seq| sender.handle_ack(Instant::ZERO, seq, &mut actions));
        assert!(!sender.is_complete(), "2 of 3 packets");
        sender.handle_ack(Instant::ZERO, 2000, &mut actions);
        assert!(sender.is_complete());
    }

    /// What is written when all has been sent is a transfer of its own: a first window at once, of which what has no
    /// answer yet counts, and packets that begin where the last ended.
    #[test]
    fn what_is_written_later_begins_with_a_first_window_of_its_own() {
        let (mut sender, mut actions) = sender(2, 3);
        assert_eq!(sent(&mut actions), [(0, false), (1, false)]);
        let at = |us| Instant::from_ps(us * US);
        sender.handle_ack(at(10), 0, &mut actions);
        sender.write(at(11), 5000, &mut actions);
        let brief = |actions: &mut Actions| -> Vec<_> {
            actions.segments.drain(..).map(|one| (one.seq, one.len, one.retransmission)).collect()
        };
        assert_eq!(brief(&mut actions), [(1999, 1000, false), (2999, 1000, false)], "one of three has no answer yet");
        sender.handle_nack(at(12), 1000, &mut actions);
        sender.handle_pull(at(13), 1, &mut actions);
        assert_eq!(brief(&mut actions), [(1000, 999, true)], "as short as it was");
        [1999, 2999, 1000].into_iter().for_each(|seq| sender.handle_ack(at(20), seq, &mut actions));
        assert_eq!(brief(&mut actions), [], "the rest is pulled");
        sender.handle_pull(at(21), 4, &mut actions);
        assert_eq!(brief(&mut actions), [(3999, 1000, false), (4999, 1000, false), (5999, 1000, false)]);
        [3999, 4999, 5999].into_iter().for_each(|seq| sender.handle_ack(at(30), seq, &mut actions));
        assert_eq!((sender.is_complete(), sender.bytes_acked(), sender.next_timeout()), (true, 6999, None));
        sender.write(at(40), 9000, &mut actions);
        assert_eq!(brief(&mut actions).len(), 3);
    }

    #[test]
    fn the_last_packet_is_the_one_that_ends_with_the_flow() {
        let (sender, actions) = sender(3, 30);
        let last: Vec<bool> = actions.segments.iter().map(|segment| sender.is_last(segment)).collect();
        assert_eq!(last, [false, false, true]);
    }

    /// 1 ms for an answer, 100 times as long for a PULL where all that was sent is answered and more is to be sent.
    #[test]
    fn a_timer_called_early_does_nothing_and_one_called_late_what_was_due() {
        let (mut sender, mut actions) = sender(3, 2);
        sent(&mut actions);
        sender.handle_timeout(Instant::from_ps(1000 * US - 1), &mut actions);
        assert_eq!((sent(&mut actions), sender.stats().timeouts), (vec![], 0));
        sender.handle_timeout(Instant::from_ps(1500 * US), &mut actions);
        assert_eq!(sent(&mut actions), [(0, true), (1, true)]);
        [0, 1000].into_iter().for_each(|seq| sender.handle_ack(Instant::from_ps(2000 * US), seq, &mut actions));
        assert_eq!(sender.next_timeout(), Some(Instant::from_ps(102_000 * US)));
    }
}
