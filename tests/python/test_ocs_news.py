"""Senders that are told of the circuits of their pair: beside the table of circuits, by a second program."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import photocol

GBPS, PACKETS_GBPS, END_S = 400, 25, 1.0
NEWS = tuple[float, str, "int | None", float, float]


def run(news: dict[str, Any], **switching: Any) -> tuple[list[NEWS], pl.DataFrame]:
    """What the sender of the first task from n0 to n2 hears, (now, turn, division, bit/s, time), and the circuits."""
    told: dict[int, list[NEWS]] = {}

    @photocol.law
    class Listens:
        def on_ack(self, window: Any, event: Any) -> None:
            window.cwnd += min(event.acked, window.mss)

        def on_news(self, window: Any, news: Any) -> None:
            of_flow = told.setdefault(id(self), [])
            of_flow.append((news.now, news.turn, news.division, news.capacity, news.at))

    result = photocol.run(
        {
            "run": {"duration": f"{END_S} s"},
            "topology": {
                "kind": "ocs",
                "hosts": 8,
                "switches": 2,
                "capacity": f"{GBPS} Gbps",
                "delay": "20 us",
                "packet_capacity": f"{PACKETS_GBPS} Gbps",
            },
            "switching": {"kind": "ocs", "reconfiguration": "200 us", **switching},
            "transport": {"it": {"law": Listens, "mss": 8000}},
            "traffic": [
                {
                    "transport": "it",
                    "work": {"collective": "all-reduce", "algorithm": "halving-doubling", "size": "8 MB"},
                }
            ],
            "news": [{"circuit": "n0->n2", **news}],
        }
    )
    assert len(told) == 1, "one pair is told, and it has one flow"
    return next(iter(told.values())), result.probes["circuits"]


def changes(circuits: pl.DataFrame, without: float) -> list[tuple[float, str, int | None, float]]:
    """What a pair has from when on, of the rows of its circuits: (time, turn, division, bit/s)."""
    text = circuits.with_columns(pl.col("from").cast(pl.String), pl.col("to").cast(pl.String))
    own = text.filter((pl.col("from") == "n0") & (pl.col("to") == "n2"))
    times = sorted({*own["start_s"], *own["end_s"]})
    found, before = [], without
    for at in times:
        count = own.filter((pl.col("start_s") <= at) & (pl.col("end_s") > at)).height
        now = count * GBPS * 1e9 if count else without
        if now != before:
            number = count if now else None
            found.append((at, "up" if now > before else "down", number, now))
        before = now
    return found


@pytest.mark.parametrize("policy", ["per-step", "overlap", "demand"])
@pytest.mark.parametrize(("rest", "without"), [("wait", 0.0), ("packets", PACKETS_GBPS * 1e9)])
def test_a_message_comes_its_delay_after_each_change(policy: str, rest: str, without: float) -> None:
    heard, circuits = run({"way": "message", "delay": "30 us"}, policy=policy, rest=rest)
    expected = [row for row in changes(circuits, without) if row[0] < END_S]
    assert expected
    assert [(row[1], row[2], row[3]) for row in heard] == [row[1:] for row in expected]
    for (now, *_, at), (change, *_) in zip(heard, expected, strict=True):
        assert at == pytest.approx(change, abs=1e-12)
        assert now == pytest.approx(change + 30e-6, abs=1e-12)


def test_a_schedule_is_known_from_the_decision_on_and_no_earlier() -> None:
    """A turn takes 200 us: a lead of 1 s is 200 us for a circuit that comes, and nothing for one that goes."""
    for lead, ahead in (("1 s", 200e-6), ("50 us", 50e-6)):
        heard, _ = run({"way": "schedule", "lead": lead}, policy="per-step", start="cold")
        early = {turn: at - now for now, turn, _, _, at in heard}
        assert early == {"up": pytest.approx(ahead, abs=1e-12), "down": pytest.approx(0, abs=1e-12)}


@pytest.mark.parametrize(
    ("news", "why"),
    [
        ({"way": "mark"}, "nothing marks what leaves by these ways"),
        ({"way": "schedule", "time_error": "1 us"}, "a policy sets these circuits as the work goes on"),
        ({"way": "message", "capacity_error": 0.1}, "a policy sets these circuits as the work goes on"),
        ({"way": "message", "circuit": "n0->n9"}, 'found "n0->n9"; allowed: two nodes with ports'),
        ({"way": "message", "circuit": "n0->o0"}, "allowed: two nodes with ports"),
    ],
)
def test_what_cannot_be_told_is_refused(news: dict[str, Any], why: str) -> None:
    with pytest.raises(photocol.ScenarioError, match=re.escape(why)):
        run(news, policy="per-step")


def test_the_base_round_trip_is_what_an_empty_way_takes() -> None:
    """Of 8000 B, on the wire, and an ACK of 40 B: by a circuit of 400 Gb/s 160 ns and 20 us, by packets 2560 ns on each
    of two links, and 20 us; the ACK by packets, 12.8 ns on each. A transfer of a packet measures the same.
    """
    told: list[tuple[int | None, float | None]] = []
    measured: list[float] = []

    @photocol.law
    class Listens:
        def on_ack(self, window: Any, event: Any) -> None:
            measured.append(event.rtt_sample)

        def on_news(self, window: Any, news: Any) -> None:
            told.append((news.division, news.base_rtt))

    made: dict[str, Any] = {
        "run": {"duration": "1 ms"},
        "topology": {
            "kind": "ocs",
            "hosts": 3,
            "capacity": f"{GBPS} Gbps",
            "delay": "20 us",
            "packet_capacity": f"{PACKETS_GBPS} Gbps",
        },
        "switching": {
            "kind": "ocs",
            "reconfiguration": "100 us",
            "policy": "demand",
            "rest": "packets",
            "start": "warm",
        },
        "transport": {"it": {"law": Listens, "packet_size": 8000}},
        "traffic": [
            {"transport": "it", "among": ["n0", to], "work": {"collective": "broadcast", "size": "7960 B", **when}}
            for to, when in (("n1", {}), ("n2", {"compute": "300 us"}))
        ],
        "news": [{"circuit": "n0->n1", "way": "message"}],
    }
    photocol.run(made)
    back = 20e-6 + 2 * 40 * 8 / (PACKETS_GBPS * 1e9)
    by_circuit = 8000 * 8 / (GBPS * 1e9) + 20e-6 + back
    by_packets = 2 * 8000 * 8 / (PACKETS_GBPS * 1e9) + 20e-6 + back
    expected = [(1, pytest.approx(by_circuit, abs=1e-12)), (0, pytest.approx(by_packets, abs=1e-12))]
    assert told == expected
    assert measured == [pytest.approx(by_circuit, abs=1e-12), pytest.approx(by_packets, abs=1e-12)]
