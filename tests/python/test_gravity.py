"""Traffic by gravity: shares by arithmetic, sums to the last bit, files that run, and what is refused."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import photocol as command
from hypothesis import given
from hypothesis import strategies as st

import photocol
from photocol import InputError
from photocol.cli import DONE, WRONG_INPUT
from photocol.orbits.cities import cities
from photocol.orbits.gravity import MOST_PAIRS, demands, heaviest
from photocol.orbits.stations import Station, known_cities

ROOT = Path(__file__).resolve().parents[2]
TEXT = """
[run]
duration = "2 s"

[topology]
kind = "constellation"
shell = "iridium"
orbit = "circular"
stations = ["London", "Paris", { name = "Far", latitude = 0, longitude = 200, population = 0.5 }]
laser_capacity = "1 Gbps"
ground_capacity = "1 Gbps"

[[traffic]]
transport = "newreno"
from = "London"
to = "Paris"
"""


def stations(*millions: float | None) -> list[Station]:
    return [Station(f"S{place}", 0, place, one) for place, one in enumerate(millions)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leo.toml").write_text(TEXT)
    return tmp_path


def test_shares_are_products_over_their_sum() -> None:
    """4, 2 and 1 millions: products 8, 4 and 2, both ways 28; of 28 Mb/s a pair has its product, each way."""
    found = demands(heaviest(stations(4, 2, 1)), 28_000_000)
    assert [(one.source, one.target, one.bps) for one in found] == [
        ("S0", "S1", 8_000_000),
        ("S1", "S0", 8_000_000),
        ("S0", "S2", 4_000_000),
        ("S2", "S0", 4_000_000),
        ("S1", "S2", 2_000_000),
        ("S2", "S1", 2_000_000),
    ]


def test_of_the_heaviest_pairs_the_rate_is_that_of_all() -> None:
    """Without the pair of the product 2 the rest of 24 has the 28 Mb/s: 28 * 8/24 = 9.333333 and 4.666667."""
    found = demands(heaviest(stations(4, 2, 1), 2), 28_000_000)
    assert [one.bps for one in found] == [9_333_333, 9_333_333, 4_666_667, 4_666_667]
    london_paris = demands(heaviest(known_cities(), 1), 1000)[0]
    # The two largest cities of the list are the heaviest pair.
    first, second = sorted(cities(), key=lambda name: -cities()[name][2])[:2]
    assert {london_paris.source, london_paris.target} == {first, second}


@given(
    st.lists(st.integers(0, 40_000_000), min_size=2, max_size=12),
    st.integers(10**9, 10**13),
    st.none() | st.integers(1, 20),
)
def test_the_sum_is_kept_and_no_share_is_off_by_a_bit(heads: list[int], total: int, most: int | None) -> None:
    made = stations(*(one / 1e6 for one in heads))
    pairs = heaviest(made, most)
    every = [one * other for place, one in enumerate(heads) for other in heads[:place]]
    assert len(pairs) == min(most or len(every), sum(one > 0 for one in every))
    kept = sorted(every, reverse=True)[: len(pairs)]
    if not pairs:
        with pytest.raises(InputError, match="no pair of stations has inhabitants at both ends"):
            demands(pairs, total)
        return
    if kept[-1] * total < 2 * 9 * sum(kept):
        return
    found = demands(pairs, total)
    assert sum(one.bps for one in found) == total
    number = {one.name: place for place, one in enumerate(made)}
    for one in found:
        source, target = number[one.source], number[one.target]
        assert source != target
        assert abs(one.bps * 2 * sum(kept) - total * heads[source] * heads[target]) < 2 * sum(kept)
    assert len({(one.source, one.target) for one in found}) == 2 * len(pairs)


def test_a_pair_below_the_slowest_source_is_refused_with_its_rate() -> None:
    """Products 1e12 and twice 1e6: of 8 Mb/s each way of the small ones has 4 bps, 8e6 * 1e6/(2e12 + 4e6)."""
    with pytest.raises(InputError, match=r"S0 to S2 would have \d bps of the 8 Mbps; allowed: 8 bps at least"):
        demands(heaviest(stations(1, 1, 1e-6)), 8_000_000)
    assert len(demands(heaviest(stations(1, 1, 1e-6), 1), 8_000_000)) == 2


def test_too_many_pairs_are_refused() -> None:
    """150 stations have 11175 pairs."""
    with pytest.raises(InputError, match=f"there are 11175 pairs of stations; allowed: {MOST_PAIRS}"):
        heaviest(stations(*[1.0] * 150))
    assert len(heaviest(stations(*[1.0] * 150), MOST_PAIRS)) == MOST_PAIRS


def test_datagrams_run_at_their_rates(here: Path) -> None:
    """London 9.8, Paris 11.3, Far 0.5: 110.74, 5.65 and 4.9 of 121.29. Each carries its rate, to 5 standard errors of
    a Poisson number of packets.
    """
    done = command("gravity", "leo.toml", "--to", "gravity.toml", "--rate", "100 Mbps")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout == "gravity.toml: 6 demands, the first London to Paris, 45.65 Mb/s\n"
    flows = photocol.run(here / "gravity.toml").flows.sort("flow")
    rates = [50e6 * product / 121.29 for product in (110.74, 110.74, 5.65, 5.65, 4.9, 4.9)]
    packets = [rate * 2 / 12_000 for rate in rates]
    for sent, expected in zip(flows["segments_sent"], packets, strict=True):
        assert abs(sent - expected) < 5 * expected**0.5


def test_flows_have_the_rate_as_payload(here: Path) -> None:
    """100 Mb/s * 110.74/242.58 in flows of 125 kB, a megabit: 45.65 starts a second."""
    words = ["--rate", "100 Mbps", "--most", "1", "--transport", "cubic", "--size", "125 kB"]
    assert command("gravity", "leo.toml", "--to", "flows.toml", *words).returncode == DONE
    tables: list[dict[str, Any]] = tomllib.loads((here / "flows.toml").read_text())["traffic"]
    assert [(one["from"], one["to"], one["flows_per_second"]) for one in tables] == [
        ("London", "Paris", 50.0),
        ("Paris", "London", 50.0),
    ]
    assert photocol.run(here / "flows.toml").flows["size_bytes"].unique().to_list() == [125_000]


@pytest.mark.parametrize(
    ("change", "words", "wanted"),
    [
        ((", population = 0.5", ""), (), 'leo.toml:9:12: topology.stations[2]: the population of "Far" is missing; '),
        (("0.5", "500"), (), "topology.stations[2].population: found 500; allowed: a number from 0 to 100 millions"),
        ((" ", " "), ("--size", "1 kB"), "--size: goes with --transport NAME"),
        ((" ", " "), ("--rate", "fast"), '--rate: found "fast"; allowed: 8 bps to 1000 Tbps, with a unit'),
        ((" ", " "), ("--to", "leo.toml"), "--to leo.toml: allowed: another file than the one that it extends"),
        (("constellation", "dumbbell"), (), 'topology.kind: found "dumbbell"; allowed: "constellation"'),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    here: Path, change: tuple[str, str], words: tuple[str, ...], wanted: str
) -> None:
    (here / "leo.toml").write_text(TEXT.replace(*change))
    done = command("gravity", "leo.toml", "--to", "g.toml", "--rate", "1 Gbps", *words)
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert wanted in done.stderr
    assert not (here / "g.toml").exists()


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ("name,lat,lon,population\nA,0,0,3\nB,1,1,\n", 'c.csv:3: the population of "B" is missing; allowed: 0 to 100'),
        ("name,lat,lon\nA,0,0\nB,1,1\n", 'c.csv:2: the population of "A" is missing; allowed: 0 to 100 millions'),
        ("name,lat,lon,population\nA,0,0,many\nB,1,1,1\n", 'c.csv:2: population in millions: found "many"; allowed: '),
        ("name,lat,lon,population\nA,0,0,0\nB,1,1,1\n", "no pair of stations has inhabitants at both ends"),
    ],
)
def test_a_table_of_stations_has_to_say_its_inhabitants(here: Path, rows: str, wanted: str) -> None:
    (here / "c.csv").write_text(rows)
    (here / "leo.toml").write_text(re.sub("stations = .*", 'cities = "c.csv"', TEXT))
    done = command("gravity", "leo.toml", "--to", "g.toml", "--rate", "1 Gbps")
    assert done.returncode == WRONG_INPUT
    assert wanted in done.stderr


def test_the_commands_of_the_guide_run(here: Path) -> None:
    """New York 19.2, Tokyo 37, Manila 15.2, Dalian 6.2: their products over the sum, each way."""
    pytest.importorskip("sgp4")
    page = (ROOT / "docs" / "guide" / "constellations.md").read_text()
    first = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]
    (here / "leo.toml").write_text(first.replace('"200 s"', '"1 s"'))
    gravity, run = _commands(page, "photocol gravity")
    done = command(*gravity, cwd=here)
    products = [37 * 19.2, 37 * 15.2, 19.2 * 15.2, 37 * 6.2, 19.2 * 6.2, 15.2 * 6.2]
    most = 10 * products[0] / sum(products)
    assert done.stdout == f"gravity.toml: 12 demands, the first New York to Tokyo, {most:.4g} Mb/s\n"
    done = command(*run, cwd=here)
    assert done.returncode == DONE, done.stderr
    assert len(pl.read_parquet(here / "out" / "gravity" / "flows.parquet")) == 12
    # Its pictures too, of the other run of the page.
    for words in (["run", "leo.toml", "--out", "out/leo"], *_commands(page, "photocol plot out/leo")):
        done = command(*words, cwd=here)
        assert done.returncode == DONE, done.stderr
    files = {file.name for file in (here / "out" / "leo" / "plots").iterdir()}
    assert files == {"globe.png", "round_trips.png"}
    assert (here / "out" / "leo" / "report.html").is_file()


def _commands(page: str, first: str) -> list[list[str]]:
    [block] = re.findall(rf"```\n({first} .*?)```", page, re.DOTALL)
    return [shlex.split(line)[1:] for line in block.splitlines()]
