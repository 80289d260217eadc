"""A delay that is a law of time, against whole numbers of Python: arrival = departure + law(departure)."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

import polars as pl
import pytest

import photocol
from photocol.runs.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:.*threads worked")
MS = 10**9
"""Picoseconds."""
KNOTS_US = {0: 9000, 70: 8700, 300: 8995, 301: 8000, 650: 2500, 1400: 6100}
"""Microseconds at milliseconds: rises, and falls, one of nearly as much as the time that passes."""


def said(at: int, *, is_linear: bool, period_ms: int | None) -> int:
    """The delay at a picosecond, in picoseconds."""
    times = [ms * MS for ms in KNOTS_US]
    delays = [us * 10**6 for us in KNOTS_US.values()]
    if period_ms is not None:
        at %= period_ms * MS
        times.append(period_ms * MS)
        delays.append(delays[0])
    place = bisect.bisect(times, at) - 1
    if not is_linear or place + 1 == len(times):
        return delays[place]
    rise, span = delays[place + 1] - delays[place], times[place + 1] - times[place]
    return delays[place] + rise * (at - times[place]) // span


def run(folder: Path, law: str, period_ms: int | None, **options: object) -> photocol.Result:
    lines = "".join(f"{ms},{us}\n" for ms, us in KNOTS_US.items())
    (folder / "law.csv").write_text(f"time_ms,delay_us\n{lines}")
    period = f'period = "{period_ms} ms"' if period_ms else ""
    (folder / "law.toml").write_text(f"""
        run = {{ duration = "3 s" }}
        link = [
            {{ from = "a", to = "u", capacity = "100 Mbps", delay = "1 ms", buffer = "30 packets" }},
            {{ from = "u", to = "b", capacity = "12 Mbps", delay = "5 ms", buffer = "30 packets" }},
        ]
        traffic = [
            {{ transport = "cubic", from = "a", to = "b", flows = 3 }},
            {{ transport = "cubic", from = "b", to = "a" }},
        ]
        trace = {{ enabled = true, limit = 1000000 }}
        [[link_trace]]
        link = "u-b"
        file = "law.csv"
        delay_law = "{law}"
        {period}
        """)
    return photocol.run(folder / "law.toml", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("period_ms", [None, 1500])
@pytest.mark.parametrize("law", ["steps", "linear"])
def test_each_packet_flies_as_long_as_the_law_says_when_it_leaves(
    tmp_path: Path, law: str, period_ms: int | None
) -> None:
    """One that would come before the packet ahead of it comes with that packet: where the delay steps down, and nowhere
    on a line, as no delay falls faster than time passes."""
    trace = run(tmp_path, law, period_ms).trace
    assert trace is not None
    held = 0
    for place in ("u->b", "b->u"):
        sent = trace.filter(pl.col("event").cast(pl.String) == "pass", pl.col("place").cast(pl.String) == place)
        ends = (sent["t_ps"] + sent["wait_ps"] + sent["lasts_ps"]).to_list()
        before = 0
        for end, flight in zip(ends, sent["flight_ps"].to_list(), strict=True):
            arrives = end + said(end, is_linear=law == "linear", period_ms=period_ms)
            held += arrives < before
            before = max(before, arrives)
            assert end + flight == before
        assert len(ends) > 1000
    assert (held > 0) == (law == "steps")


@pytest.mark.parametrize("law", ["steps", "linear"])
def test_a_law_is_the_same_bits_on_1_2_and_5_threads(tmp_path: Path, law: str) -> None:
    alone, *others = (run(tmp_path, law, None, threads=threads) for threads in (1, 2, 5))
    for other in others:
        assert other.fingerprint == alone.fingerprint
        assert other.flows.equals(alone.flows)


def test_a_replay_knows_the_steps_of_a_law_and_says_that_it_knows_no_line(tmp_path: Path) -> None:
    for law, is_known in (("steps", True), ("linear", False)):
        run(tmp_path, law, None, out=tmp_path / law)
        found = replay(tmp_path / law)
        assert found.breaches == []
        assert any("the delay of the link is not known" in sentence for sentence in found.unchecked) != is_known
