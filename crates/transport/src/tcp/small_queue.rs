//! TCP small queues: a bound of the bytes of one flow that wait at its own host's link. Source: Linux,
//! net/ipv4/tcp_output.c, `tcp_small_queue_check` and `tcp_wfree`; net/ipv4/tcp_input.c, `tcp_update_pacing_rate`; as
//! excerpts and patches of its mailing list have them.
//!
//! A segment leaves only while at most the bound waits: two segments, or what the flow's rate makes in 2^-10 s (its
//! pacing rate, which flows that are not paced have too), for these at most [`SenderConfig::limit_output`]. For what is
//! sent again it is twice that. With one segment outstanding or none the next one leaves in any case. As bytes leave
//! the queue, the flow goes on. While the bound holds it back, the window grows only if the flow has filled it in its
//! last window (`tcp_cwnd_validate`), or in slow start if that is less than twice what was outstanding then.
//!
//! Left out: the kernel counts the memory of buffers that hold up to 64 kB each (TSO); here segments are single, and
//! their payload is counted.

use super::transmit::Next;
use super::{Actions, Sender};
use units::{Instant, PS_PER_SECOND};

/// What waits of a flow at its host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SmallQueue {
    /// Whether the host says when bytes leave; nothing is bounded before.
    is_told: bool,
    queued: u64,
    is_full: bool,
    /// Whether what was outstanding has filled cwnd, and the most that was (tp->is_cwnd_limited, max_packets_out).
    has_filled: bool,
    most_out: u64,
    /// They are of the window that ends here (cwnd_usage_seq).
    window_end: u64,
}

/// The pacing rate over cwnd/SRTT in tenths: net.ipv4.tcp_pacing_ss_ratio and tcp_pacing_ca_ratio.
const SLOW_START: u64 = 20;
const AVOIDANCE: u64 = 12;
/// A flow may have what it sends in so many parts of a second: sk_pacing_shift.
const PARTS: u128 = 1 << 10;

impl Sender {
    /// Whether it bounds what waits at its host, if that says what leaves ([`Sender::count_queue`]).
    pub fn bounds_queue(&self) -> bool {
        self.config.limit_output.is_some()
    }

    /// From now on all that is sent counts until [`Sender::handle_departure`] says that it has left.
    pub fn count_queue(&mut self) {
        if let Some(queue) = self.small_queue_mut() {
            queue.is_told = true;
        }
    }

    /// So many bytes of what was sent have left the host's queue, or were dropped there. Returns whether the flow has
    /// waited for that: what it sends now is in `actions`.
    pub fn handle_departure(&mut self, now: Instant, bytes: u64, actions: &mut Actions) -> bool {
        let Some(queue) = self.small_queue_mut() else { return false };
        queue.queued = queue.queued.saturating_sub(bytes);
        if !std::mem::take(&mut queue.is_full) {
            return false;
        }
        self.transmit(now, actions);
        self.settle_timers(now);
        true
    }

    /// Whether it counts what waits at its host.
    pub fn counts_queue(&self) -> bool {
        self.features.as_deref().is_some_and(|features| features.small_queue.is_some_and(|queue| queue.is_told))
    }

    /// A segment of so many bytes is given to the host.
    #[inline]
    pub(super) fn note_queued(&mut self, bytes: u32) {
        if let Some(queue) = self.small_queue_mut().filter(|queue| queue.is_told) {
            queue.queued += u64::from(bytes);
        }
    }

    /// Whether the bound holds the flow back.
    pub(super) fn is_queue_full(&self) -> bool {
        self.features.as_deref().is_some_and(|features| features.small_queue.is_some_and(|queue| queue.is_full))
    }

    /// Whether a segment has to wait until bytes have left the queue.
    pub(super) fn waits_for_queue(&mut self, next: Next) -> bool {
        let Some(queue) = self.features.as_deref().and_then(|features| features.small_queue) else { return false };
        let factor = if matches!(next, Next::NewData { .. }) { 1 } else { 2 };
        let is_full = queue.queued > factor * self.queue_limit() && self.flight_size() > self.window.mss;
        if let Some(queue) = self.small_queue_mut() {
            queue.is_full = is_full;
        }
        is_full
    }

