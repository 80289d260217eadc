"""`photocol orbits --traces`: files for `[[link_trace]]`, and runs over them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import photocol as command

import photocol
from photocol import InputError
from photocol.cli import DONE, WRONG_INPUT
from photocol.orbits.routes import Change, Route
from photocol.orbits.traces import file_names, link_trace

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "constellations.md"
STEP_PS = 100 * 10**9
ROUNDED_PS = 2
"""A delay is a whole picosecond, and the jitter of the page adds at most one."""
PACKET_PS = 1500 * 8 * 10**5
"""1500 bytes at 10 Mb/s."""


def blocks() -> dict[str, str]:
    """The files of the page's two sections, and the command that makes the traces."""
    text = PAGE.read_text()
    flow = text[text.index("## A flow over a pair's path") :]
    return {
        "leo.toml": re.findall(r"```text\n(.*?)```", text, re.DOTALL)[0],
        "flow.toml": re.findall(r"```text\n(.*?)```", flow, re.DOTALL)[0],
        "command": re.findall(r"```\nphotocol (.*?)\n```", flow)[0],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page has one do, for its pair and for one that is cut off, with the tables of both."""
    pytest.importorskip("sgp4")
    place = tmp_path_factory.mktemp("orbits")
    shown = blocks()
    stations = '"Manila", "Dalian", "Saint Petersburg"'
    (place / "leo.toml").write_text(shown["leo.toml"].replace('"Manila", "Dalian"', stations, 1))
    (place / "flow.toml").write_text(shown["flow.toml"])
    words = [place / word if word in ("leo.toml", "traces") else word for word in shown["command"].split()]
    words += ["--pair", "Manila", "Saint Petersburg", "--table", place / "steps.parquet"]
    done = command("orbits", *words[1:])
    assert done.returncode == DONE, done.stderr
    assert str(place / "traces" / "manila-to-dalian.csv") in done.stdout
    return place


def halves(folder: Path, target: str) -> list[float | None]:
    """Half of each round trip of the table in picoseconds, none while cut off."""
    steps = pl.read_parquet(folder / "steps.parquet").filter(pl.col("target") == target)
    return [None if trip is None else trip * 1e9 / 2 for trip in steps["round_trip_ms"].to_list()]


def route(*trips: float) -> Route:
    """A pair with these round trips, in steps of 100 ms."""
    return Route("A", "B", np.arange(len(trips)) / 10, np.array(trips), (Change(0, 0.0, ()),))


def test_rows_stand_where_the_delay_or_the_state_changes() -> None:
    nan = float("nan")
    assert link_trace(route(80, 80, 80.000000002, nan, nan, 60.5, nan, 60.5)).splitlines() == [
        "time_ms,delay_ms,state",
        "0,40,up",
        "200,40.000000001,",
        "300,,down",
        "500,30.25,up",
        "600,,down",
        "700,,up",
    ]
    assert link_trace(route(nan, nan)).splitlines() == ["time_ms,delay_ms,state", "0,,down"]


def test_times_are_exact() -> None:
    trips = np.arange(1000) + 1.0
    times = np.arange(1000) * 1_234_567 / 1e9
    text = link_trace(Route("A", "B", times, trips, (Change(0, 0.0, ()),)))
    found = [line.split(",")[0] for line in text.splitlines()[1:]]
    assert found == [
        f"{number * 1_234_567 // 10**6}.{number * 1_234_567 % 10**6:06}".rstrip("0").rstrip(".")
        for number in range(1000)
    ]


def test_files_are_named_after_pairs_and_two_that_would_be_one_are_refused() -> None:
    pairs = [("Rio de Janeiro", "São Paulo"), ("A/..", "B"), ("Rio de Janeiro", "São Paulo")]
    assert file_names(pairs) == ["rio-de-janeiro-to-são-paulo.csv", "a-to-b.csv", "rio-de-janeiro-to-são-paulo.csv"]
    with pytest.raises(InputError, match=r"a-to-b\.csv: found A – B and a – B; allowed: stations whose names differ"):
        file_names([("A", "B"), ("a", "B")])


def test_nothing_is_written_where_two_files_would_be_one(folder: Path) -> None:
    file = folder / "two.toml"
    station = '{{ name = "{}", latitude = {}, longitude = 0 }}'
    stations = ", ".join(station.format(name, place) for place, name in enumerate(("a b", "a.b", "c")))
    file.write_text(f'[topology]\nkind = "constellation"\nshell = "kuiper-630"\nstations = [{stations}]\n')
    words = ["--pair", "a b", "c", "--pair", "a.b", "c", "--duration", "1 s"]
    done = command("orbits", file, *words, "--traces", folder / "two")
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert "a-b-to-c.csv: found a b – c and a.b – c" in done.stderr
    assert not (folder / "two").exists()


def test_a_segment_of_the_page_goes_round_in_the_round_trip_of_the_table(folder: Path) -> None:
    """A window of one segment: nothing waits. Each way has the delay of the step in which its first bit leaves."""
    settings = {"transport.one": '{ algorithm = "newreno", max_window = "1 packet" }', "traffic.0.transport": "one"}
    done = photocol.run(folder / "flow.toml", set={**settings, "run.warm_up": "0 s", "trace.enabled": True})
    assert done.trace is not None
    half = halves(folder, "Dalian")
    event = pl.col("event").cast(pl.String)
    kinds = done.trace.with_columns(event, pl.col("place").cast(pl.String))
    sent = kinds.filter(event == "send")["t_ps"].to_list()
    heard = kinds.filter(event == "ack")["t_ps"].to_list()
    ways = kinds.filter(event == "pass").with_columns(left=pl.col("t_ps") + pl.col("wait_ps"))
    there = ways.filter(pl.col("place") == "Manila->Dalian")
    back = ways.filter(pl.col("place") == "Dalian->Manila")
    assert 4000 < len(heard) <= len(sent) == there.height
    steps = set()
    for number, (begins, ends) in enumerate(zip(sent, heard, strict=False)):
        data, ack = there.row(number, named=True), back.row(number, named=True)
        expected = data["lasts_ps"] + ack["lasts_ps"]
        expected += sum(half[one["left"] // STEP_PS] or 0 for one in (data, ack))
        assert data["lasts_ps"] == PACKET_PS
        assert ends - begins == pytest.approx(expected, abs=2 * ROUNDED_PS)
        steps.add(data["left"] // STEP_PS)
    assert len(steps) == len(half) == 2000


def udp(folder: Path, order: str, rate: str, trace: str) -> photocol.Result:
    """Datagrams of 1500 bytes over the page's link and another pair's trace."""
    settings = {"transport.plain": '{ algorithm = "udp", packet_size = "1500 B" }', "traffic.0.transport": "plain"}
    settings |= {
        "traffic.0.rate": rate,
        "link_trace.0.file": str(folder / "traces" / f"{trace}.csv"),
        "link.0.jitter_order": order,
    }
    measured = {"probe.reordering": True, "trace.enabled": True, "trace.limit": 1_000_000, "run.warm_up": "0 s"}
    return photocol.run(folder / "flow.toml", set=settings | measured)


def test_nothing_leaves_while_the_pair_is_cut_off(folder: Path) -> None:
    half = halves(folder, "Saint Petersburg")
    cut = [step for step, one in enumerate(half) if one is None]
    assert 0 < len(cut) < len(half)
    done = udp(folder, "free", "240 kbps", "manila-to-saint-petersburg")
    assert done.trace is not None
    rows = done.trace.with_columns(pl.col("event", "cause").cast(pl.String)).filter(pl.col("event") != "wait")
    begins = {"pass": set(), "drop": set()}
    for row in rows.filter(pl.col("event").is_in(list(begins))).iter_rows(named=True):
        step = row["t_ps"] // STEP_PS
        begins[row["event"]].add(step)
        if row["event"] == "pass":
            now = half[(row["t_ps"] + row["wait_ps"]) // STEP_PS]
            assert now is not None
            assert row["flight_ps"] == pytest.approx(now, abs=ROUNDED_PS)
        else:
            assert row["cause"] == "unreachable"
    assert begins["drop"] == set(cut)
    assert begins["pass"] == set(range(len(half))) - set(cut)


def test_as_many_are_late_as_are_sent_in_the_time_by_which_the_path_shortens(folder: Path) -> None:
    """d · r, and one more or less at each step that shortens by more than the time between two packets."""
    rate, between = "9.6 Mbps", 1500 * 8 / 9.6e6 * 1e12
    half = [one or 0.0 for one in halves(folder, "Dalian")]
    shorter = [before - now for before, now in itertools.pairwise(half) if before - now > between]
    assert shorter
    late = udp(folder, "free", rate, "manila-to-dalian").summary["reordered_packets"].value
    assert late == pytest.approx(sum(shorter) / between, abs=len(shorter))
    assert late > 0
    assert udp(folder, "kept", rate, "manila-to-dalian").summary["reordered_packets"].value == 0


def test_the_scenario_of_the_page_runs_as_it_stands(folder: Path) -> None:
    done = command("run", folder / "flow.toml", "--quiet")
    assert done.returncode == DONE, done.stderr
    summary = photocol.run(folder / "flow.toml").summary
    assert summary["goodput"].value > 0.9 * 10e6
    assert summary["max_queue"].value == 100
