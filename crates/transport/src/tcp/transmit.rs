//! Transmission: the next segment that window, recovery and pacing permit.

use super::phase::{Phase, Repair};
use super::rate::Sending;
use super::segments::Segments;
use super::{Actions, SackBlock, Segment, Sender, pacing};
use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// The segment that may leave now.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The next unsent bytes.
    NewData { len: u64 },
    /// Bytes above HighRxt, which moves behind them.
    Repair(SackBlock),
    /// Bytes that an edge node has reported lost; HighRxt stays.
    Reported(SackBlock),
    /// Bytes whose segment is lost; HighRxt stays.
    Lost(SackBlock),
    /// The highest unSACKed bytes, once per recovery; HighRxt stays.
    Rescue(SackBlock),
}

impl Sender {
    /// Sends what window, phase and pacing permit.
    pub(super) fn transmit(&mut self, now: Instant, actions: &mut Actions) {
        let before = self.nxt;
        while let Some(next) = self.next_segment() {
            if matches!(next, Next::NewData { .. }) && self.is_held_back() {
                break;
            }
            if let Some(pacer) = self.pacer_mut().filter(|pacer| !pacer.permits(now)) {
                pacer.wait();
                return self.note_use(before);
            }
            if self.waits_for_queue(next) {
                break;
            }
            self.emit(now, next, actions);
        }
        self.note_use(before);
        if let Some(pacer) = self.pacer_mut() {
            pacer.rest();
        }
        self.watch_application();
        self.watch_closed_window(now);
    }

    /// The same as `transmit` when nothing is lost or out of order, nothing is paced and the data do not end:
    /// full-sized segments up to the nearest of cwnd, the peer's window and what is written. `send` is shown each.
    #[inline]
    pub(super) fn send_full_segments(&mut self, now: Instant, mut send: impl FnMut(Segment)) {
        let limit = self.una.saturating_add(self.window.cwnd).min(self.edge).min(self.written);
        let Some(last) = limit.checked_sub(self.window.mss).filter(|last| self.nxt <= *last) else { return };
        let (mss, mut seq, mut sent) = (self.window.mss, self.nxt, 0);
        self.rtt.start(now, seq + mss);
        while seq <= last {
            send(Segment { seq, len: mss as u32, retransmission: false });
            seq += mss;
            sent += 1;
        }
        self.nxt = seq;
        self.note_sent(now, sent);
    }

    /// The length of the next new segment if `window` and the peer have room for it besides `in_flight`. Segments are
    /// full-sized unless the data end; with nothing outstanding a window below that is used as it is.
    #[inline]
    pub(super) fn new_data(&self, in_flight: u64, window: u64) -> Option<u64> {
        let len = (self.written - self.nxt).min(self.window.mss);
        let admitted = self.edge.saturating_sub(self.nxt);
        if len == 0 || len > window.saturating_sub(in_flight) {
            return None;
        }
        if len < self.window.mss && self.config.nagle && self.una < self.nxt {
            return None;
        }
        if len <= admitted {
            return Some(len);
        }
        (admitted > 0 && self.una == self.nxt).then_some(admitted)
    }

    /// cwnd, in whole segments of which it holds a part for laws that ask for that.
    fn open_window(&self) -> u64 {
        match self.config.algorithm.asks().by_rate {
            true => {
                self.window.cwnd.div_ceil(self.window.mss).saturating_mul(self.window.mss).min(self.config.max_cwnd)
            }
            false => self.window.cwnd,
        }
    }

    fn next_segment(&mut self) -> Option<Next> {
        let new_data = |len| Next::NewData { len };
        match self.phase {
            Phase::Open => self.new_data(self.nxt - self.una, self.open_window()).map(new_data),
            Phase::Disorder(disorder) => self.limited_transmit(disorder).map(new_data),
            Phase::TimeoutRecovery { recover } => self.next_segment_after_timeout(recover),
            Phase::FastRecovery(state) => self.next_in_fast_recovery(state),
        }
    }

    /// The first segment reported lost, or the first unacknowledged one: the fast retransmit, and what a partial ACK
    /// asks for.
    pub(super) fn first_repair(&self) -> Option<Next> {
        if let Some(reported) = self.reported_segment() {
            return Some(Next::Reported(reported));
        }
        self.scoreboard.hole(self.una, self.nxt).map(|hole| Next::Repair(self.first_segment_of(hole)))
    }

    /// After a timeout: what is missing below `recover` in order, then new data, as the window permits.
    pub(super) fn next_after_timeout(&mut self, recover: u64) -> Option<Next> {
        let pipe = self.pipe();
        match self.scoreboard.hole(self.scoreboard.high_rxt(), recover) {
            Some(hole) => {
                let segment = self.first_segment_of(hole);
                (pipe + segment.len() <= self.window.cwnd).then_some(Next::Repair(segment))
            }
            None => {
                self.scoreboard.set_high_rxt(recover.max(self.scoreboard.high_rxt()));
                self.new_data(self.nxt - self.una, self.window.cwnd).map(|len| Next::NewData { len })
            }
        }
    }

    pub(super) fn first_segment_of(&self, hole: SackBlock) -> SackBlock {
        SackBlock { start: hole.start, end: hole.end.min(hole.start.saturating_add(self.window.mss)) }
    }

