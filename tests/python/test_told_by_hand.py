"""Laws that ports tell, and the ports, an input at a time: numbers by the equations of their papers."""

from __future__ import annotations

import pytest

from photocol import _core
from photocol.queue import Queue
from photocol.rcp import Router
from photocol.runs.replay.kinds import KINDS
from photocol.transport import Hop, Sender

GBPS = 1e9


def hop(t: float, sent: int, queue: int) -> Hop:
    """Of a port of 100 Gb/s, which sends 125 kB in 10 µs."""
    return Hop(port=3, t=t, queue=queue, sent=sent, rate=100 * GBPS)


def test_hpcc_halves_at_a_full_round_trip_of_queue() -> None:
    """Algorithm 1: U = 1 + 1, W = 200 000 · 0.95/2 + 0.05 · 125 000/100."""
    sender = Sender("hpcc", mss=1000, initial_window=200, base_rtt=10e-6)
    sender.write(1000, t=0)
    sender.on_ack(10e-6, 1000, telemetry=[hop(0, 0, 125_000)])
    assert sender.cwnd == 200_000
    sender.on_ack(20e-6, 2000, telemetry=[hop(10e-6, 125_000, 130_000)])
    assert sender.cwnd == 95_062
    assert sender.figures == {"load": pytest.approx(2.0)}
    assert sender.pacing_rate == pytest.approx(95_062 * 8 / 10e-6)


def test_powertcps_old_window_is_that_of_the_last_round_trip() -> None:
    """Algorithm 1 with a power of 2: w = 0.9 · (w_old/2 + 125 000/100) + 0.1 · w; w_old is remembered once a round."""
    sender = Sender("powertcp", mss=1000, initial_window=200, base_rtt=10e-6, powertcp_old_window="round")
    nxt = sum(segment.length for segment in sender.write(1000, t=0))
    cwnd, old, round_end = 200_000, 200_000, 0
    for step in range(1, 12):
        t, ack = 10e-6 * step, nxt
        told = [hop(t, 125_000 * step, 125_000)]
        before = nxt
        nxt += sum(segment.length for segment in sender.on_ack(t, ack, telemetry=told))
        if step > 1:
            cwnd = min(int(0.9 * (old / 2 + 1250) + 0.1 * cwnd), 126_250)
        if ack > round_end:
            old, round_end = cwnd, before
        assert sender.cwnd == max(cwnd, 1000), step
        # Two segments leave between two ACKs, so that a round trip has several.
        nxt += sum(segment.length for segment in sender.on_timer(t + 1e-6))


def test_hops_count_bytes_on_the_wire() -> None:
    """1000 of 1250 B are payload: 125 kB on the wire are 100 kB, and W_AI = 0.05 · 100 000/100."""
    sender = Sender("hpcc", mss=1000, initial_window=90, base_rtt=10e-6, wire_header=250)
    sender.write(1000, t=0)
    sender.on_ack(10e-6, 1000, telemetry=[hop(0, 0, 125_000)])
    sender.on_ack(20e-6, 2000, telemetry=[hop(10e-6, 125_000, 130_000)])
    assert sender.cwnd == 90_000 * 0.95 / 2 + 50


def test_rcps_sender_paces_at_the_rate_that_ports_say() -> None:
    """80 Mb/s on the wire are 64 Mb/s of payload; the window is two round trips of it, and a segment."""
    sender = Sender("rcp", mss=1000, initial_window=10, wire_header=250)
    sender.write(1000, t=0)
    assert sender.figures == {}
    sender.on_ack(0.01, 1000, offered=80e6)
    assert (sender.pacing_rate, sender.cwnd) == (64e6, 2 * 80_000 + 1000)
    assert sender.figures == {"rate_bps": 80e6}