    /// `tcp_cwnd_validate`: something has been sent since the next byte was `before`, or cwnd leaves no room.
    #[inline]
    pub(super) fn note_use(&mut self, before: u64) {
        if !self.counts_queue() {
            return;
        }
        let (una, nxt, out) = (self.una, self.nxt, self.flight_size());
        let is_filled = out + self.window.mss > self.window.cwnd;
        let Some(queue) = self.small_queue_mut().filter(|_| nxt > before || is_filled) else { return };
        if una >= queue.window_end || is_filled || !queue.has_filled && out > queue.most_out {
            (queue.has_filled, queue.most_out, queue.window_end) = (is_filled, out, nxt);
        }
    }

    /// `tcp_is_cwnd_limited`.
    pub(super) fn filled_cwnd(&self) -> bool {
        let Some(queue) = self.features.as_deref().and_then(|features| features.small_queue) else { return false };
        queue.has_filled || self.window.in_slow_start() && self.window.cwnd < 2 * queue.most_out
    }

    /// `tcp_small_queue_check`: what may wait.
    fn queue_limit(&self) -> u64 {
        let by_rate = match self.pacing_rate() {
            Some(rate) => u128::from(rate.bps() / 8) / PARTS,
            None => self.unpaced_rate() / PARTS,
        };
        let limit = u64::try_from(by_rate).unwrap_or(u64::MAX).max(2 * self.window.mss);
        let cap = self.config.limit_output.filter(|_| self.pacer().is_none());
        cap.map_or(limit, |cap| limit.min(cap))
    }

    /// `tcp_update_pacing_rate`, in bytes per second: twice cwnd/SRTT below half of ssthresh, 1.2 times above. There is
    /// no bound by it without a measurement.
    fn unpaced_rate(&self) -> u128 {
        let Some(srtt) = self.rtt.srtt() else { return u128::MAX };
        let tenths = if self.window.cwnd < self.window.ssthresh / 2 { SLOW_START } else { AVOIDANCE };
        let bytes = u128::from(self.window.cwnd.max(self.flight_size()));
        bytes * u128::from(tenths) * u128::from(PS_PER_SECOND) / (10 * u128::from(srtt.ps().max(1)))
    }

    fn small_queue_mut(&mut self) -> Option<&mut SmallQueue> {
        self.features.as_mut()?.small_queue.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ack, SenderConfig};
    use super::*;
    use std::sync::Arc;
    use units::Duration;

    const MSS: u64 = 1000;

    /// A sender of 1000 B segments with a window of 100, of which none is lost; its host says what leaves.
    fn sender(limit_output: Option<u64>) -> Sender {
        let initial_cwnd = super::super::InitialWindow::Segments(100);
        let config = SenderConfig { mss: MSS as u32, initial_cwnd, limit_output, ..SenderConfig::default() };
        let mut sender = Sender::new(Arc::new(config));
        sender.count_queue();
        sender
    }

    fn write(sender: &mut Sender) -> usize {
        let mut actions = Actions::default();
        sender.write(Instant::ZERO, u64::MAX, &mut actions);
        actions.segments.len()
    }

    fn leaves(sender: &mut Sender, bytes: u64) -> usize {
        let mut actions = Actions::default();
        sender.handle_departure(Instant::ZERO, bytes, &mut actions);
        actions.segments.len()
    }

    /// More than the bound waits before the flow stops: eleven segments of 10 kB, as the kernel looks before it sends.
    #[test]
    fn a_flow_stops_behind_its_bound_and_goes_on_as_bytes_leave() {
        let mut sender = sender(Some(10 * MSS));
        assert_eq!(write(&mut sender), 11);
        assert!(sender.is_queue_full() && !sender.is_cwnd_limited());
        assert_eq!([1, MSS - 1, MSS, 3 * MSS].map(|bytes| leaves(&mut sender, bytes)), [0, 1, 1, 3]);
        assert_eq!(leaves(&mut sender, 11 * MSS), 11);
    }

