//! Recovery from selective acknowledgements: RFC 6675.

use super::Recovery;
use crate::cc::Event;
use crate::tcp::phase::{Disorder, FastRecovery};
use crate::tcp::transmit::Next;
use crate::tcp::{Ack, SackBlock, Sender};
use units::Instant;

/// RFC 6675.
pub(super) struct Sack;

impl Recovery for Sack {
    /// §2: news about bytes above the ACK.
    fn is_duplicate(_: &Sender, _: &Ack<'_>, sacked: u64) -> bool {
        sacked > 0
    }

    /// §5 steps 1 and 2.
    fn shows_loss(sender: &Sender, dup_acks: u32) -> bool {
        dup_acks >= sender.dupthresh() || sender.scoreboard.is_lost(sender.una, sender.threshold())
    }

    fn begin(_: &mut Sender) {}

    /// §5 step A; cwnd stays at ssthresh.
    fn on_new_ack(sender: &mut Sender, state: FastRecovery, _: &Event, _: Instant) {
        sender.end_recovery_at(state.recover);
    }

    fn on_duplicate_ack(_: &mut Sender) {}

    fn pipe(sender: &Sender) -> u64 {
        sender.correct_pipe(sender.scoreboard.pipe(sender.una, sender.nxt, sender.threshold()))
    }

    fn losses_found(sender: &Sender) -> u64 {
        sender.scoreboard.lost_below(sender.threshold())
    }

    /// §5 step 3: while cwnd − pipe ≥ SMSS.
    fn limited_transmit(sender: &Sender, _: Disorder) -> Option<u64> {
        sender.new_data(sender.pipe(), sender.window.cwnd)
    }

    /// §5 step C with NextSeg() of §4, after what was reported lost.
    fn next_segment(sender: &Sender, state: FastRecovery) -> Option<Next> {
        if sender.window.cwnd.saturating_sub(sender.pipe()) < sender.window.mss {
            return None;
        }
        if let Some(reported) = sender.reported_segment() {
            return Some(Next::Reported(reported));
        }
        let hole = sender.next_unreported_hole();
        let lost = hole.filter(|hole| sender.scoreboard.is_lost(hole.start, sender.threshold()));
        let repair = |hole| Next::Repair(sender.first_segment_of(hole));
        // Rules (1), (2), (3) and (4) in order.
        lost.map(repair)
            .or_else(|| sender.new_data(sender.pipe(), sender.window.cwnd).map(|len| Next::NewData { len }))
            .or_else(|| hole.map(repair))
            .or_else(|| rescue(sender, state))
    }
}

/// NextSeg rule (4): a copy of the highest unSACKed bytes when HighACK has passed RescueRxt.
fn rescue(sender: &Sender, state: FastRecovery) -> Option<Next> {
    if !sender.config.rescue_retransmission || sender.una <= state.rescue {
        return None;
    }
    let hole = sender.scoreboard.highest_hole(sender.una, sender.nxt)?;
    let start = hole.start.max(hole.end.saturating_sub(sender.window.mss));
    if sender.is_reported(start) {
        return None;
    }
    Some(Next::Rescue(SackBlock { start, end: hole.end }))
}
