//! RACK-TLP, the state of it: RFC 8985.
//!
//! RACK: a segment is lost when one that was sent later has been delivered and the reordering window has passed since.
//! TLP: when ACKs stay away for two round trips, one segment is sent so that there is something to acknowledge.
//!
//! Readings. The shortest round trip is that of the last 150 to 300 s. Before the first round-trip sample no probe is
//! scheduled: there is no handshake that would have brought one; and none while one is under way, so that the
//! retransmission timer is not put off. Without timestamps an ACK of a segment that was sent twice counts for the
//! second copy if that is at least the shortest round trip old (step 2). The reordering timer is a timer of its own
//! besides the retransmission timer, not the same one set to another time. A D-SACK of the tail loss probe does not
//! widen the reordering window: a timer sent the probe, not RACK (Linux; the RFC's pseudocode takes any D-SACK). With
//! recovery "linux" neither does one before reordering was seen.

mod probe;

pub(super) use probe::{Probe, wait_for_ack};

use super::SackBlock;
use super::divisions::Divisions;
use super::min_rtt::MinRtt;
use super::record::Record;
use super::segments::Segments;
use std::cmp::Ordering;
use std::collections::VecDeque;
use units::{Duration, Instant};

/// Recoveries without a D-SACK after which the reordering window is what it was at the start (§6.2 step 4).
const PERSIST: u8 = 16;

/// Segments SACKed that show a loss at once while no reordering has been seen (§6.2 step 4).
const DUP_THRESH: usize = 3;

/// RACK-TLP's state of a flow.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// Segments that were sent again, by the time of that, with those that were sent once more or acknowledged since.
    /// The order of all others in the flow is that of their sending.
    resent: VecDeque<Resent>,
    /// The new data that left last.
    last_new: Sent,
    /// No segment below that was sent once waits for a verdict.
    settled: u64,
    /// RACK.xmit_ts and RACK.end_seq: of the segment sent last of all that have been delivered.
    newest: Sent,
    /// RACK.rtt: the round trip of the segment delivered last.
    rtt: Duration,
    min_rtt: MinRtt,
    /// RACK.fack: the byte after the highest one delivered.
    fack: u64,
    reordering_seen: bool,
    adaptation: Adaptation,
    /// When segments that may only be late are lost; `NEVER` while there are none.
    timer: Instant,
    pub(super) probe: Probe,
}

/// When a segment left and where it ended: RACK_sent_after() is the order of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sent {
    at: Instant,
    end: u64,
}

impl Ord for Sent {
    /// By time, then by place. As one number that is a comparison without a jump.
    #[inline]
    fn cmp(&self, other: &Sent) -> Ordering {
        let number = |sent: &Sent| u128::from(sent.at.ps()) << 64 | u128::from(sent.end);
        number(self).cmp(&number(other))
    }
}

impl PartialOrd for Sent {
    #[inline]
    fn partial_cmp(&self, other: &Sent) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A segment that left again, behind new data that may have left at the same instant.
#[derive(Clone, Copy, Debug)]
struct Resent {
    sent: Sent,
    behind: Sent,
}

impl Sent {
    fn of(record: &Record) -> Sent {
        Sent { at: record.sent_at, end: record.end }
    }
}

/// The times by which segments are found lost.
#[derive(Clone, Copy, Debug)]
struct Late<'a> {
    now: Instant,
    /// How long after it left a segment is lost.
    wait: Duration,
    /// When the newest delivered segment left.
    newest: Instant,
    divisions: Option<&'a Divisions>,
}

impl Late<'_> {
    /// True if the newest delivered segment says anything of this one.
    fn may_be(&self, sent: Sent) -> bool {
        self.divisions.is_none_or(|divisions| divisions.are_comparable(sent.at, self.newest))
    }
}

/// The adaptation of the reordering window to D-SACKs: §6.2 step 4.
#[derive(Clone, Copy, Debug)]
struct Adaptation {
    /// RACK.dsack_round: D-SACKs below it belong to one round.
    round: Option<u64>,
    /// RACK.reo_wnd_mult.
    multiplier: u32,
    /// RACK.reo_wnd_persist.
    persist: u8,
    /// True if the present ACK has widened the window.
    grew: bool,
}

/// The sender's situation when it looks for losses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) now: Instant,
    pub(super) srtt: Option<Duration>,
    /// True if losses are being repaired, after a timeout or not.
    pub(super) in_recovery: bool,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            resent: VecDeque::new(),
            last_new: Sent::default(),
            settled: 0,
            newest: Sent::default(),
            rtt: Duration::ZERO,
            min_rtt: MinRtt::default(),
            fack: 0,
            reordering_seen: false,
            adaptation: Adaptation { round: None, multiplier: 1, persist: PERSIST, grew: false },
            timer: Instant::NEVER,
            probe: Probe::default(),
        }
    }
}

