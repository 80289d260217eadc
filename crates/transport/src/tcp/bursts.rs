//! What an edge node of a network that switches bursts tells a sender, and the repair that follows.
//!
//! Sources: TCP-ENG (Shihada, Ho and Zhang) §II and §III.B for the BEN, BTCP (Yu, Qiao and Liu, INFOCOM 2004) for BACK and
//! BNAK. Segments that are said to be lost count as lost at once and are sent again first, on top of RFC 6675; what is sent
//! again counts as in the network until it is acknowledged, or said to be lost once more. The window is cut once for what
//! one window sent: not again for segments that lie below the recovery point of the running recovery.

use super::recovery::{FastRecovery, Phase};
use super::scoreboard::{Scoreboard, Threshold};
use super::{Actions, SackBlock, Sender};
use crate::cc::LossCause;
use units::Instant;

/// What an edge node says about a burst with segments of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstReport {
    /// Nothing.
    Nothing,
    /// BTCP's BACK: the burst has been assembled.
    Assembled,
    /// BTCP's BNAK: the burst was dropped.
    Lost,
    /// TCP-ENG's BEN: the burst was dropped although its path is not congested.
    LostToContention,
}

/// A window law to which bursts matter.
pub trait BurstAware {
    /// The only thing that it listens to.
    fn wants(&self) -> BurstReport;

    /// What a burst that is reported lost is to the window.
    fn cause(&self) -> LossCause;

    /// What was reported lost and is not repaired.
    fn reports(&self) -> &Reports;

    /// The same.
    fn reports_mut(&mut self) -> &mut Reports;

    /// SACK showed a run of so many lost bytes.
    fn note_run(&mut self, bytes: u64);

    /// A burst holds these segments; everything below `una` is acknowledged.
    fn note_assembled(&mut self, segments: &[SackBlock], una: u64);

    /// Whether a timeout while these bytes are missing shows the loss of one burst.
    fn is_false_timeout(&self, missing: &[SackBlock]) -> bool;
}

/// Blocks kept at most; what is reported beyond them is left to RFC 6675.
const MOST_BLOCKS: usize = 1024;

/// Outstanding bytes that were reported lost: in order, disjoint, above SND.UNA.
#[derive(Clone, Debug, Default)]
pub struct Reports {
    blocks: Vec<Reported>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reported {
    block: SackBlock,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be sent again.
    Missing,
    /// Sent again.
    SentAgain,
}

impl Reports {
    /// `block` is missing, whatever was known of it.
    fn miss(&mut self, block: SackBlock) {
        if self.blocks.len() < MOST_BLOCKS {
            self.set(block, State::Missing);
        }
    }

    /// `block` has been sent again.
    fn repair(&mut self, block: SackBlock) {
        self.set(block, State::SentAgain);
    }

    fn set(&mut self, block: SackBlock, state: State) {
        let mut blocks = Vec::with_capacity(self.blocks.len() + 2);
        for old in self.blocks.drain(..) {
            let left = SackBlock { end: old.block.end.min(block.start), ..old.block };
            let right = SackBlock { start: old.block.start.max(block.end), ..old.block };
            let parts = [left, right].into_iter().filter(|part| !part.is_empty());
            blocks.extend(parts.map(|block| Reported { block, ..old }));
        }
        blocks.push(Reported { block, state });
        blocks.sort_unstable_by_key(|reported| reported.block.start);
        blocks.dedup_by(|next, before| {
            let joins = before.state == next.state && before.block.end == next.block.start;
            if joins {
                before.block.end = next.block.end;
            }
            joins
        });
        self.blocks = blocks;
    }

    /// Everything below `una` is acknowledged.
    fn advance(&mut self, una: u64) {
        self.blocks.retain(|reported| reported.block.end > una);
        if let Some(first) = self.blocks.first_mut() {
            first.block.start = first.block.start.max(una);
        }
    }

    fn clear(&mut self) {
        self.blocks.clear();
    }

    /// The lowest missing bytes that the receiver does not hold.
    fn first_missing(&self, board: &Scoreboard) -> Option<SackBlock> {
        let missing = self.blocks.iter().filter(|reported| reported.state == State::Missing);
        missing.into_iter().find_map(|reported| board.hole(reported.block.start, reported.block.end))
    }

    fn hold(&self, seq: u64) -> bool {
        self.blocks.iter().any(|reported| (reported.block.start..reported.block.end).contains(&seq))
    }

    /// What is left of `hole` above all that was reported.
    fn beside(&self, hole: SackBlock) -> SackBlock {
        let mut rest = hole;
        for reported in &self.blocks {
            if reported.block.start > rest.start {
                rest.end = rest.end.min(reported.block.start);
                break;
            }
            rest.start = rest.start.max(reported.block.end);
        }
        rest
    }