def test_rcps_port_follows_its_equation() -> None:
    """Eq. (2): T = 10 ms, d = 100 ms, C = 1 MB/s, R = 50 kB/s, y = 500 kB/s and q = 10 kB."""
    router = Router("8 Mbps")
    assert router.on_packet(0, 1, rtt=0.1) == 400_000
    for _ in range(5):
        assert router.on_packet(0.001, 1000, rtt=0.1, offered=1000) == 1000, "the least of the way"
    assert router.next_timer == pytest.approx(0.01)
    router.on_timer(0.01, queue=10_000)
    assert router.rate == pytest.approx(8 * 50_000 * (1 + 0.1 * (0.4 * 500_000 - 0.226 * 100_000) / 1e6), abs=1)
    router.capacity = "4 Mbps"
    before = router.rate
    assert router.on_packet(0.011, 5000, rtt=0.1, dropped=True) is None
    router.on_timer(0.02)
    assert router.rate == pytest.approx(before, rel=1e-6), "y = C: what is dropped has come"
    with pytest.raises(TypeError, match="alpha"):
        Router("8 Mbps", alpha=0.4)


@pytest.mark.parametrize("mbps", [1, 2, 3, 5, 10, 100])
def test_abcs_port_says_half_of_eta_at_a_full_link(mbps: int) -> None:
    """Eq. (2) with nothing waiting: 0.98/2; a link of twice the capacity is half used, and all may accelerate."""
    queue, gap = Queue("abc", capacity=f"{mbps} Mbps"), 1500 * 8 / (mbps * 1e6)
    for number in range(int(1 / gap)):
        queue.enqueue(number * gap, 1, 1500, ecn="ect0")
        queue.dequeue(number * gap)
    assert queue.figures["accelerated_share"] == pytest.approx(0.49, abs=1e-6)
    queue.capacity = f"{1.25 * mbps} Mbps"
    assert queue.figures["accelerated_share"] == pytest.approx(0.49 * 1.25, abs=1e-6)


def test_what_no_law_reads_is_refused() -> None:
    with pytest.raises(ValueError, match=r"telemetry is given, and this sender's law reads none.*hpcc, powertcp"):
        Sender("reno", mss=1000).on_ack(0.1, 0, telemetry=[hop(0, 0, 0)])
    with pytest.raises(ValueError, match="offered is given, and this sender's law reads none; laws that do: rcp"):
        Sender("hpcc", mss=1000).on_ack(0.1, 0, offered=1e6)
    with pytest.raises(ValueError, match="telemetry has 9 hops, must have at most 8"):
        Sender("hpcc", mss=1000).on_ack(0.1, 0, telemetry=[hop(0, 0, 0)] * 9)
    with pytest.raises(ValueError, match="both next_at and next_rate"):
        Sender("hpcc", mss=1000).on_ack(0.1, 0, telemetry=[Hop(0, 0, 0, 0, 1e9, next_at=1.0)])


GETTERS = {
    "alpha": {"dctcp", "prague"},
    "w_max": {"cubic", "satcp"},
    "k": {"cubic", "satcp"},
    "max_bandwidth": {"bbr", "bbr3"},
    "min_rtt": {"bbr", "bbr3"},
    "rounds": {"bbr", "bbr3"},
    "bandwidth_shortterm": {"bbr3"},
    "inflight_longterm": {"bbr3"},
    "inflight_shortterm": {"bbr3"},
    "hystart_stage": set[str](),
    "header": {"xcp"},
    "fa_ratio": {"rr-tcp", "hs-rr-tcp"},
    "histogram": {"rr-tcp", "hs-rr-tcp"},
}


def laws() -> list[str]:
    others = {"python", *KINDS}
    return [name for name, _, _ in _core.catalogue("transports") if name not in others]


@pytest.mark.parametrize("law", laws())
def test_a_getter_answers_none_where_its_law_has_none(law: str) -> None:
    """A loss after a few round trips, so that whatever a law keeps it has."""
    sender = Sender(law, mss=1000, initial_window=10, timestamps=False, handshake=False, undo="never")
    sender.write(1000, t=0)
    for round_trip in range(1, 5):
        sender.on_timer(0.1 * round_trip - 0.01)
        sender.on_ack(0.1 * round_trip, 1000 * round_trip)
    for number in range(3):
        sender.on_ack(0.41 + 0.001 * number, 4000, [(5000, 6000 + 1000 * number)])
    uses = {"linux-cubic": {"w_max", "k", "hystart_stage"}, "linux-bbr": {"max_bandwidth", "min_rtt", "rounds"}}
    for getter, names in GETTERS.items():
        if law not in names and getter not in uses.get(law, set()):
            assert getattr(sender, getter) is None, f"{law}: {getter}"
