"""A constellation in the engine: its file of contacts against orbits and scipy, packets against the file."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import photocol as command
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import photocol
from photocol import ScenarioError, _core
from photocol.cli import DONE
from photocol.orbits import Constellation, kept
from photocol.orbits.contacts import contacts
from photocol.orbits.reading import OF_RUNS

pytestmark = pytest.mark.filterwarnings("ignore:.*threads worked")
LEO = Path(__file__).resolve().parents[3] / "shared" / "data" / "leo"
with_leo = pytest.mark.skipif(not LEO.is_dir(), reason="no public data: ../shared/data/leo is not there")
LIGHT = 299_792_458.0
STEP_PS = 100 * 10**9
PAIRS = [("London", "New York"), ("Rome", "Nairobi")]
ORBIT = {"shell": "iridium", "orbit": "circular", "stations": ["London", "New York", "Rome", "Nairobi"]}
"""Circles need no package; the names of a shell count as shells."""
UDP = {"algorithm": "udp", "packet_size": "1250 B"}


def scenario(**topology: Any) -> dict[str, Any]:
    """10 packets a millisecond of 1250 B of each pair over links of 1 Gb/s, and two flows of TCP."""
    links = {"laser_capacity": "1 Gbps", "ground_capacity": "1 Gbps"}
    pairs = [list(pair) for pair in PAIRS]
    return {
        "run": {"duration": "40 s"},
        "topology": {"kind": "constellation", **ORBIT, **links, **topology},
        "transport": {"udp": UDP},
        "traffic": [
            {"transport": "udp", "load": "constant", "rate": "1 Mbps", "pairs": pairs},
            {"transport": "newreno", "size": "20 MB", "pairs": [pair[::-1] for pair in pairs]},
        ],
    }


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Read:
    """A file of contacts, read by other means."""

    def __init__(self, text: str) -> None:
        rows = list(csv.reader(text.splitlines()))
        assert rows[0] == ["photocol-contacts", "1"]
        self.names = [row[1] for row in rows if row[0] == "node"]
        self.delays: dict[tuple[int, int], dict[int, int]] = {}
        self.routes: dict[tuple[int, int], list[tuple[int, list[int], list[list[int]]]]] = {}
        for kind, *row in rows[1:]:
            if kind == "contact":
                one, other = sorted(map(int, row[:2]))
                known = self.delays.setdefault((one, other), {})
                assert int(row[3]) == STEP_PS
                known.update((int(row[2]) + STEP_PS * place, int(ps)) for place, ps in enumerate(row[4].split()))
            elif kind == "route":
                pair = self.routes.setdefault((int(row[1]), int(row[2])), [])
                pair.append((int(row[0]), [int(node) for node in row[3].split()], []))
            elif kind == "way":
                pair[-1][2].append([int(node) for node in row[0].split()])


def test_a_file_has_the_lengths_of_orbits_and_the_routes_of_each_step() -> None:
    made = Constellation.from_toml({"kind": "constellation", **ORBIT})
    read = Read(contacts(made, PAIRS, 400.0))
    number = {name: place for place, name in enumerate(made.satellites)}
    stations = np.array([station.place for station in made.stations])
    worst = 0.0
    for (one, other), delays in read.delays.items():
        times = sorted(delays)
        places = made.positions([ps / 1e12 for ps in times])
        ends = [
            places[:, number[read.names[node]]] if node >= 4 else np.broadcast_to(stations[node], (len(times), 3))
            for node in (one, other)
        ]
        metres = np.linalg.norm(ends[0] - ends[1], axis=1)
        worst = max(worst, np.abs(np.array([delays[ps] for ps in times]) - metres / LIGHT * 1e12).max())
    # Lengths are whole micrometres, 0.003 ps; delays are whole picoseconds.
    assert worst < 0.51
    for route in made.routes(PAIRS, 400.0).tables():
        pair = (read.names.index(route.source), read.names.index(route.target))
        for way, direction in ((pair, 1), (pair[::-1], -1)):
            expected = [
                (round(one.time_s * 1e12), [read.names.index(_name(made, node)) for node in one.nodes][::direction])
                for one in route.changes
            ]
            assert [(time, nodes) for time, nodes, _ in read.routes[way]] == expected
            assert len(expected) > 1


def _name(made: Constellation, node: int) -> str:
    satellites = len(made.satellites)
    return made.satellites[node] if node < satellites else made.stations[node - satellites].name


def test_ways_of_packets_under_way_are_the_shortest_from_where_they_are() -> None:
    """By scipy's Dijkstra over all lasers, and the ground links of the destination; all that was on a route has one."""
    made = Constellation.from_toml({"kind": "constellation", **ORBIT})
    read = Read(contacts(made, PAIRS, 1200.0))
    number = {name: place for place, name in enumerate(made.satellites)}
    count, seen = len(made.satellites), 0
    for (_, target), routes in read.routes.items():
        before: list[int] = []
        for time, nodes, others in routes:
            links = made.links([time / 1e12])
            ground = links.ground[(links.ground[:, 0] == target) & links.ground_in_sight[0]]
            lengths = links.ground_m[0][(links.ground[:, 0] == target) & links.ground_in_sight[0]]
            there = links.laser_in_sight[0]
            rows = np.concatenate([links.lasers[there, 0], ground[:, 1]])
            columns = np.concatenate([links.lasers[there, 1], np.full(len(ground), count)])
            values = np.concatenate([links.laser_m[0][there], lengths])
            graph = coo_array((values, (rows, columns)), shape=(count + 1, count + 1)).tocsr()
            shortest = dijkstra(graph, directed=False, indices=[count])[0]
            left = set(before[1:-1]) - set(nodes)
            assert left <= {way[0] for way in others}
            for way in others:
                metres = [read.delays[(min(a, b), max(a, b))][time] * LIGHT / 1e12 for a, b in itertools.pairwise(way)]
                assert sum(metres) == pytest.approx(shortest[number[read.names[way[0]]]], abs=0.01)
                seen += 1
            before = nodes
    assert seen > 20