    /// The pipe with what was reported: missing bytes are not in it, repaired ones once.
    fn correct(&self, pipe: u64, board: &Scoreboard, threshold: Threshold) -> u64 {
        let (mut added, mut taken) = (0, 0);
        for reported in &self.blocks {
            let (unsacked, counted) = board.pipe_of(reported.block, threshold);
            taken += counted;
            added += if reported.state == State::SentAgain { unsacked } else { 0 };
        }
        (pipe + added).saturating_sub(taken)
    }
}

impl Sender {
    /// What an edge node should tell this sender about its bursts.
    pub fn wanted_burst_report(&self) -> BurstReport {
        self.law.bursts().map_or(BurstReport::Nothing, |bursts| bursts.wants())
    }

    /// An edge node says that a burst with these `segments` of the flow has been assembled or was lost. A sender that does
    /// not want such a report ignores it, and so does every sender what it never sent or what is acknowledged.
    pub fn handle_burst_report(
        &mut self,
        now: Instant,
        report: BurstReport,
        segments: &[SackBlock],
        actions: &mut Actions,
    ) {
        let (una, wanted) = (self.una, self.wanted_burst_report());
        let Some(bursts) = self.law.bursts_mut().filter(|_| wanted == report) else { return };
        match report {
            BurstReport::Nothing => {}
            BurstReport::Assembled => bursts.note_assembled(segments, una),
            BurstReport::Lost | BurstReport::LostToContention => {
                let cause = bursts.cause();
                if let Some(lost) = self.miss(segments) {
                    self.on_reported_loss(now, cause, lost);
                    self.transmit(now, actions);
                }
            }
        }
    }

    /// Notes what of `segments` the receiver is not known to hold. Returns the span from its first to its last byte.
    fn miss(&mut self, segments: &[SackBlock]) -> Option<SackBlock> {
        let mut span: Option<SackBlock> = None;
        for segment in segments {
            let (mut from, end) = (segment.start.max(self.una), segment.end.min(self.nxt));
            while let Some(hole) = self.scoreboard.hole(from, end) {
                let start = span.map_or(hole.start, |span| span.start.min(hole.start));
                span = Some(SackBlock { start, end: span.map_or(hole.end, |span| span.end.max(hole.end)) });
                self.law.bursts_mut()?.reports_mut().miss(hole);
                from = hole.end;
            }
        }
        span
    }

    fn on_reported_loss(&mut self, now: Instant, cause: LossCause, lost: SackBlock) {
        match self.phase {
            Phase::TimeoutRecovery { recover } if lost.end <= recover => self.go_back(cause, lost.start),
            Phase::Open | Phase::Disorder(_) | Phase::TimeoutRecovery { .. } => {
                let cwnd = self.window.cwnd;
                self.enter_fast_recovery(cause);
                self.set_cwnd(self.window.cwnd.min(cwnd));
            }
            Phase::FastRecovery(state) if lost.end > state.recover => self.cut_again(cause, state),
            Phase::FastRecovery(_) => {}
        }
        self.restart_timer(now);
    }

    /// Segments that left after the cut are lost too.
    fn cut_again(&mut self, cause: LossCause, state: FastRecovery) {
        let flight = self.flight_size().min(self.window.cwnd);
        self.counts.fast_retransmits += 1;
        self.cut_ssthresh(cause, flight);
        self.set_cwnd(self.window.ssthresh.min(self.window.cwnd));
        self.phase = Phase::FastRecovery(FastRecovery { recover: self.nxt, ..state });
    }

    /// What had been sent again after a timeout is lost again: it is sent from `from` on once more.
    fn go_back(&mut self, cause: LossCause, from: u64) {
        self.forget_reports();
        let flight = self.pipe();
        self.cut_ssthresh(cause, flight);
        self.set_cwnd(self.window.ssthresh.min(self.window.cwnd));
        self.scoreboard.set_high_rxt(from.min(self.scoreboard.high_rxt()));
    }

    /// The retransmission timer has expired: whether that shows the loss of a single burst, which is then repaired without
    /// slow start. A second expiry without progress never does.
    pub(super) fn repair_false_timeout(&mut self, now: Instant) -> bool {
        let calm = matches!(self.phase, Phase::Open | Phase::Disorder(_)) && self.timed_out != self.una;
        if self.law.bursts().is_none() || !calm {
            return false;
        }
        let missing = self.missing();
        let Some(bursts) = self.law.bursts_mut().filter(|bursts| bursts.is_false_timeout(&missing)) else {
            return false;
        };
        let cause = bursts.cause();
        missing.iter().for_each(|block| bursts.reports_mut().miss(*block));
        self.counts.timeouts += 1;
        self.timed_out = self.una;
        self.rtt.cancel();
        self.enter_fast_recovery(cause);
        self.restart_timer(now);
        true
    }

