//! Proportional rate reduction: RFC 6937 and RFC 9937.

use crate::harness::{Line, sender_config};
use std::sync::Arc;
use transport::tcp::{
    Ack, Actions, InitialWindow, LossRecovery, PhaseName, Reduction, SackBlock, Sender, SenderConfig,
};
use units::Instant;

fn config(reduction: Reduction, cwnd: u32) -> SenderConfig {
    SenderConfig { reduction: Some(reduction), initial_cwnd: InitialWindow::Segments(cwnd), ..sender_config("sack") }
}

/// A sender whose first segments were lost: what leaves on each ACK for one more segment above.
struct Flow {
    sender: Sender,
    actions: Actions,
    lost: u64,
    held: u64,
}

impl Flow {
    /// `lost` segments are missing in front.
    fn new(reduction: Reduction, cwnd: u32, lost: u64) -> Flow {
        let sender = Sender::new(Arc::new(config(reduction, cwnd)));
        let mut flow = Flow { sender, actions: Actions::default(), lost, held: lost };
        flow.sender.write(Instant::ZERO, u64::MAX, &mut flow.actions);
        flow.actions.segments.clear();
        flow
    }

    /// The segment above all that are held arrives: the segments that leave.
    fn arrival(&mut self) -> usize {
        self.held += 1;
        self.ack(0)
    }

    fn ack(&mut self, ack: u64) -> usize {
        let sack = [SackBlock { start: 1000 * self.lost.max(ack), end: 1000 * self.held }];
        let sack = if ack >= self.held { &[][..] } else { &sack };
        let ack = Ack { ack: 1000 * ack, window: 1 << 40, sack, ecn_echo: false };
        self.sender.handle_ack(Instant::ZERO, &ack, &mut self.actions);
        self.actions.segments.drain(..).count()
    }
}

#[test]
fn one_loss_of_20_segments_lets_a_segment_leave_on_every_second_ack() {
    // The example of RFC 6937 §3.1: 20 segments in flight, the first is lost. Two leave by Limited Transmit, R leaves
    // with the third ACK. ssthresh = 10 and RecoverFS = 22: after d arrivals ceil(10 d/22) have left, which is 1 for d
    // = 1 and 2, 2 for 3 and 4, ...
    let mut flow = Flow::new(Reduction::PrrSsrb, 20, 1);
    let sent: Vec<_> = (0..16).map(|_| flow.arrival()).collect();
    assert_eq!(sent[..3], [1, 1, 1], "Limited Transmit twice, and the repair");
    assert_eq!((flow.sender.phase(), flow.sender.ssthresh()), (PhaseName::FastRecovery, 10_000));
    let mut out = 0;
    for (d, sent) in (1..).zip(&sent[2..]) {
        out += sent;
        assert_eq!(out, (10 * d as usize).div_ceil(22), "after {d} arrivals in recovery");
    }
    // At once: the pipe is 22 - 3 - 1 + 1 = 19 with the repair, and something leaves when it is 9, ten ACKs later.
    let mut old = Flow::new(Reduction::Immediate, 20, 1);
    let old: Vec<_> = (0..13).map(|_| old.arrival()).collect();
    assert_eq!(old, [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn the_window_is_at_ssthresh_when_the_recovery_is_over() {
    for reduction in [Reduction::PrrCrb, Reduction::PrrSsrb, Reduction::Prr] {
        for recovery in [LossRecovery::Sack, LossRecovery::Rack] {
            let config = SenderConfig { recovery: Some(recovery), ..config(reduction, 20) };
            let mut line = Line::losing(config, &[0]);
            line.write(200);
            while line.sender.phase() != PhaseName::FastRecovery {
                assert!(line.step());
            }
            let ssthresh = line.sender.ssthresh();
            while line.sender.phase() == PhaseName::FastRecovery {
                assert!(line.step());
            }
            assert_eq!(
                (line.sender.ssthresh(), line.sender.cwnd()),
                (ssthresh, ssthresh),
                "{reduction:?} {recovery:?}"
            );
            assert!(line.finish(100_000));
        }
    }
}

#[test]
fn below_ssthresh_the_bounds_differ_by_a_segment_an_ack() {
    // 15 of 20 segments are lost, five arrive. Three ACKs show it: pipe = 22 − 3 − 15 = 4, below ssthresh = 10.
    let sent = |reduction| {
        let mut flow = Flow::new(reduction, 20, 15);
        (0..5).map(|_| flow.arrival()).collect::<Vec<_>>()
    };
    // Conservative: what has arrived in recovery, one for one.
    assert_eq!(sent(Reduction::PrrCrb), [1, 1, 1, 1, 1]);
    // Slow start bound: max(delivered − out, delivered now) + 1 = 2 for each ACK.
    assert_eq!(sent(Reduction::PrrSsrb), [1, 1, 2, 2, 2]);
    // RFC 9937: an ACK that acknowledges nothing new is not safe, so it is bounded as conservatively.
    assert_eq!(sent(Reduction::Prr), [1, 1, 1, 1, 1]);
    let mut flow = Flow::new(Reduction::Prr, 20, 15);
    (0..5).for_each(|_| _ = flow.arrival());
    // The repair of the first segment is acknowledged, and no loss has shown since: one for the arrival and one more.
    assert_eq!(flow.ack(1), 2);
}

#[test]
fn a_reduction_needs_sack() {
    let config = SenderConfig { recovery: Some(LossRecovery::NewReno), ..config(Reduction::Prr, 10) };
    assert_eq!(config.validate().unwrap_err().field, "reduction");
}

#[test]
fn recover_fs_of_rfc_9937_leaves_out_what_was_sacked_before() {
    // RFC 9937 §6.1: RecoverFS = SND.NXT − SND.UNA − SACKed before + newly SACKed: 22 segments, two of which were held
    // before the third arrival showed the loss. ssthresh = 10: after d arrivals ceil(10 d/20) have left, and with RFC
    // 6937 ceil(10 d/22).
    let out = |reduction, arrivals: usize| {
        let mut flow = Flow::new(reduction, 20, 1);
        let sent: Vec<_> = (0..2 + arrivals).map(|_| flow.arrival()).collect();
        sent[2..].iter().sum::<usize>()
    };
    for d in [1, 2, 3, 8, 11] {
        assert_eq!(out(Reduction::Prr, d), (10 * d).div_ceil(20), "{d} arrivals");
        assert_eq!(out(Reduction::PrrSsrb, d), (10 * d).div_ceil(22), "{d} arrivals");
    }
    assert_eq!((out(Reduction::Prr, 11), out(Reduction::PrrSsrb, 11)), (6, 5));
}