@pytest.mark.parametrize("law", ["linear", "steps"])
def test_a_run_from_a_file_is_a_run_from_parameters(here: Path, law: str) -> None:
    more = {"delay_law": law}
    alone = photocol.run(scenario(**more), threads=1)
    made = Constellation.from_toml({"kind": "constellation", **ORBIT})
    pairs = [*PAIRS, *(pair[::-1] for pair in PAIRS)]
    (here / "by-hand.csv").write_text(contacts(made, pairs, 40.0))
    asked = scenario(**more)
    kept_keys = {key: asked["topology"][key] for key in ("laser_capacity", "ground_capacity", "delay_law")}
    asked["topology"] = {"kind": "contacts", "path": "by-hand.csv", **kept_keys}
    for threads in (1, 2, 5):
        again = photocol.run(asked, threads=threads)
        assert again.fingerprint == alone.fingerprint
        assert again.flows.equals(alone.flows)
        assert again.drops.equals(alone.drops)


def test_a_packet_flies_along_the_line_between_two_steps_to_the_picosecond(here: Path) -> None:
    asked = scenario()
    asked["traffic"], asked["trace"] = asked["traffic"][:1], {"enabled": True}
    trace = photocol.run(asked).trace
    assert trace is not None
    [file] = here.glob("contacts-*.csv")
    read = Read(file.read_text())
    sent = trace.filter(pl.col("event").cast(pl.String) == "pass").with_columns(
        pl.col("place").cast(pl.String), end=pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")
    )
    seen = 0
    for place, end, flight in sent.select("place", "end", "flight_ps").iter_rows():
        ends = [read.names.index(name) for name in place.split("->")]
        delays = read.delays[(min(ends), max(ends))]
        step = end // STEP_PS * STEP_PS
        rise = delays.get(step + STEP_PS, delays[step]) - delays[step]
        assert flight == delays[step] + rise * (end - step) // STEP_PS
        seen += 1
    assert seen > 20_000


