//! RACK-TLP: the figure and the rules of RFC 8985.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use std::sync::Arc;
use transport::tcp::{
    Ack, Actions, InitialWindow, LossRecovery, PhaseName, SackBlock, Sender, SenderConfig, SenderStats,
};
use units::{Duration, Instant};

fn rack(initial_cwnd: u32) -> SenderConfig {
    SenderConfig {
        recovery: Some(LossRecovery::Rack),
        initial_cwnd: InitialWindow::Segments(initial_cwnd),
        ..sender_config("sack")
    }
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// When which segment of the flow left, in ms.
fn departures(line: &Line) -> Vec<(u64, u64)> {
    let one =
        |(at, segment): &(Instant, transport::tcp::Segment)| (at.ps() / 1_000_000_000, segment.seq / u64::from(MSS));
    line.sent.iter().map(one).collect()
}

#[test]
fn the_figure_of_rfc_8985_section_3() {
    // P0 to P3 leave and P1 to P3 are lost; the probe repeats P3 two round trips after P0's ACK; its SACK shows that P1
    // and P2 are lost; P1 is lost again, which P2's SACK shows. The round trip is 100 ms.
    let mut line = Line::losing(rack(4), &[1, 2, 3, 5]);
    line.write(4);
    assert!(line.finish(1000));
    assert_eq!(
        departures(&line),
        [(0, 0), (0, 1), (0, 2), (0, 3), (300, 3), (400, 1), (400, 2), (500, 1)],
        "(ms, segment)"
    );
    let SenderStats { timeouts, fast_retransmits, .. } = line.sender.stats();
    assert_eq!((line.now, timeouts, fast_retransmits), (ms(600), 0, 1));
}

#[test]
fn a_segment_late_by_less_than_a_quarter_of_the_round_trip_is_not_sent_again() {
    // Segment 8 of ten comes 20 ms late, behind segment 9: the ACK of 8 comes at 120 ms, the reordering timer stands at
    // 0 + 100 + 25.
    for (late_ms, retransmissions) in [(20, 0), (30, 1)] {
        let mut line = Line::new(rack(10), receiver_config());
        let late = Fate::Delay(Duration::from_millis(late_ms));
        line.segment_fate = Box::new(move |number, _| if number == 8 { late } else { Fate::Deliver });
        line.write(10);
        line.run_until(ms(110));
        assert_eq!(line.sender.reordering_window(), Some(Duration::from_millis(25)));
        assert_eq!((line.sender.lost(), line.sender.next_timeout()), (0, Some(ms(125))));
        assert!(line.finish(1000));
        assert_eq!(line.sender.stats().retransmissions, retransmissions, "{late_ms} ms late");
    }
}

#[test]
fn three_segments_above_a_hole_show_a_loss_at_once_until_reordering_has_been_seen() {
    // §6.2 step 4: reo_wnd = 0 while reordering was never seen and DupThresh segments are SACKed.
    let mut hand = Hand::new(10, 20);
    hand.ack(100, 0, &[(1, 3)]);
    assert_eq!((hand.sender.lost(), hand.sender.phase()), (0, PhaseName::SlowStart));
    assert_eq!(hand.ack(100, 0, &[(1, 4)])[0], 0);
    assert_eq!(hand.sender.phase(), PhaseName::FastRecovery);
    // A late first copy: reordering. From then on a quarter of the round trip is waited for, recovery or not.
    let mut hand = Hand::new(10, 40);
    hand.ack(100, 0, &[(1, 3)]);
    hand.ack(110, 3, &[]);
    hand.ack(110, 3, &[(4, 9)]);
    assert_eq!((hand.sender.lost(), hand.sender.phase()), (0, PhaseName::SlowStart), "five segments above the hole");
    // The segment that was delivered last made its round trip in 110 ms: the hole's time is 0 + 110 + 25 ms.
    assert_eq!(hand.sender.next_timeout(), Some(ms(135)));
    assert_eq!(hand.timer(135)[0], 3);
    assert_eq!(hand.sender.phase(), PhaseName::FastRecovery);
}

#[test]
fn d_sacks_widen_the_reordering_window_once_a_round_up_to_srtt() {
    let mut hand = Hand::new(10, 100);
    hand.ack(100, 0, &[(1, 3)]);
    hand.ack(100, 3, &[]); // Reordering.
    assert_eq!(hand.window_ms(), 25);
    hand.ack(101, 3, &[(1, 2)]);
    assert_eq!(hand.window_ms(), 50);
    hand.ack(101, 3, &[(2, 3)]);
    assert_eq!(hand.window_ms(), 50, "the same round");
    let mut now = 101;
    for expected in [75, 100, 100] {
        now += 100;
        let una = hand.sender.snd_nxt() / 1000;
        hand.ack(now, una, &[]);
        hand.ack(now, una, &[(1, 2)]);
        assert_eq!(hand.window_ms(), expected, "at most SRTT");
    }
}

#[test]
fn the_probe_is_new_data_if_there_are_any() {
    let mut hand = Hand::new(4, 5);
    hand.ack(100, 1, &[]);
    // SRTT = 100 ms, three and two segments in flight: 2 SRTT after the ACK.
    assert_eq!(hand.sender.probe_timer(), Some(ms(300)));
    let mut limited = Hand::with(SenderConfig { max_cwnd: 4000, ..rack(4) }, 100);
    limited.ack(100, 1, &[]);
    assert_eq!(limited.sender.flight_size(), 4000);
    assert_eq!(limited.timer(300), [5], "one segment beyond cwnd");
    assert_eq!(limited.sender.probe_timer(), None, "then the retransmission timer runs, from the probe on");
    assert_eq!(limited.sender.next_timeout(), Some(ms(1300)));
}

#[test]
fn the_probe_of_a_lone_segment_waits_for_a_delayed_ack() {
    let mut hand = Hand::new(1, 2);
    assert_eq!(hand.sender.probe_timer(), None, "no round trip is known");
    hand.ack(100, 1, &[]);
    // 2 · 100 + 200 ms after 100 ms; two segments would not wait. The retransmission timer stands at 1100 ms.
    assert_eq!(hand.sender.probe_timer(), Some(ms(500)));
    let mut hand = Hand::with(SenderConfig { min_rto: Duration::from_millis(200), ..rack(1) }, 2);
    hand.ack(100, 1, &[]);
    // The first RTO is 3 · 100 ms: PTO is at most that.
    assert_eq!(hand.sender.probe_timer(), Some(ms(400)));
}

#[test]
fn a_loss_that_the_probe_repairs_cuts_the_window() {
    let mut hand = Hand::new(4, 4);
    hand.ack(100, 3, &[]);
    let cwnd = hand.sender.cwnd();
    assert_eq!(hand.timer(500), [3], "the last segment, 2 SRTT + 200 ms after the ACK");
    hand.write(2);
    // §7.4.2: everything and more is acknowledged, and no D-SACK has come: the probe replaced the lost segment.
    hand.ack(600, 6, &[]);
    assert!(hand.sender.cwnd() < cwnd, "{} < {cwnd}", hand.sender.cwnd());
    // With a D-SACK of the probe nothing was lost.
    let mut hand = Hand::new(4, 4);
    hand.ack(100, 3, &[]);
    hand.timer(500);
    hand.write(2);
    hand.ack(600, 4, &[(3, 4)]);
    hand.ack(600, 6, &[]);
    assert!(hand.sender.cwnd() >= cwnd);
}

#[test]
fn a_d_sack_of_the_probe_does_not_widen_the_reordering_window() {
    let mut hand = Hand::new(4, 4);
    hand.ack(100, 3, &[]);
    assert_eq!(hand.timer(500), [3]);
    hand.write(8);
    // The original and the probe have both arrived: §7.4.2 case 1.
    hand.ack(600, 4, &[(3, 4)]);
    assert_eq!(hand.window_ms(), 25);
    // A D-SACK of anything else counts: §6.2 step 4.
    hand.ack(600, 4, &[(2, 3)]);
    assert_eq!(hand.window_ms(), 50);
}

#[test]
fn linux_widens_the_reordering_window_only_after_reordering() {
    for (recovery, window_ms) in [(LossRecovery::Rack, 50), (LossRecovery::Linux, 25)] {
        let mut hand = Hand::with(SenderConfig { recovery: Some(recovery), ..rack(10) }, 40);
        hand.ack(100, 3, &[]);
        hand.ack(101, 3, &[(1, 2)]);
        assert_eq!(hand.window_ms(), window_ms, "{recovery:?}");
    }
}

#[test]
fn sixteen_recoveries_without_a_d_sack_make_the_window_narrow_again() {
    // §6.2 step 4: RACK.reo_wnd_persist = 16, one less at the end of each recovery, and RACK.reo_wnd_mult = 1 at 0.
    let mut hand = Hand::with(SenderConfig { max_cwnd: 10_000, ..rack(10) }, 10_000);
    hand.ack(100, 0, &[(1, 3)]);
    hand.ack(110, 3, &[]); // Reordering, so that the window is not zero.
    hand.ack(110, 3, &[(1, 2)]);
    assert_eq!(hand.window_ms(), 50);
    let mut now = 110;
    for recovery in 1..=16 {
        assert_eq!(hand.window_ms(), 50, "before recovery {recovery} is over");
        // The first segment is lost; the others arrive a round trip later, and it is found lost when their time has
        // come.
        let (una, nxt) = (hand.sender.snd_una() / 1000, hand.sender.snd_nxt() / 1000);
        hand.ack(now + 100, una, &[(una + 1, nxt)]);
        hand.timer(now + 200);
        assert_eq!(hand.sender.phase(), PhaseName::FastRecovery, "recovery {recovery}");
        now += 400;
        hand.ack(now, hand.sender.snd_nxt() / 1000, &[]);
        assert_ne!(hand.sender.phase(), PhaseName::FastRecovery);
    }
    assert_eq!(hand.window_ms(), 25);
}

#[test]
fn a_loss_behind_a_long_repair_is_cut_from_the_window() {
    // Segment 0 of ten is lost: the window is 5. Its copy is lost, and 10 with it; the next copy arrives, that of 10
    // does not, and 14 is lost. The repair of the first ten is over, seven segments are outstanding, and the window is
    // half of 5, not of 7: RFC 5681 eq. (4) says "no more than".
    let mut hand = Hand::new(10, 100);
    assert_eq!(hand.ack(100, 0, &[(1, 10)]), [0, 10, 11, 12, 13]);
    assert_eq!(hand.ack(200, 0, &[(1, 10), (11, 14)]), [0, 10, 14, 15, 16]);
    hand.ack(300, 10, &[(15, 17), (11, 14)]);
    assert_eq!((hand.sender.stats().fast_retransmits, hand.sender.ssthresh()), (2, 2500));
}

#[test]
fn only_one_probe_is_under_way_and_none_without_a_new_round_trip() {
    let mut hand = Hand::new(4, 4);
    hand.ack(100, 3, &[]);
    hand.timer(500);
    // §7.3: the RTO follows, 1 s after the probe.
    assert_eq!((hand.sender.probe_timer(), hand.sender.next_timeout()), (None, Some(ms(1500))));
    assert_eq!(hand.timer(1500), [3]);
    assert_eq!(hand.sender.stats().timeouts, 1);
}

#[test]
fn after_a_timeout_the_first_segment_is_sent_again_and_others_when_their_time_has_come() {
    // §6.3. Ten segments at 0; the application writes two more at 1050 ms, 50 ms before the timer.
    let mut hand = Hand::with(SenderConfig { max_cwnd: 10_000, ..rack(10) }, 10);
    hand.ack(100, 1, &[]);
    assert_eq!(hand.timer(300), [9], "the probe is lost too");
    hand.now = ms(1250);
    hand.write(1);
    assert_eq!(hand.timer(1300)[0], 1);
    // Segments 1 to 8 of 0 ms and the probe of 300 ms are lost; 10 of 1250 ms is not. One segment is under way again.
    assert_eq!((hand.sender.lost(), hand.sender.pipe()), (8000, 2000));
}

/// A sender driven by hand.
struct Hand {
    sender: Sender,
    actions: Actions,
    now: Instant,
}

impl Hand {
    fn new(initial_cwnd: u32, segments: u64) -> Hand {
        Hand::with(rack(initial_cwnd), segments)
    }

    fn with(config: SenderConfig, segments: u64) -> Hand {
        let mut hand = Hand { sender: Sender::new(Arc::new(config)), actions: Actions::default(), now: Instant::ZERO };
        hand.write(segments);
        hand
    }

    fn write(&mut self, segments: u64) -> Vec<u64> {
        self.sender.write(self.now, 1000 * segments, &mut self.actions);
        self.sent()
    }

    /// An ACK in ms and segments; the segments that leave.
    fn ack(&mut self, at_ms: u64, ack: u64, sack: &[(u64, u64)]) -> Vec<u64> {
        self.now = ms(at_ms);
        let block = |&(start, end)| SackBlock { start: 1000 * start, end: 1000 * end };
        let sack: Vec<_> = sack.iter().map(block).collect();
        let ack = Ack { ack: 1000 * ack, window: 1 << 40, sack: &sack, ecn_echo: false };
        self.sender.handle_ack(self.now, &ack, &mut self.actions);
        self.sent()
    }

    fn timer(&mut self, at_ms: u64) -> Vec<u64> {
        self.now = ms(at_ms);
        self.sender.handle_timeout(self.now, &mut self.actions);
        self.sent()
    }

    fn window_ms(&self) -> u64 {
        self.sender.reordering_window().expect("RACK is on").ps() / 1_000_000_000
    }

    fn sent(&mut self) -> Vec<u64> {
        self.actions.segments.drain(..).map(|segment| segment.seq / 1000).collect()
    }
}
