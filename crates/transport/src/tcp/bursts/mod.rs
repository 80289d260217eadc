//! Loss reports of an edge node of a burst-switched network, and the repair that follows.
//!
//! Sources: TCP-ENG (Shihada, Ho and Zhang) §II and §III.B for the BEN, BTCP (Yu, Qiao and Liu, INFOCOM 2004) for BACK
//! and BNAK. Segments that are said to be lost count as lost at once and are sent again first, on top of RFC 6675; what
//! is sent again counts as in the network until it is acknowledged, or said to be lost once more. The window is cut
//! once for what one window sent: not again for segments that lie below the recovery point of the running recovery.

mod false_timeout;
mod reports;

use self::false_timeout::FalseTimeouts;
use self::reports::Reports;
use super::phase::{FastRecovery, Phase};
use super::{Actions, SackBlock, Sender};
use crate::cc::btcp::Detector;
use crate::cc::tcp_eng::BenTimeout;
use crate::cc::{BurstNews, LossCause};
use units::Instant;

/// News from an edge node about a burst with segments of a flow.
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

/// State of a sender whose window law heeds news about bursts.
#[derive(Clone, Debug)]
pub(super) struct Bursts {
    news: BurstNews,
    /// Bytes that were reported lost and are not acknowledged.
    reports: Reports,
    false_timeouts: FalseTimeouts,
}

impl Bursts {
    /// `None` for a law that uses none.
    pub(super) fn new(news: BurstNews) -> Option<Bursts> {
        let bursts = Bursts { news, reports: Reports::default(), false_timeouts: FalseTimeouts::default() };
        (news != BurstNews::Ignored).then_some(bursts)
    }

    /// The only thing that the sender listens to.
    fn wants(&self) -> BurstReport {
        match self.news {
            BurstNews::Ignored | BurstNews::FalseTimeouts(Detector::Ble) => BurstReport::Nothing,
            BurstNews::FalseTimeouts(Detector::Back) => BurstReport::Assembled,
            BurstNews::FalseTimeouts(Detector::Bnak) => BurstReport::Lost,
            BurstNews::Contention(_) => BurstReport::LostToContention,
        }
    }

    /// The cause that the window hears for a burst that is reported lost; `is_all` where it held all that is
    /// outstanding.
    fn cause(&self, is_all: bool) -> LossCause {
        match self.news {
            BurstNews::Contention(_) if is_all => LossCause::ContentionOfAll,
            BurstNews::Contention(_) => LossCause::Contention,
            BurstNews::Ignored | BurstNews::FalseTimeouts(_) => LossCause::FastRetransmit,
        }
    }

    /// True if a timeout while these bytes are missing shows the loss of one burst.
    fn is_false_timeout(&self, missing: &[SackBlock]) -> bool {
        match self.news {
            BurstNews::FalseTimeouts(detector) => self.false_timeouts.detects(detector, missing),
            BurstNews::Ignored | BurstNews::Contention(_) => false,
        }
    }
}

impl Sender {
    /// The news that an edge node should send about this sender's bursts.
    pub fn wanted_burst_report(&self) -> BurstReport {
        self.bursts().map_or(BurstReport::Nothing, Bursts::wants)
    }

