"""The instant at which a receiver has all of a flow, by arithmetic and beside the trace of its last link."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import photocol

DELAY_S, RATE_BPS, PACKET, HEADER, ACK = 1e-3, 10e6, 1500, 40, 40
"""One link: of a packet of 1500 B the last bit is there 2.2 ms after its first has left."""

PATIENT = {"paws_slack": "1 s"}
"""By PAWS (RFC 7323) a receiver refuses segments that others have overtaken, of which the trace does not know."""
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "sack": (40, {"algorithm": "sack"}),
    "delayed": (40, {"algorithm": "reno", "delayed_ack": "40 ms"}),
    "no-sack": (40, {"algorithm": "newreno"}),
    "linux-cubic": (52, {"algorithm": "linux-cubic", **PATIENT}),
    "linux-bbr": (52, {"algorithm": "linux-bbr", **PATIENT}),
    "closing": (52, {"algorithm": "cubic", "handshake": True, "teardown": True, "timestamps": True} | PATIENT),
    "small-window": (40, {"algorithm": "sack", "receiver_window": "5 packets"}),
    "dctcp": (40, {"algorithm": "dctcp"}),
    "swift": (40, {"algorithm": "swift", "base_target": "20 ms"}),
    "xcp": (60, {"algorithm": "xcp"}),
    "hpcc": (82, {"algorithm": "hpcc"}),
    "ndp": (64, {"algorithm": "ndp", "resend_after": "50 ms", "first_window": 8}),
    "quic": (66, {"algorithm": "quic-cubic"}),
}
"""By kind of host: the header of a packet with data, and its keys."""
PORTS: dict[str, dict[str, Any]] = {"xcp": {"xcp": {}}, "ndp": {"queue": {"kind": "ndp"}}}
MARKING = {"queue": {"kind": "step", "threshold": "3 packets"}}


def one_link(transport: dict[str, Any], size: int) -> dict[str, Any]:
    return {
        "run": {"duration": "1 s"},
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"from": "a", "to": "b", "capacity": "10 Mbps", "delay": "1 ms", "buffer": "unlimited"}],
        "transport": {"it": transport},
        "traffic": [{"transport": "it", "from": "a", "to": "b", "size": f"{size} B", "start": "5 ms"}],
    }


def test_one_packet_is_there_when_its_last_bit_is_and_acknowledged_later() -> None:
    transport = {"algorithm": "reno", "delayed_ack": "40 ms"}
    row = photocol.run(one_link(transport, PACKET - HEADER)).flows.row(0, named=True)
    delivered_s = 5e-3 + 8 * PACKET / RATE_BPS + DELAY_S
    assert row["delivered_s"] == pytest.approx(delivered_s, abs=1e-12)
    assert row["end_s"] == pytest.approx(delivered_s + 40e-3 + 8 * ACK / RATE_BPS + DELAY_S, abs=1e-12)
    assert row["completion_s"] == pytest.approx(8 * PACKET / RATE_BPS + DELAY_S, abs=1e-12)
    assert row["slowdown"] == pytest.approx(1)


def test_the_last_ack_of_linux_comes_40_ms_later() -> None:
    """With headers of 52 B 30 kB are 21 packets: 16 are acknowledged at once, and then every second one."""
    row = photocol.run(one_link({"algorithm": "linux-cubic"}, 30_000)).flows.row(0, named=True)
    assert row["end_s"] - row["delivered_s"] == pytest.approx(40e-3 + 8 * (ACK + 12) / RATE_BPS + DELAY_S, abs=1e-12)


def test_completion_at_the_sender_is_a_choice() -> None:
    scenario = one_link({"algorithm": "reno", "delayed_ack": "40 ms"}, PACKET - HEADER)
    result = photocol.run(scenario, set={"run.completion": "acknowledged"})
    row = result.flows.row(0, named=True)
    alone_s = 8 * (PACKET + ACK) / RATE_BPS + 2 * DELAY_S
    assert row["delivered_s"] == pytest.approx(5e-3 + 8 * PACKET / RATE_BPS + DELAY_S, abs=1e-12)
    assert row["completion_s"] == row["end_s"] - row["start_s"] == pytest.approx(alone_s + 40e-3)
    assert row["slowdown"] == pytest.approx((alone_s + 40e-3) / alone_s)
    assert result.summary["mean_completion_time"].value == row["completion_s"]


def test_what_has_not_all_come_is_not_delivered() -> None:
    """At 1 s a flow of 2 MB has 1 s · 10 Mb/s less than it needs; one without a size is never all there."""
    scenario = one_link({"algorithm": "sack"}, 2_000_000)
    scenario["traffic"].append({"transport": "it", "from": "a", "to": "b"})
    scenario["traffic"].append({"transport": "udp", "from": "a", "to": "b", "rate": "1 kbps"})
    flows = photocol.run(scenario).flows
    assert flows["delivered_s"].null_count() == flows["completion_s"].null_count() == flows.height == 3


def test_the_last_ack_may_come_after_the_end_of_the_run() -> None:
    """Its packet is there at 7.2 ms, its ACK at 47.2 + 1.032 ms."""
    scenario = one_link({"algorithm": "reno", "delayed_ack": "40 ms"}, PACKET - HEADER)
    result = photocol.run(scenario, set={"run.duration": "20 ms"})
    row = result.flows.row(0, named=True)
    assert (row["completed"], row["delivered_s"]) == (False, pytest.approx(7.2e-3, abs=1e-12))
    assert (result.summary["flows_completed"].value, result.summary["unfinished_flows"].value) == (1, 0)
    asked = photocol.run(scenario, set={"run.duration": "20 ms", "run.completion": "acknowledged"})
    assert (asked.summary["flows_completed"].value, asked.summary["unfinished_flows"].value) == (0, 1)


@pytest.mark.parametrize("kind", ["sack", "linux-cubic", "xcp", "ndp", "quic"])
def test_a_flow_that_work_lets_go_is_delivered_when_its_transfer_is_done(kind: str) -> None:
    """Work hears of arrivals by another way: its table is the second source."""
    scenario = {
        "run": {"duration": "2 s"},
        "topology": {"kind": "star", "leaves": 4},
        "link_defaults": {"capacity": "100 Mbps", "delay": "100 us", "buffer": "unlimited", **PORTS.get(kind, {})},
        "transport": {"it": KINDS[kind][1]},
        "traffic": [
            {
                "transport": "it",
                "work": {"collective": "all-reduce", "algorithm": "ring", "size": "200 kB", "connections": "each"},
            }
        ],
    }
    result = photocol.run(scenario)
    sent = result.probes["tasks"].filter(pl.col("kind").cast(pl.String) == "transfer").sort("start_s", "rank", "to")
    flows = result.flows.sort("start_s", "source", "destination")
    assert flows.height == sent.height == 4 * 6
    assert flows["delivered_s"].to_list() == pytest.approx(sent["end_s"].to_list(), abs=1e-12)
    assert (flows["delivered_s"] <= flows["end_s"]).all()


def arrivals(result: photocol.Result, flow: int) -> pl.DataFrame:
    """What comes to the receiver by the last link: when (ps), from which byte on, and how many."""
    assert result.trace is not None
    last = result.trace.filter(
        (pl.col("place").cast(pl.String) == "x->b")
        & (pl.col("event").cast(pl.String) == "pass")
        & (pl.col("class").cast(pl.String) == "data")
        & (pl.col("flow") == flow)
    )
    there = pl.sum_horizontal("t_ps", "wait_ps", "lasts_ps", "flight_ps")
    return last.select(there.alias("there_ps"), "unit", "bytes").sort("there_ps", maintain_order=True)


def first_instant_with_all(came: pl.DataFrame, size: int, header: int, *, is_numbered: bool) -> int | None:
    """The first instant at which bytes 0 to `size` are there; packets of QUIC do not say which bytes they have."""
    there = 0
    held: dict[int, int] = {}
    for at, first, wire in came.iter_rows():
        held[first] = max(held.get(first, 0), first + wire - header)
        if is_numbered:
            there = sum(end - number for number, end in held.items())
        else:
            for begin in sorted(held):
                there = max(there, held[begin]) if begin <= there else there
        if there >= size:
            return int(at)
    return None


FATES = st.lists(
    st.tuples(
        st.integers(0, 25),
        st.integers(1, 2),
        st.sampled_from([{"action": "drop"}, {"action": "delay", "delay": "7 ms"}, {"action": "duplicate"}]),
    ),
    max_size=5,
    unique_by=lambda fate: fate[:2],
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(fates=FATES, size=st.integers(1, 40_000), loss=st.sampled_from([0.0, 0.05]), jitter=st.booleans())
def test_it_is_the_first_instant_at_which_the_trace_has_all(
    kind: str, fates: list[tuple[int, int, dict[str, str]]], size: int, loss: float, *, jitter: bool
) -> None:
    """A flow that meets another one before two links, of which the first loses packets and the last disorders them."""
    header, transport = KINDS[kind]
    is_numbered = kind == "quic"
    disorder = {"jitter": "5 ms", "jitter_order": "free"} if jitter else {}
    scenario = {
        "run": {"duration": "20 s"},
        "node": [{"name": "a"}, {"name": "x", "role": "core"}, {"name": "b"}],
        "link_defaults": {"capacity": "10 Mbps", "delay": "1 ms", "buffer": "12 packets", **PORTS.get(kind, MARKING)},
        "link": [
            {"from": "a", "to": "x", "duplex": False, "loss": loss, "buffer": "unlimited"},
            {"from": "x", "to": "b", "duplex": False, "capacity": "5 Mbps", **disorder},
            {"from": "b", "to": "a", "duplex": False, "loss": loss},
        ],
        "transport": {"it": transport},
        "traffic": [
            {"transport": "it", "from": "a", "to": "b", "size": f"{size} B", "start": "5 ms"},
            {"transport": "it", "from": "a", "to": "b", "size": "9 kB"},
        ],
        "force": [{"flow": 1, "segment": segment, "copy": copy, **what} for segment, copy, what in fates],
        "trace": {"limit": 1_000_000},
    }
    result = photocol.run(scenario)
    for row in result.flows.iter_rows(named=True):
        if is_numbered and row["retransmissions"]:
            continue
        came = arrivals(result, row["flow"])
        there_ps = first_instant_with_all(came, row["size_bytes"], header, is_numbered=is_numbered)
        assert (row["delivered_s"] is None) == (there_ps is None)
        if there_ps is not None:
            assert row["delivered_s"] == pytest.approx(there_ps * 1e-12, abs=1e-12)
        if row["completed"]:
            assert row["delivered_s"] <= row["end_s"]
