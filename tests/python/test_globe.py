"""Pictures of a run over satellites: round trips and places against the orbits, loads against the table of links."""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from test_page_network import CAUGHT
from test_report import look, needs_browser

import photocol
from photocol import InputError
from photocol.orbits import Constellation
from photocol.orbits.contacts import HEAD, contacts
from photocol.orbits.earth import latitude_longitude
from photocol.orbits.known import read_known
from photocol.plot.probes.globe import COLOURS, LOADS, globe
from photocol.plot.probes.round_trips import changes, known_of, round_trips, why_unknown
from photocol.report import build
from photocol.report.run_page import page

if TYPE_CHECKING:
    from browser import Page

ROOT = Path(__file__).resolve().parents[2]
ORBIT = {"shell": "iridium", "orbit": "circular", "stations": ["London", "New York", "Tokyo", "Nairobi"]}
PAIRS = [("New York", "Tokyo"), ("London", "Nairobi")]
END_S = 400.0


def scenario(**keys: Any) -> dict[str, Any]:
    """Iridium for 400 s; a pair over the Pacific."""
    return {
        "run": {"duration": f"{END_S:g} s"},
        "topology": {"kind": "constellation", **ORBIT, "laser_capacity": "1 Mbps", "ground_capacity": "1 Mbps", **keys},
        "traffic": [{"transport": "newreno", "pairs": [*map(list, PAIRS), list(PAIRS[0][::-1])]}],
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> photocol.Result:
    folder = tmp_path_factory.mktemp("orbits")
    return photocol.run(scenario(cache=str(folder)), out=folder / "run")


@pytest.fixture(scope="module")
def made() -> Constellation:
    return Constellation.from_toml({"kind": "constellation", **ORBIT})


def test_round_trips_and_changes_are_those_of_the_orbits(run: photocol.Result, made: Constellation) -> None:
    """Delays are whole picoseconds a hop, so a round trip of up to 20 hops is right to 20 ps."""
    shown = round_trips(run)
    assert shown["pair"].unique(maintain_order=True).to_list() == [" – ".join(pair) for pair in PAIRS]
    for route in made.routes(PAIRS, END_S).tables():
        of = shown.filter(pl.col("pair") == f"{route.source} – {route.target}")
        assert np.allclose(of["t_s"], route.times_s, rtol=0, atol=1e-9)
        assert np.nanmax(np.abs(of["round_trip_ms"].to_numpy() - route.round_trip_ms)) < 20e-9
        assert of.filter("is_new")["t_s"].to_list() == pytest.approx([one.time_s for one in route.changes[1:]])
        listed = changes(run).filter(pl.col("pair") == f"{route.source} – {route.target}")
        assert listed["hops"].to_list() == [max(0, len(one.nodes) - 1) for one in route.changes]
        assert len(listed) > 1


def test_a_pair_that_is_cut_off_has_a_gap(tmp_path: Path) -> None:
    """Saint Petersburg is north of Kuiper's satellites: cut off from 155.4 to 165.2 s in Hypatia's series."""
    pytest.importorskip("sgp4")
    keys = {"shell": "kuiper-630", "ground_limit": "range", "ground_range": "1260 km"}
    keys |= {"stations": ["Manila", "Saint Petersburg"], "step": "1 s"}
    made = Constellation.from_toml({"kind": "constellation", **keys})
    pair = [("Manila", "Saint Petersburg")]
    (tmp_path / "c.csv").write_text(contacts(made, pair, 200.0))
    known = read_known(tmp_path / "c.csv")
    trips = known.round_trips_ms((0, 1), known.steps_s((0, 1), 200.0))
    assert np.array_equal(np.isnan(trips), np.isnan(made.routes(pair, 200.0).tables()[0].round_trip_ms))
    assert 9 <= np.isnan(trips).sum() <= 11


def test_places_are_those_of_the_orbits(run: photocol.Result, made: Constellation) -> None:
    """Rounded to 0.005 degrees, and interpolated over 20 s, in which a satellite goes h = 1.2 degrees, 0.0209 rad.

    With inclination i = 86.4 the latitude B bends by tan B cos² i / cos² B, so that h²/8 of it is 0.0008 degrees at
    B = 75 and 0.045 at 86.3; across, at B = 75, h²/8 * 2 tan B cos i / cos B = 0.0057 degrees on the ground.
    """
    known = known_of(run)
    assert known is not None
    times = np.array([0.0, 7.0, 130.0, END_S])
    shown = known.degrees(times)
    north, east = latitude_longitude(made.positions(times))
    assert shown.shape == (4, 66, 2)
    is_low = np.abs(north) < 75
    off = np.abs(shown[..., 0] - north)
    assert off[is_low].max() < 0.005 + 0.001
    assert off.max() < 0.005 + 0.045
    apart = np.abs((shown[..., 1] - east + 180) % 360 - 180) * np.cos(np.radians(north))
    assert apart[is_low].max() < 0.005 + 0.006
    assert {frozenset(pair) for pair in known.lasers} == {frozenset(pair) for pair in made.links([0.0]).lasers.tolist()}


def test_the_map_has_the_load_of_each_link(run: photocol.Result) -> None:
    table = globe(run)
    loads = {frozenset(name.split("->")): 0.0 for name in run.links["link"]}
    for name, load in run.links.select("link", "utilization").iter_rows():
        key = frozenset(name.split("->"))
        loads[key] = max(loads[key], load or 0.0)
    links = table.filter(pl.col("kind") == "link")
    assert {frozenset(name.split("-")) for name in links["name"]} == {ends for ends, load in loads.items() if load}
    assert links["utilization"].to_list() == [loads[frozenset(name.split("-"))] for name in links["name"]]
    assert table.filter(pl.col("kind") == "satellite").height == 66
    assert table.filter(pl.col("kind") == "laser").height + links.height > 2 * 66 - 11
    routes = table.filter(pl.col("kind") == "route")
    begins = changes(run).filter(pl.col("pair") == " – ".join(PAIRS[0]))["t_s"].to_list()
    assert set(routes["t_s"]) <= set(begins)
    assert routes["t_s"].min() == 0.0
    # Each route leads from New York to Tokyo without a break.
    for part in routes.partition_by("t_s"):
        assert part.select("north", "east").row(0) == (40.71, -74.01)
        assert part.select("to_north", "to_east").row(-1) == (35.69, 139.69)
        assert part.select("to_north", "to_east").rows()[:-1] == part.select("north", "east").rows()[1:]


def test_pictures_have_marks_colours_and_a_window_over_the_pacific(run: photocol.Result) -> None:
    axes = Figure().subplots()
    run.plot.round_trips(axes)
    of = {str(line.get_label()): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")}
    assert list(of) == [" – ".join(pair) for pair in PAIRS]
    marks = [line for line in axes.get_lines() if str(line.get_label()).startswith("_")]
    table = round_trips(run)
    assert [len(line.get_xdata()) for line in marks] == [
        table.filter("is_new", pl.col("pair") == name, pl.col("round_trip_ms").is_not_null()).height for name in of
    ]
    assert "mark: another route" in axes.get_xlabel()
    figure = Figure()
    axes = figure.subplots()
    run.plot.globe(axes)
    used = globe(run).filter(pl.col("kind") == "link")["utilization"].to_numpy()
    steps = np.searchsorted(LOADS, used, side="right") - 1
    drawn = [line.get_color() for line in axes.get_lines() if line.get_label() == "_links"]
    assert drawn == [COLOURS[step] for step in sorted(set(steps.tolist()))]
    assert {text.get_text() for text in axes.texts} == {"New York", "Tokyo", "London", "Nairobi"}
    routes = [line for line in axes.get_lines() if str(line.get_label()).endswith(" s")]
    assert 1 < len(routes) <= 4
    low, high = axes.get_xlim()
    assert high - low <= 360
    # Numbers stand from left to right, across the date line too, and some of both axes are in the window.
    numbers = [int(text.get_text()) for text in axes.get_xticklabels()]
    assert len(numbers) > 2
    assert len({(after - before) % 360 for before, after in itertools.pairwise(numbers)}) == 1
    assert sum(axes.get_ylim()[0] < tick < axes.get_ylim()[1] for tick in axes.get_yticks()) > 2
    # No piece of a route is drawn across the whole map.
    for line in routes:
        assert np.nanmax(np.abs(np.diff(np.asarray(line.get_xdata(), dtype=float)))) < 180


def test_without_the_file_there_is_no_picture(tmp_path: Path) -> None:
    result = photocol.run(scenario(cache=str(tmp_path)) | {"run": {"duration": "1 s"}})
    [file] = tmp_path.glob("contacts-*.csv")
    assert globe(result).height > 66
    text = file.read_text()
    file.write_text(text[: text.index("# place")])
    assert globe(result).is_empty()
    assert round_trips(result).height == 2 * 10
    file.unlink()
    assert known_of(result) is None
    assert file.name in why_unknown(result)
    assert round_trips(result).is_empty()
    made = page(result.save(tmp_path / "run"))
    assert made["globe"] is None
    assert "Satellites and their routes are not drawn, for the file of contacts cannot be read: " in made["note"]
    with pytest.raises(ValueError, match="no file of contacts with places"):
        result.plot.globe()


@pytest.mark.parametrize("row", ["contact,0,1,0", "route,0,0,x,1", "# place,1,2", "# lasers,1 2 3", "node"])
def test_a_file_that_is_none_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    (tmp_path / "c.csv").write_text(f"{HEAD}\nnode,A,station,0,0\n{row}\n")
    with pytest.raises(InputError, match=r"c\.csv:3: no row of a file of contacts"):
        read_known(tmp_path / "c.csv")
    (tmp_path / "c.csv").write_text("other\n")
    with pytest.raises(InputError, match=r"c\.csv:1: allowed: \"photocol-contacts,1\" as the first line"):
        read_known(tmp_path / "c.csv")


def test_the_page_has_places_loads_and_routes(run: photocol.Result, made: Constellation) -> None:
    found = page(saved(run))["globe"]
    assert len(found["north"]) == len(found["east"]) == 66
    assert len(found["times_s"]) == len(found["north"][0]) == 121
    north, _ = latitude_longitude(made.positions([0.0]))
    assert np.abs(np.array(found["north"])[:, 0] / 10 - north[0]).max() <= 0.06
    assert [pair["name"] for pair in found["pairs"]] == [" – ".join(pair) for pair in PAIRS]
    for pair, route in zip(found["pairs"], made.routes(PAIRS, END_S).tables(), strict=True):
        assert [time for time, _ in pair["turns"]] == pytest.approx([one.time_s for one in route.changes])
        assert [nodes for _, nodes in pair["turns"]] == [list(one.nodes) for one in route.changes]
        steps = np.rint(np.array(pair["trips"]["t_s"]) / made.step_s).astype(int)
        assert pair["trips"]["ms"] == pytest.approx(route.round_trip_ms[steps].tolist(), abs=1e-6, nan_ok=True)
        around = {step + beside for step in (one.step for one in route.changes[1:]) for beside in (-1, 0)}
        assert around <= set(steps.tolist())
        assert 400 <= len(steps) <= 400 + len(around)
    assert [name for name, *_ in found["stations"]] == ORBIT["stations"]
    assert sorted(link["load"] for link in found["links"]) == sorted(
        globe(run).filter(pl.col("kind") == "link")["utilization"]
    )
    [routes] = [table for table in page(saved(run))["tables"] if table["title"] == "Routes over satellites"]
    assert len(routes["table"]["rows"]) == changes(run).height


def saved(run: photocol.Result) -> Path:
    """Where the run of this module is."""
    return Path(str(run.manifest["scenario"]).split('path = "')[1].split('"')[0]).parent / "run"


@needs_browser
@pytest.mark.parametrize("width", [1200, 420])
def test_the_map_of_the_page_follows_time_and_pair(run: photocol.Result, tmp_path: Path, width: int) -> None:
    table: list[str] = []

    async def judge(page: Page) -> None:
        await page.settle()
        lines = "document.querySelectorAll('#globe .link').length"
        assert await page.ask(lines) == globe(run).filter(pl.col("kind") == "link").height
        reading = "document.getElementById('globe-reading').textContent"
        first = await page.ask(reading)
        route = "document.querySelector('#globe .route').getAttribute('d')"
        before = await page.ask(route)
        await page.ask(
            "(() => { const one = document.getElementById('globe-time'); one.value = 200; "
            "one.dispatchEvent(new Event('input')); })()"
        )
        number = changes(run).filter(pl.col("pair") == " – ".join(PAIRS[0])).height
        assert first.endswith(f"route 1 of {number}")
        turns = "document.querySelectorAll('#globe .turn').length"
        assert await page.ask(turns) == number - 1
        assert (await page.ask(reading)).endswith(f"route {number} of {number}")
        assert await page.ask(route) != before
        await page.ask(
            "(() => { const one = document.querySelector('#globe select'); one.value = '1'; "
            "one.dispatchEvent(new Event('change')); })()"
        )
        assert (await page.ask(reading)).startswith("400 s; ")
        table.extend(text for text in await page.ask(CAUGHT) if text.startswith("link,utilization,from_north"))
        assert await page.ask("document.documentElement.scrollWidth") <= width

    look(build.write(saved(run), tmp_path / "page.html"), tmp_path, judge, width=width)
    rows = list(csv.DictReader(io.StringIO(table[0])))
    assert {float(row["utilization"]) for row in rows} == set(
        globe(run).filter(pl.col("kind") == "link")["utilization"]
    )
