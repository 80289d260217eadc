"""Packets over contacts are replayed: each has the delay that the file says, to the picosecond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import photocol
from photocol.runs.replay import load, replay
from photocol.runs.replay.contacts import Law, laws

if TYPE_CHECKING:
    from pathlib import Path

MS, S = 10**9, 10**12
FILE = f"""photocol-contacts,1
node,A,station,0,0
node,B,station,1,1
node,"S, 1",satellite,,
contact,0,2,0,{100 * MS},9000000000 8900000007 8800000021 8700000021 8600000021
contact,0,2,{S},{100 * MS},7000000000 7000000011 7000000111 7000000112 7000000113
contact,1,2,0,{100 * MS},{" ".join(str(5 * MS + 7 * step) for step in range(20))}
route,0,0,1,0 2 1
route,0,1,0,1 2 0
"""
"""A is in contact until 0.5 s, and from 1 to 1.5 s; packets take the way all the time."""


def scenario(file: Path, **keys: Any) -> dict[str, Any]:
    """A packet of 1250 B in each 0.97 ms of a link of 20 Mb/s, and TCP back."""
    return {
        "run": {"duration": "2 s"},
        "topology": {"kind": "contacts", "path": str(file), "laser_capacity": "20 Mbps", **keys}
        | {"ground_capacity": "20 Mbps"},
        "transport": {"udp": {"algorithm": "udp", "packet_size": "1250 B"}},
        "traffic": [
            {"transport": "udp", "load": "constant", "rate": "10.31 Mbps", "from": "A", "to": "B"},
            {"transport": "newreno", "from": "B", "to": "A"},
        ],
        "trace": {"enabled": True, "limit": 1_000_000},
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "contacts.csv"
    place.write_text(FILE)
    return place


def test_a_law_is_what_its_times_say() -> None:
    """100 at 0, 70 at 10 and 90 at 20: at 5 half of the way, at 11 and 13 a tenth and three of 20; none from 30 on."""
    times, delays = np.array([0, 10, 20, 30]), np.array([100, 70, 90, 0])
    asked = np.array([0, 5, 9, 10, 11, 13, 20, 25, 31])
    assert Law(times, delays, is_linear=False).at(asked).tolist() == [100, 100, 100, 70, 70, 70, 90, 90, 0]
    assert Law(times, delays, is_linear=True).at(asked).tolist() == [100, 85, 73, 70, 72, 76, 90, 90, 0]
    # A rise of a microsecond over an hour is beyond 64 bits.
    hour = Law(np.array([0, 3600 * S]), np.array([1, 1 + 10**6 * 3600]), is_linear=True)
    assert hour.at(np.array([1800 * S])).tolist() == [1 + 10**6 * 1800]


@pytest.mark.parametrize("gone", ["lost", "delivered"])
@pytest.mark.parametrize("form", ["linear", "steps"])
def test_every_packet_has_the_delay_of_its_contact(file: Path, tmp_path: Path, form: str, gone: str) -> None:
    photocol.run(scenario(file, delay_law=form, gone=gone), out=tmp_path / "run")
    found = replay(tmp_path / "run")
    assert found.breaches == []
    assert {"delay (4 of 4 links)", "rate (4 of 4 links)", "no idle transmitter (4 of 4 links)"} <= set(found.checked)
    drops = pl.read_parquet(tmp_path / "run" / "drops.parquet").filter(pl.col("cause") == "out of sight")["units"].sum()
    assert (drops > 900) == (gone == "lost")


def test_a_delay_that_is_off_by_a_picosecond_is_named(file: Path, tmp_path: Path) -> None:
    photocol.run(scenario(file), out=tmp_path / "run")
    trace = pl.read_parquet(tmp_path / "run" / "trace.parquet")
    is_one = (pl.col("event") == "pass") & (pl.col("place") == "A->S, 1") & (pl.int_range(pl.len()) > 500)
    row = trace.with_row_index("row").filter(is_one)["row"][0]
    for off, wanted in ((1, "later"), (-1, "sooner")):
        flight = pl.col("flight_ps") + pl.when(pl.int_range(pl.len()) == row).then(off).otherwise(0)
        kind = trace.schema["flight_ps"]
        trace.with_columns(flight.cast(kind)).write_parquet(tmp_path / "run" / "trace.parquet")
        breaches = replay(tmp_path / "run").breaches
        assert any(one.startswith("A->S, 1 at ") and f"arrives {wanted} than its fibre" in one for one in breaches)


def test_without_its_file_it_is_said_that_delays_are_not_checked(file: Path, tmp_path: Path) -> None:
    photocol.run(scenario(file) | {"run": {"duration": "0.2 s"}}, out=tmp_path / "run")
    file.unlink()
    found = replay(tmp_path / "run")
    assert found.breaches == []
    assert any(one.startswith("not checked: delay at A->S, 1") for one in found.unchecked)
    links = load(tmp_path / "run").network.links.values()
    assert {link.unknown for link in links} == {"its file of contacts cannot be read again"}


def test_between_two_contacts_there_is_no_link_or_its_last_delay(file: Path) -> None:
    """The first ends a step after its last time, at 0.5 s; the second begins at 1 s and ends at 1.5 s."""
    asked = np.array([0, 450 * MS, 500 * MS, 999 * MS, S, 1450 * MS, 1700 * MS])
    lost = laws({"path": str(file), "gone": "lost", "delay_law": "linear"})["S, 1->A"].at(asked)
    last = [8_600_000_021, 7_000_000_113]
    assert lost.tolist() == [9_000_000_000, last[0], 0, 0, 7_000_000_000, last[1], 0]
    kept = laws({"path": str(file), "gone": "delivered", "delay_law": "linear"})["A->S, 1"].at(asked)
    assert kept.tolist() == [9_000_000_000, last[0], last[0], last[0], 7_000_000_000, last[1], last[1]]