    /// The outstanding bytes that the receiver is not known to hold.
    fn missing(&self) -> Vec<SackBlock> {
        let mut from = self.una;
        std::iter::from_fn(|| {
            let hole = self.scoreboard.hole(from, self.nxt)?;
            from = hole.end;
            Some(hole)
        })
        .collect()
    }

    /// A fast recovery begins: the runs of lost bytes that SACK shows.
    pub(super) fn note_runs(&mut self) {
        if self.law.bursts().is_none() {
            return;
        }
        let runs = self.missing();
        let shown = runs.iter().filter(|run| run.end < self.nxt).map(|run| run.len()).max();
        if let (Some(bytes), Some(bursts)) = (shown, self.law.bursts_mut()) {
            bursts.note_run(bytes);
        }
    }

    /// The cumulative ACK has moved.
    pub(super) fn settle_reports(&mut self) {
        let una = self.una;
        if let Some(bursts) = self.law.bursts_mut() {
            bursts.reports_mut().advance(una);
        }
    }

    /// Everything outstanding counts as lost.
    pub(super) fn forget_reports(&mut self) {
        if let Some(bursts) = self.law.bursts_mut() {
            bursts.reports_mut().clear();
        }
    }

    /// The first segment that was reported lost and has not been sent again.
    pub(super) fn reported_segment(&self) -> Option<SackBlock> {
        self.law.bursts()?.reports().first_missing(&self.scoreboard).map(|hole| self.first_segment_of(hole))
    }

    /// A reported segment leaves.
    pub(super) fn note_reported_repair(&mut self, block: SackBlock) {
        if let Some(bursts) = self.law.bursts_mut() {
            bursts.reports_mut().repair(block);
        }
    }

    /// The pipe of RFC 6675 with what was reported.
    pub(super) fn correct_pipe(&self, pipe: u64) -> u64 {
        let Some(bursts) = self.law.bursts() else { return pipe };
        bursts.reports().correct(pipe, &self.scoreboard, self.threshold())
    }

    /// Whether `seq` was reported lost.
    pub(super) fn is_reported(&self, seq: u64) -> bool {
        self.law.bursts().is_some_and(|bursts| bursts.reports().hold(seq))
    }

    /// NextSeg (1.a) and (1.b) beside what was reported.
    pub(super) fn next_unreported_hole(&self) -> Option<SackBlock> {
        let Some(bursts) = self.law.bursts() else { return self.scoreboard.next_hole(self.una) };
        let top = self.scoreboard.highest_start()?;
        let mut from = self.scoreboard.high_rxt().max(self.una);
        loop {
            let hole = self.scoreboard.hole(from, top)?;
            let rest = bursts.reports().beside(hole);
            if !rest.is_empty() {
                return Some(rest);
            }
            from = rest.start.max(hole.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn a_repair_splits_what_is_missing_and_a_second_loss_makes_it_missing_again() {
        let mut reports = Reports::default();
        reports.miss(block(10, 40));
        reports.repair(block(10, 20));
        let board = Scoreboard::default();
        assert_eq!(reports.first_missing(&board), Some(block(20, 40)));
        reports.miss(block(10, 20));
        assert_eq!(reports.blocks.len(), 1, "joined");
        assert_eq!(reports.first_missing(&board), Some(block(10, 40)));
        reports.advance(15);
        assert_eq!(reports.first_missing(&board), Some(block(15, 40)));
    }

    #[test]
    fn a_hole_is_cut_at_what_was_reported() {
        let mut reports = Reports::default();
        reports.miss(block(20, 30));
        assert_eq!(reports.beside(block(0, 50)), block(0, 20));
        assert_eq!(reports.beside(block(25, 50)), block(30, 50));
        assert!(reports.beside(block(20, 30)).is_empty());
    }

    #[test]
    fn what_is_missing_is_not_in_the_pipe_and_what_was_sent_again_is_once() {
        // 100 bytes outstanding, none SACKed: the pipe is 100. 30 are missing, of which 10 have been sent again.
        let (mut reports, board) = (Reports::default(), Scoreboard::default());
        let threshold = Threshold::new(3, 10);
        reports.miss(block(0, 30));
        assert_eq!(reports.correct(100, &board, threshold), 70);
        reports.repair(block(0, 10));
        assert_eq!(reports.correct(100, &board, threshold), 80);
    }
}
