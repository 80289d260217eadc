"""Pictures of a constellation: round trips over time with the changes of routes, and a map with one route.

The map is plain: latitude over longitude, no coast. The cities that photocol knows are dots, and show where land is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.cities import cities
from photocol.orbits.earth import latitude_longitude
from photocol.plot.style import BLUE, VERMILLION, frame, name_time, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.orbits import Constellation, Route
    from photocol.orbits.routes import Nodes

MOST_PAIRS = 4
"""Of one picture; with more, cells are too low."""
HALF_TURN = 180.0
_MOST_SATELLITES_WITH_LASERS = 2500
"""With more the lasers would be a grey area."""


def round_trips(cells: Sequence[Axes], routes: Sequence[Route]) -> None:
    """Round trips over time, a cell for each pair: a dot where a route begins, a grey area where it is cut off."""
    for axes, route in zip(cells, routes, strict=True):
        axes.plot(route.times_s, route.round_trip_ms, color=BLUE, linewidth=width())
        begins = [change.step for change in route.changes[1:] if change.nodes]
        axes.plot(
            route.times_s[begins],
            route.round_trip_ms[begins],
            color=BLUE,
            marker="o",
            markersize=5,
            markerfacecolor="white",
            linestyle="none",
        )
        for begin, end in route.cut_offs:
            axes.axvspan(begin, end, color="0.85", linewidth=0)
            axes.text(
                (begin + end) / 2,
                0.5,
                "cut off",
                transform=axes.get_xaxis_transform(),
                ha="center",
                va="center",
                rotation=90,
                fontsize="small",
                color="0.25",
            )
        axes.set_title(f"{route.source} – {route.target}", loc="left", fontsize="medium")
        axes.set_ylabel("round trip (ms)")
        axes.set_xlim(float(route.times_s[0]), float(route.times_s[-1]))
        frame(axes)
    name_time(cells[-1])
    cells[0].set_title("dot: another route", loc="right", fontsize="small", color=BLUE)


def world(axes: Axes, made: Constellation, time_s: float, nodes: Nodes = ()) -> None:
    """A map of satellites and lasers at an instant, with a route over them if there is one.

    Lasers that are out of sight are not drawn, nor any of very large shells.
    """
    north, east = latitude_longitude(made.positions([time_s])[0])
    known = city_places()
    axes.plot(known[:, 1], known[:, 0], ".", color="0.15", markersize=4, zorder=3, label="cities")
    if len(made.satellites) <= _MOST_SATELLITES_WITH_LASERS:
        links = made.links([time_s])
        seen = links.lasers[links.laser_in_sight[0]]
        x, y = map_lines(east[seen], north[seen])
        axes.plot(x, y, color="0.82", linewidth=0.5, zorder=1, label="lasers")
    size = float(np.clip(85 / np.sqrt(len(north)), 1.5, 5.0))
    axes.plot(east, north, "o", color=BLUE, markersize=size, alpha=0.6, markeredgewidth=0, label="satellites")
    if nodes:
        _route(axes, made, nodes, np.stack([east, north], axis=1))
    draw_map(axes)
    if nodes:
        ends = [made.stations[node - len(made.satellites)].name for node in (nodes[0], nodes[-1])]
        axes.set_title(f"{' – '.join(ends)} at {time_s:g} s", loc="left", fontsize="medium")
    frame(axes)
    if (legend := axes.get_legend()) is not None:
        for handle in legend.get_lines():
            handle.set_markersize(max(4.0, handle.get_markersize()))


def city_places() -> NDArray[np.float64]:
    """Degrees north and east of the cities that photocol knows."""
    return np.array([place[:2] for place in cities().values()])


def draw_map(axes: Axes) -> None:
    """Degrees, all round."""
    axes.set(xlim=(-HALF_TURN, HALF_TURN), ylim=(-90, 90), xlabel="longitude (degrees)", ylabel="latitude (degrees)")
    axes.set_xticks(range(-180, 181, 60))
    axes.set_yticks(range(-90, 91, 30))
    axes.set_aspect("equal")


def _route(axes: Axes, made: Constellation, nodes: Nodes, places: NDArray[np.float64]) -> None:
    """A route with its stations by name."""
    satellites = len(places)
    on_ground = [made.stations[node - satellites] for node in nodes if node >= satellites]
    points = np.array(
        [
            places[node]
            if node < satellites
            else (
                _signed(made.stations[node - satellites].longitude_deg),
                made.stations[node - satellites].latitude_deg,
            )
            for node in nodes
        ]
    )
    pairs = np.stack([points[:-1], points[1:]], axis=1)
    x, y = map_lines(pairs[..., 0], pairs[..., 1])
    axes.plot(x, y, color=VERMILLION, linewidth=2.2, zorder=4, label="route")
    middle = np.array([node < satellites for node in nodes])
    axes.plot(*points[middle].T, "o", color=VERMILLION, markersize=5, zorder=5)
    axes.plot(*points[~middle].T, "s", color="black", markersize=6, zorder=6)
    away = points.mean(axis=0)
    for station in on_ground:
        east, north = _signed(station.longitude_deg), station.latitude_deg
        # Names stand where the route is not, and within the map.
        is_above = north > away[1]
        axes.annotate(
            station.name,
            (east, north),
            xytext=(0, 7 if is_above else -7),
            textcoords="offset points",
            ha="right" if east > HALF_TURN / 2 else "left" if east < -HALF_TURN / 2 else "center",
            va="bottom" if is_above else "top",
            zorder=7,
            fontweight="bold",
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5},
        )


def map_lines(east: NDArray[np.float64], north: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pairs of points of shape (lines, 2) as one line with gaps; what crosses the edge of the map is drawn twice."""
    is_over = np.abs(east[:, 1] - east[:, 0]) > HALF_TURN
    turn = np.where(east[:, 1] > east[:, 0], -1.0, 1.0) * 2 * HALF_TURN
    ahead, behind = east.copy(), east.copy()
    ahead[:, 1] += np.where(is_over, turn, 0.0)
    behind[:, 0] -= turn
    x = np.concatenate([ahead, behind[is_over]])
    y = np.concatenate([north, north[is_over]])
    gap = np.full((len(x), 1), np.nan)
    return np.concatenate([x, gap], axis=1).ravel(), np.concatenate([y, gap], axis=1).ravel()


def _signed(degrees: float) -> float:
    """A longitude from -180 to 180."""
    return (degrees + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN
