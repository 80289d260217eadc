"""RFC 9002's appendices A and B as a program: one packet number space, of a handshake that is confirmed.

Written from the RFC's text alone, in its names, with real numbers where the machine has integers. The text leaves open
what IsAppOrFlowControlLimited() is; here nothing is limited. InPersistentCongestion() is the prose of §7.6 over the
losses of one pass (B.8).
"""

from __future__ import annotations

from dataclasses import dataclass

K_PACKET_THRESHOLD = 3
K_TIME_THRESHOLD = 9 / 8
K_GRANULARITY = 0.001
K_INITIAL_RTT = 0.333
K_PERSISTENT_CONGESTION_THRESHOLD = 3
K_LOSS_REDUCTION_FACTOR = 0.5


@dataclass
class SentPacket:
    """A.1.1."""

    packet_number: int
    ack_eliciting: bool
    in_flight: bool
    sent_bytes: int
    time_sent: float


class Rfc9002:
    """The sender of appendices A and B. Times are seconds; `None` is never, where the text has 0."""

    def __init__(self, max_datagram_size: int = 1200, max_ack_delay: float = 0.025) -> None:
        # A.4
        self.max_ack_delay = max_ack_delay
        self.loss_detection_timer: tuple[str, float] | None = None
        self.pto_count = 0
        self.latest_rtt = 0.0
        self.smoothed_rtt = K_INITIAL_RTT
        self.rttvar = K_INITIAL_RTT / 2
        self.min_rtt = 0.0
        self.first_rtt_sample: float | None = None
        self.largest_acked_packet: int | None = None
        self.time_of_last_ack_eliciting_packet: float | None = None
        self.loss_time: float | None = None
        self.sent_packets: dict[int, SentPacket] = {}
        # B.3
        self.max_datagram_size = max_datagram_size
        self.congestion_window: float = min(10 * max_datagram_size, max(14720, 2 * max_datagram_size))
        self.bytes_in_flight = 0
        self.congestion_recovery_start_time: float | None = None
        self.ssthresh = float("inf")
        self.ecn_ce_counters = 0
        # For the prose of §7.6, and for whoever compares.
        self.times_acked: list[tuple[int, float]] = []
        self.lost: list[int] = []
        self.acked: list[int] = []
        self.margin = float("inf")

    @property
    def k_minimum_window(self) -> int:
        """B.1."""
        return 2 * self.max_datagram_size

    def on_packet_sent(
        self, packet_number: int, now: float, *, ack_eliciting: bool, in_flight: bool, sent_bytes: int
    ) -> None:
        """A.5, B.4."""
        packet = SentPacket(packet_number, ack_eliciting, in_flight, sent_bytes, now)
        self.sent_packets[packet_number] = packet
        if in_flight:
            if ack_eliciting:
                self.time_of_last_ack_eliciting_packet = now
            self.bytes_in_flight += sent_bytes
            self.set_loss_detection_timer()

    def on_ack_received(
        self, now: float, ranges: list[tuple[int, int]], ack_delay: float, ce_counter: int | None = None
    ) -> None:
        """A.7."""
        self.lost, self.acked = [], []
        largest = ranges[0][1]
        if self.largest_acked_packet is None:
            self.largest_acked_packet = largest
        else:
            self.largest_acked_packet = max(self.largest_acked_packet, largest)
        newly_acked = self.detect_and_remove_acked_packets(ranges)
        if not newly_acked:
            return
        self.acked = [packet.packet_number for packet in newly_acked]
        newest = max(newly_acked, key=lambda packet: packet.packet_number)
        if newest.packet_number == largest and any(packet.ack_eliciting for packet in newly_acked):
            self.latest_rtt = now - newest.time_sent
            self.update_rtt(now, ack_delay)
        if ce_counter is not None:
            self.process_ecn(now, ce_counter, newest)
        lost_packets = self.detect_and_remove_lost_packets(now)
        if lost_packets:
            self.on_packets_lost(now, lost_packets)
        for packet in newly_acked:
            self.on_packet_acked(packet)
        self.pto_count = 0
        self.set_loss_detection_timer()

    def detect_and_remove_acked_packets(self, ranges: list[tuple[int, int]]) -> list[SentPacket]:
        """Packets of these ranges that are in sent_packets."""
        numbers = [number for low, high in reversed(ranges) for number in range(low, high + 1)]
        newly = [self.sent_packets.pop(number) for number in numbers if number in self.sent_packets]
        self.times_acked += [(packet.packet_number, packet.time_sent) for packet in newly]
        return newly

    def update_rtt(self, now: float, ack_delay: float) -> None:
        """A.7."""
        if self.first_rtt_sample is None:
            self.min_rtt = self.latest_rtt
            self.smoothed_rtt = self.latest_rtt
            self.rttvar = self.latest_rtt / 2
            self.first_rtt_sample = now
            return
        self.min_rtt = min(self.min_rtt, self.latest_rtt)
        ack_delay = min(ack_delay, self.max_ack_delay)
        adjusted_rtt = self.latest_rtt
        self.note_margin(self.latest_rtt - (self.min_rtt + ack_delay))
        if self.latest_rtt >= self.min_rtt + ack_delay:
            adjusted_rtt = self.latest_rtt - ack_delay
        self.rttvar = 3 / 4 * self.rttvar + 1 / 4 * abs(self.smoothed_rtt - adjusted_rtt)
        self.smoothed_rtt = 7 / 8 * self.smoothed_rtt + 1 / 8 * adjusted_rtt

    def set_loss_detection_timer(self) -> None:
        """A.8."""
        if self.loss_time is not None:
            self.loss_detection_timer = ("loss", self.loss_time)
            return
        if not any(packet.ack_eliciting for packet in self.sent_packets.values()):
            self.loss_detection_timer = None
            return
        assert self.time_of_last_ack_eliciting_packet is not None
        duration = (self.smoothed_rtt + max(4 * self.rttvar, K_GRANULARITY) + self.max_ack_delay) * 2**self.pto_count
        self.loss_detection_timer = ("pto", self.time_of_last_ack_eliciting_packet + duration)

    def on_loss_detection_timeout(self, now: float) -> str:
        """A.9: which timer it was. After a PTO the caller sends its probes, then calls `after_probes`."""
        self.lost, self.acked = [], []
        if self.loss_time is not None:
            lost_packets = self.detect_and_remove_lost_packets(now)
            assert lost_packets
            self.on_packets_lost(now, lost_packets)
            self.set_loss_detection_timer()
            return "loss"
        return "pto"

    def after_probes(self) -> None:
        """The end of A.9."""
        self.pto_count += 1
        self.set_loss_detection_timer()

    def detect_and_remove_lost_packets(self, now: float) -> list[SentPacket]:
        """A.10."""
        assert self.largest_acked_packet is not None
        self.loss_time = None
        lost_packets = []
        loss_delay = max(K_TIME_THRESHOLD * max(self.latest_rtt, self.smoothed_rtt), K_GRANULARITY)
        for unacked in list(self.sent_packets.values()):
            if unacked.packet_number > self.largest_acked_packet:
                continue
            due = unacked.time_sent + loss_delay
            if due <= now + 1e-9 or self.largest_acked_packet >= unacked.packet_number + K_PACKET_THRESHOLD:
                del self.sent_packets[unacked.packet_number]
                lost_packets.append(unacked)
            elif self.loss_time is None or due < self.loss_time:
                self.loss_time = due
        return lost_packets

    def in_congestion_recovery(self, sent_time: float) -> bool:
        """B.5."""
        start = self.congestion_recovery_start_time
        return start is not None and sent_time <= start

    def on_packet_acked(self, packet: SentPacket) -> None:
        """B.5."""
        if not packet.in_flight:
            return
        self.bytes_in_flight -= packet.sent_bytes
        if self.in_congestion_recovery(packet.time_sent):
            return
        if self.congestion_window < self.ssthresh:
            self.congestion_window += packet.sent_bytes
        else:
            self.congestion_window += self.max_datagram_size * packet.sent_bytes / self.congestion_window

    def on_congestion_event(self, now: float, sent_time: float) -> None:
        """B.6."""
        if self.in_congestion_recovery(sent_time):
            return
        self.congestion_recovery_start_time = now
        self.ssthresh = self.congestion_window * K_LOSS_REDUCTION_FACTOR
        self.congestion_window = max(self.ssthresh, self.k_minimum_window)

    def process_ecn(self, now: float, ce_counter: int, largest: SentPacket) -> None:
        """B.7."""
        if ce_counter > self.ecn_ce_counters:
            self.ecn_ce_counters = ce_counter
            self.on_congestion_event(now, largest.time_sent)

    def on_packets_lost(self, now: float, lost_packets: list[SentPacket]) -> None:
        """B.8."""
        self.lost = [packet.packet_number for packet in lost_packets]
        sent_time_of_last_loss: float | None = None
        for lost_packet in lost_packets:
            if lost_packet.in_flight:
                self.bytes_in_flight -= lost_packet.sent_bytes
                last = sent_time_of_last_loss
                sent_time_of_last_loss = lost_packet.time_sent if last is None else max(last, lost_packet.time_sent)
        if sent_time_of_last_loss is not None:
            self.on_congestion_event(now, sent_time_of_last_loss)
        first = self.first_rtt_sample
        if first is None:
            return
        pc_lost = [lost for lost in lost_packets if lost.time_sent > first]
        if self.in_persistent_congestion(pc_lost):
            self.congestion_window = self.k_minimum_window
            self.congestion_recovery_start_time = None

    def in_persistent_congestion(self, lost: list[SentPacket]) -> bool:
        """§7.6.1 and §7.6.2: two that ask for ACKs, far enough apart, and nothing sent between them acknowledged."""
        pto = self.smoothed_rtt + max(4 * self.rttvar, K_GRANULARITY) + self.max_ack_delay
        duration = pto * K_PERSISTENT_CONGESTION_THRESHOLD
        eliciting = [packet for packet in lost if packet.ack_eliciting]
        for place, one in enumerate(eliciting):
            for two in eliciting[place + 1 :]:
                low, high = one.packet_number, two.packet_number
                if any(low < number < high for number, _ in self.times_acked):
                    continue
                self.note_margin(two.time_sent - one.time_sent - duration)
                if two.time_sent - one.time_sent > duration:
                    return True
        return False

    def note_margin(self, margin: float) -> None:
        """How near a comparison of real numbers came to going the other way, in seconds."""
        self.margin = min(self.margin, abs(margin))
