//! The fast path of an ACK for flows that are not plain: new data are acknowledged in order and nothing is lost or out
//! of order, which is what nearly every ACK says.
//!
//! It comes to the same as the full way, which asks every question of every phase, at a third of the cost. What it does
//! is the sender's plain path, the books of RACK and of delivery rates, and marks for laws that count them: losses are
//! looked for only where something is left that was sent before a segment that has been delivered. Any other ACK goes
//! the full way. The tests drive two senders side by side, one of which always goes the full way.

use super::rack::RackTlp;
use super::{Phase, Recovery};
use crate::cc::{Event, RateSample};
use crate::tcp::features::{FastPath, SenderFeatures};
use crate::tcp::rack::Rack;
use crate::tcp::rate::Sending;
use crate::tcp::segments::Segments;
use crate::tcp::{Ack, Actions, SackBlock, Sender};
use units::{Duration, Instant};

impl Sender {
    /// The short way, if an ACK of new data in order, in [`Phase::Open`] and without blocks, can go it.
    pub(in crate::tcp) fn fast_path(&self, ack: &Ack<'_>) -> Option<FastPath> {
        let SenderFeatures { fast_path, rack, segments, .. } = self.features.as_deref()?;
        let is_open = *fast_path != FastPath::Absent
            && rack.as_ref().is_none_or(|rack| rack.probe.end.is_none())
            && segments.as_ref().is_none_or(Segments::are_in_order)
            && (!ack.ecn_echo || self.answers_marks_itself())
            && !self.is_held_back();
        is_open.then_some(*fast_path)
    }

    /// What [`Sender::handle_ack_in_full`] comes to for such an ACK.
    #[inline]
    pub(in crate::tcp) fn handle_ack_in_order(
        &mut self,
        now: Instant,
        ack: &Ack<'_>,
        way: FastPath,
        actions: &mut Actions,
    ) {
        match way {
            FastPath::Measured => self.handle_ack_measured(now, ack, actions),
            _ => self.handle_ack_unmeasured(now, ack, actions),
        }
    }

    /// The law hears what records tell, or segments are paced.
    fn handle_ack_measured(&mut self, now: Instant, ack: &Ack<'_>, actions: &mut Actions) {
        let (una, acked) = (ack.ack, ack.ack - self.una);
        let is_app_limited = !self.is_cwnd_limited();
        self.edge = una.saturating_add(ack.window);
        let (round_trip, rate_sample) = self.measure_in_order(now, una);
        let marked = self.read_marks(ack, acked, 0);
        let timed = self.acknowledge(now, una);
        let (rtt_sample, ecn_echo) = (round_trip.or(timed), ack.ecn_echo || marked > 0);
        self.tell_law_in_full(Event {
            acked,
            rtt_sample,
            rate_sample,
            ecn_echo,
            marked,
            is_app_limited,
            ..Event::at(now)
        });
        self.look_for_losses(now, una);
        self.reduce();
        self.transmit(now, actions);
        RackTlp::after_transmit(self, now);
    }

    /// What [`Sender::read_records`] comes to: the records are looked at where they lie.
    fn measure_in_order(&mut self, now: Instant, una: u64) -> (Option<Duration>, Option<RateSample>) {
        let wants_rtt = self.config.algorithm.wants(&self.config.laws).every_rtt;
        let Some(SenderFeatures { rack, segments: Some(segments), .. }) = self.features.as_deref_mut() else {
            return (None, None);
        };
        let mut round_trip = None;
        let rate_sample = segments.measure_in_order(now, una, |record| {
            if let Some(rack) = rack {
                rack.deliver(now, record, |_| false);
            }
            if wants_rtt && !record.retransmitted {
                let rtt = now.saturating_since(record.sent_at);
                round_trip = Some(round_trip.map_or(rtt, |least: Duration| least.min(rtt)));
            }
        });
        (round_trip, rate_sample)
    }

    /// Nobody measures by records, which are not gathered, and segments leave as the window permits.
    fn handle_ack_unmeasured(&mut self, now: Instant, ack: &Ack<'_>, actions: &mut Actions) {
        let (una, acked) = (ack.ack, ack.ack - self.una);
        let is_app_limited = !self.is_cwnd_limited();
        self.edge = una.saturating_add(ack.window);
        let (is_anything_late, lost) = match self.rack_and_segments() {
            Some((rack, segments)) => read_in_order(now, una, rack, segments),
            None => (false, 0),
        };
        let marked = self.read_marks(ack, acked, 0);
        let rtt_sample = self.acknowledge(now, una);
        self.tell_law_in_order(&Event {
            acked,
            rtt_sample,
            lost,
            srtt: self.rtt.srtt(),
            in_flight: self.nxt - una,
            ecn_echo: ack.ecn_echo || marked > 0,
            marked,
            is_app_limited,
            ..Event::at(now)
        });
        if is_anything_late {
            self.detect_losses(now);
        }
        self.reduce();
        match self.phase {
            Phase::Open => self.send_in_order(now, actions),
            _ => self.transmit(now, actions),
        }
        RackTlp::after_transmit(self, now);
    }

