"""Every window law draws its sawtooth: one flow, 10 Mb/s, a round trip of 100 ms, buffers of 20 to 120 packets.

The table is `tests/golden/sawtooth.txt`; `PHOTOCOL_GOLDEN=write` and this file under pytest write it anew.
`bench/ns2/sawtooth.tcl` has made ns-2's figures in `bench/ns2/sawtooth.csv`. What is asked of each law was written down
before the first run: at least ns-2's goodput less 5 %, at most two timeouts after the first 10 s, and no more than the
payload's share of the capacity.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import photocol
from photocol import _core

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "sawtooth.txt"
BUFFERS = (20, 40, 60, 83, 120)
MOST_BPS = 10e6 * 1460 / 1500 + 1460 * 8 / 50
"""The payload's share of the capacity, and the packet under way when the 50 s begin."""
NS2 = {
    "reno": "Reno",
    "newreno": "Newreno",
    "sack": "Sack1",
    "highspeed": "highspeed",
    "cubic": "linux-cubic",
    "westwood+": "linux-westwood",
    "vegas": "Vegas",
}
"""Laws that ns-2 has, and what they are called there."""
RECOVERIES = ("sack", "linux", "rack")
NO_SAWTOOTH = {"xcp", "python", "ndp", "udp", "swift", "abc"}
"""They have no window of their own: routers, a queue, a user, the receiver, or nobody says how much may be in flight.
Swift's target is the delay of a data centre, a hundredth of this path's.
"""


@dataclass(frozen=True)
class Row:
    """A law with a recovery, over the buffers."""

    law: str
    recovery: str
    goodput_mbps: tuple[float, ...]
    timeouts: tuple[int, ...]
    late_timeouts: tuple[int, ...]

    def __str__(self) -> str:
        goodput = " ".join(f"{one:5.2f}" for one in self.goodput_mbps)
        timeouts = " ".join(f"{all_}/{late}" for all_, late in zip(self.timeouts, self.late_timeouts, strict=True))
        return f"{self.law:<12}{self.recovery:<9}{goodput}   {timeouts}"


def run(law: str, recovery: str, buffer: int) -> tuple[float, int, int]:
    """Goodput from 10 to 60 s in Mb/s; timeouts in all, and after 10 s."""
    transport = {"algorithm": law} | ({} if recovery == "own" else {"recovery": recovery})
    scenario = {
        "run": {"duration": "60 s", "warm_up": "10 s"},
        "topology": {
            "kind": "dumbbell",
            "bottleneck_capacity": "10 Mbps",
            "bottleneck_delay": "48 ms",
            "bottleneck_buffer": f"{buffer} packets",
        },
        "transport": {"law": transport},
        "traffic": [{"transport": "law", "from": "l0", "to": "r0"}],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Laws that count marks say that nothing marks here.
        result = photocol.run(scenario)
        early = photocol.run(scenario, set={"run.duration": "10 s", "run.warm_up": "0 s"})
    timeouts = int(result.flows["timeouts"].sum())
    return result.summary["goodput"] / 1e6, timeouts, timeouts - int(early.flows["timeouts"].sum())


def rows() -> list[Row]:
    """Laws that ns-2 has with every recovery, others with their own."""
    found = []
    for law, *_ in _core.catalogue("transports"):
        if law in NO_SAWTOOTH:
            continue
        for recovery in ("own", *(RECOVERIES if law in NS2 else ())):
            goodput, timeouts, late = zip(*(run(law, recovery, buffer) for buffer in BUFFERS), strict=True)
            found.append(Row(law, recovery, goodput, timeouts, late))
    return found


@pytest.fixture(scope="module")
def table() -> list[Row]:
    return rows()


def test_the_table_is_the_recorded_one(table: list[Row]) -> None:
    head = f"{'law':<12}{'recovery':<9}{' '.join(f'{buffer:5d}' for buffer in BUFFERS)}   timeouts in all/after 10 s"
    text = "\n".join(["goodput in Mb/s with buffers of so many packets", head, *map(str, table)]) + "\n"
    if os.environ.get("PHOTOCOL_GOLDEN") == "write":
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_a_law_that_ns_2_has_carries_what_it_does_there(table: list[Row]) -> None:
    ns2 = pl.read_csv(ROOT / "bench" / "ns2" / "sawtooth.csv")
    there = {(law, buffer): goodput for law, buffer, goodput, *_ in ns2.iter_rows()}
    short = [
        f"{row.law}, {row.recovery}, {buffer} packets: {goodput:.2f} Mb/s, {there[NS2[row.law], buffer]:.2f} in ns-2"
        for row in table
        if row.law in NS2
        for buffer, goodput in zip(BUFFERS, row.goodput_mbps, strict=True)
        if goodput < 0.95 * there[NS2[row.law], buffer]
    ]
    assert short == []


def test_no_law_falls_into_timeouts(table: list[Row]) -> None:
    assert [str(row) for row in table if max(row.late_timeouts) > 2] == []


def test_no_law_carries_more_than_the_payloads_share(table: list[Row]) -> None:
    assert [str(row) for row in table if max(row.goodput_mbps) * 1e6 > MOST_BPS] == []
