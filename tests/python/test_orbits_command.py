"""`photocol orbits`: what it prints, writes and draws, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import matplotlib.image
import numpy as np
import polars as pl
import pytest
from command import photocol

from photocol.cli import DONE, WRONG_INPUT
from photocol.orbits import Constellation
from photocol.plot.orbits import round_trips, world
from photocol.plot.style import new_figure

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
[run]
duration = "60 s"

[topology]
kind = "constellation"
shell = "kuiper-630"
stations = ["Manila", "Dalian", "London"]

[[traffic]]
pairs = [["Manila", "Dalian"]]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "leo.toml"
    place.write_text(TEXT)
    return place


def test_a_pair_is_a_line_and_one_for_each_change(file: Path) -> None:
    done = photocol("orbits", file)
    assert (done.returncode, done.stderr) == (DONE, "")
    made = Constellation.from_toml(
        {"kind": "constellation", "shell": "kuiper-630", "stations": ["Manila", "Dalian", "London"]}
    )
    (route,) = made.routes([("Manila", "Dalian")], 60).tables()
    first, *changes = done.stdout.splitlines()
    low, high = np.nanmin(route.round_trip_ms), np.nanmax(route.round_trip_ms)
    assert first.startswith(f"Manila – Dalian: round trip {low:.3f} to {high:.3f} ms, mean ")
    assert len(changes) == len(route.changes) - 1
    assert [line.split()[0] for line in changes] == [f"{change.time_s:g}" for change in route.changes[1:]]


def test_pairs_duration_and_step_of_the_command_line_count(file: Path) -> None:
    done = photocol("orbits", file, "--pair", "London", "Dalian", "--duration", "2 s", "--step", "500 ms", "--json")
    (found,) = json.loads(done.stdout)
    assert (found["source"], found["target"]) == ("London", "Dalian")
    assert found["least_ms"] <= found["mean_ms"] <= found["most_ms"]
    file.write_text(TEXT[: TEXT.index("[[traffic]]")])
    done = photocol("orbits", file, "--duration", "1 s", "--json")
    assert len(json.loads(done.stdout)) == 3


def test_tables_have_every_step_and_every_change(file: Path) -> None:
    folder = file.parent
    done = photocol("orbits", file, "--table", folder / "t.parquet", "--changes", folder / "c.csv")
    assert done.stdout.splitlines()[-2:] == [str(folder / "t.parquet"), str(folder / "c.csv")]
    steps, changes = pl.read_parquet(folder / "t.parquet"), pl.read_csv(folder / "c.csv")
    assert steps.columns == changes.columns == ["source", "target", "time_s", "round_trip_ms", "hops", "path"]
    assert len(steps) == 600
    begins = steps.filter((pl.col("path") != pl.col("path").shift()).fill_null(value=True))
    assert begins["time_s"].to_list() == changes["time_s"].to_list()
    assert begins["round_trip_ms"].to_list() == pytest.approx(changes["round_trip_ms"].to_list())
    hops = changes["path"].str.split(" > ").list.len() + 1
    assert hops.to_list() == changes["hops"].to_list()


def test_a_pair_that_is_never_connected_is_said_with_its_times(file: Path) -> None:
    file.write_text(
        '[topology]\nkind = "constellation"\nshell = "kuiper-630"\n'
        'stations = ["London", { name = "pole", latitude = 90, longitude = 0 }]\n'
    )
    done = photocol("orbits", file, "--duration", "10 s", "--changes", file.parent / "c.csv")
    assert done.stdout.splitlines()[0] == "London – pole: never connected, from 0 to 10 s"
    row = pl.read_csv(file.parent / "c.csv").row(0, named=True)
    assert (row["time_s"], row["round_trip_ms"], row["hops"], row["path"]) == (0.0, None, 0, "")


def test_two_pictures_are_drawn(file: Path) -> None:
    done = photocol("orbits", file, "--plots", file.parent / "plots", "--at", "30")
    assert done.returncode == DONE
    for name in ("round-trips.png", "map.png"):
        picture = matplotlib.image.imread(file.parent / "plots" / name)
        assert picture.shape[1] == 960
        assert picture[..., :3].std() > 0.05


def test_pictures_show_changes_cut_offs_and_the_edge_of_the_map() -> None:
    made = Constellation.from_toml(
        {
            "kind": "constellation",
            "shell": "kuiper-630",
            "stations": ["Manila", "Saint Petersburg", "New York", "Tokyo"],
        }
    )
    pairs = [("Manila", "Saint Petersburg"), ("New York", "Tokyo")]
    routes = made.routes(pairs, 100, 1).tables()
    cells = list(new_figure().subplots(2))
    round_trips(cells, routes)
    for axes, route in zip(cells, routes, strict=True):
        line, dots = axes.get_lines()
        assert np.array_equal(line.get_ydata(), route.round_trip_ms, equal_nan=True)
        assert len(dots.get_xdata()) == sum(bool(change.nodes) for change in route.changes[1:])
        assert [text.get_text() for text in axes.texts] == ["cut off"] * len(route.cut_offs)
    assert routes[0].cut_offs
    axes = new_figure().subplots()
    world(axes, made, 0.0, routes[1].changes[0].nodes)
    assert {text.get_text() for text in axes.texts} == {"New York", "Tokyo"}
    drawn = next(line for line in axes.get_lines() if line.get_label() == "route")
    x = np.asarray(drawn.get_xdata())
    # Tokyo to New York leads over the Pacific: no piece is drawn across the whole map.
    assert np.nanmax(np.abs(np.diff(x))) < 90
    assert x[np.isfinite(x)].max() > 180


@pytest.mark.parametrize(
    ("change", "arguments", "wanted"),
    [
        (
            ("kuiper-630", "kuiper"),
            (),
            "leo.toml:7:9: topology.shell: found \"kuiper\"; allowed: did you mean 'kuiper-630'?",
        ),
        (("[topology]", "[topolgy]"), (), "topology: is missing; allowed: a table with kind"),
        (("60 s", "60"), (), 'leo.toml:3:12: run.duration: found "60"; allowed: 0.001 s to 10000000 s, with a unit'),
        (("pairs = [[", "pairs = [3, ["), (), "leo.toml:11:9: traffic[0].pairs: found [3, ['Manila'"),
        ((" ", " "), ("--pair", "London", "Oslo"), "there is no station 'Oslo'"),
        ((" ", " "), ("--at", "60"), "--at 60: allowed: from 0 to before 60 s, the duration"),
        ((" ", " "), ("--table", "a.txt"), "a.txt: allowed: a name that ends with .csv or .parquet"),
        ((" ", " "), ("--duration", "soon"), '--duration: found "soon"; allowed: 0.001 s to'),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    file: Path, change: tuple[str, str], arguments: tuple[str, ...], wanted: str
) -> None:
    file.write_text(TEXT.replace(*change))
    done = photocol("orbits", file, *arguments)
    assert done.returncode == WRONG_INPUT
    assert wanted in done.stderr
    assert done.stdout == ""


def test_shells_are_listed() -> None:
    done = photocol("list", "shells")
    assert "kuiper-630    34 planes of 34, 51.9 degrees, 629 km, a delta. [Hypatia, IMC 2020]" in done.stdout
    assert "iridium       6 planes of 11, 86.4 degrees, 780 km, a star. [its filing]" in done.stdout
