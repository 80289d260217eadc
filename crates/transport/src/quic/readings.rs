//! What is known of a sender, for those who measure or draw: the variables of RFC 9002's appendices under names of
//! their own.

use super::Config;
use super::rtt::Rtt;
use super::sender::{News, Sender, Timer};
use crate::tcp::SenderStats;
use units::Instant;

impl Sender {
    /// Its parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What the last call has found.
    pub fn news(&self) -> &News {
        &self.news
    }

    /// The round trip.
    pub fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// congestion_window, in bytes.
    pub fn cwnd(&self) -> u64 {
        self.congestion.window.cwnd
    }

    /// ssthresh in bytes; `u64::MAX` while it is infinite.
    pub fn ssthresh(&self) -> u64 {
        self.congestion.window.ssthresh
    }

    /// bytes_in_flight.
    pub fn bytes_in_flight(&self) -> u64 {
        self.congestion.bytes_in_flight
    }

    /// congestion_recovery_start_time.
    pub fn recovery_start(&self) -> Option<Instant> {
        self.congestion.recovery_start
    }

    /// largest_acked_packet.
    pub fn largest_acked(&self) -> Option<u64> {
        self.largest_acked
    }

    /// loss_time.
    pub fn loss_time(&self) -> Option<Instant> {
        self.loss_time
    }

    /// time_of_last_ack_eliciting_packet.
    pub fn last_ack_eliciting(&self) -> Option<Instant> {
        self.last_eliciting
    }

    /// pto_count.
    pub fn pto_count(&self) -> u32 {
        self.pto_count
    }

    /// loss_detection_timer.
    pub fn loss_detection_timer(&self) -> Option<(Timer, Instant)> {
        self.timer
    }

    /// ecn_ce_counters.
    pub fn ecn_ce_counter(&self) -> u64 {
        self.marking.counts().ce
    }

    /// Whether packets are sent as capable of ECN, which ends when its validation fails.
    pub fn uses_ecn(&self) -> bool {
        self.marking.is_on()
    }

    /// sent_packets: numbers of what is outstanding.
    pub fn sent_packets(&self) -> impl Iterator<Item = u64> {
        self.sent.outstanding(u64::MAX - 1).map(|(number, _)| number)
    }

    /// The number of the next packet.
    pub fn next_number(&self) -> u64 {
        self.sent.next()
    }

    /// kPacketThreshold and kTimeThreshold, as reordering has raised them.
    pub fn thresholds(&self) -> (u32, f64) {
        (self.packet_threshold, self.time_threshold)
    }

    /// Cuts of the window for losses and for marks, and persistent congestion, so often.
    pub fn cuts(&self) -> [u64; 3] {
        let [losses, marks] = self.congestion.cuts;
        [losses, marks, self.congestion.collapses]
    }

    /// Bytes in packets that were found lost.
    pub fn bytes_lost(&self) -> u64 {
        self.congestion.lost
    }

    /// Whether all that was written has been acknowledged.
    pub fn is_complete(&self) -> bool {
        self.streams.is_complete()
    }

    /// Bytes of datagrams that were never sent, since more waited than [`Config::datagram_queue`].
    pub fn bytes_dropped(&self) -> u64 {
        self.streams.dropped()
    }

    /// Bytes of datagrams that are taken for lost, and have not arrived late: nothing sends them again.
    pub fn datagram_bytes_lost(&self) -> u64 {
        self.streams.lost()
    }

    /// Bytes of streams that have been acknowledged, each once, and of datagrams.
    pub fn bytes_acked(&self) -> u64 {
        self.streams.acked()
    }

    /// What it has counted; a fast retransmit is a cut for losses, a false one a cut whose lost packets have all
    /// arrived after all, a timeout a PTO.
    pub fn stats(&self) -> SenderStats {
        let [fast_retransmits, ecn_reductions] = self.congestion.cuts;
        let false_fast_retransmits = self.stats.false_fast_retransmits + u64::from(self.episode.is_spurious());
        SenderStats { fast_retransmits, ecn_reductions, false_fast_retransmits, ..self.stats }
    }

    /// The law's own figures.
    pub fn law_figures(&self) -> Vec<(&'static str, f64)> {
        self.congestion.figures()
    }

    /// Packets of which it keeps a record.
    pub fn records(&self) -> usize {
        self.sent.len()
    }
}