    /// An edge node says that a burst with these `segments` of the flow has been assembled or was lost. A sender that
    /// does not want such a report ignores it, and so does every sender what it never sent or what is acknowledged.
    pub fn handle_burst_report(
        &mut self,
        now: Instant,
        report: BurstReport,
        segments: &[SackBlock],
        actions: &mut Actions,
    ) {
        let (una, wanted) = (self.una, self.wanted_burst_report());
        let Some(bursts) = self.bursts_mut().filter(|_| wanted == report) else { return };
        match report {
            BurstReport::Nothing => {}
            BurstReport::Assembled => bursts.false_timeouts.note_assembled(segments, una),
            BurstReport::Lost | BurstReport::LostToContention => {
                if let Some(lost) = self.miss(segments) {
                    self.on_reported_loss(now, lost);
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
                self.bursts_mut()?.reports.miss(hole);
                from = hole.end;
            }
        }
        span
    }

    fn on_reported_loss(&mut self, now: Instant, lost: SackBlock) {
        let is_all = lost.start <= self.una && lost.end >= self.nxt && self.scoreboard.sacked() == 0;
        let Some(bursts) = self.bursts() else { return };
        let cause = bursts.cause(is_all);
        let starts_slowly = is_all && bursts.news == BurstNews::Contention(BenTimeout::SlowStart);
        match self.phase {
            Phase::Open | Phase::Disorder(_) if starts_slowly => self.start_over(now),
            Phase::TimeoutRecovery { recover } if lost.end <= recover => self.go_back(now, cause, lost.start),
            Phase::Open | Phase::Disorder(_) | Phase::TimeoutRecovery { .. } => self.enter_fast_recovery(now, cause),
            Phase::FastRecovery(state) if lost.end > state.recover => self.cut_again(now, cause, state),
            Phase::FastRecovery(_) => {}
        }
        self.restart_timer(now);
    }

    /// A report takes the place of the timer: slow start, from the first segment on.
    fn start_over(&mut self, now: Instant) {
        self.counts.fast_retransmits += 1;
        self.lose(now, LossCause::ContentionOfAll, self.flight_for_cut());
        self.send_all_again(now);
    }

    /// Segments that left after the cut are lost too.
    fn cut_again(&mut self, now: Instant, cause: LossCause, state: FastRecovery) {
        self.counts.fast_retransmits += 1;
        self.lose(now, cause, self.flight_size());
        self.phase = Phase::FastRecovery(FastRecovery { recover: self.nxt, ..state });
    }

    /// Bytes that had been sent again after a timeout are lost again: they are sent from `from` on once more.
    fn go_back(&mut self, now: Instant, cause: LossCause, from: u64) {
        self.forget_reports();
        self.lose(now, cause, self.pipe());
        self.scoreboard.set_high_rxt(from.min(self.scoreboard.high_rxt()));
    }

    /// The retransmission timer has expired: whether that shows the loss of a single burst, which is then repaired
    /// without slow start. A second expiry without progress never does.
    pub(super) fn repair_false_timeout(&mut self, now: Instant) -> bool {
        let calm = matches!(self.phase, Phase::Open | Phase::Disorder(_)) && self.timed_out != self.una;
        if self.bursts().is_none() || !calm {
            return false;
        }
        let missing = self.missing();
        let Some(bursts) = self.bursts_mut().filter(|bursts| bursts.is_false_timeout(&missing)) else {
            return false;
        };
        let cause = bursts.cause(false);
        missing.iter().for_each(|block| bursts.reports.miss(*block));
        self.counts.timeouts += 1;
        self.timed_out = self.una;
        self.rtt.cancel();
        self.enter_fast_recovery(now, cause);
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
        if self.bursts().is_none() {
            return;
        }
        let runs = self.missing();
        let shown = runs.iter().filter(|run| run.end < self.nxt).map(|run| run.len()).max();
        if let (Some(bytes), Some(bursts)) = (shown, self.bursts_mut()) {
            bursts.false_timeouts.note_run(bytes);
        }
    }

    /// The cumulative ACK has moved.
    pub(super) fn settle_reports(&mut self) {
        let una = self.una;
        if let Some(bursts) = self.bursts_mut() {
            bursts.reports.advance(una);
        }
    }

    /// Everything outstanding counts as lost.
    pub(super) fn forget_reports(&mut self) {
        if let Some(bursts) = self.bursts_mut() {
            bursts.reports.clear();
        }
    }

    /// The first segment that was reported lost and has not been sent again.
    pub(super) fn reported_segment(&self) -> Option<SackBlock> {
        self.bursts()?.reports.first_missing(&self.scoreboard).map(|hole| self.first_segment_of(hole))
    }

    /// A reported segment leaves.
    pub(super) fn note_reported_repair(&mut self, block: SackBlock) {
        if let Some(bursts) = self.bursts_mut() {
            bursts.reports.repair(block);
        }
    }

    /// The pipe of RFC 6675 with what was reported.
    pub(super) fn correct_pipe(&self, pipe: u64) -> u64 {
        let Some(bursts) = self.bursts() else { return pipe };
        bursts.reports.correct(pipe, &self.scoreboard, self.threshold())
    }

    /// True if `seq` was reported lost.
    pub(super) fn is_reported(&self, seq: u64) -> bool {
        self.bursts().is_some_and(|bursts| bursts.reports.hold(seq))
    }

    /// NextSeg (1.a) and (1.b) besides what was reported.
    pub(super) fn next_unreported_hole(&self) -> Option<SackBlock> {
        let Some(bursts) = self.bursts() else { return self.scoreboard.next_hole(self.una) };
        let top = self.scoreboard.highest_start()?;
        let mut from = self.scoreboard.high_rxt().max(self.una);
        loop {
            let hole = self.scoreboard.hole(from, top)?;
            let rest = bursts.reports.beside(hole);
            if !rest.is_empty() {
                return Some(rest);
            }
            from = rest.start.max(hole.end);
        }
    }
}
