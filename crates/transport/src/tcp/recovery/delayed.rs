//! TD-FR, time-delayed fast recovery (Paxson 1997; one of those with which Zhang, Karp, Floyd and Peterson compare
//! RR-TCP): a fast retransmit waits for what may only be late.
//!
//! The first duplicate ACK starts a clock. If duplicate ACKs go on for max(RTT/2, DT), with DT the time from the first
//! to the third, the segment counts as lost; an ACK of new data stops the clock. Everything else is RFC 6675's. The
//! texts were not to be had: this is from accounts of it (docs/deviations.md).

use super::Recovery;
use super::sack::Sack;
use crate::cc::{Event, LossCause};
use crate::tcp::delay::Delay;
use crate::tcp::phase::{Disorder, FastRecovery, Phase};
use crate::tcp::transmit::Next;
use crate::tcp::{Ack, Actions, Sender};
use units::Instant;

/// TD-FR.
pub(super) struct TdFr;

impl Recovery for TdFr {
    fn is_duplicate(_: &Sender, _: &Ack<'_>, sacked: u64) -> bool {
        sacked > 0
    }

    /// Time shows it.
    fn shows_loss(_: &Sender, _: u32) -> bool {
        false
    }

    fn begin(sender: &mut Sender) {
        Sack::begin(sender);
    }

    fn on_new_ack(sender: &mut Sender, state: FastRecovery, event: &Event, timer: Instant) {
        Sack::on_new_ack(sender, state, event, timer);
    }

    fn on_duplicate_ack(sender: &mut Sender) {
        Sack::on_duplicate_ack(sender);
    }

    fn pipe(sender: &Sender) -> u64 {
        Sack::pipe(sender)
    }

    fn losses_found(sender: &Sender) -> u64 {
        Sack::losses_found(sender)
    }

    fn limited_transmit(sender: &Sender, disorder: Disorder) -> Option<u64> {
        Sack::limited_transmit(sender, disorder)
    }

    fn next_segment(sender: &Sender, state: FastRecovery) -> Option<Next> {
        Sack::next_segment(sender, state)
    }

    fn after_ack(sender: &mut Sender, now: Instant, _: &Ack<'_>, acked: u64) {
        sender.wind_clock(now, acked);
    }
}

impl Sender {
    fn delay_mut(&mut self) -> Option<&mut Delay> {
        self.features.as_mut()?.delay.as_mut()
    }

    /// An ACK of `acked` new bytes has been read: the clock stops, starts, or is told when it is due.
    fn wind_clock(&mut self, now: Instant, acked: u64) {
        let Phase::Disorder(Disorder { dup_acks, .. }) = self.phase else {
            self.delay_mut().map(std::mem::take);
            return;
        };
        let (least, dupthresh) = (self.rtt.srtt().unwrap_or(self.rtt.rto()) / 2, self.config.dupthresh);
        let Some(delay) = self.delay_mut() else { return };
        if acked > 0 || dup_acks == 0 {
            *delay = Delay::default();
        }
        if dup_acks > 0 {
            let first = *delay.first.get_or_insert(now);
            if dup_acks >= dupthresh && delay.due == Instant::NEVER {
                delay.due = first + least.max(now - first);
            }
        }
        if delay.due <= now {
            self.end_delay(now);
        }
    }

    /// The clock has run out: what the duplicate ACKs show is lost.
    fn end_delay(&mut self, now: Instant) {
        self.delay_mut().map(std::mem::take);
        if matches!(self.phase, Phase::Disorder(_)) {
            self.enter_fast_recovery(now, LossCause::FastRetransmit);
        }
    }

    /// Serves the clock if it is due.
    pub(in crate::tcp) fn serve_delay(&mut self, now: Instant, actions: &mut Actions) {
        if self.delay_mut().is_some_and(|delay| delay.due <= now) {
            self.end_delay(now);
            self.transmit(now, actions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::LossRecovery;
    use crate::tcp::{InitialWindow, SackBlock, SenderConfig};
    use std::sync::Arc;
    use units::Duration;

    const MSS: u64 = 1000;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// A sender with a round trip of 100 ms that has segments 1 to 20 outstanding at 100 ms.
    fn sender() -> (Sender, Actions) {
        let config = SenderConfig {
            recovery: Some(LossRecovery::TdFr),
            initial_cwnd: InitialWindow::Segments(20),
            mss: MSS as u32,
            ..SenderConfig::default()
        };
        let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
        sender.write(at(0), 100 * MSS, &mut actions);
        sender.handle_ack(at(100), &Ack { ack: MSS, window: 1 << 30, sack: &[], ecn_echo: false }, &mut actions);
        (sender, actions)
    }

    /// Segment 1 is missing, and everything up to before `end` has arrived.
    fn duplicate(sender: &mut Sender, ms: u64, end: u64, actions: &mut Actions) {
        let sack = [SackBlock { start: 2 * MSS, end: end * MSS }];
        sender.handle_ack(at(ms), &Ack { ack: MSS, window: 1 << 30, sack: &sack, ecn_echo: false }, actions);
    }

    #[test]
    fn a_fast_retransmit_waits_for_half_a_round_trip() {
        let (mut sender, mut actions) = sender();
        (3..8).for_each(|end| duplicate(&mut sender, 105 + end, end, &mut actions));
        assert_eq!((sender.stats().fast_retransmits, sender.next_timeout()), (0, Some(at(158))), "108 ms and 50 ms");
        actions.segments.clear();
        sender.handle_timeout(at(158), &mut actions);
        assert_eq!((sender.stats().fast_retransmits, sender.stats().timeouts), (1, 0));
        assert_eq!(actions.segments.first().map(|segment| segment.seq), Some(MSS));
        sender.check();
    }

    #[test]
    fn or_as_long_as_the_third_duplicate_was_behind_the_first() {
        let (mut sender, mut actions) = sender();
        for (ms, end) in [(110, 3), (150, 4)] {
            duplicate(&mut sender, ms, end, &mut actions);
        }
        assert_eq!(sender.stats().fast_retransmits, 0);
        duplicate(&mut sender, 190, 5, &mut actions);
        // 80 ms are more than 50: it is due at once.
        assert_eq!(sender.stats().fast_retransmits, 1);
    }

    #[test]
    fn what_comes_in_time_is_no_loss() {
        let (mut sender, mut actions) = sender();
        (3..8).for_each(|end| duplicate(&mut sender, 105 + end, end, &mut actions));
        sender.handle_ack(at(150), &Ack { ack: 7 * MSS, window: 1 << 30, sack: &[], ecn_echo: false }, &mut actions);
        sender.handle_timeout(at(158), &mut actions);
        assert_eq!((sender.stats().fast_retransmits, sender.stats().retransmissions), (0, 0));
        sender.check();
    }
}
