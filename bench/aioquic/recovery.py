"""The recovery of aioquic under random schedules, step by step: bench/aioquic/recovery.csv.

    pip install aioquic==1.7.2 && python bench/aioquic/recovery.py > bench/aioquic/recovery.csv

A path of 50 to 60 ms loses packets and ACKs and reorders a little; its receiver acknowledges every second packet. The
sender is aioquic's own `QuicPacketRecovery` with its "reno". Of aioquic three things are switched off or left out:
its own exit from slow start by round trips, probes (it takes the oldest packet out of its books, as if lost), and
delays of ACKs, which it limits in another way. Times are whole microseconds.
"""

from __future__ import annotations

import csv
import random
import sys
from typing import Any

from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.quic.rangeset import RangeSet
from aioquic.quic.recovery import QuicPacketRecovery, QuicPacketSpace
from aioquic.tls import Epoch

SCHEDULES = 16
SENDINGS = 45
SIZE = 1200
RANGES = 32
US = 1_000_000


class Connection:
    """aioquic's sender with one space of packet numbers, of a handshake that is confirmed."""

    def __init__(self) -> None:
        self.recovery = QuicPacketRecovery(
            congestion_control_algorithm="reno",
            initial_rtt=0.333,
            max_datagram_size=SIZE,
            peer_completed_address_validation=True,
            send_probe=lambda: None,
        )
        self.space = QuicPacketSpace(is_application_data=True)
        self.recovery.spaces = [self.space]
        self.recovery.handshake_confirmed = True
        self.control._rtt_monitor.is_rtt_increasing = lambda **_: False
        self.lost: list[int] = []
        self.next = 0

    @property
    def control(self) -> Any:
        return self.recovery._cc

    def send(self, now: int, count: int) -> None:
        for _ in range(count):
            packet = QuicSentPacket(Epoch.ONE_RTT, True, True, False, self.next, QuicPacketType.ONE_RTT, now / US, SIZE)
            packet.delivery_handlers.append((self._hear, (self.next,)))
            self.recovery.on_packet_sent(packet=packet, space=self.space)
            self.next += 1

    def _hear(self, state: Any, number: int) -> None:
        if state.name == "LOST":
            self.lost.append(number)

    def acknowledge(self, now: int, ranges: list[tuple[int, int]]) -> None:
        named = RangeSet([range(low, high + 1) for low, high in reversed(ranges)])
        self.recovery.on_ack_received(ack_rangeset=named, ack_delay=0.0, now=now / US, space=self.space)

    def loss_due(self) -> int | None:
        """The first whole microsecond at which the loss timer is due."""
        return None if self.space.loss_time is None else int(self.space.loss_time * US) + 2

    def row(self, schedule: int, at: int, what: str, argument: str) -> list[object]:
        lost, self.lost = " ".join(map(str, sorted(self.lost))), []
        ssthresh = "" if self.control.ssthresh is None else self.control.ssthresh
        rtt = [round(getattr(self.recovery, f"_rtt_{name}") * 1e9) for name in ("smoothed", "variance")]
        rtt = rtt if self.recovery._rtt_initialized else ["", ""]
        due = "" if self.space.loss_time is None else round(self.space.loss_time * 1e9)
        books = [self.control.bytes_in_flight, self.control.congestion_window, ssthresh]
        return [schedule, at, what, argument, lost, *books, *rtt, due]


def ranges_of(arrived: set[int]) -> list[tuple[int, int]]:
    """The highest first, of the highest 32."""
    found: list[tuple[int, int]] = []
    for number in sorted(arrived, reverse=True):
        if found and found[-1][0] == number + 1:
            found[-1] = (number, found[-1][1])
        elif len(found) < RANGES:
            found.append((number, number))
        else:
            break
    return found


def schedule(dice: random.Random) -> list[tuple[int, str, Any]]:
    """Sendings and ACKs as they come: (microseconds, what, packets or ranges)."""
    now, number, arrivals, steps = US, 0, [], []
    loss, late = dice.choice([0.01, 0.03, 0.08]), dice.choice([0.0, 0.05])
    for _ in range(SENDINGS):
        now += dice.randrange(2_000, 18_000)
        count = dice.randrange(1, 6)
        steps.append((now, "send", count))
        for _ in range(count):
            more = dice.randrange(8_000, 14_000) if dice.random() < late else 0
            if dice.random() >= loss:
                arrivals.append((now + 25_000 + dice.randrange(0, 3_000) + more, number))
            number += 1
    arrived: set[int] = set()
    for place, (at, one) in enumerate(sorted(arrivals)):
        arrived.add(one)
        if place % 2 and dice.random() >= 0.1:
            steps.append((at + 25_000 + dice.randrange(0, 4_000), "ack", ranges_of(arrived)))
    return sorted(steps, key=lambda step: (step[0], step[1]))


def main() -> None:
    rows = csv.writer(sys.stdout, lineterminator="\n")
    head = ["schedule", "at_us", "what", "argument", "lost", "in_flight", "cwnd", "ssthresh", "srtt_ns", "rttvar_ns"]
    rows.writerow([*head, "loss_time_ns"])
    for number in range(SCHEDULES):
        peer = Connection()
        for at, what, argument in schedule(random.Random(number)):
            while (due := peer.loss_due()) is not None and due < at:
                peer.recovery.on_loss_detection_timeout(now=due / US)
                rows.writerow(peer.row(number, due, "timer", ""))
            if what == "send":
                peer.send(at, argument)
                said = str(argument)
            else:
                peer.acknowledge(at, argument)
                said = " ".join(f"{low}-{high}" for low, high in argument)
            rows.writerow(peer.row(number, at, what, said))


if __name__ == "__main__":
    main()