@with_leo
def test_packets_take_the_published_round_trip(here: Path) -> None:
    """Manila to Saint Petersburg and back (Hypatia): twice the flights of a packet that leaves at a whole second.

    Within 1e-4; cut off in the whole seconds from 156 to 165.
    """
    with (LEO / "kuiper-630-manila-petersburg-rtt.csv").open() as file:
        published = {int(row["time_s"]): float(row["rtt_ns"]) / 1e6 for row in csv.DictReader(file)}
    keys = {"kind": "constellation", "shell": "kuiper-630", "cities": str(LEO / "cities.csv")}
    stations = [station.name for station in Constellation.from_toml(keys).stations]
    ends = [next(name for name in stations if word in name) for word in ("Manila", "Petersburg")]
    result = photocol.run(
        {
            "run": {"duration": "200 s"},
            "topology": {
                **keys,
                "ground_limit": "range",
                "ground_range": "1260 km",
                "laser_capacity": "100 Gbps",
                "ground_capacity": "100 Gbps",
            },
            "transport": {"udp": {**UDP, "packet_size": "125 B"}},
            "traffic": [{"transport": "udp", "load": "constant", "rate": "1 kbps", "from": ends[0], "to": ends[1]}],
            "trace": {"enabled": True},
        }
    )
    assert result.trace is not None
    flights = (
        result.trace.filter(pl.col("event").cast(pl.String) == "pass")
        .group_by("unit")
        .agg(ms=pl.col("flight_ps").sum() / 1e9, second=(pl.col("t_ps").min() / 1e12).round().cast(pl.Int64))
    )
    found = dict(flights.select("second", "ms").iter_rows())
    assert set(range(200)) - set(found) == {second for second, ms in published.items() if ms == 0}
    assert max(abs(2 * found[second] / published[second] - 1) for second in found) < 1e-4


def test_a_file_is_made_once_and_depends_on_all_that_is_in_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photocol.check(scenario())
    [first] = here.glob("contacts-*.csv")
    photocol.check(scenario(step="0.2 s"))
    assert len(list(here.glob("contacts-*.csv"))) == 2
    monkeypatch.setattr(kept, "text_of", lambda *_: pytest.fail("it is there"))
    photocol.check(scenario(gone="delivered", under_way="old", delay_law="steps"))
    first.unlink()
    with pytest.raises(pytest.fail.Exception, match="it is there"):
        kept.contacts('shell = "iridium"\nstations = ["Rome", "Nairobi"]\n', None, 10**12, str(here))


def test_a_command_writes_the_file(here: Path) -> None:
    """As `photocol orbits` reads the same table as the engine."""
    listed = ", ".join(f'"{name}"' for name in ORBIT["stations"])
    (here / "leo.toml").write_text(
        f'[run]\nduration = "10 s"\n[topology]\nkind = "constellation"\nshell = "iridium"\norbit = "circular"\n'
        f'stations = [{listed}]\nstart = 2000-01-01T01:00:00Z\nlaser_capacity = "1 Gbps"\n'
        'ground_capacity = "1 Gbps"\n[[traffic]]\ntransport = "cubic"\npairs = [["Rome", "Nairobi"]]\n'
    )
    done = command("orbits", "leo.toml", "--contacts", "rome.csv", cwd=here)
    assert done.returncode == DONE, done.stderr
    result = photocol.run(here / "leo.toml")
    [made] = here.glob("contacts-*.csv")
    assert made.read_text() == (here / "rome.csv").read_text()
    assert result.flows["source"].to_list() == ["Rome"]


def test_a_wrong_orbit_is_refused_at_its_key(here: Path) -> None:
    (here / "wrong.toml").write_text(
        '[run]\nduration = "10 s"\n[topology]\nkind = "constellation"\nshell = "iridium"\n'
        'stations = ["Rome", "Atlantis"]\n[[traffic]]\ntransport = "cubic"\n'
    )
    with pytest.raises(ScenarioError, match=r"wrong.toml:6:12: topology.stations: \[1\]: found \"Atlantis\""):
        photocol.check(here / "wrong.toml")
    with pytest.raises(ScenarioError, match='unknown key "shel"; did you mean "shell"'):
        photocol.check(scenario(shel="x"))
    with pytest.raises(ScenarioError, match="there is no station 'Nairobi'; allowed: London, New York, Rome"):
        photocol.check(scenario(stations=["London", "New York", "Rome"]))


def test_a_wrong_key_within_a_table_and_one_of_the_command_line_have_their_places(here: Path) -> None:
    text = '[run]\nduration = "10 s"\n[topology]\nkind = "constellation"\nstations = ["Rome", "Perth"]\n'
    (here / "wrong.toml").write_text(f'{text}[topology.shell]\nplanes = 0\n[[traffic]]\ntransport = "cubic"\n')
    with pytest.raises(ScenarioError, match=r"wrong.toml:6:1: topology.shell: planes: found 0; allowed: a whole"):
        photocol.check(here / "wrong.toml")
    with pytest.raises(ScenarioError, match=r"--set: topology.step: found 3600 s; allowed: up to"):
        photocol.check(scenario(step="100 ms"), set={"topology.step": "1 h"})


