//! The small sender beside photocol's: the same ACKs, the same segments, the same window.

use small_sender::{Sent, SmallSender};
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{
    AckOut, Actions, InitialWindow, Receiver, ReceiverActions, ReceiverConfig, Segment, Sender, SenderConfig,
};
use units::{Duration, Instant};

const MSS: u32 = 1000;
const ONE_WAY: Duration = Duration::from_millis(50);

/// Photocol's sender with the small one's configuration, and a path with a receiver.
struct Trial {
    now: Instant,
    oracle: Sender,
    receiver: Receiver,
    /// What is on its way, by when it arrives; the number keeps the order of what arrives at once.
    segments: BTreeMap<(Instant, u64), Segment>,
    acks: BTreeMap<(Instant, u64), AckOut>,
    number: u64,
    random: u64,
    /// One segment in so many is dropped; 0 is none.
    one_in: u64,
}

/// How a trial ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// Both sent the same for so many ACKs.
    Same(u64),
    /// At this ACK they differed.
    Differs(String),
}

impl Trial {
    fn new(seed: u64, one_in: u64) -> Trial {
        let sender = SenderConfig {
            mss: MSS,
            initial_cwnd: InitialWindow::Segments(4),
            limited_transmit: false,
            ..SenderConfig::default()
        };
        let receiver = ReceiverConfig { mss: MSS, sack: false, dsack: false, ..ReceiverConfig::default() };
        Trial {
            now: Instant::ZERO,
            oracle: Sender::new(Arc::new(sender)),
            receiver: Receiver::new(Arc::new(receiver)),
            segments: BTreeMap::new(),
            acks: BTreeMap::new(),
            number: 0,
            random: seed,
            one_in,
        }
    }

    /// Feeds both senders the same ACKs until they differ, the timer would expire or `most` ACKs have come.
    fn compare(mut self, small: &mut SmallSender, most: u64, mut hears: impl FnMut(u64) -> bool) -> End {
        let mut actions = Actions::default();
        self.oracle.write(self.now, 1 << 40, &mut actions);
        let mut ours = small.start();
        for count in 0..most {
            let theirs = sent(&actions.segments);
            if theirs != ours || self.oracle.cwnd() != small.cwnd() {
                let windows = (self.oracle.cwnd(), small.cwnd());
                return End::Differs(format!("ACK {count} at {:?}: {theirs:?} and {ours:?}, {windows:?}", self.now));
            }
            self.put(std::mem::take(&mut actions.segments));
            let Some(ack) = self.next_ack() else { return End::Same(count) };
            self.oracle.handle_ack(self.now, &ack.as_ack(), &mut actions);
            ours = if hears(count) { small.on_ack(ack.ack) } else { Vec::new() };
        }
        End::Same(most)
    }

    fn put(&mut self, segments: Vec<Segment>) {
        for segment in segments {
            self.number += 1;
            if !self.is_dropped() {
                self.segments.insert((self.now + ONE_WAY, self.number), segment);
            }
        }
    }

    /// A linear congruential generator (Knuth, MMIX).
    fn is_dropped(&mut self) -> bool {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.one_in > 0 && (self.random >> 33).is_multiple_of(self.one_in)
    }

    /// The next ACK at the senders; none if there is none, or if the timer expires before.
    fn next_ack(&mut self) -> Option<AckOut> {
        let mut out = ReceiverActions::default();
        loop {
            let ack = self.acks.keys().next().copied();
            let segment = self.segments.keys().next().copied();
            let next = ack.into_iter().chain(segment).min()?;
            if self.oracle.next_timeout().is_some_and(|timer| timer <= next.0) {
                return None;
            }
            self.now = next.0;
            if ack == Some(next) {
                return self.acks.remove(&next);
            }
            let segment = self.segments.remove(&next)?;
            self.receiver.handle_segment(self.now, segment.seq, segment.len, &mut out);
            for ack in std::mem::take(&mut out.acks) {
                self.number += 1;
                self.acks.insert((self.now + ONE_WAY, self.number), ack);
            }
        }
    }
}

fn sent(segments: &[Segment]) -> Vec<Sent> {
    segments.iter().map(|segment| Sent { seq: segment.seq, len: segment.len.into() }).collect()
}

fn small() -> SmallSender {
    SmallSender::new(MSS.into(), 4)
}

#[test]
fn without_losses_both_double_their_window_in_a_round_trip() {
    let mut sender = small();
    // 4 + 8 + 16 + 32 ACKs in four round trips, each of which adds a segment: 64 at the end.
    assert_eq!(Trial::new(1, 0).compare(&mut sender, 60, |_| true), End::Same(60));
    assert_eq!(sender.cwnd(), 64_000);
}

#[test]
fn with_random_losses_both_send_the_same_segments() {
    let mut compared = 0;
    for (seed, one_in) in (0..50).flat_map(|seed| [500, 100, 30, 10].map(|one_in| (seed, one_in))) {
        match Trial::new(seed, one_in).compare(&mut small(), 2000, |_| true) {
            End::Same(acks) => compared += acks,
            End::Differs(what) => panic!("seed {seed}, one loss in {one_in}: {what}"),
        }
    }
    assert!(compared > 100_000, "compared after {compared} ACKs only");
}

#[test]
fn a_sender_that_misses_one_ack_in_seven_is_found() {
    let ends: Vec<End> =
        (0..20).map(|seed| Trial::new(seed, 30).compare(&mut small(), 2000, |count| count % 7 != 6)).collect();
    assert!(ends.iter().all(|end| matches!(end, End::Differs(_))), "{ends:?}");
}
