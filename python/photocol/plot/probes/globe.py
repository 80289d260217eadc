"""A run over satellites on a map: where they are, links in the colour of their load, and a route over time.

Places are in the run's file of contacts, if photocol has written it. The map is plain: latitude over longitude, and no
coast; the cities that photocol knows are dots, and show where land is.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.plot.orbits import HALF_TURN, city_places, draw_map, map_lines
from photocol.plot.probes.probe import Picture
from photocol.plot.probes.round_trips import end_of_s, first_of, known_of, pairs_of
from photocol.plot.style import BLUE, LINES, frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.orbits.known import Known, Turn
    from photocol.runs.results import Result

LOADS = (0.0, 0.1, 0.3, 0.6, 0.8, 0.95)
COLOURS = ("#d5dde3", "#a6c8e4", "#6aaed6", "#e8b93c", "#e07b1f", "#b3201d")
"""Colours of loads from so much on, as on the page of a run."""
_MOST_ROUTES, _MOST_NAMES = 4, 12
_MARGIN, _FLATTEST = 8.0, 0.25
"""Degrees around what is drawn, and the least height of a map as a part of its width, both in degrees."""
_LEAST_GAP = 60.0
"""Without links on so many degrees a map is not of the whole Earth."""
_MOST_TICKS = 8
_IN_WINDOW = ("link", "station")
_INSIDE = (0.85, 0.5)
"""About so much of a figure's width and height has the map."""
_Box = tuple[float, float, float, float]
"""The middle, and half of the width and the height."""
_MOST_SATELLITES = 2500
"""With more the lasers that carry nothing would be a grey area."""
_GLOBE = {"kind": pl.String, "name": pl.String, "t_s": pl.Float64, "north": pl.Float64, "east": pl.Float64}
_GLOBE |= {"to_north": pl.Float64, "to_east": pl.Float64, "utilization": pl.Float64}


def globe(result: Result) -> pl.DataFrame:
    """What a map of the run shows, in degrees: `kind` is satellite, station, laser (without load), link or route.

    Places are those of the middle of the run; a link has its `utilization` over the run, of its busier direction.
    Routes are some of the first pair's, each with the time at which it begins and the places of then.
    """
    known = known_of(result)
    if known is None or not known.places:
        return pl.DataFrame(schema=_GLOBE)
    end_s = end_of_s(result)
    now = Places(known, end_s / 2)
    rows = [{"kind": "satellite", "name": now.name(place), "north": north, "east": east}
            for place, (north, east) in enumerate(now.degrees.tolist())]  # fmt: skip
    loads = loads_of(result, known)
    used = {frozenset(link) for link in loads}
    for one, other in known.lasers if len(known.places) <= _MOST_SATELLITES else []:
        ends = {known.places[one][0], known.places[other][0]}
        if frozenset(ends) not in used:
            rows.append({"kind": "laser", "name": ""} | now.line(now.degrees[one], now.degrees[other]))
    for (one, other), load in loads.items():
        name = f"{known.names[one]}-{known.names[other]}"
        rows.append({"kind": "link", "name": name, "utilization": load} | now.line(now.of(one), now.of(other)))
    pairs = pairs_of(result, known)
    rows += [{"kind": "station", "name": known.names[end], "north": now.of(end)[0], "east": now.of(end)[1]}
             for end in dict.fromkeys(itertools.chain(*pairs))]  # fmt: skip
    for turn in _some([turn for turn in known.turns[pairs[0]] if turn.nodes and turn.time_s < end_s]) if pairs else []:
        at = Places(known, turn.time_s)
        name = " – ".join(known.names[end] for end in pairs[0])
        rows += [{"kind": "route", "name": name, "t_s": turn.time_s} | at.line(at.of(one), at.of(other))
                 for one, other in itertools.pairwise(turn.nodes)]  # fmt: skip
    return pl.DataFrame([{"t_s": end_s / 2} | row for row in rows], schema=_GLOBE)


def window_of(result: Result) -> dict[str, Any]:
    """The part of the map that has links that carry something, in the middle of the run, as JSON can hold it."""
    table = globe(result)
    return asdict(_Window.around(table.filter(pl.col("kind").is_in(_IN_WINDOW))))