def test_elements_that_are_wrong_or_missing_are_named_with_their_file(here: Path) -> None:
    """A valid element set of the ISS but for its first checksum, which is 7."""
    (here / "bad.tle").write_text(
        "ISS\n1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2928\n"
        "2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537\n"
    )
    for name, words in (
        ("bad", r"bad\.tle:2: the checksum is \"8\"; allowed: 7"),
        ("none", r"none\.tle: No such file"),
    ):
        made = scenario(tle=f"{name}.tle", lasers="none", relay="ground")
        made["topology"].pop("shell")
        with pytest.raises(ScenarioError, match=rf"^topology: .*{words}"):
            photocol.check(made)


def test_a_pair_that_is_never_connected_is_told_with_the_times(here: Path) -> None:
    """Iridium's planes pass over the poles, those of a shell at 52 degrees do not."""
    made = scenario(shell="kuiper-630", stations=["London", {"name": "pole", "latitude": 90, "longitude": 0}])
    made["traffic"] = [{"transport": "newreno", "from": "London", "to": "pole"}]
    with pytest.raises(ScenarioError, match='"London" and "pole" are never connected, from 0 s to 40 s'):
        photocol.check(made)


def test_two_that_a_third_sees_both_but_no_satellites_join_are_never_connected(here: Path) -> None:
    """One shell over the equator and one over 80 and -100 degrees, no lasers between them; no station relays."""
    shells = [
        {"planes": 1, "satellites_per_plane": 12, "inclination": 0, "altitude": "3000 km"},
        {"planes": 1, "satellites_per_plane": 36, "inclination": 88, "altitude": "600 km"},
    ]
    at = {"A": (0, -10), "B": (20, -97), "C": (88, -100)}
    stations = [{"name": name, "latitude": north, "longitude": east} for name, (north, east) in at.items()]
    made = scenario(shell=shells, stations=stations, min_elevation=5)
    for pairs, never in ((["AB", "BC"], False), (["AB", "BC", "AC"], True)):
        made["traffic"] = [{"transport": "newreno", "pairs": [list(pair) for pair in pairs]}]
        if never:
            with pytest.raises(ScenarioError, match='"A" and "C" are never connected, from 0 s to 40 s'):
                photocol.check(made)
        else:
            photocol.check(made)


def test_the_keys_of_runs_are_those_that_contacts_have() -> None:
    """Every other key of the engine's table is one of orbits."""
    kinds = json.loads(_core.schema())["$defs"]["Topology"]["oneOf"]
    of = {one["properties"]["kind"]["const"]: set(one["properties"]) for one in kinds}
    assert set(OF_RUNS) == of["contacts"] - {"kind", "path"} | {"cache"}
    assert of["constellation"] - set(OF_RUNS) > {"kind", "shell", "tle", "serving", "lasers", "step"}


def test_the_page_runs_and_its_figures_are_those_of_the_record(here: Path) -> None:
    """Packets flow in both pairs; seconds and megabytes are rounded, ratios to halves."""
    pytest.importorskip("sgp4")
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "guide" / "constellations.md").read_text()
    [first, *_] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    (here / "leo.toml").write_text(first.replace('"200 s"', '"3 s"'))
    words = re.findall(r"```\nphotocol (run leo.toml .*?)\n```", page)[0].split()
    done = command(*words, cwd=here)
    assert done.returncode == DONE, done.stderr
    assert (pl.read_parquet(here / "out" / "leo" / "flows.parquet")["goodput_bps"] > 1e6).all()
    record = json.loads((root / "bench" / "constellation.json").read_text())
    runs = [record["datagrams"], record["newreno"]]
    said = re.search(r"take (\d+) s of CPU for 200 s, .* each (\d+) s.\nThe orbits and routes take (\d+) s", page)
    assert said is not None
    assert [int(one) for one in said.groups()] == [
        *(round(run["run_s"]) for run in runs),
        round(max(run["tables_s"] for run in runs)),
    ]
    assert 10 * round(max(run["memory_mb"] for run in runs) / 10) == int(re.search(r"holds (\d+) MB", page)[1])
    ratios = re.search(r"take ([\d.]+) times as long with changes as without, and ([\d.]+) times", page)
    law = record["law"]
    expected = [round(2 * law[form] / law["constant"]) / 2 for form in ("changes", "linear")]
    assert [float(one) for one in ratios.groups()] == expected
    assert max(run["run_s"] + run["tables_s"] for run in runs) < 60