impl Rack {
    /// When it wants to be called: the reordering timer or the probe timer.
    pub(super) fn wake(&self) -> Instant {
        self.timer.min(self.probe.timer)
    }

    /// Keeps no more memory than there are segments sent again.
    pub(super) fn give_back_memory(&mut self) {
        self.resent.shrink_to_fit();
    }

    /// When the reordering timer expires.
    pub(super) fn timer(&self) -> Instant {
        self.timer
    }

    /// §6.1: a segment leaves again.
    pub(super) fn resend(&mut self, now: Instant, block: SackBlock) {
        self.resent.push_back(Resent { sent: Sent { at: now, end: block.end }, behind: self.last_new });
    }

    /// §6.1: new data leave, the last of them up to `end`.
    #[inline]
    pub(super) fn note_new(&mut self, now: Instant, end: u64) {
        self.last_new = Sent { at: now, end };
    }

    /// Segments that were thought lost are in flight after all, and may be found lost again.
    pub(super) fn find_again(&mut self, segments: &Segments) {
        self.settled = 0;
        self.resent.clear();
        let resent = segments.in_flight().filter(|record| record.retransmitted).map(Sent::of);
        self.resent.extend(resent.map(|sent| Resent { sent, behind: Sent::default() }));
        self.resent.make_contiguous().sort_unstable_by_key(|one| one.sent);
    }

    /// §6.2 steps 1 to 3: what an ACK is the first to report, in the order of the flow.
    /// `echoes_older` says whether the ACK echoes a timestamp from before that.
    pub(super) fn update(&mut self, now: Instant, reported: &[Record], echoes_older: impl Fn(Instant) -> bool) {
        reported.iter().for_each(|record| self.deliver(now, record, &echoes_older));
    }

    /// The same for one segment. Not inlined: a loop over an ACK's segments, mostly one, would load all that is touched
    /// here before it.
    #[inline(never)]
    pub(super) fn deliver(&mut self, now: Instant, record: &Record, echoes_older: impl Fn(Instant) -> bool) {
        let rtt = now.saturating_since(record.sent_at);
        let is_of_first_copy = record.retransmitted && (echoes_older(record.sent_at) || self.is_too_early(rtt));
        if !record.retransmitted {
            self.min_rtt.note(now, rtt);
            self.reordering_seen |= record.end < self.fack;
            self.probe.rtt_known = true;
        }
        if !is_of_first_copy {
            self.rtt = rtt;
            if self.newest < Sent::of(record) {
                self.newest = Sent::of(record);
            }
        }
        self.fack = self.fack.max(record.end);
    }

    /// True if no segment can have been acknowledged after this time.
    #[cold]
    fn is_too_early(&self, rtt: Duration) -> bool {
        self.min_rtt.get().is_some_and(|least| rtt < least)
    }

    /// Everything below `una` is acknowledged, and nothing is SACKed or lost: whether anything may be left that was
    /// sent before something delivered. If not, there is no loss for [`Rack::detect`] to find.
    #[inline]
    pub(super) fn is_anything_late(&mut self, una: u64, first: Option<&Record>) -> bool {
        while self.resent.front().is_some_and(|one| one.sent.end <= una) {
            self.resent.pop_front();
        }
        let is_late = !self.resent.is_empty() || first.is_some_and(|first| Sent::of(first) < self.newest);
        if !is_late {
            self.timer = Instant::NEVER;
        }
        is_late
    }

    /// The handshake has measured a round trip.
    pub(super) fn note_handshake(&mut self, now: Instant, round_trip: Duration) {
        self.min_rtt.note(now, round_trip);
        self.probe.rtt_known = true;
    }

    /// §6.2 step 4: an ACK of everything below `una` brings a D-SACK block.
    pub(super) fn on_dsack(&mut self, una: u64, nxt: u64) {
        self.end_round(una);
        if self.adaptation.round.is_none() {
            self.adaptation = Adaptation {
                round: Some(nxt),
                multiplier: self.adaptation.multiplier.saturating_add(1),
                persist: PERSIST,
                grew: true,
            };
        }
    }

    /// The round of a D-SACK is over when all is acknowledged that had been sent at its start.
    pub(super) fn end_round(&mut self, una: u64) {
        self.adaptation.grew = false;
        if self.adaptation.round.is_some_and(|end| una >= end) {
            self.adaptation.round = None;
        }
    }

    /// True if an original was ever delivered behind one that was sent later.
    pub(super) fn has_seen_reordering(&self) -> bool {
        self.reordering_seen
    }

