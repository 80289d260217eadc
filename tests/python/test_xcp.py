"""XCP driven by hand, with the numbers of its sources."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photocol.transport import Sender
from photocol.xcp import Header, Receiver, Router

GREEDY = 2**31 - 1


def test_a_header_has_these_bytes() -> None:
    # 0.1 s · 2^28 = 0x0199999a, 10 ms · 2^28 = 0x0028f5c3, -1000 = 0xfffffc18.
    header = Header(0.1, 0.01, -1000)
    assert header.encode().hex() == "061421000199999a0028f5c3fffffc1800000000"
    back = Header.decode(header.encode() + b"TCP")
    assert back == (pytest.approx(0.1), pytest.approx(0.01), -1000, 0, 6, False)
    assert Header(0, 0, 0, 75_000, minimal=True).encode().hex() == "06142200" + 24 * "0" + "000124f8"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "20 bytes, here are 0"), (b"\x06\x18\x21" + bytes(17), "Length.*found 24"), (bytes(20), "Length")],
)
def test_what_is_not_a_header_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Header.decode(data)


@pytest.mark.parametrize("seconds", [-0.1, 16.0, float("nan"), float("inf")])
def test_a_time_that_no_field_holds_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"rtt is .* from 0 s to below 16 s"):
        Header(seconds, 0).encode()


def decided(capacity: float | str) -> Router:
    """Ten packets of 1000 B of a flow with RTT 100 ms and a packet every 10 ms, in the first interval of 50 ms."""
    router = Router(capacity)
    for packet in range(10):
        router.on_packet(0.005 * packet, Header(0.1, 0.01), 1000)
    router.on_timer(0.05)
    return router


@pytest.mark.parametrize(
    ("header", "size", "reason"),
    [
        (Header(0.1, 0.01, 2**31), 1000, "delta_throughput is 2147483648, must be from -2147483648 to 2147483647 B/s"),
        (Header(0.1, 0.01, 0, -(2**31) - 1), 1000, "reverse_feedback is -2147483649, must be from -2147483648"),
        (Header(0.1, 0.01), -1, "size is -1, must be from 0 to 4294967295 B"),
    ],
)
def test_a_number_that_no_field_holds_is_refused(header: Header, size: int, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Router("10 Mbps").on_packet(0.1, header, size)


def test_spare_capacity_is_given_away_within_an_interval() -> None:
    # y = 10 kB / 50 ms; F = 0.4 · (10^6 - 2·10^5) = 320 000 B/s; ΣX = 0.1 s, so 32 000 B/s for X = 10 ms.
    router = decided("8 Mbps")
    assert router.figures is not None
    assert router.figures.feedback == pytest.approx(320_000)
    assert (router.figures.shuffled, router.figures.input_bytes) == (0, 10_000)
    assert router.figures.mean_rtt_s == pytest.approx(0.1)
    grants = [router.on_packet(0.06, Header(0.1, 0.01), 1000) for _ in range(11)]
    assert [grant.delta_throughput for grant in grants if grant] == [32_000] * 10 + [0]


def test_the_capacity_can_change_at_any_time() -> None:
    router = decided(8_000_000)
    router.capacity = "0 bps"  # type: ignore[assignment]
    assert router.capacity == 0
    router.on_packet(0.1, Header(0.1, 0.01), 1000)
    router.on_timer(0.16)
    assert router.figures is not None
    assert router.figures.capacity_bps == 0
    assert router.figures.feedback < 0


def test_absurd_headers_are_cut_and_counted() -> None:
    router = decided("1.6 Mbps")
    slowed = router.on_packet(0.06, Header(0.1, 0.01, -(2**31)), 1000)
    assert slowed is not None
    assert slowed.delta_throughput == -10_000, "1000 B per 100 ms is all that the packet stands for"
    router.on_packet(0.06, Header(0.1, 5.0), 1000)
    router.on_packet(0.06, Header(0.0, 5.0), 1000)
    assert router.violations == 3


def test_dropped_packets_and_others_traffic_are_input() -> None:
    router = Router("8 Mbps")
    assert router.on_packet(0, None, 300) is None
    assert router.on_packet(0, Header(0.1, 0.01), 1000, dropped=True) is None
    router.on_timer(0.05)
    assert router.figures is not None
    assert router.figures.input_bytes == 1300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"capacity": "10"}, "capacity is '10'.*unit is missing"),
        ({"capacity": -1}, "capacity is -1"),
        ({"capacity": float("nan")}, "capacity is NaN"),
        ({"capacity": 1e9, "alpha": float("nan")}, "alpha must be from 0 to 1"),
        ({"capacity": 1e9, "unclaimed": "kept"}, "unclaimed must be"),
    ],
)
def test_a_wrong_parameter_is_named(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Router(**arguments)  # type: ignore[arg-type]


def test_a_receiver_adds_up_and_starts_anew() -> None:
    receiver = Receiver()
    receiver.on_header(Header(0.1, 0.01, 300))
    receiver.on_header(Header(0.1, 0.01, -100))
    assert receiver.acknowledge() == Header(0, 0, 0, 200, minimal=True)
    assert receiver.acknowledge().reverse_feedback == 0


def test_feedback_moves_the_window_by_srtt() -> None:
    # Paper 003 §4.2: 600 kb/s at 20 ms are a packet of 1500 B.
    sender = Sender("xcp", mss=1500, initial_window=4)
    sender.write(100)
    assert sender.header == Header(0, 0, 0)
    sender.on_ack(0.02, 1500, feedback=75_000)
    assert sender.cwnd_segments == 4, "without an RTT sample there is nothing to multiply with"
    sender.on_ack(0.02, 3000, feedback=75_000)
    assert sender.cwnd_segments == 5
    assert sender.header == (pytest.approx(0.02, abs=1e-8), pytest.approx(0.004, abs=1e-8), GREEDY, 0, 6, False)
    assert Sender("reno").header is None


@pytest.mark.parametrize(("duplicate_acks", "segments"), [("obey", 6), ("ignore", 5)])
def test_feedback_on_an_ack_of_nothing_new_is_obeyed_or_ignored(
    duplicate_acks: Literal["obey", "ignore"], segments: int
) -> None:
    sender = Sender("xcp", mss=1500, initial_window=4, duplicate_acks=duplicate_acks)
    sender.write(100)
    sender.on_ack(0.02, 1500)
    sender.on_ack(0.02, 3000, feedback=75_000)
    sender.on_ack(0.02, 3000, sack=[(4500, 6000)], feedback=75_000)
    assert sender.cwnd_segments == segments


@given(st.binary(max_size=40))
def test_any_bytes_are_a_header_or_an_error(data: bytes) -> None:
    try:
        header = Header.decode(data)
    except ValueError:
        return
    assert Header.decode(header.encode()) == header