def _some(turns: Sequence[Turn]) -> list[Turn]:
    """The first, the last and some between."""
    chosen = np.linspace(0, len(turns) - 1, min(_MOST_ROUTES, len(turns))).round().astype(int)
    return [turns[place] for place in dict.fromkeys(chosen.tolist())]


class Places:
    """Where all nodes are at an instant."""

    def __init__(self, known: Known, time_s: float) -> None:
        self.known, self.degrees = known, known.degrees(np.array([time_s]))[0]
        self.place = {node: place for place, (node, *_) in enumerate(known.places) if node is not None}

    def name(self, place: int) -> str:
        """That of a satellite; one that no route uses has none."""
        node = self.known.places[place][0]
        return "" if node is None else self.known.names[node]

    def of(self, node: int) -> NDArray[np.float64]:
        """Degrees north and east of a node; stations do not move."""
        if node in self.known.stations:
            north, east = self.known.stations[node]
            return np.array([north, (east + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN])
        here: NDArray[np.float64] = self.degrees[self.place[node]]
        return here

    @staticmethod
    def line(one: NDArray[np.float64], other: NDArray[np.float64]) -> dict[str, float]:
        """The columns of a line."""
        return dict(zip(("north", "east", "to_north", "to_east"), [*one.tolist(), *other.tolist()], strict=True))


def loads_of(result: Result, known: Known) -> dict[tuple[int, int], float]:
    """The utilization over the run of each link that carried something, of its busier direction, in the first run."""
    links = result.links.filter(pl.col("run") == pl.col("run").min(), pl.col("class") != "control")
    found: dict[tuple[int, int], float] = {}
    for one, other, load in links.select("from", "to", "utilization").iter_rows():
        ends = sorted((known.number[one], known.number[other]))
        key = (ends[0], ends[1])
        found[key] = max(found.get(key, 0.0), load or 0.0)
    return {ends: load for ends, load in found.items() if load}


def draw_globe(axes: Axes, table: pl.DataFrame) -> None:
    """Satellites, links in the colour of their load, and routes of a pair, on the part of the map with links."""
    table = first_of(table)
    of = {str(kind): part for (kind,), part in table.partition_by("kind", as_dict=True).items()}
    window = _Window.around(table.filter(pl.col("kind").is_in(_IN_WINDOW)))
    known = city_places()
    axes.plot(window.across(known[:, 1]), known[:, 0], ".", color="0.55", markersize=2, zorder=1, label="_cities")
    if "laser" in of:
        axes.plot(*window.lines(of["laser"]), color="0.88", linewidth=0.4, zorder=0.5, label="_lasers")
    satellites = of["satellite"]
    size = float(np.clip(50 / np.sqrt(len(satellites)), 1.0, 3.0))
    east = window.across(satellites["east"].to_numpy())
    axes.plot(east, satellites["north"], "o", color=BLUE, markersize=size, markeredgewidth=0, label="_satellites")
    for low, high, colour in zip(LOADS, [*LOADS[1:], np.inf], COLOURS, strict=True):
        part = of["link"].filter(pl.col("utilization").is_between(low, high, closed="left"))
        if len(part):
            axes.plot(
                *window.lines(part), color=colour, linewidth=2.4, zorder=2, label="_links", solid_capstyle="round"
            )
    routes = of["route"].partition_by("t_s", maintain_order=True) if "route" in of else []
    for route, line in zip(routes, LINES, strict=False):
        name = f"{route['t_s'][0]:.4g} s"
        axes.plot(*window.lines(route), color="black", linestyle=line, linewidth=0.9, zorder=3, label=name)
    window.frame(axes)
    if "station" in of:
        _name_stations(axes, of["station"], window)
    frame(axes, title=f"route {routes[0]['name'][0]} from … on" if routes else "")
    _name_loads(axes)


def _name_loads(axes: Axes) -> None:
    """A bar of the colours below the map."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are in a figure"
    shades = ScalarMappable(BoundaryNorm(range(len(COLOURS) + 1), len(COLOURS)), ListedColormap(COLOURS))
    bar = figure.colorbar(shades, ax=axes, orientation="horizontal", ticks=range(len(LOADS) + 1), aspect=40, pad=0.02)
    bar.ax.set_xticklabels([f"{100 * load:.0f} %" for load in (*LOADS, 1.0)])
    bar.set_label("utilization of links over the run")


@dataclass(frozen=True)
class _Window:
    """A part of the map, in degrees: its middle, and from where to where beside it and north."""

    middle: float
    east: tuple[float, float]
    north: tuple[float, float]

    @classmethod
    def around(cls, table: pl.DataFrame) -> _Window:
        """The least that has these points, with a margin; it may lie across the date line."""
        columns = table.select("east", "to_east", "north", "to_north").to_numpy()
        east, north = (np.sort(part[np.isfinite(part)]) for part in (columns[:, :2], columns[:, 2:]))
        gaps = np.diff(east, append=east[0] + 2 * HALF_TURN)
        widest = int(gaps.argmax())
        is_all = gaps[widest] < _LEAST_GAP
        middle = 0.0 if is_all else float(east[widest] + gaps[widest] / 2 + HALF_TURN)
        half = HALF_TURN if is_all else HALF_TURN - float(gaps[widest]) / 2 + _MARGIN
        high = max(float(np.ptp(north)) / 2 + _MARGIN, _FLATTEST * half)
        centre = float(north[0] + north[-1]) / 2
        return cls(middle, (-half, half), (max(-90.0, centre - high), min(90.0, centre + high)))

    def across(self, east: NDArray[np.float64]) -> NDArray[np.float64]:
        """Degrees east of the middle, from -180 to 180."""
        return (east - self.middle + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN

    def lines(self, table: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lines of the table for the axes."""
        east, north = table.select("east", "to_east").to_numpy(), table.select("north", "to_north").to_numpy()
        return map_lines(self.across(east), north)

    def frame(self, axes: Axes) -> None:
        """The axes in degrees."""
        draw_map(axes)
        ticks = np.arange(-HALF_TURN, HALF_TURN, _step(2 * self.east[1]))
        # From left to right: across the date line that is another order.
        ticks = ticks[np.argsort(self.across(ticks))]
        at = self.across(ticks)
        is_in = np.abs(at) <= self.east[1]
        axes.set_xticks(at[is_in], [f"{tick:.0f}".replace("-180", "180") for tick in ticks[is_in]])
        axes.set_yticks(np.arange(-180, 181, _step(self.north[1] - self.north[0])))
        axes.set(xlim=self.east, ylim=self.north, aspect="auto")


def _step(degrees: float) -> int:
    """From one tick to the next."""
    return next(step for step in (5, 10, 15, 30, 60) if degrees / step <= _MOST_TICKS or step == 60)


def _name_stations(axes: Axes, stations: pl.DataFrame, window: _Window) -> None:
    """Each by its name, below, above or beside, where no other one is."""
    import matplotlib as mpl

    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are in a figure"
    east, north = window.across(stations["east"].to_numpy()), stations["north"].to_numpy()
    axes.plot(east, north, "s", color="black", markersize=3, zorder=4, label="_stations")
    letter = 0.55 * float(mpl.rcParams["font.size"])
    across = 2 * window.east[1] / (72 * _INSIDE[0] * figure.get_figwidth())
    up = (window.north[1] - window.north[0]) / (72 * _INSIDE[1] * figure.get_figheight())
    taken = [(x, y, 0.0, 0.0) for x, y in zip(east, north, strict=True)]
    for name, x, y in list(zip(stations["name"], east, north, strict=True))[:_MOST_NAMES]:
        wide, high = len(name) * letter * across / 2, letter * up
        far = letter * across + wide
        spots = [(0.0, -2 * high), (0.0, 2 * high), (far, 0.0), (-far, 0.0), (far, high), (-far, high), (far, -high)]
        inside = [spot for spot in spots if window.north[0] + high < y + spot[1] < window.north[1] - high] or spots
        free = [spot for spot in inside if not _meets((x + spot[0], y + spot[1], wide, high), taken)]
        dx, dy = (free or inside)[0]
        x, y = float(np.clip(x + dx, wide - window.east[1], window.east[1] - wide)), y + dy
        taken.append((x, y, wide, high))
        box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.4}
        axes.text(x, y, name, ha="center", va="center", zorder=5, fontsize="small", bbox=box, clip_on=True)


def _meets(one: _Box, others: Sequence[_Box]) -> bool:
    return any(abs(one[0] - x) < one[2] + wide and abs(one[1] - y) < one[3] + high for x, y, wide, high in others)


PICTURE = Picture(
    name="globe",
    draw=draw_globe,
    table=globe,
    value="utilization",
    missing="the run has no file of contacts with places of satellites, or that is gone",
)