    /// Eleven of a hundred are out: in slow start a window below 22 could grow. The next window is filled, and grows
    /// although the bound holds the flow back again; the one after that does not.
    #[test]
    fn a_window_that_was_filled_grows_while_the_bound_holds_the_flow_back() {
        let mut sender = sender(Some(10 * MSS));
        assert_eq!(write(&mut sender), 11);
        sender.window.cwnd = 22 * MSS;
        assert!(sender.is_queue_full() && !sender.is_cwnd_limited());
        sender.window.cwnd = 21 * MSS;
        assert!(sender.is_cwnd_limited());
        sender.window.ssthresh = 2 * MSS;
        assert!(!sender.is_cwnd_limited());
        assert_eq!((leaves(&mut sender, 11 * MSS), sender.flight_size()), (10, 21 * MSS));
        assert!(!sender.is_queue_full() && sender.is_cwnd_limited());
        let grown = |sender: &mut Sender, ack: u64| {
            let ack = Ack { ack: ack * MSS, window: u64::MAX, sack: &[], ecn_echo: false };
            sender.handle_ack(Instant::ZERO + Duration::from_millis(1), &ack, &mut Actions::default());
            (sender.is_queue_full(), sender.is_cwnd_limited())
        };
        // The ten wait still. One more leaves, and the other ten that the window has room for do not.
        assert_eq!(grown(&mut sender, 11), (true, true), "the window was filled up to byte 21 000");
        assert_eq!(leaves(&mut sender, 3 * MSS), 3);
        assert_eq!(grown(&mut sender, 22), (true, true), "nothing has left since");
        assert_eq!(leaves(&mut sender, MSS), 1);
        assert!(sender.is_queue_full() && !sender.is_cwnd_limited(), "of a later window four are out");
    }

    /// Whatever the bound is, two segments may wait, and so a third is begun.
    #[test]
    fn two_segments_may_wait_unless_the_bound_is_less() {
        assert_eq!([2 * MSS, 1].map(|bound| write(&mut sender(Some(bound)))), [3, 2]);
    }

    #[test]
    fn without_a_bound_or_a_host_that_tells_what_leaves_the_window_is_sent() {
        assert_eq!(write(&mut sender(None)), 100);
        let config = SenderConfig { limit_output: Some(MSS), ..(*sender(None).config).clone() };
        assert_eq!(write(&mut Sender::new(Arc::new(config))), 100);
    }

    /// 100 segments of 1000 B in 10 ms are 10 MB/s: in slow start twice that for 1/1024 s is 19 531 B, above half of
    /// ssthresh 1.2 times, 11 718 B. In 1 s they are less than two segments in that time.
    #[test]
    fn the_bound_is_what_the_rate_makes_in_a_1024th_of_a_second() {
        let limit = |rtt: Duration, ssthresh: u64| {
            let mut sender = sender(Some(4 << 20));
            assert_eq!((write(&mut sender), sender.queue_limit()), (100, 4 << 20), "before the first round trip");
            leaves(&mut sender, 100 * MSS);
            let ack = Ack { ack: MSS, window: u64::MAX, sack: &[], ecn_echo: false };
            sender.handle_ack(Instant::ZERO + rtt, &ack, &mut Actions::default());
            (sender.window.cwnd, sender.window.ssthresh) = (100 * MSS, ssthresh);
            sender.nxt = sender.una + 100 * MSS;
            sender.queue_limit()
        };
        let (short, long) = (Duration::from_millis(10), Duration::from_secs(1));
        assert_eq!([limit(short, 201 * MSS), limit(short, 200 * MSS), limit(long, 0)], [19_531, 11_718, 2 * MSS]);
        let mut small = sender(Some(5 * MSS));
        assert_eq!((write(&mut small), small.queue_limit()), (6, 5 * MSS));
    }
}