    /// The law hears of an ACK, and may answer marks itself.
    #[inline]
    fn tell_law_in_order(&mut self, event: &Event) {
        let before = self.window.cwnd;
        self.law.on_event(&self.config.laws, &mut self.window, event);
        self.set_cwnd(self.window.cwnd);
        if self.window.cwnd < before && self.answers_marks_itself() {
            self.note_answer();
        }
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

    /// What [`Sender::transmit`] comes to in [`Phase::Open`] without a pacer and without delivery rates.
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

    /// The books of full-sized segments of new data from `first` to `next`.
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

/// RACK's books when everything below `una` is acknowledged: whether anything sent before has stayed away, and the
/// bytes found lost since the law was last told.
#[inline(never)]
fn read_in_order(now: Instant, una: u64, rack: &mut Rack, segments: &mut Segments) -> (bool, u64) {
    let first = segments.advance_in_order(una, |record| rack.deliver(now, record, |_| false));
    rack.end_round(una);
    rack.probe.is_to_schedule = true;
    (rack.is_anything_late(una, first), segments.news_of_losses())
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

    /// What happens to a sender; times are in milliseconds since the last event.
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
            12 => (1u64..4, prop_oneof![4 => Just(0u64), 1 => 1u64..MSS]).prop_map(|(segments, bytes)| Step::Ack(segments, bytes)),
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
        /// ACKs that have gone the short way.
        short: u32,
    }

    impl Driven {
        fn new(config: &Arc<SenderConfig>) -> Driven {
            Driven { sender: Sender::new(Arc::clone(config)), actions: Actions::default(), short: 0 }
        }

        fn take(&mut self, now: Instant, step: &Step) {
            let Driven { sender, actions, short } = self;
            actions.segments.clear();
            let una = sender.una;
            let ack = |ack, sack| Ack { ack, window: 40 * MSS, sack, ecn_echo: false };
            let mut handle = |ack: &Ack<'_>| {
                let in_order = matches!(sender.phase, Phase::Open) && ack.sack.is_empty() && ack.ack > una;
                *short += u32::from(in_order && ack.ack <= sender.nxt && sender.fast_path(ack).is_some());
                if let Some(ace) = sender.ace_if_all_marked(ack.ack).filter(|_| ack.ecn_echo) {
                    sender.handle_ace(ace);
                }
                let ecn_echo = ack.ecn_echo && !sender.reads_ace();
                sender.handle_ack(now, &Ack { ecn_echo, ..*ack }, actions);
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
        fn the_short_way_comes_to_what_the_full_way_comes_to(
            steps in steps(),
            law in prop::sample::select(vec!["sack", "cubic", "bbr", "bbr3", "dctcp", "prague", "vegas", "westwood+", "listener"]),
            recovery in prop::sample::select(vec![LossRecovery::Sack, LossRecovery::Rack, LossRecovery::Linux]),
            paced in any::<bool>(),
        ) {
            let algorithm = Algorithm::from_name(law).unwrap();
            let recovery = Some(if algorithm.asks().each_loss { LossRecovery::Rack } else { recovery });
            let config = SenderConfig { algorithm, recovery, paced, mss: MSS as u32, ..SenderConfig::default() };
            prop_assume!(config.validate().is_ok());
            let config = Arc::new(config);
            let (mut short, mut full) = (Driven::new(&config), Driven::new(&config));
            if let Some(features) = full.sender.features.as_mut() {
                features.fast_path = FastPath::Absent;
            }
            let mut now = Instant::ZERO;
            for (wait_ms, step) in [(0, Step::Write(50 * MSS))].into_iter().chain(steps) {
                now = now + Duration::from_millis(wait_ms);
                short.take(now, &step);
                full.take(now, &step);
                prop_assert_eq!(short.seen(), full.seen(), "after {:?}", step);
            }
            prop_assert_eq!(full.short, 0);
        }
    }

    #[test]
    fn an_ack_in_order_goes_the_short_way_and_one_with_news_of_a_hole_does_not() {
        let config =
            Arc::new(SenderConfig { recovery: Some(LossRecovery::Rack), mss: MSS as u32, ..SenderConfig::default() });
        let mut driven = Driven::new(&config);
        driven.take(Instant::ZERO, &Step::Write(50 * MSS));
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        driven.take(at(100), &Step::Ack(1, 0));
        assert_eq!(driven.short, 1);
        driven.take(at(101), &Step::Sack(1, 2));
        driven.take(at(102), &Step::Ack(1, 0));
        assert_eq!(driven.short, 1);
    }
}
