//! The fast path of an ACK for flows that keep records of segments: new data are acknowledged in order, and nothing is
//! lost or out of order, which is what nearly every ACK says.
//!
//! It comes to the same as the full path, which asks every question of every phase, at a third of the cost: losses are
//! looked for only where something is left that was sent before a segment that has been delivered. The tests drive two
//! senders side by side, one of which handles every ACK in full.

use super::Recovery;
use super::rack::RackTlp;
use crate::cc::{Event, RateSample};
use crate::tcp::features::{FastPath, SenderFeatures};
use crate::tcp::phase::Phase;
use crate::tcp::rate::Sending;
use crate::tcp::segments::Segments;
use crate::tcp::{Ack, Actions, SackBlock, Sender};
use units::{Duration, Instant};

impl SenderFeatures {
    /// True if an ACK of new data in order, in [`Phase::Open`] and without blocks, can take the fast path.
    pub(in crate::tcp) fn permit_fast_path(&self, ack: &Ack<'_>) -> bool {
        match self.fast_path {
            FastPath::Absent => false,
            FastPath::WindowOnly => true,
            FastPath::WithRecords => {
                self.rack.as_ref().is_none_or(|rack| rack.probe.end.is_none())
                    && self.segments.as_ref().is_none_or(Segments::are_in_order)
                    && self.ecn.as_ref().map_or(!ack.ecn_echo, |ecn| ecn.permits_fast_path(ack.ecn_echo))
            }
        }
    }
}

impl Sender {
    /// An ACK of new data in order, of which `event` says what the sender knows, reaches the records and then the law.
    #[inline(never)]
    pub(in crate::tcp) fn read_in_order(&mut self, ack: &Ack<'_>, event: Event) {
        let (now, una) = (event.now, ack.ack);
        let (round_trip, rate_sample) = self.measure_in_order(now, una);
        let marked = self.read_marks(now, ack, event.acked, 0);
        let timed = self.acknowledge(now, una);
        let (rtt_sample, ecn_echo) = (round_trip.or(timed), ack.ecn_echo || marked > 0);
        self.tell_law_in_full(Event { rtt_sample, rate_sample, ecn_echo, marked, ..event });
        self.look_for_losses(now, una);
        self.reduce();
    }

    /// After [`Sender::read_in_order`]: all that leaves.
    pub(in crate::tcp) fn send_with_records(&mut self, now: Instant, actions: &mut Actions) {
        let sends_by_window = self.features.as_deref().is_some_and(|features| features.sends_by_window);
        match self.phase {
            Phase::Open if sends_by_window => self.send_in_order(now, actions),
            _ => self.transmit(now, actions),
        }
        RackTlp::after_transmit(self, now);
    }

    /// The same as [`Sender::read_records`]: the records are looked at where they lie.
    fn measure_in_order(&mut self, now: Instant, una: u64) -> (Option<Duration>, Option<RateSample>) {
        let Some(SenderFeatures { rack, segments: Some(segments), times_segments, .. }) = self.features.as_deref_mut()
        else {
            return (None, None);
        };
        let (mut round_trip, mut has_copy) = (None, false);
        let rate_sample = segments.measure_in_order(now, una, |record| {
            if let Some(rack) = rack {
                rack.deliver(now, record, |_| false);
            }
            has_copy |= record.retransmitted;
            if *times_segments && !record.retransmitted {
                let rtt = now.saturating_since(record.sent_at);
                round_trip = Some(round_trip.map_or(rtt, |least: Duration| least.min(rtt)));
            }
        });
        (round_trip.filter(|_| !has_copy), rate_sample)
    }

    /// Everything below `una` is acknowledged: RACK looks whether anything sent before has stayed away.
    fn look_for_losses(&mut self, now: Instant, una: u64) {
        let Some((rack, segments)) = self.rack_and_segments() else { return };
        rack.end_round(una);
        rack.probe.is_to_schedule = true;
        if rack.is_anything_late(una, segments.first()) {
            self.detect_losses(now);
        }
    }

    /// The same as [`Sender::transmit`] in [`Phase::Open`] without a pacer and without delivery rates.
    fn send_in_order(&mut self, now: Instant, actions: &mut Actions) {
        let (first, mss) = (self.nxt, self.window.mss);
        self.send_full_segments(now, |segment| actions.segments.push(segment));
        let next = self.nxt;
        if first < next {
            self.note_in_order(now, first, next);
        }
        if let Some(prr) = self.prr_mut() {
            prr.note_sent(next - first);
        }
        if self.una == self.nxt || self.written - self.nxt < mss {
            self.transmit(now, actions);
        }
    }

