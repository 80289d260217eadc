//! Recovery from duplicate ACKs alone: Reno (RFC 5681 §3.2) and NewReno (RFC 6582).
//!
//! The window is inflated by a segment for each duplicate ACK, and returns to ssthresh at the end: with Reno at the
//! first ACK of new data, with NewReno when all is acknowledged that had been sent when the loss was noticed.

use super::Recovery;
use crate::cc::Event;
use crate::tcp::phase::{Disorder, FastRecovery, Phase, Repair};
use crate::tcp::transmit::Next;
use crate::tcp::{Ack, PartialAckTimer, Sender};
use units::Instant;

/// RFC 5681 §3.2.
pub(super) struct Reno;

/// RFC 6582.
pub(super) struct NewReno;

impl Recovery for Reno {
    /// RFC 5681 §2: the same ACK and window while data are outstanding.
    fn is_duplicate(sender: &Sender, ack: &Ack<'_>, _: u64) -> bool {
        let first = sender.una == 0 && sender.edge == sender.config.initial_peer_window;
        let same_window = first || ack.ack.saturating_add(ack.window) == sender.edge;
        ack.ack == sender.una && sender.una < sender.nxt && same_window
    }

    /// RFC 5681 §3.2 step 2. RFC 6582 §3.2 step 2: the ACK covers more than recover.
    fn shows_loss(sender: &Sender, dup_acks: u32) -> bool {
        let is_past_guard = sender.guard == 0 || sender.una > sender.guard;
        dup_acks >= sender.config.dupthresh && is_past_guard
    }

    /// RFC 5681 §3.2 step 3: the segments that the duplicate ACKs show have left.
    fn begin(sender: &mut Sender) {
        let left = u64::from(sender.config.dupthresh) * sender.window.mss;
        sender.set_cwnd(sender.window.cwnd.saturating_add(left));
    }

    /// RFC 5681 §3.2 step 6, whatever of the window is still missing.
    fn on_new_ack(sender: &mut Sender, _: FastRecovery, _: &Event, _: Instant) {
        sender.set_cwnd(sender.law.cwnd_after_recovery(&sender.window));
        sender.end_recovery_at(sender.una);
    }

    /// RFC 5681 §3.2 step 4: a segment has left the network.
    fn on_duplicate_ack(sender: &mut Sender) {
        sender.set_cwnd(sender.window.cwnd.saturating_add(sender.window.mss));
    }

    /// A segment has left for each duplicate ACK, and the window has been inflated by as many.
    fn pipe(sender: &Sender) -> u64 {
        let left = match sender.phase {
            Phase::Disorder(disorder) => u64::from(disorder.dup_acks) * sender.window.mss,
            _ => sender.window.cwnd - sender.deflated_cwnd(),
        };
        sender.flight_size().saturating_sub(left)
    }

    /// RFC 3042: one segment on each of the first two, while FlightSize stays within cwnd + 2 segments.
    fn limited_transmit(sender: &Sender, disorder: Disorder) -> Option<u64> {
        let extra = if disorder.limited_segments < disorder.dup_acks.min(2) { 2 * sender.window.mss } else { 0 };
        sender.new_data(sender.flight_size(), sender.window.cwnd.saturating_add(extra))
    }

    fn next_segment(sender: &Sender, _: FastRecovery) -> Option<Next> {
        sender.new_data(sender.flight_size(), sender.window.cwnd).map(|len| Next::NewData { len })
    }
}

impl Recovery for NewReno {
    fn is_duplicate(sender: &Sender, ack: &Ack<'_>, sacked: u64) -> bool {
        Reno::is_duplicate(sender, ack, sacked)
    }

    fn shows_loss(sender: &Sender, dup_acks: u32) -> bool {
        Reno::shows_loss(sender, dup_acks)
    }

    fn begin(sender: &mut Sender) {
        Reno::begin(sender);
    }

    /// RFC 6582 §3.2 step 3, full acknowledgements.
    fn on_new_ack(sender: &mut Sender, state: FastRecovery, event: &Event, timer: Instant) {
        if sender.una < state.recover {
            return sender.on_partial_ack(event.acked, state, timer);
        }
        let deflated = sender.law.cwnd_after_recovery(&sender.window);
        sender.set_cwnd(deflated.min(sender.flight_size().max(sender.window.mss) + sender.window.mss));
        sender.end_recovery_at(state.recover);
    }

    fn on_duplicate_ack(sender: &mut Sender) {
        Reno::on_duplicate_ack(sender);
    }

    fn pipe(sender: &Sender) -> u64 {
        Reno::pipe(sender)
    }

    fn limited_transmit(sender: &Sender, disorder: Disorder) -> Option<u64> {
        Reno::limited_transmit(sender, disorder)
    }

    fn next_segment(sender: &Sender, state: FastRecovery) -> Option<Next> {
        Reno::next_segment(sender, state)
    }
}

impl Sender {
    /// RFC 6582 §3.2 step 3, partial acknowledgements.
    fn on_partial_ack(&mut self, acked: u64, state: FastRecovery, timer: Instant) {
        let mss = self.window.mss;
        let deflated = self.window.cwnd.saturating_sub(acked);
        let added = if acked >= mss { mss } else { 0 };
        self.set_cwnd((deflated + added).max(mss));
        self.scoreboard.set_high_rxt(self.una);
        let repair = if self.takes_first_copy() { Repair::Sent } else { Repair::Due };
        self.phase = Phase::FastRecovery(FastRecovery { repair, partial_ack_seen: true, ..state });
        if state.partial_ack_seen && self.config.partial_ack_timer == PartialAckTimer::Impatient {
            self.keep_timer(timer);
        }
    }
}