    /// A repair up to `end` leaves; the first of a fast recovery is the fast retransmit itself.
    fn note_first_repair(&mut self, now: Instant, end: u64) {
        let Phase::FastRecovery(state) = &mut self.phase else { return };
        let is_fast_retransmit = state.repair == Repair::Due && !state.partial_ack_seen;
        state.repair = Repair::Sent;
        if is_fast_retransmit {
            state.rescue = state.rescue.max(end);
            if self.config.restart_timer_on_fast_retransmit {
                self.restart_timer(now);
            }
        }
    }

    pub(super) fn emit(&mut self, now: Instant, next: Next, actions: &mut Actions) {
        match next {
            Next::NewData { len } => self.emit_new_data(now, len, actions),
            Next::Repair(block) => {
                self.scoreboard.set_high_rxt(block.end);
                self.note_first_repair(now, block.end);
                self.retransmit(now, block, actions);
            }
            Next::Reported(block) => {
                self.note_reported_repair(block);
                self.note_first_repair(now, block.end);
                self.retransmit(now, block, actions);
            }
            Next::Lost(block) => {
                self.note_first_repair(now, block.end);
                self.retransmit(now, block, actions);
            }
            Next::Rescue(block) => {
                if let Phase::FastRecovery(state) = &mut self.phase {
                    state.rescue = state.recover;
                }
                self.retransmit(now, block, actions);
            }
        }
        if self.pacer().is_some() {
            self.pace(now);
        }
    }

    #[inline]
    fn emit_new_data(&mut self, now: Instant, len: u64, actions: &mut Actions) {
        // A window probe may have carried some of these bytes: Karn's rule, RFC 6298 §3.
        let retransmission = self.nxt < self.probe_end;
        let segment = Segment { seq: self.nxt, len: len as u32, retransmission };
        let is_first = self.una == self.nxt;
        self.nxt += len;
        let in_flight = self.pipe_for_records(0);
        if let Some(segments) = self.segments_mut() {
            let block = SackBlock { start: segment.seq, end: segment.seq + len };
            segments.send(now, block, Sending { is_first, in_flight });
            self.tell_rack_of_sending(now, block, true);
        }
        match retransmission {
            true => self.counts.retransmissions += 1,
            false => self.rtt.start(now, self.nxt),
        }
        self.note_limited(len);
        self.send(now, segment, actions);
    }

    /// A new segment that leaves beyond cwnd is Limited Transmit's, all of it.
    #[inline]
    fn note_limited(&mut self, len: u64) {
        let beyond = self.nxt - self.una > self.window.cwnd;
        if let Phase::Disorder(disorder) = &mut self.phase
            && beyond
        {
            disorder.limited_segments += 1;
            disorder.limited_bytes += len;
        }
    }

    fn retransmit(&mut self, now: Instant, block: SackBlock, actions: &mut Actions) {
        self.rtt.cancel();
        self.counts.retransmissions += 1;
        self.record_retransmission(block);
        self.note_resent(now);
        self.note_forward(block);
        self.tell_reordering_of_repair(now, block);
        let in_flight = self.pipe_for_records(block.len());
        if let Some(segments) = self.segments_mut() {
            segments.resend(now, block, in_flight);
            self.tell_rack_of_sending(now, block, false);
        }
        self.restart_timer_for_copy(now, block);
        self.send(now, Segment { seq: block.start, len: block.len() as u32, retransmission: true }, actions);
    }

    /// Bytes in the network with `more` bytes, for laws that ask for each loss; others have no use for it.
    fn pipe_for_records(&self, more: u64) -> u64 {
        if self.config.algorithm.asks().each_loss { self.pipe() + more } else { 0 }
    }

    /// The rate at which segments leave; `None` if they are not paced, and before there is a rate.
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.pacer()?;
        let srtt = self.rtt.srtt();
        self.law.pacing_rate(&self.config.laws, &self.window, srtt).or_else(|| {
            let bits = u128::from(self.window.cwnd) * 8 * u128::from(PS_PER_SECOND);
            let bps = bits.checked_div(u128::from(srtt?.ps()))?;
            Some(Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX)))
        })
    }

    /// At the law's rate, or a segment every SRTT/cwnd. The interval is zero before the first RTT sample: segments then
    /// leave as the window permits.
    fn pace(&mut self, now: Instant) {
        let srtt = self.rtt.srtt();
        let interval = match self.law.pacing_rate(&self.config.laws, &self.window, srtt) {
            Some(rate) => pacing::interval_at(rate, self.config.mss),
            None => pacing::interval(srtt.unwrap_or(Duration::ZERO), self.config.mss, self.window.cwnd),
        };
        if let Some(pacer) = self.pacer_mut() {
            pacer.sent(now, interval);
        }
    }

    /// CheckIfApplicationLimited(): less than a segment waits, nothing lost waits to be sent again, and cwnd has room.
    fn watch_application(&mut self) {
        if self.written - self.nxt >= self.window.mss || !self.segments().is_some_and(Segments::measures_rates) {
            return;
        }
        let (pipe, cwnd) = (self.pipe(), self.window.cwnd);
        if let Some(segments) = self.segments_mut().filter(|_| pipe < cwnd) {
            segments.note_app_limited(pipe);
        }
    }
}