    /// The records of full-sized segments of new data from `first` to `next`.
    fn note_in_order(&mut self, now: Instant, first: u64, next: u64) {
        let mss = self.window.mss;
        let Some(SenderFeatures { rack, segments: Some(segments), .. }) = self.features.as_deref_mut() else { return };
        if let Some(rack) = rack {
            rack.note_new(now, next);
        }
        let mut start = first;
        while start < next {
            let block = SackBlock { start, end: start + mss };
            // Only delivery rates need to know whether nothing else is in flight.
            segments.send(now, block, Sending { is_first: false, in_flight: 0 });
            start = block.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Algorithm, LossRecovery};
    use crate::tcp::SenderConfig;
    use proptest::prelude::*;
    use std::sync::Arc;
    use units::Duration;

    const MSS: u64 = 1000;

    /// Inputs of a sender; times are in milliseconds since the last event.
    #[derive(Clone, Debug)]
    enum Step {
        Write(u64),
        /// Counts segments and bytes that are newly acknowledged.
        Ack(u64, u64),
        /// The same, and all of it was marked.
        Mark(u64),
        /// Of all above the ACK, these segments from and before here have arrived.
        Sack(u64, u64),
        Time,
    }

    fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
        let step = prop_oneof![
            1 => (1u64..30_000).prop_map(Step::Write),
            12 => (1u64..4, prop_oneof![4 => Just(0u64), 1 => 1u64..MSS])
                .prop_map(|(segments, bytes)| Step::Ack(segments, bytes)),
            2 => (1u64..4).prop_map(Step::Mark),
            2 => (1u64..6, 1u64..4).prop_map(|(from, count)| Step::Sack(from, from + count)),
            2 => Just(Step::Time),
        ];
        prop::collection::vec((prop_oneof![3 => 0u64..10, 1 => 10u64..400], step), 1..120)
    }

    /// A sender, and what it has sent last.
    struct Driven {
        sender: Sender,
        actions: Actions,
        is_always_full: bool,
        /// ACKs that have taken the fast path.
        fast: u32,
    }

    impl Driven {
        fn new(config: &Arc<SenderConfig>) -> Driven {
            let (sender, actions) = (Sender::new(Arc::clone(config)), Actions::default());
            Driven { sender, actions, is_always_full: false, fast: 0 }
        }

        fn take(&mut self, now: Instant, step: &Step) {
            let Driven { sender, actions, is_always_full, fast } = self;
            actions.segments.clear();
            let una = sender.una;
            let ack = |ack, sack| Ack { ack, window: 40 * MSS, sack, ecn_echo: false };
            let mut handle = |ack: &Ack<'_>| {
                if let Some(ace) = sender.ace_if_all_marked(ack.ack).filter(|_| ack.ecn_echo) {
                    sender.handle_ace(ace);
                }
                let ecn_echo = ack.ecn_echo && !sender.reads_ace();
                let ack = Ack { ecn_echo, ..*ack };
                if *is_always_full {
                    return sender.handle_other_ack(now, &ack, actions);
                }
                *fast += u32::from(sender.is_plain(&ack));
                sender.handle_ack(now, &ack, actions);
            };
            match *step {
                Step::Write(bytes) => sender.write(now, bytes, actions),
                Step::Ack(segments, bytes) => handle(&ack(una + segments * MSS + bytes, &[])),
                Step::Mark(segments) => handle(&Ack { ecn_echo: true, ..ack(una + segments * MSS, &[]) }),
                Step::Sack(from, to) => {
                    handle(&ack(una, &[SackBlock { start: una + from * MSS, end: una + to * MSS }]));
                }
                Step::Time => sender.handle_timeout(now, actions),
            }
            sender.check();
        }

        /// All that can be seen of it.
        fn seen(&self) -> impl PartialEq + std::fmt::Debug {
            let Sender { una, nxt, edge, window, phase, ref rtt, rto_at, ref counts, .. } = self.sender;
            let timers = (self.sender.next_timeout(), self.sender.probe_timer(), rto_at, rtt.rto());
            let repair = (self.sender.lost(), self.sender.pipe(), self.sender.reordering_window());
            let (rate, stats) = (self.sender.pacing_rate(), counts.stats());
            (self.actions.segments.clone(), (una, nxt, edge), window, phase, timers, repair, rate, stats)
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_comes_to_what_the_full_path_comes_to(
            steps in steps(),
            law in prop::sample::select(vec![
                "reno", "sack", "cubic", "bbr", "bbr3", "dctcp", "prague", "vegas", "westwood+", "listener",
            ]),
            recovery in prop::sample::select(vec![
                LossRecovery::NewReno, LossRecovery::Sack, LossRecovery::Rack, LossRecovery::Linux,
            ]),
            paced in any::<bool>(),
        ) {
            let algorithm = Algorithm::from_name(law).unwrap();
            let recovery = Some(if algorithm.asks().each_loss { LossRecovery::Rack } else { recovery });
            let config = SenderConfig { algorithm, recovery, paced, mss: MSS as u32, ..SenderConfig::default() };
            prop_assume!(config.validate().is_ok());
            let config = Arc::new(config);
            let (mut fast, mut full) = (Driven::new(&config), Driven::new(&config));
            full.is_always_full = true;
            let mut now = Instant::ZERO;
            for (wait_ms, step) in [(0, Step::Write(50 * MSS))].into_iter().chain(steps) {
                now = now + Duration::from_millis(wait_ms);
                fast.take(now, &step);
                full.take(now, &step);
                prop_assert_eq!(fast.seen(), full.seen(), "after {:?}", step);
            }
        }
    }

    #[test]
    fn an_ack_in_order_takes_the_fast_path_and_one_with_news_of_a_hole_does_not() {
        let config =
            Arc::new(SenderConfig { recovery: Some(LossRecovery::Rack), mss: MSS as u32, ..SenderConfig::default() });
        let mut driven = Driven::new(&config);
        driven.take(Instant::ZERO, &Step::Write(50 * MSS));
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        driven.take(at(100), &Step::Ack(1, 0));
        assert_eq!(driven.fast, 1);
        driven.take(at(101), &Step::Sack(1, 2));
        driven.take(at(102), &Step::Ack(1, 0));
        assert_eq!(driven.fast, 1);
    }
}
