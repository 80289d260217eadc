"""QUIC's sender by hand, step by step beside RFC 9002's pseudocode, under random schedules of losses and reordering."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quic_rfc import Rfc9002

from photocol.transport import QuicSender

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.transport import QuicPacket

TICK = 2e-11
"""Seconds: rounding of times to the picosecond, over sums of a few."""
UNSURE = 1e-9
"""Seconds: where a comparison of real numbers comes nearer than this, rounding may decide it."""


class Step(NamedTuple):
    """What happens next."""

    wait: float
    """Seconds before it; timers that come due meanwhile are served first."""
    what: int
    """0 to 2: packets leave. Else: an ACK comes."""
    count: int
    kind: int
    """0: packets with ACKs only. 1: with padding only. 7 and more: small ones."""
    drop: int
    """A mask of the newest packets that the ACK does not name."""
    delay: float
    ce: bool


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from([0.0, 0.0001, 0.003, 0.01, 0.05, 0.1, 0.4, 2.0])
        | st.integers(0, 200_000).map(lambda us: us / 1e6),
        st.integers(0, 6),
        st.integers(1, 12),
        st.integers(0, 9),
        st.integers(0, (1 << 12) - 1),
        st.sampled_from([0.0, 0.0, 0.004, 0.025, 0.1]),
        st.booleans(),
    ),
    min_size=1,
    max_size=60,
)


class Pair:
    """The machine and the pseudocode, told the same."""

    def __init__(self, *, ecn: bool) -> None:
        self.machine = QuicSender(
            "newreno", underuse="ignored", pto_packets=0, recovery_packet=False, paced=False, ecn=ecn
        )
        self.rfc = Rfc9002()
        self.ecn = ecn
        self.now = 1.0
        self.received: set[int] = set()
        self.ect0, self.ce = 0, 0

    def send(self, count: int, kind: str, size: int) -> None:
        sent: list[QuicPacket] = self.machine.send(self.now, count, kind=kind, size=size)  # type: ignore[arg-type]
        for packet in sent:
            self.rfc.on_packet_sent(
                packet.number,
                self.now,
                ack_eliciting=packet.ack_eliciting,
                in_flight=kind != "ack",
                sent_bytes=packet.size,
            )
        self.compare()

    def ack(self, step: Step) -> None:
        numbers = range(self.machine.next_number)
        named = [one for one in numbers if one in self.received or not step.drop >> (one % 12) & 1]
        if not named:
            return
        # An ACK names all that arrived: what it leaves out may come later.
        self.received.update(named)
        if self.ecn and step.ce:
            self.ce += 1
        # More than was acknowledged is fine (RFC 9000 §13.4.2.1).
        self.ect0 += len(numbers)
        counts = (self.ect0, 0, self.ce) if self.ecn else None
        self.machine.on_ack(self.now, ranges_of(named), delay=step.delay, ecn=counts)
        raises = self.rfc.largest_acked_packet is None or max(named) > self.rfc.largest_acked_packet
        ce = self.ce if self.ecn and raises else None
        self.rfc.on_ack_received(self.now, ranges_of(named), step.delay, ce)
        assert self.machine.acked == self.rfc.acked
        assert self.machine.lost == self.rfc.lost
        self.compare()

    def advance(self, until: float) -> None:
        while self.machine.timer is not None and self.machine.timer[1] <= until:
            kind, due = self.machine.timer
            # A new round trip may make a PTO overdue.
            self.now = max(self.now, due)
            assert self.machine.on_timer(self.now) == []
            assert self.rfc.on_loss_detection_timeout(self.now) == kind
            if kind == "pto":
                self.rfc.after_probes()
            assert self.machine.lost == self.rfc.lost
            self.compare()
        self.now = until

    def compare(self) -> None:
        machine, rfc = self.machine, self.rfc
        assert machine.sent_packets == sorted(rfc.sent_packets)
        assert machine.pto_count == rfc.pto_count
        assert machine.largest_acked_packet == rfc.largest_acked_packet
        assert machine.bytes_in_flight == rfc.bytes_in_flight
        assert near(machine.first_rtt_sample, rfc.first_rtt_sample)
        assert near(machine.smoothed_rtt, rfc.smoothed_rtt)
        assert near(machine.rttvar, rfc.rttvar)
        assert near(machine.min_rtt or 0.0, rfc.min_rtt)
        assert near(machine.latest_rtt or 0.0, rfc.latest_rtt)
        assert near(machine.loss_time, rfc.loss_time)
        assert near(machine.time_of_last_ack_eliciting_packet, rfc.time_of_last_ack_eliciting_packet)
        assert near(machine.congestion_recovery_start_time, rfc.congestion_recovery_start_time)
        ours, theirs = machine.timer, rfc.loss_detection_timer
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            # Each doubling of a PTO doubles what rounding has left.
            assert ours[0] == theirs[0]
            assert abs(ours[1] - theirs[1]) <= TICK * 2**rfc.pto_count + 1e-12 * theirs[1]
        # The machine counts whole bytes, and what is left over pays for the next.
        assert machine.congestion_window == pytest.approx(rfc.congestion_window, abs=2)
        assert machine.ssthresh == pytest.approx(rfc.ssthresh, abs=2)
        if self.ecn:
            assert machine.ecn_ce_counters == rfc.ecn_ce_counters
            assert machine.uses_ecn


def near(ours: float | None, theirs: float | None) -> bool:
    """Whether two times are one, but for rounding."""
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= TICK + 1e-12 * abs(theirs)


def ranges_of(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """The ranges of ascending numbers, the highest first."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges[::-1]


def run(steps: list[Step], *, ecn: bool) -> Pair:
    """Runs a schedule through both."""
    pair = Pair(ecn=ecn)
    for step in steps:
        pair.advance(pair.now + step.wait)
        if pair.rfc.margin < UNSURE:
            break
        if step.what <= 2:
            kind = "ack" if step.kind == 0 else "padding" if step.kind == 1 else "data"
            pair.send(step.count, kind, 1200 if step.kind < 7 else 100 * step.kind)
        else:
            pair.ack(step)
    return pair


@settings(max_examples=400, deadline=None)
@given(STEPS, st.booleans())
def test_each_step_is_that_of_the_pseudocode(steps: list[Step], ecn: bool) -> None:
    run(steps, ecn=ecn)


def test_the_schedules_reach_every_rule() -> None:
    """A long flight, losses by number and by time, probes, persistent congestion: none of the rules is left untried."""
    pair = Pair(ecn=False)
    pair.send(10, "data", 1200)
    pair.advance(1.1)
    pair.ack(Step(0, 3, 0, 0, 0b1, 0.0, False))
    assert pair.machine.lost == [0]
    pair.send(4, "data", 1200)
    pair.advance(1.2)
    assert pair.machine.timer is not None and pair.machine.timer[0] == "pto"
    pair.advance(4.0)
    assert pair.machine.pto_count >= 2
    pair.send(1, "data", 1200)
    pair.advance(4.1)
    pair.received.add(14)
    pair.machine.on_ack(pair.now, [(14, 14)])
    pair.rfc.on_ack_received(pair.now, [(14, 14)], 0.0)
    pair.compare()
    assert pair.machine.lost == [10, 11, 12, 13] == pair.rfc.lost
    assert pair.machine.loss_time is None
    assert not pair.machine.is_persistent