    /// §6.2 step 4: a recovery is over, which counts unless its last ACK has widened the window.
    pub(super) fn end_recovery(&mut self) {
        if self.adaptation.grew {
            return;
        }
        self.adaptation.persist = self.adaptation.persist.saturating_sub(1);
        if self.adaptation.persist == 0 {
            self.adaptation.multiplier = 1;
        }
    }

    /// RACK.reo_wnd: §6.2 step 4. `sacked` segments are held by the receiver.
    pub(super) fn reordering_window(&self, situation: Situation, sacked: usize) -> Duration {
        if !self.reordering_seen && (situation.in_recovery || sacked >= DUP_THRESH) {
            return Duration::ZERO;
        }
        let quarter = Duration::from_ps(self.min_rtt.get().unwrap_or(Duration::ZERO).ps() / 4);
        quarter.saturating_mul(self.adaptation.multiplier.into()).min(situation.srtt.unwrap_or(Duration::MAX))
    }

    /// §6.2 step 5: marks what is lost, and sets the timer for what may only be late.
    pub(super) fn detect(&mut self, situation: Situation, segments: &mut Segments, divisions: Option<&Divisions>) {
        let wait = self.rtt + self.reordering_window(situation, segments.sacked());
        let newest = self.newest.at;
        let late = Late { now: situation.now, wait, newest, divisions };
        let latest = self.detect_of_sent_once(late, segments).max(self.detect_of_resent(late, segments));
        self.timer = latest.unwrap_or(Instant::NEVER);
    }

    /// Of what was sent once. Returns when the last of what may only be late is lost.
    fn detect_of_sent_once(&mut self, late: Late<'_>, segments: &mut Segments) -> Option<Instant> {
        let (mut latest, mut is_kept) = (None, false);
        let mut place = segments.first_reaching(self.settled);
        while let Some(record) = segments.at(place) {
            let (sent, is_open) = (Sent::of(record), record.is_in_flight() && !record.retransmitted);
            if sent >= self.newest && !record.retransmitted {
                break;
            }
            let due = sent.at + late.wait;
            if is_open && !late.may_be(sent) {
                is_kept = true;
            } else if is_open && due > late.now {
                latest = Some(due);
            } else if is_open {
                segments.lose_at(place);
            }
            if latest.is_none() && !is_kept {
                self.settled = sent.end;
            }
            place += 1;
        }
        latest
    }

    /// The same of what was sent again.
    fn detect_of_resent(&mut self, late: Late<'_>, segments: &mut Segments) -> Option<Instant> {
        let (mut latest, mut is_kept) = (None, false);
        let mut place = 0;
        // What left behind the newest at the same instant was sent after it, wherever it lies in the flow.
        let is_before = |one: &Resent| one.sent < self.newest && one.behind < self.newest;
        while let Some(Resent { sent, .. }) = self.resent.get(place).copied().filter(is_before) {
            let due = sent.at + late.wait;
            let is_current = is_current(segments, sent);
            if is_current && !late.may_be(sent) {
                is_kept = true;
            } else if is_current && due > late.now {
                latest = Some(due);
            } else if is_current {
                segments.lose(sent.end);
            }
            match latest {
                None if !is_kept => drop(self.resent.pop_front()),
                _ => place += 1,
            }
        }
        latest
    }

    /// §6.3: the retransmission timer has expired.
    pub(super) fn mark_after_timeout(&mut self, situation: Situation, segments: &mut Segments) {
        let wait = self.rtt + self.reordering_window(situation, segments.sacked());
        let is_late = |sent: &Sent| sent.at + wait <= situation.now;
        segments.lose_sent_once(self.settled, |record| is_late(&Sent::of(record)));
        for sent in self.resent.iter().map(|one| one.sent).take_while(is_late) {
            if is_current(segments, sent) {
                segments.lose(sent.end);
            }
        }
        if let Some(first) = segments.first().map(|first| first.end) {
            segments.lose(first);
        }
        self.timer = Instant::NEVER;
        self.probe.reset();
    }

    /// PTO: §7.2. The retransmission timer expires at `rto_at`, and a lone segment's ACK may take `wait_for_ack`
    /// longer.
    pub(super) fn schedule_probe(&mut self, now: Instant, srtt: Duration, rto_at: Instant, wait_for_ack: Duration) {
        let pto = srtt.saturating_mul(2) + wait_for_ack;
        self.probe.timer = (now + pto).min(rto_at);
    }
}

/// True if this is the last time that the segment was sent, and it is still believed to be under way.
fn is_current(segments: &Segments, sent: Sent) -> bool {
    let is_acknowledged = segments.first().is_none_or(|first| sent.end <= first.start);
    !is_acknowledged && segments.find(sent.end).is_some_and(|record| record.is_in_flight() && record.sent_at == sent.at)
}
