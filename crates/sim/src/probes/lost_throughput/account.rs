//! What a flow did not get of its path, and which reduction of its window cost how much (`docs/decisions/0010`). Who is
//! to blame for a reduction is found when the run is over, from the drops.

use transport::tcp::{PhaseName, Sender, WindowLimits};

/// Bytes that a flow did not send, by what kept it from that.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// Nothing waited to be sent.
    pub application: f64,
    /// The peer's window or `max_cwnd`.
    pub limits: f64,
    /// The sender itself: its first slow start, and what its law gives up without a loss or a mark.
    pub sender: f64,
    /// Reductions because of marks.
    pub marks: f64,
    /// All other reductions, in the order of time.
    pub cuts: Vec<Reduction>,
}

/// A reduction of the window at a fast retransmit or a timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// When.
    pub at: u64,
    /// SND.UNA then.
    pub una: u64,
    /// SND.NXT before it.
    pub end: u64,
    /// What showed the loss.
    pub kind: ReductionKind,
    /// Bytes not sent because the window was smaller from then on, and bytes sent again.
    pub cost: f64,
    /// Bytes not sent while the flow waited for its timer, and for the answer to what the timer sent.
    pub wait: f64,
}

/// What shows a sender a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionKind {
    /// Notification about later segments.
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}

/// The account of a flow: between two calls of its sender nothing about it changes.
#[derive(Clone, Debug)]
pub struct Account {
    /// Bytes of payload that the slowest link of the path carries in a picosecond.
    rate: f64,
    /// Bytes of payload of a segment.
    mss: f64,
    seen: Seen,
    lost: Lost,
    /// Bytes not sent because of the reductions that the window has not made good.
    unsettled: f64,
    /// Who is to bear them, in which shares; nobody before the first reduction.
    owed: Vec<Portion>,
    /// When the flow last sent something or was cut.
    active_at: u64,
    /// Bytes not sent since then while only ACKs that were late were waited for.
    waited: f64,
    /// The timeout whose segment nobody has answered yet.
    unanswered: Option<usize>,
}

/// The most reductions of a flow that are told apart; the cost of later ones has no known cause.
const MOST_REDUCTIONS: usize = 1 << 20;

/// A share below this is given to the reduction that has diluted it.
const LEAST_SHARE: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Sender,
    Marks,
    Reduction(usize),
    Nobody,
}

#[derive(Clone, Copy, Debug)]
struct Portion {
    share_of: Share,
    share: f64,
}

/// A sender at an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    at: u64,
    limits: WindowLimits,
    una: u64,
    nxt: u64,
    /// The last round trip measured, in picoseconds; 0 before the first.
    rtt: f64,
    rtt_sum: u64,
    rtt_samples: u64,
    retransmissions: u64,
    fast_retransmits: u64,
    timeouts: u64,
    marks: u64,
    is_in_recovery: bool,
    is_in_slow_start: bool,
}

impl Seen {
    fn of(at: u64, sender: &Sender, before: &Seen) -> Seen {
        let (stats, phase) = (sender.stats(), sender.phase());
        let samples = stats.rtt_samples - before.rtt_samples;
        let rtt = if samples > 0 { (stats.rtt_sum - before.rtt_sum) as f64 / samples as f64 } else { before.rtt };
        Seen {
            at,
            limits: sender.window_limits(),
            una: sender.snd_una(),
            nxt: sender.snd_nxt(),
            rtt,
            rtt_sum: stats.rtt_sum,
            rtt_samples: stats.rtt_samples,
            retransmissions: stats.retransmissions,
            fast_retransmits: stats.fast_retransmits,
            timeouts: stats.timeouts,
            marks: stats.ecn_reductions,
            is_in_recovery: phase == PhaseName::FastRecovery,
            is_in_slow_start: phase == PhaseName::SlowStart,
        }
    }

    /// What the flow loses in a picosecond on a path of this rate: to its application, to limits of windows, to the
    /// rest.
    fn losses(&self, rate: f64) -> [f64; 3] {
        let WindowLimits { window, bound, flight, has_more } = self.limits;
        if self.rtt == 0.0 {
            return if has_more || flight > 0 { [0.0, 0.0, rate] } else { [rate, 0.0, 0.0] };
        }
        let carried = |bytes: u64| rate.min(bytes as f64 / self.rtt);
        if !has_more {
            return [rate - carried(flight), 0.0, 0.0];
        }
        let allowed = carried(bound);
        [0.0, rate - allowed, allowed - carried(bound.min(window))]
    }
}

impl Account {
    /// The account of a flow that starts at `start`, on whose path `rate` bytes of payload pass in a picosecond, `mss`
    /// in a segment.
    pub fn new(start: u64, rate: f64, mss: u32) -> Account {
        let seen = Seen { at: start, ..Seen::default() };
        let (lost, owed) = (Lost::default(), Vec::new());
        Account {
            rate,
            mss: f64::from(mss),
            seen,
            lost,
            unsettled: 0.0,
            owed,
            active_at: start,
            waited: 0.0,
            unanswered: None,
        }
    }

    /// Bytes of payload that the slowest link of the path carries in a picosecond.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The sender has been called, and wants something sent or not.
    pub fn look(&mut self, now: u64, sender: &Sender, sends: bool) {
        self.turn(Seen::of(now, sender, &self.seen), sends);
    }

    fn turn(&mut self, next: Seen, sends: bool) {
        self.advance(next.at);
        let timed_out = next.timeouts > self.seen.timeouts;
        let begins = timed_out || next.fast_retransmits > self.seen.fast_retransmits;
        if begins && self.lost.cuts.len() < MOST_REDUCTIONS {
            let (kind, wait) =
                if timed_out { (ReductionKind::Timeout, self.waited) } else { (ReductionKind::FastRetransmit, 0.0) };
            let (una, end) = (next.una, self.seen.nxt.max(next.una));
            self.lost.cuts.push(Reduction { at: next.at, una, end, kind, cost: 0.0, wait });
        }
        if timed_out {
            self.unanswered = self.lost.cuts.len().checked_sub(1);
        } else if sends || next.una > self.seen.una {
            self.unanswered = None;
        }
        if let Some(cut) = self.lost.cuts.last_mut() {
            cut.cost += self.mss * (next.retransmissions - self.seen.retransmissions) as f64;
        }
        let falls = next.limits.window < self.seen.limits.window;
        if falls {
            self.attribute(&next, begins);
        }
        if sends || begins || falls {
            // Before the first round trip is known a first window is slow start, if an ACK came for it in time.
            if self.seen.rtt == 0.0 && !timed_out {
                self.lost.sender += self.waited;
            }
            (self.active_at, self.waited) = (next.at, 0.0);
        }
        self.seen = next;
    }

    /// What was lost up to `end`, which is not before the last call.
    pub fn total(mut self, end: u64) -> Lost {
        self.advance(end.max(self.seen.at));
        self.settle();
        self.lost
    }

    /// Time passes with everything as it was.
    fn advance(&mut self, now: u64) {
        let until = self.due().clamp(self.seen.at, now);
        let (span, late) = ((until - self.seen.at) as f64, (now - until) as f64);
        let [application, limits, rest] = self.seen.losses(self.rate);
        self.lost.application += application * span;
        self.lost.limits += limits * span;
        match (self.unanswered, self.owed.is_empty()) {
            (Some(timeout), _) => self.lost.cuts[timeout].wait += rest * span,
            (None, true) => self.lost.sender += rest * span,
            (None, false) => self.unsettled += rest * span,
        }
        self.waited += self.rate * late;
        self.seen.at = now;
    }

    /// When an ACK is late: a round trip after the last sending. What keeps the flow from sending from then on is no
    /// window.
    fn due(&self) -> u64 {
        match self.seen.limits.flight {
            0 => u64::MAX,
            _ => self.active_at.saturating_add(self.seen.rtt as u64),
        }
    }

    /// The window has fallen to that of `next`: the part of what it lacks that is new is the reduction's.
    fn attribute(&mut self, next: &Seen, begins: bool) {
        let wanted = (next.limits.bound as f64).min(if next.rtt > 0.0 { self.rate * next.rtt } else { f64::MAX });
        let lacks = |window: u64| (wanted - window as f64).max(0.0);
        let (before, after) = (lacks(self.seen.limits.window), lacks(next.limits.window));
        if after <= before {
            return;
        }
        let share_of = self.share_of(next, begins);
        let mut share = 1.0 - before / after;
        if self.owed.is_empty() {
            if share_of == Share::Sender {
                return;
            }
            // Without this reduction slow start would have gone on to the end; nothing else grows as fast.
            share = if self.seen.is_in_slow_start { 1.0 } else { share };
            self.owed.push(Portion { share_of: Share::Sender, share: 1.0 });
        }
        self.settle();
        self.owed.iter_mut().for_each(|portion| portion.share *= 1.0 - share);
        self.owed.retain(|portion| portion.share >= LEAST_SHARE);
        let kept: f64 = self.owed.iter().map(|portion| portion.share).sum();
        match self.owed.last_mut().filter(|portion| portion.share_of == share_of) {
            Some(portion) => portion.share += 1.0 - kept,
            None => self.owed.push(Portion { share_of, share: 1.0 - kept }),
        }
    }

    /// Who bears what a fall of the window costs.
    fn share_of(&self, next: &Seen, begins: bool) -> Share {
        let is_repair = self.seen.is_in_recovery && next.is_in_recovery;
        match self.lost.cuts.len() {
            MOST_REDUCTIONS if begins || is_repair => Share::Nobody,
            cuts if begins || (is_repair && cuts > 0) => Share::Reduction(cuts - 1),
            _ if next.marks > self.seen.marks => Share::Marks,
            _ => Share::Sender,
        }
    }

    /// What has come together since the shares last changed is borne.
    fn settle(&mut self) {
        let unsettled = std::mem::take(&mut self.unsettled);
        for Portion { share_of, share } in &self.owed {
            let cost = share * unsettled;
            match share_of {
                Share::Sender => self.lost.sender += cost,
                Share::Marks => self.lost.marks += cost,
                Share::Reduction(number) => self.lost.cuts[*number].cost += cost,
                Share::Nobody => {}
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
